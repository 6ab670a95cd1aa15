"""Settings: the user's file, then the project's file, which can only make limits stricter."""

from __future__ import annotations

import os

from ..core import prices as price_table
from ..core.json_text import dumps
from ..core.limits import Limits, Price
from ..disk.files import open_at_once, write_atomic
from ..disk.user_folders import home_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LIMIT_NAMES = tuple(Limits.FIELDS)
SPEC_LIMITS = Limits()
OTHER_DEFAULTS = {
    "check.timeout": 300,
    "check.retries": 0,
    "proof.strength": "once",
    "shape": "auto",
    "notify": "",
    "quiet_hours": "",
    "sandbox.use": "auto",
    "sandbox.allow_read": "",
    "sandbox.allow_write": "",
    "sandbox.network": "open",
    "sandbox.memory": 8.0,
    "sandbox.processes": 2000,
    "sandbox.disk": 20.0,
    "plan.progress": "on",
    "eyes.dollars": 2.0,
    "eyes.minutes": 10.0,
}
SWITCH = ("on", "off")
NETWORKS = ("open", "closed")
# The only texts that a cloned repository may set: each of them makes a loop stricter.
STRICTER_TEXTS = {"shape": "colleague", "plan.progress": "off", "sandbox.network": "closed"}
SHAPES = ("auto", "tool", "colleague")
CHOICES = {"shape": SHAPES, "proof.strength": ("off", "report", "once", "strict")}
PROJECT_FILE = ".loop.toml"
MAX_BYTES = 1_000_000  # of a settings file
MAX_TABLE_DEPTH = 5  # no setting lies deeper
PRICE_PREFIX = "prices."


class ConfigError(Exception):
    """A settings file, or a value in it, is wrong. The message says which and what is allowed."""


def config_home() -> str:
    return os.environ.get("XDG_CONFIG_HOME") or os.path.join(home_folder(), ".config")


def user_file() -> str:
    return os.path.join(config_home(), "loop", "config.toml")


def defaults(usual: Limits = SPEC_LIMITS) -> dict[str, Any]:
    """Every setting by its dotted name, with its default; prices excepted."""
    limits = {f"limits.{name}": getattr(usual, name) for name in LIMIT_NAMES}
    return {**limits, **OTHER_DEFAULTS}


def settings(root: str | None = None, usual: Limits = SPEC_LIMITS) -> dict[str, Any]:
    """Every setting by its dotted name: defaults, then the user's, then a stricter project's.

    `usual` are the default limits of the kind of loop that is about to start.
    """
    values = defaults(usual)
    values |= load_settings_file(user_file())
    if root:
        for name, value in load_settings_file(os.path.join(root, PROJECT_FILE)).items():
            if _is_stricter(name, value, values.get(name)):
                values[name] = value
    return values


def _is_stricter(name: str, value: Any, current: Any) -> bool:
    """A cloned repository must neither spend more of your money nor skip your questions."""
    if isinstance(value, str):
        return value == STRICTER_TEXTS.get(name)
    return bool(value < current)


def load_settings_file(path: str) -> dict[str, Any]:
    """The validated settings of one file, by their dotted names; empty without the file."""
    entries = _flatten_table(read_toml(path))
    return {name: validate_setting(name, value, path) for name, value in entries.items()}


def read_toml(path: str) -> dict[str, Any]:
    """The content of a TOML file; empty without the file."""
    try:
        with open(path, "rb", opener=open_at_once) as file:
            raw = file.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise ValueError(f"no settings are longer than {MAX_BYTES // 1_000_000} MB")
        # Not at the top: every command imports this module for its error, but few read settings.
        from ..formats.toml_text import parse_toml

        return parse_toml(raw.decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from error


def _flatten_table(table: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """The values of nested tables by their dotted names."""
    values: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict) and prefix.count(".") < MAX_TABLE_DEPTH:
            values |= _flatten_table(value, f"{prefix}{name}.")
        else:
            values[prefix + name] = value
    return values


def validate_setting(name: str, value: Any, where: str = "") -> Any:
    """The value in the type of its setting. An unknown name is an error with a suggestion."""
    prefix = f"{where}: " if where else ""
    try:
        return _parse_value(name, value)
    except ValueError as error:
        raise ConfigError(f"{prefix}{error}") from error


def _parse_value(name: str, value: Any) -> Any:
    if name.startswith(PRICE_PREFIX):
        return _parse_price_text(name, value)
    if name not in defaults():
        raise ValueError(f"no setting {name!r}{_name_hint(name)}")
    # Of these texts, which name commands, addresses and folders, `settings` ignores a project's.
    if name in ("notify", "sandbox.use", "sandbox.allow_read", "sandbox.allow_write"):
        return _value_text(value)
    if name == "sandbox.network":
        if value not in NETWORKS:
            raise ValueError(f"{name} is open or closed, not {_value_text(value, repr)}")
        return value
    if name == "quiet_hours":
        return _parse_quiet_hours(_value_text(value))
    if name == "plan.progress":
        return _parse_switch(name, value)
    if name in CHOICES:
        if value not in CHOICES[name]:
            choices = ", ".join(CHOICES[name])
            raise ValueError(f"{name} is one of {choices}, not {_value_text(value, repr)}")
        return value
    return _parse_number(name, value)


def _parse_switch(name: str, value: Any) -> str:
    text = {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value
    if text not in SWITCH:
        raise ValueError(f"{name} is on or off, not {_value_text(value, repr)}")
    return str(text)


def _parse_quiet_hours(text: str) -> str:
    """Two times of the day, such as 22:00-07:00; "" for none."""
    import re

    clock = r"([01]\d|2[0-3]):[0-5]\d"
    if text and not re.fullmatch(f"{clock}-{clock}", text):
        raise ValueError(f"quiet_hours is two times such as 22:00-07:00, not {text[:40]!r}")
    if text and text[:5] == text[6:]:
        raise ValueError(f"quiet_hours {text} is no time at all; for no quiet hours, unset it")
    return text


def _parse_price_text(name: str, value: Any) -> str:
    text = _value_text(value)
    try:
        price_table.parse_price(name.removeprefix(PRICE_PREFIX), text)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    return text


def _name_hint(name: str) -> str:
    from difflib import get_close_matches

    names = defaults()
    close = get_close_matches(name, names, 1)
    if close:
        return f"; did you mean {close[0]}?"
    return f"; known: {', '.join(names)}, prices.MODEL"


def _parse_number(name: str, value: Any) -> float:
    """A number above 0; a whole number if the default of the setting is one, except minutes."""
    shown = _value_text(value, repr)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} takes a number, not {shown}") from None
    if not 0 < number < 1e9:
        raise ValueError(f"{name} takes a number above 0, not {shown}")
    whole = isinstance(defaults()[name], int) and name != "limits.minutes"
    if not whole:
        return number
    if number != int(number):
        raise ValueError(f"{name} takes a whole number, not {shown}")
    return int(number)


def _value_text(value: Any, to_text: Callable[[Any], str] = str) -> str:
    """A value as text. Python refuses to print some values, such as a number of 10,000 digits."""
    try:
        return to_text(value)
    except (ValueError, RecursionError):
        return f"a very long {type(value).__name__}"


def limits_from_settings(values: dict[str, Any]) -> Limits:
    """The limits among the settings."""
    return Limits(**{name: values[f"limits.{name}"] for name in LIMIT_NAMES})


def prices() -> tuple[Price, ...]:
    """The built-in prices, with the user's own over them."""
    rows = {price.model: price for price in price_table.PRICES}
    for name, text in load_settings_file(user_file()).items():
        if name.startswith(PRICE_PREFIX):
            model = name.removeprefix(PRICE_PREFIX)
            rows[model] = price_table.parse_price(model, text)
    return tuple(rows.values())


def store_setting(path: str, name: str, value: str | None) -> None:
    """Set one line of a settings file, or remove it with None. All other lines stay unchanged."""
    before = _read_settings_text(path)
    # Not splitlines, which also splits at rare characters inside a line.
    lines = before.removesuffix("\n").split("\n") if before else []
    at, section = _find_setting_line(lines, name)
    if value is not None:
        row = _setting_row(name, validate_setting(name, value), in_section=section is not None)
        _put_row(lines, row, at, section)
    elif at is not None:
        del lines[at]
    after = "".join(f"{line}\n" for line in lines)
    if _is_valid_toml(before) and not _is_valid_toml(after):
        raise ConfigError(
            f"{path}: {name} is set there in a way that only an editor can change. "
            "The file was left as it is"
        )
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_atomic(path, after.encode())


def _read_settings_text(path: str) -> str:
    try:
        if os.path.exists(path):
            with open(path, encoding="utf-8-sig", opener=open_at_once) as file:
                return file.read()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: {error}") from error
    return ""


def _setting_row(name: str, value: Any, in_section: bool) -> str:
    """The line `key = value`; the key has no table name below the heading of its table."""
    table, _, key = name.partition(".")
    prefix = "" if in_section else f"{table}."
    row_key = f"{prefix}{_toml_key(key)}" if key or in_section else table
    return f"{row_key} = {dumps(value)}" if isinstance(value, str) else f"{row_key} = {value:g}"


def _put_row(lines: list[str], row: str, at: int | None, section: int | None) -> None:
    """Replace the old line; else insert below the [table], or at the top, before any table."""
    if at is not None:
        lines[at] = row
    else:
        lines.insert(0 if section is None else section + 1, row)


def _is_valid_toml(text: str) -> bool:
    from ..formats.toml_text import parse_toml

    try:
        parse_toml(text)
    except ValueError:
        return False
    return True


def _find_setting_line(lines: list[str], name: str) -> tuple[int | None, int | None]:
    """The line that sets the name and the line of its [table], if they exist."""
    table, at, section = "", None, None
    for number, line in enumerate(lines):
        bare = line.strip()
        if bare.startswith("["):
            table = bare.strip("[] ")
            if table == name.partition(".")[0]:
                section = number
            continue
        key = bare.partition("=")[0].strip()
        if f"{table}.{key}".removeprefix(".").replace('"', "") == name:
            at = number
    return at, section


def _toml_key(key: str) -> str:
    is_bare = key.replace("-", "").replace("_", "").isalnum()
    return key if is_bare else f'"{key}"'
