"""The real clients other than Claude Code as hosts of a loop: how each is started, and what its home holds."""

from __future__ import annotations

import json
import os
import re
import signal
import urllib.request
from collections.abc import Iterable

from tests.e2e.background import Background
from tests.e2e.client import NO_ENV, Env, Launched
from tests.e2e.server import flat
from tests.e2e.turn import Body, Turn, says
from tests.e2e.waiting import until
from tests.e2e.world import World

LISTENS = re.compile(r"http://127\.0\.0\.1:\d+")
ANY = {"LOOP_SESSION": "*"}  # a run without a screen may then drive a free loop
ARGUMENTS = {
    "codex": ("exec", "--json", "--dangerously-bypass-approvals-and-sandbox"),
    "gemini": ("--output-format", "stream-json", "--approval-mode", "yolo", "-p"),
    "qwen": ("--output-format", "stream-json", "--approval-mode", "yolo", "-p"),
    "copilot": ("--allow-all", "--output-format", "json", "-p"),
}
# The words that resume a session: before the others, or for Codex between them and the prompt.
RESUME_WORDS = {"gemini": ("--resume", "{id}"), "qwen": ("--resume", "{id}")}
RESUME_WORDS |= {"copilot": ("--resume={id}",), "codex": ("resume", "{id}")}
FOLDERS = {"codex": ".codex", "gemini": ".gemini", "qwen": ".qwen", "copilot": ".copilot"}


# Asked between the turns of the script: to pass our words on, and what Qwen should remember of a session.
ASIDES = ("Repeat this to the person", "If nothing durable should be saved")


class Played:
    """The turns in order, but for what is asked aside. `left` are those that nobody asked for."""

    def __init__(self, turns: Iterable[Turn]) -> None:
        self.left = list(turns)

    def __call__(self, number: int, body: Body) -> Turn:
        messages = body.get("messages") or body.get("input") or body.get("contents") or [""]
        if any(aside in flat(messages[-1]) for aside in ASIDES):
            return says("As it says.")
        return self.left.pop(0)


class OpenCode:
    """OpenCode as a server, which is what its own screen talks to."""

    def __init__(self, world: World) -> None:
        self.world = world
        env = world.environment()
        # What it would install for every plugin, ours included, which needs none of it.
        folder = world.home / ".config/opencode"
        (folder / "node_modules").mkdir(exist_ok=True)
        lock = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "1.18.18"}}}}
        (folder / "package-lock.json").write_text(json.dumps(lock), encoding="utf-8")
        argv = [str(world.home / "bin/opencode"), "serve", "--port", "0", "--print-logs"]
        self.server = Background(argv, world.home, world.project.root, env)
        world.launched.append(self.server)
        found = until(
            lambda: LISTENS.search(self.server.out + self.server.err), lambda: self.server.err
        )
        self.url = found[0]

    def open_session(self, prompt: str) -> str:
        """A new session that begins with this prompt."""
        session = str(self._post("/session", {})["id"])
        self.prompt(session, prompt)
        return session

    def prompt(self, session: str, text: str) -> None:
        parts = [{"type": "text", "text": text}]
        self._post(f"/session/{session}/prompt_async", {"parts": parts})

    def said(self, session: str) -> str:
        with urllib.request.urlopen(f"{self.url}/session/{session}/message") as answer:
            return answer.read().decode()

    def _post(self, path: str, body: Body) -> Body:
        data, headers = json.dumps(body).encode(), {"content-type": "application/json"}
        request = urllib.request.Request(f"{self.url}{path}", data, headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read() or b"{}")


class Host:
    """One of them in a world: `host.launch("go", [says("Done.")])`."""

    def __init__(self, world: World, name: str) -> None:
        self.world, self.name = world, name
        # Once: it writes the settings anew. Without a person, Gemini must be told to trust a folder.
        self.env = world.environment({"GEMINI_CLI_TRUST_WORKSPACE": "true"})
        (world.home / FOLDERS[name]).mkdir(exist_ok=True)

    def launch(self, prompt: str, script: Played, resume: str = "", env: Env = ANY) -> Launched:
        """A run in the background, without a person; with the id of a session, that one goes on."""
        self.world.model.play(script)
        words = list(ARGUMENTS[self.name])
        if resume:
            given = [word.format(id=resume) for word in RESUME_WORDS[self.name]]
            words = [*words, *given] if self.name == "codex" else [*given, *words]
        argv = [str(self.world.home / "bin" / self.name), *words, prompt]
        launched = Launched(
            argv, self.world.model, self.world.home, self.world.project.root, {**self.env, **env}
        )
        self.world.launched.append(launched)
        return launched

    def bystand(self) -> Launched:
        """A run that has nothing to do with a loop. The script of the other goes on."""
        argv = [str(self.world.home / "bin" / self.name), *ARGUMENTS[self.name], "What is this?"]
        return Launched(
            argv, self.world.model, self.world.home, self.world.project.root, {**self.env, **NO_ENV}
        )

    def kill_driver(self) -> int:
        """As kill -9 does to the process of the client that holds the loop."""
        pid = self.world.project.loop.lease.pid
        os.kill(pid, signal.SIGKILL)
        return pid

    def files(self) -> dict[str, bytes]:
        """All that the client's folder in the home holds."""
        folder = self.world.home / FOLDERS[self.name]
        return {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
