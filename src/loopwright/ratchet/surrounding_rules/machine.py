"""What was put around a project on this machine: programs, files and packages that checks load.

`verify` and `cleanroom` look at the machine. These rules judge what they saw.
"""

from __future__ import annotations

from typing import NamedTuple

from ...checks.surroundings import is_product_code
from ...core.findings import HIGH, MEDIUM, Finding
from ..project import new_lines
from ..settings_rules.new_packages import RUNNER_PLUGIN, is_package_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from ...repo.baseline import Change

# Folders of a project that may have the name of an installed package.
COMMON_FOLDERS = ("tests", "test", "docs", "examples", "scripts", "benchmarks", "tools")


class Program(NamedTuple):
    """A program that a check starts: its path at the start, and what it is now."""

    word: str
    before: str
    now: str


class LoadedFile(NamedTuple):
    """A file outside the tree that a check loads, and why."""

    path: str
    why: str
    digest: str


class NodePackage(NamedTuple):
    """A package in node_modules that was not there at the start."""

    path: str
    name: str
    has_preset: bool  # settings of a test runner that others take over


def find_replaced_programs(programs: Iterable[Program]) -> list[Finding]:
    """Programs that were changed, or that another one hides since the baseline."""
    changed = [program for program in programs if program.now != program.before]
    rule = "check-program-replaced"
    return [Finding(HIGH, rule, word, before=old, after=now) for word, old, now in changed]


def find_loaded_files(files: Iterable[LoadedFile], known: Mapping[str, str]) -> list[Finding]:
    """Files that a check loads and that are new or changed. `known` are the digests of the start.

    A changed time alone means nothing: package stores that use hard links (uv, pnpm) change it in
    every project at each install.
    """
    changed = [file for file in files if known.get(file.path) != file.digest]
    return [Finding(MEDIUM, "ignored-file-loaded", path, after=why) for path, why, _ in changed]


def find_node_plugins(packages: Iterable[NodePackage]) -> list[Finding]:
    """Plugins and presets of test runners that arrived in node_modules."""
    plugins = [one for one in packages if one.has_preset or RUNNER_PLUGIN.fullmatch(one.name)]
    after = "it is newly installed"
    return [Finding(MEDIUM, "runner-plugin-added", plugin.path, after=after) for plugin in plugins]


def find_locked_plugins(manifests: Sequence[str], packages: Sequence[str]) -> list[Finding]:
    """Packages of lock files that change how tests run; another rule reads the manifests."""
    locks = ", ".join(path for path in manifests if not is_package_list(path))
    plugins = [name for name in packages if RUNNER_PLUGIN.fullmatch(name)]
    return [Finding(MEDIUM, "runner-plugin-added", locks, after=name) for name in plugins]


def find_hidden_packages(
    changes: Sequence[Change], installed: Collection[str], start_folders: Iterable[str]
) -> Iterator[Finding]:
    """New modules at the top of the project that Python finds before an installed package."""
    tops = {"", "src", *start_folders}
    for path in (change.path for change in changes if change.before is None):
        module = path.removesuffix("/__init__.py").removesuffix(".py")
        folder, _, name = module.rpartition("/")
        is_module = path.endswith(".py") and folder in tops
        if is_module and name in installed and name not in COMMON_FOLDERS:
            yield Finding(MEDIUM, "module-shadowed", path, after=f"the installed package {name}")


def find_needs_outside(
    changes: Sequence[Change], look: Callable[[list[str]], Iterable[str]]
) -> Iterator[Finding]:
    """New product lines that name new things outside the project; `look` says which there are."""
    for change in changes:
        if change.after is None or not is_product_code(change):
            continue
        lines = [line for _, line in new_lines(change.before, change.after)]
        for what in dict.fromkeys(look(lines)):
            yield Finding(MEDIUM, "product-needs-outside", change.path, after=what)
