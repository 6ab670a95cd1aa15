"""The command of one preset, /loop:NAME: a skill of the plugin for ours, a user command for the user's own."""

from __future__ import annotations

import json
import os

from ..store.presets import Preset
from .template_values import fill_template

TEMPLATE = os.path.join(os.path.dirname(__file__), "preset.md")
GENERATED_MARK = (
    "Written by Loopwright from a preset; `loop plugin presets` or /loop:build writes it anew."
)


def skill_page(preset: Preset) -> bytes:
    return command_page(preset).replace(b"---\n", f"---\nname: {preset.name}\n".encode(), 1)


def command_page(preset: Preset) -> bytes:
    """Of the preset's texts only the description is in it, as a quoted word; the rest is read when the loop starts."""
    with open(TEMPLATE, "rb") as file:
        data = file.read().replace(b"\r\n", b"\n")
    about = json.dumps(
        " ".join(preset.description.split())[:300] or f"Improve with your own preset {preset.name}"
    )
    return fill_template(
        data, {"name": preset.name, "mark": GENERATED_MARK, "description": about}, "preset.md"
    )
