"""All loops of this user on this machine: found through the known projects, read when they change.

A look at an unchanged machine costs one listing of the notes and one `stat` for each. A loop that
has ended never changes, so its journal is read once. Loops that run elsewhere can be added.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from threading import Lock

from ..core.loop import Loop
from ..core.record import Record
from ..disk.lock import LocksUnsupported
from ..views.board_of_loops import BoardRow, board_row, sort_rows, unreadable_row
from ..views.loop_page import LoopPage, loop_page
from . import journal
from .chain import sealed_end
from .folder import LoopFolder, UntrustedFolder
from .further_loops import FurtherLoops, LoopPlace
from .history import is_sealed
from .known_projects import KnownProject, NoteStamp, note_stamps, read_project
from .loop_reader import JournalStamp, LoopReader, journal_stamp
from .runner_lock import is_runner_gone

# A note is written before and after the journal, perhaps within one tick of the disk's clock.
RECENT_SECONDS = 5.0
MAX_READERS = 16


class _Seen(Record):
    """A loop as it was read last; `row` is None until it is read."""

    place: LoopPlace
    stamp: JournalStamp
    row: BoardRow | None = None
    is_foreign: bool = False  # another user's, or it did not end here
    driven: Loop | None = None  # by a runner, whose lock tells whether it lives
    runner_gone: bool = False


class LoopCatalog:
    """The loops of this machine, and `further` ones that run elsewhere."""

    def __init__(self, further: FurtherLoops | None = None) -> None:
        self.further = further
        self._version = 0
        self._lock = Lock()
        self._notes: dict[str, NoteStamp] = {}
        self._projects: dict[str, KnownProject] = {}  # by the path of the note
        self._archives: dict[str, int] = {}  # by the root: the version of the folder of the archive
        self._loops: dict[str, _Seen] = {}
        self._sorted: tuple[int, list[BoardRow]] = (-1, [])
        self._readers: dict[str, LoopReader] = {}

    @property
    def version(self) -> int:
        """Grows whenever a row has changed."""
        return self._version + (self.further.version if self.further else 0)

    @property
    def notice(self) -> str:
        """A line for the person about loops that run elsewhere; "" if all is well."""
        return self.further.notice if self.further else ""

    def refresh(self, max_reads: int = 0) -> bool:
        """Look for changes, and read at most so many loops (0: all); True if some are left."""
        if self.further:
            self.further.refresh()
        with self._lock:
            self._find_loops()
            self._look_for_gone_runners()
            unread = self._unread_loops()
            unread.sort(key=lambda seen: (seen.place.is_archived, -seen.stamp.version))
            for seen in unread[: max_reads or None]:
                self._read_row(seen)
            return bool(max_reads) and len(unread) > max_reads

    def rows(self) -> list[BoardRow]:
        """The rows that are read so far, in the order of the board."""
        version = self.version
        with self._lock:
            if self._sorted[0] != version:
                read = [seen.row for seen in self._loops.values() if seen.row]
                self._sorted = (version, sort_rows(self._with_further_rows(read)))
            return self._sorted[1]

    def _with_further_rows(self, local: list[BoardRow]) -> list[BoardRow]:
        """A worker of a fleet on this machine works in folders that are not shown twice."""
        if not self.further:
            return local
        own = [row for row in local if not self.further.owns_row(row)]
        return [*own, *self.further.rows()]

    @property
    def unread_count(self) -> int:
        with self._lock:
            return len(self._unread_loops())

    def _unread_loops(self) -> list[_Seen]:
        return [s for s in self._loops.values() if s.row is None and not s.is_foreign]

    def find(self, loop_id: str) -> LoopPlace | None:
        """Where the loop is now; a loop that has just ended is found in the archive."""
        with self._lock:
            seen = self._loops.get(loop_id)
        if seen is None:
            return self.further.find(loop_id) if self.further else None
        place = seen.place
        if not place.is_archived and not os.path.exists(place.path):
            return _archived_place(place)
        return place

    def reader(self, loop_id: str) -> LoopReader:
        """The reader that keeps the history of this loop; the least used one makes room."""
        with self._lock:
            reader = self._readers.pop(loop_id, None) or LoopReader()
            self._readers[loop_id] = reader
            while len(self._readers) > MAX_READERS:
                del self._readers[next(iter(self._readers))]
            return reader

    def bring(self, loop_id: str) -> None:
        """Wait for a moment until the files of a loop that runs elsewhere are here."""
        if self.further:
            self.further.bring(loop_id)

    def read_view(self, place: LoopPlace) -> tuple[BoardRow, LoopPage]:
        """The row and the page of a loop now."""
        if place.row and self.further:
            here = os.path.exists(place.path)
            loop = self.reader(place.id).read_loop(place.path) if here else None
            return place.row, self.further.page_of(place.id, loop)
        loop = self.reader(place.id).read_loop(place.path)
        changed_at = loop.clock.ended_at or os.stat(place.path).st_mtime
        runner_gone = _is_runner_gone(place, loop)
        return board_row(loop, place.root, changed_at, runner_gone), loop_page(loop)

    def _find_loops(self) -> None:
        """Look at the notes that are new or changed, and at those that may still change."""
        stamps = {stamp.path: stamp for stamp in note_stamps()}
        for path in self._notes.keys() - stamps.keys():
            self._forget_project(path)
        now = time.time()
        for path, stamp in stamps.items():
            is_recent = abs(now - stamp.written_at) < RECENT_SECONDS
            if is_recent or self._notes.get(path) != stamp:
                self._look_at_project(path, stamp)
        self._notes = stamps

    def _forget_project(self, note_path: str) -> None:
        project = self._projects.pop(note_path, None)
        if project:
            self._archives.pop(project.root, None)
            self._drop_loops(project.root, keep=())

    def _drop_loops(self, root: str, keep: Collection[str], archived: bool | None = None) -> None:
        """Drop the loops of a folder that are not there any more."""
        places = [seen.place for seen in self._loops.values() if seen.place.root == root]
        for place in places:
            if place.id not in keep and archived in (None, place.is_archived):
                del self._loops[place.id]
                self._version += 1

    def _look_at_project(self, note_path: str, stamp: NoteStamp) -> None:
        project = read_project(stamp)
        if project is None:
            self._forget_project(note_path)
            return
        self._projects[note_path] = project
        folder = LoopFolder(project.root)
        version = _folder_version(folder.path_of("history"))
        if self._archives.get(project.root) != version:
            self._archives[project.root] = version
            self._look_at_archive(folder)
        active = os.path.exists(folder.journal_path)
        if active:
            self._note_place(LoopPlace(project.loop_id, project.root, folder.journal_path, False))
        self._drop_loops(project.root, keep=(project.loop_id,) * active, archived=False)

    def _look_at_archive(self, folder: LoopFolder) -> None:
        history = folder.path_of("history")
        names = os.listdir(history) if os.path.isdir(history) else []
        self._drop_loops(folder.root, keep=names, archived=True)
        for name in names:
            path = os.path.join(history, name, "journal.jsonl")
            self._note_place(LoopPlace(name, folder.root, path, True))

    def _note_place(self, place: LoopPlace) -> None:
        """Remember the loop; one that was read before and has changed is read again at once."""
        stamp, before = journal_stamp(place.path), self._loops.get(place.id)
        if stamp is None or (before and (before.place, before.stamp) == (place, stamp)):
            return
        seen = _Seen(place, stamp, before.row if before else None)
        self._loops[place.id] = seen
        if seen.row:
            self._read_row(seen)

    def _look_for_gone_runners(self) -> None:
        """A runner that is killed writes no line: only its lock tells."""
        for seen in list(self._loops.values()):
            if seen.driven and _is_runner_gone(seen.place, seen.driven) != seen.runner_gone:
                self._read_row(seen)

    def _read_row(self, seen: _Seen) -> None:
        self._loops[seen.place.id] = read_seen(seen)
        self._version += 1


def _folder_version(path: str) -> int:
    """Changes when a name in the folder does; 0 if there is no such folder."""
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _archived_place(place: LoopPlace) -> LoopPlace:
    path = LoopFolder(place.root).path_of("history", place.id, "journal.jsonl")
    return place.but(path=path, is_archived=True)


def _is_runner_gone(place: LoopPlace, loop: Loop) -> bool:
    try:
        return is_runner_gone(LoopFolder(place.root), loop)
    except (OSError, LocksUnsupported):  # it cannot be told
        return False


def read_seen(seen: _Seen) -> _Seen:
    """The loop with its row; foreign if it is not this user's, or did not end here."""
    place, folder = seen.place, LoopFolder(seen.place.root)
    changed_at = seen.stamp.version / 1e9
    foreign = seen.but(row=None, is_foreign=True)
    if place.is_archived and not sealed_end(place.id)[1]:  # no loop of this name ended here
        return foreign
    try:
        tail = journal.read(place.path)
        if place.is_archived:
            if not is_sealed(folder, place.id, tail):
                return foreign
        else:
            folder.require_ownership(tail.loop)
    except UntrustedFolder:
        return foreign
    except FileNotFoundError:  # it moves to the archive at this moment
        return foreign
    except (OSError, journal.JournalError) as error:
        row = unreadable_row(place.id, place.root, changed_at, str(error))
        return seen.but(row=row, is_foreign=False, driven=None)
    loop = tail.loop
    runner_gone = _is_runner_gone(place, loop)
    return seen.but(
        row=board_row(loop, place.root, changed_at, runner_gone),
        is_foreign=False,
        driven=loop if loop.status == "running" and loop.headless_run else None,
        runner_gone=runner_gone,
    )
