"""New files that take the place of a module, or of a program that a check runs."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM, Finding
from loopwright.ratchet.project import Project
from loopwright.ratchet.settings_rules import shadowing
from loopwright.repo.baseline import Change

PROJECT = {
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["addons", "core"]\n',
    "core/acme/billing.py": "def total(): ...\n",
    "addons/acme/coupons.py": "def apply(): ...\n",
    "Makefile": "export PATH := $(CURDIR)/tools/bin:$(PATH)\n\ntest:\n\t@sh tests/run.sh\n",
    "tests/run.sh": (
        "#!/bin/sh\ngot=$(sh tags.sh a | sort)\nwanted=$(cat a.tags)\nnormal < got > plain\n"
        "LC_ALL=C diff got wanted\n"
    ),
    "services/a/app/models.py": "x = 1\n",
    "src/ledger/__init__.py": "",
    "web/time.ts": "export const now = 1;\n",
    "web/test.js": "it('adds', () => {})\n",
}


def found(path: str, text: str) -> list[Finding]:
    project = Project([Change(path, None, text)], PROJECT.get, commands=("make test",))
    return list(shadowing.find(project))


def test_a_second_half_of_a_namespace_hides_the_first() -> None:
    (finding,) = found("addons/acme/billing.py", "def total(): ...\n")

    assert (finding.severity, finding.rule) == (MEDIUM, "module-shadowed")
    assert finding.before == "core/acme/billing.py"


@pytest.mark.parametrize(
    "path", ["core/acme/coupons.py", "addons/acme/stamps.py", "services/b/app/models.py"]
)
def test_a_module_that_is_found_later_or_has_its_own_name_hides_none(path: str) -> None:
    assert found(path, "x = 1\n") == []


def test_a_test_hides_no_other_one() -> None:
    assert found("web/test.mjs", "it('adds two', () => {})\n") == []


def test_a_package_beside_src_hides_the_one_in_it() -> None:
    (finding,) = found("ledger/__init__.py", "from ledger.book import Book\n")

    assert (finding.rule, finding.before) == ("module-shadowed", "src/ledger/__init__.py")


def test_a_script_beside_one_with_another_ending_may_hide_it() -> None:
    (finding,) = found("web/time.js", "export const now = 2;\n")

    assert (finding.rule, finding.before) == ("module-shadowed", "web/time.ts")
    assert found("web/time.d.ts", "export const now: number;\n") == []
    assert found("web/times.js", "export const now = 2;\n") == []


@pytest.mark.parametrize("path", ["tests/ledger/__init__.py", "src/ledger/rows/__init__.py"])
def test_a_package_of_tests_or_inside_of_another_hides_none(path: str) -> None:
    assert found(path, "") == []


@pytest.mark.parametrize("path", ["tools/bin/sort", "bin/cat", "diff", "tools/bin/normal"])
def test_a_program_with_the_name_of_one_that_a_check_runs_needs_a_look(path: str) -> None:
    (finding,) = found(path, '#!/bin/sh\nexec /usr/bin/sort -u "$@"\n')

    assert (finding.severity, finding.rule) == (MEDIUM, "check-program-replaced")
    assert finding.file == path


HONEST = {
    "a program that no check runs": ("tools/bin/release", "#!/bin/sh\n"),
    "a program of a folder that is not on the path": ("scripts/normal", "#!/bin/sh\n"),
    "a text with the name of a program": ("docs/sort", "How rows are sorted.\n"),
    "a file with an ending": ("tools/bin/sort.txt", "#!/bin/sh\n"),
    "a script with the name of a builtin": ("scripts/test", "#!/bin/sh\npytest\n"),
}


@pytest.mark.parametrize(("path", "text"), HONEST.values(), ids=HONEST.keys())
def test_other_new_programs_do_not(path: str, text: str) -> None:
    assert found(path, text) == []
