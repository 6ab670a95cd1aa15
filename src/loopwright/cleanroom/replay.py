"""The replay: the checks on the final product, with the tests and settings of the start."""

from __future__ import annotations

from functools import lru_cache

from .. import lazy_re as re
from ..checks.file_questions import asks_for_absence
from ..checks.named_files import asks_to_remove, only_adds_what_spec_names, path_words
from ..core.findings import LOW, Finding
from ..core.loop import Loop
from ..core.proof.clean_checkout import FINAL_TREE_RUN, REPLAY_RUN, RoomRun
from ..repo.plumbing import ask_user_git
from ..verify.test_report import FailedTest
from ..verify.unrunnable import could_not_run
from . import findings as judge
from .checkout import BASELINE_REPORTS, MAX_NAMED_TESTS, CheckRuns, load_runs
from .final_run import FinalRun, finished_run, replay, report_at_start
from .findings import CheckRun
from .moved_tests import fails_only_in, moved_test_files
from .surroundings import Surroundings
from .test_names import ChangedTests, belongs_to_changed
from .tests_of_start import unmet_tests
from .time_limits import seconds_of_a_run
from .trees import room_trees

GO_BUILD_FAILED = re.compile(r"(?m)^(?:FAIL\t\S+ \[build failed\]|vet: )")
WITH_COMMITTED = "also with the tests and settings of the last commit before the start"


def run_replay(final_run: FinalRun) -> RoomRun:
    loop, changes, committed = final_run.loop, final_run.changes, final_run.committed
    in_room = load_runs(loop, f"{FINAL_TREE_RUN}-{final_run.tree}") or replay(final_run, ())
    paths = changes.replayed_paths
    runs = _replay_start(final_run, paths) if paths else in_room
    # The tests of the start have the name that is to be nowhere now.
    runs |= {name: run for name, run in in_room.items() if _asks_for_absence(loop, name)}
    changed_calls = _changed_private_calls(runs) if paths else frozenset()
    if changed_calls:
        final_run.time_limit.require(seconds_of_a_run(loop), 1)
        runs = replay(final_run, paths, changed_calls=changed_calls)
    runs_committed = replay(final_run, paths, committed) if committed.layers else {}
    findings: list[Finding] = []
    for name, run in runs.items():
        if name in in_room and not run.evidence.passed and not _has_no_tests_yet(loop, name, run):
            findings += _failure_findings(final_run, name, run, in_room[name])
    if not changes.has_product:  # then it is the tree of the start, where the check fails anyway
        findings = [each for each in findings if each.rule != judge.FAILS_WITH_TESTS_OF_START]
    findings += map(judge.unmixed_finding, changes.unmixed_paths)
    if changed_calls:
        findings.append(judge.changed_calls_finding(changes.former_tests, changed_calls))
    for name, run in runs_committed.items():
        if name in runs:
            findings += _committed_findings(final_run, name, run, runs[name])
    baseline = load_runs(loop, BASELINE_REPORTS)
    unmet = [
        test
        for name, run in runs.items()
        for test in unmet_tests(
            run, report_at_start(loop, baseline, name), _replaced_on_request(final_run, run)
        )
    ]
    return finished_run(
        REPLAY_RUN, final_run.tree, runs if paths else runs_committed, findings
    ).but(
        why=WITH_COMMITTED if _all_pass(runs_committed) else "",
        settled=(
            *(() if changed_calls else _settled_files(final_run, runs, runs_committed)),
            *_settled_checks(loop, runs),
        ),
        unmet_tests=tuple(unmet[:MAX_NAMED_TESTS]),
    )


def _replay_start(final_run: FinalRun, paths: tuple[str, ...]) -> CheckRuns:
    """The checks with everything around the product as it was at the start.

    A formatter may object to a file that was mixed from two versions: it runs again without it.
    """
    runs = replay(final_run, paths)
    whole = tuple(path for path in paths if path not in dict(final_run.changes.inner_texts))
    failed = [name for name, run in runs.items() if not run.evidence.passed]
    if not failed:
        return runs
    without_tests = [name for name in failed if _is_without_tests(final_run.loop, name)]
    if without_tests and whole != paths:
        final_run.time_limit.require(seconds_of_a_run(final_run.loop), 1)
        again = replay(final_run, whole)
        runs |= {name: again[name] for name in without_tests}
    commands = [c.check.command_line for c in final_run.loop.criteria if c.check]
    runs_all_of_go = any("./..." in command for command in commands)
    deleted = _deleted_on_request(final_run, runs)
    moved = moved_test_files(final_run)
    deleted |= moved if runs_all_of_go else set()
    unnamed = [name for name in failed if not runs[name].report.failed]
    misplaced = [name for name in failed if fails_only_in(moved, final_run, runs[name])]
    # A search for what was to be removed finds it in its tests. A test that was moved compiles or
    # loads in its new place alone; if it does not run there, its name is missing.
    for names, left_out in ((unnamed, deleted), (misplaced, moved)):
        if names and left_out:
            final_run.time_limit.require(seconds_of_a_run(final_run.loop), 1)
            again = replay(final_run, tuple(path for path in paths if path not in left_out))
            runs |= {name: again[name] for name in names}
    return runs


def _changed_private_calls(runs: CheckRuns) -> frozenset[str]:
    """Private functions of Go whose new form keeps tests of the start from compiling.

    Nobody but the project calls them. What their tests expect is compared as text.
    """
    unnamed = [run for run in runs.values() if not run.evidence.passed and not run.report.failed]
    names = {name for run in unnamed for name in judge.removed_interfaces(run.evidence.detail)}
    is_of_go = all(GO_BUILD_FAILED.search(run.evidence.detail) for run in unnamed)
    is_private = all(name[0].islower() for name in names)
    return frozenset(names) if is_of_go and is_private else frozenset()


def _deleted_on_request(final_run: FinalRun, runs: CheckRuns) -> set[str]:
    """Deleted test files that only fail for an interface which the spec asks to remove."""
    failed = [test for run in runs.values() for test in run.report.failed]
    rows = [(path, before) for path, before, after in final_run.changes.texts if not after]
    deleted = set()
    for path, before in rows:
        of_file = ChangedTests((path,), before)
        own = [test for test in failed if belongs_to_changed(test, of_file)]
        if own and all(_is_gone_on_request(final_run, test) for test in own):
            deleted.add(path)
    return deleted


def _is_without_tests(loop: Loop, name: str) -> bool:
    """Did the check pass at the start, without the name of a test?"""
    report = report_at_start(loop, load_runs(loop, BASELINE_REPORTS), name)
    is_guard = any(c.name == name and c.guard for c in loop.criteria)
    return is_guard and not report.passed and not report.failed


def _asks_for_absence(loop: Loop, name: str) -> bool:
    commands = (c.check.command for c in loop.criteria if c.name == name and c.check)
    return any(isinstance(line, str) and asks_for_absence(line) for line in commands)


def _has_no_tests_yet(loop: Loop, name: str, run: CheckRun) -> bool:
    """Could the check not run at the start, and can it not run with the files of the start?"""
    was_unable = any(c.name == name and c.could_not_run for c in loop.criteria)
    return was_unable and could_not_run(run.evidence, run.report)


def _failure_findings(
    final_run: FinalRun, name: str, run: CheckRun, in_room: CheckRun
) -> list[Finding]:
    """What it says that a check fails with the tests and settings of the start."""
    loop, changes = final_run.loop, final_run.changes
    at_start = report_at_start(loop, load_runs(loop, BASELINE_REPORTS), name)
    red = at_start.failed_names
    requested = [test for test in run.report.failed if _is_gone_on_request(final_run, test)]
    failed = [test for test in run.report.failed if test not in requested]
    still_red = [test.name for test in failed if test.name in red]
    unshown = judge.unshown_tests(run, at_start) if failed or not requested else []
    suspects = judge.replay_suspects(run, in_room, changes.changed_tests)
    gone = [test for test in suspects if _is_gone(final_run, test)]
    suspects = [test for test in suspects if test not in gone]
    gone += [test for test in requested if test not in gone]
    findings = [judge.inapplicable_finding(name, gone)] if gone else []
    if suspects or _refutes_without_names(run, changes):
        findings.append(_find_cause(final_run, name, suspects))
    elif still_red or unshown:
        findings += judge.red_test_findings(name, still_red or unshown)
    elif not run.report.failed:
        is_requested = _is_unloaded_on_request(final_run, run)
        findings.append((judge.unloaded_finding if is_requested else judge.no_names_finding)(name))
    return findings


def _committed_findings(
    final_run: FinalRun, name: str, run: CheckRun, at_start: CheckRun
) -> list[Finding]:
    """Does a check fail only with tests or settings as the last commit before the start has them?

    That is a question: people edit what they expect before they start.
    """
    if run.evidence.passed or not at_start.evidence.passed:
        return []
    has_mixed = any(layer.has_inner_tests for layer in final_run.committed.layers)
    if has_mixed and _is_without_tests(final_run.loop, name):
        return []
    failed = [test for test in run.report.failed if not _is_gone_on_request(final_run, test)]
    says_nothing = not failed if run.report.failed else could_not_run(run.evidence, run.report)
    if says_nothing:
        return []
    paths, names = list(final_run.committed.paths), [test.name for test in failed]
    return [judge.committed_finding(name, paths, names)]


def _settled_files(
    final_run: FinalRun, runs: CheckRuns, runs_committed: CheckRuns
) -> tuple[str, ...]:
    """The changed files around the product with whose former versions the checks pass too."""
    loop, changes, committed = final_run.loop, final_run.changes, final_run.committed
    # A test that a check runs as a program has no names: the whole check tells how it ends.
    tests = {p: text for p, text in changes.former_tests.items() if p not in changes.scripts}
    committed_tests = dict(committed.tests)
    at_start = [run.report for run in load_runs(loop, BASELINE_REPORTS).values()]
    passed = {*judge.settled_tests(list(runs.values()), tests, at_start)}
    passed_committed = {*judge.settled_tests(list(runs_committed.values()), committed_tests, [])}
    unsettled = ({*tests} - passed) | ({*committed_tests} - passed_committed)
    unsettled |= {*changes.unmixed_paths}
    # With the scripts and helpers of the start the checks pass too, so nothing depends on what
    # is new in them.
    scripts = (*changes.scripts, *changes.helpers) if _all_pass(runs) else ()
    if _all_pass(runs_committed):
        scripts = (*scripts, *committed.paths)
    else:
        unsettled |= {*committed.paths}
    files = dict.fromkeys((*tests, *committed_tests, *scripts))
    return tuple(path for path in files if path not in unsettled)


def _all_pass(runs: CheckRuns) -> bool:
    return bool(runs) and all(run.evidence.passed for run in runs.values())


def _settled_checks(loop: Loop, runs: CheckRuns) -> tuple[str, ...]:
    """The checks that pass with the tests of the start, all of which ran: by name, or as many."""
    counts = {c.name: dict(c.baseline_counts).get("tests") for c in loop.criteria}
    baseline = load_runs(loop, BASELINE_REPORTS)

    def is_settled(name: str, run: CheckRun) -> bool:
        if not run.evidence.passed:
            return False
        expected, count = counts.get(name), dict(run.evidence.counts).get("tests", 0.0)
        if expected is not None:
            return count >= expected
        at_start = report_at_start(loop, baseline, name)
        is_named = at_start.is_complete and run.report.is_complete
        return is_named and not unmet_tests(run, at_start)

    return tuple(name for name, run in runs.items() if is_settled(name, run))


def _refutes_without_names(run: CheckRun, changes: Surroundings) -> bool:
    return not run.report.failed and not changes.changed_tests.paths


def _is_gone(final_run: FinalRun, test: FailedTest) -> bool:
    """Does the test fail because an interface that the baseline had is gone?"""
    name = judge.removed_interface(test.message)
    trees = room_trees(final_run.folder, final_run.loop)
    return bool(name) and _is_word_of(trees.root, trees.baseline, name)


@lru_cache(maxsize=64)  # many tests fail for the same name
def _is_word_of(root: str, commit: str, word: str) -> bool:
    options = ("--quiet", "--word-regexp", "--fixed-strings", "-e", word)
    code, _ = ask_user_git(root, "grep", *options, commit)
    return code == 0


def _is_gone_on_request(final_run: FinalRun, test: FailedTest) -> bool:
    """Does the test fail because of an interface that the spec asks to rename or to remove?"""
    name = judge.removed_interface(test.message)
    return bool(name) and asks_to_remove(name, final_run.loop.spec) and _is_gone(final_run, test)


def _is_unloaded_on_request(final_run: FinalRun, run: CheckRun) -> bool:
    """Do the tests of the start not compile, and only for what the spec asks for?

    That is a name that it asks to replace, or a type that it names in whole.
    """
    if judge.fails_for_types_of(final_run.loop.spec, run.evidence.detail):
        return True
    names = judge.removed_interfaces(run.evidence.detail)
    spec, trees = final_run.loop.spec, room_trees(final_run.folder, final_run.loop)
    return bool(names) and all(
        asks_to_remove(name, spec) and _is_word_of(trees.root, trees.baseline, name)
        for name in names
    )


def _replaced_on_request(final_run: FinalRun, run: CheckRun) -> set[str]:
    """Tests that fail because they ask for an interface or a value that the spec replaces."""
    return {
        test.name
        for test in run.report.failed
        if _is_gone_on_request(final_run, test) or _expects_value_of_spec(final_run, test)
    }


def _expects_value_of_spec(final_run: FinalRun, test: FailedTest) -> bool:
    """Does all that the comparison says of its file ask for values that the spec states?

    If it says nothing, they may expect more than before: what the spec names.
    """
    findings, spec = final_run.loop.baseline.findings, final_run.loop.spec
    for path, before, after in final_run.changes.texts:
        if belongs_to_changed(test, ChangedTests((path,), before)):
            found = [each for each in findings if each.file == path]
            if not found:
                return only_adds_what_spec_names(before, after, spec)
            return all(
                (each.rule, each.severity) == ("expected-value-changed", LOW) for each in found
            )
    return False


def _find_cause(final_run: FinalRun, name: str, suspects: list[FailedTest]) -> Finding:
    """Which changed surroundings do unchanged tests need? A refutation must also reproduce."""
    changes = final_run.changes
    grave = changes.grave_paths
    others = tuple(path for path in changes.replayed_paths if path not in grave)
    if not grave:
        return judge.cause_finding(name, False, list(others), suspects)
    final_run.time_limit.require(seconds_of_a_run(final_run.loop), 2)
    with_grave = replay(final_run, others)[name]
    if _still_fails(with_grave, suspects):
        return judge.cause_finding(name, False, list(others or grave), suspects)
    again = replay(final_run, changes.replayed_paths)[name]
    if not _still_fails(again, suspects):
        return judge.flaky_finding(name)
    named = tuple(path for path in grave if path in changes.deciding)
    unnamed = tuple(path for path in changes.replayed_paths if path not in named)
    if named and unnamed:
        final_run.time_limit.require(seconds_of_a_run(final_run.loop), 1)
    if named and not (unnamed and _still_fails(replay(final_run, unnamed)[name], suspects)):
        found = judge.named_cause_finding(name, list(named), suspects)
        return found.but(severity=LOW) if _is_read_by(final_run, name, named) else found
    return judge.cause_finding(name, True, [path for path in grave if path not in named], suspects)


def _is_read_by(final_run: FinalRun, name: str, settings: tuple[str, ...]) -> bool:
    """Does the command itself look into these settings, which the spec names?

    It cannot pass without them: that is the revert test, where red is the right answer. What
    became looser in them has findings of its own.
    """
    loop = final_run.loop
    commands = [c.check.command_line for c in loop.criteria if c.name == name and c.check]
    words = path_words("\n".join(commands)) & path_words(loop.spec)
    return all(path in words for path in settings)


def _still_fails(run: CheckRun, suspects: list[FailedTest]) -> bool:
    names = {test.name for test in suspects}
    if not names:
        return not run.evidence.passed
    return not names.isdisjoint(run.report.failed_names)
