"""Read a SHAPE.md in its three spellings: keys under headings, a YAML fence, and a table.

It is read line by line: three known keys and a table need no YAML library, and nothing in it is
evaluated.
"""

from __future__ import annotations

from .. import lazy_re as re
from ..core.criteria import KINDS_OF_EVIDENCE, Check, Criterion
from ..core.record import Record

KEY = re.compile(r"^\s*(criteria|mustNot|must_not|must-not|verification)\s*:\s*$", re.I)
HEADING = re.compile(r"^#{1,6}\s+(.*)$")
ITEM = re.compile(r"[-*]\s+(?:\[[ x]\]\s*)?(\S.*)$")
MAX_LINES, MAX_ITEMS = 5_000, 100
MAX_NAME = 200  # characters


class ShapeFile(Record):
    criteria: tuple[Criterion, ...]
    must_not: tuple[Criterion, ...]


class ShapeDraft:
    """What a SHAPE.md says so far: the names of each list, and how each criterion is verified."""

    def __init__(self) -> None:
        self.current = ""
        self.names: dict[str, list[str]] = {"criteria": [], "mustnot": []}
        self.planned: dict[str, tuple[str, str]] = {}  # name → kind of evidence, and method

    def add_line(self, line: str) -> None:
        if key := KEY.match(line):
            self.current = re.sub(r"[^a-z]", "", key.group(1).lower())
        elif heading := HEADING.match(line):
            self.current = _section_kind(heading.group(1))
        elif row := _parse_row(line):
            name, kind, method = row
            self.planned[name.lower()] = (kind, method)
        elif self.current == "verification":
            self._add_pair(line)
        elif self.current in self.names:
            self._add_item(line)

    def _add_pair(self, line: str) -> None:
        if pair := _parse_pair(line):
            self.planned[pair[0]] = (pair[1], "")

    def _add_item(self, line: str) -> None:
        if item := ITEM.match(line.strip()):
            self.names[self.current].append(_strip_quotes(item.group(1)))

    def criteria_in(self, kind: str) -> tuple[Criterion, ...]:
        names = dict.fromkeys(self.names[kind][:MAX_ITEMS])
        return tuple(_planned_criterion(name, self.planned) for name in names)


def read(text: str) -> ShapeFile:
    """Criteria and must-nots. A command in the file needs a person's permission before it runs."""
    shape = ShapeDraft()
    for line in text.removeprefix("\ufeff").splitlines()[:MAX_LINES]:
        shape.add_line(line)
    return ShapeFile(shape.criteria_in("criteria"), shape.criteria_in("mustnot"))


def _section_kind(title: str) -> str:
    low = title.lower()
    if "must" in low and "not" in low:
        return "mustnot"
    for kind in ("criteria", "verification"):
        if kind in low:
            return kind
    return ""


def _strip_quotes(text: str) -> str:
    """At most 200 characters of the text, without the quotes around it."""
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    bare = text[1:-1] if is_quoted else text
    return bare[:MAX_NAME]


def _parse_pair(line: str) -> tuple[str, str] | None:
    """A `name: kind`, indented or as the item of a list; a name may have a colon itself.

    No regular expression: over a long run of spaces it would backtrack for hours.
    """
    text = line.strip()
    is_item = text[:2] in ("- ", "* ")
    if not is_item and not line[:1].isspace():
        return None
    text = text[2:] if is_item else text
    for parts in (text.rpartition(":"), text.partition(":")):
        name, _, kind = (part.strip().strip("\"'").strip().lower() for part in parts)
        if kind in KINDS_OF_EVIDENCE:
            break
    return (name, kind) if name and kind else None


def _parse_row(line: str) -> tuple[str, str, str] | None:
    """A row `| criterion | kind | command or method |`; the head and the rule are not rows."""
    if not line.strip().startswith("|"):
        return None
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    name, kind, method = (*cells, "", "")[:3]
    return (name, kind.lower(), method) if kind.lower() in KINDS_OF_EVIDENCE else None


def _planned_criterion(name: str, planned: dict[str, tuple[str, str]]) -> Criterion:
    """The criterion. The plan for its evidence may name it by the words before a colon."""
    short = name.partition(":")[0].strip().lower()
    kind, method = planned.get(name.lower()) or planned.get(short) or ("", "")
    is_command = method.startswith("`") and method.endswith("`")
    command = method.strip("`").strip() if is_command else ""
    check = Check(command, origin="file", allowed=False) if command else None
    return Criterion(name, check, planned=kind, detailed=bool(kind))
