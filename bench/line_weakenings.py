"""Weakenings of tests that are made line by line, by the words of a language (weakenings/)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from loopwright.ratchet.readers.languages import language_of

Weaken = Callable[[str], Iterator[str | None]]


class Words(NamedTuple):
    """What a weakening needs to know about a language."""

    test: str  # the line that begins a test; its group is the indentation
    assertion: str  # a whole statement on one line that asserts something
    comment: str
    skip_line: str  # put at the beginning of a test
    skip_mark: str = ""  # put before a test
    true_line: str = ""  # an assertion that cannot fail
    wrap: tuple[str, str] = ("", "")  # lines that swallow what is between them
    condition: tuple[str, str] = ("", "")  # lines that make what is between them never run
    leave_line: str = ""  # ends a test early
    loosened: tuple[tuple[str, str], ...] = ()  # pattern of a line → a weaker one
    body_opens: str = r"\{\s*$"  # the end of the line after which a test begins


def kinds(words: Words) -> dict[str, Weaken]:
    """The name of each kind, with the function that weakens one place after the other."""
    found: dict[str, Weaken] = {
        "delete the file": lambda text: (None for _ in islice(_without_test(text, words), 1)),
        "delete a test": lambda text: _without_test(text, words),
        "delete an assertion": lambda text: _each_assertion(text, words, lambda line: None),
        "comment an assertion out": lambda text: _each_assertion(
            text, words, lambda line: _comment(line, words.comment)
        ),
        "delete all assertions of a test": lambda text: _without_assertions(text, words),
    }
    if words.skip_line:
        found["skip in the body"] = lambda text: _at_begin(text, words, words.skip_line)
    if words.leave_line:
        found["return early"] = lambda text: _at_begin(text, words, words.leave_line)
    if words.skip_mark:
        found["mark as skipped"] = lambda text: _before_test(text, words)
    if words.true_line:
        found["assert true instead"] = lambda text: _each_assertion(
            text, words, lambda line: _indent(line) + words.true_line
        )
    for name, (before, after) in (("swallow", words.wrap), ("never reached", words.condition)):
        if before:
            found[name] = lambda text, before=before, after=after: _each_assertion(
                text,
                words,
                lambda line: "\n".join((_indent(line) + before, line, _indent(line) + after)),
            )
    for pattern, weaker in words.loosened:
        found[f"{pattern[:30]} → {weaker[:30]}"] = lambda text, pattern=pattern, weaker=weaker: (
            _loosened(text, words, pattern, weaker)
        )
    return found


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _comment(line: str, sign: str) -> str:
    return f"{_indent(line)}{sign} {line.lstrip()}"


def _tests(text: str, words: Words) -> Iterator[tuple[int, int]]:
    """First and last line of each test."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        match = re.match(words.test, line)
        above = "\n".join(lines[:number])
        if not match or above.rfind("\n/*") > above.rfind("*/"):
            continue
        indent = _indent(line)
        for end in range(number + 1, len(lines)):
            is_end = re.match(rf"{indent}(?:\}}|end\b)", lines[end])
            if is_end:
                yield number, end
                break


def _each_assertion(text: str, words: Words, change: Callable[[str], str | None]) -> Iterator[str]:
    lines = text.split("\n")
    places = [(a, b) for a, b in _tests(text, words)]
    for begin, end in places:
        for number in range(begin + 1, end):
            if re.match(words.assertion, lines[number]):
                new = change(lines[number])
                yield "\n".join(
                    [*lines[:number], *([new] if new is not None else []), *lines[number + 1 :]]
                )
                break


def _without_assertions(text: str, words: Words) -> Iterator[str]:
    lines = text.split("\n")
    for begin, end in _tests(text, words):
        kept = [line for line in lines[begin:end] if not re.match(words.assertion, line)]
        if len(kept) + 1 < end - begin + 1 and len(kept) > 1:
            yield "\n".join([*lines[:begin], *kept, *lines[end:]])


def _without_test(text: str, words: Words) -> Iterator[str]:
    lines = text.split("\n")
    for begin, end in _tests(text, words):
        if not any(re.match(words.assertion, line) for line in lines[begin:end]):
            continue
        while begin and re.match(r"\s*(?:@|\[|#\[)", lines[begin - 1]):
            begin -= 1
        yield "\n".join([*lines[:begin], *lines[end + 1 :]])


def _at_begin(text: str, words: Words, added: str) -> Iterator[str]:
    lines = text.split("\n")
    for begin, end in _tests(text, words):
        opening = next(
            (n for n in range(begin, min(begin + 4, end)) if re.search(words.body_opens, lines[n])),
            None,
        )
        has_assertion = any(re.match(words.assertion, line) for line in lines[begin:end])
        if opening is not None and has_assertion:
            yield "\n".join(
                [
                    *lines[: opening + 1],
                    _indent(lines[begin]) + "    " + added,
                    *lines[opening + 1 :],
                ]
            )


def _before_test(text: str, words: Words) -> Iterator[str]:
    lines = text.split("\n")
    for begin, end in _tests(text, words):
        if any(re.match(words.assertion, line) for line in lines[begin:end]):
            yield "\n".join(
                [*lines[:begin], _indent(lines[begin]) + words.skip_mark, *lines[begin:]]
            )


def _loosened(text: str, words: Words, pattern: str, weaker: str) -> Iterator[str]:
    lines = text.split("\n")
    for begin, end in _tests(text, words):
        for number in range(begin, end):
            new = re.sub(pattern, weaker, lines[number])
            if new != lines[number] and not new.lstrip().startswith(words.comment):
                yield "\n".join([*lines[:number], new, *lines[number + 1 :]])
                break


def is_test_of(name: str, path: str) -> bool:
    language = language_of(path)
    return language is not None and language.name == name
