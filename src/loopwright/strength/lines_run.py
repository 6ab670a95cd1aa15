"""Runs a check once more and records which changed lines it runs, through the environment."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress

from .. import lazy_re as re
from ..checks.code_files import SCRIPT_SUFFIXES
from ..cleanroom.checkout import PreparedRoom
from ..core.criteria import Check
from ..core.record import Record
from ..disk.files import make_folder, read_text
from ..disk.programs import without_loader_lists
from ..repo.sources import PYTHON_ENDINGS, file_ending
from .changed_files import ChangedFile
from .node_lines import read_node_lines
from .unused_files import top_level_imports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

INJECTED = os.path.join(os.path.dirname(__file__), "injected", "sitecustomize.py")
FOLDER = ".git/strength"  # part of no tree, and seen in every sandbox
PYTHON_SLOT, NODE_SLOT = "python", "node"
MAX_CHARS = 50_000_000
PROBE_SECONDS = 20
MISSING_PROBE = (
    "import importlib.util, sys\n"
    "print(*(n for n in sys.argv[1:] if importlib.util.find_spec(n) is None))"
)
OWN_PATH = re.compile(r"(?<![\w$])PYTHONPATH=(?=[\w./~$-])")
OTHER_TRACER = "another tracer is active"
NOT_SEEN = "no process of the check could be followed"
TRANSFORMED = "the runner transforms this file"
OTHER_LANGUAGE = "no lines are recorded for this language"


class LinesRun(Record):
    """The lines that ran, by file, and why the lines of other files are not known."""

    ran: dict[str, set[int]]
    unknown: dict[str, str]  # path → why
    interpreter: str = ""


def can_record(path: str) -> bool:
    return file_ending(path) in (*PYTHON_ENDINGS, *SCRIPT_SUFFIXES)


def prepare_recording(room: PreparedRoom, files: Iterable[ChangedFile]) -> dict[str, str]:
    """Put the recorder into the checkout; returns the variables that load it."""
    paths = [file.path for file in files]
    own = os.path.join(room.path, FOLDER)
    shutil.rmtree(own, ignore_errors=True)
    seen_at = os.path.join(room.view.seen_at, FOLDER)
    variables = {}
    python = [path for path in paths if file_ending(path) in PYTHON_ENDINGS and "\n" not in path]
    if python:
        slot = os.path.join(own, PYTHON_SLOT)
        make_folder(slot)
        shutil.copyfile(INJECTED, os.path.join(slot, "sitecustomize.py"))
        with open(os.path.join(slot, "wanted.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join([room.view.seen_at, *python]))
        before = room.view.environment.get("PYTHONPATH", "")
        parts = [os.path.join(seen_at, PYTHON_SLOT), before]
        variables["PYTHONPATH"] = os.pathsep.join(filter(None, parts))
    if any(path.endswith(SCRIPT_SUFFIXES) for path in paths):
        make_folder(os.path.join(own, NODE_SLOT))
        variables["NODE_V8_COVERAGE"] = os.path.join(seen_at, NODE_SLOT)
    return variables


def with_recorder(check: Check, variables: dict[str, str]) -> Check:
    """The check for a recording: a path that its command sets itself begins with the recorder."""
    first = variables.get("PYTHONPATH", "").partition(os.pathsep)[0]
    if not first or not isinstance(check.command, str):
        return check
    return check.but(command=OWN_PATH.sub(lambda m: f"{m[0]}{first}{os.pathsep}", check.command))


def read_recording(room: PreparedRoom, files: Iterable[ChangedFile]) -> LinesRun:
    """What the processes of the check recorded."""
    files = list(files)
    own = os.path.join(room.path, FOLDER)
    ran, flags = _read_python(os.path.join(own, PYTHON_SLOT))
    roots = tuple(dict.fromkeys((room.view.seen_at, os.path.realpath(room.view.seen_at))))
    scripts = {f.path: f.after or "" for f in files if f.path.endswith(SCRIPT_SUFFIXES)}
    node = read_node_lines(os.path.join(own, NODE_SLOT), roots, scripts)
    unknown = {}
    for file in files:
        if file_ending(file.path) in PYTHON_ENDINGS:
            if "!tracer" in flags:
                unknown[file.path] = OTHER_TRACER
            elif "!project" not in flags and not ran.get(file.path):
                unknown[file.path] = NOT_SEEN
        elif file.path in scripts:
            if file.path in node.transformed:
                unknown[file.path] = TRANSFORMED
            elif not node.saw_project:
                unknown[file.path] = NOT_SEEN
        else:
            unknown[file.path] = OTHER_LANGUAGE
    python = next((flag[8:] for flag in flags if flag.startswith("!python ")), "")
    return LinesRun({**ran, **node.ran}, unknown, python)


def _read_python(folder: str) -> tuple[dict[str, set[int]], set[str]]:
    ran: dict[str, set[int]] = {}
    flags: set[str] = set()
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        if not name.startswith("lines-"):
            continue
        for row in (read_text(os.path.join(folder, name), MAX_CHARS) or "").splitlines():
            path, tab, line = row.rpartition("\t")
            if tab and line.isdecimal():
                ran.setdefault(path, set()).add(int(line))
            elif row.startswith("!"):
                flags.add(row)
    return ran, flags


def missing_package(room: PreparedRoom, interpreter: str, file: ChangedFile) -> str:
    """A package that the module imports and that the Python of the check does not have; or ""."""
    names = top_level_imports(file.after or "")
    if not interpreter.startswith("/") or not names or file_ending(file.path) not in PYTHON_ENDINGS:
        return ""
    view = room.view
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(
            [*view.launcher, interpreter, "-c", MISSING_PROBE, *names],
            cwd=view.room,
            env=without_loader_lists(view.environment, view.launcher),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_SECONDS,
            check=False,
        )
        found = done.stdout.decode("utf-8", "replace").split()
        return next((name for name in found if name in names and not _is_own(room, name)), "")
    return ""


def _is_own(room: PreparedRoom, name: str) -> bool:
    """A folder or file of the project, which a path of the check may lead to."""
    places = (os.path.join(room.path, *parts) for parts in ((name,), ("src", name), ("lib", name)))
    return any(os.path.isdir(place) or os.path.isfile(f"{place}.py") for place in places)
