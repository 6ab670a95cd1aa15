"""The real client, Claude Code: where it lies, the environment it gets, and one run of it without a terminal.

python -m tests.e2e.client      # what to install, where, and the program that must then be there
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.background import Background
from tests.e2e.model import Model
from tests.e2e.server import Request
from tests.e2e.turn import Body

VERSION = "2.1.325"
Env = Mapping[str, str]
NO_ENV: Env = {}
KEY = "dummy-local"
SUBSCRIBED: Env = {
    "ANTHROPIC_API_KEY": "",
    "CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-dummy",
}  # limits count only then
ENDS = ("result", "turn.completed", "turn.failed")
FREELY = "--dangerously-skip-permissions"


def machine() -> str:
    """This machine as npm's packages name it."""
    kind = platform.machine().lower()
    return (
        f"{sys.platform}-{({'x86_64': 'x64', 'amd64': 'x64', 'aarch64': 'arm64'}).get(kind, kind)}"
    )


def package() -> str:
    """The npm package that holds the program for this machine."""
    musl = "-musl" if sys.platform == "linux" and platform.libc_ver()[0] != "glibc" else ""
    return f"@anthropic-ai/claude-code-{machine()}{musl}"


def folder(name: str = f"claude-{VERSION}") -> Path:
    """Where `make setup` installs it: outside the repository, one folder for each version."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "loopwright" / name


def installed_client() -> Path:
    return folder() / "node_modules" / package() / "claude"


def find() -> Path | None:
    """LOOP_CLIENT, else what `make setup` installed, else nothing."""
    chosen = Path(os.environ.get("LOOP_CLIENT") or installed_client())
    return chosen if os.access(chosen, os.X_OK) else None


def environment(
    home: Path, url: str, args: Sequence[str] = (), more: Env = NO_ENV
) -> dict[str, str]:
    """All that the client inherits. The command `loop` is the one of the Python that runs the tests."""
    return {
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "LOOP_SANDBOX": "off",  # the tests watch an agent through files of its home
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        **(
            {"IS_SANDBOX": "1"} if FREELY in args and os.geteuid() == 0 else {}
        ),  # else it refuses to run freely as root
        **more,
    }


@dataclass(frozen=True)
class Run:
    """A run that is over: its exit code, all it printed, its last result ({}: it never came to one), what it asked the model."""

    rc: int
    events: list[Body]
    result: Body
    requests: list[Request]
    stderr: str

    @property
    def session(self) -> str:
        return str(self.events[0].get("session_id") or self.events[0]["thread_id"])


class Launched(Background):
    """A run of a client that may still go on."""

    def __init__(
        self, argv: Sequence[str], model: Model, home: Path, cwd: Path, env: Env, stdin: str = ""
    ) -> None:
        self.model, self.earlier = model, len(model.requests)
        super().__init__(argv, home, cwd, env, stdin)

    @property
    def requests(self) -> list[Request]:
        """What it has asked the model so far."""
        return self.model.requests[self.earlier :]

    @property
    def events(self) -> list[Body]:
        """All that it has printed so far, but for a line that it is still writing."""
        *lines, _ = self.out.split("\n")
        return [json.loads(line) for line in lines if line.startswith("{")]

    def ended(self, rc: int) -> Run:
        result = next((event for event in reversed(self.events) if event["type"] in ENDS), {})
        return Run(rc, self.events, result, self.requests, self.err)


def launch(
    program: Path,
    prompt: str,
    model: Model,
    *args: str,
    home: Path,
    cwd: Path,
    resume: str = "",
    env: Env = NO_ENV,
) -> Launched:
    """Begin a run in the background; with the id of a session, go on with that one."""
    more = (*args, *(("--resume", resume) if resume else ()))
    argv = [str(program), "-p", prompt, "--output-format", "stream-json", "--verbose", *more]
    return Launched(argv, model, home, cwd, environment(home, model.url, args, env))


if __name__ == "__main__":
    print(f"{package()}@{VERSION}", folder(), installed_client(), sep="\n")
