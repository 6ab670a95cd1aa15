"""Start: from a person's request to a loop with a measured baseline.

Everything is worked out and shown before anything runs.
"""

from __future__ import annotations

import os
import secrets
import shutil
import time

from ..core import binding, intake, rubric, workflow
from ..core.criteria import LISTED_AT_START, Check, Criterion, Evidence
from ..core.discovery.backlog import REPAIR, Backlog
from ..core.findings import comparable_counts, tolerate_known_failures
from ..core.limits import Limits, Price
from ..core.loop import (
    Baseline,
    Clock,
    Gate,
    Lease,
    Loop,
    LoopSettings,
    Point,
    Room,
    Shape,
    Step,
)
from ..core.plan.criteria import plan_criteria
from ..core.plan.plan import E2E, VERIFY, Plan
from ..core.plan.schedule import ready_tasks
from ..core.policies.permission import ALLOW
from ..core.prompts import workflow_steps
from ..core.prompts.messages import allow_question, g1_question
from ..core.record import Record
from ..disk.files import set_aside
from ..ratchet import is_relevant, is_test_or_settings
from ..repo import kept_trees, user_repo
from ..repo.baseline import keep_baseline
from ..repo.tree import read_tree
from ..store import holdouts, trust
from ..store.create import note_ownership
from ..store.folder import LoopFolder
from ..verify import tools
from ..verify.counts import failing_tests
from ..verify.room_findings import CheckRun
from ..verify.runner import check_environment, run_with_report
from .errors import UserError
from .final_proof import weakened_before_start
from .room_calibration import calibrate_room, plan_room
from .room_checkout import CheckRuns, drop_room
from .step import end_orphans, step

HOOK_TIMEOUT_SECONDS = 3600  # the timeout of the Stop hook: a round of checks must fit into it
# In .loop/, of an earlier loop.
EARLIER_FOLDERS = ("tree", "anew", "evidence", "lanes", "fences", "start")
EARLIER_FILES = ("VERIFICATION.md", "verified")


MAX_CHANGED_TESTS = 10  # that the start screen names


class Safeguards(Record):
    """What keeps a proof from being made easier."""

    retries: int = 0
    freeze: bool = False  # only tests that fail now may still fail at the end
    protect: tuple[str, ...] = ()
    holdouts: tuple[tuple[str, str | tuple[str, ...]], ...] = ()  # name and command
    review: str = ""
    room: Room = Room()


class Request(Record):
    """What was typed, before any of it is judged."""

    spec: str
    criteria: tuple[Criterion, ...] = ()
    must_not: tuple[Criterion, ...] = ()
    steps: tuple[str, ...] = ()
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


class TooVague(Exception):
    """The spec scored below 5. `points` says where, so that we ask the right questions."""

    def __init__(self, points: tuple[Point, ...]) -> None:
        super().__init__("the spec is too vague to start on")
        self.points = points


def loop_from_request(request: Request, folder: LoopFolder, detected: dict[str, Check]) -> Loop:
    """The loop as it would start, with its score, shape, criteria and first question.

    Nothing is written.
    """
    if request.backlog:
        asked_for, others = binding.repository_checks_beside(request.criteria, detected, "")
        loop = _base_loop(request, folder, request.criteria, Shape(), "2A", (*asked_for, *others))
        return loop.but(policy="discovery", backlog=request.backlog)
    if request.plan:
        return _plan_loop_from_request(request, request.plan, folder, detected)
    criteria = request.criteria or intake.criteria_of(request.spec, detected)
    criteria = binding.bind_criteria(criteria, detected)
    asked_for, others = binding.repository_checks_beside(criteria, detected, request.spec)
    checks = sum(bool(c.check) for c in request.criteria)
    points = request.points or rubric.score_spec(request.spec, checks)
    shape = rubric.shape_for(points, request.score, checks, request.shape)
    if shape is None:
        raise TooVague(points)
    if request.headless:
        shape = shape.but(name="tool")
    kind = workflow.detect_workflow(request.spec)
    steps = intake.steps_of(request.spec, request.steps, workflow_steps.USUAL_STEPS[kind.letter])
    reversibility = request.reversibility or workflow.reversibility(request.spec)
    loop = _base_loop(request, folder, (*criteria, *asked_for), shape, reversibility, others, steps)
    return loop.but(workflow=kind)


def _plan_loop_from_request(
    request: Request, plan: Plan, folder: LoopFolder, detected: dict[str, Check]
) -> Loop:
    """The loop of a plan. Its lint replaces the rubric.

    The criteria are the plan's own checks and the project's commands. Checks of the repository
    that the settings of a GSD project do not name run beside them as guards.
    """
    criteria = plan_criteria(plan, dict(request.commands))
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
    unrequired: tuple[Criterion, ...] = (),
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
        id=f"{time.strftime('%Y%m%d-%H%M%S', time.localtime(now))}-{secrets.token_hex(3)}",
        spec=request.spec,
        status="asking" if gate else "running",
        criteria=criteria,
        must_not=must_not,
        final_checks=final_checks,
        unrequired_checks=unrequired,
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
        return Gate("G1", g1_question(steps, commands))
    if waiting:
        return Gate(ALLOW, allow_question(waiting), tuple(c.name for c in waiting))
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
        final_checks.append(Criterion("review", check))
    return tuple(final_checks)


def _allow_if_trusted(folder: LoopFolder, criterion: Criterion) -> Criterion:
    check = criterion.check
    if check and not check.allowed and trust.is_allowed(folder, check):
        return criterion.but(check=check.but(allowed=True))
    return criterion


def measure_baseline(loop: Loop, folder: LoopFolder, freeze: bool = False) -> Loop:
    """Run every allowed check once. The result is shown before the start and kept as evidence.

    A check that fails can prove the work; one that passes guards it. The tree itself is kept for
    the comparison at the end. With `freeze`, tests that fail now may fail at the end too.
    """
    end_orphans(folder)
    _drop_unfinished_start(folder)
    note_ownership(folder, loop.id, "")
    _clear_folder(folder)
    if loop.backlog:
        try:
            user_repo.ignore_own_files(folder.root)
        except OSError as error:
            raise UserError(
                f"the page of the loop lies in .claude, and that cannot be written: {error}"
            ) from error
        loop = loop.but(head=user_repo.head_digest(folder.root))
    volatile = loop.settings.volatile_globs
    tree = _require_tree(folder, volatile)
    runs: CheckRuns = {}
    loop = _measure_unrequired_checks(loop, folder, tree, runs)
    criteria = tuple(_measure_criterion(c, loop, folder, tree, freeze, runs) for c in loop.criteria)
    # The checks may have written files: the agent is not responsible for those.
    tree_after_checks = _require_tree(folder, volatile)
    tree_id = keep_baseline(
        folder.root, folder.path, tree_after_checks, loop.id, volatile, is_relevant
    )
    measured = (*criteria, *loop.unrequired_checks)
    programs = tools.program_digests([c.check for c in measured if c.check], folder.root)
    uncommitted = user_repo.uncommitted_files(folder.root, run_filters=False)
    changed = tuple(filter(is_test_or_settings, uncommitted))
    baseline = loop.baseline.but(
        tree_id=tree_id, tools=programs, changed_tests=changed[:MAX_CHANGED_TESTS]
    )
    if changed:
        findings = weakened_before_start(folder, tree_after_checks, criteria)
        baseline = baseline.but(start_findings=findings)
    loop = loop.but(criteria=criteria, tree=tree, baseline=baseline)
    loop = loop.but(room=plan_room(folder, loop, runs))
    if loop.backlog and loop.failing_guards:
        loop = loop.but(backlog=loop.backlog.but(mode=REPAIR))
    return loop


def _measure_unrequired_checks(loop: Loop, folder: LoopFolder, tree: str, runs: CheckRuns) -> Loop:
    """Run the repository's checks that no criterion names: one that passes becomes a guard."""
    guards, failing = [], []
    for c in loop.unrequired_checks:
        c = _measure_criterion(c, loop, folder, tree, freeze=False, runs=runs)
        if c.guard or not c.proof:
            guards.append(c)
        else:
            failing.append(c.but(baseline_counts=tuple(comparable_counts(c.proof).items())))
    return loop.but(criteria=(*loop.criteria, *guards), unrequired_checks=tuple(failing))


def _require_tree(folder: LoopFolder, volatile: tuple[str, ...]) -> str:
    """The tree hash. A loop whose tree cannot be determined would pause at its first Stop."""
    reading = read_tree(folder.root, folder.path, volatile)
    if reading.problem:
        raise UserError(f"nothing was started: {reading.problem}")
    return reading.tree


def _clear_folder(folder: LoopFolder) -> None:
    """Remove what an ended loop left in .loop/; its archive has what matters."""
    for name in EARLIER_FOLDERS:
        shutil.rmtree(folder.path_of(name), ignore_errors=True)
    for name in EARLIER_FILES:
        if os.path.exists(folder.path_of(name)):
            os.remove(folder.path_of(name))
    # No loop here wrote these notes, so we keep them, but do not use them.
    notes = folder.path_of("notes.md")
    if os.path.exists(notes):
        set_aside(notes, folder.path_of("aside"))


def _measure_criterion(
    c: Criterion,
    loop: Loop,
    folder: LoopFolder,
    tree: str,
    freeze: bool,
    runs: CheckRuns,
) -> Criterion:
    if c.proof or not c.check or not c.check.allowed or c.check.probe or c.name == E2E:
        return c
    environment = check_environment(loop.settings.pass_env)
    proof, report = run_with_report(c.check, c.name, tree, folder.root, folder.path, environment)
    if freeze and not proof.passed:
        frozen = _failing_tests(folder, c.name, proof)
        proof = tolerate_known_failures(proof.but(failing=frozen), frozen)
        c = c.but(check=c.check.but(frozen=frozen))
    runs[c.name] = CheckRun(proof, report)
    return c.but(proof=proof, guard=proof.passed, baseline_counts=proof.counts)


def _drop_unfinished_start(folder: LoopFolder) -> None:
    """Remove the tree and the held-out commands of a start that was killed before its end."""
    try:
        with open(folder.note_path, encoding="utf-8", errors="surrogateescape") as file:
            loop_id, _, head, earlier_head, *_ = (*file.read().split("\n"), "", "", "", "")
    except OSError:
        return
    is_unfinished = not head or set(earlier_head) == {"-"}
    if loop_id and is_unfinished and not os.path.exists(folder.path_of("history", loop_id)):
        kept_trees.drop_kept_trees(folder.root, loop_id)
        drop_room(loop_id)
        holdouts.delete_holdouts(loop_id)


def _failing_tests(folder: LoopFolder, name: str, proof: Evidence) -> tuple[str, ...]:
    """The tests that fail now, by their names."""
    with open(folder.path_of(proof.log), encoding="utf-8", errors="replace") as file:
        names = failing_tests(file.read())
    if not names:
        raise UserError(
            f"--no-worse-than-baseline: {name} fails, and its output names no test that does "
            "(pytest, unittest, jest, vitest, go -v, cargo and TAP are understood). "
            "Leave the flag out, or let the tool name them"
        )
    return names


def calibrate_in_background(folder: LoopFolder, loop: Loop) -> None:
    """Calibrate in a process of its own: a session must not wait for it.

    If it is killed, the calibration runs before the final proof.
    """
    if not hasattr(os, "fork") or os.fork():
        return
    os.setsid()
    with open(os.devnull, "r+b") as nothing:
        for stream in (0, 1, 2):
            os.dup2(nothing.fileno(), stream)
    try:
        step(folder, calibrate_room(folder, loop))
    finally:
        os._exit(0)
