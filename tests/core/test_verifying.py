"""Verifying a plan: from the goal back to what is missing, gaps of every kind, rounds of fixing, and when it has passed."""

import pytest

from loopwright.core import events as ev
from loopwright.core.criteria import Check, Criterion
from loopwright.core.directives import Ask, Continue, RunCheck, Stop
from loopwright.core.plan import events as pl
from loopwright.core.plan.plan import Gap, HistoryEntry, TaskCheck
from loopwright.core.prompts.plan import final_summary
from loopwright.core.signals import ClientEvent
from tests.support.builders import (
    SESSION,
    answer,
    block,
    failed,
    first_line,
    order,
    passed,
    prompt,
    turn,
)
from tests.support.plan_stories import (
    PlanStory,
    a_link,
    a_plan,
    a_plan_loop,
    a_task,
    check_of,
    must_have,
)

RUN = "Run /loop:verify to fix gaps and re-verify."
ALL = ("lint", "typecheck", "test", "build", "e2e")
ONE = a_plan(a_task("01"))
LINT, ARTIFACT, LINK = "lint", "artifact src/01.py", "link src/01.py → src/main.py"
SAW = {"met": True, "verification": "observation", "evidence": "I looked"}


def verifying(failing=(), plan=ONE, commands=("lint", "test"), **changes):
    """A plan whose only task is done in its first turn, with what then fails."""
    story = PlanStory(a_plan_loop(plan, commands, **changes), failing)
    story.completes(*(task.id for task in plan.tasks))
    return story


def keys(story):
    return tuple(gap.key for gap in story.plan.gaps)


def seen(criterion, outcome):
    """The probe of this criterion comes back with what it saw."""

    class Seeing(PlanStory):
        def outcome(self, name):
            return outcome if name == criterion else super().outcome(name)

    return Seeing


# --- From the last task to the verification ---


def test_the_last_task_begins_the_verification_in_the_same_stop():
    story = PlanStory(a_plan_loop(ONE, ("lint",)))

    assert story.tell(turn("TASK COMPLETE: 01", "tree-2")).criterion == check_of("01")
    assert story.tell(passed(check_of("01"))).criterion == LINT
    assert (story.plan.stage, story.plan.done) == ("verify", ("01",))


def test_when_all_holds_it_is_finished_and_proven():
    story = verifying(commands=ALL)

    assert story.directive.reason == "complete"
    assert story.loop.verdict.proven
    assert story.plan.history == (HistoryEntry(0, "verify", "passed"),)
    assert {*story.checks_run} == {check_of("01"), ARTIFACT, *ALL}


def test_what_was_proven_on_this_tree_is_not_run_again():
    story = verifying()

    assert story.checks_run.count(check_of("01")) == 1


def test_what_was_proven_on_an_older_tree_is_run_again():
    story = PlanStory(a_plan_loop(a_plan(a_task("01"), a_task("02", 2, "01"))))
    story.completes("01")
    story.completes("02")

    assert story.checks_run.count(check_of("01")) == 2


def test_the_end_to_end_check_runs_last():
    story = verifying(commands=ALL)

    assert story.checks_run[-1] == "e2e"


def test_the_end_to_end_check_runs_only_when_all_else_holds():
    story = verifying(("lint",), commands=ALL)
    assert "e2e" not in story.checks_run

    story.says("GAP CLOSED: lint", mended=("lint",))

    assert story.checks_run[-1] == "e2e"
    assert story.loop.status == "finished"


def test_an_end_to_end_check_that_fails_is_the_only_gap():
    story = verifying(("e2e",), commands=ALL)

    assert keys(story) == ("ci_failure:e2e",)
    assert story.says("GAP CLOSED: e2e", mended=("e2e",)).reason == "complete"


# --- Gaps ---


@pytest.mark.parametrize("kind", ["orphan", "stub", "missing_export", "wrong_import"])
def test_what_a_look_at_an_artifact_shows_is_a_gap_of_that_type(kind):
    story = seen(ARTIFACT, kind)(a_plan_loop(ONE), (ARTIFACT,))

    directive = story.completes("01")

    assert keys(story) == (f"{kind}:src/01.py",)
    assert f'<gap type="{kind}" iteration="1/20">' in directive.prompt
    assert story.plan.gaps[0].criterion == ARTIFACT


def test_a_link_that_is_not_there_is_a_broken_link_with_both_ends():
    plan = ONE.but(links=(a_link("src/01.py", "src/main.py"),))
    story = verifying((LINK,), plan)

    assert keys(story) == ("broken_link:src/01.py->src/main.py",)
    assert "<to>src/main.py</to>" in story.directive.prompt
    assert story.plan.history[-1].gaps == keys(story)


@pytest.mark.parametrize("command", ALL)
def test_a_command_that_fails_is_a_ci_failure(command):
    story = verifying((command,), commands=ALL)

    assert keys(story) == (f"ci_failure:{command}",)


def test_a_ci_failure_is_about_the_file_that_its_output_names():
    story = PlanStory(a_plan_loop(ONE, ("lint",)))
    story.tell(turn("TASK COMPLETE: 01", "tree-2"))
    story.tell(passed(check_of("01")))
    story.tell(failed("lint", "src/01.py:3: unused import"))
    story.answer_checks(story.directive)

    assert keys(story) == ("ci_failure:src/01.py",)
    assert "src/01.py:3: unused import" in story.directive.prompt


def test_a_task_that_holds_no_longer_is_a_gap():
    story = PlanStory(a_plan_loop(a_plan(a_task("01"), a_task("02", 2, "01"))))
    story.completes("01")
    story.failing = {check_of("01")}

    story.completes("02")

    assert story.plan.done == ("01", "02")
    assert [gap.criterion for gap in story.plan.gaps] == [check_of("01")]


def test_a_must_have_with_a_command_is_proven_by_it():
    plan = ONE.but(must_haves=(must_have("it starts", "make run"),))
    loop = a_plan_loop(plan)
    may = tuple(
        c.but(check=c.check.but(allowed=True)) if c.name == "it starts" else c
        for c in loop.criteria
    )
    story = PlanStory(loop.but(criteria=may), ("it starts",))
    story.completes("01")
    assert [gap.criterion for gap in story.plan.gaps] == ["it starts"]

    assert story.says("GAP CLOSED: it starts", mended=("it starts",)).reason == "complete"
    assert story.loop.verdict.proven


# --- Rounds of fixing ---


def test_a_session_gets_all_gaps_at_once_each_with_its_commit():
    story = verifying((LINT, ARTIFACT))

    assert story.plan.assigned == keys(story) == ("ci_failure:lint", "stub:src/01.py")
    assert (
        first_line(story.directive) == f"Loop active. Continuing verify loop iteration 1/20. {RUN}"
    )
    assert "`fix(1): ci_failure lint`; `fix(1): stub src/01.py`" in story.directive.prompt


def test_fixed_gaps_are_closed_and_the_rest_is_tried_again():
    story = verifying((LINT, ARTIFACT))

    directive = story.says("GAP CLOSED: src/01.py", mended=(ARTIFACT,))

    assert (keys(story), story.plan.fix_rounds) == (("ci_failure:lint",), 2)
    assert [event.key for event in story.events_of(pl.GapClosed)] == ["stub:src/01.py"]
    assert "<attempt>1 of 3</attempt>" in directive.prompt
    assert story.says("GAP CLOSED: lint", mended=(LINT,)).reason == "complete"


def test_that_a_gap_is_closed_is_never_believed():
    story = verifying((LINT,))

    assert isinstance(story.says("GAP CLOSED: lint"), Continue)
    assert story.plan.gaps[0].tries == 1


def test_the_history_has_a_line_for_every_verification():
    story = verifying((LINT, ARTIFACT))
    story.says("GAP CLOSED: src/01.py", mended=(ARTIFACT,))
    story.says("GAP CLOSED: lint", mended=(LINT,))

    assert story.plan.history == (
        HistoryEntry(0, "verify", "gaps_found", ("ci_failure:lint", "stub:src/01.py")),
        HistoryEntry(1, "verify", "gaps_found", ("ci_failure:lint",)),
        HistoryEntry(2, "verify", "passed"),
    )


def test_a_fix_that_breaks_something_else_shows_at_once():
    story = verifying((LINT,))
    story.failing |= {"test"}

    story.says("GAP CLOSED: lint", mended=(LINT,))

    assert keys(story) == ("ci_failure:test",)


def test_vector_8_after_round_three_of_twenty_comes_the_fourth():
    story = verifying((LINT,), ONE.but(fix_rounds=3))

    assert (
        first_line(story.directive) == f"Loop active. Continuing verify loop iteration 4/20. {RUN}"
    )


def test_vector_8_after_round_twenty_of_twenty_it_pauses_and_lets_go():
    story = verifying((LINT, ARTIFACT), ONE.but(fix_rounds=20))

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "rounds")
    assert story.loop.pause.why.startswith("Max iterations (20) reached with 2 gaps remaining")
    assert "ci_failure:lint, stub:src/01.py" in story.loop.pause.why
    assert story.tell(turn("GAP CLOSED: lint", "tree-9")) == Stop()


def test_who_goes_on_after_the_last_round_gets_ten_more():
    story = verifying((LINT,), ONE.but(fix_rounds=20))

    directive = story.tell(order("continue"))

    assert first_line(directive) == f"Loop active. Continuing verify loop iteration 21/30. {RUN}"
    assert story.plan.assigned == ("ci_failure:lint",)


def test_a_gap_that_failed_its_fix_three_times_is_parked_and_the_others_go_on():
    story = verifying((LINT, ARTIFACT, "test"))
    story.says("GAP CLOSED: src/01.py", mended=(ARTIFACT,))
    story.says("GAP FAILED: it will not")
    story.failing |= {ARTIFACT}

    story.says("GAP FAILED: it will not")

    assert {*story.plan.parked} == {"ci_failure:lint", "ci_failure:test"}
    assert story.plan.assigned == ("stub:src/01.py",)
    assert story.loop.status == "running"


def test_when_every_gap_is_parked_it_pauses():
    story = verifying((LINT,))
    for _ in range(3):
        story.says("GAP FAILED: it will not")

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "parked")
    assert story.loop.pause.why == "1 gap failed to be fixed 3 times each: ci_failure:lint"
    assert story.plan.fix_rounds == 3, "and not burnt through twenty"


def test_who_goes_on_has_the_parked_gaps_tried_again():
    story = verifying((LINT,))
    for _ in range(3):
        story.says("GAP FAILED: it will not")

    directive = story.tell(order("continue"))

    assert (story.plan.parked, story.plan.assigned, story.plan.gaps[0].tries) == (
        (),
        ("ci_failure:lint",),
        0,
    )
    assert '<gap type="ci_failure"' in directive.prompt


def test_without_auto_loop_the_gaps_are_reported_and_not_fixed():
    story = verifying((LINT,), ONE.but(auto_loop=False, retries=0))

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "gaps")
    assert story.loop.pause.why == "Verification found 1 gap, and auto_loop is off: ci_failure:lint"
    assert story.plan.fix_rounds == 0


def test_without_auto_loop_who_goes_on_gets_one_round():
    story = verifying((LINT,), ONE.but(auto_loop=False, retries=0))

    assert '<gap type="ci_failure"' in story.tell(order("continue")).prompt
    story.says("GAP FAILED: no")

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "gaps")


def test_without_auto_loop_every_word_of_the_person_is_one_more_round():
    story = verifying((LINT,), ONE.but(auto_loop=False, retries=0, max_fix_rounds=1))

    for iteration in ("1/1", "2/11"):
        assert (
            first_line(story.tell(order("continue")))
            == f"Loop active. Continuing verify loop iteration {iteration}. {RUN}"
        )
        story.says("GAP FAILED: no")


# --- Interactive ---


def test_interactive_asks_before_a_fix():
    story = verifying((LINT, ARTIFACT), gates_enabled=True)

    assert isinstance(story.directive, Ask)
    assert story.directive.question == "Verification found 2 gaps. Attempt automatic fix? (0/20)"
    assert story.directive.message.startswith(
        "[LOOP] Verification found 2 gaps. Attempt automatic fix? (0/20) y = fix them · n = pause · "
    )
    assert story.plan.fix_rounds == 0, "nothing has begun"


@pytest.mark.parametrize(
    "word", [answer("yes"), prompt("y"), order("continue")], ids=["answer", "prompt", "continue"]
)
def test_a_yes_begins_the_round(word):
    story = verifying((LINT,), gates_enabled=True)

    directive = story.tell(word)

    assert (story.plan.fix_rounds, story.plan.assigned) == (1, ("ci_failure:lint",))
    assert first_line(directive) == f"Loop active. Continuing verify loop iteration 1/20. {RUN}"
    story.says("GAP FAILED: no")
    assert story.directive.question == "Verification found 1 gap. Attempt automatic fix? (1/20)"


def test_a_no_pauses():
    story = verifying((LINT,), gates_enabled=True)

    story.tell(answer("no"))

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "person")


# --- What no check can show ---

ACCEPT_QUESTION = (
    'All checks pass. The agent also says "it looks good". No command has run for this. '
    "Accept its word?"
)
LOOKS = ONE.but(must_haves=(must_have("it looks good"),))


def test_a_must_have_without_a_command_is_examined_with_the_third_message_of_the_seed():
    story = verifying(plan=LOOKS)

    assert first_line(story.directive) == "Loop active. Run /loop:status to check state."
    assert "- it looks good: not claimed yet" in story.directive.prompt
    assert "---LOOP_STATUS---" in story.directive.prompt
    assert ".loop/VERIFICATION.md" in story.directive.prompt
    assert story.loop.status == "running"


def test_under_yolo_it_ends_reported_when_it_is_claimed_with_what_was_seen():
    story = verifying(plan=LOOKS)

    assert story.says(block({"it looks good": SAW})).reason == "complete"
    assert not story.loop.verdict.proven
    proofs = {c.name: c.proof for c in story.loop.criteria}
    assert (proofs["it looks good"].by, proofs["it looks good"].detail) == ("agent", "I looked")


def test_an_assumption_does_not_count():
    story = verifying(plan=LOOKS)

    directive = story.says(block({"it looks good": {"met": True, "verification": "assumption"}}))

    assert isinstance(directive, Continue)
    assert '"assumption" does not count' in directive.prompt
    assert story.loop.status == "running"


def test_who_never_claims_it_is_stuck_in_the_end():
    story = verifying(plan=LOOKS)
    for _ in range(10):  # each changes files, and no check can count what it did
        story.says("I look.")

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "stuck")


def test_a_claim_from_before_counts_in_the_verification():
    story = PlanStory(a_plan_loop(LOOKS))
    story.says(block({"it looks good": SAW}))

    assert story.completes("01").reason == "complete"


def test_interactive_asks_a_person_about_what_is_only_claimed_and_a_yes_accepts_it():
    story = verifying(plan=LOOKS, gates_enabled=True)

    directive = story.says(block({"it looks good": SAW}))
    assert (directive.question, story.loop.gate.name) == (ACCEPT_QUESTION, "G3")

    assert story.answer_checks(story.tell(answer("yes", story.loop.tree))).reason == "complete"
    assert (story.loop.verdict.proven, story.loop.verdict.grade) == (False, "accepted")
    assert {c.proof.by for c in story.loop.criteria} == {"loop", "person"}


def test_who_does_not_confirm_is_heard_and_asked_again_after_the_next_turn():
    story = verifying(plan=LOOKS, gates_enabled=True)
    story.says(block({"it looks good": SAW}))

    story.tell(answer("no, the header is ugly"))
    directive = story.tell(order("continue"))
    assert "The person says: no, the header is ugly" in directive.prompt

    assert story.says("Better now.").question == ACCEPT_QUESTION


def test_a_yes_on_a_tree_that_fails_meanwhile_finds_the_gap():
    story = verifying(plan=LOOKS, gates_enabled=True)
    story.says(block({"it looks good": SAW}))
    story.failing |= {LINT}

    directive = story.answer_checks(story.tell(answer("yes", "tree-77")))

    assert directive.question == "Verification found 1 gap. Attempt automatic fix? (0/20)"


def test_what_all_checks_prove_needs_no_confirmation():
    assert verifying(gates_enabled=True).loop.status == "finished"


CHECKED = a_plan(a_task("01", checks=(TaskCheck("test", "it works", command="make check"),)))


@pytest.mark.parametrize("gates", [True, False], ids=["interactive", "yolo"])
def test_a_plan_does_no_work_while_its_commands_may_not_run(gates):
    story = verifying(plan=CHECKED, gates_enabled=gates)

    assert (story.plan.done, story.plan.history) == ((), ())
    assert (story.loop.status, story.loop.gate.name) == ("asking", "allow")
    assert story.loop.gate.question == "1 check may not run yet: 01.1 it works ← make check. Allow?"
    assert story.tell(order("continue")).question == story.loop.gate.question
    assert story.tell(order("execute")).question == story.loop.gate.question


def test_a_yes_allows_the_listed_commands_and_the_plan_goes_on():
    story = verifying(plan=CHECKED)

    assert '<task id="01"' in story.tell(answer("sure, go ahead")).prompt
    assert not story.loop.waiting_checks


def test_who_works_without_the_commands_gets_no_proof_and_nothing_passed():
    story = verifying(plan=CHECKED)
    story.tell(order("waive"))
    story.tell(order("continue"))
    story.completes("01")
    story.says(block({"01.1 it works": {"met": True, "verification": "observation"}}))

    assert {entry.result for entry in story.plan.history} == {"unproven"}
    assert (story.loop.status, story.loop.verdict.proven) == ("finished", False)


# --- Gaps that an agent reports ---

ORPHAN = Gap("orphan", "src/x.py", "nobody imports it")


def test_what_an_agent_reports_is_added_to_what_we_found():
    story = verifying((LINT,))

    story.says("I looked around.", reported_gaps=(ORPHAN,))

    assert {*keys(story)} == {"ci_failure:lint", "orphan:src/x.py"}
    assert {*story.plan.assigned} == {*keys(story)}


def test_what_an_agent_reports_takes_nothing_away_that_we_found():
    story = verifying((LINT,))

    story.says("All is well.", reported_gaps=())
    story.says("It is another.", reported_gaps=(Gap("ci_failure", "lint", "it is fine"),))

    ours = next(gap for gap in story.plan.gaps if gap.key == "ci_failure:lint")
    assert (ours.criterion, ours.tries) == ("lint", 2)


def test_what_an_examining_agent_finds_missing_is_a_gap():
    story = verifying(plan=LOOKS)

    directive = story.says("Something is missing.", reported_gaps=(ORPHAN,))

    assert keys(story) == ("orphan:src/x.py",)
    assert "<description>nobody imports it</description>" in directive.prompt


def test_a_reported_gap_that_the_agent_says_is_closed_is_closed():
    story = verifying((LINT,))
    story.says("I looked around.", reported_gaps=(ORPHAN,), mended=(LINT,))

    assert story.says("GAP CLOSED: src/x.py").reason == "complete"


# No check stands behind a reported gap: the word of who worked on it is all there is.
@pytest.mark.parametrize("words", ["GAP FAILED: src/x.py: it will not", "I go on."])
def test_a_reported_gap_that_is_not_said_to_be_closed_stays(words):
    story = verifying((LINT,))
    story.says("I looked around.", reported_gaps=(ORPHAN,), mended=(LINT,))

    story.says(words)

    assert story.loop.status == "running"
    assert [(gap.key, gap.tries) for gap in story.plan.gaps] == [("orphan:src/x.py", 1)]


def test_our_own_gap_keeps_its_check_when_an_agent_reports_the_same():
    story = verifying((LINT,))
    story.failing |= {"test"}

    story.says("I saw it too.", reported_gaps=(Gap("ci_failure", "test", "the tests fail"),))

    assert {gap.key: gap.criterion for gap in story.plan.gaps} == {
        "ci_failure:lint": "lint",
        "ci_failure:test": "test",
    }


# --- /loop:verify ---


def parked(plan):
    """Task 02 is out of retries, and the loop has paused."""
    story = PlanStory(a_plan_loop(plan, ("lint",)), (check_of("02"),))
    for _ in range(4):
        story.completes("01", "02") if plan.task("02").checks else story.says(
            "TASK COMPLETE: 01", "TASK FAILED: 02: no"
        )
    assert story.loop.pause.cause == "parked"
    return story


def ordered(story, tree="tree-50"):
    return story.answer_checks(story.tell(order("verify", tree=tree)))


def test_who_orders_a_verification_gets_one_whatever_is_open():
    story = PlanStory(
        a_plan_loop(commands=("lint",)),
        (LINT, check_of("02"), check_of("03"), "artifact src/02.py"),
    )

    directive = ordered(story)

    assert story.plan.stage == "verify"
    assert first_line(directive).startswith("Loop active. Continuing verify loop iteration 1/20.")
    assert {gap.criterion for gap in story.plan.gaps} == story.failing


def test_a_parked_task_whose_checks_hold_is_done_by_that():
    story = parked(a_plan(a_task("01"), a_task("02")))
    story.failing = set()

    assert ordered(story).reason == "complete"
    assert {*story.plan.done} == {"01", "02"}
    assert story.plan.parked == ()


def test_a_parked_task_that_still_fails_is_a_gap_and_done_when_it_is_fixed():
    story = parked(a_plan(a_task("01"), a_task("02")))
    ordered(story)
    assert [gap.criterion for gap in story.plan.gaps] == [check_of("02")]

    assert story.says("GAP CLOSED: src/02.py", mended=(check_of("02"),)).reason == "complete"
    assert {*story.plan.done} == {"01", "02"}


def test_a_task_that_no_check_can_prove_and_that_was_never_done_stands_in_the_way():
    story = parked(a_plan(a_task("01"), a_task("02", checks=())))

    ordered(story)

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "parked")
    assert "never done: 02" in story.loop.pause.why
    assert story.plan.done == ("01",)


def test_who_goes_on_with_a_task_that_was_never_done_has_it_done():
    story = parked(a_plan(a_task("01"), a_task("02", checks=())))
    ordered(story)

    directive = story.tell(order("continue"))

    assert '<task id="02"' in directive.prompt
    assert (story.plan.stage, story.plan.assigned) == ("execute", ("02",))
    assert story.completes("02").reason == "complete"


def test_verify_and_execute_lead_from_one_stage_to_the_other():
    story = PlanStory(a_plan_loop(commands=("lint",)), (LINT,))
    ordered(story)

    directive = story.tell(order("execute"))

    assert (story.plan.stage, story.plan.assigned) == ("execute", ("01", "02"))
    assert '<task id="01"' in directive.prompt


def test_execute_when_every_task_is_done_verifies():
    story = verifying((LINT,))

    wanted = story.tell(order("execute"))

    assert isinstance(wanted, RunCheck)
    story.failing = set()
    assert story.answer_checks(wanted).reason == "complete"


# --- Pauses in the middle ---


def test_who_goes_on_after_a_pause_in_the_middle_of_the_verification_has_it_made():
    story = PlanStory(a_plan_loop(ONE, ("lint",)), (LINT,))
    story.tell(turn("TASK COMPLETE: 01", "tree-2"))
    assert story.tell(passed(check_of("01"))).criterion == LINT
    story.tell(order("pause"))

    directive = story.answer_checks(story.tell(order("continue")))

    assert '<gap type="ci_failure"' in directive.prompt
    assert keys(story) == ("ci_failure:lint",)


@pytest.mark.parametrize(
    "word",
    [order("attach", session="s2"), order("continue"), ClientEvent(0.0, "start", SESSION)],
    ids=["attach", "continue", "start"],
)
def test_in_the_middle_of_the_verification_nobody_is_told_that_every_check_passes(word):
    story = PlanStory(a_plan_loop(ONE, ("lint",)), (LINT,))
    story.tell(turn("TASK COMPLETE: 01", "tree-2"))
    story.tell(passed(check_of("01")))

    text = story.tell(word).prompt

    assert "every check passes" not in text
    assert "End your turn now; then it continues" in text


# There is nothing left for the agent to do, so it is given no turn.
def test_who_allows_the_commands_and_goes_on_has_them_run():
    task = a_task("01", checks=(TaskCheck("test", "it works", command="make check"),))
    story = verifying(plan=a_plan(task))
    story.tell(
        order(
            "allow",
            criteria=(
                Criterion("01.1 it works", Check("make check", origin="proposed", allowed=True)),
            ),
        )
    )

    assert '<task id="01"' in story.tell(order("continue")).prompt
    assert story.completes("01").reason == "complete"
    assert story.loop.verdict.proven


def test_a_pause_in_the_middle_of_the_verification_is_no_way_round_the_last_round():
    story = verifying((LINT,), ONE.but(max_fix_rounds=1))
    story.tell(order("verify", tree="tree-8"))
    story.tell(order("pause"))

    directive = story.answer_checks(story.tell(order("continue")))

    assert (directive.reason, story.loop.pause.cause) == (
        "Max iterations (1) reached with 1 gaps remaining: ci_failure:lint",
        "rounds",
    )
    assert story.plan.fix_rounds == 1


def test_a_limit_between_two_rounds_pauses_and_the_raise_goes_on_with_the_gaps():
    story = verifying((LINT,), limits=a_plan_loop(ONE).limits.but(iterations=1))
    assert story.loop.pause.cause == "iterations"

    directive = story.tell(order("continue", iterations=5))

    assert story.plan.assigned == ("ci_failure:lint",)
    assert '<gap type="ci_failure"' in directive.prompt


def test_the_last_line_says_what_it_took():
    story = verifying((LINT,))
    story.says("GAP CLOSED: lint", mended=(LINT,))

    assert (
        final_summary(story.loop)
        == "Phase 1: 1 of 1 task done | 2 iterations, 1 round of fixing, $0.00"
    )
    assert story.events_of(ev.LoopFinished)


def test_what_is_closed_in_the_end_is_parked_no_longer():
    story = verifying(("e2e",), commands=ALL)
    story.says("GAP FAILED: no")
    story.says("GAP FAILED: no")

    assert story.says("GAP CLOSED: e2e", mended=("e2e",)).reason == "complete"
    assert story.plan.parked == ()
