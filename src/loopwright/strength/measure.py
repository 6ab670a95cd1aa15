"""Measures the strength of the checks: would they notice if a part of the work were taken away?

`measure_strength` is all that others need. The order is that of the price: new files that nothing
uses, lines that no check runs, parts that are undone, mutants. A positive control comes first.
"""

from __future__ import annotations

import tempfile
import time
from contextlib import suppress

from .. import lazy_re as re
from ..checks.code_files import CODE_SUFFIXES, SCRIPT_SUFFIXES
from ..checks.named_files import asks_for_as_many_tests
from ..cleanroom.checkout import PreparedRoom
from ..core.proof.strength import (
    BUDGET_SPENT,
    CANNOT_RUN,
    INCONCLUSIVE,
    LINE,
    MIN_JUDGED,
    MUTANT,
    NO_DIFFERENCE,
    NOT_NOTICED,
    NOTICED,
    PART,
    THE_WORK,
    Strength,
    StrengthItem,
    Unmeasured,
)
from ..disk.temporary import own_prefix
from .baselines import FLAKY, steady_checks
from .changed_files import ChangedFile, still_parses
from .changed_lines import (
    FileLines,
    broken_text,
    confirm_unseen,
    line_items,
    lines_of_files,
    record_lines,
)
from .check_runs import BudgetSpent, CheckRuns, MeasuredCheck
from .covered_code import KNOWN_BEFORE, NO_FUNCTION, CoveredCode, covered_lines
from .empty_functions import empty_functions
from .left_work import old_names, unchanged_files
from .mutants import Mutant, mutants_of, spread_mutants
from .open_notes import open_notes
from .parts import Part, parts_of, spread_parts
from .stryker import STRYKER, StrykerFailed, is_configured, run_stryker
from .unread_names import unread_names
from .unused_files import ProductFiles, unused_files
from .work_files import files_to_change, judged_files, programs_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

NO_LOOK = "the check does not look at this code: it passes while the code cannot be loaded"
RED_AFTERWARDS = "the check also fails without a change now"
NOT_RUN = "no check runs it"
WORD = re.compile(r"[A-Za-z_]\w+")


def measure_strength(
    room: PreparedRoom,
    files: Iterable[ChangedFile],
    checks: Iterable[MeasuredCheck],
    budget_seconds: float,
    show: Callable[[str], None] = lambda text: None,
    is_refactoring: bool = False,
    spec: str = "",
    tests: Iterable[ChangedFile] = (),
    changed_paths: Iterable[str] = (),
) -> Strength:
    """Measure in this checkout, which has the final tree, and leave its files as they were.

    `files` are the changed files of the product alone. In a refactoring, a formatting change or a
    speed-up the old part is as good, so nothing is undone. If only `tests` changed, they are the
    work: the product that they cover is changed instead. `changed_paths` are those of all files
    that changed: a tool of the project is used only if none of them decides about it.
    """
    checks = list(checks)
    files, code = files_to_change(room, list(files), list(tests), spec)
    judged, unmeasured = judged_files(room, files)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=own_prefix("strength")) as logs:
        runs = CheckRuns(room, budget_seconds, logs)
        product = ProductFiles(room.path, programs_of(room, checks))
        items = [] if code else unused_files(judged, product, spec)
        unused = {item.file for item in items}
        tests_stay = asks_for_as_many_tests(spec)
        paths = tuple(changed_paths)
        measurement = _Measurement(runs, judged, unused, show, code, tests_stay, paths)
        if not code:
            items += [*open_notes(judged), *old_names(judged, spec)]
            items += unchanged_files(room.path, paths, spec)
            items += unread_names(judged, tests, lambda: product.texts, spec)
            items += empty_functions(judged, spec)
        if not judged:
            why = NO_FUNCTION if code else "no file of the product changed"
            unmeasured.append(Unmeasured(THE_WORK, why))
        elif not checks:
            unmeasured.append(Unmeasured(THE_WORK, "there is no check to run"))
        else:
            measurement.measure(checks, is_refactoring)
        return measurement.result(items, unmeasured).but(
            runs=runs.count, seconds=round(time.monotonic() - began, 1)
        )


class _Measurement:
    """The state of one measurement."""

    def __init__(
        self,
        runs: CheckRuns,
        files: list[ChangedFile],
        unused: set[str],
        show: Callable[[str], None],
        code: CoveredCode | None,
        tests_stay: bool,
        changed_paths: tuple[str, ...],
    ) -> None:
        self.runs, self.files, self.unused, self.show = runs, files, unused, show
        self.code = code
        self.tests_stay = tests_stay
        self.former_tests: dict[str, str | None] = {}
        self.changed_paths = changed_paths
        self.mutants_by = ""
        self.known_before = 0  # changes to which the tests of the start say the same
        self.checks: list[MeasuredCheck] = []
        self.items: list[StrengthItem] = []
        self.unmeasured: list[Unmeasured] = []
        self.lines: dict[str, FileLines] = {}
        self.control = self.selection = ""
        self.unconfirmed = 0  # items at the end of the list after which no check has passed

    def measure(self, checks: list[MeasuredCheck], is_refactoring: bool) -> None:
        paths = tuple(file.path for file in self.files)
        found, unmeasured, words = steady_checks(self.runs, checks, paths, self.show)
        self.checks, self.selection = found, "; ".join(words)
        self.unmeasured += unmeasured
        try:
            self._run_control()
        except BudgetSpent:
            self.checks = []
            self.unmeasured.append(Unmeasured(THE_WORK, BUDGET_SPENT))
        if not self.checks:
            return
        lines, notes = record_lines(
            self.runs, self.checks, lines_of_files(self.files), bool(words), self.show
        )
        self.lines = lines | confirm_unseen(self.runs, self.checks, lines)
        self.unmeasured += notes
        if self.code:
            self.lines = covered_lines(self.code, self.lines)
            self._use_former_tests(self.code)
        for each in self.lines.values():
            if each.file.path not in self.unused:
                self.items += line_items(each)
        if not is_refactoring:
            self._undo_parts()
        self._try_mutants()
        self._confirm_green()

    def _run_control(self) -> None:
        """A change that every sound check notices: the changed files cannot be loaded."""
        texts = {file.path: broken_text(file.path) for file in self.files}
        useful = []
        for check in self.checks:
            self.show(f"{check.name}: does it notice that the changed files cannot be loaded?")
            fails = self.runs.fails_with(check, texts)
            if fails:
                useful.append(check)
                self.control = NOTICED
            else:
                self.control = self.control or (INCONCLUSIVE if fails is None else NOT_NOTICED)
                why = "the positive control is inconclusive" if fails is None else NO_LOOK
                self.unmeasured.append(Unmeasured(check.name, why))
        self.checks = useful

    def _use_former_tests(self, code: CoveredCode) -> None:
        """They are compared with if they pass on the final product."""
        former = dict(code.former_tests)
        with suppress(BudgetSpent):
            result, _ = self.runs.try_overlay(self.checks, former)
            self.former_tests = former if result == NOT_NOTICED else {}

    def _undo_parts(self) -> None:
        parts = spread_parts(
            part
            for file in self.files
            if file.path not in self.unused
            for part in parts_of(file)
            if not self.code or not (self.lines[file.path].ran or set()).isdisjoint(part.lines)
        )
        for number, part in enumerate(parts):
            words = _words(self.lines[part.path].file.after) - _words(part.text)
            lines = self.lines[part.path]
            unrun = lines.ran is not None and not lines.why and bool(part.lines)
            if unrun and lines.unrun.issuperset(part.lines):
                reason = lines.reason_at(part.lines[0])
                self._add(PART, part, CANNOT_RUN if reason else NOT_NOTICED, reason or NOT_RUN)
            elif not self._try(PART, part, number, len(parts), words):
                return

    def _try_mutants(self) -> None:
        mutants = spread_mutants(self._mutants(1))
        if len(mutants) < MIN_JUDGED:  # a small work: what a line returns is tried, too
            mutants = spread_mutants(self._mutants(2))
        mutants = self._use_stryker(mutants)
        for number, mutant in enumerate(mutants):
            if not self._try(MUTANT, mutant, number, len(mutants), frozenset()):
                return

    def _use_stryker(self, own: list[Mutant]) -> list[Mutant]:
        """Let the project's own Stryker change these lines; returns what it leaves to us."""
        scripts = [mutant for mutant in own if mutant.path.endswith(SCRIPT_SUFFIXES)]
        if not scripts or self.code or not is_configured(self.runs.room.path):
            return own
        self.show(f"{MUTANT}s by the {STRYKER} of the project …")
        files = {file.path: file for file in self.files}
        try:
            found = run_stryker(self.runs, self.checks, scripts, files, self.changed_paths)
        except StrykerFailed as error:
            self.unmeasured.append(Unmeasured(STRYKER, f"{error}; the small changes are our own"))
            return own
        self.mutants_by = STRYKER
        for each in found:
            self._add_judged(MUTANT, each.mutant, each.result, each.reason)
        return [mutant for mutant in own if mutant not in scripts]

    def _mutants(self, per_line: int) -> Iterable[Mutant]:
        for file in self.files:
            if file.path not in self.unused:
                yield from mutants_of(file, self.lines[file.path].ran, per_line)

    def _try(
        self, kind: str, change: Part | Mutant, number: int, count: int, missing: frozenset[str]
    ) -> bool:
        """Run the checks with one change; False if the budget is used up."""
        self.show(f"{kind} {number + 1} of {count}: {change.path}:{_line(change)} …")
        if not still_parses(self.lines[change.path].file, change.text):
            self._add(kind, change, INCONCLUSIVE, "does not compile or import")
            return True
        try:
            texts = {change.path: change.text}
            result, reason = self.runs.try_overlay(self.checks, texts, missing)
            if self._is_known(result, texts):
                self.known_before += 1
                return True
        except BudgetSpent:
            self.unmeasured.append(Unmeasured(f"{count - number} {kind}s", BUDGET_SPENT))
            return False
        self._add_judged(kind, change, result, reason)
        self.unconfirmed = self.unconfirmed + 1 if self.runs.has_failed_last else 0
        return True

    def _add_judged(self, kind: str, change: Part | Mutant, result: str, reason: str) -> None:
        condition = self.lines[change.path].reason_at(_line(change))
        if result == NOT_NOTICED and condition:
            result, reason = CANNOT_RUN, condition
        self._add(kind, change, result, reason)

    def _is_known(self, result: str, texts: dict[str, str]) -> bool:
        """Do the tests of the start answer the same, so that it tells nothing of the new ones?

        Tests that only got another form have to notice what those noticed, and no more.
        """
        tells = NOT_NOTICED if self.tests_stay else NOTICED
        if result != tells or not self.former_tests:
            return False
        return self.runs.try_overlay(self.checks, {**self.former_tests, **texts})[0] == tells

    def _add(self, kind: str, change: Part | Mutant, result: str, reason: str) -> None:
        if isinstance(change, Part) and change.is_old and result == NOT_NOTICED:
            result = NO_DIFFERENCE
        item = StrengthItem(
            kind=kind,
            file=change.path,
            line=_line(change),
            taken=change.taken,
            result=result,
            reason=reason,
            emptied=change.function if isinstance(change, Part) else "",
        )
        self.items.append(item)

    def _confirm_green(self) -> None:
        """After failures the check must pass again, else they may have another cause."""
        if not self.unconfirmed:
            return
        self.show("does the check still pass without a change?")
        try:
            is_green = all(self.runs.run(check).evidence.passed for check in self.checks)
        except BudgetSpent:
            return
        if is_green:
            return
        try:
            is_flaky = all(self.runs.run(check).evidence.passed for check in self.checks)
        except BudgetSpent:
            is_flaky = False
        why = FLAKY if is_flaky else RED_AFTERWARDS
        self.items = [
            item.but(result=INCONCLUSIVE, reason=why)
            if item.kind in (PART, MUTANT) and item.result == NOTICED
            else item
            for item in self.items
        ]
        self.unmeasured.append(Unmeasured("what failed under a change", why))

    def _can_be_tested(self, items: list[StrengthItem]) -> bool:
        """Is there changed code, and not just for code that is as good?"""
        code = {file.path for file in self.files if file.path.endswith(CODE_SUFFIXES)}
        if self.code or not code:
            return False
        can_differ = [i for i in (*items, *self.items) if i.result != NO_DIFFERENCE]
        return self.control == NOT_NOTICED or any(item.file in code for item in can_differ)

    def result(self, items: list[StrengthItem], unmeasured: list[Unmeasured]) -> Strength:
        used = [lines for path, lines in self.lines.items() if path not in self.unused]
        cannot = sum(i.lines for i in self.items if i.kind == LINE and i.result == CANNOT_RUN)
        known = sum(len(lines.changed) for lines in used if lines.ran is not None)
        others = sum(len(lines.changed) for lines in used if lines.ran is None)
        if self.known_before and not self.tests_stay:
            unmeasured.append(Unmeasured(f"{self.known_before} changes", KNOWN_BEFORE))
        return Strength(
            items=(*items, *self.items),
            unmeasured=(*self.unmeasured, *unmeasured),
            control=self.control,
            measured_lines=known - cannot,
            other_lines=others + sum(lines.unknown for lines in used),
            selection=self.selection,
            mutants_by=self.mutants_by,
            can_be_tested=self._can_be_tested(items),
            tests_stay=self.tests_stay and bool(self.former_tests),
            of_tests=self.code is not None,
        )


def _line(change: Part | Mutant) -> int:
    return change.first if isinstance(change, Part) else change.line


def _words(text: str | None) -> frozenset[str]:
    return frozenset(WORD.findall(text or ""))
