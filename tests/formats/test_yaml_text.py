"""YAML as people and models write it is read in every style, and what makes no sense takes nothing along."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.formats.front_matter import code_fences, find_key, front_matter_span, line_ending
from loopwright.formats.yaml_node import LIST, MAP, YamlNode, scalar
from loopwright.formats.yaml_text import YamlText
from tests.torture.size import size


def plainly(node: YamlNode) -> Any:
    if node.kind == MAP:
        return {pair.key: plainly(pair.node) for pair in node.pairs}
    return [plainly(item) for item in node.items] if node.kind == LIST else node.text


def read(text: str) -> Any:
    return plainly(YamlNode(MAP, pairs=YamlText(text).pairs()))


READ = {
    "words": ("a: b c  # d\n", {"a": "b c"}),
    "words over several lines": ("a: b\n  c\n\n  d # e\nf: g\n", {"a": "b c d", "f": "g"}),
    "words below": ("a:\n  b\n  c\n", {"a": "b c"}),
    "a hash that is no comment": ("a: b#c\n", {"a": "b#c"}),
    "a colon that is none": ("a: http://b:80\n", {"a": "http://b:80"}),
    "nothing": ("a:\nb: # c\n", {"a": "", "b": ""}),
    "single quotes": ("a: 'it''s: #1'  # so\n", {"a": "it's: #1"}),
    "double quotes": (r'a: "\"\t\x41\u00e9\U0001F600\/\_"' + "\n", {"a": '"\tAé😀/\xa0'}),
    "quotes over several lines": ('a: "b\n  c\\\n  d\n\n  e"\nf: g\n', {"a": "b cd\ne", "f": "g"}),
    "a letter that does not exist": (r'a: "\Uffffffff"', {"a": "\ufffd"}),
    "text": ("a: |\n  b: c\n   # d\n\n  e\nf: g\n", {"a": "b: c\n # d\n\ne", "f": "g"}),
    "folded text": ("a: >- # b\n  c\n  d\n", {"a": "c d"}),
    "a map": (
        "a:\n  b: 1\n\n  # c\n  d:\n    e: 2\nf: 3\n",
        {"a": {"b": "1", "d": {"e": "2"}}, "f": "3"},
    ),
    "a list": (
        "a:\n  - b\n  -\n    c: 1\n  - d: 2\n    e: 3\nf: 4\n",
        {"a": ["b", {"c": "1"}, {"d": "2", "e": "3"}], "f": "4"},
    ),
    "a list that is not set in": (
        "a:\n- b\n# c\n- d: [e]\nf: g\n",
        {"a": ["b", {"d": ["e"]}], "f": "g"},
    ),
    "flow style": (
        "a: {b: [c d, 'e, f', {g: }], h: i#j, k}\n",
        {"a": {"b": ["c d", "e, f", {"g": ""}], "h": "i#j", "k": ""}},
    ),
    "json": ('a: {"b":[1,"c"],"d":null}\n', {"a": {"b": ["1", "c"], "d": "null"}}),
    "flow style over lines": ("a: [b, # c\n  d e\n  f\n]\ng: h\n", {"a": ["b", "d e f"], "g": "h"}),
    "flow style below": ("a:\n  {b: c}\n", {"a": {"b": "c"}}),
    "pairs in a list": ("a: [b: c, : d]\n", {"a": [{"b": "c"}, "d"]}),
    "anchors and tags": ("a: &x !!int 3\nb: &y\n  - c\n", {"a": "3", "b": ["c"]}),
    "odd keys": (
        "a b: 1\n'c: d': 2\n\"e\" : 3\n?f: 4\n",
        {"a b": "1", "c: d": "2", "e": "3", "?f": "4"},
    ),
    "twice": ("a: 1\na: 2\n", {"a": "2"}),
}
SENSELESS = {
    "flow style that nothing closes": ("a: {b: c\nd: e\n", {"a": "{b: c", "d": "e"}),
    "quotes that nothing closes": ("a: \"b\nc: d\n  'e\n", {"a": '"b', "c": "d 'e"}),
    "brackets that do not match": ("a: [b}\nc: d\n", {"a": "[b}", "c": "d"}),
    "words behind brackets": ("a: [x] done\nb: 'c' d\n", {"a": "[x] done", "b": "'c' d"}),
    "lines that are no keys": ("a: b\nwords\n- c\n{d\n? e\n: f\ng: h\n", {"a": "b", "g": "h"}),
    "a key set in by mistake": (
        "a: true\n   b: c\nd: 'e'\n   f: g\n",
        {"a": "true", "b": "c", "d": "e", "f": "g"},
    ),
    "lines below an empty map": ("a: {}\n  b: c\n", {"a": {"b": "c"}}),
    "words before the first key": ("a:\n  words\n  b: c\n", {"a": {"b": "c"}}),
    "brackets deeper than that": (
        f"a: {'[' * 40}{']' * 40}\nb: c\n",
        {"a": "[" * 40 + "]" * 40, "b": "c"},
    ),
}


@pytest.mark.parametrize(("text", "meant"), READ.values(), ids=READ)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_style_is_read(text: str, meant: Any, end: str) -> None:
    assert read(text.replace("\n", end)) == meant


@pytest.mark.parametrize(("text", "meant"), SENSELESS.values(), ids=SENSELESS)
def test_what_makes_no_sense_takes_no_line_from_its_neighbours(text: str, meant: Any) -> None:
    assert read(text) == meant


def test_what_is_set_in_deeper_than_anybody_writes_is_left_out() -> None:
    found = read("".join(f"{' ' * n}a:\n" for n in range(40)) + "b: c\n")

    assert list(found) == ["a", "b"]
    assert found["b"] == "c"
    assert str(found).count("a") < 20


def test_every_key_knows_where_it_stands() -> None:
    text = "a: b  # c\nd:\n  e: [1,\n    2] # f\n  # g\n  h: i\nj: k\n"
    a, d, _ = YamlText(text).pairs()
    e, h = d.node.pairs

    assert [text[pair.value_start : pair.value_stop] for pair in (a, d, e, h)] == [
        "b",
        "",
        "[1,\n    2]",
        "i",
    ]
    assert (
        "".join(text[start:stop] for start, stop in d.further_lines)
        == "  e: [1,\n    2] # f\n  h: i\n"
    ), "the comment is nobody's"
    assert text[e.line_start : e.value_line_end] == "  e: [1,\n    2] # f\n"


WORDS = ["- a", "a: b", "#", "~", "1:2", "a #b", "=", "y"]
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(WORDS)


@settings(max_examples=size(commit=60, long=200), deadline=None)
@given(words)
def test_a_text_is_read_as_it_was_written(text: str) -> None:
    node = YamlText(f"a: {scalar(text)}\nb: [{scalar(text)}, x]\n{scalar(text)}: y\n").pairs()

    assert node[0].node.is_null if not text else node[0].node.text == text
    assert node[1].node.items[0] == node[0].node
    assert node[2].key == (text or "null")


# --- Markdown around it ---


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("---\na: 1\n---\nbody", "a: 1\n"),
        ("\ufeff--- \r\na: 1\r\n...\r\n", "a: 1\r\n"),
        ("---\n---\n", ""),
        ("---\na: 1\n", None),
        ("\n---\na: 1\n---\n", None),
        ("----\na: 1\n----\n", None),
        ("", None),
    ],
)
def test_front_matter_stands_between_two_rules_at_the_very_beginning(
    text: str, inner: str | None
) -> None:
    found = front_matter_span(text)

    assert (text[slice(*found[:2])] if found else None) == inner


def test_fences_are_closed_by_their_like() -> None:
    text = "```yaml\na\n~~~\n```\n~~~~ sh\nb\n~~~\n~~~~~\n```open\nc\n````\n``` `no` \n```x\n"

    assert [(fence.info, text[fence.start : fence.stop]) for fence in code_fences(text, 0)] == [
        ("yaml", "a\n~~~\n"),
        ("sh", "b\n~~~\n"),
        ("open", "c\n"),
    ]


@pytest.mark.parametrize(
    ("text", "end"), [("a\r\nb\nc\r\n", "\r\n"), ("a\nb\r\nc\n", "\n"), ("a\rb", "\r"), ("a", "\n")]
)
def test_most_lines_say_how_a_line_ends(text: str, end: str) -> None:
    assert line_ending(text) == end


def test_a_key_is_looked_for_in_the_front_matter_first_and_in_the_body_only_where_it_is_ours() -> (
    None
):
    here, there = (
        find_key("---\nx: {y: 1}\n---\nx:\n  y: 2\n", "x", ("y",)),
        find_key("---\n---\nx:\n  y: 2\n", "x", ("y",)),
    )

    assert here is not None
    assert there is not None
    assert (here.node.get("y").text, there.node.get("y").text) == ("1", "2")
    assert find_key("x:\n  z: 2\n", "x", ("y",)) is None
