"""Where the reader of JavaScript is: the test or block around it, and what holds at a place."""

from __future__ import annotations

from typing import NamedTuple

from .javascript_parser import Values
from .suite import EXACT, Assertion


class Context(NamedTuple):
    """What holds at a place of the file."""

    values: Values
    reach: int = EXACT  # the most that an assertion can tell here (suite.py)
    helper_depth: int = 0

    def at_most(self, reach: int) -> Context:
        return self._replace(reach=min(self.reach, reach))

    def with_values(self, values: Values) -> Context:
        return self._replace(values={**self.values, **values}) if values else self


class Scope:
    """A test or a block of tests, and what is found in it."""

    def __init__(self, name: str = "", above: Scope | None = None) -> None:
        self.name = name
        self.disabled_by = ""
        self.skip_condition = ""
        self.patience = 0.0
        self.assertions: list[Assertion] = []
        self.steps: list[str] = []
        self.counts_assertions = False  # it says how many assertions run, so none is swallowed
        if above:
            self.name = f"{above.name} > {name}" if above.name else name
            self.disabled_by = above.disabled_by
            self.skip_condition = above.skip_condition
            self.patience = above.patience
            self.steps = [*above.steps]
            self.counts_assertions = above.counts_assertions
        self.set_up_count = len(self.steps)
