"""Work that is done only in a double which the product ships."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules.shipped_test_doubles import changed_doubles, findings

STORE = "class MemoryStore {\n  async get(name) {\n    return this.values.get(name);\n  }\n}\n"
LOCKED = STORE.replace("    return", "    await this.held;\n    return")
COUNTER = "class Counter {\n  constructor(store) {\n    this.store = store;\n  }\n}\n"
TESTS = {
    "at once": "const counter = new Counter(new MemoryStore());\n",
    "by a variable": "const store = new MemoryStore();\nconst counter = new Counter(store, 3);\n",
    "of a module": "const counter = new app.Counter(new app.MemoryStore());\n",
}
OWN_TEST = "const store = new MemoryStore();\nassert.equal(await store.get('a'), 1);\n"


def named(product: dict[str, tuple[str, str]], **others: str) -> list[str]:
    texts = {"src/store.js": STORE, "src/counter.js": COUNTER}
    texts |= {name.replace("__", "/") + ".js": text for name, text in others.items()}
    found = list(findings(changed_doubles(product), texts))
    assert all((row.severity, row.rule) == (MEDIUM, "measure-of-tests-changed") for row in found)
    return [row.file for row in found]


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS.keys())
def test_a_double_that_tests_hand_to_another_class_is_named(test: str) -> None:
    assert named({"src/store.js": (STORE, LOCKED)}, test__counter=test) == ["src/store.js"]
    index = "module.exports = { ...require('./counter'), ...require('./store') };\n"
    product = {"src/store.js": (STORE, LOCKED)}
    assert named(product, test__counter=test, src__index=index) == ["src/store.js"]


def test_a_double_that_is_tested_itself_or_used_by_the_product_is_not() -> None:
    product = {"src/store.js": (STORE, LOCKED)}

    assert named(product, test__store=OWN_TEST) == []
    app = "const counter = new Counter(url ? new Store(url) : new MemoryStore());\n"
    assert named(product, test__counter=TESTS["at once"], src__app=app) == []


def test_a_double_that_changed_with_the_product_is_not() -> None:
    other = {"src/counter.js": (COUNTER, f"{COUNTER}\nexports.Counter = Counter;\n")}

    for product in (
        {"src/store.js": (STORE, LOCKED)} | other,
        {"src/store.js": (STORE + COUNTER, LOCKED + COUNTER)},
        {"src/store.js": (STORE.replace("Memory", ""), LOCKED.replace("Memory", ""))},
        {"src/store.js": (STORE, f"// A store.\n{STORE}")},
    ):
        assert named(product, test__counter=TESTS["at once"]) == []
