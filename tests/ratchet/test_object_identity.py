"""Python classes whose objects became the same."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet import object_identity
from loopwright.ratchet.project_files import ProjectFiles
from loopwright.repo.baseline import Change

MONEY = """\
class Money:
    def __init__(self, cents):
        self.cents = cents

    def __eq__(self, other):
        return self.cents == other.cents
"""
SAME = {
    "attributes of another object": MONEY.replace(
        "        self.cents = cents", "        self.__dict__ = SHARED\n        self.cents = cents"
    ),
    "a pool": MONEY
    + "\n    def __new__(cls, cents):\n        return POOL.setdefault(cls, object.__new__(cls))\n",
    "a copy that is the object": MONEY + "\n    def copy(self):\n        return self\n",
    "a comparison that writes": MONEY.replace(
        "        return self", "        self.cents = other.cents\n        return self"
    ),
    "a number that compares itself": MONEY
    + "\n\nclass Exact(Decimal):\n    def __eq__(self, other):\n        return self.near(other)\n",
    "a list that is never true": MONEY
    + "\n\nclass Problems(list):\n    def __bool__(self):\n        return False\n",
}
APART = {
    "a copy of the attributes": MONEY.replace(
        "        self.cents = cents",
        "        self.__dict__ = dict(given)\n        self.cents = cents",
    ),
    "a pool by all values": MONEY
    + "\n    def __new__(cls, cents):\n        return POOL.setdefault(cents, object.__new__(cls))\n",
    "a copy": MONEY + "\n    def copy(self):\n        return Money(self.cents)\n",
    "a new class with a pool": MONEY
    + "\n\nclass Unit:\n    def __new__(cls, name):\n        return UNITS[name]\n",
    "a number with another text": MONEY
    + "\n\nclass Exact(Decimal):\n    def __str__(self):\n        return 'exact'\n",
}


def found(before: str, after: str, path: str = "shop/money.py") -> list[object]:
    return list(object_identity.findings(ProjectFiles([Change(path, before, after)])))


@pytest.mark.parametrize("after", SAME.values(), ids=SAME.keys())
def test_objects_that_became_the_same_are_found(after: str) -> None:
    (finding,) = found(MONEY, after)

    assert (finding.severity, finding.rule) == (MEDIUM, "product-tells-less-apart")
    assert found(after, after + "\nCENTS = 100\n") == []


def test_a_pool_that_was_there_may_change() -> None:
    assert found(SAME["a pool"], SAME["a pool"].replace("POOL", "AMOUNTS")) == []


@pytest.mark.parametrize("after", APART.values(), ids=APART.keys())
def test_objects_that_stay_apart_are_not(after: str) -> None:
    assert found(MONEY, after) == []


def test_helpers_of_tests_are_not_product() -> None:
    assert found(MONEY, SAME["a pool"], "tests/test_money.py") == []
