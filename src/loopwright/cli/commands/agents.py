"""The coding agents that `loop run` can drive: which are installed here, and what each can do."""

from __future__ import annotations

import argparse
import subprocess
from typing import Any

from ...agents.registry import AGENT_NAMES, load_agent
from ...drive.runner.run_config import program_path
from .. import exits, output

EXAMPLES = "  loop agents\n  loop agents --json"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    found = [agent_facts(name) for name in AGENT_NAMES]
    if args.json:
        output.show_json(found)
        return exits.PROVEN
    for one in found:
        output.show_text("\n".join(agent_lines(one)))
    return exits.PROVEN


def agent_facts(name: str) -> dict[str, Any]:
    about, path = load_agent(name).about, program_path(name)
    known = {
        field: value for field, value in about.__dict__.items() if field not in ("name", "program")
    }
    return {
        "name": name,
        "installed": bool(path),
        "version": program_version(path) if about.program and path else "",
        **known,
    }


def agent_lines(one: dict[str, Any]) -> list[str]:
    here = (
        one["version"] or "always there" if one["installed"] else f"not installed: {one['install']}"
    )
    money = {
        "reported": "tells its dollars",
        "from tokens": "tells tokens, priced by `loop config prices.MODEL`",
    }
    can = [
        money.get(one["dollars"], "tells nothing of its cost"),
        "takes a budget for each turn" if one["capped"] else "takes no budget for a turn",
        "can keep its context (--keep-context)" if one["resumes"] else "begins fresh every turn",
    ]
    return [
        f"{'✓' if one['installed'] else '✗'} {one['name']:<8} {here}",
        f"    {'; '.join(can)}",
        f"    {one['fenced']}",
    ]


def program_version(path: str) -> str:
    """The first line of what the program says of itself."""
    try:
        done = subprocess.run(
            [path, "--version"],
            capture_output=True,
            timeout=20,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return "installed, but it does not say its version"
    return done.stdout.decode("utf-8", "replace").partition("\n")[0].strip()[:80] or "installed"
