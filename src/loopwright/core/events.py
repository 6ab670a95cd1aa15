"""Events: facts in the past tense, one or more in a journal line.

Each says what it changes: `apply` alone rebuilds a loop from its journal. Here are those of a turn
and its checks; those of other subjects are beside what they are about, and `KINDS_BY_MODULE` of
record.py lists them. To make a class takes longer than to read a line of the journal, so a module
of events is imported when one of them is used.
"""

from __future__ import annotations

from .clock import advance_clock
from .criteria import Claim, Criterion, Evidence, PendingClaims, change_criteria
from .event import Event
from .limits import Cursor, Streak
from .loop import Loop
from .proof.state import CheckRound
from .record import KIND_MODULES, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    # For type checkers. At run time __getattr__ below finds these events.
    from .mirror_events import *  # noqa: F403
    from .pausing.events import *  # noqa: F403
    from .person.events import *  # noqa: F403
    from .replies.events import *  # noqa: F403
    from .session.events import *  # noqa: F403


MAX_CURSORS, MAX_UNPRICED = 500, 8
CONCLUSIVE = ("exit", "timeout")  # outcomes of a check that say something about the tree


class LoopStarted(Event):
    loop: Loop

    def apply(self, loop: Loop) -> Loop:
        return self.loop


class TurnEnded(Event):
    """A turn is over: its cost and the tree it left."""

    at: float
    tree: str
    dollars: float = 0.0
    cursors: tuple[Cursor, ...] = ()
    unpriced: tuple[str, ...] = ()
    unread_bytes: int = 0
    counts_as_iteration: bool = True  # False after an API failure
    head: str = ""
    kept_commit: str = ""  # the commit that holds this tree, beside the branches
    prompt_id: str = ""  # the client's id of the turn

    def apply(self, loop: Loop) -> Loop:
        # After an API failure the clock is stopped until the next sign of life.
        loop = advance_clock(loop, self.at, running=self.counts_as_iteration)
        spend, dialogue = loop.spend, loop.dialogue
        cursors = {cursor.file: cursor for cursor in (*spend.cursors, *self.cursors)}
        spend = spend.but(
            iterations=spend.iterations + self.counts_as_iteration,
            dollars=spend.dollars + self.dollars,
            cursors=tuple(cursors.values())[-MAX_CURSORS:],
            unpriced=tuple(sorted({*spend.unpriced, *self.unpriced}))[:MAX_UNPRICED],
            unread_bytes=self.unread_bytes,
        )
        guidance = dialogue.guidance
        if self.counts_as_iteration and not dialogue.prompt_queued:
            guidance = ""  # the agent has had it
        # A lane that ends before the next one starts leaves the prompt in the queue.
        queued = bool(dialogue.prompt_queued and loop.plan and loop.plan.lanes)
        session_ended = loop.lease.session_ended and not self.counts_as_iteration
        demands = loop.demands
        if demands and demands.due and self.counts_as_iteration:
            demands = demands.but(due=False)  # the agent has answered
        strength = loop.strength
        if strength and strength.due and self.counts_as_iteration:
            strength = strength.but(due=False)
        return loop.but(
            demands=demands,
            strength=strength,
            spend=spend,
            paused_round=None if self.counts_as_iteration else loop.paused_round,
            tree=self.tree,
            head=self.head,
            lease=loop.lease.but(
                session_ended=session_ended, ended_at=loop.lease.ended_at if session_ended else 0.0
            ),
            dialogue=dialogue.but(
                guidance=guidance,
                prompt_queued=queued,
                turn_continued=False,
                prompt_id=self.prompt_id or dialogue.prompt_id,
            ),
        )


class ClaimMade(Event):
    claim: Claim

    def apply(self, loop: Loop) -> Loop:
        claimed = change_criteria(
            loop.criteria, (self.claim.name,), lambda c: c.but(claim=self.claim)
        )
        return loop.but(criteria=claimed)


class CheckRoundStarted(Event):
    check_round: CheckRound

    def apply(self, loop: Loop) -> Loop:
        return loop.but(
            check_round=self.check_round,
            rounds_started=self.check_round.number,
            tree=self.check_round.tree,
            paused_round=None,
            pending_claims=PendingClaims(),
        )


class CheckRoundEnded(Event):
    def apply(self, loop: Loop) -> Loop:
        return loop.but(check_round=None)


class CheckRan(Event):
    """A check ran and left `tree_after`; `changed_files` names the files that it changed."""

    evidence: Evidence
    tree_after: str = ""
    changed_files: str = ""

    def apply(self, loop: Loop) -> Loop:
        name = self.evidence.criterion

        def prove(c: Criterion) -> Criterion:
            if c.name != name:
                return c
            is_mixed = 0 < self.evidence.passes < self.evidence.runs
            flaky = c.flaky or is_mixed or _is_flaky(c.proof, self.evidence)
            return c.but(proof=self.evidence, flaky=flaky)

        check_round = loop.check_round
        if check_round:
            tree_before = check_round.tree_now or check_round.tree
            if self.tree_after != tree_before:
                check_round = check_round.but(
                    file_changing_checks=(*check_round.file_changing_checks, name),
                    changed_files=self.changed_files,
                )
            check_round = check_round.but(
                ran=(*check_round.ran, name),
                rerun=tuple(other for other in check_round.rerun if other != name),
                tree_now=self.tree_after,
            )
        return loop.but(
            criteria=tuple(map(prove, loop.criteria)),
            must_not=tuple(map(prove, loop.must_not)),
            final_checks=tuple(map(prove, loop.final_checks)),
            unrequired_checks=tuple(map(prove, loop.unrequired_checks)),
            check_round=check_round,
        )


class CheckResultDropped(Event):
    criterion: str
    why: str


class StepFinished(Event):
    name: str
    at: float
    note: str = ""

    def apply(self, loop: Loop) -> Loop:
        steps = tuple(
            step.but(done=True, note=self.note) if step.name == self.name else step
            for step in loop.steps
        )
        kind = self.name.split(" ")[0].lower()
        recent = (*loop.streak.recent_step_kinds, kind)[-3:]
        return loop.but(
            steps=steps,
            streak=loop.streak.but(recent_step_kinds=recent),
            clock=loop.clock.but(checkpoint_at=self.at),
        )


class StreakCounted(Event):
    streak: Streak

    def apply(self, loop: Loop) -> Loop:
        return loop.but(streak=self.streak)


class TurnContinued(Event):
    """The agent continues. If a person speaks before its next stop, they interrupted it."""

    def apply(self, loop: Loop) -> Loop:
        return loop.with_dialogue(turn_continued=True)


def _is_flaky(before: Evidence | None, now: Evidence) -> bool:
    """Another result on the same tree. Checks that could not run or changed files do not count."""
    if not before or before.by != "loop" or not now.tree or before.tree != now.tree:
        return False
    conclusive = before.outcome in CONCLUSIVE and now.outcome in CONCLUSIVE
    return conclusive and before.passed != now.passed


if not TYPE_CHECKING:

    def __getattr__(name):
        """An event of another module: `events` has those of every kind of loop."""
        if name not in KIND_MODULES:  # an import also looks for __path__
            raise AttributeError(name)
        return kind_of(name)
