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

from loopwright.verify import lanes, merge, work
from tests.support.project import Project

ID = "loop/night"


class Side(Project):
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

    def changed(self) -> work.Changes:
        return work.changed(self.place, self.base)

    def save(self, message: str = "what was left") -> work.Saved:
        return work.save(self.place, message)

    def wrong(self) -> str:
        return work.wrong(*self.words)

    def again(self) -> lanes.Laid:
        return lanes.again(*self.words)

    def candidate(self, message: str = "", deletes: Collection[str] = ()) -> merge.Candidate:
        return merge.candidate(*self.words, self.base, message or f"feat({self.branch}): done", deletes)

    def land(self, deletes: Collection[str] = ()) -> str:
        """From what the agent left to main."""
        saved = self.save()
        made = self.candidate(deletes=deletes) if not saved.problem else merge.Candidate(problem=saved.problem)
        return made.problem or merge.land(str(self.here.root), made.commit)

    def clear(self) -> str:
        return lanes.clear(*self.words)


class World:
    """A project and its lane as they are at some moment, made once and copied for each test: git takes ten times as long."""

    def __init__(self, folder: Path, files: Mapping[str, str], told: Callable[[Side], object] = lambda side: None) -> None:
        with patch.dict(os.environ, {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}):  # nobody's settings
            self.side = a_lane(Project(folder / "world/project", files))
            shutil.rmtree(self.side.here.root / ".git/hooks", ignore_errors=True)
            told(self.side)

    def copy(self, to: Path) -> Side:
        shutil.copytree(self.side.root.parent, to, symlinks=True, dirs_exist_ok=True)
        here, side = copy.copy(self.side.here), copy.copy(self.side)
        here.root, side.root, side.here = to / here.root.name, to / side.root.name, here
        entry = here.root / ".git/worktrees" / side.root.name
        (entry / "gitdir").write_text(f"{side.root / '.git'}\n", encoding="utf-8")
        (side.root / ".git").write_text(f"gitdir: {entry}\n", encoding="utf-8")
        return side


def beside(here: Project, task: str) -> Path:
    return here.root.parent / f"{here.root.name}-{task}"


def a_lane(here: Project, task: str = "01") -> Side:
    """A lane that was just laid."""
    side = copy.copy(here)
    side.__class__ = Side
    assert isinstance(side, Side)
    side.here, side.root, side.branch = here, beside(here, task), f"{ID}/{task}"
    laid = lanes.lay(*side.words)
    assert laid.problem == "", laid.problem
    side.base = laid.base
    return side


def land(here: Project, commit: str) -> str:
    return merge.land(str(here.root), commit)


def moved(here: Project, files: dict[str, str], *gone: str) -> str:
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
    files = {str(p.relative_to(here.root)): p.read_bytes() for p in here.root.rglob("*") if p.is_file() and ".git" not in p.parts}
    return here.git("status", "--porcelain=v2", "--branch", "-z"), files


def set_up(*settings: str) -> None:
    """Settings of the user, which ours must stand up to: set_up("merge.ff=no")."""
    pairs = [(*name.split(".", 1), value) for name, _, value in (one.partition("=") for one in settings)]
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
