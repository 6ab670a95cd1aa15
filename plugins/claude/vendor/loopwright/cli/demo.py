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
from ..core.loop import Check, Criterion, Loop
from ..core.plan import limits
from ..drive.crew import Crew
from ..drive.start import Request, measure, plan
from ..store import presets
from ..store.config import prices
from ..store.folder import LoopFolder
from ..store.lay import lay, prepare
from ..store.page_file import HISTORY
from ..views import screen
from . import executing, output
from .request import title_of
from .run import driven

EXAMPLES = """  loop demo
  loop demo plan                 # a plan in waves: a task that fails twice, a gap that is found and fixed
  loop demo discovery            # improving without an end, until nothing more is found
  loop demo --folder /tmp/shop   # leave the project there"""
STORIES = {
    "spec": "The agent is scripted: it will claim to be done too early, and repeat itself, before it gets there.",
    "plan": "The agent is scripted: it will say that task 02 is complete when it is not, and leave a file that nothing uses.",
    "discovery": "The agent is scripted: it will break a test on the way, mend it, and run out of things to find.",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", nargs="?", choices=tuple(STORIES), default="spec", help="which kind of loop (default: spec)")
    parser.add_argument("--folder", metavar="PATH", help="where to make the project (a temporary folder by default)")


def run(args: argparse.Namespace) -> int:
    text = files("loopwright.agents.script").joinpath(f"{args.kind}.json").read_text("utf-8")
    data = json.loads(text.replace("{python}", json.dumps(sys.executable)[1:-1]))
    root = os.path.realpath(args.folder or tempfile.mkdtemp(prefix="loop-demo-"))
    make_project(root, data["files"])
    output.show(f"{data['about']}, in {root}\n")
    place = LoopFolder(root)
    prepare(place)
    loop = measure(allowed(plan(request_of(data, root), place, {})), place)
    lay(place, loop)
    output.show(screen.text(loop))
    output.show(f"\n{STORIES[args.kind]}\n")
    script = os.path.join(place.path, "script.json")
    with open(script, "w", encoding="utf-8") as file:
        json.dump(data, file)
    code = driven(place, loop, Crew(("script",), words=(script,)), plain=True)
    archive = place.inside("history", loop.id)
    output.show(f"\nJournal:  {archive}/journal.jsonl   (read it: cd {root} && {os.path.abspath(sys.argv[0])} journal {loop.id})")
    if loop.plan:
        output.show(f"Commits:  cd {root} && git log --oneline")
    if loop.backlog:
        output.show(f"Page:     {os.path.join(root, HISTORY)}/")
    output.show(f"Evidence: {archive}/evidence/")
    return code


def allowed(loop: Loop) -> Loop:
    """The commands of the demo's own plan."""
    return loop.but(criteria=tuple(c.but(check=c.check.but(allowed=True)) if c.check else c for c in loop.criteria))


def request_of(data: dict[str, Any], root: str) -> Request:
    if "plan" in data:
        given = executing.sound(os.path.join(root, data["plan"]), root)
        return Request(title_of(given), limits=limits(given), prices=prices(), gates=False, plan=given)
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
