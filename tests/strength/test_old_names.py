"""A rename is not done while the changed code still has the former name."""

from __future__ import annotations

import pytest

from loopwright.core.proof.strength import Strength
from loopwright.strength.old_names import old_names
from tests.strength.measured import changed

SPEC = "Rename fmt in money.js to formatCents everywhere."
BEFORE = "exports.fmt = (cents) => cents;\n"
HALF = "exports.formatCents = (cents) => cents;\nexports.fmt = exports.formatCents;\n"


@pytest.mark.parametrize(
    ("spec", "after", "lines"),
    [
        (SPEC, HALF, [2]),
        ("Rename the helper `fmt` to `formatCents`.", HALF, [2]),
        (SPEC, "// formerly fmt\nexports.formatCents = (cents) => cents;\n", []),
        (SPEC, "exports.formatCents = (cents) => refmt(cents);\n", []),
        ("Rename fmt to formatCents and keep fmt as a deprecated alias.", HALF, []),
        ("Add formatCents beside fmt.", HALF, []),
        ("Rename the CLI to money; fmt stays.", HALF, []),
    ],
)
def test_the_former_name_is_found_where_it_is_still_code(spec, after, lines) -> None:
    items = old_names([changed("money.js", after, BEFORE)], spec)

    assert [item.line for item in items] == lines
    assert Strength(tuple(items)).is_thin is bool(lines)


def test_a_file_that_never_had_the_name_may_use_the_word() -> None:
    assert old_names([changed("a.py", "fmt = formatCents(1)\n", "")], SPEC) == []
