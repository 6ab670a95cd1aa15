"""Finds values and comparisons of the product with which unchanged tests measure it.

A test may take what it expects from the product: `len(page()) == PAGE_SIZE`, `if flags.BULK:`,
`assert same_amount(total(prices), 400)`. If the agent changes that measure, the test shows less.
"""

from __future__ import annotations

from ... import lazy_re as re
from ...checks.code_files import CODE_SUFFIXES
from ...core.findings import MEDIUM, Finding
from ..project import require_baseline
from ..readers.definitions import FUNCTION, changed_definitions
from ..settings_rules.manifests import is_manifest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project import Project

LITERAL = r"([tT]rue|[fF]alse|-?\d[\d_.]*|'[^'\n]*'|\"[^\"\n]*\")"
# A name that stands for a value that is written out: of code, of an object, of data.
VALUE = re.compile(
    r"(?m)^\s*(?:[a-z]+ )*[\"']?([A-Za-z_$][\w$]*)[\"']?(?:: *[\w&' ]+| \w+)? *[:=] *"
    rf"{LITERAL}[,;]?$"
)
DATA_SUFFIXES = (".json", ".toml", ".yaml", ".yml")
MAX_VALUES = 20  # of one file; more are a table that was written anew
EQUALITY = re.compile(r"(?:return|=>|->|\{)\s*[\w.()\[\] ]+ ={2,3} [\w.()\[\] ]+;?\s*\}?\s*$")
# How a line of a test decides by a name, or expects it. A part of a name may stand before it.
DECIDES = r"(?:\bif\b|\b[sS]kip\w*|\brunIf)\W.*\b(?:{names})\b"
EXPECTS = (
    r"(?:[aA]ssert|[eE]xpect|[eE]qual).*\w\(.*"
    r"(?:[=!]=|,|\.\w*(?:[bB]e|[eE]qual|[iI]s)\()\s*[\w.:\[\]]*\b(?:{names})\b"
)
COMPARES = r"(?:[aA]ssert|[eE]xpect).*\b(?:{names})\(.*\w\("


def find(project: Project) -> Iterator[Finding]:
    """Measures of unchanged tests that changed; values count if nothing else did."""
    product = {
        path: (before, after)
        for path, (before, after) in project.product.items()
        if path.endswith((*CODE_SUFFIXES, *DATA_SUFFIXES)) and not is_manifest(path)
        if before is not None and after is not None
    }
    code = [path for path in project.product if path.endswith(CODE_SUFFIXES)]
    only_values = all(path in product and _is_same_otherwise(*product[path]) for path in code)
    names = {}
    for path, (before, after) in product.items():
        values = _changed_values(before, after) if only_values else set()
        names[path] = values, _loosened_equalities(path, before, after)
    words = {word for row in names.values() for found in row for word in found}
    tests = require_baseline(project).find_tests(words)
    unchanged = [text for path, text in tests.items() if path not in project.changes]
    for path, (values, equalities) in names.items():
        patterns = [*_patterns((DECIDES, EXPECTS), values), *_patterns((COMPARES,), equalities)]
        for line in (line for text in unchanged for line in text.splitlines()):
            if any(pattern.search(line) for pattern in patterns):
                after = line.strip()[:200]
                yield Finding(MEDIUM, "measure-of-tests-changed", path, after=after)


def _patterns(templates: tuple[str, ...], names: set[str]) -> list[re.Pattern[str]]:
    listed = "|".join(map(re.escape, sorted(names)))
    return [re.compile(text.format(names=listed)) for text in templates] if names else []


def _changed_values(before: str, after: str) -> set[str]:
    old, new = dict(VALUE.findall(before)), dict(VALUE.findall(after))
    changed = {name for name in old.keys() & new.keys() if old[name] != new[name]}
    changed = {name for name in changed if "version" not in name.lower()}
    return changed if len(changed) <= MAX_VALUES else set()


def _is_same_otherwise(before: str, after: str) -> bool:
    return VALUE.sub("", before) == VALUE.sub("", after)


def _loosened_equalities(path: str, before: str, after: str) -> set[str]:
    """Functions that only asked whether two values are equal, and that ask something else now."""
    pairs = changed_definitions(path, before, after)
    return {
        new.name
        for old, new in pairs
        if old and new and new.kind == FUNCTION
        if EQUALITY.search(old.text) and not EQUALITY.search(new.text)
    }
