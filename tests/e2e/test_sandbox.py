"""`loop run` with the real clients inside our sandbox: they work, and what they try outside fails."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests.e2e.night import FREELY, fixes, is_proven, runner_reports
from tests.e2e.session_steps import NOT_YET, start_loop
from tests.e2e.turn import runs, says
from tests.sandbox.user import needs_bwrap

pytestmark = [needs_bwrap, pytest.mark.sandbox]
SOURCE = str(Path(__file__).parents[2] / "src")  # the code beside these tests, wherever it is
BOXED = {"LOOP_SANDBOX": "", "PYTHONPATH": SOURCE}  # the default
# What the agent's shell tries, each beside the file that would show a success.
ATTEMPTS = (
    ("echo evil >> ~/.bashrc", "home:.bashrc"),
    ("cp ~/.ssh/id_rsa stolen", "project:stolen"),
    ("echo evil > .git/hooks/pre-commit", "project:.git/hooks/pre-commit"),
    (
        "git config core.fsmonitor evil; grep -q evil .git/config && touch git-config",
        "project:git-config",
    ),
    ("mv .git moved && touch moved-git", "project:moved-git"),
    ("echo '{}' > ~/.claude/settings.json; true", "home:.claude/settings.json"),
    (
        "cat ~/.local/state/loopwright/holdouts/*/commands.json > holdouts && test -s holdouts && touch read-holdouts",
        "project:read-holdouts",
    ),
    ("echo x >> .loop/journal.jsonl && touch wrote-journal", "project:wrote-journal"),
    (
        "test -e /proc/$(sed -n 2p .loop/running/*)/stat && touch saw-runner; true",
        "project:saw-runner",
    ),
)


@pytest.fixture(autouse=True)
def _boxed(monkeypatch):
    """The checks too."""
    monkeypatch.delenv("LOOP_SANDBOX")  # the default


def script(world):
    lines = "; ".join(f"({line})" for line, _ in ATTEMPTS)
    return [runs(f"{{ {lines}; }} 2>/dev/null; true"), *fixes(world)]


def escaped(world) -> list[str]:
    places = {"home": world.home, "project": world.project.root}
    targets = [(line, *target.split(":")) for line, target in ATTEMPTS]
    return [line for line, place, name in targets if (places[place] / name).exists()]


def prepare(world) -> None:
    (world.home / ".ssh").mkdir()
    (world.home / ".ssh/id_rsa").write_text("KEY")
    start_loop(world, "--holdout", "hidden=true")


def test_claude_code_works_inside_and_does_not_get_out(world):
    prepare(world)

    said = world.loop("run", *FREELY, script=script(world), env=BOXED)

    assert said.code == 0, said.out
    assert "sandbox: bwrap, enforced" in said.out
    assert escaped(world) == []
    assert is_proven(world, iterations=1)
    assert not any("could be read" in note for note in world.project.ended.verdict.notes)


@pytest.mark.long
def test_claude_code_keeps_its_session_inside(world):
    prepare(world)
    first = [says(f"I look first. {NOT_YET}")]

    said = world.loop("run", *FREELY, "--keep-context", script=[*first, *fixes(world)], env=BOXED)

    assert said.code == 0, said.out
    assert len(set(runner_reports(world, "session"))) == 1
    assert is_proven(world, iterations=2)


@pytest.mark.clients
def test_codex_works_inside_and_does_not_get_out(world, codex):
    prepare(world)

    said = world.loop("run", "--agent", "codex", script=script(world), env=BOXED)

    assert said.code == 0, said.out
    assert "sandbox: bwrap, enforced" in said.out
    assert escaped(world) == []
    assert is_proven(world, iterations=1)


def path_with_socat(world) -> str:
    """Claude Code's sandbox needs socat, for the network only: a stand-in where it is missing."""
    folder = world.home / "programs"
    folder.mkdir()
    if not shutil.which("socat"):
        words = shlex.join([sys.executable, "-IS", str(Path(__file__).with_name("socat.py"))])
        (folder / "socat").write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        (folder / "socat").chmod(0o755)
    return f"{world.environment()['PATH']}:{folder}"


@pytest.mark.long
def test_a_session_keeps_to_the_settings_of_install_sandbox(world):
    """The client's own sandbox, which covers the commands of a session; `loop` alone may leave it."""
    (world.home / ".ssh").mkdir()
    (world.home / ".ssh/id_rsa").write_text("KEY")
    own = {"PATH": path_with_socat(world), "PYTHONPATH": SOURCE}
    assert world.loop("install", "--sandbox", env=own).code == 0
    steps = [
        "touch inside; touch ~/outside; touch .git/hooks/pre-commit; cat ~/.ssh/id_rsa",
        "loop start 'make the tests pass' --check 'tests pass=true'",
        "cd . && loop status; touch ~/second",
    ]

    run = world.headless("go", [*map(runs, steps), says("Done.")], takes_loop=False, env=own)

    refused, started, hidden = (request.news for request in run.requests[1:])
    assert (run.rc, world.path("inside").exists()) == (0, True)
    assert refused.count("Read-only file system") == 2
    assert "id_rsa: No such file" in refused
    assert "[LOOP] Starting" in started
    assert "Run `loop ...` as a command of its own" in hidden
    assert not [name for name in ("outside", "second") if (world.home / name).exists()]
    assert world.loop("install", "--sandbox", "--remove", env=own).code == 0
    assert not (world.home / ".claude/settings.json").exists()
