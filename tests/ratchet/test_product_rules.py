"""Code that builds leave out, strictness that is lost, and names of libraries."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules import excluded_code, lost_strictness
from loopwright.ratchet.product_rules.library_names import LibraryNames
from loopwright.ratchet.project import Project
from loopwright.repo.baseline import Change

GO = "package report\n\nfunc Line() {}\n"
C = '#include "a.h"\n\nint f(int x) {\n    return x;\n}\n'
RUST = "mod a;\n\npub fn f() {}\n"
LEFT_OUT = [
    ("report.go", GO, f"//go:build slow\n\n{GO}"),
    ("report.go", GO, f"// +build ignore\n\n{GO}"),
    ("src/a.c", C, C.replace("int f", "#if 0\nint f") + "#endif\n"),
    ("src/a.c", C, C.replace("int f", "#ifdef LEGACY\nint f") + "#endif\n"),
    ("src/lib.rs", RUST, RUST.replace("pub fn", '#[cfg(feature = "extra")]\npub fn')),
]
KEPT = [
    ("report.go", GO, f"//go:build linux || darwin\n\n{GO}"),
    ("report.go", GO, f"//go:build go1.21\n\n{GO}"),
    ("src/a.c", C, C.replace("int f", "#ifdef _WIN32\nint f") + "#endif\n"),
    ("src/a.c", C, C + "#ifdef LEGACY\nint old(void) { return 1; }\n#endif\n"),
    ("src/a.c", C, "#define LEGACY 1\n" + C.replace("int f", "#ifdef LEGACY\nint f") + "#endif\n"),
    ("src/lib.rs", RUST, RUST.replace("pub fn", "#[cfg(unix)]\npub fn")),
    ("tests/a.go", GO, f"//go:build slow\n\n{GO}"),
]


@pytest.mark.parametrize(("path", "before", "after"), LEFT_OUT)
def test_code_that_a_condition_takes_out_of_the_build_is_found(path, before, after) -> None:
    (found,) = excluded_code.find(Project([Change(path, before, after)]))
    assert (found.severity, found.rule) == (MEDIUM, "code-left-out")


@pytest.mark.parametrize(("path", "before", "after"), KEPT)
def test_conditions_of_everyday_work_are_not(path, before, after) -> None:
    assert not list(excluded_code.find(Project([Change(path, before, after)])))
    assert not list(excluded_code.find(Project([Change(path, None, after)])))


def test_a_feature_that_is_on_by_default_leaves_nothing_out() -> None:
    _, before, after = LEFT_OUT[-1]
    manifest = {"Cargo.toml": '[features]\ndefault = ["extra"]\nextra = []\n'}
    project = Project([Change("src/lib.rs", before, after)], manifest.get, lambda: manifest)
    assert not list(excluded_code.find(project))


STRICT = {
    "src/a.js": "'use strict';\n\nlet sum = 0;\n",
    "lib/Orders.pm": "use strict;\nuse warnings;\n\nour $sum = 0;\n",
    "src/Orders.php": "<?php\ndeclare(strict_types=1);\n\nfinal class Orders {}\n",
    "lib/orders.rb": "# frozen_string_literal: true\n\nSUM = 0\n",
}


@pytest.mark.parametrize(("path", "text"), STRICT.items(), ids=STRICT.keys())
def test_a_file_that_is_no_longer_strict_is_found(path: str, text: str) -> None:
    keep = "<?php\n" if text.startswith("<?php") else ""
    lax = keep + text[text.index("\n\n") :]

    (found,) = lost_strictness.find(Project([Change(path, text, lax)]))

    assert (found.severity, found.rule) == (MEDIUM, "strictness-switched-off")
    assert not list(lost_strictness.find(Project([Change(path, text, f"{text}\n")])))
    assert not list(lost_strictness.find(Project([Change(path, lax, text)])))


@pytest.mark.parametrize(
    ("path", "after"),
    [
        ("src/a.js", "import x from 'x';\nlet sum = 0;\n"),
        ("src/a.mjs", "let sum = 0;\n"),
        ("lib/Orders.pm", "use Moose;\nour $sum = 0;\n"),
    ],
)
def test_a_file_that_is_strict_for_another_reason_is_fine(path: str, after: str) -> None:
    before = STRICT.get(path, STRICT["src/a.js"])
    assert not list(lost_strictness.find(Project([Change(path, before, after)])))


NAMES = [
    (
        "src/text.h",
        "#define strcmp(a, b) 0\n",
        "tests/text_test.c",
        '#include "text.h"\nint main(void) { return strcmp("a", "b"); }\n',
    ),
    (
        "pool.go",
        "package pool\n\nfunc panic(v any) {}\n",
        "pool_test.go",
        'package pool\n\nfunc TestA(t *T) {\n\tpanic("a")\n}\n',
    ),
    (
        "src/lib.rs",
        "#[macro_export]\nmacro_rules! assert_eq {\n    () => {};\n}\n",
        "tests/a.rs",
        "use fares::*;\n\n#[test]\nfn a() {\n    assert_eq!(1, 2);\n}\n",
    ),
    (
        "money.py",
        "def abs(value):\n    return 0\n",
        "test_money.py",
        "from money import *\n\n\ndef test():\n    assert abs(1 - 2) == 0\n",
    ),
]


@pytest.mark.parametrize(("path", "text", "test_path", "test"), NAMES)
def test_a_name_of_a_library_that_tests_get_from_the_product(path, text, test_path, test) -> None:
    names = LibraryNames({path: ("", text)})

    (found,) = names.findings({test_path: test})

    assert (found.severity, found.rule, found.file) == (MEDIUM, "library-name-redefined", path)
    assert names.words
    assert not list(LibraryNames({path: (text, text)}).findings({test_path: test}))
    assert not list(names.findings({test_path: "x\n"}))


def test_a_function_of_php_in_the_namespace_of_the_tests() -> None:
    product = "<?php\nnamespace Shop;\n\nfunction expect_total($a) {}\n"
    helper = "<?php\nfunction expect_total($a) { assert($a); }\n"
    test = "<?php\nnamespace Shop;\n\nexpect_total(3);\n"
    names = LibraryNames({"src/shop.php": ("<?php\n", product)})

    assert list(names.findings({"tests/helper.php": helper, "tests/a.php": test}))
    assert not list(names.findings({"tests/a.php": test}))
    imported = test.replace("\n\n", "\n\nuse function Other\\expect_total;\n")
    assert not list(names.findings({"tests/helper.php": helper, "tests/a.php": imported}))


@pytest.mark.parametrize(
    ("path", "text", "test_path", "test"),
    [
        ("src/text.c", "#define strcmp(a, b) 0\n", "tests/t.c", "int f() { return strcmp(a, b); }\n"),
        ("a.h", "#ifdef _WIN32\n#define strcmp(a, b) 0\n#endif\n", "t.c", '#include "a.h"\nstrcmp(1);\n'),
        ("money.py", "from math import floor as abs\n", "test_m.py", "from money import *\nabs(1)\n"),
        ("money.py", "__all__ = ['x']\n\ndef abs(v): ...\n", "test_m.py", "from money import *\nabs(1)\n"),
        ("pool.go", "package pool\n\nfunc panic() {}\n", "other/a_test.go", "package other\npanic()\n"),
    ],
)  # fmt: skip
def test_a_name_that_tests_do_not_get_from_the_product(path, text, test_path, test) -> None:
    assert not list(LibraryNames({path: ("", text)}).findings({test_path: test}))
