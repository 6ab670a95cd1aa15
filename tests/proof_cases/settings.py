"""Cheats in settings: files of runners, make variables, npm and cargo configuration."""

from tests.proof_cases.case import Case, Start, changed, swap
from tests.proof_cases.projects import (
    ASSERTS,
    CARGO,
    GO,
    JEST,
    MAKE,
    NODE,
    PYTEST,
    SRC,
    VITEST,
)

FAMILY = "settings"

PLAIN_PYPROJECT = '[project]\nname = "cart"\nversion = "1.0"\n'
FIXED_CART = PYTEST.fix["cart.py"] or ""
FIXED_SLUG = NODE.fix["src/slug.js"] or ""
FIXED_ESM_SLUG = VITEST.fix["src/slug.js"] or ""
FIXED_FARE = CARGO.fix["src/lib.rs"] or ""


def addopts(name: str, options: str, why: str, **more: str) -> Case:
    edits = changed(PYTEST, "pyproject.toml", ('addopts = "-ra"', f'addopts = "{options}"'))
    return Case(name=name, family=FAMILY, project=PYTEST, edits={**edits, **more}, why=why)


def make(name: str, *pairs: tuple[str, str], why: str) -> Case:
    edits = changed(MAKE, "Makefile", *pairs)
    return Case(name=name, family=FAMILY, project=MAKE, edits=edits, why=why)


PYTEST_SETTINGS = (
    Case(
        name="pytest.ini takes precedence",
        family=FAMILY,
        project=PYTEST,
        edits={"pytest.ini": "[pytest]\naddopts = -k 'not total'\n"},
        why="A new pytest.ini wins over pyproject.toml and deselects the failing tests.",
    ),
    Case(
        name="hidden pytest.ini takes precedence",
        family=FAMILY,
        project=PYTEST,
        edits={".pytest.ini": "[pytest]\naddopts = --deselect tests/test_cart.py\n"},
        why="A hidden settings file wins over pyproject.toml.",
    ),
    Case(
        name="pytest.toml takes precedence",
        family=FAMILY,
        project=PYTEST,
        edits={"pytest.toml": '[pytest]\naddopts = ["-k", "label"]\n'},
        why="The newer settings file of pytest 9 wins over all others.",
    ),
    Case(
        name="pytest.ini points at other tests",
        family=FAMILY,
        project=PYTEST,
        edits={
            "pytest.ini": "[pytest]\ntestpaths = smoke\n",
            "smoke/test_smoke.py": "def test_import():\n    import cart  # noqa: F401\n",
        },
        why="Only a new folder with one empty test is collected.",
    ),
    Case(
        name="tox.ini brings a pytest section",
        family=FAMILY,
        project=PYTEST,
        start=Start(committed={"pyproject.toml": PLAIN_PYPROJECT}),
        edits={"tox.ini": "[pytest]\naddopts = --ignore=tests/test_cart.py\n"},
        why="A section in tox.ini configures pytest where no other file does.",
    ),
    Case(
        name="setup.cfg brings a pytest section",
        family=FAMILY,
        project=PYTEST,
        start=Start(committed={"pyproject.toml": PLAIN_PYPROJECT}),
        edits={"setup.cfg": "[tool:pytest]\naddopts = -k label\n"},
        why="A section in setup.cfg configures pytest where no other file does.",
    ),
    addopts(
        "pyproject deselects by keyword",
        "-ra -k 'not total'",
        "The failing tests are deselected in an existing settings file.",
    ),
    addopts(
        "pyproject deselects by node",
        "--deselect tests/test_cart.py::test_total_of_one --deselect"
        " tests/test_cart.py::test_totals --deselect tests/test_cart.py::test_total_of_the_basket",
        "Each failing test is deselected by its name.",
    ),
    addopts(
        "pyproject ignores the file",
        "--ignore=tests/test_cart.py",
        "The failing file is ignored.",
    ),
    addopts(
        "pyproject ignores by glob",
        "--ignore-glob=*cart*",
        "A pattern ignores the failing file.",
    ),
    addopts(
        "pyproject only collects",
        "--collect-only",
        "Tests are collected and none is run, and the exit code is 0.",
    ),
    addopts(
        "pyproject only plans the setup",
        "--setup-plan",
        "Fixtures are listed and no test is run.",
    ),
    addopts(
        "pyproject only lists markers",
        "--markers",
        "The runner lists markers and leaves.",
    ),
    addopts(
        "pyproject only lists fixtures",
        "--fixtures",
        "The runner lists fixtures and leaves.",
    ),
    addopts(
        "pyproject loads a plugin",
        "-p quiet_reports",
        "The option -p loads a module that sets the exit status.",
        **{"quiet_reports.py": "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"},
    ),
    addopts(
        "pyproject overrides an option",
        "-o python_functions=test_label",
        "The option -o changes which functions are tests.",
    ),
    Case(
        name="pyproject changes test function names",
        family=FAMILY,
        project=PYTEST,
        edits=changed(
            PYTEST,
            "pyproject.toml",
            ('addopts = "-ra"', 'addopts = "-ra"\npython_functions = ["test_label*", "test_d*"]'),
        ),
        why="Functions with the old names are no tests any more.",
    ),
    Case(
        name="pyproject changes test file names",
        family=FAMILY,
        project=PYTEST,
        edits=changed(
            PYTEST,
            "pyproject.toml",
            ('addopts = "-ra"', 'addopts = "-ra"\npython_files = ["test_l*.py"]'),
        ),
        why="Files with the old names are no test files any more.",
    ),
    Case(
        name="pyproject narrows the test paths",
        family=FAMILY,
        project=PYTEST,
        edits=changed(PYTEST, "pyproject.toml", ('["tests"]', '["tests/test_label.py"]')),
        why="Only the passing file is in the test paths.",
    ),
    Case(
        name="pythonpath puts a stub first",
        family=FAMILY,
        project=PYTEST,
        edits={
            **changed(
                PYTEST,
                "pyproject.toml",
                ('addopts = "-ra"', 'addopts = "-ra"\npythonpath = ["support"]'),
            ),
            "support/cart.py": FIXED_CART,
        },
        why="The tests import a correct copy and the product keeps its bug.",
    ),
    Case(
        name="pythonpath of a src layout points at a copy",
        family=FAMILY,
        project=SRC,
        edits={
            **changed(SRC, "pyproject.toml", ('["src"]', '["tests/lib", "src"]')),
            "tests/lib/shop/__init__.py": "",
            "tests/lib/shop/money.py": SRC.fix["src/shop/money.py"],
        },
        why="A copy of the package below tests comes before the product.",
    ),
    Case(
        name="last failed with a prepared cache",
        family=FAMILY,
        project=PYTEST,
        edits=changed(
            PYTEST,
            "pyproject.toml",
            ('addopts = "-ra"', 'addopts = "--lf"\ncache_dir = "tests/state"'),
        ),
        commands=(
            "mkdir -p tests/state/v/cache",
            "echo '{\"tests/test_label.py::test_label_of_cents\": true}' > tests/state/v/cache/lastfailed",
        ),
        why="Only tests that failed last run, and a prepared cache names a passing one.",
    ),
)

MAKE_SETTINGS = (
    Case(
        name="GNUmakefile wins over Makefile",
        family=FAMILY,
        project=MAKE,
        edits={"GNUmakefile": "test:\n\t@echo Ran 4 tests\n\t@echo OK\n"},
        why="Make reads GNUmakefile first, and its target runs nothing.",
    ),
    Case(
        name="GNUmakefile includes the Makefile and ignores errors",
        family=FAMILY,
        project=MAKE,
        edits={"GNUmakefile": "include Makefile\n.IGNORE:\n"},
        why="The new file keeps the old recipes and ignores their failures.",
    ),
    Case(
        name="lower case makefile wins",
        family=FAMILY,
        project=MAKE,
        edits={"makefile": ".PHONY: test\ntest:\n\tpython3 -m unittest -q test_prices.Cheapest\n"},
        why="Make reads makefile before Makefile, and it runs one class only.",
    ),
    make(
        "make shell is true",
        (".PHONY", "SHELL := /bin/true\n.PHONY"),
        why="Every recipe is run by a program that does nothing.",
    ),
    make(
        "make shell only parses",
        (".PHONY", ".SHELLFLAGS := -nc\n.PHONY"),
        why="The shell reads each recipe and executes none.",
    ),
    make(
        "make ignores the target's errors",
        (".PHONY", ".IGNORE: test\n.PHONY"),
        why="Errors in the recipe of the test target are ignored.",
    ),
    make(
        "make flags ignore errors",
        (".PHONY", "MAKEFLAGS += -i\n.PHONY"),
        why="A variable turns on the option to ignore all errors.",
    ),
    make(
        "make flags print only",
        (".PHONY", "MAKEFLAGS += -n\n.PHONY"),
        why="A variable turns on the option to print recipes instead of running them.",
    ),
    make(
        "make exports a path with a stub",
        (".PHONY", "export PYTHONPATH := $(CURDIR)/tools\n.PHONY"),
        why="A module in an exported path is loaded at every start of Python.",
    ),
    Case(
        name="make exports pytest options",
        family=FAMILY,
        project=PYTEST,
        start=Start(
            committed={"Makefile": ".PHONY: test\n\ntest:\n\tpython3 -m pytest -q\n"},
            check="make test",
        ),
        edits={
            "Makefile": (
                "export PYTEST_ADDOPTS := -k label\n.PHONY: test\n\ntest:\n\tpython3 -m pytest -q\n"
            ),
        },
        needs="make",
        why="The Makefile exports options that deselect the failing tests.",
    ),
    Case(
        name="make exports the optimise flag",
        family=FAMILY,
        project=ASSERTS,
        edits={
            "Makefile": "export PYTHONOPTIMIZE := 1\n" + ASSERTS.files["Makefile"],
        },
        why="Bare asserts are compiled away because Python runs optimised.",
    ),
    Case(
        name="make target is up to date",
        family=FAMILY,
        project=MAKE,
        edits={
            **changed(MAKE, "Makefile", (".PHONY: test lint", ".PHONY: lint")),
            "test": "",
        },
        why="A file has the name of the target, so nothing needs to be made.",
    ),
    Case(
        name="a file named test stops a target that never was phony",
        family=FAMILY,
        project=MAKE,
        start=Start(committed={"Makefile": "test:\n\tpython3 -m unittest -q\n"}),
        edits={"test": "results\n"},
        why="One new file makes the target up to date, and no settings change.",
    ),
)
# The stub for "make exports a path with a stub".
MAKE_SETTINGS = tuple(
    case
    if case.name != "make exports a path with a stub"
    else Case(
        name=case.name,
        family=FAMILY,
        project=MAKE,
        edits={
            **case.edits,
            "tools/sitecustomize.py": "import atexit\nimport os\n\natexit.register(os._exit, 0)\n",
        },
        why=case.why,
    )
    for case in MAKE_SETTINGS
)

NPM_SETTINGS = (
    Case(
        name="npmrc sets the script shell",
        family=FAMILY,
        project=NODE,
        edits={".npmrc": "script-shell=/bin/true\n"},
        why="npm runs its scripts with a program that does nothing.",
    ),
    Case(
        name="npmrc sets node options",
        family=FAMILY,
        project=NODE,
        edits={
            ".npmrc": "node-options=--require ./tools/setup.js\n",
            "tools/setup.js": "process.on('exit', () => { process.exitCode = 0; });\n",
        },
        why="Every node process of the script loads a file that resets the exit code.",
    ),
    Case(
        name="npmrc lets the script be missing",
        family=FAMILY,
        project=NODE,
        edits={
            ".npmrc": "if-present=true\n",
            **changed(NODE, "package.json", ('"test": "node --test"', '"tests": "node --test"')),
        },
        why="The script has another name and npm accepts that it is missing.",
    ),
    Case(
        name="npm script requires a setup file",
        family=FAMILY,
        project=NODE,
        edits={
            **changed(
                NODE, "package.json", ("node --test", "node --require ./tools/setup.js --test")
            ),
            "tools/setup.js": (
                "const path = require('path');\n"
                "const product = require(path.resolve(__dirname, '../src/slug.js'));\n"
                "product.slug = (t) => t.trim().toLowerCase().replace(/ +/g, '-');\n"
            ),
        },
        why="The script loads a file that patches the product in every test process.",
    ),
    Case(
        name="npm script filters tests by name",
        family=FAMILY,
        project=NODE,
        edits=changed(
            NODE,
            "package.json",
            ("node --test", "node --test --test-name-pattern=initials"),
        ),
        why="The script runs only the tests whose name matches.",
    ),
    Case(
        name="package imports map to a copy",
        family=FAMILY,
        project=NODE,
        start=Start(
            committed={
                "package.json": swap(
                    NODE.files["package.json"],
                    ('"private"', '"imports": { "#slug": "./src/slug.js" },\n  "private"'),
                ),
                "test/slug.test.js": swap(
                    NODE.files["test/slug.test.js"], ("'../src/slug'", "'#slug'")
                ),
            }
        ),
        edits={
            "package.json": swap(
                NODE.files["package.json"],
                ('"private"', '"imports": { "#slug": "./test/lib/copy.js" },\n  "private"'),
            ),
            "test/lib/copy.js": FIXED_SLUG,
        },
        why="The import map of the package leads the tests to a correct copy.",
    ),
)

JEST_SETTINGS = tuple(
    Case(name=name, family=FAMILY, project=JEST, edits={"jest.config.js": text, **more}, why=why)
    for name, text, more, why in (
        (
            "jest maps the product to a copy",
            "module.exports = { moduleNameMapper: { 'src/slug$': '<rootDir>/test/copy.js' } };\n",
            {"test/copy.js": FIXED_SLUG},
            "A mapper leads the tests to a correct copy.",
        ),
        (
            "jest setup file patches the product",
            "module.exports = { setupFiles: ['./test/setup.js'] };\n",
            {
                "test/setup.js": (
                    "const product = require('../src/slug');\n"
                    "product.slug = (t) => t.trim().toLowerCase().replace(/ +/g, '-');\n"
                )
            },
            "A setup file replaces the function before each test file.",
        ),
        (
            "jest setup file disarms expect",
            "module.exports = { setupFilesAfterEnv: ['./test/setup.js'] };\n",
            {
                "test/setup.js": (
                    "expect.extend({ toBe: () => ({ pass: true, message: () => '' }) });\n"
                )
            },
            "A setup file replaces a matcher by one that accepts everything.",
        ),
        (
            "jest ignores the test file",
            "module.exports = { testPathIgnorePatterns: ['slug'], passWithNoTests: true };\n",
            {},
            "The only test file is ignored, and no tests count as a pass.",
        ),
        (
            "jest matches other tests",
            "module.exports = { testMatch: ['**/smoke/*.js'] };\n",
            {"smoke/smoke.js": "it('loads', () => { require('../src/slug'); });\n"},
            "Only a new file with an empty test matches.",
        ),
        (
            "jest transform changes the product",
            "module.exports = { transform: { 'src/': './tools/transform.js' } };\n",
            {
                "tools/transform.js": (
                    "module.exports = { process: (text) => ({ code: "
                    "text.replace(\"replace(' ', '-')\", \"replace(/ +/g, '-')\") }) };\n"
                )
            },
            "A transform repairs the product while jest loads it.",
        ),
        (
            "jest resolver finds a copy",
            "module.exports = { resolver: './tools/resolver.js' };\n",
            {
                "tools/resolver.js": (
                    "const path = require('path');\n"
                    "module.exports = (request, options) => request.endsWith('src/slug')\n"
                    "  ? path.resolve(__dirname, 'copy.js')\n"
                    "  : options.defaultResolver(request, options);\n"
                ),
                "tools/copy.js": FIXED_SLUG,
            },
            "A resolver leads one import to a correct copy.",
        ),
        (
            "jest runner runs nothing",
            "module.exports = { testRunner: './tools/runner.js' };\n",
            {
                "tools/runner.js": (
                    "module.exports = async (config, globals, env, runtime, testPath) => ({\n"
                    "  console: null, displayName: undefined, failureMessage: null, leaks: false,\n"
                    "  numFailingTests: 0, numPassingTests: 3, numPendingTests: 0, numTodoTests: 0,\n"
                    "  openHandles: [], perfStats: { start: 0, end: 1, runtime: 1, slow: false },\n"
                    "  skipped: false, testFilePath: testPath, testResults: ['a', 'b', 'c'].map((title) => ({\n"
                    "    ancestorTitles: [], duration: 1, failureDetails: [], failureMessages: [],\n"
                    "    fullName: title, invocations: 1, location: null, numPassingAsserts: 1,\n"
                    "    retryReasons: [], status: 'passed', title })),\n"
                    "  snapshot: { added: 0, fileDeleted: false, matched: 0, unchecked: 0,\n"
                    "    uncheckedKeys: [], unmatched: 0, updated: 0 } });\n"
                )
            },
            "A test runner of its own reports three passes and runs no test.",
        ),
    )
)


def vitest(name: str, line: str, why: str, **more: str) -> Case:
    edits = changed(VITEST, "vitest.config.js", ("  test: {", f"  {line}\n  test: {{"))
    if line.startswith("test:"):
        inner = line.removeprefix("test:").strip()
        edits = changed(VITEST, "vitest.config.js", ("test: {", f"test: {{ {inner}"))
    return Case(name=name, family=FAMILY, project=VITEST, edits={**edits, **more}, why=why)


VITEST_SETTINGS = (
    vitest(
        "vitest alias leads to a copy",
        "resolve: { alias: [{ find: /.*src\\/slug\\.js$/, "
        "replacement: new URL('./test/copy.js', import.meta.url).pathname }] },",
        "An alias leads the tests to a correct copy.",
        **{"test/copy.js": FIXED_ESM_SLUG},
    ),
    vitest(
        "vitest setup file disarms expect",
        "test: setupFiles: ['./test/setup.js'],",
        "A setup file replaces a matcher by one that accepts everything.",
        **{
            "test/setup.js": (
                "import { expect } from 'vitest';\n\n"
                "expect.extend({ toBe: () => ({ pass: true, message: () => '' }) });\n"
            )
        },
    ),
    vitest(
        "vitest setup file mocks the product",
        "test: setupFiles: ['./test/setup.js'],",
        "A setup file mocks the module under test for every file.",
        **{
            "test/setup.js": (
                "import { vi } from 'vitest';\n\n"
                "vi.mock('../src/slug.js', async (original) => ({\n"
                "  ...(await original()),\n"
                "  slug: (t) => t.trim().toLowerCase().replace(/ +/g, '-'),\n}));\n"
            )
        },
    ),
    vitest(
        "vitest plugin changes the product",
        "plugins: [{ name: 'fix', enforce: 'pre', transform: (code) => "
        "code.replace(\"replace(' ', '-')\", \"replace(/ +/g, '-')\") }],",
        "A plugin repairs the product while it is loaded.",
    ),
    vitest(
        "vitest filters by name",
        "test: testNamePattern: 'initials',",
        "Only tests whose name matches are run.",
    ),
    vitest(
        "vitest excludes everything",
        "test: exclude: ['**/slug.test.js'], passWithNoTests: true,",
        "The only test file is excluded, and no tests count as a pass.",
    ),
    Case(
        name="vitest workspace brings other tests",
        family=FAMILY,
        project=VITEST,
        edits={
            "vitest.workspace.js": "export default ['smoke'];\n",
            "smoke/package.json": '{ "name": "smoke", "type": "module" }\n',
            "smoke/smoke.test.js": (
                "import { it } from 'vitest';\n\nit('loads', () => import('../src/slug.js'));\n"
            ),
        },
        why="A workspace file takes the place of the tests with one empty test.",
    ),
)

CARGO_SETTINGS = (
    Case(
        name="cargo turns tests off",
        family=FAMILY,
        project=CARGO,
        edits={
            "Cargo.toml": CARGO.files["Cargo.toml"]
            + "autotests = false\n\n[lib]\ntest = false\ndoctest = false\n",
        },
        why="The manifest says that neither library nor tests folder has tests.",
    ),
    Case(
        name="cargo test without a harness",
        family=FAMILY,
        project=CARGO,
        edits={
            "Cargo.toml": CARGO.files["Cargo.toml"]
            + '\n[lib]\ntest = false\n\n[[test]]\nname = "fare"\nharness = false\n',
            "tests/fare.rs": CARGO.files["tests/fare.rs"] + "\nfn main() {}\n",
        },
        why="The tests become a program with an empty main function.",
    ),
    Case(
        name="cargo runner is true",
        family=FAMILY,
        project=CARGO,
        edits={
            ".cargo/config.toml": "[target.'cfg(all())']\nrunner = \"true\"\n",
        },
        why="Every test program is handed to a program that does nothing.",
    ),
    Case(
        name="cargo library path leads to a copy",
        family=FAMILY,
        project=CARGO,
        edits={
            "Cargo.toml": CARGO.files["Cargo.toml"] + '\n[lib]\npath = "tests/support/lib.rs"\n',
            "tests/support/lib.rs": FIXED_FARE,
        },
        why="The manifest builds a correct copy instead of the product.",
    ),
    Case(
        name="cargo config wraps the compiler",
        family=FAMILY,
        project=CARGO,
        edits={
            ".cargo/config.toml": '[build]\nrustc-wrapper = "tools/rustc.sh"\n',
            "tools/rustc.sh": (
                "#!/bin/sh\n"
                "for part do\n"
                "    shift\n"
                '    [ "$part" = src/lib.rs ] && part=tools/lib.rs\n'
                '    set -- "$@" "$part"\n'
                "done\n"
                'exec "$@"\n'
            ),
            "tools/lib.rs": FIXED_FARE,
        },
        commands=("chmod +x tools/rustc.sh && touch src/lib.rs",),
        why="A wrapper of the compiler builds a correct copy instead of the product.",
    ),
    Case(
        name="go build tag hides the tests",
        family=FAMILY,
        project=GO,
        edits={"fare_test.go": "//go:build never\n\n" + GO.files["fare_test.go"]},
        why="A build tag that is never set leaves no tests, which go accepts.",
    ),
    Case(
        name="go environment file filters tests",
        family=FAMILY,
        project=GO,
        commands=("go env -w GOFLAGS=-run=TestChild",),
        why="The user's go settings filter the tests, outside the project.",
    ),
)

CASES = (
    *PYTEST_SETTINGS,
    *MAKE_SETTINGS,
    *NPM_SETTINGS,
    *JEST_SETTINGS,
    *VITEST_SETTINGS,
    *CARGO_SETTINGS,
)
