"""Wiring: is a new file used by another, and do two files know of each other? The types of gap are told apart."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from loopwright.core.criteria import Evidence
from loopwright.core.plan.criteria import probe_check
from loopwright.core.prompts.gap_texts import GAP_STRATEGIES
from loopwright.verify.probes import wiring
from loopwright.verify.probes.links import names_in
from loopwright.verify.probes.probe import run_probe
from tests.support.files import write_files

MEAN = "def mean(values):\n    return sum(values) / len(values)\n"
CARD = "export function StatsCard() {\n  return <p>42</p>;\n}\n"


def looked(root: Path, *words: str) -> Evidence:
    return run_probe(probe_check(*words), "a name", "tree-1", str(root))


def wired(root: Path, path: str) -> Evidence:
    return looked(root, "artifact", path, "create", "wired")


def linked(root: Path, source: str, target: str, how: str = "") -> Evidence:
    return looked(root, "link", source, target, how)


# --- a file that nothing uses ---


def test_a_module_that_nothing_imports_is_an_orphan(project) -> None:
    here = project(
        {
            "src/shop/__init__.py": "",
            "src/shop/stats.py": MEAN,
            "src/shop/cart.py": "import os\nstatus = 1\n",
        }
    )
    found = wired(here.root, "src/shop/stats.py")

    assert (found.passed, found.outcome) == (False, "orphan")
    assert found.detail == "L1 ✓ L2 ✓ L3 ✗: nothing imports src/shop/stats.py"


def test_a_component_that_nothing_imports_is_an_orphan(project) -> None:
    here = project(
        {
            "src/StatsCard.tsx": CARD,
            "src/Dashboard.tsx": "// import { StatsCard } from './StatsCard'\nexport const x = 1;\n",
        }
    )
    found = wired(here.root, "src/StatsCard.tsx")

    assert (found.passed, found.outcome) == (False, "orphan")
    assert found.detail == "L1 ✓ L2 ✓ L3 ✗: nothing imports src/StatsCard.tsx"


USERS = {
    "import": ("src/shop/stats.py", "src/shop/cart.py", "import os\nimport shop.stats\n", 2),
    "import under another name": ("src/shop/stats.py", "tools/run.py", "import shop.stats as s\n", 1),
    "from the package": ("src/shop/stats.py", "src/other.py", "from shop import stats\n", 1),
    "from the module": ("src/shop/stats.py", "src/other.py", "from shop.stats import mean\n", 1),
    "from here": ("src/shop/stats.py", "src/shop/cart.py", "from . import stats\n", 1),
    "from this module": ("src/shop/stats.py", "src/shop/__init__.py", "from .stats import mean\n", 1),
    "from above": ("src/shop/stats.py", "src/shop/web/view.py", "from ..stats import mean\n", 1),
    "from the top": ("src/shop/stats.py", "tests/test_stats.py", "from src.shop.stats import mean\n", 1),
    "beside a script": ("stats.py", "report.py", "import stats\n", 1),
    "later": ("src/shop/stats.py", "src/late.py", "def f():\n    from shop.stats import mean\n    return mean\n", 2),
    "by its name": ("src/shop/stats.py", "src/late.py", "import importlib\nm = importlib.import_module('shop.stats')\n", 2),
    "in settings": ("src/shop/stats.py", "pyproject.toml", '[project.scripts]\nstats = "shop.stats:mean"\n', 2),
    "in a makefile": ("tools/stats.py", "Makefile", "all:\n\tpython tools/stats.py\n", 2),
    "as a program": ("stats.py", "run.sh", "python -m stats\n", 1),
    "of a newer Python": ("src/shop/stats.py", "src/late.py", "x = a ?? b\nfrom shop.stats import mean\n", 2),
    "by a table of names": ("src/shop/stats.py", "src/shop/cli.py", "T = ('stats',)\nm = import_module(f'shop.{T[0]}')\n", 2),
    "by all in a folder": ("src/shop/stats.py", "src/load.py", "for m in iter_modules(shop.__path__):\n  import_module(m)\n", 2),
    "by a folder's loader": ("bot/stats.js", "bot/load.js", "for (const f of fs.readdirSync('.'))\n  require(`./${f}`)\n", 2),
    "by a pattern": ("src/parts/Stats.vue", "src/boot.ts", "const all = import.meta.glob('./parts/*.vue')\n", 1),
    "named": ("src/StatsCard.tsx", "src/Dashboard.tsx", 'import { StatsCard } from "./StatsCard";\n', 1),
    "default": ("src/StatsCard.tsx", "src/Dashboard.tsx", "import x from 'y'\nimport StatsCard from './StatsCard'\n", 2),
    "on many lines": ("src/StatsCard.tsx", "src/Dash.tsx", "import {\n  StatsCard,\n  type Props,\n} from './StatsCard'\n", 1),
    "with an ending": ("src/stats.ts", "src/a.ts", 'import { mean } from "./stats.js"\n', 1),
    "a type": ("src/stats.ts", "src/a.ts", 'import type { Mean } from "./stats"\n', 1),
    "all of it": ("src/stats.ts", "src/a.ts", 'import * as stats from "./stats"\n', 1),
    "for its effect": ("src/stats.ts", "src/a.ts", 'import "./stats"\n', 1),
    "when needed": ("src/Stats.vue", "src/a.ts", "const Stats = () => import('./Stats.vue')\n", 1),
    "required": ("lib/stats.cjs", "lib/a.cjs", "const { mean } = require('./stats.cjs')\n", 1),
    "passed on": ("src/stats.ts", "src/index.ts", 'export { mean } from "./stats"\n', 1),
    "passed on whole": ("src/stats.ts", "src/index.ts", 'export * from "./stats"\n', 1),
    "by an alias": ("src/ui/StatsCard.tsx", "src/pages/Home.tsx", 'import { StatsCard } from "@/ui/StatsCard"\n', 1),
    "by a library's alias": ("src/lib/stats.ts", "src/routes/+page.svelte", '<script>import a from "$lib/stats"</script>\n', 1),
    "by another package": ("packages/ui/src/card.tsx", "packages/web/a.tsx", 'import { Card } from "@acme/ui/card"\n', 1),
    "from the base": ("src/ui/StatsCard.tsx", "src/a.tsx", 'import { StatsCard } from "ui/StatsCard"\n', 1),
    "by a page": ("src/boot.ts", "index.html", '<script type="module" src="/src/boot.ts"></script>\n', 1),
    "as a worker": ("src/stats.worker.ts", "src/a.ts", 'new Worker(new URL("./stats.worker.ts", import.meta.url))\n', 1),
    "in a package": ("src/cli-stats.js", "package.json", '{\n  "bin": "./src/cli-stats.js"\n}\n', 2),
    "without its ending in settings": ("src/stats.ts", "bundle.json", '{"entry": "./src/stats"}\n', 1),
}  # fmt: skip


@pytest.mark.parametrize(("path", "user", "text", "line"), USERS.values(), ids=USERS)
def test_a_file_is_wired_by(tmp_path: Path, path: str, user: str, text: str, line: int) -> None:
    write_files(
        tmp_path,
        {"src/shop/__init__.py": "", path: MEAN if path.endswith(".py") else CARD, user: text},
    )
    found = wired(tmp_path, path)

    assert found.detail.startswith("L1 ✓ L2 ✓ L3 ✓: ")
    assert found.detail.endswith(f"used in {user}:{line}")


IDLE = {
    "a comment": ("src/shop/stats.py", "src/cart.py", "# import shop.stats\n# see src/shop/stats.py\nx = 1\n"),
    "a docstring": ("src/shop/stats.py", "src/cart.py", '"""Beside src/shop/stats.py, see shop.stats."""\nx = 1\n'),
    "prose": ("src/shop/stats.py", "PLAN.md", "Create src/shop/stats.py\n"),
    "a plan": ("src/shop/stats.py", "prd.json", '{"files": ["src/shop/stats.py"]}\n'),
    "a plan's folder": ("src/shop/stats.py", ".gsd/state.json", '{"files": ["src/shop/stats.py"]}\n'),
    "a module of Python's own": ("src/shop/statistics.py", "src/cart.py", "import statistics\n"),
    "a module of the same name": ("src/shop/stats.py", "src/cart.py", "from other.stats import mean\n"),
    "a longer name": ("src/shop/stats.py", "src/cart.py", "from shop.stats2 import mean\nmystats = 'stats'\n"),
    "a module of Python's own, beside it": ("src/shop/statistics.py", "src/shop/cart.py", "from statistics import mode\n"),
    "a loader elsewhere": ("src/shop/stats.py", "src/web/cli.py", "T = ('stats',)\nm = import_module(f'web.{T[0]}')\n"),
    "a list of files": ("src/shop/stats.py", "src/load.py", "print(os.listdir('shop'))\n"),
    "itself": ("src/shop/stats.py", "src/other.txt", ""),
    "a comment of another kind": ("src/stats.ts", "src/a.ts", "/*\nimport { mean } from './stats'\n*/\n// './stats'\n"),
    "another folder": ("src/stats.ts", "src/web/a.ts", 'import { mean } from "./stats"\n'),
    "a package": ("src/stats.ts", "src/a.ts", 'import { mean } from "stats"\n'),
    "another alias": ("src/ui/stats.ts", "src/a.ts", 'import { mean } from "@/lib/stats"\n'),
    "another ending": ("src/stats.ts", "src/a.ts", 'import "./stats.css"\n'),
}  # fmt: skip


@pytest.mark.parametrize(("path", "other", "text"), IDLE.values(), ids=IDLE)
def test_a_file_is_not_wired_by(tmp_path: Path, path: str, other: str, text: str) -> None:
    write_files(
        tmp_path,
        {"src/shop/__init__.py": "", path: MEAN if path.endswith(".py") else CARD, other: text},
    )

    assert wired(tmp_path, path).outcome == "orphan"


ALONE = {
    "tests/test_stats.py": MEAN,
    "test_stats.py": MEAN,
    "conftest.py": MEAN,
    "src/stats.test.ts": CARD,
    "src/__tests__/stats.ts": CARD,
    "src/shop/__init__.py": MEAN,
    "src/shop/__main__.py": MEAN,
    "src/index.ts": CARD,
    "src/main.ts": CARD,
    "src/App.tsx": CARD,
    "vite.config.ts": CARD,
    ".eslintrc.js": CARD,
    "src/Card.stories.tsx": CARD,
    "shop/migrations/0001_first.py": MEAN,
    "stats.py": f"#!/usr/bin/env python3\n{MEAN}",
    "tool.py": f"{MEAN}\nif __name__ == '__main__':\n    print(mean([1]))\n",
    "app/stats/page.tsx": CARD,
    "src/routes/+page.svelte": CARD,
}


@pytest.mark.parametrize("path", ALONE)
def test_some_files_need_no_user(tmp_path: Path, path: str) -> None:
    write_files(tmp_path, {path: ALONE[path]})

    assert wired(tmp_path, path).detail.startswith("L1 ✓ L2 ✓ L3 ✓: ")


def test_a_page_needs_no_user_where_a_framework_finds_it(tmp_path: Path) -> None:
    write_files(tmp_path, {"web/pages/stats.tsx": CARD})
    assert wired(tmp_path, "web/pages/stats.tsx").outcome == "orphan"

    write_files(tmp_path, {"web/next.config.mjs": ""})
    assert "its framework finds it by its path" in wired(tmp_path, "web/pages/stats.tsx").detail


def test_what_is_no_module_needs_no_user(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "a.md": "words",
            "b.css": "a {}",
            "c.go": "package c\n\nvar X = 1\n",
            "d.d.ts": "declare const x: 1;\n",
        },
    )

    assert [wired(tmp_path, path).passed for path in ("a.md", "b.css", "c.go", "d.d.ts")] == [
        True
    ] * 4


def test_a_user_counts_before_it_is_committed_and_not_when_it_is_ignored(project) -> None:
    here = project({"src/stats.py": MEAN, ".gitignore": "build/\n"})
    here.write({"build/cart.py": "import stats\n"})
    assert wired(here.root, "src/stats.py").outcome == "orphan"

    here.write({"src/cart.py": "import stats\n"})
    assert wired(here.root, "src/stats.py").detail.endswith("used in src/cart.py:1")


def test_a_user_that_was_deleted_no_longer_counts(project) -> None:
    here = project({"src/stats.py": MEAN, "src/cart.py": "import stats\n"})
    (here.root / "src/cart.py").unlink()

    assert wired(here.root, "src/stats.py").outcome == "orphan"


def test_where_git_cannot_look_we_look_ourselves(project) -> None:
    here = project({"src/stats.py": MEAN, "src/cart.py": "import stats\n"}, git=False)
    (here.root / ".git").write_text("gitdir: nowhere\n")

    assert wired(here.root, "src/stats.py").detail.endswith("used in src/cart.py:1")


def test_we_do_not_look_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiring, "MAX_FILES", 3)
    write_files(
        tmp_path,
        {
            "stats.py": MEAN,
            **{f"a{number}.py": "x = 1\n" for number in range(4)},
            "z.py": "import stats\n",
        },
    )

    assert wired(tmp_path, "stats.py").detail.endswith(
        "nothing imports stats.py among the first 3 files that were looked at; there are more"
    )


# --- links: the types of gap, in Python and in TypeScript ---

PYTHON = {
    "src/shop/__init__.py": "",
    "src/shop/stats.py": MEAN,
    "src/shop/cart.py": "from shop.stats import mean\n",
}
SCRIPT = {
    "src/lib/stats.ts": "export const mean = 1;\n",
    "src/Cart.tsx": 'import { mean } from "./lib/stats";\n',
}
KINDS = {
    "it holds": (PYTHON, {}, "exit", "src/shop/cart.py:1 imports src/shop/stats.py"),
    "nothing is tied": (PYTHON, {"src/shop/cart.py": "x = 1\n"}, "broken_link", "src/shop/cart.py does not name src/"),
    "the path is wrong": (
        PYTHON,
        {"src/shop/cart.py": "import os\nfrom shop.lib.stats import mean\n"},
        "wrong_import",
        "src/shop/cart.py:2 imports from “shop.lib.stats”, and no file is there\nsrc/shop/stats.py is what it should lead to",
    ),
    "no folder": (PYTHON, {"src/web.py": "", "src/shop/cart.py": "from web import stats"}, "wrong_import", "“web.stats”"),
    "one dot too many": (PYTHON, {"src/shop/cart.py": "from ..stats import mean\n"}, "wrong_import", "“..stats”"),
    "the name is not there": (
        PYTHON,
        {"src/shop/cart.py": "from shop.stats import mean, median\n"},
        "missing_export",
        "src/shop/stats.py does not define or export “median”\nsrc/shop/cart.py:1 imports it from there",
    ),
    "it holds in TypeScript": (SCRIPT, {}, "exit", "src/Cart.tsx:1 imports src/lib/stats.ts"),
    "nothing is tied in TypeScript": (SCRIPT, {"src/Cart.tsx": "const stats = 1;"}, "broken_link", "src/Cart.tsx does not"),
    "the path is wrong in TypeScript": (
        SCRIPT,
        {"src/Cart.tsx": 'import { mean } from "./utils/stats";\n'},
        "wrong_import",
        "src/Cart.tsx:1 imports from “./utils/stats”, and no file is there\nsrc/lib/stats.ts is what it should lead to",
    ),
    "the alias is wrong": (SCRIPT, {"src/Cart.tsx": 'import { a } from "@/utils/stats"'}, "wrong_import", "“@/utils/stats”"),
    "the case is wrong": (SCRIPT, {"src/Cart.tsx": 'import { mean } from "./lib/Stats";\n'}, "wrong_import", "“./lib/Stats”"),
    "the name is not exported": (
        SCRIPT,
        {"src/lib/stats.ts": "const mean = 1;\nexport const total = 2;\n"},
        "missing_export",
        "src/lib/stats.ts does not define or export “mean”\nsrc/Cart.tsx:1 imports it from there",
    ),
    "there is no default": (
        SCRIPT,
        {"src/Cart.tsx": 'import mean from "./lib/stats";\n'},
        "missing_export",
        "src/lib/stats.ts has no default export\nsrc/Cart.tsx:1 imports it from there",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("files", "changed", "outcome", "says"), KINDS.values(), ids=KINDS)
def test_a_link_fails_for_a_reason(
    tmp_path: Path, files: dict[str, str], changed: dict[str, str], outcome: str, says: str
) -> None:
    write_files(tmp_path, {**files, **changed})
    source, target = (
        ("src/shop/cart.py", "src/shop/stats.py")
        if files is PYTHON
        else ("src/Cart.tsx", "src/lib/stats.ts")
    )
    found = linked(tmp_path, source, target, "Uses the mean")

    assert (found.outcome, found.passed) == (outcome, outcome == "exit")
    assert says in found.detail
    back = linked(tmp_path, target, source)
    assert back.outcome == outcome, "either file may name the other"


def test_every_type_of_gap_but_that_of_a_command_can_be_found() -> None:
    seen = {outcome for _, _, outcome, _ in KINDS.values()} - {"exit"}

    assert {*seen, "stub", "orphan"} == {*GAP_STRATEGIES} - {"ci_failure"}


def test_a_link_to_a_missing_file_is_broken_and_says_which(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.py": "import b\n"})

    assert (linked(tmp_path, "a.py", "b.py").outcome, linked(tmp_path, "a.py", "b.py").detail) == (
        "broken_link",
        "b.py is missing",
    )
    assert (
        linked(tmp_path, "b.py", "../a.py").detail
        == "b.py is missing\n../a.py is outside the project"
    )


# --- what is offered: in doubt, all of it ---

OFFERS = {
    "a function": "def mean(): return 1\n",
    "a class": "class mean: x = 1\n",
    "a name": "mean: int = 1\n",
    "one of two": "a, mean = 1, 2\n",
    "passed on": "from os import path as mean\n",
    "in a branch": "try:\n    import fast as mean\nexcept ImportError:\n    mean = None\n",
    "set from inside": "def load():\n    global mean\n    mean = 1\n",
    "all of another": "from os.path import *\n",
    "made when asked for": "def __getattr__(name): return 1\n",
    "made at once": "globals()['mean'] = 1\n",
    "not to be parsed": "x = a ?? b\n",
}


@pytest.mark.parametrize("text", OFFERS.values(), ids=OFFERS)
def test_a_module_of_python_offers_it(tmp_path: Path, text: str) -> None:
    write_files(tmp_path, {"stats.py": text, "cart.py": "from stats import mean, __doc__\n"})

    assert linked(tmp_path, "cart.py", "stats.py").passed


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    mean = 1\n",
        "class A:\n    mean = 1\n",
        "# mean = 1\nx = 'mean'\n",
        "x.mean = 1\n",
    ],
)
def test_a_module_of_python_does_not_offer_it(tmp_path: Path, text: str) -> None:
    write_files(tmp_path, {"stats.py": text, "cart.py": "from stats import mean\n"})

    assert linked(tmp_path, "cart.py", "stats.py").outcome == "missing_export"


def test_a_package_offers_its_modules(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {"shop/__init__.py": "", "shop/stats.py": MEAN, "cart.py": "from shop import stats\n"},
    )

    assert linked(tmp_path, "cart.py", "shop/__init__.py").passed


TAKES = {
    "a constant": ("export const mean = 1;", "{ mean }"),
    "one of many": ("export const a = f(1, [2]), mean = { b: 1 }, c = 3;", "{ mean, c }"),
    "one of a pattern": ("export const { mean, b: c } = make();", "{ mean, c }"),
    "with a type": ("export let mean: Map<string, number> = new Map();", "{ mean }"),
    "a function": ("export async function mean() { return 1; }", "{ mean as m }"),
    "a generator": ("export function* mean() { yield 1; }", "{ mean }"),
    "a class": ("export abstract class mean { f() {} }", "{ mean }"),
    "types": ("export interface mean { a: 1 }\nexport type b = 1;\nexport const enum c { A }", "{ mean, type b, c }"),
    "declared": ("export declare function mean(): void;", "{ mean }"),
    "a list": ("const x = 1;\nexport { x as mean, type b };", "{ mean, b }"),
    "a list from elsewhere": ("export { default as mean } from './x';", "{ mean }"),
    "a name for all": ("export * as mean from './x';", "{ mean }"),
    "all": ("export * from './x';", "{ mean }"),
    "the default": ("export default class {}", "mean"),
    "a default by name": ("export { x as default };", "mean, { default as m }"),
    "whole": ("export = mean;", "{ mean }"),
    "of Node": ("module.exports = { mean, b: 1 };", "mean, { b }"),
    "of Node, one by one": ("exports.mean = 1;\nmodule.exports.b = 2;", "{ mean, b }"),
    "of Node, made": ("module.exports = make();", "{ mean }"),
    "of Node, spread": ("module.exports = { ...x };", "{ mean }"),
    "after a quote in a pattern": ("const q = /[`\"']/;\nexport const mean = 1; // `", "{ mean }"),
    "after a path with stars": ("const q = './x/*.ts';\nexport const mean = 1; /* */", "{ mean }"),
    "all as one": ("export const x = 1;", "* as stats"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "taken"), TAKES.values(), ids=TAKES)
def test_a_module_of_typescript_offers_it(tmp_path: Path, text: str, taken: str) -> None:
    write_files(tmp_path, {"stats.ts": f"{text}\n", "cart.ts": f'import {taken} from "./stats";\n'})

    assert linked(tmp_path, "cart.ts", "stats.ts").detail == "cart.ts:1 imports stats.ts"


LACKS = {
    "not exported": ("const mean = 1;\nexport const x = 2;", "import { mean } from './stats'"),
    "in a comment": ("// export const mean = 1;\nexport const x = 2;", "import { mean } from './stats'"),
    "in a string": ("export const x = 'export const mean = 1';", "import { mean } from './stats'"),
    "inside another": ("export const api = {\n  mean: 1,\n  total: f(mean, 2),\n};", "import { mean } from './stats'"),
    "only the default": ("export default function mean() { return 1; }", "import { mean } from './stats'"),
    "under another name": ("const mean = 1;\nexport { mean as avg };", "import { mean } from './stats'"),
    "required": ("exports.total = 1;", "const { mean } = require('./stats');"),
    "required of an object": ("module.exports = { total };", "const { mean: m, total } = require( './stats' );"),
    "awaited": ("export const x = 2;", "const { mean } = await import('./stats');"),
    "passed on": ("export const x = 2;", "export { mean } from './stats';"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "taken"), LACKS.values(), ids=LACKS)
def test_a_module_of_typescript_does_not_offer_it(tmp_path: Path, text: str, taken: str) -> None:
    write_files(tmp_path, {"stats.ts": f"{text}\n", "cart.ts": f"{taken}\n"})

    assert linked(tmp_path, "cart.ts", "stats.ts").detail.startswith(
        "stats.ts does not define or export “mean”"
    )


@pytest.mark.parametrize(
    "taken",
    [
        "const { mean } = require('./stats').make();",
        "const { mean } = require('./stats')(1);",
        'import { mean } from "@acme/stats";',
    ],
)
def test_what_is_taken_from_elsewhere_is_not_missed(tmp_path: Path, taken: str) -> None:
    """From what a module makes, or from what may be a package of the same name."""
    write_files(tmp_path, {"src/stats.ts": "export const x = 1;\n", "src/cart.ts": f"{taken}\n"})

    assert linked(tmp_path, "src/cart.ts", "src/stats.ts").passed


def test_a_component_in_one_file_offers_what_is_asked_of_it(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "Card.vue": "<script setup>\nconst a = 1\n</script>\n",
            "main.ts": "import Card, { b } from './Card.vue'\n",
        },
    )

    assert linked(tmp_path, "main.ts", "Card.vue").passed


# --- links between other files ---

TIES = {
    "the whole path": ("a/one.md", "b/two.md", "see b/two.md", "", "a/one.md:1 names b/two.md"),
    "from where it stands": ("a/one.md", "b/two.md", "see ../b/two.md", "", "a/one.md:1 names b/two.md"),
    "its last word": ("a/one.md", "b/two.md", "\nsee `two.md`.", "", "a/one.md:2 names b/two.md"),
    "below a variable": ("a/one.json", "b/two.sh", '{"run": "$HOME/two.sh"}', "", "a/one.json:1 names b/two.sh"),
    "of Windows": ("a/one.cmd", "b/two.sh", "call b\\two.sh", "", "a/one.cmd:1 names b/two.sh"),
    "a name in words": ("a.md", "b.md", "max_retries: 3", "Provides max_retries.", "“max_retries” is in a.md:1 and b.md:2"),
    "a name with capitals": ("a.md", "b.md", "maxRetries", "gives maxRetries to it", "“maxRetries” is in a.md:1 and b.md:2"),
    "a name in backticks": ("a.md", "b.md", "retries", "the `retries` count", "“retries” is in a.md:1 and b.md:2"),
    "a route": ("a.md", "b.md", "GET /api/stats", "fetch /api/stats", "“/api/stats” is in a.md:1 and b.md:2"),
    "a name as a tree": ("a.md", "b.md", "loop: { turn: 1 }", "Writes loop.turn", "“loop.turn” is in a.md:1 and b.md:2"),
    "another language": ("src/main.rs", "src/stats.rs", "mod stats;", "", "src/main.rs:1 names src/stats.rs"),
}  # fmt: skip


@pytest.mark.parametrize(("source", "target", "text", "how", "seen"), TIES.values(), ids=TIES)
def test_two_files_are_tied_by(
    tmp_path: Path, source: str, target: str, text: str, how: str, seen: str
) -> None:
    write_files(tmp_path, {source: text, target: f"{'-' * 3}\n{text if how else 'x'}\n"})

    assert linked(tmp_path, source, target, how).detail == seen


@pytest.mark.parametrize(
    ("text", "how", "seen"),
    [
        ("see c/two.md", "Points to it", "a/one.md:1 says c/two.md"),
        (
            "see two.md.bak and my-two.md",
            "Points to it",
            "a/one.md does not name b/two.md, nor the other way round",
        ),
        ("max_retries", "Provides max_retries", "“max_retries” is not in b/two.md"),
        (
            "max_retries_all",
            "Provides `max_retries`",
            "“max_retries” is not in a/one.md and not in b/two.md",
        ),
    ],
)
def test_two_files_are_not_tied_by(tmp_path: Path, text: str, how: str, seen: str) -> None:
    write_files(tmp_path, {"a/one.md": text, "b/two.md": "x"})
    found = linked(tmp_path, "a/one.md", "b/two.md", how)

    assert found.outcome == "broken_link"
    assert seen in found.detail.splitlines()


@pytest.mark.parametrize(
    ("how", "names"),
    [
        ("Provides execute_max_retries", ["execute_max_retries"]),
        ("Writes loop.task_retries.", ["loop.task_retries"]),
        ("POST /api/items, then `done`", ["/api/items", "done"]),
        ("calls fetchStats() in StatsAPI", ["fetchStats", "StatsAPI"]),
        ("Points to script path", []),
        ("Reads it. Writes nothing!", []),
    ],
)
def test_names_are_taken_from_the_words_of_a_link(how: str, names: list[str]) -> None:
    assert list(names_in(how)) == names


# --- time ---


def test_only_what_names_a_file_is_read(project) -> None:
    """Of many files git finds those with the name; a hostile one costs no more than its size."""
    hostile = {
        f"h{number}.ts": text
        for number, text in enumerate(
            ("import {" * 40_000, "/*" * 100_000, "`" * 99_999, "export const a," * 20_000)
        )
    }
    here = project({"src/stats.ts": CARD, "src/a.ts": 'import "./stats"\n', **hostile})
    began = time.monotonic()
    found = [
        wired(here.root, "src/stats.ts"),
        *(linked(here.root, name, "src/stats.ts") for name in hostile),
    ]

    assert [evidence.outcome for evidence in found] == ["exit", *["broken_link"] * len(hostile)]
    assert time.monotonic() - began < 10
