"""Measuring the start, and proving the end."""
