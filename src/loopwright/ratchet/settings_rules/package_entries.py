"""Finds names of a JavaScript package that lead to another file than before.

`main`, `exports` and `imports` of a package.json say which file a name stands for. If such a name
leads to a second file while the first one stays, the tests may get another module than the users.
"""

from __future__ import annotations

import json
import posixpath

from ...core.findings import MEDIUM, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project import Project

ENTRY_KEYS = ("main", "module")
ENDINGS = ("", ".js", ".cjs", ".mjs", ".ts", "/index.js", "/index.ts")


def find(project: Project) -> Iterator[Finding]:
    for change in project.changes.values():
        if posixpath.basename(change.path) != "package.json" or "node_modules/" in change.path:
            continue
        old, new = _entries(change.before), _entries(change.after)
        folder = posixpath.dirname(change.path)
        for name in old.keys() & new.keys():
            former = [path for path in old[name] if _exists(folder, path, project)]
            added = [path for path in new[name] - old[name] if _exists(folder, path, project)]
            if former and added and not _is_same_file(former, added):
                text = f"{name}: {', '.join(sorted(added))}"
                rule = "runner-setting-changed"
                yield Finding(MEDIUM, rule, change.path, before=min(former), after=text[:200])


def _entries(text: str | None) -> dict[str, set[str]]:
    """The files for which each name of a package stands, under any condition."""
    try:
        package = json.loads(text or "{}")
    except ValueError:
        return {}
    if not isinstance(package, dict):
        return {}
    entries = {key: _targets(package.get(key)) for key in ENTRY_KEYS}
    exports, imports = package.get("exports"), package.get("imports")
    entries["."] = _targets(exports) or entries["main"] or {"index.js"}
    for names in (exports, imports):
        for name, value in names.items() if isinstance(names, dict) else ():
            if name.startswith((".", "#")):
                entries[name] = _targets(value)
    if isinstance(exports, dict) and any(name.startswith(".") for name in exports):
        entries["."] = _targets(exports.get(".")) or entries["main"]
    return {name: targets for name, targets in entries.items() if targets}


def _targets(value: object) -> set[str]:
    if isinstance(value, str):
        is_code = not value.endswith((".d.ts", ".d.mts", ".d.cts"))
        return {posixpath.normpath(value)} if is_code else set()
    if isinstance(value, list):
        return {path for part in value for path in _targets(part)}
    if isinstance(value, dict):
        return {path for key, part in value.items() if key != "types" for path in _targets(part)}
    return set()


def _exists(folder: str, path: str, files: Project) -> bool:
    place = posixpath.join(folder, path)
    return any(files.now(f"{place}{ending}") is not None for ending in ENDINGS)


def _is_same_file(former: list[str], added: list[str]) -> bool:
    """Is it only written in another way, such as without its ending?"""
    return {posixpath.splitext(path)[0] for path in former} >= {
        posixpath.splitext(path)[0] for path in added
    }
