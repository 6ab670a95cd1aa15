"""What a test file says, in any language: its tests, what each asserts and how strongly. A language reads its files into this."""

from __future__ import annotations

from ..core.record import Record

# How much an assertion can tell: the whole value, a part or a bound of it, that there is something, nothing at all.
# One that is reached under a condition only tells no more than LOOSE; one that is never reached, or swallowed, NEVER.
EXACT, PARTIAL, LOOSE, NEVER = 3, 2, 1, 0


class Assertion(Record):
    """One claim. The values of a table's case, of a helper's arguments and of local names are put in where they are known."""

    text: str  # on one line, spelled alike whatever the layout and the quotes
    line: int
    strength: int = EXACT
    subject: str = ""  # what is looked at, as it stands in the text; "" where that is a call of a helper in another file
    slack: float = 0.0  # how far an approximate value may be off, where a bound lies, how many answers will do: more is weaker

    @property
    def predicate(self) -> str:
        """What is said of the subject, whatever that is: `· == 3`."""
        return self.text.replace(self.subject, "·", 1) if self.subject else self.text


class Test(Record):
    name: str  # with its class or describe blocks, joined by "::" or " > "
    line: int
    assertions: tuple[Assertion, ...] = ()  # of a table: those of every case
    disabled_by: str = (
        ""  # the words by which it is skipped, expected to fail, or never reached; "" where it runs
    )
    cases: int = 1  # of a table; 0: a table that cannot be read
    patience: float = (
        0.0  # seconds of its own time-out and retries that it was given, added up; 0: none
    )
    skip_condition: str = ""  # the condition under which it is skipped
    steps: tuple[str, ...] | None = (
        None  # what it does besides asserting; None: not told, so it is nobody's duplicate
    )

    @property
    def own_name(self) -> str:
        """Without its class or its blocks."""
        return self.name.rpartition("::")[2].rpartition(" > ")[2]

    @property
    def strength(self) -> int:
        """Of its strongest assertion."""
        return max((a.strength for a in self.assertions), default=NEVER)


class Mark(Record):
    """Something in a file that is not a test: its words and where it stands."""

    text: str
    line: int


class Suite(Record):
    tests: tuple[Test, ...] = ()
    off: tuple[Mark, ...] = ()  # the whole file, or a class or block of it, is skipped
    only: tuple[Mark, ...] = ()  # nothing but these runs
    tricks: tuple[Mark, ...] = ()  # a runner, an assertion or the code under test is replaced
    helpers: tuple[
        Test, ...
    ] = ()  # asserting functions that are no tests; tests of other files may call them
