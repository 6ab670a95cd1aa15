"""loop start --resume: go on with the loop that is here, or with the page that the seed's plugin left."""

from __future__ import annotations

from loopwright.store import pending_start
from tests.support.discovery import AGENT, PAGE, section, start_discovery
from tests.support.hook import OTHER, SESSION, prompts, stop, types

SEEDS_PAGE = """---
mode: discovery
preset: ui
iteration: 7
max_iterations: 50
scope: polish the old page
idle_streak: 0
---

## Scope

polish the old page

## Backlog

- fix menu (mobile)
"""


def test_resume_without_a_loop_says_so(project) -> None:
    said = project().run("start", "--resume")

    assert (said.code, said.err) == (1, "loop: No active loop to resume. Start without --resume.\n")


def test_resume_goes_on_with_a_paused_loop_and_keeps_all_it_knows(project) -> None:
    here = start_discovery(project(), "--tasks", "a; b")
    stop(here)
    here.run("pause", "lunch")
    before = section(here, "Backlog")

    said = here.run("start", "--resume")

    assert said.code == 0, said.err
    assert "[LOOP] ▶ Continuing | 2 found, 0 fixed, 2 open\n[LOOP] Iteration 2/50" in said.out
    assert (here.loop.status, section(here, "Backlog")) == ("running", before)


def test_resume_at_a_limit_needs_a_higher_one(project) -> None:
    here = start_discovery(project(), "--tasks", "a", "--max-iterations", "1")
    stop(here)

    assert here.run("start", "--resume").code == 3
    assert here.run("start", "--resume", "--max-iterations", "4").code == 0
    assert here.loop.limits.iterations == 4


def test_resume_does_not_push_a_driver_aside_and_does_not_answer_for_anybody(project) -> None:
    here = start_discovery(project())
    assert (
        "another session drove this loop just now"
        in here.run("start", "--resume", "--session", OTHER).err
    )
    assert here.loop.lease.holder == SESSION

    stop(here, "---LOOP_STATUS---\nASK: Blue or green?\n---END_STATUS---")
    said = here.run("start", "--resume")
    assert (said.code, "it waits for an answer: Blue or green?" in said.err) == (1, True)


def test_a_session_that_takes_over_from_a_terminal_is_told_with_its_next_prompt(project) -> None:
    """As after `loop attach`: else it would be held by a loop that nobody has told it of."""
    here = start_discovery(project(), "--tasks", "the menu overlaps")

    assert here.run("start", "--resume", "--session", OTHER, "--yes").code == 0
    assert here.loop.lease.holder == OTHER
    assert "🎯 Go on with: the menu overlaps" in prompts(here, "hello", OTHER).prompt


def test_an_agent_may_not_resume_what_was_paused(project) -> None:
    """Rule 1: to continue and to raise a limit are the person's, by whatever name."""
    here = start_discovery(project(), "--max-iterations", "3")
    here.run("pause", "lunch")

    for words in ((), ("--max-iterations", "50")):
        said = here.run("start", "--resume", *words, **AGENT)

        assert said.code == 1
        assert (here.loop.status, here.loop.limits.iterations) == ("paused", 3)


def test_what_the_person_typed_resumes_once(project) -> None:
    here = start_discovery(project())
    here.run("pause", "lunch")
    types(here, "/loop:ui --resume")
    assert here.run("start", "--preset", "ui", **AGENT).code == 0
    assert here.loop.status == "running"

    assert pending_start.read_pending_start(SESSION) == ""
    here.run("pause", "dinner")
    here.run("start", "--preset", "ui", **AGENT)
    assert here.loop.status == "paused"


def test_resume_takes_up_the_page_that_the_seeds_plugin_left(project) -> None:
    here = project()
    here.write({PAGE: SEEDS_PAGE})

    said = here.run("start", "--resume")

    assert said.code == 0, said.err
    assert f"Continuing from {PAGE}. Limits: 50 iterations" in said.out
    assert "SCOPE: polish the old page" in said.out
    assert "🔄 Iteration 7 of 50" in said.out
    assert here.loop.backlog.items == ("fix menu (mobile)",)


def test_a_page_is_no_way_round_the_persons_limits(project) -> None:
    here = project()
    here.run("config", "limits.iterations", "20")
    here.write({PAGE: SEEDS_PAGE})

    here.run("start", "--resume")

    assert here.loop.limits.iterations == 20
