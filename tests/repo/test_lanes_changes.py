"""What a lane holds: every change is seen, the task's own are told from the others, and a commit holds all or none of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.core.plan.plan import CREATE, DELETE, PlannedFile
from loopwright.repo.git import GitError
from loopwright.repo.lanes import changes as work
from loopwright.repo.lanes import worktrees
from loopwright.repo.lanes.changes import Changes, changes_outside_task
from loopwright.repo.walk import HUGE
from tests.support.lanes import (
    FILES,
    Lane,
    World,
    a_lane,
    begin_rebase,
    head,
    lane_path,
    set_up,
    state,
)
from tests.support.project import Project

pytestmark = pytest.mark.plans


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"), FILES)


@pytest.fixture
def side(world: World, tmp_path: Path) -> Lane:
    return world.copy(tmp_path)


# --- what changed ---


def test_a_fresh_lane_has_no_changes(side: Lane) -> None:
    assert side.changes() == Changes()


@pytest.mark.skipif(sys.platform == "win32", reason="names that Windows forbids")
def test_changed_is_every_file_that_differs_whatever_became_of_it_and_save_commits_them_all(
    project,
) -> None:
    kinds = (
        "edited",
        "staged",
        "committed",
        "undone",
        "touched",
        "deleted",
        "deleted-and-committed",
        "renamed",
        "case",
    )
    files = {
        name: f"{name} is one of many files\n"
        for name in (*kinds, "uncached", "linked", "folder", "run")
    }
    side = a_lane(project({**files, ".gitignore": "*.log\nbuild/\n"}))
    strange = ("two words", "ünï/≠", "-x", ":(top)*", "a\tb", "line\nend", "'\"")
    side.write({"committed": "x\n", "undone": "x\n"})
    side.git("rm", "-q", "deleted-and-committed")
    side.git("mv", "renamed", "has-another-name")
    side.commit()
    side.write(
        {"undone": files["undone"], "edited": "x\n", "staged": "x\n", **dict.fromkeys(strange, "")}
    )
    side.git("add", "staged")
    side.git("mv", "case", "Case")
    side.git("rm", "-q", "--cached", "uncached")
    os.utime(side.root / "touched", (1, 1))
    (side.root / "run").chmod(0o755)
    for name in ("deleted", "linked", "folder"):
        (side.root / name).unlink()
    (side.root / "linked").symlink_to("edited")
    side.write(
        {
            "folder/x": "",
            "x.log": "",
            "build/x": "",
            "__pycache__/a.pyc": "",
            "deep/.mypy_cache/x": "",
        }
    )
    written = (
        "Case",
        "committed",
        "edited",
        "folder/x",
        "has-another-name",
        "linked",
        "run",
        "staged",
        *strange,
    )
    gone = ("case", "deleted", "deleted-and-committed", "folder", "renamed")
    set_up("diff.autoRefreshIndex=false", "core.quotePath=true")

    before = side.changes()
    assert before == Changes(tuple(sorted({*written, "uncached"})), gone)
    assert side.save() == work.LaneCommit(head(side))
    assert work.uncommitted_paths(side.place) == ()
    assert side.changes() == Changes(tuple(sorted(written)), gone)


def test_in_mains_checkout_what_the_user_hid_from_git_is_theirs(lane_project: Project) -> None:
    base = head(lane_project)
    lane_project.git("update-index", "--skip-worktree", "b.py")
    lane_project.write({"a.py": "x\n", "b.py": "only for me\n", "new.py": ""})

    assert work.changes_since_commit(str(lane_project.root), base) == Changes(("a.py", "new.py"))


def test_a_lane_that_cannot_be_compared_says_why(side: Lane) -> None:
    assert (
        "cannot be compared with nonsense"
        in work.changes_since_commit(side.place, "nonsense").problem
    )
    (side.root / ".git").unlink()
    assert ".git is gone" in side.changes().problem


OWN = (PlannedFile("own.py"), PlannedFile("new.py", CREATE), PlannedFile("old.py", DELETE))
OTHERS, TRACKED = ("theirs.py", "to-come.py"), ("own.py", "old.py", "theirs.py", "readme.md")


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        pytest.param(Changes(("own.py", "new.py"), ("old.py",)), (), id="its own"),
        pytest.param(Changes(("helper.py",)), (), id="a new file that no task names"),
        pytest.param(Changes(("old.py",)), (), id="a file that it was to delete"),
        pytest.param(Changes(("readme.md",)), ("readme.md",), id="a file that no task names"),
        pytest.param(
            Changes(("theirs.py", "to-come.py")),
            ("theirs.py", "to-come.py"),
            id="files of other tasks",
        ),
        pytest.param(Changes((), ("own.py",)), ("own.py",), id="its own, deleted"),
        pytest.param(Changes((), ("readme.md",)), ("readme.md",), id="another, deleted"),
        pytest.param(Changes(("moved.py",), ("own.py",)), ("own.py",), id="its own, renamed"),
    ],
)
def test_outside(changes: Changes, found: tuple[str, ...]) -> None:
    assert changes_outside_task(changes, OWN, OTHERS, TRACKED) == found


def test_a_file_that_two_tasks_name_belongs_to_both() -> None:
    assert changes_outside_task(Changes(("own.py",)), OWN, ("own.py",), TRACKED) == ()


def test_a_task_that_names_no_file_stays_off_those_of_others_and_deletes_none() -> None:
    assert changes_outside_task(
        Changes(("readme.md", "theirs.py"), ("old.py",)), (), OTHERS, TRACKED
    ) == ("old.py", "theirs.py")


def test_files_of_a_task_that_git_ignores_are_told(side: Lane) -> None:
    assert work.git_ignored_files(side.place, ("a.py", "build/x y.js", "new.py", "x.log")) == (
        "build/x y.js",
        "x.log",
    )


# --- saved ---


def test_no_hook_no_key_no_editor_and_no_name_are_needed(side: Lane) -> None:
    set_up(
        "user.useConfigOnly=true",
        "commit.gpgSign=true",
        "commit.template=none",
        "commit.cleanup=strip",
        "core.editor=false",
    )
    hook = side.here.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    side.write({"a.py": "x\n"})
    saved = side.save("# first line\n\nand more")

    assert (
        side.git("log", "-1", "--format=%H %an <%ae>").strip()
        == f"{saved.commit} Loopwright <loopwright@localhost>"
    )
    assert side.git("log", "-1", "--format=%B").strip() == "# first line\n\nand more"


def test_a_name_that_the_user_has_stands(side: Lane) -> None:
    set_up("user.name=Ada")
    side.write({"a.py": "x\n"})
    side.save()

    assert side.git("log", "-1", "--format=%an %ae").split() == ["Ada", "loopwright@localhost"]


def test_nothing_is_saved_as_nothing(side: Lane) -> None:
    assert side.save() == work.LaneCommit()
    assert head(side) == side.base


def nested(side: Lane, *words: str) -> None:
    inner = Project(side.root / "inner", {"x.py": "only here\n"}, git=False)
    inner.git("init", "-q")
    [inner.git(*word.split()) for word in words]


def hide(side: Lane, how: str) -> None:
    side.git("update-index", how, "a.py")
    side.write({"a.py": "x\n"})
    assert side.git("status", "--porcelain") == ""
    assert side.changes().written == ("a.py",)


def large(side: Lane) -> None:
    with open(side.root / "big.bin", "wb") as file:
        file.truncate(HUGE + 1)


UNFIT: dict[str, tuple[Callable[[Lane], object], str]] = {
    "a repository in it": (lambda s: nested(s, "add -A", "commit -qm x"), "inner/"),
    "a repository in it without a commit": (nested, "inner/"),
    "a huge file": (large, "big.bin"),
    "a file that git was told not to see": (
        lambda s: hide(s, "--assume-unchanged"),
        "--no-assume-unchanged",
    ),
    "a file that git was told to skip": (
        lambda s: hide(s, "--skip-worktree"),
        "--no-skip-worktree",
    ),
    "a rebase": (begin_rebase, "a rebase is not finished"),
}


@pytest.mark.parametrize(("change", "words"), UNFIT.values(), ids=UNFIT)
def test_what_a_commit_would_not_hold_is_not_saved_and_not_removed(
    side: Lane, change: Callable[[Lane], object], words: str
) -> None:
    change(side)
    before = state(side)[1]
    saved = side.save()

    assert saved.commit == ""
    assert words in saved.problem
    assert side.candidate().problem != ""
    assert side.clear().startswith(f"kept at {side.place}: ")
    assert state(side)[1] == before


def test_a_huge_file_that_a_filter_keeps_elsewhere_is_saved(side: Lane) -> None:
    side.write({".gitattributes": "*.bin filter=elsewhere\n"})
    side.here.git("config", "filter.elsewhere.clean", "echo pointer")
    large(side)

    assert side.save().problem == ""
    assert side.git("show", "HEAD:big.bin") == "pointer\n"


@pytest.mark.parametrize(
    "inside", [True, False], ids=["inside the project", "inside another repository"]
)
def test_a_lane_without_its_git_file_never_commits_to_the_repository_around_it(
    lane_project: Project, inside: bool
) -> None:
    around = lane_project if inside else Project(lane_project.root.parent, {"x": "around\n"})
    place = lane_project.root / "lanes/01" if inside else lane_path(lane_project, "01")
    assert worktrees.create_lane(str(lane_project.root), str(place), "loop/night/01").problem == ""
    (place / ".git").unlink()
    (place / "new.py").write_text("new\n")
    before = head(around)

    assert ".git is gone" in work.commit_lane(str(place), "x").problem
    assert ".git is gone" in work.changes_since_commit(str(place), head(lane_project)).problem
    assert ".git is gone" in worktrees.remove_lane(
        str(lane_project.root), str(place), "loop/night/01"
    )
    assert head(around) == before
    assert (place / "new.py").exists()


def test_a_lane_whose_index_is_broken_is_no_clean_one(side: Lane) -> None:
    index = Path(side.git("rev-parse", "--absolute-git-dir").strip()) / "index"
    index.write_bytes(b"garbage")

    with pytest.raises(GitError, match="index"):
        side.clear()
    assert side.root.exists()
