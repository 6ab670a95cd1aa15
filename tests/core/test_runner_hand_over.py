"""Hand-over: from a session to the night and back; questions, words for the agent on its way, and the clock in between."""

import pytest

from loopwright.core import events as ev
from loopwright.core.directives import Continue, RunCheck
from loopwright.core.limits import Limits
from loopwright.core.loop import Lease, Step
from loopwright.views import board
from tests.support.builders import (
    SESSION,
    Story,
    a_colleague,
    a_loop_without_checks,
    answer,
    at_work,
    block,
    failed,
    order,
    prompt,
    turn,
)
from tests.support.night import (
    OTHER,
    Night,
    a_free_loop,
    runner_attached,
    runner_turn_over,
    turn_starting,
)

# --- Back to a session ---


def test_a_session_has_the_loop_back_in_the_morning():
    night = Night()
    night.whole_turn(cut_reason="the turn took longer than 60 min")
    night.tell(order("attach", session=SESSION))
    night.tell(prompt())

    first, second = at_work(night, "", "", checks={"tests pass": False})
    assert "cut off" not in second.prompt, "an old story"
    assert first.message.startswith("[LOOP] Iteration 3/10")
    assert night.loop.spend.iterations == 3


def test_after_a_denial_a_session_is_not_paused_for_it():
    night = Night()
    night.whole_turn(denied_calls=("Bash(npm install)",))
    night.tell(order("continue"))
    night.tell(order("attach", session=SESSION))
    night.tell(prompt())

    assert isinstance(night.turn(tree="tree-2", checks={"tests pass": False}), Continue)


def test_a_session_waits_for_no_limit_of_the_nights_agent():
    night = Night()
    night.whole_turn(usage_limited=True, limit_reset_at=9_000.0)
    assert "  waits until 1970-01-01 " in board.text(night.loop)
    night.tell(order("attach", session=SESSION))

    assert "waits until" not in board.text(night.loop)


# --- Questions ---


def colleague():
    return a_colleague(
        lease=Lease(),
        criteria=a_loop_without_checks("docs read well").criteria,
        steps=(Step("find it"), Step("fix it")),
    )


def test_nobody_is_asked_between_steps_or_at_the_end_of_the_night():
    night = Night(colleague())

    assert isinstance(night.whole_turn(block({}, "STEP_DONE: find it")), Continue)
    assert (
        night.whole_turn(block({"docs read well": True}, exit=True), "tree-2").reason == "complete"
    )
    assert night.events_of(ev.GateOpened) == []


def test_a_session_that_has_the_loop_again_is_asked_again():
    night = Night(colleague())
    night.whole_turn(block({}, "STEP_DONE: find it"))
    night.tell(order("attach", session=SESSION))
    night.tell(prompt())

    assert (
        night.turn(block({}, "STEP_DONE: fix it"), "tree-2").question
        == "Step fix it complete. Continue?"
    )
    night.tell(answer("yes"))
    assert (
        night.turn(block({"docs read well": True}, exit=True), "tree-3").question
        == 'The agent says "docs read well". No command has run. Accept its word?'
    )


def test_the_agents_own_question_is_asked_at_night_too():
    night = Night()

    assert night.whole_turn(block({}, "ASK: which port?")).question == "which port?"
    assert night.tell(runner_attached(session=OTHER)).question == "which port?"


# --- Words for the agent on its way ---

WORDS = "The person says: leave the database alone"


def test_a_word_is_heard_with_the_next_prompt_and_once():
    night = Night()
    night.tell(order("steer", reason="leave the database alone"))

    assert WORDS in night.begin().prompt
    assert WORDS not in night.end_turn(tree="tree-2").prompt
    assert WORDS not in night.begin().prompt


def test_a_word_that_is_given_during_a_turn_waits_for_the_next():
    night = Night()
    night.begin()
    night.tell(order("steer", reason="leave the database alone"))
    night.end_turn(tree="tree-2")

    assert WORDS in night.begin().prompt
    night.end_turn(tree="tree-3")
    assert WORDS not in night.begin().prompt


@pytest.mark.parametrize(
    "ending",
    [
        pytest.param(
            {"lost": True, "cut_reason": "the runner died in it"}, id="the runner died in it"
        ),
        pytest.param({"usage_limited": True, "limit_reset_at": 1_100.0}, id="it met a usage limit"),
        pytest.param({"api_failure": "overloaded"}, id="the API failed"),
    ],
)
def test_a_word_is_heard_again_where_its_turn_was_none(ending):
    night = Night()
    night.tell(order("steer", reason="leave the database alone"))
    night.whole_turn(**ending)

    assert WORDS in night.begin(at=5_000.0).prompt
    night.end_turn(tree="tree-2")
    assert WORDS not in night.begin().prompt


def test_a_word_given_while_a_question_is_open_is_not_lost_with_the_answer():
    night = Night()
    night.whole_turn(block({}, "ASK: which port?"))
    night.tell(order("steer", reason="leave the database alone"))
    night.tell(answer("8080"))

    prompted = night.begin().prompt
    assert "leave the database alone" in prompted
    assert "8080" in prompted


# --- The clock ---


def test_the_clock_runs_in_turns_and_checks_and_stands_still_while_nobody_drives():
    night = Night()  # begun at 1000, the runner came at 1010
    night.begin(at=2_000.0)
    night.end_turn(tree="tree-2", at=2_060.0)  # and the check took ten seconds
    assert night.loop.spend.seconds == 60.0
    night.begin(at=2_070.0)
    assert night.loop.spend.seconds == 70.0
    night.tell(order("pause").but(at=2_100.0))
    night.end_turn(at=2_105.0)
    night.tell(order("continue").but(at=9_000.0))
    night.tell(runner_attached(session=OTHER, at=20_000.0))
    night.tell(turn_starting(session=OTHER, at=20_001.0))

    assert night.loop.spend.seconds == 100.0
    assert night.loop.clock.running_since == 20_001.0


@pytest.mark.parametrize(
    "letting_go", [order("attach", session=SESSION), order("detach")], ids=["attach", "detach"]
)
def test_the_clock_does_not_count_the_time_after_a_runner_was_killed(letting_go):
    night = Night()
    night.whole_turn(tree="tree-2", at=2_000.0)
    seconds = night.loop.spend.seconds
    night.tell(letting_go.but(at=30_000.0))
    night.tell(prompt())

    assert night.loop.lease.holder == SESSION
    assert night.loop.spend.seconds == seconds


def test_the_clock_does_not_count_the_time_in_which_a_loop_is_let_go():
    story = Story(a_free_loop(lease=Lease(SESSION)))
    story.tell(turn(at=1_060.0))
    story.tell(failed("tests pass"))
    story.tell(order("detach").but(at=1_100.0))
    story.tell(runner_attached(at=30_000.0))
    story.tell(turn_starting(at=30_001.0))

    assert story.loop.spend.seconds == 100.0


# --- A pause that cuts checks off ---


def paused_in_its_checks() -> Night:
    """The one iteration is used up, and the checks of its claim have begun."""
    night = Night(a_free_loop(limits=Limits(iterations=1)))
    night.begin()
    night.tell_only(runner_turn_over(block({"tests pass": True}, exit=True)))
    night.tell_only(order("pause"))
    return night


def test_a_used_up_limit_does_not_keep_a_runner_from_checks_that_were_cut_off():
    night = paused_in_its_checks()
    assert "Resume: `loop run --continue`\n" in f"{night.directive.message}\n"
    night.tell_only(order("continue"))

    assert isinstance(night.tell_only(runner_attached(session=OTHER)), RunCheck)
    night.tell_only(failed("tests pass"))
    assert (night.loop.status, night.loop.pause.cause) == ("paused", "iterations")
    assert night.tell_only(order("continue")).message.startswith("iteration limit of 1 reached")


def test_a_used_up_limit_holds_a_session_whose_agent_would_have_a_turn():
    night = paused_in_its_checks()
    night.tell_only(order("attach", session=SESSION))

    said = night.tell_only(order("continue", agent_informed=True))
    assert said.message.endswith("Raise it: `loop continue --iterations=10`")


def test_words_of_a_person_go_to_the_agent_before_checks_that_were_cut_off():
    night = paused_in_its_checks()
    night.tell_only(order("steer", reason="use less memory"))
    night.tell_only(order("continue", iterations=1))

    assert isinstance(night.tell_only(runner_attached(session=OTHER)), Continue)
    assert "use less memory" in night.tell_only(turn_starting(session=OTHER)).prompt
    night.tell_only(runner_turn_over("working", session=OTHER))
    night.tell_only(order("pause"))
    assert night.loop.round_to_finish.claimed == (), "that of the new turn"
