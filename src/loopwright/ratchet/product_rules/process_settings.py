"""Finds new code of a product that changes a setting of its whole process and leaves it so.

A test that runs in the same process compares, prints and ends under that setting. What is undone,
or holds only for a block, is fine, and a program that a person starts may set what it likes.
"""

from __future__ import annotations

import posixpath
from itertools import islice

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ...repo.sources import SCRIPT_ENDINGS, SourceFile, code_text
from ..surroundings import is_product_code
from . import shell_options
from .process_ends import (
    COMMAND_FILE,
    FUNCTION,
    HAS_MAIN,
    RUBY_MAIN,
    enclosing_function,
    indentation,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...repo.baseline import Change
    from ..check_reach import Reach
    from ..project_files import ProjectFiles

# Variables with which an interpreter or a runner that starts later takes another way, and those
# by which dates, words and numbers are written.
VARIABLE = (
    r"(?:PYTHON(?:OPTIMIZE|WARNINGS|STARTUP)|NODE_OPTIONS|PERL5OPT|RUBYOPT|BASH_ENV|LD_PRELOAD"
    r"|GOFLAGS|JAVA_TOOL_OPTIONS|TZ|LC_ALL|LC_(?:TIME|NUMERIC|COLLATE))\b"
)
ENVIRONMENT = (
    rf"(?:\benviron\[\s*['\"]|\bprocess\.env(?:\.|\[['\"])|\bENV\[\s*['\"]|\$ENV\{{\s*['\"]?)"
    rf"(?P<variable>{VARIABLE})['\"]?\s*[\]}}]?\s*=(?![=~])"
    rf"|\b(?:[sS]etenv|putenv|set_var|environ\.setdefault)\(\s*['\"]{VARIABLE}"
)
# In each pattern, `key` is what is set. Only a statement sets it: no `$/` inside of an expression.
STATEMENT = r"(?:^|[;{}(]|\bthen\b|\bdo\b)\s*"
PERL_VARIABLE = (
    r"(?P<key>\$(?:[/\\,;\"]|\^W\b|(?:RS|ORS|OFS|SUBSEP|LIST_SEPARATOR|WARNING"
    r"|(?:IN|OUT)PUT_(?:RECORD|FIELD)_SEPARATOR)\b|SIG\{['\"]?__(?:DIE|WARN)__['\"]?\}))"
)
PERL = (
    rf"{STATEMENT}(?:{PERL_VARIABLE}\s*(?:\|\|)?=(?![=~>])"
    rf"|undef[\s(]+{PERL_VARIABLE.replace('key', 'unset')})"
    rf"|^\s*\((?:[^()=]*,)?\s*{PERL_VARIABLE.replace('key', 'listed')}[^()=]*\)\s*=(?![=~>])"
    r"|\b(?:close|open)[\s(]+\*?(?P<handle>STD(?:OUT|ERR))\b|^\s*\*STD(?:OUT|ERR)\s*=(?![=~>])"
)
PERL_COMMENT = re.compile(r"(?ms)^\s*#[^\n]*$|^=[a-z].*?(?:^=cut\b|\Z)")
RUBY = (
    rf"{STATEMENT}(?P<key>\$(?:[/;,\\]|std(?:out|err)\b|(?:RS|ORS|OFS|FS)\b"
    r"|(?:IN|OUT)PUT_(?:RECORD|FIELD)_SEPARATOR\b|VERBOSE(?=\s*=\s*(?:nil|false))))"
    r"\s*=(?![=~>]|\s*STD(?:OUT|ERR)\b)"
    r"|^\s*(?P<listed>\$std(?:out|err))\s*,\s*\$std(?:out|err)\s*=(?!=|\s*STD)"
    r"|(?:\$std(?:out|err)|\bSTD(?:OUT|ERR))\.(?:close|reopen|truncate)\b"
    r"|\bThread\.(?:report|abort)_on_exception\s*=\s*false|\bBigDecimal\.limit[ (]\s*\d"
)
PHP = (
    r"\bini_(?:set|alter)\(\s*['\"](?P<key>(?:serialize_)?precision)['\"]"
    r"\s*,\s*['\"]?(?:\d|1[0-3])\b"
    r"|\bini_(?:set|alter)\(\s*['\"](?P<reporting>error_reporting)['\"]"
    r"\s*,(?!\s*(?:E_ALL|-1|\$\w+)\s*\))"
    r"|(?<![\w>$:])(?P<level>error_reporting)"
    r"\(\s*(?!\)|-1\s*\)|\$\w+\s*\)|E_ALL\s*(?:\|\s*E_\w+\s*)*\))"
    r"|(?<![\w>$:])set_(?P<handler>(?:error|exception)_handler)\(\s*(?!null\b)"
    r"|(?<![\w>$:])(?P<scale>bcscale)\(\s*\d|\bob_start\("
    r"\s*(?:(?:static\s+)?(?:function|fn)\b|\[|['\"](?!ob_gzhandler))"
    r"|\bfclose\(\s*(?:\\)?STD(?:OUT|ERR)\b|(?<![\w>$:])date_(?P<zone>default_timezone)_set\("
)
# What makes a handler of errors stricter than none: every warning ends the work.
THROWS = re.compile(r"(?:.*\n){0,8}?.*\bthrow\b")
PYTHON = (
    r"\b(?P<key>sys\.std(?:out|err))\s*=(?!=|.*(?:TextIOWrapper|getwriter|__std))"
    r"|\bsys\.std(?:out|err)\.(?:close|detach|truncate)\(|\bos\.close\(\s*[12]\s*\)"
    r"|\bsetattr\(\s*sys\s*,\s*['\"]std(?:out|err)|\bredirect_std(?:out|err)\([^\n]*\)\.__enter__"
    r"|\bos\.ftruncate\(\s*[12]\s*,|\bos\.dup2\(.*,\s*[12]\s*[,)]"
    r"|\b(?P<log>logging\.disable)\((?!\s*logging\.NOTSET)"
    r"|\b(?P<print>set_printoptions)\([^)\n]*\b(?:precision|formatter)\s*="
    r"|\b(?P<option>set_option)\(\s*['\"]display\.(?:precision|float_format)"
    r"|\b(?:Default|Basic|Extended)Context\.(?:prec|rounding|traps\[\w+\])\s*=(?!=)"
    r"|\blocale\.(?P<locale>setlocale)\([^,()\n]+,"
)
SCRIPT = (
    r"\b(?P<key>process\.std(?:out|err)\.write|console\.(?:log|error|warn|info|debug))\s*=(?![=>])"
    r"|\bprocess\.std(?:out|err)\.(?:end|destroy)\(|\bprocess\.noDeprecation\s*=\s*true"
    r"|\bdelete process\.exitCode\b|\bObject\.assign\(\s*process\s*,"
    r"|\binspect\.defaultOptions\b[^;\n=]*=(?![=>])"
)
# An exit code that may be zero takes back the one that a check has set.
SCRIPT_EXIT_CODE = re.compile(r"\bprocess\.exitCode\s*(?:&&)?=(?![=>])\s*(.*)")
KEPT_EXIT_CODE = re.compile(
    r"[\"']?[1-9]\d*\b(?!\s*[&?*-])|.*\bprocess\.exitCode\b"
    r"|.*(?:\|\||\?\?)\s*\(?[1-9]\d*\)*;?\s*\}?$"
)
# The code of an error that no table knows: it ends a program, and a check that uses its runner.
OTHER_EXIT_CODE = {
    **dict.fromkeys(
        SCRIPT_ENDINGS,
        re.compile(
            r"\bprocess\.exit(?:Code\s*=(?!=)|\()[^;\n]*(?:\?\?|\|\||:)\s*(\d+)\s*\)*;?\s*\}?$"
        ),
    ),
    ".py": re.compile(r"\bsys\.exit\([^\n]*(?:,|\bor|\belse)\s*(\d+)\s*\)+$"),
    ".rb": re.compile(r"(?<![\w.])exit[ (][^\n]*(?:,|\|\||:)\s*(\d+)\s*\)*$"),
}
C_STREAM = r"(?:1|2|STD(?:OUT|ERR)_FILENO|fileno\s*\(\s*std(?:out|err)\s*\))"
C_FAMILY = (
    r"\bfclose\s*\(\s*std(?:out|err)\b|\bfreopen\s*\([^;]*,\s*std(?:out|err)\s*\)"
    rf"|\bftruncate\s*\(\s*{C_STREAM}\s*,"
    rf"|(?<![\w.>:])(?:::)?close\s*\(\s*{C_STREAM}\s*\)"
    rf"|\bdup2\s*\([^;]*,\s*{C_STREAM}\s*\)"
    r"|^\s*(?P<key>std(?:out|err))\s*=(?!=)|\bfe(?:set(?P<round>round)|disableexcept)\s*\("
    r"|\b(?:set_terminate|set_unexpected)\s*\(\s*\S"
    r"|\b(?P<stream>(?:cout|cerr)\.rdbuf)\s*\(\s*[^)\s]|\b(?:cout|cerr)\.setstate\s*\("
)
JVM = (
    r"\bSystem\.set(?P<key>Out|Err)\(|\bSystem\.(?:out|err)\.close\(\)"
    r"|\bset(?P<handler>DefaultUncaughtExceptionHandler)\b|\bsetDefaultAssertionStatus\("
    r"|\b(?P<zone>TimeZone|Locale)\.setDefault\("
)
CSHARP = (
    r"\bConsole\.Set(?P<key>Out|Error)\(|\b(?:Debug|Trace)\.Listeners\.(?:Clear|Remove)\w*\("
    r"|\bEnvironment\.ExitCode\s*=(?!=)(?!\s*-?[1-9]\d*\s*;)"
    r"|\bCultureInfo\.(?P<culture>(?:DefaultThread)?Current(?:UI)?Culture)\s*=(?!=)"
)
SETTINGS = {
    **dict.fromkeys((".pm", ".pl"), PERL),
    ".rb": RUBY,
    ".php": PHP,
    ".py": PYTHON,
    **dict.fromkeys(SCRIPT_ENDINGS, SCRIPT),
    **dict.fromkeys((".c", ".cc", ".cpp", ".h", ".hpp", ".swift"), C_FAMILY),
    ".go": (
        r"\b(?P<key>os\.Std(?:out|err)|time\.Local)\s*=(?!=)|\bos\.Std(?:out|err)\.Close\(\)"
        r"|(?<!\()\bruntime\.(?P<processors>GOMAXPROCS)\(\s*(?!0\s*\)|-|runtime\.GOMAXPROCS)"
        r"|\b(?:syscall|unix)\.(?:Dup[23]\(.*,\s*[12]\b|Close\(\s*[12]\s*\))"
    ),
    ".rs": r"\blibc::(?:close\(\s*[12]\s*\)|dup2\(.*,\s*[12]\s*\))|\bGag::std(?:out|err)\(",
    **dict.fromkeys((".java", ".kt"), JVM),
    ".cs": CSHARP,
}
PATTERNS = {suffix: re.compile(f"{text}|{ENVIRONMENT}") for suffix, text in SETTINGS.items()}
COMMAND_FUNCTION = re.compile(r"_?(?:main|cli|exit|quit|shutdown|daemonize)(?:[A-Z_]\w*)?|\w*Main")
# What stands above a line that runs only if the file is the program itself.
MAIN_GUARD = re.compile(
    r"\brequire\.main\b|\bimport\.meta\.(?:main|url)\b.*===?|\b__name__ *== *['\"]__main__['\"]"
)
IGNORED_WARNING = re.compile(
    r"\bwarnings\.(?:simplefilter|filterwarnings)\(\s*(?:action *= *)?['\"]ignore"
    r"|\b(?:np|numpy)\.seterr\([^)\n]*['\"]ignore"
)
CATCHES_WARNINGS = re.compile(r"\bwith\b.*\b(?:catch_warnings|errstate|WARNING\w*)\b")
# Tests fail at a warning: what settings of a runner, commands and environments say.
WARNINGS_ARE_ERRORS = re.compile(
    r"filterwarnings\s*=[\s\[\"']*error|-W[ =\"',]*error|PYTHONWARNINGS\W+error"
)
WARNING_SETTINGS = ("pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg", "Makefile")
CONTINUES = re.compile(r"(?:ensure|rescue|else|elsif)\b|\{")  # the function goes on
MAX_FINDINGS_OF_FILE = 3


def findings(files: ProjectFiles, reach: Reach) -> Iterator[Finding]:
    """New lines of the product that change a setting of their process or shell for good."""
    known = {
        line.strip()
        for change in files.changes.values()
        for line in (change.before or "").splitlines()
    }
    for change in files.changes.values():
        if change.after is None:
            continue
        if change.path.endswith((".sh", ".bash")):
            lines = shell_options.lasting_lines(change, known, files, reach)
        elif is_product_code(change):
            lasting = _lasting_lines(change, known, files, reach)
            lines = iter(dict.fromkeys((*_forgiving_ends(change), *lasting)))
        else:
            continue
        for number, line in islice(lines, MAX_FINDINGS_OF_FILE):
            rule = "process-setting-changed"
            yield Finding(MEDIUM, rule, change.path, number, after=line[:200])


def _lasting_lines(
    change: Change, known: set[str], files: ProjectFiles, reach: Reach
) -> Iterator[tuple[int, str]]:
    path, after = change.path, change.after or ""
    suffix = posixpath.splitext(path)[1]
    pattern = PATTERNS.get(suffix)
    if not pattern or COMMAND_FILE.search(path) or (change.before or after).startswith("#!"):
        return
    main = HAS_MAIN.get(suffix)
    if main and main.search(change.before or after):
        return
    shown = after.split("\n")
    lines = [line.rstrip() for line in _code(path, after).split("\n")]
    former = _lasting_keys(pattern, _code(path, change.before or "").split("\n"))
    for number, line in enumerate(lines, 1):
        if RUBY_MAIN.search(line):
            return  # what follows runs only in a program
        if shown[number - 1].strip() in known:
            continue
        match = pattern.search(line)
        if match:
            is_lasting = _key(match) not in former and not _is_undone(lines, number, match)
        elif suffix == ".py":
            is_lasting = _ignores_warnings(lines, number, files, reach)
        else:
            is_lasting = suffix in SCRIPT_ENDINGS and _clears_exit_code(line)
        if is_lasting and not _is_of_program(lines, number):
            yield number, shown[number - 1].strip()


def _forgiving_ends(change: Change) -> Iterator[tuple[int, str]]:
    """Lines of a program by which an unknown error ends it with 0, and ended it with another."""
    pattern = OTHER_EXIT_CODE.get(posixpath.splitext(change.path)[1])
    if pattern is None or not change.before:
        return
    old, new = (
        [
            (n, m)
            for n, line in enumerate(_code(change.path, text).split("\n"), 1)
            if (m := pattern.search(line.rstrip()))
        ]
        for text in (change.before, change.after or "")
    )
    kept = {match[0] for _, match in new}
    if all(int(match[1]) == 0 or match[0] in kept for _, match in old):
        return
    known = {match[0] for _, match in old}
    for number, match in new:
        if int(match[1]) == 0 and match[0] not in known:
            yield number, match.string.strip()


def _code(path: str, text: str) -> str:
    """The text without comments. In Perl a `#` may be a part of a variable or a pattern."""
    if path.endswith((".pm", ".pl")):
        return PERL_COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)
    return code_text(SourceFile(path, text))


def _is_of_program(lines: list[str], number: int) -> bool:
    """Does the line run only if the file is started as a program?"""
    name = enclosing_function(lines, number)
    above = (lines[other - 1] for other in _enclosing_lines(lines, number))
    return bool(COMMAND_FUNCTION.fullmatch(name)) or any(map(MAIN_GUARD.search, above))


def _enclosing_lines(lines: list[str], number: int) -> Iterator[int]:
    """The numbers of the lines above with less and less indentation."""
    depth = indentation(lines[number - 1])
    for other in range(number - 1, 0, -1):
        if lines[other - 1].strip() and indentation(lines[other - 1]) < depth:
            depth = indentation(lines[other - 1])
            yield other


def _lasting_keys(pattern: re.Pattern[str], lines: list[str]) -> set[str]:
    """What a file sets for good already, perhaps in other words."""
    matches = [(number, pattern.search(line)) for number, line in enumerate(lines, 1)]
    return {_key(m) for n, m in matches if m and _key(m) and not _is_undone(lines, n, m)}


def _key(match: re.Match[str]) -> str:
    """What is set; "" if the pattern does not say."""
    return next((text for text in match.groupdict().values() if text), "")


def _is_undone(lines: list[str], number: int, match: re.Match[str]) -> bool:
    """Is the setting a `local` one, or kept in a name that the same function uses afterwards?"""
    key = _key(match)
    if not key:
        return False
    place = _function_lines(lines, number)
    rest = "\n".join([match.string[match.end() :], *lines[number : place.stop - 1]])
    earlier = lines[place.start - 1 : number]
    if match[0].endswith("error_handler(") and THROWS.search(rest):
        return True
    put_back = rf"\b(?:restore_{re.escape(key)}|ini_restore|NOTSET|reset_option)\b"
    if re.search(put_back, rest):
        return True
    if any(re.search(rf"\blocal\b[^;]*{re.escape(key)}", line) for line in earlier):
        return True
    saved = re.compile(rf"(?i)([\w.]*\w)\s*:?=(?!=)[^=]*{re.escape(key)}")
    names = {found[1] for line in earlier if (found := saved.search(line))} - {key}
    return any(re.search(rf"(?<![\w.]){re.escape(name)}\b", rest) for name in names)


def _function_lines(lines: list[str], number: int) -> range:
    """The numbers of the lines of the function around a line; all lines outside of functions."""
    heads = [n for n in _enclosing_lines(lines, number) if FUNCTION.search(lines[n - 1])]
    if not heads:
        return range(1, len(lines) + 1)
    depth = indentation(lines[heads[0] - 1])
    for other in range(number + 1, len(lines) + 1):
        text = lines[other - 1]
        if text.strip() and indentation(text) <= depth and not CONTINUES.match(text.strip()):
            return range(heads[0], other + 1)
    return range(heads[0], len(lines) + 1)


def _clears_exit_code(line: str) -> bool:
    """May a script end with 0 although a check has set another exit code?"""
    match = SCRIPT_EXIT_CODE.search(line)
    return bool(match and not KEPT_EXIT_CODE.match(match[1].strip()))


def _ignores_warnings(lines: list[str], number: int, files: ProjectFiles, reach: Reach) -> bool:
    """Are warnings dropped in the whole process, in a project whose tests fail at a warning?"""
    if not IGNORED_WARNING.search(lines[number - 1]):
        return False
    above = [lines[other - 1] for other in _enclosing_lines(lines, number)]
    if any(map(CATCHES_WARNINGS.search, above)):
        return False
    texts = [files.before(path) or "" for path in (*WARNING_SETTINGS, *reach.scripts)]
    return any(map(WARNINGS_ARE_ERRORS.search, texts))
