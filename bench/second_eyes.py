"""How often do second eyes catch wrong work, and how often do they refuse right work?

python -m bench.second_eyes [--agent AGENT[,AGENT]] [--review AGENT] [PAIR ...]

The pairs of thin_pairs/ are played: a stranger wrote a spec, a start and two works for each. The
thorough one is right. The thin one is wrong, unless it only lacks tests: then it is right too. Without
an agent the answers are recorded: the tests of the thorough work, both times. They are not a model's,
so their figures say that the machinery works, and nothing about any agent. It asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from tests.support.project import Project

from bench.strength_pairs import THIN, THOROUGH, Pair, read_pairs, write_files
from loopwright.cli.start.second_eyes import parse_agents
from loopwright.core.criteria import Check
from loopwright.core.directives import RunCheck
from loopwright.core.loop import Loop
from loopwright.drive.errors import UserError
from loopwright.drive.proof.final_checks import baseline_diff
from loopwright.drive.second_eyes.at_end import run_independent_check
from loopwright.drive.second_eyes.propose import kept_commands, propose_checks
from loopwright.drive.second_eyes.review import run_agent_review
from loopwright.repo.tree import tree_hash
from loopwright.store.holdouts import save_commands

WRONG, RIGHT = "wrong", "right"
ONLY_UNTESTED = "untested"  # the kind of a thin work that does all that is asked
TEST_PATH = re.compile(r"(?:^|[/_.-])tests?(?:[/_.-]|$)")
RESULTS = {True: "refused", False: "let through", None: "not judged"}


class Judged(NamedTuple):
    """What became of one work; `is_refused` None: nobody could judge it."""

    is_refused: bool | None
    why: str


class Played(NamedTuple):
    """A pair, both works, and what the second agent cost."""

    judged: dict[str, Judged]
    kept: int
    dollars: float
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--agent", default="", help="who writes checks, as for --checks-by")
    parser.add_argument("--review", default="", help="who reviews instead")
    parser.add_argument("pairs", nargs="*")
    args = parser.parse_args()
    totals: Counter[tuple[str, str]] = Counter()
    dollars = seconds = 0.0
    print("| pair | language | checks kept | work | it is | result |\n|---|---|--:|---|---|---|")
    for pair in read_pairs():
        if args.pairs and pair.name not in args.pairs:
            continue
        played = play_pair(pair, args.agent, args.review)
        dollars, seconds = dollars + played.dollars, seconds + played.seconds
        for side, (is_refused, why) in played.judged.items():
            is_wrong = side == THIN and pair.kind != ONLY_UNTESTED
            kind, result = WRONG if is_wrong else RIGHT, RESULTS[is_refused]
            totals[kind, result] += 1
            cells = (pair.name, pair.language, str(played.kept), side, kind, f"{result}{why}")
            print(f"| {' | '.join(cells)} |", flush=True)
    for kind in (WRONG, RIGHT):
        counts = {result: totals[kind, result] for result in RESULTS.values()}
        words = ", ".join(f"{count} {result}" for result, count in counts.items())
        print(f"{kind}: {words}, of {sum(counts.values())}")
    answers = args.agent or args.review or "recorded answers, which are not a model's"
    print(f"by {answers}: ${dollars:.2f}, {seconds:.0f} s")


def play_pair(pair: Pair, agent: str, reviewer: str) -> Played:
    with tempfile.TemporaryDirectory(prefix="eyes-") as scratch:
        here = Project(Path(scratch, "project"), pair.start)
        check = pair.check.replace("python3 -m pytest", f"{sys.executable} -B -m pytest")
        said = here.run("start", pair.spec, "--check", f"works={check}", "--score", "9", "--yes")
        if said.code:
            return Played(dict.fromkeys((THOROUGH, THIN), Judged(None, f": {said.err}")), 0, 0, 0)
        began = time.monotonic()
        try:
            if reviewer:
                return _play_review(here, pair, reviewer, began)
            return _play_checks(here, pair, agent or _recorded_agent(here, pair, check), began)
        finally:
            here.run("cancel")


def _play_checks(here: Project, pair: Pair, agent: str, began: float) -> Played:
    loop, problem, dollars = here.loop, "", 0.0
    try:
        proposed = propose_checks(here.folder, loop, parse_agents(agent), lambda text: None)
        criteria, dollars = tuple(kept.criterion for kept in proposed.kept), proposed.dollars
        save_commands(loop.id, kept_commands(proposed.kept))
        problem = "; ".join(f"{refused.says}: {refused.why}" for refused in proposed.refused)
    except UserError as error:
        criteria, problem = (), str(error)
    loop = loop.but(final_checks=criteria)
    judged = {}
    for side in (THOROUGH, THIN):
        tree = _write_work(here, pair, side)
        found = [
            run_independent_check(here.folder, RunCheck(c.check, c.name, 1, 1, tree), loop)
            for c in criteria
            if c.check
        ]
        refused = [evidence for evidence in found if not evidence.passed]
        judged[side] = Judged(bool(refused), "") if found else Judged(None, f": {problem[:200]}")
    return Played(judged, len(criteria), dollars, time.monotonic() - began)


def _play_review(here: Project, pair: Pair, reviewer: str, began: float) -> Played:
    judged, dollars = {}, 0.0
    for side in (THOROUGH, THIN):
        tree = _write_work(here, pair, side)
        loop: Loop = here.loop.but(tree=tree)
        wanted = RunCheck(Check(reviewer, origin="reviewer"), "review", 1, 1, tree)
        found = run_agent_review(here.folder, wanted, loop, baseline_diff(here.folder, loop))
        is_refused = None if found.outcome == "missing" else not found.passed
        judged[side] = Judged(is_refused, f": {' '.join(found.detail.split())[:200]}")
        if cost := re.search(r"\(\$([\d.]+)\)", found.detail):
            dollars += float(cost[1])
    return Played(judged, 0, dollars, time.monotonic() - began)


def _write_work(here: Project, pair: Pair, side: str) -> str:
    """Put the files of this work into the project, and nothing else; the tree.

    A program that was built before would be run in its stead: no worker leaves a stale one.
    """
    here.git("clean", "-fdq")
    write_files(str(here.root), {**pair.start, **pair.sides[side]})
    return tree_hash(str(here.root), here.folder.path)


def _recorded_agent(here: Project, pair: Pair, check: str) -> str:
    """An agent that answers with the tests of the thorough work, and puts them in their place."""
    tests = {
        path: text
        for path, text in pair.sides[THOROUGH].items()
        if text is not None and TEST_PATH.search(path)
    }
    rows = [
        f"mkdir -p '{os.path.dirname(path) or '.'}'; cat > '{path}' <<'END_OF_FILE'\n{text}END_OF_FILE"
        for path, text in tests.items()
    ]
    row = {
        "quote": pair.spec[:250],
        "says": "the tests of the thorough work pass",
        "command": f"sh put-tests && {check}",
        "path": "put-tests",
        "test": "\n".join(rows),
    }
    answer = json.dumps({"checks": [row] if tests else []})
    path = here.root.parent / "answers.json"
    path.write_text(json.dumps({"turns": [{"say": answer}]}), encoding="utf-8")
    return f"script:{path}"


if __name__ == "__main__":
    main()
