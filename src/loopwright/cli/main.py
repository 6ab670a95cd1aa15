"""The command `loop`: find the subcommand, parse its arguments and run it.

Each subcommand is a module in cli/commands; only the module in use is imported, and what
`--help` does not need is imported where it is used.
"""

from __future__ import annotations

import os
import sys

from .. import __version__
from ..disk.files import keep_owner_access
from ..disk.programs import avoid_folders, drop_project_imports
from ..disk.user_folders import NoHomeFolder
from . import exits

# Every command, grouped and in the order of --help.
GROUPS = {
    "daily": {
        "start": "start a loop on a spec, a plan or a preset",
        "status": "show criteria, proof, counters and the next command",
        "watch": "watch all loops of this machine in the terminal, live",
        "why": "explain why the loop continues or has paused, with the failing output",
        "continue": "continue a paused loop, with more budget if you give it",
        "pause": "pause the loop; nothing is lost",
        "cancel": "end the loop and report what was done",
        "answer": "answer the question that the loop asks",
        "task": "show or update the loop as a task record",
        "claim": "for agents: claim a criterion, a step or the exit, or report a blocker",
        "dispute": "for agents: say that a check is wrong, so that a person decides",
    },
    "plans": {
        "plan": "write, check, draw or change a plan",
        "execute": "execute a plan, or continue with its tasks",
        "verify": "verify the result of a plan and fix what is missing",
        "lanes": "list the worktrees of parallel tasks, and remove those that were left",
        "import": "continue a GSD project (.gsd/ or .opti-gsd/)",
    },
    "improving": {
        "backlog": "show or edit what a discovery loop found and fixed",
        "presets": "list what discovery loops look for: built-in and your own",
    },
    "unattended": {
        "run": "drive the loop with an agent, without a session",
        "report": "show the morning report: proven, failed, cost, next steps",
        "logs": "show what the agent did and said during a run",
        "serve": "show all loops of this machine in a browser",
        "fleet": "run many loops as jobs, on this machine or on several",
        "steer": "send the agent a message while it works",
        "detach": "release the loop, so that a runner or another session can take it",
        "attach": "take the loop over for a session",
        "agents": "list the agents that `loop run` can drive, and what each can do",
        "sandbox": "show what agents and checks may see and do, or try a command in a sandbox",
    },
    "proof": {
        "check": "run the checks now and show the results",
        "criteria": "list, add or drop criteria",
        "allow": "allow checks that were found in files, or a loop from elsewhere",
        "deny": "withdraw what you allowed",
        "accept": "accept a finding that refutes a claim",
        "rule": "decide about a check that the agent disputes: keep, drop or change it",
        "strength": "measure whether the checks notice if a part of the work is taken away",
        "harden": "let an agent try to turn the checks green without doing the work",
        "audit": "re-run the proof of an ended loop and check its record for edits",
        "receipt": "print the proof of an ended loop as Markdown for a pull request",
    },
    "history": {
        "history": "list the loops that have ended here",
        "journal": "show what happened, event by event",
        "diff": "show what has changed since an iteration",
        "rewind": "restore the files of an iteration",
        "restore": "put back a loop whose .loop/ is gone or damaged",
        "forget": "delete the archive of an ended loop, or drop a loop that is gone",
    },
    "setup": {
        "demo": "watch a loop work, without an agent or a network",
        "doctor": "test the installation and name the fix for each problem",
        "config": "read and set limits, prices and other settings",
        "install": "register our hook with clients; alias, status line, block cap",
        "uninstall": "remove our hook from clients, and restore their files",
        "mcp": "serve the loop as MCP tools, for agents that we have no hook for",
        "completion": "print a completion script for bash, zsh or fish",
        "statusline": "print one line about the loop for the client's status line",
        "plugin": "build the plugin for Claude Code",
        "hook": "handle a hook event of a coding agent",
    },
}
COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}
# They only read and print: nothing is open, running or half written when they are done.
PRINTING_COMMANDS = ("status", "why")
EXAMPLES = (
    "examples:",
    '  loop start "fix all failing tests"',
    '  loop start "make pytest green" --check "tests pass=pytest -q" --yes',
    "  loop continue --budget=25",
    "  loop run --agent claude            # unattended, for example overnight",
)


def main(argv: list[str] | None = None) -> int:
    """The entry point of the command `loop`."""
    words = sys.argv[1:] if argv is None else argv
    open_closed_streams()
    configure_streams()
    keep_owner_access()
    if words and words[0] in COMMANDS:
        if argv is None:
            leave_out_the_project()
        from .errors import run_explaining_errors

        code = run_explaining_errors(lambda: run_command(words[0], words[1:]))
        if argv is None and words[0] in PRINTING_COMMANDS:
            leave_at_once(code)
        return code
    if words in ([], ["-h"], ["--help"], ["help"]):
        show_answer(overview_text())
        return exits.PROVEN if words else exits.USAGE
    if words in (["--version"], ["-V"]):
        show_answer(f"loop {__version__}")
        return exits.PROVEN
    return explain_unknown_command(words[0])


def show_answer(text: str) -> None:
    """Print it, for a reader that may have seen enough: `loop --help | head`."""
    from .output import IgnoreGoneReader

    with IgnoreGoneReader():
        print(text, flush=True)


def leave_out_the_project() -> None:
    """Start and import nothing from the checkout that we are in: agents write there."""
    from .here import checkout_top

    try:
        avoid_folders(checkout_top(os.getcwd()))
    except (OSError, NoHomeFolder):  # the folder is gone, or there is no home: others say so
        return
    drop_project_imports()


def leave_at_once(code: int) -> None:
    """End without the interpreter's own cleaning up, which takes two thirds of its start."""
    if "coverage" in sys.modules:  # it writes its figures then
        return
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):  # the reader is gone: the usual end says so
        return
    os._exit(code)


def open_closed_streams() -> None:
    """Open a stream that we were started without (`>&-`), before a file takes its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def configure_streams() -> None:
    """A character that the terminal cannot show must not end a command with an error."""
    windows = sys.platform == "win32"
    streams = [sys.stdin, sys.stdout, sys.stderr] if windows else [sys.stdout, sys.stderr]
    # On Windows a pipe would use the code page of the country.
    encoding = "utf-8" if windows else None
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def explain_unknown_command(word: str) -> int:
    from difflib import get_close_matches

    close = get_close_matches(word, COMMANDS, 1)
    hint = f"Did you mean `loop {close[0]}`?" if close else "See `loop --help`."
    print(f"loop: no command {word!r}. {hint}", file=sys.stderr)
    return exits.USAGE


def run_command(name: str, words: list[str]) -> int:
    from . import here
    from .command_modules import command_module

    here.report_moved_folder(name)
    here.refuse_agents(name)
    command = command_module(name)
    if not words and hasattr(command, "DEFAULTS"):
        from types import SimpleNamespace  # argparse and what it imports takes longer than the rest

        return int(command.run(SimpleNamespace(**command.DEFAULTS)))
    from .command_parser import command_parser

    return int(command.run(command_parser(name).parse_args(words)))


def overview_text() -> str:
    """The text of `loop --help`."""
    lines = [
        "usage: loop COMMAND [ARGUMENTS]",
        "",
        "Keeps a coding agent working until the work is proven done,",
        "and stops it safely when the work cannot be proven.",
        "`loop COMMAND --help` shows the arguments and examples of a command.",
    ]
    for group, commands in GROUPS.items():
        lines += ["", f"{group}:", *(f"  {name:<11} {text}" for name, text in commands.items())]
    return "\n".join([*lines, "", *EXAMPLES, "", *exit_code_lines()])


def exit_code_lines() -> list[str]:
    return ["exit codes:", *(f"  {code:<4} {meaning}" for code, meaning in exits.MEANINGS.items())]


if __name__ == "__main__":
    sys.exit(main())
