"""The repository's own test, lint, type and build commands, detected from its files.

These conventional commands may run without `loop allow`. What the project says comes first: its
environments, lock files, scripts and task runners. A program of the PATH comes last, and only if
the project names it.
"""

from __future__ import annotations

import os
import shlex
from itertools import chain
from typing import NamedTuple

from ...core.criteria import Check, OfferedCheck
from ...core.start.binding import CHECK_KINDS
from .conventions import GO_PACKAGES, convention_ways
from .folder import ProjectFolder, Way
from .node import node_ways, workspace_command
from .packages import package_folders
from .python_ways import python_ways
from .task_runners import task_ways

CRITERION_NAMES = tuple(CHECK_KINDS.values())
PROJECT_FILES = (
    *("pyproject.toml", "pytest.ini", "setup.py", "setup.cfg", "tox.ini", "noxfile.py"),
    *("package.json", "deno.json", "Cargo.toml", "go.mod", "go.work", "Makefile", "justfile"),
)
MAX_OFFERS = 8
# Why a way is offered.
NOT_INSTALLED = "the project names it, but its program is not installed"
OTHER_LANGUAGE = "another language of this project"
PACKAGE, EVERY_PACKAGE = "a package of this repository", "every package of this workspace"


class RepositoryChecks(NamedTuple):
    """What was found: the checks that run, and those that a person may choose."""

    checks: dict[str, Check]
    offers: tuple[OfferedCheck, ...] = ()


def repository_checks(root: str, timeout: int = 300, start: str = "") -> dict[str, Check]:
    """Criterion name → the check of this repository, for a person who works in `start`."""
    return found_checks(root, timeout, start).checks


def found_checks(root: str, timeout: int = 300, start: str = "") -> RepositoryChecks:
    """The checks of this repository, and what is offered beside them.

    The nearest project folder from `start` up to `root` wins. A folder without a project file, such
    as tests/, counts only where no project folder above it has the check.
    """
    chosen: dict[str, str] = {}
    offers: list[OfferedCheck] = []
    folders = [ProjectFolder(path, root) for path in _folders_between(start or root, root)]
    projects = [place for place in folders if place.path == root or _is_project(place)]
    others = [place for place in reversed(folders) if place not in projects]
    for place in (*projects, *others):
        commands, beside = _folder_commands(place)
        for name, command in commands.items():
            chosen.setdefault(name, _command_in(place.path, root, command))
        offers += [
            offer.but(command=_command_in(place.path, root, offer.command)) for offer in beside
        ]
    if folders[0].path == root:
        offers += _package_offers(folders[0], chosen)
    checks = {
        name: Check(chosen[name], timeout, origin="detected")
        for name in CRITERION_NAMES
        if name in chosen
    }
    return RepositoryChecks(checks, tuple(offers[:MAX_OFFERS]))


def _folders_between(start: str, root: str) -> list[str]:
    """The folders from `start` up to `root`, which is the last."""
    inside = os.path.relpath(os.path.realpath(start), os.path.realpath(root))
    if inside.startswith(os.pardir):
        return [root]
    parts = [] if inside == os.curdir else inside.split(os.sep)
    return [os.path.join(root, *parts[:depth]) for depth in range(len(parts), 0, -1)] + [root]


def _is_project(folder: ProjectFolder) -> bool:
    return any(os.path.isfile(os.path.join(folder.path, name)) for name in PROJECT_FILES)


def _folder_commands(folder: ProjectFolder) -> tuple[dict[str, str], list[OfferedCheck]]:
    """The command for each criterion, and the ways that are worth knowing beside it."""
    tasks, python = task_ways(folder), python_ways(folder)
    languages = [node_ways(folder), *convention_ways(folder)]
    commands: dict[str, str] = {}
    offers: list[OfferedCheck] = []
    for criterion in CRITERION_NAMES:
        found = _Found(
            own=_of(criterion, python.own),
            tasks=_of(criterion, tasks),
            on_path=_of(criterion, python.on_path),
            languages=[_of(criterion, ways) for ways in languages],
            is_python=python.is_declared,
        )
        if chosen := found.chosen:
            commands[criterion] = chosen.command
        offers += [OfferedCheck(criterion, way.command, way.reason) for way in found.offers]
    return commands, offers


def _of(criterion: str, ways: list[Way]) -> list[Way]:
    return [way for way in ways if way.criterion == criterion]


class _Found(NamedTuple):
    """The ways of one folder to run one check."""

    own: list[Way]  # in the environment of a Python project
    tasks: list[Way]
    on_path: list[Way]  # of tools that a Python project names
    languages: list[list[Way]]  # the others
    is_python: bool

    @property
    def answers(self) -> list[Way]:
        """The best way of each language. Scripts beside another project make no Python project."""
        python = [*self.own, *self.tasks] if self.own or self.on_path else []
        # What the project does in its own way, such as all hooks of pre-commit, no PATH replaces.
        if not any(way.reason for way in python):
            python += self.on_path
        groups = [python, *self.languages] if self.is_python else [*self.languages, python]
        return list(filter(None, map(_best, groups)))

    @property
    def chosen(self) -> Way | None:
        """A task runner speaks for a project of several languages, and where no language does."""
        answers, task = self.answers, _best(self.tasks)
        return task if task and len(answers) != 1 else next(iter(answers), None)

    @property
    def offers(self) -> list[Way]:
        chosen = self.chosen
        if not chosen:
            every = [*self.own, *self.tasks, *self.on_path, *chain(*self.languages)]
            return [way for way in every if way.reason][:1]
        offers = []
        if chosen in self.on_path:
            missing = [way for way in (*self.own, *self.tasks) if not way.is_possible][:1]
            offers += [way._replace(reason=NOT_INSTALLED) for way in missing]
        if chosen not in self.tasks:
            others = [way for way in self.answers if way != chosen]
            offers += [way._replace(reason=OTHER_LANGUAGE) for way in others]
        return offers


def _best(ways: list[Way]) -> Way | None:
    """The first way whose program is there, else the first; never one that rewrites files."""
    usable = [way for way in ways if not way.reason]
    return next((way for way in usable if way.is_possible), usable[0] if usable else None)


def _package_offers(root: ProjectFolder, chosen: dict[str, str]) -> list[OfferedCheck]:
    """The checks of the packages that no check at the top of the checkout runs."""
    offers: list[OfferedCheck] = []
    for package in package_folders(root):
        for criterion, command in _folder_commands(package)[0].items():
            # A module of go inside of another one does not belong to `./...` of the outer one.
            is_module = command == chosen.get(criterion) == f"go test {GO_PACKAGES}"
            if criterion not in chosen or is_module:
                inside = _command_in(package.path, root.path, command)
                offers.append(OfferedCheck(criterion, inside, PACKAGE))
    for criterion, script in (("tests pass", "test"), ("lint clean", "lint")):
        has_script = any(f" run {script}" in offer.command for offer in offers)
        if has_script and (command := workspace_command(root, script)):
            offers.insert(0, OfferedCheck(criterion, command, EVERY_PACKAGE))
    return sorted(offers, key=lambda offer: CRITERION_NAMES.index(offer.name))


def _command_in(folder: str, root: str, command: str) -> str:
    """The command as it runs from the top of the checkout, where every check begins."""
    if folder == root:
        return command
    path = os.path.relpath(folder, root).replace(os.sep, "/")
    return f"cd {shlex.quote(path)} && {command}"
