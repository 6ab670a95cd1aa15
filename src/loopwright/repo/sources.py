"""Reads source files of the project within bounds, and separates their comments from their code."""

from __future__ import annotations

import ast
import os
import platform
import posixpath
import stat
import warnings
from collections.abc import Iterator
from functools import lru_cache
from threading import Lock

from .. import lazy_re as re
from ..core.record import Record
from ..disk.files import open_at_once
from .parsed_files import CLEAR_CACHES

WARNING_FILTERS = Lock()
MAX_BYTES = 2 * 1024 * 1024  # read from one file
PARSE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError)
MAX_PARSED = 500_000  # characters; a syntax tree takes a hundred times the space
PYTHON_ENDINGS = (".py", ".pyw")
SCRIPT_ENDINGS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte")
# Languages by the sign with which a comment begins: #, -- and //.
HASH_COMMENT_ENDINGS = (*PYTHON_ENDINGS, ".rb", ".ex", ".exs", ".pl", ".r", ".jl")
DASH_COMMENT_ENDINGS = (".lua", ".hs", ".elm")
C_FAMILY_ENDINGS = (
    ".go",
    ".rs",
    ".java",
    ".kt",
    ".kts",
    ".swift",
    ".c",
    ".h",
    ".cc",
    ".cpp",
    ".cxx",
    ".hpp",
    ".cs",
    ".scala",
    ".dart",
)
SLASH_COMMENT_ENDINGS = (
    *SCRIPT_ENDINGS,
    *C_FAMILY_ENDINGS,
    ".php",
    ".zig",
    ".groovy",
    ".m",
    ".fs",
)
CODE_ENDINGS = frozenset((*HASH_COMMENT_ENDINGS, *DASH_COMMENT_ENDINGS, *SLASH_COMMENT_ENDINGS))
DECLARATION_ENDINGS = (".d.ts", ".d.mts", ".d.cts", ".pyi")  # the code itself is elsewhere

# Strings are tokens too, so that a comment sign inside one is text. A token that is never closed
# extends to the end, and the quantifiers are possessive: no letter of a hostile file is read twice.
STRINGS = r""""(?:\\.|[^"\\\n])*+"|'(?:\\.|[^'\\\n])*+'"""
TRIPLE_STRINGS = (
    r'''"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\Z)|\'\'\'(?:[^'\\]|\\.|'(?!''))*+(?:\'\'\'|\Z)'''
)
# A regular expression of JavaScript may contain a quote. The length is bounded, so that a slash
# that opens none does not cost the whole file.
REGEX_LITERAL = (
    r"[=(,:;!&|?{\[]\s{0,20}/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n]){0,80}+\]|[^/\\\n\[]){1,200}+/"
)
# In a raw string, a backslash before the closing quote is text.
RAW_STRINGS = {
    ".go": r"`[^`]*+(?:`|\Z)",
    ".rs": r'\br(?P<hashes>#{0,9})".*?(?:"(?P=hashes)|\Z)',
    ".cs": r'@"(?:[^"]|"")*+(?:"|\Z)',
}
SLASH_COMMENT = r"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z)|<!--.*?(?:-->|\Z))"
TOKENS = {
    **dict.fromkeys(
        HASH_COMMENT_ENDINGS,
        re.compile(rf"(?P<comment>\#[^\n]*)|(?P<string>{TRIPLE_STRINGS}|{STRINGS})", re.S),
    ),
    **dict.fromkeys(
        DASH_COMMENT_ENDINGS, re.compile(rf"(?P<comment>--[^\n]*)|(?P<string>{STRINGS})", re.S)
    ),
    **{
        ending: re.compile(
            rf"{SLASH_COMMENT}|(?P<string>{raw}{REGEX_LITERAL}|{STRINGS}"
            r"|`(?:\\.|[^`\\])*+(?:`|\Z))",
            re.S,
        )
        for ending, raw in (
            *((ending, "") for ending in SLASH_COMMENT_ENDINGS),
            *((ending, f"{pattern}|") for ending, pattern in RAW_STRINGS.items()),
        )
    },
}


class SourceFile(Record):
    """One file of the project; with a `problem` there is no content to look at."""

    path: str
    text: str = ""
    size: int = 0
    problem: str = ""
    binary: bool = False

    @property
    def kind(self) -> str:
        """Its ending in lower case; "" for a binary file and for a file of declarations only."""
        if self.binary or self.path.lower().endswith(DECLARATION_ENDINGS):
            return ""
        return file_ending(self.path)

    @property
    def truncation_note(self) -> str:
        """Words for a message about a file of which we read only the beginning."""
        return f" in its first {MAX_BYTES // 1024 // 1024} MB" if self.size > MAX_BYTES else ""


def read_source(root: str, path: str, max_bytes: int = MAX_BYTES) -> SourceFile:
    """The file at a path of the plan. Links that lead out of the project are not followed."""
    name = clean_path(path)
    if not name:
        shown = printable_text(path)
        return SourceFile(shown, problem=f"{shown or 'an empty path'} is outside the project")
    shown = printable_text(name)
    try:
        top, full = os.path.realpath(root), os.path.realpath(os.path.join(root, name))
        if not full.startswith(os.path.join(top, "")):
            problem = f"{shown} is a link that leads outside the project; it is not followed"
            return SourceFile(name, problem=problem)
        status = os.stat(full)
        if not stat.S_ISREG(status.st_mode):
            kind = "folder" if stat.S_ISDIR(status.st_mode) else "special file"
            return SourceFile(name, problem=f"{shown} is a {kind}, not a file")
        data = _read_beginning(full, max_bytes)
    except (FileNotFoundError, NotADirectoryError):
        return SourceFile(name, problem=f"{shown} is missing")
    except (OSError, ValueError) as error:  # ValueError: no file can have such a name
        reason = printable_text(getattr(error, "strerror", "") or str(error))
        return SourceFile(name, problem=f"{shown} cannot be read: {reason}")
    is_utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")  # some editors on Windows write it
    text = data.decode("utf-16" if is_utf16 else "utf-8-sig", "replace")
    return SourceFile(
        path=name,
        text=text.replace("\r\n", "\n").replace("\r", "\n"),
        size=status.st_size,
        binary=not is_utf16 and b"\0" in data[:8192],
    )


def _read_beginning(path: str, max_bytes: int) -> bytes:
    if not max_bytes:  # the caller needs no content, and the file may be unreadable
        return b""
    with open(path, "rb", opener=open_at_once) as file:
        return file.read(max_bytes)


def clean_path(path: str) -> str:
    """The path from the root with forward slashes; "" for the root and for paths that leave it."""
    name = path.replace("\\", "/")
    if name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in name.split("/"):
        return ""
    name = posixpath.normpath(name)
    return "" if name == "." else name


def printable_text(text: str, max_chars: int = 160) -> str:
    """One line for a person, without control characters that a terminal would obey."""
    plain = "".join(char if char.isprintable() else " " for char in text[: 4 * max_chars])
    return plain if len(plain) <= max_chars else f"{plain[: max_chars - 1]}…"


def file_ending(path: str) -> str:
    return posixpath.splitext(path)[1].lower()


def file_stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]


def line_number(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def match_line(text: str, match: re.Match[str] | None) -> int:
    """The line where the match begins; 0 without a match."""
    return line_number(text, match.start()) if match else 0


def numbered_matches(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Every match with its line number; the lines are counted once."""
    line, position = 1, 0
    for match in pattern.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        yield line, match


def comments(source: SourceFile) -> Iterator[tuple[int, str]]:
    """Every comment of a source file with its position in the text."""
    tokens = TOKENS.get(source.kind)
    if not tokens:
        return
    for match in tokens.finditer(source.text):
        if match.lastgroup == "comment":
            yield match.start(), match[0]


@lru_cache(maxsize=4)
def code_text(source: SourceFile, strings: bool = True) -> str:
    """The text without comments and docstrings, and with `strings=False` without strings.

    What is left out becomes blank, so that line numbers stay the same.
    """
    tokens = TOKENS.get(source.kind)
    if not tokens:
        return source.text

    def replacement(match: re.Match[str]) -> str:
        if strings and match.lastgroup == "string":
            return match[0]
        return _blank_out(match[0])

    is_python = source.kind in PYTHON_ENDINGS
    text = _without_docstrings(source.text) if is_python else source.text
    return tokens.sub(replacement, text)


def _without_docstrings(text: str) -> str:
    tree = parse_python(text)
    if not tree:
        return text
    lines = text.split("\n")
    for node in ast.walk(tree):
        docstring = _docstring_node(node)
        if not docstring:
            continue
        first, last = docstring.lineno, docstring.end_lineno or docstring.lineno
        if lines[first - 1].strip()[:1] in "\"'rRuU":  # the line of `def f(): "…"` stays
            lines[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(lines)


def _docstring_node(node: ast.AST) -> ast.stmt | None:
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    match node.body:
        case [ast.Expr(value=ast.Constant(value=str())) as first, *_]:
            return first
        case _:
            return None


@lru_cache(maxsize=400)  # both sides of 200 changed files
def parse_python(text: str) -> ast.Module | None:
    """The syntax tree; None where the text is too long or this Python cannot parse it.

    Without a tree, the probes judge by the text alone.
    """
    try:
        return _parse(text)
    except PARSE_ERRORS:
        return None


def python_error(text: str) -> tuple[int, str] | None:
    """The line and the reason why a text has no syntax tree; None if it has one."""
    try:
        _parse(text)
    except PARSE_ERRORS as error:
        line = getattr(error, "lineno", 0) or 0
        return line, f"{getattr(error, 'msg', error)} (read as Python {platform.python_version()})"
    return None


def _parse(text: str) -> ast.Module:
    if len(text) > MAX_PARSED:
        raise ValueError(f"it has {len(text):,} characters; at most {MAX_PARSED:,} are read")
    # The filters belong to the process: two runners at once would restore each other's.
    with WARNING_FILTERS, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they are about the user's code
        return ast.parse(text)


CLEAR_CACHES.extend((parse_python.cache_clear, code_text.cache_clear))


def _blank_out(text: str) -> str:
    return re.sub(r"[^\n]+", lambda match: " " * len(match[0]), text)
