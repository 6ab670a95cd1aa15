"""For agents: say what is done. A claim is recorded and held against the checks at the next stop; it is never proof."""

from __future__ import annotations

import argparse
import time

from ...core.criteria import KINDS_OF_EVIDENCE, Claim
from ...core.loop import Loop, Step
from ...core.replies.markers import MAX_CLAIMS
from ...core.signals import Claimed, Claims
from ...drive.errors import UserError
from ...drive.step import step
from .. import exits, here, output

EXAMPLES = """  loop claim --met "docs updated" --kind observation --evidence "read README.md, the new flag is there"
  loop claim --step-done "Fix the parser"
  loop claim --gate "root cause: the lexer drops the last token"
  loop claim --exit --confidence 90 --points 3 --alt "a real parser" --risk "unicode input"
  loop claim --blocked "no access to the staging database\""""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--met", metavar="NAME", help="this criterion is met")
    parser.add_argument("--kind", choices=KINDS_OF_EVIDENCE, default="", help="how it was verified")
    parser.add_argument("--evidence", metavar="TEXT", default="", help="what was seen")
    parser.add_argument("--step-done", metavar="STEP", help="this step is finished")
    parser.add_argument("--note", metavar="TEXT", default="", help="what the step left behind")
    parser.add_argument(
        "--gate",
        metavar="TEXT",
        default="",
        help="step 0: libraries compared, root cause, or what was deleted",
    )
    parser.add_argument("--exit", action="store_true", help="everything is done")
    parser.add_argument(
        "--blocked", metavar="REASON", default="", help="I cannot go on: pause, honestly"
    )
    parser.add_argument("--ask", metavar="TEXT", default="", help="a question for the person")
    parser.add_argument(
        "--violated", metavar="NAME", action="append", default=[], help="this must-not was broken"
    )
    parser.add_argument("--confidence", type=int, metavar="N", help="how sure, in percent")
    parser.add_argument("--points", type=int, choices=(1, 3, 5, 8, 13), help="how much work it was")
    parser.add_argument(
        "--alt", metavar="TEXT", default="", help="another way it could have been done"
    )
    parser.add_argument("--risk", metavar="TEXT", default="", help="the assumption it stands on")


def run(args: argparse.Namespace) -> int:
    place, loop = here.active_loop()
    claims = claims_from_arguments(args, loop)
    if claims == Claims():
        raise UserError("nothing is claimed. See: loop claim --help")
    if loop.status != "running":
        raise UserError(
            f"the loop is {loop.status}: {loop.pause.why or 'it takes no claims now'}. See: loop status"
        )
    said, now = step(place, Claimed(time.time(), claims)), place.read_loop()
    if not said.message and not (now and now.status == "running"):
        raise UserError(
            "the loop was stopped just now, and may not have heard it. Claim it again when it goes on: loop status"
        )
    output.show_text(said.message or "Noted. It is held against the checks when you stop.")
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
    return Claims(
        (Claim(args.met, True, args.kind, args.evidence[:2000]),) if args.met else (),
        exit=True if args.exit else None,
        steps=(Step(args.step_done, True, args.note[:1000]),) if args.step_done else (),
        step_zero_note=args.gate[:2000],
        blocked=args.blocked[:1000],
        ask=args.ask[:1000],
        must_not=tuple(name[:200] for name in args.violated[:MAX_CLAIMS]),
        confidence=args.confidence,
        points=args.points,
        alternative=args.alt[:300],
        risk=args.risk[:300],
    )
