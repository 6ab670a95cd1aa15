"""Records what Gemini, Qwen, Copilot and OpenCode print when `loop run` drives them, as tests/e2e/record.py does for the others.

python -m tests.e2e.record_others [WORD ...]      # all of them, or those whose names hold one of the words

Each is started with the words and variables of its own driver. What is long and never read is left out: the lists of skills.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from loopwright.agents.base import TurnOutput, TurnRequest
from loopwright.agents.registry import load_agent
from tests.e2e import client
from tests.e2e.background import Background
from tests.e2e.clients import PACKAGES
from tests.e2e.model import Model
from tests.e2e.offline import cut_off
from tests.e2e.record import AGENTS, DONE, scrub_output
from tests.e2e.turn import Script, fails, runs, says, writes
from tests.e2e.waiting import until
from tests.e2e.world import CHECK, FILES, FIXED, World
from tests.support.project import Project

DAILY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
GOOGLE = "type.googleapis.com/google.rpc"
USED_UP = {
    "code": 429,
    "message": "You exceeded your current quota, please check your plan.",
    "status": "RESOURCE_EXHAUSTED",
    "details": [
        {"@type": f"{GOOGLE}.QuotaFailure", "violations": [{"quotaId": DAILY}]},
        {"@type": f"{GOOGLE}.RetryInfo", "retryDelay": "7500s"},
    ],
}
RESETS = "You have exhausted your capacity on this model. Your quota will reset after 2h5m."
USED_UP_UNTIL = {
    "code": 429,
    "message": RESETS,
    "status": "RESOURCE_EXHAUSTED",
    "details": [
        {
            "@type": f"{GOOGLE}.ErrorInfo",
            "reason": "QUOTA_EXHAUSTED",
            "domain": "cloudcode-pa.googleapis.com",
        },
    ],
}
RATE_LIMIT = fails(429, "Rate limit reached for requests. Please try again in 2h5m.")
UNREAD = (
    "available_commands_update",
    "session.skills_loaded",
    "session.background_tasks_changed",
    "session.tools_updated",
)
PLAIN = (
    (r'("timestamp":|"(?:start|end|created)":)\d{13}', r"\g<1>1800000000000"),
    (r'"snapshot":"[0-9a-f]{40}"', '"snapshot":"' + "0" * 40 + '"'),
    (r"\b(_?\w+?_)\d{13}(_\d)", r"\g<1>1800000000000\g<2>"),
    (r"total retry wait time: [\d.]+ seconds", "total retry wait time: 50 seconds"),
    (r'"date":"[^"]*"', '"date":"Fri, 15 Jan 2027 08:00:00 GMT"'),
    (r"timestamp=\S+", "timestamp=2026-11-15T08:00:00.000Z"),
    (r"\brun=[0-9a-f]{8}\b", "run=00000000"),
    (r'((?:D|d)uration(?:Ms)?"|"retryDelayMs"):[\d.]+', r"\g<1>:100"),
)
NAMED = r"\b(ses|prt|msg|call|chatcmpl|resp)[_-]([0-9a-zA-Z]{20,})"


PROTOCOL = {"acp-opencode": ("opencode", "acp"), "acp-gemini": ("gemini", "--acp", "--skip-trust")}
ASKING = {"OPENCODE_PERMISSION": '{"edit": "ask", "bash": "ask"}'}


def start(world: World, name: str, script: Script, session: str = "") -> Background:
    """One turn, as the runner starts it."""
    world.model.play(script)
    agent = load_agent(name.partition("-")[0])
    request = TurnRequest(
        1,
        session=session,
        checks=(CHECK,),
        root=str(world.project.root),
        prompt="go",
        agent_command=PROTOCOL.get(name, ()),
    )
    env = world.environment({**ASKING, **agent.environment(request)})
    return world._keep(
        Background(agent.command(request), world.home, world.project.root, env, "make it pass\n")
    )


def ok(world: World, name: str) -> Background:
    script = [
        runs(CHECK, "I look at the tests."),
        writes(world.path("greet.py"), FIXED, "I mend it."),
        says("The greeting is fixed."),
    ]
    return start(world, name, script)


def denied(world: World, name: str) -> Background:
    return start(world, name, [runs("touch elsewhere.txt"), says("I may not.")])


def usage_limit(world: World, name: str) -> Background:
    if name.endswith("gemini"):
        return start(world, name, [fails(429, body={"error": USED_UP})] * 3)
    if name == "qwen":  # which asks again for minutes otherwise
        world.environment()
        path = world.home / ".qwen/settings.json"
        settings = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**settings, "model": {"generationConfig": {"maxRetries": 1}}}))
    launched = start(world, name, lambda number, body: RATE_LIMIT)
    if name == "opencode":  # which asks again without an end
        until(lambda: len(world.model.lane()) > 1, lambda: launched.out)
        launched.kill()
    return launched


def usage_limit_dated(world: World, name: str) -> Background:
    return start(world, name, [fails(429, body={"error": USED_UP_UNTIL})] * 3)


def unauthorized(world: World, name: str) -> Background:
    return start(world, name, lambda number, body: fails(401, "Incorrect API key provided."))


def resumed(world: World, name: str) -> Background:
    first = start(world, name, [says("One.")])
    first.wait()
    return start(world, name, [says(f"Two. {DONE}")], session=session_of(name, first.out))


def hang(world: World, name: str) -> Background:
    """The model never answers, and the runner ends it."""
    launched = start(world, name, [runs(CHECK, "I begin."), says("never", delay=600)])
    until(lambda: len(world.model.lane()) > 1, lambda: launched.out)
    launched.kill()
    return launched


def session_of(name: str, printed: str) -> str:
    agent, request = load_agent(name.partition("-")[0]), TurnRequest(1)
    heard = TurnOutput()
    for line in printed.splitlines(keepends=True):
        heard = agent.read(heard, line, request)
    return heard.session


CASES: dict[str, Callable[[World, str], Background]] = {
    case.__name__.replace("_", "-"): case
    for case in (ok, denied, usage_limit, usage_limit_dated, unauthorized, resumed, hang)
}
CASES_OF = {
    **{name: CASES.keys() - {"usage-limit-dated"} for name in PACKAGES},
    "gemini": CASES.keys(),
    "acp-opencode": {"ok", "denied", "unauthorized", "resumed", "hang"},
    "acp-gemini": {"ok", "denied", "usage-limit", "unauthorized"},
}


def plain_lines(world: World, printed: str) -> str:
    lines = []
    for line in printed.splitlines():
        event: dict[str, Any] = json.loads(line)
        update = (event.get("params") or {}).get("update") or {}
        if event.get("type") not in UNREAD and update.get("sessionUpdate") not in UNREAD:
            lines.append(line)
    return plain_words(world, scrub_output(world, "\n".join(lines)))


def plain_words(world: World, printed: str) -> str:
    """Without what differs from run to run, and what names this machine."""
    printed = printed.replace(str(world.project.root), "/project")
    printed = printed.replace(str(world.home), "/home")
    for pattern, words in PLAIN:
        printed = re.sub(pattern, words, printed)
    found = dict.fromkeys(re.findall(NAMED, printed))
    for number, (kind, name) in enumerate(found, 1):
        printed = re.sub(rf"\b({kind}[_-]){name}", rf"\g<1>{number:024}", printed)
    return printed


def record(name: str, case: str) -> None:
    agent, _, over = name.rpartition("-")
    package = PACKAGES[over]
    claude, program = client.find(), package.find()
    assert claude, "Claude Code is not here; `make setup` installs it"
    assert program, f"{over} is not here; `make setup` installs it"
    case_file = f"headless-{package.version}-{f'{over}-' if agent else ''}{case}.jsonl"
    with tempfile.TemporaryDirectory(dir="/var/tmp") as scratch, Model() as model:
        root = Path(scratch).resolve()
        (root / "home").mkdir()
        world = World(
            claude,
            root / "home",
            Project(root / "project", FILES),
            model,
            others={over: program},
        )
        try:
            launched = CASES[case](world, name)
            code = launched.process.wait(240)
            path = AGENTS / (agent or over) / "cases" / case_file
            path.parent.mkdir(parents=True, exist_ok=True)
            if launched.out:
                path.write_text(plain_lines(world, launched.out), encoding="utf-8")
            else:  # OpenCode, which waits for its limit without a word
                path = path.with_suffix(".log")
                path.write_text(plain_words(world, launched.err), encoding="utf-8")
            print(f"{path.name}: {name}, exit code {code}")
            print(f"    stderr: {' '.join(launched.err.split())[-300:]}")
        finally:
            world.launched.clear()
            world.model.trouble.clear()
            world.close()


if __name__ == "__main__":
    cut_off()
    for name, of_it in CASES_OF.items():
        for case in sorted(of_it):
            if not sys.argv[1:] or all(word in (name, case) for word in sys.argv[1:]):
                record(name, case)
