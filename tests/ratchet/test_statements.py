"""A source file as a tree of statements: the same for every language."""

from __future__ import annotations

import pytest

from loopwright.ratchet.readers.statement import tokens_of
from loopwright.ratchet.readers.statements import Statement, read_statements


def outline(statements: list[Statement]) -> list[object]:
    """Each statement as its text, or as its head with what is inside."""
    return [
        [f"{each.marks} {each.head}".strip(), *outline(each.children)]
        if each.children
        else each.source
        for each in statements
    ]


PYTHON = """
@mark
def test_it():
    with raises(E):
        go()
    if a:
        b()
    elif c:
        d()
    else:
        e()
    try:
        f()
    except E:
        g()
    for x in y:
        pass
"""
RUBY = """
describe 'cart' do
  it 'adds' do
    expect(
      cart
    ).to eq(1)
    expect do
      cart.pay
    end.to raise_error(Late)
  end
end
x = 1
"""
SCRIPT = """
import { a } from 'b'
const rows = [
  { a: 1 },
]
function add(a: number): number { return a }
describe('cart', () => { // all of it
  it("adds", async () => {
    expect(cart)
      .toEqual({ a: 1 })
    for (const x of [1, 2]) { check(x) }
  }, 500)
})
"""
GO = """
func TestAll(t *testing.T) {
	for _, tt := range []struct {
		in string
	}{
		{"a"},
	} {
		if got := f(tt.in); got != 3 {
			t.Errorf("%d", got)
		}
	}
}
"""
RUST = """
const LIMIT: Limit = Limit { a: 1 };
#[test]
fn adds() -> Result<(), Error> {
    for x in [1, 2] { assert_eq!(f(x), Point { x: 1 }); }
    std::panic::catch_unwind(|| { f(3); });
    Ok(())
}
"""
KOTLIN = """
@Test
fun adds() = runTest {
    assertFails { add(1) }
    "x" shouldBe 1
}
class A : StringSpec({ "adds" { 1 shouldBe 1 } })
"""
JAVA = """
class A {
    @Test
    void adds() throws E {
        int[] all = {1, 2};
        assertThrows(E.class, () -> { go(); });
        new Thread() { void run() { go(); } };
    }
}
"""


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "test_a.py",
            PYTHON,
            [
                [
                    "@mark def test_it():",
                    ["with raises(E):", "go()"],
                    ["if a:", "b()", ["if c:", "d()", ["else:", "e()"]]],
                    ["try:", "f()", ["except E:", "g()"]],
                    ["for x in y:", "pass"],
                ]
            ],
        ),
        (
            "a_spec.rb",
            RUBY,
            [
                [
                    "describe 'cart' do",
                    [
                        "it 'adds' do",
                        "expect( cart ).to eq(1)",
                        ["expect do", "cart.pay"],
                    ],
                ],
                "x = 1",
            ],
        ),
        (
            "a.test.ts",
            SCRIPT,
            [
                "import { a } from 'b'",
                "const rows = [ { a: 1 }, ]",
                ["function add(a: number): number", "return a"],
                [
                    "describe('cart', () =>",
                    [
                        'it("adds", async () =>',
                        "expect(cart) .toEqual({ a: 1 })",
                        ["for (const x of [1, 2])", "check(x)"],
                    ],
                ],
            ],
        ),
        (
            "a_test.go",
            GO,
            [
                [
                    "func TestAll(t *testing.T)",
                    [
                        'for _, tt := range []struct { in string }{ {"a"}, }',
                        ["if got := f(tt.in); got != 3", 't.Errorf("%d", got)'],
                    ],
                ]
            ],
        ),
        (
            "tests/a.rs",
            RUST,
            [
                "const LIMIT: Limit = Limit { a: 1 }",
                [
                    "#[test] fn adds() -> Result<(), Error>",
                    ["for x in [1, 2]", "assert_eq!(f(x), Point { x: 1 })"],
                    ["std::panic::catch_unwind(||", "f(3)"],
                    "Ok(())",
                ],
            ],
        ),
        (
            "ATest.kt",
            KOTLIN,
            [
                ["@Test fun adds() = runTest", ["assertFails", "add(1)"], '"x" shouldBe 1'],
                ["class A : StringSpec(", ['"adds"', "1 shouldBe 1"]],
            ],
        ),
        (
            "ATest.java",
            JAVA,
            [
                [
                    "class A",
                    [
                        "@Test void adds() throws E",
                        "int[] all = {1, 2}",
                        ["assertThrows(E.class, () ->", "go()"],
                        ["new Thread()", ["void run()", "go()"]],
                    ],
                ]
            ],
        ),
        ("a.test.js", "a()\n}\n)\nb(", ["a()", "} )", "b("]),
    ],
    ids=["python", "ruby", "script", "go", "rust", "kotlin", "java", "broken"],
)
def test_the_statements_of_a_file(path: str, text: str, expected: list[object]) -> None:
    found = read_statements(path, text)

    assert found is not None
    assert outline(found) == expected


def test_a_python_file_that_cannot_be_parsed_has_no_statements() -> None:
    assert read_statements("test_a.py", "def (:") is None
    assert read_statements("a.test.js", "a()\n" * 200_000) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("f( 'a',b )", 'f("a", b);'),
        ("[1,\n 2,]", "[1, 2]"),
        ("`a`", '"a"'),
        (r"""'\'a\' ""'""", r'''"'a' \"\""'''),
    ],
)
def test_layout_and_quotes_do_not_count(one: str, other: str) -> None:
    assert list(tokens_of(one)) == list(tokens_of(other))
