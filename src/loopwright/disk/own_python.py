"""Start Python with this copy of the package, whatever the folder or the environment holds."""

from __future__ import annotations

import os
import sys

PACKAGE_PARENT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def python_words(statement: str) -> tuple[str, ...]:
    """The words that run a statement; words behind them are its `sys.argv[1:]`.

    With -P and -E no module of the current folder or of the PYTHONPATH, where an agent may write,
    is taken for one of Python's own. There is no PYTHONPATH that agents and checks would inherit.
    """
    program = f"import sys; sys.path.insert(0, sys.argv.pop(1)); {statement}"
    return (sys.executable, "-E", "-P", "-c", program, PACKAGE_PARENT)


# The words that run `loop`.
OWN_COMMAND = python_words("from loopwright.cli.main import main; sys.exit(main())")
