"""Honest changes of Python tests and settings, each beside a neighbour that asks for less."""

import sys

import pytest

from loopwright.core.findings import HIGH, LOW, MEDIUM
from loopwright.ratchet import findings
from loopwright.repo.baseline import Change


def severities(path: str, before: str, after: str) -> set[str]:
    return {one.severity for one in findings([Change(path, before, after)], ())} - {LOW}


def suite_of(*asserts: str) -> str:
    return "".join(f"def test_{number}():\n    {line}\n\n\n" for number, line in enumerate(asserts))


KEPT = "assert window([1, 2], 1) == [(1,), (2,)]"
LOST = "assert window([1, 2], 0) == [()]"


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ("with pytest.raises(ValueError):\n        window([1, 2], 0)", MEDIUM),
        ("assert window([1, 2, 3], 2) == [(1, 2), (2, 3)]", MEDIUM),
        ("assert other([1, 2]) == [()]", HIGH),
        ("assert window([1, 2], 2)", HIGH),
        ("", HIGH),
    ],
    ids=["raises now", "another demand", "another function", "a loose demand", "nothing"],
)
def test_a_lost_demand_beside_a_new_one_of_the_same_function(new: str, expected: str) -> None:
    after = suite_of(KEPT) + (f"def test_invalid():\n    {new}\n" if new else "")

    assert severities("tests/test_it.py", suite_of(KEPT, LOST), after) == {expected}


def test_one_new_demand_does_not_explain_two_lost_ones() -> None:
    before = suite_of(KEPT, LOST, "assert window([], 1) == []")
    after = suite_of(KEPT) + "def test_new():\n    assert window([5, 6], 2) == [(5, 6)]\n"

    assert HIGH in severities("tests/test_it.py", before, after)


def marked(mark: str) -> str:
    return f"import pytest\n\n\n{mark}def test_it():\n    assert total([1]) == 1\n"


OTHER_SYSTEM = "darwin" if sys.platform != "darwin" else "win32"


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (f"sys.platform == '{OTHER_SYSTEM}'", set()),
        (f"sys.platform in ('{OTHER_SYSTEM}', 'cygwin')", set()),
        ("sys.platform.startswith('aix')", set()),
        (f"'sys.platform == \"{OTHER_SYSTEM}\"'", set()),
        ("sys.platform == 'aix' and not has_server()", set()),
        (f"sys.platform == '{sys.platform}'", {MEDIUM}),
        ("sys.platform != 'aix'", {MEDIUM}),
        ("not sys.platform.startswith('aix')", {MEDIUM}),
        ("sys.platform == 'aix' or not has_server()", {MEDIUM}),
        ("'xdist.version >= (2, 5)'", {MEDIUM}),
        ("sys.version_info > (3,)", {HIGH}),
        ("'True'", {HIGH}),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="a skip that names Windows is not asked about")
def test_a_skip_on_other_systems_only(condition: str, expected: set[str]) -> None:
    mark = f"@pytest.mark.skipif({condition}, reason='later')\n"

    assert severities("tests/test_it.py", marked(""), marked(mark)) == expected


RUFF = '[tool.ruff.lint]\nselect = ["ALL"]\nignore = [{}]\n'
COVERAGE = "[tool.coverage.report]\nfail_under = 90\nomit = [{}]\n"


@pytest.mark.parametrize(
    ("text", "before", "after", "expected"),
    [
        (RUFF, '"ANN"', '"ANN003", "ANN401"', set()),
        (RUFF, '"ANN"', '"ANN", "FBT001"', {MEDIUM}),
        (RUFF, '"ANN"', '"ANN", "F401"', {HIGH}),
        (RUFF, '"ANN"', '"ANN", "S301"', {HIGH}),
        (COVERAGE, "", '"benchmark.py", "url_benchmark.py"', set()),
        (COVERAGE, "", '"benchmark.py", "src/cart.py"', {HIGH}),
    ],
)
def test_a_setting_of_a_linter_or_of_coverage(
    text: str, before: str, after: str, expected: set[str]
) -> None:
    assert severities("pyproject.toml", text.format(before), text.format(after)) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("strict_optional = true\n", "", set()),
        ("strict_optional = true\n", "strict_optional = false\n", {HIGH}),
        ("warn_unused_ignores = true\n", "", {MEDIUM}),
        ("disallow_untyped_defs = true\n", "", {HIGH}),
        ("", "ignore_missing_imports = true\n", {MEDIUM}),
        ("", "ignore_errors = true\n", {HIGH}),
    ],
)
def test_an_option_of_mypy(before: str, after: str, expected: set[str]) -> None:
    head = "[mypy]\npretty = true\n"

    assert severities("mypy.ini", head + before, head + after) == expected


TOX_INI = "[testenv]\ncommands =\n    pytest tests\n    mypy src\n"


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        ('[["pytest", { replace = "posargs", default = ["tests"] }], ["mypy", "src"]]', set()),
        ('[["pytest", "tests"]]', {HIGH}),
        ('[["-", "pytest", "tests"], ["mypy", "src"]]', {HIGH}),
    ],
    ids=["the same", "without mypy", "a failure is ignored"],
)
def test_tox_commands_may_move_to_toml(commands: str, expected: set[str]) -> None:
    changes = [
        Change("tox.ini", TOX_INI, None),
        Change("tox.toml", None, f"[env_run_base]\ncommands = {commands}\n"),
    ]

    assert {one.severity for one in findings(changes, ())} - {LOW} == expected


@pytest.mark.parametrize(
    ("lost", "expected"), [("tox -e release", set()), ("tox -e py,release", {HIGH})]
)
def test_a_step_of_the_release_is_no_check(lost: str, expected: set[str]) -> None:
    head = "jobs:\n  all:\n    steps:\n      - run: echo begin\n"

    assert severities(".github/workflows/it.yml", f"{head}      - run: {lost}\n", head) == expected


@pytest.mark.parametrize(("new", "expected"), [("ruff $(SOURCES)", set()), ("ruff clean", {HIGH})])
def test_flake8_may_be_replaced_by_ruff(new: str, expected: set[str]) -> None:
    before, after = "lint:\n\tflake8 $(SOURCES)\n", f"lint:\n\t{new}\n"

    assert severities("Makefile", before, after) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{'a': int} == columns(db)", "columns(db) == {'a': int}"),
        ("3 * 60 == seconds(one)", "seconds(one) == 3 * 60"),
        ("{'a': int} == db['x'].columns()", "{'a': int} == db.table('x').columns()"),
        ("name(one) == u'août'", "name(one) == 'août'"),
        ("[part for part in rows(one)] == [1, 2]", "list(rows(one)) == [1, 2]"),
        ("list(rows(one))[0] == 5", "next(iter(rows(one))) == 5"),
        ("sorted(list(rows(one))) == [1, 2]", "sorted(rows(one)) == [1, 2]"),
    ],
)
def test_another_spelling_of_an_assertion(before: str, after: str) -> None:
    number = after.replace("int}", "str}").replace("60", "61").replace("août", "mai")
    other_value = number.replace("[1, 2]", "[1]").replace("== 5", "== 6")
    old, new, other = (suite_of(f"assert {text}") for text in (before, after, other_value))

    assert severities("tests/test_it.py", old, new) == set()
    assert severities("tests/test_it.py", old, other) == {MEDIUM}


@pytest.mark.parametrize(
    ("product", "expected"),
    [('VERSION = "2.4"\n', set()), ('VERSION = "2.5"\n', {MEDIUM}), ("", {MEDIUM})],
    ids=["the product says so", "the product says something else", "no product"],
)
def test_a_text_that_the_product_changed_too(product: str, expected: set[str]) -> None:
    old, new = (suite_of(f"assert scope()['spec'] == '{text}'") for text in ("2.3", "2.4"))
    changes = [
        Change("tests/test_it.py", old, new),
        Change("src/scope.py", 'VERSION = "2.3"\n', product),
    ]

    assert {one.severity for one in findings(changes, ())} - {LOW} == expected


@pytest.mark.parametrize(
    ("package", "expected"), [("pytest-timeout", set()), ("pytest-rerunfailures", {MEDIUM})]
)
def test_a_known_plugin_of_pytest(package: str, expected: set[str]) -> None:
    before, after = "requests\n", f"requests\n{package}\n"

    assert severities("requirements-dev.txt", before, after) == expected


@pytest.mark.parametrize(
    ("target", "argument", "expected"),
    [("app.io.read", "1", set()), ("app.read", "2", {MEDIUM})],
)
def test_a_mock_may_be_put_elsewhere(target: str, argument: str, expected: set[str]) -> None:
    body = "assert mocker.patch('{}').answer({}).count == 3"
    before = suite_of(body.format("app.read", "1")).replace("_0()", "_0(mocker)")
    after = suite_of(body.format(target, argument)).replace("_0()", "_0(mocker)")

    assert severities("tests/test_it.py", before, after) == expected


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("assert isinstance(load(), Basket)", set()),
        ("assert isinstance(load(), (Basket, list))", {HIGH}),
    ],
)
def test_an_assertion_of_unittest_about_a_type(after: str, expected: set[str]) -> None:
    before = suite_of("self.assertIsInstance(load(), Basket)")

    assert severities("tests/test_it.py", before, suite_of(after)) == expected


@pytest.mark.parametrize(("option", "expected"), [("--strict", set()), ("--pretty", {MEDIUM})])
def test_strict_takes_the_place_of_an_option(option: str, expected: set[str]) -> None:
    before = "[testenv]\ncommands = mypy src --warn-unused-ignores\n"
    after = before.replace("--warn-unused-ignores", option)

    assert severities("tox.ini", before, after) == expected


@pytest.mark.parametrize(("deleted", "expected"), [("old.py", set()), ("other.py", {HIGH})])
def test_a_command_may_leave_out_a_deleted_file(deleted: str, expected: set[str]) -> None:
    before = "[testenv]\ncommands = pylint src old.py\n"
    changes = [
        Change("tox.ini", before, before.replace(" old.py", "")),
        Change(deleted, "VALUE = 1\n", None),
    ]

    assert {one.severity for one in findings(changes, ())} - {LOW} == expected


@pytest.mark.parametrize(
    ("after", "expected"),
    [('"text", ["a", "b"]', set()), ('"text", ["a"]', {HIGH}), ('"text", ["a", "c"]', {MEDIUM})],
)
def test_a_table_with_one_name_in_brackets(after: str, expected: set[str]) -> None:
    test = "@pytest.mark.parametrize({})\ndef test_it(text):\n    assert quote(text) == text\n"
    before = test.format('("text",), [("a",), ("b",)]')

    assert severities("tests/test_it.py", before, test.format(after)) == expected
