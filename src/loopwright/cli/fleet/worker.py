"""`loop fleet worker`: run jobs here until it is drained, or ask running workers to drain."""

from __future__ import annotations

import argparse
import errno
import os
import re
import socket
import stat
from pathlib import Path

from ...agents.process import Pairs
from ...agents.registry import AGENT_NAMES, load_about
from ...disk.files import make_folder
from ...disk.programs import own_program
from ...disk.user_folders import state_home
from ...drive.errors import UserError, WrongValue
from ...drive.runner.run_config import program_path
from ...fleet.database import Database, wait_for_database
from ...fleet.jobs import DEFAULT_ACCOUNT
from ...fleet.liveness import ask_to_drain
from ...fleet.settings import database_address, hide_address
from .. import exits, output
from ..command_parser import option_words
from .connection import opened_database
from .job_request import account_name, check_label
from .job_words import job_run_config
from .options import DEFAULT_SLOTS, add_worker

MAX_SLOTS = 64
MAX_FILE = 100_000  # characters of an account's file
VARIABLE_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)")


def run(args: argparse.Namespace) -> int:
    if args.drain == "":
        raise UserError("--drain: which worker? List them: loop fleet status")
    if args.drain:
        return drain_workers(args)
    if not own_program("git"):
        raise UserError("a worker needs git, which is not installed here. Install it first")
    if not 1 <= args.slots <= MAX_SLOTS:
        raise WrongValue(f"--slots takes a number from 1 to {MAX_SLOTS}, not {args.slots}")
    accounts = {DEFAULT_ACCOUNT: (), **dict(map(read_account, args.account))}
    labels = {*map(check_label, args.label), *agent_labels()}
    root = Path(os.path.abspath(args.root) if args.root else default_root())
    make_root(root)
    database = wait_for_database(database_address(args.database), output.show_text)
    from ...fleet.held_jobs import WorkerOptions
    from ...fleet.worker import Worker

    say_how_it_works(database, args.slots, labels, accounts)
    options = WorkerOptions(
        slots=args.slots,
        labels=frozenset(labels),
        accounts=accounts,
        root=root,
        parse_config=job_run_config,
        say=output.show_text,
        words=command_words(args),
        environment=hide_address(),
        until_idle=args.until_idle,
    )
    Worker(database, options).serve()
    return exits.PROVEN


def drain_workers(args: argparse.Namespace) -> int:
    is_here = args.drain == "here"
    with opened_database(args) as database, database.writing() as connection:
        asked = ask_to_drain(
            connection,
            worker="" if is_here else args.drain,
            host=socket.gethostname() if is_here else "",
        )
    if not asked and not is_here:
        raise UserError(f"no worker {args.drain!r} is running. List them: loop fleet status")
    for worker in asked:
        output.show_text(f"Worker {worker} finishes its turns and ends.")
    if not asked:
        output.show_text("No worker is running on this machine.")
    return exits.PROVEN


def make_root(root: Path) -> None:
    """Make the folder of the checkouts, or say why it cannot be."""
    try:
        make_folder(str(root))
        if not root.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(root))
    except OSError as error:
        raise UserError(
            f"checkouts cannot be kept there: {error}. Name a folder: --root DIR"
        ) from error


def default_root() -> str:
    return os.path.join(state_home(), "fleet", "work")


def agent_labels() -> list[str]:
    """A label for each agent whose program is installed here."""
    needed = (name for name in AGENT_NAMES if load_about(name).program)
    return [f"agent:{name}" for name in needed if program_path(name)]


def read_account(text: str) -> tuple[str, Pairs]:
    """NAME=FILE as the account's name and its variables."""
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise WrongValue(f"--account takes NAME=FILE, not {text!r}")
    try:
        with open(os.path.expanduser(path), encoding="utf-8") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            content = file.read(MAX_FILE + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"--account {name}: cannot read {path}: {error}") from error
    if mode & 0o077 and os.name != "nt":
        raise UserError(
            f"--account {name}: other users can read {path}. Make it yours: chmod 600 {path}"
        )
    return account_name(name), parse_variables(content, path)


def parse_variables(content: str, path: str) -> Pairs:
    """Lines NAME=VALUE; empty lines and comments are skipped, quotes around a value removed."""
    pairs: dict[str, str] = {}
    for number, line in enumerate(content.splitlines(), 1):
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        match = VARIABLE_LINE.fullmatch(bare)
        if not match:  # the line is not shown: it may be a secret
            raise UserError(f"{path}, line {number}: no line such as NAME=VALUE")
        value = match[2].strip()
        if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1]
        pairs[match[1]] = value
    if not pairs:
        raise UserError(f"{path} has no line such as ANTHROPIC_API_KEY=…")
    return tuple(pairs.items())


def command_words(args: argparse.Namespace) -> list[str]:
    """This command again, for a worker that must begin anew."""
    parser = argparse.ArgumentParser(add_help=False)
    add_worker(parser)
    return ["fleet", "worker", *option_words(parser, args)]


def say_how_it_works(
    database: Database, slots: int, labels: set[str], accounts: dict[str, Pairs]
) -> None:
    count = "1 job" if slots == 1 else f"{slots} jobs at once"
    hint = "" if slots != DEFAULT_SLOTS else " (--slots N)"
    output.show_text(
        f"Fleet at {database.shown_address}: {count}{hint}; "
        f"labels: {', '.join(sorted(labels)) or 'none'}; accounts: {', '.join(sorted(accounts))}. "
        'Submit: loop fleet submit "SPEC". Ctrl-C drains; twice ends at once.'
    )
