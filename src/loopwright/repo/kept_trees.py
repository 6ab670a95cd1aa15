"""Kept trees: an iteration as a commit under refs/loop/, outside the branches. Neither branch, index nor files are touched.

Bytes are kept as they are, whatever filters and line ends the project asks for, and put back as they were. The journal has the
names of the commits; the refs only keep git from throwing them away.
"""

from __future__ import annotations

import os

from ..disk.files import open_private
from .plumbing import remove_stale_locks, run_git
from .tree import file_size, tree_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git's name for a tree without files
HEX_DIGITS = set("0123456789abcdef")
MAX_NEW_BYTES = 256 * 1024 * 1024  # bytes of new content that one commit may bring
IDENTITY_FLAGS = ("-c", "user.name=Loopwright", "-c", "user.email=loopwright@localhost")
# Git waits for the disk when it writes a ref, but not for the objects: a power cut would leave the user's repository broken.
FSYNC_SETTINGS = {
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "core.fsync",
    "GIT_CONFIG_VALUE_0": "committed",
}
FSYNC_SETTINGS |= {"GIT_CONFIG_KEY_1": "core.fsyncMethod", "GIT_CONFIG_VALUE_1": "batch"}


class KeptTreeError(Exception):
    """What git would not do, in its words or ours."""


def kept_tree_ref(loop_id: str, number: int | str) -> str:
    return f"refs/loop/{loop_id}/{number}"


def keep_tree(root: str, loop_path: str, tree: str, ref: str) -> str:
    """The commit that holds this tree from now on; "" where there is no git, or the files are no longer that tree."""
    own = os.path.join(loop_path, "tree")
    name = _git_tree_name(tree)
    if not name or not os.path.exists(os.path.join(own, "HEAD")):
        return ""
    try:
        _write_objects(root, own, name)
        commit = _create_commit(root, name, ref)
        remove_stale_locks(os.path.join(os.path.dirname(_object_store(root)), os.path.dirname(ref)))
        _user_git_output(root, "update-ref", ref, commit)
    except (
        KeptTreeError,
        OSError,
    ):  # no reason to hold anybody up: the next iteration is kept again, from the beginning
        for stale in ("kept", "kept.tree"):
            if os.path.exists(os.path.join(own, stale)):
                os.remove(os.path.join(own, stale))
        return ""
    return commit


def _create_commit(root: str, tree: str, ref: str) -> str:
    told = ("commit-tree", tree, "-m", ref.removeprefix("refs/"))
    try:
        return _user_git_output(root, *IDENTITY_FLAGS, *told, "-p", "HEAD")
    except KeptTreeError:  # a repository without a commit
        return _user_git_output(root, *IDENTITY_FLAGS, *told)


def _write_objects(root: str, own: str, tree: str) -> None:
    """Put all that the tree needs into the project's own store: what differs from the tree that was kept last."""
    last = os.path.join(own, "kept.tree")
    mine = {
        "GIT_INDEX_FILE": os.path.join(own, "kept"),
        "GIT_OBJECT_DIRECTORY": _object_store(root),
        **FSYNC_SETTINGS,
    }
    if os.path.exists(last):
        with open(last, encoding="ascii") as file:
            before = file.read()
    else:
        code, head = run_git(
            root, "", "rev-parse", "--quiet", "--verify", "HEAD^{tree}", own_config=False
        )
        before = EMPTY_TREE if code else os.fsdecode(head.strip())
        _own_git_output(
            root, own, "read-tree", *(["--empty"] if before == EMPTY_TREE else [before]), more=mine
        )
    paths = _own_git_output(
        root, own, "diff-tree", "-r", "-z", "--name-only", "--no-renames", before, tree
    )
    if sum(file_size(root, path) for path in paths.split(b"\0")) > MAX_NEW_BYTES:
        raise KeptTreeError("more than anybody wants to have in their repository")
    if paths:
        with open(os.path.join(own, "changed"), "wb", opener=open_private) as file:
            file.write(paths)
        _own_git_output(
            root,
            own,
            "update-index",
            "--add",
            "--remove",
            "--replace",
            "-z",
            "--stdin",
            stdin="changed",
            more=mine,
        )
    if _own_git_output(root, own, "write-tree", more=mine).decode().strip() != tree:
        raise KeptTreeError("the files are no longer that tree")
    with open(last, "w", encoding="ascii", opener=open_private) as file:
        file.write(tree)


def _object_store(root: str) -> str:
    """Where the project keeps its objects. (Not from a file of ours under .loop/: a branch that is checked out may bring one.)"""
    theirs = os.path.join(root, ".git")
    if not os.path.isdir(theirs) or os.path.exists(os.path.join(theirs, "commondir")):
        theirs = _user_git_output(root, "rev-parse", "--path-format=absolute", "--git-common-dir")
    return os.path.join(theirs, "objects")


def keep_current_tree(
    root: str, loop_path: str, volatile: tuple[str, ...], ref: str
) -> tuple[str, str]:
    """The tree of now and the commit that holds it."""
    tree = tree_hash(root, loop_path, volatile)
    if commit := keep_tree(root, loop_path, tree, ref):
        return tree, commit
    raise KeptTreeError(
        "the files could not be kept: is this a git repository, and does something write to it now?"
    )


def restore_tree(root: str, loop_path: str, now: str, commit: str) -> None:
    """The files as the commit has them. What is not part of the tree is never overwritten."""
    own = os.path.join(loop_path, "tree")
    rows = tree_changes(root, loop_path, now, commit)
    gone = {path for path, kind, _ in rows if kind == "D"}
    if blocked := [
        path for path, kind, _ in rows if kind == "A" and _would_overwrite(root, path, gone)
    ]:
        raise KeptTreeError(
            f"{blocked[0]} is in the way, and it is not part of the tree. Move it first"
        )
    run_git(
        root, own, "update-index", "-q", "--refresh"
    )  # else what was written a moment ago counts as changed
    code, _ = run_git(root, own, "read-tree", "-m", "-u", _git_tree_name(now), f"{commit}^{{tree}}")
    known = os.path.join(own, "known")
    if os.path.exists(known):
        os.remove(known)  # our index is another one now
    if code:
        raise KeptTreeError(f"git would not put the files of {commit[:12]} back")


def _would_overwrite(root: str, path: str, gone: set[str]) -> bool:
    """Is a file that git ignores where another is to come? It would be overwritten without a word."""
    place = os.path.join(root, path)
    if os.path.isdir(place) and not os.path.islink(place):
        below = (
            os.path.join(folder, name) for folder, _, names in os.walk(place) for name in names
        )
        return any(os.path.relpath(file, root) not in gone for file in below)
    parts = path.split("/")
    above = ["/".join(parts[:count]) for count in range(1, len(parts))]
    files = {
        name
        for name in above
        if os.path.lexists(os.path.join(root, name)) and not os.path.isdir(os.path.join(root, name))
    }
    return os.path.lexists(place) or bool(files - gone)


def is_kept(root: str, commit: str) -> bool:
    """Is the commit, with its tree, still there? (Its name may come from a file that anybody wrote.)"""
    is_name = len(commit) >= 40 and set(commit) <= HEX_DIGITS
    return (
        is_name
        and not run_git(
            root, "", "rev-parse", "--quiet", "--verify", f"{commit}^{{tree}}", own_config=False
        )[0]
    )


def tree_changes(root: str, loop_path: str, one: str, other: str) -> list[tuple[str, str, str]]:
    """Path, kind of change (A, M, D, T) and mode now of each file in which two trees differ."""
    own = os.path.join(loop_path, "tree")
    out = _own_git_output(
        root,
        own,
        "diff-tree",
        "-r",
        "-z",
        "--no-renames",
        _git_tree_name(one),
        _git_tree_name(other),
    ).split(b"\0")
    rows = zip(out[::2], out[1::2], strict=False)
    return [
        (os.fsdecode(path), row.split()[4].decode(), row.split()[1].decode())
        for row, path in rows
        if row
    ]


def file_contents(
    root: str, loop_path: str, commit: str, paths: Iterable[str], most: int
) -> dict[str, bytes]:
    """The files as the commit has them. One that it has not, or that is too large, is left out."""
    own = os.path.join(loop_path, "tree")
    wanted = [path for path in paths if "\n" not in path]
    sizes = _cat_file_batch(
        root, own, "--batch-check=%(objecttype) %(objectsize)", commit, wanted
    ).split(b"\n")
    fine = [
        path
        for path, row in zip(wanted, sizes, strict=False)
        if row.startswith(b"blob ") and int(row[5:]) <= most
    ]
    out, found = _cat_file_batch(root, own, "--batch=%(objectsize)", commit, fine), {}
    for path in fine:
        size, _, out = out.partition(b"\n")
        found[path], out = out[: int(size)], out[int(size) + 1 :]
    return found


def _cat_file_batch(root: str, own: str, flag: str, commit: str, paths: list[str]) -> bytes:
    with open(os.path.join(own, "wanted"), "wb", opener=open_private) as file:
        file.write(b"".join(os.fsencode(f"{commit}:{path}\n") for path in paths))
    return _own_git_output(root, own, "cat-file", flag, stdin="wanted")


def diff_text(root: str, one: str, other: str, *flags: str) -> str:
    """What changed between two commits, as git shows it."""
    shown = ("--no-ext-diff", "--no-textconv", *flags)
    return run_git(root, "", "diff", *shown, one, other, "--", own_config=False)[1].decode(
        "utf-8", "replace"
    )


def drop_kept_trees(root: str, loop_id: str) -> None:
    """Let go of every tree that a loop has kept."""
    code, out = run_git(
        root, "", "for-each-ref", "--format=%(refname)", f"refs/loop/{loop_id}/", own_config=False
    )
    for ref in [] if code else out.decode().split():
        run_git(root, "", "update-ref", "-d", ref, own_config=False)


def _git_tree_name(name: str) -> str:
    return name.partition("+")[0]


def _own_git_output(
    root: str, own: str, *args: str, stdin: str = "", more: dict[str, str] | None = None
) -> bytes:
    code, out = run_git(root, own, *args, stdin=stdin, more=more)
    if code and remove_stale_locks(own):
        code, out = run_git(root, own, *args, stdin=stdin, more=more)
    if code:
        raise KeptTreeError(f"git {args[0]} failed with {code}")
    return out


def _user_git_output(root: str, *args: str) -> str:
    code, out = run_git(root, "", *args, own_config=False, more=FSYNC_SETTINGS)
    if code:
        raise KeptTreeError(
            f"git {next(word for word in args if word[0] != '-')} failed with {code}"
        )
    return os.fsdecode(out.strip())
