"""The loop block of STATE.md is read in every spelling, and whatever stands in it."""

from __future__ import annotations

import pytest

from loopwright.core.plan.plan import HistoryEntry
from loopwright.formats import gsd_state
from loopwright.formats.gsd_state import GsdLoop

BEFORE = """---
milestone: v0.6.0
phase: 1
task: 0/7   # of the plan

phases_complete: []
open_issues: []
"""
INITIAL = """loop:
  active: false
  type: null
  phase: null
  iteration: 0
  max_iterations: 20
  task_retries: {}
  gaps_remaining: 0
  started: null
  last_iteration: null
  paused: false
  pause_reason: null
  history: []
"""
AFTER = """---

## Session Context
Phase 1 planned: loop mechanism.\t
---
```yaml
loop:
  active: true
```
the last line, without an end"""
SEED = BEFORE + INITIAL + AFTER


def stating(block: str) -> str:
    return f"{BEFORE}{block}{AFTER}"


def said(block: str) -> GsdLoop:
    found = gsd_state.read_block(stating(block))
    assert found is not None
    return found


def test_the_seeds_block_is_read() -> None:
    assert gsd_state.read_block(SEED) == GsdLoop(most=20)


WORKING = """loop:
  active: true
  type: verify
  phase: 1
  iteration: 3
  max_iterations: 20
  task_retries:
    T01: 1
    T02: 3
  gaps_remaining: 2
  started: 2026-01-19T10:00:00Z
  last_iteration: "2026-01-19T11:30:00Z"
  paused: false
  pause_reason: null
  last_error: 'it''s "broken": see #3'
  history:
    - iteration: 1
      type: verify
      result: gaps_found
      gaps: ["orphan:StatsCard.tsx", "broken_link:A->B"]
    - iteration: 2
      type: verify
      result: gaps_found
      gaps:
      - orphan:StatsCard.tsx   # still
"""
WORKED = GsdLoop(
    active=True,
    kind="verify",
    phase="1",
    iteration=3,
    most=20,
    retries=(("01", 1), ("02", 3)),
    gaps=2,
    started="2026-01-19T10:00:00Z",
    last="2026-01-19T11:30:00Z",
    error='it\'s "broken": see #3',
    history=(
        HistoryEntry(1, "verify", "gaps_found", ("orphan:StatsCard.tsx", "broken_link:A->B")),
        HistoryEntry(2, "verify", "gaps_found", ("orphan:StatsCard.tsx",)),
    ),
)
IN_FLOW = """loop: {active: true, type: verify, phase: 1, iteration: 3, max_iterations: 20, task_retries: {T01: 1, T02: 3},
  gaps_remaining: 2, started: 2026-01-19T10:00:00Z, last_iteration: "2026-01-19T11:30:00Z", # a remark
  paused: no, last_error: 'it''s "broken": see #3', history: [
    {iteration: 1, type: verify, result: gaps_found, gaps: ["orphan:StatsCard.tsx", broken_link:A->B]},
    {"iteration":2,"type":"verify","result":"gaps_found","gaps":[orphan:StatsCard.tsx]}]
}
"""


def turned(block: str) -> str:
    """The same keys in the opposite order."""
    head, *rows = block.splitlines(keepends=True)
    starts = [n for n, row in enumerate(rows) if row[2] != " "]
    parts = ["".join(rows[a:b]) for a, b in zip(starts, [*starts[1:], len(rows)], strict=True)]
    return head + "".join(reversed(parts))


SPELLINGS = {
    "block style": stating(WORKING),
    "o7 crlf": stating(WORKING).replace("\n", "\r\n"),
    "cr alone": stating(WORKING).replace("\n", "\r"),
    "byte order mark": "\ufeff" + stating(WORKING),
    "o12 flow style": stating(IN_FLOW),
    "o12 flow style with crlf": stating(IN_FLOW).replace("\n", "\r\n"),
    "o10 history before iteration": stating(turned(WORKING)),
    "o13 True": stating(WORKING.replace("active: true", "active: True")),
    "o13 TRUE": stating(WORKING.replace("active: true", "active: TRUE # on")),
    "o13 quoted": stating(WORKING.replace("active: true", 'active: "true"')),
    "o13 yes": stating(WORKING.replace("active: true", "active: yes")),
    "o8 a quoted limit": stating(WORKING.replace("iterations: 20", 'iterations: "20"')),
    "tabs": stating(WORKING.replace("  ", "\t")),
    "four spaces": stating(WORKING.replace("  ", "    ")),
    "spaces at the ends": stating(WORKING.replace("\n", "  \n").replace("active: ", "active :   ")),
    "comments everywhere": stating(WORKING.replace("\n", " # why\n# so\n\n      # here\n")),
    "keys in quotes": stating(WORKING.replace("  type:", '  "type":').replace("loop:", "'loop':")),
    "a key twice": stating(WORKING.replace("loop:\n", "loop:\n  iteration: 9\n  paused: true\n")),
    "ids without a T": stating(WORKING.replace("T01", "01").replace("T02", "'02'")),
    "the whole block twice": stating(f"loop:\n  active: false\n{WORKING}"),
    "texts over several lines": stating(
        WORKING.replace(": see", ":\n    see").replace(
            "gaps_found\n", ">-\n        gaps_found\n", 1
        )
    ),
    "outside of the front matter": f"---\nphase: 1\n---\n# State\n\n{WORKING}\n# More\n",
    "without front matter": f"{WORKING}\nmore\n",
    "front matter that nothing closes": f"{BEFORE}{WORKING}",
    "somebody else's keys between": stating(
        WORKING.replace(
            "  paused",
            "  mood: |\n    paused: true\n\n    iteration: 7\n  tags: [a, {b: c}]\n  paused",
        )
    ),
    "flow style, then lines below": stating(
        WORKING.replace("loop:", "loop: {}").replace("retries:", "retries: {}")
    ),
}


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
def test_every_spelling_says_the_same(text: str) -> None:
    assert gsd_state.read_block(text) == WORKED


NOT_THERE = {
    "an empty file": "",
    "no front matter": "# State\n",
    "no such key": f"{BEFORE}{AFTER}",
    "below another key": "---\nother:\n  loop:\n    active: true\n---\n",
    "in a text": "---\nnotes: |\n  loop:\n    active: true\n---\n",
    "only in a fence": f"---\nphase: 1\n---\n```yaml\n{WORKING}```\n",
    "a sentence": "---\nphase: 1\n---\nloop: we had one\n\nloop:\n  as I said\n",
    "longer than a megabyte": stating(WORKING) + "x" * 1_000_000,
    "more lines than anybody writes": stating(WORKING) + "\n" * 60_000,
}


@pytest.mark.parametrize("text", NOT_THERE.values(), ids=NOT_THERE)
def test_without_a_block_nothing_is_said(text: str) -> None:
    assert gsd_state.read_block(text) is None


@pytest.mark.parametrize(
    "block",
    [
        "loop:\n",
        "loop: null\n",
        "loop: {}\n",
        "loop: later\n",
        "loop: [1]\n",
        "loop: {active: true\n",
    ],
)
def test_a_block_that_says_nothing_is_an_idle_loop(block: str) -> None:
    assert said(block) == GsdLoop()


def test_o5_paused_is_seen_below_any_number_of_retries() -> None:
    tasks = "".join(f"    T{n:02}: 1\n" for n in range(1, 61))
    found = said(
        f"loop:\n  active: true\n  iteration: 4\n  max_iterations: 60\n  task_retries:\n{tasks}  paused: true\n"
    )

    assert found.paused
    assert len(found.retries) == 60


STEP_7A = "loop:\n  active: true\n  type: execute\n  phase: 1\n  iteration: 1\n  task_retries:\n    T02: 1\n  last_error: no tests\n"


def test_o6_a_limit_that_is_missing_is_no_limit_of_nought() -> None:
    found = said(STEP_7A)

    assert (found.active, found.kind, found.iteration, found.most) == (True, "execute", 1, None)
    assert found.error == "no tests"


@pytest.mark.parametrize(
    "word",
    [
        "a[$(touch${IFS}pwned)]",
        "$((1+1))",
        "-3",
        "3.5",
        "1e3",
        "٣",
        "²",
        "many",
        "[3]",
        "{a: 3}",
        "9" * 30,
    ],
)
def test_o8b_what_is_no_number_is_nought_and_nothing_is_evaluated(word: str) -> None:
    found = said(
        f"loop:\n  active: true\n  iteration: {word}\n  max_iterations: {word}\n  gaps_remaining: {word}\n  paused: true\n"
    )

    assert (found.iteration, found.most, found.gaps) == (0, None, 0)
    assert found.paused, "the rest is read all the same"


SENSELESS = [
    "active: maybe",
    "type: review",
    "task_retries: [T01]",
    "history: later",
    "phase: {a: b}",
    "pause_reason: [a]",
]


@pytest.mark.parametrize("row", SENSELESS)
def test_a_value_that_makes_no_sense_is_as_if_it_were_not_there(row: str) -> None:
    assert said(f"loop:\n  {row}\n  iteration: 3\n") == GsdLoop(iteration=3)


def test_entries_of_the_history_that_make_no_sense_are_passed_over() -> None:
    found = said(
        "loop:\n  history:\n    - started well\n    - iteration: 2\n      gaps: none\n    - [3]\n"
    )

    assert found.history == (HistoryEntry(2, "", ""),)


PHASES = {
    "of the front matter": (SEED, "1"),
    "of the active loop": (stating(WORKING.replace("phase: 1", "phase: 2")), "2"),
    "of no idle loop": (stating(INITIAL.replace("phase: null", "phase: 7")), "1"),
    "nowhere": ("# State\n", ""),
    "null": ("---\nphase: null\n---\n", ""),
}


@pytest.mark.parametrize(("text", "phase"), PHASES.values(), ids=PHASES)
def test_the_phase_that_the_project_is_at(text: str, phase: str) -> None:
    assert gsd_state.current_phase(text) == phase
