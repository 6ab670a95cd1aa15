"""Finds comparisons in other languages than Python that say less than before, by their text.

A method compares: `equals`, `==`, `Equal`, `eq`, `compareTo`, `valueOf`, `toJSON`. It is weaker if
it no longer names a member that it named and that still exists, if it now compares only a size or
rounds, if it takes the place of one that the compiler makes and leaves a field out, if an order
that knows less takes the place of an equality, or if it never looks at the other value.
"""

from __future__ import annotations

from itertools import takewhile
from typing import NamedTuple

from ... import lazy_re as re
from ...repo.sources import SourceFile, code_text
from ..readers.matchers import word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# The head of a comparison; a group is the name of the other value.
COMPARISON_HEAD = re.compile(
    r"\bfn (?:eq|ne|partial_cmp|cmp)\(&self, *(?P<rust>\w+) *:"
    r"|\bfunc \([^)]*\) (?:Equals?|Cmp|Compare)\((?P<go>\w+) "
    r"|(?<![.:])\b(?:equals|Equals|compareTo|CompareTo|isEqual(?:Node)?|equalTo)\((?:[\w<>?.]+ +)?"
    r"(?P<java>\$?\w+)(?: *: *[\w<>?.]+)?\)(?: *: *\w+)? *(?:=>?|\{|$)"
    r"|\bdef (?:self\.)?(?:===?|eql\?|equal\?|<=>)[ (]*(?P<ruby>\w+)"
    r"|\boperator *(?:==|!=|<=>) *\([^)]*?\b(?P<cpp>\w+)\)"
    r"|\bfunc == *\(\w+: *[\w.]+, *(?P<swift>\w+):"
    r"|\[Symbol\.hasInstance\]\((?P<script>\w*)"
)
# Methods of JavaScript that say what an object is worth to a comparison.
SCRIPT_VALUE = re.compile(
    r"^\s*(?P<name>valueOf|toJSON|\[Symbol\.(?:toPrimitive|iterator)\])\([^)]*\)[^{;]*\{"
)
# An error of Go says which errors it is.
ERROR_IS = re.compile(r"\bfunc \([^)]*\) Is\((?P<target>\w+) error\) bool\b")
COMPARING_WORD = re.compile(
    r"[eE]quals?|\bIs\(|\b(?:eq|ne|cmp|partial_cmp|Cmp)\(|[cC]ompare|eql\?|operator|<=>"
    r"|(?:def|func) (?:self\.)?==|valueOf|toJSON|\[Symbol\."
)
NAME = re.compile(r"\bfn (\w+)|\) (\w+)\(|\bdef (\S+?)[ (]|\boperator *(\S+?) *\(|\b(\w+)\(")
RECEIVER = re.compile(r"\bfunc \((?:\w+ )?\*?(\w+)")
OWNER = re.compile(
    r"\bimpl\b.*\bfor (?P<impl>\w+)|\bimpl(?:<[^>]*>)? (?P<own>\w+)"
    r"|\b(?:class|struct|record|object|enum|extension|interface|module|trait) (?P<type>\w+)"
    r"|^\s*(?P<ruby>[A-Z]\w*) = (?:Struct\.new|Data\.define)\b"
)
MEMBER = re.compile(r"(?:\.|->|::|@)#?(\w+)(\??[ ]*\()?")
CALL = re.compile(r"(?<![.\w>:@])(?!(?:if|return|switch|while|for)\b)(\w+)\(")
# Words that say nothing of the value.
NO_MEMBER = word_set(
    "equals Equals equal Equal equalTo isEqual isEqualTo eq ne cmp partial_cmp compareTo CompareTo"
    " compare Compare class javaClass getClass GetType hashCode hash GetHashCode is_a instance_of"
    " kind_of prototype call constructor ReferenceEquals and_then then then_with ok unwrap clone"
    " as_ref as_str borrow self Self Iterator iterator Symbol toPrimitive super"
)
# Calls that make two different values the same.
ROUGH = re.compile(
    r"\.(?:size|length|Length|len)\b|\b(?:len|count|strlen)\(|\.count\(\)|\.(?:toLowerCase|trim)\("
    r"|\.(?:floor|round|abs|trunc|is_?[eE]mpty)\b"
)
ROUNDED = re.compile(r"[\w)\]] *(?:/|%|>>|\bdiv\b) *\d")
DERIVED = (
    r"derive\([^)]*\bPartialEq\b[^)]*\)\](?:\s*#\[[^\n]*\])*"
    r"\s*(?:pub(?:\([^)]*\))? )?struct {name}\b"
)
RUST_FIELD = re.compile(r"^\s+(?:pub(?:\([^)]*\))? )?(\w+):", re.M)
GO_FIELD = re.compile(r"^[ \t]+((?:\w+, )*\w+)[ \t]+[\w\[\]*.{}()]+", re.M)
COMPONENT = re.compile(r"\b(?:val|var) (\w+) *:|\b[\w<>?.\[\]]+ (\w+) *(?=[,)]|$)")
MAX_BODY_LINES = 40


class Method(NamedTuple):
    """A method that takes part in comparisons."""

    owner: str
    name: str
    line: int
    head: str
    other: str  # the name of the other value; "" if it has none
    body: str

    @property
    def members(self) -> set[str]:
        """The fields that it reads, and the methods of either value that return one."""
        own = rf"(?:\b(?:this|self)|(?<!\w){re.escape(self.other)})" if self.other else r"\bthis"
        getters = re.findall(rf"{own}\)?(?:\.|->)(\w+)\(\)", self.body)
        fields = [name for name, is_call in MEMBER.findall(self.body) if not is_call]
        return {*fields, *getters} - NO_MEMBER

    @property
    def helpers(self) -> set[str]:
        """Other functions, which may do a part of the work."""
        called = {name for name, is_call in MEMBER.findall(self.body) if is_call}
        called |= {*CALL.findall(self.body)}
        return {name for name in called - NO_MEMBER if not ROUGH.search(f".{name}()")}

    @property
    def words(self) -> set[str]:
        return set(re.findall(r"\w+", self.body))


def weaker_methods(path: str, before: str, after: str) -> Iterator[tuple[int, str]]:
    """Line and source of each comparison that says less than it did."""
    if not COMPARING_WORD.search(after):
        return
    old_code, new_code = (
        code_text(SourceFile(path, text), strings=False) for text in (before, after)
    )
    old, new = _by_name(_methods(old_code)), _by_name(_methods(new_code))
    known = {(method.head, method.body) for method in old.values()}
    for key, method in new.items():
        former = old.get(key) or _replaced_equality(method, old, new, new_code)
        if (method.head, method.body) in known:
            continue
        is_rounded = ROUNDED.search(method.body) and not (former and ROUNDED.search(former.body))
        is_weaker = (
            _is_one_sided(method)
            or (is_rounded and method.other)
            or (
                _says_less(former, method, new_code)
                if former
                else _leaves_out(method, old_code, new_code)
            )
        )
        if is_weaker:
            body = " ".join(method.body.split())
            yield method.line, method.head if body in method.head else f"{method.head} {body}"


def _by_name(methods: Iterator[Method]) -> dict[tuple[str, str], Method]:
    """One method for each name in a type; those for several kinds of values count as one."""
    found: dict[tuple[str, str], Method] = {}
    for method in methods:
        key = (method.owner, method.name)
        if first := found.get(key):
            method = first._replace(body=f"{first.body}\n{method.body}")
        found[key] = method
    return found


def _methods(code: str) -> Iterator[Method]:
    lines = code.splitlines()
    for index, line in enumerate(lines):
        match = COMPARISON_HEAD.search(line) or SCRIPT_VALUE.search(line) or ERROR_IS.search(line)
        if match is None or re.fullmatch(r"[^{=]*;\s*", line[match.end() :]):
            continue
        named = NAME.search(line)
        name = next(filter(None, named.groups()), "") if named else ""
        if SCRIPT_VALUE.search(line):
            name = match["name"]
        other = match[match.lastgroup] if match.lastgroup not in (None, "name") else ""
        receiver = RECEIVER.search(line)
        owner = receiver[1] if receiver else _owner(lines, index)
        body = line[match.end() :] + "\n" + "\n".join(body_below(lines, index))
        if body.strip():  # it is not only declared
            yield Method(owner, name, index + 1, line.strip(), other or "", body)


def _owner(lines: list[str], index: int) -> str:
    match = OWNER.search(owner_line(lines, index))
    return str(match[match.lastgroup or 0]) if match else ""


def owner_line(lines: list[str], index: int) -> str:
    """The head of the type in which a line is: the nearest one above that is indented less."""
    indent = _indent(lines[index])
    for line in reversed(lines[:index]):
        if line.strip() not in ("", "{") and _indent(line) < indent:
            indent = _indent(line)
            if OWNER.search(line):
                return line
    return ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def text_from(lines: list[str], head: int, column: int = 0) -> str:
    """A head from this column on, and its body."""
    return "\n".join((lines[head][column:], *body_below(lines, head)))


def body_below(lines: list[str], head: int) -> list[str]:
    """The lines after a head that are indented more than it."""
    indent = _indent(lines[head])

    def is_inside(line: str) -> bool:
        return not line.strip() or _indent(line) > indent or line.strip() == "{"

    return list(takewhile(is_inside, lines[head + 1 : head + 1 + MAX_BODY_LINES]))


def _replaced_equality(
    order: Method, old: dict[tuple[str, str], Method], new: dict[tuple[str, str], Method], code: str
) -> Method | None:
    """The equality of a Ruby class that is gone, so that the order decides what is equal."""
    key = (order.owner, "==")
    equality = old.get(key)
    is_replaced = order.name == "<=>" and key not in new and "Comparable" in code
    if equality is None or not is_replaced or order.members - equality.members:
        return None  # another method may name the rest
    return equality


def _is_one_sided(method: Method) -> bool:
    """Does it never look at the other value, or, as an error, compare it with nothing?"""
    if not method.other:
        return "Symbol.hasInstance" in method.head
    if method.name == "Is":
        other = re.escape(method.other)
        compared = (
            rf"\b{other}\b *(?:[!=]=|\.\()|[!=]= *\b{other}\b|\w\(.*\b{other}\b|switch {other}\b"
        )
        return not re.search(compared, method.body)
    return not re.search(rf"(?<!\w){re.escape(method.other)}\b", method.body)


def _says_less(old: Method, new: Method, code: str) -> bool:
    """Is a member left out that still exists, or is a size compared instead of the whole?"""
    if new.helpers - old.helpers:
        return False  # another function may compare the rest
    if {*ROUGH.findall(new.body)} - {*ROUGH.findall(old.body)} and old.words - new.words:
        return True
    rest = code.replace(new.body, "")
    return any(re.search(rf"\b{name}\b", rest) for name in old.members - new.words)


def _leaves_out(new: Method, old_code: str, new_code: str) -> bool:
    """Does a new method of a type that existed leave out what the comparison read until now?"""
    if new.name in ("[Symbol.iterator]", "[Symbol.toPrimitive]"):
        existed = re.search(rf"\bclass {new.owner}\b", old_code) if new.owner else None
        return bool(existed) and not re.search(r"\bthis\b|\bsuper\b", new.body)
    if new.helpers:
        return False
    fields = _compared_fields(new, old_code, new_code)
    still = {name for name in fields if re.search(rf"\b{name}\b", new_code)}
    return bool(still - new.words)


def _compared_fields(method: Method, old_code: str, new_code: str) -> set[str]:
    """The fields of a type that were compared without a method of its own."""
    owner = re.escape(method.owner)
    if not owner:
        return set()
    if method.name == "eq" and re.search(DERIVED.format(name=owner), old_code):
        return {*RUST_FIELD.findall(block_of(rf"\bstruct {owner}\b[^;]*?\{{", old_code))}
    if method.name in ("Equal", "Equals"):
        rows = GO_FIELD.findall(block_of(rf"\btype {owner} struct *\{{", old_code))
        return {name for row in rows for name in row.split(", ")}
    if method.name in ("equals", "Equals"):
        match = re.search(rf"\b(?:record|data class) {owner} *\(([^{{;]*?)\)", old_code)
        parts = COMPONENT.findall(f"{match[1]})") if match else []
        return {one or other for one, other in parts}
    if method.name == "==" or (method.name == "<=>" and "Comparable" in new_code):
        fields = re.search(
            rf"\b{owner} (?:=|<) *(?:Struct\.new|Data\.define)\(([^()]*)\)", old_code
        )
        return {*re.findall(r":(\w+)", fields[1])} if fields else set()
    if method.name in ("toJSON", "isEqualNode"):  # a runner asks these in place of the fields
        body = block_of(rf"\bclass {owner}\b[^{{]*\{{", old_code)
        return {*re.findall(r"\bthis\.(\w+) *=(?!=)", body)}
    return set()


def block_of(head: str, code: str) -> str:
    """The text from a head to the line that closes it."""
    match = re.search(head, code)
    if not match:
        return ""
    start = code.rfind("\n", 0, match.start()) + 1
    lines = code[start:].splitlines()
    indent = _indent(lines[0])
    rest = lines[2:] if lines[1:2] == [f"{' ' * indent}{{"] else lines[1:]
    inside = takewhile(lambda line: not line.strip() or _indent(line) > indent, rest)
    return "\n".join(inside)
