"""`loop run` with the real Gemini, Qwen, Copilot and OpenCode, and over the Agent Client Protocol: one night of each."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.e2e.clients import PACKAGES
from tests.e2e.conftest import _absent
from tests.e2e.night import (
    FREELY,
    counted_turns,
    fixes,
    is_proven,
    runner_reports,
    turn_starts,
    wait_until_quiet,
)
from tests.e2e.session_steps import DONE, Latch, start_loop
from tests.e2e.turn import runs, says
from tests.e2e.world import FAILURE

pytestmark = pytest.mark.clients
OPENCODE_ACP = "acp:opencode acp"
OUTSIDE = {"LOOP_SANDBOX": "off"}  # the latch lies beside the project, which a sandbox hides


@pytest.fixture
def present(world, request):
    """The program that the test is about is here."""
    name = request.getfixturevalue("name")
    if not world.others[name]:
        _absent(f"{name} {PACKAGES[name].version} is not here; `make setup` installs it")


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "agent"),
    [
        *(pytest.param(name, name, id=name) for name in PACKAGES),
        pytest.param("opencode", OPENCODE_ACP, id="acp"),
    ],
)
def test_a_false_done_is_refuted_a_limit_pauses_and_a_killed_runner_is_resumed(
    world, name, agent, present
):
    start_loop(world, "--iterations=1")
    who = agent.partition(":")[0]

    said = world.loop("run", "--agent", agent, script=[says(f"It is mended. {DONE}")], env=OUTSIDE)

    assert said.code == 3, said.out + said.err
    assert "[LOOP] ⏸ Paused: iteration limit of 1 reached" in said.out
    assert "cost unknown" in said.out
    assert len(world.project.events("ClaimRefuted")) == 1
    first = runner_reports(world, "session")

    latch = Latch(world.home)
    words = ("run", "--agent", agent, *FREELY)
    more = ("--continue", "--iterations", "2")
    running = world.launch_loop(*words, *more, script=[latch.turn], env=OUTSIDE)
    latch.wait_until_reached(running)
    running.kill()
    latch.open()  # Gemini starts a command in a group of its own, which outlives it
    wait_until_quiet(world)
    said = world.loop(*words, script=fixes(world), env=OUTSIDE)

    assert said.code == 0, said.out + said.err
    assert "[LOOP] An earlier runner died in its turn: " in said.out
    assert (turn_starts(world), counted_turns(world)) == ([who] * 3, [True, False, True])
    assert FAILURE in world.model.lane()[1].text, "the brief of a fresh turn"
    assert is_proven(world, iterations=2)
    assert first[0], "the session has an id"


@pytest.mark.long
@pytest.mark.parametrize("name", ["opencode"])
def test_over_the_protocol_a_session_is_loaded_and_what_is_not_allowed_is_refused(
    world, name, present
):
    start_loop(world)
    asks = {**OUTSIDE, "OPENCODE_PERMISSION": '{"edit": "ask", "bash": "ask"}'}
    words = ("run", "--agent", OPENCODE_ACP, "--keep-context")
    # OpenCode ends a turn in which something was refused.
    script = [*fixes(world)[:1], runs("touch elsewhere.txt"), says(DONE)]

    said = world.loop(*words, script=script, env=asks)

    assert said.code == 0, said.out + said.err
    assert not world.path("elsewhere.txt").exists()
    assert runner_reports(world, "denied_calls") == [["execute touch elsewhere.txt"], None]
    assert len(set(runner_reports(world, "session"))) == 1
    assert "touch elsewhere.txt" in str(world.model.lane()[-1].body), "it knows its past"
    assert is_proven(world, iterations=2)


@pytest.mark.parametrize(
    ("name", "agent"),
    [
        pytest.param("copilot", "copilot", id="copilot"),
        *(
            pytest.param(name, name, id=name, marks=pytest.mark.long)
            for name in ("qwen", "gemini", "opencode")
        ),
        pytest.param("opencode", OPENCODE_ACP, id="acp", marks=pytest.mark.long),
    ],
)
def test_it_works_in_the_sandbox_and_writes_nothing_beside_the_project(world, name, agent, present):
    """At each commit for two; Qwen is made from Gemini, and of the others there is a session."""
    if not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not here")
    start_loop(world)
    outside = world.home / "outside.txt"
    script = [runs(f"touch '{outside}'"), *fixes(world)]

    said = world.loop("run", "--agent", agent, *FREELY, "--sandbox", "bwrap", script=script)

    assert said.code == 0, said.out + said.err
    assert "[LOOP] sandbox: bwrap, enforced" in said.out
    assert not outside.exists()
    assert is_proven(world, iterations=1)


def burden(world, name):
    """What would run something, in the files of a repository that the person has cloned."""
    left = world.home / "ran"
    left.mkdir()
    hook = {"type": "command", "command": f"touch '{left}/hook'"}
    server = {"command": "touch", "args": [f"{left}/server"]}
    settings = {"mcpServers": {"theirs": server}}
    plugin = "import fs from 'fs'\nexport const P = async () => { fs.writeFileSync('%s', ''); return {} }\n"
    local = {"type": "local", "command": ["touch", f"{left}/server"], "enabled": True}
    copilot = {"type": "command", "bash": hook["command"], "timeoutSec": 9}
    files = {
        "gemini": {
            ".gemini/settings.json": {**settings, "hooks": {"AfterAgent": [{"hooks": [hook]}]}}
        },
        "qwen": {".qwen/settings.json": {**settings, "hooks": {"Stop": [{"hooks": [hook]}]}}},
        "copilot": {
            ".github/hooks/theirs.json": {"version": 1, "hooks": {"agentStop": [copilot]}},
            ".mcp.json": settings,
        },
        "opencode": {
            ".opencode/plugin/theirs.js": plugin % f"{left}/plugin",
            "opencode.json": {"mcp": {"theirs": local}},
        },
    }[name]
    world.project.write(
        {path: text if isinstance(text, str) else json.dumps(text) for path, text in files.items()}
    )
    return left


@pytest.mark.long
@pytest.mark.parametrize("name", ["qwen", "gemini", "copilot", "opencode"])
def test_nothing_of_the_repository_is_loaded_unasked(world, name, present):
    left = burden(world, name)
    start_loop(world)

    said = world.loop("run", "--agent", name, script=fixes(world), env=OUTSIDE)

    assert said.code == 0, said.out + said.err
    assert list(left.iterdir()) == []
