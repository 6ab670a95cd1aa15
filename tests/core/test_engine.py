"""The engine: folding events, joining what several signals say, and the border of the core."""

from importlib import import_module

import pytest

from loopwright.core import events as ev
from loopwright.core.criteria import PendingClaims
from loopwright.core.directives import Continue, Stop
from loopwright.core.engine import advance
from loopwright.core.event import Event
from loopwright.core.limits import Cursor, Limits
from loopwright.core.loop import Gate, Lease
from loopwright.core.proof.state import Verdict
from loopwright.core.record import KINDS, KINDS_BY_MODULE
from loopwright.core.signals import Claimed, Claims, ToolOutcome
from loopwright.core.status import ENDED, TRANSITIONS
from tests.support.builders import (
    START,
    Story,
    a_loop,
    a_loop_without_checks,
    block,
    claim,
    failed,
    mirror_lost,
    order,
    passed,
    turn,
)


def _records_of(module):
    kinds = (kind for kind in vars(module).values() if isinstance(kind, type))
    own = (kind for kind in kinds if kind.__module__ == module.__name__)
    return {kind.__name__: kind for kind in own if kind.__name__ in KINDS}


@pytest.mark.parametrize(("module", "names"), KINDS_BY_MODULE.items())
def test_the_table_of_kinds_names_every_record_of_its_modules(module, names):
    defined = _records_of(import_module(f"loopwright.core.{module}"))

    assert set(names.split()) <= set(defined)
    if module.endswith(("events", "signals")):
        assert set(names.split()) == set(defined)
    assert all(issubclass(kind, Event) == module.endswith("events") for kind in defined.values())


def test_a_journal_begins_with_the_whole_loop():
    assert ev.LoopStarted(a_loop()).apply(None) == a_loop()


def test_nothing_follows_an_end():
    assert set(ENDED) == {"finished", "cancelled"}
    assert all(not TRANSITIONS[status] for status in ENDED)


@pytest.mark.parametrize("status", ENDED)
@pytest.mark.parametrize(
    "event",
    [
        ev.LoopPaused("x", "y", 1.0),
        ev.LoopResumed(1.0),
        ev.LoopFinished(Verdict("SHIP", True), 1.0),
        ev.LoopCancelled(1.0),
    ],
    ids=lambda event: type(event).__name__,
)
def test_a_journal_that_says_otherwise_is_a_bug(status, event):
    if (status, type(event)) in {("finished", ev.LoopFinished), ("cancelled", ev.LoopCancelled)}:
        assert event.apply(a_loop(status=status)).status == status
    else:
        with pytest.raises(AssertionError, match="BUG"):
            event.apply(a_loop(status=status))


def test_no_signal_is_no_move():
    move = advance(a_loop())

    assert (move.loop, move.events, move.directive) == (a_loop(), (), Stop())


# --- Several signals at once ---


def tampering():
    return Claimed(0.0, Claims(), tampered_fields=("budget",))


def test_what_an_earlier_signal_had_to_say_is_said_with_the_prompt():
    directive = Story(a_loop_without_checks("a")).tell(tampering(), turn())

    assert isinstance(directive, Continue)
    assert "state.json was edited where it is not the agent's to write: budget" in directive.message


def test_what_an_earlier_signal_had_to_say_is_said_with_the_stop():
    directive = Story(a_loop_without_checks("a", limits=Limits(iterations=1))).tell(
        tampering(), turn()
    )

    assert "iteration limit of 1 reached" in directive.message
    assert "budget" in directive.message


@pytest.mark.parametrize(
    ("before", "words"),
    [
        pytest.param(tampering(), "not the agent's to write: budget", id="tampering"),
        pytest.param(
            mirror_lost("unreadable", ".loop/aside/1"),
            "It is kept as .loop/aside/1",
            id="an unreadable mirror",
        ),
    ],
)
def test_what_an_earlier_signal_had_to_say_is_not_lost_over_a_check(before, words):
    story = Story(a_loop())
    said = getattr(story.tell(before, turn()), "message", "")

    said += story.tell(failed("tests pass")).message

    assert words in said


def test_a_pause_by_an_earlier_signal_stands():
    story = Story(a_loop_without_checks("a"))

    directive = story.tell(claim(blocked="no network"), turn(block({"a": True}, exit=True)))

    assert "no network" in directive.message
    assert story.loop.status == "paused"


def test_a_claim_and_the_stop_after_it_are_one_move():
    story = Story(a_loop_without_checks("a"))

    assert story.tell(claim({"a": True}, exit=True), turn()).reason == "complete"


# --- What is counted ---


def test_spend_adds_up_over_the_turns():
    story = Story(a_loop_without_checks("a"))
    story.turn(tree="tree-1", dollars=1.5)
    story.turn(tree="tree-2", dollars=2.0)

    assert (story.loop.spend.iterations, story.loop.spend.dollars, story.loop.spend.seconds) == (
        2,
        3.5,
        20.0,
    )


def test_the_rounds_are_numbered_through():
    story = Story(a_loop())
    numbers = [story.tell(turn(tree=f"tree-{n}")).round for n in range(3)]

    assert numbers == [1, 2, 3]


def test_a_finished_loop_knows_when():
    story = Story(a_loop())
    story.tell(turn("<loop-complete>"))
    story.tell(passed("tests pass"))

    assert (story.loop.clock.ended_at, story.loop.clock.running_since, story.loop.check_round) == (
        story.now,
        0.0,
        None,
    )


def test_strangers_are_remembered_within_bounds():
    story = Story(a_loop())
    for number in range(40):
        story.tell(turn(session=f"stranger-{number}"))

    assert len(story.loop.dialogue.foreign_sessions) == 16


def test_errors_are_remembered_within_bounds():
    story = Story(a_loop_without_checks("a", limits=Limits(iterations=99, stuck=99)))
    words = [
        f"{a}{b}"
        for a in ("red", "blue", "green", "grey", "white")
        for b in ("apple", "pear", "plum", "fig", "lime")
    ]
    for word in words:
        story.turn(tree=word, tool_outcomes=(ToolOutcome("make", f"{word} is broken"),))

    assert story.loop.dialogue.errors == tuple(f"{word} is broken" for word in words[-20:])


def test_a_cancelled_loop_hears_no_claim():
    story = Story(a_loop())
    story.tell(order("cancel"))

    assert story.tell(claim({"tests pass": True}, exit=True)) == Stop()
    assert not story.loop.exit_claimed


@pytest.mark.parametrize("status", ["paused", "asking"])
def test_a_claim_made_while_the_loop_waits_is_not_heard(status):
    story = Story(a_loop_without_checks("a", status=status, running_since=0.0))
    story.tell(claim({"a": True}, exit=True))

    assert story.loop.unmet_criteria == ("a",)


AT = START + 60.0
STOPS = [
    ev.GateOpened(Gate("ask", "which port?"), AT),
    ev.LoopPaused("person", "lunch", AT),
    ev.LoopFinished(Verdict("SHIP", True), AT),
    ev.LoopCancelled(AT),
    ev.SessionEnded(AT),
    ev.LeaseReleased(AT),
    ev.TurnEnded(AT, "tree-2", counts_as_iteration=False),
]


@pytest.mark.parametrize("event", STOPS, ids=lambda event: type(event).__name__)
def test_from_here_on_nobody_works_and_what_has_passed_counts(event):
    after = event.apply(a_loop())

    assert (after.clock.running_since, after.spend.seconds, after.check_round) == (0.0, 60.0, None)


@pytest.mark.parametrize(
    ("since", "at", "seconds"),
    [(START, START + 0.5, 0.5), (START, START - 5.0, 0.0), (0.0, START, 0.0)],
    ids=["half a second", "a clock set back", "a clock that stood still"],
)
def test_the_clock_goes_on_from_a_word_of_the_person(since, at, seconds):
    after = ev.PersonSpoke(at).apply(a_loop(running_since=since))

    assert (after.spend.seconds, after.clock.running_since) == (seconds, at)


@pytest.mark.parametrize(
    "event", [ev.DoneClaimed("tree-2", AT), ev.DoneTakenBack("the agent says so")]
)
def test_a_done_that_was_heard_waits_no_longer(event):
    assert not event.apply(a_loop(pending_claims=PendingClaims(exit=True))).pending_claims.exit


@pytest.mark.parametrize("counts", [True, False], ids=["an answer", "a failure of the API"])
def test_only_an_answer_is_a_sign_of_life_of_a_session_that_had_ended(counts):
    after = ev.TurnEnded(AT, "tree-2", counts_as_iteration=counts).apply(
        a_loop(turn_continued=True, lease=Lease("s1", session_ended=True))
    )

    assert (after.lease.session_ended, after.dialogue.turn_continued) == (not counts, False)


def test_a_word_of_the_person_ends_every_wait():
    after = ev.PersonSpoke(AT).apply(
        a_loop(turn_continued=True, prompt_queued=True, lease=Lease("s1", session_ended=True))
    )

    assert (
        after.dialogue.turn_continued,
        after.dialogue.prompt_queued,
        after.lease.session_ended,
    ) == (False, False, False)


def test_what_grows_with_every_turn_is_remembered_within_bounds():
    files, models = tuple(f"{n}.jsonl" for n in range(501)), tuple(f"model-{n}" for n in range(9))
    spend = (
        ev.TurnEnded(AT, "tree-2", cursors=tuple(map(Cursor, files)), unpriced=models)
        .apply(a_loop())
        .spend
    )
    guided = ev.GuidanceGiven("g" * 2_001).apply(a_loop())
    answered = ev.GateAnswered("ask", "yes", AT, "g" * 2_001).apply(a_loop(status="asking"))
    loop = a_loop()
    for name in ("Red one", "GREEN two", "blue", "grey"):
        loop = ev.StepFinished(name, AT).apply(loop)

    assert [cursor.file for cursor in spend.cursors] == [*files[1:]]
    assert spend.unpriced == models[:8]
    assert len(guided.dialogue.guidance) == len(answered.dialogue.guidance) == 2_000
    assert loop.streak.recent_step_kinds == ("green", "blue", "grey")
