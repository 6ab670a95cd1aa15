"""Does a proposed check expect another value of a call than a test of the start does?

No run can tell: the product of the start passes its own tests, and the work is not there yet.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from ... import lazy_re as re
from ...core.second_eyes.answers import Trial
from ...ratchet.readers.assertion_reader import LITERAL, NAME
from ...ratchet.readers.statement import tokens_of

ASSERTION = re.compile(r"(?i)assert|expect|\bif\b|\btest\b|[!=]==?")
EQUAL = re.compile(r"(?i)={2,3}|.*equals?|.*_eq|eq|to_?be|is")
NEGATED = re.compile(r"(?i)!=|!==|not|.*not_?(?:equal|be|eq).*|ne")
ASSERTION_WORD = re.compile(r"(?i)(?:assert|expect)\w*|self|t|is|not|if|equals?|eq|ok|strict\w*")
Expectation = tuple[tuple[str, ...], str]  # a call, and the literal that it must give


def contradicted_line(trial: Trial, tests: dict[str, str]) -> str:
    """The place of the first test that expects another value of the same call; "" for none.

    A call that gives several values, in the tests or in the check, has a state: nothing follows.
    """
    wanted = _values(_lines(trial))
    if not wanted:
        return ""
    known = _values(line for text in tests.values() for line in text.splitlines())
    both = wanted.keys() & known.keys()
    sole = {call for call in both if len(wanted[call]) == len(known[call]) == 1}
    against = {call for call in sole if wanted[call] != known[call]}
    for path, text in tests.items():
        for number, line in enumerate(text.splitlines(), 1):
            if against and (pair := expectation(line)) and pair[0] in against:
                return f"{path}:{number}: {line.strip()}"
    return ""


def _values(lines: Iterable[str]) -> dict[tuple[str, ...], set[str]]:
    """Which values each call must give."""
    values: dict[tuple[str, ...], set[str]] = {}
    for line in lines:
        if pair := expectation(line):
            values.setdefault(pair[0], set()).add(pair[1])
    return values


def expectation(line: str) -> Expectation | None:
    """The call and the literal of an assertion of equality on this line; None for anything else."""
    if len(line) > 1_000 or not ASSERTION.search(line):
        return None
    tokens = _join_signs(list(tokens_of(line)))
    start = next((at for at in range(len(tokens)) if _is_call(tokens, at)), None)
    if start is None or any(NEGATED.fullmatch(token) for token in tokens):
        return None
    end = _end_of_call(tokens, start)
    around = (*tokens[:start], *tokens[end:])
    literals = [token for token in around if LITERAL.fullmatch(token)]
    is_equality = any(EQUAL.fullmatch(token) for token in around)
    return (tuple(tokens[start:end]), literals[0]) if is_equality and len(literals) == 1 else None


def _join_signs(tokens: list[str]) -> list[str]:
    """`=` `=` as one token, and `!` `=` too."""
    joined: list[str] = []
    for sign in tokens:
        if sign == "=" and joined and set(joined[-1]) <= {"=", "!"}:
            joined[-1] += sign
        else:
            joined.append(sign)
    return joined


def _is_call(tokens: list[str], at: int) -> bool:
    name = tokens[at]
    is_name = bool(NAME.fullmatch(name)) and not ASSERTION_WORD.fullmatch(name)
    return is_name and tokens[at + 1 : at + 2] == ["("] and tokens[at + 2 : at + 3] != [")"]


def _end_of_call(tokens: list[str], start: int) -> int:
    depth = 0
    for at in range(start + 1, len(tokens)):
        depth += (tokens[at] == "(") - (tokens[at] == ")")
        if not depth:
            return at + 1
    return len(tokens)


def _lines(trial: Trial) -> Iterator[str]:
    """The lines of a test file, and the statements in the words of a command."""
    yield from trial.text.splitlines()
    try:
        words = shlex.split(trial.command)
    except ValueError:
        words = [trial.command]
    for word in words:
        yield from re.split(r"[;\n]", word)
