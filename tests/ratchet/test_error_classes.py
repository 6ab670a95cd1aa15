"""Errors of the product that became one another."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules.error_classes import ErrorClasses

PYTHON = "class Fault(Exception):\n    pass\n\n\nclass Syntax(Fault):\n    pass\n\n\nclass Range(Fault):\n    pass\n"
TEST_PY = "with pytest.raises(Syntax):\n    parse('x')\nwith self.assertRaises(app.Range):\n    parse('0')\n"
SCRIPT = "class Syntax extends Error {}\nclass Range extends Error {}\n"
TEST_JS = "expect(() => parse('x')).toThrow(Syntax);\nassert.throws(() => parse('0'), Range);\n"
RUBY = "class Syntax < StandardError; end\nclass Range < StandardError; end\n"
TEST_RB = "assert_raises(Syntax) { parse('x') }\nassert_raises(Range) { parse('0') }\n"
JAVA = "public class Range extends RuntimeException {}\nclass Syntax extends RuntimeException {}\n"
TEST_JAVA = (
    "assertThrows(Syntax.class, () -> parse());\nassertThrows(Range.class, () -> parse());\n"
)
KOTLIN = (
    "class Syntax(text: String) : Exception(text)\nclass Range(text: String) : Exception(text)\n"
)
TEST_KT = "assertFailsWith<Syntax> { parse() }\nassertFailsWith<Range> { parse() }\n"
MERGED = {
    "python, a base": ("a.py", PYTHON, PYTHON.replace("Syntax(Fault)", "Syntax(Range)"), TEST_PY),
    "python, a second base": (
        "a.py",
        PYTHON,
        PYTHON.replace("Range(Fault)", "Range(Syntax, Fault)"),
        TEST_PY,
    ),
    "python, another name": (
        "a.py",
        PYTHON,
        PYTHON.partition("class Range")[0] + "Range = Syntax\n",
        TEST_PY,
    ),
    "javascript": (
        "a.js",
        SCRIPT,
        "class Range extends Error {}\nclass Syntax extends Range {}\n",
        TEST_JS,
    ),
    "ruby": ("a.rb", RUBY, RUBY.replace("Range < StandardError", "Range < Syntax"), TEST_RB),
    "java": (
        "A.java",
        JAVA,
        JAVA.replace("Syntax extends RuntimeException", "Syntax extends Range"),
        TEST_JAVA,
    ),
    "kotlin": (
        "a.kt",
        KOTLIN,
        KOTLIN.replace("Range(text: String) : Exception", "Range(text: String) : Syntax"),
        TEST_KT,
    ),
}
HONEST = {
    "a base that both have": (
        "a.py",
        PYTHON.replace("(Fault)", "(Exception)"),
        PYTHON,
        TEST_PY,
    ),
    "an error that is new": (
        "a.py",
        PYTHON,
        f"{PYTHON}\n\nclass Port(Range):\n    pass\n",
        f"{TEST_PY}with pytest.raises(Port):\n    parse('1')\n",
    ),
    "a base that tests do not wait for": (
        "a.py",
        PYTHON,
        PYTHON.replace("Syntax(Fault)", "Syntax(Range)"),
        "with pytest.raises(Syntax):\n    parse('x')\n",
    ),
    "a base of the language": (
        "a.py",
        PYTHON,
        PYTHON.replace("Syntax(Fault)", "Syntax(Fault, ValueError)"),
        TEST_PY.replace("app.Range", "ValueError"),
    ),
    "no longer the base": (
        "a.js",
        "class Range extends Error {}\nclass Syntax extends Range {}\n",
        SCRIPT,
        TEST_JS,
    ),
}


def rules(path: str, before: str, after: str, test: str) -> list[str]:
    errors = ErrorClasses({path: (before, after)})
    found = list(errors.findings({"tests/it": test}))
    assert all(finding.severity == MEDIUM for finding in found)
    return [finding.rule for finding in found]


@pytest.mark.parametrize(("path", "before", "after", "test"), MERGED.values(), ids=MERGED.keys())
def test_an_error_that_became_another_is_found(
    path: str, before: str, after: str, test: str
) -> None:
    assert rules(path, before, after, test) == ["product-tells-less-apart"]
    assert rules(path, after, after, test) == []


@pytest.mark.parametrize(("path", "before", "after", "test"), HONEST.values(), ids=HONEST.keys())
def test_another_order_of_errors_is_not_found(
    path: str, before: str, after: str, test: str
) -> None:
    assert rules(path, before, after, test) == []


def test_the_words_by_which_tests_are_searched() -> None:
    after = PYTHON.replace("Syntax(Fault)", "Syntax(Range)")

    assert ErrorClasses({"a.py": (PYTHON, after)}).words == {"Syntax", "Range"}
    assert ErrorClasses({"a.py": (PYTHON, None), "b.py": (None, PYTHON)}).words == set()
