"""What an assertion of JavaScript says and how much it can tell: expect, should, assert, supertest, sinon, spelled alike."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .javascript_lines import Link, source_text, substitute_names
from .javascript_parser import Pieces, Values, text_at, word_set
from .suite import EXACT, LOOSE, NEVER, PARTIAL, Assertion

MATCHER_WORDS = {
    "==": "toBe toEqual toStrictEqual equal equals eq eql strictEqual deepEqual deepStrictEqual same is === !== != "
    "toMatchInlineSnapshot",
    "toThrow": "throw throws throwsAsync toThrowError rejects rejectedWith",
    "toHaveLength": "lengthOf length toHaveCount",
    "toContain": "include includes contain contains toContainEqual",
    "toMatch": "match matches",
    "toBeInstanceOf": "instanceOf instanceof",
    "toHaveProperty": "property propertyVal",
    "toHaveBeenCalledTimes": "callCount toBeCalledTimes",
    "toHaveBeenCalledWith": "toBeCalledWith calledWith calledWithExactly calledWithMatch calledOnceWith calledOnceWithExactly "
    "toHaveBeenCalledOnceWith toHaveBeenCalledExactlyOnceWith",
    "toHaveBeenCalled": "called toBeCalled",
    ">": "above gt toBeGreaterThan",
    ">=": "least gte toBeGreaterThanOrEqual",
    "<": "below lt toBeLessThan",
    "<=": "most lte toBeLessThanOrEqual",
}
MATCHER_BY_WORD = {word: name for name, words in MATCHER_WORDS.items() for word in words.split()}
IMPLIED_VALUES = {word: ("==", word) for word in ("null", "undefined", "true", "false")}
IMPLIED_VALUES |= dict.fromkeys(
    ("toHaveBeenCalledOnce", "calledOnce"), ("toHaveBeenCalledTimes", "1")
) | {"empty": ("==", "[]")}
PARTIAL_MATCHERS = word_set(
    "toContain toMatch toMatchObject > >= < <= toBeInstanceOf toMatchSnapshot toThrow within"
)
EXISTENCE_MATCHERS = word_set("toBeInTheDocument toBeAttached exist exists")
LOOSE_MATCHERS = EXISTENCE_MATCHERS | word_set(
    "toBeDefined toBeTruthy toBeFalsy toHaveBeenCalled ok truthy a an string object array number function isArray"
)
TRUTH_MATCHERS = word_set("ok toBeTruthy truthy")
FILLERS = word_set(
    "to be been is that and has have with at of same does deep own nested any all not resolves rejects catch"
)
ASSERTING = re.compile(
    r"(?:expect|assert|check|verify|ensure|should)([A-Z_]\w*)?|t"
)  # with a group: of another file
PREFIX = re.compile(r"(is|does)?[nN]ot(?=[A-Z])|is(?=[A-Z])|toBe(?=Null|Undefined|True$|False$)")
WILDCARDS = re.compile(
    r"\bexpect\.(?:not\.)?(?:any|anything|\w+Containing|stringMatching|closeTo)\b"
)
ALWAYS_TRUE = re.compile(r"\|\|true|\.(length|size) (>= 0|> -1)$")
NUMBER = re.compile(r"-?\d*\.?\d+(e[+-]?\d{1,3})?")
LITERAL = re.compile(r"('[^']*+'|-?\d[\w.]*+|(true|false|null|undefined)\b|[\w$]++: |[\[\]{}, ])+")
COMPARISON = re.compile(r"([^=<>!&|?]++)([!=]==?|[<>]=?| instanceof )([^=<>!&|?]++)")
CALL_COUNT = re.compile(r"(.+)\.(?:mock\.calls\.length|mock\.callCount\(\)|callCount)")
PREDICATE_CALL = re.compile(
    r"(.+)\.(calledOnce|called|includes|contains|calledWith)(?:\((.*)\))?"
)  # of which there is a matcher


def chain_assertions(
    pieces: Pieces, at: int, links: list[Link], values: Values
) -> Iterator[Assertion]:
    """What a chain asserts that begins with `expect` or `assert`, or that has `should` in it."""
    words, last, line, negated = [link.name for link in links], links[-1], pieces[at].line, False
    heads = ("expect", last.name if words[0] in ("assert", "t") else "")
    said = [
        [
            _argument_text(arg, values, i == 0 and link.name in heads)
            for i, arg in enumerate(link.args or ())
        ]
        for link in links
    ]
    head = (
        words.index("should")
        if "should" in words
        else next((i for i, args in enumerate(said) if args), -1)
    )
    if words[0] == "should" and said[-1]:
        yield from matcher_assertions(last.name, said[-1][0], said[-1][1:2], "not" in words, line)
    elif words[0] == "expect" or "should" in words:
        subject = (
            substitute_names(source_text(pieces[at : links[head].at - 1]), values)
            if "should" in words
            else "".join(said[head][:1])
        )
        known = {
            one[0].text: substitute_names(source_text(one), values)
            for link in links[head + 1 :]
            for one in link.args or ()
            if len(one) == 1
        }
        for link, args in zip(links[head + 1 :], said[head + 1 :], strict=True):
            negated = negated != (link.name == "not")
            args = [subject if known.get(one) == subject else one for one in args]
            if (
                link.name
                and link.name not in FILLERS
                and (link.args is not None or not link.name.startswith("to"))
            ):
                yield from matcher_assertions(link.name, subject, args, negated, line)
    elif "expect" in words:  # supertest
        for args in (args for word, args in zip(words, said, strict=True) if word == "expect"):
            yield from _response_assertions(
                [one for one in args if one != "done" and "=>" not in one], line
            )
    elif (
        said[-1]
        and (words[0] in ("assert", "t") or "assert" in words[1:-1])
        and last.name not in ("fail", "plan", "test", "t")
    ):
        wanted = {"ok": 0, "assert": 0, "closeTo": 2, "propertyVal": 2, "calledWith": 9}.get(
            last.name, 1
        )  # then a message
        yield from matcher_assertions(
            last.name if len(words) > 1 else "ok",
            said[-1][0],
            said[-1][1 : 1 + wanted],
            False,
            line,
        )
    elif last.args is not None and (found := ASSERTING.fullmatch(last.name)) and found[1]:
        yield Assertion(f"{last.name}({', '.join(said[-1])})", line)


def _argument_text(arg: Pieces, values: Values, is_subject: bool) -> str:
    """With names replaced; but a list that is looked at may have grown, and what a call gave is no expected value."""
    own = values.get(text_at(arg, 0), ())
    kept = (
        own
        and own[0].text != "new"
        and (own[0].kind in ("[", "{") if is_subject else len(arg) == 1 and own[-1].kind == "(")
    )
    said = source_text(arg)
    return (said if kept else substitute_names(said, values)).removeprefix("await ")


def _response_assertions(args: list[str], line: int) -> Iterator[Assertion]:
    """`.expect(200)`, `.expect(200, body)`, `.expect('Content-Type', /json/)`, `.expect(body)`."""
    if args and NUMBER.fullmatch(args[0]):
        yield from matcher_assertions("==", "response.status", args[:1], False, line)
        args = args[1:]
    if len(args) > 1:
        yield from matcher_assertions(
            "toMatch" if args[1][0] == "/" else "==",
            f"response.headers[{args[0]}]",
            args[1:],
            False,
            line,
        )
    elif args:
        yield from matcher_assertions("==", "response.body", args, False, line)


def matcher_assertions(
    word: str, subject: str, args: list[str], negated: bool, line: int
) -> Iterator[Assertion]:
    """What one matcher says, spelled alike whatever the library."""
    if "OnceWith" in word:
        yield from matcher_assertions("calledOnce", subject, [], negated, line)
    if prefix := PREFIX.match(word):
        negated = negated != ("ot" in prefix[0])
        word = word[prefix.end()].lower() + word[prefix.end() + 1 :]
    name, values = (
        IMPLIED_VALUES.get(word, (MATCHER_BY_WORD.get(word, word), ""))
        if not args
        else (MATCHER_BY_WORD.get(word, word), ", ".join(args))
    )
    if name in TRUTH_MATCHERS or (name == "==" and values in ("true", "false")):
        negated = negated != (values == "false")
        parts = subject.split("&&")
        if (
            len(parts) > 1
            and not negated
            and all(part.count("(") == part.count(")") for part in parts)
        ):
            for part in parts:
                yield from matcher_assertions(word, part, args, negated, line)
            return
        if subject[:1] == "!" and not set("&|=?<>") & {*subject}:
            negated, subject = not negated, subject[1:]
        asked = PREDICATE_CALL.fullmatch(subject)
        if found := COMPARISON.fullmatch(subject):
            negated = negated != (found[2][0] == "!")
            subject, name, values = (
                found[1],
                MATCHER_BY_WORD.get(found[2].strip(), found[2].strip()),
                found[3],
            )
        elif asked:
            subject, (name, values) = (
                asked[1],
                IMPLIED_VALUES.get(asked[2], (MATCHER_BY_WORD.get(asked[2], ""), asked[3] or "")),
            )
        elif values:
            values, negated = ("false" if negated else "true"), False
    if name == "==" and (found := CALL_COUNT.fullmatch(subject)):
        name, subject = "toHaveBeenCalledTimes", found[1]
    if name == "toHaveProperty" and values:
        key, _, values = values.partition(", ")
        name, subject = "==" if values else "toBeDefined", f"{subject}.{key.strip(chr(39))}"
    if name == "toHaveLength":
        name, subject = "==", f"{subject}.length"
    if name == "==" and values == "0" and subject.endswith(".length"):
        subject, values = subject.removesuffix(".length"), "[]"
    if name in EXISTENCE_MATCHERS and negated:
        name, values, negated = "==", "null", False
    if name in ("toThrow", "toMatch") and re.fullmatch(r"/[\w ,:-]+/", values):
        values = f"'{values[1:-1]}'"
    if word == "toMatchInlineSnapshot" and values[:2] == "'\"":
        values = f"'{values[2:-2]}'"
    if subject in ("err", "error") and values in ("null", "undefined") and not negated:
        return  # of a callback: what is awaited throws instead
    subject = subject.replace("?.", ".")
    text = f"{subject} {name} {values}".strip()
    strength, slack = matcher_strength(name, values, negated)
    strength = min(strength, LOOSE) if subject.startswith("typeof ") else strength
    if subject == values and not negated:  # two calls that agree tell something
        strength = LOOSE if "(" in subject else NEVER
    elif ALWAYS_TRUE.search(text) or (
        LITERAL.fullmatch(subject) and (not values or LITERAL.fullmatch(values))
    ):
        strength = NEVER
    yield Assertion(f"not {text}" if negated else text, line, strength, subject, slack)


def matcher_strength(name: str, values: str, negated: bool) -> tuple[int, float]:
    """How much a matcher can tell, and how far off it lets the value be."""
    first, second, *_ = [
        float(part) if NUMBER.fullmatch(part) else None for part in values.split(", ")
    ] + [None]
    strength, slack = (
        LOOSE
        if name in LOOSE_MATCHERS
        else PARTIAL
        if name in PARTIAL_MATCHERS or not values
        else EXACT,
        0.0,
    )
    if name in ("toThrow", "toMatch", "toContain") and values in ("", "Error", "''", "/.*/", "/./"):
        strength = LOOSE
    elif name == "toThrow" and set("'/`") & {
        *values
    }:  # the message, which is all that an error says
        strength = EXACT
    elif name == "==" and values in ("true", "false"):  # one of two
        strength = PARTIAL
    elif name == "toBeCloseTo":
        slack = 10 ** -min(2 if second is None else second, 30) / 2
    elif name in ("closeTo", "within"):
        slack = (second or 0.0) - (first or 0.0) * (name == "within")
    elif name[0] in "<>" and first is not None:
        slack = first if name[0] == "<" else -first
    elif loose := WILDCARDS.findall(values):
        strength, slack = (
            LOOSE if values.startswith("expect.any") else min(strength, PARTIAL),
            float(len(loose)),
        )
    if negated:
        weak = values in ("null", "undefined") or name == "toThrow"
        strength = (
            EXACT if name == "toHaveBeenCalled" else LOOSE if weak else min(strength, PARTIAL)
        )
    return strength, slack
