"""The parsers of the subcommands: argparse with errors of one line, and with our exit code."""

from __future__ import annotations

import argparse
import os
import sys

from . import exits
from .command_modules import command_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any


def command_parser(name: str) -> argparse.ArgumentParser:
    """The parser of a command; the docstring of its module is the description."""
    command = command_module(name)
    parser = CommandParser(
        prog=f"loop {name}",
        description=(command.__doc__ or "").strip(),
        epilog=f"examples:\n{command.EXAMPLES}",
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    if hasattr(command, "arguments"):
        command.arguments(parser)
    return parser


def option_words(
    parser: argparse.ArgumentParser, args: argparse.Namespace, skipped: Collection[str] = ()
) -> list[str]:
    """The options of this parser that `args` has, as words that the parser reads again."""
    words: list[str] = []
    for action in parser._actions:
        value = getattr(args, action.dest, action.default)
        if not action.option_strings or action.dest in skipped or value == action.default:
            continue
        words += _words_of(action.option_strings[0], value)
    return words


def _words_of(option: str, value: Any) -> list[str]:
    if value is True:
        return [option]
    values = value if isinstance(value, list) else [value]
    return [f"{option}={each}" for each in values]


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """As wide as the terminal. argparse makes one for each argument, and would import shutil."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=terminal_columns() - 2)


def terminal_columns() -> int:
    try:
        return int(os.environ.get("COLUMNS", "")) or 80
    except ValueError:
        pass
    try:
        return os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns or 80
    except (OSError, ValueError):
        return 80


class CommandParser(argparse.ArgumentParser):
    """argparse with our exit code for wrong usage."""

    def parse_args(self, args: list[str]) -> argparse.Namespace:  # type: ignore[override]
        parsed, rest = super().parse_known_args(args)
        if rest and not self._take_words(parsed, rest):
            self.error(self.unknown_words_text(rest))
        if any(word.endswith("=--") for word in args):
            self._refuse_dashes_as_value(parsed)
        return parsed

    def _take_words(self, parsed: argparse.Namespace, rest: list[str]) -> bool:
        """Words after an option belong to the list of words before it; argparse forgets them."""
        lists = [action.dest for action in self._get_positional_actions() if action.nargs == "*"]
        if len(lists) != 1 or any(word.startswith("-") for word in rest):
            return False
        setattr(parsed, lists[0], [*getattr(parsed, lists[0]), *rest])
        return True

    def _refuse_dashes_as_value(self, parsed: argparse.Namespace) -> None:
        """argparse reads the value of `--option=--` as an empty list; here it is an error."""
        for name, value in vars(parsed).items():
            default = self.get_default(name)
            single = value == [] and default != []
            repeated = isinstance(value, list) and default == [] and [] in value
            if single or repeated:
                self.error(f"-- is no value for {name.replace('_', '-')}")

    def unknown_words_text(self, rest: list[str]) -> str:
        option = next((word.partition("=")[0] for word in rest if word.startswith("-")), "")
        if not option:
            return f"unrecognized arguments: {' '.join(rest)}"
        from difflib import get_close_matches

        close = get_close_matches(option, self._option_string_actions, 1)
        return f"no option {option}" + (f". Did you mean {close[0]}?" if close else "")

    def error(self, message: str) -> None:  # type: ignore[override]
        """The mistake in one line; the usage of a command can be longer than a screen."""
        end = "" if message.endswith("?") else "."
        self.exit(exits.USAGE, f"{self.prog}: {message}{end} See `{self.prog} --help`.\n")
