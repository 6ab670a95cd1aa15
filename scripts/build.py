"""Build the plugin: the same as `loop plugin build`.

The original plugin documents this file as the way to build commands from presets.
"""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "src"))
os.chdir(ROOT)

from loopwright.cli.main import main  # noqa: E402

sys.exit(main(["plugin", "build"]))
