"""Faults of the machine that only a person can fix, in words: what, where and the way out."""

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
    errno.ENOMEM: ("there is no memory left", "Free some"),
    errno.EAGAIN: ("no more processes can be started", "End some, or raise the limit"),
    errno.EMFILE: ("too many files are open", "Raise the limit (ulimit -n)"),
    errno.ENFILE: ("too many files are open on this machine", "Close some"),
    errno.ESTALE: ("the folder cannot be reached", "Mount it again"),
    errno.ENOTCONN: ("the folder cannot be reached", "Mount it again"),
    errno.ETIMEDOUT: ("the folder cannot be reached", "Look at the network"),
    errno.EHOSTDOWN: ("the folder cannot be reached", "Look at the network"),
    errno.ENODEV: ("the device is gone", "Connect it again"),
    errno.ENXIO: ("the device is gone", "Connect it again"),
}

FULL = (errno.ENOSPC, errno.EDQUOT)


def is_disk_full(error: OSError) -> bool:
    return error.errno in FULL


def disk_problem(error: BaseException) -> tuple[str, str]:
    """What is wrong with the machine and what to do; empty if the error is not its fault."""
    if isinstance(error, MemoryError):
        return f"{PROBLEMS[errno.ENOMEM][0]} (ENOMEM)", PROBLEMS[errno.ENOMEM][1]
    if not isinstance(error, OSError):
        return "", ""
    what, way_out = PROBLEMS.get(error.errno or 0) or _temporary_folder_problem(error)
    if not what:
        return "", ""
    where = error.filename2 or error.filename
    place = f": {where}" if where else ""
    return f"{what}{place} ({errno.errorcode.get(error.errno or 0, '')})", way_out


def _temporary_folder_problem(error: OSError) -> tuple[str, str]:
    """Is the folder for temporary files gone?"""
    import tempfile  # only after an error

    if error.errno != errno.ENOENT:
        return "", ""
    known = tempfile.tempdir or ""
    is_inside = bool(known) and str(error.filename or "").startswith(known)
    if is_inside or "No usable temporary directory" in str(error):
        return "the folder for temporary files is gone", "Create it, or set TMPDIR to another"
    return "", ""
