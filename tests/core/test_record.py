"""Records: frozen values, and their way to JSON text and back."""

import json

import pytest

from loopwright.core.criteria import Check
from loopwright.core.json_text import JSONError, dumps, loads
from loopwright.core.limits import Limits, Spend
from loopwright.core.loop import Point, Step
from loopwright.core.record import decode, encode
from tests.support.builders import a_loop


def test_fields_are_given_in_order_or_by_name():
    assert (
        Point("Scope", 1, "why")
        == Point("Scope", points=1, reason="why")
        == Point(reason="why", points=1, dimension="Scope")
    )


def test_defaults_fill_what_is_not_given():
    assert Step("x") == Step("x", False, "")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        pytest.param(lambda: Point("Scope", 1), "needs 'reason'", id="one is missing"),
        pytest.param(lambda: Point("Scope", 1, "why", 4), "too many", id="too many"),
        pytest.param(lambda: Point("Scope", 1, "why", points=2), "twice", id="given twice"),
        pytest.param(
            lambda: Point("Scope", dimension="Scope", points=1),
            "twice",
            id="given twice, the count is right",
        ),
        pytest.param(lambda: Step("x", colour="red"), "has no", id="unknown"),
        pytest.param(
            lambda: Point("Scope", 1, raeson="why"),
            "reason|raeson",
            id="misspelt, the count is right",
        ),
        pytest.param(
            lambda: Step("x").but(colour="red"), "has no", id="changed into nothing we know"
        ),
    ],
)
def test_a_wrong_call_is_a_bug_and_says_which_field(call, words):
    with pytest.raises(TypeError, match=words):
        call()


def test_a_value_cannot_be_changed():
    step = Step("x")
    with pytest.raises(AttributeError, match="frozen"):
        step.done = True

    assert step == Step("x")


def test_but_changes_a_copy():
    step = Step("x")

    assert (step.but(done=True), step) == (Step("x", True), Step("x"))


def test_values_of_another_kind_are_never_equal():
    assert Limits() != Spend()
    assert Step("x") != "x"


def test_equal_values_are_one_in_a_set():
    assert len({Step("x"), Step("x"), Step("y")}) == 2


def test_a_value_shows_what_is_not_usual():
    assert repr(Step("x", True)) == "Step(name='x', done=True)"


def test_only_empty_fields_are_left_out_for_defaults_may_change():
    assert encode(Check("x")) == {
        "is": "Check",
        "command": "x",
        "timeout": 300,
        "origin": "typed",
        "allowed": True,
    }
    assert encode(Check("x", allowed=False))["allowed"] is False
    assert encode(Step("x")) == {"is": "Step", "name": "x"}


def test_a_loop_comes_back_whole():
    loop = a_loop(steps=(Step("x", True),), extra_json='{"a":1}')

    assert decode(loads(dumps(encode(loop)))) == loop


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "[NaN]", '{"a": Infinity}'])
def test_not_a_number_is_not_json(text):
    with pytest.raises(JSONError):
        loads(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        "[1,]",
        "{'a': 1}",
        "1 2",
        "tru",
        '"',
        "\x00",
        "[" * 100_000,
        "9" * 10_000,
        b"\xff\xfe",
        b"\x80",
    ],
)
def test_what_is_not_one_json_value_is_refused(text):
    with pytest.raises(JSONError):
        loads(text)


@pytest.mark.parametrize("text", ["\ufeff[1]", b"\xef\xbb\xbf[1]", b"[1]", " \r\n\t[1]\n"])
def test_a_byte_order_mark_and_space_around_are_tolerated(text):
    assert loads(text) == [1]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [float("-inf")]])
def test_what_json_cannot_say_is_not_written(value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps(value)


def test_lone_surrogates_are_escaped_so_that_the_line_always_encodes():
    text = dumps({"a": "x\ud800y", "ü": "🎉"})

    assert json.loads(text.encode()) == {"a": "x\ud800y", "ü": "🎉"}
    assert "🎉" in text


def test_a_journal_line_is_one_line():
    assert "\n" not in dumps({"a": "one\ntwo\r"})
