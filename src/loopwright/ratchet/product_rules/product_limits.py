"""Finds limits of the product that changed, and with which unchanged tests and checks compare.

A check may take its limit from the product: `steps > maxSteps(size)`, `error <= TOLERANCE`. If the
agent changes that limit instead of what is measured, the check shows less.
"""

from __future__ import annotations

from ... import lazy_re as re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LIMIT_WORDS = frozenset(
    [
        *("max", "maximum", "min", "minimum", "limit", "limits", "budget", "threshold", "quota"),
        *("tolerance", "tol", "epsilon", "eps", "allowed", "allowance", "deadline", "timeout"),
        *("ceiling", "cap", "bound", "slack", "margin", "delta", "atol", "rtol"),
    ]
)
NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# A name that is given a value or a body, with what may be before it.
DEFINED = re.compile(
    r"^(?P<indent>[ \t]*)(?:#\s*define\s+|(?:[\w<>\[\]*&:]+ +)*?)(?P<name>[A-Za-z_$][\w$]*)[\"']?"
    r"\s*(?P<sign>\(|:=|=(?![=>])|:(?!:)|\s(?=[\d(]))"
)
QUOTED_NAME = re.compile(r"^(\s*)[\"']([\w-]+)[\"']\s*(:)")
COMMENT = re.compile(r"(?:^|\s)(?:#(?!\s*define)|//|--\s).*$|/\*.*?\*/")
NUMBER = re.compile(r"(?<![\w.])\d[\d_.]*(?![\w])")
ORDERS = r"(?<![-=<])(?:<=?|>=?)(?![<>])"
ORDER_WORDS = (
    r"Less|Greater|AtMost|AtLeast|[aA]pprox|isclose|is_close|[cC]loseTo|Within|AlmostEqual|InDelta"
    r"|-(?:lt|le|gt|ge)\b|\b(?:delta|places|atol|rtol|rel|abs|tol|within)\b"
)
LINES_OF_BODY = 60


def is_limit(name: str) -> bool:
    """Does the name say that it bounds something?"""
    return any(part.lower() in LIMIT_WORDS for part in NAME_PART.findall(name))


def changed_limits(before: str, after: str) -> dict[str, str]:
    """The limits of a file that are defined in another way now, with their new definitions."""
    old, new = _definitions(before), _definitions(after)
    return {name: new[name] for name in old.keys() & new.keys() if old[name] != new[name]}


def comparing_lines(limits: dict[str, str], tests: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each limit with a line of an unchanged test that compares something with it.

    A limit whose new number the tests write out is what they ask for, and one that they compare
    with a number, or for equality, is what they test.
    """
    texts = list(tests)
    for name, definition in limits.items():
        quoted = rf"\b{re.escape(name)}\b"
        if _is_asked_for(definition, texts) or _is_subject(quoted, texts):
            continue
        quoted = _with_aliases(quoted, texts)
        compares = re.compile(
            rf"{ORDERS}[^<>\n]*{quoted}|{quoted}[^<>\n]*?{ORDERS}|(?:{ORDER_WORDS}).*{quoted}"
        )
        for text in texts:
            lines = (COMMENT.sub("", line).strip() for line in text.splitlines())
            if line := next((line for line in lines if compares.search(line)), ""):
                yield name, line
                break


def _with_aliases(name: str, tests: list[str]) -> str:
    """A pattern for the limit and for each name that tests give it: `MOST = SETTINGS["limit"]`."""
    given = re.compile(rf"(?m)^[^#/\n]*?\b(\w+)\s*:?=(?!=)[^=<>\n]*{name}[\"'\]);]*$")
    aliases = {alias for text in tests for alias in given.findall(text)}
    words = [rf"\b{alias}\b" for alias in sorted(aliases)]
    return f"(?:{'|'.join([name, *words])})"


def _is_asked_for(definition: str, tests: list[str]) -> bool:
    numbers = {n for n in NUMBER.findall(definition) if len(n.strip("0._")) > 0 and len(n) > 1}
    is_value = bool(re.search(r"[=:\s]\s*-?[\d_.]+\s*[,;]?$", definition))
    return bool(numbers) and is_value and all(_has_number(n, tests) for n in numbers)


def _is_subject(name: str, tests: list[str]) -> bool:
    """Do tests say what it must be, as for a function `max_profit` of the product?"""
    value = rf"{name}(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?"
    is_equal = rf"{name}.*(?:[!=]=|[eE]qual|toBe\b)|(?:[!=]=|[eE]qual|\bis\().*{name}"
    has_number = rf"{value}\s*{ORDERS}\s*-?[\d.]+\b|(?<![\w.])[\d.]+\s*{ORDERS}\s*{name}"
    has_twice = rf"{name}.*{ORDERS}.*{name}"
    subject = re.compile(rf"{is_equal}|{has_number}|{has_twice}")
    orders = re.compile(ORDER_WORDS)
    lines = (line for text in tests for line in text.splitlines() if not orders.search(line))
    return any(map(subject.search, lines))


def _has_number(number: str, tests: list[str]) -> bool:
    return any(re.search(rf"(?<![\w.]){re.escape(number)}(?![\w])", text) for text in tests)


def _definitions(text: str) -> dict[str, str]:
    """The source of each limit, without comments and layout."""
    found: dict[str, str] = {}
    lines = [COMMENT.sub("", line).rstrip() for line in text.splitlines()]
    for index, line in enumerate(lines):
        match = QUOTED_NAME.match(line)
        indent, name, sign = match.groups() if match else ("", "", "")
        if not match and (plain := DEFINED.match(line)):
            indent, name, sign = plain["indent"], plain["name"], plain["sign"]
        # A call begins like the head of a function, but has no body.
        is_head = line.endswith(("{", ":", "=>", "(", "=", "["))
        if not name or not is_limit(name) or (sign == "(" and not is_head):
            continue
        body = _body(lines[index + 1 :], len(indent)) if is_head else []
        found.setdefault(name, " ".join(" ".join([line, *body]).split()))
    return found


def _body(lines: list[str], indent: int) -> list[str]:
    """The lines that are indented deeper than the head."""
    body = []
    for line in lines[:LINES_OF_BODY]:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        body.append(line)
    return body
