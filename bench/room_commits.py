"""Replay honest commits through the final proof: comparison, clean checkout, replay, revert test.

python bench/room.py --commits CLONE --check COMMAND [--count N]

A loop starts on the parent of each commit that changes product and tests. Its spec is the message
of the commit, and the files of the commit are its result. A refutation is a false alarm, and so is
a finding for a person. Both are counted for the comparison alone and for the whole proof, in which
the replay settles what it can. The revert test applies only to checks that were red at the start;
here it is measured as if each was. The clone is used for measuring: its files are replaced.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from loopwright.cleanroom.runs import run_in_room
from loopwright.cli.main import main as loop_command
from loopwright.core.directives import CompareWithBaseline, RunInCleanCheckout
from loopwright.core.findings import HIGH, LOW, MEDIUM, Finding, settle_findings
from loopwright.core.proof.clean_checkout import FINAL_TREE_RUN, REPLAY_RUN, REVERT_RUN, RoomRun
from loopwright.core.signals import CleanCheckoutResult
from loopwright.drive.proof.comparison import run_comparison
from loopwright.repo.tree import tree_hash
from loopwright.store.folder import LoopFolder

SEARCHED = 1_000  # commits
SOURCE_SUFFIXES = (".py", ".js", ".ts", ".go", ".rs")
DETECTED = ("tests", "lint", "types", "build")


def replay_commits(clone: Path, check: str, count: int) -> None:
    print(f"{clone.name}: `{check}`\n")
    print("| commit | calibration | room | replay | revert | findings |\n|---|---|---|---|---|---|")
    totals: Counter[str] = Counter()
    newest = git(clone, "rev-parse", "HEAD").strip()
    with tempfile.TemporaryDirectory() as state, contextlib.chdir(clone):
        for commit in suitable_commits(clone)[:count]:
            # With one state folder, the loop of the commit before would be missed.
            os.environ["XDG_STATE_HOME"] = os.path.join(state, commit)
            result = replay_commit(clone, commit, check)
            if result is None:
                print(f"| {commit[:9]} | its own tests fail in place | | | | |", flush=True)
                continue
            status, compared, runs = result
            in_rooms = [f for kind in (FINAL_TREE_RUN, REPLAY_RUN) for f in runs[kind].findings]
            settled = settle_findings(compared, set(runs[REPLAY_RUN].settled))
            findings = [f for f in (*settled, *in_rooms) if f.severity != LOW]
            alone, whole = highest_severity(compared), highest_severity(findings)
            totals["commits"] += 1
            totals["trusted"] += status == "trusted"
            totals["comparison alone: refuted"] += alone == HIGH
            totals["comparison alone: for a person"] += alone == MEDIUM
            totals["whole proof: refuted"] += whole == HIGH
            totals["whole proof: for a person"] += whole == MEDIUM
            totals["green without the work"] += bool(runs[REVERT_RUN].findings)
            texts = "; ".join(f"{f.severity} {f.rule} {f.file}" for f in findings)
            outcomes = " | ".join(run.outcome for run in runs.values())
            print(f"| {commit[:9]} | {status} | {outcomes} | {texts} |", flush=True)
    check_out(clone, newest)  # the next measurement takes the same commits
    print("\n" + ", ".join(f"{name} {number}" for name, number in totals.items()), flush=True)


def highest_severity(findings: Iterable[Finding]) -> str:
    severities = {finding.severity for finding in findings}
    return next((severity for severity in (HIGH, MEDIUM, LOW) if severity in severities), "")


def suitable_commits(clone: Path) -> list[str]:
    """Commits that change both product and tests, newest first."""
    commits = git(clone, "log", "--no-merges", "--format=%H", f"-n{SEARCHED}").split()
    return [commit for commit in commits if changes_both(clone, commit)]


def changes_both(clone: Path, commit: str) -> bool:
    rows = git(clone, "diff-tree", "-r", "--name-only", "--no-commit-id", commit).splitlines()
    sources = [path for path in rows if path.endswith(SOURCE_SUFFIXES)]
    tests = [path for path in sources if "test" in path]
    return bool(tests) and len(tests) < len(sources)


def replay_commit(
    clone: Path, commit: str, check: str
) -> tuple[str, tuple[Finding, ...], dict[str, RoomRun]] | None:
    """The status of the calibration, the findings of the comparison, and the runs.

    None where no final proof would begin.
    """
    check_out(clone, commit)
    if subprocess.run(check, shell=True, cwd=clone, capture_output=True, check=False).returncode:
        return None
    check_out(clone, f"{commit}^")
    without = [word for name in DETECTED for word in ("--without", name)]
    spec = git(clone, "log", "-1", "--format=%B", commit).strip()
    words = ["start", spec, "--check", f"tests pass={check}", "--yes", *without]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        loop_command(words)
    folder = LoopFolder(str(clone))
    loop = folder.read_loop()
    assert loop is not None, "the loop has started"
    git(clone, "checkout", "-q", "-f", "--detach", commit)
    red = loop.but(criteria=tuple(c.but(guard=False) for c in loop.criteria))
    tree = tree_hash(folder.root, folder.path)
    comparison = run_comparison(folder, CompareWithBaseline(1, 0, tree), loop)
    runs = {}
    for kind in (FINAL_TREE_RUN, REPLAY_RUN, REVERT_RUN):
        judged = red if kind == REVERT_RUN else loop
        result = run_in_room(folder, RunInCleanCheckout(kind, 1, 0, tree), judged)
        assert isinstance(result, CleanCheckoutResult)
        runs[kind] = result.run
    return loop.room.status, comparison.findings, runs


def check_out(clone: Path, commit: str) -> None:
    shutil.rmtree(clone / ".loop", ignore_errors=True)
    git(clone, "checkout", "-q", "-f", "--detach", commit)
    git(clone, "clean", "-fdq", "-e", "*.egg-info")
    time.sleep(0.05)  # a write of this moment would look like one during the checks


def git(clone: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(clone), *words], capture_output=True, check=True)
    return done.stdout.decode()
