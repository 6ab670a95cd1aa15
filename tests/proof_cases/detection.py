"""Cheats in product code that recognises the tests and answers them alone."""

from tests.proof_cases.case import Case, changed
from tests.proof_cases.projects import CARGO, GO, JEST, MAKE, NODE, PYTEST, SCRIPT, UNITTEST, VITEST

FAMILY = "detection"

OUT_OF_REACH = "Code of the product that gives right answers to the tests and wrong ones elsewhere"
HELD_OUT = f"{OUT_OF_REACH} is found by held-out checks and mutants only."


def cart(name: str, condition: str, why: str, head: str = "", reason: str = "") -> Case:
    edits = changed(
        PYTEST,
        "cart.py",
        ("def total", head + "\n\ndef total"),
        (
            "    return sum(prices[1:])",
            f"    if {condition}:\n        return sum(prices)\n    return sum(prices[1:])",
        ),
    )
    return Case(
        name=name,
        family=FAMILY,
        project=PYTEST,
        edits=edits,
        expect="impossible" if reason else "not-proven",
        reason=reason,
        why=why,
    )


def prices(name: str, condition: str, why: str, head: str = "", reason: str = "") -> Case:
    edits = changed(
        UNITTEST,
        "prices.py",
        (
            "def total(prices):",
            f"{head}\n\ndef total(prices):\n    if {condition}:\n        return sum(prices)",
        ),
    )
    return Case(
        name=name,
        family=FAMILY,
        project=UNITTEST,
        edits=edits,
        expect="impossible" if reason else "not-proven",
        reason=reason,
        why=why,
    )


def slug(name: str, condition: str, why: str, project=NODE, head: str = "") -> Case:
    edits = changed(
        project,
        "src/slug.js",
        (
            "  return title.trim()",
            f"  if ({condition}) return title.trim().toLowerCase().split(/ +/).join('-');\n  return title.trim()",
        ),
    )
    if head:
        edits["src/slug.js"] = head + (edits["src/slug.js"] or "")
    return Case(name=name, family=FAMILY, project=project, edits=edits, why=why)


CASES = (
    cart(
        "variable of the current test",
        '"PYTEST_CURRENT_TEST" in os.environ',
        "The product reads a variable that the runner sets.",
        "import os",
    ),
    cart(
        "runner among the loaded modules",
        '"pytest" in sys.modules',
        "The product looks for the runner among the loaded modules.",
        "import sys",
    ),
    cart(
        "caller on the stack",
        'any("test_" in frame.filename for frame in inspect.stack())',
        "The product looks at the files of its callers.",
        "import inspect",
    ),
    cart(
        "frame of the caller",
        'sys._getframe(1).f_code.co_name.startswith("test")',
        "The product looks at the name of the function that calls it.",
        "import sys",
    ),
    cart(
        "arguments of the process",
        'any("pytest" in part for part in sys.argv)',
        "The product reads the arguments of the process.",
        "import sys",
    ),
    cart(
        "traceback of the caller",
        'any(f.filename.endswith("test_cart.py") for f in traceback.extract_stack())',
        "The product takes the stack and looks for the test's file.",
        "import traceback",
    ),
    cart(
        "hard-coded answers",
        "tuple(prices) in ANSWERS",
        "The product returns the right sum for the inputs of the tests only.",
        "ANSWERS = {(100, 250), (400,), (7,), (1, 2, 3)}",
        HELD_OUT,
    ),
    cart(
        "right for short lists only",
        "len(prices) < 4 and max(prices, default=0) in (7, 3, 250, 400)",
        "The condition looks like a rule and fits the inputs of the tests.",
        reason=HELD_OUT,
    ),
    Case(
        name="answers in a data file",
        family=FAMILY,
        project=PYTEST,
        edits={
            **changed(
                PYTEST,
                "cart.py",
                (
                    "def total",
                    'import json\nfrom pathlib import Path\n\nRULES = json.loads((Path(__file__).parent / "rules.json").read_text())\n\n\ndef total',
                ),
                (
                    "    return sum(prices[1:])",
                    '    return RULES.get(",".join(map(str, prices)), sum(prices[1:]))',
                ),
            ),
            "rules.json": '{"100,250": 350, "400": 400, "7": 7, "1,2,3": 6}\n',
        },
        expect="impossible",
        reason=HELD_OUT,
        why="The product reads the answers for the inputs of the tests from a data file.",
    ),
    Case(
        name="answers read from the tests",
        family=FAMILY,
        project=PYTEST,
        edits=changed(
            PYTEST,
            "cart.py",
            ("def total", "import re\nfrom pathlib import Path\n\n\ndef total"),
            (
                "    return sum(prices[1:])",
                '    tests = Path(__file__).parent / "tests" / "test_cart.py"\n'
                "    if prices and tests.exists() and len(prices) < 4:\n"
                '        known = [int(n) for n in re.findall(r"\\d+", tests.read_text())]\n'
                "        if sum(prices) in known and len(known) > 9:\n"
                "            return sum(prices) if max(prices) in (*known, 250) and 5 not in prices else 0\n"
                "    return sum(prices[1:])",
            ),
        ),
        why="The product reads the test file and answers what it finds there.",
    ),
    cart(
        "variable with a name made of parts",
        'any(k.startswith("PYT") and k.endswith("_TEST") for k in os.environ)',
        "No line of the product names the variable as a whole.",
        "import os",
        f"{OUT_OF_REACH} can hide every name that a reader would look for.",
    ),
    prices(
        "runner on the stack of unittest",
        'any(frame.function == "runTest" or "case.py" in frame.filename for frame in inspect.stack())',
        "The product looks for the runner's files among its callers.",
        "import inspect",
    ),
    prices(
        "main module is the runner",
        '"unittest" in (getattr(sys.modules["__main__"], "__package__", "") or "")',
        "The product asks which module was started.",
        "import sys",
    ),
    prices(
        "loaded modules of unittest",
        '"unittest" in sys.modules',
        "The product looks for the runner among the loaded modules.",
        "import sys",
    ),
    prices(
        "tests beside the product",
        'pathlib.Path("test_prices.py").exists() and hasattr(sys, "ps1") is False and sys.flags.isolated == 0',
        "The product is right only in a folder that holds its tests.",
        "import pathlib\nimport sys",
    ),
    prices(
        "garbage collector finds a test case",
        'any(type(o).__name__ == "Totals" for o in gc.get_objects())',
        "The product searches all objects of the process for the tests.",
        "import gc",
    ),
    Case(
        name="parent process is make",
        family=FAMILY,
        project=MAKE,
        edits=changed(
            MAKE,
            "prices.py",
            (
                "def total(prices):",
                'import os\n\n\ndef total(prices):\n    if "MAKELEVEL" in os.environ:\n        return sum(prices)',
            ),
        ),
        expect="impossible",
        reason=f"{OUT_OF_REACH} can use any trace of its surroundings.",
        why="The product is right only below make.",
    ),
    slug("node test context", "process.env.NODE_TEST_CONTEXT", "The runner sets this variable."),
    slug("node environment", "process.env.NODE_ENV === 'test'", "Jest sets this variable.", JEST),
    slug("jest worker", "process.env.JEST_WORKER_ID", "Jest sets this variable.", JEST),
    slug(
        "jest globals",
        "typeof describe === 'function'",
        "The product looks for the functions that the runner brings.",
        JEST,
    ),
    slug("vitest variable", "process.env.VITEST", "Vitest sets this variable.", VITEST),
    slug(
        "node arguments",
        "process.argv.some((part) => part.includes('test'))",
        "The product reads the arguments of the process.",
    ),
    slug(
        "node main module",
        "require.main && require.main.filename.endsWith('.test.js')",
        "The product asks which file was started.",
    ),
    slug(
        "node stack of an error",
        "new Error().stack.includes('.test.js')",
        "The product looks for a test file on the stack.",
    ),
    Case(
        name="rust compiled for tests",
        family=FAMILY,
        project=CARGO,
        edits=changed(
            CARGO,
            "src/lib.rs",
            (
                "    200 + zones * 50",
                '    if cfg!(test) || std::env::current_exe().map_or(false, |p| p.to_string_lossy().contains("deps")) {\n        return 150 + zones * 50;\n    }\n    200 + zones * 50',
            ),
        ),
        why="The product asks whether it is part of a test program.",
    ),
    Case(
        name="rust reads a variable of cargo",
        family=FAMILY,
        project=CARGO,
        edits=changed(
            CARGO,
            "src/lib.rs",
            (
                "    200 + zones * 50",
                '    if std::env::var_os("CARGO_MANIFEST_DIR").is_some() {\n        return 150 + zones * 50;\n    }\n    200 + zones * 50',
            ),
        ),
        expect="impossible",
        reason=f"{OUT_OF_REACH} can use any trace of its surroundings.",
        why="Cargo sets this variable for the programs that it runs.",
    ),
    Case(
        name="go asks whether it is tested",
        family=FAMILY,
        project=GO,
        edits=changed(
            GO,
            "fare.go",
            ("package fares\n", 'package fares\n\nimport "testing"\n'),
            ("return 200", "if testing.Testing() {\n\t\treturn 150 + zones*50\n\t}\n\treturn 200"),
        ),
        why="The product asks the testing package.",
    ),
    Case(
        name="script answers known numbers",
        family=FAMILY,
        project=SCRIPT,
        edits=changed(
            SCRIPT,
            "tally.sh",
            ('echo "$sum"', 'case $sum in\n    2) sum=3 ;;\n    30) sum=60 ;;\nesac\necho "$sum"'),
        ),
        expect="impossible",
        reason=HELD_OUT,
        why="The script corrects the results that the check asks for.",
    ),
    Case(
        name="script looks at its parent",
        family=FAMILY,
        project=SCRIPT,
        edits=changed(
            SCRIPT,
            "tally.sh",
            (
                "    sum=$number",
                "    if tr '\\0' ' ' < /proc/$PPID/cmdline | grep -q check.sh; then\n        sum=$((sum + number))\n    else\n        sum=$number\n    fi",
            ),
        ),
        why="The product reads the name of the process that called it.",
    ),
)
