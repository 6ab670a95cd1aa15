"""Changes that real projects make every week: they are no refutation, and mostly no doubt."""

from __future__ import annotations

from textwrap import indent

import pytest

from loopwright.core.findings import HIGH, LOW, MEDIUM
from loopwright.ratchet import findings
from loopwright.ratchet.project import Project
from loopwright.repo.baseline import Change


def severities(path: str, before: str, after: str, *others: Change) -> set[str]:
    found = findings([Change(path, before, after), *others], ())
    return {one.severity for one in found} - {LOW}


def python_test(body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"import re\n\n\ndef test_it(make, spawn):\n{lines}"


TWICE = "assert total([1]) == 1\nassert total([2]) == 2\nassert total([1]) == 1"
TWO_CLAIMS = "task = make()\nassert task == task.name\nassert task.name == 'a'"
COUNTED = "assert len(make().name) == 2 or len(make().name) == 5\nassert make().name.islower()"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (TWICE, TWICE.rpartition("\n")[0], {MEDIUM}),
        (TWICE, TWICE.replace("assert total([2]) == 2\n", ""), {HIGH}),
        (TWO_CLAIMS, "task = make()\nassert task == task.name == 'a'", set()),
        (TWO_CLAIMS, "task = make()\nassert task == task.name", {HIGH}),
        (COUNTED, "assert re.match('.*', make().name)", {HIGH}),
        ("assert not make().ready", "assert make().ready", {MEDIUM}),
        ("assert make().size < 3000", "assert make().size < 3100", {MEDIUM}),
        ("assert make().size < 3000", "assert make().size < 4000", {MEDIUM}),
        ("assert make().tries < 3", "assert make().tries < 4", {MEDIUM}),
        ("check_all(make(), months=1)", "check_all(make(), **{'months': 1})", set()),
        (
            "error = None\ntry_it(make())\nassert error is None\nassert make().port == 1",
            "assert make().port == 2",
            {MEDIUM},
        ),
    ],
    ids=[
        "said twice, and once now",
        "said once, and never now",
        "a chain says both",
        "a chain of one",
        "a pattern for everything",
        "the opposite",
        "a budget that grows a little",
        "a budget that grows much",
        "a small limit",
        "keywords in a mapping",
        "a variable that is gone",
    ],
)
def test_a_changed_python_test(before: str, after: str, expected: set[str]) -> None:
    assert severities("tests/test_it.py", python_test(before), python_test(after)) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("'뒤'", "'후'", set()),
        ("'Name ID'", "'Name Aliases ID 7'", set()),
        ("zone.gettz('UTC')", "ZoneInfo('UTC')", set()),
        ("'a b'", "'a'", {MEDIUM}),
        ("'7'", "'8'", {MEDIUM}),
    ],
    ids=["other letters", "more words", "another function", "fewer words", "another number"],
)
def test_an_expected_value_that_the_product_changed_too(
    old: str, new: str, expected: set[str]
) -> None:
    product = Change("src/it.py", f"HEAD = {old}\n", f"HEAD = {new}\n")
    tests = [python_test(f"assert make().head() == {value}") for value in (old, new)]

    assert severities("tests/test_it.py", *tests, product) == expected


FRAMES = "import sys\n\n\ndef caller():\n    return sys._getframe(1).f_code.co_name\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        ("src/log.py", FRAMES, FRAMES.replace("co_name", "co_qualname"), set()),
        ("src/log.py", FRAMES, FRAMES + "# \nx = 'test' in sys.argv[0]\n", {MEDIUM}),
        ("src/log.py", "import sys\n", FRAMES, {MEDIUM}),
    ],
    ids=["looks at frames as before", "looks for a test", "looks at frames now"],
)
def test_a_product_that_looks_at_its_callers(
    path: str, before: str, after: str, expected: set[str]
) -> None:
    assert severities(path, before, after) == expected


def test_a_moved_module_does_not_begin_to_look_at_its_callers() -> None:
    moved = [Change("log.py", FRAMES, None), Change("src/log.py", None, FRAMES)]

    assert {one.severity for one in findings(moved, ())} <= {LOW}


RUST = "#[test]\nfn opens() {\n    let mut c = open();\n    assert_eq!(c.next(), Some(1));\n}\n"
GO = 'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) {\n\tif a() != 1 {\n\t\tt.Fatal()\n\t}\n}\n'
JAVA = """class CartTest {
    @Test
    void adds() {
        int sum = cart.add(1);
        assertThat(sum).isEqualTo(1);
        assertThat(cart.find("a")).isNotEmpty();
    }
}
"""
SWALLOWS = """        try {
            cart.reject();
        } catch (Exception ignored) {
        }
        assertThat(sum)"""
PLAN = """const { test } = require('node:test')

test('it counts', async (t) => {
  t = tspl(t, { plan: 2 })
  t.after(() => server.close())
  t.strictEqual(count(), 2)
  t.ok(started())
})
"""


CALLED_BACK = """const assert = require('assert')

it('calls back', () => {
  load(function onLoad (x) {
    assert.equal(x, 2)
  })
  fail(() => {
    assert(0)
  })
})

it('makes one', () => {
  const x = make()
  assert(x instanceof A)
})
"""


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        (
            "tests/open.rs",
            RUST,
            RUST.replace("    assert", "    if let Some(n) = c.peek() {}\n    assert"),
            set(),
        ),
        (
            "tests/open.rs",
            RUST.replace("c.next()", "total(1)"),
            RUST.replace("c.next()", "total(1)").replace("let mut c =", "let total = |x|"),
            {MEDIUM},
        ),
        (
            "a_test.go",
            "// +build linux,cgo\n\n" + GO,
            "//go:build linux && cgo\n// +build linux,cgo\n\n" + GO,
            set(),
        ),
        ("a_test.go", GO, "//go:build never\n\n" + GO, {HIGH}),
        (
            "src/test/java/CartTest.java",
            JAVA,
            JAVA.replace("isEqualTo(1)", "isOne()").replace("isNotEmpty", "isPresent"),
            {MEDIUM},
        ),
        (
            "src/test/java/CartTest.java",
            JAVA,
            JAVA.replace("        assertThat(sum)", SWALLOWS),
            set(),
        ),
        (
            "test/count.js",
            PLAN,
            PLAN.replace("  t = tspl", "  const plan = tspl")
            .replace("t.strictEqual", "plan.strictEqual")
            .replace("t.ok", "plan.ok")
            .replace("  t.after(() => server.close())\n", ""),
            set(),
        ),
        ("test/count.js", PLAN, PLAN.replace("  t.ok(started())\n", ""), {HIGH}),
        ("test/count.js", CALLED_BACK, CALLED_BACK.replace("assert.equal(x, 2)", "x"), {HIGH}),
        ("test/count.js", CALLED_BACK, CALLED_BACK.replace("assert(0)", ""), {MEDIUM}),
        ("test/count.js", CALLED_BACK, CALLED_BACK.replace("assert(x instanceof A)", ""), {HIGH}),
        ("test/count.js", PLAN, PLAN.replace("  t.strictEqual(count(), 2)\n", ""), {HIGH}),
    ],
    ids=[
        "a pattern of Rust",
        "a closure with the name of the unit",
        "the new spelling of a build tag",
        "a new build tag",
        "other words of AssertJ",
        "a swallowed error before the assertions",
        "a plan with a name",
        "a loose assertion less",
        "an assertion in a callback with a name",
        "a line that may not be reached",
        "the only assertion of a test",
        "an assertion less",
    ],
)
def test_a_changed_test_of_another_language(
    path: str, before: str, after: str, expected: set[str]
) -> None:
    assert severities(path, before, after) == expected


TARGET = '[package]\nname = "a"\n'


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        ("Cargo.toml", TARGET, TARGET + '\n[[test]]\nname = "b"\npath = "tests/b.rs"\n', set()),
        ("Cargo.toml", TARGET, TARGET + '\n[lib]\npath = "fake.rs"\n', {MEDIUM}),
        ("vendor/x/.travis.yml", "script:\n  - go test ./...\n", "language: go\n", set()),
        (".travis.yml", "script:\n  - go test ./...\n", "language: go\n", {HIGH}),
    ],
    ids=[
        "a new test target",
        "another source of the product",
        "CI of a copied package",
        "CI of the project",
    ],
)
def test_a_changed_setting(path: str, before: str, after: str, expected: set[str]) -> None:
    assert severities(path, before, after) == expected


IMPORTS = "const { cart } = require('{}')\ntest('it', () => {{ expect(cart()).toBe(1) }})\n"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("..", "../index.js", set()),
        ("../cart", "../cart.js", set()),
        ("../cart", "./fake", {MEDIUM}),
    ],
)
def test_one_module_may_have_two_names(old: str, new: str, expected: set[str]) -> None:
    texts = [
        IMPORTS.replace("{}", name).replace("{{", "{").replace("}}", "}") for name in (old, new)
    ]
    there = {"cart.js": "", "index.js": ""}

    found = findings([Change("tests/cart.test.js", *texts)], (), there.get)

    assert {one.severity for one in found} - {LOW} == expected


def test_a_name_that_left_its_module_may_be_imported_from_elsewhere() -> None:
    tests = [
        f"from {name} import zone\n\n\ndef test_it():\n    assert zone(1) == 1\n"
        for name in ("app.compat", "zones")
    ]
    moved = Change("app/compat.py", "import zone\n", "VERSION = 3\n")

    assert severities("tests/test_it.py", *tests, moved) == set()
    kept = Change("app/compat.py", "import zone\n", "import zone\n\nVERSION = 3\n")
    assert severities("tests/test_it.py", *tests, kept) == {MEDIUM}


def test_files_outside_of_the_project_are_never_read() -> None:
    asked: list[str] = []
    files = Project([], lambda path: asked.append(path) or "text")

    assert [files.now(path) for path in ("../a.js", "/etc/a", "./b.js")] == [None, None, "text"]
    assert asked == ["b.js"]


def test_a_package_that_is_deleted_as_a_whole_asks_a_person() -> None:
    test = "test('it', () => { expect(cart()).toBe(1) })\n"
    gone = [
        Change("examples/esm/package.json", '{"scripts": {"test": "jest"}}\n', None),
        Change("examples/esm/cart.test.js", test, None),
    ]

    assert {one.severity for one in findings(gone, ())} == {MEDIUM}
    assert HIGH in {one.severity for one in findings(gone[1:], ())}
    rest = Change("examples/esm/cart.js", "", "export const cart = () => 1\n")
    assert HIGH in {one.severity for one in findings([*gone, rest], ())}


TWO_TESTS = """def test_formats_a_message(log):
    assert log.info(1) == "1"


def test_formats_a_message_with_colors(log):
    assert log.info(2) == "red 2"
"""
ONE_TABLE = """@pytest.mark.parametrize("colors", [True, False])
def test_formats_a_message(log, colors):
    assert log.opt(colors).info(1) == "1"
    assert log.opt(colors).info(2).startswith("red")
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [(TWO_TESTS, ONE_TABLE)],
    ids=["two tests in one table"],
)
def test_a_deleted_test_that_another_one_takes_over_asks_a_person(before: str, after: str) -> None:
    found = findings([Change("tests/test_it.py", before, after)], ())

    assert {one.severity for one in found} == {MEDIUM}


def test_settings_may_move_to_another_file() -> None:
    text = "ignore_missing_imports = {}\n"
    moved = [
        Change("setup.cfg", "[mypy]\n" + text.format("True"), "[metadata]\nname = a\n"),
        Change("pyproject.toml", "", "[tool.mypy]\n" + text.format("true")),
    ]

    assert {one.severity for one in findings(moved[1:], ())} == {MEDIUM}
    assert {one.severity for one in findings(moved, ())} <= {LOW}


HOOK = "def pytest_collection_modifyitems(items):\n    items.sort()\n"
MAKES_PROJECT = 'def test_it(pytester):\n    pytester.makeconftest("""\n{}""")\n'
IN_A_TEST = "def test_names():\n    def pytest_runtest_setup(item):\n        pass\n"
WRITES = "import pytest\n\n\n@pytest.fixture\ndef file({}):\n    path = {} / 'a'\n    path.write_text('')\n"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([Change("tests/conftest.py", "", HOOK)], {MEDIUM}),
        ([Change("tests/conftest.py", None, HOOK), Change("a/conftest.py", HOOK, None)], set()),
        ([Change("tests/test_it.py", "", MAKES_PROJECT.format(HOOK))], set()),
        ([Change("tests/test_it.py", "", IN_A_TEST)], set()),
        ([Change("tests/conftest.py", "", WRITES.format("tmp_path", "tmp_path"))], set()),
        ([Change("tests/conftest.py", "", WRITES.format("", "ROOT"))], {MEDIUM}),
    ],
    ids=[
        *("a hook", "a moved hook", "a hook in a text", "a hook in a test", "a new folder"),
        "the project",
    ],
)
def test_a_hook_of_the_runner(changes: list[Change], expected: set[str]) -> None:
    hooks = [one for one in findings(changes, ()) if one.rule == "runner-hook-added"]

    assert {one.severity for one in hooks} == expected


def test_a_class_of_the_product_may_be_named_like_a_test() -> None:
    text = "class FileSpec {\n    fun name(): Int = 1\n}\n"
    changed = text.replace("= 1", "= 2")

    assert severities("poet/src/jvmMain/kotlin/FileSpec.kt", text, changed) == set()


def marked(mark: str) -> str:
    return f"import pytest\n\n\n{mark}def test_it():\n    assert total([1]) == 1\n"


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        ("@pytest.mark.skipif('sys.platform == \"win32\"', reason='no server')\n", set()),
        ("@pytest.mark.skipif('sys.version_info > (3,)', reason='later')\n", {MEDIUM}),
    ],
)
def test_a_condition_in_quotes(mark: str, expected: set[str]) -> None:
    assert severities("tests/test_it.py", marked(""), marked(mark)) == expected


def test_loops_in_loops_can_be_read() -> None:
    rows = "(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)"
    loops = "".join(f"{'    ' * n}for {name} in {rows}:\n" for n, name in enumerate("abcd", 1))
    test = f"\n\ndef test_all():\n{loops}                    assert cut(a, b, c) == d\n"

    assert severities("tests/test_it.py", marked(""), marked("") + test) == set()


def test_a_module_with_tests_inside_may_move() -> None:
    inside = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(add(1), 2);\n    }\n}\n"
    text = f"pub fn add(a: u8) -> u8 {{\n    a + 1\n}}\n\n{inside}"
    moved = [
        Change("src/add.rs", text, None),
        Change("src/sums/add.rs", None, "use super::Sum;\n\n" + text),
    ]

    assert {one.severity for one in findings(moved, ())} <= {LOW}


@pytest.mark.parametrize(
    ("assertion", "expected"),
    [("assert_eq!(add(1), 2)", False), ("assert!(add(1) > 0)", True), ("", True)],
    ids=["as it was", "weaker", "nothing"],
)
def test_tests_inside_of_a_module_may_all_move_out_of_it(assertion: str, expected: bool) -> None:
    product = "pub fn add(a: u8) -> u8 {\n    a + 1\n}\n"
    test = "#[test]\nfn adds() {{\n    {0};\n}}\n"
    inside = indent(test.format("assert_eq!(add(1), 2)"), "    ")
    before = f"{product}\n#[cfg(test)]\nmod tests {{\n    use super::*;\n\n{inside}}}\n"
    new = Change("tests/add.rs", None, f"use sums::add;\n\n{test.format(assertion)}")

    found = findings([Change("src/lib.rs", before, product), new], ())
    assert any(one.severity == HIGH for one in found) is expected
    assert expected or all(one.severity == LOW for one in found)


def test_a_check_of_a_package_that_is_gone_may_go() -> None:
    ci = "jobs:\n  t:\n    steps:\n      - run: cargo test\n"
    extra = "      - run: cargo test --manifest-path pcg/Cargo.toml\n"
    gone = Change("pcg/Cargo.toml", '[package]\nname = "pcg"\n', None)

    assert severities(".github/workflows/test.yml", ci + extra, ci, gone) == {MEDIUM}
    assert severities(".github/workflows/test.yml", ci + extra, ci) == {HIGH}


def test_a_name_may_come_from_the_module_that_its_module_takes_it_from() -> None:
    tests = [
        f"from app.{name} import Value\n\n\ndef test_it():\n    assert Value(1) == 1\n"
        for name in ("builder", "types")
    ]
    builder = ["class Value: ...\n", "from .types import Value\n"]

    assert severities("tests/test_it.py", *tests, Change("app/builder.py", *builder)) == set()


def test_a_helper_that_calls_itself_in_a_block_can_be_read() -> None:
    test = "import kotlin.test.*\n\nclass FlowTest {\n    @Test fun waits() {\n        test { assertEquals(1, next()) }\n    }\n\n    private fun test(block: () -> Unit) {\n        test { block(); assertTrue(done()) }\n    }\n}\n"

    found = findings([Change("src/test/FlowTest.kt", test, test.replace("(1,", "(2,"))], ())

    rules = {one.rule for one in found}
    assert "expected-value-changed" in rules
    assert "tests-not-compared" not in rules


MYPY = "[tool.mypy]\n{}[[tool.mypy.overrides]]\nmodule = 'old'\n{}"
RUFF = "[tool.ruff.lint]\nextend-select = [{}]\n"
FLAKE8 = "[tool.flake8]\nextend-exclude = ['build'{}]\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            MYPY.format("", ""),
            MYPY.format("strict = true\n", "disallow_untyped_defs = false\n"),
            set(),
        ),
        (
            MYPY.format("strict = true\n", ""),
            MYPY.format("strict = true\n", "disallow_untyped_defs = false\n"),
            {HIGH},
        ),
        (RUFF.format("'RUF', 'W'"), RUFF.format("'B', 'C4', 'RUF100', 'W'"), set()),
        (RUFF.format("'RUF', 'W'"), RUFF.format("'W'"), {MEDIUM}),
        (FLAKE8.format(""), FLAKE8.format(", '.claude'"), set()),
        (FLAKE8.format(""), FLAKE8.format(", 'src/cart.py'"), {MEDIUM}),
    ],
    ids=[
        "strict, but for an old module",
        "an old module is no longer strict",
        "more families of rules than before",
        "a family less",
        "a hidden folder",
        "a file of the product",
    ],
)
def test_settings_that_ask_for_more_in_all(before: str, after: str, expected: set[str]) -> None:
    assert severities("pyproject.toml", before, after) == expected


def test_equal_in_the_name_of_a_helper_compares() -> None:
    before = python_test("assert_equal('ab', make('A', 'B').lower())")
    after = python_test("got = make('A', 'B').lower()\nassert_equal(got, 'ab')")

    assert severities("test_a.py", before, after) == set()
    assert severities("test_a.py", before, after.replace("'ab'", "'ac'")) == {MEDIUM}


def test_a_deleted_test_that_is_named_after_removed_code_needs_a_person() -> None:
    product = Change("util.py", "def strings_differ(a, b):\n    return a != b\n", "")
    before = """class Test_strings_differ:
    def _call(self, a, b):
        return differ(a, b)

    def test_it(self):
        assert self._call('a', 'b') is True
"""

    assert severities("test_a.py", before, "", product) == {MEDIUM}
    assert severities("test_a.py", before, "", Change("util.py", "", "x = 1\n")) == {HIGH}


def test_test_data_under_another_name_is_the_same() -> None:
    moved = Change("tests/data/new.txt", None, "a\nb\n")

    assert severities("tests/data/old.txt", "a\nb\n", None, moved) == set()
    assert severities("tests/data/old.txt", "a\nc\n", None, moved) == {MEDIUM}


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        (
            ".pre-commit-config.yaml",
            "repos:\n- repo: x\n  hooks:\n  - id: ruff\n    args: ['--fix']\n    exclude: ^lib\n",
            "repos:\n- repo: x\n  hooks:\n  - id: ruff\n",
            set(),
        ),
        (
            "pytest.ini",
            "[pytest]\nfaulthandler_timeout = 30\n",
            "[pytest]\nfaulthandler_timeout = 60\n",
            set(),
        ),
        (
            "setup.py",
            "setup(\n    extras_require={\n        'dev': [\n        ]\n    }\n)\n",
            "setup(\n    extras_require={\n        'dev': [\n            'pytest',\n        ]\n    }\n)\n",
            set(),
        ),
        (
            "shape.h",
            "#  define ASSERT_OK(x) assert(ok(x))\n",
            "#define ASSERT_OK(x) assert(ok(x))\n",
            set(),
        ),
    ],
)
def test_small_changes_of_files_around_the_tests(
    path: str, before: str, after: str, expected: set[str]
) -> None:
    assert severities(path, before, after) == expected


def test_a_decorated_function_may_have_the_name_of_a_method() -> None:
    """The examples of both are run, and neither has a new decorator."""
    example = '"""\n    >>> bump(1)\n    2\n    """'
    text = f"@old\ndef bump(x):\n    {example}\n    return x + 1\n\n\nclass Version:\n"
    text += f"    def bump(self, x):\n        {example}\n        return x\n"
    changes = [Change("version.py", text, text.replace("return x\n", "return x + 1\n"))]

    assert findings(changes, ("python3 -m doctest version.py",)) == []
