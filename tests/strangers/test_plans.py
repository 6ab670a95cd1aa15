"""What a stranger who has read only the documents expects of plans and attempts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loopwright.core.loop import plan_of
from tests.support.plan_projects import run_script, turn_on
from tests.support.project import Project

LIST = "- [ ] one (check: `test -f 1.txt`)\n- [ ] two (check: `false`)\n- [ ] three\n"


@pytest.fixture
def half_done(project: Callable[..., Project]) -> Project:
    """A checklist whose first item is done, and whose second one failed."""
    here = project({"todo.md": LIST})
    assert here.run("start", "--plan", "todo.md", "--yes", "--retries", "0").code == 0
    assert here.run("allow", "--yes").code == 0
    run_script(here, turn_on("01", write={"1.txt": "x"}), turn_on("02"))
    assert plan_of(here.loop).done == ("01",)
    return here


def titles(here: Project, names: tuple[str, ...]) -> list[str]:
    plan = plan_of(here.loop)
    return [plan.task(name).title for name in names]


# --- a plan that is edited after the start ---


def test_a_new_first_item_is_not_taken_for_the_one_that_was_done(half_done) -> None:
    here = half_done
    text = (here.root / "todo.md").read_text()
    assert text.startswith("- [x] one")
    here.write({"todo.md": "- [ ] zero (check: `test -f 0.txt`)\n" + text})
    assert here.run("plan", "reload").out.splitlines()[:-1] == [
        "+ 01 zero",
        "→ 02 one (was 01)",
        "→ 03 two (was 02)",
        "→ 04 three (was 03)",
    ]
    assert here.run("plan", "reload", "--yes").code == 0
    plan = plan_of(here.loop)
    assert titles(here, plan.done) == ["one"]
    assert titles(here, plan.parked) == ["two"]
    assert [name for name, _ in plan.commits] == ["02"]
    assert (here.root / "todo.md").read_text().count("[x]") == 1


def test_a_reworded_task_is_done_once_more_unless_its_box_says_that_it_is_done(half_done) -> None:
    here = half_done
    reworded = (here.root / "todo.md").read_text().replace("one", "one, in colour")
    changed = "~ 01 one, in colour (title, action, done, checks"
    here.write({"todo.md": reworded})
    assert f"{changed})" in here.run("plan", "reload").out
    here.write({"todo.md": reworded.replace("[x]", "[ ]")})
    assert f"{changed}; done, and to do once more)" in here.run("plan", "reload").out
    assert here.run("plan", "reload", "--yes").code == 0
    assert plan_of(here.loop).done == ()


def test_a_tick_can_be_taken_back_after_the_plan_was_reloaded(half_done) -> None:
    here = half_done
    here.write({"todo.md": "- [ ] zero\n" + (here.root / "todo.md").read_text()})
    assert here.run("plan", "reload", "--yes").code == 0
    assert here.run("plan", "retry", "02").code == 0
    assert "[x]" not in (here.root / "todo.md").read_text()


def test_what_was_left_out_stays_out_and_what_was_added_stays_in(half_done) -> None:
    here = half_done
    assert here.run("plan", "skip", "03").code == 0
    assert here.run("plan", "add", "write docs", "--after", "01").code == 0
    assert "nothing is to be taken over" in here.run("plan", "reload").out
    here.write({"todo.md": "- [ ] zero\n" + (here.root / "todo.md").read_text()})
    assert here.run("plan", "reload", "--yes").code == 0
    plan = plan_of(here.loop)
    assert [task.title for task in plan.tasks] == ["zero", "one", "two", "write docs"]
    docs = plan.tasks[-1]
    assert titles(here, docs.depends) == ["one"]
    everyone = {task.id for task in plan.tasks}
    assert all(everyone.issuperset(task.depends) for task in plan.tasks)


def test_what_waited_for_a_task_that_is_left_out_waits_for_those_before_it(project) -> None:
    here = project({"todo.md": LIST})
    here.run("start", "--plan", "todo.md", "--yes")
    here.run("allow", "--yes")
    assert here.run("plan", "skip", "02").code == 0
    assert plan_of(here.loop).task("03").depends == ("01",)


def test_reload_speaks_json_and_takes_no_other_file(half_done) -> None:
    said = half_done.run("plan", "reload", "--json").json
    assert said == {"file": "todo.md", "changes": [], "taken_over": False}
    assert "takes no name" in half_done.run("plan", "reload", "other.md").err
