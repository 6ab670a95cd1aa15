"""The .loop/ folder: open it under its lock, see what was edited, commit a Move, archive what has ended."""

from __future__ import annotations

import os
import sys
import time

from ..core.loop import ENDED, Loop
from ..core.record import digest, dumps, encode
from ..core.signals import MirrorLost, Move, Signal
from . import journal, mirror

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from .page_file import PageFile

LOCK_SECONDS = 5.0
FILES = ("journal.jsonl", "lock", "driver")
LINK = "a link or a pipe, and we write through none. Look where it leads, and remove it"
FOLDER = "a folder, and a file of ours belongs there. Look into it, and remove it"


class FolderBusy(Exception):
    """Another process holds the lock for longer than we wait."""


class NoLocks(Exception):
    """The file system gives no locks, so nobody could keep two drivers apart."""


class LeadsAway(journal.JournalError):
    """Where a file or folder of ours would be lies a link, a pipe, or something else that we do not write through."""


class NoLoop(Exception):
    """No loop is active in the folder, or it ended just now."""


class NotOurs(Exception):
    """A .loop/ that was not started here by this user (it came with a repository, or was copied): inert until allowed."""


def state_home() -> str:
    """The user's own state folder, outside every project."""
    base = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(base, "loopwright")


def boot() -> str:
    """Which start of the machine this is; "" where it does not say."""
    try:
        with open("/proc/sys/kernel/random/boot_id", "rb") as file:
            return file.read(64).decode("ascii", "replace").strip()
    except OSError:
        return ""


class LoopFolder:
    """One `.loop/` folder. At most one loop lives in it. `patience` is how long its lock is waited for."""

    def __init__(self, root: str, patience: float = LOCK_SECONDS) -> None:
        self.root, self.patience = root, patience
        self.path = os.path.join(root, ".loop")
        self.journal = os.path.join(self.path, "journal.jsonl")
        self.mirror = os.path.join(self.path, "state.json")
        # The user's own note of this folder, outside it: the loop that was started here, and the head of its journal.
        self.record = os.path.join(state_home(), "loops", digest(os.fsencode(os.path.realpath(root))))

    def inside(self, *names: str) -> str:
        return os.path.join(self.path, *names)

    def must_be_plain(self) -> None:
        """Only files and folders, no link that leads where somebody else likes. (The mirror is never written, but replaced.)"""
        wrong, why = self.path if os.path.islink(self.path) else "", LINK
        try:
            for entry in () if wrong else os.scandir(self.path):
                mirrored = entry.name == "state.json" and os.path.isfile(entry.path)
                is_folder = entry.is_dir(follow_symlinks=False)
                if is_folder and entry.name in FILES:
                    wrong, why = entry.path, FOLDER
                elif not (is_folder or mirrored or entry.is_file(follow_symlinks=False)):
                    wrong, why = entry.path, LINK
        except FileNotFoundError:  # no folder, no link
            return
        if wrong:
            raise LeadsAway(f"{wrong} is {why}")

    def peek(self) -> Loop | None:
        """The loop as it stands, without the lock: for those who only look."""
        self.must_be_plain()
        try:
            loop = journal.read(self.journal).loop
        except FileNotFoundError:
            return None
        self.must_own(loop)
        if loop.status in ENDED:  # a crash came between its end and its archive
            try:
                with self.locked() as book:  # or, by now, the next one is there
                    return book.loop
            except NoLoop:
                return None
        return loop

    def must_own(self, loop: Loop) -> list[str]:
        """The lines of our note on it."""
        try:
            with open(self.record, encoding="utf-8", errors="surrogateescape") as file:
                noted = file.read().split("\n")
            if noted[0] == loop.id:
                return noted
        except FileNotFoundError:  # any other error of the disk is not taken for a no
            pass
        raise NotOurs(f"{self.path} was not started here by you. Read it, then run `loop allow` to trust it.")

    def note(self, loop_id: str, head: str, before: str, fresh: bool = False) -> None:
        """This loop, in this place, is the user's, and its journal ends with `head`; or with `before`, if we die right now."""
        lines = (loop_id, os.path.realpath(self.root), head, before, boot(), "")
        words = "\n".join(lines).encode("utf-8", "surrogateescape")
        # Over the old one nobody waits for the disk: after another boot an older note is enough. (If it has no name, we wait.)
        if fresh or not journal.write_over(self.record, words, wait=not lines[4]):
            journal.write_atomic(self.record, words)

    def must_be_whole(self, tail: journal.Tail, noted: list[str]) -> None:
        """A journal ends as our note says. Only a power cut may take the note's last words and leave the journal's."""
        _, _, head, before, *_ = (*noted, "", "")
        if not before or tail.head in (head, before):  # (a note without it is of an earlier version)
            return
        if self.is_behind() and not {head, before}.isdisjoint(journal.heads(self.journal)):
            return
        raise journal.JournalChanged(
            f"{self.journal} is not as we left it: cut off, edited or added to. "
            "`loop audit` says where, `loop allow` takes it as it is"
        )

    def is_behind(self) -> bool:
        """May our note be older than the journal? Only if the machine was started anew since."""
        with open(self.record, "rb") as file:
            return boot().encode() not in file.read().split(b"\n")

    def locked(self, wait: float = 0.0) -> Book:
        return Book(self, wait or self.patience)

    def unhalt(self, *names: str) -> None:
        for name in names or ("halt", "STOP"):
            try:
                os.remove(self.inside(name))
            except FileNotFoundError:  # it is not there, or another driver was quicker
                pass

    def archive(self, loop: Loop) -> str:
        """Move what has ended to history. Every step can be repeated, so a crash in between is finished later."""
        history = self.inside("history", loop.id)
        journal.make_folder(history)
        if os.path.exists(self.journal):
            seal(loop.id, journal.read(self.journal))
        journal.write_atomic(os.path.join(history, "state.json"), mirror.render(loop))
        if loop.keep_mirror:
            journal.write_atomic(self.mirror, mirror.render(loop))
        elif os.path.exists(self.mirror):
            os.remove(self.mirror)
        if loop.backlog:
            from .page_file import PageFile

            PageFile(self.root, self.path).archive()
        for entry in os.scandir(self.path):
            if entry.name.endswith(".tmp") and entry.is_file():  # the draft of a writer that was killed
                try:
                    os.remove(entry.path)
                except FileNotFoundError:  # it lives, and has become its file
                    pass
        # The journal last: while it lies there, we are not done.
        for name in ("evidence", "logs", "shape", "notes.md", "page.md", "journal.jsonl"):
            if name == "journal.jsonl":  # after a power cut, too, it lies beside what it names
                journal.sync_folder(history)
                journal.sync_folder(self.path)
            if os.path.exists(self.inside(name)):
                journal.replace(self.inside(name), journal.free_name(os.path.join(history, name)))
        return history


def seal(loop_id: str, tail: journal.Tail) -> None:
    """Keep how an ended journal ends outside the project, for `loop audit`."""
    place = seal_of(loop_id)
    journal.make_folder(os.path.dirname(place))
    journal.write_atomic(place, f"{tail.seq} {tail.head}\n".encode())
    journal.sync_folder(os.path.dirname(place))


def seal_of(loop_id: str) -> str:
    return os.path.join(state_home(), "heads", loop_id)


class Book:
    """The folder while we hold its lock: the loop, what came in by the mirror, and the pen."""

    def __init__(self, folder: LoopFolder, wait: float) -> None:
        self.folder = folder
        self._lock = FileLock(folder.inside("lock"), wait)
        self.inbox: tuple[Signal, ...] = ()
        self._gone = False
        self._page: PageFile | None = None

    def __enter__(self) -> Book:
        self.folder.must_be_plain()
        try:
            self._lock.__enter__()
        except FileNotFoundError as error:  # the whole folder is gone
            raise NoLoop(f"no active loop in {self.folder.root}") from error
        try:
            self._tail = self._read_journal()
            self.loop = self._tail.loop
            self._noted = self.folder.must_own(self.loop)
            self.folder.must_be_whole(self._tail, self._noted)
            if self.loop.status in ENDED:
                self.folder.archive(self.loop)
                raise NoLoop(f"the loop in {self.folder.root} has ended ({self.loop.status})")
            self.inbox = self._read_mirror()
            if self.loop.backlog:
                from .page_file import PageFile

                self._page = PageFile(self.folder.root, self.folder.path)
                self.inbox += self._page.read(time.time())
        except BaseException:
            self._lock.release()
            raise
        return self

    def _read_journal(self) -> journal.Tail:
        try:
            return journal.read(self.folder.journal)
        except FileNotFoundError as error:
            raise NoLoop(f"no active loop in {self.folder.root}") from error

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._lock.release()

    def commit(self, move: Move, signal: Signal) -> None:
        """The journal line first, then the mirror: a crash in between leaves a mirror that is one line old."""
        self.inbox = ()
        if not move.events:
            return
        body = mirror.render(move.loop)
        mirrored, said = digest(body), digest(dumps(encode(signal)).encode())
        data = journal.line(self._tail, move.loop, move.events, mirrored, time.time(), said)
        before, head = self._tail, digest(data[:-1])
        self.folder.note(move.loop.id, head, before.head)
        journal.append(self.folder.journal, data, before)
        self.folder.note(move.loop.id, head, head)
        self._tail = journal.Tail(move.loop, before.seq + 1, head, mirrored, before.mirror, before.size + len(data))
        self.loop = move.loop
        if not (self._gone and move.loop.status == "paused"):  # a person deleted it: `loop continue` brings it back
            journal.write_atomic(self.folder.mirror, body, wait=False)
            self._gone = False
            if self._page:
                self._page.write(move.loop, backup=before.loop.turn is None)  # once a Stop, not after each of its checks
        if move.loop.lease != before.loop.lease:
            journal.write_atomic(self.folder.inside("driver"), move.loop.lease.holder.encode() + b"\n")  # for hook/halt.sh
        if move.loop.status in ENDED:
            self.folder.archive(move.loop)
        elif self._page and move.loop.status == "paused" != before.loop.status and move.loop.cause != "person":
            self._page.keep()

    def _read_mirror(self) -> tuple[Signal, ...]:
        now = time.time()
        try:
            with open(self.folder.mirror, "rb") as file:
                data = file.read(mirror.MOST + 1)
        except FileNotFoundError:
            laid = self._noted[2:3] == self._noted[3:4] and not self.folder.is_behind()
            if self._tail.seq == 1 and not laid:  # the start was cut short before it was written
                journal.write_atomic(self.folder.mirror, mirror.render(self.loop))
                return ()
            self._gone = True
            return (MirrorLost(now, "deleted"),)
        except IsADirectoryError:  # set aside like all that cannot be read
            data = b""
        found = digest(data)
        if found == self._tail.mirror:
            return ()
        older = self.folder.is_behind() and (not data or found in journal.mirrors(self.folder.journal))
        if found == self._tail.mirror_before or older:
            journal.write_atomic(self.folder.mirror, mirror.render(self.loop))
            return ()
        edit = mirror.read(data, self.loop, now)
        if isinstance(edit, MirrorLost) and edit.how == "unreadable":
            aside = journal.set_aside(self.folder.mirror, self.folder.inside("aside"))
            edit = edit.but(aside=os.path.relpath(aside, self.folder.root))
        return (edit,)


class FileLock:
    """An exclusive lock on a file of its own, waited for in small steps."""

    def __init__(self, path: str, wait: float) -> None:
        self.path, self.wait = path, wait

    def __enter__(self) -> None:
        self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | journal.PLAIN, 0o600)
        patience = time.monotonic() + self.wait
        try:
            while not _try_lock(self._fd):
                if time.monotonic() > patience:
                    raise FolderBusy(f"{self.path} is held by another process for over {self.wait:g} s")
                time.sleep(0.005)
        except BaseException as error:
            os.close(self._fd)
            if isinstance(error, OSError):
                where, why = os.path.dirname(self.path), error.strerror
                raise NoLocks(f"{where}: this file system gives no locks ({why}). Work on a local disk instead") from error
            raise

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        if sys.platform == "win32":  # closing releases it too, but there that may take a while
            import msvcrt

            msvcrt.locking(self._fd, msvcrt.LK_UNLCK, 1)
        os.close(self._fd)


if sys.platform == "win32":

    def _try_lock(fd: int) -> bool:
        import msvcrt

        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:

    def _try_lock(fd: int) -> bool:
        import fcntl

        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
