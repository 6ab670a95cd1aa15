"""Finds helpers of tests that compare less strictly than before, in every language.

A helper need not assert: `close(left, right)` says whether two values are the same, `same($want,
$got)` counts failures, a matcher of jest returns `pass`. The readers of tests see only that it is
called. Here the comparisons in its body are compared by their text.
"""

from __future__ import annotations

from functools import cached_property

from ... import lazy_re as re
from ...checks.code_files import CODE_SUFFIXES
from ...checks.surroundings import HOOK, VENDORED_FOLDER, surrounding_kind
from ...checks.test_files import HELPER, TEST
from ...core.findings import MEDIUM, Finding
from ...repo.sources import SourceFile, code_text
from ..readers import languages
from ..readers.helper_functions import HelperFunction, helper_functions
from ..readers.matchers import word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...repo.baseline import Change
    from ..project import Project

RULE = "assertion-loosened"
# A sign of order has blanks around it: `Vec<String>` and `=>` are none.
COMPARISON = re.compile(
    r"(?P<left>[\w$@.)\]?]*)\s*(?P<sign>===|!==|==|!=|<=>|(?<=\s)[<>]=?(?=\s)|\bis not\b|\bis\b)"
    r"\s*(?P<right>[\w$@.&*(\[-]*)"
)
STRICT_SIGNS, EQUAL_SIGNS = ("===", "!==", "is", "is not"), ("==", "!=")
LITERAL = re.compile(
    r"[(\[&*-]*(?:\d.*|(?:None|null|nil|NULL|nullptr|undefined|[tT]rue|[fF]alse|TRUE|FALSE)\b.*|)"
)
STRICT_CALL = re.compile(
    r"\b(?:[dD]eepStrictEqual|[sS]trictEqual|ReferenceEquals|Object\.is)\(|\.equal\?"
)
EQUAL_CALL = re.compile(
    r"\b(?:strcmp|memcmp|[eE]quals?|[dD]eepEqual|isEqual|SequenceEqual)\(|\.eql\?"
)
# Answers about a part of a value.
PARTIAL_CALL = re.compile(
    r"\b(?:equalsIgnoreCase|EqualFold|eq_ignore_ascii_case|isclose|approx|(?:str_)?starts_?[wW]ith"
    r"|StartsWith|[hH]asPrefix|(?:str_)?ends_?[wW]ith|EndsWith|[hH]asSuffix|includes|[cC]ontains"
    r"|str_contains|issubset|isSubset|any|some)\(|\.(?:include|start_with|end_with|casecmp)\?"
)
COMPARING = (COMPARISON, STRICT_CALL, EQUAL_CALL, PARTIAL_CALL)
DISTANCE = re.compile(
    r"\bf?abs\(|\.abs\b|\bMath\.[aA]bs\(|\bmath\.Abs\(|\babs_diff\(|\babsoluteValue\b|\.magnitude\b"
)
DIFFERENCE = re.compile(r"[\w)\]] - [\w($]")
# What makes two different values the same.
ROUGH_NAMES = word_set(
    "round floor ceil trunc rint int intval toFixed isclose approx almost closeTo toBeCloseTo"
    " InDelta InEpsilon within assertAlmostEqual assertEqualsWithDelta assert_in_delta be_within"
    " lower casefold upper toLowerCase toUpperCase downcase upcase ToLower ToUpper lowercase"
    " uppercase to_lowercase to_uppercase strtolower EqualFold equalsIgnoreCase casecmp"
    " eq_ignore_ascii_case strcasecmp strncmp strncasecmp strip trim TrimSpace Trim trimEnd chomp"
    " sorted sort Sort set Set HashSet toSet to_set uniq unique distinct len length size strlen"
    " startswith startsWith starts_with str_starts_with HasPrefix StartsWith hasPrefix start_with"
    " endswith endsWith ends_with str_ends_with HasSuffix EndsWith hasSuffix end_with includes"
    " contains Contains contain include str_contains indexOf strpos strstr issubset issuperset"
    " isSubset zip any some Any slice substring substr toMatchObject toContain objectContaining"
    " assertContains assertIn assertEqualIgnoringCase assertEqualsIgnoringCase"
    " assertEqualsCanonicalizing notStrictEqual isTruthy ok assertTrue toBeTruthy"
)
CALLED_NAME = re.compile(r"\b([A-Za-z_$][\w$]*)[?!]?(?=\()|\.(\w+)\??(?![\w(])")
NUMBER = r"\d[\d_]*(?:\.\d+)?(?:[eE]-?\d+)?"
# A bound, and a name that stands for a number: a constant, or what a parameter has by default.
BOUND = re.compile(rf"(?<=\s)[<>]=?\s*({NUMBER}|[A-Za-z_$][\w$.]*)")
TOLERANCE_ARGUMENT = re.compile(rf"\b(?:\w*tol|delta|epsilon|places)\s*[=:]\s*({NUMBER})")
NAMED_NUMBER = re.compile(
    rf"(?:^|[\s(,])\$?([A-Za-z_]\w*)(?:\s*:\s*[\w&' ]+?|\s+\w+)?\s*:?=\s*({NUMBER})"
    r"\s*(?=[;,)\n]|$)",
    re.M,
)
RELATIVE = re.compile(
    r"(?:[/]|\bdiv\b)[^<>=]*(?<=\s)[<>]=?(?=\s)|(?<=\s)[<>]=?\s+[\w.$]+\([^<>]*\) *\*"
    r"|(?<=\s)[<>]=?\s+[\w.$]+ *\*"
)
ONE_OF, ALL_OF = re.compile(r"\|\||\bor\b"), re.compile(r"&&|\band\b")
HEADER = re.compile(r"^\s*(?:\}\s*)?(?:els?e?\s*)?(?:if|unless|while|for|foreach|case|when)\b")
LOOP_HEADER = re.compile(r"^\s*(?:while|for|foreach)\b")
# What a helper does with two values that differ.
FAILS = re.compile(
    r"(?i)\bfail|throw\b|raise\b|\bdie\b|panic|error|\bexit|print|echo\b|warn|\blog\b|\+\+"
    r"|\+= ?1\b|\bpass|\bok\b|return (?:true|false|nil)\b|assert|expect"
)
ASSIGNED = re.compile(
    r"^\s*(?:(?:const|let|var|val|my|auto|mut|double|float|int)\s+)*\$?(\w+)\s*:?=(?!=)"
)
# The readers of tests compare what is asserted.
ASSERTED = re.compile(r"^\s*(?:await\s+)?(?:expect|assert\w*!?|\w+\.[aA]ssert\w*|assert\.\w+)[ (]")
# A helper that is given only what it expects.
JUDGING_NAME = re.compile(
    r"(?i)same|equal|close|near|match|check|assert|expect|verify|should|compar|differ|^(?:is|has)_?"
)
LINES_AFTER_HEADER = 4
MAX_INLINED = 5
MAX_QUOTED = 200


def find(project: Project) -> Iterator[Finding]:
    """Helpers of the baseline that are looser now."""
    run_files = frozenset(project.reach.files)
    read = [change for change in project.changes.values() if _may_compare(change, run_files)]
    if not any(change.before for change in read):
        return
    sides = [_functions_of(change) for change in read]
    everywhere = {name: found for _, _, new in sides for name, found in new.items()}
    for path, old, new in sides:
        for name, function in new.items():
            former = old.get(name)
            if former is None or former[2:] == function[2:]:
                continue
            before = Comparisons(path, former, {})
            after = Comparisons(path, function, _added_helpers(former, function, new, everywhere))
            if before.is_judging and after.is_looser_than(before):
                texts = _different_lines(before, after)
                yield Finding(MEDIUM, RULE, path, function.line, *texts)


Functions = dict[str, HelperFunction]


def _may_compare(change: Change, run_files: frozenset[str]) -> bool:
    path, before, after = change.path, change.before, change.after
    if after is None or not path.endswith(CODE_SUFFIXES) or path.endswith((".sh", ".bats")):
        return False
    if VENDORED_FOLDER.search(path):
        return False
    if path in run_files or languages.reading_language(path, before):
        return True
    return surrounding_kind(path, before, after) in (TEST, HELPER, HOOK)


def _functions_of(change: Change) -> tuple[str, Functions, Functions]:
    """The path, and the helpers in the tests of both sides."""
    path = change.path
    language = languages.reading_language(path, change.before)

    def read(text: str) -> Functions:
        if language and not language.is_test(path):  # tests beside the product
            lines_above = text.partition(language.inline_tests)[0].count("\n")
            text = "\n" * lines_above + language.test_part(path, text)
        return helper_functions(code_text(SourceFile(path, text), strings=False))

    return path, read(change.before or ""), read(change.after or "")


def _added_helpers(
    old: HelperFunction, new: HelperFunction, own: Functions, everywhere: Functions
) -> Functions:
    """The helpers that a helper calls now, and that it did not call."""
    found: Functions = {}
    known, waiting = old.called_names, [new]
    while waiting and len(found) < MAX_INLINED:
        for name in sorted(waiting.pop().called_names - known - found.keys() - {new.name}):
            helper = own.get(name) or everywhere.get(name)
            if helper:
                found[name] = helper
                waiting.append(helper)
    return found


class Comparisons:
    """What a helper compares, with the helpers that it calls anew."""

    def __init__(self, path: str, function: HelperFunction, added: Functions) -> None:
        self.has_loose_triple = path.endswith(".rb")  # `===` of Ruby asks whether it fits
        self.has_identity = path.endswith(".py")
        parts = [function, *added.values()]
        self.called = {name for part in parts for name in part.called_names} - added.keys()
        texts = "\n".join(f"{part.constants}\n{part.head}" for part in parts)
        self.numbers = dict(NAMED_NUMBER.findall(texts))
        self.lines = [line for part in parts for line in _judging_lines(part.body)]
        self.text = "\n".join(self.lines)
        self.asserted = sum(bool(ASSERTED.search(line)) for part in parts for line in part.body)
        loops = "\n".join(line for line in function.body if LOOP_HEADER.search(line))
        given = function.parameters & set(re.findall(r"\w+", f"{self.text}\n{loops}"))
        self.is_about_its_values = len(given) >= (1 if JUDGING_NAME.search(function.name) else 2)

    @cached_property
    def _signs(self) -> list[tuple[str, str]]:
        """Each sign between two values that are not written out, and its text; or an order."""
        found = []
        for match in COMPARISON.finditer(self.text):
            sign = " ".join(match["sign"].split())
            if sign.startswith("is") and not self.has_identity:
                continue
            is_written_out = any(LITERAL.fullmatch(match[side]) for side in ("left", "right"))
            is_order = sign[0] in "<>"
            if is_order or not is_written_out:
                found.append((sign, f"{match['left']} {sign} {match['right']}"))
        return found

    @cached_property
    def strict(self) -> int:
        signs = [sign for sign, _ in self._signs if sign in STRICT_SIGNS]
        calls = STRICT_CALL.findall(self.text)
        return len(calls) + (0 if self.has_loose_triple else len(signs))

    @cached_property
    def equal(self) -> int:
        signs = [sign for sign, _ in self._signs if sign in EQUAL_SIGNS]
        return len(signs) + len(EQUAL_CALL.findall(self.text))

    @cached_property
    def order(self) -> int:
        return sum(sign[0] in "<>" for sign, _ in self._signs)

    @cached_property
    def texts(self) -> set[str]:
        return {text for _, text in self._signs}

    @cached_property
    def rough(self) -> set[str]:
        names = {one or other for one, other in CALLED_NAME.findall(self.text)} & ROUGH_NAMES
        triple = {"==="} if self.has_loose_triple and "===" in self.text else set()
        return names | triple

    @cached_property
    def tolerance(self) -> float:
        """The largest distance that is let through; 0: none is written out."""
        if not DISTANCE.search(self.text) and not DIFFERENCE.search(self.text):
            words = TOLERANCE_ARGUMENT.findall(self.text)
        else:
            words = [self.numbers.get(word, word) for word in BOUND.findall(self.text)]
            words += TOLERANCE_ARGUMENT.findall(self.text)
        return max((_number(word) for word in words), default=0.0)

    @property
    def is_judging(self) -> bool:
        """Does it say whether values that it is given are the same, or near to each other?"""
        measures = DISTANCE.search(self.text) or DIFFERENCE.search(self.text)
        compares = self.strict or self.equal or (self.order and measures)
        return self.is_about_its_values and bool(compares)

    def is_looser_than(self, old: Comparisons) -> bool:
        is_rougher = bool(self.rough - old.rough)
        has_new_order = self.order > old.order
        if old.strict > self.strict and (self.equal > old.equal or has_new_order or is_rougher):
            return True
        is_less_equal = old.strict + old.equal > self.strict + self.equal
        if is_less_equal and (has_new_order or is_rougher):
            return True
        if is_rougher and (self.equal + self.strict or self.order):
            return True
        return self._has_wider_bound(old) or self._leaves_out(old)

    def _has_wider_bound(self, old: Comparisons) -> bool:
        """Is the sign of a difference lost, or may two values be further apart?"""
        if not old.order or not self.order:
            return 0.0 < old.tolerance < self.tolerance
        distances = [len(DISTANCE.findall(side.text)) for side in (old, self)]
        if distances[0] > distances[1] and self.order <= old.order:
            return True
        if 0.0 < old.tolerance < self.tolerance:
            return True
        return bool(RELATIVE.search(self.text)) and not RELATIVE.search(old.text)

    def _leaves_out(self, old: Comparisons) -> bool:
        """Is a comparison gone and nothing in its place, or is one of several enough now?"""
        if self.called - old.called or self.texts - old.texts or self.asserted > old.asserted:
            return False
        if old.texts - self.texts:
            return old.strict + old.equal + old.order > self.strict + self.equal + self.order
        one, all_ = (len(p.findall(self.text)) - len(p.findall(old.text)) for p in (ONE_OF, ALL_OF))
        return one > 0 > all_


def _judging_lines(body: Sequence[str]) -> list[str]:
    """The lines that decide whether values are the same, and what prepares their values."""
    judging = []
    for index, line in enumerate(body):
        if not any(pattern.search(line) for pattern in COMPARING):
            continue
        if LOOP_HEADER.search(line) or ASSERTED.search(line):
            continue
        after = "\n".join(body[index : index + LINES_AFTER_HEADER])
        if not HEADER.search(line) or FAILS.search(after.partition("\n")[2] or line):
            judging.append(line)
    words = set(re.findall(r"\w+", "\n".join(judging)))
    return [
        line
        for line in body
        if line in judging or ((made := ASSIGNED.search(line)) and made[1] in words)
    ]


def _number(word: str) -> float:
    try:
        return float(word.replace("_", ""))
    except ValueError:
        return 0.0


def _different_lines(old: Comparisons, new: Comparisons) -> tuple[str, str]:
    """The first line of each side that the other does not have."""
    before = next((line for line in old.lines if line not in new.lines), "")
    after = next((line for line in reversed(new.lines) if line not in old.lines), "")
    return " ".join(before.split())[:MAX_QUOTED], " ".join(after.split())[:MAX_QUOTED]
