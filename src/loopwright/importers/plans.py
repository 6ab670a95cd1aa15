"""Any plan that we can read: which of the formats a file is in, told from its name and from what stands in it."""

from __future__ import annotations

import os
import re

from ..core.plan.reading import PlanReading
from ..drive.errors import UserError
from . import checklist, gsd, plan_md, prd, prd_json
from .plan_text import ITEM, LINE, TASK, split_lines, split_pieces

MAX_PLAN_BYTES = 2_000_000
PLAN, PRDS = "PLAN.md", ("PRD.md", "prd.json")


def find_plan(root: str) -> str:
    """The plan of a project, where none is named; "" without one. Of a GSD project that of its phase."""
    folder = gsd.find_folder(root)
    names = (PLAN, gsd.find_plan_file(root, folder) if folder else "", *PRDS)
    return next(
        (path for name in names if name and os.path.isfile(path := os.path.join(root, name))), ""
    )


def read(path: str, root: str) -> PlanReading:
    """The plan in a file. A file that is none at all is a UserError; what is wrong with a plan stands beside it."""
    text = read_text(path)
    where = os.path.relpath(os.path.abspath(path), root)
    file = path if where.startswith("..") else where.replace(os.sep, "/")
    if path.lower().endswith(".json") or text.lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        return prd_json.read(text, file, phase_from_name(path))
    found = list(split_pieces(split_lines(text)))
    if any(piece.kind == TASK for piece in found):
        return plan_md.read(text, file)
    if any(prd.TASK_COMMENT.match(piece.text) for piece in found):
        return prd.read(text, file, phase_from_name(path))
    sections = ("## must", "## wave", "## key link")
    planned = any(piece.kind == LINE and piece.text.lower().startswith(sections) for piece in found)
    boxes = any(
        piece.kind == LINE and (item := ITEM.match(piece.text)) and item[2] for piece in found
    )
    return (
        checklist.read(text, file, phase_from_name(path))
        if boxes and not planned
        else plan_md.read(text, file)
    )


def read_text(path: str) -> str:
    if not os.path.isfile(path):
        raise UserError(f"no plan at {path}. Write one: loop plan new GOAL")
    try:
        with open(path, "rb") as file:
            raw = file.read(MAX_PLAN_BYTES + 1)
        if len(raw) > MAX_PLAN_BYTES:
            raise UserError(
                f"{path} is larger than {MAX_PLAN_BYTES // 1_000_000} MB: no plan is. Name another file, or split it"
            )
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path} is not UTF-8 text (line {line}). Save it as UTF-8") from error


def phase_from_name(path: str) -> str:
    """A name for commits where a plan has no phase: that of its file."""
    stem = os.path.basename(path).rpartition(".")[0].lower()
    return re.sub(r"[^a-z0-9]+", "-", stem).strip("-")[:20] or "plan"
