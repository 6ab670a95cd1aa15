"""Progress in the plan's own files: only the marks change, and the file then reads as done."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from loopwright.core.plan.reading import PlanReading
from loopwright.drive.plans.plan_files import set_progress
from loopwright.formats.plan_progress import find_value, set_marks
from loopwright.importers import plans
from loopwright.importers.plan_formats.document import Document
from loopwright.importers.plan_formats.table import FORMATS, find_format
from tests.importers.test_plan_formats import FILES, PLANS

pytestmark = pytest.mark.plans

# Formats that have no place for it, or whose tasks are done by other means.
WITHOUT_MARKS = ("PLAN.md", "GSD 2 task")


def copy_of(tmp_path: Path, name: str) -> tuple[Path, Path]:
    """A copy of the project of this plan, and the plan in it."""
    project, _, rest = name.partition("/")
    root = tmp_path / project
    shutil.copytree(PLANS / project, root)
    return root, root / rest


def read(root: Path, plan: Path) -> PlanReading:
    return plans.read(str(plan), str(root))


def texts_below(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): path.read_bytes().decode("utf-8", "surrogateescape")
        for path in root.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("name", [name for name, *_ in FILES])
def test_a_plan_whose_tasks_are_all_marked_reads_as_done_until_the_marks_are_set_back(
    tmp_path: Path, name: str
) -> None:
    root, plan = copy_of(tmp_path, name)
    reading = read(root, plan)
    if plan.is_file():
        chosen = find_format(Document(str(plan.relative_to(root)), plan.read_text())).name
        if chosen in WITHOUT_MARKS:
            assert reading.plan.marks == ()
            return
    before = texts_below(root)
    set_progress(str(root), list(reading.plan.marks), done=True)
    after = texts_below(root)

    marked = {task for mark in reading.plan.marks for task in mark.tasks}
    assert set(read(root, plan).plan.done) >= marked
    for path in before:
        letters = sum(len(mark.new) + len(mark.old) for mark in reading.plan.marks)
        assert before[path].count("\n") == after[path].count("\n")
        assert abs(len(before[path]) - len(after[path])) <= letters
    assert {task.id: task for task in read(root, plan).plan.tasks}.keys() == {
        task.id for task in reading.plan.tasks
    }
    set_progress(str(root), list(reading.plan.marks), done=False)
    assert texts_below(root) == before


def test_every_format_that_says_what_is_done_has_marks() -> None:
    without = {row.name for row in FORMATS if row.find_marks.__name__ == "no_marks"}
    refused = {"prd.json without criteria", "other JSON", "roadmap", "design page"}
    assert without == {*WITHOUT_MARKS, *refused, "Taskmaster task text"}


def test_only_the_box_of_the_task_changes(tmp_path: Path) -> None:
    text = "# List\r\n\r\n- [ ] one\r\n  wrapped [ ]\r\n- [ ]  two\t\r\n- [ ] one\r\n"
    (tmp_path / "list.md").write_bytes(text.encode())
    plan = read(tmp_path, tmp_path / "list.md").plan
    third = [mark for mark in plan.marks if mark.tasks == ("03",)]
    set_progress(str(tmp_path), third, done=True)
    expected = text.replace("\t\r\n- [ ] one", "\t\r\n- [x] one")
    assert (tmp_path / "list.md").read_bytes() == expected.encode()


def test_a_group_is_ticked_when_all_of_its_tasks_are(tmp_path: Path) -> None:
    root, plan_file = copy_of(tmp_path, "kiro/.kiro/specs/cart/tasks.md")
    marks = read(root, plan_file).plan.marks
    groups = [mark for mark in marks if len(mark.tasks) > 1]
    assert [mark.tasks for mark in groups] == [
        ("1.1", "1.2"),
        ("2.1", "2.2", "2.3"),
        ("3.1", "3.2"),
    ]


def test_a_slice_of_gsd_2_is_ticked_in_the_roadmap_of_its_milestone(tmp_path: Path) -> None:
    root, plan_file = copy_of(tmp_path, "gsd2/.gsd/milestones/M001/slices/S02")
    plan = read(root, plan_file).plan
    set_progress(str(root), list(plan.marks), done=True)
    roadmap = (root / ".gsd/milestones/M001/M001-ROADMAP.md").read_text()
    assert "- [x] **S02: Search box**" in roadmap
    assert "- [ ] **S03: Ranking**" in roadmap


def test_a_plan_of_gsd_1_gets_a_summary_and_its_box_in_the_roadmap(tmp_path: Path) -> None:
    root, phase = copy_of(tmp_path, "gsd1/.planning/phases/01-accounts")
    roadmap = root / ".planning/ROADMAP.md"
    roadmap.write_text(
        "## Phases\n\n- [ ] **Phase 1: Accounts**\n- [ ] **Phase 10: Later**\n\n"
        "Plans:\n- [ ] 01-01: Tables\n- [ ] 01-02-PLAN.md — Routes\n- [ ] 02-01: Search\n"
    )
    plan = read(root, phase).plan
    of_second = [mark for mark in plan.marks if set(mark.tasks) == {"02-1", "02-2"}]
    set_progress(str(root), of_second, done=True)
    assert "- [x] 01-02-PLAN.md — Routes\n- [ ] 02-01" in roadmap.read_text()
    assert (phase / "01-02-SUMMARY.md").read_text().startswith("# Summary of 01-02-PLAN")
    set_progress(str(root), list(plan.marks), done=True)
    assert "- [x] **Phase 1: Accounts**\n- [ ] **Phase 10" in roadmap.read_text()


def test_the_status_of_another_tag_stays_as_it_is(tmp_path: Path) -> None:
    tasks = '{"search": {"tasks": [{"id": 1, "title": "a", "status": "pending"}]},\n'
    tasks += ' "master": {"tasks": [{"id": 1, "title": "b", "status": "pending",\n'
    tasks += '  "subtasks": [{"id": 1, "title": "c", "status":"in-progress"}]}]}}\n'
    (tmp_path / "tasks.json").write_text(tasks)
    plan = read(tmp_path, tmp_path / "tasks.json").plan
    set_progress(str(tmp_path), [m for m in plan.marks if m.tasks == ("1.1",)], done=True)
    assert (tmp_path / "tasks.json").read_text() == tasks.replace('"in-progress"', '"done"')
    set_progress(str(tmp_path), list(plan.marks), done=True)
    assert '"a", "status": "pending"' in (tmp_path / "tasks.json").read_text()


def test_a_file_that_is_the_work_of_a_task_has_no_marks(tmp_path: Path) -> None:
    (tmp_path / "todo.md").write_text("- [ ] T001 Correct the words of `todo.md`\n")
    assert read(tmp_path, tmp_path / "todo.md").plan.marks == ()


def test_a_line_that_moved_is_found_and_one_that_is_gone_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "list.md").write_text("- [ ] one\n- [ ] two\n")
    marks = read(tmp_path, tmp_path / "list.md").plan.marks
    assert set_marks("- [ ] new\n- [ ] zero\n- [ ] two\n", marks) == (
        "- [ ] new\n- [ ] zero\n- [x] two\n"
    )


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ('{"a": {"b": [1, {"id": 7, "c": "x"}]}}', ("a", "b", "7", "c"), '"x"'),
        ('\ufeff [ {"id":"é"} , true ]', ("#1",), "true"),
        ('{"a": "]}", "b" : -1.5e3 }', ("b",), "-1.5e3"),
        ('{"a": []}', ("a", "#0"), None),
        ('{"a": ', ("a",), None),
        ("", ("a",), None),
        ('"text"', ("a",), None),
    ],
)
def test_a_json_value_is_found_by_its_path(text: str, path: tuple[str, ...], value: str) -> None:
    span = find_value(text, path)
    assert (text[slice(*span)] if span else None) == value
