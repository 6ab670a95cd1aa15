"""Which files of a repository decide what git executes: an agent that writes them can escape."""

from __future__ import annotations

import os
import re

from ..core.record import Record
from ..disk.files import free_name, read_text, write_atomic
from ..repo.git_box import keep_branch, own_branch
from .git_links import open_folder
from .git_settings import find_named_paths, read_settings, resolve_path
from .kept_paths import create_missing, note_links, restore_links
from .new_repository import tame_new_repository

MAX_CONFIG = 1_000_000
VALID_HEAD = re.compile(r"(ref:\s*refs/\S+|[0-9a-f]{40}|[0-9a-f]{64})\s*")
BRANCH_OF_HEAD = re.compile(r"ref:\s*refs/heads/(\S+)\s*")
OWN_BRANCHES = "refs/heads/loop/"  # of lanes and attempts: each has its own in a folder


# git takes its settings from the folder that this file names. A main checkout has none, so an agent
# could create it. While a loop works, ours is there and names the folder itself: nothing changes.
COMMON_NAME, ITSELF = "commondir", ".\n"
CREATED_ELSEWHERE = (COMMON_NAME, "gitdir")
HEADS: dict[str, str] = {}  # of each git folder, as it was when it was last whole


class GitPaths(Record):
    """The git folders of a checkout, and what must stay as it is in them and in the checkout."""

    folders: tuple[str, ...] = ()  # .git, or those of a worktree, which lie elsewhere
    files: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()  # hook folders, and programs that settings name
    kept_folders: tuple[str, ...] = ()  # written, but never moved: without them .git is none
    # Of a worktree: all that it writes in the folder that it shares with other checkouts.
    written_folders: tuple[str, ...] = ()


def find_git_paths(root: str) -> GitPaths:
    """What git reads and runs for this checkout.

    Without a repository that are the person's own settings: an agent may make one.
    """
    folders = git_folders(root)
    if not folders:
        named = find_named_paths({}, _top_of_checkout(root))
        return _keep_paths(GitPaths((), named.files, named.programs), root)
    git = os.path.join(root, ".git")
    common, own = folders[0], folders[-1]
    files: list[str] = [git] if own != os.path.realpath(git) else []
    hooks = [os.path.join(common, "hooks")]
    configs: dict[str, str] = {}  # and where git runs what they name
    for folder in (*folders, *module_folders(common)):
        checkout = root
        if folder not in folders:
            checkout = _module_checkout(folder) or root
            hooks.append(os.path.join(folder, "hooks"))
            link = os.path.join(checkout, ".git")
            files += [link] if checkout != root and os.path.isfile(link) else []
        # The second is read once the person switches it on, as `git sparse-checkout` does.
        configs |= {os.path.join(folder, n): checkout for n in ("config", "config.worktree")}
        files.append(os.path.join(folder, COMMON_NAME))
    files.append(os.path.join(own, "gitdir"))
    files += _other_worktrees(common, own)
    named = find_named_paths(configs, root)
    kept = tuple(os.path.join(common, name) for name in ("objects", "refs"))
    paths = GitPaths(
        folders=folders,
        files=(*files, *named.files),
        programs=(*hooks, *named.programs),
        kept_folders=kept,
        written_folders=_written_folders(root, common, own) if own != common else (),
    )
    return _keep_paths(paths, root)


def _keep_paths(paths: GitPaths, root: str) -> GitPaths:
    """The paths that exist, once those are there that an agent could create."""
    scope = (root, *paths.folders)
    files = [path for path in paths.files if os.path.basename(path) not in CREATED_ELSEWHERE]
    create_missing(files, paths.programs, scope)
    files = [path for path in dict.fromkeys(paths.files) if os.path.lexists(path)]
    programs = [path for path in dict.fromkeys(paths.programs) if os.path.lexists(path)]
    note_links((os.path.join(root, ".git"), *files, *programs), scope)
    return paths.but(files=tuple(files), programs=tuple(programs))


def git_folders(root: str) -> tuple[str, ...]:
    """The git folder of this checkout, after the common one of a worktree; () without one."""
    git = os.path.join(root, ".git")
    if os.path.isdir(git):
        return (os.path.realpath(git),)
    own = _linked_folder(git)
    return tuple(dict.fromkeys((_common_folder(own), own))) if own else ()


def _top_of_checkout(root: str) -> str:
    """The folder from which git runs hooks: the one above that has a repository, or the project."""
    folder = os.path.dirname(root)
    while folder != os.path.dirname(folder):
        if os.path.exists(os.path.join(folder, ".git")):
            return folder
        folder = os.path.dirname(folder)
    return root


def _written_folders(root: str, common: str, own: str) -> tuple[str, ...]:
    """Objects, what is the worktree's own, and the place of its branch.

    The rest is of other checkouts: main looks empty from a lane, and a commit there, with its index
    and HEAD, would delete every file.
    """
    branch, refs = own_branch(root), list[str]()
    head = BRANCH_OF_HEAD.fullmatch(read_plain_file(os.path.join(own, "HEAD")) or "")
    if not branch and head:  # the agent writes HEAD: what it says when it is first seen counts
        branch = keep_branch(root, head[1])
    if branch and ".." not in branch:
        folder = os.path.dirname(branch) if branch.startswith(OWN_BRANCHES) else "refs"
        refs = [folder, f"logs/{folder}"]
    for name in refs:  # git would make them, which is not possible inside
        os.makedirs(os.path.join(common, name), exist_ok=True)
    shared = (os.path.join(common, name) for name in ("objects", "lfs", "reftable", *refs))
    return (own, *(path for path in shared if _is_plain_folder(path)))


def _linked_folder(git_file: str) -> str:
    """The git folder that the file `.git` of a worktree or submodule names; "" without one."""
    text = read_plain_file(git_file) or ""
    if not text.startswith("gitdir:"):
        return ""
    folder = os.path.join(os.path.dirname(git_file), text[len("gitdir:") :].strip())
    return os.path.realpath(folder) if os.path.isdir(folder) else ""


def _common_folder(own: str) -> str:
    text = read_plain_file(os.path.join(own, COMMON_NAME))
    return os.path.realpath(os.path.join(own, text.strip())) if text else own


def module_folders(common: str) -> list[str]:
    """The git folders of the submodules, which may be nested."""
    found: list[str] = []
    waiting = [os.path.join(common, "modules")]
    while waiting:
        folder = waiting.pop()
        if os.path.islink(folder):  # perhaps the agent's own, and it leads anywhere
            continue
        if os.path.isfile(os.path.join(folder, "config")):
            found.append(folder)
            waiting.append(os.path.join(folder, "modules"))
        elif os.path.isdir(folder):
            waiting += [entry.path for entry in os.scandir(folder) if entry.is_dir()]
    return found


def _module_checkout(folder: str) -> str:
    """The checkout of this submodule; its file .git leads git to these settings."""
    settings = dict(read_settings(os.path.join(folder, "config")))
    return resolve_path(settings["core.worktree"], folder) if "core.worktree" in settings else ""


def _other_worktrees(common: str, own: str) -> list[str]:
    """The git folders of the other worktrees, and the files that lead git to them.

    Each names the folder of its settings in a file.
    """
    try:
        entries = list(os.scandir(os.path.join(common, "worktrees")))
    except OSError:
        return []
    folders = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    folders = [folder for folder in folders if folder != own]
    named = [
        (folder, (read_plain_file(os.path.join(folder, "gitdir")) or "").strip())
        for folder in folders
    ]
    links = [resolve_path(name, folder) for folder, name in named if name]
    return [*folders, *filter(os.path.isfile, links)]


def mend_folders(root: str) -> tuple[str, ...]:
    """Make the git folders of this checkout whole, so that git takes no other folder for them."""
    tame_new_repository(root)
    restore_links(root)
    git = os.path.join(root, ".git")
    open_folder(git if os.path.isdir(git) else _linked_folder(git))
    folders = git_folders(root)
    keep_heads(folders)
    return folders


def keep_heads(folders: tuple[str, ...]) -> None:
    """Put a HEAD back that an agent broke or moved away.

    Without it .git is no repository, and git would take the project itself for one: a folder with
    files named HEAD and config, whose settings the agent wrote.
    """
    for folder in folders:
        path = os.path.join(folder, "HEAD")
        text = read_plain_file(path) or ""
        if VALID_HEAD.fullmatch(text):
            HEADS[folder] = text
        elif folder in HEADS:
            if os.path.isdir(path) and not os.path.islink(path):
                os.rename(path, free_name(f"{path}.broken"))
            write_atomic(path, HEADS[folder].encode())
            os.chmod(path, 0o644)


def read_plain_file(path: str) -> str | None:
    """The text of a plain file; an agent may put a pipe in its place, which is never waited for."""
    return read_text(path, MAX_CONFIG) if os.path.isfile(path) else None


def _is_plain_folder(path: str) -> bool:
    """A folder that no link leads to."""
    return os.path.isdir(path) and os.path.realpath(path) == path
