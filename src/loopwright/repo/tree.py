"""The tree: one hash for the content of all files that are tracked, changed or untracked. Ignored files are no part of it.

Git does the work in a folder of its own under .loop/, with its own index and object store: the user's index, hooks,
filters and fsmonitor are never touched. Content is hashed, not stored, so a large file costs its reading and no space.
"""

from __future__ import annotations

import errno
import os

from ..core.record import digest
from ..disk.files import open_private
from .plumbing import remove_stale_locks, run_git

# Files that we write ourselves, and what tools leave behind when a check runs.
EXCLUDED = (
    "/.loop/",
    "/.claude/loop-state*",
    "/.claude/loop-history/",
    "VERIFICATION.md",
    "/.gsd/STATE.md",
    "/.opti-gsd/STATE.md",
    "__pycache__/",
    "*.pyc",
    ".pytest_cache/",
    ".mypy_cache/",
    ".ruff_cache/",
    ".hypothesis/",
    ".coverage",
    "node_modules/",
)
GSD_STATE_FILES = (
    ".gsd/STATE.md",
    ".opti-gsd/STATE.md",
)  # in these a block is ours, the rest is part of the tree
HUGE = 50 * 1024 * 1024  # above this, size and time of change stand for the content
DISK_ERRORS = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EIO,
    errno.EROFS,
)  # what it says is for a person to hear
# The git folder of our own. Bytes are bytes; an edit writes its own line of the index, not all of them.
OWN_GIT_FILES = {
    "config": "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
    "\tlongpaths = true\n\tsplitIndex = true\n\tsharedRepository = 0600\n",
    "info/attributes": "* -text -filter -ident -working-tree-encoding\n",
    "HEAD": "ref: refs/heads/loop\n",
}


def tree_hash(root: str, loop_path: str, volatile: tuple[str, ...] = ()) -> str:
    """The hash of the tree at root, or "" when it cannot be told; then no evidence is kept beyond its round."""
    if not os.path.isdir(loop_path):  # deleted meanwhile; we do not bring it back
        return ""
    laid = os.path.exists(os.path.join(loop_path, "tree", "HEAD"))
    try:
        try:
            return _tree_hash(root, loop_path, volatile)
        except OSError:
            if not laid:
                raise
            pass

            return rehash_from_content(
                root, loop_path, volatile
            )  # a power cut may have emptied any file of our own index
    except OSError as error:
        if error.errno in DISK_ERRORS:
            raise  # a person can do something about it; turn after turn without a tree would prove nothing
        return ""


def _tree_hash(root: str, loop_path: str, volatile: tuple[str, ...]) -> str:
    states = "".join(_gsd_state_digest(os.path.join(root, name)) for name in GSD_STATE_FILES)
    if os.path.exists(os.path.join(root, ".git")):
        return _git_tree_hash(root, os.path.join(loop_path, "tree"), volatile) + states
    from .walk import folder_hash

    return folder_hash(root, (*EXCLUDED, *volatile), HUGE // 50) + states


def _gsd_state_digest(path: str) -> str:
    """The state file of a GSD project without its `loop:` block, which we write at every step."""
    try:
        with open(path, "rb") as file:
            lines = file.read(HUGE).split(b"\n")
    except FileNotFoundError:
        return ""
    kept, inside = [], False
    for line in lines:
        inside = line.startswith(b"loop:") or (inside and line[:1] in (b" ", b"\t", b"", b"\r"))
        if not inside:
            kept.append(line)
    return f"+{digest(b''.join(kept))}"


def _git_tree_hash(root: str, git: str, volatile: tuple[str, ...]) -> str:
    """Ask for what differs from our index; in the usual case nothing does, and the last answer stands."""
    tracked: set[bytes] = set()
    if not _is_own_git_intact(git):
        create_own_git(root, git)
        tracked = _tracked_paths(root)  # a tracked file counts even where a pattern ignores it
    found = {*_list_paths(root, git, "-m", "-d", "-o", "--exclude-standard"), *tracked}
    ignored: set[bytes] = set()
    if any(
        path.rpartition(b"/")[2] == b".gitignore" for path in found
    ):  # some may be ignored from now on
        ignored = {*_list_paths(root, git, "-c", "-i", "--exclude-standard")} - _tracked_paths(root)
    changed = sorted(path for path in found - ignored if not path.endswith(b"/"))
    if (
        patterns := (*EXCLUDED, *volatile) if tracked else volatile
    ):  # git's own patterns spare what is tracked
        from .walk import is_excluded

        changed = [path for path in changed if not is_excluded(os.fsdecode(path), patterns)]
    modules = _submodules_digest(
        root, git, volatile, [path for path in found if path.endswith(b"/")]
    )
    huge = [path for path in changed if file_size(root, path) > HUGE]
    known = os.path.join(git, "known")
    if not changed and not ignored and os.path.exists(known) and os.path.getsize(known):
        with open(known, "rb") as file:
            return file.read().decode() + modules
    with open(known, "wb", opener=open_private):
        pass  # killed after the next line, we would take it for the name of what the index has then
    _update_index(
        root,
        git,
        [path for path in changed if path not in huge],
        "--add",
        "--remove",
        "--replace",
        "--info-only",
    )
    _update_index(root, git, sorted(ignored), "--force-remove")
    name = _own_git_output(root, git, "write-tree", "--missing-ok").decode().strip()
    with open(known, "wb", opener=open_private) as file:
        file.write(name.encode())
    if not huge:
        return name + modules
    from .walk import file_stamp

    return f"{name}+{digest(b''.join(file_stamp(root, path) for path in huge))}{modules}"


def _is_own_git_intact(git: str) -> bool:
    """Is it as we laid it? A branch that is checked out may bring a folder of that name, with links and filters for git."""
    try:
        entries = [
            entry
            for place in ("", "info", "objects")
            for entry in os.scandir(os.path.join(git, place))
        ]
        plain = all(
            entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)
            for entry in entries
        )
        if not plain or os.path.islink(git) or any(entry.name == "commondir" for entry in entries):
            return False
        for name, text in OWN_GIT_FILES.items():
            with open(os.path.join(git, name), "rb") as file:
                if file.read(1_000) != text.encode():
                    return False
    except OSError:
        return False
    return True


def _submodules_digest(root: str, git: str, volatile: tuple[str, ...], nested: list[bytes]) -> str:
    """Submodules and repositories in the repository are trees of their own: git would see their commit at most."""
    paths = {os.fsdecode(path).rstrip("/") for path in nested}
    if os.path.exists(os.path.join(root, ".gitmodules")):
        with open(os.path.join(root, ".gitmodules"), encoding="utf-8", errors="replace") as file:
            pairs = [line.partition("=") for line in file]
        paths |= {value.strip() for name, _, value in pairs if name.strip() == "path"}
    if not paths:
        return ""
    real = os.path.realpath(root)  # (a path may lead to the whole, or out of it)
    inside = [
        path
        for path in sorted(paths)
        if os.path.realpath(os.path.join(root, path)).startswith(f"{real}{os.sep}")
    ]
    places = [
        (os.path.join(root, path), os.path.join(git, "modules", digest(path.encode())))
        for path in inside
    ]
    trees = [
        _git_tree_hash(place, own, volatile)
        for place, own in places
        if os.path.exists(os.path.join(place, ".git"))
    ]
    return f"+{digest(' '.join(trees).encode())}" if trees else ""


def _list_paths(root: str, git: str, *flags: str) -> list[bytes]:
    return [
        path for path in _own_git_output(root, git, "ls-files", "-z", *flags).split(b"\0") if path
    ]


def _tracked_paths(root: str) -> set[bytes]:
    code, out = run_git(root, "", "ls-files", "-z", own_config=False)
    if code:
        raise OSError(f"{root} is a repository that git cannot read")
    return {
        path
        for path in out.split(b"\0")
        if path and os.path.lexists(os.path.join(os.fsencode(root), path))
    }


def _update_index(root: str, git: str, paths: list[bytes], *flags: str) -> None:
    if paths:
        with open(os.path.join(git, "changed"), "wb", opener=open_private) as file:
            file.write(b"".join(path + b"\0" for path in paths))
        _own_git_output(root, git, "update-index", *flags, "-z", "--stdin", stdin="changed")


def _own_git_output(root: str, git: str, *args: str, stdin: str = "") -> bytes:
    code, out = run_git(root, git, *args, stdin=stdin)
    if code and remove_stale_locks(git):
        code, out = run_git(root, git, *args, stdin=stdin)
    if code:
        raise OSError(f"git {args[0]} failed with {code}")
    return out


def changed_files(root: str, loop_path: str, before: str, after: str) -> str:
    """The files in which two trees differ, for a person; at most ten."""
    git = os.path.join(loop_path, "tree")
    if not os.path.exists(git):
        return "(unknown files)"
    _, out = run_git(
        root, git, "diff-tree", "-r", "-z", "--name-only", before.split("+")[0], after.split("+")[0]
    )
    names = [os.fsdecode(name) for name in out.split(b"\0") if name]
    return (
        ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
    ) or "(unknown files)"


def create_own_git(root: str, git: str) -> None:
    """A git folder of our own, that ignores what the user's does and what we write."""
    if os.path.lexists(git):  # not as we laid it, or not to its end
        import shutil

        os.remove(git) if os.path.islink(git) or not os.path.isdir(git) else shutil.rmtree(git)
    above = [os.path.dirname(git)] if os.path.basename(os.path.dirname(git)) == "modules" else []
    for place in (
        *above,
        git,
        *(os.path.join(git, name) for name in ("objects", "objects/info", "refs", "info")),
    ):
        if not os.path.isdir(place):
            os.mkdir(place, 0o700)
    _, out = run_git(
        root, "", "rev-parse", "--path-format=absolute", "--git-common-dir", own_config=False
    )
    theirs = os.fsdecode(out.strip()) or os.path.join(root, ".git")
    _, ignored = run_git(root, "", "config", "--path", "core.excludesFile", own_config=False)
    exclude = "\n".join(EXCLUDED)
    for more in (os.path.join(theirs, "info", "exclude"), os.fsdecode(ignored.strip())):
        if more and os.path.isfile(more):
            with open(more, encoding="utf-8", errors="replace") as file:
                exclude += "\n" + file.read()
    _write_synced(git, "info/exclude", exclude)
    _write_synced(git, "objects/info/alternates", _quoted_path(f"{theirs}/objects"))
    for name, text in OWN_GIT_FILES.items():
        _write_synced(git, name, text)


def _quoted_path(path: str) -> str:
    """As git reads a path from a list of lines."""
    if "\n" not in path:
        return path
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def file_size(root: str, path: bytes) -> int:
    try:
        return os.lstat(os.path.join(os.fsencode(root), path)).st_size
    except OSError:
        return 0


def _write_synced(folder: str, name: str, text: str) -> None:
    path = os.path.join(folder, name)
    with open(
        path, "w", encoding="utf-8", newline="\n", opener=open_private
    ) as file:  # git reads \r as a part of a path
        file.write(text)
        file.flush()
        os.fsync(file.fileno())  # empty, it would not keep out of the tree what is none of it


def rehash_from_content(root: str, loop_path: str, volatile: tuple[str, ...]) -> str:
    """The hash of the tree from the content of every file, whatever our index believes of it."""
    import shutil  # slow to import, and an ordinary Stop never comes here

    place = os.path.join(loop_path, "anew")
    shutil.rmtree(place, ignore_errors=True)
    if not os.path.isdir(loop_path):
        return ""
    os.makedirs(place, mode=0o700)
    try:
        tree = tree_hash(root, place, volatile)
        if tree and os.path.isdir(os.path.join(place, "tree")):
            shutil.rmtree(os.path.join(loop_path, "tree"), ignore_errors=True)
            os.rename(os.path.join(place, "tree"), os.path.join(loop_path, "tree"))
        return tree
    finally:
        shutil.rmtree(place, ignore_errors=True)
