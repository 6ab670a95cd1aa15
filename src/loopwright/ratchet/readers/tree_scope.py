"""A test or a group of tests while it is read, and what holds at a place in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .matchers import matcher_assertions
from .suite import EXACT, LOOSE, Assertion, Test


class Here(NamedTuple):
    """What holds at a place of the file."""

    values: Mapping[str, str] = {}  # of the row of a table, and of the arguments of a helper
    literals: Mapping[str, str] = {}  # local names that stand for a literal
    results: Mapping[str, str] = {}  # names that stand for the result of a call
    reach: int = EXACT  # the most that an assertion can tell here (suite.py)
    depth: int = 0  # helpers that called helpers

    def at_most(self, reach: int) -> Here:
        return self._replace(reach=min(self.reach, reach))

    def with_values(self, values: Mapping[str, str]) -> Here:
        return self._replace(values={**self.values, **values}) if values else self


class Scope:
    def __init__(self, name: str = "", above: Scope | None = None, joined_by: str = " > ") -> None:
        self.name: str = f"{above.name}{joined_by}{name}" if above and above.name else name
        self.disabled_by: str = above.disabled_by if above else ""
        self.skip_condition: str = above.skip_condition if above else ""
        self.patience: float = above.patience if above else 0.0
        self.assertions: list[Assertion] = []
        self.steps: list[str] = [*above.steps] if above else []
        self.set_up_count = len(self.steps)
        self.expected_errors: list[tuple[str, int]] = []  # what the code must throw, and the line
        self.cases = 1
        # It says how many assertions run, so that none can be passed over.
        self.counts_assertions: bool = above.counts_assertions if above else False

    def disable(self, reason: str, is_certain: bool) -> None:
        if is_certain:
            self.disabled_by = self.disabled_by or reason
        else:
            self.skip_condition = self.skip_condition or reason

    def as_test(self, line: int) -> Test:
        own_steps = self.steps[self.set_up_count :]
        assertions = self.assertions
        for error, at in self.expected_errors:
            subject = own_steps[-1] if own_steps else self.name
            assertions = [*assertions, _error_assertion(subject, error, at)]
        if not assertions and own_steps:  # it asserts only that nothing is thrown
            text = "; ".join(own_steps)
            assertions = [Assertion(text, line, LOOSE, text)]
        return Test(
            name=self.name or "outside of tests",
            line=line,
            assertions=tuple(assertions),
            disabled_by=self.disabled_by,
            cases=self.cases,
            patience=self.patience,
            skip_condition=self.skip_condition,
            steps=tuple(self.steps),
        )


def _error_assertion(subject: str, error: str, line: int) -> Assertion:
    return next(matcher_assertions("toThrow", subject, [error], False, line))
