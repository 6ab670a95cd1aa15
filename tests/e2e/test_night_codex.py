"""`loop run` with the real Codex: what its tokens cost, its limits by the clock on the wall, its fence, what it must not load."""

from __future__ import annotations

import hashlib
import json
import time

import pytest

from tests.e2e.codex import CONFIG
from tests.e2e.night import FRESH, counted_turns, dollars, fixes, is_proven, runner_reports
from tests.e2e.session_steps import NOT_YET, start_loop
from tests.e2e.turn import hits_limit, runs, says
from tests.e2e.waiting import until
from tests.e2e.world import FAILURE

pytestmark = pytest.mark.clients
RUN = ("run", "--agent", "codex")
PRICED = (*RUN, "--model", "gpt-5.5")


@pytest.fixture(autouse=True)
def _here(codex):
    """The program is."""


def priced(world) -> None:
    """A dollar for a million tokens of input, ten for the output: $0.002 an answer."""
    assert world.loop("config", "prices.gpt-5.5", "1/10/0.1/1").code == 0


# --- money ---


@pytest.mark.long
def test_a_kept_context_goes_on_in_its_session_and_pays_nothing_twice(world):
    priced(world)
    start_loop(world)

    said = world.loop(
        *PRICED, "--keep-context", script=[says(f"I look first. {NOT_YET}"), *fixes(world)]
    )

    assert said.code == 0, said.out
    assert len(set(runner_reports(world, "session"))) == 1
    second = world.model.lane()[1]
    assert "I look first." in second.text
    assert (FRESH in second.text, FRESH in second.news) == (True, False)
    assert FAILURE in second.news
    assert runner_reports(world, "tokens") == [[1000, 0, 0, 100], [3000, 0, 0, 300]], (
        "they count on"
    )
    assert dollars(world) == [0.002, 0.004]
    assert is_proven(world, iterations=2)


@pytest.mark.long
def test_one_call_that_fails_again_and_again_ends_the_turn(world):
    start_loop(world)

    said = world.loop(*RUN, script=lambda number, _: runs("exit 3"))

    assert (said.code, world.project.loop.pause.cause) == (4, "same-error"), said.out
    assert [event["breaker"] for event in world.project.events("TurnBroken")] == ["same-error"] * 2
    assert len(world.model.lane()) <= 8


@pytest.mark.long
def test_without_a_price_it_says_that_the_cost_is_unknown(world):
    start_loop(world)

    said = world.loop(*RUN, script=[says(NOT_YET), *fixes(world)])

    assert said.code == 0, said.out
    assert (
        "[LOOP] codex tells no dollars: for it only iterations and minutes are a bound" in said.out
    )
    assert "[LOOP] Iteration 2/10 | Cost: unknown/$25 |" in said.out
    assert "iterations of 10, unknown of $25" in world.loop("report").out


@pytest.mark.long
def test_a_turn_may_go_beyond_the_budget_and_is_the_last(world):
    priced(world)
    start_loop(world, "--budget=0.01")

    said = world.loop(*PRICED, script=[runs("true", usage={"output_tokens": 1000}), says(NOT_YET)])

    assert said.code == 2, said.out
    assert (
        "[LOOP] codex takes no budget for a turn: one turn may go beyond what is left" in said.out
    )
    assert "[LOOP] ⏸ Paused: budget of $0.01 reached ($0.01 spent)" in said.out
    assert dollars(world) == [0.013]


# --- limits ---


@pytest.mark.long
def test_a_usage_limit_until_this_very_minute_is_waited_for_a_moment_and_is_no_iteration(world):
    """Codex names no seconds: the minute that it names has begun already."""
    start_loop(world)

    def script(number, _):
        return [runs("true"), hits_limit(time.time()), *fixes(world)][number - 1]

    said = world.loop(*RUN, script=script)

    assert said.code == 0, said.out
    assert "⏳ 0:0" in said.out
    assert " | codex: You’ve hit your usage limit." in said.out
    assert counted_turns(world) == [False, True]
    assert is_proven(world, iterations=1)


@pytest.mark.long
def test_a_usage_limit_for_longer_than_anybody_wants_to_wait_pauses(world):
    assert world.loop("config", "limits.wait", "30").code == 0
    start_loop(world)

    said = world.loop(*RUN, script=[hits_limit(time.time() + 3600)])

    assert said.code == 4, said.out
    assert "[LOOP] ⏸ Paused: codex: You’ve hit your usage limit." in said.out
    assert "over the 30 of limits.wait" in said.out
    assert counted_turns(world) == [False]


# --- what it may do ---


@pytest.mark.long
def test_it_writes_in_the_project_and_not_into_its_git(world):
    start_loop(world)
    script = [runs("touch within.txt; touch .git/within.txt"), says(NOT_YET), *fixes(world)]

    said = world.loop(*RUN, script=script)

    assert said.code == 0, said.out
    assert (world.path("within.txt").exists(), world.path(".git/within.txt").exists()) == (
        True,
        False,
    )
    assert "Read-only file system" in world.model.lane()[1].news
    assert is_proven(world, iterations=2)


# --- what it must not load ---


def trusted(source: object, command: str) -> str:
    """The person has looked at this hook and lets it run: so Codex writes it down."""
    handler = {"type": "command", "command": command, "timeout": 600, "async": False}
    text = json.dumps(
        {"event_name": "stop", "hooks": [handler]}, sort_keys=True, separators=(",", ":")
    )
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f'[hooks.state."{source}:stop:0:0"]\ntrusted_hash = "sha256:{digest}"\nenabled = true\n'


def burdened(world):
    """A person's config and that of a repository which they trust: all of it would run something."""
    own = world.home / "own"
    names = (
        "hook of the person",
        "hook of the project",
        "server of the person",
        "server of the project",
        "notifier",
    )
    left = {name: world.home / f"ran-{name.replace(' ', '-')}" for name in names}
    config = [f'notify = ["touch", "{left["notifier"]}"]\n', CONFIG.format(url=world.model.url)]
    config += [f'[projects."{world.project.root}"]\ntrust_level = "trusted"\n']
    own.mkdir()
    for whose, folder in (("person", own), ("project", world.path(".codex"))):
        command = f"touch '{left[f'hook of the {whose}']}'"
        folder.mkdir(exist_ok=True)
        (folder / "hooks.json").write_text(
            json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})
        )
        config += [trusted(folder / "hooks.json", command)]
        server = f'[mcp_servers.{whose}]\ncommand = "touch"\nargs = ["{left[f"server of the {whose}"]}"]\n'
        (folder / "config.toml").write_text(server)
    (own / "config.toml").write_text("\n".join([*config, (own / "config.toml").read_text()]))
    return left, {"CODEX_HOME": str(own)}


@pytest.mark.long
def test_nothing_of_the_person_or_the_repository_is_loaded_unasked(world):
    left, env = burdened(world)
    start_loop(world)

    said = world.loop(*RUN, script=fixes(world), env=env)

    assert said.code == 0, said.out
    assert [name for name, path in left.items() if path.exists()] == []


@pytest.mark.long
def test_what_is_asked_for_is_loaded(world):
    left, env = burdened(world)
    start_loop(world)

    said = world.loop(*RUN, "--settings", "user,project", script=fixes(world), env=env)

    assert said.code == 0, said.out
    until(lambda: all(path.exists() for path in left.values()), lambda: f"{left}")
