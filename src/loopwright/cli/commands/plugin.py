"""Build the plugin for Claude Code, plugins/claude with its marketplace file, and the commands of your own presets."""

from __future__ import annotations

import argparse
import os
import shlex

from ...drive.errors import UserError
from ...plugin import build, user_commands
from ...store import presets
from .. import exits, output

EXAMPLES = """  loop plugin build                      write plugins/claude and .claude-plugin/marketplace.json in this clone
  loop plugin build --check              say what is out of date; exit 1 if anything is
  loop plugin presets                    write the commands of your own presets, as /loop:build does
  loop plugin build --out my-plugin      write a plugin with a copy of the package; it needs no symbolic links
  loop plugin build --out my-plugin --stop-hook prompt
  claude --plugin-dir plugins/claude     try it without an install"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        choices=["build", "presets"],
        help="presets: only the commands of your own presets",
    )
    parser.add_argument(
        "--out", metavar="DIR", help="write a complete plugin there, with a copy of the package"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if what is there differs"
    )
    parser.add_argument(
        "--stop-hook",
        choices=["command", "prompt"],
        default="command",
        help="prompt: a model is asked too, at every stop",
    )


def run(args: argparse.Namespace) -> int:
    if args.action == "presets":
        output.show_text("\n".join(user_commands.write_user_commands()))
        return exits.PROVEN
    if not args.out and not os.path.isdir(build.SOURCE):
        raise UserError(
            f"there is no {build.SOURCE} here. Go to a clone of Loopwright, or run: loop plugin build --out DIR"
        )
    parts = build.complete_plugin if args.out else build.plugin_files
    files = parts(exits.MEANINGS, args.stop_hook)
    links = build.NO_LINKS if args.out else build.LINKS
    folder = args.out or build.PLUGIN_FOLDER
    market = "" if args.out else build.MARKETPLACE_FILE
    if args.check:
        stale = [os.path.join(folder, name) for name in build.differing_files(folder, files, links)]
        if market and (
            not os.path.exists(market) or _read_bytes(market) != build.marketplace_json()
        ):
            stale.append(market)
        if stale:
            raise UserError("\n".join(["out of date; run `loop plugin build`:", *stale]))
        output.show_text(f"{folder} is what the code says")
        return exits.PROVEN
    build.write_files(folder, files, links)
    if market:
        os.makedirs(os.path.dirname(market), exist_ok=True)
        with open(market, "wb") as file:
            file.write(build.marketplace_json())
    output.show_text(
        f"{folder}: {len(files)} files, {len(presets.built_in_presets())} presets. Try it: claude --plugin-dir {folder}"
    )
    if args.out:
        place = shlex.quote(os.path.abspath(folder))
        output.show_text(
            f"Install it: claude plugin marketplace add {place}, then: claude plugin install loop@loopwright"
        )
    if not args.out and any(preset.user_defined for preset in presets.all_presets().values()):
        output.show_text("\n".join(user_commands.write_user_commands()))
    return exits.PROVEN


def _read_bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
