"""Finds lines that a check reported, and that now only say on purpose what it reported.

A cast writes down a conversion that changes the value, `_ =` drops a result that must be looked at,
and a value that is stored where nothing reads it counts as used. The report is gone, and the code
does what it did.
"""

from __future__ import annotations

import posixpath
from difflib import SequenceMatcher

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ...repo.sources import SourceFile, code_text
from ..surroundings import is_product_code
from .reported_lines import is_same_file, reports_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...repo.baseline import Change
    from ..project_files import ProjectFiles

TOKEN = re.compile(r"\w+|\S")
# What a compiler or a linter says of a conversion that it cannot vouch for.
CHANGES_VALUE = re.compile(
    r"(?i)may (?:change|alter|overflow|truncate)|\bloses\b|loss of|lossy|truncat|narrowing|overflow"
)
# There a cast is what the language asks for in every conversion of this kind.
CAST_IS_USUAL = (".java", ".kt")
CAST_WORD = re.compile(
    r"[()<>*&.]|as|(?:static|reinterpret|const|c_style)_cast|unsigned|signed|const|int|char|short"
    r"|long|float|double|byte|rune|[ui](?:8|16|32|64|128|size)|u?int\d*|\w+_t|float(?:32|64)"
    r"|std|:|to(?:Byte|Short|Int|Long)"
)
DISCARD_WORD = re.compile(r"[(),_=:;]|void|let|var|const|auto")
DISCARD = re.compile(r"^(?:(?:let|var|const|auto)\s+)?_\w{0,3}(?:, _)*\s*:?=(?!=)|^\(?void\b")
NEW_NAME = re.compile(r"(?:(?:const|let|var|auto|final)\s+)?([A-Za-z_]\w*)\s*:?=(?!=)\s*")
# The declaration of a field: its name and a type, or a type and its name.
MODIFIERS = r"(?:(?:public|private|protected|internal|static|final|readonly|var|let|pub)\s+)*"
DECLARED = (
    rf"^{MODIFIERS}(?:{{0}}\??(?:\s*:\s*|\s+)[\w.*\[\]<>]+[;,]?"
    rf"|(?!return|throw|delete|await|yield)[A-Za-z_][\w<>:.]*\s*\*?\s+{{0}};)$"
)
# Languages in which a method uses a field of its object by the name alone.
FIELD_BY_NAME = (".c", ".cc", ".cpp", ".h", ".hpp", ".java", ".kt", ".cs", ".swift")
MAX_READ = 400


def findings(files: ProjectFiles, output: str) -> Iterator[Finding]:
    """The first such line of each file; `output` is what the failing checks printed first."""
    reports = reports_of(output)
    for change in files.changes.values() if reports else ():
        if not change.before or not change.after or not is_product_code(change):
            continue
        own = [(number, text) for path, number, text in reports if is_same_file(path, change.path)]
        if found := _quiet_line(change, files, own):
            number, line = found
            yield Finding(MEDIUM, "warning-silenced", change.path, number, after=line[:200])


def _quiet_line(
    change: Change, files: ProjectFiles, reports: list[tuple[int, str]]
) -> tuple[int, str] | None:
    before, after = (
        [line.strip() for line in code_text(SourceFile(change.path, text or "")).splitlines()]
        for text in (change.before, change.after)
    )
    known = set(before)
    new = [(number, line) for number, line in enumerate(after, 1) if line and line not in known]
    for reported, message in reports:
        old = before[reported - 1] if 0 < reported <= len(before) else ""
        if not old or old in after:
            continue
        for number, line in new:
            if _is_on_purpose(change.path, old, line, message):
                return number, line
            name = _stored_name(old, line)
            if name and _is_never_read(name, line, after, change.path, files):
                return number, line
    return None


def _is_on_purpose(path: str, old: str, new: str, message: str) -> bool:
    """Is the line the same, apart from a cast or from words that drop its value?"""
    added = _added_tokens(old, new)
    if not added:
        return False
    if all(map(DISCARD_WORD.fullmatch, added)) and DISCARD.match(new) and not DISCARD.match(old):
        return True
    is_cast = all(map(CAST_WORD.fullmatch, added)) and any(word[0].isalpha() for word in added)
    return is_cast and not path.endswith(CAST_IS_USUAL) and bool(CHANGES_VALUE.search(message))


def _added_tokens(old: str, new: str) -> list[str]:
    """The tokens that the new line has besides all of the old line; none if it lost one."""
    left, right = TOKEN.findall(old), TOKEN.findall(new)
    added: list[str] = []
    position = 0
    for token in right:
        if position < len(left) and token == left[position]:
            position += 1
        else:
            added.append(token)
    return added if position == len(left) else []


def _stored_name(old: str, new: str) -> str:
    """The variable that takes what the reported line left alone: `_` before, or nothing."""
    match = NEW_NAME.match(new)
    if match and new[match.end() :].rstrip(";") == old.rstrip(";"):
        return match[1]
    left, right = TOKEN.findall(old), TOKEN.findall(new)
    changes = [row for row in SequenceMatcher(None, left, right).get_opcodes() if row[0] != "equal"]
    if len(changes) != 1 or len(left) != len(right):
        return ""
    _, start, end, _, _ = changes[0]
    is_name = end - start == 1 and left[start] == "_" and right[start].isidentifier()
    return right[start] if is_name else ""


def _is_never_read(
    name: str, own_line: str, lines: list[str], path: str, files: ProjectFiles
) -> bool:
    """Is every use of the variable a store into something that nothing reads?"""
    word = re.compile(rf"\b{name}\b")
    store = re.compile(
        rf"^(?:[\w.>-]*(?:\.|->)(\w+)\s*=\s*{name}|_\s*:?=\s*{name}|\(?void\)?\s*\(?{name}\)?)$"
    )
    declared = re.compile(DECLARED.format(name))
    for line in lines:
        text = line.rstrip(";")
        if line == own_line or not word.search(line) or declared.match(line):
            continue
        match = store.match(text)
        if not match or (match[1] and _is_read(match[1], path, files)):
            return False
    return True


def _is_read(field: str, path: str, files: ProjectFiles) -> bool:
    """Does any file of the same language use the field, other than to store something in it?"""
    ending = posixpath.splitext(path)[1]
    alone = rf"|\b{field}\s*[(.]" if path.endswith(FIELD_BY_NAME) else ""
    pattern = re.compile(rf"(?:\.|->)\s*{field}\b(?!\s*=(?!=)){alone}")
    paths = sorted(other for other in {*files.paths, path} if other.endswith(ending))
    texts = (files.now(p) or "" for p in paths[:MAX_READ])
    return any(pattern.search(text) for text in texts)
