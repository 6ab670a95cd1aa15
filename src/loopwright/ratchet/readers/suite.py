"""What a test file says, in any language: its tests, what each one asserts, and how strongly."""

from __future__ import annotations

from ...core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The strength of an assertion is how much it can tell: the whole value, a part or a bound of it,
# that there is some value, or nothing. An assertion under a condition is at most LOOSE. One that
# is never reached, or whose failure is swallowed, is NEVER.
EXACT, PARTIAL, LOOSE, NEVER = 3, 2, 1, 0
NO_TIMEOUT_SECONDS = 86400.0  # the patience of a test without a time-out


class Assertion(Record):
    """One claim, with the known values of table cases, helper arguments and local names put in."""

    text: str  # on one line, spelled the same whatever the layout and the quotes
    line: int
    strength: int = EXACT
    # The expression that the assertion is about, as it is spelled in the text.
    # "" for the call of a helper in another file.
    subject: str = ""
    # How far an approximate value may be off, a bound, or how many answers pass. More is weaker.
    slack: float = 0.0

    @property
    def predicate(self) -> str:
        """The text with a placeholder for the subject: `· == 3`."""
        return self.text.replace(self.subject, "·", 1) if self.subject else self.text


class Test(Record):
    name: str  # with its class or describe blocks, joined by "::" or " > "
    line: int
    assertions: tuple[Assertion, ...] = ()  # of a table: those of every case
    disabled_by: str = ""  # the words that skip it, or that make it expected to fail
    cases: int = 1  # of a table; 0: a table that cannot be read
    patience: float = 0.0  # its own time-out in seconds plus its retries; 0: none
    skip_condition: str = ""
    # What it does besides asserting. None: unknown, so it is never taken for a duplicate.
    steps: tuple[str, ...] | None = None

    @property
    def own_name(self) -> str:
        """The name without its class or its blocks."""
        return self.name.rpartition("::")[2].rpartition(" > ")[2]

    @property
    def strength(self) -> int:
        """The strength of its strongest assertion."""
        return max((a.strength for a in self.assertions), default=NEVER)


class Mark(Record):
    """Something in a file that is not a test: its text and its line."""

    text: str
    line: int


class Suite(Record):
    tests: tuple[Test, ...] = ()
    off: tuple[Mark, ...] = ()  # the whole file, or a class or block of it, is skipped
    only: tuple[Mark, ...] = ()  # the runner runs only these
    tricks: tuple[Mark, ...] = ()  # a runner, an assertion or the code under test is replaced
    # Functions that assert and are not tests themselves. Tests of other files may call them.
    helpers: tuple[Test, ...] = ()


RECORDS = {kind.__name__: kind for kind in (Assertion, Test, Mark, Suite)}


def decode_suite(plain: Any) -> Any:
    """What `encode` of core/record.py made of a suite, as a suite again."""
    if isinstance(plain, list):
        return tuple(map(decode_suite, plain))
    if not isinstance(plain, dict):
        return plain
    fields = {name: decode_suite(part) for name, part in plain.items() if name != "is"}
    return RECORDS[plain["is"]](**fields)
