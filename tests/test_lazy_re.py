"""A pattern is compiled at its first use, which must be no surprise: every one that a module has can be compiled."""

from __future__ import annotations

import gc
import pkgutil
import re
from importlib import import_module

import pytest

import loopwright
from loopwright import lazy_re

ROOMS = ("ratchet", "verify", "agents", "importers", "formats", "repo")


def test_every_pattern_of_every_module_can_be_compiled() -> None:
    for room in ROOMS:
        package = import_module(f"{loopwright.__name__}.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    patterns = [value for value in gc.get_objects() if type(value) is lazy_re.LazyPattern]

    assert len(patterns) > 400
    assert all(pattern.pattern is not None for pattern in patterns)


def test_it_does_what_the_compiled_pattern_does() -> None:
    pattern = lazy_re.compile(r"(?P<word>\w+)=(\d)", re.I)

    assert pattern.fullmatch("x=1")["word"] == "x"
    assert pattern.sub("-", "a=1 b=2") == "- -"
    assert pattern.groups == 2
    assert lazy_re.compile(rb"\d").findall(b"12") == [b"1", b"2"]


def test_a_pattern_that_is_wrong_is_told_at_its_first_use() -> None:
    wrong = lazy_re.compile("(")

    with pytest.raises(re.error):
        wrong.search("")
