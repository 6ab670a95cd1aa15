"""Replay honest commits of a clone from the start of a loop to its verdict.

python bench/room.py --commits CLONE [--check COMMAND] [--count N]

Each commit that changes product and tests is played in two ways. *Tests first*: the loop starts
with the commit's tests on the product before it, so that its check is red. *Together*: it starts on
the commit before, where nothing is red, and the agent writes product and tests. The spec is the
message of the commit, and the agent claims the end. Commits whose tests fail at their end, or pass
without the work, are counted apart. The clone is used for measuring: its files are replaced.
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
from pathlib import Path

from loopwright.cli.main import main as loop_command
from loopwright.core.loop import Loop
from loopwright.core.signals import TurnOver
from loopwright.core.status import ENDED
from loopwright.drive.step import step_with_loop
from loopwright.store.folder import LoopFolder

SEARCHED = 1_000  # commits
SOURCE_SUFFIXES = (".py", ".js", ".ts", ".mjs", ".cjs", ".go", ".rs")
DETECTED = ("tests", "lint", "types", "build")
SESSION = "bench"
CLAIM = """\
Done.

---LOOP_STATUS---
EXIT_SIGNAL: true
CRITERIA: {"tests pass": {"met": true, "verification": "execution output", "evidence": "ran it"}}
STUCK_COUNT: 0
NEXT: none
---END_STATUS---"""
TESTS_FIRST, TOGETHER = "tests first", "together"


def replay_commits(clone: Path, check: str, count: int) -> None:
    print(f"{clone.name}: `{check}`\n", flush=True)
    print("| commit | way | end | why |\n|---|---|---|---|")
    totals: Counter[tuple[str, str]] = Counter()
    newest = git(clone, "rev-parse", "HEAD").strip()
    with tempfile.TemporaryDirectory() as state, contextlib.chdir(clone):
        for commit in suitable_commits(clone)[:count]:
            for way in (TESTS_FIRST, TOGETHER):
                # With one state folder, the loop before would be missed.
                os.environ["XDG_STATE_HOME"] = os.path.join(state, commit, way)
                end, why = replay_commit(clone, commit, check, way)
                totals[way, end] += 1
                print(f"| {commit[:9]} | {way} | {end} | {why} |", flush=True)
    check_out(clone, newest)  # the next measurement takes the same commits
    for (way, end), number in sorted(totals.items()):
        print(f"{way}: {end} {number}", flush=True)


def suitable_commits(clone: Path) -> list[str]:
    """Commits that change both product and tests, newest first."""
    commits = git(clone, "log", "--no-merges", "--format=%H", f"-n{SEARCHED}").split()
    return [commit for commit in commits if changes_both(clone, commit)]


def changes_both(clone: Path, commit: str) -> bool:
    sources = [path for path in changed_files(clone, commit) if path.endswith(SOURCE_SUFFIXES)]
    tests = [path for path in sources if "test" in path]
    return bool(tests) and len(tests) < len(sources)


def changed_files(clone: Path, commit: str) -> list[str]:
    return git(clone, "diff-tree", "-r", "--name-only", "--no-commit-id", commit).splitlines()


def replay_commit(clone: Path, commit: str, check: str, way: str) -> tuple[str, str]:
    """How the loop of this commit ends, and why."""
    check_out(clone, commit)
    if not passes(clone, check):
        return "its own tests fail", ""
    check_out(clone, f"{commit}^")
    put_tests(clone, commit)
    if passes(clone, check):
        return "its tests pass without the work", ""
    if way == TOGETHER:
        check_out(clone, f"{commit}^")
        if not passes(clone, check):
            return "the tests before it fail", ""
    else:
        who = ("-c", "user.name=Bench", "-c", "user.email=bench@example.invalid")
        git(clone, *who, "commit", "-qam", "the tests of the next commit", "--no-verify")
    loop = run_loop(clone, commit, check)
    if loop.status not in ENDED or loop.verdict is None:
        return "refuted", loop.pause.why or "the claim is taken back"
    found = "; ".join(f"{f.severity} {f.rule} {f.file}" for f in loop.baseline.findings)
    return loop.verdict.grade, found


def run_loop(clone: Path, commit: str, check: str) -> Loop:
    """Start a loop here, put the files of the commit, and claim the end."""
    without = [word for name in DETECTED for word in ("--without", name)]
    spec = git(clone, "log", "-1", "--format=%B", commit).strip()
    words = ["start", spec, "--check", f"tests pass={check}", "--yes", *without]
    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        code = loop_command(words)
    assert code == 0, errors.getvalue()
    git(clone, "checkout", "-q", commit, "--", *present_files(clone, commit))
    for path in gone_files(clone, commit):
        (clone / path).unlink(missing_ok=True)
    folder = LoopFolder(str(clone))
    _, loop = step_with_loop(folder, TurnOver(time.time(), SESSION, CLAIM, tool_calls=1))
    return loop


def put_tests(clone: Path, commit: str) -> None:
    tests = [path for path in present_files(clone, commit) if "test" in path]
    git(clone, "checkout", "-q", commit, "--", *tests)


def present_files(clone: Path, commit: str) -> list[str]:
    gone = gone_files(clone, commit)
    return [path for path in changed_files(clone, commit) if path not in gone]


def gone_files(clone: Path, commit: str) -> list[str]:
    words = ("diff-tree", "-r", "--name-only", "--no-commit-id", "--diff-filter=D", commit)
    return git(clone, *words).splitlines()


def passes(clone: Path, check: str) -> bool:
    return not subprocess.run(check, shell=True, cwd=clone, capture_output=True).returncode


def check_out(clone: Path, commit: str) -> None:
    shutil.rmtree(clone / ".loop", ignore_errors=True)
    git(clone, "checkout", "-q", "-f", "--detach", commit)
    git(clone, "clean", "-fdq", "-e", "*.egg-info", "-e", "node_modules")
    time.sleep(0.05)  # a write of this moment would look like one during the checks


def git(clone: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(clone), *words], capture_output=True, check=True)
    return done.stdout.decode()
