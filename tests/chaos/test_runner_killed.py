"""kill -9 of a runner, at any moment: the next one goes on without an iteration lost or doubled, and nobody is left behind."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.loop import Loop
from tests.e2e.waiting import until
from tests.support.project import Project
from tests.support.runner import (
    CLAIM,
    DONE,
    SLOW,
    Runner,
    read_when_complete,
    script,
    start_checked_loop,
    wait_until_gone,
    write_fake_agent,
)
from tests.torture.size import size

KILLS = size(commit=5, long=13)
# Speaks as claude does. Now and then it meets a usage limit; else it works for a moment, and each turn brings it one nearer.
WORKER = """
import random
keep = lambda name: open(f"{FOLDER}/{name}", "a")
say = lambda **event: print(json.dumps(event), flush=True)
print(os.getpid(), file=keep("pids"), flush=True)
say(type="system", subtype="init", session_id="s1")
limited = f"{FOLDER}/limited"
if random.random() < 0.25 and not os.path.exists(limited):
    open(limited, "w")
    say(type="rate_limit_event", rate_limit_info={"status": "rejected", "resetsAt": time.time() + 1})
    say(type="result", is_error=True, result="limit", api_error_status=429, total_cost_usd=0.125)
else:
    if os.path.exists(limited): os.remove(limited)
    time.sleep(random.random() * 0.3)
    print("x", file=open("worked", "a"))
    say(type="result", is_error=False, result=open(f"{FOLDER}/says").read(), total_cost_usd=0.25, terminal_reason="completed")
"""
CHECK = """sh -c 'echo "$((100000 - $(wc -l <worked))) failed"; sleep 0.1; test -e finish'"""


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """What the agent keeps, outside the project."""
    place = tmp_path / "kept"
    place.mkdir()
    (place / "says").write_text("thinking")
    return place


def pids(kept: Path) -> list[int]:
    return [int(pid) for pid in (kept / "pids").read_text().split()]


def moments(here: Project) -> Loop:
    """The journal reads, whatever was cut off."""
    return here.folder.read_loop() or here.ended


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_killed_again_and_again_it_reaches_its_proven_end(
    project, kept: Path, seed: int, monkeypatch
) -> None:
    chance, here = random.Random(seed), project({"worked": ""})
    monkeypatch.setenv(
        "PATH", write_fake_agent(here, "claude", f"FOLDER = {str(kept)!r}\n{WORKER}")
    )
    here.start("--check", f"done={CHECK}", "--iterations", "900", "--budget", "900")
    spent = [moments(here).spend]
    for _ in range(KILLS):
        with Runner(here, "--agent", "claude") as runner:
            runner.shows("at most:")
            time.sleep(chance.random() * 0.8)  # not to wait for something: to be anywhere
            runner.kill()
        spent.append(moments(here).spend)
    (kept / "says").write_text(CLAIM)
    (here.root / "finish").touch()
    said = here.run("run", "--agent", "claude")

    assert said.code == 0, said.err
    assert here.ended.verdict is not None
    assert here.ended.verdict.proven
    spent.append(here.ended.spend)
    assert spent == sorted(spent, key=lambda spend: (spend.iterations, spend.dollars))
    assert [spend.dollars for spend in spent] == sorted(spend.dollars for spend in spent)
    accounted(here)
    assert wait_until_gone(*pids(kept))


def accounted(here: Project) -> None:
    """Each turn was begun once and ended once; each cent that an agent told of is counted once."""
    turns = [event for event in here.events() if event["is"] in ("TurnStarted", "TurnEnded")]
    assert [event["is"] for event in turns] == ["TurnStarted", "TurnEnded"] * (len(turns) // 2)
    told_of = [event["report"] for event in here.events("TurnReported")]
    whole = [one for one in told_of if not one.get("lost") and not one.get("usage_limited")]
    counted = [
        event for event in here.events("TurnEnded") if event.get("counts_as_iteration", True)
    ]
    assert here.ended.spend.iterations == len(counted) == len(whole)
    assert len(told_of) == len(turns) // 2
    assert here.ended.spend.dollars == pytest.approx(sum(map(cost, logged(here))))
    assert len((here.root / "worked").read_text().split()) >= len(whole)


def logged(here: Project) -> list[dict[str, Any]]:
    logs = (here.root / ".loop/history" / here.ended.id / "logs").iterdir()
    return [json.loads(line) for log in logs for line in log.read_text().splitlines()]


def cost(event: dict[str, Any]) -> float:
    return float(event.get("total_cost_usd", 0.0))


# --- the same, at moments that we choose ---


def test_killed_in_a_turn_it_is_begun_again(project) -> None:
    here = start_checked_loop(project)
    with Runner(here, "--script", script(here, SLOW)) as runner:
        runner.works().kill()
    said = here.run("run", "--script", script(here, SLOW, DONE))

    assert said.code == 0, said.err
    assert "An earlier runner died in its turn" in said.out
    assert (here.ended.spend.iterations, len(here.events("TurnStarted"))) == (1, 2)


@pytest.mark.long
def test_killed_in_a_check_only_the_checks_run_again(project, tmp_path: Path) -> None:
    here, go, pid = project(), tmp_path / "go", tmp_path / "pid"
    here.start(
        "--check",
        f"done=test -e done.txt && {{ test -e '{go}' || {{ echo $$ >'{pid}'; exec sleep 300; }}; }}",
    )
    with Runner(here, "--script", script(here, {**DONE, "dollars": 0.5})) as runner:
        check = int(read_when_complete(pid))
        until(
            lambda: (here.root / f".loop/running/{check}").exists(),
            lambda: "its group is not recorded",
        )
        runner.kill()
    go.touch()
    said = here.run("run", "--script", script(here, {"exit": 1}))

    assert said.code == 0, said.err
    assert (
        here.ended.spend.iterations,
        here.ended.spend.dollars,
        len(here.events("TurnStarted")),
    ) == (1, 0.5, 1)
    assert wait_until_gone(check)


@pytest.mark.long
def test_killed_while_it_waits_it_waits_for_the_rest(project) -> None:
    here = start_checked_loop(project)
    turns = script(here, {"fail": "usage limit", "limit": 3}, DONE)
    with Runner(here, "--script", turns) as runner:
        runner.shows("left, until").kill()
    said = here.run("run", "--script", turns)

    assert said.code == 0, said.err
    assert (here.ended.spend.iterations, len(here.events("TurnStarted"))) == (1, 2)
    second = here.events("TurnStarted")[1]["at"]
    assert second >= here.events("WaitStarted")[0]["until"]


def test_killed_just_past_the_end_the_next_run_shows_the_result(project, tmp_path: Path) -> None:
    """It said "no active loop", although the loop was proven."""
    here, told = start_checked_loop(project), tmp_path / "told"
    hangs = f"sh -c 'echo x >{told}; exec sleep 300'"  # it is told once the end is recorded
    with Runner(here, "--script", script(here, DONE), "--notify", hangs) as runner:
        read_when_complete(told)
        runner.kill()
    said = here.run("run")

    assert said.code == 0, said.err
    assert "[LOOP] The loop had ended before its run was killed." in said.out
    assert "SHIP" in said.out
    again = here.run("run")
    assert (again.code, "no active loop" in again.err) == (1, True)
