"""Read a script for a simulation, in TOML: what an agent does, turn by turn.

passing = ["lint clean"]      # checks that pass at the start
answers = ["yes"]             # a person's answers to the questions, in order

[[turn]]
say = "I think that is it."
done = true                   # the agent claims it; then every check passes except these:
fails = ["tests pass"]
dollars = 0.4
seconds = 300
times = 3                     # repeat this turn
"""

from __future__ import annotations

import tomllib
from difflib import get_close_matches
from typing import Any

from ..drive.simulation import Script, ScriptedTurn

MAX_TIMES = 1_000
NUMBERS = ("dollars", "seconds", "limit", "times")
TEXTS = ("say", "error", "fail")
LISTS = ("passes", "fails", "found", "fixed", "when")
FLAGS = ("done", "idle")
TURN_KEYS = (*NUMBERS, *TEXTS, *LISTS, *FLAGS, "edits")
SCRIPT_KEYS = ("turn", "passing", "answers")


class ScriptError(Exception):
    """The script cannot be played. The message says where, and what is allowed."""


def read(text: str) -> Script:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScriptError(f"no TOML: {error}") from error
    _refuse_unknown_keys(data, SCRIPT_KEYS, "")
    turns: list[ScriptedTurn] = []
    for number, table in enumerate(_turn_tables(data), 1):
        turns += _parse_turn(table, f"turn {number}: ")
    if all(turn.when for turn in turns):
        raise ScriptError(
            "every turn has a `when`; one without is needed, for the prompts that none of them fits"
        )
    return Script(
        tuple(turns),
        _parse_texts(data.get("answers", []), "answers "),
        _parse_texts(data.get("passing", []), "passing "),
    )


def _turn_tables(data: dict[str, Any]) -> list[dict[str, Any]]:
    tables = data.get("turn")
    is_list = isinstance(tables, list) and all(isinstance(table, dict) for table in tables)
    if not tables or not is_list:
        raise ScriptError(
            "it has no turns; write at least one: [[turn]] and, under it, done = true"
        )
    return list(tables)


def _parse_turn(table: dict[str, Any], where: str) -> list[ScriptedTurn]:
    """The turn, as often as it is repeated."""
    _refuse_unknown_keys(table, TURN_KEYS, where)
    fields: dict[str, Any] = {}
    for name, value in table.items():
        fields[name] = _parse_value(name, value, f"{where}{name} ")
    times = fields.pop("times", 1)
    if not 1 <= times <= MAX_TIMES or times != int(times):
        raise ScriptError(f"{where}times is a whole number from 1 to {MAX_TIMES}, not {times:g}")
    return [ScriptedTurn(**fields)] * int(times)


def _parse_value(name: str, value: Any, where: str) -> Any:
    if name in LISTS:
        return _parse_texts(value, where)
    if name in NUMBERS:
        return _parse_number(value, where)
    if name == "edits":
        return _parse_edits(value, where)
    kind, meaning = (bool, "true or false") if name in FLAGS else (str, "text")
    if not isinstance(value, kind):
        raise ScriptError(f"{where}is {meaning}, not {value!r:.60}")
    return value


def _parse_number(value: Any, where: str) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value < 1e9:
        raise ScriptError(f"{where}is a number of 0 or more, not {value!r:.60}")
    return float(value)


def _parse_edits(value: Any, where: str) -> tuple[tuple[str, int], ...]:
    if not isinstance(value, dict) or not all(type(times) is int for times in value.values()):
        raise ScriptError(
            f'{where}names files and how often each is written: edits = {{ "src/a.py" = 6 }}'
        )
    return tuple(value.items())


def _parse_texts(value: Any, where: str) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ScriptError(f"{where}is a text or a list of texts, not {value!r:.60}")
    return tuple(texts)


def _refuse_unknown_keys(table: dict[str, Any], names: tuple[str, ...], where: str) -> None:
    for name in table:
        if name not in names:
            close = get_close_matches(name, names, 1) or [f"one of {', '.join(names)}"]
            raise ScriptError(f"{where}{name!r} is unknown; meant is {close[0]}")
