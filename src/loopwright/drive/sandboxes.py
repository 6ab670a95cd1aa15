"""The boxes for checks and reviewers, and for trying one by hand."""

from __future__ import annotations

import os
from collections.abc import Callable

from ..core.criteria import NETWORK, OUTSIDE, Check
from ..core.loop import CheckBox, Loop
from ..disk.links import is_inside
from ..sandbox import profiles
from ..sandbox.bounds import Bounds, usual_bounds
from ..sandbox.choose import CONTAINERS, PLAIN, Sandbox, launcher_words
from ..sandbox.git_paths import git_folders, place_guard
from ..sandbox.mounts import Box
from ..sandbox.places import agent_homes
from ..sandbox.profiles import CHECK, OPEN, REVIEWER, access_of
from ..sandbox.tables import AGENT_HOMES
from ..store.config import ConfigError, settings, user_file

# They can show another folder at the path of the project.
BINDING_BACKENDS = ("bwrap", "docker", "podman")
Launcher = Callable[[str], tuple[str, ...]]


def box_of_profile(profile: str, root: str) -> Box:
    """The box of this profile around the project, as `loop sandbox try` shows it."""
    agents = agent_homes(AGENT_HOMES, os.environ) if profile != CHECK else []
    return Box(
        profile=profile,
        root=os.path.realpath(root),
        network=access_of(profiles.NETWORK, profile) == OPEN,
        agents=tuple(agents),
        bounds=chosen_bounds(root),
    )


def chosen_bounds(root: str) -> Bounds:
    """How much a command in a sandbox may use, as the settings say."""
    try:
        values = settings(root)
    except ConfigError:  # an agent may have written it: a start refuses it, a run goes on
        values = settings()
    memory, processes, disk = (values[f"sandbox.{n}"] for n in ("memory", "processes", "disk"))
    return usual_bounds(memory, processes, disk)


def sandbox_of_checks(box: CheckBox) -> Sandbox:
    """The sandbox that was chosen for the checks when the loop started."""
    return Sandbox(
        box.backend, box.argument, box.features, settings_folder=os.path.dirname(user_file())
    )


def is_sandbox_present(box: CheckBox) -> bool:
    """Can the sandbox of the start still be used? An audit may run on another machine."""
    if box.backend in CONTAINERS or box.backend not in PLAIN:
        return True  # a program that is missing says so itself
    return not PLAIN[box.backend].problem("/")


def check_launcher(
    loop: Loop, check: Check, root: str, loop_path: str, source: str = "", bound: bool = True
) -> Launcher | None:
    """What starts this check in its sandbox; None: it runs outside.

    `source` is a clean checkout; with `bound` it appears at the path of the project.
    """
    if not loop.check_box.backend or check.box == OUTSIDE:
        return None
    is_reviewer = check.origin == "review"
    # A must-not or a held-out check is the person's own, and no calibration says what it needs.
    is_own = check.origin in ("holdout", "review") or any(c.check == check for c in loop.must_not)
    box = box_of_profile(REVIEWER if is_reviewer else CHECK, root).but(
        network=is_own or check.box == NETWORK, loop_folder=os.path.realpath(loop_path)
    )
    return _launcher(loop, box, source, bound)


def room_launcher(loop: Loop, root: str, room: str, bound: bool) -> tuple[str, ...]:
    """What starts a command that prepares a clean checkout: in a box with network; () for none."""
    if loop.check_box.backend not in BINDING_BACKENDS:
        return ()
    box = box_of_profile(CHECK, root).but(network=True)
    return _launcher(loop, box, room, bound)("")


def _launcher(loop: Loop, box: Box, source: str, bound: bool) -> Launcher:
    sandbox = sandbox_of_checks(loop.check_box)
    allowed = loop.check_box.allow_read
    if source:
        elsewhere = [f for f in git_folders(box.root) if not is_inside(f, box.root)]
        allowed = (*allowed, *elsewhere)
        around = box.but(root=source, loop_folder="", beside=box.root)
        box = box.but(source=source) if bound else around

    def words(reports: str) -> tuple[str, ...]:
        if not source:
            place_guard(box.root)
        writable = (reports,) if reports else ()
        given = box.but(allow_read=allowed, allow_write=writable)
        return launcher_words(sandbox, given, dict(os.environ))

    return words
