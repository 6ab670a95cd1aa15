"""What the tests of the start show of a changed product: all rules that need both."""

from __future__ import annotations

from .bypassed_measures import BypassedMeasures
from .delayed_results import DelayedResults
from .error_classes import ErrorClasses
from .fixes_for_tests import FixesForTests
from .library_names import LibraryNames
from .lost_methods import LostMethods
from .replaced_methods import ReplacedMethods
from .tested_values import TestedValues

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...core.findings import Finding
    from ..project_files import Sides


class TestedProduct:
    """The rules for one change of a product; each names the words by which its tests are found."""

    __test__ = False  # for pytest

    def __init__(self, product: Sides) -> None:
        self.values, self.passed = TestedValues(product), BypassedMeasures(product)
        self.later, self.lost = DelayedResults(product), LostMethods(product)
        rules = (LibraryNames, ErrorClasses, ReplacedMethods, FixesForTests)
        self.others = [rule(product) for rule in rules]

    @property
    def words(self) -> set[str]:
        """By which the files of the start are searched."""
        found = self.values.words | self.passed.words | self.later.words | self.lost.words
        return found.union(*(rule.words for rule in self.others))

    def findings(
        self, files: Mapping[str, str], tests: Mapping[str, str], changed: Sides
    ) -> Iterator[Finding]:
        """`files` have one of the words, `tests` are those around the product."""
        yield from self.values.findings(files, tests)
        yield from self.passed.findings(files, tests)
        for rule in self.others:
            yield from rule.findings(tests)
        yield from self.later.findings({path: tests[path] for path in tests.keys() - changed})
        # A test that changed together with the product counts as it is now.
        now = {p: (changed[p][1] or "") if p in changed else text for p, text in tests.items()}
        yield from self.lost.findings(now)
