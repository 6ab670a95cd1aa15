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

from ...core.criteria import Check, Criterion
from ...core.discovery.backlog import DISCOVERY_LIMITS
from ...core.loop import Loop
from ...core.plan.plan import plan_limits
from ...drive.runner.run_config import RunConfig
from ...drive.start import Request, loop_from_request, measure_baseline
from ...store import presets
from ...store.config import prices
from ...store.create import create_loop, prepare_folder
from ...store.folder import LoopFolder
from ...store.page_file import HISTORY_PATH
from ...views import start_screen
from .. import output
from ..start import plan_options
from ..start.request import plan_title
from .run import drive_loop

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
    parser.add_argument(
        "kind",
        nargs="?",
        choices=tuple(STORIES),
        default="spec",
        help="which kind of loop (default: spec)",
    )
    parser.add_argument(
        "--folder", metavar="PATH", help="where to make the project (a temporary folder by default)"
    )


def run(args: argparse.Namespace) -> int:
    text = files("loopwright.agents.script").joinpath(f"{args.kind}.json").read_text("utf-8")
    data = json.loads(text.replace("{python}", json.dumps(sys.executable)[1:-1]))
    root = os.path.realpath(args.folder or tempfile.mkdtemp(prefix="loop-demo-"))
    make_project(root, data["files"])
    output.show_text(f"{data['about']}, in {root}\n")
    place = LoopFolder(root)
    prepare_folder(place)
    loop = measure_baseline(
        allow_all_checks(loop_from_request(demo_request(data, root), place, {})), place
    )
    create_loop(place, loop)
    output.show_text(start_screen.text(loop))
    output.show_text(f"\n{STORIES[args.kind]}\n")
    script = os.path.join(place.path, "script.json")
    with open(script, "w", encoding="utf-8") as file:
        json.dump(data, file)
    code = drive_loop(place, loop, RunConfig(("script",), words=(script,)), plain=True)
    archive = place.path_of("history", loop.id)
    output.show_text(
        f"\nJournal:  {archive}/journal.jsonl   (read it: cd {root} && {os.path.abspath(sys.argv[0])} journal {loop.id})"
    )
    if loop.plan:
        output.show_text(f"Commits:  cd {root} && git log --oneline")
    if loop.backlog:
        output.show_text(f"Page:     {os.path.join(root, HISTORY_PATH)}/")
    output.show_text(f"Evidence: {archive}/evidence/")
    return code


def allow_all_checks(loop: Loop) -> Loop:
    """The commands of the demo's own plan."""
    return loop.but(
        criteria=tuple(
            c.but(check=c.check.but(allowed=True)) if c.check else c for c in loop.criteria
        )
    )


def demo_request(data: dict[str, Any], root: str) -> Request:
    if "plan" in data:
        given = plan_options.read_valid_plan(os.path.join(root, data["plan"]), root)
        return Request(
            plan_title(given), limits=plan_limits(given), prices=prices(), gates=False, plan=given
        )
    checks = tuple(
        Criterion(name, Check((sys.executable, *words.split())))
        for name, words in data["checks"].items()
    )
    request = Request(
        data["spec"], checks, steps=tuple(data.get("steps", ())), prices=prices(), gates=False
    )
    return (
        request.but(
            backlog=presets.find_preset(data["preset"]).initial_backlog(), limits=DISCOVERY_LIMITS
        )
        if "preset" in data
        else request
    )


def make_project(root: str, project: dict[str, str]) -> None:
    """The project's files, under git where git is."""
    for name, text in project.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    who = [
        "-c",
        "user.name=Loopwright demo",
        "-c",
        "user.email=demo@example.invalid",
        "-c",
        "commit.gpgsign=false",
    ]
    try:
        for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "A small shop"]):
            subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        output.show_warning("(git is not there: the tree is hashed without it)")
