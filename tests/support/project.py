"""A project in a folder of its own, and the real command line to run in it: project({...files}).run("status")."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from loopwright.cli.main import main
from loopwright.core.loop import Loop
from loopwright.store.create import create_loop
from loopwright.store.folder import LoopFolder
from tests.torture.size import FIGURES

WHO = {
    "GIT_AUTHOR_NAME": "Test",
    "GIT_AUTHOR_EMAIL": "test@example.invalid",
    "GIT_COMMITTER_NAME": "Test",
    "GIT_COMMITTER_EMAIL": "test@example.invalid",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}
# Repositories with nothing but a first commit, by the files in it.
_templates = tempfile.TemporaryDirectory(prefix="repositories-")
_repositories: dict[tuple[tuple[str, str], ...] | None, Path] = {}


@dataclass(frozen=True)
class CommandResult:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Project:
    """Some files, under git unless we say otherwise, and the loop that may run in them."""

    def __init__(
        self, root: Path, files: Mapping[str, str] | None = None, git: bool = True
    ) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        empty, given = not any(root.iterdir()), files or {"readme.md": "a project\n"}
        self.write(given)
        if git:
            self._begin_repository(tuple(given.items()) if empty else None)

    # --- files ---

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def git(self, *words: str) -> str:
        env = {**os.environ, **WHO}
        done = subprocess.run(
            ["git", *words], cwd=self.root, env=env, capture_output=True, check=True
        )
        return os.fsdecode(done.stdout)

    def _begin_repository(self, files: tuple[tuple[str, str], ...] | None) -> None:
        """The first commit. The same files were often committed before: then that repository is copied, which is quicker."""
        known = _repositories.get(files)
        if known:
            shutil.copytree(known, self.root / ".git")
            self.git("update-index", "-q", "--refresh")  # it knows the files by their inodes
            return
        self.git("init", "-q", "-b", "main")
        self.commit()
        if files is not None:
            _repositories[files] = Path(_templates.name, str(len(_repositories)))
            shutil.copytree(
                self.root / ".git", _repositories[files], ignore=shutil.ignore_patterns("*.sample")
            )

    def commit(self, message: str = "more") -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", message, "--allow-empty")

    # --- the command line ---

    def run(self, *words: str, stdin: str = "", at: str = "", **env: str) -> CommandResult:
        """The entry point of the command `loop`, here and now."""
        out, err = io.StringIO(), io.StringIO()
        here, variables, keyboard = (
            working_directory(self.root / at),
            patch.dict(os.environ, env),
            io.StringIO(stdin),
        )
        with (
            here,
            variables,
            patch.object(sys, "stdin", keyboard),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            try:
                code = main(_without_strength(words))
            except SystemExit as exit:  # argparse leaves this way
                code = int(exit.code or 0)
        return CommandResult(code, out.getvalue(), err.getvalue())

    def process(self, *words: str, stdin: str = "", at: str = "", **env: str) -> CommandResult:
        """The same as a process of its own, as a person's shell starts it."""
        argv = [sys.executable, "-m", "loopwright.cli.main", *_without_strength(words)]
        done = subprocess.run(
            argv,
            cwd=self.root / at,
            env={**os.environ, **env},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        return CommandResult(done.returncode, done.stdout, done.stderr)

    def start(self, *words: str, **env: str) -> CommandResult:
        """A loop that runs at once: one claimed criterion, and a clean checkout in `make torture` alone, unless we say otherwise."""
        given = words or ("--criterion", "docs read well")
        room = () if FIGURES or "--room" in words else ("--room", "off")
        spec = "fix all failing tests in readme.md"
        said = self.run("start", spec, "--score", "9", "--yes", *room, *given, **env)
        assert said.code == 0, said.err
        return said

    # --- the loop ---

    @property
    def folder(self) -> LoopFolder:
        return LoopFolder(str(self.root))

    def create(self, loop: Loop) -> None:
        create_loop(self.folder, loop)

    @property
    def loop(self) -> Loop:
        there = self.folder.read_loop()
        assert there is not None, "no active loop here"
        return there

    @property
    def ended(self) -> Loop:
        """The loop that ended last."""
        from loopwright.store.history import ended_loops

        return ended_loops(self.folder)[0]

    @property
    def state(self) -> dict[str, Any]:
        return json.loads((self.root / ".loop/state.json").read_text(encoding="utf-8"))

    def edit_state(self, **changes: Any) -> None:
        """Write into state.json as a model does."""
        (self.root / ".loop/state.json").write_text(json.dumps({**self.state, **changes}, indent=2))

    def events(self, kind: str = "") -> list[dict[str, Any]]:
        """Every event in the journal, also of a loop that has ended."""
        path = self.root / ".loop/journal.jsonl"
        if not path.exists():
            path = self.root / ".loop/history" / self.ended.id / "journal.jsonl"
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return [event for line in lines for event in line["events"] if kind in ("", event["is"])]


def _without_strength(words: tuple[str, ...]) -> list[str]:
    """A start by a person measures no strength unless it says so: that would cost each test seconds."""
    is_start = words[:1] == ("start",) and "--yes" in words and "--strength" not in words
    return [*words, "--strength", "off"] if is_start else [*words]


@contextmanager
def working_directory(folder: Path | str) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
