"""An ordinary user for tests that root runs, and whether bubblewrap works here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NUMBER = 64321  # of a user that exists nowhere
ORDINARY_USER = f"setpriv --reuid {NUMBER} --regid {NUMBER} --clear-groups"


def has_bwrap() -> bool:
    program = shutil.which("bwrap")
    if not program:
        return False
    words = [program, "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


needs_bwrap = pytest.mark.skipif(not has_bwrap(), reason="bubblewrap does not work here")


def system_python() -> str:
    """A Python that every user may run."""
    real = os.path.realpath(sys.executable)
    if all(os.stat(folder).st_mode & 0o001 for folder in Path(real).parents):
        return real
    found = next((path for path in ("/usr/bin/python3",) if os.path.exists(path)), "")
    if not found:
        pytest.skip("no Python that an ordinary user may run")
    return found


def as_ordinary_user(folder: Path) -> None:
    """Give the folder to the ordinary user, and let them come to it."""
    for path in (folder, *folder.rglob("*")):
        os.chown(path, NUMBER, NUMBER, follow_symlinks=False)
    for parent in folder.parents:
        if parent.stat().st_uid == os.getuid() and not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o011)
