"""Attempts to leave a sandbox that need the kernel or git's folders; prints the names that succeed.

It runs inside, on any Python, with the project as working folder: sandbox_attempts.py HOST_PID.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import platform
import socket
import sys
import termios

ARM = platform.machine() == "aarch64"
LIBC = ctypes.CDLL(None, use_errno=True)
HERE = os.getcwd().encode()
# Number on aarch64 and on x86_64.
CALLS = {
    "mount": (40, 165),
    "umount2": (39, 166),
    "pivot_root": (41, 155),
    "unshare": (97, 272),
    "setns": (268, 308),
    "ptrace": (117, 101),
    "add_key": (217, 248),
    "request_key": (218, 249),
    "keyctl": (219, 250),
    "renameat2": (276, 316),
    "open_by_handle_at": (265, 304),
    "open_tree": (428, 428),
    "mount_setattr": (442, 442),
    "openat2": (437, 437),
    "fchmodat2": (452, 452),
    "io_uring_setup": (425, 425),
}
AT_HERE = -100


def call(name, *given):
    number = CALLS[name][0 if ARM else 1]
    if LIBC.syscall(number, *given) < 0:
        raise OSError(ctypes.get_errno(), name)
    return True


def write(path, text="evil\n"):
    with open(path, "w") as file:
        file.write(text)
    return True


def rename(path):
    os.rename(path, f"{path}-moved")
    return True


def replace(path):
    write("evil-file")
    os.rename("evil-file", path)
    return True


def exchange(path):
    write("evil-file")
    return call("renameat2", AT_HERE, b"evil-file", AT_HERE, path.encode(), 2)


def link_and_write(path):
    os.link(path, "evil-link")
    return write("evil-link")


def write_through_fd(folder, name):
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    return write(f"/proc/self/fd/{fd}/{name}")


def has_setuid(make):
    """Did this leave a file with the setuid bit? A reviewer cannot write the project."""
    path = "evil-setuid"
    with contextlib.suppress(OSError):
        make(path)
    try:
        return bool(os.stat(path).st_mode & 0o4000)
    finally:
        os.remove(path)


def chmod_setuid(path):
    write(path)
    os.chmod(path, 0o4755)


def fchmod_setuid(path):
    write(path)
    os.fchmod(os.open(path, os.O_RDONLY), 0o6755)


def chmod_again(path):
    write(path)
    call("fchmodat2", AT_HERE, path.encode(), 0o4755, 0)


def open_setuid(path):
    os.umask(0)
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o4755))


def open_how(path):
    how = (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, 0o4755, 0)
    call("openat2", AT_HERE, path.encode(), how, 24)


def connect(family, address):
    with socket.socket(family) as link:
        link.settimeout(2)
        link.connect(address)
    return True


def push_input():
    for number in (0, 1, 2):
        with contextlib.suppress(OSError):
            fcntl.ioctl(number, termios.TIOCSTI, b"x")
            return True
    return False


def has_foreign_file():
    own = ("/dev/null", "pipe:", "socket:", "anon_inode:", "/proc/")
    names = [os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd") if int(n) > 2]
    return any(not name.startswith(own) for name in names)


def in_new_namespace(action):
    """In a child with all rights in a user namespace of its own, which a user may make."""

    def attempt():
        child = os.fork()
        if child:
            return os.waitpid(child, 0)[1] == 0
        done = False
        with contextlib.suppress(Exception):
            call("unshare", 0x10000000 | 0x20000)
            done = action()
        os._exit(0 if done else 1)

    return attempt


def rebind_and_write():
    os.makedirs("/tmp/rebound", exist_ok=True)
    call("mount", HERE, b"/tmp/rebound", b"", 4096, 0)
    return write("/tmp/rebound/.git/config")


def clone_tree():
    return call("open_tree", AT_HERE, HERE, 1)


def remount_writable():
    call("mount", b"none", HERE + b"/.git/config", b"", 4096 | 32, 0)
    return write(".git/config")


def set_writable():
    given = (ctypes.c_uint64 * 4)(0, 1, 0, 0)
    call("mount_setattr", AT_HERE, HERE + b"/.git/config", 0, given, 32)
    return write(".git/config")


def cover_and_write():
    call("mount", b"none", HERE + b"/.git", b"tmpfs", 0, 0)
    call("umount2", HERE + b"/.git", 2)
    return write(".git/config")


def uncover(path):
    return lambda: call("umount2", path, 2)


def unmount_all():
    for path in (b"/.git/config", b"/.git/hooks", b"/.git/commondir", b"/.loop", b"/.git", b""):
        with contextlib.suppress(OSError):
            call("umount2", HERE + path, 2)
    return write(".git/hooks/pre-commit")


GIT = os.path.join(os.getcwd(), ".git")
HOST = int(sys.argv[1])
ATTEMPTS = {
    # git's folders, beyond config and hooks themselves
    "commondir of another worktree": lambda: write(f"{GIT}/worktrees/other/commondir", "/tmp\n"),
    "settings of another worktree": lambda: write(f"{GIT}/worktrees/other/config.worktree"),
    "folder of another worktree": lambda: rename(f"{GIT}/worktrees/other"),
    "folder of the worktrees": lambda: rename(f"{GIT}/worktrees"),
    "settings of this worktree": lambda: write(f"{GIT}/config.worktree"),
    "commondir of a submodule": lambda: write(f"{GIT}/modules/s/commondir", "/tmp\n"),
    "commondir of a submodule replaced": lambda: replace(f"{GIT}/modules/s/commondir"),
    "commondir of a nested submodule": lambda: write(f"{GIT}/modules/s/modules/n/commondir"),
    "link of a submodule": lambda: write("sub/.git", "gitdir: ../evil\n"),
    "link of a submodule replaced": lambda: replace("sub/.git"),
    "checkout of a submodule": lambda: rename("sub"),
    "objects moved": lambda: rename(f"{GIT}/objects"),
    "refs moved": lambda: rename(f"{GIT}/refs"),
    "config exchanged": lambda: exchange(".git/config"),
    "hooks exchanged": lambda: exchange(".git/hooks"),
    "git exchanged": lambda: exchange(".git"),
    "loop exchanged": lambda: exchange(".loop"),
    "config by a hard link": lambda: link_and_write(".git/config"),
    "journal by a hard link": lambda: link_and_write(".loop/journal.jsonl"),
    "hooks by a descriptor": lambda: write_through_fd(".git/hooks", "pre-commit"),
    # the kernel
    "keyring of the user": lambda: call("keyctl", 0, ctypes.c_int(-4), 1),
    "keyring of the session": lambda: call("keyctl", 11, ctypes.c_int(-3), 0, 0),
    "a new key": lambda: call("add_key", b"user", b"loop", b"v", 1, ctypes.c_int(-4)),
    "a key of another": lambda: call("request_key", b"user", b"loop", 0, ctypes.c_int(-4)),
    "host of the machine": lambda: socket.socket(socket.AF_VSOCK).fileno() >= 0,
    "handle of a file": lambda: call("open_by_handle_at", 0, b"\x08\0\0\0\1\0\0\0" + b"\2" * 8, 0),
    "ptrace of the first process": lambda: call("ptrace", 16, 1, 0, 0),
    "root of the first process": lambda: write("/proc/1/root/etc/loop-evil"),
    "folder of the first process": lambda: write("/proc/1/cwd/.git/config"),
    "memory of the first process": lambda: write("/proc/1/mem"),
    "namespace of the first process": lambda: call("setns", os.open("/proc/1/ns/mnt", 0), 0),
    "signal to the host": lambda: os.kill(HOST, 0) is None,
    "kernel settings": lambda: write("/proc/sys/kernel/core_pattern"),
    "a device": lambda: os.mknod("evil-device", 0o020666, os.makedev(1, 1)) is None,
    "setuid by chmod": lambda: has_setuid(chmod_setuid),
    "setuid by fchmod": lambda: has_setuid(fchmod_setuid),
    "setuid by fchmodat2": lambda: has_setuid(chmod_again),
    "setuid by open": lambda: has_setuid(open_setuid),
    "setuid by openat2": lambda: has_setuid(open_how),
    "setuid by mknod": lambda: has_setuid(lambda path: os.mknod(path, 0o104755)),
    "a ring for calls": lambda: call("io_uring_setup", 4, (ctypes.c_uint32 * 30)()),
    "input of the terminal": push_input,
    "the terminal": lambda: os.open("/dev/tty", os.O_RDWR) >= 0,
    "files of the runner": has_foreign_file,
    # mounts, with the rights of a user namespace of its own
    "config unmounted": in_new_namespace(uncover(HERE + b"/.git/config")),
    "home unmounted": in_new_namespace(uncover(os.environ["HOME"].encode())),
    "everything unmounted": in_new_namespace(unmount_all),
    "project bound again": in_new_namespace(rebind_and_write),
    "tree cloned": in_new_namespace(clone_tree),
    "config mounted writable": in_new_namespace(remount_writable),
    "config set writable": in_new_namespace(set_writable),
    "git covered and uncovered": in_new_namespace(cover_and_write),
    "root changed": in_new_namespace(lambda: call("pivot_root", b"/", b"/")),
}


def succeeds(action):
    try:
        return bool(action())
    except Exception:
        return False


if __name__ == "__main__":
    print(json.dumps([name for name, action in ATTEMPTS.items() if succeeds(action)]))
