"""Start: from what a person typed to a loop on disk. Everything is worked out and shown before anything runs."""

from __future__ import annotations

import os
import secrets
import shutil
import time

from ..core import intake, rubric, workflow
from ..core.criteria import Check, Criterion, Evidence
from ..core.discovery.backlog import REPAIR, Backlog
from ..core.findings import tolerate_known_failures
from ..core.limits import Limits, Price
from ..core.loop import Baseline, Clock, Gate, Lease, Loop, LoopSettings, Point, Shape, Step
from ..core.plan.criteria import plan_criteria
from ..core.plan.plan import E2E, VERIFY, Plan
from ..core.plan.schedule import ready_tasks
from ..core.prompts.messages import g1_question
from ..core.record import Record
from ..disk.files import set_aside
from ..ratchet import is_relevant
from ..repo import kept_trees, user_repo
from ..repo.baseline import keep_baseline
from ..repo.tree import tree_hash
from ..store import holdouts, trust
from ..store.create import note_ownership
from ..store.folder import LoopFolder
from ..verify import tools
from ..verify.counts import failing_tests
from ..verify.runner import run_check
from .errors import UserError
from .step import end_orphans

HOOK_TIMEOUT_SECONDS = 3600  # the Stop hook's own time-out: a round of checks must fit into it


class Safeguards(Record):
    """What keeps a proof from being made easier."""

    retries: int = 0
    freeze: bool = False  # tests that fail now may go on to fail, and no others
    protect: tuple[str, ...] = ()
    holdouts: tuple[tuple[str, str | tuple[str, ...]], ...] = ()  # name and command
    review: str = ""


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
    gates: bool = True
    headless: bool = False  # nobody watches: a colleague becomes a tool
    volatile: tuple[str, ...] = ()
    pass_env: tuple[str, ...] = ()
    task_list: bool = False
    backlog: Backlog | None = None  # a discovery loop is wanted
    plan: Plan | None = None  # a plan is to be executed
    commands: tuple[
        tuple[str, Check], ...
    ] = ()  # what verifies the whole of it: lint, typecheck, test, build, e2e
    yolo: bool = False  # it asks before it starts, if commands need a yes, and never again
    safeguards: Safeguards = Safeguards()
    timeout: int = 300  # of what runs at the end only


class TooVague(Exception):
    """The spec scored below 5: `points` says where, so that the right questions are asked."""

    def __init__(self, points: tuple[Point, ...]) -> None:
        super().__init__("the spec is too vague to start on")
        self.points = points


def loop_from_request(request: Request, folder: LoopFolder, detected: dict[str, Check]) -> Loop:
    """The loop as it would start: scored, shaped, with criteria, steps and its first question. Nothing is written."""
    if request.backlog:
        return _base_loop(request, folder, request.criteria, Shape(), "2A").but(
            policy="discovery", backlog=request.backlog
        )
    if request.plan:
        return _plan_loop_from_request(request, request.plan, folder)
    criteria = request.criteria or intake.criteria_of(request.spec, detected)
    criteria = tuple(c if c.check else c.but(check=detected.get(c.name)) for c in criteria)
    checks = sum(bool(c.check) for c in request.criteria)
    points = request.points or rubric.score_spec(request.spec, checks)
    shape = rubric.shape_for(points, request.score, checks, request.shape)
    if shape is None:
        raise TooVague(points)
    if request.headless:
        shape = shape.but(name="tool")
    flow = workflow.detect_workflow(request.spec)
    steps = intake.steps_of(request.spec, request.steps, workflow.USUAL_STEPS[flow.letter])
    back = request.reversibility or workflow.reversibility(request.spec)
    return _base_loop(request, folder, criteria, shape, back, steps).but(workflow=flow)


def _plan_loop_from_request(request: Request, given: Plan, folder: LoopFolder) -> Loop:
    """A plan is scored by its lint, not by the rubric; its own checks and the project's commands are the criteria."""
    found = plan_criteria(given, dict(request.commands))
    number = max(1, sum(bool(c.check and not c.check.probe) for c in found))

    def fitting(c: Criterion) -> Criterion:
        """Verification runs them all in one go, so they share the hook's time."""
        most = HOOK_TIMEOUT_SECONDS * 9 // 10 // number
        return (
            c.but(check=c.check.but(timeout=min(c.check.timeout, most)))
            if c.check and not c.check.probe
            else c
        )

    loop = _base_loop(request, folder, (*map(fitting, found), *request.criteria), Shape(), "2A")
    first = tuple(task.id for task in ready_tasks(given))
    if len(given.done) == len(given.tasks):  # a list whose boxes are all ticked
        given = given.but(stage=VERIFY)
    return loop.but(
        policy="plan",
        plan=given.but(assigned=first),
        gates_enabled=loop.gates_enabled and not request.yolo,
    )


def _base_loop(
    request: Request,
    folder: LoopFolder,
    criteria: tuple[Criterion, ...],
    shape: Shape,
    back: str,
    steps: tuple[Step, ...] = (),
) -> Loop:
    """What every kind of loop has: checks that may run and fit into the hook's time, limits, a driver, its first question."""
    criteria, forbidden = (
        tuple(_allow_if_trusted(folder, c) for c in given) for given in (criteria, request.must_not)
    )
    criteria, last = (
        tuple(_with_retries(c, request.safeguards.retries) for c in criteria),
        _final_checks(request),
    )
    named = [c.name for c in (*criteria, *forbidden, *last)]
    if twice := [name for name in named if named.count(name) > 1]:
        raise UserError(f"{twice[0]!r} is the name of two things. Give each a name of its own")
    seconds = sum(
        c.check.timeout for c in (*criteria, *forbidden, *last) if c.check and not c.check.probe
    )
    if seconds > HOOK_TIMEOUT_SECONDS:
        raise UserError(
            f"the checks may take {seconds} s together, the hook has {HOOK_TIMEOUT_SECONDS} s. "
            "Fewer checks, or a shorter time for each: loop config check.timeout N"
        )
    proposed = tuple(
        trust.command_text(c.check)
        for c in (*criteria, *forbidden)
        if c.check and c.check.origin == "proposed"
    )
    now = time.time()
    asks = request.gates and (shape.name == "colleague" or back == "1" or bool(proposed))
    return Loop(
        f"{time.strftime('%Y%m%d-%H%M%S', time.localtime(now))}-{secrets.token_hex(3)}",
        request.spec,
        status="asking" if asks else "running",
        criteria=criteria,
        must_not=forbidden,
        final_checks=last,
        baseline=Baseline(protected_paths=request.safeguards.protect),
        steps=steps,
        limits=request.limits,
        shape=shape,
        reversibility=back,
        gates_enabled=request.gates,
        gate=Gate("G1", g1_question(len(steps), proposed)) if asks else None,
        lease=Lease(request.session),
        settings=LoopSettings(
            prices=request.prices,
            volatile_globs=request.volatile,
            pass_env=request.pass_env,
            has_task_list=request.task_list,
        ),
        clock=Clock(started_at=now, running_since=0.0 if asks else now),
    )


def _with_retries(c: Criterion, retries: int) -> Criterion:
    return c.but(check=c.check.but(retries=retries)) if c.check and not c.check.probe else c


def _final_checks(request: Request) -> tuple[Criterion, ...]:
    """What runs once all else holds."""
    held = tuple(
        holdouts.holdout_criterion(name, command, request.timeout)
        for name, command in request.safeguards.holdouts
    )
    if not request.safeguards.review:
        return held
    return (
        *held,
        Criterion("review", Check(request.safeguards.review, request.timeout, origin="review")),
    )


def _allow_if_trusted(folder: LoopFolder, criterion: Criterion) -> Criterion:
    check = criterion.check
    if check and not check.allowed and trust.is_allowed(folder, check):
        return criterion.but(check=check.but(allowed=True))
    return criterion


def measure_baseline(loop: Loop, folder: LoopFolder, freeze: bool = False) -> Loop:
    """Every check that may run is run once: what it says now is shown before the start and kept as evidence.

    One that fails can prove the work; one that passes guards it. The tree itself is kept, to be looked back to at the end.
    """
    end_orphans(folder)
    _drop_unfinished_start(folder)
    note_ownership(folder, loop.id, "")
    for old in (
        "tree",
        "anew",
        "evidence",
        "lanes",
        "fences",
        "start",
    ):  # laid again for this loop; of an ended one nothing
        shutil.rmtree(folder.path_of(old), ignore_errors=True)
    for old in ("VERIFICATION.md", "verified"):  # the archive has it
        if os.path.exists(folder.path_of(old)):
            os.remove(folder.path_of(old))
    if os.path.exists(
        folder.path_of("notes.md")
    ):  # of no loop here: whose words they are, nobody knows
        set_aside(folder.path_of("notes.md"), folder.path_of("aside"))
    if loop.backlog:
        try:
            user_repo.ignore_own_files(folder.root)
        except OSError as error:
            raise UserError(
                f"the page of the loop lies in .claude, and that cannot be written: {error}"
            ) from error
        loop = loop.but(head=user_repo.head_digest(folder.root))
    tree = tree_hash(folder.root, folder.path, loop.settings.volatile_globs)

    def look(c: Criterion) -> Criterion:
        if not c.check or not c.check.allowed or c.check.probe or c.name == E2E:
            return c
        proof = run_check(c.check, c.name, tree, folder.root, folder.path, loop.settings.pass_env)
        if freeze and not proof.passed:
            frozen = _failing_tests(folder, c.name, proof)
            proof = tolerate_known_failures(proof.but(failing=frozen), frozen)
            c = c.but(check=c.check.but(frozen=frozen))
        return c.but(proof=proof, guard=proof.passed, baseline_counts=proof.counts)

    criteria = tuple(map(look, loop.criteria))
    now = tree_hash(
        folder.root, folder.path, loop.settings.volatile_globs
    )  # what the checks themselves write is none of the agent's doing
    base = keep_baseline(
        folder.root, folder.path, now, loop.id, loop.settings.volatile_globs, is_relevant
    )
    programs = tools.program_digests([c.check for c in criteria if c.check], folder.root)
    loop = loop.but(
        criteria=criteria, tree=tree, baseline=loop.baseline.but(tree_id=base, tools=programs)
    )
    if loop.backlog and loop.failing_guards:
        loop = loop.but(backlog=loop.backlog.but(mode=REPAIR))
    return loop


def _drop_unfinished_start(folder: LoopFolder) -> None:
    """A start that was killed has kept a tree, and commands to hold out, for a loop that never came to be, or not to its end."""
    try:
        with open(folder.note_path, encoding="utf-8", errors="surrogateescape") as file:
            begun, _, head, before, *_ = (*file.read().split("\n"), "", "", "", "")
    except OSError:
        return
    if (
        begun
        and (not head or set(before) == {"-"})
        and not os.path.exists(folder.path_of("history", begun))
    ):
        kept_trees.drop_kept_trees(folder.root, begun)
        holdouts.delete_holdouts(begun)


def _failing_tests(folder: LoopFolder, name: str, proof: Evidence) -> tuple[str, ...]:
    """The tests that fail now, by their names."""
    with open(folder.path_of(proof.log), encoding="utf-8", errors="replace") as file:
        found = failing_tests(file.read())
    if not found:
        raise UserError(
            f"--no-worse-than-baseline: {name} fails, and its output names no test that does "
            "(pytest, unittest, jest, vitest, go -v, cargo and TAP are understood). Leave the flag out, or let the tool name them"
        )
    return found
