"""Presets: what a discovery loop looks for, how it works and what it suggests. Ours, then the user's own files, key by key."""

from __future__ import annotations

import os
import re
from difflib import get_close_matches
from typing import Any

from ..core.discovery.backlog import EXPLOITATION, EXPLORATION, Backlog
from ..core.record import Record
from .config import ConfigError, config_home, read_toml

BUILT_IN_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "presets")
PRESET_KEYS = ("description", "look_for", "guidance", "suggestions")
VALID_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
# Names that are commands of the plugin already, or of the client's /loop.
RESERVED = (
    *(
        "start",
        "continue",
        "pause",
        "cancel",
        "status",
        "why",
        "answer",
        "attach",
        "detach",
        "intent",
        "shape",
        "help",
        "build",
    ),
    *("accept", "plan", "execute", "verify", "backlog", "loop", "stop"),
)
MAX_LETTERS, MAX_SUGGESTIONS = 2_000, 100


class Preset(Record):
    name: str
    description: str = ""
    look_for: str = ""
    guidance: str = ""
    suggestions: tuple[str, ...] = ()
    user_defined: bool = False  # the user's: not among those that we bring

    def initial_backlog(self, items: tuple[str, ...] = (), **more: Any) -> Backlog:
        """What a loop with this preset begins with; where nothing is given, it explores first."""
        mode = EXPLOITATION if items else EXPLORATION
        given = {"suggestions": self.suggestions, **more}
        return Backlog(
            self.name,
            look_for=self.look_for,
            guidance=self.guidance,
            items=items,
            mode=mode,
            **given,
        )


def user_files() -> list[str]:
    """The seed's place first, ours over it."""
    return [
        os.path.join(config_home(), folder, "presets.toml") for folder in ("claude-loop", "loop")
    ]


def built_in_presets() -> dict[str, Preset]:
    names = sorted(
        name.removesuffix(".toml") for name in os.listdir(BUILT_IN_FOLDER) if name.endswith(".toml")
    )
    paths = {name: os.path.join(BUILT_IN_FOLDER, f"{name}.toml") for name in names}
    return {name: _merge_table(Preset(name), read_toml(path), path) for name, path in paths.items()}


def all_presets() -> dict[str, Preset]:
    """Every preset by its name, ours first. One without suggestions takes those of `generic`."""
    known = built_in_presets()
    for path in user_files():
        for name, table in read_toml(path).items():
            base = known.get(name) or Preset(validate_name(name, path), user_defined=True)
            known[name] = _merge_table(base, table, f"{path} [{name}]")
    usual = known["generic"].suggestions
    return {
        name: preset if preset.suggestions else preset.but(suggestions=usual)
        for name, preset in known.items()
    }


def find_preset(name: str) -> Preset:
    known = all_presets()
    if name not in known:
        close = get_close_matches(name, known, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}."
        raise ConfigError(f"no preset {name!r}; {hint} Your own go into {user_files()[-1]}")
    return known[name]


def validate_name(name: str, where: str) -> str:
    if name in RESERVED:
        raise ConfigError(f"{where}: [{name}] is a command already; give the preset another name")
    if not VALID_NAME.fullmatch(name):
        raise ConfigError(
            f"{where}: [{name}] is no name for a command; use small letters, digits and hyphens"
        )
    return name


def _merge_table(base: Preset, table: Any, where: str) -> Preset:
    """The preset with what the table says; what it does not say stays."""
    if not isinstance(table, dict):
        raise ConfigError(f"{where}: a preset is a table, such as [a11y], not a lone value")
    given = {
        "suggestions" if name == "exploitation" else name: value for name, value in table.items()
    }  # the seed's word
    for name, value in given.items():
        if name not in PRESET_KEYS:
            raise ConfigError(f"{where}: no key {name!r}; a preset has {', '.join(PRESET_KEYS)}")
        _check_value(name, value, where)
    if "suggestions" in given:
        given["suggestions"] = tuple(" ".join(text.split()) for text in given["suggestions"])
    return base.but(**given)


def _check_value(name: str, value: Any, where: str) -> None:
    texts = value if name == "suggestions" and isinstance(value, list) else [value]
    many = f", at most {MAX_SUGGESTIONS}" if name == "suggestions" else ""
    if not all(
        isinstance(text, str) and text.strip() and len(text) <= MAX_LETTERS for text in texts
    ) or (
        name == "suggestions"
        and not (isinstance(value, list) and 0 < len(value) <= MAX_SUGGESTIONS)
    ):
        kind = "a list of texts" if name == "suggestions" else "a text"
        raise ConfigError(
            f"{where}: {name} is {kind}, none empty, each of at most {MAX_LETTERS} letters{many}"
        )
