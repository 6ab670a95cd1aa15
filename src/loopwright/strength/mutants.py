"""Small changes of the new code that a sound check should notice, and which of them to try."""

from __future__ import annotations

from .. import lazy_re as re
from ..core.proof.strength import MIN_JUDGED
from ..core.record import Record
from ..repo.sources import PYTHON_ENDINGS, file_ending
from .changed_files import ChangedFile, new_code_lines
from .line_facts import line_facts
from .parts import shorten
from .python_mutants import python_mutants
from .text_mutants import text_mutants

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from .edits import Edit

MAX_MUTANTS = 8
# What says most comes first; of one line only the first is tried.
ORDER = (
    "branch not taken",
    "negated condition",
    "dropped call",
    "dropped assignment",
    "other operator",
    "early return",
    "other result",
    "boundary",
    "other constant",
)
# Often as good, or nothing that anybody needs to test: tried if there is too little else.
WEAK = ("boundary", "other constant")


class Mutant(Record):
    """One small change, and the text of the file with it."""

    path: str
    line: int
    operator: str
    taken: str
    text: str


ZERO = re.compile(r"\s*0(?![\w.])")


def mutants_of(
    file: ChangedFile, lines_run: Collection[int] | None, per_line: int = 1
) -> list[Mutant]:
    """As many mutants for each new line that matters; only lines that ran, where that is known.

    None where the platform or the version decides: a test on this machine cannot tell.
    """
    text = file.after or ""
    facts = line_facts(file.path, text)
    lines = (new_code_lines(file) & facts.lines) - facts.condition_of.keys()
    if lines_run is not None:
        lines &= set(lines_run)
    is_python = file_ending(file.path) in PYTHON_ENDINGS
    edits = (python_mutants(text) if is_python else None) or text_mutants(file.path, text)
    of_line: dict[int, list[Edit]] = {line: [] for line in sorted(lines)}
    for edit in sorted(edits, key=lambda each: ORDER.index(each.operator)):
        if edit.line in lines and not _is_as_good(text, edit):
            of_line[edit.line].append(edit)
    chosen = [edit for found in of_line.values() for edit in found[:per_line]]
    return [make_mutant(file.path, text, edit) for edit in chosen]


def _is_as_good(text: str, edit: Edit) -> bool:
    """Is 0 added or taken away, as awk and JavaScript make a number of a text?"""
    is_sign = text[edit.start : edit.end].strip() in ("+", "-") and edit.new.strip() in ("+", "-")
    return is_sign and bool(ZERO.match(text, edit.end))


def make_mutant(path: str, text: str, edit: Edit) -> Mutant:
    changed = text[: edit.start] + edit.new + text[edit.end :]
    old = text[edit.start : edit.end]
    row = edit.line - 1
    is_one_line = "\n" not in old
    before = text.split("\n")[row].strip() if is_one_line else old.split("\n")[0].strip() + " …"
    after = changed.split("\n")[row].strip() if is_one_line else edit.new
    if not after or after in ("pass", ":"):
        taken = f"{edit.operator}: `{shorten(before)}` was taken away"
    else:
        taken = f"{edit.operator}: `{shorten(before)}` became `{shorten(after)}`"
    return Mutant(path, edit.line, edit.operator, taken, changed)


def spread_mutants(mutants: Iterable[Mutant], most: int = MAX_MUTANTS) -> list[Mutant]:
    """Spread over files and operators, and over the lines of each file; weak ones if few others."""
    groups: dict[tuple[str, str], list[Mutant]] = {}
    for mutant in mutants:
        groups.setdefault((mutant.path, mutant.operator), []).append(mutant)
    ranked = sorted(groups.values(), key=lambda rows: ORDER.index(rows[0].operator))
    rows = [_from_both_ends(group) for group in ranked]
    rounds = max(map(len, rows), default=0)
    spread = [group[n] for n in range(rounds) for group in rows if n < len(group)]
    strong = [mutant for mutant in spread if mutant.operator not in WEAK]
    weak = [mutant for mutant in spread if mutant.operator in WEAK]
    return [*strong, *weak[: max(0, MIN_JUDGED - len(strong))]][:most]


def _from_both_ends(rows: list[Mutant]) -> list[Mutant]:
    """The first, the last, the one in the middle, and so on."""
    if len(rows) < 3:
        return rows
    middle = len(rows) // 2
    head = [rows[0], rows[-1], rows[middle]]
    return head + [row for row in rows if row not in head]
