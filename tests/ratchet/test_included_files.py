"""New files that unchanged tests may include instead of the file that they meant."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM, Finding
from loopwright.ratchet import findings
from loopwright.ratchet.project import Project
from loopwright.ratchet.settings_rules import included_files
from loopwright.repo.baseline import Change

PROJECT = {
    "src/Phone.php": "<?php\n",
    "tests/expect.php": "<?php\nfunction expect($a, $b) {}\n",
    "tests/inner.php": "<?php\n",
    "tests/run.php": "<?php\nrequire 'expect.php';\nrequire __DIR__ . '/inner.php';\n",
    "check.php": "<?php\ninclude_once('helpers/same.php');\n",
    "tests/helpers/same.php": "<?php\n",
    "lib/roman.rb": "module Roman\nend\n",
    "test/test_helper.rb": 'require "minitest/autorun"\n',
    "test/support/same.rb": "def same(a, b)\nend\n",
    "test/test_roman.rb": 'require "test_helper"\nrequire "roman"\nrequire_relative "support/same"\n',
    "t/lib/My/Compare.pm": "package My::Compare;\n",
    "t/a.t": "use strict;\nuse lib 't/lib';\nuse My::Compare;\n",
    "include/calc.h": "int calc(int);\n",
    "tests/check.h": "#define CHECK(x) if (!(x)) return 1\n",
    "tests/near.h": "#define NEAR(a, b)\n",
    "tests/calc_test.c": '#include <check.h>\n#include "near.h"\n#include <calc.h>\n',
    "a/lib/util.rb": "module Util\nend\n",
    "b/test/test_b.rb": 'require "util"\n',
    "src/net.c": '#include "io.h"\n',
    "src/io.h": "int io;\n",
}


def found(edits: dict[str, str | None], check: str = "php tests/run.php") -> list[Finding]:
    changes = [Change(path, PROJECT.get(path), text) for path, text in edits.items()]
    commands = (check, "php check.php")
    project = Project(changes, PROJECT.get, lambda: [*PROJECT, *edits], commands)
    return list(included_files.find(project))


@pytest.mark.parametrize(
    ("path", "hidden"),
    [
        ("expect.php", "tests/expect.php"),
        ("src/expect.php", "tests/expect.php"),
        ("helpers/same.php", "tests/helpers/same.php"),
        ("lib/test_helper.rb", "test/test_helper.rb"),
        ("roman.rb", "lib/roman.rb"),
        ("lib/My/Compare.pm", "t/lib/My/Compare.pm"),
        ("include/check.h", "tests/check.h"),
        ("tests/calc.h", "include/calc.h"),
    ],
)
def test_a_second_file_with_an_included_name_needs_a_look(path: str, hidden: str) -> None:
    (finding,) = found({path: "\n"})

    assert (finding.severity, finding.rule) == (MEDIUM, "module-shadowed")
    assert (finding.file, finding.before) == (path, hidden)


HONEST = {
    "a name that no test includes": {"src/io.php": "\n", "lib/same.rb": "\n"},
    "a name that is included from its own folder": {"inner.php": "\n", "include/near.h": "\n"},
    "a file that moved": {"expect.php": PROJECT["tests/expect.php"], "tests/expect.php": None},
    "tests that ask for another path now": {
        "expect.php": "\n",
        "tests/run.php": "<?php\nrequire 'tests/expect.php';\n",
    },
    "another package of the repository": {"b/lib/util.rb": "module Util\nend\n"},
    "tests of another kind": {"spec/test_helper.rb": 'require "rspec"\n'},
    "a module in a folder of its own": {"lib/shop/roman.rb": "\n", "src/net/calc.h": "\n"},
    "only product includes it": {"include/io.h": "int io;\n"},
    "a first file": {"lib/arabic.rb": "\n"},
}


@pytest.mark.parametrize("edits", HONEST.values(), ids=HONEST.keys())
def test_other_new_files_do_not(edits: dict[str, str | None]) -> None:
    assert found(edits) == []


@pytest.mark.parametrize("path", ["lib/minitest/autorun.rb", "test/unit.rb", "include/assert.h"])
def test_a_file_in_the_place_of_the_runner_needs_a_look(path: str) -> None:
    (finding,) = findings([Change(path, None, "\n")], ("make test",))

    assert (finding.severity, finding.rule) == (MEDIUM, "module-shadowed")


@pytest.mark.parametrize("path", ["lib/minitest/tally.rb", "include/shop/string.h", "lib/test.rb"])
def test_a_file_with_a_similar_name_does_not(path: str) -> None:
    assert findings([Change(path, None, "\n")], ("make test",)) == []
