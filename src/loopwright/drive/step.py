"""step: tell the loop what happened, prove what it wants proven, return what the agent should do."""

from __future__ import annotations

import os
import time

from ..core.directives import CompareWithBaseline, Reply, RunCheck
from ..core.engine import advance
from ..core.json_text import dumps
from ..core.loop import Loop
from ..core.record import Record, encode
from ..core.signals import Answered, Checked, ClientEvent, LaneMerged, Ordered, Signal, TurnOver
from ..core.status import ENDED
from ..repo.tree import changed_files, tree_hash
from ..store.folder import LoopFolder

# Where a signal holds the words of an agent, or of what it set off. A person's own are kept as they are.
AGENT_TEXT_FIELDS = {
    "TurnOver": ("text", "api_failure", "tool_outcomes", "problem", "reported_gaps"),
    "Claimed": ("claims", "extra_json"),
    "BacklogEdited": ("found", "done", "dropped", "item_order", "focus", "notes", "new_note", "notes_on_page"),
    "Ordered": ("reason",),
    "LaneMerged": ("problem",),
}
# The signs of what verify/redact.py takes out, in small letters.
SECRET_NAMES = ("token", "secret", "passw", "credential", "auth", "apikey", "api_key", "api-key", "private")
SECRET_SIGNS = (
    "-----begin",
    "sk-",
    "pk-",
    "rk-",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "akia",
    "xox",
    "aiza",
    "eyj",
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    TurnFactsReader = Callable[[TurnOver, Loop], TurnOver]


class TurnCheckout(Record):
    """The checkout that a turn was in, and where we keep our own index of it."""

    root: str
    state_folder: str


def step(folder: LoopFolder, signal: Signal, look: TurnFactsReader | None = None, site: TurnCheckout | None = None) -> Reply:
    """Tell the loop what happened; prove what it wants proven; return what the agent should do.

    The lock is held only while we fold and write, never while a check runs, so `loop cancel` in another terminal is
    heard between two checks. `look` fills in what only the agent's own files can tell (cost, tools, errors).
    """
    said, place = "", site or TurnCheckout(folder.root, folder.path)
    while True:
        with folder.locked() as book:
            signal = complete_signal(place, signal, book.loop, look)
            signal = redact_secrets(signal, book.loop)
            inbox = (redact_secrets(edit, book.loop) for edit in book.inbox)
            move = advance(book.loop, *inbox, *_gsd_edits(folder, signal, book.loop), signal)
            book.commit(move, signal)
            if move.loop.plan:
                from .plan_files import write_plan_files  # the files that people read of a plan

                write_plan_files(folder, move)
        said = f"{said}\n{move.directive.message}".strip()
        if isinstance(move.directive, CompareWithBaseline):
            from .final_proof import run_comparison

            signal = run_comparison(folder, move.directive, move.loop)
        elif isinstance(move.directive, RunCheck):
            signal = prove_criterion(folder, place, move.directive, move.loop)
        else:
            if move.loop.status in ENDED:
                end_orphans(folder)
            return move.directive.but(message=said)


def end_orphans(folder: LoopFolder) -> list[int]:
    """Checks and agents whose driver was killed: the next one ends them, and they go with the loop at the latest."""
    if not os.path.isdir(folder.path_of("running")):
        return []
    from ..verify.process_groups import end_orphaned_groups

    return end_orphaned_groups(folder.path)


def _gsd_edits(folder: LoopFolder, signal: Signal, loop: Loop) -> tuple[Signal, ...]:
    """What a person wrote into the state file of a GSD project."""
    if not (loop.plan and loop.plan.gsd and isinstance(signal, TurnOver)):
        return ()
    from .plan_files import gsd_pause_signals

    return gsd_pause_signals(folder.root, loop)


def complete_signal(site: TurnCheckout, signal: Signal, loop: Loop, look: TurnFactsReader | None) -> Signal:
    """The signal with what the core cannot look up for itself: the tree it is judged on, and the facts of the turn.

    Only where it will count: a stranger's stop, or one while the loop waits, costs neither git nor a transcript.
    """
    if isinstance(signal, TurnOver):
        ours = loop.lease.holder in ("", signal.session)
        if loop.status != "running" or not ours or signal.busy or signal.plan_mode:
            return signal
        turn = signal.but(tree=tree_hash(site.root, site.state_folder, loop.volatile_globs))
        if turn.tree != loop.tree and loop.baseline_id and not turn.lane_result:
            from ..repo.kept_trees import keep_tree, kept_tree_ref

            turn = turn.but(
                kept_commit=keep_tree(site.root, site.state_folder, turn.tree, kept_tree_ref(loop.id, loop.spend.iterations + 1))
            )
        if loop.backlog:
            from ..repo.user_repo import head_digest

            turn = turn.but(head=head_digest(site.root))
        if loop.plan:
            from .plan_files import reported_gaps

            turn = turn.but(reported_gaps=reported_gaps(site.root, site.state_folder, loop))
        return look(turn, loop) if look else turn
    asked = isinstance(signal, Answered | ClientEvent) and loop.gate and (loop.gate.name == "G3" or loop.plan)
    ordered = isinstance(signal, Ordered) and signal.order in ("verify", "execute", "continue") and loop.plan
    if asked or ordered or isinstance(signal, LaneMerged):
        return signal.but(tree=tree_hash(site.root, site.state_folder, loop.volatile_globs))
    return signal


def redact_secrets(signal: Signal, loop: Loop) -> Signal:
    """What an agent says, and what its tools print when they fail, goes into the journal; keys and passwords in it do not."""
    fields = () if isinstance(signal, Ordered) and signal.by == "person" else AGENT_TEXT_FIELDS.get(type(signal).__name__, ())
    if not fields or not _may_hold_secret(dumps([encode(getattr(signal, field)) for field in fields]).lower()):
        return signal
    from .redaction import redact_fields

    return redact_fields(signal, fields, loop)


def _may_hold_secret(said: str) -> bool:
    """May a secret be in it? To look for one takes longer than all the rest of a Stop, so we look for its signs first."""
    if any(sign in said for sign in (*SECRET_NAMES, *SECRET_SIGNS)) or ("://" in said and "@" in said):
        return True
    secret = [value for name, value in os.environ.items() if len(value) > 7 and any(n in name.lower() for n in SECRET_NAMES)]
    return any(dumps(value)[1:-1].lower() in said for value in secret)


def prove_criterion(folder: LoopFolder, site: TurnCheckout, wanted: RunCheck, loop: Loop) -> Checked:
    if wanted.check.probe:  # it runs nothing, so it moves nothing
        from ..verify.probes.probe import run_probe as look_at

        return Checked(
            time.time(), look_at(wanted.check, wanted.criterion, wanted.tree, site.root), *_round_and_fence(wanted), wanted.tree
        )
    if wanted.check.origin in ("holdout", "review"):
        from . import final_proof

        at_the_end = final_proof.run_held_out_check if wanted.check.origin == "holdout" else final_proof.run_review
        return Checked(
            time.time(),
            at_the_end(folder, wanted, loop),
            *_round_and_fence(wanted),
            tree_hash(site.root, site.state_folder, loop.volatile_globs),
        )
    from ..verify.runner import run_check  # a loop without checks never pays for subprocess

    evidence = run_check(wanted.check, wanted.criterion, wanted.tree, site.root, folder.path, loop.pass_env)
    tree = tree_hash(site.root, site.state_folder, loop.volatile_globs)
    moved = changed_files(site.root, site.state_folder, wanted.tree, tree) if tree != wanted.tree else ""
    return Checked(time.time(), evidence, *_round_and_fence(wanted), tree, moved)


def _round_and_fence(wanted: RunCheck) -> tuple[int, int]:
    return wanted.round, wanted.fence
