"""Finds fixes that the tests get, and that those who use the product do not.

The fix is behind an option that is off by default and that tests or the settings of the repository
switch on; a default changed, and the product itself passes the former value; a new module is
imported with the former code as its replacement; or only a stand-in, which the tests hand to the
product, became strict.
"""

from __future__ import annotations

import ast
from collections import Counter

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ...repo.sources import parse_python
from ..project_files import new_lines
from ..readers.python_text import last_word
from ..surroundings import CODE_SUFFIXES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..project_files import Sides

RULE = "fix-not-for-users"
# A name that stands for nothing or no, as an entry of a table, a field or a constant.
OFF = re.compile(
    r"['\"]?\b(?P<name>[A-Za-z_]\w{2,})['\"]?\s*(?::\s*\w+\s*)?[:=](?!=)\s*"
    r"(?:False|false|None|null|0|['\"]off['\"])(?![\w.])"
)
TABLE = re.compile(
    r"(?:export )?(?:const |let |var |static |final )*(?P<table>\w+)(?:\s*:[^=]*)?\s*=\s*"
    r"(?:\w+[.(\w]*\()?[{\[]|class (?P<class>\w+)"
)
ON = r"\b{name}\b['\"]?\s*[:=]\s*['\"]?(?:true|True|1|on|yes)\b"
CONDITION = r"(?:\b(?:if|elif|unless|when|case|and|or|not)\b|\?|&&|\|\|)"
SWITCHES = r"setitem|setattr|patch|\.update\(|\bfor\b|Object\.(?:keys|assign)|\]\s*=(?!=)"
IMPORT_ERRORS = frozenset(("ImportError", "ModuleNotFoundError", "Exception", ""))
STAND_IN = re.compile(r"(?:In)?Memory|Fake|Stub|Dummy|Mock|Null|Local|Scratch|Simulat|DryRun")
Function = ast.FunctionDef | ast.AsyncFunctionDef
Bound = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Trees = dict[str, tuple[ast.Module, ast.Module]]  # path → parsed at the start and at the end


class FixesForTests:
    """The changes of a product that need the tests of the start to be judged."""

    def __init__(self, product: Sides) -> None:
        self.product = product
        parsed = {
            path: (parse_python(before or ""), parse_python(after))
            for path, (before, after) in product.items()
            if path.endswith(".py") and after
        }
        self.trees: Trees = {p: (o, n) for p, (o, n) in parsed.items() if o and n}
        self.options = dict(_options_off(product))
        self.defaults = list(_given_again(self.trees))
        self.stand_ins = list(_stricter_stand_ins(product, self.trees))

    @property
    def words(self) -> set[str]:
        """By which the tests are searched."""
        tables = {table for _, table in self.options.values()}
        owners = {owner for _, owner, _, _ in self.defaults}
        doubles = {name for _, name, _ in self.stand_ins}
        return ({*self.options} | tables | owners | doubles) - {""}

    def findings(self, tests: Mapping[str, str]) -> Iterator[Finding]:
        texts = list(tests.values())
        for name, (path, table) in self.options.items():
            if any(re.search(rf"\b{name}\b", text) for text in texts):
                continue  # the tests ask for the option
            switched = re.compile(
                rf"(?:{SWITCHES})[^\n]*\b{table}\b|\b{table}\b[^\n]*(?:{SWITCHES})"
            )
            if self._is_on_here(name) or (table and any(map(switched.search, texts))):
                yield Finding(MEDIUM, RULE, path, after=f"{name} is off by default")
        for path, owner, parameter, line in self.defaults:
            call = re.compile(rf"\b{owner}\((?:[^()\n]|\([^()\n]*\))*\)")
            calls = [match[0] for text in texts for match in call.finditer(text)]
            if any(f"{parameter}=" not in one for one in calls):
                yield Finding(MEDIUM, RULE, path, line, after=f"{owner}: {parameter}")
        for path, name, line in self.stand_ins:
            if any(_is_only_handed_on(name, text) for text in texts):
                yield Finding(MEDIUM, RULE, path, line, after=f"only {name} refuses")
        for path, line, text in _replaced_imports(self.product, self.trees):
            yield Finding(MEDIUM, RULE, path, line, after=text)

    def _is_on_here(self, name: str) -> bool:
        """Does a settings file of the repository switch the option on?"""
        switched = re.compile(ON.format(name=name))
        return any(
            switched.search(line)
            for path, (before, after) in self.product.items()
            if not path.endswith(CODE_SUFFIXES)
            for _, line in new_lines(before, after)
        )


def _options_off(product: Sides) -> Iterator[tuple[str, tuple[str, str]]]:
    """New names of the product that are off, and on which new conditions depend.

    Each with the file that has it and the table or class in which it is; "" if it is in none.
    """
    code = {path: row for path, row in product.items() if path.endswith(CODE_SUFFIXES)}
    if not any("alse" in (after or "") or "None" in (after or "") for _, after in code.values()):
        return
    former = "\n".join(before or "" for before, _ in product.values())
    fresh = {path: new_lines(before, after) for path, (before, after) in code.items()}
    conditions = [line for rows in fresh.values() for _, line in rows if re.search(CONDITION, line)]
    for path, rows in fresh.items():
        lines = (code[path][1] or "").splitlines()
        for number, line in rows:
            for match in OFF.finditer(line):
                name = match["name"]
                used = re.compile(rf"\b{name}\b")
                table = _table_around(lines, number)
                if table and not used.search(former) and any(map(used.search, conditions)):
                    yield name, (path, table)


def _table_around(lines: list[str], number: int) -> str:
    """The name of the table or class in which a line is; "" if it is in a function."""
    for line in reversed(lines[:number]):
        if line.strip() and not line[0].isspace() and line[0] not in "}])#/":
            match = TABLE.match(line)
            return (match["table"] or match["class"] or "") if match else ""
        if re.match(r"\s+(?:async )?def \w", line):
            return ""
    return ""


def _given_again(trees: Trees) -> Iterator[tuple[str, str, str, int]]:
    """Defaults that changed while the product now passes the former value: path, function,
    parameter and line of the call."""
    changed = {}
    for old, new in trees.values():
        before, after = _defaults(old), _defaults(new)
        for key in before.keys() & after.keys():
            if before[key] != after[key]:
                changed[key] = before[key]
    for path, (old, new) in trees.items() if changed else ():
        known = {(owner, name) for owner, name, _, _ in _passed_values(old)}
        for owner, name, value, line in _passed_values(new):
            if (owner, name) not in known and changed.get((owner, name)) == value:
                yield path, owner, name, line


def _defaults(tree: ast.Module) -> dict[tuple[str, str], str]:
    """The values that parameters have by default; a class stands for its `__init__`."""
    values, found = _constants(tree), {}
    for owner in ast.walk(tree):
        body = owner.body if isinstance(owner, ast.Module | ast.ClassDef) else []
        for part in body:
            if not isinstance(part, Function):
                continue
            is_start = isinstance(owner, ast.ClassDef) and part.name == "__init__"
            name = owner.name if is_start and isinstance(owner, ast.ClassDef) else part.name
            for parameter, default in _parameters(part):
                if value := _value(default, values):
                    found[name, parameter] = value
    return found


def _parameters(function: Function) -> Iterator[tuple[str, ast.expr]]:
    places = [*function.args.posonlyargs, *function.args.args]
    defaults = function.args.defaults
    for argument, default in zip(places[len(places) - len(defaults) :], defaults, strict=True):
        yield argument.arg, default
    named = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    yield from ((argument.arg, default) for argument, default in named if default)


def _passed_values(tree: ast.Module) -> Iterator[tuple[str, str, str, int]]:
    """What calls pass by name: function, parameter, value and line."""
    values = _constants(tree)
    for node in ast.walk(tree):
        for keyword in node.keywords if isinstance(node, ast.Call) else ():
            value = _value(keyword.value, values)
            if isinstance(node, ast.Call) and keyword.arg and value:
                yield last_word(node.func), keyword.arg, value, node.lineno


def _constants(tree: ast.Module) -> dict[str, str]:
    return {
        target.id: ast.dump(part.value)
        for part in tree.body
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Constant)
        for target in part.targets
        if isinstance(target, ast.Name)
    }


def _value(node: ast.expr, names: dict[str, str]) -> str:
    """A value that is written out, here or under a name of the module; else ""."""
    if isinstance(node, ast.Constant):
        return ast.dump(node)
    return names.get(node.id, "") if isinstance(node, ast.Name) else ""


def _replaced_imports(product: Sides, trees: Trees) -> Iterator[tuple[str, int, str]]:
    """New modules of the project that are imported with a replacement, as if they were not there.

    Path, line and source. A module that may be missing is compiled, or comes from others.
    """
    fresh = [p for p, (before, after) in product.items() if before is None and after]
    stems = [path.removesuffix(".py").removesuffix("/__init__") for path in fresh]
    for path, (_, new) in trees.items() if stems else ():
        for node in ast.walk(new):
            if not isinstance(node, ast.Try):
                continue
            imports = [part for part in node.body if isinstance(part, ast.ImportFrom)]
            bound = {alias.asname or alias.name for part in imports for alias in part.names}
            handlers = [h for h in node.handlers if last_word(h.type) in IMPORT_ERRORS]
            inner = [part for handler in handlers for part in handler.body]
            replaced = {part.name for part in inner if isinstance(part, Bound)}
            for part in imports if bound & replaced else ():
                place = (part.module or "").replace(".", "/")
                if place and any(f"/{stem}".endswith(f"/{place}") for stem in stems):
                    yield path, part.lineno, ast.unparse(part)


def _stricter_stand_ins(product: Sides, trees: Trees) -> Iterator[tuple[str, str, int]]:
    """A stand-in that raises a new error, if it is all that changed: path, name and line.

    Another class of the file has the same methods and is as it was.
    """
    code = [
        path for path, (_, after) in product.items() if path.endswith(CODE_SUFFIXES) or not after
    ]
    if len(code) != 1 or code[0] not in trees:
        return
    old, new = trees[code[0]]
    before = {node.name: node for node in old.body if isinstance(node, ast.ClassDef)}
    after = {node.name: node for node in new.body if isinstance(node, ast.ClassDef)}
    changed = [n for n in after if n in before and ast.dump(after[n]) != ast.dump(before[n])]
    if len(changed) != 1 or before.keys() != after.keys() or _other_parts(old) != _other_parts(new):
        return
    name = changed[0]
    methods = _public_methods(after[name])
    twins = [n for n in after if n != name and _public_methods(after[n]) == methods]
    is_stricter = bool(_raised_errors(after[name]) - _raised_errors(before[name]))
    if STAND_IN.search(name) and twins and len(methods) > 1 and is_stricter:
        yield code[0], name, after[name].lineno


def _other_parts(tree: ast.Module) -> Counter[str]:
    apart = (ast.ClassDef, ast.Import, ast.ImportFrom)
    return Counter(ast.dump(part) for part in tree.body if not isinstance(part, apart))


def _public_methods(owner: ast.ClassDef) -> set[str]:
    methods = [part.name for part in owner.body if isinstance(part, Function)]
    return {name for name in methods if not name.startswith("_")}


def _raised_errors(owner: ast.ClassDef) -> set[str]:
    raised = [node.exc for node in ast.walk(owner) if isinstance(node, ast.Raise)]
    return {last_word(e.func if isinstance(e, ast.Call) else e) for e in raised if e}


def _is_only_handed_on(name: str, test: str) -> bool:
    """Do tests make such an object to hand it to the product, and never look at it themselves?"""
    if not re.search(rf"\b{name}\(", test):
        return False
    variables = re.findall(rf"\b(\w+)\s*=\s*(?:\w+\.)*{name}\(", test)
    given = rf"\w\((?:[^()\n]*,\s*)?(?:{'|'.join([*variables, f'{name}[(][)]'])})\s*[,)]"
    if not re.search(given, test):
        return False
    blocks = re.split(r"(?m)^(?=\s*(?:async )?def )", test)
    own = [block for block in blocks if re.search(rf"\b{name}\(", block)]
    return not any(re.search(r"\bassert|\braises\(", block) for block in own)
