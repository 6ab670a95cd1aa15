"""A loop that was started with 0.1.0 continues: its journal is read with today's names, and written in today's format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.core.findings import HIGH
from loopwright.core.loop import open_findings
from loopwright.core.record import KINDS, decode, kind_of
from loopwright.store import journal, upgrade
from tests.support.hook import run_hook
from tests.support.project import Project

HERE = Path(__file__).parent
SESSION = "s1"
DONE = '---LOOP_STATUS---\nEXIT_SIGNAL: true\nCRITERIA: {"done is there": true}\n---END_STATUS---'


@pytest.fixture
def old_journal_project(project: Callable[..., Project]) -> Project:
    """A project with the journal of a running loop, as 0.1.0 left it; the user has allowed it."""
    made = project()
    (made.root / ".loop").mkdir()
    recorded = (HERE / "journal-1-running.jsonl").read_bytes()
    (made.root / ".loop" / "journal.jsonl").write_bytes(recorded)
    assert made.run("allow", "--yes").code == 0
    return made


def stop(here: Project, text: str) -> object:
    return run_hook(
        {
            "hook_event_name": "Stop",
            "session_id": SESSION,
            "cwd": str(here.root),
            "last_assistant_message": text,
        }
    )


def test_it_is_shown_with_its_counters(old_journal_project: Project) -> None:
    shown = old_journal_project.run("status", "--json").json

    assert (shown["status"], shown["iterations"]) == ("running", 1)
    assert [c["name"] for c in shown["criteria"]] == ["done is there"]


def test_it_is_held_until_the_work_is_proven_and_then_ends(old_journal_project: Project) -> None:
    old_journal_project.run("continue", "--iterations=5")
    held = stop(old_journal_project, DONE)
    old_journal_project.write({"done.txt": ""})
    ended = stop(old_journal_project, DONE)

    assert "done is there" in held.prompt
    assert "SHIP" in ended.message
    assert old_journal_project.ended.verdict is not None
    assert old_journal_project.ended.verdict.proven


def test_its_first_line_of_today_carries_the_new_format(old_journal_project: Project) -> None:
    old_journal_project.run("pause")
    lines = (
        (old_journal_project.root / ".loop" / "journal.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    formats = [json.loads(line)["v"] for line in lines]

    assert formats[:3] == [1, 1, 1]
    assert set(formats[3:]) == {journal.FORMAT}


def test_what_was_done_with_0_1_0_is_listed_with_the_names_of_today(
    old_journal_project: Project,
) -> None:
    assert "CheckRoundStarted" in old_journal_project.run("journal").out


@pytest.mark.parametrize("name", sorted({*upgrade.RECORDS.values(), *upgrade.FIELDS}))
def test_every_new_name_in_the_upgrade_table_is_a_record(name: str) -> None:
    assert kind_of(name) is KINDS[name]


@pytest.mark.parametrize(("record", "fields"), upgrade.FIELDS.items())
def test_every_new_field_in_the_upgrade_table_exists(record: str, fields: dict[str, str]) -> None:
    assert set(fields.values()) <= set(kind_of(record).FIELDS)


@pytest.mark.parametrize(("record", "moves"), upgrade.MOVED_FIELDS.items())
def test_every_moved_field_is_where_the_table_says(
    record: str, moves: dict[str, tuple[str, str, str]]
) -> None:
    for holder, kind, name in moves.values():
        assert holder in kind_of(record).FIELDS
        assert name in kind_of(kind).FIELDS


def test_a_part_that_an_old_loop_does_not_name_gets_its_defaults() -> None:
    loop = decode(upgrade.upgrade({"is": "Loop", "id": "L", "spec": "x", "cause": "forbidden"}))

    assert loop.pause.cause == "must-not"
    assert loop.clock.started_at == 0.0


def test_a_finding_that_was_accepted_with_0_1_0_stays_accepted() -> None:
    loop = journal.read(str(HERE / "journal-1-accepted.jsonl")).loop

    assert [finding.rule for finding in loop.baseline.findings] == ["test-deleted"]
    assert open_findings(loop, HIGH) == ()


def test_a_check_round_that_0_1_0_left_open_is_there_to_be_finished() -> None:
    loop = journal.read(str(HERE / "journal-1-check-round.jsonl")).loop

    assert loop.check_round is not None
    assert loop.check_round.number == loop.rounds_started
