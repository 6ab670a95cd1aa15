"""Pairs for the ratchet: a sentence, then `=== before PATH` and `=== after PATH`, each with the whole file."""

from __future__ import annotations

from pathlib import Path

from loopwright.verify.ratchet.suite import Change

FOLDER = Path(__file__).resolve().parent.parent / "verify" / "pairs"


def known() -> list[Path]:
    """Those that the rules were written for."""
    return sorted(FOLDER.glob("*/known/*.txt"))


def changes(path: Path) -> list[Change]:
    sides: dict[str, dict[str, str]] = {}
    for part in path.read_text(encoding="utf-8").split("\n=== ")[1:]:
        head, _, body = part.partition("\n")
        side, _, name = head.partition(" ")
        sides.setdefault(name.strip(), {})[side] = body.rstrip("\n") + "\n"
    return [Change(name, given.get("before"), given.get("after")) for name, given in sides.items()]
