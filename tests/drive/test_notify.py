"""--notify: a command of the person's hears of every pause, question and end, and can do the run no harm."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from loopwright.drive.notify import person
from loopwright.drive.runner import headless
from tests.e2e.waiting import until
from tests.support.hook import block
from tests.support.project import Project
from tests.support.runner import (
    DONE,
    SLOW,
    Runner,
    command,
    program,
    read_when_complete,
    script,
    wait_until_gone,
)
from tests.torture.gauntlet.disks import CAN_MOUNT, mount
from tests.torture.size import every

KEEPS = """
about = {name: value for name, value in os.environ.items() if name.startswith("LOOP_")}
print(json.dumps([about, json.load(sys.stdin), os.getcwd()]), file=open(sys.argv[1], "w"))
"""
HOSTILE = "$(touch pwned) `touch pwned` ; touch pwned | touch pwned & touch pwned ' \" \\ %s"


@pytest.fixture
def keeper(tmp_path: Path) -> str:
    """A command that keeps what it is told."""
    return shlex.join((*program(tmp_path, KEEPS, "keeps.py"), str(tmp_path / "kept")))


def heard(tmp_path: Path) -> tuple[dict[str, str], dict[str, Any], str]:
    about, facts, folder = json.loads(read_when_complete(tmp_path / "kept"))
    return about, facts, folder


@pytest.mark.parametrize(
    ("turn", "event", "status", "why"),
    [
        (DONE, "end", "finished", "proven in place. The checks pass here"),
        ({"say": block({}, "ASK: Which one?")}, "question", "asking", "Which one?"),
        ({"say": block({}, "BLOCKED: no access")}, "pause", "paused", "no access"),
    ],
    ids=["end", "question", "pause"],
)
def test_it_hears_what_happened(
    checked_project: Project, keeper: str, tmp_path: Path, turn, event: str, status: str, why: str
) -> None:
    checked_project.run("run", "--script", script(checked_project, turn), "--notify", keeper)
    about, facts, folder = heard(tmp_path)

    assert (about["LOOP_EVENT"], about["LOOP_STATUS"]) == (event, status)
    assert why in about["LOOP_WHY"]
    assert (
        about["LOOP_ID"]
        == facts["id"]
        == (checked_project.folder.read_loop() or checked_project.ended).id
    )
    assert about["LOOP_SPEC"] == "fix all failing tests in readme.md"
    assert facts["status"] == status
    assert about["LOOP_PROJECT"] == str(checked_project.root)
    assert folder == os.environ["HOME"]


def test_what_an_agent_says_is_never_part_of_a_command(
    checked_project: Project, keeper: str, tmp_path: Path
) -> None:
    checked_project.run(
        "run",
        "--script",
        script(checked_project, {"say": block({}, f"BLOCKED: {HOSTILE}")}),
        "--notify",
        keeper,
    )

    assert HOSTILE in heard(tmp_path)[0]["LOOP_WHY"]
    assert not list(checked_project.root.rglob("pwned")) + list(tmp_path.rglob("pwned"))


def test_it_may_stand_in_the_persons_settings_but_not_in_the_projects(
    project, keeper: str, tmp_path: Path
) -> None:
    here = project({".loop.toml": f'notify = "touch {tmp_path}/pwned"\n'})
    assert here.run("config", "notify", keeper).code == 0
    here.start("--check", "done=test -e done.txt")
    here.run("run", "--script", script(here, DONE))

    assert heard(tmp_path)[0]["LOOP_EVENT"] == "end"
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("echo 'no network' >&2; exit 3", "exit code 3: no network"),
        ("no-such-program-anywhere", "exit code 127"),
    ],
    ids=["fails", "is not there"],
)
def test_one_that_fails_is_told_of_and_changes_nothing(
    checked_project: Project, command: str, says: str
) -> None:
    said = checked_project.run(
        "run", "--script", script(checked_project, DONE), "--notify", command
    )

    assert said.code == 0, said.err
    assert f"The notification did not go through ({says}" in said.out


def test_one_that_reads_nothing_and_floods_changes_nothing(checked_project: Project) -> None:
    said = checked_project.run(
        "run",
        "--script",
        script(checked_project, DONE),
        "--notify",
        "head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2",
    )

    assert (said.code, "did not go through" in said.out) == (0, False)


def test_one_that_takes_too_long_is_ended_with_all_it_started(
    checked_project: Project, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(person, "TIMEOUT_SECONDS", 0.5)
    slow = f"sh -c 'sleep 5; touch \"$LOOP_PROJECT/late\"' & echo $! >'{tmp_path}/pid'; wait"
    said = checked_project.run("run", "--script", script(checked_project, DONE), "--notify", slow)

    assert said.code == 0, said.err
    assert "The notification did not go through (it took longer than 0.5 s)" in said.out
    assert wait_until_gone(int(read_when_complete(tmp_path / "pid")))
    assert not (checked_project.root / "late").exists()


def test_one_that_goes_on_in_the_background_is_not_waited_for(checked_project: Project) -> None:
    said = checked_project.run(
        "run",
        "--script",
        script(checked_project, DONE),
        "--notify",
        '{ sleep 3; touch "$LOOP_PROJECT/late"; } &',
    )

    assert (said.code, "did not go through" in said.out) == (0, False)
    assert not (checked_project.root / "late").exists()
    assert until(lambda: (checked_project.root / "late").exists(), lambda: "it was ended")


# --- when the runner itself cannot go on ---


def test_a_project_that_is_gone_is_told(
    checked_project: Project, keeper: str, tmp_path: Path
) -> None:
    words = command(checked_project, "import shutil; shutil.rmtree(os.getcwd())")
    with Runner(checked_project, *words, "--notify", keeper) as runner:
        said = runner.ends()
    about = heard(tmp_path)[0]

    assert said.code == 1
    assert (about["LOOP_EVENT"], about["LOOP_STATUS"]) == ("error", "running")
    assert f"{checked_project.root} is gone" in about["LOOP_WHY"]


def test_our_own_error_is_told(
    checked_project: Project, keeper: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("a bug of ours")

    monkeypatch.setattr(headless.iteration_files, "append_iteration", fail)
    said = checked_project.run("run", "--script", script(checked_project, DONE), "--notify", keeper)

    assert said.code == 1
    assert "our own error" in said.err
    assert heard(tmp_path)[0]["LOOP_EVENT"] == "error"
    assert "a bug of ours" in heard(tmp_path)[0]["LOOP_WHY"]


@pytest.mark.skipif(not CAN_MOUNT, reason="needs a disk of its own")
def test_on_a_full_disk_it_pauses_and_says_so(keeper: str, tmp_path: Path) -> None:
    place = tmp_path / "disk"
    place.mkdir()
    assert mount("-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place))
    try:
        here = Project(place)
        here.start("--check", "done=test -e done.txt")
        fills = {"run": ["cat /dev/zero > .git/filler; touch done.txt"], "say": "worked"}
        said = here.run("run", "--script", script(here, fills), "--notify", keeper)
        about = heard(tmp_path)[0]
        (place / ".git/filler").unlink()
        here.run("continue")
        again = here.run("run", "--script", script(here, DONE))
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)

    assert (said.code, about["LOOP_EVENT"], about["LOOP_STATUS"]) == (4, "pause", "paused"), (
        said.err
    )
    assert "the disk is full" in about["LOOP_WHY"]
    assert again.code == 0, again.err


@pytest.mark.parametrize("order", every(2, ["git clean -fdxq", "rm -rf .loop"]))
def test_an_agent_that_deletes_the_loop_does_not_end_the_night(
    checked_project: Project, keeper: str, tmp_path: Path, order: str
) -> None:
    deletes = {"run": [order, "echo x >> n.txt"], "say": "cleaned up"}
    said = checked_project.run(
        "run", "--script", script(checked_project, deletes, DONE), "--notify", keeper
    )

    assert said.code == 0, said.err
    assert f"{checked_project.root}/.loop was gone" in said.out
    assert checked_project.ended.verdict is not None
    assert checked_project.ended.verdict.proven
    assert heard(tmp_path)[0]["LOOP_EVENT"] == "end"


@pytest.mark.parametrize(
    "order",
    every(
        3,
        [
            "sed -i s/running/paused/ .loop/journal.jsonl",
            "head -n 1 .loop/journal.jsonl > j && cat j > .loop/journal.jsonl",
            "tail -n 1 .loop/journal.jsonl > j && cat j >> .loop/journal.jsonl",
            "echo nonsense > .loop/journal.jsonl",
            ": > .loop/journal.jsonl",
        ],
    ),
    ids=every(3, ["edited", "cut off", "added to", "overwritten", "emptied"]),
)
def test_an_agent_that_rewrites_the_journal_does_not_end_the_night(
    checked_project: Project, keeper: str, tmp_path: Path, order: str
) -> None:
    """The second copy is outside the project; the rewritten one is kept beside it."""
    rewrites = {"run": [order, "echo x >> n.txt"], "say": "cleaned up"}
    said = checked_project.run(
        "run", "--script", script(checked_project, rewrites, DONE), "--notify", keeper
    )

    assert said.code == 0, said.err
    assert "journal.jsonl was cut off, edited or added to. It is kept as .loop/aside/" in said.out
    assert checked_project.ended.verdict is not None
    assert checked_project.ended.verdict.proven
    assert heard(tmp_path)[0]["LOOP_EVENT"] == "end"


class Inbox(BaseHTTPRequestHandler):
    """A server that keeps what is posted to it."""

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        self.server.received.append(json.loads(self.rfile.read(size)))  # type: ignore[attr-defined]
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def inbox() -> Iterator[HTTPServer]:
    server = HTTPServer(("127.0.0.1", 0), Inbox)
    server.received = []  # type: ignore[attr-defined]
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_address_is_told_what_a_command_would_be_told(
    checked_project: Project, inbox: HTTPServer
) -> None:
    said = checked_project.run(
        "run", "--agent-command", "true", "--notify", f"json://127.0.0.1:{inbox.server_port}"
    )
    assert "did not go through" not in said.out
    (message,) = inbox.received  # type: ignore[attr-defined]
    assert message["title"] == "loop: pause"
    loop = checked_project.folder.read_loop()
    assert loop is not None
    assert loop.pause.why in message["message"]


def test_an_address_that_does_not_answer_does_the_run_no_harm(checked_project: Project) -> None:
    said = checked_project.run(
        "run", "--agent-command", "true", "--notify", "json://user:geheim@127.0.0.1:9"
    )
    assert "did not go through" in said.out
    assert "geheim" not in said.out + said.err


def test_an_unknown_address_is_refused_before_the_first_turn(checked_project: Project) -> None:
    said = checked_project.run("run", "--agent-command", "true", "--notify", "pigeon://loft")
    assert said.code == 64
    assert "pigeon://" in said.err
    loop = checked_project.folder.read_loop()
    assert loop is not None
    assert loop.spend.iterations == 0


@pytest.mark.parametrize(
    ("hours", "clock", "quiet"),
    [
        ("", "03:00", False),
        ("22:00-07:00", "23:30", True),
        ("22:00-07:00", "06:59", True),
        ("22:00-07:00", "07:00", False),
        ("12:00-13:00", "12:30", True),
        ("12:00-13:00", "11:59", False),
    ],
)
def test_quiet_hours_may_pass_midnight(hours: str, clock: str, quiet: bool) -> None:
    assert person.is_quiet(hours, time.strptime(clock, "%H:%M")) is quiet


def test_in_quiet_hours_nothing_is_sent(
    checked_project: Project, keeper: str, tmp_path: Path
) -> None:
    assert checked_project.run("config", "quiet_hours", "00:00-23:59").code == 0
    checked_project.run("run", "--agent-command", "true", "--notify", keeper)
    assert not (tmp_path / "kept").exists()


def test_quiet_hours_are_two_times(checked_project: Project) -> None:
    said = checked_project.run("config", "quiet_hours", "at night")
    assert said.code == 64
    assert "22:00-07:00" in said.err


def test_a_runner_that_is_killed_is_told_of(checked_project: Project, tmp_path: Path) -> None:
    tells = f"echo $LOOP_EVENT: $LOOP_WHY >'{tmp_path}/told'"
    with Runner(
        checked_project, "--script", script(checked_project, SLOW), "--notify", tells
    ) as runner:
        runner.works().kill()

    told = read_when_complete(tmp_path / "told")
    assert told == "error: the runner was killed. `loop run` continues"
