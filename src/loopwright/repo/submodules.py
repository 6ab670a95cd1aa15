"""The submodules of a checkout, looked at without running a program that their settings name.

`git status` looks into each submodule by itself and runs the filter programs there. An agent can
write such a repository, and our git runs outside its sandbox.
"""

from __future__ import annotations

from ..core.record import digest
from ..disk.files import read_text
from ..disk.light_os import os
from .plumbing import ask_user_git

SUBMODULE_MODE = "160000"
# git looks at the commit of a submodule only, and starts nothing in it.
LOOK_AT_COMMIT = "--ignore-submodules=dirty"
MAX_DEPTH, MAX_TEXT = 10, 1_000_000
SETTINGS_FILES = ("config", "config.worktree", "commondir")


def submodules_of(path: str) -> list[tuple[str, str]]:
    """Path and commit of each submodule that the index of this checkout has."""
    code, out = ask_user_git(path, "ls-files", "--stage", "-z")
    return submodules_in(b"" if code else out)


def submodules_in(out: bytes) -> list[tuple[str, str]]:
    """Path and commit of each submodule in what `git ls-files --stage -z` printed."""
    submodules = []
    for row in out.split(b"\0"):
        head, _, name = row.partition(b"\t")
        mode, _, rest = head.decode("ascii").partition(" ")
        if mode == SUBMODULE_MODE:
            submodules.append((os.fsdecode(name), rest.partition(" ")[0]))
    return submodules


def changed_submodules(path: str, depth: int = MAX_DEPTH) -> tuple[str, ...]:
    """The submodules with files that are changed or new and not committed in them."""
    return tuple(name for name, _ in submodules_of(path) if has_changes(f"{path}/{name}", depth))


def has_changes(submodule: str, depth: int = MAX_DEPTH) -> bool:
    """Whether something is not committed in this submodule, or in one of its own."""
    if not os.path.lexists(os.path.join(submodule, ".git")):
        return False
    words = ("status", "--porcelain", "--ignored=no", LOOK_AT_COMMIT)
    code, changed = ask_user_git(submodule, *words, variables=no_filter_variables(submodule))
    if code or changed.strip() or depth == 0:
        return True
    return bool(changed_submodules(submodule, depth - 1))


def submodule_settings(root: str) -> dict[str, str]:
    """A digest of what git would execute in each submodule that is fetched, by its path."""
    found = {}
    for name, _ in submodules_of(root):
        git = os.path.join(root, name, ".git")
        if os.path.lexists(git):
            hooks = os.path.join(git, "hooks")
            parts = sorted(os.listdir(hooks)) if os.path.isdir(hooks) else []
            files = [git, *(os.path.join(git, file) for file in SETTINGS_FILES)]
            parts += [read_text(path, MAX_TEXT) or "" for path in files if os.path.isfile(path)]
            found[name] = digest("\0".join(parts).encode("utf-8", "replace"))
    return found


def no_filter_variables(root: str) -> dict[str, str]:
    """Variables that keep git from running filter programs of the repository when it only reads.

    A commit needs the filters that the user has set up, so it is made without these variables.
    """
    pattern = r"^filter\..*\.(clean|smudge|process)$"
    _, out = ask_user_git(root, "config", "--null", "--name-only", "--get-regexp", pattern)
    filters = sorted({os.fsdecode(name).rpartition(".")[0] for name in out.split(b"\0") if name})
    settings = []
    for name in filters:
        settings += [(f"{name}.process", ""), (f"{name}.required", "false")]
    # Not `-c name=value`: the name of a filter may contain an equals sign.
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (name, value) in enumerate(settings):
        variables[f"GIT_CONFIG_KEY_{number}"] = name
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables
