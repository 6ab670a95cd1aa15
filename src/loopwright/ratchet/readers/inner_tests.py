"""Tests inside files of the product: which parts of a file they are, and how to exchange them.

The clean checkout runs the tests of the start on the final product, and the final tests on the
product of the start. A file that holds both is mixed: its test parts from one version, everything
else from the other.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from .inner_test_blocks import SYNTAXES, Syntax, split_blocks
from .inner_test_python import HINT, split_python
from .test_parts import Part, SplitFile

SUFFIXES = (".py", *(suffix for syntax in SYNTAXES for suffix in syntax.suffixes))
UNREADABLE = "\ufffd"  # stands for bytes that are no text: they could not be written back


def split_file(path: str, text: str, with_examples: bool = False) -> SplitFile | None:
    """The test parts of a product file; None if they cannot be told from the rest.

    `with_examples`: the checks run the examples in docstrings of Python.
    """
    if path.endswith(".py"):
        return split_python(text, with_examples)
    syntax = _syntax_of(path)
    return split_blocks(syntax, text) if syntax else SplitFile(text)


def _syntax_of(path: str) -> Syntax | None:
    return next((syntax for syntax in SYNTAXES if path.endswith(syntax.suffixes)), None)


def _may_hold_tests(path: str, text: str) -> bool:
    """Is a word in it without which it has no tests? Most files are never split."""
    if path.endswith(".py"):
        return bool(HINT.search(text))
    syntax = _syntax_of(path)
    return syntax is not None and syntax.hint in text


class InnerTests(NamedTuple):
    """How the tests inside a product file changed."""

    is_changed: bool = False
    is_kept: bool = False  # the tests of the start are still there, and others may be new
    baseline_text: str = ""  # the tests of the start


def compare_inner_tests(path: str, before: str, after: str, with_examples: bool) -> InnerTests:
    if not _may_hold_tests(path, before) and not _may_hold_tests(path, after):
        return InnerTests()
    old = split_file(path, before, with_examples)
    new = split_file(path, after, with_examples)
    if old is None or new is None:
        # A file that could not be parsed at the start had no tests that ran.
        has_tests = bool(old and old.parts)
        return InnerTests(has_tests, False, _joined_text(old) if old else "")
    is_changed = _texts(old) != _texts(new)
    return InnerTests(is_changed, _keeps_tests(old, new), _joined_text(old))


def mix_tests(path: str, tests: str, product: str, with_examples: bool = False) -> str | None:
    """The file with the tests of one version and the product of another.

    None if it cannot be made: the parts cannot be told apart, or a test has no place there.
    """
    if UNREADABLE in tests or UNREADABLE in product:
        return None
    source = split_file(path, tests, with_examples)
    target = split_file(path, product, with_examples)
    if source is None or target is None:
        return None
    edits = _edits(source, target)
    if edits is None:
        return None
    mixed, position = "", 0
    for start, end, text in sorted(edits, key=lambda edit: edit[:2]):
        mixed += product[position:start] + text
        position = end
    mixed += product[position:]
    again = split_file(path, mixed, with_examples)
    return mixed if again is not None else None


def _edits(source: SplitFile, target: SplitFile) -> list[tuple[int, int, str]] | None:
    """What is replaced in the target: from, to, and by which text."""
    wanted = {part.key: part for part in source.parts}
    known = {part.key for part in target.parts}
    edits = []
    for part in target.parts:
        text = wanted[part.key].text if part.key in wanted else part.empty
        edits.append((*part.span, text))
    for part in source.parts:
        if part.key in known:
            continue
        if slot := target.slots.get(part.place):
            edits.append((slot.start, slot.end, f"{slot.prefix}{part.text}{slot.suffix}"))
        elif part.spare_text:
            slot = target.slots[()]
            edits.append((slot.start, slot.end, f"{slot.prefix}{part.spare_text}{slot.suffix}"))
        else:
            return None
    missing = dict.fromkeys(line for name, line in source.needs if name not in target.names)
    if missing:
        position = target.first_statement
        edits.append((position, position, "".join(f"{line}\n" for line in missing)))
    return edits


def _texts(split: SplitFile) -> dict[tuple[str, ...], str]:
    return {part.key: part.text for part in split.parts}


def _joined_text(split: SplitFile) -> str:
    return "\n".join(part.text for part in split.parts)


def _keeps_tests(old: SplitFile, new: SplitFile) -> bool:
    """Are the tests of the start all there, unchanged and first, and is all else a plain test?"""
    parts = {part.key: part for part in new.parts}
    if any(key not in parts or not _is_kept(part, parts[key]) for key, part in _by_key(old)):
        return False
    known = Counter(part.key for part in old.parts)
    return all(part.is_plain for part in new.parts if part.key not in known)


def _by_key(split: SplitFile) -> list[tuple[tuple[str, ...], Part]]:
    return [(part.key, part) for part in split.parts]


def _is_kept(old: Part, new: Part) -> bool:
    if old.text == new.text:
        return True
    first, added = new.members[: len(old.members)], new.members[len(old.members) :]
    is_same = [m.text for m in old.members] == [m.text for m in first]
    return bool(old.members) and is_same and all(member.is_plain for member in added)
