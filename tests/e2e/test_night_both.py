"""`loop run` with the real Claude Code and with the real Codex: whoever works, the same nights come to the same ends."""

from __future__ import annotations

import time

import pytest

from tests.e2e.background import living_processes
from tests.e2e.client import SUBSCRIBED
from tests.e2e.night import (
    FREELY,
    FRESH,
    counted_turns,
    dollars,
    fixes,
    interrupt,
    is_proven,
    runner_reports,
    turn_starts,
    wait_until_quiet,
)
from tests.e2e.session_steps import DONE, NOT_YET, Latch, start_loop
from tests.e2e.turn import fails, hits_limit, runs, says, writes
from tests.e2e.world import FAILURE

CODEX = pytest.param("codex", marks=pytest.mark.clients)
AGENTS = ("claude", CODEX)


@pytest.fixture(params=AGENTS)
def agent(request):
    if request.param == "codex":
        request.getfixturevalue("codex")
    return request.param


def test_a_false_done_is_refuted_and_the_next_turn_knows_its_brief_and_no_more(world, agent):
    start_loop(world)
    notes = writes(world.path(".loop/notes.md"), "the comma is missing\n")

    said = world.loop(
        "run", "--agent", agent, script=[notes, says(f"It is mended. {DONE}"), *fixes(world)]
    )

    assert (said.code, said.err) == (0, "")
    assert "✗ claimed done, but it is not: the claim is taken back" in said.out
    assert "🟢 SHIP" in said.out
    assert is_proven(world, iterations=2)
    assert len(world.project.events("ClaimRefuted")) == 1
    first, _, second, _ = world.model.lane()
    assert FRESH in first.text
    assert FRESH in second.text
    assert second.text == second.news, "the model has not spoken in it before"
    assert FAILURE in second.text
    assert (
        "What the last turn said at its end, as data:\n```text\nIt is mended. Did some work."
        in second.text
    )
    assert (
        "Notes of earlier turns (.loop/notes.md), as data:\n```text\nthe comma is missing\n```"
        in second.text
    )
    assert len(set(runner_reports(world, "session"))) == 2


@pytest.mark.long
def test_a_tool_that_fails_is_counted_and_ends_nothing(world, agent):
    start_loop(world)

    said = world.loop(
        "run", "--agent", agent, script=[runs("ls nowhere"), says(NOT_YET), *fixes(world)]
    )

    assert said.code == 0, said.out
    assert "cannot access 'nowhere'" in world.model.lane()[1].news
    (error,) = world.project.events("ErrorSeen")
    assert "cannot access 'nowhere'" in error["text"]
    assert is_proven(world, iterations=2)


@pytest.mark.long
def test_faults_of_both_apis_are_waited_for_and_spend_no_iteration(world, codex):
    start_loop(world)
    faults = [
        fails(529, "Overloaded"),
        fails(529, "Overloaded"),
        fails(500, "The server had an error."),
    ]

    said = world.loop("run", "--fallback", "codex", script=[*faults, *fixes(world)])

    assert said.code == 0, said.out
    assert "    claude: 529 API Error: 529 Overloaded." in said.out
    assert "codex continues." in said.out
    assert " | codex: We’re currently experiencing high demand" in said.out, "the countdown"
    assert (turn_starts(world), counted_turns(world)) == (
        ["claude", "codex", "claude"],
        [False, False, True],
    )
    limits = [event["reset_known"] for event in world.project.events("AgentLimited")]
    assert limits == [False, False], "nobody says when it passes"
    assert len(world.project.events("WaitStarted")) == 1
    assert is_proven(world, iterations=1)


@pytest.mark.long
def test_a_key_that_is_refused_pauses_with_the_reason(world, agent):
    start_loop(world)

    said = world.loop(
        "run", "--agent", agent, script=lambda number, _: fails(401, "Incorrect API key provided.")
    )

    assert said.code == 4, said.out
    assert "[LOOP] ⏸ Paused: blocked by " in said.out
    assert "401" in world.project.loop.pause.why
    assert (counted_turns(world), len(turn_starts(world))) == ([False], 1)


@pytest.mark.long
def test_a_hang_is_cut_off_and_a_slow_tool_call_is_not(world, agent):
    start_loop(world)
    script = [
        runs("sleep 6; echo slept well", "I wait for it."),
        says("never heard", delay=90),
        *fixes(world),
    ]

    said = world.loop("run", "--agent", agent, "--idle-minutes", "0.08", *FREELY, script=script)

    assert said.code == 0, said.out
    assert "slept well" in world.model.lane()[1].news
    cut, other = runner_reports(world, "cut_reason")
    assert (cut.startswith(f"{agent} showed no sign of life for "), other) == (True, None)
    assert f"✗ cut off: {cut}" in said.out
    assert f"The last turn was cut off: {cut}. Look at what is there" in world.model.lane()[2].text
    assert is_proven(world, iterations=2)


@pytest.mark.long
def test_a_killed_runner_takes_its_agent_along_and_no_iteration_is_lost_or_doubled(world, agent):
    start_loop(world)
    latch = Latch(world.home)
    running = world.launch_loop(
        "run", "--agent", agent, *FREELY, script=[runs("true"), says(NOT_YET), latch.turn]
    )
    latch.wait_until_reached(running)
    assert any("latch-opened" in line for line in living_processes(world.home).values()), (
        "the agent's own command"
    )

    running.kill()
    wait_until_quiet(world)
    assert (turn_starts(world), counted_turns(world)) == ([agent] * 2, [True])
    said = world.loop("run", "--agent", agent, script=fixes(world))

    assert said.code == 0, said.out
    assert "[LOOP] An earlier runner died in its turn: " in said.out
    assert (turn_starts(world), counted_turns(world)) == ([agent] * 3, [True, False, True])
    assert runner_reports(world, "cut_reason") == [None, "the runner died in it", None]
    assert is_proven(world, iterations=2)
    asked = [request.text for request in world.model.lane()]
    assert len(asked) == 5
    assert ["[LOOP] Iteration 2/10 |" in text for text in asked] == [False, False, True, True, True]
    if agent == "claude":
        assert dollars(world)[1] > 0, "what was heard of it is paid for"


@pytest.mark.long
def test_ctrl_c_once_pauses_after_the_turn_and_twice_stops_now(world, agent):
    start_loop(world)
    first, second = Latch(world.home, "first"), Latch(world.home, "second")
    words = ("run", "--agent", agent, *FREELY)
    running = world.launch_loop(*words, script=[first.turn, says(NOT_YET), second.turn])
    first.wait_until_reached(running)
    interrupt(running)
    first.open()
    said = running.wait()
    assert (said.code, counted_turns(world)) == (8, [True]), said.out
    assert "[LOOP] ⏸ Paused: Ctrl-C" in said.out

    assert world.loop("continue").code == 0
    running = world.launch_loop(*words)
    second.wait_until_reached(running)
    interrupt(running, times=2)
    said = running.wait()
    assert (said.code, counted_turns(world)) == (8, [True, False]), said.out
    assert "✗ cut off: a person stopped it" in said.out
    assert "[LOOP] ⏸ Paused: stopped by a person in mid-turn" in said.out
    wait_until_quiet(world)

    assert world.loop("continue").code == 0
    said = world.loop(*words, script=fixes(world))
    assert said.code == 0, said.out
    assert is_proven(world, iterations=2)


@pytest.mark.long
def test_when_one_meets_its_limit_the_other_goes_on_at_once(world, agent, codex):
    start_loop(world)
    (other,) = {"claude", "codex"} - {agent}
    later = time.time() + 3600

    words = ("run", "--agent", agent, "--fallback", other)
    said = world.loop(*words, script=[hits_limit(later), *fixes(world)], env=SUBSCRIBED)

    assert said.code == 0, said.out
    assert (turn_starts(world), counted_turns(world)) == ([agent, other], [False, True])
    assert is_proven(world, iterations=1)
    assert world.project.events("WaitStarted") == []
    (limit,) = world.project.events("AgentLimited")
    assert (limit["agent"], limit["reset_known"]) == (agent, True)
