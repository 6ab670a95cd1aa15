"""The status of a phase in ROADMAP.md: one line is changed, in the section of that phase and nowhere else."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.formats.gsd_roadmap import phase_status, set_phase_status
from tests.torture.size import size

SEED = """# Roadmap: v0.6.0

**Status:** of the whole

## Phase 1: Loop Mechanism
**Goal:** loops

```markdown
**Status:** only shown
```

**Status:** DISCUSSED
**Depends on:** nothing

### Delivers
- **Status:** not this one

## Phase 2: More

- **Status**:  PLANNED  <!-- ask Ann -->  \t

## Phase 10: Much later
**Status:** IDEA
"""


def delta(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines that went, and those that came."""
    rows = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    return [row[2:] for row in rows if row.startswith("- ")], [
        row[2:] for row in rows if row.startswith("+ ")
    ]


MARKED = {
    "1": ("**Status:** DISCUSSED", "**Status:** COMPLETE"),
    "01": ("**Status:** DISCUSSED", "**Status:** COMPLETE"),
    "phase-1": ("**Status:** DISCUSSED", "**Status:** COMPLETE"),
    "2": (
        "- **Status**:  PLANNED  <!-- ask Ann -->  \t",
        "- **Status**:  COMPLETE  <!-- ask Ann -->  \t",
    ),
    "10": ("**Status:** IDEA", "**Status:** COMPLETE"),
}


@pytest.mark.parametrize(("phase", "change"), MARKED.items(), ids=MARKED)
def test_one_line_changes(phase: str, change: tuple[str, str]) -> None:
    after = set_phase_status(SEED, phase, "COMPLETE")

    assert delta(SEED, after) == ([change[0]], [change[1]])
    assert phase_status(after, phase) == "COMPLETE"


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_the_ends_of_the_lines_stay(end: str) -> None:
    text = "\ufeff" + SEED.replace("\n", end)

    assert set_phase_status(text, "1", "PLANNED") == text.replace("DISCUSSED", "PLANNED")


HEADINGS = [
    "## Phase 1: A",
    "### Phase 01 A",
    "# Phase 1 - A",
    "## phase 1",
    "## [x] Phase 1. A",
    "## ✅ **Phase 1**: A",
    "###### Phase-1",
]


@pytest.mark.parametrize("heading", HEADINGS)
def test_every_spelling_of_a_heading(heading: str) -> None:
    text = f"# Map\n\n{heading}\n**Status:** PLANNED\n"

    assert set_phase_status(text, "1", "COMPLETE") == f"# Map\n\n{heading}\n**Status:** COMPLETE\n"


STATUSES = {
    "of two words": ("**Status:** IN PROGRESS (2/7)", "IN PROGRESS (2/7)", "**Status:** COMPLETE"),
    "with another label behind": (
        "**Status:** PLANNED | **Tasks:** 7",
        "PLANNED",
        "**Status:** COMPLETE | **Tasks:** 7",
    ),
    "with another label at once": (
        "**Status:** PLANNED **Tasks:** 7",
        "PLANNED",
        "**Status:** COMPLETE **Tasks:** 7",
    ),
    "bold": ("**Status:** ✅ **DONE**", "✅ **DONE**", "**Status:** COMPLETE"),
    "empty": ("**Status:**", "", "**Status:** COMPLETE"),
    "underlined": ("__Status__: PLANNED", "PLANNED", "__Status__: COMPLETE"),
}


@pytest.mark.parametrize(("line", "said", "after"), STATUSES.values(), ids=STATUSES)
def test_every_spelling_of_a_status(line: str, said: str, after: str) -> None:
    text = f"## Phase 1\n{line}\n"

    assert phase_status(text, "1") == said
    assert set_phase_status(text, "1", "COMPLETE") == f"## Phase 1\n{after}\n"


ELSEWHERE = {
    "another phase": "## Phase 2: B\n**Status:** PLANNED\n",
    "a phase whose number begins alike": "## Phase 10: B\n**Status:** PLANNED\n",
    "a part of a phase": "## Phase 1.5: B\n**Status:** PLANNED\n",
    "a section without a status": "## Phase 1: A\nwords\n## Phase 2\n**Status:** PLANNED\n",
    "the section after": "## Phase 1: A\n## Notes\n**Status:** PLANNED\n",
    "a deeper phase": "## Phase 1: A\n### Phase 2\n**Status:** PLANNED\n",
    "a heading in a fence": "```\n## Phase 1\n```\n**Status:** PLANNED\n",
    "a sentence": "Phase 1\n**Status:** PLANNED\n",
    "no status at all": "## Phase 1\nStatus of things: PLANNED\n",
    "nothing": "",
}


@pytest.mark.parametrize("text", ELSEWHERE.values(), ids=ELSEWHERE)
def test_where_the_phase_has_no_status_nothing_is_touched(text: str) -> None:
    assert set_phase_status(text, "1", "COMPLETE") == text
    assert phase_status(text, "1") == ""


def test_a_fence_that_nothing_closes_hides_nothing() -> None:
    text = "```\nopen\n## Phase 1\n**Status:** PLANNED\n"

    assert phase_status(text, "1") == "PLANNED"


@pytest.mark.parametrize(
    ("phase", "status"), [("", "COMPLETE"), ("7", "COMPLETE"), ("1", ""), ("1", " \n")]
)
def test_without_a_phase_or_a_status_nothing_is_touched(phase: str, status: str) -> None:
    assert set_phase_status(SEED, phase, status) == SEED


def test_a_status_is_one_line_whatever_is_asked() -> None:
    assert (
        set_phase_status("## Phase 1\n**Status:** A\n", "1", "B\n## Phase 2")
        == "## Phase 1\n**Status:** B ## Phase 2\n"
    )


rows = st.sampled_from(
    [
        "# Map",
        "## Phase 1: A",
        "### Phase 01",
        "## Phase 2",
        "**Status:** X",
        "- **Status**: Y",
        "```",
        "~~~",
        "words",
        "",
    ]
)
texts = st.lists(rows, max_size=12).map("\n".join) | st.text(max_size=60)


@settings(max_examples=size(commit=30, long=80), deadline=None)
@given(texts, st.sampled_from(["1", "02", "phase-1"]))
def test_at_most_one_line_changes_and_then_says_so(text: str, phase: str) -> None:
    after = set_phase_status(text, phase, "COMPLETE")
    changed = [(a, b) for a, b in zip(text.split("\n"), after.split("\n"), strict=True) if a != b]

    assert len(changed) <= 1
    assert not changed or phase_status(after, phase) == "COMPLETE"
    assert set_phase_status(after, phase, "COMPLETE") == after
