"""`loop run` with the real Claude Code: its money, its limits, what it may do, and what it must not load."""

from __future__ import annotations

import json
import time

import pytest

from tests.e2e.client import SUBSCRIBED
from tests.e2e.market import claude
from tests.e2e.night import (
    FREELY,
    FRESH,
    counted_turns,
    dollars,
    fixes,
    is_proven,
    runner_reports,
    turn_starts,
)
from tests.e2e.plugin import PLUGIN
from tests.e2e.session_steps import DONE, NOT_YET, Latch, start_loop
from tests.e2e.turn import delegates, hits_limit, runs, says, writes
from tests.e2e.waiting import until
from tests.e2e.world import CHECK, FAILURE

DEAR = {"output_tokens": 1000}  # with the 1000 of the input $0.024 an answer
LOG = ".loop/logs/0001-claude.log"


@pytest.mark.long
def test_a_usage_limit_is_waited_for_until_its_reset_and_is_no_iteration(world):
    start_loop(world)
    ends = []

    def script(number, _):
        if number == 2:
            ends.append(int(time.time()) + 5)
            return hits_limit(ends[0])
        return [runs("true", "I begin."), None, *fixes(world)][number - 1]

    said = world.loop("run", script=script, env=SUBSCRIBED)

    assert said.code == 0, said.out
    assert "⏳ 0:0" in said.out
    assert " | claude: 429 " in said.out
    (limit,) = world.project.events("AgentLimited")
    assert limit == {"is": "AgentLimited", "agent": "claude", "until": ends[0], "reset_known": True}
    (wait,) = world.project.events("WaitStarted")
    first, second = world.project.events("TurnStarted")
    assert first["at"] < wait["at"] < ends[0] <= second["at"]
    assert counted_turns(world) == [False, True]
    assert dollars(world) == [0.003, 0.006], (
        "what was heard before the limit is paid for too, at a subscription's usual model"
    )
    assert is_proven(world, iterations=1)


@pytest.mark.long
def test_a_kept_context_goes_on_in_its_session_and_pays_nothing_twice(world):
    start_loop(world)

    said = world.loop(
        "run", "--keep-context", script=[says(f"I look first. {NOT_YET}"), *fixes(world)]
    )

    assert said.code == 0, said.out
    assert len(set(runner_reports(world, "session"))) == 1
    second = world.model.lane()[1]
    assert "I look first." in second.text
    assert (FRESH in second.text, FRESH in second.news) == (True, False)
    assert FAILURE in second.news
    assert dollars(world) == [0.006, 0.012]
    assert is_proven(world, iterations=2)


@pytest.mark.long
def test_the_budget_is_set_aside_before_the_first_call_and_overshot_by_one_at_most(world):
    start_loop(world, "--budget=0.05")
    latch = Latch(world.home)
    running = world.launch_loop(
        "run",
        *("--turn-budget", "0.05"),
        *FREELY,
        script=lambda number, _: latch.turn if number == 1 else runs("true", usage=DEAR),
    )
    latch.wait_until_reached(running)
    (reserved,) = world.project.events("TurnStarted")
    assert (reserved["reserved_dollars"], world.project.loop.run.reserved_dollars) == (0.05, 0.05)
    assert reserved["at"] < world.model.lane()[0].at
    assert "USD budget: $0/$0.05;" in world.model.lane()[0].text
    assert world.project.events("TurnEnded") == []

    latch.open()
    said = running.wait()

    assert said.code == 2, said.out
    assert "[LOOP] ⏸ Paused: budget of $0.05 reached ($0.05 spent)" in said.out
    assert len(world.model.lane()) == 3, "a fourth call is not made"
    assert (turn_starts(world), dollars(world)) == (["claude"], [0.054])
    assert world.project.loop.run.reserved_dollars == 0


@pytest.mark.long
def test_one_call_that_fails_again_and_again_ends_the_turn_and_not_the_budget(world):
    start_loop(world)

    said = world.loop("run", *FREELY, script=lambda number, _: runs("exit 3"))

    assert (said.code, world.project.loop.pause.cause) == (4, "same-error"), said.out
    broken = world.project.events("TurnBroken")
    assert [event["breaker"] for event in broken] == ["same-error"] * 2
    assert len(world.model.lane()) <= 8, "three calls, one more, and what was in flight"
    assert turn_starts(world) == ["claude"] * 2


# --- what it may do ---

FOREIGN = "python3 -c pass"  # a command that no rule allows


@pytest.mark.long
def test_what_nobody_is_there_to_permit_pauses_where_nothing_came_of_the_turn(world):
    start_loop(world)

    said = world.loop("run", script=[runs(FOREIGN), says(NOT_YET)])

    assert said.code == 7, said.out
    assert f"✗ blocked: 1 call denied: Bash {FOREIGN}" in said.out
    assert (
        "[LOOP] ⏸ Paused: the agent was denied what it wanted to do, and changed nothing: Bash"
        in said.out
    )
    assert "nobody can answer a permission prompt here" in world.model.lane()[1].news
    assert (world.project.loop.pause.cause, counted_turns(world)) == ("denied", [True])


@pytest.mark.long
def test_it_is_only_told_where_something_did_and_the_next_turn_does_without(world):
    start_loop(world)
    script = [
        runs(FOREIGN),
        writes(world.path("notes.txt"), "so far\n"),
        says(NOT_YET),
        *fixes(world),
    ]

    said = world.loop("run", script=script)

    assert said.code == 0, said.out
    assert f"✗ blocked: 1 call denied: Bash {FOREIGN}" in said.out
    assert (
        f"No person is there to permit this, so do without: Bash {FOREIGN}"
        in world.model.lane()[3].text
    )
    assert is_proven(world, iterations=2)


@pytest.mark.long
def test_it_may_run_the_checks_that_we_run_and_what_the_person_allows(world):
    start_loop(world)
    script = [runs(CHECK), runs(FOREIGN), says(NOT_YET), *fixes(world)]

    said = world.loop("run", "--allow", f"Bash({FOREIGN})", script=script)

    assert said.code == 0, said.out
    assert FAILURE in world.model.lane()[1].news
    assert runner_reports(world, "denied_calls") == [None, None]
    assert is_proven(world, iterations=2)


# --- what it must not load ---


def hook(path) -> dict:
    """Settings with a hook that leaves a file behind, at the beginning and at the end."""
    entry = [{"hooks": [{"type": "command", "command": f"touch '{path}'"}]}]
    return {"hooks": {"SessionStart": entry, "Stop": entry}, "enableAllProjectMcpServers": True}


def burdened(world):
    """A person's settings and a repository's, all of which would run something."""
    left = {name: world.home / f"ran-{name}" for name in ("user", "project", "server")}
    server = {"command": "touch", "args": [str(left["server"])]}
    world.project.write(
        {
            ".claude/settings.json": json.dumps(hook(left["project"])),
            ".mcp.json": json.dumps({"mcpServers": {"tool": server}}),
            "CLAUDE.md": "The word of the project is quince.\n",
        }
    )
    (world.home / ".claude").mkdir(exist_ok=True)  # the plugin may keep data there
    (world.home / ".claude/settings.json").write_text(json.dumps(hook(left["user"])))
    (world.home / ".claude/CLAUDE.md").write_text("The word of the person is medlar.\n")
    return left


def test_nothing_of_the_person_or_the_repository_is_loaded_unasked(world):
    left = burdened(world)
    start_loop(world)

    said = world.loop("run", script=fixes(world))

    assert said.code == 0, said.out
    assert [name for name, path in left.items() if path.exists()] == []
    heard = world.model.lane()[0].text
    assert "Read first: CLAUDE.md." in heard
    assert ("quince" in heard, "medlar" in heard) == (False, False)


@pytest.mark.long
def test_what_is_asked_for_is_loaded(world):
    left = burdened(world)
    start_loop(world)

    said = world.loop("run", "--settings", "user,project", script=fixes(world))

    assert said.code == 0, said.out
    until(lambda: all(path.exists() for path in left.values()), lambda: f"{left}")
    heard = world.model.lane()[0].text
    assert ("quince" in heard, "medlar" in heard) == (True, True)
    assert "Read first" not in heard


@pytest.mark.long
@pytest.mark.parametrize("by", ["hand", "the plugin"])
def test_our_own_hooks_leave_the_agent_to_its_runner(world, by):
    if by == "hand":
        world.register_hook()
    else:
        claude(world, "plugin", "marketplace", "add", str(PLUGIN.parents[1]))
        claude(world, "plugin", "install", "loop@loopwright")
    start_loop(world)

    said = world.loop("run", "--settings", "user,local", script=[says(NOT_YET), *fixes(world)])

    assert said.code == 0, said.out
    logs = [path.read_text() for path in world.path(".loop/history").glob("*/logs/*")]
    assert ['"hook_event":"SessionStart"' in log for log in logs] == [True, True], "they are asked"
    assert len(world.model.lane()) == 3, "and hold nothing"
    assert [event["holder"].partition(":")[0] for event in world.project.events("LeaseTaken")] == [
        "runner"
    ]
    assert world.project.events("ForeignSessionSeen") == []
    assert is_proven(world, iterations=2)


# --- turns within turns ---


@pytest.mark.long
def test_a_turn_that_ends_twice_is_one_iteration(world):
    start_loop(world)
    latch = Latch(world.home)
    script = [latch.background_turn, says(f"It runs. {NOT_YET}"), *fixes(world)]
    running = world.launch_loop("run", *FREELY, script=script)
    log = world.path(LOG)
    until(lambda: log.exists() and '"type":"result"' in log.read_text(), lambda: running.out)
    assert counted_turns(world) == [], "a command still runs behind it"
    latch.open()

    said = running.wait()

    assert said.code == 0, said.out
    assert dollars(world) == [0.024], "four answers"
    assert is_proven(world, iterations=1)


@pytest.mark.long
def test_a_sub_agent_works_within_the_turn_and_is_paid_for(world):
    start_loop(world)
    script = [delegates("look at greet.py", "I send somebody."), *fixes(world)]

    said = world.loop(
        "run", script=script, agent=[runs("cat greet.py"), says(f"A comma is missing. {DONE}")]
    )

    assert said.code == 0, said.out
    assert [request.lane for request in world.model.requests] == [
        "main",
        "agent",
        "agent",
        "main",
        "main",
    ]
    assert dollars(world) == [0.03], "five answers"
    assert is_proven(world, iterations=1)
