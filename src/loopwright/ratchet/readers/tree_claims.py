"""What a chain of calls asserts, by the words of a dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ... import lazy_re as re
from .dialect import Dialect
from .matchers import NUMBER, matcher_assertions
from .mock_claims import mock_claims
from .suite import EXACT, LOOSE, PARTIAL, Assertion
from .tree_text import Argument, Link, TreeText, chain_text

STRING = re.compile(r"'[^']*'")
LAMBDA_HEAD = re.compile(r"^\w+=>|^\(?\w*\)?->")
CLASS_END = re.compile(r"::class(?:\.java)?$|\.class$|^Boolean\.(?=true|false)")
# A matcher that follows its subject: `total shouldBe 3`, `total.ShouldBe(3)`, `total.must_equal 3`.
SUFFIX_MATCHER = re.compile(
    r"[sS]hould(?:Not)?(?:Be|Have|Contain|Start|End|Match|Throw|Equal)\w*"
    r"|must_\w+|wont_\w+"
)
GO_VALUE = re.compile(r"^(&?[\w.]+)\{.*\}$")
SWITCHES = (["true"], ["false"])  # what a builder is given: `config.check_hyphens(true)`
Substitute = Callable[[str], str]  # puts in the known values of names
Claim = tuple[str, list[str], bool]  # matcher, expected values, is negated


class ClaimReader:
    def __init__(self, tree: TreeText) -> None:
        self.tree = tree
        self.dialect: Dialect = tree.dialect

    def chain_claims(self, links: list[Link], line: int, substitute: Substitute) -> list[Assertion]:
        """The assertions of a chain; none if it asserts nothing."""
        found = list(mock_claims(links, line, substitute))
        for read in (self._head_claims, self._plain_claims, self._other_claims):
            found = found or list(read(links, line, substitute))
        return found

    def condition_claims(self, condition: str, negated: bool, line: int) -> Iterator[Assertion]:
        """That a condition holds, or that it does not."""
        return self._assertions("true", condition, [], negated, line)

    def _assertions(
        self, word: str, subject: str, values: list[str], negated: bool, line: int
    ) -> Iterator[Assertion]:
        return matcher_assertions(word, subject, values, negated, line, self.dialect.truths)

    def _plain_claims(
        self, links: list[Link], line: int, substitute: Substitute
    ) -> Iterator[Assertion]:
        """`assertEquals(3, total)` and `assert.Equal(t, 3, total)`."""
        last = links[-1]
        spec = self.dialect.asserts.get(last.name)
        owner = ".".join(link.name for link in links[:-1])
        is_owner = not owner or bool(self.dialect.owners.fullmatch(owner))
        if not spec or not last.is_called or not is_owner:
            return
        dropped = self.dialect.dropped_arguments
        arguments = [each for each in last.arguments if each.text not in dropped]
        texts = [argument.text for argument in arguments]
        if spec != "carry":
            yield from self._spec_claims(spec, last.types, texts, line, substitute)
        elif len(texts) > 1:
            yield from self._carried_claims(texts[0], arguments[-1], False, line, substitute)
        elif texts:
            yield from self._assertions("true", substitute(texts[0]), [], False, line)

    def _spec_claims(
        self, spec: str, types: str, texts: list[str], line: int, substitute: Substitute
    ) -> Iterator[Assertion]:
        """The roles of the arguments are explained at `Dialect.asserts`."""
        negated = spec.startswith("not ")
        matcher, *roles = spec.removeprefix("not ").split()
        if types and "e" in roles:
            texts = [types, *texts]
        texts = _without_message(texts, roles)
        matcher, _, value = matcher.partition("=") if matcher[0].isalpha() else (matcher, "", "")
        subject, slack, expected = "", "", [value] if value else []
        for role, text in zip(roles, texts, strict=False):
            if role == "s":
                subject = LAMBDA_HEAD.sub("", text) if matcher == "toThrow" else substitute(text)
            elif role == "e":
                name = class_name(text)
                if matcher == "toBeInstanceOf":
                    name = _type_name(name)
                expected.append(substitute(name))
            elif role == "d" and NUMBER.fullmatch(text):
                slack = text
        if slack:
            matcher, expected = "closeTo", [*expected, slack]
        if matcher == "toBeInstanceOf" and GO_VALUE.match(subject):  # in the other order
            subject, expected = expected[0], [_type_name(subject)]
        if subject or "s" not in roles:
            yield from self._assertions(matcher, subject, expected, negated, line)

    def _head_claims(
        self, links: list[Link], line: int, substitute: Substitute
    ) -> Iterator[Assertion]:
        """`expect(total).toBe(3)`, `total.Should().Be(3)` and `total shouldBe 3`."""
        is_head = self.dialect.heads.fullmatch
        for at, link in enumerate(links):
            if link.is_called and is_head(link.name):
                has_subject = bool(link.arguments)
                subject = link.arguments[0].text if has_subject else chain_text(links[:at])
                yield from self._fluent_claims(subject, links[at + 1 :], line, substitute)
                return
            if link.is_called and link.name in self.dialect.asserts and at + 1 < len(links):
                yield from self._plain_claims(links[: at + 1], line, substitute)
            if at and link.is_called and SUFFIX_MATCHER.match(link.name):
                yield from self._fluent_claims(chain_text(links[:at]), links[at:], line, substitute)
                return

    def _fluent_claims(
        self, subject: str, links: list[Link], line: int, substitute: Substitute
    ) -> Iterator[Assertion]:
        """What the matchers after a subject say."""
        claims: list[Claim] = []
        negated = False
        for link in links:
            word = self.dialect.fluent.get(link.name, link.name)
            if link.name in self.dialect.negations or word.startswith("not "):
                negated = not negated
                word = word.removeprefix("not ") if " " in word else ""
            if word == "carry":
                for argument in link.arguments[:1]:
                    yield from self._carried_claims(subject, argument, negated, line, substitute)
                return
            if word == "subject" and link.arguments:  # of the matchers that follow
                yield from self._emit(substitute(subject), claims, line)
                subject, claims = link.arguments[0].text, []
            elif word.startswith("message"):  # of an error
                yield from self._emit(substitute(subject), claims, line)
                matcher = word.removeprefix("message").strip()
                claims = [_named_claim(matcher, link, negated, substitute)] if matcher else []
                negated = False
                yield from self._emit(substitute(f"{subject}.message"), claims, line)
                subject, claims = f"{subject}{'' if matcher else '.message'}", []
            elif word and self._is_matcher(link):
                claims.append(_named_claim(word, link, negated, substitute))
                negated = False
        yield from self._emit(substitute(subject), claims, line)

    def _is_matcher(self, link: Link) -> bool:
        is_complete = link.is_called or not self.dialect.needs_call.fullmatch(link.name)
        return is_complete and link.name not in self.dialect.fillers

    def _carried_claims(
        self, subject: str, argument: Argument, negated: bool, line: int, substitute: Substitute
    ) -> Iterator[Assertion]:
        """`expect(x).to eq(3)` and `Assert.That(x, Is.EqualTo(3))`: an argument is the matcher."""
        if argument.node is None:
            return
        links = self._unwrap_matcher(self.tree.chain(argument.node))
        for assertion in self._fluent_claims(subject, links, line, substitute):
            if not negated:
                yield assertion
            elif assertion.text.startswith("not "):
                yield assertion.but(text=assertion.text.removeprefix("not "))
            else:
                strength = min(assertion.strength, PARTIAL)
                yield assertion.but(text=f"not {assertion.text}", strength=strength)

    def _unwrap_matcher(self, links: list[Link]) -> list[Link]:
        """`is(equalTo(3))` says what `equalTo(3)` says, and so does `is(3)`."""
        first = links[0]
        if first.name != "is" or len(first.arguments) != 1 or first.arguments[0].node is None:
            return links
        inner = self.tree.chain(first.arguments[0].node)
        if inner[-1].is_called and inner[-1].name in self.dialect.fluent:
            return [*inner, *links[1:]]
        return [first._replace(name="equalTo"), *links[1:]]

    def _emit(self, subject: str, claims: list[Claim], line: int) -> Iterator[Assertion]:
        """Joins a value with its tolerance, and reads the claims."""
        slack = [_tolerance(values) for name, values, _ in claims if name == "~"]
        for name, values, negated in claims:
            if slack and name == "==":
                name, values = "closeTo", [*values[:1], slack[0]]
            elif name == "closeTo" and len(values) > 1:
                values = [values[0], _tolerance(values[1:])]
            if name != "~":
                yield from self._assertions(name, subject, values, negated, line)

    def _other_claims(
        self, links: list[Link], line: int, substitute: Substitute
    ) -> Iterator[Assertion]:
        """Functions that assert something, nobody here knows what."""
        for at, link in enumerate(links):
            if not link.is_called or (at > 0 and link.texts in SWITCHES):
                continue
            if self.dialect.other_asserts.fullmatch(link.name):
                texts = [substitute(text) for text in link.texts]
                texts = [text for text in texts if text not in self.dialect.dropped_arguments]
                # What is waited for may be asserted elsewhere.
                strength = LOOSE if link.name.startswith("await") else EXACT
                yield Assertion(f"{link.name}({', '.join(texts)})", line, strength)


def _named_claim(word: str, link: Link, negated: bool, substitute: Substitute) -> Claim:
    """A matcher under its one name. Its value may be in the dialect: `isTrue` is `== true`."""
    name, _, value = word.partition(" ")
    expected = [substitute(class_name(text)) for text in link.texts]
    if link.types:
        expected = [link.types, *expected]
    return name, [value] if value else expected, negated


def _type_name(text: str) -> str:
    """The type alone: without a namespace or quotes, and of a value such as `Point{1, 2}`."""
    return GO_VALUE.sub(r"\1", text.strip("'").rpartition("\\")[2])


def class_name(text: str) -> str:
    return CLASS_END.sub("", text)


def _without_message(texts: list[str], roles: list[str]) -> list[str]:
    """Some libraries have the message first: `assertEquals("the sum", 3, total)`."""
    needed = sum(role in "se" for role in roles)
    if len(texts) != needed + 1 or not STRING.fullmatch(texts[0]):
        return texts
    is_value = not STRING.match(texts[-1]) and not NUMBER.fullmatch(texts[-1])
    return texts[1:] if is_value else texts


def _tolerance(values: list[str]) -> str:
    numbers = re.findall(r"\d*\.?\d+(?:e-?\d+)?", " ".join(values))
    return numbers[-1] if numbers else "0"
