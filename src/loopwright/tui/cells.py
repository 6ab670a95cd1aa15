"""What the terminal shows of a read model: cells and lines of plain text.

Text of agents and repositories is never read as markup, so every cell is a `Text`. Signs and words
carry the meaning; colours only repeat it.
"""

from __future__ import annotations

from rich.text import Text
from textual.binding import Binding

from ..core.prompts.phrases import clip_text, one_line, time_ago
from ..disk.user_folders import short_path
from ..views.board_of_loops import (
    INTERRUPTED,
    NEEDS_YOU,
    OVER,
    QUEUED,
    STATUS_WORDS,
    UNDRIVEN,
    WAITING,
    WORKING,
    BoardRow,
    JobView,
)
from ..views.loop_history import IterationPoint
from ..views.loop_page import (
    CLAIMED,
    EARLIER,
    FAILED,
    MET,
    OPEN,
    CriterionView,
    LimitView,
    LoopPage,
)
from ..views.loop_timeline import BAD, GOOD, WAITS, TimelineEntry

STATUS_SIGNS = {
    "running": "▶",
    WAITING: "…",
    INTERRUPTED: "?",
    UNDRIVEN: "○",
    "asking": "?",
    "paused": "‖",  # ⏸ is two columns wide in many terminals
    "finished": "✓",
    "cancelled": "✗",
    "unreadable": "!",
    "queued": "…",
    "failed": "!",
}
UNSHOWN_SIGN = "?"  # of an end that no command of ours has shown
SHORT_STATES = {UNDRIVEN: "no session", INTERRUPTED: "your turn"}  # the details say it in full
GROUP_STYLES = {NEEDS_YOU: "bold yellow", WORKING: "cyan", QUEUED: "", OVER: "dim"}
VERDICT_STYLES = {"SHIP": "green", "MONITOR": "yellow", "RESEARCH": "red"}
STATE_STYLES = {MET: "green", EARLIER: "dim", FAILED: "red", CLAIMED: "yellow", OPEN: "dim"}
TONE_STYLES = {GOOD: "green", BAD: "red", WAITS: "yellow"}
BOARD_COLUMNS = ("", "Project", "State", "Criteria", "Cost", "Work")
CRITERIA_COLUMNS = ("", "Criterion", "Result")
ITERATION_COLUMNS = ("Turn", "Time", "Cost", "Total", "Failing", "Checks", "What happened")
MAX_NAME, MAX_WORK = 18, 120
# The keys that give an order, on the board and on the page of a loop.
ORDER_BINDINGS = (
    Binding("p", "pause", "Pause"),
    Binding("c", "continue", "Continue"),
    Binding("a", "answer", "Answer"),
    Binding("s", "steer", "Steer"),
    Binding("r", "rule", "Rule", show=False),  # the page says so when a ruling is wanted
    Binding("x", "cancel", "Cancel"),
    Binding("question_mark", "help", "Help"),
)


def board_cells(row: BoardRow, place: int | None = None) -> tuple[Text, ...]:
    """The row of one loop on the board; `place` is that of a job in the queue."""
    style = GROUP_STYLES.get(row.group, "red")
    if row.verdict:
        style = VERDICT_STYLES.get(row.verdict, style)
    sign = STATUS_SIGNS.get(row.status, "!")
    if row.verdict and not row.is_shown:
        sign = UNSHOWN_SIGN
    if row.status == "failed":
        style = "bold red"
    work = row.why if row.status in ("unreadable", "failed") else row.spec
    if row.job:
        work = " · ".join(filter(None, (f"job {row.job.id}: {work}", queue_text(row.job, place))))
    return (
        Text(sign, style),
        Text(clip_text(row.project, MAX_NAME)),
        Text(SHORT_STATES.get(row.status, row.state_text), style),
        Text(progress_text(row), justify="right"),
        Text(cost_text(row), justify="right"),
        Text(clip_text(one_line(work), MAX_WORK)),
    )


def queue_text(job: JobView, place: int | None) -> str:
    """Where a job is: its worker, or its place in the queue and what it waits for."""
    parts = [f"place {place}" if place else "", f"priority {job.priority}" if job.priority else ""]
    return ", ".join(filter(None, (*parts, job.place_text)))


def progress_text(row: BoardRow) -> str:
    """Tasks of a plan, open items of a discovery loop, else criteria."""
    if row.tasks:
        return f"{row.tasks_done}/{row.tasks}"
    if row.policy == "discovery":
        return f"{row.open_items} open"
    return f"{row.signs[:6]} {row.met}/{row.criteria}".strip() if row.criteria else "-"


def cost_text(row: BoardRow) -> str:
    if row.job and not row.job.loop:  # it has not begun
        return "-"
    return f"{row.cost_text}/{row.max_dollars:g}" if row.is_cost_known else row.cost_text


def row_details(row: BoardRow, now: float) -> Text:
    """What the board tells below the table about the chosen loop."""
    text = Text(row.spec or row.why)
    if row.spec and row.why:
        text.append(f"\n{row.why}", GROUP_STYLES.get(row.group, ""))
    if row.job:
        text.append(f"\n{job_text(row.job, row.spec)}", "dim")
        return text
    text.append(f"\n{short_path(row.root)}", "dim")
    turns = f"{row.iterations} of {row.max_iterations} turns"
    changed = f"changed {time_ago(max(0.0, now - row.changed_at))}"
    driver = f"driven by {row.driver}" if row.driver else ""
    text.append(f"\n{', '.join(filter(None, (turns, changed, driver)))}", "dim")
    return text


def job_text(job: JobView, spec: str = "") -> str:
    """The job of a fleet: id, state, where it is, name if it is not the spec, repository."""
    name = job.name if job.name != spec else ""
    parts = (f"fleet job {job.id}", job.state, job.place_text, name, job.repository)
    return " · ".join(filter(None, parts))


def limit_text(limit: LimitView) -> str:
    if limit.name == "dollars":
        return f"${limit.used:.2f}/{limit.limit:g}"
    return f"{limit.used:g}/{limit.limit:g} {limit.name}"


def page_head(page: LoopPage, row: BoardRow) -> Text:
    """The first lines of the page of one loop."""
    head = Text()
    head.append(f"{STATUS_SIGNS.get(row.status, '!')} {row.project}  ", "bold")
    # The page knows the journal alone, and not whether anything drives the loop.
    reason = f"{row.state_text}: {row.why}" if row.status in STATUS_WORDS else page.headline
    head.append(reason, "bold")
    head.append(f"\n{row.spec}")
    head.append("\n" + " · ".join(map(limit_text, page.limits)), "cyan")
    counters = [f"{limit_text(c)}" for c in page.counters if c.used]
    if counters:
        head.append("   signs of being stuck: " + " · ".join(counters), "yellow")
    if row.job:
        head.append(f"\n{job_text(row.job)}", "dim")
    return head


def question_text(page: LoopPage) -> Text:
    """The open question, or the disputes that wait for a ruling; empty if nothing waits."""
    lines = []
    if page.question:
        if page.danger:
            lines.append(Text(f"! {page.danger}", "bold red"))
        lines.append(Text(page.question, "bold"))
        lines.append(Text(f"Press a to answer and to see what it is about. {page.answer_reaches}"))
    for dispute in page.disputes:
        if dispute.criterion in page.awaiting_ruling:
            lines.append(Text(f"{dispute.criterion} is disputed: {dispute.why}", "bold"))
            lines.append(Text("Press r to keep, drop or change it."))
    return Text("\n").join(lines)


def criterion_cells(c: CriterionView) -> tuple[Text, ...]:
    name = c.name if c.kind == "criterion" else f"{c.kind}: {c.name}"
    marks = [
        word
        for word, is_set in (
            ("guard", c.is_guard),
            ("flaky", c.is_flaky),
            ("disputed", c.is_disputed),
        )
        if is_set
    ]
    result = f"{c.result} ({', '.join(marks)})" if marks else c.result
    return Text(c.sign, STATE_STYLES[c.state]), Text(clip_text(name, 60)), Text(result)


def criterion_output(c: CriterionView, folder: str) -> Text:
    """The command of a criterion and the end of its last output, which is in the folder."""
    text = Text()
    if c.command:
        text.append(f"$ {c.command}\n", "dim")
    is_checked = c.command or c.kind == "final"  # held-out commands are not shown
    nothing = "It has not run yet." if is_checked else "No command shows it: it can only be said."
    text.append(c.output or ("It printed nothing." if c.log else nothing))
    if c.log:
        text.append(f"\n\nThe whole output: {folder}/{c.log}", "dim")
    return text


def iteration_cells(point: IterationPoint, time_text: str) -> tuple[Text, ...]:
    checks = " ".join(
        f"{'=' if name in point.carried else ''}{'✓' if passed else '✗'}"
        for name, passed in point.results[:12]
    )
    failing = "" if point.failures is None else str(point.failures)
    return (
        Text(str(point.number), justify="right"),
        Text(time_text, "dim"),
        Text(f"${point.dollars:.2f}", justify="right"),
        Text(f"${point.total_dollars:.2f}", justify="right"),
        Text(failing, "red" if failing not in ("", "0") else "", justify="right"),
        Text(checks),
        Text(", ".join((*((point.agent,) if point.agent else ()), *point.notes))),
    )


def gate_details(page: LoopPage) -> str:
    """What the open question is about, and what an answer does."""
    lines = [f"! {page.danger}"] if page.danger else []
    lines.append(page.question)
    for section in page.gate_sections:
        lines += [f"{section.title}:", *(f"  {row}" for row in section.rows)]
    if page.yes_does:
        lines.append(f"y = {page.yes_does} · n = {page.no_does} · or say something")
    return "\n".join((*lines, page.answer_reaches))


def findings_text(page: LoopPage) -> Text:
    """Findings, disputes, the demands of the spec, strength and the notes of the verdict."""
    text = Text()
    for finding in page.findings:
        style = "red" if finding.severity == "high" else "yellow"
        text.append(f"{finding.severity}: ", style)
        text.append(f"{finding.file}: {finding.text}\n")
    for dispute in page.disputes:
        text.append(f"disputed: {dispute.criterion}: ", "yellow")
        text.append(f"{dispute.why} ({dispute.ruling or 'waits for a ruling'})\n")
    for line in (*page.demands, *page.strength):
        text.append(f"{line}\n")
    for note in page.verdict_notes:
        text.append(f"{note}\n")
    if not text:
        text.append("Nothing was found so far that makes the proof easier.", "dim")
    return text


def timeline_line(entry: TimelineEntry, time_text: str) -> Text:
    line = Text()
    line.append(f"{time_text}  ", "dim")
    line.append(entry.title, TONE_STYLES.get(entry.tone, ""))
    if entry.dollars:
        line.append(f"  ${entry.dollars:.2f}", "dim")
    if entry.detail:
        line.append(f"  {clip_text(one_line(entry.detail), MAX_WORK)}", "dim")
    return line
