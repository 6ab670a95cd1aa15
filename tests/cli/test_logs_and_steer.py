"""`loop logs` and `loop steer`: seen and told while an agent works."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from loopwright.cli import live_view
from loopwright.store import turn_logs
from tests.e2e.waiting import until
from tests.support.hook import block
from tests.support.project import Project
from tests.support.runner import (
    CLAIM,
    DONE,
    Runner,
    command,
    script,
    start_checked_loop,
    write_fake_agent,
)

STOPS = {"say": block({}, "BLOCKED: the key is missing"), "dollars": 0.25}
KEEPS = """
turn = len(os.listdir(FOLDER))
open(f"{FOLDER}.new", "w").write(sys.stdin.read())
os.rename(f"{FOLDER}.new", f"{FOLDER}/{turn}")
print("turn", turn, "begins", flush=True)
while not os.path.exists(f"{FOLDER}.go{turn}"): time.sleep(0.02)
print("turn", turn, "ends")
"""
# Meets its limit in the first turn, works in the second, and is blocked in the third.
LIMITED = """
turn = len(os.listdir(FOLDER))
open(f"{FOLDER}/{turn}", "w").write(sys.stdin.read())
say = lambda **event: print(json.dumps(event), flush=True)
if not turn: say(type="rate_limit_event", rate_limit_info={"status": "rejected", "resetsAt": time.time() + 1.5})
if not turn: say(type="result", is_error=True, result="limit", api_error_status=429)
else: say(type="result", is_error=False, result=open("n.txt", "a").write("x") and (BLOCKED if turn == 2 else "worked"))
"""


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    """Where an agent keeps what it was told, turn by turn; it goes on when the test says so."""
    (tmp_path / "prompts").mkdir()
    return tmp_path / "prompts"


def keeper(here: Project, prompts: Path, more: str = "") -> tuple[str, str]:
    return command(here, f"FOLDER = {str(prompts)!r}\n{KEEPS}{more}")


def go(prompts: Path, turn: int) -> None:
    Path(f"{prompts}.go{turn}").touch()


# --- loop logs ---


def test_logs_shows_the_last_turn_or_one_of_them(checked_project: Project) -> None:
    checked_project.run(
        "run",
        "--script",
        script(checked_project, {"say": "first words", "write": {"n.txt": "x"}}, STOPS),
    )

    assert checked_project.run("logs").out.startswith("— turn 2, script —\n")
    assert "the key is missing" in checked_project.run("logs").out
    assert (
        checked_project.run("logs", "--turn", "1").out
        == "— turn 1, script —\n→ write n.txt\nfirst words\n"
    )
    assert [
        json.loads(line)["type"]
        for line in checked_project.run("logs", "--turn", "1", "--json").out.splitlines()
    ] == ["tool", "text"]
    assert checked_project.run("logs", "--turn", "7").code == 1


def test_logs_of_a_loop_that_has_ended_and_of_none(project) -> None:
    here = start_checked_loop(project)
    before = here.run("logs")
    here.run("run", "--script", script(here, {**DONE, "say": f"last words\n{CLAIM}"}))

    assert (before.code, "no runner has left a log here" in before.err) == (1, True)
    assert "last words" in here.run("logs").out
    assert here.run("logs", here.ended.id).out == here.run("logs").out
    assert (here.run("logs", "20200101-000000-abcdef").code, here.run("logs", "../..").code) == (
        1,
        1,
    )


def test_logs_follows_a_run_to_its_end(checked_project: Project, prompts: Path) -> None:
    with Runner(
        checked_project,
        *keeper(checked_project, prompts, f"turn and (open('done.txt', 'w'), print({CLAIM!r}))"),
    ) as runner:
        with Runner(runner.works().here, "-f", order="logs") as follower:
            follower.shows("turn 0 begins")
            go(prompts, 0)
            follower.shows("turn 1 begins")
            go(prompts, 1)
            said = follower.ends()
        assert runner.ends().code == 0

    assert said.code == 0, said.err
    assert re.findall(r"— turn \d+, command —|turn \d (?:begins|ends)", said.out) == [
        *("— turn 1, command —", "turn 0 begins", "turn 0 ends"),
        *("— turn 2, command —", "turn 1 begins", "turn 1 ends"),
    ]


def test_logs_follows_no_longer_than_somebody_works(
    checked_project: Project, prompts: Path
) -> None:
    with (
        Runner(checked_project, *keeper(checked_project, prompts)) as runner,
        Runner(runner.works().here, "-f", order="logs") as follower,
    ):
        follower.shows("turn 0 begins")
        checked_project.run("pause")
        runner.ends()

        assert follower.ends().code == 0


@pytest.mark.long
def test_old_logs_are_packed_and_still_shown(project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_logs, "PLAIN_LOGS", 2)
    monkeypatch.setattr(turn_logs, "SMALL_BYTES", 0)
    here = start_checked_loop(project, "--iterations", "5")
    turns = [{"say": f"words of turn {n}", "write": {"n.txt": str(n)}} for n in range(1, 5)]
    here.run("run", "--script", script(here, *turns, STOPS))

    names = sorted(path.name for path in (here.root / ".loop/logs").iterdir())
    assert names == [
        "0001-script.log.gz",
        *(f"000{n}-script.log" for n in (2, 3, 4, 5)),
    ]
    assert "words of turn 1" in here.run("logs", "--turn", "1").out
    assert "words of turn 4" in here.run("logs", "--turn", "4").out


def test_a_log_that_packing_makes_no_smaller_stays_as_it_is(project) -> None:
    here: Project = project()
    logs = here.root / ".loop/logs"
    logs.mkdir(parents=True)
    for number in range(1, 41):
        size = turn_logs.SMALL_BYTES + (number == 5)
        (logs / f"{number:04d}-claude.log").write_bytes(b"x" * size)
    turn_logs.pack_old_logs(here.folder, 40)

    assert [path.name for path in logs.glob("*.gz")] == ["0005-claude.log.gz"]


def test_the_folder_of_the_logs_is_listed_once_in_twenty_turns(
    project, monkeypatch: pytest.MonkeyPatch
) -> None:
    here: Project = project()
    listed: list[str] = []
    monkeypatch.setattr(turn_logs.os, "listdir", lambda path: listed.append(path) or [])
    for turn in range(1, 101):
        turn_logs.pack_old_logs(here.folder, turn)

    assert len(listed) == 5


def test_the_logs_of_ten_thousand_turns_are_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    for name in ("9999-claude.log.gz", "10000-claude.log", "0002-codex.log.gz"):
        (tmp_path / "logs" / name).touch()
    paths = turn_logs.all_log_paths(str(tmp_path))

    assert [(Path(path).name, turn_logs.agent_of_log(path)) for path in paths] == [
        ("0002-codex.log.gz", "codex"),
        ("9999-claude.log.gz", "claude"),
        ("10000-claude.log", "claude"),
    ]


# --- progress ---


def test_plain_output_tells_once_a_minute_how_far_it_is(
    checked_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_view, "PROGRESS_SECONDS", 0.05)
    slow = {"seconds": 0.5, "say": "worked", "write": {"n.txt": "x"}}
    said = checked_project.run("run", "--script", script(checked_project, slow, STOPS))

    assert "    … 0:00 | " in said.out
    assert "| $0.00 so far" in said.out


# --- loop steer ---


def test_steer_reaches_the_next_prompt_and_no_later_one(
    checked_project: Project, prompts: Path
) -> None:
    with Runner(
        checked_project, *keeper(checked_project, prompts, "open('n.txt', 'a').write('x')")
    ) as runner:
        runner.works(1)
        said = checked_project.run("steer", "leave the $(database) alone")
        for turn in (0, 1):
            go(prompts, turn)
            until((prompts / str(turn + 1)).exists, lambda: runner.out)
    told = [
        "The person says: leave the $(database) alone" in (prompts / str(turn)).read_text()
        for turn in range(3)
    ]

    assert (said.code, "Noted" in said.out) == (0, True)
    assert told == [False, True, False]


def test_steer_is_not_lost_on_an_agent_that_could_not_work(
    checked_project: Project, prompts: Path, monkeypatch
) -> None:
    monkeypatch.setenv(
        "PATH",
        write_fake_agent(
            checked_project,
            "claude",
            f"FOLDER = {str(prompts)!r}\nBLOCKED = {STOPS['say']!r}\n{LIMITED}",
        ),
    )
    checked_project.run("steer", "mind the gap")
    checked_project.run("run", "--agent", "claude")
    told = [
        "The person says: mind the gap" in (prompts / str(turn)).read_text() for turn in range(3)
    ]

    assert told == [True, True, False]


def test_steer_wants_words_and_a_loop(project) -> None:
    assert start_checked_loop(project).run("steer", "  ").code == 1
    assert "no active loop" in project().run("steer", "hm").err
