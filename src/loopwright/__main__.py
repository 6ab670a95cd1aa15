"""Run the command `loop` with `python -m loopwright`, or by the path of this file."""

import sys

# A plugin runs this file by its path, where the package is not installed.
if not __package__:
    sys.path.insert(0, __file__.replace("\\", "/").rpartition("/loopwright/")[0])

from loopwright.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
