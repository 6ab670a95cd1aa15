"""The page on disk: what was edited is read at the next opening, what we know is written, and nothing of either is lost."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.directives import Move
from loopwright.core.engine import advance
from loopwright.core.signals import BacklogEdited, Ordered
from loopwright.drive.step import step
from loopwright.formats.markdown_page import MAX_CHARS, BacklogPage
from loopwright.store.page_file import BACKUP_PATH, HISTORY_PATH, BacklogPageFile
from tests.support.builders import a_discovery_loop
from tests.support.project import Project

A, B = "fix the menu", "name the buttons"


@pytest.fixture
def here(tmp_path: Path) -> Project:
    made = Project(tmp_path / "here", git=False)
    now = time.time()
    made.create(a_discovery_loop(A, B, started_at=now, running_since=now))
    return made


def page_of(here: Project) -> Path:
    return here.root / ".claude/loop-state.local.md"


def shown(here: Project) -> BacklogPage:
    return BacklogPage(page_of(here).read_bytes().decode())


def edit(here: Project, old: str, new: str) -> None:
    data = page_of(here).read_bytes()
    assert data.count(old.encode()) == 1, data
    page_of(here).write_bytes(data.replace(old.encode(), new.encode()))


def look(here: Project) -> tuple[Any, ...]:
    """What the next opening finds."""
    with here.folder.locked() as book:
        return tuple(signal.but(at=0.0) for signal in book.inbox)


def tell(here: Project, **said: Any) -> str:
    """`loop backlog`; without words, any signal at all, so that what waits is heard."""
    signal = (
        BacklogEdited(time.time(), **said)
        if said
        else Ordered(time.time(), "refused", by="agent", reason="nothing")
    )
    return step(here.folder, signal).message


def order(here: Project, word: str) -> str:
    return step(here.folder, Ordered(time.time(), word)).message


def archives(here: Project) -> dict[str, bytes]:
    place = here.root / HISTORY_PATH
    return (
        {path.name: path.read_bytes() for path in sorted(place.iterdir())} if place.exists() else {}
    )


# --- read ---


def test_what_we_wrote_ourselves_is_no_edit(here: Project) -> None:
    assert look(here) == ()
    tell(here, found=("third",))

    assert look(here) == ()
    assert shown(here).open_items == [A, B, "third"]


def test_an_edit_is_heard_at_the_next_opening_and_said_once(here: Project) -> None:
    edit(here, f"- {A}\n- {B}\n", f"- [x] {A}\n- {B}\n- third <!-- mine -->\n")
    assert look(here) == (BacklogEdited(0.0, found=("third",), done=(A,), item_order=(B, "third")),)
    tell(here)

    assert (here.loop.backlog.items, here.loop.backlog.done) == ((B, "third"), (A,))
    assert (here.loop.backlog.found_count, here.loop.backlog.fixed_count) == (1, 1)
    assert look(here) == ()
    assert "- third <!-- mine -->\n" in shown(here).lines


def test_a_comment_is_no_edit_and_stays_where_it_is_put(here: Project) -> None:
    edit(here, f"- {A}\n", f"- {A}\n<!-- ask Ann -->\n")
    assert look(here) == ()
    tell(here, found=("third",))

    assert f"- {A}\n<!-- ask Ann -->\n- {B}\n- third\n" in page_of(here).read_text()


def test_numbers_are_put_back_and_a_raised_limit_is_told(here: Project) -> None:
    edit(here, "max_iterations: 50", "max_iterations: 500")
    edit(here, "issues_found: 0", "issues_found: 77")

    assert "max_iterations" in tell(here)
    assert (
        shown(here).number_field("max_iterations"),
        shown(here).number_field("issues_found"),
    ) == (50, 0)
    assert here.loop.limits.iterations == 50
    assert here.events("TamperingSeen")


@pytest.mark.parametrize(
    "text", ["", "\n", "no heading at all\n", "---\n"], ids=["empty", "a line", "prose", "a rule"]
)
def test_a_page_that_says_nothing_takes_nothing_away(here: Project, text: str) -> None:
    page_of(here).write_text(text)
    tell(here, found=("third",))

    assert here.loop.status == "running"
    assert here.loop.backlog.items == (A, B, "third")
    assert shown(here).open_items == [A, B, "third"]


def test_s23_a_page_saved_with_crlf_is_read_and_stays_so(here: Project) -> None:
    page_of(here).write_bytes(
        page_of(here).read_bytes().replace(b"\n", b"\r\n").replace(B.encode(), b"third")
    )
    tell(here, found=("fourth",))

    data = page_of(here).read_bytes()
    assert here.loop.backlog.items == (A, "third", "fourth")
    assert data.count(b"\n") == data.count(b"\r\n") > 20


# --- write ---


def test_before_each_change_there_is_a_backup_of_what_was_there(here: Project) -> None:
    edit(here, f"- {A}\n", f"- {A} <!-- mine -->\n")
    theirs = page_of(here).read_bytes()
    tell(here, found=("third",))
    assert (here.root / BACKUP_PATH).read_bytes() == theirs

    ours = page_of(here).read_bytes()
    tell(here, done=(A,))
    assert (here.root / BACKUP_PATH).read_bytes() == ours


def test_where_nothing_changes_nothing_is_written(here: Project) -> None:
    before = page_of(here).stat()
    tell(here)

    assert page_of(here).stat().st_mtime_ns == before.st_mtime_ns
    assert not (here.root / BACKUP_PATH).exists()


def test_what_is_saved_between_our_reading_and_our_writing_stands_and_is_read_the_next_time(
    here: Project,
) -> None:
    saved = meanwhile(
        here,
        BacklogEdited(time.time(), found=("ours",)),
        f"- {B}\n",
        f"- {B}\n- theirs <!-- now -->\n",
    )
    assert page_of(here).read_bytes() == saved

    tell(here)
    assert set(here.loop.backlog.items) == {A, B, "ours", "theirs"}
    assert set(shown(here).open_items or []) == {A, B, "ours", "theirs"}
    assert "- theirs <!-- now -->\n" in shown(here).lines


def test_a_note_by_command_outlives_notes_that_are_saved_in_the_same_moment(here: Project) -> None:
    meanwhile(
        here, BacklogEdited(time.time(), new_note="ours"), "## Notes\n", "## Notes\n\ntheirs\n"
    )
    tell(here)

    assert shown(here).section_text("notes") == "theirs\n- ours"


def meanwhile(here: Project, signal: BacklogEdited, old: str, new: str) -> bytes:
    """The signal is told, and somebody saves the page while we are at it."""
    with here.folder.locked() as book:
        move: Move = advance(book.loop, *book.inbox, signal)
        edit(here, old, new)
        saved = page_of(here).read_bytes()
        book.commit(move, signal)
    return saved


# --- lost ---


def test_a_deleted_page_pauses_once_and_going_on_brings_it_back_with_its_comments(
    here: Project,
) -> None:
    edit(here, f"- {A}\n", f"- {A} <!-- mine -->\n")
    tell(here, found=("third",))
    page_of(here).unlink()

    assert "loop-state.local.md was deleted by hand" in tell(here)
    assert here.loop.status == "paused"
    assert tell(here) == ""
    assert not page_of(here).exists()

    order(here, "continue")
    assert here.loop.status == "running"
    assert f"- {A} <!-- mine -->\n- {B}\n- third\n" in page_of(here).read_text()


UNREADABLE = {
    "not utf-8": b"## Backlog\n- \xff\xfe\n",
    "zeros": b"## Backlog\n- a\0b\n",
    "too long": b"- x\n" * (MAX_CHARS // 4 + 1),
}


@pytest.mark.parametrize("data", UNREADABLE.values(), ids=UNREADABLE)
def test_a_page_that_cannot_be_read_is_set_aside_and_rebuilt(here: Project, data: bytes) -> None:
    page_of(here).write_bytes(data)

    said = tell(here)

    assert (
        "loop-state.local.md could not be read. It is kept as .loop/aside/loop-state.local.md and was written again"
        in said
    )
    assert (here.root / ".loop/aside/loop-state.local.md").read_bytes() == data
    assert (here.loop.status, shown(here).open_items) == ("running", [A, B])
    assert look(here) == ()


def test_a_second_one_is_set_aside_beside_the_first(here: Project) -> None:
    for data in (b"\xff", b"\xfe"):
        page_of(here).write_bytes(data)
        tell(here)

    assert sorted(path.read_bytes() for path in (here.root / ".loop/aside").iterdir()) == [
        b"\xfe",
        b"\xff",
    ]


def test_a_page_of_the_longest_kind_is_read_whole(here: Project) -> None:
    room = MAX_CHARS - len(page_of(here).read_text()) - 1
    edit(here, "## Notes\n", "## Notes\n" + "ü" * room + "\n")
    tell(here, found=("third",))

    assert not (here.root / ".loop/aside").exists()
    assert (shown(here).section_text("notes") or "").count("ü") == room


def test_without_the_copy_of_what_we_wrote_nothing_is_lost_or_told_twice(here: Project) -> None:
    tell(here, done=(A,))
    (here.root / ".loop/page.md").unlink()
    tell(here)

    assert (here.loop.backlog.items, here.loop.backlog.done, here.loop.backlog.fixed_count) == (
        (B,),
        (A,),
        1,
    )
    assert len(here.events("ItemsDone")) == 1
    assert look(here) == ()


def test_a_copy_that_cannot_be_read_is_as_good_as_none(here: Project) -> None:
    (here.root / ".loop/page.md").write_bytes(b"\xff")
    tell(here, found=("third",))

    assert shown(here).open_items == [A, B, "third"]


# --- archived ---


def test_at_an_end_the_page_moves_to_the_history_under_the_time_of_day(here: Project) -> None:
    tell(here, found=("third",))
    order(here, "cancel")

    ((name, data),) = archives(here).items()
    assert re.fullmatch(r"\d{8}-\d{6}\.md", name)
    assert abs(time.mktime(time.strptime(name[:15], "%Y%m%d-%H%M%S")) - time.time()) < 60
    assert BacklogPage(data.decode()).open_items == [A, B, "third"]
    assert not page_of(here).exists()


def test_s26_archives_of_the_same_second_are_as_many_files(here: Project) -> None:
    page = BacklogPageFile(str(here.root), here.folder.path)
    for _ in range(12):
        page.archive_copy()
    page.archive_page()

    names = list(archives(here))
    stamps = {name[:15] for name in names}
    assert len(names) == 13
    assert len(stamps) < 13, "some of them fell into one second"
    assert all(f"{stamp}.md" in names for stamp in stamps)
    assert all(re.fullmatch(r"\d{8}-\d{6}(-([2-9]|1\d))?\.md", name) for name in names)


def test_a_new_loop_over_the_page_of_an_older_one_archives_it(here: Project) -> None:
    old = page_of(here).read_bytes()
    here.folder.remove_halt_files()
    (here.root / ".loop/journal.jsonl").unlink()
    (here.root / ".loop/page.md").unlink()
    here.create(a_discovery_loop("new", id="loop-2"))

    assert list(archives(here).values()) == [old]
    assert shown(here).open_items == ["new"]


def test_a_pause_by_the_person_leaves_no_copy_and_the_page_where_it_is(here: Project) -> None:
    order(here, "pause")

    assert archives(here) == {}
    assert shown(here).open_items == [A, B]


def test_a_history_that_cannot_be_written_keeps_no_loop_from_its_end(here: Project) -> None:
    (here.root / HISTORY_PATH).write_text("a file in its place")

    assert order(here, "cancel").startswith("Loop cancelled.")

    assert here.folder.read_loop() is None
    assert here.ended.status == "cancelled"
    assert f"- {A}\n" in page_of(here).read_text(), "it stays where it is"
