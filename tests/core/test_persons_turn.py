"""A person who types while the agent works has the turn: nothing is held or counted until it is given back."""

from __future__ import annotations

import pytest

from loopwright.core.directives import Ask, Continue, Stop
from loopwright.core.limits import Cursor
from loopwright.core.prompts.messages import (
    NEXT_PROMPT_NOTICE,
    PERSON_TURN_NOTICE,
    PERSON_TURN_PROMPT,
)
from tests.support.builders import Story, a_loop, an_asking_loop, order, prompt, session, turn

WORKING = {"tests pass": False}


def interrupted() -> Story:
    """A loop that holds its agent, and a person who asks something of their own meanwhile."""
    story = Story(a_loop())
    story.tell(prompt("go", prompt_id="p1"))
    story.turn("on it", "tree-2", checks=WORKING, prompt_id="p1")
    assert story.tell(prompt("what is the time?", prompt_id="p2")).prompt == PERSON_TURN_PROMPT
    return story


def test_the_persons_own_turn_is_neither_held_nor_counted():
    story = interrupted()

    assert story.tell(turn("It is noon.", "tree-3")) == Stop()
    assert (story.loop.spend.iterations, story.checks_run) == (1, ["tests pass"])


def test_what_the_agent_had_spent_before_is_counted_all_the_same():
    story = interrupted()

    story.tell(turn("It is noon.", "tree-3", dollars=0.5, cursors=(Cursor("transcript", 100),)))

    assert (story.loop.spend.iterations, story.loop.spend.dollars) == (1, 0.5)
    assert story.loop.tree == "tree-2"


def test_a_session_that_begins_meanwhile_says_whose_turn_it_is():
    story = interrupted()

    assert story.tell(session("start", source="compact")).message == PERSON_TURN_NOTICE


@pytest.mark.parametrize("informed", [True, False])
def test_a_continue_gives_the_turn_back(informed):
    story = interrupted()

    said = story.tell(order("continue", agent_informed=informed))

    assert isinstance(said, Continue)
    assert not story.loop.waits_for_person
    assert story.loop.dialogue.prompt_queued is not informed
    assert (NEXT_PROMPT_NOTICE in said.message) is not informed


def test_a_prompt_that_says_continue_gives_the_turn_back():
    story = interrupted()

    assert isinstance(story.tell(prompt("continue", prompt_id="p3")), Continue)
    assert not story.loop.waits_for_person


@pytest.mark.parametrize(("orders", "turn_id"), [((), "p2"), (("pause",), "p1")])
def test_a_command_of_ours_begins_a_held_turn_and_none_of_a_paused_loop(orders, turn_id):
    story = Story(a_loop())
    story.tell(prompt("go", prompt_id="p1"))
    story.turn("on it", "tree-2", checks=WORKING, prompt_id="p1")
    for word in orders:
        story.tell(order(word))

    assert story.tell(prompt("/loop:status", prompt_id="p2")) == Stop()
    assert story.loop.dialogue.prompt_id == turn_id


def test_a_session_that_was_resumed_answers_the_question():
    story = Story(an_asking_loop("G1"))
    story.tell(session("end"))

    story.tell(prompt("yes"))

    assert story.loop.status == "running"


def test_a_new_client_releases_the_turn_that_ended_with_the_old_one():
    story = Story(a_loop())
    story.tell(prompt("go", prompt_id="p1"))
    story.turn("on it", "tree-2", checks=WORKING, prompt_id="p1")
    assert story.loop.dialogue.turn_continued

    story.tell(session("start", source="resume"))

    assert not story.loop.dialogue.turn_continued


def test_a_gate_stays_open_for_a_turn_that_stops():
    story = Story(an_asking_loop("G1", "Shall I?"))

    assert story.tell(turn("I wait.")) == Ask("Shall I?", story.directive.message)
