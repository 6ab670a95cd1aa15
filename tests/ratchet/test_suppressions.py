"""New comments and pragmas that silence a tool: for a person if the tool failed at the start."""

from __future__ import annotations

import pytest

from loopwright.core.findings import LOW, MEDIUM, Finding
from loopwright.ratchet.product_rules import suppressions
from loopwright.ratchet.project import Project
from loopwright.repo.baseline import Change

HEADER = "#ifndef RING_H\n#define RING_H\n\nint full(int used);\n\n#endif\n"


def found(path: str, before: str, after: str, red: str = "") -> list[Finding]:
    project = Project([Change(path, before, after)], red_commands=(red,) if red else ())
    return list(suppressions.find(project))


@pytest.mark.parametrize(
    ("path", "before", "line", "red"),
    [
        ("a.h", HEADER, '#pragma GCC diagnostic ignored "-Wparentheses"', "make lint"),
        ("a.c", "int x;\n", "int y; // NOLINT", "clang-tidy a.c"),
        ("a.cpp", "int x;\n", '_Pragma("clang diagnostic ignored \\"-Wall\\"")', "make"),
        ("a.c", "int x;\n", "#pragma warning(disable: 4706)", "make test"),
        ("src/lib.rs", "fn f() {}\n", "#[allow(clippy::all)]", "cargo clippy -- -D warnings"),
        ("src/lib.rs", "fn f() {}\n", "#[expect(dead_code)]", "cargo clippy"),
        ("a.go", "package a\n", "//lint:ignore U1000 later", "staticcheck ./..."),
        ("a.go", "package a\n", "x := 1 //nolint:gosec", "golangci-lint run"),
        ("a.ts", "f()\n", "// biome-ignore lint: later", "npx biome check"),
        ("a.js", "f()\n", "// eslint-disable-next-line no-f", "npx eslint ."),
        ("a.css", "a {}\n", "/* stylelint-disable-next-line */", "npx stylelint a.css"),
        ("a.rb", "f\n", "f # rubocop:disable Style/F", "bundle exec rubocop"),
        ("a.sh", "f\n", "# shellcheck disable=SC2086", "shellcheck a.sh"),
        ("bin/deploy", "f\n", "# shellcheck disable=SC2086", "shellcheck bin/deploy"),
        ("a.php", "<?php\n", "/** @phpstan-ignore argument.type */", "vendor/bin/phpstan"),
        ("a.py", "f()\n", "f()  # pylint: disable=no-f", "pylint a.py"),
        ("a.py", "f()\n", "f()  # pyre-ignore", "mypy ."),
        ("a.py", "f()\n", "def f() -> Any: ...", "python3 tools/typecheck.py a.py"),
        ("a.py", "f()\n", "def f(x: Any): ...", "scripts/check-types"),
        ("A.java", "class A {}\n", '@SuppressWarnings("all")', "javac A.java"),
        ("A.cs", "class A {}\n", "#pragma warning disable CS0168", "dotnet build -warnaserror"),
        ("README.md", "# A\n", "<!-- markdownlint-disable MD013 -->", "npx markdownlint ."),
        ("a.yml", "a: 1\n", "b: 1 # yamllint disable-line", "yamllint ."),
        ("a.pl", "f();\n", "no warnings 'void';", "perl -wc a.pl"),
    ],
)
def test_silencing_the_tool_that_failed_is_for_a_person(
    path: str, before: str, line: str, red: str
) -> None:
    (finding, *_) = found(path, before, f"{before}{line}\n", red)

    assert (finding.severity, finding.rule) == (MEDIUM, "warning-silenced")


@pytest.mark.parametrize(
    ("path", "before", "line"),
    [
        ("a.h", HEADER, "#pragma GCC system_header"),
        ("a.py", "f()\n", "# mypy: ignore-errors"),
        ("a.ts", "f()\n", "// @ts-nocheck"),
        ("a.go", "package a\n", "//lint:file-ignore U1000 later"),
    ],
)
def test_a_pragma_for_a_whole_file_is_for_a_person_whatever_failed(
    path: str, before: str, line: str
) -> None:
    (finding, *_) = found(path, before, f"{line}\n{before}")

    assert finding.severity == MEDIUM


@pytest.mark.parametrize(
    ("path", "before", "after", "red"),
    [
        ("a.h", HEADER, f"#pragma once\n{HEADER}", "make lint"),
        ("a.c", "int x;\n", "#pragma omp parallel for\nint x;\n", "make test"),
        ("a.rs", "fn f() {}\n", "#[derive(Debug)]\nfn f() {}\n", "cargo clippy"),
        ("a.pl", "f();\n", "use warnings;\nf();\n", "perl -wc a.pl"),
    ],
)
def test_other_pragmas_and_attributes_are_not_found(
    path: str, before: str, after: str, red: str
) -> None:
    assert not found(path, before, after, red)


@pytest.mark.parametrize(
    ("path", "before", "line", "red"),
    [
        ("src/lib.rs", "fn f() {}\n", "#[allow(dead_code)]", "cargo test"),
        ("a.py", "f()\n", "import g  # noqa: F401", "python3 -m pytest"),
    ],
)
def test_a_comment_for_another_tool_is_a_note(path: str, before: str, line: str, red: str) -> None:
    assert {finding.severity for finding in found(path, before, f"{before}{line}\n", red)} == {LOW}
