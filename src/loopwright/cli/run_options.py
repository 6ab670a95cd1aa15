"""The options of `loop run` that say how it drives the loop."""

from __future__ import annotations

import argparse

from ..agents.base import ALL, EDITS
from ..agents.registry import ACP, AGENT_NAMES, unknown_agent
from .argument_kinds import add_switch, add_value, add_values


def add_run_options(parser: argparse.ArgumentParser) -> None:
    add_agent_options(parser)
    add_permission_options(parser)
    add_sandbox_options(parser)
    add_turn_limit_options(parser)
    add_git_options(parser)
    add_plan_options(parser)
    add_attempt_options(parser)
    add_driving_options(parser)


def add_agent_options(parser: argparse.ArgumentParser) -> None:
    who = parser.add_argument_group("agent")
    who.add_argument(
        "--agent",
        type=agent_name,
        metavar="AGENT",
        help=f"the agent that works: {', '.join(AGENT_NAMES)} (default: claude, else codex, "
        "if installed); acp:COMMAND is any agent that speaks the Agent Client Protocol",
    )
    add_value(
        who,
        "--agent-command COMMAND",
        "use any command as agent; it gets the prompt as {prompt}, else on stdin",
        default=None,
    )
    add_value(who, "--script FILE", "the turns of the scripted agent, as JSON (docs/running.md)")
    add_value(
        who,
        "--fallback AGENT,…",
        "switch to these agents when the first one reaches its usage limit or keeps crashing",
    )
    add_value(who, "--model NAME", "the model that the agent uses")
    add_switch(
        who, "--keep-context", "keep one session of the agent (default: a new one for each turn)"
    )


def agent_name(typed: str) -> str:
    """What was typed for --agent, if there is such an agent."""
    name, colon, _command = typed.partition(":")
    if name in AGENT_NAMES and bool(colon) == (name == ACP):
        return typed
    if name == ACP:
        raise argparse.ArgumentTypeError("which agent? Name its command: --agent 'acp:COMMAND'")
    raise argparse.ArgumentTypeError(unknown_agent(typed))


def add_permission_options(parser: argparse.ArgumentParser) -> None:
    may = parser.add_argument_group("permissions")
    may.add_argument(
        "--permissions",
        choices=(EDITS, ALL),
        default=EDITS,
        help="edits: edit the project (default); all: do anything",
    )
    add_values(
        may, "--allow RULE", 'a further permission for claude, such as "Bash(npm install *)"'
    )
    add_value(
        may,
        "--settings SOURCE,…",
        "load the user, project or local settings of claude, with their hooks",
    )


def add_sandbox_options(parser: argparse.ArgumentParser) -> None:
    box = parser.add_argument_group("sandbox (see: loop sandbox show)")
    add_value(
        box,
        "--sandbox NAME|COMMAND",
        "where the agent runs: auto (default; bubblewrap on Linux, sandbox-exec on macOS), "
        "bwrap, srt, docker:IMAGE, podman:IMAGE, devcontainer, off, or a command that starts "
        "another in a sandbox",
    )
    add_values(box, "--allow-write PATH", "the agent may also write here")
    add_values(
        box, "--allow-read PATH", "the agent may also read here; never .ssh, .aws and other secrets"
    )
    add_switch(box, "--no-network", "the agent gets no network, local models included")


def add_turn_limit_options(parser: argparse.ArgumentParser) -> None:
    bounds = parser.add_argument_group("limits, in addition to those of the loop")
    add_value(
        bounds,
        "--turn-budget N",
        "maximum cost of one turn in dollars (default: a quarter of what is left, "
        "at least 4 %% of the budget)",
    )
    add_value(
        bounds,
        "--turn-minutes N",
        "maximum length of one turn in minutes (default 60)",
        default="60",
    )
    add_value(
        bounds,
        "--idle-minutes N",
        "end a turn after this many minutes without output (default 15)",
        default="15",
    )
    add_value(
        bounds, "--until HH:MM", "pause at this time of day; a turn that is under way then is ended"
    )
    add_value(
        bounds,
        "--leave N%",
        "leave this share of a usage window unused, where the agent reports it",
    )


def add_git_options(parser: argparse.ArgumentParser) -> None:
    git = parser.add_argument_group("git")
    git.add_argument(
        "--worktree",
        metavar="PATH",
        nargs="?",
        const="",
        help="work in a worktree, on a branch of its own",
    )
    add_switch(git, "--commit", "commit after each turn that proves something (plans always do)")


def add_plan_options(parser: argparse.ArgumentParser) -> None:
    plan = parser.add_argument_group("plans")
    add_switch(
        plan,
        "--parallel",
        "run tasks in parallel, each in its own worktree, as soon as their dependencies are done",
    )
    add_switch(plan, "--waves", "with --parallel: each wave waits for the one before")
    add_switch(
        plan, "--eager", "start a task as soon as its dependencies are done, regardless of waves"
    )
    add_value(plan, "--max-parallel N", "maximum number of parallel tasks (default 3)")
    add_switch(plan, "--strict", "pause at the first task that has used up its retries")


def add_attempt_options(parser: argparse.ArgumentParser) -> None:
    attempts = parser.add_argument_group("attempts")
    add_value(
        attempts,
        "--attempts N",
        "let N agents try it, each in a worktree with its share of the budget; the one that "
        "is proven best lands",
    )
    add_value(attempts, "--agents NAMES", "the agents of the attempts, in turn")
    add_value(attempts, "--models NAMES", "the models of the attempts, in turn")
    add_switch(attempts, "--first", "end the others when one attempt is proven")


def add_driving_options(parser: argparse.ArgumentParser) -> None:
    add_switch(parser, "--detach", "run in the background; it survives a logout")
    add_switch(
        parser, "--resume-all", "start every run again that a reboot, a logout or a kill cut off"
    )
    add_switch(
        parser,
        "--stay",
        "when the loop asks, wait for the answer (loop answer, loop serve) and continue",
    )
    parser.add_argument(
        "--continue",
        dest="continue_",
        action="store_true",
        help="continue a paused loop, as the last run drove it; --budget, --iterations and "
        "--minutes add to its limits",
    )
    add_switch(parser, "--attach", "take the loop over from the session that drives it")
    add_value(
        parser,
        "--notify COMMAND|ADDRESS",
        "on pause, question, end and error: run this command (it sees $LOOP_EVENT, …), "
        "or send to this address (ntfy://topic, tgram://…)",
        default=None,
    )
    add_switch(
        parser,
        "--yes",
        "run even if a session drove the loop just now, files are not committed, or another "
        "branch is checked out",
    )
    add_switch(
        parser,
        "--unproven",
        "work without the checks that may not run; the loop is then never proven",
    )
    add_switch(parser, "--plain", "print plain lines on a terminal too")
    add_switch(parser, "--json", "print one JSON object per event")
