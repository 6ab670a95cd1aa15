"""The .loop/ folder: open it under its lock, read edits of the mirror, commit a Move, archive."""

from __future__ import annotations

import time

from ..core.directives import Move
from ..core.json_text import dumps
from ..core.loop import Loop
from ..core.record import digest, encode
from ..core.signals import Signal
from ..core.status import ENDED
from ..disk import files
from ..disk.files import open_at_once
from ..disk.light_os import os
from ..disk.lock import FileLock
from ..disk.user_folders import state_home
from . import journal, mirror, second_copy
from .mirror_file import MirrorFile
from .moment import boot_id, current_moment, skipped_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from .page_file import BacklogPageFile

LOCK_SECONDS = 5.0
MAX_NOTE_CHARS = 100_000
FILE_NAMES = ("journal.jsonl", "lock", "driver")
LINK_ADVICE = "a link or a pipe, and we write through none. Look where it leads, and remove it"
FOLDER_ADVICE = "a folder, and a file of ours belongs there. Look into it, and remove it"


class UnsafePath(journal.JournalError):
    """A link, a pipe or something else that we do not write through has the name of our file."""


class NoLoop(Exception):
    """No loop is active in the folder, or it ended just now."""


class UntrustedFolder(Exception):
    """This user did not start the loop here: it was cloned or copied, and is not allowed yet."""


def read_note(path: str) -> list[str]:
    """The lines of a user's note: loop, folder, head; one empty line if it cannot be read."""
    return (files.read_text(path, MAX_NOTE_CHARS, exact=True) or "").split("\n")


def is_session_name(holder: str) -> bool:
    """Is it the id of a session, and safe as the name of a file? A runner is `runner:<pid>`."""
    return bool(holder) and holder.replace("-", "").replace("_", "").isalnum() and holder.isascii()


def session_path(session: str) -> str:
    """The file that names the folder whose loop this session holds."""
    return os.path.join(state_home(), "sessions", session)


class LoopFolder:
    """One `.loop/` folder, with at most one loop in it."""

    def __init__(self, root: str, lock_timeout_seconds: float = LOCK_SECONDS) -> None:
        self.root, self.lock_timeout_seconds = root, lock_timeout_seconds
        self.path = os.path.join(root, ".loop")
        self.journal_path = os.path.join(self.path, "journal.jsonl")
        self.mirror_path = os.path.join(self.path, "state.json")
        # The user's note of this folder, outside it: the loop started here and its journal's head.
        self.real_root = os.path.realpath(root)
        key = digest(os.fsencode(self.real_root))
        self.note_path = os.path.join(state_home(), "loops", key)
        # A runner puts a journal back that is gone or was changed; everybody else asks the person.
        self.restore_missing: Callable[[], object] | None = None
        self.restore_changed: Callable[[], bool] | None = None

    def path_of(self, *names: str) -> str:
        return os.path.join(self.path, *names)

    def require_plain_files(self) -> None:
        """Refuse links and pipes: they would let a repository choose where we write."""
        if os.path.islink(self.path):
            raise UnsafePath(f"{self.path} is {LINK_ADVICE}")
        problem = ""
        try:
            for entry in os.scandir(self.path):
                problem = _entry_problem(entry) or problem
        except FileNotFoundError:  # no folder, so no link in it
            return
        if problem:
            raise UnsafePath(problem)

    def read_loop(self) -> Loop | None:
        """The current loop, read without the lock."""
        self.require_plain_files()
        self.restore_if_missing()
        try:
            loop = self._read_own_loop()
        except FileNotFoundError:
            return None
        except (journal.JournalError, UntrustedFolder) as error:
            if not self.is_restored_after(error):
                raise
            loop = self._read_own_loop()
        if loop.status in ENDED:  # a crash came between its end and its archive
            try:
                with self.locked() as book:  # the next loop may have started by now
                    return book.loop
            except NoLoop:
                return None
        return loop

    def _read_own_loop(self) -> Loop:
        loop = journal.read(self.journal_path).loop
        self.require_ownership(loop)
        return loop

    def is_restored_after(self, error: Exception) -> bool:
        """Has our runner put the journal back that this error is about?"""
        is_ours_to_restore = not isinstance(error, UnsafePath | journal.NewerFormat)
        return bool(is_ours_to_restore and self.restore_changed and self.restore_changed())

    def restore_if_missing(self) -> None:
        if self.restore_missing and not os.path.exists(self.journal_path):
            self.restore_missing()

    def require_ownership(self, loop: Loop) -> list[str]:
        """The lines of the user's note of this loop; UntrustedFolder without one."""
        try:
            data = files.read_bytes(self.note_path)
            note_lines = data.decode("utf-8", "surrogateescape").split("\n")
            if note_lines[0] == loop.id:
                return note_lines
        except FileNotFoundError:  # other disk errors propagate: they say nothing about ownership
            if os.environ.get("LOOP_INBOX") == self.path_of("inbox"):
                return []  # an agent in a sandbox, which hides the note and cannot write here
        # Claude Code's sandbox hides our note. It lets `loop` out, but no line with more in it.
        if os.environ.get("SANDBOX_RUNTIME"):
            raise UntrustedFolder(
                f"this sandbox hides whose loop {self.path} is. "
                "Run `loop ...` as a command of its own, without `cd`, `&&`, `;` or a pipe."
            )
        raise UntrustedFolder(
            f"{self.path} was not started here by you. Read it, then run `loop allow` to trust it."
        )

    def write_note(self, loop_id: str, head: str, before: str, fresh: bool = False) -> None:
        """Record that this loop is the user's and that its journal ends with `head`.

        `before` is the head that the journal still has if we die before the line is appended.
        """
        boot = boot_id()
        lines = (loop_id, self.real_root, head, before, boot, "")
        data = "\n".join(lines).encode("utf-8", "surrogateescape")
        # Overwriting does not wait for the disk: after a reboot an outdated note is accepted. If
        # the system has no boot id, a reboot cannot be detected, so we wait.
        if fresh or not files.overwrite_in_place(self.note_path, data, wait=not boot):
            files.write_atomic(self.note_path, data)

    def require_unchanged_journal(self, tail: journal.Tail, note_lines: list[str]) -> None:
        """The journal must end as the note says; after a reboot the note may be older."""
        _, _, head, before, *_ = (*note_lines, "", "")
        if not before or tail.head in (head, before):  # an earlier version wrote no `before`
            return
        if self.note_may_be_outdated():
            digests = journal.line_digests(self.journal_path)
            if head in digests or before in digests:
                return
        raise journal.JournalChanged(
            f"{self.journal_path} is not as we left it: cut off, edited or added to. "
            "`loop audit` says where, `loop restore` puts our copy back, "
            "`loop allow` takes it as it is"
        )

    def note_may_be_outdated(self) -> bool:
        """May the last write of the note be lost, because the machine has rebooted since?"""
        with open(self.note_path, "rb", opener=open_at_once) as file:
            return boot_id().encode() not in file.read().split(b"\n")

    def locked(self, wait: float = 0.0) -> LockedFolder:
        return LockedFolder(self, wait or self.lock_timeout_seconds)

    def remove_halt_files(self, *names: str) -> None:
        for name in names or ("halt", "STOP"):
            files.remove_file(self.path_of(name))  # another driver may have removed it first

    def note_session(self, holder: str, before: str = "") -> None:
        """Record outside the project which folder's loop a session holds, wherever it goes."""
        if is_session_name(before) and before != holder:
            try:
                os.remove(session_path(before))
            except OSError:  # there was none
                pass
        if is_session_name(holder):
            path = session_path(holder)
            files.make_folder(os.path.dirname(path))
            root = os.path.realpath(self.root)
            files.write_atomic(path, os.fsencode(root) + b"\n", wait=False)

    def archive_loop(self, loop: Loop) -> str:
        """Move an ended loop to history. A crash in between is repaired at the next opening."""
        from .archive import move_to_history, write_seal

        if os.path.exists(self.journal_path):
            write_seal(self.real_root, loop.id, journal.read(self.journal_path))
        history = move_to_history(self.root, self.path, loop)
        second_copy.drop_second_copy(self.real_root, loop.id)
        return history


def _entry_problem(entry: os.DirEntry[str]) -> str:
    """Why we do not write through this entry; "" if we may."""
    if entry.is_dir(follow_symlinks=False):
        return f"{entry.path} is {FOLDER_ADVICE}" if entry.name in FILE_NAMES else ""
    if entry.is_file(follow_symlinks=False):
        return ""
    # The mirror may be a link to a file: it is always replaced, never written in place.
    if entry.name == "state.json" and os.path.isfile(entry.path):
        return ""
    return f"{entry.path} is {LINK_ADVICE}"


class LockedFolder:
    """The folder while we hold its lock: the loop, edits that came in, and the right to write."""

    def __init__(self, folder: LoopFolder, wait: float) -> None:
        self.folder = folder
        self._lock = FileLock(folder.path_of("lock"), wait)
        self.inbox: tuple[Signal, ...] = ()
        self._mirror_file = MirrorFile(folder.root, folder.path, folder.note_may_be_outdated)
        self._page_file: BacklogPageFile | None = None

    def __enter__(self) -> LockedFolder:
        try:
            return self._open()
        except (journal.JournalError, UntrustedFolder) as error:
            if not self.folder.is_restored_after(error):
                raise
        return self._open()

    def _open(self) -> LockedFolder:
        self.folder.require_plain_files()
        self.folder.restore_if_missing()
        try:
            self._lock.__enter__()
        except FileNotFoundError as error:  # the whole folder is gone
            raise NoLoop(f"no active loop in {self.folder.root}") from error
        try:
            self._open_loop()
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.release()

    def _open_loop(self) -> None:
        try:
            self._tail = journal.read(self.folder.journal_path)
        except FileNotFoundError as error:
            raise NoLoop(f"no active loop in {self.folder.root}") from error
        self.loop = self._tail.loop
        note_lines = self.folder.require_ownership(self.loop)
        self.folder.require_unchanged_journal(self._tail, note_lines)
        if self.loop.status in ENDED:
            self.folder.archive_loop(self.loop)
            raise NoLoop(f"the loop in {self.folder.root} has ended ({self.loop.status})")
        second_copy.keep_second_copy(self.folder.real_root, self.folder.journal_path, self._tail)
        now = current_moment()
        if self.loop.clock.running_since and (skipped := skipped_seconds(self._tail.moment, now)):
            from ..core.signals import ClockSkipped

            self.inbox = (ClockSkipped(now.at, skipped),)
        self.inbox += self._mirror_file.read_edits(self._tail, note_lines, time.time())
        if self.loop.backlog:
            from .page_file import BacklogPageFile

            self._page_file = BacklogPageFile(self.folder.root, self.folder.path)
            self.inbox += self._page_file.read_edits(time.time())

    def commit(self, move: Move, signal: Signal) -> None:
        """Append the journal line, then write the mirror and the page.

        A crash in between leaves a mirror that is one line old.
        """
        self.inbox = ()
        if not move.events:
            return
        loop, before = move.loop, self._tail
        body = mirror.render_mirror(loop)
        mirrored, signal_digest = digest(body), digest(dumps(encode(signal)).encode())
        moment = current_moment()
        data = journal.encode_move(
            before, loop, move.events, mirrored, moment.at, signal_digest, moment
        )
        head = digest(data[:-1])
        self.folder.write_note(loop.id, head, before.head)
        journal.append_line(self.folder.journal_path, data, before)
        self.folder.write_note(loop.id, head, head)
        self._tail = journal.Tail(
            loop=loop,
            seq=before.seq + 1,
            head=head,
            mirror_digest=mirrored,
            previous_mirror_digest=before.mirror_digest,
            size=before.size + len(data),
            moment=moment,
            whole_bytes=len(data) if before.is_whole_due else before.whole_bytes,
        )
        journal.remember_line(self.folder.journal_path, data, before, self._tail)
        second_copy.extend_copy(self.folder.journal_path, loop.id, self._tail.size)
        self.loop = loop
        if self._mirror_file.write(loop, body, mirrored) and self._page_file:
            # One backup per Stop, not one after each of its checks.
            self._page_file.write_page(loop, backup=before.loop.check_round is None)
        if loop.lease != before.loop.lease:  # hook/halt.sh reads this file
            files.write_atomic(self.folder.path_of("driver"), loop.lease.holder.encode() + b"\n")
            self.folder.note_session(loop.lease.holder, before.loop.lease.holder)
        if loop.status in ENDED:
            self.folder.archive_loop(loop)
            self.folder.note_session("", loop.lease.holder)
        elif self._page_file and _pauses_by_itself(loop, before.loop):
            self._page_file.archive_copy()


def _pauses_by_itself(loop: Loop, before: Loop) -> bool:
    """Does this Move pause the loop without an order of a person?"""
    is_new = loop.status == "paused" and before.status != "paused"
    return is_new and loop.pause.cause != "person"
