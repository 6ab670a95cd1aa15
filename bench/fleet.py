"""What a fleet costs: submitting, the memory of a pool, and how many workers one database carries.

    python bench/fleet.py            # SQLite, and Postgres where it is installed
    python bench/fleet.py --json

The workers of the last table are simulated: threads that make the same transactions on the real
database as a worker does (claim, reserve, settle with a checkpoint, give back, renew), without
agents in between. So it measures the database alone.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import sqlalchemy as sa

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.fleet.night import FleetNight
from tests.support import postgres

from loopwright.fleet import ledger
from loopwright.fleet.checkpoint import Checkpoint
from loopwright.fleet.database import Database, open_database
from loopwright.fleet.jobs import JobRequest, submit_jobs
from loopwright.fleet.ledger import TurnResult, TurnWish
from loopwright.fleet.liveness import Reaper, WorkerFacts, enter_worker, renew_time
from loopwright.fleet.placement import Claimer, claim_jobs, release_job
from loopwright.fleet.tables import QUEUED, workers

JOBS = 1_000
SLOTS = 8
SECONDS = 5.0  # for each row of the simulation
CROWD_JOBS, CROWD_WORKERS = 100_000, 10_000
CHECKPOINT = Checkpoint(b"b" * 20_000, b"f" * 20_000, b"")  # of a small loop


def requests(count: int) -> list[JobRequest]:
    words = ["add lines", "--check", "lines=sh count.sh 3"]
    return [
        JobRequest(f"job {n}", "r", "c0ffee", bundle=b"x", start_words=words) for n in range(count)
    ]


def submit_rates(database: Database) -> dict[str, float]:
    """Jobs per second: all in one transaction, and one transaction for each."""
    began = time.perf_counter()
    submit_jobs(database, requests(JOBS))
    together = JOBS / (time.perf_counter() - began)
    began = time.perf_counter()
    for request in requests(200):
        submit_jobs(database, [request])
    return {"together": together, "one by one": 200 / (time.perf_counter() - began)}


def pool_memory(address: str, folder: Path) -> float:
    """The most megabytes of a worker with 8 busy slots and 1,000 submitted loops."""
    night = FleetNight(address, folder)
    try:
        night.submit(JOBS, turns=2, seconds=2.0)
        worker = night.start_worker(slots=SLOTS)
        night.wait_until(
            lambda: sum(job.state == "ended" for job in night.jobs()) >= 2 * SLOTS, "16 ends"
        )
        text = Path(f"/proc/{worker.pid}/status").read_text()
        (line,) = [line for line in text.splitlines() if line.startswith("VmHWM")]
        return int(line.split()[1]) / 1000
    finally:
        night.close()


def turns_per_second(databases: list[Database], workers: int) -> float:
    """Whole turns of simulated workers, which are spread over the databases."""
    for database in databases:
        submit_jobs(database, requests(workers * 2))
    done = [0] * workers
    end = time.perf_counter() + SECONDS
    threads = [
        threading.Thread(target=simulate, args=(databases[n % len(databases)], n, end, done))
        for n in range(workers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / SECONDS


def simulate(database: Database, number: int, end: float, done: list[int]) -> None:
    claimer = Claimer(f"w{number}", frozenset(), frozenset({"default"}))
    while time.perf_counter() < end:
        for job in claim_jobs(database, claimer, 1):
            turn = job.turns + 1
            with database.writing() as connection:
                ledger.reserve_turn(connection, database, job, TurnWish(turn, 1.0, 0.0, 60.0))
            with database.writing() as connection:
                result = TurnResult(turn, 0.5, CHECKPOINT, {}, {})
                ledger.settle_turn(connection, database, job, result)
            with database.writing() as connection:
                release_job(connection, job.id, job.fence, 0.0, QUEUED, failures=0)
            done[number] += 1


def renewals_per_second(database: Database, workers: int) -> float:
    for number in range(workers):
        enter_worker(database, WorkerFacts(f"r{number}", "1", 1, (), (), 10_000 + number))
    done = [0] * workers
    end = time.perf_counter() + SECONDS

    def renew(number: int) -> None:
        while time.perf_counter() < end:
            with database.writing() as connection:
                renew_time(connection, database, f"r{number}", "working")
            done[number] += 1

    threads = [threading.Thread(target=renew, args=(n,)) for n in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / SECONDS


def crowded_latencies(database: Database) -> dict[str, float]:
    """Milliseconds of a claim and of a look for dead workers, among many jobs and workers."""
    for _ in range(CROWD_JOBS // 10_000):
        submit_jobs(database, requests(10_000))
    rows = [worker_row(number) for number in range(CROWD_WORKERS)]
    with database.writing() as connection:
        now = database.now(connection)
        connection.execute(
            sa.insert(workers), [{**row, "started_at": now, "heard_at": now + 3600} for row in rows]
        )
    claimer = Claimer("me", frozenset(), frozenset({"default"}))
    reaper = Reaper(database, "me")
    return {
        "claim": median_ms(lambda: claim_jobs(database, claimer, 1)),
        "look for dead workers": median_ms(reaper.find_lost_jobs),
    }


def worker_row(number: int) -> dict[str, object]:
    return {
        "id": f"crowd{number}",
        "host": "host",
        "pid": number,
        "process_started": "",
        "release": "1",
        "slots": 8,
        "labels": [],
        "accounts": ["default"],
        "lock_number": 1_000_000 + number,
        "state": "working",
    }


def median_ms(action: Callable[[], object]) -> float:
    times = []
    for _ in range(30):
        began = time.perf_counter()
        action()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


@contextmanager
def new_databases(kind: str, count: int) -> Iterator[tuple[list[Database], list[str]]]:
    with ExitStack() as stack:
        if kind == "sqlite":
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            addresses = [os.path.join(folder, f"{n}.db") for n in range(count)]
        else:
            server = stack.enter_context(postgres.running_postgres())
            addresses = [server.create_database(f"fleet{number}") for number in range(count)]
        databases = [open_database(address) for address in addresses]
        for database in databases:
            stack.callback(database.close)
        yield databases, addresses


def measure(kind: str) -> dict[str, object]:
    figures: dict[str, object] = {}
    with new_databases(kind, 1) as (databases, addresses):
        figures["submit"] = submit_rates(databases[0])
    with (
        new_databases(kind, 1) as (_, addresses),
        # Agents of the killed worker may still write.
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
    ):
        figures["pool MB"] = pool_memory(addresses[0], Path(folder))
    rows: list[tuple[int, int, float]] = []
    for partitions, count in ((1, 1), (1, 8), (1, 32), (4, 32)):
        with new_databases(kind, partitions) as (databases, _):
            rows.append((partitions, count, turns_per_second(databases, count)))
    figures["turns"] = rows
    with new_databases(kind, 1) as (databases, _):
        figures["renewals"] = renewals_per_second(databases[0], 8)
        figures["crowd"] = crowded_latencies(databases[0])
    return figures


def show(kind: str, figures: dict[str, object]) -> None:
    submit = figures["submit"]
    print(f"{kind}")
    print(f"  submit {JOBS} jobs together   {submit['together']:10.0f} /s")  # type: ignore[index]
    print(f"  submit one by one          {submit['one by one']:10.0f} /s")  # type: ignore[index]
    print(f"  pool with {SLOTS} busy slots      {figures['pool MB']:10.0f} MB")
    for partitions, count, rate in figures["turns"]:  # type: ignore[attr-defined]
        print(
            f"  turns, {count:2} workers, {partitions} database{'s' if partitions > 1 else ' '} {rate:10.0f} /s"
        )
    for what, milliseconds in figures["crowd"].items():  # type: ignore[attr-defined]
        print(
            f"  {what:26} {milliseconds:10.1f} ms, {CROWD_JOBS:,} jobs, {CROWD_WORKERS:,} workers"
        )
    print(f"  renewals                   {figures['renewals']:10.0f} /s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    kinds = ["sqlite", *(["postgres"] if postgres.PROGRAMS else [])]
    found = {}
    for kind in kinds:
        found[kind] = measure(kind)
        if not args.json:
            show(kind, found[kind])
    if args.json:
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
