"""List the agents that `loop run` can drive: which are installed, and what each can do."""

from __future__ import annotations

import argparse
import subprocess
from typing import Any

from ...agents.registry import AGENT_NAMES, load_agent
from ...drive.runner.run_config import program_path
from .. import exits, output

EXAMPLES = """  loop agents
  loop agents --json"""
COST_WORDS = {
    "reported": "tells its dollars",
    "from tokens": "tells tokens, priced by `loop config prices.MODEL`",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def run(args: argparse.Namespace) -> int:
    agents = [agent_facts(name) for name in AGENT_NAMES]
    if args.json:
        output.show_json(agents)
        return exits.PROVEN
    for agent in agents:
        output.show_text("\n".join(agent_lines(agent)))
    return exits.PROVEN


def agent_facts(name: str) -> dict[str, Any]:
    about = load_agent(name).about
    path = program_path(name)
    version = program_version(path) if about.program and path else ""
    shown = {"name": name, "installed": bool(path), "version": version}
    abilities = {
        field: value for field, value in about.__dict__.items() if field not in ("name", "program")
    }
    return shown | abilities


def agent_lines(agent: dict[str, Any]) -> list[str]:
    mark = "✓" if agent["installed"] else "✗"
    version = agent["version"] or "always there"
    if not agent["installed"]:
        version = f"not installed: {agent['install']}"
    abilities = [
        COST_WORDS.get(agent["dollars"], "tells nothing of its cost"),
        "takes a budget for each turn" if agent["capped"] else "takes no budget for a turn",
        "can keep its context (--keep-context)" if agent["resumes"] else "begins fresh every turn",
    ]
    return [
        f"{mark} {agent['name']:<8} {version}",
        f"    {'; '.join(abilities)}",
        f"    {agent['fenced']}",
    ]


def program_version(path: str) -> str:
    """The first line that the program prints for --version."""
    try:
        process = subprocess.run(
            [path, "--version"],
            capture_output=True,
            timeout=20,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return "installed, but it does not say its version"
    first_line = process.stdout.decode("utf-8", "replace").partition("\n")[0]
    return first_line.strip()[:80] or "installed"
