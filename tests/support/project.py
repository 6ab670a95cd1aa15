"""A project on disk, driven as its people drive it: the real command, the real hook, a real repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import loopwright

SOURCE = Path(loopwright.__file__).parent
DOOR = SOURCE / "hook" / "__main__.py"
GIT = ("git", "-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false")


class Ran:
    """What a command left: its code, what it printed."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Project:
    """`project.run("status")` types a command in its folder; `project.stop("done")` is an agent that stops there."""

    def __init__(self, root: Path, git: bool = True) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.transcript = root.parent / f"{root.name}-transcript.jsonl"
        if git:
            subprocess.run([*GIT, "init", "-q"], cwd=root, check=True)

    def write(self, **files: str) -> Project:
        for name, text in files.items():
            (self.root / name.replace("__", "/").replace("_py", ".py")).write_text(text)
        return self

    def commit(self) -> Project:
        subprocess.run([*GIT, "add", "-A"], cwd=self.root, check=True)
        subprocess.run([*GIT, "commit", "-qm", "x", "--allow-empty"], cwd=self.root, check=True)
        return self

    def run(self, *words: str, stdin: str = "", **env: str) -> Ran:
        argv = [sys.executable, "-m", "loopwright.cli.main", *words]
        done = subprocess.run(argv, cwd=self.root, input=stdin, capture_output=True, text=True, env=os.environ | env, check=False)
        return Ran(done)

    def hook(self, event: dict[str, Any], *flags: str, **env: str) -> dict[str, Any] | None:
        """One hook event through the real door. Exactly one JSON object or nothing, and exit code 0, on every path."""
        said = {"session_id": "session-a", "cwd": str(self.root), "transcript_path": str(self.transcript), **event}
        argv = [os.path.realpath(sys.executable), "-I", "-S", str(DOOR), "claude", *flags]
        done = subprocess.run(
            argv, input=json.dumps(said), capture_output=True, text=True, env=os.environ | env, cwd=self.root, check=False
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return json.loads(done.stdout) if done.stdout else None

    def stop(self, text: str = "", session: str = "session-a", **more: Any) -> dict[str, Any] | None:
        """The agent says its last words, and the client writes them down and asks the hook."""
        self.says(spent(f"words-{time.monotonic_ns()}", 0, text))
        return self.hook({"hook_event_name": "Stop", "session_id": session, "last_assistant_message": text, **more})

    @property
    def state(self) -> dict[str, Any]:
        return json.loads((self.root / ".loop" / "state.json").read_text())

    def edit_state(self, **changes: Any) -> None:
        """As a model does it: the file read, changed and written whole."""
        (self.root / ".loop" / "state.json").write_text(json.dumps({**self.state, **changes}, indent=2))

    def says(self, *lines: dict[str, Any]) -> None:
        """Lines that the client appends to its transcript, stamped now."""
        now = time.time()
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03d}Z"
        with self.transcript.open("a") as file:
            file.writelines(json.dumps({"timestamp": stamp, "version": "2.1.325", **line}) + "\n" for line in lines)


def spent(message: str, output_tokens: int, text: str = "", model: str = "claude-opus-5-5") -> dict[str, Any]:
    """An assistant line of a transcript. A million output tokens of this model cost $20."""
    usage = {"input_tokens": 0, "output_tokens": output_tokens}
    content = [{"type": "text", "text": text}]
    return {"type": "assistant", "message": {"id": message, "model": model, "content": content, "usage": usage}}


def used(tool: str, number: str, **wanted: str) -> dict[str, Any]:
    content = [{"type": "tool_use", "id": number, "name": tool, "input": wanted}]
    return {"type": "assistant", "message": {"id": f"m-{number}", "model": "claude-opus-5-5", "content": content, "usage": {}}}


def came_back(number: str, text: str, failed: bool = False) -> dict[str, Any]:
    content = [{"type": "tool_result", "tool_use_id": number, "content": text, "is_error": failed}]
    return {"type": "user", "message": {"role": "user", "content": content}}


def prompt_of(answer: dict[str, Any] | None) -> str:
    """What the agent is told, in either form; fails if it was let go."""
    assert answer is not None, "the stop was allowed"
    told = answer.get("reason") or answer["hookSpecificOutput"]["additionalContext"]
    assert isinstance(told, str)
    return told
