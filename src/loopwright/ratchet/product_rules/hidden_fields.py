"""Finds JavaScript objects whose fields a deep comparison no longer sees.

It sees own enumerable fields only. A field is hidden if it became private, an accessor of the
class, or a property that is not enumerable, or if a proxy does not list it. What an object of the
platform holds, and what an object inherits from another one, is no field at all.
"""

from __future__ import annotations

from itertools import takewhile
from typing import NamedTuple

from ... import lazy_re as re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

CLASS = re.compile(r"(?m)^([ \t]*)(?:export )?(?:default )?(?:class (\w+)|function ([A-Z]\w*))")
PUBLIC_FIELD = re.compile(
    r"\bthis\.(\w+) *=(?!=)|(?m:^)[ \t]+(?:readonly |public )*(\w+) *[=;](?!=)"
)
PRIVATE_FIELD = re.compile(r"\bthis\.#(\w+) *=(?!=)")
ACCESSOR = re.compile(r"(?m)^([ \t]+)(?:get|set|accessor) (\w+)\b(?:.*?\{(.*)\}$)?.*")
# The object that gets a property, and the property: by its name, or by a name that is computed.
DEFINE_ONE = re.compile(
    r"\.defineProperty\(\s*([\w.]+)\s*,\s*(?:['\"`](\w+)['\"`]|[^,'\"`\n]+)\s*,\s*"
)
DEFINE_MANY = re.compile(
    r"\.(?:defineProperties|create)\(\s*([\w.]+|\{ *\}|[\w.]+\([^()]*\))\s*,\s*(?=\{)"
)
DEFINE_COMPUTED = re.compile(r"\.defineProperties\(\s*this\s*,\s*(?!\{)")
DESCRIBED_KEY = re.compile(r"(?:['\"]?(\w+)['\"]?|\[[^\]\n]*\]|\.\.\.\w+)\s*:?\s*")
IS_SHOWN = re.compile(r"\benumerable *: *(?!false\b)")
IS_HIDDEN = re.compile(r"\benumerable *: *false\b")
OBJECT_KEY = re.compile(r"[{,]\s*(\w+)\s*(?=[,:}])")
KEYS_OF_PROXY = re.compile(r"(?<!\.)\bownKeys\b(?!.*\bReflect\.ownKeys)")
# Ways to keep a value elsewhere than in a field.
OTHER_STORE = re.compile(r"\bWeakMap\b|\.definePropert|\bObject\.create\(|\bnew Proxy\(|\bSymbol\(")
# Objects of the platform without fields: two of them are equal whatever they hold.
OPAQUE_FIELD = re.compile(
    r"\bthis\.(\w+) *= *new (?:URLSearchParams|Headers|FormData|Weak(?:Map|Set|Ref)|Blob|Promise"
    r"|Request|Response|Proxy)\b"
)
INHERITS = re.compile(
    r"\bObject\.create\(\s*(?!null\b|\w*[pP]roto)[a-z]\w*\s*\)"
    r"|\bsetPrototypeOf\(\s*(?:\w+|\{[^{}]*\})\s*,\s*(?!null\b|\w*[pP]roto)[a-z]\w*\s*\)"
    r"|[{,]\s*__proto__\s*:\s*(?!null\b|\w*[pP]roto)[a-z]\w*\s*[,}]"
)
ASSIGNED_TOGETHER = re.compile(r"\bObject\.assign\(\s*this\b|\bsuper\(")
NOT_AN_OBJECT = ("exports", "module.exports", "globalThis", "process")
ANY = "*"  # the name of a property that is computed
MAX_BRACES = 4000  # characters of an object literal


class Definition(NamedTuple):
    """A property that `Object.defineProperty` and its relatives make."""

    target: str
    name: str
    descriptor: str

    @property
    def is_shown(self) -> bool:
        return bool(IS_SHOWN.search(self.descriptor))


class Fields(NamedTuple):
    """Where a class keeps its values."""

    public: set[str]
    hidden: set[str]  # ANY: all that are not public


def hidden_names(before: str, after: str, all_code: str) -> set[str]:
    """Classes that hide fields which they showed before; "" if other objects do.

    `all_code` is the code of all changed files, in which a class may have help.
    """
    old, new = _classes(before), _classes(after)
    found = set()
    for name, body in new.items():
        fields = _fields(name, body, after)
        if name not in old:
            if _keeps_in_hiding(body) and not fields.public:
                found.add(name)
            continue
        former = _fields(name, old[name], before)
        lost = (former.public & fields.hidden) - fields.public
        if ANY in fields.hidden and ANY not in former.hidden:
            lost |= former.public - fields.public
        kept_elsewhere = OTHER_STORE.search(all_code) and not OTHER_STORE.search(before)
        if kept_elsewhere and not ASSIGNED_TOGETHER.search(body):
            missing = former.public - fields.public - _accessors(body)
            lost |= {field for field in missing if _is_only_read(field, body, all_code)}
        opaque = {*OPAQUE_FIELD.findall(body)} - {*OPAQUE_FIELD.findall(old[name])}
        if opaque and (former.public & opaque or former.public - fields.public):
            found.add(name)
        if lost:
            found.add(name)
    if _hides_keys(before, after):
        found.add("")
    return found


def _keeps_in_hiding(body: str) -> bool:
    """Does a class make private fields, or, without a base class, such that are not enumerable?"""
    if PRIVATE_FIELD.search(body):
        return True
    own = [row for row in _definitions(body) if row.target == "this" and not row.is_shown]
    return bool(own) and "super(" not in body  # errors hide what they add to an error


def _fields(name: str, body: str, code: str) -> Fields:
    public = {one or other for one, other in PUBLIC_FIELD.findall(body)}
    hidden = {*PRIVATE_FIELD.findall(body)}
    own = [row for row in _definitions(body) if row.target == "this"]
    for row in own:
        if IS_HIDDEN.search(row.descriptor):
            public -= {row.name} if row.name != ANY else public
            hidden.add(row.name)
        elif row.is_shown:
            public.add(row.name)
        elif row.name not in public:
            hidden.add(row.name)
    on_class = [row.name for row in _definitions(code) if row.target == f"{name}.prototype"]
    accessors = _accessors(body) | {*on_class}
    public -= accessors
    hidden |= {field for field in accessors if not _is_derived(field, body, public)}
    return Fields(public, hidden)


def _accessors(body: str) -> set[str]:
    return {match[2] for match in ACCESSOR.finditer(body)}


def _is_derived(accessor: str, body: str, public: set[str]) -> bool:
    """Does an accessor of a class only work with fields that can be seen?"""
    own = [match for match in ACCESSOR.finditer(body) if match[2] == accessor]
    texts = [match[3] or block_below(body, match) for match in own]
    used = {name for text in texts for name in re.findall(r"\bthis\.(\w+)", text)}
    return bool(used & public)


def _is_only_read(field: str, body: str, all_code: str) -> bool:
    """Does a class still ask for a field that no line sets any more?"""
    if not re.search(rf"\.{field}\b", body):
        return False
    is_set = (
        rf"\.{field} *(?:[-+*/%|&?]{{1,2}})?=(?![=>])"
        rf"|[\[{{][^=\n]*\bthis\.{field}\b[^=\n]*[\]}}] *=(?!=)"
        rf"|\b(?:public|private|protected|readonly) {field}\b"
    )
    return not re.search(is_set, all_code)


def _hides_keys(before: str, after: str) -> bool:
    """Do other objects than those of a class hide a key that they showed?"""
    if KEYS_OF_PROXY.search(after) and not KEYS_OF_PROXY.search(before):
        return True
    if INHERITS.search(after) and not INHERITS.search(before):
        return True
    keys = {*OBJECT_KEY.findall(before)}
    known = {row.name for row in _definitions(before)}
    for row in _definitions(after):
        is_object = row.target != "this" and not row.target.endswith(".prototype")
        is_new = row.name in keys - known and row.target not in NOT_AN_OBJECT
        if is_object and is_new and not row.is_shown:
            return True
    return False


def _definitions(code: str) -> Iterator[Definition]:
    for match in DEFINE_ONE.finditer(code):
        yield Definition(match[1], match[2] or ANY, _braces(code, match.end()))
    for match in DEFINE_MANY.finditer(code):
        for name, descriptor in _entries(_braces(code, match.end())):
            yield Definition(match[1], name, descriptor)
    for _ in DEFINE_COMPUTED.finditer(code):
        yield Definition("this", ANY, "")


def _entries(braces: str) -> Iterator[tuple[str, str]]:
    """The keys of an object literal whose values are object literals, with these."""
    position = 1
    while match := DESCRIBED_KEY.search(braces, position):
        value = _braces(braces, match.end())
        yield match[1] or ANY, value
        position = match.end() + max(len(value), 1)


def _braces(code: str, start: int) -> str:
    """The object literal that begins here; "" if none does."""
    if code[start : start + 1] != "{":
        return ""
    depth = 0
    for position in range(start, min(len(code), start + MAX_BRACES)):
        depth += {"{": 1, "}": -1}.get(code[position], 0)
        if not depth:
            return code[start : position + 1]
    return code[start : start + MAX_BRACES]


def _classes(code: str) -> dict[str, str]:
    return {match[2] or match[3]: block_below(code, match) for match in CLASS.finditer(code)}


def block_below(code: str, head: re.Match[str]) -> str:
    """The lines below a head that are indented more than it; its first group is the indentation."""
    lines = code[head.end() :].splitlines()[1:]
    inside = takewhile(lambda line: not line.strip() or line[len(head[1]) :][:1].isspace(), lines)
    return "\n".join(inside)
