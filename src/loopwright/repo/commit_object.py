"""Writes a commit and its ref without a git process, and finds the commit of HEAD."""

from __future__ import annotations

import sys
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

    False where the repository keeps its refs otherwise, or something is in the way. An error where
    a folder of the ref is a link, which git itself would follow.
    """
    if not os.path.isdir(os.path.join(git_dir, "refs", "heads")):
        return False
    top, *names, name = ref.split("/")
    folder, start = _open_folder(os.path.join(git_dir, top), names)
    path = f"{start}{name}"
    try:
        _write_file(folder, f"{path}.lock", f"{commit}\n".encode("ascii"), 0o666)
    except OSError:
        return False
    else:
        return _rename(folder, f"{path}.lock", path)
    finally:
        if folder is not None:
            os.close(folder)


def _write_object(folder_path: str, name: str, data: bytes) -> None:
    store, fan = os.path.split(folder_path)
    folder, start = _open_folder(store, [fan])
    # A name as git gives it: git removes what a killed process left.
    draft = f"{start}tmp_obj_{os.getpid()}_{time.monotonic_ns()}"
    try:
        if os.path.exists(os.path.join(folder_path, name)):
            return
        _write_file(folder, draft, data, 0o444)
        os.replace(draft, f"{start}{name}", src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        if folder is not None:
            os.close(folder)


def _open_folder(base: str, names: list[str]) -> tuple[int | None, str]:
    """A folder below `base`, made where it is missing, and how the paths in it begin.

    An agent may have put a link on the way. It is never followed; Windows cannot tell.
    """
    if sys.platform == "win32":
        path = os.path.join(base, *names)
        os.makedirs(path, exist_ok=True)
        return None, f"{path}{os.sep}"
    flags = os.O_RDONLY | os.O_DIRECTORY
    folder = os.open(base, flags)
    for name in names:
        outer = folder
        try:
            try:
                os.mkdir(name, dir_fd=outer)
            except FileExistsError:
                pass
            folder = os.open(name, flags | os.O_NOFOLLOW, dir_fd=outer)
        finally:
            os.close(outer)
    return folder, ""


def _write_file(folder: int | None, path: str, data: bytes, mode: int) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode, dir_fd=folder)
    try:
        write_all(fd, data, path)
        os.fsync(fd)
    finally:
        os.close(fd)


def _rename(folder: int | None, path: str, target: str) -> bool:
    try:
        os.replace(path, target, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        os.unlink(path, dir_fd=folder)
        return False
    return True
