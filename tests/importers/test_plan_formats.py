"""Plan files of other tools: each is read to the number of units that its author wrote, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopwright.core.plan.plan import CREATE, MODIFY, Task
from loopwright.core.plan.reading import ERROR, WARNING, PlanReading
from loopwright.core.plan.schedule import tasks_by_wave
from loopwright.drive.errors import UserError
from loopwright.importers import plan_lint, plans
from loopwright.importers.plan_formats.document import Document
from loopwright.importers.plan_formats.table import FORMATS, find_format
from loopwright.importers.plan_formats.task_words import named_files

pytestmark = pytest.mark.plans

PLANS = Path(__file__).parent / "plans"
OPTI, PHASES = "opti-gsd/.opti-gsd/plans", "gsd1/.planning/phases"
GSD1, GSD2 = f"{PHASES}/01-accounts", "gsd2/.gsd/milestones/M001"
KIRO = "kiro/.kiro/specs"

# File or folder, the name of its format, and the ids of the author's units in their order.
FILES = [
    (f"{OPTI}/phase-02/plan.json", "opti-gsd plan.json", "01 02 03"),
    (f"{OPTI}/phase-03/plan.json", "opti-gsd plan.json", "01 02"),
    (f"{OPTI}/phase-04/plan.json", "opti-gsd plan.json", "1 2 3 4"),
    (f"{GSD1}/01-01-PLAN.md", "GSD 1 plan", "01-1 01-2"),
    (f"{GSD1}/01-02-PLAN.md", "GSD 1 plan", "02-1 02-2"),
    (f"{GSD1}/01-03-PLAN.md", "GSD 1 plan", "03-1"),
    (GSD1, "", "01-1 01-2 02-1 02-2 03-1"),
    (f"{PHASES}/02-search/PLAN.md", "GSD 1 plan", "01-1 01-2 01-3"),
    (f"{GSD2}/M001-ROADMAP.md", "GSD 2 roadmap or slice", "S01 S02 S03 S04"),
    (f"{GSD2}/slices/S01/S01-PLAN.md", "GSD 2 roadmap or slice", "T01 T02"),
    (f"{GSD2}/slices/S02", "", "T01 T02 T03 T04"),
    ("gsd2/.gsd/single/T02-PLAN.md", "GSD 2 task", "T02"),
    (
        "spec-kit/specs/001-albums/tasks.md",
        "spec-kit tasks.md",
        "T001 T002 T003 T004 T005 T006 T007 T008 T009 T010 T011 T012 T013 T014",
    ),
    ("spec-kit/specs/002-export/tasks.md", "spec-kit tasks.md", "T001 T002 T003 T004 T005"),
    ("spec-kit/specs/003-small/tasks.md", "spec-kit tasks.md", "T001 T002 T003"),
    (f"{KIRO}/mail/tasks.md", "Kiro tasks.md", "1 2.1 2.2 2.3 3 4"),
    (f"{KIRO}/cart/tasks.md", "Kiro tasks.md", "1.1 1.2 2.1 2.2 2.3 3.1 3.2"),
    (f"{KIRO}/audit/tasks.md", "Kiro tasks.md", "1.1 2 2.1"),
    ("taskmaster/.taskmaster/tasks/tasks.json", "Taskmaster tasks.json", "1 2 2.1 2.2 2.3 3 5"),
    ("taskmaster/legacy/tasks.json", "Taskmaster tasks.json", "1 2 3"),
    ("taskmaster/tags/tasks/tasks.json", "Taskmaster tasks.json", "1 2"),
    (
        "prd/stories-with-boxes.md",
        "PRD with stories",
        "US-001 US-002 US-003 US-004 US-005 US-006",
    ),
    ("prd/stories-without-boxes.md", "PRD with stories", "US-001 US-002 US-003"),
    ("prd/epics.md", "PRD with stories", "1.1 1.2 2.1"),
    ("prd/deep.md", "PRD with stories", "US-1 US-2"),
    ("prd/marked.prd", "[PRD] file", "US-001 US-002"),
    ("prd/marked-list.prd", "[PRD] file", "01 02 03"),
    ("prd/prd.json", "prd.json", "US-001 US-002"),
    ("bmad/1.2.login.story.md", "BMAD story", "1 2 3"),
    ("bmad/2-1-notes.md", "BMAD story", "1 2 3 4 5"),
    ("openspec/openspec/changes/add-login/tasks.md", "OpenSpec tasks.md", "1.1 1.2 1.3 2.1 2.2"),
    ("openspec/openspec/changes/add-audit/tasks.md", "OpenSpec tasks.md", "1.1.1 1.1.2 1.2 item-4"),
    ("steps/docs/export-plan.md", "tasks as headings", "1 2"),
    ("openspec/numbered.md", "OpenSpec tasks.md", "1.1 1.2 2.1"),
    ("beads/.beads/issues.jsonl", "beads issues", "app-c3 app-a1 app-b2"),
    ("beads/epics/issues.jsonl", "beads issues", "bd-1.1 bd-1.2 bd-2"),
    ("checklist/wrapped.md", "checklist", "01 02 03 04"),
    ("checklist/must-haves.md", "checklist", "01 02"),
    ("checklist/nested.md", "checklist", "01 02 03"),
    ("checklist/ROADMAP.md", "checklist", "01 02 03 04"),
]


def read(name: str) -> PlanReading:
    """The plan; the first folder of the name is the project."""
    return plans.read(str(PLANS / name), str(PLANS / name.partition("/")[0]))


def task(name: str, task_id: str) -> Task:
    return read(name).plan.task(task_id)


@pytest.mark.parametrize(("name", "format_name", "ids"), FILES, ids=[row[0] for row in FILES])
def test_a_file_is_read_to_the_number_of_units_its_author_wrote(
    name: str, format_name: str, ids: str
) -> None:
    reading = read(name)

    assert [task.id for task in reading.plan.tasks] == ids.split()
    if format_name:
        text = (PLANS / name).read_text(encoding="utf-8")
        assert find_format(Document(name, text)).name == format_name
    problems = plan_lint.lint_plan(reading, str(PLANS))
    assert [problem.text for problem in problems if problem.severity == ERROR] == []
    assert all(task.action.strip() and task.title for task in reading.plan.tasks)


def test_there_are_at_least_thirty_files_and_every_format_has_one() -> None:
    read_formats = {row.name for row in FORMATS if not row.read.__name__.startswith("refuse_")}

    assert len(FILES) >= 30
    assert read_formats - {name for _, name, _ in FILES} == {"PLAN.md", "PRD with task comments"}


# --- opti-gsd ---


def test_a_plan_json_keeps_waves_files_checks_and_must_haves() -> None:
    plan = read(f"{OPTI}/phase-02/plan.json").plan
    one, two, three = plan.tasks

    assert (plan.phase, plan.title) == ("2", "Notes can be exported")
    assert [(must.text, must.command) for must in plan.must_haves] == [
        ("a person can download all notes", ""),
        ("npm test -- export", "npm test -- export"),
    ]
    assert [task.wave for task in plan.tasks] == [1, 1, 2]
    assert [(file.path, file.action) for file in two.files] == [
        ("src/Toolbar.tsx", CREATE),
        ("src/Toolbar.css", CREATE),
    ]
    assert [(check.text, bool(check.command)) for check in one.checks] == [
        ("npm test -- export", True),
        ("A note with a comma keeps its comma", False),
    ]
    assert (three.depends, three.files[0].action) == (("01", "02"), MODIFY)
    assert one.done_when == "exportNotes returns a header and one row for each note"


def test_tasks_in_waves_have_the_wave_they_stand_in() -> None:
    plan = read(f"{OPTI}/phase-04/plan.json").plan

    assert [(task.id, task.wave, task.depends) for task in plan.tasks] == [
        ("1", 1, ()),
        ("2", 1, ()),
        ("3", 2, ("1",)),
        ("4", 3, ("3", "2")),
    ]
    assert plan.done == ("4",)


# --- GSD 1 ---


def test_a_gsd_1_task_has_its_name_its_files_and_its_command() -> None:
    plan = read(f"{GSD1}/01-01-PLAN.md").plan
    one, two = plan.tasks

    assert (one.title, two.title) == ("Store the person", "Answer the login")
    assert sorted(one.paths) == ["src/models/user.test.ts", "src/models/user.ts"]
    assert [check.command for check in one.checks] == ["npm test -- user", ""]
    assert (one.checks[1].kind, one.checks[1].path, one.checks[1].wanted) == (
        "content",
        "src/models/user.ts",
        ("interface User",),
    )
    assert [check.command for check in two.checks][:1] == ["npm test -- login"]
    assert "a wrong one: 401" in two.action
    assert "Compare the hash" in two.action
    assert two.depends == ("01-1",)
    assert [must.text for must in plan.must_haves] == [
        "A person can log in with e-mail and password",
        "A wrong password is refused",
        "Login form → /api/login (a request)",
    ]
    assert [(link.source, link.target) for link in plan.links] == [
        ("src/api/login.ts", "src/models/user.ts")
    ]


def test_a_folder_of_gsd_1_plans_is_a_phase_whose_plans_wait_for_each_other() -> None:
    plan = read(GSD1).plan

    assert {task.id: task.depends for task in plan.tasks} == {
        "01-1": (),
        "01-2": ("01-1",),
        "02-1": ("01-2",),
        "02-2": ("02-1",),
        "03-1": ("01-2",),
    }
    assert plan.done == ("01-1", "01-2")  # it has a summary
    assert (plan.phase, plan.file) == ("01-accounts", GSD1.partition("/")[2])


def test_a_checkpoint_is_for_a_person_and_a_plan_before_it_is_named() -> None:
    reading = read(f"{GSD1}/01-02-PLAN.md")
    checkpoint = reading.plan.task("02-2")
    texts = [problem.text for problem in reading.problems]

    assert checkpoint.runs_alone
    assert "Log in" in checkpoint.action
    assert texts == [
        "01-02-PLAN.md comes after 01-01, which is not read here. "
        "Name the folder of the phase to read all its plans",
        "1 checkpoint for a person: 02-2",
    ]


def test_a_missing_test_is_no_command() -> None:
    (check,) = task(f"{PHASES}/02-search/PLAN.md", "01-2").checks

    assert check.command == ""


# --- GSD 2 ---


def test_the_slices_of_a_roadmap_depend_on_each_other_as_it_says() -> None:
    plan = read(f"{GSD2}/M001-ROADMAP.md").plan

    assert [(task.id, task.wave, task.depends) for task in plan.tasks] == [
        ("S01", 1, ()),
        ("S02", 2, ("S01",)),
        ("S03", 2, ("S01",)),
        ("S04", 3, ("S02", "S03")),
    ]
    assert (plan.phase, plan.title, plan.done) == ("M001", "Notes that can be found", ("S01",))
    assert plan.tasks[1].done_when == "typing shows the hits"


def test_the_task_of_a_slice_has_its_fields_and_those_of_its_own_plan() -> None:
    plan = read(f"{GSD2}/slices/S01/S01-PLAN.md").plan
    one, two = plan.tasks

    assert sorted(one.paths) == ["src/index.py", "tests/test_index.py"]
    assert "written after each change, with\na version in its first line" in one.action
    assert "2. Write `build_index`." in one.action
    assert [check.text for check in one.checks] == [
        "pytest -q tests/test_index.py",
        "an empty note changes nothing",
    ]
    assert (one.done_when, two.depends) == ("ten notes are found by their words", ("T01",))
    assert plan.must_haves[-1].command == "pytest -q tests/test_index.py"


# --- spec-kit ---


def test_parallel_tasks_of_spec_kit_share_a_wave_and_phases_follow_each_other() -> None:
    plan = read("spec-kit/specs/001-albums/tasks.md").plan
    waves = [" ".join(task.id for task in tasks) for _, tasks in tasks_by_wave(plan)]

    assert waves == [
        *("T001", "T002", "T003", "T004", "T005 T006", "T007 T008", "T009 T010", "T011"),
        *("T012", "T013", "T014"),
    ]
    assert plan.done == ("T001", "T002")
    assert plan.title == "Photo albums"
    story = plan.task("T011")
    assert (story.requirements, sorted(story.paths)) == (("US1",), ["src/services/albums.ts"])
    assert story.done_when.endswith("(depends on T009, T010)")


def test_the_wrapped_line_of_a_task_keeps_its_path_and_its_marks_are_links() -> None:
    second = task("spec-kit/specs/003-small/tasks.md", "T002")

    assert sorted(second.paths) == ["src/parse.py"]
    assert second.requirements == ("US1", "US2")


# --- Kiro and OpenSpec ---


def test_requirements_of_kiro_are_links_and_optional_tasks_block_no_other() -> None:
    reading = read(f"{KIRO}/mail/tasks.md")
    plan = reading.plan

    assert {task.id: task.depends for task in plan.tasks} == {
        "1": (),
        "2.1": ("1",),
        "2.2": ("2.1",),
        "2.3": ("2.1",),
        "3": ("2.3",),
        "4": ("3",),
    }
    assert plan.task("2.1").requirements == ("2.1", "2.2")
    assert plan.task("2.1").checks == ()
    assert "folded over several lines" in " ".join(plan.task("2.1").action.split())
    assert sorted(plan.task("2.1").paths) == ["src/mail/parse.ts"]
    assert [problem.text for problem in reading.problems] == [
        "2 optional tasks (*) will be worked on too, and block no other: 2.2, 4. "
        "Remove a line to leave its task out"
    ]


def test_the_tasks_of_an_optional_group_are_optional() -> None:
    (problem,) = read(f"{KIRO}/cart/tasks.md").problems

    assert problem.text.startswith("3 optional tasks (*)")


def test_a_command_behind_a_task_of_openspec_checks_it() -> None:
    name = "openspec/openspec/changes/add-login/tasks.md"

    assert [check.command for check in task(name, "1.3").checks] == [
        "pytest -q tests/test_login.py"
    ]
    assert task(name, "2.2").title == "The sentence for a wrong password, in both languages"
    assert read(name).plan.done == ("1.1",)


# --- Taskmaster and beads ---


def test_a_taskmaster_task_comes_after_its_subtasks_and_before_what_needs_it() -> None:
    reading = read("taskmaster/.taskmaster/tasks/tasks.json")
    plan = reading.plan

    assert {task.id: task.depends for task in plan.tasks} == {
        "1": (),
        "2": ("1", "2.1", "2.2", "2.3"),
        "2.1": ("1",),
        "2.2": ("1", "2.1"),
        "2.3": ("1", "2.1", "2.2"),
        "3": ("2",),
        "5": ("3",),
    }
    assert plan.done == ("1", "2.1")
    assert plan.task("2").checks[0].command == "pytest -q tests/test_feed.py"
    assert plan.task("3").checks[0].text == "Open it and look."
    assert [problem.text for problem in reading.problems] == [
        "1 task left out, deferred or cancelled by their status: 4"
    ]


def test_the_current_tag_is_read_and_the_others_are_named() -> None:
    reading = read("taskmaster/tags/tasks/tasks.json")

    assert [task.title for task in reading.plan.tasks] == ["Index", "Query"]
    assert "not read: master (1). To read another one: task-master use-tag" in (
        reading.problems[0].text
    )


def test_issues_of_beads_wait_for_what_blocks_them() -> None:
    plan = read("beads/.beads/issues.jsonl").plan
    page = plan.task("app-b2")

    assert (page.depends, plan.task("app-c3").depends, plan.done) == (("app-a1",), (), ("app-a1",))
    assert [check.command for check in page.checks] == ["", "pytest -q tests/test_page.py"]


def test_what_waits_for_an_epic_waits_for_its_issues() -> None:
    assert task("beads/epics/issues.jsonl", "bd-2").depends == ("bd-1.1", "bd-1.2")


# --- stories and checklists ---


def test_the_criteria_of_a_story_are_its_checks_with_all_their_lines() -> None:
    plan = read("prd/stories-with-boxes.md").plan

    assert [check.text for check in plan.tasks[0].checks] == [
        "A column priority: high, medium or low, with medium as the default",
        "The migration runs",
        "npm run typecheck",
    ]
    assert [len(task.checks) for task in plan.tasks] == [3, 3, 2, 2, 1, 1]
    assert [task.wave for task in plan.tasks] == [1, 2, 3, 4, 5, 6]


def test_a_story_without_boxes_has_the_items_below_its_criteria() -> None:
    plan = read("prd/stories-without-boxes.md").plan

    assert [len(task.checks) for task in plan.tasks] == [2, 2, 1]
    assert [task.depends for task in plan.tasks] == [(), ("US-001",), ("US-001", "US-002")]


def test_a_story_is_done_when_all_its_boxes_are_ticked() -> None:
    assert read("prd/marked.prd").plan.done == ("US-001",)
    assert read("prd/deep.md").plan.done == ()


def test_the_criteria_of_a_bmad_story_check_the_tasks_that_name_them() -> None:
    plan = read("bmad/1.2.login.story.md").plan

    assert [len(task.checks) for task in plan.tasks] == [2, 1, 1]
    assert plan.must_haves[1].text == (
        "A wrong one is refused with a sentence that says what to do."
    )
    assert "compare in src/api/login.ts" in plan.tasks[0].action
    assert (plan.phase, plan.title, plan.done) == ("1.2", "Log in", ("1",))


def test_a_wrapped_item_of_a_checklist_keeps_all_its_lines() -> None:
    _, export, tell, numbered = read("checklist/wrapped.md").plan.tasks

    assert export.done_when.endswith("keeps it, and one with a line break, too")
    assert [check.text for check in export.checks] == [
        "write the export so that a note with a comma keeps it, and one with a line break, too",
        "the header names all columns",
    ]
    assert export.checks[0].command == "pytest -q tests/test_export.py"
    assert tell.done_when == (
        "tell people about it in the help and in the README A second paragraph of the same item."
    )
    assert numbered.title == "a numbered box"


def test_the_must_haves_of_a_checklist_are_no_tasks() -> None:
    (must,) = read("checklist/must-haves.md").plan.must_haves

    assert (must.text, must.command) == ("all tests pass", "pytest -q")


def test_a_milestone_of_a_roadmap_is_a_group_and_its_boxes_are_the_tasks() -> None:
    plan = read("checklist/ROADMAP.md").plan

    assert [task.title for task in plan.tasks] == [
        *("store people", "write the index", "show the results", "translate the readme"),
    ]
    assert plan.done == ("01",)


@pytest.mark.parametrize(
    ("words", "paths"),
    [
        ("_Leverage: src/storage.ts_", "src/storage.ts"),
        ("_Files: src/a.ts, src/b.ts_", "src/a.ts src/b.ts"),
        ("__src/a.py__ and *src/b.py*", "src/a.py src/b.py"),
        ("the end of a wrapped line, src/a.ts_", "src/a.ts"),
        ("src/__init__.py, `_x.yml`, _y/page.html", "src/__init__.py _x.yml _y/page.html"),
        ("`src/` directory with `__init__.py`", "src/__init__.py"),
        ("`app/` with `a.py`, `b.py` and an empty `c.py`", "app/a.py app/b.py app/c.py"),
        ("`tests/` folder (`conftest.py`)", "tests/conftest.py"),
        ("make `src/` and change `README.md`", "README.md"),
        ("add `__init__.py` where it is missing", ""),
    ],
)
def test_the_files_that_words_name(words: str, paths: str) -> None:
    assert [file.path for file in named_files(words)] == paths.split()


# --- refused by name ---


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("refused/ROADMAP.md", "is a GSD roadmap: .*Name the folder or the plan of a phase"),
        ("refused/milestones/ROADMAP.md", "a roadmap: its boxes are milestones.*loop plan new"),
        ("refused/specs/001-x/plan.md", "a page of spec-kit .*in specs/001-x/tasks.md"),
        ("refused/.kiro/specs/x/requirements.md", "is a page of Kiro .*tasks.md. Name that file"),
        ("refused/prd-file.json", "a prd.json without criteria; they are in 'docs/prd.md'"),
        ("refused/package.json", r"JSON without a list .*\(it has: name, version\)"),
        ("refused/broken.json", r"is not JSON \(line 1: "),
        ("taskmaster/text/task_001.txt", "one Taskmaster task. .*tasks.json"),
        ("refused", "no plan at .*Name a file in it"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_name_with_the_way_out(name: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        read(name)


# --- the warnings, the folder, and text that means harm ---


def test_many_warnings_of_one_kind_are_one_with_a_number(tmp_path: Path) -> None:
    page = tmp_path / "tasks.md"
    page.write_text("\n".join(f"- [ ] T{n:03} words" for n in range(1, 125)), encoding="utf-8")
    problems = plan_lint.lint_plan(plans.read(str(page), str(tmp_path)), str(tmp_path))

    assert [(problem.severity, problem.text) for problem in problems] == [
        (
            WARNING,
            "task T001 has no check: it can only be reported as done, not proven "
            "(and 123 more of this kind, the next in line 2)",
        )
    ]


API_PLAN = "# Api\n\n- [ ] T001 Write src/app.py (check: `pytest -q`)\n"


@pytest.mark.parametrize(
    ("plan", "there", "path", "command"),
    [
        ("packages/api/tasks.md", "packages/api/src/x", "packages/api/src/app.py", "cd"),
        ("packages/api/tasks.md", "other", "packages/api/src/app.py", "cd"),
        ("packages/api/specs/001/tasks.md", "packages/api/src/x", "packages/api/src/app.py", "cd"),
        ("packages/api/tasks.md", "src/x", "src/app.py", "pytest"),
        ("specs/001/tasks.md", "other", "src/app.py", "pytest"),
        (".kiro/specs/x/tasks.md", "other", "src/app.py", "pytest"),
    ],
)
def test_a_plan_in_a_folder_means_the_files_of_that_folder(
    tmp_path: Path, plan: str, there: str, path: str, command: str
) -> None:
    (tmp_path / there).mkdir(parents=True)
    page = tmp_path / plan
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(API_PLAN, encoding="utf-8")
    (one,) = plans.read(str(page), str(tmp_path)).plan.tasks

    assert sorted(one.paths) == [path]
    assert (
        one.checks[0].command
        == {
            "cd": "cd packages/api && { pytest -q; }",
            "pytest": "pytest -q",
        }[command]
    )


def test_a_file_that_is_there_is_changed_and_a_pattern_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.ts").touch()
    page = tmp_path / "01-01-PLAN.md"
    page.write_text(
        "<tasks>\n<task type='auto'>\n<name>x</name>\n"
        "<files>src/a.ts, src/b.ts, src/**/*.css</files>\n</task>\n"
        "<task type='auto'>\n<name>y</name>\n<files>src/b.ts</files>\n</task>\n</tasks>\n",
        encoding="utf-8",
    )
    one, two = plans.read(str(page), str(tmp_path)).plan.tasks

    assert [(file.path, file.action) for file in one.files] == [
        ("src/a.ts", MODIFY),
        ("src/b.ts", CREATE),
    ]
    assert "src/**/*.css" in one.action
    assert two.files[0].action == MODIFY


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("- [ ] a\n" + "  " * 3_000 + "- [ ] b\n", id="deep"),
        pytest.param("".join(" " * n + "- [ ] x\n" for n in range(400)), id="a staircase"),
        pytest.param("- [ ] " + "`" * 50_000 + "\n", id="backticks"),
        pytest.param("- [ ] T001 " + "[" * 50_000 + "\n", id="brackets"),
        pytest.param("- [ ] T001 " + "a/" * 50_000 + "\n", id="a long path"),
        pytest.param("- [ ] **T01: " + "* " * 50_000 + "\n", id="stars"),
        pytest.param("<tasks>\n" + "<task type='a'>\n" * 5_000, id="tags never closed"),
        pytest.param("### US-1: " + "x" * 50_000 + "\n- [ ] y\n", id="a long heading"),
    ],
)
def test_text_that_means_harm_is_read_or_refused_at_once(tmp_path: Path, text: str) -> None:
    page = tmp_path / "x.md"
    page.write_text(text, encoding="utf-8")

    assert plans.read(str(page), str(tmp_path)).plan.tasks


# --- the plan of a project ---


def test_the_plan_of_a_gsd_project_is_the_one_with_open_work() -> None:
    found = {
        name: Path(plans.find_plan(str(PLANS / name))).relative_to(PLANS / name).as_posix()
        for name in ("gsd1", "gsd2", "opti-gsd")
    }

    assert found["gsd1"] == ".planning/phases/01-accounts"
    assert found["gsd2"] == ".gsd/milestones/M001/slices/S01/S01-PLAN.md"
    assert found["opti-gsd"].endswith("/plan.json")
