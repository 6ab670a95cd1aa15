"""What a loop knows about its proof: the round of checks, the baseline, the verdict."""

from __future__ import annotations

from ..record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..findings import Finding
    from ..plan.plan import Gap
    from .clean_checkout import RoomCheck, RoomRun


class CheckRound(Record):
    """The round of checks under way. Evidence that belongs to another round is dropped."""

    number: int
    tree: str
    second_pass: bool = False  # the checks of the first round changed files
    confirmed: bool = False  # a person answered yes to G3
    accepted_findings: tuple[str, ...] = ()  # the findings that this yes accepts
    finish_agreed: bool = False  # a person answered yes to "Finish?"
    step: str = ""  # the step finished in this turn, for G2
    is_active: bool = False  # a new claim, a tool call or a changed tree: not idle
    only_claims: bool = False  # it is active by its claims alone
    tree_changed: bool = False  # the turn changed files
    claimed: tuple[str, ...] = ()  # criteria claimed in this turn
    ran: tuple[str, ...] = ()
    ran_before: tuple[str, ...] = ()  # checks that ran in earlier rounds of this turn
    # Checks that have evidence and must run once more; each leaves the list with its result.
    rerun: tuple[str, ...] = ()
    tree_now: str = ""  # the tree that the last check left
    file_changing_checks: tuple[str, ...] = ()  # criteria whose check changed files
    changed_files: str = ""  # the files
    only_criteria: tuple[str, ...] | None = None  # criteria that this round covers; None: all
    # Tasks of a plan that are claimed to be complete, or keys of the gaps that were worked on.
    tasks: tuple[str, ...] = ()
    failed_tasks: tuple[str, ...] = ()  # tasks that the agent gave up, or did not report on
    lane_commit: str = ""  # the commit to merge, if the task has a worktree of its own
    gap_lane: str = ""  # the gap that the turn fixed in a lane; "": none
    reported_gaps: tuple[Gap, ...] = ()  # reported by an agent
    baseline_compared: bool = False  # the final proof has begun: a comparison was asked for
    baseline_recompared: bool = False  # of older versions: another comparison was asked for
    after_write_race: bool = False  # files were written while checks ran, so the checks ran again
    last_checks: bool = False  # what runs at the end only is due: the final checks and `rerun`
    # What the final proof has shown so far. These change only when a result arrives, so that no
    # part of the proof is lost if Loopwright is killed.
    comparisons: int = 0  # with the baseline
    room_runs: tuple[str, ...] = ()  # kinds of runs in a clean checkout
    tree_confirmed: bool = False  # hashed again, the files are still as they were

    @property
    def is_first_decision(self) -> bool:
        """Is this the first decision of the turn? Progress is counted once for each turn."""
        return not (self.baseline_compared or self.after_write_race)


class Verdict(Record):
    """The result of a finished loop: how sure we are, and why."""

    name: str  # SHIP, MONITOR or RESEARCH
    proven: bool
    why: str = ""
    notes: tuple[str, ...] = ()  # what a reader of the verdict must know
    grade: str = ""  # one of those in grades.py; "" in older journals
    tests_hold: bool = False  # of a tested loop: strength was measured, and the work is not thin

    @property
    def is_shown(self) -> bool:
        """Do our own runs show the work: by checks, or by tests of the agent that are strong?"""
        return self.proven or self.tests_hold

    @property
    def grade_word(self) -> str:
        """The grade; of a loop that ended before there were grades, the word for `proven`."""
        return self.grade or ("proven" if self.proven else "reported")

    @property
    def grade_text(self) -> str:
        """The grade as people read it."""
        return self.grade_word.replace("-", " ")


class Baseline(Record):
    """The state of the project when the loop started, to compare the result with."""

    tree_id: str = ""  # a commit under refs/loop/, or the digest of copies
    protected_paths: tuple[str, ...] = ()  # paths that may not change at all
    tools: tuple[tuple[str, str], ...] = ()  # programs that the checks call, and their digests
    findings: tuple[Finding, ...] = ()  # of the last comparison
    start_findings: tuple[Finding, ...] = ()  # what was weakened, uncommitted, before the start
    accepted_findings: tuple[str, ...] = ()  # keys of findings that a person has accepted
    changed_tests: tuple[str, ...] = ()  # tests and their settings that were not committed
    reader: str = ""  # of older journals: the interpreter that read tests of other languages
    git_refs: tuple[tuple[str, str], ...] = ()  # names of commits that a check may ask git for
    start_tree: str = ""  # the hash of the tree after the checks had run; "": an older loop
    # What a person accepted after the end: keys of findings, names of criteria. None: nothing.
    accepted_after_end: tuple[str, ...] | None = None
    # Files not committed at the start that may hold tests, or decide how tests run.
    uncommitted_files: tuple[str, ...] = ()
    change: str = ""  # at the last comparison, in words: files, lines added and removed
    end_commit: str = ""  # which holds the tree of that comparison


class Room(Record):
    """The clean checkout of the final proof: how it is prepared, and whether it can be trusted."""

    status: str = ""  # pending, trusted, untrusted, unprepared or off; "": the loop has none
    why: str = ""
    setup: str = ""  # the command that installs packages in it
    include: tuple[str, ...] = ()  # ignored files that the checks need
    may_change: tuple[str, ...] = ()  # surroundings that the work is meant to change
    # What the start screen names: files that the spec makes work, and files that decide the result.
    work_files: tuple[str, ...] = ()
    deciding_files: tuple[str, ...] = ()
    allow_new_packages: bool = False
    must_announce: bool = False  # the person has not heard yet that it cannot be used
    baseline: tuple[RoomCheck, ...] = ()  # the checks on the tree of the start
    runs: tuple[RoomRun, ...] = ()  # of the tree that was proven last
    binding: str = ""  # how it appears at the path of the project; "": paths are rewritten
    files_digest: str = ""  # of the packages and included files that were saved at the start
    packages: str = ""  # the digest of what the setup installed at the start
    prepare_seconds: float = 0.0  # of the calibration, before its checks
    packages_refused: bool = False  # the person does not want new packages to be installed
    baseline_commit: str = ""  # in a git folder of ours; "": the user's repository has it


class CheckBox(Record):
    """The sandbox in which checks run, as it was found when the loop started."""

    backend: str = ""  # "": none, and checks run as the person
    argument: str = ""  # the image of a container, or the command
    features: tuple[str, ...] = ()
    allow_read: tuple[str, ...] = ()
