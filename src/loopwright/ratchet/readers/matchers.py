"""What a matcher says and how much it can tell, spelled the same for all test libraries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ... import lazy_re as re
from .suite import EXACT, LOOSE, NEVER, PARTIAL, Assertion


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


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
# What any error, any text and any pattern match.
ANY_VALUE = word_set(
    "'' /.*/ /./ Error Exception Throwable StandardError "
    "BaseException AssertionError \\Exception \\Throwable System.Exception"
) | {""}
PREFIX = re.compile(r"(is|does)?[nN]ot(?=[A-Z])|is(?=[A-Z])|toBe(?=Null|Undefined|True$|False$)")
WILDCARDS = re.compile(
    r"\bexpect\.(?:not\.)?(?:any|anything|\w+Containing|stringMatching|closeTo)\b"
    r"|\bany(?:[A-Z]\w*)?\(|\bIt\.Is\w*|\bArg\.(?:Any|Is)\b|\bmock\.(?:Anything|AnythingOfType)\b"
    r"|\b(?:anything|any_args|instance_of|kind_of|hash_including|argThat|Mockery::any)\b"
)
WILDCARD_VALUE = re.compile(r"expect\.any|(?:any(?:[A-Z]\w*)?\([^)]*\)|anything|any_args)$")
ALWAYS_TRUE = re.compile(
    r"\|\|true|(?:\.(?:length|size|count|Count|Length|size\(\))|^len\(.*\)) (?:>= 0|> -1)$"
)
NUMBER = re.compile(r"-?\d*\.?\d+(e[+-]?\d{1,3})?")
LITERAL = re.compile(
    r"('[^']*+'|-?\d[\w.]*+|(true|false|null|undefined|None)\b|[\w$]++: |[\[\]{}, ])+"
)
LITERAL_COMPARISON = re.compile(
    r"('[^']*+'|-?[\d.]++|true|false|null)([!=]==?)('[^']*+'|-?[\d.]++|true|false|null)"
)
COMPARISON = re.compile(
    r"([^=<>!&|? ]++(?: (?!instanceof )[^=<>!&|? ]*+)*+)([!=]==?|[<>]=?| instanceof )([^=<>!&|?]++)"
)
COUNTED = re.compile(r"(.+)\.(?:length|size|count|len|Length|Count)(?:\(\))?")
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


# Pattern of a condition → the matcher that says the same. Its groups are subject and value.
Truths = tuple[tuple[re.Pattern[str], str], ...]


def matcher_assertions(
    word: str, subject: str, args: list[str], negated: bool, line: int, truths: Truths = ()
) -> Iterator[Assertion]:
    """What one matcher says, spelled the same for all libraries.

    `truths` are the conditions of a language for which there is a matcher.
    """
    if "OnceWith" in word:
        yield from matcher_assertions("calledOnce", subject, [], negated, line)
    claim = _named_claim(word, subject, args, negated)
    if _is_truth_claim(claim):
        parts = _conjuncts(claim)
        if len(parts) > 1:
            for part in parts:
                yield from matcher_assertions(claim.word, part, args, claim.negated, line, truths)
            return
        claim = _resolve_truth(claim, truths)
    for rewrite in REWRITES:
        claim = rewrite(claim)
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
    """The operands of `&&` if all must be true, of `||` if none may be; else the whole subject."""
    is_negated = claim.negated != (claim.values == "false")
    sign, other = ("||", "&&") if is_negated else ("&&", "||")
    parts = claim.subject.split(sign)
    is_balanced = all(part.count("(") == part.count(")") for part in parts)
    return parts if is_balanced and other not in claim.subject else [claim.subject]


def _resolve_truth(claim: Claim, truths: Truths) -> Claim:
    """A claim that its subject is true or false, as a claim about the parts of the subject."""
    claim = claim.with_negation(claim.values == "false")
    for pattern, matcher in truths:
        bare = claim.subject.removeprefix("!")
        if match := pattern.fullmatch(bare):
            claim = claim.with_negation(bare != claim.subject)
            claim = claim.with_negation(matcher.startswith("not "))
            name, _, value = matcher.removeprefix("not ").partition(" ")
            value = value or ", ".join(match.groups()[1:])
            return claim._replace(subject=match[1], name=name, values=value)
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
    counted = COUNTED.fullmatch(claim.subject) if claim.values == "0" else None
    if counted and claim.name == "==":
        return claim._replace(subject=counted[1], values="[]")
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
    if subject.startswith("typeof "):  # there is always a type
        strength = min(strength, PARTIAL) if claim.values else NEVER
    if subject == claim.values and not claim.negated:
        strength = LOOSE if "(" in subject else NEVER  # two calls that agree tell something
    elif claim.name in TRUTH_MATCHERS and subject in ("0", "false") and not claim.negated:
        strength = LOOSE  # it says that this line is never reached
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
        is_any = WILDCARD_VALUE.match(values)
        strength = LOOSE if is_any else min(strength, PARTIAL)
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


def evaluate_condition(condition: str) -> str:
    """The result of a comparison of two literals, which the rows of tables lead to."""
    match = LITERAL_COMPARISON.fullmatch(condition)
    if not match:
        return condition
    is_equal, asks_equal = match[1] == match[3], match[2].startswith("=")
    return "true" if is_equal == asks_equal else "false"
