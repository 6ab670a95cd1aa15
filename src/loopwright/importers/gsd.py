"""A GSD project, .gsd/ or .opti-gsd/: find its files, read its settings and its progress."""

from __future__ import annotations

import os

from .. import lazy_re as re
from ..core.plan.plan import VERIFY, Plan, TaskFailure
from ..disk.files import open_at_once
from ..formats import gsd_config, gsd_state
from ..formats.front_matter import MAX_CHARS
from ..formats.gsd_config import GsdConfig
from ..formats.gsd_roadmap import phase_number
from ..formats.gsd_state import GsdLoop
from .plan_text import id_finder

FOLDERS = (".gsd", ".opti-gsd")
STATE, CONFIG, ROADMAP = "STATE.md", "config.md", "ROADMAP.md"
PLANS = ("plan.md", "plan.json")
PHASE = re.compile(r"(?:phase)?[-_ ]?0*([0-9]+(?:\.[0-9]+)?)(?:[-_ ].*)?", re.I)


def find_folder(root: str) -> str:
    """The folder of the GSD project here; "" without one."""
    return next((name for name in FOLDERS if os.path.isdir(os.path.join(root, name))), "")


def find_file(root: str, gsd: str, name: str) -> str:
    """The path, from the root, of a file of the project, in any case; "" without one."""
    entries = list_folder(os.path.join(root, gsd))
    matches = [entry for entry in entries if entry.casefold() == name.casefold()]
    if not matches:
        return ""
    best = name if name in matches else matches[0]
    return f"{gsd}/{best}" if os.path.isfile(os.path.join(root, gsd, best)) else ""


def find_plan_file(root: str, gsd: str, phase: str = "") -> str:
    """The plan of this phase; without a phase, of the phase in STATE.md, else the newest plan."""
    plans = _plans_by_phase(root, gsd)
    if phase:
        return plans.get(phase_number(phase), "")
    current = gsd_state.current_phase(_state_text(root, gsd))
    if path := plans.get(phase_number(current)):
        return path

    ages = []
    for number, path in plans.items():
        changed_at = os.stat(os.path.join(root, path)).st_mtime
        ages.append((changed_at, float(number), path))
    return max(ages)[2] if ages else ""


def _plans_by_phase(root: str, gsd: str) -> dict[str, str]:
    """Phase → its plan: plans/phase-1/plan.md, plan.json or plans/phase-1.md, in any spelling."""
    plans: dict[str, str] = {}
    for name in list_folder(os.path.join(root, gsd, "plans")):
        path = f"{gsd}/plans/{name}"
        title = os.path.splitext(name)[0]
        if os.path.isdir(os.path.join(root, path)):
            found = [find_file(root, path, plan) for plan in PLANS]
            path, title = next(filter(None, found), ""), name
        phase = PHASE.fullmatch(title)
        if phase and path.casefold().endswith((".md", ".json")):
            plans.setdefault(phase_number(phase.group(1)), path)
    return plans


def read_settings(root: str, gsd: str) -> GsdConfig:
    """The settings in config.md; the defaults without one."""
    path = find_file(root, gsd, CONFIG)
    try:
        return gsd_config.read(_read_text(root, path)) if path else GsdConfig()
    except (OSError, UnicodeDecodeError):
        return GsdConfig(problems=(f"{path} cannot be read as UTF-8 text; the defaults are used",))


def restore_progress(plan: Plan, state: GsdLoop) -> Plan:
    """A plan with the progress in STATE.md. No task counts as done: its checks decide that."""
    same_phase = not state.phase or phase_number(state.phase) == phase_number(plan.phase)
    if state.completed or not state.kind or not same_phase:
        return plan
    failures = _restore_failures(plan, state)
    if failures and state.error:
        failures[-1] = failures[-1].but(error=state.error)
    fix_rounds = plan.fix_rounds
    if state.kind == VERIFY:
        fix_rounds = min(state.iteration, plan.max_fix_rounds)
    return plan.but(
        stage=state.kind, failures=tuple(failures), fix_rounds=fix_rounds, history=state.history
    )


def _restore_failures(plan: Plan, state: GsdLoop) -> list[TaskFailure]:
    """The failures of the plan's tasks. STATE.md may spell their ids in another way."""
    find_id = id_finder(plan.tasks)
    times = {find_id(key): min(count, plan.retries) for key, count in state.retries}
    times.pop("", None)
    return [TaskFailure(task, count) for task, count in times.items() if count]


def list_folder(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder or "."))
    except OSError:
        return []


def _state_text(root: str, gsd: str) -> str:
    path = find_file(root, gsd, STATE)
    try:
        return _read_text(root, path) if path else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _read_text(root: str, path: str) -> str:
    with open(os.path.join(root, path), "rb", opener=open_at_once) as stream:
        return stream.read(4 * MAX_CHARS + 4).decode()
