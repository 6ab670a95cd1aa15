"""Settings: the user's file, then the project's, which may lower limits but never raise them. Read when a loop starts."""

from __future__ import annotations

import os

from ..core import prices as table
from ..core.json_text import dumps
from ..core.limits import Limits, Price
from ..disk.files import write_atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LIMIT_NAMES = tuple(Limits.FIELDS)
SPEC_LIMITS = Limits()
OTHER_DEFAULTS = {"check.timeout": 300, "check.retries": 0, "shape": "auto", "notify": ""}
SHAPES = ("auto", "tool", "colleague")
PROJECT_FILE = ".loop.toml"
MAX_BYTES = 1_000_000  # bytes of a file
MAX_NAME_PARTS = 100


class ConfigError(Exception):
    """A settings file or a value in it is wrong; says which and what is meant."""


def config_home() -> str:
    return os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")


def user_file() -> str:
    return os.path.join(config_home(), "loop", "config.toml")


def defaults(usual: Limits = SPEC_LIMITS) -> dict[str, Any]:
    return {**{f"limits.{name}": getattr(usual, name) for name in LIMIT_NAMES}, **OTHER_DEFAULTS}


def settings(root: str | None = None, usual: Limits = SPEC_LIMITS) -> dict[str, Any]:
    """Every setting by its dotted name, the user's over the defaults; a project's only where it is stricter.

    `usual` are the limits of the kind of loop that is asked for.
    """
    known = defaults(usual)
    known |= load_settings_file(user_file())
    if root:
        for name, value in load_settings_file(os.path.join(root, PROJECT_FILE)).items():
            # Only what is stricter: a cloned repository must not spend more of your money, or take your questions away.
            if value == "colleague" or (not isinstance(value, str) and value < known[name]):
                known[name] = value
    return known


def load_settings_file(path: str) -> dict[str, Any]:
    return {
        name: validate_setting(name, value, path)
        for name, value in _flatten_table(read_toml(path)).items()
    }


def read_toml(path: str) -> dict[str, Any]:
    """What a TOML file says; nothing where there is none."""
    try:
        with open(path, "rb") as file:
            raw = file.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise ValueError(f"no settings are longer than {MAX_BYTES // 1_000_000} MB")
        return parse_toml(raw.decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from error


def parse_toml(text: str) -> dict[str, Any]:
    """What a TOML text says, or a ValueError. A stranger's may hold what makes tomllib run out of stack, or for minutes."""
    import re
    import tomllib  # not at the top: every command imports this file for its error, few read settings

    if any(run.count(".") > MAX_NAME_PARTS for run in re.findall(r"[\w\"' \t.-]+", text)):
        raise ValueError(f"a name of more than {MAX_NAME_PARTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("brackets inside brackets, too deep") from None


def _flatten_table(table: dict[str, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in table.items():
        below = isinstance(value, dict) and before.count(".") < 5  # what lies deeper is no setting
        found |= _flatten_table(value, f"{before}{name}.") if below else {before + name: value}
    return found


def validate_setting(name: str, value: Any, where: str = "") -> Any:
    """The value if it fits the setting. Unknown names are errors with a suggestion, never ignored."""
    place = f"{where}: " if where else ""
    if name.startswith("prices."):
        try:
            table.parse_price(name.removeprefix("prices."), _value_text(value))
        except ValueError as error:
            raise ConfigError(f"{place}{name}: {error}") from error
        return _value_text(value)
    known = defaults()
    if name not in known:
        from difflib import get_close_matches

        close = get_close_matches(name, known, 1)
        hint = (
            f"; did you mean {close[0]}?" if close else f"; known: {', '.join(known)}, prices.MODEL"
        )
        raise ConfigError(f"{place}no setting {name!r}{hint}")
    if name == "notify":  # a shell line; a project's is never read, see `settings`
        return _value_text(value)
    if name == "shape":
        if value not in SHAPES:
            raise ConfigError(
                f"{place}shape is one of {', '.join(SHAPES)}, not {_value_text(value, repr)}"
            )
        return value
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ConfigError(f"{place}{name} takes a number, not {_value_text(value, repr)}") from None
    whole = isinstance(known[name], int) and name != "limits.minutes"
    if not 0 < number < 1e9:
        raise ConfigError(f"{place}{name} takes a number above 0, not {_value_text(value, repr)}")
    if whole and number != int(number):
        raise ConfigError(f"{place}{name} takes a whole number, not {_value_text(value, repr)}")
    return int(number) if whole else number


def _value_text(value: Any, how: Callable[[Any], str] = str) -> str:
    """A value as text; there are some that Python will not print, such as a number of 10,000 digits."""
    try:
        return how(value)
    except (ValueError, RecursionError):
        return f"a very long {type(value).__name__}"


def limits_from_settings(known: dict[str, Any]) -> Limits:
    """The limits among some settings."""
    return Limits(**{name: known[f"limits.{name}"] for name in LIMIT_NAMES})


def prices() -> tuple[Price, ...]:
    own = {
        n.removeprefix("prices."): v
        for n, v in load_settings_file(user_file()).items()
        if n.startswith("prices.")
    }
    rows = {price.model: price for price in table.PRICES}
    rows |= {model: table.parse_price(model, text) for model, text in own.items()}
    return tuple(rows.values())


def store_setting(path: str, name: str, value: str | None) -> None:
    """Set or take out one line of a settings file; every other line, comments too, stays as it is."""
    before = ""
    try:
        if os.path.exists(path):
            with open(path, encoding="utf-8-sig") as file:
                before = file.read()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: {error}") from error
    lines = (
        before.removesuffix("\n").split("\n") if before else []
    )  # not splitlines: it knows a dozen line ends
    at, section = _find_setting_line(lines, name)
    if value is None:
        if at is not None:
            del lines[at]
    else:
        fit = validate_setting(name, value)
        table, _, key = name.partition(".")
        key = (
            _toml_key(key) if section is not None else f"{table}.{_toml_key(key)}" if key else table
        )
        row = f"{key} = {dumps(fit)}" if isinstance(fit, str) else f"{key} = {fit:g}"
        if at is not None:
            lines[at] = row
        else:  # under its [table] if there is one; else at the top, before any table
            lines.insert(0 if section is None else section + 1, row)
    after = "".join(f"{line}\n" for line in lines)
    if _is_valid_toml(before) and not _is_valid_toml(after):
        raise ConfigError(
            f"{path}: {name} is set there in a way that only an editor can change. The file was left as it is"
        )
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_atomic(path, after.encode())


def _is_valid_toml(text: str) -> bool:
    try:
        parse_toml(text)
    except ValueError:
        return False
    return True


def _find_setting_line(lines: list[str], name: str) -> tuple[int | None, int | None]:
    """The line that sets the name, and the line of its [table], if they are there."""
    table, found, section = "", None, None
    for number, line in enumerate(lines):
        bare = line.strip()
        if bare.startswith("["):
            table = bare.strip("[] ")
            if table == name.partition(".")[0]:
                section = number
        elif f"{table}.{bare.partition('=')[0].strip()}".removeprefix(".").replace('"', "") == name:
            found = number
    return found, section


def _toml_key(key: str) -> str:
    return key if key.replace("-", "").replace("_", "").isalnum() else f'"{key}"'
