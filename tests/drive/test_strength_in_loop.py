"""Strength in real loops: thin work goes back to the agent, and every screen says what was noticed."""

from __future__ import annotations

import time
from typing import Any

import pytest

from loopwright.cleanroom.time_limits import NO_LIMIT, TimeLimit
from loopwright.drive.proof.strength import budget
from tests.support.builders import a_loop, proof, with_check
from tests.support.hook import SESSION, block, stop
from tests.support.project import CommandResult, Project
from tests.support.runner import script

pytestmark = pytest.mark.room

UNITTEST = "python3 -B -m unittest"
SPEC = "add shipping and refund to cart.py"
CART = "def count(prices):\n    return len(prices)\n"
HEAD = "import unittest\n\nimport cart\n\n\nclass Cart(unittest.TestCase):\n"
COUNT_TEST = f"{HEAD}    def test_count(self):\n        self.assertEqual(cart.count([1]), 1)\n"
WORK = f"""{CART}

def shipping(weight):
    return 4 + weight


def refund(price, days):
    if days > 30:
        return 0
    if days > 14:
        return price / 2
    return price
"""
# The same interface without its sense: tests that fail there do not only miss a name.
STUB = f"{CART}\n\ndef shipping(weight):\n    return None\n\n\ndef refund(price, days):\n    return None\n"
THIN_TEST = f"{HEAD}    def test_shipping(self):\n        self.assertEqual(cart.shipping(1), 5)\n"
FULL_TEST = f"""{THIN_TEST}
    def test_refund(self):
        days = (1, 14, 15, 30, 31)
        self.assertEqual([cart.refund(8, day) for day in days], [8, 8, 4, 4, 0])
"""
FILES = {"cart.py": STUB, "test_cart.py": COUNT_TEST, ".gitignore": "__pycache__/\n"}
THIN = {"cart.py": WORK, "test_new.py": THIN_TEST}
CHECK = ("--check", f"tests pass={UNITTEST}")
DONE = block({"tests pass": True}, exit=True)
ONCE = ("--strength", "once")


def run(here: Project, *writes: dict[str, str], words: tuple[str, ...] = ONCE) -> CommandResult:
    path = script(here, *({"write": files, "say": DONE} for files in writes))
    return here.run("run", SPEC, "--script", path, *CHECK, "--yes", *words)


def end(here: Project) -> tuple[str, str]:
    verdict = here.ended.verdict
    assert verdict is not None
    return verdict.name, verdict.grade


def test_thin_parts_go_back_are_tested_and_the_loop_ends_as_tested(project) -> None:
    here = project(FILES)
    said = run(here, THIN, {"test_new.py": FULL_TEST})

    assert (said.code, end(here)) == (0, ("SHIP", "tested")), said.out
    (refuted,) = here.events("ClaimRefuted")
    assert refuted["why"] == "no check notices if parts of the work are taken away"
    assert "→ not shown yet: no check notices parts of the work (cart.py)" in said.out
    for words in ("report", "receipt"):
        shown = here.run(words).out
        assert "Strength: not thin." in shown, words
        assert "parts taken away: 2 of 2 noticed" in shown, words
    facts = here.run("receipt", "--json").json["strength"]
    assert (facts["result"], facts["mode"], facts["why"]) == ("not thin", "once", "")


def test_another_version_in_a_manifest_needs_no_test(project) -> None:
    package = '{"engines": {"node": ">=16"}}\n'
    here = project({**FILES, "package.json": package})
    run(here, {"package.json": package.replace("16", "20")})

    assert end(here) == ("MONITOR", "reported")
    assert not here.events("ClaimRefuted")


@pytest.mark.long
def test_thin_parts_that_are_removed_are_no_longer_thin(project) -> None:
    here = project(FILES)
    said = run(here, THIN, {"cart.py": WORK.partition("\n\ndef refund")[0]})

    assert (said.code, end(here)) == (0, ("SHIP", "tested")), said.out


@pytest.mark.long
def test_who_does_nothing_about_it_ends_as_monitor_with_the_list(project) -> None:
    here = project(FILES)
    said = run(here, THIN, {})

    assert (said.code, end(here)) == (10, ("MONITOR", "tested")), said.out
    assert "✗ cart.py:" in said.out
    assert len(here.events("StrengthMeasured")) == 1, "the same tree is measured once"


SHIPPING = """\
def shipping(weight):
    if weight > 2:
        return 4 + weight
    if weight == 2:
        return 3
    return weight * 2
"""
HOLLOW = f"{HEAD}    def test_shipping(self):\n        cart.shipping(1), cart.shipping(2), cart.shipping(3)\n"
HONEST = f"""{HEAD}    def test_shipping(self):
        self.assertEqual([cart.shipping(weight) for weight in (1, 2, 3)], [2, 3, 7])
"""


@pytest.mark.parametrize(
    "tests",
    [(HOLLOW, HONEST), pytest.param((HOLLOW, HOLLOW), marks=pytest.mark.long)],
    ids=["then asserts", "stays hollow"],
)
def test_tests_without_assertions_go_back_where_tests_are_the_work(project, tests) -> None:
    here = project({"cart.py": SHIPPING, ".gitignore": "__pycache__/\n"})
    words = ("start", "write tests for cart.py", *CHECK, "--may-change", "test_new.py", "--yes")
    assert here.run(*words, *ONCE).code == 0
    path = script(here, *({"write": {"test_new.py": text}, "say": DONE} for text in tests))
    said = here.run("run", "--script", path)

    assert "→ not shown yet: the new tests do not notice changes of the code" in said.out, said.out
    assert here.ended.verdict is not None
    assert (here.ended.verdict.name == "SHIP") is (tests[-1] is HONEST), said.out


def test_a_session_gets_the_places_in_its_prompt_and_a_proven_loop_keeps_exit_code_0(
    project,
) -> None:
    failing = f"{UNITTEST} && python3 -B -c 'import cart; assert cart.shipping(1) == 5'"
    here = project(FILES)
    check = ("--check", f"tests pass={failing}")
    here.run("start", SPEC, *check, "--yes", "--session", SESSION, *ONCE)
    here.write({"cart.py": WORK})
    prompt = stop(here, DONE).prompt

    assert prompt.startswith("not shown yet: no check notices parts of the work (cart.py)")
    assert "- cart.py:10: lines 10-14, from `if days > 30:` (no check runs it)" in prompt, prompt
    assert stop(here, DONE).prompt == ""
    assert end(here) == ("MONITOR", "proven")
    assert here.run("receipt").code == 0


@pytest.mark.parametrize(
    ("check_seconds", "left", "expected"),
    [
        (1.0, None, 300.0),  # a runner
        (1.0, 3240.0, 60.0),
        (40.0, 3240.0, 120.0),
        (600.0, 3240.0, 810.0),
        (40.0, 200.0, 50.0),
    ],
)
def test_the_budget(check_seconds: float, left: float | None, expected: float) -> None:
    evidence: Any = proof("tests pass", seconds=check_seconds)
    loop = a_loop(criteria=(with_check("tests pass", proof=evidence),))
    limit = NO_LIMIT if left is None else TimeLimit(time.monotonic() + left)

    assert budget(loop, limit) == pytest.approx(expected, abs=0.5)
