"""Loop: all we know about one run. Every value here is frozen and is rebuilt from the journal."""

from __future__ import annotations

from .record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .discovery.backlog import Backlog
    from .findings import Finding
    from .plan.plan import Gap, Plan
    from .runner.run import Run

# What may follow what. Nothing follows an end.
TRANSITIONS: dict[str, tuple[str, ...]] = {
    "running": ("asking", "paused", "finished", "cancelled", "failed"),
    "asking": ("running", "paused", "finished", "cancelled", "failed"),
    "paused": ("running", "asking", "cancelled", "failed"),
    "finished": (),
    "cancelled": (),
    "failed": (),
}
ENDED = tuple(status for status, after in TRANSITIONS.items() if not after)

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
    counts: tuple[tuple[str, float], ...] = ()  # what the tool counts: tests, skipped, coverage, problems
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
    guard: bool | None = None  # at the start: True, it passed and must go on to; False, it failed and can prove the work
    baseline_counts: tuple[tuple[str, float], ...] = ()  # what its tool counted at the start; it may only move the right way
    flaky: bool = False  # another result on the same tree


class Step(Record):
    name: str
    done: bool = False
    note: str = ""


class Point(Record):
    """One dimension of the rubric, with the reason for its points."""

    dimension: str
    points: int
    reason: str


class Shape(Record):
    """How closely a person watches: tool (silent), colleague (three gates)."""

    name: str = "tool"
    score: int = 10
    points: tuple[Point, ...] = ()


class Workflow(Record):
    """A build, B debug, C refactor; `gate` is step 0, finished only by recorded text."""

    letter: str = "A"
    step_zero: str = ""
    step_zero_note: str = ""
    sure: bool = True


class Limits(Record):
    iterations: int = 10
    dollars: float = 25.0
    minutes: float = 240
    stuck: int = 5
    rethink: int = 3  # stuck this often: the agent is asked to change its approach
    same_error: int = 3
    same_file: int = 5
    idle: int = 3
    dry: int = 3  # explorations in a row that find nothing; then a discovery loop is finished
    transient: int = 2
    wait: float = 720  # minutes in all that a runner waits for usage limits and faults of the network to pass


class Price(Record):
    """Dollars per million tokens of one model."""

    model: str
    input: float
    output: float
    cache_read: float
    cache_write: float


class Cursor(Record):
    """How far a transcript was read; the last message may go on, so what it cost so far is kept."""

    file: str
    offset: int = 0
    message: str = ""
    counted_dollars: float = 0.0


class Spend(Record):
    iterations: int = 0
    dollars: float = 0.0
    seconds: float = 0.0
    unpriced: tuple[str, ...] = ()  # models without a known price
    unread_bytes: int = 0  # bytes of transcript not read yet
    cursors: tuple[Cursor, ...] = ()


class Streak(Record):
    """The counters behind the breakers, each named like its limit."""

    unmet: tuple[tuple[str, ...], ...] = ()  # the last six sets of unmet criteria, newest last
    trees: tuple[str, ...] = ()  # and the trees that they were found on
    scores: tuple[tuple[int, int], ...] = ()  # and how many they were, with the failures that checks counted
    stuck: int = 0
    ever_proven: tuple[str, ...] = ()  # criteria that a check has ever proven
    fewest_failures: tuple[tuple[str, int], ...] = ()  # the best number each check has reported
    error_signature: str = ""
    error_text: str = ""
    same_error: int = 0
    transient: int = 0
    blocking_error: str = ""  # blocking or unknown: what the last turn ended on
    same_file: int = 0
    most_edited_file: str = ""
    idle: int = 0
    dry: int = 0
    toolless: int = 0  # answers in a row without a tool call
    toolless_cap: int = 0  # how many of them the client lets us hold; 0: any number
    recent_step_kinds: tuple[str, ...] = ()  # kinds of step finished lately: the same three times is a learnable pattern


class Gate(Record):
    """A question to a person: G1, G2, G3 or ask."""

    name: str
    question: str


class Lease(Record):
    """Who drives the loop now. Every move raises the fence, so that a late writer is known."""

    holder: str = ""  # a session id, runner:<pid>, or nobody yet
    pid: int = 0
    fence: int = 1
    session_ended: bool = False


class CheckRound(Record):
    """The checking that is under way: evidence of another round is dropped."""

    number: int
    tree: str
    second_pass: bool = False  # the checks of the first round changed files
    confirmed: bool = False  # a person said done (G3)
    step: str = ""  # the step finished in this turn, for G2
    is_active: bool = False  # a new claim, a tool used or a changed tree: not idle
    claimed: tuple[str, ...] = ()  # claimed in this very turn
    ran: tuple[str, ...] = ()
    tree_now: str = ""  # the tree that the last check left
    file_changing_checks: tuple[str, ...] = ()  # criteria whose check changed files
    changed_files: str = ""  # the files
    only_criteria: tuple[str, ...] | None = None  # criteria that this round is about; None: all
    tasks: tuple[str, ...] = ()  # of a plan, claimed to be complete; or keys of gaps that were worked on
    failed_tasks: tuple[str, ...] = ()  # tasks that the agent, or its silence, gave up in this turn
    lane_commit: str = ""  # the commit to be merged, where a task has a worktree of its own
    reported_gaps: tuple[Gap, ...] = ()  # reported by an agent
    baseline_compared: bool = False  # back to the start; what runs at the end only is next
    baseline_recompared: bool = False  # and looked back once more after that: nobody wrote while it ran
    after_write_race: bool = False  # files were written while checks ran, so these ran once more

    @property
    def is_first_decision(self) -> bool:
        """Is this the first decision of the turn? What it came to is counted once, however often we look again."""
        return not (self.baseline_compared or self.after_write_race)


class PendingClaims(Record):
    """Claims since the last Stop: they wait for the next to be judged."""

    names: tuple[str, ...] = ()
    step: str = ""
    exit: bool = False
    has_news: bool = False  # something new among them

    def merged_with(self, later: PendingClaims) -> PendingClaims:
        names = tuple(dict.fromkeys((*self.names, *later.names)))
        return PendingClaims(names, later.step or self.step, self.exit or later.exit, self.has_news or later.has_news)


class Verdict(Record):
    name: str  # SHIP, MONITOR or RESEARCH
    proven: bool
    why: str = ""
    notes: tuple[str, ...] = ()  # what a reader of the verdict must know


class Loop(Record):
    id: str
    spec: str
    policy: str = "spec"
    status: str = "running"
    criteria: tuple[Criterion, ...] = ()
    must_not: tuple[Criterion, ...] = ()
    final_checks: tuple[Criterion, ...] = ()  # run at the end only: held-out checks, and the reviewer
    steps: tuple[Step, ...] = ()
    backlog: Backlog | None = None  # of a discovery loop; its criteria are guards, its spec is the scope
    plan: Plan | None = None  # of a plan loop; its criteria are what verification looks at
    run: Run | None = None  # once a runner has driven it
    limits: Limits = Limits()
    spend: Spend = Spend()
    streak: Streak = Streak()
    shape: Shape = Shape()
    workflow: Workflow = Workflow()
    reversibility: str = "2A"
    gates_enabled: bool = True
    gate: Gate | None = None
    lease: Lease = Lease()
    exit_claimed: bool = False
    confidence: int | None = None
    points: int | None = None
    alternative: str = ""
    risk: str = ""
    check_round: CheckRound | None = None
    pending_claims: PendingClaims = PendingClaims()  # claimed since the last Stop, by `loop claim` or state.json
    mismatched_criteria: tuple[str, ...] = ()  # where the last status block and the loop disagree
    rounds_started: int = 0
    tree: str = ""  # at the last Stop
    baseline_id: str = ""  # the tree of the start: a commit beside the branches, or the digest of copies
    protected_paths: tuple[str, ...] = ()  # paths that may not change at all
    baseline_tools: tuple[tuple[str, str], ...] = ()  # programs that the checks begin with, and what they were at the start
    findings: tuple[Finding, ...] = ()  # what the last look back to the start has found
    accepted_findings: tuple[str, ...] = ()  # keys of findings that a person takes as they are
    head: str = ""  # and what was committed and staged; only a discovery loop asks
    cause: str = ""  # why it paused, as one word
    why: str = ""
    verdict: Verdict | None = None
    guidance: str = ""
    prompt_queued: bool = False  # the agent has not been told yet that it goes on
    errors: tuple[str, ...] = ()
    foreign_sessions: tuple[str, ...] = ()
    refuted_claims: int = 0
    prices: tuple[Price, ...] = ()
    volatile_globs: tuple[str, ...] = ()
    pass_env: tuple[str, ...] = ()
    has_task_list: bool = False  # the client offers one, so the steps are mirrored there
    keep_mirror: bool = True
    extra_json: str = "{}"  # fields of state.json that are not ours, kept as JSON text
    started_at: float = 0.0
    running_since: float = 0.0  # running since; 0 while the clock stands still
    checkpoint_at: float = 0.0
    ended_at: float = 0.0
    turn_continued: bool = False  # the last directive was Continue

    @property
    def headless_run(self) -> Run | None:
        """What a runner knows, while one drives the loop; in a session none of it counts."""
        return self.run if self.run and self.run.is_runner(self.lease.holder) else None

    @property
    def remaining_steps(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if not step.done)

    @property
    def completed_steps(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.done)

    @property
    def next_step(self) -> str:
        if self.backlog:
            return f"mend {', '.join(self.failing_guards)}" if self.failing_guards else self.backlog.next_item
        if self.plan:
            return ", ".join(self.plan.assigned).replace("<", "") or self.plan.stage
        return self.remaining_steps[0].name if self.remaining_steps else "verify the criteria"

    def is_met(self, criterion: Criterion) -> bool:
        """Proven on the tree of the last Stop; without a check that may run, claimed by more than an assumption."""
        proof = criterion.proof
        if criterion.check and criterion.check.allowed:
            return bool(proof and proof.by == "loop" and proof.passed and proof.tree == self.tree)
        if proof and proof.by == "person":
            return True
        return bool(criterion.claim and criterion.claim.met)

    @property
    def unmet_criteria(self) -> tuple[str, ...]:
        return tuple(criterion.name for criterion in self.criteria if not self.is_met(criterion))

    @property
    def failing_guards(self) -> tuple[str, ...]:
        """Guards that our own run found failing on this tree. One that has not run on it yet is neither broken nor whole."""
        proofs = [(c.name, c.proof) for c in self.criteria]
        return tuple(name for name, p in proofs if p and p.by == "loop" and p.tree == self.tree and not p.passed)

    @property
    def failing_final_checks(self) -> tuple[Criterion, ...]:
        """What runs at the end only, and fails on this tree."""
        return tuple(c for c in self.final_checks if c.proof and not c.proof.passed and c.proof.tree == self.tree)

    @property
    def objections(self) -> tuple[str, ...]:
        """What fails at the end only; and files in which the last look back found something grave."""
        names = tuple(c.name for c in self.failing_final_checks)
        if not self.findings:
            return names
        from .findings import HIGH, open_findings

        return (*names, *(finding.file for finding in open_findings(self, HIGH)))

    @property
    def assumed_criteria(self) -> tuple[str, ...]:
        """Criteria that stand on an assumption only."""
        return tuple(
            c.name
            for c in self.criteria
            if c.claim and c.claim.kind == ASSUMPTION and self.is_met(c) and not (c.proof and c.proof.by != "agent")
        )
