"""The modules of a Stop in one file of bytecode, so that the number of source files has no cost.

The plugin's hook runs with a cache folder of its own (`-X pycache_prefix`). After a Stop the
bytecode of every module that was imported is written there as one file (bundle_file.py); the next
Stop imports from it. A module is taken from it only if its source still has the size and time it
was made from, under the same path and the same interpreter. In every other case, and without a
cache folder, Python imports the sources as usual. A clone of our repository, where the package is
a link, never uses it. What goes into the cache folder is compiled without docstrings and the like
(lean_code.py).
"""

import builtins
import marshal
import sys
from _frozen_importlib_external import (
    ExtensionFileLoader,
    PathFinder,
    SourceFileLoader,
)

if sys.platform == "win32":
    from nt import lstat, stat  # type: ignore[attr-defined]
else:
    from posix import lstat, stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any, BinaryIO

ModuleSpec: "Any" = type(sys.__spec__)
Module: "Any" = type(builtins)
PACKAGE = "loopwright"
PREFIX = f"{PACKAGE}."
SYMLINK_MODE, TYPE_MASK = 0o120000, 0o170000
# Every event that advances a loop imports it. Without it there was no Stop to speed up.
CORE_MODULE = f"{PACKAGE}.core.engine"
NUMBER_BYTES = 8


def install_importer(package: str, load_module: "Callable[[str], Any]") -> "BundleImporter":
    """Import this package folder from its bundle, as far as that fits, else from the sources.

    `load_module` loads a file of this folder without the import system.
    """
    importer = BundleImporter(package, bundle_path(package), load_module)
    importer.open_bundle()
    sys.meta_path.insert(0, importer)
    importer.load_common_modules()
    return importer


def bundle_path(package: str) -> str:
    """Where the bundle is; empty where none may be used."""
    prefix = sys.pycache_prefix
    try:
        is_link = lstat(package).st_mode & TYPE_MASK == SYMLINK_MODE
    except OSError:
        return ""
    return f"{prefix}/stop.{sys.implementation.cache_tag}.bundle" if prefix and not is_link else ""


def bundle_key(package: str) -> bytes:
    """What the first bytes of a bundle must be."""
    return f"{package}\n{sys.version}\n".encode("utf-8", "surrogateescape")


def source_stamp(path: str) -> tuple[int, int]:
    """Time and size of a source; zeros where it is gone."""
    try:
        status = stat(path)
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


class BundleImporter:
    """Imports our modules from the bundle: a finder and a loader of the import system."""

    def __init__(self, package: str, path: str, load_module: "Callable[[str], Any]") -> None:
        self.package = package
        self.load_module = load_module
        self.compile_lean: Callable[[Any, Any], Any] | None = None  # of lean_code.py
        self.path = path  # of the bundle, "" where none may be used
        self.file: BinaryIO | None = None
        self.parts_start = 0  # where in the file the bytecode of the other modules begins
        # What every event imports, in the order in which they can be run, with their bytecode.
        self.common: list[tuple[str, str, bool, Any]] = []
        # name → source, its stamp, is it a package, where its bytecode is in the file
        self.entries: dict[str, tuple[str, tuple[int, int], bool, int, int]] = {}
        self.extensions: dict[str, str] = {}  # modules in C, by name, and their files
        # The modules that came from their sources, in the order in which they were complete.
        self.from_sources: list[str] = []
        self.common_names: list[str] = []

    def open_bundle(self) -> None:
        """Read the bundle, if there is one that fits this package and this interpreter."""
        if not self.path:
            return
        key = bundle_key(self.package)
        try:
            file = open(self.path, "rb", buffering=0)  # noqa: SIM115 - read until the process ends
            head = file.read(len(key) + 2 * NUMBER_BYTES)
            size = int.from_bytes(head[len(key) : len(key) + NUMBER_BYTES], "big")
            whole_size = int.from_bytes(head[len(key) + NUMBER_BYTES :], "big")
            if not head.startswith(key) or file.seek(0, 2) != whole_size:
                return
            file.seek(len(head))
            self.parts_start = len(head) + size
            # As Python does with every .pyc.
            common, self.entries, self.extensions = marshal.loads(file.read(size))  # noqa: S302
            for _, source, _, _, stamp in common:
                if stamp != source_stamp(source):
                    return
        except (OSError, EOFError, ValueError, TypeError):
            return
        self.file = file
        self.common = [entry[:4] for entry in common]

    def load_common_modules(self) -> None:
        """Run the modules that every event needs, without the import system's search for each."""
        modules = sys.modules
        for name, source, is_package, code in self.common:
            if name in modules:
                continue
            module = modules[name] = Module(name)
            parent, _, short_name = name.rpartition(".")
            names = module.__dict__
            names["__spec__"] = self._make_spec(name, source, is_package)
            names["__loader__"] = self
            names["__file__"] = source
            names["__package__"] = name if is_package else parent
            if is_package:
                names["__path__"] = [source.rpartition("/")[0]]
            exec(code, names)  # noqa: S102
            if parent:
                setattr(modules[parent], short_name, module)
        self.common_names = [name for name, *_ in self.common]

    def _make_spec(self, name: str, source: str, is_package: bool) -> "Any":
        spec = ModuleSpec(name, self, origin=source, is_package=is_package)
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations = [source.rpartition("/")[0]]
        return spec

    def find_spec(self, name: str, path: "Any" = None, target: object = None) -> "Any":
        if entry := self.entries.get(name):
            source, stamp, is_package, _, _ = entry
            if self.file and stamp == source_stamp(source):
                return self._make_spec(name, source, is_package)
        file = self.extensions.get(name)
        if file and source_stamp(file)[1]:
            return ModuleSpec(name, ExtensionFileLoader(name, file), origin=file)
        if name != PACKAGE and not name.startswith(PREFIX):
            return None
        spec = PathFinder.find_spec(name, path)
        if spec and spec.origin and isinstance(spec.loader, SourceFileLoader):
            spec.loader = RecordingLoader(name, spec.origin, self)
        return spec

    def create_module(self, spec: object) -> None:
        """None: a plain module will do."""

    def exec_module(self, module: "ModuleType") -> None:
        assert self.file, "BUG: modules come from a bundle that was opened"
        _, _, _, start, size = self.entries[module.__name__]
        self.file.seek(self.parts_start + start)
        exec(marshal.loads(self.file.read(size)), module.__dict__)  # noqa: S102, S302

    def note_common_modules(self) -> None:
        """What has been imported until now, every event imports."""
        if self.from_sources:
            self.common_names = [*self.common_names, *self.from_sources]

    def lacks_modules(self) -> bool:
        """Did this Stop import modules that the bundle does not hold?"""
        return bool(self.path and self.from_sources) and CORE_MODULE in sys.modules


class RecordingLoader(SourceFileLoader):
    """Imports a source as usual, and tells the importer when that is done."""

    def __init__(self, name: str, path: str, importer: BundleImporter) -> None:
        super().__init__(name, path)
        self.importer = importer

    def source_to_code(self, data: "Any", path: "Any") -> "Any":  # type: ignore[override]
        """The bytecode, which Python then keeps: lean, where the cache folder is our own."""
        importer = self.importer
        if not importer.path:
            return super().source_to_code(data, path)
        if importer.compile_lean is None:
            importer.compile_lean = importer.load_module("lean_code").compile_lean
        return importer.compile_lean(data, path)

    def exec_module(self, module: "ModuleType") -> None:
        super().exec_module(module)
        self.importer.from_sources.append(module.__name__)
