"""Answers one event once: a second hook of the same event repeats the answer and counts nothing.

A person may have registered our hook twice, in the plugin and in the settings. The client starts
both at the same moment with the same words and waits for both before the agent continues. So a
hook that was started before its session's last answer to these words is a second hook of the event.
Copilot starts one after the other, but says in both the same moment of the event.
"""

from __future__ import annotations

import time

from ..agents.claude.hooks import text_field
from ..core.json_text import JSONError, dumps, loads
from ..core.record import digest
from ..disk.files import read_text, rewrite_in_place
from ..disk.light_os import os
from ..disk.lock import FolderBusy, HeartbeatLock, LocksUnsupported
from ..disk.processes import process_fields
from ..store.folder import LoopFolder
from ..store.moment import boot_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Events that count something, or answer a person.
ONCE = ("Stop", "StopFailure", "UserPromptSubmit", "UserPromptExpansion")
# The other hook may run a round of checks: it is waited for as long as it shows signs of life.
SILENT_SECONDS = 5.0
# The second lock is for the hooks that no longer wait for a silent holder of the first.
LOCKS = ("answer.lock", "answer-2.lock")
MAX_CHARACTERS = 4_000_000
MAX_MILLISECONDS = 100_000_000_000_000
# A client that starts one hook after the other starts the next within this time. Not for ever: a
# client whose moments were all the same would else never be counted, and never end.
NEXT_HOOK_SECONDS = 10.0
IMPORTED_AT = time.monotonic()


def answer_once(
    data: dict[str, Any], folder: LoopFolder | None, answer: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """The answer to the event, or the one that another hook has given to it."""
    event, session = str(data.get("hook_event_name", "Stop")), text_field(data, "session_id")
    if folder is None or event not in ONCE or not session or is_foreign(folder, session):
        return answer()
    if os.path.islink(folder.path) or not os.path.exists(folder.note_path):
        return answer()  # not started here by this user: we write nothing into it
    lock = _lock_event(folder)
    if lock is None:  # the answer itself says what is wrong
        return answer()
    try:
        words = text_field(data, "last_assistant_message") or text_field(data, "prompt")
        path = folder.path_of("answered")
        key = f"{event} {session} {boot_id()} {digest(words.encode('utf-8', 'replace'))}"
        moment = moment_of(data.get("timestamp"))
        earlier = _read_answer(path, key, moment)
        if earlier is not None:
            return earlier
        size = _journal_size(folder)
        given = answer()
        if _journal_size(folder) != size:  # else it counted nothing, and may be given again
            _write_answer(path, key, moment, given)
        return given
    finally:
        lock.release()


def _lock_event(folder: LoopFolder) -> HeartbeatLock | None:
    """The lock under which one hook answers at a time; None if there is none to have.

    A holder that was stopped and continues later loses nothing but its answer: the checks that it
    ran belong to an earlier round, and their results are dropped.
    """
    for name in LOCKS:
        lock = HeartbeatLock(folder.path_of(name), SILENT_SECONDS)
        try:
            lock.__enter__()
        except FolderBusy:
            continue
        except (OSError, LocksUnsupported):
            return None
        return lock
    return None


def is_foreign(folder: LoopFolder, session: str) -> bool:
    """Does another session drive the loop? Then this one need not wait for its checks."""
    driver = read_text(folder.path_of("driver"), 300)
    return bool(driver and driver.strip() not in ("", session))


def _journal_size(folder: LoopFolder) -> int:
    """The size of the journal in bytes; 0 where there is none."""
    try:
        return os.lstat(folder.journal_path).st_size
    except OSError:
        return 0


def moment_of(stamp: object) -> str:
    """When the event was, to the millisecond; "" if the client does not say."""
    if isinstance(stamp, int) and 0 < stamp < MAX_MILLISECONDS:
        whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(stamp // 1000))
        return f"{whole}.{stamp % 1000:03d}Z"
    return stamp[:40] if isinstance(stamp, str) and "." in stamp else ""


def _read_answer(path: str, key: str, moment: str) -> dict[str, Any] | None:
    """The answer that was given to this event after our process had started, or just before."""
    text = read_text(path, MAX_CHARACTERS)
    try:
        earlier = loads(text) if text else None
    except JSONError:
        return None
    if not isinstance(earlier, dict) or earlier.get("key") != key:
        return None
    answered_at, answer = earlier.get("answered_at"), earlier.get("answer")
    if not isinstance(answered_at, int | float) or not isinstance(answer, dict):
        return None
    started_at = _process_started_at()
    if moment and moment == earlier.get("moment") and started_at < answered_at + NEXT_HOOK_SECONDS:
        return answer
    return answer if started_at < answered_at else None


def _write_answer(path: str, key: str, moment: str, answer: dict[str, Any]) -> None:
    at = _seconds_since_boot()
    record = {"key": key, "moment": moment, "answered_at": at, "answer": answer}
    try:
        rewrite_in_place(path, dumps(record).encode("utf-8", "replace"))
    except OSError:  # the folder is gone, or the disk is full
        pass


def _seconds_since_boot() -> float:
    """By the clock in which the system tells when a process started."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


def _process_started_at() -> float:
    """When the client started us; without /proc, when Python was ready."""
    fields = process_fields("self")
    # The time is cut to whole ticks, so we may have started up to one tick later.
    return (int(fields[19]) + 1) / os.sysconf("SC_CLK_TCK") if fields else IMPORTED_AT
