"""Events about what a person is asked, answers and decides."""

from __future__ import annotations

from ..clock import advance_clock
from ..criteria import Check, Criterion, change_criteria
from ..event import Event
from ..loop import Gate, Loop
from ..status import with_status

MAX_GUIDANCE = 2000  # characters
MAX_REFUSED_ORDERS = 3


class GateOpened(Event):
    gate: Gate
    at: float

    def apply(self, loop: Loop) -> Loop:
        loop = advance_clock(loop, self.at, running=False)
        loop = loop.with_dialogue(person_talked=False)
        return with_status(loop, "asking", gate=self.gate, check_round=None)


class QuestionShown(Event):
    """The person sees the open question now. What they type in the same turn is no answer yet."""

    at: float
    prompt_id: str = ""  # of the turn in which it was shown

    def apply(self, loop: Loop) -> Loop:
        gate = loop.gate.but(unseen=False) if loop.gate else None
        return loop.but(gate=gate).with_dialogue(
            prompt_id=self.prompt_id or loop.dialogue.prompt_id
        )


class GateAnswered(Event):
    gate: str
    text: str
    at: float
    guidance: str = ""  # what the answer says beyond yes
    delete_mirror: bool = False  # delete state.json after the end

    def apply(self, loop: Loop) -> Loop:
        if self.gate == "finish":  # after a no, the agent gets as many turns again
            streak = loop.streak.but(stuck=0, stuck_half=False, idle=0, unclaimed=0)
            loop = loop.but(streak=streak)
        return with_status(
            loop,
            "running",
            gate=None,
            clock=loop.clock.but(running_since=self.at),
            dialogue=loop.dialogue.but(
                guidance=_added_guidance(loop, self.guidance), person_talked=False
            ),
            settings=loop.settings.but(
                keep_mirror=loop.settings.keep_mirror and not self.delete_mirror
            ),
        )


class PersonTalked(Event):
    """A person said neither yes nor no to an open gate: it keeps waiting."""

    text: str
    at: float
    guidance: str = ""  # what the agent has not heard yet

    def apply(self, loop: Loop) -> Loop:
        return loop.with_dialogue(person_talked=True, guidance=_added_guidance(loop, self.guidance))


class GuidanceGiven(Event):
    """The person steers the agent, which receives the text with its next prompt."""

    text: str

    def apply(self, loop: Loop) -> Loop:
        return loop.with_dialogue(guidance=_added_guidance(loop, self.text), prompt_queued=True)


class PromptQueued(Event):
    """A person continued the loop in a terminal: the agent learns it with its next prompt."""

    def apply(self, loop: Loop) -> Loop:
        return loop.with_dialogue(prompt_queued=True)


class GatesLifted(Event):
    def apply(self, loop: Loop) -> Loop:
        return loop.but(gates_enabled=False)


class ChecksWaived(Event):
    """The person chose to work without the checks that may not run: it is never proven."""

    at: float

    def apply(self, loop: Loop) -> Loop:
        return loop.but(settings=loop.settings.but(unproven=True))


class CriteriaConfirmed(Event):
    """A person confirmed what no check could show."""

    names: tuple[str, ...]
    at: float

    def apply(self, loop: Loop) -> Loop:
        def confirm(c: Criterion) -> Criterion:
            kind = c.claim.kind if c.claim and c.claim.kind else "observation"
            return c.accepted(loop.tree, self.at, kind)

        return loop.but(criteria=change_criteria(loop.criteria, self.names, confirm))


class CriteriaChanged(Event):
    criteria: tuple[Criterion, ...]

    def apply(self, loop: Loop) -> Loop:
        """A criterion with the same name and check keeps its proof and claim."""
        today = {c.name: c for c in loop.criteria}

        def merge(new: Criterion) -> Criterion:
            old = today.get(new.name)
            return old if old and old.check == new.check else new

        names = {c.name for c in self.criteria}
        return loop.but(
            criteria=tuple(map(merge, self.criteria)),
            unrequired_checks=tuple(c for c in loop.unrequired_checks if c.name not in names),
            exit_claimed=False,
            streak=loop.streak.but(stuck=0, stuck_half=False, unmet=()),
        )


class IndependentChecksChanged(Event):
    """Which checks of a second agent the loop has from now on."""

    criteria: tuple[Criterion, ...]

    def apply(self, loop: Loop) -> Loop:
        others = (c for c in loop.final_checks if not c.is_independent)
        return loop.but(final_checks=(*self.criteria, *others))


class CheckAllowed(Event):
    name: str
    check: Check | None  # None: denied, the check is gone

    def apply(self, loop: Loop) -> Loop:
        def change(c: Criterion) -> Criterion:
            if c.name != self.name:
                return c
            allowed = c.check and self.check and self.check.allowed
            keeps_proof = (
                allowed and c.check and self.check and c.check.command == self.check.command
            )
            return c.but(check=self.check, proof=c.proof if keeps_proof else None)

        return loop.but(
            criteria=tuple(map(change, loop.criteria)),
            must_not=tuple(map(change, loop.must_not)),
        )


class LimitsRaised(Event):
    dollars: float = 0.0
    iterations: int = 0
    minutes: float = 0.0

    def apply(self, loop: Loop) -> Loop:
        limits = loop.limits
        return loop.but(
            limits=limits.but(
                dollars=limits.dollars + self.dollars,
                iterations=limits.iterations + self.iterations,
                minutes=limits.minutes + self.minutes,
            )
        )


class OrderRefused(Event):
    order: str
    why: str
    forged: bool = False  # it was given in the person's name, and not by the client

    def apply(self, loop: Loop) -> Loop:
        if not self.forged:
            return loop
        text = f"{self.order}: {self.why}"
        others = tuple(order for order in loop.dialogue.refused_orders if order != text)
        return loop.with_dialogue(refused_orders=(*others, text)[-MAX_REFUSED_ORDERS:])


class RefusalTold(Event):
    """The person was told which orders were given in their name and refused."""

    def apply(self, loop: Loop) -> Loop:
        return loop.with_dialogue(refused_orders=())


def _added_guidance(loop: Loop, text: str) -> str:
    return f"{loop.dialogue.guidance}\n{text}".strip()[-MAX_GUIDANCE:]
