"""What the longer stories share: a loop from another terminal, a tool call that waits, what was told to whom, what improves."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.client import Launched, Run
from tests.e2e.terminal import Terminal
from tests.e2e.turn import Turn, runs, says, uses
from tests.e2e.waiting import until
from tests.e2e.world import CHECK, World
from tests.support.hook import block

NOT_YET = block({"tests pass": False})
DONE = block({"tests pass": True}, exit=True)
CHECK_FLAGS = ("--check", f"tests pass={CHECK}")


def start_loop(world: World, *words: str) -> None:
    """The person starts the loop in another terminal; the next prompt in the folder drives it."""
    started = world.project.run(
        "start", "make the tests of greet.py pass", *CHECK_FLAGS, "--score", "9", "--yes", *words
    )
    assert started.code == 0, started.err


def step_answer(number: int) -> str:
    """An answer that is neither idle nor stuck: each finishes a step of its own."""
    return block({"tests pass": False}, f"STEP_DONE: part {number}")


def person_messages(run: Run | Launched) -> str:
    """What the person reads beside the answers; what a session begins with stands in the hook's own output."""
    said = (
        event.get("content") or event.get("output") or ""
        for event in run.events
        if event["type"] == "system"
    )
    return "\n".join(map(str, filter(None, said)))


def paste(terminal: Terminal, text: str) -> None:
    """As a terminal hands on what was copied: in one piece, line ends and all."""
    terminal._tmux("set-buffer", "--", text)
    terminal._tmux("paste-buffer", "-p")


class Latch:
    """A command of the model that has begun and lasts until the test opens it: meanwhile the agent is in mid-turn."""

    def __init__(self, folder: Path, name: str = "latch") -> None:
        self.begun, self.opened = folder / f"{name}-begun", folder / f"{name}-opened"
        self.command = f"touch '{self.begun}'; until [ -e '{self.opened}' ]; do sleep 0.02; done"

    @property
    def turn(self) -> Turn:
        return runs(self.command, "I wait for it.")

    @property
    def background_turn(self) -> Turn:
        """The same in the background: the agent goes on meanwhile."""
        given = {
            "command": self.command,
            "description": "something slow",
            "run_in_background": True,
        }
        return uses("Bash", given, "I begin it.")

    def wait_until_reached(self, launched: Launched) -> None:
        until(self.begun.exists, lambda: f"{launched.events}")

    def open(self) -> None:
        self.opened.touch()


# --- a loop that improves: a site whose guard is npm's, its turns, its page, its prompts ---

PAGE = ".claude/loop-state.local.md"
LABEL = "<label>Name <input></label>\n"
SITE = {
    "package.json": json.dumps(
        {"name": "site", "private": True, "scripts": {"test": "node check.js"}}
    ),
    "check.js": 'if (!String(require("fs").readFileSync("settings.html")).includes("<label>")) throw "the field has no label"\n',
    "settings.html": LABEL,
}
GUARD = '--check "tests stay green=npm test"'
STARTS = runs("loop start --preset ui", "I start it.")  # as the skill of /loop:ui says
STUCK = block({}, "BLOCKED: it is too dark")


def does(command: str) -> list[Turn]:
    """An iteration of one command; `true` leaves everything as it is, and is a tool call all the same."""
    return [runs(command), says("So much for this turn.")]


def cycle(done: str = "none", found: str = "none") -> str:
    return f"That is that.\n\n<cycle_complete>\ndone: {done}\nfound: {found}\n</cycle_complete>"


def explores(prompt: str, text: str = "", background: bool = False) -> Turn:
    """The client's own Explore agent is sent, and plays the lane "agent"."""
    given = {
        "description": "look for more",
        "prompt": prompt,
        "subagent_type": "Explore",
        "run_in_background": background,
    }
    return uses("Agent", given, text)


def prompts(run: Run) -> list[str]:
    """What each iteration began with, from its number on: the opening, then what the hook said at every stop."""
    return [
        "".join(request.news.partition("🔄 Iteration ")[1:])
        for request in run.requests
        if "🔄 Iteration " in request.news
    ]


def archived_pages(world: World) -> list[str]:
    return [path.read_text() for path in sorted(world.path(".claude/loop-history").glob("*.md"))]
