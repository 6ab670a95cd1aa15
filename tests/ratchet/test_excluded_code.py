"""Code that a condition takes out of the build is found; conditions of everyday work are not."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.check_reach import reach_of
from loopwright.ratchet.product_rules import excluded_code
from loopwright.ratchet.project_files import ProjectFiles
from loopwright.repo.baseline import Change

GO = "package report\n\nfunc Line() {}\n"
C = '#include "a.h"\n\nint f(int x) {\n    return x;\n}\n'
RUST = "mod a;\n\npub fn f() {}\n"


def found(path: str, before: str, after: str | None, **others: str) -> list[str]:
    changes = [Change(path, before, after)]
    new = {name.replace("__", "."): text for name, text in others.items()}
    changes += [Change(name, None, text) for name, text in new.items()]
    rows = list(excluded_code.findings(ProjectFiles(changes), reach_of((), lambda path: None)))
    assert all((row.severity, row.rule) == (MEDIUM, "code-left-out") for row in rows)
    return [row.after for row in rows]


WEAK = "__attribute__((weak)) int f"
OTHER_C = "int f(int x)\n{\n    return 2;\n}\n"


def test_a_function_that_gives_way_to_a_new_one_of_its_name_is_found() -> None:
    assert found("src/a.c", C, C.replace("int f", WEAK), port__c=OTHER_C)
    split = C.replace("int f", "__attribute__((__weak__))\nint f")
    assert found("src/a.c", C, split, port__c=OTHER_C)
    assert found("src/a.c", C, f"#pragma weak f\n{C}", port__c=OTHER_C)


def test_a_weak_function_that_nothing_replaces_is_fine() -> None:
    assert not found("src/a.c", C, C.replace("int f", WEAK))
    assert not found("src/a.c", C, C.replace("int f", WEAK), port__c="int f(int x);\n")
    assert not found("src/a.c", "int g;\n", C.replace("int f", WEAK), port__c=OTHER_C)
    assert not found("src/a.c", C, C.replace("int f", WEAK), tests__f_test__c="int f(int x);\n")


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("line.go", GO, "//go:build text\n\n" + GO),
        ("line.go", GO, "//go:build ignore\n// +build ignore\n\n" + GO),
        ("line.go", GO, "// +build never\n\n" + GO),
        ("line.go", GO, "//go:build !linux && !darwin && !windows\n\n" + GO),
        ("line.go", GO, "//go:build !(linux || darwin) || text\n\n" + GO),
        ("a.c", C, C.replace("int f", "#if 0\nint f") + "#endif\n"),
        ("a.c", C, C.replace("int f", "#ifdef NEVER\nint f") + "#endif\n"),
        ("a.hpp", C, C.replace("int f", "#if defined(OLD_CODE)\nint f") + "#endif\n"),
        ("A.cs", "class A {\n}\n", "#if LEGACY\nclass A {\n}\n#endif\n"),
        ("a.swift", "func f() {}\n", "#if false\nfunc f() {}\n#endif\n"),
        ("src/lib.rs", RUST, RUST.replace("pub fn", "#[cfg(never)]\npub fn")),
        ("src/lib.rs", RUST, RUST.replace("pub fn", "#[cfg(any())]\npub fn")),
        ("src/lib.rs", RUST, RUST.replace("mod a", '#[cfg(feature = "old")]\nmod a')),
    ],
)
def test_a_condition_that_never_holds_is_found(path: str, before: str, after: str) -> None:
    assert found(path, before, after)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("line.go", GO, "//go:build unix\n\n" + GO),
        ("line.go", GO, "//go:build (linux || darwin) && go1.21\n\n" + GO),
        ("line.go", GO, "//go:build !plan9\n\n" + GO),
        ("line.go", GO, "// Package report prints.\n" + GO),
        ("a.c", C, C.replace("int f", "#ifdef _WIN32\nint f") + "#endif\n"),
        ("a.c", C, C.replace("int f", "#ifdef DEBUG\nint f") + "#endif\n"),
        ("a.h", C, "#ifndef A_H\n#define A_H\n" + C + "#endif\n"),
        ("a.c", C, "#define FAST 1\n" + C.replace("int f", "#ifdef FAST\nint f") + "#endif\n"),
        ("a.c", C, C + "#ifdef FAST\nint g(int x);\n#endif\n"),
        ("src/lib.rs", RUST, RUST + "\n#[cfg(test)]\nmod tests {\n}\n"),
        ("src/lib.rs", RUST, RUST.replace("pub fn", "#[cfg(unix)]\npub fn")),
        ("src/lib.rs", RUST, RUST + '\n#[cfg(feature = "old")]\npub fn g() {}\n'),
    ],
)
def test_everyday_conditions_are_not_found(path: str, before: str, after: str) -> None:
    assert not found(path, before, after)


def test_a_file_for_another_system_needs_one_for_the_rest() -> None:
    windows, others = f"//go:build windows\n\n{GO}", f"//go:build !windows\n\n{GO}"

    assert found("line.go", GO, windows)
    assert not found("line.go", GO, windows, line_other__go=others)


def test_a_name_that_go_leaves_out_is_found() -> None:
    assert found("line.go", GO, None, line_windows__go=GO)
    assert found("line.go", GO, None, _line__go=GO)
    assert not found("line.go", GO, None, row__go=GO)
    assert not found("line.go", GO, None, line_linux__go=GO)


def test_a_feature_that_is_on_by_default_leaves_nothing_out() -> None:
    manifest = '[features]\ndefault = ["text"]\ntext = []\n'
    after = RUST.replace("pub fn", '#[cfg(feature = "text")]\npub fn')

    assert not found("src/lib.rs", RUST, after, Cargo__toml=manifest)
