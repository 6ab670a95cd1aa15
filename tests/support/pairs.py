"""Pairs for the ratchet: a sentence, then `=== before PATH` and `=== after PATH`, each with the whole file."""

from __future__ import annotations

from pathlib import Path

from loopwright.repo.baseline import Change

FOLDER = Path(__file__).resolve().parent.parent / "ratchet" / "pairs"


def known_pairs(name: str = "*") -> list[Path]:
    """Those that the rules were written for, of one set or of all."""
    return sorted(FOLDER.glob(f"{name}/known/*.txt"))


def changes(path: Path) -> list[Change]:
    sides: dict[str, dict[str, str]] = {}
    for part in path.read_text(encoding="utf-8").split("\n=== ")[1:]:
        head, _, body = part.partition("\n")
        side, _, name = head.partition(" ")
        sides.setdefault(name.strip(), {})[side] = body.rstrip("\n") + "\n"
    return [Change(name, given.get("before"), given.get("after")) for name, given in sides.items()]


def sides(path: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The files of the start and those of now, by path."""
    given = changes(path)
    before = {change.path: change.before for change in given if change.before is not None}
    return before, {change.path: change.after for change in given if change.after is not None}
