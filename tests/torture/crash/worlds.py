"""Worlds to be crashed: a project and its user's state in one folder, put back as they were before each new blow."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.support.discovery import cycle, page, start_discovery
from tests.support.hook import HOOK_SCRIPT, SESSION, Transcript, block, says, stop_event
from tests.support.project import CommandResult, Project
from tests.support.runner import CHECK, DONE, script

MET, FOUND = "done", "the button is too small"
SEED = {
    "spec": "make the tests pass",
    "criteriaStatus": {"tests pass": False},
    "iteration": 2,
    "status": "in_progress",
}
Command = Callable[[Project], tuple[tuple[str, ...], bytes]]


@dataclass(frozen=True)
class Scene:
    """What happened before, the command that is struck down, and what must hold once it was given again."""

    prepare: Callable[[Project], object]
    command: Command
    is_reached: Callable[[Project], bool]
    hook: bool = False


class World:
    """One folder with all that a command may touch."""

    def __init__(self, place: Path, scene: Scene) -> None:
        self.place, self.now, self.scene = place, place / "now", scene
        self.here = Project(self.now / "project")
        os.environ["XDG_STATE_HOME"] = str(
            self.now / "state"
        )  # put back by the fixture that gave each test its own
        shutil.rmtree(self.here.root / ".git/hooks")
        scene.prepare(self.here)
        self.argv, self.stdin = scene.command(self.here)
        shutil.copytree(self.now, place / "before", symlinks=True)
        self.begun = self.journal()

    def restore(self) -> None:
        """As if nothing had happened."""
        shutil.rmtree(self.now)
        shutil.copytree(self.place / "before", self.now, symlinks=True)

    def after_minutes(self) -> World:
        """Minutes have passed: whoever was killed at a draft or a lock is known to be gone."""
        for path in self.now.rglob("*"):
            if path.suffix in (".tmp", ".lock"):
                os.utime(path, (0, 0))
        return self

    def run(self, *before: str) -> CommandResult:
        """The command, after the words that make it a victim."""
        argv, env = (*before, *self.argv), {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            argv,
            input=self.stdin,
            cwd=self.here.root,
            env=env,
            capture_output=True,
            timeout=120,
            check=False,
        )
        return CommandResult(done.returncode, done.stdout.decode(), done.stderr.decode())

    def journal(self) -> bytes:
        """Of the loop that is here, or was last."""
        loop = self.here.root / ".loop"
        paths = [
            *loop.glob("journal.jsonl"),
            *sorted(loop.glob("history/*/journal.jsonl"), reverse=True),
        ]
        return paths[0].read_bytes() if paths else b""

    def files(self) -> list[str]:
        """Every file but those in git's stores."""
        found = (
            path.relative_to(self.now).as_posix()
            for path in self.now.rglob("*")
            if path.is_file() or path.is_symlink()
        )
        return sorted(name for name in found if "/objects/" not in name)


def at_stop(text: str, transcript: str = "") -> Command:
    def command(here: Project) -> tuple[tuple[str, ...], bytes]:
        path = str(here.root.parent / transcript) if transcript else ""
        said = stop_event(here, text, transcript_path=path)
        return (sys.executable, "-I", "-S", HOOK_SCRIPT, "claude"), json.dumps(said).encode()

    return command


def types(*words: str) -> Command:
    return lambda here: ((sys.executable, "-m", "loopwright.cli.main", *words), b"")


def after_work(*words: str) -> Callable[[Project], None]:
    def prepare(here: Project) -> None:
        here.start(*CHECK, *words, "--session", SESSION)
        here.write({"done.txt": "x"})

    return prepare


def write_seed_state(here: Project) -> None:
    Transcript(here.root.parent / "session.jsonl", time.time() - 60).assistant(says("hello"))
    here.write({".loop/state.json": json.dumps(SEED)})


def prepare_run(here: Project) -> None:
    here.start(*CHECK)
    script(here, {"say": "thinking"}, DONE)


def pause_loop(here: Project) -> None:
    prepare_run(here)
    assert here.run("pause").code == 0


def is_running(here: Project) -> bool:
    return here.loop.status == "running"


def has_gone_on(here: Project) -> bool:
    done = next(c for c in here.loop.criteria if c.name == MET)
    return here.loop.is_met(done) and bool(here.loop.tree) and 1 <= here.loop.spend.iterations <= 2


def is_found_once(here: Project) -> bool:
    return bool(here.loop.backlog and here.loop.backlog.items == (FOUND,)) and FOUND in page(here)


def is_proven(here: Project) -> bool:
    return here.folder.read_loop() is None and bool(
        here.ended.verdict and here.ended.verdict.proven
    )


START = types(
    "start",
    "fix all failing tests",
    "--score",
    "9",
    "--yes",
    *CHECK,
    "--holdout",
    "more=test -e more.txt",
)
RUN = types("run", "--script", "../project.script.json")
SCENES = {
    "a stop with a claim": Scene(
        after_work("--criterion", "docs read well"),
        at_stop(block({MET: True})),
        has_gone_on,
        hook=True,
    ),
    "a stop that ends it": Scene(
        after_work(), at_stop(block({MET: True}, exit=True)), is_proven, hook=True
    ),
    "a stop that adopts": Scene(
        write_seed_state, at_stop("hello", "session.jsonl"), is_running, hook=True
    ),
    "a stop that discovers": Scene(
        start_discovery, at_stop(cycle(found=FOUND)), is_found_once, hook=True
    ),
    "start": Scene(lambda here: None, START, is_running),
    "continue": Scene(pause_loop, types("continue"), is_running),
    "cancel": Scene(
        after_work(),
        types("cancel"),
        lambda here: here.folder.read_loop() is None and here.ended.status == "cancelled",
    ),
    "run": Scene(prepare_run, RUN, is_proven),
}
