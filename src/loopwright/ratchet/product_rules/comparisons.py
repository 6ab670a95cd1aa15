"""Finds methods of the product with which tests measure it, and which say less than before.

Tests compare, print and subtract with operators that the product defines. One that leaves out a
field, rounds, or never looks at its values makes every assertion about its objects weaker.
"""

from __future__ import annotations

from ... import lazy_re as re
from ...checks.surroundings import is_product_code
from ...core.findings import MEDIUM, Finding
from ...repo.sources import SCRIPT_ENDINGS, SourceFile, code_text
from ..readers.definitions import CLASS, CONSTANT, changed_definitions, definitions
from ..readers.matchers import word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...repo.baseline import Change
    from ..project import Project
    from ..readers.definitions import Definition

EQUALITIES = word_set(
    "__eq__ equals Equals Equal == === eq eql? equal? isEqual isEqualNode equalTo operator=="
    " toJSON [Symbol.hasInstance] __contains__ __instancecheck__ __subclasscheck__"
)
ORDERS = word_set(
    "__ne__ __lt__ __le__ __gt__ __ge__ compareTo CompareTo Cmp Compare ne cmp partial_cmp != <=>"
    " operator!= operator<=>"
)
# What a value is printed as, and what is left of it in a difference or a length.
VALUES = word_set(
    "__str__ __repr__ __format__ toString String Error GoString fmt to_s inspect __toString"
    " ToString __sub__ __rsub__ __len__ __abs__ __float__ __int__ __round__ __iter__ sub -"
    " operator- valueOf [Symbol.toPrimitive] [Symbol.iterator] minus coerce"
)
# Answers about an object that must look at what it holds.
IDENTITIES = word_set("__copy__ __deepcopy__ __bool__ copy clone")
MEASURING = EQUALITIES | ORDERS | VALUES | IDENTITIES
NAMES_ITSELF = (".py", ".rs", ".php", ".go", *SCRIPT_ENDINGS)  # `self.cents`, never `cents`
OWN = re.compile(r"\b(?:self|this|cls|super)\b|@\w|\$this\b")
OWN_PART = re.compile(r"\bself\.\w|\bsuper\(|\b\w+\(")
PARAMETER = re.compile(r"(\$?\w+)\s*(?::[^,():]*)?(?:=[^,()]*)?\)[^()]*$")
GO_PARAMETER = re.compile(r"\((\w+) [^()]*\)[^()]*$")
RECEIVER = re.compile(r"func \((\w+) ")
MEMBER = re.compile(r"(?:\.|->|@)#?([A-Za-z_]\w*)(?!\w*\??\()")
GETTER = re.compile(r"(?:\.|->)([A-Za-z_]\w*)\(\)")
CALL = re.compile(r"(?<![\w$])([A-Za-z_]\w*[?!]?)\(")
# Calls that are in every comparison.
PLAIN_CALLS = word_set(
    "if return switch isinstance issubclass type hasattr super TypeError hash is_a? kind_of?"
    " instance_of? getClass GetType write write_str Sprintf format String equals"
)
# Calls and operators that make two different values the same.
ROUGH = re.compile(
    r"\b(?:round|int|abs|len|bool|floor|ceil|trunc|isclose|approx|strlen|count|lower|casefold)\("
    r"|\.(?:length|Length)\b|\.(?:size|len|count|toLowerCase|trim|strip|floor|round|abs|trunc)\("
    r"|[\w)\]] *(?:/|//|%|>>|\bdiv\b) *\d|\bor\b|\|\|"
)
CONDITION = re.compile(r"(?m)^\s*(?:\}? *el(?:s?if|se if)|if|while|unless)\b.*$")
OPERATORS_OF_RUST = ("eq", "ne", "cmp", "partial_cmp", "sub", "fmt")
# The fields of a type, by how languages set or declare them.
FIELDS = (
    re.compile(r"(?:\b(?:self|this)\.|\$this->|@)#?(\w+)\s*=(?!=)"),
    re.compile(r"(?m)^\s+(?:pub(?:\([^)]*\))?\s+)?(\w+)\s*:\s*[\w<\[&]+[^\n({]*,?$"),
    re.compile(r"(?m)^\t([A-Za-z]\w*)\s+[\w\[\]*.]+$"),
    re.compile(
        r"(?m)^\s+(?:private|protected|public|final|readonly)[\w<>\[\], ?]*\s\$?(\w+)\s*[;=]"
    ),
)
LEFT_OUT = re.compile(r"\b(\w+)\b[^\n=]*=\s*(?:\w+\.)?field\([^\n]*\b(?:compare|eq)\s*=\s*False")
LEFT_TO_BASE = re.compile(r"@\w*\.?dataclass\([^)\n]*\beq\s*=\s*False")
MAX_QUOTED = 200


def find(project: Project) -> Iterator[Finding]:
    """The weaker methods of product files, unless they are as they were in another file."""
    changes = [c for c in project.changes.values() if c.after is not None and is_product_code(c)]
    others = {c.path: c.before or "" for c in project.changes.values()}
    for change in changes:
        for definition in _weaker_definitions(change):
            text = " ".join(definition.text.split())
            is_moved = any(definition.text in t for p, t in others.items() if p != change.path)
            if not is_moved:
                line, after = definition.first, text[:MAX_QUOTED]
                yield Finding(MEDIUM, "comparison-says-less", change.path, line, after=after)


def _weaker_definitions(change: Change) -> Iterator[Definition]:
    path, before, after = change.path, change.before or "", change.after or ""
    types: dict[str, str] = {}
    for each in definitions(path, after):
        if each.kind == CLASS:  # a type of Rust has several blocks
            types[each.name] = types.get(each.name, "") + each.text
    for old, new in changed_definitions(path, before, after):
        if new is None:
            continue
        body, former = _body(path, new), _body(path, old) if old else ""
        is_same = new.kind != CLASS and body.split() == former.split()
        if is_same or not _is_measuring(path, new):
            continue
        if new.kind == CLASS:
            is_weaker = old is not None and _compares_less(old.text, new.text)
        elif new.name in IDENTITIES:
            is_weaker = path.endswith(".py") and not OWN_PART.search(body)
        elif "NotImplemented" in body:
            is_weaker = False
        elif new.kind == CONSTANT:  # `__eq__ = int.__le__`
            is_weaker = new.name in EQUALITIES and body.count(new.name) < 2
        elif former and _says_less(new.name, former, body, types.get(new.owner, after)):
            is_weaker = True
        else:
            is_weaker = new.name not in VALUES and (
                _is_one_sided(path, new.head, body)
                or (new.name in EQUALITIES and _leaves_out(types.get(new.owner, ""), body))
                or bool(not former and PARAMETER.search(new.head) and ROUGH.search(body))
            )
        if is_weaker:
            yield new


def _is_measuring(path: str, definition: Definition) -> bool:
    """Do tests measure with it? A plain function with the name of an operator is none."""
    name = definition.name
    if definition.kind == CLASS:
        return True
    if name not in MEASURING:
        return False
    if path.endswith(".py") and not name.startswith("__") and name not in IDENTITIES:
        return False
    if name in OPERATORS_OF_RUST and not path.endswith(".rs"):
        return False
    return bool(definition.owner) or not name.isidentifier() or name.startswith("operator")


def _compares_less(old: str, new: str) -> bool:
    """Is a field of a data class left out of its comparison, or all of it left to a base class?"""
    left_out = {*LEFT_OUT.findall(new)} - {*LEFT_OUT.findall(old)}
    if any(re.search(rf"\b{name}\b", old) for name in left_out):
        return True
    return bool(LEFT_TO_BASE.search(new) and not LEFT_TO_BASE.search(old))


def _body(path: str, definition: Definition) -> str:
    """Its code below or after the head, without comments."""
    code = code_text(SourceFile(path, definition.text))
    _, _, rest = code.partition(definition.head)
    return rest if rest.strip(" \n}") else definition.head


def _is_one_sided(path: str, head: str, body: str) -> bool:
    """Does it never look at its own object, or never at the other one?"""
    receiver = RECEIVER.search(head)
    names_receiver = receiver and re.search(rf"\b{receiver[1]}\b", body)
    looks = OWN.search(body) or names_receiver or not path.endswith(NAMES_ITSELF)
    other = (GO_PARAMETER if receiver else PARAMETER).search(head)
    name = other[1] if other else ""
    sees_other = not name or re.search(rf"(?<![\w.]){re.escape(name)}\b", body)
    return body != head and not (looks and sees_other) and "raise" not in body


def _leaves_out(owner: str, body: str) -> bool:
    """Is there a field of the type that an equality does not name, and no helper that may?"""
    if {*CALL.findall(body)} - PLAIN_CALLS:
        return False
    words = {*re.findall(r"\w+", body)}
    declared = re.sub(r"\([^()]*\)", "()", owner.replace(body, ""))  # parameters are no fields
    fields = {name for pattern in FIELDS for name in pattern.findall(declared)}
    return bool(fields) and bool({name for name in fields if name[0] != "_"} - words)


def _says_less(name: str, old: str, new: str, owner: str) -> bool:
    """Is a member left out that still exists, or is a part compared instead of the whole?"""
    if name in VALUES:  # a condition decides what is shown, and is not shown itself
        old, new = (CONDITION.sub("", text) for text in (old, new))
    calls = {*CALL.findall(new)} - {*CALL.findall(old)} - PLAIN_CALLS
    if any(not ROUGH.search(f".{call}(") for call in calls):
        return False  # another function may do the rest
    if {*ROUGH.findall(new)} - {*ROUGH.findall(old)}:
        return True
    words = {*re.findall(r"\w+", new)}
    members = {*MEMBER.findall(old), *GETTER.findall(old)} - words
    rest = owner.replace(new, "")
    return any(re.search(rf"\b{member}\b", rest) for member in members)
