"""Tests and settings that were not committed when the loop started, as the last commit has them.

People edit tests before they start, and so may an agent that starts its own loop. The replay also
runs with the committed version, and a difference is a question.
"""

from __future__ import annotations

from ..checks.surroundings import GRAVE_KINDS, is_surrounding_file, surrounding_kind
from ..checks.test_files import TEST
from ..core.loop import Loop
from ..core.record import Record
from ..ratchet.readers.inner_tests import SUFFIXES, compare_inner_tests
from ..repo import kept_trees
from ..repo.baseline import MAX_BYTES
from ..repo.walk import EXCLUDED, is_excluded
from ..store.folder import LoopFolder
from .baseline_files import BaselineFiles, decode_text
from .changes import commands_of, runs_examples_of
from .overlay import Layer
from .trees import room_trees

LARGE_FILE = "version https://git-lfs."  # what git has in place of a file of git-lfs
MAX_FILES = 500  # not committed at the start, whose names the journal keeps


class Committed(Record):
    """The last commit before the start, and what of it takes the place of files of the start."""

    commit: str = ""
    layers: tuple[Layer, ...] = ()
    tests: tuple[tuple[str, str], ...] = ()  # test files of them: path, and text in the commit

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(layer.path for layer in self.layers)


def files_with_tests(paths: tuple[str, ...], volatile: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the paths that may hold tests, or decide how tests run."""
    known = [path for path in paths if not is_excluded(path, (*EXCLUDED, *volatile))]
    found = [path for path in known if is_surrounding_file(path) or path.endswith(SUFFIXES)]
    return tuple(found[:MAX_FILES])


def committed_surroundings(folder: LoopFolder, loop: Loop, end: str) -> Committed:
    """What the replay takes from the last commit; nothing if all was committed at the start."""
    may_change = loop.room.may_change
    names = [name for name in loop.baseline.uncommitted_files if not is_excluded(name, may_change)]
    if not names:
        return Committed()
    trees = room_trees(folder, loop)
    commit = kept_trees.parent_of_commit(trees.root, trees.baseline)
    if not commit:
        return Committed()
    kept_trees.require_intact(trees.root, trees.loop_path, commit, names)

    def read_files(tree: str) -> dict[str, str | None]:
        contents = kept_trees.file_contents(trees.root, trees.loop_path, tree, names, MAX_BYTES)
        return {name: decode_text(contents.get(name)) for name in names}

    before, after, final = map(read_files, (commit, trees.baseline, end))
    start = BaselineFiles(trees, commands_of(loop))
    named = start.programs
    with_examples = runs_examples_of(start, {n: (before[n], after[n]) for n in names})
    layers, tests = [], []
    for name in names:
        old, new, last = before[name], after[name], final[name]
        kind = surrounding_kind(name, old, new, named)
        if old == new or (old or "").startswith(LARGE_FILE):
            continue
        if kind:
            # Without a new test or program of a check nothing could run; it takes nothing away.
            if old is None and (kind not in GRAVE_KINDS or name in named):
                continue
            layers.append(Layer(name, old or "", last or ""))
            tests += [(name, old or "")] if kind == TEST else []
        elif None not in (old, new, last):
            inner = compare_inner_tests(name, old or "", new or "", with_examples)
            layer = Layer(name, old or "", last or "", True, with_examples)
            if inner.is_changed and not inner.is_kept and layer.mixed_text is not None:
                layers.append(layer)
                tests.append((name, inner.baseline_text))
    return Committed(commit, tuple(layers), tuple(tests))
