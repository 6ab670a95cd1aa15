"""List, add or drop criteria. A change resets the stuck counter and is recorded in the journal."""

from __future__ import annotations

import argparse
import os
import sys

from ...checks.detection.repository import repository_checks
from ...core.loop import Loop
from ...core.prompts.second_eyes import own_proposal_prompt
from ...core.second_eyes.answers import MAX_ANSWER
from ...core.start.intake import parse_named_check
from ...drive import checks
from ...drive.errors import UserError
from ...store.folder import LoopFolder
from ...views import facts, start_screen
from ...views.criterion_rows import criterion_line
from .. import exits, here, output
from ..argument_kinds import add_json, add_word
from ..start.second_eyes import AUTO, SELF, ask_for_checks, require_sandbox, with_checks

EXAMPLES = """  loop criteria
  loop criteria add "lint clean=ruff check ."
  loop criteria add "nothing is broken=@tests"   # the repository's own; also @lint, @types, @build
  loop criteria drop "lint clean"
  loop criteria propose codex            # before the work: checks that the worker never sees"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        nargs="?",
        choices=("list", "add", "drop", "propose"),
        default="list",
        help="what to do (default: list)",
    )
    add_word(
        parser, "name", "NAME, NAME=COMMAND to add it with a check, or the AGENT that proposes"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    is_own = args.what == "propose" and args.name.partition(":")[0] == SELF
    if args.what != "list" and not is_own and here.agent_variable():
        here.refuse_agent_command(here.find_loop_folder(), "criteria")
    folder, loop = here.active_loop()
    if is_own:
        return propose_in_session(folder, loop, is_answer=args.name == f"{SELF}:-")
    if args.what == "list":
        if args.json:
            output.show_json(facts.loop_facts(loop)["criteria"])
        else:
            rows = [criterion_line(c, loop) for c in loop.criteria]
            rows += start_screen.final_check_rows(loop)
            output.show_text("\n".join(rows))
        return exits.PROVEN
    if args.what == "propose":
        return propose(folder, loop, args.name)
    try:
        name, check = parse_named_check(args.name)
    except ValueError as error:
        raise UserError(str(error)) from error
    if check and args.what == "add":
        detected = repository_checks(folder.root, check.timeout, os.getcwd())
        check = checks.named_kind_of_check(name, check, detected) or check
    reply = checks.change_criteria(folder, loop, args.what, name, check)
    output.show_text(reply.message)
    return exits.PROVEN


def propose(folder: LoopFolder, loop: Loop, agents: str) -> int:
    """Ask for independent checks before the work; only a person may, and sees what they say."""
    here.require_own_terminal("criteria propose")
    if any(c.is_independent for c in loop.final_checks):
        raise UserError(
            "this loop has independent checks. Drop them first: loop criteria drop NAME"
        )
    checks.refuse_after_work(loop)
    require_sandbox(folder, loop)
    changed = ask_for_checks(agents or AUTO, loop, folder, is_shown=True)
    output.show_text(checks.set_independent_checks(folder, changed).message)
    return exits.PROVEN


def propose_in_session(folder: LoopFolder, loop: Loop, is_answer: bool) -> int:
    """For two sub-agents of the session: the question of each, or its answer on stdin."""
    from ...drive.second_eyes.propose import own_writing_number, take_own_writing

    checks.refuse_after_work(loop)
    if not is_answer:
        output.show_text(own_proposal_prompt(loop.spec, own_writing_number(loop)))
        return exits.PROVEN
    require_sandbox(folder, loop)
    text = sys.stdin.read(MAX_ANSWER + 1)
    proposed = take_own_writing(folder, loop, text, output.show_warning)
    if proposed is None:
        output.show_text("Kept. A second sub-agent writes now.")
        return exits.PROVEN
    reply = checks.set_independent_checks(folder, with_checks(loop, proposed, is_shown=False))
    output.show_text(reply.message)
    return exits.PROVEN
