"""One check, run as the start runs it: its result is the start of its criterion."""

from __future__ import annotations

from ...checks.named_files import path_words
from ...checks.test_files import are_tests_of
from ...cleanroom.checkout import CheckRuns
from ...cleanroom.findings import CheckRun
from ...core.criteria import Criterion, Evidence
from ...core.loop import Loop
from ...core.plan.plan import E2E
from ...core.proof.tool_counts import tolerate_known_failures
from ...disk.files import open_at_once
from ...store.folder import LoopFolder
from ...verify.counts import failing_tests
from ...verify.unrunnable import could_not_run
from ..errors import UserError
from .check_calibration import run_calibrated


def measure_criterion(
    c: Criterion,
    loop: Loop,
    folder: LoopFolder,
    tree: str,
    runs: CheckRuns,
    freeze: bool = False,
    permit_outside: bool = False,
) -> Criterion:
    """The criterion with the result of its check at the start, which is added to `runs`."""
    if c.proof or not c.check or not c.check.allowed or c.check.probe or c.name == E2E:
        return c
    check, run = run_calibrated(c.check, c.name, loop, folder, tree, permit_outside)
    c, proof, report = c.but(check=check), run.evidence, run.report
    if freeze and not proof.passed:
        frozen = _failing_tests(folder, c.name, proof)
        proof = tolerate_known_failures(proof.but(failing=frozen), frozen)
        c = c.but(check=check.but(frozen=frozen))
    runs[c.name] = CheckRun(proof, report)
    return c.but(
        proof=proof,
        guard=proof.passed,
        baseline_counts=proof.counts,
        could_not_run=could_not_run(proof, report, folder.root),
        of_work=are_tests_of([(t.name, t.file) for t in report.failed], path_words(loop.spec)),
    )


def _failing_tests(folder: LoopFolder, name: str, proof: Evidence) -> tuple[str, ...]:
    """The tests that fail now, by their names."""
    with open(
        folder.path_of(proof.log), encoding="utf-8", errors="replace", opener=open_at_once
    ) as file:
        names = failing_tests(file.read())
    if not names:
        raise UserError(
            f"--no-worse-than-baseline: {name} fails, and its output names no test that does "
            "(pytest, unittest, jest, vitest, go -v, cargo and TAP are understood). "
            "Leave the flag out, or let the tool name them"
        )
    return names
