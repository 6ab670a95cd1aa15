"""The programs that Loopwright itself starts: found once, outside every folder of an agent.

With an activated environment a folder of the project is on the PATH, and an agent could put a `git`
of its own there. Agents and checks keep the person's variables. What we start for ourselves, we
start by the path that `own_program` finds and with the variables of `own_environment`.
"""

from __future__ import annotations

import sys

from .files import read_text
from .light_os import os
from .links import follow_links, is_inside

# Lists of folders or files from which a program of ours would load code.
LOADER_LISTS = (
    *("LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "GCONV_PATH"),
    *("DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH"),
    *("DYLD_FALLBACK_LIBRARY_PATH", "DYLD_FALLBACK_FRAMEWORK_PATH"),
)
PERL_LISTS = ("PERL5LIB", "PERLLIB", "PERL5OPT", "PERL5DB")
# Those of interpreters, as paths or as options. Options are no paths: none of them is kept.
CODE_LISTS = (
    *(*LOADER_LISTS, *PERL_LISTS, "BASH_ENV", "ENV", "ZDOTDIR", "NODE_OPTIONS", "NODE_PATH"),
    *("PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX", "PYTHONSTARTUP"),
    *("RUBYLIB", "RUBYOPT", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES"),
    *("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH"),
    *("LUA_INIT", "LUA_PATH", "LUA_CPATH"),
)
OTHER_SEPARATORS = {"LD_PRELOAD": " ", "LD_LIBRARY_PATH": ";"}  # beside the colon
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAX_LINK_FILE = 10_000  # of the file .git of a worktree

_agent_folders: dict[str, tuple[str, ...]] = {}  # as they were given: their real paths
_found: dict[tuple[str, str], str] = {}  # by name and PATH
_safe_lists: dict[str, str] = {}  # lists of paths: those of them that are safe


def avoid_folders(*folders: str) -> None:
    """Agents write in these folders: nothing that we start is taken from there.

    With a worktree goes the checkout that it belongs to: the person's environment is often there.
    """
    for folder in folders:
        if not folder or folder in _agent_folders:
            continue
        real = os.path.realpath(folder)
        if real == "/":  # nothing would be left
            continue
        _agent_folders[folder] = tuple({real, os.path.abspath(folder), _main_checkout(real)} - {""})
        _safe_lists.clear()
        for key, path in list(_found.items()):
            if not is_safe(path):
                del _found[key]


def _main_checkout(folder: str) -> str:
    """The checkout whose worktree this folder is; "" for every other folder."""
    path = os.path.join(folder, ".git")
    text = (read_text(path, MAX_LINK_FILE) or "") if os.path.isfile(path) else ""
    main, mark, _ = text.removeprefix("gitdir:").strip().partition("/.git/worktrees/")
    return os.path.realpath(main) if mark and os.path.isabs(main) else ""


def own_program(name: str, *folders: str) -> str:
    """The path of a program on the PATH that no agent can have written; "" without one.

    `folders` are further ones in which agents write.
    """
    avoid_folders(*folders)
    key = (name, os.environ.get("PATH", os.path.defpath))
    if key not in _found and (path := _search(*key)):
        _found[key] = path
    return _found.get(key, "")


def _search(name: str, search_path: str) -> str:
    for folder in search_path.split(os.path.pathsep):
        path = _program_in(folder, name) if is_safe(folder) else ""
        if path and is_safe(path):
            return path
    return ""


def _program_in(folder: str, name: str) -> str:
    if sys.platform == "win32":  # the name has one of several endings there
        from shutil import which

        return which(name, path=folder) or ""
    path = os.path.join(folder, name)
    return path if os.path.isfile(path) and os.access(path, os.X_OK) else ""


def agent_program(word: str, search_path: str = "") -> str:
    """The program of an agent, outside its folders if there is such a one; "" without any.

    People install agents in the environment of a project too. An agent that changes itself there
    gains nothing: it runs in its sandbox, or as the person.
    """
    from shutil import which

    own = "" if os.path.dirname(word) else own_program(word)
    return own or which(word, path=search_path or None) or ""


def is_safe(path: str) -> bool:
    """Is this an absolute path that neither lies in a folder of an agent nor leads through one?"""
    if not os.path.isabs(path):
        return False
    folders = [folder for given in _agent_folders.values() for folder in given]
    if sys.platform == "win32":
        places = (os.path.abspath(path), os.path.realpath(path))
    else:
        places = (os.path.normpath(path), follow_links(path, folders))
    return all(places) and not any(is_inside(place, f) for place in places for f in folders)


def own_environment(*folders: str) -> dict[str, str]:
    """The variables for a program of ours: none lets it load what an agent can write.

    `folders` are further ones in which agents write.
    """
    avoid_folders(*folders)
    env = dict(os.environ)
    env["PATH"] = _safe_list(env.get("PATH", os.path.defpath))
    for name in CODE_LISTS:
        paths = env.pop(name, "").replace(
            OTHER_SEPARATORS.get(name, os.path.pathsep), os.path.pathsep
        )
        if kept := _safe_list(paths):
            env[name] = kept
    return env


def _safe_list(paths: str) -> str:
    if paths not in _safe_lists:
        safe = [path for path in paths.split(os.path.pathsep) if is_safe(path)]
        _safe_lists[paths] = os.path.pathsep.join(safe)
    return _safe_lists[paths]


def without_loader_lists(environment: dict[str, str], launcher: tuple[str, ...]) -> dict[str, str]:
    """The variables for a launcher: it starts outside the sandbox that it makes.

    It sets those that are left out here for the command inside.
    """
    if not launcher:
        return environment
    return {name: value for name, value in environment.items() if name not in LOADER_LISTS}


def own_folders(root: str) -> tuple[str, ...]:
    """The folders in this project that hold our own code: an environment of it, or a checkout."""
    found = (os.path.abspath(sys.prefix), os.path.realpath(sys.base_prefix), PACKAGE)
    inside = [path for path in dict.fromkeys(found) if is_inside(path, root)]
    return tuple(p for p in inside if not any(is_inside(p, o) and p != o for o in inside))


def drop_project_imports() -> None:
    """Import nothing more from the folders of agents, except ourselves where we lie in one."""
    environments = [os.path.abspath(sys.prefix)]
    # Python itself may be there too: pyenv installs it in the home folder.
    if not is_safe(python := os.path.abspath(sys.base_prefix)):
        environments.append(python)
    sys.path[:] = [
        path
        for path in sys.path
        if is_safe(path)
        or path == os.path.dirname(PACKAGE)
        or any(is_inside(path, environment) for environment in environments)
    ]
