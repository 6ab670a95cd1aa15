"""A pattern is compiled at its first use, which must be no surprise: every one that a module has can be compiled."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from loopwright import lazy_re

# Compiles every pattern while its module is imported, and prints how many there are.
IMPORT_ALL = """
import pkgutil, re
from importlib import import_module
from loopwright import lazy_re
patterns = []
def compile(text, flags=0):
    patterns.append(re.compile(text, flags))
    return patterns[-1]
lazy_re.compile = compile
for room in ("core", "checks", "ratchet", "verify", "agents", "importers", "formats", "repo"):
    package = import_module(f"loopwright.{room}")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
print(len(patterns))
"""


def test_every_pattern_of_every_module_can_be_compiled() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 400


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
