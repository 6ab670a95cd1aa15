"""Errors by table: what a failure is, and when two failures are the same one."""

import pytest

from loopwright.core.pausing.errors import (
    BLOCKING,
    LOGIC,
    TRANSIENT,
    UNKNOWN,
    classify_error,
    signature,
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("connect ETIMEDOUT 10.0.0.1:443", TRANSIENT),
        ("Request timed out", TRANSIENT),
        ("429 Too Many Requests", TRANSIENT),
        ("API Error: Overloaded", TRANSIENT),
        ("getaddrinfo ENOTFOUND example.com", TRANSIENT),
        ("bash: permission denied", BLOCKING),
        ("zsh: command not found: poetry", BLOCKING),
        ("ModuleNotFoundError: No module named 'requests'", BLOCKING),
        ("OSError: [Errno 28] No space left on device", BLOCKING),
        ("Your credit balance is too low", BLOCKING),
        ("prompt is too long: 210000 tokens", BLOCKING),
        ("permission denied after timeout", BLOCKING),
        ("AssertionError: 1 != 2", LOGIC),
        ("", LOGIC),
    ],
)
def test_classify(text, kind):
    assert classify_error(text) == kind


def test_an_api_error_that_no_row_knows_is_unknown():
    assert classify_error("418 I'm a teapot", from_api=True) == UNKNOWN
    assert classify_error("overloaded_error", from_api=True) == TRANSIENT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("expected 3 got 4", "expected 17 got 18", id="numbers"),
        pytest.param("no file /tmp/a/b.txt", "no file /home/x.txt", id="paths"),
        pytest.param(r"no file C:\a\b", r"no file D:\q", id="Windows paths"),
        pytest.param("object at 0x7f00aa", "object at 0x10bbcc", id="addresses"),
        pytest.param(
            "at 2024-01-01T10:00:00Z failed", "at 2025-12-31T23:59:59Z failed", id="timestamps"
        ),
        pytest.param("src/a.py:10: boom", "src/a.py:99: boom", id="lines"),
        pytest.param("commit 1f2e3d4 is bad", "commit 9a8b7c6 is bad", id="hashes"),
        pytest.param("Boom  in\n the   parser", "boom in the parser", id="spaces and capitals"),
    ],
)
def test_the_same_error_looks_the_same(one, other):
    assert signature("pytest", one) == signature("pytest", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(("pytest", "boom"), ("pytest", "bang"), id="other words"),
        pytest.param(("pytest", "boom"), ("make", "boom"), id="another command"),
    ],
)
def test_different_errors_look_different(one, other):
    assert signature(*one) != signature(*other)


def test_a_signature_is_short_whatever_the_error():
    assert len(signature("k" * 9_999, "w " * 9_999)) <= 700
