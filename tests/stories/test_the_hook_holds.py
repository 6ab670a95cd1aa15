"""The hook holds, then lets go: the real command, the real door, a real repository with a real failing test."""

import json

import pytest

from tests.support.project import Project, prompt_of

RUN_TESTS = "python3 -B -m unittest -q"
BROKEN = "def parse(text):\n    return text + '!'\n"
FIXED = "def parse(text):\n    return text\n"
TEST = """import unittest
from parse import parse

class Parse(unittest.TestCase):
    def test_it(self):
        self.assertEqual(parse("a"), "a")
"""


@pytest.fixture
def project(tmp_path):
    project = Project(tmp_path / "a project").write(parse_py=BROKEN, test_parse_py=TEST).commit()
    started = project.run("start", "make pytest green", "--check", f"tests pass={RUN_TESTS}", "--step", "fix parser", "--yes")
    assert started.code == 0, started.err
    assert "tests pass ← python3 -B -m unittest -q (failing now (exit 1))" in started.out
    return project


def claims_everything(project):
    project.edit_state(criteriaStatus={"tests pass": True}, exit_signal=True)


def test_a_false_done_is_refuted_and_the_proven_one_ends_the_loop(project):
    claims_everything(project)
    told = prompt_of(project.stop("All done."))

    assert told.splitlines()[0] == "unmet criteria: tests pass"
    assert "AssertionError: 'a!' != 'a'" in told
    assert project.state["exit_signal"] is False
    assert project.state["criteriaStatus"] == {"tests pass": False}

    # Another session gets one line on how to attach, once, and is never held.
    assert "loop attach" in project.stop("hello", session="session-b")["systemMessage"]
    assert project.stop("hello", session="session-b") is None

    project.write(parse_py=FIXED)
    claims_everything(project)
    said = project.stop("Now it is done.")["systemMessage"]

    assert said.startswith("<loop-complete>\nAll success criteria satisfied:\n- tests pass: ✓\n</loop-complete>\n╭─ 🟢 SHIP")
    assert project.state["status"] == "completed"
    assert project.run("status", "--exit-code").code == 0
    assert project.stop("and now something else") is None


def test_the_same_unmet_set_asks_for_a_change_of_approach_and_then_pauses(project):
    for number in range(1, 6):
        project.write(notes_py=f"# attempt {number}\n")
        told = prompt_of(project.stop(f"attempt {number}"))
        assert ("Change approach" in told) == (number > 3)

    project.write(notes_py="# the sixth\n")
    said = project.stop("attempt 6")["systemMessage"]

    assert said.splitlines()[0] == "[LOOP] ⏸ Paused: circuit breaker triggered after 5 stuck iterations"
    assert "`loop continue`" in said
    assert project.run("status", "--exit-code").code == 4


def test_a_person_who_deletes_state_json_pauses_the_loop_and_gets_everything_back(project):
    prompt_of(project.stop("working"))
    before = project.state
    (project.root / ".loop" / "state.json").unlink()

    assert "Paused: state.json was deleted by hand" in project.stop("still working")["systemMessage"]
    assert not (project.root / ".loop" / "state.json").exists()
    assert project.stop("still there?") is None

    assert project.run("continue").code == 0
    assert project.state == before


def test_an_agent_that_only_writes_state_json_as_the_seeds_say_is_carried_to_the_end(project):
    prompt_of(project.stop("I have read the code."))
    project.write(parse_py=FIXED)
    theirs = {  # exactly the seeds' schema, none of our fields
        "spec": "make pytest green",
        "criteria": ["tests pass"],
        "criteriaStatus": {"tests pass": True},
        "exit_signal": True,
        "steps": ["fix parser"],
        "completedSteps": ["fix parser"],
        "remainingSteps": [],
        "iteration": 7,
        "status": "completed",
        "circuitBreaker": {"stuckCount": 0, "lastUnmet": ""},
    }
    (project.root / ".loop" / "state.json").write_text(json.dumps(theirs))

    said = project.stop("Finished.")["systemMessage"]

    assert "🟢 SHIP" in said
    assert "edited where it is not the agent's" not in said
    assert project.state["status"] == "completed"
    assert project.state["iteration"] == 2


def test_a_status_block_alone_suffices(project):
    project.write(parse_py=FIXED)
    block = (
        "It was the exclamation mark.\n\n---LOOP_STATUS---\nEXIT_SIGNAL: true\n"
        'CRITERIA: {"tests pass": {"met": true, "verification": "execution output"}}\nSTUCK_COUNT: 0\n'
        "GATE: parse() appended a character\nSTEP_DONE: fix parser\nCONFIDENCE: 95%\nNEXT: none\n---END_STATUS---"
    )
    said = project.stop(block)["systemMessage"]

    assert "🟢 SHIP" in said
    assert "~95%" in said
    assert project.state["completedSteps"] == ["fix parser"]


def test_a_quoted_marker_is_ignored_and_a_marker_without_proof_goes_on(project):
    quoted = "I will end with\n```\n<loop-complete>\n```\nonce it works."
    assert "claim" not in prompt_of(project.stop(quoted)).splitlines()[0]
    refused = prompt_of(project.stop("<loop-complete>\nAll success criteria satisfied:\n</loop-complete>"))

    assert refused.splitlines()[0] == "unmet criteria: tests pass"
    assert project.run("status", "--json").json["refuted_claims"] == 1
