"""Start a loop: score the spec, find criteria and their checks, show all of it with one question, and begin."""

from __future__ import annotations

import argparse
import os
import shutil
import time

from ...agents.claude import task_list
from ...agents.claude.hooks import respell_commands
from ...core import rubric
from ...core.criteria import Check
from ...core.discovery.backlog import DISCOVERY_LIMITS
from ...core.loop import Loop
from ...core.orders import NO
from ...core.plan.plan import VERIFY
from ...core.prompts.messages import opening_prompt
from ...core.prompts.phrases import count_phrase
from ...core.signals import Answered, Ordered
from ...drive import detected_checks, plan_files
from ...drive.doctor import block_cap
from ...drive.errors import UserError
from ...drive.start import Request, TooVague, measure_baseline
from ...drive.start import loop_from_request as laid_out
from ...drive.step import step
from ...repo import kept_trees
from ...store import config, holdouts, pending_start, trust
from ...store.create import create_loop, prepare_folder
from ...store.folder import LoopFolder
from ...store.history import last_ended_loop
from ...views import facts, start_screen
from .. import exits, here, output
from ..start import discovery_options, plan_options, proof_options, typed_arguments
from ..start.request import build_request, checks_from_answer, is_headless, refuse_agent_flags

EXAMPLES = """  loop start "fix all failing tests"
  loop start "make pytest green" --check "tests pass=pytest -q" --step "fix parser" --yes
  loop start --file spec.md --check 'lint clean=["ruff","check","."]' --must-not "vendor changed=! git diff --quiet vendor"
  loop start --plan PLAN.md --check "docs build=make docs"
  loop start --preset ui "polish the settings page" --check "tests stay green=npm test" --max-iterations 20
  echo "add a --json flag to the report command" | loop start - --budget 10 --iterations 5"""

ALREADY_GREEN_QUESTION = "Every check passes already. Begin all the same?"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "spec", nargs="?", default="", help="what is to be done; - reads it from stdin"
    )
    add_options(parser)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--file", metavar="PATH", help="read the spec from a file")
    parser.add_argument(
        "--criterion", metavar="NAME", action="append", default=[], help="what must become true"
    )
    parser.add_argument(
        "--check",
        metavar="NAME=COMMAND",
        action="append",
        default=[],
        help="a criterion and the command that proves it",
    )
    parser.add_argument(
        "--must-not",
        metavar="NAME[=COMMAND]",
        action="append",
        default=[],
        help="pause if this comes true (exit 0)",
    )
    parser.add_argument(
        "--step", metavar="STEP", action="append", default=[], help="a step of the work, in order"
    )
    parser.add_argument(
        "--iterations",
        "--max-iterations",
        metavar="N",
        help="most iterations (default 10; improving: 50)",
    )
    parser.add_argument("--budget", metavar="N", help="most dollars (default 25)")
    parser.add_argument(
        "--minutes", metavar="N", help="most minutes of running time (default 240; improving: 480)"
    )
    parser.add_argument(
        "--shape", choices=config.SHAPES, help="tool: silent; colleague: three questions"
    )
    parser.add_argument(
        "--score", type=int, choices=range(11), metavar="0..10", help="your own score of the spec"
    )
    parser.add_argument(
        "--point",
        metavar="DIMENSION: 0..2 (WHY)",
        action="append",
        default=[],
        help="a score with its reason, all five of them",
    )
    parser.add_argument(
        "--reversibility", choices=("2A", "2B", "1"), default="", help="how hard it is to take back"
    )
    parser.add_argument("--session", metavar="ID", default="", help="bind the loop to this session")
    parser.add_argument(
        "--volatile",
        metavar="GLOB",
        action="append",
        default=[],
        help="files that checks may change",
    )
    parser.add_argument(
        "--pass-env",
        metavar="NAME",
        action="append",
        default=[],
        help="a variable that checks may see",
    )
    parser.add_argument(
        "--replace", action="store_true", help="cancel the loop that is active here first"
    )
    parser.add_argument(
        "--yes",
        action="store_true",
        help="no questions, now or later; also above $100 or 50 iterations",
    )
    parser.add_argument("--json", action="store_true", help="print facts instead of text")
    discovery_options.arguments(
        parser.add_argument_group("improving without an end (a discovery loop)")
    )
    plan_options.arguments(parser.add_argument_group("executing a plan"))
    proof_options.arguments(parser.add_argument_group("proof that nobody can make easier"))


def run(args: argparse.Namespace) -> int:
    agent = args if here.agent_variable() else None
    person = (
        typed_arguments.parse_typed_arguments(typed_arguments.session_id(args)) if agent else args
    )
    if agent:
        refuse_agent_flags(agent, person)
    place = LoopFolder(here.checkout_top(os.getcwd()))
    if os.path.realpath(place.root) == os.path.realpath(os.path.expanduser("~")):
        raise UserError("your home folder is no project. Change into one, then: loop start SPEC")
    active = place.read_loop()
    if args.resume or (person and person.resume):
        if agent and not (person and person.resume):
            here.refuse_agent_command(place, "start --resume")
        code = discovery_options.resume_loop(place, active, person or args, bool(agent))
        pending_start.delete_pending_start(typed_arguments.session_id(args))
        return code
    if active and not (person and person.replace):
        raise UserError(
            f"a loop is {active.status} here: {' '.join(active.spec.split())[:80]!r}. "
            "Go on with it: loop continue. End it: loop cancel. Or start over: add --replace"
        )
    fresh = not os.path.exists(place.path)
    try:
        request, loop, detected = prepare_start(person, agent, place)
    except TooVague as vague:
        return explain_vague_spec(vague)
    if active:
        step(place, Ordered(time.time(), "cancel"))
    prepare_folder(place)
    if not args.json:
        running = [
            c.name for c in loop.criteria if c.check and c.check.allowed and not c.check.probe
        ]
        if running and not agent:
            output.show_text(f"Running once: {', '.join(running)} …")
    with output.show_spinner("running the checks once"):
        loop = measure_baseline(loop, place, request.safeguards.freeze)
    if request.safeguards.holdouts:
        holdouts.save_commands(loop.id, dict(request.safeguards.holdouts))
    code = confirm_and_start(loop, place, args, fresh, detected)
    pending_start.delete_pending_start(request.session)
    return code


def prepare_start(
    person: argparse.Namespace | None, agent: argparse.Namespace | None, place: LoopFolder
) -> tuple[Request, Loop, tuple[str, ...]]:
    """What is asked for, the loop as it would start, and the repository's own commands. Nothing is written, nothing runs."""
    said = [given for given in (person, agent) if given]
    timeout = config.settings(place.root)["check.timeout"]
    plan = plan_options.requested_plan(said, place, timeout)
    for warning in plan.warnings if plan else ():
        output.show_warning(f"loop: {warning}")
    backlog = None if plan else discovery_options.requested_backlog(said)
    settings = config.settings(
        place.root,
        plan.default_limits if plan else DISCOVERY_LIMITS if backlog else config.SPEC_LIMITS,
    )
    detected = detected_checks.repository_checks(place.root, timeout)
    request = build_request(
        person,
        agent,
        place,
        settings,
        {check.command for check in detected.values()},
        backlog,
        plan,
    )
    if agent and not backlog and not plan:
        request = request.but(task_list=task_list.offers_task_list(request.session))
    return (
        request,
        draft_loop(request, place, detected, timeout),
        tuple(check.command_line for check in detected.values()),
    )


def explain_vague_spec(vague: TooVague) -> int:
    """Where it scored least, and what would help. An agent is told how to ask the person and try again."""
    output.show_text("\n".join(f"- {p.dimension}: {p.points} ({p.reason})" for p in vague.points))
    questions = rubric.open_questions(vague.points)
    if here.agent_variable():
        output.show_text(
            "\n".join(
                [
                    "",
                    f"{vague}. Ask the person, then end your turn:",
                    *(f"- {q}" for q in questions.values()),
                ]
            )
        )
        output.show_text(
            "With their answers: loop start - <<'ANSWERS'. What they typed before is kept; their answers are added."
        )
    else:
        output.show_warning(
            f"loop: {vague}. Say more, or give a --check. For example: {next(iter(questions.values()))}"
        )
    return exits.VAGUE


def confirm_and_start(
    loop: Loop, place: LoopFolder, args: argparse.Namespace, fresh: bool, detected: tuple[str, ...]
) -> int:
    """The one screen, the one question, and then the loop is on disk."""
    if not args.json:
        output.show_text(
            respell_commands(
                start_screen.text(loop, block_cap(place), detected), here.runs_from_plugin()
            )
        )
    answer = None
    if (
        not here.agent_variable()
        and not args.json
        and (question := start_question(loop, place, args.yes))
    ):
        answer = output.ask_question(f"{question} [Y/n]")
    if answer is not None and answer.lower() in NO:
        holdouts.delete_holdouts(loop.id)
        kept_trees.drop_kept_trees(place.root, loop.id)
        if fresh:
            shutil.rmtree(
                place.path, ignore_errors=True
            )  # git's own files are read-only, which Windows minds
        output.show_text("Nothing was started.")
        return exits.PERSON
    now = time.time()
    create_loop(
        place,
        loop.but(
            clock=loop.clock.but(
                started_at=now, running_since=now if loop.status == "running" else 0.0
            )
        ),
    )
    if loop.plan and loop.plan.gsd:
        plan_files.write_gsd_state(place.root, loop)
    if answer is not None and loop.gate:
        step(place, Answered(now, answer or "yes"))
    started = place.read_loop()
    assert started is not None
    if started.plan and started.plan.stage == VERIFY and started.status == "running":
        output.show_text(step(place, Ordered(now, VERIFY)).message)
        started = place.read_loop() or last_ended_loop(place) or started
    if args.json:
        output.show_json(facts.loop_facts(started))
    else:
        output.show_text(next_step_text(started))
    return exits.PROVEN


def start_question(loop: Loop, place: LoopFolder, yes: bool) -> str:
    """The one question. That nothing can be proven is asked once; the same start again goes through."""
    if loop.gate:
        return loop.gate.question
    if yes or not start_screen.all_green(loop):
        return ""
    checks = [c.check.command_line for c in loop.criteria if c.check]
    return (
        ""
        if trust.record_notice_shown(place, "\0".join((loop.spec, *checks)))
        else ALREADY_GREEN_QUESTION
    )


def next_step_text(loop: Loop) -> str:
    if here.agent_variable() and loop.status == "asking":
        return "It waits for the person's yes. Show them the lines above as they are, and end your turn: what they say next decides."
    if here.agent_variable():
        return f"It runs, and you drive it. Begin now.\n\n{opening_prompt(loop)}"
    if loop.status == "asking":
        return (
            "It waits for a yes: `loop answer yes`, or just say so in the session that drives it."
        )
    if waiting := [c for c in loop.criteria if c.check and not c.check.allowed and loop.plan]:
        return f"{count_phrase(len(waiting), 'command')} of the plan may not run yet. Look at them first: loop allow. Then: loop run"
    if loop.lease.holder:
        return f"Session {loop.lease.holder} drives it. Watch: loop status"
    return "Open your agent in this folder: its next prompt here drives the loop. Or without a session: loop run. Watch: loop status"


def draft_loop(
    request: Request, place: LoopFolder, detected: dict[str, Check], timeout: int
) -> Loop:
    """The loop as it would start; a vague spec is asked about, at most five questions, and scored again."""
    try:
        return laid_out(request, place, detected)
    except TooVague as vague:
        if here.agent_variable() or is_headless():
            raise
        answers = {
            about: output.ask_question(question)
            for about, question in rubric.open_questions(vague.points).items()
        }
        said = "\n".join(f"{about}: {answer}" for about, answer in answers.items() if answer)
        if not said:
            raise
        checks = checks_from_answer(answers.get("Success") or "", timeout)
        return laid_out(
            request.but(spec=f"{request.spec}\n\n{said}", criteria=request.criteria + checks),
            place,
            detected,
        )
