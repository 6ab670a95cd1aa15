"""The fields of the `loop:` block in a GSD project's STATE.md: how to read and write each."""

from __future__ import annotations

from .. import lazy_re as re
from ..core.plan.plan import EXECUTE, VERIFY, HistoryEntry
from ..core.record import Record
from ..core.replies.reports import single_line
from .yaml_node import LIST, MAP, TEXT, WORD, YamlNode, quote_text, scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# In characters; the second is for an id, a time or a phase.
LONGEST_TEXT, LONGEST_ID = 300, 60
MAX_ROUNDS, MAX_READ, MAX_NUMBER = 50, 500, 999_999_999
EARLIER_ROUNDS = re.compile(r"([0-9]{1,9}) earlier rounds")


class GsdLoop(Record):
    """The content of the block. If `most` is None, the project's setting applies."""

    active: bool = False
    kind: str = ""  # execute, verify or nothing
    phase: str = ""
    iteration: int = 0
    most: int | None = None
    retries: tuple[tuple[str, int], ...] = ()  # ids as written, without their T
    gaps: int = 0
    started: str = ""
    last: str = ""
    paused: bool = False
    reason: str = ""
    error: str = ""
    history: tuple[HistoryEntry, ...] = ()
    completed: bool = False
    final: int = 0


# --- Reading. None means that the value has the wrong type; the field is then ignored. ---


def read_text(node: YamlNode, most: int = LONGEST_TEXT) -> str | None:
    if node.is_null:
        return ""
    return single_line(node.text, most) if node.kind in (WORD, TEXT) else None


def read_short_text(node: YamlNode) -> str | None:
    return read_text(node, LONGEST_ID)


def read_number(node: YamlNode) -> int | None:
    return node.number


def read_flag(node: YamlNode) -> bool | None:
    return node.flag


def read_stage(node: YamlNode) -> str | None:
    word = (read_text(node) or "").lower()
    is_valid = node.is_null or word in (EXECUTE, VERIFY)
    return word if is_valid else None


def read_retries(node: YamlNode) -> tuple[tuple[str, int], ...] | None:
    if node.kind != MAP and not node.is_null:
        return None
    times_by_id = {bare_id(pair.key): pair.node.number or 0 for pair in node.pairs[:MAX_READ]}
    times_by_id.pop("", None)
    return tuple(times_by_id.items())


def bare_id(name: str) -> str:
    """The id of a task without the T before its number."""
    name = single_line(name, LONGEST_ID)
    return name[1:] if re.match(r"[Tt][0-9]", name) else name


def read_rounds(node: YamlNode) -> tuple[HistoryEntry, ...] | None:
    if node.kind != LIST and not node.is_null:
        return None
    return tuple(_read_round(item) for item in node.items[-MAX_READ:] if item.kind == MAP)


def _read_round(node: YamlNode) -> HistoryEntry:
    gaps = node.get("gaps")
    named = tuple(filter(None, (read_text(gap) for gap in gaps.items[:MAX_READ])))
    return HistoryEntry(
        node.get("iteration").number or 0,
        read_short_text(node.get("type")) or "",
        read_text(node.get("result")) or "",
        named,
    )


# --- Writing: the value in the line of the key, and the lines below it ---

FormattedValue = tuple[str, list[str]]


def format_scalar(value: Any, indent: str) -> FormattedValue:
    return scalar(value), []


def format_phase(value: str, indent: str) -> FormattedValue:
    return value if re.fullmatch(r"0|[1-9][0-9]{0,8}", value) else scalar(value), []


def format_retries(value: tuple[tuple[str, int], ...], indent: str) -> FormattedValue:
    if not value:
        return "{}", []
    return "", [f"{indent}  {retry_key(name)}: {times}" for name, times in value]


def retry_key(name: str) -> str:
    return scalar(f"T{name}" if re.match("[0-9]", name) else name)


def format_rounds(value: tuple[HistoryEntry, ...], indent: str) -> FormattedValue:
    if not value:
        return "[]", []
    rows: list[str] = []
    for entry in value:
        rows += round_lines(entry, f"{indent}  ")
    return "", rows


def round_lines(entry: HistoryEntry, indent: str) -> list[str]:
    return [
        f"{indent}- iteration: {entry.iteration}",
        f"{indent}  type: {scalar(entry.kind)}",
        f"{indent}  result: {scalar(entry.result)}",
        f"{indent}  gaps: [{', '.join(map(quote_text, entry.gaps))}]",
    ]


class GsdField(Record):
    """One key of the block: its field in GsdLoop, and how to read and write it."""

    name: str  # in GsdLoop
    read: Callable[[YamlNode], Any]
    format_value: Callable[[Any, str], FormattedValue] = format_scalar
    omit_if_empty: bool = False  # written only while it has a value


# In the order of the documented format.
FIELDS = {
    "active": GsdField("active", read_flag),
    "type": GsdField("kind", read_stage),
    "phase": GsdField("phase", read_short_text, format_phase),
    "iteration": GsdField("iteration", read_number),
    "max_iterations": GsdField("most", read_number),
    "task_retries": GsdField("retries", read_retries, format_retries),
    "gaps_remaining": GsdField("gaps", read_number),
    "started": GsdField("started", read_short_text),
    "last_iteration": GsdField("last", read_short_text),
    "paused": GsdField("paused", read_flag),
    "pause_reason": GsdField("reason", read_text),
    "last_error": GsdField("error", read_text, omit_if_empty=True),
    "history": GsdField("history", read_rounds, format_rounds),
    "completed": GsdField("completed", read_flag, omit_if_empty=True),
    "final_iteration": GsdField("final", read_number, omit_if_empty=True),
}


# --- Bounds of what we write ---


def clamp_loop(loop: GsdLoop) -> GsdLoop:
    """The same within bounds: texts on one line, bounded numbers, a short history."""
    retries = {bare_id(name): clamp_number(times) for name, times in loop.retries}
    retries.pop("", None)
    return loop.but(
        kind=loop.kind if loop.kind in (EXECUTE, VERIFY) else "",
        phase=single_line(loop.phase, LONGEST_ID),
        iteration=clamp_number(loop.iteration),
        most=None if loop.most is None else clamp_number(loop.most),
        retries=tuple(retries.items()),
        gaps=clamp_number(loop.gaps),
        started=single_line(loop.started, LONGEST_ID),
        last=single_line(loop.last, LONGEST_ID),
        reason=single_line(loop.reason, LONGEST_TEXT),
        error=single_line(loop.error, LONGEST_TEXT),
        history=shorten_history(tuple(map(_clamp_round, loop.history))),
        final=clamp_number(loop.final) if loop.completed else 0,
    )


def clamp_number(value: int) -> int:
    return max(0, min(value, MAX_NUMBER))


def _clamp_round(entry: HistoryEntry) -> HistoryEntry:
    gaps = (single_line(gap, LONGEST_TEXT) for gap in entry.gaps[:MAX_READ])
    return HistoryEntry(
        clamp_number(entry.iteration),
        single_line(entry.kind, LONGEST_ID),
        single_line(entry.result, LONGEST_TEXT),
        tuple(filter(None, gaps)),
    )


def shorten_history(history: tuple[HistoryEntry, ...]) -> tuple[HistoryEntry, ...]:
    """The last rounds, after one entry that counts the older ones."""
    if len(history) <= MAX_ROUNDS:
        return history
    old, new = history[: 1 - MAX_ROUNDS], history[1 - MAX_ROUNDS :]
    number = clamp_number(sum(map(_rounds_in, old)))
    summary = HistoryEntry(old[-1].iteration, old[-1].kind, f"{number} earlier rounds")
    return (summary, *new)


def _rounds_in(entry: HistoryEntry) -> int:
    """How many rounds an entry counts: one, unless it is such a summary."""
    summary = EARLIER_ROUNDS.fullmatch(entry.result)
    return int(summary.group(1)) if summary else 1
