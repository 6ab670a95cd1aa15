"""PRDs as plans: Markdown with a comment for each task, prd.json with stories, and a plain checklist."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.plan.plan import TaskCheck
from loopwright.core.plan.reading import PlanReading
from loopwright.core.plan.schedule import ready_tasks
from loopwright.drive.errors import UserError
from loopwright.importers import plans
from loopwright.importers.plan_formats import checklist, prd, prd_json
from loopwright.importers.plan_formats.document import Document

pytestmark = pytest.mark.plans

PRD = """# Export

Why we do it.

### T-001: Write the rows
<!-- task
id: T-001
blockedBy: []
-->

Write `write_csv(rows)`:

```python
- [ ] this is code
```

**Acceptance Criteria:**
- [ ] a header line is written
- [x] commas are quoted (check: `pytest -q -k comma`)

### T-002: Wire it
<!-- task
id: T-002
blockedBy: [T-001]
parallel: false
-->
#### How
Call it.

#### Acceptance Criteria
- [ ] the flag works

### T-003: Say so
<!-- task
id: T-003
blockedBy:
  - T-001
  - T-002
-->
* [ ] the help names it

## Notes
- [ ] nobody's
"""


def document(text: str) -> Document:
    return Document("plan.md", text, "prd")


def ids(reading: PlanReading) -> list[str]:
    return [task.id for task in reading.plan.tasks]


# --- Markdown ---


def test_a_prd_is_a_plan_with_waves_from_what_blocks_what() -> None:
    reading = prd.read(document(PRD))
    one, two, three = reading.plan.tasks

    assert (reading.plan.title, reading.plan.phase, reading.problems) == ("Export", "prd", ())
    assert [(task.id, task.title, task.wave, task.depends) for task in (one, two, three)] == [
        ("T-001", "Write the rows", 1, ()),
        ("T-002", "Wire it", 2, ("T-001",)),
        ("T-003", "Say so", 3, ("T-001", "T-002")),
    ]
    assert (one.runs_alone, two.runs_alone) == (False, True)
    assert one.action == "Write `write_csv(rows)`:\n\n```python\n- [ ] this is code\n```"
    assert two.action == "#### How\nCall it."


def test_acceptance_criteria_are_checks_and_a_command_behind_one_proves_it() -> None:
    one, _, three = prd.read(document(PRD)).plan.tasks

    assert one.checks == (
        TaskCheck("criterion", "a header line is written"),
        TaskCheck("criterion", "commas are quoted", "pytest -q -k comma"),
    )
    assert three.checks == (TaskCheck("criterion", "the help names it"),)


@pytest.mark.parametrize(
    ("old", "new", "line", "key"),
    [
        pytest.param("blockedBy: []\n", "", 6, "blockedBy", id="what blocks it is not said"),
        pytest.param("id: T-001\n", "", 6, "id", id="no id in the comment"),
        pytest.param(
            "<!-- task\nid: T-001\nblockedBy: []\n-->\n", "", 5, "id", id="no comment at all"
        ),
    ],
)
def test_what_a_task_of_a_prd_must_say_is_missed_by_its_line(
    old: str, new: str, line: int, key: str
) -> None:
    reading = prd.read(document(PRD.replace(old, new, 1)))

    assert ids(reading) == ["T-001", "T-002", "T-003"]
    assert (reading.problems[0].severity, reading.problems[0].line) == ("error", line)
    assert reading.problems[0].text.startswith(f"'T-001: Write the rows' has no {key}.")


def test_the_tasks_of_a_prd_stand_on_their_lines() -> None:
    assert prd.read(document(PRD.replace("\n", "\r\n"))).lines == (
        ("T-001", 6),
        ("T-002", 22),
        ("T-003", 34),
    )


# --- prd.json ---


def stories(*given: dict[str, Any], **head: Any) -> PlanReading:
    data = {"project": "Shop", "branchName": "x", "userStories": given, **head}
    return prd_json.read(document(json.dumps(data, indent=2)))


A: dict[str, Any] = {
    "id": "US-1",
    "title": "A",
    "description": "As a user",
    "acceptanceCriteria": ["it works"],
    "passes": False,
}


def test_stories_come_by_priority_each_in_a_wave_of_its_own() -> None:
    reading = stories(
        {**A, "id": "US-1", "priority": 3},
        {**A, "id": "US-2"},
        {**A, "id": "US-3", "priority": 1, "notes": "mind the gap", "passes": True},
    )
    first = reading.plan.tasks[0]

    assert [(task.id, task.wave) for task in reading.plan.tasks] == [
        ("US-3", 1),
        ("US-1", 2),
        ("US-2", 3),
    ]
    assert reading.plan.done == ("US-3",)
    assert [task.id for task in ready_tasks(reading.plan)] == ["US-1"]
    assert (first.title, first.action, first.checks) == (
        "A",
        "As a user\n\nmind the gap",
        (TaskCheck("criterion", "it works"),),
    )
    assert reading.plan.title == "Shop"


@pytest.mark.parametrize("key", ["dependsOn", "blockedBy", "dependencies"])
def test_stories_that_name_others_run_as_soon_as_those_are_done(key: str) -> None:
    reading = stories({**A, "id": 1}, {**A, "id": 2, key: [1]}, {**A, "id": "3"})

    assert [(task.id, task.wave, task.depends) for task in reading.plan.tasks] == [
        ("1", 1, ()),
        ("2", 2, ("1",)),
        ("3", 1, ()),
    ]


def test_a_story_fails_without_holding_up_those_that_do_not_name_it() -> None:
    plan = stories({**A, "id": "a"}, {**A, "id": "b"}).plan

    assert [task.id for task in ready_tasks(plan.but(parked=("a",)))] == ["b"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(json.dumps({"stories": [A]}), id="stories"),
        pytest.param(json.dumps([A]), id="a bare list"),
        pytest.param(
            "\ufeff" + json.dumps({"userStories": [A, "x", None, 3]}), id="and what is none"
        ),
        pytest.param(
            json.dumps({"tasks": [{**A, "acceptanceCriteria": "it works", "priority": "high"}]}),
            id="loosely typed",
        ),
    ],
)
def test_stories_are_found_in_other_spellings(text: str) -> None:
    (task,) = prd_json.read(document(text)).plan.tasks

    assert (task.id, task.title, task.checks) == (
        "US-1",
        "A",
        (TaskCheck("criterion", "it works"),),
    )


def test_a_story_says_where_it_stands_and_what_of_it_is_not_read() -> None:
    text = json.dumps(
        {"userStories": [A, {**A, "id": "US-2", "acceptanceCriteria": ["x", {"y": 1}]}]}, indent=1
    )
    reading = prd_json.read(document(text))

    assert [text.split("\n")[line - 1].strip() for _, line in reading.lines] == [
        '"id": "US-1",',
        '"id": "US-2",',
    ]
    assert [(problem.severity, problem.line) for problem in reading.problems] == [
        ("warning", reading.lines[1][1])
    ]


@pytest.mark.parametrize("text", ["null", '"x"', '{"userStories": 3}'])
def test_json_without_stories_is_a_plan_without_tasks(text: str) -> None:
    assert prd_json.read(document(text)).plan.tasks == ()


# --- a checklist ---

LIST = """# To do

- [x] lay the table
- [ ] write the export (check: `pytest -q`)
  - [ ] a header line is written
  - quoted commas (check: `pytest -k comma`)
- not a box
* [ ] say so in the help

```
- [ ] an example
```
"""


def test_a_checklist_is_done_from_top_to_bottom() -> None:
    reading = checklist.read(document(LIST))
    one, two, three = reading.plan.tasks

    assert (reading.plan.title, reading.plan.done) == ("To do", ("01",))
    assert [(task.id, task.title, task.wave, task.depends) for task in (one, two, three)] == [
        ("01", "lay the table", 1, ()),
        ("02", "write the export", 2, ("01",)),
        ("03", "say so in the help", 3, ("02",)),
    ]
    assert two.checks == (
        TaskCheck("criterion", "write the export", "pytest -q"),
        TaskCheck("criterion", "a header line is written"),
        TaskCheck("criterion", "quoted commas", "pytest -k comma"),
    )
    assert (three.action, three.done_when) == ("say so in the help", "say so in the help")
    assert reading.lines == (("01", 3), ("02", 4), ("03", 8))


def test_a_long_checklist_has_longer_ids() -> None:
    reading = checklist.read(document("- [ ] x\n" * 120))

    assert (ids(reading)[0], ids(reading)[-1]) == ("001", "120")


# --- which format it is ---

SEED = Path(__file__).parent / "cases/seed-003.md"


@pytest.mark.parametrize(
    ("name", "text", "phase", "count"),
    [
        pytest.param("PLAN.md", SEED.read_text(encoding="utf-8"), "1", 7, id="the seed"),
        pytest.param("PRD.md", PRD, "prd", 3, id="a PRD"),
        pytest.param("prd.json", json.dumps({"userStories": [A]}), "prd", 1, id="prd.json"),
        pytest.param(
            "stories.txt", f" {json.dumps([A])}", "stories", 1, id="JSON by its first letter"
        ),
        pytest.param("My list.md", LIST, "my-list", 3, id="a checklist"),
        pytest.param(
            "PLAN.md", "## Must-Haves\n- [ ] x\n", "1", 0, id="a plan without tasks is no checklist"
        ),
        pytest.param(
            "x.md",
            "Fenced:\n```\n<task id='1'>\n</task>\n```\n",
            "1",
            0,
            id="an example is nothing",
        ),
        pytest.param("empty.md", "", "1", 0, id="nothing"),
    ],
)
def test_the_format_is_told_from_name_and_content(
    tmp_path: Path, name: str, text: str, phase: str, count: int
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    plan = plans.read(str(tmp_path / "docs" / name), str(tmp_path)).plan

    assert (plan.phase, len(plan.tasks), plan.file) == (phase, count, f"docs/{name}")


def test_a_plan_from_elsewhere_is_named_as_it_was_given(tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text(LIST, encoding="utf-8")

    assert plans.read(str(tmp_path / "plan.md"), str(tmp_path / "project")).plan.file == str(
        tmp_path / "plan.md"
    )


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        pytest.param(None, "no plan at ", id="not there"),
        pytest.param(b"x\n" * 1_000_001, "is larger than 2 MB", id="too large"),
        pytest.param(b"one\ntwo \xff", "is not UTF-8 text (line 2)", id="no text"),
    ],
)
def test_what_is_no_plan_at_all_is_refused_kindly(
    tmp_path: Path, raw: bytes | None, words: str
) -> None:
    path = tmp_path / "PLAN.md"
    if raw is not None:
        path.write_bytes(raw)

    with pytest.raises(UserError) as refused:
        plans.read(str(path), str(tmp_path))
    assert words in str(refused.value)


def test_a_folder_is_no_plan(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no plan at"):
        plans.read(str(tmp_path), str(tmp_path))
