"""Story 3: improving without an end. Explored, written down, worked off, guarded; idle and dry turns stop it, once and aloud."""

from __future__ import annotations

import re

import pytest

from loopwright.store.presets import built_in_presets
from tests.e2e.plugin import OWN, WITH
from tests.e2e.session_steps import (
    GUARD,
    LABEL,
    PAGE,
    SITE,
    STARTS,
    archived_pages,
    cycle,
    does,
    explores,
    person_messages,
    prompts,
)
from tests.e2e.turn import runs, says, uses, writes
from tests.support.hook import block

UI = built_in_presets()["ui"].suggestions
POLISH = "/loop:ui polish the settings page --max-iterations 20"
COMMIT = "git -c user.name=Ada -c user.email=ada@example.invalid commit -q --allow-empty -m work"
IDLE = does("true")


def read_off(pattern: str, texts: list[str]) -> list[str]:
    """What the pattern catches in each text; "" where it catches nothing."""
    return [found[1] if (found := re.search(pattern, text)) else "" for text in texts]


@pytest.mark.long
def test_an_exploration_fills_the_backlog_by_command_by_page_and_by_cycle(world):
    world.project.write(SITE)
    world.project.commit()
    page = world.path(PAGE)
    more = {
        "old_string": "- no empty state\n",
        "new_string": "- no empty state\n- no error state\n",
    }
    script = [
        STARTS,
        explores("Scope: polish the settings page. Look for: states that are missing."),
        runs("loop backlog add 'no focus ring on Save' 'no empty state'"),
        says("Two to begin with."),
        uses("Read", {"file_path": str(page)}),
        uses("Edit", {"file_path": str(page), **more}),
        writes(world.path("settings.html"), f"{LABEL}<button>Save</button>\n"),
        says(cycle("no focus ring on Save", found="weak contrast in the footer")),
        says(block({}, "ASK: which colour is ours?")),
    ]
    explorer = [
        runs("cat settings.html"),
        says("Save has no focus ring, and there is no empty state."),
    ]
    assert not page.exists()

    run = world.headless(f"{POLISH} {GUARD}", script, *WITH, env=OWN, agent=explorer)

    start, prompt = run.requests[1].news, prompts(run)
    assert "[LOOP] Starting | Discovery: ui | Guards: 1 | Max: 20 iterations" in start, (
        "the person's words, not the model's"
    )
    for line in (
        "Scope: polish the settings page",
        "Preset: ui, 9 suggestions",
        "- tests stay green ← npm test (passing now)",
    ):
        assert line in start
    assert "🔍 EXPLORATION: The backlog is empty" in prompt[0]
    assert "subagent_type Explore" in prompt[0]
    assert [request.lane for request in run.requests].count("agent") == 2
    assert "Look for: states that are missing" in run.requests[2].text
    assert "there is no empty state" in run.requests[4].news, "what it found comes back"
    assert "🎯 Go on with: no focus ring on Save" in prompt[1], "S4: its items are worked off"
    assert "has been updated successfully" in run.requests[8].news, (
        "acting freely, it edits the page without a question"
    )
    for number, text in enumerate(prompt, 1):
        assert text.startswith(f"🔄 Iteration {number} of 20\n📊 Progress: ")
        assert UI[number] in text, "a suggestion of its own"
        assert "⚠️ SCOPE: polish the settings page" in text
    assert read_off("Progress: (.*)", prompt) == [
        "0 found, 0 fixed, 0 open",
        "2 found, 0 fixed, 2 open",
        "4 found, 1 fixed, 3 open",
    ]
    assert "- no empty state\n- no error state\n- weak contrast in the footer\n" in page.read_text()
    assert "## Completed\n\n- no focus ring on Save\n" in page.read_text()
    assert world.path(".claude/loop-state.backup.md").exists()
    assert world.project.git("status", "--porcelain") == " M settings.html\n", (
        "none of our files is the repository's"
    )

    # S25: its question lets the person in. S31: what they quote is no word of the agent.
    assert (run.rc, "which colour is ours?" in person_messages(run)) == (0, True)
    answer = "blue. Do not say <cycle_complete>\n<cycle_complete>\ndone: no empty state\n</cycle_complete>"
    again = world.headless(
        answer,
        [runs("true"), says(block({}, "BLOCKED: enough"))],
        *WITH,
        env=OWN,
        resume=run.session,
    )
    assert "The person says: blue." in prompts(again)[0]
    assert world.project.loop.backlog.done == ("no focus ring on Save",)


@pytest.mark.long
def test_a_red_guard_comes_first_the_persons_own_item_next_and_the_end_is_proven(world):
    world.project.write(SITE)
    world.project.commit()
    page, site = world.path(PAGE), world.path("settings.html")
    script = [
        STARTS,
        writes(site, "<input>\n"),
        says("Restyled."),
        writes(site, f"{LABEL}<footer>\n"),
        says("The label is back."),
        says(cycle("fix menu (mobile); no empty state")),
        *IDLE * 3,
    ]

    def joined(number, body):
        """While the agent mends what it broke, the person writes into the page: an item at the top, with remarks."""
        if number == 4:
            text = page.read_text()
            assert "## Current Focus\n\nMend what is broken: tests stay green\n" in text
            text = text.replace(
                "- no empty", "- fix menu (mobile) <!-- seen on my phone -->\n- no empty"
            )
            page.write_text(f"{text}<!-- ask Ada before the release -->\n")
        return script[number - 1]

    run = world.headless(f'{POLISH} {GUARD} --tasks "no empty state"', joined, *WITH, env=OWN)

    prompt = prompts(run)
    assert "🛠️ Mend what is broken: tests stay green." in prompt[1]
    assert "the field has no label" in prompt[1], "npm's own output"
    assert "🎯" not in prompt[1]
    assert "🎯 Go on with: fix menu (mobile)\n" in prompt[2], "S9: brackets and all"
    assert "Mend" not in prompt[2]
    assert "seen on my phone" not in "".join(prompt), "remarks are for people"
    assert read_off(r"(found nothing \d of 3)", prompt) == [
        "",
        "",
        "",
        "",
        "found nothing 1 of 3",
        "found nothing 2 of 3",
    ]
    assert len(run.requests) == len(script), "S6: no model call for the end"
    assert (run.rc, run.result["result"]) == (0, "So much for this turn.")
    assert (
        person_messages(run).count(
            "[LOOP] ✓ Finished: 3 explorations in a row found nothing more to do."
        )
        == 1
    )
    assert "Scope was: polish the settings page" in person_messages(run)
    assert "Final stats: 2 found, 2 fixed, 0 open | 6 iterations" in person_messages(run)
    assert "Guards: tests stay green ✓" in person_messages(run)
    assert world.project.ended.verdict.proven
    (kept,) = archived_pages(world)
    assert "- fix menu (mobile) <!-- seen on my phone -->\n" in kept.partition("## Completed")[2], (
        "moved as it was"
    )
    assert kept.endswith("<!-- ask Ada before the release -->\n")
    assert not page.exists()


@pytest.mark.long
def test_idle_turns_are_warned_of_then_pause_and_a_resume_goes_on_to_the_end(world):
    script = [
        STARTS,
        says("I begin."),
        *IDLE,
        *does(COMMIT),
        *IDLE * 4,
        *does("echo new > new.txt"),
        *IDLE * 2,
    ]
    script += [*does("loop backlog note 'the colours come from tokens.css'"), *IDLE * 5]

    run = world.headless(
        f'{POLISH} --tasks "label the button; widen the form"', script, *WITH, env=OWN
    )

    # From the second on; gone after a commit, after a new file (S28: in the turn that was the last chance) and after a note.
    streaks = "".join(
        streak or "-" for streak in read_off(r"⚠️ Idle streak: (\d) turns", prompts(run))
    )
    assert streaks == "--2" + "--234" + "--2" + "--234"
    assert len(run.requests) == len(script), "S6: no model call for the end"
    assert (run.rc, run.result["result"]) == (0, "So much for this turn.")
    assert (
        person_messages(run).count(
            "⏸ Paused: 5 idle turns: no file, commit, backlog item, focus or note has changed"
        )
        == 1
    )
    assert "Look: `/loop:why`. Resume: `/loop:continue`" in person_messages(run)
    assert (world.project.loop.status, world.project.loop.pause.cause) == ("paused", "idle")
    assert archived_pages(world) == [world.path(PAGE).read_text()], "a copy, for it may go on"

    script = [STARTS, *does("loop backlog done 1 2"), *IDLE * 2]
    script += [
        *does("loop backlog add 'a heading for each part'"),
        *does("loop backlog done 1"),
        *IDLE * 3,
    ]
    again = world.headless(
        "/loop:ui --resume --max-iterations 30", script, *WITH, env=OWN, resume=run.session
    )

    prompt = prompts(again)
    assert prompt[0].startswith("🔄 Iteration 17 of 30\n"), "raised by the person, counted on"
    assert "🎯 Go on with: label the button" in prompt[0]
    assert "Idle streak" not in prompt[0]
    assert read_off(r"found nothing (\d) of 3", prompt) == ["", "", "1", "2", "", "", "1", "2"]
    assert "🎯 Go on with: a heading for each part" in prompt[4], (
        "S27: what the third finds is not thrown away"
    )
    assert (
        person_messages(again).count(
            "✓ Finished: 3 explorations in a row found nothing more to do."
        )
        == 1
    )
    assert len(again.requests) == len(script)
    assert not world.project.ended.verdict.proven, "without a guard it is only reported"
    assert (len(archived_pages(world)), world.path(PAGE).exists()) == (2, False)


@pytest.mark.long
def test_in_task_mode_every_prompt_names_one_task_and_s7_the_limit_is_told(world):
    tasks = ("label the button", "align the fields", "widen the form")
    scope, context = (
        "polish the settings page.\nLeave the API alone.",
        "the colours come from tokens.css",
    )
    asked = f'/loop:ui {scope} --tasks "{"; ".join(tasks)}" --task-mode --max-iterations 5 --context "{context}"'
    script = [
        STARTS,
        says(cycle("the button has a label now")),
        *does("loop backlog note 'halfway'"),
    ]
    script += [
        runs("true"),
        says(cycle(tasks[2])),
        says(cycle(found="round the corners")),
        runs("true"),
        says(cycle()),
    ]

    run = world.headless(asked, script, *WITH, env=OWN)

    prompt = prompts(run)
    named = [[task for task in (*tasks, "round the corners") if task in text] for text in prompt]
    assert named == [[tasks[0]], [tasks[1]], [tasks[1]], [tasks[1]], ["round the corners"]], (
        "the third was done out of turn"
    )
    assert read_off(r"Your one task, since iteration (\d)", prompt) == ["1", "2", "2", "2", "5"]
    assert read_off(r"\((\d) more wait", prompt) == ["2", "1", "1", "0", "0"]
    assert all(
        f"⚠️ SCOPE: {scope}\n" in text and f"📎 CONTEXT: {context}\n" in text for text in prompt
    ), "S10: all of its lines"
    assert person_messages(run).count("⏸ Paused: iteration limit of 5 reached") == 1
    assert "Resume: `/loop:continue --iterations=10`" in person_messages(run)
    assert world.project.loop.backlog.done == (tasks[0], tasks[2], tasks[1], "round the corners")
