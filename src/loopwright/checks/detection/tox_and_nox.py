"""The environments of tox and the sessions of nox that check something."""

from __future__ import annotations

import shlex

from ... import lazy_re as re
from ..commands import CHECK_TOOL, KINDS, Command, commands_in
from .folder import ProjectFolder, Way, is_on_path
from .script_names import KIND_OF, rewriting_reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PRESENT = "py"  # the environment of tox for the Python that runs it
OTHER_VERSION = re.compile(r"(?:pypy|py)?\d[\d.]*(?:-.*)?|pypy.*")
# A line of commands that holds only for the environments with these words in their name.
FACTOR = re.compile(r"^(\s+|commands\s*=\s*)([\w.,!{}-]+):\s+")
NOX_SESSION = re.compile(
    r"^@(?:nox|nox_poetry)?\.?session(?:\(((?:[^()]|\([^()]*\))*)\))?\s*\n"
    r"(?:@[^\n]*\n)*def (\w+)\(.*\n((?:(?!@|def )[^\n]*\n?)*)",
    re.M,
)
NOX_NAME = re.compile(r"\bname\s*=\s*[\"']([^\"']+)[\"']")
QUOTED = re.compile(r"[\"']([\w.-]+)[\"']")
PUBLISHES = re.compile(r"release|publish|docs?|build|bench\w*|cov(?:erage)?")


def tox_ways(folder: ProjectFolder) -> list[Way]:
    """The first environment for each check, that of the present Python before the others."""
    commands = sorted(_tox_commands(folder), key=lambda pair: not _is_present(pair[0]))
    ways: dict[str, Way] = {}
    for environment, command in commands:
        criterion = KIND_OF.get(command.kind)
        if criterion and not PUBLISHES.fullmatch(environment):
            ways.setdefault(criterion, _tox_way(folder, criterion, environment))
    # What an environment without a name runs are the tests, also in words that we do not know.
    if commands and "tests pass" not in ways and commands[0][0] == PRESENT:
        ways["tests pass"] = _tox_way(folder, "tests pass", PRESENT)
    return list(ways.values())


def nox_ways(folder: ProjectFolder) -> list[Way]:
    """The first session for each check."""
    ways: dict[str, Way] = {}
    for session, words in _nox_sessions(folder):
        matches = filter(None, map(CHECK_TOOL.fullmatch, words))
        kinds = [KINDS[(match.lastindex or 1) - 1] for match in matches]
        criterion = next((KIND_OF[kind] for kind in kinds if kind in KIND_OF), "")
        if criterion and not PUBLISHES.fullmatch(session):
            ways.setdefault(criterion, _nox_way(criterion, session, words))
    return list(ways.values())


def tool_ways(folder: ProjectFolder, tool: str, criterion: str) -> list[Way]:
    """The environments of tox and the sessions of nox that run this tool."""
    ways = []
    for environment, command in _tox_commands(folder):
        if command.words[0].partition(" ")[0] == tool:
            ways.append(_tox_way(folder, criterion, environment))
    for session, words in _nox_sessions(folder):
        if tool in words:
            ways.append(_nox_way(criterion, session, words))
    return ways


def _tox_way(folder: ProjectFolder, criterion: str, environment: str) -> Way:
    commands = [command for name, command in _tox_commands(folder) if name == environment]
    line = f"tox -q -e {shlex.quote(environment)}"
    return Way(criterion, line, is_on_path("tox"), rewriting_reason("", commands))


def _is_present(environment: str) -> bool:
    return environment.partition("-")[0] == PRESENT


def _tox_commands(folder: ProjectFolder) -> Iterator[tuple[str, Command]]:
    """The commands of tox, each with an environment that runs it."""
    file = folder.first_of("tox.ini", "tox.toml")
    lines = folder.text(file).split("\n") if file else []
    plain = "\n".join(FACTOR.sub(r"\1", line) for line in lines)
    for command in commands_in(file, plain):
        name = command.entry.removesuffix(".commands").removeprefix("testenv").removeprefix(":")
        factor = FACTOR.match(lines[command.line - 1]) if command.line else None
        if not name:
            is_plain = factor and re.fullmatch(r"[\w.]+", factor[2])
            name = f"{PRESENT}-{factor[2]}" if factor and is_plain else PRESENT
        if re.fullmatch(r"[\w.-]+", name) and not OTHER_VERSION.fullmatch(name):
            yield name, command


def _nox_way(criterion: str, session: str, words: list[str]) -> Way:
    hooks = [Command("noxfile.py", session, 1, words=(word,)) for word in words]
    line = f"nox -s {shlex.quote(session)}"
    return Way(criterion, line, is_on_path("nox"), rewriting_reason(" ".join(words), hooks))


def _nox_sessions(folder: ProjectFolder) -> Iterator[tuple[str, list[str]]]:
    """The sessions of nox, each with the words in quotes that it runs."""
    for options, function, body in NOX_SESSION.findall(folder.text("noxfile.py")):
        name = NOX_NAME.search(options)
        runs = [line for line in body.split("\n") if ".install(" not in line]
        yield (name[1] if name else function), QUOTED.findall("\n".join(runs))
