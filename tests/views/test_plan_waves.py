"""The drawing of a plan: waves, marks, what waits for what, the longest chain; and how problems are told."""

import pytest

from loopwright.core.plan.plan import (
    VERIFY,
    Lane,
    Link,
    MustHave,
    Plan,
    PlannedFile,
    Task,
    TaskCheck,
)
from loopwright.core.plan.reading import ERROR, WARNING, PlanProblem
from loopwright.views import plan_waves

CHECK = TaskCheck("test", "it works", "make test")
TASKS = (
    Task(
        "01",
        "Write the rows",
        files=(PlannedFile("src/export.py", "create"),),
        checks=(CHECK, CHECK),
    ),
    Task(
        "02",
        "Read the settings",
        files=(PlannedFile("src/settings.py"), PlannedFile("tests/test_settings.py")),
    ),
    Task("03", "Say so in the help", runs_alone=True),
    Task("04", "Wire it", 2, ("01", "02"), checks=(CHECK,)),
)
PLAN = Plan(
    "1",
    "CSV export",
    "PLAN.md",
    TASKS,
    (MustHave("it is there"),),
    (Link("a", "b"), Link("b", "c")),
)


def test_a_plan_is_drawn_wave_by_wave():
    assert plan_waves.text(PLAN).split("\n") == [
        "Phase 1: CSV export  (PLAN.md)",
        "4 tasks in 2 waves, 3 checks, 1 must-have, 2 key links",
        "",
        "Wave 1: 3 tasks, 2 then 1 at a time",
        "  ○ 01  Write the rows",
        "        src/export.py (create)",
        "  ○ 02  Read the settings",
        "        src/settings.py (modify), tests/test_settings.py (modify)",
        "  ○ 03  Say so in the help  (alone)",
        "",
        "Wave 2: 1 task, 1 at a time",
        "  ○ 04  Wire it  ← 01, 02",
        "",
        "Critical path, 2 of 4 tasks: 01 → 04",
        "Side by side: 2 at most",
    ]


@pytest.mark.parametrize(
    ("more", "rows"),
    [
        pytest.param({"done": ("01",)}, ["✓ 01  Write the rows"], id="done"),
        pytest.param(
            {"parked": ("01",)},
            ["⏸ 01  Write the rows", "○ 04  Wire it  ← 01, 02  (blocked)"],
            id="parked",
        ),
        pytest.param(
            {"lanes": (Lane("02", 0.0, "", 0.0, 1),)}, ["… 02  Read the settings"], id="in a lane"
        ),
        pytest.param({"assigned": ("02",)}, ["… 02  Read the settings"], id="in a session"),
        pytest.param(
            {"assigned": ("02",), "stage": VERIFY},
            ["○ 02  Read the settings"],
            id="only while tasks are executed",
        ),
        pytest.param(
            {"assigned": ("01",), "done": ("01",)}, ["✓ 01  Write the rows"], id="done is done"
        ),
    ],
)
def test_a_mark_says_how_a_task_stands(more, rows):
    drawn = [line.strip() for line in plan_waves.text(PLAN.but(**more)).split("\n")]

    assert [row for row in rows if row not in drawn] == []


def test_what_is_done_is_counted():
    assert plan_waves.totals_line(PLAN.but(done=("01", "02"))).endswith(", 2 key links, 2 done")


def test_a_narrow_screen_cuts_titles_and_wraps_paths_but_keeps_what_waits_for_what():
    long = Task(
        "04",
        "Wire it " * 20,
        2,
        ("01", "02"),
        (PlannedFile("a-very/long-path/of-a-file.py"), PlannedFile("another/one.py")),
    )
    drawn = plan_waves.text(PLAN.but(tasks=(*TASKS[:3], long)), width=50).split("\n")
    first = next(n for n, line in enumerate(drawn) if line.startswith("  ○ 04"))

    assert drawn[first].endswith(" …  ← 01, 02")
    assert drawn[first + 1 : first + 3] == [
        "        a-very/long-path/of-a-file.py (modify),",
        "        another/one.py (modify)",
    ]
    assert max(map(len, drawn)) <= 50


def test_a_long_chain_is_wrapped_between_its_tasks():
    tasks = tuple(Task(f"{n:02}", "x", n, (f"{n - 1:02}",) if n else ()) for n in range(30))
    drawn = plan_waves.text(Plan("1", tasks=tasks, eager=True))

    assert "Critical path, 30 of 30 tasks: 00 → 01 → 02" in drawn
    assert "Phase 1: (no title)\n" in drawn
    assert drawn.endswith(
        "Side by side: 1 at most (eager: what depends on nothing open begins, whatever\nits wave)"
    )
    assert max(map(len, drawn.split("\n"))) <= 80


def test_a_plan_that_cannot_run_is_drawn_all_the_same():
    tied = PLAN.but(tasks=(Task("a", "x", 1, ("b",)), Task("b", "y", 1, ("a",))))

    assert "Wave 1: 2 tasks, 0 at a time" in plan_waves.text(tied)
    assert plan_waves.text(Plan("1")).startswith("Phase 1: (no title)\n0 tasks in 0 waves")


def test_problems_are_told_as_editors_know_them():
    found = (PlanProblem(ERROR, 3, "no id"), PlanProblem(WARNING, 9, "shared"))

    assert plan_waves.problems_text(found, "PLAN.md").split("\n") == [
        "PLAN.md:3: error: no id",
        "PLAN.md:9: warning: shared",
        "PLAN.md: 1 error and 1 warning",
    ]
    assert plan_waves.problems_text(found[1:], "PLAN.md").endswith(
        "\nPLAN.md: 1 warning: it can start"
    )
    assert plan_waves.problems_text((), "PLAN.md") == "PLAN.md: nothing is wrong with it"


def test_the_facts_hold_all_that_is_drawn():
    facts = plan_waves.facts(PLAN.but(parked=("01",)), (PlanProblem(WARNING, 9, "shared"),))

    assert [
        (wave["wave"], [(task["id"], task["state"], task["blocked"]) for task in wave["tasks"]])
        for wave in facts["waves"]
    ] == [
        (1, [("01", "parked", False), ("02", "open", False), ("03", "open", False)]),
        (2, [("04", "open", True)]),
    ]
    assert (facts["critical_path"], facts["side_by_side"]) == (["01", "04"], 2)
    assert facts["waves"][0]["tasks"][0]["files"] == [{"path": "src/export.py", "action": "create"}]
    assert facts["problems"] == [{"severity": "warning", "line": 9, "text": "shared"}]
