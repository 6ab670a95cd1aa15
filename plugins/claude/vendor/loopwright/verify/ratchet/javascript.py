"""Test files of JavaScript and TypeScript: jest, vitest, mocha with chai, node:test, Playwright."""

from __future__ import annotations

import posixpath
import re
from typing import NamedTuple

from . import javascript_lines, javascript_parser
from .javascript_asserts import ASSERTING, NUMBER, claims
from .javascript_lines import Link, assigned, branch, chain, definition, definitions, end_of, function, keyed, put, spell, split
from .javascript_parser import KEYWORDS, Piece, Pieces, Values, text_at, words, words_of
from .suite import EXACT, LOOSE, NEVER, Assertion, Mark, Suite, Test

# The parser cannot be stopped, and takes ever longer where nothing fits together.
MOST, MOST_PARSED, MOST_BROKEN, MOST_WORK, MOST_PARTS, MOST_STEPS = 1_000_000, 100_000, 20_000, 300_000, 1000, 12
NAMED = re.compile(r"((^|[/._-])(tests?|specs?|e2e|cy|unit)|(^|/)(tests?|__tests__|specs?|e2e|cypress)/.*)\.[cm]?[jt]sx?$", re.I)
OTHERS = re.compile(r"\.d\.[cm]?ts$|\.(config|stories)\.[cm]?[jt]sx?$|(^|/)(fixtures|__fixtures__|node_modules)/")
BLOCKS = words("describe context suite fdescribe xdescribe")
RUNNERS = BLOCKS | words("it test specify fit xit xtest")
NO_TESTS = words("step before beforeEach beforeAll after afterEach afterAll use extend")
RUNNING = words("this t ctx context test it describe jest vi")
OFF = ("skip", "todo", "fixme", "failing", "fails", "fail", "skipIf", "runIf")
PATIENT = ("timeout", "setTimeout", "testTimeout", "retries", "retryTimes", "retry")
FALSE, TRUE = ("false", "0", "null", "undefined", "!true"), ("true", "1", "!false")
SETTLED = re.compile(r"('[^']*+'|-?[\d.]++|true|false)([!=]==?)('[^']*+'|-?[\d.]++|true|false)")
UNTOLD = words("=> < function fn stub spy mock spyOn new require import")  # two of them are two, though spelled alike
HEARD = words("throw fail done reject expect assert should")  # no failure passes that they see
TRICKS = re.compile(r"process\.(exit\(0?\)|exitCode=0)|(global|globalThis)\.(expect|it|test)=|expect\.extend\(\{to(Be|Equal)\(")


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
        self.steps: list[str] = [*above.steps] if above else []
        self.set_up: int = len(self.steps)
        self.is_counted: bool = False  # it says how many assertions there will be: none goes by unheard


def is_test(path: str) -> bool:
    return bool(NAMED.search(path)) and not OTHERS.search(path)


def read(path: str, text: str) -> Suite | None:
    """What the file says; None where it cannot be read."""
    try:
        plain = javascript_lines.parsed(text) if len(text) <= MOST else None
        clean = javascript_parser.cleaned(path, text) if len(text) <= (MOST_PARSED if plain else MOST_BROKEN) else None
        pieces = plain if clean is None else javascript_lines.parsed(clean)
        return None if pieces is None else File(pieces, posixpath.basename(path).partition(".")[0]).suite()
    except (RecursionError, ValueError, MemoryError):
        return None


class File:
    """A file on its way to a suite: one walk over its tree, in which tests and blocks open scopes of their own."""

    def __init__(self, pieces: Pieces, name: str = "") -> None:
        self.pieces, self.work, self.scope = pieces, 0, Scope()
        self.tests, self.only, self.tricks = list[Test](), list[Mark](), list[Mark]()
        self.helpers = {made[0]: made for made in definitions(pieces) if words_of(made[2]) & {*HEARD, "skip", "t"}}
        self.runners: dict[str, Pieces] = {}  # `const maybe = CI ? it.skip : it`
        mine = [text for text in words_of(pieces) if re.fullmatch(rf"'\.[^']*/{re.escape(name)}(\.\w+)?'", text)]
        self.tested = mine[0] if len(mine) == 1 else ""  # the module that the file is named after

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
        done = "; ".join(own.steps[own.set_up :])
        if is_test and done and not own.found:  # it says no more than that nothing is thrown
            own.found = [Assertion(done, line, LOOSE, done)]
        if own.found or is_test:
            self.tests.append(Test(name, line, tuple(own.found), own.off, cases, own.patience, own.maybe, tuple(own.steps)))

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
            elif (alias := assigned(pieces, at)) and is_runner(alias[1]):
                self.runners[alias[0]], at = alias[1], alias[2]
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
        begins = words[0] in RUNNERS or words[0] in self.runners or words[:2] == ["t", "test"]
        if begins and args and self._began(links, pieces[at].line, here):
            return end
        if words[0] in ("process", "global", "globalThis", "window", "expect") and TRICKS.match(spell(pieces[at : end + 2])):
            self.tricks.append(Mark(spell(pieces[at : end + 2])[:80], pieces[at].line))
        is_replaced = words[0] in ("jest", "vi") and words[1:] == ["mock"] and args and self.tested == spell(args[0])
        if is_replaced and not words_of(pieces[at:end]) & {"importActual", "requireActual", "importOriginal"}:
            self.tricks.append(Mark(spell(pieces[at:end])[:80], pieces[at].line))
        if words[0] in RUNNING and len(words) > 1:  # `(CI ? it.skip : it)(…)`
            self._set(".".join(words), args or (), here if args is not None else here.within(LOOSE))
            for key, value in keyed(args[0]).items() if args else ():
                self._set(key, (value,), here)
        if words[-1] in self.helpers and here.depth < 3:
            _, params, body, _ = self.helpers[words[-1]]
            given = bind((Piece("[", "[", 0, params),), (Piece("[", "[", 0, pieces[end - 1].inner),))
            self.walk(body, here.within(EXACT, given)._replace(depth=here.depth + 1))
        elif any(map(ASSERTING.fullmatch, words)):
            reach = NEVER if words[0] == "expect" and "catch" in words else here.reach
            said = claims(pieces, at, links, here.values)
            self.scope.found += [one.but(strength=min(one.strength, reach)) for one in said]
        elif any(link.args is not None for link in links):
            plain = [spell(arg) for link in links for arg in link.args or () if not function(arg)]
            self.scope.steps.append(put(f"{'.'.join(words)}({', '.join(plain)})", here.values))
        if words[-1] == "catch" and not words_of(pieces[end - 1 : end]) & HEARD:
            here = here.within(NEVER)
        for group in (one for one in pieces[at + 1 : end] if one.inner):
            self.walk(group.inner, here)
        return end

    def _began(self, links: list[Link], line: int, here: Here) -> bool:
        """Reads the test or the block that begins here; False where this is something else."""
        args, words, above = links[-1].args or (), [link.name for link in links], self.scope
        params, body = next((made for arg in args if (made := function(arg))), ((), ()))
        if not body and (macro := self.helpers.get(text_at(args[1], 0) if len(args) > 1 else "")):
            params, body = macro[1:3]
            here = here.within(
                EXACT,
                {
                    key: value
                    for part, arg in zip(split(params), args[1:], strict=False)
                    for key, value in bind(part, arg).items()
                },
            )
        title = spell(args[0]) if args[0][:1] and args[0][0].kind in ("string", "template") else ""
        if not (body or title) or NO_TESTS & {*words}:
            return False
        self.scope = own = Scope(put(title, here.values).strip("'"), above)
        told = [(f"{words[0]}.{link.name}", link.args or () if link.name.endswith("If") else ()) for link in links[1:]]
        told += [(key, (value,)) for arg in args[1:] for key, value in ({"timeout": arg} | keyed(arg)).items()]
        own.is_counted = above.is_counted or bool(words_of(body) & {"assertions", "hasAssertions", "plan"})
        alias = self.runners.get(words[0], ())
        perhaps = here.within(LOOSE if {"?", "&&", "||"} & words_of(alias) else EXACT)
        for word in words_of(alias) & {*OFF}:
            self._set(f"{words[0]}.{word}", (), perhaps)
        told += [(f"{words[0]}.skip", ())] if words[0] in ("xit", "xtest", "xdescribe") or here.reach < EXACT else []
        for what, given in told:
            self._set(what, given, here)
        if words[0] in ("fit", "fdescribe") or "only" in words:
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
        asked, (body, end) = settled(put(spell(pieces[at + 1].inner), here.values)), branch(pieces, at + 2)
        other, end = branch(pieces, end + 1) if text_at(pieces, end) == "else" else ((), end)
        # What was asserted before holds; what a table gives is its own to choose; where both ways assert, one is taken.
        known = any(one.subject and asked.lstrip("!(").startswith(one.subject) for one in self.scope.found)
        known = (
            known
            or any(is_literal(here.values.get(word, ())) for word in words_of(pieces[at + 1].inner))
            or bool(words_of(other) & HEARD)
        )
        for part in (body, other):
            self.walk(part, here.within(NEVER if asked in FALSE else EXACT if known or asked in TRUE else LOOSE))
        if other or not {"return", "continue"} & {piece.text for piece in body} or asked in FALSE:
            return end, here
        return end, here.within(NEVER if asked in TRUE else EXACT if known else LOOSE)

    def _try(self, pieces: Pieces, at: int, here: Here) -> int:
        body, at = pieces[at + 1].inner, at + 2
        if text_at(pieces, at) == "catch":
            caught, at = branch(pieces, at + (2 if text_at(pieces, at + 1) == "(" else 1))
            self.walk(caught, here.within(EXACT if words_of(body) & {"throw", "fail"} or self.scope.is_counted else LOOSE))
            here = here if words_of(caught) & HEARD else here.within(NEVER)
        self.walk(body, here)
        return at


def is_runner(value: Pieces) -> bool:
    """Is this a name for `it` or `describe`, or a choice between them?"""
    named = [text_at(value, at + 1) for at, one in enumerate(value) if one.text in RUNNERS]
    return bool(named) and "{" not in {one.text for one in value} and all(one in ("", ".", ":", "?") for one in named)


def is_literal(value: Pieces) -> bool:
    return len(value) == 1 and value[0].kind in ("string", "number", "[", "{")


def settled(asked: str) -> str:
    """Of a condition between literals, which a table's row may make of it, what comes out."""
    found = SETTLED.fullmatch(asked)
    return asked if not found else "true" if (found[1] == found[3]) == (found[2][0] == "=") else "false"


def constants(pieces: Pieces) -> dict[str, Pieces]:
    """Names that stand for a literal, a list or an object here, or for what a call gave."""
    found: dict[str, Pieces] = {}
    for at in (at for at, one in enumerate(pieces) if one.text == "const"):
        made, pattern = assigned(pieces, at), pieces[at + 1 : at + 2]
        if not made or not (value := made[1]) or len(value[0].inner) > MOST_PARTS:
            continue
        if is_literal(value):
            found |= bind(pattern, value)
        elif value[-1].kind == "(" and len(value) < MOST_STEPS and not words_of(value) & UNTOLD:
            value = value[1:] if value[0].text == "await" else value
            dot = Piece("sign", ".", 0)
            parts = {part[-1].text: (*value, dot, part[0]) for part in split(pattern[0].inner) if text_at(part, 1) in ("", ":")}
            found |= parts if pattern[0].kind == "{" else {pattern[0].text: value} if pattern[0].kind == "word" else {}
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
        names, *rows = [line.split("|") for line in given[0].text.strip("`\n ").split("\n")]
        cells = [[javascript_lines.parsed(cell.strip()[2:-1]) or () for cell in row] for row in rows]
        return [dict(zip(map(str.strip, names), row, strict=False)) for row in cells] or [{}]
    if [one.text for one in given] == ["Object", ".", "entries", "("]:
        parts = keyed(values.get(text_at(given[3].inner, 0), given[3].inner))
        rows_of = [(Piece("string", f"'{key}'", 0), Piece("sign", ",", 0), *value) for key, value in parts.items()]
        given = (
            (Piece("[", "[", 0, tuple(one for row in rows_of for one in (Piece("[", "[", 0, row), row[1]))),) if parts else given
        )
    if len(given) != 1 or given[0].kind != "[" or "..." in {piece.text for piece in given[0].inner}:
        return None
    several, first = (Piece("[", "[", 0, params),), (split(params) or ((),))[0]
    return [bind(several if row[0].kind == "[" and len(params) > 1 else first, row) for row in split(given[0].inner)]


def loop(pieces: Pieces, at: int, values: Values) -> tuple[list[dict[str, Pieces]], Pieces, int] | None:
    """Rows, body and end of `for (const row of rows)` and of `rows.forEach((row) => …)`; one row where they are not known."""
    given = at + (4 if pieces[at].text == "Object" and text_at(pieces, at + 2) == "entries" else 1)
    if pieces[at].text == "for" and text_at(pieces, at + 1) == "(":
        head = pieces[at + 1].inner
        of = next((i for i, piece in enumerate(head) if piece.text == "of"), 0)
        rows, (body, end) = table(head[of + 1 :], head[1:of], values), branch(pieces, at + 2)
    elif [text_at(pieces, i) for i in range(given, given + 3)] == [".", "forEach", "("]:
        params, body = function(pieces[given + 2].inner) or ((), ())
        rows, end = table(pieces[at:given], params[:1], values), given + 3
    else:
        return None
    return [{}] if rows is None else rows, body, end
