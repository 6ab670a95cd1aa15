"""Executing a plan in a session: what is given out, what is believed, what is tried again, parked, asked and held."""

import pytest

from loopwright.core import events as ev
from loopwright.core.criteria import Check, Criterion
from loopwright.core.directives import Ask, Continue, RunCheck, Stop
from loopwright.core.loop import Lease
from loopwright.core.plan import events as pl
from loopwright.core.plan.plan import TaskCheck
from loopwright.core.signals import Committed
from tests.support.builders import (
    SESSION,
    Story,
    a_loop,
    answer,
    block,
    claim,
    first_line,
    order,
    passed,
    prompt,
    turn,
)
from tests.support.plan_stories import PlanStory, a_plan, a_plan_loop, a_task, check_of

RUN = "Run /loop:execute to retry failed tasks."


def interactive(plan=None, **more):
    return PlanStory(a_plan_loop(plan, gates_enabled=True), **more)


def times(story, task):
    return story.plan.failure_of(task).times


# --- What is given out ---


def test_what_depends_on_nothing_open_is_given_out_and_the_next_wave_after_it():
    story = PlanStory()
    assert story.plan.assigned == ("01", "02")

    directive = story.completes("01", "02")

    assert (story.plan.done, story.plan.assigned) == (("01", "02"), ("03",))
    assert '<task id="03"' in directive.prompt
    assert '<task id="01"' not in directive.prompt


def test_a_wave_waits_for_the_whole_wave_before_it():
    story = PlanStory(a_plan_loop(a_plan(a_task("01"), a_task("02"), a_task("03", 2, "01"))))

    story.completes("01")

    assert story.plan.assigned == ("02",)


def test_an_eager_plan_does_not_wait_for_the_wave():
    story = PlanStory(
        a_plan_loop(a_plan(a_task("01"), a_task("02"), a_task("03", 2, "01"), eager=True))
    )

    story.completes("01")

    assert {*story.plan.assigned} == {"02", "03"}


def test_two_tasks_that_share_a_file_are_given_out_one_after_the_other():
    second = a_task("02", files=a_task("01").files)
    story = PlanStory(a_plan_loop(a_plan(a_task("01"), second)))
    assert story.plan.assigned == ("01",)

    story.completes("01")

    assert story.plan.assigned == ("02",)


# --- The seed's words ---


def test_an_agent_that_stops_early_is_held_with_the_words_of_the_seed():
    directive = PlanStory().says("I have begun.")

    assert first_line(directive) == f"Loop active. Continuing execute loop iteration 2/33. {RUN}"
    assert "[LOOP] Iteration 2/33 | Cost: $0.00/$25 | Task: 01, 02" in directive.prompt


def test_the_person_sees_the_same_reason_on_one_line():
    directive = PlanStory().says("I have begun.")

    assert directive.message == (
        "[LOOP] Iteration 2/33 | Cost: $0.00/$25 | Task: 01, 02 | Loop active. Continuing execute loop iteration 2/33."
    )


@pytest.mark.parametrize(
    ("tasks", "retries", "rounds", "iterations"), [(3, 3, 20, 33), (1, 0, 1, 3), (7, 3, 20, 49)]
)
def test_there_is_room_for_every_attempt_and_every_round(tasks, retries, rounds, iterations):
    plan = a_plan(*(a_task(f"0{n}") for n in range(tasks)), retries=retries, max_fix_rounds=rounds)

    assert a_plan_loop(plan).limits.iterations == iterations


# --- What is believed ---


def test_a_task_is_complete_when_it_is_claimed_and_its_checks_pass():
    story = PlanStory()

    story.completes("01")

    assert story.checks_run == [check_of("01")], "nobody asked about the others"
    assert (story.plan.done, story.plan.assigned) == (("01",), ("02",))
    assert times(story, "01") == 0


def test_a_claim_that_its_check_refutes_is_a_failed_attempt():
    story = PlanStory(failing=(check_of("02"),))

    directive = story.completes("01", "02")

    assert (story.plan.done, times(story, "02"), story.plan.assigned) == (("01",), 1, ("02",))
    assert story.events_of(ev.ClaimRefuted)[-1].names == (check_of("02"),)
    assert "<previous_attempt>" in directive.prompt
    assert "<attempt>1 of 3</attempt>" in directive.prompt
    assert "1 failed" in directive.prompt, "what our own run printed"
    assert f"our own run does not pass: {check_of('02')}" in directive.prompt


def test_a_retry_that_passes_is_done_and_forgotten():
    story = PlanStory(failing=(check_of("02"),))
    story.completes("01", "02")

    directive = story.completes("02", mended=(check_of("02"),))

    assert (story.plan.done, story.plan.parked, story.plan.assigned) == (("01", "02"), (), ("03",))
    assert "<previous_attempt>" not in directive.prompt


def test_all_checks_of_a_task_must_pass():
    two = a_task(
        "01", checks=(*a_task("01").checks, TaskCheck("test", "it prints", command="make it"))
    )
    loop = a_plan_loop(a_plan(two))
    allowed = tuple(c.but(check=c.check.but(allowed=True)) for c in loop.criteria)
    story = PlanStory(loop.but(criteria=allowed), failing=("01.2 it prints",))

    story.completes("01")

    assert (story.plan.done, times(story, "01")) == ((), 1)


def test_a_task_without_a_check_is_done_when_it_is_claimed():
    story = PlanStory(a_plan_loop(a_plan(a_task("01", checks=()), a_task("02"))))

    story.completes("01")

    assert (story.plan.done, story.checks_run) == (("01",), [])


@pytest.mark.parametrize(
    "line",
    [
        "TASK COMPLETE: 07",
        "```\nTASK COMPLETE: 01\n```",
        "> TASK COMPLETE: 01",
        "`TASK COMPLETE: 01` comes next",
        "TASK COMPLETE",
    ],
    ids=[
        "a task that is not there",
        "in a fence",
        "quoted",
        "in a sentence",
        "of two tasks neither",
    ],
)
def test_what_is_no_report_of_a_task_completes_nothing(line):
    story = PlanStory()

    story.says(line)

    assert (story.plan.done, story.plan.failures, story.checks_run) == ((), (), [])


def test_nobody_completes_a_task_that_was_not_given_out():
    story = PlanStory()

    story.completes("03")

    assert (story.plan.done, story.plan.assigned) == ((), ("01", "02"))


def test_one_that_is_both_complete_and_failed_has_failed():
    story = PlanStory()

    story.says("TASK COMPLETE: 01", "TASK FAILED: 01: the import does not work")

    assert (story.plan.done, times(story, "01")) == ((), 1)


def test_what_failed_reaches_the_next_attempt_in_its_own_words():
    story = PlanStory()

    directive = story.says(
        "TASK FAILED: 02: the import does not work",
        "Progress: the file is there",
        "Blocker: no such module",
        "Suggested fix: install it",
        "TASK COMPLETE: 01",
    )

    assert "<error>the import does not work</error>" in directive.prompt
    assert "<analysis>the file is there; no such module</analysis>" in directive.prompt
    assert "<suggested_fix>install it</suggested_fix>" in directive.prompt
    assert story.plan.assigned == ("02",)


def test_a_new_issue_is_kept_and_stands_in_nobodys_way():
    story = PlanStory()

    story.says("TASK COMPLETE: 01", "NEW ISSUE: [low] the readme is old")

    assert story.plan.issues == ("[low] the readme is old",)
    assert story.plan.done == ("01",)


def test_no_more_than_fifty_issues_are_kept():
    story = PlanStory()

    for number in range(4):
        story.says(*(f"NEW ISSUE: number {number}-{n}" for n in range(20)))

    assert len(story.plan.issues) == 50
    assert story.plan.issues[-1] == "number 3-19"


# --- Retries, and what is parked ---


def test_after_three_retries_a_task_is_parked_and_its_siblings_go_on():
    story = PlanStory(
        a_plan_loop(a_plan(a_task("01"), a_task("02"), a_task("03", 2, "02"), a_task("04", 2))), ()
    )
    story.failing = {check_of("02")}
    for attempt in (1, 2, 3):
        directive = story.completes("02")
        assert f"<attempt>{attempt} of 3</attempt>" in directive.prompt

    directive = story.completes("02")

    assert (story.plan.parked, times(story, "02"), story.plan.assigned) == (("02",), 4, ("01",))
    assert '<task id="02"' not in directive.prompt
    assert story.loop.status == "running"
    story.completes("01")
    assert story.plan.assigned == ("04",), "the next wave, without what waits for the parked one"


def test_when_nothing_else_is_left_it_pauses_with_the_reason_of_the_seed_and_the_error():
    story = PlanStory(failing=(check_of("02"),))
    for _ in range(4):
        directive = story.completes("01", "02")

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "parked")
    assert story.loop.pause.why.startswith(
        "Task 02 failed after 3 retries: - 02.1 src/02.py exists: 1 failed"
    )
    assert isinstance(directive, Stop)
    assert directive.reason == story.loop.pause.why
    assert story.plan.done == ("01",)


def test_what_is_given_up_counts_like_what_is_refuted():
    story = PlanStory(a_plan_loop(a_plan(a_task("01"))))
    for _ in range(4):
        story.says("TASK FAILED: 01: cannot")

    assert (story.loop.pause.cause, story.loop.pause.why) == (
        "parked",
        "Task 01 failed after 3 retries: cannot",
    )


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("TASK FAILED: 01", "Task 01 failed after 0 retries: the agent says so"),
        (
            "TASK FAILED: 01: \nBlocker: no network",
            "Task 01 failed after 0 retries: the agent says so",
        ),
    ],
)
def test_a_pause_for_what_is_parked_says_why_though_the_agent_does_not(words, reason):
    story = PlanStory(a_plan_loop(a_plan(a_task("01"), retries=0)))

    assert story.says(words).reason == reason


def test_a_paused_plan_lets_go_and_moves_nothing():
    story = PlanStory(a_plan_loop(a_plan(a_task("01"))), failing=(check_of("01"),))
    for _ in range(4):
        story.completes("01")
    before = story.loop

    assert story.tell(turn("TASK COMPLETE: 01", "tree-9")) == Stop()
    assert story.loop == before


@pytest.mark.parametrize("word", ["execute", "continue"])
def test_after_a_pause_the_person_has_the_parked_ones_tried_again(word):
    story = PlanStory(failing=(check_of("02"),))
    for _ in range(4):
        story.completes("01", "02")

    directive = story.tell(order(word))

    assert (story.loop.status, story.plan.parked, times(story, "02"), story.plan.assigned) == (
        "running",
        (),
        0,
        ("02",),
    )
    assert '<task id="02"' in directive.prompt
    story.completes("02", mended=(check_of("02"),))
    assert story.plan.assigned == ("03",)


def test_who_orders_execute_on_a_running_loop_is_told_what_is_to_be_done_now():
    story = PlanStory()

    directive = story.tell(order("execute"))

    assert '<task id="01"' in directive.prompt
    assert (story.plan.assigned, story.loop.spend.iterations) == (("01", "02"), 0)


def test_execute_and_verify_are_refused_where_there_is_no_plan():
    for word in ("execute", "verify"):
        story = Story(a_loop())
        assert "loop start --plan FILE" in story.tell(order(word)).message
        assert story.events == []


def test_without_auto_loop_there_is_one_attempt_and_a_report():
    story = PlanStory(a_plan_loop(a_plan(auto_loop=False, retries=0)), failing=(check_of("02"),))

    story.completes("01", "02")

    assert (story.loop.status, story.loop.pause.cause, story.plan.parked) == (
        "paused",
        "parked",
        ("02",),
    )
    assert story.loop.pause.why.startswith("Task 02 failed after 0 retries")


# --- Interactive: a person is asked ---


def test_interactive_asks_before_a_retry():
    story = interactive(failing=(check_of("02"),))

    directive = story.completes("01", "02")

    assert isinstance(directive, Ask)
    assert directive.question == "Task 02 failed. Retry? (0/3 attempts used)"
    assert directive.message.startswith(
        "[LOOP] Task 02 failed. Retry? (0/3 attempts used) y = retry it · n = pause"
    )
    assert (story.loop.status, story.loop.gate.name) == ("asking", "retry")


def test_the_question_counts_the_attempts():
    story = interactive(a_plan(a_task("01")), failing=(check_of("01"),))
    questions = []
    for _ in range(3):
        questions.append(story.completes("01").question)
        story.tell(answer("yes"))

    assert questions == [f"Task 01 failed. Retry? ({used}/3 attempts used)" for used in (0, 1, 2)]
    assert story.completes("01").reason.startswith("Task 01 failed after 3 retries")


@pytest.mark.parametrize(
    "lines", [("TASK FAILED: 02: boom",), ("TASK COMPLETE: 01", "TASK FAILED: 02: boom")]
)
def test_what_the_agent_gives_up_is_asked_about_too(lines):
    directive = interactive().says(*lines)

    assert isinstance(directive, Ask)
    assert directive.question.startswith("Task 02 failed.")


def test_a_yes_retries_with_what_went_wrong():
    story = interactive(failing=(check_of("02"),))
    story.completes("01", "02")

    directive = story.tell(prompt("yes"))

    assert isinstance(directive, Continue)
    assert (story.loop.status, story.loop.gate, story.plan.assigned) == ("running", None, ("02",))
    assert "<attempt>1 of 3</attempt>" in directive.prompt


def test_a_no_pauses_and_who_goes_on_retries():
    story = interactive(failing=(check_of("02"),))
    story.completes("01", "02")

    story.tell(answer("no"))
    assert (story.loop.status, story.loop.pause.cause, story.loop.pause.why) == (
        "paused",
        "person",
        "you answered no",
    )

    assert "<attempt>1 of 3</attempt>" in story.tell(order("continue")).prompt


def test_what_follows_a_yes_is_guidance_for_the_retry():
    story = interactive(failing=(check_of("02"),))
    story.completes("01", "02")

    directive = story.tell(answer("yes, try it with a lock"))

    assert "The person says: yes, try it with a lock" in directive.prompt
    assert '<task id="02"' in directive.prompt


def test_interactive_asks_between_waves():
    story = interactive()

    directive = story.completes("01", "02")

    assert isinstance(directive, Ask)
    assert (directive.question, story.loop.gate.name) == ("Wave 1 complete. Continue?", "wave")
    assert '<task id="03"' in story.tell(answer("yes")).prompt
    assert story.plan.assigned == ("03",)


def test_within_a_wave_nobody_is_asked():
    directive = interactive().completes("01")

    assert isinstance(directive, Continue)


def test_an_eager_plan_has_no_waves_to_ask_between():
    story = interactive(a_plan(a_task("01"), a_task("02"), a_task("03", 2, "01"), eager=True))

    assert isinstance(story.completes("01", "02"), Continue)


def test_after_the_last_wave_the_verification_follows_and_no_question():
    story = interactive(a_plan(a_task("01")))

    assert story.completes("01").reason == "complete"
    assert story.events_of(ev.GateOpened) == []


def test_yolo_asks_nothing():
    story = PlanStory(failing=(check_of("02"),))
    story.completes("01", "02")
    story.completes("02", mended=(check_of("02"),))
    story.completes("03")

    assert story.events_of(ev.GateOpened) == []
    assert story.loop.status == "finished"


def test_who_wants_no_more_questions_is_asked_none():
    story = interactive(failing=(check_of("02"),))
    story.completes("01", "02")

    story.tell(answer("proceed without confirmation"))
    story.completes("02")
    story.completes("02", mended=(check_of("02"),))
    story.completes("03")

    assert len(story.events_of(ev.GateOpened)) == 1
    assert story.loop.status == "finished"


@pytest.mark.parametrize("gates", [True, False], ids=["interactive", "yolo"])
def test_a_checkpoint_asks_whatever_the_mode(gates):
    story = PlanStory(a_plan_loop(gates_enabled=gates))

    directive = story.says("CHECKPOINT: which port?")

    assert isinstance(directive, Ask)
    assert (directive.question, story.loop.gate.name) == ("which port?", "ask")
    assert "y = " not in directive.message
    assert "The person says: 8080" in story.tell(answer("8080")).prompt
    assert (story.plan.assigned, story.plan.failures) == (("01", "02"), ()), "to ask is not to fail"


def test_what_is_reported_beside_a_checkpoint_waits_for_the_answer():
    story = PlanStory()

    assert isinstance(
        story.says("TASK COMPLETE: 01", "TASK FAILED: 02: boom", "CHECKPOINT: which port?"), Ask
    )
    assert (story.plan.done, story.plan.failures, story.checks_run) == ((), (), [])

    story.tell(answer("8080"))
    assert story.plan.assigned == ("01", "02")
    story.says("TASK COMPLETE: 01", "TASK FAILED: 02: boom")
    assert (story.plan.done, times(story, "02")) == (("01",), 1)


# --- Silence ---


def test_to_stop_without_a_word_is_no_failed_attempt():
    story = PlanStory()

    for _ in range(3):
        assert isinstance(story.says("I go on."), Continue)

    assert (story.plan.failures, story.plan.assigned) == ((), ("01", "02"))
    assert story.loop.spend.iterations == 3


def test_who_never_reports_is_stuck_in_the_end():
    story = PlanStory()
    directives = [story.says("I go on.") for _ in range(10)]  # each changes files

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "stuck")
    assert "Change approach" in directives[6].prompt
    assert story.plan.failures == ()
    story.tell(order("continue"))
    assert (story.loop.status, story.loop.streak.stuck) == ("running", 0)


def test_a_report_ends_the_stretch_of_silence():
    story = PlanStory()
    for _ in range(4):
        story.says("I go on.")

    story.says("TASK FAILED: 01: boom")

    assert story.loop.streak.stuck == 0


def test_mere_talk_is_idle():
    story = PlanStory()
    for _ in range(3):
        story.tell(turn("Let us see.", story.loop.tree, tool_calls=0))

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "idle")


def test_iterations_are_the_last_bound():
    story = PlanStory(a_plan_loop(limits=a_plan_loop().limits.but(iterations=2)))
    story.says("I go on.")

    directive = story.says("I go on.")

    assert (story.loop.pause.cause, directive.reason) == (
        "iterations",
        "iteration limit of 2 reached",
    )
    assert "loop continue --iterations=10" in directive.message
    assert story.tell(order("continue")).message.endswith(
        "Raise it: `loop continue --iterations=10`"
    )
    assert '<task id="01"' in story.tell(order("continue", iterations=5)).prompt


def test_the_task_that_finishes_at_the_limit_is_judged_before_the_limit():
    story = PlanStory(
        a_plan_loop(a_plan(a_task("01")), limits=a_plan_loop().limits.but(iterations=1))
    )

    assert story.completes("01").reason == "complete"


# --- The frame that every loop has ---


def test_a_foreign_session_is_left_alone():
    story = PlanStory()
    before = story.loop

    directive = story.tell(turn("TASK COMPLETE: 01", session="s2"))

    assert "loop attach --session s2" in directive.message
    assert story.loop.but(dialogue=story.loop.dialogue.but(foreign_sessions=())) == before


def test_a_loop_that_nobody_drives_is_bound_to_the_first_prompt_which_opens_the_plan():
    story = PlanStory(a_plan_loop(lease=Lease()))

    directive = story.tell(prompt("go"))

    assert story.loop.lease.holder == SESSION
    assert (
        first_line(directive)
        == "[LOOP] Starting | Phase 1 | 3 tasks in 2 waves | Retries: 3 | Rounds: 20 | Budget: $25"
    )
    assert '<task id="01"' in directive.prompt


def test_an_agent_may_say_honestly_that_it_is_blocked():
    story = PlanStory()

    story.says(block({}, "BLOCKED: no network"))

    assert (story.loop.pause.cause, story.plan.failures) == ("blocked", ())


def test_an_agent_cannot_end_a_plan_by_claiming_the_exit():
    story = PlanStory()

    story.says("<loop-complete>", block({check_of("01"): True}, exit=True))
    story.tell(claim({check_of("02"): True}, exit=True))
    story.says("done")

    assert (story.loop.status, story.plan.done) == ("running", ())


def test_a_broken_constraint_pauses_at_once():
    loop = a_plan_loop(must_not=(Criterion("vendor changed", Check("git diff --quiet vendor")),))
    story = PlanStory(loop)
    wanted = story.tell(turn("TASK COMPLETE: 01", "tree-2"))
    while wanted.criterion != "vendor changed":
        wanted = story.tell(passed(wanted.criterion))
    story.tell(passed("vendor changed"))

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "must-not")


def test_a_pause_between_two_checks_is_heard_and_the_late_result_dropped():
    story = PlanStory()
    wanted = story.tell(turn("TASK COMPLETE: 01", "tree-2"))
    assert isinstance(wanted, RunCheck)
    story.tell(order("pause"))
    story.directive = wanted

    story.tell(passed(check_of("01")))

    assert (story.loop.status, story.plan.done) == ("paused", ())
    assert story.events_of(ev.CheckResultDropped)


def test_what_ended_stays_ended():
    story = PlanStory(a_plan_loop(a_plan(a_task("01"))))
    story.completes("01")
    before = story.loop
    assert before.status == "finished"

    for signal in (
        turn("TASK FAILED: 01: no", "tree-9"),
        order("execute"),
        order("verify"),
        order("continue"),
        answer("yes"),
    ):
        assert isinstance(story.tell(signal), Stop)
    assert story.loop == before


def test_a_cancelled_plan_stays_cancelled():
    story = PlanStory()
    story.tell(order("cancel"))

    assert "ended (cancelled)" in story.tell(order("execute")).message
    assert story.tell(turn("TASK COMPLETE: 01", "tree-2")) == Stop()
    assert story.plan.done == ()


def test_commits_are_remembered_by_what_they_are_for():
    story = PlanStory()
    story.completes("01")

    story.tell(Committed(0.0, "01", "abc123"))

    assert story.plan.commits == (("01", "abc123"),)
    assert story.events_of(pl.CommitMade)
