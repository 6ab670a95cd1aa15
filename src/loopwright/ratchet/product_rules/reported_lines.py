"""Finds new comments and names that answer a report of the start instead of its cause.

Every tool has its own comment that permits a line. Three signs need no list of tools: the comment
has the words that a program of the project looks for, it names a rule that the check printed at
the start, or it is all that changed in a line that the check named. A file that the check named may
also have an ending now that the check does not look for.
"""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...repo.baseline import Change
    from ..check_reach import Reach
    from ..project_files import ProjectFiles

# Endings of files, and what begins a comment in them; a remainder is `//` in some of the others.
COMMENT_MARKS = (
    ((".py", ".pyi", ".rb", ".sh", ".pl", ".pm", ".t", ".yml", ".yaml", ".toml", ".ex"), r"#+"),
    ((".php",), r"(?:#|//|/\*+)"),
    ((".sql", ".lua", ".hs", ".ads", ".adb"), r"--+"),
    ((".md", ".html", ".xml", ".vue", ".svelte"), r"(?:<!--|//|/\*+)"),
    ((".ini", ".cfg", ".clj", ".el", ".lisp", ".scm"), r"[;#]+"),
    ((".tex", ".erl"), r"%+"),
    (("",), r"(?://+|/\*+)"),
)
# `a.c:3: …`, `a.ts(3,5): …`, ` --> a.rs:3:5`, and a path above rows such as `  3:5  error …`.
PATH = r"((?:[\w.-]*/)*[\w-][\w.-]*\.\w+)"
REPORTED = re.compile(rf"^[\s>*-]*{PATH}[:(](\d+)(?:[,:]\d+)?\)?[:, ]*(.*)")
REPORTED_ROW = re.compile(r"^\s+(\d+):\d+\s+(.*)")
PATH_ALONE = re.compile(rf"^{PATH}:?$")
FRAME = re.compile(r"^(?:in \S+|[\w.]*(?:Error|Exception|Failure))$")  # of a traceback, no report
RULE = re.compile(
    r"\b[A-Z]{1,8}-?\d{2,5}\b|[\[(]([@\w]+(?:[-_/:.][\w-]+)+)[\])]|\s([@\w]+(?:[-/][\w-]+)+)$"
)
# A text in a program of the project that decides whether a line is reported.
LITERAL = re.compile(r"(['\"`/])((?:\\.|(?!\1)[^\\\n]){4,80})\1")
DECIDES = re.compile(
    r"\b(?:if|elif|unless|and|or|not|in|case|grep|egrep|rg|awk|sed|endswith|startswith|endsWith"
    r"|startsWith|includes|contains|search|match|test|compile|RegExp|end_with|start_with)\b|=~|!~"
)
PERMITS = re.compile(
    r"\b(?:not|unless|continue|next|skip|ignore|allow\w*|grep -\w*v)\b|!|\breturn\b"
)
REGEX_ESCAPE = re.compile(r"\\[A-Za-z]|[\\^$*+?(){}\[\]|]")
WORD = re.compile(r"[^\W\d_][\w-]+")
# Endings of the same kind of file, for the same tools.
LIKE_ENDINGS = (
    frozenset((".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts")),
    frozenset((".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx")),
    frozenset((".md", ".mdx", ".markdown")),
    frozenset((".yml", ".yaml")),
    frozenset((".htm", ".html")),
)
MIN_LETTERS = 4
MAX_SHOWN = 200


def findings(files: ProjectFiles, red: Reach, output: str) -> Iterator[Finding]:
    """The first such comment of each file, and files with another ending.

    `red` is what the checks reach that failed at the start, and `output` what they printed.
    """
    yield from _renamed_files(files, output)
    texts = {path: files.before(path) or "" for path in red.scripts}
    permissions = [words for text in texts.values() for words in _permissions(text)]
    reports = reports_of(output)
    if not permissions and not reports:
        return
    for change in files.changes.values():
        if change.before is None or change.after is None or change.path in red.scripts:
            continue
        own = [r for r in reports if is_same_file(r[0], change.path)]
        if found := _permitting_line(change, permissions, own):
            number, line = found
            after = line[:MAX_SHOWN]
            yield Finding(MEDIUM, "warning-silenced", change.path, number, after=after)


def _renamed_files(files: ProjectFiles, output: str) -> Iterator[Finding]:
    """Files that the check named, and that are there under an ending which it may not look for."""
    gone = [c for c in files.changes.values() if c.after is None and c.before and c.path in output]
    new = [c for c in files.changes.values() if c.before is None and c.after]
    for change in gone:
        for other in new:
            if other.after == change.before and not _are_alike(change.path, other.path):
                rule = "fewer-files-included"
                yield Finding(MEDIUM, rule, change.path, before=change.path, after=other.path)


def _are_alike(path: str, other: str) -> bool:
    endings = {posixpath.splitext(name)[1] for name in (path, other)}
    return len(endings) == 1 or any(endings <= family for family in LIKE_ENDINGS)


def _permitting_line(
    change: Change, permissions: list[list[str]], reports: list[tuple[str, int, str]]
) -> tuple[int, str] | None:
    before = (change.before or "").splitlines()
    known = {line.strip() for line in before}
    comment_of = _comment_pattern(change.path)
    code = "\n".join(_split(line, comment_of)[0] for line in before)
    phrases = [_phrase(words) for words in permissions]
    wanted = [phrase for phrase in phrases if not phrase.search(code)]
    named = {before[n - 1].strip() for _, n, _ in reports if 0 < n <= len(before)}
    rules = {rule for _, _, message in reports for rule in _rules(message)}
    has_lines = any(number > 1 for _, number, _ in reports)
    for number, raw in enumerate((change.after or "").splitlines(), 1):
        line = raw.strip()
        own_code, comment = _split(line, comment_of)
        if line in known or not comment:
            continue
        # A line of its own may be a head that the check asks for, such as a licence.
        is_permitted = (own_code or has_lines) and any(p.search(comment) for p in wanted)
        is_reported = bool(own_code) and own_code in named
        names_rule = any(re.search(rf"(?<![\w-]){re.escape(r)}(?![\w-])", comment) for r in rules)
        if is_permitted or is_reported or names_rule:
            return number, line
    return None


def _comment_pattern(path: str) -> re.Pattern[str]:
    mark = next(mark for suffixes, mark in COMMENT_MARKS if path.endswith(suffixes))
    return re.compile(rf"^(?P<code>.*?)(?:(?<=\s)|^){mark}[!\s]*(?P<text>.*)$")


def _split(line: str, comment_of: re.Pattern[str]) -> tuple[str, str]:
    """The code of a line and its comment."""
    match = comment_of.match(line.strip())
    if not match:
        return line.strip(), ""
    return match["code"].strip(), match["text"].removesuffix("*/").removesuffix("-->").strip()


def _permissions(program: str) -> Iterator[list[str]]:
    """The words of each text with which a program decides."""
    lines = [line for line in program.splitlines() if not line.lstrip().startswith(("#", "//"))]
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        if not DECIDES.search(line):
            continue
        for _, literal in LITERAL.findall(line):
            words = WORD.findall(REGEX_ESCAPE.sub(" ", literal))
            is_permission = len(words) > 1 or PERMITS.search(f"{line} {following}")
            if sum(map(len, words)) >= MIN_LETTERS and is_permission:
                yield words


def _phrase(words: list[str]) -> re.Pattern[str]:
    """The words in this order; a single word only at the beginning of the comment."""
    start = r"\b" if len(words) > 1 else r"^\W*"
    return re.compile(start + r"\W+".join(map(re.escape, words)) + r"(?![\w-])")


def reports_of(output: str) -> list[tuple[str, int, str]]:
    """File, line and message of each report in the output of a check."""
    found = []
    path = ""
    for row in output.splitlines():
        if match := REPORTED.match(row):
            message = match[3].strip()
            if not FRAME.match(message):
                found.append((match[1], int(match[2]), message))
        elif alone := PATH_ALONE.match(row):
            path = alone[1]
        elif path and (match := REPORTED_ROW.match(row)):
            found.append((path, int(match[1]), match[2].strip()))
    return found


def _rules(message: str) -> list[str]:
    """The names of rules in a message: `E501`, `[no-eval]`, or the last word `no-eval`."""
    matches = RULE.finditer(message)
    return [match[1] or match[2] or match[0] for match in matches]


def is_same_file(reported: str, path: str) -> bool:
    reported = reported.removeprefix("./")
    return reported == path or reported.endswith(f"/{path}") or path.endswith(f"/{reported}")
