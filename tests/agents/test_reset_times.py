"""The moment that a text names as the reset of a limit: clocks, dates, weekdays, zones, durations."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest

from loopwright.agents.reset_times import reset_time

FRIDAY = "2027-01-15T08:00Z"  # at eight, in UTC


def at(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp() if moment else 0.0


@pytest.mark.parametrize(
    ("words", "now", "reset"),
    [
        # clock times
        ("try again at 9:30 AM.", FRIDAY, "2027-01-15T09:30Z"),
        ("try again at 9:30 AM", FRIDAY, "2027-01-15T09:30Z"),
        ("try again at 1:05 PM.", FRIDAY, "2027-01-15T13:05Z"),
        ("try again at 12:00 PM.", FRIDAY, "2027-01-15T12:00Z"),
        ("try again at 12:30 AM.", "2027-01-15T23:00Z", "2027-01-16T00:30Z"),
        ("resets 7:30", FRIDAY, "2027-01-16T07:30Z"),
        ("resets at noon", FRIDAY, "2027-01-15T12:00Z"),
        ("resets at 3 p.m. today", FRIDAY, "2027-01-15T15:00Z"),
        ("resets tomorrow at 6am", FRIDAY, "2027-01-16T06:00Z"),
        ("resets at 15:00:30 UTC", FRIDAY, "2027-01-15T15:00:30Z"),
        # dates
        ("try again at Jan 16th, 2027 8:00 AM.", FRIDAY, "2027-01-16T08:00Z"),
        ("try again at Feb 1st, 2027 12:00 AM.", FRIDAY, "2027-02-01T00:00Z"),
        ("try again at May 18th, 2033 3:33 AM.", FRIDAY, "2033-05-18T03:33Z"),
        ("resets 21:13 on 20 Jan", FRIDAY, "2027-01-20T21:13Z"),
        ("resets Jan 2, 6am", "2026-12-29T08:00Z", "2027-01-02T06:00Z"),
        ("resets on January 20", FRIDAY, "2027-01-20T00:00Z"),
        ("retry after 2027-01-15T09:00:00+02:00", "2027-01-15T06:00Z", "2027-01-15T07:00Z"),
        ("limit resets at: 2027-01-15T10:13:01+0000", FRIDAY, "2027-01-15T10:13:01Z"),
        ("retry-after: Fri, 15 Jan 2027 08:02:00 GMT", FRIDAY, "2027-01-15T08:02Z"),
        # weekdays
        ("resets Mon 9am", FRIDAY, "2027-01-18T09:00Z"),
        ("resets Thursday at 10:00 AM (America/New_York)", FRIDAY, "2027-01-21T15:00Z"),
        ("resets Friday 9am", FRIDAY, "2027-01-15T09:00Z"),
        ("resets Fri 7am", FRIDAY, "2027-01-22T07:00Z"),
        ("resets on Monday", FRIDAY, "2027-01-18T00:00Z"),
        # zones
        ("resets 3am (America/New_York)", "2027-01-15T06:00Z", "2027-01-15T08:00Z"),
        ("resets 3am (Asia/Kolkata)", FRIDAY, "2027-01-15T21:30Z"),
        ("resets 3pm PST", FRIDAY, "2027-01-15T23:00Z"),
        ("resets at 5pm UTC+8", FRIDAY, "2027-01-15T09:00Z"),
        # durations
        ("Retry-After: 30", FRIDAY, "2027-01-15T08:00:30Z"),
        ("retry after 2 minutes", FRIDAY, "2027-01-15T08:02Z"),
        ("Resets in 1 hour and 5 minutes", FRIDAY, "2027-01-15T09:05Z"),
        ("try again in an hour", FRIDAY, "2027-01-15T09:00Z"),
        ("Please retry in 32.5s.", FRIDAY, "2027-01-15T08:00:32.5Z"),
        ('"retryAfterMs": 1500', FRIDAY, "2027-01-15T08:00:01.5Z"),
        ('{"resets_in_seconds": 3600}', FRIDAY, "2027-01-15T09:00Z"),
        # seconds since 1970
        ('"resets_at": 1800003600', FRIDAY, "2027-01-15T09:00Z"),
        ("X-RateLimit-Reset: 1800003600000", FRIDAY, "2027-01-15T09:00Z"),
        # of two, the end of the limit and not the next try; a zone is surer than none
        ("resets 9am. Retrying in 26 seconds", FRIDAY, "2027-01-15T09:00Z"),
        ("reset at 2027-01-15 16:10:00, retry-after-ms=600000", FRIDAY, "2027-01-15T08:10Z"),
    ],
)
def test_the_moment_that_a_text_names(
    in_zone: Callable[[str], None], words: str, now: str, reset: str
) -> None:
    assert reset_time(words, at(now)) == pytest.approx(at(reset), abs=0.01)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "try again later.",
        "resets soon",
        "resets in 900 days",
        "Retry-After: 0",
        "resets 7",
        "gave up: retry after 3 attempts",
        "wait for limits to reset (every 5h and every week.)",
        "resets 3am (Mars/Phobos)",
        "resets Friday",  # today or in a week
        "resets 7:58",  # two minutes ago: it is late, and not due tomorrow
        "try again at 13:00 PM.",
        "try again at 9:75 AM.",
        "try again at Foo 99th, 2027 8:00 AM.",
        "try again at Feb 30th, 2027 8:00 AM.",
        "try again at Jan 2nd, 2027 8:00 AM.",
    ],
)
def test_a_moment_that_is_not_named_or_cannot_be_is_unknown(
    in_zone: Callable[[str], None], words: str
) -> None:
    assert reset_time(words, at(FRIDAY)) == 0.0


@pytest.mark.parametrize(
    ("zone", "words", "reset"),
    [
        ("America/Los_Angeles", "try again at 1:00 AM.", "2027-01-15T09:00Z"),
        ("Asia/Kolkata", "try again at 2:30 PM.", "2027-01-15T09:00Z"),
        ("Pacific/Auckland", "try again at 10:00 PM.", "2027-01-15T09:00Z"),
        ("Pacific/Auckland", "try again at Jan 16th, 2027 2:00 AM.", "2027-01-15T13:00Z"),
        ("Europe/Berlin", "try again at Jul 1st, 2027 8:00 AM.", "2027-07-01T06:00Z"),
        ("Europe/Berlin", "resets 4am (America/New_York)", "2027-01-15T09:00Z"),
    ],
)
def test_without_a_zone_it_is_told_in_the_one_that_we_are_in(
    in_zone: Callable[[str], None], zone: str, words: str, reset: str
) -> None:
    in_zone(zone)

    assert reset_time(words, at("2027-01-15T08:00:01Z")) == at(reset)


@pytest.mark.parametrize(
    ("zone", "now", "words", "reset"),
    [
        # The night is an hour short, or an hour long.
        ("America/New_York", "2027-03-14T02:00Z", "resets 8pm", "2027-03-15T00:00Z"),
        ("America/New_York", "2027-03-14T05:00Z", "resets 7am", "2027-03-14T11:00Z"),
        ("Europe/Berlin", "2027-10-30T20:00Z", "resets 9pm", "2027-10-31T20:00Z"),
        ("UTC", "2027-03-14T05:00Z", "resets 7am (America/New_York)", "2027-03-14T11:00Z"),
        ("UTC", "2027-10-30T20:00Z", "resets Mon 9am (Europe/Berlin)", "2027-11-01T08:00Z"),
    ],
)
def test_a_change_of_the_clocks_is_counted(
    in_zone: Callable[[str], None], zone: str, now: str, words: str, reset: str
) -> None:
    in_zone(zone)

    assert reset_time(words, at(now)) == at(reset)
