"""Story 2: a person at the terminal. One screen at the start, gates, commands without a model call, the box at the end."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.e2e.plugin import OWN, PLUGIN, WITH, score_flags, starts
from tests.e2e.turn import runs, says, uses, writes
from tests.e2e.world import FIXED
from tests.support.hook import block

TALL = (120, 60)
FIVE = {
    "Outcome": "2 (every failing test is to pass)",
    "Scope": "1 (the tests of this project)",
    "Constraints": "0 (none stated)",
    "Success": "1 (the tests)",
    "Done": "1 (when none fails)",
}
STEPS = ('--step "Reproduce the failure"', '--step "Fix the root cause"')
SCREENS = os.environ.get("LOOP_SCREENS", "")  # a folder: the screens of the docs are kept there


def keep(world, terminal, name: str, since: str = "", before: str = "\n\n\n\n") -> None:
    """A screen for the docs, without what is of this run alone; `since`: its first words; `before`: the first to leave out."""
    if SCREENS:
        shown = terminal.screen(history=True).replace(str(world.project.root), "~/project")
        if since:
            part, found, _ = shown.rpartition(since)[2].partition(before)
            shown = f"\n\n\n{since}{part}" + ("\n─\n─" if found else "")
        shown = re.sub(
            r"[0-9a-f]{8}-[0-9a-f-]{27}", "718ac93d-…", re.sub(r"(?m)^✻.*\n\n", "", shown)
        )
        (Path(SCREENS) / f"{name}.txt").write_text(
            shown.partition("\n\n\n")[2].rpartition("\n─")[0].rpartition("\n─")[0]
        )


@pytest.mark.long
def test_from_the_first_question_to_the_box(world, tmux):
    done = block({"tests pass": True}, "STEP_DONE: Fix the root cause", exit=True)
    dear = {"output_tokens": 26_000}
    prices = world.home / ".config/loop/config.toml"
    prices.parent.mkdir(parents=True)
    prices.write_text(
        'prices.claude-opus-5-5 = "4/1000/0.2/5"\n'
    )  # a thousand dollars a million: 26,000 tokens are too much
    script = [
        starts(*STEPS, five=FIVE),
        says("That is the plan."),
        runs("python3 -B -m unittest -q", "I reproduce it."),
        says(
            block(
                {"tests pass": False},
                "GATE: the comma is missing",
                "STEP_DONE: Reproduce the failure",
            )
        ),
        runs("cat greet.py", "I look."),
        says(block({"tests pass": False}), usage=dear),
        writes(world.path("greet.py"), FIXED, "Now the comma."),
        says(done),
    ]
    with world.terminal(script, *WITH, size=TALL, env=OWN) as terminal:
        terminal.submit("/loop:start fix all failing tests")
        screen = terminal.wait(r"Here are 2 steps\. Start\? y = start")
        for name, why in FIVE.items():
            assert f"- {name}: {why}" in screen
        assert (
            "[LOOP] Starting | Shape: Colleague (5/10) | Workflow: B | Steps: 2 | Budget: $25"
            in screen
        )
        assert re.search(r"- tests pass ← .*(pytest|unittest).* \(failing now", screen)
        assert "Writing state to `.loop/state.json`. Delete after session?" in screen
        assert world.project.loop.status == "asking"
        assert len(world.model.lane()) == 2, "the turn has ended and waits"

        terminal.submit("y")
        screen = terminal.wait(r"Step Reproduce the failure complete\. Continue\? y = continue")
        assert (
            "[LOOP] ✓ Reproduce the failure complete | Progress: 1/2 | Next: Fix the root cause"
            in screen
        )
        assert "---LOOP_STATUS---" in screen
        assert "[LOOP] Starting | Shape: Colleague" in world.model.lane()[2].news

        terminal.submit("proceed without confirmation")
        screen = terminal.wait(r"⏸ Paused: budget of \$25 reached")
        assert "Resume: `/loop:continue --budget=25`" in terminal.wait("Resume:")

        calls = len(world.model.requests)
        terminal.submit("/loop:status")
        assert "1/2" in terminal.wait(r"steps 1/2:")
        terminal.submit("/loop status")
        terminal.wait(r"(?s)steps 1/2:.*steps 1/2:")
        assert len(world.model.requests) == calls, "no model call, and nothing scheduled"

        terminal.submit("/loop:continue --budget=25")
        screen = terminal.wait(r"╰─+╯")
        keep(world, terminal, "session")
        assert "<loop-complete>" not in screen, "that is for programs"
        assert "🟢 SHIP" in screen
        assert "Checklist: 1/1 criteria verified" in screen
    assert world.project.ended.verdict.proven
    assert world.project.ended.limits.dollars == 50


def test_the_person_sees_the_start_a_held_turn_a_refuted_claim_and_the_end(world, tmux):
    claim = block({"tests pass": True}, exit=True)
    script = [
        starts(*STEPS, five=FIVE),
        says("That is the plan."),
        runs("cat greet.py", "I look at the code."),
        says(block({"tests pass": False}, "GATE: the comma is missing")),
        runs("python3 -B -m unittest -q; true", "I think that it is done."),
        says(claim),
        writes(world.path("greet.py"), FIXED, "Now the comma."),
        says(claim),
    ]
    with world.terminal(script, *WITH, size=TALL, env=OWN) as terminal:
        terminal.submit("/loop:start fix all failing tests")
        terminal.wait(r"Here are 2 steps\. Start\? y = start")
        keep(world, terminal, "start")
        terminal.submit("y")
        terminal.wait(r"All criteria met\. Confirm done\?")
        terminal.submit("y")
        terminal.wait("🟢 SHIP")
        screen = terminal.screen(history=True)
        keep(world, terminal, "end", since="● Now the comma.")
        keep(world, terminal, "held-and-refuted", since="● I look at the code.", before="\n\n● Now")

    assert screen.count("Stop hook feedback:") == 2, "one turn was held, one claim refuted"
    assert re.search(
        r"The agent said done; `python3 -m unittest discover -v` still fails \(1 of 1\)\.\s+"
        r"Iteration 3/10,\s+\$0\.\d\d",
        screen,
    )
    assert "✓ Fix the root cause complete" not in screen, "nothing is complete after a false claim"


@pytest.mark.long
def test_a_vague_spec_is_asked_about_and_nothing_starts(world, tmux):
    none = dict.fromkeys(FIVE, "0 (nothing is said)")
    script = [
        starts(five=none),
        says("Which files does it concern, and which command shows that it works?"),
    ]

    with world.terminal(script, *WITH, env=OWN) as terminal:
        terminal.submit("/loop:start make it better")
        terminal.wait("which command shows that it works")

    asked = world.model.lane()[1].news
    assert "the spec is too vague to start on. Ask the person" in asked
    assert asked.count("?") >= 5
    assert not world.path(".loop").exists()


def test_plain_words_start_it_through_the_skill(world, tmux):
    spec = "refactor all API routes to use validation middleware"
    start = (
        f"loop start - {score_flags()} --criterion 'all routes refactored' <<'SPEC'\n{spec}\nSPEC"
    )
    script = [
        uses("Skill", {"skill": "loop:start", "args": spec}),
        runs(start),
        says("Here is the plan."),
    ]

    with world.terminal(script, *WITH, size=TALL, env=OWN) as terminal:
        terminal.submit(f"loop - {spec}")
        screen = terminal.wait(r"Here are \d steps\. Start\?")
        keep(world, terminal, "plain-words")

    assert "Shape: Colleague (7/10)" in screen
    assert "Base directory for this skill" in world.model.lane()[1].text
    assert world.project.loop.spec == spec


@pytest.mark.long
def test_to_ask_what_it_is_starts_nothing(world, tmux):
    with world.terminal(
        [says("Loop keeps me working until the work is proven done.")], *WITH, env=OWN
    ) as terminal:
        terminal.submit("/loop:start what is loop")
        terminal.wait("proven done")

    assert "Write nothing, start nothing." in world.model.lane()[0].text
    assert not world.path(".loop").exists()


def test_every_command_of_the_person_answers_without_a_model(world, tmux):
    with world.terminal([], *WITH, env=OWN) as terminal:
        terminal.submit("/loop:status")
        terminal.wait("No loop here. Start one: /loop:start SPEC")
        started = world.project.run(
            "start", "fix all tests in greet.py", "--check", "tests pass=false", "--yes"
        )
        assert started.code == 0, started.err
        for line, answer in (
            ("/loop:why", "running: unmet criteria: tests pass"),
            ("/loop:pause for lunch", "Paused: for lunch"),
            ("/loop continue --budget=5", "Type: /loop:continue --budget=5"),
            ("/loop:continue --wibble", "unknown word '--wibble'"),
            ("/loop:cancel", "Loop cancelled."),
        ):
            terminal.submit(line)
            terminal.wait(re.escape(answer))

    assert world.model.requests == []


def test_the_status_line_shows_the_loop(world, tmux):
    env = {"HOME": str(world.home), **OWN}
    done = subprocess.run(
        [PLUGIN / "bin/loop", "install", "--status-line"],
        cwd=world.project.root,
        env=env,
        check=False,
    )
    assert done.returncode == 0
    world.project.run("start", "fix all tests in greet.py", "--check", "tests pass=false", "--yes")

    with world.terminal([], *WITH, env=OWN) as terminal:
        terminal.wait(r"loop ▶ running · 1/10 · ▱ 0/1 · \$0\.00/\$25")
