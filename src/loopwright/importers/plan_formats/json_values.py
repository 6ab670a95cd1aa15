"""Values of a JSON plan in the spellings that occur: a text or a list, a number or a text."""

from __future__ import annotations

import json
from typing import Any

from ... import lazy_re as re


def one_line(value: Any) -> str:
    """A text on one line. Some files have numbers as ids."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return " ".join(str(value).split())


def first_of(table: dict[str, Any], *keys: str) -> Any:
    """The first of these values that is not empty; None without one."""
    return next((table[key] for key in keys if table.get(key)), None)


def text_of(value: Any) -> str:
    """A text with its lines; a list of texts as a list; "" for any other value."""
    if isinstance(value, list):
        return "\n".join(f"- {text}" for text in texts_of(value))
    return value.strip() if isinstance(value, str) else ""


def texts_of(value: Any) -> list[str]:
    """The texts of a list. A single text is a list of one."""
    values = value if isinstance(value, list) else [value]
    return [value.strip() for value in values if isinstance(value, str) and value.strip()]


def names_of(value: Any) -> tuple[str, ...]:
    """The ids of a list, each once."""
    if isinstance(value, str):
        value = re.split(r"[,\s]+", value)
    values = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(filter(None, map(one_line, values))))


def tables_of(value: Any) -> list[dict[str, Any]]:
    """The objects of a list."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def id_lines(text: str, tables: list[dict[str, Any]]) -> list[int]:
    """The line of each object's id, searched for in the order of the file."""
    lines: list[int] = []
    at, line = 0, 1
    for table in tables:
        name = re.escape(json.dumps(table.get("id"), ensure_ascii=False))
        id_field = re.compile(rf'"id"\s*:\s*{name}').search(text, at)
        if id_field:
            line += text.count("\n", at, id_field.start())
            at = id_field.end()
        else:  # written with escapes: all further objects get this line
            at = len(text)
        lines.append(line)
    return lines
