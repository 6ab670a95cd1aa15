"""The modules of the subcommands, one for each command."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# `continue` and `import` are keywords of Python, so their modules end in an underscore.
MODULE_NAMES = {"continue": "continue_", "import": "import_"}


def command_module(name: str) -> Any:
    """The module of a command. `DEFAULTS` of a module are its arguments without any words."""
    return __import__(f"{__package__}.commands.{MODULE_NAMES.get(name, name)}", fromlist=["run"])
