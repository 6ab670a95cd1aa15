"""A proven task is ticked in the plan's own file: nothing else in it changes, and no evidence is void."""

from __future__ import annotations

import pytest

from tests.support.plan_projects import run_script, turn_writing
from tests.support.project import Project
from tests.torture.size import every

pytestmark = pytest.mark.plans

LIST = "# Work\r\n\r\n- [ ] write 01 (check: `test -f 01.txt`)\r\n- [ ] write 02 (check: `test -f 02.txt`)\r\n"


def start_list(here: Project, *words: str) -> Project:
    (here.root / "todo.md").write_bytes(LIST.encode())
    here.commit("the list")
    said = here.run("start", "--plan", "todo.md", "--yes", *words)
    assert here.run("allow", "--yes").code == 0, said.out + said.err
    return here


def changed_lines(here: Project) -> list[str]:
    rows = here.git("diff", "-U0", "--", "todo.md").splitlines()
    return [row.strip() for row in rows if row[:1] in "+-" and row[:3] not in ("+++", "---")]


@pytest.mark.parametrize("words", every(2, [(), ("--parallel",)]))
def test_only_ticks_are_in_the_diff_and_the_loop_is_proven(project, words) -> None:
    """In a lane the agent ticks its own box and one that is not its task: only proof counts."""
    here = start_list(project())
    ticks_all = ["sed -i 's/\\[ \\]/[x]/' todo.md"]
    said = run_script(
        here, turn_writing("01", run=ticks_all), turn_writing("02", run=ticks_all), words=words
    )
    assert said.code == 0, said.out + said.err
    assert changed_lines(here) == [
        "-- [ ] write 01 (check: `test -f 01.txt`)",
        "-- [ ] write 02 (check: `test -f 02.txt`)",
        "+- [x] write 01 (check: `test -f 01.txt`)",
        "+- [x] write 02 (check: `test -f 02.txt`)",
    ]
    assert here.ended.verdict.name == "SHIP"
    assert here.git("log", "--format=%s", "--", "todo.md").splitlines() == ["the list"], (
        "the plan is in no commit of a task"
    )


def test_a_task_is_ticked_as_soon_as_it_is_proven_and_no_sooner(project) -> None:
    here = start_list(project(), "--retries", "0")
    said = run_script(here, turn_writing("01"), turn_writing("02", write={"other.txt": "x"}))
    assert said.code == 4, said.out + said.err
    assert changed_lines(here) == [
        "-- [ ] write 01 (check: `test -f 01.txt`)",
        "+- [x] write 01 (check: `test -f 01.txt`)",
    ]


@pytest.mark.parametrize("how", every(2, ["option", "setting"]))
def test_the_plan_stays_as_it_is_where_that_is_wanted(project, how: str) -> None:
    here = project()
    if how == "setting":
        assert here.run("config", "plan.progress", "off").code == 0
    start_list(here, *(["--no-progress"] if how == "option" else []))
    said = run_script(here, turn_writing("01"), turn_writing("02"))
    assert said.code == 0, said.out + said.err
    assert changed_lines(here) == []
