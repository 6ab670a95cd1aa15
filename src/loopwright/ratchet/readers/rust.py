"""Rust: the attributes of the compiler and of tokio, rstest, test_case and proptest."""

from __future__ import annotations

from ... import lazy_re as re
from .dialect import Dialect, truth_table, types
from .suite import Suite
from .tree_reader import read_tests

DIALECT = Dialect(
    grammar="rust",
    kinds=types(
        comment="line_comment block_comment",
        string="string_literal raw_string_literal char_literal",
        number="integer_literal float_literal",
        function="function_item",
        **{"class": "mod_item", "lambda": "closure_expression", "if": "if_expression"},
        **{"return": "return_expression continue_expression", "try": ""},
        wrapper="expression_statement parenthesized_expression reference_expression",
        single="try_expression await_expression",
        arguments="arguments",
        tokens="token_tree",
        parameters="parameters closure_parameters",
        attribute="attribute_item attribute",
        list="array_expression tuple_expression",
        types="type_arguments",
    ),
    calls={
        "call_expression": ("function", "arguments"),
        "macro_invocation": ("macro", -1),
    },
    members={"field_expression": ("value", "field")},
    declarations={"let_declaration": ("pattern", "value"), "const_item": ("name", "value")},
    loops={"for_expression": ("pattern", "value")},
    words={"await": ""},
    test_mark=re.compile(r"(?:\w+_)?test(?:_\w+)?|rstest\w*|case|quickcheck"),
    off_mark=re.compile(r"^#\[ignore|^#\[cfg\((?:any\(\)|not\(test\)|FALSE|false)"),
    condition_mark=re.compile(r"^#\[cfg\((?!test\))|^#\[cfg_attr\(.*ignore"),
    off_file=re.compile(r"^#!\[cfg\("),
    row_marks=re.compile(r"case|test_case"),
    asserts={
        "assert_eq": "== s e",
        "assert_ne": "not == s e",
        "assert": "true s",
        "debug_assert": "true s",
        "debug_assert_eq": "== s e",
        "prop_assert": "true s",
        "prop_assert_eq": "== s e",
        "assert_matches": "== s e",
        "assert_relative_eq": "== s e",
        "assert_abs_diff_eq": "== s e",
    },
    owners=re.compile(r"(?!)"),
    other_asserts=re.compile(r"(?:assert|check|verify|expect|ensure)_\w+|insta::assert\w*"),
    truths=truth_table(
        r"""
        matches!\((.+?), (.+)\) → ==
        (.+)\.is_none\(\) → == None
        (.+)\.is_some\(\) → toBeDefined
        (.+)\.is_ok\(\) → toBeDefined
        (.+)\.is_err\(\) → toThrow
        (.+)\.is_empty\(\) → == []
        (.+)\.(?:contains|contains_key|starts_with|ends_with)\((.+)\) → toContain
        (.+)\.eq\((.+)\) → ==
        \(?\(*(.+)-(.+?)\)*\.abs\(\)<=?(.+) → closeTo
        """
    ),
    fails=re.compile(r"(?:panic|unreachable|todo|unimplemented)!?\(|assert!?\(false"),
    swallows=re.compile(r"(?:std::)?(?:panic::)?catch_unwind\("),
    expects_error=re.compile(r"^#\[should_panic(?:\(expected ?= ?('[^']*')\))?|^#\[should_panic()"),
    tampering=re.compile(r"(?:std::)?process::exit\(0\)"),
)
# An owned string has the value of the literal.
OWNED_STRING = re.compile(
    r"""("(?:[^"\\\n]|\\.)*+")\.(?:to_string|to_owned|into)\(\)"""
    r"""|\bString::from\(("(?:[^"\\\n]|\\.)*+")\)"""
)


def read(path: str, text: str) -> Suite | None:
    return read_tests(DIALECT, path, OWNED_STRING.sub(lambda match: match[1] or match[2], text))
