"""Examples of Rust, lists of steps and rows of data, which a check reads."""

from __future__ import annotations

import pytest

from loopwright.checks.references import is_listed_file, referenced_kind
from loopwright.checks.test_files import DATA
from loopwright.ratchet import findings
from loopwright.repo.baseline import Change

RUST = "/// Says it.\n///\n/// ```\n/// assert_eq!(fare(3), 300);\n/// ```\npub fn fare() {}\n"


@pytest.mark.parametrize(
    ("after", "is_found"),
    [
        (RUST.replace("```\n/// assert", "```no_run\n/// assert"), True),
        (RUST.replace("```\n/// assert", "```ignore\n/// assert"), True),
        ("/// Says it.\npub fn fare() {}\n", True),
        (RUST.replace("fare(3), 300", "fare_of(3), 300"), False),
        (RUST.replace("pub fn fare() {}", "pub fn fare() { }"), False),
    ],
)
def test_an_example_of_rust_that_is_no_longer_run_is_named(after: str, is_found: bool) -> None:
    found = findings([Change("src/lib.rs", RUST, after)], ["cargo test"])

    assert ("expected-data-changed" in {finding.rule for finding in found}) == is_found
    assert not findings([Change("src/lib.rs", RUST, after)], ["cargo build"])


@pytest.mark.parametrize(
    ("makefile", "kind"),
    [
        ("test:\n\tfor name in $$(cat packages.txt); do make -C $$name; done\n", DATA),
        ("NAMES := $(shell cat packages.txt)\n", DATA),
        ("test:\n\tcat packages.txt | xargs -n 1 sh check.sh\n", DATA),
        ("signs.py: packages.txt\n\tpython3 make_signs.py packages.txt\n", ""),
    ],
)
def test_a_list_from_which_a_makefile_takes_its_steps_is_data(makefile: str, kind: str) -> None:
    texts = {"Makefile": makefile}

    assert referenced_kind("packages.txt", "a\nb\n", texts, frozenset()) == kind


def test_cases_that_are_gone_or_changed_may_be_listed_by_a_check() -> None:
    assert is_listed_file("cases/two.in", "1\n", None)
    assert is_listed_file("cases/two.out", "1\n", "2\n")
    assert is_listed_file("cases/new.txt", None, "2\n")
    assert not is_listed_file("config/app.yaml", "a: 1\n", "a: 2\n")
    assert not is_listed_file("src/app.py", "a = 1\n", None)


@pytest.mark.parametrize(
    ("before", "after", "is_found"),
    [
        ("[[1, 2]]\n", "[[1, 2], [3, 4]]\n", False),
        ("[[1, 2]]\n", "[[1, 3], [3, 4]]\n", True),
        ('{"a": [1]}\n', '{"a": [1], "b": 2}\n', False),
        ('{"a": [1]}\n', '{"a": [1, 2], "b": 2}\n', True),
    ],
)
def test_what_joins_data_on_one_line_takes_nothing_away(before: str, after: str, is_found: bool):
    found = findings([Change("testdata/fares.json", before, after)], ["go test ./..."])

    assert ("expected-data-changed" in {finding.rule for finding in found}) == is_found
