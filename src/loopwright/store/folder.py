"""The .loop/ folder: open it under its lock, see what was edited, commit a Move, archive what has ended."""

from __future__ import annotations

import os
import time

from ..core.directives import Move
from ..core.json_text import dumps
from ..core.loop import Loop
from ..core.record import digest, encode
from ..core.signals import MirrorLost, Signal
from ..core.status import ENDED
from ..disk import files
from ..disk.lock import FileLock
from . import journal, mirror

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from .page_file import BacklogPageFile

LOCK_SECONDS = 5.0
FILE_NAMES = ("journal.jsonl", "lock", "driver")
LINK_ADVICE = "a link or a pipe, and we write through none. Look where it leads, and remove it"
FOLDER_ADVICE = "a folder, and a file of ours belongs there. Look into it, and remove it"


class UnsafePath(journal.JournalError):
    """Where a file or folder of ours would be lies a link, a pipe, or something else that we do not write through."""


class NoLoop(Exception):
    """No loop is active in the folder, or it ended just now."""


class UntrustedFolder(Exception):
    """A .loop/ that was not started here by this user (it came with a repository, or was copied): inert until allowed."""


def state_home() -> str:
    """The user's own state folder, outside every project."""
    base = os.environ.get("XDG_STATE_HOME") or os.path.join(
        os.path.expanduser("~"), ".local", "state"
    )
    return os.path.join(base, "loopwright")


def boot_id() -> str:
    """Which start of the machine this is; "" where it does not say."""
    try:
        with open("/proc/sys/kernel/random/boot_id", "rb") as file:
            return file.read(64).decode("ascii", "replace").strip()
    except OSError:
        return ""


class LoopFolder:
    """One `.loop/` folder. At most one loop lives in it. `lock_timeout_seconds` is how long its lock is waited for."""

    def __init__(self, root: str, lock_timeout_seconds: float = LOCK_SECONDS) -> None:
        self.root, self.lock_timeout_seconds = root, lock_timeout_seconds
        self.path = os.path.join(root, ".loop")
        self.journal_path = os.path.join(self.path, "journal.jsonl")
        self.mirror_path = os.path.join(self.path, "state.json")
        # The user's own note of this folder, outside it: the loop that was started here, and the head of its journal.
        self.note_path = os.path.join(
            state_home(), "loops", digest(os.fsencode(os.path.realpath(root)))
        )

    def path_of(self, *names: str) -> str:
        return os.path.join(self.path, *names)

    def require_plain_files(self) -> None:
        """Only files and folders, no link that leads where somebody else likes. (The mirror is never written, but replaced.)"""
        wrong, why = self.path if os.path.islink(self.path) else "", LINK_ADVICE
        try:
            for entry in () if wrong else os.scandir(self.path):
                mirrored = entry.name == "state.json" and os.path.isfile(entry.path)
                is_folder = entry.is_dir(follow_symlinks=False)
                if is_folder and entry.name in FILE_NAMES:
                    wrong, why = entry.path, FOLDER_ADVICE
                elif not (is_folder or mirrored or entry.is_file(follow_symlinks=False)):
                    wrong, why = entry.path, LINK_ADVICE
        except FileNotFoundError:  # no folder, no link
            return
        if wrong:
            raise UnsafePath(f"{wrong} is {why}")

    def read_loop(self) -> Loop | None:
        """The loop as it stands, without the lock: for those who only look."""
        self.require_plain_files()
        try:
            loop = journal.read(self.journal_path).loop
        except FileNotFoundError:
            return None
        self.require_ownership(loop)
        if loop.status in ENDED:  # a crash came between its end and its archive
            try:
                with self.locked() as book:  # or, by now, the next one is there
                    return book.loop
            except NoLoop:
                return None
        return loop

    def require_ownership(self, loop: Loop) -> list[str]:
        """The lines of our note on it."""
        try:
            with open(self.note_path, encoding="utf-8", errors="surrogateescape") as file:
                noted = file.read().split("\n")
            if noted[0] == loop.id:
                return noted
        except FileNotFoundError:  # any other error of the disk is not taken for a no
            pass
        raise UntrustedFolder(
            f"{self.path} was not started here by you. Read it, then run `loop allow` to trust it."
        )

    def write_note(self, loop_id: str, head: str, before: str, fresh: bool = False) -> None:
        """This loop, in this place, is the user's, and its journal ends with `head`; or with `before`, if we die right now."""
        lines = (loop_id, os.path.realpath(self.root), head, before, boot_id(), "")
        words = "\n".join(lines).encode("utf-8", "surrogateescape")
        # Over the old one nobody waits for the disk: after another boot an older note is enough. (If it has no name, we wait.)
        if fresh or not files.overwrite_in_place(self.note_path, words, wait=not lines[4]):
            files.write_atomic(self.note_path, words)

    def require_unchanged_journal(self, tail: journal.Tail, noted: list[str]) -> None:
        """A journal ends as our note says. Only a power cut may take the note's last words and leave the journal's."""
        _, _, head, before, *_ = (*noted, "", "")
        if not before or tail.head in (
            head,
            before,
        ):  # (a note without it is of an earlier version)
            return
        if self.note_may_be_outdated() and not {head, before}.isdisjoint(
            journal.line_digests(self.journal_path)
        ):
            return
        raise journal.JournalChanged(
            f"{self.journal_path} is not as we left it: cut off, edited or added to. "
            "`loop audit` says where, `loop allow` takes it as it is"
        )

    def note_may_be_outdated(self) -> bool:
        """May our note be older than the journal? Only if the machine was started anew since."""
        with open(self.note_path, "rb") as file:
            return boot_id().encode() not in file.read().split(b"\n")

    def locked(self, wait: float = 0.0) -> LockedFolder:
        return LockedFolder(self, wait or self.lock_timeout_seconds)

    def remove_halt_files(self, *names: str) -> None:
        for name in names or ("halt", "STOP"):
            try:
                os.remove(self.path_of(name))
            except FileNotFoundError:  # it is not there, or another driver was quicker
                pass

    def archive_loop(self, loop: Loop) -> str:
        """Move what has ended to history. Every step can be repeated, so a crash in between is finished later."""
        history = self.path_of("history", loop.id)
        files.make_folder(history)
        if os.path.exists(self.journal_path):
            write_seal(loop.id, journal.read(self.journal_path))
        files.write_atomic(os.path.join(history, "state.json"), mirror.render_mirror(loop))
        if loop.settings.keep_mirror:
            files.write_atomic(self.mirror_path, mirror.render_mirror(loop))
        elif os.path.exists(self.mirror_path):
            os.remove(self.mirror_path)
        if loop.backlog:
            from .page_file import BacklogPageFile

            BacklogPageFile(self.root, self.path).archive_page()
        for entry in os.scandir(self.path):
            if (
                entry.name.endswith(".tmp") and entry.is_file()
            ):  # the draft of a writer that was killed
                try:
                    os.remove(entry.path)
                except FileNotFoundError:  # it lives, and has become its file
                    pass
        # The journal last: while it lies there, we are not done.
        for name in ("evidence", "logs", "shape", "notes.md", "page.md", "journal.jsonl"):
            if name == "journal.jsonl":  # after a power cut, too, it lies beside what it names
                files.sync_folder(history)
                files.sync_folder(self.path)
            if os.path.exists(self.path_of(name)):
                files.replace_file(self.path_of(name), files.free_name(os.path.join(history, name)))
        return history


def write_seal(loop_id: str, tail: journal.Tail) -> None:
    """Keep how an ended journal ends outside the project, for `loop audit`."""
    place = seal_path(loop_id)
    files.make_folder(os.path.dirname(place))
    files.write_atomic(place, f"{tail.seq} {tail.head}\n".encode())
    files.sync_folder(os.path.dirname(place))


def seal_path(loop_id: str) -> str:
    return os.path.join(state_home(), "heads", loop_id)


class LockedFolder:
    """The folder while we hold its lock: the loop, what came in by the mirror, and the pen."""

    def __init__(self, folder: LoopFolder, wait: float) -> None:
        self.folder = folder
        self._lock = FileLock(folder.path_of("lock"), wait)
        self.inbox: tuple[Signal, ...] = ()
        self._mirror_deleted = False
        self._page_file: BacklogPageFile | None = None

    def __enter__(self) -> LockedFolder:
        self.folder.require_plain_files()
        try:
            self._lock.__enter__()
        except FileNotFoundError as error:  # the whole folder is gone
            raise NoLoop(f"no active loop in {self.folder.root}") from error
        try:
            self._tail = self._read_journal()
            self.loop = self._tail.loop
            self._note_lines = self.folder.require_ownership(self.loop)
            self.folder.require_unchanged_journal(self._tail, self._note_lines)
            if self.loop.status in ENDED:
                self.folder.archive_loop(self.loop)
                raise NoLoop(f"the loop in {self.folder.root} has ended ({self.loop.status})")
            self.inbox = self._read_mirror()
            if self.loop.backlog:
                from .page_file import BacklogPageFile

                self._page_file = BacklogPageFile(self.folder.root, self.folder.path)
                self.inbox += self._page_file.read_edits(time.time())
        except BaseException:
            self._lock.release()
            raise
        return self

    def _read_journal(self) -> journal.Tail:
        try:
            return journal.read(self.folder.journal_path)
        except FileNotFoundError as error:
            raise NoLoop(f"no active loop in {self.folder.root}") from error

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.release()

    def commit(self, move: Move, signal: Signal) -> None:
        """The journal line first, then the mirror: a crash in between leaves a mirror that is one line old."""
        self.inbox = ()
        if not move.events:
            return
        body = mirror.render_mirror(move.loop)
        mirrored, said = digest(body), digest(dumps(encode(signal)).encode())
        data = journal.encode_move(self._tail, move.loop, move.events, mirrored, time.time(), said)
        before, head = self._tail, digest(data[:-1])
        self.folder.write_note(move.loop.id, head, before.head)
        journal.append_line(self.folder.journal_path, data, before)
        self.folder.write_note(move.loop.id, head, head)
        self._tail = journal.Tail(
            move.loop, before.seq + 1, head, mirrored, before.mirror_digest, before.size + len(data)
        )
        self.loop = move.loop
        if not (
            self._mirror_deleted and move.loop.status == "paused"
        ):  # a person deleted it: `loop continue` brings it back
            files.write_atomic(self.folder.mirror_path, body, wait=False)
            self._mirror_deleted = False
            if self._page_file:
                self._page_file.write_page(
                    move.loop, backup=before.loop.check_round is None
                )  # once a Stop, not after each of its checks
        if move.loop.lease != before.loop.lease:
            files.write_atomic(
                self.folder.path_of("driver"), move.loop.lease.holder.encode() + b"\n"
            )  # for hook/halt.sh
        if move.loop.status in ENDED:
            self.folder.archive_loop(move.loop)
        elif (
            self._page_file
            and move.loop.status == "paused" != before.loop.status
            and move.loop.pause.cause != "person"
        ):
            self._page_file.archive_copy()

    def _read_mirror(self) -> tuple[Signal, ...]:
        now = time.time()
        try:
            with open(self.folder.mirror_path, "rb") as file:
                data = file.read(mirror.MAX_BYTES + 1)
        except FileNotFoundError:
            laid = (
                self._note_lines[2:3] == self._note_lines[3:4]
                and not self.folder.note_may_be_outdated()
            )
            if self._tail.seq == 1 and not laid:  # the start was cut short before it was written
                files.write_atomic(self.folder.mirror_path, mirror.render_mirror(self.loop))
                return ()
            self._mirror_deleted = True
            return (MirrorLost(now, "deleted"),)
        except IsADirectoryError:  # set aside like all that cannot be read
            data = b""
        found = digest(data)
        if found == self._tail.mirror_digest:
            return ()
        older = self.folder.note_may_be_outdated() and (
            not data or found in journal.mirror_digests(self.folder.journal_path)
        )
        if found == self._tail.previous_mirror_digest or older:
            files.write_atomic(self.folder.mirror_path, mirror.render_mirror(self.loop))
            return ()
        edit = mirror.read_edits(data, self.loop, now)
        if isinstance(edit, MirrorLost) and edit.how == "unreadable":
            aside = files.set_aside(self.folder.mirror_path, self.folder.path_of("aside"))
            edit = edit.but(aside_path=os.path.relpath(aside, self.folder.root))
        return (edit,)
