"""C#: xUnit, NUnit, MSTest, FluentAssertions, Shouldly and Moq."""

from __future__ import annotations

from ... import lazy_re as re
from .dialect import Dialect, all_mean, truth_table, types
from .matchers import word_set
from .suite import Suite
from .tree_reader import read_tests

DIALECT = Dialect(
    grammar="csharp",
    kinds=types(
        comment="comment",
        string="string_literal verbatim_string_literal raw_string_literal character_literal",
        number="integer_literal real_literal",
        function="method_declaration local_function_statement property_declaration",
        **{"class": "class_declaration record_declaration", "if": "if_statement"},
        **{"lambda": "lambda_expression anonymous_method_expression", "try": "try_statement"},
        **{"return": "return_statement continue_statement"},
        catch="catch_clause",
        ensure="finally_clause",
        throw="throw_statement throw_expression",
        wrapper="parenthesized_expression cast_expression await_expression expression_statement "
        "arrow_expression_clause",
        arguments="argument_list attribute_argument_list",
        argument="argument attribute_argument",
        attributes="attribute_list",
        attribute="attribute",
        list="initializer_expression collection_expression",
        list_holder="object_creation_expression array_creation_expression "
        "implicit_array_creation_expression implicit_object_creation_expression",
        types="type_argument_list",
        block="block",
    ),
    calls={"invocation_expression": ("function", "arguments")},
    methods={"object_creation_expression": ("object", "type", "arguments")},
    members={
        "member_access_expression": ("expression", "name"),
        "conditional_access_expression": (0, -1),
    },
    declarations={
        "variable_declarator": ("name", -1),
        "assignment_expression": ("left", "right"),
    },
    loops={"foreach_statement": ("left", "right")},
    words={"await": "", "?.": "."},
    test_mark=re.compile(
        r"(?:Fact|Theory|Test|TestCase|TestCaseSource|TestMethod|DataTestMethod|SkippableFact"
        r"|SkippableTheory|WpfFact|StaFact|Property)(?:Attribute)?"
    ),
    off_mark=re.compile(
        r"^(?:Ignore|Explicit)\b|^(?:Fact|Theory|InlineData)\(.*Skip ?="
        r"|(?:Test|TestCase)\(.*Ignore ?="
    ),
    off_call=re.compile(
        r"Assert\.(?:Ignore|Inconclusive|Pass|Skip)\(|Skip\.(?:If\(true|IfNot\(false)"
    ),
    condition_mark=re.compile(r"^(?:Platform|ConditionalFact|ConditionalTheory|SkipOn\w+)\b"),
    row_marks=re.compile(r"InlineData|TestCase|DataRow|Arguments"),
    list_marks=re.compile(r"Values|ValueSource"),
    source_marks=re.compile(r"MemberData|TestCaseSource|DynamicData|ClassData"),
    asserts={
        **all_mean("== e s d", "Equal AreEqual StrictEqual Same AreSame"),
        **all_mean("== e s", "Equivalent AreEquivalent"),
        **all_mean("not == e s", "NotEqual AreNotEqual NotSame AreNotSame"),
        **all_mean("true s", "True IsTrue"),
        **all_mean("false s", "False IsFalse"),
        **all_mean("null s", "Null IsNull"),
        **all_mean("not null s", "NotNull IsNotNull"),
        **all_mean("empty s", "Empty IsEmpty"),
        **all_mean("not empty s", "NotEmpty IsNotEmpty"),
        "Single": "toHaveLength=1 s",
        "HasCount": "toHaveLength e s",
        **all_mean("toContain e s", "Contains StartsWith EndsWith"),
        "DoesNotContain": "not toContain e s",
        "Matches": "toMatch e s",
        "IsMatch": "toMatch e s",
        **all_mean("toBeInstanceOf e s", "IsType IsAssignableFrom"),
        "IsInstanceOfType": "toBeInstanceOf s e",
        **all_mean("toThrow e s", "Throws ThrowsAsync ThrowsAny ThrowsAnyAsync ThrowsException"),
        **all_mean("toThrow e s", "ThrowsExceptionAsync ThrowsExactly Catch"),
        "DoesNotThrow": "not toThrow s",
        **all_mean("toThrow e s", "Throw ThrowAsync"),
        **all_mean("not toThrow s", "NotThrow NotThrowAsync"),
        "InRange": "within s e e",
        "Greater": "> s e",
        "GreaterOrEqual": ">= s e",
        "Less": "< s e",
        "LessOrEqual": "<= s e",
        "That": "carry",
    },
    owners=re.compile(r"(?:\w+\.)*(?:Assert|StringAssert|CollectionAssert|ClassicAssert)|Should"),
    heads=re.compile(r"Should"),
    fluent={
        **all_mean("==", "Be Equal BeEquivalentTo BeSameAs EqualTo ShouldBe SameAs HaveValue"),
        "EquivalentTo": "==",
        "ShouldNotBe": "not ==",
        "ShouldBeTrue": "== true",
        "ShouldBeFalse": "== false",
        "ShouldBeNull": "== null",
        "ShouldNotBeNull": "not == null",
        "ShouldBeEmpty": "== []",
        "ShouldNotBeEmpty": "not == []",
        **all_mean("toContain", "ShouldContain ShouldStartWith ShouldEndWith"),
        "ShouldNotContain": "not toContain",
        **all_mean("toBeInstanceOf", "ShouldBeOfType ShouldBeAssignableTo"),
        "ShouldBeSameAs": "==",
        "ShouldBeEquivalentTo": "==",
        "ShouldBeGreaterThan": ">",
        "ShouldBeGreaterThanOrEqualTo": ">=",
        "ShouldBeLessThan": "<",
        "ShouldBeLessThanOrEqualTo": "<=",
        "NotBe": "not ==",
        "NotEqual": "not ==",
        "shouldNotBe": "not ==",
        "Not": "not ",
        **all_mean("== true", "BeTrue True"),
        **all_mean("== false", "BeFalse False"),
        **all_mean("== null", "BeNull Null"),
        "NotBeNull": "not == null",
        **all_mean("== []", "BeEmpty Empty"),
        "NotBeEmpty": "not == []",
        "HaveCount": "toHaveLength",
        **all_mean("toContain", "Contain StartWith EndWith ContainSingle ContainKey Contains"),
        **all_mean("not toContain", "NotContain NotContainKey"),
        **all_mean("toMatch", "MatchRegex Match"),
        **all_mean("toBeInstanceOf", "BeOfType BeAssignableTo InstanceOf TypeOf"),
        **all_mean("toThrow", "Throw ThrowAsync ThrowExactly ThrowExactlyAsync WithMessage"),
        **all_mean("not toThrow any", "NotThrow NotThrowAsync"),
        **all_mean(">", "BeGreaterThan GreaterThan"),
        **all_mean(">=", "BeGreaterOrEqualTo BeGreaterThanOrEqualTo GreaterThanOrEqualTo"),
        **all_mean("<", "BeLessThan LessThan"),
        **all_mean("<=", "BeLessOrEqualTo BeLessThanOrEqualTo LessThanOrEqualTo"),
        "BePositive": "> 0",
        "BeInRange": "within",
        **all_mean("closeTo", "BeApproximately BeCloseTo"),
        "Within": "~",
    },
    fillers=word_set("Is Has And Which Should Does Using Ordered Items Property With"),
    other_asserts=re.compile(
        r"(?:Assert|Verify|Check|Expect|Ensure|Should)[A-Z_]\w*"
        r"|(?:Collection|All|Multiple|Raises\w*|Distinct)(?=$)"
    ),
    truths=truth_table(
        r"""
        (.+)\.(?:Equals|SequenceEqual)\((.+)\) → ==
        (.+)\.(?:Contains|ContainsKey|StartsWith|EndsWith)\((.+)\) → toContain
        (.+)\.Any\(\) → not == []
        (.+) is null → == null
        (.+) is not null → not == null
        (.+) is (.+) → toBeInstanceOf
        Math\.Abs\((.+)-(.+)\)<=?(.+) → closeTo
        """
    ),
    fails=re.compile(r"Assert\.Fail\(|throw new \w*Exception"),
    expects_error=re.compile(r"^ExpectedException\((?:typeof\()?([\w.]+)"),
    tampering=re.compile(r"Environment\.Exit\(0\)"),
    mocks=re.compile(r"\bMock<(\w+)>|Substitute\.For<(\w+)>"),
    patience=re.compile(r"^(?:Timeout|Retry|MaxTime)\((\d+)|Timeout ?= ?(\d+)"),
)


def read(path: str, text: str) -> Suite | None:
    return read_tests(DIALECT, path, text)
