"""What was typed to `loop fleet submit`, as the job that is queued."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
import time
from datetime import datetime

from ...agents.registry import load_agent
from ...core.limits import Limits
from ...core.prompts.phrases import cut_at_word, strip_control_characters
from ...disk.programs import own_program
from ...drive.errors import UserError, WrongValue
from ...drive.new_loop import loop_from_request
from ...drive.orders.loop_orders import parse_amount
from ...drive.runner.until_and_leave import parse_until
from ...fleet.jobs import DEFAULT_ACCOUNT, FILES_WORD, JobRequest
from ...fleet.settings import read_settings
from ...fleet.sources import WorkSource, full_address, local_source, remote_source
from ...repo.user_repo import tracked_files, uncommitted_files
from ...store.folder import LoopFolder
from .. import here
from ..command_parser import option_words
from ..commands.start import prepare_request
from ..run_request import parse_run_config
from ..start.proof_options import parse_holdout
from ..start.request import LIMIT_FLAGS, LIMIT_VARIABLES, named_criteria, refuse_high_limits
from ..start.typed_arguments import StartArguments
from .job_words import NOT_KEPT, REFUSED, run_options, start_options

MAX_FILE = 1_000_000  # characters of a file that travels with a job
MAX_NAME = 60
MAX_PRIORITY = 1_000
LABEL = re.compile(r"\w[\w.:/-]{0,99}")
ACCOUNT = re.compile(r"\w[\w.-]{0,99}")
SANDBOX_VARIABLE = "LOOP_SANDBOX"  # of the person who submits, like the flag
START_FILES = ("plan", "prd")  # options of `loop start` that name a file, besides --file


class JobBuilder:
    """Builds jobs; jobs of the same repository share what was found out about it."""

    def __init__(self) -> None:
        self._sources: dict[tuple[str, str], WorkSource] = {}
        self._committed: dict[str, frozenset[str]] = {}

    def build(self, args: argparse.Namespace) -> JobRequest:
        if args.spec == "-":
            args.spec = sys.stdin.read().strip()
        refuse_options(args)
        source = self._source(args)
        root = "" if source.address else here.checkout_top(os.getcwd())
        files = TravellingFiles(root, self._committed_files(root, source))
        agents = _checked_agents(args, root)
        start_words = _start_words(args, root, files)
        run_words = _run_words(args, agents[0], files)
        needed = (name for name in agents if load_agent(name).about.program)
        results = args.results or read_settings().results
        return JobRequest(
            name=_job_name(args),
            repository=source.repository,
            base_commit=source.base_commit,
            address=source.address,
            bundle=source.bundle,
            start_words=start_words,
            run_words=run_words,
            files=files.texts,
            labels=sorted({*map(check_label, args.label), *(f"agent:{name}" for name in needed)}),
            priority=args.priority,
            account=account_name(args.account),
            results=full_address(results, "--results") if results else "",
        )

    def _source(self, args: argparse.Namespace) -> WorkSource:
        key = (args.repository, args.ref)
        if key not in self._sources:
            self._sources[key] = (
                remote_source(args.repository, args.ref) if args.repository else _source_here(args)
            )
        return self._sources[key]

    def _committed_files(self, root: str, source: WorkSource) -> frozenset[str]:
        if root and root not in self._committed:
            self._committed[root] = tracked_files(root, source.base_commit)
        return self._committed.get(root, frozenset())


class TravellingFiles:
    """Files that the words name. Those of the repository stay in it; the others go with the job."""

    def __init__(self, root: str, committed: frozenset[str]) -> None:
        self.texts: dict[str, str] = {}
        self._root, self._committed = root, committed

    def words_for(self, option: str, path: str) -> list[str]:
        """The option with the path that the worker has."""
        inside = _path_inside(self._root, path) if self._root else ""
        if inside:
            if not os.path.exists(path):
                raise UserError(f"{option} {path}: there is no such file here")
            if inside not in self._committed:
                raise UserError(
                    f"{option} {path}: the commit that is sent does not have this file. "
                    f"Commit it first: git add {shlex.quote(path)} && git commit"
                )
            return [option, inside]
        if not self._root and not os.path.exists(path):
            return [option, path]  # a file of the repository at the address
        return self.carry(option, path)

    def carry(self, option: str, path: str) -> list[str]:
        """The option with the path of a copy that goes with the job."""
        try:
            with open(path, encoding="utf-8-sig") as file:
                text = file.read(MAX_FILE + 1)
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"cannot read {path}: {error}") from error
        if len(text) > MAX_FILE:
            raise UserError(f"{path} is longer than {MAX_FILE:,} characters. Commit it instead")
        return [option, self.add(os.path.basename(path), text)]

    def add(self, name: str, text: str) -> str:
        """Let the text go with the job; its path there."""
        free, number = name, 1
        while free in self.texts:
            number += 1
            free = f"{number}-{name}"
        self.texts[free] = text
        return f"{FILES_WORD}/{free}"


def refuse_options(args: argparse.Namespace) -> None:
    for name, reason in REFUSED.items():
        if getattr(args, name):
            raise UserError(f"--{name.strip('_').replace('_', '-')} is not for a job: {reason}")
    if args.worktree is not None:
        raise UserError(f"--worktree is not for a job: {REFUSED['worktree']}")
    for option in ("repository", "account", "results"):  # an empty variable, such as "$TEAM"
        if getattr(args, option) == "":
            raise WrongValue(f"--{option} is empty. Name it, or leave the option out")
    if args.ref and not args.repository:
        raise UserError("--ref needs --repository; of the repository here HEAD is sent")
    if not (args.spec.strip() or args.file or args.plan or args.prd or args.preset):
        raise UserError('what is to be done? Say it: loop fleet submit "fix all failing tests"')
    if abs(args.priority) > MAX_PRIORITY:
        raise WrongValue(f"--priority takes a number from -{MAX_PRIORITY} to {MAX_PRIORITY}")
    if args.spec and args.file:
        raise UserError("--file has the spec already; leave the other one out")


def _source_here(args: argparse.Namespace) -> WorkSource:
    if not own_program("git"):
        raise UserError("git is not installed here, and the repository is sent with it. Install it")
    root = here.checkout_top(os.getcwd())
    if not os.path.exists(os.path.join(root, ".git")):
        raise UserError(f"{root} is no git repository. Go to one, or name it: --repository ADDRESS")
    dirty = () if args.yes else uncommitted_files(root, run_filters=False)
    if dirty:
        more = f" and {len(dirty) - 5} more" if len(dirty) > 5 else ""
        raise UserError(
            f"changes that are not committed stay behind ({', '.join(dirty[:5])}{more}). "
            "Commit them, or submit without them: --yes"
        )
    return local_source(root)


def _checked_agents(args: argparse.Namespace, root: str) -> tuple[str, ...]:
    """The agents that may work on it, the first one first; a mistake in the run's options."""
    if args.until:  # the same moment wherever and whenever the job runs
        moment = datetime.fromtimestamp(parse_until(args.until, time.time())).astimezone()
        args.until = moment.isoformat(timespec="minutes")
    run_args = run_options().parse_args([])
    for name in vars(run_args):
        setattr(run_args, name, getattr(args, name))
    config = parse_run_config(run_args, LoopFolder(root or os.getcwd()), runs_here=False)
    if config.strict and not (args.plan or args.prd):
        raise UserError("--strict is for a plan: --plan FILE")
    return config.agents


def _start_words(args: argparse.Namespace, root: str, files: TravellingFiles) -> list[str]:
    """The words of `loop start`. What can be checked here is checked here."""
    limits = _checked_limits(args, root)
    words = option_words(
        start_options(), args, {*NOT_KEPT, *START_FILES, *LIMIT_FLAGS.values(), "file"}
    )
    words += limits
    for name in START_FILES:
        if path := getattr(args, name):
            words += files.words_for(f"--{name}", path)
    if args.file:
        words += files.carry("--file", args.file)
    elif args.spec.startswith(("-", FILES_WORD)):
        words += ["--file", files.add("spec.md", args.spec)]
    elif args.spec:
        words.append(args.spec)
    return words


def _checked_limits(args: argparse.Namespace, root: str) -> list[str]:
    """The limits of the job as words: those that hold here, whatever the worker's settings are."""
    if root:
        limits = _requested_limits(args, root)
        return [_limit_word(flag, getattr(limits, name)) for name, flag in LIMIT_FLAGS.items()]
    named_criteria((*args.criterion, *args.check, *args.must_not), 1, {})
    for holdout in args.holdout:
        parse_holdout(holdout)
    amounts = {}
    for name, flag in LIMIT_FLAGS.items():
        text = getattr(args, flag) or os.environ.get(LIMIT_VARIABLES.get(name, ""), "")
        if text:
            amounts[name] = parse_amount(f"--{flag}", text)
    if not args.yes:
        refuse_high_limits(amounts)
    return [_limit_word(LIMIT_FLAGS[name], amount) for name, amount in amounts.items()]


def _limit_word(flag: str, amount: float) -> str:
    return f"--{flag}={amount:.6f}".rstrip("0").rstrip(".")


def _requested_limits(args: argparse.Namespace, root: str) -> Limits:
    """Build the loop as `loop start` would; it refuses what cannot start, and a vague spec."""
    for path in args.include:
        if path not in tracked_files(root, "HEAD"):
            raise UserError(
                f"--include {path}: files that are not committed stay here. "
                'Let the workers make it: --setup "COMMAND"'
            )
    start_args = start_options().parse_args([])
    for name in vars(start_args):
        setattr(start_args, name, getattr(args, name, getattr(start_args, name)))
    folder = LoopFolder(root)
    request, detected = prepare_request(StartArguments(person=start_args, agent=None), folder)
    loop_from_request(request.but(gates=False, headless=True), folder, detected)
    return request.limits


def _run_words(args: argparse.Namespace, agent: str, files: TravellingFiles) -> list[str]:
    skipped = {*NOT_KEPT, "unproven", "script", "agent"}
    args.sandbox = args.sandbox or os.environ.get(SANDBOX_VARIABLE, "")
    words = [f"--agent={agent}", *option_words(run_options(), args, skipped)]
    if args.script:
        words += files.words_for("--script", args.script)
    return words


def _job_name(args: argparse.Namespace) -> str:
    text = args.name or args.spec or os.path.basename(args.file or args.plan or args.prd)
    words = " ".join((text or f"{args.preset} loop").split())
    return cut_at_word(strip_control_characters(words), MAX_NAME)


def check_label(label: str) -> str:
    if not LABEL.fullmatch(label):
        raise WrongValue(f"--label takes letters, digits and . : / - only, not {label[:100]!r}")
    return label


def account_name(name: str) -> str:
    if name and not ACCOUNT.fullmatch(name):
        raise WrongValue(f"--account takes letters, digits, . and - only, not {name[:100]!r}")
    return name or DEFAULT_ACCOUNT


def _path_inside(root: str, path: str) -> str:
    """The path relative to the root; "" when it lies outside."""
    relative = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
    return "" if relative.startswith("..") or os.path.isabs(relative) else relative
