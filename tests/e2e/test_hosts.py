"""A loop in a session of each real client: refuted, held, killed, resumed, proven, cancelled; its files as before."""

from __future__ import annotations

import pytest

from tests.e2e.hosts import Host, Played
from tests.e2e.session_steps import DONE, Latch, start_loop, step_answer
from tests.e2e.turn import runs, says, writes
from tests.e2e.world import FAILURE, FIXED, World

pytestmark = pytest.mark.clients
HOSTS = ("codex", "gemini", "qwen", "copilot")
HELD = ("--iterations", "20")


@pytest.fixture(params=HOSTS)
def host(request: pytest.FixtureRequest, world: World) -> Host:
    if not (world.codex if request.param == "codex" else world.others.get(request.param)):
        pytest.fail(f"{request.param} is not here; `make setup` installs it")
    return Host(world, request.param)


def iteration(number: int) -> list:
    return [runs(f"echo {number}", "I look."), says(step_answer(number))]


def test_a_loop_in_its_session(host: Host, world: World) -> None:
    project, before = world.project, host.files()
    project.run("install", host.name, "--yes")
    assert "our hook is registered already" in project.run("install", host.name, "--yes").out
    project.run("uninstall", host.name, "--yes")
    assert host.files() == before
    project.run("install", host.name, "--yes")

    # A false "done" is refuted; a second session is let go; the client is killed in a tool call.
    start_loop(world, *HELD)
    latch, other = Latch(world.home), "And who are you?"
    driver = host.launch("go", Played([says(DONE), *iteration(1), latch.turn, says(other)]))
    latch.wait_until_reached(driver)
    assert FAILURE in world.model.lane()[1].news
    held = project.loop
    assert other in host.bystand().wait().events.__str__()
    assert project.loop.lease == held.lease
    host.kill_driver()
    driver.kill()
    latch.open()

    # Another session takes over, and works until the tests pass.
    rest = [turn for number in range(2, 11) for turn in iteration(number)]
    script = Played([*rest, writes(world.path("greet.py"), FIXED), says(DONE)])
    assert host.launch("go on", script).wait().rc == 0
    if host.name == "copilot":  # its cap counts across tool calls
        assert (project.loop.status, project.loop.pause.cause) == ("paused", "cap")
        assert told(world, "loop run --continue --agent copilot")
        project.run("continue")
        assert host.launch("go on", script).wait().rc == 0
    ended = project.ended
    assert (ended.verdict.name, ended.verdict.proven) == ("SHIP", True)
    assert (ended.spend.iterations, script.left) == (12, [])
    if host.name == "copilot":  # it shows nothing of ours, so the agent says it
        assert told(world, "[LOOP] ✓ Proven")

    # A cancel from another terminal ends the next loop in mid-turn.
    world.path("greet.py").write_text("def greet(name):\n    return name\n", encoding="utf-8")
    start_loop(world)
    latch = Latch(world.home, "second")
    cancelled = host.launch("go", Played([latch.turn, says(step_answer(1))]))
    latch.wait_until_reached(cancelled)
    project.run("cancel")
    latch.open()
    assert cancelled.wait().rc == 0
    assert project.ended.status == "cancelled"


def told(world: World, words: str) -> bool:
    """Was the agent asked to pass these words on?"""
    return any(words in request.news for request in world.model.lane())
