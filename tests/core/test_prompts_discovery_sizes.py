"""Coaching, however much there is to say, and whatever was changed meanwhile: short, true, and whole where it must be."""

import pytest

from loopwright.core.engine import advance
from loopwright.core.limits import Streak
from loopwright.core.prompts import discovery, messages, parts
from tests.support.builders import (
    Story,
    a_discovery_loop,
    block,
    edit_backlog,
    order,
    proof,
    session,
    turn,
    with_check,
)

HUGE = "ä" * 50_000
GREEN = with_check("tests pass", proof=proof("tests pass"))
BROKEN = with_check("tests pass", proof=proof("tests pass", fine=False, detail="1 failed"))


def broken(many, name):
    """So many broken guards with much output."""
    names = [f"{name} {n}" for n in range(many)]
    return tuple(with_check(name, proof=proof(name, fine=False, detail=HUGE)) for name in names)


# --- What the prompt says fits the loop as it is, not as it was ---


def test_what_was_not_run_yet_is_not_called_broken():
    """The agent ends blocked on a new tree: no check has run there, and nobody knows."""
    story = Story(a_discovery_loop("a", criteria=(GREEN,)))

    paused = story.turn(block({}, "BLOCKED: no network"), "tree-2")

    assert "BROKEN" not in paused.message
    assert "Mend what is broken" not in story.tell(order("continue")).prompt


def test_a_guard_that_is_gone_is_not_to_be_mended():
    story = Story(a_discovery_loop("a", criteria=(BROKEN,), backlog={"mode": "repair"}))
    story.tell(order("pause"))
    story.tell(order("criteria", criteria=()))

    assert "🛠️" not in story.tell(order("continue")).prompt


@pytest.mark.parametrize("task_mode", [False, True], ids=["any item", "one task"])
def test_a_backlog_that_was_emptied_during_a_pause_asks_for_an_exploration(task_mode):
    story = Story(a_discovery_loop("a", backlog={"task_mode": task_mode}))
    story.tell(order("pause"), edit_backlog(dropped=("a",)))

    assert "🔍 EXPLORATION: The backlog is empty" in story.tell(order("continue")).prompt


# --- However much there is to say ---

LONG = tuple(f"item {n} {'ö' * 290}" for n in range(40))
HOSTILE = [
    pytest.param({"spec": HUGE}, {}, id="a huge scope"),
    pytest.param({}, {"context": HUGE}, id="a huge context"),
    pytest.param({}, {"focus": HUGE}, id="a huge focus"),
    pytest.param({}, {"items": LONG}, id="many long items"),
    pytest.param(
        {}, {"items": LONG, "mode": "exploration"}, id="many long items to explore beside"
    ),
    pytest.param(
        {}, {"items": (), "mode": "exploration", "look_for": HUGE}, id="a huge thing to look for"
    ),
    pytest.param({}, {"suggestions": (HUGE,)}, id="a huge suggestion"),
    pytest.param({}, {"guidance": HUGE}, id="a preset with much guidance"),
    pytest.param({"criteria": broken(60, "ö" * 180)}, {}, id="many broken guards with much output"),
    pytest.param({"guidance": HUGE}, {}, id="a person who says much"),
    pytest.param(
        {"spec": HUGE},
        {"items": LONG, "context": HUGE, "focus": HUGE, "suggestions": (HUGE,)},
        id="all at once",
    ),
]


@pytest.mark.parametrize(("changes", "backlog"), HOSTILE)
@pytest.mark.parametrize(
    "prompt",
    [discovery.opening_prompt, discovery.continue_prompt],
    ids=["the first prompt", "the next prompt"],
)
def test_no_prompt_is_too_long_and_the_way_to_answer_is_always_whole(prompt, changes, backlog):
    loop = a_discovery_loop("a", backlog=backlog, **changes)

    assert len(prompt(loop)) <= parts.MAX_PROMPT
    assert prompt(loop).endswith(f"\n{messages.reply_protocol(loop)}")


@pytest.mark.parametrize(("changes", "backlog"), HOSTILE)
def test_neither_is_what_a_session_that_comes_back_is_told(changes, backlog):
    loop = a_discovery_loop("a", backlog=backlog, **changes)

    assert (
        len(advance(loop, session("start", source="resume")).directive.prompt) <= parts.MAX_PROMPT
    )


LONGEST = {
    "look_for": "l" * 2_000,
    "suggestions": ("s" * 2_000,),
    "guidance": "g" * 2_000,
}  # as a preset may have them
FULL = [
    pytest.param((), {"focus": "f" * 9_000}, id="a page of focus"),
    pytest.param((), {"items": LONG, "context": "c" * 4_000}, id="long items and a long context"),
    pytest.param(
        (),
        {"items": LONG, "context": "c" * 4_000, "mode": "exploration"},
        id="the same to explore beside",
    ),
    pytest.param(
        (),
        {"items": (), "context": "c" * 4_000, "mode": "exploration", **LONGEST},
        id="the longest preset",
    ),
    pytest.param(broken(6, "guard"), {"context": "c" * 4_000}, id="six broken guards"),
]


@pytest.mark.parametrize(("criteria", "backlog"), FULL)
def test_the_scope_the_idle_warning_and_the_persons_word_are_never_cut_off(criteria, backlog):
    loop = a_discovery_loop(
        "a", criteria=criteria, backlog=backlog, guidance="mind the docs", streak=Streak(idle=3)
    )
    prompt = discovery.continue_prompt(loop)

    assert [
        word
        for word in ("SCOPE: polish the settings page", "Idle streak: 3", "says: mind the docs")
        if word not in prompt
    ] == []


def test_the_persons_line_stays_a_line():
    story = Story(a_discovery_loop("a", backlog={"focus": f"one\n{HUGE}"}))

    line = story.tell(turn(tree="tree-2")).message

    assert len(line) <= 1_000
    assert "\n" not in line
