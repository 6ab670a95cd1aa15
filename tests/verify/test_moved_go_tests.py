"""A test of Go that was moved with its package is the same test, whatever its package is called."""

from __future__ import annotations

import pytest

from loopwright.cleanroom.surroundings import Surroundings

TEST = "package main\n\nfunc TestTrim(t *testing.T) {\n\tif Trim(' a') != 'a' {\n\t\tt.Fail()\n\t}\n}\n"
MOVED = TEST.replace("package main", "package strutil")


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
    changes = Surroundings(texts=(("util_test.go", TEST, ""), (path, "", text)))

    assert changes.moved_tests_of_go == ({"util_test.go", path} if is_moved else set())
