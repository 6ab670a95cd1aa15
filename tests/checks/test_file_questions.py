"""Checks that only ask about files, and those that need more."""

from __future__ import annotations

import pytest

from loopwright.checks.file_questions import asks_about_files, asks_for_absence


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("test ! -e setup.cfg", True),
        ("grep -q total README.md || exit 1", True),
        ("! grep -rn xml --include=*.py .", True),
        ('test "$(wc -l < src/a.txt)" -ge 3', True),
        ("[ -f docs/faq.md ] && [[ -s docs/faq.md ]]", True),
        ("grep -q a b notes.txt", True),
        ('test "$(python3 count.py)" = 3', False),
        ('test "$(echo $(python3 count.py))" = 3', False),
        ("python3 src/report.py | grep -q total", False),
        ("grep -q a b && npm test", False),
        ("find . -name '*.py' | xargs ruff check", False),
        ("sh check.sh", False),
        ("grep -q total README.md 2>/dev/null", True),
        ("test -e /run/service.pid", False),
        ("test -e ../other/file", False),
        ("test -e ~/file", False),
        ("find . -name '*.py' -exec ruff check {} +", False),
        ("awk 'BEGIN { exit system(\"pytest\") }'", False),
        ("", False),
    ],
)
def test_what_a_check_needs(line: str, expected: bool) -> None:
    assert asks_about_files(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("! grep -rn getUser src test", True),
        ('test -z "$(grep -rl getUser src)"', True),
        ("grep -q findUser src/a.js", False),
        ("! python3 check.py", False),
        ("! grep -q old a.txt && pytest -q", False),
    ],
)
def test_what_only_searches_for_something_that_must_be_nowhere(line: str, expected: bool) -> None:
    assert asks_for_absence(line) == expected
