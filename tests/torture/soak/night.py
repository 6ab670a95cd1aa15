"""One night: loops of every kind in one project, with faults switched on at random; and what it leaves in the morning."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from loopwright.verify.process_groups import processes_with_variable
from tests.support.discovery import cycle, start_discovery
from tests.support.hook import HOOK_SCRIPT, OTHER, SESSION, answer_event, block, stop_event
from tests.support.plan_projects import start_plan, turn_writing
from tests.support.project import CommandResult, Project
from tests.support.runner import CHECK, CLAIM, DONE, SLOW, Runner, script

MARK = "SOAK_NIGHT"
THINKS: dict[str, Any] = {"run": ["date +%N >> work.txt"], "say": "thinking", "dollars": 0.01}
LIMITED: dict[str, Any] = {"fail": "usage limit", "limit": 0.2}
KILLED: dict[str, Any] = {"run": ["kill -9 $PPID"]}
# What an ended loop leaves beside its archive: the next one takes it or makes it anew. What was set aside is the person's.
KEPT = {
    ".gitignore",
    "aside",
    "driver",
    "driver.lock",
    "evidence",
    "halt",
    "history",
    "iterations.jsonl",
    "lock",
    "start",
}
KEPT |= {"fences", "lanes", "state.json", "summary.md", "tree", "verified", "VERIFICATION.md"}
KEPT |= {"reserve"}  # of a runner that was killed; the next one writes it again
KEPT |= {"answer.lock", "answered"}  # a second hook of the last event repeats its answer
KEPT |= {"STOP"}  # touched by a person when the loop had just ended; the next start takes it away


class Night:
    def __init__(self, place: Path, seed: int) -> None:
        self.seed, self.chance, self.mark = seed, random.Random(seed), f"{os.getpid()}-{seed}"
        self.place, self.here, self.temp = place, Project(place / "project"), place / "tmp"
        self.bad, self.loops = list[str](), 0
        self.temp.mkdir()
        tempfile.tempdir = str(self.temp)
        os.environ.update(
            {MARK: self.mark, "TMPDIR": str(self.temp), "XDG_STATE_HOME": str(place / "state")}
        )

    def plays(self, loops: int, until: float) -> None:
        while not self.loops or (self.loops < loops and time.monotonic() < until):
            self.loops += 1
            kind = self.chance.choice(
                (
                    self.run_checked_loop,
                    self.run_claimed_loop,
                    self.run_discovery_loop,
                    self.run_plan_loop,
                )
            )
            try:
                kind()
                if self.here.folder.read_loop() and (said := self.says("cancel")).code:
                    self.add_problem(f"{kind.__name__} cannot be ended: {said.err}")
            except Exception as error:
                self.add_problem(f"{kind.__name__}: {error!r:.600}")
                shutil.rmtree(self.here.root / ".loop", ignore_errors=True)
            for path in self.here.root.glob("*.txt"):
                path.unlink()
            self.here.commit()

    def add_problem(self, what: str) -> None:
        self.bad.append(f"night {self.seed}, loop {self.loops}: {what}")

    # --- four kinds of loops; a runner or a session drives, as processes of their own, or here ---

    def run_checked_loop(self) -> None:
        self.here.start(*CHECK)
        self.runs(
            *(
                self.chance.choice((THINKS, LIMITED, KILLED))
                for _ in range(self.chance.randrange(3))
            ),
            DONE,
        )

    def run_plan_loop(self) -> None:
        start_plan(self.here)
        self.runs(turn_writing("01", **self.chance.choice(({}, KILLED))), turn_writing("02"))

    def run_claimed_loop(self) -> None:
        self.here.start("--criterion", "docs read well", "--session", SESSION)
        self.stops("worked a bit", block({"docs read well": True}, exit=True))

    def run_discovery_loop(self) -> None:
        start_discovery(self.here)
        self.stops(cycle(found="a button is grey"), cycle(done="a button is grey"))

    def runs(self, *turns: dict[str, Any]) -> None:
        if self.chance.random() < 0.3:
            with Runner(self.here, "--script", script(self.here, *turns[:-1], SLOW)):
                time.sleep(self.chance.random())  # not to wait for something: to be killed anywhere
        self.fault()
        self.says("continue")
        self.says("run", "--script", script(self.here, *turns))

    def stops(self, *texts: str) -> None:
        for text in (*texts, CLAIM):
            self.fault()
            self.says("continue")
            self.calls_hook(text)

    def says(self, *words: str) -> CommandResult:
        said = (self.here.process if self.chance.random() < 0.3 else self.here.run)(*words)
        if "our own error" in said.err:
            self.add_problem(f"loop {' '.join(words)}: {said.err}")
        return said

    def calls_hook(
        self, text: str, session: str = SESSION, after: float = 60.0, **how: Any
    ) -> None:
        """The hook; killed after a while, it has said nothing."""
        event, argv = (
            stop_event(self.here, text, session),
            [sys.executable, "-I", "-S", HOOK_SCRIPT, "claude"],
        )
        if after == 60 and not how and self.chance.random() < 0.5 and self.here.folder.read_loop():
            answer_event(event, str(self.here.root), "claude")
            return
        with suppress(subprocess.TimeoutExpired):
            done = subprocess.run(
                argv,
                input=json.dumps(event).encode(),
                capture_output=True,
                timeout=after,
                check=False,
                **how,
            )
            if done.returncode or done.stderr or done.stdout.count(b"\n") > 1:
                self.add_problem(f"the hook: {done}")

    def fault(self) -> None:
        inside = self.here.root / ".loop"
        faults: list[Callable[[], object]] = [
            lambda: None,
            lambda: (inside / "state.json").write_text('{"status": '),
            lambda: (inside / "state.json").unlink(missing_ok=True),
            lambda: shutil.rmtree(
                inside / self.chance.choice(("tree", "evidence")), ignore_errors=True
            ),
            lambda: (inside / "STOP").touch(),
            lambda: self.calls_hook("me too", OTHER),
            lambda: (
                self.says("attach", "--session", OTHER, "--yes")
                and self.says("attach", "--session", SESSION, "--yes")
            ),
            lambda: self.calls_hook(
                "no room", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
            ),
            lambda: self.calls_hook("killed", after=self.chance.random() * 0.1),
        ]
        self.chance.choice(faults)()

    def leftovers(self) -> list[str]:
        """What should not be there in the morning. Who was killed has a moment to be gone."""
        strays = [str(path) for path in self.here.root.glob(".loop/*") if path.name not in KEPT]
        strays += [str(path) for path in (*self.place.rglob("*.tmp"), *self.temp.iterdir())]
        strays += [str(path) for path in self.place.rglob("loopwright/rooms/*")]
        strays += (
            self.here.git("status", "--porcelain").splitlines()
            + self.here.git("worktree", "list").splitlines()[1:]
        )
        patience = time.monotonic() + 10
        while (
            alive := processes_with_variable(f"{MARK}={self.mark}")
        ) and time.monotonic() < patience:
            time.sleep(0.1)
        return [f"night {self.seed} left {what}" for what in (*strays, *alive)]
