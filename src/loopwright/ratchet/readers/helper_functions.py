"""Splits the code of tests into functions that are not tests, by its text, in every language."""

from __future__ import annotations

from itertools import takewhile
from typing import NamedTuple

from ... import lazy_re as re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NAMED = re.compile(
    r"^\s*(?:[\w@]+(?:\([^()]*\))?\s+)*?(?:def|fn|func|fun|function\*?|sub)\s+"
    r"(?:\([^()]*\)\s*)?&?(?:self\.)?(?P<name>[\w$]+[?!]?)"
    r"|^\s*#\s*define\s+(?P<macro>\w+)\("
)
BOUND = re.compile(
    r"^\s*(?:export\s+)?(?:(?:const|let|var|val)\s+|(?:module\.)?exports\.)?"
    r"(?P<name>[\w$]+)\s*(?::[^=]*)?[=:]\s*"
    r"(?:async\s+)?(?:function\b|func\s*\(|lambda\b|\([^()]*\)\s*(?::[^=]*)?=>|\w+\s*=>|\|[^|]*\|)"
)
METHOD = re.compile(
    r"^\s*(?P<types>(?:[\w<>\[\],.?&*:]+\s+)*)\*?(?P<name>[\w$]+)\s*\([^;{}]*\)"
    r"(?P<end>[\w:<>\[\], .|?]*(?:\{.*|=>.*)?)$"
)
NO_NAME = re.compile(
    r"if|for|foreach|while|switch|catch|with|elif|match|using|lock|synchronized|return|when|else"
    r"|it|specify|describe|context|test|suite|expect|before\w*|after\w*|[tT]est(?:_|[A-Z])\w*"
)
NO_TYPE = re.compile(r"\b(?:return|await|throw|new|yield|else|not|and|or|in|if|assert|case)\b")
TEST_MARK = re.compile(
    r"^\s*(?:#\[(?:\w+::)*(?:test|rstest|case|test_case)\b|@(?:Test|ParameterizedTest|DataProvider)"
    r"|\[(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b|#\[(?:Test|DataProvider)\b)"
)
CALLED = re.compile(r"(?<![\w$])([A-Za-z_$][\w$]*[?!]?)\(")
WORD = re.compile(r"[A-Za-z_]\w*")
PERL_PARAMETERS = re.compile(r"\bmy \(([^)]*)\) *= *@_")
OWN_OBJECTS = frozenset(("self", "this", "cls", "t", "tb", "mut", "const", "void", "string"))
OPENING, CLOSING = re.compile(r"[(\[]"), re.compile(r"[)\]]")
MAX_LINES = 80
MAX_JOINED = 20  # lines of one statement
MAX_COLUMNS = 400
MAX_MARKS = 6  # lines above a function in which its mark may be


class HelperFunction(NamedTuple):
    """A function of the tests that is not a test; several of one name count as one."""

    name: str
    line: int
    head: str
    body: tuple[str, ...]  # its statements, with the rest of the line of its head
    constants: str  # the lines of the file that are in no function

    @property
    def called_names(self) -> set[str]:
        return {name for line in self.body for name in CALLED.findall(line)}

    @property
    def parameters(self) -> set[str]:
        """The words between the parentheses of its head, types among them."""
        given = " ".join(PERL_PARAMETERS.findall("\n".join(self.body)))
        words = {*WORD.findall(self.head.partition(self.name)[2]), *WORD.findall(given)}
        return words - OWN_OBJECTS


def helper_functions(code: str) -> dict[str, HelperFunction]:
    """The helpers by their name, of code without comments and strings."""
    lines = [line[:MAX_COLUMNS] for line in code.splitlines()]
    found: dict[str, HelperFunction] = {}
    constants = "\n".join(line for line in lines if line[:1].strip() and "(" not in line)
    for index, line in enumerate(lines):
        name, end = _defined_name(line, lines[index + 1 : index + 2])
        if not name or _is_marked(lines[:index]):
            continue
        inner = list(_inner_lines(lines, index))
        head, rest = line[:end], line[end:]
        while inner and _depth(head) > 0:  # the parameters have lines of their own
            head, rest = f"{head}{rest} {inner.pop(0)}", ""
        body = tuple(_statements([rest, *inner]))
        if first := found.get(name):
            found[name] = first._replace(body=(*first.body, *body))
        else:
            found[name] = HelperFunction(name, index + 1, head, body, constants)
    return found


def _statements(lines: Sequence[str]) -> Iterator[str]:
    """The lines, with those in one that only continue a statement in parentheses."""
    waiting: list[str] = []
    for line in lines:
        waiting.append(line)
        text = " ".join(waiting)
        opens_block = line.rstrip().endswith(("{", ":", "|"))
        if opens_block or _depth(text) <= 0 or len(waiting) >= MAX_JOINED:
            yield text if len(waiting) == 1 else " ".join(text.split())
            waiting = []
    yield from waiting


def _depth(text: str) -> int:
    return len(OPENING.findall(text)) - len(CLOSING.findall(text))


def _defined_name(line: str, following: Sequence[str]) -> tuple[str, int]:
    """The name of the function that begins in a line, and where its head ends."""
    match = NAMED.search(line) or BOUND.search(line)
    if match:
        name = match["name"] or match.groupdict().get("macro") or ""
        return ("" if NO_NAME.fullmatch(name) else name), _head_end(line, match.end())
    method = METHOD.search(line)
    if not method or NO_NAME.fullmatch(method["name"]) or NO_TYPE.search(method["types"]):
        return "", 0
    opens = "{" in method["end"] or "=>" in method["end"]
    opens = opens or bool(method["types"] and following and following[0].strip() == "{")
    return (method["name"], method.start("end")) if opens else ("", 0)


def _head_end(line: str, position: int) -> int:
    """Behind the parameters, if they are in this line."""
    depth = 0
    for index in range(position, len(line)):
        depth += {"(": 1, ")": -1}.get(line[index], 0)
        if line[index] == ")" and depth <= 0:
            return index + 1
    return position


def _is_marked(above: Sequence[str]) -> bool:
    """Do the attributes above a function say that it is a test?"""
    marks = takewhile(
        lambda line: line.lstrip()[:1] in ("#", "@", "["), reversed(above[-MAX_MARKS:])
    )
    return any(TEST_MARK.search(line) for line in marks)


def _inner_lines(lines: Sequence[str], head: int) -> Iterator[str]:
    """The lines after a head that are indented more than it."""
    indent = _indent(lines[head])
    for line in lines[head + 1 : head + 1 + MAX_LINES]:
        if line.strip() and _indent(line) <= indent and line.strip() not in ("{", "):"):
            return
        yield line


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
