"""The work since a commit, in a clean checkout of the files as they are now; no loop is needed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from ..checks.surroundings import programs_run_by, surrounding_kind
from ..cleanroom import checkout_files, path_binding
from ..cleanroom.checkout import PreparedRoom, RoomOptions, drop_room, open_room
from ..cleanroom.checkout_files import RoomError
from ..core.criteria import Criterion
from ..core.loop import Loop
from ..core.proof.state import Baseline, CheckBox, Room
from ..core.record import Record
from ..disk.files import read_text
from ..disk.temporary import own_prefix
from ..repo import kept_trees
from ..repo.baseline import MAX_BYTES
from ..repo.plumbing import ask_user_git
from ..repo.tree import tree_hash
from ..store.chosen_sandbox import is_sandbox_present
from ..store.folder import LoopFolder
from .changed_files import ChangedFile
from .check_runs import MeasuredCheck
from .covered_code import changed_tests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_CHARS = 2_000_000


class Work(Record):
    """A checkout with the final tree, and the changed files of the product and of its tests."""

    room: PreparedRoom
    files: tuple[ChangedFile, ...]
    tests: tuple[ChangedFile, ...]
    changed_paths: tuple[str, ...]


@contextmanager
def open_work(
    root: str,
    since: str,
    checks: Iterable[MeasuredCheck],
    setup: str = "",
    loop: Loop | None = None,
    show: Callable[[str], None] = lambda text: None,
) -> Iterator[Work]:
    """Check the files of now out beside the project, with the packages that are installed.

    RoomError, CheckoutFailed or KeptTreeError say why that is not possible. Nothing is written into
    the project but objects of its git repository.
    """
    checks = list(checks)
    base = base_commit(root, since)
    if loop and loop.check_box.backend and not is_sandbox_present(loop.check_box):
        show(f"{loop.check_box.backend} does not work here: the checks run without a sandbox")
        loop = loop.but(check_box=CheckBox())
    with tempfile.TemporaryDirectory(prefix=own_prefix("work")) as scratch:
        folder = LoopFolder(root)
        folder.path = scratch  # the project may have no loop, and needs none
        loop = _loop_of_work(scratch, base, checks, loop)
        tree = tree_hash(root, scratch, loop.settings.volatile_globs)
        commit = kept_trees.commit_tree(root, scratch, tree)
        sides = _changed_files(root, scratch, base, commit)
        files = product_files(sides, root, checks)
        store = os.path.join(scratch, "files")
        checkout_files.save_paths(root, store, checkout_files.installed_paths(root))
        binding = path_binding.available_kind(os.path.realpath(root))
        show("preparing a clean checkout …")
        try:
            options = RoomOptions(setup, binding, files=store)
            with open_room(folder, loop, commit, options) as room:
                yield Work(room, files, changed_tests(sides), tuple(sides))
        finally:
            drop_room(loop.id)


def base_commit(root: str, since: str) -> str:
    """The commit from which this work began: where it left the named branch or commit."""
    code, out = ask_user_git(root, "rev-parse", "--quiet", "--verify", f"{since}^{{commit}}")
    if code:
        raise RoomError(f"{since!r} is no commit here. Name a branch or a commit: --since main")
    commit = out.decode().strip()
    code, out = ask_user_git(root, "merge-base", commit, "HEAD")
    return commit if code else out.decode().strip()


def _loop_of_work(scratch: str, base: str, checks: list[MeasuredCheck], loop: Loop | None) -> Loop:
    """What the checkout needs to know of a loop: its sandbox and its settings, if there is one."""
    name = os.path.basename(scratch)
    criteria = tuple(Criterion(check.name, check.check) for check in checks)
    template = loop or Loop(id=name, spec="")
    return template.but(id=name, criteria=criteria, room=Room(), baseline=Baseline(tree_id=base))


def _changed_files(
    root: str, scratch: str, base: str, commit: str
) -> dict[str, tuple[str | None, str | None]]:
    rows = kept_trees.tree_changes(root, scratch, base, commit)
    paths = [path for path, _, mode in rows if mode != "160000"]
    before = kept_trees.file_contents(root, scratch, base, paths, MAX_BYTES)
    after = kept_trees.file_contents(root, scratch, commit, paths, MAX_BYTES)
    return {path: (_text(before.get(path)), _text(after.get(path))) for path in paths}


def product_files(
    sides: dict[str, tuple[str | None, str | None]], root: str, checks: Iterable[MeasuredCheck]
) -> tuple[ChangedFile, ...]:
    """The changed files without tests, settings and what else surrounds the product."""
    found = [
        programs_run_by(
            check.check.command, lambda path: read_text(os.path.join(root, path), MAX_CHARS)
        )
        for check in checks
    ]
    programs = frozenset().union(*found)
    return tuple(
        ChangedFile(path, old, new)
        for path, (old, new) in sides.items()
        if not surrounding_kind(path, old, new, programs) and not is_document(path)
    )


def is_document(path: str) -> bool:
    """A text or an example for people, of which no check can be expected to notice a change."""
    *folders, name = path.split("/")
    is_text = path.lower().endswith((".md", ".rst", ".adoc", ".txt", ".lock"))
    is_text = is_text or bool({"docs", "doc", "examples", "bench", "benchmarks"} & {*folders})
    return is_text or name.startswith(("LICENSE", "CHANGELOG", ".git", "AUTHORS"))


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "replace")
