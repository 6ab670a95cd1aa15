"""The repository's own checks as `loop start` uses them: without those that the person drops."""

from __future__ import annotations

import os

from ...checks.detection.repository import RepositoryChecks, found_checks
from ...core.start.binding import CHECK_KINDS
from .typed_arguments import StartArguments


def repository_checks(typed: StartArguments, root: str, timeout: int) -> RepositoryChecks:
    """The checks that are found from the current folder up to the top, and the offered ones."""
    dropped = {CHECK_KINDS[kind] for kind in typed.first("without")}
    found = found_checks(root, timeout, os.getcwd())
    return RepositoryChecks(
        {name: check for name, check in found.checks.items() if name not in dropped},
        tuple(offer for offer in found.offers if offer.name not in dropped),
    )
