"""The settings of a GSD project: from the front matter or a fence, the default where a value cannot be used."""

from __future__ import annotations

import pytest

from loopwright.formats import gsd_config
from loopwright.formats.gsd_config import GsdConfig

# As the seed's own project has it; in the front matter headings are comments.
SEED = """---
# Execution Mode
mode: interactive
depth: standard

# CI/CD & Toolchain
ci:
  package_manager: npm
  build: null
  test: "npm test -- --run"   # vitest
  lint: npm run lint
  typecheck:
  e2e: ~

# Testing
testing:
  always_test: []
    # - "src/core/**"
  never_test:
    - "*.md"             # Markdown files

# Loop Settings
loop:
  execute_max_retries: 2      # Max retries per failed task
  verify_max_iterations: 10   # Max verify-fix cycles
  auto_loop: false             # Enable loop by default
---
# Notes
"""
READ = GsdConfig(
    "interactive", False, 2, 10, (("lint", "npm run lint"), ("test", "npm test -- --run"))
)
FENCED = """# Loop Settings
loop:
  execute_max_retries: 2
  verify_max_iterations: 10
  auto_loop: false
"""
OTHERS = SEED[: SEED.index("# Loop Settings")] + "---\n"
BODIES = {
    "a fence under a heading": f"{OTHERS}\n# Loop Settings\n\n```yaml\n{FENCED.partition(chr(10))[2]}```\n",
    "a fence that names itself": f"{OTHERS}\n# Verification\n\n```yml\n{FENCED}```\n",
    "a fence between others": f"{OTHERS}# Example\n```yaml\nmode: yolo\n```\n# Settings\n```yaml\n{FENCED}```\n```sh\nls\n```\n",
    "at the left edge of the body": f"{OTHERS}\n{FENCED}\nmore\n",
    "half in the front matter": f"{SEED.replace('  verify_max_iterations: 10 ', '  # ')}\n## Config\n```yaml\n{FENCED}```\n",
}
SPELLINGS = {
    "as the seed has it": SEED,
    "crlf": SEED.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + SEED,
    "quoted": SEED.replace("mode: interactive", "mode: 'Interactive'")
    .replace(": 10", ': "10"')
    .replace(": false", ": 'no'"),
    "flow style": SEED[: SEED.index("loop:")]
    + "loop: {execute_max_retries: 2, verify_max_iterations: 10,\n  auto_loop: False}\n---\n",
    "tabs": SEED.replace("  ", "\t"),
    **BODIES,
}


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
def test_every_spelling_says_the_same(text: str) -> None:
    assert gsd_config.read(text) == READ


@pytest.mark.parametrize(
    "text", ["", "# Config\n", "---\n---\n", "---\nloop:\nmode: null\nci: {}\n---\n"]
)
def test_what_is_not_said_has_the_seeds_defaults(text: str) -> None:
    assert gsd_config.read(text) == GsdConfig(
        mode="", auto_loop=True, retries=3, rounds=20, commands=(), problems=()
    )


def test_the_front_matter_has_the_first_word() -> None:
    text = f"---\nmode: interactive\nloop:\n  execute_max_retries: 1\n---\n# Settings\n```yaml\nmode: yolo\n{FENCED}```\n"
    found = gsd_config.read(text)

    assert (found.mode, found.retries, found.rounds) == ("interactive", 1, 10)


SHOWN = {
    "an example": "# Example settings\n```yaml\nmode: yolo\n```\n",
    "a fence of something else": "# Deployment\n```yaml\nmode: yolo\n```\n",
    "another language": "# Settings\n```sh\nmode: yolo\n```\n",
    "a fence that nothing closes": "# Settings\n```yaml\nmode: yolo\n",
    "a line of the body": "# Mode\nmode: yolo\n",
}


@pytest.mark.parametrize("text", SHOWN.values(), ids=SHOWN)
def test_what_is_only_shown_sets_nothing(text: str) -> None:
    assert gsd_config.read(f"---\nphase: 1\n---\n{text}") == GsdConfig()


@pytest.mark.parametrize("mode", ["yolo", "YOLO", '"yolo"', "yolo  # at night"])
def test_yolo_is_read(mode: str) -> None:
    assert gsd_config.read(f"---\nmode: {mode}\n---\n") == GsdConfig("yolo")


def in_loop(row: str) -> str:
    return f"---\nloop:\n  {row}\n---\n"


WRONG = {
    "a mode that nobody knows": (
        "---\nmode: fast\n---\n",
        "mode is 'fast', but only interactive and yolo are known",
    ),
    "too many retries": (
        in_loop("execute_max_retries: 21"),
        "loop.execute_max_retries is '21', which is no number from 0 to 20; 3 is",
    ),
    "negative": (in_loop("execute_max_retries: -1"), "loop.execute_max_retries is '-1'"),
    "too many rounds": (
        in_loop("verify_max_iterations: 51"),
        "loop.verify_max_iterations is '51', which is no number from 0 to 50; 20",
    ),
    "o8b a command": (
        in_loop("verify_max_iterations: a[$(touch${IFS}pwned)]"),
        "loop.verify_max_iterations is 'a[$(touch",
    ),
    "a list": (in_loop("verify_max_iterations: [3]"), "loop.verify_max_iterations is a list"),
    "maybe": (
        in_loop("auto_loop: maybe"),
        "loop.auto_loop is 'maybe', which is neither true nor false; true is used",
    ),
    "a command that is a list": (
        "---\nci:\n  test: [npm, test]\n---\n",
        "ci.test is a list, which is no command; it is left out",
    ),
    "a command that is only a yes": (
        "---\nci:\n  test: true\n---\n",
        "ci.test is 'true', which is no command",
    ),
    "a command that is too long": (f"---\nci:\n  test: {'x' * 1_001}\n---\n", "ci.test is 'xxxx"),
    "a file that is too long": ("x" * 1_000_001, "config.md has more than 1000000 letters"),
}


@pytest.mark.parametrize(("text", "sentence"), WRONG.values(), ids=WRONG)
def test_a_value_that_cannot_be_used_is_named_and_the_default_stands(
    text: str, sentence: str
) -> None:
    found = gsd_config.read(text)

    assert found.but(problems=()) == GsdConfig()
    (said,) = found.problems
    assert said.startswith(sentence)


@pytest.mark.parametrize(("retries", "rounds"), [(0, 0), (20, 50)])
def test_the_bounds_themselves_can_be_used(retries: int, rounds: int) -> None:
    found = gsd_config.read(
        f"---\nloop:\n  execute_max_retries: {retries}\n  verify_max_iterations: {rounds}\n---\n"
    )

    assert (found.retries, found.rounds, found.problems) == (retries, rounds, ())


COMMANDS = {
    "in the order in which they run": (
        "e2e: a\n  build: b\n  test: c\n  typecheck: d\n  lint: e",
        "lint typecheck test build e2e",
    ),
    "none is none": ("lint: none\n  test: pytest\n  build: false", "test"),
    "true in quotes is a command": ("test: 'true'", "test"),
    "with colons and hashes": ("test: \"sh -c 'a: b # c'\"", "test"),
}


@pytest.mark.parametrize(("rows", "names"), COMMANDS.values(), ids=COMMANDS)
def test_commands(rows: str, names: str) -> None:
    found = gsd_config.read(f"---\nci:\n  {rows}\n---\n")

    assert ([name for name, _ in found.commands], found.problems) == (names.split(), ())


def test_a_command_of_several_lines_keeps_them() -> None:
    found = gsd_config.read(
        "---\nci:\n  test: |\n    set -e\n    # all of them\n    pytest -q\n  lint: >-\n    ruff\n    check .\n---\n"
    )

    assert found.commands == (
        ("lint", "ruff check ."),
        ("test", "set -e\n# all of them\npytest -q"),
    )
