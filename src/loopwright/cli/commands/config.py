"""Show and set limits, prices and other settings. A running loop keeps those it started with."""

from __future__ import annotations

import argparse
import os

from ...drive.errors import WrongValue
from ...store import config
from .. import exits, here, output
from ..argument_kinds import add_json, add_switch, add_word

EXAMPLES = """  loop config
  loop config limits.stuck
  loop config limits.stuck 7
  loop config limits.iterations 5 --project
  loop config prices.my-model 1/5/0.1/1.25
  loop config limits.stuck --unset"""


def arguments(parser: argparse.ArgumentParser) -> None:
    add_word(parser, "name", "a setting (default: show all)")
    parser.add_argument("value", nargs="?", help="the new value")
    add_switch(parser, "--unset", "reset the setting to its default")
    add_switch(
        parser, "--project", f"use the project's {config.PROJECT_FILE}, which may only lower limits"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    root = here.loop_folder().root
    path = os.path.join(root, config.PROJECT_FILE) if args.project else config.user_file()
    if args.unset and not args.name:
        raise WrongValue("which setting? loop config NAME --unset; all of them: loop config")
    if args.value is not None or args.unset:
        if not args.unset:
            _require_setting(args.name, args.value)
        config.store_setting(path, args.name, None if args.unset else args.value)
        change = "unset" if args.unset else f"= {args.value}"
        since = "in force at once" if args.name == "quiet_hours" else "new loops start with it"
        since = "the next `loop run` uses it" if args.name == "notify" else since
        output.show_text(f"{args.name} {change} in {path}; {since}.")
        return exits.PROVEN
    shown = config.settings(root) | price_settings()
    if args.name:
        if args.name not in shown:
            _require_setting(args.name, 1)  # its error names the closest setting
        shown = {args.name: shown[args.name]}
    if args.json:
        output.show_json(shown)
    else:
        output.show_text("\n".join(f"{name} = {value}" for name, value in shown.items()))
    return exits.PROVEN


def _require_setting(name: str, value: object) -> None:
    try:
        config.validate_setting(name, value)
    except config.ConfigError as error:
        raise WrongValue(str(error)) from error


def price_settings() -> dict[str, str]:
    return {
        f"prices.{p.model}": f"{p.input:g}/{p.output:g}/{p.cache_read:g}/{p.cache_write:g}"
        for p in config.prices()
    }
