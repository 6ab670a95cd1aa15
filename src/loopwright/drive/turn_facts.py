"""What the core cannot look up for itself: the tree of a signal, and the facts of the turn."""

from __future__ import annotations

from ..core.loop import Loop
from ..core.record import Record
from ..core.signals import Checked, Signal, TurnOver
from ..disk.processes import is_process_alive
from ..repo.tree import read_tree, tree_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.signals import ClientEvent

    TurnFactsReader = Callable[[TurnOver, Loop], TurnOver]

# Orders that are judged on the present tree when the loop has a plan.
ORDERS_ON_THE_TREE = ("verify", "execute", "continue")


class TurnCheckout(Record):
    """The checkout that a turn was in, and the folder where we keep our own index of it."""

    root: str
    state_folder: str
    ahead: tuple[Checked, ...] = ()  # checks that have run in it already


def complete_signal(
    checkout: TurnCheckout, signal: Signal, loop: Loop, read_facts: TurnFactsReader | None
) -> Signal:
    """The signal with its tree and the facts of the turn.

    Only when they count: the stop of a foreign session, or one while the loop waits, costs neither
    git nor a transcript.
    """
    if isinstance(signal, TurnOver):
        turn = signal.but(**_client_facts(signal, loop))
        if not _will_count(turn, loop):
            return turn
        return _complete_turn(checkout, turn, loop, read_facts)
    from ..core.signals import ClientEvent

    if isinstance(signal, ClientEvent):
        signal = signal.but(**_client_facts(signal, loop))
    if _needs_tree(signal, loop):
        tree = tree_hash(checkout.root, checkout.state_folder, loop.settings.volatile_globs)
        return signal.but(tree=tree)
    return signal


def _client_facts(signal: TurnOver | ClientEvent, loop: Loop) -> dict[str, object]:
    """What the processes of the machine say about the client that sent the signal."""
    facts: dict[str, object] = {"holder_gone": is_holder_gone(loop, signal.session)}
    lease = loop.lease
    is_other = signal.session == lease.holder and lease.pid not in (0, signal.pid)
    # Another client has the session only once the client that we know has ended. A process of the
    # agent may say that it is the client.
    if is_other and is_process_alive(lease.pid):
        facts["pid"] = 0
    return facts


def is_holder_gone(loop: Loop, session: str) -> bool:
    """Is the lease that of another session whose client is dead?"""
    lease = loop.lease
    if not lease.pid or lease.holder in ("", session) or loop.headless_run:
        return False
    return not is_process_alive(lease.pid)


def _will_count(turn: TurnOver, loop: Loop) -> bool:
    takes_lease = turn.attended and (not loop.lease.holder or turn.holder_gone)
    is_driver = takes_lease or loop.lease.holder == turn.session
    return loop.status == "running" and is_driver and not turn.busy and not turn.plan_mode


def _complete_turn(
    checkout: TurnCheckout, turn: TurnOver, loop: Loop, read_facts: TurnFactsReader | None
) -> TurnOver:
    root, state_folder = checkout.root, checkout.state_folder
    will_keep = bool(loop.baseline.tree_id) and not turn.lane_result
    reading = read_tree(root, state_folder, loop.settings.volatile_globs, store=will_keep)
    if reading.problem:
        turn = turn.but(tree=loop.tree, head=loop.head, tree_problem=reading.problem)
        return read_facts(turn, loop) if read_facts else turn
    turn = turn.but(tree=reading.tree)
    if turn.tree != loop.tree and will_keep:
        from ..repo.kept_trees import keep_tree, kept_tree_ref

        ref = kept_tree_ref(loop.id, loop.spend.iterations + 1)
        turn = turn.but(kept_commit=keep_tree(root, state_folder, turn.tree, ref))
    if loop.backlog:
        from ..repo.user_repo import head_digest

        turn = turn.but(head=head_digest(root))
    if loop.plan:
        from .plans.plan_files import reported_gaps

        turn = turn.but(reported_gaps=reported_gaps(root, state_folder, loop))
    return read_facts(turn, loop) if read_facts else turn


def _needs_tree(signal: Signal, loop: Loop) -> bool:
    from ..core.signals import Answered, ClientEvent, LaneMerged, LaneReady, Ordered, RunnerAttached

    if isinstance(signal, LaneMerged | LaneReady):
        return True
    if isinstance(signal, RunnerAttached):
        return bool(loop.round_to_finish)
    if isinstance(signal, Answered | ClientEvent):
        return bool(loop.gate and (loop.gate.name in ("G3", "finish", "packages") or loop.plan))
    is_order = isinstance(signal, Ordered) and signal.order in ORDERS_ON_THE_TREE
    return is_order and bool(loop.plan or loop.pending_claims.exit or loop.round_to_finish)


def gsd_edits(root: str, signal: Signal, loop: Loop) -> tuple[Signal, ...]:
    """What a person wrote into the state file of a GSD project."""
    if not (loop.plan and loop.plan.gsd and isinstance(signal, TurnOver)):
        return ()
    from .plans.plan_files import gsd_pause_signals

    return gsd_pause_signals(root, loop)
