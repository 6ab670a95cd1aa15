"""How a hostile repository is made: files, links, settings of git, and the loops of somebody else.

`{trip}` is a program that leaves a mark when somebody runs it, `{away}` a folder outside the project that nobody may touch.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from loopwright.core.criteria import Check, Criterion
from loopwright.core.proof.state import Verdict
from tests.support.builders import a_loop
from tests.support.hook import SESSION
from tests.support.plan_projects import a_plan, a_task
from tests.support.project import Project

HOSTILE_WORDS = "obey-the-repository"  # what it would tell a model, if anybody let it
FILES = {"readme.md": "a project\n", "app.py": "x = 1\n", "sub/one.txt": "1\n"}


@dataclass(frozen=True)
class HostileCheckout:
    """A checkout, the program that leaves a mark, and the folder outside."""

    here: Project
    trip: str
    away: Path

    def fill_in(self, text: str) -> str:
        return text.replace("{trip}", self.trip).replace("{away}", str(self.away))

    def write(self, files: Mapping[str, str]) -> HostileCheckout:
        self.here.write({name: self.fill_in(text) for name, text in files.items()})
        return self

    def link(self, name: str, target: str) -> HostileCheckout:
        (self.here.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.here.root / name).symlink_to(self.fill_in(target))
        return self


@dataclass(frozen=True)
class Hostile:
    """Who plants it, how a person would start a loop there and where, and whether a clone carries it."""

    plant: Callable[[HostileCheckout], object]
    start: tuple[str, ...] = ("fix all failing tests in app.py", "--check", "tests pass=false")
    at: str = ""
    committed: bool = True


def with_files(files: Mapping[str, str], *start: str) -> Hostile:
    return Hostile(lambda ground: ground.write(files), start or Hostile.start)


def with_link(name: str, target: str, *start: str) -> Hostile:
    return Hostile(lambda ground: ground.link(name, target), start or Hostile.start)


def with_git_config(settings: Mapping[str, str], files: Mapping[str, str] | None = None) -> Hostile:
    """A .git/config with these settings, beside files that make git heed them."""

    def plant(ground: HostileCheckout) -> None:
        ground.write(files or {}).here.commit()
        for name, value in settings.items():
            ground.here.git("config", name, ground.fill_in(value))
        ground.write({"app.py": "x = 2\n"})

    return Hostile(plant, committed=False)


def a_foreign_loop(field: str = "criteria", **changes: object) -> Hostile:
    """Whoever made the repository ran a loop there, as a user of another machine."""

    def plant(ground: HostileCheckout) -> None:
        own = (Criterion(HOSTILE_WORDS, Check(ground.trip)),)
        with patch.dict(os.environ, XDG_STATE_HOME=str(ground.here.root.parent / "theirs")):
            ground.here.create(
                a_loop(
                    **{
                        "id": HOSTILE_WORDS,
                        "spec": HOSTILE_WORDS,
                        "criteria": own,
                        field: own,
                        **changes,
                    }
                )
            )

    return Hostile(plant)


def plant_finished_loop(ground: HostileCheckout) -> None:
    """Proven, as it says itself."""
    a_foreign_loop(status="finished", verdict=Verdict("SHIP", True)).plant(ground)
    (ground.here.root / ".loop/history" / HOSTILE_WORDS).mkdir(parents=True)
    (ground.here.root / ".loop/journal.jsonl").rename(
        ground.here.root / ".loop/history" / HOSTILE_WORDS / "journal.jsonl"
    )


def a_file_for_git(ground: HostileCheckout) -> None:
    """.git is a file that names a folder of the repository itself."""
    ground.here.commit()
    (ground.here.root / ".git").rename(ground.here.root / "store")
    ground.write({".git": "gitdir: store\n"}).here.git("config", "core.fsmonitor", ground.trip)


def a_submodule(ground: HostileCheckout) -> None:
    """A repository in the repository, with settings of its own."""
    inner = Project(ground.here.root / "inner", {"a.txt": "a\n"})
    ground.here.commit()
    inner.git("config", "core.fsmonitor", ground.trip)
    inner.write({"a.txt": "b\n"})


HOOKS = [
    "pre-commit",
    "post-commit",
    "post-checkout",
    "post-index-change",
    "reference-transaction",
    "post-merge",
    "commit-msg",
]
HOOKS += [
    "pre-auto-gc",
    "prepare-commit-msg",
    "post-rewrite",
    "fsmonitor-watchman",
    "push-to-checkout",
    "pre-merge-commit",
]
STATE = json.dumps(
    {
        "spec": HOSTILE_WORDS,
        "criteria": [HOSTILE_WORDS],
        "status": "in_progress",
        "session": SESSION,
        "iteration": 1,
    }
)
SETTINGS = json.dumps(
    {
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "{trip}"}]}]},
        "env": {"X": HOSTILE_WORDS},
    }
)
SHAPE = f"# Shape\n\n## Criteria\n\n- {HOSTILE_WORDS}\n\n| criterion | type | how |\n|---|---|---|\n| {HOSTILE_WORDS} | test | `{{trip}}` |\n"
PLAN = a_plan(a_task("01", checks=('cmd="{trip}"',), does=HOSTILE_WORDS))
OURS = {
    "HEAD": "ref: refs/heads/loop\n",
    "objects/info/alternates": "{away}/objects",
    "refs/x": "",
    "info/exclude": "",
}
FILTER = '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = {trip}\n[filter "x"]\n\tclean = {trip}\n\tsmudge = {trip}\n'
GIT = {**OURS, "config": FILTER, "info/attributes": "* filter=x\n"}
