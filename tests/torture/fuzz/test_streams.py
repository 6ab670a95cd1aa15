"""What an agent prints while a runner listens: whatever it is, the turn comes to something that fits into the journal."""

from __future__ import annotations

from random import Random

from loopwright.agents.base import ProcessExit, TurnOutput
from loopwright.agents.registry import load_agent
from loopwright.core.engine import advance
from loopwright.core.json_text import dumps
from loopwright.core.record import encode
from loopwright.drive.runner.run_config import turn_slots
from loopwright.drive.runner.turn_result import to_signal
from tests.agents.streams import CALL, EIGHT, cases
from tests.support.night import Night
from tests.torture.conftest import Figure
from tests.torture.fuzz.conftest import CHUNKS, fuzz

MAX = 100_000
WORDS = b'"type":"result";"is_error":true;"terminal_reason":"max_turns";"type":"turn.failed";"usage":{;"message":;}\n{'.split(
    b";"
)


@CHUNKS
def test_whatever_an_agent_prints(seeds: range, figure: Figure) -> None:
    nights = {name: Night(None, name) for name in ("claude", "codex")}
    for night in nights.values():
        night.begin()

    def trial(data: bytes, random: Random) -> object:
        ending = ProcessExit(
            random.choice((0, 0, 1, 137)),
            random.choice(("", "boom")),
            random.choice(("", "", "too long")),
            EIGHT,
        )
        return sum(
            read(name, data.decode("utf-8", "replace"), ending, random.random() < 0.1)
            for name in nights
        )

    def read(name: str, text: str, ending: ProcessExit, whole: bool) -> int:
        loop, ear, heard = nights[name].loop, load_agent(name), TurnOutput()
        for line in text.splitlines(keepends=True):
            heard = ear.read(heard, line, CALL)
            assert isinstance(ear.tell(line), str)
        heard = ear.judge(heard, CALL, ending)
        if whole:  # looking for secrets takes longest
            turn = to_signal(heard, loop, EIGHT, turn_slots(loop, "/x")[0])
            written = dumps([*map(encode, advance(loop, turn).events)])
            assert len(written) < MAX, f"{len(written)} letters for the journal"
        return heard.results

    samples = [
        "".join(lines).encode() for name in ("claude", "codex") for lines in cases(name).values()
    ]
    fuzz(figure, "stream", seeds, trial, samples, WORDS)
