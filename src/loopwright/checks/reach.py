"""Follows a check command to the programs that it starts and to the files that they read.

It looks through wrappers such as `timeout` and `uv run`, and into shells, makefiles, scripts of
package.json and the project's own shell scripts.
"""

from __future__ import annotations

import json
import os
import posixpath

from .. import lazy_re as re
from ..disk.files import read_text
from .commands import CHECK_NAME, CHECK_TOOL, CHECK_WORD, SHELL_SHEBANG, make_entries
from .shell_functions import is_shell_library
from .shell_text import SimpleCommand, simple_commands
from .wrappers import SCRIPT_RUNNERS, after_options, unwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    ReadFile = Callable[[str], str | None]

MAX_DEPTH = 6  # of commands in commands
MAX_PROGRAMS = 200
MAX_CHARS = 1_000_000  # of a file that a command leads to
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")  # make reads the first that it finds
SHELL = re.compile(r"(?:ba|da|z|k|a)?sh")
PYTHON = re.compile(r"(?:python|pypy)[\d.]*")
INTERPRETER = re.compile(r"node|ruby|perl|php|deno|tsx|ts-node")
PROGRAM_FOLDERS = ("bin", "tools", "scripts")  # of a project, which may be on PATH
# Their exit code says what they think of the input.
COMPARING_PROGRAMS = ("diff", "cmp", "comm", "grep", "egrep", "fgrep", "rg", "jq", "awk")
FILES_OF_PROGRAM = {  # files that a program reads without being told
    "make": MAKEFILES,
    "gmake": MAKEFILES,
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
    "tox": ("tox.ini", "tox.toml"),
    "nox": ("noxfile.py",),
    "pre-commit": (".pre-commit-config.yaml",),
    **dict.fromkeys(SCRIPT_RUNNERS, ("package.json",)),
}
ALL_FILES_OF_PROGRAMS = {name for names in FILES_OF_PROGRAM.values() for name in names}
MAKE_VARIABLE = re.compile(
    r"^[ \t]*(?:export[ \t]+)?([\w.]+)[ \t]*(?:::?|\?|\+)?=[ \t]*(.*)$", re.M
)
MAKE_INCLUDE = re.compile(r"^[ \t]*(?:-|s)?include[ \t]+(.+)$", re.M)
MAKE_REFERENCE = re.compile(r"\$[({]([\w.]+)[)}]")


class Reach:
    """What a command reaches; the names of files are relative to the project."""

    def __init__(self, read_file: ReadFile) -> None:
        self.read_file = read_file
        self.programs: dict[str, None] = {}
        self.files: dict[str, None] = {}  # that it names, runs or reads
        self.scripts: dict[str, None] = {}  # that it runs
        self.linted: dict[str, None] = {}  # that only linters read
        self.sourced: dict[str, None] = {}  # scripts that run inside another one
        self.libraries: dict[str, None] = {}  # product that a script sources for its functions
        self.entries: dict[tuple[str, str], None] = {}  # file and make target or script
        self.folders: dict[str, None] = {"": None}  # in which programs start
        self.lines: dict[str, None] = {}  # each simple command that it runs, as it is written

    def follow(self, command: str | tuple[str, ...], folder: str = "", depth: int = 0) -> None:
        """Add what a command reaches that starts in this folder."""
        if isinstance(command, str):
            lines = list(simple_commands(command))
        else:
            lines = [SimpleCommand(1, list(command), "", "")]
        fed = False  # does a pipe end here?
        for index, line in enumerate(lines):
            if len(self.programs) > MAX_PROGRAMS or depth > MAX_DEPTH:
                return
            self.lines[" ".join(line.words)] = None
            words = [word.strip("()") if word[:1] == "(" else word for word in line.words]
            if words[0] == "cd" and len(words) == 2:
                folder = _join(folder, words[1])
                self.folders[folder] = None
                continue
            feeds = line.separator == "|"
            if feeds and self._has_judge(lines[index + 1 :], folder):
                self._follow_measured(words, folder, depth)
            else:
                self._follow_words(words, folder, depth)
            if CHECK_WORD.search(words[0]) or (fed and not feeds):
                self._add_program_of_project(words[0], depth)
            fed = feeds

    def _has_judge(self, lines: list[SimpleCommand], folder: str) -> bool:
        """Does the pipe lead to a program that compares, or to one of the project's own?"""
        last = next((line.words for line in lines if line.separator != "|"), [""])
        if posixpath.basename(last[0]) in COMPARING_PROGRAMS:
            return True
        judge = Reach(self.read_file)
        judge._follow_words(list(last), folder, MAX_DEPTH)
        judge._add_program_of_project(last[0], MAX_DEPTH)
        return any(self.read_file(path) is not None for path in judge.scripts)

    def _follow_measured(self, words: list[str], folder: str, depth: int) -> None:
        """What a pipe hands to a judge is product, unless its name says that it checks."""
        inner = Reach(self.read_file)
        inner._follow_words(words, folder, depth)
        self.scripts |= dict.fromkeys(filter(CHECK_WORD.search, inner.scripts))
        self.files |= inner.files
        self._take_over(inner)

    def _add_program_of_project(self, word: str, depth: int) -> None:
        """A program that is found on PATH, and that lies in a folder of the project."""
        paths = [f"{folder}/{word}" for folder in PROGRAM_FOLDERS if re.fullmatch(r"[\w-]+", word)]
        found = [path for path in paths if self.read_file(path) is not None]
        self._add_script(found[:1], "", depth)

    def _follow_words(self, words: list[str], folder: str, depth: int) -> None:
        words, wrappers = unwrap(words)
        self._add_programs(*wrappers)
        if not words:
            return
        name = posixpath.basename(words[0])
        if words[0] in (".", "source"):
            self._follow_sourced(words[1:2], folder, depth)
            return
        self._add_programs(words[0])
        self._add_files([_join(folder, word) for word in words if "/" in word or "." in word], name)
        if name in FILES_OF_PROGRAM:
            self.files |= dict.fromkeys(_join(folder, file) for file in FILES_OF_PROGRAM[name])
        if name in ("make", "gmake"):
            self._follow_make(words[1:], folder, depth)
        elif name in SCRIPT_RUNNERS:
            self._follow_package_script(words[1:], folder, depth)
        elif SHELL.fullmatch(name):
            self._follow_shell(words[1:], folder, depth)
        elif PYTHON.fullmatch(name):
            self._follow_python(words, folder)
        elif INTERPRETER.fullmatch(name):
            self._add_script([w for w in words[1:] if w[:1] != "-"][:1], folder, depth)
        elif "/" in words[0]:
            self._add_script(words[:1], folder, depth)

    def _add_files(self, paths: list[str], program: str) -> None:
        """Files that a command names for this program."""
        tool = CHECK_TOOL.fullmatch(program)
        is_linter = bool(tool and (tool[2] or tool[3]))
        for path in paths:
            if not is_linter:
                self.linted.pop(path, None)
            elif path not in self.files:
                self.linted[path] = None
            self.files[path] = None

    def _follow_sourced(self, words: list[str], folder: str, depth: int) -> None:
        for word in words:
            path = _join(folder, word)
            if is_shell_library(path, self.read_file(path) or ""):
                self.libraries[path] = None
            else:
                self.sourced[path] = None
                self._add_script((word,), folder, depth)

    def _add_programs(self, *words: str) -> None:
        self.programs |= dict.fromkeys(w for w in words if "$" not in w and "`" not in w)

    def _follow_python(self, words: list[str], folder: str) -> None:
        rest = after_options(words[1:], frozenset(("-X", "-W")), ("-m", "-c"))
        if rest[:1] == ["-m"] and len(rest) > 1:
            self.programs[f"{words[0]} -m {rest[1]}"] = None
            module = posixpath.basename(rest[1])
            names = FILES_OF_PROGRAM.get(module.replace("_", "-"), ())
            self.files |= dict.fromkeys(_join(folder, file) for file in names)
        elif rest[:1] != ["-c"]:
            self._add_script(rest[:1], folder, MAX_DEPTH)

    def _follow_shell(self, words: list[str], folder: str, depth: int) -> None:
        for i, word in enumerate(words):
            if re.fullmatch(r"-\w*c\w*", word) and len(words) > i + 1:
                self.follow(words[i + 1], folder, depth + 1)
                return
            if word[:1] != "-":
                self._add_script([word], folder, depth)
                return

    def _add_script(self, words: Iterable[str], folder: str, depth: int) -> None:
        """A file of the project that runs, with the files that it sources and its own checks."""
        for word in words:
            path = _join(folder, word)
            is_known = path in self.scripts
            self.files[path] = self.scripts[path] = None
            text = self.read_file(path) if not is_known and depth < MAX_DEPTH else None
            if not text or "\0" in text:  # a compiled program
                continue
            is_shell = path.endswith((".sh", ".bash")) or SHELL_SHEBANG.match(text)
            has_other_language = text.startswith("#!") or "." in posixpath.basename(path)
            if is_shell or not has_other_language:
                self._follow_script_text(text, folder, depth)

    def _follow_script_text(self, text: str, folder: str, depth: int) -> None:
        inner = Reach(self.read_file)
        inner.scripts |= self.scripts
        inner.follow(text, folder, depth + 1)
        # What a script calls is product, unless its name says that it checks something.
        checks = [path for path in inner.scripts if CHECK_NAME.search(path)]
        own = [*inner.sourced, *checks]
        read = [path for path in inner.files if posixpath.basename(path) in ALL_FILES_OF_PROGRAMS]
        self.scripts |= dict.fromkeys(own)
        self.files |= dict.fromkeys((*own, *read))
        self._take_over(inner)

    def _take_over(self, inner: Reach) -> None:
        """Add what another command reaches, except for its files and the scripts of the product."""
        self.scripts |= inner.sourced
        self.sourced |= inner.sourced
        self.libraries |= inner.libraries
        self.programs |= inner.programs
        self.entries |= inner.entries
        self.folders |= inner.folders
        self.lines |= inner.lines

    def _follow_make(self, words: list[str], folder: str, depth: int) -> None:
        goals, names = [], list(MAKEFILES)
        waiting = list(words)
        while waiting:
            word = waiting.pop(0)
            if word in ("-C", "--directory", "-f", "--file", "--makefile") and waiting:
                value = waiting.pop(0)
                if word in ("-C", "--directory"):
                    folder = _join(folder, value)
                    self.folders[folder] = None
                else:
                    names = [value]
            elif word[:1] != "-" and "=" not in word:
                goals.append(word)
        self.files |= dict.fromkeys(_join(folder, name) for name in names)
        path = next((p for n in names if self.read_file(p := _join(folder, n)) is not None), "")
        text = self.read_file(path) if path else None
        if not text:
            return
        for listed in MAKE_INCLUDE.findall(text):
            self.files |= dict.fromkeys(_join(folder, name) for name in listed.split())
        values = dict(MAKE_VARIABLE.findall(text))
        entries = [*make_entries(path, text)]
        for goal in goals or [entry.entry for entry in entries[:1]]:
            if (path, goal) in self.entries:
                continue
            self.entries[path, goal] = None
            for entry in entries:
                if entry.entry == goal:
                    line = MAKE_REFERENCE.sub(lambda m: values.get(m[1], m[0]), entry.text)
                    self.follow(line, folder, depth + 1)

    def _follow_package_script(self, words: list[str], folder: str, depth: int) -> None:
        names = []
        waiting = list(words)
        while waiting:
            word = waiting.pop(0)
            if word in ("--prefix", "-C", "--dir", "--cwd") and waiting:
                folder = _join(folder, waiting.pop(0))
            elif word == "--":
                break
            elif word[:1] != "-" and word not in ("run", "run-script"):
                names.append("test" if word == "t" else word)
        path = _join(folder, "package.json")
        self.files[path] = None
        self.folders[folder] = None
        scripts = package_scripts(self.read_file(path))
        name = names[0] if names else ""
        for script in (f"pre{name}", name, f"post{name}"):
            if script in scripts and (path, script) not in self.entries:
                self.entries[path, script] = None
                self.follow(scripts[script], folder, depth + 1)


def reach_of(commands: Iterable[str | tuple[str, ...]], read_file: ReadFile) -> Reach:
    """What the commands reach. `read_file` gives the text of a file of the project."""
    reach = Reach(read_file)
    for command in commands:
        reach.follow(command)
    return reach


def reach_on_disk(commands: Iterable[str | tuple[str, ...]], root: str) -> Reach:
    """What the commands reach in the project that is there, and in what its paths lead to."""

    def read_file(path: str) -> str | None:
        full = os.path.join(root, path)
        return read_text(full, MAX_CHARS) if os.path.isfile(full) else None

    return reach_of(commands, read_file)


def package_scripts(text: str | None) -> dict[str, str]:
    """The scripts of a package.json."""
    try:
        scripts = json.loads(text or "{}")["scripts"]
        return {name: line for name, line in scripts.items() if isinstance(line, str)}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _join(folder: str, name: str) -> str:
    """A path below the project; the name itself if it leads elsewhere."""
    if name[:1] in "/~" or "$" in name:
        return name
    return posixpath.normpath(posixpath.join(folder, name)) if name.strip("./") else folder
