"""Every event that may knock: who is held, who is let go, who is told what, and how often."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.session.client_events import asks_to_continue
from tests.support.hook import (
    OTHER,
    SESSION,
    OtherClient,
    Transcript,
    block,
    event,
    prompts,
    run_hook,
    says,
    session_starts,
    stop,
    types,
    usage,
)
from tests.support.project import Project
from tests.torture.size import every

NAME = "docs read well"


@pytest.fixture
def two_step_session(project) -> Project:
    made = project()
    made.start("--criterion", NAME, "--step", "write", "--step", "read", "--session", SESSION)
    return made


@pytest.fixture
def unbound(project) -> Project:
    made = project()
    made.start("--criterion", NAME)
    return made


# --- Stop ---


def test_m1_the_hook_really_holds_the_loop(two_step_session: Project) -> None:
    """Not by {"ok": false}, which a command hook ignores: by a form that the client honours."""
    said = stop(two_step_session).reply

    assert said is not None
    assert set(said) == {"decision", "reason", "systemMessage"}
    assert said["decision"] == "block"
    assert said["reason"].splitlines()[0] == f"unmet criteria: {NAME}"


def test_a_client_that_takes_additional_context_gets_it(
    two_step_session: Project, tmp_path
) -> None:
    transcript = Transcript(tmp_path / "t.jsonl").assistant(says("hello there"))
    said = stop(two_step_session, "hello there", transcript_path=str(transcript.path)).reply

    assert said is not None
    assert set(said) == {"hookSpecificOutput", "systemMessage"}
    assert said["hookSpecificOutput"]["hookEventName"] == "Stop"
    assert said["hookSpecificOutput"]["additionalContext"].startswith("unmet criteria")


def test_m8_no_other_program_is_needed(project) -> None:
    here: Project = project()
    words = ("start", "fix all failing tests", "--criterion", NAME, "--session", SESSION, "--yes")
    assert here.run(*words, PATH="/nonexistent").code == 0

    assert stop(here, PATH="/nonexistent").prompt.startswith("unmet criteria")


def test_a_git_that_is_gone_since_the_start_pauses_and_is_named(two_step_session: Project) -> None:
    said = stop(two_step_session, PATH="/nonexistent")

    assert (said.prompt, two_step_session.loop.status) == ("", "paused")
    assert "git is not installed" in said.message


def test_m15_a_hook_that_is_active_already_goes_on_holding(two_step_session: Project) -> None:
    for _ in range(3):
        two_step_session.write({"notes.md": str(time.time_ns())})
        assert stop(two_step_session, stop_hook_active=True).prompt


def test_a_15_done_is_told_once_and_never_by_blocking(two_step_session: Project) -> None:
    done = block({NAME: {"met": True, "verification": "observation"}}, exit=True)
    said = stop(two_step_session, done).reply

    assert said is not None
    assert set(said) == {"systemMessage"}
    assert said["systemMessage"].startswith("╭─ 🟡 MONITOR")
    assert "reported by the agent, not run" in said["systemMessage"]
    assert stop(two_step_session, done).reply is None
    assert two_step_session.ended.status == "finished"


LET_GO: dict[str, dict[str, Any]] = {
    "plan mode": {"permission_mode": "plan"},
    "a background task": {
        "background_tasks": [{"id": "aae1", "type": "subagent", "status": "running"}]
    },
    "a wake-up": {
        "session_crons": [
            {"id": "e600", "schedule": "30 0 * * *", "recurring": False, "prompt": "/loop x"}
        ]
    },
    "a sub-agent": {
        "hook_event_name": "SubagentStop",
        "agent_id": "a861",
        "agent_type": "general-purpose",
    },
    "an empty session id": {"session_id": ""},
    "no session id": {"session_id": None},
    "a session id of the wrong type": {"session_id": ["718ac93d"]},
}


@pytest.mark.parametrize("fields", every(2, [*LET_GO.values()]), ids=every(2, [*LET_GO]))
def test_let_go_in_silence_and_counted_nowhere(
    two_step_session: Project, fields: dict[str, Any]
) -> None:
    before = two_step_session.loop

    assert stop(two_step_session, **fields).reply is None
    assert two_step_session.loop == before


@pytest.mark.parametrize("fields", every(2, [*LET_GO.values()]), ids=every(2, [*LET_GO]))
def test_an_unbound_loop_is_bound_by_none_of_these(
    unbound: Project, fields: dict[str, Any]
) -> None:
    if not fields.keys() & {"permission_mode", "background_tasks", "session_crons"}:
        stop(unbound, **fields)
        assert unbound.loop.lease.holder == ""
    else:
        assert stop(unbound, **fields).prompt == ""


def test_paused_and_asking_are_let_go(two_step_session: Project) -> None:
    assert (
        "⏸ Paused" in stop(two_step_session, block({}, "BLOCKED: no access to the printer")).message
    )
    assert stop(two_step_session).reply is None
    two_step_session.run("continue")
    assert "Which printer?" in stop(two_step_session, block({}, "ASK: Which printer?")).message
    assert stop(two_step_session).prompt == ""
    assert two_step_session.loop.status == "asking"


# --- sessions ---


def test_x_3_a_foreign_session_is_told_once_and_never_held(two_step_session: Project) -> None:
    said = stop(two_step_session, session=OTHER)

    assert "driven by another session" in said.message
    assert "`loop attach" in said.message
    assert said.prompt == ""
    assert stop(two_step_session, session=OTHER).reply is None
    assert session_starts(two_step_session, OTHER).reply is None
    assert two_step_session.loop.spend.iterations == 0
    assert stop(two_step_session).prompt, "the owner is held as before"


def test_the_first_stop_binds_an_unbound_loop(unbound: Project) -> None:
    assert stop(unbound, session=OTHER).prompt.startswith("unmet criteria")
    assert unbound.loop.lease.holder == OTHER
    assert "driven by another session" in stop(unbound).message


def test_the_first_prompt_binds_an_unbound_loop_and_opens_it(unbound: Project) -> None:
    told = prompts(unbound, "let us begin", CLAUDE_PID=str(os.getpid())).prompt

    assert told.startswith(
        "[LOOP] Starting | Shape: Tool (9/10) | Workflow: B | Steps: 4 | Budget: $25"
    )
    assert "---LOOP_STATUS---" in told
    assert (unbound.loop.lease.holder, unbound.loop.lease.pid) == (SESSION, os.getpid())


def test_neither_a_session_start_nor_a_tool_binds_it(unbound: Project) -> None:
    assert "your next prompt here drives it" in session_starts(unbound).message
    run_hook(event("PreToolUse", unbound, tool_name="Bash"))
    run_hook(event("PostToolUse", unbound, tool_name="Bash"))

    assert unbound.loop.lease.holder == ""


def test_a_machine_prompt_binds_nothing_and_answers_nothing(
    unbound: Project, two_step_session: Project
) -> None:
    notification = "<task-notification>\n<task-id>7</task-id>done</task-notification>"
    assert prompts(unbound, notification).reply is None
    assert unbound.loop.lease.holder == ""

    stop(two_step_session, block({}, "ASK: Which one?"))
    assert prompts(two_step_session, notification).reply is None
    assert two_step_session.loop.status == "asking"


def test_a_4_m13_a_session_that_comes_back_gets_the_five_lines_as_context(
    two_step_session: Project,
) -> None:
    stop(two_step_session, block({NAME: False}, "STEP_DONE: write"))
    said = session_starts(two_step_session, source="resume").reply

    assert said is not None
    assert set(said["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
    assert said["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert said["hookSpecificOutput"]["additionalContext"].splitlines()[:5] == [
        "[LOOP RESUME] Active loop detected",
        "Spec: fix all failing tests in readme.md",
        "Progress: 1/2 steps | Iteration: 2",
        f"Unmet criteria: {NAME}",
        "Next: read",
    ]


@pytest.mark.parametrize("source", ["startup", "resume", "compact"])
def test_the_announcement_is_for_the_owner_only(two_step_session: Project, source: str) -> None:
    assert session_starts(two_step_session, SESSION, source).prompt.startswith("[LOOP RESUME]")
    assert session_starts(two_step_session, OTHER, source).prompt == ""


def test_clear_follows_the_client_by_its_pid(unbound: Project) -> None:
    client = str(os.getpid())
    prompts(unbound, "begin", CLAUDE_PID=client)
    assert session_starts(unbound, OTHER, "clear", CLAUDE_PID="4243").prompt == ""
    assert unbound.loop.lease.holder == SESSION

    assert session_starts(unbound, OTHER, "clear", CLAUDE_PID=client).prompt.startswith(
        "[LOOP RESUME]"
    )
    assert unbound.loop.lease.holder == OTHER
    assert stop(unbound, session=OTHER).prompt
    assert stop(unbound, session=SESSION).prompt == ""


def test_clear_follows_also_when_the_loop_was_started_inside_the_session(
    two_step_session: Project,
) -> None:
    stop(two_step_session, CLAUDE_PID=str(os.getpid()))

    assert session_starts(
        two_step_session, OTHER, "clear", CLAUDE_PID=str(os.getpid())
    ).prompt.startswith("[LOOP RESUME]")


def test_a_fork_stays_with_the_original(unbound: Project) -> None:
    client = str(os.getpid())
    prompts(unbound, "begin", CLAUDE_PID=client)
    session_starts(unbound, OTHER, "fork", CLAUDE_PID=client)

    assert unbound.loop.lease.holder == SESSION


def test_the_end_of_a_session_is_journaled_and_the_loop_stays(two_step_session: Project) -> None:
    assert run_hook(event("SessionEnd", two_step_session, reason="other")).reply is None
    assert run_hook(event("SessionEnd", two_step_session, OTHER, reason="other")).reply is None

    assert len(two_step_session.events("SessionEnded")) == 1
    assert two_step_session.loop.status == "running"
    assert "driven by a session, ended just now" in two_step_session.run("status").out


def test_a_compaction_is_journaled_and_the_session_is_told_again(two_step_session: Project) -> None:
    assert (
        run_hook(
            event("PreCompact", two_step_session, trigger="auto", custom_instructions=None)
        ).reply
        is None
    )
    assert len(two_step_session.events("ContextCompacted")) == 1
    assert session_starts(two_step_session, source="compact").prompt.startswith("[LOOP RESUME]")


FAILURES = [
    ("overloaded", "API Error: 529 overloaded", ["running", "paused"]),
    ("authentication_failed", "API Error: 401 invalid api key", ["paused"]),
    ("unknown", "API Error: 400 scripted bad", ["paused"]),
]


@pytest.mark.parametrize(("error", "text", "statuses"), FAILURES, ids=[row[0] for row in FAILURES])
def test_a_18_an_api_failure_is_no_iteration_and_pauses_by_its_class(
    two_step_session: Project, error: str, text: str, statuses: list[str]
) -> None:
    for status in statuses:
        assert (
            run_hook(
                event("StopFailure", two_step_session, error=error, last_assistant_message=text)
            ).prompt
            == ""
        )
        assert two_step_session.loop.status == status
    assert two_step_session.loop.spend.iterations == 0


# --- what a person says ---


def test_a_9_a_prompt_answers_the_gates(project) -> None:
    here = project()
    said = here.run(
        "start",
        "add a --json flag to readme.md",
        "--criterion",
        NAME,
        "--shape",
        "colleague",
        "--session",
        SESSION,
    )
    assert said.code == 0, said.err
    assert here.loop.gate
    assert prompts(here, "/help").prompt == ""
    assert here.loop.status == "asking", "a slash command is no answer"

    talk = prompts(here, "what does the first step do?").prompt
    assert "neither a yes nor a no" in talk
    asked = stop(here, "It reads the code.")
    assert (asked.prompt, here.loop.status) == ("", "asking")
    assert asked.message.endswith(
        "Start? y = start · n = not now · anything else: I answer first and ask again"
    )
    assert "Spec scoring" not in asked.message, "the start screen is shown once"

    assert "The person says: yes, mind the tests" in prompts(here, "yes, mind the tests").prompt
    assert here.loop.status == "running"

    step = here.loop.steps[0].name
    assert (
        f"Step {step} complete. Continue?"
        in stop(here, block({NAME: False}, f"STEP_DONE: {step}")).message
    )
    assert prompts(here, "yes").prompt

    done = block({NAME: {"met": True, "verification": "observation"}}, exit=True)
    question = f'The agent says "{NAME}". No command has run. Accept its word? y = done'
    assert question in stop(here, done).message
    said = prompts(here, "yes")
    assert said.reply["continue"] is False, "no model call"
    assert "accepted by you, no command has run" in said.reply["stopReason"]
    assert here.ended.verdict is not None
    assert here.ended.verdict.grade == "accepted", "the person took the agent's word for it"


def test_a_9_no_pauses_at_the_first_gate(project) -> None:
    here = project()
    here.run(
        "start",
        "add a --json flag to readme.md",
        "--criterion",
        NAME,
        "--shape",
        "colleague",
        "--session",
        SESSION,
    )

    said = prompts(here, "No.")
    assert said.reply["continue"] is False, "no model call"
    assert "⏸ Paused: you answered no" in said.reply["stopReason"]


def test_a_9_the_phrase_ends_all_gates(project) -> None:
    here = project()
    here.run(
        "start",
        "add a --json flag to readme.md",
        "--criterion",
        NAME,
        "--shape",
        "colleague",
        "--session",
        SESSION,
    )
    prompts(here, "Proceed without confirmation")

    assert stop(here, block({NAME: False}, f"STEP_DONE: {here.loop.steps[0].name}")).prompt
    done = block({NAME: {"met": True, "verification": "observation"}}, exit=True)
    assert "╭─ 🟡 MONITOR" in stop(here, done).message


def test_a_message_typed_while_the_agent_works_is_not_esc(two_step_session: Project) -> None:
    """The client gives it the id of the turn that is under way; after Esc a prompt has a new one."""
    stop(two_step_session, prompt_id="turn-1")
    queued = event(
        "UserPromptSubmit", two_step_session, prompt="mind the README", prompt_id="turn-1"
    )
    assert run_hook(queued).reply is None, "nothing is said, the agent simply gets the message"
    assert stop(two_step_session, prompt_id="turn-1").prompt, "held as before"
    after_esc = event(
        "UserPromptSubmit", two_step_session, prompt="what is 2+2?", prompt_id="turn-2"
    )
    assert "Your turn: the loop waits" in run_hook(after_esc).message

    spoken = two_step_session.events("PersonSpoke")
    assert [told.get("takes_turn", False) for told in spoken] == [False, True]
    assert not stop(two_step_session, prompt_id="turn-2").prompt, "not held"


def test_a_message_typed_in_the_turn_that_a_command_began_is_not_esc(
    two_step_session: Project,
) -> None:
    stop(two_step_session, prompt_id="turn-1")
    two_step_session.run("pause")
    types(two_step_session, "/loop:continue")
    command = event(
        "UserPromptSubmit", two_step_session, prompt="/loop:continue", prompt_id="turn-2"
    )
    assert run_hook(command).reply is None
    queued = event(
        "UserPromptSubmit", two_step_session, prompt="mind the README", prompt_id="turn-2"
    )
    assert run_hook(queued).reply is None

    assert not two_step_session.loop.waits_for_person


def test_esc_is_known_when_the_person_speaks_although_we_held_on(two_step_session: Project) -> None:
    stop(two_step_session)
    prompts(two_step_session, "wait, not like that")
    prompts(two_step_session, "like this")

    assert [told.get("interrupted", False) for told in two_step_session.events("PersonSpoke")] == [
        True,
        False,
    ]


# --- slash commands ---


def test_status_and_why_are_answered_without_a_model_call(two_step_session: Project) -> None:
    stop(two_step_session)
    for line, words in (
        ("/loop:status", "running"),
        ("/loop:why", f"running: unmet criteria: {NAME}"),
    ):
        said = types(two_step_session, line).reply
        assert said is not None
        assert set(said) == {"decision", "reason"}
        assert said["decision"] == "block"
        assert words in said["reason"]


def test_pause_continue_and_cancel_are_carried_out(two_step_session: Project) -> None:
    assert "⏸ Paused: back soon" in types(two_step_session, "/loop:pause back soon").reply["reason"]
    assert two_step_session.loop.status == "paused"

    said = types(two_step_session, "/loop:continue --budget=25").reply
    assert said["hookSpecificOutput"]["hookEventName"] == "UserPromptExpansion"
    assert "unmet criteria" in said["hookSpecificOutput"]["additionalContext"]
    assert "$0.00/$50" in said["systemMessage"]
    assert two_step_session.loop.limits.dollars == 50

    assert (
        types(two_step_session, "/loop:cancel")
        .reply["reason"]
        .startswith("Loop cancelled.\nCompleted: 0 iterations, $0.00 cost")
    )
    assert two_step_session.ended.status == "cancelled"
    assert not (two_step_session.root / ".loop/state.json").exists()


def test_an_answer_is_heard(two_step_session: Project) -> None:
    stop(two_step_session, block({}, "ASK: Which printer?"))
    said = types(two_step_session, "/loop:answer the big one").reply

    assert "The person says: the big one" in said["hookSpecificOutput"]["additionalContext"]
    assert two_step_session.loop.status == "running"


def test_attach_takes_over_on_a_yes(two_step_session: Project) -> None:
    stop(two_step_session)
    assert (
        "another session drove this loop just now"
        in types(two_step_session, "/loop:attach", OTHER).reply["reason"]
    )
    assert two_step_session.loop.lease.holder == SESSION

    types(two_step_session, "/loop:attach --yes", OTHER)
    assert two_step_session.loop.lease.holder == OTHER
    assert two_step_session.loop.lease.fence == 2


def test_a_foreign_session_may_look_and_pause_and_nothing_else(two_step_session: Project) -> None:
    for line in ("/loop:cancel", "/loop:continue --budget=25", "/loop:answer yes"):
        assert (
            "Another session drives this loop"
            in types(two_step_session, line, OTHER).reply["reason"]
        )
    assert two_step_session.loop.status == "running"
    assert two_step_session.loop.limits.dollars == 25

    assert (
        "driven by another session"
        in types(two_step_session, "/loop:status", OTHER).reply["reason"]
    )
    assert "driven by this session" in types(two_step_session, "/loop:status").reply["reason"]
    assert SESSION not in types(two_step_session, "/loop:status", OTHER).reply["reason"]
    assert "running: unmet criteria" in types(two_step_session, "/loop:why", OTHER).reply["reason"]
    assert "⏸ Paused: lunch" in types(two_step_session, "/loop:pause lunch", OTHER).reply["reason"]
    assert two_step_session.loop.status == "paused"
    assert (two_step_session.root / ".loop/halt").exists(), (
        "the session that drives it halts at its next tool"
    )


def test_after_the_end_status_and_why_show_the_last_loop(two_step_session: Project) -> None:
    assert two_step_session.run("cancel").code == 0

    (two_step_session.root / "below").mkdir()
    for folder in (two_step_session.root, two_step_session.root / "below"):
        typed = event(
            "UserPromptExpansion",
            folder,
            expansion_type="slash_command",
            command_name="loop:status",
            command_args="",
            command_source="plugin",
            prompt="/loop:status",
        )
        assert run_hook(typed).reply["reason"].startswith("✗ cancelled")
    assert types(two_step_session, "/loop:why").reply["reason"].startswith("cancelled")
    assert "No loop here" in types(two_step_session, "/loop:pause").reply["reason"]
    assert two_step_session.run("status").out.startswith("✗ cancelled")


# --- whose turn it is ---


def test_after_esc_an_unrelated_question_is_neither_held_nor_counted(
    two_step_session: Project,
) -> None:
    assert stop(two_step_session).prompt
    before = two_step_session.loop.spend

    asked = prompts(two_step_session, "what is 2+2?")
    assert asked.message.startswith("[LOOP] Your turn: the loop waits")
    assert "taken the turn" in asked.prompt, "the agent does not work on the loop meanwhile"
    assert stop(two_step_session, "It is 4.").reply is None
    assert prompts(two_step_session, "and 3+3?").message == "", "said once"
    assert stop(two_step_session, "It is 6.").reply is None
    spent = two_step_session.loop.spend.but(seconds=before.seconds)
    assert (two_step_session.loop.status, spent) == ("running", before)
    status = two_step_session.run("status").out
    assert "waits for you" in status
    assert "next: `loop continue`, or begin a prompt with" in status
    assert two_step_session.run("status", "--json").json["waits_for_person"] is True

    assert prompts(two_step_session, "Continue, and mind the tests").prompt.startswith(
        "unmet criteria"
    )
    assert stop(two_step_session).prompt
    assert two_step_session.loop.spend.iterations == before.iterations + 1
    assert "waits for you" not in two_step_session.run("status").out


def test_esc_in_the_first_turn_is_known_too(unbound: Project) -> None:
    assert prompts(unbound, "begin").prompt

    assert prompts(unbound, "what is this?").message.startswith("[LOOP] Your turn")
    assert stop(unbound, "A project.").reply is None


@pytest.mark.parametrize("line", ["/loop:continue", ""])
def test_after_esc_the_order_continue_gives_the_turn_back(
    two_step_session: Project, line: str
) -> None:
    stop(two_step_session)
    prompts(two_step_session, "what is 2+2?")
    stop(two_step_session, "4")

    if line:
        assert types(two_step_session, line).prompt.startswith("unmet criteria")
        prompts(two_step_session, line)  # the client reports the typed line as a prompt too
    else:
        assert "continues with the next prompt" in two_step_session.run("continue").out
        assert prompts(two_step_session, "hello").prompt.startswith("unmet criteria")
    assert stop(two_step_session).prompt
    assert two_step_session.loop.spend.iterations == 2


WORDS = {
    "continue": True,
    "Go on.": True,
    "proceed with step 2": True,
    "resume please": True,
    "carry on": True,
    "keep going!": True,
    "continued fractions: what are they?": False,
    "should we go on?": False,
    "goon": False,
    "no": False,
}


@pytest.mark.parametrize("text", WORDS)
def test_a_word_at_the_beginning_gives_the_turn_back(text: str) -> None:
    assert asks_to_continue(text) is WORDS[text]


def test_what_the_person_asks_costs_the_loop_nothing(
    two_step_session: Project, tmp_path: Path
) -> None:
    transcript = Transcript(tmp_path / "session.jsonl")
    transcript.assistant(says("one"), id="m1", usage=usage(out=1_000))
    stop(two_step_session, "one", transcript_path=str(transcript.path))
    spent = two_step_session.loop.spend.dollars
    transcript.assistant(says("interrupted"), id="m2", usage=usage(out=1_000))
    time.sleep(0.01)
    prompts(two_step_session, "what is 2+2?")
    transcript.assistant(says("4"), id="m3", usage=usage(out=50_000), at=time.time())
    assert stop(two_step_session, "4", transcript_path=str(transcript.path)).reply is None

    assert two_step_session.loop.spend.dollars == pytest.approx(2 * spent), (
        "the interrupted part only"
    )
    assert two_step_session.loop.spend.iterations == 1


def test_a_stop_in_plan_mode_is_no_esc(two_step_session: Project) -> None:
    assert stop(two_step_session).prompt
    assert stop(two_step_session, permission_mode="plan").reply is None

    assert prompts(two_step_session, "build it").message == ""
    assert stop(two_step_session).prompt


ONE_SHOT = [
    {"CLAUDE_CODE_SESSION_ATTENDED": "0"},
    {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"},
    {"CLAUDE_CODE_ENTRYPOINT": "sdk-py"},
]


@pytest.mark.parametrize("env", ONE_SHOT, ids=lambda env: next(iter(env.values())))
def test_a_one_shot_run_takes_no_free_loop(unbound: Project, env: dict[str, str]) -> None:
    assert session_starts(unbound, **env).reply is None
    assert prompts(unbound, "what is 2+2?", **env).reply is None
    assert stop(unbound, "4", **env).reply is None
    assert (unbound.loop.lease.holder, unbound.loop.spend.iterations) == ("", 0)

    assert "drives the loop" in prompts(unbound, "begin", **env, LOOP_SESSION=SESSION).message
    assert stop(unbound, **env).prompt, "a one-shot run that holds the loop is held"


def test_any_one_shot_run_may_take_it_where_the_person_says_so(unbound: Project) -> None:
    assert stop(unbound, **ONE_SHOT[0], LOOP_SESSION="*").prompt
    assert unbound.loop.lease.holder == SESSION


def test_whoever_takes_a_free_loop_is_told_at_once(unbound: Project, project: Any) -> None:
    said = prompts(unbound, "begin", CLAUDE_CODE_SESSION_ATTENDED="1")
    assert said.message.startswith("[LOOP] This session now drives the loop of this folder")
    assert "This session now drives" not in stop(unbound).message


def test_the_lease_of_a_dead_client_is_free_at_once(unbound: Project) -> None:
    client = OtherClient()
    prompts(unbound, "begin", CLAUDE_PID=client.pid)
    stop(unbound, CLAUDE_PID=client.pid)
    assert "Add --yes" in types(unbound, "/loop:attach", OTHER).reply["reason"]
    client.end()

    assert types(unbound, "/loop:attach", OTHER).prompt
    assert unbound.loop.lease.holder == OTHER


def test_a_prompt_takes_the_lease_of_a_dead_client(unbound: Project) -> None:
    client = OtherClient()
    prompts(unbound, "begin", CLAUDE_PID=client.pid)
    client.end()

    assert "your next prompt here drives it" in session_starts(unbound, OTHER).message
    assert prompts(unbound, "what now?", OTHER, CLAUDE_CODE_SESSION_ATTENDED="0").reply is None
    assert "This session now drives" in prompts(unbound, "go", OTHER).message
    assert unbound.loop.lease.holder == OTHER


def test_what_is_wrong_is_said_and_nothing_is_loosened(two_step_session: Project) -> None:
    for line, says_so in [
        ("/loop:continue --budget=lots", "--budget takes a number, not 'lots'"),
        ("/loop:continue --budget=-5", "--budget takes a number above 0"),
        ("/loop:continue --bugdet=5", "unknown word '--bugdet'"),
        ("/loop:continue --budget=500", "above $100. Add --yes if you mean it"),
        ("/loop:continue --iterations=99", "above 50. Add --yes"),
        ("/loop:answer yes", "the loop has asked nothing"),
        ("/loop:pause it's fine", "⏸ Paused: it's fine"),
    ]:
        assert says_so in types(two_step_session, line).reply["reason"]
        assert (two_step_session.loop.limits.dollars, two_step_session.loop.limits.iterations) == (
            25,
            10,
        )


def test_what_is_not_ours_passes(two_step_session: Project) -> None:
    for line in ["/other:status", "/loop:start fix it", "/loopy:cancel", "/loop", "/cancel"]:
        assert types(two_step_session, line).reply is None
        assert two_step_session.loop.status == "running"


def test_hints_are_spelled_for_the_plugin_when_it_speaks(two_step_session: Project) -> None:
    said = stop(two_step_session, session=OTHER, CLAUDE_PLUGIN_ROOT="/plugins/loop").message
    assert "`/loop:attach" in said

    two_step_session.run("pause")
    assert (
        "Resume: `/loop:continue`"
        in session_starts(two_step_session, CLAUDE_PLUGIN_ROOT="/plugins/loop").message
    )
    assert "Resume: `loop continue`" in session_starts(two_step_session).message


# --- the seeds' own schemas ---


def test_format_ok_is_the_literal_answer_of_seeds_000_to_002(two_step_session: Project) -> None:
    assert stop(two_step_session, "", SESSION, "--format", "ok").reply == {
        "ok": False,
        "reason": f"unmet criteria: {NAME}",
    }
    assert stop(two_step_session, block({NAME: True}), SESSION, "--format", "ok").reply == {
        "ok": False,
        "reason": "criteria met but exit_signal not set - verify completion",
    }
    assumed = block({NAME: {"met": True, "verification": "assumption"}}, exit=True)
    assert stop(two_step_session, assumed, SESSION, "--format", "ok").reply == {
        "ok": False,
        "reason": "criterion verified by assumption only - requires actual verification",
    }
    done = block({NAME: {"met": True, "verification": "observation"}}, exit=True)
    assert stop(two_step_session, done, SESSION, "--format", "ok").reply == {
        "ok": True,
        "reason": "complete",
    }
    assert stop(two_step_session, done, SESSION, "--format", "ok").reply == {"ok": True}


def test_format_gsd_is_the_literal_answer_of_seed_003(two_step_session: Project) -> None:
    said = stop(two_step_session, "", SESSION, "--format", "gsd").reply
    assert said is not None
    assert set(said) == {"decision", "prompt"}
    assert said["decision"] == "block"
    assert said["prompt"].startswith("unmet criteria")

    two_step_session.run("pause")
    assert stop(two_step_session, "", SESSION, "--format", "gsd").reply == {"decision": "allow"}


def test_format_ok_where_no_loop_is(project) -> None:
    assert stop(project(), "", SESSION, "--format", "ok").reply == {"ok": True}
    assert stop(project(), "", SESSION, "--format", "gsd").reply == {"decision": "allow"}


def test_m17_seed_001_sends_its_input_in_a_variable(two_step_session: Project) -> None:
    given = json.dumps(
        {"session_id": SESSION, "cwd": str(two_step_session.root), "hook_event_name": "Stop"}
    )

    assert run_hook(b"", "--format", "ok", ARGUMENTS=given).reply == {
        "ok": False,
        "reason": f"unmet criteria: {NAME}",
    }


def test_a_failure_that_ended_the_session_is_heard_at_its_end_and_only_once(
    project, tmp_path: Path
) -> None:
    """The client may be gone before its own event for the failure is heard; its last words in the transcript tell."""
    here = project()
    here.start("--criterion", "x", "--session", SESSION)
    told = Transcript(tmp_path / "t.jsonl")
    told.assistant(says("API Error: 400 bad"), id="e", model="<synthetic>", isApiErrorMessage=True)

    run_hook(event("SessionEnd", here, transcript_path=str(told.path), reason="other"))

    assert (here.loop.status, here.loop.pause.cause, here.loop.spend.iterations) == (
        "paused",
        "trouble",
        0,
    )
    assert "API Error: 400" in here.loop.pause.why
    assert here.events()[-1]["is"] == "SessionEnded"

    here.run("continue")
    text = "API Error: 400 bad"
    failure = event(
        "StopFailure",
        here,
        transcript_path=str(told.path),
        error="unknown",
        last_assistant_message=text,
    )
    run_hook(failure)
    assert here.loop.status == "running", "late, and heard already"
    prompts(here, "go on")
    run_hook(failure)
    assert here.loop.status == "paused", "the session is there again, and failed again"


def test_a_session_that_ends_well_ends_nothing_else(project, tmp_path: Path) -> None:
    here = project()
    here.start("--criterion", "x", "--session", SESSION)
    told = Transcript(tmp_path / "t.jsonl")
    told.assistant(says("Good night."), id="g")

    run_hook(event("SessionEnd", here, transcript_path=str(told.path), reason="other"))

    assert here.loop.status == "running"
    assert [found["is"] for found in here.events()][-1] == "SessionEnded"


# --- beside a judge ---


def judged(here: Project, text: str = "", **fields: Any) -> dict[str, Any] | None:
    return stop(here, text, SESSION, "--judge", **fields).reply


def test_beside_a_judge_the_loop_holds_as_ever_and_lets_go_for_certain(
    two_step_session: Project, tmp_path: Path
) -> None:
    assert "unmet criteria" in judged(two_step_session, "hm")["reason"]
    waits = judged(two_step_session, background_tasks=[{"id": "a"}])
    assert list(waits) == ["systemMessage"], "the client comes back by itself; nobody may end that"
    two_step_session.run("pause")
    assert judged(two_step_session)["continue"] is False
    two_step_session.run("continue")
    assert (
        "╭─ 🟡 MONITOR" in judged(two_step_session, block({NAME: True}, exit=True))["systemMessage"]
    )
    assert judged(two_step_session) is None, "there is no loop any more"


def test_a_judges_bad_answer_is_told_once(two_step_session: Project, tmp_path: Path) -> None:
    told = Transcript(tmp_path / "t.jsonl")
    attachment = {
        "type": "hook_non_blocking_error",
        "toolUseID": "t-1",
        "stdout": 'Well: {"ok": true}',
        "command": "JSON ONLY:",
    }
    told.line({"type": "attachment", "attachment": attachment})
    told.assistant(says("hm"))

    said = [judged(two_step_session, "hm", transcript_path=str(told.path)) for _ in range(2)]

    assert ["it meant: stop" in one["systemMessage"] for one in said] == [True, False]


def test_beside_a_judge_somebody_elses_loop_is_inert(project, tmp_path: Path) -> None:
    made = project()
    made.start("--criterion", NAME, "--session", SESSION)
    (made.root / ".loop").rename(tmp_path / "copy")
    other = project()
    (tmp_path / "copy").rename(other.root / ".loop")

    assert judged(other) is None


def test_a_reader_that_tests_for_true_sees_the_end(project) -> None:
    here = project()
    here.start("--check", "done=test -e done.txt", "--session", SESSION)
    assert here.state["criteriaStatus"]["done"] is False
    here.write({"done.txt": "x\n"})
    stop(here, block({"done": True}, exit=True))

    assert here.state["status"] == "completed"
    assert here.state["criteriaStatus"]["done"] is True
    assert here.state["criteriaEvidence"]["done"]["verification"] == "execution output"


def test_work_in_the_background_is_waited_for_and_the_person_is_told_once_how_to_go_on(
    two_step_session: Project,
) -> None:
    assert stop(two_step_session).prompt
    running = [{"id": "a", "type": "shell", "status": "running"}]

    assert (
        'begin a prompt with "continue"'
        in stop(two_step_session, "b", background_tasks=running).message
    )
    assert stop(two_step_session, "c", background_tasks=running).reply is None
    counted = two_step_session.loop.spend.iterations
    prompts(two_step_session, "continue")
    assert stop(two_step_session, "d").prompt
    assert two_step_session.loop.spend.iterations == counted + 1
