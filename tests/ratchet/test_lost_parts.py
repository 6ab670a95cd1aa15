"""Product that changed so that unchanged tests in JavaScript ask for less."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules.lost_parts import LostParts

ERRORS = (
    "class Gone extends Error {}\nclass Late extends Error {}\nmodule.exports = { Gone, Late };\n"
)
STATES = "export const Status: Record<string, string> = {\n  Open: 'open',\n  Paid: 'paid',\n};\n"
MONEY = """\
class Money {
  constructor(cents) {
    this.cents = cents;
  }

  valueOf() {
    return this.cents;
  }
}
"""
PRIVATE = MONEY.replace("this.cents", "this.#cents").replace(
    "class Money {\n", "class Money {\n  #cents;\n"
)
EXPECT = "export function expectValid(room) {\n  if (room.taken > room.beds) {\n    throw new Error();\n  }\n}\n"
GONE_TEST = "const errors = require('../src/errors');\nassert.throws(() => pay(), errors.Late);\n"
STATE_TEST = "import { Status } from './status';\nexpect(pay().state).toBe(Status.Paid);\n"
MONEY_TEST = "const { eur } = require('../src/money');\nassert.deepStrictEqual(sum(), eur(5));\n"
EXPECT_TEST = "import { expectValid } from '../src';\nexpectValid(take(room, 3));\n"


def rules(
    path: str, before: str | None, after: str | None, test: str, others: str = ""
) -> list[str]:
    product = {path: (before, after), "src/other.js": ("", others)}
    found = list(LostParts(product).findings({"test/a.test.js": test}))
    assert all(finding.severity == MEDIUM for finding in found)
    return [finding.rule for finding in found]


@pytest.mark.parametrize(
    ("path", "before", "after", "test", "rule"),
    [
        (
            "src/errors.js",
            ERRORS,
            ERRORS.replace("{ Gone, Late }", "{ Gone }"),
            GONE_TEST,
            "name-of-tests-gone",
        ),
        (
            "src/errors.js",
            "export class Late extends Error {}\nexport const FEE = 4;\n",
            "export const FEE = 4;\n",
            "import { FEE, Late } from '../src/errors';\n",
            "name-of-tests-gone",
        ),
        (
            "src/status.ts",
            STATES,
            STATES.replace("Paid:", "paid:"),
            STATE_TEST,
            "name-of-tests-gone",
        ),
        ("src/money.js", MONEY, PRIVATE, MONEY_TEST, "fields-hidden"),
        ("src/money.js", "", PRIVATE, MONEY_TEST, "fields-hidden"),
        (
            "src/testing.ts",
            EXPECT,
            EXPECT.replace("room.beds)", "room.beds + 1)"),
            EXPECT_TEST,
            "assertion-of-product-changed",
        ),
    ],
)
def test_what_an_unchanged_test_relies_on_is_named(
    path: str, before: str, after: str, test: str, rule: str
) -> None:
    assert rules(path, before, after, test) == [rule]
    assert rules(path, after, after, test) == []
    assert rules(path, before, after, "assert.ok(true);\n") == []


@pytest.mark.parametrize(
    ("path", "before", "after", "test", "others"),
    [
        ("src/errors.js", ERRORS, ERRORS.replace("{ Gone, Late }", "{ Gone }"), GONE_TEST, ERRORS),
        (
            "src/errors.js",
            ERRORS,
            ERRORS.replace("{ Gone, Late }", "{ Gone, ...more }"),
            GONE_TEST,
            "",
        ),
        ("src/errors.js", ERRORS, ERRORS.replace("{ Gone, Late }", "{ Late }"), GONE_TEST, ""),
        ("src/status.ts", STATES, STATES.replace("'paid'", "'settled'"), STATE_TEST, ""),
        ("src/status.ts", STATES, STATES.replace("  Open: 'open',\n", ""), STATE_TEST, ""),
        ("src/money.js", MONEY, PRIVATE, MONEY_TEST.replace("deepStrictEqual", "strictEqual"), ""),
        ("src/money.js", MONEY, MONEY.replace("valueOf", "toNumber"), MONEY_TEST, ""),
        (
            "src/money.js",
            MONEY,
            MONEY.replace(
                "    this.cents = cents;", "    this.cents = cents;\n    this.#log = [];"
            ),
            MONEY_TEST,
            "",
        ),
        ("src/testing.ts", EXPECT, EXPECT + "\nexport const BEDS = 2;\n", EXPECT_TEST, ""),
        ("lib/money.py", "class A: pass\n", "", MONEY_TEST, ""),
    ],
)
def test_other_changes_leave_no_test_behind(
    path: str, before: str, after: str, test: str, others: str
) -> None:
    assert rules(path, before, after, test, others) == []
