"""The linters and type checkers of a Python project, run where the project keeps them."""

from __future__ import annotations

from typing import NamedTuple

from ... import lazy_re as re
from ...formats.flat_settings import yaml_outline
from .folder import ProjectFolder, Way, is_on_path
from .python_environment import environments, is_active
from .script_names import REWRITES
from .tox_and_nox import tool_ways

PRE_COMMIT_FILES = (".pre-commit-config.yaml", ".pre-commit-config.yml")


class Linter(NamedTuple):
    """A tool, how it is called on everything, and how a project names it."""

    tool: str
    criterion: str
    arguments: str
    files: tuple[str, ...]
    tables: tuple[tuple[str, str], ...]  # file and pattern of a section
    own_files: str = ""  # the settings that say what it looks at, so that it needs no path


LINTERS = (
    Linter(
        *("ruff", "lint clean", "check ."),
        files=("ruff.toml", ".ruff.toml"),
        tables=(("pyproject.toml", r"^\s*\[tool\.ruff\b"),),
    ),
    Linter(
        *("flake8", "lint clean", ""),
        files=(".flake8",),
        tables=(("setup.cfg", r"^\[flake8\]"), ("tox.ini", r"^\[flake8\]")),
    ),
    Linter(
        *("mypy", "no type errors", "."),
        files=("mypy.ini", ".mypy.ini"),
        tables=(("pyproject.toml", r"^\s*\[tool\.mypy\b"), ("setup.cfg", r"^\[mypy\]")),
        own_files=r"^\s*(?:files|packages|modules)\s*=",
    ),
    Linter(
        *("pyright", "no type errors", ""),
        files=("pyrightconfig.json",),
        tables=(("pyproject.toml", r"^\s*\[tool\.pyright\b"),),
    ),
)


def linter_ways(folder: ProjectFolder) -> tuple[list[Way], list[Way]]:
    """The ways of the linters that have settings: in the project's environment, and elsewhere."""
    ways = [_ways(folder, linter) for linter in LINTERS if _is_named(folder, linter)]
    return [way for own, _ in ways for way in own], [way for _, other in ways for way in other]


def _is_named(folder: ProjectFolder, linter: Linter) -> bool:
    if folder.first_of(*linter.files):
        return True
    return any(re.search(pattern, folder.text(file), re.M) for file, pattern in linter.tables)


def _ways(folder: ProjectFolder, linter: Linter) -> tuple[list[Way], list[Way]]:
    """In the project's environment; else where it lives (pre-commit, tox, nox), or by PATH."""
    tool, criterion = linter.tool, linter.criterion
    arguments = _arguments(folder, linter)
    own = [
        Way(criterion, f"{launch.tool_command(tool)}{arguments}")
        for launch in environments(folder)
        if launch.has_tool(tool)  # a lock file without the linter says that it lives elsewhere
    ]
    on_path = Way(criterion, f"{tool}{arguments}", is_on_path(tool))
    if is_active(tool):
        own.append(on_path)
    elsewhere = [*_pre_commit_ways(folder, linter), *tool_ways(folder, tool, criterion)]
    return own, elsewhere or [on_path]


def _arguments(folder: ProjectFolder, linter: Linter) -> str:
    """What the project's CI gives to the tool, else what its settings leave open."""
    name = " ".join((linter.tool, *re.findall(r"^check", linter.arguments)))
    for command in folder.ci_commands():
        paths = [word for word in command.words[1:] if word[:1] != "-"]
        is_plain = all(re.fullmatch(r"[\w./-]+", word) for word in command.words[1:])
        if command.words[0] == name and paths and is_plain and all(map(folder.has, paths)):
            return " ".join(("", *name.split()[1:], *command.words[1:]))
    settings = (*linter.files, *(file for file, _ in linter.tables))
    if linter.own_files and any(
        re.search(linter.own_files, folder.text(file), re.M) for file in settings
    ):
        return ""
    return f" {linter.arguments}".rstrip()


def _pre_commit_ways(folder: ProjectFolder, linter: Linter) -> list[Way]:
    """The hook of this linter. One that rewrites files is named, and never run."""
    file = folder.first_of(*PRE_COMMIT_FILES)
    outline = yaml_outline(folder.text(file)) if file else ()
    hooks: dict[tuple[str, ...], dict[str, str]] = {}
    for keys, value, _ in outline:
        if "hooks" in keys and len(keys) > (at := keys.index("hooks")) + 2:
            hook = hooks.setdefault(keys[: at + 2], {})
            hook[keys[at + 2]] = f"{hook.get(keys[at + 2], '')} {value}".strip()
    program = "prek" if is_on_path("prek") and not is_on_path("pre-commit") else "pre-commit"
    ways = []
    for hook in hooks.values():
        name = hook.get("id", "")
        if not re.fullmatch(rf"{linter.tool}(?:-check|-lint)?", name):
            continue
        rewriting = REWRITES.search(hook.get("args", ""))
        reason = f"the hook rewrites files ({rewriting[0].strip()})" if rewriting else ""
        command = f"{program} run {name} --all-files"
        ways.append(Way(linter.criterion, command, is_on_path(program), reason))
    return ways
