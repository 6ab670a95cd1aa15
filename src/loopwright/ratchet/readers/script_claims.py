"""What a chain of calls in JavaScript asserts: expect, should, assert, supertest and sinon."""

from __future__ import annotations

from collections.abc import Iterator

from .matchers import NUMBER, matcher_assertions, word_set
from .suite import Assertion
from .tree_claims import ClaimReader, Substitute
from .tree_text import Link, TreeText, chain_text

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


class ScriptClaims(ClaimReader):
    def __init__(self, tree: TreeText) -> None:
        super().__init__(tree)
        self.owners = {"assert", "should", "t"}  # and `const plan = tspl(t, { plan: 3 })`

    def chain_claims(self, links: list[Link], line: int, substitute: Substitute) -> list[Assertion]:
        found: list[Assertion] = []
        for read in (
            self._response_claims,
            self._should_claims,
            self._head_claims,
            self._plain_claims,
            self._other_claims,
        ):
            found = found or list(read(links, line, substitute))
        return found

    def _should_claims(
        self, links: list[Link], line: int, substitute: Substitute
    ) -> Iterator[Assertion]:
        """`cart.size.should.equal(3)`."""
        at = next((i for i, link in enumerate(links) if link.name == "should"), 0)
        if at and not links[at].is_called:
            subject = chain_text(links[:at])
            yield from self._fluent_claims(subject, links[at + 1 :], line, substitute)

    def _plain_claims(
        self, links: list[Link], line: int, substitute: Substitute
    ) -> Iterator[Assertion]:
        """`assert.equal(total, 3)`, `assert(total)` and `t.is(total, 3)`, with any matcher."""
        *owners, name = [link.name for link in links]
        texts = [substitute(text) for text in links[-1].texts]
        is_owner = bool(owners) and (owners[0] in self.owners or "assert" in owners)
        if not texts or name in NOT_ASSERTIONS or not (is_owner or name == "assert"):
            return
        count = EXPECTED_ARGUMENTS.get(name, 1)
        matcher = "ok" if name == "assert" else name
        yield from matcher_assertions(matcher, texts[0], texts[1 : 1 + count], False, line)

    def _response_claims(
        self, links: list[Link], line: int, substitute: Substitute
    ) -> Iterator[Assertion]:
        """`request(app).get('/').expect(200)` of supertest."""
        for link in links[1:] if links[0].name != "expect" else ():
            if link.name == "expect":
                nodes = [each for each in link.arguments if self.tree.kind(each.node) != "lambda"]
                texts = [substitute(each.text) for each in nodes if each.text != "done"]
                yield from _response_assertions(texts, line)


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
