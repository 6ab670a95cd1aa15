"""`loop run` with the real clients inside our sandbox: they work, and what they try outside fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.night import FREELY, fixes, is_proven, runner_reports
from tests.e2e.session_steps import NOT_YET, start_loop
from tests.e2e.turn import runs, says
from tests.sandbox.user import needs_bwrap

pytestmark = needs_bwrap
SOURCE = str(Path(__file__).parents[2] / "src")  # the code beside these tests, wherever it is
BOXED = {"LOOP_SANDBOX": "auto", "PYTHONPATH": SOURCE}
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
    monkeypatch.setenv("LOOP_SANDBOX", "auto")


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


def test_codex_works_inside_and_does_not_get_out(world, codex):
    prepare(world)

    said = world.loop("run", "--agent", "codex", script=script(world), env=BOXED)

    assert said.code == 0, said.out
    assert "sandbox: bwrap, enforced" in said.out
    assert escaped(world) == []
    assert is_proven(world, iterations=1)
