"""A state.json of the seeds with no journal beside it: adopted at the next Stop of its session, with the seeds' own answers."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.hook import (
    SESSION,
    Transcript,
    ok_format_reply,
    prompts,
    run_hook,
    says,
    session_starts,
    stop,
    stop_event,
)
from tests.support.project import Project

SEED = {  # seed 000, verbatim fields
    "spec": "make the tests pass",
    "criteria": ["tests pass", "lint clean", "no type errors"],
    "criteriaStatus": {"tests pass": False, "lint clean": True, "no type errors": False},
    "exit_signal": False,
    "steps": ["fix parser", "fix lexer"],
    "completedSteps": ["fix parser"],
    "remainingSteps": ["fix lexer"],
    "iteration": 2,
    "status": "in_progress",
    "circuitBreaker": {"stuckCount": 0, "lastUnmet": ""},
}
ALL_MET = {"tests pass": True, "lint clean": True, "no type errors": True}


class Seeded(Project):
    """A project in which a model has written state.json, in a session that began a minute ago."""

    def __init__(self, root: Path, **state: Any) -> None:
        super().__init__(root)
        self.transcript = Transcript(root.parent / "session.jsonl", time.time() - 60).assistant(
            says("hello")
        )
        self.put({**SEED, **state})

    def put(self, state: Any) -> None:
        self.write(
            {
                ".loop/state.json": state
                if isinstance(state, str)
                else json.dumps({k: v for k, v in state.items() if v != "-"})
            }
        )

    def ok(self, text: str = "hello", **fields: Any) -> dict[str, Any] | None:
        return ok_format_reply(
            self, text, **{"transcript_path": str(self.transcript.path), **fields}
        )

    def stop(self, text: str = "hello", **fields: Any):
        return stop(self, text, **{"transcript_path": str(self.transcript.path), **fields})


@pytest.fixture
def seeded(tmp_path: Path):
    return lambda **state: Seeded(tmp_path / "seeded", **state)


# --- the eight steps of the decision, in the seeds' words (A-2) ---

DECISIONS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "unmet": ({}, {"ok": False, "reason": "unmet criteria: tests pass, no type errors"}),
    "completed": ({"status": "completed"}, {"ok": True}),
    "cancelled whatever the rest": (
        {"status": "cancelled", "criteriaStatus": ALL_MET, "exit_signal": True},
        {"ok": True},
    ),
    "m7 paused": ({"status": "paused", "iteration": 999, "cost": 1000}, {"ok": True}),
    "stuck": (
        {"circuitBreaker": {"stuckCount": 5, "lastUnmet": "tests pass"}},
        {"ok": True, "reason": "circuit breaker triggered after 5 stuck iterations"},
    ),
    "all met, exit not set": (
        {"criteriaStatus": ALL_MET},
        {"ok": False, "reason": "criteria met but exit_signal not set - verify completion"},
    ),
    "success": (
        {"criteriaStatus": ALL_MET, "exit_signal": True},
        {"ok": True, "reason": "complete"},
    ),
    "m9 success although stuck": (
        {
            "criteriaStatus": ALL_MET,
            "exit_signal": True,
            "circuitBreaker": {"stuckCount": 5, "lastUnmet": "tests pass"},
        },
        {"ok": True, "reason": "complete"},
    ),
    "a-11 assumption": (
        {
            "criteria": ["a"],
            "criteriaStatus": {"a": {"met": True, "verification": "assumption"}},
            "exit_signal": True,
        },
        {
            "ok": False,
            "reason": "criterion verified by assumption only - requires actual verification",
        },
    ),
    "code review": (
        {
            "criteria": ["a"],
            "criteriaStatus": {"a": {"met": True, "verification": "code review"}},
            "exit_signal": True,
        },
        {"ok": True, "reason": "complete"},
    ),
    "m4 an object that says not met": (
        {
            "criteria": ["a"],
            "criteriaStatus": {"a": {"met": False, "verification": "observation"}},
            "exit_signal": True,
        },
        {"ok": False, "reason": "unmet criteria: a"},
    ),
    "m5 the text false": (
        {"criteria": ["a"], "criteriaStatus": {"a": "false"}, "exit_signal": True},
        {"ok": False, "reason": "unmet criteria: a"},
    ),
    "m6 no criteriaStatus": (
        {"criteria": ["a"], "criteriaStatus": "-", "exit_signal": True},
        {"ok": False, "reason": "unmet criteria: a"},
    ),
    "m6 neither criteria nor criteriaStatus": (
        {"criteria": "-", "criteriaStatus": "-", "exit_signal": True},
        {"ok": False, "reason": "unmet criteria: the spec is satisfied"},
    ),
    "m11 exit_signal yes": (
        {"criteriaStatus": ALL_MET, "exit_signal": "yes"},
        {"ok": False, "reason": "criteria met but exit_signal not set - verify completion"},
    ),
    "m11b listed but not in criteriaStatus": (
        {
            "criteria": ["tests pass", "lint clean"],
            "criteriaStatus": {"tests pass": True},
            "exit_signal": True,
        },
        {"ok": False, "reason": "unmet criteria: lint clean"},
    ),
    "m3 quotes": (
        {"criteria": ['prints "hello"'], "criteriaStatus": {'prints "hello"': False}},
        {"ok": False, "reason": 'unmet criteria: prints "hello"'},
    ),
    "empty criteriaStatus counts as not met": (
        {"criteria": ["a"], "criteriaStatus": {}, "exit_signal": True},
        {"ok": False, "reason": "unmet criteria: a"},
    ),
}


@pytest.mark.parametrize(("state", "answer"), DECISIONS.values(), ids=DECISIONS)
def test_a_2_the_seeds_decisions_with_their_exact_reasons(
    seeded, state: dict[str, Any], answer: dict[str, Any]
) -> None:
    assert seeded(**state).ok() == answer


@pytest.mark.parametrize("text", ["{", "", "[]", "not json", "null"])
def test_a_2_an_invalid_state_file(seeded, text: str) -> None:
    here = seeded()
    here.put(text)

    assert here.ok() == {"ok": True, "reason": "invalid state file"}
    assert "cannot be read and there is no journal" in here.stop().message
    assert (here.root / ".loop/state.json").read_text() == text, "it is not deleted"


def test_m7_iterations_and_cost_are_bounded(seeded) -> None:
    here = seeded(iteration=999)
    assert here.ok() == {"ok": True, "reason": "iteration limit of 10 reached"}


def test_m7_a_budget_that_is_spent_pauses(seeded) -> None:
    assert seeded(cost=1000).ok() == {
        "ok": True,
        "reason": "budget of $25 reached ($1000.00 spent)",
    }


# --- adoption ---


def test_an_adopted_loop_is_a_whole_loop_with_default_limits(seeded) -> None:
    here = seeded(maxIterations=1000, budget=5000)
    here.stop()

    assert (here.loop.limits.iterations, here.loop.limits.dollars) == (10, 25.0)
    assert here.loop.spec == "make the tests pass"
    assert [step.name for step in here.loop.completed_steps] == ["fix parser"]
    assert here.loop.spend.iterations == 2
    assert here.loop.lease.holder == SESSION
    assert here.run("status").code == 0


def test_what_was_there_is_kept_as_a_copy(seeded) -> None:
    here = seeded(notes="mine")
    before = (here.root / ".loop/state.json").read_text()
    here.stop()
    (copy,) = (here.root / ".loop/backup").iterdir()

    assert copy.read_text() == before


def test_unknown_fields_survive_the_adoption(seeded) -> None:
    here = seeded(prdPath="PRD.md")
    here.stop()

    assert here.state.get("prdPath") == "PRD.md"


def test_its_folder_becomes_private_and_ignored(seeded) -> None:
    here = seeded()
    here.stop()

    assert oct((here.root / ".loop").stat().st_mode)[-3:] == "700"
    assert here.git("status", "--porcelain") == ""


def test_crlf_and_a_byte_order_mark_are_tolerated(seeded) -> None:
    here = seeded()
    (here.root / ".loop/state.json").write_bytes(
        b"\xef\xbb\xbf" + json.dumps(SEED, indent=2).replace("\n", "\r\n").encode()
    )

    assert here.ok() == {"ok": False, "reason": "unmet criteria: tests pass, no type errors"}


def test_a_file_older_than_the_session_is_nobodys(seeded) -> None:
    here = seeded()
    os.utime(here.root / ".loop/state.json", (time.time() - 3600,) * 2)

    assert here.stop().reply is None
    assert not (here.root / ".loop/journal.jsonl").exists()


def test_a_file_that_came_with_the_repository_is_nobodys(seeded) -> None:
    here = seeded()
    here.git("add", "-f", ".loop/state.json")
    here.commit()
    os.utime(here.root / ".loop/state.json")

    assert here.stop().reply is None
    assert not (here.root / ".loop/journal.jsonl").exists()


def test_without_a_transcript_nobody_knows_when_the_session_began(seeded) -> None:
    assert seeded().stop(transcript_path="").reply is None


def test_without_a_session_it_is_nobodys(seeded) -> None:
    here = seeded()

    assert here.stop(session_id="").reply is None
    assert not (here.root / ".loop/journal.jsonl").exists()


def test_only_a_stop_adopts(seeded) -> None:
    here = seeded()
    prompts(here, "hello")
    session_starts(here)
    run_hook({**stop_event(here), "hook_event_name": "SessionEnd"})

    assert not (here.root / ".loop/journal.jsonl").exists()


def test_a_sub_agent_or_a_plan_adopts_nothing_it_could_trap(seeded) -> None:
    here = seeded()

    assert here.stop(hook_event_name="SubagentStop").reply is None
    assert not (here.root / ".loop/journal.jsonl").exists()
    assert here.stop(permission_mode="plan").prompt == ""


def test_the_mirror_of_a_loop_that_has_ended_is_not_adopted_again(seeded) -> None:
    here = seeded()
    here.stop()
    here.run("cancel", "--keep")
    here.edit_state(status="in_progress")

    assert here.stop().reply is None


@pytest.mark.parametrize(
    "state",
    [
        {"criteriaStatus": [1, 2]},
        {"criteria": {"a": 1}},
        {"steps": 7, "completedSteps": "x", "remainingSteps": None},
        {"circuitBreaker": "open"},
        {"circuitBreaker": {"stuckCount": "5"}},
        {"iteration": "2", "cost": [], "exit_signal": None},
        {"iteration": -5, "cost": -1},
        {"iteration": 1e300},
        {"criteria": [], "criteriaStatus": {}},
        {"criteria": [["nested"]], "criteriaStatus": {"a": [1]}},
        {"iteration": 10**400, "cost": 10**400},
        {"status": ["in_progress"]},
    ],
)
def test_any_types_are_adopted_without_a_crash(seeded, state: dict[str, Any]) -> None:
    here = seeded(**state)

    assert "Our own error" not in here.stop().message
    assert here.run("status").code == 0


def test_m14_stop_resume_and_cancel_look_at_the_same_file(seeded) -> None:
    here = seeded()
    here.stop()

    assert (
        "Unmet criteria: tests pass, no type errors" in session_starts(here, source="resume").prompt
    )
    assert "Completed: 2 iterations" in here.run("cancel", "--keep").out
    assert here.state["status"] == "cancelled"
    assert here.state["spec"] == "make the tests pass"
