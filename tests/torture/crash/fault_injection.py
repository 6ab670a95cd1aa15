"""Blows by strace: the calls of a command that write, and the words that kill it at one of them or make it fail."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass

from tests.torture.crash.worlds import World

BY_NUMBER = ("write", "pwrite64", "writev", "fsync", "fdatasync", "ftruncate", "fchmod")
BY_NAME = [
    "truncate",
    "chmod",
    "fchmodat",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "rmdir",
]
BY_NAME += ["link", "linkat", "symlink", "symlinkat", "mkdir", "mkdirat", "openat"]
LINE = re.compile(r"(?P<who>\d+) +(?P<name>\w+)\((?P<args>.*)")
DESCRIPTOR = re.compile(r"\w+<(?P<path>[^>]*)>(?:, )?")
STRACE = ("strace", "--quiet=all")


@dataclass(frozen=True)
class Call:
    """The `number`-th call of that name in its process, and on what."""

    name: str
    number: int
    path: str
    who: int  # 0 is the command itself, all others are its children
    writes: bool

    def __str__(self) -> str:
        return f"{self.name} {self.number}{' of a child' if self.who else ''} ({self.path})"


class Calls:
    """What an undisturbed run asks of the files in its world, and what it answers."""

    def __init__(self, world: World) -> None:
        log = world.place / "calls"
        said = world.run(
            *STRACE,
            "--seccomp-bpf",
            "-f",
            "-y",
            "-o",
            str(log),
            "-e",
            f"trace={','.join((*BY_NUMBER, *BY_NAME))}",
        )
        assert world.scene.is_reached(world.here), said
        self.all: list[Call] = []
        counts, people = Counter[tuple[int, str]](), dict[str, int]()
        for match in filter(None, map(LINE.match, log.read_text(errors="replace").splitlines())):
            who, name, args = (
                people.setdefault(match["who"], len(people)),
                match["name"],
                match["args"],
            )
            counts[who, name] += 1
            at = DESCRIPTOR.match(args)
            path, rest = (at["path"], args[at.end() :]) if at else ("", args)
            if name in BY_NAME:
                path = os.path.join(path, rest.partition('"')[2].partition('"')[0])
            if path.startswith(str(world.now)) or (args.startswith("1<pipe") and not who):
                self.all.append(
                    Call(name, counts[who, name], path, who, name != "openat" or "O_CREAT" in args)
                )

    def writing(self, children: bool, answers: bool) -> list[Call]:
        """Those to strike at. All children are struck at the same number, so one of each is enough."""
        found = [
            one
            for one in self.all
            if one.writes and bool(one.who) == children and (answers or one.path[0] == "/")
        ]
        return list({(call.name, call.number): call for call in found}.values())

    def once(self, call: Call, what: str) -> tuple[str, ...]:
        """At a call of a child, whoever comes so far is struck: as when a whole group is killed."""
        return _injection_arguments(call, f"{what}:when={call.number}")

    def for_good(self, call: Call, what: str) -> tuple[str, ...]:
        """From there on, on all files that are written here. (The answer goes to a pipe, which no disk keeps from it.)"""
        ours = [one for one in self.all if bool(one.who) == bool(call.who) and one.path[0] == "/"]
        paths = {one.path for one in ours if one.writes}
        same = [
            one
            for one in ours
            if (one.name, one.who) == (call.name, call.who) and one.path in paths
        ]
        only = [word for path in sorted(paths) for word in ("-P", path)]
        return (*_injection_arguments(call, f"{what}:when={same.index(call) + 1}+"), *only)


def _injection_arguments(call: Call, blow: str) -> tuple[str, ...]:
    followed = ["-f"] if call.who else []
    return (
        *STRACE,
        *followed,
        "-o",
        os.devnull,
        "-e",
        f"trace={call.name}",
        "-e",
        f"inject={call.name}:{blow}",
    )
