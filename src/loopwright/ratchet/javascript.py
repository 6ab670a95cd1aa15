"""Test files of JavaScript and TypeScript: jest, vitest, mocha with chai, node:test, Playwright."""

from __future__ import annotations

import posixpath
import re
from typing import NamedTuple

from . import javascript_lines, javascript_parser
from .javascript_asserts import ASSERTING, NUMBER, chain_assertions
from .javascript_lines import (
    Link,
    branch_body,
    call_chain,
    const_assignment,
    function_definition,
    function_definitions,
    function_parts,
    object_parts,
    source_text,
    split_at_commas,
    statement_end,
    substitute_names,
)
from .javascript_parser import KEYWORDS, Piece, Pieces, Values, text_at, texts_in, word_set
from .suite import EXACT, LOOSE, NEVER, Assertion, Mark, Suite, Test

# The parser cannot be stopped, and takes ever longer where nothing fits together.
MAX_CHARS, MAX_PARSED, MAX_PARSED_BROKEN, MAX_WORK, MAX_PARTS, MAX_STEPS = (
    1_000_000,
    100_000,
    20_000,
    300_000,
    1000,
    12,
)
TEST_PATH = re.compile(
    r"((^|[/._-])(tests?|specs?|e2e|cy|unit)|(^|/)(tests?|__tests__|specs?|e2e|cypress)/.*)\.[cm]?[jt]sx?$",
    re.I,
)
NOT_TEST_PATH = re.compile(
    r"\.d\.[cm]?ts$|\.(config|stories)\.[cm]?[jt]sx?$|(^|/)(fixtures|__fixtures__|node_modules)/"
)
BLOCKS = word_set("describe context suite fdescribe xdescribe")
RUNNERS = BLOCKS | word_set("it test specify fit xit xtest")
NOT_TESTS = word_set("step before beforeEach beforeAll after afterEach afterAll use extend")
RUNNER_OBJECTS = word_set("this t ctx context test it describe jest vi")
SKIP_WORDS = ("skip", "todo", "fixme", "failing", "fails", "fail", "skipIf", "runIf")
TIMEOUT_WORDS = ("timeout", "setTimeout", "testTimeout", "retries", "retryTimes", "retry")
FALSE, TRUE = ("false", "0", "null", "undefined", "!true"), ("true", "1", "!false")
LITERAL_COMPARISON = re.compile(
    r"('[^']*+'|-?[\d.]++|true|false)([!=]==?)('[^']*+'|-?[\d.]++|true|false)"
)
NOT_CONSTANT = word_set(
    "=> < function fn stub spy mock spyOn new require import"
)  # two of them are two, though spelled alike
FAILURE_WORDS = word_set(
    "throw fail done reject expect assert should"
)  # no failure passes that they see
TAMPERING = re.compile(
    r"process\.(exit\(0?\)|exitCode=0)|(global|globalThis)\.(expect|it|test)=|expect\.extend\(\{to(Be|Equal)\("
)


class Context(NamedTuple):
    """What holds at a place of the file."""

    values: Values
    reach: int = EXACT  # how much an assertion can tell at most: less under a condition, nothing after a return
    depth: int = 0  # of helpers that call helpers

    def with_reach(self, reach: int, values: Values | None = None) -> Context:
        return Context({**self.values, **(values or {})}, min(self.reach, reach), self.depth)


class Scope:
    """A test or a block of them, and what is found in it."""

    def __init__(self, name: str = "", above: Scope | None = None) -> None:
        self.name: str = f"{above.name} > {name}" if above and above.name else name
        self.disabled_by: str = above.disabled_by if above else ""
        self.skip_condition: str = above.skip_condition if above else ""
        self.patience: float = above.patience if above else 0.0
        self.assertions: list[Assertion] = []
        self.steps: list[str] = [*above.steps] if above else []
        self.set_up_count: int = len(self.steps)
        self.counts_assertions: bool = (
            False  # it says how many assertions there will be: none goes by unheard
        )


def is_test(path: str) -> bool:
    return bool(TEST_PATH.search(path)) and not NOT_TEST_PATH.search(path)


def read(path: str, text: str) -> Suite | None:
    """What the file says; None where it cannot be read."""
    try:
        plain = javascript_lines.parse_pieces(text) if len(text) <= MAX_CHARS else None
        clean = (
            javascript_parser.blank_types_and_comments(path, text)
            if len(text) <= (MAX_PARSED if plain else MAX_PARSED_BROKEN)
            else None
        )
        pieces = plain if clean is None else javascript_lines.parse_pieces(clean)
        return (
            None
            if pieces is None
            else FileReader(pieces, posixpath.basename(path).partition(".")[0]).read_suite()
        )
    except (RecursionError, ValueError, MemoryError):
        return None


class FileReader:
    """A file on its way to a suite: one walk over its tree, in which tests and blocks open scopes of their own."""

    def __init__(self, pieces: Pieces, name: str = "") -> None:
        self.pieces, self.pieces_read, self.scope = pieces, 0, Scope()
        self.tests, self.only, self.tricks = list[Test](), list[Mark](), list[Mark]()
        self.helpers = {
            made[0]: made
            for made in function_definitions(pieces)
            if texts_in(made[2]) & {*FAILURE_WORDS, "skip", "t"}
        }
        self.runners: dict[str, Pieces] = {}  # `const maybe = CI ? it.skip : it`
        mine = [
            text
            for text in texts_in(pieces)
            if re.fullmatch(rf"'\.[^']*/{re.escape(name)}(\.\w+)?'", text)
        ]
        self.tested_module = (
            mine[0] if len(mine) == 1 else ""
        )  # the module that the file is named after

    def read_suite(self) -> Suite:
        self.walk_pieces(self.pieces, Context({}))
        self._end_scope(1)
        tests, self.tests = self.tests, []
        for name, _, body, _ in self.helpers.values():
            self.scope = Scope(name)
            self.walk_pieces(body, Context(constants_in(self.pieces)))
            self._end_scope(body[0].line)
        return Suite(
            tuple(tests),
            only=tuple(self.only),
            tricks=tuple(dict.fromkeys(self.tricks)),
            helpers=tuple(self.tests),
        )

    def _end_scope(self, line: int, cases: int = 1, is_test: bool = False) -> None:
        own, name = self.scope, self.scope.name or "outside of tests"
        done = "; ".join(own.steps[own.set_up_count :])
        if is_test and done and not own.assertions:  # it says no more than that nothing is thrown
            own.assertions = [Assertion(done, line, LOOSE, done)]
        if own.assertions or is_test:
            self.tests.append(
                Test(
                    name,
                    line,
                    tuple(own.assertions),
                    own.disabled_by,
                    cases,
                    own.patience,
                    own.skip_condition,
                    tuple(own.steps),
                )
            )

    def walk_pieces(self, pieces: Pieces, here: Context) -> None:
        here = here._replace(
            values={**here.values, **found} if (found := constants_in(pieces)) else here.values
        )
        at, self.pieces_read = 0, self.pieces_read + 1 + len(pieces)
        if self.pieces_read > MAX_WORK:
            raise ValueError("too much to read")
        while at < len(pieces):
            text, following = pieces[at].text, text_at(pieces, at + 1)
            if looped := loop_parts(pieces, at, here.values):
                rows, body, at = looped
                for row in rows or ({},):
                    self.walk_pieces(body, here.with_reach(EXACT if rows else NEVER, row))
            elif text == "try" and following == "{":
                at = self._read_try(pieces, at, here)
            elif text in ("if", "switch") and following == "(":
                at, here = self._read_if(pieces, at, here)
            elif text == "return":
                end = statement_end(pieces, at)
                self.walk_pieces(pieces[at + 1 : end], here)
                at, here = end, here.with_reach(NEVER)
            elif (alias := const_assignment(pieces, at)) and is_runner(alias[1]):
                self.runners[alias[0]], at = alias[1], alias[2]
            elif made := function_definition(pieces, at):
                if texts_in(made[2]) & RUNNERS:  # it makes tests for who calls it
                    self.walk_pieces(made[2], here)
                at = made[3]
            elif (
                pieces[at].kind == "word"
                and text not in KEYWORDS
                and text_at(pieces, at - 1) not in (".", "?.")
            ):
                at = self._read_chain(pieces, at, here)
            else:
                at += 1
                if pieces[at - 1].inner:
                    self.walk_pieces(pieces[at - 1].inner, here)

    def _read_chain(self, pieces: Pieces, at: int, here: Context) -> int:
        links, end = call_chain(pieces, at)
        words, args, before = [link.name for link in links], links[-1].args, text_at(pieces, at - 1)
        here = here._replace(reach=min(here.reach, LOOSE)) if before in ("&&", "||", "?") else here
        begins = words[0] in RUNNERS or words[0] in self.runners or words[:2] == ["t", "test"]
        if begins and args and self._read_test_or_block(links, pieces[at].line, here):
            return end
        if words[0] in ("process", "global", "globalThis", "window", "expect") and TAMPERING.match(
            source_text(pieces[at : end + 2])
        ):
            self.tricks.append(Mark(source_text(pieces[at : end + 2])[:80], pieces[at].line))
        is_replaced = (
            words[0] in ("jest", "vi")
            and words[1:] == ["mock"]
            and args
            and self.tested_module == source_text(args[0])
        )
        if is_replaced and not texts_in(pieces[at:end]) & {
            "importActual",
            "requireActual",
            "importOriginal",
        }:
            self.tricks.append(Mark(source_text(pieces[at:end])[:80], pieces[at].line))
        if words[0] in RUNNER_OBJECTS and len(words) > 1:  # `(CI ? it.skip : it)(…)`
            self._apply_switch(
                ".".join(words), args or (), here if args is not None else here.with_reach(LOOSE)
            )
            for key, value in object_parts(args[0]).items() if args else ():
                self._apply_switch(key, (value,), here)
        if words[-1] in self.helpers and here.depth < 3:
            _, params, body, _ = self.helpers[words[-1]]
            given = bind_names(
                (Piece("[", "[", 0, params),), (Piece("[", "[", 0, pieces[end - 1].inner),)
            )
            self.walk_pieces(body, here.with_reach(EXACT, given)._replace(depth=here.depth + 1))
        elif any(map(ASSERTING.fullmatch, words)):
            reach = NEVER if words[0] == "expect" and "catch" in words else here.reach
            said = chain_assertions(pieces, at, links, here.values)
            self.scope.assertions += [one.but(strength=min(one.strength, reach)) for one in said]
        elif any(link.args is not None for link in links):
            plain = [
                source_text(arg)
                for link in links
                for arg in link.args or ()
                if not function_parts(arg)
            ]
            self.scope.steps.append(
                substitute_names(f"{'.'.join(words)}({', '.join(plain)})", here.values)
            )
        if words[-1] == "catch" and not texts_in(pieces[end - 1 : end]) & FAILURE_WORDS:
            here = here.with_reach(NEVER)
        for group in (one for one in pieces[at + 1 : end] if one.inner):
            self.walk_pieces(group.inner, here)
        return end

    def _read_test_or_block(self, links: list[Link], line: int, here: Context) -> bool:
        """Reads the test or the block that begins here; False where this is something else."""
        args, words, above = links[-1].args or (), [link.name for link in links], self.scope
        params, body = next((made for arg in args if (made := function_parts(arg))), ((), ()))
        if not body and (macro := self.helpers.get(text_at(args[1], 0) if len(args) > 1 else "")):
            params, body = macro[1:3]
            here = here.with_reach(
                EXACT,
                {
                    key: value
                    for part, arg in zip(split_at_commas(params), args[1:], strict=False)
                    for key, value in bind_names(part, arg).items()
                },
            )
        title = (
            source_text(args[0])
            if args[0][:1] and args[0][0].kind in ("string", "template")
            else ""
        )
        if not (body or title) or NOT_TESTS & {*words}:
            return False
        self.scope = own = Scope(substitute_names(title, here.values).strip("'"), above)
        told = [
            (f"{words[0]}.{link.name}", link.args or () if link.name.endswith("If") else ())
            for link in links[1:]
        ]
        told += [
            (key, (value,))
            for arg in args[1:]
            for key, value in ({"timeout": arg} | object_parts(arg)).items()
        ]
        own.counts_assertions = above.counts_assertions or bool(
            texts_in(body) & {"assertions", "hasAssertions", "plan"}
        )
        alias = self.runners.get(words[0], ())
        perhaps = here.with_reach(LOOSE if {"?", "&&", "||"} & texts_in(alias) else EXACT)
        for word in texts_in(alias) & {*SKIP_WORDS}:
            self._apply_switch(f"{words[0]}.{word}", (), perhaps)
        told += (
            [(f"{words[0]}.skip", ())]
            if words[0] in ("xit", "xtest", "xdescribe") or here.reach < EXACT
            else []
        )
        for what, given in told:
            self._apply_switch(what, given, here)
        if words[0] in ("fit", "fdescribe") or "only" in words:
            self.only.append(Mark(f"{words[0]} {own.name}", line))
        cases = next(
            (link.args[0] for link in links if link.name in ("each", "for") and link.args), None
        )
        rows = [{}] if cases is None else table_rows(cases, params, here.values)
        for row in [{}] if rows is None else rows:
            self.walk_pieces(body or args[-1], Context({**here.values, **row}))
        self._end_scope(line, 0 if rows is None else len(rows), is_test=not BLOCKS & {*words})
        self.scope = above
        return True

    def _apply_switch(self, what: str, args: tuple[Pieces, ...], here: Context) -> None:
        """A switch or a limit is set for the scope: `this.skip()`, `jest.setTimeout(9)`, `{ retry: 3 }`."""
        word, own = what.rpartition(".")[2], self.scope
        asked = substitute_names(source_text(args[0]), here.values) if args else "true"
        if word in TIMEOUT_WORDS and NUMBER.fullmatch(asked):
            own.patience += float(asked) if "retr" in word else float(asked) / 1000 or 86400
        elif word in SKIP_WORDS and asked not in FALSE:
            sure = here.reach != LOOSE and word != "runIf" and (asked in TRUE or asked[0] in "'`")
            own.disabled_by, own.skip_condition = (
                (own.disabled_by or what, own.skip_condition)
                if sure
                else (own.disabled_by, own.skip_condition or f"{what}({asked})")
            )

    def _read_if(self, pieces: Pieces, at: int, here: Context) -> tuple[int, Context]:
        asked, (body, end) = (
            evaluate_condition(substitute_names(source_text(pieces[at + 1].inner), here.values)),
            branch_body(pieces, at + 2),
        )
        other, end = branch_body(pieces, end + 1) if text_at(pieces, end) == "else" else ((), end)
        # What was asserted before holds; what a table gives is its own to choose; where both ways assert, one is taken.
        known = any(
            one.subject and asked.lstrip("!(").startswith(one.subject)
            for one in self.scope.assertions
        )
        known = (
            known
            or any(is_literal(here.values.get(word, ())) for word in texts_in(pieces[at + 1].inner))
            or bool(texts_in(other) & FAILURE_WORDS)
        )
        for part in (body, other):
            self.walk_pieces(
                part,
                here.with_reach(
                    NEVER if asked in FALSE else EXACT if known or asked in TRUE else LOOSE
                ),
            )
        if other or not {"return", "continue"} & {piece.text for piece in body} or asked in FALSE:
            return end, here
        return end, here.with_reach(NEVER if asked in TRUE else EXACT if known else LOOSE)

    def _read_try(self, pieces: Pieces, at: int, here: Context) -> int:
        body, at = pieces[at + 1].inner, at + 2
        if text_at(pieces, at) == "catch":
            caught, at = branch_body(pieces, at + (2 if text_at(pieces, at + 1) == "(" else 1))
            self.walk_pieces(
                caught,
                here.with_reach(
                    EXACT
                    if texts_in(body) & {"throw", "fail"} or self.scope.counts_assertions
                    else LOOSE
                ),
            )
            here = here if texts_in(caught) & FAILURE_WORDS else here.with_reach(NEVER)
        self.walk_pieces(body, here)
        return at


def is_runner(value: Pieces) -> bool:
    """Is this a name for `it` or `describe`, or a choice between them?"""
    named = [text_at(value, at + 1) for at, one in enumerate(value) if one.text in RUNNERS]
    return (
        bool(named)
        and "{" not in {one.text for one in value}
        and all(one in ("", ".", ":", "?") for one in named)
    )


def is_literal(value: Pieces) -> bool:
    return len(value) == 1 and value[0].kind in ("string", "number", "[", "{")


def evaluate_condition(asked: str) -> str:
    """Of a condition between literals, which a table's row may make of it, what comes out."""
    found = LITERAL_COMPARISON.fullmatch(asked)
    return (
        asked
        if not found
        else "true"
        if (found[1] == found[3]) == (found[2][0] == "=")
        else "false"
    )


def constants_in(pieces: Pieces) -> dict[str, Pieces]:
    """Names that stand for a literal, a list or an object here, or for what a call gave."""
    found: dict[str, Pieces] = {}
    for at in (at for at, one in enumerate(pieces) if one.text == "const"):
        made, pattern = const_assignment(pieces, at), pieces[at + 1 : at + 2]
        if not made or not (value := made[1]) or len(value[0].inner) > MAX_PARTS:
            continue
        if is_literal(value):
            found |= bind_names(pattern, value)
        elif (
            value[-1].kind == "(" and len(value) < MAX_STEPS and not texts_in(value) & NOT_CONSTANT
        ):
            value = value[1:] if value[0].text == "await" else value
            dot = Piece("sign", ".", 0)
            parts = {
                part[-1].text: (*value, dot, part[0])
                for part in split_at_commas(pattern[0].inner)
                if text_at(part, 1) in ("", ":")
            }
            found |= (
                parts
                if pattern[0].kind == "{"
                else {pattern[0].text: value}
                if pattern[0].kind == "word"
                else {}
            )
    return found


def bind_names(pattern: Pieces, value: Pieces) -> dict[str, Pieces]:
    """What the names of a parameter stand for, given its value."""
    if not value or not pattern:
        return {}
    found: dict[str, Pieces] = {}
    if pattern[0].kind == "word":
        found = {f"{pattern[0].text}.{key}": part for key, part in object_parts(value).items()} | {
            pattern[0].text: value
        }
    elif pattern[0].kind == "[" == value[0].kind:
        for part, one in zip(
            split_at_commas(pattern[0].inner), split_at_commas(value[0].inner), strict=False
        ):
            found |= bind_names(part, one)
    else:
        for key, part in object_parts(pattern).items():
            found |= bind_names(part, object_parts(value).get(key, ()))
    return found


def table_rows(given: Pieces, params: Pieces, values: Values) -> list[dict[str, Pieces]] | None:
    """What the parameters stand for, row by row; None where the rows are not written out."""
    given = values.get(given[0].text, given) if len(given) == 1 else given
    if text_at(given, 0)[:1] == "`":
        names, *rows = [line.split("|") for line in given[0].text.strip("`\n ").split("\n")]
        cells = [
            [javascript_lines.parse_pieces(cell.strip()[2:-1]) or () for cell in row]
            for row in rows
        ]
        return [dict(zip(map(str.strip, names), row, strict=False)) for row in cells] or [{}]
    if [one.text for one in given] == ["Object", ".", "entries", "("]:
        parts = object_parts(values.get(text_at(given[3].inner, 0), given[3].inner))
        rows_of = [
            (Piece("string", f"'{key}'", 0), Piece("sign", ",", 0), *value)
            for key, value in parts.items()
        ]
        given = (
            (
                Piece(
                    "[",
                    "[",
                    0,
                    tuple(one for row in rows_of for one in (Piece("[", "[", 0, row), row[1])),
                ),
            )
            if parts
            else given
        )
    if len(given) != 1 or given[0].kind != "[" or "..." in {piece.text for piece in given[0].inner}:
        return None
    several, first = (Piece("[", "[", 0, params),), (split_at_commas(params) or ((),))[0]
    return [
        bind_names(several if row[0].kind == "[" and len(params) > 1 else first, row)
        for row in split_at_commas(given[0].inner)
    ]


def loop_parts(
    pieces: Pieces, at: int, values: Values
) -> tuple[list[dict[str, Pieces]], Pieces, int] | None:
    """Rows, body and end of `for (const row of rows)` and of `rows.forEach((row) => …)`; one row where they are not known."""
    given = at + (4 if pieces[at].text == "Object" and text_at(pieces, at + 2) == "entries" else 1)
    if pieces[at].text == "for" and text_at(pieces, at + 1) == "(":
        head = pieces[at + 1].inner
        of = next((i for i, piece in enumerate(head) if piece.text == "of"), 0)
        rows, (body, end) = (
            table_rows(head[of + 1 :], head[1:of], values),
            branch_body(pieces, at + 2),
        )
    elif [text_at(pieces, i) for i in range(given, given + 3)] == [".", "forEach", "("]:
        params, body = function_parts(pieces[given + 2].inner) or ((), ())
        rows, end = table_rows(pieces[at:given], params[:1], values), given + 3
    else:
        return None
    return [{}] if rows is None else rows, body, end
