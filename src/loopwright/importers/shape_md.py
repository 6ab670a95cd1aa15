"""SHAPE.md in its three spellings: plain keys under headings, a YAML fence, and a verification table.

It is read line by line as text: three known keys and a table need no YAML library, and nothing in it is evaluated.
"""

from __future__ import annotations

import re

from ..core.criteria import KINDS_OF_EVIDENCE, Check, Criterion
from ..core.record import Record

KEY = re.compile(r"^\s*(criteria|mustNot|must_not|must-not|verification)\s*:\s*$", re.I)
HEADING = re.compile(r"^#{1,6}\s+(.*)$")
ITEM = re.compile(r"[-*]\s+(?:\[[ x]\]\s*)?(\S.*)$")
MAX_ITEMS = 100


class ShapeFile(Record):
    criteria: tuple[Criterion, ...]
    must_not: tuple[Criterion, ...]


def read(text: str) -> ShapeFile:
    """Criteria and must-nots; a command found in the file is taken over but waits for the person."""
    text = text.removeprefix("\ufeff")
    lists: dict[str, list[str]] = {"criteria": [], "mustnot": []}
    planned: dict[str, tuple[str, str]] = {}
    into = ""
    for line in text.splitlines()[:5000]:
        if key := KEY.match(line):
            into = re.sub(r"[^a-z]", "", key.group(1).lower())
        elif heading := HEADING.match(line):
            into = _section_kind(heading.group(1))
        elif row := _parse_row(line):
            planned[row[0].lower()] = (row[1], row[2])
        elif into == "verification" and (pair := _parse_pair(line)):
            planned[pair[0]] = (pair[1], "")
        elif into in lists and (item := ITEM.match(line.strip())):
            lists[into].append(_strip_quotes(item.group(1)))
    return ShapeFile(
        tuple(
            _planned_criterion(name, planned)
            for name in dict.fromkeys(lists["criteria"][:MAX_ITEMS])
        ),
        tuple(
            _planned_criterion(name, planned)
            for name in dict.fromkeys(lists["mustnot"][:MAX_ITEMS])
        ),
    )


def _section_kind(title: str) -> str:
    low = title.lower()
    if "must" in low and "not" in low:
        return "mustnot"
    return "criteria" if "criteria" in low else "verification" if "verification" in low else ""


def _strip_quotes(text: str) -> str:
    return (text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text)[
        :200
    ]


def _parse_pair(line: str) -> tuple[str, str] | None:
    """`name: kind`, set in. (No regular expression: over a long run of spaces it would go back and forth for hours.)"""
    name, _, kind = (part.strip().strip("\"'").strip().lower() for part in line.partition(":"))
    return (name, kind) if line[:1].isspace() and name and kind else None


def _parse_row(line: str) -> tuple[str, str, str] | None:
    """| criterion | verification type | command or method | — but not the table's head and rule."""
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    if (
        not line.strip().startswith("|")
        or len(cells) < 2
        or cells[1].lower() not in KINDS_OF_EVIDENCE
    ):
        return None
    return cells[0], cells[1].lower(), cells[2] if len(cells) > 2 else ""


def _planned_criterion(name: str, planned: dict[str, tuple[str, str]]) -> Criterion:
    short = name.partition(":")[0].strip().lower()
    kind, method = planned.get(name.lower()) or planned.get(short) or ("", "")
    command = method.strip("`").strip() if method.startswith("`") and method.endswith("`") else ""
    check = Check(command, origin="file", allowed=False) if command else None
    return Criterion(name, check, planned=kind, detailed=bool(kind))
