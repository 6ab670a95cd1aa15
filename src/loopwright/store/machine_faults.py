"""Faults of the machine during a proof: no room, no access, no memory, a folder that is gone.

They say nothing about the work, so the loop pauses. A program that fails tells no error number:
then we try ourselves to write where it had to write.
"""

from __future__ import annotations

import tempfile
import time

from ..core.loop import Loop
from ..core.signals import Ordered
from ..disk.problems import disk_problem
from ..disk.user_folders import state_home
from ..repo.baseline import COPY_PREFIX
from ..repo.plumbing import object_store
from .folder import LoopFolder

PROBE_BYTES = 64 * 1024


class MachineFault(Exception):
    """The machine could not do what a proof needs. The message says what, where and the way out."""


def find_fault(error: BaseException, folder: LoopFolder, loop: Loop) -> MachineFault | None:
    """The fault of the machine behind an error; None if the machine is not to blame."""
    cause: BaseException | None = error
    while cause is not None:
        problem, way_out = disk_problem(cause)
        if problem:
            if not getattr(cause, "filename", None):
                try:
                    require_writable(folder, loop)
                except MachineFault as fault:
                    return fault  # which names the place too
            return MachineFault(f"{problem}. {way_out} first")
        cause = cause.__cause__ or cause.__context__
    return None


def require_writable(folder: LoopFolder, loop: Loop) -> None:
    """Raise MachineFault if we cannot write where this loop could write at its start."""
    places = [folder.path, state_home()]
    if loop.baseline.tree_id and not loop.baseline.tree_id.startswith(COPY_PREFIX):
        places.append(object_store(folder.root))
    try:
        places.append(tempfile.gettempdir())
    except OSError as error:
        raise _fault_at("", error) from error
    for place in places:
        try:
            with tempfile.NamedTemporaryFile(prefix="loop-probe-", dir=place) as file:
                file.write(b"\0" * PROBE_BYTES)
                file.flush()
        except OSError as error:
            raise _fault_at(place, error) from error


def _fault_at(place: str, error: OSError) -> MachineFault:
    error.filename = place or None  # and not the file of the probe, which nobody knows
    problem, way_out = disk_problem(error)
    if problem:
        return MachineFault(f"{problem}. {way_out} first")
    return MachineFault(f"{place} cannot be written: {error.strerror}. Look there first")


def pause_order(fault: MachineFault) -> Ordered:
    """Pauses the loop, with this reason."""
    return Ordered(time.time(), "pause", by="runner", reason=str(fault))
