"""The time axis of a loop: what it did when, as a picture, as HTML and as lines of text."""

from __future__ import annotations

import pytest

from loopwright.core import events as ev
from loopwright.core.loop import Gate
from loopwright.core.plan.events import LaneEnded, LaneStarted, TaskFailed, TaskFinished
from loopwright.core.plan.plan import Lane
from loopwright.core.runner.events import TurnStarted, WaitStarted
from loopwright.views.axis_html import axis_html
from loopwright.views.axis_picture import LONGEST_IDLE, AxisPicture, axis_picture
from loopwright.views.axis_text import axis_lines
from loopwright.views.time_axis import MAX_SPANS, TimeAxis
from tests.support.builders import a_loop, proof

HOUR = 3_600.0
HOSTILE = "<script>\x1b[31m\u202e"


def axis_of(*events: tuple[float, ev.Record]) -> TimeAxis:
    axis = TimeAxis()
    axis.add(ev.LoopStarted(a_loop()), 0.0)
    for at, event in events:
        axis.add(event, at)
    return axis


def turn(start: float, end: float, dollars: float = 0.5) -> tuple[tuple[float, ev.Record], ...]:
    return (
        (start, TurnStarted(start, "claude", 1.0)),
        (end, ev.TurnEnded(end, "tree", dollars=dollars)),
    )


def checked(at: float, passed: bool) -> tuple[float, ev.Record]:
    return (at, ev.CheckRan(proof("tests pass", fine=passed, at=at - 5.0, seconds=5.0)))


def kinds(picture: AxisPicture, row: str = "loop") -> list[str]:
    found = next(each for each in picture.rows if each.name == row)
    return [box.kind for box in (*found.boxes, *found.marks)]


def test_turns_checks_refutations_and_cost_are_on_one_axis() -> None:
    axis = axis_of(
        *turn(0.0, 60.0),
        (60.0, ev.DoneClaimed()),
        checked(65.0, False),
        (65.0, ev.ClaimRefuted(("tests pass",), "tests pass fails")),
        *turn(65.0, 165.0, dollars=1.0),
        checked(170.0, True),
        (171.0, ev.LoopCancelled(171.0)),
    )
    picture = axis_picture(axis, 200.0)

    assert kinds(picture) == ["turn", "failed", "turn", "passed", "refuted", "end"]
    first, failed, second, _ = picture.rows[0].boxes
    assert first.left == 0.0
    assert second.width > first.width > failed.width > 0.0
    assert "iteration 1" in first.title
    costs = next(row.boxes for row in picture.rows if row.name == "cost")
    assert [(box.height, box.title) for box in costs] == [(0.5, "$0.50"), (1.0, "$1.00")]


def test_a_night_in_which_nothing_works_is_drawn_short() -> None:
    pause = ev.LoopPaused("budget", "the budget is used up", 60.0)
    axis = axis_of(*turn(0.0, 60.0), (60.0, pause), *turn(60.0 + 8 * HOUR, 120.0 + 8 * HOUR))
    boxes = axis_picture(axis, 9 * HOUR).rows[0].boxes

    assert [box.kind for box in boxes] == ["turn", "pause", "turn"]
    assert boxes[1].width < 2 * LONGEST_IDLE
    assert boxes[0].width == pytest.approx(boxes[2].width, abs=0.01)


def test_a_question_and_a_wait_last_until_the_work_goes_on() -> None:
    question = ev.GateOpened(Gate("G2", "Continue?"), 10.0)
    axis = axis_of(
        *turn(0.0, 10.0),
        (10.0, question),
        (20.0, ev.GateAnswered("G2", "yes", 20.0)),
        (20.0, WaitStarted(20.0, 90.0, "a usage limit")),
        *turn(30.0, 40.0),
    )
    stretches = [(span.kind, span.start, span.end) for span in axis.spans if span.kind != "turn"]

    assert stretches == [("question", 10.0, 20.0), ("wait", 20.0, 30.0)]


def test_each_task_has_a_row_with_its_lane_and_its_end() -> None:
    axis = axis_of(
        (1.0, LaneStarted(Lane("01", 1.0, "claude", 1.0, 1))),
        (1.0, LaneStarted(Lane("02", 1.0, "codex", 1.0, 2))),
        (9.0, LaneEnded("01", 9.0)),
        (9.0, TaskFinished("01")),
        (12.0, LaneEnded("02", 12.0)),
        (12.0, TaskFailed("02", "the font is missing")),
    )
    picture = axis_picture(axis, 20.0)

    assert kinds(picture, "01") == ["turn", "done"]
    assert kinds(picture, "02") == ["failed turn", "task failed"]


def test_the_turn_of_a_killed_runner_ends_when_the_next_one_begins() -> None:
    started = (5.0, TurnStarted(5.0, "claude", 1.0))
    axis = axis_of(started, *turn(HOUR, HOUR + 10.0))

    assert [(span.title.split(":")[0], span.end) for span in axis.spans] == [
        ("a turn that was cut off", 5.0),
        ("iteration 1", HOUR + 10.0),
    ]


def test_a_long_loop_keeps_the_newest_part() -> None:
    events = [event for n in range(MAX_SPANS) for event in turn(n * 10.0, n * 10.0 + 9.0)]
    axis = axis_of(*events)

    assert len(axis.spans) <= MAX_SPANS
    assert axis.spans[-1].number == MAX_SPANS


def test_the_text_has_a_line_for_each_row_and_fits_the_terminal() -> None:
    axis = axis_of(
        *turn(0.0, 60.0, dollars=0.1),
        checked(65.0, False),
        (65.0, ev.ClaimRefuted(("tests pass",), "tests pass fails")),
        *turn(65.0, 165.0, dollars=0.8),
        checked(170.0, True),
    )
    lines = axis_lines(axis_picture(axis, 170.0), 80)

    assert max(map(len, lines)) <= 80
    assert lines[0].strip() == "▼", "a moment hides no check"
    assert lines[1].startswith("loop ")
    assert [sign for sign in "━✗✓" if sign in lines[1]] == list("━✗✓")
    assert [sign for sign in lines[2] if sign in "▁▂▃▄▅▆▇█"] == ["▂", "█"]
    assert "▼ a claim that was refuted" in "\n".join(lines)


def test_nothing_is_drawn_before_anything_has_happened() -> None:
    picture = axis_picture(axis_of(), 5.0)

    assert (axis_lines(picture, 80), axis_html(picture)) == ([], "")


def test_words_of_others_are_text() -> None:
    axis = axis_of(*turn(0.0, 9.0), (9.0, ev.ClaimRefuted((), HOSTILE)))
    page = axis_html(axis_picture(axis, 10.0))

    assert "claim refuted: &lt;script&gt;" in page
    assert not {"\x1b", "\u202e"} & set(page)
