"""JavaScript and TypeScript: jest, vitest, mocha, chai, node:test, Playwright, ava, supertest."""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from .dialect import Dialect, types
from .matchers import word_set
from .script_reader import ScriptReader
from .suite import Suite
from .tree_reader import read_tests

DIALECT = Dialect(
    grammar="javascript",
    kinds=types(
        comment="comment html_comment hash_bang_line jsx_text",
        string="string template_string",
        atom="regex template",
        number="number",
        function="function_declaration generator_function_declaration",
        **{"lambda": "arrow_function function_expression generator_function"},
        **{
            "if": "if_statement ternary_expression",
            "try": "try_statement",
            "return": "return_statement continue_statement",
        },
        catch="catch_clause",
        ensure="finally_clause",
        choice="binary_expression",
        switch="switch_statement",
        wrapper="parenthesized_expression await_expression",
        arguments="arguments",
        parameters="formal_parameters",
        list="array object",
        pair="pair",
        block="statement_block",
    ),
    calls={"call_expression": ("function", "arguments")},
    members={"member_expression": ("object", "property")},
    declarations={
        "variable_declarator": ("name", "value"),
        "assignment_expression": ("left", "right"),
    },
    loops={"for_in_statement": ("left", "right")},
    words={"?.": ".", "await": ""},
    test_blocks=re.compile(r"it|test|specify|[fx]it|xtest"),
    group_blocks=re.compile(r"[fx]?describe|context|suite"),
    heads=re.compile(r"expect|soft|poll"),
    fillers=word_set(
        "to be been is that and has have with at of same does deep own nested any all resolves "
        "rejects catch"
    ),
    needs_call=re.compile(r"to[A-Z]\w*"),
    other_asserts=re.compile(r"(?:expect|assert|check|verify|ensure|should)[A-Z_]\w*"),
    fails=re.compile(r"(?:t|assert|chai|expect)\.fail\b|fail\(|throw\b"),
    mocks=re.compile(
        r"(?:jest|vi)\.mock\('(\.[^']*)'(?!.*(?:importActual|requireActual|importOriginal))"
    ),
    tampering=re.compile(
        r"process\.(?:exit\(0?\)|exitCode=0)|(?:global|globalThis)\.(?:expect|it|test)="
        r"|expect\.extend\(\{to(?:Be|Equal)\("
    ),
)


def read(path: str, text: str) -> Suite | None:
    suffix = posixpath.splitext(path)[1].lower()
    grammar = ("tsx" if suffix == ".tsx" else "typescript") if "ts" in suffix else "javascript"
    return read_tests(DIALECT._replace(grammar=grammar), path, text, ScriptReader)
