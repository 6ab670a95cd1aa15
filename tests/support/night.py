"""What a night brings: a runner that comes, turns that begin and end, and Night, a story that a runner drives."""

from __future__ import annotations

from typing import Any

from loopwright.core.directives import RunCheck
from loopwright.core.events import LoopStarted
from loopwright.core.loop import Lease, Loop, run_of
from loopwright.core.record import Record
from loopwright.core.runner.run import Run, RunnerReport
from loopwright.core.signals import RunnerAttached, TurnOver, TurnStarting
from tests.support.builders import TREE, Story, a_loop, failed, passed

RUNNER = "runner:7"
OTHER = "runner:8"


def runner_attached(*agents: str, session: str = RUNNER, **details: Any) -> RunnerAttached:
    return RunnerAttached(
        **{
            "at": 0.0,
            "session": session,
            "pid": 7,
            "agents": agents or ("claude",),
            "base_commit": "c0ffee",
            **details,
        }
    )


def turn_starting(most: float = 0.0, session: str = RUNNER, at: float = 0.0) -> TurnStarting:
    return TurnStarting(at, session, most)


def runner_turn_over(
    text: str = "", tree: str = TREE, *, agent: str = "claude", own: str = "", **facts: Any
) -> TurnOver:
    """A turn of a runner is over: facts of any turn, and those that only a runner tells. `own` is the agent's own session."""
    told = RunnerReport(
        agent,
        own,
        **{
            "answer_tail": text.strip(),
            **{name: facts.pop(name) for name in RunnerReport.FIELDS[2:] if name in facts},
        },
    )
    return TurnOver(
        **{
            "at": 0.0,
            "session": RUNNER,
            "text": text,
            "tree": tree,
            "tool_calls": 1,
            "runner_report": told,
            **facts,
        }
    )


def a_free_loop(**changes: Any) -> Loop:
    """A loop that nobody drives yet, as `loop start` leaves it for the night; its tree is known."""
    return a_loop(**{"lease": Lease(), "tree": TREE, **changes})


class Night(Story):
    """A loop that a runner has come to. Ten seconds pass between two things, unless we say otherwise."""

    def __init__(self, loop: Loop | None = None, *agents: str, **details: Any) -> None:
        super().__init__(loop or a_free_loop())
        self.first = self.loop
        self.tell(runner_attached(*agents, **details))

    @property
    def run(self) -> Run:
        return run_of(self.loop)

    @property
    def journal(self) -> list[tuple[Record, ...]]:
        """Every move, as a journal keeps them."""
        return [(LoopStarted(self.first),), tuple(self.events)]

    def begin(self, most: float = 0.0, at: float = 0.0) -> Any:
        """A turn is about to start."""
        return self.tell(turn_starting(most, at=at))

    def end_turn(
        self,
        text: str = "",
        tree: str = TREE,
        *,
        checks: dict[str, bool] | None = None,
        **facts: Any,
    ) -> Any:
        """The turn that was begun is over, and every check that is asked for is answered; those not named fail."""
        directive = self.tell(runner_turn_over(text, tree, agent=self.run.agent, **facts))
        while isinstance(directive, RunCheck):
            name = directive.criterion
            directive = self.tell(passed(name) if (checks or {}).get(name) else failed(name))
        return directive

    def whole_turn(self, text: str = "", tree: str = TREE, begun: float = 0.0, **facts: Any) -> Any:
        """A whole turn."""
        self.begin(at=begun)
        return self.end_turn(text, tree, **facts)
