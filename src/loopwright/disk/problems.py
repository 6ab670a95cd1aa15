"""Faults of the machine that only a person can fix, in words: what, where and the way out."""

from __future__ import annotations

import errno

from .light_os import os

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
OUR_PREFIX = "loop-"  # of our files in the folder for temporary files


def is_disk_full(error: OSError) -> bool:
    return error.errno in FULL


def disk_problem(error: BaseException) -> tuple[str, str]:
    """What is wrong with the machine and what to do; empty if the error is not its fault."""
    if isinstance(error, MemoryError):
        return f"{PROBLEMS[errno.ENOMEM][0]} (ENOMEM)", PROBLEMS[errno.ENOMEM][1]
    if not isinstance(error, OSError):
        return "", ""
    where = str(error.filename2 or error.filename or "")
    folder = _temporary_folder_of(where)
    if known := PROBLEMS.get(error.errno or 0):
        what, way_out = known
    elif error.errno == errno.ENOENT:
        what, way_out = _temporary_folder_problem(error, folder)
    elif blocking := _file_in_the_way(error, where):
        what, way_out, where = "a file is where our folder must be", "Move it away", blocking
    else:
        return "", ""
    place = f": {folder or where}" if folder or where else ""
    return what and f"{what}{place} ({errno.errorcode.get(error.errno or 0, '')})", way_out


def _temporary_folder_of(path: str) -> str:
    """The folder for temporary files, if the path is that of a temporary file of ours; else ""."""
    import tempfile  # only after an error

    known = tempfile.tempdir or ""
    is_ours = path == known or path.startswith(os.path.join(known, OUR_PREFIX))
    # Of a folder that is gone, everything below it was temporary.
    is_gone = path.startswith(known) and not os.path.isdir(known)
    return known if known and (is_ours or is_gone) else ""


def _temporary_folder_problem(error: OSError, folder: str) -> tuple[str, str]:
    """Is the folder for temporary files gone, or what we keep there?"""
    if folder and os.path.isdir(folder):
        return "temporary files of ours were removed", "Look what removes them"
    if folder or "No usable temporary directory" in str(error):
        return "the folder for temporary files is gone", "Create it, or set TMPDIR to another"
    return "", ""


def _file_in_the_way(error: OSError, path: str) -> str:
    """The file that keeps us from a folder of our record; "" if the error is another one."""
    from .user_folders import NoHomeFolder, state_home

    try:
        home = state_home()
    except NoHomeFolder:
        return ""
    if error.errno not in (errno.ENOTDIR, errno.EEXIST) or not path.startswith(home):
        return ""
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    return "" if os.path.isdir(path) else path
