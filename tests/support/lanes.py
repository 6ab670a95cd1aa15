"""A lane beside a project, with its git: a_lane(here, "01").write({...}), .save(), .candidate(), .land(), .clear()."""

from __future__ import annotations

import copy
import os
import shutil
import subprocess
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from unittest.mock import patch

import pytest

from loopwright.repo.lanes import changes, merge, worktrees
from tests.support.project import Project

ID = "loop/night"
FILES = {
    "a.py": "a = 1\n",
    "b.py": "b = 2\n",
    "docs/c.md": "one\ntwo\nthree\nfour\nfive\n",
    ".gitignore": "*.log\nbuild/\n",
}


class Lane(Project):
    """The checkout of a lane. Files and git as in a project."""

    here: Project
    branch: str
    base: str

    @property
    def place(self) -> str:
        return str(self.root)

    @property
    def words(self) -> tuple[str, str, str]:
        """How every function of a lane is called."""
        return str(self.here.root), self.place, self.branch

    def changes(self) -> changes.Changes:
        return changes.changes_since_commit(self.place, self.base)

    def save(self, message: str = "what was left") -> changes.LaneCommit:
        return changes.commit_lane(self.place, message)

    def problem(self) -> str:
        return changes.lane_problem(*self.words)

    def recreate(self) -> worktrees.LaneResult:
        return worktrees.reopen_lane(*self.words)

    def candidate(self, message: str = "", deletes: Collection[str] = ()) -> merge.Candidate:
        return merge.make_candidate(
            *self.words, self.base, message or f"feat({self.branch}): done", deletes
        )

    def merge(self, deletes: Collection[str] = ()) -> str:
        """From what the agent left to main."""
        saved = self.save()
        made = (
            self.candidate(deletes=deletes)
            if not saved.problem
            else merge.Candidate(problem=saved.problem)
        )
        return made.problem or merge.fast_forward_main(str(self.here.root), made.commit)

    def clear(self) -> str:
        return worktrees.remove_lane(*self.words)


class World:
    """A project and its lane as they are at some moment, made once and copied for each test: git takes ten times as long."""

    def __init__(
        self,
        folder: Path,
        files: Mapping[str, str],
        told: Callable[[Lane], object] = lambda side: None,
    ) -> None:
        with patch.dict(
            os.environ, {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        ):  # nobody's settings
            self.lane = a_lane(Project(folder / "world/project", files))
            shutil.rmtree(self.lane.here.root / ".git/hooks", ignore_errors=True)
            told(self.lane)

    def copy(self, to: Path) -> Lane:
        shutil.copytree(self.lane.root.parent, to, symlinks=True, dirs_exist_ok=True)
        here, side = copy.copy(self.lane.here), copy.copy(self.lane)
        here.root, side.root, side.here = to / here.root.name, to / side.root.name, here
        entry = here.root / ".git/worktrees" / side.root.name
        (entry / "gitdir").write_text(f"{side.root / '.git'}\n", encoding="utf-8")
        (side.root / ".git").write_text(f"gitdir: {entry}\n", encoding="utf-8")
        return side


def lane_path(here: Project, task: str) -> Path:
    return here.root.parent / f"{here.root.name}-{task}"


def a_lane(here: Project, task: str = "01") -> Lane:
    """A lane that was just laid."""
    side = copy.copy(here)
    side.__class__ = Lane
    assert isinstance(side, Lane)
    side.here, side.root, side.branch = here, lane_path(here, task), f"{ID}/{task}"
    laid = worktrees.create_lane(*side.words)
    assert laid.problem == "", laid.problem
    side.base = laid.base
    return side


def merge_commit(here: Project, commit: str) -> str:
    return merge.fast_forward_main(str(here.root), commit)


def move_main(here: Project, files: dict[str, str], *gone: str) -> str:
    """Main goes on meanwhile."""
    here.write(files)
    for name in gone:
        (here.root / name).unlink()
    here.commit()
    return head(here)


def head(here: Project, name: str = "HEAD") -> str:
    return here.git("rev-parse", name).strip()


def tree(here: Project, name: str = "HEAD") -> dict[str, str]:
    """The files of a commit."""
    names = here.git("ls-tree", "-r", "-z", "--name-only", name).split("\0")[:-1]
    return {path: here.git("show", f"{name}:{path}") for path in names}


def state(here: Project) -> tuple[str, dict[str, bytes]]:
    """All that a person sees of their checkout: branch, commit, staging; and the files."""
    files = {
        str(p.relative_to(here.root)): p.read_bytes()
        for p in here.root.rglob("*")
        if p.is_file() and ".git" not in p.parts
    }
    return here.git("status", "--porcelain=v2", "--branch", "-z"), files


def set_up(*settings: str) -> None:
    """Settings of the user, which ours must stand up to: set_up("merge.ff=no")."""
    pairs = [
        (*name.split(".", 1), value) for name, _, value in (one.partition("=") for one in settings)
    ]
    (Path(os.environ["HOME"]) / ".gitconfig").write_text(
        "".join(f"[{part}]\n{name} = {value}\n" for part, name, value in pairs), encoding="utf-8"
    )


def begin_rebase(p: Project) -> None:
    p.git("commit", "-q", "--allow-empty", "-m", "one to be moved")
    with pytest.raises(subprocess.CalledProcessError):
        p.git("rebase", "-q", "--exec", "false", "HEAD~1")


def begin_merge(p: Project) -> None:
    p.git("checkout", "-q", "-b", "other", "HEAD")
    p.write({"b.py": "b = 'theirs'\n"})
    p.commit()
    p.git("checkout", "-q", "-")
    p.git("merge", "-q", "--no-ff", "--no-commit", "other")
