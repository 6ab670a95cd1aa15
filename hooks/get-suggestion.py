"""Print the suggestion of a preset for an iteration, as the original plugin documents it.

python hooks/get-suggestion.py PRESET ITERATION
"""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "src"))

from loopwright.cli.commands.presets import print_suggestion  # noqa: E402

sys.exit(print_suggestion(sys.argv[1:]))
