"""Files of the shell that only define functions, for scripts that source them."""

from __future__ import annotations

from .. import lazy_re as re
from .commands import CHECK_NAME

FUNCTION = re.compile(r"(?m)^[ \t]*(?:function[ \t]+)?([\w.:-]+)[ \t]*\([ \t]*\)")
# From the head of a function to the line that closes it.
FUNCTION_BODY = re.compile(r"(?ms)^(?:function[ \t]+)?[\w.:-]+[ \t]*\([ \t]*\).*?^[})][^\n]*$")
ONE_LINE_FUNCTION = re.compile(r"(?m)^(?:function[ \t]+)?[\w.:-]+[ \t]*\([ \t]*\)[^\n]*[})][ \t]*$")
# Functions with such a name serve a check.
CHECKING_NAME = re.compile(
    r"(?i)assert|expect|fail|same|equal|should|compar|verif|test|check|^(?:ok|not_ok|is|die)$"
)
# Outside of functions, these lines change nothing for the script that sources the file.
# A list or a table may be declared; `declare -l` would change how a check compares.
QUIET_LINE = re.compile(
    r"#|(?:readonly |export |local |(?:declare|typeset) (?:-[aAgrx]+ )?)?[A-Z_][A-Z0-9_]*="
    r"|(?:declare|typeset) -[aAgrx]+ [A-Z_][A-Z0-9_]*$|(?:\.|source) |:$"
)


def is_shell_library(path: str, text: str) -> bool:
    """Does the file only define functions, and none that checks something?"""
    names = FUNCTION.findall(text)
    if not names or CHECK_NAME.search(path) or any(map(CHECKING_NAME.search, names)):
        return False
    return not outside_lines(text)


def outside_lines(text: str) -> list[str]:
    """Statements outside of functions that do something."""
    rest = FUNCTION_BODY.sub("", ONE_LINE_FUNCTION.sub("", text))
    lines = [line.strip() for line in rest.splitlines()]
    return [line for line in lines if line and not QUIET_LINE.match(line)]
