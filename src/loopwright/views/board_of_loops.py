"""The board of all loops: one row for each, and which of them need a person."""

from __future__ import annotations

import os.path
from collections.abc import Iterable

from ..core.loop import Loop
from ..core.prompts.end_screen import is_shown
from ..core.prompts.end_words import meaning_text
from ..core.prompts.parts import spec_summary
from ..core.prompts.phrases import clip_text, strip_control_characters
from ..core.record import Record
from .board import RUNNER_GONE, driver_text, is_driven, next_command
from .clock import clock_time
from .loop_page import STATE_SIGNS, criterion_state

MAX_SPEC, MAX_REASON, MAX_SIGNS = 160, 240, 8
# Rows are ordered by these groups: first what waits for a person.
NEEDS_YOU, WORKING, QUEUED, OVER, UNREADABLE = range(5)
# What a loop does on the board. The journal calls four of them "running": a loop that works, that
# waits for a limit, whose person has the turn, and that no session and no runner drives.
WAITING, INTERRUPTED, UNDRIVEN = "waiting", "interrupted", "undriven"
GROUPS = {
    "asking": NEEDS_YOU,
    "paused": NEEDS_YOU,
    "failed": NEEDS_YOU,  # a job of a fleet that could not begin
    INTERRUPTED: NEEDS_YOU,
    UNDRIVEN: NEEDS_YOU,
    "running": WORKING,
    WAITING: WORKING,
    "queued": QUEUED,  # a job of a fleet
    "unreadable": UNREADABLE,
}
# Within a group: a question is urgent, and a loop without a driver has lost nothing yet.
URGENCY = {"asking": 0, UNDRIVEN: 2}
STATUS_WORDS = {
    WAITING: "waits",
    INTERRUPTED: "waits for you",
    UNDRIVEN: "waits for a session",
}


class JobView(Record):
    """The job of a fleet to which a loop belongs."""

    id: str
    name: str
    state: str
    repository: str
    worker: str = ""  # that holds it now
    waits_for: str = ""
    loop: str = ""  # the id of its loop; "" before it has begun
    priority: int = 0
    labels: tuple[str, ...] = ()  # that a worker needs to take it
    queue_key: tuple[float, ...] = ()  # of a queued job: in this order they will run

    @property
    def place_text(self) -> str:
        """The worker that holds the job, or what it waits for; "" otherwise."""
        if self.worker:
            return f"on {self.worker}"
        return f"waits for {self.waits_for}" if self.waits_for else ""


class BoardRow(Record):
    """One loop at a glance."""

    id: str
    project: str  # the name of its folder
    root: str
    status: str
    policy: str = ""
    spec: str = ""
    why: str = ""  # the question, the reason of the pause, or the verdict
    verdict: str = ""  # SHIP, MONITOR, RESEARCH
    grade: str = ""
    iterations: int = 0
    max_iterations: int = 0
    dollars: float = 0.0
    max_dollars: float = 0.0
    is_cost_known: bool = True
    minutes: float = 0.0
    max_minutes: float = 0.0
    signs: str = ""  # one for each criterion, if they are few
    met: int = 0  # criteria that a command has shown
    criteria: int = 0
    tasks_done: int = 0
    tasks: int = 0
    open_items: int = 0
    driver: str = ""
    agent: str = ""
    started_at: float = 0.0
    changed_at: float = 0.0
    ended_at: float = 0.0
    job: JobView | None = None  # of a loop that a fleet runs

    @property
    def cost_text(self) -> str:
        return f"${self.dollars:.2f}" if self.is_cost_known else "unknown"

    @property
    def progress_text(self) -> str:
        """Tasks of a plan, open items of a discovery loop, else criteria with their signs."""
        if self.tasks:
            return f"{self.tasks_done} of {self.tasks} tasks"
        if self.policy == "discovery":
            return f"{self.open_items} open"
        count = f"{self.met} of {self.criteria}" if self.criteria else ""
        return f"{self.signs} {count}".strip()

    @property
    def state_text(self) -> str:
        """The grade of a loop that has a verdict, else its status."""
        return self.grade or STATUS_WORDS.get(self.status, self.status)

    @property
    def is_shown(self) -> bool:
        """Has a command shown the end? Strong tests of the agent have, by SHIP."""
        return self.verdict == "SHIP" or self.grade.startswith("proven")

    @property
    def group(self) -> int:
        return GROUPS.get(self.status, OVER)

    @property
    def order(self) -> tuple[float, ...]:
        """Rows are sorted by this: who must act, how urgent it is, newest first.

        Queued jobs are in the order in which they will run.
        """
        if self.group == QUEUED and self.job:
            return (self.group, 0, *self.job.queue_key)
        return (self.group, URGENCY.get(self.status, 1), -self.changed_at)


class BoardTotals(Record):
    """How many loops there are of each kind, and what they have cost."""

    needs_you: int = 0
    working: int = 0
    over: int = 0
    unreadable: int = 0
    dollars: float = 0.0
    queued: int = 0


def board_row(loop: Loop, root: str, changed_at: float, runner_gone: bool = False) -> BoardRow:
    """`runner_gone`: a runner has the lease, and its process has ended."""
    spend, limits, plan = loop.spend, loop.limits, loop.plan
    status = status_on_board(loop, runner_gone)
    return BoardRow(
        id=loop.id,
        project=os.path.basename(root) or root,
        root=root,
        status=status,
        policy=loop.policy,
        spec=strip_control_characters(spec_summary(loop, MAX_SPEC)),
        why=one_clean_line(RUNNER_GONE if runner_gone else reason_text(loop, status)),
        verdict=loop.verdict.name if loop.verdict else "",
        grade=loop.verdict.grade_text if loop.verdict else "",
        iterations=spend.iterations,
        max_iterations=limits.iterations,
        dollars=round(spend.dollars, 4),
        max_dollars=limits.dollars,
        is_cost_known=not spend.unpriced,
        minutes=round(spend.seconds / 60, 2),
        max_minutes=limits.minutes,
        signs=criteria_signs(loop),
        met=sum(is_shown(c, loop) for c in loop.criteria),
        criteria=len(loop.criteria),
        tasks_done=len(plan.done) if plan else 0,
        tasks=len(plan.tasks) if plan else 0,
        open_items=len(loop.backlog.items) if loop.backlog else 0,
        driver=driver_text(loop.lease) if is_driven(loop) else "",
        agent=loop.run.agent if loop.run else "",
        started_at=loop.clock.started_at,
        changed_at=changed_at,
        ended_at=loop.clock.ended_at,
    )


def criteria_signs(loop: Loop) -> str:
    """What is shown of each criterion; "" where a row has no room for all of them."""
    states = [criterion_state(c, loop) for c in loop.criteria[: MAX_SIGNS + 1]]
    return "".join(STATE_SIGNS[state] for state in states) if len(states) <= MAX_SIGNS else ""


def status_on_board(loop: Loop, runner_gone: bool = False) -> str:
    """What the loop does: for one that runs, whether anything drives it."""
    if loop.status != "running":
        return loop.status
    if loop.waits_for_person:
        return INTERRUPTED
    if runner_gone or not loop.lease.holder or loop.lease.session_ended:
        return UNDRIVEN
    run = loop.headless_run
    return WAITING if run and run.waiting_reason else loop.status


def reason_text(loop: Loop, status: str) -> str:
    """The open question, the reason of a pause, the verdict, or what the loop waits for."""
    if loop.gate:
        return loop.gate.question
    if status == WAITING and loop.run:
        return f"until {clock_time(loop.run.waiting_until)}: {loop.run.waiting_reason}"
    if status in (INTERRUPTED, UNDRIVEN):
        return next_command(loop)
    if loop.status == "running":
        return ""
    if loop.pause.cause == "stuck":
        return f"no progress: {loop.pause.why}"
    return meaning_text(loop.verdict) if loop.verdict else loop.pause.why


def one_clean_line(text: str) -> str:
    return clip_text(strip_control_characters(" ".join(text.split())), MAX_REASON)


def unreadable_row(loop_id: str, root: str, changed_at: float, problem: str) -> BoardRow:
    """A loop whose journal cannot be read, with the reason."""
    return BoardRow(
        id=loop_id,
        project=os.path.basename(root) or root,
        root=root,
        status="unreadable",
        why=one_clean_line(problem),
        changed_at=changed_at,
    )


def sort_rows(rows: Iterable[BoardRow]) -> list[BoardRow]:
    """First what waits for a person, then what works, is queued, is over."""
    return sorted(rows, key=lambda row: (row.order, row.id))


def queue_positions(rows: Iterable[BoardRow]) -> dict[str, int]:
    """The place of each queued job, from 1; the rows are in the order of the board."""
    queued = (row for row in rows if row.group == QUEUED)
    return {row.id: number for number, row in enumerate(queued, 1)}


def board_totals(rows: Iterable[BoardRow]) -> BoardTotals:
    counts = [0] * (UNREADABLE + 1)
    dollars = 0.0
    for row in rows:
        counts[row.group] += 1
        dollars += row.dollars
    needs_you, working, queued, over, unreadable = counts
    return BoardTotals(needs_you, working, over, unreadable, round(dollars, 2), queued)
