"""What becomes of state.json and of the journal: deleted, cut off, edited, grown, replaced, full of bad words."""

from __future__ import annotations

import json
import os
import shutil
import time
from typing import Any

from loopwright.core.events import OrderRefused
from loopwright.core.record import digest
from loopwright.store import journal
from tests.torture.gauntlet.arena import HOSTILE, Play, Step, case, cli, done, edits, free, hold, put, works
from tests.torture.size import size

STATE, JOURNAL = "state.json", "journal.jsonl"
BIG = size(commit=5_000_000, long=100_000_000)  # bytes
GARBAGE = [b"", b"not json", b"[]", b"null", b"7", b'"text"', b"\xff\xfe\x00", b"{" * 50_000, b'{"a":' * 5_000, b"\0" * 4096]
TORN = b'{"v":1,"seq":'
ODD: list[Any] = [None, True, -1, 10**400, 1e308, "", "x", [], {}, [[[]]], {"a": {"b": None}}, [None, 7, "x"]]


def set_aside(one: Play) -> None:
    kept = one.dot / "aside"
    one.judge(kept.is_dir() and any(kept.iterdir()), "state lost", "what could not be read was thrown away")


def left_alone(one: Play) -> None:
    """A journal that cannot be trusted lets the agent go, is told of, and is not touched."""
    before = (one.dot / JOURNAL).read_bytes()
    free("hm", told="loop doctor")(one)
    free(told="loop doctor")(one)
    one.judge((one.dot / JOURNAL).read_bytes() == before, "state lost", "the journal was touched")


def gone(name: str) -> Step:
    return lambda one: (one.dot / name).unlink()


def cut(name: str) -> Any:
    return lambda one: (data := (one.dot / name).read_bytes())[: one.chance.randrange(1, len(data) - 2)]


def flipped(one: Play) -> bytes:
    data = bytearray((one.dot / JOURNAL).read_bytes())
    for _ in range(one.chance.randint(1, 20)):
        data[one.chance.randrange(len(data))] ^= 1 << one.chance.randrange(7)
    return bytes(data)


def wrong_types(one: Play) -> bytes:
    *lines, last = (one.dot / JOURNAL).read_bytes().splitlines(keepends=True)
    wrong = {one.chance.choice(["seq", "prev", "events", "v", "whole", "mirror"]): one.chance.choice([*ODD, 99])}
    return b"".join(lines) + json.dumps({**json.loads(last), **wrong}).encode() + b"\n"


def odd_types(one: Play) -> None:
    one.here.edit_state(**{name: one.chance.choice(ODD) for name in one.here.state})


def hostile(one: Play) -> bytes:
    names = [*one.here.state, *(text[:50] for text in HOSTILE)]
    texts = {name: one.chance.choice([text := one.chance.choice(HOSTILE), [text], {text: text}]) for name in names}
    return json.dumps({**texts, "status": "in_progress"}).encode()


def grown(one: Play) -> None:
    tail, file = journal.read(one.here.folder.journal), open(one.dot / JOURNAL, "ab")  # noqa: SIM115
    while tail.size < BIG:
        event = OrderRefused(one.chance.choice(HOSTILE)[:5000], "agent")
        data = journal.line(tail, tail.loop, (event,), tail.mirror, time.time(), "x")
        file.write(data)
        tail = tail.but(seq=tail.seq + 1, head=digest(data[:-1]), mirror_before=tail.mirror, size=tail.size + len(data))
    file.close()
    one.here.folder.note(tail.loop.id, tail.head, tail.head)


def linked(one: Play) -> None:
    (outside := one.beside / "outside").write_text(one.chance.choice(["not yours\n", (one.dot / STATE).read_text()]))
    before = outside.read_text()
    (one.dot / STATE).unlink()
    (one.dot / STATE).symlink_to(outside)
    one.stops("hm", None)
    one.judge(outside.read_text() == before, "injection", "a link was written through")


GOES_ON = (hold(), done, free())
MENDED = (hold(), set_aside, done, free())
TABLE = {
    "state deleted": case("running", works, gone(STATE), free(told="deleted"), free(), cli("continue"), edits, hold()),
    "state truncated": case("proven", works, put(STATE, cut(STATE)), *MENDED),
    "state corrupted": case("proven", *[put(STATE, lambda one: one.chance.choice(GARBAGE)), edits, hold()] * 3, done, free()),
    "state empty": case("proven", works, put(STATE, b""), *MENDED),
    "state of wrong types": case("running", *[odd_types, edits, hold()] * 3),
    "state huge": case("proven", works, put(STATE, b'{"spec": "' + b"x" * BIG), *MENDED),
    "hostile text in every field": case("running", works, put(STATE, hostile), edits, hold()),
    "state a folder": case("proven", works, gone(STATE), lambda one: (one.dot / STATE).mkdir(), *MENDED),
    "state a pipe": case("unreadable", works, gone(STATE), lambda one: os.mkfifo(one.dot / STATE), left_alone),
    "state symlinked": case("proven", works, linked, done, free()),
    "folder deleted": case("none", works, lambda one: shutil.rmtree(one.dot), free(), free()),
    "journal deleted": case("none", works, gone(JOURNAL), *[free(told="loop doctor")] * 2),
    "journal truncated": case("unreadable", works, put(JOURNAL, cut(JOURNAL)), left_alone),
    "journal corrupted": case("unreadable", works, put(JOURNAL, flipped), left_alone),
    "journal of wrong types": case("unreadable", works, put(JOURNAL, wrong_types), left_alone),
    "journal garbage": case("unreadable", works, put(JOURNAL, lambda one: one.chance.choice(GARBAGE)), left_alone),
    "journal torn": case("proven", works, put(JOURNAL, lambda one: (one.dot / JOURNAL).read_bytes() + TORN), *GOES_ON),
    "journal huge": case("proven", works, grown, *GOES_ON),
}  # fmt: skip
