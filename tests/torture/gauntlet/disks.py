"""A disk that is full or read-only: a small one of our own, mounted for the scenario."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.support.project import Project
from tests.support.runner import CLAIM
from tests.torture.gauntlet.scenario import Scenario, Step, case, done, edits, works


def mount(*words: str, within: tuple[str, ...] = ()) -> bool:
    return (
        subprocess.run([*within, "mount", *words], capture_output=True, check=False).returncode == 0
    )


CAN_MOUNT = (
    hasattr(os, "getuid")
    and os.getuid() == 0
    and mount("-t", "tmpfs", "tmpfs", "/mnt", within=("unshare", "-m"))
)


def full_disk(disk: Path, blocks: int = 0) -> Iterator[None]:
    with open(disk / ".git/filler", "wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError:
            file.truncate(max(0, file.tell() - blocks * 4096))
    yield
    (disk / ".git/filler").unlink()


def read_only_disk(disk: Path) -> Iterator[None]:
    assert mount("-o", "remount,ro", str(disk))
    yield
    assert mount("-o", "remount,rw", str(disk))


def on_a_disk(*bad: Callable[[Path], Iterator[None]], held: bool | None = False) -> Step:
    """The project lies on a disk that turns bad for a turn, is well again, turns bad again."""

    def step(one: Scenario) -> None:
        (place := one.beside / "disk").mkdir()
        assert mount("-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place))
        try:
            one.here, one.dot = Project(place), place / ".loop"
            one.start()
            for turn in bad:
                works(one, 1)
                edits(one)
                with contextmanager(turn)(place):
                    one.judge(
                        bool(one.stops("hm", held, trouble=True).out),
                        "state lost",
                        "nobody was told",
                    )
            done(one)
            one.stops(CLAIM, False)
            one.ends("proven")
        finally:
            subprocess.run(["umount", "-l", str(place)], check=True)

    return step


TABLE = {
    "full disk": case("nothing → none", on_a_disk(full_disk, full_disk)),
    "almost full disk": case(
        "nothing → none",
        on_a_disk(*(partial(full_disk, blocks=left) for left in (1, 2, 4)), held=None),
    ),
    "read-only folder": case("nothing → none", on_a_disk(read_only_disk, read_only_disk)),
}
