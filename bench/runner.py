"""Measure an iteration of `loop run` against one of a shell's `while`, alone and many at once.

python bench/runner.py [--rounds N] [--iterations N] [--loops N] [--json]

Both run the same commands. It asserts no time.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from report import OURS, SHELL, describe_machine, runner_tables, save_tables, table_text
from timing import Timing
from world import World

from loopwright.core.loop import Clock

HERE = Path(__file__).resolve().parent
# An agent that does nothing would trip these breakers.
BREAKER_LIMITS = ("stuck", "rethink", "same_error", "same_file", "idle", "transient")
NEVER = 10**6
PAUSED = 3  # the exit code of a loop that has used up its iterations
WHILE = 'i=0; while [ "$i" -lt {count} ]; do {agent} > /dev/null; {check} i=$((i + 1)); done'


@dataclass
class Case:
    """What an iteration does; agent and check are the same on both sides."""

    name: str
    agent: str
    check: str = ""


class Runners:
    """Runs drivers in small repositories; only the number of iterations ends their loops."""

    def __init__(self, world: World) -> None:
        self.world, self.python = world, os.path.realpath(sys.executable)
        self.env = {**world.env, "PYTHONPATH": str(world.src)}

    def cases(self) -> list[Case]:
        """No check; a check; an agent that changes a file, so that its check runs every time."""
        nothing, no = f"{shutil.which('printf')} x", str(shutil.which("false"))
        worker = self.world.base / "worker.sh"
        worker.write_text("echo $$ > part0/file0.py\necho x\n")
        return [
            Case("the agent does nothing", nothing),
            Case("the same, and a check", nothing, no),
            Case("the agent changes a file, and a check", f"/bin/sh {worker}", no),
        ]

    def create_loop(self, root: Path, case: Case, iterations: int) -> None:
        from loopwright.core.criteria import Check, Criterion
        from loopwright.core.limits import Limits
        from loopwright.core.loop import Loop
        from loopwright.store.create import create_loop
        from loopwright.store.folder import LoopFolder

        shutil.rmtree(root / ".loop", ignore_errors=True)
        now = time.time()
        never = dict.fromkeys(BREAKER_LIMITS, NEVER)
        criterion = Criterion("it is done", check=Check(case.check) if case.check else None)
        loop = Loop(
            root.name,
            "do it",
            criteria=(criterion,),
            limits=Limits(iterations=iterations, dollars=1000.0, minutes=10_000, **never),
            clock=Clock(started_at=now, running_since=now),
        )
        create_loop(LoopFolder(str(root)), loop)

    def start(
        self, side: str, case: Case, root: Path, iterations: int, *more: str
    ) -> subprocess.Popen[bytes]:
        """Start one of both; `more` are further words of `loop run`."""
        check = f"{case.check};" if case.check else ""
        # Without site: what it imports differs from one machine to the next.
        program = [self.python, "-S", "-m", "loopwright.cli.main"]
        argv = {
            # Without a sandbox, as the shell: bench/sandbox.py measures that.
            OURS: [*program, "run", "--sandbox", "off", "--agent-command", case.agent, *more],
            SHELL: ["/bin/sh", "-c", WHILE.format(count=iterations, agent=case.agent, check=check)],
        }[side]
        nowhere = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        return subprocess.Popen(argv, cwd=root, env=self.env, **nowhere)

    def went_well(self, side: str, root: Path, code: int, iterations: int) -> bool:
        from loopwright.store.folder import LoopFolder

        if side == SHELL:
            return code == 0
        loop = LoopFolder(str(root)).read_loop()
        return (
            code == PAUSED
            and loop is not None
            and (loop.pause.cause, loop.spend.iterations) == ("iterations", iterations)
        )

    def time_run(
        self, side: str, case: Case, roots: list[Path], iterations: int
    ) -> tuple[Timing, int]:
        """What it took from the first start to the last end, and the number of failures."""
        for root in roots if side == OURS else ():
            self.create_loop(root, case, iterations)
        began = time.perf_counter()
        started = [self.start(side, case, root, iterations) for root in roots]
        ends = [os.wait4(process.pid, 0) for process in started]
        spent = time.perf_counter() - began
        codes = []
        for process, (_, status, _) in zip(started, ends, strict=True):
            process.returncode = os.waitstatus_to_exitcode(status)
            codes.append(process.returncode)
        processor = sum(usage.ru_utime + usage.ru_stime for _, _, usage in ends)
        return Timing(spent * 1000, processor * 1000), sum(
            not self.went_well(side, root, code, iterations)
            for root, code in zip(roots, codes, strict=True)
        )


def measure_alone(runners: Runners, rounds: int, iterations: int) -> dict[str, Any]:
    """Run one at a time, alternating; the time of a start is measured separately and subtracted."""
    cases = runners.cases()
    roots = {
        case.name: [runners.world.folder(f"alone{number}", git=True)]
        for number, case in enumerate(cases)
    }
    runs = [
        (case, side, count)
        for case in cases
        for side in (SHELL, OURS)
        for count in (1, iterations + 1)
    ]
    times: dict[tuple[str, str, int], list[Timing]] = {
        (case.name, side, count): [] for case, side, count in runs
    }
    failures = 0
    for number in range(rounds + 1):
        random.shuffle(runs)
        for case, side, count in runs:
            spent, failed = runners.time_run(side, case, roots[case.name], count)
            failures += failed
            if number:  # the first round writes bytecode and fills caches
                times[case.name, side, count].append(spent)

    def each(name: str, side: str) -> Timing:
        long, short = times[name, side, iterations + 1], times[name, side, 1]
        pairs = list(zip(long, short, strict=True))
        return Timing(
            median((whole.clock - start.clock) / iterations for whole, start in pairs),
            median((whole.processor - start.processor) / iterations for whole, start in pairs),
        )

    def first(side: str) -> Timing:
        measured = times[cases[0].name, side, 1]
        return Timing(
            median(timing.clock for timing in measured),
            median(timing.processor for timing in measured),
        )

    rows = {case.name: {side: each(case.name, side) for side in (SHELL, OURS)} for case in cases}
    start = {side: first(side) for side in (SHELL, OURS)}
    return {
        "rows": rows,
        "start": start,
        "failures": failures,
        "rounds": rounds,
        "iterations": iterations,
    }


def measure_together(runners: Runners, loops: int, iterations: int) -> dict[str, Any]:
    """Run all at once: iterations per second with and without the start, memory, and failures."""
    roots = [runners.world.folder(f"together{number}", git=True) for number in range(loops)]
    results: dict[str, Any] = {
        "loops": loops,
        "iterations": iterations,
        "failures": 0,
        "rate": {},
        "steady_rate": {},
        "memory": {},
    }
    case = runners.cases()[0]
    for side in (SHELL, OURS):
        start, failed_starts = runners.time_run(side, case, roots, 1)
        spent, failures = runners.time_run(side, case, roots, iterations + 1)
        results["rate"][side] = loops * (iterations + 1) / (spent.clock / 1000)
        results["steady_rate"][side] = loops * iterations / ((spent.clock - start.clock) / 1000)
        results["failures"] += failures + failed_starts
        if os.path.exists("/proc/self/smaps_rollup"):
            results["memory"][side] = measure_memory(runners, side, roots)
    return results


def measure_memory(runners: Runners, side: str, roots: list[Path]) -> dict[str, float]:
    """Megabytes of one driver and its helpers, without the agents, while all agents are at work."""
    gate = runners.world.base / f"gate-{side.replace(' ', '-')}"
    os.mkfifo(gate)
    case = Case("waits", f"{shutil.which('cat')} {gate}")
    for root in roots if side == OURS else ():
        runners.create_loop(root, case, 1)
    started = [runners.start(side, case, root, 1) for root in roots]
    try:
        while not all(
            any(waits for _, waits in below)
            for below in child_processes(started, str(gate)).values()
        ):
            assert all(process.poll() is None for process in started), (
                "one of them ended before its agent was at work"
            )
            time.sleep(0.1)
        drivers = [
            [pid, *(child for child, waits in below if not waits)]
            for pid, below in child_processes(started, str(gate)).items()
        ]
        sizes = [[memory_rollup(pid) for pid in pids] for pids in drivers]
    finally:
        while any(process.poll() is None for process in started):
            with suppress(OSError):  # no reader is left
                os.close(os.open(gate, os.O_WRONLY | os.O_NONBLOCK))
            time.sleep(0.02)
    return {
        kind: median(sum(size[kind] for size in driver) for driver in sizes) / 1000
        for kind in ("Pss", "Rss")
    }


def child_processes(
    started: Iterable[subprocess.Popen[bytes]], word: str
) -> dict[int, list[tuple[int, bool]]]:
    """The children of each process, and whether this word is their first argument."""
    children: dict[int, list[tuple[int, bool]]] = {process.pid: [] for process in started}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError):
            parent = int(Path("/proc", name, "stat").read_text().rpartition(")")[2].split()[1])
            if parent in children:
                words = Path("/proc", name, "cmdline").read_bytes().split(b"\0")
                children[parent].append((int(name), words[1:2] == [word.encode()]))
    return children


def memory_rollup(pid: int) -> dict[str, int]:
    """The memory of a process in kilobytes, by kind (Rss, Pss, …)."""
    rows = [line.split() for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]]
    return {name.rstrip(":"): int(size) for name, size, *_ in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rounds",
        type=int,
        default=20,
        help="number of rounds; every case runs once in each, on both sides",
    )
    parser.add_argument(
        "--iterations", type=int, default=20, help="iterations of a loop after its first"
    )
    parser.add_argument("--loops", type=int, default=100, help="number of loops at once")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--save", action="store_true", help="write the tables for docs/generate.py")
    parser.add_argument(
        "--src", type=Path, default=HERE.parent / "src", help="the sources to measure"
    )
    args = parser.parse_args()
    world = World(args.src)
    try:
        runners = Runners(world)
        results = {
            "machine": describe_machine(args.rounds),
            "alone": measure_alone(runners, args.rounds, args.iterations),
            "together": measure_together(runners, args.loops, args.iterations),
        }
    finally:
        world.remove()
    tables = runner_tables(results)
    if args.save:
        save_tables("runner", results["machine"], tables)
    text = "\n\n".join([results["machine"], *map(table_text, tables.values())])
    print(json.dumps(results, indent=2) if args.json else text)


if __name__ == "__main__":
    main()
