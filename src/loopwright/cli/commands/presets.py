"""The presets of discovery loops, ours and your own: their names, or all that one of them says."""

from __future__ import annotations

import argparse
import json

from ...core.prompts.discovery import suggestion
from ...store import presets
from ...store.config import ConfigError
from .. import exits, output

EXAMPLES = """  loop presets
  loop presets ui
  loop presets --json"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", default="", help="show this one in full")
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    known = {args.name: presets.find_preset(args.name)} if args.name else presets.all_presets()
    if args.json:
        output.show_json([preset_facts(preset) for preset in known.values()])
    elif args.name:
        output.show_text("\n".join(preset_lines(known[args.name])))
    else:
        width = max(map(len, known))
        output.show_text(
            "\n".join(
                f"{name:<{width}}  {p.description}{' (yours)' if p.user_defined else ''}"
                for name, p in known.items()
            )
        )
        output.show_text(
            f"\nYour own: a table each in {presets.user_files()[-1]}, then `loop plugin presets` or /loop:build"
        )
    return exits.PROVEN


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
    guidance = [f"  {line}" for line in preset.guidance.strip().splitlines()]
    return [
        f"{preset.name}: {preset.description}",
        f"looks for: {preset.look_for}",
        *(["guidance:", *guidance] if guidance else []),
        "suggestions, one a turn (iteration % how many):",
        *(f"  {number}. {text}" for number, text in enumerate(preset.suggestions)),
    ]


def print_suggestion(words: list[str]) -> int:
    """hooks/get-suggestion.py PRESET ITERATION, as the seed has it: one JSON object, exit code 1 for an error."""
    if len(words) != 2:
        return _print_error("usage: python hooks/get-suggestion.py PRESET ITERATION")
    name, number = words
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        return _print_error(f"the iteration must be a number, not {number[:40]!r}")
    try:
        known = presets.all_presets()
    except ConfigError as error:
        return _print_error(str(error))
    if name not in known:
        output.show_warning(
            f"no preset {name!r}: generic stands in for it. There are: {', '.join(known)}"
        )
        name = "generic"
    index, text = suggestion(known[name].suggestions, int(number))
    total = len(known[name].suggestions)
    print(
        json.dumps(
            {
                "preset": name,
                "suggestion": text,
                "suggestion_index": index,
                "total_suggestions": total,
            }
        )
    )
    return 0


def _print_error(message: str) -> int:
    print(json.dumps({"error": True, "message": message}))
    return 1
