"""How a runner is to work: with which agents, under which permissions and clocks. Worked out before a cent is spent."""

from __future__ import annotations

import os

from ..agents.base import EDITS, Call
from ..agents.process import Patience
from ..agents.registry import agent
from ..core.loop import Loop
from ..core.plan import plan_of
from ..core.prices import price_of
from ..core.record import Record
from ..core.running import run_of
from ..core.wording import counted
from .orders import UserError

# Beyond these a limit bounds nothing: a typing mistake is more likely than a plan.
UNBOUNDED = {"iterations": 1_000, "dollars": 1_000.0, "minutes": 14 * 24 * 60, "wait": 14 * 24 * 60}


class Post(Record):
    """What one turn is: whose, with which number and money, where; and of which task, in a lane."""

    root: str
    agent: str
    number: int
    reserve: float
    begun: float
    task: str = ""


def posts(loop: Loop, root: str) -> list[Post]:
    """The turns that a runner has begun: one in place, or one in each lane."""
    run = run_of(loop)
    found = [Post(root, run.agent, run.turns, run.reserve, run.begun)] if run.begun else []
    for lane in loop.plan.lanes if loop.plan else ():
        place = plan_of(loop).place(lane.task)
        found.append(Post(place.path if place else root, lane.agent, lane.number, lane.reserve, lane.at, lane.task))
    return found


class Crew(Record):
    """`words` is the command line of `--agent-command`, or the script."""

    agents: tuple[str, ...]
    words: tuple[str, ...] = ()
    model: str = ""
    permissions: str = EDITS
    allow: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    keep_context: bool = False
    turn_dollars: float = 0.0  # most that one turn may cost; 0: what is left
    patience: Patience = Patience()
    commit: bool = False
    notify: str = ""
    lanes: int = 0  # tasks of a plan side by side; 0: one after the other, in place
    strict: bool = False

    def call(self, loop: Loop, prompt: str, post: Post) -> Call:
        """The turn that has just begun."""
        run = run_of(loop)
        checks = [c.check for c in (*loop.criteria, *loop.forbidden) if c.check and c.check.allowed]
        return Call(
            post.number,
            session=run.session if self.keep_context else "",
            before=run.tokens if self.keep_context else (),
            budget=post.reserve,
            model=self.model if post.agent == self.agents[0] else "",
            permissions=self.permissions,
            allow=self.allow,
            checks=tuple(check.command for check in checks if isinstance(check.command, str)),
            settings=self.settings,
            words=self.words,
            prompt=prompt,
            prices=loop.prices,
        )

    def clocks(self, loop: Loop) -> Patience:
        """No turn outlives the time that the loop has left."""
        left = max(1.0, loop.limits.minutes * 60 - loop.spend.seconds)
        return self.patience.but(turn=min(self.patience.turn, left))


def bounded(loop: Loop) -> None:
    """An unbounded run is refused."""
    for name, most in UNBOUNDED.items():
        if not 0 < getattr(loop.limits, name) <= most:
            raise UserError(
                f"limits.{name} is {getattr(loop.limits, name):g}: that bounds nothing. Start with at most {most:g}, "
                "and add to it when it is used up: loop continue"
            )


def worst_case(loop: Loop, crew: Crew) -> list[str]:
    """What the run can cost at most, said before it starts."""
    limit, spend = loop.limits, loop.spend
    left = max(0.0, limit.dollars - spend.dollars)
    turns, minutes = max(0, limit.iterations - spend.iterations), max(0.0, limit.minutes - spend.seconds / 60)
    rows = [
        f"at most: {counted(turns, 'iteration')}, ${left:.2f}{_each(crew)}, {minutes:.0f} min of work, "
        f"{limit.wait:g} min of waiting for limits"
    ]
    for name in crew.agents:
        about = agent(name).about
        if about.dollars == "unknown" or (about.dollars == "from tokens" and not priced(loop, crew, name)):
            rows.append(f"{name} tells no dollars: for it only iterations and minutes are a bound")
        elif not about.capped:
            rows.append(f"{name} takes no budget for a turn: one turn may go beyond what is left")
    if loop.shape.name == "colleague" and loop.gates:
        rows.append("nobody is there to ask: the questions between steps and at the end are left out")
    return rows


def _each(crew: Crew) -> str:
    return f" (${crew.turn_dollars:g} a turn)" if crew.turn_dollars else " (and the model call in flight)"


def priced(loop: Loop, crew: Crew, name: str) -> bool:
    model = crew.model if name == crew.agents[0] else ""
    return bool(model and price_of(model, loop.prices))


def installed(name: str) -> str:
    """Where the agent's program lies; "" where it is missing."""
    from shutil import which

    program = agent(name).about.program
    return which(program) or "" if program else os.devnull
