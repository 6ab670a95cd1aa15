"""Settings and scripts that were loosened are found; those that an honest day changes are not."""

from __future__ import annotations

import json

import pytest

from loopwright.checks.commands import is_script_file
from loopwright.checks.reach import Reach
from loopwright.checks.settings_files import is_settings_file
from loopwright.core.findings import HIGH, LOW, MEDIUM
from loopwright.ratchet.settings_rules import scripts, settings
from loopwright.repo.baseline import Change
from tests.support.pairs import changes, known_pairs

HONEST_PAIRS = [path for path in known_pairs("settings") if "honest" in path.stem]
CI = ".github/workflows/ci.yml"
NPM, INI, TOML, TS, LINT = (
    "package.json",
    "pytest.ini",
    "pyproject.toml",
    "tsconfig.json",
    ".eslintrc.json",
)


def found_in(*changes, named=()):
    reach = Reach(lambda path: None)
    reach.files = dict.fromkeys(named)
    return [*settings.loosened_settings_of(changes), *scripts.loosened_commands(changes, reach)]


@pytest.mark.parametrize("path", HONEST_PAIRS, ids=lambda path: path.stem)
def test_what_is_known_to_be_honest_is_not_held_back_even_where_a_check_names_it(path):
    given = changes(path)

    found = found_in(*given, named=[change.path for change in given])
    assert [finding for finding in found if finding.severity != LOW] == []


def workflow(*steps, job=""):
    return f"on: [push]\njobs:\n  test:\n{job}    runs-on: x\n    steps:\n" + "".join(
        f"      - {step}\n" for step in steps
    )


def npm(**scripts):
    return json.dumps({"scripts": scripts})


def ini(*lines, section="pytest"):
    return "\n".join([f"[{section}]", *lines, ""])


def toml(section, *lines):
    return "\n".join([f"[tool.{section}]", *lines, ""])


def ts(**options):
    return json.dumps({"compilerOptions": options})


def rules(**levels):
    return json.dumps({"rules": levels})


def vitest(inside):
    return f"import {{ defineConfig }} from 'vitest/config'\nexport default defineConfig({{ test: {{ {inside} }} }})\n"


WEAKER = [
    # settings: path, before, after, severity, rule, line
    (INI, ini("addopts = -q"), ini("addopts = -q --deselect tests/a.py::b"), HIGH, "left out", 2),
    (INI, ini("addopts = -q"), ini("addopts = -q -k 'not slow'"), HIGH, "left out", 2),
    (INI, None, ini("addopts = --ignore=tests/broken"), HIGH, "left out", 2),
    (INI, ini("testpaths = tests"), ini("testpaths = tests/unit"), HIGH, "fewer tests", 2),
    (INI, ini("xfail_strict = true"), ini("xfail_strict = false"), HIGH, "strictness", 2),
    (INI, ini("timeout = 10"), ini("timeout = 600"), MEDIUM, "time-out", 2),
    (
        INI,
        ini("filterwarnings =", "    error"),
        ini("filterwarnings =", "    default"),
        MEDIUM,
        "no longer asked",
        3,
    ),
    (
        "tox.ini",
        ini("norecursedirs = .git"),
        ini("norecursedirs = .git tests/db"),
        HIGH,
        "left out",
        2,
    ),
    (
        "tox.ini",
        ini("commands = pytest", section="testenv"),
        ini("commands = - pytest", section="testenv"),
        HIGH,
        "forgiven",
        2,
    ),
    (
        "tox.ini",
        ini(section="testenv"),
        ini("ignore_outcome = true", section="testenv"),
        HIGH,
        "forgiven",
        2,
    ),
    (
        ".coveragerc",
        ini("fail_under = 90", section="report"),
        ini("show_missing = true", section="report"),
        HIGH,
        "floor",
        0,
    ),
    (".coveragerc", ini("fail_under = 90", section="report"), None, HIGH, "floor", 0),
    (
        ".coveragerc",
        ini("omit = */venv/*", section="run"),
        ini("omit = */venv/* src/pay/*", section="run"),
        HIGH,
        "coverage",
        2,
    ),
    (
        TOML,
        toml("coverage.report"),
        toml("coverage.report", "exclude_also = ['except']"),
        HIGH,
        "coverage",
        2,
    ),
    (TOML, toml("mypy", "strict = true"), toml("mypy", "strict = false"), HIGH, "strictness", 2),
    (
        TOML,
        toml("mypy", "strict = true"),
        toml("mypy", "strict = true", "warn_return_any = false"),
        HIGH,
        "strictness",
        3,
    ),
    (
        TOML,
        toml("mypy"),
        toml("mypy", "[[tool.mypy.overrides]]", "ignore_errors = true"),
        HIGH,
        "forgiven",
        3,
    ),
    (
        TOML,
        toml("ruff.lint", "select = ['E', 'S']"),
        toml("ruff.lint", "select = ['E']"),
        MEDIUM,
        "rules no longer",
        2,
    ),
    (
        TOML,
        toml("ruff.lint", "ignore = []"),
        toml("ruff.lint", "ignore = ['F821']"),
        MEDIUM,
        "rules switched off",
        2,
    ),
    (
        TOML,
        toml("ruff"),
        toml("ruff.lint.per-file-ignores", '"src/a.py" = ["F"]'),
        MEDIUM,
        "rules",
        2,
    ),
    (
        "ruff.toml",
        "extend-exclude = []\n",
        'extend-exclude = ["src/legacy"]\n',
        MEDIUM,
        "files left out",
        1,
    ),
    (
        ".flake8",
        ini("max-complexity = 10", section="flake8"),
        ini("max-complexity = 25", section="flake8"),
        HIGH,
        "threshold",
        2,
    ),
    (
        "mypy.ini",
        ini("disallow_untyped_defs = True", section="mypy"),
        ini(section="mypy"),
        HIGH,
        "strictness",
        0,
    ),
    (TS, ts(strict=True), ts(strict=False), HIGH, "strictness", 1),
    (TS, ts(strict=True), ts(strict=True, noImplicitAny=False), HIGH, "strictness", 1),
    (
        TS,
        '{"exclude": ["dist"]}',
        '{"exclude": ["dist", "src/orders"]}',
        MEDIUM,
        "files left out",
        1,
    ),
    (LINT, rules(eqeqeq="error"), rules(eqeqeq="off"), MEDIUM, "rule lowered", 1),
    (
        LINT,
        rules(eqeqeq=["error", "always"]),
        rules(eqeqeq=["warn", "always"]),
        MEDIUM,
        "rule lowered",
        1,
    ),
    (LINT, rules(), rules(radix="off"), MEDIUM, "rule lowered", 1),
    (
        "eslint.config.js",
        "export default [{}];",
        "export default [{ ignores: ['src/api/**'] }];",
        MEDIUM,
        "files left",
        1,
    ),
    (
        "jest.config.ts",
        "export default { testTimeout: 5 };",
        "export default { testTimeout: 9_000 };",
        MEDIUM,
        "time-out",
        1,
    ),
    (
        "jest.config.ts",
        "export default { roots: ['a', 'b'] };",
        "export default { roots: ['a'] };",
        HIGH,
        "fewer tests",
        1,
    ),
    (
        "vitest.config.ts",
        vitest("globals: true"),
        vitest("exclude: ['dist', 'src/cart/**']"),
        HIGH,
        "left out",
        2,
    ),
    ("vitest.config.ts", vitest(""), vitest("passWithNoTests: true"), HIGH, "forgiven", 2),
    (
        "vitest.config.ts",
        vitest("coverage: { lines: 90 }"),
        vitest("coverage: { lines: 40 }"),
        HIGH,
        "floor",
        2,
    ),
    (
        "playwright.config.ts",
        "export default { retries: 0 };",
        "export default { retries: 3 };",
        MEDIUM,
        "retries",
        1,
    ),
    (
        "playwright.config.ts",
        "export default { forbidOnly: !!process.env.CI };",
        "export default {};",
        HIGH,
        "strictness",
        0,
    ),
    (
        ".mocharc.yml",
        "forbid-only: true\nretries: 0\n",
        "forbid-only: true\nretries: 2\n",
        MEDIUM,
        "retries",
        2,
    ),
    (".nycrc", '{"check-coverage": true}', '{"check-coverage": false}', HIGH, "strictness", 1),
    (
        "codecov.yml",
        "coverage:\n  status:\n    target: 90%\n",
        "coverage:\n  status:\n    target: 50%\n",
        HIGH,
        "floor",
        3,
    ),
    (
        "next.config.js",
        "module.exports = {};",
        "module.exports = { eslint: { ignoreDuringBuilds: true } };",
        HIGH,
        "forgiven",
        1,
    ),
    # package scripts
    (NPM, npm(test="jest"), npm(test="jest || true"), HIGH, "forgiven", 1),
    (NPM, npm(test="jest"), npm(test="jest; exit 0"), HIGH, "forgiven", 1),
    (NPM, npm(test="jest"), npm(test="echo ok"), HIGH, "removed", 0),
    (NPM, npm(test="jest"), npm(test="jest src/a.test.js"), HIGH, "fewer tests", 1),
    (NPM, npm(test="jest"), npm(test="jest -t login"), HIGH, "left out", 1),
    (
        NPM,
        npm(test="jest"),
        npm(test="npm run unit", unit="jest --onlyChanged"),
        HIGH,
        "forgiven",
        1,
    ),
    (
        NPM,
        npm(lint="eslint . --max-warnings 0"),
        npm(lint="eslint . --max-warnings 50"),
        HIGH,
        "threshold",
        1,
    ),
    (NPM, npm(lint="eslint . --max-warnings=0"), npm(lint="eslint ."), HIGH, "threshold", 1),
    (
        NPM,
        npm(test="npm run lint && jest", lint="eslint ."),
        npm(test="jest", lint="eslint ."),
        HIGH,
        "removed",
        0,
    ),
    (NPM, npm(test="tsc --noEmit && jest"), npm(test="tsc --noEmit; jest"), HIGH, "forgiven", 1),
    (
        NPM,
        npm(format="prettier --check ."),
        npm(format="prettier --write ."),
        HIGH,
        "strictness",
        1,
    ),
    # make, just, task
    ("Makefile", "test:\n\tpytest\n", "test:\n\t-pytest\n", HIGH, "forgiven", 2),
    (
        "Makefile",
        "all: lint test\ntest:\n\tpytest\n",
        "all: lint\ntest:\n\tpytest\n",
        HIGH,
        "removed",
        0,
    ),
    (
        "Makefile",
        "test:\n\tpytest --cov-fail-under=90\n",
        "test:\n\tpytest --cov-fail-under=60\n",
        HIGH,
        "floor",
        2,
    ),
    ("Makefile", "test:\n\tpytest\n", "test:\n\tpytest | tee log\n", HIGH, "forgiven", 2),
    (
        "Makefile",
        "lint:\n\truff check src tests\n",
        "lint:\n\truff check src\n",
        HIGH,
        "fewer tests",
        2,
    ),
    ("Makefile", "types:\n\tmypy --strict src\n", "types:\n\tmypy src\n", HIGH, "strictness", 2),
    ("justfile", "test:\n    pytest\n", "test:\n    -pytest\n", HIGH, "forgiven", 2),
    # shell
    ("run.sh", "set -e\npytest\nruff check .\n", "pytest\nruff check .\n", HIGH, "forgiven", 1),
    ("run.sh", "set -e\npytest\necho ok\n", "set +e\npytest\necho ok\n", HIGH, "forgiven", 2),
    ("run.sh", "set -e\npytest\n", "set -e\nexit 0\npytest\n", HIGH, "forgiven", 3),
    ("run.sh", "set -e\npytest\n", "set -e\n# pytest\n", HIGH, "removed", 0),
    ("run.sh", "set -e\npytest a\npytest b\n", "set -e\npytest a\n", HIGH, "removed", 0),
    ("run.sh", "set -e\npytest\n", "set -e\ntrap 'exit 0' EXIT\npytest\n", HIGH, "forgiven", 3),
    (
        "run.sh",
        "set -e\npytest\n",
        "set -e\ntrap 'rm -r out; exit $?' EXIT\npytest\n",
        HIGH,
        "forgiven",
        3,
    ),
    ("run.sh", "set -e\npytest\n", "set -e\ntrap 'exec true' 0\npytest\n", HIGH, "forgiven", 3),
    ("run.sh", "set -e\npytest\n", "set -e\nif false; then\n  pytest\nfi\n", HIGH, "forgiven", 3),
    (
        "run.sh",
        "set -e\npytest\n",
        "set -e\nif ! pytest; then\n  echo failed\nfi\n",
        HIGH,
        "forgiven",
        2,
    ),
    (
        "run.sh",
        "pytest\nstatus=$?\nexit $status\n",
        "pytest\nstatus=$?\nexit 0\n",
        HIGH,
        "forgiven",
        1,
    ),
    ("run.sh", "set -e\npytest --reruns 1\n", "set -e\npytest --reruns 5\n", MEDIUM, "retries", 2),
    ("run.sh", "set -e\npytest\n", None, HIGH, "removed", 0),
    # on a server
    (CI, workflow("run: pytest"), workflow("run: pytest || true"), HIGH, "forgiven", 6),
    (
        CI,
        workflow("run: pytest"),
        workflow("run: |\n          pip install .\n          pytest || echo no"),
        HIGH,
        "forgiven",
        8,
    ),
    (
        CI,
        workflow("run: pytest"),
        workflow("run: pytest", job="    continue-on-error: true\n"),
        HIGH,
        "forgiven",
        7,
    ),
    (
        CI,
        workflow("run: pytest"),
        workflow("run: pytest\n        if: ${{ false }}"),
        HIGH,
        "forgiven",
        6,
    ),
    (
        CI,
        workflow("run: ruff check .", "run: pytest"),
        workflow("run: ruff check ."),
        HIGH,
        "removed",
        0,
    ),
    (
        ".gitlab-ci.yml",
        "a:\n  script: tox\n",
        "a:\n  script: tox\n  allow_failure: true\n",
        HIGH,
        "forgiven",
        2,
    ),
    (
        "azure-pipelines.yml",
        "steps:\n- script: tox\n",
        "steps:\n- script: tox\n  continueOnError: true\n",
        HIGH,
        "forgiven",
        2,
    ),
]


@pytest.mark.parametrize(("path", "before", "after", "severity", "rule", "line"), WEAKER)
def test_what_makes_the_work_easier_to_prove_is_found(path, before, after, severity, rule, line):
    findings = found_in(Change(path, before, after))

    assert [(finding.severity, finding.line) for finding in findings if rule in finding.text] == [
        (severity, line)
    ], findings


@pytest.mark.parametrize(
    ("path", "before", "after"), [row[:3] for row in WEAKER if row[1] and row[2]]
)
def test_the_way_back_is_free(path, before, after):
    assert [
        finding for finding in found_in(Change(path, after, before)) if finding.severity == HIGH
    ] == []


HONEST = [
    (INI, ini("addopts = -q"), ini("addopts = -q -ra --strict-markers -n auto -x --durations=10")),
    (INI, ini(), ini("testpaths = tests", "markers =", "    slow: takes long")),
    (INI, ini("testpaths = tests/unit"), ini("testpaths = tests")),
    (INI, ini("addopts = -m 'not slow'"), ini("addopts = -q")),
    (INI, ini(), ini("timeout = 60", "python_files = test_*.py")),
    (INI, None, ini("testpaths = tests", "addopts = -q")),
    (
        INI,
        ini("filterwarnings =", "    error"),
        ini("filterwarnings =", "    error", "    ignore::DeprecationWarning:moto"),
    ),
    (
        ".coveragerc",
        ini("omit = */venv/*", section="run"),
        ini("omit = */venv/* */migrations/* tests/*", section="run"),
    ),
    (
        TOML,
        toml("coverage.report"),
        toml(
            "coverage.report", "exclude_also = ['if TYPE_CHECKING:', 'raise NotImplementedError']"
        ),
    ),
    (
        TOML,
        toml("ruff.lint", "select = ['E']"),
        toml("ruff.lint", "select = ['E', 'S']", "ignore = ['S311']"),
    ),
    (TOML, toml("ruff", "select = ['E', 'F']"), toml("ruff.lint", "select = ['E', 'F']")),
    (TOML, toml("ruff.lint", "select = ['E4', 'F401']"), toml("ruff.lint", "select = ['E', 'F']")),
    (
        TOML,
        toml("mypy"),
        toml(
            "mypy", "[[tool.mypy.overrides]]", "module = 'boto3.*'", "ignore_missing_imports = true"
        ),
    ),
    (TOML, toml("mypy", "disallow_untyped_defs = true"), toml("mypy", "strict = true")),
    (
        TOML,
        "[project]\ndependencies = ['a']\n",
        "[project]\ndependencies = ['a', 'b']\n[tool.black]\nexclude = 'src/x'\n",
    ),
    (
        TS,
        ts(strict=True),
        '{\n  // aliases\n  "compilerOptions": {"strict": true, "paths": {"@/*": ["src/*"]}},}',
    ),
    (TS, ts(noImplicitAny=True), ts(strict=True)),
    (
        "tsconfig.build.json",
        '{"exclude": ["node_modules"]}',
        '{"exclude": ["node_modules", "dist", "**/*.test.ts"]}',
    ),
    (LINT, rules(eqeqeq="warn"), rules(eqeqeq="error", radix="error")),
    (
        LINT,
        rules(semi="error"),
        rules(**{"semi": "off", "@stylistic/semi": ["error", {"args": "^_"}]}),
    ),
    (
        "eslint.config.js",
        "export default [{}];",
        "export default [{ ignores: ['dist/**', 'coverage/**'] }, {}];",
    ),
    (
        "jest.config.js",
        "module.exports = { testMatch: ['a.js', 'b.js'] };",
        "module.exports = { testMatch: ['{a,b,c}.js'] };",
    ),
    (
        "jest.config.js",
        "module.exports = {};",
        "module.exports = { moduleNameMapper: { '^@/(.*)$': '<rootDir>/src/$1' } };",
    ),
    (
        "vitest.config.ts",
        vitest("globals: true"),
        vitest("globals: true, exclude: ['node_modules', 'dist', 'e2e/**']"),
    ),
    (
        "playwright.config.ts",
        None,
        "export default defineConfig({ retries: process.env.CI ? 2 : 0, timeout: 60_000 })",
    ),
    (NPM, npm(test="jest"), npm(test="jest --ci --coverage --verbose", build="vite build")),
    (NPM, npm(test="jest"), npm(test="npm run lint && npm run unit", unit="jest", lint="eslint .")),
    (NPM, npm(test="jest && eslint ."), npm(test="run-s lint unit", unit="jest", lint="eslint .")),
    (NPM, npm(test="jest"), npm(test="vitest run")),
    (NPM, npm(test="jest", watch="jest --watch"), npm(test="jest")),
    (NPM, npm(lint="eslint src"), npm(lint="eslint src tests --max-warnings 0 --cache")),
    (NPM, npm(clean="rm -rf dist"), npm(clean="rm -rf dist || true", dev="vite; exit 0")),
    (
        "Makefile",
        "test:\n\tpytest\n",
        "test: lint\n\tpytest -q\n\nlint:\n\truff check .\n\ndocs:\n\t-rm -rf site\n",
    ),
    (
        "Makefile",
        "test:\n\tpytest a\n\tpytest b\n",
        "PYTEST := poetry run pytest\n\ntest:\n\t$(PYTEST) a b\n",
    ),
    (
        "Makefile",
        "test:\n\tpython -m pytest\n",
        "test: install\n\t@echo testing\n\t.venv/bin/pytest\n",
    ),
    ("Makefile", "test:\n\tpytest\n", "test:\n\tpytest tests/unit\n\tpytest tests/api\n"),
    (
        "justfile",
        "test:\n    pytest\n",
        "set shell := ['bash', '-c']\n\ntest *args:\n    pytest {{args}}\n",
    ),
    ("run.sh", "set -e\npytest\n", "#!/bin/bash\nset -euo pipefail\npytest 2>&1 | tee log.txt\n"),
    (
        "run.sh",
        "set -e\npytest\n",
        "set -e\npip install . || exit 1\npytest || { echo failed; exit 1; }\n",
    ),
    (
        "run.sh",
        "set -e\npytest\n",
        "set -e\nstatus=0\npytest || status=$?\ndocker compose down || true\nexit $status\n",
    ),
    (
        "run.sh",
        "set -e\npytest\n",
        'set -e\nif ! pytest; then\n  echo "failed" >&2\n  exit 1\nfi\n',
    ),
    (
        "run.sh",
        "set -e\npytest\n",
        'set -e\nif [ "$1" = --help ]; then\n  echo usage\n  exit 0\nfi\npytest\n',
    ),
    (
        "run.sh",
        "set -e\npytest\n",
        "set -e\ncleanup() {\n  docker rm -f db || true\n}\ntrap cleanup EXIT\npytest\n",
    ),
    ("run.sh", "set -e\npytest\n", "set -e\ntrap 'exit $?' EXIT\npytest\n"),
    ("run.sh", "set -e\npytest\n", "set -e\ntrap 'c=$?; rm x; exit \"$c\"' EXIT\npytest\n"),
    ("run.sh", "set -e\npytest\n", "set -e\ncat <<EOF\nexit 0, don't\nEOF\npytest  # that's all\n"),
    (CI, workflow("run: pytest"), workflow("run: pytest", "run: codecov || true")),
    (
        CI,
        workflow("run: pytest"),
        workflow(
            "name: Tests\n        run: |\n          set -x\n          pytest -v", "run: cat log"
        ),
    ),
    (CI, workflow("run: npm test"), workflow("run: npm ci", "run: npm run test:ci")),
    (
        CI,
        workflow("run: pytest", "run: mypy src"),
        workflow("run: pytest") + "  types:\n    steps:\n      - run: mypy src\n",
    ),
    (
        ".gitlab-ci.yml",
        "a:\n  script:\n    - pytest\n",
        "a:\n  script:\n    - pytest\nb:\n  allow_failure: true\n  script: mkdocs\n",
    ),
    ("README.md", "run `pytest`\n", "run `pytest || true`\n"),
]


@pytest.mark.parametrize(("path", "before", "after"), HONEST)
def test_what_honest_work_changes_is_left_alone(path, before, after):
    assert [
        finding for finding in found_in(Change(path, before, after)) if finding.severity != LOW
    ] == []


FLOOR = ini("fail_under=90", section="report")
MOVED = [
    (
        Change(".coveragerc", FLOOR, None),
        Change(TOML, "", toml("coverage.report", "fail_under=90")),
    ),
    (
        Change(NPM, '{"jest": {"roots": ["a"]}}', "{}"),
        Change("jest.config.js", None, "module.exports = {roots: ['a']}"),
    ),
    (
        Change(LINT, '{"extends": ["a"], "rules": {"b": "error"}}', None),
        Change("eslint.config.js", None, "[{rules: {b: 'error'}}]"),
    ),
    (
        Change(TS, ts(strict=True), '{"extends": "./tsconfig.base.json"}'),
        Change("tsconfig.base.json", None, ts(strict=True)),
    ),
    (
        Change(CI, workflow("run: pytest"), None),
        Change(".github/workflows/b.yml", None, workflow("run: pytest -q")),
    ),
    (
        Change("test.sh", "set -e\npytest\n", None),
        Change("scripts/test.sh", None, "set -e\npytest\n"),
    ),
    (
        Change("setup.cfg", "[coverage:run]\nomit = a.py\n    b.py\n", None),
        Change(TOML, None, toml("coverage.run", "omit = ['a.py']")),
    ),
    (
        Change("Makefile", "test:\n\tpytest\n", None),
        Change("justfile", None, "test:\n    pytest\n"),
    ),
]


@pytest.mark.parametrize("changes", MOVED, ids=lambda changes: changes[1].path)
def test_what_only_moved_to_another_file_is_not_gone(changes):
    assert found_in(*changes) == []


@pytest.mark.parametrize(
    ("before", "after", "is_found"),
    [
        ("select = ['E', 'UP']", "extend-select = ['UP']", False),
        ("select = ['E', 'UP']", "extend-select = ['E']", True),
        ("exclude = ['a.py']", "extend-exclude = ['a.py']", False),
        ("exclude = ['a.py']", "extend-exclude = ['a.py', 'b.py']", True),
    ],
)
def test_a_list_may_extend_the_default_instead(before, after, is_found):
    found = found_in(Change(TOML, toml("ruff.lint", before), toml("ruff.lint", after)))

    assert bool(found) == is_found


def test_what_moved_and_became_less_is_found():
    findings = found_in(
        Change(".coveragerc", FLOOR, None),
        Change(TOML, "", toml("coverage.report", "fail_under=50")),
    )

    assert [(f.severity, f.text, f.file) for f in findings] == [
        (HIGH, "coverage floor lowered", ".coveragerc")
    ]


@pytest.mark.parametrize(
    ("path", "before", "after", "line"),
    [
        ("run.sh", "set -e\npytest\n", "set -e\npytest -o cache_dir=x\n", 2),
        ("run.sh", "set -e\npytest\n", "set -e\nbats .\n", 0),
        ("check.sh", "diff out expected\n", "true\n", 0),
        ("check.sh", "diff out expected\n", "diff out out\n", 1),
        ("Makefile", "check:\n\tdiff out expected\n", "check:\n\ttrue\n", 0),
        (NPM, npm(test="node run-tests.js"), npm(test="node run-tests.js || exit 0"), 1),
        ("tools/gate.py", "import sys\nsys.exit(check())\n", "import sys\nsys.exit(0)\n", 0),
        ("smoke-test.rb", "exit(1) unless ok?\n", "exit(0)\n", 0),
        (
            "bin/verify",
            "#!/usr/bin/env node\nprocess.exit(run())\n",
            "#!/usr/bin/env node\nprocess.exit(0)\n",
            0,
        ),
    ],
)
def test_any_change_in_what_a_check_command_calls_is_found(path, before, after, line):
    findings = found_in(Change(path, before, after), named=[path])

    assert [(finding.severity, finding.line) for finding in findings] == [(HIGH, line)]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("run.sh", "set -e\npytest\n", "set -euo pipefail\necho all\n# why\npytest -v\n"),
        ("run.sh", "set -e\npytest\n", "set -e\npip install .\nruff check .\npytest\n"),
        (
            "Makefile",
            "test:\n\tpytest\nrun:\n\tflask run\n",
            "test:\n\tpytest\nrun:\n\tflask run --debug\n",
        ),
        ("Makefile", "test:\n\tprove -l t\n", "test:\n\tprove -lr t\n"),
        (NPM, npm(test="jest"), npm(test="jest --coverage", build="vite build")),
        (
            NPM,
            npm(test="jest", dev="vite"),
            npm(test="npm run types && jest", types="tsc", dev="vite --host"),
        ),
        (
            "tools/gate.py",
            "import sys\nsys.exit(check())\n",
            "# why\nimport sys\n\nsys.exit(check())  # or not\n",
        ),
        ("src/app.py", "run(1)\n", "run(2)\n"),
        ("openapi-spec.yaml", "a: 1\n", "a: 2\n"),
        ("tests/test_gate.py", "assert 1\n", "assert 2\n"),
    ],
)
def test_what_a_check_command_calls_may_prove_more(path, before, after):
    assert found_in(Change(path, before, after), named=[path]) == []


@pytest.mark.parametrize("command", ["prove -l t", "prove -r t"])
def test_a_check_that_looks_into_fewer_folders_or_elsewhere_was_changed(command):
    before, after = "test:\n\tprove -lr t\n", f"test:\n\t{command}\n"
    (finding,) = found_in(Change("Makefile", before, after), named=["Makefile"])

    assert (finding.severity, finding.rule) == (HIGH, "check-command-changed")


def test_settings_that_can_no_longer_be_read_are_for_a_person_to_see():
    findings = found_in(Change(INI, "[pytest]\n", "pytest]\naddopts"))

    assert [(finding.severity, finding.text) for finding in findings] == [
        (MEDIUM, "settings that cannot be read")
    ]


@pytest.mark.parametrize("path", [TOML, NPM, "jest.config.js", "Makefile", "run.sh", CI])
@pytest.mark.parametrize(
    "unit",
    ["{", "'", "$(", "- ", "a: ", "pytest || ", "/[", '\\"', "<<A\n", "test: test\n\tpytest\n"],
)
def test_hostile_text_is_read_to_its_end(path, unit):
    found_in(Change(path, unit * 999, unit * 1000), named=[path])
    found_in(Change(path, "", unit * (50_000 // len(unit))))


@pytest.mark.parametrize("path", ["a/package.json", "Makefile", CI, "scripts/test.sh", "bin/check"])
def test_files_with_commands_are_known_by_their_names(path):
    assert is_script_file(path)
    assert not is_script_file(f"{path}.md")
    assert is_settings_file(path) == path.endswith("package.json")


def test_an_ini_line_that_continues_a_key_without_a_value_makes_the_file_unreadable() -> None:
    before, after = "[pytest]\naddopts = -q\n", "[pytest]\naddopts\n    -q\n"

    [finding] = settings.loosened_settings_of([Change("pytest.ini", before, after)])
    assert (finding.severity, finding.rule) == (MEDIUM, "settings-unreadable")


def test_ruff_may_take_over_from_flake8():
    old = Change(".flake8", "[flake8]\nextend-select = B, B9\n", None)
    new = Change(TOML, "", toml("ruff.lint", "select = ['B', 'E']"))

    assert found_in(old, new) == []


@pytest.mark.parametrize(
    ("known", "severity"), [(None, MEDIUM), ("x = 1\n", HIGH)], ids=["new", "old"]
)
def test_a_new_folder_may_be_left_out_of_coverage_if_a_person_agrees(known, severity):
    omit = toml("coverage.run", 'omit = ["*/tasks/*"]')
    found = found_in(Change(TOML, "", omit), Change("tasks/probe.py", known, "x = 2\n"))

    assert [finding.severity for finding in found] == [severity]


@pytest.mark.parametrize(
    ("option", "count"),
    [("disallow_any_generics", 0), ("disallow_any_expr", 1)],
    ids=["part of strict", "not part of strict"],
)
def test_strict_of_mypy_takes_the_place_of_the_options_that_it_has(option, count):
    old, new = toml("mypy", f"{option} = true"), toml("mypy", "strict = true")

    assert len(found_in(Change(TOML, old, new))) == count
