"""What a file in Python or JavaScript imports, and which files an import may mean."""

from __future__ import annotations

import ast
import posixpath
from functools import lru_cache

from .. import lazy_re as re
from ..core.record import Record
from ..repo.sources import (
    PYTHON_ENDINGS,
    SourceFile,
    code_text,
    numbered_matches,
    parse_python,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Names = dict[str, set[str]]  # name → the modules that it is imported from
# Where modules begin, below the project or below a folder above the importer.
IMPORT_ROOTS = ("", "src", "lib", "app", "python")
NODE_ORDER = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".json")  # and jest
COMPILED_FROM = {
    ".js": (".ts", ".tsx", ".jsx"),
    ".mjs": (".mts",),
    ".cjs": (".cts",),
    ".jsx": (".tsx",),
}
# All quantifiers are possessive: no letter of a hostile file is read twice.
FROM_CLAUSE = r"\s*+(?P<quote>[\"'`])(?P<to>(?:[^\"'`$\n]|\$(?!\{))++)(?P=quote)"
SCRIPT_IMPORTS = tuple(
    re.compile(rf"(?<![\w$.]){pattern}")
    for pattern in (
        r"import\b\s*+(?:type\b\s*+(?=[\w${*]))?(?:(?P<default>[A-Za-z_$][\w$]*+)\s*+,?\s*+)?"
        rf"(?:\*\s*+as\s++[\w$]++|\{{(?P<names>[^{{}}]*+)\}})?\s*+from{FROM_CLAUSE}",
        r"export\b\s*+(?:type\b\s*+)?"
        rf"(?:\*(?:\s*+as\s++[\w$]++)?|\{{(?P<names>[^{{}}]*+)\}})\s*+from{FROM_CLAUSE}",
        rf"import{FROM_CLAUSE}",
        r"(?:(?:jest|vi)\.)?(?:import|require)(?:Actual|\.resolve)?"
        rf"\s*+\({FROM_CLAUSE}\s*+(?P<end>,|\)\s*+[.(\[?]?+)",
    )
)
# The names before the quote of the last of these patterns.
DESTRUCTURED_NAMES = re.compile(
    r"\{(?P<names>[^{}]*+)\}\s*+=\s*+(?:await\s++)?(?:import|require)\s*+\(\s*+$"
)
# For Python that we cannot parse.
PYTHON_IMPORT_LINE = re.compile(
    r"^[ \t]*+(?:from[ \t]++([\w.]++)[ \t]++import\b|import[ \t]++([\w.]++))", re.M
)
# A statement by which a script gives names to what it imports.
SCRIPT_BINDING = re.compile(
    r"(?:const|let|var|import)\s+(?:type\s+)?(\{[^}]*\}|\*\s+as\s+\w+|[\w$]+(?:\s*,\s*\{[^}]*\})?)"
    r"\s*(?:=\s*(?:await\s+)?(?:require|import)\(|from)\s*['\"]([^'\"]+)['\"]"
)
BOUND_NAME = re.compile(r"(?:\w+\s*(?::|\bas\b)\s*)?([\w$]+)\s*(?=[,}]|$)")
LISTED_NAME = re.compile(r"\s*+(?:type\s++(?!as\b))?([\w$]++)(?:\s++as\s++([\w$]++))?")


class Import(Record):
    """What an import names in the words of its language, the names it takes, and its line."""

    module: str
    names: tuple[str, ...] = ()
    line: int = 0
    # In `from a import b`, b is a module, or only a name in this parent module.
    parent_module: str = ""


@lru_cache(maxsize=2)
def file_imports(source: SourceFile) -> tuple[Import, ...]:
    """All imports of a file in Python or JavaScript."""
    if source.kind in PYTHON_ENDINGS:
        return tuple(_python_imports(source))
    return tuple(_script_imports(code_text(source)))


def imported_modules(text: str) -> list[str]:
    """The modules that a script imports, as it writes them."""
    return [statement.module for statement in _script_imports(text)]


# --- Python ---


def _python_imports(source: SourceFile) -> list[Import]:
    """The imports of the syntax tree, or of the lines where the text cannot be parsed."""
    tree = parse_python(source.text)
    if not tree:
        return [
            Import(match[1] or match[2], line=line)
            for line, match in numbered_matches(PYTHON_IMPORT_LINE, source.text)
        ]
    statements = []
    for node in statements_in(tree.body):
        if isinstance(node, ast.Import):
            statements += [Import(alias.name, line=node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            statements += _from_imports(node)
    return statements


def _from_imports(node: ast.ImportFrom) -> list[Import]:
    """The import of names from a module, and of each name as if it were a module."""
    module = "." * node.level + (node.module or "")
    prefix = f"{module}." if node.module else module
    names = tuple(alias.name for alias in node.names)
    as_modules = [
        Import(prefix + name, line=node.lineno, parent_module=module)
        for name in names
        if name != "*"
    ]
    return [Import(module, names, node.lineno), *as_modules]


def names_bound(tree: ast.Module) -> Names:
    """The names that the imports of a module of Python bind."""
    found: Names = {}
    for node in statements_in(tree.body):
        if isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                found.setdefault(alias.asname or alias.name, set()).add(module)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                found.setdefault(name, set()).add(alias.name if alias.asname else name)
    return found


def statements_in(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements, those inside others too; much faster than all nodes."""
    for part in body:
        yield part
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from statements_in(getattr(part, field, []))


def module_files(module: str) -> list[str]:
    """The files that a module of Python may be, from the top of the project."""
    path = module.lstrip(".").replace(".", "/")
    ends = (".py", "/__init__.py")
    return [posixpath.join(root, f"{path}{end}") for root in IMPORT_ROOTS for end in ends]


# --- JavaScript ---


def _script_imports(text: str) -> list[Import]:
    """The imports, re-exports and calls of `import` and `require` with a constant path."""
    statements = []
    for pattern in SCRIPT_IMPORTS:
        for line, match in numbered_matches(pattern, text):
            names = listed_names(_imported_list(text, match))
            if match.groupdict().get("default"):
                names = ("default", *names)
            statements.append(Import(match["to"], names, line))
    return statements


def _imported_list(text: str, match: re.Match[str]) -> str:
    """The names between the braces of an import."""
    groups = match.groupdict()
    # Names before a call take from the module itself only where nothing is done with its result.
    if groups.get("end", "").strip() == ")":
        start = max(0, match.start() - 400)
        destructured = DESTRUCTURED_NAMES.search(text, start, match.start("quote"))
        if destructured:
            return destructured["names"]
    return groups.get("names") or ""


def listed_names(listed: str, aliases: bool = False) -> tuple[str, ...]:
    """The names in `a, type b as c`: a and b, or with `aliases` a and c."""
    matches = [match for part in listed.split(",") if (match := LISTED_NAME.match(part))]
    return tuple((aliases and match[2]) or match[1] for match in matches)


def script_names_bound(text: str) -> dict[str, str]:
    """The names that the imports of a script bind, each with its module."""
    statements = SCRIPT_BINDING.findall(text)
    return {name: module for names, module in statements for name in BOUND_NAME.findall(names)}


def script_place(importer: str, specifier: str) -> str:
    """The path from the top of the project that a specifier with a leading dot or slash means."""
    specifier = specifier.partition("?")[0]
    if specifier.startswith("/"):
        return posixpath.normpath(specifier.lstrip("/"))
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), specifier))


def script_paths(place: str, order: tuple[str, ...] = NODE_ORDER) -> Iterator[str]:
    """The files that an import of this place may mean, in the order in which a tool tries them."""
    stem, ending = posixpath.splitext(place)
    index = posixpath.normpath(posixpath.join(place, "index"))
    yield place
    yield from (f"{place}{added}" for added in order)
    yield from (f"{stem}{source}" for source in COMPILED_FROM.get(ending, ()))
    yield from (f"{index}{added}" for added in order)
