"""Directives: what the core tells a driver. `message` is shown to the person once, unless empty."""

from __future__ import annotations

from .criteria import Check
from .event import Event
from .loop import Loop
from .proof.state import Verdict
from .record import Record

TYPE_CHECKING = False


class Continue(Record):
    """Continue the agent with this prompt."""

    prompt: str
    message: str = ""
    # The agent can begin with the first line; a client may send the rest where no person reads it.
    first_line_is_enough: bool = False


class Stop(Record):
    """Let the agent stop. `reason` is one of the documented words."""

    reason: str = ""
    message: str = ""
    verdict: Verdict | None = None
    answers_prompt: bool = False  # the person's prompt was the answer: no model needs to read it


class Ask(Record):
    """Let the agent stop and wait for a person."""

    question: str
    message: str = ""
    answers_prompt: bool = True  # after a prompt: the person answers, the agent has nothing to do


class Wait(Record):
    """Let the agent stop until then: it cannot work before."""

    until: float
    why: str
    message: str = ""


class RunCheck(Record):
    """Run this check and send its evidence back with the same round and fence."""

    check: Check
    criterion: str
    round: int
    fence: int
    tree: str
    message: str = ""


class CompareWithBaseline(Record):
    """Every criterion is met: compare the tree with the baseline."""

    round: int
    fence: int
    tree: str
    message: str = ""


class RunInCleanCheckout(Record):
    """Run every check in a clean checkout: one of the runs of `clean_checkout.RUN_ORDER`."""

    kind: str
    round: int
    fence: int
    tree: str
    message: str = ""


class MeasureStrength(Record):
    """Take parts of the work away in a clean checkout: do the checks notice?"""

    round: int
    fence: int
    tree: str
    message: str = ""


class HashTree(Record):
    """Everything supports the claim: hash the files once more, as the last act of the proof."""

    round: int
    fence: int
    tree: str
    message: str = ""


class MergeLane(Record):
    """The task's checks pass on the lane's commit: merge it into the main checkout."""

    task: str
    commit: str
    message: str = ""


if TYPE_CHECKING:
    # What a driver receives. Checks and comparisons run before that.
    Reply = Continue | Stop | Ask | Wait | MergeLane
    PartOfProof = RunCheck | CompareWithBaseline | RunInCleanCheckout | MeasureStrength | HashTree
    Directive = Reply | PartOfProof
else:
    Reply = PartOfProof = Directive = Record  # only annotations use them


class Move(Record):
    """One step of a loop. Events and loop are written before the directive is acted on."""

    loop: Loop
    events: tuple[Event, ...]
    directive: Directive
