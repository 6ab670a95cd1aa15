"""The repository's own checks, found by reading its files; nothing of the project runs for it."""
