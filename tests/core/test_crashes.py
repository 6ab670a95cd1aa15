"""The process of an agent dies: three attempts with a growing wait, then another agent, then a pause."""

from __future__ import annotations

from typing import Any

import pytest

from loopwright.core.directives import Continue, Stop, Wait
from loopwright.core.events import CheckRan
from loopwright.core.limits import Limits
from loopwright.core.runner.events import AgentCrashed, WaitStarted
from tests.support.builders import TREE
from tests.support.night import RUNNER, Night, a_free_loop, runner_attached

DIED = {"crashed": True, "api_failure": "claude was killed by SIGSEGV and said nothing"}


def crash(night: Night, **facts: Any) -> Any:
    directive = night.whole_turn(**{**DIED, **facts})
    if isinstance(directive, Wait):
        night.now = directive.until
    return directive


def test_a_crash_is_tried_again_twice_and_then_pauses() -> None:
    night = Night()
    waits = [crash(night), crash(night)]
    last = crash(night)

    assert [type(one) for one in waits] == [Wait, Wait]
    started = [event.until - event.at for event in night.events if isinstance(event, WaitStarted)]
    assert started == [10.0, 20.0]
    assert isinstance(last, Stop)
    assert (night.loop.status, night.loop.pause.cause) == ("paused", "crash")
    assert night.loop.pause.why == (
        "claude was killed by SIGSEGV and said nothing (attempt 3 of 3)"
    )
    assert night.loop.spend.iterations == 0
    assert len([event for event in night.events if isinstance(event, AgentCrashed)]) == 3


def test_a_turn_that_goes_well_makes_the_count_begin_anew() -> None:
    night = Night()
    crash(night)
    crash(night)
    night.whole_turn(tree="tree-2")

    assert night.run.crashes == ()
    assert isinstance(crash(night), Wait)


def test_a_runner_that_continues_a_wait_counts_on_and_one_that_a_person_starts_does_not() -> None:
    """A worker of the fleet gives a job back while it waits; whoever takes it next must not try for ever."""
    night = Night()
    attached = runner_attached(session=RUNNER, keeps_crashes=True)
    for number in (1, 2):
        crash(night)
        night.tell(attached.but(at=night.now))
        assert night.run.crashes == (("claude", number),)
    night.tell(attached.but(at=night.now, keeps_crashes=False))
    assert night.run.crashes == ()


def test_a_pause_ends_the_count_for_a_worker_too() -> None:
    night = Night()
    attached = runner_attached(session=RUNNER, keeps_crashes=True)
    for _ in range(3):
        crash(night)
        night.tell(attached.but(at=night.now))
    assert night.loop.status == "paused"
    assert night.run.crashes == ()


def test_the_first_agent_gets_its_three_attempts_before_the_second() -> None:
    night = Night(None, "claude", "codex")
    agents = []
    for _ in range(4):
        night.begin()
        agents.append(night.run.agent)
        directive = night.end_turn(**DIED)
        if isinstance(directive, Wait):
            night.now = directive.until

    assert agents == ["claude", "claude", "claude", "codex"]


def test_who_died_three_times_is_not_asked_again_while_another_works() -> None:
    night = Night(None, "claude", "codex")
    for _ in range(3):
        directive = crash(night)
    assert isinstance(directive, Continue)
    assert directive.message == (
        "[LOOP] claude was killed by SIGSEGV and said nothing (attempt 3 of 3). codex continues."
    )

    night.whole_turn(tree="tree-2", at=90_000.0)
    night.begin(at=90_001.0)
    assert night.run.agent == "codex"


def test_a_crash_ends_the_session_that_was_kept() -> None:
    night = Night()
    night.whole_turn(own="session-1", tree="tree-2")
    crash(night, own="session-1")

    assert night.run.session == ""


def test_the_number_of_attempts_is_a_setting() -> None:
    night = Night(a_free_loop(limits=Limits(crashes=1)))

    assert isinstance(crash(night), Stop)


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        pytest.param("claude ended with exit code 1: invalid api key", "trouble", id="locked out"),
        pytest.param("claude ended with exit code 1: ECONNRESET", "", id="the network"),
    ],
)
def test_a_crash_whose_words_say_more_is_treated_by_its_words(words: str, cause: str) -> None:
    night = Night()
    crash(night, api_failure=words)

    assert (night.loop.pause.cause, night.run.crashes) == (cause, ())


EXITED = {"crashed": True, "exit_code": 1, "api_failure": "the command ended with exit code 1"}
DONE = "---LOOP_STATUS---\nEXIT_SIGNAL: true\n---END_STATUS---"


@pytest.mark.parametrize(
    ("text", "tree"),
    [("", "tree-2"), (DONE, "tree-2"), (DONE, TREE)],
    ids=["it changed files", "it changed files and claims the end", "it claims the end"],
)
def test_a_turn_that_worked_is_checked_whatever_its_exit_code(text: str, tree: str) -> None:
    night = Night()
    night.whole_turn(text, tree, **EXITED, checks={"tests pass": True})

    assert any(isinstance(event, CheckRan) for event in night.events)
    assert night.loop.spend.iterations == 1
    assert (night.run.crashes, night.run.waiting_until) == ((), 0.0)


def test_the_next_turn_is_told_of_the_exit_code() -> None:
    night = Night()
    night.whole_turn("", "tree-2", **EXITED)

    assert "The last turn was cut off: the command ended with exit code 1." in night.begin().prompt


@pytest.mark.parametrize(
    "facts",
    [
        {**EXITED, "tree": TREE},
        {**EXITED, "exit_code": 127, "tree": "tree-2"},
        {**EXITED, "exit_code": 137, "tree": "tree-2"},
        {**EXITED, "exit_code": -11, "tree": "tree-2"},
    ],
    ids=["it did nothing", "it could not start", "its shell says killed", "it was killed"],
)
def test_a_process_that_died_is_a_crash(facts: dict[str, Any]) -> None:
    night = Night()

    assert isinstance(crash(night, **facts), Wait)
    assert night.run.crashes == (("claude", 1),)
