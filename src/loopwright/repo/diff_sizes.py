"""How much two trees differ: which files, and how many lines were added and removed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from tempfile import NamedTemporaryFile

from ..disk.temporary import own_prefix
from .plumbing import run_git


def diff_sizes(
    root: str, loop_path: str, pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], tuple[tuple[str, ...], int, int]]:
    """For pairs of trees, as git names them: changed files, lines added and removed.

    One call of git for all of them. A pair with a tree that is gone has no entry.
    """
    own = os.path.join(loop_path, "tree")
    wanted = sorted(set(pairs))
    if not wanted or not os.path.isdir(own):
        return {}
    with NamedTemporaryFile("w", prefix=own_prefix("trees"), encoding="ascii") as file:
        file.write("".join(f"{before} {after}\n" for before, after in wanted))
        file.flush()
        flags = ("-c", "core.quotePath=false", "diff-tree", "--stdin", "-r", "--no-renames")
        _, out = run_git(root, own, *flags, "--numstat", stdin=file.name)
    return _parse_sizes(out.decode("utf-8", "replace"), set(wanted))


def _parse_sizes(
    text: str, pairs: set[tuple[str, str]]
) -> dict[tuple[str, str], tuple[tuple[str, ...], int, int]]:
    sizes: dict[tuple[str, str], tuple[tuple[str, ...], int, int]] = {}
    pair = ("", "")
    for line in text.splitlines():
        added, tab, rest = line.partition("\t")
        if not tab:
            before, _, after = line.partition(" ")
            pair = (before, after)
            if pair in pairs:
                sizes[pair] = ((), 0, 0)
        elif pair in sizes:
            removed, _, path = rest.partition("\t")
            files, plus, minus = sizes[pair]
            # A binary file has dashes instead of numbers.
            counts = [int(count) if count.isdecimal() else 0 for count in (added, removed)]
            sizes[pair] = ((*files, path), plus + counts[0], minus + counts[1])
    return sizes
