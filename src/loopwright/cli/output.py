"""Printing: text for people, JSON for programs. Colour only on a terminal that wants it; rich when it is there."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from ..core.prompts.phrases import INVISIBLE_CHARACTERS, strip_control_characters

COLOURS = {"✓": "32", "✗": "31", "⏸": "33", "▶": "36", "🟢": "32", "🟡": "33", "🔴": "31"}


def show_text(text: str) -> None:
    """Text for a person, its marks coloured where that is wanted."""
    text = strip_control_characters(text)
    if wants_colour():
        text = "\n".join(map(_colour_line, text.splitlines()))
    with ignore_closed_terminal():
        try:
            print(text, flush=True)  # progress is live in a pipe too
        except UnicodeEncodeError:  # a terminal that knows no more than ASCII still gets the words
            print(text.encode("ascii", "replace").decode())


@contextmanager
def ignore_closed_terminal() -> Iterator[None]:
    """A terminal that was closed takes no more words; whoever prints has more to do than that."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.EIO:
            raise


def wants_colour() -> bool:
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def _colour_line(line: str) -> str:
    mark = line.lstrip("╭─ ")[:1]
    return f"\033[{COLOURS[mark]}m{line}\033[0m" if mark in COLOURS else line


def show_json(value: Any) -> None:
    print(_escape_unseen(json.dumps(value, ensure_ascii=False, indent=2)))


def show_json_line(value: Any) -> None:
    sys.stdout.write(
        f"{_escape_unseen(json.dumps(value, ensure_ascii=False))}\n"
    )  # in one go: lanes may speak at the same time
    sys.stdout.flush()


def _escape_unseen(text: str) -> str:
    """JSON escapes only some of what a terminal would obey; the same value is written with the rest escaped too."""
    return text.translate(
        {letter: f"\\u{letter:04x}" for letter in INVISIBLE_CHARACTERS if letter > 31}
    )


def show_warning(text: str) -> None:
    print(strip_control_characters(text), file=sys.stderr)


@contextmanager
def show_spinner(text: str) -> Iterator[None]:
    """While something takes its time: a live spinner where rich and a terminal are, else silence."""
    where = rich_console(stderr=True)
    with where.status(text) if where else nullcontext():
        yield


def rich_console(stderr: bool = False) -> Any:
    """A rich console, where rich and a terminal that wants it are; else None."""
    if not wants_colour():
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console(stderr=stderr)


def ask_yes_or_no(question: str) -> bool:
    """Only a person's yes is a yes; nobody there is a no."""
    return (ask_question(f"{question} [y/N]") or "").lower() in ("y", "yes")


def ask_question(question: str) -> str | None:
    """A person's line, or None when nobody is there to answer."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    try:
        return input(f"{strip_control_characters(question)} ").strip()
    except EOFError:
        return None
