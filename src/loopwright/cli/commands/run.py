"""Drive the loop of this folder with an agent, without a session, until it is proven, pauses or asks. For the night."""

from __future__ import annotations

import argparse
import os
import shlex

from ...agents.base import ALL, EDITS
from ...agents.process import TurnTimeouts
from ...agents.registry import AGENT_NAMES, load_agent
from ...core.directives import Reply
from ...core.loop import Loop
from ...drive.errors import UserError
from ...drive.orders import parse_amount, refuse_if_driven, refuse_if_driven_recently
from ...drive.runner import worktree
from ...drive.runner.run import DriverBusy
from ...drive.runner.run import run as drive
from ...drive.runner.run_config import RunConfig, program_path
from ...repo import user_repo
from ...store.config import settings
from ...store.folder import LoopFolder
from ...store.history import last_ended_loop
from ...views import facts
from .. import exits, here, output
from ..live_view import JsonView, LineView, ScreenView

EXAMPLES = """  loop run
  loop run --agent codex --fallback claude --turn-budget 2
  loop run --attach                     # take it over from a session; back in the morning: loop attach
  loop run --worktree --commit          # on a branch of its own, one commit for each turn that proves something
  loop run --parallel --max-parallel 4  # a plan: the tasks of a wave side by side
  loop run --agent-command "aider --yes-always --message {prompt}"
  loop run --agent script --script rehearsal.json"""
DEFAULT_LANES = 3
SETTINGS_SOURCES = ("user", "project", "local")


def arguments(parser: argparse.ArgumentParser) -> None:
    who = parser.add_argument_group("who works")
    who.add_argument(
        "--agent",
        choices=AGENT_NAMES,
        help="who does the work (default: claude or codex, whichever is installed)",
    )
    who.add_argument(
        "--agent-command",
        metavar="COMMAND",
        help="any command line; {prompt} in it is the prompt, else stdin is",
    )
    who.add_argument("--script", metavar="FILE", help="the turns that the scripted agent plays")
    who.add_argument(
        "--fallback",
        metavar="AGENT,…",
        default="",
        help="go on with these when the first one meets its limit",
    )
    who.add_argument("--model", metavar="NAME", default="", help="the agent's model")
    who.add_argument(
        "--keep-context",
        action="store_true",
        help="go on in the agent's session (default: fresh every turn)",
    )
    may = parser.add_argument_group("what it may do")
    may.add_argument(
        "--permissions",
        choices=(EDITS, ALL),
        default=EDITS,
        help="edit the project (default), or anything",
    )
    may.add_argument(
        "--allow",
        metavar="RULE",
        action="append",
        default=[],
        help='also this, for claude: "Bash(npm install *)"',
    )
    may.add_argument(
        "--settings",
        metavar="SOURCE,…",
        default="",
        help="load user, project or local settings, with their hooks",
    )
    bounds = parser.add_argument_group("bounds, beside those of the loop")
    bounds.add_argument(
        "--turn-budget", metavar="N", help="most dollars of one turn (default: what is left)"
    )
    bounds.add_argument(
        "--turn-minutes", metavar="N", default="60", help="most minutes of one turn (default 60)"
    )
    bounds.add_argument(
        "--idle-minutes",
        metavar="N",
        default="15",
        help="end a turn that is silent for so long (default 15)",
    )
    git = parser.add_argument_group("git (nothing is ever pushed)")
    git.add_argument(
        "--worktree",
        metavar="PATH",
        nargs="?",
        const="",
        help="work in a checkout and on a branch of its own",
    )
    git.add_argument(
        "--commit",
        action="store_true",
        help="commit each turn that proves something (of a plan: always)",
    )
    plan = parser.add_argument_group("a plan")
    plan.add_argument(
        "--parallel",
        action="store_true",
        help="tasks that may run together do so, each in a worktree of its own",
    )
    plan.add_argument("--max-parallel", metavar="N", default="", help="so many at once (default 3)")
    plan.add_argument(
        "--strict", action="store_true", help="pause at the first task that is out of retries"
    )
    parser.add_argument(
        "--attach", action="store_true", help="take the loop over from the session that drives it"
    )
    parser.add_argument(
        "--notify",
        metavar="COMMAND",
        help="run this on pause, question and end ($LOOP_EVENT, $LOOP_WHY …)",
    )
    parser.add_argument(
        "--yes",
        action="store_true",
        help="although a session drove it just now, or files are not committed",
    )
    parser.add_argument("--plain", action="store_true", help="plain lines, also on a terminal")
    parser.add_argument(
        "--json", action="store_true", help="one JSON object for each thing that happens"
    )


def run(args: argparse.Namespace) -> int:
    place, loop = here.active_loop()
    if loop.status == "asking" and loop.gate:
        raise UserError(f'it waits for an answer first ({loop.gate.question}): loop answer "…"')
    if loop.status != "running":
        raise UserError(
            f"the loop is {loop.status}: {loop.pause.why}. Go on: loop continue. See: loop status"
        )
    crew = parse_run_config(args, place)
    if not loop.plan and (crew.lanes or crew.strict):
        raise UserError(
            "--parallel, --max-parallel and --strict are for a plan: loop start --plan FILE"
        )
    refuse_unasked_takeover(place, loop, args.attach, args.yes)
    if (
        args.commit
        and args.worktree is None
        and not args.yes
        and (dirty := user_repo.uncommitted_files(place.root))
    ):
        names = ", ".join(dirty[:5])
        raise UserError(
            f"--commit would commit your own changes too ({names}). Commit them first, use --worktree, or add --yes"
        )
    if args.worktree is not None:
        refuse_if_driven(place, loop)
        place = worktree.move_to_worktree(place, loop, args.worktree, args.yes)
        if not args.json:
            output.show_text(
                f"[LOOP] Works in {place.root}, on branch {worktree.loop_branch(loop)}."
            )
    return drive_loop(place, loop, crew, args.json, args.plain)


def drive_loop(
    place: LoopFolder, loop: Loop, crew: RunConfig, as_json: bool = False, plain: bool = False
) -> int:
    try:
        said = _drive_with_view(place, loop, crew, as_json, plain)
    except DriverBusy as error:
        raise UserError(str(error)) from error
    now = place.read_loop() or last_ended_loop(place) or loop
    if as_json:
        output.show_json_line(
            {"event": "end", "code": exits.exit_code(now), "loop": facts.loop_facts(now)}
        )
    else:
        output.show_text(said.message)
        output.show_text("Report: loop report")
    return exits.exit_code(now)


def _drive_with_view(
    place: LoopFolder, loop: Loop, crew: RunConfig, as_json: bool, plain: bool
) -> Reply:
    if as_json:
        return drive(place, crew, JsonView())
    console = None if plain else output.rich_console()
    if console is None:
        return drive(place, crew, LineView())
    with ScreenView(console, loop) as screen:
        return drive(place, crew, screen)


def parse_run_config(args: argparse.Namespace, place: LoopFolder) -> RunConfig:
    """What was typed, with every mistake found before anything starts."""
    first = (
        "command"
        if args.agent_command
        else args.agent or ("script" if args.script else _default_agent())
    )
    if args.agent_command and args.agent not in (None, "command"):
        raise UserError(
            f"--agent-command is an agent of its own; leave --agent {args.agent} out, or name it in --fallback"
        )
    names = (first, *(name.strip() for name in args.fallback.split(",") if name.strip()))
    for name in names:
        _require_agent(name)
    if wrong := [name for name in names[1:] if not load_agent(name).about.program]:
        raise UserError(
            f"{wrong[0]} cannot be a fallback: what it is to run is typed for the first agent only"
        )
    sources = tuple(source.strip() for source in args.settings.split(",") if source.strip())
    if wrong := [source for source in sources if source not in SETTINGS_SOURCES]:
        raise UserError(f"--settings takes {', '.join(SETTINGS_SOURCES)}, not {wrong[0]!r}")
    if args.keep_context and not load_agent(first).about.resumes:
        raise UserError(f"{first} cannot keep its context between turns; leave --keep-context out")
    if args.allow and "claude" not in names:
        raise UserError("--allow is a rule of claude's; for others choose --permissions")
    minutes = (
        parse_amount("--turn-minutes", args.turn_minutes),
        parse_amount("--idle-minutes", args.idle_minutes),
    )
    return RunConfig(
        names,
        words=_agent_words(args, first),
        model=args.model,
        permissions=args.permissions,
        allow=tuple(args.allow),
        settings=sources,
        keep_context=args.keep_context,
        turn_dollars=parse_amount("--turn-budget", args.turn_budget) if args.turn_budget else 0.0,
        timeouts=TurnTimeouts(
            turn=minutes[0] * 60, idle=minutes[1] * 60, start=min(120.0, minutes[1] * 60)
        ),
        commit=args.commit,
        lanes=_lane_count(args),
        strict=args.strict,
        notify=args.notify if args.notify is not None else settings(place.root)["notify"],
    )


def _lane_count(args: argparse.Namespace) -> int:
    if not args.parallel and not args.max_parallel:
        return 0
    return max(1, int(parse_amount("--max-parallel", args.max_parallel or str(DEFAULT_LANES))))


def _agent_words(args: argparse.Namespace, first: str) -> tuple[str, ...]:
    if first == "script":
        if not args.script:
            raise UserError("which script? Name it: loop run --agent script --script FILE")
        if not os.path.isfile(args.script):
            raise UserError(f"no script at {args.script}")
        return (os.path.abspath(args.script),)
    try:
        words = tuple(shlex.split(args.agent_command or ""))
    except ValueError as error:
        raise UserError(f"--agent-command cannot be read: {error}") from error
    if first == "command" and not words:
        raise UserError('which command? Name it: loop run --agent-command "COMMAND {prompt}"')
    return words


def _default_agent() -> str:
    for name in ("claude", "codex"):
        if program_path(name):
            return name
    raise UserError(
        f"neither claude nor codex is installed. {load_agent('claude').about.install}. See: loop agents"
    )


def _require_agent(name: str) -> None:
    if name not in AGENT_NAMES:
        raise UserError(f"no agent {name!r}; there are {', '.join(AGENT_NAMES)}. See: loop agents")
    if not program_path(name):
        raise UserError(f"{name} is not installed: {load_agent(name).about.install}")


def refuse_unasked_takeover(place: LoopFolder, loop: Loop, attach: bool, yes: bool) -> None:
    """A session that drives the loop is not pushed aside unasked."""
    lease = loop.lease
    if not lease.holder or lease.session_ended or loop.headless_run:
        return
    if not attach:
        raise UserError(
            f"session {lease.holder} drives this loop. Let go there (loop detach), or take it: loop run --attach"
        )
    if not yes:
        refuse_if_driven_recently(place, loop)
