"""Demands of the spec in real runs: what the agent names, what the revert test finds, and the end."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import pytest

from loopwright.core.prompts.demands import demand_lines
from tests.support.hook import SESSION, block, stop
from tests.support.project import Project
from tests.support.runner import script

pytestmark = pytest.mark.room

PYTEST = f"{sys.executable} -B -m pytest -q -p no:cacheprovider"
UNITTEST = "python3 -B -m unittest -v"
SPEC = (
    "Add `discount(price, percent)` to shop.py. It must round to two digits. "
    "Raise ValueError for a percentage above 100."
)
SHOP = "def total(prices):\n    return sum(prices)\n"
SHOP_TESTS = """\
import unittest

import shop


class Shop(unittest.TestCase):
    def test_total(self):
        self.assertEqual(shop.total([1, 2]), 3)
"""
WORK = SHOP + (
    "\n\ndef discount(price, percent):\n    if percent > 100:\n        raise ValueError(percent)\n"
    "    return round(price * (100 - percent) / 100, 2)\n"
)
# unittest starts five times as quickly as pytest, and a test here runs it ten times.
NEW_TESTS = """\
import unittest

import shop


class Discount(unittest.TestCase):
    def test_discount(self):
        self.assertEqual(shop.discount(10, 50), 5)

    def test_rounds(self):
        self.assertEqual(shop.discount(1.111, 0), 1.11)

    def test_too_much(self):
        with self.assertRaises(ValueError):
            shop.discount(1, 101)

    def test_calls(self):
        shop.discount(1, 2)
"""
OF_PYTEST = """\
import pytest

import shop


def test_discount():
    assert shop.discount(10, 50) == 5


@pytest.mark.parametrize("price", [1.111, 2.222])
def test_rounds(price):
    assert shop.discount(price, 0) == round(price, 2)


def test_too_much():
    with pytest.raises(ValueError):
        shop.discount(1, 101)
"""
# A check of the person that fails at the start.
RED_CHECK = f"{UNITTEST} && python3 -B -c 'import shop; shop.discount(1, 2)'"
FILES = {"shop.py": SHOP, "test_shop.py": SHOP_TESTS}
DONE = {"shop.py": WORK, "test_discount.py": NEW_TESTS}
HONEST = {
    1: "Discount.test_discount",
    2: "Discount.test_rounds",
    3: "Discount.test_too_much",
}


def begin(project, *words: str, spec: str = SPEC, check: str = UNITTEST, **files: str) -> Project:
    here: Project = project(FILES | files)
    check_words = ("--check", f"tests pass={check}") if check else ()
    said = here.run(
        "start", spec, *check_words, "--yes", "--room", "on", "--session", SESSION, *words
    )
    assert said.code == 0, said.err + said.out
    return here


def end(here: Project, shows: Mapping[int, str] | None = None) -> str:
    """The agent claims the end and names these tests; returns the prompt that it gets, or ""."""
    lines = [f"SHOWS: {number}: {test}" for number, test in (shows or {}).items()]
    return stop(here, block({"tests pass": True}, *lines, exit=True)).prompt


def lines_of(here: Project) -> list[str]:
    return demand_lines(here.ended)


def statuses(here: Project) -> list[str]:
    return [row["status"] for row in here.run("receipt", "--json").json["demands"]]


# --- named honestly, not at all, late ---


def test_tests_that_are_named_and_fail_without_the_work_show_the_demands(project) -> None:
    here = begin(project, check=PYTEST)
    here.write({"shop.py": WORK, "test_discount.py": OF_PYTEST})
    named = ("test_discount", "test_rounds", "test_too_much")

    assert end(here, {n: f"test_discount.py::{name}" for n, name in enumerate(named, 1)}) == ""
    verdict = here.ended.verdict
    assert (verdict.grade, statuses(here)) == ("tested", ["shown"] * 3)
    assert lines_of(here)[1] == (
        "2. It must round to two digits: shown by test_discount::test_rounds (2 cases), "
        "which fails without the work, only for want of a name or a file there"
    )


def test_who_names_nothing_is_asked_once_and_ends_as_monitor(project) -> None:
    here = begin(project, check=RED_CHECK)
    here.write(DONE)
    asked = end(here)

    assert asked.startswith("no test is named for 3 of 3 demands")
    assert "3. Raise ValueError for a percentage above 100." in asked
    assert here.loop.dialogue.refuted_claims == 0  # to be asked is no refutation
    assert end(here) == ""
    verdict = here.ended.verdict
    assert (verdict.name, verdict.proven, verdict.grade) == ("MONITOR", True, "proven")
    assert verdict.why.startswith("3 of 3 demands are shown by no test: 1. Add `discount")
    assert statuses(here) == ["not shown"] * 3
    assert len(here.events("DemandsAsked")) == 1
    assert here.events("DemandsTold") == []


@pytest.mark.long
def test_who_is_asked_may_name_the_tests_then(project) -> None:
    here = begin(project, check=RED_CHECK)
    here.write(DONE)

    assert end(here) != ""
    assert end(here, HONEST) == ""
    assert (here.ended.verdict.name, here.ended.verdict.grade) == ("SHIP", "proven")


def test_only_what_is_not_named_is_asked_for(project) -> None:
    here = begin(project)
    here.write(DONE)
    asked = end(here, {1: HONEST[1], 3: HONEST[3]})

    assert asked.startswith("no test is named for 1 of 3 demands")
    assert "2. It must round" in asked
    assert "1. Add" not in asked


# --- named falsely ---


FALSE_NAMES = {
    "test_discount.py::test_nothing": (
        "not shown: test_discount.py::test_nothing: no test of this name runs in the final files"
    ),
    "Discount.test_calls": (
        "not shown: Discount.test_calls: it asserts nothing: whatever the product returns, it passes"
    ),
    "Shop.test_total": (
        "kept (guard): test_total (test_shop.Shop.test_total) passes without the work too; "
        "so nothing shows that it is new"
    ),
}


def test_false_names_are_told_once_and_end_as_monitor(project) -> None:
    here = begin(project, check=RED_CHECK)
    here.write(DONE)
    told = end(here, dict(enumerate(FALSE_NAMES, 1)))

    assert told.startswith("3 of 3 demands are shown by no test: 1. Add `discount")
    assert all(words in told for words in FALSE_NAMES.values())
    assert end(here) == ""
    assert (here.ended.verdict.name, here.ended.verdict.grade) == ("MONITOR", "proven")
    assert statuses(here) == ["not shown", "not shown", "kept"]
    for line, words in zip(lines_of(here), FALSE_NAMES.values(), strict=True):
        assert line.endswith(words)
    assert len(here.events("DemandsTold")) == 1


def test_an_old_test_that_new_imports_keep_from_loading_is_kept(project) -> None:
    here = begin(project, check=RED_CHECK)
    beside = SHOP_TESTS.replace("import shop\n", "import shop\nfrom shop import discount\n")
    free = "\n    def test_free(self):\n        self.assertEqual(discount(10, 100), 0)\n"
    here.write(DONE | {"test_shop.py": beside + free})
    end(here, {1: "Shop.test_free", 2: "Discount.test_rounds", 3: "Shop.test_total"})

    assert end(here) == ""
    assert statuses(here) == ["shown", "shown", "kept"]


@pytest.mark.long
def test_who_is_told_may_name_another_test(project) -> None:
    here = begin(project, check=RED_CHECK)
    here.write(DONE)

    assert end(here, HONEST | {3: "Shop.test_total"}) != ""
    assert end(here, {3: HONEST[3]}) == ""
    assert here.ended.verdict.name == "SHIP"


@pytest.mark.long
def test_one_test_for_all_demands_is_allowed_and_each_line_says_so(project) -> None:
    amount = "        self.assertEqual(shop.discount(10, 50), 5)\n"
    refused = "        self.assertRaises(ValueError, shop.discount, 1, 101)\n"
    here = begin(project)
    here.write(DONE | {"test_discount.py": NEW_TESTS.replace(amount, amount + refused)})

    assert end(here, dict.fromkeys(HONEST, HONEST[1])) == ""
    first, second, third = lines_of(here)
    assert "the same test" not in first
    assert second.endswith("(the same test as demand 1)")
    assert third.endswith("(the same test as demand 1)")


def test_one_test_shows_only_demands_of_which_it_has_a_word(project) -> None:
    here = begin(project)
    here.write(DONE)

    told = end(here, dict.fromkeys(HONEST, HONEST[1]))
    assert "is named for another demand too, and says nothing that only this demand says" in told
    assert "is named for another demand too, and has no `ValueError`" in told
    assert end(here) == ""
    assert statuses(here) == ["shown", "not shown", "not shown"]
    assert here.ended.verdict.name == "MONITOR"


# --- other runners, checks and commands ---


@pytest.mark.long
def test_a_demand_to_keep_something_is_shown_by_a_test_that_passes_without_the_work(
    project,
) -> None:
    spec = "Add `discount(price, percent)` to shop.py. The totals must stay as they are."
    here = begin(project, spec=spec, check=RED_CHECK)
    here.write(DONE)

    assert end(here, {1: HONEST[1], 2: "test_total"}) == ""
    assert (here.ended.verdict.name, statuses(here)) == ("SHIP", ["shown", "kept"])


@pytest.mark.long
def test_a_demand_that_the_check_covers_needs_no_name(project) -> None:
    here = begin(project, spec="Add `discount` to shop.py. All tests must pass.")
    here.write(DONE)

    assert end(here, {1: HONEST[1]}) == ""
    assert statuses(here) == ["shown", "kept"]
    assert lines_of(here)[1] == (
        "2. All tests must pass: kept (guard): tests pass passes without the work too"
    )


@pytest.mark.long
def test_a_test_of_unittest_is_found_by_class_and_name(project) -> None:
    tests = (
        "import unittest\n\nimport shop\n\n\nclass Discount(unittest.TestCase):\n"
        "    def test_half(self):\n        self.assertEqual(shop.discount(10, 50), 5)\n\n"
        "    def test_high(self):\n        with self.assertRaises(ValueError):\n"
        "            shop.discount(1, 101)\n"
    )
    old = tests.replace("Discount", "Total").partition("    def test_high")[0]
    old = old.replace("shop.discount(10, 50)", "shop.total([5])")
    spec = "Add `discount` to shop.py. Raise ValueError for a percentage above 100."
    here = begin(project, spec=spec, check=UNITTEST, **{"test_shop.py": old})
    here.write({"shop.py": WORK, "test_discount.py": tests})

    assert end(here, {1: "Discount.test_half", 2: "test_discount.Discount.test_high"}) == ""
    assert (here.ended.verdict.grade, statuses(here)) == ("tested", ["shown"] * 2)


@pytest.mark.long
def test_a_check_that_was_red_shows_a_demand_and_a_guard_does_not(project) -> None:
    guard = f"nothing broke={UNITTEST} test_old"
    old = "import unittest\n\n\nclass Old(unittest.TestCase):\n    def test_one(self):\n        pass\n"
    here = begin(project, "--check", guard, check=RED_CHECK, **{"test_old.py": old})
    here.write(DONE)
    told = end(here, {1: "tests pass", 2: "nothing broke", 3: HONEST[3]})

    assert "2. It must round to two digits: kept (guard): nothing broke passes without" in told
    end(here)
    assert statuses(here) == ["check", "kept", "shown"]


def test_a_check_that_names_no_tests_shows_what_its_new_form_asks_for(project) -> None:
    check = "#!/bin/sh\nset -e\npython3 -B -c 'import shop; assert shop.total([1]) == 1'\n"
    asks = "python3 -B -c 'import shop; assert shop.discount(1.111, 0) == 1.11'\n"
    here = begin(project, check="sh test.sh", **{"test.sh": check})
    here.write({"shop.py": WORK, "test.sh": check + asks})
    end(here, dict.fromkeys((1, 2, 3), "tests pass"))

    assert (here.ended.verdict.grade, statuses(here)) == ("tested", ["shown"] * 3)


COMMAND = "$ python3 -B -c 'import shop; assert shop.discount(1.111, 0) == 1.11'"


def test_a_command_of_the_agent_shows_a_demand_once_the_person_allows_it(project) -> None:
    here = begin(project, check=RED_CHECK)
    here.write(DONE)
    told = end(here, HONEST | {2: COMMAND})
    assert "2. It must round to two digits: not shown" in told
    assert "no person has allowed the command" in told

    allowed = here.run("allow", "--yes")
    assert allowed.code == 0, allowed.err
    assert COMMAND.removeprefix("$ ") in allowed.out
    assert end(here) == ""
    assert (here.ended.verdict.name, statuses(here)) == ("SHIP", ["shown"] * 3)


def test_without_a_clean_checkout_nothing_is_asked_and_nothing_is_shown(project) -> None:
    here = begin(project, "--room", "off", check=RED_CHECK)
    here.write(DONE)

    assert end(here, HONEST) != ""  # what was named is not shown, and the agent hears it once
    assert end(here) == ""
    assert (here.ended.verdict.name, here.ended.verdict.grade) == ("MONITOR", "proven-in-place")


# --- the start ---


@pytest.mark.long
def test_a_spec_of_one_sentence_notices_nothing(project) -> None:
    here = begin(project, spec="Add `discount(price, percent)` to shop.py")

    assert here.loop.demands is None
    assert "demands" not in here.state
    assert here.run("status", "--json").json["demands"] == []
    here.write(DONE)
    assert end(here) == ""


def test_demands_that_are_typed_replace_those_of_the_spec(project) -> None:
    here = begin(project, "--demand", "half is half", "--demand", "101 is an error")

    assert [d.text for d in here.loop.demands.items] == ["half is half", "101 is an error"]
    assert here.loop.demands.origin == "typed"


def test_the_start_screen_the_board_and_the_mirror_list_the_demands(project) -> None:
    here: Project = project(FILES)
    draft = here.run("start", SPEC, "--dry-run").out

    assert "The spec makes 3 demands; the agent names a test for each:" in draft
    assert "2. It must round to two digits." in draft
    here = begin(project)
    claimed = here.run("claim", "--shows", f"2: {HONEST[2]}")
    assert claimed.code == 0, claimed.err
    assert f"2. It must round to two digits. ← {HONEST[2]}" in here.run("status").out
    assert here.state["demands"][1] == {
        "number": 2,
        "text": "It must round to two digits.",
        "shownBy": HONEST[2],
        "status": "",
    }
    assert here.state["criteriaStatus"] == {"tests pass": True}


def test_a_claim_for_a_demand_that_is_not_there_lists_the_demands(project) -> None:
    here = begin(project)
    said = here.run("claim", "--shows", "4: test_total")

    assert said.code == 1
    assert "got '4: test_total'. The demands:\n1. Add `discount" in said.err


# --- unattended, and every screen at the end ---


@pytest.mark.long
def test_an_unattended_run_shows_each_demand_beside_its_test(project) -> None:
    here: Project = project(FILES)
    lines = [f"SHOWS: {number}: {test}" for number, test in HONEST.items()]
    done = block({"tests pass": True}, *lines, exit=True)
    turns = script(here, {"write": DONE, "say": done})
    said = here.run(
        *("run", SPEC, "--script", turns),
        *("--check", f"tests pass={UNITTEST}", "--yes"),
    )

    assert said.code == 0, said.err + said.out  # tested, and the tests are strong
    named = "shown by test_too_much (test_discount.Discount.test_too_much)"
    sentence = "Raise ValueError for a percentage above 100."
    assert f"{sentence}: {named}" in said.out
    assert f"{sentence}: {named}" in here.run("report").out
    assert f"| 3. {sentence} | {named}" in here.run("receipt").out
    assert here.state["demands"][2]["status"] == "shown"
    assert "Demands of the spec" in here.run("report", "--html").out
