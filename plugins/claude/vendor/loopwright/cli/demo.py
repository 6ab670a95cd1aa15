"""Watch a loop work: a small broken project, a scripted agent that makes mistakes on purpose, and the proof at the end."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from importlib.resources import files
from typing import Any

from ..core.backlog import LIMITS
from ..core.loop import Check, Criterion
from ..drive.crew import Crew
from ..drive.start import Request, measure, plan
from ..store import presets
from ..store.config import prices
from ..store.folder import LoopFolder
from ..store.lay import lay, prepare
from ..store.page_file import HISTORY
from ..views import screen
from . import output
from .run import driven

EXAMPLES = """  loop demo
  loop demo discovery            # improving without an end, until nothing more is found
  loop demo --folder /tmp/shop   # leave the project there"""
STORIES = {
    "spec": "The agent is scripted: it will claim to be done too early, and repeat itself, before it gets there.",
    "discovery": "The agent is scripted: it will break a test on the way, mend it, and run out of things to find.",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", nargs="?", choices=tuple(STORIES), default="spec", help="which kind of loop (default: spec)")
    parser.add_argument("--folder", metavar="PATH", help="where to make the project (a temporary folder by default)")


def run(args: argparse.Namespace) -> int:
    data = json.loads(files("loopwright.agents.script").joinpath(f"{args.kind}.json").read_text("utf-8"))
    root = os.path.realpath(args.folder or tempfile.mkdtemp(prefix="loop-demo-"))
    make_project(root, data["files"])
    output.show(f"{data['about']}, in {root}\n")
    place = LoopFolder(root)
    prepare(place)
    loop = measure(plan(request_of(data), place, {}), place)
    lay(place, loop)
    output.show(screen.text(loop))
    output.show(f"\n{STORIES[args.kind]}\n")
    script = os.path.join(place.path, "script.json")
    with open(script, "w", encoding="utf-8") as file:
        json.dump(data, file)
    code = driven(place, loop, Crew(("script",), words=(script,)), plain=True)
    archive = place.inside("history", loop.id)
    output.show(f"\nJournal:  {archive}/journal.jsonl   (read it: cd {root} && {os.path.abspath(sys.argv[0])} journal {loop.id})")
    if loop.backlog:
        output.show(f"Page:     {os.path.join(root, HISTORY)}/")
    output.show(f"Evidence: {archive}/evidence/")
    return code


def request_of(data: dict[str, Any]) -> Request:
    checks = tuple(Criterion(name, Check((sys.executable, *words.split()))) for name, words in data["checks"].items())
    request = Request(data["spec"], checks, steps=tuple(data.get("steps", ())), prices=prices(), gates=False)
    return request.but(backlog=presets.named(data["preset"]).backlog(), limits=LIMITS) if "preset" in data else request


def make_project(root: str, project: dict[str, str]) -> None:
    """The project's files, under git where git is."""
    for name, text in project.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    who = ["-c", "user.name=Loopwright demo", "-c", "user.email=demo@example.invalid", "-c", "commit.gpgsign=false"]
    try:
        for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "A small shop"]):
            subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        output.warn("(git is not there: the tree is hashed without it)")
