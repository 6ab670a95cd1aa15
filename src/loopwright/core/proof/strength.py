"""Strength: would the checks notice if a part of the work were taken away?

The values of one measurement, and what they mean. How it is measured is in the package `strength`.
"""

from __future__ import annotations

from ..findings import LOW, SETTLED_BY_REPLAY, TESTS_ALONE_RULE, Finding
from ..record import Record

PART, LINE, MUTANT, FILE, NOTE, LEFT = "part", "line", "mutant", "file", "note", "left"
NOTICED, NOT_NOTICED = "noticed", "not noticed"
INCONCLUSIVE, CANNOT_RUN = "inconclusive", "cannot run here"
NO_DIFFERENCE = "no difference"  # the checks pass with the part of the start, which may be as good
JUDGED = (NOTICED, NOT_NOTICED)
EARLIER_TESTS = "by earlier tests alone"  # no test that fails without the work notices it
THE_WORK = "the work"  # of which nothing could be measured
BUDGET_SPENT = "the time budget is used up"
MIN_JUDGED = 4  # fewer parts, mutants and places that no check runs say nothing about the whole
MIN_NOTICED = 2 / 3  # of them


class StrengthItem(Record):
    """Something that was taken away or that no check runs, and what the checks said."""

    kind: str  # part, line, mutant, file, note or left
    file: str
    line: int
    taken: str  # what was taken away or changed, in words
    result: str  # noticed, not noticed, inconclusive, cannot run here or no difference
    reason: str = ""
    lines: int = 1  # of an item of the kind line: how many
    emptied: str = ""  # the function whose body was taken away, or put back to the start

    @property
    def is_spare(self) -> bool:
        """Do all tests that fail without the work pass without this part too?"""
        return self.result in (NOT_NOTICED, NO_DIFFERENCE) or self.reason == EARLIER_TESTS


class Unmeasured(Record):
    """What was not measured, and why."""

    what: str
    why: str

    @property
    def text(self) -> str:
        return self.why if self.what == THE_WORK else f"{self.what}: {self.why}"


class Strength(Record):
    """The result of one measurement."""

    items: tuple[StrengthItem, ...] = ()
    unmeasured: tuple[Unmeasured, ...] = ()
    control: str = ""  # noticed, not noticed or inconclusive; "": it did not run
    measured_lines: int = 0  # changed lines of which we know whether a check runs them
    other_lines: int = 0  # changed lines that matter and of which we do not know it
    selection: str = ""  # the tests that ran, if not all of them did
    mutants_by: str = ""  # the project's own tool that made mutants
    can_be_tested: bool = False  # code changed, and not just pages, settings or a version number
    # Tests are the work, and are to notice what those of the start did: an item is what one does.
    tests_stay: bool = False
    of_tests: bool = False  # tests are the work: the product that they cover was changed
    runs: int = 0
    seconds: float = 0.0

    @property
    def judged(self) -> tuple[StrengthItem, ...]:
        """Parts and mutants that the checks noticed or did not notice."""
        return tuple(i for i in self.items if i.kind in (PART, MUTANT) and i.result in JUDGED)

    @property
    def noticed(self) -> tuple[StrengthItem, ...]:
        return tuple(item for item in self.judged if item.result == NOTICED)

    @property
    def inconclusive(self) -> tuple[StrengthItem, ...]:
        return self._with(INCONCLUSIVE)

    @property
    def cannot_run(self) -> tuple[StrengthItem, ...]:
        return self._with(CANNOT_RUN)

    @property
    def no_difference(self) -> tuple[StrengthItem, ...]:
        return self._with(NO_DIFFERENCE)

    @property
    def weak_items(self) -> tuple[StrengthItem, ...]:
        """What no check notices or runs, and new files that nothing uses."""
        return self._with(NOT_NOTICED)

    @property
    def untested_items(self) -> tuple[StrengthItem, ...]:
        """What the agent is told to test: what no check notices, or earlier tests alone."""
        noticed = self.noticed if self.is_noticed_by_earlier_tests else ()
        return (*self.weak_items, *noticed)

    @property
    def unused_files(self) -> tuple[StrengthItem, ...]:
        return tuple(item for item in self.weak_items if item.kind == FILE)

    @property
    def unrun_lines(self) -> int:
        return sum(item.lines for item in self.unrun_places)

    @property
    def is_measured(self) -> bool:
        """Could anything be judged? Nothing measured is never good news."""
        return bool(self.judged) or self.is_thin

    @property
    def has_enough_judged(self) -> bool:
        """Enough where nothing else says that the tests ask for more than a name?

        A small change has few places to judge: then each of them must be noticed, and one must be a
        change inside of the work, which a test that only asks for a name does not notice.
        """
        judged, noticed = len(self.judged), len(self.noticed)
        if judged >= MIN_JUDGED:
            return 2 * noticed >= judged
        has_mutant = any(item.kind == MUTANT for item in self.noticed)
        return has_mutant and noticed == judged and not (self.weak_items or self.is_cut_short)

    @property
    def is_noticed_by_earlier_tests(self) -> bool:
        """Do the tests that fail without the work notice no change of it, and others do?"""
        return bool(self.noticed) and all(item.reason == EARLIER_TESTS for item in self.noticed)

    @property
    def is_cut_short(self) -> bool:
        """Was there more to judge?"""
        return any(row.why == BUDGET_SPENT for row in self.unmeasured)

    @property
    def is_thin(self) -> bool:
        return bool(self.thin_reasons)

    @property
    def thin_reasons(self) -> tuple[str, ...]:
        """Why the work is thin, in words with their reach; () if it is not."""
        reasons = [f"nothing uses the new file {item.file}" for item in self.unused_files]
        notes = [item for item in self.weak_items if item.kind == NOTE]
        reasons += [f"{item.file}:{item.line} says that something is missing" for item in notes]
        left = [item for item in self.weak_items if item.kind == LEFT]
        reasons += [f"{item.file}:{item.line}: {item.reason}" for item in left]
        noticed, unrun = len(self.noticed), len(self.unrun_places)
        # All places are known at once, but what the budget cut off would be noticed in part.
        judged = len(self.judged) + (0 if self.is_cut_short else unrun)
        is_weaker = self.tests_stay and noticed < judged
        if is_weaker or (judged >= MIN_JUDGED and MIN_NOTICED * judged > noticed):
            reasons.append(self.noticed_text)
        if 2 * self.unrun_lines > self.measured_lines:
            reasons.append(f"no check runs {self.lines_text}")
        return tuple(reasons)

    @property
    def unrun_places(self) -> tuple[StrengthItem, ...]:
        return tuple(item for item in self.weak_items if item.kind == LINE)

    @property
    def noticed_text(self) -> str:
        what = "the product that the new tests cover" if self.of_tests else "the work"
        if self.tests_stay:
            what = "the product that the former tests notice"
        text = f"{len(self.noticed)} of {len(self.judged)} changes of {what} are noticed"
        places = len(self.unrun_places)
        return f"{text}, and no check runs {places} places of it" if places else text

    @property
    def lines_text(self) -> str:
        return f"{self.unrun_lines} of {self.measured_lines} changed lines"

    def _with(self, result: str) -> tuple[StrengthItem, ...]:
        return tuple(item for item in self.items if item.result == result)


def settle_tests_alone(
    findings: tuple[Finding, ...], result: Strength | None
) -> tuple[Finding, ...]:
    """Where tests are the work, it is no question any more what they ask for if they are strong.

    Unless one of them asks for less: on the same product its former version passes in any case.
    """
    if not result or result.is_thin or not result.has_enough_judged:
        return findings
    if any(finding.settled and finding.rule in SETTLED_BY_REPLAY for finding in findings):
        return findings
    return tuple(
        f.but(severity=LOW, settled=True) if f.rule == TESTS_ALONE_RULE else f for f in findings
    )


class MeasuredStrength(Record):
    """The result on one tree, and what the agent has heard about it."""

    tree: str
    result: Strength | None = None  # None: it could not begin
    why: str = ""  # nothing was measured because of this
    # It became slower or flaky, or the like: at the start it could have been measured.
    worse: str = ""
    told: bool = False  # the agent was told that its work is thin
    lacks_test: bool = False  # what it was told is that no test fails without the work
    due: bool = False  # that is in the next prompt
