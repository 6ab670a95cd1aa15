"""How a worker was started."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..agents.process import Pairs
from .work import ConfigParser


@dataclass(frozen=True)
class WorkerOptions:
    slots: int
    labels: frozenset[str]
    accounts: Mapping[str, Pairs]
    root: Path
    parse_config: ConfigParser
    say: Callable[[str], None]
    words: list[str] = field(default_factory=list)  # the command line, to start itself again
    # What only the command itself may see, and not the agents: the address of the database.
    environment: Mapping[str, str] = field(default_factory=dict)
    until_idle: bool = False  # end when no job is left that could run
