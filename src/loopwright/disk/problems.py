"""Errors of the disk that only a person can fix, in words: what, where and the way out."""

from __future__ import annotations

import errno

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# What is wrong, and what to do.
PROBLEMS: Mapping[int, tuple[str, str]] = {
    errno.ENOSPC: ("the disk is full", "Make room"),
    errno.EDQUOT: ("the disk quota is used up", "Make room"),
    errno.EROFS: ("the file system is read-only", "Make it writable"),
    errno.EACCES: ("permission denied", "Give yourself access to it (chmod u+rwX)"),
    errno.EPERM: ("operation not permitted", "Give yourself access to it"),
    errno.EIO: ("the disk reports an error", "Check the disk"),
}

FULL = (errno.ENOSPC, errno.EDQUOT)


def is_disk_full(error: OSError) -> bool:
    return error.errno in FULL


def disk_problem(error: BaseException) -> tuple[str, str]:
    """What is wrong with the disk and what to do; empty if the error is not one of the disk."""
    if not isinstance(error, OSError) or error.errno not in PROBLEMS:
        return "", ""
    what, way_out = PROBLEMS[error.errno or 0]
    where = error.filename2 or error.filename
    return (f"{what}: {where}" if where else what), way_out
