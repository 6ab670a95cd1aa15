"""A person's machine in a folder: a home, a project whose test fails, the clients, and the model that they ask."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tests.e2e import codex, wiring
from tests.e2e.background import Background, end_processes
from tests.e2e.client import FREELY, NO_ENV, Env, Launched, Run, environment, launch
from tests.e2e.model import Model
from tests.e2e.terminal import SIZE, Terminal
from tests.e2e.turn import Script
from tests.support.hook import HALT_SCRIPT
from tests.support.project import CommandResult, Project

Started = TypeVar("Started", bound=Background)
INSTALL = Path(__file__).parents[2] / "docs" / "install.md"

BROKEN = "def greet(name):\n    return 'Hello ' + name\n"
FIXED = "def greet(name):\n    return f'Hello, {name}!'\n"
TEST = """import unittest
from greet import greet

class Greeting(unittest.TestCase):
    def test_it(self):
        self.assertEqual(greet("Ada"), "Hello, Ada!")
"""
CHECK = "python3 -B -m unittest -q"
FAILURE = "AssertionError: 'Hello Ada' != 'Hello, Ada!'"
FILES = {"greet.py": BROKEN, "test_greet.py": TEST, ".gitignore": "__pycache__/\n"}


@dataclass(frozen=True)
class World:
    """world.headless("go", [says("Done.")]), and the same with `launch` in the background and with `terminal` on a screen.

    world.loop("run", script=[says("Done.")]) is the command `loop`, which starts the clients itself.
    """

    program: Path
    home: Path
    project: Project
    model: Model
    codex: Path | None = None
    others: Mapping[str, Path | None] = field(default_factory=dict)  # Gemini, Qwen and the like
    launched: list[Background] = field(default_factory=list)

    def path(self, name: str) -> Path:
        return self.project.root / name

    @property
    def transcript(self) -> str:
        """What the client has written down so far. It does so a little after it happened."""
        return "".join(
            path.read_text(encoding="utf-8", errors="replace")
            for path in self.home.glob(".claude/projects/*/*.jsonl")
        )

    def register_hook(self) -> None:
        """The hook as docs/install.md has it done by hand: its own words, with the path filled in."""
        blocks = re.findall(r"```json\n(.*?)```", INSTALL.read_text(encoding="utf-8"), re.DOTALL)
        (settings,) = [block for block in blocks if "loop hook claude" in block]
        self.project.write(
            {".claude/settings.local.json": settings.replace("PATH/halt.sh", HALT_SCRIPT)}
        )

    def share_bytecode(self, folder: Path) -> None:
        """What the plugin's hook and its command compile, they find compiled by an earlier test."""
        for name in (".claude/plugins/data/loop-inline/cache", ".cache/loopwright/plugin"):
            link = self.home / name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(folder)

    # --- the client. It acts freely unless we say otherwise; lanes are named: agent=[...], aux=[...], summary=[...] ---

    def headless(self, prompt: str, script: Script, *args: str, **more: Any) -> Run:
        """One run to its end. What it may be given is the same as for `launch`."""
        return self.launch(prompt, script, *args, **more).wait()

    def launch(
        self,
        prompt: str,
        script: Script,
        *args: str,
        resume: str = "",
        freely: bool = True,
        takes_loop: bool = True,
        env: Env = NO_ENV,
        **lanes: Script,
    ) -> Launched:
        """The same in the background, to be waited for or killed.

        A run without a screen drives a free loop only if LOOP_SESSION names its session, as here.
        """
        self.model.play(script, **lanes)
        if takes_loop and not resume:
            session = str(uuid.uuid4())
            args, env = (*args, "--session-id", session), {"LOOP_SESSION": session, **env}
        given, cwd = (*args, *((FREELY,) if freely else ())), self.project.root
        return self._keep(
            launch(
                self.program,
                prompt,
                self.model,
                *given,
                home=self.home,
                cwd=cwd,
                resume=resume,
                env=env,
            )
        )

    def launch_codex(
        self, prompt: str, script: Script, *args: str, resume: str = "", env: Env = NO_ENV
    ) -> Launched:
        """The same with Codex, which writes in the project only."""
        assert self.codex, "the test asks for the fixture `codex`"
        self.model.play(script)
        given, cwd = ("--sandbox", "workspace-write", *args), self.project.root
        return self._keep(
            codex.launch(
                self.codex,
                prompt,
                self.model,
                *given,
                home=self.home,
                cwd=cwd,
                resume=resume,
                env=env,
            )
        )

    def terminal(
        self,
        script: Script,
        *args: str,
        size: tuple[int, int] = SIZE,
        freely: bool = True,
        env: Env = NO_ENV,
        **lanes: Script,
    ) -> Terminal:
        """with world.terminal([...]) as terminal: the client on a screen."""
        self.model.play(script, **lanes)
        given, cwd = (*args, *((FREELY,) if freely else ())), self.project.root
        return Terminal(
            self.program, self.model, *given, home=self.home, cwd=cwd, size=size, env=env
        )

    # --- the command `loop`, as a person's shell starts it. The script goes on from one command to the next ---

    def environment(self, more: Env = NO_ENV) -> dict[str, str]:
        """All that it inherits: `claude`, `codex` and others on its PATH are the pinned ones, and ask nobody but the model."""
        bin = self.home / "bin"
        bin.mkdir(exist_ok=True)
        programs = {"claude": self.program, "codex": self.codex, **self.others}
        for name, program in programs.items():
            if program and not (bin / name).is_symlink():
                (bin / name).symlink_to(program)
        codex.configure(self.home, self.model.url)
        given = environment(self.home, self.model.url, (FREELY,))
        if self.others:
            wiring.configure(self.home, self.model.url)
            given |= wiring.variables(self.model.url)
        return {**given, "PATH": f"{bin}:{given['PATH']}", "CLAUDE_CODE_MAX_RETRIES": "1", **more}

    def loop(self, *words: str, **more: Any) -> CommandResult:
        """One command to its end. What it may be given is the same as for `launch_loop`."""
        return self.launch_loop(*words, **more).wait()

    def launch_loop(
        self,
        *words: str,
        script: Script | None = None,
        env: Env = NO_ENV,
        stdin: str = "",
        **lanes: Script,
    ) -> Background:
        """The same in the background, to be waited for, signalled or killed."""
        if script is not None:
            self.model.play(script, **lanes)
        return self._keep(
            Background(["loop", *words], self.home, self.project.root, self.environment(env), stdin)
        )

    def _keep(self, one: Started) -> Started:
        self.launched.append(one)
        return one

    def close(self) -> None:
        """Nothing that was launched outlives the test, and no script was wrong unnoticed."""
        for one in self.launched:
            if one.process.poll() is None:
                one.kill()
        end_processes(self.home)
        assert not self.model.trouble, self.model.trouble
