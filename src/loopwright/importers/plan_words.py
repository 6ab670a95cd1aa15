"""Derive from the words of a check which file it is about and what must be in that file.

In doubt the result is empty: then an agent or a person has to look.
"""

from __future__ import annotations

import os

from .. import lazy_re as re
from ..core.plan.plan import CONTENT, FILE, PlannedFile

QUOTED = re.compile(r"""\"([^"\n]+)"|“([^”\n]+)”|`([^`\n]+)`|(?<!\w)'([^'\n]+)'(?!\w)""")
# We can only check that every wanted text is there. These words ask for something else.
NOT_CHECKABLE = re.compile(
    r"\b(not|no|never|without|cannot|neither|nor|or|either|removed?|deleted?|gone|absent)\b"
    r"|n't\b|n’t\b",
    re.I,
)
PATH = re.compile(r"[\w.@~+-]*(?:/[\w.@~+-]+)+/?|\.?[\w@+-]+(?:\.[\w@+-]+)*\.[A-Za-z]\w*")
NAME = re.compile(r"[a-z][A-Z]|[._/]\w|\w_")
NO_NAME = re.compile(r"[A-Za-z]+/[A-Za-z]+|e\.g|i\.e|[\d.,_/%-]+")  # read/write, and/or, 3.5
MAX_WORD, MAX_FILES = 300, 200
CONTROL_CHARACTER = re.compile(r"[\x00-\x1f]")
RESERVED = (".git", ".loop")


def check_target(
    kind: str, text: str, files: tuple[PlannedFile, ...]
) -> tuple[str, tuple[str, ...]]:
    """The path that a check of this kind looks at, and the texts that must be in that file."""
    unquoted = QUOTED.sub(" ", text)
    if kind not in (FILE, CONTENT) or NOT_CHECKABLE.search(unquoted):
        return "", ()
    paths = [file.path for file in files[:MAX_FILES]]
    path = _file_path(text, paths) if kind == FILE else _content_path(text, unquoted, paths)
    if kind == FILE or not path:
        return path, ()
    own_names = (path, _file_name(path))
    quoted = ("".join(groups).strip() for groups in QUOTED.findall(text))
    wanted = [word for word in quoted if word and word not in own_names]
    wanted = wanted or _code_names(unquoted, own_names)
    return path, tuple(dict.fromkeys(wanted))


def _file_path(text: str, paths: list[str]) -> str:
    """One of the task's files that the text names; else another path in it; else the first file."""
    return _mentioned_path(text, paths) or _other_path(_bare_words(text), paths)


def _content_path(text: str, unquoted: str, paths: list[str]) -> str:
    """The same for a check of content.

    What a file must contain may be the name of a file, too. That name is quoted or follows
    "contain", so only the words before it count.
    """
    subject, verb, _ = text.partition(" contain")
    if not verb:
        subject = text[:MAX_WORD].partition(" ")[0]
    words = _bare_words(subject)
    mentioned = _mentioned_path(unquoted, paths) or _mentioned_path(" ".join(words), paths)
    return mentioned or _other_path(words, paths)


def _mentioned_path(text: str, paths: list[str]) -> str:
    """The first of the paths that the text names; else the first whose file name it names."""
    for path in paths:
        if _mentions(text, path):
            return path
    for path in paths:
        if _mentions(text, _file_name(path)):
            return path
    return ""


def _other_path(words: list[str], paths: list[str]) -> str:
    """The first word that is a path; else the first file of the task."""
    for word in words:
        if PATH.fullmatch(word) and not path_problem(word):
            return word
    return paths[0] if paths else ""


def _file_name(path: str) -> str:
    return path.rpartition("/")[2]


def _bare_words(text: str) -> list[str]:
    return [_bare_word(word) for word in text.split()]


def _bare_word(word: str) -> str:
    return word.strip("\"'`“”‘’,;:()[]").rstrip(".!?") if len(word) <= MAX_WORD else ""


def _mentions(text: str, name: str) -> bool:
    if not name or name not in text:
        return False
    return bool(re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w/-]|\.\w)", text))


def _code_names(text: str, own_names: tuple[str, ...]) -> list[str]:
    """Words that look like names in code: a dot, a slash, an underscore or a capital inside."""
    names = [word for word in _bare_words(text) if NAME.search(word)]
    return [name for name in names if name not in own_names and not NO_NAME.fullmatch(name)]


def is_there(root: str, path: str) -> bool:
    """True for a path that cannot be one, too: the linter reports it."""
    return bool(path_problem(path)) or os.path.lexists(os.path.join(root, path))


def path_problem(path: str) -> str:
    """Why a path cannot be a file of this repository; "" if it can."""
    parts = re.split(r"[/\\]", path)
    if not path.strip() or CONTROL_CHARACTER.search(path):
        return "is no path"
    if parts[0] in ("", "~") or re.match(r"[A-Za-z]:", path):
        return "is outside the repository"
    if ".." in parts:
        return "leads through `..`"
    reserved = next((part for part in parts if part.lower() in RESERVED), "")
    return f"is inside {reserved}/, which is not the plan's to write" if reserved else ""
