"""Reads TOML that a stranger may have written."""

from __future__ import annotations

import tomllib

from .. import lazy_re as re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_NAME_PARTS = 100


def parse_toml(text: str) -> dict[str, Any]:
    """The content of a TOML text, or a ValueError.

    Deep nesting exhausts the stack of tomllib, and very long dotted names keep it busy for minutes.
    """
    if any(run.count(".") > MAX_NAME_PARTS for run in re.findall(r"[\w\"' \t.-]+", text)):
        raise ValueError(f"a name of more than {MAX_NAME_PARTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("brackets inside brackets, too deep") from None
