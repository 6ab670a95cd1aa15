"""Every row of the word lists of product rules: its example is found, its look-alike is not."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM, Finding
from loopwright.ratchet.product_rules import test_detection
from loopwright.ratchet.product_rules.process_words import PROCESS_WORDS
from loopwright.ratchet.product_rules.test_words import WORDS
from loopwright.ratchet.project import Project
from loopwright.repo.baseline import Change

WORD_ROWS = [(word, f"lib/price{word.suffixes[0]}") for word in (*WORDS, *PROCESS_WORDS)]


def detections(path: str, before: str | None, after: str | None) -> list[Finding]:
    return list(test_detection.find(Project([Change(path, before, after)])))


@pytest.mark.parametrize(("word", "path"), WORD_ROWS, ids=[w.example for w, _ in WORD_ROWS])
def test_each_word_is_found_and_its_look_alike_is_not(word, path) -> None:
    start = "<?php\n" if path.endswith(".php") else ""

    (found,) = detections(path, start, f"{start}{word.example}\n")

    assert (found.severity, found.rule) == (MEDIUM, word.rule)
    assert found.after == word.example.strip()
    assert detections(path, start, f"{start}{word.look_alike}\n") == []
    assert detections(path, f"{start}{word.example}\n", f"{start}{word.example}\nx\n") == []


@pytest.mark.parametrize("word", [w for w, _ in WORD_ROWS if w.in_library], ids=lambda w: w.example)
def test_a_program_may_end_itself(word) -> None:
    assert detections(f"bin/tool{word.suffixes[0]}", "", f"{word.example}\n") == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("app.py", 'def f():\n    """Runs under pytest too."""'),
        ("app.py", "# see tests/test_app.py"),
        ("app.py", '"the tests of a project are in the folder",'),
        ("src/app.js", "// jest sets JEST_WORKER_ID"),
        ("setup.py", '"pytest>=8",'),
        ("setup.py", "tests_require = ['pytest']"),
        ("tests/helpers.py", "import pytest"),
        ("benchmarks/compare.js", "const rows = require('../test/fixtures/rows')"),
        ("suite.go", 'Tests []Test `json:"tests"`'),
    ],
)
def test_comments_sentences_packages_and_tests_are_no_detection(path: str, line: str) -> None:
    assert detections(path, "x = 1\n", f"x = 1\n{line}\n") == []


def test_a_module_that_looks_at_frames_may_do_so_again() -> None:
    logger = "frame = sys._getframe(1)\n"
    assert detections("log.py", logger, f"{logger}caller = sys._getframe(2)\n") == []


def test_a_plugin_for_testers_may_name_its_runner() -> None:
    plugin = "import pytest\n"
    assert detections("plugin.py", plugin, f"{plugin}x = pytest.fixture\n") == []
    assert detections("plugin.py", plugin, f"{plugin}x = 'PYTEST_XDIST_WORKER' in os.environ\n")


def test_inline_tests_of_rust_are_no_product() -> None:
    tests = "#[cfg(test)]\nmod tests {\n    use std::process::exit;\n    // cfg!(test)\n}\n"
    assert detections("src/lib.rs", "fn f() {}\n", f"fn f() {{}}\n{tests}") == []


@pytest.mark.parametrize(
    ("path", "head", "line"),
    [
        ("src/app.js", "const fs = require('fs');\n", "fs.existsSync = () => true;"),
        ("src/app.mjs", "import fs from 'fs';\n", "Object.defineProperty(fs, 'a', {});"),
        ("app.py", "import math\n", "math.floor = int"),
        ("app.py", "import math\n", "setattr(math, 'floor', int)"),
    ],
)
def test_a_part_of_a_library_that_is_replaced_is_found(path: str, head: str, line: str) -> None:
    assert detections(path, head, f"{head}{line}\n")


def test_a_part_of_the_project_may_be_set() -> None:
    own = "const state = require('./state');\n"
    assert detections("src/app.js", own, f"{own}state.open = true;\n") == []
    assert detections("app.py", "import cart\n", "import cart\ncart.limit = 3\n") == []
    example = "/** const glob = require('glob'); */\n"  # how to use the file itself
    assert detections("glob.js", example, f"{example}glob.scan = (path) => [];\n") == []


def test_a_line_that_moved_between_files_or_a_file_that_is_gone_is_not_found() -> None:
    moved = [Change("a.py", "os._exit(0)\n", "x\n"), Change("b.py", "y\n", "y\nos._exit(0)\n")]
    assert list(test_detection.find(Project(moved))) == []
    assert detections("a.py", "os._exit(0)\n", None) == []


def test_a_template_of_code_is_read_as_the_code_that_it_writes() -> None:
    assert detections("src/app.py.in", "x = 1\n", "x = 1\nos._exit(0)\n")


def test_only_the_first_lines_of_a_file_are_named() -> None:
    lines = "".join(f"os._exit({code})\n" for code in range(9))
    assert len(detections("a.py", "", lines)) == test_detection.MAX_FINDINGS_OF_FILE


@pytest.mark.parametrize(
    "after",
    [
        "old = sys.stdout\nsys.stdout = log\nrun()\nsys.stdout = old\n",
        "def run(): ...\n\nif __name__ == '__main__':\n    sys.stdout = log\n",
    ],
)
def test_a_setting_that_is_undone_or_of_a_program_is_fine(after: str) -> None:
    assert detections("app.py", "", after) == []
    assert detections("bin/app.py", "", "sys.stdout = log\n") == []


def test_a_setting_that_the_file_had_in_other_words_is_fine() -> None:
    assert detections("app.py", "sys.stdout = log\n", "sys.stdout = other\n") == []


@pytest.mark.parametrize(
    ("value", "is_found"),
    [("code", True), ("ok ? 0 : 1", True), ("1", False), ("process.exitCode || 2", False)],
)
def test_an_exit_code_of_a_script_that_may_become_zero(value: str, is_found: bool) -> None:
    assert bool(detections("src/a.js", "", f"process.exitCode = {value};\n")) is is_found
