"""The boxes for checks and reviewers, and for trying one by hand."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from ..core.criteria import NETWORK, OUTSIDE, Check
from ..core.loop import Loop
from ..core.proof.state import CheckBox
from ..disk.links import is_inside
from ..sandbox import profiles
from ..sandbox.backends import bwrap
from ..sandbox.bounds import Bounds, usual_bounds
from ..sandbox.choose import CONTAINERS, PLAIN, Sandbox, launcher_words
from ..sandbox.git_guard import GitGuard
from ..sandbox.git_paths import git_folders
from ..sandbox.mounts import Box
from ..sandbox.places import agent_homes
from ..sandbox.profiles import CHECK, OPEN, REVIEWER, access_of
from ..sandbox.tables import AGENT_HOMES, CACHE_FOLDERS
from .check_caches import private_caches
from .config import ConfigError, settings, user_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..verify.runner import Launcher

# They can show another folder at the path of the project.
BINDING_BACKENDS = ("bwrap", "docker", "podman")


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

    @contextmanager
    def launch(reports: str) -> Iterator[tuple[str, ...]]:
        written = (reports,) if reports else ()
        # Of a clean checkout, the repository is out of reach.
        guard = nullcontext() if source else GitGuard(root, loop_path)
        with _writable_caches(loop, root) as caches, guard:
            yield _words(loop, box.but(caches=caches), source, bound, written)

    return launch


@contextmanager
def _writable_caches(loop: Loop, root: str) -> Iterator[str]:
    """A folder with caches for one run; "" where the sandbox copies by itself or shows none."""
    if loop.check_box.backend != bwrap.NAME or bwrap.COPIES in loop.check_box.features:
        yield ""
        return
    names = tuple(name for name, works_read_only in CACHE_FOLDERS if not works_read_only)
    with private_caches(loop, root, names) as folder:
        yield folder


def clean_checkout_launcher(loop: Loop, root: str, room: str, bound: bool) -> tuple[str, ...]:
    """What starts a command that prepares a clean checkout: in a box with network; () for none."""
    if loop.check_box.backend not in BINDING_BACKENDS:
        return ()
    return _words(loop, box_of_profile(CHECK, root).but(network=True), room, bound)


@contextmanager
def lane_launcher(loop: Loop, lane: str, loop_path: str) -> Iterator[tuple[str, ...]]:
    """What starts a command that prepares a lane: agents may have written what it runs."""
    if not loop.check_box.backend:
        yield ()
        return
    box = box_of_profile(CHECK, lane).but(network=True, loop_folder=os.path.realpath(loop_path))
    with GitGuard(lane, loop_path):
        yield _words(loop, box, "", bound=False)


def _words(
    loop: Loop, box: Box, source: str, bound: bool, written: tuple[str, ...] = ()
) -> tuple[str, ...]:
    allowed = loop.check_box.allow_read
    if source:
        elsewhere = [f for f in git_folders(box.root) if not is_inside(f, box.root)]
        allowed = (*allowed, *elsewhere)
        around = box.but(root=source, loop_folder="", beside=box.root)
        box = box.but(source=source) if bound else around
    box = box.but(allow_read=allowed, allow_write=written)
    return launcher_words(sandbox_of_checks(loop.check_box), box, dict(os.environ))
