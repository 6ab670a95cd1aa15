"""What changed around the product since the start: tests, settings, scripts, manifests."""

from __future__ import annotations

import os
from functools import lru_cache

from ..checks.code_files import CODE_SUFFIXES
from ..checks.named_files import DECIDES, WORK, NamedFiles, lower_finding
from ..checks.reach import reach_of
from ..checks.references import (
    folder_word,
    is_listed_file,
    listed_kind,
    modules_of_rust,
    reference_word,
    referenced_kind,
    search_word,
    taken_in_by_product,
)
from ..checks.surroundings import INNER, SCRIPT, surrounding_kind
from ..checks.test_files import inline_tests
from ..core.loop import Loop
from ..ratchet import findings_with_baseline
from ..ratchet.product_rules.vendored_code import updated_files
from ..ratchet.project import Project
from ..ratchet.settings_rules.manifests import (
    has_only_other_packages,
    is_manifest,
    mixed_manifest,
)
from ..ratchet.settings_rules.new_packages import added_packages, is_package_list
from ..ratchet.test_rules.examples import PROMPT, runs_examples
from ..repo import kept_trees
from ..repo.baseline import MAX_BYTES, Change
from ..repo.walk import is_excluded
from ..store.folder import LoopFolder
from .baseline_files import BaselineFiles, decode_text
from .checkout import room_criteria
from .packages import LOCK_FILES
from .surroundings import Surroundings, changed_inner_tests
from .trees import RoomTrees, room_trees

PROSE = (".md", ".rst", ".adoc")
MAX_SEARCHES = 30  # changed files whose users are searched


def changed_surroundings(folder: LoopFolder, loop: Loop, end: str) -> Surroundings:
    room = loop.room
    return _compare_trees(
        room_trees(folder, loop), end, loop.spec, room.may_change, commands_of(loop)
    )


def commands_of(loop: Loop) -> tuple[str | tuple[str, ...], ...]:
    """The commands that run in a clean checkout."""
    return (loop.room.setup, *(c.check.command for c in room_criteria(loop) if c.check))


@lru_cache(maxsize=1)  # the three runs of one proof compare the same two commits
def _compare_trees(
    trees: RoomTrees,
    end: str,
    spec: str,
    may_change: tuple[str, ...],
    commands: tuple[str | tuple[str, ...], ...],
) -> Surroundings:
    root, path, base = trees.root, trees.loop_path, trees.baseline
    rows = kept_trees.tree_changes(root, path, base, end)
    paths = [name for name, _, _ in rows]
    names = [name for name in paths if not is_excluded(name, may_change)]
    permitted = [name for name in paths if name not in names]
    before = kept_trees.file_contents(root, path, base, paths, MAX_BYTES)
    after = kept_trees.file_contents(root, path, end, paths, MAX_BYTES)
    start = BaselineFiles(trees, commands)
    named = start.programs
    sides = {name: (decode_text(before.get(name)), decode_text(after.get(name))) for name in paths}
    rows_of = {name: sides[name] for name in names}
    kind_of = {name: surrounding_kind(name, *rows_of[name], named) for name in names}
    if not all(name.endswith(PROSE) for name in names):  # else documents are the work
        kind_of |= _kinds_by_reference(start, rows_of, [n for n in names if not kind_of[n]])
    kind_of |= dict.fromkeys(updated_files(rows_of, start.scripts.read_programs), "")
    kind_of |= start.scripts.kinds(rows_of, kind_of)
    product = [name for name, kind in kind_of.items() if not kind]
    kind_of |= dict.fromkeys(modules_of_rust(rows_of, product), "")
    kind_of |= dict.fromkeys(_manifests_of_new_packages(start, rows_of), "")
    others = [name for name, row in rows_of.items() if has_only_other_packages(name, *row)]
    kind_of |= dict.fromkeys(others, "")
    named_files = NamedFiles(spec, commands, named, start.list_files)
    role_of = {name: named_files.role(name, kind) for name, kind in kind_of.items() if kind}
    kind_of |= {name: "" for name, role in role_of.items() if role == WORK}
    kinds = [(name, kind) for name, kind in kind_of.items() if kind]
    start.kind_of = kind_of
    changes = [Change(name, *row) for name, row in sides.items()]
    found = findings_with_baseline(Project(changes, commands=commands, baseline=start))
    found = [lower_finding(finding, role_of.get(finding.file, ""), spec) for finding in found]
    product_rows = {name: sides[name] for name, kind in kind_of.items() if not kind}
    with_examples = runs_examples_of(start, product_rows)
    inner = changed_inner_tests(product_rows, with_examples)
    kinds += [(name, INNER) for name in inner]
    texts = [(name, sides[name][0] or "", sides[name][1] or "") for name, _ in kinds]
    allowed = [(name, sides[name][0] or "", sides[name][1] or "") for name in permitted]
    allowed = [row for row in allowed if surrounding_kind(*row, named)]
    manifests = [name for name in paths if _names_packages(name)]
    manifests = [name for name in manifests if _has_other_packages(name, *sides[name])]
    added: dict[bool, list[str]] = {True: [], False: []}  # True: a person writes the file
    for name in manifests:
        added[is_package_list(name)] += added_packages(name, *sides[name])
    in_rust = [inline_tests(name, old or "") for name, (old, _) in rows_of.items()]
    return Surroundings(
        kinds=tuple(kinds),
        texts=tuple(texts),
        scripts=tuple(name for name, kind in kinds if kind == SCRIPT or name in named),
        manifests=tuple(manifests),
        new_packages=tuple(sorted({*added[True], *added[False]})),
        indirect_packages=tuple(sorted({*added[False]} - {*added[True]})),
        product_findings=tuple(found),
        changed=tuple(paths),
        has_product=bool(product_rows) or not paths,
        deciding=tuple(name for name, role in role_of.items() if role == DECIDES),
        allowed=tuple(allowed),
        inner_tests="\n".join(filter(None, in_rust)),
        inner_texts=tuple((name, tests.baseline_text) for name, tests in inner.items()),
        kept_tests=tuple(name for name, tests in inner.items() if tests.is_kept),
        with_examples=with_examples,
    )


def runs_examples_of(
    start: BaselineFiles, product: dict[str, tuple[str | None, str | None]]
) -> bool:
    """Do the checks run examples in docstrings, and has the product any that changed?"""
    sides = [text for name, row in product.items() if name.endswith(".py") for text in row]
    if not any(PROMPT in (text or "") for text in sides):
        return False
    return runs_examples(start.read_file, reach_of(start.commands, start.read_file), start.commands)


def _manifests_of_new_packages(
    start: BaselineFiles, rows: dict[str, tuple[str | None, str | None]]
) -> list[str]:
    """New manifests in folders that the start has not: the rest of the package needs them."""
    new = [name for name, (before, _) in rows.items() if before is None and is_manifest(name)]
    folders = {name: os.path.dirname(name) for name in new}
    known = start.list_files() if new else ()
    return [
        name
        for name, folder in folders.items()
        if folder and not any(path.startswith(f"{folder}/") for path in known)
    ]


def _kinds_by_reference(
    start: BaselineFiles, rows: dict[str, tuple[str | None, str | None]], names: list[str]
) -> dict[str, str]:
    """The kinds of files that only tests and settings of the baseline refer to."""
    names = names[:MAX_SEARCHES]
    listed = [name for name in names if is_listed_file(name, *rows[name])]
    words = {reference_word(name) for name in names} | {folder_word(name) for name in listed}
    users = start.users_by_word(words - {""})
    texts = start.read_files({path for found in users.values() for path in found})
    kinds = {}
    own_words = taken_in_by_product(rows, names) if listed else set()
    for name in names:
        found = {user: texts.get(user, "") for user in users.get(reference_word(name), ())}
        kinds[name] = referenced_kind(name, rows[name][0], found, start.programs)
        is_own = name.endswith(CODE_SUFFIXES) and search_word(name) in own_words
        if name in listed and not kinds[name] and not is_own:
            found = {user: texts.get(user, "") for user in users.get(folder_word(name), ())}
            kinds[name] = listed_kind(name, found, start.programs)
    return kinds


def _names_packages(path: str) -> bool:
    return is_manifest(path) or os.path.basename(path) in LOCK_FILES


def _has_other_packages(path: str, old: str | None, new: str | None) -> bool:
    """Did more than the settings in a manifest change?"""
    if not is_manifest(path) or old is None or new is None:
        return True
    return mixed_manifest(path, old, new) != mixed_manifest(path, old, old)
