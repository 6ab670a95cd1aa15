"""Print a completion script for bash, zsh or fish."""

from __future__ import annotations

import argparse
from shlex import quote

from .. import exits

EXAMPLES = """  loop completion bash > ~/.local/share/bash-completion/completions/loop
  loop completion zsh > "${fpath[1]}/_loop"
  loop completion fish > ~/.config/fish/completions/loop.fish"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="your shell")


def run(args: argparse.Namespace) -> int:
    print({"bash": bash_script, "zsh": zsh_script, "fish": fish_script}[args.shell]())
    return exits.PROVEN


def flags_by_command() -> dict[str, list[str]]:
    """The flags of each command, read from its own parser, and the actions where it has any."""
    from ..command_parser import command_parser
    from ..main import COMMANDS

    flags = {}
    for name in COMMANDS:
        parser = command_parser(name)
        actions = action_parsers(parser)
        found = {flag for each in (parser, *actions.values()) for flag in flags_of(each)}
        flags[name] = [*actions, *sorted(found)]
    return flags


def flags_of(parser: argparse.ArgumentParser) -> list[str]:
    return [flag for action in parser._actions for flag in action.option_strings]


def action_parsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the actions of a command such as `loop fleet`, by their names."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def bash_script() -> str:
    by_command = flags_by_command()
    rows = [f"    {name}) words='{' '.join(flags)}' ;;" for name, flags in by_command.items()]
    cases = "\n".join(rows)
    commands = " ".join(by_command)
    return f"""_loop() {{
  local words=''
  if [ "$COMP_CWORD" -eq 1 ]; then words='{commands}'; else case "${{COMP_WORDS[1]}}" in
{cases}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _loop loop"""


def zsh_script() -> str:
    from ..main import COMMANDS

    by_command = flags_by_command()
    rows = [
        f"    {name}) _values -w flag {' '.join(flags)} ;;" for name, flags in by_command.items()
    ]
    cases = "\n".join(rows)
    names = " ".join(quote(f"{name}:{text}") for name, text in COMMANDS.items())
    return f"""#compdef loop
local -a commands=({names})
if (( CURRENT == 2 )); then _describe command commands; else case "$words[2]" in
{cases}
esac; fi"""


def fish_script() -> str:
    from ..main import COMMANDS

    rows = [
        f"complete -c loop -f -n __fish_use_subcommand -a {name} -d {quote(text)}"
        for name, text in COMMANDS.items()
    ]
    for name, flags in flags_by_command().items():
        condition = f"-n '__fish_seen_subcommand_from {name}'"
        long_names = [flag[2:] for flag in flags if flag.startswith("--")]
        rows += [f"complete -c loop {condition} -l {long_name}" for long_name in long_names]
    return "\n".join(rows)
