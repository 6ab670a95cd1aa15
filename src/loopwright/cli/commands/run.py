"""Drive the loop of this folder with an agent, unattended, until it ends, pauses or asks.

With a SPEC, start a loop on it first. No session is needed. Nothing is ever pushed.
"""

from __future__ import annotations

import argparse
import time

from ...core.directives import Continue, Reply, Stop
from ...core.loop import Loop
from ...core.policies.permission import ALLOW
from ...core.prompts.messages import pause_text
from ...core.signals import Ordered
from ...drive.errors import UserError, WrongValue
from ...drive.notify.person import notify_person, report_failure, watch_for_kill
from ...drive.orders.loop_orders import (
    continue_loop,
    typed_raises,
)
from ...drive.runner import worktree
from ...drive.runner.disk_reserve import drop_reserve, keep_reserve, pause_for_full_disk
from ...drive.runner.driver_lock import refuse_if_driven
from ...drive.runner.run import DriverBusy
from ...drive.runner.run import run as drive
from ...drive.runner.run_config import RunConfig
from ...drive.runner.until_and_leave import parse_until, until_text
from ...drive.stay_awake import keep_awake
from ...drive.step import step
from ...store import run_records
from ...store.folder import LoopFolder
from ...store.history import last_ended_loop
from ...store.run_records import RunRecord
from .. import exits, here, output
from ..argument_kinds import add_word
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
from ..run_refusals import (
    NEW_LOOP_OPTIONS,
    is_cut_off_commit_run,
    refuse_attempts,
    refuse_early,
    refuse_options_without_spec,
    refuse_plan_options,
    refuse_second_runner,
    refuse_stopped_loop,
    refuse_unasked_takeover,
    refuse_uncommitted_files,
    start_words,
)
from ..run_request import parse_run_config
from ..run_result import show_ended_run, show_result
from ..start.options import add_criteria_options, add_limit_options, add_pass_env_option
from ..start.proof_options import add_grade_options

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


def arguments(parser: argparse.ArgumentParser) -> None:
    add_word(parser, "spec", "start a loop on this spec first")
    parser.set_defaults(spec=None)  # no word, and not an empty one
    new = parser.add_argument_group("a new loop; these need a SPEC, or --continue for the limits")
    add_criteria_options(new)
    add_limit_options(new)
    add_pass_env_option(new)
    add_grade_options(new)
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
        refuse_if_driven(folder)
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


def start_or_continue_loop(args: argparse.Namespace) -> int:
    """Start the loop of the SPEC, or continue the one that is here; the exit code if it refuses."""
    if args.continue_:
        return continue_paused_loop(args)
    if args.spec:
        return start_loop(args)
    if args.spec is not None:  # an empty word
        raise UserError('what is to be done? Say it: loop run "fix all failing tests"')
    refuse_options_without_spec(args)
    return exits.PROVEN


def start_loop(args: argparse.Namespace) -> int:
    """Start the loop that this run drives; the exit code of `loop start`."""
    # A mistake in it is found before anything starts.
    config = parse_run_config(args, here.loop_folder())
    from ..command_parser import command_parser

    start_args = command_parser("start").parse_args([])
    for name in ("spec", *NEW_LOOP_OPTIONS, "yes", "json"):
        setattr(start_args, name, getattr(args, name))
    start_args.for_runner = True
    start_args.sandbox = args.sandbox
    start_args.worker = config.agents[0]
    from . import start  # slow to import, and a run of an existing loop starts none

    return start.run(start_args)


def continue_paused_loop(args: argparse.Namespace) -> int:
    """Raise the limits that were typed, and continue a paused loop; the exit code if it refuses."""
    if args.spec or args.replace:
        raise UserError("--continue drives the loop that is here; leave the SPEC and --replace out")
    folder, loop = here.active_loop()
    refuse_if_driven(folder)
    recall_options(args, loop.id)
    parse_run_config(args, folder)  # a mistake in it is found before anything continues
    raises = typed_raises(args)
    if loop.status == "running" and not any(raises):
        return exits.PROVEN
    reply = continue_loop(folder, *raises, yes=args.yes, unproven=args.unproven)
    if isinstance(reply, Continue):
        return exits.PROVEN
    output.show_text(reply.message)
    return exits.exit_code(folder.read_loop() or loop) or exits.ERROR


def waive_checks(folder: LoopFolder, loop: Loop) -> Loop:
    """Work without the checks that may not run, as the person chose."""
    if loop.gate and loop.gate.name == ALLOW:
        continue_loop(folder, 0.0, 0.0, 0.0, unproven=True)
    else:
        step(folder, Ordered(time.time(), "waive"))
    return folder.read_loop() or loop


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
