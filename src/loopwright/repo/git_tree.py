"""The tree hash of a git repository, computed by git in a folder of ours under .loop/.

tree.py says what the hash covers. Git brings an index of ours up to date with the files.
"""

from __future__ import annotations

import stat

from ..core.record import digest
from ..disk.files import open_at_once, read_bytes, read_text, rewrite_in_place, write_private
from ..disk.light_os import os
from .plumbing import WRITTEN_OUT, object_store, require_git, run_git, user_git_dir
from .walk import EXCLUDED, HUGE, file_size, file_stamp, is_excluded

MAX_NEW_BYTES = 256 * 1024 * 1024  # of new content that is stored for one tree
# In our git folder, the names of trees: that of our index, and the last whose objects the user's
# object store has, all of them.
KNOWN_FILE, STORED_FILE = "known", "stored"
MAX_IGNORE_CHARS = 10_000_000  # of one list of ignore patterns
# Our own git folder: content is hashed as it is, and an edit rewrites one entry of a split index.
OWN_GIT_FILES = {
    "config": "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
    "\tlongpaths = true\n\tsplitIndex = true\n\tsharedRepository = 0600\n",
    "info/attributes": "* -text -filter -ident -working-tree-encoding\n",
    "HEAD": "ref: refs/heads/loop\n",
}


def git_tree_hash(root: str, git: str, volatile: tuple[str, ...], store: bool = False) -> str:
    """Bring our index up to date with the files and name its tree.

    In the usual case nothing differs from the index, and the last result is still valid.
    """
    tracked: set[bytes] = set()
    if not _is_own_git_intact(git):
        create_own_git(root, git)
        tracked = _tracked_paths(root)  # a tracked file counts even where a pattern ignores it
    paths = {*_list_paths(root, git, "-m", "-d", "-o", "--exclude-standard"), *tracked}
    ignored = _newly_ignored_paths(root, git, paths)
    patterns = (*EXCLUDED, *volatile) if tracked else volatile
    changed = _changed_files(paths - ignored, patterns)
    nested = [path for path in paths if path.endswith(b"/")]
    modules = _submodules_digest(root, git, volatile, nested)
    last_tree = tree_name_in(git, KNOWN_FILE)
    if last_tree and not changed and not ignored:
        return last_tree.decode() + modules
    huge = [path for path in changed if file_size(root, path) > HUGE]
    normal = [path for path in changed if path not in huge]
    # Objects are stored only on top of a tree that was: else some of its content would be missing.
    store = store and bool(last_tree) and last_tree == tree_name_in(git, STORED_FILE)
    store = store and sum(file_size(root, path) for path in normal) <= MAX_NEW_BYTES
    # Removed first: killed after the update, we would take the old name for that of the new index.
    if last_tree:
        os.remove(os.path.join(git, KNOWN_FILE))
    tree = _write_tree(root, git, normal, sorted(ignored), store)
    if store:
        rewrite_in_place(os.path.join(git, STORED_FILE), tree)
    rewrite_in_place(os.path.join(git, KNOWN_FILE), tree)
    if tracked and nested:
        # With files of it in the index, git lists what a nested repository holds, as it does at
        # every later reading; without them it names only its folder.
        return git_tree_hash(root, git, volatile)
    if not huge:
        return tree.decode() + modules
    stamps = b"".join(file_stamp(root, path) for path in huge)
    return f"{tree.decode()}+{digest(stamps)}{modules}"


def tree_name_in(git: str, name: str) -> bytes:
    """The name of a tree in a file of our git folder; empty without that file."""
    path = os.path.join(git, name)
    return read_bytes(path) if os.path.exists(path) else b""


def _write_tree(
    root: str, git: str, changed: list[bytes], ignored: list[bytes], store: bool
) -> bytes:
    """Bring our index up to date and return the name of its tree."""
    variables = {"GIT_OBJECT_DIRECTORY": object_store(root), **WRITTEN_OUT} if store else None
    hash_only, may_lack = ((), ()) if store else (("--info-only",), ("--missing-ok",))
    flags = ("--add", "--remove", "--replace", *hash_only)
    _update_index(root, git, changed, *flags, variables=variables)
    _update_index(root, git, ignored, "--force-remove")
    return require_git(root, git, "write-tree", *may_lack, variables=variables).strip()


def _newly_ignored_paths(root: str, git: str, changed: set[bytes]) -> set[bytes]:
    """Paths of our index that a changed .gitignore ignores now; tracked files still count."""
    if not any(path.rpartition(b"/")[2] == b".gitignore" for path in changed):
        return set()
    ignored = {*_list_paths(root, git, "-c", "-i", "--exclude-standard")}
    return ignored - _tracked_paths(root)


def _changed_files(paths: set[bytes], patterns: tuple[str, ...]) -> list[bytes]:
    """The paths that are files and match no pattern; git applies none to tracked files."""
    files = sorted(path for path in paths if not path.endswith(b"/"))
    if not patterns:
        return files
    return [path for path in files if not is_excluded(os.fsdecode(path), patterns)]


def _is_own_git_intact(git: str) -> bool:
    """Whether our git folder is as we created it.

    A branch that is checked out may bring a folder of that name, with links and filters for git.
    """
    try:
        entries = [
            entry
            for name in ("", "info", "objects")
            for entry in os.scandir(os.path.join(git, name))
        ]
        if os.path.islink(git) or any(map(_is_foreign_entry, entries)):
            return False
        for name, text in OWN_GIT_FILES.items():
            with open(os.path.join(git, name), "rb", opener=open_at_once) as file:
                if file.read(1_000) != text.encode():
                    return False
    except OSError:
        return False
    return True


def _is_foreign_entry(entry: os.DirEntry[str]) -> bool:
    """Whether we never create such an entry: a link, a special file, or git's `commondir`."""
    if entry.name == "commondir":
        return True
    return not (entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False))


def _submodules_digest(root: str, git: str, volatile: tuple[str, ...], nested: list[bytes]) -> str:
    """A digest of the trees of submodules and nested repositories; git sees only their commits."""
    paths = {os.fsdecode(path).rstrip("/") for path in nested} | _submodule_paths(root)
    if not paths:
        return ""
    inside = os.path.realpath(root) + os.sep
    trees = []
    for path in sorted(paths):
        folder = os.path.join(root, path)
        if not os.path.realpath(folder).startswith(inside):  # the project itself, or outside it
            continue
        if os.path.exists(os.path.join(folder, ".git")):
            own = os.path.join(git, "modules", digest(path.encode()))
            trees.append(git_tree_hash(folder, own, volatile))
    return f"+{digest(' '.join(trees).encode())}" if trees else ""


def _submodule_paths(root: str) -> set[str]:
    """The paths that .gitmodules lists."""
    path = os.path.join(root, ".gitmodules")
    if not os.path.exists(path):
        return set()
    lines = read_bytes(path).decode("utf-8", "replace").split("\n")
    settings = [line.partition("=") for line in lines]
    return {value.strip() for name, _, value in settings if name.strip() == "path"}


def _list_paths(root: str, git: str, *flags: str) -> list[bytes]:
    output = require_git(root, git, "ls-files", "-z", *flags)
    return [path for path in output.split(b"\0") if path]


def _tracked_paths(root: str) -> set[bytes]:
    """The files that the user's repository tracks and that exist."""
    code, out = run_git(root, "", "ls-files", "-z", own_config=False)
    if code:
        raise OSError(f"{root} is a repository that git cannot read")
    folder = os.fsencode(root)
    tracked = [path for path in out.split(b"\0") if path]
    return {path for path in tracked if _can_be_indexed(os.path.join(folder, path))}


def _can_be_indexed(path: bytes) -> bool:
    """Whether something is there that git takes up: a submodule that nobody fetched is nothing."""
    try:
        is_folder = stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False
    return not is_folder or os.path.lexists(os.path.join(path, b".git"))


def _update_index(
    root: str, git: str, paths: list[bytes], *flags: str, variables: dict[str, str] | None = None
) -> None:
    if paths:
        rewrite_in_place(os.path.join(git, "changed"), b"".join(path + b"\0" for path in paths))
        words = ("update-index", *flags, "-z", "--stdin")
        require_git(root, git, *words, stdin="changed", variables=variables)


def changed_files(root: str, loop_path: str, before: str, after: str) -> str:
    """The files in which two trees differ, for a person; at most ten."""
    return _file_list(_differences(root, loop_path, before, after)) or "(unknown files)"


def rewritten_files(root: str, loop_path: str, before: str, after: str) -> str:
    """The files of the first tree that the second has otherwise or no more; "" for none."""
    return _file_list(_differences(root, loop_path, before, after, "--diff-filter=a"))


def _file_list(names: list[str]) -> str:
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return ", ".join(names[:10]) + more


def _differences(root: str, loop_path: str, before: str, after: str, *flags: str) -> list[str]:
    git = os.path.join(loop_path, "tree")
    if not os.path.exists(git):
        return []
    trees = (before.split("+")[0], after.split("+")[0])
    _, out = run_git(root, git, "diff-tree", "-r", "-z", "--name-only", *flags, *trees)
    return [os.fsdecode(name) for name in out.split(b"\0") if name]


def create_own_git(root: str, git: str) -> None:
    """Create our git folder; it ignores what the user's repository ignores and what we write."""
    if os.path.lexists(git):  # half created, or not ours
        _remove_path(git)
    if os.path.basename(os.path.dirname(git)) == "modules":
        _make_private_folder(os.path.dirname(git))
    for name in ("", "objects", "objects/info", "refs", "info"):
        _make_private_folder(os.path.join(git, name))
    user_git = user_git_dir(root)
    files = {
        "info/exclude": "\n".join((*EXCLUDED, *_user_ignore_lists(root, user_git))),
        "objects/info/alternates": quoted_path(f"{user_git}/objects"),
        **OWN_GIT_FILES,
    }
    for name, text in files.items():
        # Synced: with an empty exclude list, git would count files that are not part of the tree.
        data = text.encode("utf-8", "surrogateescape")
        write_private(os.path.join(git, name), data, wait=True)


def _make_private_folder(path: str) -> None:
    if not os.path.isdir(path):
        os.mkdir(path, 0o700)


def _user_ignore_lists(root: str, user_git: str) -> list[str]:
    """The ignore patterns of the user's repository and settings that lie outside the project."""
    _, out = run_git(root, "", "config", "--path", "core.excludesFile", own_config=False)
    lists = (os.path.join(user_git, "info", "exclude"), os.fsdecode(out.strip()))
    return [read_text(path, MAX_IGNORE_CHARS) or "" for path in lists if os.path.isfile(path)]


def _remove_path(path: str) -> None:
    if os.path.islink(path) or not os.path.isdir(path):
        os.remove(path)
        return
    import shutil  # slow to import, and an ordinary Stop never comes here

    shutil.rmtree(path)


def quoted_path(path: str) -> str:
    """The path as git reads it from a list of lines."""
    if "\n" not in path:
        return path
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
