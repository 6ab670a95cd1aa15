"""Finds functions of a product in the shell that change the shell of the check that calls them.

A check sources such a file and calls its functions in its own shell. An option, a trap or an output
that a function leaves changed is changed for the rest of the check.
"""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from ..readers.shell_text import COMMENT, HERE_DOCUMENT, only_cleans_up, simple_commands
from ..surroundings import surrounding_kind
from .shell_libraries import FUNCTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...repo.baseline import Change
    from ..check_reach import Reach
    from ..project_files import ProjectFiles

START = r"(?:^|[;&|{]|\b(?:then|do|else)\b)\s*(?:builtin |command )?"
SAVED_VALUE = r"[\"']?\$\{?\w+\}?[\"']?\s*(?:$|[;&#])|\$' \\t\\n'"
# What is set, and the later statement of the same function that sets it back.
OPTIONS = (
    (rf"{START}set\s+(?:[\w-]+\s+)*\+\w*e", r"\bset\s+-\w*e|\bset\s+-o\s+errexit"),
    (rf"{START}set\s+(?:[\w-]+\s+)*\+\w*u", r"\bset\s+-\w*u|\bset\s+-o\s+nounset"),
    (
        rf"{START}set\s+\+o\s+(errexit|nounset|pipefail|errtrace)",
        r"\bset\s+(?:-\w+\s+)*-?\w*o\s+{}",
    ),
    (rf"{START}set\s+-\w*n", r"(?!)"),
    (
        rf"{START}shopt\s+-s\s+(?:\w+\s+)*(nocasematch|nocaseglob|nullglob|failglob|extdebug"
        r"|lastpipe|expand_aliases)\b",
        r"\bshopt\s+-u\s+(?:\w+\s+)*{}",
    ),
    (rf"{START}shopt\s+-u\s+(?:\w+\s+)*(inherit_errexit)\b", r"\bshopt\s+-s\s+{}"),
    (
        rf"{START}exec\s+(?:\d*[<>]\S*\s+)*[12]?&?>(?!&\s*[\"$\d{{])",
        r"\bexec\s+(?:\d*[<>]\S*\s+)*[12]?>&\s*[\"$\d{{]",
    ),
    (rf"{START}exec\s+(?!\d*[<>&])[\w./\"$]", r"(?!)"),
    (
        rf"{START}(IFS|PATH|BASH_ENV|GLOBIGNORE)=(?!{SAVED_VALUE})"
        r"(?:\S*|\"[^\"]*\"|'[^']*')\s*(?:$|[;&#])",
        r"\b{}=[\"']?\$|\bunset\s+{}\b",
    ),
    (rf"{START}(?:alias\s+\w+=|unset\s+-f\s|enable\s+-n\s|hash\s+-p\s)", r"(?!)"),
    (rf"{START}(?:declare|typeset)\s+(?=-\w*g)-\w*[liun]", r"(?!)"),
    (rf"{START}exit(?:\s+0)?\s*(?:$|[;&}}#])", r"(?!)"),
)
PATTERNS = tuple((re.compile(text), undone) for text, undone in OPTIONS)
TRAP = re.compile(rf"{START}trap\s")
WATCHED_SIGNALS = frozenset(("EXIT", "0", "ERR", "DEBUG"))
EVALUATED = re.compile(r"\beval\s+\S*\$|\bset\s+-?\"?\$")
LOCAL_OPTIONS = re.compile(r"\blocal\s+-(?:\s|$)")
# A function of a command line ends the program on purpose.
PROGRAM_FUNCTION = re.compile(r"_?(?:main|usage|help|version|show_\w+|print_\w+)")
BARE_EXIT = re.compile(r"(?:.*\{)?\s*exit\s*(?:$|[;&}#])")
ASSIGNMENT = re.compile(r"\s*(?:export |readonly )?\w+=")
# A program of another language, as of awk, has lines of its own.
QUOTED = re.compile(r"\\.|\$'(?:\\.|[^'\\])*+'|'[^']*+'|\"(?:\\.|[^\"\\])*+\"", re.S)
SUBSHELL_FUNCTION = re.compile(r"^[ \t]*(?:function[ \t]+)?[\w.:-]+[ \t]*(?:\([ \t]*\))?[ \t]*\($")
FUNCTION_HEAD = re.compile(r"^[ \t]*(?:function[ \t]+([\w.:-]+)|([\w.:-]+)[ \t]*\([ \t]*\))")
SOURCES = r"(?:^|[;&|{{\s])(?:\.|source|load)\s+[^;\n]*\b{}\b"


def lasting_lines(
    change: Change, known: set[str], files: ProjectFiles, reach: Reach
) -> Iterator[tuple[int, str]]:
    """Numbers and texts of the lines, without `known` ones, that change the shell of a caller."""
    after = change.after or ""
    is_library = change.path in reach.libraries
    if not is_library and surrounding_kind(change.path, change.before, change.after):
        return
    if not FUNCTION.search(after) or not _is_sourced(change, files, reach):
        return
    is_surely_sourced = is_library or change.path in reach.sourced
    shown = after.split("\n")
    lines = _code_lines(after)
    bodies = [*_function_bodies(lines)]
    for number, line in enumerate(lines, 1):
        if shown[number - 1].strip() in known:
            continue
        name, body = next(((n, b) for n, b in bodies if number in b), ("", range(0)))
        is_changed = any(
            _is_left_changed(lines, number, pattern.search(line), undone, body)
            for pattern, undone in PATTERNS
        )
        is_changed = is_changed or bool(TRAP.search(line) and _is_watched_trap(shown[number - 1]))
        if not is_changed or PROGRAM_FUNCTION.fullmatch(name):
            continue
        if not body and is_library and not ASSIGNMENT.match(line):
            continue  # shell_libraries names every other statement outside of functions
        if BARE_EXIT.match(line) and not is_surely_sourced:
            continue  # awk and others have the same word
        if not _is_in_subshell(lines, number, body):
            yield number, shown[number - 1].strip()


def _is_sourced(change: Change, files: ProjectFiles, reach: Reach) -> bool:
    """Do checks read the file into their own shell? A file that says how it is run is a program."""
    path = change.path
    if path in reach.libraries or path in reach.sourced:
        return True
    if path in reach.scripts:
        return False
    if not (change.before or change.after or "").startswith("#!"):
        return True
    sources = re.compile(SOURCES.format(re.escape(posixpath.basename(path))), re.M)
    return any(sources.search(files.before(script) or "") for script in reach.scripts)


def _code_lines(text: str) -> list[str]:
    code = HERE_DOCUMENT.sub(_without_text, text)
    code = COMMENT.sub(lambda match: match[1], code)
    code = QUOTED.sub(_without_program, code)
    return [line.rstrip() for line in code.split("\n")]


def _without_text(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _without_program(match: re.Match[str]) -> str:
    """A quotation that says nothing; in one of several lines, only the ends of them are left."""
    if "\n" in match[0]:
        return _without_text(match)
    return f"'{'x' * (len(match[0]) - 2)}'" if match[0][0] == "'" else match[0]


def _function_bodies(lines: list[str]) -> Iterator[tuple[str, range]]:
    """Each function: its name, and the numbers of its lines until one as far left as its head."""
    for number, line in enumerate(lines, 1):
        head = FUNCTION_HEAD.match(line)
        if not head:
            continue
        indent = len(line) - len(line.lstrip())
        is_one_line = line.endswith(("}", ")")) and not line.endswith("()")
        end = number + 1
        while not is_one_line and end <= len(lines):
            rest = lines[end - 1]
            if rest.strip()[:1] in ("}", ")") and len(rest) - len(rest.lstrip()) <= indent:
                break
            end += 1
        yield head[1] or head[2], range(number, end + (not is_one_line))


def _is_left_changed(
    lines: list[str], number: int, match: re.Match[str] | None, undone: str, body: range
) -> bool:
    """Is it set here, and not set back until the end of the function?"""
    if match is None:
        return False
    rest = [lines[other - 1] for other in body if other > number]
    rest.append(lines[number - 1][match.end() :])
    words = (re.escape(match[1]),) * undone.count("{}") if match.re.groups else ()
    put_back = re.compile(undone.format(*words))
    if any(put_back.search(line) or EVALUATED.search(line) for line in rest):
        return False
    return not any(LOCAL_OPTIONS.search(lines[other - 1]) for other in body if other < number)


def _is_watched_trap(line: str) -> bool:
    """Does a trap of the whole shell do more than to clean up?"""
    for command in simple_commands(line):
        words = command.words
        while words and words[0] != "trap":
            words = words[1:]
        if len(words) > 2 and not WATCHED_SIGNALS.isdisjoint(words[2:]):
            return not only_cleans_up(words)
    return False


def _is_in_subshell(lines: list[str], number: int, body: range) -> bool:
    """Does the line run in a shell of its own: `( … )`, `$( … )`, or a function in parentheses?"""
    if body and SUBSHELL_FUNCTION.match(lines[body[0] - 1]):
        return True
    line = lines[number - 1]
    statement = re.search(r"\b(?:set|shopt|exec|trap|exit|alias|IFS|PATH)\b", line)
    before = line[: statement.start()] if statement else ""
    if before.count("(") > before.count(")"):
        return True
    indent = len(line) - len(line.lstrip())
    for other in range(number - 1, body[0] if body else 0, -1):
        above = lines[other - 1]
        depth = len(above) - len(above.lstrip())
        if above.strip() and depth < indent:
            if above.endswith("(") and not above.endswith("()"):
                return True
            indent = depth
    return False
