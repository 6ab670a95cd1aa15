"""Links: do two files use each other as the plan says? If not, what exactly is wrong?"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from itertools import islice

from ... import lazy_re as re
from ...checks.imports import Import, file_imports
from ...repo.sources import (
    CODE_ENDINGS,
    PYTHON_ENDINGS,
    SCRIPT_ENDINGS,
    SourceFile,
    code_text,
    file_stem,
    line_number,
    match_line,
    printable_text,
)
from . import imports
from .wiring import mention_line, path_prefix

PLAN_NAMES = re.compile(r"`([^`\n]{2,80})`|([^\s`\"'“”‘’(),;|]{3,80})")
LOOKS_LIKE_A_NAME = re.compile(r"\w[_./]\w|/\w|[a-z][A-Z]")
IMPORTS_ARE_READ = frozenset((*PYTHON_ENDINGS, *SCRIPT_ENDINGS))

LinkResult = tuple[str, str]  # the type of gap, "" where the link holds, and what was seen


def check_link(root: str, source: SourceFile, target: SourceFile, how: str) -> LinkResult:
    """The type of gap, "" where the link holds, and what was seen."""
    # The surest evidence first; either file may be the one that uses the other.
    for find_link in (_import_between, _wrong_import, _mention_between):
        for user, used in ((source, target), (target, source)):
            if result := find_link(root, user, used):
                return result
    if result := _shared_name(source, target, how):
        return result
    return "broken_link", "\n".join(_missing_link_details(source, target, how))


def _mention_between(
    _root: str, mentioning: SourceFile, mentioned: SourceFile
) -> LinkResult | None:
    """The path or name of one file in the text of the other."""
    line = mention_line(mentioning, mentioned.path) or _line_naming_file(mentioning, mentioned)
    if not line:
        return None
    path = printable_text(mentioning.path)
    return "", f"{path}:{line} names {printable_text(mentioned.path)}"


def _shared_name(source: SourceFile, target: SourceFile, how: str) -> LinkResult | None:
    """A name from the plan's words that both files have."""
    for name in dict.fromkeys(names_in(how)):
        source_line = _line_with(source, name)
        target_line = _line_with(target, name) if source_line else 0
        if target_line:
            first = f"{printable_text(source.path)}:{source_line}"
            second = f"{printable_text(target.path)}:{target_line}"
            return "", f"“{printable_text(name)}” is in {first} and {second}"
    return None


def names_in(how: str) -> Iterator[str]:
    """Names in a plan's words: in backticks, or with _ . / or a capital letter inside."""
    for quoted, word in PLAN_NAMES.findall(how):
        name = quoted.strip() or word.strip(".:!?*")
        if len(name) > 2 and (quoted or LOOKS_LIKE_A_NAME.search(name)):
            yield name


def _import_between(root: str, importer: SourceFile, imported: SourceFile) -> LinkResult | None:
    """The import of one file in the other, and whether all imported names are there."""
    leading = [
        statement
        for statement in _readable_imports(importer)
        if imports.leads_to(root, importer.path, statement, imported.path)
    ]
    if not leading:
        return None
    path, target = printable_text(importer.path), printable_text(imported.path)
    for statement in leading:
        missing = imports.missing_names(root, statement, imported)
        if missing:
            names = ", ".join(f"“{printable_text(name)}”" for name in missing[:5])
            problem = f"does not define or export {names}"
            if missing == ("default",):
                problem = "has no default export"
            detail = f"{target} {problem}\n{path}:{statement.line} imports it from there"
            return "missing_export", detail
    return "", f"{path}:{leading[0].line} imports {target}"


def _wrong_import(root: str, importer: SourceFile, imported: SourceFile) -> LinkResult | None:
    """An import that means the other file by its name and leads to no file."""
    if imported.kind not in CODE_ENDINGS:
        return None
    for statement in _readable_imports(importer):
        if imports.leads_nowhere(root, importer.path, statement, imported.path):
            where = f"{printable_text(importer.path)}:{statement.line}"
            module = printable_text(statement.module)
            return "wrong_import", (
                f"{where} imports from “{module}”, and no file is there\n"
                f"{printable_text(imported.path)} is what it should lead to"
            )
    return None


def _readable_imports(source: SourceFile) -> tuple[Import, ...]:
    """The imports of a file in Python or JavaScript."""
    return file_imports(source) if source.kind in IMPORTS_ARE_READ else ()


def _line_naming_file(mentioning: SourceFile, mentioned: SourceFile) -> int:
    """In languages whose imports we do not read, the bare name of the other file is enough."""
    kinds = {mentioning.kind, mentioned.kind}
    if not kinds <= CODE_ENDINGS or kinds <= IMPORTS_ARE_READ:
        return 0
    return _line_with(mentioning, file_stem(mentioned.path))


def _line_with(source: SourceFile, name: str) -> int:
    """The first line with the name; 0 where there is none.

    The parts of `a.b` may be on different lines of a nested structure; then the line of b counts.
    """
    text, parts = code_text(source), name.split(".")
    if line := _line_of_word(text, name):
        return line
    if min(map(len, parts)) < 2:
        return 0
    lines = [_line_of_word(text, part) for part in parts]
    return lines[-1] if all(lines) else 0


def _line_of_word(text: str, word: str) -> int:
    """The first line with the word as a whole; 0 where there is none."""
    if word not in text:  # far faster than the search
        return 0
    return match_line(text, re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text))


def _missing_link_details(source: SourceFile, target: SourceFile, how: str) -> Iterator[str]:
    """What a person needs to see why neither file uses the other."""
    path = printable_text(source.path)
    yield f"{path} does not name {printable_text(target.path)}, nor the other way round"
    base = posixpath.basename(target.path)
    text = code_text(source)
    if match := re.search(rf"(?<![\w.-]){re.escape(base)}(?!\.?[\w-])", text):
        spelled = printable_text(path_prefix(text, match.start()) + base)
        yield f"{path}:{line_number(text, match.start())} says {spelled}"
    for name in islice(dict.fromkeys(names_in(how)), 3):
        lacking = [file for file in (source, target) if not _line_with(file, name)]
        paths = " and not in ".join(printable_text(file.path) for file in lacking)
        yield f"“{printable_text(name)}” is not in {paths}"
