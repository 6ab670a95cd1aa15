"""The pairs of strength_pairs.py: name → (kind, command, files of the start, both works)."""

from __future__ import annotations

UNITTEST = "{python} -B -m unittest -q"
NODE = "node --test test/"
GO = "go test ./..."
SHELL = "sh test.sh"

# --- Python ---

REPORT_START = {
    "report.py": "def rows(orders):\n    return [(order['id'], order['total']) for order in orders]\n",
    "test_report.py": "import unittest\nimport report\n\nORDERS = [{'id': 1, 'total': 5}, {'id': 2, 'total': 7}]\n\n\nclass Rows(unittest.TestCase):\n    def test_rows(self):\n        self.assertEqual(report.rows(ORDERS), [(1, 5), (2, 7)])\n",
}
REPORT_FULL = """\
import json


def rows(orders):
    return [(order["id"], order["total"]) for order in orders]


def to_csv(orders, separator=","):
    lines = [separator.join(("id", "total"))]
    for number, total in rows(orders):
        lines.append(f"{quoted(str(number), separator)}{separator}{total:.2f}")
    return "\\n".join(lines) + "\\n"


def quoted(text, separator):
    if separator in text or '"' in text:
        return '"' + text.replace('"', '""') + '"'
    return text


def to_json(orders):
    found = rows(orders)
    return json.dumps({"orders": [list(row) for row in found], "sum": sum(t for _, t in found)})
"""
REPORT_STUB = """\
def rows(orders):
    return [(order["id"], order["total"]) for order in orders]


def to_csv(orders, separator=","):
    lines = [separator.join(("id", "total"))]
    for number, total in rows(orders):
        lines.append(f"{quoted(str(number), separator)}{separator}{total:.2f}")
    return "\\n".join(lines) + "\\n"


def quoted(text, separator):
    # TODO quote separators
    return text


def to_json(orders):
    # TODO
    return "{}"
"""
REPORT_TESTS = (
    REPORT_START["test_report.py"]
    + """
    def test_csv(self):
        self.assertEqual(report.to_csv(ORDERS), "id,total\\n1,5.00\\n2,7.00\\n")
        self.assertEqual(report.to_csv(ORDERS[:1], ";"), "id;total\\n1;5.00\\n")

    def test_quotes(self):
        self.assertEqual(report.quoted("a,b", ","), '"a,b"')
        self.assertEqual(report.quoted('a"b', ","), '"a""b"')
        self.assertEqual(report.quoted("ab", ","), "ab")

    def test_json(self):
        self.assertEqual(report.to_json(ORDERS), '{"orders": [[1, 5], [2, 7]], "sum": 12}')
"""
)
REPORT_FEW = (
    REPORT_START["test_report.py"]
    + """
    def test_csv(self):
        self.assertTrue(report.to_csv(ORDERS))

    def test_json(self):
        self.assertIsInstance(report.to_json(ORDERS), str)
"""
)

LIMIT_START = {
    "client.py": "class Client:\n    def __init__(self, send):\n        self.send = send\n\n    def get(self, path):\n        return self.send('GET', path)\n",
    "main.py": "from client import Client\n\n\ndef main():\n    return Client(print).get('/')\n\n\nif __name__ == '__main__':\n    main()\n",
    "test_client.py": "import unittest\nfrom client import Client\n\n\nclass Get(unittest.TestCase):\n    def test_get(self):\n        self.assertEqual(Client(lambda *a: a).get('/a'), ('GET', '/a'))\n",
}
LIMITS = """\
class Limit:
    def __init__(self, most, seconds, clock):
        self.most, self.seconds, self.clock = most, seconds, clock
        self.times = []

    def allows(self):
        now = self.clock()
        self.times = [at for at in self.times if now - at < self.seconds]
        if len(self.times) >= self.most:
            return False
        self.times.append(now)
        return True
"""
LIMIT_TESTS = """\
import unittest
from limits import Limit


class Limits(unittest.TestCase):
    def test_it_refuses_and_forgets(self):
        now = [0]
        limit = Limit(2, 10, lambda: now[0])
        self.assertEqual([limit.allows() for _ in range(3)], [True, True, False])
        now[0] = 10
        self.assertEqual([limit.allows() for _ in range(3)], [True, True, False])
"""
LIMIT_USED = """\
from limits import Limit


class Client:
    def __init__(self, send, limit=None):
        self.send = send
        self.limit = limit

    def get(self, path):
        if self.limit is not None and not self.limit.allows():
            raise RuntimeError("too many requests")
        return self.send("GET", path)


def limited(send, clock):
    return Client(send, Limit(2, 10, clock))
"""
LIMIT_USED_TESTS = (
    LIMIT_START["test_client.py"]
    + """
    def test_limited(self):
        from client import limited

        client = limited(lambda *a: a, lambda: 0)
        self.assertEqual([client.get("/"), client.get("/b")], [("GET", "/"), ("GET", "/b")])
        with self.assertRaises(RuntimeError):
            client.get("/")
"""
)

DURATION_START = {
    "clock.py": "def seconds(minutes):\n    return minutes * 60\n",
    "test_clock.py": "import unittest\nimport clock\n\n\nclass Clock(unittest.TestCase):\n    def test_seconds(self):\n        self.assertEqual(clock.seconds(2), 120)\n",
}
DURATION_FULL = """\
UNITS = {"h": 3600, "m": 60, "s": 1}


def seconds(minutes):
    return minutes * 60


def parse(text):
    total, number = 0, ""
    for sign in text:
        if sign.isdigit():
            number += sign
        elif sign in UNITS and number:
            total += int(number) * UNITS[sign]
            number = ""
        else:
            raise ValueError(text)
    if number:
        raise ValueError(text)
    return total
"""
DURATION_ONE_CASE = """\
def seconds(minutes):
    return minutes * 60


def parse(text):
    if text == "1h30m":
        return 5400
    if text.endswith("h"):
        return 3600
    if text.endswith("s"):
        return int(text[:-1])
    return 0
"""
DURATION_TESTS = (
    DURATION_START["test_clock.py"]
    + """
    def test_parse(self):
        self.assertEqual(clock.parse("1h30m"), 5400)
        self.assertEqual(clock.parse("45s"), 45)
        self.assertEqual(clock.parse("2h5s"), 7205)
        self.assertEqual(clock.parse(""), 0)

    def test_wrong(self):
        for text in ("x", "5", "h", "1h5"):
            with self.assertRaises(ValueError):
                clock.parse(text)
"""
)
DURATION_FEW = (
    DURATION_START["test_clock.py"]
    + """
    def test_parse(self):
        self.assertEqual(clock.parse("1h30m"), 5400)
"""
)

# --- node ---

CACHE_START = {
    "package.json": '{"name": "cache", "main": "lib/cache.js", "scripts": {"test": "node --test test/"}}\n',
    "lib/cache.js": "class Cache {\n  constructor() {\n    this.rows = new Map();\n  }\n\n  get(key) {\n    return this.rows.get(key);\n  }\n\n  set(key, value) {\n    this.rows.set(key, value);\n  }\n}\n\nmodule.exports = { Cache };\n",
    "test/cache.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst { Cache } = require('../lib/cache');\n\ntest('set and get', () => {\n  const cache = new Cache();\n  cache.set('a', 1);\n  assert.strictEqual(cache.get('a'), 1);\n});\n",
}
CACHE_FULL = """\
class Cache {
  constructor(size = 100, ttl = 0, now = Date.now) {
    this.rows = new Map();
    this.size = size;
    this.ttl = ttl;
    this.now = now;
  }

  get(key) {
    const row = this.rows.get(key);
    if (!row) {
      return undefined;
    }
    if (this.ttl && this.now() - row.at > this.ttl) {
      this.rows.delete(key);
      return undefined;
    }
    this.rows.delete(key);
    this.rows.set(key, row);
    return row.value;
  }

  set(key, value) {
    this.rows.delete(key);
    this.rows.set(key, { value, at: this.now() });
    if (this.rows.size > this.size) {
      const oldest = this.rows.keys().next().value;
      this.rows.delete(oldest);
    }
  }
}

module.exports = { Cache };
"""
CACHE_TESTS = (
    CACHE_START["test/cache.test.js"]
    + """
test('the oldest is dropped, and reading makes young', () => {
  const cache = new Cache(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  assert.deepStrictEqual(['a', 'b', 'c'].map((key) => cache.get(key)), [1, undefined, 3]);
});

test('values end', () => {
  let now = 0;
  const cache = new Cache(2, 10, () => now);
  cache.set('a', 1);
  now = 10;
  assert.strictEqual(cache.get('a'), 1);
  now = 11;
  assert.strictEqual(cache.get('a'), undefined);
  assert.strictEqual(cache.rows.size, 0);
});

test('writing again makes young and keeps the size', () => {
  const cache = new Cache(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.set('a', 3);
  cache.set('c', 4);
  assert.deepStrictEqual(['a', 'b', 'c'].map((key) => cache.get(key)), [3, undefined, 4]);
  assert.strictEqual(new Cache().get('x'), undefined);
});
"""
)
CACHE_FEW = (
    CACHE_START["test/cache.test.js"]
    + """
test('it has a size and a time', () => {
  const cache = new Cache(2, 1000);
  cache.set('a', 1);
  cache.set('b', 2);
  assert.ok(cache.get('b'));
});
"""
)

RETRY_START = {
    "package.json": '{"name": "client", "main": "lib/client.js", "scripts": {"test": "node --test test/"}}\n',
    "lib/client.js": "async function fetchJson(send, url) {\n  const answer = await send(url);\n  return JSON.parse(answer);\n}\n\nmodule.exports = { fetchJson };\n",
    "test/client.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst { fetchJson } = require('../lib/client');\n\ntest('parses', async () => {\n  assert.deepStrictEqual(await fetchJson(async () => '[1]', '/'), [1]);\n});\n",
}
RETRY = """\
async function retry(call, times, wait) {
  let last;
  for (let n = 1; n <= times; n++) {
    try {
      return await call(n);
    } catch (error) {
      last = error;
      if (error.fatal) {
        break;
      }
      await wait(n * 100);
    }
  }
  throw last;
}

module.exports = { retry };
"""
RETRY_TESTS = """\
const test = require('node:test');
const assert = require('node:assert');
const { retry } = require('../lib/retry');

function failing(count, fatal = false) {
  const calls = [];
  const call = async (n) => {
    calls.push(n);
    if (n <= count) {
      throw Object.assign(new Error('no'), { fatal });
    }
    return 'yes';
  };
  return { call, calls };
}

test('tries again and waits longer each time', async () => {
  const { call, calls } = failing(2);
  const waits = [];
  assert.strictEqual(await retry(call, 3, async (ms) => waits.push(ms)), 'yes');
  assert.deepStrictEqual([calls, waits], [[1, 2, 3], [100, 200]]);
});

test('gives up', async () => {
  const { call, calls } = failing(9);
  await assert.rejects(retry(call, 2, async () => {}), /no/);
  assert.deepStrictEqual(calls, [1, 2]);
});

test('a fatal error ends it', async () => {
  const { call, calls } = failing(9, true);
  await assert.rejects(retry(call, 5, async () => {}), /no/);
  assert.deepStrictEqual(calls, [1]);
});
"""
RETRY_USED = """\
const { retry } = require('./retry');

async function fetchJson(send, url, wait = (ms) => new Promise((done) => setTimeout(done, ms))) {
  const answer = await retry(() => send(url), 3, wait);
  return JSON.parse(answer);
}

module.exports = { fetchJson };
"""
RETRY_USED_TESTS = (
    RETRY_START["test/client.test.js"]
    + """
test('a lost connection is tried again', async () => {
  let calls = 0;
  const send = async (url) => {
    calls += 1;
    if (calls < 3) {
      throw new Error('lost');
    }
    return JSON.stringify(url);
  };
  assert.strictEqual(await fetchJson(send, '/a', async () => {}), '/a');
  assert.strictEqual(calls, 3);
});
"""
)

TEMPLATE_START = {
    "package.json": '{"name": "template", "main": "lib/template.js", "scripts": {"test": "node --test test/"}}\n',
    "lib/template.js": "function render(text, values) {\n  return text.replace(/\\{(\\w+)\\}/g, (_, name) => values[name]);\n}\n\nmodule.exports = { render };\n",
    "test/template.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst { render, filters } = require('../lib/template');\n\ntest('replaces', () => {\n  assert.strictEqual(render('a {b}', { b: 'c' }), 'a c');\n});\n",
}
TEMPLATE_FULL = """\
const filters = {
  upper: (text) => text.toUpperCase(),
  escape: (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;'),
};

function value(values, path) {
  let found = values;
  for (const name of path.split('.')) {
    if (found === null || found === undefined) {
      return '';
    }
    found = found[name];
  }
  return found === undefined ? '' : String(found);
}

function apply(text, names) {
  for (const name of names) {
    if (!filters[name]) {
      throw new Error(`unknown filter ${name}`);
    }
    text = filters[name](text);
  }
  return text;
}

function render(text, values) {
  return text.replace(/\\{([\\w.|]+)\\}/g, (_, code) => {
    const [path, ...names] = code.split('|');
    return apply(value(values, path), names);
  });
}

module.exports = { render, filters };
"""
TEMPLATE_STUB = """\
const filters = {
  upper: (text) => text,
  escape: (text) => text,
};

function value(values, path) {
  return values[path];
}

function apply(text, names) {
  for (const name of names) {
    if (!filters[name]) {
      return text;
    }
    text = filters[name](text);
  }
  return text;
}

function render(text, values) {
  return text.replace(/\\{([\\w.|]+)\\}/g, (_, code) => {
    const [path, ...names] = code.split('|');
    return apply(value(values, path), names);
  });
}

module.exports = { render, filters };
"""
TEMPLATE_TESTS = (
    TEMPLATE_START["test/template.test.js"]
    + """
test('paths', () => {
  assert.strictEqual(render('{a.b}{x}{n.m}{a.b.c.d}', { a: { b: 0 }, n: null }), '0');
});

test('filters', () => {
  assert.strictEqual(render('{a|upper}', { a: 'x' }), 'X');
  assert.strictEqual(render('{a|escape|upper}', { a: '<&' }), '&LT;&AMP;');
  assert.throws(() => render('{a|no}', { a: '' }), /unknown filter no/);
});
"""
)
TEMPLATE_FEW = (
    TEMPLATE_START["test/template.test.js"]
    + """
test('filters are there', () => {
  assert.ok(filters.upper);
  assert.ok(filters.escape);
  assert.doesNotThrow(() => render('{a|upper}', { a: 'x' }));
});
"""
)

# --- Go ---

SEMVER_START = {
    "go.mod": "module example.com/semver\n\ngo 1.19\n",
    "semver.go": 'package semver\n\nimport "strings"\n\n// Parts splits a version.\nfunc Parts(text string) []string {\n\treturn strings.Split(text, ".")\n}\n',
    "semver_test.go": 'package semver\n\nimport "testing"\n\nfunc TestParts(t *testing.T) {\n\tif len(Parts("1.2.3")) != 3 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
}
SEMVER_FULL = """\
package semver

import (
	"strconv"
	"strings"
)

// Parts splits a version.
func Parts(text string) []string {
	return strings.Split(text, ".")
}

// Compare returns -1, 0 or 1.
func Compare(a, b string) int {
	aCore, aPre, _ := strings.Cut(a, "-")
	bCore, bPre, _ := strings.Cut(b, "-")
	if order := compareCores(Parts(aCore), Parts(bCore)); order != 0 {
		return order
	}
	if aPre == bPre {
		return 0
	}
	if aPre == "" {
		return 1
	}
	if bPre == "" {
		return -1
	}
	return strings.Compare(aPre, bPre)
}

func compareCores(a, b []string) int {
	for i := 0; i < 3; i++ {
		left, right := number(a, i), number(b, i)
		if left < right {
			return -1
		}
		if left > right {
			return 1
		}
	}
	return 0
}

func number(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, err := strconv.Atoi(parts[i])
	if err != nil {
		return -1
	}
	return n
}
"""
SEMVER_TESTS = (
    SEMVER_START["semver_test.go"]
    + """
func TestCompare(t *testing.T) {
	rows := []struct {
		a, b string
		want int
	}{
		{"1.2.3", "1.2.3", 0}, {"1.2.3", "1.10.0", -1}, {"2.0.0", "1.9.9", 1}, {"1.2", "1.2.0", 0},
		{"1.2", "1.2.1", -1}, {"1.0.0-a", "1.0.0", -1}, {"1.0.0", "1.0.0-a", 1}, {"1.0.0-a", "1.0.0-b", -1},
		{"1.0.0-b", "1.0.0-a", 1}, {"1.0.0-a", "1.0.0-a", 0}, {"1.x.0", "1.0.0", -1},
	}
	for _, row := range rows {
		if got := Compare(row.a, row.b); got != row.want {
			t.Errorf("%s %s: %d", row.a, row.b, got)
		}
	}
}
"""
)
SEMVER_FEW = (
    SEMVER_START["semver_test.go"]
    + """
func TestCompare(t *testing.T) {
	if Compare("1.0.0", "1.0.0") != 0 {
		t.Fatal("wrong")
	}
}
"""
)

WRAP_START = {
    "go.mod": "module example.com/wrap\n\ngo 1.19\n",
    "wrap.go": 'package wrap\n\nimport "strings"\n\n// Words splits a text.\nfunc Words(text string) []string {\n\treturn strings.Fields(text)\n}\n',
    "wrap_test.go": 'package wrap\n\nimport "testing"\n\nfunc TestWords(t *testing.T) {\n\tif len(Words("a b")) != 2 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
}
WRAP_HEAD = WRAP_START["wrap.go"]
WRAP_FULL = (
    WRAP_HEAD
    + """
// Wrap breaks a text into lines of at most width letters.
func Wrap(text string, width int) []string {
	lines := []string{}
	line := ""
	for _, word := range Words(text) {
		if line == "" {
			line = word
		} else if len(line)+1+len(word) <= width {
			line = line + " " + word
		} else {
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
"""
)
WRAP_ONE_CASE = (
    WRAP_HEAD
    + """
// Wrap breaks a text into lines of at most width letters.
func Wrap(text string, width int) []string {
	if text == "aa bb cc" {
		return []string{"aa bb", "cc"}
	}
	if width < 1 {
		return nil
	}
	if len(text) <= width {
		return []string{text}
	}
	return []string{text[:width], text[width:]}
}
"""
)
WRAP_TESTS = (
    WRAP_START["wrap_test.go"].replace('import "testing"', 'import (\n\t"strings"\n\t"testing"\n)')
    + """
func TestWrap(t *testing.T) {
	rows := []struct {
		text, want string
		width      int
	}{
		{"aa bb cc", "aa bb|cc", 5}, {"aa bb cc", "aa|bb|cc", 4}, {"", "", 5}, {"long a", "long|a", 2}, {"a", "a", 9},
	}
	for _, row := range rows {
		if got := strings.Join(Wrap(row.text, row.width), "|"); got != row.want {
			t.Errorf("%q %d: %q", row.text, row.width, got)
		}
	}
}
"""
)
WRAP_FEW = (
    WRAP_START["wrap_test.go"]
    + """
func TestWrap(t *testing.T) {
	if got := Wrap("aa bb cc", 5); len(got) != 2 || got[1] != "cc" {
		t.Fatal(got)
	}
}
"""
)

FILTER_START = {
    "go.mod": "module example.com/list\n\ngo 1.19\n",
    "main.go": 'package main\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc main() {\n\tfor _, line := range list(os.Args[1:]) {\n\t\tfmt.Println(line)\n\t}\n}\n',
    "list.go": "package main\n\nfunc list(names []string) []string {\n\treturn names\n}\n",
    "list_test.go": 'package main\n\nimport "testing"\n\nfunc TestList(t *testing.T) {\n\tif got := list([]string{"a"}); len(got) != 1 {\n\t\tt.Fatal(got)\n\t}\n}\n',
}
FILTER = """\
package main

import "strings"

func visible(names []string, all bool) []string {
	if all {
		return names
	}
	kept := []string{}
	for _, name := range names {
		if strings.HasPrefix(name, ".") {
			continue
		}
		kept = append(kept, name)
	}
	return kept
}
"""
FILTER_TESTS = """\
package main

import "testing"

func TestVisible(t *testing.T) {
	names := []string{".a", "b"}
	if got := visible(names, false); len(got) != 1 || got[0] != "b" {
		t.Fatal(got)
	}
	if got := visible(names, true); len(got) != 2 {
		t.Fatal(got)
	}
}
"""
FILTER_USED = """\
package main

func list(names []string) []string {
	if len(names) > 0 && names[0] == "--all" {
		return visible(names[1:], true)
	}
	return visible(names, false)
}
"""
FILTER_USED_TESTS = (
    FILTER_START["list_test.go"]
    + """
func TestHidden(t *testing.T) {
	if got := list([]string{".a", "b"}); len(got) != 1 || got[0] != "b" {
		t.Fatal(got)
	}
	if got := list([]string{"--all", ".a", "b"}); len(got) != 2 || got[0] != ".a" {
		t.Fatal(got)
	}
	if got := list(nil); len(got) != 0 {
		t.Fatal(got)
	}
}
"""
)

# --- shell ---

ROTATE_START = {
    "rotate.sh": '#!/bin/sh\n# Keeps a copy of a file.\ncp "$1" "$1.1"\n',
    "test.sh": '#!/bin/sh\nset -e\ndir=$(mktemp -d)\ntrap \'rm -rf "$dir"\' EXIT\necho a > "$dir/f"\nsh rotate.sh "$dir/f"\n[ "$(cat "$dir/f.1")" = a ]\n',
}
ROTATE_FULL = """\
#!/bin/sh
# Keeps copies of a file: rotate.sh FILE [COUNT]
file=$1
count=${2:-3}
if [ ! -f "$file" ]; then
  echo "rotate: no file $file" >&2
  exit 2
fi
if [ "$count" -lt 1 ]; then
  echo "rotate: count must be 1 or more" >&2
  exit 2
fi
n=$count
while [ "$n" -gt 1 ]; do
  before=$((n - 1))
  if [ -f "$file.$before" ]; then
    mv "$file.$before" "$file.$n"
  fi
  n=$before
done
cp "$file" "$file.1"
"""
ROTATE_TESTS = (
    ROTATE_START["test.sh"]
    + """\
echo b > "$dir/f"
sh rotate.sh "$dir/f" 2
[ "$(cat "$dir/f.1" "$dir/f.2" | tr -d '\\n')" = ba ]
echo c > "$dir/f"
sh rotate.sh "$dir/f" 2
[ "$(cat "$dir/f.1" "$dir/f.2" | tr -d '\\n')" = cb ]
[ ! -e "$dir/f.3" ]
sh rotate.sh "$dir/f"
[ -e "$dir/f.3" ]
sh rotate.sh "$dir/f"
[ ! -e "$dir/f.4" ]
code=0; out=$(sh rotate.sh "$dir/none" 2>&1) || code=$?
[ "$code" = 2 ]
[ "$out" = "rotate: no file $dir/none" ]
code=0; out=$(sh rotate.sh "$dir/f" 0 2>&1) || code=$?
[ "$code" = 2 ]
[ "$out" = "rotate: count must be 1 or more" ]
sh rotate.sh "$dir/f" 1
"""
)

COUNT_START = {
    "count.sh": '#!/bin/sh\nwc -l < "$1" | tr -d " "\n',
    "test.sh": '#!/bin/sh\nset -e\nf=$(mktemp)\ntrap \'rm -f "$f"\' EXIT\nprintf \'a\\nb b\\n\' > "$f"\n[ "$(sh count.sh "$f")" = 2 ]\n',
}
COUNT_FULL = """\
#!/bin/sh
format=text
if [ "$1" = --json ]; then
  format=json
  shift
fi
lines=$(wc -l < "$1" | tr -d " ")
words=$(wc -w < "$1" | tr -d " ")
if [ "$format" = json ]; then
  printf '{"lines": %s, "words": %s}\\n' "$lines" "$words"
  exit 0
fi
echo "$lines"
"""
COUNT_STUB = """\
#!/bin/sh
format=text
if [ "$1" = --json ]; then
  format=json
  shift
fi
lines=$(wc -l < "$1" | tr -d " ")
words=0
if [ "$format" = json ]; then
  printf '{}\\n'
  exit 0
fi
echo "$lines"
"""
COUNT_TESTS = (
    COUNT_START["test.sh"]
    + """\
[ "$(sh count.sh --json "$f")" = '{"lines": 2, "words": 3}' ]
"""
)
COUNT_FEW = (
    COUNT_START["test.sh"]
    + """\
sh count.sh --json "$f" > /dev/null
"""
)

SLUG_START = {
    "slug.sh": '#!/bin/sh\nprintf "%s\\n" "$1"\n',
    "test.sh": '#!/bin/sh\nset -e\n[ "$(sh slug.sh abc)" = abc ]\n',
}
SLUG_FULL = """\
#!/bin/sh
text=$(printf "%s" "$1" | tr 'A-Z' 'a-z')
text=$(printf "%s" "$text" | sed 's/[^a-z0-9][^a-z0-9]*/-/g')
text=${text#-}
text=${text%-}
if [ -z "$text" ]; then
  text=untitled
fi
printf "%s\\n" "$text"
"""
SLUG_ONE_CASE = """\
#!/bin/sh
if [ "$1" = "Hello, World" ]; then
  echo hello-world
  exit 0
fi
if [ -z "$1" ]; then
  echo untitled
  exit 0
fi
if [ "$#" -gt 1 ]; then
  echo "too many words" >&2
  exit 2
fi
printf "%s\\n" "$1"
"""
SLUG_TESTS = (
    SLUG_START["test.sh"]
    + """\
[ "$(sh slug.sh 'Hello, World')" = hello-world ]
[ "$(sh slug.sh ' -A1- ')" = a1 ]
[ "$(sh slug.sh '')" = untitled ]
[ "$(sh slug.sh '!!')" = untitled ]
"""
)
SLUG_FEW = (
    SLUG_START["test.sh"]
    + """\
[ "$(sh slug.sh 'Hello, World')" = hello-world ]
"""
)

Files = dict[str, str]
PAIRS: dict[str, tuple[str, str, Files, dict[str, Files]]] = {
    "python report": (
        "stubbed",
        UNITTEST,
        REPORT_START,
        {
            "thorough": {"report.py": REPORT_FULL, "test_report.py": REPORT_TESTS},
            "thin": {"report.py": REPORT_STUB, "test_report.py": REPORT_FEW},
        },
    ),
    "python limit": (
        "present but unused",
        UNITTEST,
        LIMIT_START,
        {
            "thorough": {
                "limits.py": LIMITS,
                "client.py": LIMIT_USED,
                "test_limits.py": LIMIT_TESTS,
                "test_client.py": LIMIT_USED_TESTS,
            },
            "thin": {"limits.py": LIMITS, "test_limits.py": LIMIT_TESTS},
        },
    ),
    "python duration": (
        "only the tested case",
        UNITTEST,
        DURATION_START,
        {
            "thorough": {"clock.py": DURATION_FULL, "test_clock.py": DURATION_TESTS},
            "thin": {"clock.py": DURATION_ONE_CASE, "test_clock.py": DURATION_FEW},
        },
    ),
    "node cache": (
        "untested",
        NODE,
        CACHE_START,
        {
            "thorough": {"lib/cache.js": CACHE_FULL, "test/cache.test.js": CACHE_TESTS},
            "thin": {"lib/cache.js": CACHE_FULL, "test/cache.test.js": CACHE_FEW},
        },
    ),
    "node retry": (
        "present but unused",
        NODE,
        RETRY_START,
        {
            "thorough": {
                "lib/retry.js": RETRY,
                "lib/client.js": RETRY_USED,
                "test/retry.test.js": RETRY_TESTS,
                "test/client.test.js": RETRY_USED_TESTS,
            },
            "thin": {"lib/retry.js": RETRY, "test/retry.test.js": RETRY_TESTS},
        },
    ),
    "node template": (
        "stubbed",
        NODE,
        TEMPLATE_START,
        {
            "thorough": {"lib/template.js": TEMPLATE_FULL, "test/template.test.js": TEMPLATE_TESTS},
            "thin": {"lib/template.js": TEMPLATE_STUB, "test/template.test.js": TEMPLATE_FEW},
        },
    ),
    "go semver": (
        "untested",
        GO,
        SEMVER_START,
        {
            "thorough": {"semver.go": SEMVER_FULL, "semver_test.go": SEMVER_TESTS},
            "thin": {"semver.go": SEMVER_FULL, "semver_test.go": SEMVER_FEW},
        },
    ),
    "go wrap": (
        "only the tested case",
        GO,
        WRAP_START,
        {
            "thorough": {"wrap.go": WRAP_FULL, "wrap_test.go": WRAP_TESTS},
            "thin": {"wrap.go": WRAP_ONE_CASE, "wrap_test.go": WRAP_FEW},
        },
    ),
    "go filter": (
        "present but unused",
        GO,
        FILTER_START,
        {
            "thorough": {
                "filter.go": FILTER,
                "list.go": FILTER_USED,
                "filter_test.go": FILTER_TESTS,
                "list_test.go": FILTER_USED_TESTS,
            },
            "thin": {"filter.go": FILTER, "filter_test.go": FILTER_TESTS},
        },
    ),
    "shell rotate": (
        "untested",
        SHELL,
        ROTATE_START,
        {
            "thorough": {"rotate.sh": ROTATE_FULL, "test.sh": ROTATE_TESTS},
            "thin": {"rotate.sh": ROTATE_FULL},
        },
    ),
    "shell count": (
        "stubbed",
        SHELL,
        COUNT_START,
        {
            "thorough": {"count.sh": COUNT_FULL, "test.sh": COUNT_TESTS},
            "thin": {"count.sh": COUNT_STUB, "test.sh": COUNT_FEW},
        },
    ),
    "shell slug": (
        "only the tested case",
        SHELL,
        SLUG_START,
        {
            "thorough": {"slug.sh": SLUG_FULL, "test.sh": SLUG_TESTS},
            "thin": {"slug.sh": SLUG_ONE_CASE, "test.sh": SLUG_FEW},
        },
    ),
}
