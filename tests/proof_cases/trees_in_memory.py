"""Two trees in memory instead of git, for the rules that compare whole trees.

These rules ask git through four functions of `drive/room_changes.py`; here they are answered from
dictionaries. All that the catalogue knows about the inside of that module is in this file.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from unittest.mock import patch

from loopwright.core.findings import Finding
from loopwright.drive import room_changes

Tree = Mapping[str, str]
BASELINE, END = "baseline", "end"


def findings_of_trees(before: Tree, after: Tree, check: str) -> list[Finding]:
    """What the rules say that see the whole change and the tests of the start."""
    trees = SimpleNamespace(root="", loop_path="", baseline=BASELINE)
    with _git_of({BASELINE: before, END: after}):
        compare = room_changes._compare_trees.__wrapped__  # without its cache
        return list(compare(trees, END, (), (check,)).product_findings)


@contextmanager
def _git_of(trees: Mapping[str, Tree]) -> Iterator[None]:
    def tree_changes(_root: str, _path: str, base: str, end: str) -> list[tuple[str, str, str]]:
        before, after = trees[base], trees[end]
        rows = []
        for name in sorted(before.keys() | after.keys()):
            status = "A" if name not in before else "D" if name not in after else "M"
            if before.get(name) != after.get(name):
                rows.append((name, status, "100644"))
        return rows

    def file_contents(
        _root: str, _path: str, tree: str, paths: Sequence[str], _limit: int = 0
    ) -> dict[str, bytes]:
        return {name: trees[tree][name].encode() for name in paths if name in trees[tree]}

    def git_grep(_root: str, *words: str) -> tuple[int, bytes]:
        wanted = [words[place + 1] for place, word in enumerate(words) if word == "-e"]
        patterns = {word: re.compile(rf"(?<!\w){re.escape(word)}(?!\w)") for word in wanted}
        rows = [
            f"{BASELINE}:{name}\0{word}"
            for name, text in trees[BASELINE].items()
            for word, pattern in patterns.items()
            if pattern.search(text)
        ]
        return 0, "\n".join(rows).encode()

    def tracked_files(_root: str, tree: str) -> frozenset[str]:
        return frozenset(trees[tree])

    with ExitStack() as stack:
        for place, name, answer in (
            (room_changes.kept_trees, "tree_changes", tree_changes),
            (room_changes.kept_trees, "file_contents", file_contents),
            (room_changes, "ask_user_git", git_grep),
            (room_changes, "tracked_files", tracked_files),
        ):
            stack.enter_context(patch.object(place, name, answer))
        yield
