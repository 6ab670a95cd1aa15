"""Errors that pause a loop, as the person reads them."""

import pytest

from loopwright.core.prompts.tool_errors import blocking_error_text

TEXTS = [
    (
        "Exit code 127 /bin/bash: line 1: frobnicate: command not found",
        "frobnicate is not installed",
    ),
    ("Exit code 127\n/bin/sh: 1: frobnicate: not found", "frobnicate is not installed"),
    ("zsh: command not found: frobnicate", "frobnicate is not installed"),
    (
        "Exit code 1 E ModuleNotFoundError: No module named 'yaml'",
        "the module yaml is not installed",
    ),
    (
        "Error: Cannot find module 'left-pad'\nRequire stack:",
        "the module left-pad is not installed",
    ),
    ("Exit code 1 cp: permission denied", "blocked by cp: permission denied"),
    ("command not found", "blocked by command not found"),
    ("Exit code 1", "blocked by Exit code 1"),
]


@pytest.mark.parametrize(("error", "text"), TEXTS)
def test_a_blocking_error_says_what_is_missing(error, text):
    assert blocking_error_text(error) == text
