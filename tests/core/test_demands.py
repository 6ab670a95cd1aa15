"""The demands of a spec: what counts as one, in specs of many styles; what a check covers."""

from __future__ import annotations

import pytest

from loopwright.core.criteria import Check, Criterion, Evidence
from loopwright.core.engine import advance
from loopwright.core.loop import Loop
from loopwright.core.policies.demands import read_shows
from loopwright.core.prompts import messages
from loopwright.core.prompts.spec import MAX_LINES
from loopwright.core.proof.clean_checkout import PASSED, REVERT_RUN, TRUSTED, UNTRUSTED, RoomRun
from loopwright.core.proof.demand_results import (
    KEPT,
    NOT_SHOWN,
    SHOWN,
    DemandResult,
    demand_results,
)
from loopwright.core.proof.demands import (
    FAILS_WITHOUT,
    PASSES_WITHOUT,
    PROPOSED,
    SPLIT,
    TYPED,
    Demand,
    DemandProof,
    Demands,
)
from loopwright.core.proof.state import Room
from loopwright.core.proof.strength import (
    EARLIER_TESTS,
    NO_DIFFERENCE,
    NOT_NOTICED,
    NOTICED,
    PART,
    MeasuredStrength,
    Strength,
    StrengthItem,
)
from loopwright.core.replies.markers import claims_in
from loopwright.core.start.demands import (
    MAX_DEMANDS,
    asked_together,
    covering_check,
    demands_of,
    split_demands,
)
from tests.core.demand_specs import SPECS
from tests.support.builders import a_loop, block, turn

TESTS = Criterion("tests pass", Check("pytest -q", origin="detected"))


@pytest.mark.parametrize(("spec", "beginnings"), SPECS.values(), ids=SPECS)
def test_the_demands_of_a_spec(spec: str, beginnings: tuple[str, ...]) -> None:
    found = split_demands(spec)
    is_one = len(found) <= 1 and not beginnings  # one demand is as good as none: nothing is asked

    assert is_one or [text[: len(b)] for text, b in zip(found, beginnings, strict=True)] == [
        *beginnings
    ]


def test_there_are_specs_of_many_styles() -> None:
    assert len(SPECS) >= 40


# --- the list of the loop ---


def test_demands_of_one_item_or_sentence_are_asked_together() -> None:
    spec = "Add a bus:\n\n- `on(f)` must add f; the last must come first.\n- `off(f)` must take it out.\n"
    texts = split_demands(spec)

    assert texts == (
        "`on(f)` must add f",
        "the last must come first.",
        "`off(f)` must take it out.",
    )
    assert asked_together(spec, texts) == [frozenset(texts[:2])]


def test_one_demand_is_no_list_unless_a_person_types_it() -> None:
    assert demands_of("fix all failing tests", (TESTS,)) is None
    assert demands_of("fix all failing tests", (TESTS,), proposed=("be quick",)) is None
    typed = demands_of("fix all failing tests", (TESTS,), typed=("be quick",))
    assert typed is not None
    assert [demand.text for demand in typed.items] == ["be quick"]


@pytest.mark.parametrize(
    ("lists", "texts", "origin"),
    [
        ({}, ["Add a flag.", "It must be short."], SPLIT),
        ({"proposed": ("a", "b")}, ["a", "b"], PROPOSED),
        ({"proposed": ("a", "b"), "typed": ("c", "d", "c")}, ["c", "d"], TYPED),
    ],
)
def test_the_list_of_the_person_comes_before_that_of_the_agent(lists, texts, origin) -> None:
    found = demands_of("Add a flag. It must be short.", (), **lists)

    assert found is not None
    assert ([demand.text for demand in found.items], found.origin) == (texts, origin)


def test_more_than_twelve_demands_are_grouped_with_their_neighbours() -> None:
    spec = "\n".join(f"- add rule {number}" for number in range(30))
    found = demands_of(spec, ())

    assert found is not None
    assert len(found.items) == MAX_DEMANDS
    assert found.items[0].text == "add rule 0; add rule 1"
    assert "; ".join(demand.text for demand in found.items).count("add rule") == 30


# --- what a check covers as a whole ---


@pytest.mark.parametrize(
    ("demand", "criterion"),
    [
        ("All failing tests are fixed", "tests pass"),
        ("Fix all failing tests.", "tests pass"),
        ("make pytest green again", "tests pass"),
        ("All tests must pass.", "tests pass"),
        ("The docs build!", "the docs build"),
        ("Add tests for the parser", ""),
        ("Lint must be clean", ""),  # there is no such check
        ("Reject an expired coupon", ""),
        ("Fix the tests and add a coupon field", ""),
    ],
)
def test_a_check_that_says_the_same_covers_a_demand(demand: str, criterion: str) -> None:
    criteria = (Criterion("docs read well"), TESTS, Criterion("the docs build", Check("make docs")))

    assert covering_check(demand, criteria) == criterion


# --- what the agent names ---


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("2: tests/test_a.py::test_b", (2, "tests/test_a.py::test_b")),
        ("#2 : `tests/test_a.py::test_b`", (2, "tests/test_a.py::test_b")),
        ("2.: a > b", (2, "a > b")),
        ("1: $ make check", (1, "$ make check")),
        ("3: test_b", None),
        ("0: test_b", None),
        ("2:", None),
        ("test_b", None),
        ("²: test_b", None),
        ("two: test_b", None),
    ],
)
def test_a_line_names_a_demand_by_its_number(line: str, named: tuple[int, str] | None) -> None:
    demands = Demands((Demand("a"), Demand("b")))

    assert read_shows(demands, line) == named


def test_the_lines_of_the_status_block_are_claims() -> None:
    text = block(None, "SHOWS: 1: test_a", "SHOWS: 2: test_b")

    assert claims_in(text).shows == ("1: test_a", "2: test_b")
    assert claims_in(f"```\n{text}\n```").shows == ()


def test_several_lines_for_one_demand_name_several_tests() -> None:
    lines = "SHOWS: 1: test_a", "SHOWS: 1: test_b", "SHOWS: 1: test_a", "SHOWS: 2: $ make docs"
    loop = advance(a_loop_with("a", "b"), turn(block(None, *lines))).loop

    assert loop.demands.named == ((1, "test_a + test_b"), (2, "$ make docs"))


# --- prompts ---

TOKENS = 60
CHARACTERS = 4 * TOKENS


def met(c: Criterion, tree: str) -> Criterion:
    return c.but(proof=Evidence(c.name, passed=True, tree=tree))


def a_loop_with(*texts: str, **more: object) -> Loop:
    return a_loop().but(demands=Demands(tuple(map(Demand, texts))), **more)


@pytest.mark.parametrize("prompt", [messages.opening_prompt, messages.continue_prompt])
def test_an_ordinary_prompt_grows_by_at_most_sixty_tokens(prompt) -> None:
    many = a_loop_with(*("a demand of some length, which the prompt does not repeat",) * 12)

    assert len(prompt(many)) - len(prompt(a_loop())) <= CHARACTERS


def test_a_prompt_says_nothing_if_there_is_nothing_to_name() -> None:
    covered = Demands((Demand("a", "tests pass"), Demand("b", "tests pass")))
    for demands in (None, Demands((Demand("typed alone"),)), covered):
        loop = a_loop().but(demands=demands)
        assert messages.opening_prompt(loop) == messages.opening_prompt(a_loop())


def test_the_request_fits_into_the_lines_of_a_short_prompt() -> None:
    loop = a_loop_with(*(f"demand {number}" for number in range(12)))
    assert loop.demands is not None
    loop = loop.but(
        demands=loop.demands.but(asked=True, due=True),
        criteria=(met(TESTS, loop.tree),),
    )
    prompt = messages.continue_prompt(loop)

    assert prompt.startswith("no test is named for 12 of 12 demands\n")
    assert len(prompt.splitlines()) <= MAX_LINES


# --- the verdict ---


def result_of(
    text: str, shows: str, *proofs: DemandProof, room: str = TRUSTED, **more: object
) -> DemandResult:
    """What shows a demand for which the agent names this test."""
    run = RoomRun(REVERT_RUN, a_loop().tree, PASSED, demands=proofs)
    demands = Demands((Demand(text, shows=shows),))
    loop = a_loop().but(demands=demands, room=Room(status=room, runs=(run,)), **more)
    (result,) = demand_results(loop)
    return result


FAILS = DemandProof(1, "t", FAILS_WITHOUT, ("t",))
PASSES = DemandProof(1, "t", PASSES_WITHOUT, ("t",))


@pytest.mark.parametrize(
    ("text", "proof", "outcome", "is_open"),
    [
        ("Add it", FAILS, SHOWN, False),
        ("Add it", PASSES, KEPT, True),
        ("Keep it", PASSES, KEPT, False),
        ("Keys must not get out", PASSES, KEPT, False),
        ("A move within the column is always allowed", PASSES, KEPT, False),
        ("It must not fail", PASSES, KEPT, True),
        ("It ends without having exported anything", PASSES.but(tests=()), KEPT, False),
        ("It ends without having crashed", PASSES, KEPT, True),
        ("It ends without crashing", PASSES, KEPT, True),
        ("Do not break it", PASSES, KEPT, False),
        ("It should not crash", PASSES, KEPT, True),
        ("Add it", DemandProof(1, "t", why="no such test"), NOT_SHOWN, True),
        ("Add it", DemandProof(1, "another test", FAILS_WITHOUT), NOT_SHOWN, True),
        ("Add it", None, NOT_SHOWN, True),
    ],
)
def test_what_shows_a_demand(
    text: str, proof: DemandProof | None, outcome: str, is_open: bool
) -> None:
    result = result_of(text, "t", *([proof] if proof else []))

    assert (result.outcome, result.is_open) == (outcome, is_open)


@pytest.mark.parametrize(
    ("test", "was_there", "is_open"),
    [
        ("ini.py::test_last_counts", True, False),
        ("Ini.testLastOneCounts", True, False),
        ("test_last_counts", False, True),  # the agent wrote it: it shows nothing
        ("test_sections", True, True),  # it asks for something else
        ("test_counts", True, True),  # one word says too little
        ("test_last_section_counts", True, True),
    ],
)
def test_a_test_of_the_start_with_the_words_of_the_demand_shows_that_it_was_kept(
    test: str, was_there: bool, is_open: bool
) -> None:
    text = "If the key occurs twice, the last one counts."
    proof = DemandProof(1, test, PASSES_WITHOUT, (test,), was_there=was_there)
    result = result_of(text, test, proof)

    assert (result.outcome, result.is_open) == (KEPT, is_open)


@pytest.mark.parametrize(
    ("function", "test", "outcome"),
    [
        ("verify_archive", "t", NOT_SHOWN),
        ("Backup.verifyArchive", "t", NOT_SHOWN),
        ("verify_names", "t", SHOWN),  # the demand does not speak of names
        ("verify", "t", SHOWN),  # one word says too little
        ("verify_archive", "t_backup.c::verify_archive", SHOWN),  # it is the test
    ],
)
def test_no_test_shows_a_demand_if_the_function_of_its_name_can_be_emptied(
    function: str, test: str, outcome: str
) -> None:
    item = StrengthItem(PART, "backup.sh", 10, "its body", NOT_NOTICED, emptied=function)
    result = result_of(
        "Verify that the archive has all files",
        test,
        DemandProof(1, test, FAILS_WITHOUT, (test,)),
        strength=MeasuredStrength(a_loop().tree, Strength((item,))),
    )

    assert (result.outcome, result.is_open) == (outcome, outcome == NOT_SHOWN)


@pytest.mark.parametrize(
    ("demand", "results", "is_missing", "is_open"),
    [
        ("withdraw() raises Broke below zero", (NO_DIFFERENCE,), True, True),
        ("`withdraw` raises Broke below zero", (NO_DIFFERENCE,), True, True),
        ("withdraw() raises Broke below zero", (EARLIER_TESTS,), True, True),
        ("withdraw() raises Broke below zero", (NOT_NOTICED,), True, True),
        ("withdraw() raises Broke below zero", (NOTICED,), True, False),
        # It fails with the product of the start for another reason than a name.
        ("withdraw() raises Broke below zero", (NO_DIFFERENCE,), False, False),
        ("withdraw() and deposit() check it", (NO_DIFFERENCE, NOTICED), True, False),
        ("Who may withdraw is asked first", (NO_DIFFERENCE,), True, False),  # a word of prose
    ],
)
def test_a_test_that_asks_for_a_name_must_need_the_function_of_its_demand(
    demand: str, results: tuple[str, ...], is_missing: bool, is_open: bool
) -> None:
    proof = DemandProof(1, "t", FAILS_WITHOUT, ("t",), is_missing=is_missing)
    run = RoomRun(REVERT_RUN, a_loop().tree, PASSED, demands=(proof,))
    items = tuple(
        StrengthItem(PART, "bank.py", 10, f"`{name}` as at the start", result, emptied=name)
        if result != EARLIER_TESTS
        else StrengthItem(PART, "bank.py", 9, "its body", NOTICED, result, emptied=name)
        for name, result in zip(("Account.withdraw", "deposit"), results, strict=False)
    )
    loop = a_loop().but(
        demands=Demands((Demand(demand, shows="t"),)),
        room=Room(status=TRUSTED, runs=(run,)),
        strength=MeasuredStrength(a_loop().tree, Strength(items)),
    )
    (result,) = demand_results(loop)

    assert result.is_open == is_open, result.why


def test_a_checkout_that_cannot_be_trusted_shows_no_demand() -> None:
    assert result_of("Add it", "t", FAILS, room=UNTRUSTED).outcome == NOT_SHOWN


NO_DEMANDS_OF_THEIR_OWN = {
    "a fault": ("Fix the failing test. The discount is computed wrong for percentages.", 1),
    "a wrong input is behaviour": ("Add login(). A wrong password raises LoginError.", 2),
    "with tests": ("Add discount(items) to cart.js. With unit tests.", 1),
    "fix it": ("clamp swaps its bounds; fix it, npm test is red.", 1),
    "fix the build": ("Print the version, and quote it. Fix the build.", 2),
    "a repair with what must be": ("Mend it: f() must return 1. Print a line too.", 2),
    "files alone": ("Print the version. Update a.go and a_test.go.", 1),
    "a name begins a sentence": ("Add a remove(). add() should refuse an empty text.", 2),
    "a thing is needed": ("Todo needs a method remove(). add() should refuse no text.", 2),
    "what then fails": ("Treat warnings as errors in setup.cfg. Fix what then fails.", 1),
    "how the input looks": ("Add top(n). Lines look like 'ERROR full'. It must sort them.", 2),
    "how the output looks": ("Add top(n) to log.py. The output looks like '3 disk full'.", 2),
    "test it": ("Add top(n) to log.py. Test it in test_log.py.", 1),
    "fix the input": ("make test fails; fix the input.", 1),
    "fix a file": ("cargo test fails: withdraw must refuse too much. Fix src/lib.rs.", 1),
    "fix without a failure": ("Print the version. Fix the rounding.", 2),
    "fix something named": ("Print the version. Fix the rounding of totals.", 2),
}


@pytest.mark.parametrize(
    ("spec", "count"), NO_DEMANDS_OF_THEIR_OWN.values(), ids=NO_DEMANDS_OF_THEIR_OWN
)
def test_what_names_a_fault_or_only_repairs_is_no_demand(spec, count):
    assert len(split_demands(spec)) == count
