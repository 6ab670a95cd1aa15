"""Strength as a part of the final proof: when it is measured, and what thin work leads to."""

from __future__ import annotations

from typing import Any

import pytest

from loopwright.cli.exits import exit_code
from loopwright.core import events as ev
from loopwright.core.criteria import CODE_REVIEW, SPEC_SATISFIED, Criterion, Evidence
from loopwright.core.directives import (
    CompareWithBaseline,
    Continue,
    HashTree,
    MeasureStrength,
    RunInCleanCheckout,
)
from loopwright.core.findings import LOW, MEDIUM, Finding
from loopwright.core.limits import Limits
from loopwright.core.loop import Loop
from loopwright.core.proof.clean_checkout import (
    COULD_NOT_PREPARE,
    NOT_NEEDED,
    OFF,
    PASSED,
    REPLAY_RUN,
    REVERT_RUN,
    SKIPPED,
    RoomCheck,
    RoomRun,
)
from loopwright.core.proof.measured_strength import ONCE, REPORT, STRICT
from loopwright.core.proof.strength import (
    BUDGET_SPENT,
    EARLIER_TESTS,
    MUTANT,
    NOT_NOTICED,
    NOTE,
    NOTICED,
    PART,
    Strength,
    StrengthItem,
    Unmeasured,
)
from loopwright.core.proof.strength_events import StrengthMeasured, ThinWorkTold
from loopwright.core.proof.verdict import only_guards, only_reported, verdict_of
from loopwright.core.signals import StrengthResult
from tests.core.test_room import DONE, a_loop_with_room, claims_done, compared, ended
from tests.support.builders import (
    TREE,
    Story,
    a_discovery_loop,
    hashed,
    passed,
    turn,
    with_check,
)

NAMED, WHOLE = ("test_new",), ("tests pass",)


def strength(noticed: int, missed: int) -> Strength:
    """A measurement that judged so many parts."""
    results = (NOTICED,) * noticed + (NOT_NOTICED,) * missed
    rows = enumerate(results, 1)
    return Strength(
        tuple(StrengthItem(PART, "cart.py", line, f"`line {line}`", r) for line, r in rows),
        can_be_tested=True,
    )


GOOD, THIN = strength(6, 0), strength(1, 5)
SMALL = Strength((StrengthItem(MUTANT, "cart.py", 2, "`return 1` instead", NOTICED),))
CUT_SHORT = (Unmeasured("3 mutants", BUDGET_SPENT),)
UNMEASURED = Strength(unmeasured=(Unmeasured("tests pass", "one run takes 7 min"),))


def wanting(mode: str = ONCE, **changes: Any) -> Loop:
    return a_loop_with_room(strength_mode=mode, **changes)


def own_tests(missing: int = 0) -> RoomCheck:
    return RoomCheck(
        "tests pass", False, work_tests=NAMED, work_test_count=2, missing_count=missing
    )


def a_feature(mode: str = ONCE, **changes: Any) -> Loop:
    """Nothing is red at the start: only tests of the agent can show the work."""
    return wanting(mode, criteria=(with_check("tests pass", guard=True),), **changes)


def to_strength(story: Story, **revert: Any) -> Any:
    """All runs in a clean checkout pass."""
    while isinstance(story.directive, RunInCleanCheckout):
        facts = revert if story.directive.kind == "revert" else {}
        ended(story, **facts)
    return story.directive


def measured(story: Story, result: Strength | None, **facts: Any) -> Any:
    wanted = story.directive
    assert isinstance(wanted, MeasureStrength), f"nobody asks for strength, but {wanted!r}"
    return story.tell(StrengthResult(0.0, wanted.round, wanted.fence, wanted.tree, result, **facts))


def outcome(story: Story) -> tuple[str, str, bool]:
    verdict = story.loop.verdict
    assert verdict is not None, story.directive
    return verdict.name, verdict.grade, verdict.proven or verdict.tests_hold


def claim_again(story: Story, tree: str = TREE, **revert: Any) -> Any:
    """The next claim: on another tree everything is proven again."""
    story.tell(turn(DONE, tree))
    if tree != TREE:
        story.tell(passed("tests pass"))
    compared(story, tree=tree)
    return to_strength(story, **revert)


# --- when it is measured ---


def test_it_is_the_last_run_before_the_last_hash() -> None:
    story = claims_done(wanting())
    assert isinstance(to_strength(story), MeasureStrength)
    wanted = story.directive
    directive = story.tell_only(
        StrengthResult(0.0, wanted.round, wanted.fence, wanted.tree, GOOD)  # type: ignore[union-attr]
    )

    assert isinstance(directive, HashTree)
    story.tell(hashed(directive))
    assert outcome(story) == ("SHIP", "proven", True)


@pytest.mark.parametrize("mode", ["", "off"])
def test_a_loop_without_it_ends_as_before(mode: str) -> None:
    story = claims_done(wanting(mode))
    to_strength(story)

    assert outcome(story) == ("SHIP", "proven", True)
    assert not story.events_of(StrengthMeasured)


def test_without_a_clean_checkout_nothing_is_measured() -> None:
    story = claims_done(wanting(room={}, status=OFF))
    story.tell(passed("tests pass"))

    assert outcome(story) == ("SHIP", "proven-in-place", True)
    assert not story.events_of(StrengthMeasured)


@pytest.mark.parametrize("result", [SKIPPED, COULD_NOT_PREPARE])
def test_a_final_run_that_was_not_made_measures_nothing(result: str) -> None:
    story = claims_done(wanting())
    ended(story, result, why="no time")
    while isinstance(story.directive, RunInCleanCheckout):
        ended(story, result, why="no time")

    assert not isinstance(story.directive, MeasureStrength)


def test_a_result_of_another_round_is_dropped() -> None:
    story = claims_done(wanting())
    wanted: Any = to_strength(story)
    story.tell(StrengthResult(0.0, wanted.round - 1, wanted.fence, wanted.tree, GOOD))

    assert not story.events_of(StrengthMeasured)
    assert story.events_of(ev.CheckResultDropped)


def test_it_is_measured_once_for_a_tree() -> None:
    story = claims_done(wanting())
    to_strength(story)
    measured(story, THIN)
    claim_again(story)

    assert len(story.events_of(StrengthMeasured)) == 1
    assert story.loop.status == "finished"


def test_what_could_not_begin_is_tried_again_at_the_next_claim_and_not_before() -> None:
    story = claims_done(a_feature())
    to_strength(story, checks=(own_tests(),))
    measured(story, None, why="this Stop has 4 s left")

    assert outcome(story) == ("MONITOR", "tested", False)
    assert "4 s left" in story.loop.verdict.why  # type: ignore[union-attr]


# --- thin work ---


def test_thin_work_goes_back_once_with_its_places_and_then_a_person_must_look() -> None:
    story = claims_done(wanting())
    to_strength(story)
    reply = measured(story, THIN)

    assert isinstance(reply, Continue)
    assert "cart.py:2: `line 2`" in reply.prompt
    assert "write a test that fails without it" in reply.prompt
    assert "no check notices parts of the work (cart.py)" in reply.prompt
    (refuted,) = story.events_of(ev.ClaimRefuted)
    assert refuted.names == ()
    claim_again(story, "tree-2")
    measured(story, THIN)

    assert outcome(story) == ("MONITOR", "proven", True)
    assert "1 of 6" in story.loop.verdict.why  # type: ignore[union-attr]


def test_work_that_is_tested_after_that_ends_as_ship() -> None:
    story = claims_done(wanting())
    to_strength(story)
    measured(story, THIN)
    claim_again(story, "tree-2")
    measured(story, GOOD)

    assert outcome(story) == ("SHIP", "proven", True)


def test_the_hint_is_in_one_prompt_only() -> None:
    story = claims_done(wanting())
    to_strength(story)
    measured(story, THIN)
    reply = story.turn("I look.", "tree-3", checks={"tests pass": True})

    assert isinstance(reply, Continue)
    assert "cart.py" not in reply.prompt


def test_report_says_it_and_asks_for_nothing() -> None:
    story = claims_done(wanting(REPORT))
    to_strength(story)
    measured(story, THIN)

    assert outcome(story) == ("MONITOR", "proven", True)
    assert not story.events_of(ThinWorkTold)


def test_strict_never_ends_thin() -> None:
    story = claims_done(wanting(STRICT, limits=Limits(iterations=4)))
    to_strength(story)
    for number in range(2, 5):
        assert isinstance(measured(story, THIN), Continue)
        claim_again(story, f"tree-{number}")
    measured(story, THIN)

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "iterations")


def test_an_agent_without_another_turn_is_not_asked() -> None:
    story = claims_done(wanting(limits=Limits(iterations=1)))
    to_strength(story)
    measured(story, THIN)

    assert outcome(story) == ("MONITOR", "proven", True)


def test_a_check_that_became_slower_or_flaky_is_for_a_person() -> None:
    story = claims_done(wanting())
    to_strength(story)
    measured(story, UNMEASURED, worse="tests pass: one run takes 7 min, at the start 2 s")

    assert outcome(story) == ("MONITOR", "proven", True)
    assert "at the start 2 s" in story.loop.verdict.why  # type: ignore[union-attr]


def test_what_could_not_be_measured_at_the_start_either_takes_nothing_from_a_proof() -> None:
    story = claims_done(wanting())
    to_strength(story)
    measured(story, UNMEASURED)

    assert outcome(story) == ("SHIP", "proven", True)


def test_a_feature_without_a_test_is_given_back_once() -> None:
    story = claims_done(a_feature())
    to_strength(story)
    directive = measured(story, GOOD)

    assert isinstance(directive, Continue)
    assert directive.prompt.startswith("not shown yet: no test fails without the work")
    assert "Write a test that asserts what the work does" in directive.prompt

    claim_again(story)
    assert outcome(story) == ("MONITOR", "reported", False)


def test_what_no_test_can_show_needs_none() -> None:
    story = claims_done(a_feature())
    to_strength(story)
    measured(story, GOOD.but(can_be_tested=False))

    assert outcome(story) == ("MONITOR", "reported", False)


# --- tested ---


@pytest.mark.parametrize(
    ("result", "missing", "end"),
    [
        (GOOD, 0, ("SHIP", "tested", True)),
        (GOOD, 2, ("SHIP", "tested", True)),
        (strength(2, 1), 0, ("SHIP", "tested", True)),
        (strength(2, 0), 2, ("MONITOR", "tested", False)),  # a missing name is noticed at once
        (SMALL, 2, ("SHIP", "tested", True)),  # few places, each noticed, one inside of the work
        (SMALL.but(unmeasured=CUT_SHORT), 2, ("MONITOR", "tested", False)),
        (UNMEASURED, 0, ("MONITOR", "tested", False)),
    ],
)
def test_tests_of_the_agent_are_enough_if_they_are_strong(
    result: Strength, missing: int, end: tuple[str, str, bool]
) -> None:
    story = claims_done(a_feature())
    to_strength(story, checks=(own_tests(missing),))
    measured(story, result)

    assert outcome(story) == end


def test_strong_tests_show_the_spec_whatever_the_agent_says_of_it() -> None:
    story = claims_done(a_feature())
    to_strength(story, checks=(own_tests(),))
    measured(story, GOOD)
    said = Evidence(SPEC_SATISFIED, passed=True, tree=TREE, by="agent", kind=CODE_REVIEW)
    loop = story.loop.but(criteria=(*story.loop.criteria, Criterion(SPEC_SATISFIED, proof=said)))

    assert (verdict_of(loop).name, verdict_of(loop).grade) == ("SHIP", "tested")


def test_the_verdict_names_the_test_of_the_start_that_fails_beside_strong_tests() -> None:
    revert = RoomRun(REVERT_RUN, TREE, PASSED, checks=(own_tests(),))
    replay = RoomRun(REPLAY_RUN, TREE, PASSED, unmet_tests=("t::keys",))
    loop = a_feature(room={"runs": (replay, revert)}, tree=TREE)

    assert only_guards(loop) == "a test of the start does not pass on the final product: t::keys"
    run = Evidence("tests pass", passed=True, tree=TREE, by="loop")
    checks = (loop.criteria[0].but(proof=run), Criterion(SPEC_SATISFIED))
    assert only_reported(loop.but(criteria=checks)) == only_guards(loop)
    room = loop.room.but(runs=(revert,))
    assert str(only_guards(loop.but(room=room))).startswith("every check passed before the work")


def test_weak_tests_of_a_small_work_go_back_once() -> None:
    story = claims_done(a_feature())
    to_strength(story, checks=(own_tests(2),))  # they only miss a name without the work
    directive = measured(story, strength(2, 1))
    assert isinstance(directive, Continue)
    assert "write a test that fails without" in directive.prompt

    claim_again(story, checks=(own_tests(2),))
    assert outcome(story) == ("MONITOR", "tested", False)


@pytest.mark.parametrize("missing", [0, 2])
def test_tests_that_pass_with_every_noticed_change_of_the_work_show_none_of_it(
    missing: int,
) -> None:
    by_others = strength(4, 0)
    by_others = by_others.but(items=tuple(i.but(reason=EARLIER_TESTS) for i in by_others.items))
    story = claims_done(a_feature())
    to_strength(story, checks=(own_tests(missing),))
    directive = measured(story, by_others)
    assert isinstance(directive, Continue)
    assert "cart.py:1: `line 1` (by earlier tests alone)" in directive.prompt

    claim_again(story, checks=(own_tests(missing),))
    assert outcome(story) == ("MONITOR", "tested", False)
    assert story.loop.verdict is not None
    assert "that earlier tests notice" in story.loop.verdict.why


def test_one_change_that_a_test_of_the_agent_notices_is_enough() -> None:
    first, *others = strength(4, 0).items
    result = Strength((first, *(item.but(reason=EARLIER_TESTS) for item in others)))
    story = claims_done(a_feature())
    to_strength(story, checks=(own_tests(),))
    measured(story, result)

    assert outcome(story) == ("SHIP", "tested", True)


def test_work_that_says_itself_that_it_is_not_done_goes_back_with_these_words() -> None:
    story = claims_done(a_feature())
    to_strength(story, checks=(own_tests(),))
    item = StrengthItem(NOTE, "cart.py", 3, "`# TODO: retry`", NOT_NOTICED)
    directive = measured(story, GOOD.but(items=(*GOOD.items, item)))

    assert isinstance(directive, Continue)
    assert directive.prompt.startswith("not shown yet: work is left (cart.py)")
    assert "The lines below say that work is left." in directive.prompt


@pytest.mark.parametrize(
    ("required", "code"), [("", 0), ("tested", 0), ("proven-in-place", 10), ("proven", 10)]
)
def test_a_person_says_which_grade_is_enough(required: str, code: int) -> None:
    story = claims_done(a_feature(required_grade=required))
    to_strength(story, checks=(own_tests(),))
    measured(story, GOOD)

    assert exit_code(story.loop) == code


def test_thin_tests_of_the_agent_are_not_enough() -> None:
    story = claims_done(a_feature(REPORT))
    to_strength(story, checks=(own_tests(),))
    measured(story, THIN)

    assert outcome(story) == ("MONITOR", "tested", False)


def test_a_finding_for_a_person_is_not_answered_by_strong_tests() -> None:
    story = claims_done(a_feature())
    ended(story, PASSED, Finding(MEDIUM, "golden-data", "tests/data.json"))
    ended(story, NOT_NEEDED)
    to_strength(story, checks=(own_tests(),))
    measured(story, GOOD)

    assert outcome(story) == ("MONITOR", "reported", False)


@pytest.mark.parametrize(
    ("result", "end"),
    [
        (GOOD, ("SHIP", "tested", True)),
        (SMALL, ("SHIP", "tested", True)),
        (THIN, ("MONITOR", "reported", False)),
        (strength(3, 0), ("MONITOR", "reported", False)),  # parts alone say nothing of values
        (UNMEASURED, ("MONITOR", "reported", False)),
    ],
)
def test_where_tests_are_the_work_their_strength_answers_the_question(
    result: Strength, end: tuple[str, str, bool]
) -> None:
    story = claims_done(a_feature(REPORT))
    ended(story, PASSED, Finding(MEDIUM, "only-tests-changed", "tests/test_a.py"))
    to_strength(story)
    measured(story, result.but(of_tests=True))

    assert outcome(story) == end


def test_where_a_test_asks_for_less_its_strength_answers_nothing() -> None:
    """On the same product its former version passes in any case."""
    story = claims_done(a_feature(REPORT))
    less = Finding(LOW, "expected-value-changed", "tests/test_a.py", settled=True)
    ended(story, PASSED, Finding(MEDIUM, "only-tests-changed", "tests/test_a.py"), less)
    to_strength(story)
    measured(story, GOOD.but(of_tests=True))

    assert outcome(story) == ("MONITOR", "reported", False)


# --- other kinds of loop ---


def test_a_discovery_loop_gets_thin_work_back_too() -> None:
    loop = a_discovery_loop(guards=("tests pass",))
    loop = loop.but(
        baseline=loop.baseline.but(tree_id="c0ffee"),
        room=wanting().room,
        limits=loop.limits.but(dry=1),
        settings=loop.settings.but(strength_mode=ONCE),
    )
    story = Story(loop)
    story.tell(turn("nothing found"))
    while not isinstance(story.directive, CompareWithBaseline):
        story.tell(passed("tests pass"))
    compared(story)
    to_strength(story)
    reply = measured(story, THIN)

    assert isinstance(reply, Continue)
    assert "cart.py:2" in reply.prompt


def test_numbers_of_mutants_and_parts_are_in_the_verdict_with_their_reach() -> None:
    from loopwright.core.prompts.thin_work import strength_lines

    story = claims_done(wanting())
    to_strength(story)
    mutant = StrengthItem(MUTANT, "cart.py", 9, "`a < b` became `a <= b`", NOT_NOTICED)
    measured(story, GOOD.but(items=(*GOOD.items, mutant)))

    text = "\n".join(strength_lines(story.loop))
    assert "parts taken away: 6 of 6 noticed" in text
    assert "cart.py:9: `a < b` became `a <= b`" in text
    assert text in story.directive.message  # type: ignore[union-attr]
