"""A plan: tasks in waves, what each must leave behind, and how the whole is verified. Values only; `planning.py` moves them.

Only plan loops hold one: this file is imported where a journal names it (see record.LATER).
"""

from __future__ import annotations

from ..limits import Limits
from ..record import Record

CREATE, MODIFY, DELETE = "create", "modify", "delete"
EXECUTE, VERIFY = "execute", "verify"
INTERACTIVE, YOLO = MODES = ("interactive", "yolo")
FILE, CONTENT = (
    "file",
    "content",
)  # kinds of check that we make without a command; others are an agent's or a person's
PROJECT_COMMANDS = (
    "lint",
    "typecheck",
    "test",
    "build",
)  # what a project's own commands prove, in this order
EXTRA_FIX_ROUNDS = 10  # what a person's "go on" adds when they are used up
E2E = "e2e"  # the last: it says nothing while another check fails
GAP_STRATEGIES = {  # type of gap → how it is mended
    "orphan": "Add import + usage to parent",
    "broken_link": "Fix path/typo in reference",
    "stub": "Implement real functionality",
    "missing_export": "Add export statement",
    "wrong_import": "Correct import path",
    "ci_failure": "Apply specific fix for error",
}


class PlannedFile(Record):
    path: str
    action: str = MODIFY


class TaskCheck(Record):
    """How a task is to be checked. `path` and `wanted` are what its words come to; where they are empty nobody can run it."""

    kind: str
    text: str = ""
    command: str = ""
    path: str = ""
    wanted: tuple[str, ...] = ()


class Task(Record):
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
    runs_alone: bool = False  # nothing else runs beside it

    @property
    def paths(self) -> frozenset[str]:
        return frozenset(file.path for file in self.files)


class Link(Record):
    """One file must know of another, in either direction, or both of a name that `how` gives."""

    source: str
    target: str
    how: str = ""


class MustHave(Record):
    """A truth that the plan works back from. With a command it can be proven; without one it is examined and claimed."""

    text: str
    command: str = ""


class Gap(Record):
    """What verification found missing."""

    kind: str
    file: str
    text: str
    evidence: str = ""
    target: str = ""  # of a broken link
    criterion: str = ""  # whose failing it is; empty: an agent reported it
    tries: int = 0

    @property
    def key(self) -> str:
        return (
            f"{self.kind}:{self.file}->{self.target}" if self.target else f"{self.kind}:{self.file}"
        )


class HistoryEntry(Record):
    """One line of the history: what an iteration of a kind came to."""

    iteration: int
    kind: str
    result: str
    gaps: tuple[str, ...] = ()


class TaskFailure(Record):
    """The failures of one task so far, and what the last of them was."""

    task: str
    times: int
    error: str = ""
    analysis: str = ""
    fix: str = ""


class Lane(Record):
    """A turn of a runner in a worktree of its own."""

    task: str
    started_at: float
    agent: str
    reserved_dollars: float
    turn_number: int  # of the turn: its log is called so


class TaskWorktree(Record):
    """A worktree that holds the work of a task, from the commit that it was made on."""

    task: str
    path: str
    branch: str
    base_commit: str


class LaneResult(Record):
    """What the turn of a lane left: the commit that would be merged; "" where there is none."""

    task: str
    commit: str = ""


class Plan(Record):
    phase: str
    title: str = ""
    file: str = ""  # where it was read
    tasks: tuple[Task, ...] = ()
    must_haves: tuple[MustHave, ...] = ()
    links: tuple[Link, ...] = ()
    eager: bool = False  # what depends on nothing open may begin, whatever its wave
    auto_loop: bool = True  # off: one attempt, one verification, a report
    gsd: str = ""  # the folder of a GSD project whose state is kept current; "" without one
    retries: int = 3
    max_fix_rounds: int = 20
    stage: str = EXECUTE
    assigned: tuple[str, ...] = ()  # tasks, or keys of gaps, that the agent works on
    done: tuple[str, ...] = ()
    failures: tuple[TaskFailure, ...] = ()
    parked: tuple[str, ...] = ()  # tasks and keys of gaps out of retries
    commits: tuple[tuple[str, str], ...] = ()
    issues: tuple[str, ...] = ()  # NEW ISSUE: what an agent found beside its task
    lanes: tuple[Lane, ...] = ()
    worktrees: tuple[TaskWorktree, ...] = ()
    fix_rounds: int = 0  # rounds of fixing so far
    gaps: tuple[Gap, ...] = ()
    queue: tuple[str, ...] = ()  # gaps that nobody has tried to fix yet in this round
    history: tuple[HistoryEntry, ...] = ()

    def task(self, name: str) -> Task:
        return next(task for task in self.tasks if task.id == name)

    def failure_of(self, name: str) -> TaskFailure:
        return next(
            (failed for failed in self.failures if failed.task == name), TaskFailure(name, 0)
        )

    def worktree_of(self, name: str) -> TaskWorktree | None:
        return next((place for place in self.worktrees if place.task == name), None)

    def phase_file(self, name: str) -> str:
        """Where a paper of this phase lies: with the plan in a GSD project, else in our own folder."""
        return f"{self.file.rpartition('/')[0]}/{name}" if self.gsd else f".loop/{name}"

    @property
    def running_tasks(self) -> tuple[str, ...]:
        return tuple(lane.task for lane in self.lanes)

    def with_retries_reset(self, cause: str) -> Plan:
        """A person says go on: what is parked may be tried again, and there are rounds for it."""
        failed = tuple(
            one.but(times=0) if one.task in self.parked else one for one in self.failures
        )
        gaps = tuple(gap.but(tries=0) for gap in self.gaps)
        used_up = cause in ("rounds", "gaps") and self.fix_rounds >= self.max_fix_rounds
        return self.but(
            parked=(),
            failures=failed,
            gaps=gaps,
            max_fix_rounds=self.max_fix_rounds + EXTRA_FIX_ROUNDS * used_up,
        )

    @property
    def open_gaps(self) -> tuple[Gap, ...]:
        return tuple(gap for gap in self.gaps if gap.key not in self.parked)


def plan_limits(plan: Plan) -> Limits:
    """Room for every attempt at every task, and for every round of fixing."""
    return Limits(
        iterations=len(plan.tasks) * (plan.retries + 1) + plan.max_fix_rounds + 1, minutes=480
    )


def criterion_names(task: Task) -> tuple[str, ...]:
    """The criteria that prove a task, one for each of its checks."""
    return tuple(
        f"{task.id}.{number} {check.text or check.command}"
        for number, check in enumerate(task.checks, 1)
    )
