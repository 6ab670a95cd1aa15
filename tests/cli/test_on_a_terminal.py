"""On a real terminal: the one question, the questions about a vague spec, and colours."""

import os
import pty
import re
import select
import subprocess
import sys
import time

import pytest

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def typed(here, *words, answers=(), **env):
    """The command in a terminal of its own; each answer is typed when a question waits for it. Returns code and screen."""
    ours, theirs = pty.openpty()
    argv = [sys.executable, "-m", "loopwright.cli.main", *words]
    process = subprocess.Popen(
        argv,
        cwd=here.root,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", **env},
    )
    os.close(theirs)
    screen, waiting, patience = "", list(answers), time.monotonic() + 120
    while time.monotonic() < patience:
        if select.select([ours], [], [], 0.05)[0]:
            try:
                screen += os.read(ours, 65536).decode("utf-8", "replace")
            except OSError:  # the other end is closed
                break
        elif process.poll() is not None:
            break
        elif waiting and ESCAPE.sub("", screen).endswith((") ", "? ", "n = no ")):
            os.write(ours, waiting.pop(0).encode() + b"\n")
            screen += "\n"
    code = process.wait(timeout=600)
    os.close(ours)
    assert not waiting, f"never asked for {waiting}: {screen}"
    return code, screen


@pytest.fixture
def python_project(project):
    return project({"a.py": "x = 1\n"})


CHECKED = ("start", "fix all failing tests", "--check", "tests pass=false")


def test_one_screen_one_question_and_a_yes_starts(python_project):
    code, screen = typed(python_project, *CHECKED, answers=["y"])

    assert code == 0
    assert screen.count("Start? (y = start · n = not now") == 1
    assert python_project.loop.status == "running"
    assert python_project.state["status"] == "in_progress"


@pytest.mark.long
def test_enter_alone_and_talk_ask_again(python_project):
    code, screen = typed(python_project, *CHECKED, answers=["", "what is it?", "sure, go ahead"])

    assert code == 0
    assert screen.count("Start? (y = start · n = not now") == 3
    assert python_project.loop.status == "running"


def test_a_no_starts_nothing_and_leaves_nothing(python_project):
    code, screen = typed(python_project, *CHECKED, answers=["n"])

    assert code == 8
    assert "Nothing was started." in screen
    assert not (python_project.root / ".loop").exists()


@pytest.mark.long
def test_y_delete_takes_state_json_away_at_the_end(python_project):
    typed(python_project, *CHECKED, answers=["y delete"])
    assert python_project.run("cancel").code == 0

    assert not (python_project.root / ".loop" / "state.json").exists()
    assert python_project.ended.status == "cancelled"


def test_a_vague_spec_is_asked_about_and_scored_again(python_project):
    told = [
        "every route is validated",
        "src/app.py",
        "no new dependencies",
        "git diff --quiet",
        "when all routes are done",
    ]
    code, screen = typed(python_project, "start", "make better", answers=[*told, "y"])

    assert code == 0
    assert "Outcome: every route is validated" in python_project.loop.spec
    assert python_project.loop.shape.score >= 8
    assert "it works ← git diff --quiet (passing now: a guard)" in screen
    assert "Every check passes already. Begin all the same? (y = start" in screen


def test_a_vague_spec_that_nobody_explains_is_not_started(python_project):
    code, _ = typed(python_project, "start", "make better", answers=[""] * 5)

    assert code == 5
    assert not (python_project.root / ".loop").exists()


@pytest.mark.parametrize(
    ("env", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_colours_only_where_they_are_wanted(python_project, env, coloured):
    python_project.start("--check", "tests pass=false")
    _, screen = typed(python_project, "status", **env)

    assert ("\x1b[31m" in screen) == coloured
    assert "tests pass" in screen


def test_forget_asks_first(python_project):
    python_project.start()
    python_project.run("cancel")
    ended = python_project.ended.id

    assert typed(python_project, "forget", ended, answers=["n"])[0] == 6
    assert python_project.ended.id == ended
    assert typed(python_project, "forget", ended, answers=["y"])[0] == 0
    assert python_project.run("history", "--json").json == []
