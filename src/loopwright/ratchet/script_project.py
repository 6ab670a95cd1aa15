"""The scripts of a project at the baseline, and which of them its test runner loads.

Modules that the runner loads, and that no test asks for, belong to the surroundings.
"""

from __future__ import annotations

import posixpath
from functools import cached_property

from ..checks.code_files import SCRIPT_SUFFIXES
from ..checks.script_imports import imports_reached
from ..checks.surroundings import surrounding_kind
from ..checks.test_files import HELPER, TEST
from .settings_rules.runner_modules import (
    is_runner_settings,
    loaded_modules,
    modules_of_command,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ..checks.script_imports import ReadFiles

    Rows = dict[str, tuple[str | None, str | None]]  # path → text at the baseline and at the end

READ_SUFFIXES = (*SCRIPT_SUFFIXES, ".json")
MAX_SETTINGS = 300  # files; a large workspace has one package.json for each package


class ScriptProject:
    """The scripts of a project at the baseline: its settings, its tests and their imports."""

    def __init__(
        self,
        list_files: Callable[[], Iterable[str]],
        read_files: ReadFiles,
        commands: tuple[str | tuple[str, ...], ...] = (),
        programs: frozenset[str] = frozenset(),
    ) -> None:
        self.list_files = list_files
        self.read_files = read_files
        self.lines = [line if isinstance(line, str) else " ".join(line) for line in commands]
        self.programs = programs  # files that the commands run

    def read_programs(self) -> list[str]:
        """The texts of the files that the commands run, in every language."""
        return list(self.read_files(sorted(self.programs)).values())

    def kinds(self, rows: Rows, kind_of: dict[str, str]) -> dict[str, str]:
        """HELPER for each changed file of the product that the runner loads, and no test."""
        product = [path for path in rows if path.endswith(READ_SUFFIXES) and not kind_of[path]]
        changed = [path for path in product if rows[path][0] is not None]
        if not changed:
            return {}
        loaded = [path for path in changed if path in self.modules_of_runner]
        return {path: HELPER for path in loaded if path not in self.imports_of_tests}

    @cached_property
    def files(self) -> frozenset[str]:
        return frozenset(self.list_files())

    @cached_property
    def settings(self) -> Mapping[str, str]:
        paths = [path for path in sorted(self.files, key=len) if is_runner_settings(path)]
        return self.read_files([path for path in paths if not _is_installed(path)][:MAX_SETTINGS])

    @cached_property
    def modules_of_runner(self) -> frozenset[str]:
        starts = {posixpath.normpath(m) for line in self.lines for m in modules_of_command(line)}
        for path, text in self.settings.items():
            starts |= {*loaded_modules(path, text, self.files)}
        return frozenset(imports_reached(starts, self.files, self.read_files, {})) - {
            *self.settings
        }

    @cached_property
    def imports_of_tests(self) -> dict[str, list[str]]:
        packages = {p: text for p, text in self.settings.items() if p.endswith("package.json")}
        tests = [path for path in sorted(self.files) if _is_test(path)]
        return imports_reached(tests, self.files, self.read_files, packages)


def _is_test(path: str) -> bool:
    if not path.endswith(SCRIPT_SUFFIXES) or _is_installed(path):
        return False
    return surrounding_kind(path, None, None) in (TEST, HELPER)


def _is_installed(path: str) -> bool:
    return "node_modules/" in path
