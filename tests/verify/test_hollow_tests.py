"""Tests that assert nothing, or only what is true whatever the product returns."""

from __future__ import annotations

import pytest

from loopwright.cleanroom.hollow_tests import hollow_tests

HOLLOW = {
    "it only calls": ("test_a.py", "def test_it():\n    parse('a=1')\n"),
    "it prints": ("test_a.py", "def test_it():\n    print(parse('a=1'))\n"),
    "it keeps the result": (
        "test_a.py",
        "def test_it():\n    found = parse('a=1')\n    del found\n",
    ),
    "it asserts a constant": ("test_a.py", "def test_it():\n    parse('a=1')\n    assert True\n"),
    "unittest, true of itself": (
        "test_a.py",
        "class A(TestCase):\n    def test_it(self):\n        parse('a')\n        self.assertTrue(1)\n",
    ),
    "node": ("a.test.js", "test('test_it', () => { parse('a=1'); });\n"),
    "node, true of itself": (
        "a.test.js",
        "test('test_it', () => { parse('a'); expect(true).toBe(true); });\n",
    ),
}
ASSERTING = {
    "a result": ("test_a.py", "def test_it():\n    assert parse('a=1') == {'a': 1}\n"),
    "what is raised": (
        "test_a.py",
        "def test_it():\n    with pytest.raises(ValueError):\n        parse('')\n",
    ),
    "by a helper of the file": (
        "test_a.py",
        "def same(a, b):\n    assert a == b\n\n\ndef test_it():\n    same(parse('a'), {})\n",
    ),
    "by a helper of another file": ("test_a.py", "def test_it():\n    check_parsed('a', {})\n"),
    "a double was called": (
        "test_a.py",
        "def test_it():\n    send = Mock()\n    run(send)\n    send.assert_called_once()\n",
    ),
    "node": ("a.test.js", "test('test_it', () => { assert.equal(parse('a'), 1); });\n"),
    "jest": ("a.test.js", "test('test_it', () => { expect(parse('a')).toEqual({}); });\n"),
    "of a language whose tests fail by calls": (
        "a_test.go",
        'package a\n\nfunc test_it(t *testing.T) {\n\tParse("a")\n}\n',
    ),
}


@pytest.mark.parametrize(("path", "text"), HOLLOW.values(), ids=HOLLOW)
def test_a_test_that_asserts_nothing_is_hollow(path, text):
    assert hollow_tests({path: text}) == {"test_it"}


@pytest.mark.parametrize(("path", "text"), ASSERTING.values(), ids=ASSERTING)
def test_a_test_that_asserts_is_not_hollow(path, text):
    assert hollow_tests({path: text}) == frozenset()


def test_a_name_that_asserts_in_another_file_is_not_hollow():
    texts = dict([HOLLOW["it only calls"], ("test_b.py", ASSERTING["a result"][1])])
    assert hollow_tests(texts) == frozenset()
