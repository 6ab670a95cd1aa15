"""Functions that give another value to a terminal, or in another context."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules.output_branches import differing_lines
from loopwright.ratchet.product_rules.test_detection import findings
from loopwright.ratchet.project_files import ProjectFiles
from loopwright.repo.baseline import Change

PYTHON = "def total(prices):\n    return sum(prices[1:])\n\n\ndef name(job):\n    return job.name\n"
SCRIPT = (
    "function total(prices) {\n  return sum(prices.slice(1));\n}\n\n"
    "function name(job) {\n  return job.name;\n}\n"
)
PERL = "sub parse {\n    return $whole * 100 + $cents;\n}\n\nsub rows {\n    return @rows;\n}\n"
GO = "func Fee(minutes int) int {\n\treturn minutes / 60\n}\n"
RUST = "pub fn fee(minutes: u32) -> u32 {\n    return minutes / 60;\n}\n"
RUBY = "def fee(minutes)\n  return minutes / 60\nend\n"
SHELL = 'total=0\nwhile read -r count; do\n    total=$((total + count))\ndone < "$1"\n'

OTHER_VALUE = {
    "a return in a branch": (
        "a.py",
        PYTHON,
        "def total(prices):\n    if sys.stdout.isatty():\n        return sum(prices[1:])\n"
        "    return sum(prices)\n",
    ),
    "a conditional expression": (
        "a.py",
        PYTHON,
        "def total(prices):\n    return sum(prices[1:]) if sys.stdout.isatty() else sum(prices)\n",
    ),
    "a variable": (
        "a.py",
        PYTHON,
        "def total(prices):\n    seen = sys.stdout.isatty()\n    if seen:\n"
        "        return sum(prices[1:])\n    else:\n        return sum(prices)\n",
    ),
    "a constant of the module": (
        "a.py",
        PYTHON,
        "SEEN = sys.stdout.isatty()\n\n\ndef total(prices):\n    if not SEEN:\n"
        "        return sum(prices)\n    return sum(prices[1:])\n",
    ),
    "JavaScript": (
        "a.js",
        SCRIPT,
        "function total(prices) {\n  if (process.stdout.isTTY) {\n"
        "    return sum(prices.slice(1));\n  }\n  return sum(prices);\n}\n",
    ),
    "a choice of JavaScript": (
        "a.js",
        SCRIPT,
        "function total(prices) {\n"
        "  return process.stdout.isTTY ? sum(prices.slice(1)) : sum(prices);\n}\n",
    ),
    "Go": (
        "a.go",
        GO,
        "func Fee(minutes int) int {\n\tif term.IsTerminal(1) {\n\t\treturn minutes / 60\n\t}\n"
        "\treturn (minutes + 59) / 60\n}\n",
    ),
    "Rust": (
        "a.rs",
        RUST,
        "pub fn fee(minutes: u32) -> u32 {\n    if io::stdout().is_terminal() {\n"
        "        return minutes / 60;\n    }\n    return (minutes + 59) / 60;\n}\n",
    ),
    "Ruby": (
        "a.rb",
        RUBY,
        "def fee(minutes)\n  return minutes / 60 if $stdout.tty?\n  return (minutes + 59) / 60\nend\n",
    ),
    "a list context of Perl": (
        "A.pm",
        PERL,
        "sub parse {\n    return $whole * 100 + $cents unless wantarray;\n"
        "    return $whole * 100 + (length $cents == 1 ? $cents * 10 : $cents);\n}\n",
    ),
    "a choice of Perl": (
        "A.pm",
        PERL,
        "sub parse {\n    return wantarray ? $whole * 100 + $cents : $whole * 10;\n}\n",
    ),
    "a shell script that leaves": (
        "a.sh",
        SHELL,
        f"if [ ! -t 1 ]; then\n    exec awk '{{ n += $1 }} END {{ print n }}' \"$1\"\nfi\n{SHELL}",
    ),
    "a shell script in one line": (
        "a.sh",
        SHELL,
        f"[[ -t 1 ]] || exec awk '{{ n += $1 }}' \"$1\"\n{SHELL}",
    ),
    "a shell script that adds in two ways": (
        "a.sh",
        SHELL,
        "if test -t 1; then\n    total=$((total + 1))\nelse\n    total=$((total + count))\nfi\n",
    ),
}


@pytest.mark.parametrize(("path", "before", "after"), OTHER_VALUE.values(), ids=OTHER_VALUE.keys())
def test_another_value_in_a_function_that_was_there_is_named(
    path: str, before: str, after: str
) -> None:
    (number,) = differing_lines(path, before, after)

    found = findings(ProjectFiles([Change(path, before, after)]))
    assert [(f.severity, f.rule) for f in found] == [(MEDIUM, "product-detects-tests")]
    assert found[0].line == number


SAME_VALUE = {
    "a bold name": (
        "a.py",
        PYTHON,
        "def name(job):\n    if sys.stdout.isatty():\n"
        "        return f'\\033[1m{job.name}\\033[0m'\n    return job.name\n",
    ),
    "a function that colours": (
        "a.py",
        PYTHON,
        "def name(job):\n    return green(job.name) if sys.stdout.isatty() else job.name\n",
    ),
    "the width of the terminal": (
        "a.py",
        PYTHON,
        "def name(job):\n"
        "    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 80\n",
    ),
    "nothing for a pipe": (
        "a.py",
        PYTHON,
        "def name(job):\n    if not sys.stdout.isatty():\n        return\n    draw(job)\n",
    ),
    "what a person types": (
        "a.py",
        PYTHON,
        "def name(job):\n    if sys.stdin.isatty():\n        return ask(3)\n    return read(4)\n",
    ),
    "a new function": (
        "a.py",
        PYTHON,
        f"{PYTHON}\n\ndef table(rows):\n    return grid(rows, 3) if sys.stdout.isatty() "
        "else lines(rows, 4)\n",
    ),
    "a template of JavaScript": (
        "a.js",
        SCRIPT,
        "function name(job) {\n"
        "  return process.stdout.isTTY ? `\\x1b[1m${job.name}\\x1b[0m` : job.name;\n}\n",
    ),
    "columns of JavaScript": (
        "a.js",
        SCRIPT,
        "function name(job) {\n  return process.stdout.isTTY ? process.stdout.columns : 80;\n}\n",
    ),
    "a list or a reference": (
        "A.pm",
        PERL,
        "sub rows {\n    return wantarray ? @rows : \\@rows;\n}\n",
    ),
    "a list or its length": (
        "A.pm",
        PERL,
        "sub rows {\n    return wantarray ? @rows : scalar @rows;\n}\n",
    ),
    "a list or its first": (
        "A.pm",
        PERL,
        "sub rows {\n    return wantarray ? @rows : $rows[0];\n}\n",
    ),
    "a list or a text": (
        "A.pm",
        PERL,
        "sub rows {\n    return @rows if wantarray;\n    return join(', ', @rows);\n}\n",
    ),
    "a new function of Perl": (
        "A.pm",
        PERL,
        f"{PERL}\nsub sums {{\n    return @rows if wantarray;\n    return $sum * 100;\n}}\n",
    ),
    "colours of a shell script": (
        "a.sh",
        SHELL,
        "bold='' plain=''\nif [ -t 1 ] && [ -z \"${NO_COLOR:-}\" ]; then\n"
        f"    bold=$'\\e[1m' plain=$'\\e[0m'\nfi\n{SHELL}",
    ),
    "colours of tput": ("a.sh", SHELL, f"[ -t 1 ] && red=$(tput setaf 1)\n{SHELL}"),
    "a pager": ("a.sh", SHELL, f'if [ -t 1 ]; then\n    exec less "$1"\nfi\n{SHELL}'),
    "a refusal": (
        "a.sh",
        SHELL,
        f"if [ -t 1 ]; then\n    echo 'binary output' >&2\n    exit 2\nfi\n{SHELL}",
    ),
    "input of a person": (
        "a.sh",
        SHELL,
        f'if [ -t 0 ]; then\n    exec awk 1 "$1"\nfi\n{SHELL}',
    ),
}


@pytest.mark.parametrize(("path", "before", "after"), SAME_VALUE.values(), ids=SAME_VALUE.keys())
def test_the_same_value_in_another_form_is_not(path: str, before: str, after: str) -> None:
    assert list(differing_lines(path, before, after)) == []


def test_a_new_file_may_decide_as_it_likes() -> None:
    for path, _, after in OTHER_VALUE.values():
        assert list(differing_lines(path, "", after)) == []
