"""A real ext4 in a file, and its power cut in the middle of the work: the kernel forgets all that it has not written yet."""

from __future__ import annotations

import ctypes
import fcntl
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import Pipe, connection, get_context
from pathlib import Path

import pytest

from tests.support.hook import answer_event, stop_event
from tests.support.project import Project
from tests.torture.conftest import Figure
from tests.torture.power.judge import FILES, LIFE, MEMORY, WORK, journal_of, problems
from tests.torture.size import chunks

SHUTDOWN, NO_FLUSH = (
    0x8004587D,
    b"\2\0\0\0",
)  # EXT4_IOC_SHUTDOWN, and not even its journal is written
TOOLS = (
    os.path.exists("/dev/loop-control") and shutil.which("mkfs.ext4") and shutil.which("unshare")
)
CAN = (
    TOOLS
    and subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL, check=False).returncode
    == 0
)
pytestmark = pytest.mark.skipif(
    not CAN, reason="an ext4 of our own needs root, loop devices and mkfs.ext4"
)


@contextmanager
def mounted(image: Path, options: str) -> Iterator[Path]:
    place = image.parent / "disk"
    place.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "ext4", "-o", f"loop,{options}", image, place], check=True)
    try:
        yield place
    finally:
        patience = time.monotonic() + 20
        while subprocess.run(["umount", place], stderr=subprocess.DEVNULL, check=False).returncode:
            if time.monotonic() > patience:
                subprocess.run(["umount", "-l", place], check=True)
                break
            for process in Path("/proc").glob(
                "[0-9]*"
            ):  # a check or a git of who was killed is still there
                with suppress(OSError):
                    if os.readlink(process / "cwd").startswith(str(place)):
                        os.kill(int(process.name), signal.SIGKILL)
            time.sleep(0.02)


def works(here: Project, tell: connection.Connection) -> None:
    """The door and the command line in a process of their own; after each answer the person knows what the journal says."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    with suppress(Exception):  # without its disk it may fail as it likes
        for kind, *words in LIFE:
            if kind == "loop":
                here.run(*words)
            elif kind == "stop":
                answer_event(stop_event(here, *words), str(here.root), "claude")
            else:
                subprocess.run([*WORK, *words], cwd=here.root, check=True)
            tell.send_bytes(Path(str(journal_of(here))).read_bytes())


def cut(image: Path, options: str, seed: int) -> Iterator[str]:
    chance = random.Random(seed)
    with mounted(image, options) as place:
        hear, tell = Pipe()
        worker = get_context("fork").Process(
            target=works, args=(Project(place / f"git {seed % 3 > 0}", git=False), tell)
        )
        worker.start()
        tell.close()
        time.sleep(chance.random() * chance.choice((0.2, 0.6, 1.0)))
        fd = os.open(place, os.O_RDONLY)
        if chance.random() < 0.5:
            os.fsync(
                fd
            )  # as the kernel does every five seconds: names are written, and no bytes that have no place yet
        fcntl.ioctl(fd, SHUTDOWN, NO_FLUSH)
        os.close(fd)
        worker.kill()
        worker.join()
        told = b""
        with suppress(EOFError, OSError):  # (cut off in the middle of a word, it told nothing)
            while hear.poll():
                told = hear.recv_bytes()
    with mounted(image, options) as place:
        yield from problems(Project(place / f"git {seed % 3 > 0}", git=False), told)


@pytest.mark.parametrize("options", ["auto_da_alloc", "noauto_da_alloc"])
@pytest.mark.parametrize("seeds", chunks(commit=3, long=1000, each=250))
def test_nothing_that_was_told_is_lost(
    options: str, seeds: range, monkeypatch: pytest.MonkeyPatch, figure: Figure
) -> None:
    bad = []
    ctypes.CDLL(None).unshare(
        0x20000
    )  # CLONE_NEWNS: what we mount is nobody else's, and goes with us, however we go
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    with tempfile.TemporaryDirectory(dir=MEMORY) as memory:
        fresh, image = Path(memory, "fresh"), Path(memory, "image")
        monkeypatch.setenv("XDG_STATE_HOME", f"{memory}/disk/state")
        subprocess.run(["mkfs.ext4", "-q", "-b", "4096", "-J", "size=4", fresh, "10M"], check=True)
        with mounted(fresh, options) as place:
            [Project(place / f"git {git}", FILES, git) for git in (True, False)]
        for seed in seeds:
            shutil.copyfile(fresh, image)
            bad += [f"{options}, seed {seed}: {why}" for why in cut(image, options, seed)]
    figure(f"power cut, ext4 {options}".removesuffix(" auto_da_alloc"), of=len(seeds), bad=bad)
