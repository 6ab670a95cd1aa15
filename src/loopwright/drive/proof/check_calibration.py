"""At the start each check runs in its sandbox; what passes only outside is named and asked about.

A check that passes inside needs no second run. One that fails inside runs outside too, and then
inside with the network, so that the person hears what exactly it needs. Of pytest, only the tests
that failed run outside first: if they fail there too, the others would say nothing new.
"""

from __future__ import annotations

from ...cleanroom.findings import CheckRun
from ...core.criteria import NETWORK, OUTSIDE, Check
from ...core.loop import Gate, Loop
from ...core.policies.permission import ALLOW
from ...core.prompts.questions import allow_question
from ...store import trust
from ...store.folder import LoopFolder
from ...verify.counts import failing_tests
from ...verify.runner import check_environment, run_with_report
from ...verify.test_report import PYTEST_REPORT
from ...verify.unrunnable import could_not_run
from .check_box import check_launcher

ONLY_FAILED = "--last-failed --last-failed-no-failures none"  # for pytest


def run_calibrated(
    check: Check, name: str, loop: Loop, folder: LoopFolder, tree: str, permit: bool
) -> tuple[Check, CheckRun]:
    """The check with what it needs beyond its sandbox, and its result.

    `permit`: the person has agreed beforehand that checks may run outside.
    """
    inside = _run(check, name, loop, folder, tree)
    if not loop.check_box.backend or inside.evidence.passed:
        return check, inside
    unboxed = check.but(box=OUTSIDE)
    if inside.report.source == PYTEST_REPORT and inside.report.failed:
        failed_again = _run(unboxed, name, loop, folder, tree, ONLY_FAILED)
        if not _passes_more(failed_again, inside):
            return check, inside
    outside = _run(unboxed, name, loop, folder, tree)
    if not _passes_more(outside, inside):
        return check, inside
    with_network = _run(check.but(box=NETWORK), name, loop, folder, tree)
    needs_more = _passes_more(outside, with_network)
    run = outside if needs_more else with_network
    check = check.but(box=OUTSIDE if needs_more else NETWORK)
    return check.but(allowed=permit or trust.is_allowed_outside(folder, check)), run


def _run(
    check: Check, name: str, loop: Loop, folder: LoopFolder, tree: str, options: str = ""
) -> CheckRun:
    """A run of the check; `options` are further ones for pytest."""
    environment = check_environment(loop.settings.pass_env)
    if options:
        options = f"{environment.get('PYTEST_ADDOPTS', '')} {options}".strip()
        environment = {**environment, "PYTEST_ADDOPTS": options}
    launcher = check_launcher(folder, loop, check, folder.root)
    return CheckRun(
        *run_with_report(
            check, name, tree, folder.root, folder.path, environment, launcher=launcher
        )
    )


def _passes_more(outside: CheckRun, inside: CheckRun) -> bool:
    """Does something pass outside that fails inside: the check, or a test of it?"""
    if outside.evidence.passed or inside.evidence.passed:
        return not inside.evidence.passed
    if could_not_run(inside.evidence, inside.report):  # its program may lie where nothing is shown
        return not could_not_run(outside.evidence, outside.report)
    names_outside, names_inside = _failing_names(outside), _failing_names(inside)
    if names_outside or names_inside:
        return bool(names_inside - names_outside)
    return inside.evidence.code != outside.evidence.code


def _failing_names(run: CheckRun) -> set[str]:
    return {*run.report.failed_names, *failing_tests(run.evidence.detail)}


def ask_about_outside(loop: Loop) -> Loop:
    """The loop with a question, if a check passes only outside and the person has not agreed."""
    waiting = tuple(c for c in loop.waiting_checks if c.check and c.check.box)
    if not waiting or loop.gate or loop.settings.unproven:
        return loop
    names, in_session = tuple(c.name for c in waiting), bool(loop.lease.pid)
    gate = Gate(ALLOW, allow_question(waiting), names, unseen=in_session)
    return loop.but(gate=gate, status="asking", clock=loop.clock.but(running_since=0.0))
