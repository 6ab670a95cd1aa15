"""The user's own git, asked and told the least: what is committed and staged, and which files of ours it leaves alone."""

from __future__ import annotations

import os

from ..core.record import digest
from ..disk.files import open_private
from .plumbing import run_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

OWN_FILES = ("/loop-state*", "/loop-history/")  # in .claude/


def head_digest(root: str) -> str:
    """One word for the last commit and the index: both may move while no file changes. "" where there is no git."""
    if not os.path.exists(os.path.join(root, ".git")):
        return ""
    _, commit = _try_git(root, "rev-parse", "HEAD")
    code, staged = _try_git(root, "ls-files", "-s", "-z")
    return "" if code else digest(commit + staged)


def current_commit(root: str) -> str:
    """The commit that is checked out; "" where there is none."""
    code, out = (
        _try_git(root, "rev-parse", "--verify", "HEAD")
        if os.path.exists(os.path.join(root, ".git"))
        else (1, b"")
    )
    return "" if code else out.decode("ascii", "replace").strip()


def current_branch(root: str) -> str:
    """The branch that is checked out; "" where there is none."""
    return _git_text(root, "symbolic-ref", "--short", "HEAD")


def log_since(root: str, base: str) -> str:
    """The commits since then, newest first, one a line."""
    return (
        _git_text(root, "log", "--oneline", "--no-decorate", "-n", "40", f"{base}..HEAD")
        if base
        else ""
    )


def diff_stat(root: str, base: str) -> str:
    """What differs from that commit now, committed or not, as git sums it up. Files of ours are left out."""
    if not base:
        return ""
    ours = (":(exclude).loop", ":(exclude).claude/loop-state*", ":(exclude).claude/loop-history")
    plain = ("--stat=100", "--no-ext-diff", "--no-textconv", base, "--", ".", *ours)
    code, out = _try_git(root, "diff", *plain, more=_no_filter_variables(root))
    return "" if code else out.decode("utf-8", "replace").strip()


def _no_filter_variables(root: str) -> dict[str, str]:
    """Variables with which git runs no filter of the repository. For looking; a commit needs those that the person has set up."""
    _, out = _try_git(
        root,
        "config",
        "--null",
        "--name-only",
        "--get-regexp",
        r"^filter\..*\.(clean|smudge|process)$",
    )
    names = sorted({os.fsdecode(name).rpartition(".")[0] for name in out.split(b"\0") if name})
    off = [
        pair for name in names for pair in ((f"{name}.process", ""), (f"{name}.required", "false"))
    ]
    settings = {
        f"GIT_CONFIG_{what}_{n}": pair[at]
        for n, pair in enumerate(off)
        for at, what in enumerate(("KEY", "VALUE"))
    }
    return {
        "GIT_CONFIG_COUNT": str(len(off)),
        **settings,
    }  # (not -c: there a name may not hold a =)


def uncommitted_files(root: str) -> tuple[str, ...]:
    """Files that are changed and not committed."""
    code, out = _try_git(
        root, "status", "--porcelain", "-z", "--no-renames", "-uall", "--", ".", ":(exclude).loop"
    )
    return () if code else tuple(os.fsdecode(entry[3:]) for entry in out.split(b"\0") if entry)


def committed_text(root: str, name: str) -> str | None:
    """A file as the last commit has it; None where it has none."""
    code, out = _try_git(root, "show", f"HEAD:{name}")
    return None if code else out.decode("utf-8", "surrogateescape")


def add_worktree(root: str, place: str, branch: str) -> str:
    """A checkout of its own with a new branch; "" where it went well, else what git says."""
    from .git import git_error_text, run_user_git

    done = run_user_git(root, "worktree", "add", "--quiet", "-b", branch, place, "HEAD")
    return git_error_text(done) if done.returncode else ""


def tracked_files(root: str, commit: str) -> frozenset[str]:
    """Every file that the commit has."""
    code, out = _try_git(root, "ls-tree", "-r", "-z", "--name-only", commit)
    return (
        frozenset() if code else frozenset(os.fsdecode(name) for name in out.split(b"\0") if name)
    )


def commit_changes(root: str, message: str, spared: Collection[str] = ()) -> str:
    """All that is changed becomes one commit; its short name, or "" where there was nothing to commit or git would not.

    What is `spared` stays as it is, staged or not.
    """
    from .git import identity_settings

    files = [name for name in uncommitted_files(root) if name not in spared]
    names = (
        _git_text(root, "rev-parse", "--path-format=absolute", "--git-path", "loop-names")
        if files
        else ""
    )
    if not names:
        return ""
    with open(
        names, "wb", opener=open_private
    ) as file:  # always the same: what a killed one leaves goes with the next
        file.write(b"\0".join(os.fsencode(f":(top,literal){name}") for name in files))
    these = (f"--pathspec-from-file={names}", "--pathspec-file-nul")
    code, _ = _try_git(root, "add", "-A", *these)
    if not code:
        code, _ = _try_git(
            root,
            *identity_settings(root),
            "commit",
            "--quiet",
            "--no-verify",
            "--no-gpg-sign",
            "-m",
            message,
            "--only",
            *these,
        )
    os.remove(names)
    return "" if code else _git_text(root, "rev-parse", "--short", "HEAD")


def _git_text(root: str, *args: str) -> str:
    code, out = _try_git(root, *args)
    return "" if code else out.decode("utf-8", "replace").strip()


def _try_git(root: str, *args: str, more: dict[str, str] | None = None) -> tuple[int, bytes]:
    try:
        return run_git(root, "", *args, own_config=False, more=more)
    except OSError:  # no such program
        return 127, b""


def ignore_own_files(root: str) -> None:
    """`git add -A` is not to take our files along, and the client is not to show each change of them on the screen.

    A .gitignore beside them that ignores itself does both. Where somebody has one there, the clone's own list, which is never
    committed, does the first; the client does not read it.
    """
    beside = os.path.join(root, ".claude", ".gitignore")
    if leads_out(root, os.path.dirname(beside)):
        raise OSError(f"{os.path.dirname(beside)} is a link that leads out of the project")
    if not os.path.lexists(beside):
        os.makedirs(os.path.dirname(beside), exist_ok=True)
        return _append_lines(beside, (*OWN_FILES, "/.gitignore"))
    if not os.path.exists(os.path.join(root, ".git")):
        return None
    code, out = _try_git(root, "rev-parse", "--path-format=absolute", "--git-path", "info/exclude")
    path = os.fsdecode(out.strip())
    if not code and path and not _ignores_own_files(beside):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _append_lines(path, tuple(f"/.claude{name}" for name in OWN_FILES))
    return None


def leads_out(root: str, path: str) -> bool:
    """Does a link on the way lead somewhere outside?"""
    return not os.path.realpath(path).startswith(f"{os.path.realpath(root)}{os.sep}")


def _ignores_own_files(path: str) -> bool:
    return set(OWN_FILES) <= set(_read_text(path).splitlines())


def _append_lines(path: str, lines: tuple[str, ...]) -> None:
    have = _read_text(path)
    if new := [line for line in lines if line not in have.splitlines()]:
        start = "" if not have or have.endswith("\n") else "\n"
        with open(path, "a", encoding="utf-8", newline="\n", opener=_open_without_links) as file:
            file.write(start + "".join(f"{line}\n" for line in new))


def _open_without_links(path: str, flags: int) -> int:
    """How a list that is the user's too is opened: through no link, and not waiting for the reader of a pipe."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0), 0o666)


def _read_text(path: str) -> str:
    if not os.path.isfile(path):
        return ""
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        return file.read()
