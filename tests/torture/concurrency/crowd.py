"""A loop that many people, sessions and runners pull at, each as a process of its own; and what must hold after it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from loopwright.core.limits import Limits
from loopwright.core.loop import Lease
from loopwright.disk.lock import FileLock
from loopwright.store import chain
from tests.support.builders import a_loop, with_check
from tests.support.hook import Answer, prompts, stop, types
from tests.support.project import CommandResult, Project
from tests.support.runner import CLAIM, Runner, command

SESSIONS = ("s1", "s2")
LIMITS = Limits(
    900, 900.0, 10_000, *[10**6] * 7
)  # the most that a runner takes, and no breaker that trips
# Whoever finds another agent at work says so; the lock dies with its process.
AGENT = """
import fcntl, random
lock = open(f"{KEPT}/lock", "a")
try:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    print(os.getpid(), file=open(f"{KEPT}/two", "a"))
print("x", file=open("work.txt", "a"))
time.sleep(random.random() * 0.2)
print(open(f"{KEPT}/says").read())
"""


class Crowd:
    """Hands that each do one thing after the other, chosen by the seed; what they were told, and what went wrong."""

    def __init__(self, here: Project, seed: int) -> None:
        self.here, self.seed, self.kept = here, seed, here.root.parent / f"{here.root.name}.kept"
        self.bad, self.stops = list[str](), list[str]()
        self.told: list[
            str
        ] = []  # words that the loop has taken: each is to be in its journal once
        self.driven: list[
            tuple[str, float, float]
        ] = []  # who was told to go on, in a call from when to when
        self.kept.mkdir()
        (self.kept / "says").write_text("thinking")
        self.agent = ("--attach", "--yes", *command(here, f"KEPT = {str(self.kept)!r}\n{AGENT}"))
        check, now = with_check("done", "test -e finish"), time.time()
        here.create(
            a_loop(
                criteria=(check,), limits=LIMITS, lease=Lease(), started_at=now, running_since=now
            )
        )

    def act_at_once(
        self, *hands: Sequence[Callable[[random.Random, str], object]], rounds: int
    ) -> int:
        """One thread for each hand. A word is its own, so that what became of it can be told."""

        def hand(number: int) -> None:
            chance = random.Random(f"{self.seed} {number}")
            for n in range(rounds):
                deed = chance.choice(hands[number])
                try:
                    deed(chance, f"word-{number}-{n}.")
                except Exception as error:
                    self.wrong(f"{deed.__name__}: {error!r:.500}")

        with ThreadPoolExecutor(len(hands)) as pool:
            list(pool.map(hand, range(len(hands))))
        return len(hands) * rounds

    def wrong(self, what: str) -> None:
        self.bad.append(f"seed {self.seed}: {what}")

    # --- what a hand can do ---

    def says(self, *words: str) -> CommandResult:
        """The command line. A refusal is an answer, a crash is none."""
        said = self.here.process(*words)
        if "our own error" in said.err or "Traceback" in said.err or said.code not in (0, 1):
            self.wrong(f"loop {' '.join(words)}: {said.code} {said.err[-500:]}")
        return said

    def tell(self, chance: random.Random, word: str) -> None:
        claim = ("claim", "--met", "done", "--kind", "observation", "--evidence")
        if self.says(*chance.choice((("steer",), claim)), word).code == 0:
            self.told.append(word)

    def pause(self, chance: random.Random, word: str) -> None:
        """By a command or by a file; and whoever was quicker, it goes on."""
        if chance.random() < 0.5:
            self.says("pause", word)
        else:
            (self.here.root / ".loop/STOP").touch()
            self.turn(chance, word)
        self.says("continue")

    def look(self, chance: random.Random, word: str) -> None:
        if (said := self.says(chance.choice(("status", "why", "accept")))).code:
            self.wrong(f"whoever only looks was refused: {said.err}")

    def run(self, chance: random.Random, word: str) -> None:
        """A runner; another one lives or not. It is killed after a while, unless it goes by itself."""
        with Runner(self.here, *self.agent) as runner, suppress(subprocess.TimeoutExpired):
            runner.process.wait(timeout=0.3 + chance.random() * 2)
        if "our own error" in (said := runner.ends()).err:
            self.wrong(f"loop run: {said.err[-500:]}")

    def attach(self, chance: random.Random, word: str) -> None:
        session = chance.choice(SESSIONS)
        if words := chance.choice((("attach", "--session", session, "--yes"), ("detach",), ())):
            self.says(*words)
        else:
            self._note_answer(types(self.here, "/loop:attach --yes", session))

    def turn(self, chance: random.Random, word: str) -> None:
        """A session works a little, and stops."""
        session, begun = chance.choice(SESSIONS), time.time()
        if chance.random() < 0.3:
            self._note_answer(prompts(self.here, word, session))
        self._note_answer(stop(self.here, word, session), session, begun)

    def _note_answer(self, answer: Answer, session: str = "", begun: float = 0.0) -> None:
        if "Our own error" in answer.message:
            self.wrong(answer.message)
        self.stops += [session] * bool(session)
        if session and answer.prompt:
            self.driven.append((session, begun, time.time()))

    # --- what must hold ---

    def check_journal(self) -> None:
        """All processes are gone: the journal tells of everything once, and of one driver at a time."""
        here = self.here
        text = json.dumps(
            [event for event in here.events() if event["is"] in ("GuidanceGiven", "ClaimMade")]
        )
        found = chain.chain_errors(here.folder.journal_path)
        found += [
            f"{word!r} is in the journal {text.count(word)} times"
            for word in self.told
            if text.count(word) != 1
        ]
        found += ["two agents were at work at once"] * (self.kept / "two").exists()
        holder, held, begun, turns = "", [(0.0, "")], False, 0
        for line in map(
            json.loads, (here.root / ".loop/journal.jsonl").read_text(encoding="utf-8").splitlines()
        ):
            for event in line["events"]:
                if event["is"] in ("LeaseTaken", "LeaseReleased"):
                    held.append((line["at"], holder := event.get("holder", "")))
                elif event["is"] in ("TurnStarted", "TurnReported"):
                    if begun == (event["is"] == "TurnStarted") or not holder.startswith("runner:"):
                        found.append(
                            f"line {line['seq']}: {event['is']}, and {holder or 'nobody'} drives"
                        )
                    begun = event["is"] == "TurnStarted"
            turns += {"TurnEnded"} == {event["is"] for event in line["events"]} & {
                "TurnEnded",
                "TurnReported",
            }
        if not len(self.driven) <= turns <= len(self.stops):
            found.append(
                f"{len(self.driven)} of {len(self.stops)} stops were told to go on, {turns} turns counted"
            )
        ends = [at for at, _ in held[1:]] + [time.time()]
        for session, since, until in self.driven:
            if not any(
                who == session and at <= until and end >= since
                for (at, who), end in zip(held, ends, strict=True)
            ):
                found.append(f"{session} was told to go on at {until}, and did not drive")
        with (
            FileLock(here.folder.path_of("lock"), timeout_seconds=5.0),
            FileLock(here.folder.path_of("driver.lock"), timeout_seconds=5.0),
        ):
            found += [
                f".loop/{name} was left"
                for name in os.listdir(here.folder.path)
                if name == "crash" or name.endswith(".tmp")
            ]
        self.bad += [f"seed {self.seed}: {what}" for what in found]

    def ends(self) -> None:
        """Nobody is locked out: whoever comes next can drive it to its proven end."""
        (self.here.root / "finish").touch()
        (self.kept / "says").write_text(CLAIM)
        self.says("continue")
        if self.seed % 2:
            last = str(self.here.run("run", *self.agent))
        else:
            last = (
                self.says("attach", "--session", "s4", "--yes").err
                + stop(self.here, CLAIM, "s4").out
            )
        if self.here.folder.read_loop() or not (
            self.here.ended.verdict and self.here.ended.verdict.proven
        ):
            self.wrong(f"nobody could end it: {last[-600:]}")
