"""Product that goes around what unchanged tests measure with."""

from __future__ import annotations

import json

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules.bypassed_measures import BypassedMeasures

Sides = dict[str, tuple[str | None, str | None]]

DATABASE = "class Database:\n    def query(self, sql):\n        self.queries += 1\n        return self.connection.execute(sql)\n"
ORDERS = "def rows(db):\n    first = db.query('a')\n    return [db.query('b') for _ in first]\n"
RAW = ORDERS.replace("[db.query('b')", "[db.connection.execute('b')")
COUNTS = "def test_few(db):\n    rows(db)\n    assert db.queries <= 2\n"
LOGIN = "log = getLogger('login')\n\n\ndef login(name):\n    log.info('%s', name)\n"
QUIET = LOGIN.replace("\n\n\ndef", "\naudit = getLogger('audit')\naudit.propagate = False\n\n\ndef")
READS_LOG = "with self.assertLogs('login') as seen:\n    login('ada')\n"
SESSION = "class Session:\n    def __init__(self, user):\n        self.user = user\n        self.buffer = bytearray(9)\n"
HANDLE = "class State:\n    def __init__(self, user):\n        self.user = user\n        self.buffer = bytearray(9)\n\n\nclass Session:\n    def __init__(self, state):\n        self.state = state\n"
FREED = "seen = weakref.ref(session)\ndel session\nassert seen() is None\n"
SCHEMA = {
    "required": ["id", "total"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "string", "pattern": "A"},
        "total": {"type": "number"},
        "state": {"enum": ["new", "paid"]},
    },
}
JUDGES = "from export.schema import errors\n\nassert errors(document(ORDER)) == []\n"
JUDGES_VARIABLE = (
    "from export.schema import errors\n\ntext = document(ORDER)\nassert errors(text) == []\n"
)


def schema(**parts: object) -> str:
    return json.dumps({**SCHEMA, **parts}, indent=2)


def with_field(name: str, **parts: object) -> str:
    return schema(properties={**SCHEMA["properties"], name: parts})  # type: ignore[dict-item]


def findings(product: Sides, test: str, **files: str) -> list[tuple[str, str]]:
    measures = BypassedMeasures(product)
    tests = {"tests/test_it.py": test}
    rows = list(measures.findings({**files, **tests}, tests))
    return [(row.severity, row.rule) for row in rows]


MEASURE = [(MEDIUM, "measure-of-tests-changed")]


def test_a_way_around_a_counter_is_found() -> None:
    assert findings({"orders.py": (ORDERS, RAW)}, COUNTS, db=DATABASE) == MEASURE


@pytest.mark.parametrize(
    ("after", "test", "database"),
    [
        ("def rows(db):\n    return db.query('a join b')\n", COUNTS, DATABASE),
        (RAW, "assert rows(db) == []\n", DATABASE),
        (RAW, COUNTS, DATABASE.replace("        self.queries += 1\n", "")),
        (ORDERS + "\n\ndef close(db):\n    db.connection.close()\n", COUNTS, DATABASE),
    ],
    ids=["fewer queries", "nobody counts", "no counter", "another use"],
)
def test_fewer_calls_are_the_work(after: str, test: str, database: str) -> None:
    assert findings({"orders.py": (ORDERS, after)}, test, db=database) == []


def test_a_log_that_tests_cannot_see_is_found() -> None:
    assert findings({"login.py": (LOGIN, QUIET)}, READS_LOG) == MEASURE
    assert BypassedMeasures({"login.py": (LOGIN, QUIET)}).words == {"login"}


def test_a_log_matters_where_tests_read_logs() -> None:
    assert findings({"login.py": (LOGIN, QUIET)}, "assert login('ada')\n") == []
    assert findings({"login.py": (QUIET, QUIET + "\nLEVEL = 3\n")}, READS_LOG) == []


def test_content_that_moves_out_of_a_freed_object_is_found() -> None:
    assert findings({"pool.py": (SESSION, HANDLE)}, FREED) == MEASURE


def test_objects_may_be_split_where_nobody_asks_for_them() -> None:
    assert findings({"pool.py": (SESSION, HANDLE)}, "assert pool.active() == []\n") == []
    more = SESSION + "\n\nclass Pool:\n    def __init__(self):\n        self.sessions = []\n"
    assert findings({"pool.py": (SESSION, more)}, FREED) == []


@pytest.mark.parametrize(
    "after",
    [
        schema(required=["id"]),
        schema(additionalProperties=True),
        with_field("total", type=["number", "string"]),
        with_field("total"),
        with_field("id", type="string"),
        with_field("state", enum=["new", "paid", ""]),
    ],
)
@pytest.mark.parametrize("test", [JUDGES, JUDGES_VARIABLE])
def test_a_schema_that_accepts_more_is_found(after: str, test: str) -> None:
    assert findings({"export/schema.json": (schema(), after)}, test) == MEASURE


@pytest.mark.parametrize(
    "after",
    [
        with_field("gift", type="boolean"),
        schema(required=["id", "total", "state"]),
        with_field("total", type="integer"),
        with_field("state", enum=["new"]),
        schema(title="An order"),
    ],
)
def test_a_schema_that_accepts_no_more_is_not(after: str) -> None:
    assert findings({"export/schema.json": (schema(), after)}, JUDGES) == []


def test_a_schema_that_tests_try_with_values_of_their_own_may_change() -> None:
    looser = {"export/schema.json": (schema(), schema(required=["id"]))}
    assert (
        findings(looser, "from export.schema import errors\nassert not errors({'id': 'A'})\n") == []
    )
    assert findings({"data.json": ('{"a": 1}', '{"a": 2}')}, JUDGES) == []
    assert findings({"export/schema.json": (schema(), "{")}, JUDGES) == []
