"""Limits that any program prints: recognised at the end of a failure, with the time of the reset."""

from __future__ import annotations

import time

import pytest

from loopwright.agents.usage_limits import reset_time, usage_limit_in

NOW = 1_800_000_000.0  # Friday, 2027-01-15, 08:00 UTC


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Error: 429 Too Many Requests\nRetry-After: 30", 30),
        ("HTTP/1.1 429\nretry-after: Fri, 15 Jan 2027 08:02:00 GMT", 120),
        ("openai.RateLimitError: Error code: 429 - {'message': 'Please try again in 6m30s'}", 390),
        ("litellm.RateLimitError: quota exceeded. Please retry in 32.5s.", 32.5),
        (
            "[API Error: You have exhausted your daily quota. Quota will reset after 18h36m17s.]",
            66_977,
        ),
        ("google.api_core.exceptions.ResourceExhausted: 429 Quota exceeded", 0),
        ("Rate limit exceeded, retry after 2 minutes", 120),
        ("You've reached your usage limit. Resets in 1 hour and 5 minutes", 3_900),
        ("usage limit reached, try again at 2027-01-15T09:00:00Z", 3_600),
        ("Claude AI usage limit reached|1800003600", 3_600),
        ("Error: Request failed with status code 429", 0),
        ("Too many requests", 0),
    ],
)
def test_a_limit_is_recognised_with_its_reset(words: str, seconds: float) -> None:
    expected = (True, pytest.approx(NOW + seconds if seconds else 0.0, abs=1))

    assert usage_limit_in(f"trace\n{words}\n", "working", NOW) == expected
    assert usage_limit_in("", f"working\n{words}\n", NOW) == expected


@pytest.mark.parametrize(("words", "hour"), [("limit resets 3pm", 15), ("limit resets at 7:30", 7)])
def test_a_time_of_day_is_the_next_one_here(words: str, hour: int) -> None:
    found = reset_time(words, NOW)

    assert NOW < found <= NOW + 86_400
    assert time.localtime(found).tm_hour == hour


@pytest.mark.parametrize(
    "words",
    [
        "tests/test_rate_limit.py:12: AssertionError",
        "429 passed in 3 s",
        "AssertionError: expected 200, got 4290",
        "The README says: usage limit reached",
        "def test_quota_exceeded():",
        "You exceeded your current quota, please check your plan and billing details",
        "your credit balance is too low; rate limit reached",
        "",
    ],
)
def test_other_words_are_no_limit(words: str) -> None:
    assert usage_limit_in(words, "", NOW) == (False, 0.0)
    assert usage_limit_in("", words, NOW) == (False, 0.0)


def test_what_was_said_long_before_the_end_does_not_count() -> None:
    assert usage_limit_in("", "rate limit reached\nI wait.\nDone.\n", NOW) == (False, 0.0)


@pytest.mark.parametrize("words", ["resets in 900 days", "Retry-After: 0", "resets soon"])
def test_a_reset_that_cannot_be_is_unknown(words: str) -> None:
    assert reset_time(words, NOW) == 0.0
