"""The checks that a project starts by a task runner: make, just, task, pdm, hatch, tox, nox."""

from __future__ import annotations

import shlex

from ... import lazy_re as re
from ...formats.flat_settings import yaml_outline
from ..commands import CHECK_TOOL, KINDS, MAKE_TARGET, Command
from .folder import ProjectFolder, Way, is_on_path
from .python_environment import environments
from .script_names import KIND_OF, Script, script_ways

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

RECIPE_FILES = {  # program → the files in which it finds its tasks
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "just": ("justfile", "Justfile", ".justfile"),
}
TASK_FILES = ("Taskfile.yml", "Taskfile.yaml")
# The table of pyproject.toml with scripts, and the command that runs one.
SCRIPT_TABLES = {
    "tool.pdm.scripts": "pdm run",
    "tool.hatch.envs.default.scripts": "hatch run",
    "tool.poe.tasks": "poe",
    "tool.taskipy.tasks": "task",
}
NOX_SESSION = re.compile(
    r"^@(?:nox|nox_poetry)?\.?session(?:\(((?:[^()]|\([^()]*\))*)\))?\s*\n"
    r"(?:@[^\n]*\n)*def (\w+)\(.*\n((?:(?!@|def )[^\n]*\n?)*)",
    re.M,
)
NOX_NAME = re.compile(r"\bname\s*=\s*[\"']([^\"']+)[\"']")
QUOTED = re.compile(r"[\"']([\w.-]+)[\"']")
PUBLISHES = re.compile(r"release|publish|docs?|build|bench\w*|cov(?:erage)?")


def task_ways(folder: ProjectFolder) -> list[Way]:
    """The ways by task runners, those that serve every language first."""
    ways: list[Way] = []
    for program, files in RECIPE_FILES.items():
        if file := folder.first_of(*files):
            scripts = _recipes(folder, file)
            ways += _without_build(scripts, program)
    if file := folder.first_of(*TASK_FILES):
        ways += _without_build(_tasks(folder, file), "task")
    for table, program in SCRIPT_TABLES.items():
        ways += _table_ways(folder, table, program)
    return [*ways, *_tox_ways(folder), *_nox_ways(folder)]


def tool_ways(folder: ProjectFolder, tool: str, criterion: str) -> list[Way]:
    """The environments of tox and the sessions of nox that run this tool."""
    ways = []
    for environment, command in _tox_commands(folder):
        if command.words[0].partition(" ")[0] == tool:
            ways.append(_tox_way(criterion, environment))
    for session, words in _nox_sessions(folder):
        if tool in words:
            ways.append(_nox_way(criterion, session))
    return ways


def _without_build(scripts: list[Script], program: str) -> list[Way]:
    """Their `build` makes packages and images, and writes wherever it likes."""
    ways = script_ways(scripts, lambda name: f"{program} {name}", is_on_path(program))
    return [way for way in ways if way.criterion != "build succeeds"]


def _recipes(folder: ProjectFolder, file: str) -> list[Script]:
    """The targets of make and the recipes of just that can be called by their name alone."""
    text = folder.text(file)
    commands = folder.commands(file)
    phony = " ".join(re.findall(r"^\.PHONY\s*:([^\n]*(?:\\\n[^\n]*)*)", text, re.M))
    scripts: dict[str, Script] = {}
    for line in text.replace("\\\n", " ").split("\n"):
        target = MAKE_TARGET.match(line)
        if not target or target[1].startswith(".") or _needs_values(line, target[1]):
            continue
        own = tuple(command for command in commands if command.entry == target[1])
        is_file = folder.has(target[1]) and target[1] not in phony.split()
        if "just" in file.lower() or not is_file:  # make is done where a folder has the name
            scripts.setdefault(target[1], Script(target[1], "", own))
    return list(scripts.values())


def _needs_values(line: str, name: str) -> bool:
    """Does a recipe of just ask for a value that has no default?"""
    parameters = line.removeprefix("@").removeprefix(name).partition(":")[0].split()
    return any(word[0] not in "*" and "=" not in word and word != "%" for word in parameters)


def _tasks(folder: ProjectFolder, file: str) -> list[Script]:
    """The tasks of a Taskfile."""
    outline = yaml_outline(folder.text(file))
    names = dict.fromkeys(keys[1] for keys, _, _ in outline if keys[:1] == ("tasks",) and keys[1:])
    commands = folder.commands(file)
    return [Script(n, "", tuple(c for c in commands if c.entry.endswith(f"/{n}"))) for n in names]


def _table_ways(folder: ProjectFolder, table: str, program: str) -> list[Way]:
    scripts = folder.table("pyproject.toml", table) or {}
    # pdm and hatch choose the environment; the others are programs inside of it.
    words, is_possible = program, is_on_path(program.split()[0])
    if " " not in program and (launch := next(environments(folder), None)):
        words, is_possible = launch.tool_command(program), launch.has_tool(program)
    named = [Script(name, str(text)) for name, text in scripts.items() if name != "build"]
    return script_ways(named, lambda name: f"{words} {name}", is_possible)


def _tox_ways(folder: ProjectFolder) -> list[Way]:
    ways: dict[str, Way] = {}
    for environment, command in _tox_commands(folder):
        criterion = KIND_OF.get(command.kind)
        if criterion and not PUBLISHES.fullmatch(environment):
            ways.setdefault(criterion, _tox_way(criterion, environment))
    return list(ways.values())


def _tox_way(criterion: str, environment: str) -> Way:
    return Way(criterion, f"tox -q -e {shlex.quote(environment)}", is_on_path("tox"))


def _tox_commands(folder: ProjectFolder) -> Iterator[tuple[str, Command]]:
    """The commands of tox, each with the environment that runs it; `py` is the present Python."""
    file = folder.first_of("tox.ini", "tox.toml")
    for command in folder.commands(file) if file else ():
        name = command.entry.removesuffix(".commands").removeprefix("testenv")
        name = name.removeprefix(":") or "py"
        if re.fullmatch(r"[\w.-]+", name):
            yield name, command


def _nox_ways(folder: ProjectFolder) -> list[Way]:
    ways: dict[str, Way] = {}
    for session, words in _nox_sessions(folder):
        matches = filter(None, map(CHECK_TOOL.fullmatch, words))
        kinds = [KINDS[(match.lastindex or 1) - 1] for match in matches]
        criterion = next((KIND_OF[kind] for kind in kinds if kind in KIND_OF), "")
        if criterion and not PUBLISHES.fullmatch(session):
            ways.setdefault(criterion, _nox_way(criterion, session))
    return list(ways.values())


def _nox_way(criterion: str, session: str) -> Way:
    return Way(criterion, f"nox -s {shlex.quote(session)}", is_on_path("nox"))


def _nox_sessions(folder: ProjectFolder) -> Iterator[tuple[str, list[str]]]:
    """The sessions of nox, each with the words in quotes that it runs."""
    for options, function, body in NOX_SESSION.findall(folder.text("noxfile.py")):
        name = NOX_NAME.search(options)
        runs = [line for line in body.split("\n") if ".install(" not in line]
        yield (name[1] if name else function), QUOTED.findall("\n".join(runs))
