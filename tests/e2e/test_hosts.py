"""A loop in a session of each real client: refuted, held, killed, resumed, proven, cancelled; its files as before."""

from __future__ import annotations

import pytest

from tests.e2e.hosts import Host, OpenCode, Played
from tests.e2e.session_steps import DONE, Latch, start_loop, step_answer
from tests.e2e.turn import runs, says, writes
from tests.e2e.waiting import until
from tests.e2e.world import FAILURE, FIXED, World
from tests.torture.size import FIGURES, size

pytestmark = pytest.mark.clients
HOSTS = ("codex", "gemini", "qwen", "copilot")
# Sessions of Codex also have a bystander and a cancel at each commit, of the others in `make torture`.
WHOLE = HOSTS if FIGURES else ("codex",)
HELD = ("--iterations", "20")
# At each commit a session is held a few times only; in `make torture` Copilot is paused before its cap.
MANY_HOLDS = size(4, 12)


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
    diagnosed = project.run("doctor").out
    answer = f"{host.name}: a stop was sent through its wiring; our answer: "
    assert "unmet criteria: done" in diagnosed.partition(answer)[2][:100], diagnosed

    if host.name == "copilot":  # it calls the hook of VS Code too
        project.run("install", "vscode", "--yes")

    # A false "done" is refuted; a second session is let go; the client is killed in a tool call.
    start_loop(world, *HELD)
    latch, other = Latch(world.home), "And who are you?"
    driver = host.launch("go", Played([says(DONE), *iteration(1), latch.turn, says(other)]))
    latch.wait_until_reached(driver)
    assert FAILURE in world.model.lane()[1].news
    held = project.loop
    if host.name in WHOLE:
        assert other in host.bystand().wait().events.__str__()
    assert project.loop.lease == held.lease
    host.kill_driver()
    driver.kill()
    latch.open()

    # The same session is resumed, and works until the tests pass.
    rest = [turn for number in range(2, MANY_HOLDS - 1) for turn in iteration(number)]
    script = Played([*rest, writes(world.path("greet.py"), FIXED), says(DONE)])
    last = host.launch("go on", script, resume=held.lease.holder)
    assert last.wait().rc == 0
    assert {event["holder"] for event in project.events("LeaseTaken")} == {held.lease.holder}
    if host.name == "copilot" and FIGURES:  # its cap counts across tool calls
        assert (project.loop.status, project.loop.pause.cause) == ("paused", "cap")
        assert told(world, "loop run --attach --yes --continue --agent copilot")
        project.run("continue")
        assert host.launch("go on", script).wait().rc == 0
    ended = project.ended
    assert (ended.verdict.name, ended.verdict.proven) == ("SHIP", True)
    assert (ended.spend.iterations, script.left) == (MANY_HOLDS, [])
    # Gemini prints our words; elsewhere a one-shot run shows only those of the agent.
    assert "SHIP" in last.err if host.name == "gemini" else told(world, "SHIP")
    if host.name in WHOLE:
        cancel_in_mid_turn(host, world)


def cancel_in_mid_turn(host: Host, world: World) -> None:
    """From another terminal; the next loop ends."""
    project = world.project
    world.path("greet.py").write_text("def greet(name):\n    return name\n", encoding="utf-8")
    start_loop(world)
    latch = Latch(world.home, "second")
    cancelled = host.launch("go", Played([latch.turn, says(step_answer(1))]))
    latch.wait_until_reached(cancelled)
    project.run("cancel")
    latch.open()
    assert cancelled.wait().rc == 0
    assert project.ended.status == "cancelled"


def test_a_loop_in_a_session_of_opencode(world: World) -> None:
    if not world.others.get("opencode"):
        pytest.fail("opencode is not here; `make setup` installs it")
    project = world.project
    world.environment()
    ignored = world.path(
        "__pycache__"
    )  # it asks before a command touches a file outside the project
    ignored.mkdir()
    project.run("install", "opencode", "--yes")
    answer = "opencode: a stop was sent through its wiring; our answer: "
    assert answer in project.run("doctor").out

    # It has no hook that refuses a stop: the session goes on with a new message.
    start_loop(world, *HELD)
    latch, other = Latch(ignored), "And who are you?"
    world.model.play(Played([says(DONE), *iteration(1), latch.turn, says(other)]))
    client = OpenCode(world)
    first = client.open_session("go")
    until(latch.begun.exists, lambda: client.said(first))
    assert FAILURE in client.said(first)
    held = project.loop
    second = client.open_session("What is this?")
    until(lambda: other in client.said(second), lambda: client.said(second))
    client.server.kill()
    latch.open()
    assert project.loop.lease == held.lease
    assert held.lease.holder == first

    # Another server: it resumes the same session.
    rest = [turn for number in range(2, MANY_HOLDS - 1) for turn in iteration(number)]
    script = Played([*rest, writes(world.path("greet.py"), FIXED), says(DONE)])
    world.model.play(script)
    client, session = OpenCode(world), first
    client.prompt(session, "go on")
    until(lambda: project.folder.read_loop() is None, lambda: client.said(session)[-2000:], 300)
    ended = project.ended
    assert (ended.verdict.name, ended.verdict.proven) == ("SHIP", True)
    assert (ended.spend.iterations, script.left) == (MANY_HOLDS, [])
    # The verdict is a message of the session that the model never gets.
    until(lambda: "SHIP" in client.said(session), lambda: client.said(session)[-2000:])
    asked = len(world.model.lane())

    world.path("greet.py").write_text("def greet(name):\n    return name\n", encoding="utf-8")
    start_loop(world)
    latch = Latch(ignored, "second")
    world.model.play(Played([latch.turn, says(step_answer(1))]))
    client.prompt(session, "go")
    until(latch.begun.exists, lambda: client.said(session))
    project.run("cancel")
    latch.open()
    until(lambda: len(world.model.lane()) == asked + 2, lambda: client.said(session)[-2000:])
    assert project.ended.status == "cancelled"
    assert not any("SHIP" in request.text for request in world.model.lane()[asked:])


@pytest.mark.long
def test_a_loop_goes_from_claude_code_to_codex_and_back(world: World) -> None:
    host, project = Host(world, "codex"), world.project
    world.register_hook()
    project.run("install", "codex", "--yes")
    start_loop(world, *HELD)
    first, second = Latch(world.home), Latch(world.home, "second")

    evening = world.launch("go", Played([says(DONE), *iteration(1), first.turn]))
    first.wait_until_reached(evening)
    evening.kill()
    night = host.launch("go on", Played([*iteration(2), second.turn]))
    second.wait_until_reached(night)
    assert "Iteration 3/20" in world.model.lane()[-2].news + world.model.lane()[-3].news
    night.kill()
    morning = world.launch("go on", Played([writes(world.path("greet.py"), FIXED), says(DONE)]))
    assert morning.wait().rc == 0

    ended = project.ended
    assert (ended.verdict.name, ended.verdict.proven, ended.spend.iterations) == ("SHIP", True, 4)
    holders = [event["holder"] for event in project.events("LeaseTaken")]
    assert len(set(holders)) == 3


def told(world: World, words: str) -> bool:
    """Was the agent asked to pass these words on?"""
    return any(words in request.news for request in world.model.lane())
