"""Events about state.json: what others wrote there that is not theirs to write."""

from __future__ import annotations

from .criteria import change_criteria
from .loop import Loop
from .record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class TamperingSeen(Record):
    fields: tuple[str, ...]


class MirrorCorrected(Record):
    fields: tuple[str, ...] = ()
    detailed: tuple[str, ...] = ()
    extra_json: str = ""


class MirrorRebuilt(Record):
    aside_path: str


def _apply_mirror_corrected(loop: Loop, e: MirrorCorrected) -> Loop:
    criteria = change_criteria(loop.criteria, e.detailed, lambda c: c.but(detailed=True))
    extra = e.extra_json or loop.settings.extra_json
    return loop.but(criteria=criteria, settings=loop.settings.but(extra_json=extra))


EVOLUTIONS: dict[str, Callable[[Loop, Any], Loop]] = {
    "TamperingSeen": lambda loop, e: loop,
    "MirrorCorrected": _apply_mirror_corrected,
    "MirrorRebuilt": lambda loop, e: loop,
}
