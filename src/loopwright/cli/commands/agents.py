"""List the agents: which are here, what holds their sessions, which of them `loop run` drives.

A session is held by the agent's own stop hook (veto) or by a new message (message). Where nothing
holds it, use `loop run`.
"""

from __future__ import annotations

import argparse
from typing import Any

from ...agents.registry import AGENT_NAMES, known_names, load_about
from ...agents.versions import ask_version, version_number
from ...drive.runner.run_config import program_path
from .. import exits, output
from ..argument_kinds import add_json

EXAMPLES = """  loop agents
  loop agents --json"""
COST_WORDS = {"reported": "dollars", "from tokens": "tokens"}
COLUMNS = ("agent", "here", "hold", "cap", "cost", "resume", "commands", "loop run", "measured")


def arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    agents = [agent_facts(name) for name in known_names()]
    if args.json:
        output.show_json(agents)
        return exits.PROVEN
    rows = [COLUMNS, *(matrix_row(agent) for agent in agents)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
    output.show_text("\n".join(lines))
    output.show_text("\n".join(["", *notes(agents)]))
    return exits.PROVEN


def agent_facts(name: str) -> dict[str, Any]:
    about = load_about(name)
    path = program_path(name)
    version = ""
    if about.program and path:
        line = ask_version([path])
        unknown = "installed, but it does not say its version"
        version = unknown if line is None else line or "installed"
    shown = {"name": name, "installed": bool(path), "version": version}
    abilities = {
        field: value for field, value in about.__dict__.items() if field not in ("name", "program")
    }
    return shown | abilities | {"driven": name in AGENT_NAMES}


def matrix_row(agent: dict[str, Any]) -> tuple[str, ...]:
    return (
        agent["name"],
        (version_number(agent["version"]) or "yes") if agent["installed"] else "no",
        agent["hold"] or "no",
        str(agent["cap"] or "-"),
        COST_WORDS.get(agent["dollars"], "unknown"),
        "yes" if agent["resumes"] else "no",
        agent["commands"] or "-",
        "yes" if agent["driven"] else "no",
        measured_words(agent),
    )


def measured_words(agent: dict[str, Any]) -> str:
    if not agent["hold"] and not agent["headless"]:
        return "-"
    return str(agent["measured"]) or "not run here"


def notes(agents: list[dict[str, Any]]) -> list[str]:
    """What the cells of the matrix cannot say."""
    caps = [f"{a['name']}: {a['cap']} {a['cap_counts']}" for a in agents if a["cap"]]
    missing = [
        f"{a['name']}: {a['install']}" for a in agents if not a["installed"] and a["install"]
    ]
    fences = [f"{a['name']}: {a['fenced']}" for a in agents if a["driven"] and a["fenced"]]
    sandboxes = [f"{a['name']}: {a['sandbox']}" for a in agents if a["sandbox"]]
    parts = (
        ("Its own limit on holding a session", caps),
        ("What `loop run` lets it do", fences),
        ("A sandbox of its own", sandboxes),
        ("To install", missing),
    )
    lines = []
    for title, rows in parts:
        if rows:
            lines += [f"{title}:", *(f"  {row}" for row in rows)]
    return [*lines, "Register our hook: `loop install AGENT`. Prices: `loop config prices.MODEL`"]
