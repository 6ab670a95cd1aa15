"""Reads the methods that give a value its text or its arithmetic, in all languages, by their text.

`String`, `fmt`, `toString`, `__repr__` and `to_s` say how a value is written; `sub`, `minus`,
`__sub__`, `coerce` and `operator-` how far it is from another one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ... import lazy_re as re
from ...repo.sources import SourceFile, code_text
from ..readers.languages import SCRIPT_SUFFIXES
from .comparison_methods import (
    COMPONENT,
    GO_FIELD,
    OWNER,
    RECEIVER,
    RUST_FIELD,
    block_of,
    owner_line,
    text_from,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DISTANCE = r"abs|abs_?[dD]iff\w*|[dD]iff\w*|[dD]istance\w*"
C_HEAD = re.compile(
    r"\b(?P<text>ToString)\(\)|\boperator *(?P<math>-) *\([^)\n]*?(?:\b(?P<other>\w+))?\)"
    r"|\bfunc (?P<minus>-) *\(\w+: *[\w.]+, *(?P<right>\w+):",
    re.M,
)
SCRIPT_HEAD = re.compile(
    r"^[ \t]+(?:[\w<>\[\]?]+ +){0,6}(?:(?P<text>toString|__toString|toJSON"
    r"|__debugInfo|__serialize|__sleep|jsonSerialize)\(\)"
    rf"|(?P<math>minus|subtract|sub|valueOf|{DISTANCE})"
    r"\((?:[\w<>?]+ +)?(?P<other>\$?\w+)?[^)\n]*\))[^;=\n]*(?:\{|$)",
    re.M,
)
HEADS: dict[tuple[str, ...], re.Pattern[str]] = {
    (".rs",): re.compile(
        r"\bfn (?:(?P<text>fmt|to_string)\(&self"
        rf"|(?P<math>sub|neg|{DISTANCE})\(&?(?:mut )?self(?:, *(?:mut )?(?P<other>\w+) *:)?)",
        re.M,
    ),
    (".go",): re.compile(
        r"^func \([^)\n]*\) (?:(?P<text>String|GoString|Error|Format|MarshalJSON|MarshalText)\("
        rf"|(?P<math>Sub|Minus|Abs|{DISTANCE})\((?:(?P<other>\w+) )?)",
        re.M,
    ),
    (".py",): re.compile(
        r"^[ \t]+def (?:(?P<text>__repr__|__str__|__format__)\(self"
        rf"|(?P<math>__r?sub__|__abs__|__float__|__round__|{DISTANCE})\(self"
        r"(?:, *(?P<other>\w+))?)",
        re.M,
    ),
    (".rb",): re.compile(
        r"^[ \t]*def (?:(?P<text>to_s|inspect)\b"
        rf"|(?P<math>-@?|coerce|to_f|{DISTANCE})(?:[ (]+(?P<other>\w+))?)",
        re.M,
    ),
    (".kt", ".kts"): re.compile(
        r"\bfun (?:(?P<text>toString)\(\)"
        rf"|(?:\w+\.)?(?P<math>minus|unaryMinus|{DISTANCE})\((?:(?P<other>\w+) *:)?)",
        re.M,
    ),
    (".java", ".php", *SCRIPT_SUFFIXES): SCRIPT_HEAD,
    (".cs", ".c", ".cc", ".cpp", ".h", ".hpp", ".swift"): C_HEAD,
}
FUNCTION = re.compile(
    r"^[ \t]*(?:[\w<>\[\]&*]+ +){0,6}?(?:fn|func|def|fun|function|sub)\s+"
    r"(?:\([^)]*\)\s*)?(?:self\.)?(?P<name>\w+)"
    r"|^[ \t]+(?:[\w<>\[\]?]+ +){0,6}(?!(?:if|for|while|switch|catch)\b)"
    r"(?P<method>\w+)\([^)]*\)[^;=]*\{"
)
TRAIT = re.compile(r"\bimpl\b[^{]*?\b(\w+(?:<[^>]*>)?) for \w+")
# Where a type says what its values are made of; {name} is its name.
FIELD_PATTERNS = (  # the head of the type, a field in it, and whether only direct lines count
    (r"\bclass {name}\b", r"\b(?:self|this)\.(\w+)(?=[\w., ]* *=(?!=)| *:)", False),
    (r"\bclass {name}\b.*:$", r"(?m)^(?:    |\t)(\w+) *:(?!:)", True),
    (r"\bclass {name}\b", r"(?m)^\s+@(\w+) *=(?!=)", False),
    (
        r"\b(?:class|struct) {name}\b",
        r"(?m)^\s+(?:(?:public|private|protected|internal|final|readonly|val|var|let)\s+)+"
        r"(?:[\w<>\[\]?.]+ )?\$?(\w+)\s*(?:[;=:]|\{ *get)",
        True,
    ),
)
# A method without a body: of an interface, or of a class whose body is elsewhere.
DECLARED = re.compile(r"[^{}=\n]*\s*(?:@\w+[^\n]*\s*)*")
# A value that is handed on as a whole; {own} is its name.
WHOLE = r"(?P<function>\w+)!?\((?:[^()]*[,&] *)?[&*]*{own} *[,)]"
EVERY_FIELD = re.compile(r"\bsuper\b|__dict__|\bderive\b")
RUBY_PARTS = r"\b{name} (?:=|<) *(?:Struct\.new|Data\.define)\(([^()]*)\)"
TUPLE = r"\bstruct {name}(?:<[^>]*>)?\(([^()]*)\)"


class ValueMethod(NamedTuple):
    """A method that says how a value is written, or how far it is from another one."""

    owner: str
    name: str
    trait: str  # of Rust: Display, Debug, Sub or Sub<Other>
    is_text: bool
    line: int
    head: str
    other: str  # the name of the other value; "" if it has none
    body: str

    @property
    def words(self) -> set[str]:
        return {*re.findall(r"\w+", self.body)}


def value_methods(path: str, code: str) -> dict[tuple[str, str, str], ValueMethod]:
    """The methods by owner, name and trait; `code` has no comments, but its strings."""
    head = _head_for(path)
    found: dict[tuple[str, str, str], ValueMethod] = {}
    for method in _methods(head, code) if head else ():
        found.setdefault((method.owner, method.name, method.trait), method)
    return found


def has_value_methods(path: str, text: str | None) -> bool:
    """Is it worth reading? Most files have no such method."""
    head = _head_for(path)
    if head is None or not text:
        return False
    is_shown = path.endswith(".py") and "repr" in text  # a data class may leave out a field
    return is_shown or bool(head.search(text))


def _head_for(path: str) -> re.Pattern[str] | None:
    return next((head for ends, head in HEADS.items() if path.endswith(ends)), None)


def plain_code(path: str, text: str | None) -> str:
    return code_text(SourceFile(path, text or ""))


def _methods(head: re.Pattern[str], code: str) -> Iterator[ValueMethod]:
    lines = code.splitlines()
    for index, line in enumerate(lines):
        match = head.search(line)
        if match is None or line.rstrip().endswith(";"):
            continue
        groups = match.groupdict()
        owned = owner_line(lines, index)
        receiver, owner = RECEIVER.search(line), OWNER.search(owned)
        name = receiver[1] if receiver else owner[owner.lastgroup or 0] if owner else ""
        trait = TRAIT.search(owned)
        body = text_from(lines, index, match.end())
        if DECLARED.fullmatch(body):
            continue
        yield ValueMethod(
            owner=name or _first_type(line),
            name=groups["text"] or groups["math"] or groups.get("minus") or "",
            trait=trait[1] if trait else "",
            is_text=bool(groups["text"]),
            line=index + 1,
            head=line.strip(),
            other=groups.get("other") or groups.get("right") or "",
            body=body,
        )


def _first_type(line: str) -> str:
    """The type of the first value of an operator that is outside of a type."""
    match = re.search(r"operator *- *\((?:const )?(\w+)", line)
    return match[1] if match else ""


@lru_cache(maxsize=16)  # a type has several methods
def fields_of(owner: str, code: str) -> frozenset[str]:
    """What a value of the type holds, as far as its text says so."""
    name = re.escape(owner)
    found = {*RUST_FIELD.findall(block_of(rf"\bstruct {name}\b[^;(]*?\{{", code))}
    rows = GO_FIELD.findall(block_of(rf"\btype {name} struct *\{{", code))
    found |= {field for row in rows for field in row.split(", ")}
    if record := re.search(rf"\b(?:record|data class) {name} *\(([^{{;]*?)\)", code):
        found |= {one or other for one, other in COMPONENT.findall(f"{record[1]})")}
    if parts := re.search(TUPLE.format(name=name), code):
        found |= {str(number) for number in range(len(parts[1].split(",")))}
    if parts := re.search(RUBY_PARTS.format(name=name), code):
        found |= {*re.findall(r":(\w+)", parts[1])}
    for head, field, is_direct in FIELD_PATTERNS:
        block = block_of(head.format(name=name), code)
        found |= {*re.findall(field, _direct_lines(block) if is_direct else block)}
    return frozenset(found - {"self", "this", ""})


def _direct_lines(block: str) -> str:
    """The lines of a type that are not inside of a part of it."""
    lines = [line for line in block.splitlines() if line.strip()]
    first = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    return "\n".join(line for line in lines if not line[first : first + 1].isspace())


def shows_all(method: ValueMethod, code: str) -> bool:
    """Does it hand its value on as a whole, to a function that is not in the file?"""
    if EVERY_FIELD.search(method.body):
        return True
    receiver = re.search(r"^func \((\w+) ", method.head)
    own = rf"(?:self|this{f'|{receiver[1]}' if receiver else ''})"
    called = {m["function"] for m in re.finditer(WHOLE.format(own=own), method.body)}
    return bool(called - _function_bodies(code).keys())


def reachable_words(method: ValueMethod, code: str) -> set[str]:
    """The words of a method, and of the functions in the same file that it may call."""
    bodies = _function_bodies(code)
    found = set(method.words)
    while called := found & bodies.keys():
        for name in called:
            found |= {*re.findall(r"\w+", bodies.pop(name))}
    return found


def _function_bodies(code: str) -> dict[str, str]:
    lines = code.splitlines()
    found: dict[str, str] = {}
    for index, line in enumerate(lines):
        if match := FUNCTION.match(line):
            name = match["name"] or match["method"]
            body = text_from(lines, index, match.end())
            found[name] = f"{found.get(name, '')}\n{body}"
    return found


def functions_naming(owners: set[str], code: str) -> dict[str, set[str]]:
    """For each type, the functions whose text names it; only those that are defined once."""
    lines = code.splitlines()
    texts: dict[str, list[str]] = {}
    for index, line in enumerate(lines):
        if match := FUNCTION.match(line):
            text = text_from(lines, index)
            texts.setdefault(match["name"] or match["method"], []).append(text)
    words = {
        name: {*re.findall(r"\w+", found[0])} for name, found in texts.items() if len(found) == 1
    }
    return {owner: {name for name in words if owner in words[name]} for owner in owners}
