"""New files that nothing uses, and files that look so and are found in another way."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from loopwright.strength.unused_files import ProductFiles, unused_files
from tests.strength.measured import changed

NEW = "def half(amount):\n    return amount / 2\n"
SHOP = {"shop/__init__.py": "", "shop/cart.py": "def total():\n    return 1\n"}
MAIN = {
    "main.go": "package main\n\nfunc main() {\n\trun()\n}\n",
    "run.go": "package main\n\nfunc run() {}\n",
}


def names(
    folder: Path, files: dict[str, str], new: str, programs: tuple[str, ...] = ()
) -> list[str]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    product = ProductFiles(str(folder), frozenset(programs))
    return [item.file for item in unused_files([changed(new, files[new])], product)]


@pytest.mark.parametrize(
    ("files", "new"),
    [
        pytest.param({**SHOP, "shop/coupon.py": NEW}, "shop/coupon.py", id="nothing imports it"),
        pytest.param(
            {
                **SHOP,
                "shop/coupon.py": NEW,
                "tests/test_coupon.py": "from shop.coupon import half\n",
            },
            "shop/coupon.py",
            id="only a test imports it",
        ),
        pytest.param(
            {**SHOP, "shop/coupon.py": NEW, "shop/cart.py": "# see shop.coupon\ncoupon = 1\n"},
            "shop/coupon.py",
            id="a comment and a variable of this name",
        ),
        pytest.param(
            {"lib/a.js": "exports.a = 1;\n", "lib/coupon.js": "exports.b = 2;\n"},
            "lib/coupon.js",
            id="a script",
        ),
        pytest.param(
            {**MAIN, "coupon.go": "package main\n\nfunc half() {}\n"}, "coupon.go", id="go"
        ),
    ],
)
def test_a_file_that_nothing_uses(tmp_path: Path, files: dict[str, str], new: str) -> None:
    assert names(tmp_path, files, new) == [new]


@pytest.mark.parametrize(
    ("files", "new"),
    [
        pytest.param(
            {**SHOP, "shop/coupon.py": NEW, "shop/a.py": "from .coupon import half\n"},
            "shop/coupon.py",
            id="a relative import",
        ),
        pytest.param(
            {**SHOP, "shop/coupon.py": NEW, "shop/a.py": "import shop.coupon\n"},
            "shop/coupon.py",
            id="an import by its full name",
        ),
        pytest.param(
            {
                **SHOP,
                "shop/coupon.py": NEW,
                "pyproject.toml": '[project.scripts]\na = "shop.coupon:half"\n',
            },
            "shop/coupon.py",
            id="an entry of the manifest",
        ),
        pytest.param(
            {**SHOP, "shop/coupon.py": NEW, "shop/a.py": 'PLUGINS = ["shop.coupon"]\n'},
            "shop/coupon.py",
            id="a name that the product loads",
        ),
        pytest.param(
            {**SHOP, "shop/coupon.py": f"{NEW}\nif __name__ == '__main__':\n    half(1)\n"},
            "shop/coupon.py",
            id="a program",
        ),
        pytest.param({"coupon.py": NEW}, "coupon.py", id="the first file of the product"),
        pytest.param(
            {**{f"plugins/p{n}.py": NEW for n in range(3)}, "plugins/new.py": NEW},
            "plugins/new.py",
            id="a folder whose files are found by their names",
        ),
        pytest.param(
            {"lib/a.js": "const c = require('./coupon');\n", "lib/coupon.js": "exports.b = 2;\n"},
            "lib/coupon.js",
            id="require",
        ),
        pytest.param(
            {
                "src/a.ts": "import { b } from './coupon.js';\n",
                "src/coupon.ts": "export const b = 2;\n",
            },
            "src/coupon.ts",
            id="an import of the compiled name",
        ),
        pytest.param(
            {
                **MAIN,
                "run.go": "package main\n\nfunc run() { half() }\n",
                "coupon.go": "package main\n\nfunc half() {}\n",
            },
            "coupon.go",
            id="go",
        ),
        pytest.param(
            {"src/lib.rs": "mod coupon;\n", "src/coupon.rs": "pub fn half() {}\n"},
            "src/coupon.rs",
            id="mod of rust",
        ),
        pytest.param(
            {"a.sh": ". ./lib/coupon.sh\n", "lib/coupon.sh": "half() { :; }\n"},
            "lib/coupon.sh",
            id="a sourced file",
        ),
    ],
)
def test_a_file_that_is_used(tmp_path: Path, files: dict[str, str], new: str) -> None:
    assert names(tmp_path, files, new) == []


def test_a_program_that_a_check_runs_is_used(tmp_path: Path) -> None:
    files = {**SHOP, "report.py": "print(1)\n"}

    assert names(tmp_path, files, "report.py", ("report.py",)) == []


@pytest.mark.parametrize(
    ("spec", "count"),
    [
        ("Add half(amount) to the package.", 0),
        ("Add the coupon.", 1),
        ("Only half of it is needed.", 1),
    ],
)
def test_what_the_spec_names_may_be_all_that_is_asked_for(
    tmp_path: Path, spec: str, count: int
) -> None:
    names(tmp_path, {**SHOP, "shop/coupon.py": NEW}, "shop/coupon.py")
    product = ProductFiles(str(tmp_path), frozenset())
    assert len(unused_files([changed("shop/coupon.py", NEW)], product, spec)) == count
