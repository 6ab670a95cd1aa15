"""step: tell the loop what happened, prove what it wants proven, return what the agent should do."""

from __future__ import annotations

import time

from ..core.engine import advance
from ..core.loop import Loop
from ..core.signals import Answered, Checked, Reply, RunCheck, Signal, TurnOver, Woke
from ..store.folder import LoopFolder
from ..verify.tree import changed_files, tree_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Look = Callable[[TurnOver, Loop], TurnOver]


def step(folder: LoopFolder, signal: Signal, look: Look | None = None) -> Reply:
    """Tell the loop what happened; prove what it wants proven; return what the agent should do.

    The lock is held only while we fold and write, never while a check runs, so `loop cancel` in another terminal is
    heard between two checks. `look` fills in what only the agent's own files can tell (cost, tools, errors).
    """
    said = ""
    while True:
        with folder.locked() as book:
            signal = seen(folder, signal, book.loop, look)
            move = advance(book.loop, *book.inbox, signal)
            book.commit(move, signal)
        said = f"{said}\n{move.directive.say}".strip()
        if not isinstance(move.directive, RunCheck):
            return move.directive.but(say=said)
        signal = prove(folder, move.directive, move.loop)


def seen(folder: LoopFolder, signal: Signal, loop: Loop, look: Look | None) -> Signal:
    """The signal with what the core cannot look up for itself: the tree it is judged on, and the facts of the turn.

    Only where it will count: a stranger's stop, or one while the loop waits, costs neither git nor a transcript.
    """
    if isinstance(signal, TurnOver):
        ours = loop.lease.holder in ("", signal.session)
        if loop.status != "running" or not ours or signal.busy or signal.planning:
            return signal
        turn = signal.but(tree=tree_of(folder.root, folder.path, loop.volatile))
        if loop.backlog:
            from ..verify.clone import head_of

            turn = turn.but(head=head_of(folder.root))
        return without_secrets(look(turn, loop)) if look else turn
    if isinstance(signal, Answered | Woke) and loop.gate and loop.gate.name == "G3":
        return signal.but(tree=tree_of(folder.root, folder.path, loop.volatile))
    return signal


def without_secrets(turn: TurnOver) -> TurnOver:
    """What the agent's tools printed when they failed goes into the journal; keys and passwords in it do not."""
    if not any(outcome.error for outcome in turn.outcomes):
        return turn
    from ..verify.redact import redact

    return turn.but(outcomes=tuple(outcome.but(error=redact(outcome.error)) for outcome in turn.outcomes))


def prove(folder: LoopFolder, wanted: RunCheck, loop: Loop) -> Checked:
    from ..verify.runner import run  # a loop without checks never pays for subprocess

    evidence = run(wanted.check, wanted.criterion, wanted.tree, folder.root, folder.path, loop.pass_env)
    tree = tree_of(folder.root, folder.path, loop.volatile)
    moved = changed_files(folder.root, folder.path, wanted.tree, tree) if tree != wanted.tree else ""
    return Checked(time.time(), evidence, wanted.round, wanted.fence, tree, moved)
