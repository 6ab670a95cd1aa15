"""Records and JSON: what goes out comes back, and our reader agrees with the json module."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from loopwright.core.json_text import JSONError, dumps, loads
from loopwright.core.record import decode, encode
from tests.support.strategies import KINDS, json_values, records
from tests.torture.size import size


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@settings(max_examples=size(commit=8, long=24))
@given(data=st.data())
def test_every_record_is_one_line_of_json_and_comes_back_as_it_was(kind, data):
    value = data.draw(records(kind))
    text = dumps(encode(value))

    assert decode(encode(value)) == value
    assert decode(loads(text)) == value
    assert json.loads(text)["is"] == kind.__name__
    assert "\n" not in text


@given(json_values)
def test_we_write_what_json_writes(value):
    assert dumps(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@given(json_values, st.sampled_from((None, 2)), st.booleans())
def test_we_read_what_json_writes(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)

    assert loads(text) == loads(text.encode()) == value


def reference(text):
    """The json module, told to refuse what is not JSON."""

    def refuse(name):
        raise ValueError(name)

    return json.JSONDecoder(strict=False, parse_constant=refuse).decode(text)


pieces = st.sampled_from(
    (
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"',
        "a",
        "\\",
        "\\u12",
        "1",
        "-",
        "0",
        ".",
        "e",
        "+",
        " ",
        "\n",
        "true",
        "null",
        "NaN",
        "Infinity",
        "\x00",
    )
)


@given(st.lists(pieces, max_size=12).map("".join) | st.text(max_size=20))
@example("01")
@example("-")
@example("1.")
@example('"\n"')
@example('{"a":1,"a":2}')
@example("1e999")
@example('"\\ud800"')
def test_we_refuse_what_json_refuses_and_agree_on_the_rest(text):
    try:
        expected = reference(text)
    except ValueError:
        with pytest.raises(JSONError):
            loads(text)
    else:
        assert loads(text) == expected


@given(st.text(st.characters(categories=["Cs", "L", "N", "P", "S", "Z", "Cc"]), max_size=20))
def test_every_text_survives_a_file(text):
    assert loads(dumps([text]).encode()) == [text]


@pytest.mark.parametrize(("opening", "closing"), ["[]", ('{"a":', "}")])
def test_what_is_nested_too_deep_to_be_walked_is_no_json(opening: str, closing: str) -> None:
    fits, deep = (f"{opening * depth}[]{closing * depth}" for depth in (99, 600))

    assert dumps(loads(fits)) == fits
    with pytest.raises(JSONError, match="more than 100 deep"):
        loads(deep)
