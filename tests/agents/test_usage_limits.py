"""Limits that any program prints: recognised at the end of a failure, with the time of the reset."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from loopwright.agents.usage_limits import usage_limit_in

HERE = Path(__file__).parent
# Each as a public report tells it, with shortened ids, on a machine in UTC. A reset of "": none is
# named.
TEXTS = [json.loads(line) for line in (HERE / "usage_limits.jsonl").read_text("utf-8").splitlines()]
# What agents, tests, linters and code say about limits. None of them is one.
OTHER_WORDS = (HERE / "words_about_limits.txt").read_text("utf-8").splitlines()
NOW = 1_800_000_000.0  # Friday, 2027-01-15, 08:00 UTC


def seconds_of(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp() if moment else 0.0


def test_the_table_is_large_and_repeats_nothing() -> None:
    assert len({case["text"] for case in TEXTS}) == len(TEXTS) >= 100
    assert len({case["who"] for case in TEXTS}) == len(TEXTS)
    assert len(OTHER_WORDS) >= 90


@pytest.mark.parametrize("case", [pytest.param(case, id=case["who"]) for case in TEXTS])
def test_a_limit_is_recognised_with_its_reset(
    in_zone: Callable[[str], None], case: dict[str, str]
) -> None:
    at, text = seconds_of(case["now"]), case["text"]
    expected = (True, pytest.approx(seconds_of(case["reset"]), abs=1))

    assert usage_limit_in(f"trace\n{text}\n", "working", at) == expected
    assert usage_limit_in("", f"working\n{text}\n", at) == expected


@pytest.mark.parametrize("words", [*OTHER_WORDS, ""])
def test_other_words_are_no_limit(words: str) -> None:
    assert usage_limit_in(words, "", NOW) == (False, 0.0)
    assert usage_limit_in("", words, NOW) == (False, 0.0)


def test_what_was_said_long_before_the_end_does_not_count() -> None:
    assert usage_limit_in("", "rate limit reached\nI wait.\nDone.\n", NOW) == (False, 0.0)
