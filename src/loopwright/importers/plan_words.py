"""What the words of a check come to: the file it is about, and what must stand in it. In doubt nothing: then somebody looks."""

from __future__ import annotations

import re

from ..core.plan.plan import CONTENT, FILE, PlannedFile

QUOTED = re.compile(r"""\"([^"\n]+)"|“([^”\n]+)”|`([^`\n]+)`|(?<!\w)'([^'\n]+)'(?!\w)""")
# We can only tell that something is there, and all of it: words that say otherwise leave the check to whoever can read.
NOT_CHECKABLE = re.compile(
    r"\b(not|no|never|without|cannot|neither|nor|or|either|removed?|deleted?|gone|absent)\b|n't\b|n’t\b",
    re.I,
)
PATH = re.compile(r"[\w.@~+-]*(?:/[\w.@~+-]+)+/?|\.?[\w@+-]+(?:\.[\w@+-]+)*\.[A-Za-z]\w*")
NAME = re.compile(r"[a-z][A-Z]|[._/]\w|\w_")
NO_NAME = re.compile(r"[A-Za-z]+/[A-Za-z]+|e\.g|i\.e|[\d.,_/%-]+")  # read/write, and/or, 3.5
MAX_WORD, MAX_FILES = 300, 200
RESERVED = (".git", ".loop")


def check_target(
    kind: str, text: str, files: tuple[PlannedFile, ...]
) -> tuple[str, tuple[str, ...]]:
    """The path that a check of this kind looks at, and the texts that it wants to find there."""
    words = QUOTED.sub(" ", text)
    if kind not in (FILE, CONTENT) or NOT_CHECKABLE.search(words):
        return "", ()
    path = _target_path(kind, text, words, files)
    if kind == FILE or not path:
        return path, ()
    own = (path, path.rpartition("/")[2])
    quoted = [next(filter(None, found)).strip() for found in QUOTED.findall(text)]
    wanted = [one for one in quoted if one and one not in own] or _code_names(words, own)
    return path, tuple(dict.fromkeys(wanted))


def _target_path(kind: str, text: str, words: str, files: tuple[PlannedFile, ...]) -> str:
    """One of the task's files, named in the text; else another path that is; else the first of the task.

    What a text is to contain may be the name of a file too: that one is quoted, and does not come first.
    """
    paths = [file.path for file in files[:MAX_FILES]]
    subject, verb, _ = text.partition(" contain")
    spoken = [
        _bare_word(word)
        for word in (
            text if kind == FILE else subject if verb else text[:MAX_WORD].partition(" ")[0]
        ).split()
    ]
    places = (text,) if kind == FILE else (words, " ".join(spoken))
    for place in places:
        for names in (paths, [path.rpartition("/")[2] for path in paths]):
            if found := next(
                (path for path, name in zip(paths, names, strict=True) if _mentions(place, name)),
                "",
            ):
                return found
    others = [word for word in spoken if PATH.fullmatch(word) and not path_problem(word)]
    return others[0] if others else paths[0] if paths else ""


def _bare_word(word: str) -> str:
    return word.strip("\"'`“”‘’,;:()[]").rstrip(".!?") if len(word) <= MAX_WORD else ""


def _mentions(text: str, name: str) -> bool:
    return bool(
        name and name in text and re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w/-]|\.\w)", text)
    )


def _code_names(words: str, own: tuple[str, ...]) -> list[str]:
    """Words that look like names in code: with a dot, a slash, an underscore or a capital inside."""
    bare = (_bare_word(word) for word in words.split())
    return [
        word
        for word in bare
        if NAME.search(word) and word not in own and not NO_NAME.fullmatch(word)
    ]


def path_problem(path: str) -> str:
    """Why a path is none of the repository's own; "" for one that is."""
    parts = re.split(r"[/\\]", path)
    if not path.strip() or any(ord(letter) < 32 for letter in path):
        return "is no path"
    if parts[0] in ("", "~") or re.match(r"[A-Za-z]:", path):
        return "is outside the repository"
    if ".." in parts:
        return "leads through `..`"
    reserved = next((part for part in parts if part.lower() in RESERVED), "")
    return f"is inside {reserved}/, which is not the plan's to write" if reserved else ""
