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
from tests.store.conftest import A, B
from tests.support.builders import a_discovery_loop
from tests.support.project import Project


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


def test_what_we_wrote_ourselves_is_no_edit(page_project: Project) -> None:
    assert look(page_project) == ()
    tell(page_project, found=("third",))

    assert look(page_project) == ()
    assert shown(page_project).open_items == [A, B, "third"]


def test_an_edit_is_heard_at_the_next_opening_and_said_once(page_project: Project) -> None:
    edit(page_project, f"- {A}\n- {B}\n", f"- [x] {A}\n- {B}\n- third <!-- mine -->\n")
    assert look(page_project) == (
        BacklogEdited(0.0, found=("third",), done=(A,), item_order=(B, "third")),
    )
    tell(page_project)

    assert (page_project.loop.backlog.items, page_project.loop.backlog.done) == ((B, "third"), (A,))
    assert (page_project.loop.backlog.found_count, page_project.loop.backlog.fixed_count) == (1, 1)
    assert look(page_project) == ()
    assert "- third <!-- mine -->\n" in shown(page_project).lines


def test_a_comment_is_no_edit_and_stays_where_it_is_put(page_project: Project) -> None:
    edit(page_project, f"- {A}\n", f"- {A}\n<!-- ask Ann -->\n")
    assert look(page_project) == ()
    tell(page_project, found=("third",))

    assert f"- {A}\n<!-- ask Ann -->\n- {B}\n- third\n" in page_of(page_project).read_text()


def test_numbers_are_put_back_and_a_raised_limit_is_told(page_project: Project) -> None:
    edit(page_project, "max_iterations: 50", "max_iterations: 500")
    edit(page_project, "issues_found: 0", "issues_found: 77")

    assert "max_iterations" in tell(page_project)
    assert (
        shown(page_project).number_field("max_iterations"),
        shown(page_project).number_field("issues_found"),
    ) == (50, 0)
    assert page_project.loop.limits.iterations == 50
    assert page_project.events("TamperingSeen")


@pytest.mark.parametrize(
    "text", ["", "\n", "no heading at all\n", "---\n"], ids=["empty", "a line", "prose", "a rule"]
)
def test_a_page_that_says_nothing_takes_nothing_away(page_project: Project, text: str) -> None:
    page_of(page_project).write_text(text)
    tell(page_project, found=("third",))

    assert page_project.loop.status == "running"
    assert page_project.loop.backlog.items == (A, B, "third")
    assert shown(page_project).open_items == [A, B, "third"]


def test_s23_a_page_saved_with_crlf_is_read_and_stays_so(page_project: Project) -> None:
    page_of(page_project).write_bytes(
        page_of(page_project).read_bytes().replace(b"\n", b"\r\n").replace(B.encode(), b"third")
    )
    tell(page_project, found=("fourth",))

    data = page_of(page_project).read_bytes()
    assert page_project.loop.backlog.items == (A, "third", "fourth")
    assert data.count(b"\n") == data.count(b"\r\n") > 20


# --- write ---


def test_before_each_change_there_is_a_backup_of_what_was_there(page_project: Project) -> None:
    edit(page_project, f"- {A}\n", f"- {A} <!-- mine -->\n")
    theirs = page_of(page_project).read_bytes()
    tell(page_project, found=("third",))
    assert (page_project.root / BACKUP_PATH).read_bytes() == theirs

    ours = page_of(page_project).read_bytes()
    tell(page_project, done=(A,))
    assert (page_project.root / BACKUP_PATH).read_bytes() == ours


def test_where_nothing_changes_nothing_is_written(page_project: Project) -> None:
    before = page_of(page_project).stat()
    tell(page_project)

    assert page_of(page_project).stat().st_mtime_ns == before.st_mtime_ns
    assert not (page_project.root / BACKUP_PATH).exists()


def test_what_is_saved_between_our_reading_and_our_writing_stands_and_is_read_the_next_time(
    page_project: Project,
) -> None:
    saved = meanwhile(
        page_project,
        BacklogEdited(time.time(), found=("ours",)),
        f"- {B}\n",
        f"- {B}\n- theirs <!-- now -->\n",
    )
    assert page_of(page_project).read_bytes() == saved

    tell(page_project)
    assert set(page_project.loop.backlog.items) == {A, B, "ours", "theirs"}
    assert set(shown(page_project).open_items or []) == {A, B, "ours", "theirs"}
    assert "- theirs <!-- now -->\n" in shown(page_project).lines


def test_a_note_by_command_outlives_notes_that_are_saved_in_the_same_moment(
    page_project: Project,
) -> None:
    meanwhile(
        page_project,
        BacklogEdited(time.time(), new_note="ours"),
        "## Notes\n",
        "## Notes\n\ntheirs\n",
    )
    tell(page_project)

    assert shown(page_project).section_text("notes") == "theirs\n- ours"


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
    page_project: Project,
) -> None:
    edit(page_project, f"- {A}\n", f"- {A} <!-- mine -->\n")
    tell(page_project, found=("third",))
    page_of(page_project).unlink()

    assert "loop-state.local.md was deleted by hand" in tell(page_project)
    assert page_project.loop.status == "paused"
    assert tell(page_project) == ""
    assert not page_of(page_project).exists()

    order(page_project, "continue")
    assert page_project.loop.status == "running"
    assert f"- {A} <!-- mine -->\n- {B}\n- third\n" in page_of(page_project).read_text()


UNREADABLE = {
    "not utf-8": b"## Backlog\n- \xff\xfe\n",
    "zeros": b"## Backlog\n- a\0b\n",
    "too long": b"- x\n" * (MAX_CHARS // 4 + 1),
}


@pytest.mark.parametrize("data", UNREADABLE.values(), ids=UNREADABLE)
def test_a_page_that_cannot_be_read_is_set_aside_and_rebuilt(
    page_project: Project, data: bytes
) -> None:
    page_of(page_project).write_bytes(data)

    said = tell(page_project)

    assert (
        "loop-state.local.md could not be read. It is kept as .loop/aside/loop-state.local.md and was written again"
        in said
    )
    assert (page_project.root / ".loop/aside/loop-state.local.md").read_bytes() == data
    assert (page_project.loop.status, shown(page_project).open_items) == ("running", [A, B])
    assert look(page_project) == ()


def test_a_second_one_is_set_aside_beside_the_first(page_project: Project) -> None:
    for data in (b"\xff", b"\xfe"):
        page_of(page_project).write_bytes(data)
        tell(page_project)

    assert sorted(path.read_bytes() for path in (page_project.root / ".loop/aside").iterdir()) == [
        b"\xfe",
        b"\xff",
    ]


def test_a_page_of_the_longest_kind_is_read_whole(page_project: Project) -> None:
    room = MAX_CHARS - len(page_of(page_project).read_text()) - 1
    edit(page_project, "## Notes\n", "## Notes\n" + "ü" * room + "\n")
    tell(page_project, found=("third",))

    assert not (page_project.root / ".loop/aside").exists()
    assert (shown(page_project).section_text("notes") or "").count("ü") == room


def test_without_the_copy_of_what_we_wrote_nothing_is_lost_or_told_twice(
    page_project: Project,
) -> None:
    tell(page_project, done=(A,))
    (page_project.root / ".loop/page.md").unlink()
    tell(page_project)

    assert (
        page_project.loop.backlog.items,
        page_project.loop.backlog.done,
        page_project.loop.backlog.fixed_count,
    ) == (
        (B,),
        (A,),
        1,
    )
    assert len(page_project.events("ItemsDone")) == 1
    assert look(page_project) == ()


def test_a_copy_that_cannot_be_read_is_as_good_as_none(page_project: Project) -> None:
    (page_project.root / ".loop/page.md").write_bytes(b"\xff")
    tell(page_project, found=("third",))

    assert shown(page_project).open_items == [A, B, "third"]


# --- archived ---


def test_at_an_end_the_page_moves_to_the_history_under_the_time_of_day(
    page_project: Project,
) -> None:
    tell(page_project, found=("third",))
    order(page_project, "cancel")

    ((name, data),) = archives(page_project).items()
    assert re.fullmatch(r"\d{8}-\d{6}\.md", name)
    assert abs(time.mktime(time.strptime(name[:15], "%Y%m%d-%H%M%S")) - time.time()) < 60
    assert BacklogPage(data.decode()).open_items == [A, B, "third"]
    assert not page_of(page_project).exists()


def test_s26_archives_of_the_same_second_are_as_many_files(page_project: Project) -> None:
    page = BacklogPageFile(str(page_project.root), page_project.folder.path)
    for _ in range(12):
        page.archive_copy()
    page.archive_page()

    names = list(archives(page_project))
    stamps = {name[:15] for name in names}
    assert len(names) == 13
    assert len(stamps) < 13, "some of them fell into one second"
    assert all(f"{stamp}.md" in names for stamp in stamps)
    assert all(re.fullmatch(r"\d{8}-\d{6}(-([2-9]|1\d))?\.md", name) for name in names)


def test_a_new_loop_over_the_page_of_an_older_one_archives_it(page_project: Project) -> None:
    old = page_of(page_project).read_bytes()
    page_project.folder.remove_halt_files()
    (page_project.root / ".loop/journal.jsonl").unlink()
    (page_project.root / ".loop/page.md").unlink()
    page_project.create(a_discovery_loop("new", id="loop-2"))

    assert list(archives(page_project).values()) == [old]
    assert shown(page_project).open_items == ["new"]


def test_a_pause_by_the_person_leaves_no_copy_and_the_page_where_it_is(
    page_project: Project,
) -> None:
    order(page_project, "pause")

    assert archives(page_project) == {}
    assert shown(page_project).open_items == [A, B]


def test_a_history_that_cannot_be_written_keeps_no_loop_from_its_end(page_project: Project) -> None:
    (page_project.root / HISTORY_PATH).write_text("a file in its place")

    assert order(page_project, "cancel").startswith("Loop cancelled.")

    assert page_project.folder.read_loop() is None
    assert page_project.ended.status == "cancelled"
    assert f"- {A}\n" in page_of(page_project).read_text(), "it stays where it is"
