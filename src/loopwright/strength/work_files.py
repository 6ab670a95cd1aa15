"""Which files a measurement changes: those of the work, or those that new tests cover."""

from __future__ import annotations

import os

from ..checks.surroundings import programs_run_by
from ..cleanroom.checkout import PreparedRoom
from ..core.proof.strength import Unmeasured
from ..disk.files import read_text
from .changed_files import ChangedFile
from .check_runs import MeasuredCheck
from .covered_code import CoveredCode, covered_code, has_only_new_tests

MAX_CHARS = 2_000_000


def files_to_change(
    room: PreparedRoom, files: list[ChangedFile], tests: list[ChangedFile], spec: str
) -> tuple[list[ChangedFile], CoveredCode | None]:
    """The changed files of the product; if nothing but tests changed, the code that they cover."""
    inner = [file for file in files if has_only_new_tests(file)]
    if len(inner) < len(files) or not (tests or inner):
        return files, None
    code = covered_code(room.path, [*tests, *inner], spec)
    return [*code.files], code


def judged_files(
    room: PreparedRoom, files: list[ChangedFile]
) -> tuple[list[ChangedFile], list[Unmeasured]]:
    """The files that can be overlaid: text that is there, as the checkout has it."""
    judged: list[ChangedFile] = []
    unmeasured: list[Unmeasured] = []
    for file in files:
        full = os.path.join(room.path, file.path)
        if file.after is None:
            unmeasured.append(Unmeasured(file.path, "it was deleted"))
        elif os.path.islink(full) or _text_at(full) != file.after:
            unmeasured.append(Unmeasured(file.path, "it is no text file that can be changed"))
        elif file.after != file.before:
            judged.append(file)
    return judged, unmeasured


def _text_at(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read(MAX_CHARS)
    except (OSError, UnicodeDecodeError):
        return None
    return None if "\0" in text else text


def programs_of(room: PreparedRoom, checks: list[MeasuredCheck]) -> frozenset[str]:
    def read_file(path: str) -> str | None:
        return read_text(os.path.join(room.path, path), MAX_CHARS)

    found = [programs_run_by(check.check.command, read_file) for check in checks]
    return frozenset().union(*found)
