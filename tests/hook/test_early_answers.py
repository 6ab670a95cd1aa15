"""A question takes an answer only after the Stop that showed it, and from a one-shot run only if its client has ended."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.support.hook import (
    SESSION,
    Answer,
    OtherClient,
    Transcript,
    block,
    event,
    run_hook,
    session_starts,
    stop,
)
from tests.support.project import Project
from tests.torture.size import every

IN_SESSION = {
    "CLAUDECODE": "1",
    "CLAUDE_CODE_SESSION_ID": SESSION,
    "CLAUDE_PID": str(os.getpid()),
}
FIVE = ("Outcome", "Scope", "Constraints", "Success", "Done")
POINTS = tuple(word for name in FIVE for word in ("--point", f"{name}: 1 (so so)"))


def types_prompt(here: Project, text: str, turn: str, **env: str) -> Answer:
    return run_hook(event("UserPromptSubmit", here, prompt=text, prompt_id=turn), **env)


@pytest.fixture
def asking_project(project) -> Project:
    """The agent has started a loop with a question, and still works in the turn `one`."""
    made = project()
    said = made.run(
        *("start", "make it tidy", "--check", "done=test -e done.txt", *POINTS), **IN_SESSION
    )
    assert said.code == 0, said.err
    assert made.loop.gate.name == "G1"
    return made


@pytest.mark.parametrize(
    "word", every(3, ["y", "yes", "go ahead", "n", "proceed without confirmation"])
)
def test_an_answer_typed_while_the_agent_works_is_none(asking_project: Project, word: str) -> None:
    said = types_prompt(asking_project, word, "one").reply

    assert said["continue"] is False, "the word does not reach the agent either"
    assert "came while the agent works" in said["stopReason"]
    assert asking_project.loop.status == "asking"

    assert "Start?" in stop(asking_project, "That is the plan.", prompt_id="one").message
    types_prompt(asking_project, word, "one")  # typed while that hook ran
    assert asking_project.loop.status == "asking"
    types_prompt(asking_project, word, "two")
    assert asking_project.loop.status == ("paused" if word == "n" else "running")


def test_other_words_typed_meanwhile_reach_the_agent_and_answer_nothing(
    asking_project: Project,
) -> None:
    assert types_prompt(asking_project, "mind the README too", "one").reply is None
    assert asking_project.loop.status == "asking"
    assert not asking_project.loop.dialogue.person_talked


def test_after_esc_no_stop_comes_and_the_question_is_shown_with_the_refusal(
    asking_project: Project,
) -> None:
    assert "Start?" in types_prompt(asking_project, "y", "two").reply["stopReason"]
    types_prompt(asking_project, "y", "three")

    assert asking_project.loop.status == "running"


def test_a_yes_typed_while_the_agent_replies_to_a_question_is_no_answer(
    asking_project: Project,
) -> None:
    stop(asking_project, "That is the plan.", prompt_id="one")
    assert "neither a yes nor a no" in types_prompt(asking_project, "what is step 2?", "two").prompt

    types_prompt(asking_project, "y", "two")
    assert asking_project.loop.status == "asking"
    stop(asking_project, "It is tidy.", prompt_id="two")
    types_prompt(asking_project, "y", "three")
    assert asking_project.loop.status == "running"


def test_what_is_typed_before_the_agents_own_question_is_shown_is_no_answer_to_it(
    project,
) -> None:
    here = project()
    here.start("--criterion", "docs read well", "--session", SESSION)
    here.run("claim", "--ask", "Tabs or spaces?", **IN_SESSION)
    assert here.loop.gate.name == "ask"

    assert types_prompt(here, "please hurry", "one").reply is None
    assert here.loop.status == "asking"
    assert "Tabs or spaces?" in stop(here, prompt_id="one").message
    assert "tabs" in types_prompt(here, "tabs", "two").prompt


def test_the_word_that_ends_the_loop_does_not_stay_in_the_input_box(project) -> None:
    here = project()
    said = here.run(
        *("start", "make it tidy", "--check", "done=test -e done.txt", "--room", "off"),
        *("--session", SESSION, "--shape", "colleague"),
    )
    assert said.code == 0, said.err
    types_prompt(here, "y", "one")
    here.write({"done.txt": "x\n"})
    assert "Confirm done?" in stop(here, block({"done": True}, exit=True)).message

    said = types_prompt(here, "y", "two").reply

    assert list(said) == ["continue", "stopReason"], "`decision: block` would leave the word there"
    assert "SHIP" in said["stopReason"]


# --- /compact ---


def test_after_a_compaction_the_next_prompt_explains_the_status_block_again(project) -> None:
    here = project()
    here.start("--criterion", "docs read well", "--session", SESSION)
    explained = "---END_STATUS---"
    assert explained not in stop(here, prompt_id="one").prompt

    types_prompt(here, "what is this?", "two")  # after Esc
    assert here.loop.waits_for_person
    session_starts(here, source="compact")
    assert explained in types_prompt(here, "continue", "three").prompt


# --- claude -p "y" --resume ID ---


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux shows what a client was started with"
)
@pytest.mark.parametrize(
    ("ended", "markers", "status"),
    every(
        2,
        [
            pytest.param(True, {}, "running", id="the client has ended"),
            pytest.param(False, {}, "asking", id="it still runs"),
            pytest.param(True, {"CLAUDECODE": "1"}, "asking", id="an agent started the run"),
            pytest.param(True, {"AI_AGENT": "x"}, "asking", id="another agent did"),
        ],
    ),
)
def test_a_one_shot_run_answers_when_the_client_with_the_question_has_ended(
    project, tmp_path: Path, ended: bool, markers: dict[str, str], status: str
) -> None:
    here: Project = project()
    first = OtherClient()
    said = here.run(
        *("start", "make it tidy", "--check", "done=test -e done.txt", *POINTS),
        **{**IN_SESSION, "CLAUDE_PID": first.pid},
    )
    assert said.code == 0, said.err
    stop(here, "That is the plan.", CLAUDE_PID=first.pid, prompt_id="one")
    if ended:
        first.end()
    log = Transcript(tmp_path / "log.jsonl")
    log.line({"type": "queue-operation", "operation": "enqueue", "content": "y"})
    one_shot = OtherClient(**markers)
    asked = event(
        "UserPromptSubmit", here, prompt="y", prompt_id="two", transcript_path=str(log.path)
    )
    env = {"CLAUDE_PID": one_shot.pid, "CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}
    env["CLAUDE_CODE_SESSION_ATTENDED"] = "0"

    said = run_hook(asked, **env)

    assert here.loop.status == status, json.dumps(said.reply)
    one_shot.end()
    if not ended:
        first.end()
