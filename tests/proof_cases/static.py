"""What the rules say about a case, without a process: its two trees, and the findings about them.

`named.txt` records which rules name which case; `python -m tests.proof_cases.rule_table --record`
writes it.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from loopwright import ratchet
from loopwright.checks.surroundings import programs_run_by, surrounding_kind
from loopwright.core.findings import LOW, Finding
from loopwright.ratchet.project import Project
from loopwright.ratchet.registry import RULES
from loopwright.ratchet.rule import ask_rules
from loopwright.ratchet.script_project import ScriptProject
from loopwright.repo.baseline import Change
from tests.proof_cases.case import Case
from tests.proof_cases.catalogue import edited

RECORD = Path(__file__).with_name("named.txt")


class FilesOfStart:
    """The files of the start in memory, as rules search and read them."""

    def __init__(self, files: dict[str, str], check: str, changes: list[Change]) -> None:
        self.files = files
        self.kind_of = {c.path: surrounding_kind(c.path, c.before, c.after) for c in changes}
        programs = programs_run_by(check, files.get)
        self.scripts = ScriptProject(self.list_files, self.read_files, (check,), programs)
        sides = {change.path: (change.before, change.after) for change in changes}
        self.kind_of |= self.scripts.kinds(sides, self.kind_of)

    def find_tests(self, words: set[str]) -> dict[str, str]:
        pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(words)))})(?!\w)")
        found = {p: text for p, text in self.files.items() if words and pattern.search(text)}
        return {path: text for path, text in found.items() if surrounding_kind(path, text, text)}

    def read_files(self, paths: Iterable[str]) -> dict[str, str]:
        return {path: self.files[path] for path in paths if path in self.files}

    def list_files(self) -> frozenset[str]:
        return frozenset(self.files)


def trees_of(case: Case) -> tuple[dict[str, str], dict[str, str]]:
    """The files at the start of the loop, and those after the agent's edits."""
    before = edited(edited(case.project.files, case.start.committed), case.start.uncommitted)
    return before, edited(before, case.edits)


def findings_by_rule(case: Case) -> dict[str, list[Finding]]:
    """The findings about the edits, by the name of the rule that makes them.

    What commands and orders of the case do is left out.
    """
    before, after = trees_of(case)
    check = case.start.check or case.project.check
    paths = sorted(before.keys() | after.keys())
    changes = [Change(path, before.get(path), after.get(path)) for path in paths]
    changes = [change for change in changes if change.before != change.after]
    relevant = [change for change in changes if ratchet.is_relevant(change.path)]
    red = [check] if case.start.color == "red" else []
    project = Project(relevant, after.get, lambda: list(after), [check], red)
    whole = Project(changes, commands=[check], baseline=FilesOfStart(before, check, changes))
    found = {
        rule.name: ask_rules((rule,), whole if rule.needs_baseline else project) for rule in RULES
    }
    return {name: rows for name, rows in found.items() if rows}


def rules_of(case: Case) -> tuple[str, ...]:
    """The ids of what keeps a case from being proven."""
    rows = [finding for found in findings_by_rule(case).values() for finding in found]
    return tuple(sorted({finding.rule for finding in rows if finding.severity != LOW}))


def read_record() -> dict[str, tuple[str, ...]]:
    """The rules that named each case when the record was written."""
    rows = (line.rsplit(": ", 1) for line in RECORD.read_text("utf-8").splitlines())
    return {name: tuple(rules.split()) for name, rules in rows}


def write_record(rules: dict[str, tuple[str, ...]]) -> None:
    rows = sorted(f"{name}: {' '.join(found)}\n" for name, found in rules.items() if found)
    RECORD.write_text("".join(rows), "utf-8")
