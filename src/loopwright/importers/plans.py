"""Any plan that we can read: which of the formats a file is in, told from its name and from what stands in it."""

from __future__ import annotations

import os
import re

from ..core.reading import Reading
from ..drive.orders import UserError
from . import checklist, gsd, plan_md, prd, prd_json
from .plan_lint import lint as lint  # whoever reads one looks at this next
from .plan_text import ITEM, LINE, TASK, lines_of, pieces

MOST = 2_000_000  # bytes
PLAN, PRDS = "PLAN.md", ("PRD.md", "prd.json")


def find(root: str) -> str:
    """The plan of a project, where none is named; "" without one. Of a GSD project that of its phase."""
    folder = gsd.find(root)
    names = (PLAN, gsd.plan_file(root, folder) if folder else "", *PRDS)
    return next((path for name in names if name and os.path.isfile(path := os.path.join(root, name))), "")


def read(path: str, root: str) -> Reading:
    """The plan in a file. A file that is none at all is a UserError; what is wrong with a plan stands beside it."""
    text = text_of(path)
    where = os.path.relpath(os.path.abspath(path), root)
    file = path if where.startswith("..") else where.replace(os.sep, "/")
    if path.lower().endswith(".json") or text.lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        return prd_json.read(text, file, phase_of(path))
    found = list(pieces(lines_of(text)))
    if any(piece.kind == TASK for piece in found):
        return plan_md.read(text, file)
    if any(prd.MARK.match(piece.text) for piece in found):
        return prd.read(text, file, phase_of(path))
    sections = ("## must", "## wave", "## key link")
    planned = any(piece.kind == LINE and piece.text.lower().startswith(sections) for piece in found)
    boxes = any(piece.kind == LINE and (item := ITEM.match(piece.text)) and item[2] for piece in found)
    return checklist.read(text, file, phase_of(path)) if boxes and not planned else plan_md.read(text, file)


def text_of(path: str) -> str:
    if not os.path.isfile(path):
        raise UserError(f"no plan at {path}. Write one: loop plan new GOAL")
    try:
        with open(path, "rb") as file:
            raw = file.read(MOST + 1)
        if len(raw) > MOST:
            raise UserError(f"{path} is larger than {MOST // 1_000_000} MB: no plan is. Name another file, or split it")
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path} is not UTF-8 text (line {line}). Save it as UTF-8") from error


def phase_of(path: str) -> str:
    """A name for commits where a plan has no phase: that of its file."""
    stem = os.path.basename(path).rpartition(".")[0].lower()
    return re.sub(r"[^a-z0-9]+", "-", stem).strip("-")[:20] or "plan"
