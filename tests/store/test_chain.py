"""The chain: whatever is done to a journal is found, with the line; and the driver of the loop never goes on from it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.core.json_text import dumps
from loopwright.core.record import digest
from loopwright.core.signals import Ordered
from loopwright.drive.step import step
from loopwright.store import chain, folder, journal
from tests.support.builders import a_loop
from tests.support.project import Project

Lines = list[bytes]


@pytest.fixture
def five_line_project(tmp_path: Path) -> Project:
    """A loop with five lines in its journal."""
    made = Project(tmp_path / "here", git=False)
    made.create(a_loop(id="20261115-100000-abcdef"))
    for number in range(4):
        step(made.folder, Ordered(2_000.0 + number, "steer", reason=f"word {number}"))
    return made


def edit(lines: Lines, at: int) -> Lines:
    return [*lines[:at], lines[at].replace(b"word", b"wort"), *lines[at + 1 :]]


def refit(lines: Lines) -> Lines:
    """Every line made to fit to the one before it."""
    found: Lines = []
    for line in lines:
        start = line.index(b'"prev":"') + 8
        prev = digest(found[-1].rstrip(b"\n")).encode() if found else b""
        found.append(line[:start] + prev + line[line.index(b'"', start) :])
    return found


EDITS: dict[str, tuple[Callable[[Lines], Lines], str]] = {
    "a line in the middle": (
        lambda rows: edit(rows, 2),
        "line 3 was edited, or lines before 4 are gone",
    ),
    "a line is taken out": (
        lambda rows: [*rows[:2], *rows[3:]],
        "line 2 was edited, or lines before 3 are gone",
    ),
    "two lines change places": (
        lambda rows: [rows[0], rows[2], rows[1], *rows[3:]],
        "line 1 was edited, or lines before 2 are gone",
    ),
    "the first line is gone": (lambda rows: rows[1:], "its first line is gone"),
    "garbage": (lambda rows: [*rows[:3], b"garbage\n", *rows[4:]], "line 4 cannot be read"),
    "all of it is gone": (lambda rows: [], "it is empty"),
}


@pytest.mark.parametrize(("change", "words"), EDITS.values(), ids=EDITS.keys())
def test_each_edit_is_found_with_its_line(five_line_project: Project, change, words) -> None:
    path = Path(five_line_project.folder.journal_path)
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))

    assert words in chain.chain_errors(str(path))


def test_a_journal_that_nobody_touched_has_nothing_to_say(five_line_project: Project) -> None:
    assert chain.chain_errors(five_line_project.folder.journal_path) == []


CHANGED: dict[str, Callable[[Lines], Lines]] = {
    "cut off at a line": lambda rows: rows[:-1],
    "cut off in the middle of one": lambda rows: [*rows[:-1], rows[-1][:30]],
    "one more, and it fits": lambda rows: refit([*rows, rows[-1].replace(b'"seq":5', b'"seq":6')]),
    "an edit, and all after it made to fit": lambda rows: refit(edit(rows, 1)),
}


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED.keys())
def test_nobody_goes_on_from_a_journal_that_is_not_as_we_left_it(
    five_line_project: Project, change
) -> None:
    path = Path(five_line_project.folder.journal_path)
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))
    was = path.read_bytes()

    with pytest.raises(journal.JournalChanged, match="`loop audit` says where"):
        step(five_line_project.folder, Ordered(3_000.0, "pause"))

    assert path.read_bytes() == was


def test_who_has_read_it_may_take_it_as_it_is(five_line_project: Project) -> None:
    path = Path(five_line_project.folder.journal_path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))

    assert five_line_project.run("pause").code == 1
    assert five_line_project.run("allow", "--yes").code == 0
    assert five_line_project.run("pause").code == 0


def test_a_note_that_is_one_line_ahead_is_our_own_death(five_line_project: Project) -> None:
    """We note what we are about to write, then write it; killed in between, the journal ends with the line before."""
    tail = journal.read(five_line_project.folder.journal_path)
    five_line_project.folder.write_note(tail.loop.id, "0" * 32, tail.head)

    step(five_line_project.folder, Ordered(3_000.0, "pause"))

    assert five_line_project.loop.status == "paused"


def test_only_a_power_cut_may_leave_the_note_behind(
    five_line_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads = [
        digest(line)
        for line in Path(five_line_project.folder.journal_path).read_bytes().splitlines()
    ]
    five_line_project.folder.write_note(five_line_project.loop.id, heads[2], heads[1])
    with pytest.raises(journal.JournalChanged):
        step(five_line_project.folder, Ordered(3_000.0, "pause"))

    monkeypatch.setattr(folder, "boot_id", lambda: "another start of the machine")
    step(five_line_project.folder, Ordered(3_000.0, "pause"))
    assert five_line_project.loop.status == "paused"


@pytest.mark.parametrize(("boot", "status"), [("", "paused"), ("another", "running")])
def test_an_older_mirror_is_an_edit_unless_a_power_cut_left_it(
    five_line_project: Project, monkeypatch, boot: str, status: str
) -> None:
    step(five_line_project.folder, Ordered(3_000.0, "pause"))
    older = Path(five_line_project.folder.mirror_path).read_bytes()
    for number in range(2):
        step(
            five_line_project.folder,
            Ordered(3_001.0 + number, "continue" if not number else "steer", reason="on"),
        )
    Path(five_line_project.folder.mirror_path).write_bytes(older)
    if boot:
        monkeypatch.setattr(folder, "boot_id", lambda: boot)

    step(five_line_project.folder, Ordered(3_003.0, "steer", reason="on"))

    assert five_line_project.loop.status == status


@pytest.mark.parametrize("left", [b"", b"\0" * 900, b'{\n  "spec": "x\0\0\0'])
def test_a_mirror_whose_bytes_a_power_cut_took_is_written_again(
    five_line_project: Project, monkeypatch: pytest.MonkeyPatch, left: bytes
) -> None:
    whole = Path(five_line_project.folder.mirror_path).read_bytes()
    Path(five_line_project.folder.mirror_path).write_bytes(left)
    monkeypatch.setattr(folder, "boot_id", lambda: "another start of the machine")

    with five_line_project.folder.locked() as book:
        assert book.inbox == ()

    assert Path(five_line_project.folder.mirror_path).read_bytes() == whole


@pytest.mark.parametrize(("boot", "status"), [("", "paused"), ("another", "running")])
def test_a_power_cut_before_the_first_mirror_is_nobody_deleting_it(
    tmp_path: Path, monkeypatch, boot: str, status: str
) -> None:
    here = Project(tmp_path / "here", git=False)
    here.create(a_loop())
    Path(here.folder.mirror_path).unlink()
    if boot:
        monkeypatch.setattr(folder, "boot_id", lambda: boot)

    step(here.folder, Ordered(3_000.0, "steer", reason="on"))

    assert here.loop.status == status


def test_the_note_is_written_in_its_place_so_that_no_power_cut_leaves_it_empty(
    five_line_project: Project,
) -> None:
    before = Path(five_line_project.folder.note_path).stat().st_ino

    step(five_line_project.folder, Ordered(3_000.0, "pause"))

    assert Path(five_line_project.folder.note_path).stat().st_ino == before


def test_an_audit_after_a_power_cut_takes_the_last_lines_for_ours(
    five_line_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads = [
        digest(line)
        for line in Path(five_line_project.folder.journal_path).read_bytes().splitlines()
    ]
    five_line_project.folder.write_note(five_line_project.loop.id, heads[2], heads[1])
    assert "lines were added at its end" in five_line_project.run("audit").out

    monkeypatch.setattr(folder, "boot_id", lambda: "another start of the machine")
    assert "✗" not in five_line_project.run("audit").out


def test_a_note_of_an_earlier_version_is_believed_once(five_line_project: Project) -> None:
    Path(five_line_project.folder.note_path).write_text(
        f"{five_line_project.loop.id}\n{five_line_project.root}\n0000\n"
    )

    step(five_line_project.folder, Ordered(3_000.0, "pause"))

    assert len(Path(five_line_project.folder.note_path).read_text().split("\n")) == 6


ENDED: dict[str, tuple[Callable[[Lines], Lines], str]] = {
    "cut off": (lambda rows: rows[:-2], "cut off after line 4: it had 6"),
    "added to": (
        lambda rows: refit([*rows, rows[-1].replace(b'"seq":6', b'"seq":7')]),
        "lines after 6 were added",
    ),
    "rewritten": (lambda rows: refit(edit(rows, 1)), "line 6 is not the one that was written"),
    "untouched": (lambda rows: rows, ""),
}


@pytest.mark.parametrize(("change", "words"), ENDED.values(), ids=ENDED.keys())
def test_an_ended_journal_is_held_against_what_is_kept_outside(
    five_line_project: Project, change, words
) -> None:
    step(five_line_project.folder, Ordered(3_000.0, "cancel"))
    path = (
        Path(five_line_project.folder.path)
        / "history"
        / five_line_project.ended.id
        / "journal.jsonl"
    )
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))

    found = chain.differences_from_seal(str(path), *chain.sealed_end("20261115-100000-abcdef"))

    assert [words in problem for problem in found] == ([True] if words else [])


def test_a_journal_from_elsewhere_has_no_head_here(five_line_project: Project) -> None:
    assert chain.differences_from_seal(
        five_line_project.folder.journal_path, *chain.sealed_end("somebody-elses")
    ) == [chain.NO_HEAD]


def test_a_line_with_a_wrong_number_is_named_though_it_is_chained(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    first = journal.encode_move(None, a_loop(), (), "", 1.0, "")
    second = {"seq": 5, "prev": digest(first[:-1])}
    path.write_bytes(first + dumps(second).encode() + b"\n")

    assert chain.chain_errors(str(path)) == ["line 2 says that it is line 5"]


def test_both_heads_of_a_note_are_known_and_without_a_note_none(tmp_path: Path) -> None:
    here = folder.LoopFolder(str(tmp_path))
    assert chain.noted_heads(here) == ()
    os.makedirs(os.path.dirname(here.note_path))
    here.write_note("loop-1", "head", "before")

    assert chain.noted_heads(here) == ("head", "before")


def test_the_record_of_another_folder_is_named_and_a_moved_folder_is_the_same(
    five_line_project: Project, tmp_path: Path
) -> None:
    loop_id = five_line_project.loop.id
    assert chain.place_problem(five_line_project.folder, loop_id) == "", "it has not ended"
    five_line_project.run("cancel")
    other = Project(tmp_path / "other", git=False)

    assert chain.place_problem(five_line_project.folder, loop_id) == ""
    assert str(five_line_project.root) in chain.place_problem(other.folder, loop_id)
    moved = tmp_path / "moved"
    five_line_project.root.rename(moved)
    assert chain.place_problem(Project(moved, git=False).folder, loop_id) == ""
