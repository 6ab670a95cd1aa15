"""The bench of second eyes: its recorded answers refuse the wrong work, and let the right one through."""

from __future__ import annotations

import pytest
from bench.second_eyes import play_pair
from bench.strength_pairs import THIN, THOROUGH, read_pairs

from tests.sandbox.user import needs_bwrap


@pytest.mark.long
@pytest.mark.sandbox
@needs_bwrap
def test_a_pair_is_played_with_recorded_answers(monkeypatch):
    monkeypatch.delenv("LOOP_SANDBOX")  # the default
    pair = next(pair for pair in read_pairs() if pair.name == "26-dotenv")

    played = play_pair(pair, agent="", reviewer="")

    assert played.kept == 1
    assert {side: judged.is_refused for side, judged in played.judged.items()} == {
        THIN: True,
        THOROUGH: False,
    }
