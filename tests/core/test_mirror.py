"""state.json: a mirror in the seeds' schema, and an inbox. An edit of it is a claim."""

import json

import pytest

from loopwright.core import events as ev
from loopwright.core.criteria import Claim
from loopwright.core.directives import Continue, Stop
from loopwright.core.limits import Spend, Streak
from loopwright.core.loop import Gate, Lease, Step
from loopwright.core.proof.state import Verdict
from loopwright.core.signals import Claimed, Claims, MirrorLost
from loopwright.store import mirror, mirror_edits
from tests.support.builders import (
    Story,
    a_loop,
    a_loop_without_checks,
    first_line,
    proof,
    turn,
    with_check,
    without_check,
)

SEEDS = [
    "spec",
    "criteria",
    "criteriaStatus",
    "exit_signal",
    "steps",
    "completedSteps",
    "remainingSteps",
]
SEEDS += ["iteration", "status", "circuitBreaker"]


def edited(loop, remove=(), **changes):
    """What the loop hears when somebody changes these fields of its mirror."""
    found = {**json.loads(mirror.render_mirror(loop)), **changes}
    return mirror_edits.read_edits(
        json.dumps({k: v for k, v in found.items() if k not in remove}).encode(), loop, 5.0
    )


# --- What we write ---


def test_the_mirror_speaks_the_seeds_schema_first():
    loop = a_loop_without_checks(
        "a",
        "b",
        steps=(Step("x", True), Step("y")),
        streak=Streak(stuck=2),
        spend=Spend(iterations=3),
    )
    shown = json.loads(mirror.render_mirror(loop))

    assert list(shown)[: len(SEEDS)] == SEEDS
    assert {name: shown[name] for name in SEEDS} == {
        "spec": "fix all failing tests",
        "criteria": ["a", "b"],
        "criteriaStatus": {"a": False, "b": False},
        "exit_signal": False,
        "steps": ["x", "y"],
        "completedSteps": ["x"],
        "remainingSteps": ["y"],
        "iteration": 4,
        "status": "in_progress",
        "circuitBreaker": {"stuckCount": 2, "lastUnmet": "a"},
    }


@pytest.mark.parametrize(
    ("status", "word"),
    [
        ("running", "in_progress"),
        ("asking", "awaiting_user"),
        ("paused", "paused"),
        ("finished", "completed"),
        ("cancelled", "cancelled"),
        ("failed", "failed"),
    ],
)
def test_the_status_is_said_in_the_seeds_words(status, word):
    assert json.loads(mirror.render_mirror(a_loop(status=status)))["status"] == word


def test_a_question_a_pause_and_a_verdict_are_shown():
    asking = json.loads(mirror.render_mirror(a_loop(status="asking", gate=Gate("G1", "Proceed?"))))
    paused = json.loads(mirror.render_mirror(a_loop(status="paused", why="stuck")))
    finished = json.loads(
        mirror.render_mirror(a_loop(status="finished", verdict=Verdict("SHIP", True)))
    )

    assert asking["awaiting"] == {"gate": "G1", "question": "Proceed?"}
    assert paused["pauseReason"] == "stuck"
    assert (finished["verdict"], finished["proven"]) == ("SHIP", True)


def test_a_criterion_stays_true_or_false_and_its_evidence_lies_beside_it():
    criteria = (
        with_check("open"),
        with_check("fails", proof=proof("fails", fine=False)),
        with_check("proven", proof=proof("proven", detail="2 passed")),
        without_check("said", claim=Claim("said", True)),
        without_check("seen", claim=Claim("seen", True, "observation", "it opens")),
        with_check("was an object", detailed=True),
        with_check("long", proof=proof("long", detail="ab" * 400)),
        without_check(
            "told at length", claim=Claim("told at length", True, "observation", "cd" * 400)
        ),
    )
    fields = mirror.mirror_fields(a_loop(criteria=criteria, tree="tree-1"))
    shown, beside = fields["criteriaStatus"], fields["criteriaEvidence"]

    assert [shown[name] for name in ("open", "fails")] == [False, False]
    assert [shown[name] for name in ("proven", "said", "seen", "long")] == [True] * 4
    assert sorted(beside) == ["long", "proven", "seen", "told at length"]
    assert beside["proven"]["verification"] == "execution output"
    assert beside["proven"]["evidence"] == "2 passed"
    assert beside["seen"] == {"verification": "observation", "evidence": "it opens"}
    assert shown["was an object"] == {"met": False, "verification": "", "planned": ""}
    assert beside["long"]["evidence"] == "ab" * 250
    assert beside["told at length"]["evidence"] == "cd" * 250


def test_a_criterion_that_is_an_object_holds_its_evidence_and_what_was_planned():
    proven = with_check(
        "proven", proof=proof("proven", detail="2 passed"), detailed=True, planned="observation"
    )
    shown = mirror.mirror_fields(a_loop(criteria=(proven,), tree="tree-1"))["criteriaStatus"]

    assert shown["proven"]["met"] is True
    assert shown["proven"]["verification"] == "execution output"
    assert (shown["proven"]["evidence"], shown["proven"]["planned"]) == ("2 passed", "observation")


def test_a_plain_true_for_a_criterion_that_is_met_already_is_no_new_claim():
    seen = without_check("seen", claim=Claim("seen", True, "observation", "it opens"))
    loop = a_loop(criteria=(seen,), tree="tree-1")
    edited = {**mirror.mirror_fields(loop), "criteriaStatus": {"seen": True}}

    assert mirror_edits.read_edits(json.dumps(edited).encode(), loop, 0.0).claims.criteria == ()


def test_no_criterion_was_the_last_unmet_one_before_the_first_turn():
    loop = a_loop()
    later = loop.but(spend=loop.spend.but(iterations=1))

    assert mirror.mirror_fields(loop)["circuitBreaker"] == {"stuckCount": 0, "lastUnmet": ""}
    assert mirror.mirror_fields(later)["circuitBreaker"]["lastUnmet"] == "tests pass"


def test_m3_names_with_quotes_and_line_ends_are_valid_json():
    name = 'prints "hello"\n\\ 🎉 \ud800'

    assert json.loads(mirror.render_mirror(a_loop_without_checks(name)))["criteria"] == [name]


def test_the_mirror_of_a_claimed_criterion_with_a_check_says_not_met():
    loop = a_loop(criteria=(with_check("a", claim=Claim("a", True)),))

    assert mirror.mirror_fields(loop)["criteriaStatus"] == {"a": False}


# --- What we read: nothing ---


@pytest.mark.parametrize(
    "loop",
    [
        pytest.param(a_loop(), id="running"),
        pytest.param(a_loop(status="paused", why="x"), id="paused"),
        pytest.param(a_loop(status="asking", gate=Gate("G1", "x")), id="asking"),
        pytest.param(a_loop(extra_json='{"mine":[1,2]}'), id="with a field of somebody else"),
        pytest.param(
            a_loop(criteria=(with_check("a", detailed=True, proof=proof("a")),), tree="tree-1"),
            id="detailed",
        ),
    ],
)
def test_our_own_mirror_says_nothing_new(loop):
    assert mirror_edits.read_edits(mirror.render_mirror(loop), loop, 5.0) == Claimed(5.0, Claims())


# --- Claims ---


def test_criteria_steps_and_the_exit_become_claims():
    loop = a_loop_without_checks("a", "b", steps=(Step("x"), Step("y")))
    found = edited(
        loop,
        criteriaStatus={
            "a": True,
            "b": {"met": True, "verification": "observation", "evidence": "seen"},
        },
        exit_signal=True,
        completedSteps=["x"],
        remainingSteps=["y", "z"],
    )

    assert found == Claimed(
        5.0,
        Claims(
            (Claim("a", True), Claim("b", True, "observation", "seen")),
            exit=True,
            steps=(Step("x", True), Step("z", False)),
        ),
        detailed=("b",),
    )


@pytest.mark.parametrize(
    "value", ["false", "true", "yes", 1, None, [], {}, {"met": "true"}, {"met": 1}, {"met": None}]
)
def test_m4_m5_only_the_json_true_is_a_claim(value):
    found = edited(a_loop_without_checks("a"), criteriaStatus={"a": value}, exit_signal=True)

    assert not any(claim.met for claim in found.claims.criteria)


@pytest.mark.parametrize("value", ["yes", "true", 1, None, {}, [True]])
def test_m11_an_exit_signal_of_another_type_is_no_exit(value):
    assert edited(a_loop_without_checks("a"), exit_signal=value).claims.exit is None


def test_m11b_a_criterion_left_out_is_not_met():
    story = Story(a_loop_without_checks("tests pass", "lint clean"))

    story.tell(edited(story.loop, criteriaStatus={"tests pass": True}, exit_signal=True))

    assert first_line(story.tell(turn())) == "unmet criteria: lint clean"


def test_m6_a_mirror_without_criteria_status_claims_nothing():
    story = Story(a_loop_without_checks("a"))

    story.tell(edited(story.loop, remove=("criteriaStatus",), exit_signal=True))

    assert first_line(story.tell(turn())) == "unmet criteria: a"


def test_a_criterion_that_we_do_not_have_is_not_added():
    story = Story(a_loop_without_checks("a"))
    story.tell(
        edited(story.loop, criteria=["a", "easy"], criteriaStatus={"a": False, "easy": True})
    )

    assert [c.name for c in story.loop.criteria] == ["a"]


def test_a_criterion_cannot_be_taken_out():
    story = Story(a_loop_without_checks("a", "b"))
    story.tell(edited(story.loop, criteria=["a"], criteriaStatus={"a": True}, exit_signal=True))

    assert first_line(story.tell(turn())) == "unmet criteria: b"


def test_a_claim_in_the_mirror_does_not_end_the_loop_past_a_failing_check():
    story = Story(a_loop())
    story.tell(
        edited(
            story.loop, criteriaStatus={"tests pass": True}, exit_signal=True, status="completed"
        )
    )

    assert isinstance(story.turn(checks={"tests pass": False}), Continue)
    assert story.loop.status == "running"


def test_the_object_form_is_kept_once_it_was_written():
    story = Story(a_loop_without_checks("a"))
    story.tell(
        edited(story.loop, criteriaStatus={"a": {"met": True, "verification": "observation"}})
    )

    assert story.loop.criteria[0].detailed
    assert mirror.mirror_fields(story.loop)["criteriaStatus"]["a"]["met"] is True


# --- What is ours to write ---


@pytest.mark.parametrize(
    ("change", "field"),
    [
        pytest.param({"maxIterations": 11}, "maxIterations", id="a raised iteration limit"),
        pytest.param({"budget": 25.01}, "budget", id="a raised budget"),
        pytest.param({"minutes": 9999}, "minutes", id="a raised clock"),
        pytest.param({"cost": 0}, "cost", id="a lowered cost"),
        pytest.param({"cost": -1.5}, "cost", id="a negative cost"),
        pytest.param({"session": "s2"}, "session", id="a changed session"),
        pytest.param({"session": ""}, "session", id="a session taken away"),
        pytest.param({"fence": 9}, "fence", id="a changed fence"),
    ],
)
def test_raised_limits_lowered_cost_and_a_changed_lease_are_tampering(change, field):
    story = Story(a_loop(spend=Spend(dollars=3.0)))
    before = story.loop

    found = edited(story.loop, **change)
    directive = story.tell(found)

    assert found.tampered_fields == (field,)
    assert f"not the agent's to write: {field}. Put back." in directive.message
    assert story.events_of(ev.TamperingSeen)
    assert (story.loop.limits, story.loop.spend, story.loop.lease) == (
        before.limits,
        before.spend,
        before.lease,
    )


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"iteration": 7}, id="iteration"),
        pytest.param({"iteration": 0}, id="iteration lowered"),
        pytest.param({"circuitBreaker": {"stuckCount": 0, "lastUnmet": ""}}, id="circuitBreaker"),
        pytest.param({"status": "completed"}, id="status completed"),
        pytest.param({"status": "active"}, id="status of another word"),
        pytest.param({"status": 5}, id="status of another type"),
        pytest.param({"spec": "something easier"}, id="spec"),
        pytest.param({"mustNot": []}, id="mustNot"),
        pytest.param({"shape": "tool"}, id="shape"),
        pytest.param({"budget": 5}, id="a lowered limit"),
        pytest.param({"budget": "999"}, id="a limit of another type"),
        pytest.param({"cost": 99}, id="a raised cost"),
        pytest.param({"id": "x"}, id="id"),
    ],
)
def test_what_the_seeds_tell_the_model_to_write_is_corrected_silently(change):
    loop = a_loop_without_checks(
        "a",
        must_not=(without_check("x"),),
        streak=Streak(stuck=3),
        spend=Spend(iterations=4),
        shape=a_loop().shape.but(name="colleague"),
    )
    story = Story(loop)

    found = edited(loop, **change)

    assert found.tampered_fields == ()
    assert found.corrected_fields == tuple(change)
    assert story.tell(found) == Stop()
    assert story.loop == loop


def test_fields_left_out_are_not_tampering():
    loop = a_loop(spend=Spend(dollars=3.0), lease=Lease("s1", 3, 4))
    bare = {name: value for name, value in mirror.mirror_fields(loop).items() if name in SEEDS}

    found = mirror_edits.read_edits(json.dumps(bare).encode(), loop, 5.0)

    assert (found.tampered_fields, found.claims) == ((), Claims())


def test_m18_a_mirror_overwritten_with_next_to_nothing_destroys_nothing():
    story = Story(a_loop_without_checks("a", steps=(Step("x", True), Step("y"))))

    story.tell(
        mirror_edits.read_edits(b'{"status":"cancelled","exit_signal":false}', story.loop, 5.0)
    )

    assert (story.loop.status, story.loop.pause.why) == (
        "paused",
        "state.json was set to cancelled by hand",
    )
    assert (story.loop.spec, len(story.loop.steps)) == ("fix all failing tests", 2)


# --- Fields of somebody else ---


def test_unknown_fields_are_kept():
    story = Story(a_loop_without_checks("a"))
    story.tell(edited(story.loop, taskId="T-1", notes={"deep": [1, None, "ü"]}))

    shown = json.loads(mirror.render_mirror(story.loop))

    assert (shown["taskId"], shown["notes"]) == ("T-1", {"deep": [1, None, "ü"]})
    assert mirror_edits.read_edits(mirror.render_mirror(story.loop), story.loop, 5.0) == Claimed(
        5.0, Claims()
    )


def test_unknown_fields_can_be_taken_out_again():
    story = Story(a_loop_without_checks("a", extra_json='{"taskId":"T-1"}'))
    story.tell(edited(story.loop, remove=("taskId",)))

    assert "taskId" not in json.loads(mirror.render_mirror(story.loop))


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("1e999", id="a number beyond all numbers"),
        pytest.param("-1e999", id="below all numbers"),
        pytest.param("[" * 400 + "]" * 400, id="a deep list"),
        pytest.param("[" * 940 + "]" * 940, id="a very deep list"),
        pytest.param('"\\ud800"', id="half a character"),
    ],
)
def test_no_unknown_field_breaks_the_mirror(value):
    story = Story(a_loop_without_checks("a"))
    found = mirror_edits.read_edits(f'{{"mine": {value}}}'.encode(), story.loop, 5.0)

    story.tell(found)

    assert isinstance(json.loads(mirror.render_mirror(story.loop)), dict)


@pytest.mark.parametrize("value", ["1e999", "-1e999"])
@pytest.mark.parametrize("field", ["budget", "maxIterations", "cost", "iteration"])
def test_a_number_beyond_all_numbers_in_our_own_fields_changes_nothing(field, value):
    story = Story(a_loop_without_checks("a"))
    story.tell(mirror_edits.read_edits(f'{{"{field}": {value}}}'.encode(), story.loop, 5.0))

    assert (story.loop.limits, story.loop.spend) == (a_loop().limits, a_loop().spend)


# --- Lost ---


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b"3",
        b"\xff\xfe\x00",
        b"{}{}",
        b'{"a": NaN}',
        b"{" + b" " * 1_000_001 + b"}",
        b"[" * 99_999,
    ],
    ids=[
        "empty",
        "torn",
        "list",
        "null",
        "text",
        "number",
        "binary",
        "two values",
        "NaN",
        "huge",
        "deep",
    ],
)
def test_a_mirror_that_is_no_object_is_unreadable(data):
    assert mirror_edits.read_edits(data, a_loop(), 5.0) == MirrorLost(5.0, "unreadable")


@pytest.mark.parametrize("status", ["paused", "cancelled"])
def test_a_status_set_by_hand_is_a_persons_word(status):
    assert edited(a_loop(), status=status) == MirrorLost(5.0, status)


def test_a_paused_loop_whose_mirror_says_paused_is_not_lost():
    loop = a_loop_without_checks("a", status="paused", why="x")

    assert isinstance(edited(loop, criteriaStatus={"a": True}), Claimed)


@pytest.mark.parametrize("status", [["paused"], {"paused": 1}, None, True])
def test_a_status_of_another_type_is_no_word(status):
    assert isinstance(edited(a_loop(), status=status), Claimed)


@pytest.mark.parametrize("field", ["steps", "completedSteps", "remainingSteps", "criteriaStatus"])
@pytest.mark.parametrize(
    "value",
    [None, 3, "x", {}, [1, None, {}], {"a": {"a": 1}}],
    ids=["null", "number", "text", "object", "list", "deep"],
)
def test_fields_of_another_type_claim_nothing(field, value):
    found = edited(a_loop_without_checks("a"), **{field: value})

    assert found.claims.steps == ()
    assert not any(claim.met for claim in found.claims.criteria)


@pytest.mark.parametrize(
    "lie",
    [{"verdict": "SHIP", "proven": True}, {"pauseReason": "x"}, {"awaiting": {"gate": "G3"}}],
    ids=str,
)
def test_nobody_else_writes_what_only_we_can_know(lie):
    story = Story(a_loop_without_checks("a"))
    story.tell(edited(story.loop, **lie))

    assert not set(lie) & set(json.loads(mirror.render_mirror(story.loop)))
