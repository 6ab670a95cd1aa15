"""Ruby: RSpec, Minitest, test-unit and the assertions of Rails."""

from __future__ import annotations

from ... import lazy_re as re
from .dialect import Dialect, all_mean, truth_table, types
from .matchers import word_set
from .suite import Suite
from .tree_reader import read_tests

DIALECT = Dialect(
    grammar="ruby",
    kinds=types(
        comment="comment",
        string="string heredoc_body",
        atom="regex simple_symbol",
        number="integer float",
        function="method singleton_method",
        **{"class": "class module", "lambda": "do_block block lambda", "try": "begin"},
        **{
            "if": "if if_modifier elsif",
            "unless": "unless unless_modifier",
            "return": "return next break",
        },
        catch="rescue",
        ensure="ensure",
        wrapper="parenthesized_statements",
        arguments="argument_list",
        parameters="block_parameters method_parameters lambda_parameters",
        list="array hash",
        pair="pair",
    ),
    calls={},
    methods={"call": ("receiver", "method", "arguments")},
    declarations={"assignment": ("left", "right")},
    loops={"for": ("pattern", "value")},
    words={"nil": "null", "&.": "."},
    test_name=re.compile(r"test_\w+[?!]?"),
    test_blocks=re.compile(r"[xf]?(?:it|specify|example|test|scenario|should)|pending|skip"),
    has_pending_tests=True,
    group_blocks=re.compile(
        r"[xf]?(?:describe|context|feature|example_group|shared_examples|shared_examples_for"
        r"|shared_context)"
    ),
    off_mark=re.compile(
        r"^(?:RSpec\.)?x(?:it|specify|example|test|describe|context|scenario|feature)\("
        r"|^(?:pending|skip)\(|(?:skip|pending): (?!false|null)|:(?:skip|pending)\b"
    ),
    off_call=re.compile(r"(?:skip|pending|omit|pend)(?:\(|$)"),
    only_call=re.compile(
        r"^(?:RSpec\.)?f(?:it|specify|example|describe|context|scenario|feature)\("
        r"|focus: true|:focus\b"
    ),
    asserts={
        "assert_equal": "== e s",
        "assert_same": "== e s",
        "assert_not_equal": "not == e s",
        "refute_equal": "not == e s",
        "refute_same": "not == e s",
        "assert": "ok s",
        "refute": "not ok s",
        "assert_not": "not ok s",
        "assert_true": "true s",
        "assert_false": "false s",
        "assert_nil": "null s",
        "refute_nil": "not null s",
        "assert_not_nil": "not null s",
        "assert_empty": "empty s",
        "refute_empty": "not empty s",
        "assert_includes": "toContain s e",
        "assert_include": "toContain s e",
        "refute_includes": "not toContain s e",
        "assert_match": "toMatch e s",
        "refute_match": "not toMatch e s",
        "assert_in_delta": "closeTo e s d",
        "assert_in_epsilon": "closeTo e s d",
        "assert_instance_of": "toBeInstanceOf e s",
        "assert_kind_of": "toBeInstanceOf e s",
        "assert_raises": "toThrow e s",
        "assert_raise": "toThrow e s",
        "assert_nothing_raised": "not toThrow s",
        "assert_operator": "operator s e e",
        "assert_predicate": "predicate s e",
    },
    heads=re.compile(r"expect|is_expected|expect_any_instance_of|_|value"),
    fluent={
        **all_mean("carry", "to should is_expected"),
        **all_mean("not carry", "not_to to_not should_not"),
        **all_mean("==", "eq eql equal match_array contain_exactly"),
        **all_mean("==", "must_be_same_as must_equal"),
        **all_mean("not ==", "wont_equal wont_be_same_as"),
        "must_be_nil": "== null",
        "wont_be_nil": "not == null",
        "must_be_empty": "== []",
        "wont_be_empty": "not == []",
        "must_include": "toContain",
        "wont_include": "not toContain",
        "must_match": "toMatch",
        "must_raise": "toThrow",
        "must_be_kind_of": "toBeInstanceOf",
        "must_be_instance_of": "toBeInstanceOf",
        "be_truthy": "toBeTruthy",
        "be_falsey": "not toBeTruthy",
        "be_falsy": "not toBeTruthy",
        "be_nil": "== null",
        "be_empty": "== []",
        "be_present": "toBeDefined",
        "be": "==",
        "include": "toContain",
        "start_with": "toContain",
        "end_with": "toContain",
        "match": "toMatch",
        "raise_error": "toThrow",
        "raise_exception": "toThrow",
        "with_message": "toThrow",
        **all_mean("toBeInstanceOf", "be_a be_an be_kind_of be_instance_of be_a_kind_of"),
        "be_within": "~",
        "of": "==",
        "be_between": "within",
        "exactly": "toHaveBeenCalledTimes",
        "once": "toHaveBeenCalledTimes 1",
        "twice": "toHaveBeenCalledTimes 2",
        "at_least": "toHaveBeenCalled",
        "at_most": "toHaveBeenCalled",
        "with": "toHaveBeenCalledWith",
        "have_size": "toHaveLength",
    },
    fillers=word_set(
        "times time and_return and_call_original and_raise and_yield inclusive ordered"
    ),
    other_asserts=re.compile(r"(?:assert|refute|must|wont|verify|check|expect)_\w+[?!]?|flunk"),
    truths=truth_table(
        r"""
        (.+)\.nil\? → == null
        (.+)\.empty\? → == []
        (.+)\.(?:include|key|start_with|end_with)\?\((.+)\) → toContain
        (.+)\.(?:is_a|kind_of|instance_of)\?\((.+)\) → toBeInstanceOf
        (.+)\.any\? → not == []
        (.+)=~(.+) → toMatch
        \(?\(*(.+)-(.+?)\)*\.abs<=?(.+) → closeTo
        """
    ),
    fails=re.compile(r"flunk\b|fail\b|raise\b|abort\b"),
    tampering=re.compile(r"(?:Kernel\.)?(?:exit!?|abort)(?:\((?:0|true)?\))?$|at_exit\("),
    mocks=re.compile(
        r"\b(?:instance_double|class_double|allow_any_instance_of|expect_any_instance_of)\('?(\w+)"
    ),
)
# A text that may be changed, or may not, is the same text: `+"a"`, `"a".dup`, `"a".freeze`.
COPIED_TEXT = re.compile(r"(?<=[\"'])\.(?:dup|freeze)\b|(?<=[\s(\[,])[+-](?=[\"'])")


def read(path: str, text: str) -> Suite | None:
    return read_tests(DIALECT, path, COPIED_TEXT.sub("", text))
