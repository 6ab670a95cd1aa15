"""Usage limits and faults of the API: waited for within bounds, or another agent goes on; none of them is an iteration."""

from typing import Any

import pytest

from loopwright.core.directives import Continue, Stop, Wait
from loopwright.core.limits import Limits
from loopwright.core.runner.events import AgentLimited, TurnStarted, WaitStarted
from loopwright.core.runner.sandbox import READ_STATE, SandboxReport
from tests.support.builders import order
from tests.support.night import OTHER, Night, a_free_loop, runner_attached

TWO = ("claude", "codex")


def waiting(minutes: float, *agents: str) -> Night:
    return Night(a_free_loop(limits=Limits(wait=minutes)), *agents)


# --- How long ---


def test_a_usage_limit_is_waited_for_until_its_reset_and_is_no_iteration():
    night = Night()

    directive = night.whole_turn(dollars=0.1, usage_limited=True, limit_reset_at=2_800.0)

    words = "claude: its usage limit is reached"
    assert directive == Wait(2_800.0, words)
    assert (night.loop.spend.iterations, night.loop.spend.dollars, night.checks_run) == (0, 0.1, [])
    assert (night.loop.status, night.run.waiting_until, night.run.waiting_reason) == (
        "running",
        2_800.0,
        words,
    )
    assert isinstance(night.begin(at=2_801.0), Continue)
    assert (night.run.waiting_until, night.run.waiting_reason, night.run.waited_seconds) == (
        0.0,
        "",
        2_800.0 - 1_030.0,
    )


@pytest.mark.parametrize(
    "ending",
    [
        pytest.param({"usage_limited": True}, id="a limit without a reset"),
        pytest.param({"usage_limited": True, "limit_reset_at": 900.0}, id="a reset that has been"),
        pytest.param({"api_failure": "API Error: 529 overloaded"}, id="a fault that passes"),
        pytest.param({"api_failure": "503 come again"}, id="the API's own number"),
        pytest.param({"api_failure": "socket hang up"}, id="the network"),
    ],
)
def test_where_nobody_says_until_when_the_wait_doubles(ending):
    night = Night()
    waits = []
    for _ in range(9):
        directive = night.whole_turn(**ending)
        waits.append(directive.until - night.now)
        night.now = directive.until

    assert waits == [10, 20, 40, 80, 160, 320, 640, 900, 900]
    assert (night.loop.spend.iterations, night.loop.streak.transient, night.run.turns_started) == (
        0,
        0,
        9,
    )


def test_the_wait_begins_anew_after_a_turn_that_went_well():
    night = Night()
    night.whole_turn(api_failure="overloaded")
    night.whole_turn(api_failure="overloaded", at=2_000.0)
    night.whole_turn(tree="tree-2", at=3_000.0)

    assert night.whole_turn(api_failure="overloaded", at=4_000.0).until == 4_010.0


def test_a_reset_that_was_none_is_not_believed_again_and_again():
    night = Night()
    waits = []
    for _ in range(4):
        directive = night.whole_turn(
            usage_limited=True, limit_reset_at=night.now + 25.0
        )  # five seconds after the turn
        waits.append(directive.until - night.now)
        night.now = directive.until

    assert waits == [5, 20, 40, 80]


def test_a_night_of_faults_is_waited_through():
    """Two weeks are the most that limits.wait may be: over a thousand faults in a row."""
    night = waiting(14 * 24 * 60)
    while isinstance(directive := night.whole_turn(api_failure="overloaded"), Wait):
        night.now = directive.until

    assert (night.loop.pause.cause, night.run.turns_started > 1_300) == ("limit", True)


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        pytest.param("invalid api key", "blocked by invalid api key", id="blocking"),
        pytest.param(
            "I am a teapot", "unknown error, guidance needed: I am a teapot", id="unknown"
        ),
    ],
)
def test_a_fault_that_does_not_pass_pauses_at_once(failure, why):
    night = Night(None, *TWO)

    assert night.whole_turn(dollars=0.1, api_failure=failure).reason == why
    assert (night.loop.status, night.loop.pause.cause) == ("paused", "trouble")
    assert (night.loop.spend.iterations, night.loop.spend.dollars) == (0, 0.1)
    assert night.events_of(WaitStarted) == []


def test_a_usage_limit_is_one_whatever_its_words():
    night = Night()

    assert isinstance(
        night.whole_turn(
            api_failure="billing: you have hit your limit",
            usage_limited=True,
            limit_reset_at=1_500.0,
        ),
        Wait,
    )


# --- How long in all ---


def test_over_limits_wait_it_pauses_instead():
    night = waiting(10)
    night.whole_turn(usage_limited=True, limit_reset_at=1_330.0)  # five minutes

    directive = night.whole_turn(
        begun=1_335.0, usage_limited=True, limit_reset_at=1_940.0, at=1_340.0
    )  # and ten more

    assert (night.loop.status, night.loop.pause.cause) == ("paused", "limit")
    assert directive.reason == (
        "claude: its usage limit is reached. It would take 10 more minutes, over the 10 of limits.wait"
    )
    assert night.run.waited_seconds == 300.0
    assert directive.message.endswith("Resume: `loop run --continue`")


def test_after_limits_wait_continue_allows_as_much_again():
    night = waiting(10)
    night.whole_turn(usage_limited=True, limit_reset_at=1_330.0)
    night.whole_turn(begun=1_335.0, usage_limited=True, limit_reset_at=1_940.0, at=1_340.0)
    night.tell(order("continue"))
    night.tell(runner_attached(session=OTHER))

    assert (night.loop.status, night.run.waited_seconds) == ("running", 0.0)
    assert night.directive == Continue("")


def test_a_pause_for_another_reason_allows_no_more():
    night = waiting(10)
    night.whole_turn(usage_limited=True, limit_reset_at=1_330.0)
    night.begin(at=1_340.0)
    night.tell(order("pause"), order("continue"))

    assert night.run.waited_seconds == 300.0


# --- Another agent ---


def test_another_agent_goes_on_and_the_first_comes_back_when_its_reset_has_come():
    night = Night(None, *TWO)

    directive = night.whole_turn(usage_limited=True, limit_reset_at=2_000.0, dollars=0.1)
    assert directive == Continue("", "[LOOP] claude: its usage limit is reached. codex continues.")
    assert night.events_of(WaitStarted) == []
    night.whole_turn(tree="tree-2", at=1_100.0)
    night.whole_turn(tree="tree-3", at=2_100.0)
    night.begin(at=2_110.0)

    assert [event.agent for event in night.events_of(TurnStarted)] == [
        "claude",
        "codex",
        "codex",
        "claude",
    ]
    assert night.loop.spend.iterations == 2


def test_the_agents_are_asked_in_the_order_they_were_named_in():
    night = Night(None, "claude", "script", "codex")

    assert night.whole_turn(usage_limited=True, limit_reset_at=2_000.0).message.endswith(
        "script continues."
    )
    night.begin()
    assert night.run.agent == "script"


def test_when_none_can_work_all_wait_for_the_first_that_can():
    night = Night(None, *TWO)
    night.whole_turn(usage_limited=True, limit_reset_at=3_000.0)

    assert night.whole_turn(usage_limited=True, limit_reset_at=2_000.0).until == 2_000.0
    night.begin(at=2_000.0)
    assert night.run.agent == "codex"


def test_an_agents_own_session_and_tokens_do_not_go_to_another():
    night = Night(None, *TWO)
    night.whole_turn(tree="tree-2", own="claude-1", tokens=(5, 6))
    assert (night.run.session, night.run.tokens) == ("claude-1", (5, 6))
    night.whole_turn(usage_limited=True, limit_reset_at=9_000.0)
    night.begin()

    assert (night.run.agent, night.run.session, night.run.tokens) == ("codex", "", ())


# --- Runners that come and go while a wait is on ---


def test_a_runner_that_comes_while_a_wait_is_on_waits_on():
    night = Night()
    night.whole_turn(usage_limited=True, limit_reset_at=2_000.0)

    assert night.tell(runner_attached(session=OTHER)) == Wait(
        2_000.0, "claude: its usage limit is reached"
    )


def test_a_runner_that_comes_after_the_reset_begins_at_once():
    night = Night()
    night.whole_turn(usage_limited=True, limit_reset_at=2_000.0)

    assert night.tell(runner_attached(session=OTHER, at=2_001.0)) == Continue("")


def test_a_runner_with_another_agent_need_not_wait():
    night = Night()
    night.whole_turn(usage_limited=True, limit_reset_at=2_000.0)

    assert night.tell(runner_attached("claude", "codex")) == Continue("")
    night.begin()
    assert night.run.agent == "codex"


def test_a_runner_never_starts_an_agent_that_it_was_not_given():
    night = Night(None, *TWO)
    night.whole_turn(usage_limited=True, limit_reset_at=1_100.0)
    night.whole_turn(usage_limited=True, limit_reset_at=9_000.0)  # codex
    night.whole_turn(tree="tree-2", begun=1_200.0)  # claude again
    night.tell(runner_attached("codex"))
    night.begin()

    assert night.run.agent == "codex"


# --- The clock ---


def test_the_clock_stands_still_while_all_wait():
    night = Night()
    night.begin(at=2_000.0)
    night.end_turn(usage_limited=True, limit_reset_at=9_000.0, at=2_030.0)
    night.begin(at=9_000.0)
    night.end_turn(tree="tree-2", at=9_050.0)

    assert night.loop.spend.seconds == 80.0


def test_a_pause_during_a_wait_is_heard_by_the_next_turn():
    night = Night()
    night.whole_turn(usage_limited=True, limit_reset_at=2_000.0)
    night.tell(order("pause", reason="enough"))

    assert isinstance(night.begin(), Stop)
    assert (night.loop.status, night.loop.pause.why, len(night.events_of(AgentLimited))) == (
        "paused",
        "enough",
        1,
    )


# --- A share of the usage window that stays unused ---


def in_a_window(*agents: str, **facts: Any) -> Night:
    night = Night(a_free_loop(), *agents, leave=0.2)
    night.whole_turn("worked", "tree-2", window_used=0.85, window_reset_at=9_000.0, **facts)
    return night


def test_a_window_that_is_used_up_to_its_share_is_waited_for():
    night = in_a_window()

    directive = night.begin()

    assert isinstance(directive, Wait)
    assert directive.until == 9_000.0
    assert isinstance(night.begin(at=9_001.0), Continue)


def test_another_agent_works_while_the_window_of_one_is_reserved():
    night = in_a_window("claude", "codex")

    assert isinstance(night.begin(), Continue)
    assert night.run.agent == "codex"


# --- What the probe of a sandbox found ---


@pytest.mark.parametrize(("blocked", "hidden"), [("blocked", True), ("open", False)])
def test_held_out_checks_were_hidden_only_in_a_box_that_hides_them(blocked, hidden):
    report = SandboxReport("bwrap", ((READ_STATE, blocked),))
    night = Night(a_free_loop(), sandbox=report)

    assert night.run.sandbox == report
    assert night.run.always_hidden is hidden
