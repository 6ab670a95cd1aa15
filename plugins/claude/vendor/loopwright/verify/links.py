"""Links: do two files know of each other as the plan says? If not, is it the path, the name that is taken, or all of it?"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import islice

from . import imports
from .sources import CODE, PYTHON, SCRIPT, Seen, code, line_of, shown, stem
from .wiring import before, mention

NAMES = re.compile(r"`([^`\n]{2,80})`|([^\s`\"'“”‘’(),;|]{3,80})")


def tie(root: str, source: Seen, target: Seen, how: str) -> tuple[str, str]:
    """What is wrong with a link, as a type of gap, and what was seen; the type is "" where it holds."""
    both = ((source, target), (target, source))
    for one, other in both:
        if (judged := _imported(root, one, other)) is not None:
            return judged
    for one, other in both:
        if wrong := _led_astray(root, one, other):
            return wrong
    for one, other in both:
        if line := mention(one, other.path) or _called(one, other):
            return "", f"{shown(one.path)}:{line} names {shown(other.path)}"
    for name in dict.fromkeys(names_in(how)):
        if (here := _line_with(source, name)) and (there := _line_with(target, name)):
            return "", f"“{shown(name)}” is in {shown(source.path)}:{here} and {shown(target.path)}:{there}"
    return "broken_link", "\n".join(_apart(source, target, how))


def names_in(how: str) -> Iterator[str]:
    """Names of things in a plan's words: in backticks, or with _ . / or a capital inside."""
    for quoted, word in NAMES.findall(how):
        name = quoted.strip() or word.strip(".:!?*")
        if len(name) > 2 and (quoted or re.search(r"\w[_./]\w|/\w|[a-z][A-Z]", name)):
            yield name


def _imported(root: str, one: Seen, other: Seen) -> tuple[str, str] | None:
    """The import of one file in the other, if there is one, and whether all that it takes is there."""
    found = [i for i in _imports(one) if imports.leads_to(root, one.path, i, other.path)]
    for one_import in found:
        if missing := imports.not_offered(root, one_import, other):
            taken = ", ".join(f"“{shown(name)}”" for name in missing[:5])
            what = "has no default export" if missing == ("default",) else f"does not define or export {taken}"
            return "missing_export", f"{shown(other.path)} {what}\n{shown(one.path)}:{one_import.line} imports it from there"
    return ("", f"{shown(one.path)}:{found[0].line} imports {shown(other.path)}") if found else None


def _led_astray(root: str, one: Seen, other: Seen) -> tuple[str, str] | None:
    for found in _imports(one) if other.kind in CODE else ():
        if imports.leads_nowhere(root, one.path, found, other.path):
            said = f"{shown(one.path)}:{found.line} imports from “{shown(found.to)}”, and no file is there"
            return "wrong_import", f"{said}\n{shown(other.path)} is what it should lead to"
    return None


def _imports(seen: Seen) -> tuple[imports.Import, ...]:
    return imports.imports(seen) if seen.kind in (*PYTHON, *SCRIPT) else ()


def _called(one: Seen, other: Seen) -> int:
    """In languages whose imports we do not read, the bare name of the other file is enough."""
    known = (*PYTHON, *SCRIPT)
    if one.kind not in CODE or other.kind not in CODE or (one.kind in known and other.kind in known):
        return 0
    return _line_with(one, stem(other.path))


def _line_with(seen: Seen, name: str) -> int:
    """The first line with that name, or for `a.b`, which may be written as a tree, with b if a is there too; 0: none."""
    text, parts = code(seen), name.split(".")
    whole, *found = [_line_of_word(text, part) for part in (name, *parts)]
    return whole or (found[-1] if all(found) and min(map(len, parts)) > 1 else 0)


def _line_of_word(text: str, word: str) -> int:
    if word not in text:  # by far the quickest to say
        return 0
    found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)
    return line_of(text, found.start()) if found else 0


def _apart(source: Seen, target: Seen, how: str) -> Iterator[str]:
    yield f"{shown(source.path)} does not name {shown(target.path)}, nor the other way round"
    base = posixpath.basename(target.path)
    text = code(source)
    if base in text and (found := re.search(rf"(?<![\w.-]){re.escape(base)}(?!\.?[\w-])", text)):
        yield f"{shown(source.path)}:{line_of(text, found.start())} says {shown(before(text, found.start()) + base)}"
    for name in islice(dict.fromkeys(names_in(how)), 3):
        where = [shown(seen.path) for seen in (source, target) if not _line_with(seen, name)]
        yield f"“{shown(name)}” is not in {' and not in '.join(where)}"
