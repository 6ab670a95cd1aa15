"""Read a plan in any format: the name and the content of the file decide which one it is."""

from __future__ import annotations

import os
import re

from ..core.plan.reading import PlanReading
from ..drive.errors import UserError
from . import checklist, gsd, plan_md, prd, prd_json
from .plan_text import ITEM, LINE, TASK, split_lines, split_pieces

MAX_PLAN_BYTES = 2_000_000
PLAN, PRDS = "PLAN.md", ("PRD.md", "prd.json")
PLAN_SECTIONS = ("## must", "## wave", "## key link")


def find_plan(root: str) -> str:
    """The plan of a project if none is named; "" without one. In a GSD project, of its phase."""
    folder = gsd.find_folder(root)
    gsd_plan = gsd.find_plan_file(root, folder) if folder else ""
    for name in (PLAN, gsd_plan, *PRDS):
        path = os.path.join(root, name)
        if name and os.path.isfile(path):
            return path
    return ""


def read(path: str, root: str) -> PlanReading:
    """The plan in a file, with its problems beside it. A file that is no text is a UserError."""
    text = read_text(path)
    relative = os.path.relpath(os.path.abspath(path), root)
    file = path if relative.startswith("..") else relative.replace(os.sep, "/")
    phase = phase_from_name(path)
    is_json = text.lstrip("\ufeff \t\r\n").startswith(("{", "["))
    if is_json or path.lower().endswith(".json"):
        return prd_json.read(text, file, phase)
    pieces = list(split_pieces(split_lines(text)))
    if any(piece.kind == TASK for piece in pieces):
        return plan_md.read(text, file)
    if any(prd.TASK_COMMENT.match(piece.text) for piece in pieces):
        return prd.read(text, file, phase)
    lines = [piece.text for piece in pieces if piece.kind == LINE]
    has_plan_section = any(line.lower().startswith(PLAN_SECTIONS) for line in lines)
    if has_plan_section or not any(map(_has_box, lines)):
        return plan_md.read(text, file)
    return checklist.read(text, file, phase)


def _has_box(line: str) -> bool:
    item = ITEM.match(line)
    return bool(item and item[2])


def read_text(path: str) -> str:
    if not os.path.isfile(path):
        raise UserError(f"no plan at {path}. Write one: loop plan new GOAL")
    try:
        with open(path, "rb") as file:
            raw = file.read(MAX_PLAN_BYTES + 1)
        if len(raw) > MAX_PLAN_BYTES:
            raise UserError(
                f"{path} is larger than {MAX_PLAN_BYTES // 1_000_000} MB: no plan is. "
                "Name another file, or split it"
            )
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path} is not UTF-8 text (line {line}). Save it as UTF-8") from error


def phase_from_name(path: str) -> str:
    """A phase for a plan without one, from the name of its file; commits use it."""
    stem = os.path.basename(path).rpartition(".")[0].lower()
    return re.sub(r"[^a-z0-9]+", "-", stem).strip("-")[:20] or "plan"
