"""The agent of VS Code: a file of our own beside that of Copilot CLI."""

from __future__ import annotations

from ..copilot.wiring import HOME_VARIABLE
from ..wiring import HOUR, ConfigFolder, HookEvent, Wiring

WIRING = Wiring(
    host="vscode",
    folder=ConfigFolder(HOME_VARIABLE, ".copilot"),
    file="hooks/loopwright-vscode.json",
    events=(HookEvent("Stop", HOUR), HookEvent("UserPromptSubmit", HOUR)),
    grouped=False,
    top=(("version", 1),),
    whole_file=True,
)
