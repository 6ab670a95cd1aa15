"""PHP: PHPUnit, Pest, Mockery and the assertions of Laravel and Symfony."""

from __future__ import annotations

from ... import lazy_re as re
from .dialect import Dialect, all_mean, truth_table, types
from .matchers import word_set
from .suite import Suite
from .tree_reader import read_tests

DIALECT = Dialect(
    grammar="php",
    kinds=types(
        comment="comment",
        string="string encapsed_string heredoc nowdoc",
        atom="variable_name",
        number="integer float",
        function="method_declaration function_definition",
        **{"class": "class_declaration", "lambda": "anonymous_function arrow_function"},
        **{
            "if": "if_statement",
            "try": "try_statement",
            "return": "return_statement continue_statement",
        },
        catch="catch_clause",
        ensure="finally_clause",
        throw="throw_expression",
        wrapper="parenthesized_expression expression_statement",
        arguments="arguments",
        argument="argument array_element_initializer",
        attributes="attribute_list attribute_group",
        attribute="attribute",
        list="array_creation_expression",
        block="compound_statement",
    ),
    calls={
        "function_call_expression": ("function", "arguments"),
        "object_creation_expression": (0, -1),
    },
    methods={
        "member_call_expression": ("object", "name", "arguments"),
        "nullsafe_member_call_expression": ("object", "name", "arguments"),
        "scoped_call_expression": ("scope", "name", "arguments"),
    },
    members={"member_access_expression": ("object", "name")},
    declarations={"assignment_expression": ("left", "right"), "const_element": (0, 1)},
    loops={"foreach_statement": (1, 0)},
    words={"->": ".", "?->": ".", "NULL": "null", "TRUE": "true", "FALSE": "false"},
    test_name=re.compile(r"test\w+"),
    test_mark=re.compile(r"[tT]est|TestWith|DataProvider|dataProvider"),
    test_blocks=re.compile(r"it|test|arch"),
    has_pending_tests=True,
    group_blocks=re.compile(r"describe"),
    off_mark=re.compile(r"\.(?:skip|todo|skipOnCI)\b|^@(?:skip|todo)\b"),
    off_call=re.compile(r"(?:\$this\.|self\.|static\.)(?:markTestSkipped|markTestIncomplete)\("),
    condition_mark=re.compile(r"^Requires\w+|^@requires"),
    only_call=re.compile(r"\.only\b"),
    row_marks=re.compile(r"TestWith"),
    source_marks=re.compile(r"[dD]ataProvider"),
    asserts={
        **all_mean("== e s", "assertSame assertEquals assertEqualsCanonicalizing"),
        **all_mean("not == e s", "assertNotSame assertNotEquals"),
        **all_mean("== e s", "assertJsonStringEqualsJsonString assertXmlStringEqualsXmlString"),
        "assertEqualsWithDelta": "closeTo e s d",
        "assertTrue": "true s",
        "assertFalse": "false s",
        "assertNull": "null s",
        "assertNotNull": "not null s",
        "assertEmpty": "empty s",
        "assertNotEmpty": "not empty s",
        "assertCount": "toHaveLength e s",
        "assertContains": "toContain e s",
        "assertNotContains": "not toContain e s",
        "assertArrayHasKey": "toContain e s",
        "assertStringContainsString": "toContain e s",
        "assertStringNotContainsString": "not toContain e s",
        **all_mean("toContain e s", "assertStringStartsWith assertStringEndsWith"),
        **all_mean("not toContain e s", "assertStringStartsNotWith assertStringEndsNotWith"),
        "assertArrayNotHasKey": "not toContain e s",
        "assertIsArray": "a=array s",
        "assertIsString": "a=string s",
        "assertIsObject": "a=object s",
        "assertNotFalse": "not ==false s",
        "assertMatchesRegularExpression": "toMatch e s",
        "assertInstanceOf": "toBeInstanceOf e s",
        "assertGreaterThan": "> e s",
        "assertGreaterThanOrEqual": ">= e s",
        "assertLessThan": "< e s",
        "assertLessThanOrEqual": "<= e s",
        "assertThat": "carry",
    },
    owners=re.compile(r"\$this|self|static|Assert|TestCase"),
    heads=re.compile(r"expect"),
    fluent={
        **all_mean("==", "toBe toEqual toEqualCanonicalizing"),
        "toBeTrue": "== true",
        "toBeFalse": "== false",
        "toBeNull": "== null",
        "toBeEmpty": "== []",
        "toBeTruthy": "toBeTruthy",
        "toHaveCount": "toHaveLength",
        "toHaveLength": "toHaveLength",
        "toBeInstanceOf": "toBeInstanceOf",
        "toBeGreaterThan": ">",
        "toBeGreaterThanOrEqual": ">=",
        "toBeLessThan": "<",
        "toBeLessThanOrEqual": "<=",
        "toHaveKey": "toContain",
        "toStartWith": "toContain",
        "toEndWith": "toContain",
        "toEqualWithDelta": "closeTo",
        "and": "subject",
    },
    fillers=word_set("each json sequence"),
    other_asserts=re.compile(r"(?:assert|check|verify|expect|should|see)[A-Z]\w*"),
    truths=truth_table(
        r"""
        (?:in_array|array_key_exists)\((.+), (.+?)(?:, true)?\) → toContain
        (?:str_contains|str_starts_with|str_ends_with)\((.+), (.+)\) → toContain
        is_null\((.+)\) → == null
        isset\((.+)\) → toBeDefined
        empty\((.+)\) → == []
        (.+) instanceof (.+) → toBeInstanceOf
        abs\((.+)-(.+)\)<=?(.+) → closeTo
        """
    ),
    fails=re.compile(r"(?:\$this\.|self\.|static\.|Assert\.)fail\(|throw new \w*|throw "),
    expects_error=re.compile(
        r"(?:\$this\.|self\.)?expectException(?:Message|Code|Object|MessageMatches)?\((.+)\)$"
    ),
    tampering=re.compile(r"(?:exit|die)(?:\(0?\))?$|register_shutdown_function\("),
    mocks=re.compile(
        r"\b(?:createMock|createStub|createPartialMock|mock|prophesize)\((\w+)(?:::class)?"
    ),
    patience=re.compile(r"^(?:Repeat|Retry)\((\d+)"),
)
# The name of a function with or without the mark of the global namespace.
GLOBAL_CALL = re.compile(r"(?<![\w\\'\"])\\(?=[a-z_]\w*\()")
# A constant of the class is spelled as where it is declared.
OWN_CONSTANT = re.compile(r"\b(?:self|static)::(?=[A-Z]\w*\b(?!\())")


def read(path: str, text: str) -> Suite | None:
    return read_tests(DIALECT, path, OWN_CONSTANT.sub("", GLOBAL_CALL.sub("", text)))
