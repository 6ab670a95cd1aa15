"""Manifests hold both the product's dependencies and the settings of its tests.

The baseline replay takes the dependencies from the end and everything else from the baseline.
"""

from __future__ import annotations

import json
import posixpath

from ... import lazy_re as re

JSON_DEPENDENCIES = re.compile(
    r"(?:dev|peer|optional|bundled?)?[dD]ependencies|dependenciesMeta|peerDependenciesMeta"
    r"|overrides|resolutions|exports|main|module|types|type|bin|imports|workspaces|name|version"
    r"|packageManager|engines|files"
)
TOML_DEPENDENCIES = re.compile(
    r"project(?:\.(?!scripts).*)?|build-system|dependency-groups|tool\.(?:poetry|pdm|hatch|uv|flit"
    r"|setuptools)(?:\..*)?|(?:.*\.)?(?:dev-|build-)?dependencies(?:\..*)?|package|workspace|lib"
    r"|features|bin|patch(?:\..*)?"
)
TOML_HEADER = re.compile(r"^\[(\[?[^\]\n]+\]?)\][ \t]*(?:#.*)?$", re.M)


def is_manifest(path: str) -> bool:
    return posixpath.basename(path) in ("package.json", "pyproject.toml", "Cargo.toml")


def mixed_manifest(path: str, before: str, after: str) -> str:
    """The manifest of the baseline with the dependencies of the end."""
    if path.endswith(".json"):
        return _mixed_json(before, after)
    return _mixed_toml(before, after)


def has_only_other_packages(path: str, before: str | None, after: str | None) -> bool:
    """Did nothing but the dependencies of a manifest change?"""
    if before is None or after is None or not is_manifest(path):
        return False
    return mixed_manifest(path, before, after) == mixed_manifest(path, after, after)


def _mixed_json(before: str, after: str) -> str:
    try:
        old, new = json.loads(before), json.loads(after)
    except ValueError:
        return before
    if not isinstance(old, dict) or not isinstance(new, dict):
        return before
    mixed = {key: value for key, value in old.items() if not JSON_DEPENDENCIES.fullmatch(key)}
    mixed |= {key: value for key, value in new.items() if JSON_DEPENDENCIES.fullmatch(key)}
    return json.dumps(mixed, indent=2)


def _mixed_toml(before: str, after: str) -> str:
    sections = [text for name, text in _toml_sections(before) if not _has_dependencies(name)]
    sections += [text for name, text in _toml_sections(after) if _has_dependencies(name)]
    return "".join(text if text.endswith("\n") else f"{text}\n" for text in sections if text)


def _has_dependencies(name: str) -> bool:
    return bool(TOML_DEPENDENCIES.fullmatch(name))


def _toml_sections(text: str) -> list[tuple[str, str]]:
    """Name and text of each table; the lines before the first one have no name."""
    headers = list(TOML_HEADER.finditer(text))
    if not headers:
        return [("", text)]
    ends = [match.start() for match in headers[1:]] + [len(text)]
    sections = [("", text[: headers[0].start()])]
    for match, end in zip(headers, ends, strict=True):
        sections.append((match.group(1).strip("[] \t"), text[match.start() : end]))
    return sections
