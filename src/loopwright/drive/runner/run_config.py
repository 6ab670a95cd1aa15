"""How a runner is to work: with which agents, under which permissions and clocks. Worked out before a cent is spent."""

from __future__ import annotations

import os

from ...agents.base import EDITS, TurnRequest
from ...agents.process import TurnTimeouts
from ...agents.registry import load_agent
from ...core.loop import Loop, plan_of, run_of
from ...core.prices import price_of
from ...core.prompts.phrases import count_phrase
from ...core.record import Record
from ..errors import UserError

# Beyond these a limit bounds nothing: a typing mistake is more likely than a plan.
UNBOUNDED_ABOVE = {
    "iterations": 1_000,
    "dollars": 1_000.0,
    "minutes": 14 * 24 * 60,
    "wait": 14 * 24 * 60,
}


class TurnSlot(Record):
    """What one turn is: whose, with which number and money, where; and of which task, in a lane."""

    root: str
    agent: str
    number: int
    reserve: float
    started_at: float
    task: str = ""


def turn_slots(loop: Loop, root: str) -> list[TurnSlot]:
    """The turns that a runner has begun: one in place, or one in each lane."""
    run = run_of(loop)
    found = (
        [TurnSlot(root, run.agent, run.turns_started, run.reserved_dollars, run.turn_started_at)]
        if run.turn_started_at
        else []
    )
    for lane in loop.plan.lanes if loop.plan else ():
        place = plan_of(loop).worktree_of(lane.task)
        found.append(
            TurnSlot(
                place.path if place else root,
                lane.agent,
                lane.turn_number,
                lane.reserved_dollars,
                lane.started_at,
                lane.task,
            )
        )
    return found


class RunConfig(Record):
    """`words` is the command line of `--agent-command`, or the script."""

    agents: tuple[str, ...]
    words: tuple[str, ...] = ()
    model: str = ""
    permissions: str = EDITS
    allow: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    keep_context: bool = False
    turn_dollars: float = 0.0  # most that one turn may cost; 0: what is left
    timeouts: TurnTimeouts = TurnTimeouts()
    commit: bool = False
    notify: str = ""
    lanes: int = 0  # tasks of a plan side by side; 0: one after the other, in place
    strict: bool = False

    def agent_call(self, loop: Loop, prompt: str, post: TurnSlot) -> TurnRequest:
        """The turn that has just begun."""
        run = run_of(loop)
        checks = [c.check for c in (*loop.criteria, *loop.must_not) if c.check and c.check.allowed]
        return TurnRequest(
            post.number,
            session=run.session if self.keep_context else "",
            tokens_before=run.tokens if self.keep_context else (),
            budget=post.reserve,
            model=self.model if post.agent == self.agents[0] else "",
            permissions=self.permissions,
            allow=self.allow,
            checks=tuple(check.command for check in checks if isinstance(check.command, str)),
            settings=self.settings,
            agent_command=self.words,
            prompt=prompt,
            prices=loop.settings.prices,
        )

    def turn_timeouts(self, loop: Loop) -> TurnTimeouts:
        """No turn outlives the time that the loop has left."""
        left = max(1.0, loop.limits.minutes * 60 - loop.spend.seconds)
        return self.timeouts.but(turn=min(self.timeouts.turn, left))


def refuse_unbounded(loop: Loop) -> None:
    """An unbounded run is refused."""
    for name, most in UNBOUNDED_ABOVE.items():
        if not 0 < getattr(loop.limits, name) <= most:
            raise UserError(
                f"limits.{name} is {getattr(loop.limits, name):g}: that bounds nothing. Start with at most {most:g}, "
                "and add to it when it is used up: loop continue"
            )


def worst_case(loop: Loop, crew: RunConfig) -> list[str]:
    """What the run can cost at most, said before it starts."""
    limit, spend = loop.limits, loop.spend
    left = max(0.0, limit.dollars - spend.dollars)
    turns, minutes = (
        max(0, limit.iterations - spend.iterations),
        max(0.0, limit.minutes - spend.seconds / 60),
    )
    rows = [
        f"at most: {count_phrase(turns, 'iteration')}, ${left:.2f}{_per_turn_limit(crew)}, {minutes:.0f} min of work, "
        f"{limit.wait:g} min of waiting for limits"
    ]
    for name in crew.agents:
        about = load_agent(name).about
        if about.dollars == "unknown" or (
            about.dollars == "from tokens" and not has_price(loop, crew, name)
        ):
            rows.append(f"{name} tells no dollars: for it only iterations and minutes are a bound")
        elif not about.capped:
            rows.append(f"{name} takes no budget for a turn: one turn may go beyond what is left")
    if loop.shape.name == "colleague" and loop.gates_enabled:
        rows.append(
            "nobody is there to ask: the questions between steps and at the end are left out"
        )
    return rows


def _per_turn_limit(crew: RunConfig) -> str:
    return (
        f" (${crew.turn_dollars:g} a turn)"
        if crew.turn_dollars
        else " (and the model call in flight)"
    )


def has_price(loop: Loop, crew: RunConfig, name: str) -> bool:
    model = crew.model if name == crew.agents[0] else ""
    return bool(model and price_of(model, loop.settings.prices))


def program_path(name: str) -> str:
    """Where the agent's program lies; "" where it is missing."""
    from shutil import which

    program = load_agent(name).about.program
    return which(program) or "" if program else os.devnull
