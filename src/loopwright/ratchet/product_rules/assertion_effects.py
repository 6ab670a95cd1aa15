"""Finds assertions of a product that do a part of its work.

A release build leaves such assertions out, and with them the work; test builds run them. To change
a value that only the assertion knows is no work: `let mut copy = list.clone(); copy.sort();`.
"""

from __future__ import annotations

import posixpath

from ... import lazy_re as re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

RUST = re.compile(r"\bdebug_assert(?:_eq|_ne)?!\s*[(\[{]")
CALL = re.compile(r"(?<![\w.>$:])assert\s*\(")
STATEMENT = re.compile(r"(?m)^\s*assert\b(?!\s*[=.(]?=)")
DEBUG_CLASS = re.compile(r"\bDebug\.Assert\s*\(")
ASSERTIONS = {
    ".rs": RUST,
    ".php": CALL,
    ".swift": CALL,
    ".kt": CALL,
    ".java": STATEMENT,
    ".py": STATEMENT,
    ".cs": DEBUG_CLASS,
    **dict.fromkeys((".c", ".cc", ".cpp", ".h", ".hpp"), CALL),
}
PLACE = r"(\$?\w+(?:(?:\.|->|::)\w+|\[[^\][]*\])*)"  # `list`, `self.rows`, `ring->items[i]`
# Methods that change their object, and functions that change their first argument.
METHODS = {
    ".rs": (
        r"sort\w*|push\w*|pop\w*|insert\w*|remove\w*|retain\w*|dedup\w*|reverse|clear|truncate"
        r"|extend\w*|drain|swap\w*|append|resize\w*|rotate_\w+|split_off|fill|get_or_insert\w*"
    ),
    **dict.fromkeys(
        (".java", ".kt"),
        r"add\w*|remove\w*|put\w*|push|pop|poll|offer|sort\w*|clear|retainAll|replaceAll|merge"
        r"|computeIf\w+|incrementAndGet|getAndIncrement|compareAndSet",
    ),
    ".cs": r"Add\w*|Remove\w*|Insert\w*|Push|Pop|Enqueue|Dequeue|Sort|Clear|Reverse",
    ".swift": r"append|insert|remove\w*|sort|reverse|popLast|swapAt",
    # They have no result, so that an assertion does not ask for it.
    ".py": r"sort|append|extend|reverse|insert|clear",
    **dict.fromkeys((".cc", ".cpp", ".hpp"), r"push_\w+|pop_\w+|insert|erase|clear|emplace\w*"),
}
CHANGED_ARGUMENT = {
    ".rs": rf"&mut\s+{PLACE}",
    ".java": rf"\bCollections\.(?:sort|reverse|shuffle|swap)\(\s*{PLACE}",
    ".php": (
        r"\b(?:[aku]?r?sort|u[ak]?sort|shuffle|settype|natsort|array_(?:push|pop|shift|unshift"
        rf"|splice|walk))\(\s*{PLACE}"
    ),
}
ASSIGNED = re.compile(rf"{PLACE}\s*(?:[-+*/%|&^]|<<|>>|\?\?|\|\|)?=(?![=>~])|{PLACE}(?:\+\+|--)")
COUNTED = re.compile(rf"(?:\+\+|--){PLACE}")
NO_ASSIGNMENTS = (".py",)  # there they are statements, and `f(key=value)` is none
# Names that the assertion itself makes: `let mut copy`, `|pair|`, `for x in`, `sorted =`.
OWN_NAME = re.compile(
    r"\b(?:let(?:\s+mut)?|var|val|auto|int|long|bool|for)\s+\(?(?:mut\s+)?(\w+)"
    r"|\|\s*&*(?:mut\s+)?(\w+)"
)
STRING = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'")
MAX_LENGTH = 4000  # of one assertion
OPENING, CLOSING = "([{", ")]}"


def working_lines(path: str, code: str) -> Iterator[int]:
    """The numbers of the lines with an assertion that changes what others use too."""
    suffix = posixpath.splitext(path)[1]
    pattern = ASSERTIONS.get(suffix)
    if not pattern or not pattern.search(code):
        return
    code = STRING.sub(lambda match: '"' + " " * (len(match[0]) - 2) + '"', code)
    spans = [(match.start(), _end(code, match, suffix)) for match in pattern.finditer(code)]
    outside, position = "", 0
    for start, end in spans:
        outside += code[position:start]
        position = end
    outside += code[position:]
    for start, end in spans:
        if any(_is_used(parts, outside) for parts in _changed_names(code[start:end], suffix)):
            yield code.count("\n", 0, start + len(_blanks(code, start))) + 1


def _blanks(code: str, start: int) -> str:
    rest = code[start : start + 200]
    return rest[: len(rest) - len(rest.lstrip())]


def _end(code: str, match: re.Match[str], suffix: str) -> int:
    """Where the assertion ends: with its last bracket, or with its statement."""
    is_statement = match[0].rstrip()[-1:] not in OPENING
    depth = 0 if is_statement else 1
    stop = min(len(code), match.end() + MAX_LENGTH)
    for position in range(match.end(), stop):
        letter = code[position]
        depth += (letter in OPENING) - (letter in CLOSING)
        if is_statement and depth <= 0 and letter == ("\n" if suffix == ".py" else ";"):
            return position
        if not is_statement and depth == 0:
            return position + 1
    return stop


def _changed_names(assertion: str, suffix: str) -> Iterator[list[str]]:
    """The parts of each name that is changed, and that the assertion does not make itself."""
    own = {name for match in OWN_NAME.finditer(assertion) for name in match.groups() if name}
    for place in _changed_places(assertion, suffix):
        parts = re.findall(r"\w+", re.sub(r"\[[^\]]*\]", "", place))
        if parts and parts[0] not in own:
            yield parts


def _changed_places(assertion: str, suffix: str) -> Iterator[str]:
    if words := METHODS.get(suffix):
        for match in re.finditer(rf"{PLACE}\.(?:{words})\(", assertion):
            yield match[1]
    if words := CHANGED_ARGUMENT.get(suffix):
        yield from (match[1] for match in re.finditer(words, assertion))
    if suffix in NO_ASSIGNMENTS:
        return
    for match in ASSIGNED.finditer(assertion):
        is_declaration = re.search(r"\b(?:let|mut|var|val|auto)\s+$", assertion[: match.start()])
        if not is_declaration:
            yield match[1] or match[2]
    yield from (match[1] for match in COUNTED.finditer(assertion))


def _is_used(parts: list[str], outside: str) -> bool:
    """Does other code use it? A variable is there once more, where it is made."""
    uses = re.findall(rf"\b{re.escape(parts[-1])}\b", outside)
    return len(uses) > (1 if len(parts) == 1 else 0)
