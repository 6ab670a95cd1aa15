"""What changed around the product since the start: tests, settings, scripts, manifests."""

from __future__ import annotations

import os
from functools import lru_cache

from .. import lazy_re as re
from ..core.findings import MEDIUM, Finding
from ..core.loop import Loop
from ..core.record import Record
from ..ratchet.product_rules import kept_generated_files
from ..ratchet.product_rules.generated_files import (
    edited_by_hand,
    recipe_paths,
    written_by_recipes,
)
from ..ratchet.product_rules.lost_parts import LostParts
from ..ratchet.product_rules.measures import (
    OTHER_SUFFIXES,
    Measures,
    lines_through_program,
    measuring_lines,
    measuring_lines_of_other,
    measuring_lines_of_script,
)
from ..ratchet.product_rules.product_limits import changed_limits, comparing_lines
from ..ratchet.product_rules.silenced_errors import TOLERANT_TEST, only_reports_less
from ..ratchet.product_rules.tested_product import TestedProduct
from ..ratchet.product_rules.tested_values import inline_tests
from ..ratchet.product_rules.vendored_code import updated_files
from ..ratchet.readers.languages import SCRIPT_SUFFIXES
from ..ratchet.references import (
    folder_word,
    is_listed_file,
    listed_kind,
    modules_of_rust,
    referenced_kind,
    search_word,
    taken_in_by_product,
)
from ..ratchet.script_project import ScriptProject
from ..ratchet.settings_rules.manifests import is_manifest, mixed_manifest
from ..ratchet.settings_rules.new_packages import RUNNER_PLUGIN, added_packages, is_package_list
from ..ratchet.surroundings import (
    CODE_SUFFIXES,
    DATA,
    GRAVE_KINDS,
    HELPER,
    SCRIPT,
    TEST,
    programs_run_by,
    surrounding_kind,
)
from ..repo import kept_trees
from ..repo.baseline import MAX_BYTES
from ..repo.plumbing import ask_user_git
from ..repo.user_repo import tracked_files
from ..repo.walk import is_excluded
from ..store.folder import LoopFolder
from ..verify.room_findings import ChangedTests
from ..verify.room_packages import LOCK_FILES
from .room_checkout import room_criteria
from .room_trees import RoomTrees, room_trees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_SEARCHES = 30  # changed files whose users are searched
# A program of the product that a check runs is what it measures, a tool is what measures.
TOOL_PLACE = re.compile(
    r"(?:^|/)(?:tools?|scripts?|ci|\.ci|qa|bench\w*|perf|hack|dev|checks?)/"
    r"|(?:^|[/_.-])(?:check|verify|validate|lint|budget|bench)\w*\.\w+$"
)
MAX_USERS = 40  # a word in more files than this is too common to name a helper


class Surroundings(Record):
    """The files around the product that changed since the baseline, by their kind."""

    kinds: tuple[tuple[str, str], ...] = ()  # path and kind
    texts: tuple[tuple[str, str, str], ...] = ()  # path, text at the baseline and at the end
    scripts: tuple[str, ...] = ()  # of them, those that the checks run
    manifests: tuple[str, ...] = ()  # manifests and lock files whose packages changed
    new_packages: tuple[str, ...] = ()  # by name
    indirect_packages: tuple[str, ...] = ()  # those that only lock files name
    product_findings: tuple[Finding, ...] = ()  # what only the whole change shows
    allowed: tuple[tuple[str, str, str], ...] = ()  # the texts that the person let the agent change
    inner_tests: str = ""  # tests of the baseline inside of product files that changed

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(path for path, _ in self.kinds)

    @property
    def grave_paths(self) -> tuple[str, ...]:
        return tuple(path for path, kind in self.kinds if kind in GRAVE_KINDS)

    @property
    def helpers(self) -> tuple[str, ...]:
        return tuple(path for path, kind in self.kinds if kind == HELPER)

    @property
    def changed_tests(self) -> ChangedTests:
        paths = tuple(path for path, kind in self.kinds if kind == TEST)
        before = "\n".join(before for path, before, _ in self.texts if path in paths)
        return ChangedTests(paths, before, self.inner_tests)


def changed_surroundings(folder: LoopFolder, loop: Loop, end: str) -> Surroundings:
    commands = [loop.room.setup, *(c.check.command for c in room_criteria(loop) if c.check)]
    return _compare_trees(room_trees(folder, loop), end, loop.room.may_change, tuple(commands))


@lru_cache(maxsize=1)  # the three runs of one proof compare the same two commits
def _compare_trees(
    trees: RoomTrees,
    end: str,
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
    named = _programs_of_checks(trees, commands)
    sides = {name: (_text(before.get(name)), _text(after.get(name))) for name in paths}
    rows_of = {name: sides[name] for name in names}
    kind_of = {name: surrounding_kind(name, *rows_of[name], named) for name in names}
    kind_of |= _kinds_by_reference(trees, rows_of, [n for n in names if not kind_of[n]], named)
    scripts = _script_project(trees, commands, named)
    kind_of |= dict.fromkeys(updated_files(rows_of, scripts.read_programs), "")
    kind_of |= scripts.kinds(rows_of, kind_of)
    product = [name for name, kind in kind_of.items() if not kind]
    kind_of |= dict.fromkeys(modules_of_rust(rows_of, product), "")
    kinds = [(name, kind) for name, kind in kind_of.items() if kind]
    permitted_rows = {name: sides[name] for name in permitted}
    found = _product_findings(trees, rows_of, kind_of, named, permitted_rows)
    found += scripts.findings(rows_of, kind_of)
    texts = [(name, sides[name][0] or "", sides[name][1] or "") for name, _ in kinds]
    allowed = [(name, sides[name][0] or "", sides[name][1] or "") for name in permitted]
    allowed = [row for row in allowed if surrounding_kind(*row, named)]
    manifests = [name for name in paths if _names_packages(name)]
    manifests = [name for name in manifests if _has_other_packages(name, *sides[name])]
    added: dict[bool, list[str]] = {True: [], False: []}  # True: a person writes the file
    for name in manifests:
        added[is_package_list(name)] += added_packages(name, *sides[name])
    return Surroundings(
        kinds=tuple(kinds),
        texts=tuple(texts),
        scripts=tuple(name for name, kind in kinds if kind == SCRIPT or name in named),
        manifests=tuple(manifests),
        new_packages=tuple(sorted({*added[True], *added[False]})),
        indirect_packages=tuple(sorted({*added[False]} - {*added[True]})),
        product_findings=tuple(found),
        allowed=tuple(allowed),
        inner_tests="\n".join(inline_tests(rows_of).values()),
    )


def _product_findings(
    trees: RoomTrees,
    rows: dict[str, tuple[str | None, str | None]],
    kind_of: dict[str, str],
    named: frozenset[str],
    permitted: dict[str, tuple[str | None, str | None]],
) -> list[Finding]:
    """What only the whole change shows of the product; `permitted` are files that may change."""
    changed = frozenset((*rows, *permitted))
    product = {name: row for name, row in rows.items() if not kind_of[name]}
    others = {name: row for name, row in rows.items() if kind_of[name] not in (TEST, HELPER, DATA)}
    parts, tested = LostParts(product), TestedProduct(product)
    users = _baseline_files(trees, tested.words)
    tests = _only_tests(users) | inline_tests(product)
    return [
        *edited_by_hand(others),
        *_edited_outputs(trees, product, changed),
        *kept_generated_files.findings(rows),
        *_changed_measures(trees, product, changed),
        *_changed_limits(trees, product, changed, named),
        *parts.findings(_baseline_tests(trees, parts.words, changed)),
        *tested.findings(users, tests, {**rows, **permitted}),
        *_dropped_errors(trees, product),
    ]


def _edited_outputs(
    trees: RoomTrees, product: dict[str, tuple[str | None, str | None]], changed: frozenset[str]
) -> Iterator[Finding]:
    """Files of the product that a recipe writes: edited, or made beforehand."""
    contents = _baseline_contents(trees, recipe_paths(product))
    recipes = {path: _text(content) or "" for path, content in contents.items()}
    return written_by_recipes(
        product, changed, recipes, lambda: tracked_files(trees.root, trees.baseline)
    )


def _script_project(
    trees: RoomTrees, commands: tuple[str | tuple[str, ...], ...], named: frozenset[str]
) -> ScriptProject:
    def list_files() -> frozenset[str]:
        return tracked_files(trees.root, trees.baseline)

    def read_files(paths: list[str]) -> dict[str, str]:
        contents = _baseline_contents(trees, paths)
        return {path: data.decode("utf-8", "replace") for path, data in contents.items()}

    return ScriptProject(list_files, read_files, commands, named)


def _kinds_by_reference(
    trees: RoomTrees,
    rows: dict[str, tuple[str | None, str | None]],
    names: list[str],
    named: frozenset[str],
) -> dict[str, str]:
    """The kinds of files that only tests and settings of the baseline refer to."""
    names = names[:MAX_SEARCHES]
    listed = [name for name in names if is_listed_file(name, *rows[name])]
    words = {search_word(name) for name in names} | {folder_word(name) for name in listed}
    users = _users_by_word(trees, sorted(words - {""}))
    paths = sorted({path for found in users.values() for path in found})
    contents = _baseline_contents(trees, paths)
    kinds = {}
    own_words = taken_in_by_product(rows, names) if listed else set()
    for name in names:
        found = users.get(search_word(name), ())
        texts = {user: _text(contents.get(user)) or "" for user in found}
        kinds[name] = referenced_kind(name, rows[name][0], texts, named)
        is_own = name.endswith(CODE_SUFFIXES) and search_word(name) in own_words
        if name in listed and not kinds[name] and not is_own:
            listing = users.get(folder_word(name), ())
            texts = {user: _text(contents.get(user)) or "" for user in listing}
            kinds[name] = listed_kind(name, texts, named)
    return kinds


def _changed_measures(
    trees: RoomTrees, product: dict[str, tuple[str | None, str | None]], changed: frozenset[str]
) -> Iterator[Finding]:
    """Values and comparisons of the product that changed, and that unchanged tests measure with."""
    measures = {
        name: Measures(name, before, after)
        for name, (before, after) in product.items()
        if name.endswith((".py", *SCRIPT_SUFFIXES, *OTHER_SUFFIXES)) and before and after
        if not _names_packages(name)
    }
    code = [name for name in product if name.endswith(CODE_SUFFIXES)]
    is_only_values = all(name in measures and measures[name].is_only_values for name in code)
    words = {word for measure in measures.values() for word in measure.names}
    programs = {os.path.basename(name) for name in measures if name.endswith(".py")}
    tests = _baseline_tests(trees, words | programs, changed)
    for name, measure in measures.items():
        for text in tests.values():
            lines = _measuring_lines(name, measure, is_only_values, text)
            for line in (*lines, *lines_through_program(os.path.basename(name), text)):
                yield Finding(MEDIUM, "measure-of-tests-changed", name, after=line[:200])


def _changed_limits(
    trees: RoomTrees,
    product: dict[str, tuple[str | None, str | None]],
    changed: frozenset[str],
    named: frozenset[str],
) -> Iterator[Finding]:
    """Limits of the product that changed, and with which unchanged tests and checks compare."""
    limits = {
        name: changed_limits(before, after)
        for name, (before, after) in product.items()
        if name.endswith((*CODE_SUFFIXES, *OTHER_SUFFIXES)) and before and after
        if not _names_packages(name)
    }
    words = {word for found in limits.values() for word in found}
    tests = _baseline_tests(trees, words, changed, named)
    for name, found in limits.items():
        for _, line in comparing_lines(found, tests.values()):
            yield Finding(MEDIUM, "measure-of-tests-changed", name, after=line[:200])


def _dropped_errors(
    trees: RoomTrees, product: dict[str, tuple[str | None, str | None]]
) -> list[Finding]:
    """Python product of which all that changed is that errors of a kind are caught and dropped.

    The ratchet names it where every error is. A test that asks for such a product by its name makes
    this the work.
    """
    code = {name: row for name, row in product.items() if name.endswith(CODE_SUFFIXES)}
    for name, (before, after) in code.items():
        if not name.endswith(".py") or before is None or after is None:
            return []
        if not only_reports_less(before, after, narrow=True):
            return []
    if all(only_reports_less(before or "", after or "") for before, after in code.values()):
        return []
    tests = _baseline_tests(trees, {search_word(name) for name in code})
    if any(map(TOLERANT_TEST.search, tests.values())):
        return []
    return [Finding(MEDIUM, "errors-only-silenced", name) for name in code]


def _measuring_lines(
    name: str, measure: Measures, is_only_values: bool, test: str
) -> Iterator[str]:
    """The lines of a test that measure with a file of the product."""
    if name.endswith(OTHER_SUFFIXES):  # a test need not name the file, only the value
        yield from measuring_lines_of_other(measure, is_only_values, test)
    elif search_word(name) in test:
        read = measuring_lines if name.endswith(".py") else measuring_lines_of_script
        yield from read(measure, is_only_values, test)


def _baseline_tests(
    trees: RoomTrees,
    words: set[str],
    without: frozenset[str] = frozenset(),
    named: frozenset[str] = frozenset(),
) -> dict[str, str]:
    """The tests of the baseline that contain one of the words, `without` some: path and text.

    `named` are programs of the checks that count too, if their place says that they are tools.
    """
    tools = frozenset(path for path in named if TOOL_PLACE.search(path))
    return _only_tests(_baseline_files(trees, words, without), tools)


def _only_tests(texts: dict[str, str], tools: frozenset[str] = frozenset()) -> dict[str, str]:
    return {path: text for path, text in texts.items() if surrounding_kind(path, text, text, tools)}


def _baseline_files(
    trees: RoomTrees, words: set[str], without: frozenset[str] = frozenset()
) -> dict[str, str]:
    """The files of the baseline that contain one of the words: path and text."""
    users = _users_by_word(trees, sorted(words))
    paths = sorted({path for found in users.values() for path in found} - without)
    contents = _baseline_contents(trees, paths)
    return {path: _text(contents.get(path)) or "" for path in paths}


def _users_by_word(trees: RoomTrees, words: list[str]) -> dict[str, set[str]]:
    """The files of the baseline that contain each word; without words that are in many files."""
    if not words:
        return {}
    patterns = [part for word in words for part in ("-e", word)]
    flags = ("-o", "-z", "-I", "--word-regexp", "--fixed-strings")
    _, out = ask_user_git(trees.root, "grep", *flags, *patterns, trees.baseline)
    users: dict[str, set[str]] = {}
    for row in out.split(b"\n"):
        place, _, word = row.partition(b"\0")
        users.setdefault(os.fsdecode(word), set()).add(os.fsdecode(place).partition(":")[2])
    return {word: paths for word, paths in users.items() if len(paths) <= MAX_USERS}


def _programs_of_checks(
    trees: RoomTrees, commands: tuple[str | tuple[str, ...], ...]
) -> frozenset[str]:
    """Files that checks and setup run at the baseline: by their command, make, npm or a script."""

    def read_file(path: str) -> str | None:
        contents = _baseline_contents(trees, (path,))
        return _text(contents.get(path))

    return frozenset(name for command in commands for name in programs_run_by(command, read_file))


def _baseline_contents(trees: RoomTrees, paths: Sequence[str]) -> dict[str, bytes]:
    return kept_trees.file_contents(trees.root, trees.loop_path, trees.baseline, paths, MAX_BYTES)


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "replace")


def plugin_findings_of(changes: Surroundings) -> list[Finding]:
    """Packages of lock files that change how tests run; the ratchet reads the manifests."""
    locks = ", ".join(path for path in changes.manifests if not is_package_list(path))
    plugins = [name for name in changes.indirect_packages if RUNNER_PLUGIN.fullmatch(name)]
    return [Finding(MEDIUM, "runner-plugin-added", locks, after=name) for name in plugins]


def _names_packages(path: str) -> bool:
    return is_manifest(path) or os.path.basename(path) in LOCK_FILES


def _has_other_packages(path: str, old: str | None, new: str | None) -> bool:
    """Did more than the settings in a manifest change?"""
    if not is_manifest(path) or old is None or new is None:
        return True
    return mixed_manifest(path, old, new) != mixed_manifest(path, old, old)
