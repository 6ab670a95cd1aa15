"""Lint: what is wrong with a plan is found before a cent is spent, by its line, with the way out."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from loopwright.core.plan.reading import PlanProblem
from loopwright.importers import plan_lint, plan_md
from loopwright.importers.plan_new import plan_template
from loopwright.importers.plan_words import path_problem

pytestmark = pytest.mark.plans

SEED = Path(__file__).parent / "cases/seed-003.md"
DONE = "  <done>it is there</done>"
PROVEN = '  <verify><check type="test" cmd="make test">tests pass</check></verify>'


def a_task(name: str, *lines: str, more: str = "", files: str = "", action: str = "create") -> str:
    """One that nothing is wrong with, unless we say otherwise."""
    named = f'  <files><file action="{action}">{files}</file></files>' if files else ""
    body = [
        line for line in (named, "  <action>Do it.</action>", *(lines or (PROVEN, DONE))) if line
    ]
    return "\n".join([f'<task id="{name}" {more}>', *body, "</task>\n"])


def lint(text: str, root: Path) -> list[PlanProblem]:
    return list(plan_lint.lint_plan(plan_md.read(text, "PLAN.md"), str(root)))


def only(text: str, root: Path) -> tuple[str, int, str]:
    (problem,) = lint(text, root)
    return problem.severity, problem.line, problem.text


# --- the seed ---


def test_the_seed_has_no_error_and_warns_of_the_files_that_this_project_has_not(
    tmp_path: Path,
) -> None:
    problems = lint(SEED.read_text(encoding="utf-8"), tmp_path)

    assert {problem.severity for problem in problems} == {"warning"}
    assert [problem.text.split(",")[0] for problem in problems] == [
        "task 03 is to modify .gsd/config.md",
        "task 04 is to modify commands/execute.md",
        "task 05 is to modify commands/verify.md",
        "task 06 is to modify .gsd/STATE.md",
        "task 07 is to modify .gsd/ROADMAP.md",
    ]


def test_where_those_files_are_nothing_is_wrong_with_the_seed(tmp_path: Path) -> None:
    for name in (
        ".gsd/config.md",
        ".gsd/STATE.md",
        ".gsd/ROADMAP.md",
        "commands/execute.md",
        "commands/verify.md",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    assert lint(SEED.read_text(encoding="utf-8"), tmp_path) == []


def test_a_cycle_in_the_seed_is_refused_and_named(tmp_path: Path) -> None:
    text = SEED.read_text(encoding="utf-8")
    text = text.replace('<task id="01" wave="1">', '<task id="01" wave="1" depends="02">')
    text = text.replace('<task id="02" wave="1">', '<task id="02" wave="1" depends="01">')

    assert lint(text, tmp_path)[0] == PlanProblem(
        "error", 23, "these wait for each other: 01 → 02 → 01. Take one dependency away"
    )


# --- errors ---


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        pytest.param("# Nothing\n", 1, "no tasks in any format that is read.", id="no tasks"),
        pytest.param(
            a_task("write") + a_task("02", more='depends="wirte"'),
            6,
            "task 02 depends on 'wirte', which does not exist. Did you mean 'write'?",
            id="unknown",
        ),
        pytest.param(
            a_task("01", more='depends="zzz"'),
            1,
            "which does not exist. No other task is there",
            id="unknown, and nothing like it",
        ),
        pytest.param(
            a_task("01", more='depends="01"'),
            1,
            "these wait for each other: 01 → 01.",
            id="waits for itself",
        ),
        pytest.param(
            a_task("01", more='wave="1" depends="02"') + a_task("02", more='wave="2"'),
            1,
            "task 01 of wave 1 depends on 02 of wave 2, which begins after it.",
            id="a later wave",
        ),
        pytest.param(
            a_task("01") + a_task("01"), 6, "id '01' is taken already, on line 1.", id="twice"
        ),
        pytest.param(a_task("a b"), 1, "id 'a b': use letters (A to Z), digits,", id="letters"),
        pytest.param(a_task("x" * 41), 1, "at most 40", id="long"),
        pytest.param(a_task(""), 1, "a task without an id.", id="none"),
        pytest.param(
            "# Phase 1\n" + a_task("01", DONE).replace(DONE, ""),
            2,
            "task 01: nothing says when it is done.",
            id="no proof",
        ),
        pytest.param(
            "---\ntask_count: 2\n---\n" + a_task("01"),
            2,
            "task_count says 2, but the plan has 1 task.",
            id="tasks",
        ),
        pytest.param(
            "---\nphase: 1\nwave_count: '3'\n---\n" + a_task("01"),
            3,
            "wave_count says 3, but the plan has 1 wave.",
            id="waves",
        ),
        pytest.param(
            "---\nphase: {N}\n---\n" + a_task("01"), 1, "phase '{N}': use letters", id="phase"
        ),
        pytest.param(
            a_task("01", more='wave="two"'), 1, "task 01: a wave is a number, not 'two'", id="wave"
        ),
        pytest.param(
            a_task("01").replace("</task>", ""),
            1,
            "task 01: no end. It is a line </task>",
            id="no end",
        ),
        pytest.param(
            a_task("01", files="a.py", action="rewrite"),
            1,
            "unknown action 'rewrite'; there are create, modify and delete",
            id="action",
        ),
        pytest.param(
            a_task("01", files="/etc/passwd"),
            1,
            "'/etc/passwd' is outside the repository.",
            id="absolute",
        ),
        pytest.param(
            a_task("01") + "## Key Links\n| ../a | b |\n",
            7,
            "key link: '../a' leads through `..`",
            id="a link",
        ),
    ],
)
def test_an_error_is_named_by_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    problem = next(problem for problem in lint(text, tmp_path) if words in problem.text)

    assert (problem.severity, problem.line) == ("error", line)


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("a\tb", "is no path"),
        ("/etc/passwd", "is outside the repository"),
        ("C:\\x.py", "is outside the repository"),
        ("~/x.py", "is outside the repository"),
        ("a/../../x.py", "leads through `..`"),
        ("a\\..\\..\\x.py", "leads through `..`"),
        (".git/hooks/pre-commit", "is inside .git/, which is not the plan's to write"),
        ("sub/.GIT/config", "is inside .GIT/, which is not the plan's to write"),
        (".loop/state.json", "is inside .loop/, which is not the plan's to write"),
        ("b/.github/c.py", ""),
    ],
)
def test_a_path_that_cannot_be_a_file_of_the_repository(path: str, problem: str) -> None:
    assert path_problem(path) == problem


def test_a_sound_plan_has_nothing_wrong_with_it(tmp_path: Path) -> None:
    assert lint(a_task("01", files="a.py") + a_task("02", files="b/.github/c.py"), tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_a_path_that_leaves_the_repository_by_a_link_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    (tmp_path / "outside").mkdir()
    os.symlink(tmp_path / "outside", tmp_path / "repo/out")
    os.symlink("repo", tmp_path / "same")

    assert only(a_task("01", files="out/x.py"), tmp_path / "repo")[2].startswith(
        "task 01: 'out/x.py' leads out of the repository"
    )
    assert lint(a_task("01", files="x.py"), tmp_path / "same") == [], (
        "a repository that is reached by a link is no stranger"
    )


def test_a_plan_that_is_beyond_all_measure_is_refused(tmp_path: Path) -> None:
    many = "".join(f'<task id="{number}">\n</task>\n' for number in range(1_001))
    files = "".join(f"<file>{number}.py</file>" for number in range(200))

    assert only(many, tmp_path) == ("error", 1, "1001 tasks, and 1000 is the most. Split the plan")
    assert "task 01 has 201 files and 1 checks; 200 is the most. Split it" in [
        problem.text
        for problem in lint(
            a_task("01", files="a.py").replace("<files>", f"<files>{files}"), tmp_path
        )
    ]


# --- warnings ---


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        pytest.param(
            a_task("01", DONE),
            1,
            "task 01 has no check: it can only be reported as done, not proven",
            id="reported",
        ),
        pytest.param(
            a_task("01", '<verify><check type="browser">it opens</check></verify>'),
            1,
            "task 01: no command runs its check (it opens): an agent or a person looks. A command proves it",
            id="a check for a person",
        ),
        pytest.param(
            a_task(
                "01",
                '<verify><check type="x">a</check><check type="test">b</check><check type="lint" cmd="c">d</check></verify>',
            ),
            1,
            "no command runs 2 of its 3 checks (a)",
            id="two of three",
        ),
        pytest.param(
            a_task("01").replace("  <action>Do it.</action>\n", ""),
            1,
            "task 01 has no <action>",
            id="no action",
        ),
        pytest.param(
            a_task("01", files="a.py") + a_task("02", files="./a.py"),
            7,
            "tasks 01 and 02 of wave 1 share a.py: they run one after the other.",
            id="shared",
        ),
        pytest.param(
            a_task("01", files="a.py", action="modify"),
            1,
            "task 01 is to modify a.py, but it is not there",
            id="not there",
        ),
        pytest.param(
            a_task("01", files="a.py", action="delete"),
            1,
            "task 01 is to delete a.py, but it is not there",
            id="not there to delete",
        ),
        pytest.param(
            a_task("01") + "## Key Links\n\n| From | To |\n|--|--|\n| here.txt | nowhere.py |\n",
            10,
            "key link: nowhere.py is neither there nor in any task's files",
            id="a loose link",
        ),
    ],
)
def test_a_warning_is_good_to_know(tmp_path: Path, text: str, line: int, words: str) -> None:
    (tmp_path / "here.txt").touch()
    severity, where, said = only(text, tmp_path)

    assert (severity, where) == ("warning", line)
    assert words in said


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            a_task("01", files="a.py")
            + a_task("02", files="a.py", action="modify", more='depends="01"'),
            id="a dependency",
        ),
        pytest.param(
            a_task("01", files="a.py")
            + a_task("02", files="a.py", action="modify", more='wave="2"'),
            id="another wave",
        ),
        pytest.param(
            a_task("01", files="a.py")
            + a_task("02", more='depends="01"')
            + a_task("03", files="a.py", action="delete", more='depends="02"'),
            id="a dependency by another",
        ),
    ],
)
def test_who_works_on_a_file_after_its_maker_is_not_warned_of(tmp_path: Path, text: str) -> None:
    assert lint(text, tmp_path) == []


def test_errors_come_before_warnings_and_each_by_its_line(tmp_path: Path) -> None:
    text = a_task("01", DONE) + a_task("b b", DONE) + a_task("03", more='depends="zz"')

    assert [(problem.severity, problem.line) for problem in lint(text, tmp_path)] == [
        ("error", 5),
        ("error", 9),
        ("warning", 1),
        ("warning", 5),
    ]


# --- the template ---


def test_the_template_says_what_is_still_to_be_filled_in_and_is_sound_when_it_is(
    tmp_path: Path,
) -> None:
    text = plan_template("add  CSV\nexport")
    filled = text
    for hole, words in (("path/of/a/file", "src/a.py"), ("path/of/another/file", "src/b.py")):
        filled = filled.replace(f"‹fill in: {hole}›", words)
    while "‹fill in" in filled:
        before, _, rest = filled.partition("‹fill in")
        filled = f"{before}something{rest.partition('›')[2]}"
    open_ones = [problem for problem in lint(text, tmp_path) if problem.severity == "error"]

    assert [
        problem.text
        for problem in open_ones
        if not problem.text.startswith("still to be filled in: ")
    ] == []
    assert [problem.line for problem in open_ones] == [
        n for n, row in enumerate(text.split("\n"), 1) if "‹fill in" in row
    ]
    assert plan_md.read(text).plan.title == "add CSV export"
    assert [problem.text for problem in lint(filled, tmp_path)] == [
        "task 02 is to modify src/b.py, but it is not there and no task before makes it"
    ]
