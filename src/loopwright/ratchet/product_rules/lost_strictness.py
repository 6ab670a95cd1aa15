"""Finds product files that lost the line by which their language refuses more, and mixed messages.

Without `'use strict'` a write to a frozen object is dropped, without `use strict` Perl takes any
name for a variable, without `declare(strict_types=1)` PHP converts arguments: what a test waits for
as an error happens in silence. A message that lists the texts of all rules fits every pattern.
"""

from __future__ import annotations

import json
import posixpath

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ...repo.sources import SourceFile, code_text
from ..readers.languages import SCRIPT_SUFFIXES
from ..surroundings import is_product_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...repo.baseline import Change
    from ..project_files import ProjectFiles

SCRIPT = re.compile(r"(?m)\A\s*(?:#![^\n]*\s*)?(?:['\"]use \w+['\"];?\s*)*?(['\"]use strict['\"])")
STRICT_LINES = {
    **dict.fromkeys((".pm", ".pl"), re.compile(r"(?m)^\s*(use (?:strict|warnings))\b")),
    ".php": re.compile(r"(?i)\bdeclare\s*\(\s*(strict_types\s*=\s*1)\s*\)"),
    ".rb": re.compile(r"(?m)^# *(frozen_string_literal: true)\b"),
}
# Modules of ES are strict, and so is what these modules of Perl load.
MODULE = re.compile(r"(?m)^(?:import\b|export\b)")
STRICT_MODULES = re.compile(
    r"(?m)^\s*use (?:v?5\.0*(?:1[2-9]|[2-9]\d)|Mo\w*|Modern::Perl|common::sense"
    r"|strictures|Dancer\w*|Mojo\w*|Test2::V\d|Object::Pad|experimental)\b"
)
# The statement of an error, a table that it looks a text up in, and all texts of that table.
ERROR = re.compile(
    r"\b(?:throw|raise|panic!?)\b[^\n]*(?:(?<=[(,\[{+])\n[^\n]*|\n\s*[.+?:)][^\n]*){0,6}"
)
LOOKED_UP = re.compile(r"\b([A-Za-z]\w*)(?:\[(?!\])|\.(?:get|fetch|GetValueOrDefault)\()")
ALL_VALUES = (
    r"(?:\bObject\.values\(\s*(?:[\w.]+\.)?{name}\s*\)|\b{name}\.[vV]alues\b"
    r"|\b(?:implode|join)\([^\n]*(?:::|\$){name}\b(?!\[))"
)


def findings(files: ProjectFiles) -> Iterator[Finding]:
    for change in files.changes.values():
        if not change.before or not change.after or not is_product_code(change):
            continue
        if line := _lost_line(change, files):
            yield Finding(MEDIUM, "strictness-switched-off", change.path, before=line)
        for number, text in _mixed_messages(change):
            rule = "product-tells-less-apart"
            yield Finding(MEDIUM, rule, change.path, number, after=text[:200])


def _lost_line(change: Change, files: ProjectFiles) -> str:
    """The line by which the file was strict; "" if it still is."""
    path, before, after = change.path, change.before or "", change.after or ""
    suffix = posixpath.splitext(path)[1]
    if path.endswith(SCRIPT_SUFFIXES):
        if "use strict" not in before or MODULE.search(after):
            return ""
        old, new = (SCRIPT.match(code_text(SourceFile(path, text))) for text in (before, after))
        return old[1] if old and not new and not _is_module(path, files) else ""
    pattern = STRICT_LINES.get(suffix)
    if pattern is None or (suffix in (".pm", ".pl") and STRICT_MODULES.search(after)):
        return ""
    kept = {*pattern.findall(after)}
    return next((line for line in pattern.findall(before) if line not in kept), "")


def _is_module(path: str, files: ProjectFiles) -> bool:
    """Is a script strict by its ending, or by the package.json above it?"""
    if path.endswith((".mjs", ".ts", ".mts", ".tsx")):
        return True
    folder = posixpath.dirname(path)
    while True:
        if text := files.now(posixpath.join(folder, "package.json")):
            try:
                package = json.loads(text)
            except ValueError:
                return False
            return isinstance(package, dict) and package.get("type") == "module"
        if not folder:
            return False
        folder = posixpath.dirname(folder)


def _mixed_messages(change: Change) -> Iterator[tuple[int, str]]:
    """New errors with one text of a table, and with all of them."""
    before, after = change.before or "", change.after or ""
    if "alues" not in after and not change.path.endswith(".php"):
        return
    code = code_text(SourceFile(change.path, after))
    for match in ERROR.finditer(code):
        for name in dict.fromkeys(LOOKED_UP.findall(match[0])):
            listed = ALL_VALUES.format(name=re.escape(name))
            if re.search(listed, before):
                continue
            kept = rf"(?m)^\s*(?:const |let |var |\$)?(\w+)\s*:?=(?!=)[^=\n]*{listed}"
            names = re.findall(kept, code)
            words = {*re.findall(r"\w+", match[0])}
            if re.search(listed, match[0]) or words & {*names}:
                yield code.count("\n", 0, match.start()) + 1, " ".join(match[0].split())
                break
