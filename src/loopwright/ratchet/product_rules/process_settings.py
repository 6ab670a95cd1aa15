"""Finds new code of a product that changes a setting of its whole process and leaves it so.

A test that runs in the same process compares, prints and ends under that setting. What is undone in
the same file is fine, and a program that a person starts may set what it likes.
"""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from ... import lazy_re as re
from ...checks.surroundings import is_product_code
from ...core.findings import MEDIUM, Finding
from ...repo.sources import SCRIPT_ENDINGS as SCRIPT
from ...repo.sources import SourceFile, code_text
from .test_detection import is_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...repo.baseline import Change
    from ..project import Project

PYTHON, RUBY, PHP, GO = (".py",), (".rb",), (".php",), (".go",)
PERL, JVM = (".pl", ".pm"), (".java", ".kt")
C = (".c", ".cc", ".cpp", ".h", ".hpp", ".swift")
ANY = (*PYTHON, *SCRIPT, *RUBY, *PHP, *PERL, *GO, *JVM, *C, ".rs", ".cs")
# Variables with which an interpreter or a runner that starts later takes another way, and those
# by which dates, words and numbers are written.
VARIABLE = (
    r"(?:PYTHON(?:OPTIMIZE|WARNINGS|STARTUP)|NODE_OPTIONS|PERL5OPT|RUBYOPT|BASH_ENV|LD_PRELOAD"
    r"|GOFLAGS|JAVA_TOOL_OPTIONS|TZ|LC_ALL|LC_(?:TIME|NUMERIC|COLLATE))\b"
)
# Only a statement sets it: no `$/` inside of an expression.
STATEMENT = r"(?:^|[;{}(]|\bthen\b|\bdo\b)\s*"


class Setting(NamedTuple):
    """One way to change a setting; the group of its pattern is what is set."""

    suffixes: tuple[str, ...]
    pattern: str
    example: str
    look_alike: str


SETTINGS = (
    Setting(
        ANY,
        rf"(?:\benviron\[\s*['\"]|\bprocess\.env(?:\.|\[['\"])|\bENV\[\s*['\"]|\$ENV\{{\s*['\"]?)"
        rf"({VARIABLE})['\"]?\s*[\]}}]?\s*=(?![=~])",
        "os.environ['TZ'] = 'UTC'",
        "zone = os.environ['TZ']",
    ),
    Setting(
        ANY,
        rf"\b(?:[sS]etenv|putenv|set_var|environ\.setdefault)\(\s*['\"]({VARIABLE})",
        "os.Setenv('TZ', 'UTC')",
        "os.Getenv('TZ')",
    ),
    Setting(
        PYTHON,
        r"\b(sys\.std(?:out|err))\s*=(?!=|.*(?:TextIOWrapper|getwriter|__std))"
        r"|\bsys\.std(?:out|err)\.(?:close|detach|truncate)\(|\bos\.(?:close|ftruncate)\(\s*[12]\b"
        r"|\bsetattr\(\s*sys\s*,\s*['\"]std|\bos\.dup2\(.*,\s*[12]\s*[,)]",
        "sys.stdout = open('log', 'w')",
        "out = sys.stdout",
    ),
    Setting(
        PYTHON,
        r"\b(logging\.disable)\((?!\s*logging\.NOTSET)|\blocale\.(setlocale)\([^,()\n]+,"
        r"|\b(set_printoptions)\([^)\n]*\b(?:precision|formatter)\s*="
        r"|\b(set_option)\(\s*['\"]display\.(?:precision|float_format)"
        r"|\b(?:Default|Basic|Extended)Context\.(?:prec|rounding|traps\[\w+\])\s*=(?!=)",
        "logging.disable(logging.CRITICAL)",
        "logging.disable(logging.NOTSET)",
    ),
    Setting(
        SCRIPT,
        r"\b(process\.std(?:out|err)\.write|console\.(?:log|error|warn|info|debug))\s*=(?![=>])"
        r"|\bprocess\.std(?:out|err)\.(?:end|destroy)\(|\bprocess\.noDeprecation\s*=\s*true"
        r"|\bdelete process\.exitCode\b|\bObject\.assign\(\s*process\s*,"
        r"|\binspect\.defaultOptions\b[^;\n=]*=(?![=>])",
        "console.error = () => {}",
        "console.error('no')",
    ),
    Setting(
        PERL,
        rf"{STATEMENT}(\$(?:[/\\,;\"]|\^W\b|(?:RS|ORS|OFS|SUBSEP|LIST_SEPARATOR|WARNING)\b"
        r"|SIG\{['\"]?__(?:DIE|WARN)__['\"]?\}))\s*(?:\|\|)?=(?![=~>])"
        r"|\b(?:close|open)[\s(]+\*?STD(?:OUT|ERR)\b|^\s*\*STD(?:OUT|ERR)\s*=(?![=~>])",
        "$SIG{__WARN__} = sub {};",
        "my $sum = $a / $b;",
    ),
    Setting(
        RUBY,
        rf"{STATEMENT}(\$(?:[/;,\\]|std(?:out|err)\b|VERBOSE(?=\s*=\s*(?:nil|false))))"
        r"\s*=(?![=~>]|\s*STD(?:OUT|ERR)\b)"
        r"|(?:\$std(?:out|err)|\bSTD(?:OUT|ERR))\.(?:close|reopen|truncate)\b"
        r"|\bThread\.(?:report|abort)_on_exception\s*=\s*false|\bBigDecimal\.limit[ (]\s*\d",
        "$stdout = StringIO.new",
        "$stdout = STDOUT",
    ),
    Setting(
        PHP,
        r"\bini_(?:set|alter)\(\s*['\"]((?:serialize_)?precision)['\"]\s*,\s*['\"]?(?:\d|1[0-3])\b"
        r"|(?<![\w>$:])(error_reporting)\(\s*(?!\)|-1\s*\)|\$\w+\s*\)|E_ALL\b)"
        r"|(?<![\w>$:])set_((?:error|exception)_handler)\(\s*(?!null\b)"
        r"|(?<![\w>$:])(bcscale)\(\s*\d|(?<![\w>$:])date_(default_timezone)_set\(",
        "error_reporting(0);",
        "error_reporting(E_ALL);",
    ),
    Setting(
        C,
        r"\bfclose\s*\(\s*std(?:out|err)\b|\bfreopen\s*\([^;]*,\s*std(?:out|err)\s*\)"
        r"|\b(?:close|dup2|ftruncate)\s*\((?:[^;]*,)?\s*(?:1|2|STD(?:OUT|ERR)_FILENO)\s*[,)]"
        r"|^\s*(std(?:out|err))\s*=(?!=)|\bfe(?:set(round)|disableexcept)\s*\("
        r"|\bset_(?:terminate|unexpected)\s*\(\s*\S|\b((?:cout|cerr)\.rdbuf)\s*\(\s*[^)\s]",
        "fclose(stderr);",
        "fclose(file);",
    ),
    Setting(
        GO,
        r"\b(os\.Std(?:out|err)|time\.Local)\s*=(?!=)|\bos\.Std(?:out|err)\.Close\(\)"
        r"|\b(?:syscall|unix)\.(?:Dup[23]\(.*,\s*[12]\b|Close\(\s*[12]\s*\))",
        "os.Stdout = nil",
        "fmt.Fprintln(os.Stdout)",
    ),
    Setting(
        JVM,
        r"\bSystem\.set(Out|Err)\(|\bSystem\.(?:out|err)\.close\(\)"
        r"|\bset(DefaultUncaughtExceptionHandler)\b|\bsetDefaultAssertionStatus\("
        r"|\b(TimeZone|Locale)\.setDefault\(",
        "System.setErr(quiet);",
        "System.err.println(text);",
    ),
    Setting(
        (".cs",),
        r"\bConsole\.Set(Out|Error)\(|\b(?:Debug|Trace)\.Listeners\.(?:Clear|Remove)\w*\("
        r"|\bCultureInfo\.((?:DefaultThread)?Current(?:UI)?Culture)\s*=(?!=)",
        "Console.SetError(TextWriter.Null);",
        "Console.Error.WriteLine(text);",
    ),
)
# An exit code that may be zero takes back the one that a check has set.
SCRIPT_EXIT_CODE = re.compile(r"\bprocess\.exitCode\s*(?:&&)?=(?![=>])\s*(.*)")
KEPT_EXIT_CODE = re.compile(
    r"[\"']?[1-9]\d*\b(?!\s*[&?*-])|.*\bprocess\.exitCode\b"
    r"|.*(?:\|\||\?\?)\s*\(?[1-9]\d*\)*;?\s*\}?$"
)
MAIN_GUARD = re.compile(
    r"\brequire\.main\b|\bimport\.meta\.(?:main|url)\b.*===?|\b__name__ *== *['\"]__main__['\"]"
    r"|__FILE__ *== *\$(?:0|PROGRAM_NAME)"
)
POD = re.compile(r"(?ms)^=[a-z].*?(?:^=cut\b|\Z)")  # documentation of Perl
UNDOES = r"\bthrow\b|\b(?:restore_{key}|ini_restore|NOTSET|reset_option)\b|\blocal\b[^;\n]*{key}"
SAVES = r"(?i)([\w.]*\w)\s*:?=(?!=)[^=\n]*{key}"
MAX_FINDINGS_OF_FILE = 3


def find(project: Project) -> Iterator[Finding]:
    """New lines of the product that change a setting of their process for good."""
    known = {
        line.strip()
        for change in project.changes.values()
        for line in (change.before or "").splitlines()
    }
    for change in project.changes.values():
        if change.after is None or not is_product_code(change):
            continue
        lines = _lasting_lines(change, known)
        for number, line in islice(lines, MAX_FINDINGS_OF_FILE):
            rule = "process-setting-changed"
            yield Finding(MEDIUM, rule, change.path, number, after=line[:200])


def _lasting_lines(change: Change, known: set[str]) -> Iterator[tuple[int, str]]:
    path, after = change.path, change.after or ""
    patterns = [re.compile(s.pattern) for s in SETTINGS if path.endswith(s.suffixes)]
    if not patterns or is_program(path, after):
        return
    # In Perl a `#` may be a part of a variable.
    code = (
        POD.sub(_blank_lines, after) if path.endswith(PERL) else code_text(SourceFile(path, after))
    )
    shown = after.split("\n")
    for number, line in enumerate(code.split("\n"), 1):
        if MAIN_GUARD.search(line):
            return  # what follows runs only in a program
        if shown[number - 1].strip() in known or line.lstrip().startswith("#"):
            continue
        match = next((m for p in patterns if (m := p.search(line))), None)
        if match:
            key = next(filter(None, match.groups()), "")
            is_lasting = not key or not _is_undone(key, change.before or "", code)
        else:
            is_lasting = path.endswith(SCRIPT) and _clears_exit_code(line)
        if is_lasting:
            yield number, shown[number - 1].strip()


def _blank_lines(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _is_undone(key: str, before: str, code: str) -> bool:
    """Was it set before too, or is it put back, or kept in a name that is used later?"""
    if re.search(rf"{re.escape(key)}\s*=(?!=)", before):
        return True
    if re.search(UNDOES.format(key=re.escape(key)), code):
        return True
    for match in re.finditer(SAVES.format(key=re.escape(key)), code):
        is_used = re.search(rf"(?<![\w.]){re.escape(match[1])}\b", code[match.end() :])
        if match[1] != key and is_used:
            return True
    return False


def _clears_exit_code(line: str) -> bool:
    """May a script end with 0 although a check has set another exit code?"""
    match = SCRIPT_EXIT_CODE.search(line)
    return bool(match and not KEPT_EXIT_CODE.match(match[1].strip()))
