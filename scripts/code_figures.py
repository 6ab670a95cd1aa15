"""Print the figures of the style guide for src/loopwright: names, density, width, import cycles.

python scripts/code_figures.py              lists what misses a target, and exits 1 if anything does
python scripts/code_figures.py --report     prints the same and always exits 0
python scripts/code_figures.py --by-folder  prints the figures of each folder, and exits 0
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "loopwright"
PARTICIPLES_BELOW = 0.02
BRANCH_POINTS_BELOW = 0.26
MOST_COLUMNS = 100
MOST_PLACES = 20
PAGE_FILES = (".js", ".css", ".html", ".tcss")

# Verbs that are spelled like their participle (read, set, cut, put, run, let, hit) are not listed.
IRREGULAR_PARTICIPLES = """
    begun born bought bound brought built caught chosen come done drawn fed felt forgotten fought
    found frozen given gone got grown heard held hidden hurt kept known laid led left lent lit lost
    made meant met paid ridden said seen sent shown sold spent spoken spread standing stolen stood
    struck swept sworn taken taught thought thrown told understood woken won worn written
"""
NOT_PARTICIPLES = """
    bed bleed breed creed deed embed exceed feed greed heed indeed need proceed red seed shed shred
    sled speed succeed weed
"""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.comprehension)
BRANCHES = (ast.If, ast.IfExp, *LOOPS, ast.ExceptHandler, ast.match_case, ast.Assert)


@dataclass(frozen=True)
class Source:
    """One file of the package: its path below the package, its module name, its text and syntax."""

    path: PurePosixPath
    module: str
    text: str
    nodes: Sequence[ast.AST]


@dataclass(frozen=True)
class Figure:
    """One row of the table; `places` are what a person opens to improve the figure."""

    name: str
    value: str
    target: str = "-"
    missed: bool = False
    places: Sequence[str] = ()


def parse_source(path: str, text: str, package: str = "loopwright") -> Source:
    """A file of the package, from its path below the package and its text."""
    place = PurePosixPath(path)
    module = ".".join([package, *place.with_suffix("").parts]).removesuffix(".__init__")
    return Source(place, module, text, list(ast.walk(ast.parse(text, filename=path))))


def read_package(folder: Path) -> list[Source]:
    return [
        parse_source(file.relative_to(folder).as_posix(), file.read_text("utf-8"), folder.name)
        for file in sorted(folder.rglob("*.py"))
    ]


def measure(sources: Sequence[Source], cycles: Sequence[tuple[str, ...]]) -> list[Figure]:
    """The figures of these files, with those of the package's cycles that pass through them."""
    modules = {source.module for source in sources}
    return [
        *name_figures(sources),
        *line_figures(sources),
        cycle_figure([cycle for cycle in cycles if modules.intersection(cycle)]),
    ]


def name_figures(sources: Sequence[Source]) -> list[Figure]:
    functions = [(source, node) for source in sources for node in named_functions(source.nodes)]
    names = [node.name for _, node in functions]
    participles = [(source, node) for source, node in functions if is_participle(node.name)]
    places = [f"{source.path}:{node.lineno}  {node.name}" for source, node in participles]
    share = len(places) / max(len(names), 1)
    one_word = sum(map(is_one_word, names)) / max(len(names), 1)
    target = f"< {PARTICIPLES_BELOW:.0%}"
    missed = share >= PARTICIPLES_BELOW
    return [
        Figure("functions", str(len(names))),
        Figure("one-word names", f"{one_word:.1%}"),
        Figure("participles", f"{share:.1%}", target=target, missed=missed, places=places),
    ]


def line_figures(sources: Sequence[Source]) -> list[Figure]:
    count = sum(bool(line.strip()) for source in sources for line in source.text.split("\n"))
    density = sum(branch_points(source.nodes) for source in sources) / max(count, 1)
    target = f"< {BRANCH_POINTS_BELOW}"
    missed = density >= BRANCH_POINTS_BELOW
    wide = [place for source in sources for place in wide_lines(source.path, source.text)]
    share = f"{len(wide)} ({len(wide) / max(count, 1):.1%})"
    return [
        Figure("branch points per line", f"{density:.3f}", target=target, missed=missed),
        Figure("wide lines", share, target="0", missed=bool(wide), places=wide),
    ]


def wide_lines(path: PurePosixPath, text: str) -> list[str]:
    lines = enumerate(text.split("\n"), start=1)
    return [
        f"{path}:{number}  {len(line)} columns"
        for number, line in lines
        if len(line) > MOST_COLUMNS
    ]


def page_figure(folder: Path) -> Figure:
    """The wide lines of what a browser or a terminal draws."""
    files = [file for file in sorted(folder.rglob("*")) if file.suffix in PAGE_FILES]
    wide = [
        place
        for file in files
        for place in wide_lines(
            PurePosixPath(file.relative_to(folder).as_posix()), file.read_text("utf-8")
        )
    ]
    return Figure("wide lines of pages", str(len(wide)), target="0", missed=bool(wide), places=wide)


def size_figures(package: Path) -> list[Figure]:
    """How large the parts are. A size that is over its target is shown; it fails nothing."""
    root = package.parent.parent
    longest = max(sorted(package.rglob("*.py")), key=count_lines, default=None)
    rows = [
        ("lines of src", count_all_lines(package), 82_000),
        ("lines of ratchet", count_all_lines(package / "ratchet"), 9_000),
        ("lines of tests", count_all_lines(root / "tests"), 105_000),
        ("files in drive/", len(list((package / "drive").glob("*.py"))), 20),
        ("files in core/", len(list((package / "core").glob("*.py"))), 20),
        ("longest file", count_lines(longest) if longest else 0, 350),
    ]
    return [Figure(name, f"{value:,}", target=f"<= {most:,}") for name, value, most in rows]


def count_all_lines(folder: Path) -> int:
    return sum(map(count_lines, folder.rglob("*.py")))


def count_lines(file: Path) -> int:
    return file.read_text("utf-8").count("\n")


def cycle_figure(cycles: Sequence[tuple[str, ...]]) -> Figure:
    sizes = ", ".join(str(len(cycle)) for cycle in cycles)
    value = f"{len(cycles)} ({sizes})" if cycles else "0"
    places = [" ".join(cycle) for cycle in cycles]
    return Figure("cycles", value, target="0", missed=bool(cycles), places=places)


def named_functions(
    nodes: Sequence[ast.AST],
) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions, methods and nested functions, without `__enter__` and its kind."""
    functions = [node for node in nodes if isinstance(node, FUNCTIONS)]
    named = [node for node in functions if not (node.name[:2] == node.name[-2:] == "__")]
    return sorted(named, key=lambda node: node.lineno)


def is_one_word(name: str) -> bool:
    return "_" not in name.strip("_")


def is_participle(name: str) -> bool:
    """Is the whole name one past participle (`kept`, `_told`, `resumed`)?"""
    word = name.strip("_")
    if word.endswith("ed"):
        return is_one_word(name) and word not in NOT_PARTICIPLES.split()
    return word in IRREGULAR_PARTICIPLES.split()


def branch_points(nodes: Sequence[ast.AST]) -> int:
    """Each node of BRANCHES is one; `a and b and c` is two, one for each further operand."""
    operands = sum(len(node.values) - 1 for node in nodes if isinstance(node, ast.BoolOp))
    return operands + sum(isinstance(node, BRANCHES) for node in nodes)


def import_cycles(sources: Sequence[Source]) -> list[tuple[str, ...]]:
    """Groups of modules that all import each other, directly or not; the largest group first.

    Imports inside functions and under TYPE_CHECKING count. Names that are built at run time
    (`import_module(...)`) do not. An empty `__init__.py` imports nothing, so it closes no cycle.
    """
    modules = {source.module for source in sources}
    imports = {source.module: imported_modules(source, modules) for source in sources}
    reach = {module: reachable_modules(module, imports) for module in modules}
    groups = set()
    for module in modules:
        group = sorted(other for other in reach[module] if module in reach[other])
        groups.add(tuple(group))
    return sorted(groups - {()}, key=lambda group: (-len(group), group))


def imported_modules(source: Source, modules: set[str]) -> set[str]:
    """The modules of the package that this file names in an import, itself left out."""
    names: set[str] = set()
    for node in source.nodes:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = absolute_base(source, node)
            members = [f"{base}.{alias.name}" for alias in node.names]
            names.update(member if member in modules else base for member in members)
    return (names & modules) - {source.module}


def absolute_base(source: Source, node: ast.ImportFrom) -> str:
    """`x.y` of `from x.y import z`, with leading dots resolved."""
    tail = [node.module] if node.module else []
    if not node.level:
        return ".".join(tail)
    parts = source.module.split(".")
    climb = node.level - (source.path.name == "__init__.py")  # a package is its own first dot
    return ".".join(parts[: len(parts) - climb] + tail)


def reachable_modules(start: str, imports: dict[str, set[str]]) -> set[str]:
    """All that `start` imports, directly or not; `start` itself only if a cycle leads back."""
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        fresh = imports[waiting.pop()] - reached
        reached |= fresh
        waiting.extend(fresh)
    return reached


def report_text(figures: Sequence[Figure]) -> str:
    rows = [(figure.name, figure.value, figure.target) for figure in figures]
    text = align_columns([("figure", "value", "target"), *rows])
    for figure in figures:
        if figure.missed and figure.places:
            text += f"\n{figure.name}:\n" + list_places(figure.places)
    return text


def list_places(places: Sequence[str]) -> str:
    more = len(places) - MOST_PLACES
    last = [f"… and {more} more"] if more > 0 else []
    return "".join(f"  {row}\n" for row in [*places[:MOST_PLACES], *last])


def folder_text(sources: Sequence[Source], cycles: Sequence[tuple[str, ...]]) -> str:
    """One row per folder, its subfolders included."""
    rows = [("folder", *(figure.name for figure in measure([], [])))]
    for folder in sorted({folder for source in sources for folder in source.path.parents}):
        inside = [source for source in sources if folder in source.path.parents]
        name = "all" if folder == PurePosixPath() else str(folder)
        rows.append((name, *(figure.value for figure in measure(inside, cycles))))
    return align_columns(rows)


def align_columns(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "".join(f"{line}\n" for line in lines)


def main(argv: Sequence[str] | None = None, package: Path = PACKAGE) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--report", action="store_true", help="exit 0 even if a target is missed")
    parser.add_argument("--by-folder", action="store_true", help="the figures of each folder")
    options = parser.parse_args(argv)
    sources = read_package(package)
    cycles = import_cycles(sources)
    figures = [*measure(sources, cycles), page_figure(package), *size_figures(package)]
    sys.stdout.write(folder_text(sources, cycles) if options.by_folder else report_text(figures))
    missed = any(figure.missed for figure in figures)
    return int(missed and not options.report and not options.by_folder)


if __name__ == "__main__":
    sys.exit(main())
