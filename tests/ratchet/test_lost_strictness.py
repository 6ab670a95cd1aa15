"""Product files that are less strict than before, and messages that fit every pattern."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules import lost_strictness
from loopwright.ratchet.project_files import ProjectFiles
from loopwright.repo.baseline import Change


def rows(path: str, before: str, after: str, package: str = "") -> list[tuple[str, int]]:
    files = ProjectFiles([Change(path, before, after)], {"package.json": package}.get)
    found = list(lost_strictness.findings(files))
    assert all(row.severity == MEDIUM for row in found)
    return [(row.rule, row.line) for row in found]


STRICT = {
    "src/a.js": "// Orders.\n'use strict';\n\nlet sum = 0;\n",
    "src/b.cjs": '"use strict";\nlet sum = 0;\n',
    "lib/Orders.pm": "package Orders;\nuse strict;\nuse warnings;\n\nour $sum = 0;\n",
    "src/Orders.php": "<?php\ndeclare(strict_types=1);\n\nfinal class Orders {}\n",
    "lib/orders.rb": "# frozen_string_literal: true\n\nSUM = 0\n",
}


def without_strict(text: str) -> str:
    return "".join(
        line
        for line in text.splitlines(True)
        if "strict" not in line.replace("frozen_string_literal", "strict")
    )


@pytest.mark.parametrize("path", STRICT)
def test_a_file_that_is_no_longer_strict_is_named(path: str) -> None:
    assert rows(path, STRICT[path], without_strict(STRICT[path])) == [
        ("strictness-switched-off", 0)
    ]


@pytest.mark.parametrize("path", STRICT)
def test_a_file_that_stays_strict_or_never_was_is_not(path: str) -> None:
    text = STRICT[path]

    assert rows(path, text, text.replace("0", "1")) == []
    assert rows(path, without_strict(text), f"{without_strict(text)}\n") == []
    assert rows(f"test/{path}", text, without_strict(text)) == []


def test_modules_are_strict_without_the_line() -> None:
    old = STRICT["src/a.js"]

    assert rows("src/a.js", old, "export let sum = 0;\n") == []
    assert rows("src/a.js", old, "import fs from 'node:fs';\n") == []
    assert rows("src/a.js", old, "let sum = 0;\n", '{"type": "module"}') == []
    assert rows("src/a.ts", old, "let sum = 0;\n") == []
    assert rows("lib/Orders.pm", STRICT["lib/Orders.pm"], "package Orders;\nuse Moose;\n") == []
    assert rows("lib/Orders.pm", STRICT["lib/Orders.pm"], "package Orders;\nuse v5.36;\n") == []


ONE = {
    "src/a.js": "  if (found) throw new Error(`No: ${TEXTS[found]}`);\n",
    "a.py": "    if found:\n        raise ValueError(f'No: {TEXTS[found]}')\n",
    "lib/a.rb": '    raise ArgumentError, "No: #{TEXTS.fetch(found)}" if found\n',
    "src/A.java": '        throw new IllegalArgumentException("No: " + TEXTS.get(found));\n',
}
ALL = {
    "src/a.js": "  const hints = Object.values(TEXTS).join('; ');\n"
    "  if (found) throw new Error(`No: ${TEXTS[found]} (rules: ${hints})`);\n",
    "a.py": "    if found:\n        raise ValueError(\n"
    "            f'No: {TEXTS[found]} ({\"; \".join(TEXTS.values())})'\n        )\n",
    "lib/a.rb": '    raise ArgumentError, "No: #{TEXTS.fetch(found)} #{TEXTS.values.join}" if found\n',
    "src/A.java": '        throw new IllegalArgumentException("No: " + TEXTS.get(found) + TEXTS.values());\n',
}


@pytest.mark.parametrize("path", ONE)
def test_a_message_with_all_texts_of_a_table_is_named(path: str) -> None:
    ((rule, _),) = rows(path, ONE[path], ALL[path])

    assert rule == "product-tells-less-apart"
    assert rows(path, ALL[path], f"{ALL[path]}\n") == []


@pytest.mark.parametrize(
    "line",
    [
        "  if (!TEXTS[kind]) throw new Error(`unknown ${kind}: ${Object.keys(TEXTS).join()}`);\n",
        "  if (!TEXTS[kind]) throw new Error(`one of ${Object.values(TEXTS).join()}`);\n",
        "  log(Object.values(TEXTS).join());\n  throw new Error(TEXTS[found]);\n",
        "  throw new Error(`${TEXTS[found]}: ${Object.values(order).join()}`);\n",
    ],
)
def test_a_message_may_list_what_is_allowed(line: str) -> None:
    assert rows("src/a.js", ONE["src/a.js"], line) == []
