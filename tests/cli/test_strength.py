"""`loop strength` in a git project without a loop, and in one with a loop."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import pytest

from tests.support.project import Project

Make = Callable[..., Project]
UNITTEST = f"{sys.executable} -B -m unittest -q"
CHECK = ("--check", f"tests pass={UNITTEST}")
START = {
    "cart.py": "def total(prices):\n    return sum(prices)\n",
    "test_cart.py": "import unittest\nfrom cart import total\n\n\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(total([1, 2]), 3)\n",
}
WORK = """\
def total(prices, off=0):
    amount = sum(prices)
    if off:
        if off > amount:
            return 0
        rest = amount - off
        return round(rest, 2)
    return amount
"""
TESTS = (
    START["test_cart.py"]
    + "        self.assertEqual([total([5], 2), total([5], 5), total([5], 6), total([], 1)], [3, 0, 0, 0])\n"
)


def test_thin_work_exits_1_with_file_and_line(project: Make) -> None:
    here = project(START)
    here.write({"cart.py": WORK})

    said = here.run("strength", *CHECK, "--sarif", "found.sarif")

    assert said.code == 1, said
    assert said.out.startswith("Strength: thin.")
    assert "✗ cart.py:4: lines 4-7, from `if off > amount:` (no check runs it)" in said.out
    assert "preparing a clean checkout" in said.err
    report = json.loads((here.root / "found.sarif").read_text())
    lines = [
        r["locations"][0]["physicalLocation"]["region"]["startLine"]
        for r in report["runs"][0]["results"]
    ]
    assert 4 in lines
    assert not (here.root / ".loop").exists()


def test_thorough_work_exits_0_with_the_numbers_in_json(project: Make) -> None:
    here = project(START)
    here.write({"cart.py": WORK, "test_cart.py": TESTS})

    said = here.run("strength", *CHECK, "--json")

    assert said.code == 0, said
    assert said.json["result"] == "not thin"
    assert said.json["judged"] >= 4
    assert said.json["unrunLines"] == 0
    assert {item["file"] for item in said.json["items"]} == {"cart.py"}


def test_committed_work_is_measured_since_a_branch(project: Make) -> None:
    here = project(START)
    here.git("checkout", "-qb", "feature")
    here.write({"cart.py": WORK})
    here.commit()

    assert here.run("strength", *CHECK).code == 12
    assert here.run("strength", *CHECK, "--since", "main").code == 1


def test_a_red_check_exits_12_with_the_reason(project: Make) -> None:
    here = project(START)
    here.write({"cart.py": WORK, "test_cart.py": START["test_cart.py"].replace("3)", "4)")})

    said = here.run("strength", *CHECK)

    assert said.code == 12
    assert "Strength: not measured." in said.out
    assert "fails in the clean checkout already" in said.out


def test_the_work_of_a_loop_begins_at_its_start(project: Make) -> None:
    here = project(START)
    here.start("--check", f"cart works={UNITTEST}", "--without", "tests")
    here.write({"cart.py": WORK})
    here.commit()

    said = here.run("strength")

    assert said.code == 1, said
    assert "cart works: running it once" in said.err
    assert "no check runs 4 of" in said.out, "lines are also recorded in the sandbox of the loop"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--check", "pytest"), 64, "NAME=COMMAND"),
        (("--budget", "0"), 64, "a number of seconds above 0"),
        ((*CHECK, "--since", "nowhere"), 12, "--since main"),
        ((), 1, "Name a check"),
    ],
)
def test_a_mistake_names_the_way_out(
    project: Make, words: tuple[str, ...], code: int, message: str
) -> None:
    here = project({"a.txt": "words\n"})

    said = here.run("strength", *words)

    assert said.code == code, said
    assert message in said.err
