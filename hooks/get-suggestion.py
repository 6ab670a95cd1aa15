"""python hooks/get-suggestion.py PRESET ITERATION: the original document's way to see which suggestion comes when."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src"))

from loopwright.cli.commands.presets import print_suggestion

sys.exit(print_suggestion(sys.argv[1:]))
