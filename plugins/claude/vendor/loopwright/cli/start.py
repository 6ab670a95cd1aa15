"""Start a loop: score the spec, find criteria and their checks, show all of it with one question, and begin."""

from __future__ import annotations

import argparse
import os
import shutil
import time

from ..agents.claude import tasks
from ..agents.claude.hooks import respell
from ..core import rubric
from ..core.announce import opening
from ..core.backlog import LIMITS
from ..core.loop import Check, Loop
from ..core.orders import NO
from ..core.plan import VERIFY
from ..core.signals import Answered, Ordered
from ..core.wording import counted
from ..drive import detect, papers
from ..drive.doctor import block_cap
from ..drive.orders import UserError
from ..drive.start import Request, TooVague, measure
from ..drive.start import plan as laid_out
from ..drive.step import step
from ..store import config, holdouts, trust, typed
from ..store.folder import LoopFolder
from ..store.history import last
from ..store.lay import lay, prepare
from ..verify import kept
from ..views import facts, screen
from . import executing, exits, here, improving, output, safeguards, spoken
from .request import checks_in, headless, refuse, request_of

EXAMPLES = """  loop start "fix all failing tests"
  loop start "make pytest green" --check "tests pass=pytest -q" --step "fix parser" --yes
  loop start --file spec.md --check 'lint clean=["ruff","check","."]' --must-not "vendor changed=! git diff --quiet vendor"
  loop start --plan PLAN.md --check "docs build=make docs"
  loop start --preset ui "polish the settings page" --check "tests stay green=npm test" --max-iterations 20
  echo "add a --json flag to the report command" | loop start - --budget 10 --iterations 5"""

GREEN = "Every check passes already. Begin all the same?"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("spec", nargs="?", default="", help="what is to be done; - reads it from stdin")
    options(parser)


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--file", metavar="PATH", help="read the spec from a file")
    parser.add_argument("--criterion", metavar="NAME", action="append", default=[], help="what must become true")
    parser.add_argument(
        "--check", metavar="NAME=COMMAND", action="append", default=[], help="a criterion and the command that proves it"
    )
    parser.add_argument(
        "--must-not", metavar="NAME[=COMMAND]", action="append", default=[], help="pause if this comes true (exit 0)"
    )
    parser.add_argument("--step", metavar="STEP", action="append", default=[], help="a step of the work, in order")
    parser.add_argument("--iterations", "--max-iterations", metavar="N", help="most iterations (default 10; improving: 50)")
    parser.add_argument("--budget", metavar="N", help="most dollars (default 25)")
    parser.add_argument("--minutes", metavar="N", help="most minutes of running time (default 240; improving: 480)")
    parser.add_argument("--shape", choices=config.SHAPES, help="tool: silent; colleague: three questions")
    parser.add_argument("--score", type=int, choices=range(11), metavar="0..10", help="your own score of the spec")
    parser.add_argument(
        "--point", metavar="DIMENSION: 0..2 (WHY)", action="append", default=[], help="a score with its reason, all five of them"
    )
    parser.add_argument("--reversibility", choices=("2A", "2B", "1"), default="", help="how hard it is to take back")
    parser.add_argument("--session", metavar="ID", default="", help="bind the loop to this session")
    parser.add_argument("--volatile", metavar="GLOB", action="append", default=[], help="files that checks may change")
    parser.add_argument("--pass-env", metavar="NAME", action="append", default=[], help="a variable that checks may see")
    parser.add_argument("--replace", action="store_true", help="cancel the loop that is active here first")
    parser.add_argument("--yes", action="store_true", help="no questions, now or later; also above $100 or 50 iterations")
    parser.add_argument("--json", action="store_true", help="print facts instead of text")
    improving.arguments(parser.add_argument_group("improving without an end (a discovery loop)"))
    executing.arguments(parser.add_argument_group("executing a plan"))
    safeguards.arguments(parser.add_argument_group("proof that nobody can make easier"))


def run(args: argparse.Namespace) -> int:
    agent = args if here.marker() else None
    person = spoken.arguments_of(spoken.session_of(args)) if agent else args
    if agent:
        refuse(agent, person)
    place = LoopFolder(here.checkout_top(os.getcwd()))
    if os.path.realpath(place.root) == os.path.realpath(os.path.expanduser("~")):
        raise UserError("your home folder is no project. Change into one, then: loop start SPEC")
    active = place.peek()
    if args.resume or (person and person.resume):
        if agent and not (person and person.resume):
            here.refuse(place, "start --resume")
        code = improving.resume(place, active, person or args, bool(agent))
        typed.drop(spoken.session_of(args))
        return code
    if active and not (person and person.replace):
        raise UserError(
            f"a loop is {active.status} here: {' '.join(active.spec.split())[:80]!r}. "
            "Go on with it: loop continue. End it: loop cancel. Or start over: add --replace"
        )
    fresh = not os.path.exists(place.path)
    try:
        request, loop, detected = worked_out(person, agent, place)
    except TooVague as vague:
        return say_vague(vague)
    if active:
        step(place, Ordered(time.time(), "cancel"))
    prepare(place)
    if not args.json:
        running = [c.name for c in loop.criteria if c.check and c.check.allowed and not c.check.probe]
        if running and not agent:
            output.show(f"Running once: {', '.join(running)} …")
    with output.waiting("running the checks once"):
        loop = measure(loop, place, request.safeguards.freeze)
    if request.safeguards.holdouts:
        holdouts.keep(loop.id, dict(request.safeguards.holdouts))
    code = begin(loop, place, args, fresh, detected)
    typed.drop(request.session)
    return code


def worked_out(
    person: argparse.Namespace | None, agent: argparse.Namespace | None, place: LoopFolder
) -> tuple[Request, Loop, tuple[str, ...]]:
    """What is asked for, the loop as it would start, and the repository's own commands. Nothing is written, nothing runs."""
    said = [given for given in (person, agent) if given]
    timeout = config.settings(place.root)["check.timeout"]
    plan = executing.wanted(said, place, timeout)
    for warning in plan.warnings if plan else ():
        output.warn(f"loop: {warning}")
    backlog = None if plan else improving.wanted(said)
    settings = config.settings(place.root, plan.usual if plan else LIMITS if backlog else config.SPEC)
    detected = detect.commands(place.root, timeout)
    request = request_of(person, agent, place, settings, {check.command for check in detected.values()}, backlog, plan)
    if agent and not backlog and not plan:
        request = request.but(task_list=tasks.offered(request.session))
    return request, planned(request, place, detected, timeout), tuple(check.line for check in detected.values())


def say_vague(vague: TooVague) -> int:
    """Where it scored least, and what would help. An agent is told how to ask the person and try again."""
    output.show("\n".join(f"- {p.dimension}: {p.points} ({p.reason})" for p in vague.points))
    questions = rubric.questions(vague.points)
    if here.marker():
        output.show("\n".join(["", f"{vague}. Ask the person, then end your turn:", *(f"- {q}" for q in questions.values())]))
        output.show("With their answers: loop start - <<'ANSWERS'. What they typed before is kept; their answers are added.")
    else:
        output.warn(f"loop: {vague}. Say more, or give a --check. For example: {next(iter(questions.values()))}")
    return exits.VAGUE


def begin(loop: Loop, place: LoopFolder, args: argparse.Namespace, fresh: bool, detected: tuple[str, ...]) -> int:
    """The one screen, the one question, and then the loop is on disk."""
    if not args.json:
        output.show(respell(screen.text(loop, block_cap(place), detected), here.in_plugin()))
    answer = None
    if not here.marker() and not args.json and (question := question_of(loop, place, args.yes)):
        answer = output.ask(f"{question} [Y/n]")
    if answer is not None and answer.lower() in NO:
        holdouts.drop(loop.id)
        kept.drop(place.root, loop.id)
        if fresh:
            shutil.rmtree(place.path, ignore_errors=True)  # git's own files are read-only, which Windows minds
        output.show("Nothing was started.")
        return exits.PERSON
    now = time.time()
    lay(place, loop.but(started_at=now, since=now if loop.status == "running" else 0.0))
    if loop.plan and loop.plan.gsd:
        papers.keep_state(place.root, loop)
    if answer is not None and loop.gate:
        step(place, Answered(now, answer or "yes"))
    started = place.peek()
    assert started is not None
    if started.plan and started.plan.stage == VERIFY and started.status == "running":
        output.show(step(place, Ordered(now, VERIFY)).say)
        started = place.peek() or last(place) or started
    if args.json:
        output.show_json(facts.of(started))
    else:
        output.show(following(started))
    return exits.PROVEN


def question_of(loop: Loop, place: LoopFolder, yes: bool) -> str:
    """The one question. That nothing can be proven is asked once; the same start again goes through."""
    if loop.gate:
        return loop.gate.question
    if yes or not screen.all_green(loop):
        return ""
    checks = [c.check.line for c in loop.criteria if c.check]
    return "" if trust.was_told(place, "\0".join((loop.spec, *checks))) else GREEN


def following(loop: Loop) -> str:
    if here.marker() and loop.status == "asking":
        return (
            "It waits for the person's yes. Show them the lines above as they are, and end your turn: what they say next decides."
        )
    if here.marker():
        return f"It runs, and you drive it. Begin now.\n\n{opening(loop)}"
    if loop.status == "asking":
        return "It waits for a yes: `loop answer yes`, or just say so in the session that drives it."
    if waiting := [c for c in loop.criteria if c.check and not c.check.allowed and loop.plan]:
        return f"{counted(len(waiting), 'command')} of the plan may not run yet. Look at them first: loop allow. Then: loop run"
    if loop.lease.holder:
        return f"Session {loop.lease.holder} drives it. Watch: loop status"
    return (
        "Open your agent in this folder: its next prompt here drives the loop. Or without a session: loop run. Watch: loop status"
    )


def planned(request: Request, place: LoopFolder, detected: dict[str, Check], timeout: int) -> Loop:
    """The loop as it would start; a vague spec is asked about, at most five questions, and scored again."""
    try:
        return laid_out(request, place, detected)
    except TooVague as vague:
        if here.marker() or headless():
            raise
        answers = {about: output.ask(question) for about, question in rubric.questions(vague.points).items()}
        said = "\n".join(f"{about}: {answer}" for about, answer in answers.items() if answer)
        if not said:
            raise
        checks = checks_in(answers.get("Success") or "", timeout)
        return laid_out(request.but(spec=f"{request.spec}\n\n{said}", criteria=request.criteria + checks), place, detected)
