"""Errors with which a tool says that it could not compile or load the code."""

from __future__ import annotations

from typing import NamedTuple

from .. import lazy_re as re


class Words(NamedTuple):
    """How a tool says that it could not load the code, with an example."""

    tool: str
    pattern: re.Pattern[str]
    example: str


def _row(tool: str, pattern: str, example: str) -> Words:
    return Words(tool, re.compile(pattern, re.M), example)


# Errors of loading, by the words of the tool.
LOAD_ERRORS = (
    _row(
        "python",
        r"^(?:E +)?(?:SyntaxError|IndentationError|TabError|ImportError"
        r"|ModuleNotFoundError)\b",
        "E   ImportError: cannot import name 'a' from 'b'",
    ),
    _row("pytest", r"^(?:collection failure|ImportError while)", "collection failure"),
    _row(
        "node",
        r"^[#\s]*(?:Uncaught )?SyntaxError(?: \[|:)|ERR_MODULE_NOT_FOUND|Cannot find module '"
        r"|does not provide an export named",
        "SyntaxError: Unexpected token ')'",
    ),
    _row("typescript", r"error TS\d+:|: ERROR: ", "src/a.ts(1,2): error TS2304: Cannot find name"),
    _row("go", r"\[(?:build|setup) failed\]|^# \S+\n\S+\.go:\d+:\d+: ", "FAIL\ta [build failed]"),
    _row(
        "rust",
        r"^error(?:\[E\d+\])?: (?:could not compile|[\s\S]*?\n +--> )",
        "error: could not compile `a` (lib) due to 1 previous error",
    ),
    _row(
        "c",
        r"^[^\s:]+\.(?:c|cc|cpp|cxx|h|hpp):\d+:(?:\d+:)? (?:fatal )?error: ",
        "a.c:3:1: error: expected ';'",
    ),
    _row(
        "java",
        r"^(?:\[ERROR\] )?\S+\.(?:java|kt|scala)[:\[][\d:,\]]+ (?:error: )?|COMPILATION ERROR",
        "A.java:3: error: ';' expected",
    ),
    _row("csharp", r"error CS\d+:", "A.cs(1,2): error CS1002: ; expected"),
    _row(
        "ruby",
        r"\bsyntax error, unexpected|\(SyntaxError\)|\(LoadError\)",
        "a.rb:1: syntax error, unexpected end-of-input",
    ),
    _row("php", r"PHP Parse error:|PHP Fatal error:  Uncaught Error: Class", "PHP Parse error: a"),
    _row(
        "shell",
        r": line \d+: syntax error|: Syntax error: |unexpected end of file",
        "a.sh: line 3: syntax error near unexpected token `fi'",
    ),
)


def is_load_error(text: str) -> bool:
    return any(words.pattern.search(text) for words in LOAD_ERRORS)
