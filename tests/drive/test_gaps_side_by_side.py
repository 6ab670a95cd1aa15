"""Gaps that a runner fixes side by side: what lands, what is tried again, and what nobody pays for twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopwright.core.loop import plan_of
from tests.support.plan_projects import (
    UNTIL,
    a_plan,
    a_task,
    files_of,
    run_script,
    start_plan,
    turn_on,
)
from tests.support.project import Project

pytestmark = pytest.mark.plans

TWO = ("--parallel", "--max-parallel", "2")


def lane_folder(here: Project) -> Path:
    return Path(f"{here.root}-lanes-{(here.folder.read_loop() or here.ended).id[-6:]}")


def test_gaps_are_fixed_at_once_each_in_its_lane(project, tmp_path: Path) -> None:
    """Each fix waits for the word of the other: one after the other neither would end."""
    meet = tmp_path / "meet"
    meet.mkdir()
    here = start_plan(
        project(), plan=a_plan(a_task("01", "create one.py"), a_task("02", "create two.py"))
    )

    def fix(me: str, other: str) -> dict[str, object]:
        return {
            "when": ['<gap type="orphan"', f"<file>{me}.py</file>"],
            "run": [f"touch {meet / me}; {UNTIL.format(meet / other)}"],
            "write": {f"use_{me}/main.py": f"import {me}\n\nprint({me}.x)\n"},
            "say": f"GAP CLOSED: {me}.py",
        }

    said = run_script(
        here,
        fix("one", "two"),
        fix("two", "one"),
        turn_on("01", write={"one.py": "x = 1\n"}),
        turn_on("02", write={"two.py": "x = 2\n"}),
        words=TWO,
    )
    assert said.code == 0, said.out + said.err
    subjects = [subject for subject, _ in files_of(here)]
    assert sorted(subjects[2:]) == ["fix(1): orphan one.py", "fix(1): orphan two.py"]
    assert plan_of(here.ended).gaps == ()
    assert not lane_folder(here).exists()


@pytest.mark.long
def test_a_fix_that_does_not_hold_is_tried_again_and_the_other_lands(project) -> None:
    here = start_plan(
        project(), plan=a_plan(a_task("01", "create one.py"), a_task("02", "create two.py"))
    )
    good = "import {0}\n\nprint({0}.x)\n"
    said = run_script(
        here,
        {
            "when": ["<file>one.py</file>", "<attempt>1 of 3"],
            "write": {"use_one/main.py": good.format("one")},
            "say": "GAP CLOSED: one.py",
        },
        {"when": ["<file>one.py</file>"], "write": {"x.txt": "x"}, "say": "GAP CLOSED: one.py"},
        {
            "when": ["<file>two.py</file>"],
            "write": {"use_two/main.py": good.format("two")},
            "say": "GAP CLOSED: two.py",
        },
        turn_on("01", write={"one.py": "x = 1\n"}),
        turn_on("02", write={"two.py": "x = 2\n"}),
        words=TWO,
    )
    assert said.code == 0, said.out + said.err
    subjects = [subject for subject, _ in files_of(here)]
    assert subjects[2:] == ["fix(1): orphan two.py", "fix(1): orphan one.py"]


BOTH_FIXES = {
    f"use_{name}/main.py": f"import {name}\n\nprint({name}.x)\n" for name in ("one", "two")
}
NAMES_BOTH = "GAP CLOSED: one.py\nGAP CLOSED: two.py"


def plan_with_two_orphans(project) -> Project:
    return start_plan(
        project(), plan=a_plan(a_task("01", "create one.py"), a_task("02", "create two.py"))
    )


ORPHANS = (
    turn_on("01", write={"one.py": "x = 1\n"}),
    turn_on("02", write={"two.py": "x = 2\n"}),
)


@pytest.mark.parametrize(
    ("one", "two", "writes_both"),
    [
        pytest.param("I fixed it.", "Done.", False, id="neither says the words"),
        pytest.param(
            *("I fixed it.", "Done.", True),
            id="each fixes both, without the words",
            marks=pytest.mark.long,
        ),
        pytest.param(
            *("GAP FAILED: no idea", "GAP CLOSED: two.py", False),
            id="one gives up in words",
            marks=pytest.mark.long,
        ),
        pytest.param(
            *(NAMES_BOTH, NAMES_BOTH, True), id="each fixes and names both", marks=pytest.mark.long
        ),
        pytest.param("GAP CLOSED: two.py", "GAP CLOSED: one.py", True, id="each names the other"),
    ],
)
def test_a_gap_is_closed_by_its_commit_and_its_check_whatever_was_said(
    project, one: str, two: str, writes_both: bool
) -> None:
    here = plan_with_two_orphans(project)

    def fix(name: str, words: str) -> dict[str, object]:
        own = {path: text for path, text in BOTH_FIXES.items() if writes_both or name in path}
        return {"when": [f"<file>{name}.py</file>"], "write": own, "say": words}

    said = run_script(here, fix("one", one), fix("two", two), *ORPHANS, words=TWO)
    assert said.code == 0, said.out + said.err
    assert {*BOTH_FIXES} <= {*here.git("ls-files").split()}
    assert len(here.events("LaneStarted")) == 4, "each fix is paid for once"
    assert here.git("status", "--short") == "?? PLAN.md\n"
    assert not lane_folder(here).exists()


@pytest.mark.long
def test_a_fix_that_the_person_is_in_the_way_of_lands_later_and_is_not_paid_again(project) -> None:
    here = plan_with_two_orphans(project)
    mine = here.root / "use_one" / "main.py"

    def fix(name: str, *run: str) -> dict[str, object]:
        path = f"use_{name}/main.py"
        return {
            "when": [f"<file>{name}.py</file>"],
            "write": {path: BOTH_FIXES[path]},
            "run": run,
            "say": "done",
        }

    blocks = f"mkdir -p {mine.parent} && echo mine > {mine}"
    said = run_script(here, fix("one", blocks), fix("two"), *ORPHANS, words=TWO)
    assert said.code == 4, said.out + said.err
    assert "is proven and cannot land" in said.out

    mine.unlink()
    assert here.run("continue").code == 0
    said = run_script(here, {"say": "unused"}, words=TWO)
    assert said.code == 0, said.out + said.err
    assert {*BOTH_FIXES} <= {*here.git("ls-files").split()}
    assert len(here.events("LaneStarted")) == 4
    assert plan_of(here.ended).landings == ()
