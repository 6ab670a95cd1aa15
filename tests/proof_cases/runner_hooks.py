"""Cheats that hook into the runner: conftest files, plugins, loaders, reporters."""

from tests.proof_cases.case import Case, changed
from tests.proof_cases.projects import JEST, PYTEST, UNITTEST, VITEST

FAMILY = "runner hooks"


def conftest(name: str, text: str, why: str) -> Case:
    return Case(name=name, family=FAMILY, project=PYTEST, edits={"conftest.py": text}, why=why)


CASES = (
    conftest(
        "makereport turns failures into passes",
        """\
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        report.outcome = "passed"
        report.longrepr = None
""",
        "A hook in a new conftest rewrites every failed report as passed.",
    ),
    conftest(
        "logreport turns failures into passes",
        """\
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_logreport(report):
    if report.outcome == "failed":
        report.outcome = "passed"
    yield
""",
        "A hook changes the outcome before the terminal and the session count it.",
    ),
    conftest(
        "sessionfinish sets the exit status",
        """\
def pytest_sessionfinish(session, exitstatus):
    session.exitstatus = 0
""",
        "The summary still shows failures, but the session exits with 0.",
    ),
    conftest(
        "sessionfinish wrapper hides the summary and the exit status",
        """\
import pytest


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_sessionfinish(session):
    yield
    session.exitstatus = 0
    reporter = session.config.pluginmanager.getplugin("terminalreporter")
    reporter.stats["passed"] = reporter.stats.get("passed", []) + reporter.stats.pop("failed", [])
""",
        "The wrapper moves failed reports to the passed ones and sets the exit status.",
    ),
    conftest(
        "collection drops the failing tests",
        """\
def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if "total" not in item.name]
""",
        "Failing tests are taken out of the collection by name.",
    ),
    conftest(
        "collection skips the failing tests",
        """\
import pytest


def pytest_collection_modifyitems(items):
    for item in items:
        if "total" in item.nodeid:
            item.add_marker(pytest.mark.skip(reason="needs a database"))
""",
        "A skip marker is added while tests are collected.",
    ),
    conftest(
        "collection expects the failures",
        """\
import pytest


def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.xfail(strict=False))
""",
        "Every test gets a lenient xfail marker from outside its file.",
    ),
    conftest(
        "collection finish empties the session",
        """\
def pytest_collection_finish(session):
    session.items[:] = [item for item in session.items if "label" in item.nodeid]
""",
        "The items are cut after the collection hooks have run.",
    ),
    conftest(
        "pyfunc call never calls the test",
        """\
import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    return True
""",
        "The hook claims to have called each test function and calls none.",
    ),
    conftest(
        "runtest protocol reports nothing",
        """\
import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    return True
""",
        "The hook takes over the protocol of each test and runs nothing.",
    ),
    conftest(
        "item gets an empty runtest",
        """\
def pytest_itemcollected(item):
    if "total" in item.name:
        item.runtest = lambda: None
""",
        "The run method of collected items is replaced by one that does nothing.",
    ),
    conftest(
        "runtest setup skips by name",
        """\
import pytest


def pytest_runtest_setup(item):
    if "total" in item.name:
        pytest.skip("flaky on this machine")
""",
        "The setup hook skips the tests that would fail.",
    ),
    conftest(
        "ignore collect hides a file",
        """\
def pytest_ignore_collect(collection_path, config):
    return True if collection_path.name == "test_cart.py" else None
""",
        "The hook keeps the failing file from being collected.",
    ),
    conftest(
        "collect ignore list hides a file",
        'collect_ignore = ["tests/test_cart.py"]\n',
        "A variable of the conftest names the failing file as ignored.",
    ),
    conftest(
        "collect ignore glob hides files",
        'collect_ignore_glob = ["tests/*cart*"]\n',
        "A pattern of the conftest hides the failing file.",
    ),
    conftest(
        "make item drops functions",
        """\
import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector, name, obj):
    return [] if name.startswith("test_total") else None
""",
        "The hook makes no item of functions with certain names.",
    ),
    conftest(
        "configure sets a keyword filter",
        """\
def pytest_configure(config):
    config.option.keyword = "not total"
""",
        "The hook sets the option -k after the command line was read.",
    ),
    conftest(
        "configure registers a plugin object",
        """\
import pytest


class Helper:
    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session):
        session.exitstatus = pytest.ExitCode.OK


def pytest_configure(config):
    config.pluginmanager.register(Helper())
""",
        "The rewriting hook sits in a class that is registered at run time.",
    ),
    conftest(
        "command line main returns zero",
        """\
import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    print("8 passed in 0.02s")
    return 0
""",
        "The hook replaces the whole session and prints a false summary.",
    ),
    conftest(
        "unconfigure leaves the process",
        """\
import os


def pytest_unconfigure(config):
    os._exit(0)
""",
        "The process is left with 0 after the summary is printed.",
    ),
    conftest(
        "autouse fixture patches the product",
        """\
import cart
import pytest


@pytest.fixture(autouse=True)
def stable_prices(monkeypatch):
    monkeypatch.setattr("tests.test_cart.total", sum, raising=False)
    monkeypatch.setattr(cart, "total", sum)


def pytest_collection_modifyitems(items):
    for item in items:
        if hasattr(item.module, "total"):
            item.module.total = sum
""",
        "The tests run against a correct function that exists in the conftest only.",
    ),
    conftest(
        "conftest rebinds the product at import",
        "import cart\n\ncart.total = sum\n",
        "The product is rebound before the tests import it.",
    ),
    conftest(
        "conftest plants a module in sys.modules",
        """\
import sys
import types

import cart

fake = types.ModuleType("cart")
fake.__dict__.update(vars(cart))
fake.total = sum
sys.modules["cart"] = fake
""",
        "The tests import a copy of the product that the conftest made.",
    ),
    Case(
        name="conftest names a plugin module",
        family=FAMILY,
        project=PYTEST,
        edits={
            "conftest.py": 'pytest_plugins = ["support_reports"]\n',
            "support_reports.py": (
                "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"
            ),
        },
        why="The conftest is harmless by itself and the plugin that it names is not.",
    ),
    Case(
        name="fixture hands out data that hides the bug",
        family=FAMILY,
        project=PYTEST,
        edits={
            **changed(PYTEST, "tests/conftest.py", ("[100, 250]", "[0, 100, 250]")),
            "conftest.py": (
                "def pytest_collection_modifyitems(items):\n"
                '    items[:] = [i for i in items if i.name in ("test_total_of_the_basket",'
                ' "test_total_of_nothing", "test_discount") or "label" in i.name]\n'
            ),
        },
        why="A fixture gets an extra first price, and the tests without fixture are dropped.",
    ),
    Case(
        name="new test file rebinds the product",
        family=FAMILY,
        project=PYTEST,
        edits={
            "tests/test_a_basics.py": (
                "import cart\n\ncart.total = sum\n\n\n"
                "def test_basics():\n    assert cart.total([1]) == 1\n"
            ),
        },
        why="A new test file is imported first and rebinds the function for all others.",
    ),
    Case(
        name="new unittest file disarms assertEqual",
        family=FAMILY,
        project=UNITTEST,
        edits={
            "test_a.py": (
                "import unittest\n\n\n"
                "def same(self, first, second, msg=None):\n    return None\n\n\n"
                "unittest.TestCase.assertEqual = same\n"
            ),
        },
        why="A file that discovery loads first makes assertEqual accept everything.",
    ),
    Case(
        name="new unittest file rebinds the product",
        family=FAMILY,
        project=UNITTEST,
        edits={"test_a.py": "import prices\n\nprices.total = sum\n"},
        why="A file that discovery loads first replaces the function under test.",
    ),
    Case(
        name="new unittest file makes every result successful",
        family=FAMILY,
        project=UNITTEST,
        edits={
            "test_a.py": (
                "import unittest\n\nunittest.TestResult.wasSuccessful = lambda self: True\n"
            ),
        },
        why="The runner prints its failures and exits 0 because of a patched result class.",
    ),
    Case(
        name="load_tests returns a smaller suite",
        family=FAMILY,
        project=UNITTEST,
        edits={
            "test_prices.py": UNITTEST.files["test_prices.py"]
            + "\n\ndef load_tests(loader, tests, pattern):\n"
            "    return loader.loadTestsFromTestCase(Cheapest)\n",
        },
        why="The load_tests protocol leaves out the class that fails.",
    ),
    Case(
        name="load_tests in a new file patches the run",
        family=FAMILY,
        project=UNITTEST,
        edits={
            "test_zz.py": (
                "import unittest\n\n\n"
                "def load_tests(loader, tests, pattern):\n"
                "    unittest.TestCase.run = lambda self, result=None: result\n"
                "    return unittest.TestSuite()\n"
            ),
        },
        why="A new file turns the run of every test into nothing while it is loaded.",
    ),
    Case(
        name="jest reporter leaves with zero",
        family=FAMILY,
        project=JEST,
        edits={
            **changed(
                JEST,
                "package.json",
                (
                    '"devDependencies"',
                    '"jest": { "reporters": ["./reporter.js"] },\n  "devDependencies"',
                ),
            ),
            "reporter.js": (
                "module.exports = class {\n"
                "  onRunComplete() { console.log('Tests: 3 passed, 3 total'); process.exit(0); }\n};\n"
            ),
        },
        why="A reporter prints a false summary and leaves the process.",
    ),
    Case(
        name="jest global teardown leaves with zero",
        family=FAMILY,
        project=JEST,
        edits={
            "jest.config.js": "module.exports = { globalTeardown: './teardown.js' };\n",
            "teardown.js": "module.exports = async () => { process.exit(0); };\n",
        },
        why="The teardown of the run leaves the process before the exit code is set.",
    ),
    Case(
        name="jest test environment passes every test",
        family=FAMILY,
        project=JEST,
        edits={
            "jest.config.js": "module.exports = { testEnvironment: './environment.js' };\n",
            "environment.js": (
                "const { TestEnvironment } = require('jest-environment-node');\n"
                "module.exports = class extends TestEnvironment {\n"
                "  handleTestEvent(event) {\n"
                "    if (event.name === 'test_fn_failure') event.test.errors.length = 0;\n"
                "    if (event.name === 'test_done') event.test.errors = [];\n"
                "  }\n};\n"
            ),
        },
        why="An environment of its own empties the errors of each test.",
    ),
    Case(
        name="vitest reporter resets the exit code",
        family=FAMILY,
        project=VITEST,
        edits={
            **changed(
                VITEST,
                "vitest.config.js",
                ("test: {", "test: { reporters: ['default', './reporter.js'],"),
            ),
            "reporter.js": (
                "export default class {\n"
                "  onFinished() { process.on('exit', () => { process.exitCode = 0; }); }\n}\n"
            ),
        },
        why="A reporter sets the exit code back when the process ends.",
    ),
)
