"""All loops of this machine: found, read when they change, and read in slices however long they are."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.core import events as ev
from loopwright.core.criteria import Evidence
from loopwright.core.loop import Lease, Loop
from loopwright.core.record import digest
from loopwright.core.runner.run import Run
from loopwright.disk.user_folders import state_home
from loopwright.store import journal, journal_reader
from loopwright.store.known_projects import note_stamps, read_project
from loopwright.store.loop_catalog import LoopCatalog
from loopwright.store.loop_reader import LoopReader
from loopwright.store.runner_lock import RunnerLock
from loopwright.views import loop_history
from tests.support.builders import TREE, a_loop, an_asking_loop
from tests.support.project import Project

Projects = Callable[..., Project]


def fill_journal(path: Path, iterations: int, loop: Loop, chained: bool = False) -> None:
    """Many iterations of one check, written as a journal is, without waiting for the disk."""
    rows = [journal.encode_move(None, loop, (ev.LoopStarted(loop),), "m", 1000.0, "start")]
    tail = journal.Tail(loop, 1, digest(rows[0][:-1]), "", "", 0)
    for number in range(1, iterations + 1):
        evidence = Evidence("tests pass", False, tree=TREE, failures=iterations - number, code=1)
        turn = ev.TurnEnded(1000.0 + number, TREE, dollars=0.01)
        for event in (turn, ev.CheckRan(evidence)):
            loop = event.apply(loop)
            rows.append(journal.encode_move(tail, loop, (event,), "m", 1000.0 + number, "signal"))
            head = digest(rows[-1][:-1]) if chained else ""
            tail = tail.but(loop=loop, seq=tail.seq + 1, head=head)
    path.write_bytes(b"".join(rows))


@pytest.fixture
def long_journal(tmp_path: Path) -> Path:
    path = tmp_path / "journal.jsonl"
    fill_journal(path, 150, a_loop(tree=TREE))
    return path


# --- Projects and their loops ---


def known_roots() -> list[str]:
    return [known.root for known in map(read_project, note_stamps()) if known]


def test_every_project_with_a_loop_is_known(project: Projects) -> None:
    first, second = project(), project()
    first.start()
    second.start()

    assert sorted(known_roots()) == sorted(map(str, (first.root, second.root)))


def test_the_lock_of_a_runner_tells_whether_it_still_drives_the_loop(project: Projects) -> None:
    here = project()
    here.create(a_loop(lease=Lease("runner:7"), run=Run(("claude",))))
    catalog = LoopCatalog()

    def status() -> str:
        catalog.refresh()
        return catalog.rows()[0].status

    with RunnerLock(here.folder):
        assert status() == "running"
    assert status() == "undriven"
    with RunnerLock(here.folder):
        assert status() == "running"


def test_a_project_that_is_gone_and_a_note_of_garbage_are_left_out(project: Projects) -> None:
    here = project()
    here.start()
    notes = Path(state_home(), "loops")
    (notes / "garbage").write_bytes(b"\xff\x00\n\n")
    (notes / "elsewhere").write_text("loop-9\n/no/such/folder\n")

    assert known_roots() == [str(here.root)]


def test_without_any_loop_the_board_is_empty() -> None:
    catalog = LoopCatalog()

    assert not catalog.refresh()
    assert catalog.rows() == []


def test_the_board_shows_first_what_waits_for_a_person(project: Projects) -> None:
    working, asking, ended = project(), project(), project()
    working.start()
    asking.create(an_asking_loop("G1", "Start?", id="asks"))
    ended.start()
    ended.run("cancel")
    catalog = LoopCatalog()
    catalog.refresh()

    rows = catalog.rows()

    assert [row.status for row in rows] == ["asking", "undriven", "cancelled"]
    assert rows[0].why == "Start?"
    assert rows[0].project == asking.root.name


def test_a_changed_loop_is_read_again_and_an_unchanged_one_is_not(project: Projects) -> None:
    here = project()
    here.start()
    catalog = LoopCatalog()
    catalog.refresh()
    before = catalog.version
    catalog.refresh()
    assert catalog.version == before

    here.run("pause", "lunch")
    catalog.refresh()

    assert [row.why for row in catalog.rows()] == ["lunch"]


def test_a_loop_is_found_in_the_archive_as_soon_as_it_ends(project: Projects) -> None:
    here = project()
    here.start()
    catalog = LoopCatalog()
    catalog.refresh()
    loop_id = here.loop.id
    here.run("cancel")

    place = catalog.find(loop_id)

    assert place is not None
    assert os.path.exists(place.path)
    catalog.refresh()
    assert [(row.id, row.status) for row in catalog.rows()] == [(loop_id, "cancelled")]


def test_a_loop_that_came_with_a_repository_is_not_shown(project: Projects) -> None:
    here = project()
    here.start()
    here.run("cancel")
    foreign = here.root / ".loop/history/20200101-000000-aaaaaa"
    foreign.mkdir()
    fill_journal(foreign / "journal.jsonl", 1, a_loop(id=foreign.name))
    catalog = LoopCatalog()
    catalog.refresh()

    assert [row.id for row in catalog.rows()] == [here.ended.id]


def test_a_journal_that_cannot_be_read_is_a_row_with_the_reason(project: Projects) -> None:
    here = project()
    here.start()
    (here.root / ".loop/journal.jsonl").write_bytes(b"garbage\n")
    catalog = LoopCatalog()
    catalog.refresh()

    assert [row.status for row in catalog.rows()] == ["unreadable"]
    assert "cannot be read" in catalog.rows()[0].why


def test_a_bounded_look_reads_so_many_loops_and_says_that_more_are_left(project: Projects) -> None:
    for _ in range(3):
        project().start()
    catalog = LoopCatalog()

    assert catalog.refresh(max_reads=2)
    assert (len(catalog.rows()), catalog.unread_count) == (2, 1)
    assert not catalog.refresh(max_reads=2)
    assert len(catalog.rows()) == 3


# --- Slices of a journal ---


def test_slices_forwards_give_every_line_once(long_journal: Path) -> None:
    numbers, position = [], 0
    while True:
        part = journal_reader.read_after(str(long_journal), position, max_bytes=2_000)
        numbers += [line.seq for line in part.lines]
        assert part.end - part.start <= 8_000
        position = part.end
        if part.reaches_end:
            break

    assert numbers == list(range(1, 302))


def test_slices_backwards_give_every_line_once(long_journal: Path) -> None:
    numbers: list[int] = []
    end: int | None = None
    while end != 0:
        part = journal_reader.read_before(str(long_journal), end, 40)
        numbers = [line.seq for line in part.lines] + numbers
        assert len(part.lines) <= 40
        end = part.start

    assert numbers == list(range(1, 302))


def test_a_line_that_is_still_being_written_waits_for_its_end(long_journal: Path) -> None:
    whole = long_journal.read_bytes()
    last = whole.rindex(b"\n", 0, -1) + 1
    long_journal.write_bytes(whole[: last + 20])

    torn = journal_reader.read_after(str(long_journal), last)
    long_journal.write_bytes(whole)
    complete = journal_reader.read_after(str(long_journal), last)

    assert (torn.lines, torn.end, torn.reaches_end) == ((), last, True)
    assert [line.seq for line in complete.lines] == [301]


def test_a_line_of_a_megabyte_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    fill_journal(path, 0, a_loop(spec="x" * 1_000_000))

    part = journal_reader.read_after(str(path), 0)

    assert [line.seq for line in part.lines] == [1]


@pytest.mark.parametrize("position", [-1, 5, 10**9])
def test_a_position_where_no_line_begins_is_refused(long_journal: Path, position: int) -> None:
    with pytest.raises(journal_reader.WrongPosition):
        journal_reader.read_after(str(long_journal), position)


def test_only_the_wanted_kinds_are_decoded(long_journal: Path) -> None:
    part = journal_reader.read_after(str(long_journal), 0, frozenset({"CheckRan"}))

    kinds = {type(event).__name__ for line in part.lines for event in line.events}
    assert kinds == {"CheckRan"}


# --- The history of one loop ---


def test_the_history_has_cost_and_failures_of_each_iteration(long_journal: Path) -> None:
    reader = LoopReader()
    slices = 1
    while reader.read_more(str(long_journal), 4_000):
        slices += 1

    points = reader.history.points
    assert slices > 10
    assert [point.number for point in points] == list(range(151))
    assert points[-1].failures == 0
    assert points[10].failures == 140
    assert points[-1].total_dollars == pytest.approx(1.5)
    assert len(reader.history.runs["tests pass"]) == 150


def test_the_history_grows_with_the_journal_and_begins_again_when_it_is_cut_off(
    project: Projects,
) -> None:
    here = project()
    here.start()
    path = here.folder.journal_path
    reader = LoopReader()
    reader.read_more(path)
    assert reader.read_loop(path).status == "running"

    here.run("pause", "lunch")
    reader.read_more(path)
    assert reader.read_loop(path).status == "paused"
    assert reader.history.points[-1].notes == ("paused",)

    first_line = Path(path).read_bytes().split(b"\n")[0] + b"\n"
    Path(path).write_bytes(first_line)
    reader.read_more(path)
    assert reader.history.points[-1].notes == ()


def test_the_history_of_a_very_long_loop_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_history, "MAX_POINTS", 50)
    history = loop_history.LoopHistory()
    history.add_move(1, 0.0, (ev.LoopStarted(a_loop()),))
    for number in range(2, 1_000):
        history.add_move(number, float(number), (ev.TurnEnded(float(number), f"tree-{number}"),))

    assert len(history.points) <= 51
    assert (history.points[0].number, history.points[-1].number) == (0, 998)


def test_the_lines_of_the_golden_journals_can_be_read(request: pytest.FixtureRequest) -> None:
    """Journals of older formats too."""
    folder = Path(__file__).parent.parent / "golden"
    paths = sorted(folder.rglob("*.jsonl"))
    assert paths
    for path in paths:
        reader = LoopReader()
        while reader.read_more(str(path)):
            pass
        whole = [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines()]
        assert reader.history.seq == whole[-1]["seq"], path
        part = journal_reader.read_before(str(path), None, 10_000)
        assert len(part.lines) == len(whole), path
