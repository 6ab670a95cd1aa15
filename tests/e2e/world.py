"""A person's machine in a folder: a home, a project whose test fails, the client, and the model that it asks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.client import FREELY, NO_ENV, Env, Launched, Run, launch
from tests.e2e.model import Model
from tests.e2e.terminal import SIZE, Terminal
from tests.e2e.turn import Script
from tests.support.door import HALT
from tests.support.project import Project

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
    """world.headless("go", [says("Done.")]), and the same with `launch` in the background and with `terminal` on a screen."""

    program: Path
    home: Path
    project: Project
    model: Model
    launched: list[Launched] = field(default_factory=list)

    def path(self, name: str) -> Path:
        return self.project.root / name

    @property
    def transcript(self) -> str:
        """What the client has written down so far. It does so a little after it happened."""
        return "".join(
            path.read_text(encoding="utf-8", errors="replace") for path in self.home.glob(".claude/projects/*/*.jsonl")
        )

    def register_hook(self) -> None:
        """The hook as docs/install.md has it done by hand: its own words, with the path filled in."""
        blocks = re.findall(r"```json\n(.*?)```", INSTALL.read_text(encoding="utf-8"), re.DOTALL)
        (settings,) = [block for block in blocks if "loop hook claude" in block]
        self.project.write({".claude/settings.local.json": settings.replace("PATH/halt.sh", HALT)})

    # --- the client. It acts freely unless we say otherwise; lanes are named: agent=[...], aux=[...], summary=[...] ---

    def headless(self, prompt: str, script: Script, *args: str, **more: Any) -> Run:
        """One run to its end. What it may be given is the same as for `launch`."""
        return self.launch(prompt, script, *args, **more).wait()

    def launch(
        self, prompt: str, script: Script, *args: str, resume: str = "", freely: bool = True, env: Env = NO_ENV, **lanes: Script
    ) -> Launched:
        """The same in the background, to be waited for or killed."""
        self.model.play(script, **lanes)
        given, cwd = (*args, *((FREELY,) if freely else ())), self.project.root
        self.launched.append(launch(self.program, prompt, self.model, *given, home=self.home, cwd=cwd, resume=resume, env=env))
        return self.launched[-1]

    def terminal(
        self, script: Script, *args: str, size: tuple[int, int] = SIZE, freely: bool = True, env: Env = NO_ENV, **lanes: Script
    ) -> Terminal:
        """with world.terminal([...]) as terminal: the client on a screen."""
        self.model.play(script, **lanes)
        given, cwd = (*args, *((FREELY,) if freely else ())), self.project.root
        return Terminal(self.program, self.model, *given, home=self.home, cwd=cwd, size=size, env=env)

    def close(self) -> None:
        """Nothing that was launched outlives the test, and no script was wrong unnoticed."""
        for one in self.launched:
            if one.process.poll() is None:
                one.kill()
        assert not self.model.trouble, self.model.trouble
