"""What a stranger who has read only the documents expects of plans and attempts."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.loop import plan_of
from loopwright.core.runner.run import Attempt, Run
from loopwright.views.attempts import attempt_line, attempt_rows
from tests.support.plan_projects import UNTIL, run_script, start_plan, turn_on, turn_writing
from tests.support.project import Project
from tests.support.runner import Runner, script

pytestmark = pytest.mark.plans

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


@pytest.mark.long
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


# --- files that a person wrote by hand, or on another system ---


def read_plan(here: Project, name: str, text: str | bytes) -> Any:
    """What `loop plan show --json` says of a file with this text."""
    path = here.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return here.run("plan", "show", name, "--json").json


def ids(plan: Any) -> str:
    return " ".join(task["id"] for wave in plan["waves"] for task in wave["tasks"])


def checks_of(plan: Any) -> list[str]:
    tasks = [task for wave in plan["waves"] for task in wave["tasks"]]
    return [check["command"] for task in tasks for check in task["checks"]]


GSD1 = (
    "---\nphase: 01-x\nplan: 01\nwave: 1\n---\n<tasks>\n"
    '<task type="auto"><name>A</name><files>src\\a.py, b.py</files><action>x</action>'
    "<verify><automated>pytest -q</automated></verify><done>d</done></task>\n"
    '<task type="auto">\n<name>B</name>\n<action>x</action>\n<done>d</done>\n</task>\n</tasks>\n'
)
STEPS = (
    "# Plan\n### Task 1: A\n**Files:**\n- Create: `src/a.py`\n- Modify: `b.py:1-9`\n"
    "- [ ] **Step 1: write it**\n```python\n# - [ ] no box\n```\n- [ ] **Step 2: run it**\n"
    "### Task 2: B\n- [x] **Step 1: write it**\n"
)
UNITS = {
    "a PRD with its mark before the first words": ("a.md", "[PRD] [PRD] - [ ] a\n- [ ] b", "01 02"),
    "a PRD in the middle of an answer": (
        "a.md",
        "Here it is.\n- [ ] read it\n[PRD]\n- [ ] a\n- [ ] b [/PRD]\nFine?\n- [ ] yes\n",
        "01 02",
    ),
    "tasks as headings with steps below": ("docs/plan-of-a.md", STEPS, "1 2"),
    "tasks as headings without boxes": ("a.md", "## Task 1: a\nx\n## Task 2: b\ny\n", "1 2"),
    "old Mac line ends": ("todo.md", b"# T\r- [ ] one\r- [ ] two\r", "01 02"),
    "a byte order mark and Windows line ends": (
        "specs/1/tasks.md",
        b"\xef\xbb\xbf# T\r\n- [ ] T001 [P] a\r\n- [ ] T002 [P] b\r\n",
        "T001 T002",
    ),
    "GSD 1 with Windows line ends and a task on one line": (
        ".planning/phases/01-x/01-01-PLAN.md",
        GSD1.replace("\n", "\r\n"),
        "01-1 01-2",
    ),
    "boxes without a gap and with other letters": (
        "todo.md",
        "- [ ] a\n- [>] b\n- [!] c\n- [ ]d\n-[ ] e\n- [✓] f\n- [x](url) no box\n- [1] no box\n",
        "01 02 03 04 05 06",
    ),
    "Kiro groups at the same indent as their tasks": (
        ".kiro/specs/a/tasks.md",
        "- [ ] 1. A\n- [ ] 1.1 a\n  - _Requirements: 1_\n- [ ]* 1.2 b\n- [ ] 2. B\n  - more\n",
        "1.1 1.2 2",
    ),
    "spec-kit ids in brackets, and a list that checks the page": (
        "specs/1/tasks.md",
        "# Tasks: X\n## Phase 1\n- [ ] [T001] a\n- [ ] T002 - b\n- [ ] no id\n- [ ] T003 c\n"
        "## Validation Checklist\n- [ ] all is there\n",
        "T001 T002 item-3 T003",
    ),
    "the first Taskmaster, without tags": (
        "tasks.json",
        '{"tasks": [{"id": 1, "title": "a", "status": "pending"}]}',
        "1",
    ),
    "a story that is mentioned once more": (
        "prd.md",
        "# P\n### US-1: a\n- [ ] x\n### US-2: b\n- [ ] y\n## Later\n### US-1: a\nsee above\n",
        "US-1 US-2",
    ),
}


@pytest.mark.parametrize("case", UNITS)
def test_a_file_is_read_to_the_last_of_its_units(project, case) -> None:
    name, text, wanted = UNITS[case]
    plan = read_plan(project(), name, text)
    assert ids(plan) == wanted
    assert not [row for row in plan["problems"] if row["severity"] == "error"]


COMMANDS = {
    "an item of a checklist": ("todo.md", "- [ ] one\n  - `test -f a`\n"),
    "a detail of spec-kit": ("tasks.md", "# Tasks\n- [ ] T001 a\n  - `test -f a`\n"),
    "a detail of Kiro": (".kiro/specs/a/tasks.md", "- [ ] 1. a\n  - (check: `test -f a`)\n"),
    "a criterion in JSON": (
        "prd.json",
        '{"userStories": [{"id": "1", "title": "a", "acceptanceCriteria": ["`test -f a`"]}]}',
    ),
    "an object in plan.json": (
        "plan.json",
        '{"tasks": [{"id": "1", "action": "a", "wave": 1, "verify": {"cmd": "test -f a"}}]}',
    ),
}


@pytest.mark.parametrize("case", COMMANDS)
def test_a_line_that_is_only_a_command_in_backticks_is_run(project, case) -> None:
    assert checks_of(read_plan(project(), *COMMANDS[case])) == ["test -f a"]


def test_all_of_a_plan_json_is_read(project) -> None:
    plan = read_plan(
        project(),
        "plan.json",
        '{"tasks": [{"id": "1", "action": "a", "files": "a.py, b.py", "verify": '
        '[{"type": "file", "target": "a.py exists"}]}], "must_haves": {"truths": '
        '[{"text": "t", "check": "true"}], "artifacts": [{"path": "b.py"}], '
        '"key_links": [{"from": "a.py", "to": "b.py", "via": "import"}, "all is wired"]}}',
    )
    (task,) = plan["waves"][0]["tasks"]
    assert [file["path"] for file in task["files"]] == ["a.py", "b.py"]
    assert [check["path"] for check in task["checks"]] == ["a.py", "b.py"]
    assert plan["must_haves"] == [
        {"text": "t", "command": "true"},
        {"text": "all is wired", "command": ""},
    ]
    assert plan["links"] == [{"source": "a.py", "target": "b.py", "how": "import"}]


def test_a_heading_with_steps_is_one_task_with_all_its_text(project) -> None:
    here = project({"b.py": ""})
    plan = read_plan(here, "steps.md", STEPS)
    first, second = (wave["tasks"][0] for wave in plan["waves"])
    assert [(file["action"], file["path"]) for file in first["files"]] == [
        ("create", "src/a.py"),
        ("modify", "b.py"),
    ]
    assert (first["state"], second["state"]) == ("open", "done")
    here.run("start", "--plan", "steps.md", "--yes")
    assert "# - [ ] no box" in plan_of(here.loop).task("1").action


def test_paths_of_windows_are_files_of_the_task(project) -> None:
    text = "# Tasks\n- [ ] T001 write src\\app\\a.py and `src\\b.py`, not C:\\c.py\n"
    (task,) = read_plan(project(), "tasks.md", text)["waves"][0]["tasks"]
    assert [file["path"] for file in task["files"]] == ["src/app/a.py", "src/b.py"]


ERRORS = {
    "an id twice is named, and no cycle that is none": (
        "# Tasks\n- [ ] T001 a\n- [ ] T001 b\n- [ ] T003 c\n",
        ["id 'T001' is taken already, on line 2. Give this task another one"],
    ),
    "an id that differs in its letters alone": (
        '<task id="a1" wave="1">\n<done>x</done>\n</task>\n'
        '<task id="A1" wave="1">\n<done>x</done>\n</task>\n',
        ["id 'A1' is taken already, on line 1. Give this task another one"],
    ),
    "an id that git has no branch for": (
        '<task id="x.lock" wave="1">\n<done>x</done>\n</task>\n',
        ["id 'x.lock': git has no branch of such a name. End it with a letter or a digit"],
    ),
    "a second story of the same id": (
        "# P\n### US-1: a\n- [ ] x\n### US-1: b\n- [ ] y\n",
        ["id 'US-1' is taken already, on line 2. Give this task another one"],
    ),
    "a task is not the one that it could have meant": (
        "# P\n### US-3: a\nDepends on: US-9\n- [ ] x\n",
        ["task US-3 depends on 'US-9', which does not exist. No other task is there"],
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_an_error_says_what_is_wrong_and_nothing_else(project, case) -> None:
    text, wanted = ERRORS[case]
    problems = read_plan(project(), "plan-of-mine.md", text)["problems"]
    assert [row["text"] for row in problems if row["severity"] == "error"] == wanted


def test_stories_may_say_in_a_list_what_they_wait_for(project) -> None:
    text = "# P\n### US-1: a\n- [ ] x\n### US-2: b\n- Depends on: US-1\n- [ ] y\n"
    plan = read_plan(project(), "prd.md", text)
    assert plan["critical_path"] == ["US-1", "US-2"]


def test_problems_of_a_folder_are_named_by_its_file_or_without_a_line(project) -> None:
    here = project(
        {
            ".planning/phases/01-x/01-01-PLAN.md": GSD1,
            ".planning/phases/01-x/01-02-PLAN.md": GSD1.replace("plan: 01", "plan: 02"),
            ".beads/issues.jsonl": '{"id": "a-1", "title": "x", "status": "open"}\n',
        }
    )
    phase = here.run("plan", "lint", ".planning/phases/01-x").out
    assert ".planning/phases/01-x: warning: task 01-2 has no check" in phase
    assert here.run("plan", "lint", ".beads").out.startswith(".beads/issues.jsonl:1: warning")
    assert "Below it there is: .planning/phases/01-x" in here.run("plan", "lint", ".planning").err
    here.git("rm", "-rq", ".planning")
    assert ". There is: .beads/issues.jsonl" in here.run("plan", "show").err


# --- a run ---


@pytest.mark.long
def test_a_task_that_finds_nothing_to_change_is_done_with_its_first_turn(project) -> None:
    here = project({"todo.md": "- [ ] one (check: `test -f 1.txt`)\n- [ ] run all the tests\n"})
    here.run("start", "--plan", "todo.md", "--yes", "--retries", "0")
    here.run("allow", "--yes")
    turns = turn_on("01", write={"1.txt": "x"}), turn_on("02")
    said = run_script(here, *turns, words=("--parallel",))
    assert said.code == 10, said.out + said.err
    assert "Task 02: nothing was to change" in said.out
    assert (here.root / "todo.md").read_text().count("[x]") == 2


def test_a_plan_with_a_task_that_no_check_shows_is_not_called_proven(project) -> None:
    here = start_list(project(), "- [ ] one (check: `test -f 1.txt`)\n- [ ] two\n- [x] old\n")
    said = run_script(here, turn_on("01", write={"1.txt": "x"}), turn_on("02"))
    assert (said.code, "no check shows task 02" in said.out) == (10, True), said.out
    assert "SHIP" not in said.out


@pytest.mark.long
def test_the_first_line_of_a_file_with_a_byte_order_mark_is_ticked_too(project) -> None:
    here = project()
    path, text = here.root / "todo.md", "\ufeff- [ ] one (check: `test -f 1.txt`)\r\n"
    path.write_bytes(text.encode())
    here.run("start", "--plan", "todo.md", "--yes")
    here.run("allow", "--yes")
    run_script(here, turn_on("01", write={"1.txt": "x"}))
    assert path.read_bytes() == text.replace("[ ]", "[x]").encode()


def test_a_criterion_that_no_command_shows_is_not_ticked_with_the_others(project) -> None:
    here = project(
        {
            "prd.md": "# P\n### US-1: a\n- [ ] it works (check: `test -f 1.txt`)\n- [ ] looks nice\n"
            "- [ ] `test -f 1.txt`\n### US-2: b\n- [ ] never (check: `false`)\n"
        }
    )
    here.run("start", "--plan", "prd.md", "--yes", "--retries", "0")
    here.run("allow", "--yes")
    run_script(here, turn_on("US-1", write={"1.txt": "x"}), turn_on("US-2"))
    boxes = [line[:5] for line in (here.root / "prd.md").read_text().splitlines() if "[" in line]
    assert boxes == ["- [x]", "- [ ]", "- [x]", "- [ ]"]


@pytest.mark.long
def test_a_paused_plan_does_not_continue_on_another_branch_unasked(half_done) -> None:
    here = half_done
    here.git("switch", "-qc", "other")
    said = here.run("run", "--continue")
    assert said.code == 1
    assert "began on the branch main, and the branch other is checked out now" in said.err
    assert said.err.rstrip().endswith("To continue here instead: loop run --continue --yes")
    assert here.loop.status == "paused"
    here.write({"todo.md": (here.root / "todo.md").read_text().replace("`false`", "`true`")})
    here.run("plan", "reload", "--yes")
    here.run("allow", "--yes")
    said = run_script(here, turn_on("02"), turn_on("03"), words=("--continue", "--yes"))
    assert said.code == 10, said.out + said.err


@pytest.mark.long
def test_eager_is_accepted_where_parallel_is(project) -> None:
    here = project({"todo.md": "# P\n### US-1: a\n- [ ] x\n### US-2: b\n- [ ] y\n"})
    here.run("start", "--plan", "todo.md", "--yes")
    failing = {"fail": "it is down"}
    assert "Choose one" in here.run("run", "--parallel", "--waves", "--eager").err
    run_script(here, failing, words=("--parallel", "--eager", "--until", "00:00"))
    assert plan_of(here.loop).eager
    run_script(here, failing, words=("--continue", "--parallel", "--waves"))
    assert not plan_of(here.loop).eager


WRONG_WORDS = {
    "plan add one": "Start one: loop start --plan FILE.",
    "plan skip 03": "Start one: loop start --plan FILE.",
    "run --parallel": "Start one: loop start --plan FILE.",
    "run": "Start one: loop start SPEC.",
    "plan show todo.md --svg --json": "leave --mermaid, --dot or --svg out",
    "start todo.md": "todo.md is a file. To execute it as a plan: loop start --plan todo.md.",
    "run todo.md --agent-command true": "To work on what it says: loop start --file todo.md",
}


@pytest.mark.parametrize("words", WRONG_WORDS)
def test_a_hint_names_a_command_that_works_there(project, words) -> None:
    here = project({"todo.md": LIST})
    assert WRONG_WORDS[words] in here.run(*words.split()).err


@pytest.mark.parametrize("option", ["--parallel", "--waves", "--eager", "--strict"])
def test_an_option_of_a_plan_starts_no_loop_on_a_spec(project, option) -> None:
    here = project()
    said = here.run("run", "make readme.md longer", option, "--agent-command", "true")
    assert "are for a plan: loop start --plan FILE" in said.err
    assert not (here.root / ".loop").exists()


def test_attempts_that_cannot_begin_start_no_loop(project) -> None:
    here = project({"a.py": "x = 1\n"})
    here.write({"mine.txt": "not committed"})
    words = ("--attempts", "2", "--agent-command", "true", "--check", "x=false")
    said = here.run("run", "make a.py say two", *words)
    assert "no attempt would have it: mine.txt" in said.err
    assert not (here.root / ".loop").exists()


def start_list(here: Project, text: str) -> Project:
    here.write({"todo.md": text})
    here.commit()
    here.run("start", "--plan", "todo.md", "--yes", "--retries", "0")
    here.run("allow", "--yes")
    return here


def test_what_a_worktree_lacks_is_named_without_our_own_files(project) -> None:
    here = project({".gitignore": ".env\n"})
    here.write({".env": "A=1\n"})
    start_list(here, "- [ ] one (check: `test -f .env`)\n")
    said = run_script(here, turn_on("01"), words=("--parallel",))
    assert "Trying 1 check in a fresh worktree" in said.out
    assert "and fails in a fresh worktree. The worktree lacks .env. Name the files" in said.err


def test_a_run_that_tries_slow_checks_ends_with_the_signal(project) -> None:
    here = start_list(project(), "- [ ] one (check: `test -e slow && sleep 600`)\n")
    here.write({"slow": "only after the start, which runs the check too\n"})
    here.git("add", "-A")
    here.git("commit", "-qm", "slow")
    argv = [sys.executable, "-m", "loopwright.cli.main", "run", "--parallel"]
    argv += ["--script", script(here, turn_on("01"))]
    with subprocess.Popen(argv, cwd=here.root, stdout=subprocess.PIPE, text=True) as runner:
        assert runner.stdout is not None
        assert any("Trying 1 check" in line for line in runner.stdout)
        runner.terminate()
        assert runner.wait(60) == 8
    assert here.git("worktree", "list").count("\n") == 1


def test_an_attempt_says_what_was_found_and_that_its_cost_is_not_known(project) -> None:
    found = Attempt(
        number=2,
        agent="command",
        model="",
        outcome="not proven",
        why="3 turns of talk",
        findings=1,
        found=("tests/test_a.py:1: assertion removed",),
        files=1,
        lines=1,
        unpriced=("the command",),
    )
    assert attempt_line(found).endswith("1 finding, 1 line, cost unknown (3 turns of talk)")
    here = project()
    here.start()
    run = Run(("command",), attempts=(found,))
    row, *_, first, second = attempt_rows(here.loop.but(run=run))[2:]
    assert "| 1 file, 1 line | unknown |" in row
    assert first == "- attempt 2: tests/test_a.py:1: assertion removed"
    assert second == "- attempt 2: 3 turns of talk"


def test_a_task_that_is_added_costs_those_at_work_no_turn(project, tmp_path: Path) -> None:
    here = start_plan(project())
    go = tmp_path / "go"
    turns = [turn_writing(name, run=[UNTIL.format(go)]) for name in ("01", "02")]
    with Runner(here, "--script", script(here, *turns), "--parallel") as runner:
        runner.shows("Task 02 |")
        assert here.run("plan", "add", "three", "--check", "test -f 3.txt").code == 0
        go.touch()
        said = runner.ends()
    assert (said.code, "Allow?" in said.out) == (6, True), said.out + said.err
    assert sorted(plan_of(here.loop).done) == ["01", "02"]


def test_a_command_that_was_allowed_stays_so_when_its_task_moves(project) -> None:
    here = project({"todo.md": LIST})
    here.run("start", "--plan", "todo.md")
    assert here.run("answer", "yes").code == 0
    assert not here.loop.waiting_checks
    here.write({"todo.md": "- [ ] zero (check: `test -f 0.txt`)\n" + LIST})
    assert here.run("plan", "reload", "--yes").code == 0
    assert [c.name for c in here.loop.waiting_checks] == ["01.1 zero"]


def test_commits_name_the_feature_and_not_the_file_that_every_feature_has(project) -> None:
    here = project()
    assert read_plan(here, "specs/001-photos/tasks.md", "- [ ] T001 a\n")["phase"] == "001-photos"
    assert read_plan(here, "tasks.md", "- [ ] T001 a\n")["phase"] == "tasks"
