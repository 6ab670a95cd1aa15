"""The hook holds, then lets go: the real command, the real door, a real repository with a real failing test."""

import json

import pytest

from tests.support.hook import OTHER, SESSION, Transcript, block, says, stop

BROKEN = "def parse(text):\n    return text + '!'\n"
FIXED = "def parse(text):\n    return text\n"
TEST = """import unittest
from parse import parse

class Parse(unittest.TestCase):
    def test_it(self):
        self.assertEqual(parse("a"), "a")
"""
COMMAND = "python3 -B -m unittest -q"


@pytest.fixture
def here(project):
    here = project({"parse.py": BROKEN, "test_parse.py": TEST})
    started = here.run(
        "start",
        "make pytest green",
        "--check",
        f"tests pass={COMMAND}",
        "--step",
        "fix parser",
        "--yes",
    )
    assert started.code == 0, started.err
    assert f"tests pass ← {COMMAND} (failing now (exit 1))" in started.out
    return here


def claims_everything(here):
    here.edit_state(criteriaStatus={"tests pass": True}, exit_signal=True)


def test_a_false_done_is_refuted_and_the_proven_one_ends_the_loop(here):
    claims_everything(here)
    told = stop(here, "All done.").prompt

    assert told.splitlines()[0] == "unmet criteria: tests pass"
    assert "AssertionError: 'a!' != 'a'" in told
    assert here.state["exit_signal"] is False
    assert here.state["criteriaStatus"] == {"tests pass": False}

    # Another session gets one line on how to attach, once, and is never held.
    assert f"loop attach --session {OTHER}" in stop(here, "hello", OTHER).message
    assert stop(here, "hello", OTHER).reply is None

    here.write({"parse.py": FIXED})
    claims_everything(here)
    said = stop(here, "Now it is done.").message

    assert said.startswith(
        "<loop-complete>\nAll success criteria satisfied:\n- tests pass: ✓\n</loop-complete>\n╭─ 🟢 SHIP"
    )
    assert here.state["status"] == "completed"
    assert here.run("status", "--exit-code").code == 0
    assert stop(here, "and now something else").reply is None


def test_the_same_unmet_set_asks_for_a_change_of_approach_and_then_pauses(here):
    for number in range(1, 6):
        here.write({"notes.md": f"attempt {number}\n"})
        assert ("Change approach" in stop(here, f"attempt {number}").prompt) == (number > 3)

    here.write({"notes.md": "the sixth\n"})
    said = stop(here, "attempt 6").message

    assert (
        said.splitlines()[0]
        == "[LOOP] ⏸ Paused: circuit breaker triggered after 5 stuck iterations"
    )
    assert "`loop continue`" in said
    assert here.run("status", "--exit-code").code == 4


def test_a_person_who_deletes_state_json_pauses_the_loop_and_gets_everything_back(here):
    assert stop(here, "working").prompt
    before = here.state
    (here.root / ".loop" / "state.json").unlink()

    assert "Paused: state.json was deleted by hand" in stop(here, "still working").message
    assert not (here.root / ".loop" / "state.json").exists()
    assert stop(here, "still there?").reply is None

    assert here.run("continue").code == 0
    assert here.state == before


def test_an_agent_that_only_writes_state_json_as_the_seeds_say_is_carried_to_the_end(here):
    assert stop(here, "I have read the code.").prompt
    here.write({"parse.py": FIXED})
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
    (here.root / ".loop" / "state.json").write_text(json.dumps(theirs))

    said = stop(here, "Finished.").message

    assert "🟢 SHIP" in said
    assert "edited where it is not the agent's" not in said
    assert here.state["status"] == "completed"
    assert here.state["iteration"] == 2


def test_a_status_block_alone_suffices(here):
    here.write({"parse.py": FIXED})
    lines = ("GATE: parse() appended a character", "STEP_DONE: fix parser", "CONFIDENCE: 95%")
    said = stop(
        here,
        block({"tests pass": {"met": True, "verification": "execution output"}}, *lines, exit=True),
    ).message

    assert "🟢 SHIP" in said
    assert "~95%" in said
    assert here.state["completedSteps"] == ["fix parser"]


def test_a_quoted_marker_is_ignored_and_a_marker_without_proof_goes_on(here):
    assert stop(here, "I will end with\n```\n<loop-complete>\n```\nonce it works.").prompt
    assert here.events("DoneClaimed") == []

    refused = stop(
        here, "<loop-complete>\nAll success criteria satisfied:\n</loop-complete>"
    ).prompt

    assert refused.splitlines()[0] == "unmet criteria: tests pass"
    assert here.run("status", "--json").json["refuted_claims"] == 1


def test_whoever_deletes_the_whole_folder_is_told_once_and_gets_none_back(here):
    here.run("criteria", "add", "slow=sleep 0.2; rm -rf .loop; false")

    assert stop(here, "working").reply is None
    assert not (here.root / ".loop").exists()
    told = stop(here, "still working")
    assert (told.prompt, "Nothing is lost. Put it back: `loop restore`" in told.message) == (
        "",
        True,
    )
    assert stop(here, "still working").reply is None
    assert not (here.root / ".loop").exists()


@pytest.mark.parametrize(("cap", "pauses"), [("2", True), ("50", False), ("0", False)])
def test_answers_without_a_tool_call_are_held_up_to_the_cap_that_the_client_was_given(
    project, tmp_path, cap: str, pauses: bool
) -> None:
    here = project()
    here.start("--criterion", "docs read well", "--session", SESSION)
    talk = Transcript(tmp_path / "talk.jsonl")
    for number in (1, 2, 3):
        said = block({}, f"STEP_DONE: part {number}")
        talk.user(says("go on")).assistant(says(said), id=f"msg_{number}")
        stop(here, said, transcript_path=str(talk.path), CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=cap)

    assert (here.loop.pause.cause == "cap") == pauses
    assert here.loop.status == ("paused" if pauses else "running")
