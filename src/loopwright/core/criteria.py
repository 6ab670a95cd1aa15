"""Criteria: what must become true, how we check it, and the evidence."""

from __future__ import annotations

from .record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# How a criterion was verified, strongest first. Code review is weak; an assumption blocks the exit.
STRONG_EVIDENCE = ("execution output", "observation", "measurement")
CODE_REVIEW = "code review"
ASSUMPTION = "assumption"
KINDS_OF_EVIDENCE = (*STRONG_EVIDENCE, CODE_REVIEW, ASSUMPTION)


# Commands with these origins are in the question of G1, so a yes to it allows them.
LISTED_AT_START = ("proposed", "plan", "settings")


SPEC_SATISFIED = "the spec is satisfied"  # the criterion of a spec that names none


OUTSIDE, NETWORK = "outside", "network"  # what a check needs beyond its sandbox


class Check(Record):
    """How to check a criterion: a shell line, or an argv that runs without a shell."""

    command: str | tuple[str, ...]
    timeout: int = 300
    # typed, detected, proposed (by the model), file, plan or settings (of a GSD project);
    # of a final check: holdout; independent, or self where a sub-agent of the worker's session
    # wrote it; review (a command) or reviewer (an agent)
    origin: str = "typed"
    allowed: bool = True
    probe: bool = False  # runs no program: `command` names what Loopwright itself examines
    # How often a failure is run again. It passes if most of the runs do, and then it is flaky.
    retries: int = 0
    frozen: tuple[str, ...] = ()  # tests that failed at the baseline and may still fail
    # What it needs beyond the sandbox of the checks: network, or outside (no sandbox); "": nothing.
    box: str = ""

    @property
    def is_independent(self) -> bool:
        """Did a second agent write it before the work?"""
        return self.origin in ("independent", "self")

    @property
    def is_held_out(self) -> bool:
        """Is its command kept from the agent that works?"""
        return self.origin == "holdout" or self.is_independent

    @property
    def is_review(self) -> bool:
        """Does a reviewer read the work, a command of the person or a second agent?"""
        return self.origin in ("review", "reviewer")

    @property
    def command_line(self) -> str:
        """The command as a person reads it."""
        return self.command if isinstance(self.command, str) else " ".join(self.command)


class OfferedCheck(Record):
    """A check of the repository that does not run unless a person chooses it."""

    name: str  # of the criterion that it would prove
    command: str
    why: str


class Evidence(Record):
    """The result of a check, and its tree. `by` is loop (we ran it), agent (claimed) or person."""

    criterion: str
    passed: bool
    kind: str = "execution output"
    by: str = "loop"
    detail: str = ""
    tree: str = ""
    seconds: float = 0.0
    at: float = 0.0
    outcome: str = "exit"  # exit, timeout, missing (cannot be run), flaky (too few runs passed)
    code: int | None = None
    digest: str = ""
    log: str = ""
    failures: int | None = None
    counts: tuple[tuple[str, float], ...] = ()  # the tool's tests, skipped, coverage, problems
    failing: tuple[str, ...] = ()  # the tests that fail, if some of them are frozen
    sealed: str = ""  # digest of the log
    runs: int = 0  # of a check with retries: how often it ran on this tree in its round
    passes: int = 0  # and how often it passed
    # It ran in another checkout with the same files, in which nobody wrote meanwhile.
    elsewhere: bool = False
    # Of the single tests, by name: those that ran at the start and are skipped now, and how many
    # skipped ones are new or could not be loaded then.
    newly_skipped: tuple[str, ...] = ()
    excused_skips: int = 0
    counts_unknown: bool = False  # it sums its tests up in words that we do not know
    notes: tuple[str, ...] = ()  # of a reviewer: objections that do not count

    @property
    def result_text(self) -> str:
        """How the command ended: its exit code, or why it has none."""
        if self.outcome != "exit":
            return self.outcome
        if self.by == "agent":
            return "the agent says so"
        if self.code is None:  # a probe reads files and runs no command
            return "holds" if self.passed else "does not hold"
        return f"exit {self.code}"

    @property
    def timed_result(self) -> str:
        """The same, and how long it took; a probe takes no time worth a word."""
        if self.outcome == "exit" and self.code is None:
            return self.result_text
        return f"{self.result_text} in {self.seconds:.1f} s"

    @property
    def named_result(self) -> str:
        """In quotes: a check may be called `tests pass` and fail."""
        return f'"{self.criterion}": {"passed" if self.passed else "failed"}'

    def is_run_on(self, tree: str) -> bool:
        """Did Loopwright itself run the check, and on this tree?"""
        return self.by == "loop" and self.tree == tree


class Claim(Record):
    """The agent's claim about one criterion. `kind` is empty if the agent only wrote true."""

    name: str
    met: bool
    kind: str = ""
    evidence: str = ""


class PendingClaims(Record):
    """Claims since the last Stop. They are judged at the next one."""

    names: tuple[str, ...] = ()
    step: str = ""
    exit: bool = False
    has_news: bool = False  # something new among them

    def merged_with(self, later: PendingClaims) -> PendingClaims:
        """Both sets of claims as one."""
        return PendingClaims(
            names=tuple(dict.fromkeys((*self.names, *later.names))),
            step=later.step or self.step,
            exit=self.exit or later.exit,
            has_news=self.has_news or later.has_news,
        )


class Criterion(Record):
    """What must become true. Without a check it can only be claimed, or confirmed by a person."""

    name: str
    check: Check | None = None
    planned: str = ""
    proof: Evidence | None = None
    claim: Claim | None = None
    detailed: bool = False  # state.json shows it as an object, not as a bare true or false
    # At the baseline. True: it passed and must still pass. False: it failed and can prove the work.
    guard: bool | None = None
    baseline_counts: tuple[tuple[str, float], ...] = ()  # its tool's counts at the baseline
    flaky: bool = False  # had different results on the same tree
    could_not_run: bool = False  # at the baseline: its result there says nothing about the product
    looks: int = 0  # of a final check: how often it has answered
    extra_looks: int = 0  # looks that a person added to the limit
    # All tests that failed in it at the start are called after files that the spec names.
    of_work: bool = False
    by_demand: bool = False  # the spec's own words, which are a demand too: its test shows it
    quote: str = ""  # of an independent check: the sentence of the spec that it tests

    @property
    def may_run(self) -> bool:
        """Does it have a check that is allowed to run?"""
        return bool(self.check and self.check.allowed)

    @property
    def is_independent(self) -> bool:
        return bool(self.check and self.check.is_independent)

    @property
    def runs_command(self) -> bool:
        """Does its check start a program? A probe starts none."""
        return bool(self.check and not self.check.probe)

    @property
    def awaits_permission(self) -> bool:
        """Does it have a check that waits for `loop allow`?"""
        return bool(self.check and not self.check.allowed)

    @property
    def stands_for_spec(self) -> bool:
        """Does it only say that all is done? Then what shows the work shows it."""
        return (self.name == SPEC_SATISFIED or self.by_demand) and not self.check

    @property
    def is_claimed(self) -> bool:
        return bool(self.claim and self.claim.met)

    @property
    def is_only_assumed(self) -> bool:
        """Is its only evidence an assumption of the agent?"""
        if self.proof and self.proof.by != "agent":
            return False
        return bool(self.claim and self.claim.kind == ASSUMPTION)

    def accepted(self, tree: str, at: float, kind: str = "observation") -> Criterion:
        """With the word of a person as its proof."""
        proof = Evidence(criterion=self.name, passed=True, kind=kind, by="person", tree=tree, at=at)
        return self.but(proof=proof)

    def is_verified_by(self, verifier: str) -> bool:
        """Did the loop, the agent or a person (see Evidence.by) give the current evidence?"""
        return bool(self.proof and self.proof.by == verifier)

    def passes_on(self, tree: str) -> bool:
        """Is there evidence from this tree that it holds?"""
        return bool(self.proof and self.proof.passed and self.proof.tree == tree)

    def fails_on(self, tree: str) -> bool:
        """Is there evidence from this tree that it fails?"""
        return bool(self.proof and not self.proof.passed and self.proof.tree == tree)


def change_criteria(
    criteria: tuple[Criterion, ...],
    names: tuple[str, ...],
    change: Callable[[Criterion], Criterion],
) -> tuple[Criterion, ...]:
    """The criteria with this change of those that have one of these names."""
    return tuple(change(c) if c.name in names else c for c in criteria)
