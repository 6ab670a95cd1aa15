"""step: tell the loop what happened, prove what it wants proven, return what the agent should do."""

from __future__ import annotations

import os
import time

from ..core.engine import advance
from ..core.loop import ENDED, Loop
from ..core.record import Record, dumps, encode
from ..core.signals import Answered, Checked, Compare, Landed, Ordered, Reply, RunCheck, Signal, TurnOver, Woke
from ..store.folder import LoopFolder
from ..verify.tree import changed_files, tree_of

# Where a signal holds the words of an agent, or of what it set off. A person's own are kept as they are.
AGENTS_WORDS = {
    "TurnOver": ("text", "failure", "outcomes", "problem", "gaps"),
    "Claimed": ("claims", "extra"),
    "Tended": ("found", "done", "dropped", "order", "focus", "notes", "note", "noted"),
    "Ordered": ("reason",),
    "Landed": ("problem",),
}
# The signs of what verify/redact.py takes out, in small letters.
NAMES = ("token", "secret", "passw", "credential", "auth", "apikey", "api_key", "api-key", "private")
SIGNS = ("-----begin", "sk-", "pk-", "rk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "akia", "xox", "aiza", "eyj")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Look = Callable[[TurnOver, Loop], TurnOver]


class Site(Record):
    """The checkout that a turn was in, and where we keep our own index of it."""

    root: str
    state: str


def step(folder: LoopFolder, signal: Signal, look: Look | None = None, site: Site | None = None) -> Reply:
    """Tell the loop what happened; prove what it wants proven; return what the agent should do.

    The lock is held only while we fold and write, never while a check runs, so `loop cancel` in another terminal is
    heard between two checks. `look` fills in what only the agent's own files can tell (cost, tools, errors).
    """
    said, place = "", site or Site(folder.root, folder.path)
    while True:
        with folder.locked() as book:
            signal = seen(place, signal, book.loop, look)
            signal = without_secrets(signal, book.loop)
            inbox = (without_secrets(edit, book.loop) for edit in book.inbox)
            move = advance(book.loop, *inbox, *_by_hand(folder, signal, book.loop), signal)
            book.commit(move, signal)
            if move.loop.plan:
                from .papers import keep  # the files that people read of a plan

                keep(folder, move)
        said = f"{said}\n{move.directive.say}".strip()
        if isinstance(move.directive, Compare):
            from .closing import compare

            signal = compare(folder, move.directive, move.loop)
        elif isinstance(move.directive, RunCheck):
            signal = prove(folder, place, move.directive, move.loop)
        else:
            if move.loop.status in ENDED:
                end_orphans(folder)
            return move.directive.but(say=said)


def end_orphans(folder: LoopFolder) -> list[int]:
    """Checks and agents whose driver was killed: the next one ends them, and they go with the loop at the latest."""
    if not os.path.isdir(folder.inside("running")):
        return []
    from ..verify.groups import reap

    return reap(folder.path)


def _by_hand(folder: LoopFolder, signal: Signal, loop: Loop) -> tuple[Signal, ...]:
    """What a person wrote into the state file of a GSD project."""
    if not (loop.plan and loop.plan.gsd and isinstance(signal, TurnOver)):
        return ()
    from .papers import edited

    return edited(folder.root, loop)


def seen(site: Site, signal: Signal, loop: Loop, look: Look | None) -> Signal:
    """The signal with what the core cannot look up for itself: the tree it is judged on, and the facts of the turn.

    Only where it will count: a stranger's stop, or one while the loop waits, costs neither git nor a transcript.
    """
    if isinstance(signal, TurnOver):
        ours = loop.lease.holder in ("", signal.session)
        if loop.status != "running" or not ours or signal.busy or signal.planning:
            return signal
        turn = signal.but(tree=tree_of(site.root, site.state, loop.volatile))
        if turn.tree != loop.tree and loop.base and not turn.lane:
            from ..verify.kept import keep, ref_of

            turn = turn.but(kept=keep(site.root, site.state, turn.tree, ref_of(loop.id, loop.spend.iterations + 1)))
        if loop.backlog:
            from ..verify.clone import head_of

            turn = turn.but(head=head_of(site.root))
        if loop.plan:
            from .papers import reported

            turn = turn.but(gaps=reported(site.root, site.state, loop))
        return look(turn, loop) if look else turn
    asked = isinstance(signal, Answered | Woke) and loop.gate and (loop.gate.name == "G3" or loop.plan)
    ordered = isinstance(signal, Ordered) and signal.order in ("verify", "execute", "continue") and loop.plan
    if asked or ordered or isinstance(signal, Landed):
        return signal.but(tree=tree_of(site.root, site.state, loop.volatile))
    return signal


def without_secrets(signal: Signal, loop: Loop) -> Signal:
    """What an agent says, and what its tools print when they fail, goes into the journal; keys and passwords in it do not."""
    fields = () if isinstance(signal, Ordered) and signal.by == "person" else AGENTS_WORDS.get(type(signal).__name__, ())
    if not fields or not _hints(dumps([encode(getattr(signal, field)) for field in fields]).lower()):
        return signal
    from .secrets import hidden

    return hidden(signal, fields, loop)


def _hints(said: str) -> bool:
    """May a secret be in it? To look for one takes longer than all the rest of a Stop, so we look for its signs first."""
    if any(sign in said for sign in (*NAMES, *SIGNS)) or ("://" in said and "@" in said):
        return True
    secret = [value for name, value in os.environ.items() if len(value) > 7 and any(n in name.lower() for n in NAMES)]
    return any(dumps(value)[1:-1].lower() in said for value in secret)


def prove(folder: LoopFolder, site: Site, wanted: RunCheck, loop: Loop) -> Checked:
    if wanted.check.probe:  # it runs nothing, so it moves nothing
        from ..verify.probe import run as look_at

        return Checked(time.time(), look_at(wanted.check, wanted.criterion, wanted.tree, site.root), *_asked(wanted), wanted.tree)
    if wanted.check.origin in ("holdout", "review"):
        from . import closing

        at_the_end = closing.hold_out if wanted.check.origin == "holdout" else closing.review
        return Checked(
            time.time(), at_the_end(folder, wanted, loop), *_asked(wanted), tree_of(site.root, site.state, loop.volatile)
        )
    from ..verify.runner import run  # a loop without checks never pays for subprocess

    evidence = run(wanted.check, wanted.criterion, wanted.tree, site.root, folder.path, loop.pass_env)
    tree = tree_of(site.root, site.state, loop.volatile)
    moved = changed_files(site.root, site.state, wanted.tree, tree) if tree != wanted.tree else ""
    return Checked(time.time(), evidence, *_asked(wanted), tree, moved)


def _asked(wanted: RunCheck) -> tuple[int, int]:
    return wanted.round, wanted.fence
