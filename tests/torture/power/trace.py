"""What processes did to their files, in order, as strace saw it: names, bytes, what they waited for, and what they told."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

CALLS = "trace=openat,write,fsync,rename,renameat,renameat2,unlink,unlinkat,link,linkat"
CALLS += ",ftruncate,fallocate"
SIZES = {"ftruncate": "cut", "fallocate": "reserve"}  # calls whose last argument is a size
LINE = re.compile(r"(\d+) +(\w+)\((.*)\) += (\d+)")  # (a call that failed did nothing)
FILE, WORD = re.compile(r"(\d+)<([^>]*)>"), re.compile(r'(?:\w+<([^>]*)>, )?"((?:\\x..)*)"')


class Op(NamedTuple):
    kind: (
        str  # create, rename, unlink, reserve, write, empty, cut, fsync; told: a word to the person
    )
    path: str = ""
    to: str = ""
    file: int = 0  # whose bytes they are, whatever its name is
    at: int = -1  # where they go; at the end, unless it says so. The new size of cut and reserve
    data: bytes = b""


class Recorder:
    """Runs commands under strace and keeps what they did below the places that count."""

    def __init__(self, root: Path, *places: str) -> None:
        self.root, self.places = root, places
        self.ops: list[Op] = []
        self._names: dict[str, int] = {}
        self._at: dict[str, int] = {}  # an open file, and where its next byte goes

    def run(self, argv: Sequence[str], said: bytes = b"") -> None:
        log = self.root.parent / "strace"
        strace = [
            "strace",
            "--seccomp-bpf",  # only the calls below stop it
            "-f",
            "-y",
            "-xx",
            "-s",
            "10000000",
            "-e",
            CALLS,
            "-e",
            "signal=none",
            "-o",
            str(log),
            *argv,
        ]
        subprocess.run(
            strace, cwd=self.root, input=said, capture_output=True, timeout=120, check=True
        )
        halves: dict[str, str] = {}
        for line in (lines := log.read_text(encoding="ascii").splitlines()):
            pid = line.split(" ")[0]
            if line.endswith(" <unfinished ...>"):
                halves[pid] = line.removesuffix(" <unfinished ...>")
            else:
                line = (
                    halves.pop(pid) + line.partition("resumed>")[2] if "resumed>" in line else line
                )
                self._record_call(line, lines[0].startswith(f"{pid} "))
        self.ops.append(Op("told"))

    def _record_call(self, line: str, ours: bool) -> None:
        if not (found := LINE.match(line)):
            return
        _, call, args, got = found.groups()
        if call in ("write", "fsync"):
            number, name = FILE.match(args).groups()  # type: ignore[union-attr]
            if ours and call == "write" and number == "1":
                self.ops.append(Op("told"))
            path = _text(name)
            if f"{path}/".startswith(self.places):
                data = (
                    os.fsencode(_text(WORD.findall(args)[0][1]))[: int(got)]
                    if call == "write"
                    else b""
                )
                at = self._at.get(path, -1)
                self.ops.append(Op(call, path, file=self._names.get(path, 0), at=at, data=data))
                self._at[path] = at + len(data) if at >= 0 else -1
            return
        if call in SIZES:
            path, size = _text(FILE.match(args)[2]), int(args.rsplit(", ", 1)[1])  # type: ignore[index]
            if f"{path}/".startswith(self.places):
                self.ops.append(Op(SIZES[call], path, file=self._names.get(path, 0), at=size))
            return
        paths = [
            os.path.join(_text(base) or self.root, _text(word)) for base, word in WORD.findall(args)
        ]
        old, new = paths[0], paths[-1]
        if not f"{new}/".startswith(self.places):
            return
        if call == "openat":
            self._record_open(new, args)
        elif call.startswith("rename"):
            self.ops.append(Op("rename", old, new, self._names.get(old, 0)))
            self._names = {
                renamed_path(name, old, new): file
                for name, file in self._names.items()
                if name != new
            }
        elif call.startswith("link"):
            self._names[new] = self._names[old]
            self.ops.append(Op("create", new, file=self._names[old]))
        elif self._names.pop(new, 0):
            self.ops.append(Op("unlink", new))

    def _record_open(self, path: str, args: str) -> None:
        self._at[path] = -1 if "O_APPEND" in args else 0
        if path in self._names and "O_TRUNC" in args:
            self.ops.append(Op("empty", path, file=self._names[path]))
        elif path not in self._names and "O_CREAT" in args:
            self._names[path] = len(self.ops) + 1
            self.ops.append(Op("create", path, file=self._names[path]))


def renamed_path(name: str, old: str, new: str) -> str:
    """What a file is called after the rename of it, or of a folder above it."""
    return new + name[len(old) :] if f"{name}/".startswith(f"{old}/") else name


def _text(word: str) -> str:
    return os.fsdecode(bytes.fromhex(word.replace("\\x", ""))) if word.startswith("\\x") else word
