"""Closing: what the core asks for once every check passes: the look back to the start, the held-out checks, the reviewer."""

from __future__ import annotations

import time

from ..core.loop import Evidence, Loop
from ..core.ratchet import HIGH, Finding
from ..core.signals import Compare, Compared, RunCheck
from ..store import holdouts
from ..store.folder import LoopFolder
from ..verify import kept, ratchet, stillness, tools
from ..verify import review as reviewing
from ..verify.git import several
from ..verify.runner import run
from ..verify.start import COPIED, look_back

END = "end"  # the ref of the tree that was looked back from


def compare(folder: LoopFolder, wanted: Compare, loop: Loop) -> Compared:
    """The tree from its content, which files were touched, what was weakened, which program was replaced."""
    root, path = folder.root, folder.path
    tree = stillness.anew(root, path, loop.volatile)
    checked = [c for c in (*loop.criteria, *loop.forbidden, *loop.last) if c.check and not c.check.probe]
    ran = {c.name: c.proof.at for c in checked if c.proof and c.proof.by == "loop" and c.proof.tree == wanted.tree}
    now = time.time()
    written = stillness.touched(root, path, loop.volatile, min(ran.values(), default=now))
    names = tuple(name for name, at in ran.items() if at > now or any(moment > at - stillness.MARGIN for moment, _ in written))
    commit = kept.keep(root, path, tree, kept.ref_of(loop.id, END))
    found, files = _findings(folder, loop, tree), several(name for _, name in written)
    return Compared(now, wanted.round, wanted.fence, tree, found, names, files, commit)


def hold_out(folder: LoopFolder, wanted: RunCheck, loop: Loop) -> Evidence:
    """Run what the loop itself does not know. All that it learns is whether it passes."""
    held = next(c for c in loop.last if c.name == wanted.criterion)
    check = holdouts.opened(loop.id, held)
    if check is None:
        return Evidence(held.name, False, tree=wanted.tree, at=time.time(), outcome="missing", detail="its command is gone")
    found = run(check, held.name, wanted.tree, folder.root, folder.path, loop.pass_env, aside=holdouts.place(loop.id))
    told = Evidence(held.name, found.passed, tree=wanted.tree, seconds=found.seconds, at=found.at)
    return told.but(outcome="missing", detail="it cannot be run") if found.outcome == "missing" else told


def review(folder: LoopFolder, wanted: RunCheck, loop: Loop) -> Evidence:
    feed = reviewing.question(loop, difference(folder, loop))
    return reviewing.review(wanted.check, wanted.criterion, wanted.tree, folder.root, folder.path, loop.pass_env, feed)


def difference(folder: LoopFolder, loop: Loop) -> str:
    """All that changed since the start, as git shows it; where git has not both, the files that matter for a proof."""
    commit = kept.keep(folder.root, folder.path, loop.tree, kept.ref_of(loop.id, END))
    if commit and loop.base and not loop.base.startswith(COPIED):
        return kept.difference(folder.root, loop.base, commit)
    changes, _ = look_back(folder.root, folder.path, loop.base, loop.tree, ())
    return "\n".join(f"{change.path}\n{change.after or '(deleted)'}" for change in changes)


def _findings(folder: LoopFolder, loop: Loop, tree: str) -> tuple[Finding, ...]:
    found = list(tools.replaced(loop.tools, folder.root, loop.started_at))
    if loop.base:
        changes, wrong = look_back(folder.root, folder.path, loop.base, tree, loop.protect)
        commands = tuple(c.check.command for c in loop.criteria if c.check and not c.check.probe)
        found += [*wrong, *ratchet.findings(changes, commands)]
    elif loop.protect:
        found.append(Finding(HIGH, "the tree of the start was not kept, so nobody knows", ", ".join(loop.protect)))
    return tuple(found)
