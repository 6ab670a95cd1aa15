"""Several attempts at one spec: only what is proven lands, the others are kept, and nothing is left behind."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from loopwright.drive.runner.attempt_work import attempt_place
from tests.support.project import Project
from tests.support.runner import Runner

pytestmark = pytest.mark.plans

# The test knows what is right; each attempt is another kind of agent, by its number.
FILES = {
    "add.py": "def add(a, b):\n    return 0\n",
    "test_add.py": """import unittest
from add import add

class Adding(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)
""",
    ".gitignore": "__pycache__/\n",
}
RIGHT = "printf 'def add(a, b):\\n    return a + b\\n' > add.py"
WEAK = "sed -i 's/add(2, 3), 5/5, 5/' test_add.py"
AGENT = f"""case $LOOP_ATTEMPT in
  1) {WEAK} ;;
  2) {RIGHT} ;;
esac
echo '<loop-complete>'
"""
CHECK = ("--check", "tests pass=python3 -B -m unittest -q")
QUICK = ("--idle-minutes", "5")


@pytest.fixture
def attempts_project(project, tmp_path: Path) -> Project:
    (tmp_path / "agent.sh").write_text(AGENT)
    here: Project = project(FILES)
    said = here.run(
        "start", "make the test pass", *CHECK, "--yes", "--iterations", "2", "--room", "off"
    )
    assert said.code == 0, said.out + said.err
    return here


def command(tmp_path: Path) -> tuple[str, str]:
    return "--agent-command", f"sh {tmp_path / 'agent.sh'}"


def left(here: Project) -> list[str]:
    return [path.name for path in here.root.parent.glob(f"{here.root.name}-attempts-*")]


def test_the_honest_attempt_lands_and_the_others_are_kept(
    attempts_project: Project, tmp_path: Path
) -> None:
    base = attempts_project.git("rev-parse", "HEAD").strip()
    said = attempts_project.run("run", "--attempts", "2", *command(tmp_path), *QUICK)
    assert said.code == 0, said.out + said.err
    assert attempts_project.git("diff", "--name-only", base, "HEAD").split() == ["add.py"]
    assert attempts_project.git("rev-list", "--count", f"{base}..HEAD").strip() == "1"
    attempts = attempts_project.ended.run.attempts
    assert [(a.won, a.outcome) for a in attempts] == [
        (False, "not proven"),
        (True, "proven"),
    ]
    assert attempts[0].findings >= 1
    for attempt in attempts:
        assert attempts_project.git("rev-parse", attempt.ref).strip() == attempt.commit
    report = attempts_project.run("report").out
    assert "| 2 | command | **landed**, proven | 1/1 |" in report
    assert (left(attempts_project), attempts_project.git("branch", "--list", "loop/*")) == ([], "")
    assert attempts_project.git("worktree", "list").count("\n") == 1


@pytest.mark.long
def test_the_first_proven_attempt_ends_the_others(
    attempts_project: Project, tmp_path: Path
) -> None:
    (tmp_path / "agent.sh").write_text(
        f"if [ $LOOP_ATTEMPT = 1 ]; then sleep 600; fi\n{RIGHT}\necho '<loop-complete>'\n"
    )
    said = attempts_project.run("run", "--attempts", "2", "--first", *command(tmp_path), *QUICK)
    assert said.code == 0, said.out + said.err
    assert [(a.won, a.outcome) for a in attempts_project.ended.run.attempts] == [
        (False, "stopped"),
        (True, "proven"),
    ]
    assert left(attempts_project) == []


def test_kill_9_leaves_no_worktree_behind(attempts_project: Project, tmp_path: Path) -> None:
    word = tmp_path / "word"
    (tmp_path / "agent.sh").write_text(f"echo half > half.txt; echo $$ >> {word}; sleep 600\n")
    words = ("--attempts", "2", *command(tmp_path), *QUICK)
    with Runner(attempts_project, *words) as runner:
        deadline = time.monotonic() + 60
        while not (word.exists() and len(word.read_text().split()) == 2):
            assert time.monotonic() < deadline, "the agents did not begin"
            time.sleep(0.05)
        runner.process.send_signal(signal.SIGKILL)
        runner.process.wait()
    deadline = time.monotonic() + 60
    while left(attempts_project) or attempts_project.git("branch", "--list", "loop/*"):
        assert time.monotonic() < deadline, "worktrees are left"
        time.sleep(0.1)
    assert attempts_project.git("worktree", "list").count("\n") == 1
    ref = f"refs/loop/{attempts_project.loop.id}/attempt-1"
    assert attempts_project.git("show", f"{ref}:half.txt") == "half\n", "the work is kept"


def leave_attempt(here: Project) -> None:
    """A worktree with work as a machine that lost its power leaves it: nobody was there to clean up."""
    place = attempt_place(str(here.root), here.loop, 1, "command", "")
    here.git("worktree", "add", "-q", "-b", place.branch, place.path, "HEAD")
    Path(place.path, "half.txt").write_text("half\n")


def test_nothing_lands_when_no_attempt_is_proven_and_what_lay_around_is_kept(
    attempts_project: Project, tmp_path: Path
) -> None:
    leave_attempt(attempts_project)
    ref = f"refs/loop/{attempts_project.loop.id}/attempt-1-earlier"
    base = attempts_project.git("rev-parse", "HEAD")
    weak = f"if [ $LOOP_ATTEMPT = 2 ]; then {WEAK}; fi"  # and the first one does nothing
    (tmp_path / "agent.sh").write_text(f"{weak}\necho '<loop-complete>'\n")
    said = attempts_project.run("run", "--attempts", "2", *command(tmp_path), *QUICK)
    assert said.code != 0
    assert "none of 2 attempts is proven, so nothing landed" in said.out
    assert attempts_project.git("rev-parse", "HEAD") == base
    assert attempts_project.loop.status == "paused"
    assert (left(attempts_project), attempts_project.git("branch", "--list", "loop/*")) == ([], "")
    assert attempts_project.git("show", f"{ref}:half.txt") == "half\n", "the work is kept"


def test_after_cancel_left_attempts_are_listed_and_cleared(attempts_project: Project) -> None:
    leave_attempt(attempts_project)
    loop_id = attempts_project.loop.id
    assert "its loop works on it" in attempts_project.run("lanes").out
    assert "kept, its loop is active" in attempts_project.run("lanes", "--clear").out
    attempts_project.run("cancel")
    assert "attempt-1" in attempts_project.run("lanes").out
    assert "attempt-1: removed; its work is kept" in attempts_project.run("lanes", "--clear").out
    assert left(attempts_project) == []
    assert (
        attempts_project.git("show", f"refs/loop/{loop_id}-attempt-1/cleared:half.txt") == "half\n"
    )


def test_attempts_are_for_a_spec_and_a_clean_checkout(
    attempts_project: Project, tmp_path: Path
) -> None:
    attempts_project.write({"add.py": "mine\n"})
    said = attempts_project.run("run", "--attempts", "2", *command(tmp_path))
    assert (said.code, "so no attempt would have it: add.py" in said.err) == (1, True)
    said = attempts_project.run("run", "--first", *command(tmp_path))
    assert "--first belongs to several attempts" in said.err
    assert attempts_project.events("TurnStarted") == []
