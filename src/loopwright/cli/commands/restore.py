"""Put back a loop whose .loop/ is gone or damaged, from the copy outside the project.

What is there and cannot be used is set aside in .loop/aside/, never deleted.
"""

from __future__ import annotations

import argparse

from ...drive.errors import UserError
from ...store.restore import NothingToRestore, is_intact, restore_loop, restored_text
from .. import exits, here, output

EXAMPLES = """  loop restore
  git stash --all && loop restore   # the loop stays, whatever git takes away"""


def run(args: argparse.Namespace) -> int:
    folder, _ = here.lost_loop()
    if is_intact(folder):
        raise UserError("the loop is here and can be read. See: loop status")
    try:
        restored = restore_loop(folder)
    except NothingToRestore as error:
        raise UserError(str(error)) from error
    output.show_text(f"{restored_text(restored)} See: loop status")
    return exits.PROVEN
