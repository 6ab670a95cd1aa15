"""Builds the plugin for Claude Code: templates filled from the code, the hook's scripts, and the whole package as it is."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator

from .. import __version__
from ..drive.orders import UserError
from ..store import presets
from . import hooks, preset, values

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TEMPLATES = os.path.join(PACKAGE, "plugin", "claude")
MANIFEST = ".claude-plugin/plugin.json"
PLACE, MARKET = "plugins/claude", ".claude-plugin/marketplace.json"  # in the repository
ABOUT = "Keeps Claude Code working until the work is proven done, and stops it safely when it cannot be."
PROGRAMS = ("bin/loop",)

Files = dict[str, bytes]


def plugin(exits: dict[int, str], stop_hook: str = "command") -> Files:
    """Every file of the plugin, by its path in the plugin's folder."""
    return {
        **pages(exits),
        **{f"vendor/loopwright/{name}": data for name, data in tree(PACKAGE)},
        "VERSION": f"{__version__}\n".encode(),
        MANIFEST: as_json(
            {
                "name": "loop",
                "version": __version__,
                "description": ABOUT,
                "author": {"name": "The Loopwright authors"},
                "license": "MIT",
                "keywords": ["loop", "stop hook", "verification", "automation"],
            }
        ),
        "hooks/hooks.json": as_json(hooks.table(stop_hook)),
    }


def pages(exits: dict[int, str]) -> Files:
    """The templates, filled."""
    fill = values.of_the_code(exits)
    files = {name: values.filled(data, fill, name) if name.endswith(".md") else data for name, data in tree(TEMPLATES)}
    return files | {f"skills/{one.name}/SKILL.md": preset.skill(one) for one in presets.built_in().values()}


def marketplace() -> bytes:
    entry = {"name": "loop", "source": f"./{PLACE}", "description": ABOUT, "version": __version__, "category": "automation"}
    about = {"description": "Loopwright: loops that end when the work is proven done.", "version": __version__}
    return as_json(
        {"name": "loopwright", "owner": {"name": "The Loopwright authors"}, "metadata": about, "plugins": [entry]},
    )


def as_json(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def tree(folder: str) -> Iterator[tuple[str, bytes]]:
    """Path and content of every file in the folder, bytecode aside."""
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            path = os.path.join(base, name)
            with open(path, "rb") as file:
                yield os.path.relpath(path, folder).replace(os.sep, "/"), file.read().replace(b"\r\n", b"\n")


def drift(folder: str, files: Files) -> list[str]:
    """Which files in the folder are missing, different or too many."""
    have = dict(tree(folder)) if os.path.isdir(folder) else {}
    dead = {name for name in PROGRAMS if name in have and not os.access(os.path.join(folder, name), os.X_OK)}
    return sorted(dead | {name for name in {*have, *files} if have.get(name) != files.get(name)})


def write(folder: str, files: Files) -> None:
    """Make the folder hold exactly these files. A folder that is not a plugin of ours is left alone."""
    if os.path.isdir(folder) and os.listdir(folder) and not os.path.exists(os.path.join(folder, MANIFEST)):
        raise UserError(f"{folder} holds something else. Name an empty folder, or the one of an earlier build")
    if os.path.isdir(folder):
        shutil.rmtree(folder)
    for name, data in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        if name in PROGRAMS:
            os.chmod(path, 0o755)  # noqa: S103
