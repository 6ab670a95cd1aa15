"""What the page of one loop shows, read when its journal or its log has grown."""

from __future__ import annotations

import os
import time

from ..core.record import Record
from ..drive.agent_words import AgentWords, read_agent_words
from ..store.journal_reader import read_before
from ..store.loop_catalog import LoopCatalog
from ..store.loop_reader import JournalStamp, journal_stamp
from ..store.turn_logs import all_log_paths
from ..views.axis_picture import AxisPicture, axis_picture
from ..views.board_of_loops import BoardRow
from ..views.loop_history import IterationPoint
from ..views.loop_page import LoopPage
from ..views.loop_timeline import KINDS, TimelineEntry, timeline_entries

MAX_POINTS = 500
MAX_LINES = 200
MAX_WORDS = 200


class ShownLoop(Record):
    """One loop as the page shows it."""

    row: BoardRow
    page: LoopPage
    points: tuple[IterationPoint, ...]
    entries: tuple[tuple[float, TimelineEntry], ...]
    words: AgentWords
    axis: AxisPicture = AxisPicture()
    folder: str = ".loop"  # where the outputs of the checks are


class LoopData:
    """Reads one loop; to find out that nothing has changed costs two `stat`."""

    def __init__(self, catalog: LoopCatalog, loop_id: str) -> None:
        self.loop_id = loop_id
        self._catalog = catalog
        self._journal: JournalStamp | None = None
        self._log, self._log_size = "", 0
        self._changes = -1

    def has_changed(self) -> bool:
        """Has a line been added to the journal, or to the log of the current turn?

        Each turn begins with a line in the journal, so a new log never goes unnoticed.
        """
        place = self._catalog.find(self.loop_id)
        if place is None:
            return False
        if place.is_elsewhere:
            return place.changes != self._changes
        return journal_stamp(place.path) != self._journal or _size(self._log) != self._log_size

    def read(self) -> ShownLoop | None:
        """The loop as it is now; None if it is gone."""
        if self._changes < 0:
            self._catalog.bring(self.loop_id)
        place = self._catalog.find(self.loop_id)
        journal = journal_stamp(place.path) if place else None
        if place is None or (journal is None and not place.is_elsewhere):
            return None
        self._changes = place.changes
        if journal is None:  # it has not begun, or its files are not here yet
            row, page = self._catalog.read_view(place)
            return ShownLoop(row, page, (), (), AgentWords())
        folder = os.path.dirname(place.path)
        self._journal = journal
        self._log = (all_log_paths(folder) or [""])[-1]
        self._log_size = _size(self._log)
        reader = self._catalog.reader(self.loop_id)
        while reader.read_more(place.path):
            pass
        row, page = self._catalog.read_view(place)
        lines = read_before(place.path, None, MAX_LINES, KINDS).lines
        return ShownLoop(
            row=row,
            page=page,
            points=tuple(reader.history.points[-MAX_POINTS:]),
            entries=tuple(
                (line.at, entry) for line in lines for entry in timeline_entries(line.events)
            ),
            words=read_agent_words(folder, MAX_WORDS),
            axis=axis_picture(reader.history.axis, time.time()),
            folder=folder if place.is_elsewhere else ".loop",
        )


def _size(path: str) -> int:
    """The size of a file; 0 if there is none."""
    try:
        return os.path.getsize(path) if path else 0
    except OSError:  # it moves to the archive at this moment
        return 0
