"""Read a plan in any format: the table of formats decides which one a file or a folder is."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from glob import glob

from .. import lazy_re as re
from ..core.plan.reading import PlanReading
from ..disk.files import open_at_once
from ..drive.errors import UserError
from . import gsd
from .plan_formats.document import Document
from .plan_formats.gsd1 import PLAN_NAME, summary_name
from .plan_formats.progress import GSD1_ROADMAP
from .plan_formats.table import GSD1_PHASE, PlanFormat, find_format
from .plan_paths import place_plan
from .plan_words import path_problem

MAX_PLAN_BYTES = 2_000_000
MAX_FILES_BESIDE = 200
PLAN, PRDS = "PLAN.md", ("PRD.md", "prd.json")
# What a folder may be named for: the plan in it, the first that is there.
PLANS_IN_FOLDER = (
    *(PLAN, "plan.md", "plan.json", "tasks.md", "tasks.json", "issues.jsonl"),
    *("tasks/tasks.json", *PRDS),
)
# Where other tools keep theirs, from the project or from a folder in it.
PLANS_BELOW = (
    *("phases/*/*-PLAN.md", ".planning/phases/*/*-PLAN.md", ".gsd/milestones/*/*-ROADMAP.md"),
    *(".taskmaster/tasks/tasks.json", "tasks/tasks.json", ".beads/issues.jsonl"),
    *("specs/*/tasks.md", ".kiro/specs/*/tasks.md", "openspec/changes/*/tasks.md"),
)
MAX_NAMED = 4
GSD2_PAGE = re.compile(r"S\d{2,4}-PLAN\.md|M\d{2,4}(?:-\w+)?-ROADMAP\.md", re.I)
PHASE_FILE = re.compile(r"(?:.*-)?(?:PLAN|SUMMARY)\.md", re.I)


def find_plan(root: str) -> str:
    """The plan of a project if none is named; "" without one. In a GSD project, of its phase."""
    folder = gsd.find_folder(root)
    gsd_plan = gsd.find_plan_file(root, folder) if folder else ""
    for name in (PLAN, gsd_plan, find_open_phase(root), find_open_slice(root), *PRDS):
        path = os.path.join(root, name)
        if name and os.path.exists(path):
            return path
    return ""


def find_open_phase(root: str) -> str:
    """The first phase of a GSD 1 project that has a plan without a summary; "" without one."""
    phases = ".planning/phases"
    for name in gsd.list_folder(os.path.join(root, phases)):
        files = set(gsd.list_folder(os.path.join(root, phases, name)))
        for file in files:
            if PLAN_NAME.fullmatch(file) and summary_name(file) not in files:
                return f"{phases}/{name}"
    return ""


def find_open_slice(root: str) -> str:
    """The first slice of a GSD 2 project that has an open task; "" without one."""
    milestones = ".gsd/milestones"
    for milestone in gsd.list_folder(os.path.join(root, milestones)):
        slices = f"{milestones}/{milestone}/slices"
        for name in gsd.list_folder(os.path.join(root, slices)):
            page = f"{slices}/{name}/{name}-PLAN.md"
            if os.path.isfile(os.path.join(root, page)) and "- [ ] **T" in read_text(
                os.path.join(root, page)
            ):
                return page
    return ""


def read(path: str, root: str) -> PlanReading:
    """The plan in a file or a folder, with its problems beside it.

    A file that is no text, and one of a format that cannot be read, is a UserError.
    """
    if os.path.isdir(path):
        inside = _plan_in_folder(path)
        if not inside:
            return _with_marks(GSD1_PHASE, _phase_document(path, root), root)
        path = os.path.join(path, inside)
    document = Document(_shown_path(path, root), read_text(path), phase_from_name(path))
    chosen = find_format(document)
    return _with_marks(chosen, _with_others(document, chosen, path), root)


def _with_marks(chosen: PlanFormat, document: Document, root: str) -> PlanReading:
    """The plan, with the places where its files say that a task is done.

    A file outside the project is not changed, nor one that is the work of a task.
    """
    reading = chosen.read(document)
    planned = {path for task in reading.plan.tasks for path in task.paths}
    marks = tuple(
        mark
        for mark in chosen.find_marks(document, reading)
        if mark.file not in planned and not path_problem(mark.file)
    )
    return place_plan(reading.but(plan=reading.plan.but(marks=marks)), root)


def _shown_path(path: str, root: str) -> str:
    """The path from the root; as it was given for a file outside of it."""
    relative = os.path.relpath(os.path.abspath(path), root)
    return path if relative.startswith("..") else relative.replace(os.sep, "/")


def _plan_in_folder(path: str) -> str:
    """The one file that is the plan of this folder; "" if several are, or none is."""
    names = gsd.list_folder(path)
    pages = [name for name in names if GSD2_PAGE.fullmatch(name)]
    if pages:
        return pages[0]
    if any(PLAN_NAME.fullmatch(name) and name.upper() != "PLAN.MD" for name in names):
        return ""
    return next((name for name in PLANS_IN_FOLDER if os.path.isfile(os.path.join(path, name))), "")


def _phase_document(path: str, root: str) -> Document:
    """All plans of a phase of GSD 1, and the roadmap that names them."""
    names = [name for name in gsd.list_folder(path) if PHASE_FILE.fullmatch(name)]
    if not any(PLAN_NAME.fullmatch(name) for name in names):
        below = plans_below(path)
        remedy = f"Below it there is: {', '.join(below)}" if below else "Name a file in it"
        raise UserError(f"no plan at {path}. {remedy}, or write one: loop plan new GOAL")
    others = [(name, read_text(os.path.join(path, name))) for name in names[:MAX_FILES_BESIDE]]
    roadmap = os.path.join(path, GSD1_ROADMAP)
    if os.path.isfile(roadmap):
        others.append((GSD1_ROADMAP, read_text(roadmap)))
    shown = _shown_path(path, root)
    return Document(shown, "", phase_from_name(f"{path}.md"), tuple(others))


def plans_below(folder: str) -> list[str]:
    """Plans of other tools below a folder, to name them to a person: the first few."""
    found: dict[str, None] = {}
    for pattern in PLANS_BELOW:
        for path in sorted(glob(pattern, root_dir=folder)):
            name = os.path.dirname(path) if PLAN_NAME.fullmatch(os.path.basename(path)) else path
            found[os.path.normpath(os.path.join(folder, name)).replace(os.sep, "/")] = None
    return list(found)[:MAX_NAMED]


def _with_others(document: Document, chosen: PlanFormat, path: str) -> Document:
    """The document with the files beside it that its format uses."""
    others: list[tuple[str, str]] = []
    for pattern in chosen.beside:
        folder, _, name = pattern.rpartition("/")
        for file in gsd.list_folder(os.path.join(os.path.dirname(path), folder)):
            beside = f"{folder}/{file}" if folder else file
            full_path = os.path.join(os.path.dirname(path), beside)
            if fnmatchcase(file, name) and os.path.isfile(full_path):
                others.append((beside, read_text(full_path)))
    return document._replace(others=tuple(others[:MAX_FILES_BESIDE]))


def read_text(path: str) -> str:
    if not os.path.isfile(path):
        raise UserError(f"no plan at {path}. Write one: loop plan new GOAL")
    try:
        with open(path, "rb", opener=open_at_once) as file:
            raw = file.read(MAX_PLAN_BYTES + 1)
        if len(raw) > MAX_PLAN_BYTES:
            raise UserError(
                f"{path} is larger than {MAX_PLAN_BYTES // 1_000_000} MB: no plan is. "
                "Name another file, or split it"
            )
        return _with_plain_line_ends(raw.decode("utf-8-sig"))
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path} is not UTF-8 text (line {line}). Save it as UTF-8") from error


def _with_plain_line_ends(text: str) -> str:
    """The text with \\n for every line end, also for those of Windows and of old Macs."""
    text = text.replace("\r\n", "\n")
    return text if "\n" in text else text.replace("\r", "\n")


def phase_from_name(path: str) -> str:
    """A phase for a plan without one, from the name of its file; commits use it."""
    parts = os.path.abspath(path).replace(os.sep, "/").split("/")
    # Each feature has a tasks.md of its own: its folder tells them apart.
    is_feature = parts[-1].lower() == "tasks.md" and parts[-3:-2] in (["specs"], ["changes"])
    stem = (parts[-2] if is_feature else parts[-1].rpartition(".")[0]).lower()
    return re.sub(r"[^a-z0-9]+", "-", stem).strip("-")[:20] or "plan"
