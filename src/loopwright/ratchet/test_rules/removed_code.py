"""What the product lost and gained in a change: it explains why tests changed with it."""

from __future__ import annotations

from collections import Counter

from ... import lazy_re as re
from ...checks.surroundings import is_product_code
from ...core.findings import HIGH, LOW, MEDIUM, Finding
from ...repo.baseline import Change
from ..project import lost_lines, new_lines
from ..readers import languages
from ..readers.assertion_reader import LITERAL
from ..readers.definitions import definitions
from ..readers.matchers import word_set
from ..readers.statement import tokens_of
from ..readers.test_reader import Suite

WAS_REMOVED = " was removed"  # what the finding says of the name that the product lost
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

WORD = re.compile(r"[A-Za-z_]\w{2,}")
COMMON_WORDS = word_set(
    "the and for not with from import return None True False self class def assert test this that"
    " async await const let var function new null undefined true false expect str int list dict"
    " raise raises except try name value type"
)
DEPRECATED = re.compile(r"(?i)deprecat|\[obsolete")
MANIFEST = re.compile(
    r"/(?:package\.json|pyproject\.toml|setup\.py|Cargo\.toml|go\.mod|pom\.xml|composer\.json"
    r"|build\.gradle(?:\.kts)?|[\w.-]+\.(?:csproj|gemspec))$"
)
SOFTENED_RULES = ("test-deleted", "assertion-removed", "test-cases-removed", "assertion-loosened")


def removed_packages(changes: Sequence[Change]) -> tuple[str, ...]:
    """The folders of packages that were deleted as a whole, with their own manifest."""
    gone = [change.path for change in changes if change.after is None]
    manifests = [path for path in gone if "/" in path and MANIFEST.search(path)]
    folders = {path.rpartition("/")[0] + "/" for path in manifests}
    kept = [change.path for change in changes if change.after is not None]
    return tuple(f for f in sorted(folders) if not any(path.startswith(f) for path in kept))


class ProductChange:
    """The words of the product files that changed, those that they lost, and those they gained."""

    def __init__(self, changes: Sequence[Change]) -> None:
        before: set[str] = set()
        after: set[str] = set()
        defined: Counter[str] = Counter()  # names that are defined less often now
        self.lost_tokens: set[str] = set()
        self.new_tokens: set[str] = set()
        self.lost_deprecation = False
        for change in map(_without_tests, filter(is_product_code, changes)):
            before.update(WORD.findall(change.before or ""))
            after.update(WORD.findall(change.after or ""))
            defined.update(each.name for each in definitions(change.path, change.before or ""))
            defined.subtract(each.name for each in definitions(change.path, change.after or ""))
            lost = lost_lines(change.before, change.after)
            self.lost_deprecation |= any(map(DEPRECATED.search, lost))
            self.lost_tokens |= _telling_tokens(lost)
            new = new_lines(change.before, change.after)
            self.new_tokens |= _telling_tokens(line for _, line in new)
        # `until` of one class may go, and that of another one stay.
        self.lost = ((before - after) | set(+defined)) - COMMON_WORDS

    def explain(self, finding: Finding, suites: Mapping[str, Suite]) -> Finding:
        """The finding with less weight where the product lost or changed the same words.

        A person must look at a deleted test of removed code, but it does not refute the claim.
        """
        if finding.severity == HIGH and finding.rule in SOFTENED_RULES:
            tested = _tested_text(finding, suites)
            named = {name for name in self.lost if "_" in name.strip("_") and name in tested}
            if name := max((set(WORD.findall(tested)) & self.lost) | named, key=len, default=""):
                return finding.but(severity=MEDIUM, after=finding.after or f"{name}{WAS_REMOVED}")
            if self.lost_deprecation and DEPRECATED.search(tested):
                return finding.but(severity=MEDIUM)
        is_value = finding.rule == "expected-value-changed" and finding.severity == MEDIUM
        if is_value and self._says_so_too(finding.before, finding.after):
            return finding.but(severity=LOW)
        return finding

    def _says_so_too(self, before: str, after: str) -> bool:
        """Did the product change the same names and texts as the test? Numbers do not count."""
        old, new = set(tokens_of(before)), set(tokens_of(after))
        lost, gained = _telling(old - new), _telling(new - old)
        has_number = not all(any(map(str.isalpha, token)) for token in lost | gained)
        says_less = any(a.strip("\"'") in b for a in gained for b in lost)
        is_said = lost <= self.lost_tokens and gained <= self.new_tokens
        return bool(gained) and is_said and not has_number and not says_less


def _without_tests(change: Change) -> Change:
    """The change without the tests that are inside of the file."""
    sides = []
    for text in (change.before, change.after):
        tests = languages.test_part(change.path, text or "")
        sides.append(text and text.removesuffix(tests) if tests else text)
    return Change(change.path, *sides)


def _telling(tokens: Iterable[str]) -> set[str]:
    """The names and the texts in quotes."""
    return {token for token in tokens if WORD.fullmatch(token) or LITERAL.fullmatch(token)}


def _telling_tokens(lines: Iterable[str]) -> set[str]:
    return _telling(token for line in lines for token in tokens_of(line))


def _tested_text(finding: Finding, suites: Mapping[str, Suite]) -> str:
    """What the deleted tests did and asserted; of an assertion, its text."""
    name = finding.before
    if finding.rule == "test-cases-removed":
        name = name.rpartition(": ")[0]
    elif finding.rule != "test-deleted":
        return finding.before
    suite = suites.get(finding.file)
    tests = [test for test in suite.tests if test.name == name] if suite else []
    return " ".join([name, *(test.source for test in tests)])
