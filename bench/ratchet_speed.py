"""Time the ratchet on 200 changed test files of 8 tests each, made for the purpose."""

from __future__ import annotations

import time
from collections.abc import Callable

from loopwright import ratchet
from loopwright.repo.baseline import Change

FILES, TESTS = 200, 8
Write = Callable[[int, int, int], str]  # number of the file, of the test, of the version


def go_test(file: int, test: int, version: int) -> str:
    key = file * TESTS + test
    return (
        f"func TestOrder{test}(t *testing.T) {{\n"
        f'\tcart := NewCart("customer {key}", {version})\n'
        f'\tcart.Add("article {key}", {test + 1}, {key + version})\n'
        f"\tif cart.Total() != {key * 3 + version} {{\n"
        f'\t\tt.Errorf("total of %d", cart.Total())\n\t}}\n'
        f'\tassert.Equal(t, "customer {key}", cart.Owner())\n'
        f'\tassert.Len(t, cart.Lines("open", {key + version}), {test + 1})\n}}\n\n'
    )


def script_test(file: int, test: int, version: int) -> str:
    key = file * TESTS + test
    return (
        f"  it('makes an order, part {test}', () => {{\n"
        f"    const cart = new Cart('customer {key}', {version})\n"
        f"    cart.add('article {key}', {test + 1}, {key + version})\n"
        f"    expect(cart.total({version})).toBe({key * 3 + version})\n"
        f"    expect(cart.owner()).toEqual('customer {key}')\n"
        f"    expect(cart.lines('open', {key + version})).toHaveLength({test + 1})\n  }})\n\n"
    )


LANGUAGES: dict[str, tuple[str, str, str, Write]] = {
    "Go": ("pkg/{}/cart_test.go", "package cart\n\n", "", go_test),
    "JavaScript": (
        "test/cart{}.test.js",
        "const { Cart } = require('../src/cart')\n\ndescribe('cart', () => {\n",
        "})\n",
        script_test,
    ),
}


def print_speed_table() -> None:
    print("| 200 changed files | seconds |")
    print("|---|--:|")
    for language, (path, head, end, write) in LANGUAGES.items():

        def text(file: int, versions: list[int], head=head, end=end, write=write) -> str:
            tests = [write(file, test, version) for test, version in enumerate(versions)]
            return head + "".join(tests) + end

        old = [0] * TESTS
        one, every = [1, *old[1:]], [1] * TESTS
        names = [path.format(file) for file in range(FILES)]
        renamed = [path.format(f"other{file}") for file in range(FILES)]
        before = [text(file, old) for file in range(FILES)]
        cases = {
            "one changed test in each": _changed(names, before, text, one),
            "every test changed": _changed(names, before, text, every),
            "renamed, every test changed": [
                *(Change(name, was, None) for name, was in zip(names, before, strict=True)),
                *(Change(name, None, text(file, every)) for file, name in enumerate(renamed)),
            ],
        }
        for case, changes in cases.items():
            begin = time.process_time()
            ratchet.findings(changes, ())
            print(f"| {language}, {case} | {time.process_time() - begin:.1f} |", flush=True)


def _changed(names: list[str], before: list[str], text, versions: list[int]) -> list[Change]:
    return [
        Change(name, was, text(file, versions))
        for file, (name, was) in enumerate(zip(names, before, strict=True))
    ]
