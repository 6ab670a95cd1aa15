"""Which test of a report an agent means: the forms of each runner, and never two different tests."""

from __future__ import annotations

import pytest

from loopwright.cleanroom.demand_tests import (
    asked_names,
    judge_command,
    judge_shared_test,
    judge_test,
)
from loopwright.cleanroom.findings import CheckRun
from loopwright.cleanroom.named_tests import find_named_tests
from loopwright.cleanroom.test_names import with_passed_names
from loopwright.core.criteria import Evidence
from loopwright.core.proof.demands import (
    FAILS_WITHOUT,
    NO_EVIDENCE,
    NOT_ALLOWED,
    PASSES_WITHOUT,
    DemandProof,
)
from loopwright.verify.test_report import FailedTest, TestReport

PYTEST = (
    "tests.unit.test_cart::test_sum",
    "tests.unit.test_cart.TestTotal::test_sum",
    "tests.unit.test_cart.TestTotal::test_tax[0.5-a::b]",
    "tests.unit.test_cart.TestTotal::test_tax[7]",
    "tests.test_shop::test_open",
    "tests.api.test_shop::test_open",
)
UNITTEST = ("test_sum (tests.test_cart.Total.test_sum)", "test_tax (tests.test_cart.Total)")
NODE = ("test::rounds 0.5 up", "test::twice", "test::twice", "test::a > b")
VITEST = ("src/cart.test.ts > cart > rounds 0.5 up", "src/shop.test.ts > cart > opens")
JEST = ("cart › rounds up", "shop › opens")
GO = ("TestSum", "TestSum/empty_list", "TestOpen")
CARGO = ("cart::tests::rounds_up", "shop::tests::rounds_up", "opens")
TAX = (
    "tests.unit.test_cart.TestTotal::test_tax[0.5-a::b]",
    "tests.unit.test_cart.TestTotal::test_tax[7]",
)


@pytest.mark.parametrize(
    ("reported", "name", "tests"),
    [
        (PYTEST, "tests.unit.test_cart::test_sum", PYTEST[:1]),
        (PYTEST, "tests/unit/test_cart.py::TestTotal::test_sum", PYTEST[1:2]),
        (PYTEST, "./tests/unit/test_cart.py::TestTotal::test_sum", PYTEST[1:2]),
        (PYTEST, "`test_cart.py::TestTotal::test_tax`", TAX),
        (PYTEST, "pytest tests/unit/test_cart.py::TestTotal::test_tax[7]", TAX[1:]),
        (PYTEST, "TestTotal.test_tax[0.5-a::b]", TAX[:1]),
        (PYTEST, "TestTotal.test_tax()", TAX),
        (PYTEST, "test_tax", TAX),
        (PYTEST, "tests/api/test_shop.py::test_open", PYTEST[5:]),
        (PYTEST, "tests/api/test_shop.py::test_closed", ()),
        (PYTEST, "tests/other/test_cart.py::TestTotal::test_tax", ()),
        (PYTEST, "tests/unit/test_cart.py", ()),
        (PYTEST, "TestTotal", ()),
        (PYTEST, "test_su", ()),
        (PYTEST, "tests/api/test_shop.py::test_open, TestTotal::test_tax[7]", (PYTEST[5], TAX[1])),
        (UNITTEST, "tests.test_cart.Total.test_sum", UNITTEST[:1]),
        (UNITTEST, "tests/test_cart.py::Total::test_tax", UNITTEST[1:]),
        (UNITTEST, "python3 -m unittest tests.test_cart.Total.test_tax", UNITTEST[1:]),
        (UNITTEST, "test_sum (tests.test_cart.Total)", UNITTEST[:1]),
        (UNITTEST, "test_sum", UNITTEST[:1]),
        (NODE, "rounds 0.5 up", NODE[:1]),
        (NODE, "test/cart.test.js::rounds 0.5 up", NODE[:1]),
        (NODE, "test/cart.test.mjs > rounds 0.5 up", NODE[:1]),
        (NODE, "rounds 1.5 up", ()),
        (VITEST, "src/cart.test.ts > cart > rounds 0.5 up", VITEST[:1]),
        (VITEST, "src/cart.test.ts > rounds 0.5 up", VITEST[:1]),
        (VITEST, "cart > rounds 0.5 up", VITEST[:1]),
        (VITEST, "src/shop.test.ts > cart > rounds 0.5 up", ()),
        (JEST, "tests/cart.test.js › cart › rounds up", JEST[:1]),
        (JEST, "cart > rounds up", JEST[:1]),
        (GO, "TestSum", GO[:1]),
        (GO, "cart_test.go:TestSum", GO[:1]),
        (GO, "TestSum/empty_list", GO[1:2]),
        (GO, "pkg/cart/cart_test.go::TestSum/empty_list", GO[1:2]),
        (CARGO, "cart::tests::rounds_up", CARGO[:1]),
        (CARGO, "src/shop.rs::tests::rounds_up", CARGO[1:2]),
        (CARGO, "tests/open.rs::opens", CARGO[2:]),
        (CARGO, "cart::tests::rounds_up + tests/open.rs::opens", (CARGO[0], CARGO[2])),
    ],
)
def test_a_name_means_one_test_or_the_cases_of_one(
    reported: tuple[str, ...], name: str, tests: tuple[str, ...]
) -> None:
    assert find_named_tests(name, reported) == (tests, "")


@pytest.mark.parametrize(
    ("reported", "name"),
    [
        pytest.param(PYTEST, "test_sum", id="a function and a method"),
        pytest.param(PYTEST, "test_shop.py::test_open", id="two folders"),
        pytest.param(NODE, "twice", id="two files of node"),
        pytest.param(CARGO, "rounds_up", id="two modules"),
    ],
)
def test_a_name_that_fits_two_tests_means_none(reported: tuple[str, ...], name: str) -> None:
    tests, why = find_named_tests(name, reported)

    assert tests == ()
    assert why.startswith("the name fits more than one test (")


# --- what the runs say about the test ---


def a_run(
    *passed: str,
    failed: tuple[str, ...] = (),
    detail: str = "",
    message: str = "boom",
    unnamed: bool = False,
) -> dict[str, CheckRun]:
    report = TestReport(
        passed=passed,
        failed=tuple(FailedTest(name, message=message) for name in failed),
        is_complete=bool(passed) and not unnamed,
        source="output",
    )
    return {"c": CheckRun(Evidence("c", passed=not failed and not detail, detail=detail), report)}


GO_BUILD = "# shop\n./a.go:3: undefined: Discount\nFAIL\tshop [build failed]\nok\tother\t0.1s"


@pytest.mark.parametrize(
    ("end", "without", "outcome"),
    [
        pytest.param(a_run("m::a"), a_run("m::b", failed=("m::a",)), "fails without", id="fails"),
        pytest.param(a_run("m::a"), a_run("m::a"), "passes without", id="passes"),
        pytest.param(a_run("m::a"), a_run(failed=("m",)), "fails without", id="its file fails"),
        pytest.param(a_run("m::a"), a_run("m::b"), "no evidence", id="does not run without"),
        pytest.param(
            a_run("m::a"), a_run("m::b", failed=("m::c",)), "no evidence", id="another one fails"
        ),
        pytest.param(a_run("m::b", failed=("m::a",)), a_run("m::b"), "no evidence", id="fails now"),
        pytest.param(
            a_run("m::a"), a_run("m::a", failed=("x.js",)), "passes without", id="another file"
        ),
        pytest.param(a_run("m::a"), {}, "no evidence", id="was not tried"),
        pytest.param(a_run(), a_run(failed=("m::a",)), "fails without", id="only failures named"),
        pytest.param(a_run(), a_run(detail="exit 1"), "no evidence", id="nothing is named"),
        pytest.param(
            a_run("m::a"), a_run("m::b", detail=GO_BUILD), "fails without", id="go does not build"
        ),
    ],
)
def test_what_two_runs_say(
    end: dict[str, CheckRun], without: dict[str, CheckRun], outcome: str
) -> None:
    assert judge_test(1, "m::a", end, without).outcome.startswith(outcome)


def test_where_nothing_can_be_built_without_the_work_the_files_say_which_tests_there_are() -> None:
    end, without = a_run(), a_run(detail="error: could not compile `a` (test) due to 1 error")

    assert judge_test(1, "a", end, without, ("a.rs",)).outcome == "fails without the work"
    assert judge_test(1, "a", end, without).why == "no test of this name runs in the final files"


@pytest.mark.parametrize(
    ("files", "outcome"),
    [(("shop/a_test.go",), "fails without the work"), (("other/a_test.go",), "no evidence")],
)
def test_where_one_package_of_go_cannot_be_built_its_tests_did_not_run(
    files: tuple[str, ...], outcome: str
) -> None:
    """Beside it, another package fails by the name of its test."""
    without = a_run(failed=("TestOther",), detail=GO_BUILD.replace("\tshop ", "\tm.io/shop "))

    assert judge_test(1, "TestA", a_run(), without, files).outcome == outcome


@pytest.mark.parametrize(
    ("failed", "outcome"),
    [
        ("test_a (unittest.loader._FailedTest.test_a)", "fails without the work"),
        ("test_b (unittest.loader._FailedTest.test_b)", "no evidence"),
        ("test_other (test_a.A.test_other)", "no evidence"),
    ],
)
def test_where_a_quiet_runner_cannot_load_a_file_its_tests_did_not_run(
    failed: str, outcome: str
) -> None:
    without = a_run(failed=(failed,))

    assert judge_test(1, "A.test_it", a_run(), without, ("tests/test_a.py",)).outcome == outcome


def test_names_that_a_script_prints_in_its_own_form_are_looked_up() -> None:
    end, without = a_run("a", "b", unnamed=True), a_run("b", detail="exit 1", unnamed=True)

    assert judge_test(1, "a", end, without).outcome == "fails without the work"
    assert judge_test(1, "b", end, without).outcome == "passes without the work"


def test_a_test_that_fails_only_for_want_of_a_name_is_marked() -> None:
    message = "ImportError: cannot import name 'discount' from 'shop'"
    proof = judge_test(1, "m::a", a_run("m::a"), a_run("m::b", failed=("m::a",), message=message))

    assert proof.is_missing


def test_what_a_demand_asks_for_by_name() -> None:
    assert asked_names("add() must refuse a title that's there with ValueError.") == {"ValueError"}
    assert asked_names("Print 'done' with `--quiet`, it's shorter") == {"--quiet", "done"}
    assert asked_names("It must round to two digits.") == set()
    assert (
        asked_names("Texts may have forms, e.g. `{one: '{n} file', o: '{n}s'}`, or `a = 'b'`.")
        == set()
    )


GREEN, RED = Evidence("c", True, code=0), Evidence("c", False, code=1)


@pytest.mark.parametrize(
    ("end", "without", "outcome"),
    [
        (GREEN, RED, FAILS_WITHOUT),
        (GREEN, GREEN, PASSES_WITHOUT),
        (RED, RED, NO_EVIDENCE),
        (None, None, NOT_ALLOWED),
    ],
)
def test_a_command_shows_a_demand_if_it_passes_with_the_work_alone(end, without, outcome) -> None:
    assert judge_command(1, "`make docs`", end, without).outcome == outcome


ADD, CLEAR = "add() stores an item at the end", "clear() forgets all of them"


@pytest.mark.parametrize(
    ("demand", "others", "text", "outcome"),
    [
        (ADD, [CLEAR], "def test_add(): q.add(1); assert q.items == [1]", FAILS_WITHOUT),
        (CLEAR, [ADD], "def test_add(): q.add(1); assert q.items == [1]", NO_EVIDENCE),
        (CLEAR, [ADD], "def test_add(): q.add(1); q.clear(); assert not q.items", FAILS_WITHOUT),
        ("pop() raises E1Error", ["push() raises E1Error"], "raises(E1Error): push()", NO_EVIDENCE),
        ("It raises QueueError", [ADD], "def test_add(): raises(ValueError)", NO_EVIDENCE),
        ("It exits with 64", ["It exits with 65"], "assert run().code == 64", FAILS_WITHOUT),
        ('E1Error is `(4, "no item")`', [ADD], 'assert pop() == (4, "no item")', FAILS_WITHOUT),
        (
            "It has `size` seats",
            ["`block(row, size)`"],
            "def test_seats(): block(r, 3)",
            FAILS_WITHOUT,
        ),
        (CLEAR, [], "def test_add(): q.add(1); assert q.items == [1]", FAILS_WITHOUT),
        ("Leere Namen werden nicht angenommen", [ADD], "def test_add(): ...", FAILS_WITHOUT),
    ],
)
def test_a_shared_test_says_something_of_each_demand(demand, others, text, outcome) -> None:
    proof = DemandProof(2, "test_add", FAILS_WITHOUT)

    assert judge_shared_test(proof, demand, others, [text]).outcome == outcome


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("keeps blanks: [a b]", "keeps blanks"),
        ("keeps blanks (exit 1)", "keeps blanks"),
        ("keeps blanks at the end", "keeps blanks at the end"),
        ("keeps", "keeps"),
    ],
)
def test_what_a_script_got_is_no_part_of_the_name(printed: str, name: str) -> None:
    report = TestReport(failed=(FailedTest(printed),))

    named = with_passed_names(report, ("keeps blanks", "keeps blanks at the end"))

    assert named.failed_names == (name,)
