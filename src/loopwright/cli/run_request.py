"""What was typed to `loop run`, as the configuration of the run."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import time
from importlib.util import find_spec

from ..agents.process import TurnTimeouts
from ..agents.registry import ACP, AGENT_NAMES, load_agent, unknown_agent
from ..disk.files import open_at_once
from ..disk.programs import agent_program
from ..drive.errors import UserError, WrongValue
from ..drive.notify.address import require_addresses
from ..drive.orders.loop_orders import parse_amount
from ..drive.runner.agent_box import AgentSandbox
from ..drive.runner.run_config import AttemptCall, RunConfig, program_path
from ..drive.runner.until_and_leave import parse_share, parse_until
from ..store.config import settings
from ..store.folder import LoopFolder
from .detached_run import resume_words
from .sandbox_request import chosen_sandbox

DEFAULT_LANES = 3
COMMAND_EXAMPLE = 'loop run --agent-command "COMMAND {prompt}"'
SCRIPT_EXAMPLE = 'It looks like this: {"turns": [{"write": {"a.txt": "hello"}, "say": "Done."}]}'
ACP_EXAMPLE = "loop run --agent 'acp:opencode acp'"
SETTINGS_SOURCES = ("user", "project", "local")


def parse_run_config(
    args: argparse.Namespace, folder: LoopFolder, runs_here: bool = True
) -> RunConfig:
    """The configuration of the run; a mistake in the arguments is found before a turn starts.

    With `runs_here` off another machine runs it, so its programs need not be installed here.
    """
    agents = _agent_names(args, runs_here)
    sources = _settings_sources(args.settings)
    if args.keep_context and not load_agent(agents[0]).about.resumes:
        raise UserError(
            f"{agents[0]} cannot keep its context between turns; leave --keep-context out"
        )
    if args.allow and "claude" not in agents:
        raise UserError("--allow is a rule of claude's; for others choose --permissions")
    notify = args.notify if args.notify is not None else settings(folder.root)["notify"]
    require_addresses(notify)
    return RunConfig(
        agents,
        words=_agent_words(args, agents[0], runs_here),
        model=args.model,
        permissions=args.permissions,
        allow=tuple(args.allow),
        settings=sources,
        keep_context=args.keep_context,
        turn_dollars=parse_amount("--turn-budget", args.turn_budget) if args.turn_budget else 0.0,
        timeouts=_turn_timeouts(args),
        commit=args.commit,
        lanes=_lane_count(args),
        waves=args.waves,
        eager=args.eager,
        strict=args.strict,
        attempts=attempt_calls(args),
        first=args.first,
        until=parse_until(args.until, time.time()) if args.until else 0.0,
        leave=parse_share(args.leave) if args.leave else 0.0,
        stay=args.stay,
        notify=notify,
        sandbox=chosen_sandbox(args, folder) if runs_here else AgentSandbox(),
    )


MAX_ATTEMPTS = 10


def attempt_calls(args: argparse.Namespace) -> tuple[AttemptCall, ...]:
    """How each attempt is run; none without --attempts."""
    if not args.attempts:
        for name in ("agents", "models", "first"):
            if getattr(args, name):
                raise UserError(f"--{name} belongs to several attempts: loop run --attempts N")
        return ()
    number = int(parse_amount("--attempts", args.attempts))
    if not 2 <= number <= MAX_ATTEMPTS:
        raise WrongValue(f"--attempts takes a number from 2 to {MAX_ATTEMPTS}")
    agents = _comma_separated(args.agents) or (_first_agent(args, runs_here=True),)
    models = _comma_separated(args.models) or (args.model,)
    for name in agents:
        _require_agent(name, runs_here=True)
    own = vars(args) | {"attempts": "", "agents": "", "models": "", "first": False, "notify": ""}
    calls = []
    for position in range(number):
        agent, model = agents[position % len(agents)], models[position % len(models)]
        typed = argparse.Namespace(**own | {"model": model})
        if args.agents:
            typed.agent = agent
        calls.append(AttemptCall(agent, model, resume_words(typed)))
    return tuple(calls)


def _agent_names(args: argparse.Namespace, runs_here: bool) -> tuple[str, ...]:
    """The agent that begins, then its fallbacks."""
    first = _first_agent(args, runs_here)
    fallbacks = _comma_separated(args.fallback)
    for name in (first, *fallbacks):
        _require_agent(name, runs_here)
    for name in fallbacks:
        if not load_agent(name).about.program:
            raise UserError(
                f"{name} cannot be a fallback: what it runs is typed for the first agent only. "
                "Name another, see: loop agents"
            )
    return first, *fallbacks


def _first_agent(args: argparse.Namespace, runs_here: bool) -> str:
    if args.agent_command is not None:
        if args.agent not in (None, "command"):
            raise UserError(
                f"--agent-command is an agent of its own; leave --agent {args.agent} out, "
                "or name it in --fallback"
            )
        return "command"
    if args.agent:
        return str(args.agent).partition(":")[0]
    return "script" if args.script else _default_agent(runs_here)


def _comma_separated(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _settings_sources(text: str) -> tuple[str, ...]:
    sources = _comma_separated(text)
    for source in sources:
        if source not in SETTINGS_SOURCES:
            raise WrongValue(f"--settings takes {', '.join(SETTINGS_SOURCES)}, not {source!r}")
    return sources


def _turn_timeouts(args: argparse.Namespace) -> TurnTimeouts:
    turn_seconds = parse_amount("--turn-minutes", args.turn_minutes) * 60
    idle_seconds = parse_amount("--idle-minutes", args.idle_minutes) * 60
    return TurnTimeouts(turn=turn_seconds, idle=idle_seconds, start=min(120.0, idle_seconds))


def _lane_count(args: argparse.Namespace) -> int:
    if not args.parallel and not args.max_parallel:
        return 0
    return int(parse_amount("--max-parallel", args.max_parallel or str(DEFAULT_LANES)))


def _require_script(path: str) -> None:
    """A script that cannot be played is refused here, and not as an agent that crashes."""
    if not os.path.isfile(path):
        raise UserError(f"no script at {path}. Name the file with its turns: --script FILE")
    try:
        with open(path, encoding="utf-8", opener=open_at_once) as file:
            script = json.load(file)
    except (OSError, ValueError) as error:
        raise UserError(f"the script {path} cannot be read: {error}. {SCRIPT_EXAMPLE}") from None
    turns = script.get("turns") if isinstance(script, dict) else None
    if not (isinstance(turns, list) and turns and all(isinstance(turn, dict) for turn in turns)):
        raise UserError(f"the script {path} has no list of turns. {SCRIPT_EXAMPLE}")


def _agent_words(args: argparse.Namespace, first: str, runs_here: bool) -> tuple[str, ...]:
    if first == "script":
        if not args.script:
            raise UserError("which script? Name it: loop run --agent script --script FILE")
        if runs_here:
            _require_script(args.script)
        return (os.path.abspath(args.script),)
    if first == ACP:
        if runs_here:
            require_acp_library()
        typed = args.agent.partition(":")[2]
        return _command_words(f"--agent {ACP}", typed, ACP_EXAMPLE, runs_here)
    if first == "command":
        typed = args.agent_command or ""
        return _command_words("--agent-command", typed, COMMAND_EXAMPLE, runs_here)
    return ()


def _command_words(option: str, typed: str, example: str, runs_here: bool) -> tuple[str, ...]:
    """The command line of an agent, whose program must be there."""
    try:
        words = tuple(shlex.split(typed))
    except ValueError as error:
        raise WrongValue(f"{option} cannot be read: {error}") from error
    if not words:
        raise WrongValue(f"which command? Name it: {example}")
    if runs_here and not agent_program(words[0]):
        raise UserError(
            f"{option}: {words[0]} is not installed, or not on the PATH. "
            "Install it, or give its full path"
        )
    return words


def require_acp_library() -> None:
    if find_spec("acp") is None:
        raise UserError(
            "the Agent Client Protocol needs a library that is not here: "
            f"{load_agent(ACP).about.install}"
        )


def _default_agent(runs_here: bool) -> str:
    for name in ("claude", "codex"):
        if program_path(name):
            return name
    if not runs_here:
        return "claude"
    raise UserError(
        f"neither claude nor codex is installed. {load_agent('claude').about.install}. "
        "See: loop agents"
    )


def _require_agent(name: str, runs_here: bool) -> None:
    if name not in AGENT_NAMES:
        raise WrongValue(f"{unknown_agent(name)}. See: loop agents")
    if runs_here and not program_path(name):
        raise UserError(f"{name} is not installed: {load_agent(name).about.install}")
