"""The tree: one hash for the content of all files that count, whatever git or its user do in between."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.disk import files
from loopwright.repo import git_tree, kept_trees, plumbing, walk
from loopwright.repo.git_tree import changed_files
from loopwright.repo.tree import DISK_ERRORS, tree_hash
from loopwright.store.create import prepare_folder
from tests.support.project import WHO, Project

FILES = {
    "a.py": "a = 1\n",
    "b.py": "b = 2\n",
    "src/c.py": "c = 3\n",
    ".gitignore": "*.log\nbuild/\n",
}


@pytest.fixture
def hashed_project(project) -> Project:
    made = project(FILES)
    prepare_folder(made.folder)
    return made


@pytest.fixture
def bare(project) -> Project:
    """A folder without git."""
    made = project(FILES, git=False)
    (made.root / ".loop").mkdir()
    return made


def hashed(here: Project, *volatile: str) -> str:
    found = tree_hash(str(here.root), str(here.root / ".loop"), volatile)
    assert found, "the tree can be told"
    return found


def afresh(here: Project) -> str:
    """As a loop that starts now would see it."""
    other = here.root / ".loop" / f"other{time.monotonic_ns()}"
    other.mkdir()
    return tree_hash(str(here.root), str(other))


# --- what changes it ---

CHANGES: dict[str, Callable[[Project], object]] = {
    "an edit": lambda p: p.write({"a.py": "a = 2\n"}),
    "an edit of the same size": lambda p: p.write({"a.py": "a = 9\n"}),
    "a new file": lambda p: p.write({"new.py": ""}),
    "a new file in a new folder": lambda p: p.write({"deep/down/new.py": ""}),
    "a deleted file": lambda p: (p.root / "b.py").unlink(),
    "a renamed file": lambda p: (p.root / "b.py").rename(p.root / "d.py"),
    "a file that may be run": lambda p: (p.root / "a.py").chmod(0o755),
    "a link": lambda p: (p.root / "link").symlink_to("a.py"),
    "a file in place of a folder": lambda p: (
        (p.root / "src/c.py").unlink(),
        (p.root / "src").rmdir(),
        p.write({"src": ""}),
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_it_changes_with(hashed_project: Project, change: Callable[[Project], object]) -> None:
    before = hashed(hashed_project)
    change(hashed_project)
    after = hashed(hashed_project)

    assert after != before
    assert hashed(hashed_project) == after


PLAIN = {
    name: change
    for name, change in CHANGES.items()
    if name not in ("a file that may be run", "a link")
}


@pytest.mark.parametrize("change", PLAIN.values(), ids=PLAIN)
def test_without_git_it_changes_with(bare: Project, change: Callable[[Project], object]) -> None:
    before = hashed(bare)
    change(bare)

    assert hashed(bare) != before


def test_ten_edits_of_one_size_in_one_moment_are_ten_trees(hashed_project: Project) -> None:
    found = set()
    for number in range(10):
        hashed_project.write({"a.py": f"a = {number}\n"})
        found.add(hashed(hashed_project))

    assert len(found) == 10


def test_a_folder_whose_name_has_two_lines_is_one_like_any_other(tmp_path: Path) -> None:
    odd = Project(tmp_path / 'two\nlines "and" a \\', FILES)
    prepare_folder(odd.folder)
    before = hashed(odd)
    assert kept_trees.keep_tree(str(odd.root), odd.folder.path, before, "refs/loop/x/1")
    odd.write({"a.py": "a = 2\n"})
    assert changed_files(str(odd.root), odd.folder.path, before, hashed(odd)) == "a.py"


def test_taking_an_edit_back_takes_the_hash_back(hashed_project: Project) -> None:
    before = hashed(hashed_project)
    hashed_project.write({"a.py": "a = 2\n", "new.py": ""})
    assert hashed(hashed_project) != before
    hashed_project.write({"a.py": "a = 1\n"})
    (hashed_project.root / "new.py").unlink()

    assert hashed(hashed_project) == before


# --- what does not ---

SAME: dict[str, Callable[[Project], object]] = {
    "nothing": lambda p: None,
    "an ignored file": lambda p: p.write({"out.log": "x", "build/out.bin": "y"}),
    "our own folder": lambda p: p.write({".loop/state.json": "{}", ".loop/evidence/x.log": "x"}),
    "the other loops' state": lambda p: p.write(
        {".claude/loop-state.md": "x", ".claude/loop-history/1.md": "y"}
    ),
    "what tools leave behind": lambda p: p.write(
        {"src/__pycache__/c.pyc": "x", ".pytest_cache/x": "y", ".coverage": "z"}
    ),
    "a touch": lambda p: os.utime(p.root / "a.py", (1, 1)),
    "staging": lambda p: p.git("add", "-A"),
    "a commit without changes": lambda p: p.commit(),
    "another branch": lambda p: p.git("checkout", "-qb", "other"),
}
NO_GIT = ("staging", "a commit without changes", "another branch", "an ignored file")


@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_it_stays_with(hashed_project: Project, change: Callable[[Project], object]) -> None:
    before = hashed(hashed_project)
    change(hashed_project)

    assert hashed(hashed_project) == before


@pytest.mark.parametrize("name", [name for name in SAME if name not in NO_GIT])
def test_without_git_it_stays_with(bare: Project, name: str) -> None:
    before = hashed(bare)
    SAME[name](bare)

    assert hashed(bare) == before


def test_equal_content_is_an_equal_hash_whatever_the_order_of_staging_and_commits(
    hashed_project: Project,
) -> None:
    hashed(hashed_project)
    hashed_project.write({"a.py": "a = 2\n", "new.py": "n = 1\n"})
    edited = hashed(hashed_project)
    hashed_project.git("add", "a.py")
    assert hashed(hashed_project) == edited
    hashed_project.git("commit", "-qm", "only a")
    assert hashed(hashed_project) == edited
    hashed_project.git("add", "new.py")
    hashed_project.git("stash", "-q")
    assert hashed(hashed_project) != edited
    hashed_project.git("stash", "pop", "-q")
    assert hashed(hashed_project) == edited
    hashed_project.commit()

    assert hashed(hashed_project) == edited
    assert afresh(hashed_project) == edited


def test_volatile_files_are_no_part_of_it(hashed_project: Project) -> None:
    hashed_project.write({"report.xml": "1", "out/report.txt": "1"})
    before = hashed(hashed_project, "report.xml", "out/*.txt")
    hashed_project.write({"report.xml": "2", "out/report.txt": "2"})

    assert hashed(hashed_project, "report.xml", "out/*.txt") == before


def test_volatile_files_without_git(bare: Project) -> None:
    bare.write({"report.xml": "1", "out/report.txt": "1"})
    before = hashed(bare, "report.xml", "out/*.txt")
    bare.write({"report.xml": "2", "out/report.txt": "2"})

    assert hashed(bare, "report.xml", "out/*.txt") == before


def test_without_git_only_our_own_files_are_left_out(bare: Project) -> None:
    before = hashed(bare)
    bare.write({"src/loop-state.py": "mine = 1\n"})

    assert hashed(bare) != before


def test_a_file_that_is_ignored_later_is_no_part_of_it_from_then_on(
    hashed_project: Project,
) -> None:
    """What a person is told to do about a check that writes files: ignore them in git."""
    hashed_project.write({"coverage.xml": "1"})
    hashed(hashed_project)
    hashed_project.write({".gitignore": "*.log\nbuild/\ncoverage.xml\n"})
    before = hashed(hashed_project)
    hashed_project.write({"coverage.xml": "2"})

    assert hashed(hashed_project) == before


def test_the_files_in_which_two_trees_differ_are_named(hashed_project: Project) -> None:
    before = hashed(hashed_project)
    hashed_project.write({"a.py": "a = 2\n", "new.py": ""})
    names = changed_files(
        str(hashed_project.root), str(hashed_project.root / ".loop"), before, hashed(hashed_project)
    )

    assert sorted(names.split(", ")) == ["a.py", "new.py"]


def test_more_than_ten_are_counted(hashed_project: Project) -> None:
    before = hashed(hashed_project)
    hashed_project.write({f"{n:02}.py": "" for n in range(13)})
    names = changed_files(
        str(hashed_project.root), str(hashed_project.root / ".loop"), before, hashed(hashed_project)
    )

    assert names.startswith("00.py, 01.py")
    assert names.endswith(" and 3 more")


# --- the user's git is theirs ---


def test_index_hooks_filters_and_fsmonitor_are_not_touched(hashed_project: Project) -> None:
    mark = hashed_project.root.parent / "mark"
    touch = f"#!/bin/sh\necho ran >> '{mark}'\ncat\n"
    script = hashed_project.root.parent / "leave-a-mark"
    script.write_text(touch)
    script.chmod(0o755)
    for name in ("post-index-change", "pre-commit", "fsmonitor-watchman"):
        hook = hashed_project.root / ".git/hooks" / name
        hook.write_text(touch)
        hook.chmod(0o755)
    hashed_project.write({".gitattributes": "*.py filter=mark diff=mark\n"})
    hashed_project.git("add", ".gitattributes")
    hashed_project.git("config", "filter.mark.clean", str(script))
    hashed_project.git("config", "filter.mark.process", str(script))
    hashed_project.git(
        "config", "core.fsmonitor", str(hashed_project.root / ".git/hooks/fsmonitor-watchman")
    )
    hashed_project.git("config", "core.untrackedCache", "true")
    mark.unlink(missing_ok=True)
    index = (hashed_project.root / ".git/index").read_bytes()
    objects = sorted((hashed_project.root / ".git/objects").rglob("*"))

    before = hashed(hashed_project)
    hashed_project.write({"a.py": "a = 2\n", "new.py": ""})
    assert hashed(hashed_project) != before

    assert not mark.exists(), mark.read_text()
    assert (hashed_project.root / ".git/index").read_bytes() == index
    assert sorted((hashed_project.root / ".git/objects").rglob("*")) == objects
    assert hashed_project.git("stash", "list") == ""


def test_variables_of_a_git_hook_around_us_lead_nowhere_else(
    hashed_project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plain = hashed(hashed_project)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "no-index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))

    assert hashed(hashed_project) == plain
    assert afresh(hashed_project) == plain


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_file_that_git_was_told_to_overlook_still_counts(
    hashed_project: Project, flag: str
) -> None:
    hashed_project.git("update-index", flag, "a.py")
    before = hashed(hashed_project)
    hashed_project.write({"a.py": "a = 2\n"})

    assert hashed(hashed_project) != before


def test_a_split_index_can_be_told_too(hashed_project: Project) -> None:
    hashed_project.git("update-index", "--split-index")
    before = hashed(hashed_project)
    hashed_project.write({"a.py": "a = 2\n"})

    assert hashed(hashed_project) != before


def test_line_endings_are_content_whatever_the_attributes_say(hashed_project: Project) -> None:
    hashed_project.write({".gitattributes": "* text=auto\n"})
    hashed_project.commit()
    before = hashed(hashed_project)
    (hashed_project.root / "a.py").write_bytes(b"a = 1\r\n")

    assert hashed(hashed_project) != before


def test_in_the_middle_of_a_merge(hashed_project: Project) -> None:
    hashed_project.git("checkout", "-qb", "other")
    hashed_project.write({"a.py": "a = 'other'\n"})
    hashed_project.commit()
    hashed_project.git("checkout", "-q", "main")
    hashed_project.write({"a.py": "a = 'main'\n"})
    hashed_project.commit()
    subprocess.run(
        ["git", "merge", "-q", "other"],
        cwd=hashed_project.root,
        env={**os.environ, **WHO},
        capture_output=True,
        check=False,
    )
    assert hashed_project.git("ls-files", "-u")
    before = hashed(hashed_project)
    hashed_project.write({"a.py": "a = 'both'\n"})

    assert hashed(hashed_project) != before


def test_before_the_first_commit(tmp_path: Path) -> None:
    here = Project(tmp_path / "young", FILES, git=False)
    here.git("init", "-q")
    (here.root / ".loop").mkdir()
    before = hashed(here)
    here.write({"a.py": "a = 2\n"})

    assert hashed(here) != before


def test_a_worktree_has_a_tree_of_its_own(hashed_project: Project) -> None:
    hashed_project.git("worktree", "add", "-q", "../side")
    side = Project(hashed_project.root.parent / "side", {"a.py": "a = 'side'\n"}, git=False)
    (side.root / ".loop").mkdir()
    assert (side.root / ".git").is_file()
    before, main = hashed(side), hashed(hashed_project)
    side.write({"b.py": "b = 'side'\n"})

    assert hashed(side) != before
    assert hashed(hashed_project) == main


def test_a_submodule_counts_by_its_commit_and_by_its_edits(
    hashed_project: Project, tmp_path: Path
) -> None:
    part = Project(tmp_path / "part", {"p.py": "p = 1\n"})
    hashed_project.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(part.root), "part"
    )
    hashed_project.commit()
    before = hashed(hashed_project)
    inside = Project(hashed_project.root / "part", {"p.py": "p = 2\n"}, git=False)
    edited = hashed(hashed_project)
    inside.commit()
    committed = hashed(hashed_project)

    assert committed != before
    assert edited != before, "an edit inside a submodule is an edit"


@pytest.mark.parametrize(
    "name", [".loop/state.json", ".claude/loop-state.md", "src/__pycache__/c.pyc"]
)
def test_our_own_files_are_no_part_of_it_even_if_somebody_committed_them(
    hashed_project: Project, name: str
) -> None:
    hashed_project.write({name: "1"})
    hashed_project.git("add", "-f", name)
    hashed_project.git("commit", "-qm", "by mistake")
    before = hashed(hashed_project)
    hashed_project.write({name: "2"})

    assert hashed(hashed_project) == before


# --- huge files ---


@pytest.fixture
def _low(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_tree, "HUGE", 1000)


@pytest.mark.usefixtures("_low")
def test_a_huge_file_counts_by_size_and_time(hashed_project: Project) -> None:
    hashed_project.write({"huge.bin": "x" * 2000})
    os.utime(hashed_project.root / "huge.bin", ns=(10**18, 10**18))
    before = hashed(hashed_project)
    assert hashed(hashed_project) == before
    os.utime(hashed_project.root / "huge.bin", ns=(10**18 + 5, 10**18 + 5))
    assert hashed(hashed_project) != before
    hashed_project.write({"huge.bin": "x" * 3000})
    os.utime(hashed_project.root / "huge.bin", ns=(10**18, 10**18))

    assert hashed(hashed_project) != before


@pytest.mark.usefixtures("_low")
def test_a_huge_file_that_goes_leaves_no_old_answer_behind(hashed_project: Project) -> None:
    before = hashed(hashed_project)
    hashed_project.write({"huge.bin": "x" * 2000, "a.py": "a = 2\n"})
    hashed(hashed_project)
    (hashed_project.root / "huge.bin").unlink()

    assert hashed(hashed_project) != before, "a.py is still edited"


@pytest.mark.usefixtures("_low")
def test_a_huge_file_is_not_read_into_git(hashed_project: Project) -> None:
    hashed_project.write({"huge.bin": os.urandom(4000).hex()})
    hashed(hashed_project)

    stored = [path for path in (hashed_project.root / ".loop").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in stored) < 8000


# --- odd names ---

ODD = [
    b"two words.py",
    b'"quoted".py',
    b"new\nline.py",
    b"tab\there.py",
    b"\xff\xfe-not-utf8.py",
    "ünïcode-🎉.py".encode(),
    b"-rf",
    b"*.log?",
]


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("git", [True, False], ids=["git", "no git"])
def test_odd_names(project, name: bytes, git: bool) -> None:
    here = project(FILES, git)
    (here.root / ".loop").mkdir()
    before = hashed(here)
    path = os.path.join(os.fsencode(here.root), name)
    Path(os.fsdecode(path)).write_text("1")
    there = hashed(here)
    Path(os.fsdecode(path)).write_text("2")
    edited = hashed(here)
    os.remove(path)

    assert len({before, there, edited}) == 3
    assert hashed(here) == before


def test_without_a_git_program_the_files_are_hashed_one_by_one(
    hashed_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    before = tree_hash(str(hashed_project.root), str(hashed_project.root / ".loop"))
    hashed_project.write({"new.txt": "one more\n"})

    assert before
    assert tree_hash(str(hashed_project.root), str(hashed_project.root / ".loop")) not in (
        "",
        before,
    )


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="/proc tells what is open")
def test_without_a_git_program_nothing_stays_open(
    hashed_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    before = len(os.listdir("/proc/self/fd"))
    tree_hash(str(hashed_project.root), str(hashed_project.root / ".loop"))

    assert len(os.listdir("/proc/self/fd")) == before


def test_a_broken_repository_is_unknown_not_a_crash(hashed_project: Project) -> None:
    (hashed_project.root / ".git/index").write_bytes(b"garbage")

    assert tree_hash(str(hashed_project.root), str(hashed_project.root / ".loop")) == ""


@pytest.mark.parametrize("number", DISK_ERRORS)
def test_what_the_disk_says_is_heard(
    hashed_project: Project, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Without a tree nothing is proven: a loop would go on to its breaker, and nobody would know why."""
    hashed(hashed_project)
    hashed_project.write({"new.txt": "x"})
    monkeypatch.setattr(files, "write_all", failing(number))

    with pytest.raises(OSError, match=re.escape(os.strerror(number))):
        hashed(hashed_project)


def test_what_only_hides_a_file_is_unknown(
    hashed_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "open_private", failing(errno.EACCES))

    assert tree_hash(str(hashed_project.root), str(hashed_project.root / ".loop")) == ""


def test_a_git_that_falls_silent_is_ended(
    hashed_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed_project.write({"deep/x.py": "x\n"})
    os.mkfifo(hashed_project.root / "deep/.gitignore")
    monkeypatch.setattr(plumbing, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(plumbing, "SILENCE_SECONDS", 0.2)
    ended, kill = list[int](), os.kill
    monkeypatch.setattr(os, "kill", lambda pid, number: (ended.append(pid), kill(pid, number)))

    assert tree_hash(str(hashed_project.root), str(hashed_project.root / ".loop")) == ""
    assert ended
    with pytest.raises(ProcessLookupError):
        kill(ended[0], 0)


def failing(number: int) -> Callable[..., int]:
    def fail(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    return fail


def test_too_many_files_without_git_are_unknown(
    bare: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "MAX_FILES", 3)

    assert tree_hash(str(bare.root), str(bare.root / ".loop")) == ""


# --- what a repository brings along ---


def test_a_branch_that_is_checked_out_brings_no_filters_into_our_git_folder(
    hashed_project: Project, tmp_path: Path
) -> None:
    before = hashed(hashed_project)
    own = hashed_project.root / ".loop/tree"
    (own / "config").write_text(f'[filter "x"]\n\tclean = touch {tmp_path / "ran"}; cat\n')
    (own / "info/attributes").write_text("* filter=x\n")
    hashed_project.write({"a.py": "a = 2\n"})

    assert hashed(hashed_project) != before
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["commondir", "index", "objects", ""])
def test_our_git_folder_is_laid_anew_where_something_in_it_leads_elsewhere(
    hashed_project: Project, tmp_path: Path, name: str
) -> None:
    before = hashed(hashed_project)
    path, away = hashed_project.root / ".loop/tree" / name, tmp_path / "away"
    if os.path.lexists(path):
        path.rename(away)
    path.symlink_to(away)
    there = sorted(away.rglob("*"))

    assert hashed(hashed_project) == before
    assert sorted(away.rglob("*")) == there, "nothing was written through the link"


@pytest.mark.parametrize("path", [".", "up", ".."])
def test_a_submodule_that_is_the_whole_or_outside_is_none(
    hashed_project: Project, path: str
) -> None:
    (hashed_project.root / "up").symlink_to(".")
    hashed_project.write({".gitmodules": f'[submodule "x"]\n\tpath = {path}\n'})

    assert "+" not in hashed(hashed_project)
    assert not (hashed_project.root / ".loop/tree/modules").exists()


@pytest.mark.parametrize(
    "name", ["index", "sharedindex.*", "HEAD", "config", "info/attributes", "known"]
)
def test_a_file_of_our_own_that_a_power_cut_emptied_is_made_anew(
    hashed_project: Project, name: str
) -> None:
    before = hashed(hashed_project)
    emptied = list((hashed_project.root / ".loop/tree").glob(name))
    for path in emptied:
        path.write_bytes(b"")

    assert emptied
    assert hashed(hashed_project) == before
