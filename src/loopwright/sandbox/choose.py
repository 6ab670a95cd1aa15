"""Which sandbox is used: the one that the person asks for, or the one that `auto` finds."""

from __future__ import annotations

import sys
from types import ModuleType

from ..core.record import Record
from .backends import bwrap, container, given, seatbelt, srt
from .bounds import watch_words
from .git_paths import GitPaths, find_git_paths, git_folders
from .mounts import Box, plan_mounts, written_folders
from .places import find_places

AUTO, OFF = "auto", "off"
PLAIN: dict[str, ModuleType] = {bwrap.NAME: bwrap, seatbelt.NAME: seatbelt, srt.NAME: srt}
CONTAINERS = (container.DOCKER, container.PODMAN, container.DEVCONTAINER)
NAMES = (AUTO, *PLAIN, *CONTAINERS, OFF)


class Sandbox(Record):
    """The sandbox of a run: a backend, or none and the reason."""

    backend: str  # a name of NAMES without auto, or "command"
    argument: str = ""  # the image of a container, or the command
    features: tuple[str, ...] = ()
    why: str = ""  # why there is none, or what the person must know
    settings_folder: str = ""  # of our own settings, which it hides

    @property
    def is_on(self) -> bool:
        return self.backend != OFF

    @property
    def label(self) -> str:
        return f"{self.backend}:{self.argument}" if self.argument else self.backend


class SandboxUnavailable(Exception):
    """The sandbox that the person asked for cannot be used; the message says why."""


def choose_sandbox(wish: str, root: str, settings_folder: str = "") -> Sandbox:
    """The sandbox for this wish. `auto` gives none with a reason where none works."""
    wish = wish.strip() or AUTO
    if wish == OFF:
        return Sandbox(OFF, why="you switched it off")
    if wish == AUTO:
        return _automatic(root, settings_folder)
    name, _, argument = wish.partition(":")
    if name in CONTAINERS:
        problem = container.problem(name, argument, root)
        sandbox = Sandbox(name, argument or container.declared_image(root))
    elif wish in PLAIN:
        problem = PLAIN[wish].problem(root)
        sandbox = Sandbox(wish, features=() if problem else PLAIN[wish].features(root))
    else:
        problem, sandbox = given.problem(wish, root), Sandbox("command", wish)
        problem += _typing_hint(name) if problem.endswith("on the PATH") else ""
    if problem:
        end = "" if problem.endswith("?") else "."
        raise SandboxUnavailable(f"{problem}{end} Without a sandbox: --sandbox off")
    return sandbox.but(settings_folder=settings_folder)


def _typing_hint(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name.lower(), NAMES, 1)
    return f"; did you mean {close[0]}?" if close else ""


def _automatic(root: str, settings_folder: str) -> Sandbox:
    """bubblewrap on Linux, sandbox-exec on macOS, otherwise none."""
    name = {"linux": bwrap.NAME, "darwin": seatbelt.NAME}.get(sys.platform)
    if name is None:
        return Sandbox(OFF, why=f"there is none for {sys.platform}; see --sandbox docker:IMAGE")
    backend = PLAIN[name]
    if problem := backend.problem(root):
        return Sandbox(OFF, why=problem)
    return Sandbox(name, features=backend.features(root), settings_folder=settings_folder)


def launcher_words(
    sandbox: Sandbox, box: Box, environment: dict[str, str] | None = None
) -> tuple[str, ...]:
    """The words before a command that run it in this box; none without a sandbox."""
    if not sandbox.is_on:
        return ()
    watch = watch_words(box.bounds)
    if sandbox.backend == "command":
        return (*watch, *given.launcher_words(sandbox.argument, box.root))
    # Where another checkout appears in place of the project, its repository is not there.
    git = GitPaths(git_folders(box.root)) if box.source else find_git_paths(box.root)
    git = git.but(written_folders=()) if box.whole_git else git
    places = find_places(sandbox.settings_folder, written_folders(box, git))
    mounts = plan_mounts(box, places, git, bwrap.COPIES in sandbox.features)
    if sandbox.backend in CONTAINERS:
        return container.launcher_words(
            sandbox.backend, sandbox.argument, box, mounts, environment or {}
        )
    words: tuple[str, ...] = PLAIN[sandbox.backend].launcher_words(box, mounts, sandbox.features)
    return (*watch, *words)
