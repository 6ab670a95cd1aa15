"""What must hold for every night, whoever drives, whatever an agent does, and whatever a person says meanwhile."""

from itertools import chain, cycle, repeat

from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.core.directives import Continue, Stop, Wait
from loopwright.core.limits import Limits
from loopwright.core.loop import Loop
from loopwright.core.runner.events import TurnStarted
from loopwright.core.runner.run import RunnerReport
from loopwright.core.signals import Ordered, RunnerAttached, TurnOver, TurnStarting
from loopwright.core.status import ENDED
from tests.support.night import OTHER, RUNNER
from tests.support.strategies import (
    ALL_ORDERS,
    TREES,
    LoopTeller,
    Reply,
    answers,
    client_events,
    discovery_loops,
    edits,
    loops,
    lost_mirrors,
    moves,
    orders,
    outcomes,
    rebuilt_loops,
    replies,
    texts,
    turns,
    weighted_choice,
    whatever_the_checks_say,
)
from tests.torture.size import size

AGENTS = (("claude",), ("codex",), ("claude", "codex"), ("codex", "claude", "script"))
limits = st.builds(
    Limits,
    iterations=st.integers(1, 6),
    dollars=st.sampled_from((0.5, 5.0)),
    minutes=st.sampled_from((2.0, 60.0)),
    wait=st.sampled_from((0.1, 5.0, 30.0)),
    same_file=st.sampled_from((2, 5)),
)


@st.composite
def nights(draw: st.DrawFn) -> Loop:
    """A loop as it is left for the night; now and then with a question that is still open."""
    loop = draw(weighted_choice(loops(), discovery_loops())).but(limits=draw(limits))
    if loop.gate and draw(st.sampled_from((True, True, False))):
        loop = loop.but(
            status="running", gate=None, clock=loop.clock.but(running_since=loop.clock.started_at)
        )
    return loop


# --- What may happen ---

drivers = st.sampled_from((RUNNER, RUNNER, RUNNER, OTHER))
comings = st.builds(
    RunnerAttached,
    at=st.just(0.0),
    session=drivers,
    pid=st.sampled_from((7, 8)),
    agents=st.sampled_from(AGENTS),
)
beginnings = st.builds(
    TurnStarting, at=st.just(0.0), session=drivers, max_dollars=st.sampled_from((0.0, 0.0, 1.0))
)
tellings = st.builds(
    RunnerReport,
    agent=st.sampled_from(("claude", "codex")),
    session=st.sampled_from(("", "own-1")),
    tokens=st.sampled_from(((), (5, 6))),
    cut_reason=st.sampled_from(("", "", "", "it hung")),
    lost=st.sampled_from((False, False, False, True)),
    denied_calls=st.sampled_from(((), (), ("Bash(x)",))),
    usage_limited=st.sampled_from((False, False, False, True)),
    limit_reset_at=st.sampled_from((0.0, 1_030.0, 1_100.0, 5_000.0)),
)
endings = st.builds(
    TurnOver,
    at=st.just(0.0),
    session=drivers,
    text=texts,
    tree=st.sampled_from(TREES),
    dollars=st.sampled_from((0.0, 0.1, 0.6, 3.0)),
    tool_outcomes=st.lists(outcomes, max_size=2).map(tuple),
    edits=st.sampled_from(((), (("a.py", 2),))),
    tool_calls=st.sampled_from((0, 1, 1)),
    api_failure=st.sampled_from(("", "", "", "overloaded", "teapot")),
    runner_report=tellings,
)
words = st.builds(
    Ordered,
    at=st.just(0.0),
    order=st.just("steer"),
    reason=st.sampled_from(("mind the docs", "x" * 900)),
)
meddling = st.one_of(turns, edits, lost_mirrors, answers, client_events, words, orders(*ALL_ORDERS))
happening = weighted_choice(*[beginnings, endings, replies] * 3, comings, meddling)
first = st.builds(
    RunnerAttached,
    at=st.just(0.0),
    session=st.just(RUNNER),
    pid=st.just(7),
    agents=st.sampled_from(AGENTS),
)
many = st.builds(lambda came, said: [came, *said], first, st.lists(happening, max_size=30))


@settings(max_examples=size(commit=15, long=250))
@given(nights(), many)
def test_the_journal_alone_rebuilds_the_loop(loop, said):
    assert all(folded == now for folded, now in rebuilt_loops(loop, said))


@given(nights(), many)
def test_what_is_spent_never_falls(loop, said):
    for before, _, move in moves(loop, said):
        had, has = before.spend, move.loop.spend
        assert has.iterations >= had.iterations
        assert has.dollars >= had.dollars
        assert has.seconds >= had.seconds
        assert not before.run or move.loop.run.turns_started >= before.run.turns_started


@given(nights(), many)
def test_what_ended_stays_ended(loop, said):
    for before, _, move in moves(loop, said):
        if before.status in ENDED:
            assert move.loop == before
            assert isinstance(move.directive, Stop)


@given(nights(), many)
def test_nothing_is_proven_while_a_check_fails(loop, said):
    for before, _, move in moves(loop, said):
        if move.loop.status == "finished" != before.status:
            failing = [
                c.name
                for c in move.loop.criteria
                if c.check and c.check.allowed and not (c.proof and c.proof.passed)
            ]
            assert not failing
            assert not (move.loop.verdict.proven and move.loop.unmet_criteria)


@given(nights(), many)
def test_a_turn_begins_only_below_every_limit_and_for_who_drives(loop, said):
    for before, one, move in moves(loop, said):
        for event in move.events:
            if isinstance(event, TurnStarted):
                left = before.limits.dollars - before.spend.dollars
                assert 0 < event.reserved_dollars <= left
                assert event.reserved_dollars <= (one.max_dollars or left)
                assert before.spend.iterations < before.limits.iterations
                assert before.spend.seconds < before.limits.minutes * 60
                assert (before.status, before.lease.holder) == ("running", one.session)
                assert event.agent in before.run.agents


@given(nights(), many)
def test_who_does_not_drive_begins_and_ends_nothing(loop, said):
    for before, one, move in moves(loop, said):
        stale = isinstance(one, TurnStarting | TurnOver) and before.lease.holder not in (
            "",
            one.session,
        )
        if stale:
            assert move.loop.but(
                dialogue=move.loop.dialogue.but(foreign_sessions=())
            ) == before.but(dialogue=before.dialogue.but(foreign_sessions=()))


@given(nights(), many)
def test_money_is_set_aside_only_while_a_turn_is_under_way(loop, said):
    for _, _, move in moves(loop, said):
        run = move.loop.run
        assert run is None or bool(run.reserved_dollars) == bool(run.turn_started_at)


@given(nights(), many)
def test_no_more_is_waited_than_the_limit(loop, said):
    for _, _, move in moves(loop, said):
        run = move.loop.run
        assert run is None or run.waited_seconds <= move.loop.limits.wait * 60
        if isinstance(move.directive, Wait):
            assert (
                move.directive.until - run.waiting_since + run.waited_seconds
                <= move.loop.limits.wait * 60
            )


# --- A runner as it is: a turn begins, ends, is judged; then the next ---


class Drive:
    """A runner at work on a loop, until it is let go. It waits when it is told to, and everything it sees is kept."""

    def __init__(self, loop, came, found):
        self.telling, self.results = LoopTeller(loop), chain(found, repeat(Reply(False)))
        self.directive = self._told(came)

    @property
    def loop(self):
        return self.telling.loop

    def _told(self, signal):
        move = self.telling.tell(signal)
        last, _ = self.telling.answer_all(move.directive, self.results)
        return (last or move).directive

    def turn(self, ending, *meanwhile):
        """One turn, with what a person says during it. False: there was none, the runner was let go."""
        if isinstance(self.directive, Wait):
            self.telling.now = max(self.telling.now, self.directive.until)
        elif not isinstance(self.directive, Continue):
            return False
        self.directive = self._told(TurnStarting(0.0, RUNNER))
        if not isinstance(self.directive, Continue):
            return False
        for word in meanwhile:
            self._told(word)
        report = ending.runner_report.but(agent=self.loop.run.agent)
        if report.limit_reset_at:
            report = report.but(limit_reset_at=self.telling.now + report.limit_reset_at - 1_000.0)
        self.directive = self._told(ending.but(session=RUNNER, runner_report=report))
        return True


asides = st.lists(words | orders("pause", raising=False) | edits, max_size=1)
acts = st.lists(st.tuples(endings, asides), min_size=1, max_size=25)


@given(nights(), first, acts, whatever_the_checks_say)
def test_no_night_exceeds_a_limit(loop, came, acts, found):
    drive = Drive(loop, came, found)
    for ending, meanwhile in acts:
        if not drive.turn(ending, *meanwhile):
            break
        spend, most = drive.loop.spend, drive.loop.limits
        assert spend.iterations <= most.iterations
        assert spend.dollars < most.dollars + ending.dollars or not ending.dollars
        assert drive.loop.run.waited_seconds <= most.wait * 60
        assert (drive.loop.run.turn_started_at, drive.loop.run.reserved_dollars) == (
            0.0,
            0.0,
        ) or drive.loop.status in ENDED
    assert drive.loop.limits == loop.limits


@given(nights(), first, st.lists(endings, min_size=1, max_size=4), whatever_the_checks_say)
def test_every_night_comes_to_an_end(loop, came, endings, found):
    """The same turns for ever, none of which kills the runner: each is an iteration or is waited for, and both have a limit."""
    drive = Drive(loop, came, found)
    for number, ending in enumerate(cycle(endings)):
        assert number < 1_000, "it goes on and on"
        if not drive.turn(ending.but(runner_report=ending.runner_report.but(lost=False))):
            break

    assert drive.loop.status in ("paused", "asking", "finished")
    assert drive.loop.status != "paused" or (drive.loop.pause.cause and drive.loop.pause.why)
