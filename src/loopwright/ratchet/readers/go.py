"""Go: the package testing, testify, is and quicktest."""

from __future__ import annotations

from ... import lazy_re as re
from .dialect import Dialect, all_mean, truth_table, types
from .suite import Suite
from .tree_reader import read_tests

COMPARED = "Equal EqualValues Exactly Same JSONEq YAMLEq ElementsMatch EqualExportedValues Equals"
DIALECT = Dialect(
    grammar="go",
    kinds=types(
        comment="comment",
        string="interpreted_string_literal raw_string_literal rune_literal",
        number="int_literal float_literal",
        function="function_declaration method_declaration",
        **{
            "lambda": "func_literal",
            "if": "if_statement",
            "return": "return_statement continue_statement",
        },
        wrapper="parenthesized_expression",
        arguments="argument_list",
        argument="literal_element",
        list="literal_value",
        list_holder="composite_literal",
        pair="keyed_element",
        range="range_clause",
        case="expression_case",
        type="type_spec",
        types="type_arguments",
        single="expression_list",
    ),
    calls={"call_expression": ("function", "arguments")},
    members={"selector_expression": ("operand", "field")},
    declarations={
        "short_var_declaration": ("left", "right"),
        "assignment_statement": ("left", "right"),
        "var_spec": ("name", "value"),
        "const_spec": ("name", "value"),
    },
    loops={"for_statement": ("left", "right")},
    words={"nil": "null"},
    test_name=re.compile(r"(?:Test|Fuzz|Example)(?:[^a-z]\w*)?"),
    off_call=re.compile(r"(?:\w+|\w+\.T\(\))\.(?:Skip|SkipNow|Skipf)\("),
    off_file=re.compile(r"^//\s*(?:go:build|\+build) "),
    asserts={
        **all_mean("== e s", COMPARED),
        **all_mean("not == e s", "NotEqual NotSame NotEqualValues"),
        "InDelta": "closeTo e s d",
        "InEpsilon": "closeTo e s d",
        "WithinDuration": "closeTo e s d",
        "True": "true s",
        "False": "false s",
        "Nil": "null s",
        "NotNil": "not null s",
        "NoError": "null s",
        "Error": "not null s",
        "ErrorIs": "toThrow s e",
        "ErrorAs": "toThrow s e",
        "EqualError": "toThrow s e",
        "ErrorContains": "toThrow s e",
        "Empty": "empty s",
        "NotEmpty": "not empty s",
        "Zero": "== s",
        "Len": "toHaveLength s e",
        "Contains": "toContain s e",
        "NotContains": "not toContain s e",
        "Subset": "toContain s e",
        "Regexp": "toMatch e s",
        "Greater": "> s e",
        "GreaterOrEqual": ">= s e",
        "Less": "< s e",
        "LessOrEqual": "<= s e",
        "IsType": "toBeInstanceOf e s",
        "Implements": "toBeInstanceOf e s",
        "Panics": "toThrow s",
        "PanicsWithValue": "toThrow e s",
        "PanicsWithError": "toThrow e s",
        "NotPanics": "not toThrow s",
    },
    owners=re.compile(
        r"assert|require|is|(?:s|suite|ts|c|qt)(?:\.Require\(\)|\.Assert\(\)|\.Require|\.Assert)?"
    ),
    other_asserts=re.compile(
        r"(?:assert|require|check|verify|expect|must|ensure)[A-Z_]\w*"
        r"|(?:Assert|Eventually|Never|That)\w*"
        r"|AssertExpectations|AssertCalled|AssertNumberOfCalls|AssertNotCalled"
    ),
    truths=truth_table(
        r"""
        errors\.(?:Is|As)\((.+), (.+)\) → toThrow
        strings\.Contains\((.+)\.Error\(\), (.+)\) → toThrow
        strings\.(?:Contains|HasPrefix|HasSuffix)\((.+), (.+)\) → toContain
        (?:slices|bytes)\.Contains\((.+), (.+)\) → toContain
        (?:reflect\.Deep|cmp\.|bytes\.|slices\.|maps\.|proto\.)Equal\((.+), (.+)\) → ==
        (.+)\.Equal\((.+)\) → ==
        (?:math\.)?Abs\((.+)-(.+)\)>(.+) → not closeTo
        len\((.+)\)==0 → == []
        """
    ),
    fails=re.compile(
        r"(?:t|tb|b|f|s|c|ts|tt|suite|\w*T)(?:\.T\(\))?"
        r"\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\("
        r"|panic\("
        r"|log\.Fatal\w*\(|os\.Exit\([1-9]"
    ),
    dropped_arguments=frozenset({"t", "tb", "b", "s.T()", "suite.T()", "ts.T()", "c"}),
    tampering=re.compile(r"os\.Exit\(0\)"),
)


def read(path: str, text: str) -> Suite | None:
    return read_tests(DIALECT, path, text)
