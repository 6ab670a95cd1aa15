"""Follows the imports of JavaScript files to the files of the project that they mean.

An import without an ending can mean several files. Which one is taken depends on the tool, so a
new file can take the place of another one for the tests and not for the program.
"""

from __future__ import annotations

import posixpath

from .. import lazy_re as re
from ..repo.sources import DECLARATION_ENDINGS
from .code_files import SCRIPT_SUFFIXES
from .imports import NODE_ORDER, imported_modules, script_paths, script_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    ReadFiles = Callable[[list[str]], Mapping[str, str]]
    Order = tuple[str, ...]  # the endings that a tool tries, the first one first

ORDERS = (  # what a settings file says, and the order of the tool that it is for
    (re.compile(r"\bvite(?:st)?\b"), (".mjs", ".js", ".mts", ".ts", ".jsx", ".tsx", ".json")),
    (
        re.compile(r"\b(?:bun|tsx|esbuild|ts-node|sucrase)\b"),
        (".tsx", ".jsx", ".ts", ".mts", ".mjs", ".js", ".cjs", ".json"),
    ),
)
OWN_ORDER = re.compile(r"(?:\b|['\"])(?:moduleFileExtensions|extensions)['\"]?\s*:\s*\[([^\]]*)\]")
ENDING = re.compile(r"['\"]\.?([\w.]+)['\"]")
PLATFORMS = re.compile(r"\b(?:react-native|jest-expo)\b")
PLATFORM_ENDINGS = tuple(
    f".{platform}{ending}"
    for platform in ("ios", "android", "native")
    for ending in (".js", ".jsx", ".ts", ".tsx")
)
MAX_FILES = 3000  # that are read to follow imports


def orders_of(settings: Iterable[str]) -> list[Order]:
    """In which orders the tools of a project try endings, by the texts of its settings."""
    text = "\n".join(settings)
    orders: list[Order] = [NODE_ORDER, *(order for tool, order in ORDERS if tool.search(text))]
    if PLATFORMS.search(text):
        orders.append((*PLATFORM_ENDINGS, *NODE_ORDER))
    own = (ENDING.findall(listed) for listed in OWN_ORDER.findall(text))
    return [*orders, *(tuple(f".{ending}" for ending in endings) for endings in own)]


def meant_file(importer: str, name: str, files: Collection[str], order: Order) -> str:
    """The file of the project that an import means; "" for a package or a missing file."""
    if not name.startswith("."):
        return ""
    return _file_at(script_place(importer, name), files, order)


def _file_at(place: str, files: Collection[str], order: Order) -> str:
    return next((path for path in script_paths(place, order) if path in files), "")


def may_hide(path: str, files: Collection[str]) -> bool:
    """Is there another file that an import without an ending may mean in place of this one?"""
    if path.endswith(DECLARATION_ENDINGS):
        return False
    folder, name = posixpath.split(path)
    parts = name.split(".")
    stems = [posixpath.join(folder, ".".join(parts[:count])) for count in range(1, len(parts) + 1)]
    others = [f"{stem}{ending}" for stem in stems for ending in NODE_ORDER]
    others += [f"{stem}/index{ending}" for stem in stems for ending in NODE_ORDER]
    return any(other in files for other in others if other != path)


def imports_reached(
    starts: Iterable[str], files: Collection[str], read: ReadFiles, packages: Mapping[str, str]
) -> dict[str, list[str]]:
    """Every file that is reached from these by imports, with the modules that it imports.

    `packages` are the texts of the files package.json: an import may name a package of the project.
    """
    reached: dict[str, list[str]] = {}
    level = [path for path in starts if path in files]
    stems = _stems_by_name(files)
    while level and len(reached) < MAX_FILES:
        texts = read(level[:MAX_FILES])
        reached |= {path: imported_modules(texts.get(path, "")) for path in level}
        meant = {
            file
            for path in level
            for name in reached[path]
            for file in _possible_files(path, name, files, stems, packages)
        }
        level = sorted(meant - reached.keys())
    return reached


def _possible_files(
    importer: str,
    name: str,
    files: Collection[str],
    stems: Mapping[str, list[str]],
    packages: Mapping[str, str],
) -> Iterator[str]:
    """All files that an import can mean, whatever the tool and its aliases are."""
    if name.startswith("."):
        if file := meant_file(importer, name, files, NODE_ORDER):
            yield file
        return
    parts = name.split("/")
    tail = "/".join(parts[1:]) if len(parts) > 1 else ""
    stem = posixpath.splitext(tail)[0] if tail.endswith(SCRIPT_SUFFIXES) else tail
    for path in stems.get(posixpath.basename(stem), ()) if stem else ():
        place = posixpath.splitext(path)[0].removesuffix("/index")
        if f"/{place}".endswith(f"/{stem}"):
            yield path
    for path, text in packages.items():
        if re.search(rf'"name"\s*:\s*"{re.escape(name)}"', text):
            folder = posixpath.dirname(path)
            named = re.findall(r'"(?:\./)?([\w./-]+\.[cm]?[jt]sx?)"', text)
            for entry in (*named, "index", "src/index"):
                if file := _file_at(posixpath.join(folder, entry), files, NODE_ORDER):
                    yield file


def _stems_by_name(files: Collection[str]) -> dict[str, list[str]]:
    """The code files by the word with which an import ends that means them."""
    found: dict[str, list[str]] = {}
    for path in files:
        if path.endswith(SCRIPT_SUFFIXES):
            place = posixpath.splitext(path)[0].removesuffix("/index")
            found.setdefault(posixpath.basename(place), []).append(path)
    return found


def hidden_files(
    imports: Mapping[str, list[str]],
    before: Collection[str],
    after: Collection[str],
    orders: Iterable[Order],
) -> dict[str, str]:
    """New files that an unchanged import means now, each with the file that it meant before."""
    found: dict[str, str] = {}
    for order in orders:
        for importer, names in imports.items():
            for name in names:
                old = meant_file(importer, name, before, order)
                new = meant_file(importer, name, after, order)
                if old != new and old in after and new not in before:
                    found.setdefault(new, old)
    return found
