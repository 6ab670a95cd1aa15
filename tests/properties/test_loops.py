"""What must hold for every loop, whatever happens to it."""

from itertools import chain, repeat

from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.core.directives import Continue, Stop
from loopwright.core.status import ENDED, TRANSITIONS
from tests.support.strategies import (
    LoopTeller,
    Reply,
    answers,
    client_events,
    edits,
    happenings,
    loops,
    lost_mirrors,
    moves,
    must_stay_within_bounds,
    orders,
    rebuilt_loops,
    turns,
    weighted_choice,
    whatever_the_checks_say,
)
from tests.torture.size import size

many = st.lists(happenings, max_size=25)


@settings(max_examples=size(commit=15, long=200))
@given(loops(), many)
def test_the_journal_alone_rebuilds_the_loop(loop, said):
    assert all(folded == now for folded, now in rebuilt_loops(loop, said))


@given(loops(), many)
def test_the_status_changes_only_as_the_table_says(loop, said):
    folded = loop
    for _, _, move in moves(loop, said):
        for event in move.events:
            after = event.apply(folded)
            assert after.status == folded.status or after.status in TRANSITIONS[folded.status]
            folded = after


@given(loops(), many)
def test_what_ended_stays_ended(loop, said):
    for before, _, move in moves(loop, said):
        if before.status in ENDED:
            assert move.loop == before
            assert isinstance(move.directive, Stop)


@given(loops(), many)
def test_spend_and_rounds_and_fences_never_fall(loop, said):
    for before, _, move in moves(loop, said):
        after = move.loop
        assert after.spend.iterations >= before.spend.iterations
        assert after.spend.dollars >= before.spend.dollars
        assert after.spend.seconds >= before.spend.seconds
        assert after.rounds_started >= before.rounds_started
        assert after.lease.fence >= before.lease.fence
        assert after.dialogue.refuted_claims >= before.dialogue.refuted_claims


@given(loops(), many)
def test_only_the_person_raises_a_limit(loop, said):
    for before, one, move in moves(loop, said):
        raised = getattr(one, "order", "") == "continue"
        assert move.loop.limits == before.limits or raised
        assert move.loop.limits.iterations >= before.limits.iterations
        assert move.loop.limits.dollars >= before.limits.dollars


@given(loops(), many)
def test_a_loop_that_asks_has_a_question_and_no_other_has(loop, said):
    for _, _, move in moves(loop, said):
        assert bool(move.loop.gate) == (move.loop.status == "asking")


@given(loops(), many)
def test_the_clock_runs_only_while_the_loop_does(loop, said):
    for _, _, move in moves(loop, said):
        assert not move.loop.clock.running_since or move.loop.status == "running"


@given(loops(), many)
def test_no_prompt_is_longer_than_an_agent_can_be_sent(loop, said):
    for _, _, move in moves(loop, said):
        if isinstance(move.directive, Continue):
            assert 0 < len(move.directive.prompt) <= 9_000


@given(loops(), many)
def test_a_finished_loop_has_met_every_criterion(loop, said):
    for before, _, move in moves(loop, said):
        if move.loop.status == "finished" and before.status != "finished":
            assert move.loop.criteria
            assert not move.loop.unmet_criteria
            assert not [
                c
                for c in move.loop.criteria
                if c.check and c.check.allowed and not (c.proof and c.proof.passed)
            ]
            assert move.loop.verdict.proven == all(
                c.proof and c.proof.by == "loop" for c in move.loop.criteria
            )


@given(loops(), many)
def test_another_session_or_none_never_moves_a_bound_loop(loop, said):
    for before, one, move in moves(loop, said):
        session = getattr(one, "session", before.lease.holder)
        if (
            type(one).__name__ == "TurnOver"
            and session != before.lease.holder
            and (before.lease.holder or not session)
        ):
            assert move.loop.but(
                dialogue=move.loop.dialogue.but(foreign_sessions=())
            ) == before.but(dialogue=before.dialogue.but(foreign_sessions=()))


# --- Bounds ---

unraised = st.lists(
    weighted_choice(
        *[turns] * 6,
        edits,
        lost_mirrors,
        answers,
        client_events,
        orders("continue", "pause", "attach", raising=False),
    ),
    max_size=40,
)


@given(loops(), unraised, whatever_the_checks_say)
def test_every_loop_ends_or_pauses_within_its_bounds(loop, said, found):
    must_stay_within_bounds(loop, said, chain(found, repeat(Reply(False))))


@given(loops(), whatever_the_checks_say, st.sampled_from(("tree-1", "tree-2")))
def test_an_agent_that_never_gives_up_is_let_go(loop, found, tree):
    """The same turn for ever: after as many turns as the limit allows, nobody is held any more."""
    from loopwright.core.signals import Answered, TurnOver

    telling, results = LoopTeller(loop), chain(found, repeat(Reply(False)))
    telling.tell(Answered(0.0, "go on"))
    session = loop.lease.holder or "s1"
    for number in range(loop.limits.iterations):
        move = telling.tell(
            TurnOver(0.0, session, "on and on", tree=f"{tree}-{number}", tool_calls=1)
        )
        last, _ = telling.answer_all(move.directive, results)

    assert not isinstance((last or move).directive, Continue)
    assert telling.loop.status in ("paused", "asking", *ENDED)
