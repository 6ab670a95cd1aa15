"""--worktree: the loop moves to a checkout of its own, on a branch of its own. Yours stays as it is."""

from __future__ import annotations

import os
import shutil

from ..core.loop import Loop
from ..store import journal
from ..store.folder import LoopFolder
from ..store.journal import write_atomic
from ..store.lay import own, prepare
from ..verify import clone
from .orders import UserError

STAYS = ("history", "lock", "driver.lock", "tree", "running", ".gitignore")  # of .loop/; the last three are made anew
MOVED = "moved"


def move(folder: LoopFolder, loop: Loop, path: str, yes: bool) -> LoopFolder:
    """The folder in which it goes on. Where it was, a note says where it is."""
    if not clone.commit_of(folder.root):
        raise UserError("--worktree needs a git repository with a commit to begin from")
    if not yes and (dirty := clone.dirty(folder.root)):
        raise UserError(
            f"uncommitted changes would stay behind ({', '.join(dirty[:5])}). Commit them first, or add --yes to go without them"
        )
    place = os.path.abspath(path or f"{folder.root}-loop-{loop.id[-6:]}")
    if os.path.exists(place):
        raise UserError(f"{place} is there already. Name another place: --worktree PATH")
    if said := clone.add_worktree(folder.root, place, branch_for(loop)):
        raise UserError(f"git would not make the worktree {place}: {said}")
    there = LoopFolder(place)
    prepare(there)
    names = [name for name in os.listdir(folder.path) if name not in STAYS]
    for name in sorted(names, key=lambda name: name == "journal.jsonl"):  # the journal last: with it the loop is there
        copy = shutil.copytree if os.path.isdir(folder.inside(name)) else shutil.copy2
        copy(folder.inside(name), there.inside(name))
    if loop.backlog:
        _take_page(folder.root, place)
    own(there, loop.id, journal.read(there.journal).head)
    write_atomic(folder.inside(MOVED), f"{place}\n{branch_for(loop)}\n".encode())
    for name in names:
        shutil.rmtree(folder.inside(name)) if os.path.isdir(folder.inside(name)) else os.remove(folder.inside(name))
    return there


def branch_for(loop: Loop) -> str:
    return f"loop/{loop.id}"


def _take_page(root: str, place: str) -> None:
    ours = os.path.join(root, ".claude")
    os.makedirs(os.path.join(place, ".claude"), exist_ok=True)
    for name in os.listdir(ours):
        if name.startswith("loop-state"):
            shutil.move(os.path.join(ours, name), os.path.join(place, ".claude", name))
    clone.exclude(place)
