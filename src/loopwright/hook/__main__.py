"""The program that clients start for a hook. The work begins in entry.py.

Python compiles the file that it is started with every time, so this one is as short as possible.

python3 -I -S .../loopwright/hook/__main__.py HOST [--event NAME] [--format claude|ok|gsd]
"""

import builtins
import sys
from _frozen_importlib_external import SourceFileLoader

if sys.platform == "win32":
    from nt import _exit
else:
    from posix import _exit


def load_module(name: str):  # type: ignore[no-untyped-def]
    """A module of this folder, from the bytecode that Python keeps. Imports no package."""
    full_name = f"loopwright.hook.{name}"
    file = f"{__file__.removesuffix('__main__.py')}{name}.py"
    module = sys.modules[full_name] = type(builtins)(full_name)
    module.__file__ = file
    code = SourceFileLoader(full_name, file).get_code(full_name)
    exec(code or "", module.__dict__)  # noqa: S102
    return module


def main() -> None:
    load_module("entry").main(load_module)


if __name__ == "__main__":
    main()
    _exit(0)  # skips the time that the interpreter needs to shut down
