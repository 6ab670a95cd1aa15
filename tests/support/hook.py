"""The hook's answers, the events that it gets, and the transcript that lies beside them."""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import loopwright
from loopwright.hook import answers, dispatch, entry
from tests.support.project import Project, working_directory

SOURCE = Path(loopwright.__file__).parent
HOOK_SCRIPT = str(SOURCE / "hook" / "__main__.py")
HALT_SCRIPT = str(SOURCE / "hook" / "halt.sh")
HANG_SECONDS = 600  # a hook that hangs is ended; one on a busy machine may take minutes
SESSION = "718ac93d-0000-4000-8000-000000000001"
OTHER = "04a3beef-0000-4000-8000-000000000002"
# Tests about the process too. For others this process answers, which has imported everything.
ABOUT_PROCESS = (
    *("chaos/", "cheats/", "e2e/", "platform/", "repo/", "torture/"),
    *(f"hook/test_{name}" for name in ("frozen_hook", "gate", "halt", "once_and_first")),
    *(f"hook/test_{name}" for name in ("one_shot", "sender", "trouble")),
)
as_process = True  # set for each test in tests/conftest.py


@dataclass(frozen=True)
class Answer:
    """What the door said. It must be one JSON object or nothing at all, with exit code 0: that is checked on every answer."""

    out: str
    err: str

    @property
    def reply(self) -> dict[str, Any] | None:
        return json.loads(self.out) if self.out else None

    @property
    def prompt(self) -> str:
        """What the model is told to go on with; empty when the stop is allowed."""
        said = self.reply or {}
        if said.get("decision") == "block":
            return str(said["reason"])
        return str(said.get("hookSpecificOutput", {}).get("additionalContext", ""))

    @property
    def message(self) -> str:
        """What the person is told."""
        return str((self.reply or {}).get("systemMessage", ""))


class OtherClient:
    """A client that is a process of its own. Hooks whose CLAUDE_PID is its pid get their stdin from it."""

    CODE = """
import socket
control = socket.socket(fileno=0)
while control.recv(1):
    pair = socket.socketpair()
    socket.send_fds(control, [b"x"], [end.fileno() for end in pair])
"""
    alive: dict[str, OtherClient] = {}

    def __init__(self, **env: str) -> None:
        self.control, theirs = socket.socketpair()
        argv = [sys.executable, "-c", self.CODE]
        with theirs:
            self.process = subprocess.Popen(argv, stdin=theirs, env={**os.environ, **env})
        self.pid = str(self.process.pid)
        self.alive[self.pid] = self

    def socket_pair(self) -> tuple[socket.socket, socket.socket]:
        self.control.send(b"x")
        _, (ours, theirs), _, _ = socket.recv_fds(self.control, 1, 2)
        return socket.socket(fileno=ours), socket.socket(fileno=theirs)

    def end(self) -> None:
        del self.alive[self.pid]
        self.control.close()
        self.process.kill()
        self.process.wait()


@contextmanager
def client_stdin(data: bytes, pid: str = "") -> Iterator[Any]:
    """Stdin as the client gives it to a hook: a socket that the client has made, with the event in it."""
    if sys.platform == "win32":  # no socket can be a stdin there
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.seek(0)
            yield file
        return
    client = OtherClient.alive.get(pid)
    ours, theirs = client.socket_pair() if client else socket.socketpair()

    def write() -> None:
        try:
            ours.sendall(data)
            ours.shutdown(socket.SHUT_WR)
        except OSError:  # the hook has ended without reading all of it
            pass

    writer = threading.Thread(target=write)
    with ours, theirs:
        writer.start()
        try:
            yield theirs
        finally:
            theirs.close()
            writer.join()


def run_hook(event: Any, *argv: str, **env: str) -> Answer:
    """The event on stdin; bytes go in as they are."""
    data = (
        event
        if isinstance(event, bytes)
        else json.dumps(event, ensure_ascii=False).encode("utf-8", "surrogatepass")
    )
    with client_stdin(data, env.get("CLAUDE_PID", "")) as stdin:
        answer = (_answer_as_process if as_process else _answer_here)(data, stdin, argv, env)
    assert answer.err == ""
    assert answer.out == "" or (answer.out.count("\n") == 1 and isinstance(answer.reply, dict)), (
        answer.out
    )
    return answer


def _answer_as_process(
    data: bytes, stdin: Any, argv: tuple[str, ...], env: Mapping[str, str]
) -> Answer:
    """The real interpreter, the real script."""
    done = subprocess.run(
        (sys.executable, "-I", "-S", HOOK_SCRIPT, "claude", *argv),
        stdin=stdin,
        env={**os.environ, **env},
        cwd="/",
        capture_output=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr.decode()}"
    return Answer(done.stdout.decode(), done.stderr.decode())


def _answer_here(data: bytes, stdin: Any, argv: tuple[str, ...], env: Mapping[str, str]) -> Answer:
    """What the script does once it has read its input."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    named_folder, session = entry.folder_in_input(data) or "", entry.session_in_input(data)
    with (
        patch.dict(os.environ, env),
        patch.object(entry, "environ", getattr(os, "environb", os.environ)),
        patch.object(answers, "_process_started_at", answers._seconds_since_boot),
        working_directory("/"),
        _as_stdin(stdin),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        dispatch.answer_event(
            data,
            ["claude", *argv],
            lambda folder: entry.find_roots(folder or named_folder, session),
        )
    return Answer(out.buffer.getvalue().decode(), err.getvalue())


@contextmanager
def _as_stdin(file: Any) -> Iterator[None]:
    """The hook asks the system who made its stdin."""
    kept = os.dup(0)
    os.dup2(file.fileno(), 0)
    try:
        yield
    finally:
        os.dup2(kept, 0)
        os.close(kept)


def event(
    name: str, project: Project | Path, session: str = SESSION, **fields: Any
) -> dict[str, Any]:
    root = project.root if isinstance(project, Project) else project
    common = {
        "session_id": session,
        "transcript_path": "",
        "cwd": str(root),
        "hook_event_name": name,
    }
    return {**common, **fields}


def answer_event(data: dict[str, Any], root: str, style: str) -> dict[str, Any]:
    """The answer of the loop below `root` to an event of Claude Code, in this process."""
    from loopwright.hook.dispatch import HookCall, answer_call

    call = HookCall(data, style)
    call.open_folder(root)
    return answer_call(call)


def stop_event(
    project: Project | Path, text: str = "", session: str = SESSION, **fields: Any
) -> dict[str, Any]:
    said = {
        "stop_hook_active": False,
        "last_assistant_message": text,
        "background_tasks": [],
        "session_crons": [],
    }
    return event("Stop", project, session, **{**said, **fields})


def stop(
    project: Project | Path, text: str = "", session: str = SESSION, *argv: str, **fields: Any
) -> Answer:
    """The agent has stopped talking. Fields in capitals are environment variables."""
    env = {name: fields.pop(name) for name in list(fields) if name.isupper()}
    return run_hook(stop_event(project, text, session, **fields), *argv, **env)


def ok_format_reply(project: Project, text: str = "", **fields: Any) -> dict[str, Any] | None:
    """The seeds' own answer to a Stop."""
    return stop(project, text, SESSION, "--format", "ok", **fields).reply


def session_starts(
    project: Project, session: str = SESSION, source: str = "startup", **env: str
) -> Answer:
    return run_hook(event("SessionStart", project, session, source=source), **env)


def prompts(project: Project, text: str, session: str = SESSION, **env: str) -> Answer:
    return run_hook(event("UserPromptSubmit", project, session, prompt=text), **env)


def types(project: Project, line: str, session: str = SESSION, **env: str) -> Answer:
    """The person types a slash command."""
    name, _, args = line.removeprefix("/").partition(" ")
    fields = {
        "expansion_type": "slash_command",
        "command_name": name,
        "command_args": args,
        "command_source": "plugin",
    }
    return run_hook(event("UserPromptExpansion", project, session, **fields, prompt=line), **env)


def block(criteria: Mapping[str, Any] | None = None, *lines: str, exit: bool = False) -> str:
    """A status block as the agent is taught to write it."""
    rows = [
        f"EXIT_SIGNAL: {json.dumps(exit)}",
        f"CRITERIA: {json.dumps(criteria or {})}",
        *lines,
        "NEXT: something",
    ]
    return "\n".join(["Did some work.", "", "---LOOP_STATUS---", *rows, "---END_STATUS---"])


# --- transcripts ---


def moment(at: float) -> str:
    """As the client writes it: UTC with milliseconds."""
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(at))}.{int(at % 1 * 1000):03d}Z"


def usage(
    inp: int = 0, out: int = 0, read: int = 0, write: int = 0, hour: int = 0
) -> dict[str, Any]:
    return {
        "input_tokens": inp,
        "cache_creation_input_tokens": write,
        "cache_read_input_tokens": read,
        "output_tokens": out,
        "cache_creation": {
            "ephemeral_1h_input_tokens": hour,
            "ephemeral_5m_input_tokens": write - hour,
        },
    }


class Transcript:
    """A session's JSONL file, written line by line as the client does."""

    def __init__(self, path: Path, at: float | None = None) -> None:
        self.path, self.at = path, time.time() if at is None else at
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    def line(self, entry: Any, end: str = "\n") -> Transcript:
        text = (
            entry
            if isinstance(entry, str)
            else json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
        )
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(text + end)
        return self

    def assistant(
        self,
        *blocks: Any,
        id: str = "msg_1",
        model: str = "claude-opus-5-5",
        at: float = 0.0,
        **more: Any,
    ) -> Transcript:
        message = {
            "id": id,
            "model": model,
            "content": list(blocks),
            "usage": more.pop("usage", usage()),
        }
        entry = {
            "type": "assistant",
            "message": message,
            "version": "2.1.325",
            "timestamp": moment(at or self.at),
            **more,
        }
        return self.line(entry)

    def user(self, *blocks: Any, at: float = 0.0, **more: Any) -> Transcript:
        entry = {
            "type": "user",
            "message": {"role": "user", "content": list(blocks)},
            "version": "2.1.325",
            **more,
        }
        return self.line({**entry, "timestamp": moment(at or self.at)})


def says(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def calls(tool: str, id: str = "toolu_1", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": tool, "input": given}


def returns(text: Any = "", id: str = "toolu_1", error: bool = False) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": error}
