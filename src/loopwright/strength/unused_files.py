"""New files of the product that no product file and no manifest imports or registers."""

from __future__ import annotations

import ast
import os
import posixpath
from functools import cached_property

from .. import lazy_re as re
from ..checks.code_files import CODE_SUFFIXES, SCRIPT_SUFFIXES
from ..checks.imports import NODE_ORDER, file_imports, module_files, script_paths, script_place
from ..checks.references import NAMELESS, search_word
from ..checks.surroundings import SETTINGS, surrounding_kind
from ..core.proof.strength import FILE, NOT_NOTICED, StrengthItem
from ..disk.files import read_text
from ..ratchet.readers.definitions import definitions
from ..repo.plumbing import ask_user_git
from ..repo.sources import PYTHON_ENDINGS, SourceFile, file_ending
from .changed_files import ChangedFile
from .text_lines import masked_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_FILES = 5000
MAX_CHARS = 400_000
MIN_SIBLINGS = 2  # files of the same folder that nothing imports either: something else finds them
# Programs and files that a tool finds by their name.
FOUND_BY_NAME = re.compile(
    r"(?:^|/)(?:__main__|__init__|manage|setup|noxfile|wsgi|asgi|main|index|cli|app|mod|lib|build"
    r"|server|doc|package-info|module-info)\.\w+$|(?:^|/)(?:bin|scripts?|tools|examples?|migrations"
    r"|commands|cmd|pages|routes|docs?|benchmarks?|bench)/|\.d\.[cm]?ts$|\.(?:config|stories)\.\w+$"
)
RUN_AS_PROGRAM = re.compile(
    r"""^#!|^if __name__ == ["']__main__["']|\bfunc main\(|\bfn main\(""", re.M
)
DOCUMENT = (".md", ".rst", ".txt", ".adoc", ".lock", ".svg")


class ProductFiles:
    """The files of a checkout that are not tests, and what they refer to."""

    def __init__(self, root: str, programs: frozenset[str]) -> None:
        self.root = root
        self.programs = programs  # that the checks run

    @cached_property
    def paths(self) -> list[str]:
        flags = ("ls-files", "--cached", "--others", "--exclude-standard", "-z")
        _, out = ask_user_git(self.root, *flags)
        names = sorted({os.fsdecode(row) for row in out.split(b"\0") if row})
        return [name for name in names[:MAX_FILES] if not name.lower().endswith(DOCUMENT)]

    @cached_property
    def texts(self) -> dict[str, str]:
        """The product and its settings; without tests and what belongs to them."""
        found = {}
        for path in self.paths:
            text = read_text(os.path.join(self.root, path), MAX_CHARS)
            if text is None or "\0" in text[:2000]:
                continue
            kind = surrounding_kind(path, text, text, self.programs)
            if kind in ("", SETTINGS) or path in self.programs:
                found[path] = text
        return found

    @cached_property
    def imported(self) -> dict[str, set[str]]:
        """File → the files that it may import, of Python and JavaScript."""
        return {
            path: meant_files(path, text)
            for path, text in self.texts.items()
            if file_ending(path) in (*PYTHON_ENDINGS, *SCRIPT_SUFFIXES)
        }

    def is_used(self, path: str) -> bool:
        """Does a product file or a manifest import, name or register this file?"""
        if any(path in files for user, files in self.imported.items() if user != path):
            return True
        others = {user: text for user, text in self.texts.items() if user != path}
        if _is_named(path, others):
            return True
        is_imported_language = file_ending(path) in (*PYTHON_ENDINGS, *SCRIPT_SUFFIXES)
        return not is_imported_language and self._is_called(path, others)

    def _is_called(self, path: str, others: dict[str, str]) -> bool:
        """Does another file use a name that this one defines? For languages with packages."""
        names = {
            each.name for each in definitions(path, self.texts.get(path, "")) if len(each.name) > 2
        }
        if not names:
            return True
        word = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b")
        return any(
            word.search(masked_text(user, text))
            for user, text in others.items()
            if user.endswith(CODE_SUFFIXES)
        )

    def siblings_without_users(self, path: str, new: Iterable[str]) -> int:
        """Older files of the same folder and language that nothing imports either."""
        folder, ending = posixpath.dirname(path), file_ending(path)
        fresh = set(new)
        rows = [
            each
            for each in self.texts
            if posixpath.dirname(each) == folder
            and file_ending(each) == ending
            and each not in fresh
            and not FOUND_BY_NAME.search(each)
        ]
        return sum(not self.is_used(each) for each in rows)


def unused_files(
    files: Iterable[ChangedFile], product: ProductFiles, spec: str = ""
) -> list[StrengthItem]:
    """What the spec names itself may be all that is asked for: a module for others to use."""
    new = [file for file in files if file.before is None and file.after]
    paths = [file.path for file in new]
    has_older = any(path.endswith(CODE_SUFFIXES) for path in {*product.texts} - {*paths})
    return [
        StrengthItem(
            FILE,
            file.path,
            1,
            "the new file",
            NOT_NOTICED,
            "no product file and no manifest imports or registers it",
        )
        for file in new
        if has_older
        and not _is_asked_for(file, spec)
        and _must_be_used(file, product)
        and not product.is_used(file.path)
        and product.siblings_without_users(file.path, paths) < MIN_SIBLINGS
    ]


def _is_asked_for(file: ChangedFile, spec: str) -> bool:
    """Does the spec name the file, or code that it defines: `IsPalindrome`, `slug()`?"""
    if posixpath.basename(file.path) in spec:
        return True
    words = {*re.findall(r"\w+", spec)}
    names = {each.name for each in definitions(file.path, file.after or "")} & words
    return any(not name.islower() or re.search(rf"\b{name}\(|`{name}`", spec) for name in names)


def _must_be_used(file: ChangedFile, product: ProductFiles) -> bool:
    path = file.path
    if not path.endswith(CODE_SUFFIXES) or path in product.programs or path not in product.texts:
        return False
    return not FOUND_BY_NAME.search(path) and not RUN_AS_PROGRAM.search(file.after or "")


def meant_files(path: str, text: str) -> set[str]:
    found: set[str] = set()
    for statement in file_imports(SourceFile(path, text)):
        if file_ending(path) not in PYTHON_ENDINGS:
            if statement.module.startswith((".", "/")):
                found.update(script_paths(script_place(path, statement.module), NODE_ORDER))
            continue
        level = len(statement.module) - len(statement.module.lstrip("."))
        folder = posixpath.dirname(path)
        if level:
            for _ in range(level - 1):
                folder = posixpath.dirname(folder)
            found |= {
                posixpath.normpath(posixpath.join(folder, name))
                for name in module_files(statement.module)
            }
        else:
            found |= {*module_files(statement.module)}
            found |= {posixpath.join(folder, name) for name in module_files(statement.module)}
    return found


def _is_named(path: str, others: dict[str, str]) -> bool:
    """Is the file named in a text or a setting: by its path, its module or its name?"""
    stem = posixpath.splitext(path)[0]
    word = search_word(path)
    dotted = stem.removeprefix("src/").replace("/", ".")
    name = posixpath.basename(path)
    patterns = [re.escape(name)] if name.partition(".")[0] not in NAMELESS else []
    if "." in dotted:
        patterns.append(rf"{re.escape(dotted)}(?![\w.])")
    if word:
        # `mod word;`, `require "word"`, `source lib/word.sh`, `importlib.import_module(f".{x}")`
        quoted = re.escape(word)
        patterns.append(rf"\bmod\s+{quoted}\b|[\"'/.:]{quoted}[\"']|\b{quoted}::")
    named = re.compile("|".join(f"(?:{pattern})" for pattern in patterns or [r"(?!)"]))
    return any(named.search(text) for text in others.values() if not _is_only_comment(text, named))


def _is_only_comment(text: str, named: re.Pattern[str]) -> bool:
    """Does only a comment of the file name it?"""
    rows = (row.strip() for row in text.splitlines() if named.search(row))
    return all(
        row.startswith(("#", "//", "*", "--")) and not row.startswith("#include") for row in rows
    )


def top_level_imports(text: str) -> list[str]:
    """The first names of what a module of Python imports without a condition."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return []
    names: list[str] = []
    for node in body:
        if isinstance(node, ast.Import):
            names += [alias.name.partition(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names.append(node.module.partition(".")[0])
    return list(dict.fromkeys(names))
