"""SHAPE.md in its three spellings (A-10). What it says is read, never run."""

from __future__ import annotations

import pytest

from loopwright.core.criteria import Check, Criterion
from loopwright.importers import shape_md

PLAIN = """# Shape

Generated: 2026-01-29
Spec Score: 9/10

### Implementation Criteria

criteria:
- tests pass: all of them
- lint clean

### Must-NOT Constraints

mustNot:
- change the public API
- add dependencies
"""
FENCED = """# Shape

### Implementation Criteria

```yaml
criteria:
  - "tests pass: all of them"
  - 'lint clean'
mustNot:
  - "change the public API"
  - "add dependencies"
verification:
  tests pass: execution output
  lint clean: "code review"
```
"""
TABLE = """### Implementation Criteria
- tests pass: all of them
- lint clean

### Must-NOT Constraints
* change the public API
* add dependencies

### Verification

| Criterion | Verification Type | Command/Method |
|---|---|---|
| tests pass | execution output | `pytest -q` |
| lint clean | Observation | read the output |
"""


@pytest.mark.parametrize("text", [PLAIN, FENCED, TABLE], ids=["plain", "fenced", "table"])
@pytest.mark.parametrize(
    "spell",
    [str, lambda text: text.replace("\n", "\r\n"), lambda text: "\ufeff" + text],
    ids=["as is", "CRLF", "BOM"],
)
def test_a_10_the_three_spellings_say_the_same(text: str, spell) -> None:
    found = shape_md.read(spell(text))

    assert [c.name for c in found.criteria] == ["tests pass: all of them", "lint clean"]
    assert [c.name for c in found.must_not] == ["change the public API", "add dependencies"]


def test_a_command_waits_for_a_person() -> None:
    tests, lint = shape_md.read(TABLE).criteria

    assert tests.check == Check("pytest -q", origin="file", allowed=False)
    assert tests.planned == "execution output"
    assert lint == Criterion("lint clean", planned="observation", detailed=True)


def test_a_planned_verification_is_read_from_the_fence() -> None:
    assert [c.planned for c in shape_md.read(FENCED).criteria] == [
        "execution output",
        "code review",
    ]


@pytest.mark.parametrize(
    "lines",
    [
        ("  tests pass: execution output", "  Login: it works: observation"),
        ("- tests pass: execution output", "- Login: it works: observation"),
        ('  - "tests pass": execution output', '  - "Login: it works": Observation'),
    ],
    ids=["pairs", "a list", "an indented list with quotes"],
)
def test_planned_kinds_are_read_as_pairs_and_as_a_list(lines: tuple[str, ...]) -> None:
    text = "criteria:\n  - tests pass\n  - Login: it works\nverification:\n" + "\n".join(lines)

    read = shape_md.read(text).criteria

    assert [(c.name, c.planned) for c in read] == [
        ("tests pass", "execution output"),
        ("Login: it works", "observation"),
    ]


@pytest.mark.parametrize(
    "text",
    ["", "# nothing\n", "- a list\n- of things\n", "|" * 1000, "criteria:\n" * 1000, "- " * 10_000],
)
def test_what_says_nothing_is_nothing(text: str) -> None:
    assert shape_md.read(text).must_not == ()


def test_a_long_run_of_spaces_is_read_at_once() -> None:
    text = f"### Verification\n\n{' ' * 100_000}!\n### Criteria\n- a{' ' * 100_000}b\n"

    assert len(shape_md.read(text).criteria) == 1
