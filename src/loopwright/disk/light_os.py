"""The module os; in the hook, the part of it that a Stop needs.

`import os` takes a fifth of the time in which the interpreter starts, most of it for the abstract
classes of `collections.abc`, which we do not use. Where os has not been imported yet, `os` is a
module here with the functions that os itself takes from `posix`, and with a `path` of its own.
Every other name is looked up in the real os.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

__all__ = ["os"]


def _make_light_os() -> ModuleType:
    import posix

    encoding, errors = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()

    def fsencode(path: Any) -> bytes:
        path = posix.fspath(path)
        return path.encode(encoding, errors) if isinstance(path, str) else path

    def fsdecode(path: Any) -> str:
        path = posix.fspath(path)
        return path.decode(encoding, errors) if isinstance(path, bytes) else path

    light_os = type(sys)("os")
    names = light_os.__dict__
    names.update({name: value for name, value in vars(posix).items() if name[:2] != "__"})
    names.update(fsencode=fsencode, fsdecode=fsdecode, sep="/", devnull="/dev/null")
    names["environ"] = {fsdecode(name): fsdecode(posix.environ[name]) for name in posix.environ}
    names["path"] = _import_path_for(light_os)
    names["__getattr__"] = _real_value
    return light_os


def _import_path_for(light_os: ModuleType) -> ModuleType:
    """A copy of `os.path` that uses this module. The real os, once imported, gets its own."""
    sys.modules["os"] = light_os
    try:
        import posixpath
    finally:
        for name in ("os", "posixpath", "genericpath"):
            sys.modules.pop(name, None)
    return posixpath


def _real_value(name: str) -> Any:
    import os as real_os

    return getattr(real_os, name)


if TYPE_CHECKING or sys.platform == "win32" or "os" in sys.modules:
    import os
else:
    try:
        os = _make_light_os()
    except (AttributeError, ImportError):  # an interpreter whose `posixpath` needs more of os
        import os
