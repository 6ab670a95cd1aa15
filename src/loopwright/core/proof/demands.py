"""What the spec demands, sentence by sentence, and which test shows each demand."""

from __future__ import annotations

from ..record import Record

TYPED, PROPOSED, SPLIT = "typed", "proposed", "split"  # who made the list
COMMAND_MARK = "$ "  # before a command that shows a demand, where the runner names no tests
TESTS_JOINED = " + "  # between several tests that are named for one demand
# What the revert test says about a test that was named.
FAILS_WITHOUT, PASSES_WITHOUT = "fails without the work", "passes without the work"
NOT_ALLOWED = "waits for permission"
NO_EVIDENCE = "no evidence"


class Demand(Record):
    """One thing that the spec asks for, in its own words."""

    text: str
    criterion: str = ""  # whose check covers it as a whole
    shows: str = ""  # the test, check or `$ command` that the agent names for it


class Demands(Record):
    """The demands of the spec, numbered from 1."""

    items: tuple[Demand, ...]
    origin: str = SPLIT
    asked: bool = False  # the agent was asked to name tests
    told: bool = False  # the agent was told which demands are shown by no test
    due: bool = False  # one of both is in the next prompt

    @property
    def unnamed(self) -> tuple[int, ...]:
        """The numbers of the demands for which the agent must still name a test."""
        items = enumerate(self.items, 1)
        return tuple(number for number, d in items if not d.criterion and not d.shows)

    @property
    def named(self) -> tuple[tuple[int, str], ...]:
        """What the agent has named, by number."""
        return tuple((number, d.shows) for number, d in enumerate(self.items, 1) if d.shows)


class DemandProof(Record):
    """What the final proof found about the test that the agent named for one demand."""

    number: int
    shows: str  # what the agent named then
    outcome: str = NO_EVIDENCE
    tests: tuple[str, ...] = ()  # the test as the runner reports it
    why: str = ""  # it shows nothing because of this
    is_missing: bool = False  # it fails without the work only for want of a name or a file
    was_there: bool = False  # it passed at the start: the agent did not write it for this
