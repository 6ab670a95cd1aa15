"""Removes keys and passwords from the words of an agent before they reach the journal.

Imported only when redaction.py has seen a sign of one.
"""

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
    """The signal without secrets in these fields.

    Names that the loop knows stay as they are: else the agent could not claim them.
    """
    names = _names_of(loop)
    odd_names = [name for name in names if redact_text(name) != name]
    odd_names.sort(key=len, reverse=True)

    def redact_words(text: str) -> str:
        name = next((name for name in odd_names if name in text), None)
        if name is None:
            return redact_text(text)
        return name.join(map(redact_words, text.split(name)))

    def redact_message(text: str) -> str:
        """In the JSON of CRITERIA only the strings change: without a brace it would be invalid."""
        # The text before the first line of CRITERIA, its name, its JSON, the text after it, ...
        parts = CRITERIA_LINE.split(text[-MAX_TEXT:])
        parts[::3] = map(redact_words, parts[::3])
        parts[2::3] = [_redact_json(part, redact_words) for part in parts[2::3]]
        return "".join(parts)

    changed = {}
    for field in fields:
        redact = redact_message if field == "text" else redact_words
        changed[field] = _redact_value(getattr(signal, field), redact)
    if isinstance(signal, Claimed) and signal.extra_json:
        changed["extra_json"] = redact_line(signal.extra_json).strip()
    return signal.but(**changed)


def _names_of(loop: Loop) -> set[str]:
    names = {c.name for c in (*loop.criteria, *loop.must_not)}
    names |= {step.name for step in loop.steps}
    if loop.backlog:
        names |= set(loop.backlog.items)
    if loop.plan:
        names |= {task.id for task in loop.plan.tasks}
    return names


def _redact_value(value: Any, redact: Callable[[str], str]) -> Any:
    """The value with every text in it redacted, however deep."""
    if isinstance(value, Record):
        fields = value.__dict__.items()
        return value.but(**{field: _redact_value(part, redact) for field, part in fields})
    if isinstance(value, dict):
        pairs = value.items()
        return {_redact_value(name, redact): _redact_value(part, redact) for name, part in pairs}
    if isinstance(value, tuple | list):
        return type(value)(_redact_value(part, redact) for part in value)
    return redact(value) if isinstance(value, str) else value


def _redact_json(line: str, redact: Callable[[str], str]) -> str:
    try:
        return f" {dumps(_redact_value(loads(line), redact))}"
    except (JSONError, ValueError, RecursionError):  # not JSON, so it is redacted as text
        return redact(line)
