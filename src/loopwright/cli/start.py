"""Start a loop: score the spec, find criteria and their checks, show all of it with one question, and begin."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time

from ..core import rubric
from ..core.intake import named_check, topics
from ..core.loop import Check, Criterion, Limits, Loop
from ..core.orders import NO
from ..core.signals import Answered, Ordered
from ..drive import detect
from ..drive.orders import MOST_DOLLARS, MOST_ITERATIONS, UserError, amount
from ..drive.start import Request, RoundTooLong, TooVague, measure, plan
from ..drive.step import step
from ..importers import shape_md
from ..store import config
from ..store.folder import LoopFolder
from ..store.lay import lay, prepare
from ..views import facts, screen
from . import exits, here, output

EXAMPLES = """  loop start "fix all failing tests"
  loop start "make pytest green" --check "tests pass=pytest -q" --step "fix parser" --yes
  loop start --file spec.md --check 'lint clean=["ruff","check","."]' --must-not "vendor changed=! git diff --quiet vendor"
  echo "add a --json flag to the report command" | loop start - --budget 10 --iterations 5"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("spec", nargs="?", default="", help="what is to be done; - reads it from stdin")
    parser.add_argument("--file", metavar="PATH", help="read the spec from a file")
    parser.add_argument("--criterion", metavar="NAME", action="append", default=[], help="what must become true")
    parser.add_argument(
        "--check", metavar="NAME=COMMAND", action="append", default=[], help="a criterion and the command that proves it"
    )
    parser.add_argument(
        "--must-not", metavar="NAME[=COMMAND]", action="append", default=[], help="pause if this comes true (exit 0)"
    )
    parser.add_argument("--step", metavar="STEP", action="append", default=[], help="a step of the work, in order")
    parser.add_argument("--iterations", metavar="N", help="most iterations (default 10)")
    parser.add_argument("--budget", metavar="N", help="most dollars (default 25)")
    parser.add_argument("--minutes", metavar="N", help="most minutes of running time (default 240)")
    parser.add_argument("--shape", choices=config.SHAPES, help="tool: silent; colleague: three questions")
    parser.add_argument("--score", type=int, choices=range(11), metavar="0..10", help="your own score of the spec")
    parser.add_argument("--reversibility", choices=("2A", "2B", "1"), default="", help="how hard it is to take back")
    parser.add_argument("--session", metavar="ID", default="", help="bind the loop to this session")
    parser.add_argument("--volatile", metavar="GLOB", action="append", default=[], help="files that checks may change")
    parser.add_argument("--pass-env", metavar="NAME", action="append", default=[], help="a variable that checks may see")
    parser.add_argument("--replace", action="store_true", help="cancel the loop that is active here first")
    parser.add_argument("--yes", action="store_true", help="no questions, now or later; also above $100 or 50 iterations")
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    if args.yes and here.marker():
        raise UserError("--yes is the person's to say. Start without it; the person is asked once")
    place = LoopFolder(here.checkout_top(os.getcwd()))
    if os.path.realpath(place.root) == os.path.realpath(os.path.expanduser("~")):
        raise UserError("your home folder is no project. Change into one, then: loop start SPEC")
    active = place.peek()
    if active and not args.replace:
        raise UserError(
            f"a loop is {active.status} here: {' '.join(active.spec.split())[:80]!r}. "
            "Go on with it: loop continue. End it: loop cancel. Or start over: add --replace"
        )
    if active and here.marker():
        raise UserError("--replace is the person's to say")
    fresh = not os.path.exists(place.path)
    try:
        loop = planned(request_of(args, place), place)
    except TooVague as vague:
        output.show("\n".join(f"- {p.dimension}: {p.points} ({p.reason})" for p in vague.points))
        output.warn(
            f"loop: {vague}. Say more, or give a --check. For example: {next(iter(rubric.questions(vague.points).values()))}"
        )
        return exits.VAGUE
    if active:
        step(place, Ordered(time.time(), "cancel"))
    prepare(place)
    if not args.json:
        running = [c.name for c in loop.criteria if c.check and c.check.allowed]
        if running:
            output.show(f"Running once: {', '.join(running)} …")
    with output.waiting("running the checks once"):
        loop = measure(loop, place)
    return begin(loop, place, args, fresh)


def begin(loop: Loop, place: LoopFolder, args: argparse.Namespace, fresh: bool) -> int:
    """The one screen, the one question, and then the loop is on disk."""
    if not args.json:
        output.show(screen.text(loop))
    answer = output.ask(f"{loop.gate.question} [Y/n]") if loop.gate and not here.marker() and not args.json else None
    if answer is not None and answer.lower() in NO:
        if fresh:
            shutil.rmtree(place.path)
        output.show("Nothing was started.")
        return exits.PERSON
    now = time.time()
    lay(place, loop.but(started_at=now, since=now if loop.status == "running" else 0.0))
    if answer is not None:
        step(place, Answered(now, answer or "yes"))
    started = place.peek()
    assert started is not None
    if args.json:
        output.show_json(facts.of(started))
    else:
        output.show(following(started))
    return exits.PROVEN


def following(loop: Loop) -> str:
    if loop.status == "asking":
        return "It waits for a yes: `loop answer yes`, or just say so in the session that drives it."
    if loop.lease.holder:
        return f"Session {loop.lease.holder} drives it. Watch: loop status"
    return "Open your agent in this folder: its next prompt here drives the loop. Watch: loop status"


def planned(request: Request, place: LoopFolder) -> Loop:
    """The loop as it would start; a vague spec is asked about, at most five questions, and scored again."""
    detected = detect.commands(place.root, config.settings(place.root)["check.timeout"])
    try:
        return plan(request, place, detected)
    except RoundTooLong as error:
        raise UserError(str(error)) from error
    except TooVague as vague:
        if here.marker() or headless():
            raise
        answers = {about: output.ask(question) for about, question in rubric.questions(vague.points).items()}
        said = "\n".join(f"{about}: {answer}" for about, answer in answers.items() if answer)
        if not said:
            raise
        checks = checks_in(answers.get("Success") or "", config.settings(place.root)["check.timeout"])
        return plan(request.but(spec=f"{request.spec}\n\n{said}", criteria=request.criteria + checks), place, detected)


def checks_in(answer: str, timeout: int) -> tuple[Criterion, ...]:
    """A command given as the answer to «which command shows that it works?» is a check that the person typed."""
    words = answer.split()
    if not words or not shutil.which(words[0]):
        return ()
    return (Criterion((*topics(answer), "it works")[0], Check(answer, timeout)),)


def request_of(args: argparse.Namespace, place: LoopFolder) -> Request:
    criteria, must_not = criteria_of(args, place)
    session = args.session or os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    return Request(
        spec_of(args),
        criteria,
        must_not,
        tuple(args.step),
        limits_of(args, place),
        config.prices(),
        args.shape or shape_wanted(place),
        args.score,
        args.reversibility,
        session,
        gates=not args.yes and not headless(),
        headless=headless(),
        volatile=tuple(args.volatile),
        pass_env=tuple(args.pass_env),
    )


def shape_wanted(place: LoopFolder) -> str:
    wanted = os.environ.get("LOOP_SHAPE") or config.settings(place.root)["shape"]
    if wanted not in config.SHAPES:
        raise UserError(f"LOOP_SHAPE is one of {', '.join(config.SHAPES)}, not {wanted!r}")
    return str(wanted)


def headless() -> bool:
    return os.environ.get("LOOP_HEADLESS", "").lower() in ("1", "true", "yes")


def spec_of(args: argparse.Namespace) -> str:
    if args.file:
        try:
            with open(args.file, encoding="utf-8-sig") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"cannot read {args.file}: {error}") from error
    elif args.spec == "-" or (not args.spec and not sys.stdin.isatty()):
        text = sys.stdin.read()
    else:
        text = args.spec
    if not text.strip():
        raise UserError('what is to be done? Say it: loop start "fix all failing tests"')
    return text.strip()


def criteria_of(args: argparse.Namespace, place: LoopFolder) -> tuple[tuple[Criterion, ...], tuple[Criterion, ...]]:
    """What was typed, then what SHAPE.md adds. A check that an agent types waits for the person's yes."""
    timeout = config.settings(place.root)["check.timeout"]
    known = {check.command for check in detect.commands(place.root).values()}
    try:
        typed = [named_check(text) for text in (*args.criterion, *args.check)]
        forbidden = [named_check(text) for text in args.must_not]
    except ValueError as error:
        raise UserError(str(error)) from error

    def fit(check: Check | None) -> Check | None:
        if check and here.marker() and check.command not in known:
            return check.but(timeout=timeout, origin="proposed", allowed=False)
        return check and check.but(timeout=timeout)

    named: dict[str, Criterion] = {}
    for name, check in typed:  # the same name in --criterion and --check is one criterion
        before = named.get(name)
        named[name] = Criterion(name, fit(check) or (before.check if before else None))
    must_not = {name: Criterion(name, fit(check)) for name, check in forbidden}
    if both := sorted(set(named) & set(must_not)):
        raise UserError(f"{both[0]!r} cannot be a criterion and a must-not at once")
    path = place.inside("shape", "SHAPE.md")
    if os.path.isfile(path):
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            shape = shape_md.read(file.read(1_000_000))
        named = {c.name: c for c in shape.criteria} | named
        must_not = {c.name: c for c in shape.must_not} | must_not
    return tuple(named.values()), tuple(must_not.values())


def limits_of(args: argparse.Namespace, place: LoopFolder) -> Limits:
    """Flags over environment over settings. An agent may go below the defaults, not above; nothing is clamped silently."""
    usual = config.limits(place.root)
    wanted = {
        "iterations": ("--iterations", args.iterations or os.environ.get("LOOP_MAX_ITERATIONS")),
        "dollars": ("--budget", args.budget or os.environ.get("LOOP_BUDGET")),
        "minutes": ("--minutes", args.minutes),
    }
    given = {name: amount(flag, text) for name, (flag, text) in wanted.items() if text}
    for name, value in given.items():
        if here.marker() and value > getattr(usual, name):
            raise UserError(f"{wanted[name][0]} {value:g} is above the default; a higher limit is the person's to give")
    most = {"dollars": MOST_DOLLARS, "iterations": MOST_ITERATIONS}
    for name, value in most.items():
        if given.get(name, 0) > value and not args.yes:
            raise UserError(f"{wanted[name][0]} {given[name]:g} is above {value:g}. Add --yes if you mean it")
    if "iterations" in given:
        given["iterations"] = max(1, int(given["iterations"]))
    return usual.but(**given)
