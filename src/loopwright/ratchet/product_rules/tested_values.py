"""Finds types of the product that tell less of their values, in the way in which tests ask for it.

Tests compare two values by their texts, measure how far two values are from each other, or ask
which error an error is. If the type itself answers, the product can answer too little: a text
without a field, a difference that is rounded, an error that is of every kind.
"""

from __future__ import annotations

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ..references import search_word
from .error_kinds import ErrorKinds
from .test_detection import INLINE_TESTS
from .value_methods import (
    ValueMethod,
    fields_of,
    functions_naming,
    has_value_methods,
    plain_code,
    reachable_words,
    shows_all,
    value_methods,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..project_files import Sides

# What a test does with a value to have its text.
AS_TEXT = re.compile(
    r"\bfmt\.Sprint(?:f|ln)?\(|\.(?:String|Error|ToString|toString|to_string|GoString)\(\)"
    r"|\bformat!\(|\b(?:str|repr|ascii|String|strval|json_encode|print_r|serialize)\("
    r"|\bString\.valueOf\("
    r"|\bjson\.(?:Marshal|dumps)\(|\bJSON\.stringify\(|\b(?:util\.)?inspect\(|\.(?:to_s|inspect)\b"
    r"|\bf['\"]\{|`\$\{|\"#\{|\"\$\{?\w|\$\"\{|\(string\) ?\$\w"
)
COMPARED = re.compile(
    r"[!=]=|\b(?:assert|expect|require|should|is|equal)\w*[!(. ]|[eE]quals?\w*[( ]|\bcmp\("
)
MESSAGE = re.compile(
    r"\b(?:t|b|tb|T)\.(?:Error|Fatal|Log|Skip)f?\(|\bpanic!?\(|\bp?rint(?!_r\()\w*[!( ]|\bconsole\."
)
# By which method a function of PHP writes an object.
PHP_TEXTS = {
    "__debugInfo": "print_r",
    "__serialize": "serialize",
    "__sleep": "serialize",
    "jsonSerialize": "json_encode",
}
VARIABLE = re.compile(r"\b(\w+)(?:, \w+)? *(?:: *[\w<>]+ *)?:?=(?!=)")
# How a test measures the distance of two values.
WITHIN = re.compile(
    r"\b(?:assert_in_(?:delta|epsilon)|be_within|be_close|approx|isclose|toBeCloseTo|closeTo"
    r"|assertAlmostEqual|InDelta|InEpsilon|assert_(?:relative|abs_diff|ulps)_eq"
    r"|assertEqualsWithDelta"
    r"|isCloseTo|within)\b"
)
DIFFERENCE = re.compile(
    r"[\w)\]] - [\w(&]|\.(?:sub|minus|subtract|Sub|Minus|abs_diff|diff\w*|[dD]istance\w*)\("
)
BOUND = re.compile(r"[<>]=?|\b(?:assertLess|assert_operator|LessThan|Less|toBeLess)\w*")
GENERIC = re.compile(r"<\w[\w, ]*>|->|=>|::<|<<|>>")
# Calls and signs that make a difference smaller than it is.
ROUGH = re.compile(
    r"\b(?:saturating|wrapping)_\w+|\b(?:clamp|coerceAtLeast|coerceAtMost|coerceIn)\b"
    r"|\.(?:max|min)\("
    r"|\b(?:max|min|Max|Min)\(|\b[rR]ound\w*|\b[fF]loor|\b[tT]runc\w*|\b[cC]eil\w*|\bint\("
    r"|\bas [iu]\d+|\.to_i\b|\.toInt\(|\bNumber\.EPSILON|//|%|\bif\b|\bmatch\b|\?(?!\.)|\bsqrt\b"
    r"|\b0\.0*[1-9]\d*|1e-\d+"
)
# A text that leaves out a part of a number.
ROUGH_TEXT = re.compile(
    r"%\.0f|:\.0[f}]|toFixed\(0?\)|\b[rR]ound\w*\(|\b[fF]loor|\b[tT]runc\w*|\.to_i\b|\bint\("
    r"|\[\.{2}=?\d|\[:\d|\.(?:slice|substring|Substring|take|first)\("
)
# A difference and nothing else: names, fields by number, and the sign.
PLAIN = re.compile(r"(?:[A-Za-z_]\w*+|\.\d++(?!\w)|[-\s(){},.:;>&@$=])*+")
SIZE = re.compile(r"\bf?[aA]bs(?:_diff)?\b")
# What only refuses values that cannot be subtracted.
GUARD = re.compile(
    r"(?m)^\s*if\b[^\n]*\s+(?:throw|panic!?|raise|return (?:Err|NotImplemented))\b[^\n]*"
    r"(?:\n\s*(?:\}|end\b))?|^\s*(?:(?:debug_)?assert\w*!?|raise|require|check)\b[^\n]*"
)
# Signs of a decision, as a method needs them that turns a negative number into a positive one.
DECISION = frozenset(("if", "match", "?", "max(", ".max(", "Max("))
NO_TEXT_FIELD = re.compile(r"(?m)^\s+(\w+) *:.*\bfield\(.*\brepr *= *False")
COMMON_NAMES = frozenset(("new", "main", "init", "initialize", "constructor", "__init__"))
NEXT_LINES = 8  # below a variable, in which a test uses it
MAX_QUOTED = 200


class TestedValues:
    """The methods of changed types that say less than before, and whether tests rely on them."""

    __test__ = False  # for pytest

    def __init__(self, product: Sides) -> None:
        self.texts: list[tuple[str, ValueMethod]] = []  # path, method
        self.differences: list[tuple[str, ValueMethod]] = []
        self.functions: dict[str, set[str]] = {}  # type → functions that name it
        self.paths: list[str] = []
        self.errors = ErrorKinds(product)
        sides = {path: row for path, row in product.items() if has_value_methods(path, row[1])}
        if not sides:
            return
        # A type may come from a file that is gone.
        known = {path: before for path, (before, _) in product.items()}
        old_code = {
            p: plain_code(p, text) for p, text in known.items() if has_value_methods(p, text)
        }
        old = {
            k: m for path, code in old_code.items() for k, m in value_methods(path, code).items()
        }
        for path, (former, text) in sides.items():
            before = plain_code(path, former) or "\n".join(old_code.values())
            self._read(path, old, before, plain_code(path, text))
        owners = {method.owner for _, method in (*self.texts, *self.differences)} - {""}
        if owners:
            all_code = "\n".join(plain_code(path, text) for path, (_, text) in product.items())
            named = functions_naming(owners, all_code)
            self.functions = {owner: names - COMMON_NAMES for owner, names in named.items()}
            self.paths = list(product)

    def _read(
        self, path: str, old: dict[tuple[str, str, str], ValueMethod], before: str, after: str
    ) -> None:
        for key, method in value_methods(path, after).items():
            former = old.get(key)
            if former and former.body.split() == method.body.split():
                continue
            if method.is_text and _text_says_less(former, method, before, after):
                self.texts.append((path, method))
            elif not method.is_text and _is_rougher(former, method, after):
                self.differences.append((path, method))
        self.texts += [(path, method) for method in _fields_without_text(path, before, after)]

    @property
    def words(self) -> set[str]:
        """By which the tests are searched."""
        if not self.texts and not self.differences:
            return self.errors.words
        found = {method.owner for _, method in (*self.texts, *self.differences)}
        found |= {name for names in self.functions.values() for name in names}
        return (found | {search_word(path) for path in self.paths} | self.errors.words) - {""}

    def findings(self, files: Mapping[str, str], tests: Mapping[str, str]) -> Iterator[Finding]:
        """One for each method with which tests compare; `files` are others of the baseline."""
        texts = list(tests.values())
        for path, method in self.texts:
            named = [text for text in texts if self._names(method, text)]
            if any(_compares_texts(method, text) for text in named):
                yield _finding("product-tells-less-apart", path, method)
        for path, method in self.differences:
            lines = [line for text in texts for line in _measuring_lines(text)]
            if any(self._names(method, line) for line in lines):
                yield _finding("measure-of-tests-changed", path, method)
        yield from self.errors.findings(files, tests)

    def _names(self, method: ValueMethod, test: str) -> bool:
        """Does a test name the type, or call a function that may give a value of it?"""
        words = {*re.findall(r"\w+", test)}
        other = re.search(r"<&?([A-Z]\w+)>", method.trait)
        if other and other[1] not in words | {method.owner, "Self"}:
            return False  # a difference to another type
        return method.owner in words or bool(words & self.functions.get(method.owner, set()))


def inline_tests(product: Sides) -> dict[str, str]:
    """The tests of the start that are inside of product files, as Rust has them."""
    texts = {path: before or "" for path, (before, _) in product.items() if path.endswith(".rs")}
    return {path: m[0] for path, text in texts.items() if (m := INLINE_TESTS.search(text))}


def _finding(rule: str, path: str, method: ValueMethod) -> Finding:
    body = " ".join(method.body.split())
    text = method.head if body in method.head else f"{method.head} {body}"
    return Finding(MEDIUM, rule, path, method.line, after=text[:MAX_QUOTED])


def _text_says_less(
    former: ValueMethod | None, method: ValueMethod, before: str, after: str
) -> bool:
    """Is a field left out of a text, or a part of a number?"""
    if shows_all(method, after):
        return False
    fields = fields_of(method.owner, after)
    words = reachable_words(method, after)
    if former is None:
        known = fields_of(method.owner, before)
        shown = fields & known if known else fields
        return bool(shown - words) or bool(ROUGH_TEXT.search(method.body))
    lost = reachable_words(former, before) & fields - words
    rough = {*ROUGH_TEXT.findall(method.body)} - {*ROUGH_TEXT.findall(former.body)}
    return bool(lost or rough)


def _fields_without_text(path: str, before: str, after: str) -> Iterator[ValueMethod]:
    """Fields of a Python data class that its text no longer shows."""
    known = {*NO_TEXT_FIELD.findall(before)} if path.endswith(".py") else set()
    for match in NO_TEXT_FIELD.finditer(after) if path.endswith(".py") else ():
        if match[1] not in known and re.search(rf"(?m)^\s+{match[1]} *:", before):
            line = after[: match.start(1)].count("\n") + 1
            owner = re.findall(r"(?m)^class (\w+)", after[: match.start()])
            head = match[0].strip()
            name = owner[-1] if owner else ""
            yield ValueMethod(name, "__repr__", "", True, line, head, "", head)


def _is_rougher(former: ValueMethod | None, method: ValueMethod, code: str) -> bool:
    """Does a difference leave out what it measures: by rounding, bounds, or one side only?"""
    if method.other and not re.search(rf"(?<!\w){re.escape(method.other)}\b", method.body):
        return True
    if method.name == "coerce":
        return not _names_own_value(method, code)
    body = GUARD.sub("", method.body)
    rough = {*ROUGH.findall(body)} - (DECISION if SIZE.fullmatch(method.name) else set())
    if former is None:
        return bool(rough)
    old_body = GUARD.sub("", former.body)
    return bool(
        rough - {*ROUGH.findall(old_body)}
        or (method.other and _is_plain(old_body) and not _is_plain(body))
        or (SIZE.search(old_body) and not SIZE.search(body))
    )


def _is_plain(body: str) -> bool:
    return bool(PLAIN.fullmatch(body)) and not ROUGH.search(body)


def _names_own_value(method: ValueMethod, code: str) -> bool:
    """Does a Ruby method look at its own object: by itself, a variable or a reader of it?"""
    if re.search(r"\bself\b|@\w", method.body):
        return True
    own = fields_of(method.owner, code) | {*re.findall(r"\bdef (\w+)", code)}
    accessors = re.findall(r"attr_\w+ (.*)", code)
    own |= {name for row in accessors for name in re.findall(r":(\w+)", row)}
    return bool((own - {method.name, method.other}) & method.words)


def _compares_texts(method: ValueMethod, test: str) -> bool:
    """Does a test compare two values by their texts?"""
    if method.trait in ("Debug", "Display") and not _is_written(method.trait, test):
        return False
    if (call := PHP_TEXTS.get(method.name)) and f"{call}(" not in test:
        return False
    variables: set[str] = set()
    for line in test.splitlines():
        code = MESSAGE.split(line)[0]
        texts = AS_TEXT.findall(code)
        if len(texts) > 1 and COMPARED.search(code):
            return True
        if texts and (match := VARIABLE.search(code)):
            variables.add(match[1])
    names = "|".join(map(re.escape, sorted(variables)))
    pair = rf"\b({names})\b *(?:[!=]==?|,|\)\.\w+\() *[&$]?\b(?!\1\b)(?:{names})\b"
    return len(variables) > 1 and any(
        re.search(pair, MESSAGE.split(line)[0]) for line in test.splitlines()
    )


def _is_written(trait: str, test: str) -> bool:
    """Does a test in Rust write values in this way?"""
    pattern = r"\{\w*:#?\?\}" if trait == "Debug" else r"\{\w*\}|\.to_string\(\)"
    return bool(re.search(pattern, test))


def _measuring_lines(test: str) -> Iterator[str]:
    """The lines of a test that ask how far a value is from another one."""
    lines = [MESSAGE.split(line)[0] for line in test.splitlines()]
    for index, line in enumerate(lines):
        if WITHIN.search(line) or (DIFFERENCE.search(line) and _is_bounded(lines, index)):
            yield line


def _is_bounded(lines: list[str], index: int) -> bool:
    """Is a difference compared with a bound, here or under its name in the next lines?"""
    if BOUND.search(GENERIC.sub("", lines[index])):
        return True
    variable = VARIABLE.search(lines[index])
    if not variable:
        return False
    name = rf"\b{variable[1]}\b"
    bound = re.compile(rf"{name}.*(?:[<>]|Less)|(?:[<>]|Less).*{name}")
    return any(bound.search(line) for line in lines[index + 1 : index + 1 + NEXT_LINES])
