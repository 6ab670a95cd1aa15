"""Finds methods of the product that take the place of one with which tests report or compare.

A test of Go embeds a type of the product beside `testing.T`, a test of Ruby includes a module, and
one of Rust takes in the traits of a prelude. A method there with the name of `Errorf`, `failures`
or `contains` is called in the place of the one that the test means.
"""

from __future__ import annotations

from typing import NamedTuple

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ..readers.matchers import word_set
from .comparison_methods import OWNER, owner_line
from .value_methods import plain_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ..project_files import Sides

GO_METHOD = re.compile(r"^func \((?:\w+ )?\*?(?P<owner>\w+)(?:\[[^\]]*\])?\) (?P<name>\w+)\(")
GO_TESTING = word_set(
    "Cleanup Error Errorf Fail FailNow Failed Fatal Fatalf Helper Log Logf Name Run Setenv Skip"
    " SkipNow Skipf Skipped TempDir"
)
GO_TESTIFY = word_set(
    "T Require Assert Equal EqualValues Exactly NotEqual Nil NotNil True False Len Contains Empty"
    " NotEmpty NoError Error ErrorIs ErrorAs EqualError Greater Less Zero Panics InDelta JSONEq"
    " ElementsMatch Regexp Subset WithinDuration SetupTest TearDownTest"
)
RUBY_METHOD = re.compile(r"^\s+(?:def (?:self\.)?|(?:alias(?:_method)?|attr_\w+) :?)(?P<name>\w+)")
RUBY_TEST = word_set(
    "failures failure assertions passed skipped error result_code run flunk skip pass fail name"
    " capture_exceptions with_info_handler time_it add_assertion add_failure add_error message"
    " setup teardown before_setup after_setup before_teardown after_teardown mu_pp diff"
    " expect is_expected described_class raise_error eq eql be match include"
)
RUBY_ASSERTION = re.compile(r"(?:assert|refute)(?:_\w+)?")
PHP_METHOD = re.compile(r"^\s+(?:[a-z]+ )*function &?(?P<name>\w+)\(")
PHP_TEST = word_set(
    "fail run runTest runBare setUp tearDown count status hasFailed onNotSuccessfulTest"
    " expectException expectExceptionMessage markTestSkipped markTestIncomplete"
    " addToAssertionCount setUpBeforeClass tearDownAfterClass"
)
PYTHON_METHOD = re.compile(r"^\s+(?:async )?def (?P<name>\w+)\(")
PYTHON_TEST = word_set(
    "fail run debug setUp tearDown setUpClass tearDownClass subTest skipTest defaultTestResult"
    " failureException addTypeEqualityFunc doCleanups addCleanup countTestCases"
)
CAMEL_ASSERTION = re.compile(r"assert[A-Z]\w*")
RUST_METHOD = re.compile(r"^\s+fn (?P<name>\w+)(?:<[^>]*>)?\(&?(?:mut )?self\b")
# A trait for a type of the standard library, or for every type.
RUST_IMPL = re.compile(
    r"^impl(?:<[^{]*?>)? (?:\w+::)*(?P<owner>\w+)(?:<[^{]*>)? for &?(?:mut )?(?:(?:\w+::)*"
    r"(?:Vec|String|str|Option|Result|VecDeque|(?:Hash|BTree)(?:Map|Set)|Box|Rc|Arc|Cow|PathBuf"
    r"|Path|[iu](?:8|16|32|64|128|size)|f32|f64|bool|char|[A-Z])\b|\[|\()"
)
RUST_NAMES = word_set(
    "contains contains_key len is_empty get first last iter into_iter starts_with ends_with eq ne"
    " cmp partial_cmp lt gt le ge abs abs_diff sum product min max count all any position find"
    " is_some is_none is_ok is_err unwrap unwrap_err expect expect_err ok err to_string to_vec"
    " as_str trim lines chars bytes split keys values sort sort_unstable dedup join concat round"
    " floor ceil trunc is_nan is_finite rem_euclid pow sqrt to_lowercase to_uppercase as_slice"
    " binary_search is_sorted clone as_ref map and_then"
)
GLOB = re.compile(r"\buse (?!super::\*)[\w:]+::\*|\buse [\w:]+::\{[^}]*\*")
MAX_QUOTED = 200


class TakenMethod(NamedTuple):
    """A method that came since the start: its place, its owner and its name."""

    path: str
    line: int
    owner: str
    name: str
    text: str


class Language(NamedTuple):
    """Where methods are, which names tests rely on, and when a test gets such a method."""

    suffixes: tuple[str, ...]
    method: re.Pattern[str]
    reaches: Callable[[TakenMethod, str], bool]  # the method, and the text of a test


class ReplacedMethods:
    """Methods of changed product files that may hide one of a test or of the language."""

    def __init__(self, product: Sides) -> None:
        self.rows: list[tuple[Language, TakenMethod]] = []
        known = {
            (row.owner, row.name)
            for path, (before, _) in product.items()
            for _, row in _methods(path, before)
        }
        for path, (_, after) in product.items():
            self.rows += [
                (language, row)
                for language, row in _methods(path, after)
                if (row.owner, row.name) not in known
            ]

    @property
    def words(self) -> set[str]:
        """By which the tests are searched."""
        names = {row.name for language, row in self.rows if ".rs" in language.suffixes}
        return {row.owner for _, row in self.rows} | names

    def findings(self, tests: Mapping[str, str]) -> Iterator[Finding]:
        for language, row in self.rows:
            texts = [text for path, text in tests.items() if path.endswith(language.suffixes)]
            if any(language.reaches(row, text) for text in texts):
                rule = "measure-of-tests-changed"
                yield Finding(MEDIUM, rule, row.path, row.line, after=row.text[:MAX_QUOTED])


def _methods(path: str, text: str | None) -> Iterator[tuple[Language, TakenMethod]]:
    """The methods with a name on which tests rely."""
    language = next((row for row in LANGUAGES if path.endswith(row.suffixes)), None)
    if language is None or not text:
        return
    matches = filter(None, map(language.method.match, text.splitlines()))
    if not any(_is_relied_on(path, match["name"]) for match in matches):
        return
    lines = plain_code(path, text).splitlines()
    for index, line in enumerate(lines):
        match = language.method.match(line)
        if not match or not _is_relied_on(path, match["name"]):
            continue
        if owner := match.groupdict().get("owner") or _owner(path, lines, index):
            yield language, TakenMethod(path, index + 1, owner, match["name"], line.strip())


def _is_relied_on(path: str, name: str) -> bool:
    if path.endswith(".go"):
        return name in GO_TESTING or name in GO_TESTIFY
    if path.endswith(".rs"):
        return name in RUST_NAMES
    if path.endswith(".rb"):
        return name in RUBY_TEST or bool(RUBY_ASSERTION.fullmatch(name))
    names = PYTHON_TEST if path.endswith(".py") else PHP_TEST
    return name in names or bool(CAMEL_ASSERTION.fullmatch(name))


def _owner(path: str, lines: list[str], index: int) -> str:
    """The type of a method; for Rust, the trait that a type of the language gets."""
    head = owner_line(lines, index)
    if path.endswith(".rs"):
        match = RUST_IMPL.match(head)
        return match["owner"] if match else ""
    if path.endswith(".php"):
        match = re.match(r"\s*trait (?P<owner>\w+)", head)
        return match["owner"] if match else ""
    match = OWNER.search(head)
    return str(match[match.lastgroup or 0]) if match else ""


def _is_embedded(row: TakenMethod, test: str) -> bool:
    """Does a struct of a Go test embed the type, beside what reports failures?"""
    own = re.search(
        rf"(?m)(?:^|\{{|;)\s*\*?(?:\w+\.)?{row.owner}(?:\[[^\]]*\])?\s*(?:;|\}}|$)", test
    )
    if not own:
        return False
    if row.name in GO_TESTIFY and re.search(
        r"(?m)^\s*\*?(?:suite\.Suite|\w+\.Assertions)\s*$", test
    ):
        return True
    embeds = r"(?m)(?:^|\{|;)\s*\*?testing\.(?:T|B|F|TB)\s*(?:;|\}|$)"
    return row.name in GO_TESTING and bool(re.search(embeds, test))


def _is_included(row: TakenMethod, test: str) -> bool:
    """Does a Ruby test include the module, or inherit from the class?"""
    pattern = (
        rf"(?m)^\s*(?:include|extend|prepend)\b.*\b{row.owner}\b|class \w+ < .*\b{row.owner}\b"
    )
    return bool(re.search(pattern, test))


def _is_used_trait(row: TakenMethod, test: str) -> bool:
    return bool(re.search(rf"(?m)^\s+use [^;(]*\b{row.owner}\b", test))


def _is_base(row: TakenMethod, test: str) -> bool:
    return bool(re.search(rf"(?m)^\s*class \w+\([^)]*\b{row.owner}\b[^)]*\)", test))


def _is_in_scope(row: TakenMethod, test: str) -> bool:
    """Does a Rust test take in the trait, by its name or with all names, and call the method?"""
    is_named = re.search(rf"\buse [^;]*\b{row.owner}\b", test)
    return bool(re.search(rf"\.{row.name}\b", test) and (is_named or GLOB.search(test)))


LANGUAGES = (
    Language((".go",), GO_METHOD, _is_embedded),
    Language((".rb",), RUBY_METHOD, _is_included),
    Language((".php",), PHP_METHOD, _is_used_trait),
    Language((".py",), PYTHON_METHOD, _is_base),
    Language((".rs",), RUST_METHOD, _is_in_scope),
)
