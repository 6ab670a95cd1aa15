"""`loop mcp` in the real Claude Code: the client lists the tools, and its agent calls one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import loopwright
from tests.e2e.turn import says, uses
from tests.support.builders import a_loop, with_check


@pytest.mark.long
def test_the_agent_of_a_real_client_asks_for_the_status(world) -> None:
    world.project.create(a_loop(criteria=(with_check("tests pass", "false"),)))
    package = str(Path(loopwright.__file__).parents[1])
    server = {
        "command": sys.executable,
        "args": ["-m", "loopwright.cli.main", "mcp"],
        "env": {"PYTHONPATH": package},
    }
    config = world.home / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"loop": server}}))
    script = [uses("mcp__loop__loop_status", {}), says("Seen.")]

    run = world.headless(
        "What is open?", script, "--mcp-config", str(config), "--strict-mcp-config"
    )

    assert run.rc == 0
    assert "tests pass" in run.requests[1].news
