"""What a reader must know about a language: its nodes, and the words of its test libraries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ... import lazy_re as re
from .matchers import Truths

NOTHING = re.compile(r"(?!)")
# A place in a node: the name of a field, or the number of a child that has a name.
Place = str | int


class Dialect(NamedTuple):
    """Each field with node types is named after what they are; a table leads from node to parts."""

    grammar: str
    # --- nodes ---
    kinds: Mapping[str, str]  # what it is: if, try, catch, loop, return, function, … → node types
    calls: Mapping[str, tuple[Place, Place]]  # node → what is called, arguments
    methods: Mapping[str, tuple[Place, Place, Place]] = {}  # node → object, name, arguments
    members: Mapping[str, tuple[Place, Place]] = {}  # node → object, name
    declarations: Mapping[str, tuple[Place, Place]] = {}  # node → names, value
    loops: Mapping[str, tuple[Place, Place]] = {}  # node → names, what they are taken from
    words: Mapping[str, str] = {}  # signs and words that other languages spell differently
    # --- tests ---
    test_name: re.Pattern[str] = NOTHING  # of a function
    test_mark: re.Pattern[str] = NOTHING  # the annotation or attribute of a test
    test_blocks: re.Pattern[str] = NOTHING  # functions that are given a test: it('adds', …)
    has_pending_tests: bool = False  # a title without a block is a test that does not run
    group_blocks: re.Pattern[str] = NOTHING  # functions that are given tests: describe('total', …)
    off_mark: re.Pattern[str] = NOTHING  # annotations that switch off, as they are spelled
    off_call: re.Pattern[str] = NOTHING  # calls that switch off, as they are spelled
    off_file: re.Pattern[str] = NOTHING  # lines that leave the whole file out
    condition_mark: re.Pattern[str] = NOTHING  # annotations that switch off on a condition
    only_call: re.Pattern[str] = NOTHING
    row_marks: re.Pattern[str] = NOTHING  # annotations that are a case each: [InlineData(1, 2)]
    list_marks: re.Pattern[str] = NOTHING  # annotations that list cases: @ValueSource(ints = {1})
    source_marks: re.Pattern[str] = NOTHING  # annotations that name a function with the cases
    # --- assertions ---
    # Name of a function → matcher and the roles of its arguments: s the subject, e an expected
    # value, d a tolerance if it is a number. `not` before the matcher negates it, and an expected
    # value may follow it: `toHaveLength=1 s`.
    asserts: Mapping[str, str] = {}
    owners: re.Pattern[str] = NOTHING  # what the functions may be called on: assert, Assert, $this
    heads: re.Pattern[str] = NOTHING  # functions after whose call matchers follow: expect(x)
    fluent: Mapping[str, str] = {}  # matcher that follows a head → its one name, or name and value
    fillers: frozenset[str] = frozenset()  # words between matchers that say nothing
    negations: frozenset[str] = frozenset({"not"})
    needs_call: re.Pattern[str] = NOTHING  # matchers that say nothing unless they are called
    other_asserts: re.Pattern[str] = NOTHING  # functions that assert something, nobody knows what
    truths: Truths = ()
    fails: re.Pattern[str] = NOTHING  # calls that make a test fail
    swallows: re.Pattern[str] = NOTHING  # functions that swallow what their block throws
    expects_error: re.Pattern[str] = NOTHING  # calls or annotations before code that must throw
    dropped_arguments: frozenset[str] = frozenset()  # `t`, the test itself
    tampering: re.Pattern[str] = NOTHING
    mocks: re.Pattern[str] = NOTHING  # its group is the class that a mock takes the place of
    patience: re.Pattern[str] = NOTHING  # annotations with a time-out or a number of tries


def types(**kinds: str) -> dict[str, str]:
    """Node type → what it is."""
    return {node: kind for kind, nodes in kinds.items() for node in nodes.split()}


def truth_table(text: str) -> Truths:
    """Lines of a pattern, ` → ` and a matcher."""
    rows = [line.strip().split(" → ") for line in text.strip().splitlines()]
    return tuple((re.compile(pattern), matcher) for pattern, matcher in rows)


def all_mean(meaning: str, words: str) -> dict[str, str]:
    """Each of the words, with the one meaning that they have."""
    return dict.fromkeys(words.split(), meaning)
