"""A disk that loses its power. What it may forget:

Bytes of a file are safe after an fsync of that file, names after one of their folder. Of all else the disk "any" keeps what it
likes, name by name, in no order. "ext4" has one journal: an fsync of anything makes every name before it safe, and names stay in
order; bytes that nobody waited for may be gone all the same (as with noauto_da_alloc). On both, a file's own bytes are kept in
order and an append may be torn, a write over old bytes is there or not, a rename is one thing, folders stay with their files.
A place that was reserved for bytes is kept like a name, and reads as zero bytes until they are written.
"""

from __future__ import annotations

import os
import random
from collections import defaultdict
from collections.abc import Sequence

from tests.torture.power.trace import Op, renamed_path

NAMES, BYTES = ("create", "rename", "unlink", "reserve"), ("write", "empty", "cut")
LOSSES = ("all lost", "all there", "names without bytes")  # and a number is the seed of a mixture
Files = dict[str, bytes]


class Disk:
    def __init__(self, ops: Sequence[Op], rule: str) -> None:
        self.ops, self.rule = ops, rule
        syncs = [number for number, op in enumerate(ops) if op.kind == "fsync"]
        self._safe = [
            next((n for n in syncs if n > i and self._saves(ops[n], op)), len(ops))
            for i, op in enumerate(ops)
        ]

    def _saves(self, sync: Op, op: Op) -> bool:
        if op.kind in BYTES:
            return sync.file == op.file
        return self.rule == "ext4" or sync.path == os.path.dirname(op.to or op.path)

    def surviving_files(self, done: int, fate: str | int) -> Files:
        """What is found when the power goes after so many operations."""
        chance = random.Random(fate)
        there = {number for number in range(done) if self._safe[number] < done}
        pending = [number for number in range(done) if number not in there]
        names = [number for number in pending if self.ops[number].kind in NAMES]
        written = [number for number in pending if self.ops[number].kind in BYTES]
        if fate in LOSSES:
            return self._replay(
                there.union(pending if fate == LOSSES[1] else names if fate == LOSSES[2] else ())
            )
        often, most = chance.choice((0.1, 0.5, 0.9)), chance.randint(0, len(names))
        there |= {
            n
            for i, n in enumerate(names)
            if (i < most if self.rule == "ext4" else chance.random() < often)
        }
        torn: dict[int, float] = {}
        for file in {self.ops[number].file: None for number in written}:
            writes = [number for number in written if self.ops[number].file == file]
            count = chance.choice((0, chance.randint(0, len(writes)), len(writes)))
            there |= {*writes[:count]}
            torn |= {number: chance.random() for number in writes[count : count + 1]}
        return self._replay(there, torn)

    def _replay(self, there: set[int], torn: dict[int, float] | None = None) -> Files:
        names: dict[str, int] = {}
        files: dict[int, bytearray] = defaultdict(bytearray)
        for number in sorted(there.union(torn or ())):
            op = self.ops[number]
            body = files[op.file]
            if op.kind == "create":
                names[op.path] = op.file
            elif op.kind == "unlink":
                names.pop(op.path, None)
            elif op.kind == "rename":
                names = {
                    renamed_path(name, op.path, op.to): file
                    for name, file in names.items()
                    if name != op.to
                }
                names |= {op.to: op.file} if op.file else {}
            elif number not in there:
                body += (
                    op.data[: int(torn[number] * len(op.data))]
                    if torn and op.at in (-1, len(body))
                    else b""
                )
            elif op.kind == "empty":
                body.clear()
            elif op.kind == "cut":
                del body[op.at :]
            elif op.kind == "reserve":
                body += bytes(max(0, op.at - len(body)))
            elif op.kind == "write":
                at = op.at if op.at >= 0 else len(body)
                body[at : at + len(op.data)] = op.data
        return {name: bytes(files[file]) for name, file in names.items()}
