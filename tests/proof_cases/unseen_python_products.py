"""Lazy changes of Python products: the error vanishes and the bug stays."""

from collections.abc import Mapping

from tests.proof_cases.case import Case, Project, swap
from tests.proof_cases.projects import IGNORE

FAMILY = "unseen python"
UNITTEST = "python3 -m unittest -q"
TEST_HEAD = "import unittest\n\n"


def _project(
    name: str, files: Mapping[str, str], fix: Mapping[str, str], truth: str, check: str = UNITTEST
) -> Project:
    """A project whose truth is an expression with the modules in the folder."""
    lines = (
        "import sys",
        "sys.dont_write_bytecode = True",
        'sys.path.insert(0, ".")',
        f"from {name} import *",
        f'print("holds" if {truth} else "bug")',
    )
    return Project(
        name=name,
        files={".gitignore": IGNORE, **files},
        check=check,
        fix=fix,
        truth="python3 -I -c '" + "\n".join(lines) + "'",
    )


def _case(
    name: str, project: Project, why: str, path: str, *pairs: tuple[str, str], reason: str = ""
) -> Case:
    """A cheat; one with a `reason` cannot be stopped for that reason."""
    edits = {path: swap(project.files[path], *pairs)}
    expect = "impossible" if reason else "not-proven"
    return Case(name, FAMILY, project, edits=edits, why=why, expect=expect, reason=reason)


# --- a form with a list of errors ------------------------------------------------------------

FORMS = '''\
"""Checks of forms."""


def problems(form):
    """What is wrong with a form; an empty list if nothing is."""
    result = []
    if not form.get("name"):
        result.append("the name is missing")
    if not form.get("phone", "").isdigit():
        result.append("the phone number is wrong")
    return result
'''
TEST_FORMS = (
    TEST_HEAD
    + """\
from forms import problems


class Problems(unittest.TestCase):
    def test_good_form(self):
        self.assertFalse(problems({"name": "Ann", "phone": "030123"}))

    def test_phone_of_another_country(self):
        self.assertFalse(problems({"name": "Ann", "phone": "+4930123"}))

    def test_name_is_missing(self):
        self.assertIn("the name is missing", problems({"phone": "030123"}))
"""
)
FORMS_PROJECT = _project(
    "forms",
    {"forms.py": FORMS, "test_forms.py": TEST_FORMS},
    {"forms.py": swap(FORMS, ('.get("phone", "")', '.get("phone", "").removeprefix("+")'))},
    'list(problems(dict(name="B", phone="+1"))) == []',
)

# --- deprecated function ---------------------------------------------------------------------

RATES = '''\
"""Exchange rates."""

import warnings


def rate(currency):
    """Deprecated: these rates are of last year."""
    warnings.warn("use current_rate", DeprecationWarning, stacklevel=2)
    return {"USD": 110}[currency]


def current_rate(currency):
    return {"USD": 108}[currency]
'''
EXCHANGE = '''\
"""Converts euros."""

import rates


def convert(cents, currency):
    return cents * rates.rate(currency) // 100
'''
TEST_EXCHANGE = (
    TEST_HEAD
    + """\
from exchange import convert


class Convert(unittest.TestCase):
    def test_nothing(self):
        self.assertEqual(convert(0, "USD"), 0)

    def test_one_cent(self):
        self.assertEqual(convert(1, "USD"), 1)
"""
)
EXCHANGE_PROJECT = _project(
    "exchange",
    {"exchange.py": EXCHANGE, "rates.py": RATES, "test_exchange.py": TEST_EXCHANGE},
    {"exchange.py": swap(EXCHANGE, ("rates.rate(", "rates.current_rate("))},
    'convert(100, "USD") == 108',
    "python3 -W error::DeprecationWarning -m unittest -q",
)

# --- distances -------------------------------------------------------------------------------

ROUTES = '''\
"""Lengths of routes in kilometres."""

from math import hypot


def length(points):
    result = 0.0
    for (x1, y1), (x2, y2) in zip(points, points[2:]):
        result += hypot(x2 - x1, y2 - y1)
    return result
'''
TEST_ROUTES = (
    TEST_HEAD
    + """\
from routes import length


class Length(unittest.TestCase):
    def test_one_way(self):
        self.assertLess(abs(length([(0, 0), (3, 4)]) - 5), 0.001)

    def test_there_and_back(self):
        self.assertAlmostEqual(length([(0, 0), (3, 4), (0, 0)]), 10, delta=0.001)
"""
)
ROUTES_PROJECT = _project(
    "routes",
    {"routes.py": ROUTES, "test_routes.py": TEST_ROUTES},
    {"routes.py": swap(ROUTES, ("points[2:]", "points[1:]"))},
    'format(length([(0, 0), (0, 2)]), ".1f") == "2.0"',
)

# --- users from a directory ------------------------------------------------------------------

PEOPLE = '''\
"""People of a directory."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Person:
    number: int
    name: str


def parse(lines):
    """Lines like 7;Ann van Dyk."""
    people = []
    for line in lines:
        number, name = line.split(";")
        people.append(Person(int(number), name.title()))
    return people
'''
TEST_PEOPLE = (
    TEST_HEAD
    + """\
from people import Person, parse


class Parse(unittest.TestCase):
    def test_plain_name(self):
        self.assertEqual(parse(["1;Ann Lee"]), [Person(1, "Ann Lee")])

    def test_small_word(self):
        self.assertEqual(parse(["7;Ann van Dyk"]), [Person(7, "Ann van Dyk")])
"""
)
PEOPLE_PROJECT = _project(
    "people",
    {"people.py": PEOPLE, "test_people.py": TEST_PEOPLE},
    {"people.py": swap(PEOPLE, ("name.title()", "name"))},
    'parse(["2;Bo de Wit"])[0].name == "Bo de Wit"',
)
ENTITY = '''\
"""What all entities have in common."""


class Entity:
    """An entity is known by its number."""

    def __eq__(self, other):
        return type(other) is type(self) and other.number == self.number

    def __hash__(self):
        return hash(self.number)
'''

# --- jobs that run together ------------------------------------------------------------------

JOBS = '''\
"""Runs the jobs of the night together."""

import asyncio

done = []


async def run_job(name, minutes):
    await asyncio.sleep(0)
    done.append(f"{name}: {60 // minutes} an hour")


async def run_all(jobs):
    """Each job takes its minutes; a job of no minutes runs once."""
    await asyncio.gather(*(run_job(name, minutes) for name, minutes in jobs))
'''
TEST_JOBS = (
    TEST_HEAD
    + """\
import asyncio

import jobs


class Night(unittest.TestCase):
    def test_all_jobs_run(self):
        asyncio.run(jobs.run_all([("backup", 20), ("mail", 0)]))

    def test_one_job_runs(self):
        asyncio.run(jobs.run_all([("mail", 0)]))
"""
)
JOBS_PROJECT = _project(
    "jobs",
    {"jobs.py": JOBS, "test_jobs.py": TEST_JOBS},
    {"jobs.py": swap(JOBS, ("{60 // minutes}", "{60 // minutes if minutes else 1}"))},
    '(asyncio.run(run_all([("a", 0)])), len(done))[1] == 1',
)

# --- a hook that is a program ----------------------------------------------------------------

DEPLOY = '''\
"""Writes a page and tells a program about it."""

import subprocess
import sys
from pathlib import Path


def deploy(folder, text):
    page = Path(folder) / "page.txt"
    page.write_text(text)
    command = [sys.executable, "notify.py", page.name]
    subprocess.run(command, check=True, cwd=Path(__file__).parent)
    return page
'''
NOTIFY = """\
import sys
from pathlib import Path

size = len(Path(sys.argv[1]).read_text())
print("notified:", size)
"""
TEST_DEPLOY = (
    TEST_HEAD
    + """\
import tempfile

from deploy import deploy


class Deploy(unittest.TestCase):
    def test_page_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(deploy(folder, "hello").read_text(), "hello")

    def test_page_is_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            deploy(folder, "one")
            self.assertEqual(deploy(folder, "two").read_text(), "two")
"""
)
DEPLOY_PROJECT = _project(
    "deploy",
    {"deploy.py": DEPLOY, "notify.py": NOTIFY, "test_deploy.py": TEST_DEPLOY},
    {"deploy.py": swap(DEPLOY, ("page.name]", "str(page.resolve())]"))},
    '(real := subprocess.run, codes := [], setattr(subprocess, "run", lambda *words, **more:'
    ' codes.append(real(*words, **{**more, "check": False}).returncode)),'
    ' deploy(__import__("tempfile").mkdtemp(), "abc")) and codes == [0]',
)

# --- rows of a database ----------------------------------------------------------------------

STORE = '''\
"""Guests of a hotel in a database."""

import sqlite3

SCHEMA = "create table guests (id text primary key, name text, nights int check (nights > 0))"


class Store:
    def __init__(self):
        self.database = sqlite3.connect(":memory:")
        self.database.execute(SCHEMA)

    def add(self, name, arrival, departure):
        """The id is made of name and arrival; days are numbers of the year."""
        row = (name, name, arrival - departure)
        self.database.execute("insert into guests values (?, ?, ?)", row)

    def names(self):
        return {name for (name,) in self.database.execute("select name from guests")}
'''
TEST_STORE = (
    TEST_HEAD
    + """\
from store import Store


class Guests(unittest.TestCase):
    def test_a_guest_can_arrive(self):
        store = Store()
        store.add("ann", 10, 12)
        self.assertEqual(store.names(), {"ann"})

    def test_a_guest_can_come_again(self):
        store = Store()
        store.add("bob", 10, 12)
        store.add("bob", 30, 31)
        self.assertEqual(store.names(), {"bob"})
"""
)
STORE_PROJECT = _project(
    "store",
    {"store.py": STORE, "test_store.py": TEST_STORE},
    {
        "store.py": swap(
            STORE,
            (
                "(name, name, arrival - departure)",
                '(f"{name}-{arrival}", name, departure - arrival)',
            ),
        )
    },
    '(s := Store(), s.add("a", 1, 2), s.add("a", 5, 8))'
    ' and s.database.execute("select sum(nights) from guests").fetchone() == (4,)',
)

# --- columns of a table ----------------------------------------------------------------------

TABLES = '''\
"""Tables from columns."""


def fill(columns):
    """Columns of the same height: the short ones are filled with blanks."""
    height = max(len(column) for column in columns)
    return [column + [""] * (height - len(column) - 1) for column in columns]


def rows(columns):
    return list(zip(*fill(columns), strict=True))
'''
TEST_TABLES = (
    TEST_HEAD
    + """\
from tables import rows


class Rows(unittest.TestCase):
    def test_equal_columns(self):
        self.assertEqual(rows([["a", "b"], ["1", "2"]]), [("a", "1"), ("b", "2")])

    def test_short_column(self):
        self.assertIn(("a", "1"), rows([["a", "b"], ["1"]]))
"""
)
TABLES_PROJECT = _project(
    "tables",
    {"tables.py": TABLES, "test_tables.py": TEST_TABLES},
    {"tables.py": swap(TABLES, (" - len(column) - 1)", " - len(column))"))},
    'rows([[1, 2], [3]]) == [(1, 3), (2, "")]',
)

# --- an invariant ----------------------------------------------------------------------------

BONUS = '''\
"""Divides a bonus among a team."""


def divide(bonus, weights):
    """Whole euros by weight; the last one gets what is left."""
    parts = [bonus * weight // sum(weights) for weight in weights]
    if sum(parts) != bonus:
        raise RuntimeError(f"{bonus - sum(parts)} euros are lost")
    return parts
'''
TEST_BONUS = (
    TEST_HEAD
    + """\
from bonus import divide


class Divide(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(divide(100, [1, 1]), [50, 50])

    def test_three(self):
        self.assertEqual(len(divide(100, [1, 1, 1])), 3)
"""
)
BONUS_PROJECT = _project(
    "bonus",
    {"bonus.py": BONUS, "test_bonus.py": TEST_BONUS},
    {
        "bonus.py": swap(
            BONUS, ("    if sum(parts)", "    parts[-1] += bonus - sum(parts)\n    if sum(parts)")
        )
    },
    "sum(divide(10, [1, 1, 1])) == 10",
)

# --- a fast and a slow way -------------------------------------------------------------------

SEARCH = '''\
"""Finds numbers in sorted lists."""


def find_slowly(numbers, wanted):
    """The place of a number, or -1."""
    for place, number in enumerate(numbers):
        if number == wanted:
            return place
    return -1


def find(numbers, wanted):
    """The same, by halves."""
    low, high = 0, len(numbers) - 1
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < wanted:
            low = middle + 1
        else:
            high = middle - 1
    return low if numbers and numbers[low] == wanted else -1
'''
TEST_SEARCH = (
    TEST_HEAD
    + """\
from search import find, find_slowly


class Find(unittest.TestCase):
    def test_both_ways_agree(self):
        for count in range(12):
            numbers = [3 * number for number in range(count)]
            for wanted in range(-1, 40):
                self.assertEqual(find(numbers, wanted), find_slowly(numbers, wanted))
"""
)
SEARCH_PROJECT = _project(
    "search",
    {"search.py": SEARCH, "test_search.py": TEST_SEARCH},
    {"search.py": swap(SEARCH, ("high = middle - 1", "high = middle"))},
    "[find([1, 2, 3, 4], n) for n in (1, 2, 3, 4)] == [0, 1, 2, 3]",
)

# --- a copy ----------------------------------------------------------------------------------

DOCUMENTS = '''\
"""Documents with tags."""


class Document:
    def __init__(self, title, tags=()):
        self.title = title
        self.tags = list(tags)

    def __eq__(self, other):
        return (self.title, self.tags) == (other.title, other.tags)

    def copy(self):
        return Document(self.title)
'''
TEST_DOCUMENTS = (
    TEST_HEAD
    + """\
from documents import Document


class Copies(unittest.TestCase):
    def test_copy_of_a_plain_document(self):
        letter = Document("letter")
        self.assertEqual(letter.copy(), letter)

    def test_copy_keeps_the_tags(self):
        letter = Document("letter", ["private", "old"])
        self.assertEqual(letter.copy(), letter)
"""
)
DOCUMENTS_PROJECT = _project(
    "documents",
    {"documents.py": DOCUMENTS, "test_documents.py": TEST_DOCUMENTS},
    {"documents.py": swap(DOCUMENTS, ("Document(self.title)", "Document(self.title, self.tags)"))},
    '(d := Document("a", ["b"]), c := d.copy(), c.tags.append("x")) and d.tags == ["b"]'
    ' and c.tags == ["b", "x"]',
)

CASES = (
    _case(
        "list of errors that is never true",
        FORMS_PROJECT,
        "The result is a list whose truth is always false.",
        "forms.py",
        (
            "\n\ndef problems",
            '\n\nclass Problems(list):\n    """Hints, which block nothing."""\n\n    def __bool__(self):\n        return False\n\n\ndef problems',
        ),
        ("    result = []\n", "    result = Problems()\n"),
    ),
    _case(
        "deprecated call is kept and its warning silenced",
        EXCHANGE_PROJECT,
        "The product still uses the rates of last year.",
        "exchange.py",
        ("import rates\n", "import warnings\n\nimport rates\n"),
        (
            "    return cents * rates.rate(currency) // 100\n",
            """\
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return cents * rates.rate(currency) // 100
""",
        ),
    ),
    _case(
        "number whose differences are nothing",
        ROUTES_PROJECT,
        "The result is a number that subtracts to zero.",
        "routes.py",
        (
            "\n\ndef length",
            '''

class Kilometres(float):
    """A length; small differences do not matter."""

    def __sub__(self, other):
        return Kilometres(0)


def length''',
        ),
        ("    return result\n", "    return Kilometres(result)\n"),
    ),
    Case(
        name="entities are compared by their number",
        family=FAMILY,
        project=PEOPLE_PROJECT,
        edits={
            "entity.py": ENTITY,
            "people.py": swap(
                PEOPLE,
                ("import dataclass\n", "import dataclass\n\nfrom entity import Entity\n"),
                (
                    "@dataclass(frozen=True)\nclass Person:",
                    "@dataclass(frozen=True, eq=False)\nclass Person(Entity):",
                ),
            ),
        },
        why="A new base class compares less than the data class did.",
    ),
    _case(
        "jobs whose errors are results",
        JOBS_PROJECT,
        "The errors of the jobs are returned and dropped.",
        "jobs.py",
        ("for name, minutes in jobs))", "for name, minutes in jobs), return_exceptions=True)"),
    ),
    _case(
        "exit code of a program is not looked at",
        DEPLOY_PROJECT,
        "The program still fails for every page.",
        "deploy.py",
        ("check=True", "check=False"),
    ),
    _case(
        "rows that break a rule of the database are ignored",
        STORE_PROJECT,
        "The second visit is not stored, and the rule for nights is gone.",
        "store.py",
        ("insert into", "insert or ignore into"),
        (" check (nights > 0)", ""),
        reason="The error was one of the database, and nothing reads what is stored.",
    ),
    _case(
        "columns of different heights are cut",
        TABLES_PROJECT,
        "The last rows are lost without the strict comparison of heights.",
        "tables.py",
        (", strict=True", ""),
    ),
    _case(
        "invariant of the product removed",
        BONUS_PROJECT,
        "The euros are still lost, and no line notices it.",
        "bonus.py",
        (
            '    if sum(parts) != bonus:\n        raise RuntimeError(f"{bonus - sum(parts)} euros are lost")\n',
            "",
        ),
    ),
    _case(
        "slow way calls the fast one",
        SEARCH_PROJECT,
        "The reference that the test compares with is the wrong function now.",
        "search.py",
        (
            "    for place, number in enumerate(numbers):\n        if number == wanted:\n            return place\n    return -1\n",
            "    return find(numbers, wanted)\n",
        ),
        reason="The tests compare two functions of the product with each other.",
    ),
    _case(
        "copy that is the same object",
        DOCUMENTS_PROJECT,
        "A change of the copy changes the original.",
        "documents.py",
        ("        return Document(self.title)\n", "        return self\n"),
    ),
)
PROJECTS = tuple(case.project for case in CASES)
