"""Follows the imports of JavaScript files to the files of the project that they mean."""

from __future__ import annotations

import posixpath

from .. import lazy_re as re
from .code_files import SCRIPT_SUFFIXES
from .imports import NODE_ORDER, imported_modules, script_paths, script_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    ReadFiles = Callable[[list[str]], Mapping[str, str]]
    Order = tuple[str, ...]  # the endings that a tool tries, the first one first

MAX_FILES = 3000  # that are read to follow imports


def meant_file(importer: str, name: str, files: Collection[str], order: Order) -> str:
    """The file of the project that an import means; "" for a package or a missing file."""
    if not name.startswith("."):
        return ""
    return _file_at(script_place(importer, name), files, order)


def _file_at(place: str, files: Collection[str], order: Order) -> str:
    return next((path for path in script_paths(place, order) if path in files), "")


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
