"""Reads the commands by which a project checks itself, from scripts, makefiles and CI files."""

from __future__ import annotations

import posixpath
import shlex
from itertools import islice

from .. import lazy_re as re
from ..core.record import Record
from ..formats.flat_settings import MAX_CHARS, line_of, read, yaml_outline
from ..formats.toml_text import parse_toml
from .shell_text import ShellState, simple_commands
from .wrappers import unwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = ("tests", "lint", "types", "any")  # what a command can prove; the order of the groups below
CHECK_TOOL = re.compile(
    r"(pytest|unittest|tox|nox|jest|vitest|mocha|ava|karma|playwright|cypress|rspec|phpunit|ctest"
    r"|bats|behave|stestr|mvn|gradlew?|go|cargo|deno|dotnet|manage\.py|mix|rails|flutter|bun"
    r"|react-scripts)"
    r"|(ruff|flake8|pylint|eslint|biome|oxlint|stylelint|black|isort|prettier|golangci-lint|rubocop"
    r"|shellcheck|bandit|pre-commit|prek)"
    r"|(mypy|(?:based)?pyright|(?:vue-)?tsc|svelte-check)"
    r"|(coverage|nyc|c8)"
)
CHECK_NAME = re.compile(  # names of scripts, targets and files that check something
    r"(?i)(?:^|[\W_])(?:(tests?|specs?|e2e|unit|integration|smoke)|(lint|format)"
    r"|(types?|type-?check)|(checks?|verify|validate|gates?|ci|coverage|quality))(?=$|[\W_])"
)
# The same for paths, with the words of those who only start others.
CHECK_WORD = re.compile(
    r"(?:^|[/_.-])(?:checks?|tests?|lint|verify|ci|build|run|coverage|spec|validate|gate|e2e)"
    r"(?:[/_.-]|$)"
)
RELEASE_STEP = re.compile("release|publish|upload|deploy|bump|changelog")
FORMATTER = re.compile("black|isort|prettier|ruff format")
FORMATTER_CHECKS = {"--check", "-c", "--list-different", "-l", "--diff"}
TOOL_WITH_VERB = re.compile(
    r"ruff|go|cargo|deno|dotnet|manage\.py|mix|rails|flutter|bun|playwright|cypress|coverage|biome"
)
CHECK_VERB = re.compile(r"test|vet|clippy|nextest|check|lint|run|report|ci|analyze")
INTERPRETER = re.compile(r"(?:python|pypy)[\d.]*|node|tsx|ruby|perl|php|ba?sh|zsh|source|\.")
WRAPPER = re.compile(rf"{INTERPRETER.pattern}|docker|nyc|c8|coverage")
OTHER_NAMES = {"py.test": "pytest"}
COVERAGE_WRAPPERS = ("nyc", "c8")  # their own options ask for something too
PACKAGE_MANAGER = re.compile(r"npm|yarn|pnpm")
GOAL_CALLERS = ("make", "just", "task")  # they run entries by name
CALLERS = ("script", *GOAL_CALLERS)  # `script` is the one name for all that run package scripts
SCRIPT_CALLERS = ("run-s", "run-p", "npm-run-all")
SUBSTITUTION = re.compile(r"\w+=\$\(([^()]+)$")
MAKEFILE = re.compile(r"(?:GNU)?[mM]akefile|.*\.mk|\.?[jJ]ustfile")
CI_FILE = re.compile(  # a service reads only the file in the root; those of copied packages rest
    r"^(?:\.github/(?:workflows|actions)/.+|\.gitlab-ci|\.circleci/config|azure-pipelines"
    r"|\.travis)\.ya?ml$|(?:^|/)[Tt]askfile\.ya?ml$"
)
SCRIPT_SUFFIXES = (".sh", ".bash")
COMMAND_FILES = ("package.json", "tox.ini", "tox.toml")
MAKE_TARGET = re.compile(r"@?([\w./%-]++)[^:=\n]*+::?(?![=:])([^#;\n]*)")
SHELL_SHEBANG = re.compile(r"#![^\n]*\b(?:ba|z|da|k)?sh\b")
RUN_KEYS = ("run", "script", "bash", "command", "commands", "before_script", "cmds", "cmd")
IGNORES_FAILURE = re.compile(
    r"(?:continue-on-error|continueOnError|allow_failure|ignore_error): true|when: manual"
    r"|(?:if|when|condition): (?:\$\{\{\s*)?(?:false|never|0)(?:\s*\}\})?"
)
CI_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")
MAX_COMMANDS = 1000  # of one file
MAX_IGNORING = 100  # keys of one CI file that hide failures


class Command(Record):
    """A command under the one name of its program, and what hides its failure ("": nothing)."""

    path: str
    entry: str
    line: int
    words: tuple[str, ...] = ()
    text: str = ""  # until the words are known
    failure_ignored_by: str = ""
    errexit: bool = False

    def __str__(self) -> str:
        return " ".join(self.words)[:200]

    @property
    def kind(self) -> str:
        """What it proves, one of KINDS; "" if it proves nothing."""
        tool, _, verb = self.words[0].partition(" ")
        if tool == "node" and "--test" in self.words:
            return "tests"
        if tool in ("tox", "nox") and self._is_release_step():
            return ""
        if FORMATTER.match(self.words[0]):
            return "lint" if FORMATTER_CHECKS & set(self.words) else ""
        match = None
        if not TOOL_WITH_VERB.fullmatch(tool) or CHECK_VERB.fullmatch(verb):
            match = CHECK_TOOL.fullmatch(tool)
        is_entry_or_file = tool in CALLERS or re.search(r"\.\w+$|/", tool)
        if not match and is_entry_or_file:
            match = CHECK_NAME.search(self.words[0])
        return KINDS[(match.lastindex or 1) - 1] if match else ""

    def _is_release_step(self) -> bool:
        """Do tox or nox run only environments that publish something?"""
        options = zip(self.words[1:], self.words[2:], strict=False)
        names = [name for option, name in options if option in ("-e", "-s")]
        return bool(names) and all(map(RELEASE_STEP.fullmatch, names))


def is_script_file(path: str) -> bool:
    name = posixpath.basename(path)
    if name in COMMAND_FILES or name.endswith(SCRIPT_SUFFIXES):
        return True
    if MAKEFILE.fullmatch(name) or CI_FILE.search(path):
        return True
    return "." not in name  # it may begin with #!/bin/sh


def commands_in(path: str, text: str | None, errexit: bool = False) -> list[Command]:
    """The commands of a file, those of CI steps and make targets included.

    `errexit`: a script sources the file that ends at the first error.
    """
    if not text or len(text) > MAX_CHARS:
        return []
    entries = [entry.but(errexit=entry.errexit or errexit) for entry in _entries(path, text)]
    commands = (command for entry in entries for command in _entry_commands(entry))
    return list(islice(commands, MAX_COMMANDS))


def _entries(path: str, text: str) -> Iterator[Command]:
    """The entries of a file, each with its shell text."""
    name = posixpath.basename(path)
    if MAKEFILE.fullmatch(name):
        yield from make_entries(path, text)
    elif CI_FILE.search(path):
        yield from _ci_entries(path, text)
    elif name == "tox.toml":
        yield from _tox_entries(path, text)
    elif name in COMMAND_FILES:
        yield from _settings_entries(path, text)
    elif name.endswith(SCRIPT_SUFFIXES) or SHELL_SHEBANG.match(text):
        errexit = bool(re.match(r"#!.*\s-\w*e", text))
        yield Command(path, path, 1, text=text, errexit=errexit)


def _settings_entries(path: str, text: str) -> Iterator[Command]:
    """The scripts of package.json and the commands of tox."""
    for key, words in (read(path, text) or {}).items():
        if not key.startswith("scripts.") and not key.endswith(".commands"):
            continue
        for word in words:
            line = line_of(text, key, word)
            yield _recipe_command(path, key.removeprefix("scripts."), line, word)


def _tox_entries(path: str, text: str) -> Iterator[Command]:
    """The commands of tox.toml: each is a list of words, and tables among them hold defaults."""
    try:
        content = parse_toml(text)
    except ValueError:
        return
    environments = content.get("env", {})
    tables = {"testenv": content, "testenv.base": content.get("env_run_base", {})}
    if isinstance(environments, dict):
        tables |= {f"testenv:{name}": table for name, table in environments.items()}
    for name, table in tables.items():
        commands = table.get("commands") if isinstance(table, dict) else None
        for command in commands if isinstance(commands, list) else ():
            words = _words_of_list(command)
            if words:
                line = line_of(text, "commands", words[0])
                yield _recipe_command(path, f"{name}.commands", line, shlex.join(words))


def _words_of_list(command: object) -> list[str]:
    if isinstance(command, str):
        return [command]
    if isinstance(command, dict):
        command = command.get("default", [])
    if not isinstance(command, list):
        return []
    return [word for part in command for word in _words_of_list(part)]


def _recipe_command(path: str, entry: str, line: int, text: str) -> Command:
    command = text.lstrip("@+- \t")
    prefix = text[: len(text) - len(command)]
    return Command(
        path=path,
        entry=entry,
        line=line,
        text=command.replace("$$", "$"),
        failure_ignored_by="- before the command" if "-" in prefix else "",
    )


def make_entries(path: str, text: str) -> Iterator[Command]:
    """The targets of make and the recipes of just. A target calls the targets that it needs."""
    entry, number = "", 1
    # A line that ends with a backslash continues in the next one.
    for line in text.replace("\\\n", "\r").split("\n"):
        target = MAKE_TARGET.match(line)
        if line[:1] in ("\t", " ") and line.strip() and entry:
            yield _recipe_command(path, entry, number, line.replace("\r", " "))
        elif target and not target[1].startswith("."):
            entry = target[1]
            for need in re.findall(r"(?<!\S)[\w-]+(?!\S)", target[2]):
                yield Command(path, entry, number, text=f"make {need}")
        number += 1 + line.count("\r")


def _ci_entries(path: str, text: str) -> Iterator[Command]:
    """The steps of the jobs, with what the step and its job say about failures."""
    values = [(keys, value, line) for keys, value, line in yaml_outline(text) if keys and value]
    ignoring = []
    for keys, value, _ in values:
        setting = f"{keys[-1]}: {value}"
        if IGNORES_FAILURE.fullmatch(setting):
            ignoring.append((keys[:-1], setting))
    for keys, value, line in values:
        entry = _ci_entry_name(keys)
        if entry is None:
            continue
        yield Command(
            path=path,
            entry=entry,
            line=line,
            text=CI_EXPRESSION.sub(_one_word, value).strip("[]"),
            failure_ignored_by=_ignoring_setting(keys, ignoring[:MAX_IGNORING]),
            errexit=True,
        )


def _one_word(expression: re.Match[str]) -> str:
    """An expression of CI as one word: its `||` and `&&` are not those of the shell."""
    return "$" + re.sub(r"\W+", "_", expression[1]).strip("_")


def _ci_entry_name(keys: tuple[str, ...]) -> str | None:
    """The keys above a command, joined; None if the value is not a command."""
    run_key = next((i for i, key in enumerate(keys) if key in RUN_KEYS), len(keys))
    below = keys[run_key:]
    if not below or not all(key.isdigit() or key in RUN_KEYS for key in below):
        return None
    above = [key for key in keys[:run_key] if not key.isdigit()]
    return "/".join(key for key in above if key not in ("steps", "tasks"))


def _ignoring_setting(keys: tuple[str, ...], ignoring: list[tuple[tuple[str, ...], str]]) -> str:
    for above, setting in ignoring:
        if above and keys[: len(above)] == above:
            return setting
    return ""


def _entry_commands(entry: Command) -> Iterator[Command]:
    """The commands of an entry, in their order, each with what hides its failure."""
    state = ShellState(entry.errexit, entry.failure_ignored_by)
    follows_separator = True
    for command in simple_commands(entry.text):
        state.enter(command.words)
        found = entry.but(
            text="",
            line=entry.line + command.line - 1,
            failure_ignored_by=state.hiding_reason(command),
        )
        for words in _normalized_commands(command.words):
            yield found.but(words=words)
        state.run(command.words, follows_separator)
        follows_separator = command.separator[:1] in "\n;"


def _normalized_commands(words: list[str]) -> list[tuple[str, ...]]:
    """The command without wrappers, under its program's one name; one for each goal it calls."""
    wrapper = posixpath.basename(words[0]) if words else ""
    if wrapper in COVERAGE_WRAPPERS:
        inner = _without_wrappers(words)[0]
        options = words[1 : len(words) - len(inner)]
        if options and options[0].startswith("-"):
            return [(wrapper, *options), *_normalized_commands(inner)]
    words, names = _without_wrappers(words)
    if not words:
        return []
    name, rest = OTHER_NAMES.get(names[0], names[0]), [w for w in words[1:] if w != "--"]
    if PACKAGE_MANAGER.fullmatch(name) and rest:
        script = _called_script(rest)
        return [(f"script {script[0]}", *script[1:])] if script else [tuple(words)]
    if name in GOAL_CALLERS or name in SCRIPT_CALLERS:
        caller = name if name in GOAL_CALLERS else "script"
        goals = [(f"{caller} {goal}",) for goal in rest if goal[0] != "-"]
        return [*goals] or [tuple(words)]
    if name == "ruff" and rest and not re.fullmatch(r"[a-z]+", rest[0]):
        rest = ["check", *rest]  # what ruff did without a verb, in its old versions
    if TOOL_WITH_VERB.fullmatch(name) and rest:
        return [(f"{name} {rest[0]}", *rest[1:])]
    program = name if CHECK_TOOL.fullmatch(name) else words[0]
    return [(program, *(word for word in rest if word != "run"))]


def _without_wrappers(words: list[str]) -> tuple[list[str], list[str]]:
    """The words from the program on, and the base name of each."""
    if len(words) > 1 and (match := SUBSTITUTION.match(words[0])):  # x=$(program words)
        words = [match[1], *words[1:-1], words[-1].removesuffix(")")]
    words, _ = unwrap(words)
    names = [posixpath.basename(word.strip("(){}$")) for word in words]
    # $(PYTEST) is the program that its name says.
    names = [name.lower() if name.isupper() else name for name in names]
    if not names or not WRAPPER.fullmatch(names[0]):
        return words, names
    begin = next((i for i, name in enumerate(names) if i and _is_check_program(name)), 0)
    if not begin and INTERPRETER.fullmatch(names[0]) and names[1:2] > ["0"]:
        begin = 1  # the script that an interpreter runs; not one of its options
    return words[begin:], names[begin:]


def _is_check_program(name: str) -> bool:
    return bool(CHECK_TOOL.fullmatch(name) or PACKAGE_MANAGER.fullmatch(name))


def _called_script(words: list[str]) -> list[str]:
    """The script that a package manager runs, and its arguments; empty for `npm install`."""
    if words[0] in ("run", "run-script"):
        return words[1:]
    if CHECK_NAME.search(words[0]) and words[0] != "ci":
        return words
    return []
