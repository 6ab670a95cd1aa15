"""Links: do two files know of each other as the plan says? If not, is it the path, the name that is taken, or all of it?"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import islice

from ...repo.sources import (
    CODE_ENDINGS,
    PYTHON_ENDINGS,
    SCRIPT_ENDINGS,
    SourceFile,
    code_text,
    file_stem,
    line_number,
    printable_text,
)
from . import imports
from .wiring import mention_line, path_prefix

PLAN_NAMES = re.compile(r"`([^`\n]{2,80})`|([^\s`\"'“”‘’(),;|]{3,80})")


def check_link(root: str, source: SourceFile, target: SourceFile, how: str) -> tuple[str, str]:
    """What is wrong with a link, as a type of gap, and what was seen; the type is "" where it holds."""
    both = ((source, target), (target, source))
    for one, other in both:
        if (judged := _import_between(root, one, other)) is not None:
            return judged
    for one, other in both:
        if wrong := _wrong_import(root, one, other):
            return wrong
    for one, other in both:
        if line := mention_line(one, other.path) or _line_naming_file(one, other):
            return "", f"{printable_text(one.path)}:{line} names {printable_text(other.path)}"
    for name in dict.fromkeys(names_in(how)):
        if (here := _line_with(source, name)) and (there := _line_with(target, name)):
            return (
                "",
                f"“{printable_text(name)}” is in {printable_text(source.path)}:{here} and {printable_text(target.path)}:{there}",
            )
    return "broken_link", "\n".join(_missing_link_details(source, target, how))


def names_in(how: str) -> Iterator[str]:
    """Names of things in a plan's words: in backticks, or with _ . / or a capital inside."""
    for quoted, word in PLAN_NAMES.findall(how):
        name = quoted.strip() or word.strip(".:!?*")
        if len(name) > 2 and (quoted or re.search(r"\w[_./]\w|/\w|[a-z][A-Z]", name)):
            yield name


def _import_between(root: str, one: SourceFile, other: SourceFile) -> tuple[str, str] | None:
    """The import of one file in the other, if there is one, and whether all that it takes is there."""
    found = [i for i in _readable_imports(one) if imports.leads_to(root, one.path, i, other.path)]
    for one_import in found:
        if missing := imports.missing_names(root, one_import, other):
            taken = ", ".join(f"“{printable_text(name)}”" for name in missing[:5])
            what = (
                "has no default export"
                if missing == ("default",)
                else f"does not define or export {taken}"
            )
            return (
                "missing_export",
                f"{printable_text(other.path)} {what}\n{printable_text(one.path)}:{one_import.line} imports it from there",
            )
    return (
        ("", f"{printable_text(one.path)}:{found[0].line} imports {printable_text(other.path)}")
        if found
        else None
    )


def _wrong_import(root: str, one: SourceFile, other: SourceFile) -> tuple[str, str] | None:
    for found in _readable_imports(one) if other.kind in CODE_ENDINGS else ():
        if imports.leads_nowhere(root, one.path, found, other.path):
            said = f"{printable_text(one.path)}:{found.line} imports from “{printable_text(found.module)}”, and no file is there"
            return "wrong_import", f"{said}\n{printable_text(other.path)} is what it should lead to"
    return None


def _readable_imports(seen: SourceFile) -> tuple[imports.Import, ...]:
    return imports.file_imports(seen) if seen.kind in (*PYTHON_ENDINGS, *SCRIPT_ENDINGS) else ()


def _line_naming_file(one: SourceFile, other: SourceFile) -> int:
    """In languages whose imports we do not read, the bare name of the other file is enough."""
    known = (*PYTHON_ENDINGS, *SCRIPT_ENDINGS)
    if (
        one.kind not in CODE_ENDINGS
        or other.kind not in CODE_ENDINGS
        or (one.kind in known and other.kind in known)
    ):
        return 0
    return _line_with(one, file_stem(other.path))


def _line_with(seen: SourceFile, name: str) -> int:
    """The first line with that name, or for `a.b`, which may be written as a tree, with b if a is there too; 0: none."""
    text, parts = code_text(seen), name.split(".")
    whole, *found = [_line_of_word(text, part) for part in (name, *parts)]
    return whole or (found[-1] if all(found) and min(map(len, parts)) > 1 else 0)


def _line_of_word(text: str, word: str) -> int:
    if word not in text:  # by far the quickest to say
        return 0
    found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)
    return line_number(text, found.start()) if found else 0


def _missing_link_details(source: SourceFile, target: SourceFile, how: str) -> Iterator[str]:
    yield f"{printable_text(source.path)} does not name {printable_text(target.path)}, nor the other way round"
    base = posixpath.basename(target.path)
    text = code_text(source)
    if base in text and (found := re.search(rf"(?<![\w.-]){re.escape(base)}(?!\.?[\w-])", text)):
        yield f"{printable_text(source.path)}:{line_number(text, found.start())} says {printable_text(path_prefix(text, found.start()) + base)}"
    for name in islice(dict.fromkeys(names_in(how)), 3):
        where = [
            printable_text(seen.path) for seen in (source, target) if not _line_with(seen, name)
        ]
        yield f"“{printable_text(name)}” is not in {' and not in '.join(where)}"
