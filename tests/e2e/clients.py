"""The clients besides Claude Code and Codex: their versions, packages and programs.

python -m tests.e2e.clients NAME      # what to install, where, and the program that must then be there
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.client import folder, machine


@dataclass(frozen=True)
class Package:
    """An npm package in one version, and the program in it. LOOP_<NAME> may name another program."""

    name: str
    package: str
    version: str
    program: str  # below the package's folder

    @property
    def folder(self) -> Path:
        return folder(f"{self.name}-{self.version}")

    @property
    def installed(self) -> Path:
        return self.folder / "node_modules" / self.package / self.program

    def find(self) -> Path | None:
        """LOOP_<NAME>, else what `make setup` installed, else nothing."""
        chosen = Path(os.environ.get(f"LOOP_{self.name.upper()}") or self.installed)
        return chosen if os.access(chosen, os.X_OK) else None


# The program for this machine, where the package of the main name only starts it.
PACKAGES = {
    one.name: one
    for one in (
        Package("gemini", "@google/gemini-cli", "0.61.0", "bundle/gemini.js"),
        Package("qwen", "@qwen-code/qwen-code", "0.24.4", "cli-entry.js"),
        Package("copilot", f"@github/copilot-{machine()}", "1.0.102", "copilot"),
        # The newest that exists for each kind of processor.
        Package(
            "opencode",
            f"opencode-{machine()}",
            "1.18.18" if machine().endswith("arm64") else "1.18.33",
            "bin/opencode",
        ),
    )
}

if __name__ == "__main__":
    chosen = PACKAGES[sys.argv[1]]
    print(f"{chosen.package}@{chosen.version}", chosen.folder, chosen.installed, sep="\n")
