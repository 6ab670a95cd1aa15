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
def parser_project(project):
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


def test_a_false_done_is_refuted_and_the_proven_one_ends_the_loop(parser_project):
    claims_everything(parser_project)
    told = stop(parser_project, "All done.").prompt

    assert told.splitlines()[0] == "unmet criteria: tests pass"
    assert "AssertionError: 'a!' != 'a'" in told
    assert parser_project.state["exit_signal"] is False
    assert parser_project.state["criteriaStatus"] == {"tests pass": False}

    # Another session gets one line on how to attach, once, and is never held.
    assert f"loop attach --session {OTHER}" in stop(parser_project, "hello", OTHER).message
    assert stop(parser_project, "hello", OTHER).reply is None

    parser_project.write({"parse.py": FIXED})
    claims_everything(parser_project)
    said = stop(parser_project, "Now it is done.").message

    assert said.startswith("╭─ 🟢 SHIP")
    assert "Shown:\n  ✓ tests pass ← " in said
    assert parser_project.state["status"] == "completed"
    assert parser_project.run("status", "--exit-code").code == 0
    assert stop(parser_project, "and now something else").reply is None


def test_an_agent_that_only_writes_state_json_as_the_seeds_say_is_carried_to_the_end(
    parser_project,
):
    assert stop(parser_project, "I have read the code.").prompt
    parser_project.write({"parse.py": FIXED})
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
    (parser_project.root / ".loop" / "state.json").write_text(json.dumps(theirs))

    said = stop(parser_project, "Finished.").message

    assert "🟢 SHIP" in said
    assert "edited where it is not the agent's" not in said
    assert parser_project.state["status"] == "completed"
    assert parser_project.state["iteration"] == 2


def test_whoever_deletes_the_whole_folder_is_told_once_and_gets_none_back(parser_project):
    noted = (
        "until ls .loop/running/* 2>/dev/null; do sleep 0.05; done"  # else that makes .loop again
    )
    parser_project.run("criteria", "add", f"slow={noted}; rm -rf .loop; false")

    assert stop(parser_project, "working").reply is None
    assert not (parser_project.root / ".loop").exists()
    told = stop(parser_project, "still working")
    assert (told.prompt, "Nothing is lost. Put it back: `loop restore`" in told.message) == (
        "",
        True,
    )
    assert stop(parser_project, "still working").reply is None
    assert not (parser_project.root / ".loop").exists()


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
