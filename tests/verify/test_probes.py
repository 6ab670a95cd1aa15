"""Probes: what a plan says must be there is looked at, and what is missing is said with its place."""

from __future__ import annotations

import os
import sys
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from loopwright.core.criteria import Check, Evidence
from loopwright.core.plan.criteria import plan_criteria, probe_check
from loopwright.core.plan.plan import Link, Plan, PlannedFile, Task, TaskCheck
from loopwright.core.prompts.gap_texts import GAP_STRATEGIES
from loopwright.verify.probes.probe import run_probe
from tests.support.files import write_files

posix = pytest.mark.skipif(sys.platform == "win32", reason="links and special files")


def looked(root: Path, *words: str) -> Evidence:
    return run_probe(probe_check(*words), "a name", "tree-1", str(root))


def created(root: Path, path: str, text: str) -> str:
    """What is found of a file that the plan creates; its own place in the words is left out."""
    write_files(root, {path: text})
    found = looked(root, "artifact", path, "create", "")
    assert found.outcome == ("exit" if found.passed else "stub")
    return found.detail.replace(path, "it")


# --- what a result is ---


def test_what_is_seen_is_an_observation_of_ours_on_this_tree(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.txt": "here"})
    found = looked(tmp_path, "file", "a.txt")

    assert (found.criterion, found.passed, found.kind, found.by, found.tree) == (
        "a name",
        True,
        "observation",
        "loop",
        "tree-1",
    )
    assert (found.outcome, found.code, found.detail) == ("exit", None, "a.txt is there, 4 bytes")
    assert found.at > 1_600_000_000
    assert 0 <= found.seconds < 5


@pytest.mark.parametrize("command", ["file a.txt", (), ("nonsense", "a.txt"), ("",)])
def test_what_is_no_probe_cannot_be_run(tmp_path: Path, command: str | tuple[str, ...]) -> None:
    found = run_probe(Check(command, probe=True), "a name", "tree-1", str(tmp_path))

    assert (found.passed, found.outcome) == (False, "missing")
    assert "no such probe" in found.detail


# --- where it looks ---


@pytest.mark.parametrize(
    "path",
    [
        "hooks/hooks.json",
        "./hooks/hooks.json",
        "hooks\\hooks.json",
        "hooks//hooks.json",
        "././hooks/hooks.json",
    ],
)
def test_a_path_is_understood_however_it_is_written(tmp_path: Path, path: str) -> None:
    write_files(tmp_path, {"hooks/hooks.json": "{}"})

    assert looked(tmp_path, "file", path).detail == "hooks/hooks.json is there, 2 bytes"


@pytest.mark.parametrize(
    "path",
    ["../secret", "a/../../secret", "a/../a", "/etc/passwd", "C:\\secret", "..\\secret", "", "."],
)
@pytest.mark.parametrize("words", [("file",), ("content",), ("artifact",), ("link",)])
def test_nothing_outside_the_project_is_looked_at(
    tmp_path: Path, words: tuple[str, ...], path: str
) -> None:
    (tmp_path / "secret").write_text("root")
    write_files(tmp_path / "project", {"a/x.txt": "root"})
    found = looked(
        tmp_path / "project",
        *words,
        path,
        *({"content": ("root",), "link": ("a/x.txt",)}.get(words[0], ())),
    )

    assert not found.passed
    assert "outside the project" in found.detail


@pytest.mark.parametrize("action", ["create", "modify", "delete"])
def test_no_plan_reaches_beyond_the_project(tmp_path: Path, action: str) -> None:
    assert (
        looked(tmp_path, "artifact", "../x.txt", action, "").detail
        == "L1 ✗: ../x.txt is outside the project"
    )


@posix
def test_a_link_out_of_the_project_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("root")
    write_files(tmp_path / "project", {"real.txt": "root"})
    (tmp_path / "project/out.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "project/in.txt").symlink_to("real.txt")
    (tmp_path / "project/up").symlink_to(tmp_path)
    (tmp_path / "project/round.txt").symlink_to("round.txt")

    assert (
        "leads outside the project; it is not followed"
        in looked(tmp_path / "project", "content", "out.txt", "root").detail
    )
    assert (
        "leads outside the project"
        in looked(tmp_path / "project", "content", "up/secret.txt", "root").detail
    )
    assert "cannot be read" in looked(tmp_path / "project", "file", "round.txt").detail
    assert looked(tmp_path / "project", "content", "in.txt", "root").passed


@posix
def test_what_is_no_file_is_named_for_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")

    assert looked(tmp_path, "file", "folder").detail == "folder is a folder, not a file"
    assert looked(tmp_path, "content", "pipe", "x").detail == "pipe is a special file, not a file"
    assert looked(tmp_path, "file", "folder/none/x").detail == "folder/none/x is missing"
    assert looked(tmp_path, "file", "pipe/x").detail == "pipe/x is missing"


@posix
def test_a_file_that_no_system_call_can_read_says_so(tmp_path: Path) -> None:
    detail = looked(tmp_path, "content", f"{'a' * 300}.txt", "x").detail

    assert detail.endswith("File name too long")


# --- content ---

PAGE = "# State\n\nloop:\n  active:   false\nHistory of\n   the Loop\n"


@pytest.mark.parametrize(
    ("wanted", "seen"),
    [
        ("loop:", "page.md:3 has “loop:”"),
        ("LOOP:", "page.md:3 has “LOOP:”"),
        ("active: false", "page.md:4 has “active: false”"),
        ("history of the loop", "page.md:5 has “history of the loop”"),
        ("loop:\n  active:", "page.md:3 has “loop:   active:”"),
        ("loop: active", "page.md:3 has “loop: active”"),
        ("  # State ", "page.md:1 has “  # State ”"),
    ],
)
def test_a_text_is_found_as_it_is_or_whatever_its_case_and_spaces(
    tmp_path: Path, wanted: str, seen: str
) -> None:
    write_files(tmp_path, {"page.md": PAGE})

    assert looked(tmp_path, "content", "page.md", wanted).detail == seen


def test_every_text_that_is_missing_is_named(tmp_path: Path) -> None:
    write_files(tmp_path, {"page.md": PAGE})
    found = looked(tmp_path, "content", "page.md", "loop:", "task_retries:", "activefalse", "gaps")

    assert (found.passed, found.outcome) == (False, "stub")
    assert found.detail.splitlines() == [
        f"page.md has no “{text}”" for text in ("task_retries:", "activefalse", "gaps")
    ]


def test_a_long_list_is_cut(tmp_path: Path) -> None:
    write_files(tmp_path, {"page.md": PAGE})

    assert looked(tmp_path, "content", "page.md", *"ÄÖÜß≠¬").detail.splitlines()[3:] == [
        "page.md has no “ß”",
        "and 2 more",
    ]


def test_a_missing_file_holds_nothing(tmp_path: Path) -> None:
    assert looked(tmp_path, "content", "page.md", "loop:").detail == "page.md is missing"


@pytest.mark.parametrize("wanted", [(), ("",), ("  ", "")])
def test_a_check_for_nothing_proves_nothing(tmp_path: Path, wanted: tuple[str, ...]) -> None:
    write_files(tmp_path, {"page.md": PAGE})
    found = looked(tmp_path, "content", "page.md", *wanted)

    assert not found.passed
    assert found.detail == "page.md: the check does not say what the file must hold"


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"caf\xe9 loop:", True),
        (b"\xef\xbb\xbfloop:", True),
        ("loop: ü".encode("utf-16"), True),
        (b"a\r\nloop:\r\n", True),
        (b"\0\1\2loop", False),
    ],
    ids=["latin", "with a mark", "wide", "lines of Windows", "binary"],
)
def test_odd_encodings_are_read(tmp_path: Path, data: bytes, found: bool) -> None:
    (tmp_path / "page.md").write_bytes(data)
    result = looked(tmp_path, "content", "page.md", "loop:")

    assert result.passed is found
    assert found or result.detail == "page.md, a binary file, has no “loop:”"


def test_of_a_huge_file_only_the_beginning_is_read(tmp_path: Path) -> None:
    (tmp_path / "big.md").write_bytes(b"first\n" + b"x" * (2 * 1024 * 1024) + b"\nlast\n")

    assert looked(tmp_path, "content", "big.md", "first").passed
    assert (
        looked(tmp_path, "content", "big.md", "last").detail
        == "big.md has no “last” in its first 2 MB"
    )


# --- artifacts: is it there, is it gone? ---


def test_what_the_plan_deletes_must_be_gone(tmp_path: Path) -> None:
    write_files(tmp_path, {"old.py": "x = 1"})

    assert (
        looked(tmp_path, "artifact", "old.py", "delete", "").detail
        == "L1 ✗: old.py is still there, and the plan deletes it"
    )
    assert looked(tmp_path, "artifact", "gone.py", "delete", "").detail == "L1 ✓: gone.py is gone"


def test_what_the_plan_modifies_must_be_there_and_no_more(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.py": "# TODO\n"})

    assert (
        looked(tmp_path, "artifact", "a.py", "modify", "").detail == "L1 ✓: a.py is there, 7 bytes"
    )
    assert looked(tmp_path, "artifact", "b.py", "modify", "").detail == "L1 ✗: b.py is missing"


# --- artifacts: are they the real thing? ---

EMPTY = "it is a stub: every function in it is empty"
LONG = "".join(f"x{number} = {number}\n" for number in range(12))
STUBS = {
    "empty": ("a.py", "", "it is empty"),
    "white space": ("a.css", " \n\t\n", "it is empty"),
    "comments only": ("a.py", "# one\n# two\n", "it defines nothing; lines of code: 0"),
    "imports only": ("a.py", "import os\n", "it defines nothing; lines of code: 1"),
    "an empty class": ("a.py", "class Stats:\n    pass\n", "it defines nothing; lines of code: 2"),
    "to do": ("a.py", f"{LONG}# TODO: the rest\n", "it:13 is a stub: # TODO: the rest"),
    "to fix": ("a.go", "package a\n\nfunc F() int { return 1 } // FIXME wrong\n", "it:3 is a stub: // FIXME wrong"),
    "marked": ("a.py", "# XXX: later\nx = 1\n", "it:1 is a stub: # XXX: later"),
    "in a block": ("a.ts", "/*\n * Stats\n * TODO: implement\n */\nexport const x = 1;\n", "it:3 is a stub: * TODO: implement"),
    "raises": ("a.py", "def f(x):\n    raise NotImplementedError\n", "it:2 is a stub: raise NotImplementedError"),
    "raises with words": ("a.py", "def f(x):\n    raise NotImplementedError('x')\n", "it:2 is a stub: raise NotImplementedError"),
    "raises late": ("a.py", f"{LONG}class A:\n def f(s):\n  raise NotImplementedError()\n", "it:15 is a stub: raise "),
    "throws": ("a.ts", 'const f = () => {\n  throw new Error("Not implemented yet");\n}\n', 'it:2 is a stub: throw new Error('),
    "throws to do": ("a.js", 'const f = () => {\n  throw "TODO: later";\n}\n', 'it:2 is a stub: throw "TODO'),
    "panics": ("a.rs", "pub fn f() -> u32 {\n    todo!()\n}\n", "it:2 is a stub: todo!("),
    "panics too": ("a.rs", "pub fn f() { unimplemented!(\"x\") }\n", "it:1 is a stub: unimplemented!("),
    "a text": ("a.tsx", "export const A = () => <div>Dashboard placeholder</div>;\n", "it:1 is a stub: >Dashboard placeholder</"),
    "raises other words": ("a.py", "def f():\n    raise ValueError('csv is not implemented')\n", "it:2 is a stub: raise “csv is"),
    "prints": ("a.py", "def f():\n    print('Not implemented yet')\n", "it:2 is a stub: call “Not impl"),
    "cannot be parsed": ("a.py", "def f():\n    raise NotImplementedError ?? x\n", "it:2 is a stub: raise NotImplementedError"),
    "says so": ("a.py", "def f():\n    return 'placeholder'\n", "it:2 is a stub: return “placeholder”"),
    "says it": ("a.js", "export function f() {\n  // not implemented\n  return 1;\n}\n", "it:2 is a stub: // not implemented"),
    "passes": ("a.py", "def f():\n    pass\n\ndef g():\n    '''Later.'''\n", "it:1 is a stub: every function"),
    "passes by": ("a.py", f"{LONG}def f(x): ...\n", "it:13 is a stub: f is empty"),
    "empty functions": ("a.js", "export function f(a) {}\nexport const g = () => null;\n", EMPTY),
    "renders nothing": ("a.tsx", "export default function A({ b }) {\n  return null;\n}\n", EMPTY),
    "an empty class of another kind": ("a.ts", "export class Stats {}\n", "it defines nothing; lines of code: 1"),
    "not JSON": ("a.json", '{"a": 1,}', "it is not JSON: "),
    "a secret": ("a.py", "# TODO: drop password=hunter2000\nx = 1\n", "it:1 is a stub: # TODO: drop password=[redacted]"),
}  # fmt: skip


@pytest.mark.parametrize(("path", "text", "why"), STUBS.values(), ids=STUBS)
def test_a_stub_is_not_the_real_thing(tmp_path: Path, path: str, text: str, why: str) -> None:
    assert created(tmp_path, path, text).startswith(f"L1 ✓ L2 ✗: {why}")


REAL = {
    "a short module": ("a.py", 'def add(a, b):\n    """Both."""\n    return a + b\n'),
    "a script": ("a.py", 'print("hello")\n'),
    "constants": ("a.py", "LIMIT = 3\n"),
    "an error": ("a.py", "class Gone(Exception):\n    pass\n"),
    "what passes on": ("a.py", "from os import path\n"),
    "a protocol": ("a.py", "from typing import Protocol\n\nclass Store(Protocol):\n    def get(self) -> str: ...\n"),
    "an abstract class": ("a.py", "import abc\n\nclass A(abc.ABC):\n    def f(self):\n        raise NotImplementedError\n"),
    "an abstract method": ("a.py", "class A:\n @abstractmethod\n def f(self):\n  raise NotImplementedError('not implemented')\n"),
    "a base of others": ("a.py", "class A:\n def f(s):\n  raise NotImplementedError\nclass B(A):\n def f(s):\n  return 1\n"),
    "a to-do list": ("a.py", 'class Todo:\n    state = "TODO"\n\n    def done(self):\n        self.state = "DONE"\n'),
    "a test of others": ("a.py", "STUB = 'throw new Error(\"not implemented\")'\n"),
    "a sign in a string": ("a.js", 'export const url = "https://x.org/#TODO"; // fine\n'),
    "what a to-do list says": ("a.py", 'def f(x):\n    if not x:\n        raise KeyError("Todo not found")\n    return "todo"\n'),
    "an attribute": ("a.tsx", 'export const A = () => <input placeholder="Search" />;\n'),
    "a comment on an attribute": ("a.tsx", "// placeholder text of the search\nexport const A = () => <b>x</b>;\n"),
    "types": ("a.ts", "export interface Row {\n  id: string;\n}\n"),
    "passes on": ("a.ts", 'export * from "./b";\n'),
    "an error of another kind": ("a.ts", "export class Gone extends Error {}\n"),
    "a constructor": ("a.ts", "export class Row {\n  constructor(readonly id: string) {}\n}\n"),
    "a default that does nothing": ("a.ts", "const noop = () => {};\nexport const on = (f = noop) => { f(); };\n"),
    "a newer Python": ("a.py", "def f[T](x: T) -> T:\n    return x ?? x\n"),
    "Go": ("a.go", "package a\n\nfunc F() int { return 1 }\n"),
    "prose": ("a.md", "TODO\n"),
    "a shell script": ("a.sh", "#!/bin/sh\necho hi\n"),
    "JSON": ("a.json", '\ufeff{"a": [1]}'),
    "JSON with comments": ("tsconfig.json", '{\n  // strict\n  "a": 1,\n}'),
    "a note": ("a.py", "# XXX: slow on Windows\nx = 1\n"),
    "a base of others, filled in": ("a.py", "class A:\n def f(s):\n  raise NotImplementedError\nclass B(A[int]):\n x = 1\n"),
    "a package's license": ("pkg/__init__.py", "# free\n"),
    "a package's empty file": ("pkg/__init__.py", ""),
    "a folder's keeper": ("data/.gitkeep", ""),
    "declarations": ("a.d.ts", "declare function f(): void;\n"),
    "stubs of types": ("a.pyi", "def f(): ...\n"),
}  # fmt: skip


@pytest.mark.parametrize(("path", "text"), REAL.values(), ids=REAL)
def test_a_short_honest_file_is_the_real_thing(tmp_path: Path, path: str, text: str) -> None:
    assert created(tmp_path, path, text).startswith("L1 ✓ L2 ✓: it, ")


def test_a_picture_is_the_real_thing_and_an_empty_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\0\0")
    (tmp_path / "b.png").touch()

    assert (
        looked(tmp_path, "artifact", "a.png", "create", "wired").detail
        == "L1 ✓ L2 ✓: a.png, 6 bytes"
    )
    assert (
        looked(tmp_path, "artifact", "b.png", "create", "wired").detail
        == "L1 ✓ L2 ✗: b.png is empty"
    )


# --- the plan of the original, carried out ---

WANTED = {
    "hooks/hooks.json": ("Stop", "stop-hook.sh"),
    "hooks/stop-hook.sh": ("#!/usr/bin/env bash", "decision", "STATE.md"),
    ".gsd/config.md": ("loop:", "execute_max_retries", "verify_max_iterations"),
    "commands/execute.md": ("Step 7a", "task_retries", "previous_attempt", "Loop State Reference"),
    "commands/verify.md": ("Step 7a", "Gap-to-Task", "gaps_remaining", "Loop State Reference"),
    ".gsd/STATE.md": ("loop:", "task_retries:", "history:"),
    ".gsd/ROADMAP.md": ("PLANNED", "hooks.json"),
}
LINKS = (
    Link("hooks/hooks.json", "hooks/stop-hook.sh", "Points to script path"),
    Link("hooks/stop-hook.sh", ".gsd/STATE.md", "Reads loop state"),
    Link("commands/execute.md", ".gsd/STATE.md", "Writes loop.task_retries"),
    Link("commands/verify.md", ".gsd/STATE.md", "Writes loop.iteration"),
    Link(".gsd/config.md", "commands/execute.md", "Provides execute_max_retries"),
    Link(".gsd/config.md", "commands/verify.md", "Provides verify_max_iterations"),
)
DONE = {
    "hooks/hooks.json": """{"hooks": {"Stop": [{"matcher": "", "hooks": [
        {"type": "command", "command": "bash \\"$CLAUDE_PROJECT_DIR/hooks/stop-hook.sh\\""}]}]}}\n""",
    "hooks/stop-hook.sh": """#!/usr/bin/env bash
set -e
STATE_FILE=".gsd/STATE.md"
allow_exit() { echo '{"decision": "allow"}'; exit 0; }
[[ -f "$STATE_FILE" ]] || allow_exit\n""",
    ".gsd/config.md": "---\nmode: yolo\nloop:\n  execute_max_retries: 3\n  verify_max_iterations: 20\n---\n",
    "commands/execute.md": """### Step 7a: Execute Loop - Retry Failed Tasks
- Read `loop.execute_max_retries` from config (default: 3)
- Check current retry count for this task in STATE.md `loop.task_retries`
<previous_attempt>{N}</previous_attempt>
## Loop State Reference\n""",
    "commands/verify.md": """### Step 7a: Verify Loop - Fix Gaps and Re-verify
- Read `loop.verify_max_iterations` from config (default: 20)
- Check current iteration in STATE.md `loop.iteration`
**Gap-to-Task Generation:** gaps_remaining
## Loop State Reference\n""",
    ".gsd/STATE.md": "---\nloop:\n  active: false\n  iteration: 0\n  task_retries: {}\n  history: []\n---\n## Session Context\n",
    ".gsd/ROADMAP.md": "**Status:** PLANNED\n\n### Components\n1. hooks/hooks.json - Stop hook configuration\n",
}  # fmt: skip


def original_plan() -> Plan:
    """Seven tasks with 2 checks for files and 21 for content."""
    tasks = []
    for number, (path, wanted) in enumerate(WANTED.items(), 1):
        checks = [
            TaskCheck("content", f"{path} contains {text}", path=path, wanted=(text,))
            for text in wanted
        ]
        there = (
            [TaskCheck("file", f"{path} exists", path=path)] if path.startswith("hooks/") else []
        )
        action = "create" if there else "modify"
        tasks.append(
            Task(f"{number:02}", files=(PlannedFile(path, action),), checks=(*there, *checks))
        )
    return Plan("1", "Loop Mechanism", tasks=tuple(tasks), links=LINKS)


def judged(root: Path) -> dict[str, Evidence]:
    wanted = plan_criteria(original_plan(), {})
    return {c.name: run_probe(c.check, c.name, "tree-1", str(root)) for c in wanted if c.check}


def test_the_original_plan_holds_where_it_was_carried_out(tmp_path: Path) -> None:
    write_files(tmp_path, DONE)
    found = judged(tmp_path)

    assert len(found) == 23 + 7 + 6
    assert [evidence.detail for evidence in found.values() if not evidence.passed] == []


def test_the_original_plan_does_not_hold_where_nothing_was_done(tmp_path: Path) -> None:
    found = judged(tmp_path)

    assert [name for name, evidence in found.items() if evidence.passed] == []
    assert {evidence.outcome for evidence in found.values()} == {"stub", "broken_link"}
    assert (
        found["link .gsd/config.md → commands/verify.md"].detail
        == ".gsd/config.md is missing\ncommands/verify.md is missing"
    )


@pytest.mark.parametrize("path", DONE)
def test_each_file_of_the_original_plan_counts(tmp_path: Path, path: str) -> None:
    write_files(tmp_path, {**DONE, path: "nothing of it\n"})
    found = judged(tmp_path)

    assert [name for name, evidence in found.items() if not evidence.passed and path in name]
    assert all(evidence.passed for name, evidence in found.items() if path not in name)


# --- whatever is asked, whatever is there ---

SIGNS = '{ } ( ) [ ] ` \' " """ /* */ // # <!-- --> \\ . , / = => * $ ${ \0 \ud800 ä'
WORDS = "import from export default require module.exports class def const as type match a b.py ./b TODO"
PHRASES = [
    "\n",
    "\r",
    " ",
    "\x0c",
    "from . import b\n",
    "import a.b\n",
    "if x:\n  ",
    "def f():\n  ",
    "raise NotImplementedError",
]
PATHS = ["a.py", "b.py", "a.ts", "b.tsx", "c.vue", "d.json", "x/b.js"]
ODD = ["x", "none.py", "a.py/x", "a\0.py", "\udfff", "é.py", "a" * 300]
pieces = st.sampled_from([*SIGNS.split(" "), *WORDS.split(), *PHRASES])
texts = st.lists(pieces, max_size=40).map("".join) | st.text(max_size=200)
paths = st.sampled_from(PATHS + ODD)
words = (
    paths
    | st.sampled_from(["file", "create", "delete", "wired", "`a_b` x.y C/d eF"])
    | st.text(max_size=20)
)
kinds = st.sampled_from(["file", "content", "artifact", "link"])
numbers = count()


@settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.tuples(kinds, paths, words, words) | st.lists(kinds | words, max_size=6).map(tuple),
    st.dictionaries(st.sampled_from(PATHS), texts | st.binary(max_size=200)),
)
@example(
    ("artifact", "a.py", "create", "wired"),
    {"a.py": "(" * 5_000, "b.py": "import a\n" + "-" * 5_000 + "1"},
)
@example(
    ("link", "a.py", "b.py", "how"),
    {"a.py": "from b import x\n'\\d'\n", "b.py": "\x0c\rdef f():\r  '''x\r'''\r  pass"},
)
def test_no_probe_raises(
    tmp_path: Path, asked: tuple[str, ...], files: dict[str, str | bytes]
) -> None:
    root = tmp_path / str(next(numbers))
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(
            data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
        )
    found = run_probe(Check(asked, probe=True), "a name", "tree-1", str(root))

    assert found.passed is (found.outcome == "exit")
    assert found.outcome in {"exit", "missing", *GAP_STRATEGIES} - {"ci_failure"}
    assert 1 <= len(found.detail.splitlines()) <= 5
    assert all(line.isprintable() for line in found.detail.split("\n"))
