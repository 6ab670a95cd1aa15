"""`python -m loopwright`, or this file by its path: the command `loop`, also where nothing is installed."""

import sys

if not __package__:
    sys.path.insert(0, __file__.replace("\\", "/").rpartition("/loopwright/")[0])

from loopwright.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
