"""What a check in a clean checkout sees: variables, commands and imports that lead into the room.

A check in the room must never test the live checkout.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress

from ..core.criteria import OUTSIDE, Check
from ..core.record import Record
from ..disk.files import open_at_once
from ..disk.programs import without_loader_lists
from ..verify.runner import check_environment
from ..verify.tools import program_names
from . import path_binding
from .checkout_files import is_inside

PROBE_SECONDS = 20
TEMPORARY_NAMES = ("TMPDIR", "TMP", "TEMP")
# Prints where Python would import each of the named packages from, with the file's identity.
IMPORT_PROBE = """
import importlib.util, os, sys
def identity(path):
    try:
        stat = os.stat(path)
    except OSError:
        return ""
    return f"{stat.st_dev}:{stat.st_ino}"
for name in sys.argv[1:]:
    spec = importlib.util.find_spec(name)
    places = [spec.origin or "", *(spec.submodule_search_locations or ())] if spec else []
    print(name, *(f"{os.path.realpath(place)}\\t{identity(place)}" for place in places), sep="\\t")
"""


class RoomView(Record):
    """A room as its checks see it: at its own path, or bound over the path of the project."""

    root: str  # the project
    room: str
    binding: str = ""  # a kind of path_binding; "": paths are rewritten
    pass_env: tuple[str, ...] = ()
    boxed: tuple[str, ...] = ()  # the words that start a command in a sandbox around the room
    temporary: str = ""  # its own folder for temporary files; a sandbox has one anyway
    added: tuple[tuple[str, str], ...] = ()  # further variables of a check

    @property
    def real_root(self) -> str:
        return os.path.realpath(self.root)

    @property
    def seen_at(self) -> str:
        """The path of the room for a check."""
        return self.root if self.binding else self.room

    @property
    def launcher(self) -> tuple[str, ...]:
        """The words before a command that prepares the room."""
        return self.boxed or self.outer_launcher

    @property
    def outer_launcher(self) -> tuple[str, ...]:
        """The words before a command that runs in the room and outside every sandbox."""
        return path_binding.launcher_words(self.binding, self.room, self.real_root)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a check: no variable leads into the live project."""
        variables = check_environment(self.pass_env)
        variables = {name: self.in_room(value) for name, value in variables.items()}
        # What earlier runs and the agent left there, such as caches of compiled code, is not here.
        temporary = dict.fromkeys(TEMPORARY_NAMES, self.temporary) if self.temporary else {}
        return variables | temporary | dict(self.added)

    def in_room(self, text: str) -> str:
        return text if self.binding else text.replace(self.root, self.room)

    def check_in_room(self, check: Check) -> Check:
        """The check with the paths of its command in the room."""
        if isinstance(check.command, str):
            return check.but(command=self.in_room(check.command))
        return check.but(command=tuple(map(self.in_room, check.command)))


def source_folders(room: str) -> list[str]:
    """Folders of the room from which Python packages are imported."""
    return [path for path in (os.path.join(room, "src"), room) if os.path.isdir(path)]


def imports_from_project(check: Check, view: RoomView) -> str:
    """The name of a package that a check in the room would import from the project; "" if none."""
    packages = python_packages(view.room)
    interpreter = _interpreter(check, view)
    if not packages or not interpreter:
        return ""
    # A sandbox hides the project, but not from a check that runs outside of it.
    launcher = view.outer_launcher if check.box == OUTSIDE else view.launcher
    try:
        done = subprocess.run(
            [*launcher, interpreter, "-c", IMPORT_PROBE, *packages],
            cwd=view.room,
            env=without_loader_lists(view.environment, launcher),
            capture_output=True,
            timeout=PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        name, *fields = line.split("\t")
        for place, identity in zip(fields[::2], fields[1::2], strict=False):
            if is_inside(place, view.real_root) and identity == _identity(place):
                return name
    return ""


def _identity(path: str) -> str:
    """Device and inode of the file as the live project has it; "" where there is none."""
    try:
        stat = os.stat(path)
    except OSError:
        return ""
    return f"{stat.st_dev}:{stat.st_ino}"


def python_packages(room: str) -> list[str]:
    names = []
    for folder in source_folders(room):
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            is_package = os.path.isfile(os.path.join(entry.path, "__init__.py"))
            if is_package and entry.name.isidentifier() and entry.name not in ("tests", "test"):
                names.append(entry.name)
    return names[:20]


def _interpreter(check: Check, view: RoomView) -> str:
    """The Python that a check starts, by its name or by the first line of its program."""
    search_path = view.environment.get("PATH")
    for name in program_names(check.command, view.room):
        word = name.partition(" -m ")[0]
        path = shutil.which(word, path=search_path) or ""
        if "/" in word:
            path = os.path.join(view.seen_at, word)
        if os.path.basename(word).startswith("python") and path:
            return path
        with suppress(OSError):
            with open(_outside_path(path, view), "rb", opener=open_at_once) as file:
                first = file.readline(300)
            if first.startswith(b"#!") and b"python" in first:
                return os.fsdecode(first[2:].split()[0])
    return ""


def _outside_path(path: str, view: RoomView) -> str:
    """Where we find a file that a check finds at this path."""
    return view.room + path[len(view.root) :] if is_inside(path, view.root) else path
