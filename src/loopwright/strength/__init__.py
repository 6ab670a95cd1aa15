"""Strength: takes parts of the work away in a clean checkout and runs the checks."""
