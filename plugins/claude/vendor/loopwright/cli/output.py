"""Printing: text for people, JSON for programs. Colour only on a terminal that wants it; rich when it is there."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from ..core.wording import UNSEEN, plain

COLOURS = {"✓": "32", "✗": "31", "⏸": "33", "▶": "36", "🟢": "32", "🟡": "33", "🔴": "31"}


def show(text: str) -> None:
    """Text for a person, its marks coloured where that is wanted."""
    text = plain(text)
    if wants_colour():
        text = "\n".join(map(_coloured, text.splitlines()))
    with terminal_may_go():
        try:
            print(text, flush=True)  # progress is live in a pipe too
        except UnicodeEncodeError:  # a terminal that knows no more than ASCII still gets the words
            print(text.encode("ascii", "replace").decode())


@contextmanager
def terminal_may_go() -> Iterator[None]:
    """A terminal that was closed takes no more words; whoever prints has more to do than that."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.EIO:
            raise


def wants_colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _coloured(line: str) -> str:
    mark = line.lstrip("╭─ ")[:1]
    return f"\033[{COLOURS[mark]}m{line}\033[0m" if mark in COLOURS else line


def show_json(value: Any) -> None:
    print(_harmless(json.dumps(value, ensure_ascii=False, indent=2)))


def show_json_line(value: Any) -> None:
    sys.stdout.write(f"{_harmless(json.dumps(value, ensure_ascii=False))}\n")  # in one go: lanes may speak at the same time
    sys.stdout.flush()


def _harmless(text: str) -> str:
    """JSON escapes only some of what a terminal would obey; the same value is written with the rest escaped too."""
    return text.translate({letter: f"\\u{letter:04x}" for letter in UNSEEN if letter > 31})


def warn(text: str) -> None:
    print(plain(text), file=sys.stderr)


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """While something takes its time: a live spinner where rich and a terminal are, else silence."""
    where = console(stderr=True)
    with where.status(text) if where else nullcontext():
        yield


def console(stderr: bool = False) -> Any:
    """A rich console, where rich and a terminal that wants it are; else None."""
    if not wants_colour():
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console(stderr=stderr)


def agreed(question: str) -> bool:
    """Only a person's yes is a yes; nobody there is a no."""
    return (ask(f"{question} [y/N]") or "").lower() in ("y", "yes")


def ask(question: str) -> str | None:
    """A person's line, or None when nobody is there to answer."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    try:
        return input(f"{plain(question)} ").strip()
    except EOFError:
        return None
