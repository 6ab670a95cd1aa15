"""loop: one command, its parts in files of their own. Only the part that is asked for is imported."""

from __future__ import annotations

import argparse
import sys
from difflib import get_close_matches
from importlib import import_module

from .. import __version__
from . import errors, exits, here

# In the order of --help. `continue` and `import` are keywords of Python, so their modules end in an underscore.
COMMANDS = {
    "start": "start a loop on a spec",
    "status": "show the loop of this folder",
    "continue": "go on after a pause, with more budget if given",
    "pause": "pause the loop; nothing is lost",
    "cancel": "end the loop and report what was done",
    "run": "drive the loop with an agent, without a session",
    "plan": "read, lint and draw a plan; write a new one",
    "execute": "execute a plan, or go on with its tasks",
    "verify": "verify what a plan has come to, and fix the gaps",
    "import": "go on from a GSD project: .gsd/ or .opti-gsd/",
    "report": "the morning report: proven, failed, cost, what to do next",
    "logs": "what the agent did and said under a runner",
    "steer": "tell the agent something while it works",
    "agents": "the agents that `loop run` can drive, and what each can do",
    "answer": "answer the question a loop waits with",
    "why": "why it goes on or has paused: counters, failing output",
    "check": "run the checks now and show what they say",
    "accept": "take as it is what was found against a claim",
    "audit": "prove an ended loop once more, and look for edits of its record",
    "receipt": "the proof of an ended loop, as Markdown for a pull request",
    "rewind": "put the files back to how an iteration left them",
    "diff": "what has changed since an iteration",
    "claim": "for agents: claim a criterion, a step, the exit, or say blocked",
    "backlog": "what a discovery loop has found and done; add to it",
    "presets": "what discovery loops look for: ours and your own",
    "criteria": "list, add or drop criteria",
    "allow": "let the loop, or its checks found in files, run",
    "deny": "take back what was allowed",
    "task": "the loop as a task record: get, list, update",
    "attach": "take the loop over for a session",
    "detach": "let go of the loop, for the next session or runner",
    "history": "loops that have ended here",
    "journal": "what happened, event by event",
    "forget": "delete an ended loop's archive",
    "install": "add to the client's settings: alias, status line, block cap",
    "simulate": "play a spec or a plan with a scripted agent: free, and at once",
    "replay": "decide a recorded loop once more, under other limits",
    "config": "read and set thresholds, limits and prices",
    "doctor": "test what can go wrong and say the fix",
    "demo": "watch a loop work, without an agent or a network",
    "completion": "print a completion script for bash, zsh or fish",
    "statusline": "one line about the loop, for the client's status line",
    "plugin": "build the plugin for Claude Code",
    "hook": "the door for a coding agent's hooks",
}
FIRST_GROUP_SIZE = 6
MODULE_NAMES = {"continue": "continue_", "import": "import_"}


def main(argv: list[str] | None = None) -> int:
    """The entry point of the command `loop`."""
    words = sys.argv[1:] if argv is None else argv
    windows = sys.platform == "win32"  # where a pipe would speak the country's code page
    for stream in (sys.stdin, sys.stdout, sys.stderr) if windows else (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8" if windows else None, errors="backslashreplace")
    if words and words[0] in COMMANDS:
        return errors.run_explaining_errors(lambda: run_command(words[0], words[1:]))
    if words in ([], ["-h"], ["--help"], ["help"]):
        print(overview_text())
        return exits.PROVEN if words else exits.USAGE
    if words in (["--version"], ["-V"]):
        print(f"loop {__version__}")
        return exits.PROVEN
    close = get_close_matches(words[0], COMMANDS, 1)
    hint = f"Did you mean `loop {close[0]}`?" if close else "See `loop --help`."
    print(f"loop: no command {words[0]!r}. {hint}", file=sys.stderr)
    return exits.USAGE


def run_command(name: str, words: list[str]) -> int:
    here.refuse_agents(name)
    command = import_module(f"{__package__}.commands.{MODULE_NAMES.get(name, name)}")
    return int(command.run(command_parser(name).parse_args(words)))


def command_parser(name: str) -> argparse.ArgumentParser:
    command = import_module(f"{__package__}.commands.{MODULE_NAMES.get(name, name)}")
    parser = CommandParser(
        prog=f"loop {name}",
        description=(command.__doc__ or "").partition("\n")[0],
        epilog=f"examples:\n{command.EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.arguments(parser)
    return parser


class CommandParser(argparse.ArgumentParser):
    """argparse with our exit code for usage, and without its empty list for `--option=--`."""

    def parse_args(self, args: list[str]) -> argparse.Namespace:  # type: ignore[override]
        found = super().parse_args(args)
        for name, value in vars(found).items() if any(word.endswith("=--") for word in args) else ():
            many = isinstance(value, list) and self.get_default(name) == []
            if value == [] != self.get_default(name) or (many and [] in value):
                self.error(f"-- is no value for {name.replace('_', '-')}")
        return found

    def error(self, message: str) -> None:  # type: ignore[override]
        self.print_usage(sys.stderr)
        self.exit(exits.USAGE, f"{self.prog}: {message}. See `{self.prog} --help`.\n")


def overview_text() -> str:
    names = list(COMMANDS)
    rows = [f"  {name:<11} {COMMANDS[name]}" for name in names]
    codes = [f"  {code:<4} {meaning}" for code, meaning in exits.MEANINGS.items()]
    return "\n".join(
        [
            "usage: loop COMMAND [ARGUMENTS]    (loop COMMAND --help says more)",
            "",
            "Keeps a coding agent working until the work is proven done, and stops it safely when it cannot be.",
            "",
            *rows[:FIRST_GROUP_SIZE],
            "",
            *rows[FIRST_GROUP_SIZE:],
            "",
            "exit codes:",
            *codes,
            "",
            "examples:",
            '  loop start "fix all failing tests"',
            '  loop start "make pytest green" --check "tests pass=pytest -q" --yes',
            "  loop continue --budget=25",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
