"""Print a completion script for your shell, made from the commands themselves."""

from __future__ import annotations

import argparse
from shlex import quote

from .. import exits

EXAMPLES = """  loop completion bash > ~/.local/share/bash-completion/completions/loop
  loop completion zsh > "${fpath[1]}/_loop"
  loop completion fish > ~/.config/fish/completions/loop.fish"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))


def run(args: argparse.Namespace) -> int:
    print({"bash": bash_script, "zsh": zsh_script, "fish": fish_script}[args.shell]())
    return exits.PROVEN


def flags_by_command() -> dict[str, list[str]]:
    from ..main import COMMANDS, command_parser

    return {
        name: sorted(
            flag for action in command_parser(name)._actions for flag in action.option_strings
        )
        for name in COMMANDS
    }


def bash_script() -> str:
    rows = "\n".join(
        f"    {name}) words='{' '.join(known)}' ;;" for name, known in flags_by_command().items()
    )
    return f"""_loop() {{
  local words=''
  if [ "$COMP_CWORD" -eq 1 ]; then words='{" ".join(flags_by_command())}'; else case "${{COMP_WORDS[1]}}" in
{rows}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _loop loop"""


def zsh_script() -> str:
    from ..main import COMMANDS

    rows = "\n".join(
        f"    {name}) _values -w flag {' '.join(known)} ;;"
        for name, known in flags_by_command().items()
    )
    names = " ".join(quote(f"{name}:{text}") for name, text in COMMANDS.items())
    return f"""#compdef loop
local -a commands=({names})
if (( CURRENT == 2 )); then _describe command commands; else case "$words[2]" in
{rows}
esac; fi"""


def fish_script() -> str:
    from ..main import COMMANDS

    rows = [
        f"complete -c loop -f -n __fish_use_subcommand -a {name} -d {quote(text)}"
        for name, text in COMMANDS.items()
    ]
    for name, known in flags_by_command().items():
        spelled = [f"-l {flag[2:]}" for flag in known if flag.startswith("--")]
        rows += [
            f"complete -c loop -n '__fish_seen_subcommand_from {name}' {flag}" for flag in spelled
        ]
    return "\n".join(rows)
