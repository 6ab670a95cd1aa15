"""Print text for people and JSON for programs, and ask questions.

Colours are for terminals only; spinner and live view need the package rich.
"""

from __future__ import annotations

import errno
import os
import sys

from ..core.prompts.phrases import INVISIBLE_CHARACTERS, strip_control_characters

TYPE_CHECKING = False  # importing typing, contextlib and json would make `loop status` slower
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Any

COLOURS = {"✓": "32", "✗": "31", "⏸": "33", "▶": "36", "🟢": "32", "🟡": "33", "🔴": "31"}


def show_text(text: str) -> None:
    """Print text for a person; on a terminal, lines with a mark are coloured."""
    text = strip_control_characters(text)
    if wants_colour():
        text = "\n".join(map(_colour_line, text.splitlines()))
    with IgnoreClosedTerminal():
        try:
            print(text, flush=True)  # so that progress is live in a pipe too
        except UnicodeEncodeError:  # an ASCII terminal
            print(text.encode("ascii", "replace").decode())


class IgnoreClosedTerminal:
    """Ignores that the terminal was closed: the work behind the output must continue."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        return isinstance(error, OSError) and error.errno == errno.EIO


class IgnoreGoneReader(IgnoreClosedTerminal):
    """Ignores that the reader of our output has exited: what follows is written to nowhere."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return True
        return super().__exit__(kind, error, trace)


def wants_colour() -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout.isatty()


def _colour_line(line: str) -> str:
    mark = line.lstrip("╭─ ")[:1]
    return f"\033[{COLOURS[mark]}m{line}\033[0m" if mark in COLOURS else line


def show_json(value: Any) -> None:
    import json

    print(_escape_invisible(json.dumps(value, ensure_ascii=False, indent=2)))


def show_json_line(value: Any) -> None:
    import json

    line = _escape_invisible(json.dumps(value, ensure_ascii=False))
    # One call of write: lanes may print at the same time.
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _escape_invisible(text: str) -> str:
    """Escape the control characters that JSON leaves as they are; the value stays the same."""
    escapes = {code: f"\\u{code:04x}" for code in INVISIBLE_CHARACTERS if code > 31}
    return text.translate(escapes)


def show_warning(text: str) -> None:
    with IgnoreClosedTerminal():
        print(strip_control_characters(text), file=sys.stderr)


def show_spinner(text: str) -> AbstractContextManager[object]:
    """A spinner while the block runs, if rich and a terminal are there."""
    from contextlib import nullcontext

    console = rich_console(stderr=True)
    return console.status(text) if console else nullcontext()


def rich_console(stderr: bool = False) -> Any:
    """A rich console, or None without rich or without a colour terminal."""
    if not wants_colour():
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console(stderr=stderr)


def ask_yes_or_no(question: str) -> bool:
    """Ask a yes-or-no question; without a terminal the answer is no."""
    return (ask_question(f"{question} y = yes · n = no") or "").lower() in ("y", "yes")


def ask_question(question: str) -> str | None:
    """The line that a person types, or None without a terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    try:
        return input(f"{strip_control_characters(question)} ").strip()
    except EOFError:
        return None
