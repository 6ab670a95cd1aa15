"""The files of the start in memory, for rules that search them."""

from __future__ import annotations

from loopwright.repo.baseline import Change
from tests.proof_cases.static import FilesOfStart


def baseline_of(files: dict[str, str], *changes: Change) -> FilesOfStart:
    return FilesOfStart(files, "make test", list(changes))
