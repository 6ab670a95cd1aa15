"""A plan: tasks in waves, the files each leaves, and how the whole is verified.

Values only; `policies/plan.py` decides. Only plan loops import this file (see
record.KINDS_BY_MODULE).
"""

from __future__ import annotations

from ..limits import Limits
from ..record import Record

CREATE, MODIFY, DELETE = "create", "modify", "delete"
EXECUTE, VERIFY = "execute", "verify"
# Results of a verification. Unproven: nothing fails, but some checks may not run.
PASSED, GAPS_FOUND, UNPROVEN = "passed", "gaps_found", "unproven"
INTERACTIVE, YOLO = MODES = ("interactive", "yolo")
# The kinds of check that need no command. An agent or a person does the others.
FILE, CONTENT = "file", "content"
PROJECT_COMMANDS = ("lint", "typecheck", "test", "build")  # criteria, in the order of their checks
EXTRA_FIX_ROUNDS = 10  # how many `loop continue` adds when all are used
E2E = "e2e"  # runs last: it says nothing while another check fails


class PlannedFile(Record):
    path: str
    action: str = MODIFY


class TaskCheck(Record):
    """How to check a task. `path` and `wanted` are read from its text; empty: it cannot be run."""

    kind: str
    text: str = ""
    command: str = ""
    path: str = ""
    wanted: tuple[str, ...] = ()


class Task(Record):
    """One task of a plan, for one turn of an agent."""

    id: str
    title: str = ""
    wave: int = 1
    depends: tuple[str, ...] = ()
    files: tuple[PlannedFile, ...] = ()
    action: str = ""
    libraries: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    done_when: str = ""
    checks: tuple[TaskCheck, ...] = ()
    requirements: tuple[str, ...] = ()
    runs_alone: bool = False  # no other task runs at the same time

    @property
    def paths(self) -> frozenset[str]:
        return frozenset(file.path for file in self.files)


class Link(Record):
    """One file must refer to the other, in either direction, or both to the name in `how`."""

    source: str
    target: str
    how: str = ""


class MustHave(Record):
    """A statement that must hold in the end. Without a command it can only be claimed."""

    text: str
    command: str = ""


class Gap(Record):
    """Something that is missing, as verification or an agent reports it."""

    kind: str
    file: str
    text: str
    evidence: str = ""
    target: str = ""  # of a broken link
    criterion: str = ""  # the one that fails; empty: an agent reported the gap
    tries: int = 0
    measured: bool = False  # thin work: the next final proof decides, not the agent's report

    @property
    def needs_report(self) -> bool:
        """Does only the agent's report say that this gap is closed?"""
        return not self.criterion and not self.measured

    @property
    def key(self) -> str:
        key = f"{self.kind}:{self.file}"
        return f"{key}->{self.target}" if self.target else key


class HistoryEntry(Record):
    """One line of the history: the result of a verification."""

    iteration: int
    kind: str
    result: str
    gaps: tuple[str, ...] = ()


class TaskFailure(Record):
    """How often a task has failed, and its last failure."""

    task: str
    times: int
    error: str = ""
    analysis: str = ""
    fix: str = ""


class Lane(Record):
    """A turn of a runner in its own worktree."""

    task: str
    started_at: float
    agent: str
    reserved_dollars: float
    turn_number: int  # names the log of the turn


class TaskWorktree(Record):
    """The worktree of a task, and the commit that it starts from."""

    task: str
    path: str
    branch: str
    base_commit: str


class UnplannedChange(Record):
    """Something that changed and that no task of the plan says.

    `kind`: "commit" that no task made, "main" files changed in the main checkout while a turn ran
    elsewhere (without a task: while no agent worked), "new" files that no task names, the file of
    the "plan" itself.
    """

    kind: str
    names: tuple[str, ...]
    task: str = ""


class LaneResult(Record):
    """The commit that the turn of a lane left for the merge; empty: none."""

    task: str
    commit: str = ""


class ProgressMark(Record):
    """A place in a file of the plan that says whether tasks are done; see formats/plan_progress.py.

    It is changed from `old` to `new` when all of `tasks` are done.
    """

    tasks: tuple[str, ...]
    file: str
    kind: str
    new: str
    old: str = ""
    line: int = 0  # of a box, at the start
    text: str = ""  # how the line of a box begins; of a page that is written, all of it
    path: tuple[str, ...] = ()  # of a JSON value
    check: str = ""  # of a box that is a criterion: the words of its check


class Plan(Record):
    """A plan and the state of its execution and verification."""

    phase: str
    title: str = ""
    file: str = ""  # where it was read from
    tasks: tuple[Task, ...] = ()
    must_haves: tuple[MustHave, ...] = ()
    links: tuple[Link, ...] = ()
    eager: bool = False  # a task may start before the earlier waves are complete
    # As eager, but a task that names no dependency keeps its wave: nothing else says its order.
    by_dependencies: bool = False
    auto_loop: bool = True  # off: execute and verify once, then pause
    gsd: str = ""  # the folder of a GSD project whose state is updated; empty: none
    retries: int = 3
    max_fix_rounds: int = 20
    stage: str = EXECUTE
    assigned: tuple[str, ...] = ()  # tasks, or keys of gaps, that the agent works on
    done: tuple[str, ...] = ()
    unshown: tuple[str, ...] = ()  # of those, the ones that only the agent calls done
    failures: tuple[TaskFailure, ...] = ()
    parked: tuple[str, ...] = ()  # tasks, and keys of gaps, that have no retries left
    commits: tuple[tuple[str, str], ...] = ()
    issues: tuple[str, ...] = ()  # NEW ISSUE: what an agent found outside its task
    lanes: tuple[Lane, ...] = ()
    worktrees: tuple[TaskWorktree, ...] = ()
    fix_rounds: int = 0  # so far
    gaps: tuple[Gap, ...] = ()
    queue: tuple[str, ...] = ()  # gaps that are still to be fixed in this round
    history: tuple[HistoryEntry, ...] = ()
    # Tasks whose work is proven and waits for a person before it can land, with the commit.
    landings: tuple[tuple[str, str], ...] = ()
    unplanned: tuple[UnplannedChange, ...] = ()
    durations: tuple[tuple[str, float], ...] = ()  # seconds that the last turn of a task took
    skipped: tuple[str, ...] = ()  # tasks that a person took out of the plan after the start
    skipped_tasks: tuple[Task, ...] = ()  # the same, as they were: their ids may be places
    added: tuple[str, ...] = ()  # tasks that a person added after the start, in no file
    text_digest: str = ""  # of the plan's file at the start, without its marks
    marks: tuple[ProgressMark, ...] = ()  # empty: progress is not written into the plan's files

    def task(self, name: str) -> Task:
        """The task of this id; for the key of a gap, its fix as a task."""
        gap = self.gap(name)
        if gap:
            return Task(id=name, title=gap.text)
        return next(task for task in self.tasks if task.id == name)

    def gap(self, key: str) -> Gap | None:
        return next((gap for gap in self.gaps if gap.key == key), None)

    def has_work(self, name: str) -> bool:
        """Is this a task of the plan, or a gap that is open?"""
        return bool(self.gap(name)) or any(task.id == name for task in self.tasks)

    def proving_criteria(self, name: str) -> tuple[str, ...]:
        """The criteria that prove a task, or the fix of a gap; none for what is neither."""
        if gap := self.gap(name):
            return (gap.criterion,) if gap.criterion else ()
        return criterion_names(self.task(name)) if self.has_work(name) else ()

    def failure_of(self, name: str) -> TaskFailure:
        failures = (failure for failure in self.failures if failure.task == name)
        return next(failures, TaskFailure(name, 0))

    def worktree_of(self, name: str) -> TaskWorktree | None:
        return next((worktree for worktree in self.worktrees if worktree.task == name), None)

    def phase_file(self, name: str) -> str:
        """The path of a file of this phase: beside the plan in a GSD project, else in .loop."""
        folder = self.file.rpartition("/")[0] if self.gsd else ".loop"
        return f"{folder}/{name}"

    def is_unshown(self, name: str) -> bool:
        """Is no check and no file about this task? Then only the agent says that it is done."""
        task = self.task(name)
        return not task.checks and not task.files

    @property
    def running_tasks(self) -> tuple[str, ...]:
        return tuple(lane.task for lane in self.lanes)

    def with_retries_reset(self, cause: str) -> Plan:
        """After `loop continue`: parked work may be tried again, with more fix rounds if needed."""
        used_up = cause in ("rounds", "gaps") and self.fix_rounds >= self.max_fix_rounds
        return self.but(
            parked=(),
            failures=tuple(
                failure.but(times=0) if failure.task in self.parked else failure
                for failure in self.failures
            ),
            gaps=tuple(gap.but(tries=0) for gap in self.gaps),
            max_fix_rounds=self.max_fix_rounds + EXTRA_FIX_ROUNDS * used_up,
        )

    @property
    def awaits_verification(self) -> bool:
        """Is every gap of the fix round tried, and is the result not verified yet?"""
        is_busy = self.queue or self.assigned or self.lanes or self.landings
        return self.stage == VERIFY and bool(self.gaps) and not is_busy

    @property
    def open_gaps(self) -> tuple[Gap, ...]:
        return tuple(gap for gap in self.gaps if gap.key not in self.parked)


def plan_limits(plan: Plan) -> Limits:
    """Enough iterations for every attempt at every task and for every fix round."""
    attempts = len(plan.tasks) * (plan.retries + 1)
    return Limits(iterations=attempts + plan.max_fix_rounds + 1, minutes=480)


def criterion_names(task: Task) -> tuple[str, ...]:
    """The criteria that prove a task, one for each of its checks."""
    return tuple(
        f"{task.id}.{number} {check.text or check.command}"
        for number, check in enumerate(task.checks, 1)
    )
