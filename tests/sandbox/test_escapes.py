"""Every attempt of escapes.py, inside real bubblewrap, as root and as an ordinary user: none succeeds.

The same program outside shows that the attempts are real. All attempts of a profile run in one sandbox.
"""

from __future__ import annotations

import ctypes
import json
import os
import secrets
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from loopwright.disk.files import read_bytes
from loopwright.sandbox.git_guard import place_guard
from loopwright.sandbox.git_paths import find_git_paths
from tests.sandbox import escapes
from tests.sandbox.user import ORDINARY_USER, as_ordinary_user, needs_bwrap, system_python

pytestmark = [needs_bwrap, pytest.mark.sandbox]
TOKEN = "token-0123456789abcdef"
WATCHED = ("home", "outside", "tools", "tmp", "state", "settings")
START = r"""
import json, os, sys
sys.path.insert(0, sys.argv[1])
from loopwright.sandbox.choose import choose_sandbox, launcher_words
from loopwright.sandbox.mounts import Box
profile, root, settings, network = sys.argv[2:6]
sandbox = choose_sandbox("bwrap", root, settings)
box = Box(profile=profile, root=root, network=network == "1")
print(json.dumps(launcher_words(sandbox, box)))
"""


class World:
    """A home with secrets, a project with a repository, and a process of ours to attack."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        names = ("home", "outside", "tools", "tmp", "project", "state/loopwright", "config/loop")
        for name in names:
            (folder / name).mkdir(parents=True)
        self.home, self.root = folder / "home", folder / "project"
        self.memory = Path(f"/dev/shm/loop-escape-{os.getpid()}")
        self.abstract = f"loop-escape-{secrets.token_hex(8)}"
        self.port, self.shm = 0, 0
        self._write_files()
        self._make_repository()

    def _write_files(self) -> None:
        secrets = (".ssh/id_ed25519", ".aws/credentials", ".netrc", ".config/gh/hosts.yml")
        for name in (*secrets, ".cargo/credentials.toml", ".bashrc"):
            self._write(self.home / name)
        (self.home / ".cargo/bin").mkdir()
        (self.home / ".cargo/bin/tool").write_text("a program\n")
        state = self.folder / "state/loopwright"
        for path in (state / "holdouts/commands.json", state / "loops/note"):
            self._write(path)
        for path in ("outside/file", "tools/tool", "tmp/secret", "config/loop/config.toml"):
            self._write(self.folder / path)
        self._write(self.root / ".loop/journal.jsonl")
        self._write(self.root / ".loop/state.json")
        (self.root / ".loop/inbox").mkdir()
        self._write(self.memory)

    def _write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{TOKEN}\n")

    def _make_repository(self) -> None:
        git = ["git", "-C", str(self.root)]
        subprocess.run([*git, "init", "-q"], check=True)
        for name, value in (("core.hooksPath", "team/hooks"), ("include.path", "../team/git.inc")):
            subprocess.run([*git, "config", name, value], check=True)
        (self.root / "team/hooks").mkdir(parents=True)
        (self.root / "team/git.inc").write_text("[alias]\nx = status\n")
        (self.root / ".git/modules/sub").mkdir(parents=True)
        (self.root / ".git/modules/sub/config").write_text("[core]\nbare = false\n")
        who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.hooksPath=/none")
        subprocess.run([*git, *who, "commit", "-qm", "x", "--allow-empty"], check=True)
        subprocess.run([*git, *who, "worktree", "add", "-q", "lanes/one"], check=True)

    def facts(self) -> dict[str, object]:
        """What an attempt knows of the world."""
        return {
            "home": str(self.home),
            "root": str(self.root),
            "outside": str(self.folder / "outside"),
            "tools": str(self.folder / "tools"),
            "tmp": str(self.folder / "tmp"),
            "state": str(self.folder / "state/loopwright"),
            "settings": str(self.folder / "config/loop"),
            "journal": str(self.root / ".loop/journal.jsonl"),
            "socket": str(self.folder / "outside/socket"),
            "memory": str(self.memory),
            "token": TOKEN,
            "pid": os.getpid(),
            "is_visible": False,
            "port": self.port,
            "abstract": self.abstract,
            "shm": self.shm,
            "inode": (self.folder / "outside/file").stat().st_ino,
        }

    def snapshot(self) -> dict[str, bytes]:
        """Every file that no attempt may change: all outside the project, and what it protects."""
        kept = [self.folder / name for name in WATCHED]
        kept += [self.root / name for name in (".git/hooks", "team", ".git/config", ".git/modules")]
        kept += [self.root / ".loop", self.memory, self.root / ".git/commondir"]
        kept += [self.root / "lanes/one/.git", self.root / ".git/config.worktree"]
        files = [path for top in kept for path in (top, *top.rglob("*")) if path.is_file()]
        return {str(path): read_bytes(str(path)) for path in files}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    world = World(tmp_path)
    listeners = _listeners(world)
    libc = ctypes.CDLL(None)
    world.shm = 0x10000 + os.getpid()
    segment = libc.shmget(world.shm, 4096, 0o1666)  # IPC_CREAT, for everyone
    monkeypatch.setenv("HOME", str(world.home))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "outside/socket"))
    monkeypatch.setenv("PATH", str(tmp_path / "tools"), prepend=os.pathsep)
    yield world
    libc.shmctl(segment, 0, None)  # IPC_RMID
    for listener in listeners:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
    world.memory.unlink()


def _listeners(world: World) -> list[socket.socket]:
    """A port, a socket file and an abstract socket that answer with the token."""
    port = socket.create_server(("127.0.0.1", 0))
    world.port = port.getsockname()[1]
    listeners = [port]
    for address in (str(world.folder / "outside/socket"), f"\0{world.abstract}"):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(address)
        listener.listen()
        listeners.append(listener)
    os.chmod(world.folder / "outside/socket", 0o777)

    def answer(listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                link, _ = listener.accept()
                with link:
                    link.sendall(TOKEN.encode())

    for listener in listeners:
        threading.Thread(target=answer, args=(listener,), daemon=True).start()
    return listeners


def _attack(world: World, profile: str, network: bool, user: str) -> str:
    """Make every attempt in one sandbox; what the program inside prints."""
    attempts = {
        k: v for k, v in escapes.ATTEMPTS.items() if not network or k not in escapes.NETWORK
    }
    (world.root / "escape.py").write_text(escapes.program(attempts))
    (world.root / "world.json").write_text(json.dumps(world.facts()))
    source = str(Path(__file__).parents[2] / "src")
    python = system_python() if user == ORDINARY_USER else sys.executable
    settings = str(world.folder / "config/loop")
    words = (profile, str(world.root), settings, str(int(network)))
    start = [python, "-I", "-S", "-c", START, source, *words]
    if user == ORDINARY_USER:
        as_ordinary_user(world.folder)
        start = [*ORDINARY_USER.split(), *start]
    launcher = json.loads(subprocess.run(start, capture_output=True, check=True).stdout)
    prefix = ORDINARY_USER.split() if user == ORDINARY_USER else []
    done = subprocess.run(
        [*prefix, *launcher, "python3", "escape.py", "world.json"],
        cwd=world.root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        start_new_session=True,
    )
    assert f"made {len(attempts)}" in done.stdout, done.stderr
    return done.stdout


def test_there_are_at_least_forty_attempts():
    assert len(escapes.ATTEMPTS) >= 40


@pytest.mark.parametrize("user", ["root", ORDINARY_USER], ids=["as root", "as an ordinary user"])
@pytest.mark.parametrize(
    ("profile", "network"), [("agent", True), ("check", False)], ids=["agent", "check"]
)
def test_no_attempt_leaves_the_sandbox(world, profile, network, user):
    if os.getuid():
        pytest.skip("only root can become both users")
    place_guard(str(world.root))
    find_git_paths(str(world.root))  # the files that it makes are there before
    before = world.snapshot()

    said = _attack(world, profile, network, user)

    assert "ESCAPED" not in said
    assert world.snapshot() == before
    assert not list(Path("/etc").glob("loop-escape*"))


def test_outside_the_same_attempts_succeed(world):
    """Otherwise the attempts would prove nothing; the dangerous ones are left out."""
    harmless = {**escapes.SECRETS, **escapes.RECORD, **escapes.NETWORK, **escapes.WRITES}
    names = (
        *("read ~/.ssh/id_ed25519", "read held-out commands", "connect to a port of the host"),
        *("read a temporary file of the host", "read ~/.netrc", "read our settings"),
        *("connect to a socket file of the host", "list the state folder"),
    )
    (world.root / "escape.py").write_text(escapes.program({n: harmless[n] for n in names}))
    (world.root / "world.json").write_text(json.dumps(world.facts()))

    done = subprocess.run(
        [sys.executable, "escape.py", "world.json"],
        cwd=world.root,
        capture_output=True,
        text=True,
        check=True,
    )

    assert [line for line in done.stdout.splitlines() if line.startswith("ESCAPED")] == [
        f"ESCAPED {name}" for name in names
    ]
