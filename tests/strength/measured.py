"""A small project whose checkout is the folder itself: measure(folder, before, after, command)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from loopwright.cleanroom.checkout import PreparedRoom
from loopwright.cleanroom.view import RoomView
from loopwright.core.criteria import Check
from loopwright.core.proof.strength import Strength
from loopwright.strength.changed_files import ChangedFile
from loopwright.strength.check_runs import MeasuredCheck
from loopwright.strength.covered_code import changed_tests
from loopwright.strength.git_work import product_files
from loopwright.strength.measure import measure_strength

PYTHON = sys.executable
UNITTEST = f"{PYTHON} -B -m unittest -q"
ENOUGH = 3000.0  # seconds; the machine may be busy


def a_room(folder: Path, files: Mapping[str, str]) -> PreparedRoom:
    """A repository with these files, in which checks run as in a clean checkout."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return PreparedRoom(RoomView(str(folder), str(folder)))


def measure(
    folder: Path,
    before: Mapping[str, str],
    after: Mapping[str, str],
    command: str = UNITTEST,
    budget: float = ENOUGH,
    timeout: int = 300,
    is_refactoring: bool = False,
    spec: str = "",
) -> Strength:
    """The strength of one check on the way from these files to those."""
    folder.mkdir(exist_ok=True)
    room = a_room(folder, {**before, **after})
    check = MeasuredCheck("tests pass", Check(command, timeout))
    sides = {path: (before.get(path), text) for path, text in after.items()}
    files = product_files(sides, str(folder), [check])
    strength = measure_strength(
        room,
        files,
        [check],
        budget,
        is_refactoring=is_refactoring,
        spec=spec,
        tests=changed_tests(sides),
        changed_paths=after,
    )
    for file in files:
        assert (folder / file.path).read_text(encoding="utf-8") == file.after, "left as they were"
    return strength


def changed(path: str, after: str, before: str | None = None) -> ChangedFile:
    return ChangedFile(path, before, after)


def reasons(strength: Strength) -> str:
    return "; ".join(f"{row.what}: {row.why}" for row in strength.unmeasured)
