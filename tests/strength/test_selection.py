"""Which tests are enough for a slow suite, as far as the runner can name them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.cleanroom.findings import CheckRun
from loopwright.core.criteria import Check, Evidence
from loopwright.strength.check_runs import MeasuredCheck
from loopwright.strength.measure import measure_strength
from loopwright.strength.selection import select_tests
from tests.strength.measured import a_room, changed, measure

PYTHON = {
    "shop/__init__.py": "",
    "shop/cart.py": "from .coupon import half\n",
    "shop/coupon.py": "def half(a):\n    return a / 2\n",
    "shop/other.py": "",
    "tests/test_cart.py": "from shop.cart import half\n",
    "tests/test_other.py": "import shop.other\n",
    "tests/test_coupon.py": "from shop import coupon\n",
}
GO = {
    "go.mod": "module example.com/shop\n",
    "a/a.go": "package a\n",
    "b/b.go": 'package b\n\nimport "example.com/shop/a"\n',
    "c/c.go": "package c\n",
}
CARGO = {"one/Cargo.toml": '[package]\nname = "first"\n', "one/src/lib.rs": ""}
JEST = {"package.json": json.dumps({"scripts": {"test": "jest"}}), "lib/a.js": ""}


@pytest.mark.parametrize(
    ("files", "path", "command", "selected"),
    [
        (
            PYTHON,
            "shop/coupon.py",
            "pytest -q",
            "pytest -q tests/test_cart.py tests/test_coupon.py",
        ),
        (PYTHON, "shop/other.py", "python3 -m pytest", "python3 -m pytest tests/test_other.py"),
        (
            PYTHON,
            "shop/coupon.py",
            "PYTHONPATH=src python3 -B -m pytest -q tests/",
            "PYTHONPATH=src python3 -B -m pytest -q tests/test_cart.py tests/test_coupon.py",
        ),
        (PYTHON, "shop/coupon.py", "pytest ./tests/test_cart.py", "pytest tests/test_cart.py"),
        (GO, "a/a.go", "go test ./...", "go test ./a ./b"),
        (CARGO, "one/src/lib.rs", "cargo test -q", "cargo test -q -p first"),
        (JEST, "lib/a.js", "npm run test", "npx jest --findRelatedTests lib/a.js"),
    ],
)
def test_the_command_for_some_tests(
    tmp_path: Path, files: dict[str, str], path: str, command: str, selected: str
) -> None:
    a_room(tmp_path, files)
    subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)

    found = select_tests(Check(command), str(tmp_path), (path,))

    assert found is not None
    assert found.check.command == selected
    assert found.words


@pytest.mark.parametrize(
    "command",
    ["make test", "pytest -q && ruff check", "pytest -k half tests", "cd a && go test ./..."],
)
def test_no_selection_where_the_command_is_more_than_one_runner(
    tmp_path: Path, command: str
) -> None:
    a_room(tmp_path, PYTHON)

    assert select_tests(Check(command), str(tmp_path), ("shop/coupon.py",)) is None


def test_a_slow_suite_without_a_selection_is_not_measured(tmp_path: Path) -> None:
    """Each run takes so long that control and items do not fit."""
    before = {"a.py": "def f():\n    return 1\n", "test_a.py": ""}
    test = "import time, unittest\nfrom a import f\n\n\nclass T(unittest.TestCase):\n    def test(self):\n        time.sleep(3)\n        self.assertEqual(f(), 2)\n"
    command = f"{sys.executable} -B -m unittest -q"

    strength = measure(
        tmp_path, before, {"a.py": "def f():\n    return 2\n", "test_a.py": test}, command, budget=9
    )

    assert not strength.is_measured
    assert strength.unmeasured


def test_only_the_tests_that_reach_the_change_run_and_no_line_counts_as_unrun(
    tmp_path: Path,
) -> None:
    """The whole suite took ten minutes when it ran last."""
    coupon = "def half(a):\n    if a < 0:\n        return 0\n    return a / 4\n"
    test = "from shop.coupon import half\n\n\ndef test_half():\n    assert [half(4), half(0)] == [1, 0]\n"
    slow = "def test_other():\n    raise AssertionError('it must not run')\n"
    files = {
        "shop/__init__.py": "",
        "shop/coupon.py": coupon,
        "test_coupon.py": test,
        "test_other.py": slow,
    }
    room = a_room(tmp_path, files)
    subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)
    evidence = Evidence("tests pass", passed=True, seconds=600.0)
    command = f"{sys.executable} -m pytest -q"
    check = MeasuredCheck("tests pass", Check(command), CheckRun(evidence))

    strength = measure_strength(
        room, [changed("shop/coupon.py", coupon, PYTHON["shop/coupon.py"])], [check], 3000
    )

    assert "the test files that import the changed files (1)" in strength.selection
    assert strength.noticed
    assert strength.unrun_lines == 0
    assert strength.other_lines == 1
