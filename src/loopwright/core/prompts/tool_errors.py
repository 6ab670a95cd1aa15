"""Errors that pause a loop, as the person reads them."""

from __future__ import annotations

from .phrases import one_line

MAX_ERROR = 300
QUOTES = "'\"`"


def unknown_error_text(error: str) -> str:
    return f"unknown error, guidance needed: {error[:MAX_ERROR]}"


def blocking_error_text(error: str) -> str:
    """What is missing, where the error says so; else the error without its exit code."""
    if program := _missing_program(error):
        return f"{program} is not installed"
    if module := _missing_module(error):
        return f"the module {module} is not installed"
    words = one_line(error).split(" ")
    if words[:2] == ["Exit", "code"] and len(words) > 3:
        words = words[3:]
    return f"blocked by {' '.join(words)[:MAX_ERROR]}"


def _missing_program(error: str) -> str:
    """The program of `sh: 1: make: not found` and `zsh: command not found: make`."""
    for line in error.splitlines():
        before, found, after = line.partition("command not found")
        if not found:
            before, found, after = line.partition(": not found")
        if found:
            named = after.strip(": ") or before.rstrip(": ").rpartition(":")[2]
            return _one_word(named)
    return ""


def _missing_module(error: str) -> str:
    for phrase in ("No module named ", "Cannot find module "):
        _, found, after = error.partition(phrase)
        if found:
            return _one_word(after.splitlines()[0] if after else "")
    return ""


def _one_word(text: str) -> str:
    words = text.split()
    return words[0].strip(QUOTES)[:80] if words else ""
