"""--worktree: the loop moves to a checkout of its own, on a branch of its own. Yours stays as it is."""

from __future__ import annotations

import os
import shutil

from ...core.loop import Loop
from ...disk.files import write_atomic
from ...repo import user_repo
from ...store import journal
from ...store.create import note_ownership, prepare_folder
from ...store.folder import LoopFolder
from ..errors import UserError

STAYS_BEHIND = (
    "history",
    "lock",
    "driver.lock",
    "tree",
    "running",
    ".gitignore",
)  # of .loop/; the last three are made anew
MOVED_NOTE = "moved"


def move_to_worktree(folder: LoopFolder, loop: Loop, path: str, yes: bool) -> LoopFolder:
    """The folder in which it goes on. Where it was, a note says where it is."""
    if not user_repo.current_commit(folder.root):
        raise UserError("--worktree needs a git repository with a commit to begin from")
    if not yes and (dirty := user_repo.uncommitted_files(folder.root)):
        raise UserError(
            f"uncommitted changes would stay behind ({', '.join(dirty[:5])}). Commit them first, or add --yes to go without them"
        )
    place = os.path.abspath(path or f"{folder.root}-loop-{loop.id[-6:]}")
    if os.path.exists(place):
        raise UserError(f"{place} is there already. Name another place: --worktree PATH")
    if said := user_repo.add_worktree(folder.root, place, loop_branch(loop)):
        raise UserError(f"git would not make the worktree {place}: {said}")
    there = LoopFolder(place)
    prepare_folder(there)
    names = [name for name in os.listdir(folder.path) if name not in STAYS_BEHIND]
    for name in sorted(
        names, key=lambda name: name == "journal.jsonl"
    ):  # the journal last: with it the loop is there
        copy = shutil.copytree if os.path.isdir(folder.path_of(name)) else shutil.copy2
        copy(folder.path_of(name), there.path_of(name))
    if loop.backlog:
        _move_backlog_page(folder.root, place)
    note_ownership(there, loop.id, journal.read(there.journal_path).head)
    write_atomic(folder.path_of(MOVED_NOTE), f"{place}\n{loop_branch(loop)}\n".encode())
    for name in names:
        shutil.rmtree(folder.path_of(name)) if os.path.isdir(folder.path_of(name)) else os.remove(
            folder.path_of(name)
        )
    return there


def loop_branch(loop: Loop) -> str:
    return f"loop/{loop.id}"


def _move_backlog_page(root: str, place: str) -> None:
    ours = os.path.join(root, ".claude")
    os.makedirs(os.path.join(place, ".claude"), exist_ok=True)
    for name in os.listdir(ours):
        if name.startswith("loop-state"):
            shutil.move(os.path.join(ours, name), os.path.join(place, ".claude", name))
    user_repo.ignore_own_files(place)
