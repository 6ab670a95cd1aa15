"""What a lane did becomes one commit of main, or a problem in words; and main never gets what nobody meant."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.repo.git import GitError
from loopwright.repo.lanes import changes, merge, worktrees
from tests.support.lanes import (
    FILES,
    ID,
    Lane,
    World,
    a_lane,
    head,
    merge_commit,
    move_main,
    set_up,
    state,
    tree,
)
from tests.support.project import Project

pytestmark = pytest.mark.plans

MESSAGE = "feat(1-01): one commit\n\nwith a body"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"), FILES)


@pytest.fixture
def side(world: World, tmp_path: Path) -> Lane:
    return world.copy(tmp_path)


@pytest.fixture(scope="module")
def divided(tmp_path_factory: pytest.TempPathFactory) -> World:
    def told(side: Lane) -> None:
        side.write({"a.py": "a = 'lane'\n", "new.py": "new\n"})
        side.save()
        move_main(side.here, {"a.py": "a = 'main'\n", "b.py": "b = 'main'\n"})

    return World(tmp_path_factory.mktemp("divided"), FILES, told)


@pytest.fixture
def conflict(divided: World, tmp_path: Path) -> Lane:
    """A lane and a main that changed the same line."""
    return divided.copy(tmp_path)


# --- a candidate ---


def test_a_lane_becomes_one_commit_on_top_of_main_and_main_waits_for_it(side: Lane) -> None:
    for text in ("first", "second"):
        side.write({"a.py": f"{text}\n"})
        side.commit()
    side.write({"new/x y.py": "left\n"})
    side.save()
    main = move_main(side.here, {"b.py": "b = 'main'\n"})
    before = state(side.here)
    made = side.candidate(MESSAGE)

    assert (made.problem, made.conflicts, made.base) == ("", (), main)
    assert state(side.here) == before
    assert head(side) == head(side.here, side.branch) == made.commit
    assert side.git("status", "--porcelain") == ""
    assert side.git("log", "-1", "--format=%P%n%B", made.commit).strip() == f"{main}\n{MESSAGE}"
    assert (side.root / "b.py").read_text() == "b = 'main'\n"

    assert merge_commit(side.here, made.commit) == ""
    assert head(side.here) == made.commit
    assert tree(side.here) == {
        **FILES,
        "a.py": "second\n",
        "b.py": "b = 'main'\n",
        "new/x y.py": "left\n",
    }
    assert side.here.git("status", "--porcelain") == ""


def test_two_lanes_land_in_order_and_the_second_holds_both(lane_project: Project) -> None:
    one, two = a_lane(lane_project, "01"), a_lane(lane_project, "02")
    one.write({"a.py": "one\n", "docs/c.md": FILES["docs/c.md"].replace("one", "ONE")})
    two.write({"b.py": "two\n", "docs/c.md": FILES["docs/c.md"].replace("five", "FIVE")})

    assert (one.merge(), two.merge(), one.clear(), two.clear()) == ("", "", "", "")
    both = FILES["docs/c.md"].replace("one", "ONE").replace("five", "FIVE")
    assert tree(lane_project) == {**FILES, "a.py": "one\n", "b.py": "two\n", "docs/c.md": both}
    assert lane_project.git("log", "--format=%s").split("\n")[:2] == [
        f"feat({ID}/02): done",
        f"feat({ID}/01): done",
    ]
    assert lane_project.git("worktree", "list").count("\n") == 1


def test_one_lanes_failure_leaves_its_sibling_and_main_untouched(lane_project: Project) -> None:
    one, two = a_lane(lane_project, "01"), a_lane(lane_project, "02")
    two.write({"b.py": "half of it\n"})
    before, sibling = state(lane_project), state(two)
    one.git("rm", "-q", "a.py", "b.py")

    assert "deletes a.py, b.py" in one.merge()
    assert (state(lane_project), state(two)) == (before, sibling)
    assert two.merge() == ""


def test_work_goes_on_from_a_candidate_whose_checks_failed(side: Lane) -> None:
    side.write({"a.py": "wrong\n"})
    side.save()
    first = side.candidate(MESSAGE)
    side.base = first.base
    move_main(side.here, {"b.py": "b = 'main'\n"})
    side.write({"a.py": "right\n"})
    assert side.changes().written == ("a.py",)
    side.save()
    second = side.candidate(MESSAGE)

    assert second.base == head(side.here) != first.base
    assert merge_commit(side.here, second.commit) == ""
    assert tree(side.here)["a.py"] == "right\n"
    assert side.here.git("rev-list", "--count", "HEAD").strip() == "3"


@pytest.mark.parametrize("landed", [False, True], ids=["before it landed", "after it landed"])
def test_after_a_kill_the_candidate_is_found_again(side: Lane, landed: bool) -> None:
    side.write({"a.py": "done\n"})
    side.save()
    made = side.candidate(MESSAGE)
    if landed:
        assert merge_commit(side.here, made.commit) == ""
        move_main(side.here, {"b.py": "and main went on\n"})

    assert side.recreate().problem == ""
    again = side.candidate(MESSAGE)
    assert (again.commit, again.problem) == (made.commit, "")
    assert merge_commit(side.here, again.commit) == ""
    assert side.clear() == ""
    assert tree(side.here)["a.py"] == "done\n"


def test_a_commit_that_is_all_that_a_candidate_would_be_is_the_candidate(side: Lane) -> None:
    side.write({"a.py": "done\n"})
    side.commit(MESSAGE)
    made = head(side)

    assert side.candidate(MESSAGE).commit == made
    assert side.candidate("another message").commit != made


def test_a_lane_that_began_at_a_commit_with_our_message_has_not_landed_with_it(
    lane_project: Project,
) -> None:
    lane_project.commit(MESSAGE)

    assert a_lane(lane_project).candidate(MESSAGE).unchanged


def test_an_agents_own_commit_with_our_message_is_guarded_like_any_other(side: Lane) -> None:
    side.git("rm", "-q", "a.py")
    side.commit(MESSAGE)

    assert "deletes a.py" in side.candidate(MESSAGE).problem


NOTHING: dict[str, Callable[[Lane], object]] = {
    "nothing at all": lambda s: None,
    "only ignored files": lambda s: s.write({"x.log": "x"}),
    "a commit that was taken back": lambda s: (
        s.write({"a.py": "x\n"}),
        s.commit(),
        s.git("reset", "-q", "--hard", s.base),
    ),
    "an empty commit": lambda s: s.commit(),
    "what main did too": lambda s: (
        s.write({"a.py": "x\n"}),
        s.commit(),
        move_main(s.here, {"a.py": "x\n"}),
    ),
    "main itself": lambda s: (move_main(s.here, {"a.py": "x\n"}), s.git("merge", "-q", "main")),
}


@pytest.mark.parametrize("change", NOTHING.values(), ids=NOTHING)
def test_a_lane_changed_nothing_with(side: Lane, change: Callable[[Lane], object]) -> None:
    change(side)

    assert side.candidate().unchanged
    assert side.save() == changes.LaneCommit()


# --- the wrong base ---


def test_a_lane_that_was_set_back_behind_its_base_is_refused(lane_project: Project) -> None:
    move_main(lane_project, {"a.py": "the base\n"})
    side = a_lane(lane_project)
    side.git("reset", "-q", "--hard", "HEAD~1")
    side.write({"b.py": "work\n"})
    side.save()
    before = state(lane_project)

    assert f"git merge {side.base[:12]}" in side.candidate().problem
    assert state(lane_project) == before
    side.git("merge", "-q", side.base)
    assert side.merge() == ""
    assert tree(lane_project) == {**FILES, "a.py": "the base\n", "b.py": "work\n"}


@pytest.mark.parametrize("how", ["another branch", "an amended commit"])
def test_a_main_that_no_longer_holds_the_base_gets_nothing(lane_project: Project, how: str) -> None:
    """The file that was amended away would come back with the lane."""
    lane_project.git("branch", "older")
    move_main(lane_project, {"secret.txt": "oops\n"})
    side = a_lane(lane_project)
    side.write({"a.py": "work\n"})
    side.save()
    if how == "another branch":
        lane_project.git("checkout", "-q", "older")
    else:
        lane_project.git("rm", "-q", "secret.txt")
        lane_project.git("commit", "-q", "--amend", "--allow-empty", "-m", "without it")
    before = state(lane_project)

    assert "no longer holds" in side.candidate().problem
    assert state(lane_project) == before


def test_a_branch_that_lies_behind_is_not_pulled_along(side: Lane) -> None:
    """It would be a fast forward, and not the one that was asked for."""
    side.here.git("branch", "release")
    move_main(side.here, {"b.py": "main\n"})
    side.write({"a.py": "work\n"})
    side.save()
    made = side.candidate()
    side.here.git("checkout", "-q", "release")
    before = state(side.here)

    assert "moved on" in merge_commit(side.here, made.commit)
    assert state(side.here) == before


def test_a_lane_with_another_history_is_refused(side: Lane) -> None:
    side.git("checkout", "-q", "--orphan", "other")
    side.commit("begun anew")
    side.git("branch", "-q", "-M", side.branch)

    assert "no longer stands on" in side.candidate().problem


def test_where_main_was_brought_in_the_base_is_mains(side: Lane) -> None:
    main = move_main(side.here, {"b.py": "main\n"})
    assert worktrees.lane_base(str(side.here.root), side.place) == side.base
    side.git("merge", "-q", "main")

    assert worktrees.lane_base(str(side.here.root), side.place) == main
    assert changes.changes_since_commit(side.place, main) == changes.Changes()


# --- the guard ---


def resurrect(side: Lane) -> None:
    move_main(side.here, {}, "b.py")
    side.git("merge", "-q", "main")
    side.git("checkout", "-q", side.base, "--", "b.py")


def resurrect_by_theirs(side: Lane) -> None:
    side.write({"a.py": "work\n"})
    side.commit()
    move_main(side.here, {"a.py": "main\n"}, "b.py")
    side.git("merge", "-q", "-s", "ours", "main")


def delete_by_ours(side: Lane) -> None:
    """The new file of main is lost in the lane, as by a merge that was resolved with one side."""
    move_main(side.here, {"theirs.py": "new\n"})
    side.git("merge", "-q", "--no-commit", "--no-ff", "-s", "ours", "main")
    side.write({"a.py": "work\n"})
    side.commit()


def submodule(side: Lane) -> None:
    inner = Project(side.root / "inner", {"x.py": "only here\n"})
    side.git("update-index", "--add", "--cacheinfo", f"160000,{head(inner)},inner")
    side.git("commit", "-qm", "inner")


GUARDED: dict[str, tuple[Callable[[Lane], object], str]] = {
    "a file that main deleted, taken back": (resurrect, "would resurrect b.py"),
    "a file that main deleted, kept by a merge": (resurrect_by_theirs, "would resurrect b.py"),
    "a new file of main, lost in a merge": (delete_by_ours, "deletes theirs.py"),
    "a deletion": (lambda s: s.git("rm", "-q", "a.py"), "deletes a.py"),
    "a rename": (lambda s: s.git("mv", "a.py", "z.py"), "deletes a.py"),
    "a rename to upper case": (lambda s: s.git("mv", "a.py", "A.py"), "deletes a.py"),
    "a folder": (lambda s: s.git("rm", "-q", "-r", "docs"), "deletes docs/c.md"),
    "a file where main has a folder": (
        lambda s: (shutil.rmtree(s.root / "docs"), s.write({"docs": ""})),
        "deletes docs/c.md",
    ),
    "a repository in it": (submodule, "has inner as a repository of its own"),
}


@pytest.mark.parametrize(("change", "words"), GUARDED.values(), ids=GUARDED)
def test_the_guard_refuses(side: Lane, change: Callable[[Lane], object], words: str) -> None:
    change(side)
    before = state(side.here)
    side.save()
    made = side.candidate()

    assert words in made.problem
    assert (made.commit, made.conflicts) == ("", ())
    assert state(side.here) == before
    assert side.clear().startswith("kept at ")


@pytest.mark.parametrize("name", ["a rename", "a file where main has a folder"])
def test_what_the_task_says_is_deleted(side: Lane, name: str) -> None:
    change, words = GUARDED[name]
    change(side)
    gone = words.removeprefix("deletes ")

    assert side.merge(deletes=(gone,)) == ""
    assert gone not in tree(side.here)


def test_a_huge_file_that_the_agent_committed_does_not_land(
    side: Lane, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merge, "HUGE", 1000)
    side.write({"big.bin": "x" * 1001, "fits.bin": "x" * 1000})
    side.commit()

    assert side.candidate().problem.startswith("has big.bin of more than")


def test_what_both_deleted_is_gone_and_needs_no_leave(side: Lane) -> None:
    side.git("rm", "-q", "b.py")
    side.write({"a.py": "work\n"})
    move_main(side.here, {}, "b.py")

    assert side.merge() == ""
    assert tree(side.here) == {
        "a.py": "work\n",
        "docs/c.md": FILES["docs/c.md"],
        ".gitignore": FILES[".gitignore"],
    }


def test_what_main_deleted_stays_deleted(side: Lane) -> None:
    side.write({"a.py": "work\n"})
    move_main(side.here, {}, "b.py", "docs/c.md")

    assert side.merge() == ""
    assert tree(side.here) == {"a.py": "work\n", ".gitignore": FILES[".gitignore"]}


def test_a_new_file_of_main_stays_in_its_folder_though_the_lane_renamed_that(side: Lane) -> None:
    set_up("merge.directoryRenames=true")
    side.git("mv", "docs", "pages")
    move_main(side.here, {"docs/new.md": "new\n"})

    assert side.merge(deletes=("docs/c.md",)) == ""
    assert {"docs/new.md", "pages/c.md"} < tree(side.here).keys()


@pytest.mark.skipif(sys.platform == "win32", reason="links and modes")
def test_links_modes_and_read_only_files_land_as_they_are(side: Lane) -> None:
    (side.root / "link").symlink_to("a.py")
    side.write({"run.sh": "#!/bin/sh\n", "fixed.py": "x\n"})
    (side.root / "run.sh").chmod(0o755)
    (side.root / "fixed.py").chmod(0o444)
    (side.root / "a.py").chmod(0o444)

    assert (side.merge(), side.clear()) == ("", "")
    assert os.readlink(side.here.root / "link") == "a.py"
    assert os.access(side.here.root / "run.sh", os.X_OK)
    assert not side.root.exists()


def test_ignored_files_in_the_lane_that_main_has_by_now_are_not_overwritten(side: Lane) -> None:
    side.write({"a.py": "work\n", "x.log": "the lane's\n"})
    side.save()
    side.here.write({"x.log": "main's\n"})
    side.here.git("add", "-f", "x.log")
    side.here.commit()

    assert "x.log" in side.candidate().problem
    assert (side.root / "x.log").read_text() == "the lane's\n"


def test_a_candidate_that_git_cannot_check_out_cleanly_is_none(side: Lane) -> None:
    side.write({"a.py": "work\n"})
    side.save()
    (side.here.root / "crlf.txt").write_bytes(b"one\r\ntwo\r\n")
    move_main(side.here, {})
    side.here.write({".gitattributes": "*.txt text\n"})
    side.here.git("add", ".gitattributes")
    side.here.git("commit", "-q", "-m", "and crlf.txt is in there as it was")
    made = side.candidate()

    assert made.commit == ""
    assert "not committed" in made.problem
    assert "crlf.txt" in made.problem


# --- conflicts ---


def test_a_conflict_leaves_main_clean_and_both_sides_readable(conflict: Lane) -> None:
    before, lane = state(conflict.here), state(conflict)
    made = conflict.candidate()

    assert (made.commit, made.conflicts) == ("", ("a.py",))
    assert "conflicts" in made.problem
    assert (state(conflict.here), state(conflict)) == (before, lane)

    assert merge.merge_main_into_lane(conflict.place, str(conflict.here.root)) == ("a.py",)
    marked = (conflict.root / "a.py").read_text()
    assert "a = 'lane'" in marked
    assert "a = 'main'" in marked
    assert (conflict.root / "b.py").read_text() == "b = 'main'\n"
    assert state(conflict.here) == before


@pytest.mark.parametrize("told", [False, True], ids=["only edited", "committed by the agent"])
def test_a_conflict_that_the_agent_resolved_lands_with_both(conflict: Lane, told: bool) -> None:
    merge.merge_main_into_lane(conflict.place, str(conflict.here.root))
    conflict.base = worktrees.lane_base(str(conflict.here.root), conflict.place)
    conflict.write({"a.py": "a = 'both'\n"})
    if told:
        conflict.commit("merged")

    assert conflict.changes().written == ("a.py", "new.py")
    assert conflict.merge() == ""
    assert tree(conflict.here) == {
        **FILES,
        "a.py": "a = 'both'\n",
        "b.py": "b = 'main'\n",
        "new.py": "new\n",
    }
    assert conflict.here.git("log", "--merges") == ""
    assert conflict.clear() == ""


def test_marks_that_are_left_are_no_resolution(conflict: Lane) -> None:
    merge.merge_main_into_lane(conflict.place, str(conflict.here.root))
    before = state(conflict)

    assert "a.py" in conflict.save().problem
    assert conflict.candidate().problem != ""
    assert "kept at" in conflict.clear()
    assert conflict.recreate().problem == ""
    assert merge.merge_main_into_lane(conflict.place, str(conflict.here.root)) == ("a.py",), (
        "asked again, it is the same merge"
    )
    assert state(conflict) == before


def test_where_nothing_conflicts_nothing_is_brought(side: Lane) -> None:
    side.write({"a.py": "work\n"})
    side.save()
    move_main(side.here, {"b.py": "main\n"})
    before = state(side)

    assert merge.merge_main_into_lane(side.place, str(side.here.root)) == ()
    assert state(side) == before


def test_nothing_is_brought_over_work_that_is_not_saved(conflict: Lane) -> None:
    conflict.write({"a.py": "not saved\n"})

    with pytest.raises(GitError, match=r"a\.py"):
        merge.merge_main_into_lane(conflict.place, str(conflict.here.root))
    assert (conflict.root / "a.py").read_text() == "not saved\n"


def test_a_file_that_one_deleted_and_the_other_changed_is_a_conflict(side: Lane) -> None:
    side.write({"b.py": "work\n"})
    side.save()
    move_main(side.here, {}, "b.py")

    assert side.candidate().conflicts == ("b.py",)
    assert merge.merge_main_into_lane(side.place, str(side.here.root)) == ("b.py",)
    assert (side.root / "b.py").read_text() == "work\n"
