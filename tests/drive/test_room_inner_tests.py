"""Tests inside product files take part in replay and revert test."""

from __future__ import annotations

import sys

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.core.proof.clean_checkout import (
    FINAL_TREE_RUN,
    NOT_NEEDED,
    PASSED,
    REPLAY_RUN,
    REVERT_RUN,
    RoomRun,
)
from tests.drive.test_room_runs import NAME, end, make_run, rules_found
from tests.support.project import Project
from tests.torture.size import every

pytestmark = pytest.mark.room

MODULE = '''\
import unittest


def total(prices):
    """The sum.

    >>> total([1, 2])
    3
    """
    return sum(prices[1:])


class TotalTest(unittest.TestCase):
    def test_one(self):
        self.assertEqual(total([75]), 75)
'''
UNITTEST = "python3 -B -m unittest -v prices"
DOCTEST = "python3 -B -m doctest prices.py"

# Stands for cargo: it runs what the tests inside src/lib.rs compare.
CARGO = """\
import re, sys
text = open("src/lib.rs").read()
product, _, tests = text.partition("#[cfg(test)]")
body = re.search(r"fn fare\\(zones: u32\\) -> u32 {\\n +(.+)\\n", product)
failed = False
for name, sign, zones, cents in re.findall(
    r"#\\[test\\]\\s+fn (\\w+)\\(\\) {\\s+assert!?(_eq|)!?\\(fare\\((\\d+)\\)\\D+(\\d+)\\)", tests
):
    value = eval(body[1], {"zones": int(zones)}) if body else None
    fine = value == int(cents) if sign else value is not None and value >= int(cents)
    failed |= not fine
    print(f"test tests::{name} ... {'ok' if fine else 'FAILED'}")
print(f"test result: {'FAILED' if failed else 'ok'}.")
sys.exit(failed)
"""
FARE = """\
pub fn fare(zones: u32) -> u32 {
    200 + zones * 50
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_zone() {
        assert_eq!(fare(1), 200);
    }
}
"""
FARE_FIX = ("zones * 50", "(zones - 1) * 50")
TWO_ZONES = (
    "    }\n\n    #[test]\n    fn two_zones() {\n        assert_eq!(fare(2), 250);\n    }\n}\n"
)
RUST = f"{sys.executable} tools/cargo.py"


def begin(project, files: dict[str, str], check: str) -> Project:
    here: Project = project(files)
    started = here.run("start", "fix the failing tests", "--check", f"{NAME}={check}", "--yes")
    assert started.code == 0, started.err
    return here


def replay(here: Project) -> RoomRun:
    make_run(here, FINAL_TREE_RUN)
    return make_run(here, REPLAY_RUN)


CHEATS = {  # file, its text, the check, and how its tests are made green without the work
    "a weaker test": ("prices.py", MODULE, UNITTEST, ("assertEqual(total([75]), 75)", "total([])")),
    "another example": ("prices.py", MODULE, DOCTEST, ("    3\n", "    2\n")),
    "Rust": ("src/lib.rs", FARE, RUST, ("assert_eq!(fare(1), 200)", "assert!(fare(1) >= 200)")),
}


@pytest.mark.parametrize(
    ("path", "text", "check", "pair"), every(2, [*CHEATS.values()]), ids=every(2, [*CHEATS.keys()])
)
def test_a_weaker_test_in_a_product_file_fails_as_it_was_at_the_start(
    project, path: str, text: str, check: str, pair: tuple[str, str]
) -> None:
    here = begin(project, {path: text, "tools/cargo.py": CARGO}, check)
    here.write({path: text.replace(*pair)})

    assert rules_found(replay(here)) == [(MEDIUM, "fails-with-baseline-tests")]


def test_product_and_its_tests_in_one_file_are_proven(project) -> None:
    here = begin(project, {"src/lib.rs": FARE, "tools/cargo.py": CARGO}, RUST)
    here.write({"src/lib.rs": FARE.replace(*FARE_FIX).replace("    }\n}\n", TWO_ZONES)})
    end(here)

    assert [(run.kind, run.outcome) for run in here.ended.room.runs] == [
        (FINAL_TREE_RUN, PASSED),
        (REPLAY_RUN, NOT_NEEDED),
        (REVERT_RUN, PASSED),
    ]
    assert here.ended.verdict is not None
    assert here.ended.verdict.grade == "proven"


def test_a_rewritten_test_is_settled_if_it_passes_as_it_was(project) -> None:
    here = begin(project, {"src/lib.rs": FARE, "tools/cargo.py": CARGO}, RUST)
    text = FARE.replace(*FARE_FIX).replace("fare(1), 200", "fare(2), 250")
    here.write({"src/lib.rs": text})
    run = replay(here)

    assert (run.outcome, run.findings) == (PASSED, ())
    assert "src/lib.rs" in run.settled


def test_new_tests_in_a_product_file_that_pass_without_the_work_are_named(project) -> None:
    here = begin(project, {"src/lib.rs": FARE, "tools/cargo.py": CARGO}, RUST)
    here.write({"src/lib.rs": FARE.replace(*FARE_FIX).replace("fare(1), 200", "fare(1), 250")})

    assert rules_found(make_run(here, REVERT_RUN)) == [(MEDIUM, "passes-without-the-work")]


FORMATTER = """\
import sys
sys.exit("\\n\\n\\n\\n" in open("prices.py").read())
"""


@pytest.mark.long
def test_a_formatter_may_object_to_a_mixed_file(project) -> None:
    here: Project = project({"prices.py": MODULE, "tools/format.py": FORMATTER})
    checks = (f"{NAME}={UNITTEST}", f"format={sys.executable} tools/format.py")
    words = [word for check in checks for word in ("--check", check)]
    assert here.run("start", "fix the failing tests", *words, "--yes").code == 0
    end = MODULE.replace("prices[1:]", "prices").replace("TotalTest", "OtherTest")
    here.write({"prices.py": f"{end}\n\nLAST = 1\n"})
    run = replay(here)

    assert [check.passed for check in run.checks] == [True, True]
    assert run.findings == ()


def test_tests_that_cannot_be_put_back_are_a_question(project) -> None:
    here = begin(project, {"prices.py": MODULE}, UNITTEST)
    # The character stands for bytes that are no text, which could not be written back.
    changed = MODULE.replace("assertEqual(total([75]), 75)", "assertTrue('\ufffd')")
    here.write({"prices.py": changed})

    assert rules_found(replay(here)) == [(MEDIUM, "inner-tests-not-replayed")]
