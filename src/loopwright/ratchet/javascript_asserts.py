"""What a JavaScript assertion says and how much it can tell, spelled the same for all libraries.

Reads expect, should, assert, supertest and sinon.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .javascript_lines import Link, source_text, substitute_names
from .javascript_parser import Pieces, Values, text_at, word_set
from .suite import EXACT, LOOSE, NEVER, PARTIAL, Assertion

MATCHER_WORDS = {  # the one name of a matcher → its other names
    "==": "toBe toEqual toStrictEqual equal equals eq eql strictEqual deepEqual deepStrictEqual "
    "same is === !== != toMatchInlineSnapshot",
    "toThrow": "throw throws throwsAsync toThrowError rejects rejectedWith",
    "toHaveLength": "lengthOf length toHaveCount",
    "toContain": "include includes contain contains toContainEqual",
    "toMatch": "match matches",
    "toBeInstanceOf": "instanceOf instanceof",
    "toHaveProperty": "property propertyVal",
    "toHaveBeenCalledTimes": "callCount toBeCalledTimes",
    "toHaveBeenCalledWith": "toBeCalledWith calledWith calledWithExactly calledWithMatch "
    "calledOnceWith calledOnceWithExactly toHaveBeenCalledOnceWith "
    "toHaveBeenCalledExactlyOnceWith",
    "toHaveBeenCalled": "called toBeCalled",
    ">": "above gt toBeGreaterThan",
    ">=": "least gte toBeGreaterThanOrEqual",
    "<": "below lt toBeLessThan",
    "<=": "most lte toBeLessThanOrEqual",
}
MATCHER_BY_WORD = {word: name for name, words in MATCHER_WORDS.items() for word in words.split()}
IMPLIED_VALUES = {  # matchers without an argument → matcher and value
    "null": ("==", "null"),
    "undefined": ("==", "undefined"),
    "true": ("==", "true"),
    "false": ("==", "false"),
    "empty": ("==", "[]"),
    "toHaveBeenCalledOnce": ("toHaveBeenCalledTimes", "1"),
    "calledOnce": ("toHaveBeenCalledTimes", "1"),
}
PARTIAL_MATCHERS = word_set(
    "toContain toMatch toMatchObject > >= < <= toBeInstanceOf toMatchSnapshot toThrow within"
)
EXISTENCE_MATCHERS = word_set("toBeInTheDocument toBeAttached exist exists")
LOOSE_MATCHERS = EXISTENCE_MATCHERS | word_set(
    "toBeDefined toBeTruthy toBeFalsy toHaveBeenCalled ok truthy "
    "a an string object array number function isArray"
)
TRUTH_MATCHERS = word_set("ok toBeTruthy truthy")
FILLERS = word_set(
    "to be been is that and has have with at of same does deep own nested any all not "
    "resolves rejects catch"
)
ANY_VALUE = ("", "Error", "''", "/.*/", "/./")
# A name with a group is that of a helper in another file.
ASSERTING = re.compile(r"(?:expect|assert|check|verify|ensure|should)([A-Z_]\w*)?|t")
NOT_ASSERTIONS = ("fail", "plan", "test", "t")
EXPECTED_ARGUMENTS = {  # of `assert`, before the message; 1 for the others
    "ok": 0,
    "assert": 0,
    "closeTo": 2,
    "propertyVal": 2,
    "calledWith": 9,
}
PREFIX = re.compile(r"(is|does)?[nN]ot(?=[A-Z])|is(?=[A-Z])|toBe(?=Null|Undefined|True$|False$)")
WILDCARDS = re.compile(
    r"\bexpect\.(?:not\.)?(?:any|anything|\w+Containing|stringMatching|closeTo)\b"
)
ALWAYS_TRUE = re.compile(r"\|\|true|\.(length|size) (>= 0|> -1)$")
NUMBER = re.compile(r"-?\d*\.?\d+(e[+-]?\d{1,3})?")
LITERAL = re.compile(r"('[^']*+'|-?\d[\w.]*+|(true|false|null|undefined)\b|[\w$]++: |[\[\]{}, ])+")
COMPARISON = re.compile(r"([^=<>!&|?]++)([!=]==?|[<>]=?| instanceof )([^=<>!&|?]++)")
CALL_COUNT = re.compile(r"(.+)\.(?:mock\.calls\.length|mock\.callCount\(\)|callCount)")
# Calls for which there is a matcher.
PREDICATE_CALL = re.compile(r"(.+)\.(calledOnce|called|includes|contains|calledWith)(?:\((.*)\))?")
DEFAULT_DIGITS = 2  # of toBeCloseTo
MAX_DIGITS = 30


class Claim(NamedTuple):
    """What one matcher says."""

    word: str  # as it is written
    name: str  # the one name of the matcher
    subject: str
    values: str  # the expected values, joined
    negated: bool

    def with_negation(self, negates: bool) -> Claim:
        return self._replace(negated=self.negated != negates)


def chain_assertions(
    pieces: Pieces, at: int, links: list[Link], values: Values
) -> Iterator[Assertion]:
    """What a chain asserts that begins with `expect` or `assert`, or contains `should`."""
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
        header = f"response.headers[{args[0]}]"
        yield from matcher_assertions(matcher, header, args[1:], False, line)
    elif args:
        yield from matcher_assertions("==", "response.body", args, False, line)


def matcher_assertions(
    word: str, subject: str, args: list[str], negated: bool, line: int
) -> Iterator[Assertion]:
    """What one matcher says, spelled the same for all libraries."""
    if "OnceWith" in word:
        yield from matcher_assertions("calledOnce", subject, [], negated, line)
    claim = _named_claim(word, subject, args, negated)
    if _is_truth_claim(claim):
        parts = _conjuncts(claim)
        if len(parts) > 1:
            for part in parts:
                yield from matcher_assertions(claim.word, part, args, claim.negated, line)
            return
        claim = _resolve_truth(claim)
    for rewrite in REWRITES:
        claim = rewrite(claim)
    is_no_error = claim.subject in ("err", "error") and claim.values in ("null", "undefined")
    if is_no_error and not claim.negated:
        return  # of a callback; with await, the error is thrown instead
    yield _claim_assertion(claim, line)


def _named_claim(word: str, subject: str, args: list[str], negated: bool) -> Claim:
    """The claim under the one name of its matcher, without a prefix such as `isNot`."""
    prefix = PREFIX.match(word)
    if prefix:
        negated = negated != ("ot" in prefix[0])
        word = word[prefix.end()].lower() + word[prefix.end() + 1 :]
    name, values = MATCHER_BY_WORD.get(word, word), ", ".join(args)
    if not args:
        name, values = IMPLIED_VALUES.get(word, (name, ""))
    return Claim(word, name, subject, values, negated)


def _is_truth_claim(claim: Claim) -> bool:
    if claim.name in TRUTH_MATCHERS:
        return True
    return claim.name == "==" and claim.values in ("true", "false")


def _conjuncts(claim: Claim) -> list[str]:
    """The operands of `&&` if all of them must be true; otherwise the whole subject."""
    parts = claim.subject.split("&&")
    is_balanced = all(part.count("(") == part.count(")") for part in parts)
    is_negated = claim.negated != (claim.values == "false")
    return parts if is_balanced and not is_negated else [claim.subject]


def _resolve_truth(claim: Claim) -> Claim:
    """A claim that its subject is true or false, as a claim about the parts of the subject."""
    claim = claim.with_negation(claim.values == "false")
    if claim.subject.startswith("!") and not set("&|=?<>") & {*claim.subject}:
        claim = claim.with_negation(True)._replace(subject=claim.subject[1:])
    comparison = COMPARISON.fullmatch(claim.subject)
    if comparison:
        sign = comparison[2].strip()
        name = MATCHER_BY_WORD.get(sign, sign)
        claim = claim.with_negation(sign.startswith("!"))
        return claim._replace(subject=comparison[1], name=name, values=comparison[3])
    call = PREDICATE_CALL.fullmatch(claim.subject)
    if call:
        default = (MATCHER_BY_WORD.get(call[2], ""), call[3] or "")
        name, values = IMPLIED_VALUES.get(call[2], default)
        return claim._replace(subject=call[1], name=name, values=values)
    if claim.values:
        return claim._replace(values="false" if claim.negated else "true", negated=False)
    return claim


def _rewrite_call_count(claim: Claim) -> Claim:
    match = CALL_COUNT.fullmatch(claim.subject) if claim.name == "==" else None
    if not match:
        return claim
    return claim._replace(name="toHaveBeenCalledTimes", subject=match[1])


def _rewrite_property(claim: Claim) -> Claim:
    if claim.name != "toHaveProperty" or not claim.values:
        return claim
    key, _, values = claim.values.partition(", ")
    name = "==" if values else "toBeDefined"
    return claim._replace(name=name, subject=f"{claim.subject}.{key.strip(chr(39))}", values=values)


def _rewrite_length(claim: Claim) -> Claim:
    if claim.name == "toHaveLength":
        claim = claim._replace(name="==", subject=f"{claim.subject}.length")
    if claim.name == "==" and claim.values == "0" and claim.subject.endswith(".length"):
        return claim._replace(subject=claim.subject.removesuffix(".length"), values="[]")
    return claim


def _rewrite_absence(claim: Claim) -> Claim:
    if claim.name in EXISTENCE_MATCHERS and claim.negated:
        return claim._replace(name="==", values="null", negated=False)
    return claim


def _rewrite_plain_pattern(claim: Claim) -> Claim:
    """A pattern without special signs is a string."""
    is_pattern = claim.name in ("toThrow", "toMatch")
    if is_pattern and re.fullmatch(r"/[\w ,:-]+/", claim.values):
        return claim._replace(values=f"'{claim.values[1:-1]}'")
    return claim


def _rewrite_snapshot(claim: Claim) -> Claim:
    if claim.word == "toMatchInlineSnapshot" and claim.values.startswith("'\""):
        return claim._replace(values=f"'{claim.values[2:-2]}'")
    return claim


REWRITES: tuple[Callable[[Claim], Claim], ...] = (  # in this order
    _rewrite_call_count,
    _rewrite_property,
    _rewrite_length,
    _rewrite_absence,
    _rewrite_plain_pattern,
    _rewrite_snapshot,
)


def _claim_assertion(claim: Claim, line: int) -> Assertion:
    subject = claim.subject.replace("?.", ".")
    text = f"{subject} {claim.name} {claim.values}".strip()
    strength, slack = matcher_strength(claim.name, claim.values, claim.negated)
    if subject.startswith("typeof "):
        strength = min(strength, LOOSE)
    if subject == claim.values and not claim.negated:
        strength = LOOSE if "(" in subject else NEVER  # two calls that agree tell something
    elif ALWAYS_TRUE.search(text) or _compares_literals(subject, claim.values):
        strength = NEVER
    return Assertion(
        text=f"not {text}" if claim.negated else text,
        line=line,
        strength=strength,
        subject=subject,
        slack=slack,
    )


def _compares_literals(subject: str, values: str) -> bool:
    if not LITERAL.fullmatch(subject):
        return False
    return not values or bool(LITERAL.fullmatch(values))


def matcher_strength(name: str, values: str, negated: bool) -> tuple[int, float]:
    """How much a matcher can tell, and how far off it lets the value be."""
    strength, slack = _base_strength(name, values), 0.0
    wildcards = WILDCARDS.findall(values)
    is_tolerant = name in ("toBeCloseTo", "closeTo", "within")
    if is_tolerant or (name.startswith(("<", ">")) and _number(values, 0) is not None):
        slack = _matcher_slack(name, values)
    elif wildcards and not _has_fixed_strength(name, values):
        slack = float(len(wildcards))
        strength = LOOSE if values.startswith("expect.any") else min(strength, PARTIAL)
    if not negated:
        return strength, slack
    if name == "toHaveBeenCalled":
        return EXACT, slack
    if values in ("null", "undefined") or name == "toThrow":
        return LOOSE, slack
    return min(strength, PARTIAL), slack


def _base_strength(name: str, values: str) -> int:
    if name in ("toThrow", "toMatch", "toContain") and values in ANY_VALUE:
        return LOOSE
    if name == "toThrow" and set("'/`") & {*values}:
        return EXACT  # the message, which is all that an error says
    if name == "==" and values in ("true", "false"):
        return PARTIAL  # one of two
    if name in LOOSE_MATCHERS:
        return LOOSE
    if name in PARTIAL_MATCHERS or not values:
        return PARTIAL
    return EXACT


def _has_fixed_strength(name: str, values: str) -> bool:
    """For these, a wildcard in the expected value changes nothing."""
    return name == "toThrow" and not set("'/`").isdisjoint(values)


def _matcher_slack(name: str, values: str) -> float:
    first, second = _number(values, 0), _number(values, 1)
    if name == "toBeCloseTo":
        digits = DEFAULT_DIGITS if second is None else second
        return float(10 ** -min(max(digits, -MAX_DIGITS), MAX_DIGITS) / 2)
    if name == "closeTo":
        return second or 0.0
    if name == "within":
        return (second or 0.0) - (first or 0.0)
    bound = first or 0.0
    return bound if name.startswith("<") else -bound


def _number(values: str, position: int) -> float | None:
    """The expected value at a position, if it is a number."""
    parts = values.split(", ")
    if position >= len(parts) or not NUMBER.fullmatch(parts[position]):
        return None
    return float(parts[position])
