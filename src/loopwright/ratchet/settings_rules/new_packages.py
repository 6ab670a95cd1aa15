"""The names of packages that a changed manifest or lock file adds.

The readers are for names, not for versions: a person decides by name whether a package may be
installed.
"""

from __future__ import annotations

import json
import posixpath
import tomllib

from ... import lazy_re as re
from ...core.findings import LOW, MEDIUM, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ..project import Project


NAME = r"[A-Za-z0-9@][\w.@/-]*"
PACKAGE_ENTRY = re.compile(rf"^name = [\"']({NAME})[\"']", re.M)  # uv, poetry, pdm, cargo
PACKAGE_LIST = re.compile(
    r"package\.json|pyproject\.toml|Pipfile|Gemfile|.*requirements.*\.(?:txt|in)"
)
# A package that the runner loads by itself or by its name in the settings.
RUNNER_PLUGIN = re.compile(
    r"pytest[-_.].+|.+[-_]pytest|jest-.+|@jest/.+|ts-jest|babel-jest|.*jest-preset.*|@swc/jest"
    r"|vitest-.+|@vitest/.+|mocha-.+|karma-.+|minitest-.+|rspec-.+|nose2?[-_].+|.+-mocha-.+"
)

# Known plugins of pytest that leave it to the tests what passes.
HARMLESS_PLUGIN = re.compile(
    r"pytest[-_](?:asyncio|benchmark|codspeed|cov|datadir|freezer|httpserver|instafail|mock"
    r"|regressions|socket|subtests|sugar|timeout|trio|xdist)"
)


def added_packages(path: str, before: str | None, after: str | None) -> tuple[str, ...]:
    """The packages that the file names at the end and did not name at the start."""
    reader = _reader_of(posixpath.basename(path))
    if reader is None or not after:
        return ()
    known = set(reader(before)) if before else set()
    return tuple(name for name in dict.fromkeys(reader(after)) if name not in known)


def find(project: Project) -> Iterator[Finding]:
    """New packages of a manifest that change how tests run."""
    for change in project.changes.values():
        if not is_package_list(change.path):
            continue
        for name in added_packages(change.path, change.before, change.after):
            if RUNNER_PLUGIN.fullmatch(name):
                severity = LOW if HARMLESS_PLUGIN.fullmatch(name) else MEDIUM
                yield Finding(severity, "runner-plugin-added", change.path, after=name)


def is_package_list(path: str) -> bool:
    """Is it a file in which people name packages? Lock files are large and name all packages."""
    return bool(PACKAGE_LIST.fullmatch(posixpath.basename(path)))


def _reader_of(name: str) -> Callable[[str], list[str]] | None:
    if name in ("package.json", "package-lock.json", "npm-shrinkwrap.json", "Pipfile.lock"):
        return _json_names
    if re.fullmatch(r".*requirements.*\.(?:txt|in)", name):
        return _requirement_names
    return READERS.get(name)


def _json_names(text: str) -> list[str]:
    try:
        content = json.loads(text)
    except ValueError:
        return []
    if not isinstance(content, dict):
        return []
    names: list[str] = []
    for key, value in content.items():
        if not isinstance(value, dict):
            continue
        if key == "packages":
            names += [path.rpartition("node_modules/")[2] for path in value if path]
        elif re.search("dependencies$|^default$|^develop$", key, re.I):
            names += value
    return names


def _requirement_names(text: str) -> list[str]:
    lines = (line.strip() for line in text.splitlines())
    names = (re.match(r"[A-Za-z0-9][\w.-]*", line) for line in lines)
    return [_plain_name(match.group()) for match in names if match]


def _plain_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _toml_names(text: str) -> list[str]:
    """Entries of dependency lists, and keys of dependency tables, at any depth."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return []
    return [_plain_name(name) for name in _names_below(content, False) if name != "python"]


def _names_below(table: dict[str, Any], is_group: bool) -> Iterator[str]:
    for key, value in table.items():
        has_names = is_group or key.endswith("dependencies")
        if isinstance(value, list) and has_names:
            yield from _requirement_names("\n".join(row for row in value if isinstance(row, str)))
        elif isinstance(value, dict) and key in ("dependency-groups", "optional-dependencies"):
            yield from _names_below(value, True)
        elif isinstance(value, dict) and key.endswith("dependencies"):
            yield from value
        elif isinstance(value, dict):
            yield from _names_below(value, False)


def _entry_names(text: str) -> list[str]:
    return [_plain_name(name) for name in PACKAGE_ENTRY.findall(text)]


def _matches(pattern: str) -> Callable[[str], list[str]]:
    compiled = re.compile(pattern, re.M)
    return lambda text: [match.strip("\"' ") for match in compiled.findall(text)]


READERS: dict[str, Callable[[str], list[str]]] = {
    "pyproject.toml": _toml_names,
    "Cargo.toml": _toml_names,
    "uv.lock": _entry_names,
    "poetry.lock": _entry_names,
    "pdm.lock": _entry_names,
    "Cargo.lock": _entry_names,
    "Pipfile": _matches(r"^[\"']?([A-Za-z0-9][\w.-]*)[\"']?\s*="),
    "yarn.lock": _matches(r"^\"?((?:@[\w.-]+/)?[\w.-]+)@"),
    "pnpm-lock.yaml": _matches(r"^  /?['\"]?((?:@[\w.-]+/)?[\w.-]+)[@/]\d"),
    "go.mod": _matches(r"^(?:require )?\s*([\w.-]+\.[\w.-]+/[\w./-]+) v"),
    "go.sum": _matches(r"^(\S+) v"),
    "Gemfile": _matches(r"^\s*gem\s+([\"'][\w.-]+[\"'])"),
    "Gemfile.lock": _matches(r"^    ([\w.-]+) \("),
    "pom.xml": _matches(r"<artifactId>([\w.-]+)</artifactId>"),
    "build.gradle": _matches(r"[\"']([\w.-]+:[\w.-]+):[^\"']+[\"']"),
    "build.gradle.kts": _matches(r"[\"']([\w.-]+:[\w.-]+):[^\"']+[\"']"),
}
