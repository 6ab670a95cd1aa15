"""What every coding agent offers the runner: pure functions, and the values that they use.

An agent is a folder of pure modules: about.py says what it can do, command.py how a turn is
started, and stream.py what its output means; `Agent` below holds their functions, and registry.py
loads them. A host is an agent whose own sessions we hold: its hooks.py says how
its hook speaks (hook_wire.py), and its session_file.py what its record of a session means.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..core.json_text import json_object
from ..core.limits import Price
from ..core.prompts.phrases import cut_at_word
from ..core.record import Record, digest
from ..core.signals import ToolOutcome
from .usage_limits import usage_limit_in

EDITS, ALL = "edits", "all"  # what an agent may do: change files of the project; or anything
MAX_ENTRIES = 200  # outcomes of one turn
MAX_TEXT, MAX_FILE = 200_000, 1_000  # characters
OWN_COMMANDS = ("loop claim", "loop backlog")  # how an agent reports what it found and did
MAX_NUMBER = 1e11  # dollars, tokens, or seconds since 1970


class TurnRequest(Record):
    """One turn, before it starts."""

    number: int
    session: str = ""  # the agent's own session to continue; "": a fresh context
    tokens_before: tuple[int, ...] = ()  # tokens that this session has reported already
    budget: float = 0.0  # dollars that this turn may cost
    model: str = ""
    permissions: str = EDITS
    allow: tuple[str, ...] = ()  # more that it may do, in the agent's own words
    checks: tuple[str, ...] = ()  # commands that we run ourselves: it may run them too
    settings: tuple[str, ...] = ()  # whose settings, hooks, plugins and MCP servers it may load
    agent_command: tuple[str, ...] = ()  # the command line of `--agent-command`, or the script
    root: str = ""  # of the project
    write_scope_file: str = ""  # a file that says which files it may write
    boxed: bool = False  # in a sandbox of ours that a probe could not leave
    version: str = ""  # of the agent's program; "": it is not known
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
    finished_calls: int = 0  # all of them; `outcomes` keeps the last
    error_line: str = ""  # the last line of plain output that looks like an error
    error_lines: int = 0  # how many such lines there were
    unread_text: str = ""  # the newest plain output; `judge` adds it to the text
    edits: tuple[tuple[str, int], ...] = ()
    session: str = ""
    tokens: tuple[int, ...] = ()  # input, read from the cache, written to it, output
    counted_messages: tuple[str, ...] = ()  # the model's last messages, each of which costs once
    estimated_dollars: float = 0.0  # estimated cost since the last result
    open_tool_calls: tuple[tuple[str, str], ...] = ()  # running tool calls: id and words
    background_tasks: int = 0  # running background tasks
    results: int = 0  # how often it reported that it is done
    failure: str = ""
    crashed: bool = False  # the process ended without a result
    exit_code: int = 0  # of a process that crashed
    limited: bool = False
    until: float = 0.0
    cut: str = ""
    denied: tuple[str, ...] = ()
    window_used: float = 0.0  # the used share of its usage window; 0: it does not say
    window_reset_at: float = 0.0

    @property
    def cost(self) -> float:
        """The dollars so far: what the agent reported, and our estimate of what came after."""
        return self.dollars + self.estimated_dollars


class ProcessExit(Record):
    """How the process ended. `cut` is why we ended it; "" when it ended by itself."""

    code: int
    stderr: str
    cut: str = ""
    at: float = 0.0


# What holds a session of an agent: its stop is refused, or a new message continues it.
VETO, MESSAGE = "veto", "message"


class About(Record):
    """What an agent can do, for `loop agents`, `loop install` and the runner's plan."""

    name: str
    program: str  # searched on the PATH; "": it has none
    dollars: str  # reported, from tokens, or unknown
    capped: bool = False  # takes a budget for one turn
    resumes: bool = False  # can continue its own session
    fenced: str = ""  # what enforces `edits`
    # A file of the user's that `command` must know: variable of its folder, default folder, name.
    config: tuple[str, str, str] | None = None
    asks_version: bool = False  # `command` must know the version of its program
    silent: bool = False  # may print nothing before its end, so silence at the start is not a hang
    reads: tuple[str, ...] = ()  # guides in the project that it reads by itself
    library: str = ""  # a module of Python that driving it needs
    install: str = ""  # the command that installs it
    # Beginnings of the names of its own credentials; each with the variable that must be set for it
    # to count, "" for none.
    credentials: tuple[tuple[str, str], ...] = ()
    # --- its own sessions ---
    hold: str = ""  # VETO or MESSAGE; "": nothing holds a session, use `loop run`
    cap: int = 0  # how often in a row it lets us hold; 0: it has no limit of its own
    cap_counts: str = ""  # what that limit counts
    commands: str = ""  # how a person types our commands in a session
    headless: str = ""  # how one turn is driven without a person; "": it cannot be
    sandbox: str = ""  # the sandbox that it brings along
    measured: str = ""  # the version that this was measured with; "": not run here


Environment = Callable[[TurnRequest], dict[str, str]]


class Agent(Record):
    """The functions of an agent's modules, for the runner."""

    about: About
    # The command line that starts a turn.
    command: Callable[[TurnRequest], tuple[str, ...]]
    # The output so far, with one more line of it.
    read: Callable[[TurnOutput, str, TurnRequest], TurnOutput]
    # What the turn came to, once the process has ended.
    judge: Callable[[TurnOutput, TurnRequest, ProcessExit], TurnOutput]
    # A line of output in words for people; "" when there is nothing to see.
    tell: Callable[[str], str]
    environment: Environment  # variables for this turn, besides those of `child_environment`

    @property
    def name(self) -> str:
        return self.about.name


def no_variables(request: TurnRequest) -> dict[str, str]:
    return {}


# --- What adapters share ---


def parse_event(line: str) -> dict[str, Any]:
    """The JSON object on a line; an empty one for anything else."""
    return json_object(line) or {}


def plausible_number(value: Any) -> float:
    """The number, or 0 when it is not one, negative or absurdly large."""
    return float(value) if isinstance(value, int | float) and 0 < value < MAX_NUMBER else 0.0


def add_outcome(output: TurnOutput, key: str, error: str = "", result: str = "") -> TurnOutput:
    """The output with one more finished tool call; `result` is what it returned."""
    known = digest(result.encode("utf-8", "replace")) if result else ""
    outcome = ToolOutcome(cut_at_word(key, 200), cut_at_word(error, 500), known)
    return output.but(
        outcomes=(*output.outcomes, outcome)[-MAX_ENTRIES:],
        finished_calls=output.finished_calls + 1,
    )


def add_edit(output: TurnOutput, file: str) -> TurnOutput:
    """The output with one more edit of this file."""
    path = file[:MAX_FILE]
    counts = dict(output.edits)
    counts[path] = counts.get(path, 0) + 1
    return output.but(edits=tuple(sorted(counts.items()))[:MAX_ENTRIES])


def permitted_commands(request: TurnRequest) -> tuple[str, ...]:
    """The commands that an agent with the permission `edits` may run.

    Those are our checks, and how it reports what it found. A command that its rules could read as
    more than one, or as a pattern, is left out.
    """
    plain = (line for line in request.checks if line.strip() and not set(line) & set("(),*?\n"))
    return (*OWN_COMMANDS, *plain)


def not_a_flag(prompt: str) -> str:
    """The prompt as a word of a command line that is never read as an option."""
    return f" {prompt}" if prompt.startswith("-") else prompt


def judge_exit(output: TurnOutput, name: str, process_exit: ProcessExit) -> TurnOutput:
    """What the turn came to: our reason to cut it, else what it reported, else its exit code."""
    if process_exit.cut and not output.failure:
        return output.but(cut=process_exit.cut)
    if output.failure or output.results:
        return output
    if process_exit.code == 0:
        return output.but(cut=f"{name} ended by itself without a result")
    tail = " ".join(process_exit.stderr.split())[-300:]
    limited, until = usage_limit_in(process_exit.stderr, output.text, process_exit.at)
    if tail:
        complaint = f": {tail}"
    elif limited:
        complaint = ": its usage limit is reached"
    else:  # the words of an agent are no error message, so they are only referred to
        printed = bool(output.text.strip())
        complaint = " (what it printed: loop logs)" if printed else " and said nothing"
    return output.but(
        failure=f"{name} {exit_words(process_exit.code)}{complaint}",
        crashed=not limited,
        exit_code=process_exit.code,
        limited=limited,
        until=until,
    )


def exit_words(code: int) -> str:
    """How a process ended, in words."""
    if code < 0:
        with suppress(ValueError):
            return f"was killed by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"
