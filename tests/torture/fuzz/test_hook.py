"""What the hook reads at a Stop: stdin, transcript, state.json, journal. It says one JSON object or nothing, and never fails."""

from __future__ import annotations

import json
import time
from pathlib import Path
from random import Random

from loopwright.agents.claude import judge, transcript
from loopwright.core.engine import advance
from loopwright.core.json_text import dumps, loads
from loopwright.core.loop import Loop
from loopwright.core.record import encode
from loopwright.core.signals import MirrorLost, Signal, TurnOver
from loopwright.importers import state_json
from loopwright.store import journal, journal_moves, mirror, mirror_edits
from loopwright.store.folder import NoLoop, UntrustedFolder
from tests.support.hook import (
    SESSION,
    Transcript,
    calls,
    event,
    returns,
    run_hook,
    says,
    stop_event,
    usage,
)
from tests.torture.conftest import Figure
from tests.torture.fuzz.conftest import (
    CHUNKS,
    LOOP,
    LoopFolders,
    allow_explained_errors,
    fuzz,
    hook_output,
)

GOLDEN, CASES = (Path(__file__).parents[2] / place for place in ("golden", "agents/claude/cases"))
WORDS = b'"hook_event_name":"UserPromptExpansion";---LOOP_STATUS---\n;<loop-complete>;"timestamp":";}\n{;"is":'.split(
    b";"
)
MIRROR = b'{"spec":"x","criteriaStatus":{"a":{"met":true}},"iteration":2,"circuitBreaker":{"stuckCount":2},"steps":["b"]}'


def a_transcript(path: Path) -> str:
    told = Transcript(path).assistant(
        says("hello"), calls("Edit", file_path="/a.py"), usage=usage(1_000, 50, 9, 40, 20)
    )
    told.user(returns("permission denied", error=True)).assistant(
        calls("Bash", "toolu_2", command="make"), id="msg_2"
    )
    told.line({"type": "queue-operation", "operation": "enqueue"}).assistant(
        says("529"), id="msg_3", isApiErrorMessage=True
    )
    said = {
        "type": "hook_non_blocking_error",
        "toolUseID": "t",
        "stdout": 'JSON ONLY: {"ok": false, "reason": "x"} so',
    }
    return str(told.line({"attachment": said}).path)


def knocks(street: LoopFolders) -> list[bytes]:
    """Everything that the client was seen to say, and what people type, at every house."""
    told, typed = (
        a_transcript(street.root / "home/told.jsonl"),
        {"command_args": "--budget=30 'x", "command_source": "plugin"},
    )
    said = [json.loads(path.read_bytes())["stdin"] for path in sorted(CASES.glob("*.json"))]
    said += [
        event("UserPromptExpansion", street.root, command_name=f"loop{name}", **typed)
        for name in ("", ":continue", ":ui")
    ]
    here = [{"cwd": str(house.root), "transcript_path": told} for house in street.projects]
    return [json.dumps({**one, **place}).encode() for place in here for one in said]


@CHUNKS
def test_whatever_comes_in_by_stdin(seeds: range, figure: Figure, tmp_path: Path) -> None:
    samples, looks = knocks(street := LoopFolders(tmp_path)), street.files()

    def trial(data: bytes, random: Random) -> bytes:
        style = random.choice(((), (), ("--format", "ok"), ("--format", "gsd"), ("--judge",)))
        try:
            out = hook_output(data, *style)
            if random.random() < 0.025:
                street.restore(looks)
                assert run_hook(data, *style).out == out.decode(), (
                    "the real process says something else"
                )
            return out
        finally:
            street.restore(looks)

    fuzz(figure, "stdin", seeds, trial, samples, WORDS)


@CHUNKS
def test_whatever_stands_in_a_transcript(seeds: range, figure: Figure, tmp_path: Path) -> None:
    path = a_transcript(tmp_path / "told.jsonl")

    def trial(data: bytes, random: Random) -> object:
        Path(path).write_bytes(data)
        assert len(transcript.wait_for_last_message(path, "hello", patience=0)) <= 20
        assert len(judge.rejected_judge_answer(path)[1]) < 2_000
        turn = transcript.read_turn_facts(
            TurnOver(time.time(), SESSION, "hello", transcript=path), LOOP
        )
        remembered(LOOP, turn)
        return state_json.session_start(path) and turn.tool_calls

    fuzz(figure, "transcript", seeds, trial, [Path(path).read_bytes()], WORDS)


def remembered(loop: Loop, signal: Signal) -> None:
    """What the core makes of it can be written down and read again."""
    move = advance(loop, signal)
    assert (
        len(mirror.render_mirror(move.loop) + dumps([*map(encode, move.events)]).encode())
        < 2_000_000
    )


@CHUNKS
def test_whatever_stands_in_state_json(seeds: range, figure: Figure, tmp_path: Path) -> None:
    folder, turn = (
        (street := LoopFolders(tmp_path)).projects[0].folder,
        TurnOver(time.time(), SESSION, "hello"),
    )
    stop = json.dumps(
        stop_event(tmp_path / "house0", transcript_path=a_transcript(tmp_path / "home/told.jsonl"))
    ).encode()
    looks = street.files()

    def trial(data: bytes, random: Random) -> bool:
        remembered(LOOP, edit := mirror_edits.read_edits(data, LOOP, turn.at))
        live = not isinstance(edit, MirrorLost) and state_json.is_live(folder, loads(data))
        if live:
            remembered(state_json.loop_from_state(loads(data), turn), turn)
        if random.random() < 0.02:  # all the way, with a journal beside it and without one
            Path(folder.mirror_path).write_bytes(data)
            Path(folder.journal_path).unlink() if random.random() < 0.5 else None
            hook_output(stop)
            street.restore(looks)
        return live

    fuzz(
        figure,
        "state.json",
        seeds,
        trial,
        [
            mirror.render_mirror(LOOP),
            mirror.render_mirror(LOOP.but(settings=LOOP.settings.but(extra_json='{"mine":[1]}'))),
            MIRROR,
        ],
        WORDS,
    )


@CHUNKS
def test_whatever_stands_in_a_journal(seeds: range, figure: Figure, tmp_path: Path) -> None:
    folder = LoopFolders(tmp_path).projects[0].folder

    def trial(data: bytes, random: Random) -> object:
        Path(folder.journal_path).write_bytes(data)
        with allow_explained_errors(journal.JournalError, UntrustedFolder, NoLoop):
            folder.read_loop()
            folder.locked().__enter__().__exit__(None, None, None)
        with allow_explained_errors(journal.JournalError, naming=folder.journal_path):
            list(journal_moves.events_by_move(folder.journal_path))
            loop = journal.read(folder.journal_path).loop
            assert isinstance(loop, Loop)
            return loop
        return None

    whole = [
        Path(folder.journal_path).read_bytes(),
        *(path.read_bytes() for path in sorted(GOLDEN.glob("*.jsonl"))),
    ]
    begun = [
        b"".join(lines.splitlines(keepends=True)[:most]) for lines in whole for most in (1, 3, 6)
    ]
    fuzz(figure, "journal", seeds, trial, begun + whole[-1:], WORDS)
