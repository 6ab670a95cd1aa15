"""Which rows the board shows, and in which order. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..core.record import Record
from ..views.board_of_loops import NEEDS_YOU, OVER, QUEUED, WORKING, BoardRow

FILTERS = {"all": None, "needs you": NEEDS_YOU, "working": WORKING, "queued": QUEUED, "over": OVER}
# The rows come in the order of the board, and equal ones stay in it.
SORTS: dict[str, Callable[[BoardRow], object]] = {
    "what needs you": lambda row: 0,
    "newest change": lambda row: -row.changed_at,
    "cost": lambda row: -row.dollars,
    "project": lambda row: row.project.lower(),
}


class RowChoice(Record):
    """What a person has typed and chosen."""

    words: str = ""
    filter: str = "all"
    sort: str = "what needs you"

    def apply(self, rows: Iterable[BoardRow]) -> list[BoardRow]:
        key: Callable[[BoardRow], object] = SORTS[self.sort]
        return sorted(filter(self._matches, rows), key=key)  # type: ignore[arg-type]

    def _matches(self, row: BoardRow) -> bool:
        if FILTERS[self.filter] not in (None, row.group):
            return False
        job = f"{row.job.id} {row.job.name} {row.job.worker}" if row.job else ""
        text = f"{row.spec} {row.project} {row.root} {row.id} {row.state_text} {row.why} {job}"
        return all(word in text.lower() for word in self.words.lower().split())

    def next_filter(self) -> RowChoice:
        return self.but(filter=_next(list(FILTERS), self.filter))

    def next_sort(self) -> RowChoice:
        return self.but(sort=_next(list(SORTS), self.sort))

    @property
    def text(self) -> str:
        """What is not as it was at the start; "" if all is."""
        parts = [
            f"only {self.filter}" if self.filter != "all" else "",
            f"by {self.sort}" if self.sort != "what needs you" else "",
            f"with «{self.words}»" if self.words else "",
        ]
        return ", ".join(filter(None, parts))


def _next(names: list[str], name: str) -> str:
    return names[(names.index(name) + 1) % len(names)]
