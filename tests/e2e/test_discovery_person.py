"""Improving with a person there. They are told what begins and ends, look at it, resume it, cancel it; it needs no free hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.plugin import OWN, WITH
from tests.e2e.server import flat
from tests.e2e.session_steps import (
    GUARD,
    LABEL,
    PAGE,
    SITE,
    STARTS,
    STUCK,
    Latch,
    archived_pages,
    cycle,
    does,
    explores,
)
from tests.e2e.test_on_a_screen import SCREENS, TALL, keep
from tests.e2e.turn import runs, says, uses, writes
from tests.e2e.waiting import until

TASKS = '/loop:ui polish the settings page --tasks "label the button; widen the form"'


def keep_short(world, terminal, name: str) -> None:
    """A screen for the docs; how the agent is to answer is said once."""
    keep(world, terminal, name)
    if SCREENS:
        path = Path(SCREENS) / f"{name}.txt"
        drawn = (
            path.read_text().replace(str(world.home), "~").rpartition("~/project\n\n\n")[2]
        )  # now and then it begins anew
        head, mark, rest = drawn.partition("END_STATUS---`.\n")
        path.write_text(
            head + mark + re.sub(r"(?s)  Write down as you go:.*?END_STATUS---`\.\n", "  …\n", rest)
        )


def shown(body) -> str:
    """What the start printed, up to the line that names the page: the skill wants it shown as it is."""
    found = re.search(r"(?ms)^\[LOOP\] Starting.*?^State: .*?$", flat(body["messages"]))
    assert found, "the start has not printed its screen"
    return found[0]


@pytest.mark.long
def test_the_start_is_told_the_explorer_is_waited_for_and_the_end_is_told(world, tmux):
    world.project.write(SITE)
    world.project.commit()
    latch = Latch(world.home)
    script = [
        says("I wait for what it finds."),
        runs("loop backlog add 'no focus ring on Save' 'no empty state'"),
        says("Two to begin with."),
        writes(world.path("settings.html"), f"{LABEL}<button>Save</button>\n", "Both at once."),
        says(cycle("no focus ring on Save; no empty state")),
        *does("git log --oneline -3") * 3,
    ]

    def obeys(number, body):
        if number == 1:
            return STARTS
        look = "Scope: polish the settings page. Look for: states that are missing."
        return explores(look, shown(body), background=True) if number == 2 else script[number - 3]

    explorer = [latch.turn, says("Save has no focus ring, and there is no empty state.")]
    with world.terminal(obeys, *WITH, size=TALL, env=OWN, agent=explorer) as terminal:
        terminal.submit(f"/loop:ui polish the settings page --max-iterations 20 {GUARD}")
        screen = terminal.wait("I wait for what it finds")
        for line in (
            "Scope: polish the settings page",
            "Preset: ui, 9 suggestions",
            "- tests stay green ← npm test",
            "End it: ",
        ):
            assert line in screen
        assert "Limits: 20 iterations, $25, 480 minutes" in screen
        until(latch.begun.exists, terminal.screen)

        calls = len(world.model.requests)
        terminal.submit("/loop:status")
        screen = terminal.wait("dry 0/3")
        assert "Iteration 1/20" in screen, (
            "a stop while its sub-agent still looks is no iteration, and not a dry one"
        )
        assert len(world.model.requests) == calls, "no model call"
        latch.open()
        terminal.wait(r"\[LOOP\] Iteration 2/20 .* 2 found, 0 fixed, 2 open")
        screen = terminal.wait(
            r"(?s)✓ Finished: 3 explorations in a row found nothing more to do.*Guards: tests stay green ✓"
        )
        keep_short(world, terminal, "improving")
    assert "Final stats: 2 found, 2 fixed, 0 open | 5 iterations" in screen
    assert "loop-state.backup" not in screen, "the client shows no change of our own files"
    assert world.project.ended.verdict.proven


@pytest.mark.long
def test_paused_looked_at_resumed_and_cancelled_from_the_keyboard(world, tmux):
    with world.terminal(
        [STARTS, says("I begin."), *does("true") * 4], *WITH, size=TALL, env=OWN
    ) as terminal:
        terminal.submit(TASKS)
        terminal.wait(r"(?s)⏸ Paused: 5 idle turns.*Resume: `/loop:continue`")
        calls = len(world.model.requests)
        terminal.submit("/loop:status")
        screen = terminal.wait("driven by")
        assert "2 found, 0 fixed, 2 open | preset ui" in screen
        assert "focus: label the button" in screen
        terminal.submit("/loop:why")
        assert "paused: 5 idle turns" in terminal.wait(r"same error  0/3")
        assert len(world.model.requests) == calls, "no model call"
        world.model.play([says("Hello yourself.")])
        terminal.submit("hello")
        terminal.wait("Hello yourself")

        world.model.play([STARTS, *does("loop backlog done 1"), says("never heard", delay=60)])
        terminal.submit("/loop:ui --resume")
        until(lambda: len(world.model.requests) == calls + 5, terminal.screen)
        assert terminal.screen(history=True).count("⏸ Paused: 5 idle turns") == 1, (
            "told once; the stop after it was silent"
        )
        going, further = world.model.requests[calls + 2].news, world.model.requests[calls + 4].news
        assert "🎯 Go on with: label the button" in going
        assert "🎯 Go on with: widen the form" in further
        terminal.key("Escape")
        terminal.wait("Interrupted")
        terminal.submit("/loop:cancel")
        screen = terminal.wait(r"(?s)Loop cancelled\..*Original prompt: /loop:cancel")
        assert "Final stats: 2 found, 1 fixed, 1 open | 6 iterations" in screen
        assert len(world.model.requests) == calls + 5, "no model call"
    assert world.project.ended.status == "cancelled"
    assert (len(archived_pages(world)), world.path(PAGE).exists()) == (2, False)


@pytest.mark.long
@pytest.mark.parametrize("mode", ["default", "acceptEdits"])
def test_where_it_may_not_touch_the_page_the_command_is_left(world, mode):
    page = str(world.path(PAGE))
    edit = {
        "file_path": page,
        "old_string": "- widen the form",
        "new_string": "- widen the form\n- no empty state",
    }
    script = [
        STARTS,
        uses("Read", {"file_path": page}),
        uses("Edit", edit),
        runs("loop backlog add 'no empty state'"),
        says(STUCK),
    ]

    run = world.headless(TASKS, script, *WITH, "--permission-mode", mode, freely=False, env=OWN)

    assert "which is a sensitive file" in run.requests[3].news, (
        "the client asks, and nobody is there"
    )
    assert "3. no empty state" in run.requests[4].news, "the skill's own leave"
    assert world.project.loop.backlog.items[-1] == "no empty state"


@pytest.mark.long
def test_how_to_end_it_is_said_as_it_is_typed_here(world):
    run = world.headless(TASKS, [STARTS, says(STUCK)], *WITH, env=OWN)

    assert "End it: `/loop:cancel`" in shown(run.requests[1].body)


@pytest.mark.long
def test_to_look_at_it_is_no_work(world):
    run = world.headless(
        TASKS, [STARTS, says("I begin."), *does("true") * 2, says(STUCK)], *WITH, env=OWN
    )
    assert world.project.loop.streak.idle == 3

    looked = world.headless("/loop:status", [], *WITH, env=OWN, resume=run.session)

    assert (looked.requests, "focus: label the button" in str(looked.events)) == ([], True)
    assert world.project.loop.streak.idle == 3


@pytest.mark.long
def test_a_scope_may_begin_like_a_question(world):
    world.headless(
        "/loop:ui help texts of the settings page --max-iterations 7",
        [STARTS, says(STUCK)],
        *WITH,
        env=OWN,
    )

    assert world.path(PAGE).exists(), (
        "to ask about Loop is /loop:start's; what is typed after a preset is its scope"
    )
    assert (world.project.loop.spec, world.project.loop.limits.iterations) == (
        "help texts of the settings page",
        7,
    )
