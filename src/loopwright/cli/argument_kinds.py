"""The kinds of arguments that commands take; what fits none of them uses argparse directly.

An option with a value is written as the help shows it: "--model NAME".
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import _ActionsContainer as Parser  # a parser, or a group of its options


def add_switch(parser: Parser, name: str, help_text: str) -> None:
    """An option without a value."""
    parser.add_argument(name, action="store_true", help=help_text)


def add_value(parser: Parser, option: str, help_text: str, default: str | None = "") -> None:
    """An option with one value."""
    name, _, value = option.partition(" ")
    parser.add_argument(name, metavar=value, default=default, help=help_text)


def add_values(parser: Parser, option: str, help_text: str) -> None:
    """An option with a value that may be given several times."""
    name, _, value = option.partition(" ")
    parser.add_argument(name, metavar=value, action="append", default=[], help=help_text)


def add_word(parser: Parser, name: str, help_text: str, shown_as: str | None = None) -> None:
    """A word that may be left out."""
    parser.add_argument(name, nargs="?", default="", metavar=shown_as, help=help_text)


def add_loop_id(parser: Parser, name: str = "id") -> None:
    """The loop that the command is about, as a word or as an option."""
    help_text = "an ended loop (default: the one here, or the last)"
    if name.startswith("-"):
        parser.add_argument(name, default="", help=help_text)
    else:
        add_word(parser, name, help_text)


def add_json(parser: Parser) -> None:
    add_switch(parser, "--json", "print JSON instead of text")
