"""The words of `loop start` and `loop run` that a job keeps, and the run that they describe."""

from __future__ import annotations

import argparse
import os
import shlex
from functools import cache
from typing import NoReturn

from ...drive.errors import UserError
from ...drive.runner.run_config import RunConfig
from ...store.folder import LoopFolder
from ..command_parser import CommandParser, command_parser
from ..run_options import add_run_options
from ..run_request import parse_run_config

# Options of `loop start` and `loop run` that a job cannot have, and why.
REFUSED = {
    "detach": "a worker runs it in the background already",
    "worktree": "every job has a checkout of its own",
    "attach": "no session drives a new job",
    "resume_all": "the workers continue what was cut off by themselves",
    "stay": "a job that asks gives its slot back and continues after: loop fleet answer JOB TEXT",
    "parallel": "submit one job for each part; the workers run them in parallel",
    "max_parallel": "submit one job for each part; the workers run them in parallel",
    "waves": "without --parallel, which is not for a job, it has no meaning",
    "eager": "without --parallel, which is not for a job, it has no meaning",
    "attempts": "submit the job several times and compare the results",
    "agents": "it belongs to --attempts, which is not for a job",
    "models": "it belongs to --attempts, which is not for a job",
    "first": "it belongs to --attempts, which is not for a job",
    "continue_": "a paused job continues with: loop fleet retry JOB",
    "resume": "a paused job continues with: loop fleet retry JOB",
    "replace": "every job has a checkout of its own, without a loop in it",
    "session": "no session drives a job",
}
# The worker adds --yes: the person has approved the checks by submitting them.
NOT_KEPT = {*REFUSED, "help", "yes", "json", "plain", "for_runner"}


class ActionParser(CommandParser):
    """The parser of an action, which itself says what it does not know."""

    def parse_known_args(  # type: ignore[override]
        self, args: list[str], namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(self.unknown_words_text(unknown))
        return found, unknown


class WordsParser(CommandParser):
    """A parser whose errors are messages: the words come from a database or a file."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message}. See: loop fleet submit --help")

    def parse_args_into(self, words: list[str], typed: argparse.Namespace) -> argparse.Namespace:
        """The words over what was typed before; options that repeat are added to it."""
        found, unknown = self.parse_known_args(words, typed)
        if unknown:
            self.error(f"no option {unknown[0].partition('=')[0]}")
        return found


@cache
def start_options() -> argparse.ArgumentParser:
    return command_parser("start")


@cache
def run_options() -> argparse.ArgumentParser:
    parser = WordsParser(prog="loop run", add_help=False, allow_abbrev=False)
    add_run_options(parser)
    return parser


def job_run_config(words: list[str], folder: LoopFolder) -> RunConfig:
    """The run of a job in its checkout. Relative paths in the words are those of the checkout."""
    args = run_options().parse_args(words)
    if args.script:
        args.script = os.path.join(folder.root, args.script)
    if args.agent_command:
        args.agent_command = _command_in(folder.root, args.agent_command)
    return parse_run_config(args, folder)


def _command_in(root: str, line: str) -> str:
    """The command line with a program such as ./agent.sh named by its full path."""
    program, *rest = shlex.split(line) or [""]
    if os.sep in program and not os.path.isabs(program):
        return shlex.join([os.path.normpath(os.path.join(root, program)), *rest])
    return line
