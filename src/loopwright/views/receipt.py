"""The receipt: what was proven, how, and on which tree; for the reviewer of a change. Pure."""

from __future__ import annotations

from typing import Any

from ..core.criteria import Criterion, Evidence
from ..core.loop import Loop
from ..core.prompts.demands import shown_text
from ..core.prompts.end_screen import end_screen
from ..core.prompts.end_words import meaning_text
from ..core.prompts.parts import spec_summary
from ..core.prompts.phrases import count_phrase
from ..core.proof.demand_results import demand_results
from ..core.runner.sandbox import sandbox_text
from .facts import demand_facts, dispute_facts, finding_facts
from .markdown import inline_code, inline_text
from .rows import prefix_rows
from .strength_facts import strength_facts_of_loop, strength_rows

DIGEST_CHARS = 12


def lost_record_text(loop_id: str, when: str = " later") -> str:
    """Says that an older copy of .loop/ may be here, and what to do."""
    return (
        f"loop {loop_id} was here{when}, and its record is gone: an older copy of .loop/ was put "
        "back, or it was deleted. Put yours back, or the copy of an active loop: `loop restore`. "
        f"If you deleted it: `loop forget {loop_id}`"
    )


def text(loop: Loop, head: str, now: str, later: tuple[str, ...] = ()) -> str:
    """The receipt as Markdown for a pull request.

    `head` is the digest of the journal's last line, `now` the tree as it is now, and `later` the
    loops that were here later and whose record is gone.
    """
    verdict = loop.verdict
    assert verdict is not None, "BUG: a receipt is of a finished loop"
    rows = [f"### {verdict.name}: {inline_text(spec_summary(loop, 100))}", ""]
    if now != loop.tree:
        rows += [
            "> **STALE**: the files have changed since. This is a proof of tree "
            f"`{loop.tree[:DIGEST_CHARS]}`, not of what is here.",
            "",
        ]
    for name in later:
        rows += [f"> **NOT THE LAST**: {lost_record_text(name)}.", ""]
    rows += [
        f"**{verdict.grade_text}**: {inline_text(meaning_text(verdict))}",
        "",
        "| | criterion | command | at the start | at the end |",
        "|---|---|---|---|---|",
        *map(_criterion_row, (*loop.criteria, *loop.final_checks)),
        "",
        *prefix_rows("- ", map(inline_text, verdict.notes)),
        "",
        *_demand_rows(loop),
        *strength_rows(loop),
        "",
        *_clean_checkout_rows(loop),
        *_sandbox_rows(loop),
        f"Tree `{loop.tree}`, {count_phrase(loop.spend.iterations, 'iteration')}, "
        f"journal head `{head[:DIGEST_CHARS]}`, loop `{loop.id}`. "
        "Re-run the proof: `loop audit`",
    ]
    return "\n".join(rows).replace("\n\n\n", "\n\n") + "\n"


def screen_text(loop: Loop, head: str, now: str, later: tuple[str, ...] = ()) -> str:
    """The same for a terminal: the end screen, and what it is a proof of."""
    rows = ["STALE: the files have changed since."] if now != loop.tree else []
    rows += [f"NOT THE LAST: {lost_record_text(name)}" for name in later]
    rows += [
        end_screen(loop),
        f"Tree {loop.tree[:DIGEST_CHARS]}, journal head {head[:DIGEST_CHARS]}, loop {loop.id}.",
        "As Markdown for a pull request, in a terminal: loop receipt > FILE",
    ]
    return "\n".join(rows) + "\n"


def _demand_rows(loop: Loop) -> list[str]:
    """Each demand of the spec and what shows it, side by side."""
    if not loop.demands:
        return []
    results = demand_results(loop)
    rows = [f"| {r.number}. {_cell(r.text)} | {_cell(shown_text(r))} |" for r in results]
    return ["| demand of the spec | shown by |", "|---|---|", *rows, ""]


def _cell(text: str) -> str:
    return inline_text(text).replace("|", "\\|")


def _clean_checkout_rows(loop: Loop) -> list[str]:
    """What prepared the clean checkout, so that a reader can prepare one too."""
    if not loop.room.setup:
        return []
    return [f"Set up of the clean checkout: {inline_code(loop.room.setup)}", ""]


def _sandbox_rows(loop: Loop) -> list[str]:
    """What held the agent in while it worked, as a probe measured it."""
    if not loop.run or not loop.run.sandbox:
        return []
    return [f"Sandbox of the agent: {inline_text(sandbox_text(loop.run.sandbox))}.", ""]


def _criterion_row(c: Criterion) -> str:
    proof = c.proof
    mark = "?"
    if proof and proof.passed and proof.by == "loop":
        mark = "✓"
    command = _command_text(c).replace("|", "\\|")
    start = {True: "passed (a guard)", False: "failed", None: ""}[c.guard]
    look = f", look {c.looks}" if c.looks else ""
    return f"| {mark} | {inline_text(c.name)} | {command} | {start} | {_end_result(proof)}{look} |"


def _command_text(c: Criterion) -> str:
    if not c.check:
        return ""
    return "held out" if c.check.is_held_out else inline_code(c.check.command_line)


def _end_result(proof: Evidence | None) -> str:
    if not proof:
        return "never shown"
    if proof.by == "person":
        return "accepted by a person, no command has run"
    if proof.by == "agent":
        return f"reported by the agent ({inline_text(proof.kind or 'no evidence given')})"
    counts = "".join(f", {number:g} {name}" for name, number in proof.counts)
    output = f", output `{proof.digest[:DIGEST_CHARS]}`" if proof.digest else ""
    result = "passed" if proof.passed else "failed"
    if proof.code is not None:
        result = f"exit {proof.code}"
    return f"{result} in {proof.seconds:.1f} s{counts}{output}"


def facts(loop: Loop, head: str, now: str, later: tuple[str, ...] = ()) -> dict[str, Any]:
    verdict = loop.verdict
    assert verdict is not None, "BUG: a receipt is of a finished loop"
    return {
        "loop": loop.id,
        "spec": loop.spec,
        "verdict": verdict.name,
        "proven": verdict.proven,
        "grade": verdict.grade_word,
        "why": verdict.why,
        "notes": list(verdict.notes),
        "tree": loop.tree,
        "setup": loop.room.setup,
        "sandbox": sandbox_facts(loop),
        "clean_checkout": loop.room.status,
        "runs": [
            {
                "kind": run.kind,
                "outcome": run.outcome,
                "why": run.why,
                "unmet_tests": list(run.unmet_tests),
            }
            for run in loop.room.runs
            if run.tree == loop.tree
        ],
        "stale": now != loop.tree,
        "lost_later_loops": list(later),
        "journal_head": head,
        "iterations": loop.spend.iterations,
        "dollars": round(loop.spend.dollars, 6),
        "started_at": loop.clock.started_at,
        "ended_at": loop.clock.ended_at,
        "findings": finding_facts(loop),
        "disputes": dispute_facts(loop),
        "demands": demand_facts(loop),
        "strength": strength_facts_of_loop(loop),
        "criteria": [_criterion_facts(c) for c in (*loop.criteria, *loop.final_checks)],
    }


def sandbox_facts(loop: Loop) -> dict[str, Any] | None:
    """The sandbox of the last run and what its probe could do; None without one."""
    report = loop.run.sandbox if loop.run else None
    if report is None:
        return None
    return {
        "backend": report.backend,
        "enforced": report.is_enforced,
        "results": dict(report.results),
        "why": report.why,
    }


def _criterion_facts(c: Criterion) -> dict[str, Any]:
    held_out = bool(c.check and c.check.is_held_out)
    evidence = None
    if c.proof:
        evidence = {name: value for name, value in c.proof.__dict__.items() if name != "detail"}
    return {
        "name": c.name,
        "command": c.check.command if c.check and not held_out else None,
        "held_out": held_out,
        "passed_at_start": c.guard,
        "flaky": c.flaky,
        "look": c.looks or None,
        "evidence": evidence,
    }
