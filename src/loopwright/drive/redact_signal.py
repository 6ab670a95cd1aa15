"""Keys and passwords are taken out of the words of an agent before they reach the journal. Imported only where one may be there."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..core.json_text import JSONError, dumps, loads
from ..core.loop import Loop
from ..core.record import Record
from ..core.replies.markers import MAX_TEXT
from ..core.signals import Claimed, Signal
from ..verify.redact import redact_line, redact_text

CRITERIA_LINE = re.compile(r"(?im)^([^\S\n]*criteria[^\S\n]*:)(.*)$")


def redact_fields(signal: Signal, fields: tuple[str, ...], loop: Loop) -> Signal:
    """The signal without them in these fields. Names that the loop knows stay as they are: else nobody could claim them."""
    names = {c.name for c in (*loop.criteria, *loop.must_not)} | {step.name for step in loop.steps}
    names |= {
        *(loop.backlog.items if loop.backlog else ()),
        *(task.id for task in (loop.plan.tasks if loop.plan else ())),
    }
    odd = sorted((name for name in names if redact_text(name) != name), key=len, reverse=True)

    def hide(text: str) -> str:
        there = next((name for name in odd if name in text), None)
        return there.join(map(hide, text.split(there))) if there else redact_text(text)

    def said(text: str) -> str:
        """A message: in the JSON of its CRITERIA only words are looked at, for a brace that is taken away would unsay it all."""
        parts = CRITERIA_LINE.split(
            text[-MAX_TEXT:]
        )  # what stands before one, its name, its JSON, and so on
        parts[::3] = map(hide, parts[::3])
        parts[2::3] = [_redact_json(part, hide) for part in parts[2::3]]
        return "".join(parts)

    changed = {
        field: _redact_value(getattr(signal, field), said if field == "text" else hide)
        for field in fields
    }
    if isinstance(signal, Claimed) and signal.extra_json:
        changed["extra_json"] = redact_line(signal.extra_json).strip()
    return signal.but(**changed)


def _redact_value(value: Any, hide: Callable[[str], str]) -> Any:
    """Every text of a value, however deep."""
    if isinstance(value, Record):
        return value.but(
            **{field: _redact_value(part, hide) for field, part in value.__dict__.items()}
        )
    if isinstance(value, dict):
        return {
            _redact_value(name, hide): _redact_value(part, hide) for name, part in value.items()
        }
    if isinstance(value, tuple | list):
        return type(value)(_redact_value(part, hide) for part in value)
    return hide(value) if isinstance(value, str) else value


def _redact_json(line: str, hide: Callable[[str], str]) -> str:
    try:
        return f" {dumps(_redact_value(loads(line), hide))}"
    except (JSONError, ValueError, RecursionError):  # nobody will be able to read it
        return hide(line)
