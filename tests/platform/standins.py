"""What Windows has and Linux has not, made of what Linux has: file modes, locks, process groups, the kernel's clock."""

import contextlib
import ctypes
import errno
import fcntl
import glob
import os
import struct
import subprocess
import types

BINARY, TEXT, NEW_GROUP = 0x8000, 0x4000, 0x200
builtin_open = open
text_files: set[int] = set()  # opened without O_BINARY
locked: set[tuple[int, int]] = set()


# --- files ---


def open_file(path: str, flags: int, mode: int = 0o777, *, dir_fd: None = None) -> int:
    """os.open: no folders, and a file is text unless it is asked for as bytes."""
    assert dir_fd is None  # Windows takes the name, not a value
    if os.path.isdir(path):
        raise PermissionError(errno.EACCES, "Permission denied", path)
    fd = os.open(path, flags & ~BINARY, mode)
    setmode(fd, BINARY if flags & BINARY else TEXT)
    return fd


def write(fd: int, data: bytes) -> int:
    """os.write: a text file gets \\r\\n for each \\n."""
    rest = data.replace(b"\n", b"\r\n") if fd in text_files else data
    while rest:
        rest = rest[os.write(fd, rest) :]
    return len(data)


def setmode(fd: int, flags: int) -> int:
    """msvcrt.setmode."""
    before = TEXT if fd in text_files else BINARY
    (text_files.discard if flags == BINARY else text_files.add)(fd)
    return before


def open_text(
    file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, *more, **also
):  # type: ignore[no-untyped-def]
    """open: the encoding of western Europe and \\r\\n, unless the program says otherwise."""
    if "b" not in mode:
        encoding = encoding or "cp1252"
        newline = "\r\n" if newline is None and mode[0] in "wax" else newline
    return builtin_open(file, mode, buffering, encoding, errors, newline, *more, **also)


def replace(source: str, target: str, *, src_dir_fd: None = None, dst_dir_fd: None = None) -> None:
    assert src_dir_fd is dst_dir_fd is None
    refuse_if_open(source, target)
    os.replace(source, target)


def remove(path: str, *, dir_fd: None = None) -> None:
    assert dir_fd is None
    refuse_if_open(path)
    os.remove(path)


def refuse_if_open(*paths: str) -> None:
    """Whoever holds a file open, ourselves too, keeps it from being renamed, replaced or deleted."""
    wanted = [os.path.realpath(path) for path in paths]
    held: set[str] = set()
    for link in glob.iglob("/proc/[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            held.add(os.readlink(link))
    if any(name == path or name.startswith(f"{path}/") for name in held for path in wanted):
        raise PermissionError(
            errno.EACCES, "The process cannot access the file because it is being used", paths[0]
        )


def locking(fd: int, mode: int, size: int) -> None:
    """msvcrt.locking: some bytes from where the file stands, held by this very opening of it. (LK_UNLCK is 0.)"""
    start = os.lseek(fd, 0, os.SEEK_CUR)
    if not mode and (fd, start) not in locked:
        raise PermissionError(errno.EACCES, "Permission denied")
    try:
        kind = fcntl.F_WRLCK if mode else fcntl.F_UNLCK
        fcntl.fcntl(
            fd, fcntl.F_OFD_SETLK, struct.pack("hhqqi0q", kind, os.SEEK_SET, start, size, 0)
        )
    except OSError:
        raise PermissionError(errno.EACCES, "Permission denied") from None
    (locked.add if mode else locked.discard)((fd, start))


def close(fd: int) -> None:
    """os.close: what is still locked stays so for a time that nobody knows, so it must be unlocked before."""
    assert fd not in {held for held, _ in locked}, "closed while it was locked"
    os.close(fd)


# --- processes ---


class Popen(subprocess.Popen):  # type: ignore[type-arg]
    """No sessions; a shell is what COMSPEC names."""

    def __init__(self, args, shell=False, creationflags=0, start_new_session=False, **more):  # type: ignore[no-untyped-def]
        assert creationflags == NEW_GROUP, "a process of ours has a group of its own"
        super().__init__([os.environ["COMSPEC"], "/c", args] if shell else args, **more)


class Kernel:
    """The calls that tell when a process began and whether it still runs."""

    @staticmethod
    def OpenProcess(rights: int, inherit: bool, pid: int) -> int:  # noqa: N802
        return pid if os.path.exists(f"/proc/{pid}") else 0

    @staticmethod
    def GetProcessTimes(handle, created, *_) -> int:  # type: ignore[no-untyped-def]  # noqa: N802
        with builtin_open(f"/proc/{handle}/stat") as file:
            ticks = int(file.read().rpartition(")")[2].split()[19])
        created._obj.dwHighDateTime, created._obj.dwLowDateTime = divmod(ticks, 2**32)
        return 1

    @staticmethod
    def GetExitCodeProcess(handle, code) -> int:  # type: ignore[no-untyped-def]  # noqa: N802
        with builtin_open(f"/proc/{handle}/stat") as file:
            has_ended = file.read().rpartition(")")[2].split()[0] in "ZX"
        code._obj.value = 0 if has_ended else 259
        return 1

    @staticmethod
    def CloseHandle(handle: int) -> int:  # noqa: N802
        return int(bool(handle))


# --- as they are called there ---

MSVCRT = {"LK_UNLCK": 0, "LK_NBLCK": 2, "locking": locking, "setmode": setmode}
NT = {"_exit": os._exit, "environ": dict(os.environ), "lstat": os.lstat, "stat": os.stat}
NT |= {"chdir": os.chdir, "getcwd": os.getcwd, "getpid": os.getpid}
NT |= {"mkdir": os.mkdir, "replace": replace}
OS = {"name": "nt", "O_BINARY": BINARY, "open": open_file, "write": write, "close": close}
OS |= {"replace": replace, "remove": remove, "unlink": remove}
SUBPROCESS = {"Popen": Popen, "CREATE_NEW_PROCESS_GROUP": NEW_GROUP, "DETACHED_PROCESS": 8}
ctypes.windll = types.SimpleNamespace(kernel32=Kernel)  # type: ignore[attr-defined]
