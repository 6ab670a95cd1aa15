"""Test files of JavaScript and TypeScript: jest, vitest, mocha with chai, node:test, Playwright."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from . import javascript_lines, javascript_parser
from .javascript_lines import Link, assigned, branch, chain, definition, definitions, end_of, function, keyed, put, spell, split
from .javascript_parser import KEYWORDS, Piece, Pieces, Values, text_at, words, words_of
from .suite import EXACT, LOOSE, NEVER, PARTIAL, Assertion, Mark, Suite, Test

# The parser cannot be stopped, and takes ever longer where nothing fits together.
MOST, MOST_PARSED, MOST_BROKEN, MOST_WORK, MOST_PARTS = 1_000_000, 100_000, 20_000, 300_000, 1000
NAMED = re.compile(r"((^|[/._-])(tests?|specs?|e2e|cy|unit)|(^|/)(tests?|__tests__|specs?|e2e|cypress)/.*)\.[cm]?[jt]sx?$", re.I)
OTHERS = re.compile(r"\.d\.[cm]?ts$|\.(config|stories)\.[cm]?[jt]sx?$|(^|/)(fixtures|__fixtures__|node_modules)/")
BLOCKS = words("describe context suite fdescribe xdescribe")
RUNNERS = BLOCKS | words("it test specify fit xit xtest")
NO_TESTS = words("step before beforeEach beforeAll after afterEach afterAll use extend")
RUNNING = words("this t ctx context test it describe jest vi")
OFF = ("skip", "todo", "fixme", "failing", "fails", "fail", "skipIf", "runIf")
PATIENT = ("timeout", "setTimeout", "testTimeout", "retries", "retryTimes", "retry")
FALSE, TRUE = ("false", "0", "null", "undefined", "!true"), ("true", "1", "!false")
HEARD = words("throw fail done reject expect assert should")  # no failure passes that they see
TRICKS = re.compile(r"process\.(exit\(0?\)|exitCode=0)|(global|globalThis)\.(expect|it|test)=|expect\.extend\(\{to(Be|Equal)\(")
WORDS = {
    "==": "toBe toEqual toStrictEqual equal equals eq eql strictEqual deepEqual deepStrictEqual same is === !== !=",
    "toThrow": "throw throws throwsAsync toThrowError rejects rejectedWith",
    "toHaveLength": "lengthOf length",
    ">": "above gt toBeGreaterThan",
    ">=": "least gte toBeGreaterThanOrEqual",
    "<": "below lt toBeLessThan",
    "<=": "most lte toBeLessThanOrEqual",
}
SAME = {word: name for name, words in WORDS.items() for word in words.split()}
VALUES = {word: ("==", word) for word in ("null", "undefined", "true", "false")}
VALUES["toHaveBeenCalledOnce"] = ("toHaveBeenCalledTimes", "1")
PARTLY = words("toContain toMatch toMatchObject > >= < <= toBeInstanceOf toMatchSnapshot toThrow within contain include match")
LOOSELY = words(
    "toBeDefined toBeTruthy toBeFalsy toHaveBeenCalled ok exist exists truthy a an string object array number function"
)
FILLERS = words("to be been is that and has have with at of same does deep own nested any all not resolves rejects catch")
ASSERTING = re.compile(r"(?:expect|assert|check|verify|ensure|should)([A-Z_]\w*)?|t")  # with a group: of another file
PREFIX = re.compile(r"(is|does)?[nN]ot(?=[A-Z])|is(?=[A-Z])|toBe(?=Null|Undefined|True$|False$)")
WILDCARDS = re.compile(r"\bexpect\.(?:not\.)?(?:any|anything|\w+Containing|stringMatching|closeTo)\b")
CERTAIN = re.compile(r"\|\|true|\.(length|size) (>= 0|> -1)$")
NUMBER = re.compile(r"-?\d*\.?\d+(e[+-]?\d{1,3})?")
LITERAL = re.compile(r"('[^']*+'|-?\d[\w.]*+|(true|false|null|undefined)\b|[\w$]++: |[\[\]{}, ])+")


class Here(NamedTuple):
    """What holds at a place of the file."""

    values: Values
    reach: int = EXACT  # how much an assertion can tell at most: less under a condition, nothing after a return
    depth: int = 0  # of helpers that call helpers

    def within(self, reach: int, values: Values | None = None) -> Here:
        return Here({**self.values, **(values or {})}, min(self.reach, reach), self.depth)


class Scope:
    """A test or a block of them, and what is found in it."""

    def __init__(self, name: str = "", above: Scope | None = None) -> None:
        self.name: str = f"{above.name} > {name}" if above and above.name else name
        self.off: str = above.off if above else ""
        self.maybe: str = above.maybe if above else ""
        self.patience: float = above.patience if above else 0.0
        self.found: list[Assertion] = []


def is_test(path: str) -> bool:
    return bool(NAMED.search(path)) and not OTHERS.search(path)


def read(path: str, text: str) -> Suite | None:
    """What the file says; None where it cannot be read."""
    try:
        plain = javascript_lines.parsed(text) if len(text) <= MOST else None
        clean = javascript_parser.cleaned(path, text) if len(text) <= (MOST_PARSED if plain else MOST_BROKEN) else None
        pieces = plain if clean is None else javascript_lines.parsed(clean)
        return None if pieces is None else File(pieces).suite()
    except (RecursionError, ValueError, MemoryError):
        return None


class File:
    """A file on its way to a suite: one walk over its tree, in which tests and blocks open scopes of their own."""

    def __init__(self, pieces: Pieces) -> None:
        self.pieces, self.work, self.scope = pieces, 0, Scope()
        self.tests, self.only, self.tricks = list[Test](), list[Mark](), list[Mark]()
        self.helpers = {made[0]: made for made in definitions(pieces) if words_of(made[2]) & {*HEARD, "skip"}}

    def suite(self) -> Suite:
        self.walk(self.pieces, Here({}))
        self._end(1)
        tests, self.tests = self.tests, []
        for name, _, body, _ in self.helpers.values():
            self.scope = Scope(name)
            self.walk(body, Here(constants(self.pieces)))
            self._end(body[0].line)
        return Suite(tuple(tests), only=tuple(self.only), tricks=tuple(dict.fromkeys(self.tricks)), helpers=tuple(self.tests))

    def _end(self, line: int, cases: int = 1, is_test: bool = False) -> None:
        own, name = self.scope, self.scope.name or "outside of tests"
        if own.found or is_test:
            self.tests.append(Test(name, line, tuple(own.found), own.off, cases, own.patience, own.maybe))

    def walk(self, pieces: Pieces, here: Here) -> None:
        here = here._replace(values={**here.values, **found} if (found := constants(pieces)) else here.values)
        at, self.work = 0, self.work + 1 + len(pieces)
        if self.work > MOST_WORK:
            raise ValueError("too much to read")
        while at < len(pieces):
            text, following = pieces[at].text, text_at(pieces, at + 1)
            if looped := loop(pieces, at, here.values):
                rows, body, at = looped
                for row in rows or ({},):
                    self.walk(body, here.within(EXACT if rows else NEVER, row))
            elif text == "try" and following == "{":
                at = self._try(pieces, at, here)
            elif text in ("if", "switch") and following == "(":
                at, here = self._if(pieces, at, here)
            elif text == "return":
                end = end_of(pieces, at)
                self.walk(pieces[at + 1 : end], here)
                at, here = end, here.within(NEVER)
            elif made := definition(pieces, at):
                if words_of(made[2]) & RUNNERS:  # it makes tests for who calls it
                    self.walk(made[2], here)
                at = made[3]
            elif pieces[at].kind == "word" and text not in KEYWORDS and text_at(pieces, at - 1) not in (".", "?."):
                at = self._chain(pieces, at, here)
            else:
                at += 1
                if pieces[at - 1].inner:
                    self.walk(pieces[at - 1].inner, here)

    def _chain(self, pieces: Pieces, at: int, here: Here) -> int:
        links, end = chain(pieces, at)
        words, args, before = [link.name for link in links], links[-1].args, text_at(pieces, at - 1)
        here = here._replace(reach=min(here.reach, LOOSE)) if before in ("&&", "||", "?") else here
        if (words[0] in RUNNERS or words[:2] == ["t", "test"]) and args and self._began(links, pieces[at].line, here):
            return end
        if words[0] in ("process", "global", "globalThis", "window", "expect") and TRICKS.match(spell(pieces[at : end + 2])):
            self.tricks.append(Mark(spell(pieces[at : end + 2])[:80], pieces[at].line))
        if words[0] in RUNNING and len(words) > 1:  # `const maybe = CI ? it.skip : it`
            self._set(".".join(words), args or (), here if args is not None else here.within(LOOSE))
        if words[-1] in self.helpers and here.depth < 3:
            _, params, body, _ = self.helpers[words[-1]]
            given = bind((Piece("[", "[", 0, params),), (Piece("[", "[", 0, pieces[end - 1].inner),))
            self.walk(body, here.within(EXACT, given)._replace(depth=here.depth + 1))
        elif any(map(ASSERTING.fullmatch, words)):
            reach = NEVER if words[0] == "expect" and "catch" in words else here.reach
            said = claims(pieces, at, links, here.values)
            self.scope.found += [one.but(strength=min(one.strength, reach)) for one in said]
        for group in (one for one in pieces[at + 1 : end] if one.inner):
            self.walk(group.inner, here)
        return end

    def _began(self, links: list[Link], line: int, here: Here) -> bool:
        """Reads the test or the block that begins here; False where this is something else."""
        args, words, above = links[-1].args or (), [link.name for link in links], self.scope
        params, body = next((made for arg in args if (made := function(arg))), ((), ()))
        title = spell(args[0]) if args[0][:1] and args[0][0].kind in ("string", "template") else ""
        if not (body or title) or NO_TESTS & {*words}:
            return False
        self.scope = own = Scope(put(title, here.values).strip("'"), above)
        told = [(f"{words[0]}.{link.name}", link.args or () if link.name.endswith("If") else ()) for link in links[1:]]
        told += [(key, (value,)) for arg in args[1:] for key, value in ({"timeout": arg} | keyed(arg)).items()]
        told += [(f"{words[0]}.skip", ())] if words[0][0] == "x" or here.reach < EXACT else []
        for what, given in told:
            self._set(what, given, here)
        if words[0][0] == "f" or "only" in words:
            self.only.append(Mark(f"{words[0]} {own.name}", line))
        cases = next((link.args[0] for link in links if link.name in ("each", "for") and link.args), None)
        rows = [{}] if cases is None else table(cases, params, here.values)
        for row in [{}] if rows is None else rows:
            self.walk(body or args[-1], Here({**here.values, **row}))
        self._end(line, 0 if rows is None else len(rows), is_test=not BLOCKS & {*words})
        self.scope = above
        return True

    def _set(self, what: str, args: tuple[Pieces, ...], here: Here) -> None:
        """A switch or a limit is set for the scope: `this.skip()`, `jest.setTimeout(9)`, `{ retry: 3 }`."""
        word, own = what.rpartition(".")[2], self.scope
        asked = put(spell(args[0]), here.values) if args else "true"
        if word in PATIENT and NUMBER.fullmatch(asked):
            own.patience += float(asked) if "retr" in word else float(asked) / 1000 or 86400
        elif word in OFF and asked not in FALSE:
            sure = here.reach != LOOSE and word != "runIf" and (asked in TRUE or asked[0] in "'`")
            own.off, own.maybe = (own.off or what, own.maybe) if sure else (own.off, own.maybe or f"{what}({asked})")

    def _if(self, pieces: Pieces, at: int, here: Here) -> tuple[int, Here]:
        asked, (body, end) = put(spell(pieces[at + 1].inner), here.values), branch(pieces, at + 2)
        other, end = branch(pieces, end + 1) if text_at(pieces, end) == "else" else ((), end)
        # What was asserted before holds; what a table gives is its own to choose; where both ways assert, one is taken.
        known = any(one.subject and one.subject in asked for one in self.scope.found)
        known = known or bool(words_of(pieces[at + 1].inner) & {*here.values}) or bool(words_of(other) & HEARD)
        for part in (body, other):
            self.walk(part, here.within(NEVER if asked in FALSE else EXACT if known or asked in TRUE else LOOSE))
        if other or not {"return", "continue"} & {piece.text for piece in body} or asked in FALSE:
            return end, here
        return end, here.within(NEVER if asked in TRUE else EXACT if known else LOOSE)

    def _try(self, pieces: Pieces, at: int, here: Here) -> int:
        body, at = pieces[at + 1].inner, at + 2
        if text_at(pieces, at) == "catch":
            caught, at = branch(pieces, at + (2 if text_at(pieces, at + 1) == "(" else 1))
            self.walk(caught, here.within(EXACT if words_of(body) & {"throw", "fail"} else LOOSE))
            here = here if words_of(caught) & HEARD else here.within(NEVER)
        self.walk(body, here)
        return at


def claims(pieces: Pieces, at: int, links: list[Link], values: Values) -> Iterator[Assertion]:
    """What a chain asserts that begins with `expect` or `assert`, or that has `should` in it."""
    words, last, line, negated = [link.name for link in links], links[-1], pieces[at].line, False
    said = [[put(spell(arg), values).removeprefix("await ") for arg in link.args or ()] for link in links]
    head = words.index("should") if "should" in words else next((i for i, args in enumerate(said) if args), -1)
    if words[0] == "expect" or "should" in words:
        subject = put(spell(pieces[at : links[head].at - 1]), values) if "should" in words else "".join(said[head][:1])
        for link, args in zip(links[head + 1 :], said[head + 1 :], strict=True):
            negated = negated != (link.name == "not")
            if link.name and link.name not in FILLERS and (link.args is not None or not link.name.startswith("to")):
                yield claim(link.name, subject, args, negated, line)
    elif "expect" in words:  # supertest
        asked = [args for word, args in zip(words, said, strict=True) if word == "expect"]
        yield from (claim("expect", "response", args, False, line) for args in asked)
    elif said[-1] and words[0] in ("assert", "t") and last.name not in ("fail", "plan", "test", "t"):
        wanted = {"ok": 0, "assert": 0, "closeTo": 2}.get(last.name, 1)  # what follows is a message
        yield claim(last.name if len(words) > 1 else "ok", said[-1][0], said[-1][1 : 1 + wanted], False, line)
    elif last.args is not None and (found := ASSERTING.fullmatch(last.name)) and found[1]:
        yield Assertion(f"{last.name}({', '.join(said[-1])})", line)


def claim(word: str, subject: str, args: list[str], negated: bool, line: int) -> Assertion:
    """One assertion, spelled alike whatever the library."""
    if prefix := PREFIX.match(word):
        negated = negated != ("ot" in prefix[0])
        word = word[prefix.end()].lower() + word[prefix.end() + 1 :]
    name, values = VALUES.get(word, (SAME.get(word, word), ", ".join(args)))
    if name == "toHaveLength":
        name, subject = "==", f"{subject}.length"
    text = f"{subject} {name} {values}".strip()
    strength, slack = judged(name, values, negated)
    if subject == values and not negated:  # two calls that agree tell something
        strength = LOOSE if "(" in subject else NEVER
    elif CERTAIN.search(text) or (LITERAL.fullmatch(subject) and (not values or LITERAL.fullmatch(values))):
        strength = NEVER
    return Assertion(f"not {text}" if negated else text, line, strength, subject, slack)


def judged(name: str, values: str, negated: bool) -> tuple[int, float]:
    """How much a matcher can tell, and how far off it lets the value be."""
    first, second, *_ = [float(part) if NUMBER.fullmatch(part) else None for part in values.split(", ")] + [None]
    strength, slack = LOOSE if name in LOOSELY else PARTIAL if name in PARTLY or not values else EXACT, 0.0
    if name in ("toThrow", "toMatch", "toContain") and values in ("", "Error", "''", "/.*/", "/./"):
        strength = LOOSE
    elif name == "toBeCloseTo":
        slack = 10 ** -min(2 if second is None else second, 30) / 2
    elif name in ("closeTo", "within"):
        slack = (second or 0.0) - (first or 0.0) * (name == "within")
    elif name[0] in "<>" and first is not None:
        slack = first if name[0] == "<" else -first
    elif loose := WILDCARDS.findall(values):
        strength, slack = LOOSE if values.startswith("expect.any") else min(strength, PARTIAL), float(len(loose))
    if negated:
        weak = values in ("null", "undefined") or name == "toThrow"
        strength = EXACT if name == "toHaveBeenCalled" else LOOSE if weak else min(strength, PARTIAL)
    return strength, slack


def constants(pieces: Pieces) -> dict[str, Pieces]:
    """Names that stand for a literal, a list or an object here."""
    found: dict[str, Pieces] = {}
    for at in range(len(pieces)):
        made = assigned(pieces, at)
        if (
            made
            and len(made[1]) == 1
            and made[1][0].kind in ("string", "number", "[", "{")
            and len(made[1][0].inner) < MOST_PARTS
        ):
            found |= bind(pieces[at + 1 : at + 2], made[1])
    return found


def bind(pattern: Pieces, value: Pieces) -> dict[str, Pieces]:
    """What the names of a parameter stand for, given its value."""
    if not value or not pattern:
        return {}
    found: dict[str, Pieces] = {}
    if pattern[0].kind == "word":
        found = {f"{pattern[0].text}.{key}": part for key, part in keyed(value).items()} | {pattern[0].text: value}
    elif pattern[0].kind == "[" == value[0].kind:
        for part, one in zip(split(pattern[0].inner), split(value[0].inner), strict=False):
            found |= bind(part, one)
    else:
        for key, part in keyed(pattern).items():
            found |= bind(part, keyed(value).get(key, ()))
    return found


def table(given: Pieces, params: Pieces, values: Values) -> list[dict[str, Pieces]] | None:
    """What the parameters stand for, row by row; None where the rows are not written out."""
    given = values.get(given[0].text, given) if len(given) == 1 else given
    if text_at(given, 0)[:1] == "`":
        return [{}] * max(given[0].text.count("\n") - 2, 1)
    if len(given) != 1 or given[0].kind != "[" or "..." in {piece.text for piece in given[0].inner}:
        return None
    several, first = (Piece("[", "[", 0, params),), (split(params) or ((),))[0]
    return [bind(several if row[0].kind == "[" and len(params) > 1 else first, row) for row in split(given[0].inner)]


def loop(pieces: Pieces, at: int, values: Values) -> tuple[list[dict[str, Pieces]], Pieces, int] | None:
    """Rows, body and end of `for (const row of rows)` and of `rows.forEach((row) => …)`; one row where they are not known."""
    if pieces[at].text == "for" and text_at(pieces, at + 1) == "(":
        head = pieces[at + 1].inner
        of = next((i for i, piece in enumerate(head) if piece.text == "of"), 0)
        rows, (body, end) = table(head[of + 1 :], head[1:of], values), branch(pieces, at + 2)
    elif text_at(pieces, at + 1) == "." and text_at(pieces, at + 2) == "forEach" and text_at(pieces, at + 3) == "(":
        params, body = function(pieces[at + 3].inner) or ((), ())
        rows, end = table(pieces[at : at + 1], params[:1], values), at + 4
    else:
        return None
    return [{}] if rows is None else rows, body, end
