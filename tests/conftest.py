"""Every test runs as a person without a home of their own, and never as an agent's child."""

import os

import pytest

AGENTS = ("CLAUDE", "AI_AGENT", "LOOP_")


@pytest.fixture(autouse=True)
def _isolation(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    for name in [name for name in os.environ if name.startswith(AGENTS)]:
        monkeypatch.delenv(name)
