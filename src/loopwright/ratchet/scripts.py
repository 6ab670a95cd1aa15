"""The commands by which a project checks itself: which of them were dropped, narrowed, or may now fail unseen."""

from __future__ import annotations

import posixpath
import re
import shlex
from io import StringIO
from itertools import islice

from ..core.findings import HIGH, Finding
from ..core.record import Record
from ..repo.baseline import Change
from . import javascript, python, settings
from .flat_settings import MAX_CHARS, line_of, read, yaml_outline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KINDS = (
    "tests",
    "lint",
    "types",
    "any",
)  # what a command can prove, in the order of the groups below
CHECK_TOOL = re.compile(
    r"(pytest|unittest|tox|nox|jest|vitest|mocha|ava|karma|playwright|cypress|rspec|phpunit|ctest|bats|behave|mvn|gradlew?|go|cargo"
    r"|deno|dotnet|manage\.py|mix|rails|flutter|bun|react-scripts)|(ruff|flake8|pylint|eslint|biome|oxlint|stylelint|black|isort"
    r"|prettier|golangci-lint|rubocop|shellcheck|bandit|pre-commit)|(mypy|(?:based)?pyright|(?:vue-)?tsc|svelte-check)|(coverage|nyc|c8)"
)
CHECK_NAME = re.compile(  # names of what checks
    r"(?i)(?:^|[\W_])(?:(tests?|specs?|e2e|unit|integration|smoke)|(lint|format)|(types?|type-?check)"
    r"|(checks?|verify|validate|gates?|ci|coverage|quality))(?=$|[\W_])"
)
TOOL_WITH_VERB = re.compile(
    r"ruff|go|cargo|deno|dotnet|manage\.py|mix|rails|flutter|bun|playwright|cypress|coverage|biome"
)
CHECK_VERB = re.compile(r"test|vet|clippy|nextest|check|lint|run|report|ci|analyze")
INTERPRETER = re.compile(r"(?:python|pypy)[\d.]*|node|tsx|ruby|perl|php|ba?sh|zsh|source|\.")
WRAPPER = re.compile(
    rf"{INTERPRETER.pattern}|env|time|sudo|exec|p?npx|bunx|cross-env|poetry|pipenv|uvx?|pdm|hatch|docker|nyc|c8|coverage"
)
PACKAGE_MANAGER = re.compile(r"npm|yarn|pnpm")
FORGIVING_RULES = ("command-failure-forgiven", "failures-forgiven")
CALLERS = ("script", "make", "just", "task")  # of entries by their names
SHELL_KEYWORD = re.compile(
    r"if|then|else|elif|do|while|until|[!{}()]|time|fi|done|esac|function|\w+=.*"
)
HARMLESS = re.compile(
    r"(?:echo|printf|mkdir|cd|set|true|:|exit)\b|\S+ (?:-\S+ )*(?:install|ci|sync|add|mod|fetch|update)\b"
)
MAKEFILE = re.compile(r"(?:GNU)?[mM]akefile|.*\.mk|\.?[jJ]ustfile")
CI_FILE = re.compile(
    r"(?:^|/)(?:\.github/(?:workflows|actions)/.+|\.gitlab-ci|\.circleci/config|azure-pipelines|\.travis|[Tt]askfile)\.ya?ml$"
)
MAKE_TARGET = re.compile(r"@?([\w./%-]++)[^:=\n]*+::?(?![=:])([^#;\n]*)")
SHELL_SHEBANG = re.compile(r"#![^\n]*\b(?:ba|z|da|k)?sh\b")
RUN_KEYS = ("run", "script", "bash", "command", "commands", "before_script", "cmds", "cmd")
IGNORES_FAILURE = re.compile(
    r"(?:continue-on-error|continueOnError|allow_failure|ignore_error): true|when: manual"
    r"|(?:if|when|condition): (?:\$\{\{\s*)?(?:false|never|0)(?:\s*\}\})?"
)
SIGNALS_FAILURE = re.compile(
    r"\b(?:exit|return) +(?:[1-9]|\"?\$)|\b(?:false|die|fail|kill)\b|\w*(?:fail|status|rc|ret|err|code)\w*=[^0]"
)
READS_STATUS = re.compile(
    r"\$\??\{?(?:\?|PIPESTATUS|\w*(?:status|rc|code|ret|fail|result|err|exit))", re.I
)
IRRELEVANT_OPTION = re.compile(  # of no meaning for what is proven
    r"-[vqsx]+|-r\w+|-n|--(?:verbose|ci|(?:no-)?colou?rs?|tb|durations|reporters?|cov-?\w*|cov|coverage\w*|junit-?xml|maxfail|bail"
    r"|exitfirst|numprocesses|dist|cache[\w-]*|output-format|show-\S+|pretty|workers|maxWorkers|runInBand|silent|parallel|no-header)(?:=.*)?"
)
COMMENT = re.compile(r"^((?:[^'\"\n\\]|\\.|'[^'\n]*'|\"[^\"\n]*\")*?)(?:^|(?<=\s))#.*$", re.M)
HERE_DOCUMENT = re.compile(
    r"(?<!<)<<-?[ \t]*[\"']?(\w+)[\"']?[^\n]*\n(?:(?!\s*\1\s*$)[^\n]*\n){0,500}+(?:\s*\1$)?", re.M
)
REDIRECTION = re.compile(r"\d?[<>]{1,2}&?[ \t]*[\w./$-]*|&>+[ \t]*[\w./$-]+")
LAYOUT_OR_COMMENT = re.compile(
    r"(?m)(?:^|[ \t])[ \t]*(?:#|//)(?:[ \t].*)?$|\s+"
)  # layout and comments of a program
COMMAND_SEPARATORS, MAX_COMMANDS, MAX_WORDS = ";|&\n", 1000, 10_000  # of a file


class Command(Record):
    """A command, as the program's one name and the rest, and by what its failure is lost ("" where it counts)."""

    path: str
    entry: str
    line: int
    words: tuple[str, ...] = ()
    text: str = ""  # as long as the words are not known
    failure_ignored_by: str = ""
    errexit: bool = False

    def __str__(self) -> str:
        return " ".join(self.words)[:200]

    @property
    def kind(self) -> str:
        """What it proves; "" where that is nothing."""
        tool, _, verb = self.words[0].partition(" ")
        if re.match("black|isort|prettier|ruff format", self.words[0]):
            return (
                "lint"
                if {"--check", "-c", "--list-different", "-l", "--diff"} & set(self.words)
                else ""
            )
        known = (
            CHECK_TOOL.fullmatch(tool)
            if not TOOL_WITH_VERB.fullmatch(tool) or CHECK_VERB.fullmatch(verb)
            else None
        )
        if not known and (tool in CALLERS or re.search(r"\.\w+$|/", tool)):
            known = CHECK_NAME.search(self.words[0])
        return (
            next((kind for said, kind in zip(known.groups(), KINDS, strict=True) if said), "")
            if known
            else ""
        )


def is_script_file(path: str) -> bool:
    name = posixpath.basename(path)  # without an ending, it may begin with #!/bin/sh
    known = name in ("package.json", "tox.ini") or MAKEFILE.fullmatch(name) or CI_FILE.search(path)
    return bool(known) or name.endswith((".sh", ".bash")) or "." not in name


def findings(
    changes: Sequence[Change], named: frozenset[str] | set[str] = frozenset()
) -> list[Finding]:
    """What was loosened in the scripts among the changes; the check commands themselves call the named ones."""
    before = [command for one in changes for command in _commands_in(one.path, one.before)]
    after = [command for one in changes for command in _commands_in(one.path, one.after)]
    found = [
        f
        for one in before
        if one.kind and not one.failure_ignored_by
        for f in _weaker_findings(one, before, after, one.path in named)
    ]
    for change in changes:
        if change.path not in named or any(finding.file == change.path for finding in found):
            continue
        found += _rewritten_findings(change.path, before, after)
        sides = [
            LAYOUT_OR_COMMENT.sub("", text)
            for text in (change.before, change.after)
            if text and _is_program(change.path, text)
        ]
        if len(set(sides)) == 2:
            found.append(Finding(HIGH, "check-program-changed", change.path))
    return list({finding.key: finding for finding in reversed(found)}.values())[::-1]


def _weaker_findings(
    one: Command, before: list[Command], after: list[Command], named: bool
) -> list[Finding]:
    """How a check proves less than it did, where it stood or, if it is not there, wherever it is now."""
    here = [
        [c for c in side if (c.path, c.entry, c.words[0]) == (one.path, one.entry, one.words[0])]
        for side in (before, after)
    ]
    same = here[1] or [c for c in after if c.words[0] == one.words[0]]
    fewer = 0 < len(here[1]) < len(here[0]) and not any(
        {w for w in one.words if w[:1] != "-"} <= {*c.words} for c in same
    )
    if not same or fewer:
        return _removed_findings(one, before, after, named)
    same = [c for c in same if c.words == one.words] or same
    tried = [
        _loosened_findings(one, other)
        for other in {(c.words, c.failure_ignored_by): c for c in same}.values()
    ]
    best = min(
        tried, key=lambda found: (any(finding.severity == HIGH for finding in found), len(found))
    )
    parts = len(here[1]) > len(here[0])  # split into several that may make a whole
    return [finding for finding in best if not parts or finding.rule in FORGIVING_RULES]


def _loosened_findings(one: Command, other: Command) -> list[Finding]:
    said = (other.path, other.line, str(one))
    found = (
        [Finding(HIGH, "command-failure-forgiven", *said, f"{other} ({other.failure_ignored_by})")]
        if other.failure_ignored_by
        else []
    )
    for _, severity, rule in settings.loosened_settings(
        settings.command_settings(one.words), settings.command_settings(other.words), {}
    ):
        found.append(Finding(severity, rule, *said, str(other)))
    return found


def _removed_findings(
    one: Command, before: list[Command], after: list[Command], named: bool
) -> list[Finding]:
    """A check that is nowhere any more; unless an entry was renamed, or another tool of the same kind came."""
    goal = one.words[0].partition(" ")[2]
    renamed = goal in {c.entry for c in before} and goal not in {c.entry for c in after}
    known = {c.words[0] for c in before}
    kinds = {c.kind for c in after if not c.failure_ignored_by and c.words[0] not in known}
    swapped = one.kind in kinds or "any" in kinds or (one.kind == "any" and kinds - {""})
    return (
        []
        if renamed or (swapped and not named)
        else [Finding(HIGH, "check-removed", one.path, 0, str(one))]
    )


def _rewritten_findings(path: str, before: list[Command], after: list[Command]) -> list[Finding]:
    """In what a check command calls, whatever else changed is a change of the check; what was added is not."""
    now = [c for c in after if c.path == path]
    for one in before if now else ():
        own = (
            one.path == path
            and (one.entry == path or CHECK_NAME.search(one.entry))
            and one.words[0].split(" ")[0] not in CALLERS
        )
        same = [c for c in now if c.words[0] == one.words[0]]
        differ = all(
            any(not IRRELEVANT_OPTION.fullmatch(word) for word in {*one.words} ^ {*c.words})
            for c in same
        )
        if own and differ and not HARMLESS.match(str(one)):
            other = same[0] if same else Command(path, "", 0)
            return [Finding(HIGH, "check-command-changed", path, other.line, str(one), str(other))]
    return []


def _is_program(path: str, text: str) -> bool:
    name = posixpath.basename(path)
    runs = (
        name.endswith((".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php"))
        or "." not in name
    )
    others = any(
        other(path) for other in (settings.is_settings_file, python.is_test, javascript.is_test)
    ) or MAKEFILE.fullmatch(name)
    return runs and not others and not SHELL_SHEBANG.match(text) and bool(CHECK_NAME.search(name))


def _commands_in(path: str, text: str | None) -> list[Command]:
    parts = _entries(path, text) if text and len(text) <= MAX_CHARS else ()
    return list(
        islice((command for part in parts for command in _entry_commands(part)), MAX_COMMANDS)
    )


def _entries(path: str, text: str) -> Iterator[Command]:
    """The entries of a file, each with shell text that is not yet taken apart."""
    name = posixpath.basename(path)
    if MAKEFILE.fullmatch(name):
        yield from _make_entries(path, text)
    elif CI_FILE.search(path):
        yield from _ci_entries(path, text)
    elif name in ("package.json", "tox.ini"):
        said = (read(path, text) or {}).items()
        scripts = [
            (key, word)
            for key, words in said
            if key.startswith("scripts.") or key.endswith(".commands")
            for word in words
        ]
        yield from (
            _recipe_command(path, key.removeprefix("scripts."), line_of(text, key, word), word)
            for key, word in scripts
        )
    elif name.endswith((".sh", ".bash")) or SHELL_SHEBANG.match(text):
        yield Command(path, path, 1, text=text, errexit=bool(re.match(r"#!.*\s-\w*e", text)))


def _recipe_command(path: str, entry: str, line: int, text: str) -> Command:
    bare = text.lstrip("@+- \t")
    lost = "- before the command" if "-" in text[: len(text) - len(bare)] else ""
    return Command(path, entry, line, text=bare.replace("$$", "$"), failure_ignored_by=lost)


def _make_entries(path: str, text: str) -> Iterator[Command]:
    """The targets of make, the recipes of just. What a target needs, it calls."""
    entry, line = "", 1
    for said in text.replace("\\\n", "\r").split("\n"):  # a line that goes on in the next is one
        if said[:1] in ("\t", " ") and said.strip() and entry:
            yield _recipe_command(path, entry, line, said.replace("\r", " "))
        elif (target := MAKE_TARGET.match(said)) and target[1][0] != ".":
            entry = target[1]
            yield from (
                Command(path, entry, line, text=f"make {need}")
                for need in re.findall(r"(?<!\S)[\w-]+(?!\S)", target[2])
            )
        line += 1 + said.count("\r")


def _ci_entries(path: str, text: str) -> Iterator[Command]:
    """The steps of a job, with what the step and the job say about failures."""
    values = [(keys, said, line) for keys, said, line in yaml_outline(text) if keys and said]
    hidden = [
        (keys[:-1], f"{keys[-1]}: {said}")
        for keys, said, _ in values
        if IGNORES_FAILURE.fullmatch(f"{keys[-1]}: {said}")
    ]
    for keys, said, line in values:
        at = next((at for at, key in enumerate(keys) if key in RUN_KEYS), len(keys))
        if all(key.isdigit() or key in RUN_KEYS for key in keys[at:]) and keys[at:]:
            entry = "/".join(
                key for key in keys[:at] if not key.isdigit() and key not in ("steps", "tasks")
            )
            lost = next(
                (said for above, said in hidden[:100] if above and keys[: len(above)] == above), ""
            )
            yield Command(
                path, entry, line, text=said.strip("[]"), failure_ignored_by=lost, errexit=True
            )


def _entry_commands(part: Command) -> Iterator[Command]:
    """The commands of a text, in their order, with what holds at their place: set -e, conditions, an exit before them."""
    errexit, pipefail, ended, conditions = part.errexit, False, part.failure_ignored_by, list[str]()
    pieces = list(_simple_commands(part.text))
    for at, (line, words, joined, rest) in enumerate(pieces):
        if words[0] in ("if", "for", "while", "until", "case", "function") or words[0].endswith(
            "()"
        ):
            conditions.append(" ".join(words))
        elif words[0] in ("fi", "done", "esac", "}") and conditions:
            conditions.pop()
        counts = errexit or bool(conditions)
        lost = (
            "if false"
            if "if false" in conditions
            else ended or _reason_failure_ignored(words, joined, rest, counts, pipefail)
        )
        yield from (
            part.but(words=proper, text="", line=part.line + line - 1, failure_ignored_by=lost)
            for proper in _normalized_commands(words)
        )
        options = "".join(words[1:]) if words[0] == "set" else ""
        errexit = (errexit or bool(re.search(r"-\w*e", options))) and "+e" not in options
        pipefail = pipefail or "pipefail" in options
        alone = not conditions and (not at or pieces[at - 1][2][:1] in "\n;")
        if (alone and words in (["exit"], ["exit", "0"])) or (
            words[0] == "trap" and "exit 0" in words and "EXIT" in words
        ):
            ended = f"{' '.join(words)} before it"


def _simple_commands(text: str) -> Iterator[tuple[int, list[str], str, str]]:
    """The simple commands: line, words, what joins each to the next, and the text after it."""
    bare = HERE_DOCUMENT.sub(lambda one: re.sub(r"[^\n]", " ", one[0]), text.replace("\\\n", "  "))
    bare = COMMENT.sub(lambda one: one[1].ljust(len(one[0])), bare)
    stream = StringIO(REDIRECTION.sub(lambda one: " " * len(one[0]), bare))
    scanner = shlex.shlex(stream, posix=True, punctuation_chars=COMMAND_SEPARATORS)
    scanner.whitespace, scanner.commenters, scanner.whitespace_split = " \t\r", "", True
    words: list[str] = []
    line = 1
    for _ in range(MAX_WORDS):
        try:
            word = scanner.get_token() or ""
        except ValueError:  # a quotation without end
            word = ""
        at = stream.tell() - 1
        if words and (not word or word[0] in COMMAND_SEPARATORS):
            yield line, words, word, bare[at : at + 2000]
            words = []
        elif word and word[0] not in COMMAND_SEPARATORS:
            line = line if words else text.count("\n", 0, at) + 1
            words.append(word)
        elif not word:
            return


def _reason_failure_ignored(
    words: list[str], joined: str, rest: str, errexit: bool, pipefail: bool
) -> str:
    """By what the failure of a command is lost; "" where it counts."""
    first = rest.split("\n")[0].strip()
    if words[0] in ("if", "elif", "while"):
        return "" if SIGNALS_FAILURE.search(re.split(r"\bfi\b", rest)[0]) else " ".join(words)
    if joined == "|":
        return "" if pipefail or "PIPESTATUS" in rest else f"| {first}"
    if joined == "&&" and (orelse := re.search(r"\|\|(.*)", first)):  # a && b || true
        return _reason_failure_ignored(words, "||", orelse[1], errexit, pipefail)
    if kept := re.match(r"(\w+)=\$\?" if joined != "||" else r"(\w+)=", first):
        return (
            ""
            if re.search(rf"(?m)^(?!\s*echo).*\b{kept[1]}\b", rest.partition("\n")[2])
            else f"|| {first}"
        )
    if joined == "||" and re.match(r"true\b|:|echo\b|printf\b|exit\b|[{(]", first):
        return (
            ""
            if SIGNALS_FAILURE.search(rest.partition("}")[0] if first[0] in "{(" else first)
            else f"|| {first}"
        )
    if joined[:1] in ("\n", ";") and rest.strip() and not errexit and not READS_STATUS.search(rest):
        return f"{joined.strip() or 'no set -e,'} {rest.strip().splitlines()[0]}"[:60]
    return ""


def _normalized_commands(words: list[str]) -> list[tuple[str, ...]]:
    """The command without what carries it, under its program's one name; one for each goal that it calls."""
    while words and SHELL_KEYWORD.fullmatch(words[0]):
        words = words[1:]
    names = [posixpath.basename(word.strip("(){}$")) for word in words]
    names = [
        name.lower() if name.isupper() else name for name in names
    ]  # $(PYTEST) is what its name says
    if names and WRAPPER.fullmatch(names[0]):
        at = next(
            (
                at
                for at in range(1, len(words))
                if CHECK_TOOL.fullmatch(names[at]) or PACKAGE_MANAGER.fullmatch(names[at])
            ),
            0,
        )
        at = at or int(bool(INTERPRETER.fullmatch(names[0])) and names[1:2] > ["0"])
        words, names = words[at:], names[at:]
    if not words:
        return []
    name, rest = names[0], [word for word in words[1:] if word != "--"]
    if PACKAGE_MANAGER.fullmatch(name) and rest:
        called = (
            rest[1:]
            if rest[0] in ("run", "run-script")
            else rest
            if CHECK_NAME.search(rest[0]) and rest[0] != "ci"
            else []
        )
        return [(f"script {called[0]}", *called[1:])] if called else [tuple(words)]
    if name in ("make", "just", "task", "run-s", "run-p", "npm-run-all"):
        caller = name if name in CALLERS else "script"
        return [(f"{caller} {goal}",) for goal in rest if goal[0] != "-"] or [tuple(words)]
    if TOOL_WITH_VERB.fullmatch(name) and rest:
        return [(f"{name} {rest[0]}", *rest[1:])]
    return [
        (
            name if CHECK_TOOL.fullmatch(name) else words[0],
            *(word for word in rest if word != "run"),
        )
    ]
