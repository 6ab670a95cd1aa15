"""What `loop run` refuses before a turn costs anything, each with the command that helps."""

from __future__ import annotations

import argparse

from ..core.loop import Loop
from ..core.policies.permission import ALLOW
from ..core.prompts.messages import resume_command
from ..core.prompts.order_replies import branch_switched_text
from ..disk.lock import FolderBusy
from ..drive.errors import UserError, WaitsForPerson
from ..drive.orders.loop_orders import parse_amount, refuse_if_driven_recently
from ..drive.runner.run import DRIVEN
from ..drive.runner.run_config import RunConfig
from ..drive.turn_facts import is_holder_gone
from ..repo import user_repo
from ..store import run_records
from ..store.folder import LoopFolder
from ..store.runner_lock import RunnerLock
from . import here

NEW_LOOP_OPTIONS = (
    *("criterion", "check", "without", "must_not", "step", "demand", "checks_by"),
    *(
        "iterations",
        "budget",
        "minutes",
        "replace",
        "pass_env",
        "may_change",
        "strength",
        "require",
    ),
)


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
    for name in ("budget", "iterations", "minutes", "turn_budget"):
        if text := getattr(args, name):
            parse_amount(f"--{name.replace('_', '-')}", text)
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


def refuse_options_without_spec(args: argparse.Namespace) -> None:
    for name in NEW_LOOP_OPTIONS:
        if getattr(args, name):
            raise UserError(
                f"--{name.replace('_', '-')} belongs to a new loop: loop run SPEC. "
                "Of the loop that is here: loop criteria, loop run --continue"
            )


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
        with RunnerLock(folder):
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
