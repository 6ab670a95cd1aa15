"""A GSD project, .gsd/ or .opti-gsd/: where its files lie, what its settings say, and what STATE.md knows of a plan."""

from __future__ import annotations

import os
import re

from ..core.plan.plan import VERIFY, Plan, TaskFailure
from ..formats import gsd_config, gsd_state
from ..formats.front_matter import MAX_CHARS
from ..formats.gsd_config import GsdConfig
from ..formats.gsd_roadmap import phase_number
from ..formats.gsd_state import GsdLoop

FOLDERS = (".gsd", ".opti-gsd")
STATE, CONFIG, ROADMAP, PLAN = "STATE.md", "config.md", "ROADMAP.md", "plan.md"
PHASE = re.compile(r"(?:phase)?[-_ ]?0*([0-9]+(?:\.[0-9]+)?)(?:[-_ ].*)?", re.I)


def find_folder(root: str) -> str:
    """The folder of the GSD project here; empty without one."""
    return next((name for name in FOLDERS if os.path.isdir(os.path.join(root, name))), "")


def find_file(root: str, gsd: str, name: str) -> str:
    """A file of the project, whatever the case of its name: its path from the root; empty without one."""
    found = [
        entry
        for entry in _list_folder(os.path.join(root, gsd))
        if entry.casefold() == name.casefold()
    ]
    best = name if name in found else found[0] if found else ""
    return f"{gsd}/{best}" if best and os.path.isfile(os.path.join(root, gsd, best)) else ""


def find_plan_file(root: str, gsd: str, phase: str = "") -> str:
    """The plan of this phase; when none is named, of the phase in STATE.md, else the newest."""
    plans = _plans_by_phase(root, gsd)
    if phase:
        return plans.get(phase_number(phase), "")
    if now := plans.get(phase_number(gsd_state.current_phase(_state_text(root, gsd)))):
        return now
    dated = [
        (os.stat(os.path.join(root, path)).st_mtime, float(name), path)
        for name, path in plans.items()
    ]
    return max(dated)[2] if dated else ""


def _plans_by_phase(root: str, gsd: str) -> dict[str, str]:
    """Phase → its plan: plans/phase-1/plan.md, or plans/phase-1.md, in any case and with or without a zero."""
    found: dict[str, str] = {}
    for name in _list_folder(os.path.join(root, gsd, "plans")):
        place = f"{gsd}/plans/{name}"
        path = find_file(root, place, PLAN) if os.path.isdir(os.path.join(root, place)) else place
        if path.casefold().endswith(".md") and (
            phase := PHASE.fullmatch(os.path.splitext(name)[0] if path == place else name)
        ):
            found.setdefault(phase_number(phase.group(1)), path)
    return found


def read_settings(root: str, gsd: str) -> GsdConfig:
    """What config.md says; the defaults without one."""
    path = find_file(root, gsd, CONFIG)
    try:
        return gsd_config.read(_read_text(root, path)) if path else GsdConfig()
    except (OSError, UnicodeDecodeError):
        return GsdConfig(problems=(f"{path} cannot be read as UTF-8 text; the defaults are used",))


def restore_progress(plan: Plan, state: GsdLoop) -> Plan:
    """A plan that was just read, with what STATE.md knows of its loop. Nothing is believed done: the checks will tell."""
    if (
        state.completed
        or not state.kind
        or (state.phase and phase_number(state.phase) != phase_number(plan.phase))
    ):
        return plan
    known = {_normalized_id(task.id): task.id for task in reversed(plan.tasks)} | {
        task.id: task.id for task in plan.tasks
    }
    times = {
        known[name]: count
        for key, count in state.retries
        if (name := key if key in known else _normalized_id(key)) in known
    }
    failed = [
        TaskFailure(task, min(count, plan.retries))
        for task, count in times.items()
        if count and plan.retries
    ]
    if failed and state.error:
        failed[-1] = failed[-1].but(error=state.error)
    rounds = min(state.iteration, plan.max_fix_rounds) if state.kind == VERIFY else plan.fix_rounds
    return plan.but(
        stage=state.kind, failures=tuple(failed), fix_rounds=rounds, history=state.history
    )


def _normalized_id(name: str) -> str:
    """The id of a task however it is spelled: 2, 02, T2 and T-002 are the same."""
    return re.sub(r"^t?[-_ ]?0*(?=[0-9])", "", name.strip().casefold())


def _list_folder(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _state_text(root: str, gsd: str) -> str:
    path = find_file(root, gsd, STATE)
    try:
        return _read_text(root, path) if path else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _read_text(root: str, path: str) -> str:
    with open(os.path.join(root, path), "rb") as stream:
        return stream.read(4 * MAX_CHARS + 4).decode()
