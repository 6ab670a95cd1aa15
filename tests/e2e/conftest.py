"""The real clients against a scripted model, cut off from every network: what a test of it needs."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import NoReturn

import pytest

from tests.e2e import client as claude_code
from tests.e2e import codex as openai_codex
from tests.e2e.clients import PACKAGES
from tests.e2e.model import Model
from tests.e2e.offline import cut_off
from tests.e2e.world import FILES, World
from tests.support.project import Project


@pytest.fixture(scope="session")
def disk(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder on the disk: in its sandbox a client may have a /dev of its own, without our memory."""
    # Not below /tmp: Codex refuses a home there where bubblewrap is installed.
    place = Path(tempfile.mkdtemp(prefix="clients-", dir="/var/tmp"))
    yield place
    if not request.session.testsfailed:
        shutil.rmtree(place, ignore_errors=True)


@pytest.fixture(scope="session")
def _homes(disk: Path) -> Iterator[Path]:
    return (disk / f"home{number}" for number in count())


@pytest.fixture
def tmp_path(disk: Path) -> Path:
    return Path(tempfile.mkdtemp(prefix="test-", dir=disk))


@pytest.fixture(scope="session", autouse=True)
def offline() -> bool:
    """Whether nothing but loopback can be reached: from the first of these tests on, in this process and in all it starts."""
    return cut_off()


@pytest.fixture(scope="session")
def programs() -> dict[str, Path | None]:
    """The clients that are here. They are looked for in the person's home, before a test gets one of its own."""
    others = {name: package.find() for name, package in PACKAGES.items()}
    return {"claude": claude_code.find(), "codex": openai_codex.find(), **others}


@pytest.fixture(scope="session")
def client(programs: dict[str, Path | None]) -> Path:
    """The program."""
    missing = f"the client, Claude Code {claude_code.VERSION}, is not here; `make setup` installs it, or set LOOP_CLIENT"
    return programs["claude"] or _absent(missing)


@pytest.fixture(scope="session")
def codex(programs: dict[str, Path | None]) -> Path:
    """The other program."""
    missing = f"the other client, Codex {openai_codex.VERSION}, is not here; `make setup` installs it, or set LOOP_CODEX"
    return programs["codex"] or _absent(missing)


@pytest.fixture(scope="session")
def tmux() -> str:
    return shutil.which("tmux") or _absent(
        "tmux is not here; install it to see the client on a screen"
    )


def _absent(reason: str) -> NoReturn:
    """A person may do without; CI must not."""
    if os.environ.get("LOOP_NEEDS_CLIENT") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def world(
    client: Path,
    programs: dict[str, Path | None],
    project: Callable[..., Project],
    bytecode: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[World]:
    """A home, a project with a failing test, the clients and their model. Codex may be absent: a test of it asks for `codex`."""
    # Without these, `loop` keeps its state where it does in the client's hooks: under the home.
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name)
    with Model() as model:
        others = {name: programs[name] for name in PACKAGES}
        home = Path(os.environ["HOME"])
        world = World(client, home, project(FILES), model, programs["codex"], others)
        world.share_bytecode(bytecode)
        yield world
        world.close()
