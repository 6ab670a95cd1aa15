"""Edits of a TOML file that keep every other byte: a table is added at the end, or cut."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

BOM = "\ufeff"
HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)


class TomlEditError(ValueError):
    """The text is not TOML, or would not be after the edit."""


def table_header(path: tuple[str, ...]) -> str:
    """The header of a table; a name with other characters than letters is quoted."""
    names = (
        name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)
        for name in path
    )
    return f"[{'.'.join(names)}]"


def set_table(text: str, path: tuple[str, ...], values: dict[str, str | bool]) -> str:
    """The text with this table, at its end; an earlier one of the same name is cut."""
    text = remove_table(text, path)
    line_end = "\r\n" if "\r\n" in text else "\n"
    rows = [table_header(path)]
    rows += [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()]
    gap = "" if not text else line_end if text.endswith("\n") else line_end * 2
    require_toml(text)  # so that an error after the edit is about the table
    try:
        return require_toml(text + gap + line_end.join(rows) + line_end)
    except TomlEditError as error:
        above = ".".join(path[:-1])
        raise TomlEditError(
            f"a value stands where a table must be: write {path[0]} as a table of its own, "
            f"[{above}], not as an inline table"
        ) from error


def remove_table(text: str, path: tuple[str, ...]) -> str:
    """The text without this table, and without the empty line before it."""
    start = _table_start(text, path)
    if start < 0:
        return text
    following = HEADER.search(text, start + 1)
    end = following.start() if following else len(text)
    before = text[:start]
    for gap in ("\r\n\r\n", "\n\n"):
        if before.endswith(gap):
            before = before[: -len(gap) // 2]
            break
    return require_toml(before + text[end:])


def rename_table(text: str, path: tuple[str, ...], new: tuple[str, ...]) -> str:
    """The text with another header of this table, if it has it."""
    start, header = _table_start(text, path), table_header(path)
    if start < 0:
        return text
    start = text.index(header, start)
    return require_toml(text[:start] + table_header(new) + text[start + len(header) :])


def _table_start(text: str, path: tuple[str, ...]) -> int:
    found = re.search(rf"^[ \t]*{re.escape(table_header(path))}[ \t]*\r?$", text, re.MULTILINE)
    return found.start() if found else -1


def require_toml(text: str) -> str:
    """The text, once it is certain that it is TOML."""
    read_value(text)
    return text


def read_value(text: str) -> dict[str, Any]:
    """The values of the whole text."""
    try:
        return tomllib.loads(text.removeprefix(BOM))
    except tomllib.TOMLDecodeError as error:
        raise TomlEditError(str(error)) from error
