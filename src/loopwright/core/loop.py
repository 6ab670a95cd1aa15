"""Loop: everything we know about one run. Its values are frozen and rebuilt from the journal."""

from __future__ import annotations

from .criteria import Criterion, OfferedCheck, PendingClaims
from .limits import Limits, Price, Spend, Streak
from .proof.state import Baseline, CheckBox, CheckRound, Room, Verdict
from .record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .discovery.backlog import Backlog
    from .findings import Finding
    from .plan.plan import Plan
    from .proof.demands import Demands
    from .proof.disputes import Dispute
    from .proof.strength import MeasuredStrength
    from .runner.run import Run


class Step(Record):
    """One step of the work, as the person or the agent planned it."""

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
    """The kind of work: A build, B debug, C refactor. Step 0 is finished only by recorded text."""

    letter: str = "A"
    step_zero: str = ""
    step_zero_note: str = ""
    sure: bool = True


class Gate(Record):
    """A question to a person: G1, G2, G3 or ask."""

    name: str
    question: str
    # What a yes allows or accepts besides: names of criteria, or keys of findings.
    listed: tuple[str, ...] = ()
    # It was opened while the agent works, so the person has not seen the question yet.
    unseen: bool = False


class Lease(Record):
    """Who drives the loop now. A new holder raises the fence, so that late writers are detected."""

    holder: str = ""  # a session id or runner:<pid>; empty: no driver yet
    pid: int = 0
    fence: int = 1
    session_ended: bool = False
    ended_at: float = 0.0  # when the session ended


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
    """Messages between person, agent and loop that are still to be delivered."""

    guidance: str = ""  # the person's words for the next prompt
    prompt_queued: bool = False  # the agent does not know yet that the loop continues
    turn_continued: bool = False  # the last directive was Continue, or a prompt began a turn
    # When the person took the turn (Esc, then a prompt). Until they give it back the loop waits.
    person_turn_since: float = 0.0
    mismatched_criteria: tuple[str, ...] = ()  # where the last status block and the loop disagree
    errors: tuple[str, ...] = ()
    foreign_sessions: tuple[str, ...] = ()  # sessions that know that another one drives the loop
    refuted_claims: int = 0
    protocol_due: bool = False  # the agent's context does not hold the reply protocol
    person_talked: bool = False  # since the open question was asked, without a yes or a no
    refused_orders: tuple[str, ...] = ()  # given in the person's name; the person does not know yet
    prompt_id: str = ""  # the client's id of the turn that is under way, or was last


class LoopSettings(Record):
    """Settings that were fixed when the loop started."""

    prices: tuple[Price, ...] = ()
    volatile_globs: tuple[str, ...] = ()
    pass_env: tuple[str, ...] = ()
    has_task_list: bool = False  # the client offers one, so the steps are mirrored there
    keep_mirror: bool = True
    unproven: bool = False  # the person chose to work without the checks that may not run
    # What follows from thin work: off, report, once or strict. "": a loop of an older version.
    strength_mode: str = ""
    required_grade: str = ""  # from which on the exit code is 0: tested or proven; "": tested
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
    final_checks: tuple[Criterion, ...] = ()  # held-out checks and the reviewer: run at the end
    # Checks of the repository that no criterion names and that failed at the start already.
    unrequired_checks: tuple[Criterion, ...] = ()
    offered_checks: tuple[OfferedCheck, ...] = ()  # of the repository, for a person to choose
    demands: Demands | None = None  # of the spec, if there is more than one
    strength: MeasuredStrength | None = None  # of the checks, once the final proof has measured it
    disputes: tuple[Dispute, ...] = ()  # what the agent called wrong, with the person's rulings
    steps: tuple[Step, ...] = ()
    # Of a discovery loop. Its criteria are guards, its spec is the scope.
    backlog: Backlog | None = None
    plan: Plan | None = None  # of a plan loop; its criteria are what verification checks
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
    # Claimed since the last Stop, by `loop claim` or an edit of state.json.
    pending_claims: PendingClaims = PendingClaims()
    estimate: Estimate = Estimate()
    check_round: CheckRound | None = None
    rounds_started: int = 0
    paused_round: CheckRound | None = None  # that a pause cut off; no turn has ended since
    tree: str = ""  # at the last Stop
    head: str = ""  # what was committed and staged then; only a discovery loop uses it
    baseline: Baseline = Baseline()
    room: Room = Room()
    check_box: CheckBox = CheckBox()
    pause: Pause = Pause()
    verdict: Verdict | None = None
    dialogue: Dialogue = Dialogue()
    settings: LoopSettings = LoopSettings()
    clock: Clock = Clock()

    def with_dialogue(self, **changes: object) -> Loop:
        """The loop with these changes of its dialogue."""
        return self.but(dialogue=self.dialogue.but(**changes))

    @property
    def round_to_finish(self) -> CheckRound | None:
        """The round of checks that a kill or a pause cut off, if the next driver can finish it.

        The words of a person go to the agent first. The checks of a lane run in its own worktree.
        """
        unfinished = self.check_round
        if not unfinished and not self.dialogue.guidance:
            unfinished = self.paused_round
        return None if unfinished and unfinished.lane_commit else unfinished

    @property
    def headless_run(self) -> Run | None:
        """The state of the runner while a runner drives the loop; None in a session."""
        if self.run and self.run.is_runner(self.lease.holder):
            return self.run
        return None

    @property
    def waits_for_person(self) -> bool:
        """Has the person taken the turn? Then no turn is held or counted."""
        return self.status == "running" and self.dialogue.person_turn_since > 0

    @property
    def remaining_steps(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if not step.done)

    @property
    def completed_steps(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.done)

    @property
    def next_step(self) -> str:
        if self.backlog and self.failing_guards:
            return f"mend {', '.join(self.failing_guards)}"
        if self.backlog:
            return self.backlog.next_item
        if self.plan:
            return ", ".join(self.plan.assigned).replace("<", "") or self.plan.stage
        if self.remaining_steps:
            return self.remaining_steps[0].name
        return "verify the criteria"

    def is_met(self, criterion: Criterion) -> bool:
        """Proven on the tree of the last Stop; claimed, if it has no check that may run."""
        if criterion.may_run:
            return criterion.is_verified_by("loop") and criterion.passes_on(self.tree)
        return criterion.is_verified_by("person") or criterion.is_claimed

    @property
    def waiting_checks(self) -> tuple[Criterion, ...]:
        """Criteria and must-nots whose check may not run yet."""
        return tuple(c for c in (*self.criteria, *self.must_not) if c.awaits_permission)

    @property
    def unmet_criteria(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.criteria if not self.is_met(c))

    @property
    def failing_guards(self) -> tuple[str, ...]:
        """Guards that failed in our own run on this tree, and that the agent does not dispute."""
        failing = (c for c in self.criteria if c.fails_on(self.tree))
        ran = (c.name for c in failing if c.is_verified_by("loop"))
        return tuple(name for name in ran if name not in self.disputed_criteria)

    @property
    def disputed_criteria(self) -> tuple[str, ...]:
        """Criteria that the agent calls wrong and about which no person has decided."""
        if not self.disputes:
            return ()
        names = {c.name for c in (*self.criteria, *self.final_checks)}
        undecided = (d.criterion for d in self.disputes if not d.ruling)
        return tuple(n for n in undecided if n in names and n not in self.left_to_verdict)

    def most_looks(self, c: Criterion) -> int:
        """How often a final check may answer; the worker hears of an independent one once."""
        usual = min(self.limits.looks, 2) if c.is_independent else self.limits.looks
        return usual + c.extra_looks

    @property
    def exhausted_checks(self) -> tuple[str, ...]:
        """Final checks that have answered as often as they may, and do not pass on this tree."""
        used_up = (c for c in self.final_checks if c.looks >= self.most_looks(c))
        names = tuple(c.name for c in used_up if not c.passes_on(self.tree))
        return tuple(name for name in names if name not in self.left_to_verdict)

    @property
    def left_to_verdict(self) -> tuple[str, ...]:
        """Failing independent checks that only a person could decide, where none is there.

        Such a check is wrong too often to hold the loop; the verdict names it.
        """
        if self.gates_enabled and not self.headless_run:
            return ()
        disputed = {d.criterion for d in self.disputes if not d.ruling}
        independent = (c for c in self.final_checks if c.is_independent)
        failing = (c for c in independent if not c.passes_on(self.tree))
        return tuple(c.name for c in failing if c.name in disputed or c.looks >= self.most_looks(c))

    @property
    def awaiting_ruling(self) -> tuple[str, ...]:
        """What a person must decide: disputed criteria, and final checks without looks left.

        What the verdict of an unattended loop names can be decided after its end.
        """
        waiting = (*self.disputed_criteria, *self.exhausted_checks)
        return (*waiting, *self.left_to_verdict) if self.verdict else waiting

    @property
    def failing_final_checks(self) -> tuple[Criterion, ...]:
        """The final checks that fail on this tree."""
        left = self.left_to_verdict
        failing = (c for c in self.final_checks if c.fails_on(self.tree))
        return tuple(c for c in failing if c.name not in left)

    @property
    def objections(self) -> tuple[str, ...]:
        """Final checks that fail, files with a grave finding, and files with thin work."""
        names = (*(c.name for c in self.failing_final_checks), *self.thin_files)
        if not self.baseline.findings:
            return names
        from .findings import HIGH

        return (*names, *(finding.file for finding in open_findings(self, HIGH)))

    @property
    def thin_files(self) -> tuple[str, ...]:
        """Where thin work is, for the next prompt; the work as a whole if it lacks a test."""
        if not self.strength or not self.strength.due or not self.strength.result:
            return ()
        files = dict.fromkeys(item.file for item in self.strength.result.untested_items)
        return tuple(files) or ("the work",)

    @property
    def assumed_criteria(self) -> tuple[str, ...]:
        """Criteria whose only evidence is an assumption of the agent."""
        return tuple(c.name for c in self.criteria if self.is_met(c) and c.is_only_assumed)


def backlog_of(loop: Loop) -> Backlog:
    assert loop.backlog is not None, "BUG: a discovery loop has a backlog, and no other has"
    return loop.backlog


def plan_of(loop: Loop) -> Plan:
    assert loop.plan is not None, "BUG: a plan loop has a plan, and no other has"
    return loop.plan


def run_of(loop: Loop) -> Run:
    assert loop.run is not None, "BUG: no runner has attached yet"
    return loop.run


def open_findings(loop: Loop, *severities: str) -> tuple[Finding, ...]:
    """Findings of these severities that no person has accepted."""
    accepted = loop.baseline.accepted_findings
    findings = (f for f in loop.baseline.findings if f.severity in severities)
    return tuple(f for f in findings if f.key not in accepted)
