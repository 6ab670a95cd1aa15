"""Whatever somebody writes into state.json, it is a claim and no more."""

import json

from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.directives import RunCheck
from loopwright.core.engine import advance
from loopwright.core.signals import Claimed, Claims, MirrorLost, TurnOver
from loopwright.store import mirror, mirror_edits
from tests.support.builders import (
    a_loop,
    a_loop_without_checks,
    advance_past_hash,
    answer_to,
    failed,
    with_check,
    without_check,
)
from tests.support.strategies import NAMES, json_values, loops

LIES = st.sampled_from(
    (
        0,
        -1,
        1,
        999,
        1e9,
        True,
        False,
        None,
        "",
        "999",
        "completed",
        "in_progress",
        [],
        {},
        ["x"],
        {"stuckCount": 0},
        {"met": True},
    )
)
FIELDS = st.sampled_from(
    (*mirror.mirror_fields(a_loop()), "verdict", "proven", "pauseReason", "awaiting", "mine")
)
status_of_all = st.dictionaries(st.sampled_from(NAMES), st.booleans() | LIES | json_values)
changes = st.dictionaries(
    FIELDS, LIES | json_values | status_of_all | st.lists(st.text(), max_size=3), max_size=8
)
lie = st.just(
    {
        "criteriaStatus": dict.fromkeys(NAMES, True),
        "exit_signal": True,
        "status": "completed",
        "iteration": 0,
        "cost": 0,
    }
)


def edit(loop, changed, removed=()):
    found = {**json.loads(mirror.render_mirror(loop)), **changed}
    text = json.dumps({name: value for name, value in found.items() if name not in removed})
    return mirror_edits.read_edits(text.encode(), loop, 2_000.0)


@given(loops(), changes | lie, st.sets(FIELDS, max_size=4))
def test_no_edit_raises_a_limit_lowers_a_counter_or_moves_the_lease(loop, changed, removed):
    after = advance(loop, edit(loop, changed, removed)).loop

    assert after.limits == loop.limits
    assert after.spend.but(seconds=0.0) == loop.spend.but(seconds=0.0)
    assert after.spend.seconds >= loop.spend.seconds
    assert after.lease == loop.lease
    assert after.streak.but(recent_step_kinds=()) == loop.streak.but(recent_step_kinds=())
    assert (after.spec, after.must_not, after.shape, after.gates_enabled) == (
        loop.spec,
        loop.must_not,
        loop.shape,
        loop.gates_enabled,
    )
    assert [
        (c.name, c.check, c.proof and c.proof.by)
        for c in after.criteria
        if c.check and c.check.allowed
    ] == [(c.name, c.check, None) for c in loop.criteria if c.check and c.check.allowed]
    assert after.status in (loop.status, "paused")


@given(st.lists(changes | lie, min_size=1, max_size=3), st.sampled_from(("", "<loop-complete>")))
def test_no_edit_ends_a_loop_past_a_failing_check(edits, text):
    loop = a_loop(
        criteria=(
            with_check("tests pass"),
            without_check("docs read well"),
            without_check("lint clean"),
        )
    )
    for changed in edits:
        move = advance_past_hash(
            loop, edit(loop, changed), TurnOver(2_000.0, "s1", text, "tree-1", tool_calls=1)
        )
        while isinstance(move.directive, RunCheck):
            move = advance_past_hash(
                move.loop, answer_to(move.directive, failed(move.directive.criterion), 2_000.0)
            )
        loop = move.loop

    assert loop.status != "finished"
    assert loop.unmet_criteria[0] == "tests pass"


@given(st.lists(changes, max_size=3))
def test_an_edit_alone_is_at_best_reported(edits):
    loop = a_loop_without_checks(*NAMES[:2])
    for changed in edits:
        loop = advance_past_hash(
            loop, edit(loop, changed), TurnOver(2_000.0, "s1", "", "tree-1", tool_calls=1)
        ).loop

    assert loop.status != "finished" or (loop.verdict.proven, loop.verdict.name) in (
        (False, "MONITOR"),
        (False, "RESEARCH"),
    )


@given(loops(), json_values)
def test_any_json_can_be_read(loop, value):
    found = mirror_edits.read_edits(json.dumps(value).encode(), loop, 2_000.0)

    assert isinstance(found, Claimed | MirrorLost)
    assert advance(loop, found).loop.limits == loop.limits


@given(st.binary(max_size=200))
def test_any_bytes_can_be_read(data):
    assert isinstance(mirror_edits.read_edits(data, a_loop(), 2_000.0), Claimed | MirrorLost)


@given(loops(), changes)
def test_an_edit_is_put_back_and_says_nothing_a_second_time(loop, changed):
    after = advance(loop, edit(loop, changed)).loop

    assert mirror_edits.read_edits(mirror.render_mirror(after), after, 2_001.0) == Claimed(
        2_001.0, Claims()
    )


@given(
    loops(),
    st.dictionaries(
        st.text(min_size=1).filter(
            lambda name: (
                name not in (*mirror.mirror_fields(a_loop()), *mirror_edits.OPTIONAL_FIELDS)
            )
        ),
        json_values,
        max_size=4,
    ),
)
def test_fields_of_somebody_else_are_kept(loop, mine):
    after = advance(loop, edit(loop, mine)).loop
    shown = json.loads(mirror.render_mirror(after))

    assert {name: shown[name] for name in mine if name not in mirror.mirror_fields(after)} == {
        name: value for name, value in mine.items() if name not in mirror.mirror_fields(after)
    }
