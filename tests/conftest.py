"""Every test runs as a person without a home of their own, and never as an agent's child; a project is one call away."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.support.project import Project

AGENTS = ("CLAUDE", "AI_AGENT", "LOOP_")


@pytest.fixture(autouse=True)
def _isolation(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    for name in [name for name in os.environ if name.startswith(AGENTS)]:
        monkeypatch.delenv(name)


@pytest.fixture
def project(tmp_path: Path) -> Callable[..., Project]:
    """project({...files}), a fresh folder at each call."""
    made: list[Project] = []

    def make(files: Mapping[str, str] | None = None, git: bool = True) -> Project:
        made.append(Project(tmp_path / f"project{len(made) or ''}", files, git))
        return made[-1]

    return make
