"""What holds at a statement of a Python test."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from .python_values import Values
from .suite import EXACT


class Module(Protocol):
    """What a body needs to know of its module."""

    constants: Values
    short_constants: Values

    def count_statement(self) -> None: ...


class Context(NamedTuple):
    """What holds at a statement. Statements change `values`."""

    values: Values
    reach: int = EXACT  # the most that an assertion can tell here (suite.py)
    helper_depth: int = 0
    rounds: int = 1  # of the loops around it

    def at_most(self, reach: int) -> Context:
        return self._replace(reach=min(self.reach, reach))

    def with_values(self, values: Values) -> Context:
        return self._replace(values=values)

    def copied(self) -> Context:
        return self.with_values(dict(self.values))
