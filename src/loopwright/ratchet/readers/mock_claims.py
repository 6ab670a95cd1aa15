"""What a test says about the calls of a mock: how often, and with which arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ... import lazy_re as re
from .matchers import matcher_assertions
from .suite import EXACT, LOOSE, Assertion
from .tree_text import Link, chain_text

VERIFYING = re.compile(r"[vV]erify|coVerify|expects")
COUNT = re.compile(r"(?i)once|times|least|never|exactly|most|\bany\(\)|calls?\(")
TIMES = re.compile(r"(?i)(?:times|exactly)(?:\(|=|: )(\d+)")
ONCE = re.compile(r"(?i)\bonce\b")
AT_LEAST = re.compile(r"(?i)at_?(?:least|most)")
NEVER_CALLED = re.compile(r"(?i)\bnever\b|exactly(?:=|\()0|times\(0")
LAMBDA_HEAD = re.compile(r"^\(?\w*\)?(?:=>|->)")


def mock_claims(
    links: list[Link], line: int, substitute: Callable[[str], str]
) -> Iterator[Assertion]:
    """`verify(gateway, times(1)).send("p1")` and its relatives in other libraries."""
    at = next((i for i, link in enumerate(links) if VERIFYING.fullmatch(link.name)), -1)
    if at < 0 or not links[at].arguments:
        return
    link, rest, owner = links[at], links[at + 1 :], chain_text(links[:at])
    counts = [text for text in link.texts if COUNT.search(text) and "=>" not in text]
    calls = [text for text in link.texts if text not in counts]
    default = ""
    if link.name == "expects":
        values = {other.name: ", ".join(other.texts) for other in rest}
        subject, called_with = f"{owner}.{values.get('method', '')}", values.get("with", "")
    elif rest and rest[0].is_called:
        subject, called_with = f"{calls[0]}.{rest[0].name}", ", ".join(rest[0].texts)
        default = "once"
    elif calls:
        call = LAMBDA_HEAD.sub("", calls[-1])
        name, _, called_with = call.partition("(")
        subject = f"{owner}.{name}" if owner else name
        called_with = called_with.removesuffix(")")
    else:
        return
    called_with = substitute(called_with)
    yield from matcher_assertions("toHaveBeenCalledWith", subject, [called_with], False, line)
    yield _times_claim(subject, " ".join(counts) or default, line)


def _times_claim(subject: str, times: str, line: int) -> Assertion:
    if NEVER_CALLED.search(times):
        return Assertion(f"not {subject} toHaveBeenCalled", line, EXACT, subject)
    number = TIMES.search(times)
    if (number or ONCE.search(times)) and not AT_LEAST.search(times):
        count = number[1] if number else "1"
        return Assertion(f"{subject} toHaveBeenCalledTimes {count}", line, EXACT, subject)
    return Assertion(f"{subject} toHaveBeenCalled", line, LOOSE, subject)
