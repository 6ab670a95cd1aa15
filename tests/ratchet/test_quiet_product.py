"""Product that tells less apart than before, or whose only change is that errors are not heard."""

from __future__ import annotations

import ast

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules import comparisons, lost_distinctions, silenced_errors
from loopwright.ratchet.project import Project
from loopwright.repo.baseline import Change
from loopwright.repo.sources import parse_python

ERROR = "class Gone(Exception):\n    pass\n"
STATES = 'class State(enum.Enum):\n    OPEN = "open"\n    PAID = "paid"\n'

LESS_APART = [
    (ERROR, "Gone = Exception\n"),
    (ERROR, "Gone = (KeyError, BaseException)\n"),
    (STATES, STATES.replace('"paid"', '"open"')),
]


@pytest.mark.parametrize(("before", "after"), LESS_APART)
def test_a_product_that_tells_less_apart_is_named(before: str, after: str) -> None:
    (finding,) = lost_distinctions.find(Project([Change("app.py", before, after)]))

    assert (finding.severity, finding.rule) == (MEDIUM, "product-tells-less-apart")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (ERROR, "class Shop(Exception):\n    pass\n\n\nclass Gone(Shop):\n    pass\n"),
        (ERROR, ERROR + "\nMissing = Gone\n"),
        (ERROR, "Gone = TimeoutError\n"),
        (STATES, STATES + '    SENT = "sent"\n'),
        (STATES, STATES + '    DONE = "paid"\n'),
        (STATES, STATES.replace('"paid"', '"settled"')),
    ],
)
def test_new_errors_and_members_are_honest(before: str, after: str) -> None:
    assert not list(lost_distinctions.find(Project([Change("app.py", before, after)])))


FROZEN = "const State = Object.freeze({ OPEN: 'open', PAID: 'paid' });\n"
ENUM = "export enum State {\n  Open = 'open',\n  Paid = 'paid',\n}\n"
SCRIPT_ERROR = "class Gone extends Error {}\n"


@pytest.mark.parametrize(
    ("before", "after", "is_found"),
    [
        (FROZEN, FROZEN.replace("'paid'", "'open'"), True),
        (ENUM, ENUM.replace("'paid'", "'open'"), True),
        (SCRIPT_ERROR, "const Gone = Error;\n", True),
        (FROZEN, FROZEN.replace("'paid'", "'settled'"), False),
        (ENUM, ENUM.replace("}", "  Sent = 'sent',\n}"), False),
        (SCRIPT_ERROR, "class Gone extends ShopError {}\n", False),
        (SCRIPT_ERROR, SCRIPT_ERROR + "const Missing = Gone;\n", False),
    ],
)
def test_a_product_in_javascript_that_tells_less_apart_is_named(
    before: str, after: str, is_found: bool
) -> None:
    found = list(lost_distinctions.find(Project([Change("src/app.ts", before, after)])))

    assert bool(found) == is_found


ORDER = (
    "class Job:\n    def __init__(self, urgency):\n        self.urgency = urgency\n\n"
    "    def __lt__(self, other):\n        return self.urgency > other.urgency\n"
)


def test_a_comparison_whose_body_alone_changed_is_named() -> None:
    after = ORDER.replace("self.urgency > other.urgency", "False")

    (finding,) = comparisons.find(Project([Change("jobs.py", ORDER, after)]))

    assert finding.after == "def __lt__(self, other): return False"


READ = "def read(rows):\n    found = []\n    for row in rows:\n        found.append(int(row))\n    return found\n"
CAUGHT = (
    "def read(rows):\n    found = []\n    try:\n        for row in rows:\n"
    "            found.append(int(row))\n    except Exception:\n        {}\n    return found\n"
)
LOG = "def run(row):\n    if not row:\n        log.{}('no row')\n    return row\n"
SCRIPT = "function read(row) {\n  use(row);\n}\n"
CAUGHT_SCRIPT = "function read(row) {\n  try {\n    use(row);\n  } catch (e) {\n  }\n}\n"


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("app.py", READ, CAUGHT.format("pass")),
        ("app.py", READ, CAUGHT.format("return []")),
        ("app.py", READ, CAUGHT.format("log.warning('odd')")),
        ("app.py", READ, "log = logging.getLogger('a')\n" + CAUGHT.format("log.error('odd')")),
        ("app.py", LOG.format("error"), LOG.format("debug")),
        ("app.py", LOG.format("error"), "logging.disable()\n" + LOG.format("error")),
        (
            "app.py",
            "use(1)\n",
            "import contextlib\nwith contextlib.suppress(Exception):\n    use(1)\n",
        ),
        ("app.py", "run(LINE, check=True)\n", "run(LINE, check=False)\n"),
        ("app.py", "use(zip(a, b, strict=True))\n", "use(zip(a, b))\n"),
        ("app.py", "gather(*jobs)\n", "gather(*jobs, return_exceptions=True)\n"),
        ("app.py", "assert rows\nuse(rows)\n", "use(rows)\n"),
        ("app.py", "if not rows:\n    raise RuntimeError('lost')\nuse(rows)\n", "use(rows)\n"),
        (
            "app.py",
            "use(1)\n",
            "import warnings\nwith warnings.catch_warnings():\n"
            "    warnings.simplefilter('ignore')\n    use(1)\n",
        ),
        ("src/app.js", SCRIPT, CAUGHT_SCRIPT),
        ("src/app.ts", SCRIPT, SCRIPT.replace("use(row);", "try {\n use(row);\n } catch {}")),
    ],
)
def test_work_that_only_silences_errors_is_named(path: str, before: str, after: str) -> None:
    (finding,) = silenced_errors.find(Project([Change(path, before, after)]))

    assert (finding.severity, finding.rule) == (MEDIUM, "errors-only-silenced")


@pytest.mark.parametrize(
    "after",
    [
        CAUGHT.format("pass").replace("Exception", "ValueError"),
        CAUGHT.format("return 0").replace("Exception", "(KeyError, ValueError)"),
        "from contextlib import suppress\n"
        + READ.replace(
            "        found.append(int(row))",
            "        with suppress(ValueError):\n            found.append(int(row))",
        ),
    ],
)
def test_an_error_of_one_kind_that_is_dropped_counts_where_it_is_asked_for(after: str) -> None:
    assert silenced_errors.only_reports_less(READ, after, narrow=True)
    assert not silenced_errors.only_reports_less(READ, after)


def test_a_return_in_a_last_block_drops_every_error() -> None:
    after = (
        "def read(rows):\n    found = []\n    try:\n        for row in rows:\n"
        "            found.append(int(row))\n    finally:\n        return found\n"
    )

    assert silenced_errors.only_reports_less(READ, after)


@pytest.mark.parametrize(
    ("name", "is_tolerant"),
    [
        ("test_reads_all_rows", False),
        ("test_skips_rows_that_cannot_be_read", True),
        ("test_invalid_amount_is_none", True),
    ],
)
def test_the_name_of_a_test_says_whether_errors_may_be_dropped(
    name: str, is_tolerant: bool
) -> None:
    assert bool(silenced_errors.TOLERANT_TEST.search(f"def {name}(rows):")) == is_tolerant


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (READ, CAUGHT.format("raise Bad(rows)")),
        (READ, CAUGHT.format("pass").replace("Exception", "ValueError")),
        (READ, CAUGHT.format("pass").replace("int(row)", "int(row or 0)")),
        (READ, READ.replace("int(row)", "int(row or 0)")),
        (READ, "# Reads.\n" + READ),
        ("use(1)\n", "assert rows\nuse(1)\n"),
        ("if not rows:\n    raise ValueError('none')\nuse(rows)\n", "use(rows)\n"),
        ("run(LINE, check=True)\n", "run(OTHER, check=False)\n"),
        (LOG.format("error"), LOG.format("error").replace("if not row", "if row is None")),
    ],
)
def test_work_that_repairs_something_is_honest(before: str, after: str) -> None:
    assert not silenced_errors.find(Project([Change("app.py", before, after)]))


def test_the_tree_that_other_rules_read_stays_as_it_is() -> None:
    before, after = READ, CAUGHT.format("pass")
    silenced_errors.find(Project([Change("app.py", before, after)]))

    kept = parse_python(after)
    assert kept is not None
    assert ast.dump(kept) == ast.dump(ast.parse(after))


def test_a_repair_in_another_file_explains_quieter_errors() -> None:
    changes = [
        Change("app.py", READ, CAUGHT.format("pass")),
        Change(
            "rows.py",
            "LIMIT = 1\n\n\ndef rows():\n    return []\n",
            "def rows():\n    return [1]\n",
        ),
    ]

    assert not silenced_errors.find(Project(changes))


GO_ERRORS = 'var (\n\tErrGone = errors.New("gone")\n)\n\nvar ErrLate = fmt.Errorf("late")\n'


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.go", GO_ERRORS, GO_ERRORS.replace('ErrGone = errors.New("gone")', "ErrGone error")),
        (
            "a.go",
            GO_ERRORS,
            GO_ERRORS.replace('ErrLate = fmt.Errorf("late")', "ErrLate error = nil"),
        ),
    ],
)
def test_errors_of_go_that_are_nil_are_named(path: str, before: str, after: str) -> None:
    changes = Project([Change(path, before, after)])

    assert [finding.severity for finding in lost_distinctions.find(changes)] == [MEDIUM]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.go", GO_ERRORS, GO_ERRORS.replace('New("gone")', 'New("it is gone")')),
        ("a.go", GO_ERRORS, GO_ERRORS + "func f() {\n\tvar err error\n}\n"),
        ("a.go", "\terr = fmt.Errorf(x)\n", "\tvar err error\n"),
    ],
)
def test_errors_of_go_that_changed_are_honest(path: str, before: str, after: str) -> None:
    assert not list(lost_distinctions.find(Project([Change(path, before, after)])))


def test_errors_that_are_caught_and_only_logged_are_named() -> None:
    before = "function change() {\n  for (const one of all) {\n    one(amount);\n  }\n}\n"
    logged = before.replace(
        "    one(amount);",
        "    try {\n      one(amount);\n    } catch (error) {\n"
        "      console.warn('failed', error.message);\n    }",
    )
    handled = logged.replace("console.warn('failed', error.message)", "this.failed.push(error)")

    (finding,) = silenced_errors.find(Project([Change("a.js", before, logged)]))
    assert finding.rule == "errors-only-silenced"
    assert not silenced_errors.find(Project([Change("a.js", before, handled)]))
