"""The filter of system calls: what no namespace closes. Its rules are bytes of the kernel's BPF.

Keyrings of the kernel, which may hold a login, belong to the user and to the session. Sockets to
the host of a virtual machine belong to no network namespace. A file with the setuid bit, left in
the project, would run with the rights of whoever ran the agent. No build and no test needs these.
Two calls could do the same with arguments that no filter can read; programs do without them.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from ...core.record import Record


class Calls(Record):
    """The numbers of system calls on one architecture."""

    architecture: int
    socket: int
    keyrings: tuple[int, ...]
    chmod: tuple[tuple[int, int], ...]  # each with the number of the argument that is a mode
    open: tuple[tuple[int, int], ...]  # the same; the flags are the argument before it
    unreadable: tuple[int, ...] = (437, 425)  # openat2, io_uring_setup: the same everywhere


# By the machine: the number of seccomp, and the interfaces that a program may use.
NUMBERS: Mapping[str, tuple[int, tuple[Calls, ...]]] = {
    "x86_64": (
        317,
        (
            Calls(
                architecture=0xC000003E,
                socket=41,
                keyrings=(248, 249, 250),
                chmod=((90, 1), (91, 1), (268, 2), (452, 2), (85, 1), (133, 1), (259, 2)),
                open=((2, 2), (257, 3)),
            ),
            Calls(  # an older program
                architecture=0x40000003,
                socket=359,
                keyrings=(286, 287, 288),
                chmod=((15, 1), (94, 1), (306, 2), (452, 2), (8, 1), (14, 1), (297, 2)),
                open=((5, 2), (295, 3)),
            ),
        ),
    ),
    "aarch64": (
        277,
        (
            Calls(
                architecture=0xC00000B7,
                socket=198,
                keyrings=(217, 218, 219),
                chmod=((52, 1), (53, 2), (452, 2), (33, 2)),
                open=((56, 3),),
            ),
        ),
    ),
}
X86_64 = 0xC000003E
X32 = 0x40000000  # numbers from here on are those of a third interface of x86_64
VSOCK, SETUID, CREATES = 40, 0o4000, 0o100 | 0o20000000  # O_CREAT, and the bit of O_TMPFILE
LOAD, EQUAL, AT_LEAST, HAS_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, NO_CALL, NO_FAMILY, NOT_PERMITTED = 0x7FFF0000, 0x00050026, 0x00050061, 0x00050001
CALL, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16


def filter_program(machine: str) -> bytes:
    """The rules for this machine; b"" for one that we do not know."""
    if machine not in NUMBERS:
        return b""
    return b"".join(_rules(calls) for calls in NUMBERS[machine][1]) + _line(RETURN, ALLOW)


def _rules(calls: Calls) -> bytes:
    """Load, compare and answer; a jump counts the lines that it leaves out."""
    lines = [_line(LOAD, CALL)]
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
    block = b"".join(lines)
    return _line(LOAD, ARCHITECTURE) + _line(EQUAL, calls.architecture, 0, len(lines)) + block


def _answer(argument: int, test: int, value: int, refusal: int) -> list[bytes]:
    """Refuse the call if this argument passes the test, else allow it."""
    return [_load(argument), _line(test, value, 0, 1), _line(RETURN, refusal), _line(RETURN, ALLOW)]


def _load(argument: int) -> bytes:
    return _line(LOAD, FIRST_ARGUMENT + 8 * argument)


def _line(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)
