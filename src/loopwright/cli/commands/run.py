"""Drive the loop of this folder with an agent, unattended, until it ends, pauses or asks.

With a SPEC, start a loop on it first. No session is needed. Nothing is ever pushed.
"""

from __future__ import annotations

import argparse
import os
import shlex
import time
from shutil import which

from ...agents.base import ALL, EDITS
from ...agents.process import TurnTimeouts
from ...agents.registry import AGENT_NAMES, load_agent
from ...core.directives import Continue, Reply, Stop
from ...core.loop import Loop
from ...core.policies.permission import ALLOW
from ...core.prompts.messages import pause_text, resume_command
from ...core.signals import Ordered
from ...drive.errors import UserError, WaitsForPerson
from ...drive.notify import notify_person, report_failure, watch_for_kill
from ...drive.notify_address import require_addresses
from ...drive.orders import (
    continue_loop,
    parse_amount,
    refuse_if_driven,
    refuse_if_driven_recently,
)
from ...drive.runner import worktree
from ...drive.runner.disk_reserve import drop_reserve, keep_reserve, pause_for_full_disk
from ...drive.runner.pacing import parse_share, parse_until, until_text
from ...drive.runner.run import DriverBusy
from ...drive.runner.run import run as drive
from ...drive.runner.run_config import RunConfig, program_path
from ...drive.runner.stop_signals import TERMINAL_CLOSED
from ...drive.stay_awake import keep_awake
from ...drive.step import step
from ...drive.turn_facts import is_holder_gone
from ...repo import user_repo
from ...store import run_records
from ...store.config import settings
from ...store.folder import LoopFolder
from ...store.history import last_ended_loop
from ...store.run_records import RunRecord
from ...views import facts
from .. import exits, here, output
from ..detached_run import (
    detach_run,
    forget_finished_run,
    recall_options,
    resume_all,
    resume_words,
    run_record,
)
from ..live_view import JsonView, LineView, ScreenView
from ..start.options import add_criteria_options, add_limit_options, add_pass_env_option
from . import start

EXAMPLES = """  loop run                               # drive the loop that is here
  loop run "fix all failing tests"       # start a loop and drive it
  loop run "add a --json flag" --check "json works=./test-json.sh" --budget 5
  loop run --agent codex --fallback claude --turn-budget 2
  loop run --detach --until 07:00        # in the background, survives a logout
  loop run --continue --budget=25        # a paused loop, with more dollars
  loop run --resume-all                  # after a reboot: every run that was cut off
  loop run --attach                      # take the loop over from a session
  loop run --worktree --commit           # work and commit on a branch of its own
  loop run --parallel --max-parallel 4   # run the tasks of a wave in parallel
  loop run --agent-command "aider --yes-always --message {prompt}"
  loop run --agent script --script rehearsal.json"""
DEFAULT_LANES = 3
SETTINGS_SOURCES = ("user", "project", "local")
NEW_LOOP_OPTIONS = (
    *("criterion", "check", "without", "must_not", "step"),
    *("iterations", "budget", "minutes", "replace", "pass_env"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("spec", nargs="?", default="", help="start a loop on this spec first")
    new = parser.add_argument_group("a new loop; these need a SPEC, or --continue for the limits")
    add_criteria_options(new)
    add_limit_options(new)
    add_pass_env_option(new)
    who = parser.add_argument_group("agent")
    who.add_argument(
        "--agent",
        choices=AGENT_NAMES,
        help="the agent that works (default: claude, else codex, if installed)",
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
        help="switch to these agents when the first one reaches its usage limit",
    )
    who.add_argument("--model", metavar="NAME", default="", help="the model that the agent uses")
    who.add_argument(
        "--keep-context",
        action="store_true",
        help="keep one session of the agent (default: a new one for each turn)",
    )
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
    plan = parser.add_argument_group("plans")
    plan.add_argument(
        "--parallel",
        action="store_true",
        help="run the tasks of a wave in parallel, each in its own worktree",
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
        help="run even if a session drove the loop just now, or files are not committed",
    )
    parser.add_argument(
        "--unproven",
        action="store_true",
        help="work without the checks that may not run; the loop is then never proven",
    )
    parser.add_argument("--plain", action="store_true", help="print plain lines on a terminal too")
    parser.add_argument("--json", action="store_true", help="print one JSON object per event")


def run(args: argparse.Namespace) -> int:
    if args.resume_all:
        return resume_all(args.json)
    if args.until:  # a run that is resumed ends at the same moment
        args.until = until_text(parse_until(args.until, time.time()))
    if code := start_or_continue_loop(args):
        return code
    folder, loop = here.active_loop()
    if args.unproven:
        loop = waive_checks(folder, loop)
    refuse_stopped_loop(loop)
    config = parse_run_config(args, folder)
    if not loop.plan and (config.lanes or config.strict):
        raise UserError(
            "--parallel, --max-parallel and --strict are for a plan: loop start --plan FILE"
        )
    refuse_unasked_takeover(folder, loop, args.attach, args.yes)
    if args.worktree is None:
        if args.commit and not args.yes and not args.continue_:
            refuse_uncommitted_files(folder)
    else:
        refuse_if_driven(folder, loop)
        folder = worktree.move_to_worktree(folder, loop, args.worktree, args.yes)
        if not args.json:
            output.show_text(
                f"[LOOP] Works in {folder.root}, on branch {worktree.loop_branch(loop)}."
            )
    words = resume_words(args)
    if args.detach:
        taken = ("--attach", "--yes") if args.attach else ()
        return detach_run(folder, loop, (*words, *taken), args.json)
    record = run_record(folder, loop, words)
    return drive_loop(folder, loop, config, args.json, args.plain, record)


def start_or_continue_loop(args: argparse.Namespace) -> int:
    """Start the loop of the SPEC, or continue the one that is here; the exit code if it refuses."""
    if args.continue_:
        return continue_paused_loop(args)
    if args.spec:
        return start_loop(args)
    refuse_options_without_spec(args)
    return exits.PROVEN


def start_loop(args: argparse.Namespace) -> int:
    """Start the loop that this run drives; the exit code of `loop start`."""
    parse_run_config(args, here.loop_folder())  # a mistake in it is found before anything starts
    from ..main import command_parser

    start_args = command_parser("start").parse_args([])
    for name in ("spec", *NEW_LOOP_OPTIONS, "yes", "json"):
        setattr(start_args, name, getattr(args, name))
    start_args.for_runner = True
    return start.run(start_args)


def continue_paused_loop(args: argparse.Namespace) -> int:
    """Raise the limits that were typed, and continue a paused loop; the exit code if it refuses."""
    if args.spec or args.replace:
        raise UserError("--continue drives the loop that is here; leave the SPEC and --replace out")
    folder, loop = here.active_loop()
    refuse_if_driven(folder, loop)
    recall_options(args, loop.id)
    parse_run_config(args, folder)  # a mistake in it is found before anything continues
    budget, iterations, minutes = (
        _raise_of(args, name) for name in ("budget", "iterations", "minutes")
    )
    if loop.status == "running" and not (budget or iterations or minutes):
        return exits.PROVEN
    reply = continue_loop(folder, budget, iterations, minutes, yes=args.yes, unproven=args.unproven)
    if isinstance(reply, Continue):
        return exits.PROVEN
    output.show_text(reply.message)
    return exits.exit_code(folder.read_loop() or loop) or exits.ERROR


def _raise_of(args: argparse.Namespace, name: str) -> float:
    text = getattr(args, name)
    return parse_amount(f"--{name}", text) if text else 0.0


def refuse_options_without_spec(args: argparse.Namespace) -> None:
    for name in NEW_LOOP_OPTIONS:
        if getattr(args, name):
            raise UserError(
                f"--{name.replace('_', '-')} belongs to a new loop: loop run SPEC. "
                "Of the loop that is here: loop criteria, loop run --continue"
            )


def waive_checks(folder: LoopFolder, loop: Loop) -> Loop:
    """Work without the checks that may not run, as the person chose."""
    if loop.gate and loop.gate.name == ALLOW:
        continue_loop(folder, 0.0, 0.0, 0.0, unproven=True)
    else:
        step(folder, Ordered(time.time(), "waive"))
    return folder.read_loop() or loop


def refuse_stopped_loop(loop: Loop) -> None:
    if loop.gate and loop.gate.name == ALLOW:
        raise WaitsForPerson(
            f"{loop.gate.question} Look at them and allow them: loop allow. "
            "Work without them, never proven: loop run --unproven"
        )
    if loop.status == "asking" and loop.gate:
        raise WaitsForPerson(
            f'it waits for an answer first ({loop.gate.question}): loop answer "…"'
        )
    if loop.status != "running":
        raise UserError(
            f"the loop is {loop.status}: {loop.pause.why}. "
            f"Continue and drive it: {resume_command(loop, loop.pause.cause).strip('`')}. "
            "See: loop status"
        )


def refuse_unasked_takeover(folder: LoopFolder, loop: Loop, attach: bool, yes: bool) -> None:
    """Take the loop from a session only if the person asks for it."""
    lease = loop.lease
    if not lease.holder or lease.session_ended or loop.headless_run or is_holder_gone(loop, ""):
        return
    if not attach:
        raise UserError(
            "a session drives this loop. Let go there (/loop:detach), or take it: loop run --attach"
        )
    if not yes:
        refuse_if_driven_recently(folder)


def refuse_uncommitted_files(folder: LoopFolder) -> None:
    dirty = user_repo.uncommitted_files(folder.root)
    if dirty:
        names = ", ".join(dirty[:5])
        raise UserError(
            f"--commit would commit your own changes too ({names}). Commit them first, "
            "use --worktree, or add --yes"
        )


def drive_loop(
    folder: LoopFolder,
    loop: Loop,
    config: RunConfig,
    as_json: bool = False,
    plain: bool = False,
    record: RunRecord | None = None,
) -> int:
    """Drive the loop to its end or pause; the exit code. `record` is kept while the run works."""
    if record:
        run_records.write_record(record)
    try:
        keep_reserve(folder)
        with keep_awake(), watch_for_kill(config.notify, folder.root):
            reply = _drive_with_view(folder, loop, config, as_json, plain)
    except DriverBusy as error:
        raise UserError(str(error)) from error
    except BaseException as error:
        if not isinstance(error, OSError) or not pause_for_full_disk(folder, error):
            report_failure(config.notify, folder, loop, error)
            raise
        paused = folder.read_loop() or loop
        notify_person(config.notify, paused, folder.root, output.show_text)
        reply = Stop(paused.pause.why, pause_text(paused))
    finally:
        drop_reserve(folder)
    forget_finished_run(folder, loop)
    now = folder.read_loop() or last_ended_loop(folder) or loop
    code = exits.exit_code(now)
    if as_json:
        output.show_json_line({"event": "end", "code": code, "loop": facts.loop_facts(now)})
    else:
        output.show_text(reply.message)
        if now.pause.why == TERMINAL_CLOSED:
            output.show_text("A run that survives it: `loop run --detach`")
        output.show_text("Report: loop report")
    return code


def _drive_with_view(
    folder: LoopFolder, loop: Loop, config: RunConfig, as_json: bool, plain: bool
) -> Reply:
    if as_json:
        return drive(folder, config, JsonView())
    console = None if plain else output.rich_console()
    if console is None:
        with LineView(loop) as lines:
            return drive(folder, config, lines)
    with ScreenView(console, loop) as screen:
        return drive(folder, config, screen)


def parse_run_config(args: argparse.Namespace, folder: LoopFolder) -> RunConfig:
    """The configuration of the run; a mistake in the arguments is found before a turn starts."""
    agents = _agent_names(args)
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
        words=_agent_words(args, agents[0]),
        model=args.model,
        permissions=args.permissions,
        allow=tuple(args.allow),
        settings=sources,
        keep_context=args.keep_context,
        turn_dollars=parse_amount("--turn-budget", args.turn_budget) if args.turn_budget else 0.0,
        timeouts=_turn_timeouts(args),
        commit=args.commit,
        lanes=_lane_count(args),
        strict=args.strict,
        until=parse_until(args.until, time.time()) if args.until else 0.0,
        leave=parse_share(args.leave) if args.leave else 0.0,
        stay=args.stay,
        notify=notify,
    )


def _agent_names(args: argparse.Namespace) -> tuple[str, ...]:
    """The agent that begins, then its fallbacks."""
    first = _first_agent(args)
    fallbacks = _comma_separated(args.fallback)
    for name in (first, *fallbacks):
        _require_agent(name)
    for name in fallbacks:
        if not load_agent(name).about.program:
            raise UserError(
                f"{name} cannot be a fallback: what it is to run is typed for the first agent only"
            )
    return first, *fallbacks


def _first_agent(args: argparse.Namespace) -> str:
    if args.agent_command:
        if args.agent not in (None, "command"):
            raise UserError(
                f"--agent-command is an agent of its own; leave --agent {args.agent} out, "
                "or name it in --fallback"
            )
        return "command"
    if args.agent:
        return str(args.agent)
    return "script" if args.script else _default_agent()


def _comma_separated(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _settings_sources(text: str) -> tuple[str, ...]:
    sources = _comma_separated(text)
    for source in sources:
        if source not in SETTINGS_SOURCES:
            raise UserError(f"--settings takes {', '.join(SETTINGS_SOURCES)}, not {source!r}")
    return sources


def _turn_timeouts(args: argparse.Namespace) -> TurnTimeouts:
    turn_seconds = parse_amount("--turn-minutes", args.turn_minutes) * 60
    idle_seconds = parse_amount("--idle-minutes", args.idle_minutes) * 60
    return TurnTimeouts(turn=turn_seconds, idle=idle_seconds, start=min(120.0, idle_seconds))


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
    if first == "command" and which(words[0]) is None:
        raise UserError(f"--agent-command: {words[0]} is not installed, or not on the PATH")
    return words


def _default_agent() -> str:
    for name in ("claude", "codex"):
        if program_path(name):
            return name
    raise UserError(
        f"neither claude nor codex is installed. {load_agent('claude').about.install}. "
        "See: loop agents"
    )


def _require_agent(name: str) -> None:
    if name not in AGENT_NAMES:
        raise UserError(f"no agent {name!r}; there are {', '.join(AGENT_NAMES)}. See: loop agents")
    if not program_path(name):
        raise UserError(f"{name} is not installed: {load_agent(name).about.install}")
