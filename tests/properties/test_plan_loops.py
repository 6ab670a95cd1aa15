"""What must hold for every plan, in a session or under a runner, whatever an agent reports and whatever a person says."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.core.directives import Continue
from loopwright.core.json_text import dumps, loads
from loopwright.core.plan.events import TaskFailed, TaskFinished
from loopwright.core.plan.plan import criterion_names
from loopwright.core.prompts.parts import MAX_PROMPT
from loopwright.core.record import decode, encode
from loopwright.core.signals import Answered, ClientEvent, LaneMerged, Ordered
from loopwright.core.status import ENDED
from tests.support.random_stories import Choices, any_plan_loop, runner_story, session_story
from tests.torture.size import size

pytestmark = pytest.mark.plans

MAX_SAID = 12_000  # of what a person is shown at once
WORK = (
    "<task id=",
    "<strategy>",
    "not claimed yet",
    '"assumption" does not count',
    "The person says",
    "End your turn now; then it continues.",
)
fates = st.binary(min_size=260, max_size=260).map(Choices)


def told(loop, fate):
    """Every move of a day, or of a night."""
    return fate.pick((session_story, runner_story))(loop, fate)


@settings(max_examples=size(commit=12, long=40))
@given(any_plan_loop(), fates)
def test_the_journal_alone_rebuilds_the_loop(loop, fate):
    folded = None
    for before, _, move in told(loop, fate):
        folded = folded or before
        for event in move.events:
            folded = decode(loads(dumps(encode(event)))).apply(folded)
        assert folded == move.loop


# --- What holds after every move ---


def what_is_worked_on_at_once_shares_no_file_and_is_not_done(before, one, move):
    plan = move.loop.plan
    given = plan.assigned if plan.stage == "execute" else ()
    assert not share(plan, given)
    assert not share(plan, plan.running_tasks)
    assert not {*plan.done} & {*given, *plan.running_tasks}


def share(plan, tasks):
    paths = [path for task in tasks for path in plan.task(task).paths]
    return len(paths) != len({*paths})


def nothing_is_done_or_parked_twice_and_nothing_is_both(before, one, move):
    plan = move.loop.plan
    settled = (*plan.done, *plan.parked)
    assert len({*settled}) == len(settled)


def no_task_is_done_while_what_we_ran_last_speaks_against_it(before, one, move):
    for event in move.events:
        if isinstance(event, TaskFinished) and not isinstance(one, LaneMerged):
            mine = criterion_names(move.loop.plan.task(event.task))
            proofs = [
                c.proof
                for c in move.loop.criteria
                if c.name in mine and c.check and c.check.allowed
            ]
            assert all(proof and proof.passed for proof in proofs)


def nobody_is_sent_on_beyond_a_limit(before, one, move):
    """An agent that stops again while its last turn is still judged has had a turn that nobody gave it: that one counts too."""
    now, plan = move.loop, move.loop.plan
    again = (
        isinstance(one, Ordered | ClientEvent) and before.status == "running"
    )  # who works already is told again
    if isinstance(move.directive, Continue) and move.directive.prompt and not again:
        assert now.spend.iterations < now.limits.iterations
        assert now.spend.dollars < now.limits.dollars
    if [lane for lane in plan.lanes if lane not in before.plan.lanes]:
        assert now.spend.iterations + len(plan.lanes) <= now.limits.iterations
        assert (
            sum(lane.reserved_dollars for lane in plan.lanes)
            <= now.limits.dollars - now.spend.dollars + 1e-9
        )
    assert now.run is None or now.run.waited_seconds <= now.limits.wait * 60


def it_is_finished_only_when_nothing_that_can_be_checked_fails(before, one, move):
    now = move.loop
    if before.status in ENDED:
        assert now == before
    elif now.status == "finished":
        assert not [
            c.name
            for c in now.criteria
            if c.check and c.check.allowed and not (c.proof and c.proof.passed)
        ]
        assert not now.unmet_criteria
        assert not now.plan.gaps
        assert {*now.plan.done} == {task.id for task in now.plan.tasks}
        assert not now.verdict.proven or all(c.proof.by == "loop" for c in now.criteria)


def every_prompt_has_something_to_do(before, one, move):
    if isinstance(move.directive, Continue) and move.directive.prompt:
        assert len(move.directive.prompt) <= MAX_PROMPT
        lanes = move.loop.headless_run and move.loop.headless_run.lanes
        if move.loop.status != "running":  # the person talks at a gate, or has said no
            assert "Do not continue the work" in move.directive.prompt
            return
        assert lanes or any(words in move.directive.prompt for words in WORK)


def every_pause_has_a_reason_and_every_word_is_bounded(before, one, move):
    now = move.loop
    assert now.status != "paused" or (now.pause.cause and now.pause.why.strip(" :;,"))
    assert now.status != "asking" or now.gate.question
    assert len(move.directive.message) <= MAX_SAID


ALWAYS = (
    what_is_worked_on_at_once_shares_no_file_and_is_not_done,
    nothing_is_done_or_parked_twice_and_nothing_is_both,
    no_task_is_done_while_what_we_ran_last_speaks_against_it,
    nobody_is_sent_on_beyond_a_limit,
    it_is_finished_only_when_nothing_that_can_be_checked_fails,
    every_prompt_has_something_to_do,
    every_pause_has_a_reason_and_every_word_is_bounded,
)


@given(any_plan_loop(), fates)
def test_after_every_move_all_of_them_hold(loop, fate):
    for moved in told(loop, fate):
        for holds in ALWAYS:
            holds(*moved)


# --- What holds in the long run ---


@settings(max_examples=size(commit=15, long=50))
@given(any_plan_loop(), fates)
def test_attempts_are_bounded_between_two_words_of_a_person(loop, fate):
    failed = {}
    for _, one, move in told(loop, fate):
        if isinstance(one, Ordered | Answered):
            failed = {}
        for event in move.events:
            if isinstance(event, TaskFailed):
                failed[event.task] = failed.get(event.task, 0) + 1
        assert all(times <= move.loop.plan.retries + 1 for times in failed.values())
        assert move.loop.plan.fix_rounds <= move.loop.plan.max_fix_rounds


@settings(max_examples=size(commit=15, long=50))
@given(any_plan_loop(), fates)
def test_whoever_goes_on_for_ever_is_let_go_in_the_end(loop, fate):
    """An agent that answers every prompt, and nobody who raises a limit."""
    loop, number = loop.but(gates_enabled=False), 0
    for _, _, move in session_story(loop, fate, alone=True):
        number += 1
        loop = move.loop
    assert loop.status in ("finished", "paused", "asking")
    assert number < 2_000
