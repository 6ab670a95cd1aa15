"""The files of the project at the baseline and now: those that changed, and the others on disk."""

from __future__ import annotations

from functools import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..repo.baseline import Change

    Sides = Mapping[str, tuple[str | None, str | None]]  # path → text at the start and at the end


class ProjectFiles:
    """Reads any file of the project as it was at the baseline, or as it is now."""

    def __init__(
        self,
        changes: Sequence[Change],
        read_unchanged: Callable[[str], str | None] | None = None,
        list_paths: Callable[[], Iterable[str]] | None = None,
    ) -> None:
        self.changes = {change.path: change for change in changes}
        self.read_unchanged = read_unchanged or (lambda path: None)
        self.can_list = list_paths is not None
        self._list_paths = list_paths or (lambda: ())

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
