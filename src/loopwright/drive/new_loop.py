"""From a person's request to the loop as it would start; nothing is written and nothing runs."""

from __future__ import annotations

import os
import time
from functools import partial

from ..checks.named_files import DECIDES, WORK, NamedFiles
from ..checks.reach import reach_on_disk
from ..core.criteria import LISTED_AT_START, Check, Criterion, OfferedCheck
from ..core.discovery.backlog import Backlog
from ..core.limits import Limits, Price
from ..core.loop import Clock, Gate, Lease, Loop, LoopSettings, Point, Shape, Step, Workflow
from ..core.plan.criteria import plan_criteria
from ..core.plan.plan import VERIFY, Plan
from ..core.plan.schedule import ready_tasks
from ..core.policies.permission import ALLOW
from ..core.prompts import workflow_steps
from ..core.prompts.questions import allow_question, g1_question
from ..core.proof.demands import Demands
from ..core.proof.grades import REFACTOR_WORKFLOW
from ..core.proof.state import Baseline, Room
from ..core.record import Record
from ..core.start import binding, intake, rubric, workflow
from ..core.start.demands import criteria_by_demand, demands_of
from ..repo.user_repo import files_of_project
from ..store import holdouts, trust
from ..store.folder import LoopFolder
from .errors import UserError

REVIEW_SECONDS = 900  # of an agent that reviews, with what it proposes
HOOK_TIMEOUT_SECONDS = 3600  # the timeout of the Stop hook: a round of checks must fit into it


class Safeguards(Record):
    """What keeps a proof from being made easier."""

    retries: int = 0
    freeze: bool = False  # only tests that fail now may still fail at the end
    protect: tuple[str, ...] = ()
    holdouts: tuple[tuple[str, str | tuple[str, ...]], ...] = ()  # name and command
    review: str = ""
    review_by_agent: bool = False  # it names an agent, not a command
    room: Room = Room()
    strength_mode: str = ""
    required_grade: str = ""


class Request(Record):
    """What was typed, before any of it is judged."""

    spec: str
    criteria: tuple[Criterion, ...] = ()
    must_not: tuple[Criterion, ...] = ()
    steps: tuple[str, ...] = ()
    demands: tuple[str, ...] = ()  # of the spec, as the person lists them
    proposed_demands: tuple[str, ...] = ()  # as the agent does
    limits: Limits = Limits()
    prices: tuple[Price, ...] = ()
    shape: str = "auto"
    points: tuple[Point, ...] = ()  # scored by whoever asks; else by our own rubric
    score: int | None = None
    reversibility: str = ""
    session: str = ""
    client_pid: int = 0  # the client of that session, if it runs this command
    gates: bool = True
    headless: bool = False  # unattended: a colleague becomes a tool
    volatile: tuple[str, ...] = ()
    pass_env: tuple[str, ...] = ()
    task_list: bool = False
    backlog: Backlog | None = None  # a discovery loop is wanted
    plan: Plan | None = None  # a plan is to be executed
    # What verifies the whole plan: lint, typecheck, test, build, e2e.
    commands: tuple[tuple[str, Check], ...] = ()
    unproven: bool = False  # the person works without the checks that may not run
    yolo: bool = False  # it asks only before the start, when commands need a yes
    safeguards: Safeguards = Safeguards()
    timeout: int = 300  # of the final checks, in seconds
    offers: tuple[OfferedCheck, ...] = ()  # checks of the repository that do not run


class TooVague(Exception):
    """The spec scored below 5. `points` says where, so that we ask the right questions."""

    def __init__(self, points: tuple[Point, ...]) -> None:
        super().__init__("the spec is too vague to start on")
        self.points = points


def loop_from_request(request: Request, folder: LoopFolder, detected: dict[str, Check]) -> Loop:
    """The loop as it would start, with its score, shape, criteria and first question.

    Nothing is written.
    """
    loop = _loop_of_kind(request, folder, detected)
    commands = tuple(c.check.command for c in loop.criteria if c.check and not c.check.probe)
    programs = frozenset(reach_on_disk(commands, folder.root).scripts)
    named = NamedFiles(loop.spec, commands, programs, partial(files_of_project, folder.root))
    room = loop.room.but(
        work_files=named.files_with_role(WORK), deciding_files=named.files_with_role(DECIDES)
    )
    return loop.but(room=room)


def _loop_of_kind(request: Request, folder: LoopFolder, detected: dict[str, Check]) -> Loop:
    """A loop of a backlog, of a plan or of a spec."""
    if request.backlog:
        asked_for, others = binding.repository_checks_beside(request.criteria, detected, "")
        loop = _base_loop(request, folder, request.criteria, Shape(), "2A", (*asked_for, *others))
        return loop.but(policy="discovery", backlog=request.backlog)
    if request.plan:
        return _plan_loop_from_request(request, request.plan, folder, detected)
    criteria = request.criteria or intake.criteria_of(request.spec, detected)
    criteria = binding.bind_criteria(criteria, detected)
    asked_for, others = binding.repository_checks_beside(criteria, detected, request.spec)
    offers = (*request.offers, *binding.commands_of_spec(criteria, detected, request.spec))
    request = request.but(offers=offers)
    checks = sum(bool(c.check) for c in request.criteria)
    points = request.points or rubric.score_spec(request.spec, checks)
    has_tests = binding.CHECK_KINDS["tests"] in detected
    needs_no_check = has_tests or rubric.names_document(request.spec)
    shape = rubric.shape_for(points, request.score, checks, request.shape, needs_no_check)
    if shape is None:
        raise TooVague(points)
    if request.headless:
        shape = shape.but(name="tool")
    kind = workflow.detect_workflow(request.spec)
    steps = intake.steps_of(request.spec, request.steps, workflow_steps.USUAL_STEPS[kind.letter])
    reversibility = request.reversibility or workflow.reversibility(request.spec)
    loop = _base_loop(request, folder, (*criteria, *asked_for), shape, reversibility, others, steps)
    demands = _demands(request, kind, loop)
    criteria = criteria_by_demand(loop.criteria, demands)
    return loop.but(workflow=kind, demands=demands, criteria=criteria)


def _demands(request: Request, kind: Workflow, loop: Loop) -> Demands | None:
    """The demands of the spec. A refactoring keeps its behaviour: no test can need the work."""
    keeps_behaviour = kind.sure and kind.letter == REFACTOR_WORKFLOW
    if keeps_behaviour and not request.demands:
        return None
    return demands_of(request.spec, loop.criteria, request.demands, request.proposed_demands)


def _plan_loop_from_request(
    request: Request, plan: Plan, folder: LoopFolder, detected: dict[str, Check]
) -> Loop:
    """The loop of a plan. Its lint replaces the rubric.

    The criteria are the plan's own checks and the project's commands. Checks of the repository
    that the settings of a GSD project do not name run beside them as guards.
    """
    criteria = plan_criteria(plan, dict(request.commands), request.timeout)
    given = (*criteria, *request.criteria)
    beside = [c for group in binding.repository_checks_beside(given, detected, "") for c in group]
    number = max(1, sum(c.runs_command for c in (*criteria, *beside)))
    # Verification runs them all in one go, so they share the time of the hook.
    most_seconds = HOOK_TIMEOUT_SECONDS * 9 // 10 // number
    criteria = tuple(_with_timeout_at_most(c, most_seconds) for c in criteria)
    guards = tuple(_with_timeout_at_most(c, most_seconds) for c in beside)
    loop = _base_loop(request, folder, (*criteria, *request.criteria), Shape(), "2A", guards)
    assigned = tuple(task.id for task in ready_tasks(plan))
    if len(plan.done) == len(plan.tasks):  # a list whose boxes are all ticked
        plan = plan.but(stage=VERIFY)
    return loop.but(
        policy="plan",
        plan=plan.but(assigned=assigned),
        gates_enabled=loop.gates_enabled and not request.yolo,
    )


def _with_timeout_at_most(c: Criterion, seconds: int) -> Criterion:
    if not c.check or c.check.probe:
        return c
    return c.but(check=c.check.but(timeout=min(c.check.timeout, seconds)))


def _base_loop(
    request: Request,
    folder: LoopFolder,
    criteria: tuple[Criterion, ...],
    shape: Shape,
    reversibility: str,
    unrequired: tuple[Criterion, ...],
    steps: tuple[Step, ...] = (),
) -> Loop:
    """What every kind of loop has: allowed checks, limits, a driver and its first question."""
    unrequired = tuple(_with_retries(c, request.safeguards.retries) for c in unrequired)
    criteria = tuple(_allow_if_trusted(folder, c) for c in criteria)
    criteria = tuple(_with_retries(c, request.safeguards.retries) for c in criteria)
    must_not = tuple(_allow_if_trusted(folder, c) for c in request.must_not)
    final_checks = _final_checks(request)
    _refuse_unfit_checks((*criteria, *must_not, *final_checks, *unrequired))
    gate = _first_question(request, (*criteria, *must_not), shape, reversibility, len(steps))
    now = time.time()
    return Loop(
        id=f"{time.strftime('%Y%m%d-%H%M%S', time.localtime(now))}-{os.urandom(3).hex()}",
        spec=request.spec,
        status="asking" if gate else "running",
        criteria=criteria,
        must_not=must_not,
        final_checks=final_checks,
        unrequired_checks=unrequired,
        offered_checks=request.offers,
        baseline=Baseline(protected_paths=request.safeguards.protect),
        room=request.safeguards.room,
        steps=steps,
        limits=request.limits,
        shape=shape,
        reversibility=reversibility,
        gates_enabled=request.gates,
        gate=gate,
        lease=Lease(request.session, request.client_pid),
        settings=LoopSettings(
            prices=request.prices,
            volatile_globs=request.volatile,
            pass_env=request.pass_env,
            has_task_list=request.task_list,
            unproven=request.unproven,
            strength_mode=request.safeguards.strength_mode,
            required_grade=request.safeguards.required_grade,
        ),
        clock=Clock(started_at=now, running_since=0.0 if gate else now),
    )


def _first_question(
    request: Request,
    criteria: tuple[Criterion, ...],
    shape: Shape,
    reversibility: str,
    steps: int,
) -> Gate | None:
    """G1 with the commands that a yes allows; without gates, only the question about commands."""
    in_session = bool(request.client_pid)  # the agent starts it, and still works
    waiting = tuple(c for c in criteria if c.check and c.awaits_permission)
    if request.unproven:
        waiting = ()
    commands = tuple(
        trust.command_text(c.check)
        for c in waiting
        if c.check and c.check.origin in LISTED_AT_START
    )
    is_risky = shape.name == "colleague" or reversibility == "1" or bool(commands)
    if request.gates and is_risky:
        return Gate("G1", g1_question(steps, commands), unseen=in_session)
    if waiting:
        names = tuple(c.name for c in waiting)
        return Gate(ALLOW, allow_question(waiting), names, unseen=in_session)
    return None


def _refuse_unfit_checks(criteria: tuple[Criterion, ...]) -> None:
    """Each needs its own name, and all together must fit into the time of the hook."""
    names = [c.name for c in criteria]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UserError(f"{twice[0]!r} is the name of two things. Give each a name of its own")
    seconds = sum(c.check.timeout for c in criteria if c.check and not c.check.probe)
    if seconds > HOOK_TIMEOUT_SECONDS:
        raise UserError(
            f"the checks may take {seconds} s together, the hook has {HOOK_TIMEOUT_SECONDS} s. "
            "Fewer checks, or a shorter time for each: loop config check.timeout N"
        )


def _with_retries(c: Criterion, retries: int) -> Criterion:
    return c.but(check=c.check.but(retries=retries)) if c.check and not c.check.probe else c


def _final_checks(request: Request) -> tuple[Criterion, ...]:
    """The checks that run once everything else holds."""
    safeguards = request.safeguards
    final_checks = [
        holdouts.holdout_criterion(name, command, request.timeout)
        for name, command in safeguards.holdouts
    ]
    if safeguards.review:
        check = Check(safeguards.review, request.timeout, origin="review")
        if safeguards.review_by_agent:
            check = check.but(timeout=REVIEW_SECONDS, origin="reviewer")
        final_checks.append(Criterion("review", check))
    return tuple(final_checks)


def _allow_if_trusted(folder: LoopFolder, criterion: Criterion) -> Criterion:
    check = criterion.check
    if check and not check.allowed and trust.is_allowed(folder, check):
        return criterion.but(check=check.but(allowed=True))
    return criterion
