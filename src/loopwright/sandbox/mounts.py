"""From a profile and the places of this machine to the mounts of one sandbox, in their order."""

from __future__ import annotations

import os

from ..core.record import Record
from ..disk.links import follow_links, is_inside
from ..disk.programs import own_folders
from . import profiles
from .bounds import Bounds
from .git_paths import GitPaths
from .places import Places
from .profiles import HIDDEN, PRIVATE, WRITABLE, access_of
from .tables import AGENT_HOMES

# What a mount does with its path.
SHOW, WRITE, EMPTY, MASK, COPY = "show", "write", "empty", "mask", "copy"


class Box(Record):
    """One sandbox: for whom, around which project, and what the person adds."""

    profile: str
    root: str  # the project, at the path where the command sees it
    source: str = ""  # the folder that appears there; "": the project itself
    beside: str = ""  # the project, where the box is around another checkout of it
    loop_folder: str = ""  # .loop, where it is not in the project: a lane works beside it
    allow_read: tuple[str, ...] = ()
    allow_write: tuple[str, ...] = ()
    network: bool = True
    programs: tuple[str, ...] = ()  # files that the command names, such as a script
    agents: tuple[tuple[str, str], ...] = ()  # whose login files it may read, and their folders
    agent_store: str = ""  # where the rest of these folders is kept for this loop
    caches: str = ""  # a folder with caches that this run may write; "": they are empty
    bounds: Bounds = Bounds()
    whole_git: bool = False  # it writes what a worktree shares with other checkouts: our own git


class Mount(Record):
    """One path of the sandbox. `source` is the path outside; "": the same."""

    kind: str
    path: str
    source: str = ""

    @property
    def outside(self) -> str:
        return self.source or self.path

    @property
    def hides_path(self) -> bool:
        """Is what lies there outside not to be read? A backend may show nothing else there."""
        is_other = self.kind == SHOW and self.outside != self.path
        return self.kind in (EMPTY, MASK) or is_other


def plan_mounts(box: Box, places: Places, git: GitPaths, can_copy: bool) -> tuple[Mount, ...]:
    """The mounts above a read-only system; a later one lies over an earlier one.

    `can_copy`: the backend gives a private copy of a folder without copying it.
    """
    hidden = [*places.hidden, *places.state]
    written = written_folders(box, git)
    shown = [*places.tools, *places.name_service, *_real(box.programs, written)]
    mounts = [Mount(EMPTY, path) for path in (*_outermost(hidden), places.home)]
    # Each mount takes about half a millisecond of every check: none inside another.
    needed = [path for path in shown if _needs_mount(path, hidden)]
    mounts += [Mount(SHOW, path) for path in _outermost(needed)]
    mounts += _cache_mounts(box, places, can_copy)
    mounts += _login_mounts(box, places.home)
    mounts += [Mount(SHOW, path) for path in _real(box.allow_read, written)]
    mounts += [Mount(WRITE, path) for path in _real(box.allow_write, written)]
    mounts += _project_mounts(box, git)
    mounts += _masks(mounts, places, box)
    return tuple(dict.fromkeys(mounts))


def written_folders(box: Box, git: GitPaths) -> tuple[str, ...]:
    """Where an agent may have made links: one that leads out of them is never followed."""
    given = (box.root, box.source, box.beside, *git.folders, *box.allow_write)
    return tuple(folder for folder in given if folder)


def _real(paths: tuple[str, ...], written: tuple[str, ...]) -> list[str]:
    """The real paths of these; not those that a link in a folder of the agent leads to."""
    found = (follow_links(path, written) for path in paths if os.path.exists(path))
    return [path for path in found if path]


def _outermost(paths: list[str]) -> list[str]:
    """The paths that do not lie inside another one; a state folder elsewhere stays in the list."""
    return [
        path
        for path in dict.fromkeys(paths)
        if not any(is_inside(path, other) and path != other for other in paths)
    ]


def _needs_mount(path: str, hidden: list[str]) -> bool:
    """Is the path hidden otherwise? What is not hidden is there, read-only, with the system."""
    return any(is_inside(path, folder) and path != folder for folder in hidden)


def _cache_mounts(box: Box, places: Places, can_copy: bool) -> list[Mount]:
    access = access_of(profiles.CACHES, box.profile)
    if can_copy and access in (PRIVATE, profiles.READ_ONLY):
        return [Mount(COPY, path) for path, _ in places.caches]
    mounts = [Mount(SHOW, path) for path, works_read_only in places.caches if works_read_only]
    for path, works_read_only in places.caches:
        if box.caches and not works_read_only:
            own = os.path.join(box.caches, os.path.relpath(path, places.home))
            mounts.append(Mount(WRITE, path, own))
    return mounts


def _login_mounts(box: Box, home: str) -> list[Mount]:
    """The agent's own folder: kept for this loop, with the person's login files over it."""
    if access_of(profiles.LOGINS, box.profile) == HIDDEN:
        return []
    mounts = []
    for name, folder in box.agents:
        if box.agent_store:
            mounts.append(Mount(WRITE, folder, os.path.join(box.agent_store, name)))
        paths = [os.path.join(folder, file) for file in AGENT_HOMES[name].files]
        paths += [os.path.join(home, file) for file in AGENT_HOMES[name].settings]
        mounts += [Mount(SHOW, path) for path in paths if os.path.exists(path)]
    return mounts


def _project_mounts(box: Box, git: GitPaths) -> list[Mount]:
    root, source = box.root, box.source or box.root
    kind = WRITE if access_of(profiles.PROJECT, box.profile) == WRITABLE else SHOW
    mounts = [Mount(kind, root, source)]
    if box.source:  # another checkout appears here, and git must not lead out of it
        return mounts
    protected = [*git.files, *git.programs, *own_folders(root)]
    outside = [folder for folder in git.folders if not is_inside(folder, root)]
    shared = SHOW if git.written_folders else kind  # of a worktree
    mounts += [Mount(shared, folder) for folder in _outermost(outside)]
    written = git.written_folders or (*git.folders, *git.kept_folders)
    scope = (root, *written, *box.allow_write)
    kept = [path for path in protected if _can_be_written(path, root, scope)]
    real = [os.path.realpath(path) for path in kept]
    mounts += _folder_guards([*kept, *real], written, scope, kind)
    mounts += [Mount(SHOW, path) for path in real]
    loop_folder = box.loop_folder or os.path.join(root, ".loop")
    if os.path.isdir(loop_folder):
        mounts.append(Mount(SHOW, loop_folder))
        inbox = os.path.join(loop_folder, "inbox")
        if access_of(profiles.INBOX, box.profile) == WRITABLE and os.path.isdir(inbox):
            mounts.append(Mount(WRITE, inbox))
    if is_inside(root, loop_folder):  # a lane or room below .loop
        mounts.append(Mount(kind, root, source))
    return mounts


def _can_be_written(path: str, root: str, scope: tuple[str, ...]) -> bool:
    """Could the agent write what lies there? A link may lead into the project, or out of it."""
    real = os.path.realpath(path)
    is_written = any(is_inside(real, folder) for folder in scope)
    return is_written and os.path.exists(real) and not is_inside(root, real)


def _folder_guards(
    protected: list[str], git_folders: tuple[str, ...], scope: tuple[str, ...], kind: str
) -> list[Mount]:
    """A mount of each folder above a protected path, which cannot be renamed then.

    Without it an agent could move .git aside, copy it and change the copy.
    """
    folders = set(git_folders)
    for path in protected:
        while (path := os.path.dirname(path)) and path != scope[0] and len(path) > 1:
            if not any(is_inside(path, top) for top in scope):
                break
            folders.add(path)
    guarded = (path for path in folders if os.path.isdir(path) and os.path.realpath(path) == path)
    return [Mount(kind, path) for path in sorted(guarded, key=lambda path: path.count("/"))]


def _masks(mounts: list[Mount], places: Places, box: Box) -> list[Mount]:
    """Hide secrets and our own folders again where a mount above shows them."""
    shown = [mount.path for mount in mounts if mount.kind in (SHOW, WRITE, COPY)]
    hidden = [mount.path for mount in mounts if mount.kind == EMPTY]
    masks = []
    sockets = [path for path in places.sockets if not is_inside(path, box.root)]
    settings = [path for path in places.settings if path not in box.allow_read]
    for path in (*places.secrets, *settings, *places.state, *sockets):
        if is_inside(box.root, path):  # a room lies in our state folder; nothing else of it shows
            continue
        is_shown = any(is_inside(path, folder) for folder in shown)
        is_hidden = any(is_inside(path, folder) for folder in hidden)
        if os.path.lexists(path) and (is_shown or not is_hidden):
            masks.append(Mount(EMPTY if os.path.isdir(path) else MASK, path))
    for path, copy in places.copies:
        is_own = is_inside(path, box.root) or path in box.allow_read
        if any(is_inside(path, folder) for folder in shown) and not is_own:
            masks.append(Mount(SHOW, path, copy) if copy else Mount(MASK, path))
    return masks
