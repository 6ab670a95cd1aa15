"""The final proof in a clean checkout: its order, what ends it, and what the person hears."""

from __future__ import annotations

from typing import Any

import pytest

from loopwright.core import events as ev
from loopwright.core.criteria import Check, Criterion
from loopwright.core.directives import (
    CompareWithBaseline,
    Continue,
    HashTree,
    RunCheck,
    RunInCleanCheckout,
    Stop,
)
from loopwright.core.draft import Draft
from loopwright.core.engine import policy_of
from loopwright.core.findings import HIGH, LOW, MEDIUM, Finding
from loopwright.core.loop import Lease, Loop
from loopwright.core.policies.clean_checkout_runs import (
    finish_proof,
    missing_runs,
    record_clean_checkout_run,
)
from loopwright.core.prompts.clean_checkout import clean_checkout_notes, start_note
from loopwright.core.proof.clean_checkout import (
    ALLOWED_LATE,
    CALIBRATION_RUN,
    COULD_NOT_PREPARE,
    FAILED,
    FINAL_TREE_RUN,
    NOT_NEEDED,
    OFF,
    PASSED,
    PENDING,
    REPLAY_RUN,
    REVERT_RUN,
    SKIPPED,
    TRUSTED,
    UNPREPARED,
    UNTRUSTED,
    RoomCheck,
    RoomRun,
)
from loopwright.core.proof.events import (
    ProofFinished,
    RoomAnnounced,
    RoomCalibrated,
    RoomRunEnded,
)
from loopwright.core.proof.state import CheckRound, Room
from loopwright.core.signals import (
    Answered,
    BaselineComparison,
    CalibrationResult,
    CleanCheckoutResult,
    StartMeasurement,
)
from tests.support.builders import (
    TREE,
    Story,
    a_discovery_loop,
    a_loop,
    block,
    failed,
    hashed,
    order,
    passed,
    proof,
    turn,
    with_check,
)

DONE = block({"tests pass": True}, exit=True)
GRAVE = Finding(HIGH, "fails-in-clean-room", "tests pass")
DOUBT = Finding(MEDIUM, "passes-without-the-work", "tests pass")
NOTE = Finding(LOW, "test-no-longer-applies", "tests pass")


def a_loop_with_room(status: str = TRUSTED, **changes: Any) -> Loop:
    """A loop whose check failed at the start, and whose clean checkout was calibrated."""
    criteria = (with_check("tests pass", guard=False),)
    room = Room(status=status, **changes.pop("room", {}))
    usual = {"criteria": criteria, "tree_id": "c0ffee", "tree": "tree-0", "room": room}
    return a_loop(**{**usual, **changes})


def claims_done(loop: Loop) -> Story:
    """The agent claims the exit, its check passes, and the ratchet finds nothing."""
    story = Story(loop)
    story.tell(turn(DONE))
    story.tell(passed("tests pass"))
    compared(story)
    return story


def compared(story: Story, *findings: Finding, tree: str = TREE) -> Any:
    wanted = story.directive
    assert isinstance(wanted, CompareWithBaseline)
    return story.tell(BaselineComparison(0.0, wanted.round, wanted.fence, tree, findings))


def ended(story: Story, outcome: str = PASSED, *findings: Finding, **facts: Any) -> Any:
    """The run that the loop asked for has ended."""
    wanted = story.directive
    assert isinstance(wanted, RunInCleanCheckout), f"no run was asked for, but {wanted!r}"
    run = RoomRun(wanted.kind, wanted.tree, outcome, findings=findings, **facts)
    return story.tell(CleanCheckoutResult(0.0, wanted.round, wanted.fence, run))


def held_out() -> Criterion:
    return Criterion("no leaks", Check("(held out: 0f)", origin="holdout"))


def calibrated(status: str, why: str = "", **facts: Any) -> CalibrationResult:
    return CalibrationResult(0.0, status, why, **facts)


def kinds(story: Story) -> list[str]:
    return [event.run.kind for event in story.events_of(RoomRunEnded)]


def grade(story: Story) -> str:
    assert story.loop.verdict is not None, story.directive
    return story.loop.verdict.grade


def test_room_replay_and_revert_run_in_this_order_and_prove() -> None:
    story = claims_done(a_loop_with_room())
    while isinstance(story.directive, RunInCleanCheckout):
        ended(story)

    assert kinds(story) == [FINAL_TREE_RUN, REPLAY_RUN, REVERT_RUN]
    assert (story.loop.status, grade(story)) == ("finished", "proven")


def test_runs_that_are_not_needed_prove_too() -> None:
    story = claims_done(a_loop_with_room())
    ended(story)
    ended(story, NOT_NEEDED)
    ended(story, NOT_NEEDED)

    assert grade(story) == "proven"


@pytest.mark.parametrize("kind", [FINAL_TREE_RUN, REPLAY_RUN])
def test_a_grave_finding_refutes_the_claim_and_ends_the_proof(kind: str) -> None:
    story = claims_done(a_loop_with_room())
    while story.directive.kind != kind:  # type: ignore[union-attr]
        ended(story)
    again = ended(story, FAILED, GRAVE)
    assert isinstance(again, RunInCleanCheckout), "a failure must reproduce before it refutes"
    assert again.kind == kind
    reply = ended(story, FAILED, GRAVE)

    assert isinstance(reply, Continue)
    (refuted,) = story.events_of(ev.ClaimRefuted)
    assert refuted.why == "it does not hold in a clean checkout"
    assert "claim refuted: it does not hold in a clean checkout" in reply.prompt
    assert "easier to prove" not in reply.prompt
    assert story.loop.status == "running"


def test_a_run_that_fails_and_then_passes_is_flaky_and_a_person_must_look() -> None:
    story = claims_done(a_loop_with_room())
    ended(story, FAILED, GRAVE)
    while isinstance(story.directive, RunInCleanCheckout):
        ended(story)

    assert kinds(story) == [FINAL_TREE_RUN, FINAL_TREE_RUN, REPLAY_RUN, REVERT_RUN]
    assert story.loop.verdict.name == "MONITOR"  # type: ignore[union-attr]
    assert [f.rule for f in story.loop.baseline.findings] == ["flaky-in-room"]


@pytest.mark.parametrize("outcome", [SKIPPED, COULD_NOT_PREPARE])
def test_a_failure_that_cannot_be_repeated_stays_a_failure(outcome: str) -> None:
    story = claims_done(a_loop_with_room())
    ended(story, FAILED, GRAVE)
    reply = ended(story, outcome, why="no time, no disk")

    assert isinstance(reply, Continue)
    assert story.events_of(ev.ClaimRefuted)


@pytest.mark.parametrize("outcome", [SKIPPED, COULD_NOT_PREPARE])
def test_a_later_claim_without_a_clean_checkout_does_not_end_a_failure(outcome: str) -> None:
    story = claims_done(a_loop_with_room())
    ended(story, FAILED, GRAVE)
    ended(story, FAILED, GRAVE)
    story.tell(turn(DONE))
    compared(story)

    assert isinstance(ended(story, outcome, why="no time, no disk"), Continue)
    assert story.loop.status == "running"


def test_what_is_read_from_files_is_not_run_twice() -> None:
    story = claims_done(a_loop_with_room())
    reply = ended(story, FAILED, Finding(HIGH, "product-detects-tests", "src/a.py"))

    assert isinstance(reply, Continue)
    assert kinds(story) == [FINAL_TREE_RUN]


@pytest.mark.parametrize("outcome", [FAILED, COULD_NOT_PREPARE, SKIPPED])
def test_each_claim_makes_the_runs_again_that_did_not_pass(outcome: str) -> None:
    story = claims_done(a_loop_with_room(final_checks=(held_out(),)))
    findings = (GRAVE,) if outcome == FAILED else ()
    while isinstance(story.directive, RunInCleanCheckout | RunCheck | CompareWithBaseline):
        if isinstance(story.directive, RunInCleanCheckout):
            ended(story, outcome, *findings)
        elif isinstance(story.directive, CompareWithBaseline):
            compared(story)
        else:
            name = story.directive.criterion
            story.tell(failed(name) if name == "no leaks" else passed(name))
    assert isinstance(story.directive, Continue)
    made = len(kinds(story))

    story.tell(turn(DONE))
    compared(story)
    while isinstance(story.directive, RunInCleanCheckout):
        ended(story)
    assert kinds(story)[made:] == [FINAL_TREE_RUN, REPLAY_RUN, REVERT_RUN]


def test_at_the_next_claim_a_run_that_failed_twice_refutes_at_its_first_failure() -> None:
    story = claims_done(a_loop_with_room())
    ended(story, FAILED, GRAVE)
    ended(story, FAILED, GRAVE)
    story.tell(turn(DONE))
    compared(story)

    assert isinstance(ended(story, FAILED, GRAVE), Continue)
    assert kinds(story) == [FINAL_TREE_RUN] * 3


def test_what_fails_in_an_untrusted_room_must_pass_once_more_in_place() -> None:
    story = claims_done(a_loop_with_room(UNTRUSTED))
    ended(story, COULD_NOT_PREPARE, why="it fails there, as the start made likely")
    assert isinstance(story.directive, RunCheck)
    reply = story.tell(failed("tests pass"))

    assert isinstance(reply, Continue)
    assert story.loop.unmet_criteria == ("tests pass",)
    assert not story.loop.exit_claimed


def test_a_doubt_lets_the_loop_end_but_not_as_proven() -> None:
    story = claims_done(a_loop_with_room())
    ended(story)
    ended(story)
    ended(story, PASSED, DOUBT)

    assert story.loop.status == "finished"
    assert (story.loop.verdict.name, grade(story)) == ("MONITOR", "reported")  # type: ignore[union-attr]


def test_a_note_takes_nothing_from_a_proof() -> None:
    story = claims_done(a_loop_with_room())
    ended(story)
    ended(story, PASSED, NOTE)
    ended(story)

    assert grade(story) == "proven"


@pytest.mark.parametrize("kind", [FINAL_TREE_RUN, REPLAY_RUN, REVERT_RUN])
def test_a_room_that_cannot_be_prepared_ends_the_runs_as_proven_in_place(kind: str) -> None:
    story = claims_done(a_loop_with_room())
    while story.directive.kind != kind:  # type: ignore[union-attr]
        ended(story)
    ended(story, COULD_NOT_PREPARE, why="no registry")
    if kind == FINAL_TREE_RUN:  # no clean checkout has repeated it
        story.tell(passed("tests pass"))

    assert kinds(story)[-1] == kind
    assert (story.loop.status, grade(story)) == ("finished", "proven-in-place")


def test_without_a_room_nothing_runs_there() -> None:
    story = claims_done(a_loop_with_room(""))

    assert kinds(story) == []
    assert grade(story) == "proven-in-place"


@pytest.mark.parametrize("status", [OFF, UNPREPARED])
def test_what_no_room_repeats_runs_once_more_in_place(status: str) -> None:
    story = claims_done(a_loop_with_room(status))
    assert isinstance(story.directive, RunCheck)
    story.tell(passed("tests pass"))

    assert kinds(story) == []
    assert grade(story) == "proven-in-place"


@pytest.mark.parametrize("status", [OFF, UNPREPARED])
def test_a_check_that_fails_when_it_runs_once_more_in_place_proves_nothing(status: str) -> None:
    story = claims_done(a_loop_with_room(status))
    story.tell(failed("tests pass"))

    assert story.loop.status == "running"
    assert isinstance(story.directive, Continue)
    assert story.loop.criteria[0].flaky


def test_in_an_untrusted_room_a_pass_is_still_proof() -> None:
    story = claims_done(a_loop_with_room(UNTRUSTED))
    ended(story)
    ended(story)
    ended(story)

    assert grade(story) == "proven"


def test_a_discovery_loop_has_no_revert_test() -> None:
    done = RoomRun(FINAL_TREE_RUN, TREE, PASSED)
    loop = a_discovery_loop(
        guards=("tests pass",),
        tree=TREE,
        room=Room(TRUSTED, runs=(done,)),
        check_round=CheckRound(number=1, tree=TREE),
    )
    story = Story(loop)
    replay = RoomRun(REPLAY_RUN, TREE, PASSED)
    reply = story.tell(CleanCheckoutResult(0.0, 1, loop.lease.fence, replay))

    assert not isinstance(reply, RunInCleanCheckout)
    assert story.loop.room.runs == (done, replay)


# --- the last act ---


def last_act(loop: Loop) -> Story:
    """Everything supports the claim, and the files are to be hashed once more."""
    story = claims_done(loop)
    while isinstance(story.directive, RunInCleanCheckout):
        wanted = story.directive
        run = RoomRun(wanted.kind, wanted.tree, PASSED)
        story.tell_only(CleanCheckoutResult(0.0, wanted.round, wanted.fence, run))
    assert isinstance(story.directive, HashTree)
    return story


def test_files_that_changed_during_the_proof_void_it() -> None:
    story = last_act(a_loop_with_room())
    again = story.tell(hashed(story.directive, "tree-2"))

    assert isinstance(again, RunCheck)
    story.tell(passed("tests pass"))
    compared(story, tree="tree-2")
    while isinstance(story.directive, RunInCleanCheckout):
        ended(story)
    assert kinds(story) == [FINAL_TREE_RUN, REPLAY_RUN, REVERT_RUN] * 2
    assert story.loop.tree == "tree-2"
    assert grade(story) == "proven"


def test_files_that_never_come_to_rest_prove_nothing() -> None:
    story = last_act(a_loop_with_room())
    story.tell(hashed(story.directive, "tree-2"))
    story.tell(passed("tests pass"))
    compared(story, tree="tree-2")
    while isinstance(story.directive, RunInCleanCheckout):
        wanted = story.directive
        run = RoomRun(wanted.kind, wanted.tree, PASSED)
        story.tell_only(CleanCheckoutResult(0.0, wanted.round, wanted.fence, run))

    assert isinstance(story.tell(hashed(story.directive, "tree-3")), Continue)
    assert (story.loop.status, story.loop.exit_claimed) == ("running", False)


def test_files_that_cannot_be_hashed_pause_the_loop() -> None:
    story = last_act(a_loop_with_room())
    story.tell(hashed(story.directive, tree_problem="src is not readable"))

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "tree")


def test_a_hash_of_another_round_is_dropped() -> None:
    story = last_act(a_loop_with_room())
    wanted = story.directive
    assert isinstance(wanted, HashTree)
    late = hashed(wanted).but(round=wanted.round - 1)

    assert isinstance(story.tell(late), Stop)
    assert story.loop.status == "running"


# --- after a kill, and on other trees ---


def test_a_run_that_this_tree_had_is_not_repeated() -> None:
    story = claims_done(a_loop_with_room())
    ended(story)
    story.tell(turn(DONE))  # the hook was killed during the replay: the agent stops once more
    compared(story)

    assert isinstance(story.directive, RunInCleanCheckout)
    assert story.directive.kind == REPLAY_RUN
    ended(story)
    ended(story)
    assert kinds(story) == [FINAL_TREE_RUN, REPLAY_RUN, REVERT_RUN]
    assert grade(story) == "proven"


def test_a_finding_of_a_run_before_the_kill_still_counts() -> None:
    story = claims_done(a_loop_with_room())
    ended(story, PASSED, DOUBT)
    story.tell(turn(DONE))
    compared(story)
    ended(story)
    ended(story)

    assert grade(story) == "reported"


def test_another_tree_gets_its_own_runs() -> None:
    story = claims_done(a_loop_with_room())
    ended(story, FAILED, GRAVE)
    story.tell(turn(DONE, tree="tree-2"))
    story.tell(passed("tests pass"))
    compared(story, tree="tree-2")

    assert isinstance(story.directive, RunInCleanCheckout)
    assert (story.directive.kind, story.directive.tree) == (FINAL_TREE_RUN, "tree-2")
    assert story.loop.baseline.findings == (), "what an earlier tree showed is over"


def test_a_result_of_another_round_is_dropped() -> None:
    story = claims_done(a_loop_with_room())
    wanted = story.directive
    assert isinstance(wanted, RunInCleanCheckout)
    run = RoomRun(FINAL_TREE_RUN, TREE, FAILED, findings=(GRAVE,))
    reply = story.tell(CleanCheckoutResult(0.0, wanted.round + 7, wanted.fence, run))

    assert isinstance(reply, Stop)
    (dropped,) = story.events_of(ev.CheckResultDropped)
    assert dropped.criterion == "the room run"
    assert story.loop.room.runs == ()


# --- calibration ---


def test_a_calibration_in_the_background_is_recorded_once() -> None:
    story = Story(a_loop_with_room(PENDING))
    checks = (RoomCheck("tests pass", passed=False, code=1),)
    story.tell(calibrated(TRUSTED, setup="npm ci", checks=checks))
    story.tell(calibrated(UNTRUSTED, "a second one"))

    assert len(story.events_of(RoomCalibrated)) == 1
    room = story.loop.room
    assert (room.status, room.setup, room.baseline) == (TRUSTED, "npm ci", checks)
    assert not room.must_announce


def test_a_room_that_cannot_be_used_is_announced_once_at_the_next_stop() -> None:
    story = Story(a_loop_with_room(PENDING))
    story.tell(calibrated(UNTRUSTED, "tests pass: other tests fail in the room: t.b"))
    first = story.tell(turn("working"))
    story.tell(failed("tests pass"))
    second = story.tell(turn("working"))

    assert first.message == (
        "[LOOP] The checks give other results in a clean checkout "
        "(tests pass: other tests fail in the room: t.b). The best grade is then proven in place. "
        "What the checks need: loop start --setup COMMAND --include PATH"
    )
    assert "clean checkout" not in second.message
    assert len(story.events_of(RoomAnnounced)) == 1


def test_a_trusted_room_is_not_announced() -> None:
    story = Story(a_loop_with_room(PENDING))
    story.tell(calibrated(TRUSTED))

    assert "clean checkout" not in story.tell(turn("working")).message


def test_a_calibration_that_was_killed_runs_before_the_final_proof() -> None:
    story = claims_done(a_loop_with_room(PENDING))
    wanted = story.directive
    assert isinstance(wanted, RunInCleanCheckout)
    assert wanted.kind == CALIBRATION_RUN
    story.tell(calibrated(TRUSTED, round=wanted.round, fence=wanted.fence))

    assert isinstance(story.directive, RunInCleanCheckout)
    assert story.directive.kind == FINAL_TREE_RUN


def test_a_calibration_in_the_background_does_not_disturb_a_proof_that_waits() -> None:
    story = claims_done(a_loop_with_room(PENDING))
    reply = story.tell(calibrated(UNPREPARED, "no registry"))  # of the process in the background

    assert isinstance(reply, Stop)
    assert story.loop.check_round is not None


def test_a_calibration_after_the_end_changes_nothing() -> None:
    story = Story(a_loop_with_room(PENDING))
    story.tell(order("cancel"))
    story.tell(calibrated(TRUSTED))

    assert story.loop.room.status == PENDING


# --- words for the person ---

NOTES = {
    TRUSTED: "Final proof: in a clean checkout after `npm ci`, where the checks give the same",
    PENDING: "Final proof: in a clean checkout, which is being tried now.",
    UNTRUSTED: "The checks give other results in a clean checkout (no registry).",
    UNPREPARED: "No clean checkout: no registry. The best grade is then proven in place.",
    OFF: "No clean checkout: no registry. The best grade is then proven in place.",
}


@pytest.mark.parametrize("status", NOTES)
def test_the_person_reads_before_the_start_where_the_proof_will_run(status: str) -> None:
    loop = a_loop_with_room(status, room={"why": "no registry", "setup": "npm ci"})

    assert start_note(loop).startswith(NOTES[status])


def test_a_loop_of_an_earlier_version_has_no_note() -> None:
    assert start_note(a_loop()) == ""


def test_the_verdict_says_what_ran_in_a_clean_checkout() -> None:
    check = RoomCheck("tests pass", passed=True, seconds=1.25)
    runs = (
        RoomRun(FINAL_TREE_RUN, TREE, PASSED, checks=(check, check)),
        RoomRun(REPLAY_RUN, TREE, NOT_NEEDED),
        RoomRun(REVERT_RUN, TREE, PASSED, checks=(check.but(passed=False),)),
    )
    loop = a_loop_with_room(room={"runs": runs}, tree=TREE)

    assert clean_checkout_notes(loop) == [
        "passed in a clean checkout of this tree (2.5 s)",
        'in a clean checkout, final tests on the product of the start: "tests pass" fails, as it must',
    ]
    assert clean_checkout_notes(loop.but(tree="tree-9")) == []


UNMET = "t::twice fails (DID NOT RAISE)"
REPLAYS: dict[str, tuple[RoomRun, list[str], str]] = {
    "every test of the start passes": (
        RoomRun(REPLAY_RUN, TREE, PASSED, checks=(RoomCheck("c", passed=True, seconds=1.0),)),
        ["passed in a clean checkout, with the tests and settings of the start (1.0 s)"],
        "passed",
    ),
    "a test that was deleted fails": (
        RoomRun(
            REPLAY_RUN, TREE, PASSED, checks=(RoomCheck("c", passed=False),), unmet_tests=(UNMET,)
        ),
        [
            "in a clean checkout, with the tests and settings of the start, does not pass: "
            "t::twice fails (DID NOT RAISE)"
        ],
        "fails, and refutes nothing",
    ),
    "it fails, and names no tests": (
        RoomRun(REPLAY_RUN, TREE, PASSED, checks=(RoomCheck("c", passed=False),)),
        [],
        "fails, and refutes nothing",
    ),
}


@pytest.mark.parametrize(("run", "notes", "result"), REPLAYS.values(), ids=REPLAYS.keys())
def test_the_tests_of_the_start_passed_only_if_every_one_of_them_did(
    run: RoomRun, notes: list[str], result: str
) -> None:
    assert clean_checkout_notes(a_loop_with_room(room={"runs": (run,)}, tree=TREE)) == notes
    assert run.result_text == result


def test_the_verdict_says_why_nothing_ran_there() -> None:
    run = RoomRun(FINAL_TREE_RUN, TREE, COULD_NOT_PREPARE, "no registry")
    tried = a_loop_with_room(room={"runs": (run,)}, tree=TREE)
    off = a_loop_with_room(OFF, room={"why": "you chose --room off"})

    assert clean_checkout_notes(tried) == [
        "could not run in a clean checkout of this tree: no registry"
    ]
    assert clean_checkout_notes(off) == ["no clean checkout: you chose --room off"]


# --- time ---


def test_skipped_runs_leave_a_proof_in_place() -> None:
    story = claims_done(a_loop_with_room())
    ended(story)
    ended(story, SKIPPED, why="it may take 900 s, and this Stop has 60 s left")
    ended(story, NOT_NEEDED)

    assert (kinds(story), grade(story)) == (
        [FINAL_TREE_RUN, REPLAY_RUN, REVERT_RUN],
        "proven-in-place",
    )
    assert missing_runs(story.loop) == (REPLAY_RUN,)
    assert any("loop audit --finish" in note for note in clean_checkout_notes(story.loop))


def test_without_time_for_the_calibration_the_loop_ends_in_place() -> None:
    story = claims_done(a_loop_with_room(PENDING))
    wanted = story.directive
    assert isinstance(wanted, RunInCleanCheckout)
    run = RoomRun(FINAL_TREE_RUN, wanted.tree, SKIPPED, "no time")
    story.tell(CleanCheckoutResult(0.0, wanted.round, wanted.fence, run))

    assert (story.loop.status, grade(story)) == ("finished", "proven-in-place")


# --- new packages ---


def needs_packages(**changes: Any) -> Story:
    story = claims_done(a_loop_with_room(**changes))
    ended(story, COULD_NOT_PREPARE, LOST, why="packages", new_packages=("left-pad", "leftish"))
    return story


LOST = Finding(MEDIUM, "clean-checkout-lost", ".")


def test_each_new_package_is_named_before_it_is_installed() -> None:
    story = needs_packages(gates_enabled=True)

    assert story.loop.status == "asking"
    assert "\n  - left-pad\n  - leftish\n" in story.directive.message  # type: ignore[union-attr]
    assert "install scripts run as you" in story.directive.message  # type: ignore[union-attr]
    assert not kinds(story), "the run is made again after the answer"


@pytest.mark.parametrize(("answer", "is_allowed"), [("y", True), ("no", False)])
def test_the_answer_decides_about_the_packages_and_the_proof_continues(
    answer: str, is_allowed: bool
) -> None:
    story = needs_packages(gates_enabled=True)
    story.tell(Answered(0.0, answer, tree=TREE))
    assert story.loop.room.allow_new_packages == is_allowed
    compared(story)
    wanted = story.directive
    assert isinstance(wanted, RunInCleanCheckout)
    assert wanted.kind == FINAL_TREE_RUN
    if not is_allowed:
        ended(story, COULD_NOT_PREPARE, LOST, new_packages=("left-pad",))
        assert kinds(story) == [FINAL_TREE_RUN], "the person is not asked twice"


def test_without_gates_no_one_is_asked_about_packages() -> None:
    story = needs_packages(gates_enabled=False)
    story.tell(passed("tests pass"))

    assert (story.loop.status, grade(story)) == ("finished", "reported")


def test_runs_that_were_made_after_the_end_lead_to_a_new_verdict():
    ended = a_loop(
        status="finished",
        criteria=(with_check("tests pass", proof=proof("tests pass")),),
        room=Room(TRUSTED, runs=(RoomRun(FINAL_TREE_RUN, TREE, PASSED),)),
    )
    draft = Draft(ended, policy_of)

    record_clean_checkout_run(draft, RoomRun(REPLAY_RUN, TREE, PASSED))
    finish_proof(draft, 2_000.0)

    assert [type(event) for event in draft.events] == [RoomRunEnded, ProofFinished]
    assert [run.kind for run in draft.loop.room.runs] == [FINAL_TREE_RUN, REPLAY_RUN]
    assert draft.loop.verdict == draft.events[-1].verdict


# --- checks that are allowed after the start ---


def allowed_late(**changes: Any) -> Story:
    """A loop whose check was just allowed, on the tree of the start."""
    room = Room(status=UNPREPARED, why=ALLOWED_LATE)
    return Story(a_loop(criteria=(with_check("tests pass"),), room=room, **changes))


def measured(status: str = PENDING, passes: bool = False, **check: Any) -> StartMeasurement:
    c = with_check("tests pass", guard=passes)
    evidence = proof("tests pass", fine=passes)
    return StartMeasurement(
        0.0, (c.but(check=c.check.but(**check), proof=evidence),), Room(status=status)
    )


@pytest.mark.parametrize(
    ("holder", "status", "directive"),
    [
        ("", PENDING, RunInCleanCheckout),
        ("session-1", PENDING, Stop),  # there it is tried in the background
        ("", UNPREPARED, Stop),
    ],
    ids=["in a terminal", "in a session", "without a clean checkout"],
)
def test_a_late_measurement_is_that_of_a_start(holder: str, status: str, directive: type) -> None:
    story = allowed_late(lease=Lease(holder))
    story.tell(measured(status))

    assert isinstance(story.directive, directive)
    assert "Failing now, so it can prove the work: tests pass" in story.directive.message
    (c,) = story.loop.criteria
    assert (c.guard, c.proof is not None, story.loop.room.status) == (False, True, status)


def test_a_check_that_passes_only_outside_its_sandbox_is_asked_about() -> None:
    story = allowed_late()
    story.tell(measured(box="network", allowed=False))

    assert story.loop.status == "asking"
    assert "passes only with the network" in story.directive.question


def test_a_result_for_another_command_changes_nothing() -> None:
    story = allowed_late()

    assert story.tell(measured(command="another")) == Stop()
    assert story.events == []


def test_a_calibration_that_began_before_a_check_was_allowed_does_not_count() -> None:
    story = allowed_late()
    story.tell(measured())
    story.tell(calibrated(TRUSTED, checks=(RoomCheck("lint clean", passed=True),)))
    assert story.loop.room.status == PENDING

    story.tell(calibrated(TRUSTED, checks=(RoomCheck("tests pass", passed=False),)))
    assert story.loop.room.status == TRUSTED
