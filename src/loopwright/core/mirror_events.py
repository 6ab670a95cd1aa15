"""Events about state.json: what others wrote there that is not theirs to write."""

from __future__ import annotations

from .criteria import change_criteria
from .event import Event
from .loop import Loop


class TamperingSeen(Event):
    fields: tuple[str, ...]


class MirrorCorrected(Event):
    fields: tuple[str, ...] = ()
    detailed: tuple[str, ...] = ()
    extra_json: str = ""

    def apply(self, loop: Loop) -> Loop:
        criteria = change_criteria(loop.criteria, self.detailed, lambda c: c.but(detailed=True))
        extra = self.extra_json or loop.settings.extra_json
        return loop.but(criteria=criteria, settings=loop.settings.but(extra_json=extra))


class MirrorRebuilt(Event):
    aside_path: str
