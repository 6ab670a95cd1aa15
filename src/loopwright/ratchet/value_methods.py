"""Reads the methods that give a value its text or its arithmetic, in all languages, by their text.

`String`, `fmt`, `toString`, `__repr__` and `to_s` say how a value is written; `sub`, `minus`,
`__sub__`, `coerce` and `operator-` how far it is from another one.
"""

from __future__ import annotations

from typing import NamedTuple

from .. import lazy_re as re
from ..repo.sources import SourceFile, code_text
from .comparison_methods import (
    COMPONENT,
    GO_FIELD,
    OWNER,
    RECEIVER,
    RUST_FIELD,
    block_of,
    body_below,
    owner_line,
)
from .languages import SCRIPT_SUFFIXES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DISTANCE = r"abs|abs_?[dD]iff\w*|[dD]iff\w*|[dD]istance\w*"
C_HEAD = re.compile(
    r"\b(?P<text>ToString)\(\)|\boperator *(?P<math>-) *\([^)]*?(?:\b(?P<other>\w+))?\)"
    r"|\bfunc (?P<minus>-) *\(\w+: *[\w.]+, *(?P<right>\w+):"
)
SCRIPT_HEAD = re.compile(
    r"^\s+(?:[\w<>\[\]?]+ +)*(?:(?P<text>toString|__toString|toJSON)\(\)"
    rf"|(?P<math>minus|subtract|sub|valueOf|{DISTANCE})"
    r"\((?:[\w<>?]+ +)?(?P<other>\$?\w+)?[^)]*\))[^;=]*(?:\{|$)"
)
HEADS: dict[tuple[str, ...], re.Pattern[str]] = {
    (".rs",): re.compile(
        r"\bfn (?:(?P<text>fmt|to_string)\(&self"
        rf"|(?P<math>sub|neg|{DISTANCE})\(&?(?:mut )?self(?:, *(?:mut )?(?P<other>\w+) *:)?)"
    ),
    (".go",): re.compile(
        r"^func \([^)]*\) (?:(?P<text>String|GoString|Error|MarshalJSON|MarshalText)\(\)"
        rf"|(?P<math>Sub|Minus|Abs|{DISTANCE})\((?:(?P<other>\w+) )?)"
    ),
    (".py",): re.compile(
        r"^\s+def (?:(?P<text>__repr__|__str__|__format__)\(self"
        rf"|(?P<math>__r?sub__|__abs__|__float__|__round__|{DISTANCE})\(self(?:, *(?P<other>\w+))?)"
    ),
    (".rb",): re.compile(
        r"^\s*def (?:(?P<text>to_s|inspect)\b"
        rf"|(?P<math>-@?|coerce|to_f|{DISTANCE})(?:[ (]+(?P<other>\w+))?)"
    ),
    (".kt", ".kts"): re.compile(
        r"\bfun (?:(?P<text>toString)\(\)"
        rf"|(?:\w+\.)?(?P<math>minus|unaryMinus|{DISTANCE})\((?:(?P<other>\w+) *:)?)"
    ),
    (".java", ".php", *SCRIPT_SUFFIXES): SCRIPT_HEAD,
    (".cs", ".c", ".cc", ".cpp", ".h", ".hpp", ".swift"): C_HEAD,
}
FUNCTION = re.compile(
    r"^[ \t]*(?:[\w<>\[\]&*]+ +)*?(?:fn|func|def|fun|function|sub)\s+"
    r"(?:\([^)]*\)\s*)?(?:self\.)?(?P<name>\w+)"
    r"|^[ \t]+(?:[\w<>\[\]?]+ +)*(?!(?:if|for|while|switch|catch)\b)"
    r"(?P<method>\w+)\([^)]*\)[^;=]*\{"
)
TRAIT = re.compile(r"\bimpl\b[^{]*?\b(\w+)(?:<[^>]*>)? for \w+")
# Where a type says what its values are made of; {name} is its name.
FIELD_PATTERNS = (
    (
        r"\bclass {name}\b",
        r"\b(?:self|this)\.(\w+)(?=[\w., ]* *=(?!=)| *:)",
    ),
    (r"\bclass {name}\b.*:$", r"(?m)^(?:    |\t)(\w+) *:(?!:)"),
    (r"\bclass {name}\b", r"(?m)^\s+@(\w+) *=(?!=)"),
    (
        r"\b(?:class|struct) {name}\b",
        r"(?m)^\s+(?:(?:public|private|protected|internal|final|readonly|val|var|let)\s+)+"
        r"(?:[\w<>\[\]?.]+ )?\$?(\w+)\s*(?:[;=:]|\{ *get)",
    ),
)
ACCESSORS = re.compile(r"(?m)^\s+attr_(?:reader|accessor) (.*)$")
RUBY_PARTS = r"\b{name} (?:=|<) *(?:Struct\.new|Data\.define)\(([^()]*)\)"
TUPLE = r"\bstruct {name}(?:<[^>]*>)?\(([^()]*)\)"


class ValueMethod(NamedTuple):
    """A method that says how a value is written, or how far it is from another one."""

    owner: str
    name: str
    trait: str  # of Rust: Display or Debug
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
    head = next((head for ends, head in HEADS.items() if path.endswith(ends)), None)
    found: dict[tuple[str, str, str], ValueMethod] = {}
    for method in _methods(head, code) if head else ():
        found.setdefault((method.owner, method.name, method.trait), method)
    return found


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
        body = "\n".join((line[match.end() :], *body_below(lines, index)))
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


def fields_of(owner: str, code: str) -> set[str]:
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
    for head, field in FIELD_PATTERNS:
        found |= {*re.findall(field, block_of(head.format(name=name), code))}
    return found - {"self", "this", ""}


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
            body = "\n".join((line[match.end() :], *body_below(lines, index)))
            found[name] = f"{found.get(name, '')}\n{body}"
    return found


def functions_naming(owner: str, code: str) -> set[str]:
    """The functions whose text names a type: they may take it or return it."""
    lines = code.splitlines()
    found = set()
    for index, line in enumerate(lines):
        if match := FUNCTION.match(line):
            text = "\n".join((line, *body_below(lines, index)))
            if re.search(rf"\b{re.escape(owner)}\b", text):
                found.add(match["name"] or match["method"])
    return found
