"""Print one line about the loop of a session, for the client's status line.

Reads the client's JSON on stdin. Prints nothing if there is no loop.
"""

from __future__ import annotations

import argparse
import sys

from ...core.json_text import json_object
from ...hook.entry import loop_root_above
from ...store.folder import LoopFolder, UntrustedFolder
from ...store.journal import JournalError
from ...views import status_line
from .. import exits, here, output

EXAMPLES = """  loop statusline < /dev/null
  loop install --status-line   # adds it to the client's settings"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """This command has no options: the client sends everything on stdin."""


def run(args: argparse.Namespace) -> int:
    folder = client_loop_folder({} if sys.stdin.isatty() else read_client_json())
    try:
        loop = folder.read_loop() if folder else None
    except (UntrustedFolder, JournalError):
        # A status line has no room for problems; `loop doctor` names them.
        loop = None
    if loop:
        output.show_text(status_line.text(loop))
    return exits.PROVEN


def client_loop_folder(data: dict[str, object]) -> LoopFolder | None:
    """The loop of the folders that the client names, else of the current folder."""
    workspace = data.get("workspace")
    values = [data.get("cwd")]
    if isinstance(workspace, dict):
        values += workspace.values()
    paths = [value for value in values if isinstance(value, str)]
    if not paths:
        return here.find_loop_folder()
    for path in paths:
        if root := loop_root_above(path):
            return LoopFolder(root)
    return None


def read_client_json() -> dict[str, object]:
    return json_object(sys.stdin.read()) or {}
