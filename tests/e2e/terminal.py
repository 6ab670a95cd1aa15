"""The client as a person has it: a screen and a keyboard, in a private tmux server."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from tests.e2e.client import KEY, NO_ENV, Env, environment
from tests.e2e.model import Model
from tests.e2e.waiting import until

SIZE = (120, 40)
READY = r"(?m)^❯"

# Its other screen, the default, keeps no history that tmux could show.
PLAIN = {"CLAUDE_CODE_DISABLE_ALTERNATE_SCREEN": "1"}


def preanswer(home: Path, cwd: Path) -> None:
    """Answer what the client asks at its first start: the look, the key, the folder, and whether it may act freely."""
    trusted = {str(cwd.resolve()): {"hasTrustDialogAccepted": True}}
    key = {"approved": [KEY[-20:]], "rejected": []}
    _add(
        home / ".claude.json",
        hasCompletedOnboarding=True,
        customApiKeyResponses=key,
        projects=trusted,
    )
    _add(
        home / ".claude/settings.json",
        skipDangerousModePermissionPrompt=True,
        prefersReducedMotion=True,
    )


def _add(path: Path, **answers: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    there = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    path.write_text(json.dumps({**there, **answers}), encoding="utf-8")


def _plain(shown: str) -> str:
    lines = shown.replace("\xa0", " ").splitlines()
    return "\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n"


class Terminal:
    """with Terminal(...) as terminal: terminal.submit("hello"); terminal.wait("Hello!"); terminal.save(path)"""

    def __init__(
        self,
        program: Path,
        model: Model,
        *args: str,
        home: Path,
        cwd: Path,
        size: tuple[int, int] = SIZE,
        env: Env = NO_ENV,
    ) -> None:
        preanswer(home, cwd)
        inside = [
            f"{name}={value}"
            for name, value in environment(home, model.url, args, {**PLAIN, **env}).items()
        ]
        command = ["env", "-i", *inside, str(program), *args]
        place = ["-x", str(size[0]), "-y", str(size[1]), "-c", str(cwd)]
        self._begin = [
            "new-session",
            "-d",
            *place,
            *command,
            ";",
            "set-option",
            "-g",
            "remain-on-exit",
            "on",
        ]
        self._folder = ""
        self.pid = 0

    def __enter__(self) -> Terminal:
        self._folder = tempfile.mkdtemp(
            prefix="tmux-"
        )  # not in the test's own folder: the path of a socket must be short
        try:
            self._tmux(*self._begin)
            self.pid = int(self._tmux("display-message", "-p", "#{pane_pid}"))
            self.wait(READY)
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """As closing the window does; it is over when the client is."""
        try:
            if not self.is_closed:
                os.kill(self.pid, signal.SIGHUP)
                self.wait_closed()
        finally:
            self._leave()

    def _leave(self) -> None:
        try:
            self._tmux("kill-server")
        finally:
            shutil.rmtree(self._folder)

    # --- the keyboard ---

    def type(self, text: str) -> None:
        """Type it into the prompt, and see it there."""
        line = rf"(?m)^❯ {re.escape(text[:40])}"
        before = len(re.findall(line, self.screen()))
        self._tmux("send-keys", "-l", "--", text)
        until(
            lambda: len(re.findall(line, self.screen())) > before,
            lambda: f"{text!r} is not in the prompt:\n{self.screen()}",
        )

    def key(self, *names: str) -> None:
        """Keys by the names that tmux gives them: Escape, Up, C-c."""
        self._tmux("send-keys", *names)

    def enter(self) -> None:
        self.key("Enter")

    def submit(self, text: str) -> None:
        self.type(text)
        self.enter()

    # --- the screen ---

    def screen(self, history: bool = False) -> str:
        """What is to be seen now; with its history, all that has been."""
        return _plain(self._tmux("capture-pane", "-p", *(("-S", "-") if history else ())))

    def _look(self) -> tuple[bool, str]:
        """Whether the client is gone, and then the screen: one process for both."""
        dead = ("display-message", "-p", "#{pane_dead}")
        first, _, shown = self._tmux(*dead, ";", "capture-pane", "-p").partition("\n")
        return first.strip() == "1", _plain(shown)

    def wait(self, pattern: str, seconds: float = 60.0, gone: bool = False) -> str:
        """The first screen that shows this, or no longer shows it."""
        wish = f"{'still' if gone else 'without'} {pattern!r} on the screen"

        def fits() -> str:
            closed, screen = self._look()
            fits = (re.search(pattern, screen) is not None) != gone
            assert fits or not closed, f"the client is gone, {wish}:\n{screen}"
            return screen if fits else ""

        return until(fits, lambda: f"{wish}:\n{self.screen()}", seconds)

    @property
    def is_closed(self) -> bool:
        """Whether the client is gone."""
        return self._tmux("display-message", "-p", "#{pane_dead}").strip() == "1"

    def wait_closed(self) -> None:
        until(lambda: self.is_closed, lambda: f"the client is still there:\n{self.screen()}")

    def save(self, path: Path, history: bool = True) -> None:
        """The screen as text, for a page that shows it."""
        path.write_text(self.screen(history), encoding="utf-8")

    def _tmux(self, *words: str) -> str:
        program = shutil.which("tmux")
        assert program, "tmux is not installed"
        argv = [program, "-S", f"{self._folder}/socket", "-f", os.devnull, *words]
        env = {name: os.environ[name] for name in ("PATH", "HOME")} | {
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
        }
        done = subprocess.run(
            argv, env=env, capture_output=True, text=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0, f"tmux {words[0]}: {done.stderr}"
        return done.stdout
