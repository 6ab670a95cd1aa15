"""Files that a test finds in place: their folders are made for them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from loopwright.store.presets import user_files


def write_file(path: Path, content: str | bytes = "x = 1\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def write_files(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        write_file(root / name, text)


def write_presets(content: str | bytes, place: int = -1) -> Path:
    """Into one of the user's files: the seed's place is 0, ours is the last."""
    return write_file(Path(user_files()[place]), content)
