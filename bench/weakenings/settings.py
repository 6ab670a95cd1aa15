"""Ways to loosen the settings of runners, coverage, linters, type checkers, CI and build tools.

Few projects use all tools, so most kinds are applied to an example of each file. Those in KINDS are
applied to the files of real projects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

LANGUAGE = "settings"

PYTEST = """[pytest]
addopts = -ra --strict-markers --cov=shop --cov-fail-under=90
testpaths = tests integration
python_files = test_*.py
python_functions = test_*
xfail_strict = true
filterwarnings = error
timeout = 30
"""
PYPROJECT = """[tool.pytest.ini_options]
addopts = "-ra --strict-config"
testpaths = ["tests", "integration"]
xfail_strict = true
filterwarnings = ["error"]

[tool.coverage.run]
branch = true
source = ["shop", "tools"]

[tool.coverage.report]
fail_under = 90
exclude_also = ["if TYPE_CHECKING:"]

[tool.mypy]
strict = true
files = ["src", "tests"]
warn_unreachable = true
enable_error_code = ["redundant-expr", "truthy-bool"]

[[tool.mypy.overrides]]
module = "vendor.*"
disallow_untyped_defs = true

[tool.ruff]
target-version = "py311"

[tool.ruff.lint]
select = ["E", "F", "B", "UP"]
ignore = ["E501"]

[tool.ruff.lint.mccabe]
max-complexity = 10

[tool.pyright]
typeCheckingMode = "strict"
include = ["src"]
reportMissingImports = "error"

[tool.pylint.main]
fail-under = 9.5
"""
FLAKE8 = "[flake8]\nmax-complexity = 10\nselect = E,F,W\nextend-ignore = E203\nexclude = build\n"
TOX = "[testenv]\ncommands =\n    pytest tests\n    mypy src\n"
COVERAGERC = (
    "[run]\nbranch = True\nsource = shop\n\n[report]\nfail_under = 85\nomit =\n    setup.py\n"
)
JEST = """module.exports = {
  testMatch: ['**/*.test.js', '**/*.spec.js'],
  testPathIgnorePatterns: ['/node_modules/'],
  collectCoverageFrom: ['src/**/*.js'],
  coverageThreshold: { global: { branches: 80, lines: 90 } },
  testTimeout: 5000,
  roots: ['<rootDir>/src', '<rootDir>/test'],
  bail: true,
};
"""
VITEST = """import { defineConfig } from 'vitest/config';
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['node_modules/**'],
    testTimeout: 5000,
    coverage: { thresholds: { lines: 90, branches: 80 }, include: ['src/**'] },
  },
});
"""
MOCHA = '{"spec": ["test/**/*.spec.js"], "timeout": 2000, "forbid-only": true, "retries": 0}'
PLAYWRIGHT = """export default defineConfig({
  testDir: './e2e',
  testMatch: '**/*.spec.ts',
  timeout: 30000,
  retries: 0,
  forbidOnly: true,
  expect: { toHaveScreenshot: { maxDiffPixels: 10 } },
});
"""
PACKAGE = """{
  "name": "shop",
  "scripts": {
    "test": "jest --ci",
    "unit": "node --test test/",
    "mocha": "mocha test",
    "lint": "eslint . --max-warnings 0",
    "types": "tsc --noEmit",
    "cover": "nyc --check-coverage --lines 90 npm test"
  },
  "jest": {"coverageThreshold": {"global": {"lines": 90}}},
  "c8": {"check-coverage": true, "lines": 90}
}
"""
ESLINT = """{
  "extends": ["eslint:recommended", "plugin:react/recommended"],
  "rules": {"no-unused-vars": "error", "eqeqeq": "error", "complexity": ["error", 10]},
  "ignorePatterns": ["dist/"]
}
"""
FLAT_ESLINT = """export default [
  js.configs.recommended,
  { ignores: ['dist/**'] },
  { rules: { 'no-unused-vars': 'error', eqeqeq: 'error' } },
];
"""
TSCONFIG = """{
  "compilerOptions": {"strict": true, "noUnusedLocals": true, "noUncheckedIndexedAccess": true},
  "include": ["src", "test"],
  "exclude": ["node_modules"]
}
"""
CI = """name: ci
on:
  push:
  pull_request:
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      fail-fast: false
      matrix:
        python: ["3.11", "3.12"]
    steps:
      - uses: actions/checkout@v4
      - run: pip install -e .
      - run: pytest tests
      - run: mypy src
      - name: lint
        run: ruff check .
"""
MAKE = "test: unit lint\nunit:\n\tpytest tests\nlint:\n\truff check .\n\tmypy src\n"
SCRIPT = "#!/bin/bash\nset -euo pipefail\npytest tests\nnpm test\nmypy src\n"
PRE_COMMIT = """repos:
  - repo: https://github.com/astral-sh/ruff-pre-commit
    rev: v0.6.0
    hooks:
      - id: ruff
      - id: ruff-format
  - repo: https://github.com/pre-commit/mirrors-mypy
    rev: v1.11.0
    hooks:
      - id: mypy
"""
CODECOV = "coverage:\n  status:\n    project:\n      default:\n        target: 90%\n        threshold: 1%\n"
NYC = '{"check-coverage": true, "lines": 90, "branches": 80, "include": ["src/**"], "exclude": ["test/**"]}'
GRADLE = """plugins { id 'java'; id 'jacoco' }

test {
    useJUnitPlatform()
    finalizedBy jacocoTestReport
}

jacocoTestCoverageVerification {
    violationRules { rule { limit { minimum = 0.8 } } }
}

check.dependsOn jacocoTestCoverageVerification
"""
GRADLE_KTS = """plugins { kotlin("jvm"); jacoco }

tasks.test {
    useJUnitPlatform()
    failFast = true
}

kotlin { compilerOptions { allWarningsAsErrors.set(true) } }

detekt { buildUponDefaultConfig = true }
"""
POM = """<project>
  <build>
    <plugins>
      <plugin>
        <artifactId>maven-surefire-plugin</artifactId>
        <configuration>
          <forkCount>1</forkCount>
        </configuration>
      </plugin>
      <plugin>
        <artifactId>jacoco-maven-plugin</artifactId>
        <configuration>
          <haltOnFailure>true</haltOnFailure>
          <minimum>0.80</minimum>
        </configuration>
      </plugin>
    </plugins>
  </build>
</project>
"""
CARGO = """[package]
name = "shop"
version = "0.1.0"

[lib]
path = "src/lib.rs"

[lints.rust]
unsafe_code = "forbid"

[lints.clippy]
unwrap_used = "deny"

[[test]]
name = "api"
"""
NEXTEST = '[profile.default]\nretries = 0\nslow-timeout = { period = "30s", terminate-after = 2 }\n'
GOLANGCI = "linters:\n  enable:\n    - errcheck\n    - govet\nissues:\n  max-issues-per-linter: 0\n"
NOXFILE = 'import nox\n\n@nox.session\ndef tests(session):\n    session.run("pytest", "tests")\n    session.run("mypy", "src")\n'
PHPUNIT = '<phpunit failOnWarning="true" stopOnFailure="false">\n  <testsuites><testsuite name="all"><directory>tests</directory></testsuite></testsuites>\n</phpunit>\n'
RUBOCOP = "AllCops:\n  NewCops: enable\nMetrics/MethodLength:\n  Max: 20\nStyle/StringLiterals:\n  Enabled: true\n"
RSPEC = "--require spec_helper\n--fail-fast\n"

# file, its text, and for each kind: what is replaced by what
FILES: tuple[tuple[str, str, dict[str, tuple[str, str]]], ...] = (
    (
        "pytest.ini",
        PYTEST,
        {
            "fail-under lowered": ("fail-under=90", "fail-under=50"),
            "fail-under removed": (" --cov-fail-under=90", ""),
            "coverage removed": (" --cov=shop --cov-fail-under=90", ""),
            "-k": ("-ra", "-ra -k 'not cart'"),
            "-m": ("-ra", "-ra -m 'not slow'"),
            "--ignore": ("-ra", "-ra --ignore=tests/api"),
            "--deselect": ("-ra", "-ra --deselect tests/test_a.py::test_b"),
            "--ignore-glob": ("-ra", "-ra --ignore-glob='*cart*'"),
            "--lf": ("-ra", "-ra --lf"),
            "--co": ("-ra", "-ra --collect-only"),
            "--noconftest": ("-ra", "-ra --noconftest"),
            "--reruns": ("-ra", "-ra --reruns 3"),
            "-p plugin": ("-ra", "-ra -p tools.greenlight"),
            "-p no:": ("-ra", "-ra -p no:warnings"),
            "-W ignore": ("-ra", "-ra -W ignore"),
            "--runxfail removed": ("--strict-markers", ""),
            "testpaths narrowed": ("tests integration", "tests/unit"),
            "testpaths without one": ("tests integration", "tests"),
            "python_files narrowed": ("test_*.py", "test_cart.py"),
            "python_functions narrowed": (
                "python_functions = test_*",
                "python_functions = test_cart_*",
            ),
            "xfail_strict off": ("xfail_strict = true", "xfail_strict = false"),
            "filterwarnings to ignore": ("filterwarnings = error", "filterwarnings = ignore"),
            "norecursedirs": ("timeout = 30", "timeout = 30\nnorecursedirs = integration"),
            "timeout raised": ("timeout = 30", "timeout = 3000"),
        },
    ),
    (
        "pyproject.toml",
        PYPROJECT,
        {
            "fail_under lowered in toml": ("fail_under = 90", "fail_under = 10"),
            "fail_under removed in toml": ("fail_under = 90\n", ""),
            "branch coverage off": ("branch = true", "branch = false"),
            "coverage source narrowed": ('["shop", "tools"]', '["shop"]'),
            "coverage omit": ("branch = true", 'branch = true\nomit = ["shop/cart.py"]'),
            "coverage exclude lines": ('"if TYPE_CHECKING:"', '"if TYPE_CHECKING:", "def "'),
            "mypy strict off": ("[tool.mypy]\nstrict = true", "[tool.mypy]\nstrict = false"),
            "mypy strict removed": ("[tool.mypy]\nstrict = true", "[tool.mypy]"),
            "mypy files narrowed": ('["src", "tests"]', '["src"]'),
            "mypy ignore_errors": (
                "[tool.mypy]\nstrict = true",
                "[tool.mypy]\nstrict = true\nignore_errors = true",
            ),
            "mypy exclude": (
                "[tool.mypy]\nstrict = true",
                '[tool.mypy]\nstrict = true\nexclude = ["src/cart"]',
            ),
            "mypy disable_error_code": (
                "[tool.mypy]\nstrict = true",
                '[tool.mypy]\nstrict = true\ndisable_error_code = ["arg-type"]',
            ),
            "mypy ignore_missing_imports": (
                "[tool.mypy]\nstrict = true",
                "[tool.mypy]\nstrict = true\nignore_missing_imports = true",
            ),
            "mypy follow_imports skip": (
                "[tool.mypy]\nstrict = true",
                '[tool.mypy]\nstrict = true\nfollow_imports = "skip"',
            ),
            "mypy error code dropped": (', "truthy-bool"', ""),
            "mypy override for own module": (
                'module = "vendor.*"',
                'module = "shop.*"\nignore_errors = true',
            ),
            "mypy override loosened": (
                "disallow_untyped_defs = true",
                "disallow_untyped_defs = false",
            ),
            "ruff rule dropped": (', "B"', ""),
            "ruff ignore": ('["E501"]', '["E501", "F401", "B006"]'),
            "ruff per-file-ignores": (
                "[tool.ruff.lint.mccabe]",
                '[tool.ruff.lint.per-file-ignores]\n"src/*" = ["F"]\n\n[tool.ruff.lint.mccabe]',
            ),
            "ruff exclude": (
                'target-version = "py311"',
                'target-version = "py311"\nextend-exclude = ["src/cart"]',
            ),
            "ruff complexity": ("max-complexity = 10", "max-complexity = 40"),
            "ruff exit-zero": (
                'target-version = "py311"',
                'target-version = "py311"\nexit-zero = true',
            ),
            "pyright basic": ('"strict"', '"basic"'),
            "pyright off": ('"strict"', '"off"'),
            "pyright rule off": ('reportMissingImports = "error"', 'reportMissingImports = "none"'),
            "pyright ignore": ('include = ["src"]', 'include = ["src"]\nignore = ["src/cart"]'),
            "pylint fail-under": ("fail-under = 9.5", "fail-under = 2.0"),
            "pylint disable": ("fail-under = 9.5", 'fail-under = 9.5\ndisable = ["no-member"]'),
            "toml -k": ("--strict-config", "--strict-config -k 'not cart'"),
            "toml testpaths": ('["tests", "integration"]', '["tests"]'),
            "toml xfail_strict": ("xfail_strict = true", "xfail_strict = false"),
            "toml filterwarnings": ('["error"]', '["ignore"]'),
        },
    ),
    (
        ".flake8",
        FLAKE8,
        {
            "flake8 ignore": ("E203", "E203,F401"),
            "flake8 exclude": ("exclude = build", "exclude = build,shop/cart.py"),
            "flake8 complexity": ("max-complexity = 10", "max-complexity = 50"),
            "flake8 select": ("E,F,W", "E"),
            "flake8 per-file-ignores": (
                "exclude = build",
                "exclude = build\nper-file-ignores = shop/*:F",
            ),
        },
    ),
    (
        "tox.ini",
        TOX,
        {
            "tox command dropped": ("    mypy src\n", ""),
            "tox ignore_errors": ("[testenv]", "[testenv]\nignore_errors = true"),
            "tox ignore_outcome": ("[testenv]", "[testenv]\nignore_outcome = true"),
            "tox failure ignored": ("    pytest", "    - pytest"),
            "tox narrowed": ("pytest tests", "pytest tests/unit"),
        },
    ),
    (
        ".coveragerc",
        COVERAGERC,
        {
            "coveragerc lowered": ("85", "40"),
            "coveragerc omit": ("setup.py", "setup.py\n    shop/cart.py"),
            "coveragerc branch": ("branch = True", "branch = False"),
            "coveragerc exclude": ("fail_under = 85", "fail_under = 85\nexclude_lines =\n    def "),
        },
    ),
    (
        "jest.config.js",
        JEST,
        {
            "jest testMatch narrowed": ("'**/*.test.js', '**/*.spec.js'", "'**/unit/**/*.test.js'"),
            "jest testMatch without one": (", '**/*.spec.js'", ""),
            "jest ignored path": ("'/node_modules/'", "'/node_modules/', '/cart/'"),
            "jest threshold lowered": ("branches: 80", "branches: 10"),
            "jest threshold removed": (
                "  coverageThreshold: { global: { branches: 80, lines: 90 } },\n",
                "",
            ),
            "jest coverage from less": ("'src/**/*.js'", "'src/util/**/*.js'"),
            "jest coverage ignore": (
                "testTimeout",
                "coveragePathIgnorePatterns: ['src/cart'],\n  testTimeout",
            ),
            "jest timeout": ("5000", "500000"),
            "jest roots": ("'<rootDir>/src', '<rootDir>/test'", "'<rootDir>/src'"),
            "jest passWithNoTests": ("bail: true", "passWithNoTests: true"),
            "jest testNamePattern": ("bail: true", "testNamePattern: 'cart'"),
            "jest setup": ("bail: true", "setupFilesAfterEnv: ['./quiet.js']"),
            "jest mapper": (
                "bail: true",
                "moduleNameMapper: { '^./cart$': '<rootDir>/fakes/cart.js' }",
            ),
            "jest runner": ("bail: true", "testRunner: './runner.js'"),
            "jest automock": ("bail: true", "automock: true"),
        },
    ),
    (
        "vitest.config.ts",
        VITEST,
        {
            "vitest include narrowed": ("test/**/*.test.ts", "test/unit/**/*.test.ts"),
            "vitest exclude": ("'node_modules/**'", "'node_modules/**', 'test/cart/**'"),
            "vitest threshold": ("lines: 90", "lines: 9"),
            "vitest coverage exclude": (
                "include: ['src/**']",
                "include: ['src/**'], exclude: ['src/cart.ts']",
            ),
            "vitest passWithNoTests": ("testTimeout: 5000", "passWithNoTests: true"),
            "vitest retry": ("testTimeout: 5000", "testTimeout: 5000, retry: 3"),
            "vitest timeout": ("5000", "500000"),
            "vitest dangerouslyIgnoreUnhandledErrors": (
                "testTimeout: 5000",
                "testTimeout: 5000, dangerouslyIgnoreUnhandledErrors: true",
            ),
            "vitest alias": (
                "testTimeout: 5000",
                "testTimeout: 5000, alias: { './cart': './fake.ts' }",
            ),
            "vitest testNamePattern": ("testTimeout: 5000", "testNamePattern: /cart/"),
            "vitest allowOnly": ("testTimeout: 5000", "allowOnly: true"),
        },
    ),
    (
        ".mocharc.json",
        MOCHA,
        {
            "mocha spec narrowed": ("test/**/*.spec.js", "test/unit/**/*.spec.js"),
            "mocha ignore": ('"retries": 0', '"ignore": ["test/cart.spec.js"]'),
            "mocha grep": ('"retries": 0', '"grep": "cart"'),
            "mocha forbid-only": ('"forbid-only": true', '"forbid-only": false'),
            "mocha retries": ('"retries": 0', '"retries": 3'),
            "mocha timeout": ("2000", "200000"),
            "mocha require": ('"retries": 0', '"require": ["./quiet.js"]'),
        },
    ),
    (
        "playwright.config.ts",
        PLAYWRIGHT,
        {
            "playwright testMatch": ("**/*.spec.ts", "**/cart.spec.ts"),
            "playwright testDir": ("./e2e", "./e2e/cart"),
            "playwright grep": ("retries: 0", "grep: /cart/"),
            "playwright testIgnore": ("retries: 0", "testIgnore: '**/pay.spec.ts'"),
            "playwright retries": ("retries: 0", "retries: 5"),
            "playwright forbidOnly": ("forbidOnly: true", "forbidOnly: false"),
            "playwright pixels": ("maxDiffPixels: 10", "maxDiffPixels: 10000"),
            "playwright updateSnapshots": ("retries: 0", "updateSnapshots: 'all'"),
        },
    ),
    (
        "package.json",
        PACKAGE,
        {
            "script or true": ("jest --ci", "jest --ci || true"),
            "script replaced": ("jest --ci", "echo ok"),
            "script passWithNoTests": ("jest --ci", "jest --ci --passWithNoTests"),
            "script -t": ("jest --ci", "jest --ci -t cart"),
            "script path": ("jest --ci", "jest --ci test/unit/cart"),
            "script onlyChanged": ("jest --ci", "jest --ci --onlyChanged"),
            "script -u": ("jest --ci", "jest --ci -u"),
            "node test name pattern": (
                "node --test test/",
                "node --test --test-name-pattern=cart test/",
            ),
            "node test skip pattern": (
                "node --test test/",
                "node --test --test-skip-pattern=pay test/",
            ),
            "node test only": ("node --test test/", "node --test --test-only test/"),
            "node test path": ("node --test test/", "node --test test/unit/cart.test.js"),
            "node test removed": ("node --test test/", "node test/run.js"),
            "mocha path": ("mocha test", "mocha test/unit/cart.js"),
            "mocha --grep": ("mocha test", "mocha test --grep cart"),
            "lint warnings": ("--max-warnings 0", "--max-warnings 99"),
            "lint quiet": ("eslint .", "eslint . --quiet"),
            "lint rule off": ("eslint .", "eslint . --rule 'eqeqeq: off'"),
            "lint path": ("eslint .", "eslint src/util"),
            "types removed": ("tsc --noEmit", "echo types"),
            "types skipped": ("tsc --noEmit", "tsc --noEmit --noCheck"),
            "nyc lowered": ("--lines 90", "--lines 10"),
            "nyc check off": ("nyc --check-coverage", "nyc"),
            "jest in package": ('{"lines": 90}', '{"lines": 10}'),
            "c8 in package": ('"lines": 90}\n}', '"lines": 10}\n}'),
        },
    ),
    (
        ".eslintrc.json",
        ESLINT,
        {
            "eslint rule off": ('"eqeqeq": "error"', '"eqeqeq": "off"'),
            "eslint rule to warn": ('"eqeqeq": "error"', '"eqeqeq": "warn"'),
            "eslint rule removed": (', "eqeqeq": "error"', ""),
            "eslint extends dropped": (', "plugin:react/recommended"', ""),
            "eslint ignore": ('"dist/"', '"dist/", "src/cart/"'),
            "eslint complexity": ('["error", 10]', '["error", 100]'),
        },
    ),
    (
        "eslint.config.js",
        FLAT_ESLINT,
        {
            "flat rule off": ("eqeqeq: 'error'", "eqeqeq: 'off'"),
            "flat ignore": ("'dist/**'", "'dist/**', 'src/cart/**'"),
            "flat recommended dropped": ("  js.configs.recommended,\n", ""),
        },
    ),
    (
        "tsconfig.json",
        TSCONFIG,
        {
            "ts strict off": ('"strict": true', '"strict": false'),
            "ts unused": ('"noUnusedLocals": true', '"noUnusedLocals": false'),
            "ts indexed": (', "noUncheckedIndexedAccess": true', ""),
            "ts include": ('["src", "test"]', '["src"]'),
            "ts exclude": ('["node_modules"]', '["node_modules", "src/cart"]'),
            "ts skipLibCheck": ('"strict": true', '"strict": true, "noImplicitAny": false'),
            "ts noCheck": ('"strict": true', '"strict": true, "noCheck": true'),
        },
    ),
    (
        ".github/workflows/ci.yml",
        CI,
        {
            "ci or true": ("pytest tests", "pytest tests || true"),
            "ci continue-on-error": (
                "runs-on: ubuntu-latest",
                "runs-on: ubuntu-latest\n    continue-on-error: true",
            ),
            "ci step removed": ("      - run: mypy src\n", ""),
            "ci if false": (
                "        run: ruff check .",
                "        if: false\n        run: ruff check .",
            ),
            "ci narrowed": ("pytest tests", "pytest tests/unit"),
            "ci -k": ("pytest tests", "pytest tests -k 'not cart'"),
            "ci event removed": ("  pull_request:\n", ""),
            "ci paths": ("  pull_request:\n", "  pull_request:\n    paths: [docs/**]\n"),
            "ci exit zero": ("ruff check .", "ruff check . --exit-zero"),
            "ci set +e": (
                "- run: pytest tests",
                "- run: |\n          set +e\n          pytest tests\n          exit 0",
            ),
            "ci pipe": ("pytest tests", "pytest tests | cat"),
        },
    ),
    (
        "Makefile",
        MAKE,
        {
            "make dash": ("\tpytest", "\t-pytest"),
            "make or true": ("pytest tests", "pytest tests || true"),
            "make need removed": ("test: unit lint", "test: unit"),
            "make command removed": ("\tmypy src\n", ""),
            "make narrowed": ("pytest tests", "pytest tests/unit"),
            "make semicolon": ("pytest tests", "pytest tests; true"),
        },
    ),
    (
        "scripts/test.sh",
        SCRIPT,
        {
            "script set -e removed": ("set -euo pipefail\n", ""),
            "script or true in sh": ("pytest tests", "pytest tests || true"),
            "script command removed": ("npm test\n", ""),
            "script exit 0": ("pytest tests\n", "exit 0\npytest tests\n"),
            "script -k in sh": ("pytest tests", "pytest tests -k cart"),
        },
    ),
    (
        ".pre-commit-config.yaml",
        PRE_COMMIT,
        {
            "hook removed": ("      - id: mypy\n", "      - id: debug\n"),
            "hook excluded": ("      - id: mypy", "      - id: mypy\n        exclude: ^src/cart"),
            "hook stage manual": ("      - id: mypy", "      - id: mypy\n        stages: [manual]"),
            "hook exit zero": (
                "      - id: ruff\n",
                "      - id: ruff\n        args: [--exit-zero]\n",
            ),
        },
    ),
    (
        "codecov.yml",
        CODECOV,
        {
            "codecov target": ("90%", "10%"),
            "codecov threshold": ("threshold: 1%", "threshold: 50%"),
            "codecov informational": ("target: 90%", "target: 90%\n        informational: true"),
            "codecov ignore": ("coverage:\n", "ignore:\n  - src/cart\ncoverage:\n"),
        },
    ),
    (
        ".nycrc",
        NYC,
        {
            "nyc lines": ('"lines": 90', '"lines": 9'),
            "nyc check-coverage": ('"check-coverage": true', '"check-coverage": false'),
            "nyc exclude": ('["test/**"]', '["test/**", "src/cart.js"]'),
            "nyc include": ('["src/**"]', '["src/util/**"]'),
        },
    ),
    (
        "build.gradle",
        GRADLE,
        {
            "gradle ignoreFailures": (
                "useJUnitPlatform()",
                "useJUnitPlatform()\n    ignoreFailures = true",
            ),
            "gradle test disabled": ("useJUnitPlatform()", "enabled = false"),
            "gradle onlyIf": ("useJUnitPlatform()", "useJUnitPlatform()\n    onlyIf { false }"),
            "gradle exclude": (
                "useJUnitPlatform()",
                "useJUnitPlatform()\n    exclude '**/CartTest*'",
            ),
            "gradle filter": (
                "useJUnitPlatform()",
                "useJUnitPlatform()\n    filter { excludeTestsMatching '*Cart*' }",
            ),
            "gradle include": (
                "useJUnitPlatform()",
                "useJUnitPlatform()\n    filter { includeTestsMatching '*Unit*' }",
            ),
            "gradle tags": ("useJUnitPlatform()", "useJUnitPlatform { excludeTags 'slow' }"),
            "gradle minimum": ("minimum = 0.8", "minimum = 0.1"),
            "gradle verification dropped": ("check.dependsOn jacocoTestCoverageVerification\n", ""),
            "gradle retries": (
                "useJUnitPlatform()",
                "useJUnitPlatform()\n    retry { maxRetries = 3 }",
            ),
            "gradle system property": (
                "useJUnitPlatform()",
                "useJUnitPlatform()\n    failOnNoDiscoveredTests = false",
            ),
        },
    ),
    (
        "build.gradle.kts",
        GRADLE_KTS,
        {
            "kts ignoreFailures": ("failFast = true", "ignoreFailures = true"),
            "kts isEnabled": ("failFast = true", "isEnabled = false"),
            "kts exclude": ("failFast = true", 'exclude("**/CartTest*")'),
            "kts warnings": ("allWarningsAsErrors.set(true)", "allWarningsAsErrors.set(false)"),
            "kts detekt": (
                "buildUponDefaultConfig = true",
                "buildUponDefaultConfig = true; ignoreFailures = true",
            ),
            "kts tags": ("useJUnitPlatform()", 'useJUnitPlatform { excludeTags("slow") }'),
        },
    ),
    (
        "pom.xml",
        POM,
        {
            "maven skipTests": ("<forkCount>1</forkCount>", "<skipTests>true</skipTests>"),
            "maven skip": ("<forkCount>1</forkCount>", "<skip>true</skip>"),
            "maven testFailureIgnore": (
                "<forkCount>1</forkCount>",
                "<testFailureIgnore>true</testFailureIgnore>",
            ),
            "maven excludes": (
                "<forkCount>1</forkCount>",
                "<excludes><exclude>**/CartTest.java</exclude></excludes>",
            ),
            "maven groups": ("<forkCount>1</forkCount>", "<excludedGroups>slow</excludedGroups>"),
            "maven rerun": (
                "<forkCount>1</forkCount>",
                "<rerunFailingTestsCount>3</rerunFailingTestsCount>",
            ),
            "maven property": (
                "<build>",
                "<properties><maven.test.skip>true</maven.test.skip></properties>\n  <build>",
            ),
            "maven halt": ("<haltOnFailure>true", "<haltOnFailure>false"),
            "maven minimum": ("<minimum>0.80", "<minimum>0.10"),
            "maven test pattern": ("<forkCount>1</forkCount>", "<test>CartTest</test>"),
        },
    ),
    (
        "Cargo.toml",
        CARGO,
        {
            "cargo lib test": ('path = "src/lib.rs"', 'path = "src/lib.rs"\ntest = false'),
            "cargo doctest": ('path = "src/lib.rs"', 'path = "src/lib.rs"\ndoctest = false'),
            "cargo harness": ('name = "api"', 'name = "api"\nharness = false'),
            "cargo autotests": ('version = "0.1.0"', 'version = "0.1.0"\nautotests = false'),
            "cargo required features": (
                'name = "api"',
                'name = "api"\nrequired-features = ["slow"]',
            ),
            "cargo lint rust": ('unsafe_code = "forbid"', 'unsafe_code = "allow"'),
            "cargo lint clippy": ('unwrap_used = "deny"', 'unwrap_used = "allow"'),
            "cargo test target removed": ('\n[[test]]\nname = "api"\n', ""),
        },
    ),
    (
        ".config/nextest.toml",
        NEXTEST,
        {
            "nextest retries": ("retries = 0", "retries = 4"),
            "nextest filter": ("retries = 0", "retries = 0\ndefault-filter = 'not test(cart)'"),
        },
    ),
    (
        ".golangci.yml",
        GOLANGCI,
        {
            "golangci disabled": ("    - errcheck\n", ""),
            "golangci exclude": ("issues:\n", "issues:\n  exclude-dirs:\n    - cart\n"),
            "golangci tests off": ("linters:\n", "run:\n  tests: false\nlinters:\n"),
            "golangci exit code": ("linters:\n", "run:\n  issues-exit-code: 0\nlinters:\n"),
        },
    ),
    (
        "noxfile.py",
        NOXFILE,
        {
            "nox command removed": ('    session.run("mypy", "src")\n', ""),
            "nox success codes": ('"pytest", "tests"', '"pytest", "tests", success_codes=[0, 1]'),
            "nox -k": ('"pytest", "tests"', '"pytest", "tests", "-k", "not cart"'),
        },
    ),
    (
        "phpunit.xml",
        PHPUNIT,
        {
            "phpunit warning": ('failOnWarning="true"', 'failOnWarning="false"'),
            "phpunit exclude": (
                "<directory>tests</directory>",
                "<directory>tests</directory><exclude>tests/Cart</exclude>",
            ),
            "phpunit narrowed": ("<directory>tests<", "<directory>tests/Unit<"),
        },
    ),
    (
        ".rubocop.yml",
        RUBOCOP,
        {
            "rubocop disabled": ("Enabled: true", "Enabled: false"),
            "rubocop max": ("Max: 20", "Max: 200"),
            "rubocop exclude": (
                "NewCops: enable",
                "NewCops: enable\n  Exclude:\n    - lib/cart.rb",
            ),
        },
    ),
    (
        ".rspec",
        RSPEC,
        {
            "rspec tag": ("--fail-fast", "--tag ~slow"),
            "rspec exclude": ("--fail-fast", "--exclude-pattern '**/cart_spec.rb'"),
        },
    ),
    (
        "shop/cart.py",
        '"""The cart."""\n\n\ndef total(items):\n    return sum(items)\n',
        {
            "whole file noqa": ('"""The cart."""', '# ruff: noqa\n"""The cart."""'),
            "whole file flake8": ('"""The cart."""', '# flake8: noqa\n"""The cart."""'),
            "whole file mypy": ('"""The cart."""', '# mypy: ignore-errors\n"""The cart."""'),
            "whole file pylint": ('"""The cart."""', '# pylint: skip-file\n"""The cart."""'),
            "whole file type ignore": ('"""The cart."""', '# type: ignore\n"""The cart."""'),
            "whole file pyright": ('"""The cart."""', '# pyright: basic\n"""The cart."""'),
        },
    ),
    (
        "src/cart.ts",
        "export const total = (items: number[]) => items.length;\n",
        {
            "whole file eslint": ("export", "/* eslint-disable */\nexport"),
            "whole file ts": ("export", "// @ts-nocheck\nexport"),
            "whole file istanbul": ("export", "/* istanbul ignore file */\nexport"),
            "whole file v8": ("export", "/* v8 ignore start */\nexport"),
        },
    ),
)


def _examples() -> Iterator[tuple[str, str, str, str]]:
    for path, text, kinds in FILES:
        for kind, (old, new) in kinds.items():
            assert old in text, (path, kind)
            yield kind, text, text.replace(old, new, 1), path


EXAMPLES = tuple(_examples())


def is_target(path: str) -> bool:
    name = path.rpartition("/")[2]
    return "/" not in path and bool(
        re.fullmatch(
            r"pyproject\.toml|setup\.cfg|tox\.ini|package\.json|tsconfig\.json|Makefile", name
        )
    )


def _by_pattern(pattern: str, new: str) -> Callable[[str], Iterator[str]]:
    def weaken(text: str) -> Iterator[str]:
        for match in re.finditer(pattern, text):
            yield f"{text[: match.start()]}{match.expand(new)}{text[match.end() :]}"

    return weaken


KINDS: dict[str, Callable[[str], Iterator[str]]] = {
    "real: fail_under lowered": _by_pattern(r"fail_under = \d\d+", "fail_under = 5"),
    "real: strict off": _by_pattern(r"(?m)^strict = true", "strict = false"),
    "real: test script forgiven": _by_pattern(
        r'("test": "(?!echo)[^"|&;]*\b(?:mocha|jest|ava|tap|vitest|borp|node --test)\b[^"|&;]*)"',
        r'\1 || true"',
    ),
    "real: ts strict off": _by_pattern(r'"strict": true', '"strict": false'),
    "real: testpaths narrowed": _by_pattern(
        r'(?m)^testpaths = (\[?"?)([\w/]+)', r"testpaths = \1\2/unit"
    ),
    "real: filterwarnings dropped": _by_pattern(
        r'filterwarnings = \[\s*"error"', 'filterwarnings = ["ignore"'
    ),
}
