"""Product in the shell that a check script sources."""

from __future__ import annotations

import pytest

from loopwright.checks.shell_functions import is_shell_library
from loopwright.ratchet import findings
from loopwright.repo.baseline import Change

LIBRARY = '# Backups.\nKEPT=2\n\nnewest() {\n    ls "$1" | sort | head -n "$2"\n}\n'
CHECK = 'set -e\nfail() {\n    echo "$1"\n    exit 1\n}\n. ./lib/rotate.sh\n[ "$(newest . 1)" = b ] || fail newest\n'
OTHERS = {"test/run.sh": CHECK}
FIXED = LIBRARY.replace("head", "tail")
CHANGES_THE_CHECK = {
    "a statement outside of functions": f"set +e\n{FIXED}",
    "an end": f"{FIXED}exit 0\n",
    "a function of the check": FIXED + "fail() {\n    echo no\n}\n",
    "a program with which it compares": FIXED + "test() {\n    true\n}\n",
    "a file that is not there": FIXED + ". ./lib/other.sh\n",
}


def rules(*changes: Change) -> list[str]:
    return [f.rule for f in findings(changes, ("sh test/run.sh",), OTHERS.get)]


def test_the_functions_of_a_library_may_change() -> None:
    assert rules(Change("lib/rotate.sh", LIBRARY, FIXED)) == []
    assert rules(Change("lib/rotate.sh", LIBRARY, FIXED + "\noldest() { ls | head -n 1; }\n")) == []


def test_a_library_may_be_split() -> None:
    rest = Change("lib/rotate.sh", LIBRARY, "# Backups.\n. ./lib/newest.sh\n")
    body = FIXED.partition("\n\n")[2]

    assert rules(rest, Change("lib/newest.sh", None, body)) == []
    assert rules(rest, Change("lib/newest.sh", None, f"trap '' 0\n{body}")) == [
        "check-command-changed"
    ]


@pytest.mark.parametrize("after", CHANGES_THE_CHECK.values(), ids=CHANGES_THE_CHECK.keys())
def test_what_changes_the_check_is_found(after: str) -> None:
    assert rules(Change("lib/rotate.sh", LIBRARY, after)) == ["check-command-changed"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("lib/same.sh", 'same() {\n    [ "$1" = "$2" ] || exit 1\n}\n'),
        ("test/lib.sh", LIBRARY),
        ("lib/setup.sh", f"{LIBRARY}rm -rf build\n"),
        ("lib/values.sh", "KEPT=2\n"),
    ],
)
def test_helpers_and_steps_of_a_check_are_no_library(path: str, text: str) -> None:
    assert not is_shell_library(path, text)
