"""The settings of a GSD project, config.md: mode, loop and commands, from its front matter or from a YAML fence in its body."""

from __future__ import annotations

import re

from ..core.plan.plan import E2E, INTERACTIVE, PROJECT_COMMANDS, YOLO
from ..core.record import Record
from ..core.replies.reports import single_line
from .front_matter import (
    MAX_CHARS,
    MAX_LINES,
    body_start,
    code_fences,
    find_key,
    front_matter_pairs,
    is_in_code_fence,
    is_small_enough,
)
from .yaml_node import MAP, TEXT, WORD, YamlNode
from .yaml_text import LINE, YamlText

LOOP_KEYS = ("execute_max_retries", "verify_max_iterations", "auto_loop")
CI_KEYS = (*PROJECT_COMMANDS, E2E)
MAX_RETRIES, MAX_ROUNDS, LONGEST_COMMAND = 20, 50, 1_000
# A fence in the body holds settings where its heading, or its own first comment, says so.
SETTINGS_TITLE = re.compile(r"\b(?:settings?|configuration|config|loop|mode|ci)\b", re.I)
SAMPLE_TITLE = re.compile(r"\b(?:examples?|samples?|template)\b", re.I)


class GsdConfig(Record):
    """`wrong` says which values could not be used; for them the defaults stand."""

    mode: str = ""  # interactive, yolo, or not said
    auto_loop: bool = True
    retries: int = 3
    rounds: int = 20
    commands: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()


def read(text: str) -> GsdConfig:
    if not is_small_enough(text):
        return GsdConfig(
            problems=(
                f"config.md has more than {MAX_CHARS} letters or {MAX_LINES} lines; the defaults are used",
            )
        )
    sources, usual, wrong = _settings_sources(text), GsdConfig(), list[str]()
    retries, rounds, auto = (_first_value(sources, "loop", key) for key in LOOP_KEYS)
    return GsdConfig(
        mode=_read_mode(_first_value(sources, "mode"), wrong),
        auto_loop=_read_flag(auto, "loop.auto_loop", usual.auto_loop, wrong),
        retries=_read_number(
            retries, "loop.execute_max_retries", usual.retries, MAX_RETRIES, wrong
        ),
        rounds=_read_number(rounds, "loop.verify_max_iterations", usual.rounds, MAX_ROUNDS, wrong),
        commands=_read_commands(
            {name: _first_value(sources, "ci", name) for name in CI_KEYS}, wrong
        ),
        problems=tuple(wrong),
    )


def _settings_sources(text: str) -> list[YamlNode]:
    """The front matter, maps at the left edge of the body, fences with settings: the first that says something counts."""
    bare = [
        pair
        for key, known in (("loop", LOOP_KEYS), ("ci", CI_KEYS))
        if (pair := find_key(text, key, known))
    ]
    return [
        YamlNode(MAP, pairs=front_matter_pairs(text)),
        YamlNode(MAP, pairs=tuple(bare)),
        *_settings_in_fences(text),
    ]


def _first_value(sources: list[YamlNode], *path: str) -> YamlNode:
    for node in sources:
        for key in path:
            node = node.get(key)
        if not node.is_null:
            return node
    return YamlNode()


def _settings_in_fences(text: str) -> list[YamlNode]:
    """A fence that only shows how settings look must not make them: its heading or its first comment says what it is."""
    start = body_start(text)
    code, found, title = code_fences(text, start), list[YamlNode](), ""
    starts = {fence.start: fence for fence in code}
    for row in LINE.finditer(text, start):
        line = row.group()
        fence = starts.get(row.start())
        if line.startswith("#") and not is_in_code_fence(row.start(), code):
            title = line
        elif fence and fence.info in ("yaml", "yml"):
            named = f"{title} {line if line.startswith('#') else ''}"
            if SETTINGS_TITLE.search(named) and not SAMPLE_TITLE.search(named):
                found.append(YamlNode(MAP, pairs=YamlText(text, fence.start, fence.stop).pairs()))
    return found


def _read_mode(node: YamlNode, wrong: list[str]) -> str:
    word = node.text.strip().lower()
    if node.is_null or word in (INTERACTIVE, YOLO):
        return "" if node.is_null else word
    wrong.append(
        f"mode is {_value_text(node)}, but only {INTERACTIVE} and {YOLO} are known; it is as if none were set"
    )
    return ""


def _read_flag(node: YamlNode, name: str, usual: bool, wrong: list[str]) -> bool:
    if node.flag is None and not node.is_null:
        wrong.append(
            f"{name} is {_value_text(node)}, which is neither true nor false; {str(usual).lower()} is used"
        )
    return usual if node.flag is None else node.flag


def _read_number(node: YamlNode, name: str, usual: int, most: int, wrong: list[str]) -> int:
    if node.number is not None and node.number <= most:
        return node.number
    if not node.is_null:
        wrong.append(
            f"{name} is {_value_text(node)}, which is no number from 0 to {most}; {usual} is used"
        )
    return usual


def _read_commands(ci: dict[str, YamlNode], wrong: list[str]) -> tuple[tuple[str, str], ...]:
    """In the order in which they are run. No command is null, none or false."""
    found = []
    for name, node in ci.items():
        line = node.text.strip()
        if node.is_null or (node.kind == WORD and (node.flag is False or line.lower() == "none")):
            continue
        if (
            node.kind not in (WORD, TEXT)
            or not line
            or len(line) > LONGEST_COMMAND
            or (node.kind == WORD and node.flag)
        ):
            wrong.append(f"ci.{name} is {_value_text(node)}, which is no command; it is left out")
        else:
            found.append((name, line))
    return tuple(found)


def _value_text(node: YamlNode) -> str:
    return repr(single_line(node.text, 60)) if node.kind in (WORD, TEXT) else f"a {node.kind}"
