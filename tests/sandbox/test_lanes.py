"""A lane in a sandbox: it commits as usual, and nothing of main or of another lane moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopwright.cleanroom.checkout import RoomOptions
from loopwright.core.loop import plan_of
from loopwright.core.proof.state import CheckBox
from loopwright.drive.lane_checkout import prepare_lane
from loopwright.sandbox.git_paths import find_git_paths
from tests.sandbox.user import needs_bwrap
from tests.support.plan_projects import a_plan, a_task, files_of, run_script, start_plan, turn_on
from tests.support.project import Project

pytestmark = pytest.mark.sandbox

GIT = "git -c user.name=A -c user.email=a@example.invalid"
TWO = ("--parallel", "--max-parallel", "2")
# MAIN is the main checkout; 02 is the lane beside this one.
ATTEMPTS = (
    f"cd MAIN; {GIT} commit -qam gone",
    f"cd MAIN; {GIT} add -A; {GIT} commit -qm gone",
    "cd MAIN; git rm -qr --cached .",
    "cd MAIN; git update-ref -d HEAD",
    f"git update-ref refs/heads/main $({GIT} commit-tree -m gone $(git mktree < /dev/null))",
    "echo ref: refs/heads/loop > MAIN/.git/HEAD",
    "mv MAIN/.git/HEAD MAIN/.git/HEAD.old",
    "rm -rf MAIN/.git/index MAIN/.git/logs/HEAD MAIN/.git/refs/heads/main",
    "mv MAIN/.git/refs MAIN/.git/gone",
    "git pack-refs --all --prune",
    "echo gone > MAIN/.git/packed-refs",
    "git branch evil; git tag evil; git stash",
    f"git symbolic-ref HEAD refs/heads/main; {GIT} commit -q --allow-empty -m gone",
    "git update-ref -d $(git for-each-ref --format='%(refname)' | grep -- -02/work)",
    "echo '*' > MAIN/.git/info/exclude",
)
BACK_ON_ITS_BRANCH = (
    "git symbolic-ref HEAD $(git for-each-ref --format='%(refname)' | grep -- -01/)"
)


def state_of_main(here: Project) -> tuple[str, ...]:
    words = (("rev-parse", "HEAD"), ("symbolic-ref", "HEAD"), ("status", "--short"), ("tag",))
    return (*(here.git(*each) for each in words), here.git("branch", "--list", "evil"))


@needs_bwrap
def test_a_lane_commits_its_work_and_cannot_move_main_or_another_lane(project, monkeypatch) -> None:
    monkeypatch.delenv("LOOP_SANDBOX")
    here = start_plan(
        project({"readme.md": "a project\n"}), plan=a_plan(a_task("01"), a_task("02"))
    )
    before = state_of_main(here)
    attempts = [f"({each}) || true" for each in ATTEMPTS]
    attempts = [each.replace("MAIN", str(here.root)) for each in attempts]
    own = [
        f"echo half > 01.txt && git add -A && {GIT} commit -qm half",
        f"echo all > 01.txt && {GIT} commit -qa --amend -m all && git status > status.log",
        "grep -q 'On branch loop/' status.log && rm status.log",
    ]
    said = run_script(
        here,
        turn_on("01", run=[*attempts, BACK_ON_ITS_BRANCH, *own]),
        turn_on("02", write={"02.txt": "x\n"}, run=[f"git add -A && {GIT} commit -qm two"]),
        words=TWO,
    )

    assert said.code == 0, said.out + said.err
    assert "sandbox: bwrap, enforced" in said.out
    assert sorted(names for _, names in files_of(here)) == [["01.txt"], ["02.txt"]]
    assert (here.root / "01.txt").read_text() == "all\n"
    assert state_of_main(here)[1:] == before[1:]
    assert here.git("rev-list", "--max-parents=0", "HEAD") == before[0]
    assert "gone" not in here.git("log", "--all", "--format=%s")
    assert plan_of(here.ended).failures == ()


def test_only_the_folder_of_its_own_branch_is_writable_among_the_refs(project, tmp_path) -> None:
    here = project()
    lane = tmp_path / "lane"
    here.git("worktree", "add", "-q", "-b", "loop/1-01/work", str(lane))
    git = here.root / ".git"

    def written() -> set[str]:
        paths = find_git_paths(str(lane)).written_folders
        return {str(Path(path).relative_to(git)) for path in paths}

    own = {"objects", "worktrees/lane", "refs/heads/loop/1-01", "logs/refs/heads/loop/1-01"}
    assert written() == own
    for head in ("ref: refs/heads/main", "ref: refs/heads/loop/../main", "0" * 40):
        (git / "worktrees/lane/HEAD").write_text(f"{head}\n")
        assert written() == own, "HEAD is the agent's to write"
    assert find_git_paths(str(here.root)).written_folders == ()


@pytest.mark.parametrize("head", ["ref: refs/heads/loop/../main", "0" * 40])
def test_no_ref_is_writable_where_no_branch_is_known(project, tmp_path, head: str) -> None:
    here = project()
    here.git("worktree", "add", "-q", "-b", "loop/1-01/work", str(tmp_path / "lane"))
    git = here.root / ".git"
    (git / "worktrees/lane/HEAD").write_text(f"{head}\n")

    found = find_git_paths(str(tmp_path / "lane")).written_folders
    assert set(found) == {str(git / "objects"), str(git / "worktrees/lane")}


def test_a_worktree_of_the_person_keeps_all_refs(project, tmp_path) -> None:
    here = project()
    here.git("worktree", "add", "-q", "-b", "feature", str(tmp_path / "mine"))

    found = find_git_paths(str(tmp_path / "mine")).written_folders
    names = {str(Path(path).relative_to(here.root / ".git")) for path in found}
    assert names == {"objects", "worktrees/mine", "refs", "logs/refs"}


@needs_bwrap
def test_the_setup_of_a_lane_runs_in_the_sandbox(project, tmp_path) -> None:
    """An agent of an earlier lane may have written what it runs, and that is merged."""
    left = tmp_path / "left"
    script = f"touch made; ln -s {left} $(git rev-parse --git-dir)/COMMIT_EDITMSG; touch {left}"
    here = project({"setup.sh": script, ".gitignore": "made\n.loop\n"})
    here.start()
    loop = here.loop.but(check_box=CheckBox("bwrap", features=("proc",)))
    lane = tmp_path / "lane"
    here.git("worktree", "add", "-q", "-b", "loop/x/work", str(lane))

    problem = prepare_lane(here.folder, loop, str(lane), RoomOptions("sh setup.sh || true"))

    assert problem == ""
    assert (lane / "made").exists()
    assert not left.exists()
    assert not list((here.root / ".git/worktrees").rglob("COMMIT_EDITMSG"))
