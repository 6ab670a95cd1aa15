"""Drive the loop of this folder with an agent, unattended, until it ends, pauses or asks.

With a SPEC, start a loop on it first. No session is needed. Nothing is ever pushed.
"""

from __future__ import annotations

import argparse
import time

from ...core.directives import Continue, Reply, Stop
from ...core.loop import Loop
from ...core.policies.permission import ALLOW
from ...core.prompts.messages import pause_text, resume_command
from ...core.prompts.order_replies import branch_switched_text
from ...core.signals import Ordered
from ...disk.lock import FileLock, FolderBusy
from ...drive.errors import UserError, WaitsForPerson, WrongValue
from ...drive.notify.person import notify_person, report_failure, watch_for_kill
from ...drive.orders.loop_orders import (
    LOCK_WAIT_SECONDS,
    continue_loop,
    parse_amount,
    refuse_if_driven,
    refuse_if_driven_recently,
)
from ...drive.runner import worktree
from ...drive.runner.disk_reserve import drop_reserve, keep_reserve, pause_for_full_disk
from ...drive.runner.pacing import parse_until, until_text
from ...drive.runner.run import DRIVEN, DriverBusy
from ...drive.runner.run import run as drive
from ...drive.runner.run_config import RunConfig
from ...drive.stay_awake import keep_awake
from ...drive.step import step
from ...drive.turn_facts import is_holder_gone
from ...repo import user_repo
from ...store import run_records
from ...store.folder import LoopFolder
from ...store.history import last_ended_loop
from ...store.run_records import RunRecord
from .. import exits, here, output
from ..detached_run import (
    detach_run,
    forget_finished_run,
    recall_options,
    resume_all,
    resume_words,
    run_record,
)
from ..live_view import LineView, ScreenView
from ..run_options import add_run_options
from ..run_request import parse_run_config
from ..run_result import show_ended_run, show_result
from ..start.options import add_criteria_options, add_limit_options, add_pass_env_option

EXAMPLES = """  loop run                               # drive the loop that is here
  loop run "fix all failing tests"       # start a loop and drive it
  loop run "add a --json flag" --check "json works=./test-json.sh" --budget 5
  loop run --agent codex --fallback claude --turn-budget 2
  loop run --detach --until 07:00        # in the background, survives a logout
  loop run --continue --budget=25        # a paused loop, with more dollars
  loop run --resume-all                  # after a reboot: every run that was cut off
  loop run --attach                      # take the loop over from a session
  loop run --worktree --commit           # work and commit on a branch of its own
  loop run --parallel --max-parallel 4   # run the tasks of a wave in parallel
  loop run --agent-command "aider --yes-always --message {prompt}"
  loop run --agent script --script rehearsal.json"""
NEW_LOOP_OPTIONS = (
    *("criterion", "check", "without", "must_not", "step"),
    *("iterations", "budget", "minutes", "replace", "pass_env"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("spec", nargs="?", default="", help="start a loop on this spec first")
    new = parser.add_argument_group("a new loop; these need a SPEC, or --continue for the limits")
    add_criteria_options(new)
    add_limit_options(new)
    add_pass_env_option(new)
    add_run_options(parser)


def run(args: argparse.Namespace) -> int:
    if args.resume_all:
        if args.spec:
            raise WrongValue("--resume-all takes no SPEC. Write: loop run --resume-all")
        return resume_all(args.json)
    if args.until:  # a run that is resumed ends at the same moment
        args.until = until_text(parse_until(args.until, time.time()))
    refuse_early(args)
    if (code := show_ended_run(args)) is not None:
        return code
    if code := start_or_continue_loop(args):
        return code
    folder, loop = here.active_loop(start_words(args))
    if args.unproven:
        loop = waive_checks(folder, loop)
    refuse_stopped_loop(loop, args.stay)
    refuse_second_runner(folder)  # before anything else that may be wrong with this command
    config = parse_run_config(args, folder)
    refuse_plan_options(loop, config)
    if config.attempts:
        refuse_attempts(folder, loop, args)
    refuse_unasked_takeover(folder, loop, args.attach, args.yes)
    if args.worktree is None:
        if args.commit and not (args.yes or args.continue_ or is_cut_off_commit_run(loop)):
            refuse_uncommitted_files(folder)
    else:
        refuse_if_driven(folder, loop)
        folder = worktree.move_to_worktree(folder, loop, args.worktree, args.yes)
        if not args.json:
            output.show_text(
                f"[LOOP] Works in {folder.root}, on branch {worktree.loop_branch(loop)}."
            )
    words = resume_words(args)
    if args.detach:
        taken = ("--attach", "--yes") if args.attach else ()
        return detach_run(folder, loop, (*words, *taken), args.json)
    record = run_record(folder, loop, words)
    return drive_loop(folder, loop, config, args.json, args.plain, record)


FOR_A_PLAN = (
    "--parallel, --max-parallel, --waves, --eager and --strict are for a plan: "
    "loop start --plan FILE"
)


def refuse_plan_options(loop: Loop, config: RunConfig) -> None:
    if not loop.plan and (config.lanes or config.strict or config.waves or config.eager):
        raise UserError(FOR_A_PLAN)
    if config.waves and not config.lanes:
        raise UserError("--waves is for parallel tasks: loop run --parallel --waves")


def has_plan_options(args: argparse.Namespace) -> bool:
    return bool(args.parallel or args.max_parallel or args.waves or args.eager or args.strict)


def start_words(args: argparse.Namespace) -> str:
    """What would start the loop that these options are for."""
    return "loop start --plan FILE" if has_plan_options(args) else "loop start SPEC"


def refuse_early(args: argparse.Namespace) -> None:
    """Refuse what could not run, before a loop is started or continued for it."""
    if args.waves and args.eager:
        raise UserError("--waves keeps the order of the waves, and --eager ignores it. Choose one")
    if args.spec and has_plan_options(args):
        raise UserError(FOR_A_PLAN)
    folder = here.find_loop_folder() or here.loop_folder()
    if args.spec and args.attempts and not args.replace:
        refuse_attempts_here(folder, args)
    loop = None if args.spec else folder.read_loop()
    if not loop or not loop.plan or not loop.run or args.yes:
        return
    before, now = loop.run.branch, user_repo.current_branch(folder.root)
    text = branch_switched_text(before, now)
    if before and before != now and loop.pause.why != text:
        raise UserError(f"{text} --yes")


def start_or_continue_loop(args: argparse.Namespace) -> int:
    """Start the loop of the SPEC, or continue the one that is here; the exit code if it refuses."""
    if args.continue_:
        return continue_paused_loop(args)
    if args.spec:
        return start_loop(args)
    refuse_options_without_spec(args)
    return exits.PROVEN


def start_loop(args: argparse.Namespace) -> int:
    """Start the loop that this run drives; the exit code of `loop start`."""
    parse_run_config(args, here.loop_folder())  # a mistake in it is found before anything starts
    from ..command_parser import command_parser

    start_args = command_parser("start").parse_args([])
    for name in ("spec", *NEW_LOOP_OPTIONS, "yes", "json"):
        setattr(start_args, name, getattr(args, name))
    start_args.for_runner = True
    start_args.sandbox = args.sandbox
    from . import start  # slow to import, and a run of an existing loop starts none

    return start.run(start_args)


def continue_paused_loop(args: argparse.Namespace) -> int:
    """Raise the limits that were typed, and continue a paused loop; the exit code if it refuses."""
    if args.spec or args.replace:
        raise UserError("--continue drives the loop that is here; leave the SPEC and --replace out")
    folder, loop = here.active_loop()
    refuse_if_driven(folder, loop)
    recall_options(args, loop.id)
    parse_run_config(args, folder)  # a mistake in it is found before anything continues
    budget, iterations, minutes = (
        _raise_of(args, name) for name in ("budget", "iterations", "minutes")
    )
    if loop.status == "running" and not (budget or iterations or minutes):
        return exits.PROVEN
    reply = continue_loop(folder, budget, iterations, minutes, yes=args.yes, unproven=args.unproven)
    if isinstance(reply, Continue):
        return exits.PROVEN
    output.show_text(reply.message)
    return exits.exit_code(folder.read_loop() or loop) or exits.ERROR


def _raise_of(args: argparse.Namespace, name: str) -> float:
    text = getattr(args, name)
    return parse_amount(f"--{name}", text) if text else 0.0


def refuse_options_without_spec(args: argparse.Namespace) -> None:
    for name in NEW_LOOP_OPTIONS:
        if getattr(args, name):
            raise UserError(
                f"--{name.replace('_', '-')} belongs to a new loop: loop run SPEC. "
                "Of the loop that is here: loop criteria, loop run --continue"
            )


def waive_checks(folder: LoopFolder, loop: Loop) -> Loop:
    """Work without the checks that may not run, as the person chose."""
    if loop.gate and loop.gate.name == ALLOW:
        continue_loop(folder, 0.0, 0.0, 0.0, unproven=True)
    else:
        step(folder, Ordered(time.time(), "waive"))
    return folder.read_loop() or loop


def refuse_stopped_loop(loop: Loop, stays: bool) -> None:
    if loop.gate and stays:  # the runner itself waits for the answer
        return
    if loop.gate and loop.gate.name == ALLOW:
        raise WaitsForPerson(
            f"{loop.gate.question} Look at them and allow them: loop allow. "
            "Work without them, never proven: loop run --unproven"
        )
    if loop.status == "asking" and loop.gate:
        raise WaitsForPerson(
            f'it waits for an answer first ({loop.gate.question}): loop answer "…"'
        )
    if loop.status != "running":
        raise UserError(
            f"the loop is {loop.status}: {loop.pause.why}. "
            f"Continue and drive it: {resume_command(loop, loop.pause.cause).strip('`')}. "
            "See: loop status"
        )


def refuse_second_runner(folder: LoopFolder) -> None:
    try:
        with FileLock(folder.path_of("driver.lock"), LOCK_WAIT_SECONDS):
            pass
    except FolderBusy as error:
        raise UserError(DRIVEN) from error


def refuse_unasked_takeover(folder: LoopFolder, loop: Loop, attach: bool, yes: bool) -> None:
    """Take the loop from a session only if the person asks for it."""
    lease = loop.lease
    if not lease.holder or lease.session_ended or loop.headless_run or is_holder_gone(loop, ""):
        return
    if not attach:
        raise UserError(
            "a session drives this loop. Let go there (/loop:detach), or take it: loop run --attach"
        )
    if not yes:
        refuse_if_driven_recently(folder)


def refuse_attempts(folder: LoopFolder, loop: Loop, args: argparse.Namespace) -> None:
    """Attempts begin at one commit, and one of them is brought into this checkout."""
    if loop.plan or loop.backlog:
        raise UserError(
            "--attempts is for a spec. The tasks of a plan run side by side: loop run --parallel"
        )
    refuse_attempts_here(folder, args)


def refuse_attempts_here(folder: LoopFolder, args: argparse.Namespace) -> None:
    if args.worktree is not None:
        raise UserError("--attempts has worktrees of its own; leave --worktree out")
    if not user_repo.current_commit(folder.root):
        raise UserError("--attempts needs a git repository with a commit to begin from")
    if dirty := user_repo.uncommitted_files(folder.root):
        raise UserError(
            f"not committed, so no attempt would have it: {', '.join(dirty[:5])}. Commit it first"
        )


def is_cut_off_commit_run(loop: Loop) -> bool:
    """Did a run with --commit end without its say? Then what is not committed is its own work."""
    record = run_records.find_record(loop.id)
    return bool(record and "--commit" in record.words)


def refuse_uncommitted_files(folder: LoopFolder) -> None:
    dirty = user_repo.uncommitted_files(folder.root)
    if dirty:
        names = ", ".join(dirty[:5])
        raise UserError(
            f"--commit would commit your own changes too ({names}). Commit them first, "
            "use --worktree, or add --yes"
        )


def drive_loop(
    folder: LoopFolder,
    loop: Loop,
    config: RunConfig,
    as_json: bool = False,
    plain: bool = False,
    record: RunRecord | None = None,
) -> int:
    """Drive the loop to its end or pause; the exit code. `record` is kept while the run works."""
    if record:
        run_records.write_record(record)
    try:
        keep_reserve(folder)
        with keep_awake(), watch_for_kill(config.notify, folder.root):
            reply = _drive_with_view(folder, loop, config, as_json, plain)
    except DriverBusy as error:
        raise UserError(str(error)) from error
    except BaseException as error:
        if not isinstance(error, OSError) or not pause_for_full_disk(folder, error):
            report_failure(config.notify, folder, loop, error)
            raise
        paused = folder.read_loop() or loop
        notify_person(config.notify, paused, folder.root, output.show_text)
        reply = Stop(paused.pause.why, pause_text(paused))
    finally:
        drop_reserve(folder)
    forget_finished_run(folder, loop)
    now = folder.read_loop() or last_ended_loop(folder) or loop
    return show_result(now, reply.message, as_json)


def _drive_with_view(
    folder: LoopFolder, loop: Loop, config: RunConfig, as_json: bool, plain: bool
) -> Reply:
    if as_json:
        from ..json_view import JsonView

        return drive(folder, config, JsonView())
    console = None if plain else output.rich_console()
    if console is None:
        with LineView(loop) as lines:
            return drive(folder, config, lines)
    with ScreenView(console, loop) as screen:
        return drive(folder, config, screen)
