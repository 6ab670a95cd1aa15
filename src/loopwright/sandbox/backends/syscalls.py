"""The filter of system calls: what no namespace closes. Its rules are bytes of the kernel's BPF.

Keyrings of the kernel, which may hold a login, belong to the user and to the session. Sockets to
the host of a virtual machine belong to no network namespace. No build and no test needs them.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

# By the machine: the number of its architecture, of seccomp, of socket, and of the keyring calls.
NUMBERS: Mapping[str, tuple[int, int, int, tuple[int, ...]]] = {
    "x86_64": (0xC000003E, 317, 41, (248, 249, 250)),
    "aarch64": (0xC00000B7, 277, 198, (217, 218, 219)),
}
I386 = (0x40000003, 359, (286, 287, 288))  # an older program on x86_64
X32 = 0x40000000  # numbers from here on are those of a third interface of x86_64
VSOCK = 40
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, NO_CALL, NO_FAMILY = 0x7FFF0000, 0x00050026, 0x00050061
CALL, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16


def filter_program(machine: str) -> bytes:
    """The rules for this machine; b"" for one that we do not know."""
    if machine not in NUMBERS:
        return b""
    architecture, _, socket, keyrings = NUMBERS[machine]
    blocks = [_rules(architecture, socket, keyrings, machine == "x86_64")]
    blocks += [_rules(*I386, False)] if machine == "x86_64" else []
    return b"".join(blocks) + _line(RETURN, ALLOW)


def _rules(architecture: int, socket: int, keyrings: tuple[int, ...], has_x32: bool) -> bytes:
    """Load, compare and answer; a jump counts the lines that it leaves out."""
    lines = [_line(LOAD, CALL)]
    if has_x32:
        lines += [_line(AT_LEAST, X32, 0, 1), _line(RETURN, NO_CALL)]
    for number in keyrings:
        lines += [_line(EQUAL, number, 0, 1), _line(RETURN, NO_CALL)]
    lines += [_line(EQUAL, socket, 0, 3), _line(LOAD, FIRST_ARGUMENT)]
    lines += [_line(EQUAL, VSOCK, 0, 1), _line(RETURN, NO_FAMILY), _line(RETURN, ALLOW)]
    return _line(LOAD, ARCHITECTURE) + _line(EQUAL, architecture, 0, len(lines)) + b"".join(lines)


def _line(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)
