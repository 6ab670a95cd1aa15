"""Old journals replay for ever: what was recorded once says the same today. (How to record: record.py.)"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.record import digest
from loopwright.store import journal
from loopwright.views import board, facts, start_screen, task_record, why

GOLDEN = sorted(Path(__file__).parent.glob("journal-*.jsonl"))


@pytest.fixture(params=GOLDEN, ids=[path.stem for path in GOLDEN])
def path(request: pytest.FixtureRequest) -> Path:
    return request.param


def expected(path: Path) -> dict[str, Any]:
    return json.loads(path.with_suffix(".facts.json").read_text(encoding="utf-8"))


def holds(today: Any, then: Any) -> None:
    """Everything that was known then is known today and says the same; new facts may have joined."""
    if isinstance(then, dict):
        for name, value in then.items():
            holds(today[name], value)
    elif isinstance(then, list):
        assert len(today) == len(then)
        for one, other in zip(today, then, strict=True):
            holds(one, other)
    else:
        assert today == then


def test_it_replays_to_the_same_loop(path: Path) -> None:
    holds(json.loads(json.dumps(facts.loop_facts(journal.read(str(path)).loop))), expected(path))


def test_it_replays_from_its_events_alone(path: Path) -> None:
    loop = None
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        for plain in entry["events"]:
            event = journal.decode_part(entry, plain)
            loop = event.loop if loop is None else event.apply(loop)
    assert loop is not None

    holds(json.loads(json.dumps(facts.loop_facts(loop))), expected(path))
    assert loop == journal.read(str(path)).loop


def test_every_beginning_of_it_can_be_read_and_shown(path: Path, tmp_path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    for end in range(1, len(lines) + 1):
        cut = tmp_path / "journal.jsonl"
        cut.write_bytes(b"".join(lines[:end]))
        loop = journal.read(str(cut)).loop
        assert board.text(loop)
        assert why.text(loop)
        assert start_screen.text(loop)
        assert task_record.task_record(loop)["id"] == loop.id


def test_its_bytes_were_not_touched_since(path: Path) -> None:
    lines = path.read_bytes().splitlines()
    links = [json.loads(line)["prev"] for line in lines]

    assert links == ["", *(digest(line) for line in lines[:-1])]
