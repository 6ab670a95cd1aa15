"""Builds the plugin for Claude Code: filled templates, the table of hooks, and the package.

The repository's own plugin reaches the package through one symbolic link, so nothing is checked in
twice. From a git address the client copies the folder behind the link; from a local folder it reads
in place. A plugin that is built elsewhere holds a copy.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping

from .. import __version__
from ..agents.claude.paths import MANIFEST, PACKAGE_IN_PLUGIN
from ..drive.errors import UserError
from ..store import presets
from . import hooks_json, preset_command, template_values

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TEMPLATES = os.path.join(PACKAGE, "plugin", "claude")
MARKETPLACE_FILE = ".claude-plugin/marketplace.json"
PLUGIN_FOLDER = "plugins/claude"  # in the repository
SOURCE = "src/loopwright"  # in the repository
# In the repository's plugin: from plugins/claude/vendor to the package.
LINKS = {PACKAGE_IN_PLUGIN: f"../../../{SOURCE}"}
NO_LINKS: Mapping[str, str] = {}
DESCRIPTION = (
    "Keeps Claude Code working until the work is proven done, "
    "and stops it safely when it cannot be."
)
PROGRAMS = ("bin/loop",)

Files = dict[str, bytes]


def complete_plugin(exits: dict[int, str], stop_hook: str = "command") -> Files:
    """A plugin that is complete by itself: with a copy of the package and a marketplace file."""
    package = {f"{PACKAGE_IN_PLUGIN}/{name}": data for name, data in iter_files(PACKAGE)}
    return {**plugin_files(exits, stop_hook), **package, MARKETPLACE_FILE: marketplace_json("./")}


def plugin_files(exits: dict[int, str], stop_hook: str = "command") -> Files:
    """Every file of the plugin except the package, by its path in the plugin's folder."""
    manifest = {
        "name": "loop",
        "version": __version__,
        "description": DESCRIPTION,
        "author": {"name": "The Loopwright authors"},
        "license": "MIT",
        "keywords": ["loop", "stop hook", "verification", "automation"],
    }
    return {
        **template_files(exits),
        "VERSION": f"{__version__}\n".encode(),
        MANIFEST: encode_json(manifest),
        "hooks/hooks.json": encode_json(hooks_json.hooks_table(stop_hook)),
    }


def template_files(exits: dict[int, str]) -> Files:
    """The templates with their placeholders filled, and a skill for each built-in preset."""
    values = template_values.values_from_code(exits)
    files = {}
    for name, data in iter_files(TEMPLATES):
        if name.endswith(".md"):
            data = template_values.fill_template(data, values, name)
        files[name] = data
    for preset in presets.built_in_presets().values():
        files[f"skills/{preset.name}/SKILL.md"] = preset_command.skill_page(preset)
    return files


def marketplace_json(source: str = f"./{PLUGIN_FOLDER}") -> bytes:
    """The file by which the client finds the plugin; `source` is the path of its folder."""
    entry = {
        "name": "loop",
        "source": source,
        "description": DESCRIPTION,
        "version": __version__,
        "category": "automation",
    }
    metadata = {
        "description": "Loopwright: loops that end when the work is proven done.",
        "version": __version__,
    }
    marketplace = {
        "name": "loopwright",
        "owner": {"name": "The Loopwright authors"},
        "metadata": metadata,
        "plugins": [entry],
    }
    return encode_json(marketplace)


def encode_json(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def iter_files(folder: str) -> Iterator[tuple[str, bytes]]:
    """Path and content of every file in the folder, without bytecode and links."""
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            path = os.path.join(base, name)
            if os.path.islink(path):
                continue
            with open(path, "rb") as file:
                yield _inside(folder, path), file.read().replace(b"\r\n", b"\n")


def links_in(folder: str) -> Iterator[tuple[str, str]]:
    """Path and target of every symbolic link in the folder."""
    for base, folders, names in os.walk(folder):
        for path in (os.path.join(base, name) for name in (*folders, *names)):
            if os.path.islink(path):
                yield _inside(folder, path), os.readlink(path).replace(os.sep, "/")


def _inside(folder: str, path: str) -> str:
    return os.path.relpath(path, folder).replace(os.sep, "/")


def differing_files(folder: str, files: Files, links: Mapping[str, str] = NO_LINKS) -> list[str]:
    """Which files and links in the folder are missing, different or too many."""
    want: dict[str, object] = {**files, **links}
    have: dict[str, object] = {**dict(iter_files(folder)), **dict(links_in(folder))}
    programs = [name for name in PROGRAMS if name in have]
    not_executable = {
        name for name in programs if not os.access(os.path.join(folder, name), os.X_OK)
    }
    return sorted(
        not_executable | {name for name in {*have, *want} if have.get(name) != want.get(name)}
    )


def write_files(folder: str, files: Files, links: Mapping[str, str] = NO_LINKS) -> None:
    """Make the folder hold exactly these files and links. Refuses a folder that is not a plugin."""
    is_plugin = os.path.exists(os.path.join(folder, MANIFEST))
    if os.path.isdir(folder) and os.listdir(folder) and not is_plugin:
        raise UserError(
            f"{folder} holds something else. Name an empty folder, or the one of an earlier build"
        )
    if os.path.isdir(folder):
        shutil.rmtree(folder)
    for name, data in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        if name in PROGRAMS:
            os.chmod(path, 0o755)  # noqa: S103
    for name, target in links.items():
        _write_link(os.path.join(folder, name), target)


def _write_link(path: str, target: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        os.symlink(target.replace("/", os.sep), path, target_is_directory=True)
    except (OSError, NotImplementedError) as error:  # Windows without the right to make links
        with open(path, "wb") as file:
            # Git checks the same text out here, so the link does not show up as deleted.
            file.write(target.encode())
        fix = "Build a plugin without links: loop plugin build --out DIR"
        raise UserError(f"cannot make the symbolic link {path}: {error}. {fix}") from error
