"""Finds product files that lost the line by which their language refuses more.

Without `'use strict'` a write to a frozen object is dropped, without `use strict` Perl takes any
name for a variable, without `declare(strict_types=1)` PHP converts arguments: what a test waits for
as an error happens in silence.
"""

from __future__ import annotations

from ... import lazy_re as re
from ...checks.code_files import SCRIPT_SUFFIXES
from ...checks.surroundings import is_product_code
from ...core.findings import MEDIUM, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project import Project

# By suffix: the line, and what makes the file strict without it.
STRICT_LINES = (
    (
        SCRIPT_SUFFIXES,
        re.compile(r"(?m)^\s*(['\"]use strict['\"])"),
        re.compile(r"(?m)^(?:import|export)\b"),
    ),
    (
        (".pm", ".pl"),
        re.compile(r"(?m)^\s*(use (?:strict|warnings))\b"),
        re.compile(r"(?m)^\s*use (?:v?5\.0*(?:1[2-9]|[2-9]\d)|Mo\w*|Modern::Perl|strictures)\b"),
    ),
    (
        (".php",),
        re.compile(r"(?i)\bdeclare\s*\(\s*(strict_types\s*=\s*1)\s*\)"),
        re.compile(r"(?!)"),
    ),
    ((".rb",), re.compile(r"(?m)^# *(frozen_string_literal: true)\b"), re.compile(r"(?!)")),
)
ES_MODULE = (".mjs", ".ts", ".mts", ".tsx")


def find(project: Project) -> Iterator[Finding]:
    for change in project.changes.values():
        before, after = change.before, change.after
        if not before or not after or not is_product_code(change):
            continue
        for suffixes, strict, otherwise in STRICT_LINES:
            if not change.path.endswith(suffixes) or change.path.endswith(ES_MODULE):
                continue
            lost = {*strict.findall(before)} - {*strict.findall(after)}
            if lost and not otherwise.search(after):
                line = sorted(lost)[0]
                yield Finding(MEDIUM, "strictness-switched-off", change.path, before=line)
