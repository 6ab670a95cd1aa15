"""The presets of discovery loops, ours and your own: their names, or all that one of them says."""

from __future__ import annotations

import argparse
import json

from ..core.coaching import suggestion
from ..store import presets
from ..store.config import ConfigError
from . import exits, output

EXAMPLES = """  loop presets
  loop presets ui
  loop presets --json"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", default="", help="show this one in full")
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    known = {args.name: presets.named(args.name)} if args.name else presets.presets()
    if args.json:
        output.show_json([{**preset.__dict__, "suggestions": list(preset.suggestions)} for preset in known.values()])
    elif args.name:
        output.show("\n".join(whole(known[args.name])))
    else:
        width = max(map(len, known))
        output.show("\n".join(f"{name:<{width}}  {p.description}{' (yours)' if p.own else ''}" for name, p in known.items()))
        output.show(f"\nYour own: a table each in {presets.user_files()[-1]}, then `loop plugin presets` or /loop:build")
    return exits.PROVEN


def whole(preset: presets.Preset) -> list[str]:
    guidance = [f"  {line}" for line in preset.guidance.strip().splitlines()]
    return [
        f"{preset.name}: {preset.description}",
        f"looks for: {preset.look_for}",
        *(["guidance:", *guidance] if guidance else []),
        "suggestions, one a turn (iteration % how many):",
        *(f"  {number}. {text}" for number, text in enumerate(preset.suggestions)),
    ]


def rotate(words: list[str]) -> int:
    """hooks/get-suggestion.py PRESET ITERATION, as the seed has it: one JSON object, exit code 1 for an error."""
    if len(words) != 2:
        return _error("usage: python hooks/get-suggestion.py PRESET ITERATION")
    name, number = words
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        return _error(f"the iteration must be a number, not {number[:40]!r}")
    try:
        known = presets.presets()
    except ConfigError as error:
        return _error(str(error))
    if name not in known:
        output.warn(f"no preset {name!r}: generic stands in for it. There are: {', '.join(known)}")
        name = "generic"
    index, text = suggestion(known[name].suggestions, int(number))
    total = len(known[name].suggestions)
    print(json.dumps({"preset": name, "suggestion": text, "suggestion_index": index, "total_suggestions": total}))
    return 0


def _error(message: str) -> int:
    print(json.dumps({"error": True, "message": message}))
    return 1
