"""The settings of a GSD project, config.md: mode, loop and commands, from its front matter or from a YAML fence in its body."""

from __future__ import annotations

import re

from ..core.plan import COMMANDS, E2E, INTERACTIVE, YOLO
from ..core.record import Record
from ..core.reports import plain
from .front_matter import MOST, MOST_LINES, body_of, fences, find, fits, pairs, within
from .yaml_node import MAP, TEXT, WORD, YamlNode
from .yaml_text import LINE, YamlText

LOOP = ("execute_max_retries", "verify_max_iterations", "auto_loop")
CI = (*COMMANDS, E2E)
MOST_RETRIES, MOST_ROUNDS, LONGEST = 20, 50, 1_000
# A fence in the body holds settings where its heading, or its own first comment, says so.
SETTINGS = re.compile(r"\b(?:settings?|configuration|config|loop|mode|ci)\b", re.I)
SAMPLE = re.compile(r"\b(?:examples?|samples?|template)\b", re.I)


class GsdConfig(Record):
    """`wrong` says which values could not be used; for them the defaults stand."""

    mode: str = ""  # interactive, yolo, or not said
    auto_loop: bool = True
    retries: int = 3
    rounds: int = 20
    commands: tuple[tuple[str, str], ...] = ()
    wrong: tuple[str, ...] = ()


def read(text: str) -> GsdConfig:
    if not fits(text):
        return GsdConfig(wrong=(f"config.md has more than {MOST} letters or {MOST_LINES} lines; the defaults are used",))
    sources, usual, wrong = _sources(text), GsdConfig(), list[str]()
    retries, rounds, auto = (_said(sources, "loop", key) for key in LOOP)
    return GsdConfig(
        mode=_mode(_said(sources, "mode"), wrong),
        auto_loop=_flag(auto, "loop.auto_loop", usual.auto_loop, wrong),
        retries=_number(retries, "loop.execute_max_retries", usual.retries, MOST_RETRIES, wrong),
        rounds=_number(rounds, "loop.verify_max_iterations", usual.rounds, MOST_ROUNDS, wrong),
        commands=_commands({name: _said(sources, "ci", name) for name in CI}, wrong),
        wrong=tuple(wrong),
    )


def _sources(text: str) -> list[YamlNode]:
    """The front matter, maps at the left edge of the body, fences with settings: the first that says something counts."""
    bare = [pair for key, known in (("loop", LOOP), ("ci", CI)) if (pair := find(text, key, known))]
    return [YamlNode(MAP, pairs=pairs(text)), YamlNode(MAP, pairs=tuple(bare)), *_fenced(text)]


def _said(sources: list[YamlNode], *path: str) -> YamlNode:
    for node in sources:
        for key in path:
            node = node.get(key)
        if not node.is_null:
            return node
    return YamlNode()


def _fenced(text: str) -> list[YamlNode]:
    """A fence that only shows how settings look must not make them: its heading or its first comment says what it is."""
    start = body_of(text)
    code, found, title = fences(text, start), list[YamlNode](), ""
    starts = {fence.start: fence for fence in code}
    for row in LINE.finditer(text, start):
        line = row.group()
        fence = starts.get(row.start())
        if line.startswith("#") and not within(row.start(), code):
            title = line
        elif fence and fence.info in ("yaml", "yml"):
            named = f"{title} {line if line.startswith('#') else ''}"
            if SETTINGS.search(named) and not SAMPLE.search(named):
                found.append(YamlNode(MAP, pairs=YamlText(text, fence.start, fence.stop).pairs()))
    return found


def _mode(node: YamlNode, wrong: list[str]) -> str:
    word = node.text.strip().lower()
    if node.is_null or word in (INTERACTIVE, YOLO):
        return "" if node.is_null else word
    wrong.append(f"mode is {_shown(node)}, but only {INTERACTIVE} and {YOLO} are known; it is as if none were set")
    return ""


def _flag(node: YamlNode, name: str, usual: bool, wrong: list[str]) -> bool:
    if node.flag is None and not node.is_null:
        wrong.append(f"{name} is {_shown(node)}, which is neither true nor false; {str(usual).lower()} is used")
    return usual if node.flag is None else node.flag


def _number(node: YamlNode, name: str, usual: int, most: int, wrong: list[str]) -> int:
    if node.number is not None and node.number <= most:
        return node.number
    if not node.is_null:
        wrong.append(f"{name} is {_shown(node)}, which is no number from 0 to {most}; {usual} is used")
    return usual


def _commands(ci: dict[str, YamlNode], wrong: list[str]) -> tuple[tuple[str, str], ...]:
    """In the order in which they are run. No command is null, none or false."""
    found = []
    for name, node in ci.items():
        line = node.text.strip()
        if node.is_null or (node.kind == WORD and (node.flag is False or line.lower() == "none")):
            continue
        if node.kind not in (WORD, TEXT) or not line or len(line) > LONGEST or (node.kind == WORD and node.flag):
            wrong.append(f"ci.{name} is {_shown(node)}, which is no command; it is left out")
        else:
            found.append((name, line))
    return tuple(found)


def _shown(node: YamlNode) -> str:
    return repr(plain(node.text, 60)) if node.kind in (WORD, TEXT) else f"a {node.kind}"
