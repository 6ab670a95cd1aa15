"""Loopwright keeps a coding agent working until the work is proven done."""

__version__ = "0.2.0"
