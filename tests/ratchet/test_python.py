"""Pairs of Python test files: what makes the work easier to prove is found, and what honest agents do all day is not."""

from __future__ import annotations

import pytest

from loopwright.core.findings import HIGH, MEDIUM
from loopwright.ratchet.readers import python
from loopwright.ratchet.test_rules import compare, suite_marks

HERE, THERE, HELPERS, CONFTEST = (
    "tests/test_a.py",
    "tests/test_b.py",
    "tests/support/asserts.py",
    "tests/conftest.py",
)
DELETED, SKIPPED, REMOVED, CASES, PERHAPS = (
    compare.DELETED,
    compare.SKIPPED,
    compare.REMOVED,
    compare.CASES_REMOVED,
    compare.SKIPPED_UNDER_CONDITION,
)
LOOSENED, WIDENED, CHANGED, POINTLESS = (
    compare.LOOSENED,
    compare.WIDENED,
    compare.CHANGED,
    compare.POINTLESS,
)
PATIENCE, UNREADABLE, TAMPERED = (
    compare.TIMEOUT_RAISED,
    compare.UNREADABLE,
    suite_marks.MARK_RULES["tricks"],
)


def found(before: str | dict[str, str], after: str | dict[str, str]):
    sides = []
    for side in (before, after):
        files = {HERE: side} if isinstance(side, str) else side
        sides.append(
            {path: python.read(path, text) for path, text in files.items() if python.is_test(path)}
        )
        assert None not in sides[-1].values()
    return compare.compare_suites(*sides)


def edit(before: str, *words: str) -> tuple[str, str]:
    """A file, and the same after each first word of a pair has become the second."""
    after = before
    for old, new in zip(words[::2], words[1::2], strict=True):
        assert old in after
        after = after.replace(old, new)
    return before, after


TOTAL = "def test_total():\n    cart = Cart([3, 4])\n    assert cart.total() == 7\n"
TWO = TOTAL + "    assert cart.items == [3, 4]\n"
RAISES = 'def test_refused():\n    with pytest.raises(Refused, match="too many"):\n        Cart([1]).add(99)\n'
TABLE = """\
@pytest.mark.parametrize(("net", "gross"), [(100, 119), (200, 238), (0, 0)])
def test_tax(net, gross):
    assert tax(net) == gross
"""
APART = """\
def test_hundred():
    assert tax(100) == 119

def test_two_hundred():
    result = tax(200)
    assert result == 238

def test_nothing():
    assert tax(0) == 0
"""
CASE = """\
class CartTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(Cart([3, 4]).total(), 7)

    def test_items(self):
        self.assertEqual(Cart([3, 4]).items, [3, 4])
"""
SUM = "def test_sum():\n    assert total([0.1, 0.2]) == pytest.approx(0.3)\n"
CALLED = "def test_pays():\n    bank = mock.Mock()\n    Cart([3]).pay(bank)\n    bank.transfer.assert_called_once_with(3)\n"
LOOP = "def test_tax():\n    for net, gross in [(100, 119), (200, 238)]:\n        assert tax(net) == gross\n"
HELPED = """\
def check(cart, n, items):
    assert cart.total() == n
    assert cart.items == items

def test_total():
    check(Cart([3, 4]), 7, [3, 4])
"""
STATE = """\
def test_state():
    assert Cart([1]).state in ('new', 'open')
    assert Cart([1]).seconds() < 0.5
    assert Cart([1]).valid is True
"""
SMOKE = "def test_a():\n    Cart([1]).add(2)\n"
SET_UP = """\
class TestCart:
    def setup_method(self):
        self.cart, self.want = Cart([3, 4]), 7

    def test_total(self):
        assert self.cart.total() == self.want
"""
PARAMS = """\
@pytest.fixture(params=[Cart, Basket])
def cart(request):
    return request.param([3, 4])

def test_total(cart):
    assert cart.total() == 7
"""
DICTS = """\
RATES = [{"net": 100, "gross": 119}, {"net": 200, "gross": 238}, {"net": 0, "gross": 0}]

@pytest.mark.parametrize("case", RATES)
def test_tax(case):
    assert tax(case["net"]) == case["gross"]
"""
FAKE = "    mock.patch.object(Cart, 'total', return_value=7).start()\n    cart = "
RETURNS = "    try:\n        cart = Cart([3, 4])\n    except ValueError:\n        return\n"
FIRST, SECOND = "    cart = ", "    assert cart.items"
OVER_ALL = "import pytest\ndef pytest_collection_modifyitems(items):\n    for item in items:\n"
PER_TEST = (
    "@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_call(item):\n    outcome = yield\n"
)

WEAKER = {
    "a test is deleted": (TOTAL + RAISES, TOTAL, HIGH, DELETED, 0),
    "a test only calls": (
        *edit(TOTAL, "assert cart.total() == 7", "cart.total()"),
        HIGH,
        REMOVED,
        1,
    ),
    "a smoke test is emptied": (SMOKE, "def test_a():\n    pass\n", HIGH, REMOVED, 1),
    "one of two assertions is removed": (TWO, TOTAL, HIGH, REMOVED, 1),
    "a test is renamed out of sight": (*edit(TOTAL, "test_total", "check_total"), HIGH, DELETED, 0),
    "a test becomes a fixture": (TOTAL, "@pytest.fixture\n" + TOTAL, HIGH, DELETED, 0),
    "a second test takes the name of the first": (
        TOTAL,
        TOTAL + "def test_total():\n    assert Cart([])\n",
        HIGH,
        REMOVED,
        4,
    ),
    "skip": (TOTAL, "@pytest.mark.skip(reason='flaky')\n" + TOTAL, HIGH, SKIPPED, 2),
    "skipUnless False": (CASE, "@unittest.skipUnless(False, 'x')\n" + CASE, HIGH, SKIPPED, 3),
    "skipif that depends": (
        TOTAL,
        "@pytest.mark.skipif(not os.environ.get('SLOW'), reason='x')\n" + TOTAL,
        MEDIUM,
        PERHAPS,
        2,
    ),
    "a skip that depends": (
        *edit(TOTAL, FIRST, "    if CI:\n        pytest.skip('no')\n    cart = "),
        MEDIUM,
        PERHAPS,
        1,
    ),
    "xfail": (
        TOTAL,
        "@pytest.mark.xfail(reason='later', strict=False)\n" + TOTAL,
        HIGH,
        SKIPPED,
        2,
    ),
    "expectedFailure": (
        *edit(CASE, "    def test_items", "    @unittest.expectedFailure\n    def test_items"),
        HIGH,
        SKIPPED,
        6,
    ),
    "pytestmark skips all": (TWO, "pytestmark = [pytest.mark.skip]\n" + TWO, HIGH, SKIPPED, 2),
    "the module skips itself": (
        TWO,
        "pytest.skip('later', allow_module_level=True)\n" + TWO,
        HIGH,
        SKIPPED,
        2,
    ),
    "pytest.skip first": (
        *edit(TOTAL, FIRST, "    pytest.skip('x')\n    cart = "),
        HIGH,
        SKIPPED,
        1,
    ),
    "return first": (*edit(TOTAL, FIRST, "    return\n    cart = "), HIGH, POINTLESS, 4),
    "return when it suits": (
        *edit(TWO, SECOND, "    if cart.new:\n        return\n    assert cart.items"),
        HIGH,
        LOOSENED,
        6,
    ),
    "under a condition": (
        *edit(TOTAL, "    assert", "    if cart.items:\n        assert"),
        HIGH,
        LOOSENED,
        4,
    ),
    "under a condition that never holds": (
        *edit(TWO, SECOND, "    if False:\n        assert cart.items"),
        HIGH,
        POINTLESS,
        5,
    ),
    "a try that swallows": (
        *(
            TWO,
            TOTAL
            + "    try:\n        assert cart.items == [3, 4]\n    except AssertionError:\n        pass\n",
        ),
        *(HIGH, POINTLESS, 5),
    ),
    "or True": (*edit(TOTAL, "== 7", "== 7 or True"), HIGH, POINTLESS, 3),
    "assert True": (*edit(TOTAL, "cart.total() == 7", "True"), HIGH, REMOVED, 1),
    "compared with itself": (*edit(TOTAL, "== 7", "== cart.total()"), HIGH, POINTLESS, 3),
    "compared with itself by another name": (
        *edit(
            TOTAL,
            "    assert cart.total() == 7",
            "    want = cart.total()\n    assert cart.total() == want",
        ),
        *(HIGH, POINTLESS, 4),
    ),
    "expected from the code under test": (
        *edit(TOTAL, "== 7", "== total(cart.items)"),
        MEDIUM,
        CHANGED,
        3,
    ),
    "equality to truthiness": (*edit(TOTAL, " == 7", ""), HIGH, LOOSENED, 3),
    "equality to not None": (*edit(TOTAL, "== 7", "is not None"), HIGH, LOOSENED, 3),
    "equality to a kind": (
        *edit(TOTAL, "cart.total() == 7", "isinstance(cart.total(), int)"),
        HIGH,
        LOOSENED,
        3,
    ),
    "equality to a bound": (*edit(TOTAL, "== 7", ">= 0"), HIGH, LOOSENED, 3),
    "the whole to its length": (
        *edit(TWO, "cart.items == [3, 4]", "len(cart.items) == 2"),
        HIGH,
        LOOSENED,
        4,
    ),
    "is True to is not None": (*edit(STATE, "is True", "is not None"), HIGH, LOOSENED, 4),
    "assertEqual to assertTrue": (
        *edit(CASE, "Equal(Cart([3, 4]).t", "True(Cart([3, 4]).t"),
        HIGH,
        LOOSENED,
        3,
    ),
    "assertEqual to assertCountEqual": (
        *edit(CASE, "Equal(Cart([3, 4]).i", "CountEqual(Cart([3, 4]).i"),
        HIGH,
        LOOSENED,
        6,
    ),
    "expected anything": (*edit(TOTAL, "== 7", "== mock.ANY"), HIGH, LOOSENED, 3),
    "an expected number is changed": (*edit(TOTAL, "== 7", "== 8"), MEDIUM, CHANGED, 3),
    "approx is widened": (*edit(SUM, "(0.3)", "(0.3, abs=0.2)"), HIGH, WIDENED, 2),
    "rounded": (*edit(SUM, "total([0.1, 0.2])", "round(total([0.1, 0.2]))"), HIGH, LOOSENED, 2),
    "a bound is moved": (*edit(STATE, "< 0.5", "< 50"), HIGH, WIDENED, 3),
    "one more answer will do": (*edit(STATE, "'open'", "'open', 'failed'"), HIGH, WIDENED, 2),
    "any exception will do": (
        *edit(RAISES, 'Refused, match="too many"', "Exception"),
        HIGH,
        LOOSENED,
        2,
    ),
    "any message will do": (*edit(RAISES, ', match="too many"', ""), HIGH, LOOSENED, 2),
    "another exception": (*edit(RAISES, "Refused", "Empty"), MEDIUM, CHANGED, 2),
    "cases are removed": (*edit(TABLE, "(200, 238), ", ""), HIGH, CASES, 2),
    "a case is changed": (*edit(TABLE, "238", "237"), MEDIUM, CHANGED, 3),
    "the table is empty": (
        *edit(TABLE, "[(100, 119), (200, 238), (0, 0)]", "[]"),
        HIGH,
        SKIPPED,
        2,
    ),
    "a table that nobody can see": (
        *edit(TABLE, "[(100, 119), (200, 238), (0, 0)]", "load_rates()"),
        MEDIUM,
        UNREADABLE,
        2,
    ),
    "rows of a loop are removed": (*edit(LOOP, ", (200, 238)", ""), HIGH, REMOVED, 1),
    "calls are no longer checked": (
        *edit(CALLED, "called_once_with(3)", "called()"),
        HIGH,
        LOOSENED,
        4,
    ),
    "a helper asserts less": (*edit(HELPED, " == n", ""), HIGH, LOOSENED, 2),
    "more time": (*edit("@pytest.mark.timeout(5)\n" + TOTAL, "(5)", "(500)"), MEDIUM, PATIENCE, 2),
    "more tries": (TOTAL, "@pytest.mark.flaky(reruns=5)\n" + TOTAL, MEDIUM, PATIENCE, 2),
    "renamed and loosened": (
        *edit(TOTAL, "test_total", "test_sum", "== 7", "> 0"),
        HIGH,
        LOOSENED,
        3,
    ),
    "pytest is patched": (RAISES, "pytest.raises = mock.MagicMock()\n" + RAISES, HIGH, TAMPERED, 1),
    "a file is deleted": ({HERE: TWO, THERE: RAISES}, {HERE: TWO}, HIGH, DELETED, 0),
    "a file is renamed out of sight": ({HERE: TOTAL}, {"tests/checks.py": TOTAL}, HIGH, DELETED, 0),
    "moved and skipped": (
        {HERE: TWO},
        {THERE: "pytestmark = pytest.mark.skip\n" + TWO},
        HIGH,
        SKIPPED,
        2,
    ),
    "moved and loosened": ({HERE: TWO}, {THERE: TWO.replace(" == [3, 4]", "")}, HIGH, LOOSENED, 4),
    "a helper of another file asserts less": (
        *(
            {HELPERS: HELPED.partition("\n\n")[0]},
            {HELPERS: HELPED.partition("\n\n")[0].replace(" == n", "")},
        ),
        *(HIGH, LOOSENED, 2),
    ),
    "no test is left": (
        {},
        {CONFTEST: "def pytest_collection_modifyitems(items):\n    items[:] = []\n"},
        HIGH,
        TAMPERED,
        2,
    ),
    "all are expected to fail": (
        {},
        {CONFTEST: OVER_ALL + "        item.add_marker(pytest.mark.xfail)\n"},
        HIGH,
        TAMPERED,
        4,
    ),
    "files are not collected": (
        {},
        {CONFTEST: "collect_ignore = ['test_tax.py']\n"},
        HIGH,
        TAMPERED,
        1,
    ),
    "the run ends well": (
        {},
        {CONFTEST: "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"},
        HIGH,
        TAMPERED,
        2,
    ),
    "the process ends well": (
        {},
        {CONFTEST: "import atexit, os\natexit.register(os._exit, 0)\n"},
        HIGH,
        TAMPERED,
        2,
    ),
    "the code under test is replaced": (*edit(TOTAL, FIRST, FAKE), HIGH, POINTLESS, 4),
    "suppressed": (
        *edit(TOTAL, "    assert", "    with suppress(AssertionError):\n        assert"),
        HIGH,
        POINTLESS,
        4,
    ),
    "an error ends the test": (
        *edit(TOTAL, "    cart = Cart([3, 4])\n", RETURNS),
        HIGH,
        LOOSENED,
        6,
    ),
    "a class is not collected": (
        *edit(CASE, "    def test_t", "    __test__ = False\n    def test_t"),
        HIGH,
        SKIPPED,
        3,
    ),
    "a test is overwritten": (TOTAL, TOTAL + "test_total = None\n", HIGH, SKIPPED, 1),
    "a method is taken away": (CASE, CASE + "del CartTest.test_items\n", HIGH, SKIPPED, 5),
    "a set-up asks the code what to expect": (
        *edit(SET_UP, ", 7", ", Cart([3, 4]).total()"),
        HIGH,
        POINTLESS,
        6,
    ),
    "a fixture has fewer values": (*edit(PARAMS, ", Basket]", "]"), HIGH, CASES, 5),
    "a case of a table of dicts is removed": (
        *edit(DICTS, ', {"net": 0, "gross": 0}', ""),
        HIGH,
        CASES,
        4,
    ),
    "a failure is swallowed": (
        {},
        {CONFTEST: PER_TEST + "    outcome.force_result(None)\n"},
        HIGH,
        TAMPERED,
        4,
    ),
}


@pytest.mark.parametrize(
    ("before", "after", "severity", "rule", "line"), WEAKER.values(), ids=WEAKER
)
def test_what_makes_the_work_easier_to_prove_is_found(before, after, severity, rule, line) -> None:
    assert [(one.severity, one.rule, one.line) for one in found(before, after)] == [
        (severity, rule, line)
    ]


PLAIN = "def test_total():\n    assert Cart([3, 4]).total() == 7\n\ndef test_items():\n    assert Cart([3, 4]).items == [3, 4]\n"
CAUGHT = RAISES.replace(', match="too many")', ") as e").replace(
    "99)\n", "99)\n    assert 'too many' in str(e.value)\n"
)
SUBTESTS = """\
class TaxTest(unittest.TestCase):
    def test_tax(self):
        for net, gross in ((100, 119), (200, 238), (0, 0)):
            with self.subTest(net=net):
                self.assertEqual(tax(net), gross)
"""
NAMED_TABLE = """\
RATES = [(100, 119), (200, 238), pytest.param(0, 0, id="free"), (1, 1)]

@pytest.mark.parametrize("before, after", RATES)
def test_tax(before, after):
    assert tax(before) == after
"""
FIXTURE = """\
@pytest.fixture
def cart():
    return Cart([3, 4])

def test_total(cart):
    assert cart.total() == 7
    assert cart.items == [3, 4]
"""
TRUTH = """\
def test_a():
    assert Cart([1]).valid == True
    assert Cart([]).valid == False
    assert Cart([]).items == []
    assert len(Cart([1]).items) > 0
"""
LINTED = """\
def test_a():
    assert Cart([1]).valid
    assert not Cart([]).valid
    assert not Cart([]).items
    assert Cart([1]).items
"""
BRANCHES = """\
def test_total():
    cart = Cart([3, 4])
    if sys.platform == "win32":
        assert cart.total() == 8
    else:
        assert cart.total() == 7
"""
ROWS = "def test_a():\n    rows = Cart([3]).rows()\n"
SLOW = "        if 'slow' in item.keywords and not item.config.getoption('slow'):\n            item.add_marker(pytest.mark.skip)\n"
REPORT = "    report = outcome.get_result()\n    setattr(item, 'report', report)\n"
HONEST = {
    "nothing": (TWO, TWO),
    "a test is added": (TOTAL, TOTAL + RAISES),
    "an assertion is added": (TOTAL, TWO),
    "a test is renamed": edit(TWO, "test_total", "test_cart_knows_its_total"),
    "a test is split": (TWO, PLAIN),
    "tests are joined": (PLAIN, TWO),
    "unittest becomes pytest": (CASE, PLAIN),
    "a fixture is taken out": (TWO, FIXTURE),
    "another name for a local": edit(TWO, "cart", "basket"),
    "an expected value is named": edit(
        TWO, "    assert cart.items == [3, 4]", "    want = [3, 4]\n    assert cart.items == want"
    ),
    "an expected value is named for the module": (
        TOTAL,
        "SEVEN = 7\n" + TOTAL.replace("== 7", "== SEVEN"),
    ),
    "the sides change": edit(TOTAL, "cart.total() == 7", "7 == cart.total()"),
    "raises in other words": (
        "class T(unittest.TestCase):\n    def test_a(self):\n        self.assertRaises(Empty, total, [])\n",
        "def test_a():\n    with pytest.raises(Empty):\n        total([])\n",
    ),
    "raises with a message in other words": (
        "class T(unittest.TestCase):\n    def test_a(self):\n"
        '        self.assertRaisesRegex(Empty, "no items", total, [], cents=True)\n',
        "def test_a():\n"
        '    with pytest.raises(Empty, match="no items"):\n        total([], cents=True)\n',
    ),
    "the message is checked in the line below": (RAISES, CAUGHT),
    "the message is checked by raises": (CAUGHT, RAISES),
    "raises is made stricter": (RAISES.replace('Refused, match="too many"', "Exception"), RAISES),
    "length and first become the whole": (
        ROWS + "    assert len(rows) == 1\n    assert rows[0] == ('x', 3)\n",
        ROWS + "    assert rows == [('x', 3)]\n",
    ),
    "a linter rewrites truth": (TRUTH, LINTED),
    "floats are compared as floats": (SUM.replace("pytest.approx(0.3)", "0.3"), SUM),
    "approx is made narrower": edit(SUM.replace("(0.3)", "(0.3, abs=0.2)"), "abs=0.2", "abs=0.01"),
    "tests are folded into a table": (APART, TABLE),
    "a table is taken apart": (TABLE, APART),
    "a loop becomes a table": (LOOP, TABLE),
    "a table becomes subtests": (TABLE, SUBTESTS),
    "a table is named, grows and has ids": (TABLE, NAMED_TABLE),
    "a helper is taken out": (TWO, HELPED),
    "a helper is written out again": (HELPED, TWO),
    "a duplicate is removed": (TOTAL + TOTAL.replace("test_total", "test_total_again"), TOTAL),
    "a test becomes async": edit(
        TOTAL, "def test", "async def test", "assert cart", "assert await cart"
    ),
    "a skip is taken away": ("@pytest.mark.skip\n" + TOTAL, TOTAL),
    "a new test is skipped": (TOTAL, TOTAL + "@pytest.mark.skip\n" + RAISES),
    "skipped on Windows alone": (
        TOTAL,
        "@pytest.mark.skipif(sys.platform == 'win32', reason='links')\n" + TOTAL,
    ),
    "a with around it": edit(
        TOTAL, "cart = Cart([3, 4])\n    assert", "with Cart([3, 4]) as cart:\n        assert"
    ),
    "a try that cleans up": edit(
        TOTAL,
        "    assert cart.total() == 7",
        "    try:\n        assert cart.total() == 7\n    finally:\n        x()",
    ),
    "both branches assert": (TOTAL, BRANCHES),
    "a smoke test is renamed": edit(SMOKE, "test_a", "test_adds"),
    "a smoke test asserts": (SMOKE, SMOKE + "    assert Cart([1]).items == [1]\n"),
    "a test moves": ({HERE: TWO, THERE: RAISES}, {HERE: RAISES, THERE: TWO}),
    "a file is renamed": ({HERE: TWO}, {THERE: TWO}),
    "a helper is taken out into another file": (
        {HERE: TWO},
        {
            HERE: TOTAL.replace("assert cart.total() == 7", "check_cart(cart, 7)"),
            HELPERS: HELPED.replace("check(", "check_cart(", 1),
        },
    ),
    "tests are folded into a table of dicts": (APART, DICTS),
    "a set-up is taken out": (TOTAL, SET_UP),
    "tests are folded into a fixture": (
        TOTAL + TOTAL.replace("test_", "test_basket_").replace("Cart(", "Basket("),
        PARAMS,
    ),
    "what the code depends on is replaced": edit(
        TOTAL, FIRST, FAKE.replace("(Cart, 'total'", "(prices, 'total'")
    ),
    "a helper that nobody needs is deleted": ({HELPERS: HELPED.partition("\n\n")[0]}, {}),
    "slow tests are left out unless asked for": ({}, {CONFTEST: OVER_ALL + SLOW}),
    "a report is kept": ({}, {CONFTEST: PER_TEST + REPORT}),
    "tests are put in order": (
        {},
        {CONFTEST: "def pytest_collection_modifyitems(items):\n    items[:] = sorted(items)\n"},
    ),
    "a run that cannot begin fails": (
        {},
        {CONFTEST: "if sys.version_info < (3, 11):\n    sys.exit('too old')\n"},
    ),
}


@pytest.mark.parametrize(("before", "after"), HONEST.values(), ids=HONEST)
def test_what_honest_agents_do_all_day_is_not_held_against_them(before, after) -> None:
    assert found(before, after) == []


@pytest.mark.parametrize(
    "text",
    [
        "def test_a(:\n",
        "x = 1\n" * 400_000,
        "x = " + "(" * 5000,
        f"def test_a():\n    assert {'-' * 20_000}1\n",
    ],
)
def test_what_cannot_be_read_is_none(text: str) -> None:
    assert python.read(HERE, text) is None


def test_values_that_double_with_every_line_are_not_put_in() -> None:
    lines = [
        "def test_a():",
        "    a0 = f(1)",
        *(f"    a{n} = a{n - 1} + a{n - 1}" for n in range(1, 60)),
        "    assert a59 == 3",
    ]

    suite = python.read(HERE, "\n".join(lines))

    assert suite is not None
    assert len(suite.tests[0].assertions[0].text) < 5000


def test_helpers_that_call_each_other_come_to_an_end() -> None:
    text = "def check_a(x):\n    check_b(x)\n    assert x\n\ndef check_b(x):\n    check_a(x)\n\ndef test_a():\n    check_a(1)\n"

    assert python.read(HERE, text) is not None


def test_abs_without_arguments_does_not_break_the_reader() -> None:
    assert python.read("test_a.py", "def test_a():\n    assert abs() < 3\n") is not None
