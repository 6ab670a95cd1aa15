"""Parts of the product that change the product around each test."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM, Finding
from loopwright.ratchet.project import Project
from loopwright.ratchet.test_rules import fixture_patches
from loopwright.repo.baseline import Change

PROJECT = {"shop/__init__.py": "", "shop/rates.py": "STEP = 5\n", "till.py": "MODE = 1\n"}
START = (
    "import time\n\nimport pytest\n\nimport till\nfrom shop import rates\n\n\n"
    "@pytest.fixture\ndef account():\n    return {}\n"
)


def found(path: str, before: str | None, after: str) -> list[Finding]:
    files = Project([Change(path, before, after)], PROJECT.get)
    return list(fixture_patches.find(files))


AROUND = "\n\n@pytest.fixture(autouse=True)\ndef bank(monkeypatch):\n    "
PATCHING = {
    "a fixture for every test": f"{START}{AROUND}monkeypatch.setattr(rates, 'STEP', 1)\n",
    "a module at the top": f"{START}{AROUND}till.MODE = 2\n",
    "a name in a text": f"{START}{AROUND}monkeypatch.setattr('shop.rates.STEP', 1)\n",
    "a patch of unittest": f"{START}{AROUND}mock.patch.object(rates, 'STEP', 1).start()\n",
    "a fixture that was there": START.replace("return {}", "rates.STEP = 1\n    return {}"),
    "a base class": (
        f"{START}\n\nclass Case(TestCase):\n    def setUp(self):\n        rates.STEP = 1\n"
    ),
    "a hook": f"{START}\n\ndef pytest_configure(config):\n    setattr(rates, 'STEP', 1)\n",
}


@pytest.mark.parametrize("after", PATCHING.values(), ids=PATCHING.keys())
def test_a_part_for_testers_that_changes_the_product_needs_a_look(after: str) -> None:
    (finding,) = found("shop/testing.py", START, after)

    assert (finding.severity, finding.rule) == (MEDIUM, "unit-under-test-replaced")
    assert found("shop/testing.py", after, f"{after}\nx = 1\n") == []


HONEST = {
    "a new fixture that tests ask for": (
        f"{START}\n\n@pytest.fixture\ndef preview(monkeypatch):\n"
        "    monkeypatch.setattr(rates, 'STEP', 1)\n"
    ),
    "another module than the product's": f"{START}{AROUND}monkeypatch.setattr(time, 'sleep', id)\n",
    "a value of its own": START.replace(
        "return {}", "bag = Bag()\n    bag.size = 1\n    return bag"
    ),
    "a variable of the environment": f"{START}{AROUND}monkeypatch.setenv('TZ', 'UTC')\n",
    "an ordinary function": f"{START}\n\ndef use_step(step):\n    rates.STEP = step\n",
}


@pytest.mark.parametrize("after", HONEST.values(), ids=HONEST.keys())
def test_other_parts_for_testers_do_not(after: str) -> None:
    assert found("shop/testing.py", START, after) == []


def test_tests_and_their_helpers_are_compared_elsewhere() -> None:
    after = PATCHING["a fixture for every test"]

    assert found("tests/conftest.py", None, after) == []
    assert found("tests/test_shop.py", None, after) == []
