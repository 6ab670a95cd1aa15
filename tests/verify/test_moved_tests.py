"""A test that moved is the same test, whatever names its place in it."""

from __future__ import annotations

import pytest

from loopwright.cleanroom.moved_tests import moved_tests

GO = "package main\n\nfunc TestTrim(t *testing.T) {\n\tif Trim(' a') != 'a' {\n\t\tt.Fail()\n\t}\n}\n"
MOVED = GO.replace("package main", "package strutil")
JS = "import { money } from '../money.js';\ntest('cents', () => equal(money(5), '0.05'));\n"


@pytest.mark.parametrize(
    ("path", "text", "is_moved"),
    [
        ("internal/strutil/util_test.go", MOVED, True),
        ("internal/strutil/util_test.go", MOVED.replace("!= 'a'", "!= ''"), False),
        ("internal/testdata/util_test.go", MOVED, False),  # nothing runs it there
        ("util_test.go.txt", MOVED, False),
    ],
)
def test_a_test_in_another_package(path: str, text: str, is_moved: bool) -> None:
    moved = moved_tests([("util_test.go", GO, ""), (path, "", text)], lambda module: False)

    assert moved == ({"util_test.go", path} if is_moved else set())


@pytest.mark.parametrize(
    ("path", "module", "text", "is_moved"),
    [
        ("core/test/money.test.js", "../money.js", JS, True),
        ("core/test/money.test.js", "../lib/easy.js", JS, True),  # the text of the test is the same
        ("core/test/money.test.js", "../money.js", JS.replace("(5)", "(500)"), False),
        ("cli/spec/money.test.js", "../money.js", JS, True),  # it moved, and its module did not
        ("cli/spec/money.test.js", "../fake.js", JS, True),
        ("core/test/cents.test.js", "../other.js", JS.replace("money", "cents"), False),
    ],
)
def test_a_test_of_a_script_and_its_module(path, module, text, is_moved) -> None:
    rows = [("cli/test/money.test.js", JS, ""), (path, "", text.replace("../money.js", module))]

    assert moved_tests(rows, lambda name: True) == (
        {"cli/test/money.test.js", path} if is_moved else set()
    )


def test_a_test_that_now_asks_another_module_has_not_moved() -> None:
    rows = [
        ("cli/test/money.test.js", JS, ""),
        ("core/test/money.test.js", "", JS.replace("../money.js", "../easy.js")),
    ]

    assert not moved_tests(rows, lambda name: name != "cli/money.js")
