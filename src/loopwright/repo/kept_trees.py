"""Kept trees: the files of an iteration as a commit under refs/loop/, outside the branches.

Keeping a tree changes neither branch, index nor files. Bytes are kept and put back as they are,
whatever filters and line ends the project asks for. The journal has the names of the commits; the
refs only keep git from deleting them.
"""

from __future__ import annotations

from ..disk.files import write_private
from ..disk.light_os import os
from .git_tree import MAX_NEW_BYTES as MAX_NEW_BYTES
from .git_tree import STORED_FILE, tree_name_in
from .plumbing import (
    WRITTEN_OUT,
    GitFailed,
    ask_user_git,
    object_store,
    remove_stale_lock,
    require_git,
    run_git,
    user_git_dir,
)
from .tree import tree_hash
from .walk import file_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git's name for a tree without files
HEX_DIGITS = set("0123456789abcdef")
IDENTITY_FLAGS = ("-c", "user.name=Loopwright", "-c", "user.email=loopwright@localhost")
INDEX_FILE = "kept"  # an index in our git folder, for a tree that was hashed and not stored

CHANGE_FLAGS = ("-r", "-z", "--name-status", "--no-renames")

# A tree cannot be kept or restored; the message says why.
KeptTreeError = GitFailed


def kept_tree_ref(loop_id: str, number: int | str) -> str:
    """The ref of a kept tree: the number of an iteration, or a name."""
    return f"refs/loop/{loop_id}/{number}"


def keep_tree(root: str, loop_path: str, tree: str, ref: str) -> str:
    """Keep the tree under `ref` and return its commit.

    Returns "" without git, or where the files have changed and are no longer that tree.
    """
    from .commit_object import write_ref

    own = os.path.join(loop_path, "tree")
    name = git_tree_name(tree)
    if not name or not os.path.exists(os.path.join(own, "HEAD")):
        return ""
    try:
        _write_objects(root, own, name)
        commit = _create_commit(root, name, ref)
        git_dir = user_git_dir(root)
        remove_stale_lock(os.path.join(git_dir, f"{ref}.lock"))
        if not write_ref(git_dir, ref, commit):
            require_git(root, "", "update-ref", ref, commit)
    except OSError:  # the loop continues without this commit
        return ""
    return commit


def commit_tree(root: str, loop_path: str, tree: str) -> str:
    """The commit of the tree without a ref, for the moment: where a lock keeps the ref away.

    Raises KeptTreeError with the reason where even that is not possible.
    """
    name = git_tree_name(tree)
    _write_objects(root, os.path.join(loop_path, "tree"), name)
    return _create_commit(root, name, "refs/loop")


def _create_commit(root: str, tree: str, ref: str) -> str:
    """Write a commit of the tree on top of HEAD. To start git for it would take much longer."""
    from .commit_object import head_commit, write_commit

    head = head_commit(root)
    return write_commit(object_store(root), tree, head, ref.removeprefix("refs/"))


def _write_objects(root: str, own: str, tree: str) -> None:
    """Write the objects of the tree into the user's store, if they are not there yet."""
    store = object_store(root)
    # The file of names is in .loop/, where others can write, so the object itself must be there.
    stored = tree_name_in(own, STORED_FILE).decode("ascii", "replace")
    if stored == tree and os.path.exists(os.path.join(store, tree[:2], tree[2:])):
        return
    before = _head_tree(root)
    if before != tree:
        _write_changed_objects(root, own, before, tree)
    write_private(os.path.join(own, STORED_FILE), tree.encode("ascii"))


def _write_changed_objects(root: str, own: str, before: str, tree: str) -> None:
    """Write what the tree has and the one before it has not; that is in the store as a whole."""
    index = os.path.join(own, INDEX_FILE)
    variables = {
        "GIT_INDEX_FILE": index,
        "GIT_OBJECT_DIRECTORY": object_store(root),
        **WRITTEN_OUT,
    }
    source = "--empty" if before == EMPTY_TREE else before
    require_git(root, own, "read-tree", source, variables=variables)
    rows = require_git(root, own, "diff-tree", *CHANGE_FLAGS, before, tree).split(b"\0")
    kinds = dict(zip(rows[1::2], rows[::2], strict=False))
    if sum(file_size(root, path) for path in kinds) > MAX_NEW_BYTES:
        raise KeptTreeError("the tree has too much new content for the repository")
    # A tracked file that is not part of our trees is still there, and must not be added again.
    removed = [path for path, kind in kinds.items() if kind == b"D"]
    changed = [path for path, kind in kinds.items() if kind != b"D"]
    for paths, flags in ((removed, ("--force-remove",)), (changed, ("--add", "--replace"))):
        if paths:
            write_private(os.path.join(own, "changed"), b"\0".join(paths))
            words = ("update-index", *flags, "-z", "--stdin")
            require_git(root, own, *words, stdin="changed", variables=variables)
    written = require_git(root, own, "write-tree", variables=variables).decode().strip()
    if written != tree:
        raise KeptTreeError("the files are no longer that tree")


def _head_tree(root: str) -> str:
    code, out = run_git(
        root, "", "rev-parse", "--quiet", "--verify", "HEAD^{tree}", own_config=False
    )
    return EMPTY_TREE if code else os.fsdecode(out.strip())


def tree_of_commit(root: str, commit: str) -> str:
    """The name of a commit's tree; raises if the commit is gone or is not what its name says."""
    return _commit_lines(root, commit)[0].removeprefix("tree ")


def parent_of_commit(root: str, commit: str) -> str:
    """The commit before a kept one: HEAD of that time; "" where there was none yet."""
    line = _commit_lines(root, commit)[1]
    return line.removeprefix("parent ") if line.startswith("parent ") else ""


def _commit_lines(root: str, commit: str) -> list[str]:
    """The first two lines of a commit; raises if it is not what its name says."""
    from .commit_object import object_name

    content = require_git(root, "", "cat-file", "commit", commit)
    if object_name(b"commit", content, len(commit)) != commit:
        raise KeptTreeError(f"the commit {commit[:12]} was changed in the repository")
    return [line.decode("utf-8", "replace") for line in content.split(b"\n", 2)[:2]]


def require_intact(root: str, loop_path: str, commit: str, paths: Iterable[str]) -> None:
    """Raise if the commit, one of its folders or one of these files is not what its name says.

    Git does not check this when it reads: an object in the repository can be replaced by hand.
    """
    from .commit_object import object_name

    own = os.path.join(loop_path, "tree")
    tree = tree_of_commit(root, commit)
    wanted = set(map(os.fsencode, paths))
    names = {tree.encode("ascii")}
    for row in require_git(root, own, "ls-tree", "-r", "-t", "-z", commit).split(b"\0"):
        head, _, path = row.partition(b"\t")
        _, kind, name = head.split(b" ") if head else (b"", b"", b"")
        # The commit of a submodule is in another repository; its name is part of the folder.
        if kind == b"tree" or (kind == b"blob" and path in wanted):
            names.add(name)
    write_private(os.path.join(own, "wanted"), b"".join(name + b"\n" for name in sorted(names)))
    out = require_git(root, own, "cat-file", "--batch", stdin="wanted")
    while out:
        header, _, out = out.partition(b"\n")
        name, _, rest = header.partition(b" ")
        kind, _, size = rest.partition(b" ")
        if not size:
            raise KeptTreeError(f"the object {name.decode()[:12]} is missing in the repository")
        content, out = out[: int(size)], out[int(size) + 1 :]
        if object_name(kind, content, len(name)) != name.decode("ascii"):
            raise KeptTreeError(f"the object {name.decode()[:12]} was changed in the repository")


def keep_current_tree(
    root: str, loop_path: str, volatile: tuple[str, ...], ref: str
) -> tuple[str, str]:
    """Keep the files as they are now; returns their tree and its commit."""
    tree = tree_hash(root, loop_path, volatile)
    if commit := keep_tree(root, loop_path, tree, ref):
        return tree, commit
    raise KeptTreeError(
        "the files could not be kept: is this a git repository, and does something write to it now?"
    )


def restore_tree(root: str, loop_path: str, now: str, commit: str) -> None:
    """Put the files back as the commit has them; files outside the tree are never overwritten."""
    own = os.path.join(loop_path, "tree")
    rows = tree_changes(root, loop_path, now, commit)
    deleted = {path for path, kind, _ in rows if kind == "D"}
    for path, kind, _ in rows:
        if kind == "A" and _would_overwrite(root, path, deleted):
            raise KeptTreeError(
                f"{path} is in the way, and it is not part of the tree. Move it first"
            )
    # Without the refresh, git takes files that were written a moment ago for changed ones.
    run_git(root, own, "update-index", "-q", "--refresh")
    trees = (git_tree_name(now), f"{commit}^{{tree}}")
    code, _ = run_git(root, own, "read-tree", "-m", "-u", *trees)
    last_result = os.path.join(own, "known")
    if os.path.exists(last_result):
        os.remove(last_result)  # it names the tree of the index before this
    if code:
        raise KeptTreeError(f"git would not put the files of {commit[:12]} back")


def _would_overwrite(root: str, path: str, deleted: set[str]) -> bool:
    """Whether an ignored file is where git would put this one; git overwrites it silently."""
    full = os.path.join(root, path)
    if os.path.isdir(full) and not os.path.islink(full):
        below = (os.path.join(folder, name) for folder, _, names in os.walk(full) for name in names)
        return any(os.path.relpath(file, root) not in deleted for file in below)
    if os.path.lexists(full):
        return True
    parts = path.split("/")
    parents = ["/".join(parts[:count]) for count in range(1, len(parts))]
    return any(name not in deleted and _is_file(os.path.join(root, name)) for name in parents)


def _is_file(path: str) -> bool:
    """Whether something other than a folder is there."""
    return os.path.lexists(path) and not os.path.isdir(path)


def is_kept(root: str, commit: str) -> bool:
    """Whether the commit and its tree still exist; the name may come from an untrusted file."""
    if len(commit) < 40 or not set(commit) <= HEX_DIGITS:
        return False
    name = f"{commit}^{{tree}}"
    code, _ = run_git(root, "", "rev-parse", "--quiet", "--verify", name, own_config=False)
    return code == 0


def tree_changes(root: str, loop_path: str, before: str, after: str) -> list[tuple[str, str, str]]:
    """Path, kind of change (A, M, D, T) and new mode of each file in which two trees differ."""
    own = os.path.join(loop_path, "tree")
    trees = (git_tree_name(before), git_tree_name(after))
    parts = require_git(root, own, "diff-tree", "-r", "-z", "--no-renames", *trees).split(b"\0")
    changes = []
    for row, path in zip(parts[::2], parts[1::2], strict=False):
        if row:
            _, mode, _, _, kind = row.decode().split()
            changes.append((os.fsdecode(path), kind, mode))
    return changes


def file_contents(
    root: str, loop_path: str, commit: str, paths: Iterable[str], most: int
) -> dict[str, bytes]:
    """The files as the commit has them, without those that are missing or larger than `most`."""
    own = os.path.join(loop_path, "tree")
    wanted = [path for path in paths if "\n" not in path]
    sizes = _cat_file_batch(
        root, own, "--batch-check=%(objecttype) %(objectsize)", commit, wanted
    ).split(b"\n")
    present = [
        path
        for path, row in zip(wanted, sizes, strict=False)
        if row.startswith(b"blob ") and int(row[5:]) <= most
    ]
    out = _cat_file_batch(root, own, "--batch=%(objectsize)", commit, present)
    contents = {}
    for path in present:
        size, _, out = out.partition(b"\n")
        contents[path], out = out[: int(size)], out[int(size) + 1 :]
    return contents


def _cat_file_batch(root: str, own: str, flag: str, commit: str, paths: list[str]) -> bytes:
    if not paths:
        return b""
    names = b"".join(os.fsencode(f"{commit}:{path}\n") for path in paths)
    write_private(os.path.join(own, "wanted"), names)
    return require_git(root, own, "cat-file", flag, stdin="wanted")


def diff_text(root: str, before: str, after: str, *flags: str) -> str:
    """What changed between two commits, as git prints it."""
    words = ("diff", "--no-ext-diff", "--no-textconv", *flags, before, after, "--")
    _, out = run_git(root, "", *words, own_config=False)
    return out.decode("utf-8", "replace")


def drop_kept_trees(root: str, loop_id: str) -> None:
    """Delete the refs of every tree that the loop has kept."""
    refs = f"refs/loop/{loop_id}/"
    code, out = ask_user_git(root, "for-each-ref", "--format=%(refname)", refs)
    if code:  # without git there are none
        return
    for ref in out.decode().split():
        run_git(root, "", "update-ref", "-d", ref, own_config=False)


def git_tree_name(tree: str) -> str:
    """The part of a tree hash that is git's own name for a tree."""
    return tree.partition("+")[0]
