"""The parts of a moment in a text: clock, date, weekday, zone, duration, seconds since 1970."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, timedelta, timezone, tzinfo
from datetime import time as clock_time
from typing import NamedTuple

from .. import lazy_re as re

DAY_SECONDS = 86_400
UNIT = (
    r"(?P<unit>ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)"
    r"(?![a-z])"
)
PARTS = (
    r"(?P<iso>\d{4}-\d\d-\d\d)(?:T(?=\d))?",
    r"(?P<slashes>\d{1,2}/\d{1,2}/\d{4})\b",
    r"(?P<clock>\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?)(?: ?(?P<half>[ap])\.?m\b\.?)?",
    r"(?P<hour>\d{1,2}) ?(?P<hour_half>[ap])\.?m\b\.?",
    r"(?P<word_clock>midnight|noon)\b",
    r"(?P<epoch>\d{10}(?:\d{3})?)(?!\d)",
    rf"(?P<amount>\d+(?:\.\d+)?(?=\s*[a-z])|(?:an?|one)(?=\s))\s*{UNIT}",
    r"(?P<number>\d+(?:\.\d+)?)(?:st|nd|rd|th)?(?![\w:/]|\.\d)",
    r"(?P<offset>(?:UTC|GMT)?[+-]\d{1,2}(?::?\d\d)?)\b",
    r"(?P<zone>[A-Z][A-Za-z]+/[\w+/-]+)",
    r"(?P<word>[A-Za-z]+)\b\.?",
)
PART = re.compile("|".join(PARTS), re.I)
# What may stand between two parts. A full stop or a semicolon ends the moment.
GAP = re.compile(r"[\s,:=·∙•|()\[\]{}\"'`\\]*")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
NAME = re.compile(
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
    r"|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?"
    r"|sat(?:urday)?|sun(?:day)?)",
    re.I,
)
UNIT_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": DAY_SECONDS, "w": 7 * DAY_SECONDS}
# Letters mean more than one zone now and then; these are the ones that services print.
ZONE_NAMES = {
    "z": "UTC",
    "utc": "UTC",
    "gmt": "UTC",
    **dict.fromkeys(("pt", "pst", "pdt", "pacific"), "America/Los_Angeles"),
    **dict.fromkeys(("mst", "mdt", "mountain"), "America/Denver"),
    **dict.fromkeys(("ct", "cst", "cdt", "central"), "America/Chicago"),
    **dict.fromkeys(("et", "est", "edt", "eastern"), "America/New_York"),
    **dict.fromkeys(("cet", "cest"), "Europe/Berlin"),
    "bst": "Europe/London",
    "ist": "Asia/Kolkata",
    "jst": "Asia/Tokyo",
    "kst": "Asia/Seoul",
}


class UnknownMoment(Exception):
    """The text names a moment that cannot be, or a zone that this machine does not know."""


class Moment(NamedTuple):
    """The parts of a moment that a text has named so far."""

    seconds: float = 0.0  # a duration
    epoch: float = 0.0
    clock: clock_time | None = None
    year: int = 0
    month: int = 0
    day: int = 0
    weekday: int = -1
    days_ahead: int = -1  # today: 0, tomorrow: 1
    is_iso: bool = False  # 2026-08-29: written by a server, not by a client for people
    zone: tzinfo | None = None  # None: the zone of this machine
    number: float = -1.0  # alone, so far


def parts_after(text: str, position: int) -> Iterator[re.Match[str]]:
    """The words and numbers that follow, up to the end of the sentence."""
    while gap := GAP.match(text, position):
        part = PART.match(text, gap.end())
        if part is None:
            return
        yield part
        position = part.end()
        if part["word"] and part[0].endswith(".") and not NAME.fullmatch(part["word"]):
            return


def add_part(moment: Moment, part: re.Match[str]) -> Moment | None:
    """The moment with this part of it; None: it is no part of a moment."""
    kind = part.lastgroup or ""
    if kind == "unit":
        seconds = 1.0 if part["amount"][0].isalpha() else float(part["amount"])
        return moment._replace(seconds=moment.seconds + seconds * _unit_seconds(part["unit"]))
    if kind in ("clock", "half", "hour_half", "word_clock"):
        return moment._replace(clock=_clock(part))
    if kind == "iso":
        day = date.fromisoformat(part["iso"])
        return moment._replace(year=day.year, month=day.month, day=day.day, is_iso=True)
    if kind == "slashes":
        month, day_number, year = map(int, part["slashes"].split("/"))
        return moment._replace(year=year, month=month, day=day_number)
    if kind == "epoch":
        seconds = float(part["epoch"])
        return moment._replace(epoch=seconds / 1000 if len(part["epoch"]) > 10 else seconds)
    if kind == "offset":
        return moment._replace(zone=_offset(part["offset"])) if moment.clock else None
    if kind == "zone":
        return moment._replace(zone=_named_zone(part["zone"]))
    return _add_number(moment, part) if kind == "number" else _add_word(moment, part["word"])


def _add_number(moment: Moment, part: re.Match[str]) -> Moment | None:
    """A day, a year, or seconds; which of them is known once the month is."""
    number = float(part["number"])
    if number >= 1970 and (moment.day or moment.number >= 0) and moment.month:
        return moment._replace(year=int(number))
    if moment.month and not moment.day:
        return moment._replace(day=int(number))
    return moment._replace(number=number) if moment.number < 0 else None


def _add_word(moment: Moment, word: str) -> Moment | None:
    name = word.lower()
    if NAME.fullmatch(word):
        if name[:3] in WEEKDAYS:
            return moment._replace(weekday=WEEKDAYS.index(name[:3]))
        day = int(moment.number) if moment.number >= 0 else moment.day
        return moment._replace(month=MONTHS.index(name[:3]) + 1, day=day, number=-1.0)
    if name in ("today", "tomorrow"):
        return moment._replace(days_ahead=int(name == "tomorrow"))
    if name in ZONE_NAMES and moment.clock and not moment.zone:
        return moment._replace(zone=_named_zone(ZONE_NAMES[name]))
    if moment.number >= 0:  # "after 3 attempts"
        raise UnknownMoment
    return None


def _unit_seconds(unit: str) -> float:
    unit = unit.lower()
    return UNIT_SECONDS["ms" if unit.startswith(("ms", "milli")) else unit[0]]


def _clock(part: re.Match[str]) -> clock_time:
    if part["word_clock"]:
        return clock_time(12 if part["word_clock"].lower() == "noon" else 0)
    words = (part["clock"] or part["hour"]).split(":")
    hour, minute = int(words[0]), int(words[1]) if len(words) > 1 else 0
    second = int(float(words[2])) if len(words) > 2 else 0
    half = (part["half"] or part["hour_half"] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            raise UnknownMoment
        hour = hour % 12 + (12 if half == "p" else 0)
    return clock_time(hour, minute, second)


def _offset(words: str) -> tzinfo:
    sign = -1 if "-" in words else 1
    digits = "".join(filter(str.isdigit, words))
    hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
    return timezone(sign * timedelta(hours=hours, minutes=minutes))


def _named_zone(name: str) -> tzinfo:
    if name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # rarely needed

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        # To read it as a time of this machine would be a guess, and hours wrong.
        raise UnknownMoment from error
