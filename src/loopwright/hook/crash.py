"""The only place in the hook that catches everything: our own bug never traps a person."""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def report_crash(error: BaseException, root: str, style: str) -> dict[str, Any]:
    """Write a crash note beside the loop and allow the stop, with one line for the person."""
    from ..verify.redact import redact_text

    place, shown = (
        _write_note(error, root, redact_text),
        f"{type(error).__name__}({redact_text(str(error))!r})"[:200],
    )
    if style == "ok":
        return {"ok": True, "reason": f"loopwright failed: {shown}"}
    if style == "gsd":
        return {"decision": "allow"}
    told = f"[LOOP] Our own error, so the stop is allowed: {shown}. The loop is kept."
    return {"systemMessage": f"{told} Note: {place}. See: `loop doctor`" if place else told}


def _write_note(error: BaseException, root: str, redact: Callable[[str], str]) -> str:
    import traceback

    if not root:
        return ""
    place = os.path.join(
        root, ".loop", "crash", f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    )
    try:
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        note = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:
        return ""
    try:
        with open(note, "w", encoding="utf-8", errors="replace") as file:
            file.write(redact("".join(traceback.format_exception(error))))
    except OSError:  # no room: half a note helps nobody
        try:
            os.remove(place)
            os.rmdir(os.path.dirname(place))  # unless there are others
        except OSError:
            pass
        return ""
    return os.path.relpath(place, root)
