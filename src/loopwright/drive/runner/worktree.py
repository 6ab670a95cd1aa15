"""--worktree: moves the loop to its own checkout and branch. The person's checkout stays."""

from __future__ import annotations

import os
import shutil

from ...core.loop import Loop
from ...disk.files import write_atomic
from ...repo import user_repo
from ...store import journal, second_copy
from ...store.create import note_ownership, prepare_folder
from ...store.folder import LoopFolder
from ..errors import UserError

# Of .loop/; the last four are created again.
STAYS_BEHIND = (
    *("git-before.json", "history", "lock", "driver.lock"),
    *("tree", "running", ".gitignore", "reserve"),
)
MOVED_NOTE = "moved"


def move_to_worktree(folder: LoopFolder, loop: Loop, path: str, yes: bool) -> LoopFolder:
    """Move the loop and return its new folder. A note in the old folder says where it is."""
    root, branch = folder.root, loop_branch(loop)
    if not user_repo.current_commit(root):
        raise UserError("--worktree needs a git repository with a commit to begin from")
    if not yes and (dirty := user_repo.uncommitted_files(root)):
        raise UserError(
            f"uncommitted changes would stay behind ({', '.join(dirty[:5])}). "
            "Commit them first, or add --yes to go without them"
        )
    new_root = os.path.abspath(path or f"{root}-loop-{loop.id[-6:]}")
    if os.path.exists(new_root):
        raise UserError(f"{new_root} is there already. Name another place: --worktree PATH")
    if problem := user_repo.add_worktree(root, new_root, branch):
        raise UserError(f"git would not make the worktree {new_root}: {problem}")
    new_folder = LoopFolder(new_root)
    prepare_folder(new_folder)
    names = [name for name in os.listdir(folder.path) if name not in STAYS_BEHIND]
    names.sort(key=lambda name: name == "journal.jsonl")  # last: with it the loop exists there
    for name in names:
        copy = shutil.copytree if os.path.isdir(folder.path_of(name)) else shutil.copy2
        copy(folder.path_of(name), new_folder.path_of(name))
    if loop.backlog:
        _move_backlog_page(root, new_root)
    note_ownership(new_folder, loop.id, journal.read(new_folder.journal_path).head)
    write_atomic(folder.path_of(MOVED_NOTE), f"{new_root}\n{branch}\n".encode())
    for name in reversed(names):  # the journal first: without it there is no loop here
        remove = shutil.rmtree if os.path.isdir(folder.path_of(name)) else os.remove
        remove(folder.path_of(name))
    second_copy.remove_mark(folder.real_root)
    return new_folder


def loop_branch(loop: Loop) -> str:
    return f"loop/{loop.id}"


def _move_backlog_page(root: str, new_root: str) -> None:
    client_folder = os.path.join(root, ".claude")
    new_client_folder = os.path.join(new_root, ".claude")
    os.makedirs(new_client_folder, exist_ok=True)
    for name in os.listdir(client_folder):
        if name.startswith("loop-state"):
            shutil.move(os.path.join(client_folder, name), os.path.join(new_client_folder, name))
    user_repo.ignore_own_files(new_root)
