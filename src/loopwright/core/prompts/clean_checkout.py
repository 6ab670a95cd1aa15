"""Sentences about the clean checkout of the final proof, for people."""

from __future__ import annotations

from ..loop import Loop
from ..proof.clean_checkout import (
    ALLOWED_LATE,
    COULD_NOT_PREPARE,
    FINAL_TREE_RUN,
    NOT_NEEDED,
    PASSED,
    PENDING,
    REPLAY_RUN,
    REVERT_RUN,
    SKIPPED,
    TRUSTED,
    UNTRUSTED,
    RoomRun,
)
from .phrases import clip_text

MAX_REASON, MAX_UNMET = 200, 600
MAX_PACKAGES = 40
RUN_TEXTS = {
    FINAL_TREE_RUN: "in a clean checkout of this tree",
    REPLAY_RUN: "in a clean checkout, with the tests and settings of the start",
    REVERT_RUN: "in a clean checkout, final tests on the product of the start",
}


def clean_checkout_notes(loop: Loop) -> list[str]:
    """For the verdict: what ran in a clean checkout, or why nothing did."""
    runs = [run for run in loop.room.runs if run.tree == loop.tree]
    notes = [note for run in runs if (note := _run_note(run))]
    if not runs and loop.room.why:
        notes.append(f"no clean checkout: {clip_text(loop.room.why, MAX_REASON)}")
    return notes


def _run_note(run: RoomRun) -> str:
    where = RUN_TEXTS[run.kind]
    if run.outcome == NOT_NEEDED or (run.outcome == PASSED and not run.checks):
        return ""  # no command ran
    if run.outcome == SKIPPED:
        why = clip_text(run.why, MAX_REASON)
        return f"not run {where}: {why}. To complete the proof: loop audit --finish"
    if run.outcome == COULD_NOT_PREPARE:
        return f"could not run {where}: {clip_text(run.why, MAX_REASON)}"
    if run.kind == REVERT_RUN:
        failing = [f'"{check.criterion}"' for check in run.checks if not check.passed]
        fail = "fails, as it must" if len(failing) == 1 else "fail, as they must"
        return f"{where}: {', '.join(failing)} {fail}" if failing else ""
    if run.unmet_tests:
        return f"{where}, does not pass: {clip_text('; '.join(run.unmet_tests), MAX_UNMET)}"
    if run.findings or not all(check.passed for check in run.checks):
        return ""
    seconds = sum(check.seconds for check in run.checks)
    more = f", {run.why}" if run.why else ""
    return f"passed {where}{more} ({seconds:.1f} s)"


def packages_question(names: tuple[str, ...]) -> str:
    """Asks before packages of the agent are installed in a clean checkout."""
    rows = "".join(f"\n  - {name}" for name in names[:MAX_PACKAGES])
    more = len(names) - MAX_PACKAGES
    rows += f"\n  and {more} more" if more > 0 else ""
    return (
        f"The agent added packages, and the checks fail in a clean checkout without them:{rows}\n"
        "Their install scripts run as you. Without them the result is at best proven in place. "
        "Install them?"
    )


def start_note(loop: Loop) -> str:
    """For the person before the start: where the final proof will run."""
    checkout = loop.room
    if checkout.status == TRUSTED:
        setup = f" after `{checkout.setup}`" if checkout.setup else ""
        return f"Final proof: in a clean checkout{setup}, where the checks give the same results."
    if checkout.status == PENDING:
        return (
            "Final proof: in a clean checkout, which is being tried now. "
            "If it cannot be used, the next stop says so."
        )
    if not checkout.status:
        return ""
    if checkout.why == ALLOWED_LATE and loop.waiting_checks and not loop.settings.unproven:
        return (
            "Final proof: in a clean checkout, which is tried when you allow the checks, "
            "if the files are still as they are now."
        )
    reason = clip_text(checkout.why, MAX_REASON)
    if checkout.status == UNTRUSTED:
        return (
            f"The checks give other results in a clean checkout ({reason}). "
            "The best grade is then proven in place. What the checks need: "
            "loop start --setup COMMAND --include PATH"
        )
    return f"No clean checkout: {reason}. The best grade is then proven in place."


def calibration_message(loop: Loop) -> str:
    """For the person in a session, once, when a clean checkout cannot be used."""
    if loop.room.status == TRUSTED:
        return ""
    return f"[LOOP] {start_note(loop)}"
