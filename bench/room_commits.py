"""Replay honest commits of a clone from the start of a loop to its verdict.

python bench/room.py --commits CLONE [--check COMMAND] [--count N] [--skip N] [--results FILE]

Each commit that changes product and tests is played in two ways. *Tests first*: the loop starts
with the commit's tests on the product before it, so that its check is red. *Together*: it starts on
the commit before, where nothing is red, and the agent writes product and tests, and strength is
measured there: it takes away the same parts either way. The spec is the message of the commit, and
the agent claims the end. Commits whose tests fail at their end, or pass
without the work, are counted apart and do not use up N. In the check, {tests} stands for the test
files that the commit changes. The clone is used for measuring: its files are replaced.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from loopwright.checks.test_files import is_test_file
from loopwright.cli.main import main as loop_command
from loopwright.core.findings import HIGH, MEDIUM
from loopwright.core.loop import Loop, open_findings
from loopwright.core.proof.grades import REPORTED
from loopwright.core.proof.measured_strength import OFF
from loopwright.core.proof.strength import Strength
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
SECONDS_OF_A_CHECK = 300
MAX_CLAIMS = 3  # an agent is asked once which test shows a demand, and once about thin parts
BARE_RUNS = 3  # before a commit is played
NOT_PLAYED = "not played"
# Control groups of version 1 and 2: how /proc names our own, where it lies, and what counts.
GROUPS = (
    (":cpuacct:", "/sys/fs/cgroup/cpuacct", "cpuacct.usage"),
    ("0::", "/sys/fs/cgroup", "cpu.stat"),
)
GROUP: list[Path] = []  # the file that counts, once this process has joined one


class Replay(NamedTuple):
    """How the loop of a commit ended, and what it took in seconds of processor time."""

    end: str  # the grade, "refuted" or "asked"; or NOT_PLAYED
    why: str
    thin: str = ""  # why its checks are called thin, if strength was measured
    weak: str = ""  # what no check noticed or ran, in the results alone: to judge that by hand
    check_seconds: float = 0.0
    start_seconds: float = 0.0
    proof_seconds: float = 0.0


class Settings(NamedTuple):
    check: str
    count: int
    skip: int
    strength: str
    results: Path | None


def replay_commits(clone: Path, settings: Settings) -> None:
    print(f"{clone.name}: `{settings.check}`\n", flush=True)
    print("| commit | way | end | why | thin |\n|---|---|---|---|---|")
    totals: Counter[tuple[str, str]] = Counter()
    join_group()
    newest = git(clone, "rev-parse", "HEAD").strip()
    played = 0
    with tempfile.TemporaryDirectory() as state, contextlib.chdir(clone):
        done = known_results(settings.results)
        for commit in suitable_commits(clone)[settings.skip :]:
            if commit in done:
                played += done[commit] != NOT_PLAYED
                continue
            if played >= settings.count:
                break
            began = processor_seconds()
            why = reason_not_to_play(clone, commit, settings.check)
            seconds = (processor_seconds() - began) / BARE_RUNS
            for way in (TESTS_FIRST, TOGETHER):
                # With one state folder, the loop before would be missed.
                os.environ["XDG_STATE_HOME"] = os.path.join(state, commit, way)
                replay = Replay(NOT_PLAYED, why)
                if not why:
                    replay = replay_commit(clone, commit, settings, way)
                    replay = replay._replace(check_seconds=round(seconds, 2))
                totals[way, replay.end] += 1
                row = (commit[:9], way, replay.end, replay.why, replay.thin)
                print(f"| {' | '.join(row)} |", flush=True)
                if settings.results:
                    write_result(settings.results, clone, commit, way, replay)
            played += not why
    check_out(clone, newest)  # the next measurement takes the same commits
    for (way, end), number in sorted(totals.items()):
        print(f"{way}: {end} {number}", flush=True)


def known_results(results: Path | None) -> dict[str, str]:
    """The ends of commits that an earlier call has played in both ways: not again."""
    if not results or not results.exists():
        return {}
    rows = map(json.loads, results.read_text().splitlines())
    return {row["commit"]: row["end"] for row in rows if row["way"] == TOGETHER}


def write_result(results: Path, clone: Path, commit: str, way: str, replay: Replay) -> None:
    row = {"clone": clone.name, "commit": commit, "way": way, **replay._asdict()}
    with results.open("a") as file:
        file.write(json.dumps(row) + "\n")


def suitable_commits(clone: Path) -> list[str]:
    """Commits that change both product and tests, newest first."""
    commits = git(clone, "log", "--no-merges", "--format=%H", f"-n{SEARCHED}").split()
    return [commit for commit in commits if changes_both(clone, commit)]


def changes_both(clone: Path, commit: str) -> bool:
    sources = [path for path in changed_files(clone, commit) if path.endswith(SOURCE_SUFFIXES)]
    tests = [path for path in sources if is_test_file(path)]
    return bool(tests) and len(tests) < len(sources)


def changed_files(clone: Path, commit: str) -> list[str]:
    return git(clone, "diff-tree", "-r", "--name-only", "--no-commit-id", commit).splitlines()


def reason_not_to_play(clone: Path, commit: str, check: str) -> str:
    """Why this commit shows nothing; "" if its tests fail without the work and pass with it."""
    command = check_of_commit(clone, commit, check)
    check_out(clone, commit)
    if not passes(clone, command):
        return "its own tests fail"
    check_out(clone, f"{commit}^")
    if not passes(clone, command):
        return "the tests before it fail"
    put_tests(clone, commit)
    return "its tests pass without the work" if passes(clone, command) else ""


def check_of_commit(clone: Path, commit: str, check: str) -> str:
    """The check with the test files of the commit that its parent has too."""
    kept = git(clone, "diff-tree", "-r", "--name-only", "--diff-filter=M", f"{commit}^", commit)
    tests = [path for path in kept.splitlines() if is_collected(path)]
    return check.replace("{tests}", shlex.join(tests)).strip()


def is_collected(path: str) -> bool:
    return path.endswith(SOURCE_SUFFIXES) and is_test_file(path) and "conftest" not in path


def replay_commit(clone: Path, commit: str, settings: Settings, way: str) -> Replay:
    """Start a loop before the commit, put its files, and claim the end."""
    check_out(clone, f"{commit}^")
    if way == TESTS_FIRST:
        put_tests(clone, commit)
        who = ("-c", "user.name=Bench", "-c", "user.email=bench@example.invalid")
        git(clone, *who, "commit", "-qam", "the tests of the next commit", "--no-verify")
    check = check_of_commit(clone, commit, settings.check)
    began = processor_seconds()
    start_loop(clone, commit, check, settings.strength if way == TOGETHER else OFF)
    started = processor_seconds()
    git(clone, "checkout", "-q", commit, "--", *present_files(clone, commit))
    delete_files(clone, gone_files(clone, commit))
    folder = LoopFolder(str(clone))
    for _ in range(MAX_CLAIMS):
        turn = TurnOver(time.time(), SESSION, CLAIM, tool_calls=1)
        reply, loop = step_with_loop(folder, turn)
        if loop.status in ENDED:
            break
    end, why = end_of_loop(loop)
    measured = (loop.strength.result if loop.strength else None) or Strength()
    weak = [f"{i.kind} {i.file}:{i.line} {i.taken}" for i in measured.weak_items]
    return Replay(
        end=end,
        why=why or " ".join(reply.message.split())[:600] * (end == "refuted"),
        thin="; ".join(measured.thin_reasons),
        weak="\n".join(weak),
        start_seconds=round(started - began, 2),
        proof_seconds=round(processor_seconds() - started, 2),
    )


def end_of_loop(loop: Loop) -> tuple[str, str]:
    """The end in a word, and why it is no better."""
    if loop.status not in ENDED or loop.verdict is None:
        return "refuted", loop.pause.why
    found = open_findings(loop, HIGH, MEDIUM)
    why = "; ".join(f"{f.severity} {f.rule} {f.file}" for f in found)
    end = loop.verdict.grade
    if end == REPORTED and found:
        end = "asked"
    return end, why or loop.verdict.why * (end == REPORTED)


def start_loop(clone: Path, commit: str, check: str, strength: str) -> None:
    without = [word for name in DETECTED for word in ("--without", name)]
    spec = git(clone, "log", "-1", "--format=%B", commit).strip()
    words = ["start", spec, "--check", f"tests pass={check}", "--yes", *without]
    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        code = loop_command([*words, "--strength", strength])
    assert code == 0, errors.getvalue()


def join_group() -> None:
    """Count what this process and all below it use; a sandbox does not tell that of its own."""
    for own, folder, name in GROUPS:
        with contextlib.suppress(OSError, StopIteration):  # no such group
            lines = Path("/proc/self/cgroup").read_text().splitlines()
            path = next(line.partition(own)[2] for line in lines if own in line)
            group = Path(f"{folder}{path}", f"bench-{os.getpid()}")
            group.mkdir()
            (group / "cgroup.procs").write_text(str(os.getpid()))
            GROUP.append(group / name)
            return


def processor_seconds() -> float:
    """Of this process and all below it; without a group, of the processes that it waited for."""
    if not GROUP:
        times = os.times()
        return times.user + times.system + times.children_user + times.children_system
    words = GROUP[0].read_text().split()  # nanoseconds, or `usage_usec` and microseconds
    return int(words[0]) / 1e9 if len(words) == 1 else int(words[1]) / 1e6


def put_tests(clone: Path, commit: str) -> None:
    tests = list(filter(belongs_to_tests, present_files(clone, commit)))
    git(clone, "checkout", "-q", commit, "--", *tests)
    delete_files(clone, list(filter(belongs_to_tests, gone_files(clone, commit))))


def belongs_to_tests(path: str) -> bool:
    """Is it a test, or something in a folder of tests?"""
    return is_test_file(path) or "test" in path


def delete_files(clone: Path, paths: list[str]) -> None:
    for path in paths:
        (clone / path).unlink(missing_ok=True)


def present_files(clone: Path, commit: str) -> list[str]:
    gone = gone_files(clone, commit)
    return [path for path in changed_files(clone, commit) if path not in gone]


def gone_files(clone: Path, commit: str) -> list[str]:
    words = ("diff-tree", "-r", "--name-only", "--no-commit-id", "--diff-filter=D", commit)
    return git(clone, *words).splitlines()


def passes(clone: Path, check: str) -> bool:
    words = ["timeout", str(SECONDS_OF_A_CHECK), "sh", "-c", check]
    return not subprocess.run(words, cwd=clone, capture_output=True).returncode


def check_out(clone: Path, commit: str) -> None:
    shutil.rmtree(clone / ".loop", ignore_errors=True)
    git(clone, "checkout", "-q", "-f", "--detach", commit)
    git(clone, "clean", "-fdq", "-e", "*.egg-info", "-e", "node_modules")
    time.sleep(0.05)  # a write of this moment would look like one during the checks


def git(clone: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(clone), *words], capture_output=True, check=True)
    return done.stdout.decode()
