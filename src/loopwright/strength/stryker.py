"""The mutants of a project's own Stryker, on the lines that we would change ourselves.

It runs in the clean checkout like a check, with the project's configuration and its installed
packages. Only what is as it was at the start counts as the project's.
"""

from __future__ import annotations

import glob
import json
import math
import os
import shutil

from ..cleanroom.packages import LOCK_FILES
from ..core.criteria import Check
from ..core.proof.strength import INCONCLUSIVE, MIN_JUDGED, NOT_NOTICED, NOTICED
from ..core.record import Record
from ..disk.files import make_folder, read_text
from .changed_files import ChangedFile, new_lines
from .check_runs import BudgetSpent, CheckRuns, MeasuredCheck
from .edits import Edit
from .lines_run import FOLDER
from .mutants import Mutant, make_mutant
from .outcomes import COULD_NOT_RUN, NOT_COMPILED, TIMED_OUT

STRYKER = "Stryker"
PACKAGE = "node_modules/@stryker-mutator/core"
CONFIG_NAMES = tuple(
    f"{prefix}stryker.{word}.{ending}"
    for prefix in ("", ".")
    for word in ("conf", "config")
    for ending in ("json", "js", "mjs", "cjs")
)
REPORT, SCRATCH = f"{FOLDER}/stryker/mutation.json", ".stryker-tmp"
MAX_CHARS = 20_000_000
MUTANTS_OF_LINE = 3  # that Stryker makes, as a rule
# Options given here win over those of the file. Results of before and mutants in place are refused:
# the first would say nothing about this tree, the others would stay after a time-out.
RUN_STRYKER = """\
const { Stryker } = await import('@stryker-mutator/core');
try {
  await new Stryker(JSON.parse(process.argv[1])).runMutationTest();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
"""
OPTIONS = {
    "reporters": ["json"],
    "jsonReporter": {"fileName": REPORT},
    "incremental": False,
    "inPlace": False,
    "tempDirName": SCRATCH,
    "allowConsoleColors": False,
}
OUTCOMES = {
    "Killed": (NOTICED, ""),
    "Survived": (NOT_NOTICED, ""),
    "NoCoverage": (NOT_NOTICED, "no test runs it"),
    "Timeout": (INCONCLUSIVE, TIMED_OUT),
    "CompileError": (INCONCLUSIVE, NOT_COMPILED),
    "RuntimeError": (INCONCLUSIVE, COULD_NOT_RUN),
}
# Often as good, or nothing that anybody needs to test: used if there is too little else.
WEAK = ("StringLiteral", "Regex", "OptionalChaining")


class StrykerMutant(Record):
    """A mutant of Stryker, and what the project's tests said."""

    mutant: Mutant
    result: str
    reason: str
    is_weak: bool


class StrykerFailed(Exception):
    """Why our own mutants are used although the project has Stryker."""


def is_configured(root: str) -> bool:
    return any(os.path.isfile(os.path.join(root, name)) for name in CONFIG_NAMES)


def run_stryker(
    runs: CheckRuns,
    checks: list[MeasuredCheck],
    own: list[Mutant],
    files: dict[str, ChangedFile],
    changed_paths: tuple[str, ...],
) -> list[StrykerMutant]:
    """One mutant of Stryker for each of our `own`, on the same line where there is one.

    StrykerFailed if it cannot be used, did not end in half of the time, or says nothing.
    """
    room = runs.room.path
    if not os.path.isdir(os.path.join(room, PACKAGE)):
        raise StrykerFailed("it is not installed")
    if path := next(filter(_decides_about_stryker, changed_paths), ""):
        raise StrykerFailed(f"{path} changed since the start")
    if path := next((p for p in changed_paths if _names_stryker(room, p, files.get(p))), ""):
        raise StrykerFailed(f"what changed in {path} speaks of it")
    places = sorted({(mutant.path, mutant.line) for mutant in own})
    # The other half is for our own, if it does not end.
    if not all(runs.fits(check, 2 * MUTANTS_OF_LINE * len(places)) for check in checks):
        raise StrykerFailed("it needs more time than there is")
    wanted = [f"{glob.escape(path)}:{line}-{line}" for path, line in places]
    options = json.dumps({**OPTIONS, "mutate": wanted})
    seconds = math.ceil(runs.seconds_left / 2)
    command = ("node", "--input-type=module", "-e", RUN_STRYKER, options)
    shutil.rmtree(os.path.join(room, os.path.dirname(REPORT)), ignore_errors=True)
    make_folder(os.path.join(room, os.path.dirname(REPORT)))
    try:
        run = runs.run(MeasuredCheck(STRYKER, Check(command, timeout=seconds)))
    except BudgetSpent:
        raise StrykerFailed("it needs more time than there is") from None
    finally:
        shutil.rmtree(os.path.join(room, SCRATCH), ignore_errors=True)
    report = read_text(os.path.join(room, REPORT), MAX_CHARS)
    if run.evidence.outcome == "timeout":
        raise StrykerFailed(f"it did not end in {seconds} s")
    if report is None:
        last = run.evidence.detail.strip().splitlines()[-1:]
        raise StrykerFailed(": ".join([f"no report, {run.evidence.result_text}", *last])[:160])
    texts = {path: file.after or "" for path, file in files.items()}
    found = _choose_mutants(own, read_report(report, texts))
    if not any(each.result == NOTICED for each in found):
        raise StrykerFailed("none of its changes is noticed")
    return found


def _decides_about_stryker(path: str) -> bool:
    name = os.path.basename(path)
    return name in (*CONFIG_NAMES, *LOCK_FILES, "package.json", ".npmrc") or "node_modules/" in path


def _names_stryker(room: str, path: str, product: ChangedFile | None) -> bool:
    """Could the agent's own lines switch mutants off, or do something else while one is active?"""
    text = read_text(os.path.join(room, path), MAX_CHARS) or ""
    if product:
        rows = (product.after or "").split("\n")
        text = "\n".join(rows[line - 1] for line in new_lines(product))
    return "stryker" in text.casefold()


def read_report(report: str, texts: dict[str, str]) -> list[StrykerMutant]:
    """The mutants of the report that were tried, in the order in which Stryker made them."""
    try:
        files = json.loads(report)["files"]
        rows = [(path, row) for path in files for row in files[path]["mutants"] if path in texts]
        rows.sort(key=lambda each: int(each[1]["id"]))
        return [_mutant(path, texts[path], row) for path, row in rows if row["status"] in OUTCOMES]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        raise StrykerFailed("its report cannot be read") from None


def _mutant(path: str, text: str, row: dict[str, object]) -> StrykerMutant:
    location, new, name = row["location"], str(row.get("replacement", "")), str(row["mutatorName"])
    assert isinstance(location, dict)
    begins = [0]
    for line in text.split("\n"):
        begins.append(begins[-1] + len(line) + 1)
    start, end = (
        begins[location[side]["line"] - 1] + location[side]["column"] - 1
        for side in ("start", "end")
    )
    edit = Edit(name, location["start"]["line"], start, end, new)
    is_boundary = text[start:end].replace("=", "") == new.replace("=", "")
    return StrykerMutant(
        make_mutant(path, text, edit),
        *OUTCOMES[str(row["status"])],
        is_weak=is_boundary or name in WEAK,
    )


def _choose_mutants(own: list[Mutant], found: list[StrykerMutant]) -> list[StrykerMutant]:
    """What says most of each line; the results play no part. Weak ones if there are few others."""
    found = sorted(found, key=lambda each: each.is_weak)
    chosen = []
    for mutant in own:
        same = [each for each in found if _place(each.mutant) == _place(mutant)]
        if same:
            chosen.append(same[0])
            found.remove(same[0])
    strong = [each for each in chosen if not each.is_weak]
    weak = [each for each in chosen if each.is_weak]
    return [*strong, *weak[: max(0, MIN_JUDGED - len(strong))]]


def _place(mutant: Mutant) -> tuple[str, int]:
    return mutant.path, mutant.line
