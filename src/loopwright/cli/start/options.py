"""The options of `loop start`, which `loop run SPEC` has too."""

from __future__ import annotations

import argparse
from typing import Any

from ...core.start.binding import CHECK_KINDS
from ...store import config
from ..argument_kinds import add_json, add_switch, add_value, add_values
from . import discovery_options, plan_options, proof_options


def add_criteria_options(parser: Any) -> None:
    add_values(
        parser,
        "--criterion NAME[=@KIND]",
        "what must become true; @tests, @lint, @types and @build name the repository's check",
    )
    add_values(parser, "--check NAME=COMMAND", "a criterion and the command that proves it")
    parser.add_argument(
        "--without",
        choices=tuple(CHECK_KINDS),
        action="append",
        default=[],
        help="leave out a check of the repository; without this option all of them run",
    )
    add_values(
        parser, "--must-not NAME[=COMMAND]", "pause if this becomes true (the command exits with 0)"
    )
    add_values(
        parser,
        "--demand TEXT",
        "a demand of the spec; repeat it for each. Without it Loopwright splits the spec",
    )
    add_value(
        parser,
        "--checks-by AGENT[,AGENT]",
        "another agent writes checks before the work, which the worker never sees; auto: one of "
        "another vendor",
    )
    add_values(parser, "--step STEP", "a step of the work; repeat it for each step, in order")


def add_pass_env_option(parser: Any) -> None:
    add_values(
        parser,
        "--pass-env NAME",
        "a variable that looks like a credential, and that checks and agents may see",
    )


def add_limit_options(parser: Any) -> None:
    parser.add_argument(
        "--iterations",
        "--max-iterations",
        metavar="N",
        help="maximum number of iterations (default 10; discovery: 50)",
    )
    add_value(parser, "--budget N", "maximum cost in dollars (default 25)")
    add_value(
        parser, "--minutes N", "maximum running time in minutes (default 240; discovery: 480)"
    )
    add_switch(parser, "--replace", "first cancel the loop that is active here")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(for_runner=False)  # `loop run SPEC` sets it
    add_value(parser, "--file PATH", "read the spec from a file")
    add_criteria_options(parser)
    add_limit_options(parser)
    parser.add_argument(
        "--shape",
        choices=config.SHAPES,
        help="tool asks nothing; colleague asks three times; auto: the score decides",
    )
    parser.add_argument(
        "--score",
        type=int,
        choices=range(11),
        metavar="0..10",
        help="score the spec yourself",
    )
    add_values(
        parser,
        "--point DIMENSION: 0..2 (WHY)",
        "score one dimension, with the reason; give all five",
    )
    parser.add_argument(
        "--reversibility",
        choices=("2A", "2B", "1"),
        default="",
        help="time to undo the change (2A: a minute; 2B: five minutes; 1: hours)",
    )
    add_value(parser, "--session ID", "bind the loop to this session")
    add_values(parser, "--volatile GLOB", "files that checks may change")
    add_pass_env_option(parser)
    add_switch(
        parser, "--yes", "ask no questions, now or later; allow more than $100 or 50 iterations"
    )
    add_switch(
        parser,
        "--dry-run",
        "show the criteria, the work and the check, and start nothing; no check runs",
    )
    add_switch(
        parser,
        "--unproven",
        "work without the checks that may not run; the loop is then never proven",
    )
    add_json(parser)
    discovery_options.arguments(
        parser.add_argument_group("discovery loops (improve until nothing more is found)")
    )
    plan_options.arguments(parser.add_argument_group("plans"))
    proof_options.arguments(parser.add_argument_group("proof that the agent cannot make easier"))
