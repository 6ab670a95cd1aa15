"""A loop played by a script: the engine decides, the clock is only counted."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.core.criteria import Check, Criterion
from loopwright.core.directives import Move
from loopwright.core.engine import advance
from loopwright.core.events import LoopStarted
from loopwright.core.limits import Limits
from loopwright.core.loop import Gate, Loop
from loopwright.core.record import Record
from loopwright.core.signals import Signal
from loopwright.drive import simulation
from loopwright.drive.simulation import PlayedTurn, Script, ScriptedTurn, Simulation
from loopwright.views.replay import replay_moves
from tests.support.builders import a_discovery_loop, a_loop, with_check
from tests.support.plan_stories import a_plan_loop

WORKS, DONE = ScriptedTurn(dollars=0.5), ScriptedTurn(done=True, dollars=0.5)
LIAR = ScriptedTurn(done=True, fails=("*",), dollars=0.5)


def play(loop: Loop, *turns: ScriptedTurn, **script: Any) -> tuple[Loop, list[PlayedTurn]]:
    night = Simulation(loop, Script(turns, **script))
    rows = list(night.play_turns())
    return night.loop, rows


def test_an_honest_agent_is_proven_as_soon_as_its_checks_pass() -> None:
    loop, rows = play(a_loop(), WORKS, WORKS, DONE)
    assert loop.verdict is not None
    assert loop.verdict.proven
    assert [row.results for row in rows] == [(("tests pass", False),)] * 2 + [
        (("tests pass", True),)
    ]
    assert (loop.spend.iterations, loop.spend.dollars, loop.spend.seconds) == (3, 1.5, 180.0)


@pytest.mark.parametrize(
    ("act", "limits", "cause"),
    [
        (LIAR, {}, "stuck"),
        (ScriptedTurn(idle=True, say="I am on it"), {}, "idle"),
        (ScriptedTurn(error="ENOENT: no such file"), {}, "same-error"),
        (ScriptedTurn(edits=(("src/a.py", 6),)), {}, "same-file"),
        (WORKS, {"stuck": 99, "dollars": 2.0}, "budget"),
        (WORKS, {"stuck": 99}, "iterations"),
        (ScriptedTurn(seconds=3600.0), {"stuck": 99}, "clock"),
        (ScriptedTurn(limit=3600.0), {"wait": 100}, "limit"),
        (ScriptedTurn(fail="overloaded"), {"wait": 10}, "limit"),
        (ScriptedTurn(say="---LOOP_STATUS---\nBLOCKED: no key\n---END_STATUS---"), {}, "blocked"),
    ],
)
def test_every_kind_of_bad_night_ends_in_the_pause_that_it_would_end_in(
    act: ScriptedTurn, limits: dict[str, Any], cause: str
) -> None:
    loop, _ = play(a_loop(limits=Limits(**limits)), act)
    assert (loop.status, loop.pause.cause) == ("paused", cause)


def test_a_usage_limit_costs_hours_on_the_counted_clock_and_no_iteration() -> None:
    loop, rows = play(a_loop(), ScriptedTurn(limit=7200.0), DONE)
    assert loop.status == "finished"
    assert len(rows) == 2
    assert loop.spend.iterations == 1
    assert loop.run is not None
    assert loop.run.waited_seconds == 7200.0


def test_the_question_of_the_start_is_answered_and_others_wait_for_the_script() -> None:
    asks = ScriptedTurn(say="---LOOP_STATUS---\nASK: which port?\n---END_STATUS---")
    begun = a_loop(status="asking", gate=Gate("G1", "Proceed?"), running_since=0.0)
    assert play(begun, asks, DONE)[0].gate == Gate("ask", "which port?")
    assert play(begun, asks, DONE, answers=("8080",))[0].status == "finished"


def test_a_must_not_comes_true_only_where_the_script_says_so() -> None:
    guarded = a_loop(must_not=(Criterion("vendor changed", Check("false")),))
    assert play(guarded, DONE)[0].status == "finished"
    assert play(guarded, ScriptedTurn(fails=("vendor*",)))[0].pause.cause == "must-not"


def test_a_plan_is_played_task_by_task_with_its_retries_and_its_fixes() -> None:
    trips = ScriptedTurn(when=("src/02.py",), done=True, fails=("02.*",))
    loop, rows = play(a_plan_loop(), DONE, trips)
    assert (loop.pause.cause, [row.tasks for row in rows]) == ("parked", [("01",), *[("02",)] * 4])

    loop, rows = play(
        a_plan_loop(), ScriptedTurn(done=True, fails=("artifact src/01.py",)), DONE, DONE, DONE
    )
    assert loop.verdict is not None
    assert loop.verdict.proven
    loop, rows = play(
        a_plan_loop(), *[ScriptedTurn(done=True, fails=("artifact src/01.py",))] * 3, DONE
    )
    assert rows[-1].tasks == ("stub:src/01.py",)
    assert loop.status == "finished"


def test_a_discovery_loop_ends_when_it_finds_nothing_more() -> None:
    loop, rows = play(
        a_discovery_loop(guards=("tests pass",)),
        ScriptedTurn(found=("a",)),
        ScriptedTurn(fixed=("a",)),
        ScriptedTurn(say="no more"),
    )
    assert loop.status == "finished"
    assert len(rows) == 5
    broken, _ = play(
        a_discovery_loop(guards=("tests pass", "lint")), ScriptedTurn(), passing=("lint",)
    )
    assert broken.pause.cause == "stuck"


def test_a_script_in_which_no_turn_counts_ends_all_the_same(monkeypatch) -> None:
    monkeypatch.setattr(simulation, "MAX_TURNS", 50)
    loop, rows = play(a_loop(limits=Limits(wait=1e9)), ScriptedTurn(limit=1.0))
    assert len(rows) == 50
    assert loop.status == "running"


acts = st.builds(
    ScriptedTurn,
    done=st.booleans(),
    fails=st.sampled_from(((), ("tests pass",), ("*",))),
    idle=st.booleans(),
    error=st.sampled_from(("", "", "boom", "bang")),
    dollars=st.sampled_from((0.0, 0.3, 1.0)),
    seconds=st.sampled_from((10.0, 900.0)),
)
tight = st.fixed_dictionaries(
    {},
    optional={
        "iterations": st.integers(1, 9),
        "dollars": st.sampled_from((0.5, 1.0, 4.0)),
        "minutes": st.sampled_from((1.0, 31.0)),
        "stuck": st.integers(1, 5),
        "idle": st.integers(1, 3),
        "same_error": st.integers(1, 3),
    },
)


def night(loop: Loop, turns: list[ScriptedTurn]) -> tuple[list[tuple[Record, ...]], Loop]:
    """What its journal would hold, and where it ended."""
    events: list[Record] = []

    def kept(loop: Loop, signal: Signal) -> Move:
        move = advance(loop, signal)
        events.extend(move.events)
        return move

    with patch.object(simulation, "advance", kept):
        player = Simulation(loop, Script(tuple(turns)))
        first = player.loop
        list(player.play_turns())
    return [(LoopStarted(first),), tuple(events)], player.loop


@settings(deadline=None)
@given(st.lists(acts, min_size=1, max_size=12), tight)
def test_a_replay_says_what_the_same_agent_comes_to_under_other_limits(
    turns: list[ScriptedTurn], limits: dict[str, Any]
) -> None:
    """The agent of a script does not listen, so a replay of its record can be held against the night itself."""
    wide = a_loop(
        criteria=(with_check("tests pass"), with_check("lint")), limits=Limits(30, 99.0, 9_999)
    )
    record, end = night(wide, turns)
    assert replay_moves(record, {}).loop == end
    again, real = (
        replay_moves(record, limits),
        night(wide.but(limits=wide.limits.but(**limits)), turns)[1],
    )
    assert (again.loop.status, again.loop.pause.cause, again.loop.pause.why) == (
        real.status,
        real.pause.cause,
        real.pause.why,
    )
    assert again.loop.spend == real.spend
    assert again.outcome_known
    assert bool(again.diverged_at) == (
        (real.status, real.pause.cause) != (end.status, end.pause.cause) or real.spend != end.spend
    )
