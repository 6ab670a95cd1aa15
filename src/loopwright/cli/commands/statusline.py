"""One line about the loop of a session, for the client's status line: its JSON on stdin, nothing where no loop is."""

from __future__ import annotations

import argparse
import json
import sys

from ...hook.__main__ import loop_root_above
from ...store.folder import LoopFolder, UntrustedFolder
from ...store.journal import JournalError
from ...views import status_line
from .. import exits, here, output

EXAMPLES = """  loop statusline < /dev/null
  loop install --status-line       puts it into the client's settings"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing to choose: the client says all on stdin."""


def run(args: argparse.Namespace) -> int:
    said = {} if sys.stdin.isatty() else _read_client_json()
    where = said.get("workspace")
    places = (said.get("cwd"), *(where.values() if isinstance(where, dict) else ()))
    folders = [place for place in places if isinstance(place, str)]
    root = next((found for found in map(loop_root_above, folders) if found), "") if folders else ""
    place = LoopFolder(root) if root else None if folders else here.find_loop_folder()
    try:
        loop = place.read_loop() if place else None
    except (
        UntrustedFolder,
        JournalError,
    ):  # a status line is no place for trouble; `loop doctor` tells
        loop = None
    if loop:
        output.show_text(status_line.text(loop))
    return exits.PROVEN


def _read_client_json() -> dict[str, object]:
    try:
        said = json.loads(sys.stdin.read())
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
