"""Breakers and pauses: when a loop pauses, and the counters behind that.

Each breaker compares a counter with its limit. To add one, add a line to BREAKERS and to the table
of docs/troubleshooting.md.
"""

from __future__ import annotations

from .. import events as ev
from ..criteria import Evidence
from ..directives import Ask, Stop
from ..draft import Draft
from ..limits import Streak
from ..loop import Gate, Loop
from ..prompts import messages
from ..proof.state import CheckRound
from ..signals import ToolOutcome, TurnOver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..runner.run import Run


# Numbers that a check prints beside its failures: 1 where more is better, -1 where less is better.
PROGRESS_NUMBERS = {"passed": 1, "coverage": 1, "problems": -1}
RECENT_SETS = 6  # how many sets of unmet criteria `count_progress` remembers


def tripped(loop: Loop) -> tuple[str, str] | None:
    """The first breaker that has a reason to pause, and the reason."""
    for name, breaker in BREAKERS.items():
        if why := breaker(loop):
            return name, why
    return None


def pause_if_tripped(draft: Draft, at: float) -> Stop | None:
    """Pause the loop if a breaker has a reason to."""
    reason = tripped(draft.loop)
    return pause_loop(draft, *reason, at) if reason else None


def blocking_error(loop: Loop) -> str | None:
    return loop.streak.blocking_error or None


def transient_faults(loop: Loop) -> str | None:
    if loop.streak.transient >= loop.limits.transient:
        times = loop.streak.transient
        return f"the same kind of passing fault {times} times in a row: {loop.streak.error_text}"
    return None


def denied_calls(loop: Loop) -> str | None:
    if loop.headless_run and loop.headless_run.blocked_by_denials:
        calls = "; ".join(loop.headless_run.denied_calls[:3])
        return f"the agent was denied what it wanted to do, and changed nothing: {calls}"
    return None


def stuck(loop: Loop) -> str | None:
    if (loop.unmet_criteria or loop.objections) and loop.streak.stuck >= loop.limits.stuck:
        return f"circuit breaker triggered after {loop.streak.stuck} stuck iterations"
    return None


def same_error(loop: Loop) -> str | None:
    run = loop.headless_run
    if run and run.turn_breaker == "same-error":
        if run.turn_breaker_times == 1:
            return None  # it ended the last turn, and the agent has not been told yet
        return _ended_turns(run)
    if loop.streak.same_error >= loop.limits.same_error:
        return f"the same error {loop.streak.same_error} times in a row: {loop.streak.error_text}"
    return None


def broken_turns(loop: Loop) -> str | None:
    run = loop.headless_run
    if run and run.turn_breaker_times > 1 and run.turn_breaker != "turn-budget":
        return _ended_turns(run)
    return None


def _ended_turns(run: Run) -> str:
    return f"{run.turn_breaker_times} turns in a row were ended: {run.cut_reason}"


def same_file(loop: Loop) -> str | None:
    if loop.streak.same_file >= loop.limits.same_file:
        file, times = loop.streak.most_edited_file, loop.streak.same_file
        return f"{file} edited {times} times in one iteration, likely thrashing"
    return None


def idle_turns(loop: Loop) -> str | None:
    idle = loop.streak.idle
    if idle < loop.limits.idle:
        return None
    if loop.backlog:
        return f"{idle} idle turns: no file, commit, backlog item, focus or note has changed"
    if loop.run and loop.run.cut_reason:  # a turn that hung is not idle talk
        return f"{idle} turns in a row did nothing; the last was cut off: {loop.run.cut_reason}"
    return f"{idle} turns of talk: no tool used, no file changed, nothing claimed that holds"


def client_cap(loop: Loop) -> str | None:
    streak = loop.streak
    if 0 < streak.hold_cap <= streak.held:
        from ..prompts.host_words import hold_cap_reason

        return hold_cap_reason(streak.host, streak.held, streak.hold_cap)
    count, cap = streak.toolless, streak.toolless_cap
    if 0 < cap < count:
        return f"{count} answers in a row without a tool call; the client takes no more than {cap}"
    return None


def budget_reached(loop: Loop) -> str | None:
    if loop.spend.dollars >= loop.limits.dollars:
        return f"budget of ${loop.limits.dollars:g} reached (${loop.spend.dollars:.2f} spent)"
    return None


def iterations_reached(loop: Loop) -> str | None:
    if loop.spend.iterations >= loop.limits.iterations:
        return f"iteration limit of {loop.limits.iterations} reached"
    return None


def time_reached(loop: Loop) -> str | None:
    if loop.spend.seconds >= loop.limits.minutes * 60:
        return f"time limit of {loop.limits.minutes:g} minutes reached"
    return None


BREAKERS: dict[str, Callable[[Loop], str | None]] = {
    "trouble": blocking_error,
    "transient": transient_faults,
    "denied": denied_calls,
    "stuck": stuck,
    "same-error": same_error,
    "turn": broken_turns,
    "same-file": same_file,
    "idle": idle_turns,
    "cap": client_cap,
    "budget": budget_reached,
    "iterations": iterations_reached,
    "clock": time_reached,
}


def pause_loop(draft: Draft, cause: str, why: str, at: float) -> Stop:
    """Pause the loop. `cause` is a fixed id, `why` a sentence for the person.

    The ids are in journals and exit codes: never change one. docs/troubleshooting.md has them all.
    """
    if cause in BREAKERS or cause == "must-not":
        draft.record(ev.BreakerTripped(cause, why))
    draft.record(ev.LoopPaused(cause, why, at))
    return Stop(why, messages.pause_text(draft.loop))


def ask_person(
    draft: Draft,
    gate: str,
    question: str,
    at: float,
    listed: tuple[str, ...] = (),
    unseen: bool = False,
) -> Ask:
    """Open a gate: the loop waits for the person's answer. `listed`, `unseen`: see Gate."""
    from ..prompts.questions import question_text

    draft.record(ev.GateOpened(Gate(gate, question, listed, unseen), at))
    return Ask(question, question_text(draft.loop))


def count_turn(streak: Streak, turn: TurnOver) -> Streak:
    """The counters after a turn: its errors, its tool calls, and the file that it edited most."""
    file, edits = max(turn.edits, key=lambda pair: pair[1], default=("", 0))
    toolless = streak.toolless + 1 if turn.tool_calls == 0 else 0
    streak = streak.but(
        most_edited_file=file, same_file=edits, toolless=toolless, toolless_cap=turn.toolless_cap
    )
    if turn.hold_cap or streak.hold_cap:
        held = 1 if turn.begins_turn else streak.held + 1
        streak = streak.but(
            held=held if turn.hold_cap else 0, hold_cap=turn.hold_cap, host=turn.host
        )
    for outcome in turn.tool_outcomes:
        streak = _count_same_error(streak, outcome)
    # Only the error that ends the turn matters: the agent has handled the earlier ones.
    last_error = turn.api_failure
    if not last_error and turn.tool_outcomes:
        last_error = turn.tool_outcomes[-1].error
    return _count_last_error(streak, last_error, bool(turn.api_failure))


def _count_same_error(streak: Streak, outcome: ToolOutcome) -> Streak:
    if outcome.error:
        from .errors import error_line, signature

        now = signature(outcome.key, outcome.error)
        times = streak.same_error + 1 if now == streak.error_signature else 1
        return streak.but(
            error_signature=now, error_text=error_line(outcome.error), same_error=times
        )
    if streak.error_signature.startswith(f"{outcome.key[:200]}: "):
        return streak.but(error_signature="", same_error=0)
    return streak


def _count_last_error(streak: Streak, error: str, from_api: bool) -> Streak:
    if not error:
        return streak.but(transient=0, blocking_error="")
    from .errors import BLOCKING, LOGIC, TRANSIENT, classify_error, error_line

    kind = classify_error(error, from_api)
    if kind == TRANSIENT:
        return streak.but(
            transient=streak.transient + 1, error_text=error_line(error), blocking_error=""
        )
    if kind == LOGIC:
        return streak.but(transient=0, blocking_error="")
    from ..prompts.tool_errors import blocking_error_text, unknown_error_text

    why = blocking_error_text(error) if kind == BLOCKING else unknown_error_text(error)
    return streak.but(transient=0, blocking_error=why, error_text=error_line(error))


def count_progress(
    loop: Loop,
    check_round: CheckRound,
    refuted: bool = False,
    exit_refuted: bool = False,
    same_output: bool = False,
) -> Streak:
    """The counters after a round of checks: has the loop made progress since the last Stop?

    `refuted`: a claim of this turn was refuted, so the claim alone does not count as
    activity. `exit_refuted`: the agent said that all is done, so its changed files do not show that
    it still works. `same_output`: what fails prints what it printed before, whatever files changed.

    This is also the A-B-A-B detection: a set of unmet criteria that is among the last six sets is
    not progress, so a loop that alternates between states counts as stuck and the `stuck` breaker
    pauses it. `prompts/trajectory.py` words such an oscillation for people.
    """
    streak = loop.streak
    unmet = tuple(sorted(loop.unmet_criteria))
    proofs = [c.proof for c in loop.criteria if c.proof and c.proof.is_run_on(loop.tree)]
    proven = {proof.criterion for proof in proofs if proof.passed}
    failures = {p.criterion: p.failures for p in proofs if p.failures is not None}
    failing = [proof for proof in proofs if not proof.passed]
    fewest, fewer_failures = _fewest_failures(streak, failures)
    best, better_number = _best_numbers(streak, failing)
    progress = (
        unmet not in streak.unmet
        or set(unmet) < set(streak.unmet[-1])
        or not proven <= set(streak.ever_proven)
        or bool(check_round.step)
        or fewer_failures
        or better_number
    )
    can_show_more = (
        not unmet
        or exit_refuted
        or same_output
        or any(proof.failures is not None or _progress_numbers(proof) for proof in failing)
    )
    is_active = check_round.is_active and not (refuted and check_round.only_claims)
    counted = count_stuck(streak, check_round, progress, can_show_more)
    score = (len(unmet), sum(failures.values()))
    return counted.but(
        unmet=(*streak.unmet, unmet)[-RECENT_SETS:],
        trees=(*streak.trees, loop.tree[:12])[-RECENT_SETS:],
        scores=(*streak.scores, score)[-RECENT_SETS:],
        ever_proven=tuple(sorted({*streak.ever_proven, *proven})),
        fewest_failures=fewest,
        best_numbers=best,
        idle=0 if is_active else streak.idle + 1,
    )


def reset_stuck(streak: Streak) -> Streak:
    return streak.but(stuck=0, stuck_half=False)


def count_stuck(
    streak: Streak, check_round: CheckRound, progress: bool, can_show_more: bool = False
) -> Streak:
    """One more iteration without progress; half of one if only files can show what was done.

    `can_show_more`: a number of a check would have shown progress, the exit was claimed in
    vain, or no criterion is unmet.
    The half is a field of its own. `stuck` stays a whole number with the meaning that it has in
    old journals, and the limits compare whole numbers.
    """
    if progress:
        return reset_stuck(streak)
    if can_show_more or not check_round.tree_changed:
        return streak.but(stuck=streak.stuck + 1)
    return streak.but(stuck=streak.stuck + streak.stuck_half, stuck_half=not streak.stuck_half)


def _fewest_failures(
    streak: Streak, failures: dict[str, int]
) -> tuple[tuple[tuple[str, int], ...], bool]:
    """The fewest failures of each check so far, and whether one is fewer than ever before."""
    fewest = dict(streak.fewest_failures)
    improved = any(count < fewest.get(name, count) for name, count in failures.items())
    for name, count in failures.items():
        fewest[name] = min(count, fewest.get(name, count))
    return tuple(sorted(fewest.items())), improved


def _best_numbers(
    streak: Streak, failing: list[Evidence]
) -> tuple[tuple[tuple[str, str, float], ...], bool]:
    """The best numbers of each check so far, and whether one is better than ever before."""
    best = {(check, name): value for check, name, value in streak.best_numbers}
    improved = False
    for proof in failing:
        for name, value in _progress_numbers(proof):
            key, sign = (proof.criterion, name), PROGRESS_NUMBERS[name]
            improved = improved or (value - best.get(key, value)) * sign > 0
            best[key] = sign * max(sign * value, sign * best.get(key, value))
    return tuple((check, name, value) for (check, name), value in sorted(best.items())), improved


def _progress_numbers(proof: Evidence) -> list[tuple[str, float]]:
    """The numbers of a check that can show progress; with `pytest -x` only the passed tests can."""
    counts = dict(proof.counts)
    if "tests" in counts and proof.failures is not None:
        counts["passed"] = counts["tests"] - counts.get("skipped", 0) - proof.failures
    return [(name, value) for name, value in counts.items() if name in PROGRESS_NUMBERS]
