"""The moment at which a usage limit is reset, as a text tells it.

A small grammar instead of one pattern for each text: a cue ("resets", "try again", "retryDelay"),
words that only lead on ("at", "in", "your limit"), and then the parts of a moment in any order.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date, datetime, timedelta
from datetime import time as clock_time

from .. import lazy_re as re
from .moment_parts import DAY_SECONDS, Moment, UnknownMoment, add_part, parts_after

MAX_WAIT_SECONDS = 40 * DAY_SECONDS  # longer than a month of a subscription
# A clock time that has only just passed is a reset that is late, not the one of tomorrow.
JUST_PASSED_SECONDS = 300

CUE = re.compile(
    r"(?P<field>\b(?:[\w-]*[\w-](?:reset|retry)[\w-]*|(?:reset|retry)s?(?-i:[A-Z_-])[\w-]*))"
    r"|\bresets?\b|\bretry(?:ing)?\b|\b(?:try|trying) again\b|\b(?:come|be) back\b"
    r"|\bavailable(?: again)?\b|\bwait\b|\blimit reached\|",
    re.I,
)
# Between a cue and its moment.
LEADING = (
    "at on in after for until is are will be to the a your again automatically limit limits quota "
    "access request requests time when monthly cycle ends about approximately"
)
LEADING_WORDS = frozenset(LEADING.split())
BETWEEN_WORDS = frozenset({"at", "on", "and", "of", "the"})  # inside a moment: "Apr 20 at 2 AM"
MAX_LEADING_WORDS = 8


def reset_time(text: str, at: float) -> float:
    """The moment that "reset after 2h5m", "Retry-After: 30" or "resets 3pm (UTC)" means; 0.0: none.

    Of several the last counts, and of two kinds the surer one: a date of a server without its zone
    may be hours off, and the next try of a client is not the end of the limit.
    """
    sure, unsure = [0.0], [0.0]
    for cue in CUE.finditer(text):
        with suppress(UnknownMoment, ValueError, OverflowError):
            moment, counting_cue = _moment_after(text, cue)
            then = _moment_time(moment, at, counting_cue)
            if at < then and (moment.year or then <= at + MAX_WAIT_SECONDS):
                is_retry = cue[0].lower() == "retrying"
                (unsure if is_retry or _lacks_zone(moment) else sure).append(then)
    return max(sure) or max(unsure)


def _lacks_zone(moment: Moment) -> bool:
    return moment.is_iso and moment.zone is None


def _moment_after(text: str, cue: re.Match[str]) -> tuple[Moment, str]:
    """The moment after this cue, and the cue if a number alone counts seconds there."""
    moment = Moment()
    leading: list[str] = []
    for part in parts_after(text, cue.end()):
        word = (part["word"] or "").lower()
        following = add_part(moment, part)
        if following is not None:
            moment = following
        elif moment == Moment() and word in LEADING_WORDS and len(leading) < MAX_LEADING_WORDS:
            leading.append(word)
        elif moment == Moment() or word not in BETWEEN_WORDS:
            break
    counts_seconds = cue["field"] or "after" in leading or "in" in leading
    return moment, cue[0] if counts_seconds else ""


def _moment_time(moment: Moment, at: float, counting_cue: str) -> float:
    """The moment as seconds; 0.0: its parts do not make one."""
    if moment.epoch:
        return moment.epoch
    if moment.seconds:
        return at + moment.seconds
    today = datetime.fromtimestamp(at, moment.zone)
    if moment.month and moment.day:
        return _dated_time(moment, today)
    if moment.clock or moment.weekday >= 0 or moment.days_ahead >= 0:
        return _next_time(moment, today, at)
    if moment.number >= 0 and counting_cue:
        in_milliseconds = counting_cue.lower().endswith(("ms", "millis", "milliseconds"))
        return at + moment.number * (0.001 if in_milliseconds else 1)
    return 0.0


def _dated_time(moment: Moment, today: datetime) -> float:
    """The time on its date; without a year it is the next such date."""
    year = moment.year or today.year
    if not moment.year and (moment.month, moment.day) < (today.month, today.day):
        year += 1
    return _time_on(moment, date(year, moment.month, moment.day))


def _next_time(moment: Moment, today: datetime, at: float) -> float:
    """The next time with its clock time, on its weekday."""
    if moment.days_ahead >= 0:
        return _time_on(moment, today.date(), moment.days_ahead)
    days, period = 0, 1
    if moment.weekday >= 0:
        days, period = (moment.weekday - today.weekday()) % 7, 7
    then = _time_on(moment, today.date(), days)
    # A weekday alone, on that day, is today or in a week: we cannot know.
    is_over = moment.clock is not None and then <= at - JUST_PASSED_SECONDS
    return _time_on(moment, today.date(), days + period) if is_over else then


def _time_on(moment: Moment, day: date, days_later: int = 0) -> float:
    """Its clock time on a day, by the calendar: a day with a clock change is not 24 h long."""
    day += timedelta(days=days_later)
    return datetime.combine(day, moment.clock or clock_time(), moment.zone).timestamp()
