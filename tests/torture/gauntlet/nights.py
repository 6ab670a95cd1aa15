"""The same through `loop run`: no client, no person, an agent that is started anew each turn."""

from __future__ import annotations

import signal
from typing import Any

from tests.support.hook import block
from tests.support.runner import CLAIM, DONE, SLOW
from tests.torture.gauntlet.scenario import Scenario, case, cli, night

WORK: dict[str, Any] = {"run": ["date +%N >> work.txt"], "say": "on it"}
LIE = {**WORK, "say": CLAIM}
ERROR = {"run": ["date +%N >> work.txt", "echo AssertionError: 1 != 2; exit 1"], "say": "again"}
ODD_FILES = (
    "touch -- '$(touch CANARY)' '; touch CANARY' \"$(printf 'a\\nb')\" '-rf'; git init -q sub"
)
COUNTERS = """sed -i 's/"iteration": [0-9]*/"iteration": 0/; s/"maxIterations": 10/"maxIterations": 9000/' .loop/state.json"""


def spoils(*commands: str) -> Any:
    """The agent does one of these to us in the midst of its turn."""
    return lambda one: [{**LIE, "run": [*WORK["run"], one.chance.choice(commands)]}]


def work(one: Scenario) -> list[dict[str, Any]]:
    return [WORK] * one.chance.randint(1, 2)


def interrupts_runner(one: Scenario) -> None:
    one.check_runner_end(
        one.runner(*work(one), SLOW)
        .works(2)
        .hears(signal.SIGINT)
        .shows("again")
        .hears(signal.SIGINT),
        8,
    )
    one.ends("paused: person")


def cancels_runner(one: Scenario) -> None:
    runner = one.runner(SLOW).works()
    one.here.run("cancel")
    one.check_runner_end(runner, 8)


TABLE = {
    "an honest night": case("proven", night(0, work, DONE)),
    "a night without git": case("proven", night(0, work, DONE), git=False),
    "a liar": case("paused: stuck", night(4, work, LIE)),
    "a talker": case("paused: idle", night(4, {"say": "Let me think."})),
    "the same error all night": case("paused: same-error", night(4, ERROR)),
    "a spendthrift": case(
        "paused: budget", night(2, work, {**WORK, "dollars": 1.5}), flags="--budget 2"
    ),
    "no end": case("paused: iterations", night(3, WORK), night(1, WORK), flags="--iterations 3"),
    "blocked by night": case(
        "paused: blocked", night(7, work, {"say": block({}, "BLOCKED: no network")})
    ),
    "a question by night": case(
        "asking", night(6, work, {"say": block({}, "ASK: which database?")})
    ),
    "state spoilt by night": case(
        "proven",
        night(
            0,
            work,
            spoils(
                "truncate -s 20 .loop/state.json",
                ": > .loop/state.json",
                "echo 7 > .loop/state.json",
            ),
            DONE,
        ),
    ),
    "counters edited by night": case("proven", night(0, work, spoils(COUNTERS), DONE)),
    "odd files by night": case("proven", night(0, work, spoils(ODD_FILES), DONE)),
    "state deleted by night": case(
        "paused: person", night(8, work, spoils("rm .loop/state.json"), DONE)
    ),
    "a pipe by night": case(
        "unreadable", night(1, work, spoils("rm .loop/state.json; mkfifo .loop/state.json"), DONE)
    ),
    "journal cut by night": case(
        "unreadable", night(1, work, spoils("truncate -s 300 .loop/journal.jsonl"), DONE)
    ),
    "journal deleted by night": case(
        "paused: stuck", night(4, work, spoils("rm .loop/journal.jsonl", "rm -rf .loop"), LIE)
    ),
    "death without a word": case("paused: crash", night(4, work, {**WORK, "exit": 137})),
    "one death": case("proven", night(0, work, {**WORK, "exit": 137}, DONE)),
    "a call that fails again and again": case(
        "paused: same-error", night(4, {"run": ["sleep 0.2; exit 3"] * 40, "say": "again"})
    ),
    "finished, and silent": case(
        "proven", night(0, work, {"write": {"done.txt": "x"}, "say": "so"}, {"say": "what else?"})
    ),
    "a usage limit": case(
        "proven", night(0, work, {"fail": "usage limit reached", "limit": 1}, DONE)
    ),
    "stopped by a person, and run again": case(
        "proven", interrupts_runner, cli("continue"), night(0, DONE)
    ),
    "cancelled from elsewhere": case("cancelled", cancels_runner),
}
