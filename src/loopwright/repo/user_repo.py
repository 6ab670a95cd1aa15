"""The user's repository: what is committed, changed and staged, and how it ignores our files."""

from __future__ import annotations

from ..core.record import digest
from ..disk.files import open_no_link, read_text
from ..disk.light_os import os
from .commit_object import read_head
from .plumbing import ask_user_git, user_git_text
from .submodules import LOOK_AT_COMMIT, no_filter_variables, submodules_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

OWN_FILES = ("/loop-state*", "/loop-history/")  # in .claude/
OWN_PATHSPECS = (
    ":(exclude).loop",
    ":(exclude).claude/loop-state*",
    ":(exclude).claude/loop-history",
)
MAX_IGNORE_CHARS = 10_000_000
MAX_UNKNOWN = 20
COMMIT_FLAGS = ("--quiet", "--no-verify", "--no-gpg-sign")


def head_digest(root: str) -> str:
    """A digest of HEAD and the index, which can change while no file does; "" without git."""
    if not _has_git(root):
        return ""
    if head := read_head(root):
        commit = f"{head}\n".encode("ascii")  # as git prints it
    else:
        _, commit = ask_user_git(root, "rev-parse", "HEAD")
    code, staged = ask_user_git(root, "ls-files", "-s", "-z")
    return "" if code else digest(commit + staged)


def current_commit(root: str) -> str:
    """The commit that is checked out; "" where there is none."""
    return user_git_text(root, "rev-parse", "--verify", "HEAD") if _has_git(root) else ""


def _has_git(root: str) -> bool:
    return os.path.exists(os.path.join(root, ".git"))


def current_branch(root: str) -> str:
    """The branch that is checked out; "" where there is none."""
    return user_git_text(root, "symbolic-ref", "--short", "HEAD")


def subject_of_commit(root: str, commit: str) -> str:
    return user_git_text(root, "log", "--no-show-signature", "-n", "1", "--format=%s", commit)


def log_since(root: str, base: str) -> str:
    """The commits since `base`, newest first, one per line. Without any, no git is started."""
    if not base or read_head(root) == base:
        return ""
    return user_git_text(root, "log", "--oneline", "--no-decorate", "-n", "40", f"{base}..HEAD")


def has_commit_with(root: str, base: str, words: str) -> bool:
    """Does a commit after `base` have these words in its message?"""
    found = ("log", "-1", "--format=%H", "--fixed-strings", f"--grep={words}", f"{base}..HEAD")
    return bool(base and user_git_text(root, *found))


def diff_stat(root: str, base: str) -> str:
    """Git's summary of what differs from `base` now, committed or not, without our own files.

    Git counts no file that it does not know, so those are named below.
    """
    if not base:
        return ""
    flags = ("--stat=100", "--no-ext-diff", "--no-textconv", LOOK_AT_COMMIT, base, "--")
    words = (*flags, ".", *OWN_PATHSPECS)
    code, out = ask_user_git(root, "diff", *words, variables=no_filter_variables(root))
    if code:
        return ""
    others = ("ls-files", "--others", "--exclude-standard", "-z", "--", ".", *OWN_PATHSPECS)
    names = user_git_text(root, *others).strip("\0").split("\0")
    listed = ", ".join(names[:MAX_UNKNOWN]) + (" …" if len(names) > MAX_UNKNOWN else "")
    unknown = f"not known to git yet, and not counted: {listed}" if names[0] else ""
    return f"{out.decode('utf-8', 'replace').strip()}\n{unknown}".strip()


def uncommitted_files(root: str, run_filters: bool = True) -> tuple[str, ...]:
    """Files with changes that are not committed.

    A commit needs the filters that the user has set up; who only reads must not run them.
    """
    variables = None if run_filters else no_filter_variables(root)
    flags = ("--porcelain", "-z", "--no-renames", "-uall", LOOK_AT_COMMIT)
    words = ("status", *flags, "--", ".", ":(exclude).loop")
    code, out = ask_user_git(root, *words, variables=variables)
    if code:
        return ()
    return tuple(os.fsdecode(entry[3:]) for entry in out.split(b"\0") if entry)


def committed_text(root: str, name: str) -> str | None:
    """The file's text in the last commit; None where the commit does not have it."""
    code, out = ask_user_git(root, "show", f"HEAD:{name}")
    return None if code else out.decode("utf-8", "surrogateescape")


def git_settings_files(root: str) -> tuple[str, ...]:
    """The files with the user's settings for git, and the lists of patterns that they name."""
    _, out = ask_user_git(root, "config", "--null", "--list", "--show-origin", "--name-only")
    origins = [os.fsdecode(part) for part in out.split(b"\0")[::2]]
    files = {origin.removeprefix("file:") for origin in origins if origin.startswith("file:/")}
    for name in ("core.excludesFile", "core.attributesFile"):
        files.add(user_git_text(root, "config", "--path", name))
    return tuple(sorted(path for path in files if os.path.isabs(path)))


def add_worktree(root: str, path: str, branch: str) -> str:
    """Create a worktree on a new branch; returns git's error message, or "" on success."""
    from .git import git_error_text, run_user_git

    done = run_user_git(root, "worktree", "add", "--quiet", "-b", branch, path, "HEAD")
    return git_error_text(done) if done.returncode else ""


def tracked_files(root: str, commit: str) -> frozenset[str]:
    """Every file of the commit."""
    code, out = ask_user_git(root, "ls-tree", "-r", "-z", "--name-only", commit)
    if code:
        return frozenset()
    return frozenset(os.fsdecode(name) for name in out.split(b"\0") if name)


def files_of_project(root: str) -> frozenset[str]:
    """Every file that git tracks or would add: no file is read for that, and no filter runs."""
    flags = ("--cached", "--others", "--exclude-standard", "-z", "--", ".", ":(exclude).loop")
    _, out = ask_user_git(root, "ls-files", *flags)
    return frozenset(os.fsdecode(name) for name in out.split(b"\0") if name)


def commit_changes(root: str, message: str, spared: Collection[str] = ()) -> str:
    """Commit all changes except the `spared` files, which keep their state, staged or not.

    New files that tools leave behind are no work, whether the project ignores them or not.
    Returns the short name of the commit; "" where there was nothing to commit or git failed.
    """
    left_out = {*spared, *_untracked_caches(root)}
    files = [name for name in uncommitted_files(root) if name not in left_out]
    if not files:
        return ""
    # `git add` would look into the submodules; `git commit --only` takes their commits as they are.
    submodules = {name for name, _ in submodules_of(root)}
    added = [name for name in files if name not in submodules]
    is_staged = not added or _run_for_files(root, added, "add", "-A")
    if not is_staged or not _run_for_files(root, files, *_commit_words(root, message)):
        return ""
    return user_git_text(root, "rev-parse", "--short", "HEAD")


def _commit_words(root: str, message: str) -> tuple[str, ...]:
    from .git import identity_settings

    return (*identity_settings(root), "commit", *COMMIT_FLAGS, "-m", message, "--only")


def _run_for_files(root: str, names: list[str], *words: str) -> bool:
    """Run git for these files, whose names it reads from its input; was it successful?"""
    from .git import GitError, run_user_git

    feed = b"\0".join(os.fsencode(f":(top,literal){name}") for name in names)
    flags = ("--pathspec-from-file=-", "--pathspec-file-nul")
    try:
        return run_user_git(root, *words, *flags, feed=feed).returncode == 0
    except GitError:
        return False


def _untracked_caches(root: str) -> list[str]:
    from .lanes.changes import EXCLUDE_CACHE_FLAGS

    flags = ("--others", "--ignored", "-z", *EXCLUDE_CACHE_FLAGS)
    _, out = ask_user_git(root, "ls-files", *flags)
    return [os.fsdecode(name) for name in out.split(b"\0") if name]


def ignore_own_files(root: str) -> None:
    """Keep our files out of `git add -A` and out of what the client shows.

    A .gitignore beside them that ignores itself does both. Where the user has one there already,
    we write to the repository's own exclude list, which is never committed. The client does not
    read that list.
    """
    beside = os.path.join(root, ".claude", ".gitignore")
    if leads_out(root, os.path.dirname(beside)):
        raise OSError(f"{os.path.dirname(beside)} is a link that leads out of the project")
    if not os.path.lexists(beside):
        os.makedirs(os.path.dirname(beside), exist_ok=True)
        _append_missing_lines(beside, (*OWN_FILES, "/.gitignore"))
        return
    if not _has_git(root) or _ignores_own_files(beside):
        return
    words = ("--path-format=absolute", "--git-common-dir", "--git-path", "info/exclude")
    code, out = ask_user_git(root, "rev-parse", *words)
    folder, _, path = os.fsdecode(out.strip()).partition("\n")
    # Git resolves links in its answer: one may lead to a file that is none of the repository.
    if not code and path == os.path.join(folder, "info", "exclude"):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _append_missing_lines(path, tuple(f"/.claude{name}" for name in OWN_FILES))


def leads_out(root: str, path: str) -> bool:
    """Whether a link on the path leads outside the project."""
    return not os.path.realpath(path).startswith(f"{os.path.realpath(root)}{os.sep}")


def _ignores_own_files(path: str) -> bool:
    return set(OWN_FILES) <= set(_ignore_list(path).splitlines())


def _append_missing_lines(path: str, lines: tuple[str, ...]) -> None:
    text = _ignore_list(path)
    missing = [line for line in lines if line not in text.splitlines()]
    if not missing:
        return
    start = "" if not text or text.endswith("\n") else "\n"
    with open(path, "a", encoding="utf-8", newline="\n", opener=open_no_link) as file:
        file.write(start + "".join(f"{line}\n" for line in missing))


def _ignore_list(path: str) -> str:
    if not os.path.isfile(path):  # a pipe would keep us waiting
        return ""
    return read_text(path, MAX_IGNORE_CHARS, exact=True) or ""
