"""The command file that makes the bare /loop ours: the skill `start` under another name."""

from __future__ import annotations

from ..agents.claude.paths import ALIAS_MARKER
from . import build


def alias_command(exits: dict[int, str]) -> str:
    skill = build.template_files(exits)["skills/start/SKILL.md"].decode()
    _, head, body = skill.split("---\n", 2)
    rows = [row for row in head.splitlines() if not row.startswith("name:")]
    plugin_path = 'its full path is `"${CLAUDE_PLUGIN_ROOT}/bin/loop"`'
    body = body.replace(plugin_path, "or installed as a package")
    mark = f"<!-- {ALIAS_MARKER}, written by `loop install --alias`. -->"
    return "\n".join(["---", *rows, "---", mark, body])
