"""python scripts/build.py: the original document's way to build commands from presets. It is `loop plugin build`."""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "src"))
os.chdir(ROOT)

from loopwright.cli.main import main  # noqa: E402

sys.exit(main(["plugin", "build"]))
