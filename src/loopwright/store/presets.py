"""Presets: what a discovery loop looks for, how it works, and what it suggests.

The user's files override the built-in presets key by key.
"""

from __future__ import annotations

import os
import re
from typing import Any

from ..core.discovery.backlog import EXPLOITATION, EXPLORATION, Backlog
from ..core.record import Record
from .config import ConfigError, config_home, read_toml

BUILT_IN_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "presets")
PRESET_KEYS = ("description", "look_for", "guidance", "suggestions")
VALID_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
# Names that are commands of the plugin, or of the client's /loop.
RESERVED = (
    *("start", "continue", "pause", "cancel", "status", "why", "answer", "attach", "detach"),
    *("intent", "shape", "help", "build", "accept", "rule", "plan", "execute", "verify", "backlog"),
    *("restore", "forget", "allow", "criteria", "rewind", "receipt", "history", "loop", "stop"),
)
MAX_LETTERS, MAX_SUGGESTIONS = 2_000, 100


class Preset(Record):
    name: str
    description: str = ""
    look_for: str = ""
    guidance: str = ""
    suggestions: tuple[str, ...] = ()
    user_defined: bool = False  # not built in

    def initial_backlog(self, items: tuple[str, ...] = (), **more: Any) -> Backlog:
        """The backlog that a loop with this preset starts with. Without items it explores first."""
        fields = {"suggestions": self.suggestions, **more}
        return Backlog(
            self.name,
            look_for=self.look_for,
            guidance=self.guidance,
            items=items,
            mode=EXPLOITATION if items else EXPLORATION,
            **fields,
        )


def user_files() -> list[str]:
    """The file of the original plugin, then ours, which overrides it."""
    folders = ("claude-loop", "loop")
    return [os.path.join(config_home(), folder, "presets.toml") for folder in folders]


def built_in_presets() -> dict[str, Preset]:
    presets: dict[str, Preset] = {}
    for file in sorted(os.listdir(BUILT_IN_FOLDER)):
        name, extension = os.path.splitext(file)
        if extension == ".toml":
            path = os.path.join(BUILT_IN_FOLDER, file)
            presets[name] = _merge_table(Preset(name), read_toml(path), path)
    return presets


def all_presets() -> dict[str, Preset]:
    """Every preset by its name, built-in ones first; an error in a file of the user is raised."""
    presets, problems = usable_presets()
    if problems:
        raise ConfigError(problems[0])
    return presets


def usable_presets() -> tuple[dict[str, Preset], list[str]]:
    """Every preset that can be read, and what is wrong with the others.

    A preset without suggestions has those of `generic`.
    """
    presets = built_in_presets()
    problems: list[str] = []
    for path in user_files():
        try:
            tables = read_toml(path)
        except ConfigError as error:
            problems.append(str(error))
            continue
        for name, table in tables.items():
            try:
                base = presets.get(name) or Preset(validate_name(name, path), user_defined=True)
                presets[name] = _merge_table(base, table, f"{path} [{name}]")
            except ConfigError as error:
                problems.append(str(error))
    return _with_usual_suggestions(presets), problems


def _with_usual_suggestions(presets: dict[str, Preset]) -> dict[str, Preset]:
    usual = presets["generic"].suggestions
    return {
        name: preset.but(suggestions=preset.suggestions or usual)
        for name, preset in presets.items()
    }


def find_preset(name: str) -> Preset:
    """The preset of this name. A broken file of the user does not disable the other presets."""
    presets, problems = usable_presets()
    if name not in presets and problems:
        raise ConfigError(problems[0])
    if name not in presets:
        from difflib import get_close_matches

        close = get_close_matches(name, presets, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(presets)}."
        raise ConfigError(f"no preset {name!r}; {hint} Your own go into {user_files()[-1]}")
    return presets[name]


def validate_name(name: str, where: str) -> str:
    if name in RESERVED:
        raise ConfigError(f"{where}: [{name}] is a command already; give the preset another name")
    if not VALID_NAME.fullmatch(name):
        raise ConfigError(
            f"{where}: [{name}] is no name for a command; use small letters, digits and hyphens"
        )
    return name


def _merge_table(base: Preset, table: Any, where: str) -> Preset:
    """The preset with the keys of the table; its other keys stay."""
    if not isinstance(table, dict):
        raise ConfigError(f"{where}: a preset is a table, such as [a11y], not a lone value")
    values: dict[str, Any] = {}
    for name, value in table.items():
        # The original plugin calls the suggestions `exploitation`.
        key = "suggestions" if name == "exploitation" else name
        if key not in PRESET_KEYS:
            raise ConfigError(f"{where}: no key {key!r}; a preset has {', '.join(PRESET_KEYS)}")
        if not _is_valid_value(key, value):
            raise ConfigError(f"{where}: {key} is {_value_rule(key)}")
        values[key] = value
    if "suggestions" in values:
        values["suggestions"] = tuple(" ".join(text.split()) for text in values["suggestions"])
    return base.but(**values)


def _is_valid_value(name: str, value: Any) -> bool:
    if name != "suggestions":
        return _is_valid_text(value)
    if not isinstance(value, list) or not 0 < len(value) <= MAX_SUGGESTIONS:
        return False
    return all(_is_valid_text(text) for text in value)


def _is_valid_text(text: Any) -> bool:
    return isinstance(text, str) and 0 < len(text) <= MAX_LETTERS and bool(text.strip())


def _value_rule(name: str) -> str:
    rule = f"none empty, each of at most {MAX_LETTERS} letters"
    if name == "suggestions":
        return f"a list of texts, {rule}, at most {MAX_SUGGESTIONS}"
    return f"a text, {rule}"
