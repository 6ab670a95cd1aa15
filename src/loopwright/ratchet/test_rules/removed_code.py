"""What the product lost and gained in a change: it explains why tests changed with it."""

from __future__ import annotations

from collections import Counter

from ... import lazy_re as re
from ...checks.surroundings import is_product_code
from ...core.findings import HIGH, LOW, MEDIUM, Finding
from ...repo.baseline import Change
from ..project import lost_lines, new_lines
from ..readers.matchers import word_set
from ..readers.suite import Suite, Test
from .expected_values import QUOTED, all_words, changed_words, has_same_texts, is_part_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WORD = re.compile(r"[A-Za-z_]\w{2,}")
BUILT_IN = re.compile(r"__\w+__|\w*(?:Error|Warning|Exception)")
COMMON_WORDS = word_set(
    "the and for not with from import return None True False self class def assert test this that"
    " async await const let var function new null undefined true false expect str int list dict"
    " raise raises except try name value type"
)
PRIVATE_NAME = re.compile(r"(?<=\.)_[a-z]\w{2,}")
DEPRECATED = re.compile(r"(?i)deprecat|\[obsolete")
MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|open|final|abstract|override"
    r"|expect|actual|inline|suspend|operator|infix|data|sealed|readonly|virtual|async|unsafe|const"
    r"|companion|pub(?:\([^)\n]*\))?)[ \t]+)*"
)
DEFINITION = re.compile(
    rf"(?m)^[ \t]*{MODIFIERS}(?:def|class|function|const|fn|func?|get|object|interface|struct|trait"
    r"|enum|val|record|type|module)[ \t]+(?:<[^>\n]*>[ \t]*)?"
    r"(?:\([^)\n]*\)[ \t]*)?"  # the receiver of a method of Go
    r"(?:\w+(?:<[^>\n]*>)?\??\.)*(\w{3,})"
    # a method of Java or C#
    r"|^[ \t]*(?:public|protected|private|internal|static)[ \t][^=;(){}\n]*?\b(\w{3,})[ \t]*\("
)
PARAMETER = re.compile(r"(?m)^[ \t]+(\w{3,}): [^\n]*,$")  # with its type, on a line of its own
MANIFEST = re.compile(
    r"/(?:package\.json|pyproject\.toml|setup\.py|Cargo\.toml|go\.mod|pom\.xml|composer\.json"
    r"|build\.gradle(?:\.kts)?|[\w.-]+\.(?:csproj|gemspec))$"
)
MAX_DISTANCE = 40  # lines between a definition and the word in it
ABOVE_DEFINITION = re.compile(r"\s*(?:@|#\[|\[|\*|/[/*])")  # an annotation or a comment
MAX_ANNOTATION = 8  # lines
MIN_TEXT = 3  # letters of a text that is not equal by chance
SOFTENED_RULES = ("test-deleted", "assertion-removed", "test-cases-removed", "assertion-loosened")
CHANGED_VALUE = "expected-value-changed"


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
        definitions: Counter[str] = Counter()  # that are fewer now
        parameters: set[str] = set()
        still_parameters: set[str] = set()
        self.deprecated: set[str] = set()
        self.lost_deprecation = False
        self.lost_texts: set[str] = set()  # in quotes
        self.new_texts: set[str] = set()
        self.words_of_lost_lines: set[str] = set()
        self.words_of_new_lines: set[str] = set()
        for change in changes:
            if is_product_code(change):
                before.update(WORD.findall(change.before or ""))
                after.update(WORD.findall(change.after or ""))
                definitions.update(_defined_names(change.before))
                definitions.subtract(_defined_names(change.after))
                parameters.update(PARAMETER.findall(change.before or ""))
                still_parameters.update(PARAMETER.findall(change.after or ""))
                lost = lost_lines(change.before, change.after)
                new = (line for _, line in new_lines(change.before, change.after))
                self.lost_deprecation |= any(map(DEPRECATED.search, lost))
                lost_text, new_text = " ".join(lost), " ".join(new)
                self.words_of_lost_lines |= all_words(lost_text)
                self.words_of_new_lines |= all_words(new_text)
                self.lost_texts |= _quoted_texts(lost_text)
                self.new_texts |= _quoted_texts(new_text)
                self.deprecated |= _deprecated_names(change)
        self.lost = ((before - after) | (parameters - still_parameters)) - COMMON_WORDS
        # `until` of one class may go, and that of another one stay.
        self.lost_definitions = set(+definitions) - COMMON_WORDS
        self.words = before

    def explain(self, finding: Finding, suites: Mapping[str, Suite]) -> Finding:
        """The finding with less weight where the product lost or changed the same words.

        A person must look at a deleted test of removed code, but it does not refute the claim.
        """
        if finding.severity == HIGH and finding.rule in SOFTENED_RULES:
            test_name = finding.before if finding.rule == "test-deleted" else ""
            reason = self._reason_to_change(_tested_text(finding, suites), test_name)
            if reason:
                return finding.but(severity=MEDIUM, after=finding.after or reason)
        is_changed_value = finding.severity == MEDIUM and finding.rule == CHANGED_VALUE
        if is_changed_value and self._says_so_too(finding.before, finding.after):
            return finding.but(severity=LOW)
        return finding

    def _reason_to_change(self, tested: str, test_name: str) -> str:
        """What the product lost or changed of that which a test named; "" if nothing."""
        name = _longest_name(tested, self.lost) or _longest_name(tested, self.lost_definitions)
        name = name or self._lost_definition_in(test_name)
        if name:
            return f"{name} was removed"
        if name := _longest_name(tested, self.deprecated):
            return f"{name} was deprecated"
        if self.lost_deprecation and DEPRECATED.search(tested):
            return "what was deprecated was removed"
        private = set(PRIVATE_NAME.findall(tested))
        if name := _longest_name(tested, private & self.words):
            return f"the code around the private {name} was changed"
        return ""

    def _lost_definition_in(self, test_name: str) -> str:
        """The removed function that a test is named after: `parse_date` of `test_parse_date_utc`.

        Only names of two words and more, which no test has by chance.
        """
        named = f"_{test_name.replace('::', '_').casefold()}_"
        gone = {name for name in self.lost_definitions & self.lost if "_" in name.strip("_")}
        return next((n for n in sorted(gone) if f"_{n.strip('_').casefold()}_" in named), "")

    def _says_so_too(self, before: str, after: str) -> bool:
        """Did the product change the same words as the expected value? Numbers do not count."""
        lost, gained = changed_words(before, after)
        if is_part_of(before, after):  # it says all that it said, and new words of the product
            new_words = {word for word in gained if WORD.fullmatch(word)} - self.words
            return not new_words.isdisjoint(self.words_of_new_lines)
        if any(word[0].isdigit() for word in lost | gained):
            return self._changed_same_texts(before, after)
        if not gained and not has_same_texts(before, after):
            return False  # something that was written out is missing
        telling = set(filter(WORD.fullmatch, lost)) or lost
        is_dropped = not lost or not telling.isdisjoint(self.words_of_lost_lines)
        return bool(lost | gained) and is_dropped and gained <= self.words_of_new_lines

    def _changed_same_texts(self, before: str, after: str) -> bool:
        """Do only texts in quotes differ, and did the product change each of them likewise?"""
        if QUOTED.sub("''", before) != QUOTED.sub("''", after):
            return False
        old, new = _quoted_texts(before), _quoted_texts(after)
        lost, gained = old - new, new - old
        is_telling = all(len(text) >= MIN_TEXT for text in lost | gained)
        is_said = lost <= self.lost_texts and gained <= self.new_texts
        return bool(lost and gained) and is_telling and is_said


def _quoted_texts(text: str) -> set[str]:
    return {quoted[1:-1] for quoted in QUOTED.findall(text)}


def _longest_name(text: str, names: set[str]) -> str:
    """The name in the text that is one of these; the longest says most."""
    found = [word for word in WORD.findall(text) if word in names]
    return max(found, key=lambda name: (not BUILT_IN.fullmatch(name), len(name)), default="")


def _deprecated_names(change: Change) -> set[str]:
    """The functions, classes and properties in which a line that says "deprecated" is new."""
    if change.after is None:
        return set()
    marked = [
        number
        for number, line in new_lines(change.before, change.after, ())
        if DEPRECATED.search(line)
    ]
    definitions = [
        (change.after.count("\n", 0, match.start()) + 1, match[1] or match[2])
        for match in DEFINITION.finditer(change.after)
    ]
    lines = change.after.splitlines()
    names = set()
    for number in marked:
        below = [name for line, name in definitions if number < line <= number + MAX_ANNOTATION]
        if below and ABOVE_DEFINITION.match(lines[number - 1]):
            names.add(below[0])
            continue
        above = [name for line, name in definitions if number - MAX_DISTANCE <= line <= number + 2]
        names.update(above[-1:])
    return names


def _defined_names(text: str | None) -> list[str]:
    return [match[1] or match[2] for match in DEFINITION.finditer(text or "")]


def _tested_text(finding: Finding, suites: Mapping[str, Suite]) -> str:
    """What the deleted tests did and asserted; of an assertion, its text."""
    name = finding.before
    if finding.rule == "test-cases-removed":
        name = name.rpartition(": ")[0]
    elif finding.rule != "test-deleted":
        return finding.before
    suite = suites.get(finding.file)
    tests = [test for test in suite.tests if test.name == name] if suite else []
    return " ".join(_text_of(test) for test in tests)


def _text_of(test: Test) -> str:
    return " ".join([*(assertion.text for assertion in test.assertions), *(test.steps or ())])
