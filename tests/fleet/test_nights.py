"""Real workers against a real database: kills, partitions, upgrades and skewed clocks."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from loopwright.fleet import orders
from loopwright.fleet.tables import ENDED, LOST, PAUSED, QUEUED, RUNNING, limits
from tests.fleet.night import DONE, TURN_DOLLARS, FleetNight, check_ended_once
from tests.support.postgres import Postgres
from tests.support.tcp_proxy import CuttableProxy
from tests.torture.size import size

SOURCE = Path(__file__).parents[2] / "src"


def on(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("address", [kind], indirect=True)


@pytest.mark.parametrize(
    "address", ["postgres", pytest.param("sqlite", marks=pytest.mark.long)], indirect=True
)
def test_loops_end_once_although_workers_and_the_database_are_killed(
    night: FleetNight, request: pytest.FixtureRequest
) -> None:
    """Workers on SQLite are killed in test_one_agent.py too."""
    night.submit(size(commit=2, long=4), turns=2, seconds=0.3, has_room=True)
    for _ in range(2):
        night.start_worker(slots=2)
    night.wait_until(lambda: RUNNING in states(night), "the first claim")
    for kill in range(size(commit=2, long=3)):
        time.sleep(night.random.uniform(0.5, 2.0))  # any moment will do
        if kill == 1 and not night.database.is_sqlite:
            server: Postgres = request.getfixturevalue("postgres")
            server.kill()
            server.restart_after_kill()
        else:
            night.kill_any_worker()
            night.start_worker(slots=2)
    night.wait_for_end()
    check_ended_once(night, iterations=2, grades=("proven",))


@pytest.mark.long
@on("sqlite")
def test_a_frozen_worker_loses_its_jobs_and_nothing_is_counted_twice(night: FleetNight) -> None:
    night.submit(1, turns=2, seconds=1.0)
    frozen = night.start_worker(slots=1)
    night.wait_until(lambda: RUNNING in states(night) and bool(night.open_turns()), "a turn")
    frozen.send_signal(signal.SIGSTOP)
    night.start_worker(slots=1)
    night.wait_for_end()
    check_ended_once(night, iterations=2)
    assert frozen.wait() == -signal.SIGKILL


@pytest.mark.long
@on("sqlite")
def test_a_job_that_kills_its_workers_is_parked_and_the_job_beside_it_ends(
    night: FleetNight,
) -> None:
    """The agent is started by its supervisor, which the worker started."""
    kill = "S=$(ps -o ppid= -p $PPID); kill -9 $(ps -o ppid= -p $S)"
    turn = {"run": ["sleep 1", kill, "sleep 60"], "say": DONE}
    (killer,) = night.submit(1, turns=1, files={"script.json": json.dumps({"turns": [turn]})})
    (innocent,) = night.submit(1, turns=1, seconds=4.0)
    dead = 0
    while states_by_id(night)[killer] != PAUSED:
        worker = night.start_worker(slots=2)
        night.wait_until(
            lambda worker=worker: (
                worker.poll() is not None or states_by_id(night)[killer] == PAUSED
            ),
            "its death",
        )
        dead += worker.poll() is not None
    assert dead == 3
    night.wait_until(lambda: states_by_id(night)[innocent] == ENDED, "the end of the other")
    (job,) = (job for job in night.jobs() if job.id == killer)
    assert f"loop fleet retry {killer}" in job.reason


@pytest.mark.long  # without workers in test_placement_and_ledger.py
@on("postgres")
def test_limits_of_two_repositories_and_two_accounts_hold(
    night: FleetNight, tmp_path: Path
) -> None:
    with night.database.writing() as connection:
        for scope, at_once in (("repository:one", 1), ("account:busy", 2)):
            connection.execute(sa.insert(limits).values(scope=scope, at_once=at_once))
    for repository, account in (("one", "busy"), ("one", "free"), ("two", "busy"), ("two", "free")):
        count = 2 if (repository, account) == ("two", "busy") else 1
        night.submit(count, turns=1, seconds=0.5, repository=repository, account=account)
    for _ in range(2):
        night.start_worker(*accounts(tmp_path, "busy", "free"), slots=4)
    most = {"one": 0, "busy": 0}
    while any(job.state != ENDED for job in night.jobs()):
        running = [job for job in night.jobs() if job.state == RUNNING]
        most["one"] = max(most["one"], sum(job.repository == "one" for job in running))
        most["busy"] = max(most["busy"], sum(job.account == "busy" for job in running))
        time.sleep(0.05)
    assert most["one"] == 1
    assert most["busy"] == 2


@on("sqlite")
def test_a_drained_worker_finishes_its_turn_and_another_continues(night: FleetNight) -> None:
    night.submit(1, turns=3, seconds=0.5)
    first = night.start_worker(slots=1)
    night.wait_until(lambda: bool(night.open_turns()), "a turn")
    first.send_signal(signal.SIGTERM)
    assert first.wait(60) == 0
    (job,) = night.jobs()
    assert (job.state, job.worker) == (QUEUED, "")
    assert job.turns >= 1
    assert night.open_turns() == []
    night.start_worker(slots=1)
    night.wait_for_end()
    check_ended_once(night, iterations=3)
    assert night.count_turns(LOST) == 0


@pytest.mark.long
@on("sqlite")
def test_a_second_signal_ends_a_worker_at_once(night: FleetNight) -> None:
    night.submit(1, turns=2, seconds=30.0)
    worker = night.start_worker(slots=1)
    night.wait_until(lambda: bool(night.open_turns()), "a turn")
    worker.send_signal(signal.SIGTERM)
    time.sleep(0.5)
    worker.send_signal(signal.SIGTERM)
    worker.wait(20)
    (job,) = night.jobs()
    assert job.state == QUEUED
    assert night.count_turns(LOST) == 1


@on("postgres")
def test_after_an_upgrade_the_new_release_continues_from_the_checkpoint(
    night: FleetNight, tmp_path: Path
) -> None:
    """The old release's workflow is cancelled, never replayed by the new one."""
    night.submit(1, turns=3, seconds=0.5)
    old = night.start_worker(slots=1)
    night.wait_until(lambda: night.jobs()[0].turns >= 1, "a settled turn")
    old.kill()
    old.wait()
    night.start_worker(slots=1, env={"PYTHONPATH": newer_release(tmp_path)})
    night.wait_for_end()
    check_ended_once(night, iterations=3)
    (job,) = night.jobs()
    assert job.release == "99.0"


@pytest.mark.long
@on("postgres")
def test_a_clock_that_is_wrong_by_a_day_changes_nothing(night: FleetNight, tmp_path: Path) -> None:
    night.submit(2, turns=2, seconds=0.3)
    for shift in (-86400, 86400):
        night.start_worker(slots=1, env={"PYTHONPATH": shifted_clock(tmp_path, shift)})
    night.wait_for_end()
    # The clock of the files is right here, so they may seem to be written during a check.
    check_ended_once(night, iterations=2, grades=("proven-in-place", "reported"))
    assert night.count_turns(LOST) == 0


@on("sqlite")
def test_a_paused_job_is_held_by_nobody_and_continues_when_asked(night: FleetNight) -> None:
    (job_id,) = night.submit(1, turns=2)
    night.start_worker(slots=1)
    night.wait_until(lambda: states(night) == [RUNNING] and bool(night.open_turns()), "a turn")
    orders.give_order(night.database, job_id, orders.PAUSE, "I look at it")
    night.wait_until(lambda: states(night) == [PAUSED], "the pause")
    assert "I look at it" in night.jobs()[0].reason
    orders.give_order(night.database, job_id, orders.RETRY)
    night.wait_for_end()
    assert states(night) == [ENDED]


@on("sqlite")
def test_a_job_that_cannot_start_fails_with_the_reason_and_can_be_retried(
    night: FleetNight,
) -> None:
    (job_id,) = night.submit(1, start_words=["add lines", "--budget", "many"])
    night.start_worker("--until-idle", slots=1).wait(60)
    (job,) = night.jobs()
    assert job.state == "failed"
    assert "many" in job.reason
    _, reply = orders.give_order(night.database, job_id, orders.RETRY)
    assert "queued again" in reply


@pytest.mark.long
@pytest.mark.parametrize("seconds", [3.0, 20.0])
def test_a_partition_stops_a_worker_at_its_next_step_and_it_continues_afterwards(
    postgres: Postgres, tmp_path: Path, seconds: float
) -> None:
    proxy = CuttableProxy(str(postgres.folder / ".s.PGSQL.5432"))
    address = f"postgresql://postgres@127.0.0.1:{proxy.port}/postgres"
    night = FleetNight(postgres.empty_database(), tmp_path)
    try:
        night.submit(1, turns=3, seconds=0.5)
        night.address = address
        night.start_worker(slots=1)
        night.wait_until(lambda: night.jobs()[0].turns >= 1, "a settled turn")
        proxy.cut()
        time.sleep(seconds)
        settled = night.jobs()[0].turns
        assert settled <= 2  # no step passes the cut
        proxy.mend()
        night.wait_for_end()
        check_ended_once(night, iterations=3)
    finally:
        night.close()
        proxy.close()


@pytest.mark.long
@on("sqlite")
def test_a_usage_limit_of_one_account_does_not_stop_the_other(
    night: FleetNight, tmp_path: Path
) -> None:
    limited = json.dumps({"turns": [{"fail": "usage limit reached", "limit": 600}]})
    (stopped,) = night.submit(1, files={"script.json": limited}, account="busy")
    night.start_worker(*accounts(tmp_path, "busy", "free"), slots=1)
    night.wait_until(lambda: bool(night.jobs()[0].waits_for), "the usage limit")
    (waits,) = night.submit(1, turns=1, account="busy")
    (works,) = night.submit(1, turns=1, account="free")
    night.wait_until(lambda: states_by_id(night)[works] == ENDED, "the end of the other")
    assert states_by_id(night) == {stopped: QUEUED, waits: QUEUED, works: ENDED}


@pytest.mark.long
@on("sqlite")
def test_a_job_whose_worker_has_a_full_disk_continues_on_another(night: FleetNight) -> None:
    """The first worker's folder is on a small disk, which the agent fills in its turn."""
    fill = 'test "$(df --output=size -k . | tail -1)" -gt 300000 || cat /dev/zero > big.bin'
    turn = {"run": [fill, "echo line >> done.txt"], "say": DONE, "dollars": TURN_DOLLARS}
    (disk := night.folder / "disk").mkdir()
    night.submit(1, turns=1, files={"script.json": json.dumps({"turns": [turn]})})
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=240m", "tmpfs", str(disk)], check=True)
    try:
        night.start_worker("--root", str(disk), slots=1)
        night.wait_until(lambda: "room" in night.jobs()[0].waits_for, "the full disk")
        night.start_worker(slots=1)
        night.wait_for_end()
        check_ended_once(night, iterations=1)
    finally:
        night.close()
        subprocess.run(["umount", "-l", str(disk)], check=True)


def states_by_id(night: FleetNight) -> dict[str, str]:
    return {job.id: job.state for job in night.jobs()}


def states(night: FleetNight) -> list[str]:
    return [job.state for job in night.jobs()]


def accounts(folder: Path, *names: str) -> list[str]:
    """The options of a worker that can use these accounts."""
    words = []
    for name in names:
        path = folder / f"{name}.env"
        path.write_text("ANTHROPIC_API_KEY=not-a-key\n")
        path.chmod(0o600)
        words += ["--account", f"{name}={path}"]
    return words


def newer_release(folder: Path) -> str:
    """A copy of the package that calls itself another release."""
    copy = folder / "newer"
    shutil.copytree(SOURCE / "loopwright", copy / "loopwright")
    package = copy / "loopwright" / "__init__.py"
    lines = package.read_text().splitlines()
    lines = ['__version__ = "99.0"' if line.startswith("__version__") else line for line in lines]
    package.write_text("\n".join(lines) + "\n")
    return str(copy)


def shifted_clock(folder: Path, seconds: int) -> str:
    """A folder for PYTHONPATH that shifts time.time in every Python process."""
    site = folder / f"clock{seconds}"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        f"import time\nreal = time.time\ntime.time = lambda: real() + {seconds}\n"
    )
    return os.pathsep.join([str(site), str(SOURCE)])
