"""What every coding agent offers the runner: pure functions, and the values that they use.

An agent is a folder with three modules: about.py says what it can do, command.py how a turn is
started, and stream.py what its output means. The Protocols below describe them. registry.py has a
function that loads each agent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ..core.json_text import JSONError, loads
from ..core.limits import Price
from ..core.prompts.phrases import cut_at_word
from ..core.record import Record
from ..core.signals import ToolOutcome

EDITS, ALL = "edits", "all"  # what an agent may do: change files of the project; or anything
MAX_ENTRIES = 200  # outcomes of one turn
MAX_TEXT, MAX_FILE = 200_000, 1_000  # letters
MAX_NUMBER = 1e11  # of dollars, tokens, or seconds since 1970


class TurnRequest(Record):
    """One turn, before it starts."""

    number: int
    session: str = ""  # the agent's own, to go on with; "": a fresh context
    tokens_before: tuple[int, ...] = ()  # tokens which that session has reported already
    budget: float = 0.0  # dollars that this turn may cost
    model: str = ""
    permissions: str = EDITS
    allow: tuple[str, ...] = ()  # more that it may do, in the agent's own words
    checks: tuple[str, ...] = ()  # commands that we run ourselves: it may run them too
    settings: tuple[str, ...] = ()  # whose settings, hooks, plugins and MCP servers it may load
    agent_command: tuple[str, ...] = ()  # the command line of `--agent-command`, or the script
    root: str = ""  # of the project
    write_scope_file: str = ""  # a file that says which files it may write
    config_text: str = ""  # the text of the file that `About.config` names
    prompt: str = ""
    prices: tuple[Price, ...] = ()


class TurnOutput(Record):
    """What an agent's output has told us about one turn so far."""

    text: str = ""
    dollars: float = 0.0
    unpriced: tuple[str, ...] = ()
    tools: int = 0
    outcomes: tuple[ToolOutcome, ...] = ()
    edits: tuple[tuple[str, int], ...] = ()
    session: str = ""
    tokens: tuple[int, ...] = ()  # input, of it from the cache, written to it, output
    counted_messages: tuple[str, ...] = ()  # the model's last messages, each of which costs once
    estimated_dollars: float = (
        0.0  # dollars that it must have cost since the last result, as far as can be seen
    )
    open_tool_calls: tuple[tuple[str, str], ...] = ()  # tool calls under way: id and words
    background_tasks: int = 0  # background work under way
    results: int = 0  # how often it said that it is done
    failure: str = ""
    limited: bool = False
    until: float = 0.0
    cut: str = ""
    denied: tuple[str, ...] = ()


class ProcessExit(Record):
    """How the process ended. `cut` is why we ended it, and empty where it did so itself."""

    code: int
    stderr: str
    cut: str = ""
    at: float = 0.0


class About(Record):
    """What an agent can do, for `loop agents` and for the runner's plan."""

    name: str
    program: str  # looked for on the PATH; "" where there is nothing to install
    dollars: str  # reported, from tokens, or unknown
    capped: bool = False  # takes a budget for one turn
    resumes: bool = False  # can go on in its own session
    fenced: str = ""  # how `edits` is held in
    config: tuple[str, str, str] | None = (
        None  # a file of the user's that `command` must know: variable, folder without it, name
    )
    reads: tuple[str, ...] = ()  # guides in the project that it reads by itself
    install: str = ""  # the command that installs it


class AboutModule(Protocol):
    """about.py of an agent."""

    ABOUT: About


class CommandModule(Protocol):
    """command.py of an agent."""

    def command(self, request: TurnRequest, /) -> tuple[str, ...]:
        """The command line that starts the turn."""


class StreamModule(Protocol):
    """stream.py of an agent: what its output means."""

    def read(self, output: TurnOutput, line: str, request: TurnRequest, /) -> TurnOutput:
        """The output so far, with one more line of it."""

    def judge(
        self, output: TurnOutput, request: TurnRequest, process_exit: ProcessExit, /
    ) -> TurnOutput:
        """What the turn came to, once the process has ended."""

    def tell(self, line: str, /) -> str:
        """The line in words for people; "" when there is nothing to see."""


class Agent(Record):
    """The functions of the three modules of an agent, for the runner."""

    about: About
    command: Callable[[TurnRequest], tuple[str, ...]]
    read: Callable[[TurnOutput, str, TurnRequest], TurnOutput]
    judge: Callable[[TurnOutput, TurnRequest, ProcessExit], TurnOutput]
    tell: Callable[[str], str]

    @property
    def name(self) -> str:
        return self.about.name


def agent_of(about: AboutModule, command: CommandModule, stream: StreamModule) -> Agent:
    """The agent that these three modules make up; mypy checks that each has what is expected."""
    return Agent(
        about=about.ABOUT,
        command=command.command,
        read=stream.read,
        judge=stream.judge,
        tell=stream.tell,
    )


# --- What adapters share ---


def as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def parse_event(line: str) -> dict[str, Any]:
    """The JSON object that a line is; an empty one for anything else."""
    try:
        return as_dict(loads(line))
    except JSONError:
        return {}


def plausible_number(value: Any) -> float:
    """A number that can be meant, else 0: in a stream it may be anything, negative or endless."""
    return float(value) if isinstance(value, int | float) and 0 < value < MAX_NUMBER else 0.0


def add_outcome(heard: TurnOutput, key: str, error: str = "") -> TurnOutput:
    """One tool call is over."""
    return heard.but(
        outcomes=(*heard.outcomes, ToolOutcome(cut_at_word(key, 200), cut_at_word(error, 500)))[
            -MAX_ENTRIES:
        ]
    )


def add_edit(heard: TurnOutput, file: str) -> TurnOutput:
    counts = dict(heard.edits)
    counts[file[:MAX_FILE]] = counts.get(file[:MAX_FILE], 0) + 1
    return heard.but(edits=tuple(sorted(counts.items()))[:MAX_ENTRIES])


def judge_exit(heard: TurnOutput, name: str, ending: ProcessExit) -> TurnOutput:
    """The process is over: we cut it off; or it said that it failed or is done; or neither, and then how it ended tells."""
    if ending.cut and not heard.failure:
        return heard.but(cut=ending.cut)
    if heard.failure or heard.results:
        return heard
    if ending.code == 0:
        return heard.but(cut=f"{name} ended by itself without a result")
    tail = " ".join(ending.stderr.split())[-300:]
    said = f": {tail}" if tail else " and said nothing"
    return heard.but(failure=f"{name} ended with exit code {ending.code}{said}")
