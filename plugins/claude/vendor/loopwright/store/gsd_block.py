"""The fields of the `loop:` block in a GSD project's STATE.md: how each is read, and how each is written."""

from __future__ import annotations

import re

from ..core.plan import EXECUTE, VERIFY, Round
from ..core.record import Record
from ..core.reports import plain
from .yaml_node import LIST, MAP, TEXT, WORD, YamlNode, quoted, scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LONGEST, SHORT = 300, 60  # letters of a text; of an id, a time, a phase
MOST_ROUNDS, MOST_READ, MOST_NUMBER = 50, 500, 999_999_999
EARLIER = re.compile(r"([0-9]{1,9}) earlier rounds")


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
    history: tuple[Round, ...] = ()
    completed: bool = False
    final: int = 0


# --- Reading. None: it cannot be read as that, and is as if it were not there. ---


def words(node: YamlNode, most: int = LONGEST) -> str | None:
    if node.is_null:
        return ""
    return plain(node.text, most) if node.kind in (WORD, TEXT) else None


def word(node: YamlNode) -> str | None:
    return words(node, SHORT)


def number(node: YamlNode) -> int | None:
    return node.number


def flag(node: YamlNode) -> bool | None:
    return node.flag


def stage(node: YamlNode) -> str | None:
    said = (words(node) or "").lower()
    return said if said in (EXECUTE, VERIFY) or node.is_null else None


def retries(node: YamlNode) -> tuple[tuple[str, int], ...] | None:
    if node.kind != MAP and not node.is_null:
        return None
    said = {bare_id(pair.key): pair.node.number or 0 for pair in node.pairs[:MOST_READ]}
    return tuple((name, times) for name, times in said.items() if name)


def bare_id(name: str) -> str:
    """The id of a task without the T that goes before its number."""
    name = plain(name, SHORT)
    return name[1:] if re.match(r"[Tt][0-9]", name) else name


def rounds(node: YamlNode) -> tuple[Round, ...] | None:
    if node.kind != LIST and not node.is_null:
        return None
    return tuple(_round(item) for item in node.items[-MOST_READ:] if item.kind == MAP)


def _round(node: YamlNode) -> Round:
    gaps = node.get("gaps")
    named = tuple(filter(None, (words(gap) for gap in gaps.items[:MOST_READ])))
    return Round(node.get("iteration").number or 0, word(node.get("type")) or "", words(node.get("result")) or "", named)


# --- Writing: what stands in the line of the key, and the lines below it ---

Shown = tuple[str, list[str]]


def line(value: Any, indent: str) -> Shown:
    return scalar(value), []


def phase(value: str, indent: str) -> Shown:
    return value if re.fullmatch(r"0|[1-9][0-9]{0,8}", value) else scalar(value), []


def retry_rows(value: tuple[tuple[str, int], ...], indent: str) -> Shown:
    return ("", [f"{indent}  {retry_key(name)}: {times}" for name, times in value]) if value else ("{}", [])


def retry_key(name: str) -> str:
    return scalar(f"T{name}" if re.match("[0-9]", name) else name)


def round_rows(value: tuple[Round, ...], indent: str) -> Shown:
    return ("", [row for one in value for row in item_rows(one, f"{indent}  ")]) if value else ("[]", [])


def item_rows(one: Round, indent: str) -> list[str]:
    return [
        f"{indent}- iteration: {one.iteration}",
        f"{indent}  type: {scalar(one.kind)}",
        f"{indent}  result: {scalar(one.result)}",
        f"{indent}  gaps: [{', '.join(map(quoted, one.gaps))}]",
    ]


class GsdField(Record):
    name: str  # in GsdLoop
    read: Callable[[YamlNode], Any]
    show: Callable[[Any, str], Shown] = line
    passing: bool = False  # stands there only while it says something


# In the order of the seed.
FIELDS = {
    "active": GsdField("active", flag),
    "type": GsdField("kind", stage),
    "phase": GsdField("phase", word, phase),
    "iteration": GsdField("iteration", number),
    "max_iterations": GsdField("most", number),
    "task_retries": GsdField("retries", retries, retry_rows),
    "gaps_remaining": GsdField("gaps", number),
    "started": GsdField("started", word),
    "last_iteration": GsdField("last", word),
    "paused": GsdField("paused", flag),
    "pause_reason": GsdField("reason", words),
    "last_error": GsdField("error", words, passing=True),
    "history": GsdField("history", rounds, round_rows),
    "completed": GsdField("completed", flag, passing=True),
    "final_iteration": GsdField("final", number, passing=True),
}


# --- What may be written at all ---


def tidy(loop: GsdLoop) -> GsdLoop:
    """The same within bounds: texts on one line, numbers that are numbers, no more history than a file should hold."""
    most = None if loop.most is None else bounded(loop.most)
    return loop.but(
        kind=loop.kind if loop.kind in (EXECUTE, VERIFY) else "",
        phase=plain(loop.phase, SHORT),
        iteration=bounded(loop.iteration),
        most=most,
        retries=tuple({name: bounded(times) for long, times in loop.retries if (name := bare_id(long))}.items()),
        gaps=bounded(loop.gaps),
        started=plain(loop.started, SHORT),
        last=plain(loop.last, SHORT),
        reason=plain(loop.reason, LONGEST),
        error=plain(loop.error, LONGEST),
        history=shortened(tuple(map(_tidy_round, loop.history))),
        final=bounded(loop.final) if loop.completed else 0,
    )


def bounded(value: int) -> int:
    return max(0, min(value, MOST_NUMBER))


def _tidy_round(one: Round) -> Round:
    gaps = tuple(filter(None, (plain(gap, LONGEST) for gap in one.gaps[:MOST_READ])))
    return Round(bounded(one.iteration), plain(one.kind, SHORT), plain(one.result, LONGEST), gaps)


def shortened(history: tuple[Round, ...]) -> tuple[Round, ...]:
    """The last rounds; the older ones are counted in one line before them."""
    if len(history) <= MOST_ROUNDS:
        return history
    old, new = history[: 1 - MOST_ROUNDS], history[1 - MOST_ROUNDS :]
    number = sum(int(found.group(1)) if (found := EARLIER.fullmatch(one.result)) else 1 for one in old)
    return (Round(old[-1].iteration, old[-1].kind, f"{bounded(number)} earlier rounds"), *new)
