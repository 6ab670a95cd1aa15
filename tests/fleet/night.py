"""A night of a fleet: real workers as processes, real loops, scripted agents, and kills."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import sqlalchemy as sa

from loopwright.fleet.board import parked_jobs, read_board
from loopwright.fleet.database import Database, open_database
from loopwright.fleet.jobs import (
    Job,
    JobRequest,
    read_checkpoint,
    read_turns,
    submit_jobs,
)
from loopwright.fleet.liveness import ALIVE_STATES
from loopwright.fleet.orders import RETRY, give_order
from loopwright.fleet.tables import (
    CLOSED_STATES,
    ENDED,
    RESERVED,
    SETTLED,
    jobs,
    logs,
    turns,
    workers,
)
from tests.fleet.held_job import all_jobs

TURN_DOLLARS = 0.25
DONE = """---LOOP_STATUS---
EXIT_SIGNAL: true
CRITERIA: {"lines": true}
STUCK_COUNT: 0
NEXT: none
---END_STATUS---

<loop-complete>
All success criteria satisfied:
- lines: \u2713
</loop-complete>"""
WAIT_SECONDS = 180.0
PROVEN = ("proven", "proven-in-place")
NO_CHANGES: Mapping[str, str] = {}


def make_repository(folder: Path) -> tuple[str, bytes]:
    """A small project whose check counts lines: the commit, and the bundle that has it."""
    folder.mkdir(parents=True)
    (folder / "README.md").write_text("# A project\n")
    (folder / "count.sh").write_text('test "$(cat done.txt 2>/dev/null | wc -l)" -ge "$1"\n')
    git = ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True)
    bundle = folder.parent / f"{folder.name}.bundle"
    subprocess.run([*git, "bundle", "create", "-q", str(bundle), "HEAD"], check=True)
    return commit.stdout.decode().strip(), bundle.read_bytes()


def a_script(turns: int, seconds: float, calls: Path) -> str:
    """Each turn adds a line, costs the same, and notes outside that it was played."""
    command = f'echo line >> done.txt; echo "$PPID" >> "{calls}"'
    turn = {"run": [command], "say": "one more line", "dollars": TURN_DOLLARS, "seconds": seconds}
    last = {**turn, "say": DONE}
    return json.dumps({"turns": [turn] * (turns - 1) + [last]})


class FleetNight:
    """Workers on one host against one database."""

    def __init__(self, address: str, folder: Path, seed: int = 0) -> None:
        self.address, self.folder = address, folder
        self.database: Database = open_database(address)
        self.random = random.Random(seed)
        self.processes: list[subprocess.Popen[bytes]] = []
        self._log = (folder / "workers.log").open("ab")

    def submit(
        self,
        count: int,
        turns: int = 3,
        seconds: float = 0.0,
        has_room: bool = False,
        **changes: object,
    ) -> list[str]:
        """Submit jobs. `has_room`: they are proven in a clean checkout too, which takes longer."""
        commit, bundle = make_repository(self.folder / f"project-{time.monotonic_ns()}")
        requests = []
        for number in range(count):
            calls = self.folder / f"calls-{time.monotonic_ns()}"
            request: dict[str, object] = {
                "name": f"job {number}",
                "repository": "project",
                "base_commit": commit,
                "bundle": bundle,
                "start_words": [
                    "add lines",
                    "--check",
                    f"lines=sh count.sh {turns}",
                    "--budget",
                    "50",
                    *([] if has_room else ["--room", "off"]),
                ],
                "run_words": ["--agent", "script", "--script", "{files}/script.json"],
                "files": {"script.json": a_script(turns, seconds, calls)},
                **changes,
            }
            requests.append(JobRequest(**request))  # type: ignore[arg-type]
        return submit_jobs(self.database, requests)

    def start_worker(
        self,
        *words: str,
        slots: int = 3,
        env: Mapping[str, str] = NO_CHANGES,
        prefix: Callable[[list[str]], list[str]] = list,
    ) -> subprocess.Popen[bytes]:
        """`prefix` turns the command line into one that runs elsewhere."""
        argv = [sys.executable, "-m", "loopwright", "fleet", "worker", "--database", self.address]
        argv += ["--slots", str(slots), "--root", str(self.folder / "work"), *words]
        process = subprocess.Popen(
            prefix(argv),
            stdout=self._log,
            stderr=self._log,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **env},
            start_new_session=True,
        )
        self.processes.append(process)
        return process

    def kill_any_worker(self) -> subprocess.Popen[bytes]:
        """SIGKILL a worker in the middle of whatever it does."""
        living = [process for process in self.processes if process.poll() is None]
        victim = self.random.choice(living)
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        return victim

    def kill_holder(self) -> subprocess.Popen[bytes]:
        """SIGKILL a worker that has a turn under way."""
        found: list[subprocess.Popen[bytes]] = []
        self.wait_until(lambda: bool(found.extend(self._holders()) or found), "a turn")
        victim = found[0]
        victim.kill()
        victim.wait()
        return victim

    def _holders(self) -> list[subprocess.Popen[bytes]]:
        """The living workers that have a turn under way."""
        with self.database.reading() as connection:
            busy = sa.select(workers.c.pid).where(
                workers.c.id == jobs.c.worker, jobs.c.id.in_(self.open_turns())
            )
            pids = set(connection.execute(busy).scalars())
        return [one for one in self.processes if one.pid in pids and one.poll() is None]

    def open_turns(self) -> list[str]:
        """The jobs whose turn is under way."""
        with self.database.reading() as connection:
            query = sa.select(turns.c.job).where(turns.c.state == RESERVED)
            return list(connection.execute(query).scalars())

    def count_turns(self, state: str) -> int:
        with self.database.reading() as connection:
            query = sa.select(sa.func.count()).where(turns.c.state == state)
            return int(connection.execute(query).scalar_one())

    def count_workers(self) -> int:
        with self.database.reading() as connection:
            query = sa.select(sa.func.count()).where(workers.c.state.in_(ALIVE_STATES))
            return int(connection.execute(query).scalar_one())

    def wait_until(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while not condition():
            assert time.monotonic() < deadline, f"never came: {what}\n{self.story()}"
            time.sleep(0.1)

    def has_ended(self) -> bool:
        return all(job.state in CLOSED_STATES for job in self.jobs())

    def wait_for_end(self) -> None:
        def has_ended() -> bool:
            self.release_parked_jobs()
            return self.has_ended()

        self.wait_until(has_ended, "the end")

    def release_parked_jobs(self) -> None:
        """As a person does who knows that the job is not what ended its workers."""
        with self.database.reading() as connection:
            parked = parked_jobs(read_board(connection, self.database))
        for job in parked:
            give_order(self.database, job["id"], RETRY)

    def jobs(self) -> list[Job]:
        with self.database.reading() as connection:
            return all_jobs(connection)

    def story(self) -> str:
        rows = [f"{job.id} {job.state} {job.reason} {job.waits_for}" for job in self.jobs()]
        with self.database.reading() as connection:
            lines = connection.execute(sa.select(logs.c.job, logs.c.text)).all()[-40:]
        rows += [f"{job} | {text}" for job, text in lines]
        log = (self.folder / "workers.log").read_text(errors="replace")
        return "\n".join([*rows, log[-5000:]])

    def close(self) -> None:
        """End the workers. It may be called twice."""
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()
        self._log.close()
        self.database.close()


def check_ended_once(night: FleetNight, iterations: int, grades: tuple[str, ...] = PROVEN) -> None:
    """Every job ended proven, its journal is whole, and the ledger agrees with it to the cent."""
    problems = problems_of_ended(night, iterations, grades)
    assert problems == [], "\n".join([*problems, night.story()])


def problems_of_ended(
    night: FleetNight, iterations: int, grades: tuple[str, ...] = PROVEN
) -> list[str]:
    found = ((job, _problem_of(night, job, iterations, grades)) for job in night.jobs())
    return [f"{job.id}: {problem}" for job, problem in found if problem]


def _problem_of(night: FleetNight, job: Job, iterations: int, grades: tuple[str, ...]) -> str:
    if job.state != ENDED or job.grade not in grades:
        return f"it is {job.state} {job.grade} {job.reason}"
    with night.database.reading() as connection:
        rows = read_turns(connection, job.id)
        stored = read_checkpoint(connection, job.id)
    settled = [row for row in rows if row["state"] == SETTLED]
    numbers = [row["number"] for row in settled]
    dollars = round(sum(row["spent"] for row in settled), 6)
    loop = job.loop_facts
    expected = {
        "no turn is open": not any(row["state"] == RESERVED for row in rows),
        "each turn is settled once": numbers == list(range(1, len(numbers) + 1)),
        "the ledger has the journal's dollars": dollars == loop["dollars"],
        "the loop has as many iterations": loop["iterations"] == iterations,
        "the last checkpoint is of the last turn": stored is not None and stored[0] == job.turns,
    }
    wrong = [what for what, holds in expected.items() if not holds]
    return f"not so: {', '.join(wrong)} ({numbers}, {dollars}, {loop['dollars']})" if wrong else ""
