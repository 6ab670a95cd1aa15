"""Compares the final files with the baseline: what became easier to prove since the start?"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from functools import partial

from ... import lazy_re as re
from ... import ratchet
from ...checks.named_files import (
    NamedFiles,
    asks_to_remove,
    asks_to_remove_file,
    asks_to_remove_tests,
    has_text_of_spec,
    is_value_of_spec,
    lower_finding,
)
from ...checks.reach import reach_on_disk
from ...checks.surroundings import surrounding_kind
from ...cleanroom.checkout import load_loaded_files
from ...cleanroom.runner_plugins import new_node_packages
from ...cleanroom.trees import END_REF
from ...core.criteria import Criterion
from ...core.directives import CompareWithBaseline
from ...core.findings import HIGH, LOW, MEDIUM, Finding
from ...core.loop import Loop
from ...core.proof.tool_counts import ExplainedTests
from ...core.signals import BaselineComparison
from ...disk.files import read_text
from ...ratchet import is_relevant
from ...ratchet.surrounding_rules import documents, machine
from ...ratchet.surrounding_rules.baseline import find_uncompared
from ...ratchet.surrounding_rules.git_state import find_changed_refs, find_left_files
from ...ratchet.test_rules.changed_tests import count_lost_tests, count_new_skips
from ...ratchet.test_rules.removed_code import WAS_REMOVED
from ...repo import kept_trees, write_race
from ...repo.baseline import MAX_BYTES, Change, compare_with_baseline
from ...repo.diff_sizes import diff_sizes
from ...repo.git import commit_at, join_names
from ...repo.tree import reread_tree
from ...repo.user_repo import tracked_files
from ...repo.walk import is_excluded
from ...store.folder import LoopFolder
from ...store.machine_faults import require_writable
from ...store.state_folder import room_store
from ...verify import git_state, ignored_files, outside_state, tools


def run_comparison(
    folder: LoopFolder, wanted: CompareWithBaseline, loop: Loop
) -> BaselineComparison:
    """Hash the tree from its content and find what was written, weakened or replaced."""
    root, path, volatile = folder.root, folder.path, loop.settings.volatile_globs
    reading = reread_tree(root, path, volatile)
    now, tree = time.time(), reading.tree
    if reading.problem:
        return BaselineComparison(
            at=now,
            round=wanted.round,
            fence=wanted.fence,
            tree=wanted.tree,
            tree_problem=reading.problem,
        )
    ran_at = _check_times(loop, wanted.tree)
    written = write_race.files_written_since(
        root, path, volatile, min(ran_at.values(), default=now)
    )
    last_write = max((moment for moment, _ in written), default=float("-inf"))
    raced = [
        name
        for name, at in ran_at.items()
        if at > now or last_write > at - write_race.CLOCK_MARGIN_SECONDS
    ]
    commit = kept_trees.keep_tree(root, path, tree, kept_trees.kept_tree_ref(loop.id, END_REF))
    if not commit:
        require_writable(folder, loop)
    findings, explained = _weakening_findings(folder, loop, tree)
    return BaselineComparison(
        at=now,
        round=wanted.round,
        fence=wanted.fence,
        tree=tree,
        findings=findings,
        explained_tests=explained,
        raced_checks=tuple(raced),
        written_files=join_names(name for _, name in written),
        kept_commit=commit,
        change=_change_since_start(folder, loop, tree) if commit else "",
    )


def _change_since_start(folder: LoopFolder, loop: Loop, tree: str) -> str:
    """What a person has to look at: the changed files, and how many lines are new and gone."""
    pair = (
        kept_trees.git_tree_name(loop.baseline.start_tree),
        kept_trees.git_tree_name(tree),
    )
    files, added, removed = diff_sizes(folder.root, folder.path, [pair]).get(pair, ((), 0, 0))
    return f"{join_names(files)}, +{added} −{removed} lines" if files else "nothing"


def _check_times(loop: Loop, tree: str) -> dict[str, float]:
    """When each criterion was proven on this tree by a command that we ran in this checkout."""
    times = {}
    for c in (*loop.criteria, *loop.must_not, *loop.final_checks, *loop.unrequired_checks):
        if c.runs_command and c.proof and c.proof.is_run_on(tree) and not c.proof.elsewhere:
            times[c.name] = c.proof.at
    return times


def _weakening_findings(
    folder: LoopFolder, loop: Loop, tree: str
) -> tuple[tuple[Finding, ...], ExplainedTests]:
    """What was weakened since the baseline, and which tests are fewer for a known reason."""
    baseline, root, explained = loop.baseline, folder.root, ExplainedTests()
    since = loop.clock.started_at
    commands = check_commands(loop.criteria)
    texts = git_state.texts_of_checks(root, commands)
    findings = _findings_on_machine(folder, loop, texts)
    findings += baseline.start_findings
    # Whatever passes now was not there to fail at the start. This is about a criterion, as the
    # other finding that is made here is about the loop; those about files are made by the ratchet.
    unrunnable = [c.name for c in loop.criteria if c.could_not_run]
    findings += [Finding(MEDIUM, "only-new-tests", name) for name in unrunnable]
    if baseline.tree_id:
        compared = compare_with_baseline(
            root, folder.path, baseline.tree_id, tree, baseline.protected_paths, is_relevant
        )
        changes = compared.changes
        may_change = loop.room.may_change
        red = check_commands(tuple(c for c in loop.criteria if not c.guard))
        weakened = ratchet.findings(
            changes,
            commands,
            file_reader(root),
            red,
            lambda: write_race.tree_paths(root, folder.path, ()),
        )
        reach = reach_on_disk(commands, root)
        installed = ignored_files.installed_modules(root, reach)
        findings += machine.find_hidden_packages(changes, installed, reach.folders)
        look = partial(outside_state.new_things, root, since)
        weakened += machine.find_needs_outside(changes, look)
        named = NamedFiles(
            loop.spec,
            commands,
            frozenset(reach.scripts),
            lambda: tracked_files(root, baseline.tree_id),
        )
        weakened += documents.find_emptied(changes, named.in_spec | named.in_commands, loop.spec)
        weakened += documents.find_only_searched([*map(command_text, red)], loop.spec)
        weakened = [f for f in weakened if not is_excluded(f.file, may_change)]
        texts_of = {c.path: (c.before, c.after) for c in changes}
        gone = [c for c in changes if c.after is None and asks_to_remove_file(c.path, loop.spec)]
        on_request = partial(is_removed_on_request, spec=loop.spec, gone=gone)
        weakened = [_weigh_finding(f, texts_of, named, loop.spec) for f in weakened]
        weakened = [f.but(severity=LOW) if on_request(f) else f for f in weakened]
        requested = {f.file for f in weakened if on_request(f)}
        weakened = _lower_deleted_files(weakened, changes, requested)
        allowed = [c for c in changes if is_excluded(c.path, may_change) or c.path in requested]
        others = [c for c in changes if c not in allowed]
        # Tests that are missing without a good reason explain nothing.
        is_grave = any(finding.severity == HIGH for finding in weakened)
        explained = ExplainedTests(
            by_changes=0 if is_grave else count_lost_tests(others),
            by_permission=count_lost_tests(allowed),
            new_skips=count_new_skips(changes),
        )
        findings += find_uncompared(compared, baseline.tree_id)
        findings += [*find_left_files(compared.left, texts), *weakened]
    elif baseline.protected_paths:
        paths = ", ".join(baseline.protected_paths)
        findings.append(Finding(HIGH, "baseline-not-kept", paths))
    return tuple(findings), explained


def _lower_deleted_files(
    findings: list[Finding], changes: Sequence[Change], requested: set[str]
) -> list[Finding]:
    """Nothing else counts in a deleted file if the spec asks to remove what all its tests test."""
    others = {f.file for f in findings if f.rule == "test-deleted" and f.severity != LOW}
    deleted = {c.path for c in changes if c.after is None} & requested - others
    return [f.but(severity=LOW) if f.file in deleted else f for f in findings]


def is_removed_on_request(finding: Finding, spec: str, gone: Sequence[Change]) -> bool:
    """Is it a test whose subject the spec asks to remove, and which is gone from the product?

    `gone` are the files that the spec asks to remove, with all that they had.
    """
    removed = finding.after.removesuffix(WAS_REMOVED)
    if finding.rule != "test-deleted" or removed == finding.after:
        return False
    was_there = re.compile(rf"\b{re.escape(removed)}\b").search
    is_in_file = any(was_there(change.before or "") for change in gone)
    return is_in_file or asks_to_remove(removed, spec, with_tests=True)


def _weigh_finding(
    finding: Finding,
    texts: dict[str, tuple[str | None, str | None]],
    named: NamedFiles,
    spec: str,
) -> Finding:
    """The finding, lower if the spec names its file or asks for the new value."""
    is_value = finding.rule == "expected-value-changed"
    line = _line_of(finding, texts)
    asks_value = is_value_of_spec(finding.before, finding.after, spec)
    if is_value and (asks_value or has_text_of_spec(line, spec)):
        return finding.but(severity=LOW)
    if finding.rule == "test-deleted" and asks_to_remove_tests(spec):
        return finding.but(severity=MEDIUM)
    if finding.file not in texts:
        return finding
    kind = surrounding_kind(finding.file, *texts[finding.file], named.programs)
    return lower_finding(finding, named.role(finding.file, kind), spec)


def _line_of(finding: Finding, texts: dict[str, tuple[str | None, str | None]]) -> str:
    """The whole line of a finding, as the file has it now."""
    rows = (texts.get(finding.file, (None, None))[1] or "").split("\n")
    return rows[finding.line - 1] if 0 < finding.line <= len(rows) else ""


def _findings_on_machine(folder: LoopFolder, loop: Loop, texts: list[str]) -> list[Finding]:
    """What changed outside the files of the project since the start; `texts` are the checks."""
    baseline, root, since = loop.baseline, folder.root, loop.clock.started_at
    commands = check_commands(loop.criteria)
    programs = tools.programs_now(baseline.tools, root, since)
    findings = machine.find_replaced_programs(programs)
    loaded = ignored_files.loaded_files(root, commands, since)
    findings += machine.find_loaded_files(loaded, load_loaded_files(loop))
    if baseline.git_refs:
        refs = git_state.refs_now(root, baseline.git_refs)
        findings += find_changed_refs(baseline.git_refs, refs, texts)
    new_packages = new_node_packages(root, room_store(loop, "files"))
    return findings + machine.find_node_plugins(new_packages)


def check_commands(criteria: tuple[Criterion, ...]) -> tuple[str | tuple[str, ...], ...]:
    return tuple(c.check.command for c in criteria if c.check and not c.check.probe)


def command_text(command: str | tuple[str, ...]) -> str:
    return command if isinstance(command, str) else " ".join(command)


def file_reader(root: str) -> Callable[[str], str | None]:
    """Reads a file of the project; None where there is none."""

    def read_file(path: str) -> str | None:
        full = os.path.join(root, path)
        if path.startswith(("/", "..")) or not os.path.isfile(full):
            return None
        return read_text(full, MAX_BYTES)

    return read_file


def weakened_before_start(
    folder: LoopFolder, tree: str, criteria: tuple[Criterion, ...], packages: tuple[str, ...]
) -> tuple[Finding, ...]:
    """What uncommitted changes made easier to prove before the loop began: for a person.

    `packages` are folders that an installer filled, with or without a line in .gitignore.
    """
    commit = commit_at(folder.root)
    if not commit:
        return ()

    def is_own(path: str) -> bool:
        return is_relevant(path) and not path.startswith(packages)

    changes = compare_with_baseline(folder.root, folder.path, commit, tree, (), is_own).changes
    found = ratchet.findings(changes, check_commands(criteria), file_reader(folder.root))
    return tuple(f.but(severity=MEDIUM) for f in found if f.severity in (HIGH, MEDIUM))
