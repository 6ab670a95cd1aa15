"""A reported line that now only says on purpose what was reported is found; a repair is not."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules import rewritten_reported_lines
from loopwright.ratchet.project_files import ProjectFiles
from loopwright.repo.baseline import Change

CONVERSION = "warning: conversion from 'uint32_t' to 'uint8_t' may change value [-Wconversion]"
GO_LEAK = "the cancel function returned by context.WithTimeout should be called"
GO_RUN = "\tctx, {0} := context.WithTimeout(parent, r.Limit)\n{1}\treturn work(ctx)\n"
GO_BEFORE = GO_RUN.format("_", "")


def found(path: str, before: str, after: str, line: int, message: str) -> list[str]:
    files = ProjectFiles([Change(path, before, after)])
    rows = list(rewritten_reported_lines.findings(files, f"./{path}:{line}:5: {message}\n"))
    assert all((row.severity, row.rule) == (MEDIUM, "warning-silenced") for row in rows)
    return [row.after for row in rows]


@pytest.mark.parametrize(
    ("path", "old", "new", "message"),
    [
        ("a.c", "sum = sum + r[i];", "sum = (uint8_t)(sum + r[i]);", CONVERSION),
        ("a.cpp", "sum = a + b;", "sum = static_cast<short>(a + b);", CONVERSION),
        ("a.go", "x := uint8Of(n)", "x := uint8Of(uint8(n))", "G115: integer overflow conversion"),
        ("a.rs", "take(n);", "take(n as u8);", "cast may truncate the value"),
        ("a.go", "save(order)", "_ = save(order)", "Error return value of `save` is not checked"),
        ("a.rs", "save(order);", "let _ = save(order);", "unused `Result` that must be used"),
        ("a.c", "save(order);", "(void)save(order);", "ignoring return value of 'save'"),
        ("a.ts", "save(order);", "void save(order);", "error: no-floating-promises"),
        ("a.js", "save(order);", "const ignored = save(order);", "error: no-floating-promises"),
    ],
)
def test_a_line_that_only_says_it_on_purpose(path: str, old: str, new: str, message: str) -> None:
    before, after = (f"first();\n{line}\nlast();\n" for line in (old, new))

    assert found(path, before, after, 2, message) == [new]


@pytest.mark.parametrize(
    ("path", "old", "new", "message"),
    [
        ("a.c", "sum = sum + r[i];", "sum = (uint8_t)((sum + r[i]) & 0xff);", CONVERSION),
        ("a.c", "sum = sum + r[i];", "sum = clamp(sum + r[i]);", CONVERSION),
        ("a.c", "n = a / b;", "n = (double)a / b;", "error: 'n' is wrong"),
        ("A.java", "int n = size;", "int n = (int) size;", "error: possible lossy conversion"),
        ("a.go", "save(order)", "err := save(order)\nif err != nil {", "errcheck: not checked"),
        ("a.rs", "save(order);", "save(order)?;", "unused `Result` that must be used"),
        ("a.ts", "save(order);", "await save(order);", "error: no-floating-promises"),
        ("a.js", "save(order);", "const done = save(order);\nreturn done;", "not handled"),
        ("a.py", "total(x)", "value = total(x)\nprint(value)", "W: expression not assigned"),
    ],
)
def test_a_line_that_was_repaired(path: str, old: str, new: str, message: str) -> None:
    before, after = (f"first();\n{line}\nlast();\n" for line in (old, new))

    assert found(path, before, after, 2, message) == []


@pytest.mark.parametrize(
    "use",
    [
        "\tr.cancel = cancel\n",
        "\t_ = cancel\n",
    ],
)
def test_a_value_that_is_stored_and_never_read(use: str) -> None:
    field = "\tcancel context.CancelFunc // ends the work\n"
    before = f"type Runner struct {{\n}}\n\n{GO_BEFORE}"
    after = f"type Runner struct {{\n{field}}}\n\n{GO_RUN.format('cancel', use)}"

    assert len(found("runner.go", before, after, 4, GO_LEAK)) == 1


@pytest.mark.parametrize(
    "use",
    [
        "\tdefer cancel()\n",
        "\tr.cancel = cancel\n\tdefer r.cancel()\n",
        "\tstop := cancel\n\tdefer stop()\n",
        "\tr.Stop(cancel)\n",
        "\treturn cancel\n",
    ],
)
def test_a_value_that_is_used(use: str) -> None:
    assert found("runner.go", GO_BEFORE, GO_RUN.format("cancel", use), 1, GO_LEAK) == []


def test_a_field_that_another_file_reads() -> None:
    after = GO_RUN.format("cancel", "\tr.cancel = cancel\n")
    stop = "func (r *Runner) Stop() {\n\tr.cancel()\n}\n"
    files = ProjectFiles(
        [Change("runner.go", GO_BEFORE, after)], {"stop.go": stop}.get, lambda: ["stop.go"]
    )

    assert list(rewritten_reported_lines.findings(files, f"runner.go:1:7: {GO_LEAK}\n")) == []


def test_a_line_that_was_not_reported() -> None:
    before, after = "first();\nsave(order);\n", "first();\n(void)save(order);\n"

    assert found("a.c", before, after, 1, "error: implicit declaration") == []
