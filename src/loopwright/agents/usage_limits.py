"""Usage limits in what a failed program printed: whether it met one, and when that is reset.

Only the last lines count, and only if they begin with it.
"""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import datetime

from .. import lazy_re as re

DAY_SECONDS = 86_400
MAX_WAIT_SECONDS = 8 * DAY_SECONDS
ERROR_LINES, ANSWER_LINES, MAX_LINE = 12, 6, 400
# Words before a limit that only introduce it. Code and test output mention limits too, but they say
# something else first.
INTRODUCTION_WORDS = (
    "api http status code failed fatal request response message with received got returned you ve "
    "have your the this model account server from is was due to because of sorry claude codex "
    "gemini ai current daily weekly"
)
INTRODUCTION = (
    r"(?:[\W\d_]*\b(?:\w*(?:error|exception|exhausted|warning)|\w+\.[\w.]+|"
    rf"{'|'.join(INTRODUCTION_WORDS.split())})\b)*[\W\d_]*"
)
LIMIT = re.compile(
    INTRODUCTION + r"(?:"
    r"(?<!\d)429(?!\d)(?! *(?:passed|failed|lines|tests|items|bytes|files))"
    r"|too many requests\b"
    r"|(?:usage|rate|quota|request|token|session|weekly|daily)s?[ -]limit(?:s|ed)?"
    r"(?: (?:was|is|has been|have been))? (?:reached|exceeded|hit)\b"
    r"|rate[ -]limited\b|\w*RateLimit\w*|ResourceExhausted\b|RESOURCE_EXHAUSTED\b"
    r"|(?:hit|reached|exceeded|exhausted) (?:your|the) (?:[\w-]+ ){0,3}(?:limit|quota)\b"
    r"|exhausted your capacity\b"
    r"|quota (?:(?:was|is|has been) )?(?:exceeded|exhausted|reached)\b"
    r"|(?:usage |rate )?(?:limit|quota) (?:will )?resets?\b"
    r"|retry-after\b"
    r")",
    re.I,
)
NO_MONEY = re.compile(r"\bbilling\b|\bcredit balance\b|\binsufficient_quota\b", re.I)
UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": DAY_SECONDS}
AMOUNT = re.compile(
    r"(\d+(?:\.\d+)?) *"
    r"(ms|milliseconds?|d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)(?![a-z])",
    re.I,
)
AFTER = re.compile(
    r"\b(?:resets?|retry|try again|available(?: again)?|wait)[ -]*(?:after|in|for)?[\"']?[:=]? *"
    r"((?:(?:\d+(?:\.\d+)?) *[a-z]+[ ,]*(?:and )?)+)",
    re.I,
)
RETRY_AFTER = re.compile(
    r"\bretry[- _]after[\"']?[:=]? *[\"']?(\d+(?:\.\d+)?)(?! *[a-z\d:-])", re.I
)
RETRY_DATE = re.compile(r"\bretry-after: *([A-Z][a-z]{2}, [^\n]+ GMT)", re.I)
AT_DATE = re.compile(
    r"\b(?:resets?|try again|retry)(?: at| on)? (\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)",
    re.I,
)
AT_TIME = re.compile(
    r"\b(?:resets?|try again|retry)(?: at)? (\d{1,2})(?::(\d\d))? ?([ap]m)?\b(?! *[a-z]+)", re.I
)
EPOCH = re.compile(r"\blimit reached\|(\d{10})\b", re.I)


def usage_limit_in(errors: str, answer: str, at: float) -> tuple[bool, float]:
    """Does what a failed program printed tell of a usage limit, and when is it reset; 0.0: unknown.

    The end of its errors counts; without errors the last line of its answer does.
    """
    lines = last_lines(errors, ERROR_LINES)
    if lines:
        limited = any(map(LIMIT.match, lines))
    else:
        lines = last_lines(answer, ANSWER_LINES)
        last = lines[-1] if lines else ""
        limited = bool(LIMIT.match(last) or (reset_time(last, at) and any(map(LIMIT.match, lines))))
    if not limited or any(map(NO_MONEY.search, lines)):
        return False, 0.0
    return True, reset_time("\n".join(lines), at)


def last_lines(text: str, count: int) -> list[str]:
    lines = [line.strip()[:MAX_LINE] for line in text.splitlines() if line.strip()]
    return lines[-count:]


def reset_time(text: str, at: float) -> float:
    """The moment that "reset after 2h5m", "Retry-After: 30" or "resets 3pm" means; 0.0: none."""
    for found in (_stated_date(text), _seconds_from_now(text, at), _time_of_day(text, at)):
        if at < found <= at + MAX_WAIT_SECONDS:
            return found
    return 0.0


def _stated_date(text: str) -> float:
    with suppress(ValueError, TypeError, OverflowError):
        if match := EPOCH.search(text):
            return float(match[1])
        if match := RETRY_DATE.search(text):
            from email.utils import parsedate_to_datetime  # large, and rarely needed

            return parsedate_to_datetime(match[1]).timestamp()
        if match := AT_DATE.search(text):
            return datetime.fromisoformat(match[1]).timestamp()
    return 0.0


def _seconds_from_now(text: str, at: float) -> float:
    if match := RETRY_AFTER.search(text):
        return at + float(match[1])
    if match := AFTER.search(text):
        amounts = AMOUNT.findall(match[1])
        if amounts:
            return at + sum(float(number) * _unit_seconds(unit) for number, unit in amounts)
    return 0.0


def _unit_seconds(unit: str) -> float:
    unit = unit.lower()
    return UNITS["ms"] if unit in ("ms", "millisecond", "milliseconds") else UNITS[unit[0]]


def _time_of_day(text: str, at: float) -> float:
    """The next such time in this time zone."""
    match = AT_TIME.search(text)
    if not match or not (match[2] or match[3]):  # a number alone is not a time
        return 0.0
    hour, minute, half = int(match[1]), int(match[2] or 0), (match[3] or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    today = time.localtime(at)
    with suppress(ValueError, OverflowError):
        moment = time.mktime(
            (today.tm_year, today.tm_mon, today.tm_mday, hour, minute, 0, 0, 0, -1)
        )
        return moment if moment > at else moment + DAY_SECONDS
    return 0.0
