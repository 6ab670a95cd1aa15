"""Disputes: the agent says that a check is wrong, and a person decides."""

from __future__ import annotations

import pytest

from loopwright.cli.exits import exit_code
from loopwright.core import events as ev
from loopwright.core.criteria import Check, Criterion
from loopwright.core.directives import Ask, Continue, MergeLane, Stop
from loopwright.core.loop import Lease, Loop
from loopwright.core.plan import events as pl
from loopwright.core.prompts import messages
from loopwright.core.prompts.phrases import DISPUTE_SENTENCE
from loopwright.core.proof.dispute_events import CriterionDisputed, CriterionRuled, DisputeWithdrawn
from loopwright.core.proof.disputes import Dispute
from loopwright.core.proof.verdict import verdict_of
from tests.support.builders import (
    TREE,
    Story,
    a_discovery_loop,
    a_loop,
    answer,
    block,
    claim,
    order,
    passed,
    prompt,
    proof,
    turn,
    with_check,
    without_check,
)
from tests.support.night import Night
from tests.support.plan_stories import (
    LanesStory,
    PlanStory,
    a_plan,
    a_plan_loop,
    a_task,
    check_of,
)

WRONG = "DISPUTE: tests pass: test_total expects 7, the spec says 8"
WHY = "test_total expects 7, the spec says 8"
TWO = (with_check("tests pass"), with_check("lint", "ruff check"))


def two_checks(**changes) -> Loop:
    return a_loop(**{"criteria": TWO, **changes})


def only_the_dispute_is_open(**changes) -> Story:
    story = Story(two_checks(**changes))
    story.turn(block({}, WRONG), checks={"tests pass": False, "lint": True})
    return story


def rule(ruling: str, name: str = "tests pass", **details):
    return order("rule", arguments=(name, ruling), **details)


# --- The agent disputes ---


def test_the_loop_continues_with_the_rest() -> None:
    story = Story(two_checks())

    told = story.turn(block({}, WRONG), checks={"tests pass": False, "lint": False})

    assert isinstance(told, Continue)
    assert story.loop.disputes == (Dispute("tests pass", WHY),)
    assert told.prompt.splitlines()[0] == "unmet criteria: lint (disputed: tests pass)"
    assert "- tests pass: disputed; the person decides." in told.prompt


def test_when_only_disputed_criteria_are_open_the_person_is_asked() -> None:
    story = only_the_dispute_is_open()

    assert isinstance(story.directive, Ask)
    assert story.loop.status == "asking"
    assert WHY in story.directive.message
    assert '`loop rule "tests pass" keep`' in story.directive.message
    assert story.loop.streak.stuck == 0


def test_an_exit_claim_beside_a_dispute_is_no_lie() -> None:
    story = Story(two_checks())

    said = block({"lint": True}, WRONG, exit=True)
    told = story.turn(said, checks={"tests pass": False, "lint": True})

    assert isinstance(told, Ask)
    assert not story.events_of(ev.ClaimRefuted)


def test_without_gates_it_pauses_with_the_reason_and_the_command() -> None:
    story = only_the_dispute_is_open(gates_enabled=False)

    assert isinstance(story.directive, Stop)
    assert (story.loop.status, story.loop.pause.cause) == ("paused", "dispute")
    assert WHY in story.directive.message
    assert '`loop rule "tests pass" keep`' in story.directive.message


def test_a_command_disputes_too_and_is_judged_at_the_next_stop() -> None:
    story = Story(two_checks())

    story.tell(claim(disputes=(f"tests pass: {WHY}",)))
    told = story.turn("", checks={"tests pass": False, "lint": True})

    assert isinstance(told, Ask)


def test_a_disputed_criterion_that_passes_counts_and_the_dispute_is_withdrawn() -> None:
    story = Story(two_checks())

    said = block({}, WRONG, exit=True)
    story.turn(said, checks={"tests pass": True, "lint": True})

    assert story.events_of(DisputeWithdrawn) == [DisputeWithdrawn("tests pass")]
    assert story.loop.status == "finished"
    assert story.loop.verdict is not None
    assert story.loop.verdict.proven
    assert any("the dispute is withdrawn: tests pass" in n for n in story.loop.verdict.notes)


def test_repeating_a_dispute_is_no_news() -> None:
    story = Story(two_checks())
    for _ in range(2):
        story.turn(block({}, WRONG), checks={"tests pass": False, "lint": False})

    assert len(story.events_of(CriterionDisputed)) == 1


def test_a_name_that_is_no_criterion_is_named_in_the_next_prompt() -> None:
    story = Story(two_checks())

    told = story.turn(
        block({}, "DISPUTE: the tests: wrong"), checks={"tests pass": False, "lint": False}
    )

    assert not story.loop.disputes
    assert "disagree on: the tests. Use the exact names." in told.prompt


def test_a_name_with_a_colon_is_found() -> None:
    story = Story(a_loop(criteria=(with_check("api: total"), with_check("api"))))

    story.turn(block({}, "DISPUTE: api: total: wrong"), checks={"api: total": False, "api": False})

    assert story.loop.disputes == (Dispute("api: total", "wrong"),)


def test_a_quoted_dispute_is_none() -> None:
    story = Story(two_checks())

    story.turn(f"```\n{block({}, WRONG)}\n```", checks={"tests pass": False, "lint": False})

    assert not story.loop.disputes


# --- The person rules ---


def test_keep_gives_the_check_back_to_the_agent() -> None:
    story = only_the_dispute_is_open()

    told = story.tell(rule("keep"))

    assert "stays as it is" in told.message
    assert story.loop.status == "running"
    told = story.tell(prompt("continue"))
    assert 'The person says: "tests pass" stays as it is: it must pass.' in told.prompt
    again = story.turn(block({}, WRONG), checks={"tests pass": False})
    assert isinstance(again, Continue), "what was decided is not disputed again"


def test_drop_ends_without_the_criterion_and_never_proven() -> None:
    story = only_the_dispute_is_open()

    story.tell(rule("drop"))
    story.tell(prompt("continue"))
    story.turn(block({"lint": True}, exit=True), checks={"lint": True})

    verdict = story.loop.verdict
    assert story.loop.status == "finished"
    assert verdict is not None
    assert (verdict.name, verdict.proven) == ("MONITOR", False)
    assert verdict.why == "dropped by you: tests pass"
    assert f"dropped by a person: tests pass, {WHY}" in verdict.notes


def test_change_runs_the_new_command() -> None:
    story = only_the_dispute_is_open()

    new = Criterion("tests pass", Check("pytest tests/unit"))
    story.tell(rule("change", criteria=(new,)))
    story.tell(prompt("continue"))
    wanted = story.tell(turn(block({"tests pass": True}, exit=True)))

    assert wanted.check.command == "pytest tests/unit"
    story.tell(passed("tests pass"))
    story.tell(passed("lint"))  # the last round runs old evidence once more
    verdict = story.loop.verdict
    assert verdict is not None
    assert verdict.proven
    assert any("the check changed by a person: tests pass" in note for note in verdict.notes)


@pytest.mark.parametrize("word", ["keep", "drop", "Drop."])
def test_one_word_answers_the_question(word: str) -> None:
    story = only_the_dispute_is_open()

    told = story.tell(prompt(word))

    assert isinstance(told, Continue)
    assert story.loop.status == "running"
    assert story.loop.disputes[0].ruling == word.lower().rstrip(".")


@pytest.mark.parametrize("text", ["yes", "no", "why is it wrong?"])
def test_anything_else_is_talk_and_the_question_stays(text: str) -> None:
    story = only_the_dispute_is_open()

    story.tell(answer(text))

    assert story.loop.status == "asking"
    assert not story.events_of(CriterionRuled)


def test_a_ruling_on_one_of_two_leaves_the_other_to_be_decided() -> None:
    disputes = (Dispute("tests pass", "wrong"), Dispute("lint", "wrong too"))
    story = Story(two_checks(disputes=disputes))

    said = story.tell(rule("keep"))

    assert "lint" in said.message.partition("\n")[2]
    assert story.loop.awaiting_ruling == ("lint",)


def test_a_ruling_before_anybody_asks_lets_the_loop_work_on() -> None:
    story = Story(two_checks(disputes=(Dispute("tests pass", "wrong"),)))

    story.tell(rule("keep"))

    assert (story.loop.status, story.loop.awaiting_ruling) == ("running", ())


def test_to_drop_the_only_criterion_with_a_word_is_no_answer() -> None:
    story = Story(a_loop())
    story.turn(block({}, WRONG), checks={"tests pass": False})
    assert story.loop.status == "asking"

    story.tell(answer("drop"))

    assert story.loop.status == "asking"
    assert not story.events_of(CriterionRuled)


def test_a_ruling_resumes_a_loop_that_paused_for_it() -> None:
    story = only_the_dispute_is_open(gates_enabled=False)

    story.tell(rule("keep"))

    assert story.loop.status == "running"


@pytest.mark.parametrize(
    ("loop", "order_", "words"),
    [
        pytest.param(two_checks(), rule("drop"), "waits for no ruling", id="nothing is disputed"),
        pytest.param(
            a_loop(disputes=(Dispute("tests pass", "wrong"),)),
            rule("drop"),
            "is the only criterion",
            id="the last criterion",
        ),
        pytest.param(
            two_checks(disputes=(Dispute("tests pass", "wrong"),)),
            rule("change"),
            "with which command?",
            id="change to nothing",
        ),
        pytest.param(
            two_checks(disputes=(Dispute("tests pass", "wrong"),)),
            rule("maybe"),
            "is no ruling",
            id="no ruling",
        ),
    ],
)
def test_a_ruling_that_cannot_be_made_changes_nothing(loop, order_, words: str) -> None:
    story = Story(loop)

    told = story.tell(order_)

    assert words in told.message
    assert (story.loop.criteria, story.loop.disputes) == (loop.criteria, loop.disputes)
    assert story.events_of(ev.OrderRefused)


# --- Other kinds of loops ---


def test_a_disputed_guard_does_not_hold_a_discovery_loop_but_its_end_waits() -> None:
    story = Story(a_discovery_loop(guards=("tests",)))
    told = story.turn("DISPUTE: tests: it needs a network", "tree-2", checks={"tests": False})
    assert isinstance(told, Continue)
    assert not story.loop.failing_guards

    for number in range(3, 6):
        told = story.turn("", f"tree-{number}", checks={"tests": False})

    assert isinstance(told, Ask)
    assert "it needs a network" in told.message


def test_a_task_with_a_disputed_check_is_not_tried_again_and_the_end_waits() -> None:
    plan = a_plan(a_task("01"))
    story = PlanStory(a_plan_loop(plan, gates_enabled=False))
    name = next(c.name for c in story.loop.criteria)
    checks = {c.name: c.name != name for c in story.loop.criteria}

    dispute = f"DISPUTE: {name}: the file is named otherwise"
    told = story.turn(f"TASK COMPLETE: 01\n{dispute}", "tree-2", checks=checks)

    assert isinstance(told, Stop)
    assert story.loop.pause.cause == "dispute"
    assert not story.loop.plan.failures


# --- The sentence in every prompt ---


def test_every_prompt_says_how_to_dispute() -> None:
    loops = [
        two_checks(),
        a_discovery_loop("an item", guards=("tests",)),
        a_plan_loop(a_plan(a_task("01"))),
        two_checks(protocol_due=True),
    ]
    for loop in loops:
        assert messages.opening_prompt(loop).count(DISPUTE_SENTENCE) == 1
        assert messages.continue_prompt(loop).count(DISPUTE_SENTENCE) == 1
        assert messages.reply_protocol(loop).count(DISPUTE_SENTENCE) == 1


def test_the_short_prompt_keeps_its_twelve_lines() -> None:
    criteria = tuple(
        with_check(f"check {n}", proof=proof(f"check {n}", fine=False, detail="x\n" * 40))
        for n in range(9)
    )
    loop = a_loop(
        criteria=criteria, tree=TREE, disputes=(Dispute("check 0", "wrong"),), guidance="mind it"
    )

    assert len(messages.continue_prompt(loop).splitlines()) <= 12


# --- The verdict ---


@pytest.mark.parametrize(
    ("ruling", "name", "proven"),
    [
        pytest.param("", "MONITOR", False, id="undecided"),
        pytest.param("drop", "MONITOR", False, id="dropped"),
        pytest.param("keep", "SHIP", True, id="kept"),
        pytest.param("change", "SHIP", True, id="changed"),
        pytest.param("withdrawn", "SHIP", True, id="withdrawn"),
    ],
)
def test_the_verdict_names_the_dispute(ruling: str, name: str, proven: bool) -> None:
    loop = a_loop(
        criteria=(with_check("tests pass", proof=proof("tests pass"), guard=False),),
        tree=TREE,
        disputes=(Dispute("tests pass", WHY, ruling),),
    )

    verdict = verdict_of(loop)

    assert (verdict.name, verdict.proven) == (name, proven)
    assert any(WHY in note for note in verdict.notes)
    unsure = verdict_of(loop.but(estimate=loop.estimate.but(confidence=10)))
    assert unsure.proven is proven, "no other rule makes it proven"


def test_a_claimed_criterion_that_is_disputed_ends_undecided() -> None:
    story = Story(a_loop(criteria=(with_check("tests pass"), without_check("docs"))))
    docs = {"met": True, "verification": "observation", "evidence": "seen"}

    said = block({"docs": docs}, "DISPUTE: docs: there are none", exit=True)
    story.turn(said, checks={"tests pass": True})

    verdict = story.loop.verdict
    assert verdict is not None
    assert verdict.why == "disputed and not decided: docs"


def test_a_lane_with_a_disputed_check_is_parked_and_not_merged() -> None:
    story = LanesStory(a_plan_loop(a_plan(a_task("01"), a_task("02"))), failing=(check_of("01"),))
    for task in ("01", "02"):
        story.begin(task)

    dispute = f"DISPUTE: {check_of('01')}: the file is named otherwise"
    told = story.says("TASK COMPLETE: 01", dispute, task="01", commit="commit-01")

    assert not isinstance(told, MergeLane)
    assert story.plan.parked == ("01",)
    assert story.loop.status == "running", "the other lane continues"
    assert isinstance(story.finishes("02"), MergeLane)
    story.merges("02")
    assert (story.loop.status, story.loop.pause.cause) == ("paused", "parked")
    assert "loop rule" in story.loop.pause.why


def test_a_lane_that_uses_up_its_attempts_by_a_dispute_is_parked_once() -> None:
    plan = a_plan(a_task("01"), a_task("02"), retries=0)
    story = LanesStory(a_plan_loop(plan), failing=(check_of("01"),))
    for task in ("01", "02"):
        story.begin(task)

    dispute = f"DISPUTE: {check_of('01')}: the file is named otherwise"
    story.says("TASK COMPLETE: 01", dispute, task="01", commit="commit-01")

    assert [event.name for event in story.events_of(pl.WorkParked)] == ["01"]


def test_under_a_runner_it_pauses_instead_of_using_up_turns() -> None:
    night = Night(two_checks().but(lease=Lease()))

    told = night.whole_turn(block({}, WRONG), checks={"tests pass": False, "lint": True})

    assert isinstance(told, Stop)
    assert (night.loop.status, night.loop.pause.cause) == ("paused", "dispute")
    assert exit_code(night.loop) == 6
