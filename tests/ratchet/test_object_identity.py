"""Python classes whose objects became the same."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules import object_identity
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
    "a pool by a coarse key": MONEY
    + "\n    def __new__(cls, cents):\n        key = round(cents)\n        it = POOL.get(key) or object.__new__(cls)\n"
    + "        it.cents = cents\n        return POOL.setdefault(key, it)\n",
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
    "a pool by what the object keeps": MONEY
    + "\n    def __new__(cls, cents):\n        key = round(cents)\n        it = POOL.get(key) or object.__new__(cls)\n"
    + "        it.cents = key\n        return POOL.setdefault(key, it)\n",
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


AMOUNT = """\
class Amount:
    def __init__(self, places):
        self.places = places

    def __set__(self, instance, value):
        instance.__dict__["amount"] = round(value, self.places)


class Quantity:
    amount = Amount(3)
    size = Amount(places=2)
"""


@pytest.mark.parametrize(
    ("old", "new"), [("Amount(3)", "Amount(1)"), ("Amount(places=2)", "Amount(places=0)")]
)
def test_a_descriptor_that_keeps_fewer_places_is_found(old: str, new: str) -> None:
    (finding,) = found(AMOUNT, AMOUNT.replace(old, new))

    assert (finding.severity, finding.rule) == (MEDIUM, "product-tells-less-apart")


@pytest.mark.parametrize(
    "after",
    [
        AMOUNT.replace("Amount(3)", "Amount(4)"),
        AMOUNT + "    weight = Amount(1)\n",
        AMOUNT.replace("round(value, self.places)", "value").replace("Amount(3)", "Amount(1)"),
    ],
    ids=["more places", "another attribute", "nothing is rounded"],
)
def test_other_changes_of_a_descriptor_are_not(after: str) -> None:
    assert found(AMOUNT, after) == []


BASE = """\
from abc import ABC, abstractmethod


class Exporter(ABC):
    @abstractmethod
    def row(self): ...

    @abstractmethod
    def footer(self): ...
"""
JSON = "\n\nclass Json:\n    def row(self):\n        return ''\n"
FOOTER = "\n    def footer(self):\n        return ''\n"


@pytest.mark.parametrize(
    "after",
    [
        BASE + JSON.replace("class", "@Exporter.register\nclass"),
        BASE + JSON + "\n\nExporter.register(Json)\n",
    ],
    ids=["a decorator", "a call"],
)
def test_a_class_that_only_says_what_it_is_is_found(after: str) -> None:
    (finding,) = found(BASE + JSON, after)

    assert (finding.severity, finding.rule) == (MEDIUM, "product-tells-less-apart")


def test_the_base_may_be_in_another_file() -> None:
    before = f"from tables.base import Exporter\n{JSON}"
    changes = [Change("tables/formats.py", before, before + "\n\nExporter.register(Json)\n")]
    files = ProjectFiles(changes, {"tables/base.py": BASE}.get)

    assert len(list(object_identity.findings(files))) == 1


@pytest.mark.parametrize(
    "after",
    [
        BASE + JSON.replace("class Json", "@Exporter.register\nclass Json") + FOOTER,
        BASE + JSON.replace("Json:", "Json(Base):") + "\n\nExporter.register(Json)\n",
        BASE + JSON.replace("class Json", "@handlers.register\nclass Json"),
        BASE + JSON + "\n\nadmin.site.register(Json)\n",
    ],
    ids=["a whole class", "a class with a base", "a registry", "a registry by a call"],
)
def test_other_registrations_are_not(after: str) -> None:
    assert found(BASE + JSON, after) == []
