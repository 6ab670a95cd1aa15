"""What the product change explains, which tests are not read at all, and what another input means."""

from __future__ import annotations

import pytest

from loopwright.core.findings import HIGH, LOW, MEDIUM
from loopwright.ratchet import findings, python
from loopwright.repo.baseline import Change

CART = "def total(items):\n    return sum(items)\n\n\ndef discount(items):\n    return 10\n"
TEST = "from cart import discount, total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
DISCOUNT = "\n\ndef test_discount():\n    assert discount([1]) == 10\n"


def weighed(*changes: Change) -> list[tuple[str, str, str]]:
    found = findings(changes, ())
    return [(one.severity, one.rule, one.after) for one in found if one.severity != LOW]


def test_a_deleted_test_of_removed_code_is_medium_and_names_the_code() -> None:
    without = CART.partition("\n\n\ndef discount")[0] + "\n"

    assert weighed(
        Change("cart.py", CART, without), Change("tests/test_cart.py", TEST + DISCOUNT, TEST)
    ) == [(MEDIUM, "test-deleted", "discount was removed")]


def test_a_deleted_test_of_deprecated_code_is_medium_and_names_the_code() -> None:
    warns = CART.replace("    return 10", '    warn("deprecated")\n    return 10')

    assert weighed(
        Change("cart.py", CART, warns), Change("tests/test_cart.py", TEST + DISCOUNT, TEST)
    ) == [(MEDIUM, "test-deleted", "discount was deprecated")]


@pytest.mark.parametrize(
    ("product", "before", "after", "answer"),
    [
        (
            "src/Dates.kt",
            "fun Moment.until(other: Moment): Long = 1\nfun Day.until(other: Day): Long = 2\n",
            "fun Day.until(other: Day): Long = 2\n",
            "until was removed",
        ),
        (
            "src/Dates.kt",
            "fun until(other: Day): Long = 2\n",
            '@Deprecated(\n    "Use the days",\n)\npublic fun until(other: Day): Long = 2\n',
            "until was deprecated",
        ),
        ("src/Dates.kt", "fun until(): Long = 2\n", "fun until(): Long = 3\n", ""),
    ],
)
def test_a_lost_or_deprecated_definition_of_another_language_explains_it_too(
    product: str, before: str, after: str, answer: str
) -> None:
    head = "import kotlin.test.*\n\nclass DateTest {\n"
    test = "    @Test\n    fun waits() {\n        assertEquals(2, first.until(last))\n    }\n"
    other = "    @Test\n    fun starts() {\n        assertEquals(2001, first.year)\n    }\n"
    changes = (
        Change(product, before, after),
        Change("src/test/DateTest.kt", head + other + test + "}\n", head + other + "}\n"),
    )

    severity = MEDIUM if answer else HIGH
    assert weighed(*changes) == [(severity, "test-deleted", answer)]


def test_a_deleted_test_of_code_that_is_still_there_is_high() -> None:
    changed = CART.replace("return 10", "return 11")

    assert weighed(
        Change("cart.py", CART, changed), Change("tests/test_cart.py", TEST + DISCOUNT, TEST)
    ) == [(HIGH, "test-deleted", "")]


def test_another_input_with_the_same_answer_is_a_doubt() -> None:
    other = TEST.replace("[1, 2]", "[3]")

    assert weighed(Change("tests/test_cart.py", TEST, other)) == [
        (MEDIUM, "expected-value-changed", "total([3]) == 3")
    ]


def test_an_expected_text_that_changes_with_the_product_is_no_doubt() -> None:
    product = 'def greet():\n    return "welcome stranger"\n'
    test = 'def test_greet():\n    assert greet() == "welcome stranger"\n'

    def renamed(text: str) -> str:
        return text.replace("stranger", "visitor")

    assert (
        weighed(
            Change("hello.py", product, renamed(product)),
            Change("tests/test_hello.py", test, renamed(test)),
        )
        == []
    )
    assert weighed(Change("tests/test_hello.py", test, renamed(test))) != []


HELPER = "def check(value):\n    assert value == 3\n\n\n"
USES = "def test_a():\n    check(total([1, 2]))\n\n\ndef test_b():\n    assert total([4]) == 4\n"


@pytest.mark.parametrize(
    ("after", "unchanged"),
    [
        (HELPER + USES + "\n\ndef test_c():\n    pass\n", {"test_a", "test_b"}),
        (HELPER.replace("== 3", "> 0") + USES, {"test_b"}),
        ("import os\n" + HELPER + USES, {"test_a", "test_b"}),
        ("pytestmark = skip\n" + HELPER + USES, set()),
        (HELPER + USES + "\ndel test_a\n", set()),
    ],
    ids=["one is new", "a helper", "an import that no test names", "a mark", "one is deleted"],
)
def test_tests_that_cannot_have_changed_are_not_read(after: str, unchanged: set[str]) -> None:
    assert python.unchanged_tests(HELPER + USES, after) == unchanged
