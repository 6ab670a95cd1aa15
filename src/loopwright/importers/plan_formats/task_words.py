"""Find in the words of a task the files that it names and the commands that check it."""

from __future__ import annotations

from collections.abc import Iterable

from ... import lazy_re as re
from ...core.plan.plan import PlannedFile, TaskCheck
from ..plan_text import split_command
from ..plan_words import path_problem

CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.@+~()\[\]-]+(?:/[\w.@+~()\[\]-]+)*\.[A-Za-z]\w{0,9}")
WINDOWS_PATH = re.compile(r"(?:\.\\)?[\w.@+~()\[\]-]+(?:\\[\w.@+~()\[\]-]+)+")
PRODUCT_NAMES = re.compile(r"\.(?:js|io|net)/", re.I)  # Node.js/Express.js is no path
# _Files: src/a.ts, src/b.ts_ in italics; __init__.py and _config.yml are names.
EMPHASIS = re.compile(r"(?<![\w/.`\\])_{1,3}(?=\S)(.{1,300}?)(?<=\S)_{1,3}(?![\w/.`\\])")
# `src/` directory with `a.py` and `b.py`: names that are listed for a folder are in it.
LISTED = re.compile(
    r"`((?:[\w.@+~-]+/)+)`"
    r"(?:\s+(?:directory|dir|folder|package|module|subdirectory|subfolder))?"
    r"\s*(?:with|containing|contains|including|holding|has|:|\(|[—–-])"
    r"((?:(?:\s|[&,]|\b(?:an?|the|empty|new|initial|both|and)\b)*`[^`\s/]+`)+)",
    re.I,
)
NAMES_IN_EVERY_FOLDER = ("__init__.py", "__main__.py", "mod.rs")  # alone they name no place
QUOTES = "\"'`“”‘’,;:*"
NO_FILES = ("none", "n/a", "[]")
MAX_FILES, MAX_WORD = 50, 300
PROGRAM_NAMES = """
    ! [ ant awk bash bats bazel biome black bun bundle bunx cargo cat cd clang cmake
    composer coverage ctest curl cypress deno diff docker dotnet echo env eslint false find
    flake8 gcc git go golangci-lint gradle grep hatch isort java jest jq just lint-imports
    ls make meson mix mocha mvn mypy ninja node nox npm npx nx pdm perl php phpunit
    playwright pnpm poetry pre-commit prettier psql pylint pytest python python3 pyright
    rake rg rspec ruby ruff rustc sbt sed sh shellcheck sqlite3 stylelint swift terraform
    test tox true tsc turbo uv uvx vitest wc yarn zig
"""
PROGRAM_FOLDERS = ("./", "bin/", "scripts/", ".venv/bin/", "venv/bin/", "node_modules/.bin/")
PROGRAMS = frozenset(PROGRAM_NAMES.split())
# Words of a sentence about a command; a command line has none of them.
PROSE = re.compile(
    r"(?:^|\s)(?:that|sure|should|must|shows?|returns?|succeeds?|passes|works|the|is|are|has|no)"
    r"(?:\s|$|[.,;])|→|=>",
    re.I,
)
# What may stand around commands in backticks without changing what they show.
WORDS_AROUND = """
    and then run runs pass passes succeed succeeds exit exits with code 0 is are all
    green clean cleanly without error errors
"""
AROUND = frozenset(WORDS_AROUND.split())


def named_files(text: str) -> tuple[PlannedFile, ...]:
    """The paths in a text; a name without a folder only in backticks. What is done is open."""
    text = LISTED.sub(_place_names, EMPHASIS.sub(r"\1", text))
    spans = {span.strip() for span in CODE.findall(text)}
    words = [
        word.strip(QUOTES).rstrip(".!?)_") for part in text.split() for word in part.split(",")
    ]
    spans |= {_with_slashes(span) for span in spans}
    paths: dict[str, None] = {}
    for word in words:
        word = _with_slashes(word)
        bare = word.strip("`(").removeprefix("./")
        is_path = len(bare) <= MAX_WORD and PATH.fullmatch(bare) and not path_problem(bare)
        has_place = "/" in bare or (word in spans and bare not in NAMES_IN_EVERY_FOLDER)
        if is_path and has_place and not PRODUCT_NAMES.search(bare):
            paths[bare] = None
    return tuple(PlannedFile(path, "") for path in list(paths)[:MAX_FILES])


def _place_names(match: re.Match[str]) -> str:
    """The text with the folder before each of its names."""
    names = CODE.sub(lambda name: f"`{match[1]}{name[1]}`", match[2])
    return f"`{match[1]}` {names}"


def listed_files(text: str) -> tuple[PlannedFile, ...]:
    """The paths of a list with commas or a path on each line; a note in brackets is left out."""
    paths: dict[str, None] = {}
    for part in re.split(r"[,;\n]", text[:100_000]):
        if len(part) > 2 * MAX_WORD:
            continue
        words = re.sub(r"\s\(.*?\)\s*$|\s[—–-]\s.*$", "", part).strip(" \t\r`\"'*-")
        path = re.sub(r"/{2,}", "/", _with_slashes(words)).removeprefix("./")
        is_prose = " " in path and "/" not in path
        if path and not is_prose and path.lower() not in NO_FILES and len(path) <= MAX_WORD:
            paths[path] = None
    return tuple(PlannedFile(path, "") for path in list(paths)[: MAX_FILES * 4])


def _with_slashes(word: str) -> str:
    """A path as Windows writes it, src\\app.py, with the slashes that git uses."""
    return word.replace("\\", "/") if WINDOWS_PATH.fullmatch(word.strip("`(")) else word


def is_command(text: str) -> bool:
    """Does this line begin with a program and read like a command?"""
    words = [word for word in text.split() if not re.fullmatch(r"\w+=\S*", word)]
    if not words or len(text) > 2_000 or "\n" in text.strip():
        return False
    unquoted = re.sub(r"'[^']*'|\"[^\"]*\"", " ", text)
    begins = words[0] in PROGRAMS or words[0].startswith(PROGRAM_FOLDERS)
    return begins and not PROSE.search(unquoted)


def command_check(text: str) -> TaskCheck | None:
    """The check of a line that is nothing but a command in backticks; None for other words."""
    code = CODE.fullmatch(text.strip())
    command = code[1].strip() if code else ""
    return TaskCheck("test", command, command) if command and is_command(command) else None


def command_checks(texts: Iterable[str]) -> tuple[TaskCheck, ...]:
    """The checks in the details of a task: commands in backticks, and (check: `command`)."""
    checks = []
    for text in texts:
        check = command_check(text)
        if check is None and split_command(text)[1]:
            check = checks_in(text)[0]
        if check:
            checks.append(check)
    return tuple(checks)


def checks_in(text: str) -> tuple[TaskCheck, ...]:
    """How a task is checked: its commands where the text is only commands, else a criterion."""
    text = text.strip()
    own_words, own_command = split_command(" ".join(text.split()))
    if not text:
        return ()
    if own_command:
        return (TaskCheck("criterion", own_words or own_command, own_command),)
    spans = [span.strip() for span in CODE.findall(text)]
    around = re.findall(r"[\w']+", CODE.sub(" ", text).lower())
    if spans and all(map(is_command, spans)) and AROUND.issuperset(around):
        return tuple(TaskCheck("test", span, span) for span in dict.fromkeys(spans))
    if is_command(text):
        return (TaskCheck("test", text, text),)
    return (TaskCheck("criterion", " ".join(text.split())),)


def parse_criterion(words: str) -> TaskCheck:
    """A criterion. Without a command after it, an agent or a person has to look."""
    if check := command_check(words):
        return check
    text, command = split_command(" ".join(words.split()))
    return TaskCheck("criterion", text or command, command)
