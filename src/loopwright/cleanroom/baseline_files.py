"""The files of the start, as the rules of the ratchet search and read them."""

from __future__ import annotations

import os
from functools import cached_property

from ..checks.surroundings import programs_run_by, surrounding_kind
from ..ratchet.script_project import ScriptProject
from ..repo import kept_trees
from ..repo.baseline import MAX_BYTES
from ..repo.plumbing import ask_user_git
from ..repo.user_repo import tracked_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .trees import RoomTrees

MAX_USERS = 40  # a word in more files than this is too common to name a helper


class BaselineFiles:
    """The kept tree of the start, and the programs that the checks run in it."""

    def __init__(self, trees: RoomTrees, commands: tuple[str | tuple[str, ...], ...]) -> None:
        self.trees, self.commands = trees, commands
        self.kind_of: Mapping[str, str] = {}  # of the files that changed since

    @cached_property
    def programs(self) -> frozenset[str]:
        """Files that checks and setup run: by their command, make, npm or a script."""
        return frozenset(
            name for command in self.commands for name in programs_run_by(command, self.read_file)
        )

    @cached_property
    def scripts(self) -> ScriptProject:
        return ScriptProject(self.list_files, self.read_files, self.commands, self.programs)

    def list_files(self) -> frozenset[str]:
        return tracked_files(self.trees.root, self.trees.baseline)

    def read_file(self, path: str) -> str | None:
        return self.read_files((path,)).get(path)

    def read_files(self, paths: Iterable[str]) -> dict[str, str]:
        trees, names = self.trees, sorted(paths)
        contents = kept_trees.file_contents(
            trees.root, trees.loop_path, trees.baseline, names, MAX_BYTES
        )
        return {path: decode_text(data) or "" for path, data in contents.items()}

    def find_tests(self, words: set[str]) -> dict[str, str]:
        """The tests that contain one of the words: path and text."""
        users = self.users_by_word(words)
        texts = self.read_files({path for found in users.values() for path in found})
        return {path: text for path, text in texts.items() if surrounding_kind(path, text, text)}

    def users_by_word(self, words: set[str]) -> dict[str, set[str]]:
        """The files that contain each word; without words that are in many files."""
        if not words:
            return {}
        patterns = [part for word in sorted(words) for part in ("-e", word)]
        flags = ("-o", "-z", "-I", "--word-regexp", "--fixed-strings")
        trees = self.trees
        _, out = ask_user_git(trees.root, "grep", *flags, *patterns, trees.baseline)
        users: dict[str, set[str]] = {}
        for row in out.split(b"\n"):
            place, _, word = row.partition(b"\0")
            users.setdefault(os.fsdecode(word), set()).add(os.fsdecode(place).partition(":")[2])
        return {word: paths for word, paths in users.items() if len(paths) <= MAX_USERS}


def decode_text(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "replace")
