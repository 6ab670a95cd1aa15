"""The journal: what was written is read back, a torn end is survived, and nothing else is guessed at."""

from __future__ import annotations

import errno
import json
import os
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from loopwright.core import events as ev
from loopwright.core.engine import advance
from loopwright.core.loop import Loop
from loopwright.core.record import Record, digest, encode
from loopwright.disk import files
from loopwright.store import journal, journal_moves
from loopwright.store.journal import JournalError, NewerFormat, Tail
from loopwright.store.moment import Moment
from tests.support.builders import a_loop, a_loop_without_checks, order

NAME = (
    "" if sys.platform == "win32" else " fsync"
)  # of a new name in its folder; Windows opens none
LOOP = a_loop(spec='say "hi" – ünïcode 🎉\nand a second line')


def a_journal(path: Path, lines: int, loop: Loop = LOOP) -> Tail:
    """A start and then one refused order a line."""
    data = journal.encode_move(None, loop, (ev.LoopStarted(loop),), "mirror-1", 1000.0, "start")
    journal.append_line(str(path), data, None)
    for _ in range(lines - 1):
        add(path)
    return journal.read(str(path))


def add(path: Path, *events: Record) -> Tail:
    tail = journal.read(str(path))
    told = events or (ev.StepAdded(f"step {tail.seq + 1}"),)
    loop = tail.loop
    for event in told:
        loop = event.apply(loop)
    data = journal.encode_move(
        tail, loop, told, f"mirror-{tail.seq + 1}", 1000.0 + tail.seq, "signal"
    )
    journal.append_line(str(path), data, tail)
    return journal.read(str(path))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def test_what_is_written_is_read_back(path: Path) -> None:
    tail = a_journal(path, 3)

    assert tail.loop.but(steps=()) == LOOP
    assert [step.name for step in tail.loop.steps] == ["step 2", "step 3"]
    assert (tail.seq, tail.mirror_digest, tail.previous_mirror_digest) == (
        3,
        "mirror-3",
        "mirror-2",
    )
    assert tail.size == path.stat().st_size


def test_one_line_is_one_move_with_all_that_rule_4_names(path: Path) -> None:
    a_journal(path, 2)
    first, second = [json.loads(line) for line in path.read_text().splitlines()]

    assert set(first) == {"v", "by", "seq", "prev", "at", "fence", "signal", "mirror", "events"}
    assert (first["v"], first["seq"], first["prev"]) == (2, 1, "")
    assert second["prev"] == digest(path.read_bytes().splitlines()[0])


@pytest.mark.parametrize(
    "torn", [b'{"v":1,"seq":3,"prev":"ab', b'{"v":1', b"\0\0\0\0", b"{", b"half a line \xff\xfe"]
)
def test_a_torn_last_line_is_set_aside_and_the_loop_goes_on(path: Path, torn: bytes) -> None:
    before = a_journal(path, 2)
    with open(path, "ab") as file:
        file.write(torn)

    assert journal.read(str(path)) == before
    after = add(path)

    assert after.seq == 3
    assert Path(f"{path}.torn-{before.size}").read_bytes() == torn
    assert len(path.read_bytes().splitlines()) == 3


@pytest.mark.parametrize(
    "garbage", [b"\0" * 100, b"not json", b'{"v":1,"seq":"three"}', b"[]", b'{"half": ']
)
def test_a_last_line_of_garbage_is_a_write_that_power_loss_cut_short(
    path: Path, garbage: bytes
) -> None:
    before = a_journal(path, 2)
    with open(path, "ab") as file:
        file.write(garbage + b"\n")

    assert journal.read(str(path)).seq == 2
    assert add(path).seq == 3
    assert Path(f"{path}.torn-{before.size}").read_bytes() == garbage + b"\n"


@pytest.mark.parametrize("line", [0, 1, 2, 3])
def test_a_changed_byte_in_the_middle_is_an_error_and_the_file_stays_untouched(
    path: Path, line: int
) -> None:
    a_journal(path, 5)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[line] = lines[line].replace(b'"signal":"s', b'"signal":"z')
    broken = b"".join(lines)
    path.write_bytes(broken)

    with pytest.raises(JournalError, match="the chain is broken before line"):
        journal.read(str(path))
    assert path.read_bytes() == broken


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda lines: [*lines[:2], *lines[3:]], id="a line taken out"),
        pytest.param(lambda lines: [*lines[:2], lines[1], *lines[2:]], id="a line twice"),
        pytest.param(
            lambda lines: [lines[0], lines[2], lines[1], *lines[3:]], id="two lines swapped"
        ),
        pytest.param(lambda lines: [*lines[:2], b"garbage\n", *lines[3:]], id="a line overwritten"),
        pytest.param(lambda lines: lines[1:], id="the start taken out"),
        pytest.param(lambda lines: [b"garbage\n"], id="nothing but garbage"),
        pytest.param(lambda lines: [], id="empty"),
    ],
)
def test_a_journal_that_does_not_add_up_is_an_error(path: Path, spoil) -> None:
    a_journal(path, 5)
    path.write_bytes(b"".join(spoil(path.read_bytes().splitlines(keepends=True))))

    with pytest.raises(JournalError):
        journal.read(str(path))


@pytest.mark.parametrize(
    "event", [{"is": "NoSuchEvent"}, {"is": "LoopPaused"}, {"no": "kind"}, "text", None, 7]
)
def test_an_event_that_nobody_knows_is_an_error_not_a_crash(path: Path, event: object) -> None:
    tail = a_journal(path, 2)
    entry = {
        "v": 1,
        "seq": 3,
        "prev": tail.head,
        "at": 1.0,
        "fence": 1,
        "signal": "",
        "mirror": "",
        "events": [event],
    }
    with open(path, "ab") as file:
        file.write(json.dumps(entry).encode() + b"\n" + b'{"v":1,"seq":4}\n')

    with pytest.raises(JournalError):
        journal.read(str(path))


def test_a_newer_format_is_named_as_such(path: Path) -> None:
    tail = a_journal(path, 2)
    entry = {"v": 3, "seq": 3, "prev": tail.head, "events": [{"is": "FromTheFuture"}]}
    with open(path, "ab") as file:
        file.write(json.dumps(entry).encode() + b"\n")

    with pytest.raises(
        NewerFormat,
        match=r"written by a later version of Loopwright \(format 3\); install that version$",
    ):
        journal.read(str(path))


# --- the whole loop in every WHOLE_EVERYth line ---

WHOLE, LARGE = journal.WHOLE_EVERY, journal.LARGE_EVERY


def test_every_so_many_lines_one_carries_the_whole_loop(path: Path) -> None:
    tail = a_journal(path, 2 * WHOLE + 2)
    lines = [json.loads(line) for line in path.read_text().splitlines()]

    assert [line["seq"] for line in lines if "whole" in line] == [WHOLE, 2 * WHOLE]
    following = [ev.StepAdded(f"step {2 * WHOLE + n}") for n in (1, 2)]
    assert tail.loop == following[1].apply(
        following[0].apply(journal.decode(lines[2 * WHOLE - 1]["whole"]))
    )


def test_a_large_loop_is_repeated_less_often(path: Path) -> None:
    a_journal(path, 2 * LARGE, a_loop_without_checks("a", spec="x" * journal.LARGE_BYTES))
    lines = [json.loads(line) for line in path.read_text().splitlines()]

    assert [line["seq"] for line in lines if "whole" in line] == [LARGE, 2 * LARGE]


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(
            lambda line: line.replace(b'"signal":"s', b'"signal":"z'), id="a byte changed"
        ),
        pytest.param(lambda line: b"garbage\n", id="not JSON"),
        pytest.param(lambda line: b"\0" * (len(line) - 1) + b"\n", id="zeroes"),
    ],
)
@pytest.mark.parametrize("number", [1, LARGE // 2, LARGE - 2])
def test_opening_reads_no_further_than_the_last_sixteenth_line_and_the_one_before_it(
    path: Path, number: int, spoil
) -> None:
    before = a_journal(path, LARGE + 5)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[number - 1] = spoil(lines[number - 1])
    path.write_bytes(b"".join(lines))

    assert journal.read(str(path)).loop == before.loop
    assert add(path).seq == LARGE + 6


@pytest.mark.parametrize("number", [LARGE, LARGE + 2, LARGE + WHOLE, LARGE + WHOLE + 1])
def test_what_comes_after_the_last_sixteenth_line_is_verified(path: Path, number: int) -> None:
    a_journal(path, LARGE + WHOLE + 3)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[number - 1] = lines[number - 1].replace(b'"signal":"s', b'"signal":"z')
    path.write_bytes(b"".join(lines))

    with pytest.raises(JournalError):
        journal.read(str(path))


def test_lines_larger_than_a_chunk_are_read_whole(path: Path) -> None:
    a_journal(path, 3, a_loop_without_checks("a", spec="x" * 150_000))
    tail = add(path, ev.ErrorSeen("y" * 200_000))

    assert len(tail.loop.spec) == 150_000
    assert len(tail.loop.dialogue.errors[0]) == 200_000


def test_a_torn_whole_line_falls_back_to_the_lines_before(path: Path) -> None:
    before = a_journal(path, 2 * WHOLE - 1)
    assert add(path).seq == 2 * WHOLE
    path.write_bytes(path.read_bytes()[:-50])

    assert journal.read(str(path)).loop == before.loop


def test_a_whole_loop_says_the_same_as_its_events(path: Path) -> None:
    a_journal(path, WHOLE)
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    loop = LOOP
    for entry in entries[1:]:
        for plain in entry["events"]:
            loop = journal.decode(plain).apply(loop)

    assert encode(loop) == entries[-1]["whole"]


# --- killed in the middle of a write ---


def test_a_draft_that_a_killed_writer_left_goes_with_the_next_write(tmp_path: Path) -> None:
    (tmp_path / "state.json.tmp").write_text("half of")
    files.write_atomic(str(tmp_path / "state.json"), b"whole")

    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [
        ("state.json", "whole")
    ]


def test_a_draft_that_is_a_link_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text("precious")
    (tmp_path / "state.json.tmp").symlink_to("theirs")
    files.write_atomic(str(tmp_path / "state.json"), b"ours")

    assert (tmp_path / "theirs").read_text() == "precious"
    assert (tmp_path / "state.json").read_text() == "ours"


def test_a_journal_is_there_with_its_first_line_or_not_at_all(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between the two it was an empty file: neither could the loop go on, nor could another be started."""

    def no_room(fd: int, data: bytes, path_of_draft: str) -> None:
        assert not path.exists()
        raise OSError("no room")

    monkeypatch.setattr(files, "write_all", no_room)
    with pytest.raises(OSError, match="no room"):
        a_journal(path, 1)

    assert not list(path.parent.iterdir())


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"v": "1"}, id="a format that is a word"),
        pytest.param({"mirror": ["x"]}, id="a mirror that is a list"),
        pytest.param({"events": [{"is": "NoSuchEvent"}]}, id="an event that is none of ours"),
        pytest.param({"events": [7]}, id="an event that is a number"),
        pytest.param({"whole": ["x"]}, id="a loop that is a list"),
    ],
)
def test_a_line_of_the_wrong_kinds_is_an_error_that_names_the_file(
    path: Path, change: dict[str, object]
) -> None:
    a_journal(path, 1)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}) + "\n")

    with pytest.raises(JournalError, match=r"journal\.jsonl"):
        journal.read(str(path))
    if "events" in change:
        with pytest.raises(JournalError, match=r"journal\.jsonl: line 1 makes no sense"):
            list(journal_moves.events_by_move(str(path)))


def test_a_folder_that_cannot_be_synced_is_no_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.sync_folder(str(tmp_path / "nowhere"))
    monkeypatch.setattr(os, "fsync", lambda fd: (_ for _ in ()).throw(OSError(errno.EINVAL, "no")))

    files.sync_folder(str(tmp_path))


def test_every_move_of_a_journal_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(
        journal.encode_move(None, a_loop(), (ev.LoopStarted(a_loop()),), "", 1.0, "") + b'{"torn'
    )

    assert [
        [type(event) for event in move] for move in journal_moves.events_by_move(str(path))
    ] == [[ev.LoopStarted]]


@pytest.mark.parametrize("torn", [b"", b'{"v":1,"se'])
@pytest.mark.parametrize("call", ["write", "fsync"])
def test_a_line_that_the_disk_refuses_is_taken_back(
    path: Path, monkeypatch, call: str, torn: bytes
) -> None:
    a_journal(path, 2)
    before, write = path.read_bytes(), os.write
    path.write_bytes(before + torn)

    def no_room(fd: int, data: bytes = b"") -> int:
        write(fd, data[:10])
        raise OSError(errno.ENOSPC, "no room")

    with monkeypatch.context() as patch:
        patch.setattr(os, call, no_room)
        with pytest.raises(OSError, match="no room"):
            add(path)

    assert path.read_bytes() == before
    assert add(path).seq == 3


@pytest.mark.parametrize(
    ("wrote", "asked"),
    [
        pytest.param(
            lambda path: journal.append_line(path, b"new", None),
            f"write fsync replace{NAME}",
            id="the first line",
        ),
        pytest.param(
            lambda path: journal.append_line(path, b"new", Tail(LOOP, 1, "", "", "", 3)),
            "write fsync",
            id="a line",
        ),
        pytest.param(
            lambda path: files.write_atomic(path, b"new"), "write fsync replace", id="a file"
        ),
        pytest.param(
            lambda path: files.write_atomic(path, b"new", wait=False),
            "write replace",
            id="a file, no waiting",
        ),
        pytest.param(
            lambda path: files.overwrite_in_place(path, b"new", wait=True),
            "write fsync",
            id="in its place",
        ),
        pytest.param(
            lambda path: files.overwrite_in_place(path, b"new", wait=False),
            "write",
            id="in its place, no waiting",
        ),
        pytest.param(
            lambda path: files.rewrite_in_place(path, b"other"), "write", id="what may be lost"
        ),
    ],
)
def test_the_disk_has_the_bytes_before_they_have_their_name(
    path: Path, monkeypatch, wrote, asked: str
) -> None:
    path.write_bytes(b"old")
    heard: list[str] = []
    for name, real in (("write", os.write), ("fsync", os.fsync), ("replace", os.replace)):
        monkeypatch.setattr(
            os, name, lambda *args, name=name, real=real: heard.append(name) or real(*args)
        )
    wrote(str(path))

    assert " ".join(heard) == asked


@pytest.mark.parametrize("data", [b"short", b"longer than before"])
def test_a_file_that_is_rewritten_in_its_place_holds_the_new_bytes_alone(
    path: Path, data: bytes
) -> None:
    path.write_bytes(b"what it held")
    other_name = path.parent / "other"

    files.rewrite_in_place(str(path), data)
    os.link(path, other_name)
    files.rewrite_in_place(str(path), b"new")

    assert (path.read_bytes(), other_name.read_bytes()) == (b"new", data)


def test_a_file_system_that_reserves_nothing_is_written_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "not supported")

    monkeypatch.setattr(os, "posix_fallocate", refuse, raising=False)
    files.write_atomic(str(path), b"new", wait=False)

    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("age", [60.0, 0.0])
def test_a_draft_is_not_waited_for_if_it_is_old_and_not_for_ever_if_it_never_grows_so(
    tmp_path: Path, monkeypatch, age
) -> None:
    (tmp_path / "state.json.tmp").write_text("half of")
    now, sleep, waits = (
        (tmp_path / "state.json.tmp").stat().st_mtime + age,
        time.sleep,
        list[float](),
    )
    monkeypatch.setattr(time, "time", lambda: now)
    monkeypatch.setattr(time, "sleep", lambda seconds: waits.append(seconds) or sleep(seconds))
    files.write_atomic(str(tmp_path / "state.json"), b"whole")

    assert bool(waits) is not bool(age)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [
        ("state.json", "whole")
    ]


def test_a_draft_that_becomes_its_file_while_we_look_at_it_is_no_trouble(
    path: Path, monkeypatch
) -> None:
    Path(f"{path}.tmp").write_bytes(b"theirs")
    lstat = os.lstat
    with monkeypatch.context() as patch:
        patch.setattr(os, "lstat", lambda name: os.replace(name, path) or lstat(name))
        files.write_atomic(str(path), b"ours")

    assert [(file.name, file.read_bytes()) for file in path.parent.iterdir()] == [
        (path.name, b"ours")
    ]


def test_two_that_make_a_folder_at_once_both_have_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mkdir = os.mkdir
    monkeypatch.setattr(os, "mkdir", lambda path, mode: (mkdir(path, mode), mkdir(path, mode)))
    files.make_folder(str(tmp_path / "one/two"))

    assert (tmp_path / "one/two").is_dir()


@pytest.mark.parametrize(
    ("system", "refusals", "moved"),
    [("win32", 3, True), ("win32", 100, False), ("linux", 1, False)],
)
def test_a_rename_that_a_reader_forbids_is_asked_for_again_on_windows_alone(
    path, monkeypatch, system, refusals, moved
) -> None:
    path.write_bytes(b"ours")
    left, rename = [PermissionError] * refusals, os.replace

    def replace(old: str, new: str) -> None:
        if left:
            raise left.pop()
        rename(old, new)

    monkeypatch.setattr(os, "replace", replace)
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(files, "REPLACE_RETRY_SECONDS", 0.2)
    with nullcontext() if moved else pytest.raises(PermissionError):
        files.replace_file(str(path), f"{path}.new")

    assert (path.exists(), Path(f"{path}.new").exists()) == (not moved, moved)


# --- the end of a long journal ---


def long_journal(path: Path, turns: int) -> None:
    """A journal of so many turns, each in two lines."""
    a_journal(path, 1)
    for number in range(turns):
        add(path, ev.TurnEnded(float(number), f"tree-{number}"))
        add(path)


def test_recent_moves_are_the_end_of_all_moves(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    long_journal(path, 60)
    every = list(journal_moves.events_by_move(str(path)))
    before, recent = journal_moves.recent_moves(str(path), 20)
    ended = [event for move in recent for event in move if isinstance(event, ev.TurnEnded)]

    assert before is not None
    assert recent == every[-len(recent) :]
    assert 20 <= len(ended) < 40
    assert before.spend.iterations + len(ended) == journal.read(str(path)).loop.spend.iterations


def test_recent_moves_of_a_short_journal_are_all_moves(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    long_journal(path, 5)

    assert journal_moves.recent_moves(str(path), 20) == (
        None,
        list(journal_moves.events_by_move(str(path))),
    )


def test_recent_moves_that_make_no_sense_are_named(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    long_journal(path, 3)
    path.write_bytes(path.read_bytes().replace(b"TurnEnded", b"TurnMended"))

    with pytest.raises(journal.JournalError, match="its last lines make no sense"):
        journal_moves.recent_moves(str(path), 20)


def test_recent_moves_read_the_end_of_the_file_only(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    long_journal(path, 60)
    data = path.read_bytes()
    # What is before the end is not even looked at: here it cannot be read.
    path.write_bytes(b"\xff" * 10_000_000 + b"\n" + data)

    before, _ = journal_moves.recent_moves(str(path), 20)

    assert before is not None


def test_a_line_has_the_time_awake_and_the_start_of_the_machine() -> None:
    moment = Moment(100.0, 50.0004, "boot-1")

    line = json.loads(journal.encode_move(None, LOOP, (), "", 100.0, "", moment))

    assert (line["awake"], line["boot"]) == (50.0, "boot-1")


# --- the same bytes are replayed once ---


@pytest.fixture
def replays(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The journals that are replayed from now on."""
    replayed: list[str] = []
    replay = journal._replay_tail

    def count(path: str, *args: Any) -> Tail:
        replayed.append(path)
        return replay(path, *args)

    monkeypatch.setattr(journal, "_replay_tail", count)
    return replayed


def test_a_driver_that_writes_and_reads_replays_the_journal_once(
    project, replays: list[str]
) -> None:
    here = project(git=False)
    here.create(a_loop_without_checks("a"))
    here.folder.read_loop()
    replays.clear()
    for number in range(2 * LARGE):
        with here.folder.locked() as book:
            move = advance(book.loop, order("steer", reason=f"number {number}"))
            book.commit(move, order("steer"))
        assert here.folder.read_loop() == book.loop

    assert replays == []
    journal.KNOWN_ENDS.clear()
    assert here.folder.read_loop() == book.loop
    assert len(replays) == 1


def test_other_bytes_are_read_anew_however_like_the_known_ones(path: Path) -> None:
    a_journal(path, 3)
    whole = path.read_bytes()
    status = path.stat()
    path.write_bytes(whole.replace(b'"signal":"s', b'"signal":"z', 1))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    with pytest.raises(JournalError):
        journal.read(str(path))
