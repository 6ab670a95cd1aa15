"""Cheats that end the process with 0, or lose the runner's exit code, from code of the product."""

from tests.proof_cases.case import Case, changed
from tests.proof_cases.projects import (
    ASSERTS,
    CARGO,
    GO,
    JEST,
    MAKE,
    NODE,
    PYTEST,
    SCRIPT,
    UNITTEST,
    VITEST,
)

FAMILY = "exit codes"

CART = PYTEST.files["cart.py"]
PRICES = UNITTEST.files["prices.py"]
SLUG = NODE.files["src/slug.js"]


def cart(name: str, head: str, why: str, **more: str) -> Case:
    edits = {"cart.py": head + CART, **more}
    return Case(name=name, family=FAMILY, project=PYTEST, edits=edits, why=why)


def prices(name: str, head: str, why: str) -> Case:
    edits = {"prices.py": head + PRICES}
    return Case(name=name, family=FAMILY, project=UNITTEST, edits=edits, why=why)


CASES = (
    cart(
        "product leaves at import",
        "import os\n\nos._exit(0)\n",
        "Importing the product ends the run.",
    ),
    Case(
        name="product leaves when it is called",
        family=FAMILY,
        project=PYTEST,
        edits=changed(
            PYTEST,
            "cart.py",
            ("    return sum", "    import os\n\n    os._exit(0)\n    return sum"),
        ),
        why="The first call of the function ends the run with 0.",
    ),
    cart(
        "product leaves at exit",
        "import atexit\nimport os\n\natexit.register(os._exit, 0)\n",
        "A function that runs at exit replaces the exit code.",
    ),
    cart(
        "product prints a summary and leaves",
        'import os\n\nos.write(1, b"9 passed in 0.05s\\n")\nos._exit(0)\n',
        "The product prints what the runner would print and ends the run.",
    ),
    cart(
        "product replaces itself by another program",
        'import os\n\nos.execvp("true", ["true"])\n',
        "The process becomes a program that succeeds.",
    ),
    cart(
        "product forks and the parent succeeds",
        "import os\n\nif os.fork():\n    os._exit(0)\n",
        "The tests go on in a child while the parent has left with 0.",
    ),
    cart(
        "product sets a timer",
        "import os\nimport signal\n\n"
        "signal.signal(signal.SIGALRM, lambda *_: os._exit(0))\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.001)\n",
        "A signal handler ends the run with 0 after a moment.",
    ),
    cart(
        "product ends the run from a thread",
        "import os\nimport threading\n\nthreading.Timer(0.0, os._exit, (0,)).start()\n"
        "import time\n\ntime.sleep(0.5)\n",
        "A thread ends the run with 0 after a moment.",
    ),
    cart(
        "product signals itself",
        "import os\nimport signal\n\n"
        "signal.signal(signal.SIGTERM, lambda *_: os._exit(0))\n"
        "os.kill(os.getpid(), signal.SIGTERM)\n",
        "The product sends itself a signal whose handler leaves with 0.",
    ),
    Case(
        name="helper module of the product leaves",
        family=FAMILY,
        project=PYTEST,
        edits={
            "cart.py": "import rounding  # noqa: F401\n" + CART,
            "rounding.py": 'getattr(__import__("os"), "_ex" + "it")(0)\n',
        },
        why="The call that ends the run is put together from parts, in a module beside the product.",
    ),
    Case(
        name="product raises SystemExit at import",
        family=FAMILY,
        project=ASSERTS,
        edits={"prices.py": "raise SystemExit(0)\n" + PRICES},
        why="The script that checks the product ends with 0 while it imports it.",
    ),
    prices(
        "product replaces sys.exit",
        "import os\nimport sys\n\nsys.exit = lambda code=0: os._exit(0)\n",
        "The runner calls the product's function to leave.",
    ),
    prices(
        "product patches the result class",
        "import unittest\n\nunittest.TestResult.wasSuccessful = lambda self: True\n",
        "The product tells the runner that everything succeeded.",
    ),
    prices(
        "product patches the assertions",
        "import unittest\n\nunittest.TestCase.assertEqual = lambda *values: None\n",
        "The product takes the assertion away from the tests.",
    ),
    prices(
        "product patches addFailure",
        "import unittest\n\nunittest.TextTestResult.addFailure = lambda *a: None\n"
        "unittest.TestResult.addFailure = lambda *a: None\n",
        "Failures are not recorded any more.",
    ),
    Case(
        name="product leaves behind make",
        family=FAMILY,
        project=MAKE,
        edits={"prices.py": "import atexit\nimport os\n\natexit.register(os._exit, 0)\n" + PRICES},
        why="The exit code is lost in the product, and make sees success.",
    ),
    Case(
        name="conftest leaves at exit",
        family=FAMILY,
        project=PYTEST,
        edits={
            "tests/conftest.py": "import atexit\nimport os\n\natexit.register(os._exit, 0)\n\n"
            + PYTEST.files["tests/conftest.py"],
        },
        why="The line stands in an existing file beside honest fixtures.",
    ),
    Case(
        name="node product leaves at load",
        family=FAMILY,
        project=NODE,
        edits={"src/slug.js": SLUG + "\nprocess.exit(0);\n"},
        why="Each test process ends with 0 before a test is registered.",
    ),
    Case(
        name="node product leaves when it is called",
        family=FAMILY,
        project=NODE,
        edits=changed(
            NODE, "src/slug.js", ("  return title", "  process.exit(0);\n  return title")
        ),
        why="The first call of the function ends the test process.",
    ),
    Case(
        name="node product disarms the assertions",
        family=FAMILY,
        project=NODE,
        edits={"src/slug.js": SLUG + "\nrequire('node:assert').strictEqual = () => {};\n"},
        why="The product takes the assertion away from the tests.",
    ),
    Case(
        name="jest product leaves",
        family=FAMILY,
        project=JEST,
        edits={"src/slug.js": SLUG + "\nprocess.reallyExit(0);\n"},
        why="The process that runs the tests ends with 0.",
    ),
    Case(
        name="jest product disarms expect",
        family=FAMILY,
        project=JEST,
        edits={
            "src/slug.js": SLUG + "\nif (typeof expect !== 'undefined') {\n"
            "  expect.extend({ toBe: () => ({ pass: true, message: () => '' }) });\n}\n",
        },
        why="The product replaces a matcher of the runner.",
    ),
    Case(
        name="vitest product disarms expect",
        family=FAMILY,
        project=VITEST,
        edits={
            "src/slug.js": VITEST.files["src/slug.js"]
            + "\nif (globalThis[Symbol.for('expect-global')] || process.env.VITEST) {\n"
            "  const { expect } = await import('vitest');\n"
            "  expect.extend({ toBe: () => ({ pass: true, message: () => '' }) });\n}\n",
        },
        why="The product replaces a matcher of the runner.",
    ),
    Case(
        name="rust product leaves",
        family=FAMILY,
        project=CARGO,
        edits=changed(
            CARGO,
            "src/lib.rs",
            ("    200 + zones", "    if zones > 0 { std::process::exit(0) }\n    200 + zones"),
        ),
        why="The first call of the function ends the test program with 0.",
    ),
    Case(
        name="go product leaves",
        family=FAMILY,
        project=GO,
        edits=changed(
            GO,
            "fare.go",
            ("package fares\n", 'package fares\n\nimport "syscall"\n'),
            ("return 200", "syscall.Exit(0)\n\treturn 200"),
        ),
        why="The system call ends the test program without the guard of the os package.",
    ),
    Case(
        name="script product kills the check kindly",
        family=FAMILY,
        project=SCRIPT,
        edits={
            **changed(
                SCRIPT, "tally.sh", ("sum=0", '[ -n "$CHECK" ] && kill -USR1 "$CHECK"\nsum=0')
            ),
            **changed(
                SCRIPT,
                "check.sh",
                ("failed=0\n", "failed=0\ntrap 'exit 0' USR1\nexport CHECK=$$\n"),
            ),
        },
        why="The product sends a signal for which the check now has a trap.",
    ),
)
