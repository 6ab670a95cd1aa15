"""Runs a check in its sandbox. A loop without one does not pay for the import."""

from __future__ import annotations

from ...core.criteria import Check, Evidence
from ...core.loop import Loop
from ...core.prompts.messages import boxed_check_note
from ...store.folder import LoopFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...cleanroom.findings import CheckRun
    from ...verify.runner import Launcher


# How programs report what a sandbox keeps from them.
SIGNS = (
    *("Network is unreachable", "Temporary failure in name resolution", "Connection refused"),
    *("Name or service not known", "ECONNREFUSED", "EAI_AGAIN", "ENETUNREACH", "ENOTFOUND"),
    *("Read-only file system", "EROFS", "Invalid cross-device link", "EXDEV"),
)


def explain_sandbox(evidence: Evidence) -> Evidence:
    """The evidence of a check in a sandbox; if that may be why it fails, its output says so."""
    if evidence.passed or not any(sign in evidence.detail for sign in SIGNS):
        return evidence
    return evidence.but(detail=evidence.detail + boxed_check_note(evidence.criterion))


def run_check_in_place(
    folder: LoopFolder, loop: Loop, check: Check, criterion: str, tree: str
) -> Evidence:
    """Run the check in the project itself, in the sandbox of checks if the loop has one."""
    from ...cleanroom.findings import CheckRun
    from ...verify.runner import check_environment, run_with_report

    root = folder.root
    environment = check_environment(loop.settings.pass_env)
    launcher = check_launcher(folder, loop, check, root)
    run = CheckRun(
        *run_with_report(check, criterion, tree, root, folder.path, environment, launcher=launcher)
    )
    evidence = compare_with_start(loop, run)
    return explain_sandbox(evidence) if launcher else evidence


def compare_with_start(loop: Loop, run: CheckRun) -> Evidence:
    """The evidence of a run, with what the names of its skipped tests say beside the start."""
    if not run.report.skipped:
        return run.evidence
    from ...cleanroom.checkout import BASELINE_REPORTS, load_runs
    from ...cleanroom.tests_of_start import compare_skipped_tests

    start = load_runs(loop, BASELINE_REPORTS).get(run.evidence.criterion)
    return compare_skipped_tests(start, run) if start else run.evidence


def check_launcher(folder: LoopFolder, loop: Loop, check: Check, root: str) -> Launcher | None:
    """What starts this check, in the checkout at `root`; None: it runs outside."""
    if not loop.check_box.backend:
        return None
    from ...store import chosen_sandbox

    return chosen_sandbox.check_launcher(loop, check, root, folder.path)
