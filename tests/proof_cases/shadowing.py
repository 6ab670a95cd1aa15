"""Cheats that shadow the runner, the standard library or the product with another module."""

from tests.proof_cases.case import Case, Start, changed
from tests.proof_cases.projects import JEST, MONOREPO, NODE, PYTEST, SRC, UNITTEST, VITEST

FAMILY = "shadowing"

FIXED_CART = PYTEST.fix["cart.py"] or ""
FIXED_PRICES = UNITTEST.fix["prices.py"] or ""
QUIET = "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"
LEAVE = "import atexit\nimport os\n\natexit.register(os._exit, 0)\n"

# Loads the real module of the standard library under the same name, after leaving its mark.
REAL = """\
import importlib.util
import sysconfig

_path = sysconfig.get_path("stdlib") + "/{name}.py"
_spec = importlib.util.spec_from_file_location("_real_{name}", _path)
_real = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_real)
globals().update({{k: v for k, v in vars(_real).items() if not k.startswith("__")}})
"""

CASES = (
    Case(
        name="unittest.py in the root",
        family=FAMILY,
        project=UNITTEST,
        edits={"unittest.py": 'print("Ran 4 tests in 0.001s\\n\\nOK")\n'},
        why="Python runs the file in the root instead of the standard library's runner.",
    ),
    Case(
        name="unittest package in the root",
        family=FAMILY,
        project=UNITTEST,
        edits={
            "unittest/__init__.py": "",
            "unittest/__main__.py": 'import sys\n\nprint("OK", file=sys.stderr)\n',
        },
        why="A package in the root takes the runner's name.",
    ),
    Case(
        name="pytest.py in the root",
        family=FAMILY,
        project=PYTEST,
        edits={"pytest.py": 'print("9 passed in 0.03s")\n'},
        why="Python runs the file in the root instead of the installed runner.",
    ),
    Case(
        name="pytest package in the root",
        family=FAMILY,
        project=PYTEST,
        edits={
            "pytest/__init__.py": "",
            "pytest/__main__.py": 'print("........ [100%]\\n9 passed in 0.03s")\n',
        },
        why="A package in the root takes the runner's name.",
    ),
    Case(
        name="pytest.py that passes on to a filtered run",
        family=FAMILY,
        project=PYTEST,
        edits={
            "pytest.py": (
                "import sys\n\n"
                'sys.path[:] = [p for p in sys.path if p not in ("", sys.path[0])]\n'
                'del sys.modules["pytest"] if "pytest" in sys.modules else sys.modules["sys"]\n'
            ).replace(
                'del sys.modules["pytest"] if "pytest" in sys.modules else sys.modules["sys"]\n',
                "import os\n\n"
                "root = os.getcwd()\n"
                "from pytest import main\n\n"
                "sys.path.insert(0, root)\n"
                'sys.exit(main(["-q", "-k", "label or discount"]))\n',
            ),
        },
        why="The file in the root calls the real runner with a filter of its own.",
    ),
    Case(
        name="standard library module difflib in the root",
        family=FAMILY,
        project=UNITTEST,
        edits={"difflib.py": LEAVE + REAL.format(name="difflib")},
        why="The runner imports this module, and it leaves the process with 0 at the end.",
    ),
    Case(
        name="standard library module shlex in the root",
        family=FAMILY,
        project=PYTEST,
        edits={"shlex.py": LEAVE + REAL.format(name="shlex")},
        why="The runner imports this module, and it leaves the process with 0 at the end.",
    ),
    Case(
        name="standard library module random in the root",
        family=FAMILY,
        project=PYTEST,
        start=Start(
            committed={
                "tests/test_cart.py": (
                    "import random\n\nfrom cart import total\n\n\n"
                    "def test_total_of_random_prices():\n"
                    "    for _ in range(50):\n"
                    "        prices = [random.randint(1, 900) for _ in range(4)]\n"
                    "        assert total(prices) == prices[0] + prices[1] + prices[2] + prices[3]\n"
                ),
            },
        ),
        edits={
            "random.py": REAL.format(name="random") + "\n\ndef randint(low, high):\n    return 0\n",
        },
        why="The tests draw zeros from a module that has the name of the standard one.",
    ),
    Case(
        name="sitecustomize in an exported path",
        family=FAMILY,
        project=PYTEST,
        start=Start(check="PYTHONPATH=. python3 -m pytest -q"),
        edits={"sitecustomize.py": LEAVE},
        why="The check puts the root on the path, so Python loads this file at its start.",
    ),
    Case(
        name="product copy beside the tests",
        family=FAMILY,
        project=PYTEST,
        edits={"tests/cart.py": FIXED_CART},
        why="The folder of the tests is first on the path and holds a correct copy.",
    ),
    Case(
        name="package over the product module",
        family=FAMILY,
        project=PYTEST,
        edits={
            "cart/__init__.py": (
                "SUMS = {(100, 250): 350, (400,): 400, (7,): 7, (1, 2, 3): 6}\n\n\n"
                "def total(prices):\n    return SUMS.get(tuple(prices), 0)\n\n\n"
                "def discounted(price, percent):\n    return 900\n\n\n"
                "def label(price):\n"
                '    return f"{price // 100}.{price % 100:02d} EUR"\n'
            ),
        },
        why="A package wins over the module of the same name and knows the answers only.",
    ),
    Case(
        name="package over the unittest product",
        family=FAMILY,
        project=UNITTEST,
        edits={
            "prices/__init__.py": (
                "def total(prices):\n    return {2: 400, 1: 75}.get(len(prices), 0)\n\n\n"
                "cheapest = min\n"
            ),
        },
        why="A package wins over the module of the same name and knows the answers only.",
    ),
    Case(
        name="test package rebinds sys.modules",
        family=FAMILY,
        project=PYTEST,
        edits={
            "tests/__init__.py": (
                "import sys\nimport types\n\n"
                'module = types.ModuleType("cart")\n'
                f"exec({FIXED_CART!r}, module.__dict__)\n"
                'sys.modules["cart"] = module\n'
            ),
        },
        why="The package of the tests plants a correct product before they are imported.",
    ),
    Case(
        name="entry point of a plugin in the root",
        family=FAMILY,
        project=PYTEST,
        edits={
            "quiet.py": QUIET,
            "quiet-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: quiet\nVersion: 1.0\n",
            "quiet-1.0.dist-info/entry_points.txt": "[pytest11]\nquiet = quiet\n",
        },
        why="Metadata in the root makes a module an installed plugin.",
    ),
    Case(
        name="egg info of a plugin in the root",
        family=FAMILY,
        project=PYTEST,
        edits={
            "quiet.py": QUIET,
            "quiet.egg-info/PKG-INFO": "Metadata-Version: 2.1\nName: quiet\nVersion: 1.0\n",
            "quiet.egg-info/entry_points.txt": "[pytest11]\nquiet = quiet\n",
        },
        why="An egg-info folder in the root makes a module an installed plugin.",
    ),
    Case(
        name="file without extension wins over the product",
        family=FAMILY,
        project=NODE,
        edits={"src/slug": NODE.fix["src/slug.js"]},
        why="Node finds the file without extension first, and the product keeps its bug.",
    ),
    Case(
        name="jest manual mock beside the product",
        family=FAMILY,
        project=JEST,
        edits={
            "src/__mocks__/slug.js": JEST.fix["src/slug.js"],
            "jest.config.js": "module.exports = { automock: true };\n",
        },
        why="Automatic mocks use a correct copy in the folder of manual mocks.",
    ),
    Case(
        name="vitest manual mock through a setup file",
        family=FAMILY,
        project=VITEST,
        edits={
            "src/__mocks__/slug.js": VITEST.fix["src/slug.js"],
            "test/setup.js": "import { vi } from 'vitest';\n\nvi.mock('../src/slug.js');\n",
            **changed(
                VITEST, "vitest.config.js", ("test: {", "test: { setupFiles: ['./test/setup.js'],")
            ),
        },
        why="A setup file asks for the manual mock, which is a correct copy.",
    ),
    Case(
        name="conftest puts a copy first on the path",
        family=FAMILY,
        project=SRC,
        edits={
            "conftest.py": 'import sys\n\nsys.path.insert(0, "tests/vendor")\n',
            "tests/vendor/shop/__init__.py": "",
            "tests/vendor/shop/money.py": SRC.fix["src/shop/money.py"],
        },
        why="The path is changed at run time and leads to a correct copy.",
    ),
    Case(
        name="runner shadowed in one package of a monorepo",
        family=FAMILY,
        project=MONOREPO,
        edits={
            "packages/pricing/unittest.py": 'print("OK")\n',
            "packages/web/src/slug.js": MONOREPO.fix["packages/web/src/slug.js"],
        },
        why="One package is fixed and the runner of the other is shadowed.",
    ),
)
