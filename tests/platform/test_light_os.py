"""The part of os that a Stop uses: the same answers, without the import of os."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import loopwright
from loopwright.disk import light_os

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows imports os itself")

SOURCES = Path(loopwright.__file__).parent.parent
# Prints one line for each expression, with the light os and then with the real one, and between
# them whether os was imported for it.
COMPARE = """
import sys
sys.path.insert(0, sys.argv[1])
from loopwright.disk.light_os import os
for line in sys.argv[2:]:
    print(ascii(eval(line)))
print("os" in sys.modules or "_collections_abc" in sys.modules)
import os
for line in sys.argv[2:]:
    print(ascii(eval(line)))
"""


def compare(*expressions: str, **variables: str) -> tuple[list[str], list[str], bool]:
    """What the light os and the real one answer, and whether the light one imported the real."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", COMPARE, str(SOURCES), *expressions],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **variables},
    )
    lines, count = done.stdout.splitlines(), len(expressions)
    return lines[:count], lines[count + 1 :], lines[count] == "True"


def test_it_answers_as_os_does_and_does_not_import_it(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    here = ascii(str(tmp_path))
    light, real, imported = compare(
        f"os.path.join({here}, 'link', 'x')",
        f"os.path.realpath({here} + '/link/link/..')",
        f"os.path.relpath({here} + '/a/b', {here})",
        f"os.path.isdir({here}), os.path.islink({here} + '/link'), os.path.lexists('/nowhere')",
        "os.path.normpath('/a//b/../c/'), os.path.basename('/a/b'), os.path.dirname('/a/b')",
        "os.path.expanduser('~')",
        "os.fsencode('/\\udcff\\xfc'), os.fsdecode(b'/\\xff\\xc3\\xbc')",
        "os.fsencode(b'as it is'), os.fsdecode('as it is')",
        "sorted(os.environ.items())",
        "os.sep, os.devnull, os.O_NOFOLLOW, os.getpid()",
        f"sorted(entry.name for entry in os.scandir({here}))",
        ODD="\udcff and \xfc",
    )

    assert light == real
    assert not imported


def test_a_name_that_it_lacks_is_that_of_os() -> None:
    light, real, imported = compare("os.makedirs.__module__", "os.linesep")

    assert light == real == ["'os'", ascii(os.linesep)]
    assert imported


def test_the_real_os_has_a_path_of_its_own() -> None:
    program = """
import sys
sys.path.insert(0, sys.argv[1])
from loopwright.disk.light_os import os as light
import os, posixpath, genericpath
print(os.path is posixpath, light.path is posixpath, posixpath.os is os, genericpath.os is os)
"""
    argv = [sys.executable, "-I", "-S", "-c", program, str(SOURCES)]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["True", "False", "True", "True"]


def test_where_os_is_imported_already_it_is_os() -> None:
    assert light_os.os is os
