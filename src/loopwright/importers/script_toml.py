"""A script for a simulation, in TOML: what an agent does, turn by turn.

passing = ["lint clean"]      # checks that pass before anything is done
answers = ["yes"]             # what a person says to the questions, in their order

[[turn]]
say = "I think that is it."
done = true                   # it says so; every check passes then, but for these:
fails = ["tests pass"]
dollars = 0.4
seconds = 300
times = 3                     # the same again
"""

from __future__ import annotations

import tomllib
from difflib import get_close_matches
from typing import Any

from ..views.simulation import Script, ScriptedTurn

MAX_TIMES = 1_000
NUMBERS = ("dollars", "seconds", "limit", "times")
TEXTS = ("say", "error", "fail")
LISTS = ("passes", "fails", "found", "fixed", "when")
FLAGS = ("done", "idle")
TURN_KEYS = (*NUMBERS, *TEXTS, *LISTS, *FLAGS, "edits")
SCRIPT_KEYS = ("turn", "passing", "answers")


class ScriptError(Exception):
    """The script cannot be played; says where, and what is meant."""


def read(text: str) -> Script:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScriptError(f"no TOML: {error}") from error
    _refuse_unknown_keys(data, SCRIPT_KEYS, "")
    turns = data.get("turn")
    if (
        not isinstance(turns, list)
        or not turns
        or not all(isinstance(turn, dict) for turn in turns)
    ):
        raise ScriptError(
            "it has no turns; write at least one: [[turn]] and, under it, done = true"
        )
    acts = [
        act for number, turn in enumerate(turns, 1) for act in _parse_turn(turn, f"turn {number}: ")
    ]
    if all(act.when for act in acts):
        raise ScriptError(
            "every turn has a `when`; one without is needed, for the prompts that none of them fits"
        )
    return Script(
        tuple(acts),
        *(_parse_texts(data.get(name, []), f"{name} ") for name in ("answers", "passing")),
    )


def _parse_turn(turn: dict[str, Any], where: str) -> list[ScriptedTurn]:
    _refuse_unknown_keys(turn, TURN_KEYS, where)
    given: dict[str, Any] = {}
    for name, value in turn.items():
        given[name] = _parse_value(name, value, f"{where}{name} ")
    times = given.pop("times", 1)
    if not 1 <= times <= MAX_TIMES or times != int(times):
        raise ScriptError(f"{where}times is a whole number from 1 to {MAX_TIMES}, not {times:g}")
    return [ScriptedTurn(**given)] * int(times)


def _parse_value(name: str, value: Any, where: str) -> Any:
    if name in LISTS:
        return _parse_texts(value, where)
    if name == "edits":
        if not isinstance(value, dict) or not all(type(times) is int for times in value.values()):
            raise ScriptError(
                f'{where}names files and how often each is written: edits = {{ "src/a.py" = 6 }}'
            )
        return tuple(value.items())
    kinds: dict[str, tuple[type | tuple[type, ...], str]] = {
        **dict.fromkeys(NUMBERS, ((int, float), "a number of 0 or more")),
        **dict.fromkeys(TEXTS, (str, "text")),
        **dict.fromkeys(FLAGS, (bool, "true or false")),
    }
    kind, meant = kinds[name]
    fits = isinstance(value, kind) and (name in FLAGS or not isinstance(value, bool))
    if not fits or (name in NUMBERS and not 0 <= value < 1e9):
        raise ScriptError(f"{where}is {meant}, not {value!r:.60}")
    return float(value) if name in NUMBERS else value


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
