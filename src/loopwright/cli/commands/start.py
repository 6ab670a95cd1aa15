"""Start a loop on a spec, a plan or a preset.

Scores the spec, finds criteria and checks, runs the checks once, shows the result and asks one
question.
"""

from __future__ import annotations

import argparse
import os
import shutil
import time

from ...agents.claude import task_list
from ...agents.claude.hooks import respell_commands
from ...cleanroom import calibration
from ...cleanroom.checkout import drop_room
from ...core.criteria import Check
from ...core.discovery.backlog import DISCOVERY_LIMITS
from ...core.limits import Limits
from ...core.loop import Loop
from ...core.person.answers import YES, read_answer
from ...core.plan.plan import VERIFY
from ...core.proof.clean_checkout import PENDING
from ...core.signals import Answered, Ordered
from ...disk.user_folders import home_folder
from ...drive.doctor.client import block_cap
from ...drive.errors import UserError
from ...drive.new_loop import Request, TooVague
from ...drive.plans import plan_files
from ...drive.proof.start_baseline import measure_baseline
from ...drive.records.forget import forget_missing_loop
from ...drive.step import calibrate_in_background, step
from ...repo import kept_trees
from ...store import config, holdouts, pending_start
from ...store.create import create_loop, prepare_folder
from ...store.folder import LoopFolder
from ...store.history import last_ended_loop
from ...views import facts, start_screen
from .. import exits, here, output
from ..argument_kinds import add_word
from ..sandbox_request import chosen_check_box
from ..start import discovery_options, plan_options
from ..start.next_step import explain_vague_spec, next_step_text
from ..start.options import add_options
from ..start.questions import ask_to_start, draft_loop
from ..start.repository import repository_checks
from ..start.request import build_request, refuse_agent_flags
from ..start.second_eyes import ask_for_checks, require_sandbox
from ..start.typed_arguments import StartArguments, parse_typed_arguments, session_id

EXAMPLES = """  loop start "fix all failing tests"
  loop start "make pytest green" --check "tests pass=pytest -q" --step "fix parser" --yes
  loop start --file spec.md --check 'lint clean=["ruff","check","."]' \\
             --must-not "vendor changed=! git diff --quiet vendor"
  loop start "fix the report" --check "total=python3 report.py | grep total" --dry-run
  loop start --plan PLAN.md --check "docs build=make docs"
  loop start --preset ui "polish the settings page" --check "tests stay green=npm test"
  echo "add a --json flag to the report command" | loop start - --budget 10 --iterations 5"""


def arguments(parser: argparse.ArgumentParser) -> None:
    add_word(parser, "spec", "what to do; - reads it from stdin")
    add_options(parser)


def run(args: argparse.Namespace) -> int:
    refuse_file_as_spec(args.spec)
    typed = read_arguments(args)
    folder = project_folder()
    active = folder.read_loop()
    if typed.first("resume"):
        return resume(typed, args, folder, active)
    replaces = bool(typed.person and typed.person.replace)
    if not active and not replaces:
        here.refuse_lost_loop()
    if active and not (replaces or args.dry_run):
        next_command = "Drive it: loop run" if args.for_runner else "Continue it: loop continue"
        raise UserError(
            f"a loop is {active.status} here: {' '.join(active.spec.split())[:80]!r}. "
            f"{next_command}. End it: loop cancel. Or start over: add --replace"
        )
    is_new_folder = not os.path.exists(folder.path)
    try:
        request, loop = prepare_start(typed, folder)
    except TooVague as vague:
        return explain_vague_spec(vague)
    if args.dry_run:
        return show_draft(loop, folder, args.json)
    if active:
        step(folder, Ordered(time.time(), "cancel"))
    else:
        forget_missing_loop(folder)  # --replace; without it a lost loop was refused above
    prepare_folder(folder)
    if not args.json and not typed.agent:
        announce_checks(loop)
    loop = loop.but(check_box=chosen_check_box(folder, getattr(args, "sandbox", None)))
    try:
        loop = measure_start(loop, folder, request, typed, is_quiet=args.json)
    except UserError:
        discard_start(loop, folder, is_new_folder)
        raise
    code = confirm_and_start(loop, folder, args, is_new_folder)
    pending_start.delete_pending_start(request.session)
    return code


def measure_start(
    loop: Loop, folder: LoopFolder, request: Request, typed: StartArguments, is_quiet: bool
) -> Loop:
    """Run the checks once, and ask for independent ones if the person wants some."""
    checks_by = typed.person.checks_by if typed.person else ""
    if request.safeguards.review_by_agent or checks_by:
        require_sandbox(folder, loop)
    is_agreed = bool(typed.person and typed.person.yes)
    with output.show_spinner("running the checks once"):
        loop = measure_baseline(loop, folder, request.safeguards.freeze, is_agreed)
    if not typed.agent:
        loop = calibrate_clean_checkout(loop, folder)
    if request.safeguards.holdouts:
        holdouts.save_commands(loop.id, dict(request.safeguards.holdouts))
    if checks_by:
        worker = getattr(typed.person, "worker", "claude")
        loop = ask_for_checks(checks_by, loop, folder, not (typed.agent or is_quiet), worker)
    return loop


def show_draft(loop: Loop, folder: LoopFolder, as_json: bool) -> int:
    """Show the loop as it would start; nothing runs and nothing is written."""
    if as_json:
        output.show_json(facts.loop_facts(loop))
    else:
        output.show_text(start_screen.text(loop, block_cap(folder)))
        output.show_text("Nothing was started, and no check has run: --dry-run.")
    return exits.PROVEN


def calibrate_clean_checkout(loop: Loop, folder: LoopFolder) -> Loop:
    """Run the checks once in a clean checkout, so that the person knows what it can prove."""
    if loop.room.status != PENDING:
        return loop
    with output.show_spinner("running the checks once in a clean checkout"):
        result = calibration.calibrate_room(folder, loop)
    return loop.but(room=calibration.calibrated_room(loop, result))


def read_arguments(args: argparse.Namespace) -> StartArguments:
    """An agent that runs us speaks for a person; the person's own words are in the session."""
    if not here.agent_variable():
        return StartArguments(person=args, agent=None)
    person = parse_typed_arguments(session_id(args))
    refuse_agent_flags(args, person)
    return StartArguments(person=person, agent=args)


def project_folder() -> LoopFolder:
    folder = LoopFolder(here.checkout_top(os.getcwd()))
    root, home = os.path.realpath(folder.root), os.path.realpath(home_folder())
    if root == home:
        raise UserError("your home folder is no project. Change into one, then: loop start SPEC")
    if home.startswith(os.path.join(root, "")):
        raise UserError(f"{root} is no project: it holds your home folder. Change into one")
    return folder


def resume(
    typed: StartArguments, args: argparse.Namespace, folder: LoopFolder, active: Loop | None
) -> int:
    """Handle --resume; an agent may resume a loop only if the person typed it."""
    asked_by_person = typed.person and typed.person.resume
    if typed.agent and not asked_by_person:
        here.refuse_agent_command(folder, "start --resume")
    code = discovery_options.resume_loop(
        folder, active, typed.person or args, by_agent=bool(typed.agent)
    )
    pending_start.delete_pending_start(session_id(args))
    return code


def announce_checks(loop: Loop) -> None:
    """Name the checks that run now; probes only read files and take no time."""
    criteria = (*loop.criteria, *loop.unrequired_checks)
    checks = [c for c in criteria if c.check and c.check.allowed and not c.check.probe]
    if checks:
        output.show_text(f"Running once: {', '.join(c.name for c in checks)} …")


def prepare_start(typed: StartArguments, folder: LoopFolder) -> tuple[Request, Loop]:
    """The request, and the loop as it would start. This writes nothing and runs nothing."""
    request, detected = prepare_request(typed, folder)
    return request, draft_loop(request, folder, detected, request.timeout)


def prepare_request(typed: StartArguments, folder: LoopFolder) -> tuple[Request, dict[str, Check]]:
    """The request, and the checks of the repository. This asks nothing."""
    values = config.settings(folder.root)
    timeout, writes_progress = values["check.timeout"], values["plan.progress"] == "on"
    plan_request = plan_options.requested_plan(typed, folder, timeout, writes_progress)
    for warning in plan_request.warnings if plan_request else ():
        output.show_warning(f"loop: {warning}")
    backlog = None if plan_request else discovery_options.requested_backlog(typed)
    limits: Limits = config.SPEC_LIMITS
    if plan_request:
        limits = plan_request.default_limits
    elif backlog:
        limits = DISCOVERY_LIMITS
    found = repository_checks(typed, folder.root, timeout)
    request = build_request(
        typed,
        folder,
        settings=config.settings(folder.root, limits),
        detected=found.checks,
        backlog=backlog,
        plan_request=plan_request,
    ).but(offers=found.offers)
    if typed.agent and not backlog and not plan_request:
        request = request.but(task_list=task_list.offers_task_list(request.session))
    return request, found.checks


def refuse_file_as_spec(spec: str) -> None:
    """The name of a file says nothing about the work, and what is in it may be a plan."""
    if spec and os.path.isfile(spec):
        raise UserError(
            f"{spec} is a file. To execute it as a plan: loop start --plan {spec}. "
            f"To work on what it says: loop start --file {spec}"
        )


def confirm_and_start(
    loop: Loop, folder: LoopFolder, args: argparse.Namespace, is_new_folder: bool
) -> int:
    """Show the loop, ask the one question, and write the loop to disk."""
    answer = None
    if not args.json:
        cap = 0 if args.for_runner else block_cap(folder)  # only a session is held
        screen = start_screen.text(loop, cap)
        output.show_text(respell_commands(screen, here.runs_from_plugin()))
        loop, answer = ask_to_start(loop, folder, args.yes)
    if answer is not None and read_answer(answer).meaning != YES:
        discard_start(loop, folder, is_new_folder)
        output.show_text("Nothing was started.")
        return exits.PERSON
    started = write_loop(loop, folder, answer)
    if started.room.status == PENDING:
        calibrate_in_background(folder, started)
    if args.for_runner:
        return exits.PROVEN
    if args.json:
        output.show_json(facts.loop_facts(started))
    else:
        output.show_text(next_step_text(started, folder))
    return exits.PROVEN


def discard_start(loop: Loop, folder: LoopFolder, is_new_folder: bool) -> None:
    """Remove what was written before the person said no."""
    holdouts.delete_holdouts(loop.id)
    drop_room(loop.id)
    kept_trees.drop_kept_trees(folder.root, loop.id)
    if is_new_folder:
        # Files of git are read-only, and Windows does not delete those.
        shutil.rmtree(folder.path, ignore_errors=True)


def write_loop(loop: Loop, folder: LoopFolder, answer: str | None) -> Loop:
    """Write the loop to disk and pass on the person's answer; returns the loop afterwards."""
    now = time.time()
    running_since = now if loop.status == "running" else 0.0
    clock = loop.clock.but(started_at=now, running_since=running_since)
    # An agent that starts a loop is in the middle of a turn, which a person may interrupt.
    in_turn = bool(here.agent_variable() and loop.lease.holder and loop.status == "running")
    dialogue = loop.dialogue.but(turn_continued=in_turn)
    create_loop(folder, loop.but(clock=clock, dialogue=dialogue))
    if loop.plan and loop.plan.gsd:
        plan_files.write_gsd_state(folder.root, loop)
    if answer is not None and loop.gate:
        step(folder, Answered(now, answer))
    started = folder.read_loop()
    assert started is not None
    if started.plan and started.plan.stage == VERIFY and started.status == "running":
        output.show_text(step(folder, Ordered(now, VERIFY)).message)
        return folder.read_loop() or last_ended_loop(folder) or started
    return started
