"""Documents that the spec or a check names: what a search in them does not show."""

from __future__ import annotations

from ... import lazy_re as re
from ...checks.file_questions import asks_about_files
from ...checks.named_files import path_words
from ...core.findings import MEDIUM, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...repo.baseline import Change

DOCUMENT = re.compile(
    r"\.(?:md|rst|adoc)$|(?i:(?:^|/)(?:readme|changelog|changes|news|notes|todo)(?:\.txt)?$)"
)
FILE = re.compile(rf"/|\.[a-zA-Z]\w*$|{DOCUMENT.pattern}")  # of the words of a command
SPEAKS_OF_DOCUMENTS = re.compile(
    r"(?i)\b(?:readme|docs?|document\w*|changelog|release notes?|notes?|guide|manual|pages?"
    r"|sections?|headings?|chapter|describ\w*|explain\w*|mention\w*|tutorial|licen[cs]e)\b"
)
# Who asks for one of these wants the old text to go.
WANTS_LESS = re.compile(
    r"(?i)\b(?:re-?writ|restructur|reorgani[sz]|replac|shorten|condens|remov|delet|drop|split|mov"
    r"|trim|clean|simplif|translat|convert|merg|cut|from scratch)"
)
WORD = re.compile(r"[\w-]+")
MIN_LINES = 6  # of a document that can be emptied


def find_emptied(changes: Iterable[Change], named: frozenset[str], spec: str) -> list[Finding]:
    """Documents, named by the spec or a check, most of whose lines are gone without a request."""
    changes = list(changes)
    if WANTS_LESS.search(spec):
        return []
    words = set(WORD.findall(spec.lower()))  # "the README" names README.md
    now = {line for change in changes for line in _lines(change.after)}
    found = []
    for change in changes:
        file = change.path.rpartition("/")[2]
        is_named = bool({change.path, file} & named) or file.partition(".")[0].lower() in words
        before = _lines(change.before)
        if not is_named or not DOCUMENT.search(change.path) or len(before) < MIN_LINES:
            continue
        kept = sum(line in now for line in before)
        if 2 * kept < len(before):
            counts = f"{len(before)} lines", f"{kept} of them are left"
            found.append(Finding(MEDIUM, "document-emptied", change.path, 0, *counts))
    return found


def find_only_searched(red_lines: Sequence[str], spec: str) -> list[Finding]:
    """Does each check that failed at the start only search documents of which the spec is silent?

    Then they show what a document says, and nothing of the work.
    """
    if not red_lines or SPEAKS_OF_DOCUMENTS.search(spec):
        return []
    files = [{word for word in path_words(line) if FILE.search(word)} for line in red_lines]
    searched = set().union(*files)
    is_only_search = all(files) and all(map(DOCUMENT.search, searched))
    if (
        not is_only_search
        or searched & path_words(spec)
        or not all(map(asks_about_files, red_lines))
    ):
        return []
    return [Finding(MEDIUM, "only-document-searched", ", ".join(sorted(searched)))]


def _lines(text: str | None) -> list[str]:
    return [line.strip() for line in (text or "").splitlines() if line.strip()]
