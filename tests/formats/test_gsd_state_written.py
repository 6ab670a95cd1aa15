"""The loop block of STATE.md is written with as few bytes changed as possible, and says what a plan loop has to say."""

from __future__ import annotations

import difflib
from typing import Any

import pytest

from loopwright.core.limits import Limits, Spend
from loopwright.core.loop import Gate
from loopwright.core.plan.plan import EXECUTE, VERIFY, Gap, HistoryEntry, Plan, Task, TaskFailure
from loopwright.formats import gsd_state
from loopwright.formats.gsd_block import MAX_ROUNDS, clamp_loop
from loopwright.formats.gsd_state import GsdLoop
from tests.formats.test_gsd_state import (
    AFTER,
    BEFORE,
    INITIAL,
    NOT_THERE,
    SEED,
    SPELLINGS,
    WORKED,
    WORKING,
    said,
    stating,
)
from tests.support.builders import a_loop


def delta(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines that went, and those that came."""
    rows = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    return [row[2:] for row in rows if row.startswith("- ")], [
        row[2:] for row in rows if row.startswith("+ ")
    ]


def test_what_says_it_already_is_left_byte_for_byte() -> None:
    for text in SPELLINGS.values():
        if "pause_reason" in text:
            assert gsd_state.update_block(text, WORKED) == text


def test_o4_an_iteration_goes_up_and_one_line_changes() -> None:
    text = stating(WORKING).replace("iteration: 3", "iteration:   3    # of the night")
    after = gsd_state.update_block(text, WORKED.but(iteration=4))

    assert delta(text, after) == (
        ["  iteration:   3    # of the night"],
        ["  iteration:   4    # of the night"],
    )


NEXT = HistoryEntry(3, "verify", "passed")
CHANGES: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {
    "a retry more": ({"retries": (("01", 2), ("02", 3))}, ["    T01: 1"], ["    T01: 2"]),
    "a task fails": ({"retries": (("01", 1), ("02", 3), ("07", 1))}, [], ["    T07: 1"]),
    "a task is forgotten": ({"retries": (("02", 3),)}, ["    T01: 1"], []),
    "no retries": (
        {"retries": ()},
        ["  task_retries:", "    T01: 1", "    T02: 3"],
        ["  task_retries: {}"],
    ),
    "paused": (
        {"active": False, "paused": True, "reason": "Task 02 failed after 3 retries"},
        ["  active: true", "  paused: false", "  pause_reason: null"],
        ["  active: false", "  paused: true", "  pause_reason: Task 02 failed after 3 retries"],
    ),
    "no error any more": ({"error": ""}, ["  last_error: 'it''s \"broken\": see #3'"], []),
    "a round more": (
        {"history": (*WORKED.history, NEXT)},
        [],
        ["    - iteration: 3", "      type: verify", "      result: passed", "      gaps: []"],
    ),
    "no limit": ({"most": None}, ["  max_iterations: 20"], ["  max_iterations: null"]),
}


@pytest.mark.parametrize(("change", "went", "came"), CHANGES.values(), ids=CHANGES)
def test_as_few_lines_as_possible_are_changed(
    change: dict[str, Any], went: list[str], came: list[str]
) -> None:
    after = gsd_state.update_block(stating(WORKING), WORKED.but(**change))

    assert delta(stating(WORKING), after) == (went, came)
    assert gsd_state.read_block(after) == WORKED.but(**change)


def test_comments_and_other_peoples_keys_in_the_block_stay() -> None:
    block = """loop:   # ours and theirs
    mood: "good"   # mine
    # about the retries
    task_retries:   # so far
        T01: 1   # flaky
        # the next is hopeless
        T02: 3
    tags: [a, "b: c"]
    active: true
"""
    after = gsd_state.update_block(
        stating(block), GsdLoop(active=True, retries=(("01", 2),), most=20)
    )
    went, came = delta(stating(block), after)

    assert went == ["        T01: 1   # flaky", "        T02: 3"]
    assert came[0] == "        T01: 2   # flaky"
    assert came[1:3] == ["    type: null", "    phase: null"], (
        "what was missing, in the order of the seed, set in as the others"
    )


def test_o6_what_was_missing_is_added_in_the_order_of_the_seed() -> None:
    keys = [row.split(":")[0].strip() for row in INITIAL.splitlines()[1:]]
    after = gsd_state.update_block(
        stating("loop:\n  active: false\n  history: []\n"), GsdLoop(most=20)
    )
    added = [
        row.split(":")[0].strip()
        for row in delta(stating("loop:\n  active: false\n  history: []\n"), after)[1]
    ]

    assert added == [key for key in keys if key not in ("active", "history")]


def test_a_block_is_added_at_the_end_of_the_front_matter() -> None:
    assert gsd_state.update_block(f"{BEFORE}{AFTER}", GsdLoop(most=20)) == SEED


@pytest.mark.parametrize(
    "body", ["", "# State\n\nwords", "\ufeff# State\r\n", "---\nnothing closes this\n"]
)
def test_a_front_matter_is_put_before_a_body_without_one(body: str) -> None:
    after = gsd_state.update_block(body, WORKED)

    assert gsd_state.read_block(after) == WORKED
    assert after.endswith(body.removeprefix("\ufeff"))
    assert after.startswith("\ufeff---\r\nloop:\r\n" if "\r" in body else "---\nloop:\n")


def test_o12_flow_style_becomes_block_style_with_all_that_it_says() -> None:
    flow = "loop: {active: true, iteration: 3, mood: 'good: really', task_retries: {T01: 1}, tags: [a, {b: c}]}  # ours\n"
    after = gsd_state.update_block(stating(flow), said(flow).but(iteration=4))

    assert after.startswith(
        f"{BEFORE}loop:  # ours\n"
        '  active: true\n  iteration: 4\n  mood: "good: really"\n  task_retries: {T01: 1}\n  tags: [a, {b: c}]\n  type: null\n'
    )
    assert gsd_state.read_block(after) == said(flow).but(iteration=4)


def test_a_key_that_is_over_leaves_a_block_in_flow_style_too() -> None:
    flow = "loop: {completed: true, final_iteration: 3, mood: good, last_error: boom}\n"
    after = gsd_state.update_block(stating(flow), GsdLoop(active=True, most=20))

    assert after.startswith(f"{BEFORE}loop:\n  mood: good\n  active: true\n")
    assert gsd_state.read_block(after) == GsdLoop(active=True, most=20)


@pytest.mark.parametrize(
    ("block", "kept"),
    [("loop: {active: true", "{active: true"), ("loop: over\n  and out", "over and out")],
)
def test_what_could_not_be_read_is_kept_as_a_comment(block: str, kept: str) -> None:
    after = gsd_state.update_block(stating(f"{block}\n"), GsdLoop(most=20))

    assert after == stating(INITIAL.replace("loop:\n", f"loop:\n  # before: {kept}\n"))


def test_an_entry_of_the_history_that_makes_no_sense_is_kept() -> None:
    text = stating("loop:\n  history:\n    - started well\n    - iteration: 2\n      mood: good\n")
    after = gsd_state.update_block(text, GsdLoop(history=(HistoryEntry(2, "", ""), NEXT)))

    assert delta(text, after)[0] == []
    assert gsd_state.read_block(after) == GsdLoop(history=(HistoryEntry(2, "", ""), NEXT))


@pytest.mark.parametrize(
    "spelling", ["block style", "o12 flow style", "without front matter", "tabs"]
)
@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_o7_every_line_that_comes_ends_like_the_others(spelling: str, end: str) -> None:
    text = SPELLINGS[spelling].replace("\n", end)
    values = WORKED.but(
        iteration=4, retries=(("09", 1),), history=(), completed=True, final=4, reason="because"
    )
    after = gsd_state.update_block(text, values)

    assert gsd_state.read_block(after) == values
    assert not {"\r", "\n"} & set(after.replace(end, ""))


@pytest.mark.parametrize(
    "text", [NOT_THERE["longer than a megabyte"], NOT_THERE["more lines than anybody writes"]]
)
def test_a_text_that_is_too_long_is_left_alone(text: str) -> None:
    assert gsd_state.update_block(text, WORKED) == text


def test_a_text_that_becomes_too_long_has_one_block_all_the_same() -> None:
    text = f"{BEFORE}{AFTER}"
    after = gsd_state.update_block(text + "x" * (1_000_000 - len(text)), WORKED)

    assert after.count("gaps_remaining") == 1
    assert gsd_state.update_block(after, WORKED) == after


TEXTS = {
    "a colon": ("failed: twice", '"failed: twice"'),
    "a hash": ("see #3", '"see #3"'),
    "a quote": ('"so"', '"\\"so\\""'),
    "a backslash": ("C:\\new", '"C:\\\\new"'),
    "a word that means something": ("null", '"null"'),
    "a number": ("3", '"3"'),
    "a dash": ("- [x] so", '"- [x] so"'),
    "lines": ("one\r\n\ttwo\u2028three", "one two three"),
    "colours": ("\x1b[31mred\x1b[0m", '"[31mred [0m"'),
    "nothing": (" \n ", "null"),
    "other letters": ("Überschrift", '"Überschrift"'),
    "a sentence": ("Task 02 failed after 3 retries", "Task 02 failed after 3 retries"),
}


@pytest.mark.parametrize(("text", "written"), TEXTS.values(), ids=TEXTS)
def test_a_text_is_quoted_where_yaml_needs_it(text: str, written: str) -> None:
    after = gsd_state.update_block(SEED, GsdLoop(most=20, reason=text))

    assert delta(SEED, after)[1] == ([f"  pause_reason: {written}"] if written != "null" else [])


def test_an_error_is_clipped_to_one_short_line() -> None:
    after = gsd_state.update_block(SEED, GsdLoop(most=20, error="Traceback\n" * 1_000))
    (line,) = delta(SEED, after)[1]

    assert line.startswith("  last_error: Traceback Traceback")
    assert len(line) <= 320


def test_a_long_history_is_kept_short_and_its_beginning_counted() -> None:
    rounds = tuple(HistoryEntry(n, VERIFY, "gaps_found", (f"stub:{n}",)) for n in range(1, 61))
    found = gsd_state.read_block(gsd_state.update_block(SEED, GsdLoop(history=rounds)))
    assert found is not None

    assert found.history == (HistoryEntry(11, VERIFY, "11 earlier rounds"), *rounds[11:])
    assert len(found.history) == MAX_ROUNDS
    later = clamp_loop(found.but(history=(*found.history, NEXT, NEXT)))
    assert later.history[0] == HistoryEntry(13, VERIFY, "13 earlier rounds"), (
        "counted on from what was counted"
    )


# --- from a loop ---

TASKS = tuple(Task(f"{n:02}") for n in range(1, 5))
DAY = 86_400.0


def speaking(plan: dict[str, Any] | None = None, **changes: Any) -> GsdLoop:
    """What a plan loop has to say a day after the beginning of time."""
    usual = {"policy": "plan", "spend": Spend(iterations=5), "limits": Limits(iterations=36)}
    return gsd_state.gsd_loop_from(
        a_loop(**{**usual, **changes}, plan=Plan("1", tasks=TASKS, **(plan or {}))), DAY
    )


def test_an_executing_loop_says_where_it_is() -> None:
    failed = (TaskFailure("01", 1, "old"), TaskFailure("02", 2, "no\ntests"))

    assert speaking({"failures": failed, "done": ("01",)}) == GsdLoop(
        active=True,
        kind=EXECUTE,
        phase="1",
        iteration=5,
        most=36,
        retries=(("01", 1), ("02", 2)),
        started="1970-01-01T00:16:40Z",
        last="1970-01-02T00:00:00Z",
        error="no tests",
    )


def test_a_verifying_loop_counts_its_rounds() -> None:
    gaps = (Gap("orphan", "a.py", "nobody imports it"), Gap("stub", "b.py", "empty"))
    history = (HistoryEntry(1, VERIFY, "gaps_found", ("orphan:a.py",)),)
    found = speaking({"stage": VERIFY, "fix_rounds": 2, "gaps": gaps, "history": history})

    assert (found.kind, found.iteration, found.most, found.gaps, found.history) == (
        VERIFY,
        2,
        20,
        2,
        history,
    )


def test_a_parked_task_has_used_all_retries_and_no_more() -> None:
    found = speaking(
        {"failures": (TaskFailure("02", 4, "boom"),), "parked": ("02",)},
        status="paused",
        why="Task 02 failed after 3 retries",
    )

    assert found.retries == (("02", 3),)
    assert (found.active, found.paused, found.reason, found.error) == (
        False,
        True,
        "Task 02 failed after 3 retries",
        "boom",
    )


def test_the_error_of_a_task_that_is_done_is_past() -> None:
    assert speaking({"failures": (TaskFailure("02", 2, "boom"),), "done": ("02",)}).error == ""


@pytest.mark.parametrize(
    ("status", "active"),
    [("running", True), ("asking", True), ("paused", False), ("failed", False)],
)
def test_a_loop_is_active_while_it_works_or_asks(status: str, active: bool) -> None:
    found = speaking(status=status, why="a reason of before")

    assert (found.active, found.paused) == (active, status == "paused")
    assert found.reason == ("a reason of before" if found.paused else "")


def test_a_loop_that_finished_leaves_the_block_as_the_seed_has_it_and_says_so() -> None:
    plan = {
        "stage": VERIFY,
        "fix_rounds": 3,
        "failures": (TaskFailure("02", 2, "boom"),),
        "history": WORKED.history,
    }
    after = gsd_state.update_block(stating(WORKING), speaking(plan, status="finished"))

    assert after == stating(f"{INITIAL}  completed: true\n  final_iteration: 3\n")
    again = gsd_state.update_block(after, speaking())
    assert "completed" not in again
    assert "final_iteration" not in again


def test_without_a_fix_round_the_final_iteration_is_that_of_the_last_task() -> None:
    assert speaking({"stage": VERIFY}, status="finished").final == 5


def test_a_retry_that_waits_for_a_yes_is_not_counted_yet() -> None:
    plan = {
        "failures": (TaskFailure("01", 1, "old"), TaskFailure("02", 1, "boom")),
        "done": ("01",),
    }

    asked = speaking(plan, status="asking", gate=Gate("retry", "Task 02 failed. Retry?"))

    assert asked.retries == (("01", 1), ("02", 0))
    assert speaking(plan).retries == (("01", 1), ("02", 1))


def test_a_loop_that_was_cancelled_leaves_the_block_as_the_seed_has_it() -> None:
    assert gsd_state.update_block(stating(WORKING), speaking(status="cancelled")) == SEED


def test_retries_over_a_stray_list_and_a_number_with_an_odd_space_are_written_all_the_same() -> (
    None
):
    for odd in (
        SEED.replace("task_retries: {}", "task_retries: {}\n      - orphan"),
        SEED.replace("iteration: 0", "iteration: \x1c1"),
    ):
        after = gsd_state.update_block(odd, WORKED)
        assert gsd_state.read_block(after) == clamp_loop(WORKED)
