"""Claims: what the agent says is recorded, never believed."""

import pytest

from loopwright.core import events as ev
from loopwright.core.criteria import SPEC_SATISFIED
from loopwright.core.directives import Ask, Continue, RunCheck, Stop
from loopwright.core.json_text import dumps
from loopwright.core.limits import Limits
from loopwright.core.loop import Step, Workflow
from loopwright.core.prompts.spec import NO_EXIT_REASON
from loopwright.store import mirror, mirror_edits
from tests.support.builders import (
    TREE,
    Story,
    a_colleague,
    a_loop,
    a_loop_without_checks,
    block,
    claim,
    failed,
    first_line,
    order,
    passed,
    turn,
    with_check,
    without_check,
)

# --- Claims are not proof ---


def test_a_claim_without_proof_does_not_end_the_loop():
    story = Story(a_loop())

    assert isinstance(story.tell(turn("all done\n<loop-complete>")), RunCheck)
    assert isinstance(story.tell(failed("tests pass")), Continue)
    assert story.loop.status == "running"


@pytest.mark.parametrize(
    ("said", "is_met"),
    [
        ("all done\n<loop-complete>", True),
        (block({}, exit=True), True),
        (block({SPEC_SATISFIED: False}, exit=True), False),
    ],
)
def test_who_claims_the_end_claims_that_the_spec_is_satisfied(said: str, is_met: bool) -> None:
    story = Story(a_loop(criteria=(with_check("tests pass"), without_check(SPEC_SATISFIED))))

    story.tell(turn(said))

    assert story.loop.criteria[1].is_claimed is is_met


def test_proof_without_a_claim_does_not_end_the_loop():
    story = Story(a_loop())

    story.tell(turn("I have made a change"))
    directive = story.tell(passed("tests pass"))

    assert first_line(directive) == NO_EXIT_REASON


def test_proven_and_claimed_is_done():
    story = Story(a_loop())

    story.tell(turn(block({"tests pass": True}, exit=True)))
    directive = story.tell(passed("tests pass"))

    assert (directive.reason, directive.verdict.name, directive.verdict.proven) == (
        "complete",
        "SHIP",
        True,
    )
    assert story.events_of(ev.LoopFinished)


NOT_MET = [
    pytest.param(False, id="false"),
    pytest.param("false", id="the word false"),
    pytest.param("true", id="the word true"),
    pytest.param("yes", id="the word yes"),
    pytest.param(1, id="one"),
    pytest.param(1.0, id="one as a float"),
    pytest.param(None, id="null"),
    pytest.param([], id="an empty list"),
    pytest.param([True], id="a list"),
    pytest.param({}, id="an empty object"),
    pytest.param({"met": False}, id="met false"),
    pytest.param({"met": "false"}, id="met as the word false"),
    pytest.param({"met": "true"}, id="met as the word true"),
    pytest.param({"met": 1}, id="met as one"),
    pytest.param({"met": None}, id="met null"),
    pytest.param({"verification": "observation"}, id="an object that does not say met"),
    pytest.param({"met": {"met": True}}, id="met inside met"),
]


@pytest.mark.parametrize("value", NOT_MET)
def test_m4_m5_only_the_json_true_is_met(value):
    story = Story(a_loop_without_checks("a"))

    assert first_line(story.tell(turn(block({"a": value}, exit=True)))) == "unmet criteria: a"
    assert story.loop.status == "running"


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(True, id="true"),
        pytest.param({"met": True}, id="met true"),
        pytest.param(
            {"met": True, "verification": "observation", "evidence": "I saw it"}, id="with evidence"
        ),
        pytest.param(
            {"met": True, "verification": "a feeling"}, id="with a kind that nobody knows"
        ),
        pytest.param(
            {"met": True, "verification": ["observation"]}, id="with a kind of the wrong type"
        ),
        pytest.param({"met": True, "evidence": 3}, id="with evidence of the wrong type"),
    ],
)
def test_a_claim_in_either_form_is_heard(value):
    assert (
        Story(a_loop_without_checks("a")).tell(turn(block({"a": value}, exit=True))).reason
        == "complete"
    )


def test_m4_met_false_is_not_met():
    story = Story(a_loop_without_checks("a"))

    story.tell(turn(block({"a": {"met": False, "verification": "observation"}}, exit=True)))

    assert story.loop.unmet_criteria == ("a",)


def test_m11_exit_signal_yes_is_no_exit():
    assert (
        first_line(Story(a_loop_without_checks("a")).tell(turn(block({"a": True}, exit="yes"))))
        == NO_EXIT_REASON
    )


def test_m11b_a_criterion_that_the_agent_leaves_out_is_not_met():
    directive = Story(a_loop_without_checks("tests pass", "lint clean")).tell(
        turn(block({"tests pass": True}, exit=True))
    )

    assert first_line(directive) == "unmet criteria: lint clean"
    assert "Your status block and the criteria disagree on: lint clean" in directive.prompt


def test_a_criterion_that_nobody_knows_is_reported_as_a_mismatch_and_otherwise_ignored():
    story = Story(a_loop_without_checks("a"))

    directive = story.tell(turn(block({"a": False, "A ": True}, exit=True)))

    assert story.loop.dialogue.mismatched_criteria == ("A ",)
    assert "disagree on: A ." in directive.prompt
    assert story.loop.unmet_criteria == ("a",)


def test_a_mismatch_is_forgotten_when_the_next_block_agrees():
    story = Story(a_loop_without_checks("a"))
    story.tell(turn(block({"b": True})))
    assert story.loop.dialogue.mismatched_criteria == ("a", "b")

    directive = story.tell(turn(block({"a": False})))

    assert story.loop.dialogue.mismatched_criteria == ()
    assert "disagree" not in directive.prompt


def test_m15_the_loop_holds_the_agent_more_than_once():
    story = Story(a_loop_without_checks("a"))

    assert [type(story.turn(tree=f"tree-{n}")) for n in range(5)] == [Continue] * 5


def test_a_claim_can_be_taken_back():
    story = Story(a_loop_without_checks("a", "b"))
    story.tell(turn(block({"a": True, "b": False})))

    assert first_line(story.tell(turn(block({"a": False, "b": False})))) == "unmet criteria: a, b"


def test_a_claim_stands_until_it_is_taken_back():
    story = Story(a_loop_without_checks("a", "b"))
    story.tell(turn(block({"a": True, "b": False})))

    assert first_line(story.tell(turn("I went on"))) == "unmet criteria: b"


def test_a_criterion_with_a_long_name_can_be_claimed():
    name = "the report names " + "every file that was looked at and " * 8

    assert (
        Story(a_loop_without_checks(name)).tell(turn(block({name: True}, exit=True))).reason
        == "complete"
    )


def test_a_claim_alone_never_shows_a_checked_criterion_as_met():
    story = Story(a_loop(tree=TREE))

    story.tell(claim({"tests pass": True}, exit=True))

    assert story.loop.unmet_criteria == ("tests pass",)


# --- The exit, claimed in four ways ---


def edit_of_the_mirror(loop, **changes):
    return mirror_edits.read_edits(
        dumps({**mirror.mirror_fields(loop), **changes}).encode(), loop, 0.0
    )


@pytest.mark.parametrize(
    ("before", "text"),
    [
        pytest.param(lambda loop: claim({"a": True}, exit=True), "", id="loop claim --exit"),
        pytest.param(
            lambda loop: edit_of_the_mirror(loop, criteriaStatus={"a": True}, exit_signal=True),
            "",
            id="exit_signal in state.json",
        ),
        pytest.param(
            lambda loop: claim({"a": True}), block({"a": True}, exit=True), id="EXIT_SIGNAL: true"
        ),
        pytest.param(
            lambda loop: claim({"a": True}), "Done.\n<loop-complete>\nbye", id="<loop-complete>"
        ),
    ],
)
def test_the_exit_is_claimed(before, text):
    story = Story(a_loop_without_checks("a"))

    assert story.tell(before(story.loop)) == Stop()
    assert story.loop.status == "running", "a claim waits for the next Stop"
    assert story.tell(turn(text)).reason == "complete"


def test_an_exit_that_is_claimed_for_the_first_time_is_no_idle_turn():
    story = Story(a_colleague(criteria=(without_check("a"),), tree=TREE))
    idle = []
    for _ in range(2):
        story.tell(turn(block({"a": False}, exit=True), tool_calls=0))
        idle.append(story.loop.streak.idle)

    assert idle == [0, 1]


def test_the_exit_restates_every_standing_claim_on_the_tree_of_that_stop():
    story = Story(a_colleague(criteria=(without_check("a"), without_check("b"))))
    story.tell(
        turn(
            block(
                {"a": {"met": True, "verification": "measurement", "evidence": "3 ms"}, "b": False}
            ),
            "tree-1",
        )
    )

    story.tell(
        turn(
            block(
                {"a": {"met": True, "verification": "measurement", "evidence": "3 ms"}, "b": True},
                exit=True,
            ),
            "tree-2",
        )
    )

    shown = {
        c.name: (c.proof.by, c.proof.kind, c.proof.detail, c.proof.tree)
        for c in story.loop.criteria
    }
    assert shown == {
        "a": ("agent", "measurement", "3 ms", "tree-2"),
        "b": ("agent", "", "", "tree-2"),
    }


def test_a_failed_check_takes_back_the_exit_and_that_criterion_only():
    story = Story(a_loop(criteria=(with_check("tests pass"), without_check("docs read well"))))

    story.tell(turn(block({"tests pass": True, "docs read well": True}, exit=True)))
    directive = story.tell(failed("tests pass"))

    assert first_line(directive) == "unmet criteria: tests pass"
    assert not story.loop.exit_claimed
    assert [c.claim.met for c in story.loop.criteria] == [False, True]
    assert story.events_of(ev.ClaimRefuted)[0].names == ("tests pass",)
    assert story.loop.dialogue.refuted_claims == 1


def test_the_exit_must_be_claimed_again_after_a_refutation():
    story = Story(a_loop())
    story.turn("<loop-complete>", "tree-1", checks={"tests pass": False})

    assert (
        first_line(story.turn("better now", "tree-2", checks={"tests pass": True}))
        == NO_EXIT_REASON
    )
    end = story.turn("<loop-complete>", "tree-2", checks={"tests pass": True})
    assert end.reason == "complete"


def exit_claimed_too_early():
    """The exit is claimed on tree-1, but b is not."""
    story = Story(a_loop_without_checks("a", "b"))
    story.tell(turn(block({"a": True, "b": False}, exit=True), "tree-1"))
    assert story.loop.exit_claimed
    return story


def test_the_exit_claim_stands_while_the_tree_does():
    story = exit_claimed_too_early()
    story.tell(claim({"b": True}))

    assert story.tell(turn("nothing more to say", "tree-1")).reason == "complete"


def test_an_exit_claimed_between_two_stops_is_claimed_for_the_tree_of_the_next():
    story = Story(a_colleague(criteria=(without_check("a"),), tree="tree-1"))
    story.tell(claim({"a": True}, exit=True))

    assert isinstance(story.tell(turn("I also changed this", "tree-2")), Ask)
    assert story.loop.criteria[0].proof.tree == "tree-2"


def test_nothing_is_taken_back_that_was_not_claimed():
    story = Story(a_loop_without_checks("a"))
    story.turn(tree="tree-1")
    story.turn(tree="tree-2")

    assert story.events_of(ev.DoneTakenBack) == []


def test_the_exit_claim_is_void_when_the_tree_has_changed():
    story = exit_claimed_too_early()

    story.tell(turn("I went on", "tree-2"))

    assert not story.loop.exit_claimed
    assert story.events_of(ev.DoneTakenBack)


def test_the_exit_claim_is_void_when_the_tree_changed_in_a_turn_that_the_api_broke_off():
    story = exit_claimed_too_early()
    story.tell(turn(tree="tree-2", api_failure="connection error"))

    story.tell(claim({"b": True}), turn("and on", "tree-2"))

    assert story.loop.status == "running"
    assert not story.loop.exit_claimed


def test_the_exit_claim_is_void_when_the_tree_changed_in_a_turn_that_ended_blocked():
    story = exit_claimed_too_early()
    story.tell(turn("---LOOP_STATUS---\nBLOCKED: no network\n---END_STATUS---", "tree-2"))
    story.tell(order("continue"))

    story.tell(claim({"b": True}), turn("and on", "tree-2"))

    assert story.loop.status == "running"
    assert not story.loop.exit_claimed


def test_the_agent_may_take_its_exit_back():
    story = exit_claimed_too_early()

    story.tell(turn(block({"a": True, "b": True}, exit=False), "tree-1"))

    assert not story.loop.exit_claimed


def test_an_exit_that_is_taken_back_before_the_stop_is_not_claimed_at_the_stop():
    story = Story(a_loop_without_checks("a"))
    story.tell(claim({"a": True}, exit=True))
    story.tell(claim(exit=False))

    assert first_line(story.tell(turn("hm"))) == NO_EXIT_REASON


def test_a_criterion_named_exit_is_not_the_exit():
    story = Story(a_loop_without_checks("exit"))
    story.tell(claim({"exit": True}))

    assert first_line(story.tell(turn("hm"))) == NO_EXIT_REASON


# --- The agent's own ways out ---


def test_blocked_pauses_and_says_why():
    story = Story(a_loop_without_checks("a"))

    directive = story.tell(turn(block({}, "BLOCKED: the database is down")))

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "blocked")
    assert "the agent says it is blocked: the database is down" in directive.message


def test_blocked_pauses_between_two_stops_too():
    story = Story(a_loop_without_checks("a"))

    assert "no network" in story.tell(claim(blocked="no network")).message
    assert story.loop.status == "paused"


@pytest.mark.parametrize(
    "tell",
    [turn(block({}, "ASK: which port?")), claim(ask="which port?")],
    ids=["ASK line", "claim --ask"],
)
def test_a_question_waits_for_a_person(tell):
    story = Story(a_loop_without_checks("a"))

    assert story.tell(tell) == Ask("which port?", story.directive.message)
    assert "loop answer" in story.directive.message
    assert (story.loop.status, story.loop.gate.name) == ("asking", "ask")


def test_prose_is_never_a_question():
    assert isinstance(
        Story(a_loop_without_checks("a")).tell(
            turn("Shall I go on? ASK: anything\nWhat do you think?")
        ),
        Continue,
    )


def test_a_broken_must_not_comes_before_blocked_and_blocked_before_a_question():
    story = Story(a_loop_without_checks("a"))
    story.tell(turn(block({}, "ASK: what?", "BLOCKED: why", "MUST_NOT: that")))
    assert story.loop.pause.cause == "must-not"

    story = Story(a_loop_without_checks("a"))
    story.tell(turn(block({}, "ASK: what?", "BLOCKED: why")))
    assert story.loop.pause.cause == "blocked"


# --- Steps ---


def test_a_finished_step_is_announced():
    story = Story(a_loop_without_checks("a", steps=(Step("find it"), Step("fix it"))))

    directive = story.tell(turn(block({"a": False}, "STEP_DONE: find it | it was the parser")))

    assert directive.message == "[LOOP] ✓ find it complete | Progress: 1/2 | Next: fix it"
    assert story.loop.completed_steps[0].note == "it was the parser"
    assert story.loop.clock.checkpoint_at == story.now


def test_a_step_that_was_not_planned_is_added():
    story = Story(a_loop_without_checks("a"))

    story.tell(turn(block({}, "STEP_DONE: something else")))

    assert [(s.name, s.done) for s in story.loop.steps] == [("something else", True)]


def test_a_step_is_finished_once():
    story = Story(a_loop_without_checks("a"))
    story.tell(turn(block({}, "STEP_DONE: x")))

    story.tell(turn(block({}, "STEP_DONE: x")))

    assert len(story.events_of(ev.StepFinished)) == 1


def test_steps_are_bounded():
    story = Story(a_loop_without_checks("a", limits=Limits(iterations=50, stuck=99)))
    for wave in range(3):
        story.tell(turn(block({}, *(f"STEP_DONE: step {wave}-{n}" for n in range(90)))))

    assert len(story.loop.steps) == 100


def test_three_steps_alike_are_a_learnable_pattern():
    story = Story(a_loop_without_checks("a"))
    notes = [
        story.turn(block({}, f"STEP_DONE: Migrate route {n}"), f"tree-{n}").message
        for n in range(4)
    ]

    assert ["learnable pattern" in note for note in notes] == [False, False, True, True]
    assert notes[-1].endswith("This is a learnable pattern. Want the steps to run yourself?")


def test_three_different_steps_are_no_pattern():
    story = Story(a_loop_without_checks("a"))
    notes = [
        story.turn(block({}, f"STEP_DONE: {word} it"), f"tree-{word}").message
        for word in ("find", "fix", "fix")
    ]

    assert not any("learnable" in note for note in notes)


def test_step_zero_is_asked_for_until_it_is_recorded():
    story = Story(a_loop_without_checks("a", workflow=Workflow("B", "name the root cause")))
    assert "Step 0 is open: name the root cause" in story.turn().prompt

    directive = story.turn(block({}, "GATE: the cache was never cleared"), "tree-2")

    assert "Step 0" not in directive.prompt
    assert story.loop.workflow.step_zero_note == "the cache was never cleared"


def test_step_zero_is_recorded_once_and_only_by_a_line_of_its_own():
    story = Story(a_loop_without_checks("a", workflow=Workflow("B", "name the root cause")))
    for text in ("no block", block({}), block({}, "GATE: the cache"), block({}, "GATE: the cache")):
        story.tell(turn(text))

    assert story.events_of(ev.StepZeroRecorded) == [ev.StepZeroRecorded("the cache")]


def test_the_agents_own_estimate_is_kept_for_the_footer():
    story = Story(a_loop_without_checks("a"))

    story.tell(turn(block({}, "CONFIDENCE: ~85%", "POINTS: 5pt", "ALT: a cache", "RISK: load")))

    loop = story.loop
    assert (
        loop.estimate.confidence,
        loop.estimate.points,
        loop.estimate.alternative,
        loop.estimate.risk,
    ) == (
        85,
        5,
        "a cache",
        "load",
    )
