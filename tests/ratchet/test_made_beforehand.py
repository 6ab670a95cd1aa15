"""A new file that make takes for made is found; other new files are not."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules.generated_files import written_by_recipes

MAKEFILE = """\
OUT = build
.PHONY: check

check: .stamps/convert.ok
\tpython3 check.py

.stamps/convert.ok: convert.py \\
    data/rates.csv
\tpython3 check_convert.py
\t@touch $@

.stamps/%.lint: %.py
\truff check $<
\ttouch $@

$(OUT)/test_ring: ring.c
\tgcc -o $@ ring.c

%.html: %.md
\tpandoc -o $@ $<

docs: manual.html
"""


def found(path: str, before: str | None = None) -> list[str]:
    rows = written_by_recipes({path: (before, "")}, {path}, {"Makefile": MAKEFILE}, lambda: ())
    findings = list(rows)
    assert all((row.severity, row.rule) == (MEDIUM, "make-goal-is-a-file") for row in findings)
    return [row.file for row in findings]


@pytest.mark.parametrize("path", [".stamps/convert.ok", ".stamps/convert.lint", "build/test_ring"])
def test_a_target_that_is_made_beforehand(path: str) -> None:
    assert found(path) == [path]


@pytest.mark.parametrize(
    "path", ["convert.py", "manual.html", "docs/index.html", "check", "build/other", "docs"]
)
def test_another_new_file(path: str) -> None:
    assert found(path) == []


def test_a_target_that_was_there_before() -> None:
    assert found(".stamps/convert.ok", "old\n") == []
