"""The only place in the hook that catches everything: our own bug never traps a person."""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def noted(error: BaseException, root: str, style: str) -> dict[str, Any]:
    """Write a crash note beside the loop and allow the stop, with one line for the person."""
    place = _write(error, root)
    if style == "ok":
        return {"ok": True, "reason": f"loopwright failed: {error!r:.200}"}
    if style == "gsd":
        return {"decision": "allow"}
    told = f"[LOOP] Our own error, so the stop is allowed: {error!r:.200}. The loop is kept."
    return {"systemMessage": f"{told} Note: {place}. See: `loop doctor`" if place else told}


def _write(error: BaseException, root: str) -> str:
    import traceback

    if not root:
        return ""
    place = os.path.join(root, ".loop", "crash", f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt")
    try:
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.writelines(traceback.format_exception(error))
    except OSError:
        return ""
    return os.path.relpath(place, root)
