"""The only place in the hook that catches everything: our own bug never traps a person."""

from __future__ import annotations

import time

from ..disk.light_os import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any


class CrashGuard:
    """`with guard:` turns any error inside into an answer that allows the stop.

    The body sets `root` as soon as it knows the loop's folder, and `answer` at its end.
    """

    def __init__(self, style: str) -> None:
        self.style = style
        self.root = ""
        self.answer: dict[str, Any] = {}

    def __enter__(self) -> CrashGuard:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self.answer = report_crash(error, self.root, self.style)
        return True


def report_crash(error: BaseException, root: str, style: str) -> dict[str, Any]:
    """Write a crash note beside the loop and allow the stop, with one line for the person."""
    from ..disk.problems import disk_problem
    from ..verify.redact import redact_text

    problem, way_out = disk_problem(error)
    if problem and style == "claude":
        message = f"[LOOP] The stop is allowed, because {redact_text(problem)}. The loop is kept."
        return {"systemMessage": f"{message} {way_out}, then prompt again. {_doctor_hint()}"}
    note = _write_note(error, root, redact_text)
    summary = f"{type(error).__name__}({redact_text(str(error))!r})"[:200]
    if style == "ok":
        return {"ok": True, "reason": f"loopwright failed: {summary}"}
    if style == "gsd":
        return {"decision": "allow"}
    message = f"[LOOP] Our own error, so the stop is allowed: {summary}. The loop is kept."
    if note:
        message = f"{message} Note: {note}. {_doctor_hint()}"
    return {"systemMessage": message}


def _doctor_hint() -> str:
    """The hint as it is typed here; a session with the plugin runs shell commands with `!`."""
    return f"See: `{'!' if os.environ.get('CLAUDE_PLUGIN_ROOT') else ''}loop doctor`"


def _write_note(error: BaseException, root: str, redact: Callable[[str], str]) -> str:
    """The path of the note from the project's root; "" when there is no root or no room."""
    import traceback

    if not root:
        return ""
    folder = os.path.join(root, ".loop", "crash")
    path = os.path.join(folder, f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:
        return ""
    try:
        with open(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(redact("".join(traceback.format_exception(error))))
    except OSError:  # no room on the disk: half a note is useless
        try:
            os.remove(path)
            os.rmdir(folder)  # fails when there are other notes, which is fine
        except OSError:
            pass
        return ""
    return os.path.relpath(path, root)
