"""Looks through what only starts another program: `timeout 60`, `env A=1`, `uv run`, `npx`."""

from __future__ import annotations

import posixpath

from .. import lazy_re as re

SCRIPT_RUNNERS = ("npm", "pnpm", "yarn", "bun")
# Words of the shell before a program.
NOT_PROGRAMS = frozenset(
    [
        *("if", "then", "else", "elif", "fi", "do", "done", "while", "until", "esac", "function"),
        *("!", "{", "}", "(", ")", "time", "exec", "command", "builtin", "eval"),
    ]
)
# Program → its options that take the next word, and how many words it takes before the command.
WRAPPERS = {
    "env": ("-u --unset -C --chdir -S", 0),
    "nice": ("-n --adjustment", 0),
    "timeout": ("-k --kill-after -s --signal", 1),
    "nohup": ("", 0),
    "setsid": ("", 0),
    "stdbuf": ("-i -o -e", 0),
    "ionice": ("-c -n", 0),
    "sudo": ("-u -g -E", 0),
    "xvfb-run": ("-s -n -e -f", 0),
    "chronic": ("", 0),
    "cross-env": ("", 0),
    "npx": ("-p --package -w --workspace", 0),
    "pnpx": ("", 0),
    "bunx": ("", 0),
    "uvx": ("--from --with --python -p", 0),
}
RUN_WRAPPERS = {  # the words that make a manager of packages run a program
    "uv": ("run",),
    "poetry": ("run",),
    "pdm": ("run",),
    "hatch": ("run",),
    "pipenv": ("run",),
    "rye": ("run",),
    "conda": ("run",),
    "bundle": ("exec",),
    "npm": ("exec", "x"),
    "pnpm": ("exec", "dlx"),
    "yarn": ("exec", "dlx"),
    "bun": ("x",),
}
RUN_OPTIONS_WITH_VALUE = frozenset(
    [
        *("--with", "--python", "-p", "--extra", "--group", "--directory", "--project", "-n"),
        *("--env-file", "--package", "--name", "--only-group", "-e", "--env", "-C", "--filter"),
        *("--with-requirements", "-F", "-w", "--workspace"),
    ]
)
ASSIGNMENT = re.compile(r"\w+=")


def unwrap(words: list[str]) -> tuple[list[str], list[str]]:
    """The words from the program on that the wrappers before it start, and these wrappers."""
    wrappers = []
    while words:
        name = posixpath.basename(words[0])
        if words[0] in NOT_PROGRAMS or ASSIGNMENT.match(words[0]):
            words = words[1:]
        elif name in WRAPPERS:
            wrappers.append(words[0])
            options, skipped = WRAPPERS[name]
            words = after_options(words[1:], frozenset(options.split()))[skipped:]
        elif _runs_program(name, words):
            wrappers.append(words[0])
            after = next(i for i, word in enumerate(words) if word in RUN_WRAPPERS[name])
            words = after_options(words[after + 1 :], RUN_OPTIONS_WITH_VALUE, ("-m",))
            words = ["python", *words] if words[:1] == ["-m"] else words
        else:
            break
    return words, wrappers


def _runs_program(name: str, words: list[str]) -> bool:
    runs = RUN_WRAPPERS.get(name, ())
    if name in SCRIPT_RUNNERS:
        return words[1:2] != [] and words[1] in runs
    return any(word in runs for word in words[1:4])


def after_options(
    words: list[str], with_value: frozenset[str], stops: tuple[str, ...] = ()
) -> list[str]:
    """The words after the options of a program."""
    while words and words[0] not in stops and (words[0][:1] == "-" or ASSIGNMENT.match(words[0])):
        if words[0] == "--":
            return words[1:]
        words = words[2:] if words[0] in with_value else words[1:]
    return words
