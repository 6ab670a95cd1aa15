"""Whatever goes wrong allows the stop: one JSON object or nothing, exit code 0, one line for the person, nothing lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopwright import __version__
from loopwright.disk.lock import FileLock, FolderBusy
from loopwright.drive.step import pause_for_stop_file
from loopwright.hook.entry import loop_root_above
from loopwright.store.folder import LoopFolder
from loopwright.verify import process_groups
from tests.e2e.waiting import until
from tests.support.hook import (
    HOOK_SCRIPT,
    OTHER,
    SESSION,
    Transcript,
    answer_event,
    event,
    prompts,
    run_hook,
    says,
    session_starts,
    stop,
    stop_event,
    types,
)
from tests.support.project import Project
from tests.torture.size import every

NAME = "docs read well"


# --- what comes in ---

GARBAGE = [
    b"",
    b" ",
    b"not json",
    b"{",
    b"[]",
    b"null",
    b"7",
    b'"text"',
    b"\xff\xfe\x00",
    b"{" * 50_000,
    b'{"cwd":"',
    b'{"cwd": 7}',
]


@pytest.mark.parametrize("data", every(2, GARBAGE), ids=lambda data: repr(data[:12]))
@pytest.mark.parametrize(
    "argv", [(), ("--format", "ok"), ("--format", "gsd")], ids=["claude", "ok", "gsd"]
)
def test_x_4_garbage_on_stdin_allows_the_stop(data: bytes, argv: tuple[str, ...]) -> None:
    assert run_hook(data, *argv).reply == {(): None, ("--format", "ok"): {"ok": True}}.get(
        argv, {"decision": "allow"}
    )


@pytest.mark.parametrize("data", [b"", b"not json", b"[]", b"{"], ids=repr)
def test_x_4_garbage_beside_a_loop_allows_the_stop(session_project: Project, data: bytes) -> None:
    assert run_hook(data, CLAUDE_PROJECT_DIR=str(session_project.root)).prompt == ""
    assert session_project.loop.status == "running"


def test_x_4_a_huge_message_is_read_to_its_end(session_project: Project) -> None:
    assert stop(session_project, "x" * 5_000_000).prompt.startswith("unmet criteria")


def test_lone_surrogates_and_zeroes_in_a_message_harm_nothing(session_project: Project) -> None:
    assert run_hook(json.dumps(stop_event(session_project, "\ud800 \0 \udfff")).encode()).prompt
    assert session_project.loop.spend.iterations == 1


ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=20), st.lists(st.text(max_size=3)),
    st.dictionaries(st.text(max_size=3), st.text(max_size=3)),
)  # fmt: skip
EVENTS = [
    "Stop",
    "StopFailure",
    "SubagentStop",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "SessionEnd",
]
EVENTS += ["PreCompact", "PreToolUse", "PostToolUse", "Setup", ""]
FIELDS = [
    "last_assistant_message",
    "transcript_path",
    "background_tasks",
    "session_crons",
    "permission_mode",
    "prompt",
    "source",
]
FIELDS += ["command_name", "command_args", "error", "stop_hook_active"]


@given(
    name=st.sampled_from(EVENTS) | ODD,
    session=st.sampled_from([SESSION, OTHER, ""]) | ODD,
    fields=st.dictionaries(
        st.sampled_from(FIELDS),
        ODD | st.sampled_from(["loop:status", "/loop:status", "plan", "clear"]),
    ),
    style=st.sampled_from(["claude", "ok", "gsd"]),
)
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_x_4_any_types_in_any_field_are_answered(
    session_project: Project, name: Any, session: Any, fields: dict[str, Any], style: str
) -> None:
    data = {
        **fields,
        "session_id": session,
        "cwd": str(session_project.root),
        "hook_event_name": name,
    }
    out = answer_event(data, str(session_project.root), style)

    assert isinstance(out, dict)
    json.dumps(out, allow_nan=False)
    assert LoopFolder(str(session_project.root)).read_loop() is not None


# --- what lies there ---


def breaks(here: Project) -> None:
    """Where our note should be lies something that nobody thought of."""
    os.remove(here.folder.note_path)
    os.mkdir(here.folder.note_path)


def test_what_nobody_thought_of_is_our_crash_with_a_note(session_project: Project) -> None:
    breaks(session_project)
    said = stop(session_project)

    assert set(said.reply or {}) == {"systemMessage"}
    assert "[LOOP] Our own error, so the stop is allowed" in said.message
    (note,) = (session_project.root / ".loop/crash").iterdir()
    assert f"Note: .loop/crash/{note.name}" in said.message
    assert "IsADirectoryError" in note.read_text()


@pytest.mark.parametrize(
    ("style", "answer"), [("ok", {"ok": True}), ("gsd", {"decision": "allow"})]
)
def test_a_crash_is_told_in_the_seeds_schemas_too(
    session_project: Project, style: str, answer: dict[str, Any]
) -> None:
    breaks(session_project)
    said = stop(session_project, "", SESSION, "--format", style).reply

    assert said is not None
    assert {**said, **answer} == said


@pytest.mark.parametrize(
    "name",
    every(2, ["UserPromptSubmit", "SessionStart", "SessionEnd", "PreCompact", "StopFailure"]),
)
def test_a_crash_at_any_event_is_one_line(session_project: Project, name: str) -> None:
    breaks(session_project)

    assert (
        "Our own error"
        in run_hook(event(name, session_project, prompt="hello", source="startup")).message
    )


def test_a_state_home_that_cannot_be_read_allows_the_stop(
    session_project: Project, tmp_path: Path
) -> None:
    (tmp_path / "a file").write_text("")

    assert stop(session_project, XDG_STATE_HOME=str(tmp_path / "a file")).prompt == ""
    assert stop(session_project).prompt, "and nothing is lost"


def test_a_broken_journal_is_left_alone_and_the_doctor_is_named(session_project: Project) -> None:
    stop(session_project)
    path = session_project.root / ".loop/journal.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"at":', b'"ta":', 1))
    before = path.read_bytes()

    for said in (stop(session_project), stop(session_project)):
        assert said.prompt == ""
        assert "The stop is allowed. See: `loop doctor`" in said.message
    assert path.read_bytes() == before
    assert not (session_project.root / ".loop/crash").exists()


def test_a_newer_format_names_the_version_and_writes_nothing(session_project: Project) -> None:
    stop(session_project)
    path = session_project.root / ".loop/journal.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"v":2', b'"v":3'))
    before = {
        file: file.read_bytes()
        for file in (session_project.root / ".loop").rglob("*")
        if file.is_file()
    }

    assert f"written by Loopwright {__version__} (format 3)" in stop(session_project).message
    assert {
        file: file.read_bytes()
        for file in (session_project.root / ".loop").rglob("*")
        if file.is_file()
    } == before


@pytest.mark.parametrize("line", ["/loop:status", "/loop:continue", "/loop:cancel"])
def test_a_person_at_a_broken_journal_is_told_of_the_doctor_too(
    session_project: Project, line: str
) -> None:
    stop(session_project)
    path = session_project.root / ".loop/journal.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"at":', b'"ta":', 1))
    said = types(session_project, line)

    assert "loop doctor" in said.out
    assert "Our own error" not in said.out


def test_a_torn_end_is_survived(session_project: Project) -> None:
    stop(session_project)
    with open(session_project.root / ".loop/journal.jsonl", "ab") as file:
        file.write(b'{"v":1,"seq":3,"pre')

    assert stop(session_project).prompt
    assert session_project.loop.spend.iterations == 2


BROKEN_JSON = ["{", '{"half": ', "[1, 2", '"text', '{"a" 1}', "tru"]


@pytest.mark.parametrize("text", every(2, BROKEN_JSON))
def test_broken_json_in_the_mirror_is_no_crash_of_ours(session_project: Project, text: str) -> None:
    """The door reads JSON without the json package: what is broken must still come out as broken."""
    session_project.write({".loop/state.json": text})
    said = stop(session_project)

    assert "state.json could not be read. It is kept as .loop/aside/state.json" in said.message
    assert said.prompt.startswith("unmet criteria")


@pytest.mark.parametrize("text", every(2, BROKEN_JSON))
def test_broken_json_in_the_last_journal_line_is_no_crash_of_ours(
    session_project: Project, text: str
) -> None:
    with open(session_project.root / ".loop/journal.jsonl", "a") as file:
        file.write(text + "\n")

    assert stop(session_project).prompt.startswith("unmet criteria")


@pytest.mark.parametrize("text", every(2, BROKEN_JSON))
def test_broken_json_in_a_status_block_is_no_crash_of_ours(
    session_project: Project, text: str
) -> None:
    said = stop(
        session_project,
        f"---LOOP_STATUS---\nEXIT_SIGNAL: false\nCRITERIA: {text}\n---END_STATUS---",
    )

    assert said.prompt.startswith("unmet criteria")


@pytest.mark.parametrize("text", every(2, BROKEN_JSON))
def test_broken_json_in_a_transcript_is_no_crash_of_ours(
    session_project: Project, tmp_path: Path, text: str
) -> None:
    transcript = Transcript(tmp_path / "t.jsonl").assistant(says("first"))
    transcript.line(f'{{"message": {text}').line(f'"message" {text}').assistant(says("hello"))

    assert stop(session_project, "hello", transcript_path=str(transcript.path)).prompt.startswith(
        "unmet criteria"
    )


def test_a_transcript_whose_path_is_none_is_no_transcript(session_project: Project) -> None:
    assert stop(
        session_project, "hello", SESSION, "--judge", transcript_path="/a\0b"
    ).prompt.startswith("unmet criteria")


def test_absurd_numbers_and_depths_in_a_transcript_do_not_let_go(
    session_project: Project, tmp_path: Path
) -> None:
    transcript = Transcript(tmp_path / "t.jsonl").assistant(
        says("hello"), usage={"input_tokens": 10**400, "output_tokens": -5}
    )
    transcript.line(
        f'{{"type":"user","message":{{"content":[{{"type":"tool_result","content":{"[" * 950}{"]" * 950}}}]}}}}'
    )

    assert (
        "Our own error"
        not in stop(session_project, "hello", transcript_path=str(transcript.path)).message
    )


def test_a_busy_folder_is_waited_for_and_then_allows_the_stop(session_project: Project) -> None:
    with session_project.folder.locked():
        said = stop(session_project)

    assert said.prompt == ""
    assert "held by another process" in said.message
    assert stop(session_project).prompt


# --- not ours ---


@pytest.fixture
def copied(project, tmp_path: Path) -> Project:
    """A .loop/ that came from elsewhere. No session holds it, so only the folder leads to it."""
    original = project(git=False)
    original.start("--criterion", NAME)
    shutil.copytree(original.root / ".loop", tmp_path / "copy/.loop")
    return Project(tmp_path / "copy", git=False)


def test_a_copied_loop_is_inert_and_none_of_its_text_is_told(copied: Project) -> None:
    before = sorted((copied.root / ".loop").rglob("*"))
    answers = [
        stop(copied),
        prompts(copied, "hello"),
        session_starts(copied),
        types(copied, "/loop:continue"),
    ]
    answers += [
        run_hook(event(name, copied, tool_name="Bash"))
        for name in ("PreToolUse", "PostToolUse", "SessionEnd", "PreCompact")
    ]

    assert [answer.prompt for answer in answers if answer is not answers[3]] == [""] * 7
    assert not any(NAME in answer.out or "fix all failing" in answer.out for answer in answers)
    assert not any("Our own error" in answer.out for answer in answers)
    assert sorted((copied.root / ".loop").rglob("*")) == before, "nothing is written"


def test_a_copied_loop_ends_no_process_and_takes_no_file_away(copied: Project) -> None:
    stranger = subprocess.Popen(["sleep", "60"], start_new_session=True)
    born = process_groups.process_start_time(stranger.pid)
    assert born
    copied.write({f".loop/running/{stranger.pid}": born, ".loop/STOP": ""})
    stop(copied)
    alive = stranger.poll() is None
    stranger.kill()
    stranger.wait()

    assert alive
    assert (copied.root / ".loop/STOP").exists()


def test_loop_allow_makes_it_ours(copied: Project) -> None:
    assert copied.run("allow").code == 6
    assert stop(copied).reply is None
    said = copied.run("allow", "--yes")

    assert said.code == 0
    assert "not started here by you" in said.out
    assert stop(copied).prompt.startswith("unmet criteria")


# --- halted ---


def test_a_stop_file_pauses_at_the_next_stop_once(session_project: Project) -> None:
    session_project.write({".loop/STOP": ""})

    assert "⏸ Paused: .loop/STOP was found" in stop(session_project).message
    assert not (session_project.root / ".loop/STOP").exists()
    assert stop(session_project).reply is None


@pytest.mark.parametrize("name", ["PreToolUse", "PostToolUse"])
def test_a_stop_file_halts_the_owner_at_a_tool_call(session_project: Project, name: str) -> None:
    session_project.write({".loop/STOP": ""})
    assert run_hook(event(name, session_project, OTHER, tool_name="Bash")).reply is None
    said = run_hook(event(name, session_project, tool_name="Bash")).reply

    assert said is not None
    assert said["continue"] is False
    assert "⏸ Paused" in said["stopReason"]
    assert session_project.loop.status == "paused"


def test_a_tool_call_without_a_stop_file_is_silent(session_project: Project) -> None:
    assert run_hook(event("PreToolUse", session_project, tool_name="Bash")).reply is None


# --- killed ---


def test_a_hook_that_is_terminated_takes_its_check_with_it_and_the_next_one_goes_on(
    project,
) -> None:
    here = project()
    slow = "test -e quick || { echo $$ > .loop/pid; sleep 60; }"
    here.write({"quick": ""})
    here.start("--check", f"slow={slow}", "--session", SESSION)
    (here.root / "quick").unlink()
    hook = subprocess.Popen(
        [sys.executable, "-I", "-S", HOOK_SCRIPT, "claude"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert hook.stdin is not None
    assert hook.stdout is not None
    hook.stdin.write(json.dumps(stop_event(here)).encode())
    hook.stdin.close()
    pid = here.root / ".loop/pid"
    running = (here.root / ".loop").glob
    until(lambda: pid.exists() and pid.read_text().strip(), lambda: "no check began")
    until(
        lambda: any(path.read_text() for path in running("running/[0-9]*[0-9]")),
        lambda: "its group is not recorded",
    )
    hook.terminate()

    assert hook.wait(timeout=600) == 143
    assert hook.stdout.read() == b""
    hook.stdout.close()
    assert (
        subprocess.run(
            ["ps", "-p", pid.read_text().strip()], capture_output=True, check=False
        ).returncode
        == 1
    )
    here.write({"quick": ""})
    assert stop(here).prompt.startswith("criteria met but exit_signal not set")
    assert not (here.root / ".loop/running").exists()


def test_above_answers_in_a_moment_for_a_very_deep_folder() -> None:
    assert loop_root_above("/x" * 2000) == ""
    assert loop_root_above("\0") == ""
    assert loop_root_above("relative/path") == "" or os.path.exists(".loop")


def test_a_stop_file_that_could_not_be_heeded_stands(session_project: Project) -> None:
    (session_project.root / ".loop/STOP").touch()
    with (
        FileLock(session_project.folder.path_of("lock"), timeout_seconds=1.0),
        pytest.raises(FolderBusy),
    ):
        pause_for_stop_file(
            LoopFolder(str(session_project.root), lock_timeout_seconds=0.1), time.time()
        )

    assert (session_project.root / ".loop/STOP").exists()
    assert "Paused" in stop(session_project, "working").message


def test_two_that_heed_one_stop_file_do_not_trip_over_it(session_project: Project) -> None:
    """Both saw it; the other one was quicker, and has taken it away."""
    assert "Paused" in pause_for_stop_file(session_project.folder, time.time()).message


def test_without_room_for_a_note_of_a_crash_none_is_left(session_project: Project) -> None:
    argv = [
        "sh",
        "-c",
        'ulimit -f 0; exec "$@"',
        "sh",
        sys.executable,
        "-I",
        "-S",
        HOOK_SCRIPT,
        "claude",
    ]
    done = subprocess.run(
        argv,
        input=json.dumps(stop_event(session_project, "working")).encode(),
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stderr, b"systemMessage" in done.stdout) == (0, b"", True)
    assert not (session_project.root / ".loop/crash").exists()


def test_where_nobody_can_hear_the_answer_it_ends_in_silence(project) -> None:
    here = project()
    here.start("--session", SESSION)
    with open("/dev/full", "wb") as full:
        event = json.dumps(stop_event(here, "hm")).encode()
        argv = [sys.executable, "-I", "-S", HOOK_SCRIPT, "claude"]
        done = subprocess.run(argv, input=event, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert here.loop.spend.iterations == 1
