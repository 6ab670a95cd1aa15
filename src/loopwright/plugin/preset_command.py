"""The command of one preset, /loop:NAME.

It is a skill of the plugin for our presets, and a user command for the user's own.
"""

from __future__ import annotations

import json
import os

from ..store.presets import Preset
from .template_values import fill_template

TEMPLATE = os.path.join(os.path.dirname(__file__), "preset.md")
GENERATED_MARK = (
    "Written by Loopwright from a preset; `loop plugin presets` or /loop:build writes it again."
)


def skill_page(preset: Preset) -> bytes:
    return command_page(preset).replace(b"---\n", f"---\nname: {preset.name}\n".encode(), 1)


def command_page(preset: Preset) -> bytes:
    """Of the preset's texts it has only the description, quoted; the rest is read at the start."""
    with open(TEMPLATE, "rb") as file:
        template = file.read().replace(b"\r\n", b"\n")
    description = " ".join(preset.description.split())[:300]
    values = {
        "name": preset.name,
        "mark": GENERATED_MARK,
        "description": quoted_text(description or f"Improve with your own preset {preset.name}"),
    }
    return fill_template(template, values, "preset.md")


def quoted_text(text: str) -> str:
    """The text in quotes, as JSON and YAML both read it.

    JSON escapes a character such as an emoji as a pair, and YAML does not join the pair again.
    """
    return "".join(
        character if ord(character) > 0xFFFF else json.dumps(character)[1:-1] for character in text
    ).join('""')
