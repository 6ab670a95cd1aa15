"""What an agent's program says of its version, and what becomes of one that says nothing."""

from __future__ import annotations

import sys

import pytest

from loopwright.agents.versions import ask_version, version_number


def program(text: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", text]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        pytest.param(
            program("print(' 2.1.325 (Claude Code)\\nmore')"), "2.1.325 (Claude Code)", id="a line"
        ),
        pytest.param(program("print('1' * 5000)"), "1" * 80, id="a long line"),
        pytest.param(program(""), "", id="nothing"),
        pytest.param(["/nonexistent/program"], None, id="it is missing"),
        pytest.param(program("input()"), "", id="it asks something"),
    ],
)
def test_the_first_line_counts(words, line):
    assert ask_version(words) == line


def test_a_program_that_does_not_answer_is_ended():
    assert ask_version(program("import time; time.sleep(600)"), seconds=0.2) is None


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("2.1.325 (Claude Code)", "2.1.325"),
        ("codex-cli 0.166.0", "0.166.0"),
        ("GitHub Copilot CLI 1.0.102.", "1.0.102"),
        ("installed", ""),
        ("", ""),
    ],
)
def test_the_number_is_the_first_word_with_a_digit_in_front(line, number):
    assert version_number(line) == number
