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
from tests.torture.gauntlet.scenario import (
    HOSTILE,
    Scenario,
    Step,
    case,
    cli,
    done,
    edits,
    free,
    hold,
    put,
    works,
)
from tests.torture.size import size

STATE, JOURNAL = "state.json", "journal.jsonl"
BIG = size(commit=5_000_000, long=100_000_000)  # bytes
GARBAGE = [
    b"",
    b"not json",
    b"[]",
    b"null",
    b"7",
    b'"text"',
    b"\xff\xfe\x00",
    b"{" * 50_000,
    b'{"a":' * 5_000,
    b"\0" * 4096,
]
TORN = b'{"v":1,"seq":'
ODD: list[Any] = [
    None,
    True,
    -1,
    10**400,
    1e308,
    "",
    "x",
    [],
    {},
    [[[]]],
    {"a": {"b": None}},
    [None, 7, "x"],
]


def is_set_aside(one: Scenario) -> None:
    kept = one.dot / "aside"
    one.judge(
        kept.is_dir() and any(kept.iterdir()),
        "state lost",
        "what could not be read was thrown away",
    )


def leaves_journal_alone(one: Scenario) -> None:
    """A journal that cannot be trusted lets the agent go, is told of, and is not touched."""
    before = (one.dot / JOURNAL).read_bytes()
    free("hm", told="loop doctor")(one)
    free(told="loop doctor")(one)
    one.judge((one.dot / JOURNAL).read_bytes() == before, "state lost", "the journal was touched")


def deletes(name: str) -> Step:
    return lambda one: (one.dot / name).unlink()


def truncated_bytes(name: str) -> Any:
    return lambda one: (data := (one.dot / name).read_bytes())[
        : one.chance.randrange(1, len(data) - 2)
    ]


def flipped_bytes(one: Scenario) -> bytes:
    data = bytearray((one.dot / JOURNAL).read_bytes())
    for _ in range(one.chance.randint(1, 20)):
        data[one.chance.randrange(len(data))] ^= 1 << one.chance.randrange(7)
    return bytes(data)


def wrong_types(one: Scenario) -> bytes:
    *lines, last = (one.dot / JOURNAL).read_bytes().splitlines(keepends=True)
    wrong = {
        one.chance.choice(["seq", "prev", "events", "v", "whole", "mirror"]): one.chance.choice(
            [*ODD, 99]
        )
    }
    return b"".join(lines) + json.dumps({**json.loads(last), **wrong}).encode() + b"\n"


def odd_types(one: Scenario) -> None:
    one.here.edit_state(**{name: one.chance.choice(ODD) for name in one.here.state})


def hostile(one: Scenario) -> bytes:
    names = [*one.here.state, *(text[:50] for text in HOSTILE)]
    texts = {
        name: one.chance.choice([text := one.chance.choice(HOSTILE), [text], {text: text}])
        for name in names
    }
    return json.dumps({**texts, "status": "in_progress"}).encode()


def grows_journal(one: Scenario) -> None:
    tail, file = journal.read(one.here.folder.journal_path), open(one.dot / JOURNAL, "ab")  # noqa: SIM115
    while tail.size < BIG:
        event = OrderRefused(one.chance.choice(HOSTILE)[:5000], "agent")
        data = journal.encode_move(tail, tail.loop, (event,), tail.mirror_digest, time.time(), "x")
        file.write(data)
        tail = tail.but(
            seq=tail.seq + 1,
            head=digest(data[:-1]),
            previous_mirror_digest=tail.mirror_digest,
            size=tail.size + len(data),
        )
    file.close()
    one.here.folder.write_note(tail.loop.id, tail.head, tail.head)


def links_state(one: Scenario) -> None:
    (outside := one.beside / "outside").write_text(
        one.chance.choice(["not yours\n", (one.dot / STATE).read_text()])
    )
    before = outside.read_text()
    (one.dot / STATE).unlink()
    (one.dot / STATE).symlink_to(outside)
    one.stops("hm", None)
    one.judge(outside.read_text() == before, "injection", "a link was written through")


GOES_ON = (hold(), done, free())
RECOVERS = (hold(), is_set_aside, done, free())
TABLE = {
    "state deleted": case("running", works, deletes(STATE), free(told="deleted"), free(), cli("continue"), edits, hold()),
    "state truncated": case("proven", works, put(STATE, truncated_bytes(STATE)), *RECOVERS),
    "state corrupted": case("proven", *[put(STATE, lambda one: one.chance.choice(GARBAGE)), edits, hold()] * 3, done, free()),
    "state empty": case("proven", works, put(STATE, b""), *RECOVERS),
    "state of wrong types": case("running", *[odd_types, edits, hold()] * 3),
    "state huge": case("proven", works, put(STATE, b'{"spec": "' + b"x" * BIG), *RECOVERS),
    "hostile text in every field": case("running", works, put(STATE, hostile), edits, hold()),
    "state a folder": case("proven", works, deletes(STATE), lambda one: (one.dot / STATE).mkdir(), *RECOVERS),
    "state a pipe": case("unreadable", works, deletes(STATE), lambda one: os.mkfifo(one.dot / STATE), leaves_journal_alone),
    "state symlinked": case("proven", works, links_state, done, free()),
    "folder deleted": case("none", works, lambda one: shutil.rmtree(one.dot), free(), free()),
    "journal deleted": case("none", works, deletes(JOURNAL), free(told="loop restore"), free()),
    "journal truncated": case("unreadable", works, put(JOURNAL, truncated_bytes(JOURNAL)), leaves_journal_alone),
    "journal corrupted": case("unreadable", works, put(JOURNAL, flipped_bytes), leaves_journal_alone),
    "journal of wrong types": case("unreadable", works, put(JOURNAL, wrong_types), leaves_journal_alone),
    "journal garbage": case("unreadable", works, put(JOURNAL, lambda one: one.chance.choice(GARBAGE)), leaves_journal_alone),
    "journal torn": case("proven", works, put(JOURNAL, lambda one: (one.dot / JOURNAL).read_bytes() + TORN), *GOES_ON),
    "journal huge": case("proven", works, grows_journal, *GOES_ON),
}  # fmt: skip
