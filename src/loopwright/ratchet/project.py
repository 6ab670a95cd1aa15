"""The project that the rules read: what changed, the other files, and what the checks reach."""

from __future__ import annotations

from functools import cached_property

from ..checks.reach import reach_of
from ..repo.baseline import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Protocol

    from ..checks.reach import Reach
    from ..checks.references import Sides

    Command = str | tuple[str, ...]

    class Baseline(Protocol):
        """The files of the start, with the kinds of those that changed since."""

        kind_of: Mapping[str, str]  # changed path → kind; "" for a file of the product

        def find_tests(self, words: set[str]) -> dict[str, str]:
            """The tests that contain one of the words: path and text."""
            ...


class Project:
    """Reads any file of the project as it was at the start, or as it is now."""

    def __init__(
        self,
        changes: Sequence[Change],
        read_unchanged: Callable[[str], str | None] | None = None,
        list_paths: Callable[[], Iterable[str]] | None = None,
        commands: Sequence[Command] = (),
        red_commands: Sequence[Command] = (),
        baseline: Baseline | None = None,
    ) -> None:
        self.changes = {change.path: change for change in changes}
        self.read_unchanged = read_unchanged or (lambda path: None)
        self.can_list = list_paths is not None
        self._list_paths = list_paths or (lambda: ())
        self.commands, self.red_commands = commands, red_commands
        self.baseline = baseline

    @cached_property
    def reach(self) -> Reach:
        """What the commands of the checks run and read."""
        return reach_of(self.commands, self.before)

    @cached_property
    def red_reach(self) -> Reach:
        """The same, of the checks that failed at the start."""
        return reach_of(self.red_commands, self.before)

    @cached_property
    def product(self) -> Sides:
        """Both texts of the changed files that are neither tests nor settings."""
        kinds = self.baseline.kind_of if self.baseline else {}
        changed = ((path, change) for path, change in self.changes.items() if kinds.get(path) == "")
        return {path: (change.before, change.after) for path, change in changed}

    def before(self, path: str) -> str | None:
        change = self.changes.get(path)
        return change.before if change else self._read_unchanged(path)

    def now(self, path: str) -> str | None:
        change = self.changes.get(path)
        return change.after if change else self._read_unchanged(path)

    @cached_property
    def paths(self) -> frozenset[str]:
        """Every file that there is now; none where nothing can list them."""
        changed = self.changes.values()
        there = {change.path for change in changed if change.after is not None}
        return frozenset({*self._list_paths(), *there} - (self.changes.keys() - there))

    @cached_property
    def paths_before(self) -> frozenset[str]:
        """Every file that there was at the baseline; none where nothing can list them."""
        changed = self.changes.values()
        there = {change.path for change in changed if change.before is not None}
        return frozenset({*self._list_paths(), *there} - (self.changes.keys() - there))

    def has_new_copy(self, text: str) -> bool:
        """Is a file with exactly this text new?"""
        changed = self.changes.values()
        return any(change.before is None and change.after == text for change in changed)

    def _read_unchanged(self, path: str) -> str | None:
        """None too if the path leads out of the project: `../../other`."""
        leads_out = path.startswith(("..", "/"))
        return None if leads_out else self.read_unchanged(path.removeprefix("./"))


def require_baseline(project: Project) -> Baseline:
    """The files of the start, for a rule that needs them."""
    if project.baseline is None:
        raise ValueError("this rule needs the files of the start")
    return project.baseline


def new_lines(
    before: str | None, after: str | None, comments: tuple[str, ...] = ("#", "//")
) -> list[tuple[int, str]]:
    """The lines that the file did not have, without comments, each with its number."""
    known = {line.strip() for line in (before or "").splitlines()}
    rows = enumerate((after or "").splitlines(), 1)
    stripped = ((number, line.strip()) for number, line in rows)
    return [
        (number, line)
        for number, line in stripped
        if line and line not in known and not line.startswith(comments)
    ]


def lost_lines(
    before: str | None, after: str | None, comments: tuple[str, ...] = ("#", "//")
) -> list[str]:
    """The lines that the file no longer has, without comments."""
    return [line for _, line in new_lines(after, before, comments)]
