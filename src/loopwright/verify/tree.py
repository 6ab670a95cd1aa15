"""The tree: one hash for the content of all files that are tracked, changed or untracked. Ignored files are no part of it.

Git does the work in a folder of its own under .loop/, with its own index and object store: the user's index, hooks,
filters and fsmonitor are never touched. Content is hashed, not stored, so a large file costs its reading and no space.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Files that we write ourselves, and what tools leave behind when a check runs.
EXCLUDED = (
    "/.loop/",
    "/.claude/loop-state*",
    "/.claude/loop-history/",
    "__pycache__/",
    "*.pyc",
    ".pytest_cache/",
    ".mypy_cache/",
    ".ruff_cache/",
    ".hypothesis/",
    ".coverage",
    "node_modules/",
)
HUGE = 50 * 1024 * 1024  # above this, size and time of change stand for the content
MOST_FILES = 20_000  # in a folder without git


def tree_of(root: str, loop_path: str, volatile: tuple[str, ...] = ()) -> str:
    """The hash of the tree at root, or "" when it cannot be told; then no evidence is kept beyond its round."""
    git = os.path.join(loop_path, "tree")
    try:
        if os.path.exists(os.path.join(root, ".git")):
            if not os.path.exists(os.path.join(git, "HEAD")):
                _lay(root, git, volatile)
            return _git_tree(root, git)
        return _plain_tree(root, volatile)
    except OSError:
        return ""


def _git_tree(root: str, git: str) -> str:
    """Ask for what differs from our index; in the usual case nothing does, and the last answer stands."""
    code, out = run_git(root, git, "ls-files", "-z", "-m", "-d", "-o", "--exclude-standard")
    if code:
        return ""
    known = os.path.join(git, "known")
    changed = sorted({path for path in out.split(b"\0") if path})
    huge = [path for path in changed if _size(root, path) > HUGE]
    if not changed and os.path.exists(known):
        with open(known, "rb") as file:
            return file.read().decode()
    with open(os.path.join(git, "changed"), "wb") as file:
        file.write(b"".join(path + b"\0" for path in changed if path not in huge and not path.endswith(b"/")))
    code, _ = run_git(root, git, "update-index", "--add", "--remove", "--info-only", "-z", "--stdin", stdin="changed")
    if code:
        return ""
    code, tree = run_git(root, git, "write-tree", "--missing-ok")
    if code:
        return ""
    name = tree.decode().strip()
    if huge:
        name += "+" + _digest(b"".join(_stamp(root, path) for path in huge))
    else:
        with open(known, "wb") as file:
            file.write(name.encode())
    return name


def changed_files(root: str, loop_path: str, before: str, after: str) -> str:
    """The files in which two trees differ, for a person; at most ten."""
    git = os.path.join(loop_path, "tree")
    if not os.path.exists(git):
        return "(unknown files)"
    _, out = run_git(root, git, "diff-tree", "-r", "-z", "--name-only", before.split("+")[0], after.split("+")[0])
    names = [os.fsdecode(name) for name in out.split(b"\0") if name]
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")


def _lay(root: str, git: str, volatile: tuple[str, ...]) -> None:
    """A git folder of our own. The user's index is copied once: its file times spare us reading every file."""
    for name in ("objects/info", "refs", "info"):
        os.makedirs(os.path.join(git, name), mode=0o700, exist_ok=True)
    theirs, common = _git_folders(root)
    exclude = "\n".join((*EXCLUDED, *volatile))
    _, ignored = run_git(root, theirs, "config", "--path", "core.excludesFile", own_config=False)
    for more in (os.path.join(common, "info", "exclude"), os.fsdecode(ignored.strip())):
        if more and os.path.isfile(more):
            with open(more, encoding="utf-8", errors="replace") as file:
                exclude += "\n" + file.read()
    _write(git, "info/exclude", exclude)
    _write(git, "objects/info/alternates", os.path.join(common, "objects"))
    _write(git, "config", "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n")
    index = os.path.join(theirs, "index")
    if os.path.isfile(index):
        stat = os.stat(index)
        with open(index, "rb") as source, open(os.path.join(git, "index"), "wb") as copy:
            copy.write(source.read())
        os.utime(os.path.join(git, "index"), ns=(stat.st_atime_ns, stat.st_mtime_ns))  # git compares it with the files'
    _write(git, "HEAD", "ref: refs/heads/loop\n")
    # Files as young as the copied index (a fresh clone's) would be read again at every Stop; this settles them once.
    run_git(root, git, "update-index", "-q", "--refresh", "--force-write-index")


def _git_folders(root: str) -> tuple[str, str]:
    """Where this checkout keeps its index, and where the repository keeps the rest: two places in a worktree."""
    asked = ("rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir")
    _, out = run_git(root, "", *asked, own_config=False)
    checkout, _, common = os.fsdecode(out.strip()).partition("\n")
    usual = os.path.join(root, ".git")
    return checkout or usual, common or usual


def run_git(root: str, git: str, *args: str, stdin: str = "", own_config: bool = True) -> tuple[int, bytes]:
    """Exit code and output. Spawned by hand: importing subprocess costs more than the call."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env |= {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    if own_config:
        null = os.devnull
        env |= {"GIT_DIR": git, "GIT_WORK_TREE": root, "GIT_CONFIG_GLOBAL": null, "GIT_CONFIG_SYSTEM": null}
    argv = ["git", "-C", root, "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", *args]
    feed = os.path.join(git, stdin) if stdin else os.devnull
    if not hasattr(os, "posix_spawnp"):  # pragma: no cover - Windows
        import subprocess

        with open(feed, "rb") as source:
            done = subprocess.run(argv, env=env, stdin=source, capture_output=True, check=False)
        return done.returncode, done.stdout
    reader, writer = os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, feed, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, writer, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    try:
        pid = os.posix_spawnp("git", argv, env, file_actions=actions)
    finally:
        os.close(writer)
    with open(reader, "rb") as pipe:
        out = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), out


def _plain_tree(root: str, volatile: tuple[str, ...]) -> str:
    """Without git: every file by name and content (the large by size and time), in a bounded walk."""
    parts = []
    for count, path in enumerate(_walk(root, (*EXCLUDED, *volatile))):
        if count >= MOST_FILES:
            return ""
        name = os.fsencode(os.path.relpath(path, root))
        if _size(root, name) > HUGE // 50:
            parts.append(_stamp(root, name))
        else:
            with open(path, "rb") as file:
                parts.append(name + b"\0" + _digest(file.read()).encode())
    return _digest(b"\n".join(parts))


def _walk(folder: str, excluded: tuple[str, ...]) -> Iterator[str]:
    names = [pattern.strip("/").removeprefix(".claude/") for pattern in excluded]
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if any(_fits(entry.name, name) for name in names):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(entry.path, excluded)
        elif entry.is_file(follow_symlinks=False):
            yield entry.path


def _fits(name: str, pattern: str) -> bool:
    """fnmatch, without its import for the patterns that need none: it costs as much as the interpreter's start."""
    if not any(letter in pattern for letter in "*?["):
        return name == pattern
    if pattern[0] == "*" and not any(letter in pattern[1:] for letter in "*?["):
        return name.endswith(pattern[1:])
    if pattern[-1] == "*" and not any(letter in pattern[:-1] for letter in "*?["):
        return name.startswith(pattern[:-1])
    from fnmatch import fnmatchcase

    return fnmatchcase(name, pattern)


def _size(root: str, path: bytes) -> int:
    try:
        return os.lstat(os.path.join(os.fsencode(root), path)).st_size
    except OSError:
        return 0


def _stamp(root: str, path: bytes) -> bytes:
    try:
        stat = os.lstat(os.path.join(os.fsencode(root), path))
    except OSError:
        return path
    return b"%s %d %d" % (path, stat.st_size, stat.st_mtime_ns)


def _digest(data: bytes) -> str:
    from _blake2 import blake2b

    return str(blake2b(data, digest_size=16).hexdigest())


def _write(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)
