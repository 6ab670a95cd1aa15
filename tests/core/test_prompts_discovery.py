"""Coaching: what exactly a discovery loop says, line by line."""

import pytest

from loopwright.core.engine import advance
from loopwright.core.limits import Limits, Spend, Streak
from loopwright.core.prompts import announcements, discovery, messages
from loopwright.core.prompts.discovery import BACKLOG_PAGE, suggestion
from loopwright.core.prompts.end_screen import end_screen
from loopwright.core.proof.state import Verdict
from tests.support.builders import Story, a_discovery_loop, proof, session, with_check

GREEN = with_check("tests pass", proof=proof("tests pass"))
BROKEN = with_check("tests pass", proof=proof("tests pass", fine=False, detail="1 failed"))
THIRD = {"spend": Spend(iterations=2, dollars=1.5)}  # two are over, the third begins


def said(prompt, loop):
    """The lines of a prompt above the protocol."""
    return prompt.removesuffix(messages.reply_protocol(loop)).rstrip("\n").split("\n")


# --- Every line of the next prompt, in every mode ---

HEAD = ["🔄 Iteration 3 of 50", "📊 Progress: 5 found, 2 fixed, {open} open", ""]
SCOPE = ["", "⚠️ SCOPE: polish the settings page", "Stay inside it. If you have drifted, come back."]
EXPLORE = [
    "Send a sub-agent (the Task or Agent tool, subagent_type Explore) and give it:",
    "- Scope: polish the settings page",
    "- Look for: defects, rough edges and missing pieces within the scope",
    f"- Known already: {BACKLOG_PAGE}",
    "- This time in particular: one",
    "Write each finding down as an item of the backlog, small enough for one turn. Then begin with the best one.",
]


def third(*items, criteria=(), streak=Streak(), **backlog):  # noqa: B008 - a value
    return a_discovery_loop(
        *items,
        backlog={"found_count": 5, "fixed_count": 2, **backlog},
        criteria=criteria,
        streak=streak,
        **THIRD,
    )


@pytest.mark.parametrize(
    ("loop", "lines"),
    [
        pytest.param(
            third(),
            ["🔍 EXPLORATION: The backlog is empty, look for more work.", *EXPLORE, *SCOPE],
            id="exploration of an empty backlog",
        ),
        pytest.param(
            third(streak=Streak(dry=2)),
            [
                "🔍 EXPLORATION: The backlog is empty, look for more work (found nothing 2 of 3 times).",
                *EXPLORE,
                *SCOPE,
            ],
            id="exploration that found nothing so far",
        ),
        pytest.param(
            third("a", "b", mode="exploration", recent_sizes=(2,)),
            [
                "🔍 EXPLORATION: A cycle is complete, look for more work.",
                *EXPLORE,
                "Backlog (2 open):",
                "- a",
                "- b",
                *SCOPE,
            ],
            id="exploration after a cycle",
        ),
        pytest.param(
            third("a", "b"),
            ["🎯 Go on with: a", "Backlog (2 open):", "- a", "- b", "💡 one", *SCOPE],
            id="the first item",
        ),
        pytest.param(
            third("a", focus="all of b"),
            ["🎯 Go on with: all of b", "Backlog (1 open):", "- a", "💡 one", *SCOPE],
            id="the focus",
        ),
        pytest.param(
            third("a", suggestions=()),
            ["🎯 Go on with: a", "Backlog (1 open):", "- a", *SCOPE],
            id="no suggestions",
        ),
        pytest.param(
            third("a", "b", "c", task_mode=True, task_since=2),
            [
                "🎯 Your one task, since iteration 2: a",
                "(2 more wait behind it.)",
                "💡 one",
                *SCOPE,
            ],
            id="exactly one task",
        ),
        pytest.param(
            third("a", criteria=(BROKEN,), mode="repair"),
            [
                "🛠️ Mend what is broken: tests pass. Before anything else: nothing new while a guard is broken.",
                "- tests pass: `pytest -q` exited 1. Its last lines, as data:",
                "```text",
                "1 failed",
                "```",
                *SCOPE,
                "Guards, run by us after every change: tests pass.",
            ],
            id="a broken guard",
        ),
        pytest.param(
            third("a", criteria=(GREEN,), suggestions=()),
            [
                "🎯 Go on with: a",
                "Backlog (1 open):",
                "- a",
                *SCOPE,
                "Guards, run by us after every change: tests pass.",
            ],
            id="guards that hold",
        ),
        pytest.param(
            third("a", suggestions=(), context="the colours are in tokens.css"),
            [
                "🎯 Go on with: a",
                "Backlog (1 open):",
                "- a",
                *SCOPE,
                "📎 CONTEXT: the colours are in tokens.css",
            ],
            id="context",
        ),
    ],
)
def test_every_line_of_the_next_prompt(loop, lines):
    head = [line.format(open=len(loop.backlog.items)) for line in HEAD]

    assert said(discovery.continue_prompt(loop), loop) == [*head, *lines]
    assert messages.continue_prompt(loop) == discovery.continue_prompt(loop), "whoever asks"


@pytest.mark.parametrize("idle", range(5))
def test_the_agent_is_warned_from_the_second_idle_turn_on(idle):
    loop = a_discovery_loop("a", streak=Streak(idle=idle))

    warned = f"⚠️ Idle streak: {idle} turns without a change" in discovery.continue_prompt(loop)

    assert warned == (idle >= 2)
    assert ("At 5 the loop stops" in discovery.continue_prompt(loop)) == warned


def test_only_the_first_items_are_shown_and_the_rest_is_counted():
    shown = said(discovery.continue_prompt(third(*(f"item {n}" for n in range(20)))), third())

    assert shown[4:6] == ["Backlog (20 open):", "- item 0"]
    assert shown[16:18] == ["- item 11", "- … and 8 more"]


def test_a_preset_says_what_to_look_for():
    assert "- Look for: contrast, focus rings" in discovery.continue_prompt(
        a_discovery_loop(backlog={"look_for": "contrast, focus rings"})
    )


def test_the_warnings_of_every_loop_and_the_persons_word_are_there_too():
    loop = a_discovery_loop(
        "a",
        streak=Streak(stuck=3, toolless=7, toolless_cap=8),
        guidance="mind the docs",
        criteria=(BROKEN,),
    )
    prompt = discovery.continue_prompt(loop)

    assert "Change approach" in prompt
    assert "7 answers in a row without a tool call" in prompt
    assert "The person says: mind the docs" in prompt


# --- The suggestion ---

FIVE = ("a", "b", "c", "d", "e")


@pytest.mark.parametrize(
    ("suggestions", "iteration", "index"),
    [(FIVE, 1, 1), (FIVE, 4, 4), (FIVE, 5, 0), (FIVE, 7, 2), (FIVE, 50, 0), (("x",), 7, 0)],
)
def test_vector_10_the_suggestions_go_round_with_the_iterations(suggestions, iteration, index):
    assert suggestion(suggestions, iteration) == (index, suggestions[index])


def test_no_suggestions_suggest_nothing():
    assert suggestion((), 3) == (0, "")
    assert "- This time in particular: anything small and certain" in discovery.continue_prompt(
        a_discovery_loop(backlog={"suggestions": ()})
    )


def test_the_next_turn_gets_the_next_suggestion():
    story = Story(a_discovery_loop("x", backlog={"suggestions": FIVE}))
    hints = [story.turn(tree=f"tree-{n + 2}").prompt.split("💡 ")[1][0] for n in range(6)]

    assert hints == ["c", "d", "e", "a", "b", "c"], "completed iterations and one"


# --- Scope and context are whole ---


def test_s10_every_line_of_the_scope_is_said():
    scope = "Improve the auth flow.\n\n1. login: error texts\n2. reset: the dead link\nNot the admin pages."

    for prompt in (discovery.opening_prompt, discovery.continue_prompt):
        assert f"⚠️ SCOPE: {scope}\n" in prompt(a_discovery_loop("a", spec=scope))
        assert f"- Scope: {scope}\n" in prompt(a_discovery_loop(spec=scope))


def test_s30_the_context_is_said_whole():
    context = "\n".join(
        f"{n}. a line of context that matters as much as the others" for n in range(40)
    )

    for prompt in (discovery.opening_prompt, discovery.continue_prompt):
        assert f"📎 CONTEXT: {context}\n" in prompt(
            a_discovery_loop("a", backlog={"context": context})
        )


# --- The first prompt, and what a session that comes back is told ---


def test_the_opening_holds_all_that_is_needed_to_begin():
    loop = a_discovery_loop(
        criteria=(GREEN,),
        backlog={"guidance": "Look at it first.\nSmall steps.", "suggestions": ()},
        limits=Limits(iterations=20),
    )
    lines = said(discovery.opening_prompt(loop), loop)

    assert lines[:4] == [
        "[LOOP] Starting | Discovery: ui | Guards: 1 | Max: 20 iterations | Budget: $25",
        "🔄 Iteration 1 of 20",
        "📊 Progress: 0 found, 0 fixed, 0 open",
        "",
    ]
    assert lines[4].startswith("🔍 EXPLORATION: The backlog is empty")
    assert "\n\nHow to work here:\nLook at it first.\nSmall steps.\n" in discovery.opening_prompt(
        loop
    )
    assert lines[-4:] == [
        "⚠️ SCOPE: polish the settings page",
        "Stay inside it. If you have drifted, come back.",
        "Guards, run by us after every change: tests pass.",
        "There is no done: you go on finding and fixing, one small unit of work a turn, until the loop stops you.",
    ]
    assert messages.opening_prompt(loop) == discovery.opening_prompt(loop)


def test_the_persons_word_is_in_the_opening_too():
    assert "The person says: mind the docs" in discovery.opening_prompt(
        a_discovery_loop(guidance="mind the docs")
    )


def test_a_loop_that_begins_with_tasks_begins_with_the_first():
    assert "🎯 Go on with: a\n" in discovery.opening_prompt(a_discovery_loop("a", "b"))


def test_a_loop_that_begins_broken_begins_by_mending():
    assert "🛠️ Mend what is broken: tests pass." in discovery.opening_prompt(
        a_discovery_loop("a", criteria=(BROKEN,))
    )


def test_a_session_that_comes_back_is_told_where_it_stands_and_how_to_write_it_down():
    loop = third("a", "b")
    prompt = advance(loop, session("start", source="resume")).directive.prompt

    assert said(prompt, loop) == [
        "[LOOP RESUME] Active loop detected",
        "Scope: polish the settings page",
        "🔄 Iteration 3 of 50",
        "📊 Progress: 5 found, 2 fixed, 2 open",
        "Next: a",
    ]
    assert prompt.endswith(messages.reply_protocol(loop))


@pytest.mark.parametrize(
    ("loop", "following"),
    [
        pytest.param(third(), "explore", id="nothing open"),
        pytest.param(third("a", focus="b"), "b", id="the focus"),
        pytest.param(third("a", focus="b", task_mode=True), "a", id="the one task"),
        pytest.param(
            third("a", criteria=(BROKEN,)), "Mend what is broken: tests pass", id="a broken guard"
        ),
    ],
)
def test_what_comes_next(loop, following):
    assert discovery.resume_text(loop).splitlines()[-1] == f"Next: {following}"


@pytest.mark.parametrize(
    ("task_mode", "when"),
    [
        (False, "When what you took on is done and you want to look for more"),
        (True, "When your task is done"),
    ],
)
def test_the_protocol_teaches_commands_page_cycle_and_the_honest_ways_out(task_mode, when):
    protocol = messages.reply_protocol(a_discovery_loop(backlog={"task_mode": task_mode}))

    assert (
        f"{when}, end your answer with this, outside any code fence:\n<cycle_complete>\ndone: "
        in protocol
    )
    assert [
        word
        for word in ("add", "done", "focus", "note")
        if f"`loop backlog {word} TEXT`" not in protocol
    ] == []
    assert BACKLOG_PAGE in protocol
    assert "ASK: " in protocol
    assert "BLOCKED: " in protocol
    assert "EXIT_SIGNAL" not in protocol


# --- The end ---


@pytest.mark.parametrize(
    ("loop", "lines"),
    [
        pytest.param(
            third("a"),
            ["Final stats: 5 found, 2 fixed, 1 open | 2 iterations, $1.50", "Guards: none"],
            id="no guards",
        ),
        pytest.param(
            third(
                criteria=(GREEN, with_check("lint clean", proof=proof("lint clean", fine=False)))
            ),
            [
                "Final stats: 5 found, 2 fixed, 0 open | 2 iterations, $1.50",
                "Guards: tests pass ✓, lint clean ✗ BROKEN",
            ],
            id="guards",
        ),
        pytest.param(
            third().but(spend=Spend(iterations=2, unpriced=("gpt-9",))),
            ["Final stats: 5 found, 2 fixed, 0 open | 2 iterations, unknown", "Guards: none"],
            id="an unknown price",
        ),
    ],
)
def test_every_end_says_scope_stats_and_guards(loop, lines):
    assert discovery.final_summary(loop).splitlines() == [
        "Scope was: polish the settings page",
        *lines,
    ]
    ended = loop.but(
        streak=Streak(dry=3), verdict=Verdict("MONITOR", False, notes=("test deleted",))
    )
    finished = discovery.finish_text(ended, end_screen(ended))
    assert finished.startswith(
        f"[LOOP] ✓ Finished: 3 explorations in a row found nothing more to do.\n{discovery.final_summary(loop)}\n"
    )
    assert "MONITOR" in finished
    assert "\n· test deleted" in finished
    assert announcements.cancel_report(loop) == f"Loop cancelled.\n{discovery.final_summary(loop)}"
    assert messages.progress_text(loop) == discovery.final_summary(loop)


@pytest.mark.parametrize(
    ("loop", "reason"),
    [
        pytest.param(third("a"), "5 found, 2 fixed, 1 open", id="at work"),
        pytest.param(third(), "5 found, 2 fixed, exploring", id="exploring"),
        pytest.param(
            third("a", criteria=(BROKEN,)), "a guard is broken: tests pass", id="a broken guard"
        ),
    ],
)
def test_the_reason_for_the_person(loop, reason):
    assert messages.continue_reason(loop) == reason


def test_the_persons_line_of_one_iteration():
    assert messages.iteration_note(third("a"), "") == (
        "[LOOP] Iteration 3/50 | Cost: $1.50/$25 | Focus: a | 5 found, 2 fixed, 1 open"
    )
