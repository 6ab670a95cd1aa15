"""The repository's own checks as `loop start` uses them: without those that the person drops."""

from __future__ import annotations

import os

from ...checks import detection
from ...core.criteria import Check
from ...core.start.binding import CHECK_KINDS
from .typed_arguments import StartArguments


def repository_checks(typed: StartArguments, root: str, timeout: int) -> dict[str, Check]:
    """Criterion name → check, looked for from the current folder up to the top."""
    dropped = {CHECK_KINDS[kind] for kind in typed.first("without")}
    detected = detection.repository_checks(root, timeout, os.getcwd())
    return {name: check for name, check in detected.items() if name not in dropped}
