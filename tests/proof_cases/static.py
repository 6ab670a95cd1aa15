"""What the rules say about a case, without a process: its two trees, and the findings about them.

`named.txt` records which rules name which case; `python -m tests.proof_cases.rule_table --record`
writes it.
"""

from collections.abc import Iterable
from pathlib import Path

from loopwright import ratchet
from loopwright.core.findings import LOW, Finding
from loopwright.repo.baseline import Change
from tests.proof_cases.case import Case
from tests.proof_cases.catalogue import edited
from tests.proof_cases.trees_in_memory import findings_of_trees

RECORD = Path(__file__).with_name("named.txt")


def trees_of(case: Case) -> tuple[dict[str, str], dict[str, str]]:
    """The files at the start of the loop, and those after the agent's edits."""
    before = edited(edited(case.project.files, case.start.committed), case.start.uncommitted)
    return before, edited(before, case.edits)


def findings_of(case: Case) -> list[Finding]:
    """All findings about the edits; what commands and orders of the case do is left out."""
    before, after = trees_of(case)
    check = case.start.check or case.project.check
    changes = [
        Change(path, before.get(path), after.get(path))
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path) and ratchet.is_relevant(path)
    ]
    red = [check] if case.start.color == "red" else []
    found = ratchet.findings(changes, [check], after.get, red, lambda: list(after))
    return [*found, *findings_of_trees(before, after, check)]


def rules_of(findings: Iterable[Finding]) -> tuple[str, ...]:
    """The rules that keep a case from being proven."""
    return tuple(sorted({finding.rule for finding in findings if finding.severity != LOW}))


def read_record() -> dict[str, tuple[str, ...]]:
    """The rules that named each case when the record was written."""
    rows = (line.rsplit(": ", 1) for line in RECORD.read_text("utf-8").splitlines())
    return {name: tuple(rules.split()) for name, rules in rows}


def write_record(rules: dict[str, tuple[str, ...]]) -> None:
    rows = sorted(f"{name}: {' '.join(found)}\n" for name, found in rules.items() if found)
    RECORD.write_text("".join(rows), "utf-8")
