"""Finds changes in modules of a JavaScript product that only its tests load.

A condition of a package.json (`imports`, `exports`) or a mapping of the runner selects them in the
place of what users get: a store in memory, a clock that stands still. They may get new functions
as the product does. If what they did before is done in another way, tests see that way alone.
"""

from __future__ import annotations

import json
import posixpath

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ..project_files import lost_lines, new_lines
from ..readers.flat_settings import read
from ..readers.languages import SCRIPT_SUFFIXES
from ..surroundings import is_product_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...repo.baseline import Change
    from ..project_files import ProjectFiles

CONDITION = re.compile(r"(?:--conditions|(?<![\w-])-C)[ =]+['\"]?([\w-]+)")
CONDITION_LIST = re.compile(r"[\"']?customExportConditions[\"']?\s*:\s*\[([^\]]*)\]")
# Conditions that say where the product runs, not who loads it.
USERS_CONDITIONS = frozenset(
    [
        *("default", "node", "import", "require", "browser", "module", "types", "production"),
        *("development", "worker", "deno", "bun", "react-native", "node-addons", "module-sync"),
    ]
)
RUNNER_SETTINGS = tuple(
    f"{tool}.config.{ending}"
    for tool in ("jest", "vitest")
    for ending in ("js", "mjs", "cjs", "ts", "mts", "json")
)
MAPPING_KEY = re.compile(r"(?:^|\.)(?:moduleNameMapper|alias)\.")
COMMENTS = ("//", "/*", "*")


def findings(files: ProjectFiles) -> Iterator[Finding]:
    modules: dict[str, frozenset[str]] = {}  # folder → what only tests load, by its settings
    for change in files.changes.values():
        is_script = change.path.endswith(SCRIPT_SUFFIXES) and change.before is not None
        if not is_script or not change.after or not is_product_code(change):
            continue
        for folder in _folders_above(change.path):
            if folder not in modules:
                modules[folder] = frozenset(_test_only_modules(folder, files))
            if change.path in modules[folder] and (line := _changed_line(change)):
                rule = "product-detects-tests"
                yield Finding(MEDIUM, rule, change.path, line[0], after=line[1][:200])
                break


def _folders_above(path: str) -> Iterator[str]:
    while path:
        path = posixpath.dirname(path)
        yield path


def _changed_line(change: Change) -> tuple[int, str] | None:
    """The first new line, if one that was there is gone for it."""
    if not lost_lines(change.before, change.after, COMMENTS):
        return None
    return next(iter(new_lines(change.before, change.after, COMMENTS)), (0, ""))


def _test_only_modules(folder: str, files: ProjectFiles) -> Iterator[str]:
    text = files.before(posixpath.join(folder, "package.json")) or ""
    targets: dict[str, list[frozenset[str]]] = {}  # file → the conditions that select it
    if '"imports"' in text or '"exports"' in text:
        _add_targets(_package(text), (), targets)
    lists = " ".join(CONDITION_LIST.findall(text))
    chosen = {"test", *CONDITION.findall(text), *re.findall(r"[\w-]+", lists)} - USERS_CONDITIONS
    for target, selections in targets.items():
        if all(conditions & chosen for conditions in selections):
            yield posixpath.normpath(posixpath.join(folder, target))
    for name in ("package.json", *RUNNER_SETTINGS):
        yield from _mapped_modules(folder, name, files)


def _package(text: str) -> dict[str, object]:
    try:
        package = json.loads(text)
    except ValueError:
        return {}
    names = ("imports", "exports")
    return {n: package[n] for n in names if n in package} if isinstance(package, dict) else {}


def _add_targets(
    value: object, path: tuple[str, ...], targets: dict[str, list[frozenset[str]]]
) -> None:
    """Add each file with the conditions for it; it may be selected more than once."""
    if isinstance(value, str):
        targets.setdefault(value, []).append(frozenset(path[1:]))
    elif isinstance(value, list):
        for part in value:
            _add_targets(part, path, targets)
    elif isinstance(value, dict):
        for key, part in value.items():
            _add_targets(part, (*path, str(key)), targets)


def _mapped_modules(folder: str, name: str, files: ProjectFiles) -> Iterator[str]:
    """The files that the runner takes in the place of what an import names."""
    path = posixpath.join(folder, name)
    text = files.before(path) or ""
    if "moduleNameMapper" not in text and ("alias" not in text or name == "package.json"):
        return
    for key, words in (read(path, text) or {}).items():
        for word in words if MAPPING_KEY.search(key) else ():
            place = word.replace("<rootDir>/", "").removeprefix("./")
            if place.endswith(SCRIPT_SUFFIXES) and "$" not in place:
                yield posixpath.normpath(posixpath.join(folder, place))
