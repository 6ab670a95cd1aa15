"""The checks that a project starts by a task runner: make, just, task, pdm, hatch, tox, nox."""

from __future__ import annotations

import os

from ... import lazy_re as re
from ...formats.flat_settings import yaml_outline
from ..commands import MAKE_TARGET
from .folder import ProjectFolder, Way, is_on_path
from .python_environment import environments
from .script_names import PLAIN_NAME, Script, script_ways
from .tox_and_nox import nox_ways, tox_ways

RECIPE_FILES = {  # program → the files in which it finds its tasks
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "just": ("justfile", "Justfile", ".justfile"),
}
TASK_FILES = ("Taskfile.yml", "Taskfile.yaml")
PROGRAM_FOLDERS = ("scripts", "script")
# The table of pyproject.toml with scripts, and the command that runs one.
TEST_RUNNERS = (  # scripts that run all tests
    *("test/run.sh", "tests/run.sh", "test/run_tests.sh", "tests/run_tests.sh"),
    *("test.sh", "run_tests.sh", "run-tests.sh", "runtests.sh"),
)
SCRIPT_TABLES = {
    "tool.pdm.scripts": "pdm run",
    "tool.hatch.envs.default.scripts": "hatch run",
    "tool.poe.tasks": "poe",
    "tool.taskipy.tasks": "task",
}


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
    return [
        *ways,
        *_hatch_ways(folder),
        *_program_ways(folder),
        *tox_ways(folder),
        *nox_ways(folder),
    ]


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
    scripts = folder.table("pyproject.toml", table)
    if not scripts:
        return []
    # pdm and hatch choose the environment; the others are programs inside of it.
    words, is_possible = program, is_on_path(program.split()[0])
    if " " not in program and (launch := next(environments(folder), None)):
        words, is_possible = launch.tool_command(program), launch.has_tool(program)
    named = [Script(name, str(text)) for name, text in scripts.items() if name != "build"]
    return script_ways(named, lambda name: f"{words} {name}", is_possible)


def _hatch_ways(folder: ProjectFolder) -> list[Way]:
    """`hatch test`, where the project says how hatch is to test it."""
    tables = (("hatch.toml", "envs.hatch-test"), ("pyproject.toml", "tool.hatch.envs.hatch-test"))
    if all(folder.table(file, table) is None for file, table in tables):
        return []
    return [Way("tests pass", "hatch test", is_on_path("hatch"))]


def _program_ways(folder: ProjectFolder) -> list[Way]:
    """The programs of the project itself that are named after a check, such as scripts/test."""
    paths = {
        os.path.splitext(name)[0]: f"{place}/{name}"
        for place in reversed(PROGRAM_FOLDERS)
        for name in folder.names_in(place)
        if PLAIN_NAME.fullmatch(name) and folder.text(f"{place}/{name}").startswith("#!")
    }
    scripts = [Script(name, folder.text(p), folder.commands(p)) for name, p in paths.items()]
    ways = script_ways(scripts, lambda name: paths[name], True)
    ways = [way for way in ways if way.criterion != "build succeeds"]
    runner = folder.first_of(*TEST_RUNNERS)
    if runner and folder.text(runner).startswith("#!"):
        is_executable = os.access(os.path.join(folder.path, runner), os.X_OK)
        ways.append(Way("tests pass", f"./{runner}" if is_executable else f"sh {runner}"))
    return ways
