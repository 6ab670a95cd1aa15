"""Closing: every check passes and the exit is claimed. What may still speak against the word, and what a reader must know."""

from __future__ import annotations

from typing import Any

import pytest

from loopwright.core import events as ev
from loopwright.core.criteria import SPEC_SATISFIED, Check, Criterion, Evidence
from loopwright.core.directives import Ask, CompareWithBaseline, Continue, RunCheck, Stop
from loopwright.core.findings import HIGH, LOW, MEDIUM, Finding
from loopwright.core.limits import Limits
from loopwright.core.loop import Loop, Workflow
from loopwright.core.person.orders import PROVE
from loopwright.core.prompts.end_screen import end_screen
from loopwright.core.prompts.objections import finding_text
from loopwright.core.proof.clean_checkout import (
    FAILED,
    FINAL_TREE_RUN,
    NOT_NEEDED,
    PASSED,
    REPLAY_RUN,
    REVERT_RUN,
    TRUSTED,
    RoomRun,
)
from loopwright.core.proof.events import BaselineCompared, FindingsAccepted, ProofsVoided
from loopwright.core.proof.state import Room
from loopwright.core.proof.tool_counts import ExplainedTests, worse_count_findings
from loopwright.core.proof.verdict import verdict_of
from loopwright.core.signals import BaselineComparison
from tests.support.builders import (
    TREE,
    Story,
    a_colleague,
    a_discovery_loop,
    a_loop,
    answer,
    block,
    failed,
    first_line,
    order,
    passed,
    proof,
    turn,
    with_check,
)
from tests.support.plan_stories import PlanStory, a_plan, a_plan_loop, a_task

DONE = block({"tests pass": True}, exit=True)
SKIPPED = Finding(
    HIGH, "test-switched-off", "tests/test_cart.py", 4, "def test_total():", "@pytest.mark.skip"
)
EXPECTED = Finding(
    MEDIUM,
    "expected-value-changed",
    "tests/test_cart.py",
    7,
    "assert total == 7",
    "assert total == 8",
)
SILENCED = Finding(LOW, "warning-silenced", "src/cart.py", 3, "", "# type: ignore")


def held_out(name: str = "no leaks") -> Criterion:
    return Criterion(name, Check("(held out: 0f)", origin="holdout"))


def reviewed() -> Criterion:
    return Criterion("review", Check("./review.sh", origin="review"))


def a_based_loop(**changes: Any) -> Loop:
    """A loop whose start was kept, and whose check failed there."""
    criteria = (with_check("tests pass", guard=False),)
    return a_loop(**{"criteria": criteria, "tree_id": "c0ffee", "tree": "tree-0", **changes})


def compared(
    story: Story, *findings: Finding, tree: str = TREE, **facts: Any
) -> BaselineComparison:
    wanted = story.directive
    assert isinstance(wanted, CompareWithBaseline), (
        f"nobody has asked for a look back, but {wanted!r}"
    )
    return BaselineComparison(0.0, wanted.round, wanted.fence, tree, tuple(findings), **facts)


def claims_done(loop: Loop) -> Story:
    """The agent claims the exit, and our own run of its one check bears it out."""
    story = Story(loop)
    story.tell(turn(DONE))
    story.tell(passed("tests pass"))
    return story


def test_before_the_end_we_look_back_to_the_start():
    story = claims_done(a_based_loop())

    assert isinstance(story.directive, CompareWithBaseline)
    assert isinstance(story.tell(compared(story)), Stop)
    assert story.loop.verdict.name == "SHIP"
    assert story.loop.verdict.proven


def test_a_loop_that_has_nothing_to_look_back_to_ends_at_once():
    story = claims_done(a_loop())

    assert isinstance(story.directive, Stop)
    assert story.loop.status == "finished"


def test_what_is_grave_refutes_the_claim_and_goes_back_to_the_agent():
    story = claims_done(a_based_loop())

    said = story.tell(compared(story, SKIPPED))

    assert isinstance(said, Continue)
    assert first_line(said) == "claim refuted: easier to prove since the start (test switched off)"
    assert (
        "- tests/test_cart.py:4: test switched off\n  - def test_total():\n  + @pytest.mark.skip"
        in said.prompt
    )
    assert not story.loop.exit_claimed
    assert story.loop.status == "running"


def test_once_it_is_put_back_and_claimed_again_the_loop_ends():
    story = claims_done(a_based_loop())
    story.tell(compared(story, SKIPPED))

    story.turn(DONE, "tree-2", checks={"tests pass": True})
    story.tell(compared(story, tree="tree-2"))

    assert story.loop.verdict.name == "SHIP"
    assert story.loop.baseline.findings == ()


def test_a_person_may_accept_it_and_the_verdict_says_so():
    story = claims_done(a_based_loop())
    story.tell(compared(story, SKIPPED))

    story.tell(order("accept", arguments=(SKIPPED.key,)))
    story.turn(DONE, "tree-2", checks={"tests pass": True})
    story.tell(compared(story, SKIPPED, tree="tree-2"))

    assert story.events_of(FindingsAccepted)
    assert story.loop.verdict.proven
    assert (
        "accepted by a person: tests/test_cart.py:4, test switched off" in story.loop.verdict.notes
    )


def test_what_a_person_must_see_lets_the_loop_end_but_not_as_proven():
    story = claims_done(a_based_loop())

    story.tell(compared(story, EXPECTED, SILENCED))

    verdict = story.loop.verdict
    assert (verdict.name, verdict.proven) == ("MONITOR", False)
    assert verdict.why == "a person must look: expected value changed (tests/test_cart.py:7)"
    assert verdict.notes[:2] == (
        "medium: tests/test_cart.py:7, expected value changed: "
        "`assert total == 7` → `assert total == 8`",
        "low: src/cart.py:3, a warning is silenced: `# type: ignore`",
    )


def test_who_confirms_the_end_has_seen_it():
    story = claims_done(
        a_colleague(criteria=(with_check("tests pass", guard=False),), tree_id="c0ffee")
    )
    assert isinstance(story.tell(compared(story, EXPECTED)), Ask)

    story.tell(answer("yes"))
    story.tell(compared(story, EXPECTED))

    assert story.loop.verdict.proven
    assert (
        "accepted by a person: tests/test_cart.py:7, expected value changed"
        in story.loop.verdict.notes
    )


def test_the_question_lists_what_a_yes_accepts():
    story = claims_done(
        a_colleague(criteria=(with_check("tests pass", guard=False),), tree_id="c0ffee")
    )

    asked = story.tell(compared(story, EXPECTED, SILENCED))

    assert "A yes also accepts what was found:" in asked.message
    assert "tests/test_cart.py:7: expected value changed" in asked.message
    assert story.loop.gate.listed == (EXPECTED.key,)


def test_a_yes_accepts_nothing_that_the_question_did_not_list():
    story = claims_done(
        a_colleague(criteria=(with_check("tests pass", guard=False),), tree_id="c0ffee")
    )
    story.tell(compared(story))
    later = EXPECTED.but(file="tests/test_other.py")

    story.tell(answer("yes"))
    story.tell(compared(story, later))

    assert story.loop.baseline.accepted_findings == ()
    assert (story.loop.verdict.name, story.loop.verdict.proven) == ("MONITOR", False)


@pytest.mark.parametrize("late", [{"round": 99}, {"fence": 99}])
def test_a_look_back_that_nobody_waits_for_is_dropped(late):
    story = claims_done(a_based_loop())

    story.tell(compared(story).but(**late))

    assert story.events_of(ev.CheckResultDropped)
    assert story.loop.status == "running"


def test_repeated_in_vain_it_pauses_as_stuck():
    story = claims_done(a_based_loop())
    said = story.tell(compared(story, SKIPPED))
    for number in range(2, 9):
        if not isinstance(said, Continue):
            break
        tree = f"tree-{number}"
        story.turn(DONE, tree, checks={"tests pass": True})
        said = story.tell(compared(story, SKIPPED, tree=tree))

    assert story.loop.pause.cause == "stuck"
    assert "To take what was found as it is: `loop accept`" in said.message


# --- the tree itself ---


def test_a_tree_that_cannot_be_read_for_the_comparison_pauses():
    story = Story(a_based_loop())
    story.tell(turn(DONE))
    story.tell(passed("tests pass"))

    story.tell(compared(story).but(tree_problem="git cannot read the index"))

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "tree")
    assert story.loop.pause.why == "git cannot read the index"


def test_a_tree_that_is_another_when_hashed_anew_is_checked_again():
    story = claims_done(a_based_loop())

    assert isinstance(story.tell(compared(story, tree="tree-2")), RunCheck)
    story.tell(passed("tests pass"))
    story.tell(compared(story, tree="tree-2"))

    assert story.loop.verdict.proven
    assert story.loop.criteria[0].proof.tree == "tree-2"


def test_a_tree_that_never_comes_to_rest_proves_nothing():
    story = claims_done(a_based_loop())
    story.tell(compared(story, tree="tree-2"))
    story.tell(passed("tests pass"))

    assert isinstance(story.tell(compared(story, tree="tree-3")), Continue)
    assert not story.loop.exit_claimed


def test_files_written_while_a_check_ran_void_it_and_it_runs_once_more():
    story = claims_done(a_based_loop())

    said = story.tell(compared(story, raced_checks=("tests pass",), written_files="a.py"))

    assert isinstance(said, RunCheck)
    assert story.events_of(ProofsVoided)[0].written_files == "a.py"
    story.tell(passed("tests pass"))
    story.tell(compared(story))
    assert story.loop.verdict.name == "SHIP"


def test_written_again_the_second_time_it_may_end_but_not_as_proven():
    story = claims_done(a_based_loop())
    story.tell(compared(story, raced_checks=("tests pass",), written_files="a.py"))
    story.tell(passed("tests pass"))
    story.tell(compared(story, raced_checks=("tests pass",), written_files="a.py"))

    assert not story.loop.verdict.proven
    assert "files written while the check ran" in story.loop.verdict.why


def test_many_small_findings_are_one_line_and_the_proof_stays_on_the_screen():
    story = claims_done(a_based_loop())
    low = [Finding(LOW, "warning-silenced", f"src/a{n}.py", 1) for n in range(50)]

    story.tell(compared(story, *low))

    assert story.loop.verdict.notes[0] == (
        "low: 50 in all, listed by `loop status --json`: a warning is silenced (50)"
    )


def test_many_questions_are_listed_by_loop_accept():
    story = claims_done(a_based_loop())
    found = [EXPECTED.but(line=n, after=f"assert total == {n}") for n in range(20)]

    story.tell(compared(story, *found))

    notes = story.loop.verdict.notes
    assert len(notes) <= 12
    assert "medium: 14 more, listed by `loop accept`" in notes


def test_at_the_limit_the_person_reads_why_the_last_claim_was_refuted():
    story = claims_done(a_based_loop(limits=Limits(iterations=1)))

    said = story.tell(compared(story, Finding(HIGH, "test-deleted", "t.py", 0, "test_twice")))

    assert isinstance(said, Stop)
    assert (
        "The last claim was refuted: easier to prove since the start (test deleted: test_twice)\n"
        "- t.py: test deleted\n  - test_twice\n"
    ) in said.message


def test_a_deleted_test_is_named():
    story = claims_done(a_based_loop())

    said = story.tell(compared(story, Finding(HIGH, "test-deleted", "t.py", 0, "test_twice")))

    assert first_line(said) == (
        "claim refuted: easier to prove since the start (test deleted: test_twice)"
    )


def test_a_finding_shows_the_part_in_which_two_long_lines_differ():
    head = "assert run(" + "'a long argument', " * 20
    finding = EXPECTED.but(before=f"{head}limit=1) == 2", after=f"{head}limit=1) >= 2")

    _, was, now = finding_text(finding).splitlines()

    assert was.endswith("limit=1) == 2")
    assert now.endswith("limit=1) >= 2")


# --- counts ---

COUNTED = [
    ((("tests", 9.0),), (("tests", 8.0),), "fewer-tests-run"),
    (
        (("tests", 9.0), ("skipped", 0.0)),
        (("tests", 9.0), ("skipped", 1.0)),
        "more-tests-skipped",
    ),
    ((("coverage", 91.5),), (("coverage", 90.4),), "coverage-fell"),
    ((("problems", 0.0),), (("problems", 2.0),), "more-problems"),
    ((("tests", 9.0), ("coverage", 80.0)), (("tests", 12.0), ("coverage", 80.0)), ""),
    ((("tests", 9.0),), (), "counts-gone"),  # the run ended early, and says nothing
    ((("problems", 3.0),), (), ""),  # a linter that finds nothing counts nothing
    ((), (("tests", 3.0),), ""),
]


@pytest.mark.parametrize(("before", "now", "rule"), COUNTED)
def test_counts_may_only_move_the_right_way(before, now, rule):
    story = Story(
        a_based_loop(criteria=(with_check("tests pass", guard=False, baseline_counts=before),))
    )
    story.tell(turn(DONE))
    story.tell(passed("tests pass", counts=now))

    said = story.tell(compared(story))

    assert [finding.rule for finding in story.loop.baseline.findings] == ([rule] if rule else [])
    assert isinstance(said, Continue if rule else Stop)


COVERAGE_FALLS = {
    "a fraction of a point": ({"coverage": 91.4}, LOW),
    "covered code is gone": ({"coverage": 80.0, "uncovered": 9.0}, LOW),
    "new code that nothing runs": ({"coverage": 80.0, "uncovered": 30.0}, HIGH),
    "nothing says how much is not run": ({"coverage": 80.0}, HIGH),
}


@pytest.mark.parametrize(("now", "severity"), COVERAGE_FALLS.values(), ids=COVERAGE_FALLS)
def test_coverage_may_fall_a_little_or_with_the_code_that_it_covered(now, severity):
    criterion = with_check(
        "tests pass",
        baseline_counts=(("coverage", 91.5), ("uncovered", 9.0)),
        proof=proof("tests pass", counts=tuple(now.items())),
    )

    found = worse_count_findings(criterion, ExplainedTests())

    assert [(each.rule, each.severity) for each in found] == [("coverage-fell", severity)]


NEW_SKIP, UNLOADED = ExplainedTests(new_skips=1), (("unloaded", 1.0),)
NAMED = {"newly_skipped": ("t::a",)}
# The counts at the end, what names and changed files explain, counts of the start, the severity.
SKIPS = {
    "a test that ran is skipped now": ((9, 1), NAMED, ExplainedTests(), (), [HIGH]),
    "a new test hides that in the counts": ((10, 1), NAMED, ExplainedTests(), (), [HIGH]),
    "a new test is skipped": ((10, 1), {"excused_skips": 1}, ExplainedTests(), (), []),
    "another is deselected": ((10, 2), {"excused_skips": 1}, ExplainedTests(), (), [HIGH]),
    "fewer run, nothing has a name": ((9, 1), {}, ExplainedTests(), (), [HIGH]),
    "as many run, nothing has a name": ((10, 1), {}, ExplainedTests(), (), [MEDIUM]),
    "as many new tests are skipped": ((10, 1), {}, NEW_SKIP, (), []),
    "more than the new ones": ((11, 2), {}, NEW_SKIP, (), [MEDIUM]),
    "fewer tests run": ((9, 1), {}, NEW_SKIP, (), [HIGH]),
    "a file did not load at the start": ((10, 1), {}, ExplainedTests(), UNLOADED, [LOW]),
    "a file did not load, and fewer run": ((9, 1), {}, ExplainedTests(), UNLOADED, [HIGH]),
}


@pytest.mark.parametrize(
    ("counts", "names", "explained", "more", "severities"), SKIPS.values(), ids=SKIPS
)
def test_skipped_tests_are_compared_by_name_or_by_their_counts(
    counts, names, explained, more, severities
):
    before = (("tests", 9.0), ("skipped", 0.0), *more)
    now = (("tests", float(counts[0])), ("skipped", float(counts[1])))
    criterion = with_check("c", baseline_counts=before, proof=proof("c", counts=now, **names))

    findings = worse_count_findings(criterion, explained)

    assert [(f.rule, f.severity) for f in findings] == [
        ("more-tests-skipped", severity) for severity in severities
    ]


def test_a_summary_that_we_cannot_parse_never_refutes():
    criterion = with_check(
        "c", baseline_counts=(("tests", 9.0),), proof=proof("c", counts_unknown=True)
    )

    assert worse_count_findings(criterion, ExplainedTests()) == ()


@pytest.mark.parametrize(
    ("proof_now", "rules"),
    [
        pytest.param(None, [], id="it has not run yet"),
        pytest.param(proof("c", fine=False, failures=2), ["more-failures"], id="more fail"),
        pytest.param(
            proof("c", fine=False), ["counts-gone"], id="it fails and counts nothing any more"
        ),
    ],
)
def test_counts_of_a_check_that_fails_or_has_not_run(proof_now, rules):
    before = (("problems", 0.0), ("failures", 1.0))
    criterion = with_check("c", baseline_counts=before, proof=proof_now)

    findings = worse_count_findings(criterion, ExplainedTests())

    assert [finding.rule for finding in findings] == rules


@pytest.mark.parametrize(
    ("explained", "severity", "answer"),
    [
        (ExplainedTests(), HIGH, Continue),
        (ExplainedTests(by_changes=1), HIGH, Continue),
        (ExplainedTests(by_changes=2), MEDIUM, Stop),
        (ExplainedTests(by_changes=1, by_permission=1), MEDIUM, Stop),
        (ExplainedTests(by_permission=2), LOW, Stop),
    ],
)
def test_fewer_tests_refute_unless_the_changed_test_files_explain_them(explained, severity, answer):
    counted = with_check("tests pass", guard=False, baseline_counts=(("tests", 9.0),))
    story = Story(a_based_loop(criteria=(counted,)))
    story.tell(turn(DONE))
    story.tell(passed("tests pass", counts=(("tests", 7.0),)))

    said = story.tell(compared(story, explained_tests=explained))

    [finding] = story.loop.baseline.findings
    assert (finding.rule, finding.severity) == ("fewer-tests-run", severity)
    assert isinstance(said, answer)
    assert bool(story.loop.verdict and story.loop.verdict.proven) is (severity == LOW)


# --- at the end only ---


def test_a_held_out_check_runs_only_when_all_else_holds():
    story = Story(a_based_loop(final_checks=(held_out(),)))
    story.turn("still at it", checks={"tests pass": False})
    assert story.checks_run == ["tests pass"]

    story.turn(DONE, "tree-2", checks={"tests pass": True})
    assert isinstance(story.tell(compared(story, tree="tree-2")), RunCheck)
    assert isinstance(story.tell(passed("no leaks")), CompareWithBaseline), (
        "was anything written while it ran?"
    )
    story.tell(compared(story, tree="tree-2"))

    assert story.checks_run == ["tests pass", "tests pass", "no leaks"]
    assert story.loop.verdict.name == "SHIP"
    assert "no leaks: a held-out check, passes at look 1" in story.loop.verdict.notes


def test_of_a_held_out_check_the_agent_learns_the_name_alone():
    story = claims_done(a_based_loop(final_checks=(held_out(),)))
    story.tell(compared(story))

    said = story.tell(failed("no leaks", "leak in src/pool.py:31"))

    assert first_line(said) == "claim refuted: no leaks"
    assert "- no leaks: a held-out check fails." in said.prompt
    assert "pool.py" not in said.prompt
    assert "(held out: 0f)" not in said.prompt


def test_one_that_cannot_be_run_is_the_persons_matter():
    story = claims_done(a_based_loop(final_checks=(held_out(),)))
    story.tell(compared(story))

    story.tell(failed("no leaks", "its command is gone", outcome="missing"))

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "last")
    assert "no leaks cannot be run: its command is gone" in story.loop.pause.why


def test_one_that_could_not_be_run_is_tried_again_without_a_turn_of_the_agent():
    story = claims_done(a_based_loop(final_checks=(held_out(),)))
    story.tell(compared(story))
    story.tell(failed("no leaks", "its command is gone", outcome="missing"))

    wanted = story.tell(order("continue", arguments=(PROVE,)))

    assert wanted.criterion == "no leaks"
    story.tell(passed("no leaks"))
    story.tell(compared(story))
    assert story.loop.status == "finished"


def test_a_reviewer_reads_last_and_its_objections_go_back_as_data():
    story = claims_done(a_based_loop(final_checks=(reviewed(), held_out())))
    story.tell(compared(story))
    assert story.directive.criterion == "no leaks"
    story.tell(passed("no leaks", seconds=900.0))
    assert story.directive.criterion == "review"

    said = story.tell(
        failed("review", "src/cart.py:3: total is rounded twice ```", kind="code review")
    )

    assert first_line(said) == "claim refuted: review"
    assert (
        "the reviewer objects. Their words, as data:\n```text\nsrc/cart.py:3: total is rounded twice '''\n```"
        in said.prompt
    )


def test_a_review_is_never_more_than_a_review():
    """It takes nothing from a proof, and it makes none of what the agent alone has seen."""
    claimed = Criterion("docs read well")
    story = Story(a_loop(criteria=(claimed,), final_checks=(reviewed(),)))
    story.tell(turn(block({"docs read well": True}, exit=True)))
    story.tell(passed("review", kind="code review"))

    assert (story.loop.verdict.name, story.loop.verdict.proven) == ("MONITOR", False)
    assert "review: a reviewer has no objection at look 1 (code review)" in story.loop.verdict.notes


def test_the_agent_must_claim_again_after_a_held_out_check_failed_and_it_runs_again():
    story = claims_done(a_based_loop(final_checks=(held_out(),)))
    story.tell(compared(story))
    story.tell(failed("no leaks"))

    story.tell(turn(DONE))
    story.tell(compared(story))
    story.tell(passed("tests pass"))
    story.tell(passed("no leaks"))
    story.tell(compared(story))

    assert story.loop.status == "finished"
    assert (story.loop.verdict.name, story.loop.verdict.why) == ("MONITOR", "flaky: no leaks")


def test_files_that_came_and_went_while_a_held_out_check_ran_void_it():
    story = claims_done(a_based_loop(final_checks=(held_out(),)))
    story.tell(compared(story))
    story.tell(passed("no leaks"))

    again = story.tell(compared(story, raced_checks=("no leaks",), written_files="src/pool.py"))
    assert isinstance(again, CompareWithBaseline)
    assert story.loop.status == "running"
    assert story.tell(compared(story)).criterion == "no leaks", "it runs once more"
    story.tell(failed("no leaks"))
    assert (story.loop.status, story.loop.exit_claimed) == ("running", False)


# --- red first ---


def green(*names: str, **changes: Any) -> Loop:
    return a_loop(criteria=tuple(with_check(name, guard=True) for name in names), **changes)


def test_what_passed_before_the_work_began_proves_nothing():
    story = Story(green("tests pass"))
    story.turn(DONE, checks={"tests pass": True})

    verdict = story.loop.verdict
    assert (verdict.name, verdict.proven) == ("MONITOR", False)
    assert (
        verdict.why
        == "every check passed before the work began: they guard it, they cannot prove it"
    )


@pytest.mark.parametrize(
    ("start_tree", "guard", "name"),
    [
        pytest.param("tree-2", None, "MONITOR", id="not measured, and nothing changed"),
        pytest.param("tree-1", None, "SHIP", id="not measured, and files changed"),
        pytest.param("tree-2", False, "SHIP", id="it failed at the start, and no file changed"),
        pytest.param("", None, "SHIP", id="a loop of an earlier version"),
    ],
)
def test_a_check_that_passes_on_the_files_of_the_start_passed_before_the_work_began(
    start_tree: str, guard: bool | None, name: str
):
    criteria = (with_check("tests pass", guard=guard),)
    story = Story(a_loop(criteria=criteria, start_tree=start_tree))
    story.turn(DONE, tree="tree-2", checks={"tests pass": True})

    assert story.loop.verdict.name == name


def test_a_guard_beside_a_proof_is_named():
    loop = green("lint clean").but(
        criteria=(with_check("tests pass", guard=False), with_check("lint clean", guard=True))
    )
    story = Story(loop)
    story.turn(
        block({"tests pass": True, "lint clean": True}, exit=True),
        checks={"tests pass": True, "lint clean": True},
    )

    assert story.loop.verdict.name == "SHIP"
    assert story.loop.verdict.notes == ('guard: "lint clean" passed before the work began',)


def test_to_refactor_is_to_keep_what_passes_passing():
    story = Story(green("tests pass", workflow=Workflow("C")))
    story.turn(DONE, checks={"tests pass": True})

    assert story.loop.verdict.proven


@pytest.mark.parametrize(
    ("letter", "tree", "replay", "grade"),
    [
        pytest.param("C", "tree-1", PASSED, "proven", id="a refactoring"),
        pytest.param("C", "tree-0", PASSED, "reported", id="that changed nothing"),
        pytest.param("C", "tree-1", FAILED, "reported", id="after which an earlier test fails"),
        pytest.param("A", "tree-1", PASSED, "reported", id="a feature"),
    ],
)
def test_the_guards_of_a_refactoring_stand_for_its_spec(letter, tree, replay, grade):
    proof = Evidence("tests pass", passed=True, tree=tree, by="loop")
    said = Evidence(SPEC_SATISFIED, passed=True, tree=tree, by="agent")
    outcomes = {FINAL_TREE_RUN: PASSED, REPLAY_RUN: replay, REVERT_RUN: NOT_NEEDED}
    runs = tuple(RoomRun(kind, tree, outcome) for kind, outcome in outcomes.items())
    loop = a_loop(
        criteria=(
            with_check("tests pass", guard=True).but(proof=proof),
            Criterion(SPEC_SATISFIED, proof=said),
        ),
        workflow=Workflow(letter),
        start_tree="tree-0",
        room=Room(status=TRUSTED, runs=runs),
        tree=tree,
    )

    verdict = verdict_of(loop)

    assert (verdict.name, verdict.grade) == ("MONITOR", grade)
    assert ("no command shows that it is what you asked for" in verdict.why) == (grade == "proven")
    assert f"? {SPEC_SATISFIED}: reported" in end_screen(loop.but(verdict=verdict))


# --- the looks of what runs at the end ---


def looks(story: Story, *results: bool, name: str = "no leaks") -> Any:
    """The agent claims the end once for each result of the held-out check, on a new tree."""
    for number, fine in enumerate(results, len(story.events_of(ev.TurnEnded)) + 10):
        tree = f"tree-{number}"
        story.turn(DONE, tree, checks={"tests pass": True})
        said = story.tell(compared(story, tree=tree))
        if isinstance(said, RunCheck):
            said = story.tell(passed(name) if fine else failed(name))
        if fine:
            said = story.tell(compared(story, tree=tree))
    return said


def test_the_verdict_says_at_which_look_a_held_out_check_passed():
    story = Story(a_based_loop(final_checks=(held_out(),)))

    said = looks(story, False)
    assert "no leaks answers 2 more times; then a person decides." in said.prompt
    looks(story, False, True)

    assert story.loop.status == "finished"
    assert "no leaks: a held-out check, passes at look 3" in story.loop.verdict.notes


def test_after_the_last_look_a_person_decides():
    story = Story(a_based_loop(final_checks=(held_out(),)))

    said = looks(story, False, False, False)

    assert isinstance(said, Ask)
    assert '"no leaks" failed at look 3, and no look is left: a person decides' in said.message
    assert '`loop rule "no leaks" keep`' in said.message
    assert not story.loop.exit_claimed


def test_after_the_last_look_an_unattended_loop_pauses_with_the_command():
    story = Story(a_based_loop(final_checks=(reviewed(),), gates_enabled=False))

    said = looks(story, False, False, False, name="review")

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "looks")
    assert "`loop rule review keep`" in said.message


def test_without_a_ruling_it_does_not_answer_again():
    story = Story(a_based_loop(final_checks=(held_out(),), gates_enabled=False))
    looks(story, False, False, False)
    story.tell(order("continue"))

    story.turn(DONE, "tree-99", checks={"tests pass": True})

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "looks")
    assert story.checks_run.count("no leaks") == 3


def test_keep_gives_as_many_looks_again():
    story = Story(a_based_loop(final_checks=(held_out(),)))
    looks(story, False, False, False)

    story.tell(order("rule", arguments=("no leaks", "keep")))
    looks(story, True)

    assert story.loop.status == "finished"
    assert "no leaks: a held-out check, passes at look 4" in story.loop.verdict.notes


def test_dropping_a_held_out_check_ends_without_proof():
    story = Story(a_based_loop(final_checks=(held_out(),)))
    looks(story, False, False, False)

    refused = story.tell(order("rule", arguments=("no leaks", "change"), criteria=(held_out(),)))
    assert "cannot be changed here" in refused.message
    story.tell(order("rule", arguments=("no leaks", "drop")))
    story.turn(DONE, "tree-50", checks={"tests pass": True})
    story.tell(compared(story, tree="tree-50"))

    verdict = story.loop.verdict
    assert (verdict.name, verdict.proven, verdict.why) == (
        "MONITOR",
        False,
        "dropped by you: no leaks",
    )


def test_the_number_of_looks_is_a_limit():
    loop = a_based_loop(final_checks=(held_out(),))
    story = Story(loop.but(limits=loop.limits.but(looks=1)))

    assert isinstance(looks(story, False), Ask)


def test_the_held_out_check_of_a_plan_is_fixed_after_a_person_gave_more_looks():
    last = (held_out(),)
    loop = a_plan_loop(a_plan(a_task("01")), final_checks=last)
    story = PlanStory(loop.but(limits=loop.limits.but(looks=1)), failing=("no leaks",))

    story.completes("01")
    assert (story.loop.status, story.loop.pause.cause) == ("paused", "looks")

    story.tell(order("rule", arguments=("no leaks", "keep")))
    said = story.tell(order("continue"))
    assert isinstance(said, Continue)
    assert story.plan.gaps
    assert story.checks_run.count("no leaks") == 1, "work comes before the next look"


# --- flaky, retries, frozen ---


def test_another_result_on_the_same_tree_is_flaky_and_named():
    story = Story(a_loop())
    story.turn("not yet", checks={"tests pass": False})
    story.turn(DONE, checks={"tests pass": True})

    assert (story.loop.verdict.name, story.loop.verdict.why) == ("MONITOR", "flaky: tests pass")
    assert not story.loop.verdict.proven
    assert "flaky: tests pass changed its result on an unchanged tree" in story.loop.verdict.notes


@pytest.mark.parametrize(
    ("first", "flaky"),
    [
        pytest.param({"tree": "tree-0"}, False, id="another tree"),
        pytest.param({"outcome": "missing", "code": 127}, False, id="it could not be run before"),
        pytest.param({"outcome": "timeout", "code": None}, True, id="it took too long"),
    ],
)
def test_what_is_flaky_and_what_is_not(first, flaky):
    criterion = with_check("tests pass").but(proof=proof("tests pass", **{"fine": False, **first}))
    story = Story(a_loop(criteria=(criterion,), tree=TREE))
    story.turn(DONE, checks={"tests pass": True})

    assert story.loop.criteria[0].flaky is flaky


def test_a_failure_is_run_again_as_often_as_was_asked():
    story = Story(a_loop(criteria=(Criterion("tests pass", Check("pytest -q", retries=2)),)))
    story.tell(turn(DONE))

    assert isinstance(story.tell(failed("tests pass")), RunCheck)
    assert isinstance(story.tell(failed("tests pass")), RunCheck)
    assert isinstance(story.tell(failed("tests pass")), Continue)


def test_one_that_passes_in_most_of_its_runs_holds_and_is_flaky():
    story = Story(a_loop(criteria=(Criterion("tests pass", Check("pytest -q", retries=2)),)))
    story.tell(turn(DONE))
    story.tell(failed("tests pass"))
    assert isinstance(story.tell(passed("tests pass")), RunCheck), "one of two is no majority"
    story.tell(passed("tests pass"))

    assert (story.loop.verdict.name, story.loop.verdict.why) == ("MONITOR", "flaky: tests pass")
    assert (story.loop.criteria[0].proof.passes, story.loop.criteria[0].proof.runs) == (2, 3)


@pytest.mark.parametrize(
    ("retries", "results"),
    [
        pytest.param(1, (False, True), id="one of two"),
        pytest.param(2, (False, True, False), id="one of three"),
        pytest.param(3, (False, False, True, True), id="two of four"),
    ],
)
def test_one_that_passes_in_half_of_its_runs_or_fewer_does_not_hold(retries, results):
    check = Check("pytest -q", retries=retries)
    story = Story(a_loop(criteria=(Criterion("tests pass", check),)))
    story.tell(turn(DONE))
    for fine in results:
        said = story.tell(passed("tests pass") if fine else failed("tests pass"))

    assert isinstance(said, Continue)
    assert story.loop.unmet_criteria == ("tests pass",)
    assert story.loop.criteria[0].flaky
    assert not story.loop.exit_claimed


def test_a_check_that_passes_at_once_is_not_run_again():
    story = Story(a_loop(criteria=(Criterion("tests pass", Check("pytest -q", retries=3)),)))
    story.turn(DONE, checks={"tests pass": True})

    assert story.checks_run == ["tests pass"]
    assert story.loop.verdict.proven


FROZEN = [
    pytest.param({"failing": ("t::a",), "failures": 1}, True, id="what failed at the start fails"),
    pytest.param({"failing": ("t::a", "t::b"), "failures": 2}, True, id="all of it"),
    pytest.param(
        {"failing": ("t::a", "t::c"), "failures": 2}, False, id="something else fails too"
    ),
    pytest.param({"failing": (), "failures": 1}, False, id="it does not say what fails"),
    pytest.param({"failing": ("t::a",), "failures": 2}, False, id="it counts more than it names"),
    pytest.param(
        {"failing": ("t::a",), "failures": 1, "outcome": "timeout", "code": None},
        False,
        id="it took too long",
    ),
]


@pytest.mark.parametrize(("facts", "met"), FROZEN)
def test_no_worse_than_at_the_start(facts, met):
    story = Story(
        a_loop(criteria=(Criterion("tests pass", Check("pytest -q", frozen=("t::a", "t::b"))),))
    )
    story.tell(turn(DONE))
    story.tell(failed("tests pass", **facts))

    assert story.loop.status == ("finished" if met else "running")
    if met:
        assert (story.loop.verdict.name, story.loop.verdict.why) == (
            "MONITOR",
            "tests that failed at the start still fail",
        )


# --- other kinds of loop ---


def test_a_discovery_loop_looks_back_before_it_ends():
    story = Story(a_discovery_loop(guards=("tests pass",), tree_id="c0ffee"))
    for number in range(1, 4):
        story.turn("nothing found", f"tree-{number + 1}", checks={"tests pass": True})

    said = story.tell(compared(story, SKIPPED, tree="tree-4"))
    assert isinstance(said, Continue)
    assert "tests/test_cart.py:4: test switched off" in said.prompt
    assert story.loop.streak.dry == 3

    story.turn("put back", "tree-5", checks={"tests pass": True})
    story.tell(compared(story, tree="tree-5"))
    assert story.loop.status == "finished"


def test_the_record_has_the_tree_that_was_proven():
    story = claims_done(a_based_loop())
    story.tell(compared(story, kept_commit="abc123"))

    assert story.events_of(BaselineCompared) == [BaselineCompared(TREE, (), "abc123")]


def verified(*last: Criterion) -> PlanStory:
    """A plan of one task whose own check passes; it is about to end."""
    loop = a_plan_loop(a_plan(a_task("01")), tree_id="c0ffee", final_checks=last)
    story = PlanStory(loop)
    story.completes("01")
    return story


def test_a_plan_looks_back_before_it_ends_and_what_it_finds_is_a_gap():
    story = verified()
    assert isinstance(story.directive, CompareWithBaseline)

    said = story.tell(compared(story, SKIPPED, tree=story.loop.tree))

    assert isinstance(said, Continue)
    assert [(gap.file, gap.text) for gap in story.plan.gaps] == [
        ("tests/test_cart.py", "test switched off")
    ]
    assert "@pytest.mark.skip" in said.prompt

    story.says("GAP CLOSED: tests/test_cart.py")
    story.tell(compared(story, tree=story.loop.tree))
    assert story.loop.verdict.proven


def test_a_held_out_check_of_a_plan_is_a_gap_without_its_output():
    story = verified(held_out())
    story.failing = {"no leaks"}

    said = story.answer_checks(story.tell(compared(story, tree=story.loop.tree)))

    assert isinstance(said, Continue)
    assert [gap.file for gap in story.plan.gaps] == ["no leaks"]
    assert "a held-out check fails" in said.prompt


def test_a_plan_whose_tree_does_not_come_to_rest_is_paused():
    story = verified()
    story.answer_checks(story.tell(compared(story, tree="tree-8")))
    story.answer_checks(story.tell(compared(story, tree="tree-9")))

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "moving")


def test_a_plan_with_a_held_out_check_without_looks_asks_though_it_did_not_run_on_this_tree():
    used_up = held_out().but(looks=3, proof=proof("no leaks", tree="an older tree", fine=False))
    story = PlanStory(
        a_plan_loop(a_plan(a_task("01")), gates_enabled=True, final_checks=(used_up,))
    )
    story.completes("01")

    assert story.loop.gate.name == "rule"
    assert story.plan.gaps == ()
