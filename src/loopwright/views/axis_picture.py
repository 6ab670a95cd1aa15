"""The time axis as a picture: rows of boxes and marks, with places from 0 to 1. Pure.

Only places are computed here, so that the page and the report draw the same. A long time in which
nothing works, such as a night, is drawn short.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import compress, pairwise
from time import localtime, strftime

from ..core.record import Record
from .time_axis import IDLE, TURN, Moment, Span, TimeAxis

LONGEST_IDLE = 0.12  # of the working time, as which any idle time is drawn
MAX_TASKS, MAX_TICKS = 60, 6
SHORT_SECONDS = 600.0  # a clock without seconds would say the same at each tick
MARK_ROOM = 0.022  # between two marks, so that neither hides the other
LEGEND = {
    "turn": "a turn of the agent",
    "failed turn": "a turn that failed",
    "passed": "a check that passed",
    "failed": "a check that failed",
    "wait": "waits",
    "question": "asks you",
    "pause": "paused",
    "refuted": "a claim that was refuted",
    "breaker": "a reason to pause",
    "done": "a task is done",
    "task failed": "a task failed",
    "end": "the end",
    "accepted": "accepted by you, or taken back",
    "cost": "cost of a turn",
}

# Kinds that are a moment are drawn as a sign; from weak to strong.
SIGNS = {
    "done": "✓",
    "task failed": "✗",
    "breaker": "!",
    "refuted": "▼",
    "end": "■",
    "accepted": "◆",
}


class Box(Record):
    kind: str
    left: float
    width: float
    title: str
    height: float = 1.0  # of a cost, as a share of the highest
    sign: str = ""  # of a moment


class AxisRow(Record):
    name: str
    boxes: tuple[Box, ...]
    marks: tuple[Box, ...] = ()


class Tick(Record):
    left: float
    text: str


class AxisPicture(Record):
    rows: tuple[AxisRow, ...] = ()
    ticks: tuple[Tick, ...] = ()
    legend: tuple[tuple[str, str, str], ...] = ()  # kinds that appear, their words and signs


class Scale:
    """Where a moment is between 0 and 1; idle time counts at most so much."""

    def __init__(self, spans: Sequence[Span], moments: Sequence[Moment], now: float) -> None:
        busy = [span for span in spans if span.kind not in IDLE]
        edges = {at for span in spans for at in (span.start, span.end or now)}
        self._times = sorted(edges | {moment.at for moment in moments})
        steps = list(pairwise(self._times))
        working = _covered(busy, steps, now)
        lengths = [end - start for start, end in steps]
        total = sum(compress(lengths, working))
        longest = max(total * LONGEST_IDLE, 1.0)
        self._places = [0.0]
        for length, works in zip(lengths, working, strict=True):
            self._places.append(self._places[-1] + (length if works else min(length, longest)))

    def place(self, at: float) -> float:
        """Every moment that is asked for is one of the edges."""
        return self._places[bisect_left(self._times, at)] / (self._places[-1] or 1.0)

    def ticks(self) -> tuple[Tick, ...]:
        """The time of day at moments with enough room between them."""
        found: list[Tick] = []
        first, last = self._times[0], self._times[-1]
        is_one_day = strftime("%j", localtime(first)) == strftime("%j", localtime(last))
        form = "%H:%M" if is_one_day else "%a %H:%M"
        if last - first < SHORT_SECONDS:
            form = "%H:%M:%S"
        for at in self._times:
            left, text = self.place(at), strftime(form, localtime(at))
            if not found or (left - found[-1].left >= 1 / MAX_TICKS and text != found[-1].text):
                found.append(Tick(round(left, 4), text))
        return tuple(found)


def _covered(spans: Sequence[Span], steps: Sequence[tuple[float, float]], now: float) -> list[bool]:
    """For each step, whether something works in it. Spans are sorted, so it is one pass."""
    intervals = sorted((s.start, s.end or now) for s in spans)
    found, place, reaches = [], 0, float("-inf")
    for start, end in steps:
        while place < len(intervals) and intervals[place][0] <= start:
            reaches = max(reaches, intervals[place][1])
            place += 1
        found.append(reaches >= end)
    return found


def axis_picture(axis: TimeAxis, now: float) -> AxisPicture:
    """One row for the loop, one for its cost, and one for each task."""
    spans, moments = list(axis.spans), list(axis.moments)
    if not spans:
        return AxisPicture()
    scale = Scale(spans, moments, now)
    tasks = (*(span.row for span in spans), *(moment.row for moment in moments))
    names = [name for name in dict.fromkeys(tasks) if name][:MAX_TASKS]
    rows = [_row("", "loop", spans, moments, scale, now)]
    if cost := _cost_boxes(spans, scale):
        rows.append(AxisRow("cost", cost))
    rows += [_row(name, name, spans, moments, scale, now) for name in names]
    kinds = {box.kind for row in rows for box in (*row.boxes, *row.marks)}
    shown = (kind for kind in LEGEND if kind in kinds)
    legend = tuple((kind, LEGEND[kind], SIGNS.get(kind, "")) for kind in shown)
    return AxisPicture(tuple(rows), scale.ticks(), legend)


def _row(
    key: str, name: str, spans: list[Span], moments: list[Moment], scale: Scale, now: float
) -> AxisRow:
    boxes = tuple(_box(span, scale, now) for span in spans if span.row == key)
    shown = [m for m in moments if m.row == key]
    places = _spread([scale.place(m.at) for m in shown])
    marks = tuple(
        Box(m.kind, round(place, 4), 0.0, f"{_clock(m.at)} {m.title}", sign=SIGNS[m.kind])
        for m, place in zip(shown, places, strict=True)
    )
    return AxisRow(name, boxes, marks)


def _spread(places: list[float]) -> list[float]:
    """Room for each mark: those that would lie on top of each other move apart."""
    room = min(MARK_ROOM, 1 / max(len(places), 1))
    found: list[float] = []
    for place in places:
        found.append(max(place, found[-1] + room) if found else place)
    last = 1.0
    for number in range(len(found) - 1, -1, -1):
        found[number] = last = min(found[number], last)
        last -= room
    return found


def _box(span: Span, scale: Scale, now: float) -> Box:
    left, right = scale.place(span.start), scale.place(span.end or now)
    title = f"{_clock(span.start)} {span.title}"
    return Box(span.kind, round(left, 4), round(max(right - left, 0.0), 4), title)


def _cost_boxes(spans: list[Span], scale: Scale) -> tuple[Box, ...]:
    """The dollars of each turn, at its end."""
    turns = [span for span in spans if span.kind == TURN and span.dollars]
    most = max((span.dollars for span in turns), default=0.0)
    boxes = []
    for span in turns:
        left, right = scale.place(span.start), scale.place(span.end)
        height = round(span.dollars / most, 3)
        width = round(right - left, 4)
        boxes.append(Box("cost", round(left, 4), width, f"${span.dollars:.2f}", height))
    return tuple(boxes)


def _clock(at: float) -> str:
    return strftime("%H:%M:%S", localtime(at))
