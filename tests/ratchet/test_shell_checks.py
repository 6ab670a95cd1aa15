"""Product that disturbs the check script which runs it."""

from __future__ import annotations

import pytest

from loopwright.core.findings import LOW
from loopwright.ratchet import findings
from loopwright.repo.baseline import Change

LIBRARY = 'total() {\n    local sum=0\n    sum=$1\n    echo "$sum"\n}\n'
COUNTING = (
    ". ./lib/total.sh\nfailed=0\nexpect() {\n    total $1 > out\n"
    '    [ "$(cat out)" = "$2" ] || failed=$((failed + 1))\n}\nexpect "1 2" 3\nexit $failed\n'
)


def rules(check: str, *changes: Change) -> list[str]:
    rows = findings(changes, ("bash check.sh",), {"check.sh": check}.get)
    return [row.rule for row in rows if row.severity != LOW]


@pytest.mark.parametrize(
    "line",
    [
        "failed=0",
        "if [ -z $1 ]; then failed=0; fi",
        "((failed = 0))",
        "(( failed++ ))",
        "let failed=0",
    ],
)
def test_a_function_that_sets_the_counter_of_the_check_is_found(line: str) -> None:
    after = LIBRARY.replace("    sum=$1\n", f"    sum=$1\n    {line}\n")

    assert rules(COUNTING, Change("lib/total.sh", LIBRARY, after)) == ["process-setting-changed"]


@pytest.mark.parametrize(
    "after",
    [
        LIBRARY.replace("sum=$1", "count=0"),
        LIBRARY.replace("local sum=0", "local sum=0 failed=0").replace("sum=$1", "failed=1"),
        LIBRARY.replace("total() {", "total() (").replace("sum=$1", "failed=1").replace("}", ")"),
        LIBRARY.replace("sum=$1", 'echo "failed=0"'),
        LIBRARY.replace("sum=$1", "# failed=0"),
    ],
    ids=["another name", "local", "a shell of its own", "a text", "a comment"],
)
def test_variables_that_the_check_does_not_share_are_fine(after: str) -> None:
    assert rules(COUNTING, Change("lib/total.sh", LIBRARY, after)) == []


def test_a_name_that_the_check_only_assigns_results_to_is_fine() -> None:
    check = '. ./lib/total.sh\nresult=$(total 1 2)\n[ "$result" = 3 ] || exit 1\n'
    after = LIBRARY.replace("sum=$1", "result=$1")

    assert rules(check, Change("lib/total.sh", LIBRARY, after)) == []


ADD = '#!/bin/sh\nsum=0\nfor n in "$@"; do\n    sum=$n\ndone\necho "$sum"\n'
LOOP = (
    "while read -r numbers want; do\n    got=$(sh ./{name} $numbers)\n"
    '    [ "$got" = "$want" ] || exit 1\ndone < cases.txt\n'
)


@pytest.mark.parametrize(
    ("name", "before", "line"),
    [
        ("add.sh", ADD, "while read -r more; do\n    sum=$more\ndone"),
        ("add.sh", ADD, "more=$(cat)"),
        ("add.sh", ADD, "read -r first"),
        ("add.sh", ADD, "cat - | wc -l"),
        ("add.pl", "print 1;\n", "my @more = <STDIN>;"),
        ("add.py", "print(1)\n", "more = sys.stdin.read()"),
        ("add.rb", "puts 1\n", "more = $stdin.read"),
    ],
)
def test_a_program_that_reads_the_cases_of_the_check_is_found(
    name: str, before: str, line: str
) -> None:
    check = LOOP.replace("{name}", name)

    assert "product-detects-tests" in rules(check, Change(name, before, f"{before}{line}\n"))


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ("sh ./{name}", "while read -r more; do\n    sum=$more\ndone < more.txt"),
        ("sh ./{name}", 'cat "$file" | while read -r more; do\n    sum=$more\ndone'),
        ("sh ./{name}", "more=$(cat more.txt)"),
        ("sh ./{name} < /dev/null", "read -r first"),
        ("echo 1 | sh ./{name}", "read -r first"),
    ],
)
def test_a_program_with_an_input_of_its_own_is_fine(call: str, line: str) -> None:
    check = LOOP.replace("sh ./{name}", call).replace("{name}", "add.sh")

    assert rules(check, Change("add.sh", ADD, f"{ADD}{line}\n")) == []


def test_a_program_outside_of_a_loop_over_cases_may_read() -> None:
    check = '[ "$(echo 1 2 | sh ./add.sh)" = 3 ]\n'

    assert rules(check, Change("add.sh", ADD, f"{ADD}read -r first\n")) == []
