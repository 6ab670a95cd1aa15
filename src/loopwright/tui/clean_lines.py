"""The last step before the terminal: no character that hides or turns text gets there."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from ..core.prompts.phrases import INVISIBLE_CHARACTERS


class CleanLines(LineFilter):
    """Every line of every widget passes here, so no widget has to think of it."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment
            if segment.control or segment.text.isascii()
            else segment._replace(text=segment.text.translate(INVISIBLE_CHARACTERS))
            for segment in segments
        ]
