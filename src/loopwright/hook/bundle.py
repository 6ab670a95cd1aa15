"""The modules of a Stop in one file of bytecode, so that the number of source files has no cost.

The plugin's hook runs with a cache folder of its own (`-X pycache_prefix`). After a Stop the
bytecode of every module that was imported is written there as one file; the next Stop imports
from it. The file is used only if every source still has the size and time it was made from, under
the same path and the same interpreter. In every other case, and without a cache folder, Python
imports the sources as usual. A clone of our repository, where the package is a link, never uses it.
"""

from __future__ import annotations

import marshal
import sys

if sys.platform == "win32":
    from nt import getpid, lstat, mkdir, replace, stat  # type: ignore[attr-defined]
else:
    from posix import getpid, lstat, mkdir, replace, stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

ModuleSpec: Any = type(sys.__spec__)
PACKAGE = "loopwright"
SYMLINK_MODE, TYPE_MASK = 0o120000, 0o170000
# Every event that advances a loop imports it. Without it there was no Stop to speed up.
CORE_MODULE = f"{PACKAGE}.core.engine"
# Imported before the bundle can be used, so always from their sources.
IMPORTED_FIRST = (PACKAGE, f"{PACKAGE}.hook", f"{PACKAGE}.hook.bundle")


class BundleImporter:
    """Imports modules from the bundle: a finder and a loader of the import system."""

    def __init__(self, modules: dict[str, tuple[str, bool, bytes]]) -> None:
        self.modules = modules  # name → source file, is it a package, bytecode

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        if name not in self.modules:
            return None
        file, is_package, _ = self.modules[name]
        spec = ModuleSpec(name, self, origin=file, is_package=is_package)
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations = [file.rpartition("/")[0]]
        return spec

    def create_module(self, spec: object) -> None:
        """None: a plain module will do."""

    def exec_module(self, module: ModuleType) -> None:
        exec(marshal.loads(self.modules[module.__name__][2]), module.__dict__)  # noqa: S102, S302

    def get_bytecode(self, name: str) -> bytes:
        return self.modules[name][2]


def install_bundle(package: str) -> None:
    """Import from the bundle of this package folder, if there is one that fits the sources."""
    path = bundle_path(package)
    modules = read_bundle(path, package) if path else None
    if modules is not None:
        sys.meta_path.insert(0, BundleImporter(modules))


def bundle_path(package: str) -> str:
    """Where the bundle is; empty where none may be used."""
    prefix = sys.pycache_prefix
    try:
        is_link = lstat(package).st_mode & TYPE_MASK == SYMLINK_MODE
    except OSError:
        return ""
    return f"{prefix}/stop.{sys.implementation.cache_tag}.bundle" if prefix and not is_link else ""


def read_bundle(path: str, package: str) -> dict[str, tuple[str, bool, bytes]] | None:
    """The modules by name; None where the file is missing, damaged, or does not fit the sources."""
    try:
        with open(path, "rb") as file:
            # As Python does with every .pyc.
            key, stamps, modules = marshal.loads(file.read())  # noqa: S302
        if key != bundle_key(package):
            return None
        for source, stamp in stamps.items():
            if stamp != source_stamp(source):
                return None
    except (OSError, EOFError, ValueError, TypeError, AttributeError):
        return None
    return dict(modules)


def bundle_key(package: str) -> tuple[str, int]:
    return package, sys.hexversion


def source_stamp(path: str) -> tuple[int, int]:
    status = stat(path)
    return status.st_mtime_ns, status.st_size


def update_bundle(package: str) -> None:
    """Write the bundle if this Stop imported modules that it does not hold. It never fails."""
    path = bundle_path(package)
    if not path or CORE_MODULE not in sys.modules:
        return
    ours = {
        name: module.__spec__
        for name, module in sys.modules.items()
        if name.startswith(f"{PACKAGE}.") and name not in IMPORTED_FIRST and module.__spec__
    }
    if all(isinstance(spec.loader, BundleImporter) for spec in ours.values()):
        return
    try:
        # What other events imported stays in it: two kinds of Stop must not replace each other.
        modules = {name: entry for finder in sys.meta_path for name, entry in _held_modules(finder)}
        modules |= {name: _module_entry(spec) for name, spec in ours.items() if spec.origin}
        stamps = {file: source_stamp(file) for file, _, _ in modules.values()}
        _write_bundle(path, marshal.dumps((bundle_key(package), stamps, modules)))
    except (OSError, ImportError, ValueError, AttributeError):
        return  # the sources are imported instead


def _held_modules(finder: object) -> list[tuple[str, tuple[str, bool, bytes]]]:
    return list(finder.modules.items()) if isinstance(finder, BundleImporter) else []


def _module_entry(spec: Any) -> tuple[str, bool, bytes]:
    is_package = spec.submodule_search_locations is not None
    if isinstance(spec.loader, BundleImporter):
        return spec.origin, is_package, spec.loader.get_bytecode(spec.name)
    return spec.origin, is_package, marshal.dumps(spec.loader.get_code(spec.name))


def _write_bundle(path: str, data: bytes) -> None:
    """Readers see the old file or the new one, never a part of either."""
    try:
        mkdir(path.rpartition("/")[0], 0o700)
    except FileExistsError:
        pass
    draft = f"{path}.{getpid()}"
    with open(draft, "wb") as file:
        file.write(data)
    replace(draft, path)
