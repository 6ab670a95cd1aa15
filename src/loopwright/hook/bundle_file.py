"""Writes the bundle of a Stop's modules. The next Stop reads it, see bundle.py."""

import marshal
import sys
from _frozen_importlib_external import ExtensionFileLoader
from os import getpid, makedirs, replace

from .bundle import NUMBER_BYTES, PACKAGE, PREFIX, RecordingLoader, bundle_key, source_stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .bundle import BundleImporter


def write_bundle(importer: "BundleImporter") -> None:
    """Write what this Stop imported, and what the bundle held before. It never fails."""
    try:
        # What other events imported stays in it: two kinds of Stop must not replace each other.
        sources = {name: entry[0] for name, entry in importer.entries.items()}
        extensions = dict(importer.extensions)
        for name, module in list(sys.modules.items()):
            spec = getattr(module, "__spec__", None)
            if spec and spec.origin and _is_ours(name):
                sources[name] = spec.origin
            elif spec and isinstance(spec.loader, ExtensionFileLoader):
                extensions[name] = spec.origin
        common = dict.fromkeys(importer.common_names)
        _write_file(importer, [name for name in common if name in sources], sources, extensions)
    except (OSError, ImportError, ValueError, AttributeError):
        return  # the sources are imported instead


def _is_ours(name: str) -> bool:
    return name == PACKAGE or name.startswith(PREFIX)


def _write_file(
    importer: "BundleImporter",
    common: list[str],
    sources: dict[str, str],
    extensions: dict[str, str],
) -> None:
    key = bundle_key(importer.package)
    common_part, entries, parts, start = [], {}, [], 0
    for name, file in sources.items():
        stamp, code = source_stamp(file), _read_code(importer, name, file)
        if code is None:
            continue
        is_package = file.endswith("/__init__.py")
        if name in common:
            common_part.append((name, file, is_package, code, stamp))
            continue
        parts.append(marshal.dumps(code))
        entries[name] = (file, stamp, is_package, start, len(parts[-1]))
        start += len(parts[-1])
    common_part.sort(key=lambda entry: common.index(entry[0]))
    header = marshal.dumps((common_part, entries, extensions))
    sizes = (len(header), len(key) + 2 * NUMBER_BYTES + len(header) + start)
    numbers = [size.to_bytes(NUMBER_BYTES, "big") for size in sizes]
    _replace_file(importer.path, b"".join((key, *numbers, header, *parts)))


def _read_code(importer: "BundleImporter", name: str, file: str) -> "Any":
    """The bytecode of a source, from the cache if it is there; None where the source is gone."""
    try:
        return RecordingLoader(name, file, importer).get_code(name)
    except OSError:
        return None


def _replace_file(path: str, data: bytes) -> None:
    """Readers see the old file or the new one, never a part of either."""
    makedirs(path.rpartition("/")[0], mode=0o700, exist_ok=True)
    draft = f"{path}.{getpid()}"
    with open(draft, "wb") as file:
        file.write(data)
    replace(draft, path)
