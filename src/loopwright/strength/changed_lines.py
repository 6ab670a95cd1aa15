"""Which changed lines no check runs, and which cannot run on this machine."""

from __future__ import annotations

from ..core.proof.strength import (
    CANNOT_RUN,
    LINE,
    NOT_NOTICED,
    StrengthItem,
    Unmeasured,
)
from ..core.record import Record
from .changed_files import ChangedFile, new_code_lines
from .check_runs import BudgetSpent, CheckRuns, MeasuredCheck
from .line_facts import LineFacts, line_facts
from .lines_run import (
    NOT_SEEN,
    LinesRun,
    can_record,
    missing_package,
    prepare_recording,
    read_recording,
    with_recorder,
)
from .parts import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

OTHER_RESULT = "the check gives another result while lines are recorded"
ONLY_SELECTED = "only selected tests ran"
DECLARATIONS = (".d.ts", ".d.mts", ".d.cts", ".pyi")


class FileLines(Record):
    """The changed lines of one file that matter."""

    file: ChangedFile
    facts: LineFacts
    changed: frozenset[int]
    ran: frozenset[int] | None = None  # None: not known
    why: str = ""
    unknown: int = 0  # further lines that did not run as far as we know
    is_seen: bool = False  # did any line of the file run, also one that cannot matter?
    missing: str = ""  # a package that it imports and that is not installed

    @property
    def unrun(self) -> frozenset[int]:
        return self.changed - (self.ran or frozenset()) if self.ran is not None else frozenset()

    def reason_at(self, line: int) -> str:
        """Why this line may be unable to run here; "" if nothing says so, or if it ran."""
        if self.ran is not None and line in self.ran:
            return ""
        if self.file.path.endswith(DECLARATIONS):
            return "it declares types, which no program runs"
        if self.missing:
            return f"it imports {self.missing}, which is not installed"
        return self.facts.condition_of.get(line, "")


def lines_of_files(files: list[ChangedFile]) -> dict[str, FileLines]:
    found = {}
    for file in files:
        facts = line_facts(file.path, file.after or "")
        found[file.path] = FileLines(file, facts, frozenset(new_code_lines(file) & facts.lines))
    return found


def record_lines(
    runs: CheckRuns,
    checks: list[MeasuredCheck],
    lines: dict[str, FileLines],
    is_selection: bool,
    show: Callable[[str], None],
) -> tuple[dict[str, FileLines], list[Unmeasured]]:
    """Run each check once more and note which lines it runs."""
    files = [each.file for each in lines.values() if can_record(each.file.path) and each.changed]
    notes: list[Unmeasured] = []
    recordings: list[LinesRun] = []
    for check in checks if files else ():
        show(f"{check.name}: recording which lines run …")
        variables = prepare_recording(runs.room, files)
        try:
            run = runs.run(check.but(check=with_recorder(check.check, variables)), variables)
            if _is_same(check, run.evidence.passed, run.report.passed, run.report.skipped):
                recordings.append(read_recording(runs.room, files))
                continue
            why = OTHER_RESULT
        except BudgetSpent:
            why = "the time budget is used up"
        recordings.append(LinesRun({}, {file.path: why for file in files}))
    found = dict(lines)
    for file in files:
        found[file.path] = _with_recordings(lines[file.path], recordings, is_selection)
    interpreter = next((each.interpreter for each in recordings if each.interpreter), "")
    found |= _with_missing_packages(runs, found, interpreter)
    reasons: dict[str, list[str]] = {}
    for file in files:
        if found[file.path].ran is None:
            reasons.setdefault(found[file.path].why, []).append(file.path)
    notes += [Unmeasured(f"lines of {_names(paths)}", why) for why, paths in reasons.items()]
    return found, notes


def _names(paths: list[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{len(paths)} files"


def _is_same(
    check: MeasuredCheck, passed: bool, tests: tuple[str, ...], skipped: tuple[str, ...]
) -> bool:
    """Does the recording change nothing: the same result, by name where names are known?"""
    plain = check.plain
    if plain is None or not passed:
        return passed
    if not plain.report.is_file:
        return True
    same_tests = sorted(plain.report.passed) == sorted(tests)
    return same_tests and sorted(plain.report.skipped) == sorted(skipped)


def _with_recordings(lines: FileLines, recordings: list[LinesRun], is_selection: bool) -> FileLines:
    path = lines.file.path
    ran: set[int] = set()
    why = ONLY_SELECTED if is_selection else ""
    lines = lines.but(is_seen=any(path in recording.ran for recording in recordings))
    for recording in recordings:
        ran |= recording.ran.get(path, set())
        why = why or recording.unknown.get(path, "")
    span_of = lines.facts.span_of
    whole = {
        line
        for line, (first, last) in span_of.items()
        if not ran.isdisjoint(range(first, last + 1))
    }
    if why and not ran:
        return lines.but(why=why)
    if why:  # what ran is known, what did not run is not
        known = lines.changed & whole
        unknown = len(lines.changed) - len(known)
        return lines.but(ran=frozenset(whole), changed=known, why=why, unknown=unknown)
    return lines.but(ran=frozenset(whole))


def _with_missing_packages(
    runs: CheckRuns, lines: dict[str, FileLines], interpreter: str
) -> dict[str, FileLines]:
    found = {}
    for path, each in lines.items():
        is_unrun = each.ran is not None and not each.ran and bool(each.changed)
        if is_unrun and (name := missing_package(runs.room, interpreter, each.file)):
            found[path] = each.but(missing=name)
    return found


def confirm_unseen(
    runs: CheckRuns, checks: list[MeasuredCheck], lines: dict[str, FileLines]
) -> dict[str, FileLines]:
    """A file of which no line ran, and that a check needs, is loaded by a process we do not see."""
    unseen = {
        path: each
        for path, each in lines.items()
        if each.ran is not None and not each.is_seen and each.changed and not each.missing
    }
    if not unseen or len(unseen) == len(lines) == 1:
        # The control has broken the only file, and it was noticed.
        return {path: each.but(ran=None, why=NOT_SEEN) for path, each in unseen.items()}
    broken = {path: broken_text(path) for path in unseen}
    try:
        needs = any(runs.fails_with(check, broken) is not False for check in checks)
    except BudgetSpent:
        needs = True
    return (
        {path: each.but(ran=None, why=NOT_SEEN) for path, each in unseen.items()} if needs else {}
    )


def broken_text(path: str) -> str:
    """A text that no tool can load."""
    if path.endswith(".php"):
        return "<?php (((\n"
    return "((( this file cannot be loaded\n"


def line_items(lines: FileLines) -> list[StrengthItem]:
    """The lines that did not run, as ranges."""
    items: list[StrengthItem] = []
    rows = (lines.file.after or "").split("\n")
    for first, last, count, reason in _ranges(lines):
        code = shorten(rows[first - 1].strip())
        what = f"`{code}`" if count == 1 else f"lines {first}-{last}, from `{code}`"
        result = CANNOT_RUN if reason else NOT_NOTICED
        items.append(
            StrengthItem(
                kind=LINE,
                file=lines.file.path,
                line=first,
                taken=what,
                result=result,
                reason=reason or "no check runs it",
                lines=count,
            )
        )
    return items


def _ranges(lines: FileLines) -> list[tuple[int, int, int, str]]:
    """First and last line, how many of them did not run, and why they cannot."""
    order = sorted(lines.changed)
    found: list[tuple[int, int, int, str]] = []
    previous = -1
    for place, line in enumerate(order):
        if line not in lines.unrun:
            continue
        reason = lines.reason_at(line)
        if found and previous == place - 1 and found[-1][3] == reason:
            first, _, count, _ = found[-1]
            found[-1] = (first, line, count + 1, reason)
        else:
            found.append((line, line, 1, reason))
        previous = place
    return found
