"""The clean checkout outside the project in which the final proof runs: its runs and results.

Journals call it the room.
"""

from __future__ import annotations

from ..record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..findings import Finding
    from .demands import DemandProof

# The runs of the final proof, in their order.
FINAL_TREE_RUN = "room"  # the final tree
REPLAY_RUN = "replay"  # the final product with the tests, settings and scripts of the baseline
REVERT_RUN = "revert"  # the product of the baseline with the final tests, settings and scripts
RUN_ORDER = (FINAL_TREE_RUN, REPLAY_RUN, REVERT_RUN)

PASSED, FAILED, NOT_NEEDED = "passed", "failed", "not needed"
COULD_NOT_PREPARE = "could not prepare"
SKIPPED = "skipped"  # it did not fit into the time of the Stop

# A run that fails with one of these is made once more before it refutes the claim. The others are
# read from the files, or have been reproduced by the run itself.
REPRODUCED_RULES = ("fails-in-clean-room", "test-missing")
MAX_FAILURES = 2  # so many failures on one tree refute the claim

CALIBRATION_RUN = "calibration"  # the tree of the start

# What the calibration at the start found.
PENDING = "pending"  # it has not ended yet
TRUSTED = "trusted"  # the checks give the same results there as in place
UNTRUSTED = "untrusted"  # they do not: a pass is still proof, a failure is not
UNPREPARED = "unprepared"
OFF = "off"  # the person's choice

# Why there is none. Without a result of the start, a checkout that gives another result is not told
# from a cheat.
ALLOWED_LATE = "the checks could not be tried in one at the start: they were not allowed yet"


def needed_runs(is_discovery: bool) -> tuple[str, ...]:
    """The kinds of runs that the final proof of a loop consists of, in their order."""
    # The gaps of a discovery loop are not known at the start, so no test can fail there for them.
    return (FINAL_TREE_RUN, REPLAY_RUN) if is_discovery else RUN_ORDER


class RoomCheck(Record):
    """One check in a clean checkout."""

    criterion: str
    passed: bool
    outcome: str = "exit"
    code: int | None = None
    seconds: float = 0.0
    log: str = ""
    failing: tuple[str, ...] = ()  # the first tests that fail
    sealed: str = ""  # digest of the log
    # Of a revert test: new and changed tests that fail here and pass on the final tree. The whole
    # check counts as one if its tests have no names.
    work_tests: tuple[str, ...] = ()  # the first of them
    work_test_count: int = 0
    missing_count: int = 0  # of them, those that fail only because a name or a file is not there


class RoomRun(Record):
    """One run of the final proof, on one tree."""

    kind: str
    tree: str
    outcome: str
    why: str = ""
    at: float = 0.0
    checks: tuple[RoomCheck, ...] = ()
    findings: tuple[Finding, ...] = ()
    new_packages: tuple[str, ...] = ()  # that it needs and that may not be installed
    # Changed test files whose former version passes, and checks that then run as many tests.
    settled: tuple[str, ...] = ()
    # Of a replay: tests of the start that do not pass on the final product, each with its error.
    unmet_tests: tuple[str, ...] = ()
    demands: tuple[DemandProof, ...] = ()  # of a revert test: what the named tests show
    failures: int = 0  # how often this run has failed on this tree, with this time

    @property
    def result_text(self) -> str:
        """The outcome in words. A replay may support the proof although changed tests fail."""
        is_green = all(check.passed for check in self.checks) and not self.unmet_tests
        if self.kind == REPLAY_RUN and self.outcome == PASSED and not is_green:
            return "fails, and refutes nothing"
        return self.outcome


def has_made_all(runs: tuple[RoomRun, ...], findings: tuple[Finding, ...]) -> bool:
    """Were all of these made by runs in a clean checkout? No line of a file stands for them."""
    made = {finding.key for run in runs for finding in run.findings}
    return all(finding.key in made for finding in findings)
