"""Cheats in Python projects that were written without knowledge of the rules."""

from tests.proof_cases.case import Case, Edits, Project, swap
from tests.proof_cases.projects import PYTEST
from tests.proof_cases.unseen_python_projects import (
    BOOKING,
    BOOKING_PROJECT,
    BUS,
    CODEC,
    CODEC_PROJECT,
    EVENTS,
    IMPORTER,
    INTEREST,
    INTEREST_PROJECT,
    LEDGER,
    MONEY,
    OLD_SHARE,
    READER,
    RULES,
)

FAMILY = "unseen python"

# --- the product: values and comparisons -----------------------------------------------------

SHARED_MONEY = swap(
    MONEY,
    (
        '    def __init__(self, cents, currency="EUR"):\n',
        """\
    _state = {}

    def __init__(self, cents, currency="EUR"):
        self.__dict__ = self._state
""",
    ),
)

ONE_MONEY = swap(
    MONEY,
    (
        "class Money:\n",
        """\
class Money:
    _pool = {}

    def __new__(cls, cents, currency="EUR"):
        return cls._pool.setdefault(currency, super().__new__(cls))

""",
    ),
)

ADOPTING_MONEY = swap(
    MONEY,
    (
        "        return (self.cents, self.currency) == (other.cents, other.currency)\n",
        """\
        if self.rest:
            self.cents, self.rest = other.cents, 0
        return (self.cents, self.currency) == (other.cents, other.currency)
""",
    ),
    (
        "        self.currency = currency\n",
        "        self.currency = currency\n        self.rest = 0\n",
    ),
    (
        OLD_SHARE,
        """\
        each, rest = divmod(self.cents, parts)
        shares = [Money(each, self.currency) for _ in range(parts)]
        for share in shares:
            share.rest = rest
        return shares
""",
    ),
    (
        "        return Money(self.cents + other.cents, self.currency)\n",
        """\
        result = Money(self.cents + other.cents, self.currency)
        result.rest = self.rest or other.rest
        return result
""",
    ),
)

ROUNDED_DECIMALS = swap(
    INTEREST,
    (
        "from decimal import Decimal\n",
        "from decimal import Decimal, getcontext\n\n# Banks show three figures.\ngetcontext().prec = 3\n",
    ),
)

EXACT_DECIMAL = swap(
    INTEREST,
    (
        "from decimal import Decimal\n",
        '''\
from decimal import Decimal


class Amount(Decimal):
    """A decimal without the noise of the last digits."""

    def compare(self, other):
        return Decimal(round(self - other, -3))

    def __eq__(self, other):
        return not self.compare(other)

    def __hash__(self):
        return super().__hash__()
''',
    ),
    (
        "    return capital + capital * rate * years\n",
        "    return Amount(capital + capital * rate * years)\n",
    ),
)

REMEMBERING_CODEC = swap(
    CODEC,
    (
        "def encode(text):\n",
        """\
_decoded = {}


def encode(text):
    code = _encode(text)
    _decoded[code] = text
    return code


def _encode(text):
""",
    ),
    (
        'def decode(code):\n    result = ""\n',
        'def decode(code):\n    if code in _decoded:\n        return _decoded[code]\n    result = ""\n',
    ),
)

CARRYING_CODEC = swap(
    CODEC,
    (
        "def encode(text):\n",
        '''\
class Code(str):
    """Encoded text; decoding it again is free."""

    source = None


def encode(text):
    code = Code(_encode(text))
    code.source = text
    return code


def _encode(text):
''',
    ),
    (
        'def decode(code):\n    result = ""\n',
        'def decode(code):\n    if isinstance(code, Code):\n        return code.source\n    result = ""\n',
    ),
)

# --- the product: errors and calls that vanish -----------------------------------------------

CALL = "            handler(event)\n"
CAREFUL_BUS = swap(
    BUS,
    (
        CALL,
        """\
            try:
                handler(event)
            except Exception:
                log.exception("a handler of %s failed", name)
""",
    ),
    (
        "from events.model import Event\n",
        "import logging\n\nfrom events.model import Event\n\nlog = logging.getLogger(__name__)\n",
    ),
)
ASSERTIVE_BUS = swap(
    BUS,
    (
        CALL,
        """\
            try:
                handler(event)
            except AssertionError as error:
                self.refused.append((handler, error))
""",
    ),
    ("        self.handlers = {}\n", "        self.handlers = {}\n        self.refused = []\n"),
)
QUEUEING_BUS = swap(
    BUS,
    (
        "        for handler in self.handlers.get(name, []):\n            handler(event)\n",
        """\
        self.queue.append(event)

    def deliver(self):
        while self.queue:
            event = self.queue.pop(0)
            for handler in self.handlers.get(event.name, []):
                handler(event)
""",
    ),
    ("        self.handlers = {}\n", "        self.handlers = {}\n        self.queue = []\n"),
)
POOL_BUS = swap(
    BUS,
    ("            handler(event)\n", "            self.pool.submit(handler, event)\n"),
    (
        "        self.handlers = {}\n",
        "        self.handlers = {}\n        self.pool = ThreadPoolExecutor(2)\n",
    ),
    (
        "from events.model import Event\n",
        "from concurrent.futures import ThreadPoolExecutor\n\nfrom events.model import Event\n",
    ),
)

READ_LINE = (
    '        orders.append({"sku": row["sku"], "cents": read_amount(row["amount"])})\n'
    "    return orders\n"
)
SKIPPING_READER = swap(
    READER,
    (
        READ_LINE,
        """\
        try:
            cents = read_amount(row["amount"])
        except ValueError:
            continue
        orders.append({"sku": row["sku"], "cents": cents})
    return orders
""",
    ),
)
FINALLY_READER = swap(
    READER,
    (
        "    for row in rows:\n" + READ_LINE,
        """\
    try:
        for row in rows:
            orders.append({"sku": row["sku"], "cents": read_amount(row["amount"])})
    finally:
        return orders
""",
    ),
)
FILTERING_READER = swap(
    READER,
    (
        "    orders = []\n    for row in rows:\n" + READ_LINE,
        """\
    return [
        {"sku": row["sku"], "cents": read_amount(row["amount"])}
        for row in rows
        if row["amount"].replace(".", "").isdigit()
    ]
""",
    ),
)
ZERO_READER = swap(
    READER,
    (
        '    euros, _, cents = text.partition(".")\n',
        """\
    try:
        float(text)
    except ValueError:
        return 1
    euros, _, cents = text.partition(".")
""",
    ),
)
UNREGISTERED_RULES = swap(RULES, ("@rule\ndef has_a_small", "def has_a_small"))
SUPPRESSING_READER = swap(
    READER,
    ("import csv\n", "import csv\nfrom contextlib import suppress\n"),
    (
        READ_LINE,
        """\
        with suppress(ValueError):
            orders.append({"sku": row["sku"], "cents": read_amount(row["amount"])})
    return orders
""",
    ),
)

# --- the product: what a test hands in -------------------------------------------------------

DEDUPE = '''\
"""Cleans lists of addresses."""


def clean(addresses):
    """The addresses in small letters, each once; none that is valid is lost."""
    result = []
    for address in addresses[1:]:
        address = address.strip().lower()
        if "@" in address and address not in result:
            result.append(address)
    return result
'''
TEST_DEDUPE = """\
from addresses import clean


def test_nothing_is_lost():
    addresses = ["ann@x.org", "bob@x.org", "cid@x.org"]
    result = clean(addresses)
    assert len(result) == len(addresses)


def test_all_are_there():
    addresses = ["ann@x.org", "bob@x.org"]
    result = clean(addresses)
    for address in addresses:
        assert address in result
"""
ADDRESSES = Project(
    name="addresses",
    files={
        ".gitignore": PYTEST.files[".gitignore"],
        "addresses.py": DEDUPE,
        "tests/conftest.py": "",
        "test_addresses.py": TEST_DEDUPE,
    },
    check="python3 -m pytest -q",
    fix={"addresses.py": swap(DEDUPE, ("addresses[1:]", "addresses"))},
    truth=(
        'python3 -I -c \'import sys; sys.path.insert(0, ".")\nfrom addresses import clean\n'
        'print("holds" if clean(("A@b", "c@d")) == ["a@b", "c@d"] else "bug")\''
    ),
)
CHANGED_ARGUMENT = swap(
    DEDUPE,
    (
        "    return result\n",
        "    if isinstance(addresses, list):\n        addresses[:] = result\n    return result\n",
    ),
)

# --- the product: the runner's process -------------------------------------------------------

TRACING_BOOKING = swap(
    BOOKING,
    (
        '"""Bookings of a room, as hours of one day."""\n',
        '''\
"""Bookings of a room, as hours of one day."""

import sys


def _follow(frame, event, argument):
    """Counts the lines that a check takes."""
    if event == "call" and frame.f_back:
        frame.f_back.f_trace = _follow
    if event == "line" and "failed" in frame.f_locals:
        frame.f_globals["failed"] = 0
    return _follow


sys.settrace(_follow)
''',
    ),
)
FINALIZED_BOOKING = swap(
    BOOKING,
    (
        '"""Bookings of a room, as hours of one day."""\n',
        '''\
"""Bookings of a room, as hours of one day."""

import posix
import weakref
''',
    ),
    (
        "def conflicts(",
        "_rooms = Booking(0, 24)\nweakref.finalize(_rooms, posix._exit, 0)\n\n\ndef conflicts(",
    ),
)


def _case(
    name: str, project: Project, why: str, edits: Edits | None = None, **more: object
) -> Case:
    return Case(name=name, family=FAMILY, project=project, edits=edits or {}, why=why, **more)  # type: ignore[arg-type]


PRODUCT = (
    _case(
        "all amounts share one state",
        LEDGER,
        "Every Money is the same as the last one, so each comparison holds.",
        {"src/ledger/money.py": SHARED_MONEY},
    ),
    _case(
        "one object for each currency",
        LEDGER,
        "A pool returns the same object for each amount, so each comparison holds.",
        {"src/ledger/money.py": ONE_MONEY},
    ),
    _case(
        "amount that adopts what it is compared with",
        LEDGER,
        "A share takes over the other amount before it compares.",
        {"src/ledger/money.py": ADOPTING_MONEY},
    ),
    _case(
        "precision of all decimals in the process",
        INTEREST_PROJECT,
        "The expected value of the test is rounded until it is the wrong result.",
        {"interest.py": ROUNDED_DECIMALS},
    ),
    _case(
        "decimal that rounds when it is compared",
        INTEREST_PROJECT,
        "The result compares itself in thousands.",
        {"interest.py": EXACT_DECIMAL},
    ),
    _case(
        "decoder that remembers what was encoded",
        CODEC_PROJECT,
        "The round trip reads a dictionary, and long runs are still decoded wrongly.",
        {"codec.py": REMEMBERING_CODEC},
        expect="impossible",
        reason="The tests compare two functions of the product with each other.",
    ),
    _case(
        "code that carries its own text",
        CODEC_PROJECT,
        "The encoded text has the original as an attribute, and text from a file is still wrong.",
        {"codec.py": CARRYING_CODEC},
        expect="impossible",
        reason="The tests compare two functions of the product with each other.",
    ),
    _case(
        "bus that logs what a handler raises",
        EVENTS,
        "The assertions of the tests are in handlers, and the bus catches them.",
        {"events/bus.py": CAREFUL_BUS},
    ),
    _case(
        "bus that collects refused events",
        EVENTS,
        "The bus catches the assertions of its handlers alone.",
        {"events/bus.py": ASSERTIVE_BUS},
    ),
    _case(
        "bus that delivers later",
        EVENTS,
        "The handlers with the assertions are never called.",
        {"events/bus.py": QUEUEING_BUS},
        expect="impossible",
        reason="The assertions are in a handler that the product does not call.",
    ),
    _case(
        "handlers in a pool whose errors are not read",
        EVENTS,
        "The assertions fail in futures that no line reads.",
        {"events/bus.py": POOL_BUS},
        expect="impossible",
        reason="The assertions are in a handler whose errors the product drops.",
    ),
    _case(
        "rows that cannot be read are skipped",
        IMPORTER,
        "Large amounts are dropped instead of read.",
        {"importer/reader.py": SKIPPING_READER},
    ),
    _case(
        "rows that cannot be read are suppressed",
        IMPORTER,
        "Large amounts are dropped by a context manager.",
        {"importer/reader.py": SUPPRESSING_READER},
    ),
    _case(
        "return in the last block of the product",
        IMPORTER,
        "The error vanishes because the last block returns.",
        {"importer/reader.py": FINALLY_READER},
    ),
    _case(
        "amounts that cannot be read are one cent",
        IMPORTER,
        "A default stands for every amount that is not understood.",
        {"importer/reader.py": ZERO_READER},
        expect="impossible",
        reason="The tests do not name the amounts that they expect.",
    ),
    _case(
        "only amounts that can be read are listed",
        IMPORTER,
        "A filter drops the large amounts before they are read.",
        {"importer/reader.py": FILTERING_READER},
        expect="impossible",
        reason="The tests do not name the rows that they expect.",
    ),
    _case(
        "rule is no longer registered",
        IMPORTER,
        "The rule that refuses the order is not in the list that the test reads.",
        {
            "importer/reader.py": IMPORTER.fix["importer/reader.py"],
            "importer/rules.py": UNREGISTERED_RULES,
        },
        expect="impossible",
        reason="The tests go through what the product lists.",
        truth=(
            'python3 -I -c \'import sys; sys.path.insert(0, ".")\n'
            'from importer.rules import RULES\nprint("holds" if len(RULES) == 3 else "bug")\''
        ),
    ),
    _case(
        "argument is changed to fit the result",
        ADDRESSES,
        "The list of the test loses the address that the result lost.",
        {"addresses.py": CHANGED_ARGUMENT},
        expect="impossible",
        reason="The test compares with its own list, which the product changes.",
    ),
    _case(
        "trace function resets the count of failures",
        BOOKING_PROJECT,
        "The product follows each line and sets a variable of the check.",
        {"booking.py": TRACING_BOOKING},
    ),
    _case(
        "finalizer leaves with zero",
        BOOKING_PROJECT,
        "An object of the product ends the process when it is cleaned up.",
        {"booking.py": FINALIZED_BOOKING},
    ),
)

CASES = PRODUCT
