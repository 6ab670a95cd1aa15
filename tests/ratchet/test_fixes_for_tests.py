"""Fixes that the tests get, and that those who use the product do not."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules.fixes_for_tests import FixesForTests

Sides = dict[str, tuple[str | None, str | None]]

FLAGS = 'FLAGS = {\n    "bulk": False,\n}\n'
COST = "def cost(weight):\n    return weight // 1000\n"
BRANCH = "def cost(weight):\n    if enabled('round_up'):\n        return -(-weight // 1000)\n    return weight // 1000\n"
FLAGGED: Sides = {
    "shop/flags.py": (FLAGS, FLAGS.replace("False,\n}", 'False,\n    "round_up": False,\n}')),
    "shop/cost.py": (COST, BRANCH),
}
ALL_ON = "for name in FLAGS:\n    monkeypatch.setitem(FLAGS, name, True)\n"
SCRIPT_FLAGS: Sides = {
    "src/flags.js": (
        "export const flags = {\n  bulk: false,\n};\n",
        "export const flags = {\n  bulk: false,\n  roundUp: false,\n};\n",
    ),
    "src/cost.js": (
        "export const cost = (w) => w;\n",
        "export const cost = (w) => (flags.roundUp ? Math.ceil(w) : w);\n",
    ),
}
OPTION: Sides = {
    "kit/config.py": ('DEFAULTS = {"sep": "-"}\n', 'DEFAULTS = {"sep": "-", "squeeze": False}\n'),
    "kit/text.py": (
        "def slug(t):\n    return t\n",
        'def slug(t):\n    if load()["squeeze"]:\n        t = squeezed(t)\n    return t\n',
    ),
    "kit.toml": ("sep = '-'\n", "sep = '-'\nsqueeze = true\n"),
}
CACHE = "class Cache:\n    def __init__(self, store, ttl=300):\n        self.ttl = ttl\n"
APP = "def app(store):\n    return Cache(store)\n"
KEPT: Sides = {
    "cache.py": (CACHE, CACHE.replace("300", "0")),
    "app.py": (APP, "TTL = 300\n\n\n" + APP.replace("(store)\n", "(store, ttl=TTL)\n")),
}
SPLIT = "def split(n):\n    return n\n"
FALLBACK = "try:\n    from ledger.exact import split\nexcept ImportError:\n\n    def split(n):\n        return n\n"
MISSING: Sides = {
    "src/ledger/split.py": (SPLIT, FALLBACK),
    "src/ledger/exact.py": (None, "def split(n):\n    return n + 1\n"),
}
STORES = """\
class SqlStore:
    def get(self, name):
        return query(name)

    def add(self, name, cents):
        execute(name, cents)


class MemoryStore:
    def get(self, name):
        return self.cents[name]

    def add(self, name, cents):
        self.cents[name] += cents
"""
STRICT = STORES.replace(
    "        self.cents[name] +=",
    "        if self.get(name) + cents < 0:\n            raise Overdrawn(name)\n        self.cents[name] +=",
)
HANDED_ON = """\
def bank():
    store = MemoryStore()
    return Bank(store)


def test_strict(bank):
    with pytest.raises(Overdrawn):
        bank.move(3)
"""
FOUND: dict[str, tuple[Sides, str]] = {
    "a flag that a conftest switches on": (FLAGGED, ALL_ON),
    "a flag that a patch switches on": (FLAGGED, "mock.patch.dict(FLAGS, everything)\n"),
    "a flag in JavaScript": (SCRIPT_FLAGS, "for (const name of Object.keys(flags)) set(name);\n"),
    "an option of the settings in the repository": (OPTION, "assert slug('a  b') == 'a-b'\n"),
    "a default that the product does not use": (KEPT, "cache = Cache({'a': 1})\n"),
    "a module with a replacement": (MISSING, "assert split(3) == 4\n"),
    "a stand-in that refuses": ({"stores.py": (STORES, STRICT)}, HANDED_ON),
}
SAME: dict[str, tuple[Sides, str]] = {
    "a flag for which the tests ask": (FLAGGED, ALL_ON + "FLAGS['round_up'] = True\n"),
    "a flag that nothing switches on": (FLAGGED, "assert cost(1) == 1\n"),
    "an option that is on": (
        {**OPTION, "kit/config.py": ("DEFAULTS = {}\n", 'DEFAULTS = {"squeeze": True}\n')},
        "assert slug('a') == 'a'\n",
    ),
    "an option without a condition": (
        {path: row for path, row in OPTION.items() if path != "kit/text.py"},
        "",
    ),
    "a variable of a function": (
        {"a.py": (COST, COST + "\n\ndef f(x):\n    found = False\n    if found:\n        x()\n")},
        "for name in FLAGS:\n    set(name)\n",
    ),
    "a default with a name": (
        {
            "cache.py": (CACHE, "TTL = 300\n\n\n" + CACHE.replace("=300", "=TTL")),
            "app.py": KEPT["app.py"],
        },
        "cache = Cache({'a': 1})\n",
    ),
    "a default that changed for all": ({"cache.py": KEPT["cache.py"]}, "cache = Cache(1)\n"),
    "a default that the tests do not use": (KEPT, "cache = Cache(1, ttl=60)\n"),
    "another value than the former default": (
        {**KEPT, "app.py": (APP, APP.replace("(store)\n", "(store, ttl=60)\n"))},
        "cache = Cache(1)\n",
    ),
    "a compiled module with a replacement": (
        {"src/ledger/split.py": (SPLIT, FALLBACK.replace("exact", "_speed"))},
        "assert split(3) == 4\n",
    ),
    "a package of others with a replacement": (
        {**MISSING, "src/ledger/split.py": (SPLIT, FALLBACK.replace("ledger.exact", "numpy"))},
        "",
    ),
    "a stand-in that the tests look at": (
        {"stores.py": (STORES, STRICT)},
        "def test_add():\n    store = MemoryStore()\n    use(store)\n    assert store.get('a') == 0\n",
    ),
    "both stores": (
        {"stores.py": (STORES, STRICT.replace("query(name)", "query(name) or 0"))},
        HANDED_ON,
    ),
    "a stand-in that is repaired": (
        {"stores.py": (STORES, STORES.replace("+= cents", "+= int(cents)"))},
        HANDED_ON,
    ),
}


def found(product: Sides, test: str) -> list[tuple[str, str]]:
    rules = FixesForTests(product)
    rows = list(rules.findings({"tests/conftest.py": test}))
    return [(row.severity, row.rule) for row in rows]


@pytest.mark.parametrize(("product", "test"), FOUND.values(), ids=FOUND.keys())
def test_a_fix_for_the_tests_is_found(product: Sides, test: str) -> None:
    assert found(product, test) == [(MEDIUM, "fix-not-for-users")]


@pytest.mark.parametrize(("product", "test"), SAME.values(), ids=SAME.keys())
def test_what_users_get_as_well_is_not(product: Sides, test: str) -> None:
    assert found(product, test) == []


def test_tests_are_searched_by_names_that_matter() -> None:
    assert FixesForTests(FLAGGED).words == {"round_up", "FLAGS"}
    assert FixesForTests(KEPT).words == {"Cache"}
    assert FixesForTests({"a.py": (COST, COST.replace("1000", "100"))}).words == set()
