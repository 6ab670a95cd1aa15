"""Cuts a test's process off from every network but 127.0.0.1, so that "no network" is a fact and not a hope."""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import sys

NEW_NETWORK = 0x40000000  # CLONE_NEWNET
SET_FLAGS, UP = 0x8914, 1  # SIOCSIFFLAGS, IFF_UP


def cut_off() -> bool:
    """Whether this thread, and every thread and process that it starts from now on, sees nothing but loopback.

    It takes Linux and the rights of root; elsewhere all stays as it was. Call it before the first server is started.
    """
    if sys.platform != "linux" or os.geteuid() != 0:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        return libc.unshare(NEW_NETWORK) == 0 and (
            _raise_loopback() or libc.setns(before, NEW_NETWORK) != 0
        )
    finally:
        os.close(before)


def _raise_loopback() -> bool:
    """A new network begins with a loopback that is down."""
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh22x", b"lo", UP))
        except OSError:
            return False
    return True
