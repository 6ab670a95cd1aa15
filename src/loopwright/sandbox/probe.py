"""Measures a sandbox: a small program inside tries to cross each boundary, and we look outside.

The result, not the name of the backend, decides whether the sandbox counts as enforced.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress

from ..core.runner.sandbox import (
    BLOCKED,
    REACH_SOCKETS,
    READ_STATE,
    SEE_PROCESSES,
    SUCCEEDED,
    UNKNOWN,
    USE_NETWORK,
    WRITE_OUTSIDE,
    SandboxReport,
)
from ..disk.files import make_folder, read_bytes, write_private
from ..disk.processes import is_process_alive, process_fields
from ..disk.programs import without_loader_lists
from ..disk.user_folders import home_folder, state_home
from .choose import CONTAINERS, Sandbox, launcher_words
from .mounts import Box

SECONDS = 30
# Every attempt may fail in any way; only success is reported.
SCRIPT = """\
import os, socket, sys
mark, token, state, pid, started, port, name = sys.argv[1:8]
def attempt(word, action):
    try:
        if action():
            print(word, flush=True)
    except Exception:
        pass
def read_state():
    with open(state) as file:
        return file.read() == token
def see_process():
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[19] == started
def signal_process():
    os.kill(int(pid), 0)
    return not started
def connect(family, address):
    link = socket.socket(family)
    link.settimeout(2)
    link.connect(address)
    return link.recv(100).decode() == token
print("began", flush=True)
for path in sys.argv[8:]:
    attempt("", lambda: open(path, "w").write(mark) and False)
attempt("read-state", read_state)
attempt("see-processes", see_process)
attempt("see-processes", signal_process)
attempt("use-network", lambda: connect(socket.AF_INET, ("127.0.0.1", int(port))))
if name:
    attempt("reach-sockets", lambda: connect(socket.AF_UNIX, "\\0" + name))
print("ended", flush=True)
"""


def probe_sandbox(sandbox: Sandbox, box: Box, environment: dict[str, str]) -> SandboxReport:
    """Try to escape from this box. A probe that cannot run enforces nothing."""
    report = SandboxReport(
        sandbox.label,
        network=box.network,
        why=sandbox.why,
        allow_read=box.allow_read,
        allow_write=box.allow_write,
    )
    if not sandbox.is_on:
        return report
    mark, token = os.urandom(8).hex(), os.urandom(16).hex()
    secret = _place_secret(mark, token)
    targets = _targets(box, mark)
    try:
        with _Listeners(token, mark) as listeners:
            words = (str(os.getpid()), _start_ticks(), str(listeners.port), listeners.name)
            output, why = _run_inside(
                sandbox, box, environment, (mark, token, secret, *words, *targets)
            )
    finally:
        os.remove(secret)
    written = [path for path in targets if _holds(path, mark)]
    for path in written:
        with suppress(OSError):
            os.remove(path)
    if "ended" not in output:
        return report.but(why=why or "the probe did not run to its end")
    return report.but(results=_results(output, bool(written), bool(listeners.name)))


def _place_secret(mark: str, token: str) -> str:
    """A file in our state folder that the probe tries to read; those of killed runs go."""
    folder = os.path.join(state_home(), "sandbox")
    make_folder(folder)
    for name in filter(lambda name: name.startswith("probe-"), os.listdir(folder)):
        pid = name.split("-")[1]
        if not (pid.isdigit() and is_process_alive(int(pid))):
            with suppress(OSError):
                os.remove(os.path.join(folder, name))
    secret = os.path.join(folder, f"probe-{os.getpid()}-{mark}")
    write_private(secret, token.encode())
    return secret


def _results(output: list[str], wrote: bool, has_sockets: bool) -> tuple[tuple[str, str], ...]:
    names = [READ_STATE, SEE_PROCESSES, USE_NETWORK]
    found = {name: SUCCEEDED if name in output else BLOCKED for name in names}
    found = {WRITE_OUTSIDE: SUCCEEDED if wrote else BLOCKED, **found}
    blocked = BLOCKED if has_sockets else UNKNOWN
    found[REACH_SOCKETS] = SUCCEEDED if REACH_SOCKETS in output else blocked
    return tuple(found.items())


def _targets(box: Box, mark: str) -> list[str]:
    """Files outside the project that the probe tries to write."""
    folders = [home_folder(), os.path.dirname(box.root), tempfile.gettempdir()]
    folders += [os.path.join(box.root, ".git", "hooks"), os.path.join(box.root, ".loop")]
    # Installed in the project, Loopwright itself could be changed by the agent.
    folders += [state_home(), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    allowed = [os.path.realpath(os.path.expanduser(path)) for path in box.allow_write]
    folders = [f for f in dict.fromkeys(map(os.path.realpath, folders)) if os.path.isdir(f)]
    inside = [f for f in folders if any(f == a or f.startswith(f"{a}/") for a in allowed)]
    return [os.path.join(f, f".loop-probe-{mark}") for f in folders if f not in inside]


def _holds(path: str, mark: str) -> bool:
    try:
        return read_bytes(path) == mark.encode()
    except OSError:
        return False


def _start_ticks() -> str:
    """When we started, as /proc says it; "" without a /proc."""
    fields = process_fields("self")
    return fields[19].decode() if fields else ""


def _run_inside(
    sandbox: Sandbox, box: Box, environment: dict[str, str], words: tuple[str, ...]
) -> tuple[list[str], str]:
    """What the script printed, and why it printed nothing."""
    python = os.path.realpath(sys.executable)
    if sandbox.backend in CONTAINERS:
        python = "python3"
    launcher = launcher_words(sandbox, box, environment)
    try:
        done = subprocess.run(
            (*launcher, python, "-I", "-S", "-c", SCRIPT, *words),
            cwd=box.root,
            env=without_loader_lists(environment, launcher),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return [], f"the probe could not run: {error}"
    text = " ".join(done.stderr.decode("utf-8", "replace").split())[-200:]
    return done.stdout.decode("utf-8", "replace").split(), f"the probe could not run: {text}"


class _Listeners:
    """A TCP port and an abstract socket of ours that answer with the token."""

    def __init__(self, token: str, mark: str) -> None:
        self.token, self.name = token.encode(), ""
        self.sockets = [socket.create_server(("127.0.0.1", 0), backlog=4)]
        self.port = self.sockets[0].getsockname()[1]
        if sys.platform == "linux":
            abstract = socket.socket(socket.AF_UNIX)
            abstract.bind(f"\0loop-probe-{mark}")
            abstract.listen(4)
            self.sockets.append(abstract)
            self.name = f"loop-probe-{mark}"

    def __enter__(self) -> _Listeners:
        from threading import Thread

        for listener in self.sockets:
            Thread(target=self._answer, args=(listener,), daemon=True).start()
        return self

    def _answer(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                link, _ = listener.accept()
                with link:
                    link.sendall(self.token)

    def __exit__(self, *_: object) -> None:
        for listener in self.sockets:
            with suppress(OSError):  # it wakes the thread
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
