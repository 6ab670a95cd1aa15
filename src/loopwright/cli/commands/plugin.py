"""Build the plugin for Claude Code, its marketplace file and the commands of your own presets."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Mapping

from ...core.record import Record
from ...drive.errors import UserError
from ...plugin import build, user_commands
from ...store import presets
from .. import exits, output
from ..argument_kinds import add_switch, add_value

EXAMPLES = """  loop plugin build                   # write plugins/claude and the marketplace file
  loop plugin build --check           # name what is out of date; exit 1 if anything is
  loop plugin presets                 # write the commands of your own presets, as /loop:build does
  loop plugin build --out my-plugin   # write a plugin with a copy of the package, without links
  loop plugin build --out my-plugin --stop-hook prompt
  claude --plugin-dir plugins/claude  # try it without installing it"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        choices=["build", "presets"],
        help="build the plugin, or only the commands of your own presets",
    )
    add_value(parser, "--out DIR", "write a complete plugin there, with a copy of the package")
    add_switch(parser, "--check", "write nothing; exit 1 if a file is out of date")
    parser.add_argument(
        "--stop-hook",
        choices=["command", "prompt"],
        default="command",
        help="prompt also asks a model at every stop (default: command)",
    )


def run(args: argparse.Namespace) -> int:
    if args.action == "presets":
        output.show_text("\n".join(user_commands.write_user_commands()))
        return exits.PROVEN
    if not args.out and not os.path.isdir(build.SOURCE):
        raise UserError(
            f"there is no {build.SOURCE} here. Go to a clone of Loopwright, "
            "or run: loop plugin build --out DIR"
        )
    plugin = complete_plugin(args) if args.out else plugin_of_clone(args)
    if args.check:
        check_plugin(plugin)
    else:
        write_plugin(plugin)
        show_next_steps(plugin)
    return exits.PROVEN


class PluginBuild(Record):
    """What is written, and where; `marketplace` is "" if the file is one of `files`."""

    folder: str
    files: build.Files
    links: Mapping[str, str]
    marketplace: str


def complete_plugin(args: argparse.Namespace) -> PluginBuild:
    files = build.complete_plugin(exits.MEANINGS, args.stop_hook)
    return PluginBuild(args.out, files, links=build.NO_LINKS, marketplace="")


def plugin_of_clone(args: argparse.Namespace) -> PluginBuild:
    files = build.plugin_files(exits.MEANINGS, args.stop_hook)
    return PluginBuild(
        build.PLUGIN_FOLDER, files, links=build.LINKS, marketplace=build.MARKETPLACE_FILE
    )


def check_plugin(plugin: PluginBuild) -> None:
    """Raise a UserError that names the files that are out of date."""
    names = build.differing_files(plugin.folder, plugin.files, plugin.links)
    stale = [os.path.join(plugin.folder, name) for name in names]
    if plugin.marketplace and read_bytes(plugin.marketplace) != build.marketplace_json():
        stale.append(plugin.marketplace)
    if stale:
        raise UserError("\n".join(["out of date; run `loop plugin build`:", *stale]))
    output.show_text(f"{plugin.folder} is what the code says")


def write_plugin(plugin: PluginBuild) -> None:
    build.write_files(plugin.folder, plugin.files, plugin.links)
    if plugin.marketplace:
        os.makedirs(os.path.dirname(plugin.marketplace), exist_ok=True)
        with open(plugin.marketplace, "wb") as file:
            file.write(build.marketplace_json())


def show_next_steps(plugin: PluginBuild) -> None:
    folder = plugin.folder
    output.show_text(
        f"{folder}: {len(plugin.files)} files, {len(presets.built_in_presets())} presets. "
        f"Try it: claude --plugin-dir {folder}"
    )
    if not plugin.marketplace:
        quoted_path = shlex.quote(os.path.abspath(folder))
        output.show_text(
            f"Install it: claude plugin marketplace add {quoted_path}, "
            "then: claude plugin install loop@loopwright"
        )
    elif any(preset.user_defined for preset in presets.usable_presets()[0].values()):
        output.show_text("\n".join(user_commands.write_user_commands()))


def read_bytes(path: str) -> bytes | None:
    """The content of a file; None if there is none."""
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read()
