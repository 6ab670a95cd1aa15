"""Lines with which product code changes a setting of its whole process, and leaves it so.

A test that runs in the same process compares, prints and ends under that setting. The rows are
those of test_words.py; a program that a person starts may set what it likes.
"""

from __future__ import annotations

from ...repo.sources import SCRIPT_ENDINGS as SCRIPT
from .test_words import ANY, GO, JVM, PHP, PYTHON, RUBY, C, Word

RULE = "process-setting-changed"
# Variables with which an interpreter or a runner that starts later takes another way, and those
# by which dates, words and numbers are written.
VARIABLE = (
    r"(?:PYTHON(?:OPTIMIZE|WARNINGS|STARTUP)|NODE_OPTIONS|PERL5OPT|RUBYOPT|BASH_ENV|LD_PRELOAD"
    r"|GOFLAGS|JAVA_TOOL_OPTIONS|TZ|LC_ALL|LC_(?:TIME|NUMERIC|COLLATE))\b"
)


def _setting(suffixes: tuple[str, ...], pattern: str, example: str, look_alike: str) -> Word:
    return Word(suffixes, pattern, example, look_alike, in_library=True, rule=RULE)


PROCESS_WORDS = (
    _setting(
        ANY,
        r"(?:\benviron\[\s*['\"]|\bprocess\.env(?:\.|\[['\"])|\bENV\[\s*['\"])"
        rf"{VARIABLE}['\"]?\s*\]?\s*=(?![=~])",
        "os.environ['TZ'] = 'UTC'",
        "zone = os.environ['TZ']",
    ),
    _setting(
        ANY,
        rf"\b(?:[sS]etenv|putenv|set_var|environ\.setdefault)\(\s*['\"]{VARIABLE}",
        "os.Setenv('TZ', 'UTC')",
        "os.Getenv('TZ')",
    ),
    _setting(
        PYTHON,
        r"\bsys\.std(?:out|err)(?:\s*=(?!=|.*(?:TextIOWrapper|getwriter|__std))|\.close\()"
        r"|\bos\.dup2\(.*,\s*[12]\s*[,)]|\blocale\.setlocale\([^,()\n]+,"
        r"|\blogging\.disable\((?!\s*logging\.NOTSET)"
        r"|\b(?:Default|Basic|Extended)Context\.(?:prec|rounding|traps\[\w+\])\s*=(?!=)",
        "sys.stdout = open('log', 'w')",
        "logging.disable(logging.NOTSET)",
    ),
    # An exit code that may be zero takes back the one that a check has set.
    _setting(
        SCRIPT,
        r"\bprocess\.exitCode\s*(?:&&)?=(?![=>])\s*"
        r"(?![\"']?[1-9]\d*\b(?!\s*[&?*-])|.*\bprocess\.exitCode\b|.*(?:\|\||\?\?)\s*[1-9])\S",
        "process.exitCode = failed ? 2 : 0;",
        "process.exitCode = process.exitCode || 2;",
    ),
    _setting(
        SCRIPT,
        r"\b(?:process\.std(?:out|err)\.write|console\.(?:log|error|warn|info))\s*=(?![=>])"
        r"|\bprocess\.std(?:out|err)\.(?:end|destroy)\(|\bdelete process\.exitCode\b",
        "console.error = () => {}",
        "console.error('no')",
    ),
    _setting(
        RUBY,
        r"^\s*\$std(?:out|err)\s*=(?![=~>]|\s*STD(?:OUT|ERR)\b)|\bSTD(?:OUT|ERR)\.(?:close|reopen)"
        r"|\bThread\.(?:report|abort)_on_exception\s*=\s*false",
        "$stdout = StringIO.new",
        "$stdout = STDOUT",
    ),
    _setting(
        PHP,
        r"(?<![\w>$:])(?:error_reporting\(\s*(?!\)|-1\s*\)|\$\w+\s*\)|E_ALL\b)"
        r"|set_(?:error|exception)_handler\(\s*(?!null\b)|date_default_timezone_set\()",
        "error_reporting(0);",
        "error_reporting(E_ALL);",
    ),
    _setting(
        C,
        r"\bfclose\s*\(\s*std(?:out|err)\b|\bfreopen\s*\([^;]*,\s*std(?:out|err)\s*\)"
        r"|\bfesetround\s*\(|\bset_terminate\s*\(\s*\S",
        "fclose(stderr);",
        "fclose(file);",
    ),
    _setting(
        GO,
        r"\b(?:os\.Std(?:out|err)|time\.Local)\s*=(?!=)|\bos\.Std(?:out|err)\.Close\(\)",
        "os.Stdout = nil",
        "fmt.Fprintln(os.Stdout)",
    ),
    _setting(
        JVM,
        r"\bSystem\.set(?:Out|Err)\(|\bsetDefaultUncaughtExceptionHandler\b"
        r"|\b(?:TimeZone|Locale)\.setDefault\(|\bConsole\.Set(?:Out|Error)\(",
        "System.setErr(quiet);",
        "System.err.println(text);",
    ),
)
