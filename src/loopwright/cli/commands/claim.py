"""Claim what is done. This command is for agents.

A claim is recorded and compared with the checks at the next stop. It is never proof.
"""

from __future__ import annotations

import argparse
import time

from ...core.criteria import KINDS_OF_EVIDENCE, Claim
from ...core.loop import Loop, Step
from ...core.policies.demands import read_shows
from ...core.prompts.demands import start_lines
from ...core.replies.markers import MAX_CLAIMS, MAX_NAME
from ...core.signals import Claimed, Claims
from ...drive.errors import UserError
from ...drive.inbox import NOTED, post_signal
from ...drive.step import step
from .. import exits, here, output
from ..argument_kinds import add_switch, add_value, add_values

EXAMPLES = """  loop claim --met "docs updated" --kind observation \\
             --evidence "README.md shows the new flag"
  loop claim --shows "2: tests/test_coupon.py::test_expires_at_midnight"
  loop claim --step-done "Fix the parser"
  loop claim --gate "root cause: the lexer drops the last token"
  loop claim --exit --confidence 90 --points 3 --alt "a real parser" --risk "unicode input"
  loop claim --blocked "no access to the staging database\""""


def arguments(parser: argparse.ArgumentParser) -> None:
    add_value(parser, "--met NAME", "a criterion that is met")
    parser.add_argument("--kind", choices=KINDS_OF_EVIDENCE, default="", help="how you verified it")
    add_value(parser, "--evidence TEXT", "what you saw")
    add_value(parser, "--step-done STEP", "a step that is finished")
    add_value(parser, "--note TEXT", "a note on the finished step")
    add_value(
        parser,
        "--gate TEXT",
        "the result of step 0: compared libraries, the root cause, or what was deleted",
    )
    add_values(
        parser,
        "--shows NUMBER: TEST",
        "the test that shows a demand of the spec (see: loop status)",
    )
    add_switch(parser, "--exit", "claim that everything is done")
    add_value(parser, "--blocked REASON", "why you cannot continue; the loop pauses")
    add_value(parser, "--ask TEXT", "a question for the person")
    add_values(
        parser,
        "--must-not NAME",
        "a must-not that you had to break; the loop pauses, whatever the name",
    )
    parser.add_argument("--confidence", type=int, metavar="N", help="how sure you are, in percent")
    parser.add_argument(
        "--points", type=int, choices=(1, 3, 5, 8, 13), help="how much work it was, in story points"
    )
    add_value(parser, "--alt TEXT", "an alternative that you did not choose")
    add_value(parser, "--risk TEXT", "the riskiest assumption behind the work")


def run(args: argparse.Namespace) -> int:
    folder, loop = here.active_loop()
    claims = claims_from_arguments(args, loop)
    if claims == Claims():
        raise UserError("nothing is claimed. See: loop claim --help")
    if loop.status != "running":
        reason = loop.pause.why or "it takes no claims now"
        raise UserError(f"the loop is {loop.status}: {reason}. See: loop status")
    signal = Claimed(time.time(), claims)
    if post_signal(signal):
        output.show_text(NOTED)
        return exits.PROVEN
    reply = step(folder, signal)
    now = folder.read_loop()
    still_runs = now and now.status == "running"
    if not reply.message and not still_runs:
        raise UserError(
            "the loop was stopped just now, and may not have heard it. "
            "Claim it again when it continues: loop status"
        )
    output.show_text(reply.message or "Noted. The checks decide when you stop.")
    return exits.PROVEN


def claims_from_arguments(args: argparse.Namespace, loop: Loop) -> Claims:
    names = [c.name for c in loop.criteria]
    if args.met and args.met not in names:
        raise UserError(f"no criterion {args.met!r}; there are: {', '.join(names)}")
    if args.met and not args.kind:
        raise UserError(f"how was it verified? Add --kind, one of: {', '.join(KINDS_OF_EVIDENCE)}")
    steps = [s.name for s in loop.steps]
    if args.step_done and args.step_done not in steps:
        raise UserError(f"no step {args.step_done!r}; there are: {', '.join(steps)}")
    claim = Claim(args.met, True, args.kind, args.evidence[:2000]) if args.met else None
    finished = Step(args.step_done, True, args.note[:1000]) if args.step_done else None
    return Claims(
        (claim,) if claim else (),
        exit=True if args.exit else None,
        steps=(finished,) if finished else (),
        step_zero_note=args.gate[:2000],
        blocked=args.blocked[:1000],
        ask=args.ask[:1000],
        must_not=tuple(name[:200] for name in args.must_not[:MAX_CLAIMS]),
        confidence=args.confidence,
        points=args.points,
        alternative=args.alt[:300],
        risk=args.risk[:300],
        shows=shown_demands(args.shows, loop),
    )


def shown_demands(lines: list[str], loop: Loop) -> tuple[str, ...]:
    """The lines as they are; an error that lists the demands if one names none of them."""
    if not lines:
        return ()
    if not loop.demands:
        raise UserError("this loop has no list of demands, so no test has to be named")
    for line in lines:
        if not read_shows(loop.demands, line):
            rows = "\n".join(start_lines(loop.demands))
            raise UserError(f'write it as "NUMBER: TEST"; got {line!r}. The demands:\n{rows}')
    return tuple(line[:MAX_NAME] for line in lines[:MAX_CLAIMS])
