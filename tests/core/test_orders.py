"""Orders, answers and awakenings: what a person or the client tells the loop."""

import pytest

from loopwright.core import events as ev
from loopwright.core.criteria import Check, Criterion
from loopwright.core.directives import Ask, Continue, RunCheck, Stop
from loopwright.core.engine import advance
from loopwright.core.limits import Limits, Spend, Streak
from loopwright.core.loop import Gate, Lease, Pause, Step
from loopwright.core.prompts.messages import foreign_session_hint
from tests.support.builders import (
    SESSION,
    Story,
    a_loop,
    a_loop_without_checks,
    an_asking_loop,
    answer,
    answer_to,
    block,
    failed,
    mirror_lost,
    order,
    passed,
    prompt,
    proof,
    session,
    turn,
    with_check,
    without_check,
)


def paused(cause, **changes):
    return a_loop_without_checks(
        "a", status="paused", cause=cause, why="for a reason", running_since=0.0, **changes
    )


# --- Pause and cancel ---


def test_pause_is_honoured_and_says_how_to_go_on():
    story = Story(a_loop(steps=(Step("x", True), Step("y"))))

    directive = story.tell(order("pause", reason="lunch"))

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "person")
    assert directive.message.splitlines() == [
        "[LOOP] ⏸ Paused: lunch",
        "Progress: 1 step complete, 1 remaining",
        "Look: `loop why`. Resume: `loop continue`",
    ]


def test_a_pause_without_a_reason_names_the_person():
    story = Story(a_loop())
    story.tell(order("pause"))

    assert story.loop.pause.why == "asked by a person"


def test_pausing_twice_says_so_and_changes_nothing():
    story = Story(paused("stuck"))

    assert "for a reason" in story.tell(order("pause")).message
    assert story.events == []


def test_m7_a_paused_loop_holds_nobody():
    assert Story(paused("person")).tell(turn(block({"a": False}))) == Stop()


@pytest.mark.parametrize("status", ["running", "asking", "paused"])
def test_cancel_is_immediate_from_everywhere(status):
    story = Story(a_loop(status=status))

    directive = story.tell(order("cancel"))

    assert (directive.reason, story.loop.status) == ("cancelled", "cancelled")
    assert directive.message.startswith("Loop cancelled.\nCompleted: 0 iterations, $0.00 cost\n")


def test_cancel_without_keep_lets_the_mirror_go():
    story = Story(a_loop())
    story.tell(order("cancel", keep_mirror=False))

    assert not story.loop.settings.keep_mirror


@pytest.mark.parametrize("status", ["finished", "cancelled"])
@pytest.mark.parametrize(
    "word", ["pause", "cancel", "continue", "attach", "detach", "criteria", "allow"]
)
def test_no_order_wakes_what_has_ended(status, word):
    story = Story(a_loop(status=status, running_since=0.0))

    assert story.tell(order(word)).message == f"this loop has ended ({status})"
    assert story.events == []


def test_an_order_that_nobody_knows_is_a_bug_not_a_default():
    with pytest.raises(KeyError):
        Story(a_loop()).tell(order("explode"))


def test_what_an_agent_may_not_do_is_journaled():
    story = Story(a_loop())

    assert story.tell(order("refused", by="agent", reason="cancel")) == Stop()
    assert story.events_of(ev.OrderRefused) == [
        ev.OrderRefused("cancel", "it is the person's to do")
    ]


# --- Continue ---


@pytest.mark.parametrize(
    ("cause", "spend", "flag", "raised"),
    [
        pytest.param("budget", Spend(dollars=25.0), "--budget", {"dollars": 5.0}, id="budget"),
        pytest.param(
            "iterations", Spend(iterations=10), "--iterations", {"iterations": 5}, id="iterations"
        ),
        pytest.param("clock", Spend(seconds=14_400.0), "--minutes", {"minutes": 5.0}, id="clock"),
    ],
)
def test_after_a_limit_continue_needs_a_raise(cause, spend, flag, raised):
    story = Story(paused(cause, spend=spend))

    refused = story.tell(order("continue"))
    assert isinstance(refused, Stop)
    assert f"`loop continue {flag}=" in refused.message
    assert story.loop.status == "paused"
    assert story.events_of(ev.OrderRefused)

    assert isinstance(story.tell(order("continue", **raised)), Continue)
    assert (story.loop.status, story.loop.pause.cause, story.loop.pause.why) == ("running", "", "")


def test_a_raise_is_added_to_the_limit():
    story = Story(paused("person"))
    story.tell(order("continue", dollars=25.0, iterations=5, minutes=60.0))

    assert (story.loop.limits.dollars, story.loop.limits.iterations, story.loop.limits.minutes) == (
        50.0,
        15,
        300.0,
    )
    assert story.events_of(ev.LimitsRaised) == [ev.LimitsRaised(25.0, 5, 60.0)]


def test_a_raise_of_the_wrong_limit_does_not_help():
    story = Story(paused("budget", spend=Spend(dollars=25.0)))

    assert isinstance(story.tell(order("continue", iterations=5)), Stop)
    assert story.loop.status == "paused"


def test_a_running_loop_can_be_raised():
    story = Story(a_loop())

    directive = story.tell(order("continue", dollars=5.0))

    assert (story.loop.limits.dollars, directive.message) == (30.0, "the loop is running already")


@pytest.mark.parametrize(
    ("cause", "tripped", "rearmed"),
    [
        pytest.param("stuck", Streak(stuck=5, idle=1), Streak(idle=1), id="stuck"),
        pytest.param("idle", Streak(idle=3, stuck=2), Streak(stuck=2), id="idle"),
        pytest.param(
            "same-error",
            Streak(same_error=3, error_signature="x", stuck=2),
            Streak(stuck=2),
            id="same error",
        ),
        pytest.param("same-file", Streak(same_file=5, stuck=2), Streak(stuck=2), id="same file"),
        pytest.param("transient", Streak(transient=2, stuck=2), Streak(stuck=2), id="transient"),
        pytest.param(
            "trouble", Streak(blocking_error="no key", stuck=2), Streak(stuck=2), id="trouble"
        ),
        pytest.param("person", Streak(stuck=2), Streak(stuck=2), id="a person's pause"),
        pytest.param("blocked", Streak(stuck=2), Streak(stuck=2), id="blocked"),
        pytest.param("must-not", Streak(stuck=2), Streak(stuck=2), id="must-not"),
    ],
)
def test_continue_re_arms_the_streak_that_tripped_and_no_other(cause, tripped, rearmed):
    story = Story(
        paused(cause, streak=tripped, spend=Spend(iterations=4, dollars=3.0, seconds=60.0))
    )

    assert isinstance(story.tell(order("continue")), Continue)
    assert story.loop.streak == rearmed
    assert story.loop.spend == Spend(iterations=4, dollars=3.0, seconds=60.0), (
        "spend and iterations never fall"
    )
    assert story.events_of(ev.LoopResumed)[0].rearmed_breaker == (
        cause if tripped != rearmed else ""
    )


def test_after_stuck_and_continue_it_takes_five_more_to_pause_again():
    story = Story(a_loop(limits=Limits(iterations=50)))
    for number in range(6):
        story.turn(tree=f"tree-{number}", checks={"tests pass": False})
    assert story.loop.pause.cause == "stuck"
    story.tell(order("continue"))

    kinds = [
        type(story.turn(tree=f"tree-{number}", checks={"tests pass": False}))
        for number in range(6, 11)
    ]

    assert kinds == [Continue] * 4 + [Stop]


def test_continue_says_why_and_where_it_goes_on():
    directive = Story(paused("person", steps=(Step("x", True), Step("fix it")))).tell(
        order("continue")
    )

    assert (
        directive.message
        == "[LOOP] ▶ Continuing | unmet criteria: a\n[LOOP] Iteration 1/10 | Cost: $0.00/$25 | Step: fix it"
    )
    assert "Next step: fix it" in directive.prompt


@pytest.mark.parametrize("heard", [True, False], ids=["in the session", "in a terminal"])
def test_a_loop_that_goes_on_tells_its_session_at_the_next_prompt_unless_it_was_told(heard):
    story = Story(paused("person"))
    story.tell(order("continue", agent_informed=heard))

    directive = story.tell(prompt("hello"))

    assert isinstance(directive, Stop if heard else Continue)
    assert story.tell(prompt("/loop:status")) == Stop()


def test_a_raise_is_proposed_that_is_enough():
    story = Story(a_loop_without_checks("a"))

    assert "`loop continue --budget=37`" in story.turn(dollars=60.5).message


def test_a_broken_must_not_pauses_again_until_the_tree_changes():
    story = Story(a_loop(criteria=(without_check("a"),), must_not=(with_check("x"),)))
    story.tell(turn(tree="tree-1"))
    story.tell(passed("x"))
    story.tell(order("continue"))

    assert isinstance(story.tell(turn(tree="tree-1")), Stop)
    story.tell(order("continue"))
    assert isinstance(story.tell(turn(tree="tree-2")), RunCheck)


# --- The clock ---


def test_the_clock_stands_still_while_paused():
    story = Story(a_loop_without_checks("a"))
    story.tell(order("pause").but(at=1_100.0))
    story.tell(order("continue").but(at=90_000.0))

    story.tell(turn(at=90_050.0))

    assert story.loop.spend.seconds == 150.0


@pytest.mark.parametrize(
    "loop",
    [paused("person"), an_asking_loop("G1", criteria=(without_check("a"),))],
    ids=["paused", "asking"],
)
def test_talking_does_not_start_the_clock_of_a_loop_that_waits(loop):
    story = Story(loop)
    story.tell(prompt("/help").but(at=2_000.0))
    story.tell(prompt("/help").but(at=90_000.0))

    assert story.loop.spend.seconds == 0.0


def test_a_clock_set_back_adds_nothing():
    story = Story(a_loop_without_checks("a"))
    story.tell(turn(at=500.0))

    assert story.loop.spend.seconds == 0.0


def test_the_clock_stands_still_while_no_session_is_open():
    story = Story(a_loop_without_checks("a"))
    story.tell(session("end").but(at=1_060.0))
    story.tell(session("start", source="resume").but(at=80_000.0))
    story.tell(prompt("go on").but(at=80_010.0))

    story.tell(turn(at=80_070.0))

    assert story.loop.spend.seconds == 120.0


# --- Sessions and leases ---


def test_a_foreign_session_is_left_alone_and_told_once():
    story = Story(a_loop())

    assert story.tell(turn(session="s2")) == Stop(message=foreign_session_hint("s2"))
    assert story.tell(turn(session="s2")) == Stop()
    assert (story.loop.spend.iterations, story.loop.lease.holder) == (0, SESSION)


@pytest.mark.parametrize("holder", ["", SESSION])
@pytest.mark.parametrize(
    "signal",
    [
        turn(session=""),
        prompt(session=""),
        session("end", session=""),
        session("compact", session=""),
    ],
    ids=["stop", "prompt", "end", "compact"],
)
def test_an_empty_session_id_never_matches(holder, signal):
    story = Story(a_loop(lease=Lease(holder)))

    assert story.tell(signal) == Stop()
    assert story.events == []


def test_a_loop_that_nobody_drives_is_bound_by_the_first_stop():
    story = Story(a_loop(lease=Lease()))

    assert isinstance(story.tell(turn(session="s9", pid=42)), RunCheck)
    assert (story.loop.lease.holder, story.loop.lease.pid, story.loop.lease.fence) == ("s9", 42, 2)


def test_a_loop_that_nobody_drives_is_bound_and_opened_by_the_first_prompt():
    story = Story(a_loop(lease=Lease()))

    directive = story.tell(prompt("hello", session="s9"))

    assert story.loop.lease.holder == "s9"
    assert directive.prompt.startswith("[LOOP] Starting")


@pytest.mark.parametrize("event", ["start", "end", "compact"])
def test_no_other_event_binds_a_loop(event):
    story = Story(a_loop(lease=Lease()))
    story.tell(session(event, session="s9"))

    assert story.loop.lease.holder == ""


def test_a_new_session_is_told_that_a_loop_waits():
    assert (
        "your next prompt here drives it"
        in Story(a_loop(lease=Lease())).tell(session("start", session="s9")).message
    )


def test_a_bound_loop_keeps_its_driver():
    story = Story(a_loop())

    assert story.tell(prompt("mine now", session="s2")) == Stop()
    assert story.loop.lease.holder == SESSION


def test_attach_moves_the_lease_and_raises_the_fence():
    story = Story(a_loop())

    directive = story.tell(order("attach", session="s2", pid=7))

    assert story.loop.lease == Lease("s2", 7, 2)
    assert isinstance(directive, Continue)
    assert story.tell(turn()) == Stop(message=foreign_session_hint(SESSION)), (
        "the old driver is a stranger now"
    )


def test_attach_does_not_wake_a_paused_loop():
    story = Story(paused("person"))

    assert isinstance(story.tell(order("attach", session="s2")), Stop)
    assert story.loop.status == "paused"


def test_detach_frees_the_loop_for_the_next():
    story = Story(a_loop())
    story.tell(order("detach"))
    assert story.loop.lease == Lease("", 0, 2)

    story.tell(prompt(session="s3"))
    assert (story.loop.lease.holder, story.loop.lease.fence) == ("s3", 3)


def test_evidence_that_was_asked_for_under_another_lease_is_dropped():
    story = Story(a_loop())
    wanted = story.tell(turn("<loop-complete>"))
    story.tell(order("attach", session="runner:9"))
    story.directive = wanted

    assert story.tell(passed("tests pass")) == Stop()
    assert story.loop.status == "running"
    assert story.events_of(ev.CheckResultDropped)


def test_evidence_with_an_old_fence_is_dropped():
    story = Story(a_loop())
    wanted = story.tell(turn("<loop-complete>"))
    story.directive = wanted.but(fence=wanted.fence - 1)

    assert story.tell(passed("tests pass")) == Stop()
    assert story.events_of(ev.CheckResultDropped) == [
        ev.CheckResultDropped("tests pass", "the lease has moved")
    ]


def test_evidence_of_an_old_round_is_dropped():
    story = Story(a_loop())
    old = story.tell(turn("<loop-complete>", "tree-1"))
    story.tell(turn("<loop-complete>", "tree-2"))
    story.directive = old

    assert story.tell(passed("tests pass")) == Stop()
    assert story.events_of(ev.CheckResultDropped) == [
        ev.CheckResultDropped("tests pass", "another round has begun")
    ]
    assert story.loop.criteria[0].proof is None or story.loop.criteria[0].proof.by == "agent"


def test_evidence_that_nobody_asked_for_is_dropped():
    story = Story(a_loop())
    story.directive = RunCheck(Check("pytest -q"), "tests pass", 1, 1, "tree-1")

    assert story.tell(passed("tests pass")) == Stop()
    assert story.events_of(ev.CheckResultDropped)


# --- Sessions that come and go ---


def test_a_session_that_comes_back_is_told_where_the_loop_stands():
    directive = Story(a_loop_without_checks("a")).tell(session("start", source="resume"))

    assert directive.prompt.startswith("[LOOP RESUME] Active loop detected\n")
    assert "---LOOP_STATUS---" in directive.prompt


def test_m7_a_paused_loop_is_not_announced_as_active():
    directive = Story(paused("person")).tell(session("start"))

    assert isinstance(directive, Stop)
    assert "[LOOP] ⏸ Paused: for a reason" in directive.message


def test_an_asking_loop_asks_again_when_the_session_comes_back():
    assert (
        "Here are 3 steps. Proceed?"
        in Story(an_asking_loop("G1", "Here are 3 steps. Proceed?")).tell(session("start")).message
    )


@pytest.mark.parametrize(
    ("details", "follows"),
    [
        pytest.param({"source": "clear", "pid": 42}, True, id="clear in the same process"),
        pytest.param({"source": "clear", "pid": 43}, False, id="clear in another process"),
        pytest.param({"source": "clear", "pid": 0}, False, id="clear in an unknown process"),
        pytest.param({"source": "resume", "pid": 42}, False, id="a fork"),
        pytest.param({"source": "startup", "pid": 42}, False, id="a new session"),
    ],
)
def test_the_lease_follows_only_a_clear(details, follows):
    story = Story(a_loop(lease=Lease(SESSION, 42)))
    story.tell(session("start", session="s2", **details))

    assert (story.loop.lease.holder == "s2") == follows
    assert (story.loop.lease.fence == 2) == follows


def test_a_clear_in_an_unknown_process_does_not_take_a_lease_without_one():
    story = Story(a_loop(lease=Lease(SESSION, 0)))
    story.tell(session("start", session="s2", source="clear", pid=0))

    assert story.loop.lease.holder == SESSION


def test_the_end_of_a_session_is_journaled_once_and_the_loop_stays():
    story = Story(a_loop())
    story.tell(session("end"))
    story.tell(session("end"))

    assert len(story.events_of(ev.SessionEnded)) == 1
    assert (story.loop.status, story.loop.lease.holder, story.loop.lease.session_ended) == (
        "running",
        SESSION,
        True,
    )


@pytest.mark.parametrize("event", ["end", "compact"])
def test_what_becomes_of_another_session_is_not_ours_to_write(event):
    story = Story(a_loop())

    assert story.tell(session(event, session="s2")) == Stop()
    assert story.events == []


def test_a_clear_that_keeps_its_session_moves_no_lease():
    story = Story(a_loop(lease=Lease(SESSION, 42)))
    story.tell(session("start", source="clear", pid=42))

    assert story.events_of(ev.LeaseTaken) == []


def test_another_session_that_begins_is_told_of_a_running_loop_only():
    assert Story(a_loop()).tell(session("start", session="s2")) == Stop(
        message=foreign_session_hint("s2")
    )
    assert Story(paused("person")).tell(session("start", session="s2")) == Stop()


def test_the_owner_who_speaks_is_left_to_the_agent():
    story = Story(a_loop())

    assert story.tell(prompt("mind the docs")) == Stop()
    assert story.events_of(ev.PersonSpoke)


def test_a_paused_loop_that_nobody_drives_is_bound_but_not_opened():
    story = Story(paused("person", lease=Lease()))

    said = story.tell(prompt("hello", session="s9"))
    assert isinstance(said, Stop)
    assert "This session now drives the loop" in said.message
    assert (story.loop.lease.holder, story.loop.status) == ("s9", "paused")


def test_a_turn_ends_with_its_client_and_not_with_a_compaction():
    story = Story(a_loop_without_checks("a"))
    story.tell(turn("not yet"))
    assert story.loop.dialogue.turn_continued

    story.tell(session("start", source="compact"))
    assert story.events_of(ev.ContextCompacted)
    assert not story.events_of(ev.TurnReleased)
    story.tell(session("start", source="resume"))
    assert story.events_of(ev.TurnReleased)


def test_a_compaction_is_journaled():
    story = Story(a_loop())
    story.tell(session("compact"))

    assert story.events_of(ev.ContextCompacted)


def test_a_person_who_speaks_while_the_agent_is_held_has_interrupted_it():
    story = Story(a_loop_without_checks("a"))
    story.tell(prompt())
    story.tell(turn())
    story.tell(prompt())

    assert [e.interrupted for e in story.events_of(ev.PersonSpoke)] == [False, True]


# --- Criteria and leave ---


def test_changed_criteria_keep_the_evidence_of_those_that_stay():
    story = Story(
        a_loop(criteria=(with_check("a", proof=proof("a")), with_check("b", proof=proof("b"))))
    )

    story.tell(
        order("criteria", criteria=(with_check("a"), with_check("b", "other"), with_check("c")))
    )

    assert [(c.name, bool(c.proof)) for c in story.loop.criteria] == [
        ("a", True),
        ("b", False),
        ("c", False),
    ]


def test_changed_criteria_start_the_stuck_counter_anew_and_void_the_exit():
    story = Story(a_loop(exit_claimed=True, streak=Streak(stuck=4, unmet=(("x",),))))
    story.tell(order("criteria", criteria=(with_check("a"),)))

    assert (story.loop.streak.stuck, story.loop.exit_claimed) == (0, False)


def test_a_check_runs_once_it_is_allowed():
    waiting = Criterion("tests pass", Check("make test", origin="file", allowed=False))
    story = Story(a_loop(criteria=(waiting,)))
    story.tell(
        order("allow", criteria=(Criterion("tests pass", Check("make test", origin="file")),))
    )

    assert story.directive.message == "1 check allowed."
    assert story.tell(turn()).check.command == "make test"


def test_a_denied_check_is_gone():
    waiting = Criterion("tests pass", Check("make test", origin="file", allowed=False))
    story = Story(a_loop(criteria=(waiting,), must_not=(waiting.but(name="x"),)))
    story.tell(order("deny", criteria=(Criterion("tests pass"), Criterion("x"))))

    assert (story.loop.criteria[0].check, story.loop.must_not[0].check) == (None, None)
    assert story.directive.message == "2 checks denied."


def test_another_check_of_the_same_name_voids_the_evidence():
    story = Story(
        a_loop(
            criteria=(with_check("tests pass", "true", proof=proof("tests pass")),), tree="tree-1"
        )
    )
    story.tell(order("allow", criteria=(with_check("tests pass", "pytest -q"),)))

    assert story.loop.unmet_criteria == ("tests pass",)
    assert isinstance(story.tell(turn("<loop-complete>", "tree-1")), RunCheck)


def test_a_check_that_failed_and_was_denied_proves_nothing():
    story = Story(a_loop())
    story.tell(turn())
    story.tell(failed("tests pass"))
    story.tell(order("deny", criteria=(Criterion("tests pass"),)))

    directive = story.tell(turn(block({"tests pass": True}, exit=True)))

    assert (directive.verdict.name, directive.verdict.proven) == ("MONITOR", False)


# --- The mirror is lost ---


@pytest.mark.parametrize(
    ("how", "why"),
    [
        pytest.param("deleted", "state.json was deleted by hand", id="deleted"),
        pytest.param("paused", "state.json was set to paused by hand", id="set to paused"),
        pytest.param("cancelled", "state.json was set to cancelled by hand", id="set to cancelled"),
    ],
)
def test_a_mirror_lost_by_hand_pauses_the_loop_and_says_so_once(how, why):
    story = Story(a_loop())

    first = story.tell(mirror_lost(how), turn("<loop-complete>"))
    again = story.tell(mirror_lost(how), turn())

    assert (story.loop.status, story.loop.pause.cause, story.loop.pause.why) == (
        "paused",
        "person",
        why,
    )
    assert why in first.message
    assert again == Stop()


def test_a_mirror_that_cannot_be_read_is_rebuilt_and_the_loop_goes_on():
    story = Story(a_loop_without_checks("a"))

    directive = story.tell(mirror_lost("unreadable", ".loop/aside/1"), turn())

    assert isinstance(directive, Continue)
    assert (
        "It is kept as .loop/aside/1 and was written again; the loop continues."
        in directive.message
    )
    assert story.events_of(ev.MirrorRebuilt)


def test_a_mirror_lost_while_asking_withdraws_the_question():
    story = Story(an_asking_loop("G1"))
    story.tell(mirror_lost("deleted"))

    assert (story.loop.status, story.loop.gate) == ("paused", None)


def test_continue_after_a_lost_mirror_goes_on():
    story = Story(a_loop_without_checks("a"))
    story.tell(mirror_lost("deleted"))

    assert isinstance(story.tell(order("continue")), Continue)


def test_a_lost_mirror_wakes_nothing_that_has_ended():
    story = Story(a_loop(status="finished", running_since=0.0))

    assert story.tell(mirror_lost("deleted")) == Stop()
    assert story.tell(answer("yes")) == Stop()


# --- Orders of the runner, and of the person about files ---


@pytest.mark.parametrize(("by", "cause"), [("runner", "disk"), ("lanes", "landing")])
def test_a_runner_pauses_with_a_cause_of_its_own(by, cause):
    story = Story(a_loop())

    story.tell(order("pause", by=by, reason="no space is left"))

    assert (story.loop.pause.cause, story.loop.pause.why) == (cause, "no space is left")


def test_to_continue_a_loop_whose_check_waits_for_permission_asks_for_it():
    waiting = Criterion("docs build", Check("make docs", origin="file", allowed=False))
    story = Story(a_loop(status="paused", criteria=(waiting,), running_since=0.0))

    assert isinstance(story.tell(order("continue")), Ask)
    assert story.loop.status == "asking"


def test_a_rewind_is_recorded_with_both_commits():
    story = Story(a_loop())

    story.tell(order("rewind", arguments=("3", "c0ffee", "5afe")))

    assert [type(event).__name__ for event in story.latest] == ["FilesRewound"]
    assert (story.latest[0].iteration, story.latest[0].commit) == (3, "c0ffee")


def test_a_signal_that_nobody_knows_is_a_bug():
    with pytest.raises(TypeError, match="BUG: no such signal"):
        advance(a_loop(), Gate("G1", "not a signal"))


def test_an_agent_that_runs_a_command_of_the_person_is_only_recorded():
    story = Story(a_loop())

    assert story.tell(order("refused", reason="loop allow")) == Stop()
    assert story.loop.dialogue.refused_orders == ()


@pytest.mark.parametrize("who", [turn(), prompt()])
def test_the_person_is_told_once_which_orders_were_given_in_their_name(who):
    story = Story(a_loop(status="paused", pause=Pause("person", "a break"), running_since=0.0))
    story.tell(order("refused", reason="loop allow", arguments=("it is not typed by the person",)))

    assert "loop allow" in story.tell(who).message
    assert "loop allow" not in story.tell(who).message


def test_to_continue_at_the_last_question_takes_the_end_back():
    story = Story(an_asking_loop("G3"))

    story.tell(order("continue"))

    assert story.loop.status == "running"
    assert story.events_of(ev.DoneTakenBack)


def test_to_allow_one_of_two_checks_leaves_the_question_open():
    checks = [Check(f"make {name}", origin="file", allowed=False) for name in ("a", "b")]
    criteria = tuple(Criterion(check.command, check) for check in checks)
    story = Story(a_loop(criteria=criteria))
    assert isinstance(story.tell(turn()), Ask)

    said = story.tell(order("allow", criteria=(Criterion("make a", checks[0].but(allowed=True)),)))

    assert story.loop.status == "asking"
    assert "make b" in said.message


# --- Files that cannot be read as one tree ---


def test_a_tree_that_cannot_be_read_pauses_and_keeps_the_claims_for_the_next_stop():
    story = Story(a_loop())

    story.tell(turn(block({"tests pass": True}, exit=True), tree_problem="a file is locked"))

    assert (story.loop.pause.cause, story.loop.pause.why) == ("tree", "a file is locked")
    assert (story.loop.pending_claims.exit, story.loop.pending_claims.has_news) == (True, True)


def test_a_tree_that_cannot_be_read_without_a_claim_only_pauses():
    story = Story(a_loop())

    story.tell(turn("working", tree_problem="a file is locked"))

    assert story.loop.pause.cause == "tree"
    assert not story.events_of(ev.ClaimsQueued)


def test_what_the_agent_asks_for_comes_before_the_tree():
    story = Story(a_loop())

    said = story.tell(turn(block({}, "BLOCKED: I need a key"), tree_problem="a file is locked"))

    assert "a file is locked" in said.message


def test_a_check_after_which_the_tree_cannot_be_read_counts_for_nothing():
    story = Story(a_loop())
    wanted = story.tell(turn(tree="tree-2"))

    story.tell(answer_to(wanted, passed("tests pass")).but(tree_problem="a file is locked"))

    assert story.loop.pause.cause == "tree"
    assert story.loop.unmet_criteria == ("tests pass",)


@pytest.mark.parametrize("facts", [{"plan_mode": True}, {"busy": True}])
def test_a_turn_that_was_not_held_is_not_released(facts):
    story = Story(a_loop())

    story.tell(turn("a plan", **facts))

    assert story.latest == ()


def test_a_turn_in_plan_mode_lets_the_person_type_without_interrupting():
    story = Story(a_loop())
    story.tell(prompt("go", prompt_id="p1"))
    story.turn("on it", "tree-2", checks={"tests pass": False}, prompt_id="p1")

    story.tell(turn("a plan", "tree-2", plan_mode=True))

    assert not story.loop.dialogue.turn_continued
