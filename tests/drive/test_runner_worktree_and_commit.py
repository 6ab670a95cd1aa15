"""--worktree and --commit: a checkout and a branch of its own, a commit for what is proven, and nothing of yours touched."""

from __future__ import annotations

import copy
import os
from pathlib import Path

import pytest

from loopwright.cli import detached_run
from loopwright.drive.proof import parts_of_proof
from loopwright.drive.runner import headless
from tests.support.discovery import PAGE, cycle, page, start_discovery
from tests.support.hook import block
from tests.support.project import Project
from tests.support.runner import (
    CHECK,
    CLAIM,
    DONE,
    SLOW,
    Runner,
    command,
    script,
    start_checked_loop,
)
from tests.torture.size import every

HALF = block({"done": True})
# Every hook of the repository leaves its name; a key to sign with is asked for and is not there.
HOOKS = (
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "post-checkout",
    "pre-push",
    "reference-transaction",
)


def there(here: Project) -> Project:
    """The checkout in which the loop goes on."""
    made = copy.copy(here)
    made.root = Path((here.root / ".loop/moved").read_text().splitlines()[0])
    return made


def hooked(here: Project) -> None:
    for name in HOOKS:
        path = here.root / ".git/hooks" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\necho {name} >>'{here.root.parent}/ran'\n")
        path.chmod(0o755)
    here.git("config", "commit.gpgsign", "true")
    here.git("config", "gpg.program", "/bin/false")


def log(here: Project) -> list[str]:
    return here.git("log", "--format=%s").splitlines()


# --- a worktree ---


def test_the_loop_goes_on_in_a_checkout_and_on_a_branch_of_its_own(
    checked_project: Project,
) -> None:
    hooked(checked_project)
    head, before, spec = (
        checked_project.git("rev-parse", "HEAD"),
        checked_project.loop.id,
        checked_project.loop.spec,
    )
    said = checked_project.run(
        "run",
        "--script",
        script(checked_project, {"say": block({}, "BLOCKED: x"), "write": {"n.txt": "x"}}),
        "--worktree",
    )
    new = there(checked_project)

    assert said.code == 7, said.err
    assert str(new.root) in said.out
    assert new.git("branch", "--show-current").strip() == f"loop/{before}"
    assert (new.loop.id, new.loop.spec, new.loop.spend.iterations) == (before, spec, 1)
    assert (new.root / "n.txt").exists()
    assert os.path.samefile(os.path.dirname(new.root), checked_project.root.parent)
    assert (
        checked_project.git("rev-parse", "HEAD"),
        checked_project.git("branch", "--show-current").strip(),
    ) == (
        head,
        "main",
    )
    assert checked_project.git("status", "--porcelain") == ""
    assert not (checked_project.root.parent / "ran").exists()


def test_the_old_place_says_where_it_went(checked_project: Project) -> None:
    checked_project.run(
        "run", "--script", script(checked_project, {"say": block({}, "BLOCKED: x")}), "--worktree"
    )
    new = there(checked_project)

    for order in (("status",), ("run",), ("pause",)):
        said = checked_project.run(*order)
        assert (said.code, f"works in {new.root}. Go there" in said.err) == (1, True)
    assert new.run("continue").code == 0
    assert new.run("run", "--script", script(checked_project, DONE)).code == 0
    assert new.ended.spend.iterations == 2


def test_report_and_logs_in_the_old_place_are_those_of_the_worktree(
    checked_project: Project,
) -> None:
    claim = DONE["say"].replace("Did some work.", "I wrote the file.")
    spoken = {**DONE, "say": claim}
    checked_project.run("run", "--script", script(checked_project, spoken), "--worktree")
    new = there(checked_project)
    said = checked_project.run("report")

    assert (said.code, said.out) == (0, new.run("report").out)
    assert f"works in {new.root}" in said.err
    assert "| done.txt (+1 −0) | I wrote the file. | ✓ done |" in said.out
    assert f"git merge loop/{new.ended.id}" in said.out
    assert "I wrote the file." in checked_project.run("logs").out


def test_a_new_loop_in_the_old_place_takes_the_note_away(checked_project: Project) -> None:
    checked_project.run(
        "run", "--script", script(checked_project, {"say": block({}, "BLOCKED: x")}), "--worktree"
    )
    new = there(checked_project)
    checked_project.start(*CHECK)

    assert not (checked_project.root / ".loop/moved").exists()
    assert new.loop.id != checked_project.loop.id


def test_it_goes_where_one_says(checked_project: Project, tmp_path: Path) -> None:
    checked_project.run(
        "run", "--script", script(checked_project, DONE), "--worktree", str(tmp_path / "a place")
    )

    assert there(checked_project).root == tmp_path / "a place"
    assert (tmp_path / "a place/done.txt").exists()


def test_what_is_not_committed_stays_behind_only_on_a_yes(checked_project: Project) -> None:
    checked_project.write({"mine.txt": "not committed"})
    words = ("run", "--script", script(checked_project, DONE), "--worktree")
    refused = checked_project.run(*words)

    assert (refused.code, "mine.txt" in refused.err, "--yes" in refused.err) == (1, True, True)
    assert checked_project.loop.status == "running"
    assert checked_project.run(*words, "--yes").code == 0
    assert not (there(checked_project).root / "mine.txt").exists()
    assert (checked_project.root / "mine.txt").exists()


def test_a_file_of_yours_is_named_whole(checked_project: Project) -> None:
    checked_project.write({"readme.md": "changed, and not committed"})

    assert (
        "(readme.md)"
        in checked_project.run("run", "--script", script(checked_project, DONE), "--worktree").err
    )


def test_a_place_that_is_taken_is_refused(checked_project: Project, tmp_path: Path) -> None:
    said = checked_project.run(
        "run", "--script", script(checked_project, DONE), "--worktree", str(tmp_path)
    )

    assert (said.code, "is there already" in said.err) == (1, True)
    assert checked_project.git("branch", "--list", "loop/*") == ""
    assert checked_project.loop.status == "running"


@pytest.mark.parametrize("made", ["no git", "no commit"])
def test_without_a_commit_there_is_nothing_to_begin_from(project, made: str) -> None:
    here = project(git=False)
    if made == "no commit":
        here.git("init", "-q")
    here.start(*CHECK)
    said = here.run("run", "--script", script(here, DONE), "--worktree")

    assert (said.code, "needs a git repository with a commit" in said.err) == (1, True)
    assert here.loop.status == "running"


def test_a_runner_that_is_at_work_is_not_moved_away_from(checked_project: Project) -> None:
    slow = script(checked_project, SLOW)
    with Runner(checked_project, "--script", slow) as runner:
        runner.works()
        said = checked_project.run("run", "--script", slow, "--worktree")

        assert (said.code, "another runner drives this loop" in said.err) == (1, True)
        assert checked_project.loop.lease.holder == f"runner:{runner.process.pid}"
    assert checked_project.git("branch", "--list", "loop/*") == ""


def test_a_discovery_loop_takes_its_page_along(project) -> None:
    here = start_discovery(project(), "--max-iterations", "1")
    here.run("detach")
    turn = {"say": cycle(done="a button", found="a colour"), "write": {"n.txt": "x"}}
    said = here.run("run", "--script", script(here, turn), "--worktree")
    new = there(here)

    assert said.code == 3, said.err
    assert not (here.root / PAGE).exists()
    assert "a colour" in page(new)
    assert new.loop.backlog is not None
    assert new.loop.backlog.done == ("a button",)
    assert new.git("status", "--porcelain").split() == ["??", "n.txt"]


# --- commits ---


def test_a_turn_that_proves_something_is_committed_and_no_other(project) -> None:
    here = project({".gitignore": "*.log\n", "readme.md": "a project\n"})
    hooked(here)
    origin = here.root.parent / "origin.git"
    here.git("init", "-q", "--bare", str(origin))
    here.git("remote", "add", "origin", str(origin))
    here.start(*CHECK, "--check", "more=test -e more.txt")
    turns = (
        {"say": "thinking", "write": {"n.txt": "x"}},
        {"say": block({"done": True}), "write": {"done.txt": "x", "big.log": "noise"}},
        {"say": block({"done": True, "more": True}, exit=True), "write": {"more.txt": "x"}},
    )
    said = here.run("run", "--script", script(here, *turns), "--commit")

    assert said.code == 0, said.err
    assert log(here) == ["loop: more", "loop: done", "more"]
    assert said.out.count("[LOOP] Committed ") == 2
    assert here.git("show", "--name-only", "--format=", "HEAD~1").split() == ["done.txt", "n.txt"]
    assert here.git("show", "--name-only", "--format=", "HEAD").split() == ["more.txt"]
    assert f"Iteration 3 of loop {here.ended.id}" in here.git("show", "-s", "--format=%b", "HEAD")
    assert "fix all failing tests in readme.md" in here.git("show", "-s", "--format=%b", "HEAD")
    assert here.git("show", "-s", "--format=%an", "HEAD").strip() == "Loopwright"
    assert here.git("status", "--porcelain") == ""
    assert not (here.root.parent / "ran").exists()
    assert here.git("ls-remote", str(origin)) == ""


def test_an_agent_that_switches_the_branch_gets_no_commit_there_and_the_run_pauses(project) -> None:
    here = project({"readme.md": "a project\n"})
    here.start(*CHECK, "--check", "more=test -e more.txt")
    first = {
        "run": ["git switch -q -c elsewhere"],
        "write": {"done.txt": "x"},
        "say": block({"done": True}),
    }
    more = {"write": {"more.txt": "x"}, "say": block({"done": True, "more": True}, exit=True)}
    said = here.run("run", "--script", script(here, first, more), "--commit")

    assert said.code == 4, said.out
    words = "the run began on the branch main, and the branch elsewhere is checked out now"
    assert words in here.loop.pause.why
    assert here.git("log", "--format=%s", "elsewhere") == here.git("log", "--format=%s", "main")

    here.git("switch", "-q", "main")
    said = here.run("run", "--continue", "--script", script(here, more), "--commit")
    assert said.code == 0, said.out
    assert log(here)[:2] == ["loop: more", "loop: done"], said.out
    assert here.git("show", "--name-only", "--format=", "main~1").split() == ["done.txt"]
    assert here.git("show", "--name-only", "--format=", "main").split() == ["more.txt"]


@pytest.mark.parametrize(
    ("switch", "now"),
    every(
        2,
        [("checkout -q --detach", "no branch"), ("switch -q -c elsewhere", "the branch elsewhere")],
    ),
)
def test_work_that_would_end_on_another_branch_waits_until_it_can_be_committed(
    checked_project: Project, switch: str, now: str
) -> None:
    ends = {"run": [f"git {switch}"], **DONE}
    said = checked_project.run(
        "run", "--script", script(checked_project, ends, {"say": "nothing left"}), "--commit"
    )

    assert said.code == 4, said.out
    assert f"and {now} is checked out now" in checked_project.loop.pause.why
    assert checked_project.git("rev-parse", "HEAD") == checked_project.git("rev-parse", "main")

    checked_project.git("switch", "-q", "main")
    said = checked_project.run("run", "--continue")
    assert said.code == 0, said.out
    assert log(checked_project) == ["loop: done", "more"]


def test_the_persons_name_is_on_it_where_it_is_known(checked_project: Project) -> None:
    checked_project.git("config", "user.name", "Ada")
    checked_project.git("config", "user.email", "ada@example.invalid")
    checked_project.run("run", "--script", script(checked_project, DONE), "--commit")

    assert (
        checked_project.git("show", "-s", "--format=%an <%ae>").strip()
        == "Ada <ada@example.invalid>"
    )


def test_nothing_is_committed_where_something_else_fell_back(project) -> None:
    here = project({"more.txt": "x"})
    here.start(*CHECK, "--check", "more=test -e more.txt", "--iterations", "2")
    turns = (
        {"say": CLAIM, "run": ["true"]},
        {"say": CLAIM, "write": {"done.txt": "x"}, "run": ["rm more.txt"]},
    )
    here.run("run", "--script", script(here, *turns), "--commit")

    assert log(here) == ["more"]


def test_changes_of_yours_are_not_committed_unasked(checked_project: Project) -> None:
    checked_project.write({"mine.txt": "not committed"})
    words = ("run", "--script", script(checked_project, DONE), "--commit")
    refused = checked_project.run(*words)

    assert (refused.code, "mine.txt" in refused.err) == (1, True)
    assert checked_project.events("RunnerStarted") == []
    assert checked_project.run(*words, "--yes").code == 0
    assert checked_project.git("show", "--name-only", "--format=", "HEAD").split() == [
        "done.txt",
        "mine.txt",
    ]


class Killed(BaseException):
    """What a kill looks like to the next run: nothing of the code after it ran."""


@pytest.mark.parametrize(
    "again", every(2, ["--commit", pytest.param("--resume-all", marks=pytest.mark.long)])
)
@pytest.mark.parametrize(
    ("place", "name"),
    [(parts_of_proof, "run_part_of_proof"), (headless.iteration_files, "append_iteration")],
    ids=["before its checks", "before its commit"],
)
@pytest.mark.parametrize("turn", [DONE, {**DONE, "say": HALF}], ids=["the end", "half"])
def test_a_run_that_was_killed_commits_what_it_would_have_committed(
    checked_project: Project,
    monkeypatch: pytest.MonkeyPatch,
    turn: dict,
    place,
    name: str,
    again: str,
) -> None:
    def kill(*_: object) -> None:
        raise Killed

    words = ("run", "--script", script(checked_project, turn, {"say": CLAIM}), "--commit")
    with monkeypatch.context() as patched:
        patched.setattr(place, name, kill)
        with pytest.raises(Killed):
            checked_project.run(*words)
    assert log(checked_project) == ["more"]

    def run_here(folder, loop, words, as_json) -> int:
        return checked_project.run("run", *words).code

    monkeypatch.setattr(detached_run, "detach_run", run_here)
    said = checked_project.run(*words) if again == "--commit" else checked_project.run("run", again)
    assert said.code == 0, said.out + said.err
    assert log(checked_project) == ["loop: done", "more"]
    assert checked_project.git("status", "--porcelain") == ""


def test_a_commit_that_git_refuses_is_told(checked_project: Project) -> None:
    (checked_project.root / ".git/index.lock").touch()
    said = checked_project.run("run", "--script", script(checked_project, DONE), "--commit")

    assert (said.code, "Not committed" in said.out) == (0, True)
    assert log(checked_project) == ["more"]


def test_both_together_and_what_changed_is_in_the_report_and_in_the_next_prompt(project) -> None:
    here = start_checked_loop(project, "--iterations", "2")
    seen = here.root.parent / "seen"
    text = f"open('done.txt', 'w').write('x\\n' * 3); open({str(seen)!r}, 'w').write(sys.stdin.read())\nprint({HALF!r})"
    here.run("run", *command(here, text), "--worktree", "--commit")
    new = there(here)
    report = new.run("report").out

    assert log(new) == ["loop: done", "more"]
    assert log(here) == ["more"]
    assert "## Changed since the start" in report
    assert "done.txt | 3 +++" in report
    name = new.git("log", "-1", "--format=%h").strip()
    assert f"Commits since the start, as data:\n```text\n{name} loop: done\n```" in seen.read_text()
