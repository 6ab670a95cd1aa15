"""The user's own git: commits and staging are told apart from nothing, and our files are kept out of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from loopwright.repo import user_repo
from loopwright.repo.user_repo import (
    OWN_FILES,
    current_commit,
    diff_stat,
    files_of_project,
    head_digest,
    ignore_own_files,
    log_since,
)
from tests.support.hook import SESSION, block, stop
from tests.support.project import Project

FILES = {"a.py": "a = 1\n", "b.py": "b = 2\n"}


@pytest.fixture
def two_file_project(project) -> Project:
    return project(FILES)


def bin_without_git(folder: Path) -> str:
    """A PATH with a shell and without git."""
    folder.mkdir()
    for name in ("sh", "test"):
        (folder / name).symlink_to(str(shutil.which(name)))
    return str(folder)


def head(here: Project) -> str:
    return head_digest(str(here.root))


# --- what is committed and staged ---


def unstage(p: Project) -> None:
    p.git("rm", "-q", "--cached", "b.py")


def committed(p: Project) -> None:
    p.write({"a.py": "a = 2\n"})
    p.commit()


MOVES: dict[str, Callable[[Project], object]] = {
    "s2 a commit of everything": committed,
    "s2 a commit without changes": lambda p: p.commit(),
    "s2 a new file that is staged": lambda p: (p.write({"new.py": ""}), p.git("add", "new.py")),
    "an edit that is staged": lambda p: (p.write({"a.py": "a = 2\n"}), p.git("add", "a.py")),
    "a file taken out of the index": unstage,
    "a file that is to be run": lambda p: p.git("update-index", "--chmod=+x", "a.py"),
    "an amended message": lambda p: p.git(
        "commit", "-q", "--allow-empty", "--amend", "-m", "other words"
    ),
    "a commit undone": lambda p: p.git("reset", "-q", "--soft", "HEAD~1"),
}


@pytest.mark.parametrize("change", MOVES.values(), ids=MOVES)
def test_it_moves_with(two_file_project: Project, change: Callable[[Project], object]) -> None:
    two_file_project.commit()  # so that one can be undone
    before = head(two_file_project)
    change(two_file_project)
    after = head(two_file_project)

    assert after not in ("", before)
    assert head(two_file_project) == after


STAYS: dict[str, Callable[[Project], object]] = {
    "nothing": lambda p: None,
    "s2 a file that was edited before and not since": lambda p: None,
    "git status": lambda p: p.git("status"),
    "git diff and git log": lambda p: (p.git("diff"), p.git("log")),
    "an edit, which the tree tells": lambda p: p.write({"a.py": "a = 2\n"}),
    "a new file, which the tree tells": lambda p: p.write({"new.py": ""}),
    "a touch and a look": lambda p: (
        (p.root / "a.py").touch(),
        p.git("status"),
        p.git("update-index", "-q", "--refresh"),
    ),
    "the index written anew": lambda p: p.git("update-index", "--force-write-index"),
    "another branch at the same commit": lambda p: p.git("checkout", "-qb", "other"),
    "git gc": lambda p: p.git("gc", "-q"),
}


@pytest.mark.parametrize("change", STAYS.values(), ids=STAYS)
def test_it_stays_with(two_file_project: Project, change: Callable[[Project], object]) -> None:
    two_file_project.write({"b.py": "b = 'edited before'\n"})
    before = head(two_file_project)
    change(two_file_project)

    assert before != ""
    assert head(two_file_project) == before


def test_the_files_of_a_project_are_those_that_git_has_or_would_add(
    two_file_project: Project,
) -> None:
    two_file_project.git("config", "filter.loud.clean", "touch filtered; cat")
    two_file_project.write(
        {".gitattributes": "*.py filter=loud\n", ".gitignore": "*.log\n", "a.py": "a = 9\n"}
    )
    two_file_project.write({"new/c.py": "c\n", "noise.log": "", ".loop/spec.md": "ours\n"})
    (two_file_project.root / "b.py").unlink()

    names = {".gitattributes", ".gitignore", "a.py", "b.py", "new/c.py"}
    assert files_of_project(str(two_file_project.root)) == names
    assert not (two_file_project.root / "filtered").exists()


def test_a_folder_without_git_has_no_files_of_a_project(project) -> None:
    assert files_of_project(str(project(FILES, git=False).root)) == frozenset()


def test_staging_and_taking_it_back_is_where_we_were(two_file_project: Project) -> None:
    before = head(two_file_project)
    two_file_project.write({"new.py": ""})
    two_file_project.git("add", "new.py")
    assert head(two_file_project) != before
    two_file_project.git("reset", "-q")

    assert head(two_file_project) == before


def test_before_the_first_commit_staging_tells(tmp_path: Path) -> None:
    here = Project(tmp_path / "young", FILES, git=False)
    here.git("init", "-q")
    before = head(here)
    here.git("add", "a.py")
    staged = head(here)
    here.commit()

    assert "" not in (before, staged)
    assert len({before, staged, head(here)}) == 3


def test_s3_it_is_told_of_the_project_whatever_folder_we_stand_in(
    two_file_project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = head(two_file_project)
    monkeypatch.chdir(tmp_path)
    assert head(two_file_project) == before
    two_file_project.commit()

    assert head(two_file_project) != before


def test_a_worktree_has_a_head_of_its_own(two_file_project: Project) -> None:
    two_file_project.git("worktree", "add", "-q", "../side")
    side = Project(two_file_project.root.parent / "side", git=False)
    before, main = head(side), head(two_file_project)
    side.commit()

    assert head(side) not in ("", before)
    assert head(two_file_project) == main


def test_without_git_there_is_none(project) -> None:
    assert head(project(FILES, git=False)) == ""


def test_a_folder_without_git_inside_a_repository_has_none(two_file_project: Project) -> None:
    """A home folder may be under git; what happens there is no sign of life of the project."""
    two_file_project.write({"inner/c.py": "c = 3\n"})

    assert head_digest(str(two_file_project.root / "inner")) == ""


def test_a_repository_that_git_cannot_read_has_none(two_file_project: Project) -> None:
    (two_file_project.root / ".git/index").write_bytes(b"garbage")

    assert head(two_file_project) == ""


def test_without_a_git_program_it_is_unknown_and_no_crash(
    two_file_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")

    assert head(two_file_project) == ""


# --- our files ---

PAGES = {
    ".claude/loop-state.local.md": "page",
    ".claude/loop-state.backup.md": "old",
    ".claude/loop-history/1.md": "older",
}
BESIDE, LIST = ".claude/.gitignore", ".git/info/exclude"


def listed(here: Project, name: str) -> list[str]:
    return (here.root / name).read_bytes().decode(errors="replace").splitlines()


@pytest.fixture
def with_own_list(two_file_project: Project) -> Project:
    """Somebody has a .gitignore in .claude/ already."""
    two_file_project.write({BESIDE: "settings.local.json\n"})
    two_file_project.commit()
    return two_file_project


def test_git_takes_none_of_our_files_and_sees_nothing_of_the_list(
    two_file_project: Project,
) -> None:
    ignore_own_files(str(two_file_project.root))
    two_file_project.write(PAGES)

    assert two_file_project.git("status", "--porcelain") == ""
    two_file_project.git("add", "-A")
    assert two_file_project.git("diff", "--cached", "--name-only") == ""


THEIRS = (
    ".claude/settings.json",
    ".claude/commands/loop-state-of-mine.md",
    ".claude/skills/x/.gitignore",
    "docs/loop-history/1.md",
)


@pytest.mark.parametrize("own", [False, True], ids=["our list", "their list"])
def test_git_takes_all_of_theirs(two_file_project: Project, own: bool) -> None:
    two_file_project.write({BESIDE: "settings.local.json\n"} if own else {})
    ignore_own_files(str(two_file_project.root))
    two_file_project.write({**PAGES, **dict.fromkeys(THEIRS, "theirs")})
    two_file_project.git("add", "-A")

    taken = two_file_project.git("diff", "--cached", "--name-only").split()
    assert sorted(taken) == sorted([*THEIRS, BESIDE] if own else THEIRS)


def test_it_is_written_once(two_file_project: Project) -> None:
    ignore_own_files(str(two_file_project.root))
    before = (two_file_project.root / BESIDE).read_bytes()
    ignore_own_files(str(two_file_project.root))

    assert (two_file_project.root / BESIDE).read_bytes() == before


def test_somebodys_own_list_is_left_alone_and_the_clones_is_written_once(
    with_own_list: Project,
) -> None:
    before = listed(with_own_list, LIST)
    for _ in range(2):
        ignore_own_files(str(with_own_list.root))
    with_own_list.write(PAGES)

    assert listed(with_own_list, BESIDE) == ["settings.local.json"]
    assert listed(with_own_list, LIST) == [
        *before,
        *(f"/.claude/{name.lstrip('/')}" for name in OWN_FILES),
    ]
    assert with_own_list.git("status", "--porcelain") == ""


def test_where_somebodys_own_list_has_ours_nothing_is_written(with_own_list: Project) -> None:
    before = listed(with_own_list, LIST)
    with_own_list.write({BESIDE: "".join(f"{name}\n" for name in ("*.log", *OWN_FILES))})
    ignore_own_files(str(with_own_list.root))

    assert listed(with_own_list, LIST) == before


HAVE = {
    "nothing": b"",
    "a line": b"*.log\n",
    "no end of line": b"*.log",
    "comments": b"# mine\n\n*.log\n",
    "crlf": b"*.log\r\nbuild/\r\n",
    "not utf-8": b"caf\xe9\n",
    "one of ours already": b"/.claude/loop-state*\n*.log",
}


@pytest.mark.parametrize("have", HAVE.values(), ids=HAVE)
def test_what_is_in_the_clones_list_stays_before_ours(with_own_list: Project, have: bytes) -> None:
    (with_own_list.root / LIST).write_bytes(have)
    ignore_own_files(str(with_own_list.root))

    assert (with_own_list.root / LIST).read_bytes().startswith(have)
    lines = listed(with_own_list, LIST)
    assert [lines.count(f"/.claude/{name.lstrip('/')}") for name in OWN_FILES] == [1] * len(
        OWN_FILES
    )
    with_own_list.write(PAGES)
    assert with_own_list.git("status", "--porcelain") == ""


def test_a_list_that_is_not_there_is_made(with_own_list: Project) -> None:
    (with_own_list.root / LIST).unlink()
    (with_own_list.root / LIST).parent.rmdir()
    ignore_own_files(str(with_own_list.root))
    with_own_list.write(PAGES)

    assert with_own_list.git("status", "--porcelain") == ""


def test_in_a_worktree_it_is_the_list_that_git_reads_there(with_own_list: Project) -> None:
    with_own_list.git("worktree", "add", "-q", "../side")
    side = Project(with_own_list.root.parent / "side", {**PAGES}, git=False)
    ignore_own_files(str(side.root))

    assert (side.root / ".git").is_file()
    assert side.git("status", "--porcelain") == ""


def test_the_list_of_a_repository_around_the_project_is_not_ours_to_write(
    two_file_project: Project,
) -> None:
    """A home folder may be under git, and the project in it not."""
    before = listed(two_file_project, LIST)
    two_file_project.write({f"inner/{BESIDE}": "mine\n"})
    ignore_own_files(str(two_file_project.root / "inner"))

    assert listed(two_file_project, LIST) == before


# --- without a git program ---


@pytest.mark.parametrize("git", [True, False], ids=["git", "no git"])
@pytest.mark.parametrize("own", [True, False], ids=["their list", "no list"])
def test_a_loop_starts_and_goes_on_without_a_git_program(project, git: bool, own: bool) -> None:
    here = project({**FILES, BESIDE: "mine\n"} if own else FILES, git)
    said = here.run("start", "--preset", "ui", "polish a.py", PATH="/nonexistent")

    assert (said.code, said.err) == (0, "")
    assert here.loop.status == "running"
    assert listed(here, BESIDE)[:1] == ["mine"] or not own


@pytest.mark.parametrize("git", [True, False], ids=["git", "no git"])
def test_without_a_git_program_a_loop_holds_and_ends_proven_in_place(project, git: bool) -> None:
    here: Project = project(FILES, git)
    path = bin_without_git(here.root.parent / "bin")
    here.start("--check", "done=test -e done.txt", "--session", SESSION, PATH=path)

    held = stop(here, block({"done": True}, exit=True), PATH=path)
    assert held.prompt.startswith("unmet criteria: done")
    here.write({"done.txt": "x\n"})
    stop(here, block({"done": True}, exit=True), PATH=path)
    assert (here.ended.status, here.ended.verdict.grade) == ("finished", "proven-in-place")


def test_a_loop_leaves_the_users_git_as_clean_as_it_was(two_file_project: Project) -> None:
    assert two_file_project.run("start", "--preset", "ui", "polish a.py").code == 0

    assert (two_file_project.root / ".claude/loop-state.local.md").exists()
    assert two_file_project.git("status", "--porcelain") == ""


# --- what a repository would have git run ---


def test_looking_at_what_changed_runs_no_filter_whatever_its_name(
    two_file_project: Project, tmp_path: Path
) -> None:
    two_file_project.write({".gitattributes": "* filter=a=b\n", "a.py": "a = 2\n"})
    for name, value in {"clean": f"touch {tmp_path / 'ran'}; cat", "required": "true"}.items():
        two_file_project.git("config", f"filter.a=b.{name}", value)

    assert "a.py" in diff_stat(
        str(two_file_project.root), two_file_project.git("rev-parse", "HEAD").strip()
    )
    assert not (tmp_path / "ran").exists()


def test_a_missing_object_is_not_fetched_by_a_program_of_the_repository(
    two_file_project: Project, tmp_path: Path
) -> None:
    blob = two_file_project.git("rev-parse", "HEAD:a.py").strip()
    (two_file_project.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    settings = {
        "extensions.partialClone": "origin",
        "core.repositoryFormatVersion": "1",
        "remote.origin.promisor": "true",
    }
    settings |= {
        "remote.origin.url": f"ext::touch {tmp_path / 'ran'}",
        "protocol.ext.allow": "always",
    }
    for name, value in settings.items():
        two_file_project.git("config", name, value)
    two_file_project.write({"a.py": "a = 2\n"})
    diff_stat(str(two_file_project.root), "HEAD")

    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", [".claude", ".claude/.gitignore"])
def test_no_list_of_ours_is_written_through_a_link(
    two_file_project: Project, tmp_path: Path, name: str
) -> None:
    (two_file_project.root / name).parent.mkdir(exist_ok=True)
    (two_file_project.root / name).symlink_to(tmp_path / "away")
    with suppress(OSError):
        ignore_own_files(str(two_file_project.root))

    assert not (tmp_path / "away").exists()


def test_without_a_new_commit_the_log_costs_no_git_process(
    two_file_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = current_commit(str(two_file_project.root))
    started: list[str] = []
    spawn = os.posix_spawn

    def count(program: str, *args: object, **named: object) -> int:
        started.append(os.path.basename(program))
        return spawn(program, *args, **named)

    monkeypatch.setattr(os, "posix_spawn", count)
    assert (log_since(str(two_file_project.root), base), started) == ("", [])

    two_file_project.write({"new.py": "new\n"})
    two_file_project.commit()
    assert log_since(str(two_file_project.root), base).count("\n") == 0
    assert started == ["git"]


def test_the_digest_of_head_is_the_same_however_head_is_read(
    two_file_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = head_digest(str(two_file_project.root))
    monkeypatch.setattr(user_repo, "read_head", lambda root: "")

    assert head_digest(str(two_file_project.root)) == read
