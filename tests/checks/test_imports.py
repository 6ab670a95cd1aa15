"""What a file imports, and which files that may mean."""

from __future__ import annotations

import ast

import pytest

from loopwright.checks.imports import (
    imported_modules,
    module_files,
    names_bound,
    script_names_bound,
    script_paths,
    script_place,
)

SCRIPTS = {
    "import cart, { total as sum } from './cart.js';": ["./cart.js"],
    "import './setup'": ["./setup"],
    "export * from '../shop'": ["../shop"],
    'const { total } = require("./cart");': ["./cart"],
    "const real = jest.requireActual('./cart');": ["./cart"],
    "const real = await vi.importActual('./cart');": ["./cart"],
    "const page = await import(`./page`);": ["./page"],
    "const page = await import(`./${name}`);": [],
    "import { base } from '$lib/base';": ["$lib/base"],
    "shop.import('./cart')": [],
}


@pytest.mark.parametrize(("line", "modules"), SCRIPTS.items())
def test_the_modules_that_a_script_imports(line: str, modules: list[str]) -> None:
    assert imported_modules(line) == modules


def test_the_names_that_imports_bind() -> None:
    python = "import shop.cart\nimport shop as s\nif x:\n    from .cart import total as sum\n"
    script = "import a, { b as c } from './x';\nconst { d: e } = require('./y');\n"

    assert names_bound(ast.parse(python)) == {"shop": {"shop"}, "s": {"shop"}, "sum": {".cart"}}
    assert script_names_bound(script) == {"a": "./x", "c": "./x", "e": "./y"}


def test_the_files_that_an_import_may_mean() -> None:
    place = script_place("src/shop/index.js", "../cart.js?raw")

    assert place == "src/cart.js"
    assert {"src/cart.js", "src/cart.ts", "src/cart.js/index.js"} <= {*script_paths(place)}
    assert {"shop/cart.py", "src/shop/cart/__init__.py"} <= {*module_files("shop.cart")}
