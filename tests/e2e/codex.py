"""The other real client, Codex: where it lies, how it finds the model, and one run of it.

python -m tests.e2e.codex      # what to install, where, and the program, if it is there
"""

from __future__ import annotations

import os
from pathlib import Path

from tests.e2e.client import NO_ENV, Env, Launched, environment, folder, machine
from tests.e2e.model import Model

VERSION = "0.166.0"
ALIAS = f"@openai/codex-{machine()}"
HERE = f"codex-{VERSION}"

# One that the client knows, and that calls its tools one by one. Without plugins it looks for nothing on any network.
CONFIG = """model = "gpt-5.5"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[features]
plugins = false

[analytics]
enabled = false
"""


def package() -> str:
    """The program for this machine, without the node script that starts it. It is published as a version of its own."""
    return f"{ALIAS}@npm:@openai/codex@{VERSION}-{machine()}"


def find() -> Path | None:
    """LOOP_CODEX, else what `make setup` installed, else nothing."""
    there = (folder(HERE) / "node_modules" / ALIAS).glob("vendor/*/bin/codex")
    chosen = os.environ.get("LOOP_CODEX") or next(there, None)
    return Path(chosen) if chosen and os.access(chosen, os.X_OK) else None


def configure(home: Path, url: str) -> None:
    """The model that it asks is the scripted one."""
    (home / ".codex").mkdir(exist_ok=True)
    (home / ".codex/config.toml").write_text(CONFIG.format(url=url), encoding="utf-8")


def launch(
    program: Path,
    prompt: str,
    model: Model,
    *args: str,
    home: Path,
    cwd: Path,
    resume: str = "",
    env: Env = NO_ENV,
) -> Launched:
    """Begin a run in the background; with the id of a thread, go on with that one."""
    configure(home, model.url)
    argv = [str(program), "exec", "--json", *args, *(("resume", resume) if resume else ()), "-"]
    return Launched(argv, model, home, cwd, environment(home, model.url, more=env), prompt)


if __name__ == "__main__":
    print(package(), folder(HERE), find() or "", sep="\n")
