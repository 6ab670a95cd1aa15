"""The real client against a scripted model, cut off from every network: what a test of it needs."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from tests.e2e.client import VERSION, find
from tests.e2e.model import Model
from tests.e2e.offline import cut_off
from tests.e2e.world import FILES, World
from tests.support.project import Project


@pytest.fixture(scope="session", autouse=True)
def offline() -> bool:
    """Whether nothing but loopback can be reached: from the first of these tests on, in this process and in all it starts."""
    return cut_off()


@pytest.fixture(scope="session")
def client() -> Path:
    """The program."""
    return find() or _absent(f"the client, Claude Code {VERSION}, is not here; `make setup` installs it, or set LOOP_CLIENT")


@pytest.fixture(scope="session")
def tmux() -> str:
    return shutil.which("tmux") or _absent("tmux is not here; install it to see the client on a screen")


def _absent(reason: str) -> NoReturn:
    """A person may do without; CI must not."""
    if os.environ.get("LOOP_NEEDS_CLIENT") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def world(client: Path, project: Callable[..., Project], monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A home, a project with a failing test, the client and its model."""
    # Without these, `loop` keeps its state where it does in the client's hooks: under the home.
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name)
    with Model() as model:
        world = World(client, Path(os.environ["HOME"]), project(FILES), model)
        yield world
        world.close()
