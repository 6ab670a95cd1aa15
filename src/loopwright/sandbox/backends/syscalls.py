"""The filter of system calls: what no namespace closes. Its rules are bytes of the kernel's BPF.

Keyrings of the kernel, which may hold a login, belong to the user and to the session. Sockets to
the host of a virtual machine belong to no network namespace. A file with the setuid bit, left in
the project, would run with the rights of whoever ran the agent. No build and no test needs these.
Two calls could do the same with arguments that no filter can read; programs do without them.
The kernel answers also to the calls of 32-bit programs. There one call opens every socket, with
arguments that no filter can read, so a process that makes any of these calls ends.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Mapping

from ...core.record import Record


class Calls(Record):
    """The numbers of system calls on one architecture."""

    architecture: int
    seccomp: int
    socket: int
    keyrings: tuple[int, ...]
    chmod: tuple[tuple[int, int], ...]  # each with the number of the argument that is a mode
    open: tuple[tuple[int, int], ...]  # the same; the flags are the argument before it
    unreadable: tuple[int, ...] = (437, 425)  # openat2, io_uring_setup: the same everywhere


NUMBERS: Mapping[str, Calls] = {  # by the machine
    "x86_64": Calls(
        architecture=0xC000003E,
        seccomp=317,
        socket=41,
        keyrings=(248, 249, 250),
        chmod=((90, 1), (91, 1), (268, 2), (452, 2), (85, 1), (133, 1), (259, 2)),
        open=((2, 2), (257, 3)),
    ),
    "aarch64": Calls(
        architecture=0xC00000B7,
        seccomp=277,
        socket=198,
        keyrings=(217, 218, 219),
        chmod=((52, 1), (53, 2), (452, 2), (33, 2)),
        open=((56, 3),),
    ),
}
X86_64 = 0xC000003E
X32 = 0x40000000  # numbers from here on are those of a third interface of x86_64
VSOCK, SETUID, CREATES = 40, 0o4000, 0o100 | 0o20000000  # O_CREAT, and the bit of O_TMPFILE
LOAD, EQUAL, AT_LEAST, HAS_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, NO_CALL, NO_FAMILY, NOT_PERMITTED = 0x7FFF0000, 0x00050026, 0x00050061, 0x00050001
END_PROCESS = 0x80000000
CALL, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16


def own_machine() -> str:
    """The machine whose calls our programs make; "" where they are 32-bit programs themselves."""
    return os.uname().machine if sys.maxsize > 1 << 32 else ""


def filter_program(machine: str) -> bytes:
    """The rules for this machine: load, compare and answer; b"" for one that we do not know."""
    calls = NUMBERS.get(machine)
    if calls is None:
        return b""
    lines = [_line(LOAD, ARCHITECTURE), _line(EQUAL, calls.architecture, 1, 0)]
    lines += [_line(RETURN, END_PROCESS), _line(LOAD, CALL)]
    if calls.architecture == X86_64:
        lines += [_line(AT_LEAST, X32, 0, 1), _line(RETURN, NO_CALL)]
    for number in (*calls.keyrings, *calls.unreadable):
        lines += [_line(EQUAL, number, 0, 1), _line(RETURN, NO_CALL)]
    for number, mode in calls.chmod:
        lines += [_line(EQUAL, number, 0, 4), *_answer(mode, HAS_BIT, SETUID, NOT_PERMITTED)]
    for number, mode in calls.open:  # without these flags its mode means nothing
        lines += [_line(EQUAL, number, 0, 6), _load(mode - 1), _line(HAS_BIT, CREATES, 0, 3)]
        lines += _answer(mode, HAS_BIT, SETUID, NOT_PERMITTED)
    lines += [_line(EQUAL, calls.socket, 0, 4), *_answer(0, EQUAL, VSOCK, NO_FAMILY)]
    return b"".join(lines) + _line(RETURN, ALLOW)


def _answer(argument: int, test: int, value: int, refusal: int) -> list[bytes]:
    """Refuse the call if this argument passes the test, else allow it."""
    return [_load(argument), _line(test, value, 0, 1), _line(RETURN, refusal), _line(RETURN, ALLOW)]


def _load(argument: int) -> bytes:
    return _line(LOAD, FIRST_ARGUMENT + 8 * argument)


def _line(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One rule; a jump counts the lines that it leaves out."""
    return struct.pack("HBBI", code, if_true, if_false, value)
