"""Writes a commit and its ref without a git process, and finds the commit of HEAD."""

from __future__ import annotations

import time

from ..disk.files import read_bytes, write_all
from ..disk.light_os import os
from .plumbing import run_git

AUTHOR = "Loopwright <loopwright@localhost>"
SHA1_LENGTH = 40
HEX_DIGITS = frozenset(b"0123456789abcdef")


def head_commit(root: str) -> str:
    """The commit of HEAD; "" where there is none yet. Only an unusual HEAD costs a git process."""
    if commit := read_head(root):
        return commit
    words = ("rev-parse", "--quiet", "--verify", "HEAD^{commit}")
    code, out = run_git(root, "", *words, own_config=False)
    return "" if code else out.decode("ascii").strip()


def read_head(root: str) -> str:
    """The commit of HEAD, read without git; "" where only git can tell."""
    git_dir = os.path.join(root, ".git")
    try:
        head = read_bytes(os.path.join(git_dir, "HEAD")).strip()
        if head.startswith(b"ref: "):
            head = _read_branch(git_dir, head.removeprefix(b"ref: "))
    except OSError:  # a worktree, another kind of ref store, or no commit yet
        return ""
    is_commit = len(head) >= SHA1_LENGTH and HEX_DIGITS.issuperset(head)
    return head.decode("ascii") if is_commit else ""


def _read_branch(git_dir: str, ref: bytes) -> bytes:
    """The name of the branch's last commit, from its file or from the list of packed refs."""
    path = os.path.join(git_dir, os.fsdecode(ref))
    if os.path.exists(path):
        return read_bytes(path).strip()
    for line in read_bytes(os.path.join(git_dir, "packed-refs")).split(b"\n"):
        if line.endswith(b" " + ref):
            return line.partition(b" ")[0]
    return b""


def write_commit(store: str, tree: str, parent: str, message: str, at: float = 0.0) -> str:
    """Write a commit object and return its name. Its bytes survive a power cut.

    With `at` as its time, the same commit has the same name whenever it is written.
    """
    from zlib import compress

    moment = f"{AUTHOR} {int(at or time.time())} +0000"
    lines = [f"tree {tree}", *([f"parent {parent}"] if parent else [])]
    lines += [f"author {moment}", f"committer {moment}", "", message, ""]
    content = "\n".join(lines).encode()
    name = object_name(b"commit", content, len(tree))
    data = b"commit %d\0%s" % (len(content), content)
    _write_object(os.path.join(store, name[:2]), name[2:], compress(data, 1))
    return name


def object_name(kind: bytes, content: bytes, length: int) -> str:
    """Git's name for an object with this content; its length says which algorithm.

    hashlib would load OpenSSL, which takes 3 ms. Python has a SHA of its own.
    """
    is_short = length == SHA1_LENGTH
    try:
        if is_short:
            from _sha1 import sha1 as algorithm  # type: ignore[import-not-found]
        else:
            from _sha2 import sha256 as algorithm  # type: ignore[import-not-found]
    except ImportError:  # another Python, or one that was built without them
        import hashlib

        algorithm = hashlib.sha1 if is_short else hashlib.sha256
    data = b"%s %d\0%s" % (kind, len(content), content)
    return str(algorithm(data, usedforsecurity=False).hexdigest())


def write_ref(git_dir: str, ref: str, commit: str) -> bool:
    """Let the ref name this commit as git does it: a lock file, synced and renamed. It saves 3 ms.

    False where the repository keeps its refs otherwise, or something is in the way.
    """
    path = os.path.join(git_dir, ref)
    lock = f"{path}.lock"
    if not os.path.isdir(os.path.join(git_dir, "refs", "heads")):
        return False
    try:
        if not os.path.isdir(os.path.dirname(path)):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        fd = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError:
        return False
    try:
        try:
            write_all(fd, f"{commit}\n".encode("ascii"))
            os.fsync(fd)
        finally:
            os.close(fd)
        os.replace(lock, path)
    except OSError:
        os.unlink(lock)
        return False
    return True


def _write_object(folder: str, name: str, data: bytes) -> None:
    path = os.path.join(folder, name)
    if os.path.exists(path):
        return
    # A name as git gives it: git removes what a killed process left.
    draft = os.path.join(folder, f"tmp_obj_{os.getpid()}_{time.monotonic_ns()}")
    try:
        os.mkdir(folder)
    except FileExistsError:
        pass
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444)
    try:
        write_all(fd, data)
        os.fsync(fd)
    finally:
        os.close(fd)
    os.replace(draft, path)
