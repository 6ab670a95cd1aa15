"""What a chain of calls in JavaScript asserts: expect, should, assert, supertest and sinon."""

from __future__ import annotations

from collections.abc import Iterator

from ... import lazy_re as re
from .javascript_lines import Link, source_text, substitute_names
from .javascript_parser import Pieces, Values, text_at
from .matchers import NUMBER, matcher_assertions, word_set
from .suite import Assertion

FILLERS = word_set(
    "to be been is that and has have with at of same does deep own nested any all not "
    "resolves rejects catch"
)
# A name with a group is that of a helper in another file.
ASSERTING = re.compile(r"(?:expect|assert|check|verify|ensure|should)([A-Z_]\w*)?|t")
NO_ERROR = ("err == null", "err == undefined", "error == null", "error == undefined")
NOT_ASSERTIONS = word_set(
    "fail plan test t after before afterEach beforeEach teardown tearDown diagnostic comment log "
    "end done skip todo timeout setTimeout mock runOnly completed"
)
EXPECTED_ARGUMENTS = {  # of `assert`, before the message; 1 for the others
    "ok": 0,
    "assert": 0,
    "closeTo": 2,
    "propertyVal": 2,
    "calledWith": 9,
}


def chain_assertions(
    pieces: Pieces, at: int, links: list[Link], values: Values
) -> Iterator[Assertion]:
    """What a chain asserts that begins with `expect` or `assert`, or contains `should`."""
    for assertion in _all_assertions(pieces, at, links, values):
        # Of a callback; with await, the error is thrown instead.
        if assertion.text not in NO_ERROR and not assertion.text.endswith(" ifError"):
            yield assertion


def _all_assertions(
    pieces: Pieces, at: int, links: list[Link], values: Values
) -> Iterator[Assertion]:
    words, last, line = [link.name for link in links], links[-1], pieces[at].line
    args_by_link = [_argument_texts(link, links, values) for link in links]
    last_args = args_by_link[-1]
    if words[0] == "should" and last_args:
        is_negated = "not" in words
        yield from matcher_assertions(last.name, last_args[0], last_args[1:2], is_negated, line)
    elif "should" in words:
        head = words.index("should")
        subject = substitute_names(source_text(pieces[at : links[head].at - 1]), values)
        rest = [*zip(links, args_by_link, strict=True)][head + 1 :]
        yield from _expect_assertions(subject, rest, values, line)
    elif words[0] == "expect":
        head = next((i for i, args in enumerate(args_by_link) if args), -1)
        subject = "".join(args_by_link[head][:1])
        rest = [*zip(links, args_by_link, strict=True)][head + 1 :]
        yield from _expect_assertions(subject, rest, values, line)
    elif "expect" in words:  # supertest
        for word, args in zip(words, args_by_link, strict=True):
            if word == "expect":
                expected = [arg for arg in args if arg != "done" and "=>" not in arg]
                yield from _response_assertions(expected, line)
    elif last_args and _is_assert_call(words):
        name = last.name if len(words) > 1 else "ok"
        count = EXPECTED_ARGUMENTS.get(last.name, 1)
        yield from matcher_assertions(name, last_args[0], last_args[1 : 1 + count], False, line)
    elif last.args is not None and _is_helper_elsewhere(last.name):
        yield Assertion(f"{last.name}({', '.join(last_args)})", line)


def _is_assert_call(words: list[str]) -> bool:
    if words[-1] in NOT_ASSERTIONS:
        return False
    return words[0] in ("assert", "t") or "assert" in words[1:-1]


def _is_helper_elsewhere(name: str) -> bool:
    match = ASSERTING.fullmatch(name)
    return bool(match and match[1])


def _argument_texts(link: Link, links: list[Link], values: Values) -> list[str]:
    """The arguments of a link. The first one of `expect` and `assert` is the subject."""
    asserting = links[-1].name if links[0].name in ("assert", "t") else ""
    has_subject = link.name in ("expect", asserting)
    return [
        _argument_text(arg, values, is_subject=has_subject and i == 0)
        for i, arg in enumerate(link.args or ())
    ]


def _argument_text(arg: Pieces, values: Values, is_subject: bool) -> str:
    """The argument with names replaced by their values, except where the value may be another.

    A list that is the subject may have grown, and the result of a call is not an expected value.
    """
    text = source_text(arg)
    value = values.get(text_at(arg, 0), ())
    keeps_name = False
    if value and value[0].text != "new":
        if is_subject:
            keeps_name = value[0].kind in ("[", "{")
        else:
            keeps_name = len(arg) == 1 and value[-1].kind == "("
    return (text if keeps_name else substitute_names(text, values)).removeprefix("await ")


def _expect_assertions(
    subject: str, rest: list[tuple[Link, list[str]]], values: Values, line: int
) -> Iterator[Assertion]:
    """The matchers after `expect(subject)` or `subject.should`."""
    value_of_name: dict[str, str] = {}
    for link, _ in rest:
        for arg in link.args or ():
            if len(arg) == 1:
                value_of_name[arg[0].text] = substitute_names(source_text(arg), values)
    negated = False
    for link, args in rest:
        negated = negated != (link.name == "not")
        args = [subject if value_of_name.get(arg) == subject else arg for arg in args]
        is_matcher = link.args is not None or not link.name.startswith("to")
        if link.name and link.name not in FILLERS and is_matcher:
            yield from matcher_assertions(link.name, subject, args, negated, line)


def _response_assertions(args: list[str], line: int) -> Iterator[Assertion]:
    """`.expect(200)`, `.expect(200, body)`, `.expect('Content-Type', /json/)`, `.expect(body)`."""
    if args and NUMBER.fullmatch(args[0]):
        yield from matcher_assertions("==", "response.status", args[:1], False, line)
        args = args[1:]
    if len(args) > 1:
        matcher = "toMatch" if args[1].startswith("/") else "=="
        header = f"response.headers[{args[0].lower()}]"
        yield from matcher_assertions(matcher, header, args[1:], False, line)
    elif args:
        yield from matcher_assertions("==", "response.body", args, False, line)
