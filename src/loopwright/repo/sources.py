"""A file of the project as a probe sees it: read within bounds, never outside the project, its comments told from its code."""

from __future__ import annotations

import ast
import os
import posixpath
import re
import stat
import warnings
from collections.abc import Iterator
from functools import lru_cache

from ..core.record import Record

MAX_BYTES = 2 * 1024 * 1024  # bytes of one file that are read
MAX_PARSED = 500_000  # letters: a syntax tree takes a hundred times the space
PYTHON_ENDINGS = (".py", ".pyw")
SCRIPT_ENDINGS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte")
HASH_COMMENT_ENDINGS = (
    *PYTHON_ENDINGS,
    ".rb",
    ".ex",
    ".exs",
    ".pl",
    ".r",
    ".jl",
)  # comments begin with #
DASH_COMMENT_ENDINGS = (".lua", ".hs", ".elm")  # with --
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
)  # with //
CODE_ENDINGS = frozenset((*HASH_COMMENT_ENDINGS, *DASH_COMMENT_ENDINGS, *SLASH_COMMENT_ENDINGS))
DECLARATION_ENDINGS = (".d.ts", ".d.mts", ".d.cts", ".pyi")  # they say what is elsewhere

# Strings are tokens too, so that the sign of a comment inside one is text. What is never closed goes on to the end, and the
# quantifiers give nothing back: no letter of a hostile file is read twice.
STRINGS = r""""(?:\\.|[^"\\\n])*+"|'(?:\\.|[^'\\\n])*+'"""
TRIPLE_STRINGS = (
    r'''"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\Z)|\'\'\'(?:[^'\\]|\\.|'(?!''))*+(?:\'\'\'|\Z)'''
)
# A regular expression of JavaScript may hold a quote. It is short: an opening that is never closed must not cost the whole file.
REGEX_LITERAL = (
    r"[=(,:;!&|?{\[]\s{0,20}/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n]){0,80}+\]|[^/\\\n\[]){1,200}+/"
)
SLASH_COMMENT = r"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z)|<!--.*?(?:-->|\Z))"
TOKENS = {
    **dict.fromkeys(
        HASH_COMMENT_ENDINGS,
        re.compile(rf"(?P<comment>\#[^\n]*)|(?P<string>{TRIPLE_STRINGS}|{STRINGS})", re.S),
    ),
    **dict.fromkeys(
        DASH_COMMENT_ENDINGS, re.compile(rf"(?P<comment>--[^\n]*)|(?P<string>{STRINGS})", re.S)
    ),
    **dict.fromkeys(
        SLASH_COMMENT_ENDINGS,
        re.compile(
            rf"{SLASH_COMMENT}|(?P<string>{REGEX_LITERAL}|{STRINGS}|`(?:\\.|[^`\\])*+(?:`|\Z))",
            re.S,
        ),
    ),
}


class SourceFile(Record):
    """One file. With `trouble` there is nothing to look at; without it, a file is there."""

    path: str
    text: str = ""
    size: int = 0
    problem: str = ""
    binary: bool = False

    @property
    def kind(self) -> str:
        """Its ending, in lower case; empty for a binary file and for a declaration of what is elsewhere."""
        return (
            ""
            if self.binary or self.path.lower().endswith(DECLARATION_ENDINGS)
            else file_ending(self.path)
        )

    @property
    def truncation_note(self) -> str:
        return f" in its first {MAX_BYTES // 1024 // 1024} MB" if self.size > MAX_BYTES else ""


def read_source(root: str, path: str, most: int = MAX_BYTES) -> SourceFile:
    """The file at a path of the plan, and so many bytes of it. Links out of the project are not followed."""
    name = clean_path(path)
    if not name:
        return SourceFile(
            printable_text(path),
            problem=f"{printable_text(path) or 'an empty path'} is outside the project",
        )
    here = printable_text(name)
    try:
        top, full = os.path.realpath(root), os.path.realpath(os.path.join(root, name))
        if not full.startswith(os.path.join(top, "")):
            return SourceFile(
                name, problem=f"{here} is a link that leads outside the project; it is not followed"
            )
        found = os.stat(full)
        if not stat.S_ISREG(found.st_mode):
            return SourceFile(
                name,
                problem=f"{here} is a {'folder' if stat.S_ISDIR(found.st_mode) else 'special file'}, not a file",
            )
        data = b""
        if most:
            with open(full, "rb") as file:
                data = file.read(most)
    except (FileNotFoundError, NotADirectoryError):
        return SourceFile(name, problem=f"{here} is missing")
    except (OSError, ValueError) as error:  # ValueError: no file can have such a name
        return SourceFile(
            name,
            problem=f"{here} cannot be read: {printable_text(getattr(error, 'strerror', '') or str(error))}",
        )
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")  # as some editors of Windows write
    text = (
        data.decode("utf-16" if wide else "utf-8-sig", "replace")
        .replace("\r\n", "\n")
        .replace("\r", "\n")
    )
    return SourceFile(name, text, found.st_size, binary=not wide and b"\0" in data[:8192])


def clean_path(path: str) -> str:
    """The path from the root, with forward slashes; "" where it leads out of it, or is the root itself."""
    name = path.replace("\\", "/")
    if name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in name.split("/"):
        return ""
    name = posixpath.normpath(name)
    return "" if name == "." else name


def printable_text(text: str, most: int = 160) -> str:
    """For a person's eyes: one line, nothing that a terminal would obey."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text[: 4 * most])
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def file_ending(path: str) -> str:
    return posixpath.splitext(path)[1].lower()


def file_stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]


def line_number(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def numbered_matches(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Every match with its line; the lines are counted once."""
    line, at = 1, 0
    for found in pattern.finditer(text):
        line, at = line + text.count("\n", at, found.start()), found.start()
        yield line, found


def comments(seen: SourceFile) -> Iterator[tuple[int, str]]:
    """Every comment of a source file, and where it begins."""
    tokens = TOKENS.get(seen.kind)
    for found in tokens.finditer(seen.text) if tokens else ():
        if found.lastgroup == "comment":
            yield found.start(), found[0]


@lru_cache(maxsize=4)
def code_text(seen: SourceFile, strings: bool = True) -> str:
    """The text without comments and docstrings (and without strings, if not wanted), on the lines where it was."""
    tokens = TOKENS.get(seen.kind)
    if not tokens:
        return seen.text
    text = _without_docstrings(seen.text) if seen.kind in PYTHON_ENDINGS else seen.text
    return tokens.sub(
        lambda found: found[0] if strings and found.lastgroup == "string" else _blank_out(found[0]),
        text,
    )


def _without_docstrings(text: str) -> str:
    tree = parse_python(text)
    if not tree:
        return text
    lines = text.split("\n")
    for node in ast.walk(tree):
        first = _docstring_node(node)
        if (
            first and lines[first.lineno - 1].strip()[:1] in "\"'rRuU"
        ):  # `def f(): "…"` keeps its line
            last = first.end_lineno or first.lineno
            lines[first.lineno - 1 : last] = [""] * (last - first.lineno + 1)
    return "\n".join(lines)


def _docstring_node(node: ast.AST) -> ast.stmt | None:
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    first = node.body[0] if node.body else None
    alone = (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )
    return first if alone else None


@lru_cache(maxsize=2)
def parse_python(text: str) -> ast.Module | None:
    """Python's own reading; None where it is too much, or this Python cannot read it: then we judge by the text alone."""
    if len(text) > MAX_PARSED:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about somebody else's code
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _blank_out(text: str) -> str:
    return re.sub(r"[^\n]+", lambda found: " " * len(found[0]), text)
