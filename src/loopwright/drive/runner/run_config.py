"""How a runner works: with which agents, permissions and timeouts.

All of it is known before the first turn costs anything.
"""

from __future__ import annotations

import os

from ...agents.base import EDITS, About, TurnRequest
from ...agents.process import Pairs, TurnTimeouts
from ...agents.registry import load_about, load_agent
from ...core.limits import price_of, turn_dollars
from ...core.loop import Loop, plan_of, run_of
from ...core.prompts.phrases import count_phrase
from ...core.record import Record
from ...disk.files import read_text
from ...disk.user_folders import home_folder
from ..errors import UserError
from .agent_box import AgentSandbox

MAX_TEXT = 1_000_000

# A higher limit is more likely a typing mistake than a plan.
UNBOUNDED_ABOVE = {
    "iterations": 1_000,
    "dollars": 1_000.0,
    "minutes": 14 * 24 * 60,
    "wait": 14 * 24 * 60,
}


class TurnSlot(Record):
    """One turn: where it runs, with which agent, number and money; in a lane, for which task."""

    root: str
    agent: str
    number: int
    reserve: float
    started_at: float
    task: str = ""


def turn_slots(loop: Loop, root: str) -> list[TurnSlot]:
    """The turns that a runner has started: one in place, or one in each lane."""
    run = run_of(loop)
    slots = []
    if run.turn_started_at:
        slots.append(
            TurnSlot(
                root=root,
                agent=run.agent,
                number=run.turns_started,
                reserve=run.reserved_dollars,
                started_at=run.turn_started_at,
            )
        )
    for lane in loop.plan.lanes if loop.plan else ():
        worktree = plan_of(loop).worktree_of(lane.task)
        slots.append(
            TurnSlot(
                root=worktree.path if worktree else root,
                agent=lane.agent,
                number=lane.turn_number,
                reserve=lane.reserved_dollars,
                started_at=lane.started_at,
                task=lane.task,
            )
        )
    return slots


class AttemptCall(Record):
    """How one of several attempts is run: its agent, its model, and the words of its `loop run`."""

    agent: str
    model: str
    words: tuple[str, ...]


class RunConfig(Record):
    """The options of a run. `words` is the command line of `--agent-command`, or the script."""

    agents: tuple[str, ...]
    words: tuple[str, ...] = ()
    model: str = ""
    permissions: str = EDITS
    allow: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    keep_context: bool = False
    turn_dollars: float = 0.0  # most that one turn may cost; 0: see core/limits.py
    timeouts: TurnTimeouts = TurnTimeouts()
    commit: bool = False
    notify: str = ""
    lanes: int = 0  # tasks of a plan side by side; 0: one after the other, in place
    waves: bool = False  # a wave of parallel tasks waits for the one before it
    eager: bool = False  # tasks wait for no wave at all
    strict: bool = False
    attempts: tuple[AttemptCall, ...] = ()  # several worktrees, of which the best proven one lands
    first: bool = False  # the first attempt that is proven ends the others
    until: float = 0.0  # when the run pauses; 0: never
    leave: float = 0.0  # the share of a usage window that stays unused; 0: none
    stay: bool = False  # wait for the answer to a question instead of ending
    keeps_crashes: bool = False  # count on after a wait: another runner, but no person, began it
    # Variables for the agent alone: the credentials of an account. They are written nowhere.
    environment: Pairs = ()
    sandbox: AgentSandbox = AgentSandbox()
    versions: Pairs = ()  # of the agents that must know it, asked when the run begins

    def __repr__(self) -> str:
        """Without the credentials: an error message may quote it."""
        return Record.__repr__(self.but(environment=()))

    def agent_call(self, loop: Loop, prompt: str, slot: TurnSlot) -> TurnRequest:
        """The request for the turn in this slot."""
        run = run_of(loop)
        checks = [c.check for c in (*loop.criteria, *loop.must_not) if c.check and c.check.allowed]
        return TurnRequest(
            number=slot.number,
            session=run.session if self.keep_context else "",
            tokens_before=run.tokens if self.keep_context else (),
            budget=slot.reserve,
            model=self.model if slot.agent == self.agents[0] else "",
            permissions=self.permissions,
            allow=self.allow,
            checks=tuple(check.command for check in checks if isinstance(check.command, str)),
            settings=self.settings,
            agent_command=self.words,
            version=dict(self.versions).get(slot.agent, ""),
            prompt=prompt,
            prices=loop.settings.prices,
        )

    def turn_timeouts(self, loop: Loop, about: About) -> TurnTimeouts:
        """The timeouts of a turn. No turn may take longer than the time that the loop has left."""
        left = max(1.0, loop.limits.minutes * 60 - loop.spend.seconds)
        start = self.timeouts.idle if about.silent else self.timeouts.start
        return self.timeouts.but(turn=min(self.timeouts.turn, left), start=start)


def refuse_unbounded(loop: Loop) -> None:
    """Raise an error when what is left of a limit is too much to bound the run."""
    spend = loop.spend
    used = {
        "iterations": spend.iterations,
        "dollars": spend.dollars,
        "minutes": spend.seconds / 60,
        "wait": run_of(loop).waited_seconds / 60 if loop.run else 0.0,
    }
    for name, most in UNBOUNDED_ABOVE.items():
        value = getattr(loop.limits, name)
        if value <= 0 or value - used[name] > most:
            raise UserError(
                f"limits.{name} is {value:g}: that bounds nothing. Start with at most {most:g}, "
                "and add to it when it is used up: loop run --continue"
            )


def worst_case(loop: Loop, config: RunConfig) -> list[str]:
    """What the run can cost at most, shown before it starts."""
    limit, spend = loop.limits, loop.spend
    dollars = max(0.0, limit.dollars - spend.dollars)
    turns = max(0, limit.iterations - spend.iterations)
    minutes = max(0.0, limit.minutes - spend.seconds / 60)
    rows = [
        f"at most: {count_phrase(turns, 'iteration')}, ${dollars:.2f} "
        f"(${config.turn_dollars or turn_dollars(limit, dollars):.2f} a turn), "
        f"{minutes:.0f} min of work, {limit.wait:g} min of waiting for limits"
    ]
    rows += filter(None, (_cost_warning(loop, config, name) for name in config.agents))
    if loop.shape.name == "colleague" and loop.gates_enabled:
        rows.append(
            "no person is there to ask: the questions between steps and at the end are left out"
        )
    return rows


def _cost_warning(loop: Loop, config: RunConfig, name: str) -> str:
    about = load_agent(name).about
    needs_price = about.dollars == "from tokens"
    if about.dollars == "unknown" or (needs_price and not has_price(loop, config, name)):
        return f"{name} tells no dollars: for it only iterations and minutes are a bound"
    if not about.capped:
        return f"{name} takes no budget for a turn: one turn may go beyond what is left"
    return ""


def has_price(loop: Loop, config: RunConfig, name: str) -> bool:
    model = config.model if name == config.agents[0] else ""
    return bool(model and price_of(model, loop.settings.prices))


def program_path(name: str) -> str:
    """The path of the agent's program; "" when it is missing."""
    from importlib.util import find_spec

    from ...disk.programs import agent_program

    about = load_about(name)
    if about.program:
        return agent_program(about.program)
    is_here = not about.library or find_spec(about.library) is not None
    return os.devnull if is_here else ""


def agent_config_text(about: About, account: dict[str, str]) -> str:
    """The text of the agent's config file, of the account or of the user; "" when it has none."""
    if about.config is None:
        return ""
    variable, folder, name = about.config
    home = account.get(variable) or os.environ.get(variable) or os.path.join(home_folder(), folder)
    return read_text(os.path.join(home, name), MAX_TEXT) or ""
