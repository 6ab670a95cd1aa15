"""The page of one loop: criteria and their last output, question, disputes, limits, graph. Pure."""

from __future__ import annotations

from ..core.criteria import Check, Criterion
from ..core.findings import HIGH, LOW, MEDIUM
from ..core.loop import Loop, open_findings
from ..core.plan.plan import Plan
from ..core.prompts.dangers import danger_text
from ..core.prompts.demands import board_lines
from ..core.prompts.end_screen import is_shown
from ..core.prompts.open_questions import open_questions
from ..core.prompts.phrases import clip_text, one_line, strip_control_characters
from ..core.prompts.questions import YES_AND_NO
from ..core.prompts.thin_work import strength_lines
from ..core.proof.grades import is_accepted_after_end
from ..core.record import Record
from ..core.status import ENDED
from .board import next_command
from .gate_content import GateSection, gate_sections
from .plan_graph import PlanGraph, plan_graph
from .useful_line import find_useful_line
from .why import headline

MAX_OUTPUT = 6_000
# Causes of a pause after which the same again would come to the same.
NEEDS_WORDS = ("stuck", "same-error", "same-file", "idle")
# EARLIER: our check ran, and the files have changed since then.
MET, EARLIER, FAILED, CLAIMED, OPEN = "met", "earlier", "failed", "claimed", "open"
# Of checks that run no program.
PROBE_WORDS = {
    "file": "no command: is the file there?",
    "content": "no command: does the file hold the text?",
    "artifact": "no command: is the file as planned?",
    "link": "no command: does the one file use the other?",
}
STATE_SIGNS = {MET: "✓", EARLIER: "–", FAILED: "✗", CLAIMED: "?", OPEN: "○"}


class CriterionView(Record):
    """One criterion, with its state and the end of its last output."""

    name: str
    state: str  # met, earlier, failed, claimed or open
    sign: str  # of the state
    kind: str  # criterion, must-not or final
    command: str = ""
    result: str = ""
    seconds: float = 0.0
    output: str = ""
    useful_line: int = 0  # of the output: where to look first
    log: str = ""
    is_guard: bool = False
    is_flaky: bool = False
    is_disputed: bool = False


class DisputeView(Record):
    criterion: str
    why: str
    ruling: str


class FindingView(Record):
    severity: str
    file: str
    text: str


class LimitView(Record):
    """What is used of one limit."""

    name: str
    used: float
    limit: float


class LoopPage(Record):
    """Everything about a loop that is not in its history."""

    headline: str
    next_command: str
    spec: str
    criteria: tuple[CriterionView, ...]
    limits: tuple[LimitView, ...]
    counters: tuple[LimitView, ...]
    gate: str = ""
    question: str = ""
    danger: str = ""  # what the question is about, if that cannot be undone
    gate_sections: tuple[GateSection, ...] = ()  # what the question is about
    yes_does: str = ""  # what an answer does, in words
    no_does: str = ""
    answer_reaches: str = ""  # when the agent learns the answer
    awaiting_ruling: tuple[str, ...] = ()
    disputes: tuple[DisputeView, ...] = ()
    findings: tuple[FindingView, ...] = ()
    demands: tuple[str, ...] = ()  # of the spec, each with what shows it
    strength: tuple[str, ...] = ()  # what the checks notice, line by line
    verdict_notes: tuple[str, ...] = ()
    to_decide: tuple[str, ...] = ()  # beside the question, with the commands
    next_step: str = ""  # for the person; "" while the loop needs nobody
    last_words: str = ""
    guidance: str = ""
    backlog: tuple[str, ...] = ()
    backlog_done: tuple[str, ...] = ()
    graph: PlanGraph | None = None
    unchecked: tuple[str, ...] = ()  # of the plan: what no command checks


def loop_page(loop: Loop) -> LoopPage:
    answers = YES_AND_NO.get(loop.gate.name, ("", "")) if loop.gate else ("", "")
    return LoopPage(
        headline=clean_text(headline(loop)),
        next_command=next_command(loop),
        next_step=clean_text(_next_step(loop)),
        spec=clean_text(loop.spec),
        criteria=_criteria(loop),
        limits=_limits(loop),
        counters=_counters(loop),
        gate=loop.gate.name if loop.gate else "",
        question=clean_text(loop.gate.question) if loop.gate else "",
        danger=danger_text(loop.gate),
        gate_sections=gate_sections(loop),
        yes_does=answers[0],
        no_does=answers[1],
        answer_reaches=answer_reaches(loop),
        awaiting_ruling=loop.awaiting_ruling,
        disputes=tuple(
            DisputeView(d.criterion, clean_text(d.why), d.ruling) for d in loop.disputes
        ),
        findings=tuple(
            FindingView(f.severity, f.file, f.text) for f in open_findings(loop, HIGH, MEDIUM, LOW)
        ),
        demands=tuple(map(clean_text, board_lines(loop))),
        strength=tuple(map(clean_text, strength_lines(loop))),
        verdict_notes=loop.verdict.notes if loop.verdict else (),
        to_decide=tuple(map(clean_text, _to_decide(loop))),
        last_words=clean_text(loop.run.answer_tail) if loop.run else "",
        guidance=clean_text(loop.dialogue.guidance),
        backlog=loop.backlog.items[:200] if loop.backlog else (),
        backlog_done=loop.backlog.done[-200:] if loop.backlog else (),
        graph=plan_graph(loop.plan) if loop.plan else None,
        unchecked=_unchecked_demands(loop.plan, loop) if loop.plan else (),
    )


def _to_decide(loop: Loop) -> list[str]:
    """What waits for a person beside the question, with the commands."""
    if loop.plan and loop.status not in ENDED:
        plan = loop.plan
        return [
            f"Task {name} failed and has no retries left: "
            f"{one_line(plan.failure_of(name).error).lstrip('- ').rstrip('.')}. "
            f"To try it again: `loop plan retry {name}`"
            for name in plan.parked
            if any(task.id == name for task in plan.tasks)
        ]
    return [question.line for question in open_questions(loop)]


def _unchecked_demands(plan: Plan, loop: Loop) -> tuple[str, ...]:
    """What the plan asks for and no command checks."""
    tasks = [f"{task.id} {task.title}" for task in plan.tasks if not task.checks]
    return tuple(map(clean_text, (*tasks, *(c.name for c in loop.criteria if not c.check))))


def _next_step(loop: Loop) -> str:
    """What a person does now, beside the buttons of the page."""
    if loop.status in ENDED:
        if is_accepted_after_end(loop):
            return "nothing is open. To take back what you accepted: `loop accept --revoke`"
        is_settled = bool(loop.verdict and loop.verdict.is_shown) and not open_questions(loop)
        return "nothing is open. For a pull request: `loop receipt`" if is_settled else ""
    if loop.status == "running" and loop.headless_run and loop.headless_run.waiting_reason:
        return "nothing for you. It continues by itself then"
    if loop.status == "paused" and loop.pause.cause in NEEDS_WORDS:
        return (
            f"tell the agent what to try (`loop steer TEXT`), then continue: {next_command(loop)}"
        )
    is_working = loop.status == "running" and loop.lease.holder and not loop.lease.session_ended
    return "" if is_working or loop.status == "asking" else next_command(loop)


def answer_reaches(loop: Loop) -> str:
    """When the agent learns what a person orders from outside; "" for a loop that has ended."""
    if loop.status in ENDED:
        return ""
    if loop.headless_run:
        return "`loop run --stay` continues at once. If the runner has ended, begin it: `loop run`."
    if loop.lease.holder and not loop.lease.session_ended:
        return "The session learns it with its next prompt."
    return "No agent works on it now. The next prompt to your agent in this folder brings it."


def clean_text(text: str) -> str:
    """Text of others as a page shows it: not too long, and without control characters."""
    return strip_control_characters(clip_text(text, MAX_OUTPUT))


def _criteria(loop: Loop) -> tuple[CriterionView, ...]:
    groups = (
        ("criterion", loop.criteria),
        ("must-not", loop.must_not),
        ("final", loop.final_checks),
    )
    return tuple(_criterion(c, loop, kind) for kind, group in groups for c in group)


def _criterion(c: Criterion, loop: Loop, kind: str) -> CriterionView:
    proof = c.proof
    output = clean_text(proof.detail[-MAX_OUTPUT:]) if proof else ""
    # Held-out commands are digests in the journal, which tell a reader nothing.
    command = _command_text(c.check) if c.check and kind != "final" else ""
    state = criterion_state(c, loop)
    return CriterionView(
        name=c.name,
        state=state,
        sign=STATE_SIGNS[state],
        kind=kind,
        command=strip_control_characters(command),
        result=_result(c, loop),
        seconds=proof.seconds if proof else 0.0,
        output=output,
        useful_line=find_useful_line(output),
        log=proof.log if proof else "",
        is_guard=bool(c.guard),
        is_flaky=c.flaky,
        is_disputed=c.name in loop.disputed_criteria,
    )


def _command_text(check: Check) -> str:
    return PROBE_WORDS.get(check.command[0], "") if check.probe else check.command_line


def criterion_state(c: Criterion, loop: Loop) -> str:
    if is_shown(c, loop):
        return MET
    if loop.is_met(c):
        return CLAIMED
    if not c.proof:
        return OPEN
    if c.proof.by == "loop" and c.proof.tree != loop.tree:
        return EARLIER
    return OPEN if c.proof.passed else FAILED


def _result(c: Criterion, loop: Loop) -> str:
    proof = c.proof
    if c.awaits_permission:
        return "waits for `loop allow`"
    if proof and proof.by == "person":
        return "confirmed by a person"
    if proof and proof.by == "loop":
        if proof.tree == loop.tree:
            return proof.timed_result
        word = "passed" if proof.passed else "failed"
        return f"{word} before the files changed ({proof.timed_result})"
    if c.is_claimed:
        return "claimed by the agent"
    return "not run yet" if c.check else "no check"


def _limits(loop: Loop) -> tuple[LimitView, ...]:
    spend, limits = loop.spend, loop.limits
    return (
        LimitView("iterations", spend.iterations, limits.iterations),
        LimitView("dollars", round(spend.dollars, 4), limits.dollars),
        LimitView("minutes", round(spend.seconds / 60, 2), limits.minutes),
    )


def _counters(loop: Loop) -> tuple[LimitView, ...]:
    if loop.status in ENDED:
        return ()
    streak, limits = loop.streak, loop.limits
    return (
        LimitView("no progress", streak.stuck, limits.stuck),
        LimitView("same error", streak.same_error, limits.same_error),
        LimitView("same file", streak.same_file, limits.same_file),
        LimitView("nothing done", streak.idle, limits.idle),
    )
