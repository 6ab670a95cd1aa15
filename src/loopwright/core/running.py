"""What only a runner knows and does: money set aside before a turn, turns cut off, usage limits waited for, another agent."""

from __future__ import annotations

from . import breakers, wording
from . import events as ev
from .engine import tick
from .loop import ENDED, Loop
from .record import Record
from .signals import Ask, Began, Came, Continue, Directive, Stop, TurnOver, Wait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

HOLDER = "runner:"  # so begins the name of a runner in the lease
FIRST_WAIT, LONGEST_WAIT = 10.0, 900.0  # seconds, doubled from one to the other, where nobody says when a fault passes


class Told(Record):
    """What the runner saw of a turn beyond what every driver sees."""

    agent: str
    session: str = ""  # the agent's own
    tokens: tuple[int, ...] = ()  # reported by that session so far, where it counts on
    cut: str = ""  # why the turn was cut off
    lost: bool = False  # the runner died in it: it is begun again, and is no iteration
    denied: tuple[str, ...] = ()  # tool calls that nobody was there to permit
    limited: bool = False  # a usage limit
    until: float = 0.0  # and when it is reset; 0: nobody says
    said: str = ""  # the end of its answer, without secrets: for who comes next with a fresh context


class Run(Record):
    agents: tuple[str, ...]
    agent: str = ""  # who works now
    base: str = ""
    lanes: int = 0  # tasks of a plan side by side; 0: one after the other, in place
    strict: bool = False  # the first task that is out of retries pauses the loop
    begun: float = 0.0  # since then a turn is under way; 0: none
    reserve: float = 0.0  # dollars set aside for it
    turns: int = 0  # begun so far, those that were cut off or failed among them; each has its log
    session: str = ""
    tokens: tuple[int, ...] = ()
    said: str = ""
    cut: str = ""
    denied: tuple[str, ...] = ()
    helpless: bool = False  # denied, and nothing has changed
    limits: tuple[tuple[str, float], ...] = ()  # agents that cannot work, and until when
    faults: int = 0  # turns in a row that met a limit or a passing fault
    until: float = 0.0  # waits until then
    waits: float = 0.0  # since then
    waiting: str = ""
    waited: float = 0.0  # seconds in all

    @staticmethod
    def drives(holder: str) -> bool:
        """Is the driver a runner?"""
        return holder.startswith(HOLDER)


class RunnerCame(Record):
    agents: tuple[str, ...]
    base: str = ""
    lanes: int = 0
    strict: bool = False


class TurnBegan(Record):
    """The reserve is written down before a cent of it is spent."""

    at: float
    agent: str
    reserve: float


class TurnTold(Record):
    told: Told
    failed: bool = False
    helpless: bool = False


class AgentLimited(Record):
    agent: str
    until: float
    known: bool  # the agent said until when


class WaitBegan(Record):
    at: float
    until: float
    why: str


def came(draft: ev.Draft, signal: Came) -> Directive:
    """A runner takes over. What the last driver left in the middle is finished first."""
    loop = draft.loop
    if loop.status in ENDED:
        return Stop(say=f"this loop has ended ({loop.status})")
    pending = loop.turn
    draft.say(ev.LeaseTaken(signal.at, signal.session, signal.pid))
    draft.say(RunnerCame(signal.agents, signal.base, signal.lanes, signal.strict))
    if loop.gate:
        return Ask(loop.gate.question, wording.asking(loop))
    if loop.status == "paused":
        return Stop(loop.why, wording.paused(loop))
    if pending and not pending.lane:  # its turn was over, its checks were not; a lane's are made in its own worktree
        again = pending.but(round=loop.rounds + 1, second=False, ran=(), now="", movers=(), moved="")
        from .policies import spec

        return spec.begin(draft, again, signal.at)
    run = run_of(draft.loop)
    if run.until > signal.at:
        return Wait(run.until, run.waiting)
    return Continue("")


def began(draft: ev.Draft, signal: Began) -> Directive:
    """A turn is about to start: with what prompt, and with how much money at most."""
    loop = draft.loop
    if loop.lease.holder != signal.session:
        return Stop("another driver", f"[LOOP] {loop.lease.holder or 'nobody'} drives this loop now.")
    if loop.gate:
        return Ask(loop.gate.question, wording.asking(loop))
    if loop.status != "running":
        return Stop(loop.why, wording.paused(loop) if loop.status == "paused" else "")
    for name in wording.NEED_A_RAISE:
        if why := breakers.BREAKERS[name](tick(loop, signal.at, True)):  # what has passed since the last turn counts too
            return breakers.pause(draft, name, why, signal.at)
    run = run_of(loop)
    agent = next((name for name in run.agents if ready(run, name) <= signal.at), run.agents[0])
    if loop.plan:
        from .policies.giving import lane_began

        if signal.place:
            return lane_began(draft, signal, agent)
    from .orders import next_prompt

    left, prompt = loop.limits.dollars - loop.spend.dollars, next_prompt(draft)
    draft.say(TurnBegan(signal.at, agent, min(left, signal.most or left)))
    return Continue(prompt)


def ready(run: Run, agent: str) -> float:
    """When the agent can work again; 0: it can."""
    return dict(run.limits).get(agent, 0.0)


def settle(draft: ev.Draft, turn: TurnOver) -> None:
    """Nobody asks how the turn went any more; what it cost is written down all the same."""
    draft.say(ev.TurnEnded(turn.at, draft.loop.tree, turn.dollars, unpriced=turn.unpriced, counts=False, head=draft.loop.head))
    _tell(draft, turn, moved=True)


def heard(draft: ev.Draft, turn: TurnOver, before: Loop) -> Directive | None:
    """After a turn of a runner: None where it is judged like any other; else why not, and what follows."""
    told = turn.told
    assert told is not None
    _tell(draft, turn, moved=turn.tree != before.tree)
    if told.lost:
        return Continue("")
    if turn.failure and not told.limited:
        from .errors import TRANSIENT, classify

        if classify(turn.failure, from_api=True) != TRANSIENT:
            return None
    elif not told.limited:
        return None
    return rest(draft, told, turn.failure or "its usage limit is reached", turn.at)


def _tell(draft: ev.Draft, turn: TurnOver, moved: bool) -> None:
    assert turn.told is not None
    failed = bool(turn.failure or turn.told.limited)
    helpless = bool(turn.told.denied) and not moved and not draft.loop.plan  # a task that was denied failed; its retries bound it
    draft.say(TurnTold(turn.told, failed, helpless=helpless))
    if turn.lane:
        from .planning import LaneOver

        draft.say(LaneOver(turn.lane.task))


def rest(draft: ev.Draft, told: Told, why: str, at: float) -> Directive:
    """The agent cannot work: another one goes on, or all wait for the first that can."""
    run = run_of(draft.loop)
    known = told.until > at
    pause = 0.0 if known and not run.faults else min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(run.faults, 10))  # a reset that was none
    draft.say(AgentLimited(told.agent, max(told.until, at + pause), known))
    run, words = run_of(draft.loop), f"{told.agent}: {wording.clip(' '.join(why.split()), 200)}"
    agent = min(run.agents, key=lambda name: max(ready(run, name), at))
    until = ready(run, agent)
    if until <= at:
        return Continue("", f"[LOOP] {words}. {agent} goes on.")
    seconds = until - at
    if run.waited + seconds > draft.loop.limits.wait * 60:
        more = f"{words}. It would take {seconds / 60:.0f} more minutes, over the {draft.loop.limits.wait:g} of limits.wait"
        return breakers.pause(draft, "limit", more, at)
    draft.say(WaitBegan(at, until, words))
    return Wait(until, words, f"[LOOP] ⏳ {words}. Waiting {wording.duration(seconds)}.")


def run_of(loop: Loop) -> Run:
    assert loop.run is not None, "BUG: no runner has come yet"
    return loop.run


def _came(loop: Loop, e: RunnerCame) -> Loop:
    """Counters go on; the time in which nobody worked does not count."""
    known = loop.run or Run(e.agents, base=e.base)
    limits = tuple(pair for pair in known.limits if pair[0] in e.agents)
    waits = known.until if set(e.agents) <= set(known.agents) else 0.0  # a new agent need not wait for the old
    known = known.but(agents=e.agents, lanes=e.lanes, strict=e.strict, limits=limits, until=waits, begun=0.0, reserve=0.0)
    return loop.but(run=known, since=0.0)


def waited(run: Run, at: float) -> Run:
    """Somebody works again: how long nobody did is added up."""
    more = max(0.0, min(at, run.until) - run.waits) if run.until else 0.0
    return run.but(until=0.0, waits=0.0, waiting="", waited=run.waited + more)


def _began(loop: Loop, e: TurnBegan) -> Loop:
    run = waited(run_of(loop), e.at)
    if e.agent != run.agent:
        run = run.but(agent=e.agent, session="", tokens=())
    run = run.but(begun=e.at, reserve=e.reserve, turns=run.turns + 1)
    return tick(loop, e.at, True).but(run=run, prompt_waits=False)


def _told(loop: Loop, e: TurnTold) -> Loop:
    run, told = run_of(loop), e.told
    run = run.but(begun=0.0, reserve=0.0, said=told.said or run.said, cut=told.cut, denied=told.denied, helpless=e.helpless)
    faults = run.faults if e.failed else 0
    return loop.but(run=run.but(session=told.session or run.session, tokens=told.tokens or run.tokens, faults=faults))


def _limited(loop: Loop, e: AgentLimited) -> Loop:
    run = run_of(loop)
    limits = {**dict(run.limits), e.agent: e.until}
    return loop.but(run=run.but(limits=tuple(limits.items()), faults=run.faults + 1))


CHANGES: dict[str, Callable[[Loop, Any], Loop]] = {
    "RunnerCame": _came,
    "TurnBegan": _began,
    "TurnTold": _told,
    "AgentLimited": _limited,
    "WaitBegan": lambda loop, e: loop.but(run=run_of(loop).but(until=e.until, waits=e.at, waiting=e.why)),
}


def evolve(loop: Loop, event: Record) -> Loop:
    """The loop after an event of its runner."""
    return CHANGES[type(event).__name__](loop, event)
