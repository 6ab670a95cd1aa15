"""The program that starts a sandbox and ends it once everything inside uses more than a bound.

It runs outside the sandbox, as a script with Python's own modules only. Every check waits for its
start, so it loads few of them. `bounds.py` writes its words: memory, processes, disk, the control
groups to join, and the command.
"""

from __future__ import annotations

import os
import resource
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Iterable
else:
    import _signal as signal  # `signal` itself takes half as long as the start of the interpreter

NAME = "bwrap"  # of the launcher, which our signals look for: see inner_process.py
LOOK_SECONDS = 1.0  # between two looks at what is used
PARENT_SECONDS = 0.1  # between two looks whether our parent lives
# A signal to the whole group is for the command. We end when it has ended.
HELD_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)
GIGABYTE = 1 << 30
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def main(words: list[str]) -> int:
    """Run the command in these bounds; its exit code, 128 and the number if a signal ended it."""
    memory, processes, disk = map(int, words[:3])
    parent = os.getppid()
    write_kernel_file("/proc/self/comm", NAME)
    groups = [folder for folder in words[3].split(":") if folder]
    ended_before = count_ended_by_kernel(groups)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, it would hide the end of a child
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, HELD_SIGNALS)
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        become_command(words[4:], disk, groups)
    why, status = watch_child(child, parent, (memory, processes, disk))
    if why:
        tell(f"\n[LOOP] The sandbox ended this: more than {why}. See: loop sandbox show\n")
    elif count_ended_by_kernel(groups) > ended_before:
        why = f"more than {memory / GIGABYTE:.1f} GB of memory"
        tell(f"\n[LOOP] The kernel ended a process: {why}. See: loop sandbox show\n")
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def become_command(command: list[str], disk: int, groups: list[str]) -> None:
    """In the child: the command in our place. What is inherited is as the command expects it.

    Only the child joins the groups: the kernel must not end us, who say why.
    """
    for folder in groups:
        write_kernel_file(f"{folder}/cgroup.procs", str(os.getpid()))
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them
        signal.signal(number, signal.SIG_DFL)
    try:
        if disk:
            resource.setrlimit(resource.RLIMIT_FSIZE, (disk, disk))
        os.execvp(command[0], command)
    except (OSError, ValueError) as error:
        tell(f"{command[0]}: {getattr(error, 'strerror', None) or error}\n")
    finally:
        os._exit(127)


def watch_child(child: int, parent: int, bounds: tuple[int, int, int]) -> tuple[str, int]:
    """Wait for its end: the bound that it exceeded ("" for none), and how it ended.

    It is ended above a bound, and when our own parent has ended.
    """
    why = ""
    look_at = time.monotonic() + LOOK_SECONDS
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return why, status
        if not why and time.monotonic() >= look_at:
            why = exceeded_bound(child, bounds)
            look_at = time.monotonic() + LOOK_SECONDS
        if why or os.getppid() != parent:
            os.kill(child, signal.SIGKILL)
        signal.sigtimedwait((signal.SIGCHLD,), PARENT_SECONDS)


def exceeded_bound(root: int, bounds: tuple[int, int, int], proc: str = "/proc") -> str:
    """What the process and everything below it use more of than they may; "" for nothing."""
    memory, processes, disk = bounds
    found = read_processes(proc)
    inside = descendants(root, found)
    threads = sum(found[pid][1] for pid in inside)
    resident = sum(found[pid][2] for pid in inside)
    if processes and threads > processes:
        return f"{processes} processes and threads"
    # Pages that processes share are in each of their numbers: only a sum above the bound is looked
    # at closely, because that takes long.
    if memory and resident > memory:
        shared = sum(read_field(f"{proc}/{pid}/smaps_rollup", b"Pss:") for pid in inside)
        if 1024 * shared > memory:
            return f"{memory / GIGABYTE:.1f} GB of memory"
    if disk and sum(read_field(f"{proc}/{pid}/io", b"write_bytes:") for pid in inside) > disk:
        return f"{disk / GIGABYTE:.1f} GB written"
    return ""


def count_ended_by_kernel(groups: list[str]) -> int:
    """How many processes of these control groups the kernel has ended for want of memory."""
    files = ("memory.events", "memory.oom_control")  # of version 2, and of version 1
    return sum(read_field(f"{folder}/{name}", b"oom_kill ") for folder in groups for name in files)


def read_processes(proc: str) -> dict[int, tuple[int, int, int]]:
    """All processes: the parent, the threads and the resident bytes of each."""
    found = {}
    for name in os.listdir(proc):
        if not name.isdecimal():
            continue
        try:
            with open(f"{proc}/{name}/stat", "rb", buffering=0) as file:
                fields = file.read().rpartition(b")")[2].split()  # its name may have any characters
            found[int(name)] = (int(fields[1]), int(fields[17]), int(fields[21]) * PAGE_BYTES)
        except (OSError, IndexError):  # it has just ended
            continue
    return found


def descendants(root: int, processes: dict[int, tuple[int, int, int]]) -> list[int]:
    """This process and all below it."""
    children: dict[int, list[int]] = {}
    for pid, (parent, _, _) in processes.items():
        children.setdefault(parent, []).append(pid)
    inside = [root] if root in processes else []
    for pid in inside:  # it grows meanwhile
        inside += children.get(pid, [])
    return inside


def read_field(path: str, name: bytes) -> int:
    """The number after this name at the beginning of a line; 0 where it cannot be read."""
    try:
        with open(path, "rb", buffering=0) as file:
            lines: Iterable[bytes] = file.read().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith(name))


def write_kernel_file(path: str, text: str) -> None:
    """Write to a file of the kernel, if it allows that."""
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
    except OSError:
        pass


def tell(text: str) -> None:
    try:
        os.write(2, text.encode("utf-8", "surrogateescape"))
    except OSError:  # nobody reads it
        pass


if __name__ == "__main__":
    os._exit(main(sys.argv[1:]))
