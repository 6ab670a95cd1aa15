"""What the settings of git name: files that they include, hook folders and programs.

git itself reads the settings, of all scopes; `git config` executes nothing that they name.
"""

from __future__ import annotations

import glob
import os
import re
import shlex
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache

from ..core.record import Record
from ..repo.plumbing import ask_user_git

# The last word of a setting whose whole value is the path of a program, or of a folder with some.
PATH_NAMES = (
    *("hookspath", "templatedir", "attributesfile", "askpass", "program", "path", "smtpserver"),
)
# The last word of a setting whose value is a command line.
COMMAND_NAMES = (
    *("fsmonitor", "sshcommand", "editor", "pager", "alternaterefscommand", "defaultkeycommand"),
    *("helper", "external", "command", "cmd", "textconv", "driver", "clean", "smudge", "process"),
    *("update", "difffilter", "packobjectshook", "uploadpack", "receivepack", "sendmailcmd"),
    *("tocmd", "cccmd", "headercmd", "tunnel", "httpd", "browser", "gitproxy"),
)
NEVER_IN_PATH = ("hookspath", "templatedir", "attributesfile")
COMMAND_SECTIONS = ("alias", "pager")
# Variables with which a person names such a program for every repository.
COMMANDS_IN_ENVIRONMENT = (
    *("GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR"),
    *("GIT_PAGER", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_PROXY_COMMAND", "EDITOR", "VISUAL", "PAGER"),
)
PATHS_IN_ENVIRONMENT = ("GIT_TEMPLATE_DIR", "GIT_EXEC_PATH")
# Between the words of a command line, whatever a shell makes of them.
WORD_ENDS = re.compile(r"[\s\"'`;|&(){}<>=!]+")
HOME = re.compile(r"\$HOME\b|\$\{HOME\}")
# A folder that only the shell finds out, at the start of a path: it may be the project's top.
FOUND_OUT = re.compile(r"\"?(?:\$\([^()]*\)|`[^`]*`|\$\{?\w+\}?)\"?/")
# A word that may name a file that does not exist yet; not `s/old/new/`, which sed takes.
PATH_WORD = re.compile(r"(?!s/[^/]*/[^/]*/\w*$)[\w.@+~/-]*/[\w.@+~/-]+")
SCRIPT_WORD = re.compile(r"[\w.-]+\.(?:sh|bash|zsh|py|pl|rb|php|lua|ts|[cm]?js)")
_ORIGINS: dict[str, None] = {}  # files of the person's settings, with those that they include


class NamedPaths(Record):
    """What decides which programs git runs; some of these paths may not exist yet."""

    files: tuple[str, ...] = ()  # settings, and those that they include
    programs: tuple[str, ...] = ()  # programs, and folders with hooks


def find_named_paths(configs: dict[str, str], top: str) -> NamedPaths:
    """What these files and the person's own settings name.

    `configs` has for each file of a repository the checkout in which git would run its programs;
    `top` is the one of the project.
    """
    entries: Iterable[tuple[str, str, str]] = _entries_of_person(top)
    seen = {origin for origin, _, _ in entries}
    files, programs = dict(configs), [*_programs_of_variables(top)]
    files |= dict.fromkeys((*seen, *_files_of_person(top)), top)
    waiting = list(configs)
    while entries or waiting:
        for origin, name, value in entries:
            base = files.get(origin, top)
            programs += _programs_of_setting(name, value, base)
            if re.fullmatch(r"include(if\..*)?\.path", name):  # whatever its condition says now
                path = resolve_path(value, os.path.dirname(origin))
                waiting += [] if path in seen else [path]
                files.setdefault(path, base)
        entries = ()
        if waiting:
            path = waiting.pop()
            seen.add(path)
            entries = [(path, *setting) for setting in read_settings(path)]
    return NamedPaths(_once(files), _once(programs))


def _once(paths: Iterable[str]) -> tuple[str, ...]:
    """These paths, and where links on the way lead: into the project, perhaps."""
    both = (name for path in paths for name in (path, os.path.realpath(path)))
    return tuple(path for path in dict.fromkeys(both) if path != os.devnull)


def read_settings(path: str) -> tuple[tuple[str, str], ...]:
    """The settings of one file. A pipe in its place is not waited for."""
    return _read_settings(path, _stamp(path)) if os.path.isfile(path) else ()


def _entries_of_person(top: str) -> tuple[tuple[str, str, str], ...]:
    """File, name and value of the settings of system, user and environment."""
    given = {name: text for name, text in os.environ.items() if name.startswith("GIT_CONFIG")}
    stamps = (*map(_stamp, (*_files_of_person(top), *_ORIGINS)), os.path.expanduser("~"))
    entries = _read_person_settings(top, tuple(sorted(given.items())), stamps)
    _ORIGINS.update(dict.fromkeys(origin for origin, _, _ in entries))
    return entries


def _files_of_person(top: str) -> tuple[str, ...]:
    """The files with settings that git reads for every repository, existing or not."""
    home = os.path.expanduser("~")
    xdg = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    named = (os.environ.get(name) for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"))
    usual = ("~/.gitconfig", f"{xdg}/git/config", f"{xdg}/git/attributes", "/etc/gitconfig")
    return tuple(resolve_path(path, top) for path in (*usual, *filter(None, named)))


def _stamp(path: str) -> object:
    """Changes when the file does: a process of git is saved where it did not."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=100)
def _read_settings(path: str, stamp: object) -> tuple[tuple[str, str], ...]:
    _, output = ask_user_git("/", "config", "--file", path, "--list", "-z")
    return tuple(_setting(field) for field in os.fsdecode(output).split("\0") if field)


@lru_cache(maxsize=20)
def _read_person_settings(
    top: str, given: tuple[tuple[str, str], ...], stamps: object
) -> tuple[tuple[str, str, str], ...]:
    variables = {**dict(given), "GIT_DIR": os.devnull}  # those of the repository are read by name
    words = ("config", "--list", "--show-origin", "-z")
    _, output = ask_user_git(top, *words, variables=variables)
    fields = os.fsdecode(output).split("\0")
    entries = []
    for origin, field in zip(fields[::2], fields[1::2], strict=False):
        path = origin.removeprefix("file:") if origin.startswith("file:") else os.devnull
        entries.append((os.path.join(top, path), *_setting(field)))
    return tuple(entries)


def _setting(field: str) -> tuple[str, str]:
    """Name and value; the first and the last part of a name are in small letters."""
    name, _, value = field.partition("\n")
    return name, value


def _programs_of_setting(name: str, value: str, base: str) -> Iterator[str]:
    section, last = name.partition(".")[0], name.rpartition(".")[2]
    if section in COMMAND_SECTIONS or last in COMMAND_NAMES:
        if section != "alias" or value.startswith("!"):  # else it is a command of git itself
            yield from programs_of_command(value, base)
        return
    is_program = last in PATH_NAMES and section not in ("include", "includeif", "submodule")
    if is_program and value and (last in NEVER_IN_PATH or "/" in value):
        yield resolve_path(value, base)


def _programs_of_variables(top: str) -> Iterator[str]:
    for name in COMMANDS_IN_ENVIRONMENT:
        yield from programs_of_command(os.environ.get(name, ""), top)
    for name in PATHS_IN_ENVIRONMENT:
        if value := os.environ.get(name, ""):
            yield resolve_path(value, top)


def programs_of_command(line: str, base: str) -> Iterator[str]:
    """Every file of the project that a command line names, existing or not.

    Which word a shell executes in the end is not to be foreseen (`nice -n 5 tools/x`, `sh < x`).
    """
    line = HOME.sub(lambda _: os.path.expanduser("~"), line.lstrip("!"))
    text = f"{line}\n{FOUND_OUT.sub('./', line)}"
    words = WORD_ENDS.split(text)
    with suppress(ValueError):  # a quote without its end
        words += shlex.split(text)
    first = next(iter(line.split()), "")
    for word in dict.fromkeys(filter(None, words)):
        path = resolve_path(word, base)
        if word == first and "/" not in word:  # looked up in the PATH, never in the project
            continue
        if os.path.lexists(path):
            # No command executes a folder. One without files is ours, in place of a program.
            yield from () if os.path.isdir(path) and not _is_empty(path) else (path,)
        elif PATH_WORD.fullmatch(word) or SCRIPT_WORD.fullmatch(word):
            yield path
        elif "/" in word:
            yield from (name for name in glob.glob(path) if os.access(name, os.X_OK))


def _is_empty(folder: str) -> bool:
    try:
        return not os.listdir(folder)
    except OSError:  # somebody else's
        return False


def resolve_path(name: str, base: str) -> str:
    return os.path.normpath(os.path.join(base, os.path.expanduser(name)))
