"""Signals of the final proof: what a comparison, a hash or a clean checkout found."""

from __future__ import annotations

from ..criteria import Criterion
from ..record import Record
from .state import Room
from .tool_counts import ExplainedTests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..findings import Finding
    from .clean_checkout import RoomCheck, RoomRun
    from .strength import Strength


class BaselineComparison(Record):
    """The comparison with the baseline. `tree` was hashed again from the content of the files."""

    at: float
    round: int
    fence: int
    tree: str
    findings: tuple[Finding, ...] = ()
    raced_checks: tuple[str, ...] = ()  # criteria whose check ran before or while files changed
    written_files: str = ""  # the files that changed
    kept_commit: str = ""  # the commit that holds the tree
    change: str = ""  # since the start, in words
    tree_problem: str = ""
    explained_tests: ExplainedTests = ExplainedTests()


class TreeHashed(Record):
    """The files were hashed again, from their content, as the last act of the final proof."""

    at: float
    round: int
    fence: int
    tree: str
    tree_problem: str = ""


class CleanCheckoutResult(Record):
    """A run of the final proof in a clean checkout has ended."""

    at: float
    round: int
    fence: int
    run: RoomRun


class StrengthResult(Record):
    """The strength of the checks was measured, or could not be."""

    at: float
    round: int
    fence: int
    tree: str
    strength: Strength | None = None
    why: str = ""  # nothing was measured because of this
    worse: str = ""  # at the start it could have been measured


class StartMeasurement(Record):
    """Checks that were allowed after the start ran in place, on the tree of the start."""

    at: float
    criteria: tuple[Criterion, ...]  # as a start records them: proof, guard, counts
    room: Room  # as it is planned with these results


class CalibrationResult(Record):
    """The checks ran in a clean checkout of the tree of the start."""

    at: float
    status: str
    why: str = ""
    setup: str = ""
    checks: tuple[RoomCheck, ...] = ()
    round: int = 0  # of the final proof that waits for it; 0: it ran in the background
    fence: int = 0
    binding: str = ""
    packages: str = ""
    prepare_seconds: float = 0.0
