"""Doctor: tests every cause that docs/troubleshooting.md names, and gives each finding its fix."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator

from ... import __version__
from ...core.loop import Loop
from ...disk.programs import own_program
from ...disk.temporary import own_prefix
from ...repo.tree import read_tree
from ...store.folder import LoopFolder
from ...verify.shell import git_shell
from ..clients.client_sandbox import diagnose_sandboxes
from ..clients.plugin_folders import installed_plugins
from .client import diagnose_hook_output, diagnose_hook_registration, diagnose_plugin_package
from .diagnosis import Diagnosis
from .host import diagnose_hosts
from .loop import diagnose_journal, diagnose_loop
from .other_stop_hooks import diagnose_other_stop_hooks

# What may be left in .loop/: what it means, and what to do about it.
LEFTOVERS = {
    "crash": (
        "our own errors are noted in {path}",
        "please report them, then delete the folder",
    ),
    "aside": (
        "files that could not be read were set aside in {path}",
        "look at them, then delete the folder",
    ),
    "STOP": ("{path} halts the loop", "loop continue   (removes it)"),
}


def diagnose_folder(folder: LoopFolder) -> list[Diagnosis]:
    """Everything that can be found out here, the good news included."""
    diagnoses = [
        *diagnose_machine(),
        *diagnose_hook_output(),
        *diagnose_hook_registration(folder),
        *diagnose_other_stop_hooks(folder),
        *diagnose_plugin_package(folder),
        *diagnose_hosts(),
        *diagnose_sandboxes(folder),
    ]
    loop, journal_diagnoses = diagnose_journal(folder)
    diagnoses += [
        *journal_diagnoses,
        *diagnose_tree(folder, loop),
    ]
    if os.path.isdir(folder.path):
        diagnoses += diagnose_leftover_files(folder)
    if loop:
        diagnoses += diagnose_loop(folder, loop)
    return diagnoses


def diagnose_machine() -> Iterator[Diagnosis]:
    python = f"Python {sys.version.split()[0]} at {os.path.realpath(sys.executable)}"
    yield Diagnosis("ok", f"loopwright {__version__}, {python}")
    if own_program("git"):
        yield Diagnosis("ok", "git is there")
    else:
        yield Diagnosis("warn", "git is not there: trees are hashed file by file", "install git")
    if sys.platform == "win32" and not git_shell():
        yield Diagnosis(
            "warn",
            "no POSIX shell here: the line of a check is read by cmd",
            "install Git for Windows",
        )
    python3 = (shutil.which("python3") or "").replace("\\", "/")
    if "/shims/" in python3 and not installed_plugins():
        yield Diagnosis(
            "warn",
            "python3 is a version manager's shim: 50 ms more at every hook",
            "name the real interpreter in the hook",
        )


def diagnose_tree(folder: LoopFolder, loop: Loop | None) -> Iterator[Diagnosis]:
    """«Honest claims do not count»: can the files be read as one tree?"""
    volatile = loop.settings.volatile_globs if loop else ()
    with tempfile.TemporaryDirectory(prefix=own_prefix("doctor")) as empty:
        reading = read_tree(folder.root, folder.path if loop else empty, volatile)
    if reading.problem:
        what, _, fix = reading.problem.partition(". ")
        yield Diagnosis("fail", what, fix)
    elif reading.tree:
        yield Diagnosis("ok", "the files can be read as one tree")
    else:
        yield Diagnosis("warn", "too many files to be hashed without git", "git init")


def diagnose_leftover_files(folder: LoopFolder) -> Iterator[Diagnosis]:
    for name, (what, fix) in LEFTOVERS.items():
        if os.path.exists(folder.path_of(name)):
            yield Diagnosis("warn", what.format(path=os.path.join(".loop", name)), fix)
    mode = os.stat(folder.path).st_mode & 0o777
    if os.name == "posix" and mode & 0o077:
        yield Diagnosis(
            "warn", f".loop/ can be read by others (mode {mode:o})", f"chmod 700 {folder.path}"
        )
