"""Loop: all we know about one run. Every value here is frozen and is rebuilt from the journal."""

from __future__ import annotations

from .criteria import ASSUMPTION, Criterion
from .limits import Limits, Price, Spend, Streak
from .record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .discovery.backlog import Backlog
    from .findings import Finding
    from .plan.plan import Gap, Plan
    from .runner.run import Run


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
    tasks: tuple[
        str, ...
    ] = ()  # of a plan, claimed to be complete; or keys of gaps that were worked on
    failed_tasks: tuple[str, ...] = ()  # tasks that the agent, or its silence, gave up in this turn
    lane_commit: str = ""  # the commit to be merged, where a task has a worktree of its own
    reported_gaps: tuple[Gap, ...] = ()  # reported by an agent
    baseline_compared: bool = False  # back to the start; what runs at the end only is next
    baseline_recompared: bool = (
        False  # and looked back once more after that: nobody wrote while it ran
    )
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
        return PendingClaims(
            names, later.step or self.step, self.exit or later.exit, self.has_news or later.has_news
        )


class Verdict(Record):
    name: str  # SHIP, MONITOR or RESEARCH
    proven: bool
    why: str = ""
    notes: tuple[str, ...] = ()  # what a reader of the verdict must know


class Baseline(Record):
    """The state of the project at the start, to compare the end with."""

    tree_id: str = ""  # a commit under refs/loop/, or the digest of copies
    protected_paths: tuple[str, ...] = ()  # paths that may not change at all
    tools: tuple[
        tuple[str, str], ...
    ] = ()  # programs that the checks begin with, and their digests at the start
    findings: tuple[Finding, ...] = ()  # what the last comparison found
    accepted_findings: tuple[str, ...] = ()  # keys of findings that a person has accepted


class Estimate(Record):
    """The agent's own estimate of its work, for the verdict box."""

    confidence: int | None = None
    points: int | None = None
    alternative: str = ""
    risk: str = ""


class Pause(Record):
    """Why the loop paused: `cause` is an id, `why` a sentence."""

    cause: str = ""
    why: str = ""


class Dialogue(Record):
    """What person, agent and loop still have to tell each other."""

    guidance: str = ""  # the person's words for the next prompt
    prompt_queued: bool = False  # the agent has not been told yet that the loop continues
    turn_continued: bool = False  # the last directive was Continue
    mismatched_criteria: tuple[str, ...] = ()  # where the last status block and the loop disagree
    errors: tuple[str, ...] = ()
    foreign_sessions: tuple[
        str, ...
    ] = ()  # sessions that were told once that the loop is not theirs
    refuted_claims: int = 0


class LoopSettings(Record):
    """Settings that were fixed when the loop started."""

    prices: tuple[Price, ...] = ()
    volatile_globs: tuple[str, ...] = ()
    pass_env: tuple[str, ...] = ()
    has_task_list: bool = False  # the client offers one, so the steps are mirrored there
    keep_mirror: bool = True
    extra_json: str = "{}"  # fields of state.json that are not ours, kept as JSON text


class Clock(Record):
    """When things happened, in seconds since the epoch."""

    started_at: float = 0.0
    running_since: float = 0.0  # 0 while the clock is stopped
    checkpoint_at: float = 0.0
    ended_at: float = 0.0


class Loop(Record):
    """One run, from its start to its end."""

    id: str
    spec: str
    policy: str = "spec"
    status: str = "running"
    criteria: tuple[Criterion, ...] = ()
    must_not: tuple[Criterion, ...] = ()
    final_checks: tuple[
        Criterion, ...
    ] = ()  # run at the end only: held-out checks, and the reviewer
    steps: tuple[Step, ...] = ()
    backlog: Backlog | None = (
        None  # of a discovery loop; its criteria are guards, its spec is the scope
    )
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
    pending_claims: PendingClaims = (
        PendingClaims()
    )  # since the last Stop, by `loop claim` or state.json
    estimate: Estimate = Estimate()
    check_round: CheckRound | None = None
    rounds_started: int = 0
    tree: str = ""  # at the last Stop
    head: str = ""  # what was committed and staged then; only a discovery loop asks
    baseline: Baseline = Baseline()
    pause: Pause = Pause()
    verdict: Verdict | None = None
    dialogue: Dialogue = Dialogue()
    settings: LoopSettings = LoopSettings()
    clock: Clock = Clock()

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
            return (
                f"mend {', '.join(self.failing_guards)}"
                if self.failing_guards
                else self.backlog.next_item
            )
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
        return tuple(
            name
            for name, p in proofs
            if p and p.by == "loop" and p.tree == self.tree and not p.passed
        )

    @property
    def failing_final_checks(self) -> tuple[Criterion, ...]:
        """What runs at the end only, and fails on this tree."""
        return tuple(
            c
            for c in self.final_checks
            if c.proof and not c.proof.passed and c.proof.tree == self.tree
        )

    @property
    def objections(self) -> tuple[str, ...]:
        """What fails at the end only; and files in which the last look back found something grave."""
        names = tuple(c.name for c in self.failing_final_checks)
        if not self.baseline.findings:
            return names
        from .findings import HIGH

        return (*names, *(finding.file for finding in open_findings(self, HIGH)))

    @property
    def assumed_criteria(self) -> tuple[str, ...]:
        """Criteria that stand on an assumption only."""
        return tuple(
            c.name
            for c in self.criteria
            if c.claim
            and c.claim.kind == ASSUMPTION
            and self.is_met(c)
            and not (c.proof and c.proof.by != "agent")
        )


def backlog_of(loop: Loop) -> Backlog:
    assert loop.backlog is not None, "BUG: a discovery loop has a backlog, and no other has"
    return loop.backlog


def plan_of(loop: Loop) -> Plan:
    assert loop.plan is not None, "BUG: a plan loop has a plan, and no other has"
    return loop.plan


def run_of(loop: Loop) -> Run:
    assert loop.run is not None, "BUG: no runner has come yet"
    return loop.run


def open_findings(loop: Loop, *severities: str) -> tuple[Finding, ...]:
    """Findings that nobody has accepted."""
    return tuple(
        f
        for f in loop.baseline.findings
        if f.severity in severities and f.key not in loop.baseline.accepted_findings
    )
