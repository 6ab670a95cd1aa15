"""Criteria: what must become true, how we find out, and what was found."""

from __future__ import annotations

from .record import Record

# How a criterion was verified, strongest first. The last two are the seeds' "weak" and "blocks the exit".
STRONG_EVIDENCE = ("execution output", "observation", "measurement")
CODE_REVIEW = "code review"
ASSUMPTION = "assumption"
KINDS_OF_EVIDENCE = (*STRONG_EVIDENCE, CODE_REVIEW, ASSUMPTION)


class Check(Record):
    """How to find out: a shell line, or an argv that no shell sees."""

    command: str | tuple[str, ...]
    timeout: int = 300
    origin: str = "typed"  # typed, detected, proposed (by the model), file or plan; at the end only: holdout, review
    allowed: bool = True
    probe: bool = False  # no program runs: `command` says what we look at ourselves
    retries: int = 0  # a failure is run again so often; one that then passes is flaky
    frozen: tuple[str, ...] = ()  # tests that failed at the start and may go on to fail

    @property
    def command_line(self) -> str:
        """The command as a person reads it."""
        return self.command if isinstance(self.command, str) else " ".join(self.command)


class Evidence(Record):
    """What was found, and on which tree. `by` is loop (we ran it), agent (it said so) or person."""

    criterion: str
    passed: bool
    kind: str = "execution output"
    by: str = "loop"
    detail: str = ""
    tree: str = ""
    seconds: float = 0.0
    at: float = 0.0
    outcome: str = "exit"  # exit, timeout, missing (cannot be run)
    code: int | None = None
    digest: str = ""
    log: str = ""
    failures: int | None = None
    counts: tuple[
        tuple[str, float], ...
    ] = ()  # what the tool counts: tests, skipped, coverage, problems
    failing: tuple[str, ...] = ()  # the tests that fail, where some of them are frozen
    sealed: str = ""  # digest of the log


class Claim(Record):
    """What the agent says of one criterion. `kind` is empty when it said no more than true."""

    name: str
    met: bool
    kind: str = ""
    evidence: str = ""


class Criterion(Record):
    """What must become true. Without a check it can only be claimed, or confirmed by a person."""

    name: str
    check: Check | None = None
    planned: str = ""
    proof: Evidence | None = None
    claim: Claim | None = None
    detailed: bool = False  # state.json shows it as an object, not as a bare true or false
    guard: bool | None = (
        None  # at the start: True, it passed and must go on to; False, it failed and can prove the work
    )
    baseline_counts: tuple[
        tuple[str, float], ...
    ] = ()  # what its tool counted at the start; it may only move the right way
    flaky: bool = False  # another result on the same tree
