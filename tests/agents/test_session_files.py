"""What the hosts write about a session: cost, tools and last answer, from files recorded here with the version in their name."""

from __future__ import annotations

import shutil
from importlib import import_module
from pathlib import Path

import pytest

from loopwright.agents.session_log import read_session_facts
from loopwright.core.limits import Price
from loopwright.core.signals import TurnOver
from tests.support.builders import a_loop

RECORDED = {
    path.name.partition("-")[0]: path
    for path in (Path(__file__).parent / "session_files").iterdir()
}
PRICES = (Price("fake", 1, 10, 0.1, 1), Price("gemini-2.5-flash", 1, 10, 0.1, 1))
TOKENS = {"codex": (31170, 22), "gemini": (37767, 24), "qwen": (59966, 35)}


def read(host: str, path: Path, loop=None, text: str = "Done 2.") -> TurnOver:
    module = import_module(f"loopwright.agents.{host}.session_file")
    turn = TurnOver(at=0.0, session="s", text=text, transcript=str(path))
    return read_session_facts(
        turn, loop or a_loop(prices=PRICES), module.add_entry, "fake-model", module.END_MARK
    )


@pytest.mark.parametrize("host", RECORDED)
def test_a_recorded_session_tells_its_tools_and_its_last_answer(host: str) -> None:
    turn = read(host, RECORDED[host])

    assert (turn.text, turn.tool_calls) == ("Done 2.", 1)
    assert [outcome.error for outcome in turn.tool_outcomes] == [""]


@pytest.mark.parametrize("host", TOKENS)
def test_its_tokens_cost_what_our_table_says(host: str) -> None:
    into, out = TOKENS[host]
    unpriced = read(host, RECORDED[host], a_loop(prices=()))

    assert read(host, RECORDED[host]).dollars == pytest.approx((into + 10 * out) / 1e6)
    assert read(host, RECORDED[host]).unpriced == ()
    assert (unpriced.dollars, len(unpriced.unpriced)) == (0.0, 1)


def test_copilot_tells_no_dollars() -> None:
    turn = read("copilot", RECORDED["copilot"])

    assert (turn.dollars, turn.unpriced) == (0.0, ("copilot, which bills requests and not tokens",))


@pytest.mark.parametrize("host", TOKENS)
def test_what_was_counted_once_is_not_counted_again(host: str, tmp_path: Path) -> None:
    whole, growing = RECORDED[host].read_bytes(), tmp_path / "session.jsonl"
    half = whole[: whole.index(b"\n", len(whole) // 2) + 1]
    growing.write_bytes(half + b'{"torn')
    first = read(host, growing, text="")
    growing.write_bytes(whole)
    loop = a_loop(prices=PRICES)
    loop = loop.but(spend=loop.spend.but(cursors=first.cursors))
    second = read(host, growing, loop)

    assert first.dollars + second.dollars == pytest.approx(read(host, RECORDED[host]).dollars)
    assert (
        read(host, growing, loop.but(spend=loop.spend.but(cursors=second.cursors))).dollars == 0.0
    )


@pytest.mark.parametrize("host", RECORDED)
def test_garbage_changes_nothing(host: str, tmp_path: Path) -> None:
    noisy = tmp_path / "session.jsonl"
    shutil.copy(RECORDED[host], noisy)
    with noisy.open("ab") as file:
        file.write(b'\xff\xfe\n[]\n{"type":3,"data":7,"payload":[],"message":1,"tokens":-1}\n')
    assert read(host, noisy).but(transcript="", cursors=()) == read(host, RECORDED[host]).but(
        transcript="", cursors=()
    )
    assert read(host, tmp_path / "no such file").dollars == 0.0
