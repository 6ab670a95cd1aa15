"""The same small feature in node, Go and shell, tested well and hardly at all."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.strength.measured import measure

NODE_START = {
    "package.json": '{"name": "cart", "scripts": {"test": "node --test test/"}}\n',
    "lib/cart.js": "function total(prices) {\n  return prices.reduce((a, b) => a + b, 0);\n}\nmodule.exports = { total };\n",
    "test/cart.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst { total } = require('../lib/cart');\ntest('total', () => assert.strictEqual(total([1, 2]), 3));\n",
}
NODE_WORK = """\
function total(prices, coupon) {
  let sum = prices.reduce((a, b) => a + b, 0);
  if (coupon) {
    sum = reduced(sum, coupon);
  }
  return sum;
}

function reduced(sum, coupon) {
  if (coupon === 'HALF' && sum >= 100) {
    return sum / 2;
  }
  if (coupon === 'TEN') {
    return Math.max(0, sum - 10);
  }
  throw new Error('unknown coupon');
}
module.exports = { total };
"""
NODE_TESTS = """\
test('half', () => assert.strictEqual(total([100], 'HALF'), 50));
test('small', () => assert.throws(() => total([99], 'HALF')));
test('ten', () => assert.deepStrictEqual([total([15], 'TEN'), total([5], 'TEN')], [5, 0]));
"""
GO_START = {
    "go.mod": "module example.com/cart\n\ngo 1.19\n",
    "cart.go": "package cart\n\nfunc Total(prices []int) int {\n\tsum := 0\n\tfor _, p := range prices {\n\t\tsum += p\n\t}\n\treturn sum\n}\n",
    "cart_test.go": 'package cart\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n\tif Total([]int{1, 2}) != 3 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
}
GO_WORK = """\
package cart

func Total(prices []int) int {
	sum := 0
	for _, p := range prices {
		sum += p
	}
	return sum
}

func Reduced(sum int, coupon string) int {
	if coupon == "HALF" && sum >= 100 {
		return sum / 2
	}
	if coupon == "TEN" {
		return sum - 10
	}
	return sum
}
"""
GO_TESTS = """\
package cart

import "testing"

func TestReduced(t *testing.T) {
	for _, row := range []struct {
		sum, want int
		coupon    string
	}{{100, 50, "HALF"}, {99, 99, "HALF"}, {15, 5, "TEN"}, {7, 7, ""}} {
		if got := Reduced(row.sum, row.coupon); got != row.want {
			t.Fatal(row, got)
		}
	}
}
"""
GO_FEW = 'package cart\n\nimport "testing"\n\nfunc TestReduced(t *testing.T) {\n\tReduced(100, "HALF")\n}\n'
SHELL_START = {
    "slug.sh": '#!/bin/sh\nprintf "%s\\n" "$1"\n',
    "test.sh": '#!/bin/sh\n[ "$(sh slug.sh abc)" = abc ] || exit 1\n',
}
SHELL_WORK = """\
#!/bin/sh
limit=${2:-5}
if [ -z "$1" ]; then
  echo "nothing to do" >&2
  exit 2
fi
word=$(printf "%s" "$1" | tr 'A-Z ' 'a-z-')
if [ "${#word}" -gt "$limit" ]; then
  word=$(printf "%s" "$word" | cut -c "1-$limit")
fi
printf "%s\\n" "$word"
"""
SHELL_TESTS = """\
#!/bin/sh
[ "$(sh slug.sh abc)" = abc ] || exit 1
[ "$(sh slug.sh 'A bC')" = a-bc ] || exit 1
[ "$(sh slug.sh abcdefg)" = abcde ] || exit 1
[ "$(sh slug.sh abcde)" = abcde ] || exit 1
[ "$(sh slug.sh abcd 2)" = ab ] || exit 1
sh slug.sh "" 2>/dev/null && exit 1
[ $(sh slug.sh "" 2>&1 | wc -c) -gt 0 ] || exit 1
"""
ROWS = {
    "node": (
        NODE_START,
        "lib/cart.js",
        NODE_WORK,
        "test/cart.test.js",
        NODE_START["test/cart.test.js"] + NODE_TESTS,
        "",
        "npm test --silent",
    ),
    "go": (GO_START, "cart.go", GO_WORK, "reduced_test.go", GO_TESTS, GO_FEW, "go test ./..."),
    "sh": (SHELL_START, "slug.sh", SHELL_WORK, "test.sh", SHELL_TESTS, "", "sh test.sh"),
}


SLOW = {"node": pytest.mark.long}  # V8 needs three times the time of Go for its coverage


@pytest.mark.parametrize(
    "language", [pytest.param(name, marks=SLOW.get(name, ())) for name in ROWS]
)
def test_thin_and_thorough_work_are_told_apart(tmp_path: Path, language: str) -> None:
    if not shutil.which(language):
        pytest.skip(f"{language} is not installed")
    start, path, work, test, thorough, few, command = ROWS[language]

    well_tested = measure(tmp_path / "a", start, {path: work, test: thorough}, command)
    thin = measure(tmp_path / "b", start, {path: work, **({test: few} if few else {})}, command)

    assert not well_tested.is_thin, well_tested
    assert len(well_tested.judged) >= 4
    assert thin.is_thin, thin


def test_lines_of_node_are_known_with_letters_of_more_units(tmp_path: Path) -> None:
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    work = "// 😀😀😀😀😀😀\nfunction total(prices) {\n  if (prices.length > 9) {\n    return '😀';\n  }\n  return prices.reduce((a, b) => a + b, 0);\n}\nmodule.exports = { total };\n"

    strength = measure(tmp_path, NODE_START, {"lib/cart.js": work}, "node --test test/")

    lines = [item.line for item in strength.weak_items if item.kind == "line"]
    assert lines == [4]


def test_a_part_without_which_nothing_compiles_is_inconclusive(tmp_path: Path) -> None:
    if not shutil.which("go"):
        pytest.skip("go is not installed")
    work = GO_WORK.replace("Total(prices []int)", "Total(prices []int, first int)")
    test = GO_START["cart_test.go"].replace("2})", "2}, 0)")
    work = work.replace("sum := 0", "sum := first")

    strength = measure(
        tmp_path,
        GO_START,
        {"cart.go": work, "cart_test.go": test, "reduced_test.go": GO_TESTS},
        "go test ./...",
    )

    (part,) = [item for item in strength.items if "`Total` as it was" in item.taken]
    assert (part.result, part.reason) == ("inconclusive", "does not compile or import")
    assert part not in strength.judged
