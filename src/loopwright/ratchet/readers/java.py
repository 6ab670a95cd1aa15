"""Java: JUnit, TestNG, AssertJ, Hamcrest, Truth and Mockito."""

from __future__ import annotations

from ... import lazy_re as re
from . import jvm_words as words
from .dialect import Dialect, types
from .suite import Suite
from .tree_reader import read_tests

DIALECT = Dialect(
    grammar="java",
    kinds=types(
        comment="line_comment block_comment",
        string="string_literal character_literal",
        number="decimal_integer_literal decimal_floating_point_literal hex_integer_literal",
        function="method_declaration",
        **{"class": "class_declaration", "lambda": "lambda_expression", "if": "if_statement"},
        **{
            "try": "try_statement try_with_resources_statement",
            "return": "return_statement continue_statement",
        },
        catch="catch_clause",
        ensure="finally_clause",
        throw="throw_statement",
        wrapper="parenthesized_expression cast_expression expression_statement",
        arguments="argument_list annotation_argument_list",
        argument="element_value_pair",
        attributes="modifiers",
        attribute="annotation marker_annotation",
        list="array_initializer element_value_array_initializer",
        list_holder="array_creation_expression",
        types="type_arguments",
        block="block",
    ),
    calls={},
    methods={
        "method_invocation": ("object", "name", "arguments"),
        "object_creation_expression": ("object", "type", "arguments"),
    },
    members={"field_access": ("object", "field")},
    declarations={
        "variable_declarator": ("name", "value"),
        "assignment_expression": ("left", "right"),
    },
    loops={"enhanced_for_statement": ("name", "value")},
    words={"TRUE": "true", "FALSE": "false"},
    test_name=re.compile(r"test[A-Z]\w*"),
    test_mark=words.TEST_MARK,
    off_mark=words.OFF_MARK,
    off_call=re.compile(
        r"(?:Assumptions\.|Assume\.)?(?:assumeTrue\(false|assumeFalse\(true|abort\()"
    ),
    condition_mark=words.CONDITION_MARK,
    list_marks=words.LIST_MARKS,
    source_marks=words.SOURCE_MARKS,
    asserts=words.ASSERTS,
    owners=words.OWNERS,
    heads=words.HEADS,
    fluent=words.FLUENT,
    fillers=words.FILLERS,
    other_asserts=words.OTHER_ASSERTS,
    truths=words.TRUTHS,
    fails=words.FAILS,
    expects_error=words.EXPECTS_ERROR,
    tampering=words.TAMPERING,
    mocks=words.MOCKS,
    patience=words.PATIENCE,
)


def read(path: str, text: str) -> Suite | None:
    return read_tests(DIALECT, path, text)
