"""List the presets of discovery loops, built-in and your own, or show one in full."""

from __future__ import annotations

import argparse
import json

from ...core.prompts.discovery import suggestion
from ...store import presets
from .. import exits, output
from ..argument_kinds import add_json, add_word

EXAMPLES = """  loop presets
  loop presets ui
  loop presets --json"""


def arguments(parser: argparse.ArgumentParser) -> None:
    add_word(parser, "name", "a preset to show in full (default: list all)")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    shown, problems = presets.usable_presets()
    if args.name:
        shown = {args.name: presets.find_preset(args.name)}
    for problem in problems:
        output.show_warning(f"not read: {problem}")
    if args.json:
        output.show_json([preset_facts(preset) for preset in shown.values()])
    elif args.name:
        output.show_text("\n".join(preset_lines(shown[args.name])))
    else:
        output.show_text("\n".join(overview_lines(shown)))
        output.show_text(
            f"\nYour own: a table each in {presets.user_files()[-1]}, "
            "then `loop plugin presets` or /loop:build"
        )
    return exits.PROVEN


def overview_lines(shown: dict[str, presets.Preset]) -> list[str]:
    width = max(map(len, shown))
    lines = []
    for name, preset in shown.items():
        mark = " (yours)" if preset.user_defined else ""
        lines.append(f"{name:<{width}}  {preset.description}{mark}")
    return lines


def preset_facts(preset: presets.Preset) -> dict[str, object]:
    return {
        "name": preset.name,
        "description": preset.description,
        "look_for": preset.look_for,
        "guidance": preset.guidance,
        "suggestions": list(preset.suggestions),
        "own": preset.user_defined,
    }


def preset_lines(preset: presets.Preset) -> list[str]:
    lines = [f"{preset.name}: {preset.description}", f"looks for: {preset.look_for}"]
    guidance = [f"  {line}" for line in preset.guidance.strip().splitlines()]
    if guidance:
        lines += ["guidance:", *guidance]
    lines.append("suggestions, one a turn (iteration % how many):")
    lines += [f"  {number}. {text}" for number, text in enumerate(preset.suggestions)]
    return lines


def print_suggestion(words: list[str]) -> int:
    """Run hooks/get-suggestion.py PRESET ITERATION: print one JSON object in its documented format.

    The exit code is 1 for an error.
    """
    if len(words) != 2:
        return _print_error("usage: python hooks/get-suggestion.py PRESET ITERATION")
    name, number = words
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        return _print_error(f"the iteration must be a number, not {number[:40]!r}")
    available, problems = presets.usable_presets()
    for problem in problems:
        output.show_warning(f"not read: {problem}")
    if name not in available:
        output.show_warning(
            f"no preset {name!r}: generic stands in for it. There are: {', '.join(available)}"
        )
        name = "generic"
    suggestions = available[name].suggestions
    index, text = suggestion(suggestions, int(number))
    answer = {
        "preset": name,
        "suggestion": text,
        "suggestion_index": index,
        "total_suggestions": len(suggestions),
    }
    print(json.dumps(answer))
    return 0


def _print_error(message: str) -> int:
    print(json.dumps({"error": True, "message": message}))
    return 1
