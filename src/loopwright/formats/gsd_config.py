"""The settings of a GSD project, config.md: mode, loop and commands.

They are in its front matter, or in a YAML fence in its body.
"""

from __future__ import annotations

from .. import lazy_re as re
from ..core.plan.plan import E2E, INTERACTIVE, PROJECT_COMMANDS, YOLO
from ..core.record import Record
from ..core.replies.reports import single_line
from .front_matter import (
    MAX_CHARS,
    MAX_LINES,
    body_start,
    code_fences,
    find_key,
    front_matter_map,
    is_in_code_fence,
    is_small_enough,
)
from .yaml_node import MAP, TEXT, WORD, YamlNode
from .yaml_text import LINE, YamlText

LOOP_KEYS = ("execute_max_retries", "verify_max_iterations", "auto_loop")
CI_KEYS = (*PROJECT_COMMANDS, E2E)
MAX_RETRIES, MAX_ROUNDS, LONGEST_COMMAND = 20, 50, 1_000
# A fence in the body holds settings if its heading, or its own first comment, says so.
SETTINGS_TITLE = re.compile(r"\b(?:settings?|configuration|config|loop|mode|ci)\b", re.I)
SAMPLE_TITLE = re.compile(r"\b(?:examples?|samples?|template)\b", re.I)


class GsdConfig(Record):
    """The settings. `problems` names the values that are not usable; their defaults apply."""

    mode: str = ""  # interactive, yolo, or not set
    auto_loop: bool = True
    retries: int = 3
    rounds: int = 20
    commands: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()


def read(text: str) -> GsdConfig:
    """The settings in the text of a config.md."""
    if not is_small_enough(text):
        size = f"{MAX_CHARS} letters or {MAX_LINES} lines"
        return GsdConfig(problems=(f"config.md has more than {size}; the defaults are used",))
    sources = _settings_sources(text)
    usual, problems = GsdConfig(), list[str]()
    retries, rounds, auto = (_first_value(sources, "loop", key) for key in LOOP_KEYS)
    retries_name, rounds_name, auto_name = (f"loop.{key}" for key in LOOP_KEYS)
    commands = {name: _first_value(sources, "ci", name) for name in CI_KEYS}
    return GsdConfig(
        mode=_read_mode(_first_value(sources, "mode"), problems),
        auto_loop=_read_flag(auto, auto_name, usual.auto_loop, problems),
        retries=_read_number(retries, retries_name, usual.retries, MAX_RETRIES, problems),
        rounds=_read_number(rounds, rounds_name, usual.rounds, MAX_ROUNDS, problems),
        commands=_read_commands(commands, problems),
        problems=tuple(problems),
    )


def _settings_sources(text: str) -> list[YamlNode]:
    """The front matter, then maps at the left edge of the body, then fences with settings."""
    maps = (find_key(text, "loop", LOOP_KEYS), find_key(text, "ci", CI_KEYS))
    return [
        front_matter_map(text),
        YamlNode(MAP, pairs=tuple(filter(None, maps))),
        *_settings_in_fences(text),
    ]


def _first_value(sources: list[YamlNode], *path: str) -> YamlNode:
    """The value at the path in the first source that has one."""
    for node in sources:
        for key in path:
            node = node.get(key)
        if not node.is_null:
            return node
    return YamlNode()


def _settings_in_fences(text: str) -> list[YamlNode]:
    """The fences whose heading or first comment says that they are settings, and not a sample."""
    start = body_start(text)
    code = code_fences(text, start)
    starts = {fence.start: fence for fence in code}
    sources: list[YamlNode] = []
    title = ""
    for row in LINE.finditer(text, start):
        line = row.group()
        is_heading_or_comment = line.startswith("#")
        fence = starts.get(row.start())
        if is_heading_or_comment and not is_in_code_fence(row.start(), code):
            title = line
        elif fence and fence.info in ("yaml", "yml"):
            name = f"{title} {line}" if is_heading_or_comment else title
            if SETTINGS_TITLE.search(name) and not SAMPLE_TITLE.search(name):
                pairs = YamlText(text, fence.start, fence.stop).pairs()
                sources.append(YamlNode(MAP, pairs=pairs))
    return sources


def _read_mode(node: YamlNode, problems: list[str]) -> str:
    word = node.text.strip().lower()
    if word in (INTERACTIVE, YOLO):
        return word
    wrong = f"but only {INTERACTIVE} and {YOLO} are known; it is as if none were set"
    _note_problem(node, "mode", wrong, problems)
    return ""


def _read_flag(node: YamlNode, name: str, usual: bool, problems: list[str]) -> bool:
    if node.flag is not None:
        return node.flag
    wrong = f"which is neither true nor false; {str(usual).lower()} is used"
    _note_problem(node, name, wrong, problems)
    return usual


def _read_number(node: YamlNode, name: str, usual: int, most: int, problems: list[str]) -> int:
    if node.number is not None and node.number <= most:
        return node.number
    wrong = f"which is no number from 0 to {most}; {usual} is used"
    _note_problem(node, name, wrong, problems)
    return usual


def _note_problem(node: YamlNode, name: str, wrong: str, problems: list[str]) -> None:
    """Say that this value is not used. One that is not there has its default in silence."""
    if not node.is_null:
        value = repr(single_line(node.text, 60)) if node.kind in (WORD, TEXT) else f"a {node.kind}"
        problems.append(f"{name} is {value}, {wrong}")


def _read_commands(ci: dict[str, YamlNode], problems: list[str]) -> tuple[tuple[str, str], ...]:
    """The commands in the order in which they run."""
    commands = []
    for name, node in ci.items():
        if _is_no_command(node):
            continue
        if _is_command(node):
            commands.append((name, node.text.strip()))
        else:
            _note_problem(node, f"ci.{name}", "which is no command; it is left out", problems)
    return tuple(commands)


def _is_no_command(node: YamlNode) -> bool:
    """null, none and false say that there is no command."""
    if node.is_null:
        return True
    return node.kind == WORD and (node.flag is False or node.text.strip().lower() == "none")


def _is_command(node: YamlNode) -> bool:
    if node.kind == WORD and node.flag:
        return False
    return node.kind in (WORD, TEXT) and 0 < len(node.text.strip()) <= LONGEST_COMMAND
