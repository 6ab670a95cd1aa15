"""The command file that makes the bare /loop ours: the skill `start`, under the other name."""

from __future__ import annotations

from ..agents.claude.places import ALIAS
from . import build


def text(exits: dict[int, str]) -> str:
    skill = build.pages(exits)["skills/start/SKILL.md"].decode()
    _, head, body = skill.split("---\n", 2)
    rows = [row for row in head.splitlines() if not row.startswith("name:")]
    body = body.replace('its full path is `"${CLAUDE_PLUGIN_ROOT}/bin/loop"`', "or installed as a package")
    return "\n".join(["---", *rows, "---", f"<!-- {ALIAS}, written by `loop install --alias`. -->", body])
