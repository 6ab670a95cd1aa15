"""Presets of the person's own, with the plugin installed from a marketplace: built, reloaded, used, and kept by an update."""

from __future__ import annotations

import pytest

from tests.e2e.market import Market, claude
from tests.e2e.plugin import OWN
from tests.e2e.session_steps import prompts
from tests.e2e.test_discovery_person import keep_short
from tests.e2e.test_on_a_screen import TALL
from tests.e2e.turn import runs, says

A11Y = """[a11y]
description = 'Access: "everyone" can use it'
look_for = "what a screen reader cannot name"
suggestions = ["Turn the screen off and listen.", "Unplug the mouse."]
"""
STARTS = runs("loop start --preset a11y", "I start it.")
BLOCKED = says(
    "I cannot hear it.\n\n---LOOP_STATUS---\nBLOCKED: no screen reader here\n---END_STATUS---"
)
FOUND = runs("loop backlog add 'the password field has no name'", "One to begin with.")


def write_presets(world, text: str) -> None:
    path = world.home / ".config/loop/presets.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def known(run) -> list[str]:
    """The commands that the client has."""
    return next(event["slash_commands"] for event in run.events if event.get("subtype") == "init")


@pytest.fixture
def installed(world, tmp_path):
    """The plugin, from a marketplace."""
    with Market(tmp_path / "market") as market:
        market.publish("0.1.0")
        claude(world, "plugin", "marketplace", "add", market.url)
        claude(world, "plugin", "install", "loop@loopwright")
        yield market


@pytest.mark.long
def test_a_preset_is_built_by_the_hook_reloaded_and_started(world, installed, tmux):
    write_presets(world, A11Y)
    with world.terminal([STARTS, FOUND, BLOCKED], env=OWN, size=TALL) as terminal:
        terminal.submit("/loop:build")
        screen = terminal.wait("In an open session type /reload-plugins")
        assert "Loaded user presets from" in screen
        assert "Generated: a11y.md" in screen
        assert world.model.requests == [], "the hook answers, no model is asked"

        terminal.submit("/reload-plugins")
        terminal.wait("Reloaded: 1 plugin")
        terminal.type("/loop:a11y")
        terminal.wait(
            "/loop:a11y .*Access"
        )  # "Reloaded" may be on the screen before the menu has the command
        terminal.key(" the login form --max-iterations 8")
        terminal.wait("❯ /loop:a11y the login form --max-iterations 8")
        terminal.enter()
        terminal.wait("⏸ Paused: the agent says it is blocked")
        keep_short(world, terminal, "presets")

    assert "Improve without an end: a11y" in world.model.requests[0].text
    opening = world.model.requests[1].news
    assert "Scope: the login form\n" in opening
    assert "- Look for: what a screen reader cannot name\n" in opening
    assert "- This time in particular: Unplug the mouse.\n" in opening
    loop = world.project.loop
    assert (loop.spec, loop.backlog.preset, loop.limits.iterations) == ("the login form", "a11y", 8)


@pytest.mark.long
def test_an_update_of_the_plugin_keeps_the_command_and_the_menu_says_what_it_is_for(
    world, installed
):
    write_presets(world, f"{A11Y}\n[cancel]\ndescription = 'mine'\n")
    refused = world.headless("/loop:build", [], env=OWN)
    assert "loop:a11y" not in known(refused)
    assert "[cancel] is a command already; give the preset another name" in str(refused.events), (
        "B1"
    )
    assert not (world.home / ".claude/commands").exists()
    write_presets(world, A11Y)
    built = world.headless("/loop:build", [], env=OWN)
    assert "Generated: a11y.md" in str(built.events)
    assert world.model.requests == [], "the hook answers, no model is asked"
    installed.publish("0.2.0")
    claude(world, "plugin", "marketplace", "update", "loopwright")
    assert "updated from 0.1.0 to 0.2.0" in claude(world, "plugin", "update", "loop@loopwright")

    run = world.headless("/loop:a11y the login form", [STARTS, FOUND, BLOCKED], env=OWN)

    assert "loop:a11y" in known(run)
    assert 'Access: "everyone" can use it' in run.requests[0].text
    assert "🔍 EXPLORATION" in prompts(run)[0]
    assert world.project.loop.backlog.preset == "a11y"
