"""Lanes: worktrees in which agents do what they like; nothing of it is lost, and main does not notice."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.repo.lanes import worktrees
from tests.support.lanes import (
    FILES,
    Lane,
    World,
    a_lane,
    begin_merge,
    begin_rebase,
    head,
    lane_path,
    set_up,
    state,
)
from tests.support.project import WHO, Project

pytestmark = pytest.mark.plans


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"), FILES)


@pytest.fixture
def side(world: World, tmp_path: Path) -> Lane:
    return world.copy(tmp_path)


# --- where lanes can be ---

UNABLE: dict[str, tuple[Callable[[Project], object], str]] = {
    "a merge": (begin_merge, "a merge is not finished"),
    "a rebase": (begin_rebase, "a rebase is not finished"),
    "no branch": (lambda p: p.git("checkout", "-q", "--detach"), "git switch -c"),
    "no repository": (lambda p: shutil.rmtree(p.root / ".git"), "git init"),
    "a repository around it": (
        lambda p: (shutil.rmtree(p.root / ".git"), Project(p.root.parent, {"x": ""})),
        "git init",
    ),
    "a broken one": (lambda p: (p.root / ".git/HEAD").unlink(), "not a git repository"),
    "no commit": (lambda p: (shutil.rmtree(p.root / ".git"), p.git("init", "-q")), "git commit"),
}


@pytest.mark.parametrize(("change", "words"), UNABLE.values(), ids=UNABLE)
def test_there_are_none_with(
    lane_project: Project, change: Callable[[Project], object], words: str
) -> None:
    assert worktrees.lanes_unavailable_reason(str(lane_project.root)) == ""
    change(lane_project)

    assert words in worktrees.lanes_unavailable_reason(str(lane_project.root))


def test_without_a_git_program_it_says_so(
    lane_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")

    assert "Install git" in worktrees.lanes_unavailable_reason(str(lane_project.root))


@pytest.mark.skipif(sys.platform == "win32", reason="the old git is a shell script")
def test_a_git_that_cannot_merge_beside_the_checkout_is_too_old(
    lane_project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "bin/git"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho git version 2.37.9\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old.parent}{os.pathsep}{os.environ['PATH']}")

    assert "2.37 is too old" in worktrees.lanes_unavailable_reason(str(lane_project.root))


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)
def test_a_checkout_of_another_user_is_named_until_they_trust_it(lane_project: Project) -> None:
    for path in (lane_project.root, lane_project.root / ".git"):
        os.chown(path, 12345, 12345)
    assert "safe.directory" in worktrees.lanes_unavailable_reason(str(lane_project.root))
    set_up(f"safe.directory={lane_project.root}")

    assert worktrees.lanes_unavailable_reason(str(lane_project.root)) == ""
    assert (
        worktrees.create_lane(
            str(lane_project.root), str(lane_path(lane_project, "01")), "loop/night/01"
        ).problem
        == ""
    )


def test_a_lane_can_be_laid_from_a_worktree(lane_project: Project) -> None:
    lane_project.git("worktree", "add", "-q", "-b", "mine", "../mine")
    mine = Project(lane_project.root.parent / "mine", {"readme.md": "mine\n"}, git=False)
    mine.commit()
    side = a_lane(mine)

    assert side.base == head(mine) != head(lane_project)


# --- laid ---


def test_a_lane_begins_at_mains_commit_and_main_does_not_notice(lane_project: Project) -> None:
    lane_project.write({"a.py": "not committed\n", "new.py": "nor this\n"})
    before = state(lane_project)
    side = a_lane(lane_project)

    assert side.base == head(lane_project) == head(side)
    assert side.git("branch", "--show-current").strip() == side.branch
    assert (side.root / "a.py").read_text() == "a = 1\n"
    assert state(lane_project) == before


@pytest.mark.skipif(sys.platform == "win32", reason="the filter is a shell line")
def test_a_lane_stands_on_the_base_that_it_names_though_main_moves_while_it_is_made(
    lane_project: Project,
) -> None:
    lane_project.write({".gitattributes": "a.py filter=slow\n"})
    lane_project.commit()
    before = head(lane_project)
    mover = f"cd '{lane_project.root}' && git -c user.name=x -c user.email=x@y commit -q --allow-empty -m moved; cat"
    lane_project.git(
        "config", "filter.slow.smudge", f"unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE; {mover}"
    )
    side = a_lane(lane_project)

    assert head(lane_project) != before
    assert side.base == head(side) == before


def test_a_folder_that_is_there_is_left_alone(lane_project: Project) -> None:
    lane_path(lane_project, "01").mkdir()
    (lane_path(lane_project, "01") / "mine.txt").write_text("mine")
    laid = worktrees.create_lane(
        str(lane_project.root), str(lane_path(lane_project, "01")), "loop/night/01"
    )

    assert "is there already" in laid.problem
    assert lane_project.git("branch", "--list", "loop/*") == ""


def test_a_branch_that_holds_work_is_never_begun_anew(lane_project: Project) -> None:
    lane_project.git("checkout", "-q", "-b", "loop/night/01")
    lane_project.write({"a.py": "work\n"})
    lane_project.commit()
    work_of_then = head(lane_project)
    lane_project.git("checkout", "-q", "main")
    laid = worktrees.create_lane(
        str(lane_project.root), str(lane_path(lane_project, "01")), "loop/night/01"
    )

    assert "holds work of an earlier run" in laid.problem
    assert head(lane_project, "loop/night/01") == work_of_then
    assert not lane_path(lane_project, "01").exists()


def test_a_branch_that_holds_nothing_begins_at_mains_commit_of_now(lane_project: Project) -> None:
    lane_project.git("branch", "loop/night/01")
    lane_project.commit()

    assert a_lane(lane_project).base == head(lane_project)


def test_what_such_a_branch_once_held_can_still_be_found(lane_project: Project) -> None:
    lane_project.git("checkout", "-q", "-b", "loop/night/01")
    lane_project.write({"a.py": "thrown away\n"})
    lane_project.commit()
    thrown = head(lane_project)
    lane_project.git("reset", "-q", "--hard", "main")
    lane_project.git("checkout", "-q", "main")
    a_lane(lane_project)

    assert lane_project.git("for-each-ref", "refs/loop", "--format=%(objectname)").split() == [
        thrown
    ]


def test_what_git_will_not_do_is_said(lane_project: Project) -> None:
    lane_project.git("branch", "loop/night")
    laid = worktrees.create_lane(
        str(lane_project.root), str(lane_path(lane_project, "01")), "loop/night/01"
    )

    assert "loop/night" in laid.problem
    assert not lane_path(lane_project, "01").exists()


def test_files_that_git_itself_writes_differently_are_named_before_anybody_works(
    lane_project: Project,
) -> None:
    (lane_project.root / "crlf.txt").write_bytes(b"one\r\ntwo\r\n")
    lane_project.write({"slow.md": "is written a second after crlf.txt\n"})
    lane_project.commit()
    lane_project.write({".gitattributes": "*.txt text\n*.md filter=slow\n"})
    lane_project.git("config", "filter.slow.smudge", "sleep 1; cat")
    lane_project.git("add", ".gitattributes")
    lane_project.git("commit", "-q", "-m", "and crlf.txt is in there as it was")
    laid = worktrees.create_lane(
        str(lane_project.root), str(lane_path(lane_project, "01")), "loop/night/01"
    )

    assert "crlf.txt" in laid.problem
    assert "--renormalize" in laid.problem


# --- found again ---


def test_the_lane_of_an_earlier_run_goes_on_as_it_was(side: Lane) -> None:
    side.write({"a.py": "half\n", "new.py": "half\n"})
    side.here.commit()

    assert side.recreate() == worktrees.LaneResult(side.base)
    assert side.changes().written == ("a.py", "new.py")


def test_a_folder_that_is_gone_comes_back_with_its_commits_and_no_other_entry_goes(
    side: Lane,
) -> None:
    other = a_lane(side.here, "02")
    side.write({"a.py": "committed\n"})
    side.save()
    shutil.rmtree(side.root)
    shutil.move(other.root, other.root.with_name("unplugged"))

    assert side.recreate() == worktrees.LaneResult(side.base)
    assert (side.root / "a.py").read_text() == "committed\n"
    shutil.move(other.root.with_name("unplugged"), other.root)
    assert other.problem() == ""


def test_commits_on_no_branch_outlive_their_folder(side: Lane) -> None:
    side.git("checkout", "-q", "--detach")
    side.write({"a.py": "on no branch\n"})
    side.commit()
    lost = head(side)
    shutil.rmtree(side.root)

    assert side.recreate() == worktrees.LaneResult(side.base)
    assert lost in side.here.git("for-each-ref", "refs/loop", "--format=%(objectname)")


def test_a_lane_without_its_git_file_is_mended(side: Lane) -> None:
    siblings = [a_lane(side.here, task) for task in ("00", "02")]
    side.write({"a.py": "not committed\n"})
    (side.root / ".git").unlink()

    assert "git worktree repair" in side.problem()
    assert side.recreate() == worktrees.LaneResult(side.base)
    assert side.changes().written == ("a.py",)
    assert [one.problem() for one in siblings] == ["", ""]


def test_a_lane_that_the_agent_removed_comes_back_from_its_branch(side: Lane) -> None:
    side.write({"a.py": "committed\n"})
    side.commit()
    side.here.git("worktree", "remove", side.place)

    assert side.recreate() == worktrees.LaneResult(side.base)
    assert (side.root / "a.py").read_text() == "committed\n"


def test_where_folder_and_branch_are_gone_it_says_so(side: Lane) -> None:
    side.here.git("worktree", "remove", side.place)
    side.here.git("branch", "-d", side.branch)

    assert "any more" in side.recreate().problem


def own_repository(side: Lane) -> None:
    (side.root / ".git").unlink()
    side.git("init", "-q")
    side.commit()


def of_another_project(side: Lane) -> None:
    other = Project(side.root.with_name("other"))
    side.here.git("worktree", "remove", side.place)
    other.git("worktree", "add", "-q", "-b", side.branch, side.place)


ASTRAY: dict[str, tuple[Callable[[Lane], object], str]] = {
    "another branch": (lambda s: s.git("checkout", "-q", "-b", "mine"), "git merge mine"),
    "no branch": (
        lambda s: s.git("checkout", "-q", "--detach"),
        "is on no branch. There: `git switch loop/night/01`",
    ),
    "a rebase that is not finished": (begin_rebase, "a rebase is not finished"),
    "a repository of its own": (own_repository, "a repository of its own"),
    "a repository of its own without a commit": (
        lambda s: ((s.root / ".git").unlink(), s.git("init", "-q")),
        "of its own",
    ),
    "a worktree of another project": (of_another_project, "another repository"),
    "a branch without a commit": (
        lambda s: s.git("checkout", "-q", "--orphan", "none"),
        "without a commit",
    ),
    "a broken git file": (
        lambda s: (s.root / ".git").write_text("gitdir: /nowhere\n"),
        "no worktree any more",
    ),
    "no folder": (lambda s: shutil.rmtree(s.root), "is gone"),
}


@pytest.mark.parametrize(("change", "words"), ASTRAY.values(), ids=ASTRAY)
def test_a_lane_that_went_astray_is_a_problem_in_words_and_stays(
    side: Lane, change: Callable[[Lane], object], words: str
) -> None:
    before = state(side.here)
    change(side)
    there = side.root.exists()
    side.root.is_dir() and side.write({"left.txt": "left\n"})

    assert words in side.problem()
    assert side.problem() in side.candidate().problem
    if there:
        assert f"kept at {side.place}: " in side.clear()
        assert (side.root / "left.txt").read_text() == "left\n"
    assert state(side.here) == before


# --- cleared ---


def test_a_lane_that_landed_goes_with_its_branch_and_its_ignored_files(side: Lane) -> None:
    side.write({"a.py": "a = 2\n", "build/out.js": "made\n", "__pycache__/a.pyc": "made\n"})
    assert side.merge() == ""

    assert side.clear() == ""
    assert not side.root.exists()
    assert side.here.git("for-each-ref", "--format=%(refname)").split() == ["refs/heads/main"]
    assert side.clear() == "", "once more is no harm"


def test_a_lane_in_which_nothing_was_done_goes(side: Lane) -> None:
    side.here.commit()

    assert side.clear() == ""
    assert not side.root.exists()


def careless(side: Lane) -> None:
    """Git itself removes a worktree with new files in it, where it is told not to show them."""
    set_up("status.showUntrackedFiles=no")
    side.write({"new.py": "x\n"})


def stashed(side: Lane) -> None:
    side.write({"a.py": "stashed\n"})
    side.git("stash", "-q")
    side.write({"b.py": "x\n"})


KEPT: dict[str, tuple[Callable[[Lane], object], str]] = {
    "an edit": (lambda s: s.write({"a.py": "x\n"}), "a.py"),
    "a staged edit": (lambda s: (s.write({"a.py": "x\n"}), s.git("add", "-A")), "a.py"),
    "a new file": (lambda s: s.write({"new.py": "x\n"}), "new.py"),
    "a new file that git was told not to show": (careless, "new.py"),
    "a deletion": (lambda s: (s.root / "a.py").unlink(), "a.py"),
    "a commit": (lambda s: (s.write({"a.py": "x\n"}), s.commit()), "git log HEAD..loop/night/01"),
    "a merge that is not finished": (begin_merge, "b.py"),
    "a lock": (lambda s: s.git("worktree", "lock", "."), "locked"),
    "a stash beside an edit": (stashed, "b.py"),
}


@pytest.mark.parametrize(("change", "words"), KEPT.values(), ids=KEPT)
def test_a_lane_is_kept_with(side: Lane, change: Callable[[Lane], object], words: str) -> None:
    change(side)
    before = state(side)
    said = side.clear()

    assert said.startswith(f"kept at {side.place}: ")
    assert words in said
    assert state(side) == before


def test_a_lane_is_kept_while_main_is_on_no_branch(side: Lane) -> None:
    side.write({"a.py": "a = 2\n"})
    assert side.merge() == ""
    side.here.git("checkout", "-q", "--detach")
    side.here.git("branch", "-f", "main", "HEAD~1")

    assert f"{side.here.root} is on no branch" in side.clear()
    assert head(side) == head(side.here)


@pytest.mark.parametrize("log", ["true", "false"], ids=["", "though git is told to note nothing"])
def test_what_an_agent_committed_and_threw_away_can_be_found_after_the_lane_is_gone(
    lane_project: Project, log: str
) -> None:
    lane_project.git("config", "core.logAllRefUpdates", log)
    side = a_lane(lane_project)
    side.write({"a.py": "first try\n"})
    side.commit()
    first = head(side)
    side.git("reset", "-q", "--hard", side.base)
    side.write({"a.py": "second try\n"})
    assert (side.merge(), side.clear()) == ("", "")
    assert not side.root.exists()

    assert side.here.git(
        "for-each-ref", "refs/loop", "--format=%(refname) %(objectname)"
    ).split() == [
        f"refs/loop/night/01/{first[:12]}",
        first,
    ]


def test_a_branch_whose_folder_and_work_are_gone_is_kept_while_main_lacks_it(side: Lane) -> None:
    side.write({"a.py": "x\n"})
    side.commit()
    shutil.rmtree(side.root)

    assert side.clear().startswith(f"kept: the branch {side.branch}")
    assert side.recreate().problem == ""
    assert side.merge() == ""
    shutil.rmtree(side.root)
    assert side.clear() == ""
    assert side.here.git("worktree", "list", "--porcelain").count("worktree ") == 1
    assert side.here.git("branch", "--list", "loop/*") == ""


def test_with_a_submodule_git_removes_nothing_and_it_is_said(project) -> None:
    library, here = project({"lib.c": "int x;\n"}), project(FILES)
    here.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.root), "lib")
    here.commit()
    side = a_lane(here)
    side.git("-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init")

    assert "submodules" in side.clear()
    assert side.root.exists()


def test_no_name_of_git_in_the_environment_leads_elsewhere(
    lane_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Project(lane_project.root.with_name("other"))
    before = state(other)
    for name, value in (
        ("GIT_DIR", other.root / ".git"),
        ("GIT_WORK_TREE", other.root),
        ("GIT_INDEX_FILE", other.root / "i"),
    ):
        monkeypatch.setenv(name, str(value))
    laid = worktrees.create_lane(
        str(lane_project.root), str(lane_path(lane_project, "01")), "loop/night/01"
    )
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name)

    assert laid == worktrees.LaneResult(head(lane_project))
    assert state(other) == before
    assert WHO.keys().isdisjoint(os.environ)
