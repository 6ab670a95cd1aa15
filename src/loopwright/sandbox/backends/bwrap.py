"""bubblewrap: mount, process and network namespaces of Linux, without a daemon and without root."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from functools import cache

from ...disk.files import read_bytes
from ...disk.programs import LOADER_LISTS, PERL_LISTS, own_environment, own_program
from ..mounts import COPY, EMPTY, MASK, SHOW, Box, Mount
from ..tables import DROPPED_NAMES
from .syscalls import NUMBERS, filter_program, own_machine

NAME, PROGRAM = "bwrap", "bwrap"
COPIES = "copy"  # a feature: it gives a private copy of a folder without copying it
INSTALL = "install bubblewrap, for example: apt install bubblewrap"
PROBE_SECONDS = 20
NAMESPACES = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
# Root without them could undo the mounts; with these it can still use the files of others.
ROOT_CAPABILITIES = ("CAP_DAC_OVERRIDE", "CAP_CHOWN", "CAP_FOWNER")
# Settings of the whole machine. bubblewrap 0.8 leaves /proc/sys writable for root, whose
# core_pattern names a program that the host would run.
MACHINE_SETTINGS = ("sys", "acpi", "scsi", "sysrq-trigger", "mtrr")
# Abstract sockets belong to the network namespace. Where the network stays open, Landlock closes
# them, and signals to processes outside with them (Linux 6.12). The probe says whether it did.
# The filter of system calls follows, see syscalls.py.
# bubblewrap has set no_new_privs already. Perl starts in a sixth of the time that Python needs.
PERL_SCOPE = (
    "$r = pack('Q3', 0, 0, 3); $f = syscall(444, $r, 24, 0); syscall(446, $f, 0) if $f >= 0; "
    "$n = shift; $p = pack('H*', shift); $q = pack('Sx6P', length($p) / 8, $p); "
    "syscall($n + 0, 1, 0, $q) if $p; "
    'exec { $ARGV[0] } @ARGV; print STDERR "$ARGV[0]: $!\\n"; exit 127'
)
PYTHON_SCOPE = """\
import ctypes, os, sys
libc = ctypes.CDLL(None)
fd = libc.syscall(444, (ctypes.c_uint64 * 3)(0, 0, 3), 24, 0)
if fd >= 0:
    libc.syscall(446, fd, 0)
rules = bytes.fromhex(sys.argv[2])
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("rules", ctypes.c_char_p)]
if rules:
    libc.syscall(int(sys.argv[1]), 1, 0, ctypes.byref(Program(len(rules) // 8, rules)))
try:
    os.execvp(sys.argv[3], sys.argv[3:])
except OSError as error:
    print(f"{sys.argv[3]}: {error.strerror}", file=sys.stderr)
    sys.exit(127)
"""
PERL, ENV = "/usr/bin/perl", "/usr/bin/env"


def program_path(root: str) -> str:
    """The program, never one that lies in the project; "" without one."""
    return own_program(PROGRAM, root)


def problem(root: str) -> str:
    """Why it cannot be used here; "" if it can."""
    if not sys.platform.startswith("linux"):
        return "bubblewrap needs Linux"
    program = program_path(root)
    return _try_program(program)[0] if program else f"bubblewrap is not installed; {INSTALL}"


def features(root: str) -> tuple[str, ...]:
    """What this program and system offer: `proc`, a /proc of its own; `copy`, private copies."""
    return _try_program(program_path(root))[1]


@cache
def _try_program(program: str) -> tuple[str, tuple[str, ...]]:
    """Its problem and its features, tried once in each process."""
    words = (*base_words(program), "--ro-bind", "/", "/")
    done = _run((*words, "--proc", "/proc", "--", "/bin/true"))
    found = ["proc"] if done and done.returncode == 0 else []
    if not found:  # some containers allow everything but a second /proc
        done = _run((*words, "--", "/bin/true"))
    if done is None or done.returncode:
        text = done.stderr.decode("utf-8", "replace").strip()[-200:] if done else "no answer"
        return f"bubblewrap does not work here: {text}{namespace_remedy()}", ()
    usage = _run((program, "--help"))
    if usage and b"--tmp-overlay" in usage.stdout + usage.stderr:
        found.append(COPIES)
    return "", tuple(found)


# Settings of the kernel that keep an ordinary user from making a sandbox, with the value that does,
# and what to type.
OBSTACLES = {
    "user/max_user_namespaces": ("0", "sudo sysctl -w user.max_user_namespaces=15000"),
    "kernel/unprivileged_userns_clone": (
        "0",
        "sudo sysctl -w kernel.unprivileged_userns_clone=1",
    ),
    "kernel/apparmor_restrict_unprivileged_userns": (
        "1",
        "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile "
        "for bwrap (docs/sandbox.md, User namespaces)",
    ),
}


def namespace_remedy(folder: str = "/proc/sys") -> str:
    """What to type where the kernel forbids user namespaces; "" where it does not."""
    remedies = []
    for name, (value, remedy) in OBSTACLES.items():
        with suppress(OSError):  # most kernels do not have all of them
            if read_bytes(os.path.join(folder, name)).decode().strip() == value:
                setting = name.replace("/", ".", 1)
                remedies.append(f"{setting} is {value}: {remedy}")
    if not remedies:
        return ""
    return f". User namespaces are off here; {'; '.join(remedies)}"


def _run(words: tuple[str, ...]) -> subprocess.CompletedProcess[bytes] | None:
    try:
        return subprocess.run(
            words,
            env=own_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


def base_words(program: str) -> tuple[str, ...]:
    words = [program, "--die-with-parent", "--new-session", *NAMESPACES]
    if os.geteuid() == 0:
        words += ["--cap-drop", "ALL"]
        for name in ROOT_CAPABILITIES:
            words += ["--cap-add", name]
    return tuple(words)


def launcher_words(
    box: Box, mounts: tuple[Mount, ...], features: tuple[str, ...]
) -> tuple[str, ...]:
    """The words before a command that run it in the box."""
    words = [*base_words(program_path(box.root) or PROGRAM), "--ro-bind", "/", "/"]
    if not box.network:
        words.append("--unshare-net")
    words += ["--dev", "/dev"]
    words += ["--proc", "/proc"] if "proc" in features else ["--ro-bind", "/proc", "/proc"]
    for name in MACHINE_SETTINGS:
        if os.path.exists(f"/proc/{name}"):
            words += ["--ro-bind", f"/proc/{name}", f"/proc/{name}"]
    for mount in mounts:
        # These folders are memory: without a size each may take half of the machine.
        is_bounded = mount.kind == EMPTY and box.bounds.memory
        words += ["--size", str(box.bounds.memory)] if is_bounded else []
        words += _mount_words(mount)
    for name in DROPPED_NAMES:
        words += ["--unsetenv", name]
    # What would load code of the agent into the program that sets the filter is set after it.
    late = [name for name in (*LOADER_LISTS, *PERL_LISTS) if os.environ.get(name)]
    for name in late:
        words += ["--unsetenv", name]
    words += ["--setenv", "TMPDIR", "/tmp", "--chdir", box.root, "--"]  # noqa: S108
    setting = (ENV, *(f"{name}={os.environ[name]}" for name in late)) if late else ()
    return (*words, *_scope_words(), *setting)


def _scope_words() -> tuple[str, ...]:
    machine = own_machine()
    number = NUMBERS[machine].seccomp if machine in NUMBERS else 0
    rules = (str(number), filter_program(machine).hex())
    if os.access(PERL, os.X_OK):
        return (PERL, "-e", PERL_SCOPE, *rules)
    return (os.path.realpath(sys.executable), "-I", "-S", "-c", PYTHON_SCOPE, *rules)


def _mount_words(mount: Mount) -> tuple[str, ...]:
    if mount.kind == EMPTY:
        return ("--tmpfs", mount.path)
    if mount.kind == MASK:
        return ("--ro-bind", os.devnull, mount.path)
    if mount.kind == COPY:
        return ("--overlay-src", mount.outside, "--tmp-overlay", mount.path)
    option = "--ro-bind" if mount.kind == SHOW else "--bind"
    return (option, mount.outside, mount.path)
