"""What the pages ask for: the board, one loop, older lines, outputs and differences, as JSON."""

from __future__ import annotations

import os
import re
import time
from typing import Any

from starlette.exceptions import HTTPException

from ..core.prompts.phrases import strip_control_characters
from ..disk.user_folders import short_path
from ..drive.agent_words import AgentWords, read_agent_words
from ..repo import kept_trees
from ..store.folder import LoopFolder
from ..store.further_loops import LoopPlace
from ..store.journal import JournalError
from ..store.journal_reader import JournalSlice, WrongPosition, read_before
from ..store.loop_catalog import LoopCatalog
from ..store.loop_reader import LoopReader
from ..views.axis_picture import axis_picture
from ..views.board_of_loops import BoardRow, board_totals
from ..views.curves import loop_curves
from ..views.loop_history import IterationPoint, LoopHistory
from ..views.loop_page import LoopPage
from ..views.loop_timeline import KINDS, timeline_entries
from ..views.output_difference import output_difference, shown_lines
from ..views.plain_values import plain_value
from ..views.useful_line import find_useful_line

FIRST_ROWS, MAX_ROWS = 60, 1_000
PAGE_LINES = 80
SLICES_PER_REQUEST = 4
MAX_POINTS, MAX_LANES, MAX_RUNS = 400, 40, 150
MAX_OUTPUT_BYTES = 512 * 1024
MAX_DIFF_CHARS = 400_000
MAX_DIFF_LINES = 100_000  # beyond that, git is not asked for the text
LOG_NAME = re.compile(r"evidence/[\w.+-]{1,200}")


def row_values(row: BoardRow) -> dict[str, Any]:
    own = {"group": row.group, "order": row.order, "place": short_path(row.root)}
    return {**plain_value(row), **own}


def board_values(catalog: LoopCatalog, start: int, count: int) -> dict[str, Any]:
    """A part of the board, with the totals of all of it."""
    rows = catalog.rows()
    shown = rows[start : start + min(count, MAX_ROWS)]
    return {
        "version": catalog.version,
        "total": len(rows),
        "unread": catalog.unread_count,
        "notice": catalog.notice,
        "totals": plain_value(board_totals(rows)),
        "rows": [row_values(row) for row in shown],
    }


def find_loop(catalog: LoopCatalog, loop_id: str) -> tuple[LoopPlace, LoopReader]:
    place = catalog.find(loop_id)
    if place is None:
        raise HTTPException(404, "no such loop on this machine")
    return place, catalog.reader(loop_id)


def read_view(catalog: LoopCatalog, place: LoopPlace) -> tuple[BoardRow, LoopPage]:
    try:
        return catalog.read_view(place)
    except (OSError, JournalError) as error:
        raise HTTPException(409, str(error)) from error


def loop_values(catalog: LoopCatalog, loop_id: str) -> dict[str, Any]:
    """A whole loop page: its state, its history as far as it is read, and its last lines."""
    catalog.bring(loop_id)
    place, reader = find_loop(catalog, loop_id)
    view = read_view(catalog, place)
    part = JournalSlice((), 0, 0, 0)
    if has_journal(place):
        read_slices(place, reader, SLICES_PER_REQUEST)
        part = read_before(place.path, None, PAGE_LINES, KINDS)
    return {
        **state_values(catalog, place, view),
        **slice_values(part, reader.history),
        "words": words_values(place),
    }


def has_journal(place: LoopPlace) -> bool:
    """Not that of a loop elsewhere which has not begun, or whose files are not here yet."""
    return not place.is_elsewhere or os.path.exists(place.path)


def read_slices(place: LoopPlace, reader: LoopReader, most: int) -> bool:
    """Read a little more of the history; False once all of it is read."""
    try:
        return all(reader.read_more(place.path) for _ in range(most))
    except OSError:  # it moves to the archive at this moment
        return True


def state_values(
    catalog: LoopCatalog, place: LoopPlace, view: tuple[BoardRow, LoopPage]
) -> dict[str, Any]:
    """What changes with a line: the row of the board, the page, and the history."""
    history = history_values(catalog.reader(place.id).history, view[0])
    return {
        "row": row_values(view[0]),
        "page": plain_value(view[1]),
        "history": history if has_journal(place) else {**history, "complete": True},
        "notice": catalog.notice if place.is_elsewhere else "",
    }


def history_values(history: LoopHistory, row: BoardRow) -> dict[str, Any]:
    points = list(history.points)
    curves = loop_curves(thin_out(points), row)
    runs = [run for name in list(history.runs) for run in list(history.runs[name])]
    return {
        "complete": history.is_complete,
        "points": [_point_values(point) for point in points[-MAX_LANES:]],
        "curves": [{**plain_value(curve), "label": curve.label} for curve in curves],
        "axis": plain_value(axis_picture(history.axis, time.time())),
        "runs": [plain_value(run) for run in sorted(runs, key=lambda run: run.seq)[-MAX_RUNS:]],
        "commits": sorted(history.commits),
    }


def _point_values(point: IterationPoint) -> dict[str, Any]:
    """What the table of the criteria shows of an iteration."""
    return {
        "number": point.number,
        "results": dict(point.results),
        "carried": list(point.carried),
        "notes": list(point.notes),
    }


def thin_out(points: list[IterationPoint]) -> list[IterationPoint]:
    """At most MAX_POINTS of them, evenly spread, with the last one."""
    step = -(-len(points) // MAX_POINTS) or 1
    thin = points[::step]
    return thin if not points or thin[-1] is points[-1] else [*thin, points[-1]]


def slice_values(part: JournalSlice, history: LoopHistory) -> dict[str, Any]:
    lines = [
        {
            "seq": line.seq,
            "at": line.at,
            "end": line.end,
            "iteration": history.iteration_at(line.seq),
            "entries": plain_value(timeline_entries(line.events)),
        }
        for line in part.lines
    ]
    return {"lines": lines, "start": part.start, "position": part.end}


def older_lines(place: LoopPlace, reader: LoopReader, before: int) -> dict[str, Any]:
    try:
        return slice_values(read_before(place.path, before, PAGE_LINES, KINDS), reader.history)
    except (OSError, WrongPosition) as error:
        raise HTTPException(409, str(error)) from error


def words_values(place: LoopPlace) -> dict[str, Any]:
    said = read_agent_words(os.path.dirname(place.path), 40) if place.path else AgentWords()
    words: dict[str, Any] = plain_value(said)
    return words


def output_values(place: LoopPlace, log: str) -> dict[str, Any]:
    """The output of a check: its end, if it is long."""
    text, size = _read_output(place, log)
    return {
        "lines": shown_lines(text),
        "useful_line": find_useful_line(text),
        "size": size,
        "clipped": size > MAX_OUTPUT_BYTES,
    }


def difference_values(place: LoopPlace, first: str, second: str) -> dict[str, Any]:
    before, after = _read_output(place, first)[0], _read_output(place, second)[0]
    return {"rows": plain_value(output_difference(before, after))}


def _read_output(place: LoopPlace, log: str) -> tuple[str, int]:
    if not LOG_NAME.fullmatch(log) or ".." in log:
        raise HTTPException(404, "no such output")
    path = os.path.join(os.path.dirname(place.path), log)
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - MAX_OUTPUT_BYTES))
            return file.read(MAX_OUTPUT_BYTES).decode("utf-8", "replace"), size
    except OSError as error:
        raise HTTPException(404, "this output is not kept any more") from error


def tree_diff(place: LoopPlace, reader: LoopReader, first: int, second: int) -> dict[str, Any]:
    """What changed in the files between two iterations that are kept."""
    commits = reader.history.commits
    if first not in commits or second not in commits:
        raise HTTPException(404, "the files of that iteration are not kept")
    if place.is_elsewhere:
        raise HTTPException(
            404,
            f"its files are not on this machine. Bring them: loop fleet results {place.id} --fetch",
        )
    root = LoopFolder(place.root).root
    if not all(kept_trees.is_kept(root, commits[number]) for number in (first, second)):
        raise HTTPException(404, "its commit is gone from the repository")
    stat = kept_trees.diff_text(root, commits[first], commits[second], "--stat=80")
    is_large = _changed_lines(stat) > MAX_DIFF_LINES
    text = "" if is_large else kept_trees.diff_text(root, commits[first], commits[second])
    shown = strip_control_characters(text[:MAX_DIFF_CHARS])
    return {
        "stat": strip_control_characters(stat[:MAX_DIFF_CHARS]).split("\n"),
        "lines": shown_lines(shown),
        "clipped": is_large or len(text) > MAX_DIFF_CHARS,
    }


def _changed_lines(stat: str) -> int:
    """The lines that were added and removed, from the last line of git's summary."""
    summary = stat.strip().rpartition("\n")[2]
    numbers = [int(number) for number in re.findall(r"(\d+) (?:ins|del)", summary)]
    return sum(numbers)
