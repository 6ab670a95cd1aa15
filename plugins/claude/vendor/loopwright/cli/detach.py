"""Let go of the loop: the next session that is prompted in this folder, or a runner, drives it."""

from __future__ import annotations

import argparse
import time

from ..core.signals import Ordered
from ..drive.step import step
from . import exits, here, output

EXAMPLES = "  loop detach"


def arguments(parser: argparse.ArgumentParser) -> None:
    pass


def run(args: argparse.Namespace) -> int:
    place, _ = here.loop()
    said = step(place, Ordered(time.time(), "detach"))
    output.show(said.say)
    return exits.PROVEN
