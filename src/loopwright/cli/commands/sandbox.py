"""Show what the sandbox allows an agent, a check and a reviewer, or try a command in one."""

from __future__ import annotations

import argparse
import os
import subprocess
from typing import Any

from ...core.sandbox import sandbox_text
from ...drive.errors import UserError
from ...drive.sandboxes import box_of_profile
from ...sandbox.choose import Sandbox, launcher_words
from ...sandbox.probe import probe_sandbox
from ...sandbox.profiles import AGENT, PROFILES, RULES
from ...store.config import settings
from .. import exits, here, output
from ..sandbox_request import require_sandbox, wished_sandbox

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
    parser.add_argument("--sandbox", metavar="NAME", help="another sandbox than the usual one")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
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
    if args.action == "try":
        return try_command(args, sandbox, root)
    box = box_of_profile(args.profile, root)
    report = probe_sandbox(sandbox, box, dict(os.environ))
    if args.json:
        output.show_json({"sandbox": sandbox.label, "why": sandbox.why, **facts(report)})
        return exits.PROVEN
    rows = [("", *PROFILES, "covers"), *((r.name, r.agent, r.check, r.reviewer) for r in RULES)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row, covers in zip(rows, ("", *(rule.covers for rule in RULES)), strict=True):
        cells = "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=False))
        output.show_text(f"{cells}  {covers}".rstrip())
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


def try_command(args: argparse.Namespace, sandbox: Sandbox, root: str) -> int:
    """Run the command in the sandbox, in this terminal; its exit code."""
    words = tuple(args.command[1:] if args.command[:1] == ["--"] else args.command)
    if not words:
        raise UserError("which command? For example: loop sandbox try ls -la ~")
    if not sandbox.is_on:
        raise UserError(f"there is no sandbox here: {sandbox.why}")
    launcher = launcher_words(sandbox, box_of_profile(args.profile, root), dict(os.environ))
    if len(words) == 1:
        words = ("/bin/sh", "-c", words[0])
    return subprocess.run((*launcher, *words), cwd=root, check=False).returncode
