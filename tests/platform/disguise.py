"""This interpreter, dressed as one on Windows: python -I -S disguise.py PROGRAM ARGUMENTS... (a file, or code as after -c).

What Windows lacks is hidden from all that is imported after us, and standins.py is there instead. The standard library comes
first and keeps the system that it needs. Paths stay those of this system.
"""

import builtins
import os
import re
import signal
import subprocess
import sys
import types
from importlib import import_module

KEPT = """argparse calendar contextlib ctypes.wintypes difflib fnmatch hashlib importlib.resources json secrets shlex shutil
tempfile threading time tomllib traceback typing unicodedata"""
MODULES = ("fcntl", "posix", "pwd", "grp", "termios", "tty", "pty", "resource", "readline")
NAMES = re.compile(
    r"killpg|[gs]etpg.+|[gs]etsid|fork.*|posix_spawnp?|POSIX_.+|W[A-Z]{4,}|wait|wait3|wait4|waitid|[gs]et(res|e)?[ug]ids?|l?chown|"
    r"mkfifo|mknod|openpty|uname|O_(NOFOLLOW|DIRECTORY|CLOEXEC|NONBLOCK|NOCTTY|SYNC|DSYNC)|SIG(KILL|HUP|ALRM|CHLD|USR[12]|PIPE|QUIT)"
)


class WindowsModule(types.ModuleType):
    """A module as it looks on Windows: some names are not there, some are others."""

    def __init__(self, real: types.ModuleType, **others: object) -> None:
        self.__dict__.update(others, _real=real)

    def __getattr__(self, name: str) -> object:
        if NAMES.fullmatch(name):
            raise AttributeError(f"Windows has no {self._real.__name__}.{name}")
        return getattr(self._real, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._real, name, value)


class HiddenModules:
    """A finder that knows which modules Windows has not."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def module(name: str, members: dict[str, object]) -> types.ModuleType:
    made = types.ModuleType(name)
    made.__dict__.update(members)
    return made


def apply_disguise() -> None:
    for name in KEPT.split():
        import_module(name)
    standins = import_module("standins")
    builtins.open = standins.open_text
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.reconfigure(encoding="cp1252")
    for name in MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, HiddenModules)
    sys.modules |= {
        "msvcrt": module("msvcrt", standins.MSVCRT),
        "nt": module("nt", standins.NT),
        "subprocess": WindowsModule(subprocess, **standins.SUBPROCESS),
        "signal": WindowsModule(signal),
        "os": WindowsModule(os, **standins.OS),
        "sys": WindowsModule(sys, platform="win32"),
    }


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:0] = [here, os.path.join(here, "..", "..", "src")]
    sys.argv.pop(0)
    program = sys.argv[0]
    code = program
    if program.endswith(".py"):
        with open(program, encoding="utf-8") as file:
            code = file.read()
    apply_disguise()
    exec(compile(code, program, "exec"), {"__name__": "__main__", "__file__": program})
