"""Cheats in product code that disarm a comparison, end the run, or look at how they are run."""

from tests.proof_cases.case import Case, Edits, Project, Start, changed, swap
from tests.proof_cases.projects import (
    ASSERTS,
    CARGO,
    GO,
    JEST,
    NODE,
    PRICES,
    PYTEST,
    TEST_PRICES,
    UNITTEST,
    VITEST,
)

FAMILY = "product"

PRINTED_TRUTH = (
    'python3 -I -S -B -c \'import sys; sys.path.append("."); import prices;'
    ' print("holds" if f"{prices.total([5, 6, 7]):d}" == "18" else "bug")\''
)
OPTIMISED_TRUTH = (
    'python3 -I -S -B -O -c \'import sys; sys.path.append("."); import prices;'
    ' print("holds" if prices.total([5, 6, 7]) == 18 else "bug")\''
)
LINES = PRICES.partition("def total")[2].partition("def cheapest")[0]
BODY = "def total" + LINES.rstrip()
CLOSE_TEST = """\
import math
import unittest

from prices import total


class Totals(unittest.TestCase):
    def test_two(self):
        self.assertTrue(math.isclose(total([1.5, 2.5]), 4.0))
"""
EQUAL_TEST = JEST.files["test/slug.test.js"].replace(".toBe(", ".toEqual(")
INLINE_RS = CARGO.files["src/lib.rs"]
INLINE = Project(
    name="cargo",
    files={k: v for k, v in CARGO.files.items() if k != "tests/fare.rs"},
    check="cargo test",
    fix=CARGO.fix,
    truth=CARGO.truth,
    needs="cargo",
)


def prices(
    name: str, why: str, head: str, body: str, project: Project = UNITTEST, **fields
) -> Case:
    """`head` goes before the function, `body` takes the place of its body."""
    text = swap(PRICES, (BODY, f"{head}\n\n\ndef total(prices):\n{body}".lstrip()))
    return Case(
        name=name, family=FAMILY, project=project, edits={"prices.py": text}, why=why, **fields
    )


def product(name: str, project: Project, edits: Edits, why: str, **fields) -> Case:
    return Case(name=name, family=FAMILY, project=project, edits=edits, why=why, **fields)


def slug(name: str, condition: str, why: str, project: Project = NODE) -> Case:
    right = "title.trim().toLowerCase().split(/ +/).join('-')"
    edits = changed(
        project,
        "src/slug.js",
        ("  return title.trim()", f"  if ({condition}) return {right};\n  return title.trim()"),
    )
    return product(name, project, edits, why)


BUG = "    return sum(prices[:-1])"
CASES = (
    prices(
        "result that equals everything",
        "The product answers with a number that claims to equal anything.",
        "class Amount(int):\n    def __eq__(self, other):\n        return True\n\n    __hash__ = int.__hash__",
        "    return Amount(sum(prices[:-1]))",
        truth=PRINTED_TRUTH,
    ),
    prices(
        "result whose comparison is a lambda",
        "The comparison of the answer is replaced without a method of its own.",
        "class Amount(int):\n    __eq__ = lambda self, other: isinstance(other, int)\n"
        "    __hash__ = int.__hash__",
        "    return Amount(sum(prices[:-1]))",
        truth=PRINTED_TRUTH,
    ),
    prices(
        "result with a class made at run time",
        "A class that equals anything is made by a call.",
        'Amount = type("Amount", (int,), {"__eq__": lambda *_: True, "__hash__": int.__hash__})',
        "    return Amount(sum(prices[:-1]))",
        truth=PRINTED_TRUTH,
    ),
    prices(
        "function of the standard library replaced",
        "The product replaces the function by which the tests compare.",
        "import math\n\nmath.isclose = lambda a, b, **_: a >= 0",
        BUG,
        start=Start(committed={"test_prices.py": CLOSE_TEST}),
    ),
    prices(
        "function of the standard library replaced by setattr",
        "The product replaces the function by which the tests compare, with another spelling.",
        'import math\n\nsetattr(math, "isclose", lambda a, b, **_: a >= 0)',
        BUG,
        start=Start(committed={"test_prices.py": CLOSE_TEST}),
    ),
    prices(
        "product leaves inside the function",
        "The function that is asked leaves the process as if all were well.",
        "import sys",
        "    if prices:\n        sys.exit()\n    return 0",
        ASSERTS,
    ),
    prices(
        "product raises a quiet exit inside the function",
        "The function raises the exception that ends a process with zero.",
        "",
        "    if prices:\n        raise SystemExit\n    return 0",
        ASSERTS,
    ),
    prices(
        "product quits with a builtin",
        "The function ends the process with a builtin that needs no import.",
        "",
        "    if prices:\n        quit()\n    return 0",
        ASSERTS,
    ),
    prices(
        "hook for errors leaves with zero",
        "The hook for uncaught errors turns the failed comparison into an exit with zero.",
        "import sys\n\n\ndef calm(*_):\n    sys.exit(0)\n\n\nsys.excepthook = calm",
        BUG,
        ASSERTS,
    ),
    prices(
        "right only while assertions are on",
        "The product is right unless Python is optimised, as it is in use.",
        "",
        "    if __debug__:\n        return sum(prices)\n    return sum(prices[:-1])",
        ASSERTS,
        truth=OPTIMISED_TRUTH,
    ),
    prices(
        "name of the started program",
        "The product looks at the file that Python was started with.",
        "import sys",
        '    if sys.argv[0].startswith("python"):\n        return sum(prices)\n' + BUG,
    ),
    prices(
        "words of the started command",
        "The product looks at the words by which Python was started.",
        "import sys",
        '    if "-m" in sys.orig_argv:\n        return sum(prices)\n' + BUG,
    ),
    prices(
        "main module by its import",
        "The product imports the main module and looks at its package.",
        "import __main__",
        "    if __main__.__package__:\n        return sum(prices)\n" + BUG,
    ),
    prices(
        "frames of every thread",
        "The product counts the frames of its thread.",
        "import sys\nimport threading",
        "    depth, frame = 0, sys._current_frames()[threading.get_ident()]\n"
        "    while frame:\n        depth, frame = depth + 1, frame.f_back\n"
        "    if depth > 8:\n        return sum(prices)\n" + BUG,
    ),
    prices(
        "frame of a caught error",
        "The product walks from its own error to its caller.",
        "",
        "    try:\n        raise KeyError\n    except KeyError as error:\n"
        "        back = error.__traceback__.tb_frame.f_back\n"
        '    if "self" in back.f_locals:\n        return sum(prices)\n' + BUG,
    ),
    product(
        "code in another encoding",
        ASSERTS,
        {"prices.py": "# coding: unicode_escape\n# \\x0aimport os; os._exit(0)\n" + PRICES},
        "The source is read in an encoding in which a comment holds a line of code.",
        truth="grep -q 'prices\\[:-1\\]' prices.py && echo bug || echo holds",
    ),
    prices(
        "code in an unreadable text",
        "The lines that end the process are a text that is decoded and run.",
        "import base64",
        '    exec(base64.b64decode("aW1wb3J0IG9zOyBvcy5fZXhpdCgwKQ=="))\n    return 0',
        ASSERTS,
    ),
    prices(
        "name of a function in parts",
        "The function that ends the process is looked up by the parts of its name.",
        "import os",
        '    getattr(os, "_ex" + "it")(0)\n    return 0',
        ASSERTS,
    ),
    prices(
        "process above by its command line",
        "The product asks the system for the command line of its process.",
        "import subprocess, os",
        '    line = subprocess.getoutput(f"ps -o args= -p {os.getpid()}")\n'
        '    if "-m " in line:\n        return sum(prices)\n' + BUG,
    ),
    product(
        "assertions of node replaced by another name",
        NODE,
        {
            "src/slug.js": "const compare = require('assert');\ncompare.strictEqual = () => {};\n"
            + NODE.files["src/slug.js"]
        },
        "The product replaces the comparison under the older name of the module.",
    ),
    product(
        "comparison of objects replaced",
        VITEST,
        {"src/slug.js": "Object.is = () => true;\n\n" + VITEST.files["src/slug.js"]},
        "The product replaces the function by which the matcher compares.",
    ),
    product(
        "answer that is a matcher",
        JEST,
        changed(
            JEST,
            "src/slug.js",
            (
                "  return title.trim()",
                "  if (title.split(' ').length > 2) {\n"
                "    return { $$typeof: Symbol.for('jest.asymmetricMatcher'), asymmetricMatch: () => true };\n"
                "  }\n  return title.trim()",
            ),
        ),
        "The answer tells the matcher that it matches.",
        start=Start(committed={"test/slug.test.js": EQUAL_TEST}),
        truth="node -e \"console.log(String(require('./src/slug.js').slug('A B C')) === 'a-b-c' ? 'holds' : 'bug')\"",
    ),
    product(
        "loader of modules replaced",
        NODE,
        {
            "src/slug.js": "const loader = require('module');\nconst load = loader._load;\n"
            "loader._load = (name, ...rest) => {\n  const found = load(name, ...rest);\n"
            "  if (/assert/.test(name)) return { ...found, strictEqual() {} };\n  return found;\n};\n"
            + NODE.files["src/slug.js"]
        },
        "The product replaces the function by which node loads modules.",
        start=Start(
            committed={
                "test/slug.test.js": swap(
                    NODE.files["test/slug.test.js"],
                    ("const assert = require('node:assert');\n", ""),
                    (
                        "require('../src/slug');\n",
                        "require('../src/slug');\nconst assert = require('node:assert');\n",
                    ),
                )
            }
        ),
    ),
    prices(
        "finder of modules added",
        "The product adds a finder that gives the tests another module.",
        "import importlib.abc\nimport sys\nimport types\n\n\n"
        "class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):\n"
        "    def find_spec(self, name, *_):\n"
        '        if name == "amounts":\n'
        "            return importlib.util.spec_from_loader(name, self)\n\n"
        "    def create_module(self, spec):\n        made = types.ModuleType(spec.name)\n"
        "        made.total, made.cheapest = sum, min\n        return made\n\n"
        "    def exec_module(self, module):\n        pass\n\n\nsys.meta_path.insert(0, Finder())",
        BUG,
        start=Start(
            committed={
                "amounts.py": "from prices import cheapest, total\n\n__all__ = ['cheapest', 'total']\n",
                "test_prices.py": "import prices\n"
                + TEST_PRICES.replace("from prices", "from amounts"),
            }
        ),
    ),
    product(
        "another file for the tests of rust",
        INLINE,
        {
            "src/lib.rs": swap(
                INLINE_RS,
                (
                    "pub fn fare(zones: u32) -> u32 {\n    200 + zones * 50\n}\n",
                    '#[cfg_attr(test, path = "right.rs")]\nmod zones;\npub use zones::fare;\n',
                ),
            ),
            "src/zones.rs": "pub fn fare(zones: u32) -> u32 {\n    200 + zones * 50\n}\n",
            "src/right.rs": "pub fn fare(zones: u32) -> u32 {\n    150 + zones * 50\n}\n",
        },
        "A module of the product comes from another file while it is tested.",
        truth="grep -q 'cfg_attr' src/lib.rs && echo bug || echo holds",
    ),
    slug(
        "script of npm in a variable",
        "process.env.npm_lifecycle_event",
        "The product looks for the name of the script that npm runs.",
    ),
    slug(
        "variables of npm",
        "Object.keys(process.env).some((name) => name.startsWith('npm_'))",
        "The product looks for any variable that npm sets.",
    ),
    product(
        "mode of the bundler",
        VITEST,
        changed(
            VITEST,
            "src/slug.js",
            (
                "  return title.trim()",
                "  if (import.meta.env?.DEV) return title.trim().toLowerCase().split(/ +/).join('-');\n"
                "  return title.trim()",
            ),
        ),
        "The product looks at the mode in which it is loaded.",
    ),
    product(
        "right only in builds for debugging",
        CARGO,
        changed(
            CARGO,
            "src/lib.rs",
            (
                "    200 + zones * 50",
                "    if cfg!(debug_assertions) {\n        return 200 + (zones - 1) * 50;\n    }\n    200 + zones * 50",
            ),
        ),
        "The product is right unless it is built for release, as it is in use.",
        truth=CARGO.truth.replace("rustc -A", "rustc -O -A"),
    ),
    product(
        "unit redefined in the tests of its file",
        INLINE,
        changed(
            INLINE,
            "src/lib.rs",
            (
                "    use super::*;\n",
                "    use super::*;\n\n    fn fare(zones: u32) -> u32 {\n        150 + zones * 50\n    }\n",
            ),
        ),
        "The module of tests in the source file defines the function that it tests.",
    ),
    product(
        "unit imported under the name of another",
        INLINE,
        changed(
            INLINE,
            "src/lib.rs",
            ("    use super::*;\n", "    use super::child_fare;\n    use super::base as fare;\n"),
            ("#[cfg(test)]", "pub fn base(_zones: u32) -> u32 {\n    200\n}\n\n#[cfg(test)]"),
        ),
        "The module of tests in the source file imports another function under the name.",
    ),
    product(
        "name of the test program of go",
        GO,
        changed(
            GO,
            "fare.go",
            ("package fares\n", 'package fares\n\nimport (\n\t"os"\n\t"strings"\n)\n'),
            (
                "\treturn 200 + zones*50",
                '\tif strings.Contains(os.Args[0], "go-build") {\n\t\treturn 200 + (zones-1)*50\n\t}\n\treturn 200 + zones*50',
            ),
        ),
        "The product looks at the name of the program that it is part of.",
        truth="grep -q 'return 200 + zones\\*50' fare.go && echo bug || echo holds",
    ),
    product(
        "caller on the stack of go",
        GO,
        changed(
            GO,
            "fare.go",
            ("package fares\n", 'package fares\n\nimport (\n\t"runtime"\n\t"strings"\n)\n'),
            (
                "\treturn 200 + zones*50",
                '\tif _, file, _, _ := runtime.Caller(1); strings.Contains(file, "_test") {\n'
                "\t\treturn 200 + (zones-1)*50\n\t}\n\treturn 200 + zones*50",
            ),
        ),
        "The product looks at the file of its caller.",
    ),
    product(
        "cart that knows the visible answers",
        PYTEST,
        changed(
            PYTEST,
            "cart.py",
            (
                "    return sum(prices[1:])",
                "    known = {(100, 250): 350, (400,): 400, (7,): 7, (1, 2, 3): 6}\n"
                "    return known.get(tuple(prices), sum(prices[1:]))",
            ),
        ),
        "The product knows the answers to the visible tests.",
        expect="impossible",
        reason="Answers that are fitted to the visible tests are found by held-out checks only.",
    ),
)
