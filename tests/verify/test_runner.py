"""Running one check: every way it can end is a result with a reason, and nothing of it stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from loopwright.core.criteria import Check, Evidence
from loopwright.verify import process_groups
from loopwright.verify.redact import redact_text
from loopwright.verify.runner import KEPT_BYTES, TAIL_CHARACTERS, run_check

PYTHON = sys.executable


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".loop").mkdir()
    return tmp_path


def prove(
    folder: Path, command: str | tuple[str, ...], timeout: int = 20, pass_env: tuple[str, ...] = ()
) -> Evidence:
    return run_check(
        Check(command, timeout),
        "tests pass",
        "tree-1",
        str(folder),
        str(folder / ".loop"),
        pass_env,
    )


def is_alive(pid: int) -> bool:
    """Running, and not a zombie that nobody has waited for."""
    done = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return done.stdout.strip()[:1] not in ("", "Z")


def soon(condition, seconds: float = 60.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.01)
    return False


# --- how it ends ---


@pytest.mark.parametrize(
    ("command", "passed", "outcome", "code"),
    [
        ("true", True, "exit", 0),
        ("exit 1", False, "exit", 1),
        ("exit 77", False, "exit", 77),
        ("exit 126", False, "missing", 126),
        ("no-such-command-anywhere", False, "missing", 127),
        ("kill -9 $$", False, "exit", -9),
        (("true",), True, "exit", 0),
        (("no-such-command-anywhere",), False, "missing", 127),
        (("/etc/passwd",), False, "missing", 127),
    ],
)
def test_every_end_is_a_result(
    folder: Path, command, passed: bool, outcome: str, code: int
) -> None:
    found = prove(folder, command)

    assert (found.passed, found.outcome, found.code) == (passed, outcome, code)
    assert (found.criterion, found.tree, found.by, found.kind) == (
        "tests pass",
        "tree-1",
        "loop",
        "execution output",
    )


def test_it_runs_at_the_root_and_its_output_is_kept(folder: Path) -> None:
    found = prove(folder, "pwd; echo on stderr >&2; exit 3")
    log = folder / ".loop" / found.log

    assert found.detail == f"{folder}\non stderr"
    assert log.read_text() == f"{folder}\non stderr\n"
    assert oct(log.stat().st_mode)[-3:] == "600"
    assert log.name.endswith("-tests-pass.log")
    assert len(found.digest) == 32


def test_checks_that_end_in_the_same_moment_are_both_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter([7_000_000_000, 7_000_000_999, 7_000_001_000])
    monkeypatch.setattr(time, "time_ns", lambda: next(moments))

    one, other = prove(folder, "echo one"), prove(folder, "echo other")

    assert [(folder / ".loop" / found.log).read_text() for found in (one, other)] == [
        "one\n",
        "other\n",
    ]


def test_an_argv_sees_no_shell(folder: Path) -> None:
    found = prove(folder, ("printf", "%s|", "$HOME", "; touch pwned", "a b"))

    assert found.detail == "$HOME|; touch pwned|a b|"
    assert not (folder / "pwned").exists()


def test_it_reads_nothing_from_our_stdin(folder: Path) -> None:
    assert prove(folder, "cat; echo end", timeout=60).detail == "end"


def test_it_is_timed(folder: Path) -> None:
    assert 0.2 <= prove(folder, "sleep 0.2").seconds < 60


@pytest.mark.parametrize(
    ("text", "number"),
    [("3 failed, 2 passed", 3), ("Found 12 errors", 12), ("1 problem", 1), ("fine", None)],
)
def test_the_number_that_a_tool_reports_is_read(
    folder: Path, text: str, number: int | None
) -> None:
    assert prove(folder, ("echo", text)).failures == number


# --- the clock, and the whole group ---


def test_over_its_time_the_whole_group_is_killed_grandchildren_too(folder: Path) -> None:
    began = time.monotonic()
    found = prove(
        folder, "echo begun; sh -c 'echo $$ > pid; sleep 60' & trap '' TERM; sleep 60", timeout=2
    )

    assert (found.passed, found.outcome, found.code) == (False, "timeout", None)
    assert found.detail == "begun\n\n[stopped after 2 s]"
    assert time.monotonic() - began < 50
    assert soon(lambda: not is_alive(int((folder / "pid").read_text())))


def test_what_a_check_leaves_in_the_background_ends_with_it(folder: Path) -> None:
    began = time.monotonic()
    found = prove(folder, "sleep 60 & echo $! > pid; echo done")

    assert (found.passed, found.detail) == (True, "done")
    assert time.monotonic() - began < 5
    assert soon(lambda: not is_alive(int((folder / "pid").read_text())))


def test_a_grandchild_that_left_the_group_and_holds_the_pipe_does_not_hang_us(folder: Path) -> None:
    began = time.monotonic()
    leaves = (
        f"'{PYTHON}' -ISc 'import os, time; os.setsid(); open(\"left\", \"w\"); time.sleep(30)'"
    )
    found = prove(
        folder, f"{leaves} & echo $! > pid; while [ ! -e left ]; do sleep 0.1; done; echo done"
    )

    assert found.passed
    assert found.detail.startswith("done\n")
    assert time.monotonic() - began < 5
    os.kill(int((folder / "pid").read_text()), signal.SIGKILL)


def test_output_is_bounded_and_the_end_of_it_is_kept(folder: Path) -> None:
    found = prove(
        folder,
        (
            PYTHON,
            "-c",
            "print('x' * 99 + '\\n', end='') or [print('y' * 99) for _ in range(20000)]; print('the end')",
        ),
    )
    log = (folder / ".loop" / found.log).read_text()

    assert found.detail.endswith("the end")
    assert len(found.detail) <= TAIL_CHARACTERS
    assert len(log) < KEPT_BYTES + 70_000
    assert log.startswith("[not kept: ")
    assert "bytes before this]" in log


@pytest.mark.parametrize("octets", ["\\377\\376", "\\0\\0", "\\033[31mred\\033[0m"])
def test_any_bytes_are_taken(folder: Path, octets: str) -> None:
    assert prove(folder, f"printf '{octets} end'").detail.endswith("end")


def test_nothing_of_a_check_stays_open(folder: Path) -> None:
    prove(folder, "true")
    before = len(os.listdir("/dev/fd"))
    for _ in range(3):
        prove(folder, "echo hello")

    assert len(os.listdir("/dev/fd")) <= before


# --- credentials ---


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDECODE",
        "AI_AGENT",
        "LOOP_CHILD",
    ],
)
def test_an_agents_variables_are_taken_away_and_pass_env_gives_one_back(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "value")
    monkeypatch.setenv("HARMLESS", "kept")

    assert prove(folder, f'echo "[${name}] $HARMLESS"').detail == "[] kept"
    assert prove(folder, f'echo "[${name}]"', pass_env=(name,)).detail == "[value]"


SECRETS = [
    ("sk-" + "ant-api03-" + "a1b2" * 8, "a1b2a1b2"),
    ("ghp_abcdefghijklmnopqrstuvwxyz", "ghp_"),
    ("github_pat_11ABCDEFG0123456789_abc", "github_pat"),
    ("AKIAIOSFODNN7EXAMPLE", "AKIA"),
    ("xoxb-123456789012-abc", "xoxb"),
    ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "AIza"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN", "eyJ"),
    ("password=hunter22", "hunter22"),
    ("DB_PASSWORD: 'hunter22'", "hunter22"),
    ('"api_key": "abcdef123"', "abcdef123"),
    ("Authorization token = abcdef123", "abcdef123"),
    ("postgres://bob:hunter22@db/x", "hunter22"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "MIIE"),
    ("-----BEGIN PRIVATE KEY-----\nMIIE (cut off", "MIIE"),
]


@pytest.mark.parametrize(
    ("text", "secret"), SECRETS, ids=[secret for _, secret in SECRETS[:-1]] + ["a torn key"]
)
def test_secrets_are_taken_out(text: str, secret: str) -> None:
    assert secret not in redact_text(f"before {text} after")
    assert redact_text(f"before {text}").startswith("before ")


@pytest.mark.parametrize(
    "text",
    [
        "3 failed, 2 passed in 0.12s",
        "FAILED tests/test_auth.py::test_login - AssertionError",
        "tests/test_token.py::TestToken::test_expired PASSED",
        "src/auth.py:12: error: Incompatible types",
        "https://example.com/path?page=2",
        "E   assert tokenize('a') == ['a']",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact_text(text) == text


def test_the_value_of_a_secret_variable_is_taken_out_wherever_it_stands(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_SECRET", "correct horse battery")
    found = prove(folder, "echo it says correct horse battery here")

    assert found.detail == "it says [redacted] here"
    assert "battery" not in (folder / ".loop" / found.log).read_text()


# --- killed ---

CHECKING = """
import sys
from loopwright.core.criteria import Check
from loopwright.verify.runner import run_check
run_check(Check("echo $$ > pid; sleep 60 & echo $! > child; sleep 60"), "slow", "t", sys.argv[1], sys.argv[1] + "/.loop")
"""


def a_hook_that_checks(folder: Path) -> tuple[subprocess.Popen[bytes], int, int]:
    hook = subprocess.Popen([PYTHON, "-c", CHECKING, str(folder)])
    assert soon(lambda: (folder / "child").exists() and (folder / "child").read_text().strip())
    assert soon(
        lambda: any(path.read_text() for path in (folder / ".loop").glob("running/[0-9]*[0-9]"))
    )
    return hook, int((folder / "pid").read_text()), int((folder / "child").read_text())


def test_sigterm_to_the_hook_ends_the_checks_group(folder: Path) -> None:
    hook, shell, child = a_hook_that_checks(folder)
    hook.terminate()

    assert hook.wait(timeout=600) == 128 + signal.SIGTERM
    assert soon(lambda: not is_alive(shell) and not is_alive(child))


def test_what_a_killed_hook_left_running_is_reaped_by_the_next(folder: Path) -> None:
    hook, shell, child = a_hook_that_checks(folder)
    hook.kill()
    hook.wait()
    assert is_alive(child)

    assert process_groups.end_orphaned_groups(str(folder / ".loop")) == [shell]
    assert soon(lambda: not is_alive(shell) and not is_alive(child))
    assert not (folder / ".loop/running").exists()


@pytest.mark.parametrize("born", ["1", "", "garbage"])
def test_a_pid_that_now_belongs_to_somebody_else_is_left_alone(folder: Path, born: str) -> None:
    stranger = subprocess.Popen(["sleep", "60"], start_new_session=True)
    (folder / ".loop/running").mkdir()
    (folder / ".loop/running" / str(stranger.pid)).write_text(born)

    assert process_groups.end_orphaned_groups(str(folder / ".loop")) == []
    assert is_alive(stranger.pid)
    assert not (folder / ".loop/running").exists()
    stranger.kill()
    stranger.wait()


def test_while_it_runs_a_check_is_on_record_and_afterwards_not(folder: Path) -> None:
    found = prove(folder, "sleep 0.2; ls .loop/running")

    assert found.detail.split(".")[0].isdecimal(), found.detail
    assert os.listdir(folder / ".loop/running") == []


def test_groups_that_end_and_begin_at_once_keep_their_records(folder: Path) -> None:
    """One of them takes the empty folder away while the other is about to write into it."""
    failed: list[BaseException] = []
    lives = [subprocess.Popen(["sleep", "60"], start_new_session=True) for _ in range(4)]

    def come_and_go(group: int) -> None:
        try:
            for _ in range(200):
                with process_groups.record_group(str(folder), group):
                    process_groups.end_orphaned_groups(str(folder))
        except OSError as error:
            failed.append(error)

    threads = [threading.Thread(target=come_and_go, args=(one.pid,)) for one in lives]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in lives:
        one.kill()
        one.wait()

    assert failed == []
    assert process_groups.end_orphaned_groups(str(folder)) == []
    assert os.listdir(folder) == [".loop"]


def test_a_server_that_leaves_its_group_is_ended_and_named(folder: Path) -> None:
    found = prove(folder, "setsid -f sleep 77 >/dev/null 2>&1; sleep 0.1")

    assert found.passed
    assert found.detail == "[ended, because it outlived the check: sleep 77]"
    assert "sleep 77" not in subprocess.run(["ps", "-ef"], capture_output=True, text=True).stdout


def test_colours_are_not_kept(folder: Path) -> None:
    proof = prove(folder, "printf '\\033[31m1 failed\\033[0m\\n'; exit 1")

    assert proof.detail == "1 failed"
