"""Kotlin: kotlin.test, JUnit, Kotest, AssertJ, Truth and MockK."""

from __future__ import annotations

from ... import lazy_re as re
from . import jvm_words as words
from .dialect import Dialect, all_mean, types
from .suite import Suite
from .tree_reader import read_tests

# The grammar takes the brackets of `assertFailsWith<E> { … }` for comparisons.
TYPED_BLOCK = re.compile(r"\b([a-z]\w*)<([A-Z][\w.]*(?:<[\w.*, ]+>)?)>(?= *\{)")
DIALECT = Dialect(
    grammar="kotlin",
    kinds=types(
        comment="line_comment block_comment",
        string="string_literal multiline_string_literal character_literal",
        number="number_literal float_literal",
        function="function_declaration",
        **{"class": "class_declaration object_declaration", "lambda": "lambda_literal"},
        **{
            "if": "if_expression",
            "try": "try_expression",
            "return": "return_expression jump_expression",
        },
        catch="catch_block",
        ensure="finally_block",
        throw="throw_expression",
        wrapper="parenthesized_expression annotated_lambda",
        arguments="value_arguments",
        argument="value_argument",
        attributes="modifiers",
        attribute="annotation",
        attribute_part="constructor_invocation user_type",
        parameters="function_value_parameters lambda_parameters",
        types="type_arguments",
        block="block",
    ),
    calls={"call_expression": (0, -1)},
    methods={"infix_expression": (0, 1, 2)},
    members={"navigation_expression": (0, -1)},
    declarations={"property_declaration": (0, -1), "assignment": (0, -1)},
    loops={"for_statement": (0, 1)},
    words={"?.": ".", "!!": "", "TRUE": "true", "FALSE": "false"},
    test_mark=words.TEST_MARK,
    test_blocks=re.compile(r"'|test|it|should|expect|scenario|Then|property"),
    group_blocks=re.compile(r"describe|context|given|Given|When|feature|group"),
    off_mark=re.compile(
        words.OFF_MARK.pattern
        + r"|^x(?:test|it|describe|context|should|expect|given|scenario|feature)\b"
        r"|\('!|^'!|enabled ?= ?false"
    ),
    off_call=re.compile(
        r"(?:Assumptions\.|Assume\.)?(?:assumeTrue\(false|assumeFalse\(true|abort\()"
    ),
    condition_mark=re.compile(words.CONDITION_MARK.pattern + r"|enabledIf ?="),
    only_call=re.compile(r"\('f:|^'f:"),
    list_marks=words.LIST_MARKS,
    source_marks=words.SOURCE_MARKS,
    asserts=words.ASSERTS,
    owners=words.OWNERS,
    heads=words.HEADS,
    fluent={
        **words.FLUENT,
        **all_mean(
            "==",
            "shouldBe shouldBeEqual shouldBeEqualTo "
            "shouldContainExactly shouldContainExactlyInAnyOrder shouldBeSameInstanceAs",
        ),
        "shouldNotBe": "not ==",
        **all_mean("toContain", "shouldContain shouldContainAll shouldStartWith shouldEndWith"),
        "shouldNotContain": "not toContain",
        "shouldBeTrue": "== true",
        "shouldBeFalse": "== false",
        "shouldBeNull": "== null",
        "shouldNotBeNull": "not == null",
        "shouldBeEmpty": "== []",
        "shouldNotBeEmpty": "not == []",
        "shouldHaveSize": "toHaveLength",
        "shouldMatch": "toMatch",
        "shouldBeGreaterThan": ">",
        "shouldBeLessThan": "<",
        "shouldBeInstanceOf": "toBeInstanceOf",
        "shouldBeTypeOf": "toBeInstanceOf",
    },
    fillers=words.FILLERS,
    other_asserts=words.OTHER_ASSERTS,
    truths=words.TRUTHS,
    fails=words.FAILS,
    swallows=re.compile(r"runCatching\((?!.*(?:getOrThrow|onFailure|exceptionOrNull))"),
    expects_error=words.EXPECTS_ERROR,
    tampering=words.TAMPERING,
    mocks=words.MOCKS,
    patience=words.PATIENCE,
)


def read(path: str, text: str) -> Suite | None:
    return read_tests(DIALECT, path, TYPED_BLOCK.sub(r"\1(\2::class)", text))
