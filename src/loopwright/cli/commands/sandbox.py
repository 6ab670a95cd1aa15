"""Show what the sandbox allows an agent, a check and a reviewer, or try a command in one."""

from __future__ import annotations

import argparse
import os
import subprocess
from typing import Any

from ...agents.process import child_environment
from ...agents.registry import load_about
from ...core.runner.sandbox import sandbox_text
from ...disk.programs import without_loader_lists
from ...drive.errors import UserError
from ...sandbox.bounds import bounds_text
from ...sandbox.choose import Sandbox, launcher_words
from ...sandbox.git_guard import GitGuard
from ...sandbox.mounts import Box
from ...sandbox.probe import probe_sandbox
from ...sandbox.profiles import AGENT, CHECK, PROFILES, RULES
from ...store.chosen_sandbox import box_of_profile
from ...store.config import settings
from ...verify.credentials import without_credentials
from .. import exits, here, output
from ..argument_kinds import add_json, add_value
from ..sandbox_request import allowed_folders, require_sandbox, wished_sandbox

EXAMPLES = """  loop sandbox show
  loop sandbox show --json
  loop sandbox try ls -la ~
  loop sandbox try --profile check pytest -q"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        choices=("show", "try"),
        default="show",
        help="show the rules (default), or try a command",
    )
    parser.add_argument(
        "--profile", choices=PROFILES, default=AGENT, help="for whom the sandbox is (default agent)"
    )
    add_value(parser, "--sandbox NAME", "another sandbox than the usual one")
    add_json(parser)
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the command to try")


def run(args: argparse.Namespace) -> int:
    take_leading_options(args)
    if args.action == "show" and args.command:
        raise UserError(
            f"`loop sandbox show` takes no command. Did you mean: "
            f"loop sandbox try {' '.join(args.command)}"
        )
    root = here.loop_folder().root
    wish = args.sandbox or wished_sandbox(settings(root))
    sandbox = require_sandbox(wish, root)
    box = usual_box(args.profile, root)
    guard = GitGuard(root, os.path.join(root, ".loop"))
    if args.action == "try":
        return try_command(args, sandbox, box, guard)
    with guard:
        report = probe_sandbox(sandbox, box, usual_environment(args.profile))
    if args.json:
        bounds = {**box.bounds.__dict__, "kept": bounds_text(box.bounds)}
        facts_of_box = {**facts(report), "bounds": bounds}
        output.show_json({"sandbox": sandbox.label, "why": sandbox.why, **facts_of_box})
        return exits.PROVEN
    rows = [("", *PROFILES, "covers"), *((r.name, r.agent, r.check, r.reviewer) for r in RULES)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row, covers in zip(rows, ("", *(rule.covers for rule in RULES)), strict=True):
        cells = "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=False))
        output.show_text(f"{cells}  {covers}".rstrip())
    if sandbox.is_on:
        output.show_text(f"\nA turn or a check may use at most: {bounds_text(box.bounds)}.")
    output.show_text(f"\nHere, as a probe inside found it: {sandbox_text(report)}.")
    return exits.PROVEN


def take_leading_options(args: argparse.Namespace) -> None:
    """Options between `try` and the command are ours; argparse leaves them to the command."""
    while args.command and args.command[0].startswith("-") and args.command[0] != "--":
        name, *rest = args.command
        if name == "--json":
            args.json, args.command = True, rest
            continue
        if name not in ("--profile", "--sandbox") or not rest:
            problem = "needs a value" if name in ("--profile", "--sandbox") else "is no option"
            raise UserError(f"{name} {problem}. See: loop sandbox --help")
        value, *args.command = rest
        if name == "--profile" and value not in PROFILES:
            raise UserError(f"no profile {value!r}; there are {', '.join(PROFILES)}")
        setattr(args, name.lstrip("-"), value)


def facts(report: Any) -> dict[str, Any]:
    return {
        "enforced": report.is_enforced,
        "probe": dict(report.results),
        "rules": [rule.__dict__ for rule in RULES],
    }


def usual_box(profile: str, root: str) -> Box:
    """The box of this profile with what the settings add to it."""
    values = settings(root)
    read, write = allowed_folders(values, root)
    box = box_of_profile(profile, root).but(allow_read=read)
    if profile == AGENT:
        box = box.but(allow_write=write, network=values["sandbox.network"] == "open")
    return box


def usual_environment(profile: str) -> dict[str, str]:
    """The variables of a check, or of an agent that is a command: no credentials of others."""
    if profile == CHECK:
        return without_credentials(os.environ)
    environment = child_environment("", load_about("command"))
    return {name: value for name, value in environment.items() if name != "LOOP_CHILD"}


def try_command(args: argparse.Namespace, sandbox: Sandbox, box: Box, guard: GitGuard) -> int:
    """Run the command in the sandbox, in this terminal; its exit code."""
    words = tuple(args.command[1:] if args.command[:1] == ["--"] else args.command)
    if not words:
        raise UserError("which command? For example: loop sandbox try ls -la ~")
    if not sandbox.is_on:
        raise UserError(f"there is no sandbox here: {sandbox.why}")
    if len(words) == 1:
        words = ("/bin/sh", "-c", words[0])
    environment = usual_environment(args.profile)
    with guard:
        launcher = launcher_words(sandbox, box, environment)
        env = without_loader_lists(environment, launcher)
        done = subprocess.run((*launcher, *words), cwd=box.root, env=env, check=False)
    return done.returncode
