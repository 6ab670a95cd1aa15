"""Directives: what the core tells a driver. `message` is shown to the person once, unless empty.

Here are those of an ordinary Stop; the others are in rare_directives.py, as with the events.
"""

# ruff: noqa: F405 - the names of the star import
from __future__ import annotations

from .loop import Loop, Verdict
from .record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    # For type checkers. At run time __getattr__ below finds the rare directives.
    from .rare_directives import *  # noqa: F403


class Continue(Record):
    """Continue the agent with this prompt."""

    prompt: str
    message: str = ""


class Stop(Record):
    """Let the agent stop. `reason` is one of the documented words."""

    reason: str = ""
    message: str = ""
    verdict: Verdict | None = None
    answers_prompt: bool = False  # the person's prompt was the answer: no model needs to read it


class Move(Record):
    """One step of a loop. Events and loop are written before the directive is acted on."""

    loop: Loop
    events: tuple[Record, ...]
    directive: Directive


if TYPE_CHECKING:
    # What a driver receives. Checks and comparisons run before that.
    Reply = Continue | Stop | Ask | Wait | MergeLane
    Directive = Reply | RunCheck | CompareWithBaseline | RunInRoom | HashTree
else:
    Reply = Directive = Record  # only annotations use them

    def __getattr__(name):
        """A directive of rare_directives.py, under the name that it has here for everyone."""
        if name.startswith("__"):  # `from .directives import …` looks for __path__
            raise AttributeError(name)
        from . import rare_directives

        return getattr(rare_directives, name)
