"""The fields of the `loop:` block in a GSD project's STATE.md: how each is read, and how each is written."""

from __future__ import annotations

import re

from ..core.plan.plan import EXECUTE, VERIFY, HistoryEntry
from ..core.record import Record
from ..core.replies.reports import single_line
from .yaml_node import LIST, MAP, TEXT, WORD, YamlNode, quote_text, scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LONGEST_TEXT, LONGEST_ID = 300, 60  # letters of a text; of an id, a time, a phase
MAX_ROUNDS, MAX_READ, MAX_NUMBER = 50, 500, 999_999_999
EARLIER_ROUNDS = re.compile(r"([0-9]{1,9}) earlier rounds")


class GsdLoop(Record):
    """What the block says. `most` is None where it does not say, so that the project's setting counts."""

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


# --- Reading. None: it cannot be read as that, and is as if it were not there. ---


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
    said = (read_text(node) or "").lower()
    return said if said in (EXECUTE, VERIFY) or node.is_null else None


def read_retries(node: YamlNode) -> tuple[tuple[str, int], ...] | None:
    if node.kind != MAP and not node.is_null:
        return None
    said = {bare_id(pair.key): pair.node.number or 0 for pair in node.pairs[:MAX_READ]}
    return tuple((name, times) for name, times in said.items() if name)


def bare_id(name: str) -> str:
    """The id of a task without the T that goes before its number."""
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


# --- Writing: what stands in the line of the key, and the lines below it ---

FormattedValue = tuple[str, list[str]]


def format_scalar(value: Any, indent: str) -> FormattedValue:
    return scalar(value), []


def format_phase(value: str, indent: str) -> FormattedValue:
    return value if re.fullmatch(r"0|[1-9][0-9]{0,8}", value) else scalar(value), []


def format_retries(value: tuple[tuple[str, int], ...], indent: str) -> FormattedValue:
    return (
        ("", [f"{indent}  {retry_key(name)}: {times}" for name, times in value])
        if value
        else ("{}", [])
    )


def retry_key(name: str) -> str:
    return scalar(f"T{name}" if re.match("[0-9]", name) else name)


def format_rounds(value: tuple[HistoryEntry, ...], indent: str) -> FormattedValue:
    return (
        ("", [row for one in value for row in round_lines(one, f"{indent}  ")])
        if value
        else ("[]", [])
    )


def round_lines(one: HistoryEntry, indent: str) -> list[str]:
    return [
        f"{indent}- iteration: {one.iteration}",
        f"{indent}  type: {scalar(one.kind)}",
        f"{indent}  result: {scalar(one.result)}",
        f"{indent}  gaps: [{', '.join(map(quote_text, one.gaps))}]",
    ]


class GsdField(Record):
    name: str  # in GsdLoop
    read: Callable[[YamlNode], Any]
    format_value: Callable[[Any, str], FormattedValue] = format_scalar
    omit_if_empty: bool = False  # stands there only while it says something


# In the order of the seed.
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


# --- What may be written at all ---


def clamp_loop(loop: GsdLoop) -> GsdLoop:
    """The same within bounds: texts on one line, numbers that are numbers, no more history than a file should hold."""
    most = None if loop.most is None else clamp_number(loop.most)
    return loop.but(
        kind=loop.kind if loop.kind in (EXECUTE, VERIFY) else "",
        phase=single_line(loop.phase, LONGEST_ID),
        iteration=clamp_number(loop.iteration),
        most=most,
        retries=tuple(
            {
                name: clamp_number(times) for long, times in loop.retries if (name := bare_id(long))
            }.items()
        ),
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


def _clamp_round(one: HistoryEntry) -> HistoryEntry:
    gaps = tuple(filter(None, (single_line(gap, LONGEST_TEXT) for gap in one.gaps[:MAX_READ])))
    return HistoryEntry(
        clamp_number(one.iteration),
        single_line(one.kind, LONGEST_ID),
        single_line(one.result, LONGEST_TEXT),
        gaps,
    )


def shorten_history(history: tuple[HistoryEntry, ...]) -> tuple[HistoryEntry, ...]:
    """The last rounds; the older ones are counted in one line before them."""
    if len(history) <= MAX_ROUNDS:
        return history
    old, new = history[: 1 - MAX_ROUNDS], history[1 - MAX_ROUNDS :]
    number = sum(
        int(found.group(1)) if (found := EARLIER_ROUNDS.fullmatch(one.result)) else 1 for one in old
    )
    return (
        HistoryEntry(old[-1].iteration, old[-1].kind, f"{clamp_number(number)} earlier rounds"),
        *new,
    )
