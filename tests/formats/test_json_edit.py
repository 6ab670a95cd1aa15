"""Edits of JSON keep every other byte, whatever the file looks like."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopwright.formats import json_edit
from loopwright.formats.json_edit import JsonEditError, append_item, read_value, remove_item

OURS = {"command": "ours"}
FILES = [
    "{}",
    "{}\n",
    '{"a": 1}',
    '{\n  // a comment\n  "a": [1, 2,], /* and one more */\n}\n',
    '{\r\n\t"hooks": {\r\n\t\t"Stop": [{"command": "other"}] // mine\r\n\t}\r\n}\r\n',
    '\ufeff{"hooks": {"Stop": [\n    {"command": "other"},\n  ],},}',
    '{"hooks": {"Stop": []}, "url": "http://x/*y*/", "s": "a\\"b // no comment"}',
    '{\n    "hooks": {\n    }\n}',
    '{"hooks": {"Stop": [ /* none yet */ ]}}',
]


@pytest.mark.parametrize("text", FILES)
def test_an_item_is_added_and_cut_without_a_trace(text: str) -> None:
    added = append_item(text, ("hooks", "Stop"), OURS)
    value = read_value(added)

    assert value["hooks"]["Stop"][-1] == OURS
    before = read_value(text)
    had_list = "Stop" in before.get("hooks", {})
    removed = remove_item(added, ("hooks", "Stop"), len(value["hooks"]["Stop"]) - 1)
    if not had_list:
        path = ("hooks", "Stop") if "hooks" in before else ("hooks",)
        removed = json_edit.remove_member(removed, path)
    assert read_value(removed) == before
    if had_list and before["hooks"]["Stop"]:
        assert removed == text


@pytest.mark.parametrize("text", FILES[3:7])
def test_the_comments_and_the_other_lines_stay(text: str) -> None:
    added = append_item(text, ("hooks", "Stop"), OURS)
    rest = iter(added)

    assert all(character in rest for character in text)  # every byte of it, in its order


@pytest.mark.parametrize("text", ["", "  \n", "\ufeff"])
def test_an_empty_file_becomes_an_object(text: str) -> None:
    assert read_value(append_item(text, ("hooks", "Stop"), OURS)) == {"hooks": {"Stop": [OURS]}}


@pytest.mark.parametrize(
    "text", ["[1]", '{"hooks": 3}', '{"hooks": {"Stop": {}}}', '{"a": }', "{'a': 1}", '{"a": 1} x']
)
def test_what_is_not_as_expected_is_refused(text: str) -> None:
    with pytest.raises(JsonEditError):
        append_item(text, ("hooks", "Stop"), OURS)


def test_an_item_is_replaced_in_its_place() -> None:
    text = '{\n  "Stop": [\n    {"a": 1}, // one\n    {"hooks": [2, 3]}\n  ]\n}\n'
    assert json_edit.replace_item(text, ("Stop",), 0, {"a": 1}) == text
    replaced = json_edit.replace_item(text, ("Stop",), 0, 5)
    assert replaced == text.replace('{"a": 1}', "5")
    assert json_edit.replace_item(text, ("Stop", 1, "hooks"), 1, 9) == text.replace("3", "9")
    assert remove_item(text, ("Stop", 1, "hooks"), 0) == text.replace("2, 3", "3")


def test_a_setting_that_is_there_stays() -> None:
    assert json_edit.add_member('{"cap": 3}', ("cap",), 100) == '{"cap": 3}'
    assert read_value(json_edit.add_member('{"a": 1}', ("cap",), 100)) == {"a": 1, "cap": 100}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.text(max_size=4), VALUES, max_size=4), st.sampled_from([None, 1, "\t"]))
def test_any_object_is_read_as_json_reads_it(value: dict[str, object], indent: object) -> None:
    text = json.dumps(value, indent=indent)

    assert read_value(text) == value
    if "hooks" not in value:
        assert read_value(append_item(text, ("hooks", "Stop"), OURS)) == {
            **value,
            "hooks": {"Stop": [OURS]},
        }
