"""From what was typed to a Request: flags over environment over settings, and what an agent may not ask for.

Two may speak: the person, at a terminal or by /loop:start in a session, and the agent that runs `loop start` for them.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from typing import Any

from ...core import rubric
from ...core.criteria import Check, Criterion
from ...core.discovery.backlog import Backlog
from ...core.intake import parse_named_check, spec_topics
from ...core.limits import Limits
from ...core.loop import Point
from ...core.plan.plan import YOLO, Plan
from ...drive.errors import UserError
from ...drive.orders import MAX_DOLLARS, MAX_ITERATIONS, parse_amount
from ...drive.start import Request
from ...importers import shape_md
from ...store import config
from ...store.folder import LoopFolder
from ...store.mirror import MAX_SPEC
from . import proof_options
from .plan_options import PlanRequest
from .typed_arguments import join_specs, session_id

PERSON_ONLY_FLAGS = (
    *("yes", "replace", "shape", "score", "volatile", "pass_env", "mode", "retries", "rounds"),
    *("no_worse_than_baseline", "protect", "holdout", "review"),
)
LIMIT_FLAGS = {"iterations": "iterations", "dollars": "budget", "minutes": "minutes"}
LIMIT_VARIABLES = {"iterations": "LOOP_MAX_ITERATIONS", "dollars": "LOOP_BUDGET"}
Args = argparse.Namespace


def build_request(
    person: Args | None,
    agent: Args | None,
    place: LoopFolder,
    settings: dict[str, Any],
    own: set[Any],
    backlog: Backlog | None = None,
    executing: PlanRequest | None = None,
) -> Request:
    """`own` are the repository's own commands. Where both speak, the person's word stands and the agent's is added."""
    said = [args for args in (person, agent) if args]
    criteria, must_not = requested_criteria(
        person, agent, place, settings["check.timeout"], own, designed=not backlog and not executing
    )
    if bare := [c.name for c in criteria if backlog and not c.check]:
        raise UserError(
            f'a guard needs a command: --check "{bare[0]}=COMMAND". A discovery loop has no other criteria'
        )
    gates = not (person and person.yes) and not is_headless()
    return Request(
        plan_title(executing.plan) if executing else spec_text(said, backlog),
        criteria,
        must_not,
        next((tuple(args.step) for args in said if args.step), ()),
        requested_limits(person, agent, config.limits_from_settings(settings)),
        config.prices(),
        (person and person.shape) or requested_shape(settings),
        next((parse_points(args.point) for args in said if args.point), ()),
        person.score if person else None,
        next((args.reversibility for args in said if args.reversibility), ""),
        session_id(said[-1]),
        gates=gates,
        headless=is_headless(),
        volatile=tuple(person.volatile) if person else (),
        pass_env=tuple(person.pass_env) if person else (),
        backlog=backlog,
        plan=executing.plan if executing else None,
        commands=executing.commands if executing else (),
        yolo=bool(executing and executing.mode == YOLO),
        safeguards=proof_options.requested_safeguards(
            person, place.root, settings["check.retries"], bool(executing)
        ),
        timeout=settings["check.timeout"],
    )


def plan_title(plan: Plan) -> str:
    return f"Phase {plan.phase}: {plan.title}" if plan.title else f"Phase {plan.phase}"


def refuse_agent_flags(agent: Args, person: Args | None) -> None:
    """What loosens a loop is the person's to say; who speaks for them may repeat it."""
    for name in PERSON_ONLY_FLAGS:
        if getattr(agent, name) and getattr(agent, name) != getattr(person, name, None):
            instead = ". Score with five --point, each with its reason" if name == "score" else ""
            raise UserError(f"--{name.replace('_', '-')} is the person's to say{instead}")


def requested_shape(settings: dict[str, Any]) -> str:
    wanted = os.environ.get("LOOP_SHAPE") or settings["shape"]
    if wanted not in config.SHAPES:
        raise UserError(f"LOOP_SHAPE is one of {', '.join(config.SHAPES)}, not {wanted!r}")
    return str(wanted)


def is_headless() -> bool:
    return os.environ.get("LOOP_HEADLESS", "").lower() in ("1", "true", "yes")


def spec_text(said: list[Args], backlog: Backlog | None) -> str:
    texts = [read_spec(args, piped=len(said) == 1) for args in said]
    text = join_specs(*texts) if len(texts) == 2 else texts[0]
    if not text.strip():
        if backlog:
            raise UserError(
                f'what is to be improved? Say it: loop start --preset {backlog.preset} "the settings page"'
            )
        raise UserError('what is to be done? Say it: loop start "fix all failing tests"')
    if len(text) > MAX_SPEC:
        raise UserError(
            f"a spec of {len(text):,} letters; {MAX_SPEC:,} is the most. Put the rest into a file, and name it"
        )
    return text.strip()


def read_spec(args: Args, piped: bool) -> str:
    if args.file:
        try:
            with open(args.file, encoding="utf-8-sig") as file:
                return file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"cannot read {args.file}: {error}") from error
    if args.spec == "-" or (piped and not args.spec and not sys.stdin.isatty()):
        return sys.stdin.read()
    return str(args.spec)


def parse_points(texts: list[str]) -> tuple[Point, ...]:
    """All five dimensions, once each, with a reason; the sum is ours to make."""
    try:
        points = {point.dimension: point for point in map(rubric.parse_point, texts)}
    except ValueError as error:
        raise UserError(str(error)) from error
    if len(texts) != len(points) or len(points) != len(rubric.QUESTIONS):
        raise UserError(
            f"score all of {', '.join(rubric.QUESTIONS)}, each once; got {', '.join(points)}"
        )
    return tuple(points[name] for name in rubric.QUESTIONS)


def requested_criteria(
    person: Args | None,
    agent: Args | None,
    place: LoopFolder,
    timeout: int,
    own: set[Any],
    designed: bool = True,
) -> tuple[tuple[Criterion, ...], tuple[Criterion, ...]]:
    """What was typed, then what SHAPE.md adds. A check that an agent types, and that is not the repository's own, waits."""

    def proposed(check: Check) -> Check:
        return check if check.command in own else check.but(origin="proposed", allowed=False)

    named, must_not = parse_criteria(person, timeout)
    more, forbidden = parse_criteria(agent, timeout)
    for mine, theirs in ((named, more), (must_not, forbidden)):
        for name, c in theirs.items():
            if name not in mine or not mine[name].check:
                mine[name] = c.but(check=c.check and proposed(c.check))
    path = place.path_of("shape", "SHAPE.md")
    if designed and os.path.isfile(path):
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            shape = shape_md.read(file.read(1_000_000))
        named = {c.name: c for c in shape.criteria} | named
        must_not = {c.name: c for c in shape.must_not} | must_not
    if both := sorted(set(named) & set(must_not)):
        raise UserError(f"{both[0]!r} cannot be a criterion and a must-not at once")
    return tuple(named.values()), tuple(must_not.values())


def parse_criteria(
    args: Args | None, timeout: int
) -> tuple[dict[str, Criterion], dict[str, Criterion]]:
    """Criteria and constraints, each with its check if it has one; the same name twice is one of them."""
    found: tuple[dict[str, Criterion], dict[str, Criterion]] = ({}, {})
    texts = ((*args.criterion, *args.check), args.must_not) if args else ()
    for into, given in zip(found, texts, strict=False):
        for text in given:
            try:
                name, check = parse_named_check(text)
            except ValueError as error:
                raise UserError(str(error)) from error
            before = into[name].check if name in into else None
            into[name] = Criterion(name, check.but(timeout=timeout) if check else before)
    return found


def requested_limits(person: Args | None, agent: Args | None, usual: Limits) -> Limits:
    """Flags over environment over settings. An agent may go below the defaults, not above; nothing is clamped silently."""
    given: dict[str, float] = {}
    for name, flag in LIMIT_FLAGS.items():
        asked = getattr(person, flag, None)
        spoken = (
            asked or getattr(agent, flag, None) or os.environ.get(LIMIT_VARIABLES.get(name, ""), "")
        )
        if not spoken:
            continue
        given[name] = parse_amount(f"--{flag}", spoken)
        if agent and not asked and given[name] > getattr(usual, name):
            raise UserError(
                f"--{flag} {given[name]:g} is above the default; a higher limit is the person's to give"
            )
    most = {"dollars": MAX_DOLLARS, "iterations": MAX_ITERATIONS}
    for name, value in most.items():
        if given.get(name, 0) > value and not (person and person.yes):
            raise UserError(
                f"--{LIMIT_FLAGS[name]} {given[name]:g} is above {value:g}. Add --yes if you mean it"
            )
    if "iterations" in given:
        given["iterations"] = max(1, int(given["iterations"]))
    return usual.but(**given)


def checks_from_answer(answer: str, timeout: int) -> tuple[Criterion, ...]:
    """A command given as the answer to «which command shows that it works?» is a check that the person typed."""
    words = answer.split()
    if not words or not shutil.which(words[0]):
        return ()
    return (Criterion((*spec_topics(answer), "it works")[0], Check(answer, timeout)),)
