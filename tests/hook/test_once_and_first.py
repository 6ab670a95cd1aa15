"""One answer for one event, however often our hook is registered; and the loop that a session holds comes first."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from loopwright.cli.errors import run_explaining_errors
from loopwright.hook.crash import report_crash
from tests.support.hook import (
    HOOK_SCRIPT,
    OTHER,
    SESSION,
    event,
    run_hook,
    stop,
    stop_event,
)
from tests.support.project import Project

NAME = "docs read well"


def delivered_twice(data: dict[str, Any], second: dict[str, Any] | None = None) -> list[str]:
    """Both hooks start at the same moment, as the client starts them."""
    events = [json.dumps(each).encode() for each in (data, second or data)]
    argv = [sys.executable, "-I", "-S", HOOK_SCRIPT, "claude"]
    pipe = subprocess.PIPE
    both = [subprocess.Popen(argv, stdin=pipe, stdout=pipe, cwd="/") for _ in range(2)]
    with ThreadPoolExecutor(2) as threads:
        printed = list(threads.map(lambda one, text: one.communicate(text)[0], both, events))
    assert [one.returncode for one in both] == [0, 0]
    return [data.decode() for data in printed]


def test_a_stop_that_is_delivered_twice_is_answered_twice_and_counted_once(
    session_project: Project,
) -> None:
    for number in (1, 2, 3):
        (session_project.root / "readme.md").write_text(f"work {number}\n")
        first, second = delivered_twice(stop_event(session_project, f"work {number}"))
        assert first == second
        assert json.loads(first)["decision"] == "block"
    assert (session_project.loop.status, session_project.loop.spend.iterations) == ("running", 3)
    assert session_project.loop.streak.idle == 0


def test_the_second_hook_waits_for_the_checks_of_the_first(project) -> None:
    here = project()
    count = "echo run >> .loop/runs; sleep 0.5; false"
    here.start("--check", f"slow={count}", "--session", SESSION)
    (here.root / ".loop/runs").unlink()
    (here.root / "readme.md").write_text("work\n")

    first, second = delivered_twice(stop_event(here))

    assert first == second
    assert (here.root / ".loop/runs").read_text() == "run\n"
    assert here.events("CheckResultDropped") == []


def test_a_prompt_that_is_delivered_twice_is_no_esc(project) -> None:
    here = project()
    here.start("--criterion", NAME)

    first, second = delivered_twice(event("UserPromptSubmit", here, prompt="begin"))

    assert first == second
    assert "This session now drives the loop" in first
    assert here.loop.waits_for_person is False
    assert len(here.events("PersonSpoke")) == 1


def test_the_same_words_in_the_next_turn_are_counted(session_project: Project) -> None:
    assert stop(session_project, "hm").prompt
    assert stop(session_project, "hm").prompt
    assert session_project.loop.spend.iterations == 2


def test_two_stops_at_once_with_different_words_are_two_turns(session_project: Project) -> None:
    delivered_twice(
        stop_event(session_project, "one word"), stop_event(session_project, "another word")
    )
    assert session_project.loop.spend.iterations == 2


# --- a loop that the session holds ---


@pytest.fixture
def nested(session_project: Project) -> Project:
    """A repository inside the project, with a loop of its own."""
    inner = Project(session_project.root / "inner")
    inner.start("--criterion", NAME)
    return inner


def test_who_goes_into_a_nested_repository_stays_with_the_loop_it_holds(
    session_project: Project, nested: Project
) -> None:
    assert stop(nested).prompt.startswith("unmet criteria")

    assert session_project.loop.spend.iterations == 1
    assert (nested.loop.spend.iterations, nested.loop.lease.holder) == (0, "")
    assert (
        nested.run("status", "--json", CLAUDE_CODE_SESSION_ID=SESSION).json["id"]
        == session_project.loop.id
    )
    assert nested.run("status", "--json").json["id"] == nested.loop.id
    assert stop(nested, session=OTHER).prompt, "another session takes the free loop there"
    assert nested.loop.lease.holder == OTHER


def test_the_gate_knows_the_loop_that_the_session_holds(
    session_project: Project, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / ".git").mkdir(parents=True)

    def gate(session: str) -> str:
        env = {**os.environ, "CLAUDE_CODE_SESSION_ID": session}
        env |= {"CLAUDE_PLUGIN_DATA": str(tmp_path / "data"), "PWD": str(elsewhere)}
        data = json.dumps(stop_event(elsewhere, session=session)).encode()
        link = tmp_path / "plugin/vendor"
        if not link.exists():
            link.parent.mkdir()
            link.symlink_to(Path(HOOK_SCRIPT).parents[2])
        argv = ["sh", str(link / "loopwright/hook/gate.sh"), "Stop"]
        return subprocess.run(
            argv, input=data, env=env, cwd=elsewhere, capture_output=True, check=True
        ).stdout.decode()

    assert "unmet criteria" in gate(SESSION)
    assert gate(OTHER) == ""


def test_after_the_end_the_session_is_free(session_project: Project, nested: Project) -> None:
    session_project.run("cancel")

    assert stop(nested).prompt
    assert nested.loop.lease.holder == SESSION


def test_a_lease_that_moves_takes_the_note_with_it(
    session_project: Project, tmp_path: Path
) -> None:
    session_project.run("attach", "--session", OTHER, "--yes")
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / ".git").mkdir(parents=True)

    assert run_hook(stop_event(elsewhere)).reply is None
    assert run_hook(stop_event(elsewhere, session=OTHER)).reply is not None


# --- the machine ---


def test_a_umask_that_takes_the_owners_rights_does_not_take_ours(project) -> None:
    here = project()
    before = os.umask(0o777)
    try:
        here.start("--criterion", NAME, "--session", SESSION)
        os.umask(0o777)
        assert stop(here).prompt
    finally:
        os.umask(before)
    assert (here.root / ".loop/journal.jsonl").stat().st_mode & 0o777 == 0o600
    assert (here.root / ".loop").stat().st_mode & 0o777 == 0o700


DISK = {
    errno.ENOSPC: "the disk is full: /p/.loop/lock",
    errno.EROFS: "the file system is read-only: /p/.loop/lock",
    errno.EACCES: "permission denied: /p/.loop/lock",
}


@pytest.mark.parametrize("number", DISK, ids=errno.errorcode.get)
def test_trouble_of_the_disk_is_named_as_what_it_is(
    session_project: Project, number: int, capsys
) -> None:
    error = OSError(number, os.strerror(number), "/p/.loop/lock")

    def fails() -> int:
        raise error

    said = report_crash(error, str(session_project.root), "claude")["systemMessage"]
    assert DISK[number] in said
    assert "ur own error" not in said
    assert run_explaining_errors(fails) == 1
    assert DISK[number] in capsys.readouterr().err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_access_allows_the_stop_and_is_named(session_project: Project) -> None:
    (session_project.root / ".loop").chmod(0o500)
    try:
        assert "permission denied" in stop(session_project).message
    finally:
        (session_project.root / ".loop").chmod(0o700)
