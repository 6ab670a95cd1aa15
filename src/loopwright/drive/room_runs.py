"""The runs of the final proof in a room.

The checks run on the final tree, then on the final product with the tests and settings of the
baseline (replay), then on the product of the baseline with the final tests (revert).
"""

from __future__ import annotations

import os
import time

from ..core.directives import RunInRoom
from ..core.findings import HIGH, Finding
from ..core.loop import Loop
from ..core.record import Record
from ..core.room import (
    CALIBRATION_RUN,
    COULD_NOT_PREPARE,
    FAILED,
    NOT_NEEDED,
    PASSED,
    REPLAY_RUN,
    REVERT_RUN,
    ROOM_RUN,
    TRUSTED,
    RoomRun,
)
from ..core.signals import CalibrationResult, RoomResult
from ..ratchet.manifests import is_manifest, mixed_manifest
from ..ratchet.references import referenced_kind, search_word
from ..ratchet.surroundings import GRAVE_KINDS, TEST, programs_run_by, surrounding_kind
from ..repo import kept_trees
from ..repo.baseline import MAX_BYTES
from ..repo.checkout import CheckoutFailed, restore_paths
from ..repo.plumbing import ask_user_git
from ..repo.walk import is_excluded
from ..store.folder import LoopFolder
from ..verify import room_findings as judge
from ..verify.room_files import RoomError
from ..verify.room_findings import ChangedTests, CheckRun
from ..verify.room_packages import LOCK_FILES, detected_setup
from ..verify.test_report import FailedTest, TestReport
from .room_calibration import calibrate_room
from .room_checkout import (
    BASELINE_REPORTS,
    COULD_NOT_RUN,
    CheckRuns,
    RoomOptions,
    load_runs,
    open_room,
    options_of_start,
    room_criteria,
    run_checks,
    save_runs,
    summarize_run,
)
from .room_trees import end_commit, room_trees

MAX_SEARCHES = 30  # changed files whose users are searched
MAX_USERS = 40  # a word in more files than this is no name of a helper


class Surroundings(Record):
    """The files around the product that changed since the baseline, by their kind."""

    kinds: tuple[tuple[str, str], ...] = ()  # path and kind
    texts: tuple[tuple[str, str, str], ...] = ()  # path, text at the baseline and at the end
    packages: str = ""  # the manifests and lock files that changed

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(path for path, _ in self.kinds)

    @property
    def grave_paths(self) -> tuple[str, ...]:
        return tuple(path for path, kind in self.kinds if kind in GRAVE_KINDS)

    @property
    def changed_tests(self) -> ChangedTests:
        paths = tuple(path for path, kind in self.kinds if kind == TEST)
        before = "\n".join(before for path, before, _ in self.texts if path in paths)
        return ChangedTests(paths, before)


def run_in_room(
    folder: LoopFolder, wanted: RunInRoom, loop: Loop
) -> RoomResult | CalibrationResult:
    """Make one run of the final proof, or the calibration that has not ended yet."""
    if wanted.kind == CALIBRATION_RUN:
        return calibrate_room(folder, loop, wanted.round)
    try:
        run = _make_run(folder, wanted, loop)
    except (RoomError, CheckoutFailed, OSError) as error:
        run = RoomRun(wanted.kind, wanted.tree, COULD_NOT_PREPARE, str(error))
    if run.outcome == COULD_NOT_PREPARE and loop.room.status == TRUSTED:
        # It worked at the start, so the agent's changes may be the reason: a person must look.
        run = run.but(findings=(judge.lost_room_finding(run.why),))
    at = time.time()
    return RoomResult(at, wanted.round, wanted.fence, run.but(at=at))


def _make_run(folder: LoopFolder, wanted: RunInRoom, loop: Loop) -> RoomRun:
    end = end_commit(folder, loop, wanted.tree)
    if not end:
        why = "the tree cannot be kept in the repository"
        return RoomRun(wanted.kind, wanted.tree, COULD_NOT_PREPARE, why)
    surroundings = _changed_surroundings(folder, loop, end)
    if wanted.kind == ROOM_RUN:
        return _room_run(folder, loop, wanted.tree, end, surroundings)
    is_unproven = wanted.kind == REVERT_RUN and _could_not_run_at_start(loop)
    if not surroundings.paths and not is_unproven:
        # Without a change around the product, the replay is the room run, and the revert test is
        # the calibration of the start. A check that could not run at the start calibrates nothing.
        return RoomRun(wanted.kind, wanted.tree, NOT_NEEDED, "nothing around the product changed")
    if wanted.kind == REPLAY_RUN:
        return _replay_run(folder, loop, wanted.tree, end, surroundings)
    return _revert_run(folder, loop, wanted.tree, end, surroundings)


def _could_not_run_at_start(loop: Loop) -> frozenset[str]:
    """The checks whose first result says nothing about the product of the start."""
    checks = loop.room.baseline
    return frozenset(check.criterion for check in checks if check.outcome == COULD_NOT_RUN)


def _changed_surroundings(folder: LoopFolder, loop: Loop, end: str) -> Surroundings:
    trees = room_trees(folder, loop)
    root, path, base = trees.root, trees.loop_path, trees.baseline
    rows = kept_trees.tree_changes(root, path, base, end)
    names = [name for name, _, _ in rows if not is_excluded(name, loop.room.may_change)]
    before = kept_trees.file_contents(root, path, base, names, MAX_BYTES)
    after = kept_trees.file_contents(root, path, end, names, MAX_BYTES)
    named = _programs_of_checks(folder, loop)
    kinds, texts, searches = [], [], 0
    for name in names:
        old, new = _text(before.get(name)), _text(after.get(name))
        kind = surrounding_kind(name, old, new, named)
        if not kind and searches < MAX_SEARCHES:
            searches += 1
            kind = _kind_by_reference(folder, loop, name, old, named)
        if kind:
            kinds.append((name, kind))
            texts.append((name, old or "", new or ""))
    changed_paths = [name for name, _, _ in rows]
    return Surroundings(tuple(kinds), tuple(texts), _changed_packages(changed_paths, texts))


def _kind_by_reference(
    folder: LoopFolder, loop: Loop, path: str, before: str | None, named: frozenset[str]
) -> str:
    """The kind of a file that only tests and settings of the baseline refer to."""
    trees, word = room_trees(folder, loop), search_word(path)
    words = ("grep", "-l", "-z", "-I", "--word-regexp", "--fixed-strings", "-e", word)
    code, out = ask_user_git(trees.root, *words, trees.baseline)
    users = [os.fsdecode(row).partition(":")[2] for row in out.split(b"\0") if row]
    if code or len(users) > MAX_USERS:
        return ""
    contents = kept_trees.file_contents(
        trees.root, trees.loop_path, trees.baseline, users, MAX_BYTES
    )
    texts = {user: _text(content) or "" for user, content in contents.items()}
    return referenced_kind(path, before, texts, named)


def _programs_of_checks(folder: LoopFolder, loop: Loop) -> frozenset[str]:
    """The files that the checks run at the baseline: by their command, make, npm or a script."""

    trees = room_trees(folder, loop)

    def read_file(path: str) -> str | None:
        contents = kept_trees.file_contents(
            trees.root, trees.loop_path, trees.baseline, (path,), MAX_BYTES
        )
        return _text(contents.get(path))

    commands = [c.check.command for c in room_criteria(loop) if c.check]
    return frozenset(name for command in commands for name in programs_run_by(command, read_file))


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "replace")


def _room_run(
    folder: LoopFolder, loop: Loop, tree: str, end: str, surroundings: Surroundings
) -> RoomRun:
    with open_room(folder, loop, end, _options_of_end(folder, loop, surroundings)) as room:
        runs = run_checks(folder, loop, room)
    save_runs(loop, f"{ROOM_RUN}-{tree}", runs)
    failed = [name for name, run in runs.items() if not run.evidence.passed]
    if failed and loop.room.status != TRUSTED:
        why = f"{', '.join(failed)} fails in a clean checkout, as the start made likely"
        return RoomRun(ROOM_RUN, tree, COULD_NOT_PREPARE, f"{why}: {loop.room.why}")
    if failed and surroundings.packages and not loop.room.allow_new_packages:
        why = (
            f"{surroundings.packages} changed, and packages are installed only with your "
            "permission: loop start --allow-new-deps"
        )
        return RoomRun(ROOM_RUN, tree, COULD_NOT_PREPARE, why)
    baseline = load_runs(loop, BASELINE_REPORTS)
    findings: list[Finding] = []
    for name, run in runs.items():
        at_start = _report_at_start(loop, baseline, name)
        findings += judge.room_findings(name, run, at_start, surroundings.changed_tests)
    return _finished_run(ROOM_RUN, tree, runs, findings)


def _report_at_start(loop: Loop, baseline: CheckRuns, name: str) -> TestReport:
    """The results of single tests at the start; empty where they may still fail at the end."""
    is_frozen = any(c.name == name and c.check and c.check.frozen for c in loop.criteria)
    if is_frozen or name not in baseline:
        return TestReport()
    return baseline[name].report


def _changed_packages(changed_paths: list[str], texts: list[tuple[str, str, str]]) -> str:
    """The manifests and lock files that changed."""
    locks = [name for name in changed_paths if os.path.basename(name) in LOCK_FILES]
    for path, before, after in texts:
        if is_manifest(path) and mixed_manifest(path, before, after) != before:
            locks.append(path)
    return ", ".join(sorted(set(locks)))


def _options_of_end(folder: LoopFolder, loop: Loop, surroundings: Surroundings) -> RoomOptions:
    """The room of the final product, whose new packages the person may have allowed."""
    options = options_of_start(loop)
    if not surroundings.packages:
        return options
    if not loop.room.setup and loop.room.allow_new_packages:
        return options.but(setup=detected_setup(folder.root), packages="")
    return options.but(packages="")


def _replay_run(
    folder: LoopFolder, loop: Loop, tree: str, end: str, surroundings: Surroundings
) -> RoomRun:
    in_room = load_runs(loop, f"{ROOM_RUN}-{tree}") or _replay(folder, loop, end, surroundings, ())
    runs = _replay(folder, loop, end, surroundings, surroundings.paths)
    baseline = load_runs(loop, BASELINE_REPORTS)
    findings: list[Finding] = []
    for name, run in runs.items():
        if run.evidence.passed or name not in in_room:
            continue
        red = _report_at_start(loop, baseline, name).failed_names
        still_red = [test.name for test in run.report.failed if test.name in red]
        suspects = judge.replay_suspects(run, in_room[name], surroundings.changed_tests)
        gone = [test for test in suspects if _is_gone(folder, loop, test)]
        suspects = [test for test in suspects if test not in gone]
        findings += [judge.inapplicable_finding(name, gone)] if gone else []
        if suspects or _refutes_without_names(run, surroundings):
            findings.append(_find_cause(folder, loop, end, surroundings, name, suspects))
        elif still_red or (unshown := judge.unshown_tests(run, red)):
            findings += judge.red_test_findings(name, still_red or unshown)
        elif not run.report.failed:
            findings.append(judge.no_names_finding(name))
    return _finished_run(REPLAY_RUN, tree, runs, findings)


def _refutes_without_names(run: CheckRun, surroundings: Surroundings) -> bool:
    return not run.report.failed and not surroundings.changed_tests.paths


def _is_gone(folder: LoopFolder, loop: Loop, test: FailedTest) -> bool:
    """Does the test fail because an interface that the baseline had is gone?"""
    name = judge.removed_interface(test)
    if not name:
        return False
    words = ("grep", "--quiet", "--word-regexp", "--fixed-strings", "-e", name)
    trees = room_trees(folder, loop)
    code, _ = ask_user_git(trees.root, *words, trees.baseline)
    return code == 0


def _find_cause(
    folder: LoopFolder,
    loop: Loop,
    end: str,
    surroundings: Surroundings,
    name: str,
    suspects: list[FailedTest],
) -> Finding:
    """Which changed surroundings do unchanged tests need? A refutation must also reproduce."""
    grave = surroundings.grave_paths
    others = tuple(path for path in surroundings.paths if path not in grave)
    if not grave:
        return judge.cause_finding(name, False, list(others), suspects)
    with_grave = _replay(folder, loop, end, surroundings, others)[name]
    if _still_fails(with_grave, suspects):
        return judge.cause_finding(name, False, list(others or grave), suspects)
    again = _replay(folder, loop, end, surroundings, surroundings.paths)[name]
    if not _still_fails(again, suspects):
        return judge.flaky_finding(name)
    return judge.cause_finding(name, True, list(grave), suspects)


def _still_fails(run: CheckRun, suspects: list[FailedTest]) -> bool:
    names = {test.name for test in suspects}
    if not names:
        return not run.evidence.passed
    return not names.isdisjoint(run.report.failed_names)


def _replay(
    folder: LoopFolder,
    loop: Loop,
    end: str,
    surroundings: Surroundings,
    restored: tuple[str, ...],
) -> CheckRuns:
    """The checks on the end, with these files as they are at the baseline."""
    with open_room(folder, loop, end, _options_of_end(folder, loop, surroundings)) as room:
        restore_paths(room.path, room_trees(folder, loop).baseline, restored)
        for path, before, after in surroundings.texts:
            if path in restored and is_manifest(path) and before and after:
                _write_text(room.path, path, mixed_manifest(path, before, after))
        return run_checks(folder, loop, room)


def _revert_run(
    folder: LoopFolder, loop: Loop, tree: str, end: str, surroundings: Surroundings
) -> RoomRun:
    baseline = room_trees(folder, loop).baseline
    with open_room(folder, loop, baseline, options_of_start(loop)) as room:
        restore_paths(room.path, end, surroundings.paths)
        for path, before, after in surroundings.texts:
            if is_manifest(path) and before and after:
                _write_text(room.path, path, mixed_manifest(path, after, before))
        runs = run_checks(folder, loop, room, only_red=True)
    could_not_run = _could_not_run_at_start(loop)
    findings: list[Finding] = []
    for name, run in runs.items():
        findings += judge.revert_findings(name, run, name not in could_not_run)
    return _finished_run(REVERT_RUN, tree, runs, findings)


def _finished_run(kind: str, tree: str, runs: CheckRuns, findings: list[Finding]) -> RoomRun:
    grave = [finding for finding in findings if finding.severity == HIGH]
    return RoomRun(
        kind=kind,
        tree=tree,
        outcome=FAILED if grave else PASSED,
        checks=tuple(summarize_run(name, run) for name, run in runs.items()),
        findings=tuple(findings),
    )


def _write_text(room: str, path: str, text: str) -> None:
    with open(os.path.join(room, path), "w", encoding="utf-8") as file:
        file.write(text)
