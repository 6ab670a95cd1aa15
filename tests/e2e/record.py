"""Records what the real clients print without a screen, as the cases that their streams are read from in tests/agents.

python -m tests.e2e.record [WORD ...]      # all of them, or those whose names hold one of the words
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.e2e import client, codex
from tests.e2e.client import SUBSCRIBED, Launched
from tests.e2e.messages import limit_headers
from tests.e2e.model import Model
from tests.e2e.offline import cut_off
from tests.e2e.session_steps import Latch
from tests.e2e.turn import delegates, fails, hits_limit, runs, says, writes
from tests.e2e.waiting import until
from tests.e2e.world import CHECK, FILES, FIXED, World
from tests.support.project import Project

AGENTS = Path(__file__).parents[1] / "agents"
PLAIN = {"CLAUDE_CODE_MAX_RETRIES": "1", "TZ": "UTC"}
DONE = "All tests pass.\n\n<loop-complete>\nAll success criteria satisfied:\n- [x] tests pass\n</loop-complete>"
SOON = (
    time.time() // 3600 + 1
) * 3600  # a full hour of today, which the clients name without its date
LATE = 2_000_000_000  # so far off that they name the date


# --- Claude Code ---


def ok(world: World) -> Launched:
    script = [
        runs(CHECK, "I look at the tests."),
        writes(world.path("greet.py"), FIXED),
        says("The greeting is fixed."),
    ]
    return world.launch("make the tests pass", script)


def false_done(world: World) -> Launched:
    return world.launch("make the tests pass", [says(DONE)])


def api_error(world: World) -> Launched:
    return world.launch("go", [fails(529, "Overloaded")] * 2, env=PLAIN)


def rate_limit(world: World) -> Launched:
    return world.launch(
        "go", [runs("true", "I begin."), hits_limit(SOON)], env={**PLAIN, **SUBSCRIBED}
    )


def rate_warning(world: World) -> Launched:
    return world.launch(
        "go",
        [says("Done.", headers=limit_headers("allowed_warning", SOON))],
        env={**PLAIN, **SUBSCRIBED},
    )


def denied(world: World) -> Launched:
    script = [runs(CHECK, "I look."), says("I may not run it.")]
    return world.launch("go", script, "--permission-mode", "acceptEdits", freely=False)


def budget(world: World) -> Launched:
    return world.launch("go", [runs("true"), runs("true")], "--max-budget-usd", "0.01")


def two_results(world: World) -> Launched:
    """A command in the background ends after the first result, and its end wakes the model again."""
    latch = Latch(world.home)
    launched = world.launch("go", [latch.background_turn, says("It runs."), says("It is over.")])
    until(lambda: any(event["type"] == "result" for event in launched.events), lambda: launched.out)
    latch.open()
    return launched


def subagent(world: World) -> Launched:
    script = [delegates("look at the tests", "I send somebody."), says("They fail.")]
    return world.launch("go", script, agent=[runs(CHECK), says("One test fails.")])


def resumed(world: World) -> Launched:
    first = world.headless("go", [says("One.")])
    return world.launch("go on", [says("Two.")], resume=first.session)


def sigint(world: World) -> Launched:
    latch = Latch(world.home)
    launched = world.launch("go", [latch.turn])
    latch.wait_until_reached(launched)
    launched.signal(signal.SIGINT)
    return launched


# --- Codex ---


def codex_resumed(world: World) -> Launched:
    first = world.launch_codex("go", [says("One.")]).wait()
    return world.launch_codex("go on", [says("Two.")], resume=first.session)


CLAUDE: dict[str, Callable[[World], Launched]] = {
    name.__name__.replace("_", "-"): name
    for name in (
        ok,
        false_done,
        api_error,
        rate_limit,
        rate_warning,
        denied,
        budget,
        two_results,
        subagent,
        resumed,
        sigint,
    )
}
CODEX: dict[str, Callable[[World], Launched]] = {
    "ok": lambda world: world.launch_codex(
        "go", [runs(CHECK, "I look at the tests."), says("They fail.")]
    ),
    "file-written": lambda world: world.launch_codex(
        "go", [writes(world.path("greet.py"), FIXED, "I write."), says("Fixed.")]
    ),
    "false-done": lambda world: world.launch_codex("go", [says(DONE)]),
    "usage-limit": lambda world: world.launch_codex(
        "go", [runs("true"), hits_limit(SOON)], env=PLAIN
    ),
    "usage-limit-dated": lambda world: world.launch_codex("go", [hits_limit(LATE)], env=PLAIN),
    "api-error": lambda world: world.launch_codex("go", [fails(500, "The server had an error.")]),
    "unauthorized": lambda world: world.launch_codex(
        "go", [fails(401, "Incorrect API key provided.")]
    ),
    "resumed": codex_resumed,
}
CASES = {
    **{
        f"claude/cases/headless-{client.VERSION}-{name}.jsonl": case
        for name, case in CLAUDE.items()
    },
    **{f"codex/cases/headless-{codex.VERSION}-{name}.jsonl": case for name, case in CODEX.items()},
}


# --- what differs from run to run, and what names this machine, is put in other words ---

FIXED_WORDS = (
    (rf"\b{SOON:.0f}\b", "1800000000"),  # eight o'clock, UTC
    (r"\b\d{1,2}(am|pm)\b", "8am"),
    (r"\b\d{1,2}:00 [AP]M\b", "8:00 AM"),
    (r'"timestamp":"[^"]*"', '"timestamp":"2026-11-15T08:00:00.000Z"'),
    (r'("end_time":)\d+', r"\g<1>1800000000000"),
    (r'(_ms"?: ?)\d+', r"\g<1>100"),
    (r'(DurationMs":)\d+', r"\g<1>100"),
    (r"in \d\.\d{3}s", "in 0.000s"),
    (r"(cc-socks/)\d+", r"\g<1>1"),
    (r"(127\.0\.0\.1:)\d+", r"\g<1>8000"),
)
IDS = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:msg|toolu)_[0-9a-f]{24}"
NAMED = r'"(?:task_id|run_id|agent_id)":"([\w-]+)"'


def scrub_output(world: World, printed: str) -> str:
    root = str(world.project.root)
    places = {
        root: "/project",
        re.sub(r"[^a-zA-Z0-9]", "-", root): "-project",
        str(world.home): "/home",
    }
    for place, name in {**places, f"/tmp/claude-{os.getuid()}/": "/tmp/claude/"}.items():
        printed = printed.replace(place, name)
    for pattern, words in FIXED_WORDS:
        printed = re.sub(pattern, words, printed)
    for number, found in enumerate(dict.fromkeys(re.findall(NAMED, printed)), 1):
        printed = printed.replace(found, f"task{number}")
    numbers = {
        found: number for number, found in enumerate(dict.fromkeys(re.findall(IDS, printed)), 1)
    }
    printed = re.sub(IDS, lambda found: _number_id(found[0], numbers[found[0]]), printed)
    return "".join(f"{_shorten_lists(line)}\n" for line in printed.splitlines())


def _number_id(found: str, number: int) -> str:
    kind = found.rpartition("_")[0]
    return f"{kind}_{number:024}" if kind else f"00000000-0000-4000-8000-{number:012}"


def _shorten_lists(line: str) -> str:
    """The lists of what the client can do are long, and nobody reads them."""
    event = json.loads(line)
    if event.get("subtype") != "init":
        return line
    return json.dumps(
        {key: [] if isinstance(value, list) else value for key, value in event.items()},
        separators=(",", ":"),
    )


def record(path: str, case: Callable[[World], Launched]) -> None:
    claude, other = client.find(), codex.find()
    assert claude, "Claude Code is not here; `make setup` installs it"
    assert other, "Codex is not here; `make setup` installs it"
    with tempfile.TemporaryDirectory() as scratch, Model() as model:
        root = Path(scratch).resolve()
        (root / "home").mkdir()
        world = World(claude, root / "home", Project(root / "project", FILES), model, other)
        try:
            launched = case(world)
            run = launched.wait()
            (AGENTS / path).write_text(scrub_output(world, launched.out), encoding="utf-8")
            print(f"{path}: {len(run.events)} events, exit code {run.rc}")
        finally:
            world.close()


if __name__ == "__main__":
    cut_off()
    for path, case in CASES.items():
        if not sys.argv[1:] or any(word in path for word in sys.argv[1:]):
            record(path, case)
