"""Watch a loop work on a small broken project, without a real agent or a network.

A scripted agent makes mistakes on purpose; the loop ends with the proof.
"""

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
from ...disk.programs import own_environment, own_program
from ...drive.new_loop import Request, loop_from_request
from ...drive.proof.start_baseline import measure_baseline
from ...drive.runner.run_config import RunConfig
from ...store import presets
from ...store.config import prices
from ...store.create import create_loop, prepare_folder
from ...store.folder import LoopFolder
from ...store.page_file import HISTORY_PATH
from ...views import start_screen
from .. import output
from ..argument_kinds import add_value
from ..start import plan_options
from ..start.request import plan_title
from .run import drive_loop

EXAMPLES = """  loop demo
  loop demo plan                 # a plan in waves, with a failing task and a gap that is fixed
  loop demo discovery            # improve until nothing more is found
  loop demo --folder /tmp/shop   # create the project there"""
GIT_IDENTITY = (
    *("-c", "user.name=Loopwright demo"),
    *("-c", "user.email=demo@example.invalid"),
    *("-c", "commit.gpgsign=false"),
)
STORIES = {
    "spec": "The agent is scripted: it will claim to be done too early, and repeat itself, "
    "before it gets there.",
    "plan": "The agent is scripted: it will say that task 02 is complete when it is not, "
    "and leave a file that nothing uses.",
    "discovery": "The agent is scripted: it will break a test on the way, mend it, "
    "and run out of things to find.",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "kind",
        nargs="?",
        choices=tuple(STORIES),
        default="spec",
        help="the kind of loop (default: spec)",
    )
    add_value(parser, "--folder PATH", "where to create the project (default: a temporary folder)")


def run(args: argparse.Namespace) -> int:
    text = files("loopwright.agents.script").joinpath(f"{args.kind}.json").read_text("utf-8")
    data = json.loads(text.replace("{python}", json.dumps(sys.executable)[1:-1]))
    root = os.path.realpath(args.folder or tempfile.mkdtemp(prefix="loop-demo-"))
    make_project(root, data["files"])
    output.show_text(f"{data['about']}, in {root}\n")
    folder = LoopFolder(root)
    prepare_folder(folder)
    loop = loop_from_request(demo_request(data, root), folder, {})
    loop = measure_baseline(allow_all_checks(loop), folder)
    create_loop(folder, loop)
    output.show_text(start_screen.text(loop))
    output.show_text(f"\n{STORIES[args.kind]}\n")
    script = os.path.join(folder.path, "script.json")
    with open(script, "w", encoding="utf-8") as file:
        json.dump(data, file)
    code = drive_loop(folder, loop, RunConfig(("script",), words=(script,)), plain=True)
    archive = folder.path_of("history", loop.id)
    output.show_text(
        f"\nJournal:  {archive}/journal.jsonl   (read it: cd {root} && "
        f"{os.path.abspath(sys.argv[0])} journal {loop.id})"
    )
    if loop.plan:
        output.show_text(f"Commits:  cd {root} && git log --oneline")
    if loop.backlog:
        output.show_text(f"Page:     {os.path.join(root, HISTORY_PATH)}/")
    output.show_text(f"Evidence: {archive}/evidence/")
    return code


def allow_all_checks(loop: Loop) -> Loop:
    """The demo brings its own commands, so nobody is asked about them."""
    criteria = [c.but(check=c.check.but(allowed=True)) if c.check else c for c in loop.criteria]
    return loop.but(criteria=tuple(criteria), gate=None, status="running")


def demo_request(data: dict[str, Any], root: str) -> Request:
    if "plan" in data:
        plan = plan_options.read_valid_plan(os.path.join(root, data["plan"]), root)
        return Request(
            plan_title(plan), limits=plan_limits(plan), prices=prices(), gates=False, plan=plan
        )
    checks = tuple(
        Criterion(name, Check((sys.executable, *words.split())))
        for name, words in data["checks"].items()
    )
    steps = tuple(data.get("steps", ()))
    request = Request(data["spec"], checks, steps=steps, prices=prices(), gates=False)
    if "preset" not in data:
        return request
    backlog = presets.find_preset(data["preset"]).initial_backlog()
    return request.but(backlog=backlog, limits=DISCOVERY_LIMITS)


def make_project(root: str, project: dict[str, str]) -> None:
    """Write the files of the project, and commit them if git is installed."""
    for name, text in project.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    commit = [*GIT_IDENTITY, "commit", "-qm", "A small shop"]
    try:
        for words in (["init", "-q"], ["add", "."], commit):
            argv = [own_program("git"), *words]
            subprocess.run(argv, cwd=root, env=own_environment(), check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        output.show_warning("(git is not there: the tree is hashed without it)")
