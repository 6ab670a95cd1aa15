"""The command of one preset, /loop:NAME: a skill of the plugin for ours, a user command for the user's own."""

from __future__ import annotations

import json
import os

from ..store.presets import Preset
from .values import filled

TEMPLATE = os.path.join(os.path.dirname(__file__), "preset.md")
MARK = "Written by Loopwright from a preset; `loop plugin presets` or /loop:build writes it anew."


def skill(preset: Preset) -> bytes:
    return command(preset).replace(b"---\n", f"---\nname: {preset.name}\n".encode(), 1)


def command(preset: Preset) -> bytes:
    """Of the preset's texts only the description is in it, as a quoted word; the rest is read when the loop starts."""
    with open(TEMPLATE, "rb") as file:
        data = file.read().replace(b"\r\n", b"\n")
    about = json.dumps(" ".join(preset.description.split())[:300] or f"Improve with your own preset {preset.name}")
    return filled(data, {"name": preset.name, "mark": MARK, "description": about}, "preset.md")
