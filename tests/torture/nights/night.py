"""One simulated night: its plan from a seed, the real `loop run`, and whether it ended as it should."""

from __future__ import annotations

import json
import os
import random
import shlex
import subprocess
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

from loopwright.core.loop import Loop
from loopwright.drive.runner.stop_signals import TERMINAL_CLOSED
from loopwright.verify.process_groups import processes_with_variable
from tests.support.project import Project
from tests.support.runner import Runner
from tests.torture.gauntlet.disks import CAN_MOUNT, mount

AGENT = Path(__file__).parent / "agent.py"
CLOCK = Path(__file__).parent / "simulated_clock.py"
FACTOR = 600
HOURS = 8
# It counts failures, which become fewer with the work of each turn.
CHECK = "test -e done.txt || { echo $((90 - $(ls | wc -l))) failed; exit 1; }"
LAST_SEED = 49
MAX_RUNS = 12  # of one night: a person, or a service, starts the runner again

# What comes and passes, with an amount from a range; the night continues behind it.
PASSING = {
    "crash": (0, 1),
    "limit": (1, 2),
    "network": (0, 0),
    "hang": (0, 0),
    "suspend": (1, 2),
    "terminal": (0, 0),
    "killed": (0, 0),
    "clean": (0, 0),
    "full": (0, 0),
}
# How a night ends: what its agent does in the end, and the causes that are right then.
ENDINGS: dict[str, tuple[tuple[str, int], tuple[str, ...]]] = {
    "proven": (("done", 20), ("proven",)),
    "morning": (("work", 55), ("person",)),
    "a limit beyond the night": (("limit", 20), ("limit",)),
    "no network any more": (("network", 0), ("person", "limit")),
    "a liar": (("lie", 10), ("stuck",)),
    "a talker": (("idle", 0), ("idle", "stuck")),
    "a spender": (("costly", 20), ("budget",)),
    "a program that only crashes": (("crash", 1), ("crash",)),
    "a program that only hangs": (("hang", 0), ("idle", "stuck")),
}


class ClockedRunner(Runner):
    """A runner by the clock of the night."""

    program = (str(CLOCK),)


class Night:
    """A project, a clock that stands at 23:00, and a plan for the agent."""

    def __init__(self, place: Path, seed: int) -> None:
        self.seed, self.place = seed, place
        self.chance = random.Random(seed)
        self.ending = self._choose_ending()
        self.plan = self._write_plan()
        self.problems: list[str] = []
        place.mkdir(parents=True)
        self.has_disk = any(kind == "full" for kind, _ in self.plan)
        (place / "project").mkdir()
        if self.has_disk:
            assert mount("-t", "tmpfs", "-o", "size=12m", "tmpfs", str(place / "project"))
        self.here = Project(place / "project")
        self._prepare_files()

    def _choose_ending(self) -> str:
        if self.seed == LAST_SEED:
            return "a program that only hangs"  # no other seed draws it
        if self.chance.random() < 0.6:
            return "proven"
        return self.chance.choice([name for name in ENDINGS if name != "proven"])

    def _write_plan(self) -> list[tuple[str, int]]:
        kinds = [kind for kind in PASSING if kind != "full" or CAN_MOUNT]
        faults = self.chance.sample(kinds, self.chance.randint(1, 3))
        steps: list[tuple[str, int]] = [("work", 15)]
        for kind in faults:
            steps += [(kind, self.chance.randint(*PASSING[kind])), ("work", 10)]
        return [*steps, ENDINGS[self.ending][0]]

    def _prepare_files(self) -> None:
        evening = datetime.now().replace(hour=23, minute=0, second=0) + timedelta(days=1)
        ahead = evening.timestamp() - time.time()
        (self.place / "clock").write_text(f"{ahead} 0.0\n")
        (self.place / "plan.json").write_text(json.dumps(self.plan))
        (self.place / "bin").mkdir()
        client = self.place / "bin/claude"
        argv = shlex.join([sys.executable, "-I", "-S", str(AGENT)])
        version = '[ "$1" = --version ] && echo 1.0 && exit'
        client.write_text(f'#!/bin/sh\n{version}\nexec {argv} "$@"\n')
        client.chmod(0o755)

    def play(self) -> list[str]:
        """Play the night to its end; what went wrong."""
        try:
            limits = ("--minutes", str(HOURS * 60), "--iterations", "20")
            self.here.start("--check", f"done={CHECK}", *limits)
            self._run_until_it_is_over()
            self._check_what_is_left()
        except AssertionError as error:
            self.problems.append(str(error)[:1_500])
        finally:
            if self.has_disk:
                subprocess.run(["umount", "-l", str(self.here.root)], check=True)
        return [f"night {self.seed} ({self.ending}) {self.plan}: {what}" for what in self.problems]

    def _run_until_it_is_over(self) -> None:
        for _ in range(MAX_RUNS):
            loop = self._run_once()
            if not self._starts_again(loop):
                return self._judge(loop)
        raise AssertionError(f"it did not end in {MAX_RUNS} runs")

    def _run_once(self) -> Loop:
        notified = self.place / "notified"
        before = notified.read_text() if notified.exists() else ""
        words = ("--agent", "claude", "--until", "07:00", "--plain")
        words = (*words, "--notify", f"echo $LOOP_EVENT >> {shlex.quote(str(notified))}")
        with ClockedRunner(self.here, *words, **self._variables()) as runner:
            result = runner.ends()
        loop = self.here.folder.read_loop() or self.here.ended
        was_killed = result.code < 0
        told = (notified.read_text() if notified.exists() else "") != before
        assert told or was_killed, f"nobody was told of the end: {result.out}{result.err}"
        assert "our own error" not in result.err, result.err
        self.output = result.out
        return loop

    def _variables(self) -> dict[str, str]:
        return {
            "NIGHT": str(self.place),
            "PATH": f"{self.place / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "LOOP_CLOCK_FILE": str(self.place / "clock"),
            "LOOP_CLOCK_FACTOR": str(FACTOR),
        }

    def _starts_again(self, loop: Loop) -> bool:
        """After a fault of the machine, as a person or a service does; not after anything else."""
        kinds = [kind for kind, _ in self.plan]
        if loop.status == "running":  # the runner was killed
            assert "killed" in kinds, f"it ended with a loop that runs: {self.output}"
            return True
        if loop.status != "paused":
            return False
        if loop.pause.why == TERMINAL_CLOSED:
            assert "terminal" in kinds, self.output
        elif loop.pause.cause == "disk":
            assert "full" in kinds, self.output
            (self.here.root / ".git/filler").unlink()
        else:
            return False
        assert self.here.run("continue").code == 0
        return True

    def _judge(self, loop: Loop) -> None:
        """Did it end as its plan says?"""
        proven = loop.verdict is not None and loop.verdict.proven
        outcome = "proven" if proven else loop.pause.cause or f"{loop.verdict}"
        right = ENDINGS[self.ending][1]
        assert outcome in right, f"{outcome} ({loop.pause.why}) instead of {right}: {self.output}"
        if loop.pause.cause == "idle" and self.ending == "a program that only hangs":
            assert "hangs" in loop.pause.why, loop.pause.why
        if self.ending == "morning":
            assert "--until" in loop.pause.why, loop.pause.why
        assert loop.spend.seconds <= HOURS * 3600 + 3600, f"{loop.spend.seconds} s of work"

    def _check_what_is_left(self) -> None:
        report = self.here.run("report")
        shown = "You can keep it" if self.ending == "proven" else "NOT DONE"
        assert report.code == 0, report.err
        assert shown in report.out, report.out
        end = time.monotonic() + 20
        while (alive := processes_with_variable(f"NIGHT={self.place}")) and time.monotonic() < end:
            time.sleep(0.05)
        assert not alive, f"still there: {alive}"
