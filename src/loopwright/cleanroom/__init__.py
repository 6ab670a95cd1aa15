"""The clean checkout: calibrate it, lay it out, run checks in it, replay, revert."""
