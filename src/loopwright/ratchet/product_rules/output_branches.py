"""Finds functions that give another value if a terminal, or another context, takes it.

A check never writes to a terminal, so what people see there is not tested. Colours, widths and
pagers differ there in honest programs: the value itself is the same in both branches. Perl tells a
function in which context it is called, and to give a list or its length is usual.
"""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from .process_ends import FUNCTION, enclosing_function, indentation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TERMINAL = (
    r"\bisatty\(|\.isTTY\b|\bIsTerminal\(|\bis_terminal\(\)|\.(?:tty|isatty)\?"
    r"|\b(?:posix|stream)_isatty\(|\bConsole\.IsOutputRedirected\b"
)
FACTS = {
    **dict.fromkeys((".pl", ".pm"), r"\bwantarray\b|-t\s+\*?STDOUT\b"),
    **dict.fromkeys(
        (".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".rb", ".php", ".go", ".rs", ".cs"),
        TERMINAL,
    ),
    **dict.fromkeys((".c", ".cc", ".cpp"), r"\bisatty\s*\("),
}
PATTERNS = {suffix: re.compile(text) for suffix, text in FACTS.items()}
OTHER_STREAM = re.compile(r"(?i)stdin|stderr|fileno\(\)|isatty\((?:0|2)\)")
ASSIGNED = re.compile(r"(?:^|[\s(])\$?(\w+)(?:\s*:\s*\w+)?\s*:?=(?!=)")
RETURN = re.compile(r"\breturn\b\s*(.*)")
# `fact ? a : b`, `a if fact else b`, and `return a if fact` of Perl and Ruby.
CHOICE = re.compile(r"(?P<fact>[^?]*)\?(?!\.|\?)(?P<one>.+?)\s:\s(?P<other>.+)")
PYTHON_CHOICE = re.compile(r"(?P<one>.+?)\s+if\s+(?P<fact>.+?)\s+else\s+(?P<other>.+)")
POSTFIX = re.compile(r"(?P<one>.+?)\s+(?:if|unless)\s+(?P<fact>.+)")
DECORATION = re.compile(
    r"(?i)\w*(?:colou?r|bold|paint|style|ansi|esc|highlight|underline|theme|chalk|click|rich|pretty"
    r"|render|format|column|width|terminal|align|wrap|pad|link|json|dim)\w*"
    r"|red|green|yellow|blue|cyan|magenta|gr[ae]y|white|black|reset|plain|text|str|string|join"
    r"|scalar|process|stdout|sys|os|shutil|self|this|f|r|true|false|none|null|undef"
)
STRING = re.compile(
    r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\\n])*`|\bqw?\([^)]*\)"
)
ARITHMETIC = re.compile(r"\d|[*%/]|\s-\s|<<|>>")
ONE_ITEM = re.compile(r"\[-?[01]\]")
MAX_BLOCK = 40  # lines of a branch that are read

SHELL_FACT = re.compile(r"(?:\[|\btest)\s+(?:!\s*)?-t\s+1\b")
SHELL_IF = re.compile(r"\bif\b.*-t\s+1\b")
SHELL_WORK = re.compile(
    r"(?:^|[;&|{]\s*)(?:exec\b|return\b|exit(?:\s+0)?\s*(?:$|[;}]))|\$\(\(|\$\{?[1-9@*]"
)
SHELL_DECORATION = re.compile(
    r"\b(?:less|more|bat|most|tput|stty|column|script)\b|PAGER|\bcat\s*$|>&2|\bexec\s+\d*[<>]"
)


def differing_lines(path: str, before: str, code: str) -> Iterator[int]:
    """The numbers of the lines that choose a value, in functions that were there before."""
    if path.endswith(".sh"):
        yield from _shell_lines(before, code)
        return
    pattern = PATTERNS.get(posixpath.splitext(path)[1])
    if not before or not pattern or not pattern.search(code):
        return
    lines = code.splitlines()
    marked = [_mark_return(line) for line in lines]
    heads = map(FUNCTION.search, map(_mark_return, before.splitlines()))
    former = {match[1] or match[2] for match in heads if match}
    names: dict[str, str] = {}  # each name that holds the fact, with its function
    for number, line in enumerate(lines, 1):
        is_fact = bool(pattern.search(line)) and not OTHER_STREAM.search(line)
        held = [name for name in names if re.search(rf"\b{name}\b", line)]
        if not is_fact and not held:
            continue
        function = enclosing_function(marked, number)
        held = [name for name in held if names[name] in ("", function)]
        assigned = ASSIGNED.search(line) if is_fact else None
        if assigned:
            names[assigned[1]] = function
        if (function and function not in former) or not (is_fact or held):
            continue
        fact = re.compile("|".join((pattern.pattern, *(rf"\b{name}\b" for name in held))))
        values = _values(lines, number, fact)
        if values and not _is_same_value(*values):
            yield number


def _mark_return(line: str) -> str:
    """The line in a form in which `return total(rows)` is not like the head of a function."""
    return re.sub(r"\breturn\b", "return:", line)


def _values(lines: list[str], number: int, fact: re.Pattern[str]) -> tuple[str, str] | None:
    """What is returned if the fact holds, and what otherwise; None if nothing is chosen."""
    line = lines[number - 1].strip().rstrip(";")
    if returned := RETURN.search(line):
        before = line[: returned.start()]
        if fact.search(before):  # `if (fact) { return a; }` on one line
            other = _next_return(lines, number)
            return (returned[1].rstrip("}; "), other) if other else None
        for pattern in (PYTHON_CHOICE, CHOICE):
            match = pattern.fullmatch(returned[1])
            if match and fact.search(match["fact"]):
                return match["one"], match["other"]
        match = POSTFIX.fullmatch(returned[1])
        other = _next_return(lines, number) if match and fact.search(match["fact"]) else ""
        return (match["one"], other) if match and other else None
    if not re.match(r"[}\s]*(?:if|unless|else if|elif|elsif)\b", line):
        return None
    end = _block_end(lines, number)
    returns = [match for match in map(RETURN.search, lines[number:end]) if match]
    other = _next_return(lines, end)
    return (returns[-1][1], other) if returns and other else None


def _block_end(lines: list[str], number: int) -> int:
    depth = indentation(lines[number - 1])
    for end in range(number, min(len(lines), number + MAX_BLOCK)):
        if lines[end].strip() and indentation(lines[end]) <= depth:
            return end
    return number


def _next_return(lines: list[str], number: int) -> str:
    """The value of the first return after a line, before another function begins."""
    for line in lines[number : number + MAX_BLOCK]:
        if FUNCTION.match(_mark_return(line.strip())):
            return ""
        if returned := RETURN.search(line):
            return returned[1]
    return ""


def _is_same_value(one: str, other: str) -> bool:
    """Is one of them the other with a decoration, or the same list in another form?"""
    short, long = sorted((_plain(one), _plain(other)), key=len)
    if short and short in long:
        rest = STRING.sub("", long.replace(short, "", 1))
        return not ARITHMETIC.search(ONE_ITEM.sub("", rest)) and _is_decoration(_names(rest))
    texts = [ONE_ITEM.sub("", STRING.sub("", text)) for text in (short, long)]
    is_computed = any(ARITHMETIC.search(text) and _names(text) for text in texts)
    return not is_computed and _is_decoration(_names(texts[0]) ^ _names(texts[1]))


def _plain(text: str) -> str:
    return " ".join(text.strip().rstrip(";").split())


def _names(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", text))


def _is_decoration(names: set[str]) -> bool:
    return all(DECORATION.fullmatch(name) for name in names)


def _shell_lines(before: str, code: str) -> Iterator[int]:
    """Branches of a script that was there, which leave it or read its arguments."""
    if not before or not SHELL_FACT.search(code):
        return
    lines = code.splitlines()
    for number, line in enumerate(lines, 1):
        fact = SHELL_FACT.search(line)
        if not fact or line.lstrip().startswith("#"):
            continue
        branch = [line[fact.end() :]]
        if SHELL_IF.search(line) and not re.search(r"\bfi\b", line):
            end = next((n for n, t in enumerate(lines[number:]) if t.strip()[:2] == "fi"), 0)
            branch += lines[number : number + end]
        work = [text for text in branch if SHELL_WORK.search(text.strip())]
        if any(not SHELL_DECORATION.search(text) for text in work):
            yield number
