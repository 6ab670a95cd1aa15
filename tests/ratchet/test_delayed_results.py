"""Product that answers where unchanged tests do not look: later, or not at all."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules.delayed_results import DelayedResults

VALID = "function isValid(text) {\n  return text.length === 22;\n}\n"
ARROW = "const isValid = (text) => text.length === 22;\n"
METHOD = "class Account {\n  isValid(text) {\n    return text.length === 22;\n  }\n}\n"
LATER = {
    "async": (VALID, VALID.replace("function", "async function")),
    "async, and exported": (f"export {VALID}", f"export async {VALID}"),
    "an async arrow": (ARROW, ARROW.replace("(text)", "async (text)")),
    "an arrow to a promise": (ARROW, ARROW.replace("text.l", "Promise.resolve(text).l")),
    "an async method": (METHOD, METHOD.replace("  isValid", "  async isValid")),
    "a promise": (VALID, VALID.replace("return ", "return Promise.resolve(").replace("22", "22)")),
    "a chain": (VALID, VALID.replace("return text", "return ask(text).then((text) => text")),
    "a job": (
        VALID,
        f"async {VALID.replace('isValid', 'ask')}"
        "function isValid(text) {\n  const job = ask(text);\n  job.catch(note);\n  return job;\n}\n",
    ),
}
ASKING = {
    "assert": "assert.ok(isValid('DE'));\n",
    "expect": "expect(account.isValid('DE')).toBeTruthy();\n",
    "no error": "expect(() => isValid('DE')).not.toThrow();\n",
    "no error, in a block": "assert.doesNotThrow(() => {\n  isValid('DE');\n});\n",
    "on several lines": "assert.ok(\n  isValid('DE'),\n);\n",
    "a condition": "if (!isValid('DE')) process.exit(1);\n",
}
WAITING = {
    "await": "assert.ok(await isValid('DE'));\n",
    "await before the assertion": "await assert.rejects(\n  () => isValid('DE'),\n);\n",
    "resolves": "expect(isValid('DE')).resolves.toBe(true);\n",
    "a chain": "isValid('DE').then((answer) => assert.ok(answer));\n",
    "a test that returns it": "test('a', () => {\n  return isValid('DE');\n});\n",
    "another function": "const isValid = (text) => text;\nassert.ok(isValid('DE'));\n",
    "no call": "assert.ok(isValidName('DE'));\n",
    "only in words": "assert.ok(answer, 'isValid() says no');\n",
}
IMPORT = "const { Account, isValid } = require('../src/account');\n"


def found(path: str, before: str, after: str, test: str, name: str = "") -> list[tuple[str, int]]:
    answers = DelayedResults({path: (before, after)})
    tests = {name or ("tests/test_a.py" if path.endswith(".py") else "test/a.test.js"): test}
    rows = list(answers.findings(tests))
    assert all(row.severity == MEDIUM for row in rows)
    return [(row.rule, row.line) for row in rows]


@pytest.mark.parametrize(("before", "after"), LATER.values(), ids=LATER.keys())
@pytest.mark.parametrize("test", ASKING.values(), ids=ASKING.keys())
def test_a_test_that_does_not_wait_for_an_answer_is_named(
    before: str, after: str, test: str
) -> None:
    ((rule, line),) = found("src/account.js", before, after, IMPORT + test)

    assert rule == "product-tells-less-apart"
    assert "isValid" in after.splitlines()[line - 1]
    assert found("src/account.js", after, f"{after}\n", IMPORT + test) == []


@pytest.mark.parametrize("test", WAITING.values(), ids=WAITING.keys())
def test_a_test_that_waits_is_not(test: str) -> None:
    assert found("src/account.js", *LATER["async"], IMPORT + test) == []


def test_the_same_function_in_another_file_is_named() -> None:
    product = {"src/account.js": (VALID, ""), "src/valid.js": (None, LATER["async"][1])}
    answers = DelayedResults(product)

    assert answers.words == {"isValid"}
    assert len(list(answers.findings({"test/a.test.js": ASKING["assert"]}))) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (VALID, VALID.replace("===", "==")),
        (VALID, f"{VALID}async function ask(text) {{\n  return isValid(text);\n}}\n"),
        (
            VALID,
            VALID.replace("  return", "  later(async () => {\n    await ask();\n  });\n  return"),
        ),
        (VALID, VALID.replace("  return", "  ask(text).then(note);\n  return")),
        ("", LATER["async"][1]),
        (LATER["async"][1], VALID),
    ],
)
def test_a_function_that_answers_at_once_or_is_new_is_not(before: str, after: str) -> None:
    assert found("src/account.js", before, after, IMPORT + ASKING["assert"]) == []


def test_a_method_of_a_class_that_the_test_does_not_name_is_not() -> None:
    before, after = LATER["an async method"]

    assert found("src/account.js", before, after, "assert.ok(rule.isValid('a'));\n") == []


PYTHON = "def is_valid(text):\n    return len(text) == 22\n"
LATER_PYTHON = {
    "a coroutine": f"async {PYTHON}",
    "a generator": PYTHON.replace("return", "yield"),
}


@pytest.mark.parametrize("after", LATER_PYTHON.values(), ids=LATER_PYTHON.keys())
def test_a_coroutine_or_generator_of_python_is_named(after: str) -> None:
    for test in ("assert is_valid('DE')\n", "self.assertTrue(account.is_valid('DE'))\n"):
        assert found("account.py", PYTHON, after, test) == [("product-tells-less-apart", 1)]
    for test in (
        "assert await is_valid('DE')\n",
        "assert asyncio.run(is_valid('DE'))\n",
        "assert list(is_valid('DE')) == [True]\n",
        "for answer in is_valid('DE'):\n    assert answer\n",
    ):
        assert found("account.py", PYTHON, after, test) == []


def test_a_decorator_of_python_may_wait() -> None:
    assert found("account.py", PYTHON, f"@sync\nasync {PYTHON}", "assert is_valid('DE')\n") == []


POLLER = "class Poller {\n  close() {\n    this.open = false;\n  }\n}\n"
COUNTING = "const { Poller } = require('../src/poller');\nassert.deepEqual(process.getActiveResourcesInfo(), []);\n"
SLEEP = "const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));\n"
SCRIPT = "const { retry } = require('../src/retry');\nretry(task).then(() => assert.ok(done));\n"


def closing(line: str) -> str:
    return POLLER.replace("    this.open = false;\n", f"    this.open = false;\n{line}\n")


def test_a_timer_that_is_out_of_the_list_of_open_things_is_named() -> None:
    for line in ("    this.timer.unref();", "    if (this.timer.unref) this.timer.unref();"):
        rows = found("src/poller.js", POLLER, closing(line), COUNTING)
        assert rows == [("product-tells-less-apart", 4)]


@pytest.mark.parametrize(
    "line",
    [
        "    clearInterval(this.timer);",
        "    if (this.background) this.timer.unref();",
        "    if (this.background) {\n      this.timer.unref();\n    }",
    ],
)
def test_a_timer_that_is_cleared_or_in_the_background_by_choice_is_not(line: str) -> None:
    assert found("src/poller.js", POLLER, closing(line), COUNTING) == []


def test_a_script_that_waits_for_a_timer_without_hold_is_named() -> None:
    after = SLEEP.replace("ms))", "ms).unref())")

    assert found("src/retry.js", SLEEP, after, SCRIPT) == [("product-tells-less-apart", 1)]
    assert found("src/retry.js", SLEEP, after, f"test('a', () => {{}});\n{SCRIPT}") == []
    cache = f"{SLEEP}setInterval(() => cache.clear(), 1000).unref();\n"
    assert found("src/retry.js", f"{SLEEP}\n\n\n\n", f"{SLEEP}\n\n\n\n{cache}", "") == []


LISTENS = "process.on('warning', note);\nassert.deepEqual(warnings, []);\n"


@pytest.mark.parametrize(
    "line",
    [
        "source.setMaxListeners(0);",
        "source.setMaxListeners(Infinity);",
        "EventEmitter.defaultMaxListeners = 0;",
    ],
)
def test_a_limit_without_which_nothing_warns_is_named(line: str) -> None:
    assert found("src/feed.js", "let a;\n", f"let a;\n{line}\n", LISTENS) == [
        ("warning-silenced", 2)
    ]
    assert found("src/feed.js", "let a;\n", f"let a;\n{line}\n", "assert.ok(feed);\n") == []


def test_a_limit_may_be_raised() -> None:
    for line in ("source.setMaxListeners(50);", "if (source.getMaxListeners() === 0) return;"):
        assert found("src/feed.js", "let a;\n", f"let a;\n{line}\n", LISTENS) == []
