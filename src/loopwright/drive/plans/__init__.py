"""A plan's own files: read, matched, edited."""
