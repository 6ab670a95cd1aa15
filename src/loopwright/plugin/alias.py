"""The command file that makes the bare /loop ours: the skill `start`, under the other name."""

from __future__ import annotations

from ..agents.claude.paths import ALIAS_MARKER
from . import build


def alias_command(exits: dict[int, str]) -> str:
    skill = build.template_files(exits)["skills/start/SKILL.md"].decode()
    _, head, body = skill.split("---\n", 2)
    rows = [row for row in head.splitlines() if not row.startswith("name:")]
    body = body.replace(
        'its full path is `"${CLAUDE_PLUGIN_ROOT}/bin/loop"`', "or installed as a package"
    )
    return "\n".join(
        ["---", *rows, "---", f"<!-- {ALIAS_MARKER}, written by `loop install --alias`. -->", body]
    )
