"""The options of `loop start`, which `loop run SPEC` has too."""

from __future__ import annotations

import argparse
from typing import Any

from ...core.start.binding import CHECK_KINDS
from ...store import config
from . import discovery_options, plan_options, proof_options


def add_criteria_options(parser: Any) -> None:
    parser.add_argument(
        "--criterion",
        metavar="NAME[=@KIND]",
        action="append",
        default=[],
        help="what must become true; @tests, @lint, @types and @build name the repository's check",
    )
    parser.add_argument(
        "--check",
        metavar="NAME=COMMAND",
        action="append",
        default=[],
        help="a criterion and the command that proves it",
    )
    parser.add_argument(
        "--without",
        choices=tuple(CHECK_KINDS),
        action="append",
        default=[],
        help="leave out a check of the repository; without this option all of them run",
    )
    parser.add_argument(
        "--must-not",
        metavar="NAME[=COMMAND]",
        action="append",
        default=[],
        help="pause if this becomes true (the command exits with 0)",
    )
    parser.add_argument(
        "--step",
        metavar="STEP",
        action="append",
        default=[],
        help="a step of the work; repeat it for each step, in order",
    )


def add_pass_env_option(parser: Any) -> None:
    parser.add_argument(
        "--pass-env",
        metavar="NAME",
        action="append",
        default=[],
        help="a variable that looks like a credential, and that checks and agents may see",
    )


def add_limit_options(parser: Any) -> None:
    parser.add_argument(
        "--iterations",
        "--max-iterations",
        metavar="N",
        help="maximum number of iterations (default 10; discovery: 50)",
    )
    parser.add_argument("--budget", metavar="N", help="maximum cost in dollars (default 25)")
    parser.add_argument(
        "--minutes",
        metavar="N",
        help="maximum running time in minutes (default 240; discovery: 480)",
    )
    parser.add_argument(
        "--replace", action="store_true", help="first cancel the loop that is active here"
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(for_runner=False)  # `loop run SPEC` sets it
    parser.add_argument("--file", metavar="PATH", help="read the spec from a file")
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
    parser.add_argument(
        "--point",
        metavar="DIMENSION: 0..2 (WHY)",
        action="append",
        default=[],
        help="score one dimension, with the reason; give all five",
    )
    parser.add_argument(
        "--reversibility",
        choices=("2A", "2B", "1"),
        default="",
        help="time to undo the change (2A: a minute; 2B: five minutes; 1: hours)",
    )
    parser.add_argument("--session", metavar="ID", default="", help="bind the loop to this session")
    parser.add_argument(
        "--volatile",
        metavar="GLOB",
        action="append",
        default=[],
        help="files that checks may change",
    )
    add_pass_env_option(parser)
    parser.add_argument(
        "--yes",
        action="store_true",
        help="ask no questions, now or later; allow more than $100 or 50 iterations",
    )
    parser.add_argument(
        "--unproven",
        action="store_true",
        help="work without the checks that may not run; the loop is then never proven",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    discovery_options.arguments(
        parser.add_argument_group("discovery loops (improve until nothing more is found)")
    )
    plan_options.arguments(parser.add_argument_group("plans"))
    proof_options.arguments(parser.add_argument_group("proof that the agent cannot make easier"))
