"""Finds new product code that asks for a macro or a variable which only the checks set."""

from __future__ import annotations

from .. import lazy_re as re
from ..core.findings import MEDIUM, Finding
from .project_files import new_lines
from .surroundings import is_product_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .check_reach import Reach
    from .project_files import ProjectFiles

# What a makefile, a script or a settings file sets for the programs that it starts.
SET_NAME = re.compile(
    r"(?:^|\s)-D\s*([A-Za-z_]\w*)|(?m:^[ \t]*(?:export[ \t]+)?([A-Z][A-Z0-9_]{2,})=)"
    r"|(?:[\"'@\t ]|env )([A-Z][A-Z0-9_]{2,})=[^\s=]*[ \t]+\w"
)
USUAL_NAMES = frozenset(
    ("PATH", "HOME", "LANG", "TERM", "SHELL", "USER", "TMPDIR", "PYTHONPATH", "DEBUG", "PORT")
)


def findings(files: ProjectFiles, reach: Reach) -> Iterator[Finding]:
    """The first such line of each product file."""
    names = _names_set_by_checks(files, reach)
    if not names:
        return
    quoted = "|".join(map(re.escape, sorted(names)))
    asks = re.compile(
        rf"^\s*#\s*(?:if|ifdef|ifndef|elif)\b.*\b(?:{quoted})\b|['\"](?:{quoted})['\"]"
        rf"|\benv\.(?:{quoted})\b|\$\{{?(?:{quoted})\b"
    )
    for change in files.changes.values():
        if change.path in reach.scripts or not is_product_code(change):
            continue
        for number, line in new_lines(change.before, change.after, ("//",)):
            if asks.search(line):
                rule = "product-detects-tests"
                yield Finding(MEDIUM, rule, change.path, number, after=line[:200])
                break


def _names_set_by_checks(files: ProjectFiles, reach: Reach) -> set[str]:
    """The names that the files of the checks set at the baseline."""
    paths = [path for path in reach.files if path.endswith(".sh") or "." not in path[-5:]]
    paths += [path for path in reach.files if path.endswith((".mk", "package.json", ".toml"))]
    texts = [files.before(path) or "" for path in paths]
    found = {name for text in texts for match in SET_NAME.findall(text) for name in match if name}
    return found - USUAL_NAMES
