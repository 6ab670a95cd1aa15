"""Mutants of other languages, by patterns on their text without comments and strings."""

from __future__ import annotations

from typing import NamedTuple

from .. import lazy_re as re
from ..repo.sources import SCRIPT_ENDINGS, file_ending
from .edits import Edit
from .stubs import C_TYPES
from .text_lines import HASH_LANGUAGES, masked_text

SCRIPT = SCRIPT_ENDINGS
SHELL = HASH_LANGUAGES
RUBY = (".rb", ".rake")
PHP = (".php",)
GO_RUST = (".go", ".rs", ".swift")
C_LIKE = (
    *(".java", ".cs", *C_TYPES, ".kt", ".kts", ".scala", ".dart"),
    *PHP,
)
BRACES = (*SCRIPT, *C_LIKE, *GO_RUST)
ALL = (*BRACES, *RUBY)
OTHER_SIGN = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "===": "!==",
    "!==": "===",
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "&&": "||",
    "||": "&&",
    "+=": "-=",
    "-=": "+=",
    "true": "false",
    "false": "true",
    "-lt": "-le",
    "-le": "-lt",
    "-gt": "-ge",
    "-ge": "-gt",
    "-eq": "-ne",
    "-ne": "-eq",
    "-z": "-n",
    "-n": "-z",
    "=": "!=",
}


class Operator(NamedTuple):
    """One kind of mutant: what it looks for, what it writes, and an example in one language.

    The group `old` is replaced by `new`; {old} stands for what was there, {next} for the next
    number. Without `new` the sign has a counterpart in OTHER_SIGN.
    """

    name: str
    endings: tuple[str, ...]
    pattern: re.Pattern[str]
    new: str | None
    language: str
    before: str
    after: str


def _row(
    name: str, endings: tuple[str, ...], pattern: str, new: str | None, *example: str
) -> Operator:
    return Operator(name, endings, re.compile(pattern, re.M), new, *example)


NUMBER = r"(?<![\w.$\"'])(?P<old>\d+)(?![\w.\"'])"
CALL = r"(?:[\w$]+(?:\.|::|->))*[\w$]+!?\([^{}\n]*\)(?:\.[\w$]+\([^{}\n]*\))*"
NO_CALL = (
    r"(?!(?:if|for|while|switch|return|throw|else|catch|function|func|fn|def|super|defer|go)\b)"
)
IF_IN_BRACKETS = r"\bif\s*\((?P<old>[^\n]*)\)\s*(?:\{|$|return\b|throw\b)"
OPERATOR_TABLE = (
    _row(
        "branch not taken",
        C_TYPES,
        IF_IN_BRACKETS,
        "0 && ({old})",
        ".c",
        "if (a) {\n}",
        "if (0 && (a)) {\n}",
    ),
    _row(
        "branch not taken",
        tuple(ending for ending in (*SCRIPT, *C_LIKE) if ending not in C_TYPES),
        IF_IN_BRACKETS,
        "false && ({old})",
        ".js",
        "if (a) {\n}",
        "if (false && (a)) {\n}",
    ),
    _row(
        "branch not taken",
        GO_RUST,
        # An error that is only handed on is no branch of its own.
        r"\bif (?!let\b)(?:[^\n;{}]+; )?(?P<old>(?!\w*[eE]rr != nil \{)[^\n;{}]+?) \{$",
        "false && ({old})",
        ".go",
        "if a {\n}",
        "if false && (a) {\n}",
    ),
    _row(
        "branch not taken",
        RUBY,
        r"^\s*if (?P<old>[^\n]+)$",
        "false && ({old})",
        ".rb",
        "if a\nend",
        "if false && (a)\nend",
    ),
    _row(
        "branch not taken",
        SHELL,
        r"\b(?:if|elif) (?P<old>[^\n;]+)(?=;|$)",
        "false && {old}",
        ".sh",
        "if a; then",
        "if false && a; then",
    ),
    _row(
        "negated condition",
        ALL,
        r"(?<=[\w)\]] )(?P<old>===?|!==?)(?= )",
        None,
        ".js",
        "x = a === b",
        "x = a !== b",
    ),
    _row(
        "negated condition",
        SHELL,
        r"(?<=\s)(?P<old>-eq|-ne|=|-z|-n)(?=\s)",
        None,
        ".sh",
        "[ $a -eq 1 ]",
        "[ $a -ne 1 ]",
    ),
    _row(
        "other result",
        ALL,
        r"\breturn (?P<old>\d+)(?=\s*(?:[;}]|$))",
        "{next}",
        ".js",
        "return 3;",
        "return 4;",
    ),
    _row(
        "early return",
        SCRIPT,
        r"\breturn\s+(?P<old>(?!undefined|null|\d+\s*(?:;|$))[^\s;{(\[][^;\n{}]*)(?=;|$)",
        "undefined",
        ".js",
        "return a;",
        "return undefined;",
    ),
    _row(
        "early return",
        RUBY,
        r"\breturn (?P<old>(?!nil|\d+$)[^\n]+)$",
        "nil",
        ".rb",
        "return a",
        "return nil",
    ),
    _row(
        "early return",
        PHP,
        r"\breturn\s+(?P<old>(?!null|\d+\s*;)[^;\n]+);",
        "null",
        ".php",
        "return $a;",
        "return null;",
    ),
    _row(
        "early return",
        SHELL,
        r"^\s*(?P<old>(?:return|exit) [1-9]\d*)$",
        "true",
        ".sh",
        "return 1",
        "true",
    ),
    _row(
        "dropped call",
        BRACES,
        rf"^[ \t]*(?P<old>{NO_CALL}(?:await )?{CALL};?)[ \t]*$",
        "",
        ".js",
        "a.close();",
        "",
    ),
    _row(
        "dropped call",
        RUBY,
        r"^[ \t]*(?P<old>(?!puts|raise)\w+(?:\.\w+[!?]?)+\([^\n]*\))$",
        "",
        ".rb",
        "a.close(b)",
        "",
    ),
    _row(
        "dropped call",
        (*SCRIPT, *C_LIKE),
        r"^[ \t]*(?P<old>throw [^\n;]*;)$",
        "",
        ".js",
        "throw a;",
        "",
    ),
    _row(
        "dropped call",
        SHELL,
        r"^[ \t]*(?P<old>(?:printf|echo|rm|mv|cp|mkdir|touch) [^\n|&;]+)$",
        ":",
        ".sh",
        "echo a",
        ":",
    ),
    _row(
        "dropped assignment",
        BRACES,
        r"^[ \t]*(?P<old>[\w$.\[\]]+\s*[-+*/]=\s[^\n{};]*;?)$",
        "",
        ".js",
        "a += b;",
        "",
    ),
    _row(
        "dropped assignment",
        SCRIPT,
        r"^[ \t]*(?P<old>[\w$.]+\[[^\]\n]+\]\s=\s[^\n{};]*;?)$",
        "",
        ".js",
        "a[b] = c;",
        "",
    ),
    _row(
        "boundary",
        ALL,
        r"(?<=[\w)\]] )(?P<old><=?|>=?)(?= [\w(-])",
        None,
        ".js",
        "x = a < b",
        "x = a <= b",
    ),
    _row(
        "boundary",
        SHELL,
        r"(?<=\s)(?P<old>-lt|-le|-gt|-ge)(?=\s)",
        None,
        ".sh",
        "[ $a -lt 1 ]",
        "[ $a -le 1 ]",
    ),
    _row(
        "other operator",
        ALL,
        r"(?<=[\w)\]] )(?P<old>[-+*/]|&&|\|\||[-+]=)(?= [\w(!$])",
        None,
        ".js",
        "x = a + b",
        "x = a - b",
    ),
    _row(
        "other operator",
        SHELL,
        r"(?<=[\w)\]}] )(?P<old>[-+*/])(?= [\w($])",
        None,
        ".sh",
        "x=$((a + b))",
        "x=$((a - b))",
    ),
    _row(
        "other constant",
        (*ALL, *SHELL),
        r"\b(?P<old>true|false)\b",
        None,
        ".js",
        "x = true",
        "x = false",
    ),
    _row("other constant", ALL, NUMBER, "{next}", ".js", "x = 3", "x = 4"),
    _row(
        "other constant",
        SHELL,
        r"(?<=[\s=])(?P<old>\d+)(?=[\s)\];]|$)",
        "{next}",
        ".sh",
        "x=3",
        "x=4",
    ),
)


def text_mutants(path: str, text: str) -> list[Edit]:
    """All mutants that the patterns find, by line."""
    ending = file_ending(path)
    code = masked_text(path, text)
    if len(code) != len(text):  # then positions would be wrong
        return []
    edits = []
    for operator in OPERATOR_TABLE:
        if ending not in operator.endings:
            continue
        for match in operator.pattern.finditer(code):
            edit = _edit(operator, text, match)
            if edit and (operator.name != "other constant" or not _is_exception(code, match)):
                edits.append(edit)
    return edits


def _edit(operator: Operator, text: str, match: re.Match[str]) -> Edit | None:
    start, end = match.span("old")
    old = text[start:end]
    if old.count("(") != old.count(")"):
        return None
    following = int(old) + 1 if old.isdecimal() else 0
    new = OTHER_SIGN.get(old)
    if operator.new is not None:
        new = operator.new.format(old=old, next=following)
    if new is None or "\n" in old:
        return None
    return Edit(operator.name, text.count("\n", 0, start) + 1, start, end, new)


def _is_exception(code: str, match: re.Match[str]) -> bool:
    """A number in a type, an index of an import or a version is no constant of the work."""
    line = code[code.rfind("\n", 0, match.start()) + 1 : match.start()]
    return bool(re.search(r"\b(?:import|include|package|throw|raise|panic)\b", line))
