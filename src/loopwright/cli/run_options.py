"""The options of `loop run` that say how it drives the loop."""

from __future__ import annotations

import argparse

from ..agents.base import ALL, EDITS
from ..agents.registry import ACP, AGENT_NAMES, unknown_agent


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
    who.add_argument(
        "--agent-command",
        metavar="COMMAND",
        help="use any command as agent; it gets the prompt as {prompt}, else on stdin",
    )
    who.add_argument("--script", metavar="FILE", help="the turns of the scripted agent")
    who.add_argument(
        "--fallback",
        metavar="AGENT,…",
        default="",
        help="switch to these agents when the first one reaches its usage limit or keeps crashing",
    )
    who.add_argument("--model", metavar="NAME", default="", help="the model that the agent uses")
    who.add_argument(
        "--keep-context",
        action="store_true",
        help="keep one session of the agent (default: a new one for each turn)",
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
    may.add_argument(
        "--allow",
        metavar="RULE",
        action="append",
        default=[],
        help='a further permission for claude, such as "Bash(npm install *)"',
    )
    may.add_argument(
        "--settings",
        metavar="SOURCE,…",
        default="",
        help="load the user, project or local settings of claude, with their hooks",
    )


def add_sandbox_options(parser: argparse.ArgumentParser) -> None:
    box = parser.add_argument_group("sandbox (see: loop sandbox show)")
    box.add_argument(
        "--sandbox",
        metavar="NAME|COMMAND",
        help="where the agent runs: auto (default; bubblewrap on Linux, sandbox-exec on macOS), "
        "bwrap, srt, docker:IMAGE, podman:IMAGE, devcontainer, off, or a command that starts "
        "another in a sandbox",
    )
    box.add_argument(
        "--allow-write",
        metavar="PATH",
        action="append",
        default=[],
        help="the agent may also write here",
    )
    box.add_argument(
        "--allow-read",
        metavar="PATH",
        action="append",
        default=[],
        help="the agent may also read here; never .ssh, .aws and other secrets",
    )
    box.add_argument(
        "--no-network", action="store_true", help="the agent gets no network, local models included"
    )


def add_turn_limit_options(parser: argparse.ArgumentParser) -> None:
    bounds = parser.add_argument_group("limits, in addition to those of the loop")
    bounds.add_argument(
        "--turn-budget",
        metavar="N",
        help="maximum cost of one turn in dollars (default: a quarter of what is left, "
        "at least 4 %% of the budget)",
    )
    bounds.add_argument(
        "--turn-minutes",
        metavar="N",
        default="60",
        help="maximum length of one turn in minutes (default 60)",
    )
    bounds.add_argument(
        "--idle-minutes",
        metavar="N",
        default="15",
        help="end a turn after this many minutes without output (default 15)",
    )
    bounds.add_argument(
        "--until",
        metavar="HH:MM",
        default="",
        help="pause at this time of day; a turn that is under way then is ended",
    )
    bounds.add_argument(
        "--leave",
        metavar="N%",
        default="",
        help="leave this share of a usage window unused, where the agent reports it",
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
    git.add_argument(
        "--commit",
        action="store_true",
        help="commit after each turn that proves something (plans always do)",
    )


def add_plan_options(parser: argparse.ArgumentParser) -> None:
    plan = parser.add_argument_group("plans")
    plan.add_argument(
        "--parallel",
        action="store_true",
        help="run tasks in parallel, each in its own worktree, as soon as their dependencies "
        "are done",
    )
    plan.add_argument(
        "--waves", action="store_true", help="with --parallel: each wave waits for the one before"
    )
    plan.add_argument(
        "--eager",
        action="store_true",
        help="start a task as soon as its dependencies are done, regardless of waves",
    )
    plan.add_argument(
        "--max-parallel",
        metavar="N",
        default="",
        help="maximum number of parallel tasks (default 3)",
    )
    plan.add_argument(
        "--strict", action="store_true", help="pause at the first task that has used up its retries"
    )


def add_attempt_options(parser: argparse.ArgumentParser) -> None:
    attempts = parser.add_argument_group("attempts")
    attempts.add_argument(
        "--attempts",
        metavar="N",
        default="",
        help="let N agents try it, each in a worktree with its share of the budget; the one that "
        "is proven best lands",
    )
    attempts.add_argument(
        "--agents", metavar="NAMES", default="", help="the agents of the attempts, in turn"
    )
    attempts.add_argument(
        "--models", metavar="NAMES", default="", help="the models of the attempts, in turn"
    )
    attempts.add_argument(
        "--first", action="store_true", help="end the others when one attempt is proven"
    )


def add_driving_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--detach", action="store_true", help="run in the background; it survives a logout"
    )
    parser.add_argument(
        "--resume-all",
        action="store_true",
        help="start every run again that a reboot, a logout or a kill cut off",
    )
    parser.add_argument(
        "--stay",
        action="store_true",
        help="when the loop asks, wait for the answer (loop answer, loop serve) and continue",
    )
    parser.add_argument(
        "--continue",
        dest="continue_",
        action="store_true",
        help="continue a paused loop, as the last run drove it; --budget, --iterations and "
        "--minutes add to its limits",
    )
    parser.add_argument(
        "--attach", action="store_true", help="take the loop over from the session that drives it"
    )
    parser.add_argument(
        "--notify",
        metavar="COMMAND|ADDRESS",
        help="on pause, question, end and error: run this command (it sees $LOOP_EVENT, …), "
        "or send to this address (ntfy://topic, tgram://…)",
    )
    parser.add_argument(
        "--yes",
        action="store_true",
        help="run even if a session drove the loop just now, files are not committed, or another "
        "branch is checked out",
    )
    parser.add_argument(
        "--unproven",
        action="store_true",
        help="work without the checks that may not run; the loop is then never proven",
    )
    parser.add_argument("--plain", action="store_true", help="print plain lines on a terminal too")
    parser.add_argument("--json", action="store_true", help="print one JSON object per event")
