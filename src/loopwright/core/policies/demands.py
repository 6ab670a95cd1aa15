"""Demands of the spec: record what the agent names, ask it once, and tell it once what is open."""

from __future__ import annotations

from .. import events as ev
from ..directives import Directive
from ..draft import Draft
from ..pausing import breakers
from ..prompts import messages
from ..proof.clean_checkout import OFF, UNPREPARED
from ..proof.demand_events import DemandsAsked, DemandsNamed, DemandsTold
from ..proof.demand_results import open_demands
from ..proof.demands import COMMAND_MARK, TESTS_JOINED, Demands
from ..proof.state import CheckRound
from .next_prompt import continue_turn

MAX_SHOWS = 500


def record_named_tests(draft: Draft, demands: Demands, lines: tuple[str, ...]) -> bool:
    """Record what the agent names, as `<number>: <test>`. Was anything new?

    Several lines for one demand name several tests.
    """
    shows: dict[int, str] = {}
    for number, test in filter(None, (read_shows(demands, line) for line in lines)):
        shows[number] = _join_tests(shows.get(number, ""), test)
    news = tuple(row for row in shows.items() if row not in demands.named)
    if news:
        draft.record(DemandsNamed(news))
    return bool(news)


def _join_tests(tests: str, test: str) -> str:
    """The names of several tests in one; a command stands alone."""
    if not tests or tests.startswith(COMMAND_MARK) or test.startswith(COMMAND_MARK):
        return test
    if test in tests.split(TESTS_JOINED):
        return tests
    joined = f"{tests}{TESTS_JOINED}{test}"
    return joined if len(joined) <= MAX_SHOWS else test


def read_shows(demands: Demands, line: str) -> tuple[int, str] | None:
    """The number of the demand and what is named for it; None if the line says neither."""
    number, _, test = line.partition(":")
    digits, test = number.strip(" #."), test.strip().strip("`").strip()[:MAX_SHOWS]
    if not digits.isdecimal() or not test or len(digits) > 3:
        return None
    is_known = 0 < int(digits) <= len(demands.items)
    return (int(digits), test) if is_known else None


def ask_for_tests(draft: Draft, check_round: CheckRound) -> Directive | None:
    """Ask once, at the first claim of the end, for a test for each demand; None: nothing to ask.

    Where no clean checkout can try a test without the work, no name would help.
    """
    demands = draft.loop.demands
    if not demands or demands.asked or not demands.unnamed or not check_round.is_first_decision:
        return None
    if draft.loop.room.status in ("", OFF, UNPREPARED) or _has_no_turn_left(draft, check_round):
        return None
    draft.record(DemandsAsked())
    return _continue(draft)


def tell_open_demands(draft: Draft, check_round: CheckRound) -> Directive | None:
    """Tell the agent once that what it named does not show a demand; None: it ends as it is."""
    if _has_no_turn_left(draft, check_round) or not record_open_demands(draft):
        return None
    return _continue(draft)


def record_open_demands(draft: Draft) -> bool:
    """Is the agent to be told which demands are open? Once, and only about what it named.

    If it was asked and named nothing, it knows already.
    """
    demands = draft.loop.demands
    if not demands or demands.told:
        return False
    named = dict(demands.named)
    is_due = any(result.number in named for result in open_demands(draft.loop))
    if is_due:
        draft.record(DemandsTold())
    return is_due


def _has_no_turn_left(draft: Draft, check_round: CheckRound) -> bool:
    """Has a person said that this is the end, or would the loop pause before another turn?"""
    return check_round.confirmed or bool(breakers.tripped(draft.loop))


def _continue(draft: Draft) -> Directive:
    draft.record(ev.TurnContinued())
    return continue_turn(draft, messages.iteration_note(draft.loop))
