"""Turn the arguments of `loop start` into a Request.

Flags override environment variables, and those override settings. An agent may not give the flags
that loosen a loop.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from glob import escape
from typing import Any

from ...core.criteria import Check, Criterion
from ...core.discovery.backlog import Backlog
from ...core.limits import MAX_DOLLARS, MAX_ITERATIONS, Limits
from ...core.loop import Point
from ...core.plan.plan import YOLO, Plan
from ...core.start import rubric
from ...core.start.binding import topics_of
from ...core.start.intake import parse_named_check
from ...drive.checks import named_kind_of_check
from ...drive.errors import UserError, WrongValue
from ...drive.new_loop import Request
from ...drive.orders.loop_orders import parse_amount
from ...importers import shape_md
from ...importers.shape_md import ShapeFile
from ...store import config
from ...store.folder import LoopFolder
from ...store.mirror import MAX_SPEC
from . import proof_options
from .plan_options import PlanRequest
from .typed_arguments import Args, StartArguments, client_pid, join_specs, session_id

PERSON_ONLY_FLAGS = (
    *(
        "yes",
        "unproven",
        "replace",
        "shape",
        "score",
        "volatile",
        "pass_env",
        "mode",
        "retries",
        "rounds",
    ),
    *("no_worse_than_baseline", "protect", "holdout", "review", "without", "checks_by"),
    *("setup", "include", "may_change", "allow_new_deps", "room", "strength", "require"),
)
LIMIT_FLAGS = {"iterations": "iterations", "dollars": "budget", "minutes": "minutes"}
LIMIT_VARIABLES = {"iterations": "LOOP_MAX_ITERATIONS", "dollars": "LOOP_BUDGET"}
LIMITS_WITHOUT_YES = {"dollars": MAX_DOLLARS, "iterations": MAX_ITERATIONS}
Criteria = dict[str, Criterion]


def build_request(
    typed: StartArguments,
    folder: LoopFolder,
    settings: dict[str, Any],
    detected: dict[str, Check],
    backlog: Backlog | None = None,
    plan_request: PlanRequest | None = None,
) -> Request:
    """The request for a loop on a spec, a backlog or a plan.

    `detected` are the checks of the repository; an agent may use their commands.
    """
    person = typed.person
    criteria, must_not = requested_criteria(
        typed,
        folder,
        timeout=settings["check.timeout"],
        detected=detected,
        with_shape_file=not backlog and not plan_request,
    )
    if backlog:
        refuse_criteria_without_check(criteria)
    if typed.first("demand") and (backlog or plan_request):
        raise UserError("--demand is for a spec: a plan has tasks, a discovery loop has guards")
    if not all(text.strip() for text in typed.first("demand") or ()):
        raise WrongValue("--demand needs a text: what the spec asks for")
    request = Request(
        spec=plan_title(plan_request.plan) if plan_request else spec_text(typed, backlog),
        criteria=criteria,
        must_not=must_not,
        steps=tuple(typed.first("step")),
        demands=tuple(person.demand) if person else (),
        proposed_demands=tuple(typed.agent.demand) if typed.agent else (),
        limits=requested_limits(typed, config.limits_from_settings(settings)),
        prices=config.prices(),
        shape=(person and person.shape) or requested_shape(settings),
        points=parse_points(typed.first("point")),
        score=person.score if person else None,
        reversibility=typed.first("reversibility"),
        session=session_id(typed.in_order[-1]),
        client_pid=client_pid(session_id(typed.in_order[-1])),
        gates=not (person and person.yes) and not is_headless(),
        headless=is_headless() or bool(person and person.for_runner),
        unproven=bool(person and person.unproven),
        volatile=tuple(person.volatile) if person else (),
        pass_env=tuple(person.pass_env) if person else (),
        backlog=backlog,
        safeguards=proof_options.requested_safeguards(
            person, folder.root, settings, bool(plan_request)
        ),
        timeout=settings["check.timeout"],
    )
    if not plan_request:
        return request
    # What we write into the plan's own files voids no evidence.
    own_files = dict.fromkeys(mark.file for mark in plan_request.plan.marks)
    return request.but(
        volatile=(*request.volatile, *(f"/{escape(file)}" for file in own_files)),
        plan=plan_request.plan,
        commands=plan_request.commands,
        yolo=plan_request.mode == YOLO,
    )


def plan_title(plan: Plan) -> str:
    return f"Phase {plan.phase}: {plan.title}" if plan.title else f"Phase {plan.phase}"


def refuse_agent_flags(agent: Args, person: Args | None) -> None:
    """Only a person may loosen a loop; an agent may repeat the flags that the person typed."""
    for name in PERSON_ONLY_FLAGS:
        value = getattr(agent, name)
        if value and value != getattr(person, name, None):
            instead = ". Score with five --point, each with its reason" if name == "score" else ""
            raise UserError(f"--{name.replace('_', '-')} is the person's to say{instead}")


def refuse_criteria_without_check(criteria: tuple[Criterion, ...]) -> None:
    """A discovery loop never ends by its criteria, so a claimed criterion would mean nothing."""
    for c in criteria:
        if not c.check:
            raise UserError(
                f'a guard needs a command: --check "{c.name}=COMMAND". '
                "A discovery loop has no other criteria"
            )


def requested_shape(settings: dict[str, Any]) -> str:
    shape = os.environ.get("LOOP_SHAPE") or settings["shape"]
    if shape not in config.SHAPES:
        raise WrongValue(f"LOOP_SHAPE is one of {', '.join(config.SHAPES)}, not {shape!r}")
    return str(shape)


def is_headless() -> bool:
    return os.environ.get("LOOP_HEADLESS", "").lower() in ("1", "true", "yes")


def spec_text(typed: StartArguments, backlog: Backlog | None) -> str:
    """The spec of the person, with what the agent adds; an error if it is empty or too long."""
    texts = [read_spec(args, may_be_piped=len(typed.in_order) == 1) for args in typed.in_order]
    text = join_specs(*texts) if len(texts) == 2 else texts[0]
    if not text.strip() and backlog:
        raise UserError(
            "what is to be improved? "
            f'Say it: loop start --preset {backlog.preset} "the settings page"'
        )
    if not text.strip():
        raise UserError('what is to be done? Say it: loop start "fix all failing tests"')
    if len(text) > MAX_SPEC:
        raise UserError(
            f"a spec of {len(text):,} letters; {MAX_SPEC:,} is the most. "
            "Put the rest into a file, and name it"
        )
    return text.strip()


def read_spec(args: Args, may_be_piped: bool) -> str:
    """The spec from a file, from stdin or from the command line."""
    if args.file:
        try:
            with open(args.file, encoding="utf-8-sig") as file:
                return file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"cannot read {args.file}: {error}") from error
    piped = may_be_piped and not args.spec and not sys.stdin.isatty()
    if args.spec == "-" or piped:
        return sys.stdin.read()
    return str(args.spec)


def parse_points(texts: list[str]) -> tuple[Point, ...]:
    """Scores of the spec: none, or one with a reason for each dimension."""
    if not texts:
        return ()
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
    typed: StartArguments,
    folder: LoopFolder,
    timeout: int,
    detected: dict[str, Check],
    with_shape_file: bool,
) -> tuple[tuple[Criterion, ...], tuple[Criterion, ...]]:
    """Criteria and must-nots: those of SHAPE.md, overridden by what was typed."""
    criteria, must_not = parse_criteria(typed.person, timeout, detected)
    agent_criteria, agent_must_not = parse_criteria(typed.agent, timeout, detected)
    own_commands = {check.command for check in detected.values()}
    add_agent_criteria(criteria, agent_criteria, own_commands)
    add_agent_criteria(must_not, agent_must_not, own_commands)
    shape = read_shape_file(folder) if with_shape_file else None
    if shape:
        planned = {c.name: c for c in shape.criteria}
        criteria = planned | {
            name: _with_planned_evidence(c, planned.get(name)) for name, c in criteria.items()
        }
        must_not = {c.name: c for c in shape.must_not} | must_not
    if both := sorted(set(criteria) & set(must_not)):
        raise UserError(f"{both[0]!r} cannot be a criterion and a must-not at once")
    return tuple(criteria.values()), tuple(must_not.values())


def _with_planned_evidence(c: Criterion, planned: Criterion | None) -> Criterion:
    """What was typed, with the kind of evidence that SHAPE.md plans for the same criterion."""
    return c.but(planned=planned.planned, detailed=planned.detailed) if planned else c


def add_agent_criteria(criteria: Criteria, additions: Criteria, own_commands: set[Any]) -> None:
    """Add what the agent typed; a check of the person is not replaced.

    A check that is not a command of the repository waits for `loop allow`.
    """
    for name, c in additions.items():
        if name in criteria and criteria[name].check:
            continue
        if c.check:
            is_own = c.check.command in own_commands
            origin = "detected" if is_own else "proposed"
            c = c.but(check=c.check.but(origin=origin, allowed=is_own))
        criteria[name] = c


def read_shape_file(folder: LoopFolder) -> ShapeFile | None:
    path = folder.path_of("shape", "SHAPE.md")
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        return shape_md.read(file.read(1_000_000))


def parse_criteria(
    args: Args | None, timeout: int, detected: dict[str, Check]
) -> tuple[Criteria, Criteria]:
    """Criteria and must-nots by name, each with its check if it has one."""
    if not args:
        return {}, {}
    refuse_unclear_checks(args.check)
    criteria = named_criteria((*args.criterion, *args.check), timeout, detected)
    return criteria, named_criteria(args.must_not, timeout, {})


def refuse_unclear_checks(texts: Iterable[str]) -> None:
    """A check is a name and a command, and each has a name of its own."""
    commands: dict[str, str] = {}
    for text in texts:
        name, equals, command = (part.strip() for part in text.partition("="))
        if not equals:
            raise WrongValue(
                f'--check {text!r}: write it as NAME=COMMAND, such as "tests pass=pytest -q"'
            )
        if commands.setdefault(name, command) != command:
            raise WrongValue(f"--check: two commands are called {name!r}")


def named_criteria(texts: Iterable[str], timeout: int, detected: dict[str, Check]) -> Criteria:
    """Criteria by name. A name that occurs twice is one criterion and keeps its check."""
    criteria: Criteria = {}
    for text in texts:
        try:
            name, check = parse_named_check(text)
        except ValueError as error:
            raise WrongValue(str(error)) from error
        if check:
            check = named_kind_of_check(name, check, detected) or check.but(timeout=timeout)
            criteria[name] = Criterion(name, check)
        else:
            criteria.setdefault(name, Criterion(name))
    return criteria


def requested_limits(typed: StartArguments, defaults: Limits) -> Limits:
    """Flags over environment variables over settings; a value out of range is an error.

    An agent may set a limit below the default, but not above it.
    """
    amounts: dict[str, float] = {}
    for name, flag in LIMIT_FLAGS.items():
        by_person = getattr(typed.person, flag, None)
        by_agent = getattr(typed.agent, flag, None)
        text = by_person or by_agent or os.environ.get(LIMIT_VARIABLES.get(name, ""), "")
        if not text:
            continue
        amount = parse_amount(f"--{flag}", text)
        if typed.agent and not by_person and amount > getattr(defaults, name):
            raise UserError(
                f"--{flag} {amount:g} is above the default; a higher limit is the person's to give"
            )
        amounts[name] = amount
    if not (typed.person and typed.person.yes):
        refuse_high_limits(amounts)
    if "iterations" in amounts:
        amounts["iterations"] = int(amounts["iterations"])
    return defaults.but(**amounts)


def refuse_high_limits(amounts: dict[str, float]) -> None:
    for name, most in LIMITS_WITHOUT_YES.items():
        amount = amounts.get(name, 0)
        if amount > most:
            raise UserError(
                f"--{LIMIT_FLAGS[name]} {amount:g} is above {most:g}. Add --yes if you mean it"
            )


def checks_from_answer(answer: str, timeout: int) -> tuple[Criterion, ...]:
    """The answer to «which command shows that it works?» is a check, if it is a command."""
    words = answer.split()
    if not words or not shutil.which(words[0]):
        return ()
    name = (*topics_of(answer), "it works")[0]
    return (Criterion(name, Check(answer, timeout)),)
