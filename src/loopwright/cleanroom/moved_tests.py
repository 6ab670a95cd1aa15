"""Test files that only moved: the same text in another place, but for what names that place."""

from __future__ import annotations

import posixpath
from functools import lru_cache, partial

from .. import lazy_re as re
from ..checks.code_files import SCRIPT_SUFFIXES
from ..repo.user_repo import tracked_files
from .test_names import ChangedTests, belongs_to_changed
from .trees import room_trees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from .final_run import FinalRun
    from .findings import CheckRun

GO_PACKAGE = re.compile(r"(?m)^package \w+$")
# Folders in which `go test ./...` runs nothing.
GO_LEAVES_OUT = re.compile(r"(?:^|/)(?:testdata|vendor|[._][^/]*)/")
# The file beside it that a script imports.
IMPORTED = re.compile(
    r"(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*[\"'](?P<module>\.[^\"']*)[\"']"
)


def moved_test_files(final_run: FinalRun) -> frozenset[str]:
    root = room_trees(final_run.folder, final_run.loop).root
    files = lru_cache(maxsize=1)(partial(tracked_files, root, final_run.end))

    def is_gone(module: str) -> bool:
        """Is there no file of this module at the end, with or without its suffix?"""
        beside = (f"{module}.", f"{module}/")
        return bool(files()) and not any(p == module or p.startswith(beside) for p in files())

    return moved_tests(final_run.changes.texts, is_gone)


def fails_only_in(paths: Collection[str], final_run: FinalRun, run: CheckRun) -> bool:
    """Are all tests that fail in these files, as they were at the start?"""
    former = {path: before for path, before, _ in final_run.changes.texts if path in paths}
    changed = ChangedTests(tuple(former), "\n".join(former.values()))
    failed = run.report.failed
    return bool(failed) and all(belongs_to_changed(test, changed) for test in failed)


def moved_tests(
    texts: Iterable[tuple[str, str, str]], is_gone: Callable[[str], bool]
) -> frozenset[str]:
    """The test files of Go and of scripts that moved, as they were and as they are.

    `is_gone` says whether a module of the start is not there any more: a test that imports another
    one moved with it.
    """
    rows = list(texts)
    gone = {_bare_text(path, old): (path, old) for path, old, now in rows if old and not now}
    moved: set[str] = set()
    for path, old, now in rows:
        if old or (bare := _bare_text(path, now)) not in gone:
            continue
        if _runs_alike(gone[bare], (path, now), is_gone):
            moved |= {gone[bare][0], path}
    return frozenset(moved)


def _bare_text(path: str, text: str) -> str:
    """The text without what names its place, with the kind of the file; else the path alone."""
    if path.endswith("_test.go"):
        return f".go\n{GO_PACKAGE.sub('', text)}"
    if path.endswith(SCRIPT_SUFFIXES):
        return f"{posixpath.splitext(path)[1]}\n{IMPORTED.sub('', text)}"
    return path


def _runs_alike(
    former: tuple[str, str], final: tuple[str, str], is_gone: Callable[[str], bool]
) -> bool:
    """Does it run in its new place, with the same modules or with some that moved too?"""
    if final[0].endswith("_test.go"):
        return not GO_LEAVES_OUT.search(final[0])
    if not final[0].endswith(SCRIPT_SUFFIXES):
        return False
    old, new = _imports(*former), _imports(*final)
    pairs = zip(old, new, strict=False)
    return len(old) == len(new) and all(a == b or is_gone(a) for a, b in pairs)


def _imports(path: str, text: str) -> list[str]:
    """The modules beside it that the file imports, as paths in the project."""
    folder = posixpath.dirname(path)
    names = (match["module"] for match in IMPORTED.finditer(text))
    return [posixpath.normpath(posixpath.join(folder, name)) for name in names]
