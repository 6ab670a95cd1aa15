"""Finds work that repairs nothing: all that changed in the product is that errors are dropped.

If the code does what it did, apart from errors that it catches and drops, a test that is quiet now
shows only that nobody hears the error. The words of both versions are counted, in any language.
"""

from __future__ import annotations

from collections import Counter

from ... import lazy_re as re
from ...checks.code_files import CODE_SUFFIXES
from ...checks.references import search_word
from ...checks.surroundings import is_product_code
from ...checks.test_files import TEST
from ...core.findings import MEDIUM, Finding
from ...repo.sources import SourceFile, code_text
from ..project import require_baseline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...checks.references import Sides
    from ..project import Project

RULE = "errors-only-silenced"
# How a shell drops the failure of a command, and perhaps what it says.
SHELL_DROPS = re.compile(
    r"(?:[ \t]*(?:\d|&)?>>?[ \t]*(?:/dev/null|&1))*[ \t]*\|\|[ \t]*(?:true|:)(?=[ \t]*(?:[;)]|$))",
    re.M,
)
SHELL_KINDS = (".sh", ".bash", ".zsh")
# What catches errors of any kind, and what catches errors of one kind.
CATCHES_ALL = re.compile(
    r"^except(?: \(?(?:Base)?Exception\b.*)?:|\bsuppress\((?:Base)?Exception\b|\bcatch\b"
    r"|^rescue\b(?: =>.*| StandardError.*)?$|^finally:|\brecover\(\)"
)
CATCHES = re.compile(rf"{CATCHES_ALL.pattern}|^except\b|\bsuppress\(|^rescue\b")
# A line that only says where an error is caught, or that nothing is done about it.
CATCHING_LINE = re.compile(
    r"\}? ?(?:try|finally) ?[:{]|begin|end|\}|pass|continue;?|break;?|next"
    r"|(?:defer func\(\) ?\{ ?)?(?:_ = |if \w+ := )?recover\(\).*|defer func\(\) ?\{|\}\(\)"
    r"|except\b.*:|\}? ?catch\b[^{]*\{ ?\}?|rescue\b.*|with (?:\w+\.)?suppress\(.*\):"
    r"|return(?: (?:None|null|undefined|nil|[tT]rue|[fF]alse|''|\"\"|\[\]|\{\}|-?[01]))?;?"
    r"|(?:import|from|require) .*\b(?:logging|contextlib)\b.*|\w+ = .*getLogger\(.*"
    r"|[\w$.>-]*\b_?(?:console|logg?(?:er|ing)?|LOG|LOGGER|Log|System\.err)(?:\.|->|::)\w+\(.*"
)
WORD = re.compile(r"\w+|[-+*/%<>!&|^~]+")
VARIABLE = re.compile(r"(?m)^\s*(?:const |let |var |final )?(\w+) *:?=(?!=)")
# A test with such a name asks for a product that continues without what it cannot read.
TOLERANT_TEST = re.compile(
    r"\bdef test\w*(?:skip|ignor|invalid|malformed|bad|missing|corrupt|broken|toler|default"
    r"|fallback|unknown|unreadable|garbage|lenient|safe)"
)


def find(project: Project) -> list[Finding]:
    """One finding for each file of the product, if errors of any kind are all that is dropped."""
    changes = project.changes.values()
    product = {c.path: (c.before, c.after) for c in changes if is_product_code(c)}
    return _findings(product) if _only_catch(product, CATCHES_ALL) else []


def find_narrow(project: Project) -> list[Finding]:
    """The same for errors of one kind; less is sure then.

    A test that asks for such a product by its name, or one that came with it, makes this the work.
    """
    code = {path: row for path, row in project.product.items() if path.endswith(CODE_SUFFIXES)}
    if _only_catch(code, CATCHES_ALL) or not _only_catch(code, CATCHES):
        return []
    baseline = require_baseline(project)
    tests = baseline.find_tests({search_word(path) for path in code})
    is_asked_for = any(map(TOLERANT_TEST.search, tests.values()))
    return [] if is_asked_for or TEST in baseline.kind_of.values() else _findings(code)


def _findings(product: Sides) -> list[Finding]:
    return [Finding(MEDIUM, RULE, path) for path in product]


def _only_catch(product: Sides, catches: re.Pattern[str]) -> bool:
    """Do all files the same as before, apart from errors that they catch and drop?"""
    for path, (before, after) in product.items():
        if before is None or after is None:
            return False
        old, new = (_code_lines(path, text) for text in (before, after))
        added = Counter(filter(catches.search, new)) - Counter(filter(catches.search, old))
        if not added:
            return False
        variables = {*VARIABLE.findall(before), *VARIABLE.findall(after)}
        if _words(old, variables) != _words(new, variables):
            return False
    return bool(product)


def _code_lines(path: str, text: str) -> list[str]:
    source = SourceFile(path, text)
    code = code_text(source)
    if source.kind in SHELL_KINDS:
        code = SHELL_DROPS.sub("\nexcept:", code)  # as other languages say it
    return [line for row in code.splitlines() if (line := row.strip())]


def _words(lines: list[str], variables: set[str]) -> Counter[str]:
    """The words that do something; a value may get a name of its own."""
    doing = [line for line in lines if not CATCHING_LINE.fullmatch(line)]
    words = (word for line in doing for word in WORD.findall(line))
    return Counter(word for word in words if word not in variables)
