"""What the product change explains, which tests are not read at all, and what another input means."""

from __future__ import annotations

import pytest

from loopwright.core.findings import HIGH, LOW, MEDIUM
from loopwright.ratchet import findings
from loopwright.ratchet.readers import python
from loopwright.repo.baseline import Change

CART = "def total(items):\n    return sum(items)\n\n\ndef discount(items):\n    return 10\n"
TEST = "from cart import discount, total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
DISCOUNT = "\n\ndef test_discount():\n    assert discount([1]) == 10\n"


def weighed(*changes: Change) -> list[tuple[str, str, str]]:
    found = findings(changes, ())
    return [(one.severity, one.rule, one.after) for one in found if one.severity != LOW]


def test_a_deleted_test_of_removed_code_is_medium_and_names_the_code() -> None:
    without = CART.partition("\n\n\ndef discount")[0] + "\n"

    assert weighed(
        Change("cart.py", CART, without), Change("tests/test_cart.py", TEST + DISCOUNT, TEST)
    ) == [(MEDIUM, "test-deleted", "discount was removed")]


def test_a_deleted_test_of_deprecated_code_is_medium_and_names_the_code() -> None:
    warns = CART.replace("    return 10", '    warn("deprecated")\n    return 10')

    assert weighed(
        Change("cart.py", CART, warns), Change("tests/test_cart.py", TEST + DISCOUNT, TEST)
    ) == [(MEDIUM, "test-deleted", "discount was deprecated")]


@pytest.mark.parametrize(
    ("product", "before", "after", "answer"),
    [
        (
            "src/Dates.kt",
            "fun Moment.until(other: Moment): Long = 1\nfun Day.until(other: Day): Long = 2\n",
            "fun Day.until(other: Day): Long = 2\n",
            "until was removed",
        ),
        (
            "src/Dates.kt",
            "fun until(other: Day): Long = 2\n",
            '@Deprecated(\n    "Use the days",\n)\npublic fun until(other: Day): Long = 2\n',
            "until was deprecated",
        ),
        ("src/Dates.kt", "fun until(): Long = 2\n", "fun until(): Long = 3\n", ""),
    ],
)
def test_a_lost_or_deprecated_definition_of_another_language_explains_it_too(
    product: str, before: str, after: str, answer: str
) -> None:
    head = "import kotlin.test.*\n\nclass DateTest {\n"
    test = "    @Test\n    fun waits() {\n        assertEquals(2, first.until(last))\n    }\n"
    other = "    @Test\n    fun starts() {\n        assertEquals(2001, first.year)\n    }\n"
    changes = (
        Change(product, before, after),
        Change("src/test/DateTest.kt", head + other + test + "}\n", head + other + "}\n"),
    )

    severity = MEDIUM if answer else HIGH
    assert weighed(*changes) == [(severity, "test-deleted", answer)]


def test_a_deleted_test_of_code_that_is_still_there_is_high() -> None:
    changed = CART.replace("return 10", "return 11")

    assert weighed(
        Change("cart.py", CART, changed), Change("tests/test_cart.py", TEST + DISCOUNT, TEST)
    ) == [(HIGH, "test-deleted", "")]


def test_another_input_with_the_same_answer_is_a_doubt() -> None:
    other = TEST.replace("[1, 2]", "[3]")

    assert weighed(Change("tests/test_cart.py", TEST, other)) == [
        (MEDIUM, "expected-value-changed", "total([3]) == 3")
    ]


def test_an_expected_text_that_changes_with_the_product_is_no_doubt() -> None:
    product = 'def greet():\n    return "welcome stranger"\n'
    test = 'def test_greet():\n    assert greet() == "welcome stranger"\n'

    def renamed(text: str) -> str:
        return text.replace("stranger", "visitor")

    assert (
        weighed(
            Change("hello.py", product, renamed(product)),
            Change("tests/test_hello.py", test, renamed(test)),
        )
        == []
    )
    assert weighed(Change("tests/test_hello.py", test, renamed(test))) != []


def method(body: str, parameters: str = "") -> str:
    return f"class Lock:\n    def acquire(\n        self,\n{parameters}    ):\n        {body}\n"


@pytest.mark.parametrize(
    ("before", "after", "deleted", "reason"),
    [
        (
            "import ssl\n\n\nclass Context(ssl.Context):\n    pass\n",
            "import ssl\n\n\ndef make():\n    return ssl.Context()\n",
            "assert repr(Context()) == '<Context>'",
            "Context was removed",
        ),
        (
            method("return proxies", "        proxies: list | None = None,\n"),
            method("return [proxies for proxies in ()]"),
            "assert Lock().acquire(proxies=[1]) == [1]",
            "proxies was removed",
        ),
        (
            "def shortcut(app):\n    warn('app is deprecated', DeprecationWarning)\n    return app\n",
            "def shortcut(app):\n    return app\n",
            "with pytest.warns(DeprecationWarning):\n        shortcut(1)",
            "DeprecationWarning was removed",
        ),
        (
            method("self._level = 1"),
            method("self._level = self._count()"),
            "assert Lock()._level == 0",
            "the code around the private _level was changed",
        ),
    ],
    ids=["a class", "a parameter", "what was deprecated", "a private name"],
)
def test_a_deleted_test_names_the_code_that_explains_it(
    before: str, after: str, deleted: str, reason: str
) -> None:
    tests = f"{TEST}\n\ndef test_gone():\n    {deleted}\n"

    assert weighed(Change("lock.py", before, after), Change("tests/test_lock.py", tests, TEST)) == [
        (MEDIUM, "test-deleted", reason)
    ]


def test_a_long_expected_value_that_changes_with_the_product_is_no_doubt() -> None:
    product = f"def headers():\n    return {{'agent': '{'x' * 200}', 'accept': 'gzip, deflate'}}\n"
    test = f"def test_it():\n    assert headers() == {{'agent': '{'x' * 200}', 'accept': 'gzip'}}\n"

    def extended(text: str) -> str:
        return text.replace("gzip", "gzip, zstd")

    assert not weighed(
        Change("web.py", product, extended(product)),
        Change("tests/test_web.py", test, extended(test)),
    )


ROUTE = """def test_route_options_attribute(client):
    assert client.open('/', method='OPTIONS').status == 405
    assert sorted(client.open('/more').allow) == ['OPTIONS']
"""
ROUTES = """def test_route_options_attribute_off(app):
    app.config['OPTIONS'] = False
    assert app.options().code == 405


def test_route_options_attribute_on(app):
    app.config['OPTIONS'] = True
    assert app.options().allowed == {'GET', 'OPTIONS'}
"""
OTHER_WAY = """def test_redirect():
    headers = Client().redirect(Request('http://a'), URL('https://b'))
    assert 'Authorization' not in headers
"""


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (ROUTE, ROUTES, (MEDIUM, "test-deleted")),
        (ROUTE, ROUTES.replace("route_options_attribute", "other"), (HIGH, "test-deleted")),
        (
            "def test_redirect():\n    assert not is_redirect(URL('http://a'), URL('https://b'))\n",
            OTHER_WAY,
            (MEDIUM, "assertion-removed"),
        ),
        (
            "def test_tries():\n    tries = run()\n    assert not tries\n",
            "def test_tries():\n    tries = run()\n    assert len(tries) == 1\n",
            (MEDIUM, "expected-value-changed"),
        ),
    ],
    ids=["a name with more words", "another name", "another function", "another number"],
)
def test_a_rewritten_test_asks_a_person(before: str, after: str, expected: tuple[str, str]) -> None:
    found = weighed(Change("tests/test_web.py", before, after))

    assert {one[:2] for one in found} == {expected}


CODE = "\nimport os\nimport sys\n\npid = os.getpid()\nassert pid > 0\nsys.exit(0)\n"


def runs(code: str) -> str:
    run = f"subprocess.run([sys.executable, '-c', {code!r}])"
    return f"def test_it():\n    assert {run}.returncode == 0\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (runs(CODE), runs(CODE.replace("pid = ", "os.umask(0o22)\npid = "))),
        (
            "def test_it(client):\n    assert client.post('/set', data={'a': 1}).data == b'done'\n",
            "def test_it(client):\n    assert client.post(data={'a': 1}).text == 'done'\n",
        ),
        (
            "from lock._write import Lock\n\n\ndef test_it():\n    assert Lock().level == 3\n",
            "from lock import Lock\n\n\ndef test_it():\n    assert Lock().level == 3\n",
        ),
    ],
    ids=["a program with another set-up", "text for bytes", "the package for its module"],
)
def test_the_same_demand_in_other_words_is_no_doubt(before: str, after: str) -> None:
    package = Change(
        "lock/_write.py", "class Lock:\n    level = 3\n", "class Lock:\n    level: int = 3\n"
    )

    assert weighed(Change("tests/test_it.py", before, after), package) == []


def test_a_program_as_input_that_asserts_less_is_a_doubt() -> None:
    without = runs(CODE.replace("assert pid > 0\n", ""))

    assert [one[0] for one in weighed(Change("tests/test_it.py", runs(CODE), without))] == [MEDIUM]


OTHER_HOOKS = (
    "repos:\n- repo: x\n  hooks:\n  - id: pyupgrade\n    args: [--py38-plus]\n  - id: isort\n"
)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("pyproject.toml", 'license = "MIT"\n', 'license = {file = "LICENSE.txt"}\n'),
        (".pre-commit-config.yaml", OTHER_HOOKS, "repos:\n- repo: y\n  hooks:\n  - id: ruff\n"),
    ],
    ids=["a licence in a file", "ruff for other linters"],
)
def test_what_describes_the_project_is_no_setting_of_the_runner(
    path: str, before: str, after: str
) -> None:
    assert weighed(Change(path, before, after)) == []


HELPER = "def check(value):\n    assert value == 3\n\n\n"
USES = "def test_a():\n    check(total([1, 2]))\n\n\ndef test_b():\n    assert total([4]) == 4\n"


@pytest.mark.parametrize(
    ("after", "unchanged"),
    [
        (HELPER + USES + "\n\ndef test_c():\n    pass\n", {"test_a", "test_b"}),
        (HELPER.replace("== 3", "> 0") + USES, {"test_b"}),
        ("import os\n" + HELPER + USES, {"test_a", "test_b"}),
        ("pytestmark = skip\n" + HELPER + USES, set()),
        (HELPER + USES + "\ndel test_a\n", set()),
    ],
    ids=["one is new", "a helper", "an import that no test names", "a mark", "one is deleted"],
)
def test_tests_that_cannot_have_changed_are_not_read(after: str, unchanged: set[str]) -> None:
    assert python.unchanged_tests(HELPER + USES, after) == unchanged
