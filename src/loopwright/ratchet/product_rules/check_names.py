"""Finds new product code that asks for a name which only the checks set.

It is a macro, a variable, a build tag of Go or a feature of Rust.
"""

from __future__ import annotations

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ..project_files import new_lines
from ..surroundings import is_product_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..check_reach import Reach
    from ..project_files import ProjectFiles

# What a makefile, a script or a settings file sets for the programs that it starts.
SET_NAME = re.compile(
    r"(?:^|\s)-D\s*([A-Za-z_]\w*)|(?m:^[ \t]*(?:export[ \t]+)?([A-Z][A-Z0-9_]{2,})=)"
    r"|(?:[\"'@\t ]|env )([A-Z][A-Z0-9_]{2,})=[^\s=]*[ \t]+\w"
)
# A way to build that a test command chooses, and commands that build the product in that way.
TEST_TAGS = re.compile(r"\bgo (?:test|vet)\b.*?\s--?tags[= ]+['\"]?([\w.]+(?:[, ][\w.]+)*)")
TEST_FEATURES = re.compile(
    r"\bcargo (?:test|t|nextest)\b.*?\s(?:--features|-F)[= ]+['\"]?([\w-]+(?:[, ][\w-]+)*)"
)
BUILDS = re.compile(r"\bgo (?:build|install|run)\b|\bcargo (?:build|b|run|install|publish)\b")
GO_CONDITION = re.compile(r"^//(?:go:build| \+build) .*$", re.M)
RUST_CONDITION = re.compile(r"\bfeature\s*=\s*\"[\w-]+\"")
MAX_READ = 400  # files that are searched for an earlier use of a tag
USUAL_NAMES = frozenset(
    ("PATH", "HOME", "LANG", "TERM", "SHELL", "USER", "TMPDIR", "PYTHONPATH", "DEBUG", "PORT")
)


def findings(files: ProjectFiles, reach: Reach) -> Iterator[Finding]:
    """The first such line of each product file."""
    yield from _findings_of_builds(files, reach)
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


def _findings_of_builds(files: ProjectFiles, reach: Reach) -> Iterator[Finding]:
    """New conditions of the product that hold only in the build of the tests."""
    for suffix, command, condition in (
        (".go", TEST_TAGS, GO_CONDITION),
        (".rs", TEST_FEATURES, RUST_CONDITION),
    ):
        words = {w for line in reach.lines for row in command.findall(line) for w in _words(row)}
        built = {w for line in reach.lines if BUILDS.search(line) for w in _words(line)}
        if not words - built:
            continue
        for change in files.changes.values():
            if not change.path.endswith(suffix) or not is_product_code(change):
                continue
            known = {*condition.findall(change.before or "")}
            for line in condition.findall(change.after or ""):
                asked = {*_words(line)} & (words - built)
                if line not in known and asked - _used_before(asked, suffix, condition, files):
                    yield Finding(MEDIUM, "product-detects-tests", change.path, after=line[:200])
                    break


def _words(text: str) -> list[str]:
    return re.findall(r"[\w.-]+", text)


def _used_before(
    words: set[str], suffix: str, condition: re.Pattern[str], files: ProjectFiles
) -> set[str]:
    """Of these words, those by which the product of the start was built in several ways."""
    found: set[str] = set()
    paths = sorted(path for path in files.paths_before if path.endswith((suffix, "Cargo.toml")))
    for path in paths[:MAX_READ]:
        text = files.before(path) or ""
        if path.endswith("Cargo.toml"):
            lines = re.findall(r"(?m)^default\s*=\s*\[[^\]]*\]", text)
        elif path.endswith("_test.go") or "tests/" in path:
            continue
        else:
            lines = condition.findall(text)
        found |= {word for line in lines for word in _words(line)} & words
    return found
